//! xgrammar-rs as an engine of the benchmarks: the Rust port of XGrammar of the same version.
//!
//! One thread. As it comes here: `strict_mode` off, so that objects are as open as the schema says (its own default closes
//! them, which is another language), any white space, and the cache on and kept from schema to schema. Variants: `strict`
//! (its own default), `fresh` (the cache is cleared before every schema).
#![forbid(unsafe_code)]

use anyhow::{Result, anyhow, bail};
use formwork_bench::engine::{Compiled, Engine, Failure, Laps, Session};
use formwork_bench::protocol::{Job, Source, Start};
use tokenizers::Tokenizer;
use xgrammar::{CompiledGrammar, GrammarCompiler, GrammarMatcher, TokenizerInfo};

fn main() -> Result<()> {
    formwork_bench::worker::serve(XGrammar::engine)
}

/// A compiler over a tokenizer.
struct XGrammar {
    compiler: GrammarCompiler,
    n_words: usize,
    strict: bool,
    fresh: bool,
}

impl XGrammar {
    fn engine(start: &Start) -> Result<Box<dyn Engine>> {
        let (strict, fresh) = match &*start.variant {
            "" => (false, false),
            "strict" => (true, false),
            "fresh" => (false, true),
            other => bail!("no variant `{other}`: strict, fresh"),
        };
        let tokenizer = Tokenizer::from_file(&start.tokenizer).map_err(|error| anyhow!("{error}"))?;
        let stops: Vec<i32> = start.stops.iter().map(|&stop| stop as i32).collect();
        let info = TokenizerInfo::from_huggingface(&tokenizer, Some(start.width), Some(&stops));
        let info = info.map_err(|error| anyhow!("{error}"))?;
        // One thread; a cache without bounds, as it comes.
        let compiler = GrammarCompiler::new(info, 1, true, -1);
        Ok(Box::new(Self { compiler, n_words: start.width.div_ceil(32), strict, fresh }))
    }

    fn grammar(&self, source: &Source) -> Result<CompiledGrammar, Failure> {
        let compiled = match source {
            Source::Schema(text) => {
                self.compiler.compile_json_schema(text, true, None, None, self.strict, None)
            }
            Source::Ebnf(text) => self.compiler.compile_grammar_ebnf(text, "root"),
            Source::Regex(text) => self.compiler.compile_regex(text),
            Source::Tag(text) => self.compiler.compile_structural_tag(text),
            Source::Lark(_) => return Err("its Lark is not llguidance's".to_owned()),
        };
        compiled.map_err(|error| error.to_string())
    }
}

impl Engine for XGrammar {
    fn version(&self) -> String {
        format!("xgrammar-rs {}", xgrammar::VERSION)
    }

    fn compile(&self, source: &Source, _: &mut Laps) -> Result<Box<dyn Compiled>, Failure> {
        if self.fresh {
            self.compiler.clear_cache();
        }
        Ok(Box::new(Ready(self.grammar(source)?)))
    }

    fn warm_up(&self, job: &Job) -> Result<(), Failure> {
        let ready = Ready(self.grammar(&job.source)?);
        let mut mask = vec![0; self.n_words];
        for document in &job.documents {
            let mut session = ready.session()?;
            for &token in document {
                session.mask(&mut mask)?;
                session.accept(token)?;
            }
        }
        self.compiler.clear_cache();
        Ok(())
    }
}

struct Ready(CompiledGrammar);

impl Compiled for Ready {
    fn session(&self) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Running(GrammarMatcher::from_compiled_grammar(&self.0, false))))
    }
}

struct Running(GrammarMatcher);

impl Session for Running {
    fn mask(&mut self, mask: &mut [u32]) -> Result<(), Failure> {
        let shape = [1, mask.len() as i64];
        let filled = self.0.fill_next_token_bitmask(bytemuck::cast_slice_mut(mask), &shape, 0);
        filled.map_err(|error| error.to_string())?;
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), Failure> {
        if self.0.accept_token(token as i32) {
            Ok(())
        } else {
            Err("it refuses a token that its mask allows".to_owned())
        }
    }
}
