//! From a row to its mask: local masks united, boundaries decided.
//!
//! The mask of a row is the union over its scannable items. An item's accepted tokens are allowed as they are; behind its
//! boundaries stands whoever waits for its rule: that is one row, made once per (rule, origin), from which the suffixes
//! and the subtrees of the vocabulary are walked. Nearly all die on their first byte. Subtrees of several items are walked
//! together, so that no node of the vocabulary's trie is visited twice. Where a text is read in many ways, one rule began in many
//! places: behind all of these stands one row.
//!
//! Where one item reads any text of a JSON string, as the inside of a name that is not declared does, all tokens of such text are
//! allowed whatever the others say. Of those only what they say of other tokens is asked
//! ([`BesideText`](crate::MaskKind::BesideText)).

use crate::bits;
use crate::bitset::Bitset;
use crate::boundary::{self, Boundaries, Source};
use crate::descent::Descent;
use crate::far::{Distance, distance, left_and_due};
use crate::local::{Base, CountedMask, Counts, LocalMask, MaskKind};
use crate::recipe::Recipe;
use crate::slices::{Slices, covers};
use crate::texts::Refused;
use crate::token_set::SharedSets;
use crate::unions::Asked;
use crate::walk::Switches;
use formwork_earley::{Item, LimitExceeded, Mark, RowId, Rows, TableId};
use formwork_fsm::{RuleId, StateId};
use formwork_grammar::{ByteSet, HashMap};
use formwork_vocab::{NodeId, TokenId, Trie, Vocabulary};
use smallvec::SmallVec;
use std::sync::Arc;

/// Resolves rows to masks; keeps buffers between calls.
#[derive(Debug, Default)]
pub struct Resolver {
    locals: Vec<Arc<LocalMask>>,
    returns: Vec<((RuleId, TableId), Option<RowId>)>,
    /// The tries of places, but for the vocabulary's.
    tries: Vec<Arc<Trie>>,
    places: Vec<Place>,
    frames: Vec<Frame>,
    behind: Behind,
    /// What the places of one trie allow, with the bytes behind the boundary.
    found: Vec<(TokenId, u32)>,
    /// Tokens that boundaries added, in the order found; may repeat what local masks allow.
    extra: Vec<TokenId>,
    /// What the large local masks of the last mask accept together, if they are several and that is known.
    union: Option<Arc<Bitset>>,
    /// Whether long tokens were counted apart in the last mask.
    is_counting: bool,
    /// Whether every item's count is asked for, and nothing is united for other rows.
    counts_always: bool,
    /// Bytes that local masks have grown by, and what they are united to.
    grown: usize,
}

/// What places allowed before: the tokens, and how many of their bytes stand behind the boundary.
///
/// At each character of a key that may be any name the row is another one, and what lies behind the key is the same.
#[derive(Debug, Default)]
struct Behind {
    known: HashMap<BehindKey, Allowed>,
    n_bytes: usize,
}

/// The trie, the place in it, the bytes below which tokens are undecided, and who waits for what has ended there.
type BehindKey = (usize, NodeId, ByteSet, RuleId, TableId);

#[derive(Debug)]
struct Allowed {
    tokens: Box<[(TokenId, u32)]>,
    /// Keeps the trie's address its own.
    _trie: Option<Arc<Trie>>,
}

/// Items of one state that began in more places than this are asked together what stands behind them. Few are asked one by one,
/// since what is behind one origin is remembered.
const MANY_ORIGINS: usize = 8;

/// What is remembered of places, in bytes; then the collection starts anew.
const MAX_BEHIND: usize = 128 << 10;

impl Behind {
    fn insert(&mut self, key: BehindKey, allowed: Allowed) {
        let n_bytes = size_of::<(BehindKey, Allowed)>() + size_of_val(&allowed.tokens[..]);
        if self.n_bytes + n_bytes > MAX_BEHIND {
            *self = Self::default();
        }
        self.n_bytes += n_bytes;
        self.known.insert(key, allowed);
    }
}

