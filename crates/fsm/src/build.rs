//! The construction, end to end: units, determinisation, pruning, minimisation, tables.

use crate::automata::{Automata, ByteEdge, Counter, Rule, RuleEdge, RuleId, State, StateId};
use crate::cache::Cache;
use crate::compile::Context;
use crate::config::Config;
use crate::dfa::Dfa;
use crate::error::{Error, ErrorKind};
use crate::minimise::minimise;
use crate::nullable::Nullable;
use crate::plan::Plan;
use crate::symbols::{AnySymbols, Symbols};
use crate::text::accepting_reachable;
use crate::ticks::ticks;
use crate::unit::{Shape, Unit, Units};
use crate::work::{Stop, Work};
use formwork_grammar::{ByteSet, Grammar, HashMap};

/// Builds the automata of a grammar. `interrupt` is asked every few dozen microseconds whether to stop.
///
/// Cost: about 0.4 µs a state for ordinary grammars; bounded by [`Limits`](crate::Limits).
///
/// # Errors
/// The root's language is empty, a limit is exceeded, the caller interrupted. Each names the rule and its place.
pub fn build(grammar: &Grammar, config: &Config, interrupt: &dyn Fn() -> bool) -> Result<Automata, Error> {
    build_with(grammar, config, &Cache::new(), &AnySymbols, interrupt)
}

/// As [`build`], with automata kept from other grammars, and with what is known of symbols.
///
/// # Errors
/// As `build`, and that the root needs symbols that do not exist.
pub fn build_with(
    grammar: &Grammar,
    config: &Config,
    cache: &Cache,
    symbols: &dyn Symbols,
    interrupt: &dyn Fn() -> bool,
) -> Result<Automata, Error> {
    let limits = &config.limits;
    let mut work = Work::new(limits.max_work, interrupt);
    let nullable = Nullable::of(grammar);
    let plan = Plan::of(grammar, config);
    let mut context = Context {
        grammar,
        nullable: &nullable,
        symbols,
        units: Units::default(),
        texts: HashMap::default(),
        measured: HashMap::default(),
        measurable: HashMap::default(),
        max_states: limits.max_states,
        max_nodes: limits.max_nodes,
        max_members: limits.max_members.min(u32::MAX as usize),
    };
    if let Err(stop) = context.prepare_measured(&plan, &mut work) {
        context.unit_of_rule(&plan, grammar.root());
        return Err(stopped(stop, grammar, &context.units, 0, config));
    }
    context.unit_of_rule(&plan, grammar.root());
    let mut dfas: Vec<Dfa> = Vec::new();
    let mut shapes: HashMap<Shape, usize> = HashMap::default();
    let mut same_states_as: Vec<usize> = Vec::new();
    // Units that come from the cache, pruned and minimal.
    let mut finished: Vec<bool> = Vec::new();
    let mut n_states = 0;
    // Building a unit finds the units that it calls.
    while dfas.len() < context.units.list.len() {
        let number = dfas.len();
        let fail = |stop, context: &Context<'_>| stopped(stop, grammar, &context.units, number, config);
        let mut first = number;
        if let Unit::Counted { shape, .. } = &context.units.list[number].unit {
            first = *shapes.entry(shape.clone()).or_insert(number);
        }
        let cached = match &context.units.list[number].unit {
            Unit::Escape(ranges) => cache.escape(ranges),
            _ => None,
        };
        finished.push(cached.is_some() || matches!(context.units.list[number].unit, Unit::Symbols(_)));
        let dfa = if let Some(cached) = cached {
            Dfa::clone(&cached)
        } else if first != number {
            dfas[first].clone()
        } else {
            let left = limits.max_states.saturating_sub(n_states);
            let small = left.min(if config.inlining { limits.inline_states } else { usize::MAX });
            match context.build(number as u32, &plan, small, &mut work) {
                Err(Stop::States | Stop::Members) if small < left => {
                    context.build(number as u32, &plan.without_inlining(), left, &mut work)
                }
                result => result,
            }
            .map_err(|stop| fail(stop, &context))?
        };
        n_states += dfa.len();
        if n_states > limits.max_states {
            return Err(fail(Stop::States, &context));
        }
        dfas.push(dfa);
        same_states_as.push(first);
    }
    let units = context.units;
    let root_may_be_empty = nullable.rule(grammar, grammar.root());
    let productive = productive(&dfas, &units, symbols);
    if !productive[0] && !root_may_be_empty {
        return Err(empty(grammar, &dfas, &units, &productive));
    }
    for number in 0..dfas.len() {
        if finished[number] {
            continue;
        }
        let may_call = |callee: u32| productive[callee as usize];
        let mut live = accepting_reachable(&dfas[number], may_call);
        let mut dfa = std::mem::take(&mut dfas[number]);
        if !live.iter().all(|&live| live) || !dfa.all_calls().iter().all(|call| may_call(call.unit)) {
            keep_reached(&dfa, may_call, &mut live);
        }
        dfa.retain(&live, |call| productive[call.unit as usize]);
        if config.minimisation && productive[number] {
            dfa = minimise(dfa, &mut work).map_err(|stop| stopped(stop, grammar, &units, number, config))?;
        }
        if let Unit::Escape(ranges) = &units.list[number].unit {
            if config.minimisation {
                cache.keep_escape(ranges, &dfa);
            }
        }
        dfas[number] = dfa;
    }
    let reachable = reachable(&dfas);
    Ok(assemble(grammar, &dfas, &units, &same_states_as, &reachable, root_may_be_empty))
}

