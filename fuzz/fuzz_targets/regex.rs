//! Any text as a regular expression, in both dialects.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::regex(data).unwrap();
});
