//! Captures: what regions with names have matched.
//!
//! Nothing is recorded while decoding. When somebody asks, the output is read again, by automata of the grammar in which every
//! rule that captures is kept ([`Config::captures`](formwork_fsm::Config::captures)), and a [`Trace`] says where these rules began
//! and ended. So masks cost the same with captures and without, and what is captured depends on what was accepted and on
//! nothing else: not on forks and rollbacks, nor,
//! where there are no budgets of tokens, on how the output was cut into tokens.

use crate::compiled::CompiledGrammar;
use crate::history::Accepted;
use crate::matcher::Matcher;
use crate::symbols::SymbolIds;
use formwork_earley::{LimitExceeded, PointId, Trace};
use formwork_fsm::{Automata, RuleId, Symbols};
use formwork_grammar::HashMap;
use formwork_vocab::{TokenId, Vocabulary};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What was captured in an output: in the order of the beginnings, of those that begin together the outer ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captures {
    output: Vec<u8>,
    list: Vec<Found>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    name: String,
    span: Range<usize>,
    is_open: bool,
}

/// A part of the output that was captured.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    output: &'a [u8],
    found: &'a Found,
}

impl<'a> Capture<'a> {
    /// The name that the grammar gives it.
    pub fn name(&self) -> &'a str {
        &self.found.name
    }

    /// Where it is, in bytes from the start of the output.
    pub fn span(&self) -> Range<usize> {
        self.found.span.clone()
    }

    /// The bytes of output; special tokens have none.
    pub fn bytes(&self) -> &'a [u8] {
        &self.output[self.found.span.clone()]
    }

    /// Whether the region has not ended yet: then this is what of it there is.
    pub fn is_open(&self) -> bool {
        self.found.is_open
    }
}

impl Captures {
    /// All captures.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Capture<'_>> {
        self.list.iter().map(|found| Capture { output: &self.output, found })
    }

    /// Those of one name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Capture<'a>> {
        self.iter().filter(move |capture| capture.name() == name)
    }

    /// The number of captures.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was captured.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Matcher {
    /// What regions of the output so far are captured by the grammar; a region that is empty is not.
    ///
    /// Where the output can be read in several ways, one of them says where regions are, always the same for the same output.
    /// Where it is not complete yet, it is one that can go on, and regions of which something was read may be
    /// [open](Capture::is_open).
    ///
    /// Cost: the output is read again, some microseconds a byte; the first time for a grammar with captures its automata are
    /// built again. Nothing for grammars without.
    ///
    /// # Errors
    /// A limit: the output has too many rows to be read as a whole.
    pub fn captures(&self) -> Result<Captures, LimitExceeded> {
        let compiled = self.compiled();
        let Some(capturing) = compiled.capturing() else { return Ok(Captures::default()) };
        let automata = capturing.automata(compiled)?;
        let mut reading = Reading {
            vocabulary: compiled.vocabulary(),
            automata: &automata,
            stops: self.stop_tokens(),
            symbols: RefCell::default(),
            trace: Trace::new(Arc::clone(&automata), compiled.config().rows.clone())?,
            output: Vec::new(),
        };
        let mut at = reading.trace.start();
        self.history().try_each(|accepted| {
            at = reading.after(at, accepted)?;
            Ok::<(), LimitExceeded>(())
        })?;
        let spans = reading.trace.spans(at)?;
        let output = reading.output;
        let list = spans.into_iter().map(|span| Found {
            name: automata.capture(span.rule).unwrap_or_default().to_owned(),
            span: span.start as usize..span.end.map_or(output.len(), |end| end as usize),
            is_open: span.end.is_none(),
        });
        Ok(Captures { list: list.collect(), output })
    }
}

/// What captures of a grammar need.
pub(crate) struct Capturing {
    symbols: Arc<dyn Symbols>,
    /// Automata in which rules that capture are kept, from when they are first asked for.
    automata: OnceLock<Option<Arc<Automata>>>,
}

impl Capturing {
    /// `None` if the grammar captures nothing.
    pub(crate) fn of(automata: &Automata, symbols: &Arc<dyn Symbols>) -> Option<Self> {
        let captures = automata.grammar().rules().iter().any(|rule| rule.capture().is_some());
        captures.then(|| Self { symbols: Arc::clone(symbols), automata: OnceLock::new() })
    }

    fn automata(&self, compiled: &CompiledGrammar) -> Result<Arc<Automata>, LimitExceeded> {
        let built = self.automata.get_or_init(|| {
            let mut config = compiled.config().automata.clone();
            (config.runs, config.captures) = (compiled.config().runs, true);
            let (grammar, cache) = (compiled.automata().grammar(), compiled.cache());
            let automata = formwork_fsm::build_with(grammar, &config, cache, &self.symbols, &|| false);
            automata.ok().map(Arc::new)
        });
        built.clone().ok_or(LimitExceeded::Automaton)
    }
}

/// An output that is read again.
struct Reading<'a> {
    vocabulary: &'a Vocabulary,
    automata: &'a Automata,
    stops: &'a [TokenId],
    symbols: RefCell<HashMap<RuleId, SymbolIds>>,
    trace: Trace,
    output: Vec<u8>,
}

impl Reading<'_> {
    /// The point after what one step accepted, read as the matcher has read it.
    fn after(&mut self, at: PointId, accepted: Accepted<'_>) -> Result<PointId, LimitExceeded> {
        let (token, bytes) = match accepted {
            Accepted::Bytes(bytes) => (None, bytes),
            Accepted::Token(token, _) if self.stops.binary_search(&token).is_ok() => (Some(token), &[][..]),
            Accepted::Token(token, _) => (Some(token), self.vocabulary.text(token).unwrap_or_default()),
        };
        self.output.extend_from_slice(bytes);
        let text = match bytes {
            [] => None,
            _ => self.trace.bytes(at, bytes)?,
        };
        let symbol = match token {
            Some(token) => self.symbol(at, token, bytes.len())?,
            None => None,
        };
        let read = match (text, symbol) {
            (Some(text), Some(symbol)) => self.trace.both(text, symbol)?,
            // A stop token that the grammar does not read changes nothing.
            (text, symbol) => text.or(symbol).unwrap_or(at),
        };
        Ok(self.trace.end_steps(read, u32::from(token.is_some()))?.unwrap_or(at))
    }

    fn symbol(
        &mut self,
        at: PointId,
        token: TokenId,
        n_bytes: usize,
    ) -> Result<Option<PointId>, LimitExceeded> {
        let Self { vocabulary, automata, stops, symbols, trace, .. } = self;
        let is_member = |rule: RuleId| {
            let Some(set) = automata.symbols(rule) else { return false };
            let mut symbols = symbols.borrow_mut();
            let ids = symbols.entry(rule).or_insert_with(|| SymbolIds::of(vocabulary, set));
            ids.contains(vocabulary, stops, token)
        };
        trace.symbol(at, n_bytes, is_member)
    }
}
