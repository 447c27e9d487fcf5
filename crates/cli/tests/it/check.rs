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
        expect![[""]],
    );
    check(&["--regex", "[0-9]{4}-(0[1-9]|1[0-2])"], "2024-13", 1, expect![[""]]);
    check(&["--regex", "(?i)no|yes"], "", 1, expect![[""]]);
    check(&["--json"], "[1, 2", 1, expect![[""]]);
    check(&["--json"], "[1] x", 1, expect![[""]]);
    check(&["--ebnf", "examples/ebnf/select/grammar.ebnf"], "SELECT ä FROM t;", 1, expect![[""]]);
    check(&["--regex", "a"], "b", 1, expect![[""]]);
}

#[test]
fn results_and_errors_come_as_json() {
    check(&["--regex", "a+b", "--output", "json"], "aaa\n", 1, expect![[""]]);
    check(&["--regex", "a+b", "--output", "json"], "aab\n", 0, expect![[""]]);
    check(&["--regex", "a(?=b)", "--output", "json"], "", 2, expect![[""]]);
}

#[test]
fn bad_grammars_options_and_files_are_told_apart_from_rejections() {
    check(&[], "", 2, expect![[""]]);
    check(&["--schema", "no-such-file"], "", 2, expect![[""]]);
    check(&["--json", "no-such-file"], "", 2, expect![[""]]);
    check(&["--tag", "tag.json"], "", 2, expect![[""]]);
    check(&["--regex", "a", "--numbers", "any"], "", 2, expect![[""]]);
    check(&["--json", "--numbers", "roman"], "", 2, expect![[""]]);
    check(&["--regex", "a", "--root", "r"], "", 2, expect![[""]]);
    check(&["--regex", "(a"], "", 2, expect![[""]]);
    check(&["--regex", "a^b"], "", 2, expect![[""]]);
    check(&["--ebnf", "examples/ebnf/csv/grammar.ebnf", "--root", "row"], "", 2, expect![[""]]);
    check(&["--jsonl", "--numbers", "any"], "", 2, expect![[""]]);
}

#[test]
fn options_reach_the_frontends() {
    let schema = "examples/schemas/weather/schema.json";
    let swapped = r#"{"arguments": {"location": "Oslo"}, "name": "get_weather"}"#;
    check(&["--schema", schema, "--property-order", "any"], swapped, 0, expect![[""]]);
    check(&["--json", "--whitespace", "compact"], "[1, 2]", 1, expect![[""]]);
    check(&["--ebnf", "examples/ebnf/csv/grammar.ebnf", "--root", "amount"], "12.50", 0, expect![[""]]);
}

#[test]
fn one_final_newline_is_no_part_of_the_document() {
    check(&["--regex", "a"], "a\n", 0, expect![[""]]);
    check(&["--regex", "a"], "a\n\n", 1, expect![[""]]);
}
