//! Hostile and broken input: each ends in a typed error or the right answer, with a small stack and bounded work.
//!
//! Everything runs in a thread with a stack of 256 KiB, so that recursion on the input's shape would show.

use formwork::{
    AcceptErrorKind, CompileErrorKind, Compiler, LimitExceeded, Matcher, Vocabulary, ebnf, json_schema,
    regex, tokenizers,
};

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn compiler() -> Compiler {
    Compiler::builder(Vocabulary::bytes()).precompute(0).build()
}

fn check_ebnf(text: &str, document: &[u8]) -> Result<bool, AcceptErrorKind> {
    let compiled = compiler().compile(&ebnf::grammar(text).expect("a grammar")).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(document).map_err(|error| error.kind())?;
    Ok(matcher.can_finish())
}

#[test]
fn empty_texts() {
    on_a_small_stack(|| {
        let errors = ebnf::grammar("").expect_err("no root");
        assert!(errors.to_string().contains("root"), "{errors}");
        assert_eq!(json_schema::grammar("").expect_err("no JSON").kind().as_str(), "invalid");
        let compiled = compiler().compile(&regex::grammar("").expect("the empty regex")).expect("compiles");
        let matcher = Matcher::new(&compiled);
        assert!(matcher.can_finish(), "the empty regex matches the empty text");
    });
}

#[test]
fn binary_texts() {
    on_a_small_stack(|| {
        let bytes: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(ebnf::Options::new().grammar_from_bytes(&bytes).is_err());
        let text = String::from_utf8_lossy(&bytes);
        assert!(ebnf::grammar(&text).is_err());
        assert!(regex::grammar(&text).is_err());
        assert_eq!(json_schema::grammar(&text).expect_err("no JSON").kind().as_str(), "invalid");
    });
}

#[test]
fn a_megabyte_of_open_parentheses() {
    on_a_small_stack(|| {
        let text = "(".repeat(1 << 20);
        assert!(ebnf::grammar(&format!("root ::= {text}")).is_err());
        assert!(regex::grammar(&text).is_err());
        assert!(json_schema::grammar(&format!("{{\"pattern\": \"{text}\"}}")).is_err());
        // As data it is nothing special.
        let nest = format!("{}{}", "(".repeat(50_000), ")".repeat(50_000));
        assert_eq!(check_ebnf("root ::= \"(\" root \")\" | \"\"", nest.as_bytes()), Ok(true));
    });
}

#[test]
fn a_schema_of_100_000_nested_arrays() {
    on_a_small_stack(|| {
        let n = 100_000;
        let schema = format!("{}{{}}{}", "{\"type\":\"array\",\"items\":".repeat(n), "}".repeat(n));
        match json_schema::grammar(&schema) {
            Ok(grammar) => match compiler().compile(&grammar) {
                Ok(compiled) => assert!(Matcher::new(&compiled).accept_bytes(b"[[[[").is_ok()),
                Err(error) => assert_eq!(error.kind(), CompileErrorKind::Limit),
            },
            Err(error) => assert_eq!(error.kind().as_str(), "limit"),
        }
        let text = format!("{}{}", "[".repeat(n), "]".repeat(n));
        let error = json_schema::grammar(&text).expect_err("a schema is no array");
        assert!(matches!(error.kind().as_str(), "limit" | "invalid"), "{error}");
    });
}

#[test]
fn an_unknown_rule_is_named_where_it_is_used() {
    let errors = ebnf::grammar("root ::= value\nvalu ::= \"a\"\n").expect_err("unknown");
    let error = errors.iter().next().expect("one");
    assert_eq!((error.position().line, error.position().column), (1, 10));
    assert!(errors.to_string().contains("valu"), "{errors}");
}

#[test]
fn a_duplicate_rule_is_named_with_both_places() {
    let errors = ebnf::grammar("root ::= \"a\"\nroot ::= \"b\"\n").expect_err("duplicate");
    let error = errors.iter().next().expect("one");
    assert_eq!(error.position().line, 2);
}

#[test]
fn a_root_that_is_only_itself_is_empty() {
    let error = compiler().compile(&ebnf::grammar("root ::= root").expect("parses")).expect_err("empty");
    assert_eq!(error.kind(), CompileErrorKind::Unsatisfiable);
    assert_eq!((error.rule(), error.place().position().map(|at| at.line)), ("root", Some(1)));
    // The blame goes to the rule that cannot end, not to the one that uses it.
    let text = "root ::= \"a\" b\nb ::= \"x\" c\nc ::= \"y\" c\n";
    let error = compiler().compile(&ebnf::grammar(text).expect("parses")).expect_err("empty");
    assert_eq!(error.kind(), CompileErrorKind::Unsatisfiable);
    assert!(error.place().position().is_some(), "{error}");
}

#[test]
fn a_root_that_is_empty_text_accepts_only_that() {
    assert_eq!(check_ebnf("root ::= \"\"", b""), Ok(true));
    assert_eq!(check_ebnf("root ::= \"\"", b"a"), Err(AcceptErrorKind::Refused));
}

