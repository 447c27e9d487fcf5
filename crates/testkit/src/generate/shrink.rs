//! JSON values that proptest shrinks: what fails gets smaller by single steps as long as it fails.
//!
//! A step leaves out a member or an item, puts a value in the place of what it stands in, or makes a scalar simpler. So a
//! failing schema ends as the few keywords that matter.

use crate::Rng;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value};
use std::fmt;

/// A JSON value that prints as its text.
#[derive(Clone, PartialEq)]
pub struct Json(pub Value);

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What `generate` makes of a random seed, and everything smaller.
pub fn shrinking<F: Fn(&mut Rng) -> Value>(generate: F) -> impl Strategy<Value = Json> {
    Shrinking { generate }
}

struct Shrinking<F> {
    generate: F,
}

impl<F> fmt::Debug for Shrinking<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shrinking").finish_non_exhaustive()
    }
}

impl<F: Fn(&mut Rng) -> Value> Strategy for Shrinking<F> {
    type Tree = JsonTree;
    type Value = Json;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = proptest::num::u64::ANY.new_tree(runner)?.current();
        let value = (self.generate)(&mut Rng::seeded(seed));
        Ok(JsonTree { smaller: smaller(&value), next: 0, before: None, value })
    }
}

/// A value on its way down.
#[derive(Debug)]
struct JsonTree {
    value: Value,
    /// One step from the last value that failed; those before `next` were tried.
    smaller: Vec<Value>,
    next: usize,
    /// The last value that failed, while a smaller one is tried.
    before: Option<Value>,
}

impl ValueTree for JsonTree {
    type Value = Json;

    fn current(&self) -> Json {
        Json(self.value.clone())
    }

    fn simplify(&mut self) -> bool {
        if self.before.is_some() {
            // What was tried fails too.
            (self.smaller, self.next) = (smaller(&self.value), 0);
        }
        self.try_next()
    }

    fn complicate(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.value = before;
        self.try_next()
    }
}

impl JsonTree {
    fn try_next(&mut self) -> bool {
        let Some(next) = self.smaller.get(self.next).cloned() else {
            self.before = None;
            return false;
        };
        self.next += 1;
        self.before = Some(std::mem::replace(&mut self.value, next));
        true
    }
}

/// All values one step smaller, those that lose most first.
fn smaller(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Array(items) => {
            for i in 0..items.len() {
                let mut rest = items.clone();
                rest.remove(i);
                all.push(Value::Array(rest));
            }
            for (i, item) in items.iter().enumerate() {
                all.extend(smaller(item).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[i] = item;
                    Value::Array(items)
                }));
            }
        }
        Value::Object(members) => {
            for key in members.keys() {
                let rest: Map<String, Value> = members
                    .iter()
                    .filter(|(other, _)| *other != key)
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
                all.push(Value::Object(rest));
            }
            for (key, member) in members {
                let inside = match member {
                    // A schema in the place of one that it stands in.
                    Value::Object(_) => Some(member.clone()),
                    Value::Array(items) => items.iter().find(|item| item.is_object()).cloned(),
                    _ => None,
                };
                all.extend(inside);
                all.extend(smaller(member).into_iter().map(|member| {
                    let mut members = members.clone();
                    members.insert(key.clone(), member);
                    Value::Object(members)
                }));
            }
            if !members.is_empty() {
                all.push(Value::Bool(true));
            }
        }
        Value::String(text) if text.chars().count() > 1 => {
            all.push(Value::String(text.chars().take(1).collect()));
        }
        Value::Number(number) if number.as_f64().is_some_and(|n| n != 0.0 && n != 1.0) => {
            all.extend([Value::from(0), Value::from(1)]);
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::test_runner::{Config, TestError};
    use serde_json::json;

    #[test]
    fn what_fails_is_shrunk_to_what_matters() {
        let strategy = shrinking(
            |rng| json!({"properties": {"a": {"minimum": rng.below(9)}, "b": {"maximum": 5}}, "required": ["a", "b"], "title": "t"}),
        );
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        let result = runner.run(&strategy, |json| match json.0.to_string().contains("maximum") {
            true => Err(proptest::test_runner::TestCaseError::fail("found")),
            false => Ok(()),
        });
        let Err(TestError::Fail(_, smallest)) = result else { panic!("{result:?}") };
        assert_eq!(smallest.0, json!({"maximum": 0}));
    }
}