/// A subtree of a trie to be walked from a row.
#[derive(Clone, Debug)]
struct Place {
    /// 0 is the vocabulary's trie; else one more than the position in `tries`.
    trie: usize,
    node: NodeId,
    bytes: ByteSet,
    row: RowId,
    /// Who waits for what ended here, if it is in a table that outlives the row.
    waits: Option<(RuleId, TableId)>,
    /// The local mask some of whose base's boundaries do not hold here; one more than the position in `locals`.
    beside: usize,
    done: bool,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    row: RowId,
    children: Descent,
}

impl Resolver {
    /// Forgets what it knows of rows and tables: to be called when these were [collected](Rows::collect).
    pub fn forget(&mut self) {
        self.behind = Behind::default();
    }

    /// Heap memory of what it remembers, in bytes, about.
    pub fn memory_size(&self) -> usize {
        self.behind.n_bytes
    }

    /// A resolver with empty buffers. Without `slices` among the switches it takes no item to be
    /// [far](crate::MaskKind) from its bounds, and each row's mask is put together by itself.
    pub fn new(switches: Switches) -> Self {
        Self { counts_always: !switches.slices, ..Self::default() }
    }

    /// Makes `mask` hold the text tokens that `row` allows; `mask` has at least the vocabulary's
    /// [words](Vocabulary::mask_words). Rows made on the way stay if they are few.
    ///
    /// Cost: about 0.1 µs to unite, then by the number of boundaries that survive: a microsecond on real schemas.
    ///
    /// # Errors
    /// A limit, or what `local` fails with; then `mask` is incomplete.
    pub fn resolve<E: From<LimitExceeded>>(
        &mut self,
        slices: &Slices,
        rows: &mut Rows,
        row: RowId,
        mask: &mut [u32],
        local: impl FnMut(StateId, MaskKind) -> Result<Arc<LocalMask>, E>,
    ) -> Result<(), E> {
        self.extra.clear();
        let mark = rows.mark();
        let result = self.resolve_marked(slices, rows, row, mask, mark, local);
        // PERF: an output goes on through rows behind boundaries, and what stands behind several of them is often the same:
        // 3% of filling masks and accepting.
        match result {
            Ok(()) => rows.keep_few(mark),
            Err(_) => rows.release(mark),
        }
        result
    }

    /// By how many bytes of heap memory local masks have grown since this was asked: what a mask needs of what stands behind its
    /// boundaries is made when somebody asks, and what several accept together when they come again.
    pub fn take_grown(&mut self) -> usize {
        std::mem::take(&mut self.grown)
    }

    /// How the mask of the last [`resolve`](Self::resolve), of this row, is written again; `None` where long tokens were counted
    /// apart.
    pub fn recipe(&mut self, rows: &Rows, row: RowId) -> Option<Recipe> {
        if self.is_counting {
            return None;
        }
        if let Some(union) = &self.union {
            let small = self.locals.iter().filter(|local| !local.is_large());
            let listed = small.flat_map(|local| local.accepted.listed());
            return Some(Recipe::of_union(union, listed.chain(&self.extra).copied()));
        }
        let items = rows.scannable(row).iter().zip(&self.locals);
        let items = items.map(|(item, local)| (local, counts(rows, item, local)));
        Some(Recipe::of(items, &self.extra))
    }

