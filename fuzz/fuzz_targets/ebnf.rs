//! Any bytes as an EBNF text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::ebnf(data).unwrap();
});
