//! The flat, ordered model of JSON documents that schemas are read into.
//!
//! All values of all documents lie in one arena, *children before their parents*, and a subtree is a contiguous run
//! that ends with its root. Passes bottom-up and top-down are therefore plain loops over ids, ascending and
//! descending: nothing recurses on the shape of a document, and dropping one is dropping a vector.

mod read;

use crate::decimal::Decimal;
use crate::error::Error;
use smallvec::SmallVec;
use std::sync::Arc;

/// A value in a [`Forest`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ValueId(u32);

impl ValueId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A JSON value; parts are ids into the same forest.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(Arc<str>),
    Array(Box<[ValueId]>),
    /// In the order written; no key twice.
    Object(Box<[(Arc<str>, ValueId)]>),
}

/// A number with the one thing of its spelling that matters to us.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    pub(crate) value: Decimal,
    /// Whether it was written without fraction and exponent.
    pub(crate) written_plain: bool,
}

/// Several JSON documents in one arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    values: Vec<Value>,
    /// The parent of each value and its position among the parent's parts; `None` for a document's root.
    parents: Vec<Option<(ValueId, u32)>>,
    /// The first value of the subtree of each value.
    starts: Vec<u32>,
    /// Roots with the name that pointers into their documents begin with (empty for the main one).
    roots: Vec<(ValueId, Arc<str>)>,
}

impl Forest {
    /// Reads one more document.
    pub(crate) fn read(&mut self, name: &str, text: &str) -> Result<ValueId, Error> {
        let root = read::read(self, text)?;
        self.roots.push((root, name.into()));
        Ok(root)
    }

    /// Converts one more document, with an explicit stack.
    pub(crate) fn convert(&mut self, name: &str, value: &serde_json::Value) -> Result<ValueId, Error> {
        let root = read::convert(self, value)?;
        self.roots.push((root, name.into()));
        Ok(root)
    }

    fn reserve(&mut self, n: usize) {
        self.values.reserve(n);
        self.parents.reserve(n);
        self.starts.reserve(n);
    }

    fn push(&mut self, value: Value, start: usize) -> ValueId {
        let id = ValueId::from_index(self.values.len());
        match &value {
            Value::Array(items) => {
                for (i, &item) in (0..).zip(items) {
                    self.parents[item.index()] = Some((id, i));
                }
            }
            Value::Object(members) => {
                for (i, &(_, member)) in (0..).zip(members) {
                    self.parents[member.index()] = Some((id, i));
                }
            }
            _ => {}
        }
        self.values.push(value);
        self.parents.push(None);
        self.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The most levels that a document has.
    pub(crate) fn depth(&self) -> usize {
        let mut depths = vec![1usize; self.values.len()];
        for index in (0..self.values.len()).rev() {
            if let Some((parent, _)) = &self.parents[index] {
                depths[index] = depths[parent.index()] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    pub(crate) fn get(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// The ids of a value and all below it, the value itself last.
    pub(crate) fn subtree(&self, id: ValueId) -> std::ops::Range<usize> {
        self.starts[id.index()] as usize..id.index() + 1
    }

    pub(crate) fn parent(&self, id: ValueId) -> Option<ValueId> {
        self.parents[id.index()].as_ref().map(|(parent, _)| *parent)
    }

    /// The member of an object.
    pub(crate) fn member(&self, id: ValueId, key: &str) -> Option<ValueId> {
        match self.get(id) {
            Value::Object(members) => {
                members.iter().find(|(name, _)| &**name == key).map(|&(_, value)| value)
            }
            _ => None,
        }
    }

    pub(crate) fn as_str(&self, id: ValueId) -> Option<&Arc<str>> {
        match self.get(id) {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value that a JSON pointer (already percent-decoded) leads to.
    pub(crate) fn follow(&self, root: ValueId, pointer: &str) -> Option<ValueId> {
        let mut at = root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = match self.get(at) {
                Value::Array(items) => *items.get(step.parse::<usize>().ok()?)?,
                Value::Object(_) => self.member(at, &step)?,
                _ => return None,
            };
        }
        Some(at)
    }

    /// The JSON pointer of a value, after the name of its document and `#` unless it is in the main one.
    pub(crate) fn pointer(&self, id: ValueId) -> String {
        let mut steps = SmallVec::<[(ValueId, u32); 16]>::new();
        let mut at = id;
        while let Some((parent, position)) = self.parents[at.index()] {
            steps.push((parent, position));
            at = parent;
        }
        let name = self.roots.iter().find(|(root, _)| *root == at).map_or("", |(_, name)| name);
        let mut pointer = if name.is_empty() { String::new() } else { format!("{name}#") };
        for &(parent, position) in steps.iter().rev() {
            match self.get(parent) {
                Value::Object(members) => push_step(&mut pointer, &members[position as usize].0),
                _ => push_step(&mut pointer, &position.to_string()),
            }
        }
        pointer
    }

    /// The pointer of a keyword of a schema.
    pub(crate) fn pointer_to(&self, id: ValueId, keyword: &str) -> String {
        let mut pointer = self.pointer(id);
        push_step(&mut pointer, keyword);
        pointer
    }
}

fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    if step.contains(['~', '/']) {
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn pointers_lead_back() {
        let mut forest = Forest::default();
        let root = forest.read("", r#"{"a/b": [1, {"~": "\u0041\ud83d\ude00"}], "c": null}"#).expect("JSON");
        for id in forest.subtree(root).map(ValueId::from_index) {
            assert_eq!(forest.follow(root, &forest.pointer(id)), Some(id));
        }
        let leaf = forest.follow(root, "/a~1b/1/~0").expect("there");
        assert_eq!(forest.as_str(leaf).map(|s| &**s), Some("A😀"));
    }

    #[test]
    fn text_and_value_read_alike() {
        let text = r#"{"z":[1,-2.50,1e3,true,false,null,"x"],"a":{"b":{},"c":[]}}"#;
        let mut forest = Forest::default();
        let read = forest.read("", text).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let converted = forest.convert("", &value).expect("a value");
        let offset = converted.index() - read.index();
        assert_eq!(forest.subtree(converted).len(), forest.subtree(read).len());
        for id in forest.subtree(read) {
            let twin = ValueId::from_index(id + offset);
            assert_eq!(forest.pointer(ValueId::from_index(id)), forest.pointer(twin));
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Forest::default().read("", &text).expect("JSON").index(), 99_999);
    }

    #[test]
    fn errors_say_where() {
        let errors = [
            "",
            "{",
            "[1,]",
            "{\"a\":1,\"a\":2}",
            "01",
            "\"\\ud800\"",
            "nul",
            "1 2",
            "\"\t\"",
            "{1:2}",
            "1e",
        ]
        .map(|text| Forest::default().read("", text).expect_err("no JSON").to_string())
        .join("\n");
        expect![[r#"
            invalid: not JSON: a value is missing at line 1, column 1
            invalid: not JSON: a key or `}` is missing at line 1, column 2
            invalid: not JSON: a value is missing at line 1, column 4
            invalid: not JSON: the key "a" comes twice at line 1, column 11
            invalid: not JSON: something follows the value at line 1, column 2
            invalid: not JSON: half of a surrogate pair at line 1, column 8
            invalid: not JSON: a value is missing at line 1, column 1
            invalid: not JSON: something follows the value at line 1, column 3
            invalid: not JSON: a control character in a string at line 1, column 2
            invalid: not JSON: a key or `}` is missing at line 1, column 2
            invalid: not JSON: a digit is missing at line 1, column 3"#]]
        .assert_eq(&errors);
    }
}
