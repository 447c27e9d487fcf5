//! Whether an intersection or a complement matches any text, found without its automaton.
//!
//! Compiling asks it of every intersection and complement of a grammar, of which an output reaches few. Their automata cost
//! milliseconds where numbers have bounds and `multipleOf`, or strings a pattern and a format. One text that is matched says
//! as much, and is mostly found soon: what the intersection and complements are made of is determinised side by side as far
//! as a search gets, short texts first. A search that gets far is given up, and the automaton is built after all. Of what one
//! expression matches within some lengths its shape tells, mostly.
//!
//! # Worked example
//! `"a"{2,9} & !("aa" | "b")` has two leaves, `"a"{2,9}` and `"aa" | "b"`, and the gates: the leaves, the complement of the
//! second, the intersection. After `a` and `aa` the first leaf does not match or the second does; after `aaa` the second leaf
//! reads nothing any more, so that its complement holds for good, and the first matches: `aaa` is a witness. Had the search met
//! a letter that the first leaf does not read, the intersection would have failed for good and it would have turned back.

use super::Context;
use crate::deferred::Deferred;
use crate::dfa::Letter;
use crate::plan::{Plan, operands};
use crate::spelling::Spelling;
use crate::subset::{Bounds, Subset};
use crate::text::LAST;
use crate::unit::{Unit, is_any_character};
use crate::work::{Stop, Work};
use formwork_grammar::{Expr, ExprId, HashMap, HashSet};
use hashbrown::hash_map::Entry;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::ops::Not;
use std::sync::Arc;

/// States of all leaves together up to which a witness is looked for.
const MAX_MET: usize = 500;
/// Alternatives that are determinised one by one if some are intersections or complements.
const MAX_ALTERNATIVES: usize = 8;

/// What is read so far, for each leaf: the number of its state, or that it reads nothing any more.
type State = SmallVec<[Option<u32>; 4]>;

/// What decides whether a text is matched.
enum Gate {
    /// What one of the leaves matches.
    Leaf(usize),
    /// What another gate does not.
    Not(usize),
    /// What all of some gates match.
    All(Vec<usize>),
    /// What any of some gates matches.
    Any(Vec<usize>),
}

/// An expression that is determinised as far as the search gets.
struct Leaf {
    subset: Subset,
    /// The letters of the states whose edges are made.
    letters: HashMap<u32, Box<[Letter]>>,
}

/// Whether a gate holds, and whether that stays so whatever is read.
#[derive(Clone, Copy)]
struct Verdict {
    holds: bool,
    for_good: bool,
}

struct Search {
    leaves: Vec<Leaf>,
    /// Operands come before what is made of them; the last is the whole.
    gates: Vec<Gate>,
    /// The greatest length of a witness.
    max_length: u32,
}

impl Not for Verdict {
    type Output = Self;

    fn not(self) -> Self {
        Self { holds: !self.holds, ..self }
    }
}

/// Whether all of these gates hold, or fail if they are to be `negated`.
fn all(verdicts: &[Verdict], gates: &[usize], negated: bool) -> Verdict {
    let mut all = Verdict { holds: true, for_good: true };
    for &gate in gates {
        let Verdict { holds, for_good } = if negated { !verdicts[gate] } else { verdicts[gate] };
        if for_good && !holds {
            return Verdict { holds, for_good };
        }
        all = Verdict { holds: all.holds && holds, for_good: all.for_good && for_good };
    }
    all
}