    fn resolve_marked<E: From<LimitExceeded>>(
        &mut self,
        slices: &Slices,
        rows: &mut Rows,
        row: RowId,
        mask: &mut [u32],
        mark: Mark,
        mut local: impl FnMut(StateId, MaskKind) -> Result<Arc<LocalMask>, E>,
    ) -> Result<(), E> {
        let vocabulary = slices.vocabulary();
        self.returns.clear();
        self.places.clear();
        self.tries.clear();
        self.locals.clear();
        self.union = None;
        let mut long: SmallVec<[(usize, Arc<LocalMask>); 2]> = SmallVec::new();
        let items = rows.scannable(row);
        let counts = |item: &Item| rows.automata().counter(item.state.rule()).is_some();
        let is_any_text = |item: &Item| {
            !counts(item) && rows.automata().view(item.state.rule()).reads_any_text(item.state.local())
        };
        // What is text of a JSON string is accepted then, whatever the others say.
        let beside_text = !self.counts_always && items.len() > 1 && items.iter().any(is_any_text);
        for (i, item) in items.iter().enumerate() {
            let distance = match self.counts_always {
                true => Distance::Near,
                false => distance(rows, item, vocabulary.max_token_len()),
            };
            let of_state = match distance {
                Distance::Far if beside_text && !is_any_text(item) && !counts(item) => {
                    local(item.state, MaskKind::BesideText)?
                }
                Distance::Far => local(item.state, MaskKind::Usual)?,
                Distance::Middle => {
                    long.push((i, local(item.state, MaskKind::Long)?));
                    local(item.state, MaskKind::Usual)?
                }
                Distance::Near => local(item.state, MaskKind::Counted)?,
            };
            self.locals.push(of_state);
        }
        let refused = Refused::of(vocabulary, rows, row)?;
        self.is_counting = !long.is_empty() || !refused.is_empty();
        let n_items = self.locals.len();
        if long.is_empty() {
            match refused.is_empty() {
                true if self.unite(slices, mask) => {}
                true => write_accepted(rows, rows.scannable(row), &self.locals, mask),
                false => {
                    mask.fill(0);
                    (0..n_items).for_each(|i| refused.add_others(rows, row, i, &self.locals[i], mask));
                }
            }
            self.behind_all(vocabulary, rows, row, 0..n_items, mask, mark)?;
            self.walk_places(vocabulary, rows, mask)?;
            return Ok(());
        }
        // Items whose long tokens are counted apart come first, so that these can be taken out of the mask again.
        let is_apart = |i: usize| long.iter().any(|(apart, _)| *apart == i);
        let apart = long.iter().map(|&(i, _)| (rows.scannable(row)[i], Arc::clone(&self.locals[i])));
        let (items, locals): (SmallVec<[Item; 2]>, SmallVec<[Arc<LocalMask>; 2]>) = apart.unzip();
        write_accepted(rows, &items, &locals, mask);
        self.behind_all(vocabulary, rows, row, long.iter().map(|&(i, _)| i), mask, mark)?;
        self.walk_places(vocabulary, rows, mask)?;
        slices.long_tokens().clear(mask);
        let others: SmallVec<[usize; 8]> = (0..n_items).filter(|&i| !is_apart(i)).collect();
        for &i in &others {
            refused.add_others(rows, row, i, &self.locals[i], mask);
        }
        self.behind_all(vocabulary, rows, row, others, mask, mark)?;
        for (i, long) in &long {
            let item = rows.scannable(row)[*i];
            add_accepted(rows, &item, long, mask);
            let key = (rows.automata().rule_of(item.state), item.origin.unwrap_or(rows.table(row)));
            if let Some(long) = long.counted() {
                self.ends(vocabulary, rows, item, key, long, mark)?;
            }
        }
        self.walk_places(vocabulary, rows, mask)?;
        Ok(())
    }

    /// Makes a mask hold what the local masks accept, if several of them are large and these came before.
    fn unite(&mut self, slices: &Slices, mask: &mut [u32]) -> bool {
        if self.counts_always || self.locals.len() < 2 {
            return false;
        }
        let large: SmallVec<[&Arc<LocalMask>; 8]> =
            self.locals.iter().filter(|local| local.is_large()).collect();
        if large.len() < 2 || self.locals.iter().any(|local| local.counted().is_some()) {
            return false;
        }
        let union = match slices.unions().ask(&large) {
            Asked::First => return false,
            Asked::Known(words) => {
                words.write_to(mask);
                words
            }
            Asked::Again => {
                large[0].write_to(mask, None);
                large[1..].iter().for_each(|local| local.add_to(mask, None));
                let words = slices.shared(&mask[..slices.vocabulary().mask_words()]);
                if SharedSets::is_new(&words) {
                    self.grown += words.memory_size();
                }
                slices.unions().keep(&large, &words);
                words
            }
        };
        self.locals.iter().filter(|local| !local.is_large()).for_each(|local| local.add_to(mask, None));
        self.union = Some(union);
        true
    }

