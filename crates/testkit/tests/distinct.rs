//! Lists of distinct texts: few texts as members of a set, texts without number, and values of them, as a list of values says.

use formwork_engine::{Compiler, Matcher};
use formwork_grammar::{CharClass, Conditions, ExprId, Grammar, GrammarBuilder, Place};
use formwork_testkit::generate::{VocabularyShape, cases};
use formwork_testkit::oracles::{
    EngineCase, allows, fork_independent, ids, mask_has_no_dead_end, rollback_replay, same_masks,
    switches_change_nothing,
};
use formwork_testkit::{Outcome, Rng, with_seed};
use formwork_vocab::{TokenId, Vocabulary};
use proptest::prelude::*;

/// `"[" (item (gap "," gap item)*)? "]"`, or with at least two items; perhaps in a list of such lists.
struct Lists {
    gap: bool,
    at_least_two: bool,
    nested: bool,
}

impl Lists {
    fn random(rng: &mut Rng) -> Self {
        Self { gap: rng.chance(1, 2), at_least_two: rng.chance(1, 3), nested: rng.chance(1, 4) }
    }

    fn body(&self, b: &mut GrammarBuilder, item: ExprId) -> ExprId {
        let [open, close, comma, blank] = ["[", "]", ",", " "].map(|text| b.literal(text));
        let gap = if self.gap { b.star(blank) } else { b.empty() };
        let more = b.seq([gap, comma, gap, item]);
        let rest = b.star(more);
        match self.at_least_two {
            true => b.seq([open, gap, item, more, rest, gap, close]),
            false => {
                let some = b.seq([item, rest, gap]);
                let some = b.optional(some);
                b.seq([open, gap, some, close])
            }
        }
    }

    fn build(&self, mut b: GrammarBuilder, list: ExprId) -> Grammar {
        let root = b.declare("root", Place::none());
        let body = match self.nested {
            true => {
                let (open, close) = (b.literal("["), b.literal("]"));
                let lists = b.plus(list);
                b.seq([open, lists, close])
            }
            false => list,
        };
        b.define(root, body);
        b.build(root).expect("lists")
    }

    /// Items that are strings of these texts, which differ.
    fn distinct(&self, texts: impl FnOnce(&mut GrammarBuilder) -> ExprId) -> Grammar {
        self.distinct_values(|b| {
            let texts = texts(b);
            string(b, texts)
        })
    }

    /// Items that are these values, which differ.
    fn distinct_values(&self, values: impl FnOnce(&mut GrammarBuilder) -> ExprId) -> Grammar {
        let mut b = GrammarBuilder::new();
        let item = b.declare("item", Place::none());
        b.set_distinct(item);
        let body = values(&mut b);
        b.define(item, body);
        let item = b.rule(item);
        let body = self.body(&mut b, item);
        let body = b.set_with(body, Conditions::distinct());
        let list = b.declare("list", Place::none());
        b.define(list, body);
        let list = b.rule(list);
        self.build(b, list)
    }

    /// The same as members of a set.
    fn members(&self, texts: &[String]) -> Grammar {
        let mut b = GrammarBuilder::new();
        let quote = b.literal("\"");
        let items: Vec<ExprId> = (0..)
            .zip(texts)
            .map(|(number, text)| {
                let text = b.literal(text.as_bytes());
                let (text, end) = (b.json_text(text), b.member(number, quote));
                b.seq([quote, text, end])
            })
            .collect();
        let item = b.alt(items);
        let body = self.body(&mut b, item);
        let list = b.set(body, []);
        self.build(b, list)
    }
}

const LETTERS: [char; 4] = ['a', 'b', '"', 'é'];

