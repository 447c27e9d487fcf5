//! What is read, what is refused, and what is said about it.

use expect_test::{Expect, expect};
use formwork_regex::{Dialect, Error, ErrorKind, Limits, Matching, Options};

fn check(options: &Options, pattern: &str, expected: Expect) {
    let found = match options.grammar(pattern) {
        Ok(grammar) => grammar.to_string(),
        Err(error) => format!("{:?} at {}: {error}", error.kind(), error.position().offset),
    };
    expected.assert_eq(found.trim_end());
}

fn rust(pattern: &str, expected: Expect) {
    check(&Options::new(), pattern, expected);
}

fn ecma(pattern: &str, expected: Expect) {
    check(&Options::new().dialect(Dialect::Ecma).matching(Matching::Search), pattern, expected);
}

#[test]
fn rust_errors() {
    rust(
        r"a(?=b)",
        expect![
            "LookAround at 1: line 1, column 2 of the regular expression: look-around is not supported; say what may come here with alternatives and classes, or check it after generating"
        ],
    );
    rust(
        r"(a)\1",
        expect![
            "BackReference at 3: line 1, column 4 of the regular expression: back-references are not supported; no grammar can repeat what was captured; list the alternatives instead"
        ],
    );
    rust(
        r"xy\bz",
        expect![
            "WordBoundary at 2: line 1, column 3 of the regular expression: word boundaries are not supported; write the characters that may stand beside the word"
        ],
    );
    rust(
        r"a(?m:^b)",
        expect![[
            r#"LineAnchor at 3: line 1, column 4 of the regular expression: `^` and `$` at lines (the `m` flag) are not supported; write the line breaks: `(^|\n)` and `($|\n)` without the `m` flag"#
        ]],
    );
    rust(
        r"\p{Klingon}",
        expect![
            "UnknownProperty at 0: line 1, column 1 of the regular expression: Unicode property not found"
        ],
    );
    rust(
        r"(?-u:\xFF)",
        expect!["NotText at 5: line 1, column 6 of the regular expression: pattern can match invalid UTF-8"],
    );
    rust(r"a(b", expect!["Syntax at 1: line 1, column 2 of the regular expression: unclosed group"]);
    rust(
        "é\n[z-a]",
        expect![
            "Syntax at 4: line 2, column 2 of the regular expression: invalid character class range, the start must be <= the end"
        ],
    );
    rust(
        r"a{4,2}",
        expect![
            "Syntax at 1: line 1, column 2 of the regular expression: invalid repetition count range, the start must be <= the end"
        ],
    );
}

