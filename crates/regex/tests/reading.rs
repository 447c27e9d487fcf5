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
    rust(r"a(?=b)", expect![[]]);
    rust(r"(a)\1", expect![[]]);
    rust(r"xy\bz", expect![[]]);
    rust(r"a(?m:^b)", expect![[]]);
    rust(r"\p{Klingon}", expect![[]]);
    rust(r"(?-u:\xFF)", expect![[]]);
    rust(r"a(b", expect![[]]);
    rust("é\n[z-a]", expect![[]]);
    rust(r"a{4,2}", expect![[]]);
}

#[test]
fn rust_patterns() {
    rust(r"", expect![[]]);
    rust(r"(a|b)*c{2,100000}", expect![[]]);
    rust(r"^a$|b^", expect![[]]);
    rust(r"(?m)a", expect![[]]);
}

#[test]
fn ecma_errors() {
    let patterns = r"
        a(?=b)  (?!b)  (?<=b)  (?<!b)  (?>a)  (?P=n)  (?#c)  (a)\1  \k<n>  a\b  \B  a++  a{2}+  a**  *a  ^*  (+)  {3}
        a{4,2}  a{4294967296}  (a  a)  [a  [b-a]  \  \Z  \A  \a  \e  \q  \u12  \u{110000}  \u{}  \xg  \c1  \01
        \uD83D  [\uD83D]  \uDE00\uD83D  \p{Klingon}  \pL  \p{L  \p{^L}  (?m)^a  (?x)a  a(?i)b  (?i  (?  (?<
        (?<1a>b)  (?<n  (?i-  [\1]  [\B]";
    let mut found = String::new();
    for pattern in patterns.split_whitespace() {
        let error = Options::new().dialect(Dialect::Ecma).grammar(pattern).expect_err(pattern);
        let offset = error.position().offset;
        found.push_str(&format!("{pattern:14} {:?} at {offset}: {}", error.kind(), error.message()));
        found.push_str(&error.help().map_or("\n".to_owned(), |help| format!("; {help}\n")));
    }
    expect![[]].assert_eq(&found);
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
    ecma(r"^x-", expect![[]]);
    ecma(r"(^|x)y($|z)", expect![[]]);
    ecma(r"a^b", expect![[]]);
    ecma(r"^[^]{0,100000}$", expect![[]]);
    ecma(r"^a{4294967295}$", expect![[]]);
    ecma(r"^(?i:a\u212a)[\b\-\]]$", expect![[]]);
    ecma(r"^[a-\d-z]$", expect![[]]);
    ecma(r"^(|a)*$", expect![[]]);
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
                [("(", ")"), ("(a|", "b)"), ("(^a|", "$)*"), ("(?:a(", "){2,3})?"), ("(ab|ac", ")")]
            {
                let n = n / open.matches('(').count() / if open.contains('|') { 2 } else { 1 };
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
