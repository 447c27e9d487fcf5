//! Which members of a set with [conditions](Conditions) may still come, and whether it may end.
//!
//! Members that only come at most once and in any order need one bit each (`guards.rs` of `formwork-fsm`). Conditions
//! couple them: a member may come only if all that is asked can be met *after* it. That is decided here, for one set at a
//! time and when an output first has it; so `n` coupled members cost no states at all instead of 2ⁿ. Whether they can be
//! met at all is asked before, of the empty set ([`Conditions::may_be_met`]).
//!
//! # What is remembered of the members that came
//! Not which they were but what follows from them, so that sets after which the same may happen are one:
//! - *groups*: a bit for each group of members that exclude each other. A member in no group that comes once is a group of
//!   its own, one that may come again is in none.
//! - *repetitions*, if the condition counts members: how often members came that may come again, in unary, up to the
//!   greatest number that makes a difference.
//! - *literals*: a bit for each `some` or `none` of the condition. It is set once a `some` is met, or a `none` is not.
//!
//! All of them only ever grow, so a member is a set of bits that it adds. A literal that only parts of the condition depend
//! on that cannot hold any more says nothing, and is given the value that helps least: after the tag of one branch came,
//! what the members before it would have meant to the other branches is forgotten.
//!
//! # How it is decided
//! The condition is monotone in its literals. So there is a bound on both sides: *closed*, as if nothing else came (a `some`
//! that is not met does not hold, a `none` that is, does), and *open*, as if all that may still come helped (a `some` holds
//! if one of its members may come). Where it holds closed, the set may end. Where it does not hold open, nothing helps.
//! In between, a `some` that stands in the way is looked for from the root down, and one of its members comes or never will;
//! of the members that it waits for, first the one that makes the fewest literals false that still matter: after the
//! arguments of one tool its name, and not those of the others. In this search every branch is bounded on both sides
//! (Davis, Logemann and Loveland, *A Machine Program for Theorem-Proving*, 1962). Conditions of schemas are met by the
//! first branch nearly always. The search is limited;
//! past the limit matching ends in an error.
//!
//! Which members may come is asked of all at once: a way to complete the set completes it behind each member of the way,
//! and mostly behind others as well, which is looked at before anything is searched for.
//!
//! # Ambiguity
//! A value may be two members, of which one meets more literals than the other: `{"a": 1}` meets `a is an integer`, and it
//! does not matter that `a is anything` meets less. [`is_weaker`](Membership::is_weaker) says so, and the weaker item goes.
//!
//! # Worked example
//! `oneOf: [{required: [a]}, {required: [b]}]` over members a = 0, b = 1: literals l0 = some(0), l1 = none(1), l2 = some(1),
//! l3 = none(0); condition (l0 ∧ l1) ∨ (l2 ∧ l3). At first it does not hold closed: l0 and l2 are not met. Open, all
//! holds. After member 0: l0 is met, l3 is not, so the second branch cannot hold and l2 is forgotten. It holds closed: the
//! set may end. May member 1 come? It would take l1 too, and then nothing holds open: no.

use crate::{Clause, Conditions, HashSet};

/// What a set asks, compiled.
///
/// States are bits as described above, without zeros at the end; no bits are the state before anything came.
#[derive(Clone, Debug)]
pub struct Membership {
    /// By number; `None` where there is no such member.
    members: Vec<Option<Member>>,
    n_groups: u32,
    /// The members of each group.
    groups: Vec<Vec<u32>>,
    /// Members that may come again.
    repeatable: Vec<u32>,
    /// Repetitions that are counted.
    n_counted: u32,
    /// The words before the literals.
    first_literal: usize,
    /// Per word of literals the `none`s, which hold while their bit is not set.
    nones: Vec<u64>,
    /// Per `some` the members that meet it.
    meeting: Vec<Vec<u32>>,
    nodes: Vec<Node>,
    /// What it costs to look at all of it once.
    size: usize,
}

#[derive(Clone, Debug)]
struct Member {
    /// Its group; for members that may come again, a number behind those of the groups.
    variable: u32,
    once: bool,
    /// The bits that it adds: word, bits.
    adds: Vec<(usize, u64)>,
    /// Of those, the `some`s that it meets, as words of literals.
    meets: Vec<(usize, u64)>,
}

/// A conjunction, a disjunction or a count.
#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    /// Literals among its operands: word of literals, bits.
    literals: Vec<(usize, u64)>,
    /// Earlier nodes.
    nodes: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    All,
    Any,
    AtLeast(u32),
    AtMost(u32),
}

