//! The two fixpoints over expressions and positions.
//!
//! *Ends*: `ends(e, i)` is the set of positions j such that the bytes from i to j are in the language of e.
//! *Viability*: `viable(e, i)` says that the bytes from i to the end of the input begin a member of e's language.
//! Both depend only on the same position and later ones, so positions are filled from the last to the first, and at one
//! position all expressions are evaluated again and again until nothing changes, which is what makes left recursion and
//! nullable cycles come out right without a special case: every operator is monotone in what it is made of.
//! (Complement is not, but its operand has no rules, so it is a leaf here.)

use super::spelling::{Spelling, Unit};
use super::text::TextLanguage;
use super::until::{After, Meaning, UntilLanguage};
use crate::SpelledSymbols;
use crate::symbols::Piece;
use fixedbitset::FixedBitSet;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, HashMap, RuleId};

/// What is known before any bytes are seen.
#[derive(Debug)]
pub(super) struct Plan {
    /// The expressions that the root reaches; operands come before what they are operands of, as in the arena.
    nodes: Vec<Node>,
    /// The root rule's body.
    root: usize,
    /// One entry per node: whether its language has a member.
    productive: Vec<bool>,
    texts: Vec<TextLanguage>,
}

/// An expression with its operands as indices into [`Plan::nodes`].
#[derive(Debug)]
enum Node {
    Empty,
    Never,
    Bytes(Box<[u8]>),
    /// One byte of 256 flags.
    ByteClass(formwork_grammar::ByteSet),
    Class(CharClass),
    Seq(Vec<usize>),
    Alt(Vec<usize>),
    Repeat {
        body: usize,
        min: u32,
        max: Option<u32>,
    },
    /// The body of the rule.
    Rule(usize),
    /// An index into [`Plan::texts`], and how the bytes spell the characters.
    Text(usize, Spelling),
    Until(Box<UntilLanguage>),
}

impl Plan {
    pub(super) fn new(grammar: &Grammar, symbols: &SpelledSymbols) -> Self {
        let body = |rule: RuleId| grammar.rule(rule).body();
        let mut reached = vec![body(grammar.root())];
        let mut seen: HashMap<ExprId, ()> = HashMap::default();
        seen.insert(reached[0], ());
        let mut next = 0;
        while let Some(&here) = reached.get(next) {
            next += 1;
            let mut visit = |id: ExprId| {
                if seen.insert(id, ()).is_none() {
                    reached.push(id);
                }
            };
            match grammar.expr(here) {
                Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().copied().for_each(visit),
                Expr::Repeat { body, .. } => visit(*body),
                Expr::Rule(rule) => visit(body(*rule)),
                Expr::Until(until) => until.continuations().iter().copied().for_each(visit),
                // What is below the operators on texts is the derivatives' business.
                _ => {}
            }
        }
        reached.sort_unstable();
        let index: HashMap<ExprId, usize> =
            reached.iter().enumerate().map(|(node, &id)| (id, node)).collect();
        let mut texts = Vec::new();
        let mut text = |operand: ExprId, spelling: Spelling| {
            texts.push(TextLanguage::new(grammar, operand));
            Node::Text(texts.len() - 1, spelling)
        };
        // Nodes that no expression of the grammar is; they come behind the others.
        let mut more: Vec<Node> = Vec::new();
        let mut add = |node: Node| {
            more.push(node);
            reached.len() + more.len() - 1
        };
        let mut nodes: Vec<Node> = reached
            .iter()
            .map(|&id| match grammar.expr(id) {
                Expr::Symbols(set) => {
                    let spellings = symbols.spellings(set);
                    Node::Alt(spellings.into_iter().map(|bytes| add(Node::Bytes(bytes.into()))).collect())
                }
                Expr::Tag(tag) => {
                    Node::Seq(symbols.pieces(tag).into_iter().map(|piece| add(literal(piece))).collect())
                }
                Expr::Until(until) => {
                    let mut patterns = Vec::new();
                    for (trigger, then) in until.arms() {
                        let mut pieces = symbols.pieces(trigger);
                        if let [Piece::Text(text)] = &pieces[..] {
                            patterns.push((text.clone(), Meaning::Trigger(index[&then])));
                            continue;
                        }
                        let before = match &pieces[0] {
                            Piece::Text(text) => text.clone(),
                            Piece::Symbol(_) => String::new(),
                        };
                        let rest = pieces.split_off(usize::from(!before.is_empty()));
                        let mut parts: Vec<usize> =
                            rest.into_iter().map(|piece| add(literal(piece))).collect();
                        parts.push(index[&then]);
                        patterns.push((before, Meaning::Symbol(add(Node::Seq(parts)))));
                        patterns.push((trigger.to_owned(), Meaning::Excluded));
                    }
                    patterns
                        .extend(until.excluded().iter().map(|text| (text.to_string(), Meaning::Excluded)));
                    Node::Until(Box::new(UntilLanguage { patterns, ends: until.ends() }))
                }
                Expr::Empty => Node::Empty,
                Expr::Never => Node::Never,
                Expr::Bytes(bytes) => Node::Bytes(bytes[..].into()),
                Expr::ByteClass(set) => Node::ByteClass(*set),
                Expr::Class(class) => Node::Class(class.clone()),
                Expr::Seq(parts) => Node::Seq(parts.iter().map(|part| index[part]).collect()),
                Expr::Alt(parts) => Node::Alt(parts.iter().map(|part| index[part]).collect()),
                Expr::Repeat { body, min, max } => Node::Repeat { body: index[body], min: *min, max: *max },
                Expr::Rule(rule) => Node::Rule(index[&body(*rule)]),
                Expr::And(_) | Expr::Not(_) => text(id, Spelling::Plain),
                Expr::JsonText(operand) => text(*operand, Spelling::Json),
                // Sets and machines were written out before. A new kind of expression needs its meaning written down here
                // before anything can be compared.
                other => unimplemented!("the reference does not know {other:?}"),
            })
            .collect();
        nodes.append(&mut more);
        let root = index[&body(grammar.root())];
        let mut plan = Self { productive: vec![false; nodes.len()], nodes, root, texts };
        plan.find_productive();
        plan
    }