fn some_texts(rng: &mut Rng) -> Vec<String> {
    let mut texts: Vec<String> = (0..rng.between(1, 7))
        .map(|_| (0..rng.below(4)).filter_map(|_| rng.pick(&LETTERS)).collect())
        .collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// What tokens are made of: texts, and values of them.
const OF_TEXTS: &[u8] = b"aaabb\"\"\"\",,,[] \\u0061\xc3\xa9";
const OF_VALUES: &[u8] = b"aabb\"\"\"\"\"::,,,[]{}{}  012-\\u0061truefals";

fn case(rng: &mut Rng, grammar: Grammar, letters: &[u8]) -> EngineCase {
    let shape = VocabularyShape {
        max_long_tokens: 80,
        max_token_len: rng.between(2, 8),
        ..VocabularyShape::complete(letters.to_vec())
    };
    EngineCase::over(rng, grammar, &shape)
}

fn any_texts(rng: &mut Rng) -> Grammar {
    let lists = Lists::random(rng);
    let (kind, n) = (rng.below(5), rng.between(1, 4) as u32);
    lists.distinct(|b| {
        let letter = b.class(CharClass::from_ranges([('a', 'b'), ('"', '"'), ('é', 'é')]));
        let any = b.class(CharClass::any());
        match kind {
            0 => b.star(letter),
            1 => b.star(any),
            2 => b.plus(letter),
            // At the end of a chain of states nothing is left but the end.
            3 => {
                let wide = b.class(CharClass::range('a', 'z'));
                b.repeat(wide, 1, Some(n))
            }
            _ => {
                // Behind the second letter there is one way to end.
                let (some, x) = (b.star(any), b.literal("b"));
                b.seq([letter, some, x])
            }
        }
    })
}

fn string(b: &mut GrammarBuilder, texts: ExprId) -> ExprId {
    let (quote, texts) = (b.literal("\""), b.json_text(texts));
    b.seq([quote, texts, quote])
}

/// Whole numbers, some of few digits.
fn integer(b: &mut GrammarBuilder, rng: &mut Rng) -> ExprId {
    let (zero, minus) = (b.literal("0"), b.literal("-"));
    let [first, digit] = [('1', '2'), ('0', '1')].map(|(low, high)| b.class(CharClass::range(low, high)));
    let more = b.repeat(digit, 0, rng.chance(1, 2).then_some(1));
    let number = b.seq([first, more]);
    let number = b.alt([zero, number]);
    match rng.chance(1, 2) {
        true => {
            let minus = b.optional(minus);
            b.seq([minus, number])
        }
        false => number,
    }
}

/// Values without number or few: objects of one or two members in one order, arrays in them, numbers.
fn any_values(rng: &mut Rng) -> Grammar {
    let lists = Lists::random(rng);
    let (n, kind, is_optional) = (rng.between(1, 3) as u32, rng.below(5), rng.chance(1, 2));
    let [gap_in_list, is_long] = [rng.chance(1, 2), rng.chance(1, 2)];
    lists.distinct_values(|b| {
        let integer = integer(b, rng);
        let letter = b.class(CharClass::from_ranges([('a', 'b'), ('"', '"')]));
        let text = b.repeat(letter, 0, (!is_long).then_some(n));
        let text = string(b, text);
        let [open, close, comma, blank] = ["{", "}", ",", " "].map(|text| b.literal(text));
        let gap = if gap_in_list { b.star(blank) } else { b.empty() };
        let value = match kind {
            0 => return integer,
            1 => integer,
            2 => text,
            3 => {
                let [no, yes] = ["false", "true"].map(|word| b.literal(word));
                b.alt([no, yes])
            }
            _ => {
                let [open, close] = ["[", "]"].map(|text| b.literal(text));
                let more = b.seq([comma, gap, integer]);
                let more = b.repeat(more, 0, (!is_long).then_some(1));
                let some = b.seq([integer, more]);
                let some = b.optional(some);
                b.seq([open, gap, some, gap, close])
            }
        };
        // The name is spelled as JSON, too.
        let name = b.literal("a");
        let name = string(b, name);
        let colon = b.literal(":");
        let first = b.seq([name, gap, colon, gap, value, gap]);
        let last = b.literal("\"b\":");
        let last = b.seq([comma, gap, last, text]);
        let last = if is_optional { b.optional(last) } else { last };
        b.seq([open, gap, first, last, gap, close])
    })
}

fn check_values(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    let make = |rng: &mut Rng| {
        let grammar = any_values(rng);
        case(rng, grammar, OF_VALUES)
    };
    EngineCase::check(seed, make, oracle)
}

/// Whether each token is allowed exactly if it is accepted, at some steps.
fn masks_are_exact(case: &EngineCase, rng: &mut Rng) -> Outcome {
    let Some(compiled) = case.compile("distinct")? else { return Ok(()) };
    let mut matcher = Matcher::new(&compiled);
    while matcher.n_steps() < 12 && !matcher.is_finished() {
        let mut mask = vec![0; case.vocabulary.mask_words()];
        matcher.fill_mask(&mut mask).map_err(|error| case.fail("distinct", error))?;
        let mut allowed = Vec::new();
        for id in ids(&case.vocabulary) {
            let accepted = matcher.fork().accept_token(id).is_ok();
            if accepted != allows(&mask, id) {
                let text = case.vocabulary.text(id);
                return Err(case.fail("distinct", format_args!("{text:?}: {accepted} and a mask")));
            }
            allowed.extend(accepted.then_some(id));
        }
        let Some(&id) = rng.pick(&allowed) else { break };
        matcher.accept_token(id).map_err(|error| case.fail("distinct", error))?;
    }
    Ok(())
}

/// Whether what is accepted has no item twice, and whether an item that is refused where another one is accepted came.
fn items_differ(case: &EngineCase, rng: &mut Rng, pieces: &[&[u8]]) -> Outcome {
    let Some(compiled) = case.compile("distinct")? else { return Ok(()) };
    let mut n_read = 0;
    for _ in 0..60 {
        let mut matcher = Matcher::new(&compiled);
        let mut text = Vec::new();
        for _ in 0..rng.between(2, 30) {
            let Some(piece) = rng.pick(pieces) else { break };
            if matcher.accept_bytes(piece).is_ok() {
                text.extend_from_slice(piece);
                n_read += 1;
            }
        }
        if matcher.can_finish() && differ(&text) == Some(false) {
            return Err(case.fail("distinct", format_args!("accepted: {}", String::from_utf8_lossy(&text))));
        }
    }
    if n_read == 0 { Err(case.fail("distinct", "nothing was accepted")) } else { Ok(()) }
}

fn check(seed: u64, oracle: impl FnOnce(&EngineCase, &mut Rng) -> Outcome) -> Outcome {
    let make = |rng: &mut Rng| {
        let grammar = any_texts(rng);
        case(rng, grammar, OF_TEXTS)
    };
    EngineCase::check(seed, make, oracle)
}

/// Whether no list in a text of lists has an item twice; what is not JSON is not asked.
fn differ(text: &[u8]) -> Option<bool> {
    let lists = std::str::from_utf8(text).ok()?.replace("][", "],[");
    let value: serde_json::Value = serde_json::from_str(&lists).ok()?;
    let mut lists = vec![&value];
    while let Some(list) = lists.pop() {
        let items = list.as_array()?;
        for (i, item) in items.iter().enumerate() {
            if !item.is_array() && items[..i].contains(item) {
                return Some(false);
            }
        }
        lists.extend(items.iter().filter(|item| item.is_array()));
    }
    Some(true)
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn masks_of_few_texts_are_those_of_members(seed: u64) {
        with_seed(seed, |rng| {
            let lists = Lists { at_least_two: false, ..Lists::random(rng) };
            let texts = some_texts(rng);
            let distinct = lists.distinct(|b| {
                let texts: Vec<ExprId> = texts.iter().map(|text| b.literal(text.as_bytes())).collect();
                b.alt(texts)
            });
            let case = case(rng, distinct, OF_TEXTS);
            let members = EngineCase { grammar: lists.members(&texts), ..case.clone() };
            same_masks("distinct_vs_members", &case, &members, rng, 30)
        })?;
    }

    #[test]
    fn masks_are_what_is_accepted(seed: u64) {
        check(seed, masks_are_exact)?;
    }

    #[test]
    fn texts_are_accepted_if_they_differ(seed: u64) {
        let pieces: [&[u8]; 10] =
            [b"[", b"\"", b"a", b"b", b"\\u0061", b"\",\"", b"\"]", b"]", b"\\\"", b"\xc3\xa9"];
        check(seed, |case, rng| items_differ(case, rng, &pieces))?;
    }

    #[test]
    fn masks_of_values_are_what_is_accepted(seed: u64) {
        check_values(seed, masks_are_exact)?;
    }

    #[test]
    fn values_are_accepted_if_they_differ(seed: u64) {
        let pieces: [&[u8]; 22] = [
            b"[", b"]", b"{", b"}", b" ", b",", b"{\"a\":", b"{ \"\\u0061\":", b"true", b"false", b"0", b"1", b"-", b"-0", b"10",
            b"\"a", b"\"", b"\\u0061", b",\"b\":\"", b"\"},{\"a\":", b"\"}", b"[1,",
        ];
        check_values(seed, |case, rng| items_differ(case, rng, &pieces))?;
    }

    #[test]
    fn masks_have_no_dead_end_in_distinct_values(seed: u64) {
        check_values(seed, |case, rng| mask_has_no_dead_end(case, rng, 60))?;
    }

    #[test]
    fn values_are_rolled_back_as_they_are_replayed(seed: u64) {
        check_values(seed, |case, rng| rollback_replay(case, rng, 16))?;
    }

    #[test]
    fn switches_make_no_difference_to_values(seed: u64) {
        check_values(seed, |case, rng| switches_change_nothing(case, rng, 30))?;
    }

    #[test]
    fn masks_have_no_dead_end_in_distinct_texts(seed: u64) {
        check(seed, |case, rng| mask_has_no_dead_end(case, rng, 40))?;
    }

    #[test]
    fn rollback_is_replay(seed: u64) {
        check(seed, |case, rng| rollback_replay(case, rng, 16))?;
    }

    #[test]
    fn forks_are_independent(seed: u64) {
        check(seed, |case, rng| fork_independent(case, rng, 8))?;
    }

    #[test]
    fn switches_make_no_difference(seed: u64) {
        check(seed, |case, rng| switches_change_nothing(case, rng, 30))?;
    }
}

/// A token that ends a chain of states has one text left, which may have come.
#[test]
fn a_token_that_fills_a_text_is_not_allowed_where_the_text_came() {
    let lists = Lists { gap: false, at_least_two: false, nested: false };
    let grammar = lists.distinct(|b| {
        let letter = b.class(CharClass::range('a', 'z'));
        b.repeat(letter, 1, Some(3))
    });
    let longer = ["ab", "aba", "abb", "bab", "ab\""];
    let mut builder = Vocabulary::builder();
    for (id, byte) in (0..).zip(0..=0xFFu8) {
        builder.token(id, [byte]);
    }
    for (id, token) in (256..).zip(longer) {
        builder.token(id, token);
    }
    let vocabulary = builder.build().expect("a vocabulary");
    let compiled = Compiler::new(vocabulary.clone()).compile(&grammar).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(b"[\"aba\",\"ab\",\"").expect("read");
    let mut mask = vec![0; vocabulary.mask_words()];
    matcher.fill_mask(&mut mask).expect("within limits");
    let allowed = (256..).zip(longer).filter(|&(id, _)| allows(&mask, TokenId::new(id)));
    // `aba` came, and so did `ab`.
    assert_eq!(allowed.map(|(_, token)| token).collect::<Vec<_>>(), ["ab", "abb", "bab"]);
}

/// Where another reading is far from its bound but for the longest tokens, these are written apart from all others.
#[test]
fn a_text_that_came_is_refused_beside_a_text_that_is_counted() {
    let mut b = GrammarBuilder::new();
    let item = b.declare("item", Place::none());
    b.set_distinct(item);
    let letter = b.class(CharClass::range('a', 'z'));
    let two = b.repeat(letter, 2, Some(2));
    let body = string(&mut b, two);
    b.define(item, body);
    let item = b.rule(item);
    let lists = Lists { gap: false, at_least_two: false, nested: false };
    let list = lists.body(&mut b, item);
    let list = b.set_with(list, Conditions::distinct());
    let distinct = b.declare("distinct", Place::none());
    b.define(distinct, list);
    let distinct = b.rule(distinct);
    let (begin, end) = (b.literal("[\"ab\",\""), b.literal("\"]"));
    let other = b.class(CharClass::range('c', 'z'));
    let counted = b.repeat(other, 1, Some(80));
    let counted = b.seq([begin, counted, end]);
    let both = b.alt([distinct, counted]);
    let grammar = lists.build(b, both);
    let mut builder = Vocabulary::builder();
    for (id, byte) in (0..).zip(0..=0xFFu8) {
        builder.token(id, [byte]);
    }
    let longer = ["ab".to_owned(), "ac".to_owned(), "c".repeat(100), "c".repeat(40)];
    for (id, token) in (256..).zip(&longer) {
        builder.token(id, token);
    }
    let vocabulary = builder.build().expect("a vocabulary");
    let compiled = Compiler::new(vocabulary.clone()).compile(&grammar).expect("compiles");
    let mut matcher = Matcher::new(&compiled);
    matcher.accept_bytes(b"[\"ab\",\"").expect("read");
    let mut mask = vec![0; vocabulary.mask_words()];
    matcher.fill_mask(&mut mask).expect("within limits");
    for id in ids(&vocabulary) {
        let accepted = matcher.fork().accept_token(id).is_ok();
        assert_eq!(allows(&mask, id), accepted, "{:?}", vocabulary.text(id));
    }
    let allowed = (256..).map(|id| allows(&mask, TokenId::new(id))).take(longer.len());
    assert_eq!(allowed.collect::<Vec<_>>(), [false, true, false, true]);
}
