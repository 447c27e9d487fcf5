//! Grammars that people use, with texts that they accept and texts that they nearly accept.
//!
//! The files are in `data/grammars`: a folder per grammar with `grammar.ebnf` or `grammar.gbnf`, `accept/*.txt`,
//! `reject/*.txt` and, where somebody who knows how engines work would write it otherwise, `inlined.ebnf`, which means the
//! same. The last newline of a text file is not part of the text.

use formwork::vocab::Trie;
use formwork::{CompiledGrammar, Compiler, Grammar, Matcher, TokenId, Vocabulary, bits, ebnf, regex};
use formwork_testkit::oracles::brute_force;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of the suite.
struct Case {
    name: String,
    grammar: Grammar,
    inlined: Option<Grammar>,
    accept: Vec<Document>,
    reject: Vec<Document>,
}

struct Document {
    name: String,
    text: Vec<u8>,
}

fn suite() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/grammars");
    let cases: Vec<Case> =
        sorted(&folder).iter().filter(|path| path.is_dir()).map(|path| case(path)).collect();
    assert!(cases.len() >= 30, "only {} grammars in {}", cases.len(), folder.display());
    cases
}

fn case(folder: &Path) -> Case {
    let name = file_name(folder);
    let grammar = read(&folder.join("grammar.ebnf"), ebnf::Dialect::Ebnf)
        .or_else(|| read(&folder.join("grammar.gbnf"), ebnf::Dialect::Gbnf))
        .unwrap_or_else(|| panic!("{name} has no grammar"));
    let inlined = read(&folder.join("inlined.ebnf"), ebnf::Dialect::Ebnf);
    let (accept, reject) = (documents(&folder.join("accept")), documents(&folder.join("reject")));
    assert!(accept.len() >= 4 && reject.len() >= 6, "{name}: {} and {} texts", accept.len(), reject.len());
    Case { name, grammar, inlined, accept, reject }
}

fn read(path: &Path, dialect: ebnf::Dialect) -> Option<Grammar> {
    let text = fs::read_to_string(path).ok()?;
    let grammar = ebnf::Options::new().dialect(dialect).grammar(&text);
    Some(grammar.unwrap_or_else(|errors| panic!("{}:\n{errors}", path.display())))
}

