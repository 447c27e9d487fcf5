//! What is read, shown as it is printed.

use expect_test::{Expect, expect};
use formwork_ebnf::Options;
use formwork_grammar::{GrammarBuilder, Place};

fn check(text: &str, expected: Expect) {
    let grammar = formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    let printed = grammar.to_string();
    expected.assert_eq(&printed);
    let root = grammar.rule(grammar.root()).name();
    let again =
        Options::new().root(root).grammar(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors}"));
    assert_eq!(again.to_string(), printed);
}

#[test]
fn rules_and_expressions() {
    check(
        "root ::= root",
        expect![[r#"
        root ::= root
    "#]],
    );
    check(
        "root ::= \"\" # empty\n",
        expect![[r#"
        root ::= ""
    "#]],
    );
    check(
        "\u{FEFF}root ::=\r\n  a-1.b_c\r\n  | (\"x\" (\"y\" \"z\"))*\r\na-1.b_c::=[a-c]\"q\"",
        expect![[r#"
        root ::= a-1.b_c | "xyz"*
        a-1.b_c ::= [a-c] "q"
    "#]],
    );
    check(
        "root ::= (\"a\"*)? ((\"a\" | \"b\") \"c\"){ 2 , 3 } \"d\"{4,}\"e\"{5} ()",
        expect![[r#"
        root ::= ("a"*)? (("a" | "b") "c"){2,3} "d"{4,} "e"{5}
    "#]],
    );
    check(
        "root ::= item(\",\" item)*\nitem ::= And (item)\nAnd ::= \"x\"",
        expect![[r#"
        root ::= item ("," item)*
        item ::= And item
        And ::= "x"
    "#]],
    );
    check(
        "größe ::= \"é\"\nroot ::= größe",
        expect![[r#"
        größe ::= "é"
        root ::= größe
    "#]],
    );
}

#[test]
fn literals() {
    check(
        r#"root ::= "\"\\\/\'\?\n\r\t\b\f\a\v\0\e" "\x41" "\u00e9\ud83d\ude00\U0001F600\u{1f600}""#,
        expect![[r#"
            root ::= "\"\\/'?\n\r\t\u0008\u000c\u0007\u000b\u0000\u001bAé😀😀😀"
        "#]],
    );
    check(
        r"root ::= [] | [^] | [^\n] | [-a] | [a-] | [a\-z] | [\]\[^] | [^中a-c] | [\d\w-.] | [\D] | [\s-x]",
        expect![[r#"
            root ::= [^] | [^\n] | [\-a] | [\-az] | [\[\]-\^] | [^a-c中] | [\--.0-9A-Z_a-z] | [^0-9] | [\t-\r \-x]
        "#]],
    );
    check(
        r##"root ::= [#"] "#" [a-a] [^\u0000-\U0010FFFF]*"##,
        expect![[r##"
        root ::= ["-#] "#a"
    "##]],
    );
}

#[test]
fn calls() {
    check(
        "root ::= And(word, Not(\"if\" | \"else\")) JsonText([^\\n]{0,5}) Bytes(\"a\\xff\") ByteClass(\"\\x80-\\xbfa\")\nword ::= letter+\nletter ::= [a-z]",
        expect![[r#"
            root ::= And([a-z]+, Not("if" | "else")) JsonText([^\n]{0,5}) Bytes("a\xff") ByteClass("a\x80-\xbf")
            word ::= [a-z]+
            letter ::= [a-z]
        "#]],
    );
}

#[test]
fn places_of_rules() {
    let grammar =
        formwork_ebnf::grammar("\n  root ::= b\n\tb ::= \"x\"").unwrap_or_else(|errors| panic!("{errors}"));
    let places: Vec<String> = grammar.rules().iter().map(|rule| rule.place().to_string()).collect();
    assert_eq!(places, ["line 2, column 3", "line 3, column 2"]);
}

#[test]
fn sharing_is_printed_as_rules_and_in_linear_size() {
    let mut b = GrammarBuilder::new();
    let mut expr = b.literal("a text that is long enough to be given a name of its own");
    let comma = b.literal(",");
    for _ in 0..1_000 {
        let pair = b.seq([expr, comma, expr]);
        expr = b.optional(pair);
    }
    let text = b.not(expr);
    let root = b.declare("a name/with\nspaces", Place::none());
    let (taken, last) = (b.declare("shared_1", Place::none()), b.declare("true", Place::none()));
    let reference = b.rule(last);
    let body = b.seq([text, reference]);
    b.define(root, body);
    b.define(taken, expr);
    b.define(last, text);
    let grammar = b.build(root).unwrap_or_else(|error| panic!("{error}"));
    let printed = grammar.to_string();
    assert!(printed.len() < 100_000, "{}", printed.len());
    let again = Options::new()
        .root("a_name_with_spaces")
        .grammar(&printed)
        .unwrap_or_else(|errors| panic!("{errors}"));
    assert!(again.to_string() == printed, "{}", &again.to_string()[..2_000]);
    expect![[r#"
        a_name_with_spaces ::= Not((shared_501 "," shared_501)?) _true
        shared_1 ::= (shared_501 "," shared_501)?
        _true ::= Not((shared_501 "," shared_501)?)
        shared_2 ::= "a text that is long enough to be given a name of its own,a text that is long enough to be given a name of its own"?
        shared_3 ::= ((shared_2 "," shared_2)? "," (shared_2 "," shared_2)?)?
    "#]].assert_eq(&printed.lines().take(5).map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn hostile_texts_end_in_time_and_without_deep_recursion() {
    let run = |text: String| {
        // Far less stack than any real thread has, so that recursion shows.
        let work = move || match formwork_ebnf::grammar(&text) {
            Ok(grammar) => Ok(grammar.to_string().len()),
            Err(errors) => Err(errors.to_string()),
        };
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work).expect("a thread");
        thread.join().expect("no panic and no overflow")
    };
    for unit in [
        "(",
        "(\"a\" ",
        "(\"a\" | ",
        "[",
        "\"a",
        "Not(",
        "And(\"a\", ",
        "{",
        "((a)* ",
        "\\",
        "\u{1F600}",
        "a\n",
    ] {
        assert!(run(format!("root ::= {}", unit.repeat((1 << 20) / unit.len()))).is_err(), "{unit}");
        let _ = run(unit.repeat((1 << 20) / unit.len()));
    }
    for (open, close) in
        [("(", ")"), ("(\"a\" ", ")"), ("(\"a\" | \"b\"", ")*"), ("Not(\"a\" ", ")"), ("JsonText(Not(", "))")]
    {
        let n = 990 / open.matches('(').count();
        let result = run(format!("root ::= {}\"x\"{}", open.repeat(n), close.repeat(n)));
        assert_eq!(result.is_ok(), open != "JsonText(Not(", "{open}: {result:?}");
    }
    let alternation: Vec<String> = (0..10_000).map(|i| format!("\"literal number {i}\"")).collect();
    assert!(run(format!("root ::= {}", alternation.join(" | "))).is_ok());
    assert!(run(format!("root ::= \"{}\"", "x".repeat(1 << 20))).is_ok());
    let rules: String = (0..100_000).map(|i| format!("r{i} ::= \"x\" r{}\n", i + 1)).collect();
    assert!(run(format!("{rules}r100000 ::= \"y\"\nroot ::= r0")).is_ok());
    let rules: String = (0..2_000).map(|i| format!("r{i} ::= \"x\" | r{}\n", i + 1)).collect();
    assert!(run(format!("{rules}r2000 ::= \"y\"\nroot ::= Not(r0)")).is_ok());
    // A literal as long as the chain for each of its rules: over the limit of the grammar.
    let rules: String = (0..30_000).map(|i| format!("r{i} ::= \"x\" r{}\n", i + 1)).collect();
    assert!(run(format!("{rules}r30000 ::= \"y\"\nroot ::= Not(r0)")).is_err());
}

#[test]
fn tokens() {
    check(
        "root ::= Token(5, \"<|x|>\", 3, 5) ExcludeToken(\"a\\n\")* ExcludeToken() x\nx ::= Tag(\"<|x|>y\") Tag(\"\") Token (x)\nToken ::= [5]",
        expect![[r#"
            root ::= Token(3, 5, "<|x|>") ExcludeToken("a\n")* ExcludeToken() x
            x ::= Tag("<|x|>y") Token x
            Token ::= "5"
        "#]],
    );
}

#[test]
fn dispatch() {
    check(
        "root ::= Until((\"<a>\", x \"y\" | \"z\"), (\"<\", Until(ends=true)), excludes=(\"q\", \"b\",), ends=true) x\n\
         x ::= Until((\"</x>\", \"\"))\nends ::= \"e\"",
        expect![[r#"
            root ::= Until(("<a>", x "y" | "z"), ("<", Until(ends=true)), excludes=("b", "q"), ends=true) x
            x ::= Until(("</x>", ""))
            ends ::= "e"
        "#]],
    );
    // A dispatch that is a rule's whole body comes back to the rule, another to a rule of its own.
    check(
        "root ::= TagDispatch(\n  (\"<a>\", x),\n  (\"<b>\", \"b\"),\n  excludes=(\"<c>\"),\n  loop_after_dispatch=true\n)\n\
         x ::= \"(\" TagDispatch((\"<x>\", \"y\" | \"z\")) \")\"\n\
         once ::= TagDispatch((\"<o>\", x), loop_after_dispatch=false)",
        expect![[r#"
            root ::= Until(("<a>", x root), ("<b>", "b" root), excludes=("<c>"), ends=true)
            x ::= "(" dispatch ")"
            once ::= Until(("<o>", x), ends=true)
            dispatch ::= Until(("<x>", ("y" | "z") dispatch), ends=true)
        "#]],
    );
    check(
        "root ::= TokenTagDispatch((\"<|t|>\", \"x\"), (7, \"y\"), excludes=(8, \"<|e|>\")) \"end\"\n\
         once ::= TokenTagDispatch((1, \"x\"), loop_after_dispatch=false)",
        expect![[r#"
            root ::= dispatch "end"
            once ::= ExcludeToken(1)* ("" | Token(1) "x")
            dispatch ::= ExcludeToken(7, 8, "<|e|>", "<|t|>")* ("" | Token("<|t|>") "x" dispatch | Token(7) "y" dispatch)
        "#]],
    );
    // Without triggers it is what XGrammar prints for free text and free tokens.
    check(
        "root ::= TagDispatch(loop_after_dispatch=false, excludes=(\"END\")) \"END\" TagDispatch() x\n\
         x ::= TokenTagDispatch(excludes=(5,))",
        expect![[r#"
            root ::= Until(excludes=("END"), ends=true) "END" dispatch x
            x ::= ExcludeToken(5)*
            dispatch ::= Until(ends=true)
        "#]],
    );
}

#[test]
fn attributes() {
    check(
        "root ::= line word And(line, [^]{2})\nline[lazy] ::= any* \"\\n\"\nany ::= [^]\nword[ max_chars = 3 , lazy ] ::= [a-z]+",
        expect![[r#"
            root ::= line word And([^]{2}, [^]* "\n", Not([^]* "\n" [^]+))
            line ::= And([^]* "\n", Not([^]* "\n" [^]+))
            any ::= [^]
            word ::= And([a-z]+, [^]{0,3}, Not([a-z]+ [^]+))
        "#]],
    );
}

#[test]
fn regions() {
    check(
        "root ::= a word+ b\na[max_tokens=50, capture] ::= [^<]*\nb[ capture = \"é\\x5D, \\\"x\\\"\" ] ::= \"b\"\nword[max_tokens=2] ::= [a-z]+",
        expect![[r#"
            root ::= a word+ b
            a[max_tokens=50, capture="a"] ::= [^<]*
            b[capture="é\x5D, \"x\""] ::= "b"
            word[max_tokens=2] ::= [a-z]+
        "#]],
    );
    let lark = formwork_ebnf::lark::grammar(
        "start: a word\na[max_tokens=5, capture=\"x\"]: /[^<]*/\nword[capture]: \"b\"",
    );
    expect![[r#"
        root ::= start
        start ::= a word
        a[max_tokens=5, capture="x"] ::= [^<]*
        word[capture="word"] ::= "b"
    "#]]
    .assert_eq(&lark.unwrap_or_else(|errors| panic!("{errors}")).to_string());
}
