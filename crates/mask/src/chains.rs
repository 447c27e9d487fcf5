//! Chains of states that read the same characters, whichever of them come.
//!
//! A text of at most eight hexadecimal digits is eight states that all read the same digits. No state has a
//! [loop](formwork_fsm::Loop), yet every text of up to eight digits stays inside. So the chain of a state is a set of
//! ASCII characters and how many of them in a row, in any order, are read for certain; subtrees of a trie that are not higher and
//! made of these characters alone are taken whole.
//!
//! Where characters part, as in a search for 32 hexadecimal digits, or names that are not such digits, what is known is how
//! far the nearest state is that refuses one of them: shorter texts are read whatever they are made of. And which characters
//! every refused text has, for each reason to refuse one: texts that lack one of each are read however long they are. That takes
//! a look at all states around, so it is asked for where much of a vocabulary is walked. Characters beyond ASCII may be among
//! them, as far as they lead where some ASCII character leads: the way to what is refused is not shorter then. Where words are
//! counted by states, as in a text of at most 500 characters in 50 words, blanks lead on and nothing has a loop, and without
//! them each subtree with an `é` was walked.
//!
//! A text that is longer than its chain is refused, unless the rule may end on the way: what stands behind its end may read the rest.
//! Behind the end of a rule that nobody calls stands nothing, so its ends do not matter.
//!
//! # Worked example
//! Names without 32 digits in a row: in s0 to s31, for as many digits, all characters are read, and another one than a
//! digit leads back to s0; s31 refuses digits. From s0 any text of up to 31 characters is read, from s30 one of 1. Names without
//! `github` in them: from s0 any text of up to 5 characters is read, and any without a `g`, an `i`, a `t`, an `h`, a `u` or a
//! `b`. With neither `github` nor `tag` in them: any that lacks one of those six and one of `t`, `a` and `g`; `g` and `t` are
//! all that the two have in common.

use crate::local::MaskKind;
use crate::slices::covers as loop_covers;
use crate::wholesale::WORTH_A_CHAIN;
use formwork_fsm::{ByteEdge, Loop, RuleId, RuleView};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie};
use smallvec::SmallVec;

/// The chain that begins with a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The characters, bit = byte.
    pub(crate) ascii: u128,
    /// How many in a row; [`ENDLESS`] means any number.
    pub(crate) n: u8,
    /// Whether a further one of them is refused, with nothing having ended and nothing been called on the way.
    pub(crate) is_cut: bool,
}

/// What a state reads whatever the order.
#[derive(Clone, Debug)]
struct AnyOrder {
    /// Nearly all ASCII characters that the state reads.
    characters: u128,
    /// What a look around has told.
    around: Option<Around>,
}

/// What is known of texts of a state's [characters](AnyOrder).
#[derive(Clone, Debug, Default)]
struct Around {
    /// Lead bytes of characters that lead where some of those lead.
    leads: u64,
    /// How many of them are read in a row.
    n: u8,
    /// Why longer ones are refused.
    needed: Needed,
}

/// Why texts are refused: one that is has all characters of one of these sets. None is refused if there is no set.
///
/// Two words that must not come are two sets; what both have in common would say little.
pub(crate) type Needed = SmallVec<[u128; 2]>;

/// With more reasons two are made one, of what both need.
const MAX_NEEDED: usize = 8;

/// Texts of some characters, all of which a state reads but for some of those that are long and have certain characters.
#[derive(Clone, Debug)]
pub(crate) struct AnyText {
    pub(crate) characters: Loop,
    /// So many of them in a row are read.
    pub(crate) n: u8,
    /// Why others are refused.
    pub(crate) needed: Needed,
}

/// The length of a chain that leads into a loop.
const ENDLESS: u8 = u8::MAX;

/// The chains of one rule's states, found when asked for.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    of: Option<(RuleId, MaskKind)>,
    /// Whether anybody calls the rule: behind the end of one that nobody calls stands nothing.
    is_called: bool,
    known: HashMap<u32, Chain>,
    any_order: HashMap<u32, AnyOrder>,
    /// How often states were looked around for that; a look that did not help counts [more](IN_VAIN).
    n_looks: usize,
}

