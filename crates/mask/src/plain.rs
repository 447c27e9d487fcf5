//! The part of a [walk](crate::walk) that is only that: a single state reads by its own edges, no boundary is pending, nothing
//! is counted. Most nodes of the walk of a pattern, or of the inside of a string, are visited here.
//!
//! Where something more happens, since the rule may end or calls another one, the byte is left to the walk.
//!
//! Behind the first letter of a declared name stands the rest of it, and below the node of the trie a few beginnings of that. The
//! letters are followed in the trie alone ([`Letters`](formwork_fsm::Letters)), up to where a token goes further than the name or
//! may have an escape: only there a state is made.

use crate::descent::Descent;
use crate::slices::covers;
use crate::walk::{MANY, Start, WORTH_A_CHAIN, Walker};
use formwork_fsm::{RuleView, StateId, StateView};
use formwork_grammar::ByteSet;
use formwork_vocab::{NodeId, Trie};
use smallvec::SmallVec;

/// A byte that a walk has to follow itself, from a node and the state reached there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Further<'a> {
    pub(crate) state: StateId,
    pub(crate) at: StateView<'a>,
    pub(crate) node: NodeId,
    pub(crate) byte: u8,
    /// Whether the way to the node is [inside](crate::walk::Left).
    pub(crate) is_inside: bool,
}

#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    state: StateId,
    at: StateView<'a>,
    /// The bytes with which what the state calls begins.
    called: &'a ByteSet,
    node: NodeId,
    children: Descent,
    is_inside: bool,
}

impl Walker {
    /// Accepts what the state reads strictly below a node, the way to which is [inside](crate::walk::Left) or not; `further` is what is
    /// left.
    pub(crate) fn plain<'a>(
        &mut self,
        start: &Start<'a>,
        trie: &Trie,
        (state, at): (StateId, StateView<'a>),
        (node, children, is_inside): (NodeId, Descent, bool),
        further: &mut Vec<Further<'a>>,
    ) {
        let view = start.view;
        // PERF: the place where the walk is stands beside the stack, and of a leaf, as most nodes are, nothing is asked but whether
        // its byte is read.
        let mut above: SmallVec<[Frame<'a>; 8]> = SmallVec::new();
        let mut frame = Frame { state, at, called: at.called_bytes(), node, children, is_inside };
        loop {
            let Some(child) = frame.children.next(trie) else {
                match above.pop() {
                    Some(next) => frame = next,
                    None => return,
                }
                continue;
            };
            self.n_visited += 1;
            let byte = trie.byte(child);
            if !frame.children.wants(byte) {
                continue;
            }
            let Frame { state, at, node, is_inside, .. } = frame;
            if frame.called.contains(byte) {
                further.push(Further { state, at, node, byte, is_inside });
                continue;
            }
            // What is wanted and not called is read.
            if trie.end(child) == child.next() {
                self.accept_at(trie, child);
                continue;
            }
            let Some(to) = at.step(byte) else { continue };
            if start.is_called && view.is_accepting(to) {
                further.push(Further { state, at, node, byte, is_inside });
                continue;
            }
            if self.reads_all_below(view, to, trie, child) {
                self.accepted.extend_from_slice(trie.tokens_below(child));
                continue;
            }
            let mut is_inside = start.left.goes_on(is_inside, 1, byte);
            let (to, child) = match self.along_literal(view, to, trie, child) {
                Some((to, at)) => {
                    is_inside &= at == child;
                    (to, at)
                }
                None => continue,
            };
            if !view.goes_on(to) {
                self.accept_at(trie, child);
                continue;
            }
            let (state, at) = (state.sibling(to), view.at(to));
            let called = at.called_bytes();
            let bytes = at.next_bytes().union(called);
            if is_inside && start.refuses_exits(at, trie, child) {
                continue;
            }
            let n_below = trie.end(child).get() - child.get();
            if n_below > WORTH_A_CHAIN
                && self.takes_below(start, trie, (state, at), child, bytes.has_at_least(MANY))
            {
                continue;
            }
            self.accept_at(trie, child);
            let children = Descent::new(trie, child, &bytes);
            let below = Frame { state, at, called, node: child, children, is_inside };
            above.push(std::mem::replace(&mut frame, below));
        }
    }

    /// Follows the letters of a literal below a node as far as they decide everything there: accepts the tokens before the node
    /// where a state is needed, which is returned with that state. `None` if there is none. Of what is no literal: where it is.
    pub(crate) fn along_literal(
        &mut self,
        view: RuleView<'_>,
        state: u32,
        trie: &Trie,
        node: NodeId,
    ) -> Option<(u32, NodeId)> {
        let Some(letters) = view.literal(state) else { return Some((state, node)) };
        let n_accepted = self.accepted.len();
        let (mut n_letters, mut at) = (0, node);
        for &(letter, has_escapes) in &letters {
            if has_escapes && trie.child(at, b'\\').is_some() {
                break;
            }
            self.accept_at(trie, at);
            at = trie.child(at, letter)?;
            self.n_visited += 1;
            n_letters += 1;
            if trie.end(at) == at.next() {
                self.accept_at(trie, at);
                return None;
            }
        }
        match n_letters {
            0 => Some((state, node)),
            _ => match view.pass(state, n_letters) {
                Some(passed) => Some((passed, at)),
                None => {
                    self.accepted.truncate(n_accepted);
                    Some((state, node))
                }
            },
        }
    }

    /// Takes all tokens from a node on that a single state's loop or chain decides, if it decides all; no boundary is pending.
    fn takes_below(
        &mut self,
        start: &Start<'_>,
        trie: &Trie,
        (state, at): (StateId, StateView<'_>),
        node: NodeId,
        are_many: bool,
    ) -> bool {
        let (view, number) = (start.view, state.local());
        if are_many
            && self.switches.slices
            && self.chains.takes_short(view, number, trie, node, &mut self.accepted)
        {
            return true;
        }
        let all = covers(at.own_loop(), trie, node)
            || covers(start.slice, trie, node) && self.alike.binary_search(&number).is_ok()
            || are_many && self.switches.slices && self.chains.covers(view, number, trie, node)
            || are_many && start.is_wide && self.chains.covers_in_any_order(view, number, trie, node);
        if all {
            self.accepted.extend_from_slice(trie.tokens_below(node));
        }
        all
    }
}