fn counter(unit: &Unit) -> Option<Counter> {
    match unit {
        Unit::Counted { min, max, .. } => Some(Counter { min: *min, max: *max }),
        _ => None,
    }
}

/// Which units have a text: a least fixpoint, re-examining the callers of what has become productive.
fn productive(dfas: &[Dfa], units: &Units, symbols: &dyn Symbols) -> Vec<bool> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); dfas.len()];
    for (number, dfa) in dfas.iter().enumerate() {
        for call in dfa.all_calls() {
            if callers[call.unit as usize].last() != Some(&(number as u32)) {
                callers[call.unit as usize].push(number as u32);
            }
        }
    }
    let mut productive = vec![false; dfas.len()];
    // Callees are found after their callers, so from the end most units find their callees decided.
    let mut queue: Vec<u32> = (0..dfas.len() as u32).collect();
    let mut queued = vec![true; dfas.len()];
    while let Some(number) = queue.pop() {
        let i = number as usize;
        queued[i] = false;
        if productive[i] {
            continue;
        }
        let may_call = |callee: u32| productive[callee as usize];
        let ends = match (&units.list[i].unit, counter(&units.list[i].unit)) {
            (Unit::Symbols(set), _) => symbols.exists(set),
            (_, None) => accepting_reachable(&dfas[i], may_call)[0],
            (_, Some(Counter { min, max })) => ticks(&dfas[i], false, may_call)[0]
                .is_some_and(|(need, reach)| max.is_none_or(|max| need <= max) && reach >= min),
        };
        if ends {
            productive[i] = true;
            for &caller in &callers[i] {
                if !productive[caller as usize] && !std::mem::replace(&mut queued[caller as usize], true) {
                    queue.push(caller);
                }
            }
        }
    }
    productive
}

/// Of the live states keeps those that the start reaches over live states.
fn keep_reached(dfa: &Dfa, may_call: impl Fn(u32) -> bool, live: &mut [bool]) {
    let mut reached = vec![false; live.len()];
    let mut stack = vec![0u32];
    while let Some(state) = stack.pop() {
        if std::mem::replace(&mut reached[state as usize], true) {
            continue;
        }
        let letters = dfa.letters(state).iter().map(|letter| letter.target);
        stack.extend(letters.filter(|&target| live[target as usize]));
        let calls = dfa.calls(state).iter().filter(|call| may_call(call.unit) && live[call.target as usize]);
        stack.extend(calls.map(|call| call.target));
    }
    for (live, reached) in live.iter_mut().zip(reached) {
        *live &= reached;
    }
}

