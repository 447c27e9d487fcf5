//! Any text as a structural tag.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    formwork_testkit::fuzz::tags(data).unwrap();
});
