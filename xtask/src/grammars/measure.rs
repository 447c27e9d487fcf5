//! Follows texts and times every mask.
#![allow(clippy::disallowed_types, reason = "measures time")]

use anyhow::{Context, Result};
use formwork::vocab::Trie;
use formwork::{CompiledGrammar, Compiler, Grammar, Matcher, TokenId, Vocabulary, bits};
use std::fmt;
use std::time::Instant;

/// Rounds after the first, of which the least time of a mask counts: what else the machine does only adds.
const N_ROUNDS: usize = 5;

/// The masks of one grammar along some texts; times in microseconds.
pub(super) struct Measured {
    n_states: usize,
    n_rules: usize,
    pub(super) n_steps: usize,
    pub(super) p50: f64,
    pub(super) p99: f64,
    /// The longest of the first round, in which local masks were made.
    first: f64,
    /// What stood before and after the longest mask.
    pub(super) worst: String,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_states, n_rules, p50, p99, first, .. } = self;
        write!(f, "{n_states:>7}{n_rules:>6}{p50:>9.2}{p99:>9.2}{first:>9.0}")
    }
}

pub(super) fn measure(vocabulary: &Vocabulary, grammar: &Grammar, documents: &[Vec<u8>]) -> Result<Measured> {
    let compiled = Compiler::new(vocabulary.clone()).compile(grammar)?;
    let (mut least, mut first) = (Vec::new(), 0.0_f64);
    for round in 0..=N_ROUNDS {
        let times = one_round(&compiled, documents)?;
        match round {
            0 => first = times.iter().copied().fold(0.0, f64::max),
            1 => least = times,
            _ => least.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time)),
        }
    }
    let worst = (0..least.len()).max_by(|&a, &b| least[a].total_cmp(&least[b])).unwrap_or_default();
    let worst = place(vocabulary, documents, worst);
    let n_steps = least.len();
    least.sort_by(f64::total_cmp);
    let at = |part: f64| least.get(((n_steps as f64 * part) as usize).min(n_steps.saturating_sub(1)));
    Ok(Measured {
        n_states: compiled.automata().n_states(),
        n_rules: compiled.automata().n_rules(),
        n_steps,
        p50: at(0.5).copied().unwrap_or_default(),
        p99: at(0.99).copied().unwrap_or_default(),
        first,
        worst,
    })
}

/// The time of every mask along every text, with new matchers.
fn one_round(compiled: &CompiledGrammar, documents: &[Vec<u8>]) -> Result<Vec<f64>> {
    let vocabulary = compiled.vocabulary();
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let mut times = Vec::new();
    for document in documents {
        let mut matcher = Matcher::new(compiled);
        let mut rest = &document[..];
        loop {
            let start = Instant::now();
            matcher.fill_mask(&mut mask)?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
            let Some((token, length)) = longest_token(vocabulary, rest) else { break };
            matcher.accept_token(token).with_context(|| String::from_utf8_lossy(document).into_owned())?;
            rest = &rest[length..];
        }
    }
    Ok(times)
}

/// Where in the texts a step is.
fn place(vocabulary: &Vocabulary, documents: &[Vec<u8>], step: usize) -> String {
    let mut n = 0;
    for document in documents {
        let mut at = 0_usize;
        loop {
            if n == step {
                let before = String::from_utf8_lossy(&document[at.saturating_sub(20)..at]);
                let after = String::from_utf8_lossy(&document[at..document.len().min(at + 10)]);
                return format!("{after:?}, after {before:?}");
            }
            n += 1;
            let Some((_, length)) = longest_token(vocabulary, &document[at..]) else { break };
            at += length;
        }
    }
    String::new()
}

fn longest_token(vocabulary: &Vocabulary, text: &[u8]) -> Option<(TokenId, usize)> {
    let trie = vocabulary.trie();
    let (mut node, mut longest) = (Trie::ROOT, None);
    for (i, &byte) in text.iter().enumerate() {
        let Some(child) = trie.child(node, byte) else { break };
        node = child;
        longest = trie.tokens_at(node).first().map(|&token| (token, i + 1)).or(longest);
    }
    longest
}

/// Texts that the grammar lets begin so: a few walks of a hundred allowed tokens each, the same ones every time.
pub(super) fn random_walks(vocabulary: &Vocabulary, grammar: &Grammar) -> Vec<Vec<u8>> {
    let Ok(compiled) = Compiler::new(vocabulary.clone()).compile(grammar) else { return Vec::new() };
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut walks = Vec::new();
    for _ in 0..4 {
        let (mut matcher, mut text) = (Matcher::new(&compiled), Vec::new());
        for _ in 0..100 {
            if matcher.fill_mask(&mut mask).is_err() {
                break;
            }
            let allowed: Vec<TokenId> = bits::tokens(&mask)
                .filter(|&token| vocabulary.text(token).is_some() && !vocabulary.is_stop(token))
                .collect();
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let Some(&token) = allowed.get((seed % allowed.len().max(1) as u64) as usize) else { break };
            if matcher.accept_token(token).is_err() {
                break;
            }
            text.extend(vocabulary.text(token).unwrap_or_default());
        }
        walks.push(text);
    }
    walks
}