/// Which units the root still calls, directly or not.
fn reachable(dfas: &[Dfa]) -> Vec<bool> {
    let mut reachable = vec![false; dfas.len()];
    let mut stack = vec![0u32];
    reachable[0] = true;
    while let Some(number) = stack.pop() {
        for call in dfas[number as usize].all_calls() {
            if !std::mem::replace(&mut reachable[call.unit as usize], true) {
                stack.push(call.unit);
            }
        }
    }
    reachable
}

fn stopped(stop: Stop, grammar: &Grammar, units: &Units, number: usize, config: &Config) -> Error {
    let rule = grammar.rule(units.list[number].rule);
    let limits = &config.limits;
    let message = match stop {
        Stop::Interrupted => return Error::interrupted(),
        Stop::States => format!("needs more than {} automaton states in all", limits.max_states),
        Stop::Nodes => format!("needs more than {} automaton nodes when written out", limits.max_nodes),
        Stop::Members => {
            format!("needs more than {} nodes in the states of its automaton", limits.max_members)
        }
        Stop::Work => format!("needs more than {} units of work in all", limits.max_work),
    };
    let message = format!("rule `{}` {message}", rule.name());
    Error::new(ErrorKind::Limit, rule.place().clone(), rule.name(), message)
}

/// Names the rule to blame for an empty root: one that cannot end although nothing it refers to is to blame.
fn empty(grammar: &Grammar, dfas: &[Dfa], units: &Units, productive: &[bool]) -> Error {
    let mut seen = vec![false; dfas.len()];
    let mut queue = std::collections::VecDeque::from([0u32]);
    seen[0] = true;
    let mut blamed = 0u32;
    while let Some(number) = queue.pop_front() {
        let calls = dfas[number as usize].all_calls().iter();
        let mut innocent = true;
        for call in calls.filter(|call| !productive[call.unit as usize]) {
            innocent = false;
            if !std::mem::replace(&mut seen[call.unit as usize], true) {
                queue.push_back(call.unit);
            }
        }
        if innocent {
            blamed = number;
            break;
        }
    }
    let rule = grammar.rule(units.list[blamed as usize].rule);
    if let Unit::Symbols(set) = &units.list[blamed as usize].unit {
        let message = format!(
            "the grammar matches no output at all: rule `{}` needs {set}, and there is no such symbol",
            rule.name()
        );
        return Error::new(ErrorKind::Symbol, rule.place().clone(), rule.name(), message);
    }
    let why = if !dfas[blamed as usize].all_calls().is_empty() {
        "every way through it leads back into itself"
    } else {
        "no text matches it"
    };
    let message =
        format!("the grammar matches no output at all: rule `{}` can never end ({why})", rule.name());
    Error::new(ErrorKind::Empty, rule.place().clone(), rule.name(), message)
}