/// What may happen once some members came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The members that may come next, bit = number.
    pub may_come: Box<[u64]>,
    /// Whether the set may end.
    pub may_end: bool,
}

/// Finding out took too many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySteps;

/// Work of the search for one state, in parts of the condition that are looked at: some tenths of a second.
const MAX_WORK: usize = 50_000_000;

/// Members that never come any more, by variable.
type Absent = Vec<u64>;

fn bit(words: &[u64], at: u32) -> bool {
    words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
}

fn set_bit(words: &mut Vec<u64>, at: u32) {
    let word = at as usize / 64;
    words.resize(words.len().max(word + 1), 0);
    words[word] |= 1 << (at % 64);
}

fn push_bit(bits: &mut Vec<(usize, u64)>, at: usize) {
    match bits.iter_mut().find(|(word, _)| *word == at / 64) {
        Some((_, mask)) => *mask |= 1 << (at % 64),
        None => bits.push((at / 64, 1 << (at % 64))),
    }
}

/// What is known of a state from one side.
struct Bound {
    literals: Vec<u64>,
    nodes: Vec<bool>,
}

impl Conditions {
    /// Whether they can be met where there are members of these numbers and no others.
    ///
    /// Cost: linear in the conditions, or that of [`Membership::is_completable`].
    ///
    /// # Errors
    /// The search took too many steps.
    pub fn may_be_met(&self, possible: impl IntoIterator<Item = u32>) -> Result<bool, TooManySteps> {
        if !self.is_plain() {
            return Membership::of(self, possible).is_completable(&[]);
        }
        let possible: HashSet<u32> = possible.into_iter().collect();
        Ok(self.required().iter().all(|required| possible.contains(required)))
    }
}

impl Membership {
    /// What these conditions ask, where there are members of these numbers.
    ///
    /// Cost: linear in the conditions.
    pub fn of(conditions: &Conditions, existing: impl IntoIterator<Item = u32>) -> Self {
        let existing: HashSet<u32> = existing.into_iter().collect();
        let clauses = conditions.clauses();
        let exists = |number: &u32| existing.contains(number);
        let n_members = existing.iter().max().map_or(0, |&last| last + 1);
        let mut this = Self {
            members: vec![None; n_members as usize],
            n_groups: 0,
            groups: Vec::new(),
            repeatable: conditions.repeatable().iter().copied().filter(exists).collect(),
            n_counted: 0,
            first_literal: 0,
            nones: Vec::new(),
            meeting: Vec::new(),
            nodes: Vec::new(),
            size: 0,
        };
        let add = |this: &mut Self, group: Vec<u32>| {
            for &number in &group {
                this.members[number as usize] =
                    Some(Member { variable: this.n_groups, once: true, adds: Vec::new(), meets: Vec::new() });
            }
            this.n_groups += 1;
            this.groups.push(group);
        };
        for group in conditions.exclusive() {
            let group: Vec<u32> = group.iter().copied().filter(exists).collect();
            add(&mut this, group);
        }
        for number in 0..n_members {
            let is_free = this.members[number as usize].is_none();
            if is_free && exists(&number) && conditions.repeatable().binary_search(&number).is_err() {
                add(&mut this, vec![number]);
            }
        }
        for (i, &number) in this.repeatable.clone().iter().enumerate() {
            let variable = this.n_groups + i as u32;
            this.members[number as usize] =
                Some(Member { variable, once: false, adds: Vec::new(), meets: Vec::new() });
        }
        let greatest = clauses.iter().map(|clause| match clause {
            Clause::AtLeast(n) => *n,
            Clause::AtMost(n) => n.saturating_add(1),
            _ => 0,
        });
        if !this.repeatable.is_empty() {
            this.n_counted = greatest.max().unwrap_or(0);
        }
        this.first_literal = (this.n_groups as usize + this.n_counted as usize).div_ceil(64);
        for member in this.members.iter_mut().flatten().filter(|member| member.once) {
            push_bit(&mut member.adds, member.variable as usize);
        }
        this.add_clauses(conditions);
        let of_nodes = this.nodes.iter().map(|node| 1 + node.literals.len() + node.nodes.len());
        let of_members = this.members.iter().flatten().map(|member| 1 + member.meets.len());
        this.size = of_nodes.sum::<usize>() + of_members.sum::<usize>() + this.nones.len();
        this
    }

