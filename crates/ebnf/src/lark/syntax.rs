//! What a Lark text says, before its names mean anything.

use crate::syntax::Attributes;
use formwork_grammar::Symbol;
use std::ops::Range;

/// The statements of a text and their expressions, in one arena.
#[derive(Default)]
pub(super) struct File {
    pub(super) definitions: Vec<Definition>,
    /// What may stand between terminals.
    pub(super) ignored: Vec<Body>,
    pub(super) imports: Vec<Import>,
    /// Names of terminals that code makes, not text.
    pub(super) declared: Vec<Range<usize>>,
    /// Operands come before what they are operands of.
    nodes: Vec<Node>,
    /// The operands of all lists.
    lists: Vec<NodeId>,
}

/// A rule or terminal as it is written.
pub(super) struct Definition {
    pub(super) how: How,
    /// Where the name is.
    pub(super) name: Range<usize>,
    pub(super) is_terminal: bool,
    /// Where the names of a template's parameters are.
    pub(super) parameters: Vec<Range<usize>>,
    pub(super) attributes: Attributes,
    /// `None` if there was an error in the body.
    pub(super) body: Option<Body>,
}

/// What a definition does to one of the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// There must be none.
    New,
    /// `%override`: takes its place.
    Override,
    /// `%extend`: adds alternatives.
    Extend,
}

/// An expression: its node, and the first of those below it, which all lie between.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) first: NodeId,
    pub(super) node: NodeId,
}

/// One name that comes from another file.
pub(super) struct Import {
    /// The whole path without the name, from its first dot or name.
    pub(super) place: Range<usize>,
    /// Whether it begins with a dot, so that it starts at the folder of this file.
    pub(super) is_relative: bool,
    /// The path's parts.
    pub(super) path: Vec<Range<usize>>,
    pub(super) name: Range<usize>,
    /// What it is called here.
    pub(super) local: Range<usize>,
}

/// An expression as it is written.
pub(super) struct Node {
    pub(super) kind: NodeKind,
    span: Range<u32>,
}

pub(super) enum NodeKind {
    Text {
        text: Box<str>,
        ignores_case: bool,
    },
    Range(char, char),
    Pattern,
    Symbol(Symbol),
    /// A rule, a terminal or a parameter.
    Name,
    /// A template with arguments; the span is its name's.
    Use(List),
    Seq(List),
    Alt(List),
    Repeat {
        body: NodeId,
        min: u32,
        max: Option<u32>,
    },
}

/// A node of a [`File`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// A run of operands in a file's lists.
#[derive(Clone, Copy)]
pub(super) struct List {
    start: u32,
    end: u32,
}

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    pub(super) fn place(&self) -> Range<usize> {
        self.span.start as usize..self.span.end as usize
    }
}

impl File {
    /// Adds a node. There are never more than the text has bytes and definitions, together fewer than 2³².
    pub(super) fn add(&mut self, kind: NodeKind, span: Range<usize>) -> NodeId {
        let id = self.next();
        self.nodes.push(Node { kind, span: span.start as u32..span.end as u32 });
        id
    }

    /// The node that is added next.
    pub(super) fn next(&self) -> NodeId {
        NodeId(self.nodes.len() as u32)
    }

    pub(super) fn list(&mut self, parts: &[NodeId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(parts);
        List { start, end: self.lists.len() as u32 }
    }

    pub(super) fn parts(&self, list: List) -> &[NodeId] {
        &self.lists[list.start as usize..list.end as usize]
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}

impl Body {
    /// The nodes of the expression, operands first.
    pub(super) fn ids(self) -> impl Iterator<Item = NodeId> {
        (self.first.0..=self.node.0).map(NodeId)
    }

    pub(super) fn len(self) -> usize {
        self.node.index() + 1 - self.first.index()
    }

    /// Which of the expression's nodes this is.
    pub(super) fn offset(self, id: NodeId) -> usize {
        id.index() - self.first.index()
    }
}
