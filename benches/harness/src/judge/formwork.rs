//! Formwork as one of the engines.

use super::{tokenizer, variants};
use crate::engine::{Compiled, Engine, Failure, Laps, Session};
use crate::protocol::{Job, Source, Start};
use anyhow::Result;
use formwork::tags::{self, Cache};
use formwork::{
    CompiledGrammar, Compiler, Config, Grammar, KeptMask, Matcher, Pool, Spawn, TokenId, Vocabulary,
    json_schema,
};
use std::sync::Arc;
use std::time::Duration;

/// Formwork with one configuration of its compiler.
struct Formwork {
    compiler: Compiler,
    config: Config,
    /// How schemas are read that stand by themselves.
    options: json_schema::Options,
    /// What schemas in structural tags become, as a server would keep it.
    schemas: Cache,
    /// Whether sessions keep their masks.
    keeps: bool,
    /// Whether masks are computed while a prompt is read.
    has_threads: bool,
}

/// The worker's engine.
///
/// # Errors
/// No such tokenizer or variant.
pub fn engine(start: &Start) -> Result<Box<dyn Engine>> {
    let config = variants::config(&start.variant)?;
    let mut builder = Compiler::builder(tokenizer::vocabulary(&start.tokenizer)?).config(config.clone());
    let has_threads = variants::is_threaded(&start.variant);
    if has_threads {
        builder = builder.threads(Arc::new(Threads), 1);
    }
    let compiler = builder.build();
    let options = variants::schemas(&start.variant);
    if variants::is_warmed(&start.variant) {
        compiler.warm(&json_schema::any_json())?;
    }
    Ok(Box::new(Formwork {
        compiler,
        config,
        options,
        schemas: Cache::default(),
        keeps: variants::is_kept(&start.variant),
        has_threads,
    }))
}

/// A thread for each job.
struct Threads;

impl Spawn for Threads {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        std::thread::spawn(job);
    }
}

/// How long a model reads a prompt in which the source stands, as tools do: with four bytes a token 50,000 tokens a second, which
/// are many; but not longer than anything here needs.
fn reading(source: &Source) -> Duration {
    let (Source::Schema(text)
    | Source::Ebnf(text)
    | Source::Regex(text)
    | Source::Tag(text)
    | Source::Lark(text)) = source;
    Duration::from_micros(5 * text.len() as u64).min(Duration::from_millis(200))
}

fn grammar(source: &Source, options: &json_schema::Options, schemas: &Cache) -> Result<Grammar, Failure> {
    match source {
        Source::Schema(text) => options.grammar(text).map_err(|error| error.to_string()),
        Source::Ebnf(text) => formwork::ebnf::grammar(text).map_err(|error| error.to_string()),
        Source::Regex(text) => formwork::regex::grammar(text).map_err(|error| error.to_string()),
        Source::Tag(text) => {
            tags::Options::default().cache(schemas).grammar(text).map_err(|error| error.to_string())
        }
        Source::Lark(_) => Err("no frontend for Lark".to_owned()),
    }
}

impl Engine for Formwork {
    fn version(&self) -> String {
        format!("Formwork {}", env!("CARGO_PKG_VERSION"))
    }

    fn compile(&self, source: &Source, laps: &mut Laps) -> Result<Box<dyn Compiled>, Failure> {
        let grammar = grammar(source, &self.options, &self.schemas)?;
        laps.lap("frontend");
        let compiled = self.compiler.compile(&grammar).map_err(|error| error.to_string())?;
        let pool = self.compiler.pool().clone();
        let reading = self.has_threads.then(|| reading(source));
        Ok(Box::new(Ready { compiled, pool, keeps: self.keeps, reading }))
    }

    /// With another vocabulary, so that nothing is shared with what is measured.
    fn warm_up(&self, job: &Job) -> Result<(), Failure> {
        let compiler = Compiler::builder(Vocabulary::bytes()).config(self.config.clone()).build();
        let grammar = grammar(&job.source, &self.options, &Cache::default())?;
        let compiled = compiler.compile(&grammar).map_err(|error| error.to_string())?;
        let mut mask = vec![0; compiler.vocabulary().mask_words()];
        for document in &job.documents {
            let mut matcher = Matcher::new(&compiled);
            for &token in document {
                let text = self.compiler.vocabulary().text(TokenId::new(token)).unwrap_or_default();
                for byte in text {
                    Session::mask(&mut matcher, &mut mask)?;
                    Session::accept(&mut matcher, u32::from(*byte))?;
                }
            }
        }
        Ok(())
    }
}

struct Ready {
    compiled: CompiledGrammar,
    pool: Pool,
    keeps: bool,
    /// How long a prompt is read, if something is done meanwhile.
    reading: Option<Duration>,
}

impl Compiled for Ready {
    fn session(&self) -> Result<Box<dyn Session>, Failure> {
        let matcher = Matcher::new(&self.compiled);
        if self.keeps {
            let mask = KeptMask::new(vec![0; self.compiled.vocabulary().mask_words()]);
            return Ok(Box::new(Keeping { matcher, mask }));
        }
        Ok(Box::new(matcher))
    }

    fn wait_for_prompt(&self) {
        self.reading.into_iter().for_each(std::thread::sleep);
    }

    fn at_first(&self) -> Vec<(String, u64)> {
        let (done, _) = self.compiled.n_local_masks();
        vec![("local masks at first".to_owned(), done as u64)]
    }

    fn figures(&self) -> Vec<(String, u64)> {
        let (done, all) = self.compiled.n_local_masks();
        let pool = self.pool.stats();
        let figures = [
            ("local masks", all as u64),
            ("local masks done", done as u64),
            ("bytes", self.compiled.memory_size() as u64),
            ("bytes of local masks", self.compiled.local_masks_size() as u64),
            ("local masks so far", pool.misses),
            ("bytes of local masks so far", pool.missed_bytes),
        ];
        figures.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

/// An output with a buffer of its own.
struct Keeping {
    matcher: Matcher,
    mask: KeptMask,
}

impl Session for Keeping {
    fn mask(&mut self, _: &mut [u32]) -> Result<(), Failure> {
        self.matcher.fill_kept(&mut self.mask).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn kept(&self) -> Option<&[u32]> {
        Some(self.mask.words())
    }

    fn accept(&mut self, token: u32) -> Result<(), Failure> {
        Session::accept(&mut self.matcher, token)
    }
}

impl Session for Matcher {
    fn mask(&mut self, mask: &mut [u32]) -> Result<(), Failure> {
        self.fill_mask(mask).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), Failure> {
        self.accept_token(token).map_err(|error| error.to_string())
    }
}
