//! Patterns beside lengths.

mod common;

use common::Schema;
use formwork_json_schema::Options;

#[test]
fn a_pattern_may_bound_its_length_by_looking_ahead() {
    // Host names as people write them: of the labels the last 63 places decide, of the whole 255 characters.
    let schema = Schema::new(
        &Options::default(),
        r#"{"type": "string", "pattern": "^(?!.*://)(?=.{1,255}$)((.{1,63}\\.){1,127}(?![0-9]*$)[a-z0-9-]+\\.?)$"}"#,
    )
    .expect("a schema");
    let accepts = |text: &str| schema.accepts(&format!("\"{text}\""));
    let label = |n: usize| "x".repeat(n);
    assert!(accepts("example.com") && accepts("a.b.c.d.com.") && accepts("..com"));
    assert!(!accepts("example") && !accepts("example.42") && !accepts("a://b.com") && !accepts(".com"));
    assert!(accepts(&format!("{}.com", label(63))) && !accepts(&format!("{}.com", label(64))));
    assert!(accepts(&format!("a.{}.com", label(63))) && !accepts(&format!("a.{}.com", label(64))));
    // `.` is any character, a dot as well: the labels may be cut elsewhere.
    assert!(accepts(&format!("a.{}.b.com", label(60))) && accepts(&format!("{}.b.com", "x.".repeat(120))));
    let long = format!("{}.{}", "abc.".repeat(60), "z".repeat(14));
    assert_eq!(long.len(), 255);
    assert!(accepts(&long) && !accepts(&format!("{long}z")));
}