    fn add_clauses(&mut self, conditions: &Conditions) {
        enum Operand {
            Literal(usize),
            Node(u32),
        }
        let mut operands: Vec<Operand> = Vec::new();
        let mut required = Vec::new();
        let mut n_literals = 0;
        let mut literal = |this: &mut Self, list: &[u32], some: bool| {
            let number = n_literals;
            n_literals += 1;
            this.nones.resize(this.nones.len().max(number / 64 + 1), 0);
            let list: Vec<u32> = list
                .iter()
                .copied()
                .filter(|&member| this.members.get(member as usize).is_some_and(Option::is_some))
                .collect();
            for &member in &list {
                if let Some(member) = &mut this.members[member as usize] {
                    push_bit(&mut member.adds, this.first_literal * 64 + number);
                    if some {
                        push_bit(&mut member.meets, number);
                    }
                }
            }
            if some {
                this.meeting.push(list);
            } else {
                this.nones[number / 64] |= 1 << (number % 64);
                this.meeting.push(Vec::new());
            }
            number
        };
        for clause in conditions.clauses() {
            let operand = match clause {
                Clause::Some(list) => Operand::Literal(literal(self, list, true)),
                Clause::None(list) => Operand::Literal(literal(self, list, false)),
                Clause::All(list) | Clause::Any(list) => {
                    let kind = if matches!(clause, Clause::All(_)) { Kind::All } else { Kind::Any };
                    let mut node = Node { kind, literals: Vec::new(), nodes: Vec::new() };
                    for &at in list.iter() {
                        match operands[at as usize] {
                            Operand::Literal(number) => push_bit(&mut node.literals, number),
                            Operand::Node(number) => node.nodes.push(number),
                        }
                    }
                    self.nodes.push(node);
                    Operand::Node(self.nodes.len() as u32 - 1)
                }
                Clause::AtLeast(n) | Clause::AtMost(n) => {
                    let least = matches!(clause, Clause::AtLeast(_));
                    let kind = if least { Kind::AtLeast(*n) } else { Kind::AtMost(*n) };
                    self.nodes.push(Node { kind, literals: Vec::new(), nodes: Vec::new() });
                    Operand::Node(self.nodes.len() as u32 - 1)
                }
            };
            operands.push(operand);
        }
        for &number in conditions.required() {
            required.push(literal(self, &[number], true));
        }
        let mut root = Node { kind: Kind::All, literals: Vec::new(), nodes: Vec::new() };
        match operands.last() {
            Some(Operand::Literal(number)) => required.push(*number),
            Some(Operand::Node(number)) => root.nodes.push(*number),
            None => {}
        }
        required.into_iter().for_each(|number| push_bit(&mut root.literals, number));
        self.nodes.push(root);
    }

    // ---- states ----

    /// The state once this member came as well; `None` if there is none such or it came and may not come again.
    pub fn after(&self, state: &[u64], number: u32) -> Option<Box<[u64]>> {
        let mut after = self.add(state, number)?;
        let alive = self.alive(&self.bound(&after, None, true));
        after.resize(self.first_literal + self.nones.len(), 0);
        for (word, (alive, nones)) in
            after[self.first_literal..].iter_mut().zip(alive.iter().zip(&self.nones))
        {
            *word = *word & alive | !alive & nones;
        }
        let n = after.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        after.truncate(n);
        Some(after.into())
    }