    fn find_productive(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (idx, node) in self.nodes.iter().enumerate() {
                let of = |&node: &usize| self.productive[node];
                let is_productive = match node {
                    Node::Never => false,
                    Node::Empty | Node::Bytes(_) | Node::ByteClass(_) | Node::Class(_) => true,
                    Node::Seq(parts) => parts.iter().all(of),
                    Node::Alt(parts) => parts.iter().any(of),
                    Node::Repeat { body, min, .. } => *min == 0 || of(body),
                    Node::Rule(body) => of(body),
                    Node::Until(until) => until.is_alive("", |node| of(&node)),
                    Node::Text(text, _) => {
                        let text = &mut self.texts[*text];
                        text.is_alive(text.start())
                    }
                };
                changed |= is_productive != self.productive[idx];
                self.productive[idx] = is_productive;
            }
        }
    }
}

/// A piece of a tag as a node.
fn literal(piece: Piece) -> Node {
    match piece {
        Piece::Text(text) => Node::Bytes(text.into_bytes().into()),
        Piece::Symbol(bytes) => Node::Bytes(bytes.into()),
    }
}

/// All ends of all expressions at all positions of some bytes.
#[derive(Debug)]
pub(super) struct Chart {
    /// `ends[position][node]` is a set of positions.
    ends: Vec<Vec<FixedBitSet>>,
}

impl Chart {
    pub(super) fn new(plan: &mut Plan, bytes: &[u8]) -> Self {
        let none = FixedBitSet::with_capacity(bytes.len() + 1);
        let mut chart = Self { ends: vec![vec![none; plan.nodes.len()]; bytes.len() + 1] };
        for start in (0..=bytes.len()).rev() {
            for (idx, node) in plan.nodes.iter().enumerate() {
                if let Node::Text(text, spelling) = node {
                    let ends = &mut chart.ends[start][idx];
                    text_ends(&mut plan.texts[*text], *spelling, bytes, start, ends);
                }
            }
            let mut changed = true;
            while changed {
                changed = false;
                for (idx, node) in plan.nodes.iter().enumerate() {
                    let Some(ends) = chart.evaluate(node, bytes, start) else { continue };
                    changed |= ends != chart.ends[start][idx];
                    chart.ends[start][idx] = ends;
                }
            }
        }
        chart
    }

    /// Whether the first `len` bytes are in the root's language.
    pub(super) fn accepts(&self, plan: &Plan, len: usize) -> bool {
        self.ends[0][plan.root].contains(len)
    }