    /// Puts what stands behind the boundaries of some items among the places.
    ///
    /// Those of one state that began in many places have the same boundaries, and behind these stands one row for all of them:
    /// a text that is read in a thousand ways would else be a thousand rows of a thousand items each. What their counts decide
    /// is asked of them together, too.
    fn behind_all(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        row: RowId,
        items: impl IntoIterator<Item = usize>,
        mask: &mut [u32],
        mark: Mark,
    ) -> Result<(), LimitExceeded> {
        let mut items: SmallVec<[usize; 16]> = items.into_iter().collect();
        if items.len() <= MANY_ORIGINS {
            return items.iter().try_for_each(|&i| self.behind(vocabulary, rows, row, i, mask, mark));
        }
        let scannable = rows.scannable(row);
        // A state has another local mask near its bounds, by counts: there only items of one count have the same boundaries.
        let key = |i: usize| {
            let local = &self.locals[i];
            (scannable[i].state, Arc::as_ptr(local).addr(), local.counted().map(|_| scannable[i].count))
        };
        items.sort_by_key(|&i| key(i));
        let groups: SmallVec<[usize; 16]> =
            items.chunk_by(|&a, &b| key(a) == key(b)).map(<[usize]>::len).collect();
        let mut rest = &items[..];
        for n in groups {
            let (alike, others) = rest.split_at(n);
            rest = others;
            match alike.len() > MANY_ORIGINS {
                true => self.behind_alike(vocabulary, rows, row, alike, mask)?,
                false => {
                    alike.iter().try_for_each(|&i| self.behind(vocabulary, rows, row, i, mask, mark))?;
                }
            }
        }
        Ok(())
    }

    /// The same of items of one state, and of one count if its local mask asks.
    fn behind_alike(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        row: RowId,
        alike: &[usize],
        mask: &mut [u32],
    ) -> Result<(), LimitExceeded> {
        let first = alike[0];
        let local = Arc::clone(&self.locals[first]);
        self.recheck(vocabulary, rows, row, alike, &local, mask)?;
        let Some(after) = rows.complete_each(row, alike)? else { return Ok(()) };
        if let Some(counted) = local.counted() {
            let (left, due) = left_and_due(rows, &rows.scannable(row)[first]);
            for end in counted.ends.iter().filter(|end| end.is_allowed(left, due)) {
                self.places_behind(vocabulary, rows, after, None, &end.boundaries, 0);
            }
            return Ok(());
        }
        self.places_behind(vocabulary, rows, after, None, &local.boundaries, 0);
        if let Some(base) = local.base() {
            self.places_behind(vocabulary, rows, after, None, &base.mask.boundaries, first + 1);
        }
        Ok(())
    }

    /// Puts what stands behind an item's boundaries among the places, and rechecks what its count decides.
    fn behind(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        row: RowId,
        i: usize,
        mask: &mut [u32],
        mark: Mark,
    ) -> Result<(), LimitExceeded> {
        let mask_of_state = Arc::clone(&self.locals[i]);
        let item = rows.scannable(row)[i];
        self.recheck(vocabulary, rows, row, &[i], &mask_of_state, mask)?;
        let key = (rows.automata().rule_of(item.state), item.origin.unwrap_or(rows.table(row)));
        if let Some(counted) = mask_of_state.counted() {
            return self.ends(vocabulary, rows, item, key, counted, mark);
        }
        self.boundaries(vocabulary, rows, key, &mask_of_state.boundaries, 0, mark)?;
        match mask_of_state.base() {
            Some(Base { mask: base, .. }) => {
                self.boundaries(vocabulary, rows, key, &base.boundaries, i + 1, mark)
            }
            None => Ok(()),
        }
    }

    /// Puts the ends of a counted state that the item's count allows among the places.
    fn ends(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        item: Item,
        key: (RuleId, TableId),
        counted: &CountedMask,
        mark: Mark,
    ) -> Result<(), LimitExceeded> {
        let (left, due) = left_and_due(rows, &item);
        for end in counted.ends.iter().filter(|end| end.is_allowed(left, due)) {
            self.boundaries(vocabulary, rows, key, &end.boundaries, 0, mark)?;
        }
        Ok(())
    }

