//! llguidance as one of the engines, driven as its own server integrations do.
//!
//! `Matcher` without fast-forward tokens and with `general_slices`. It has no compiled grammar: sessions are clones of a
//! fresh matcher. `Clone` shares the lexer's automaton, which therefore stays warm from one session to the next; that is
//! its quicker way on one thread (`deep_clone`, which servers use so that threads do not wait for each other, starts cold).
//! A mask is copied into the caller's buffer, as its Python binding does.

use crate::engine::{Compiled, Engine, Session, Source};
use crate::workload::Workload;
use anyhow::{Result, anyhow, ensure};
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::{Matcher, ParserFactory};
use toktrie::{InferenceCapabilities, TokEnv};

/// llguidance over a tokenizer.
pub(crate) struct Llguidance {
    factory: ParserFactory,
}

impl Llguidance {
    pub(crate) fn new(tokenizer: &TokEnv) -> Result<Self> {
        let slices = SlicedBiasComputer::general_slices();
        let mut factory = ParserFactory::new(tokenizer, InferenceCapabilities::default(), &slices)?;
        factory.quiet();
        Ok(Self { factory })
    }
}

impl Engine for Llguidance {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn compile(&self, workload: &Workload) -> Result<Box<dyn Compiled>> {
        let grammar = match workload.llguidance {
            Source::AnyJson => TopLevelGrammar::from_json_schema(serde_json::json!({})),
            Source::Schema(text) => TopLevelGrammar::from_json_schema(serde_json::from_str(text)?),
            Source::Lark(text) => TopLevelGrammar::from_lark(text.to_owned()),
            Source::Ebnf(_) => return Err(anyhow!("llguidance reads no EBNF")),
        };
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(anyhow!("{error}")),
            None => Ok(Box::new(Fresh(matcher))),
        }
    }
}

struct Fresh(Matcher);

impl Compiled for Fresh {
    fn session(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(self.0.clone()))
    }
}

impl Session for Matcher {
    fn mask(&mut self, mask: &mut [u32]) -> Result<()> {
        // A matcher that can only stop has stopped; then only the stop tokens are left.
        let computed = self.compute_mask_or_eos()?;
        // One word more than needed is there when the width is a multiple of 32.
        let words = computed.as_slice();
        ensure!(words.len() >= mask.len(), "a mask of {} words", words.len());
        mask.copy_from_slice(&words[..mask.len()]);
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<()> {
        self.consume_token(token)
    }
}
