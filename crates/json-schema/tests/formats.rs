//! Formats and encodings against what their standards say.

mod common;

use common::Schema;
use formwork_json_schema::{Draft, Options};
use serde_json::json;

fn check(options: &Options, schema: &serde_json::Value, yes: &[&str], no: &[&str]) {
    let compiled = Schema::new(options, &schema.to_string()).expect("supported");
    for (texts, expected) in [(yes, true), (no, false)] {
        for text in texts {
            assert_eq!(compiled.accepts(&json!(text).to_string()), expected, "{schema} {text}");
        }
    }
}

#[test]
fn encodings_are_assertions_of_draft_7() {
    let schema = json!({"contentEncoding": "base64"});
    let draft7 = Options::default().draft(Draft::Draft7);
    // RFC 4648, section 10; and bits that are left over must be zero (section 3.5).
    let yes = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "+/+/"];
    let no = ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm9v=", "Zm-_", "Zm9v Yg==", "====", "Zg==Zg=="];
    check(&draft7, &schema, &yes, &no);
    check(&Options::default(), &schema, &no, &[]);
    check(&draft7, &json!({"contentEncoding": "quoted-printable"}), &no, &[]);
}

#[test]
fn names_in_all_scripts_beside_enumerations() {
    let options = Options::default();
    let names =
        ["bücher.example", "xn--bcher-kva.example", "a..b", "丈".repeat(14).as_str()].map(str::to_owned);
    let schema = json!({"enum": names, "format": "idn-hostname"});
    // What is listed is looked at in full.
    check(&options, &schema, &[&names[0], &names[1], &names[3]], &[&names[2], "a"]);
    check(&options, &json!({"enum": ["(a)\\1", "("], "format": "regex"}), &["(a)\\1"], &["("]);
    let keys = json!({"propertyNames": {"format": "idn-hostname"}, "additionalProperties": {"type": "null"}});
    let compiled = Schema::new(&options, &keys.to_string()).expect("supported");
    for (name, expected) in names.iter().zip([true, false, false, false]) {
        assert_eq!(compiled.accepts(&format!("{{\"{name}\": null}}")), expected, "{name}");
    }
}

#[test]
fn templates_are_of_the_characters_of_the_standard() {
    // RFC 6570, sections 1.2, 2.1 and 2.3, and what is left out between `ucschar` and `iprivate`.
    let yes = [
        "",
        "~{username}/",
        "/search{?q,lang}",
        "{&x,empty}",
        "{var:3}",
        "{list*}",
        "{+path,x}/here",
        "{a.b}",
        "{%41}",
        "ü\u{E000}\u{10FFFD}",
        "O'Hare",
        "%C3",
    ];
    let no = [
        "{",
        "}",
        "{}",
        "{a",
        "{a:0}",
        "{a:10000}",
        "{a**}",
        "{a,}",
        "{?}",
        "{a b}",
        "{a-b}",
        "{a..b}",
        "{.a.}",
        " ",
        "\"",
        "<a>",
        "a|b",
        "`",
        "^",
        "\\",
        "%4",
        "\u{9F}",
        "\u{FFFE}",
        "\u{FDD0}",
        "\u{1FFFE}",
        "\u{E0000}",
        "\u{10FFFF}",
    ];
    check(&Options::default(), &json!({"format": "uri-template"}), &yes, &no);
}

#[test]
fn times_and_durations() {
    let options = Options::default();
    // RFC 3339, sections 5.6 to 5.8, and appendix A.
    let yes = [
        "1985-04-12T23:20:50.52Z",
        "1996-12-19t16:39:57-08:00",
        "1990-12-31T15:59:60-08:00",
        "2000-02-29T00:00:00z",
    ];
    let no = [
        "1990-12-31T15:59:61Z",
        "1990-12-31T15:59:60Z",
        "1900-02-29T00:00:00Z",
        "1990-12-31 15:59:59Z",
        "1990-12-31T15:59:59",
        "1990-12-31T15:59:59.Z",
        "1990-13-31T15:59:59Z",
        "1990-12-31T24:00:00Z",
        "1990-12-31T15:59Z",
    ];
    check(&options, &json!({"format": "date-time"}), &yes, &no);
    let yes = ["P1Y2M3DT4H5M6S", "P1Y", "PT1H", "PT0S", "P12W", "P1M2D", "PT36H", "P1YT1S"];
    let no = [
        "P", "PT", "P1YT", "P1Y2W", "P1D2M", "PT1S2M", "1Y", "P-1Y", "P1.5Y", "P1Y2D", "PT1H1S", "p1y", "P1S",
    ];
    check(&options, &json!({"format": "duration"}), &yes, &no);
}
