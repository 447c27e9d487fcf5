//! llama.cpp's dialect: what is read, shown as EBNF, and what is said about what is wrong.

use expect_test::{Expect, expect};
use formwork_ebnf::{Dialect, Options, gbnf};
use proptest::prelude::*;

fn check(text: &str, expected: Expect) {
    let grammar = gbnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    expected.assert_eq(&grammar.to_string());
}

fn check_errors(text: &str, expected: Expect) {
    let errors = gbnf::grammar(text).expect_err(text);
    expected.assert_eq(&format!("{errors}\n"));
}

#[test]
fn names_and_lines() {
    check(
        "# a comment\nroot ::= ( # another\n  0-a |\n\n  true\n)+ And(\"x\")\r\n0-a ::= \"a\" |\n  \"b\" # and\n-x_Y ::=\n  .\ntrue ::= \"t\"\nAnd ::= -x_Y",
        expect![[r#"
            root ::= (_0-a | _true)+ And "x"
            _0-a ::= "a" | "b"
            _-x_Y ::= [^]
            _true ::= "t"
            And ::= _-x_Y
        "#]],
    );
}

#[test]
fn empty_alternatives() {
    check(
        "root ::= | \" \" | \"\\n\" [ \\t]{0,20} a\na ::= () ( | \"x\") (\"y\" | ) (\"z\" || \"w\")",
        expect![[r#"
            root ::= "" | " " | "\n" [\t ]{0,20} a
            a ::= ("" | "x") ("y" | "") ("z" | "" | "w")
        "#]],
    );
}

#[test]
fn characters_and_quantifiers() {
    check(
        r#"root ::= "\x41B\u00e9\U0001F600\t\"\\\[" [\]\[\-a] [^"\\\x7F\x00-\x1F] .? .{,3} [あ-ん]{2} [a-]{2,}"#,
        expect![[r#"
            root ::= "ABé😀\t\"\\[" [\-\[\]a] [^\u0000-\u001f"\\\u007f] [^]? [^]{0,3} [あ-ん]{2} [\-a]{2,}
        "#]],
    );
}

#[test]
fn what_is_not_read() {
    check_errors(
        "root ::= \"a\"\n  | \"b\"\n  | \"\\d\"\nthink ::= <[4294967296]> .*\nb ::= [] [\\^] \"\\x4\"\nc ::= \"c\" |\n\nd ::= 'x' & 'y'\ne ::= a < b\nf ::= And(\"x\", \"y\") g.h",
        expect![[r#"
            error: the rule has ended with the line before
             --> line 2, column 3
              |
            2 |   | "b"
              |   ^
              = help: a rule goes on over lines inside parentheses, and after a `|` at the end of a line

            error: the escape `\d` means nothing
             --> line 3, column 6
              |
            3 |   | "\d"
              |      ^^
              = help: write the class `[0-9]`

            error: `<[4294967296]>` names no token
             --> line 4, column 11
              |
            4 | think ::= <[4294967296]> .*
              |           ^^^^^^^^^^^^^^

            error: this class is empty
             --> line 5, column 7
              |
            5 | b ::= [] [\^] "\x4"
              |       ^^
              = help: write `.` for any character and `""` for the empty text

            error: the escape `\^` means nothing
             --> line 5, column 11
              |
            5 | b ::= [] [\^] "\x4"
              |           ^^
              = help: write `\x5E` to mean the character

            error: `\x` needs two hexadecimal digits after it
             --> line 5, column 16
              |
            5 | b ::= [] [\^] "\x4"
              |                ^^

            error: expected an expression after `|`
             --> line 6, column 11
              |
            6 | c ::= "c" |
              |           ^
              = help: write `""` for the empty text

            error: expected an expression, found `'`
             --> line 8, column 7
              |
            8 | d ::= 'x' & 'y'
              |       ^
              = help: strings are written in double quotes

            error: there is no rule `a`
             --> line 9, column 7
              |
            9 | e ::= a < b
              |       ^
              = help: did you mean `b`?

            error: expected an expression, found `<`
             --> line 9, column 9
              |
            9 | e ::= a < b
              |         ^
              = help: names are written without angle brackets

            error: there is no rule `And`
              --> line 10, column 7
               |
            10 | f ::= And("x", "y") g.h
               |       ^^^

            error: expected an expression, found `,`
              --> line 10, column 14
               |
            10 | f ::= And("x", "y") g.h
               |              ^
               = help: write `","` to mean the character
        "#]],
    );
}

#[test]
fn the_root_may_be_another() {
    let options = Options::new().dialect(Dialect::Gbnf).root("item");
    let grammar = options.grammar("item ::= [^\\n]+").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(grammar.to_string(), "item ::= [^\\n]+\n");
    let errors = options.grammar("root ::= \"x\"").expect_err("no such rule");
    assert!(errors.to_string().contains("the root rule `item` is not defined"), "{errors}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "[ab:=\"\\[\\]{}(),|*+?#\\\\ \\n\\-^0-9é.<>!xu]{0,60}", head in any::<bool>()) {
        let text = if head { format!("root ::= {text}") } else { text };
        match gbnf::grammar(&text) {
            Ok(grammar) => drop(grammar.to_string()),
            Err(errors) => prop_assert!(errors.count() > 0 && !errors.to_string().is_empty()),
        }
    }
}

#[test]
fn tokens() {
    check(
        "root ::= <think> !</think>* <[1000]> .* !<[7]>",
        expect![[r#"
        root ::= Token("<think>") ExcludeToken("</think>")* Token(1000) [^]* ExcludeToken(7)
    "#]],
    );
}

#[test]
fn rules_have_no_attributes() {
    check_errors(
        "root[lazy] ::= \"a\"",
        expect![[r#"
        error: rules have no attributes in GBNF
         --> line 1, column 5
          |
        1 | root[lazy] ::= "a"
          |     ^^^^^^
    "#]],
    );
}
