//! Machines of items separated by commas, as expressions.

use super::Lowering;
use super::layout::Mark;
use formwork_grammar::{ExprId, Place};
use smallvec::SmallVec;

/// Items (white space before them included) and the states they lead to.
///
/// PERF: without conditions there is one state, with one loop.
pub(super) type Edges = SmallVec<[(ExprId, usize); 1]>;

/// A machine whose edges read whole items.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) states: SmallVec<[MachineState; 1]>,
    /// Whether it must stay in one rule.
    pub(super) in_one_rule: bool,
}

#[derive(Default)]
pub(super) struct MachineState {
    pub(super) edges: Edges,
    /// Whether the bracket may close here.
    pub(super) end: bool,
}

impl Machine {
    /// Whether there is no cycle but of one state, so that it can be written as one expression.
    pub(super) fn has_order(&self) -> bool {
        reverse_topological(self).is_some()
    }
}

impl Lowering<'_> {
    /// For each state, what may come once something came before it: commas, items and the closing bracket.
    ///
    /// States only ever lose obligations, so beside loops on one state the machine has no cycles and each state is an
    /// expression made of later ones. Should there be a cycle all the same, every state becomes a rule.
    pub(super) fn tails(&mut self, machine: &Machine, close: ExprId, pointer: &str) -> Vec<ExprId> {
        let n = machine.states.len();
        let Some(order) = reverse_topological(machine) else {
            return self.tails_as_rules(machine, close, pointer);
        };
        let mut tails = vec![self.b.never(); n];
        for state in order {
            let mut loops = SmallVec::<[ExprId; 4]>::new();
            let mut ways = SmallVec::<[ExprId; 4]>::new();
            for &(item, target) in &machine.states[state].edges {
                let item = self.after_comma(item);
                if target == state {
                    loops.push(item);
                } else {
                    ways.push(self.b.seq([item, tails[target]]));
                }
            }
            if machine.states[state].end {
                ways.push(close);
            }
            let loops = self.b.alt(loops);
            let (loops, ways) = (self.b.star(loops), self.b.alt(ways));
            tails[state] = self.b.seq([loops, ways]);
            // References stop sequences from being flattened into each other over and over.
            // Members must stay in the rule of their set.
            if n > 64
                && state % 16 == 0
                && !machine.in_one_rule
                && !self.b.properties(tails[state]).has_members
            {
                tails[state] = self.tail_rule(tails[state], pointer);
            }
        }
        tails
    }

    fn tails_as_rules(&mut self, machine: &Machine, close: ExprId, pointer: &str) -> Vec<ExprId> {
        let rules: Vec<_> = machine
            .states
            .iter()
            .map(|_| self.b.declare("tail", Place::Pointer(pointer.to_owned())))
            .collect();
        for (state, &rule) in machine.states.iter().zip(&rules) {
            let mut ways = Vec::new();
            for &(item, target) in &state.edges {
                let (item, target) = (self.after_comma(item), self.b.rule(rules[target]));
                ways.push(self.b.seq([item, target]));
            }
            if state.end {
                ways.push(close);
            }
            let body = self.b.alt(ways);
            self.b.define(rule, body);
        }
        rules.into_iter().map(|rule| self.b.rule(rule)).collect()
    }

    /// What may come in a state before anything came.
    pub(super) fn head(
        &mut self,
        machine: &Machine,
        state: usize,
        tails: &[ExprId],
        close: ExprId,
    ) -> ExprId {
        let mut ways = SmallVec::<[ExprId; 4]>::new();
        for &(item, target) in &machine.states[state].edges {
            ways.push(self.b.seq([item, tails[target]]));
        }
        if machine.states[state].end {
            ways.push(close);
        }
        self.b.alt(ways)
    }

    pub(super) fn after_comma(&mut self, item: ExprId) -> ExprId {
        let comma = self.mark(Mark::Comma);
        self.b.seq([self.ws, comma, item])
    }

    pub(super) fn tail_rule(&mut self, body: ExprId, pointer: &str) -> ExprId {
        if !matches!(self.b.expr(body), formwork_grammar::Expr::Seq(_) | formwork_grammar::Expr::Alt(_)) {
            return body;
        }
        let rule = self.b.declare("tail", Place::Pointer(pointer.to_owned()));
        self.b.define(rule, body);
        self.b.rule(rule)
    }
}

/// The states with every target before its sources, loops left aside; `None` if there is a longer cycle.
fn reverse_topological(machine: &Machine) -> Option<Vec<usize>> {
    let n = machine.states.len();
    if n == 1 {
        return Some(vec![0]);
    }
    let mut open = vec![0usize; n];
    let mut sources = vec![Vec::new(); n];
    for (state, data) in machine.states.iter().enumerate() {
        for &(_, target) in &data.edges {
            if target != state {
                open[state] += 1;
                sources[target].push(state);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).filter(|&state| open[state] == 0).collect();
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for &source in &sources[state] {
            open[source] -= 1;
            if open[source] == 0 {
                order.push(source);
            }
        }
    }
    (order.len() == n).then_some(order)
}
