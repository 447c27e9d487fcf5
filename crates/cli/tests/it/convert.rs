//! `formwork convert`: notations that read each other, and what cannot be said.

use crate::examples::examples;
use crate::program::{File, check, formwork};
use expect_test::expect;

#[test]
fn each_notation_is_written() {
    let gbnf =
        File::new("list.gbnf", "root ::= (\n  item (\",\" item)*\n)\nitem ::= [a-c] |\n  \"\\x41\"{,2}\n");
    check(
        &["convert", "--gbnf", gbnf.path(), "--to", "ebnf"],
        0,
        expect![[r#"
        root ::= item ("," item)*
        item ::= [a-c] | "A"{0,2}
    "#]],
    );
    check(
        &["convert", "--gbnf", gbnf.path(), "--to", "gbnf"],
        0,
        expect![[r#"
        root ::= item ("," item)*
        item ::= [a-c] | "A"{0,2}
    "#]],
    );
    check(
        &["convert", "--gbnf", gbnf.path(), "--to", "regex"],
        0,
        expect![[r#"
        (?:[a-c]|A{0,2})(?:,(?:[a-c]|A{0,2}))*
    "#]],
    );
    check(
        &["convert", "--regex", "(?i)a[0-9]{2,}", "--to", "gbnf"],
        0,
        expect![[r#"
        root ::= [Aa] [0-9]{2,}
    "#]],
    );
    check(
        &["convert", "--gbnf", gbnf.path(), "--root", "item", "--to", "regex"],
        0,
        expect![[r#"
        [a-c]|A{0,2}
    "#]],
    );
}

#[test]
fn what_a_notation_cannot_say_is_refused_with_the_rule() {
    let arithmetic = "examples/ebnf/arithmetic/grammar.ebnf";
    check(
        &["convert", "--ebnf", arithmetic, "--to", "regex"],
        2,
        expect![[r#"
        error: examples/ebnf/arithmetic/grammar.ebnf: unsupported at line 3, column 1: rule `sum`: regular expressions have no recursion
    "#]],
    );
    check(
        &["convert", "--ebnf", arithmetic, "--to", "gbnf"],
        2,
        expect![[r#"
        error: examples/ebnf/arithmetic/grammar.ebnf: unsupported at line 3, column 1: rule `sum`: llama.cpp refuses rules that can begin with themselves (left recursion), and `*` over what may be empty; write the repetition as `a (b a)*`
    "#]],
    );
    check(
        &["convert", "--to", "ebnf"],
        2,
        expect![[r#"
            error: which grammar? Say --schema FILE, --ebnf FILE, --gbnf FILE, --lark FILE, --regex REGEX, --tag FILE, --tools FILE or --json
        "#]],
    );
    let wrong = File::new("wrong.gbnf", "root ::= \"a\"\n       | \"b\"\n");
    check(
        &["check", "--gbnf", "no-such-file"],
        2,
        expect![[r#"
        error: no-such-file: No such file or directory (os error 2)
    "#]],
    );
    let answer = formwork(&["convert", "--gbnf", wrong.path(), "--to", "ebnf"], b"");
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("line 2"), "{}", answer.err);
}

#[test]
fn lark_is_a_source() {
    let text = "start: _GREETING (\",\" NAME)?\nother: NAME\nNAME: /[a-z]+/\n%import .words._GREETING\n";
    let lark = File::new("greeting.lark", text);
    std::fs::write(lark.folder().join("words.lark"), "_GREETING: /hi|hello/i\n").unwrap();
    check(
        &["convert", "--lark", lark.path(), "--to", "gbnf"],
        0,
        expect![[r#"
        root ::= start
        start ::= -GREETING ("," NAME)?
        -GREETING ::= [Hh] ([Ii] | [Ee] [Ll] [Ll] [Oo])
        NAME ::= [a-z]+
    "#]],
    );
    check(
        &["convert", "--lark", lark.path(), "--root", "other", "--to", "regex"],
        0,
        expect![[r#"
        [a-z]+
    "#]],
    );
    assert_eq!(formwork(&["check", "--lark", lark.path()], b"Hi,you").status, 0);
    assert_eq!(formwork(&["check", "--lark", lark.path()], b"Hi, you").status, 1);
    let wrong = File::new("wrong.lark", "start: A\nA: /a(?=b)/\n");
    let answer = formwork(&["check", "--lark", wrong.path()], b"a");
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("line 2, column 6"), "{}", answer.err);
}

#[test]
fn converted_examples_judge_documents_as_before() {
    for example in examples("ebnf") {
        let grammar = example.grammar.to_str().unwrap();
        let mut n_written = 0;
        for (notation, option) in [("ebnf", "--ebnf"), ("gbnf", "--gbnf")] {
            let converted = formwork(&["convert", "--ebnf", grammar, "--to", notation], b"");
            if converted.status != 0 {
                assert!(converted.err.contains("unsupported"), "{}", converted.err);
                continue;
            }
            n_written += 1;
            let file = File::new(&format!("{}.{notation}", example.name), &converted.out);
            for (which, status) in [("accept", 0), ("reject", 1)] {
                for document in example.documents(which) {
                    let args = ["check", option, file.path(), "--root", "root", document.to_str().unwrap()];
                    assert_eq!(formwork(&args, b"").status, status, "{notation}: {}", document.display());
                }
            }
        }
        assert!(n_written > 0, "{}", example.name);
    }
}