/// Sets of fewer characters take too few tokens to be worth the question.
const FEW: u32 = 8;
/// The longest chain that is followed; few tokens are longer.
const LONGEST: u8 = 40;
/// The same where the characters are so many that their tokens are [taken wholesale](crate::wholesale), which asks for all.
const LONGEST_OF_MANY: u8 = 130;
/// How often states of a rule are looked around, as how many a look in vain counts, and how many states are looked at each
/// time.
const MAX_LOOKS: usize = 16;
const IN_VAIN: usize = 6;
const MAX_AROUND: usize = 64;

impl Chains {
    /// From now on the states of this rule are meant, which somebody calls or nobody.
    pub(crate) fn turn_to(&mut self, rule: RuleId, kind: MaskKind, is_called: bool) {
        self.is_called = is_called;
        if self.of.replace((rule, kind)) != Some((rule, kind)) {
            self.known.clear();
            self.any_order.clear();
            self.n_looks = 0;
        }
    }

    /// The state's chain.
    pub(crate) fn of(&mut self, view: RuleView<'_>, state: u32) -> Chain {
        match self.known.get(&state) {
            Some(&known) => known,
            None => self.find(view, state),
        }
    }

    /// Whether the rule may end in the state, with something behind.
    fn ends(&self, view: RuleView<'_>, state: u32) -> bool {
        self.is_called && view.is_accepting(state)
    }

    /// Finds the chain, and so those of the states behind it that read the same characters.
    fn find(&mut self, view: RuleView<'_>, start: u32) -> Chain {
        let (ascii, first) = widest(view, start);
        if ascii.count_ones() < FEW {
            self.known.insert(start, Chain::default());
            return Chain::default();
        }
        let longest = match ascii.count_ones() >= WORTH_A_CHAIN {
            true => LONGEST_OF_MANY,
            false => LONGEST,
        };
        let mut states: SmallVec<[u32; 64]> = SmallVec::from_slice(&[start]);
        let mut at = first;
        // Where a chain is longer than is looked at, those behind its first state are longer than what is known of it.
        let mut is_whole = true;
        // What is known of the last state of those: how many more are read behind it, and whether none is then.
        let (n_behind, mut is_free) = loop {
            if let Some(known) = self.known.get(&at).filter(|known| known.ascii == ascii) {
                break (known.n, known.is_cut && !self.ends(view, at));
            }
            match follow(view, at, ascii) {
                Followed::To(next) if next == at => break (ENDLESS, false),
                Followed::To(next) if states.len() < usize::from(longest) => {
                    states.push(at);
                    at = next;
                }
                Followed::Nowhere => break (0, !self.ends(view, at) && !calls(view, at, ascii)),
                Followed::To(_) => {
                    is_whole = false;
                    break (0, false);
                }
                _ => break (0, false),
            }
        };
        let mut n = n_behind;
        let mut found = Chain::default();
        for &state in states.iter().rev() {
            // The first state may have ended: what comes then is decided behind it.
            is_free &= !calls(view, state, ascii) && n < ENDLESS - 1;
            n = if n < ENDLESS - 1 { n + 1 } else { n };
            found = Chain { ascii, n, is_cut: is_free };
            if state == start || is_whole && widest(view, state).0 == ascii {
                self.known.insert(state, found);
            }
            is_free &= !self.ends(view, state);
        }
        found
    }

    /// Whether the state's chain reads every text below the node.
    #[inline]
    pub(crate) fn covers(&mut self, view: RuleView<'_>, state: u32, trie: &Trie, node: NodeId) -> bool {
        let Some(ascii) = may_cover(view, state, trie, node) else { return false };
        let chain = self.of(view, state);
        ascii & !chain.ascii == 0 && (trie.height(node) <= chain.n || chain.n == ENDLESS)
    }

