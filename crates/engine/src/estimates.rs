//! What a local mask is expected to cost, from a look at the state and at the states behind it.
//!
//! The cost of a walk is the number of nodes that it visits. How many lie below each first byte is known of the vocabulary;
//! how many of them are visited depends on what comes next:
//! - below a byte of the state's loop none are, since the loop's tokens are taken wholesale;
//! - behind a state with a wide loop few are: those where texts leave the loop;
//! - behind any other state the share that its bytes have of all second bytes;
//! - where most bytes lead to one state with a wide loop, the mask is the difference from that state's
//!   (`mask/src/difference.rs`), and what lies below bytes that lead there is not visited at all; nor is it where nearly all
//!   bytes lead to one state, as inside of an escape, but for the first state of that [kin](Kin);
//! - where a rule may end, the suffixes behind are put together, up to some thousands.
//!
//! # Worked example
//! The start of `"\"" [a-z]* "\"" | "true"`: the vocabulary has 1,000 nodes below `"` and 8,000 below `t`. Behind the
//! quote is a wide loop: 1,000 / 16 ≈ 62 nodes. Behind `t` comes `r` alone, which 5% of all second bytes are: 400. With the
//! two first bytes 464 nodes, at 12 ns each, and the walk's beginning: 6 µs.
//!
//! `cargo xtask bench estimates` compares with the real cost.

use formwork_fsm::{Automata, ByteEdge, Loop, StateId};
use formwork_grammar::HashSet;
use formwork_mask::Kin;
use formwork_vocab::Trie;

/// What is known of a vocabulary.
#[derive(Debug)]
pub(crate) struct Estimates {
    /// `first[b]`: the nodes below the first bytes before `b`.
    first: [u32; 257],
    /// `second[b]`: the nodes below the second bytes before `b`, whatever the first.
    second: [u32; 257],
}

/// Nanoseconds of a walk without any node, and for each node.
const BEGIN: u64 = 400;
pub(crate) const NODE: u64 = 12;
/// Nanoseconds for a suffix behind a boundary, how many there are of one place, and in all.
const SUFFIX: u64 = 60;
const MAX_SUFFIXES: u64 = 1_000;
const MAX_SUFFIXES_IN_ALL: u64 = 2_500;
/// So few places are kept as they are.
const FEW: u64 = 2;
/// Nanoseconds more where the state calls rules: those may have to be predicted.
const CALLS: u64 = 300;
/// Of the nodes behind a state with a wide loop one in so many is visited.
const LEAVING: u64 = 16;

impl Estimates {
    /// Cost: a look at the texts of two bytes, 0.4 ms.
    pub(crate) fn new(trie: &Trie) -> Self {
        let (mut first, mut second) = ([0; 257], [0; 257]);
        let size = |node| trie.end(node).get() - node.get();
        for child in trie.children(Trie::ROOT) {
            first[usize::from(trie.byte(child)) + 1] = size(child);
            for below in trie.children(child) {
                second[usize::from(trie.byte(below)) + 1] += size(below);
            }
        }
        for sums in [&mut first, &mut second] {
            (1..sums.len()).for_each(|i| sums[i] += sums[i - 1]);
        }
        Self { first, second }
    }

