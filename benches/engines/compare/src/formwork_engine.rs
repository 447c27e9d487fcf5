//! Formwork as one of the engines.

use crate::engine::{Compiled, Engine, Session, Source};
use crate::workload::Workload;
use anyhow::{Result, anyhow};
use formwork::{CompiledGrammar, Compiler, Grammar, Matcher, Vocabulary};

/// Formwork with one configuration of its compiler.
pub(crate) struct Formwork {
    name: &'static str,
    compiler: Compiler,
}

impl Formwork {
    /// As it comes: local masks computed at compile, within the default budget.
    pub(crate) fn with_defaults(vocabulary: Vocabulary) -> Self {
        Self { name: "formwork", compiler: Compiler::new(vocabulary) }
    }

    /// Every local mask computed when it is first needed.
    pub(crate) fn just_in_time(vocabulary: Vocabulary) -> Self {
        Self { name: "formwork-jit", compiler: Compiler::builder(vocabulary).precompute(0).build() }
    }
}

impl Engine for Formwork {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compile(&self, workload: &Workload) -> Result<Box<dyn Compiled>> {
        Ok(Box::new(self.compiler.compile(&grammar(workload.formwork)?)?))
    }
}

fn grammar(source: Source) -> Result<Grammar> {
    match source {
        Source::AnyJson => Ok(formwork::json_schema::any_json()),
        Source::Schema(text) => Ok(formwork::json_schema::grammar(text)?),
        Source::Ebnf(text) => Ok(formwork::ebnf::grammar(text)?),
        Source::Lark(_) => Err(anyhow!("no frontend for Lark yet")),
    }
}

impl Compiled for CompiledGrammar {
    fn session(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(Matcher::new(self)))
    }
}

impl Session for Matcher {
    fn mask(&mut self, mask: &mut [u32]) -> Result<()> {
        self.fill_mask(mask)?;
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<()> {
        Ok(self.accept_token(token)?)
    }
}
