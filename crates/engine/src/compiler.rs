//! Compiles grammars for one vocabulary.

use crate::compiled::CompiledGrammar;
use crate::config::Config;
use crate::error::{CompileError, CompileErrorKind};
use crate::pool::Pool;
use crate::precompute::{self, Spawn};
use crate::recent::Recent;
use crate::symbols::{Names, Tokens};
use formwork_fsm::{Automata, Dispatch, Symbols};
use formwork_grammar::{ByteSet, Grammar};
use formwork_vocab::{NodeId, TokenId, TokenKind, Trie, Vocabulary};
use std::fmt;
use std::sync::Arc;

/// Compiles grammars for one vocabulary. `Send + Sync`, cheap to clone.
#[derive(Clone, Debug)]
pub struct Compiler {
    config: Arc<Config>,
    /// The bits of all ids that are tokens.
    real: Arc<[u32]>,
    /// The bytes that are text tokens by themselves; stop tokens are not text where it matters.
    single_bytes: ByteSet,
    pool: Pool,
    /// What the vocabulary's tokens are as symbols.
    symbols: Arc<dyn Symbols>,
    threads: Option<Threads>,
    recent: Arc<Recent>,
}

/// Where jobs go, and how many at a time for each grammar.
#[derive(Clone)]
struct Threads {
    spawn: Arc<dyn Spawn>,
    n_jobs: usize,
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("n_jobs", &self.n_jobs).finish_non_exhaustive()
    }
}

/// Configures a [`Compiler`].
#[derive(Clone, Debug)]
pub struct CompilerBuilder {
    vocabulary: Vocabulary,
    config: Config,
    pool: Option<Pool>,
    threads: Option<Threads>,
}

impl Compiler {
    /// A compiler with the default configuration.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self::builder(vocabulary).build()
    }

    /// Sets switches and limits first.
    pub fn builder(vocabulary: Vocabulary) -> CompilerBuilder {
        CompilerBuilder { vocabulary, config: Config::default(), pool: None, threads: None }
    }

    /// The vocabulary that grammars are compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.pool.vocabulary()
    }

    /// What grammars of this compiler share.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Compiles a grammar.
    ///
    /// A grammar that was compiled [lately](Config::recent_bytes) is returned as it is, with the masks that outputs have
    /// needed so far.
    ///
    /// Cost: about 0.4 µs an expression, then local masks within the [budget](Config::precompute), the widest
    /// first; some ten nanoseconds an expression for a grammar that was compiled lately.
    ///
    /// # Errors
    /// The language is empty, a limit is exceeded, the vocabulary cannot spell what the grammar needs. The error names
    /// the rule and where in the user's text it came from.
    pub fn compile(&self, grammar: &Grammar) -> Result<CompiledGrammar, CompileError> {
        self.compile_with(grammar, &|| false)
    }

    /// As [`compile`](Self::compile); `interrupt` is asked every few dozen microseconds, and `true` stops the work.
    ///
    /// # Errors
    /// As `compile`, and that it was interrupted.
    pub fn compile_with(
        &self,
        grammar: &Grammar,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<CompiledGrammar, CompileError> {
        let key = self.recent.key(grammar);
        if let Some(compiled) = key.as_ref().and_then(|key| self.recent.get(key)) {
            return Ok(compiled);
        }
        let automata = {
            let mut config = self.config.automata.clone();
            config.runs = self.config.runs;
            formwork_fsm::build_with(grammar, &config, self.pool.automata(), &self.symbols, interrupt)?
        };
        self.check_vocabulary(&automata, interrupt)?;
        let compiled = CompiledGrammar::new(
            automata,
            &self.symbols,
            Config::clone(&self.config),
            Arc::clone(&self.real),
            self.pool.clone(),
            self.recent.came(),
        );
        // The row before an output is made here, since it may be beyond a limit.
        if let Err(limit) = compiled.keep_first() {
            let root = compiled.automata().root();
            return Err(CompileError {
                kind: CompileErrorKind::Limit,
                place: compiled.automata().place(root).clone(),
                rule: compiled.automata().name(root).to_owned(),
                message: limit.to_string(),
            });
        }
        precompute::within_budget(&compiled, self.config.precompute, interrupt)?;
        if let Some(Threads { spawn, n_jobs }) = &self.threads {
            precompute::on_threads(&compiled, spawn, *n_jobs);
        }
        if let Some(key) = key {
            self.recent.insert(key, &compiled);
        }
        Ok(compiled)
    }

    /// How the grammar dispatches on tags with this vocabulary, and what of that can hardly be meant: for looking at.
    ///
    /// Cost: as [`formwork_fsm::dispatches`]; nothing is compiled.
    pub fn dispatches(&self, grammar: &Grammar) -> Vec<Dispatch> {
        formwork_fsm::dispatches(grammar, &*self.symbols)
    }

    /// Computes all local masks of a grammar, so that other grammars which have some of its rules and strings find them in
    /// the [pool](Self::pool). Worth doing with "any JSON value" when a server starts: strings, numbers and white space are
    /// what first requests wait for.
    ///
    /// Cost: a millisecond for any JSON value.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn warm(&self, grammar: &Grammar) -> Result<(), CompileError> {
        let mut eager = self.clone();
        eager.config = Arc::new(Config { precompute: u64::MAX, ..Config::clone(&self.config) });
        eager.threads = None;
        eager.recent = Arc::new(Recent::new(0));
        eager.compile(grammar).map(drop)
    }

    /// If every byte that the grammar uses is a token by itself, what bytes can complete tokens can; otherwise a mask might
    /// run empty in the middle of an output.
    fn check_vocabulary(
        &self,
        automata: &Automata,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<(), CompileError> {
        if self.single_bytes == ByteSet::FULL {
            return Ok(());
        }
        // Which bytes the grammar uses shows when all of it is built.
        automata.complete(interrupt)?;
        let missing_of = |rule| automata.alphabet(rule).difference(&self.single_bytes);
        let Some(user) = automata.rules().find(|&rule| !missing_of(rule).is_empty()) else { return Ok(()) };
        let missing = automata.rules().map(missing_of).fold(ByteSet::EMPTY, |all, bytes| all.union(&bytes));
        let (rule, place) = (automata.name(user).to_owned(), automata.place(user).clone());
        let message = format!(
            "the vocabulary has no token for single bytes that rule `{rule}` needs: {missing:?}; \
             without them an output could get stuck"
        );
        Err(CompileError { kind: CompileErrorKind::Vocabulary, place, rule, message })
    }
}

