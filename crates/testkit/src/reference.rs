//! A slow and obvious recogniser: what a grammar means, said a second time.
//!
//! [`Reference`] answers two questions about bytes: are they in the language, and can they be continued to something
//! that is.
//! It shares nothing with the engine but the grammar itself: no automata for rules, no Earley items, no subsets.
//! Rules are a fixpoint of sets of end positions; expressions over texts (`And`, `Not`, `JsonText`) are derivatives.
//!
//! # Meaning
//! - `And` and `Not` speak of texts: a complement never matches bytes that are not whole, well-formed UTF-8.
//! - `JsonText` reads the escapes of RFC 8259 (either case of hexadecimal digits, surrogates in pairs only) and asks
//!   whether the text they spell is in the operand; raw quotes, backslashes and controls spell nothing.
//! - Symbols are [spelled](crate::SpelledSymbols) as bytes; text up to a trigger looks back over all of itself at each
//!   character.
//! - A set is all orders of its members, [written out](crate::generate::expand_sets).
//! - A repeat of something that may be empty has no least count.
//!
//! # What is exact
//! Everything, for all grammars that a builder can build: left and hidden left recursion, nullable cycles, ambiguity,
//! counts of any size, and all questions about prefixes.
//! What is given up is time: about n² · e · r steps for n bytes, e expressions and r rounds, r being at most as deep as
//! rules nest at one position; and one derivative per count of a counted text, so `And([a{0,100000}, …])` is slow.
//! Meant for grammars of a screenful and texts of a line.

mod chart;
mod spelling;
mod terms;
mod text;
mod until;

use crate::SpelledSymbols;
use crate::generate::expand_sets;
use chart::{Chart, Plan, Viability};
use formwork_grammar::{ByteSet, Expr, ExprId, Grammar};
use std::cell::RefCell;
pub use terms::Remaining;

/// The reference recogniser of one grammar.
///
/// Not `Sync`: derivatives are remembered from one question to the next. Make one per thread.
///
/// ```
/// use formwork_grammar::{GrammarBuilder, Place};
/// use formwork_testkit::Reference;
/// let mut b = GrammarBuilder::new();
/// let list = b.declare("list", Place::none());
/// let (recur, a) = (b.rule(list), b.literal("a"));
/// let body = { let more = b.seq([recur, recur]); b.alt([more, a]) };
/// b.define(list, body);
/// let reference = Reference::new(&b.build(list)?);
/// assert!(reference.accepts(b"aaa") && !reference.accepts(b""));
/// assert!(reference.is_viable(b"") && !reference.is_viable(b"ab"));
/// # Ok::<(), formwork_grammar::GrammarError>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    plan: RefCell<Plan>,
}

/// What the reference says of one prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the prefix, or some continuation of it, is in the language.
    pub viable: bool,
    /// Whether the prefix itself is in the language.
    pub accepted: bool,
}

impl Reference {
    /// The recogniser of what the root rule of `grammar` stands for, where there are no symbols.
    pub fn new(grammar: &Grammar) -> Self {
        Self::with_symbols(grammar, &SpelledSymbols::default())
    }

    /// The recogniser of what the root rule of `grammar` stands for, with symbols spelled as bytes. No byte class of the
    /// grammar may have the byte that spellings begin with.
    pub fn with_symbols(grammar: &Grammar, symbols: &SpelledSymbols) -> Self {
        let is_expanded = |i| {
            let expr = ExprId::from_index(i).map(|id| grammar.expr(id));
            matches!(expr, Some(Expr::Set { .. } | Expr::Machine(_)))
        };
        let expanded = (0..grammar.n_exprs()).any(is_expanded).then(|| expand_sets(grammar));
        Self { plan: RefCell::new(Plan::new(expanded.as_ref().unwrap_or(grammar), symbols)) }
    }

    /// Whether `bytes` are in the language.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        let mut plan = self.plan.borrow_mut();
        Chart::new(&mut plan, bytes).accepts(&plan, bytes.len())
    }

    /// Whether some continuation of `bytes`, the empty one included, is in the language.
    pub fn is_viable(&self, bytes: &[u8]) -> bool {
        let mut plan = self.plan.borrow_mut();
        let chart = Chart::new(&mut plan, bytes);
        Viability::new(&mut plan, &chart, bytes).root(&plan)
    }

    /// Whether the language has a member at all.
    pub fn is_productive(&self) -> bool {
        self.is_viable(b"")
    }

    /// What is to be said of every prefix of `bytes`: entry k is about the first k bytes, so there is one more than bytes.
    pub fn verdicts(&self, bytes: &[u8]) -> Vec<Verdict> {
        let mut plan = self.plan.borrow_mut();
        let chart = Chart::new(&mut plan, bytes);
        let mut alive = true;
        (0..=bytes.len())
            .map(|len| {
                // What cannot be continued cannot be continued by more.
                alive = alive && Viability::new(&mut plan, &chart, &bytes[..len]).root(&plan);
                Verdict { viable: alive, accepted: chart.accepts(&plan, len) }
            })
            .collect()
    }

    /// The bytes that may follow `prefix`.
    pub fn next_bytes(&self, prefix: &[u8]) -> ByteSet {
        let mut longer = prefix.to_vec();
        longer.push(0);
        (0..=u8::MAX)
            .filter(|&byte| {
                longer[prefix.len()] = byte;
                self.is_viable(&longer)
            })
            .collect()
    }
}