#[test]
fn unbounded_ambiguity_runs_into_a_limit_and_loses_nothing() {
    on_a_small_stack(|| {
        let grammar = ebnf::grammar("root ::= root root | \"a\"").expect("parses");
        let compiled = compiler().compile(&grammar).expect("compiles");
        let mut matcher = Matcher::new(&compiled);
        let mut accepted = 0;
        let outcome = loop {
            if accepted == 2_000 {
                break Ok(());
            }
            match matcher.accept_bytes(b"a") {
                Ok(()) => accepted += 1,
                Err(error) => break Err(error.kind()),
            }
        };
        assert!(matcher.can_finish(), "after {accepted}");
        match outcome {
            Ok(()) => {}
            Err(AcceptErrorKind::Limit(LimitExceeded::Items | LimitExceeded::Work)) => {
                assert!(accepted >= 50, "only {accepted}");
                matcher.rollback(1).expect("nothing was lost");
                matcher.accept_bytes(b"a").expect("as before");
            }
            Err(kind) => panic!("{kind:?}"),
        }
        assert!(matcher.memory_size() < 64 << 20, "{}", matcher.memory_size());
    });
}

#[test]
fn ten_thousand_literals_are_a_small_automaton() {
    let words: Vec<String> = (0..10_000).map(|i| format!("\"word{i:05}\"")).collect();
    let grammar = ebnf::grammar(&format!("root ::= {}", words.join(" | "))).expect("parses");
    let compiled = compiler().compile(&grammar).expect("compiles");
    // Five digits behind a common beginning.
    assert!(compiled.automata().n_states() < 64, "{}", compiled.automata().n_states());
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(b"word09999").expect("a word");
    assert!(matcher.can_finish());
    assert_eq!(Matcher::new(&compiled).forced_bytes(), b"word0");
}

#[test]
fn a_vocabulary_without_a_stop_token_works_and_never_ends() {
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    let vocabulary = builder.build().expect("a vocabulary");
    let compiled = Compiler::new(vocabulary)
        .compile(&ebnf::grammar("root ::= \"ab\"").expect("parses"))
        .expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = [0u32; 8];
    matcher.accept_bytes(b"ab").expect("accepted");
    assert_eq!(matcher.fill_mask(&mut mask), Ok(true));
    assert_eq!(mask, [0; 8], "nothing may come and there is no stop token");
    assert!(matcher.can_finish() && !matcher.is_finished());
    // The caller who has none says that no stop token is needed.
    let mut matcher = Matcher::builder(&compiled).ends_without_stop(true).build();
    matcher.accept_bytes(b"ab").expect("accepted");
    assert!(matcher.is_finished());
}

#[test]
fn a_vocabulary_without_single_bytes_is_refused_where_it_could_get_stuck() {
    let mut builder = Vocabulary::builder();
    let vocabulary =
        builder.token(0, "ab").token(1, "a").special(2, "<end>").stop(2).build().expect("a vocabulary");
    let error = Compiler::new(vocabulary)
        .compile(&ebnf::grammar("root ::= \"a\" word\nword ::= \"b\"\n").expect("parses"))
        .expect_err("b is no token");
    assert_eq!(error.kind(), CompileErrorKind::Vocabulary);
    assert!(error.message().contains("62"), "{error}");
}

#[test]
fn a_truncated_tokenizer_file_is_a_typed_error() {
    on_a_small_stack(|| {
        let file = br#"{"version":"1.0","added_tokens":[{"id":2,"content":"</s>","special":true}],
            "decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}}"#;
        tokenizers::from_hf_bytes(file).expect("whole it is fine");
        for end in 0..file.len() {
            assert!(tokenizers::from_hf_bytes(&file[..end]).is_err(), "cut at {end}");
        }
    });
}

#[test]
fn what_comes_after_the_end_is_refused_and_can_be_rolled_back() {
    let compiled = compiler().compile(&ebnf::grammar("root ::= \"a\"+").expect("parses")).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    let draft = [u32::from(b'a'), 256, u32::from(b'a')];
    assert_eq!(matcher.validate_tokens(&draft), 2);
    matcher.accept_token(draft[0]).expect("a");
    matcher.accept_token(draft[1]).expect("the stop token");
    assert_eq!(matcher.accept_token(draft[2]).expect_err("finished").kind(), AcceptErrorKind::Finished);
    assert_eq!(matcher.accept_bytes(b"a").expect_err("finished").kind(), AcceptErrorKind::Finished);
    let mut mask = [0u32; 9];
    matcher.fill_mask(&mut mask).expect("a mask");
    assert_eq!(formwork::bits::tokens(&mask).map(|token| token.get()).collect::<Vec<_>>(), [256]);
    assert!(matcher.rollback(3).is_err());
    matcher.rollback(1).expect("the stop token");
    matcher.accept_token(draft[2]).expect("not finished any more");
    assert!(matcher.fill_mask(&mut [0; 8]).is_err(), "one word too few");
}

#[test]
fn a_stop_token_that_has_text_is_a_stop_token_first() {
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    let vocabulary = builder.stop(u32::from(b'.')).build().expect("a vocabulary");
    let compiler = Compiler::new(vocabulary);
    // As text it cannot be written any more, so a grammar that needs its byte could get stuck.
    let error =
        compiler.compile(&ebnf::grammar("root ::= \"a.\"").expect("parses")).expect_err("stuck after a");
    assert_eq!(error.kind(), CompileErrorKind::Vocabulary);
    let compiled = compiler.compile(&ebnf::grammar("root ::= \"a\"+").expect("parses")).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    assert_eq!(
        matcher.accept_token(u32::from(b'.')).expect_err("too early").kind(),
        AcceptErrorKind::NotComplete
    );
    matcher.accept_token(u32::from(b'a')).expect("text");
    matcher.accept_token(u32::from(b'.')).expect("the end");
    assert!(matcher.is_finished());
}
