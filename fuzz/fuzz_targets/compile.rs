//! Larger random grammars compile, and are followed, within their limits.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::compile(data).unwrap();
});
