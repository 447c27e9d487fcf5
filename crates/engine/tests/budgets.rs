//! Budgets of tokens: what a region may have, and what of it is refused at compile.

use formwork_engine::{AcceptErrorKind, CompileErrorKind, Compiler, Matcher};
use formwork_vocab::{TokenId, Vocabulary};

/// All bytes, some longer tokens, special tokens.
fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0u8..=255 {
        builder.token(u32::from(byte), [byte]);
    }
    builder.token(300, "ab").token(301, "b</t>").token(302, "</t>").token(303, "<t>a").token(304, "<t>");
    builder.token(305, "é").token(306, "é</t>").token(307, [0xA9, b'<', b'/', b't', b'>']);
    builder.special(320, "<|x|>").special(321, "<|end|>").stop(321);
    builder.build().expect("a vocabulary")
}

fn matcher(text: &str) -> Matcher {
    let grammar = formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    Matcher::new(&Compiler::new(vocabulary()).compile(&grammar).unwrap_or_else(|error| panic!("{error}")))
}

fn refused(text: &str) -> (CompileErrorKind, String) {
    let grammar = formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"));
    let error = Compiler::new(vocabulary()).compile(&grammar).expect_err("refused");
    (error.kind(), error.to_string())
}

/// The allowed ids, those of single bytes as the bytes.
fn allowed(matcher: &mut Matcher) -> Vec<u32> {
    let mut mask = vec![0; 11];
    matcher.fill_mask(&mut mask).expect("a mask");
    let ids: Vec<u32> =
        (0..352).filter(|id| mask[id / 32] >> (id % 32) & 1 != 0).map(|id| id as u32).collect();
    for id in 0..322 {
        let accepted = matcher.accept_token(id).is_ok();
        assert_eq!(accepted, ids.contains(&id), "{id}");
        matcher.rollback(usize::from(accepted)).expect("one step");
    }
    ids
}

fn accept(matcher: &mut Matcher, tokens: &[u32]) {
    for &token in tokens {
        matcher.accept_token(token).unwrap_or_else(|error| panic!("{error}"));
    }
}

const THOUGHT: &str = "root ::= \"<t>\" thought \"</t>\"\nthought[max_tokens=3] ::= [^<]*";

#[test]
fn when_the_budget_is_used_up_only_what_ends_the_region_is_allowed() {
    let mut matcher = matcher(THOUGHT);
    accept(&mut matcher, &[304, 97, 300, 98]);
    assert_eq!(allowed(&mut matcher), [b'<'.into(), 302]);
    assert_eq!(matcher.forced_bytes(), b"</t>");
    let error = matcher.accept_token(97u32).expect_err("used up");
    assert_eq!(error.kind(), AcceptErrorKind::Refused);
    matcher.rollback(1).expect("four steps");
    assert!(allowed(&mut matcher).contains(&97));
}

#[test]
fn tokens_that_begin_before_or_end_behind_a_region_count() {
    let mut matcher = matcher(THOUGHT);
    // `<t>a`, `a`, `a`: three tokens have a part in the region.
    accept(&mut matcher, &[303, 97, 97]);
    assert_eq!(allowed(&mut matcher), [b'<'.into(), 302]);
    matcher.rollback(1).expect("three steps");
    // The last one may end the region and go on behind it.
    accept(&mut matcher, &[301]);
    assert!(matcher.can_finish());
}

#[test]
fn the_last_token_of_a_budget_leaves_no_character_unfinished() {
    let mut matcher = matcher(THOUGHT);
    accept(&mut matcher, &[304, 97, 97]);
    let ids = allowed(&mut matcher);
    assert!(ids.contains(&305) && ids.contains(&306) && !ids.contains(&0xC3), "{ids:?}");
    assert_eq!(matcher.accept_token(0xC3u32).expect_err("unfinished").kind(), AcceptErrorKind::Budget);
    matcher.rollback(1).expect("three steps");
    accept(&mut matcher, &[0xC3]);
    // Whatever finishes it, also if it goes on behind the region.
    assert!(allowed(&mut matcher).contains(&307) && allowed(&mut matcher).contains(&0xA9));
    matcher.rollback(2).expect("three steps");
    // Three tokens left, the one at hand among them: two for two bytes, not for three.
    assert!(!allowed(&mut matcher).contains(&0xF0) && allowed(&mut matcher).contains(&0xE2));
}

#[test]
fn each_time_that_a_region_is_read_it_has_its_budget() {
    let mut matcher = matcher("root ::= (\"<\" r \">\")+\nr[max_tokens=2] ::= [ab]*");
    let [open, close, a] = [60, 62, 97];
    accept(&mut matcher, &[open, a, a, close, open, a]);
    assert_eq!(allowed(&mut matcher), [close, a, 98, 300]);
    accept(&mut matcher, &[a]);
    assert_eq!(allowed(&mut matcher), [close]);
    let mut fork = matcher.fork();
    matcher.rollback(1).expect("a step");
    assert_eq!(allowed(&mut fork), [close]);
    assert_eq!(allowed(&mut matcher), [close, a, 98, 300]);
}

