//! The nodes of literals and of single characters.

use super::Builder;
use crate::few::Few;
use crate::nfa::{LiteralLetter, Node, NodeId, Range};
use crate::spelling::Spelling;
use crate::unit::{Spelled, Unit};
use formwork_grammar::{Expr, ExprId, Grammar};

impl<'g> Builder<'_, 'g> {
    /// The node that begins a literal; not empty.
    pub(super) fn literal(&mut self, bytes: &[u8], spelling: Spelling, next: NodeId) -> Node {
        if let Some(literal) = self.plain_literal(bytes, spelling, next) {
            return literal;
        }
        let letters = letters_of(bytes, spelling);
        let mut target = next;
        for &letter in letters[1..].iter().rev() {
            let node = self.letter_node(&[Range { low: letter, high: letter, target }], spelling);
            target = self.nfa.add(node);
        }
        self.letter_node(&[Range { low: letters[0], high: letters[0], target }], spelling)
    }

    /// The same for one whose letters are bytes that stand for themselves, if it has several.
    fn plain_literal(&mut self, bytes: &[u8], spelling: Spelling, next: NodeId) -> Option<Node> {
        if bytes.len() < 2 || !self.is_plain(bytes, spelling) {
            return None;
        }
        let has_escapes = spelling == Spelling::Json;
        let letters = bytes.iter().rev().map(|&byte| LiteralLetter { letter: byte.into(), has_escapes });
        Some(self.nfa.literal(letters, next))
    }

    fn is_plain(&self, bytes: &[u8], spelling: Spelling) -> bool {
        let is_plain = |&byte: &u8| (b' '..0x80).contains(&byte) && byte != b'"' && byte != b'\\';
        match spelling {
            Spelling::Utf8 => true,
            Spelling::Json => self.draft.shares_escapes && bytes.iter().all(is_plain),
            Spelling::CodePoints => bytes.is_ascii(),
        }
    }

    /// The letters of a literal that are bytes and stand for themselves, and whether each has escapes.
    pub(super) fn plain_letters(&self, (part, spelling): Spelled) -> Option<(&'g [u8], bool)> {
        let grammar = self.context.grammar;
        let (literal, spelling) = match grammar.expr(part) {
            Expr::JsonText(text) => (*text, Spelling::Json),
            _ => (part, spelling),
        };
        let Expr::Bytes(bytes) = grammar.expr(literal) else { return None };
        self.is_plain(bytes, spelling).then_some((bytes, spelling == Spelling::Json))
    }

    /// The node that reads one of these [letters of literals](letters_of).
    fn letter_node(&mut self, edges: &[Range], spelling: Spelling) -> Node {
        match spelling {
            Spelling::Utf8 | Spelling::CodePoints => self.nfa.read(edges),
            Spelling::Json => self.characters(edges, spelling, true),
        }
    }

    /// The node that reads one character of these disjoint ranges. The letters of a literal in UTF-8 are bytes already.
    ///
    /// With `call_escapes`, JSON escapes are calls of a unit that all states share which read the same characters: five
    /// states for each character of every property name would otherwise be most of the automaton.
    pub(super) fn characters(&mut self, edges: &[Range], spelling: Spelling, call_escapes: bool) -> Node {
        let mut letters = std::mem::take(&mut self.draft.letters);
        letters.clear();
        let node = match spelling {
            Spelling::Json if call_escapes && self.draft.shares_escapes => {
                self.draft.speller.raw(self.nfa, edges, &mut letters);
                if let [Range { low, high, target }] = *edges {
                    let unit = if low == high {
                        self.escape_of(low)
                    } else {
                        self.escape_unit(Few::One((low, high)))
                    };
                    self.nfa.read_or_call(&letters, &[(unit, target)])
                } else {
                    let mut calls: Vec<(u32, NodeId)> = Vec::new();
                    let mut by_target: Vec<Range> = edges.to_vec();
                    by_target.sort_unstable_by_key(|edge| (edge.target, edge.low));
                    for group in by_target.chunk_by(|a, b| a.target == b.target) {
                        let ranges = Few::of(group.iter().map(|edge| (edge.low, edge.high)));
                        calls.push((self.escape_unit(ranges), group[0].target));
                    }
                    self.nfa.read_or_call(&letters, &calls)
                }
            }
            _ => {
                self.draft.speller.letters(self.nfa, spelling, edges, &mut letters);
                self.nfa.read(&letters)
            }
        };
        self.draft.letters = letters;
        node
    }

    /// The unit of one character's escapes.
    pub(super) fn escape_of(&mut self, character: u32) -> u32 {
        self.context.memory.escapes_of(character, self.draft.rule)
    }

    fn escape_unit(&mut self, ranges: Few<(u32, u32)>) -> u32 {
        self.context.memory.units.intern(Unit::Escape(ranges), self.draft.rule)
    }

    /// The node of what is left of a word, if that is several letters that stand for themselves.
    fn rest_of_word(&mut self, letters: &[u32], spelling: Spelling, next: NodeId) -> Option<NodeId> {
        let stands_for_itself =
            |letter: &u32| u8::try_from(*letter).is_ok_and(|byte| self.is_plain(&[byte], spelling));
        if letters.len() < 2 || !letters.iter().all(stands_for_itself) {
            return None;
        }
        let has_escapes = spelling == Spelling::Json;
        let letters = letters.iter().rev().map(|&letter| LiteralLetter { letter, has_escapes });
        let literal = self.nfa.literal(letters, next);
        Some(self.nfa.add(literal))
    }

    /// Many literals share their beginnings in a trie; everything else is a node of its own.
    pub(super) fn alternatives(&mut self, parts: &[ExprId], spelling: Spelling, next: NodeId) -> Vec<NodeId> {
        let grammar = self.context.grammar;
        let mut nodes = Vec::new();
        let mut literals: Vec<Vec<u32>> = Vec::new();
        for &part in parts {
            match grammar.expr(part) {
                Expr::Bytes(bytes) => literals.push(letters_of(bytes, spelling)),
                _ => nodes.push(self.node(part, spelling, next)),
            }
        }
        if !literals.is_empty() {
            literals.sort_unstable();
            nodes.push(self.trie(&literals, spelling, next));
        }
        nodes
    }

    /// The node of the trie of sorted, different, non-empty words.
    fn trie(&mut self, words: &[Vec<u32>], spelling: Spelling, next: NodeId) -> NodeId {
        let root = self.nfa.reserve();
        let mut todo = vec![(root, 0usize, words.len(), 0usize)];
        while let Some((node, start, end, depth)) = todo.pop() {
            let mut edges: Vec<Range> = Vec::new();
            let mut first = start;
            while first < end {
                let letter = words[first][depth];
                let mut last = first + 1;
                while last < end && words[last][depth] == letter {
                    last += 1;
                }
                // The shortest word of the run, if it ends here, stands first.
                let ends = words[first].len() == depth + 1;
                let rest = first + usize::from(ends);
                let target = if rest == last {
                    next
                } else {
                    let is_one = last == rest + 1;
                    let word = if is_one { &words[rest][depth + 1..] } else { &[] };
                    let child = self.rest_of_word(word, spelling, next).unwrap_or_else(|| {
                        let child = self.nfa.reserve();
                        todo.push((child, rest, last, depth + 1));
                        child
                    });
                    if ends { self.nfa.add_split(&[child, next]) } else { child }
                };
                edges.push(Range { low: letter, high: letter, target });
                first = last;
            }
            self.nfa.nodes[node as usize] = self.letter_node(&edges, spelling);
        }
        root
    }
}

/// The words, if an expression over text is a choice of some that have at most so many letters together.
pub(super) fn words(grammar: &Grammar, expr: ExprId, max_letters: usize) -> Option<Vec<Vec<u32>>> {
    let whole = [expr];
    let parts: &[ExprId] = match grammar.expr(expr) {
        Expr::Alt(parts) => parts,
        _ => &whole,
    };
    let mut left = max_letters;
    let word = |part: &ExprId| match grammar.expr(*part) {
        Expr::Empty => Some(Vec::new()),
        Expr::Bytes(bytes) => {
            left = left.checked_sub(bytes.len())?;
            Some(letters_of(bytes, Spelling::CodePoints))
        }
        _ => None,
    };
    parts.iter().map(word).collect()
}

/// The letters of a literal: bytes, or characters where they are spelled or are the letters.
fn letters_of(bytes: &[u8], spelling: Spelling) -> Vec<u32> {
    match (spelling, std::str::from_utf8(bytes)) {
        (Spelling::Utf8, _) | (_, Err(_)) => bytes.iter().map(|&byte| u32::from(byte)).collect(),
        (_, Ok(text)) => {
            let mut letters = Vec::with_capacity(text.len());
            letters.extend(text.chars().map(u32::from));
            letters
        }
    }
}
