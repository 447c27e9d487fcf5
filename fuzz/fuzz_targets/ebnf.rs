//! Any bytes as an EBNF text and as a Lark text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::ebnf(data).unwrap();
});
