//! The nodes of symbols, tags, and text up to a trigger.

use super::Builder;
use crate::nfa::{Node, NodeId, Range};
use crate::spelling::Spelling;
use crate::symbols::TagPiece;
use crate::unit::Unit;
use crate::until::{Machine, Meaning, Patterns};
use crate::work::{Stop, Work};
use formwork_grammar::{HashMap, Symbol, SymbolSet, Until};

impl Builder<'_, '_> {
    pub(super) fn call_symbols(&mut self, set: SymbolSet, next: NodeId) -> Node {
        let unit = self.context.memory.units.intern(Unit::Symbols(set), self.draft.rule);
        self.nfa.call(unit, next)
    }

    /// The unit of the symbol of this name.
    fn symbol_unit(&mut self, name: &str) -> u32 {
        // PERF: a thousand tools begin with the same three symbols.
        if let Some(&unit) = self.draft.symbols.get(name) {
            return unit;
        }
        let set = SymbolSet::of([Symbol::from(name)]);
        let unit = self.context.memory.units.intern(Unit::Symbols(set), self.draft.rule);
        self.draft.symbols.insert(name.into(), unit);
        unit
    }

    /// The node that reads the pieces of a tag.
    pub(super) fn tag(&mut self, pieces: &[TagPiece<'_>], next: NodeId) -> NodeId {
        let mut node = next;
        for piece in pieces.iter().rev() {
            let read = match piece {
                TagPiece::Text(text) => self.literal(text.as_bytes(), Spelling::Utf8, node),
                TagPiece::Symbol(name) => {
                    let unit = self.symbol_unit(name);
                    self.nfa.call(unit, node)
                }
            };
            node = self.nfa.add(read);
        }
        node
    }

    /// The node that reads text up to a trigger; see [`until`](crate::until).
    pub(super) fn until(&mut self, until: &Until, next: NodeId, work: &mut Work<'_>) -> Result<NodeId, Stop> {
        let patterns = Patterns::of(until, &**self.context.symbols);
        let machine = Machine::new(&patterns.texts, |amount| work.spend(amount))?;
        let arms: Vec<NodeId> =
            until.continuations().iter().map(|&then| self.node(then, Spelling::Utf8, next)).collect();
        // What follows a symbol in the middle of a trigger, once for each pattern: its unit, and where it goes on.
        let mut symbols: HashMap<u32, (u32, NodeId)> = HashMap::default();
        for (meaning, number) in patterns.meanings.iter().zip(0..) {
            if let Meaning::Symbol(arm, name, rest) = meaning {
                let set = SymbolSet::of([Symbol::from(*name)]);
                if arms[*arm] == self.draft.dead || !self.context.symbols.exists(&set) {
                    continue;
                }
                let rest = self.tag(rest, arms[*arm]);
                symbols.insert(number, (self.symbol_unit(name), rest));
            }
        }
        // A node for each state that text can be in, allotted when it is first led to.
        let mut nodes: Vec<Option<NodeId>> = vec![None; machine.states.len()];
        let is_excluded = |number: &u32| patterns.meanings[*number as usize] == Meaning::Excluded;
        let is_refused = |state: u32| machine.states[state as usize].completed.iter().any(is_excluded);
        let root = self.nfa.reserve();
        nodes[0] = Some(root);
        let mut todo: Vec<u32> = vec![0];
        while let Some(at) = todo.pop() {
            let reached = &machine.states[at as usize];
            let Some(node) = nodes[at as usize] else { continue };
            work.spend(reached.edges.len() + reached.completed.len() + 8)?;
            self.check_nodes()?;
            let fired: Vec<NodeId> = reached
                .completed
                .iter()
                .filter_map(|&number| match patterns.meanings[number as usize] {
                    Meaning::Trigger(arm) => Some(arms[arm]),
                    _ => None,
                })
                .collect();
            if !fired.is_empty() {
                self.nfa.nodes[node as usize] = self.nfa.split(&fired);
                continue;
            }
            let calls: Vec<(u32, NodeId)> =
                reached.completed.iter().filter_map(|number| symbols.get(number).copied()).collect();
            // Every character leads somewhere: on, or back to the root.
            let mut edges: Vec<Range> = Vec::with_capacity(2 * reached.edges.len() + 1);
            let mut low = 0;
            for &(c, to) in &reached.edges {
                let c = u32::from(c);
                if low < c {
                    edges.push(Range { low, high: c - 1, target: root });
                }
                low = c + 1;
                if is_refused(to) {
                    continue;
                }
                let target = *nodes[to as usize].get_or_insert_with(|| {
                    todo.push(to);
                    self.nfa.reserve()
                });
                edges.push(Range { low: c, high: c, target });
            }
            edges.push(Range { low, high: 0x10_FFFF, target: root });
            let mut letters = Vec::new();
            self.draft.speller.letters(self.nfa, Spelling::Utf8, &edges, &mut letters);
            let reads = self.nfa.read_or_call(&letters, &calls);
            self.nfa.nodes[node as usize] = match until.ends() {
                false => reads,
                true => {
                    let reads = self.nfa.add(reads);
                    self.nfa.split(&[reads, next])
                }
            };
        }
        Ok(root)
    }
}
