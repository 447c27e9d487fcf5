//! `formwork check`: verdicts, explanations, exit status.

use crate::examples::examples;
use crate::program::formwork;
use expect_test::{Expect, expect};

#[test]
fn documents_of_the_examples_are_judged_right() {
    for (kind, option) in [("schemas", "--schema"), ("ebnf", "--ebnf")] {
        for example in examples(kind) {
            let grammar = example.grammar.to_str().unwrap();
            for (which, status) in [("accept", 0), ("reject", 1)] {
                for document in example.documents(which) {
                    let answer = formwork(&["check", option, grammar, document.to_str().unwrap()], b"");
                    assert_eq!(answer.status, status, "{}: {}", document.display(), answer.err);
                }
            }
        }
    }
}

fn check(args: &[&str], input: &str, status: i32, expected: Expect) {
    let mut all = vec!["check"];
    all.extend(args);
    let answer = formwork(&all, input.as_bytes());
    assert_eq!(answer.status, status, "{answer:?}");
    expected.assert_eq(&format!("{}{}", answer.out, answer.err));
}

#[test]
fn a_rejection_shows_the_place_and_what_could_have_come() {
    check(
        &["--schema", "examples/schemas/order/schema.json"],
        "{\n  \"order_id\": \"EU-000001\",\n  \"status\": \"shiped\"}",
        1,
        expect![[r#"
            standard input: rejected at line 3, column 18 (byte 46)
              |
            3 |   "status": "shiped"}
              |                  ^ `e` cannot come here
              = expected `ped"`
              = in rule `status` (/properties/status)
        "#]],
    );
    check(
        &["--regex", "[0-9]{4}-(0[1-9]|1[0-2])"],
        "2024-13",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 7 (byte 6)
              |
            1 | 2024-13
              |       ^ `3` cannot come here
              = expected `0`, `1` or `2`
        "#]],
    );
    check(
        &["--regex", "(?i)no|yes"],
        "",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 1 (byte 0)
              |
            1 | 
              | ^ the document ends too early
              = expected `N`, `Y`, `n` or `y`
        "#]],
    );
    check(
        &["--json"],
        "[1, 2",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 6 (byte 5)
              |
            1 | [1, 2
              |      ^ the document ends too early
              = expected `,`, `.`, `0` to `9`, `E`, `]`, `e` or white space
              = in rules `json_array`, `json_number`
        "#]],
    );
    check(
        &["--json"],
        "[1] x",
        1,
        expect![[r#"
        standard input: rejected at line 1, column 4 (byte 3)
          |
        1 | [1] x
          |    ^ a space cannot come here
          = expected the end of the document
    "#]],
    );
    check(
        &["--ebnf", "examples/ebnf/select/grammar.ebnf"],
        "SELECT ä FROM t;",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 8 (byte 7)
              |
            1 | SELECT ä FROM t;
              |        ^ `ä` cannot come here
              = expected `*`, `C`, `M`, `S`, `_`, `a` to `z` or white space
              = where rules `columns` (line 4, column 1), `call` (line 6, column 1), `name` (line 19, column 1) begin
        "#]],
    );
    check(
        &["--regex", "a"],
        "b",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 1 (byte 0)
              |
            1 | b
              | ^ `b` cannot come here
              = expected `a`
        "#]],
    );
}

#[test]
fn results_and_errors_come_as_json() {
    check(
        &["--regex", "a+b", "--output", "json"],
        "aaa\n",
        1,
        expect![[r#"
            {"compile_error":null,"verdict":false,"rejection":{"offset":3,"line":1,"column":4,"before":"aaa","found":null,"expected":["`a`","`b`"],"can_finish":false,"rules":[],"message":"the document ends too early; expected `a` or `b`"},"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
        "#]],
    );
    check(
        &["--regex", "a+b", "--output", "json"],
        "aab\n",
        0,
        expect![[r#"
        {"compile_error":null,"verdict":true,"rejection":null,"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
    "#]],
    );
    check(
        &["--regex", "a(?=b)", "--output", "json"],
        "",
        2,
        expect![[r#"
        {"compile_error":{"kind":"unsupported","pointer":null,"line":1,"column":2,"message":"look-around is not supported; say what may come here with alternatives and classes, or check it after generating"}}
    "#]],
    );
}

#[test]
fn bad_grammars_options_and_files_are_told_apart_from_rejections() {
    check(
        &[],
        "",
        2,
        expect![[r#"
            error: which grammar? Say --schema FILE, --ebnf FILE, --gbnf FILE, --lark FILE, --regex REGEX, --tag FILE, --tools FILE or --json; or --jsonl, to be asked line by line
        "#]],
    );
    check(
        &["--schema", "no-such-file"],
        "",
        2,
        expect![[r#"
        error: no-such-file: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["--json", "no-such-file"],
        "",
        2,
        expect![[r#"
        error: no-such-file: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["--regex", "a", "--numbers", "any"],
        "",
        2,
        expect![[r#"
            error: --numbers is an option of --schema, --tag, --tools and --json
        "#]],
    );
    check(
        &["--json", "--numbers", "roman"],
        "",
        2,
        expect![[r#"
            error: option `numbers` cannot be "roman"
        "#]],
    );
    check(
        &["--regex", "a", "--root", "r"],
        "",
        2,
        expect![[r#"
            error: --root is an option of --ebnf, --gbnf and --lark
        "#]],
    );
    check(
        &["--regex", "(a"],
        "",
        2,
        expect![[r#"
        error: invalid at line 1, column 1: unclosed group
    "#]],
    );
    check(
        &["--regex", "a^b"],
        "",
        2,
        expect![[r#"
        error: unsatisfiable at line 1, column 1: the grammar matches no output at all: rule `root` can never end (no text matches it)
    "#]],
    );
    check(
        &["--ebnf", "examples/ebnf/csv/grammar.ebnf", "--root", "row"],
        "",
        2,
        expect![[r#"
        error: examples/ebnf/csv/grammar.ebnf: invalid at line 2, column 1: error: the root rule `row` is not defined
         --> line 2, column 1
          |
        2 | root   ::= "id,name,amount" (eol record)* eol?
          | ^^^^
          = help: the rules are `root`, `record`, `id`, `field`, `plain`, `quoted`, `amount`, `eol`; define `row` or name another root
    "#]],
    );
    check(
        &["--jsonl", "--numbers", "any"],
        "",
        2,
        expect![[r#"
        error: with --jsonl each line brings its own options; --numbers means nothing here
    "#]],
    );
}

#[test]
fn options_reach_the_frontends() {
    let schema = "examples/schemas/weather/schema.json";
    let swapped = r#"{"arguments": {"location": "Oslo"}, "name": "get_weather"}"#;
    check(
        &["--schema", schema, "--property-order", "any"],
        swapped,
        0,
        expect![[r#"
        standard input: accepted
    "#]],
    );
    check(
        &["--json", "--whitespace", "compact"],
        "[1, 2]",
        1,
        expect![[r#"
            standard input: rejected at line 1, column 4 (byte 3)
              |
            1 | [1, 2]
              |    ^ a space cannot come here
              = expected `"`, `-`, `0` to `9`, `[`, `f`, `n`, `t` or `{`
              = where rules `json_value`, `json_object`, `json_array`, `json_string`, … begin
        "#]],
    );
    check(
        &["--ebnf", "examples/ebnf/csv/grammar.ebnf", "--root", "amount"],
        "12.50",
        0,
        expect![[r#"
        standard input: accepted
    "#]],
    );
}

#[test]
fn one_final_newline_is_no_part_of_the_document() {
    check(
        &["--regex", "a"],
        "a\n",
        0,
        expect![[r#"
        standard input: accepted
    "#]],
    );
    check(
        &["--regex", "a"],
        "a\n\n",
        1,
        expect![[r#"
        standard input: rejected at line 1, column 2 (byte 1)
          |
        1 | a
          |  ^ a line break cannot come here
          = expected the end of the document
    "#]],
    );
}

#[test]
fn captures_are_printed() {
    let tag = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<think>", "content": {"type": "any_text", "capture": "thought"}, "end": "</think>"}}"#;
    let path = std::env::temp_dir().join(format!("formwork-captures-{}.json", std::process::id()));
    std::fs::write(&path, tag).unwrap();
    let path = path.to_str().unwrap();
    check(
        &["--tag", path],
        "<think>hm, é</think>",
        0,
        expect![[r#"
        standard input: accepted
          thought (bytes 7 to 13): "hm, é"
    "#]],
    );
    let answer = formwork(&["check", "--tag", path, "--output", "json"], b"<think>x</think>");
    let answer: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(
        answer["captures"],
        serde_json::json!([{"name": "thought", "start": 7, "end": 8, "text": "x"}])
    );
    std::fs::remove_file(path).unwrap();
}