#[test]
fn rust_patterns() {
    rust(r"", expect![[r#"root ::= """#]]);
    rust(r"(a|b)*c{2,100000}", expect![[r#"root ::= [a-b]* "c"{2,100000}"#]]);
    rust(r"^a$|b^", expect![[r#"root ::= "a""#]]);
    rust(r"(?m)a", expect![[r#"root ::= "a""#]]);
}

#[test]
fn ecma_errors() {
    let patterns = r"
        (a(?=b))+  a(?!^b)  (?<=b)  (?<!b)  (?>a)  (?P=n)  (?#c)  (a)\1  \k<n>  a\b  \B  a++  a{2}+  a**  *a  ^*  (+)  {3}
        a{4,2}  a{4294967296}  (a  a)  [a  [b-a]  \  \Z  \A  \a  \e  \q  \u12  \u{110000}  \u{}  \xg  \c1  \01
        \uD83D  [\uD83D]  \uDE00\uD83D  \p{Klingon}  \pL  \p{L  \p{^L}  (?m)^a  (?x)a  a(?i  (?i  (?  (?<
        (?<1a>b)  (?<n  (?i-  [\1]  [\B]";
    let mut found = String::new();
    for pattern in patterns.split_whitespace() {
        let error = Options::new().dialect(Dialect::Ecma).grammar(pattern).expect_err(pattern);
        let offset = error.position().offset;
        found.push_str(&format!("{pattern:14} {:?} at {offset}: {}", error.kind(), error.message()));
        found.push_str(&error.help().map_or("\n".to_owned(), |help| format!("; {help}\n")));
    }
    expect![[r#"
        (a(?=b))+      LookAround at 0: look-ahead in a repetition is not supported; say what may come here with alternatives and classes, or check it after generating
        a(?!^b)        LookAround at 1: `^` in a negative look-ahead is supported only where the pattern begins; say what may come here with alternatives and classes, or check it after generating
        (?<=b)         LookAround at 0: look-behind is not supported; say what may come here with alternatives and classes, or check it after generating
        (?<!b)         LookAround at 0: look-behind is not supported; say what may come here with alternatives and classes, or check it after generating
        (?>a)          Unsupported at 0: atomic groups are not supported
        (?P=n)         BackReference at 0: back-references are not supported; no grammar can repeat what was captured; list the alternatives instead
        (?#c)          Syntax at 0: no kind of group begins like this
        (a)\1          BackReference at 3: the back-reference `\1` is not supported; no grammar can repeat what was captured; list the alternatives instead
        \k<n>          BackReference at 0: the back-reference `\k` is not supported; no grammar can repeat what was captured; list the alternatives instead
        a\b            WordBoundary at 1: the word boundary `\b` is not supported; write the characters that may stand beside the word
        \B             WordBoundary at 0: the word boundary `\B` is not supported; write the characters that may stand beside the word
        a++            Unsupported at 2: possessive repetition is not supported
        a{2}+          Unsupported at 4: possessive repetition is not supported
        a**            Syntax at 2: there is nothing to repeat here; write `\` before it to mean itself
        *a             Syntax at 0: there is nothing to repeat here; write `\` before it to mean itself
        ^*             Syntax at 1: there is nothing to repeat here; write `\` before it to mean itself
        (+)            Syntax at 1: there is nothing to repeat here; write `\` before it to mean itself
        {3}            Syntax at 0: there is nothing to repeat here; write `\` before it to mean itself
        a{4,2}         Syntax at 1: the least number of repetitions is above the greatest
        a{4294967296}  Limit at 1: the repetition count 4294967296 is over the limit of 4294967295
        (a             Syntax at 0: this group is not closed
        a)             Syntax at 1: this `)` closes nothing; write `\)` to mean the character
        [a             Syntax at 0: this class is not closed; write `\[` to mean the character
        [b-a]          Syntax at 1: this range ends before it starts
        \              Syntax at 0: the pattern ends after a backslash; write `\\` to mean a backslash
        \Z             Syntax at 0: `\Z` is not part of the dialect; write `^` for the start of the text and `$` for its end
        \A             Syntax at 0: `\A` is not part of the dialect; write `^` for the start of the text and `$` for its end
        \a             Syntax at 0: the escape `\a` means nothing in this dialect
        \e             Syntax at 0: the escape `\e` means nothing in this dialect
        \q             Syntax at 0: the escape `\q` means nothing in this dialect
        \u12           Syntax at 0: `\u` needs four hexadecimal digits after it
        \u{110000}     Syntax at 0: the last character is U+10FFFF
        \u{}           Syntax at 0: `\u{` needs hexadecimal digits and `}` after it
        \xg            Syntax at 0: `\x` needs two hexadecimal digits after it
        \c1            Syntax at 0: `\c` needs a letter after it
        \01            Syntax at 0: octal escapes are not part of the dialect; write `\xHH`
        \uD83D         NotText at 0: half a surrogate pair is not a character and cannot occur in a text; write both halves, or `\u{…}`
        [\uD83D]       NotText at 1: half a surrogate pair is not a character and cannot occur in a text; write both halves, or `\u{…}`
        \uDE00\uD83D   NotText at 0: half a surrogate pair is not a character and cannot occur in a text; write both halves, or `\u{…}`
        \p{Klingon}    UnknownProperty at 0: there is no Unicode property `Klingon`
        \pL            Syntax at 0: `\p` needs the name of a property in braces after it, such as `{L}` or `{Script=Greek}`
        \p{L           Syntax at 0: `\p` needs the name of a property in braces after it, such as `{L}` or `{Script=Greek}`
        \p{^L}         Syntax at 0: `\p` needs the name of a property in braces after it, such as `{L}` or `{Script=Greek}`
        (?m)^a         LineAnchor at 2: `^` and `$` at lines (the `m` flag) are not supported; write the line breaks: `(^|\n)` and `($|\n)` without the `m` flag
        (?x)a          Unsupported at 2: the flag `x` is not supported
        a(?i           Syntax at 1: this group is not closed
        (?i            Syntax at 0: this group is not closed
        (?             Syntax at 0: this group is not closed
        (?<            Syntax at 3: a group's name is letters and digits, then `>`
        (?<1a>b)       Syntax at 3: a group's name is letters and digits, then `>`
        (?<n           Syntax at 4: a group's name is letters and digits, then `>`
        (?i-           Syntax at 0: this group is not closed
        [\1]           Syntax at 1: the escape `\1` means nothing in this dialect
        [\B]           WordBoundary at 1: the word boundary `\B` is not supported; write the characters that may stand beside the word
    "#]].assert_eq(&found);
}

#[test]
fn ecma_patterns() {
    for pattern in [
        r"^[\w-.]+$",
        r"^a{,5}]}{$",
        r"^[^]$",
        "[]",
        r"^\_\@\:\-\/$",
        r"^(?P<n>a)(?<m>b)$",
        r"^\uD83D\uDE00$",
    ] {
        assert!(Options::new().dialect(Dialect::Ecma).grammar(pattern).is_ok(), "{pattern}");
    }
    ecma(r"^x-", expect![[r#"root ::= "x-" [^]*"#]]);
    ecma(
        r"(^|x)y($|z)",
        expect![[
            r#"root ::= ([^]* "xyz" | ("" | "x") "yz") [^]* | [^]* "xy" ("" | "z") | ("" | "x") "y" ("" | "z")"#
        ]],
    );
    ecma(r"a^b", expect!["root ::= []"]);
    ecma(r"^[^]{0,100000}$", expect!["root ::= [^]{0,100000}"]);
    ecma(r"^a{4294967295}$", expect![[r#"root ::= "a"{4294967295}"#]]);
    // Halves of surrogate pairs are in no text.
    ecma(r"^[ -\uD7FF\uE000-\uFFFD\uD800\uDBFF-\uDC00\uDFFF]$", expect!["root ::= [ -�]"]);
    ecma(r"^[^\uD800-\uDFFFa]$", expect!["root ::= [^a]"]);
    ecma(r"^[a-\uDBFF]$", expect![[r#"root ::= [a-\ud7ff]"#]]);
    ecma(r"^(?i:a\u212a)[\b\-\]]$", expect![[r#"root ::= [Aa] [KkK] [\u0008\-\]]"#]]);
    ecma(r"^[a-\d-z]$", expect![[r#"root ::= [\-0-9az]"#]]);
    ecma(r"^(|a)*$", expect![[r#"root ::= ("" | "a")*"#]]);
}

#[test]
fn hostile_patterns_end_in_time_and_without_deep_recursion() {
    let run = |dialect: Dialect, pattern: String| -> Result<(), Error> {
        // Far less stack than any real thread has, so that recursion shows.
        let work = move || {
            let mut limits = Limits::default();
            limits.max_length = 2 << 20;
            Options::new().dialect(dialect).limits(limits).grammar(&pattern).map(|_| ())
        };
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work).expect("a thread");
        thread.join().expect("no panic and no overflow")
    };
    for dialect in [Dialect::Rust, Dialect::Ecma] {
        for unit in ["(", "(?:", "[", "(a|", "(a|b", "((", "a(^|", "(?i:", "[^["] {
            let error = run(dialect, unit.repeat((1 << 20) / unit.len())).expect_err(unit);
            assert!(matches!(error.kind(), ErrorKind::Limit | ErrorKind::Syntax), "{unit}: {error}");
        }
        for unit in [")", "*", "\\", "|", "^", "$", "{", "a", "é", "^a|", "a*", "[a]", "(^|a)"] {
            let _ = run(dialect, unit.repeat((100 << 10) / unit.len()));
        }
        for n in [100, 450, 499] {
            for (open, close) in
                [("(", ")"), ("(a|", "b)"), ("(^a|", "$)*"), ("(?:a", "){2,3}"), ("(ab|ac", ")")]
            {
                let pattern = format!("{}x{}", open.repeat(n), close.repeat(n));
                run(dialect, pattern).unwrap_or_else(|error| panic!("{dialect:?} {open}: {error}"));
            }
        }
        let many_tables = r"\w".repeat(5_001);
        assert_eq!(run(dialect, many_tables).is_err(), dialect == Dialect::Rust);
        assert!(run(dialect, "a|".repeat(10_000)).is_ok());
    }
    let too_long = Options::new().grammar(&"a".repeat(300_000)).expect_err("over the limit");
    assert_eq!(too_long.kind(), ErrorKind::Limit);
}