    /// Puts the boundaries among the places; of those of a base, which belong to the local mask `beside`, some do not hold.
    fn boundaries(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        key: (RuleId, TableId),
        boundaries: &Boundaries,
        beside: usize,
        mark: Mark,
    ) -> Result<(), LimitExceeded> {
        if boundaries.is_empty() {
            return Ok(());
        }
        let known = self.returns.iter().find(|(known, _)| *known == key).map(|(_, row)| *row);
        let row = match known {
            Some(row) => row,
            None => {
                let row = rows.complete(key.0, key.1)?;
                self.returns.push((key, row));
                row
            }
        };
        if let Some(row) = row {
            let waits = rows.outlives(key.1, mark).then_some(key);
            self.places_behind(vocabulary, rows, row, waits, boundaries, beside);
        }
        Ok(())
    }

    /// Puts the boundaries behind which the row stands among the places.
    fn places_behind(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &Rows,
        row: RowId,
        waits: Option<(RuleId, TableId)>,
        boundaries: &Boundaries,
        beside: usize,
    ) {
        let excluded = match beside.checked_sub(1).and_then(|i| self.locals[i].base()) {
            Some(base) => &base.excluded[..],
            None => &[],
        };
        let beside = if excluded.is_empty() { 0 } else { beside };
        let mut shared = None;
        for boundary::Place { source, node, undecided } in &boundaries.places {
            let bytes = undecided.intersection(rows.next_bytes(row));
            if bytes.is_empty() {
                continue;
            }
            let (trie, beside) = match (source, &boundaries.rest) {
                (Source::Rest | Source::Leaving, Some(rest)) => {
                    (*shared.get_or_insert_with(|| known_trie(&mut self.tries, rest)), beside)
                }
                _ if excluded.binary_search(node).is_ok() => continue,
                _ => (0, 0),
            };
            self.places.push(Place { trie, node: *node, bytes, row, waits, beside, done: false });
        }
        let suffixes = boundaries.suffixes.as_ref();
        if let Some((trie, bytes)) =
            suffixes.and_then(|suffixes| suffixes.along(vocabulary, rows.next_bytes(row), &mut self.grown))
        {
            let trie = known_trie(&mut self.tries, trie);
            self.places.push(Place { trie, node: Trie::ROOT, bytes, row, waits, beside, done: false });
        }
    }

    /// Puts the subtrees whose tokens depend on the items' own counts among the places, to be walked from the items themselves,
    /// which are of one state.
    fn recheck(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        row: RowId,
        items: &[usize],
        local: &LocalMask,
        mask: &mut [u32],
    ) -> Result<(), LimitExceeded> {
        if local.rechecks().is_empty() {
            return Ok(());
        }
        let trie = vocabulary.trie();
        let alone = rows.only(row, items)?;
        for &node in local.rechecks() {
            let Some(&below) = trie.tokens_below(node).first() else { continue };
            let path = vocabulary.text(below).unwrap_or_default().get(..trie.depth(node)).unwrap_or_default();
            let mut at = Some(alone);
            for &byte in path {
                at = match at {
                    Some(from) => rows.advance(from, byte)?,
                    None => break,
                };
            }
            let Some(at) = at else { continue };
            for &token in trie.tokens_at(node) {
                bits::set(mask, token);
                self.extra.push(token);
            }
            let bytes = *rows.next_bytes(at);
            self.places.push(Place { trie: 0, node, bytes, row: at, waits: None, beside: 0, done: false });
        }
        Ok(())
    }

