//! Any text as a JSON Schema.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::json_schema(data).unwrap();
});
