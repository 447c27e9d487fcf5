//! Before anything is timed: every engine accepts every document, and where their masks differ.

use crate::engine::{Compiled, Engine, count, is_set};
use crate::tokenizer::Tokenizer;
use crate::workload::{Document, Workload};
use anyhow::{Context, Result, ensure};
use formwork::TokenId;
use std::fmt::Write;

/// How the masks of two engines differ over the documents of a workload.
#[derive(Default)]
pub(crate) struct Differences {
    pub(crate) steps: usize,
    /// Steps in which the masks are not the same.
    pub(crate) differing: usize,
    /// Steps in which only the first engine allows something, or only the second, or each something.
    pub(crate) more: usize,
    pub(crate) fewer: usize,
    pub(crate) both: usize,
    /// The widest difference of each kind, in words.
    pub(crate) examples: Vec<String>,
    /// How many tokens each of the examples is about.
    widest: [usize; 3],
}

/// Every engine allows each token of each document where it comes, accepts it, and may stop at the end.
pub(crate) fn accepts(
    engine: &dyn Engine,
    workload: &Workload,
    documents: &[Document],
    tokenizer: &Tokenizer,
) -> Result<()> {
    let compiled = engine.compile(workload)?;
    let mut mask = vec![0; tokenizer.vocabulary.mask_words()];
    for document in documents {
        let mut session = compiled.session()?;
        for (step, &token) in document.tokens.iter().enumerate() {
            let place = || format!("{}, step {step}, {}", document.name, spelled(tokenizer, token));
            session.mask(&mut mask).with_context(place)?;
            ensure!(is_set(&mask, token), "{}: {}: the mask forbids it", engine.name(), place());
            session.accept(token).with_context(place)?;
        }
        session.mask(&mut mask)?;
        for stop in tokenizer.vocabulary.stop_tokens() {
            ensure!(
                is_set(&mask, stop.get()),
                "{}: {}: may not stop at the end",
                engine.name(),
                document.name
            );
        }
    }
    Ok(())
}

/// Compares the masks of two engines at every step.
pub(crate) fn compare(
    ours: &dyn Compiled,
    theirs: &dyn Compiled,
    documents: &[Document],
    tokenizer: &Tokenizer,
) -> Result<Differences> {
    let n_words = tokenizer.vocabulary.mask_words();
    let (mut first, mut second) = (vec![0; n_words], vec![0; n_words]);
    let mut found = Differences { examples: vec![String::new(); 3], ..Differences::default() };
    for document in documents {
        let (mut our, mut their) = (ours.session()?, theirs.session()?);
        for step in 0..=document.tokens.len() {
            our.mask(&mut first)?;
            their.mask(&mut second)?;
            found.steps += 1;
            found.add(&first, &second, tokenizer, document, step);
            if let Some(&token) = document.tokens.get(step) {
                our.accept(token)?;
                their.accept(token)?;
            }
        }
    }
    found.examples.retain(|example| !example.is_empty());
    Ok(found)
}

impl Differences {
    fn add(
        &mut self,
        first: &[u32],
        second: &[u32],
        tokenizer: &Tokenizer,
        document: &Document,
        step: usize,
    ) {
        let only = |a: &[u32], b: &[u32]| a.iter().zip(b).map(|(a, b)| a & !b).collect::<Vec<u32>>();
        let (ours, theirs) = (only(first, second), only(second, first));
        let (n_ours, n_theirs) = (count(&ours), count(&theirs));
        let kind = match (n_ours, n_theirs) {
            (0, 0) => return,
            (_, 0) => 0,
            (0, _) => 1,
            _ => 2,
        };
        self.differing += 1;
        *[&mut self.more, &mut self.fewer, &mut self.both][kind] += 1;
        if n_ours + n_theirs <= self.widest[kind] {
            return;
        }
        self.widest[kind] = n_ours + n_theirs;
        let before = &document.tokens[..step];
        let text = String::from_utf8_lossy(&tokenizer.environment.tok_trie().decode_raw(before)).into_owned();
        let tail: String = text.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
        let example = &mut self.examples[kind];
        example.clear();
        let _ = write!(
            example,
            "{} step {step}, after `{}`: {} against {} tokens",
            document.name,
            tail.escape_debug(),
            count(first),
            count(second)
        );
        for (who, set, n) in [("formwork", &ours, n_ours), ("llguidance", &theirs, n_theirs)] {
            if n > 0 {
                let some: Vec<String> = tokens(set).take(4).map(|token| spelled(tokenizer, token)).collect();
                let _ = write!(example, "; only {who} {n}: {}", some.join(" "));
            }
        }
    }
}

fn tokens(mask: &[u32]) -> impl Iterator<Item = u32> + '_ {
    formwork::bits::tokens(mask).map(TokenId::get)
}

fn spelled(tokenizer: &Tokenizer, token: u32) -> String {
    match tokenizer.vocabulary.text(TokenId::new(token)) {
        Some(text) => format!("`{}`", String::from_utf8_lossy(text).escape_debug()),
        None => format!("#{token}"),
    }
}
