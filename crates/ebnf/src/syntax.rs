//! What a text says, before its names mean anything.

use formwork_grammar::{ByteSet, CharClass, Symbol, SymbolSet};
use std::num::NonZeroU32;
use std::ops::Range;

/// The rules of a text and their expressions, in one arena.
#[derive(Default)]
pub(crate) struct File {
    pub(crate) rules: Vec<RuleText>,
    /// Operands come before what they are operands of.
    pub(crate) nodes: Vec<Node>,
    /// The operands of all lists.
    pub(crate) lists: Vec<NodeId>,
}

/// A rule as it is written.
pub(crate) struct RuleText {
    /// Where the name is.
    pub(crate) name: Range<usize>,
    /// `None` if there was an error in the body.
    pub(crate) body: Option<NodeId>,
    pub(crate) attributes: Attributes,
}

/// What stands in brackets behind a rule's name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    /// Where it stands.
    pub(crate) start: usize,
    /// The greatest number of characters.
    pub(crate) max_chars: Option<u32>,
    /// Whether the rule ends as soon as it can.
    pub(crate) is_lazy: bool,
    /// The greatest number of tokens.
    pub(crate) max_tokens: Option<NonZeroU32>,
    /// The name under which it is captured; empty means the rule's.
    pub(crate) capture: Option<String>,
}

impl Attributes {
    /// Whether they are about the characters of the rule.
    pub(crate) fn want_text(&self) -> bool {
        self.max_chars.is_some() || self.is_lazy
    }

    /// Whether they are about the part of the output that the rule matches.
    pub(crate) fn make_region(&self) -> bool {
        self.max_tokens.is_some() || self.capture.is_some()
    }
}

/// An expression as it is written.
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// Where it is: the leaf, or the name of the call.
    pub(crate) span: Range<u32>,
    /// Whether it is inside an operand of `And`, `Not` or `JsonText`.
    pub(crate) is_text: bool,
}

pub(crate) enum NodeKind {
    Literal(Box<[u8]>),
    Class(CharClass),
    ByteClass(ByteSet),
    Reference,
    Seq(List),
    Alt(List),
    Repeat { body: NodeId, min: u32, max: Option<u32> },
    And(List),
    Not(NodeId),
    JsonText(NodeId),
    Symbols(SymbolSet),
    Tag(Box<str>),
    Until { arms: Arms, ends: bool },
    TagDispatch { arms: Arms, loops: bool },
    TokenTagDispatch { arms: Arms, loops: bool },
}

/// The arguments of a dispatching call.
pub(crate) struct Arms {
    pub(crate) triggers: Vec<Symbol>,
    /// What follows each trigger.
    pub(crate) continuations: List,
    pub(crate) excluded: Vec<Symbol>,
}

/// A node of a [`File`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// A run of operands in [`File::lists`].
#[derive(Clone, Copy)]
pub(crate) struct List {
    start: u32,
    end: u32,
}

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    pub(crate) fn place(&self) -> Range<usize> {
        self.span.start as usize..self.span.end as usize
    }
}

impl File {
    /// Adds a node. There are never more than the text has bytes, which are fewer than 2³².
    pub(crate) fn add(&mut self, kind: NodeKind, span: Range<usize>, is_text: bool) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind, span: span.start as u32..span.end as u32, is_text });
        id
    }

    pub(crate) fn list(&mut self, parts: &[NodeId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(parts);
        List { start, end: self.lists.len() as u32 }
    }

    pub(crate) fn parts(&self, list: List) -> &[NodeId] {
        &self.lists[list.start as usize..list.end as usize]
    }

    /// All node ids, operands first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, id: NodeId) -> &[NodeId] {
        match &self.node(id).kind {
            NodeKind::Seq(list) | NodeKind::Alt(list) | NodeKind::And(list) => self.parts(*list),
            NodeKind::Repeat { body, .. } | NodeKind::Not(body) | NodeKind::JsonText(body) => {
                std::slice::from_ref(body)
            }
            NodeKind::Until { arms, .. }
            | NodeKind::TagDispatch { arms, .. }
            | NodeKind::TokenTagDispatch { arms, .. } => self.parts(arms.continuations),
            NodeKind::Literal(_)
            | NodeKind::Class(_)
            | NodeKind::ByteClass(_)
            | NodeKind::Reference
            | NodeKind::Symbols(_)
            | NodeKind::Tag(_) => &[],
        }
    }
}