    /// Walks all places; where one lies below another, their rows are united on the way.
    fn walk_places(
        &mut self,
        vocabulary: &Vocabulary,
        rows: &mut Rows,
        mask: &mut [u32],
    ) -> Result<(), LimitExceeded> {
        let mut places = std::mem::take(&mut self.places);
        let tries = std::mem::take(&mut self.tries);
        places.sort_by_key(|place| (place.trie, place.beside, place.node));
        let mut result = Ok(());
        let mut rest = &mut places[..];
        while let Some(first) = rest.first() {
            let (trie, beside) = (first.trie, first.beside);
            // Places beside a base go each by itself: which of its boundaries hold is the mask's own.
            let n = rest.partition_point(|place| (place.trie, place.beside) <= (trie, beside));
            let (together, others) = std::mem::take(&mut rest).split_at_mut(n);
            rest = others;
            let shared = trie.checked_sub(1).map(|i| Arc::clone(&tries[i]));
            let trie = shared.as_deref().unwrap_or_else(|| vocabulary.trie());
            let beside = beside.checked_sub(1).map(|i| Arc::clone(&self.locals[i]));
            let excluded =
                beside.iter().filter_map(|local| local.base()).map(|base| &base.excluded[..]).next();
            let excluded = excluded.map(|nodes| Excluded::new(vocabulary, nodes));
            let key = match together {
                [Place { node, bytes, waits: Some((rule, table)), .. }] => {
                    Some((std::ptr::from_ref(trie).addr(), *node, *bytes, *rule, *table))
                }
                _ => None,
            };
            if let Some(known) = key.and_then(|key| self.behind.known.get(&key)) {
                for &(token, n_behind) in &known.tokens {
                    if excluded.as_ref().is_none_or(|excluded| !excluded.has(token, n_behind)) {
                        bits::set(mask, token);
                        self.extra.push(token);
                    }
                }
                continue;
            }
            self.found.clear();
            for i in 0..together.len() {
                if result.is_ok() && !together[i].done {
                    result = self.walk_place(trie, rows, together, i);
                }
            }
            for &(token, n_behind) in &self.found {
                if excluded.as_ref().is_none_or(|excluded| !excluded.has(token, n_behind)) {
                    bits::set(mask, token);
                    self.extra.push(token);
                }
            }
            if let Some(key) = key.filter(|_| result.is_ok()) {
                let allowed = Allowed { tokens: self.found[..].into(), _trie: shared };
                self.behind.insert(key, allowed);
            }
        }
        places.clear();
        (self.places, self.tries) = (places, tries);
        result
    }

    fn walk_place(
        &mut self,
        trie: &Trie,
        rows: &mut Rows,
        places: &mut [Place],
        first: usize,
    ) -> Result<(), LimitExceeded> {
        let root = places[first].node;
        let (mut row, mut bytes) = (places[first].row, places[first].bytes);
        let mut cursor = first;
        while cursor < places.len() && places[cursor].node == root {
            if !places[cursor].done {
                row = rows.union(row, places[cursor].row)?;
                bytes = bytes.union(&places[cursor].bytes);
                places[cursor].done = true;
            }
            cursor += 1;
        }
        let is_alone = places.get(cursor).is_none_or(|place| place.node >= trie.end(root));
        let n_above = trie.depth(root);
        self.frames.clear();
        self.frames.push(Frame { row, children: Descent::along(root, bytes) });
        if !is_alone {
            self.frames[0].children = Descent::all(trie, root, ByteSet::FULL);
        }
        while let Some(frame) = self.frames.last_mut() {
            let row = frame.row;
            let Some(node) = frame.children.next(trie) else {
                self.frames.pop();
                continue;
            };
            let byte = trie.byte(node);
            let is_leaf = trie.end(node) == node.next();
            // PERF: most nodes are leaves below a place that is alone, where what is wanted is what the row reads.
            if is_alone && is_leaf && rows.is_exact(row) {
                if frame.children.wants(byte) {
                    note(&mut self.found, trie, node, n_above);
                }
                continue;
            }
            while cursor < places.len() && places[cursor].node < node {
                cursor += 1;
            }
            let reads =
                rows.next_bytes(row).contains(byte) && (self.frames.len() > 1 || bytes.contains(byte));
            // Where nothing is below, the bit decides and no row is needed.
            let mut next = match reads {
                true if is_leaf && rows.is_exact(row) => Some(row),
                true => rows.advance(row, byte)?,
                false => None,
            };
            if next.is_some() {
                note(&mut self.found, trie, node, n_above);
            }
            // Other boundaries may lie just here: what is behind them goes along.
            let mut here = cursor;
            while here < places.len() && places[here].node == node {
                if !places[here].done {
                    places[here].done = true;
                    next = Some(match next {
                        Some(next) => rows.union(next, places[here].row)?,
                        None => places[here].row,
                    });
                }
                here += 1;
            }
            let Some(next) = next.filter(|_| !is_leaf) else { continue };
            let automata = rows.automata();
            if rows.scannable(next).iter().any(|item| covers(automata.own_loop(item.state), trie, node)) {
                let mut at = node.next();
                while at < trie.end(node) {
                    note(&mut self.found, trie, at, n_above);
                    at = at.next();
                }
                continue;
            }
            let children = match is_alone {
                true => Descent::new(trie, node, rows.next_bytes(next)),
                false => Descent::all(trie, node, ByteSet::FULL),
            };
            self.frames.push(Frame { row: next, children });
        }
        Ok(())
    }
}

