//! Captures: which parts of an output they are, whole or not, and that they depend on the output alone.

use formwork_engine::{Compiler, Matcher};
use formwork_vocab::Vocabulary;

fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0u8..=255 {
        builder.token(u32::from(byte), [byte]);
    }
    builder.token(300, "ab").token(301, "b;").token(302, "x;y").special(320, "<|x|>").special(321, "<|end|>");
    builder.stop(321).build().expect("a vocabulary")
}

fn matcher(text: &str) -> Matcher {
    let grammar = formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    Matcher::new(&Compiler::new(vocabulary()).compile(&grammar).unwrap_or_else(|error| panic!("{error}")))
}

/// Name, bytes, and `…` if it is open.
fn captured(matcher: &Matcher) -> Vec<String> {
    let captures = matcher.captures().expect("within limits");
    let shown = captures.iter().map(|capture| {
        assert_eq!(capture.span().len(), capture.bytes().len());
        let open = if capture.is_open() { "…" } else { "" };
        format!(
            "{}@{}={}{open}",
            capture.name(),
            capture.span().start,
            String::from_utf8_lossy(capture.bytes())
        )
    });
    shown.collect()
}

fn after(matcher: &mut Matcher, text: &str) -> Vec<String> {
    matcher.accept_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    captured(matcher)
}

#[test]
fn regions_are_spans_with_values() {
    let mut m = matcher(
        "root ::= key \"=\" value (\",\" key \"=\" value)*\nkey[capture] ::= [a-z]+\nvalue[capture=\"v\"] ::= [0-9]+ unit?\nunit[capture] ::= \"kg\" | \"m\"",
    );
    // Nothing of it has been read.
    assert_eq!(captured(&m), [] as [&str; 0]);
    assert_eq!(after(&mut m, "ab"), ["key@0=ab…"]);
    assert_eq!(after(&mut m, "=1"), ["key@0=ab", "v@3=1"]);
    assert_eq!(after(&mut m, "2kg,c=3"), ["key@0=ab", "v@3=12kg", "unit@5=kg", "key@8=c", "v@10=3"]);
    let captures = m.captures().expect("within limits");
    assert_eq!(captures.len(), 5);
    let keys: Vec<&[u8]> = captures.named("key").map(|capture| capture.bytes()).collect();
    assert_eq!(keys, [&b"ab"[..], b"c"]);
}

#[test]
fn captures_follow_rollback_and_forks() {
    let mut m = matcher("root ::= (a \";\")*\na[capture] ::= [abx]+");
    m.accept_token(300u32).expect("ab");
    m.accept_token(301u32).expect("b;");
    assert_eq!(captured(&m), ["a@0=abb"]);
    let mut fork = m.fork();
    fork.accept_bytes(b"x;").expect("another");
    m.rollback(1).expect("a step");
    assert_eq!(captured(&m), ["a@0=ab…"]);
    assert_eq!(captured(&fork), ["a@0=abb", "a@4=x"]);
    m.reset();
    assert_eq!(captured(&m), [] as [&str; 0]);
    fork.accept_token(321u32).expect("the end");
    assert_eq!(captured(&fork), ["a@0=abb", "a@4=x"]);
}

#[test]
fn regions_nest_and_recur() {
    let mut m = matcher(
        "root ::= list\nlist[capture] ::= \"[\" (item (\",\" item)*)? \"]\"\nitem ::= list | word\nword[capture=\"w\"] ::= [a-z]+",
    );
    assert_eq!(after(&mut m, "[a,[b"), ["list@0=[a,[b…", "w@1=a", "list@3=[b…", "w@4=b…"]);
    assert_eq!(after(&mut m, "],[]]"), ["list@0=[a,[b],[]]", "w@1=a", "list@3=[b]", "w@4=b", "list@7=[]"]);
    // At its end and at its beginning.
    let mut right = matcher("root ::= r\nr[capture] ::= \"x\" r | \"y\"");
    assert_eq!(after(&mut right, "xxy"), ["r@0=xxy", "r@1=xy", "r@2=y"]);
    let mut left = matcher("root ::= l\nl[capture] ::= l \"x\" | \"y\"");
    assert_eq!(after(&mut left, "yxx"), ["l@0=yxx", "l@0=yx", "l@0=y"]);
    // A root that captures.
    assert_eq!(after(&mut matcher("root[capture] ::= \"ab\""), "a"), ["root@0=a…"]);
    assert_eq!(after(&mut matcher("root[capture] ::= \"ab\""), "ab"), ["root@0=ab"]);
}

#[test]
fn of_several_readings_one_is_taken() {
    // Whichever it is: the regions follow each other, and every letter is in one.
    let mut m = matcher("root ::= a b\na[capture] ::= \"x\"*\nb[capture] ::= \"x\"*");
    m.accept_bytes(b"xxx").expect("letters");
    let captures = m.captures().expect("within limits");
    let ends: Vec<_> = captures.iter().map(|capture| (capture.span().start, capture.span().end)).collect();
    assert!(ends == [(0, 3)] || matches!(ends[..], [(0, a), (b, 3)] if a == b), "{ends:?}");
    assert_eq!(captured(&m), captured(&m.fork()));
    let mut e = matcher("root ::= e\ne[capture] ::= e \"+\" e | \"n\"");
    assert_eq!(after(&mut e, "n+n+n").len(), 5);
}

#[test]
fn counted_rules_sets_symbols_and_budgets_are_read_too() {
    let mut m = matcher("root ::= (c \" \"){2,300}\nc[capture] ::= [a-z]{1,200}");
    assert_eq!(after(&mut m, "ab c "), ["c@0=ab", "c@3=c"]);
    let mut m = matcher("root ::= r \"!\"\nr[capture, max_tokens=3] ::= ([a-z] | Token(\"<|x|>\"))*");
    for token in [300u32, 320, 99] {
        m.accept_token(token).expect("within the budget");
    }
    assert_eq!(captured(&m), ["r@0=abc"]);
    m.accept_bytes(b"!").expect("the end");
    assert_eq!(captured(&m), ["r@0=abc"]);
    // A budget that was used up, in a grammar that could read on.
    let mut m = matcher("root ::= \"a\"* r\nr[capture, max_tokens=2] ::= [ab]+");
    for _ in 0..4 {
        m.accept_token(97u32).expect("an a");
    }
    let captures = m.captures().expect("within limits");
    assert!(captures.iter().all(|capture| capture.span().len() <= 2), "{captures:?}");
}

#[test]
fn long_outputs_are_read_in_linear_time() {
    let mut m = matcher("root ::= (a \"\\n\")*\na[capture] ::= [^\\n]+");
    for i in 0..20_000 {
        m.accept_bytes(format!("line {i}\n").as_bytes()).expect("a line");
    }
    assert_eq!(m.captures().expect("within limits").len(), 20_000);
}
