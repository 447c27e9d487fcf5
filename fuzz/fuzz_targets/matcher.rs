//! Small random grammars and vocabularies, and one of the matcher's properties.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::matcher(data).unwrap();
});
