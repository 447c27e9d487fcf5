//! Matchers that go on with the rows of earlier ones.

use formwork_engine::{CompiledGrammar, Compiler, Config, Matcher};
use formwork_vocab::Vocabulary;

fn compile(grammar: &str, config: Config) -> CompiledGrammar {
    let mut vocabulary = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        vocabulary.token(u32::from(byte), [byte]);
    }
    vocabulary.token(256u32, "ab").token(257u32, "],").special(300u32, "<stop>").stop(300u32);
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar of this test");
    let vocabulary = vocabulary.build().expect("a vocabulary");
    Compiler::builder(vocabulary).config(config).build().compile(&grammar).expect("it compiles")
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

/// The masks along a text, and how much memory the rows took.
fn masks(compiled: &CompiledGrammar, text: &str) -> (Vec<Vec<u32>>, usize) {
    let mut matcher = Matcher::new(compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    let mut masks = Vec::new();
    for byte in text.bytes() {
        matcher.fill_mask(&mut mask).expect("within limits");
        masks.push(mask.clone());
        matcher.accept_token(u32::from(byte)).expect("accepted");
    }
    (masks, matcher.memory_size())
}

const LISTS: &str = "root ::= list\nlist ::= \"[\" (list (\",\" list)*)? \"]\" | [a-c]{1,300}\n";

#[test]
fn a_later_matcher_finds_rows_and_says_the_same() {
    let (with, without) = (compile(LISTS, Config::default()), compile(LISTS, config(|c| c.arenas = false)));
    let texts = ["[[],[a,bb]]", "[[[[[]]]],[]]", "[abcabc,[]]", "[[],[a,bb]]"];
    for text in texts {
        assert_eq!(masks(&with, text).0, masks(&without, text).0, "{text}");
    }
    // All rows of the last text were there.
    let before = Matcher::new(&with).memory_size();
    assert_eq!(masks(&with, texts[0]).1, before);
    assert!(masks(&without, texts[0]).1 < before);
}

#[test]
fn matchers_at_the_same_time_have_rows_of_their_own() {
    let compiled = compile(LISTS, Config::default());
    masks(&compiled, "[a]");
    let mut matchers: Vec<Matcher> = (0..4).map(|_| Matcher::new(&compiled)).collect();
    for (matcher, text) in matchers.iter_mut().zip(["[[", "a", "[b,", "[],"]) {
        let n = text.len();
        assert_eq!(matcher.accept_bytes(text.as_bytes()).is_ok(), text != "[],", "{text}");
        assert!(matcher.n_bytes() as usize <= n);
    }
    let fork = matchers[0].fork();
    drop(matchers);
    drop(fork);
    assert_eq!(masks(&compiled, "[a]").0, masks(&compile(LISTS, Config::default()), "[a]").0);
}

#[test]
fn what_grows_is_not_kept() {
    let compiled = compile(LISTS, Config::default());
    let empty = Matcher::new(&compiled).memory_size();
    // Every depth and every count is another row.
    let deep = "[".repeat(20_000);
    let (_, filled) = masks(&compiled, &deep);
    assert!(filled > 1 << 20, "{filled}");
    assert_eq!(Matcher::new(&compiled).memory_size(), empty);
    // However many matchers there are at a time, a grammar keeps two mebibytes of theirs.
    let before = compiled.memory_size();
    let matchers: Vec<Matcher> = (0..200)
        .map(|_| {
            let mut matcher = Matcher::new(&compiled);
            matcher.accept_bytes(&deep.as_bytes()[..300]).expect("accepted");
            matcher
        })
        .collect();
    let all: usize = matchers.iter().map(Matcher::memory_size).sum();
    assert!(all > 3 << 20, "{all}");
    drop(matchers);
    let kept = compiled.memory_size() - before;
    assert!((1 << 20..=2 << 20).contains(&kept), "{kept}");
}

#[test]
fn a_limit_is_met_in_the_same_place_or_nearly() {
    let compiled = compile(LISTS, config(|c| c.rows.max_bytes = 40_000));
    let depth = |compiled: &CompiledGrammar| {
        let mut matcher = Matcher::new(compiled);
        (0..10_000).take_while(|_| matcher.accept_token(u32::from(b'[')).is_ok()).count()
    };
    let first = depth(&compiled);
    assert!(first < 10_000);
    // What that matcher left was too much to be kept.
    assert_eq!(depth(&compiled), first);
}
