//! What becomes of each keyword and format in each draft, as the compiler itself says it: `docs/json-schema.md`.
//!
//! The keywords are those of the meta-schemas; each is compiled with a sample, and the report tells its fate. So the
//! page cannot say what the code does not do; `UPDATE_EXPECT=1` writes it anew.

use expect_test::expect_file;
use formwork_json_schema::{Draft, Options};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

const DRAFTS: [(Draft, &str, &str); 5] = [
    (Draft::Draft4, "4", "http://json-schema.org/draft-04/schema#"),
    (Draft::Draft6, "6", "http://json-schema.org/draft-06/schema#"),
    (Draft::Draft7, "7", "http://json-schema.org/draft-07/schema#"),
    (Draft::Draft201909, "2019-09", "https://json-schema.org/draft/2019-09/schema"),
    (Draft::Draft202012, "2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// The keywords of a draft's meta-schema, its vocabularies included.
fn keywords(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schema/metaschemas");
    let mut paths = match folder.join(name).read_dir() {
        Ok(entries) => entries.map(|entry| entry.expect("an entry").path()).collect(),
        Err(_) => vec![folder.join(format!("draft{name}.json"))],
    };
    paths.sort();
    let mut keywords = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a meta-schema");
        let meta: Value = serde_json::from_str(&text).expect("JSON");
        let properties = meta["properties"].as_object().into_iter().flatten();
        keywords.extend(properties.map(|(keyword, _)| keyword.clone()));
    }
    // Draft 4 speaks of references in a document of its own.
    keywords.push("$ref".to_owned());
    keywords.sort_unstable();
    keywords.dedup();
    keywords
}

/// Samples of a keyword: what the row says, the keyword's value, what stands beside it.
fn samples(keyword: &str, draft: Draft) -> Vec<(&'static str, Value, Value)> {
    let plain = |value: Value| vec![("", value, json!({}))];
    match keyword {
        "$id" | "id" => plain(json!("https://example.com/schema")),
        "$ref" | "$recursiveRef" => vec![("", json!("#/definitions/a"), json!({"definitions": {"a": {}}}))],
        "$dynamicRef" => vec![("", json!("#a"), json!({"$defs": {"a": {"$dynamicAnchor": "a"}}}))],
        "$anchor" | "$dynamicAnchor" | "$comment" | "title" | "description" | "contentMediaType" => {
            plain(json!("a"))
        }
        "contentEncoding" => plain(json!("base64")),
        "$schema" => Vec::new(),
        "$defs" | "definitions" | "properties" | "patternProperties" | "dependentSchemas" => {
            plain(json!({"a": {"type": "string"}}))
        }
        "dependencies" | "dependentRequired" => plain(json!({"a": ["b"]})),
        "$vocabulary" | "default" => plain(json!({})),
        "$recursiveAnchor" | "deprecated" | "readOnly" | "writeOnly" => plain(json!(true)),
        "exclusiveMinimum" | "exclusiveMaximum" if draft == Draft::Draft4 => plain(json!(true)),
        "examples" | "enum" => plain(json!([1])),
        "type" => plain(json!("string")),
        "required" => plain(json!(["a"])),
        "format" => plain(json!("date")),
        "pattern" => vec![
            ("", json!("^a"), json!({})),
            ("with look-ahead outside repetitions", json!("^(?!a)b"), json!({})),
            ("with look-behind", json!("(?<=a)b"), json!({})),
            ("with a back-reference", json!("(a)\\1"), json!({})),
        ],
        "minProperties" => vec![
            ("", json!(1), json!({"additionalProperties": false, "properties": {"a": {}}})),
            ("with undeclared properties", json!(1), json!({})),
        ],
        "multipleOf" => vec![
            ("of a divisor of a power of ten", json!(0.25), json!({})),
            ("of others", json!(3), json!({})),
            ("with up to 10¹⁸ remainders", json!(0.123_456_789), json!({})),
        ],
        "uniqueItems" => vec![
            (
                "over items of up to 2,000 values, or tuples of them",
                json!(true),
                json!({"items": {"enum": [1, 2]}}),
            ),
            ("over strings", json!(true), json!({"items": {"type": "string"}})),
            (
                "over whole numbers, closed objects, and arrays of these",
                json!(true),
                json!({"items": {"type": "object", "properties": {"a": {"type": ["string", "integer"]}}, "additionalProperties": false}}),
            ),
            ("over other items", json!(true), json!({})),
        ],
        "anyOf" | "allOf" | "oneOf" | "prefixItems" => plain(json!([{"type": "string"}])),
        "if" => vec![("", json!({"type": "string"}), json!({"then": {"minLength": 1}}))],
        "then" | "else" => vec![("", json!({"minLength": 1}), json!({"if": {"type": "string"}}))],
        "additionalItems" => vec![("", json!({"type": "string"}), json!({"items": [{}]}))],
        "minContains" | "maxContains" => vec![("", json!(1), json!({"contains": {"type": "string"}}))],
        "not"
        | "items"
        | "additionalProperties"
        | "propertyNames"
        | "contains"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => plain(json!({"type": "string"})),
        "const" => plain(json!(1)),
        _ if keyword.starts_with("min") || keyword.starts_with("max") || keyword.starts_with("exclusive") => {
            plain(json!(1))
        }
        other => panic!("no sample for `{other}`"),
    }
}

/// What became of a keyword of a schema.
fn fate(schema: &Value, draft: Draft, keyword: &str) -> String {
    let pointer = format!("/{keyword}");
    match Options::default().draft(draft).grammar_with_report(&schema.to_string()) {
        Err(error) => format!("refused ({})", error.kind()),
        Ok((_, report)) => {
            let listed = |list: &[formwork_json_schema::ReportEntry]| {
                list.iter().any(|entry| entry.pointer() == pointer)
            };
            let fate = if listed(report.ignored()) {
                "ignored"
            } else if listed(report.notes()) {
                "enforced, with a note"
            } else if listed(report.enforced()) {
                "enforced"
            } else {
                "no assertion"
            };
            fate.to_owned()
        }
    }
}

const FORMATS: [&str; 19] = [
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// What stands in `data/baselines/json-schema-test-suite.snap` as accepted, rejected or refused wrongly, and why.
const DISAGREEMENTS: &str = "
## Where the official test suite disagrees

`cargo xtask conformance` names each test in `data/baselines/json-schema-test-suite.snap`; no instance of the required tests and of the formats is accepted wrongly.

- *`format: hostname`, from draft 7 on, labels with Punycode (`xn--…`)*, rejected: so the grammar is narrower than the format, and the report notes it at the keyword. An A-label is valid if what it decodes to is; each of its digits may move all code points that come after, so that an automaton would have a state for nearly every prefix of up to 59 characters, and which of these can be completed is no arithmetic but a search. Also rejected in `idn-hostname`.
- *`format: idn-hostname`, labels of more than 13 to 45 characters beyond ASCII*, rejected: such a label may have at most 63 octets in Punycode, whose length depends on the order of the code points. Names are accepted where no choice of characters could exceed it: 13 characters, 19 up to U+07FF, 45 of which four are beyond ASCII. Besides, characters beyond U+FFFF, more than four labels, marks on letters that other marks compose with, and labels from right to left beside those of other scripts are left out.
- *`format: regex`, named groups and back-references*, rejected: a name must be that of one group, which needs memory.
- *`uniqueItems` over any values*, refused, 36 tests in each draft and no others. Items that came are remembered and compared while the next is written, as texts: of strings their characters, of whole numbers, arrays and objects what is left without blanks. Where values have other spellings, that is not enough: a number with a fraction or an exponent (`1.0`, `1e0`), members that are not declared or that may come in any order, and values that nest without end.
- *`contentMediaType` of draft 7* (optional), accepted: it annotates, as the later drafts say. `contentEncoding: base64` is enforced in draft 7, where formats are.
- *Draft 4, `1.0` as an integer* (optional), accepted: that test contradicts the drafts from 6 on, and `numbers: any` is asked for.

## What MaskBench's files are refused for

Of the 3,320 development files 10 are refused (0.30%, `data/baselines/maskbench.snap`). One has a back-reference (`Github_hard---o75605`). The others ask that items be distinct, at a place that a document may reach, that are
- objects with members that are not declared: `asmdef`, `chrome-manifest`, `cryproj.55.schema`, `cryproj`, `jsconfig`, `lazygit`, `sarif-2.0.0`, `vsix-publish`;
- strings of at most 2,048 characters, which are more states than are written out: `winget-pkgs-singleton-1.0.0`.

In any order `template` is refused, too, for a limit. Four files are unsatisfiable as written (`oneOf` of three lists of required names, all of which are required); they have no instances, and compiling them says which keywords clash.
";

fn row(out: &mut String, title: &str, cells: &[String]) {
    writeln!(out, "| {title} | {} |", cells.join(" | ")).expect("a string grows");
}

#[test]
fn the_page_says_what_the_code_does() {
    let mut out = String::from(
        "# JSON Schema: what is enforced\n\n\
         Generated by `crates/json-schema/tests/support.rs` from what the compiler reports for a sample of each keyword; do not edit.\n\n\
         - *enforced*: every text of the grammar satisfies the keyword, and every value that does has a text.\n\
         - *enforced, with a note*: the report says which values have no text, what is decided about the text instead of the value, or that digits are not bounded.\n\
         - *refused*: a schema with it is an error with its JSON pointer, unless `relax` names the keyword. `oneOf` is read as `anyOf` then.\n\
         - *no assertion*: it names or describes and restricts nothing.\n\
         - –: not a keyword of the draft; it is ignored, and reported.\n\n\
         ## Keywords\n\n",
    );
    let names: Vec<String> = DRAFTS.iter().map(|(_, name, _)| (*name).to_owned()).collect();
    row(&mut out, "keyword", &names);
    out.push_str("|---|---|---|---|---|---|\n");
    let by_draft: Vec<Vec<String>> = DRAFTS.iter().map(|(_, name, _)| keywords(name)).collect();
    let mut all: Vec<String> = by_draft.iter().flatten().cloned().collect();
    all.sort_unstable();
    all.dedup();
    for keyword in &all {
        for (i, (label, ..)) in samples(keyword, Draft::Draft202012).into_iter().enumerate() {
            let cells = DRAFTS.iter().zip(&by_draft).map(|(&(draft, _, uri), known)| {
                if !known.contains(keyword) {
                    return "–".to_owned();
                }
                let (_, value, beside) = samples(keyword, draft).swap_remove(i);
                let mut schema = beside;
                schema["$schema"] = json!(uri);
                schema[keyword] = value;
                fate(&schema, draft, keyword)
            });
            let cells: Vec<String> = cells.collect();
            row(&mut out, format!("`{keyword}` {label}").trim_end(), &cells);
        }
    }
    out.push_str(
        "\n## Formats\n\nUnknown formats are ignored and reported; `formats: annotate` ignores all.\n\n",
    );
    row(&mut out, "format", &names);
    out.push_str("|---|---|---|---|---|---|\n");
    for format in FORMATS {
        let cells = DRAFTS
            .iter()
            .map(|&(draft, _, uri)| fate(&json!({"$schema": uri, "format": format}), draft, "format"));
        row(&mut out, format, &cells.collect::<Vec<_>>());
    }
    out.push_str(DISAGREEMENTS);
    expect_file!["../../../docs/json-schema.md"].assert_eq(&out);
}

/// What the page says of refusals is what the baseline has.
#[test]
fn the_suite_is_refused_for_distinct_items_alone() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/baselines/json-schema-test-suite.snap");
    let baseline = std::fs::read_to_string(path).expect("the baseline");
    for line in baseline.lines().filter(|line| line.starts_with("refused:")) {
        assert!(line.contains("unsupported: `uniqueItems` cannot be decided"), "{line}");
    }
    for draft in ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"] {
        let row = baseline.lines().find_map(|line| line.strip_prefix(draft)).expect("a row");
        let n: Vec<u32> = row.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let [n_tests, n_passed, 0, 0, n_refused, 0] = n[..] else { panic!("{draft}: {row}") };
        assert_eq!((n_passed, n_refused), (n_tests - 36, 36), "{draft}");
    }
}
