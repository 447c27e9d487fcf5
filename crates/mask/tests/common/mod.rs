//! Small grammars over small vocabularies.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use formwork_earley::{LimitExceeded, Limits, Rows};
use formwork_fsm::{Config, StateId};
use formwork_mask::{LocalMask, MaskKind, Resolver, Slices, Switches, Walker, bits};
use formwork_vocab::{TokenId, Vocabulary};
use std::sync::Arc;

pub const SWITCHES: Switches = Switches { slices: true, suffixes: true };

/// The local mask of a state: along letters, its base's, or beside that, if it has one.
pub fn local(walker: &mut Walker, state: StateId, kind: MaskKind) -> Result<Arc<LocalMask>, LimitExceeded> {
    if let Some(local) = walker.along_letters(state, kind) {
        return Ok(Arc::new(local));
    }
    let base = match walker.base_of(state, kind) {
        Some(base) => Some((base, Arc::new(walker.local_mask(base, None, kind)?))),
        None => None,
    };
    if let Some((_, mask)) = base.as_ref().filter(|(base, _)| walker.leaves_out_nothing(state, *base, kind)) {
        return Ok(Arc::clone(mask));
    }
    walker.local_mask(state, base, kind).map(Arc::new)
}

pub struct Fixture {
    pub vocabulary: Vocabulary,
    pub slices: Arc<Slices>,
    pub rows: Rows,
    pub walker: Walker,
    pub switches: Switches,
}

/// Every rule keeps a boundary, however small it is.
pub fn fixture(grammar: &str, tokens: &[&str]) -> Fixture {
    fixture_with(grammar, tokens, false)
}

pub fn fixture_with(grammar: &str, tokens: &[&str], inlining: bool) -> Fixture {
    let mut config = Config::default();
    config.inlining = inlining;
    fixture_of(grammar, tokens, config)
}

pub fn fixture_of(grammar: &str, tokens: &[&str], config: Config) -> Fixture {
    let mut builder = Vocabulary::builder();
    for (id, token) in (0..).zip(tokens) {
        builder.token(id, token);
    }
    let vocabulary = builder.build().expect("a vocabulary");
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar");
    let automata = Arc::new(formwork_fsm::build(&grammar, &config, &|| false).expect("automata"));
    let slices = Arc::new(Slices::new(vocabulary.clone()));
    let walker =
        Walker::new(Arc::clone(&slices), SWITCHES, Rows::new(Arc::clone(&automata), Limits::default()));
    Fixture { vocabulary, slices, rows: Rows::new(automata, Limits::default()), walker, switches: SWITCHES }
}

impl Fixture {
    /// The state in which a rule is after some bytes of its own.
    pub fn state(&self, rule: &str, bytes: &[u8]) -> StateId {
        let automata = self.rows.automata();
        let find = || automata.rules().find(|&id| automata.name(id) == rule);
        let rule = find().or_else(|| {
            // Which rules there are shows when they are reached.
            automata.complete(&|| false).expect("within limits");
            find()
        });
        let rule = rule.expect("a rule of that name");
        bytes.iter().fold(automata.start(rule), |state, &byte| {
            automata.step(state, byte).0.expect("the rule's own bytes")
        })
    }

    /// The tokens that the row after `bytes` allows.
    pub fn allowed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut row = self.rows.start().expect("a row");
        for &byte in bytes {
            row = self.rows.advance(row, byte).expect("within limits").expect("accepted");
        }
        let mut mask = vec![u32::MAX; self.vocabulary.mask_words()];
        let walker = &mut self.walker;
        let vocabulary = self.vocabulary.clone();
        let mut known: Vec<((StateId, MaskKind), Arc<LocalMask>)> = Vec::new();
        let mut resolver = Resolver::new(self.switches);
        resolver
            .resolve::<LimitExceeded>(&self.slices, &mut self.rows, row, &mut mask, |state, kind| {
                // Each once, as whoever keeps masks has them.
                match known.iter().find(|(key, _)| *key == (state, kind)) {
                    Some((_, local)) => Ok(Arc::clone(local)),
                    None => {
                        let new = local(walker, state, kind)?;
                        known.push(((state, kind), Arc::clone(&new)));
                        Ok(new)
                    }
                }
            })
            .expect("within limits");
        let text = |token| String::from_utf8_lossy(vocabulary.text(token).unwrap_or_default()).into_owned();
        bits::tokens(&mask).map(text).collect()
    }

    pub fn reads(&mut self, bytes: &[u8]) -> bool {
        let mut row = self.rows.start().ok();
        for &byte in bytes {
            row = row.and_then(|row| self.rows.advance(row, byte).expect("within limits"));
        }
        row.is_some()
    }

    /// The same by reading each token.
    pub fn readable(&mut self, bytes: &[u8]) -> Vec<String> {
        let texts = self.vocabulary.clone();
        let texts = (0..texts.mask_words() as u32 * 32).filter_map(|id| texts.text(TokenId::new(id)));
        texts
            .filter(|text| self.reads(&[bytes, text].concat()))
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect()
    }
}