    /// The literals on which something depends that may still hold.
    fn alive(&self, open: &Bound) -> Vec<u64> {
        let mut alive = vec![0u64; self.nones.len()];
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![self.nodes.len() - 1];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) || !open.nodes[at] {
                continue;
            }
            let node = &self.nodes[at];
            node.literals.iter().for_each(|&(word, mask)| alive[word] |= mask);
            todo.extend(node.nodes.iter().map(|&node| node as usize));
        }
        alive
    }

    /// [`Self::after`] without forgetting anything.
    fn add(&self, state: &[u64], number: u32) -> Option<Vec<u64>> {
        let member = self.members.get(number as usize)?.as_ref()?;
        if member.once && bit(state, member.variable) {
            return None;
        }
        let mut after = state.to_vec();
        for &(word, mask) in &member.adds {
            after.resize(after.len().max(word + 1), 0);
            after[word] |= mask;
        }
        if !member.once {
            let counted = self.n_groups..self.n_groups + self.n_counted;
            if let Some(next) = counted.into_iter().find(|&at| !bit(state, at)) {
                set_bit(&mut after, next);
            }
        }
        Some(after)
    }

    /// Whether a state allows nothing that another does not, and the same members came as far as each comes once.
    pub fn is_weaker(&self, state: &[u64], other: &[u64]) -> bool {
        let word = |state: &[u64], at: usize| state.get(at).copied().unwrap_or(0);
        (0..self.first_literal).all(|at| word(state, at) == word(other, at))
            && self.nones.iter().enumerate().all(|(i, nones)| {
                let (mine, others) =
                    (word(state, self.first_literal + i), word(other, self.first_literal + i));
                (mine ^ nones) & !(others ^ nones) == 0
            })
    }

    /// What may happen next.
    ///
    /// # Errors
    /// The search took too many steps.
    pub fn standing(&self, state: &[u64]) -> Result<Standing, TooManySteps> {
        let mut work = 0;
        let mut may_come = vec![0u64; self.members.len().div_ceil(64)];
        let may_end = self.holds(&self.bound(state, None, false));
        let Some(way) = self.complete(state, &mut work)? else {
            return Ok(Standing { may_come: may_come.into(), may_end });
        };
        let possible = (0..self.members.len() as u32).filter(|&number| self.add(state, number).is_some());
        for number in possible {
            work += self.size;
            if way.contains(&number) || self.completes(state, number, &way) {
                set_bit(&mut may_come, number);
                continue;
            }
            if let Some(after) = self.add(state, number) {
                if self.complete(&after, &mut work)?.is_some() {
                    set_bit(&mut may_come, number);
                }
            }
        }
        Ok(Standing { may_come: may_come.into(), may_end })
    }

    /// Whether the set can be completed from a state.
    ///
    /// # Errors
    /// The search took too many steps.
    pub fn is_completable(&self, state: &[u64]) -> Result<bool, TooManySteps> {
        Ok(self.complete(state, &mut 0)?.is_some())
    }

    /// Whether a member and then those of a way that may still come complete the set.
    fn completes(&self, state: &[u64], number: u32, way: &[u32]) -> bool {
        let Some(mut after) = self.add(state, number) else { return false };
        for &next in way {
            if let Some(more) = self.add(&after, next) {
                after = more;
            }
        }
        self.holds(&self.bound(&after, None, false))
    }

    /// Members that complete the set, in some order; `None` if there are none such.
    fn complete(&self, state: &[u64], work: &mut usize) -> Result<Option<Vec<u32>>, TooManySteps> {
        let mut stack: Vec<(Vec<u64>, Absent, Vec<u32>)> = vec![(state.to_vec(), Vec::new(), Vec::new())];
        while let Some((state, absent, way)) = stack.pop() {
            *work += 2 * self.size;
            if *work > MAX_WORK {
                return Err(TooManySteps);
            }
            let closed = self.bound(&state, None, false);
            if self.holds(&closed) {
                return Ok(Some(way));
            }
            let open = self.bound(&state, Some(&absent), true);
            if !self.holds(&open) {
                continue;
            }
            let Some(number) = self.in_the_way(&state, &absent, &closed, &open) else { continue };
            let Some(Some(member)) = self.members.get(number as usize) else { continue };
            // Last in, first out: the member itself, then the others of its group, then none of them.
            let mut without = absent.clone();
            set_bit(&mut without, member.variable);
            stack.push((state.clone(), without, way.clone()));
            let siblings = if member.once { &self.groups[member.variable as usize][..] } else { &[] };
            for &next in siblings.iter().filter(|&&next| next != number).chain([&number]) {
                if let Some(after) = self.add(&state, next) {
                    let way = way.iter().copied().chain([next]).collect();
                    stack.push((after, absent.clone(), way));
                }
            }
        }
        Ok(None)
    }

    /// A member that may come and that a literal or a count is missing, going down from the root through what holds open but
    /// not closed.
    fn in_the_way(&self, state: &[u64], absent: &Absent, closed: &Bound, open: &Bound) -> Option<u32> {
        let may_come = |number: u32| {
            let member = self.members[number as usize].as_ref()?;
            let gone = bit(absent, member.variable) || member.once && bit(state, member.variable);
            (!gone).then_some(number)
        };
        let mut at = self.nodes.len() - 1;
        loop {
            let node = &self.nodes[at];
            if let Kind::AtLeast(_) = node.kind {
                // One that may come again does not take anything away.
                let mut all = self.repeatable.iter().copied().chain(self.groups.iter().flatten().copied());
                return all.find_map(may_come);
            }
            let waiting = |(word, mask): &(usize, u64)| {
                let bits = open.literals[*word] & !closed.literals[*word] & mask;
                (bits != 0).then(|| *word * 64 + bits.trailing_zeros() as usize)
            };
            if let Some(literal) = node.literals.iter().find_map(waiting) {
                let mut meeting = self.meeting[literal].iter().copied().filter_map(may_come);
                return match self.meeting[literal].len() {
                    0..=2 => meeting.next(),
                    _ => {
                        let alive = self.alive(open);
                        meeting.min_by_key(|&number| self.harm(number, state, &alive))
                    }
                };
            }
            let next =
                node.nodes.iter().find(|&&node| open.nodes[node as usize] && !closed.nodes[node as usize])?;
            at = *next as usize;
        }
    }

    /// How many literals that matter a member would make false. Of the members that one `some` waits for, all but one may
    /// belong to branches that cannot hold any more.
    fn harm(&self, number: u32, state: &[u64], alive: &[u64]) -> u32 {
        let word = |at: usize| state.get(at).copied().unwrap_or(0);
        let adds = self.members[number as usize].iter().flat_map(|member| &member.adds);
        let harms = adds.filter(|(at, _)| *at >= self.first_literal).map(|&(at, mask)| {
            let literal = at - self.first_literal;
            (mask & self.nones[literal] & alive[literal] & !word(at)).count_ones()
        });
        harms.sum()
    }

    fn holds(&self, bound: &Bound) -> bool {
        bound.nodes.last().copied().unwrap_or(true)
    }

    /// What holds in a state if nothing else comes, or (`open`) if all that may come helps; `absent` never come.
    fn bound(&self, state: &[u64], absent: Option<&Absent>, open: bool) -> Bound {
        let absent = absent.map_or(&[][..], |absent| absent);
        let word = |at: usize| state.get(at).copied().unwrap_or(0);
        let mut literals: Vec<u64> =
            self.nones.iter().enumerate().map(|(i, nones)| word(self.first_literal + i) ^ nones).collect();
        let came = (0..self.n_groups + self.n_counted).filter(|&at| bit(state, at)).count() as u64;
        let mut n = came;
        if open {
            for (variable, group) in (0..).zip(&self.groups) {
                if bit(state, variable) || bit(absent, variable) || group.is_empty() {
                    continue;
                }
                n += 1;
                for member in group.iter().filter_map(|&number| self.members[number as usize].as_ref()) {
                    member.meets.iter().for_each(|&(word, mask)| literals[word] |= mask);
                }
            }
            for member in self.repeatable.iter().filter_map(|&number| self.members[number as usize].as_ref())
            {
                if !bit(absent, member.variable) {
                    n = u64::MAX / 2;
                    member.meets.iter().for_each(|&(word, mask)| literals[word] |= mask);
                }
            }
        }
        let mut nodes: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let holds = match node.kind {
                Kind::All => {
                    node.literals.iter().all(|&(word, mask)| literals[word] & mask == mask)
                        && node.nodes.iter().all(|&at| nodes[at as usize])
                }
                Kind::Any => {
                    node.literals.iter().any(|&(word, mask)| literals[word] & mask != 0)
                        || node.nodes.iter().any(|&at| nodes[at as usize])
                }
                Kind::AtLeast(least) => n >= u64::from(least),
                Kind::AtMost(most) => came <= u64::from(most),
            };
            nodes.push(holds);
        }
        Bound { literals, nodes }
    }

    /// Heap memory in bytes, about.
    pub fn memory_size(&self) -> usize {
        let pairs = |bits: &Vec<(usize, u64)>| bits.len() * size_of::<(usize, u64)>();
        let members = self.members.iter().flatten().map(|member| pairs(&member.adds) + pairs(&member.meets));
        let nodes = self.nodes.iter().map(|node| pairs(&node.literals) + 4 * node.nodes.len());
        self.members.len() * size_of::<Option<Member>>()
            + members.sum::<usize>()
            + self.nodes.len() * size_of::<Node>()
            + nodes.sum::<usize>()
            + self.meeting.iter().chain(&self.groups).map(|list| 24 + 4 * list.len()).sum::<usize>()
            + 8 * self.nones.len()
    }
}