impl CompilerBuilder {
    /// Replaces all switches and limits.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// The work that may be spent on local masks at compile; see [`Config::precompute`].
    #[must_use]
    pub fn precompute(mut self, work: u64) -> Self {
        self.config.precompute = work;
        self
    }

    /// Shares automata and local masks with the other compilers that have this pool, which should be of the same
    /// vocabulary: the pool's is the one that counts.
    #[must_use]
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.vocabulary = pool.vocabulary().clone();
        self.pool = Some(pool.clone());
        self
    }

    /// Computes on these threads, in so many jobs at a time for each grammar, the automata and local masks that compiling
    /// leaves for later.
    #[must_use]
    pub fn threads(mut self, spawn: Arc<dyn Spawn>, n_jobs: usize) -> Self {
        self.threads = Some(Threads { spawn, n_jobs });
        self
    }

    /// The compiler.
    pub fn build(self) -> Compiler {
        let mut real = vec![0u32; self.vocabulary.mask_words()];
        let ids = (0..u32::try_from(self.vocabulary.width()).unwrap_or(u32::MAX)).map(TokenId::new);
        for id in ids.filter(|&id| self.vocabulary.kind(id) != TokenKind::Hole) {
            formwork_mask::bits::set(&mut real, id);
        }
        let trie = self.vocabulary.trie();
        let is_text =
            |&child: &NodeId| trie.tokens_at(child).iter().any(|&token| !self.vocabulary.is_stop(token));
        let single_bytes = trie.children(Trie::ROOT).filter(is_text).map(|child| trie.byte(child)).collect();
        let names = Names::of(&self.vocabulary);
        let symbols = Arc::new(Tokens { vocabulary: self.vocabulary.clone(), names });
        let pool = self.pool.unwrap_or_else(|| Pool::new(self.vocabulary, self.config.pool_bytes));
        let recent = Arc::new(Recent::new(self.config.recent_bytes));
        let (config, threads) = (Arc::new(self.config), self.threads);
        Compiler { config, real: real.into(), single_bytes, pool, symbols, threads, recent }
    }
}