/// Notes the tokens that end at a node, with the bytes behind the place at this depth.
#[inline]
fn note(found: &mut Vec<(TokenId, u32)>, trie: &Trie, node: NodeId, depth: usize) {
    for &token in trie.tokens_at(node) {
        found.push((token, (trie.depth(node) - depth) as u32));
    }
}

/// Boundaries that do not hold, as nodes of the vocabulary's trie.
#[derive(Debug)]
struct Excluded<'a> {
    vocabulary: &'a Vocabulary,
    nodes: &'a [NodeId],
    /// The first bytes on the way to them.
    first: ByteSet,
}

impl<'a> Excluded<'a> {
    fn new(vocabulary: &'a Vocabulary, nodes: &'a [NodeId]) -> Self {
        let trie = vocabulary.trie();
        let below = nodes.iter().filter_map(|&node| trie.tokens_below(node).first());
        let first = below.filter_map(|&token| vocabulary.text(token)?.first().copied()).collect();
        Self { vocabulary, nodes, first }
    }

    /// Whether the boundary so many bytes before the token's end is one of them.
    fn has(&self, token: TokenId, n_behind: u32) -> bool {
        let text = self.vocabulary.text(token).unwrap_or_default();
        if !text.first().is_some_and(|&byte| self.first.contains(byte)) {
            return false;
        }
        let trie = self.vocabulary.trie();
        let before = &text[..text.len().saturating_sub(n_behind as usize)];
        let node = before.iter().try_fold(Trie::ROOT, |node, &byte| trie.child(node, byte));
        node.is_some_and(|node| self.nodes.binary_search(&node).is_ok())
    }
}

/// The number of a trie among those that places are in.
fn known_trie(tries: &mut Vec<Arc<Trie>>, trie: &Arc<Trie>) -> usize {
    if let Some(known) = tries.iter().position(|known| Arc::ptr_eq(known, trie)) {
        return known + 1;
    }
    tries.push(Arc::clone(trie));
    tries.len()
}

/// Makes a mask hold what the local masks of these items accept, and nothing else.
fn write_accepted(rows: &Rows, items: &[Item], locals: &[Arc<LocalMask>], mask: &mut [u32]) {
    // A wide one first: it is written, the others are added.
    let wide = items.iter().zip(locals).position(|(item, local)| local.is_wide(counts(rows, item, local)));
    match wide {
        Some(first) => locals[first].write_to(mask, counts(rows, &items[first], &locals[first])),
        None => mask.fill(0),
    }
    for (i, (item, local)) in items.iter().zip(locals).enumerate() {
        if Some(i) != wide {
            add_accepted(rows, item, local, mask);
        }
    }
}

/// Adds what a local mask accepts for an item.
pub(crate) fn add_accepted(rows: &Rows, item: &Item, local: &LocalMask, mask: &mut [u32]) {
    local.add_to(mask, counts(rows, item, local));
}

/// How often an item may still tick and how often it must, if its local mask asks.
fn counts(rows: &Rows, item: &Item, local: &LocalMask) -> Counts {
    local.counted().map(|_| left_and_due(rows, item))
}
