//! Tokens as symbols: what a mask has, what accepting one means, and what takes precedence.

use formwork_engine::{CompileErrorKind, CompiledGrammar, Compiler, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// `a` to `c`, two tokens of two letters, three special tokens, of which 7 and 9 stop; 6 is a hole.
fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    builder.token(0, "a").token(1, "b").token(2, "c").token(3, "ab").token(4, "bc").token(5, "<");
    builder.special(7, "<end>").special(8, "<x>").special(9, "<stop>").stop(7).stop(9).width(32);
    for (byte, id) in (0u8..=255).filter(|byte| !b"abc<".contains(byte)).zip(32..) {
        builder.token(id, [byte]);
    }
    builder.width(320).build().expect("a vocabulary")
}

fn grammar(text: &str) -> Grammar {
    formwork_ebnf::grammar(text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn compile(text: &str) -> CompiledGrammar {
    Compiler::new(vocabulary()).compile(&grammar(text)).unwrap_or_else(|error| panic!("{error}"))
}

/// The ids of up to 31 that the mask allows, and whether it allows others.
fn allowed(matcher: &mut Matcher) -> (Vec<u32>, bool) {
    let mut mask = vec![0; 10];
    matcher.fill_mask(&mut mask).expect("a mask");
    ((0..32).filter(|id| mask[0] >> id & 1 != 0).collect(), mask[1..].iter().any(|&word| word != 0))
}

fn after(compiled: &CompiledGrammar, tokens: &[u32]) -> Matcher {
    let mut matcher = Matcher::new(compiled);
    for &token in tokens {
        matcher.accept_token(token).unwrap_or_else(|error| panic!("{error}"));
    }
    matcher
}

#[test]
fn a_symbol_is_a_bit_and_a_step() {
    let compiled = compile("root ::= \"a\" Token(\"<x>\", 2) \"b\"");
    assert_eq!(allowed(&mut after(&compiled, &[])), (vec![0], false));
    assert_eq!(allowed(&mut after(&compiled, &[0])), (vec![2, 8], false));
    assert_eq!(allowed(&mut after(&compiled, &[0, 8])), (vec![1], false));
    assert_eq!(after(&compiled, &[0, 8]).n_bytes(), 1);
    assert_eq!(after(&compiled, &[0, 2]).n_bytes(), 2);
    let mut matcher = after(&compiled, &[0, 8, 1]);
    assert_eq!(allowed(&mut matcher), (vec![7, 9], false));
    matcher.rollback(2).expect("three steps");
    assert_eq!(allowed(&mut matcher), (vec![2, 8], false));
    // As bytes the text of a symbol is nothing.
    assert!(matcher.accept_bytes(b"c").is_err());
}

#[test]
fn errors_name_the_symbols_that_could_have_come() {
    let compiled = compile("root ::= \"a\" (Token(\"<x>\") | ExcludeToken(3) | \"b\")");
    let error = after(&compiled, &[0]).accept_token(3).expect_err("excluded");
    assert_eq!(error.expected_symbols(), ["ExcludeToken(3)", "Token(\"<x>\")"]);
    assert_eq!(
        error.to_string(),
        "token 3: byte `a` refused at byte 1 of the output; expected `b`, ExcludeToken(3), Token(\"<x>\")"
    );
    let error = after(&compiled, &[]).accept_token(8).expect_err("not named here");
    assert_eq!(error.to_string(), "token 8: the token is no text");
    let error = after(&compiled, &[0]).accept_token(6).expect_err("a hole");
    assert_eq!(error.to_string(), "token 6: the vocabulary has no such token");
}

#[test]
fn all_tokens_but_some_are_no_holes_and_no_stop_tokens() {
    let compiled = compile("root ::= ExcludeToken(\"a\", \"<x>\", 4000)");
    assert_eq!(allowed(&mut after(&compiled, &[])), (vec![1, 2, 3, 4, 5], true));
    assert!(after(&compiled, &[]).accept_token(7).is_err());
    assert!(after(&compiled, &[]).accept_token(6).is_err());
    // The stop tokens of the request count, not the vocabulary's.
    let mut matcher = Matcher::builder(&compiled).stop_tokens(&[1u32]).build();
    assert_eq!(allowed(&mut matcher), (vec![2, 3, 4, 5, 7, 9], true));
}

#[test]
fn what_one_request_remembers_of_a_symbol_is_not_taken_for_a_stop_token_of_another() {
    let compiled = compile("root ::= (ExcludeToken(\"a\") \"a\")*");
    for round in 0..3 {
        // The arena of one matcher is the next one's, with the steps that it remembers.
        let mut matcher = after(&compiled, &[8, 0, 8, 0, 1, 0]);
        assert!(!matcher.is_finished(), "{round}");
        matcher.accept_token(7u32).expect("the end");
        assert!(matcher.is_finished());
        drop(matcher);
        let mut matcher = Matcher::builder(&compiled).stop_tokens(&[8u32]).build();
        matcher.accept_token(7u32).expect("no stop token here");
        matcher.accept_token(0u32).expect("text");
        matcher.accept_token(8u32).expect("the end");
        assert!(matcher.is_finished(), "{round}");
    }
}

#[test]
fn a_token_can_be_read_both_ways() {
    let compiled = compile("root ::= \"a\" \"b\" | Token(3) \"c\"");
    let mut matcher = after(&compiled, &[3]);
    assert_eq!(allowed(&mut matcher), (vec![2, 7, 9], false));
    matcher.accept_token(2u32).expect("as a symbol");
    assert_eq!(allowed(&mut matcher), (vec![7, 9], false));
}

#[test]
fn a_stop_token_that_the_grammar_names_follows_the_grammar_first() {
    // XGrammar masks everything here (V10 of our notes).
    let compiled = compile("root ::= \"a\" (Token(\"<end>\") \"b\")*");
    assert_eq!(allowed(&mut after(&compiled, &[0])), (vec![7, 9], false));
    // `<end>` is read, so the output goes on; `<stop>` is a stop token as ever.
    assert_eq!(allowed(&mut after(&compiled, &[0, 7])), (vec![1], false));
    assert!(!after(&compiled, &[0, 7]).is_finished());
    assert!(after(&compiled, &[0, 9]).is_finished());
    // Where the grammar cannot read it, it stops.
    let compiled = compile("root ::= \"a\" Token(\"<end>\")? \"b\"");
    assert!(after(&compiled, &[0, 1, 7]).is_finished());
    // Where nothing can come after it, reading it ends the output.
    let compiled = compile("root ::= \"a\" Token(\"<end>\")");
    let mut matcher = after(&compiled, &[0, 7]);
    assert!(matcher.is_finished() && matcher.can_finish());
    assert_eq!(allowed(&mut matcher), (vec![7, 9], false));
    assert!(matcher.accept_token(7u32).is_err());
    // The stop tokens of the request decide.
    let mut matcher = Matcher::builder(&compiled).stop_tokens(&[9u32]).build();
    matcher.accept_token(0u32).expect("text");
    matcher.accept_token(7u32).expect("a symbol");
    assert!(!matcher.is_finished());
    matcher.accept_token(9u32).expect("the end");
    assert!(matcher.is_finished());
}

#[test]
fn symbols_are_a_choice_for_what_is_forced() {
    let compiled = compile("root ::= \"a\" (\"b\" | Token(\"<x>\")) \"c\"");
    assert_eq!(after(&compiled, &[]).forced_bytes(), b"a");
    assert_eq!(after(&compiled, &[0]).forced_bytes(), b"");
    assert_eq!(after(&compiled, &[0, 8]).forced_bytes(), b"c");
    let mut matcher =
        Matcher::builder(&compile("root ::= \"a\" Token(\"<x>\")?")).ends_without_stop(true).build();
    matcher.accept_token(0u32).expect("text");
    assert!(!matcher.is_finished());
    matcher.accept_token(8u32).expect("a symbol");
    assert!(matcher.is_finished());
}

#[test]
fn what_the_vocabulary_lacks_is_left_out_or_named() {
    let compiled = compile("root ::= \"a\" Token(\"<y>\", 8, 6, 5000) | Token(\"<y>\") \"b\"");
    assert_eq!(allowed(&mut after(&compiled, &[])), (vec![0], false));
    assert_eq!(allowed(&mut after(&compiled, &[0])), (vec![8], false));
    let error = Compiler::new(vocabulary()).compile(&grammar("root ::= x\nx ::= \"a\" Token(\"<y>\")"));
    let error = error.expect_err("there is no <y>");
    assert_eq!(error.kind(), CompileErrorKind::Vocabulary);
    assert_eq!(
        error.to_string(),
        "line 2, column 1: the grammar matches no output at all: rule `x` needs Token(\"<y>\"), and there is no such symbol"
    );
}

#[test]
fn the_name_of_a_special_token_in_a_tag_means_the_token() {
    let compiled = compile("root ::= Tag(\"a<x>b<y>\") \"c\"");
    assert_eq!(allowed(&mut after(&compiled, &[0])), (vec![8], false));
    assert_eq!(after(&compiled, &[0, 8]).forced_bytes(), b"b<y>c");
    // In plain text it is only text.
    assert_eq!(after(&compile("root ::= \"<x>\""), &[]).forced_bytes(), b"<x>");
}

#[test]
fn a_trigger_may_be_a_special_token() {
    let compiled = compile("root ::= TagDispatch((\"a<x>\", \"b\"), excludes=(\"cc\"))");
    let (free, _) = allowed(&mut after(&compiled, &[]));
    assert_eq!(free, [0, 1, 2, 3, 4, 5, 7, 9]);
    let (free, _) = allowed(&mut after(&compiled, &[1, 0]));
    assert_eq!(free, [0, 1, 2, 3, 4, 5, 7, 8, 9]);
    assert_eq!(allowed(&mut after(&compiled, &[1, 0, 8])), (vec![1, 4], false));
    // Spelled out it does not pass.
    let mut matcher = after(&compiled, &[0]);
    assert!(matcher.accept_bytes(b"<x>").is_err());
    matcher.accept_bytes(b"<x").expect("text");
    assert!(matcher.accept_bytes(b">").is_err());
    // After the content the text goes on; what is excluded does not come.
    assert_eq!(allowed(&mut after(&compiled, &[0, 8, 1, 2])).0, [0, 1, 3, 4, 5, 7, 9]);
}

#[test]
fn triggers_may_be_split_over_tokens_at_every_byte() {
    let compiled = compile("root ::= TagDispatch((\"abc\", \"<\"), (\"bb\", \"c\"))");
    for tokens in [&[0, 1, 2][..], &[3, 2], &[0, 4], &[2, 3, 2], &[0, 0, 4]] {
        assert_eq!(allowed(&mut after(&compiled, tokens)), (vec![5], false), "{tokens:?}");
    }
    for tokens in [&[1, 1][..], &[3, 1], &[0, 1, 1], &[0, 1, 1]] {
        assert_eq!(allowed(&mut after(&compiled, tokens)), (vec![2], false), "{tokens:?}");
    }
    // A token may run over the end of a trigger into its content, and into nothing else: `bb` and `c`, but not `ab` and `c`.
    assert!(allowed(&mut after(&compiled, &[0, 1])).0.contains(&4));
    assert!(!allowed(&mut after(&compile("root ::= TagDispatch((\"b\", \"<\"))"), &[])).0.contains(&4));
}

#[test]
fn two_grammars_of_one_compiler_keep_their_own_symbols() {
    // XGrammar's cache hands out the masks of the first (V1 of our notes).
    let compiler = Compiler::new(vocabulary());
    for (id, other) in [(0u32, 1u32), (1, 0)] {
        let text = format!("root ::= x \"c\"\nx ::= Token({id}) \"<\"");
        let compiled = compiler.compile(&grammar(&text)).expect("a grammar");
        let mut matcher = Matcher::new(&compiled);
        assert_eq!(allowed(&mut matcher), (vec![id], false));
        assert!(matcher.accept_token(other).is_err());
    }
}

#[test]
fn a_trigger_inside_another_is_seen() {
    // XGrammar misses it (V4 of our notes).
    let compiled = compile("root ::= TagDispatch((\"b\", \"1\"), (\"abc\", \"2\"))");
    assert_eq!(after(&compiled, &[0, 1]).forced_bytes(), b"1");
}

#[test]
fn tokens_in_a_repetition_are_found_by_name() {
    // XGrammar does not look them up there (V8 of our notes).
    let compiled = compile("root ::= (Token(\"<x>\") \"a\"){2,3}");
    assert_eq!(allowed(&mut after(&compiled, &[8, 0])), (vec![8], false));
    assert_eq!(allowed(&mut after(&compiled, &[8, 0, 8, 0])), (vec![7, 8, 9], false));
    assert_eq!(allowed(&mut after(&compiled, &[8, 0, 8, 0, 8, 0])), (vec![7, 9], false));
}