    /// Whether the state reads every text below the node, as no state that refuses one of its characters is near enough.
    #[inline]
    pub(crate) fn covers_in_any_order(
        &mut self,
        view: RuleView<'_>,
        state: u32,
        trie: &Trie,
        node: NodeId,
    ) -> bool {
        let [low, high, _, leads] = trie.bytes_below(node);
        // PERF: most subtrees have some other byte, a quote mostly, and a look around takes as much as 200 nodes.
        let begin = ByteSet::from_words([low, high, 0, leads]);
        let ascii = begin.ascii();
        if !begin.is_subset(view.next_bytes(state)) {
            return false;
        }
        let unseen = || AnyOrder { characters: going_on(view, state), around: None };
        let known = self.any_order.entry(state).or_insert_with(unseen);
        let characters = known.characters;
        if ascii & !characters != 0 {
            return false;
        }
        let is_new = known.around.is_none() && self.n_looks < MAX_LOOKS;
        if is_new {
            look_around(view, state, characters, &mut self.any_order);
        }
        let around = self.any_order.get(&state).and_then(|known| known.around.as_ref());
        let covers = around.is_some_and(|around| {
            loop_covers(Loop { ascii: characters, leads: around.leads }, trie, node)
                && (trie.height(node) <= around.n || around.needed.iter().all(|needed| needed & !ascii != 0))
        });
        if is_new {
            self.n_looks += if covers { 1 } else { IN_VAIN };
        }
        covers
    }

    /// What the state reads in any order, as far as a look around tells.
    pub(crate) fn any_text(&mut self, view: RuleView<'_>, state: u32) -> Option<AnyText> {
        let unseen = || AnyOrder { characters: going_on(view, state), around: None };
        let known = self.any_order.entry(state).or_insert_with(unseen);
        let characters = known.characters;
        if characters == 0 {
            return None;
        }
        if known.around.is_none() {
            if self.n_looks >= MAX_LOOKS {
                return None;
            }
            self.n_looks += 1;
            look_around(view, state, characters, &mut self.any_order);
        }
        let around = self.any_order.get(&state)?.around.as_ref()?;
        let characters = Loop { ascii: characters, leads: around.leads };
        Some(AnyText { characters, n: around.n, needed: around.needed.clone() })
    }

    /// If everything from the node on is the chain's characters, and what is longer than the chain is refused: takes the tokens
    /// that are not.
    #[inline]
    pub(crate) fn takes_short(
        &mut self,
        view: RuleView<'_>,
        state: u32,
        trie: &Trie,
        node: NodeId,
        accepted: &mut Vec<TokenId>,
    ) -> bool {
        let Some(ascii) = may_cover(view, state, trie, node) else { return false };
        if trie.height(node) == u8::MAX {
            return false;
        }
        let chain = self.of(view, state);
        if !chain.is_cut || ascii & !chain.ascii != 0 {
            return false;
        }
        let longest = trie.depth(node) + usize::from(chain.n);
        let tokens = trie.tokens_below(node).iter().zip(trie.lengths_below(node));
        accepted.extend(tokens.filter(|&(_, &len)| usize::from(len) <= longest).map(|(&token, _)| token));
        true
    }
}

/// The bytes below a node, if they are ASCII characters all of which the state reads: else no chain of it reads all texts there.
///
/// PERF: to be asked before the chain is found, which makes states.
#[inline]
fn may_cover(view: RuleView<'_>, state: u32, trie: &Trie, node: NodeId) -> Option<u128> {
    let below = ByteSet::from_words(trie.bytes_below(node));
    let [_, _, beyond_a, beyond_b] = below.words();
    (beyond_a | beyond_b == 0 && below.is_subset(view.next_bytes(state))).then(|| below.ascii())
}

/// The ASCII characters of a range of bytes.
fn ascii(low: u8, high: u8) -> u128 {
    match low {
        0..=0x7F => (u128::MAX >> (0x7F - high.min(0x7F))) & (u128::MAX << low),
        _ => 0,
    }
}

/// The state to which most ASCII characters lead, and those.
pub(crate) fn widest(view: RuleView<'_>, state: u32) -> (u128, u32) {
    let mut best = (0, state);
    let mut targets: SmallVec<[(u32, u128); 8]> = SmallVec::new();
    for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
        let own = ascii(edge.low, edge.high);
        let known = targets.iter().position(|&(target, _)| target == edge.target);
        let at = known.unwrap_or_else(|| {
            targets.push((edge.target, 0));
            targets.len() - 1
        });
        targets[at].1 |= own;
        if targets[at].1.count_ones() > u128::count_ones(best.0) {
            best = (targets[at].1, edge.target);
        }
    }
    best
}