#[test]
fn a_region_that_may_have_begun_in_several_places_is_as_young_as_it_can_be() {
    let mut matcher = matcher("root ::= \"a\"* r\nr[max_tokens=2] ::= [ab]* \"!\"");
    accept(&mut matcher, &[97, 97, 97, 97]);
    // `!` ends a region that began with any of the letters, or with itself.
    assert_eq!(allowed(&mut matcher), [b'!'.into(), 97, 98, 300]);
    accept(&mut matcher, &[98]);
    assert_eq!(allowed(&mut matcher), [b'!'.into()]);
}

#[test]
fn tokens_as_symbols_count() {
    let mut matcher = matcher(
        "root ::= r \"!\"\nr[max_tokens=2] ::= (\"a\" | Token(\"<|x|>\") | Token(\"<|x|>\") \"bcd\")*",
    );
    accept(&mut matcher, &[97]);
    assert_eq!(allowed(&mut matcher), [b'!'.into(), 97, 320]);
    accept(&mut matcher, &[320]);
    assert_eq!(allowed(&mut matcher), [b'!'.into()]);
}

#[test]
fn bytes_that_are_no_tokens_count_as_none_but_cannot_leave_too_much() {
    let mut matcher = matcher(THOUGHT);
    matcher.accept_bytes("<t>any number of bytes".as_bytes()).expect("no tokens");
    accept(&mut matcher, &[97, 97]);
    let error = matcher.accept_bytes(b"b\xF0").expect_err("three bytes for one token");
    assert_eq!(error.kind(), AcceptErrorKind::Budget);
    matcher.accept_bytes(b"b\xC3").expect("one byte for one token");
    assert!(allowed(&mut matcher).contains(&0xA9));
}

#[test]
fn drafts_stop_where_the_budget_does() {
    let mut matcher = matcher(THOUGHT);
    let draft: Vec<TokenId> = [304, 97, 97, 97, 97].map(TokenId::new).to_vec();
    assert_eq!(matcher.validate_tokens(&draft), 4);
    assert_eq!(matcher.n_steps(), 0);
}

#[test]
fn long_outputs_keep_their_budgets_through_forgotten_rows() {
    let mut matcher = matcher("root ::= \"<\" r \">\"\nr[max_tokens=5000] ::= [^<>]*");
    accept(&mut matcher, &[60]);
    accept(&mut matcher, &[97; 5_000]);
    assert_eq!(allowed(&mut matcher), [62]);
    matcher.rollback(4_000).expect("far");
    accept(&mut matcher, &[98; 3_999]);
    assert!(allowed(&mut matcher).contains(&97));
    accept(&mut matcher, &[98]);
    assert_eq!(allowed(&mut matcher), [62]);
}

#[test]
fn what_cannot_keep_a_budget_is_refused() {
    let (kind, message) = refused("root ::= r\nr[max_tokens=3] ::= \"abcd\" | \"efghi\"");
    assert_eq!(kind, CompileErrorKind::Budget);
    assert_eq!(
        message,
        "line 2, column 1: rule `r` has a budget of 3 steps, but its shortest text may need 4, one for each byte (a step is a token)"
    );
    let (kind, message) = refused("root ::= r \"x\"\nr[max_tokens=9] ::= \"(\" s* \")\"\ns ::= r \"!\"");
    assert_eq!(kind, CompileErrorKind::Budget);
    assert!(message.contains("rule `r` in it refers to itself; give the budget to a part"), "{message}");
    let (kind, message) = refused("root[max_tokens=9] ::= s\ns[max_tokens=2] ::= \"a\"");
    assert_eq!(kind, CompileErrorKind::Budget);
    assert!(message.contains("so has rule `s` inside of it"), "{message}");
}

#[test]
fn what_leads_back_to_itself_at_its_end_is_regular() {
    let mut matcher = matcher("root ::= r \"!\"\nr[max_tokens=2] ::= \"a\" s | \"b\"\ns ::= \"b\" s | \"c\"");
    accept(&mut matcher, &[97]);
    // `b` would leave a `c` for a third token.
    assert_eq!(allowed(&mut matcher), [99]);
}

#[test]
fn grammars_do_not_mix_up_their_budgets() {
    let compiler = Compiler::new(vocabulary());
    let after = |budget: u32| {
        let text = format!("root ::= \"<\" r \">\"\nr[max_tokens={budget}] ::= [ab]*");
        let grammar = formwork_ebnf::grammar(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let mut matcher = Matcher::new(&compiler.compile(&grammar).expect("compiles"));
        accept(&mut matcher, &[60]);
        (0..9).take_while(|_| matcher.accept_token(97u32).is_ok()).count()
    };
    assert_eq!([2, 5, 2, 3].map(after), [2, 5, 2, 3]);
}