fn assemble(
    grammar: &Grammar,
    dfas: &[Dfa],
    units: &Units,
    same_states_as: &[usize],
    reachable: &[bool],
    root_may_be_empty: bool,
) -> Automata {
    let mut automata = Automata {
        states: Vec::new(),
        byte_edges: Vec::new(),
        rule_edges: Vec::new(),
        rules: Vec::new(),
        root_may_be_empty,
        alphabet: ByteSet::EMPTY,
    };
    let mut rule_ids = vec![None; dfas.len()];
    let mut n_rules = 0;
    for (number, id) in rule_ids.iter_mut().enumerate() {
        if reachable[number] {
            *id = Some(RuleId::from_index(n_rules));
            n_rules += 1;
        }
    }
    let mut starts = vec![0; dfas.len()];
    for (number, dfa) in dfas.iter().enumerate() {
        let Some(rule_id) = rule_ids[number] else { continue };
        let entry = &units.list[number];
        let base = automata.states.len();
        starts[number] = base;
        let counter = counter(&entry.unit);
        let ahead = if counter.is_some() { ticks(dfa, false, |_| true) } else { Vec::new() };
        // States of one shape differ in their bounds alone; the first unit of the shape stands for all.
        let first = same_states_as[number];
        let class_base = if rule_ids[first].is_some() { starts[first] } else { base };
        for state in dfa.numbers() {
            let i = state as usize;
            let first_edge = automata.byte_edges.len() as u32;
            let mut next_bytes = ByteSet::EMPTY;
            let mut first_ticking = first_edge;
            for ticking in [false, true] {
                first_ticking = if ticking { automata.byte_edges.len() as u32 } else { first_ticking };
                for letter in dfa.letters(state).iter().filter(|letter| letter.ticks == ticking) {
                    let (low, high) = (byte(letter.low), byte(letter.high));
                    next_bytes.insert_range(low, high);
                    let target = StateId::from_index(base + letter.target as usize);
                    automata.byte_edges.push(ByteEdge { low, high, target });
                }
            }
            automata.alphabet = automata.alphabet.union(&next_bytes);
            let first_call = automata.rule_edges.len() as u32;
            for call in dfa.calls(state) {
                let rule = rule_ids[call.unit as usize].expect("what a reachable rule calls is reachable");
                let target = StateId::from_index(base + call.target as usize);
                automata.rule_edges.push(RuleEdge { rule, target, ticks: call.ticks });
            }
            let (need, reach) = ahead.get(i).copied().flatten().unwrap_or((0, u32::MAX));
            let (ascii_loop, loops_utf8) = own_loop(dfa, state, false);
            let (ticking_ascii_loop, ticking_loops_utf8) =
                if counter.is_some() { own_loop(dfa, state, true) } else { (0, false) };
            automata.states.push(State {
                rule: rule_id,
                first_edge,
                first_ticking,
                first_call,
                need,
                reach,
                accepting: dfa.is_accepting(state),
                loops_utf8,
                ascii_loop,
                ticking_ascii_loop,
                ticking_loops_utf8,
                next_bytes,
                called_bytes: ByteSet::EMPTY,
                class: StateId::from_index(class_base + i),
            });
        }
        let rule = grammar.rule(entry.rule);
        automata.rules.push(Rule {
            name: rule.name().to_owned(),
            place: rule.place().clone(),
            start: StateId::from_index(base),
            counter,
            refers: !dfa.all_calls().is_empty(),
            is_called: false,
            symbols: match &entry.unit {
                Unit::Symbols(set) => Some(set.clone()),
                _ => None,
            },
        });
    }
    for edge in &automata.rule_edges {
        automata.rules[edge.rule.index()].is_called = true;
    }
    find_called_bytes(&mut automata);
    // One more entry, so that every state's edges end where the next one's begin.
    automata.states.push(State {
        rule: RuleId::from_index(0),
        first_edge: automata.byte_edges.len() as u32,
        first_ticking: automata.byte_edges.len() as u32,
        first_call: automata.rule_edges.len() as u32,
        need: 0,
        reach: 0,
        accepting: false,
        loops_utf8: false,
        ascii_loop: 0,
        ticking_ascii_loop: 0,
        ticking_loops_utf8: false,
        next_bytes: ByteSet::EMPTY,
        called_bytes: ByteSet::EMPTY,
        class: StateId::from_index(0),
    });
    automata
}