    fn none(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.ends.len())
    }

    fn only(&self, position: usize) -> FixedBitSet {
        let mut set = self.none();
        set.insert(position);
        set
    }

    /// The ends of `node` from any of `starts`.
    fn ends_from(&self, node: usize, starts: &FixedBitSet) -> FixedBitSet {
        let mut ends = self.none();
        for start in starts.ones() {
            ends.union_with(&self.ends[start][node]);
        }
        ends
    }

    /// The ends of a node as far as those of its operands are known; `None` for a text, whose ends were entered at once.
    fn evaluate(&self, node: &Node, bytes: &[u8], start: usize) -> Option<FixedBitSet> {
        let rest = &bytes[start..];
        Some(match node {
            Node::Text(..) => return None,
            Node::Never => self.none(),
            Node::Empty => self.only(start),
            Node::Bytes(literal) if rest.starts_with(literal) => self.only(start + literal.len()),
            Node::ByteClass(set) if rest.first().is_some_and(|&byte| set.contains(byte)) => {
                self.only(start + 1)
            }
            Node::Bytes(_) | Node::ByteClass(_) => self.none(),
            Node::Class(class) => match first_character(rest) {
                Some(Unit::Char(c, len)) if class.contains(c) => self.only(start + len),
                _ => self.none(),
            },
            Node::Seq(parts) => {
                parts.iter().fold(self.only(start), |reached, &part| self.ends_from(part, &reached))
            }
            Node::Alt(parts) => {
                let mut ends = self.none();
                for &part in parts {
                    ends.union_with(&self.ends[start][part]);
                }
                ends
            }
            Node::Rule(body) => self.ends[start][*body].clone(),
            Node::Until(until) => self.until_ends(until, bytes, start),
            Node::Repeat { body, min, max } => {
                // Empty copies can be added to reach the least count and are useless otherwise.
                let min = if self.ends[start][*body].contains(start) { 0 } else { *min };
                let mut ends = self.none();
                for (count, reached) in self.copies(*body, start, *max).iter().enumerate() {
                    if count >= min as usize {
                        ends.union_with(reached);
                    }
                }
                ends
            }
        })
    }

    fn until_ends(&self, until: &UntilLanguage, bytes: &[u8], start: usize) -> FixedBitSet {
        let mut ends = self.none();
        let (mut text, mut position) = (String::new(), start);
        loop {
            if until.ends {
                ends.insert(position);
            }
            for node in until.symbols(&text) {
                ends.union_with(&self.ends[position][node]);
            }
            let Some(Unit::Char(c, len)) = first_character(&bytes[position..]) else { return ends };
            text.push(c);
            position += len;
            match until.after(&text) {
                After::Refused => return ends,
                After::Fired(nodes) => {
                    for node in nodes {
                        ends.union_with(&self.ends[position][node]);
                    }
                    return ends;
                }
                After::Text => {}
            }
        }
    }

    /// Where 0, 1, 2, … copies of `body` may end that are none of them empty; there are not more than bytes.
    fn copies(&self, body: usize, start: usize, max: Option<u32>) -> Vec<FixedBitSet> {
        let mut by_count = vec![self.only(start)];
        let most = max.map_or(usize::MAX, |max| max as usize);
        while by_count.len() <= most {
            let mut reached = self.none();
            for from in by_count[by_count.len() - 1].ones() {
                let mut ends = self.ends[from][body].clone();
                ends.remove(from);
                reached.union_with(&ends);
            }
            if reached.is_clear() {
                break;
            }
            by_count.push(reached);
        }
        by_count
    }
}

/// Which expressions the rest of the input may be the beginning of.
#[derive(Debug)]
pub(super) struct Viability {
    /// `viable[position][node]`.
    viable: Vec<Vec<bool>>,
}

impl Viability {
    /// `chart` is of these bytes or of more that begin with them.
    pub(super) fn new(plan: &mut Plan, chart: &Chart, bytes: &[u8]) -> Self {
        let mut this = Self { viable: vec![vec![false; plan.nodes.len()]; bytes.len() + 1] };
        for start in (0..=bytes.len()).rev() {
            for (idx, node) in plan.nodes.iter().enumerate() {
                if let Node::Text(text, spelling) = node {
                    this.viable[start][idx] =
                        text_is_viable(&mut plan.texts[*text], *spelling, &bytes[start..]);
                }
            }
            let mut changed = true;
            while changed {
                changed = false;
                for (idx, node) in plan.nodes.iter().enumerate() {
                    if !this.viable[start][idx] && this.evaluate(plan, chart, node, bytes, start) {
                        this.viable[start][idx] = true;
                        changed = true;
                    }
                }
            }
        }
        this
    }