/// Whether something that the state calls may begin with one of the characters.
fn calls(view: RuleView<'_>, state: u32, characters: u128) -> bool {
    view.called_bytes(state).ascii() & characters != 0
}

/// The states in which texts of the characters of a state's chain are, the last of which may read none of them.
pub(crate) fn along(view: RuleView<'_>, state: u32, chain: Chain) -> impl Iterator<Item = u32> {
    let next = move |&at: &u32| match follow(view, at, chain.ascii) {
        Followed::To(next) if next != at => Some(next),
        _ => None,
    };
    std::iter::successors(Some(state), next).take(usize::from(chain.n) + 1)
}

/// The ASCII characters that a state reads.
fn read(view: RuleView<'_>, state: u32) -> u128 {
    let edges = view.plain_edges(state).iter().filter(|edge| edge.low < 0x80);
    edges.fold(0, |all, edge| all | ascii(edge.low, edge.high))
}

/// Those behind which most are read, if they are not few: of what ends something, a quote, no text is made.
fn going_on(view: RuleView<'_>, state: u32) -> u128 {
    let all = read(view, state);
    let goes_on = |edge: &&ByteEdge| {
        edge.low < 0x80 && 2 * (read(view, edge.target) & all).count_ones() >= all.count_ones()
    };
    let edges = view.plain_edges(state).iter().filter(goes_on);
    let characters = edges.fold(0, |all, edge| all | ascii(edge.low, edge.high));
    if characters.count_ones() < FEW { 0 } else { characters }
}

/// Finds for the state, and for those around it that read the same ASCII characters, which texts of these are read, whatever
/// their order.
///
/// Cost: linear in the edges of some dozen states, some passes.
fn look_around(view: RuleView<'_>, start: u32, characters: u128, known: &mut HashMap<u32, AnyOrder>) {
    // The states around, each with those that lead to it; those that refuse a character, or are one too many, come first.
    let mut numbers: HashMap<u32, usize> = HashMap::default();
    let mut states = vec![start];
    numbers.insert(start, 0);
    let mut sources: Vec<Vec<usize>> = vec![Vec::new()];
    let mut at_hand: Vec<usize> = Vec::new();
    // From where to where which characters lead.
    let mut steps: Vec<(usize, usize, u128)> = Vec::new();
    let mut needed: Vec<Needed> = Vec::new();
    // The same for characters beyond ASCII, as far as they lead where an ASCII character leads: no text of them is read less
    // far. With them a step is no matter of one character.
    let mut leads = u64::MAX;
    let mut beyond: Vec<(usize, usize, u128)> = Vec::new();
    let mut refusing: Vec<(usize, u64)> = Vec::new();
    let mut next = 0;
    while let Some(&state) = states[..states.len().min(MAX_AROUND)].get(next) {
        let refused = characters & !read(view, state);
        if refused != 0 {
            at_hand.push(next);
        }
        needed.push(each(refused));
        // A text that is not refused here goes on, and may be refused behind.
        for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
            let own = ascii(edge.low, edge.high) & characters;
            if own == 0 {
                continue;
            }
            let target = *numbers.entry(edge.target).or_insert_with(|| {
                states.push(edge.target);
                sources.push(Vec::new());
                states.len() - 1
            });
            steps.push((next, target, own));
            if sources[target].last() != Some(&next) {
                sources[target].push(next);
            }
        }
        if leads != 0 {
            let of_state = steps.len() - steps.iter().rev().take_while(|step| step.0 == next).count();
            let own_leads = view.leads_where(state, |target| {
                let target = numbers.get(&target).copied();
                let step = steps[of_state..].iter().find(|step| Some(step.1) == target);
                beyond.extend(step.map(|&(from, to, _)| (from, to, 0)));
                step.is_some()
            });
            match refused {
                0 => leads &= own_leads,
                _ => refusing.push((next, own_leads)),
            }
        }
        next += 1;
    }
    // PERF: those that are too far away may refuse anything, and to look at them makes their edges.
    let n_seen = next;
    at_hand.extend(n_seen..states.len());
    needed.resize(states.len(), SmallVec::from_slice(&[0]));
    if leads != 0 {
        steps.append(&mut beyond);
        // One of those may be what is refused.
        for (state, own_leads) in refusing {
            if leads & !own_leads != 0 {
                needed[state] = SmallVec::from_slice(&[0]);
            }
        }
    }
    let mut n_read: Vec<Option<u8>> = vec![None; states.len()];
    for n in 0..LONGEST {
        let here: Vec<usize> = at_hand.drain(..).filter(|&i| n_read[i].replace(n).is_none()).collect();
        at_hand = here
            .into_iter()
            .flat_map(|i| sources[i].iter().copied())
            .filter(|&i| n_read[i].is_none())
            .collect();
    }
    // Each step asks for what it reads, if that is one character, and for what is needed behind it. Sets only get smaller.
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        for &(from, to, own) in steps.iter().rev().filter(|(from, to, _)| from != to) {
            for i in 0..needed[to].len() {
                let through = only(own) | needed[to][i];
                is_settled &= !add_needed(&mut needed[from], through);
            }
        }
    }
    // An escape looks around, too, and all that follows it reads its few letters.
    let is_alike = |state: u32| {
        let read = read(view, state);
        characters & !read == 0 && 2 * characters.count_ones() >= read.count_ones()
    };
    let nothing = Around { needed: SmallVec::from_slice(&[0]), ..Around::default() };
    known.insert(start, AnyOrder { characters, around: Some(nothing) });
    for (i, &state) in states[..n_seen].iter().enumerate().filter(|&(_, &state)| is_alike(state)) {
        let around =
            Around { leads, n: n_read[i].unwrap_or(LONGEST), needed: std::mem::take(&mut needed[i]) };
        known.insert(state, AnyOrder { characters, around: Some(around) });
    }
}

