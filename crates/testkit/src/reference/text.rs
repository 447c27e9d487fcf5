//! Languages of texts, by Brzozowski's derivatives.
//!
//! An `And`, a `Not` or a `JsonText` has an operand without rules, which is a regular expression over characters with
//! intersection and complement.
//! Its derivative by a character is again such an expression; up to the order of alternatives there are finitely many,
//! so they are the states of a deterministic automaton, made on the way.
//! Nothing here resembles the engine's way (Thompson, subsets, products), which is the point.

use fixedbitset::FixedBitSet;
use formwork_grammar::{CharClass, Expr, ExprId, Grammar, HashMap};

/// A set of texts, as an automaton over characters whose states are regular expressions.
///
/// Exact. The number of states is that of the derivatives that are asked for: `x{m,n}` has up to n of them, and a
/// question whether a state is alive explores until it meets an accepting one.
#[derive(Debug)]
pub(super) struct TextLanguage {
    arena: Arena,
    start: State,
    alphabet: Alphabet,
    steps: HashMap<(State, Symbol), State>,
    /// Whether an accepting state can be reached, where this is known.
    alive: HashMap<State, bool>,
}

/// A state: an index into the arena. Operands have lower indices than what they are operands of.
pub(super) type State = usize;
type Symbol = usize;

impl TextLanguage {
    /// The language of a text expression.
    pub(super) fn new(grammar: &Grammar, expr: ExprId) -> Self {
        let below = reachable(grammar, expr);
        let mut classes = Vec::new();
        for &id in &below {
            match grammar.expr(id) {
                Expr::Class(class) => classes.push(class.clone()),
                Expr::Bytes(bytes) => classes.extend(characters(bytes).map(CharClass::single)),
                _ => {}
            }
        }
        classes.sort_unstable();
        classes.dedup();
        let alphabet = Alphabet::new(&classes);
        let mut arena = Arena::default();
        let mut translated: HashMap<ExprId, State> = HashMap::default();
        for &id in &below {
            let of = |id: &ExprId| translated[id];
            let state = match grammar.expr(id) {
                Expr::Empty => arena.intern(Regex::Empty),
                Expr::Never => arena.intern(Regex::Never),
                Expr::Class(class) => {
                    let symbols = alphabet.symbols(class);
                    arena.intern(Regex::Class(symbols))
                }
                Expr::Bytes(bytes) => {
                    let mut tail = arena.intern(Regex::Empty);
                    for c in characters(bytes).rev() {
                        let symbols = alphabet.symbols(&CharClass::single(c));
                        let head = arena.intern(Regex::Class(symbols));
                        tail = arena.cat(head, tail);
                    }
                    tail
                }
                Expr::Seq(parts) => {
                    let mut tail = arena.intern(Regex::Empty);
                    for part in parts.iter().rev() {
                        tail = arena.cat(of(part), tail);
                    }
                    tail
                }
                Expr::Alt(parts) => {
                    let parts = parts.iter().map(of).collect();
                    arena.alt(parts)
                }
                Expr::And(parts) => {
                    let parts = parts.iter().map(of).collect();
                    arena.and(parts)
                }
                Expr::Not(body) => arena.not(of(body)),
                Expr::Repeat { body, min, max } => arena.repeat(of(body), *min, *max),
                // The builder lets no other kind below a text expression.
                other => unreachable!("{other:?} is not a text expression"),
            };
            translated.insert(id, state);
        }
        Self {
            start: translated[&expr],
            arena,
            alphabet,
            steps: HashMap::default(),
            alive: HashMap::default(),
        }
    }

    pub(super) fn start(&self) -> State {
        self.start
    }

    /// Whether the characters read so far are in the language.
    pub(super) fn is_accepting(&self, state: State) -> bool {
        self.arena.nullable[state]
    }

    /// The state after one more character.
    pub(super) fn step(&mut self, state: State, c: char) -> State {
        let symbol = self.alphabet.symbol(c);
        self.step_symbol(state, symbol)
    }

    /// Whether some continuation, the empty one included, is in the language.
    pub(super) fn is_alive(&mut self, state: State) -> bool {
        let mut parents: HashMap<State, State> = HashMap::default();
        let mut queue = vec![state];
        parents.insert(state, state);
        let mut next = 0;
        while let Some(&here) = queue.get(next) {
            next += 1;
            if self.arena.nullable[here] || self.alive.get(&here) == Some(&true) {
                // Everything on the way here is alive.
                let mut on_path = here;
                while on_path != state {
                    self.alive.insert(on_path, true);
                    on_path = parents[&on_path];
                }
                self.alive.insert(state, true);
                return true;
            }
            if self.alive.get(&here) == Some(&false) {
                continue;
            }
            for symbol in 0..self.alphabet.n_symbols {
                let there = self.step_symbol(here, symbol);
                if !parents.contains_key(&there) {
                    parents.insert(there, here);
                    queue.push(there);
                }
            }
        }
        for dead in queue {
            self.alive.insert(dead, false);
        }
        false
    }