    /// What the local mask of a state is expected to cost, in nanoseconds. `kins` are those of the states that were asked about
    /// before: the first one of a kin is the one that others are compared with.
    ///
    /// Cost: linear in the edges of the state and of those that it leads to, some 50 ns.
    pub(crate) fn cost(&self, automata: &Automata, state: StateId, kins: &mut HashSet<Kin>) -> u64 {
        let view = match automata.unticked(state.rule()) {
            Some(unticked) => unticked.view(),
            None => automata.view(state.rule()),
        };
        let (number, own_loop) = (state.local(), view.own_loop(state.local()));
        let edges = view.plain_edges(number);
        let below = |edge: &ByteEdge| between(&self.first, edge);
        let all = edges.iter().map(below).sum::<u64>();
        let is_most = |&target: &u32| {
            2 * edges.iter().filter(|edge| edge.target == target).map(below).sum::<u64>() > all
        };
        let base = edges
            .iter()
            .map(|edge| edge.target)
            .find(is_most)
            .filter(|&target| target != number && !is_wide(own_loop) && is_wide(view.own_loop(target)));
        let kin = base.is_none().then(|| Kin::of(view, state)).flatten().filter(|&kin| !kins.insert(kin));
        // Behind the one letter that differs mostly only one letter differs, too.
        let of_kin = |kin: Kin| kin.target();
        let base_behind = |target| kin.map_or(base, |_| Kin::of(view, state.sibling(target)).map(of_kin));
        let base = base.or(kin.map(of_kin));
        let is_called = automata.is_called(state.rule());
        let everything = u64::from(self.second[256]).max(1);
        let (mut n_nodes, mut n_places, mut n_suffixes) = (0, 0, 0);
        let (mut looping, mut leaving) = (0, 0);
        for edge in edges {
            let alike = |base| view.step(base, edge.low).0 == Some(edge.target);
            if edge.target == number || own_loop.may_begin(edge.low) {
                looping += below(edge);
                continue;
            }
            if base.is_some_and(alike) {
                continue;
            }
            let (n_bytes, below) = (u64::from(edge.high - edge.low) + 1, below(edge));
            leaving += between(&self.second, edge);
            n_nodes += n_bytes;
            n_nodes += match is_wide(view.own_loop(edge.target)) {
                true => below / LEAVING,
                false => {
                    let base = base_behind(edge.target);
                    let next = view.plain_edges(edge.target).iter().filter(|next| Some(next.target) != base);
                    below * next.map(|edge| between(&self.second, edge)).sum::<u64>() / everything
                }
            };
            if is_called && view.is_accepting(edge.target) {
                n_places += n_bytes;
                n_suffixes += below.min(MAX_SUFFIXES);
            }
        }
        // What leaves the loop is found by its suffix, of which many have the same.
        n_nodes += looping * leaving / everything / 4;
        if n_places <= FEW {
            n_suffixes = 0;
        }
        let calls = if automata.calls(state) { CALLS } else { 0 };
        BEGIN + calls + NODE * n_nodes + SUFFIX * n_suffixes.min(MAX_SUFFIXES_IN_ALL)
    }
}

/// The sum of what the bytes of an edge have.
fn between(sums: &[u32; 257], edge: &ByteEdge) -> u64 {
    u64::from(sums[usize::from(edge.high) + 1] - sums[usize::from(edge.low)])
}

/// Whether a loop reads most texts.
fn is_wide(own_loop: Loop) -> bool {
    own_loop.len() >= 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_grammar::{CharClass, GrammarBuilder, Place};
    use formwork_vocab::Vocabulary;

    #[test]
    fn a_cost_is_what_is_visited() {
        let mut builder = Vocabulary::builder();
        for (id, text) in (0..).zip(["t", "tr", "ta", "tab", "\"", "\"a"]) {
            builder.token(id, text);
        }
        let vocabulary = builder.build().expect("a vocabulary");
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let (literal, quote) = (b.literal("true"), b.literal("\""));
        let letter = b.class(CharClass::range('a', 'z'));
        let letters = b.star(letter);
        let string = b.seq([quote, letters, quote]);
        let body = b.alt([literal, string]);
        b.define(root, body);
        let grammar = b.build(root).expect("a grammar");
        let automata =
            formwork_fsm::build(&grammar, &formwork_fsm::Config::default(), &|| false).expect("automata");
        let start = automata.start(automata.root());
        // `t` and one of the four nodes below it, since `r` is a quarter of what stands second; `"` and none of the two.
        assert_eq!(
            Estimates::new(vocabulary.trie()).cost(&automata, start, &mut HashSet::default()),
            BEGIN + 3 * NODE
        );
        // Inside the string only the quote is visited: the letters are the loop's.
        let inside = automata.step(start, b'"').0.expect("a string");
        assert_eq!(
            Estimates::new(vocabulary.trie()).cost(&automata, inside, &mut HashSet::default()),
            BEGIN + NODE
        );
    }
}
