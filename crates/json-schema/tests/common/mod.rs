//! What the tests share: acceptance of texts through the engine.
#![allow(dead_code, reason = "each test binary uses a part")]

use formwork_engine::{CompiledGrammar, Compiler, Matcher};
use formwork_json_schema::{Error, Options};
use formwork_vocab::Vocabulary;

/// A schema compiled down to automata; `None` if nothing satisfies it.
pub(crate) struct Schema(Option<CompiledGrammar>);

impl Schema {
    /// Compiles, or says why the frontend refuses.
    pub(crate) fn new(options: &Options, schema: &str) -> Result<Self, Error> {
        let grammar = match options.grammar(schema) {
            Ok(grammar) => grammar,
            Err(error) if error.kind().as_str() == "unsatisfiable" => return Ok(Self(None)),
            Err(error) => return Err(error),
        };
        let compiler = Compiler::builder(Vocabulary::bytes()).precompute(0).build();
        match compiler.compile(&grammar) {
            Ok(compiled) => Ok(Self(Some(compiled))),
            Err(error) if error.kind().as_str() == "unsatisfiable" => Ok(Self(None)),
            Err(error) => panic!("{schema}: {error}"),
        }
    }

    /// What it was compiled to; `None` if nothing satisfies it.
    pub(crate) fn grammar(&self) -> Option<&CompiledGrammar> {
        self.0.as_ref()
    }

    /// Whether the grammar has a text.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let Some(compiled) = &self.0 else { return false };
        let mut matcher = Matcher::new(compiled);
        matcher.accept_bytes(text.as_bytes()).is_ok() && matcher.can_finish()
    }
}

/// A small random number generator, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}