impl Context<'_> {
    /// Of an intersection or a complement: whether it matches any text, and any but the empty one. `None` if that is too hard
    /// to tell.
    pub(super) fn witness(
        &self,
        expr: ExprId,
        plan: &Arc<Plan>,
        work: &mut Work<'_>,
    ) -> Result<Option<(bool, bool)>, Stop> {
        let found = self.search(expr, plan, work).and_then(|mut search| search.run(work));
        match found {
            Err(Stop::States | Stop::Nodes | Stop::Members) => Ok(None),
            found => found,
        }
    }

    fn search(&self, expr: ExprId, plan: &Arc<Plan>, work: &mut Work<'_>) -> Result<Search, Stop> {
        let grammar = self.grammar;
        let is_gate = |part: &ExprId| matches!(grammar.expr(*part), Expr::And(_) | Expr::Not(_));
        // A greatest length of the whole is how far the search may go: as a leaf it would have a node for each letter.
        let greatest = |part: &ExprId| match *grammar.expr(*part) {
            Expr::Repeat { body, min: 0, max } if is_any_character(grammar, body) => max,
            _ => None,
        };
        let (mut max_length, mut others) = (None, Vec::new());
        if let Expr::And(operands) = grammar.expr(expr) {
            max_length = operands.iter().filter_map(greatest).min();
            others.extend(operands.iter().copied().filter(|part| greatest(part).is_none()));
        }
        // The parts of what is decided by its parts.
        let parts = |part: ExprId| match grammar.expr(part) {
            Expr::And(_) if part == expr => &others[..],
            gate @ (Expr::And(_) | Expr::Not(_)) => operands(gate),
            Expr::Alt(parts) if parts.len() <= MAX_ALTERNATIVES && parts.iter().any(is_gate) => parts,
            _ => &[],
        };
        let mut exprs = vec![expr];
        let mut seen: HashSet<ExprId> = HashSet::default();
        let mut next = 0;
        while let Some(&expr) = exprs.get(next) {
            next += 1;
            exprs.extend(parts(expr).iter().filter(|&&part| seen.insert(part)));
        }
        // Operands have lower ids.
        exprs.sort_unstable();
        let number = |part: &ExprId| exprs.binary_search(part).unwrap_or_default();
        let (mut leaves, mut gates) = (Vec::new(), Vec::with_capacity(exprs.len()));
        for &expr in &exprs {
            let numbers = || parts(expr).iter().map(number).collect();
            gates.push(match grammar.expr(expr) {
                Expr::Not(body) => Gate::Not(number(body)),
                Expr::And(_) => Gate::All(numbers()),
                Expr::Alt(_) if !parts(expr).is_empty() => Gate::Any(numbers()),
                _ => {
                    let subset = self.determinised_lazily(expr, plan, work)?;
                    leaves.push(Leaf { subset, letters: HashMap::default() });
                    Gate::Leaf(leaves.len() - 1)
                }
            });
        }
        Ok(Search { leaves, gates, max_length: max_length.unwrap_or(u32::MAX) })
    }

    /// The automaton over code points of an expression, whose nodes are written and whose states are made when they are
    /// asked for.
    fn determinised_lazily(
        &self,
        expr: ExprId,
        plan: &Arc<Plan>,
        work: &mut Work<'_>,
    ) -> Result<Subset, Stop> {
        let unit = Unit::Body(expr, Spelling::CodePoints);
        let mut memory = self.memory.without_units();
        let own = memory.units.intern(unit.clone(), self.grammar.root());
        let bounds = Bounds { max_states: self.limits.max_states, max_members: self.max_members() };
        let Self { grammar, facts, symbols, limits, .. } = *self;
        let mut context = Context::new(grammar, facts, symbols, limits, &mut memory);
        let (mut nfa, draft, start) = context.begin(own, plan, true, work)?;
        let deferred = Deferred::new(&mut context, plan, unit, draft, &mut nfa);
        Subset::new(nfa, Some(Box::new(deferred)), start, false, bounds, work)
    }
}

impl Search {
    fn run(&mut self, work: &mut Work<'_>) -> Result<Option<(bool, bool)>, Stop> {
        let start: State = self.leaves.iter().map(|_| Some(0)).collect();
        let is_nullable = self.verdict(&start).holds;
        // What is met after some letter; the start is if some text leads back to it.
        let mut met: HashSet<State> = HashSet::default();
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((state, length)) = queue.pop_front() {
            if length == self.max_length {
                break;
            }
            for state in self.after(&state, work)? {
                if met.contains(&state) {
                    continue;
                }
                let Verdict { holds, for_good } = self.verdict(&state);
                if holds {
                    return Ok(Some((true, true)));
                }
                if met.len() == MAX_MET {
                    return Ok(None);
                }
                met.insert(state.clone());
                if !for_good {
                    queue.push_back((state, length + 1));
                }
            }
        }
        Ok(Some((is_nullable, false)))
    }

    fn verdict(&self, state: &State) -> Verdict {
        let mut verdicts: SmallVec<[Verdict; 8]> = SmallVec::with_capacity(self.gates.len());
        for gate in &self.gates {
            verdicts.push(match gate {
                Gate::Leaf(leaf) => match state[*leaf] {
                    Some(at) => Verdict { holds: self.leaves[*leaf].subset.header(at)[0], for_good: false },
                    None => Verdict { holds: false, for_good: true },
                },
                Gate::Not(gate) => !verdicts[*gate],
                Gate::All(gates) => all(&verdicts, gates, false),
                Gate::Any(gates) => !all(&verdicts, gates, true),
            });
        }
        verdicts.last().copied().unwrap_or(Verdict { holds: false, for_good: true })
    }

