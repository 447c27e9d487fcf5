//! llguidance as an engine of the benchmarks, driven as its own server integrations do.
//!
//! `Matcher` without fast-forward tokens and with `general_slices`. It has no compiled grammar: sessions are clones of a
//! fresh matcher. `Clone` shares the lexer's automaton, which therefore stays warm from one instance to the next; that is
//! its quicker way on one thread. Variant `deep`: `deep_clone`, which servers use so that threads do not wait for each
//! other, and MaskBench too; each session starts cold. Variant `lenient`: ignores what it cannot enforce.
//! A mask is copied into the caller's buffer, as its Python binding does.
#![forbid(unsafe_code)]

use anyhow::{Result, anyhow, bail, ensure};
use formwork_bench::engine::{Compiled, Engine, Failure, Laps, Session};
use formwork_bench::protocol::{Job, Source, Start};
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::{JsonCompileOptions, Matcher, ParserFactory};
use toktrie::InferenceCapabilities;
use toktrie_hf_tokenizers::ByteTokenizer;

fn main() -> Result<()> {
    formwork_bench::worker::serve(Llguidance::engine)
}

/// llguidance over a tokenizer.
struct Llguidance {
    factory: ParserFactory,
    options: JsonCompileOptions,
    deep: bool,
}

impl Llguidance {
    fn engine(start: &Start) -> Result<Box<dyn Engine>> {
        let (lenient, deep) = match &*start.variant {
            "" => (false, false),
            "deep" => (false, true),
            "lenient" => (true, false),
            other => bail!("no variant `{other}`: deep, lenient"),
        };
        let mut tokenizer = ByteTokenizer::from_file(&start.tokenizer)?;
        tokenizer.set_eos_tokens(&start.stops);
        let environment = tokenizer.into_tok_env(Some(start.width))?;
        let slices = SlicedBiasComputer::general_slices();
        let mut factory = ParserFactory::new(&environment, InferenceCapabilities::default(), &slices)?;
        factory.quiet();
        let options = JsonCompileOptions { lenient, coerce_one_of: lenient, ..JsonCompileOptions::default() };
        Ok(Box::new(Self { factory, options, deep }))
    }

    fn fresh(&self, source: &Source) -> Result<Matcher> {
        let grammar = match source {
            Source::Schema(text) => {
                let mut schema = serde_json::from_str(text)?;
                if self.options.lenient && serde_json::Value::is_object(&schema) {
                    self.options.apply_to(&mut schema);
                }
                TopLevelGrammar::from_json_schema(schema)
            }
            Source::Regex(text) => TopLevelGrammar::from_regex(text),
            Source::Lark(text) => TopLevelGrammar::from_lark(text.clone()),
            Source::Ebnf(_) => bail!("llguidance reads no EBNF"),
            Source::Tag(_) => bail!("llguidance reads no structural tags of this form"),
        };
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(anyhow!("{error}")),
            None => Ok(matcher),
        }
    }
}

impl Engine for Llguidance {
    fn version(&self) -> String {
        "llguidance 1.9.1".to_owned()
    }

    fn compile(&self, source: &Source, _: &mut Laps) -> Result<Box<dyn Compiled>, Failure> {
        let matcher = self.fresh(source).map_err(|error| error.to_string())?;
        Ok(Box::new(Fresh { matcher, deep: self.deep }))
    }

    fn warm_up(&self, job: &Job) -> Result<(), Failure> {
        // Nothing outlives a grammar here.
        let fresh = self.compile(&job.source, &mut Laps::start())?;
        let mut mask = vec![0; self.factory.tok_env().tok_trie().vocab_size().div_ceil(32)];
        for document in &job.documents {
            let mut session = fresh.session()?;
            for &token in document {
                session.mask(&mut mask)?;
                session.accept(token)?;
            }
        }
        Ok(())
    }
}

/// What sessions are copies of.
struct Fresh {
    matcher: Matcher,
    deep: bool,
}

impl Compiled for Fresh {
    fn session(&self) -> Result<Box<dyn Session>, Failure> {
        let matcher = if self.deep { self.matcher.deep_clone() } else { self.matcher.clone() };
        Ok(Box::new(Running(matcher)))
    }
}

struct Running(Matcher);

impl Running {
    fn copy_mask(&mut self, mask: &mut [u32]) -> Result<()> {
        // A matcher that can only stop has stopped; then only the stop tokens are left.
        let computed = self.0.compute_mask_or_eos()?;
        // One word more than needed is there when the width is a multiple of 32.
        let words = computed.as_slice();
        ensure!(words.len() >= mask.len(), "a mask of {} words", words.len());
        mask.copy_from_slice(&words[..mask.len()]);
        Ok(())
    }
}

impl Session for Running {
    fn mask(&mut self, mask: &mut [u32]) -> Result<(), Failure> {
        self.copy_mask(mask).map_err(|error| error.to_string())
    }

    fn accept(&mut self, token: u32) -> Result<(), Failure> {
        self.0.consume_token(token).map_err(|error| error.to_string())
    }
}
