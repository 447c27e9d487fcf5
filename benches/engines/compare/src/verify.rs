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
    /// Tokens, counted once a step, that one engine alone allows and that [`KNOWN`] does not explain; and some of them.
    pub(crate) unexplained: usize,
    pub(crate) strange: Vec<String>,
    /// The widest difference of each kind, in words.
    pub(crate) examples: Vec<String>,
    /// How many tokens each of the examples is about.
    widest: [usize; 3],
}

/// What llguidance's JSON strings refuse although JSON has it: a token that spells one of these, together with the bytes
/// before it, is a known difference.
const KNOWN: [&[u8]; 3] = [b"\x7f", b"\\/", b"\\u"];
/// As many unexplained tokens are shown.
const MAX_STRANGE: usize = 8;

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
        let before = tokenizer.environment.tok_trie().decode_raw(&document.tokens[..step]);
        self.explain(&ours, &theirs, &before, tokenizer);
        if n_ours + n_theirs <= self.widest[kind] {
            return;
        }
        self.widest[kind] = n_ours + n_theirs;
        let text = String::from_utf8_lossy(&before).into_owned();
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

impl Differences {
    /// Counts the tokens that are not known to differ: those only we allow and none of [`KNOWN`] is in, and all that
    /// only the other allows.
    fn explain(&mut self, ours: &[u32], theirs: &[u32], before: &[u8], tokenizer: &Tokenizer) {
        let tail = &before[before.len().saturating_sub(1)..];
        let known = |token: u32| {
            let mut text = tail.to_vec();
            text.extend_from_slice(tokenizer.vocabulary.text(TokenId::new(token)).unwrap_or_default());
            KNOWN.iter().any(|known| text.windows(known.len()).any(|window| window == *known))
        };
        let strange = tokens(ours).filter(|&token| !known(token)).chain(tokens(theirs));
        for token in strange {
            self.unexplained += 1;
            let spelled = spelled(tokenizer, token);
            if self.strange.len() < MAX_STRANGE && !self.strange.contains(&spelled) {
                self.strange.push(spelled);
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
