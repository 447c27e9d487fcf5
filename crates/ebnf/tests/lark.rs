//! Lark's dialect: what is read, shown as EBNF, which texts are accepted, and what is said about what is wrong.

use expect_test::{Expect, expect};
use formwork_ebnf::{Dialect, ErrorKind, Limits, Options, lark};
use formwork_grammar::Grammar;
use formwork_testkit::Reference;
use proptest::prelude::*;

fn read(text: &str) -> Grammar {
    lark::grammar(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text).to_string());
}

fn check_errors(text: &str, expected: Expect) {
    let errors = lark::grammar(text).expect_err(text);
    expected.assert_eq(&format!("{errors}\n"));
}

/// Which of these texts the grammar accepts must be the first ones, not the others.
fn check_texts(grammar: &str, accepted: &[&str], refused: &[&str]) {
    let grammar = read(grammar);
    let reference = Reference::new(&grammar);
    for text in accepted {
        assert!(reference.accepts(text.as_bytes()), "{text:?} is refused by\n{grammar}");
    }
    for text in refused {
        assert!(!reference.accepts(text.as_bytes()), "{text:?} is accepted by\n{grammar}");
    }
}

#[test]
fn everything_that_is_written() {
    check(
        r#"// a comment
start: a _b "x"i -> alias # another
     | [B] c*  -> other
     |
?a.2: "(" (a
   | _b)+ ")" ~ 2..3
!?_b: "\"\n\d\x41\\" "a".."f" \
    B{2,}
c: <|call|> <[5]> "go"a (a){,3} a~4
B.-1: C C? | /[0-9]+(\.[0-9]*)?/i
_C: "never"
C: "1"
%ignore " " | /#[^\n]*/
%ignore C
"#,
        expect![[r##"
            root ::= start ignored
            ignored ::= (" " | "#" [^\n]* | C)*
            start ::= a _b ignored [Xx] | (ignored B)? c* | ""
            C ::= "1"
            a ::= ignored "(" (a | _b)+ (ignored ")"){2,3}
            _b ::= ignored "\"\n\\dA\\" ignored [a-f] (ignored B){2,}
            B ::= C C? | [0-9]+ ("." [0-9]*)?
            c ::= ignored Token("<|call|>") ignored Token(5) ignored "go" a a{0,3} a{4}
        "##]],
    );
}

#[test]
fn templates() {
    check(
        "start: list{item, \",\"} list{item, \",\"} both{list, item, \";\"} nest{nest{item}}\n\
         list{x, sep}: x (sep x)*\n\
         both{t, x, sep}: t{x, sep} | t{list{x, sep}, /[a-z]/}\n\
         nest{x}: \"(\" nest{x} \")\" | x\n\
         item: \"i\"\n",
        expect![[r#"
            root ::= start
            start ::= list list_2 both nest_2
            item ::= "i"
            list ::= item ("," item)*
            list_2 ::= item ("," item)*
            both ::= list_3 | list_4
            nest ::= "(" nest ")" | item
            nest_2 ::= "(" nest_2 ")" | nest
            list_3 ::= item (";" item)*
            list_4 ::= list_3 ([a-z] list_3)*
        "#]],
    );
}

#[test]
fn imports_and_changes() {
    let files = |path: &str| {
        let text = match path {
            "a/b.lark" => "x: y Z \"!\"\ny: \"y\"\n%import .c.Z\n%ignore \" \"",
            "a/c.lark" => "Z: \"z\"",
            _ => return None,
        };
        Some(text.to_owned())
    };
    let options = Options::new().dialect(Dialect::Lark).imports(files);
    let text = "start: x y Z W N\n\
                %import .a.b (x, Z)\n%import .a.b.y\n%import common.WORD -> W\n%import common.INT -> N\n\
                %override y: \"not y\"\n%extend Z: \"Z\"\n%extend start: \"more\"\n";
    let grammar = options.grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    expect![[r#"
        root ::= start
        start ::= x y Z WORD INT | "more"
        x ::= y Z "!"
        y ::= "not y"
        Z ::= "z" | "Z"
        WORD ::= [A-Za-z]+
        INT ::= [0-9]+
    "#]]
    .assert_eq(&grammar.to_string());
    let errors = options.root("x").grammar("%import .a.b (x, q)\n%import .a.d.x -> y\n").expect_err("two");
    expect![[r#"
        error: there is no `q` in `a/b.lark`
         --> line 1, column 18
          |
        1 | %import .a.b (x, q)
          |                  ^
          = help: did you mean `Z`?

        error: there is no `a/d.lark` to import from
         --> line 2, column 9
          |
        2 | %import .a.d.x -> y
          |         ^^^^^^
          = help: write its rules and terminals here; only `common` is always there
    "#]]
    .assert_eq(&format!("{errors}\n"));
}

#[test]
fn imported_files_have_errors_of_their_own() {
    let options = Options::new().dialect(Dialect::Lark);
    let bad = options.clone().imports(|_| Some("A: \"a\"\nB: (\"b\"".to_owned()));
    let errors = bad.grammar("start: A\n%import .bad.A\n").expect_err("the other rule is bad");
    expect![[r#"
        error: line 2, column 4 of `bad.lark`: this is not closed
         --> line 2, column 9
          |
        2 | %import .bad.A
          |         ^^^^^^
    "#]]
    .assert_eq(&format!("{errors}\n"));
    let endless = options.imports(|_| Some("%import .again.A".to_owned()));
    let errors = endless.grammar("start: A\n%import .again.A\n").expect_err("it never ends");
    assert!(errors.iter().any(|error| error.kind() == ErrorKind::Limit), "{errors}");
}

#[test]
fn ignored_terminals_stand_between_terminals() {
    check_texts(
        "start: \"a\" WORD+ \".\"\nWORD: /[a-z]/ /[a-z]/\n%ignore \" \"\n%ignore /#[^\\n]*\\n/\n",
        &["  a ab cd  . ", "a#x y\n #\nab.", "#\naab.#\n"],
        &["a a b.", "a#ab."],
    );
    check_texts(
        "start: [item]\nitem: \"(\" item? \")\"\n%ignore \" \"\n",
        &["", "  ", "( ( ) ) "],
        &["( (", "x"],
    );
    check_texts("start: \"a\" \"b\"\n", &["ab"], &["a b", " ab", "ab "]);
}

#[test]
fn there_is_no_lexer() {
    check_texts(
        "start: \"if\" NAME \"END\"?\nNAME: /[a-zA-Z]+/\n%ignore \" \"\n",
        &["ifx", "if x", "ifif", "if abcEND", "ifEND"],
        &["if", "x", "i f x"],
    );
}

#[test]
fn common_terminals() {
    let all = |name: &str, accepted: &[&str], refused: &[&str]| {
        check_texts(&format!("start: {name}\n%import common.{name}\n"), accepted, refused);
    };
    all("DIGIT", &["0", "9"], &["", "10", "a", "٣"]);
    all("HEXDIGIT", &["0", "a", "F"], &["g", "", "00"]);
    all("INT", &["0", "007"], &["", "-1", "1."]);
    all("SIGNED_INT", &["0", "-1", "+12"], &["", "--1", "+"]);
    all("DECIMAL", &["1.", ".5", "1.5"], &["1", ".", "1e5"]);
    all("FLOAT", &["1.", "1.5", "1e5", ".5E-07", "1.e+1"], &["1", "e5", "-1.5", "1e"]);
    all("SIGNED_FLOAT", &["-1.", "+1e5", "1.5"], &["-1", "- 1."]);
    all("NUMBER", &["1", "1.5", "1e5"], &["-1", "", "."]);
    all("SIGNED_NUMBER", &["1", "-1.5", "+1e5"], &["", "-", "1 "]);
    all(
        "ESCAPED_STRING",
        &["\"\"", "\"a b\"", r#""\"\\""#, r#""\n""#],
        &["\"", "\"a\nb\"", r#""\""#, r#""a"b""#],
    );
    all("STRING", &["\"\""], &["''"]);
    all("LCASE_LETTER", &["a"], &["A", "ab"]);
    all("UCASE_LETTER", &["Z"], &["z"]);
    all("LETTER", &["a", "Z"], &["_", "é"]);
    all("WORD", &["a", "aZ"], &["a_", ""]);
    all("CNAME", &["a", "_9", "a_B"], &["9a", "", "a-b"]);
    all("WS", &[" ", "\t\u{c}\r\n "], &["", "\u{b}"]);
    all("WS_INLINE", &[" ", "\t "], &["", "\n"]);
    all("CR", &["\r"], &["\n", "r"]);
    all("LF", &["\n"], &["\r"]);
    all("NEWLINE", &["\n", "\r\n\n"], &["\r", ""]);
    all("SH_COMMENT", &["#", "# x # y"], &["#\n", "x"]);
    all("CPP_COMMENT", &["//", "// x"], &["/", "//\n"]);
    all("C_COMMENT", &["/**/", "/***/", "/* * / x\n **/"], &["/*/", "/* */ */", "/* "]);
    all("SQL_COMMENT", &["--", "-- x"], &["-", "--\n"]);
}

#[test]
fn regular_expressions_are_pythons() {
    let full = |pattern: &str, accepted: &[&str], refused: &[&str]| {
        check_texts(&format!("start: T\nT: {pattern}\n"), accepted, refused);
    };
    full(r"/[[a&&b]+/", &["[", "a&b"], &["", "c", "]"]);
    full(r"/[]a]+[^]b]/", &["]ac", "aa"], &["]b", "]]"]);
    full(r"/a{,2}b{2}c{2,}x{,}/", &["bbcc", "aabbcccxx"], &["aaabbcc", "bbc"]);
    full(r"/{x}{}{1,2,3}/", &["{x}{}{1,2,3}"], &["x"]);
    full(r"/\w+/", &["aé_9字"], &["", "e\u{301}", "-"]);
    full(r"/\W\D\S/", &["-a-", "\u{301}xx"], &["a--", "-1-", "-- "]);
    full(r"/(?a:\w\d\s)\w/", &["a1 é"], &["é1 a", "a٣ a", "a1\u{a0}a"]);
    full(r"/\s/", &[" ", "\u{a0}", "\u{1c}", "\n"], &["\u{200b}", ""]);
    full(r"/./", &["a", "\r", "é"], &["\n", ""]);
    full(r"/./s", &["a", "\n"], &[""]);
    full(r"/(?s:.)./", &["\na"], &["a\n"]);
    full(r"/[a-c\-]+x?/i", &["aB-C", "Ax"], &["d", "x"]);
    full(r"/(?i)ab/", &["aB"], &["b"]);
    full(r"/a(?i:b)(?P<n>c)(?#not)/", &["abc", "aBc"], &["Abc", "abC"]);
    full("/a b\\ c # d\n [ ]/x", &["ab c "], &["a b c "]);
    full(r"/a+?b*?c??/", &["a", "aabbc"], &["b"]);
    full(r#"/\/\x41\u00e9\0\011\101\-\"/"#, &["/Aé\0\tA-\""], &["/A"]);
    full(r"/[\x00-\x1f\x21-\x5b\d]/", &["\0", "[", "7"], &[" ", "]"]);
    full(r#""A"i "ß." /x/i"#, &["aß.X", "Aß.x"], &["aßx", "aß,x"]);
}

#[test]
fn regular_expressions_that_are_refused() {
    let one = |pattern: &str| {
        let errors = lark::grammar(&format!("start: T\nT: {pattern}\n")).expect_err(pattern);
        let error = errors.iter().next().expect("one");
        format!("{pattern}: {:?} at {}: {}\n", error.kind(), error.position(), error.message())
    };
    let patterns = [
        r"/^a/",
        r"/a$/",
        r"/\ba/",
        r"/a\Z/",
        r"/a(?=b)/",
        r"/(?<!a)b/",
        r"/(a)\1/",
        r"/(?P=a)/",
        r"/(?>a)/",
        r"/a++/",
        r"/a**/",
        r"/*a/",
        r"/a|+/",
        r"/(a/",
        r"/a)/",
        r"/[a/",
        r"/[b-a]/",
        r"/[a-\d]/",
        r"/\q/",
        r"/\x4/",
        r"/a\x2b/",
        r"/[\x5d]/",
        r"/a\n/x",
        r"/(?(1)a|b)/",
        r"/(?z:a)/",
        r"/a(?i)b/",
        r"/a/l",
        r"/a/q",
        r"/\N{DOT}/",
        r"/\400/",
        r"/a{4294967296}/",
    ];
    let said: String = patterns.into_iter().map(one).collect();
    expect![[r#"
        /^a/: Unsupported at line 2, column 5: `^` is not supported in terminals
        /a$/: Unsupported at line 2, column 6: `$` is not supported in terminals
        /\ba/: Unsupported at line 2, column 5: word boundaries are not supported in terminals
        /a\Z/: Unsupported at line 2, column 6: assertions about the ends are not supported in terminals
        /a(?=b)/: Unsupported at line 2, column 6: look-ahead is not supported in terminals
        /(?<!a)b/: Unsupported at line 2, column 5: look-behind is not supported in terminals
        /(a)\1/: Unsupported at line 2, column 8: back-references are not supported in terminals
        /(?P=a)/: Unsupported at line 2, column 5: back-references are not supported in terminals
        /(?>a)/: Unsupported at line 2, column 5: atomic groups are not supported in terminals
        /a++/: Unsupported at line 2, column 7: possessive quantifiers are not supported in terminals
        /a**/: Syntax at line 2, column 7: two quantifiers in a row
        /*a/: Syntax at line 2, column 5: there is nothing that `*` could repeat
        /a|+/: Syntax at line 2, column 7: there is nothing that `+` could repeat
        /(a/: Syntax at line 2, column 5: this group is not closed
        /a)/: Syntax at line 2, column 6: this `)` closes no group
        /[a/: Syntax at line 2, column 5: this class is not closed
        /[b-a]/: Syntax at line 2, column 6: this range ends before it starts
        /[a-\d]/: Syntax at line 2, column 8: a range ends with a character, not with a class
        /\q/: Syntax at line 2, column 5: the escape `\q` means nothing
        /\x4/: Syntax at line 2, column 5: `\x` wants the digits of a character
        /a\x2b/: Syntax at line 2, column 6: `\x2b` would not mean the character itself
        /[\x5d]/: Syntax at line 2, column 6: `\x5d` would not mean the character itself
        /a\n/x: Syntax at line 2, column 6: `\n` would not mean the character itself
        /(?(1)a|b)/: Unsupported at line 2, column 5: conditions are not supported in terminals
        /(?z:a)/: Syntax at line 2, column 5: this group means nothing
        /a(?i)b/: Syntax at line 2, column 6: this group means nothing
        /a/l: Syntax at line 2, column 7: `l` is no flag of regular expressions here
        /a/q: Syntax at line 2, column 7: `q` is no flag of regular expressions here
        /\N{DOT}/: Syntax at line 2, column 5: the escape `\N` means nothing
        /\400/: Unsupported at line 2, column 5: back-references are not supported in terminals
        /a{4294967296}/: Syntax at line 2, column 6: in the regular expression: decimal literal invalid
    "#]]
    .assert_eq(&said);
}

#[test]
fn errors_are_all_found() {
    check_errors(
        "start: vlaue | (\"x\" number\n\
         value: 'a'\n\
         number: \"b\"..\"a\" NMBER\n\
         \x20  \"too late\"\n\
         value: \"b\" ~ 3..2 | \"unclosed\n\
         T: value | \"x\" -> y\n\
         U: <a>\n\
         NUMBER{x}: x\n\
         wrong ::= \"a\" ] \"b\"\n\
         t{a, a}: a{b} t\n\
         attributes[lazy]: \"x\"\n\
         j: %json {\"type\": \"object\"}\n\
         %import common.NUMBR\n\
         %import NOTHING\n\
         %import common.INT -> int\n\
         %unknown\n\
         %ignore\n\
         %override nothing: \"a\"\n\
         f: \"a\"item /x/iq \"a\"* * +\n",
        expect![[r#"
            error: this is not closed
             --> line 1, column 16
              |
            1 | start: vlaue | ("x" number
              |                ^

            error: expected an expression, found `'`
             --> line 2, column 8
              |
            2 | value: 'a'
              |        ^
              = help: strings are written in double quotes

            error: this range ends before it starts
             --> line 3, column 9
              |
            3 | number: "b".."a" NMBER
              |         ^^^^^^^^

            error: the rule `value` is defined twice
             --> line 5, column 1
              |
            5 | value: "b" ~ 3..2 | "unclosed
              | ^^^^^
              = note: it is first defined at line 2, column 1
              = help: say `%override` or `%extend` before the second one if that is meant

            error: the least number of repetitions is above the greatest
             --> line 5, column 12
              |
            5 | value: "b" ~ 3..2 | "unclosed
              |            ^

            error: terminals cannot use rules, as `value` is
             --> line 6, column 4
              |
            6 | T: value | "x" -> y
              |    ^^^^^
              = help: write it in capitals if it is a regular expression

            error: terminals are about characters, not tokens
             --> line 7, column 4
              |
            7 | U: <a>
              |    ^^^
              = help: tokens of the vocabulary stand in rules

            error: terminals have no parameters
             --> line 8, column 7
              |
            8 | NUMBER{x}: x
              |       ^
              = help: only rules are templates

            error: expected `:`, found `::=`
             --> line 9, column 7
              |
            9 | wrong ::= "a" ] "b"
              |       ^^^

            error: this `]` closes nothing
             --> line 9, column 15
              |
            9 | wrong ::= "a" ] "b"
              |               ^
              = help: write it in a string to mean the character

            error: the parameter `a` is there twice
              --> line 10, column 6
               |
            10 | t{a, a}: a{b} t
               |      ^
               = note: it is first written at line 10, column 3

            error: there is no rule `b`
              --> line 10, column 12
               |
            10 | t{a, a}: a{b} t
               |            ^
               = help: did you mean `T`?

            error: `lazy` and `max_chars` are not supported here
              --> line 11, column 11
               |
            11 | attributes[lazy]: "x"
               |           ^^^^^^
               = help: give rules `max_tokens` or `capture`, or write them in the EBNF dialect

            error: `%json` is not supported here
              --> line 12, column 4
               |
            12 | j: %json {"type": "object"}
               |    ^^^^^
               = help: say it in rules and terminals

            error: there is no `NUMBR` in `common`
              --> line 13, column 16
               |
            13 | %import common.NUMBR
               |                ^^^^^
               = help: did you mean `NUMBER`?

            error: this names a file, but nothing in it
              --> line 14, column 9
               |
            14 | %import NOTHING
               |         ^^^^^^^

            error: rules have names in small letters and terminals in capitals
              --> line 15, column 23
               |
            15 | %import common.INT -> int
               |                       ^^^

            error: `%unknown` is not supported
              --> line 16, column 1
               |
            16 | %unknown
               | ^^^^^^^^

            error: expected a terminal after `%ignore`
              --> line 17, column 1
               |
            17 | %ignore
               | ^^^^^^^

            error: there is no `nothing` that this could change
              --> line 18, column 11
               |
            18 | %override nothing: "a"
               |           ^^^^^^^
               = help: leave out the word before it

            error: strings have no flags but `i`, not `item`
              --> line 19, column 7
               |
            19 | f: "a"item /x/iq "a"* * +
               |       ^^^^
               = help: put a space between a string and a name
        "#]],
    );
    check_errors(
        "a: \"b\"\n",
        expect![[r#"
        error: the start rule `start` is not defined
         --> line 1, column 1
          |
        1 | a: "b"
          | ^
          = help: define it, or name another rule to start with
    "#]],
    );
    check_errors(
        "",
        expect![[r#"
        error: the start rule `start` is not defined
         --> line 1, column 1
          |
        1 | 
          | ^
          = help: define it, or name another rule to start with
    "#]],
    );
    check_errors(
        "x ; y\nstart: \"a\"",
        expect![[r#"
        error: expected a rule, found `x`
         --> line 1, column 1
          |
        1 | x ; y
          | ^
          = help: a grammar is a list of rules such as `start: "yes" | "no"`
    "#]],
    );
}

#[test]
fn errors_of_meaning() {
    check_errors(
        "start: A t t{B} t{\"x\", \"y\"} s{t} s{B} _INDENT\n\
         t{x}: x\n\
         s{x}: x x{B}\n\
         A: B? \"a\"\n\
         B: A | \"b\"\n\
         %declare _INDENT _DEDENT\n",
        expect![[r#"
            error: `t` takes 1 argument, not 0
             --> line 1, column 10
              |
            1 | start: A t t{B} t{"x", "y"} s{t} s{B} _INDENT
              |          ^

            error: `t` takes 1 argument, not 2
             --> line 1, column 17
              |
            1 | start: A t t{B} t{"x", "y"} s{t} s{B} _INDENT
              |                 ^

            error: the terminal `_INDENT` is only declared
             --> line 1, column 39
              |
            1 | start: A t t{B} t{"x", "y"} s{t} s{B} _INDENT
              |                                       ^^^^^^^
              = help: code must make its texts, which no grammar can say; define it, or leave out what uses it

            error: `t` takes 1 argument, not 0
             --> line 3, column 7
              |
            3 | s{x}: x x{B}
              |       ^

            error: `x` is no template here, so it takes no arguments
             --> line 3, column 9
              |
            3 | s{x}: x x{B}
              |         ^

            error: the terminal `A` leads back to itself
             --> line 4, column 1
              |
            4 | A: B? "a"
              | ^
              = help: terminals are regular expressions; write it in small letters to make a rule of it
        "#]],
    );
}

#[test]
fn attributes_that_do_not_end_are_errors() {
    for text in ["start[は", "start[capture, は", "start[\"は", "start["] {
        Options::new().dialect(Dialect::Lark).grammar(text).expect_err("it does not end");
    }
}

#[test]
fn growth_is_bounded() {
    let endless = "start: a{\"x\"}\na{x}: x a{b{x}}\nb{x}: x x\n";
    check_errors(
        endless,
        expect![[r#"
        error: templates grow to more than 1000000 expressions
         --> line 2, column 9
          |
        2 | a{x}: x a{b{x}}
          |         ^
          = help: a template that uses itself with ever new arguments never ends
    "#]],
    );
    let mut limits = Limits::default();
    limits.max_nesting = 10;
    limits.max_errors = 3;
    let options = Options::new().dialect(Dialect::Lark).limits(limits);
    let deep = format!("start: {}\"x\"{}", "(".repeat(20), ")".repeat(20));
    let errors = options.grammar(&deep).expect_err("too deep");
    assert_eq!(errors.iter().next().map(formwork_ebnf::Error::kind), Some(ErrorKind::Limit));
    assert!(options.grammar(&"a: b\n".repeat(100)).expect_err("many").count() <= 3);
    // Nothing recurses on the shape of the text.
    let mut limits = Limits::default();
    limits.max_nesting = usize::MAX;
    let n = 100_000;
    let options = Options::new().dialect(Dialect::Lark).limits(limits);
    let deep = format!("start: {}\"x\"{}", "[".repeat(n), "]".repeat(n));
    options.grammar(&deep).unwrap_or_else(|errors| panic!("{errors}"));
    let chain: String = (0..n / 10).map(|i| format!("T{i}: T{} \"x\"\n", i + 1)).collect();
    let chain = format!("start: T0\n{chain}T{}: \"x\"\n", n / 10);
    options.grammar(&chain).unwrap_or_else(|errors| panic!("{errors}"));
}

proptest! {
    /// Whatever is written, there is a grammar or an error with a place inside the text.
    #[test]
    fn anything_is_read(text in r#"(start: ?)?([ab]\{?[a, ]{0,3}\}?|[AB_]|\n[abA]\{?a?\}?: ?|[|()\[\]{}*+?~.,!%:]|"[^"\n]{0,3}"i?|/[^/\n]{1,6}/[isx]?|1\.\.2|->|%ignore |%import |common\.INT|\.a|\\\n|[ \n]|<a>){0,30}"#) {
        match lark::grammar(&text) {
            Ok(grammar) => {
                let printed = grammar.to_string();
                let again = formwork_ebnf::grammar(&printed).expect(&printed);
                prop_assert_eq!(again.to_string(), printed);
            }
            Err(errors) => {
                prop_assert!(errors.count() > 0);
                for error in &errors {
                    prop_assert!(error.position().offset <= text.len());
                }
            }
        }
    }
}