    /// Whether some character of `class` leads to a state that is alive.
    pub(super) fn is_alive_after_one_of(&mut self, state: State, class: &CharClass) -> bool {
        let symbols = self.alphabet.symbols(class);
        symbols.ones().any(|symbol| {
            let there = self.step_symbol(state, symbol);
            self.is_alive(there)
        })
    }

    fn step_symbol(&mut self, state: State, symbol: Symbol) -> State {
        // Which derivatives are needed for this one, without recursion: operands have lower numbers than their parent.
        let mut needed = vec![state];
        let mut next = 0;
        let mut seen: HashMap<State, ()> = HashMap::default();
        while let Some(&here) = needed.get(next) {
            next += 1;
            if self.steps.contains_key(&(here, symbol)) {
                continue;
            }
            let mut need = |below: State| {
                if seen.insert(below, ()).is_none() {
                    needed.push(below);
                }
            };
            match &self.arena.regexes[here] {
                Regex::Empty | Regex::Never | Regex::Class(_) => {}
                Regex::Cat(head, tail) => {
                    need(*head);
                    if self.arena.nullable[*head] {
                        need(*tail);
                    }
                }
                Regex::Alt(parts) | Regex::And(parts) => parts.iter().copied().for_each(need),
                Regex::Not(body) | Regex::Repeat(body, ..) => need(*body),
            }
        }
        needed.sort_unstable();
        for here in needed {
            if self.steps.contains_key(&(here, symbol)) {
                continue;
            }
            let arena = &mut self.arena;
            let of = |state: State| self.steps[&(state, symbol)];
            let there = match arena.regexes[here].clone() {
                Regex::Empty | Regex::Never => arena.intern(Regex::Never),
                Regex::Class(class) => {
                    arena.intern(if class.contains(symbol) { Regex::Empty } else { Regex::Never })
                }
                Regex::Cat(head, tail) => {
                    let inside = arena.cat(of(head), tail);
                    if arena.nullable[head] { arena.alt(vec![inside, of(tail)]) } else { inside }
                }
                Regex::Alt(parts) => arena.alt(parts.iter().map(|&part| of(part)).collect()),
                Regex::And(parts) => arena.and(parts.iter().map(|&part| of(part)).collect()),
                Regex::Not(body) => arena.not(of(body)),
                // The first copy that is not empty is the one that reads the character. Empty copies before it only use
                // up the count, and a body that may be empty has no least count anyway.
                Regex::Repeat(body, min, max) => {
                    let rest = arena.repeat(body, min.saturating_sub(1), max.map(|max| max - 1));
                    arena.cat(of(body), rest)
                }
            };
            self.steps.insert((here, symbol), there);
        }
        self.steps[&(state, symbol)]
    }
}

/// The expressions below `expr`, itself included, ascending, so that operands come first.
fn reachable(grammar: &Grammar, expr: ExprId) -> Vec<ExprId> {
    let mut below = vec![expr];
    let mut seen: HashMap<ExprId, ()> = HashMap::default();
    seen.insert(expr, ());
    let mut next = 0;
    while let Some(&here) = below.get(next) {
        next += 1;
        let mut visit = |id: ExprId| {
            if seen.insert(id, ()).is_none() {
                below.push(id);
            }
        };
        match grammar.expr(here) {
            Expr::Seq(parts) | Expr::Alt(parts) | Expr::And(parts) => parts.iter().copied().for_each(visit),
            Expr::Repeat { body, .. } | Expr::Not(body) | Expr::JsonText(body) => visit(*body),
            _ => {}
        }
    }
    below.sort_unstable();
    below
}

/// The characters of a literal of a text expression, which is UTF-8.
fn characters(bytes: &[u8]) -> impl DoubleEndedIterator<Item = char> + '_ {
    std::str::from_utf8(bytes).unwrap_or_default().chars()
}

/// All characters, in groups that no class of the expression tells apart.
#[derive(Debug)]
struct Alphabet {
    /// Where an interval of code points begins, and its group; ascending, the first at 0.
    intervals: Vec<(u32, Symbol)>,
    n_symbols: usize,
}

impl Alphabet {
    fn new(classes: &[CharClass]) -> Self {
        let mut starts = vec![0];
        for &(low, high) in classes.iter().flat_map(|class| class.ranges()) {
            starts.extend([u32::from(low), u32::from(high) + 1]);
        }
        starts.sort_unstable();
        starts.dedup();
        let mut groups: HashMap<Vec<bool>, Symbol> = HashMap::default();
        let mut intervals = Vec::new();
        for start in starts {
            // A start that is no character is the first surrogate or one past the last character: the groups of the
            // characters after the surrogates are found at their own start, which a merged range does not have.
            let member =
                if (0xD800..0xE000).contains(&start) { Some('\u{E000}') } else { char::from_u32(start) };
            let Some(member) = member else { continue };
            let signature = classes.iter().map(|class| class.contains(member)).collect();
            let n_groups = groups.len();
            intervals.push((start, *groups.entry(signature).or_insert(n_groups)));
        }
        Self { intervals, n_symbols: groups.len() }
    }

