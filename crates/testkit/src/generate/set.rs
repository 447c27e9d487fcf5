//! Random sets: objects in miniature, whose members come in any order.

use super::VocabularyShape;
use crate::Rng;
use formwork_grammar::{CharClass, Clause, Conditions, ExprId, Grammar, GrammarBuilder, Place};

/// A grammar with a set of up to four members, over the bytes of `{ab:,01}`, and the vocabulary that spells it.
///
/// Drawn at random: keys that are parts of each other; members that are whole or begin behind their key; which are required;
/// other keys, which may be the same; one that must come and is no member; values that are the set again; brackets or none.
/// In every other grammar: values that make a key one of two members, members that may come again, and a condition on all.
pub fn random_set(rng: &mut Rng) -> (Grammar, VocabularyShape) {
    let mut b = GrammarBuilder::new();
    let root = b.declare("root", Place::none());
    let object = b.declare("object", Place::none());
    let values = values(&mut b, object, rng);
    let mut keys = ["a", "b", "ab", "aa", "ba", "abb"].map(str::to_owned).to_vec();
    let conditional = rng.chance(1, 2);
    let n_keys = rng.between(1, if conditional { 3 } else { 4 });
    let mut items = Vec::new();
    let (mut required, mut groups, mut repeatable) = (Vec::new(), Vec::new(), Vec::new());
    let whole = rng.chance(1, 4);
    let colon = b.literal(if rng.chance(1, 4) { "" } else { ":" });
    let mut n_members = 0;
    for _ in 0..n_keys {
        let key = keys.swap_remove(rng.below(keys.len()));
        let key = b.literal(&key);
        let first = n_members;
        n_members += if conditional && rng.chance(1, 2) { 2 } else { 1 };
        for number in first..n_members {
            for _ in 0..rng.between(1, 2) {
                let value = values[rng.below(values.len())];
                items.push(if whole {
                    let text = b.seq([key, colon, value]);
                    b.member(number, text)
                } else {
                    let value = b.member(number, value);
                    b.seq([key, colon, value])
                });
            }
        }
        if conditional && rng.chance(1, 4) {
            repeatable.extend(first..n_members);
        } else {
            groups.push((first..n_members).collect::<Vec<u32>>());
        }
        if rng.chance(1, if conditional { 6 } else { 3 }) {
            required.push(first);
        }
    }
    if rng.chance(1, 2) {
        let letter = b.class(CharClass::range('a', 'b'));
        let other = b.repeat(letter, 1, Some(3));
        let mut value = values[rng.below(values.len())];
        if conditional && rng.chance(1, 2) {
            value = b.member(n_members, value);
            repeatable.push(n_members);
            n_members += 1;
        }
        items.push(b.seq([other, colon, value]));
    }
    let mut conditions = Conditions::requires(required);
    if conditional {
        conditions = conditions.excludes(groups).repeats(repeatable).asks(clauses(n_members, rng));
    }
    let item = b.alt(items);
    let comma = b.literal(",");
    let more = b.seq([comma, item]);
    let more = b.star(more);
    let body = match rng.below(4) {
        0 => {
            let value = values[0];
            let key = b.literal("b:");
            let before = b.seq([item, comma]);
            let before = b.star(before);
            b.seq([before, key, value, more])
        }
        1 => b.star(item),
        _ => {
            let items = b.seq([item, more]);
            b.optional(items)
        }
    };
    let (open, close) = (b.literal("{"), b.literal("}"));
    let inside = b.seq([open, body, close]);
    let body = if rng.chance(3, 4) { inside } else { body };
    let set = b.set_with(body, conditions);
    // Recursive values stand between brackets, or they would be left-recursive without end.
    let bracketed = if body == inside { set } else { b.seq([open, set, close]) };
    b.define(object, bracketed);
    let behind = b.literal(["", "a", ",b"][rng.below(3)]);
    let whole = b.seq([set, behind]);
    let none = b.literal("1");
    let whole = b.alt([whole, none]);
    b.define(root, whole);
    let grammar = b.build(root).expect("sets with members that are not empty");
    (grammar, VocabularyShape::small(b"{ab:,01}".to_vec()))
}

/// A condition on members with numbers below `n_members`.
fn clauses(n_members: u32, rng: &mut Rng) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for _ in 0..rng.between(2, 5) {
        let members: Box<[u32]> = (0..n_members).filter(|_| rng.chance(1, 2)).collect();
        clauses.push(match rng.below(8) {
            0 => Clause::AtLeast(rng.below(3) as u32),
            1 => Clause::AtMost(rng.between(1, 3) as u32),
            2..=4 => Clause::Some(members),
            _ => Clause::None(members),
        });
    }
    for _ in 0..rng.between(1, 3) {
        let operands: Box<[u32]> = (0..clauses.len() as u32).filter(|_| rng.chance(1, 2)).collect();
        clauses.push(if rng.chance(1, 3) { Clause::All(operands) } else { Clause::Any(operands) });
    }
    clauses
}

fn values(b: &mut GrammarBuilder, object: formwork_grammar::RuleId, rng: &mut Rng) -> Vec<ExprId> {
    let zero = b.literal("0");
    let digit = b.class(CharClass::range('0', '1'));
    let digits = b.plus(digit);
    let nested = b.rule(object);
    let either = b.alt([zero, nested]);
    let mut values = vec![zero, digits];
    if rng.chance(1, 2) {
        values.push(either);
    }
    values
}
