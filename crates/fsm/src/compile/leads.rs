//! Literals in a row, and what may stand before them as often as it likes, as one node.
//!
//! Between the members of an object stand blanks, quotes, names, colons and commas: eight operands for a member, and each of
//! them a node to be found, written and closed over, a repetition three. But blanks before a comma are one node that reads
//! either a blank, and stays, or the comma, and goes on; a name with its quotes is one literal. So a sequence is built from
//! *leads*: some literals side by side, together with the loop of characters before them, if there is one. (A call with the
//! blanks before it as one node was tried: 0.3% of what missed masks cost, where this is 3%.)
//!
//! A lead ends where the next loop begins, so that sequences share what follows: `, "b":` behind a member and `"b":` behind the
//! brace have the same node from the blanks before the quote on. Nodes of leads are remembered as those of expressions are.
//!
//! # Worked example
//! `" "* "," " "* "\"" "ab" "\"" value`, from its end: n1 reads `value`. The three literals and the blanks before them are n2,
//! which reads a blank and goes to n2, or a quote and goes to n3, the literal `ab"` before n1. The blanks and the comma are n4,
//! which reads a blank and goes to n4, or a comma and goes to n2. Operand by operand it would be eleven nodes.

use super::Builder;
use crate::nfa::{LiteralLetter, NodeId, Range};
use crate::spelling::Spelling;
use crate::unit::Spelled;
use formwork_grammar::{CharClass, Expr};
use smallvec::SmallVec;

/// The operands of a lead; most are a loop, two quotes and a name.
pub(super) type Lead = SmallVec<[Spelled; 4]>;

impl<'g> Builder<'_, 'g> {
    /// The node that reads these operands and goes on at `next`.
    pub(super) fn leads(&mut self, parts: &[Spelled], next: NodeId) -> NodeId {
        let (mut rest, mut next) = (parts, next);
        while let Some((&(part, spelling), before)) = rest.split_last() {
            let start = self.lead(rest);
            if rest.len() - start > 1 {
                next = self.lead_node(&rest[start..], next);
                rest = &rest[..start];
            } else {
                next = self.node(part, spelling, next);
                rest = before;
            }
        }
        next
    }

    /// Where the last lead of a sequence begins.
    fn lead(&self, parts: &[Spelled]) -> usize {
        let n_literals = parts.iter().rev().take_while(|&&part| self.plain_letters(part).is_some()).count();
        let start = parts.len() - n_literals;
        match parts[..start].last() {
            Some(&part) if n_literals > 0 && self.looped(part).is_some() => start - 1,
            _ => start,
        }
    }

    fn lead_node(&mut self, parts: &[Spelled], next: NodeId) -> NodeId {
        let key = (Lead::from_slice(parts), next);
        if let Some(&known) = self.draft.leads.get(&key) {
            return known;
        }
        let looped = self.looped(parts[0]);
        let literals = &parts[usize::from(looped.is_some())..];
        // The last letter first.
        let mut letters: SmallVec<[LiteralLetter; 32]> = SmallVec::new();
        for &part in literals.iter().rev() {
            let (bytes, has_escapes) = self.plain_letters(part).unwrap_or_default();
            letters
                .extend(bytes.iter().rev().map(|&byte| LiteralLetter { letter: byte.into(), has_escapes }));
        }
        let node = match looped {
            None => {
                let literal = self.nfa.literal(letters.into_iter(), next);
                self.nfa.add(literal)
            }
            Some(class) => {
                let first = letters.pop().unwrap_or_else(|| unreachable!("a lead has a literal"));
                let target = match letters.is_empty() {
                    true => next,
                    false => {
                        let rest = self.nfa.literal(letters.into_iter(), next);
                        self.nfa.add(rest)
                    }
                };
                let node = self.nfa.reserve();
                let mut edges: SmallVec<[Range; 4]> = class
                    .ranges()
                    .iter()
                    .map(|&(low, high)| Range { low: low.into(), high: high.into(), target: node })
                    .collect();
                edges.push(Range { low: first.letter, high: first.letter, target });
                let unit = first.has_escapes.then(|| (self.escape_of(first.letter), target));
                self.nfa.nodes[node as usize] = self.nfa.read_or_call(&edges, unit.as_slice());
                node
            }
        };
        self.draft.leads.insert(key, node);
        node
    }

    /// The bytes that an operand reads as often as it likes, if that is all that it does.
    fn looped(&self, (part, spelling): Spelled) -> Option<&'g CharClass> {
        let grammar = self.context.grammar;
        let Expr::Repeat { body, min: 0, max } = *grammar.expr(part) else { return None };
        if spelling != Spelling::Utf8 || self.plan.max_of(part, max).is_some() {
            return None;
        }
        match grammar.expr(body) {
            Expr::Class(class) if class.ranges().last().is_some_and(|(_, high)| high.is_ascii()) => {
                Some(class)
            }
            _ => None,
        }
    }
}
