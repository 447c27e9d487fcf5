//! `formwork tags show`.

use crate::program::{File, check, formwork};
use expect_test::expect;

const TAG: &str = r#"{"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<a", "<b>"], "excludes": ["<!"],
    "tags": [{"begin": "<a>", "content": {"type": "regex", "pattern": "[0-9]"}, "end": "</a>"},
             {"begin": "<b>", "content": {"type": "const_string", "value": "x"}, "end": ""}]}}"#;

#[test]
fn the_grammar_and_the_automaton_are_printed() {
    let file = File::new("tag.json", TAG);
    check(
        &["tags", "show", "--tag", file.path()],
        0,
        expect![[r#"
        root ::= Until(("<a", Tag(">") root_2 Tag("</a>") root), ("<b>", Tag("x") root), excludes=("<!"), ends=true)
        root_2 ::= [0-9]

        # dispatch in root: 6 states; the text may end
        #   "": '<' -> "<"
        #   "<": '!' -> "<!", '<' -> "<", 'a' -> "<a", 'b' -> "<b"
        #   "<a" completes "<a"
        #   "<b": '<' -> "<", '>' -> "<b>"
        #   "<b>" completes "<b>"
        #   "<!" is refused
    "#]],
    );
    check(
        &["tags", "show", "--tag", file.path(), "--graphviz"],
        0,
        expect![[r#"
        digraph tags {
          rankdir=LR;
          node [shape=box, style=rounded, fontname="monospace"];
          edge [fontname="monospace"];
          subgraph cluster_0 {
            label="root, may end";
            d0_0 [label="\"\""];
            d0_1 [label="\"<\""];
            d0_2 [label="\"<a\" completes \"<a\"", penwidth=2];
            d0_3 [label="\"<b\""];
            d0_4 [label="\"<b>\" completes \"<b>\"", penwidth=2];
            d0_5 [label="\"<!\" is refused", style=dashed];
            d0_0 -> d0_1 [label="\"<\""];
            d0_1 -> d0_5 [label="\"!\""];
            d0_1 -> d0_1 [label="\"<\"", style=dashed];
            d0_1 -> d0_2 [label="\"a\""];
            d0_1 -> d0_3 [label="\"b\""];
            d0_3 -> d0_1 [label="\"<\"", style=dashed];
            d0_3 -> d0_4 [label="\">\""];
          }
        }
    "#]],
    );
}

#[test]
fn what_is_printed_is_a_grammar() {
    let tag = File::new("tag.json", TAG);
    let printed = formwork(&["tags", "show", "--tag", tag.path()], b"").out;
    let grammar = File::new("tag.ebnf", &printed);
    for (text, status) in [("so <a>7</a> and <b>x.", 0), ("so <a>77</a>", 1), ("<!", 1)] {
        let answer = formwork(&["check", "--ebnf", grammar.path()], text.as_bytes());
        assert_eq!(answer.status, status, "{answer:?}");
    }
}

#[test]
fn names_of_special_tokens_are_those_tokens() {
    let tools = File::new("tools.json", r#"[{"type": "function", "name": "ping"}]"#);
    let args =
        ["tags", "show", "--tools", tools.path(), "--model", "harmony", "--tokenizer", "o200k_harmony"];
    let answer = formwork(&args, b"");
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(answer.out.contains("# dispatch in root: "), "{answer:?}");
    assert!(answer.out.contains("token \"<|end|>\" begins \"<|end|>\""), "{answer:?}");
    assert_eq!(answer.err, "");
}

#[test]
fn what_can_hardly_be_meant_is_said() {
    let tag = |triggers: &str, tags: &[&str]| {
        let tags: Vec<String> = tags
            .iter()
            .map(|begin| format!(r#"{{"begin": "{begin}", "content": {{"type": "regex", "pattern": "[0-9]"}}, "end": "</a>"}}"#))
            .collect();
        format!(
            r#"{{"format": {{"type": "triggered_tags", "triggers": {triggers}, "tags": [{}]}}}}"#,
            tags.join(", ")
        )
    };
    for (document, warning) in [
        (
            tag(r#"["<a", "x<ab"]"#, &["<a>", "x<abc>"]),
            "warning: the trigger \"x<ab\" never begins anything: the trigger \"<a\" is always complete before it\n",
        ),
        (tag(r#"["<a>"]"#, &["<a>"]), ""),
        (
            tag(r#"["<|cha"]"#, &["<|channel|>"]),
            "warning: the trigger \"<|cha\" ends inside \"<|channel|>\", the name of a symbol, which is plain text here; a trigger that contains the whole name, or ends before it, means the symbol\n",
        ),
        (tag(r#"["<|channel|>"]"#, &["<|channel|>"]), ""),
    ] {
        let file = File::new("tag.json", &document);
        let answer = formwork(&["tags", "show", "--tag", file.path(), "--tokenizer", "o200k_harmony"], b"");
        assert_eq!((answer.status, answer.err.as_str()), (0, warning), "{document}");
    }
}