/// A set for each character; one that asks for nothing if they are many.
fn each(mut characters: u128) -> Needed {
    if characters.count_ones() as usize > MAX_NEEDED {
        return SmallVec::from_slice(&[0]);
    }
    let mut sets = Needed::new();
    while characters != 0 {
        sets.push(characters & characters.wrapping_neg());
        characters &= characters - 1;
    }
    sets
}

/// Adds a set unless there is one that asks for less, and takes out those that ask for more. Whether anything changed.
fn add_needed(sets: &mut Needed, added: u128) -> bool {
    if sets.iter().any(|&set| set & !added == 0) {
        return false;
    }
    sets.retain(|set| added & !*set != 0);
    sets.push(added);
    if sets.len() > MAX_NEEDED {
        // The two that have most in common.
        let pairs = (0..sets.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let both = |&(j, i): &(usize, usize)| (sets[i] & sets[j]).count_ones();
        let (j, i) = pairs.max_by_key(both).unwrap_or_default();
        let common = sets[i] & sets[j];
        sets.retain(|set| common & !*set != 0);
        sets.push(common);
    }
    true
}

/// The set if it has one character, none else.
fn only(characters: u128) -> u128 {
    if characters.count_ones() == 1 { characters } else { 0 }
}

/// Where all of some characters lead.
enum Followed {
    To(u32),
    /// All are refused.
    Nowhere,
    /// Not all to the same state.
    Apart,
}

fn follow(view: RuleView<'_>, state: u32, characters: u128) -> Followed {
    let mut left = characters;
    let mut target = None;
    for edge in view.plain_edges(state).iter().filter(|edge| edge.low < 0x80) {
        let own = ascii(edge.low, edge.high) & characters;
        if own == 0 {
            continue;
        }
        if target.is_some_and(|target| target != edge.target) {
            return Followed::Apart;
        }
        target = Some(edge.target);
        left &= !own;
    }
    match target {
        None => Followed::Nowhere,
        Some(target) if left == 0 => Followed::To(target),
        Some(_) => Followed::Apart,
    }
}