    /// Whether the root may begin so.
    pub(super) fn root(&self, plan: &Plan) -> bool {
        self.viable[0][plan.root]
    }

    fn evaluate(&self, plan: &Plan, chart: &Chart, node: &Node, bytes: &[u8], start: usize) -> bool {
        let rest = &bytes[start..];
        match node {
            Node::Text(..) | Node::Never => false,
            Node::Empty => rest.is_empty(),
            Node::Bytes(literal) => literal.starts_with(rest),
            Node::ByteClass(set) => match rest {
                [] => true,
                [byte] => set.contains(*byte),
                _ => false,
            },
            Node::Class(class) => match first_character(rest) {
                None => true,
                Some(Unit::Char(c, len)) => len == rest.len() && class.contains(c),
                Some(Unit::Partial(those)) => !those.intersection(class).is_empty(),
                Some(Unit::Invalid) => false,
            },
            Node::Alt(parts) => parts.iter().any(|&part| self.viable[start][part]),
            Node::Rule(body) => self.viable[start][*body],
            Node::Until(until) => self.until_is_viable(until, plan, bytes, start),
            Node::Seq(parts) => {
                // The input ends inside part number `cut`, and what follows it has to be possible at all.
                let mut reached = chart.only(start);
                for (cut, &part) in parts.iter().enumerate() {
                    if self.viable_from_any(part, &reached)
                        && parts[cut + 1..].iter().all(|&later| plan.productive[later])
                    {
                        return true;
                    }
                    reached = chart.ends_from(part, &reached);
                }
                false
            }
            Node::Repeat { body, min, max } => {
                if *min == 0 && rest.is_empty() {
                    return true;
                }
                // The input ends inside one more copy after those that are whole, so the whole ones are fewer than the
                // greatest count; the least count is reached by more copies, since one can begin there are some.
                let whole = max.map(|max| max - 1);
                chart.copies(*body, start, whole).iter().any(|reached| self.viable_from_any(*body, reached))
            }
        }
    }

    fn until_is_viable(&self, until: &UntilLanguage, plan: &Plan, bytes: &[u8], start: usize) -> bool {
        let is_productive = |node: usize| plan.productive[node];
        let (mut text, mut position) = (String::new(), start);
        loop {
            if until.symbols(&text).any(|node| self.viable[position][node]) {
                return true;
            }
            match first_character(&bytes[position..]) {
                None => return until.is_alive(&text, is_productive),
                Some(Unit::Partial(_)) => {
                    return until.is_alive_within(&text, &bytes[position..], is_productive);
                }
                Some(Unit::Invalid) => return false,
                Some(Unit::Char(c, len)) => {
                    text.push(c);
                    position += len;
                }
            }
            match until.after(&text) {
                After::Refused => return false,
                After::Fired(nodes) => return nodes.iter().any(|&node| self.viable[position][node]),
                After::Text => {}
            }
        }
    }

    fn viable_from_any(&self, node: usize, starts: &FixedBitSet) -> bool {
        // The chart may be of a longer input.
        starts.ones().take_while(|&start| start < self.viable.len()).any(|start| self.viable[start][node])
    }
}

fn first_character(rest: &[u8]) -> Option<Unit> {
    (!rest.is_empty()).then(|| Spelling::Plain.first(rest))
}

fn text_ends(
    text: &mut TextLanguage,
    spelling: Spelling,
    bytes: &[u8],
    start: usize,
    ends: &mut FixedBitSet,
) {
    let (mut state, mut position) = (text.start(), start);
    loop {
        if text.is_accepting(state) {
            ends.insert(position);
        }
        if position == bytes.len() || !text.is_alive(state) {
            return;
        }
        let Unit::Char(c, len) = spelling.first(&bytes[position..]) else { return };
        state = text.step(state, c);
        position += len;
    }
}

fn text_is_viable(text: &mut TextLanguage, spelling: Spelling, rest: &[u8]) -> bool {
    let (mut state, mut position) = (text.start(), 0);
    while position < rest.len() {
        match spelling.first(&rest[position..]) {
            Unit::Char(c, len) => {
                state = text.step(state, c);
                position += len;
            }
            Unit::Partial(class) => return text.is_alive_after_one_of(state, &class),
            Unit::Invalid => return false,
        }
    }
    text.is_alive(state)
}
