//! What is said about texts that are wrong.

use expect_test::{Expect, expect};
use formwork_ebnf::Options;

fn check(text: &str, expected: Expect) {
    let errors = formwork_ebnf::grammar(text).expect_err(text);
    expected.assert_eq(&format!("{errors}\n"));
}

#[test]
fn all_rules_are_looked_at() {
    check(
        "root ::= vlaue | (\"x\" number\nvalue ::= 'a'\nnumber ::= [9-0] \"\\q\" | \"a\"**\nvalue ::= \"b\"{,3} |\n",
        expect![[r#"
            error: there is no rule `vlaue`
             --> line 1, column 10
              |
            1 | root ::= vlaue | ("x" number
              |          ^^^^^
              = help: did you mean `value`?

            error: this parenthesis is not closed
             --> line 1, column 18
              |
            1 | root ::= vlaue | ("x" number
              |                  ^

            error: expected an expression, found `'`
             --> line 2, column 11
              |
            2 | value ::= 'a'
              |           ^
              = help: strings are written in double quotes

            error: this range ends before it starts
             --> line 3, column 13
              |
            3 | number ::= [9-0] "\q" | "a"**
              |             ^^^
              = help: write `\-` to mean the character

            error: the escape `\q` means nothing
             --> line 3, column 19
              |
            3 | number ::= [9-0] "\q" | "a"**
              |                   ^^
              = help: write `\\` to mean a backslash

            error: two quantifiers in a row
             --> line 3, column 29
              |
            3 | number ::= [9-0] "\q" | "a"**
              |                             ^
              = help: put what the second one repeats in parentheses: `(a*)?`

            error: the rule `value` is defined twice
             --> line 4, column 1
              |
            4 | value ::= "b"{,3} |
              | ^^^^^
              = note: the first definition is at line 2, column 1
              = help: put the alternatives of both into one, or rename one

            error: the least number of repetitions is missing
             --> line 4, column 14
              |
            4 | value ::= "b"{,3} |
              |              ^^^^
              = help: write `{0,3}`

            error: expected an expression after `|`
             --> line 4, column 19
              |
            4 | value ::= "b"{,3} |
              |                   ^
              = help: write `""` for the empty text
        "#]],
    );
}

#[test]
fn names_and_roots() {
    check(
        "",
        expect![[r#"
        error: the root rule `root` is not defined
         --> line 1, column 1
          |
        1 | 
          | ^
          = help: the text defines no rules
    "#]],
    );
    check(
        "# nothing\n",
        expect![[r#"
        error: the root rule `root` is not defined
         --> line 1, column 1
          |
        1 | # nothing
          | ^
          = help: the text defines no rules
    "#]],
    );
    check(
        "start ::= \"a\"\nother ::= start",
        expect![[r#"
        error: the root rule `root` is not defined
         --> line 1, column 1
          |
        1 | start ::= "a"
          | ^^^^^
          = help: the rules are `start`, `other`; define `root` or name another root
    "#]],
    );
    check(
        "root = \"a\" b\ntrue ::= \"x\" b ::= \"y\"",
        expect![[r#"
        error: expected `::=`, found `=`
         --> line 1, column 6
          |
        1 | root = "a" b
          |      ^

        error: `true` cannot be the name of a rule
         --> line 2, column 1
          |
        2 | true ::= "x" b ::= "y"
          | ^^^^

        error: the rule `b` begins in the middle of a line
         --> line 2, column 14
          |
        2 | true ::= "x" b ::= "y"
          |              ^
          = help: put it on a line of its own
    "#]],
    );
    check(
        "hello world\nroot ::= \"a\"",
        expect![[r#"
        error: expected a rule, found `hello`
         --> line 1, column 1
          |
        1 | hello world
          | ^^^^^
          = help: a grammar is a list of rules such as `root ::= "yes" | "no"`
    "#]],
    );
    check(
        "// comment\nroot ::= \"a\"",
        expect![[r#"
        error: expected a rule, found `/`
         --> line 1, column 1
          |
        1 | // comment
          | ^
          = help: comments begin with `#`
    "#]],
    );
}

#[test]
fn bodies() {
    check(
        "root ::=\na ::= ()\nb ::= | \"x\"\nc ::= (|)\nd ::= *\ne ::= )\nf ::= (\"a\" (\n",
        expect![[r#"
            error: this rule has no body
             --> line 1, column 6
              |
            1 | root ::=
              |      ^^^
              = help: write `""` for the empty text

            error: expected an expression before `|`
             --> line 3, column 7
              |
            3 | b ::= | "x"
              |       ^
              = help: write `""` for the empty text

            error: expected an expression before `|`
             --> line 4, column 8
              |
            4 | c ::= (|)
              |        ^
              = help: write `""` for the empty text

            error: expected an expression before `)`
             --> line 4, column 9
              |
            4 | c ::= (|)
              |         ^
              = help: write `""` for the empty text

            error: there is nothing that `*` could repeat
             --> line 5, column 7
              |
            5 | d ::= *
              |       ^

            error: this `)` closes nothing
             --> line 6, column 7
              |
            6 | e ::= )
              |       ^
              = help: write `")"` to mean the character

            error: this parenthesis is not closed
             --> line 7, column 12
              |
            7 | f ::= ("a" (
              |            ^
        "#]],
    );
    check(
        "root ::= \"abc\n  \"def\"\na ::= [a-z\nb ::= \"x\"{2\nc ::= \"x\"{x}\nd ::= \"x\"{3,2}{4294967296}",
        expect![[r#"
            error: this string is not closed on its line
             --> line 1, column 10
              |
            1 | root ::= "abc
              |          ^

            error: this class is not closed on its line
             --> line 3, column 7
              |
            3 | a ::= [a-z
              |       ^

            error: this quantifier is not closed on its line
             --> line 4, column 10
              |
            4 | b ::= "x"{2
              |          ^

            error: this is no number of repetitions
             --> line 5, column 10
              |
            5 | c ::= "x"{x}
              |          ^^^

            error: the least number of repetitions is above the greatest
             --> line 6, column 10
              |
            6 | d ::= "x"{3,2}{4294967296}
              |          ^^^^^

            error: a repetition count is over the limit of 4294967295
             --> line 6, column 15
              |
            6 | d ::= "x"{3,2}{4294967296}
              |               ^^^^^^^^^^^^
        "#]],
    );
    check(
        "root ::= \"a\";\na ::= root, root\nb ::= <root>\nc ::= root & root\nd ::= root 12",
        expect![[r#"
        error: expected an expression, found `;`
         --> line 1, column 13
          |
        1 | root ::= "a";
          |             ^
          = help: a rule ends where the next begins, without a mark

        error: expected an expression, found `,`
         --> line 2, column 11
          |
        2 | a ::= root, root
          |           ^
          = help: write `","` to mean the character

        error: expected an expression, found `<`
         --> line 3, column 7
          |
        3 | b ::= <root>
          |       ^
          = help: names are written without angle brackets

        error: expected an expression, found `&`
         --> line 4, column 12
          |
        4 | c ::= root & root
          |            ^
          = help: write `And(a, b)` for an intersection and `Not(a)` for a complement

        error: expected an expression, found `12`
         --> line 5, column 12
          |
        5 | d ::= root 12
          |            ^^
    "#]],
    );
}

#[test]
fn escapes() {
    check(
        r#"root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff""#,
        expect![[r#"
            error: the escape `\d` means nothing
             --> line 1, column 11
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |           ^^
              = help: write it in a class: `[\d]`

            error: `\u` needs four hexadecimal digits after it
             --> line 1, column 16
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                ^^

            error: half a surrogate pair is not a character
             --> line 1, column 23
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                       ^^^^^^
              = help: write both halves, or the character's own code

            error: `\x` needs hexadecimal digits after it
             --> line 1, column 32
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                                ^^

            error: the last character is U+10FFFF
             --> line 1, column 38
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                                      ^^^^^^^^
              = help: `\x` takes all digits that follow; write `\u{…}`

            error: the escape `\p` means nothing
             --> line 1, column 49
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                                                 ^^
              = help: write `\\` to mean a backslash

            error: the last character is U+10FFFF
             --> line 1, column 54
              |
            1 | root ::= "\d" "\u12" "\ud800" "\xg" "\x110000" [\p] "\U0011ffff"
              |                                                      ^^^^^^^^^^
        "#]],
    );
}

#[test]
fn what_is_not_supported() {
    check(
        "root ::= \"a\" (= \"b\" | \"c\")\na[capture=\"x\"] ::= Regex(\"a\") \"x\"\nb ::= Substring(1, -2)",
        expect![[r#"
            error: lookahead assertions are not supported
             --> line 1, column 14
              |
            1 | root ::= "a" (= "b" | "c")
              |              ^
              = help: leave it out: masks are exact without it

            error: `Regex(…)` is not supported yet
             --> line 2, column 20
              |
            2 | a[capture="x"] ::= Regex("a") "x"
              |                    ^^^^^
              = help: if the rule `Regex` is meant, put a space before the parenthesis

            error: `Substring(…)` is not supported yet
             --> line 3, column 7
              |
            3 | b ::= Substring(1, -2)
              |       ^^^^^^^^^
              = help: if the rule `Substring` is meant, put a space before the parenthesis
        "#]],
    );
}

#[test]
fn calls() {
    check(
        "root ::= And(a, b) Not(\"x\", \"y\") And()\na ::= \"x\" a | \"\"\nb ::= JsonText(\"y\") Bytes(\"\\xff\")\n\
         c ::= Bytes(\"é\") Bytes(x)\n d ::= ByteClass(\"b-a\")",
        expect![[r#"
            error: this call takes one operand
             --> line 1, column 20
              |
            1 | root ::= And(a, b) Not("x", "y") And()
              |                    ^^^

            error: expected an expression before `)`
             --> line 1, column 38
              |
            1 | root ::= And(a, b) Not("x", "y") And()
              |                                      ^
              = help: write `""` for the empty text

            error: bytes are written as ASCII characters or as `\xHH`
             --> line 4, column 14
              |
            4 | c ::= Bytes("é") Bytes(x)
              |              ^

            error: `Bytes` takes one string
             --> line 4, column 18
              |
            4 | c ::= Bytes("é") Bytes(x)
              |                  ^^^^^

            error: this range ends before it starts
             --> line 5, column 19
              |
            5 |  d ::= ByteClass("b-a")
              |                   ^^^
        "#]],
    );
    check(
        "root ::= And(a, b)\na ::= \"x\" a | \"\"\nb ::= JsonText(\"y\") Bytes(\"\\xff\") c\nc ::= Not(a) Not(c)",
        expect![[r#"
            error: `a` is recursive, so it is no regular expression
             --> line 2, column 11
              |
            2 | a ::= "x" a | ""
              |           ^
              = note: characters are wanted by the call at line 1, column 10

            error: `JsonText` is about bytes, not characters
             --> line 3, column 7
              |
            3 | b ::= JsonText("y") Bytes("\xff") c
              |       ^^^^^^^^
              = note: characters are wanted by the call at line 1, column 10

            error: `Bytes` is about bytes, not characters
             --> line 3, column 21
              |
            3 | b ::= JsonText("y") Bytes("\xff") c
              |                     ^^^^^
              = note: characters are wanted by the call at line 1, column 10

            error: `c` is recursive, so it is no regular expression
             --> line 4, column 18
              |
            4 | c ::= Not(a) Not(c)
              |                  ^
              = note: characters are wanted by the call at line 1, column 10
        "#]],
    );
}

#[test]
fn tabs_and_long_lines_and_wide_characters() {
    let long = format!("root ::= \t{} \"é中\" nope {}", "\"x\" ".repeat(100), "\"y\" ".repeat(100));
    check(
        &long,
        expect![[r#"
        error: there is no rule `nope`
         --> line 1, column 417
          |
        1 | …" "x" "x" "x" "x" "x" "x" "x" "x" "x" "x" "x" "x" "x"  "é中" nope "y" "y" "y" "y" "y" "y" "y" "y" "y" "y" "y" "y" "y" "y"…
          |                                                              ^^^^
    "#]],
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    let errors = Options::new().grammar_from_bytes(b"root ::= \"a\"\nb ::= \"\xff\"").expect_err("not UTF-8");
    expect![[r#"
        error: byte 20 (0xff) is not UTF-8
         --> line 2, column 8
          |
        2 | b ::= "�"
          |        ^"#]]
    .assert_eq(&errors.to_string());
}

#[test]
fn many_errors_are_counted() {
    let errors = formwork_ebnf::grammar(&format!("root ::= {}", "a ".repeat(200))).expect_err("undefined");
    let text = errors.to_string();
    assert_eq!(errors.count(), 200);
    assert!(text.ends_with("\n\nand 150 more errors"), "{text}");
    let errors =
        formwork_ebnf::grammar(&format!("root ::= {}", "a ".repeat(200_000))).expect_err("undefined");
    assert_eq!(errors.count(), 1_000);
    let last = errors.iter().last().map(|error| error.message().to_owned());
    expect!["more than 999 errors; the rest of the text was not looked at"]
        .assert_eq(&last.unwrap_or_default());
}

#[test]
fn tokens_and_dispatch() {
    check(
        "root ::= Token() Token(-2)\na ::= Token(4294967296)\nb ::= Tag(1)\nc ::= Tag(\"a\" \"b\")\nd ::= Token(1\n\
         e ::= Until()\nf ::= Until((\"\", \"x\"))\ng ::= Until((\"x\" \"y\"))\nh ::= Until((\"x\", \"y\", \"z\"))\n\
         i ::= Until((\"x\", \"y\"), loop_after_dispatch=true)\nj ::= TagDispatch((\"x\", j), excludes=(\"\"))\n\
         k ::= TagDispatch((\"axb\", k), excludes=(\"x\"))\nl ::= TagDispatch((\"x\", l) (\"y\", l))\n\
         m ::= TagDispatch(loop_after_dispatch=yes)\nn ::= TagDispatch((\"x\", n), excludes=(1))\n\
         o ::= TokenTagDispatch((1, o), excludes=(1))\np ::= And(Token(1), q)\nq ::= Until(ends=true, ends=true)",
        expect![[r#"
            error: `Token` without a token matches nothing
             --> line 1, column 10
              |
            1 | root ::= Token() Token(-2)
              |          ^^^^^

            error: expected a token's id, or its text in quotes, found `-`
             --> line 1, column 24
              |
            1 | root ::= Token() Token(-2)
              |                        ^

            error: expected a token's id, a number of at most 32 bits, found `4294967296`
             --> line 2, column 13
              |
            2 | a ::= Token(4294967296)
              |             ^^^^^^^^^^

            error: expected a string, found `1`
             --> line 3, column 11
              |
            3 | b ::= Tag(1)
              |           ^

            error: expected `,` or `)`, found `"b"`
             --> line 4, column 15
              |
            4 | c ::= Tag("a" "b")
              |               ^^^

            error: the call of `Token` is not closed
             --> line 5, column 7
              |
            5 | d ::= Token(1
              |       ^^^^^

            error: expected a trigger and what follows it, found `)`
             --> line 6, column 13
              |
            6 | e ::= Until()
              |             ^

            error: a trigger must not be empty
             --> line 7, column 14
              |
            7 | f ::= Until(("", "x"))
              |              ^^

            error: expected `,` and what follows the trigger, found `"y"`
             --> line 8, column 18
              |
            8 | g ::= Until(("x" "y"))
              |                  ^^^

            error: expected an expression, found `,`
             --> line 9, column 22
              |
            9 | h ::= Until(("x", "y", "z"))
              |                      ^
              = help: write `","` to mean the character

            error: this call has no argument `loop_after_dispatch`
              --> line 10, column 25
               |
            10 | i ::= Until(("x", "y"), loop_after_dispatch=true)
               |                         ^^^^^^^^^^^^^^^^^^^

            error: the empty text occurs everywhere
              --> line 11, column 29
               |
            11 | j ::= TagDispatch(("x", j), excludes=(""))
               |                             ^^^^^^^^

            error: the trigger "axb" can never come, because of what is excluded
              --> line 12, column 7
               |
            12 | k ::= TagDispatch(("axb", k), excludes=("x"))
               |       ^^^^^^^^^^^

            error: expected `,` or `)`, found `(`
              --> line 13, column 28
               |
            13 | l ::= TagDispatch(("x", l) ("y", l))
               |                            ^

            error: expected `true` or `false`, found `yes`
              --> line 14, column 39
               |
            14 | m ::= TagDispatch(loop_after_dispatch=yes)
               |                                       ^^^

            error: expected a string, found `1`
              --> line 15, column 39
               |
            15 | n ::= TagDispatch(("x", n), excludes=(1))
               |                                       ^

            error: the trigger 1 can never come, because of what is excluded
              --> line 16, column 7
               |
            16 | o ::= TokenTagDispatch((1, o), excludes=(1))
               |       ^^^^^^^^^^^^^^^^

            error: the argument `ends` is given twice
              --> line 18, column 24
               |
            18 | q ::= Until(ends=true, ends=true)
               |                        ^^^^
        "#]],
    );
}

#[test]
fn tokens_are_no_text() {
    check(
        "root ::= And(a, b) Not(c)\na ::= Token(1)\nb ::= TagDispatch((\"x\", \"y\"))\nc ::= Tag(\"x\")",
        expect![[r#"
            error: `Token` is about tokens, not characters
             --> line 2, column 7
              |
            2 | a ::= Token(1)
              |       ^^^^^
              = note: characters are wanted by the call at line 1, column 10

            error: `TagDispatch` is no regular expression
             --> line 3, column 7
              |
            3 | b ::= TagDispatch(("x", "y"))
              |       ^^^^^^^^^^^
              = note: characters are wanted by the call at line 1, column 10

            error: `Tag` is about tokens, not characters
             --> line 4, column 7
              |
            4 | c ::= Tag("x")
              |       ^^^
              = note: characters are wanted by the call at line 1, column 20
        "#]],
    );
}

#[test]
fn attributes() {
    check(
        "root[lazy, lazy] ::= a\na[max_chars] ::= \"x\"\nb[max_tokens=3, temperature=0.5] ::= \"x\"\nc[eager] ::= \"x\"\n\
         d[max_chars=-1] ::= \"x\"",
        expect![[r#"
            error: the attribute `lazy` is given twice
             --> line 1, column 12
              |
            1 | root[lazy, lazy] ::= a
              |            ^^^^

            error: expected `max_chars=80`, `max_tokens=50`, `capture`, `capture="name"` or `lazy`, found `max_chars`
             --> line 2, column 3
              |
            2 | a[max_chars] ::= "x"
              |   ^^^^^^^^^

            error: the attribute `temperature` of rules is not supported
             --> line 3, column 17
              |
            3 | b[max_tokens=3, temperature=0.5] ::= "x"
              |                 ^^^^^^^^^^^^^^^
              = help: how tokens are drawn is for the sampler to decide

            error: there is no attribute `eager`
             --> line 4, column 3
              |
            4 | c[eager] ::= "x"
              |   ^^^^^

            error: expected `max_chars=80`, `max_tokens=50`, `capture`, `capture="name"` or `lazy`, found `max_chars=-1`
             --> line 5, column 3
              |
            5 | d[max_chars=-1] ::= "x"
              |   ^^^^^^^^^^^^
        "#]],
    );
    check(
        "root[lazy] ::= a\na ::= \"x\" a | \"y\"\nb[max_chars=3] ::= Token(1) | Bytes(\"\\xff\")",
        expect![[r#"
            error: `a` is recursive, so it is no regular expression
             --> line 2, column 11
              |
            2 | a ::= "x" a | "y"
              |           ^
              = note: characters are wanted by the attribute at line 1, column 5

            error: `Token` is about tokens, not characters
             --> line 3, column 20
              |
            3 | b[max_chars=3] ::= Token(1) | Bytes("\xff")
              |                    ^^^^^
              = note: characters are wanted by the attribute at line 3, column 2

            error: `Bytes` is about bytes, not characters
             --> line 3, column 31
              |
            3 | b[max_chars=3] ::= Token(1) | Bytes("\xff")
              |                               ^^^^^
              = note: characters are wanted by the attribute at line 3, column 2
        "#]],
    );
}

#[test]
fn regions() {
    check(
        "root ::= a And(b, [^]) c\na[max_tokens=0] ::= \"x\"\nb[capture] ::= \"x\"\nc[capture=x, capture=\"\"] ::= b",
        expect![[r#"
            error: expected `max_chars=80`, `max_tokens=50`, `capture`, `capture="name"` or `lazy`, found `max_tokens=0`
             --> line 2, column 3
              |
            2 | a[max_tokens=0] ::= "x"
              |   ^^^^^^^^^^^^
              = help: the least number of tokens is 1; a rule that may be empty can be left out

            error: expected `max_chars=80`, `max_tokens=50`, `capture`, `capture="name"` or `lazy`, found `capture=x`
             --> line 4, column 3
              |
            4 | c[capture=x, capture=""] ::= b
              |   ^^^^^^^^^

            error: expected `max_chars=80`, `max_tokens=50`, `capture`, `capture="name"` or `lazy`, found `capture=""`
             --> line 4, column 14
              |
            4 | c[capture=x, capture=""] ::= b
              |              ^^^^^^^^^^
        "#]],
    );
}