fn documents(folder: &Path) -> Vec<Document> {
    let read = |path: &PathBuf| {
        let mut text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(text.pop(), Some(b'\n'), "{} ends with a newline", path.display());
        Document { name: file_name(path), text }
    };
    sorted(folder).iter().map(read).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn compile(name: &str, grammar: &Grammar, vocabulary: &Vocabulary) -> CompiledGrammar {
    let compiler = Compiler::builder(vocabulary.clone()).precompute(0).build();
    compiler.compile(grammar).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether a text is accepted, and where it is refused or that it may not end.
fn verdict(compiled: &CompiledGrammar, text: &[u8]) -> Result<(), String> {
    let mut matcher = Matcher::new(compiled);
    matcher.accept_bytes(text).map_err(|error| error.to_string())?;
    if matcher.can_finish() { Ok(()) } else { Err("it may not end here".to_owned()) }
}

/// Every text that is judged wrongly.
fn check(what: &str, case: &Case, grammar: &Grammar, wrong: &mut Vec<String>) {
    let name = format!("{} {what}", case.name);
    let compiled = compile(&name, grammar, &Vocabulary::bytes());
    for document in &case.accept {
        if let Err(why) = verdict(&compiled, &document.text) {
            wrong.push(format!("{name}: accept/{}: {why}", document.name));
        }
    }
    for document in &case.reject {
        if verdict(&compiled, &document.text).is_ok() {
            wrong.push(format!("{name}: reject/{} is accepted", document.name));
        }
    }
}

#[test]
fn texts_are_accepted_and_rejected() {
    let mut wrong = Vec::new();
    for case in &suite() {
        check("as written", case, &case.grammar, &mut wrong);
        if let Some(inlined) = &case.inlined {
            check("inlined", case, inlined, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_notations_accept_the_same() {
    let (mut wrong, mut n_gbnf, mut n_regex) = (Vec::new(), 0, 0);
    for case in &suite() {
        let printed = ebnf::grammar(&case.grammar.to_string());
        let printed = printed.unwrap_or_else(|errors| panic!("{}:\n{errors}", case.name));
        check("printed", case, &printed, &mut wrong);
        if let Ok(text) = ebnf::to_gbnf(&case.grammar) {
            let grammar = ebnf::gbnf::grammar(&text);
            let grammar = grammar.unwrap_or_else(|errors| panic!("{}:\n{errors}", case.name));
            check("as GBNF", case, &grammar, &mut wrong);
            n_gbnf += 1;
        }
        if let Ok(text) = ebnf::to_regex(&case.grammar) {
            let grammar = regex::grammar(&text);
            let grammar = grammar.unwrap_or_else(|error| panic!("{}:\n{error}", case.name));
            check("as a regular expression", case, &grammar, &mut wrong);
            n_regex += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_gbnf >= 20 && n_regex >= 10, "{n_gbnf} as GBNF, {n_regex} as regular expressions");
}

#[test]
fn masks_are_exact_at_every_step() {
    let mut n_steps = 0;
    for case in &suite() {
        let vocabulary = vocabulary(case);
        let compiled = compile(&case.name, &case.grammar, &vocabulary);
        for document in &case.accept {
            n_steps += walk(case, &compiled, document, |choices| choices.last().copied());
            let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
            n_steps += walk(case, &compiled, document, |choices| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                choices.get((seed % choices.len().max(1) as u64) as usize).copied()
            });
        }
        // Near misses lead to the places where masks are decided.
        for document in &case.reject {
            n_steps += walk(case, &compiled, document, |choices| choices.last().copied());
        }
    }
    assert!(n_steps > 5_000, "only {n_steps} steps");
}

/// All single bytes, and what the grammar's texts are made of: pieces of two to six bytes, some of them no whole characters.
fn vocabulary(case: &Case) -> Vocabulary {
    let mut pieces: BTreeSet<&[u8]> = BTreeSet::new();
    let mut n = 0_usize;
    for document in case.accept.iter().chain(&case.reject) {
        for start in 0..document.text.len() {
            n += 1;
            let end = (start + 2 + n % 5).min(document.text.len());
            if n % 2 == 0 && end > start + 1 {
                pieces.insert(&document.text[start..end]);
            }
        }
    }
    let step = pieces.len().div_ceil(250).max(1);
    let mut builder = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        builder.token(u32::from(byte), [byte]);
    }
    for (id, piece) in (256u32..).zip(pieces.iter().step_by(step)) {
        builder.token(id, piece);
    }
    builder.special(1_000u32, "<end>").stop(1_000u32);
    builder.build().unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Follows a text in tokens of the caller's choice as far as it is accepted; compares every mask with brute force.
fn walk(
    case: &Case,
    compiled: &CompiledGrammar,
    document: &Document,
    mut choose: impl FnMut(&[(TokenId, usize)]) -> Option<(TokenId, usize)>,
) -> usize {
    let vocabulary = compiled.vocabulary();
    let trie = vocabulary.trie();
    let mut matcher = Matcher::new(compiled);
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let (mut rest, mut n_steps) = (&document.text[..], 0);
    loop {
        n_steps += 1;
        matcher.fill_mask(&mut mask).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let expected = brute_force(&mut matcher, vocabulary).expect("steps can be taken back");
        if mask != expected {
            let wrong = (0..vocabulary.width() as u32).map(TokenId::new);
            let wrong = wrong.filter(|&token| bits::get(&mask, token) != bits::get(&expected, token));
            let wrong: Vec<String> = wrong.take(5).map(|token| shown(vocabulary.text(token))).collect();
            panic!("{}, {}, before {}: {wrong:?}", case.name, document.name, shown(Some(rest)));
        }
        let mut choices = Vec::new();
        let mut node = Trie::ROOT;
        for (i, &byte) in rest.iter().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            choices.extend(trie.tokens_at(node).first().map(|&token| (token, i + 1)));
        }
        let Some((token, length)) = choose(&choices) else { return n_steps };
        if matcher.accept_token(token).is_err() {
            return n_steps;
        }
        rest = &rest[length..];
    }
}

fn shown(bytes: Option<&[u8]>) -> String {
    String::from_utf8_lossy(bytes.unwrap_or_default()).chars().take(20).collect()
}
