//! Strongly connected components, those first that others lead to (R. Tarjan, *Depth-first search and linear graph
//! algorithms*, 1972), without recursion and in two arrays.
//!
//! `petgraph` has the algorithm, but recursive; its iterative one (Kosaraju's) wants a graph of its own, which costs more
//! here than the search itself.

/// The components of a graph; each is a slice of nodes.
#[derive(Debug, Default)]
pub(crate) struct Components {
    nodes: Vec<u32>,
    ends: Vec<u32>,
}

impl Components {
    /// None yet, with room for so many of one node each.
    pub(crate) fn with_capacity(n: usize) -> Self {
        Self { nodes: Vec::with_capacity(n), ends: Vec::with_capacity(n) }
    }

    /// Adds a node to the component that is not [finished](Self::finish).
    pub(crate) fn push(&mut self, node: u32) {
        self.nodes.push(node);
    }

    /// Makes a component of the nodes that came since the last one.
    pub(crate) fn finish(&mut self) {
        self.ends.push(self.nodes.len() as u32);
    }

    /// The nodes of the last component.
    pub(crate) fn last(&self) -> &[u32] {
        let start = self.ends.iter().rev().nth(1).map_or(0, |&end| end as usize);
        &self.nodes[start..self.ends.last().map_or(0, |&end| end as usize)]
    }

    /// The same, the nodes of each component ascending.
    pub(crate) fn sorted(mut self) -> Self {
        let mut start = 0;
        for &end in &self.ends {
            if end as usize > start + 1 {
                self.nodes[start..end as usize].sort_unstable();
            }
            start = end as usize;
        }
        self
    }

    /// The nodes of all components, one after the other.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The components, each after all those that it leads to.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start as usize..end as usize])
    }
}

/// Few graphs are searched deeper.
const DEEP: usize = 64;

/// The components of the graph of `n` nodes in which `targets` says where each leads.
///
/// Cost: linear in nodes and edges.
pub(crate) fn components<T: Iterator<Item = u32>>(n: usize, targets: impl Fn(u32) -> T) -> Components {
    components_from(0..n as u32, n, targets)
}

/// The same of what is reached from `roots`.
pub(crate) fn components_from<T: Iterator<Item = u32>>(
    roots: impl IntoIterator<Item = u32>,
    n: usize,
    targets: impl Fn(u32) -> T,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    // The number of the visit, later the least number that the node reaches on the stack.
    let mut low = vec![UNSEEN; n];
    // Nodes that were met and are in no component yet.
    let mut open: Vec<u32> = Vec::with_capacity(n.min(DEEP));
    let mut found = Components::with_capacity(n);
    let mut visits = 0u32;
    // A node, its own number, and where its edges go on.
    let mut path: Vec<(u32, u32, T)> = Vec::with_capacity(n.min(DEEP));
    const DONE: u32 = u32::MAX - 1;
    for root in roots {
        if low[root as usize] != UNSEEN {
            continue;
        }
        low[root as usize] = visits;
        open.push(root);
        path.push((root, visits, targets(root)));
        visits += 1;
        while let Some((node, number, edges)) = path.last_mut() {
            let (node, number) = (*node as usize, *number);
            if let Some(target) = edges.next() {
                let reached = low[target as usize];
                if reached == UNSEEN {
                    low[target as usize] = visits;
                    open.push(target);
                    path.push((target, visits, targets(target)));
                    visits += 1;
                } else if reached != DONE {
                    low[node] = low[node].min(reached);
                }
                continue;
            }
            path.pop();
            let least = low[node];
            if let Some((parent, _, _)) = path.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(least);
            }
            if least == number {
                while let Some(member) = open.pop() {
                    low[member as usize] = DONE;
                    found.nodes.push(member);
                    if member as usize == node {
                        break;
                    }
                }
                found.ends.push(found.nodes.len() as u32);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_petgraph_finds_them(edges in proptest::collection::vec((0u32..12, 0u32..12), 0..40)) {
            let found = components(12, |node| {
                edges.iter().filter(move |edge| edge.0 == node).map(|edge| edge.1).collect::<Vec<_>>().into_iter()
            });
            let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges.iter().copied());
            let mut graph = graph;
            while graph.node_count() < 12 {
                graph.add_node(());
            }
            let sorted = |mut parts: Vec<Vec<u32>>| {
                parts.iter_mut().for_each(|part| part.sort_unstable());
                parts.sort();
                parts
            };
            let expected = petgraph::algo::kosaraju_scc(&graph);
            let expected = expected.into_iter().map(|part| part.into_iter().map(|node| node.index() as u32).collect());
            prop_assert_eq!(sorted(found.iter().map(<[u32]>::to_vec).collect()), sorted(expected.collect()));
            // Each comes after all that it leads to.
            let order: Vec<&[u32]> = found.iter().collect();
            let rank = |node: u32| order.iter().position(|part| part.contains(&node));
            for &(from, to) in &edges {
                prop_assert!(rank(from) >= rank(to));
            }
        }
    }
}