    fn symbol(&self, c: char) -> Symbol {
        let after = self.intervals.partition_point(|&(start, _)| start <= u32::from(c));
        self.intervals[after - 1].1
    }

    /// The groups that have a character in common with a class.
    fn symbols(&self, class: &CharClass) -> FixedBitSet {
        let mut symbols = FixedBitSet::with_capacity(self.n_symbols);
        for &(low, high) in class.ranges() {
            symbols.insert(self.symbol(low));
            let from = self.intervals.partition_point(|&(start, _)| start <= u32::from(low));
            for &(start, symbol) in &self.intervals[from..] {
                if start > u32::from(high) {
                    break;
                }
                symbols.insert(symbol);
            }
        }
        symbols
    }
}

/// A regular expression over groups of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Regex {
    Empty,
    Never,
    Class(FixedBitSet),
    /// The head is not itself a `Cat`.
    Cat(State, State),
    /// Ascending, at least two, none of them an `Alt`.
    Alt(Vec<State>),
    /// Ascending, at least two, none of them an `And`.
    And(Vec<State>),
    Not(State),
    Repeat(State, u32, Option<u32>),
}

/// Regular expressions, each once; the constructors normalise so that there are finitely many derivatives.
#[derive(Debug, Default)]
struct Arena {
    regexes: Vec<Regex>,
    /// One entry per expression: whether the empty text is in its language.
    nullable: Vec<bool>,
    ids: HashMap<Regex, State>,
}

impl Arena {
    fn intern(&mut self, regex: Regex) -> State {
        if let Some(&id) = self.ids.get(&regex) {
            return id;
        }
        let nullable = &self.nullable;
        let is_nullable = match &regex {
            Regex::Empty => true,
            Regex::Never | Regex::Class(_) => false,
            Regex::Cat(head, tail) => nullable[*head] && nullable[*tail],
            Regex::Alt(parts) => parts.iter().any(|&part| nullable[part]),
            Regex::And(parts) => parts.iter().all(|&part| nullable[part]),
            Regex::Not(body) => !nullable[*body],
            Regex::Repeat(body, min, _) => *min == 0 || nullable[*body],
        };
        let id = self.regexes.len();
        self.nullable.push(is_nullable);
        self.regexes.push(regex.clone());
        self.ids.insert(regex, id);
        id
    }

    fn cat(&mut self, head: State, tail: State) -> State {
        // To the right: (a b) c is a (b c).
        let mut heads = Vec::new();
        let mut here = head;
        while let Regex::Cat(first, rest) = self.regexes[here] {
            heads.push(first);
            here = rest;
        }
        heads.push(here);
        let mut result = tail;
        for head in heads.into_iter().rev() {
            result = match (&self.regexes[head], &self.regexes[result]) {
                (Regex::Never, _) | (_, Regex::Empty) => head,
                (_, Regex::Never) | (Regex::Empty, _) => result,
                _ => self.intern(Regex::Cat(head, result)),
            };
        }
        result
    }

    fn alt(&mut self, parts: Vec<State>) -> State {
        let never = self.intern(Regex::Never);
        let all = self.intern(Regex::Not(never));
        let mut flat = Vec::new();
        for part in parts {
            match &self.regexes[part] {
                Regex::Alt(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| part != never);
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            _ if flat.contains(&all) => all,
            [] => never,
            [one] => one,
            _ => self.intern(Regex::Alt(flat)),
        }
    }

    fn and(&mut self, parts: Vec<State>) -> State {
        let never = self.intern(Regex::Never);
        let all = self.intern(Regex::Not(never));
        let mut flat = Vec::new();
        for part in parts {
            match &self.regexes[part] {
                Regex::And(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| part != all);
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            _ if flat.contains(&never) => never,
            [] => all,
            [one] => one,
            _ => self.intern(Regex::And(flat)),
        }
    }

    fn not(&mut self, body: State) -> State {
        match self.regexes[body] {
            Regex::Not(inner) => inner,
            _ => self.intern(Regex::Not(body)),
        }
    }

    fn repeat(&mut self, body: State, min: u32, max: Option<u32>) -> State {
        match (&self.regexes[body], min, max) {
            (_, _, Some(0)) | (Regex::Empty, ..) | (Regex::Never, 0, _) => self.intern(Regex::Empty),
            (Regex::Never, ..) | (_, 1, Some(1)) => body,
            _ => self.intern(Regex::Repeat(body, min, max)),
        }
    }
}
