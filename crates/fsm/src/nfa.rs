//! The non-deterministic automaton between an expression and its deterministic automaton.
//!
//! Built backwards: a node is made for an expression *and what follows it*, and remembered under that pair.
//! So tails are shared whatever their shape (`n` optional properties of an object cost `n` nodes, not `n²`), and a rule
//! that is put in line in tail position is a jump.

/// A node, by its position.
pub(crate) type NodeId = u32;

/// A letter range of a node: bytes, or code points in an automaton over text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) target: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Reads one letter.
    Letters(Vec<Range>),
    /// Goes on in all of these without reading.
    Split(Vec<NodeId>),
    /// Reads what another automaton accepts, then goes on. The number is that automaton's.
    Call(u32, NodeId),
    /// One more repetition of the counted body is complete; goes on without reading.
    Tick(NodeId),
    /// The end of the rule.
    End,
}

/// Nodes; the entry and the end are kept by whoever builds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nfa {
    pub(crate) nodes: Vec<Node>,
}

impl Nfa {
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).expect("max_nodes is far below 2³²");
        self.nodes.push(node);
        id
    }
}
