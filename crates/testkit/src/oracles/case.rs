//! A grammar, a vocabulary and switches: what the engine's oracles are tried on.

use crate::generate::{GrammarShape, VocabularyShape, random_grammar, random_vocabulary};
use crate::{Failure, Outcome, Reference, Rng, SpelledSymbols, shown, with_seed};
use formwork_engine::{CompileErrorKind, CompiledGrammar, Compiler, Config, MaskError, Matcher};
use formwork_grammar::Grammar;
use formwork_vocab::{TokenId, TokenKind, Vocabulary};
use std::fmt::Write as _;

/// What the engine's oracles are tried on.
#[derive(Clone, Debug)]
pub struct EngineCase {
    /// The grammar.
    pub grammar: Grammar,
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// Switches and limits. Every choice of switches must give the same answers.
    pub config: Config,
}

impl EngineCase {
    /// A random grammar and vocabulary, with switches drawn at random.
    pub fn random(rng: &mut Rng, grammar: &GrammarShape, vocabulary: &VocabularyShape) -> Self {
        let grammar = random_grammar(rng, grammar);
        Self::over(rng, grammar, vocabulary)
    }

    /// A grammar over a random vocabulary, with switches drawn at random.
    pub fn over(rng: &mut Rng, grammar: Grammar, vocabulary: &VocabularyShape) -> Self {
        Self { grammar, vocabulary: random_vocabulary(rng, vocabulary), config: random_config(rng) }
    }

    /// An oracle on the case that a seed makes; a failure names the seed.
    ///
    /// # Errors
    /// The oracle's.
    pub fn check(
        seed: u64,
        make: impl FnOnce(&mut Rng) -> Self,
        oracle: impl FnOnce(&Self, &mut Rng) -> Outcome,
    ) -> Outcome {
        with_seed(seed, |rng| {
            let case = make(rng);
            oracle(&case, rng)
        })
    }

    /// The reference recogniser of the grammar, in which tokens of the vocabulary are symbols.
    pub fn reference(&self) -> Reference {
        Reference::with_symbols(&self.grammar, &SpelledSymbols::of(&self.vocabulary))
    }

    /// The compiled grammar, or `None` if the compiler refused for a reason that it may have.
    ///
    /// # Errors
    /// It refused a grammar that has members as empty, or compiled one that has none; or it missed tokens although every
    /// byte is one.
    pub fn compile(&self, property: &str) -> Result<Option<CompiledGrammar>, Failure> {
        let is_productive = self.reference().is_productive();
        let compiler = Compiler::builder(self.vocabulary.clone()).config(self.config.clone()).build();
        match compiler.compile(&self.grammar) {
            Ok(_) if !is_productive => Err(self.fail(property, "compiled, but the language is empty")),
            Ok(compiled) => Ok(Some(compiled)),
            Err(error) => {
                let all_bytes = (0..=u8::MAX).all(|byte| self.vocabulary.has_single_byte(byte));
                match error.kind() {
                    CompileErrorKind::Unsatisfiable if is_productive => {
                        Err(self.fail(property, format_args!("refused as empty: {error}")))
                    }
                    CompileErrorKind::Vocabulary if all_bytes && is_productive => {
                        Err(self.fail(property, format_args!("every byte is a token, but: {error}")))
                    }
                    CompileErrorKind::Interrupted => {
                        Err(self.fail(property, "interrupted, which nobody asked for"))
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// A report of this case.
    pub fn fail(&self, property: &str, message: impl std::fmt::Display) -> Failure {
        let mut tokens = String::from("tokens:");
        for id in ids(&self.vocabulary) {
            let stop = if self.vocabulary.is_stop(id) { " (stop)" } else { "" };
            match (self.vocabulary.kind(id), self.vocabulary.text(id)) {
                // Single bytes are nearly always all there and say nothing.
                (TokenKind::Text, Some(text)) if text.len() != 1 || !stop.is_empty() => {
                    let _ = write!(tokens, " {}={}{stop}", id.get(), shown(text));
                }
                (TokenKind::Special, _) => {
                    let _ = write!(tokens, " {}=special{stop}", id.get());
                }
                _ => {}
            }
        }
        Failure::new(property, &self.grammar, message).with(tokens).with(format_args!("{:?}", self.config))
    }

    /// The tokens as bytes, for reports.
    pub fn spelled(&self, tokens: &[TokenId]) -> String {
        let bytes: Vec<u8> =
            tokens.iter().filter_map(|&id| self.vocabulary.text(id)).flatten().copied().collect();
        format!("after {} as {:?}", shown(&bytes), tokens.iter().map(|id| id.get()).collect::<Vec<u32>>())
    }
}

/// Switches drawn at random; the limits are the default ones.
pub fn random_config(rng: &mut Rng) -> Config {
    let mut config = Config::default();
    config.automata = super::RowCheck::random_config(rng);
    config.precompute = if rng.chance(1, 2) { config.precompute } else { 0 };
    config.recipes = rng.chance(1, 2);
    config.arenas = rng.chance(2, 3);
    config.recent_bytes = if rng.chance(1, 2) { config.recent_bytes } else { 0 };
    config.slices = rng.chance(2, 3);
    config.suffixes = rng.chance(2, 3);
    config.runs = rng.chance(1, 2);
    config.pool = rng.chance(1, 2);
    config
}

/// All ids below the width, holes included.
pub fn ids(vocabulary: &Vocabulary) -> impl Iterator<Item = TokenId> {
    let width = u32::try_from(vocabulary.width()).unwrap_or(u32::MAX);
    (0..width).map(TokenId::new)
}

/// The mask of a matcher, or `None` if a limit was reached.
///
/// # Errors
/// The mask could not be filled for another reason.
pub fn mask(case: &EngineCase, property: &str, matcher: &mut Matcher) -> Result<Option<Vec<u32>>, Failure> {
    let mut mask = vec![0; case.vocabulary.mask_words()];
    match matcher.fill_mask(&mut mask) {
        Ok(_) => Ok(Some(mask)),
        Err(MaskError::Limit(_)) => Ok(None),
        Err(error) => Err(case.fail(property, format_args!("no mask: {error}"))),
    }
}

/// Whether a mask allows a token; ids beyond it are not allowed.
pub fn allows(mask: &[u32], id: TokenId) -> bool {
    mask.get(id.index() / 32).is_some_and(|word| word >> (id.index() % 32) & 1 != 0)
}