    /// What one more letter leads to, each once.
    fn after(&mut self, state: &State, work: &mut Work<'_>) -> Result<Vec<State>, Stop> {
        let mut letters: SmallVec<[&[Letter]; 4]> = SmallVec::new();
        for (leaf, at) in self.leaves.iter_mut().zip(state) {
            letters.push(at.map_or(Ok(&[][..]), |at| leaf.letters(at, work))?);
        }
        // Between two neighbouring boundaries all letters lead to the same.
        let ends = letters.iter().copied().flatten().map(|letter| letter.high + 1);
        let mut bounds: Vec<u32> =
            letters.iter().copied().flatten().map(|letter| letter.low).chain(ends).collect();
        bounds.push(0);
        bounds.sort_unstable();
        bounds.dedup();
        work.spend(bounds.len())?;
        let mut states: Vec<State> = Vec::new();
        for &low in bounds.iter().filter(|&&low| low <= LAST) {
            let next = |letters: &mut &[Letter]| {
                while letters.first().is_some_and(|letter| letter.high < low) {
                    *letters = &letters[1..];
                }
                letters.first().filter(|letter| letter.low <= low).map(|letter| letter.target)
            };
            let state: State = letters.iter_mut().map(next).collect();
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(states)
    }
}

impl Leaf {
    fn letters(&mut self, state: u32, work: &mut Work<'_>) -> Result<&[Letter], Stop> {
        Ok(match self.letters.entry(state) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => {
                self.subset.expand(state, work)?;
                let letters = self.subset.made().0.into();
                self.subset.forget();
                entry.insert(letters)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Memory;
    use crate::config::Config;
    use crate::facts::{Facts, Order};
    use crate::symbols::{AnySymbols, Symbols};
    use formwork_grammar::{CharClass, Grammar, GrammarBuilder, Place};

    /// Some random expressions over two letters and all others.
    fn random_grammar(seed: u64) -> Grammar {
        let mut state = seed;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut b = GrammarBuilder::new();
        let class = CharClass::from_ranges([('a', 'b')]);
        let mut exprs = vec![b.literal("a"), b.literal("b"), b.class(class), b.class(CharClass::any())];
        for _ in 0..40 {
            // Mostly of what was made lately, so that expressions grow.
            let n = exprs.len();
            let mut pick = || exprs[n - 1 - below(n.min(12)).min(below(n))];
            let (x, y) = (pick(), pick());
            let expr = match below(10) {
                9 => {
                    let (min, more) = (below(4) as u32, below(4) as u32);
                    let length = b.repeat(exprs[3], min, Some(min + more));
                    b.and([x, length])
                }
                0 | 1 => b.seq([x, y]),
                2 => b.alt([x, y]),
                3 => b.repeat(x, 0, None),
                4 => b.repeat(x, 1, Some(3)),
                5 | 6 => b.and([x, y]),
                _ => b.not(x),
            };
            exprs.push(expr);
        }
        let root = b.declare("root", Place::none());
        let body = b.alt(exprs);
        b.define(root, body);
        b.build(root).expect("a grammar")
    }

    /// What a witness says, and what shows without one or by the shape, is what the automaton says.
    #[test]
    fn a_witness_is_as_good_as_the_automaton() {
        let config = Config::default();
        let symbols: Arc<dyn Symbols> = Arc::new(AnySymbols);
        let (mut n_found, mut n_infinite, mut n_empty, mut n_shape) = (0, 0, 0, 0);
        for seed in 0..100 {
            let grammar = random_grammar(seed);
            let library = crate::library::Library::default();
            let order = Order::of(&grammar, &library);
            let shapes = Arc::new(Facts::of_shapes(&grammar, &order, &library, &*symbols));
            let plan = Arc::new(Plan::of(&grammar, &order, &library, &shapes, Arc::default(), &config));
            let never = || false;
            let mut memory = Memory::new(&Arc::default(), &config);
            let mut context = Context::new(&grammar, &shapes, &symbols, &config.limits, &mut memory);
            let is_gate = |expr: &ExprId| matches!(grammar.expr(*expr), Expr::And(_) | Expr::Not(_));
            for expr in order.exprs().filter(is_gate) {
                let mut work = Work::new(50_000, &never);
                let witness = context.witness(expr, &plan, &mut work);
                let built = context.prepare_texts(expr, grammar.root(), &plan, &mut work);
                let (Ok(witness), Ok(())) = (witness, built) else { continue };
                let dfa = context.memory.known_text(expr).expect("it was built");
                let nonempty = dfa.len() > 0 && !dfa.letters(0).is_empty();
                let facts = (nonempty || dfa.len() > 0 && dfa.is_accepting(0), nonempty);
                assert!(witness.is_none_or(|found| found == facts), "{expr:?} of {grammar}");
                let shape = context.facts_of_shape(expr);
                assert!(shape.is_none_or(|told| told == facts), "{expr:?} of {grammar}");
                n_shape += usize::from(shape.is_some());
                let is_infinite = shapes.is_infinite(expr);
                assert!(!is_infinite || facts == (true, true), "{expr:?} of {grammar}");
                n_found += usize::from(witness.is_some());
                n_infinite += usize::from(is_infinite);
                n_empty += usize::from(!facts.0);
            }
        }
        let counts = [n_found, n_infinite, n_empty, n_shape];
        assert!(n_found > 1000 && counts[1..].iter().all(|&n| n > 100), "{counts:?}");
    }
}