/// Fills in which bytes the rules that each state calls may begin with.
fn find_called_bytes(automata: &mut Automata) {
    let starts: Vec<usize> = automata.rules.iter().map(|rule| rule.start.index()).collect();
    let calls_of = |automata: &Automata, state: usize| {
        let end =
            automata.states.get(state + 1).map_or(automata.rule_edges.len(), |next| next.first_call as usize);
        automata.states[state].first_call as usize..end
    };
    // What a rule begins with, by a fixpoint along the calls of starts.
    let mut first: Vec<ByteSet> = starts.iter().map(|&start| automata.states[start].next_bytes).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); starts.len()];
    for (rule, &start) in starts.iter().enumerate() {
        for edge in &automata.rule_edges[calls_of(automata, start)] {
            callers[edge.rule.index()].push(rule);
        }
    }
    let mut queue: Vec<usize> = (0..starts.len()).collect();
    while let Some(rule) = queue.pop() {
        for &caller in &callers[rule] {
            let more = first[caller].union(&first[rule]);
            if more != first[caller] {
                first[caller] = more;
                queue.push(caller);
            }
        }
    }
    for state in 0..automata.states.len() {
        let mut called = ByteSet::EMPTY;
        for edge in &automata.rule_edges[calls_of(automata, state)] {
            called = called.union(&first[edge.rule.index()]);
        }
        automata.states[state].called_bytes = called;
    }
}

fn byte(letter: u32) -> u8 {
    u8::try_from(letter).expect("a rule's automaton reads bytes")
}

/// The ASCII bytes on which a state returns to itself and nothing else happens, and whether all other characters do too;
/// each with one tick, or each without.
fn own_loop(dfa: &Dfa, state: u32, ticks: bool) -> (u128, bool) {
    let mut own = ByteSet::EMPTY;
    let letters = dfa.letters(state);
    for letter in letters.iter().filter(|letter| letter.ticks == ticks && letter.target == state) {
        own.insert_range(byte(letter.low), byte(letter.high));
    }
    for letter in letters.iter().filter(|letter| letter.ticks != ticks) {
        own = own.difference(&ByteSet::range(byte(letter.low), byte(letter.high)));
    }
    (own.ascii(), loops_utf8(dfa, state, ticks))
}

/// The lead bytes of well-formed UTF-8 beyond ASCII, what may follow at once, and how many more continuation bytes do.
const LEADS: [(u8, u8, u8, u8, u32); 8] = [
    (0xC2, 0xDF, 0x80, 0xBF, 0),
    (0xE0, 0xE0, 0xA0, 0xBF, 1),
    (0xE1, 0xEC, 0x80, 0xBF, 1),
    (0xED, 0xED, 0x80, 0x9F, 1),
    (0xEE, 0xEF, 0x80, 0xBF, 1),
    (0xF0, 0xF0, 0x90, 0xBF, 2),
    (0xF1, 0xF3, 0x80, 0xBF, 2),
    (0xF4, 0xF4, 0x80, 0x8F, 2),
];

fn loops_utf8(dfa: &Dfa, home: u32, ticks: bool) -> bool {
    LEADS.iter().all(|&(low, high, second_low, second_high, more)| {
        let Some(mut at) = targets(dfa, &[home], low, high, false) else { return false };
        let Some(next) = targets(dfa, &at, second_low, second_high, ticks && more == 0) else { return false };
        at = next;
        for left in (0..more).rev() {
            match targets(dfa, &at, 0x80, 0xBF, ticks && left == 0) {
                Some(next) => at = next,
                None => return false,
            }
        }
        at == [home]
    })
}

/// Where all bytes of a range lead from all of these states; `None` if one leads nowhere, or its tick is not as asked, or
/// at more than four.
fn targets(dfa: &Dfa, from: &[u32], low: u8, high: u8, ticks: bool) -> Option<Vec<u32>> {
    let (low, high) = (u32::from(low), u32::from(high));
    let mut found = Vec::new();
    for &state in from {
        let mut next = low;
        for letter in dfa.letters(state).iter().filter(|l| l.high >= low && l.low <= high) {
            if letter.ticks != ticks || letter.low > next {
                return None;
            }
            next = letter.high + 1;
            if !found.contains(&letter.target) {
                found.push(letter.target);
            }
        }
        if next <= high || found.len() > 4 {
            return None;
        }
    }
    Some(found)
}
