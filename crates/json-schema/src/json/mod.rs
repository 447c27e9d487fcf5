//! The flat, ordered model of JSON documents that schemas are read into.
//!
//! All values of all documents lie in one arena, *children before their parents*, and a subtree is a contiguous run
//! that ends with its root. Passes bottom-up and top-down are therefore plain loops over ids, ascending and
//! descending: nothing recurses on the shape of a document, and dropping one is dropping a few vectors. The parts of
//! arrays and objects lie in vectors of their own, and each string is there once.

mod read;
mod strings;

pub(crate) use strings::StringId;

use crate::decimal::Decimal;
use crate::error::Error;
use formwork_grammar::Seeded;
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::rc::Rc;
use strings::Strings;

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

/// A number of a [`Forest`]; equal numbers, written equally, have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NumberId(u32);

/// A member of an object: its key and its value.
pub(crate) type Member = (StringId, ValueId);

/// A JSON value; parts are ids into the same forest.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'f> {
    Null,
    Bool(bool),
    Number(NumberId),
    String(StringId),
    Array(&'f [ValueId]),
    /// In the order written; no key twice.
    Object(&'f [Member]),
}

/// A number with the one thing of its spelling that matters to us.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    pub(crate) value: Decimal,
    /// Whether it was written without fraction and exponent.
    pub(crate) written_plain: bool,
}

/// A value as it lies in the arena: parts by their positions.
#[derive(Clone, Debug)]
enum Content {
    Null,
    Bool(bool),
    Number(NumberId),
    String(StringId),
    Array(Range<u32>),
    Object(Range<u32>),
}

#[derive(Clone, Debug)]
struct Entry {
    content: Content,
    /// The parent and the position among the parent's parts; `None` for a document's root.
    parent: Option<(ValueId, u32)>,
    /// The first value of the subtree.
    start: ValueId,
}

/// Several JSON documents in one arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    values: Vec<Entry>,
    items: Vec<ValueId>,
    members: Vec<Member>,
    numbers: Vec<Number>,
    number_ids: HashTable<NumberId>,
    strings: Strings,
    /// Roots with the name that pointers into their documents begin with (empty for the main one).
    roots: Vec<(ValueId, Box<str>)>,
}

/// A position in one of the forest's vectors; there are [few enough](read) values.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
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

    /// Adds a value whose subtree begins with the value `start`.
    fn push(&mut self, content: Content, start: usize) -> ValueId {
        let id = ValueId::from_index(self.values.len());
        match content {
            Content::Array(Range { start, end }) => {
                for (i, &item) in (0..).zip(&self.items[start as usize..end as usize]) {
                    self.values[item.index()].parent = Some((id, i));
                }
            }
            Content::Object(Range { start, end }) => {
                for (i, &(_, member)) in (0..).zip(&self.members[start as usize..end as usize]) {
                    self.values[member.index()].parent = Some((id, i));
                }
            }
            _ => {}
        }
        self.values.push(Entry { content, parent: None, start: ValueId::from_index(start) });
        id
    }

    /// Adds an array of these items.
    fn push_array(&mut self, items: impl Iterator<Item = ValueId>, start: usize) -> ValueId {
        let from = position(self.items.len());
        self.items.extend(items);
        let to = position(self.items.len());
        self.push(Content::Array(from..to), start)
    }

    /// Adds an object of these members.
    fn push_object(&mut self, members: impl Iterator<Item = Member>, start: usize) -> ValueId {
        let from = position(self.members.len());
        self.members.extend(members);
        let to = position(self.members.len());
        self.push(Content::Object(from..to), start)
    }

    fn push_number(&mut self, number: Number, start: usize) -> ValueId {
        let Self { numbers, number_ids, .. } = self;
        let hasher = Seeded::default();
        let hash = hasher.hash_one(&number);
        let known = number_ids.find(hash, |id| numbers[id.0 as usize] == number).copied();
        let id = known.unwrap_or_else(|| {
            let id = NumberId(position(numbers.len()));
            numbers.push(number);
            number_ids.insert_unique(hash, id, |id| hasher.hash_one(&numbers[id.0 as usize]));
            id
        });
        self.push(Content::Number(id), start)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The most levels that a document has.
    pub(crate) fn depth(&self) -> usize {
        let mut depths = vec![1usize; self.values.len()];
        for (index, entry) in self.values.iter().enumerate().rev() {
            if let Some((parent, _)) = entry.parent {
                depths[index] = depths[parent.index()] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn get(&self, id: ValueId) -> Value<'_> {
        match &self.values[id.index()].content {
            Content::Null => Value::Null,
            Content::Bool(b) => Value::Bool(*b),
            Content::Number(number) => Value::Number(*number),
            Content::String(string) => Value::String(*string),
            Content::Array(at) => Value::Array(&self.items[at.start as usize..at.end as usize]),
            Content::Object(at) => Value::Object(&self.members[at.start as usize..at.end as usize]),
        }
    }

    /// A number.
    pub(crate) fn number(&self, id: NumberId) -> &Number {
        &self.numbers[id.0 as usize]
    }

    /// A string.
    pub(crate) fn string(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// The same, to be kept.
    pub(crate) fn shared(&self, id: StringId) -> &Rc<str> {
        self.strings.shared(id)
    }

    /// Members with their keys, to be kept.
    pub(crate) fn named(&self, members: &[Member]) -> Vec<(Rc<str>, ValueId)> {
        members.iter().map(|&(key, value)| (self.shared(key).clone(), value)).collect()
    }

    /// The number of distinct strings.
    pub(crate) fn n_strings(&self) -> usize {
        self.strings.len()
    }

    /// The ids of a value and all below it, the value itself last.
    pub(crate) fn subtree(&self, id: ValueId) -> Range<usize> {
        self.values[id.index()].start.index()..id.index() + 1
    }

    pub(crate) fn parent(&self, id: ValueId) -> Option<ValueId> {
        self.values[id.index()].parent.map(|(parent, _)| parent)
    }

    /// The member of an object.
    pub(crate) fn member(&self, id: ValueId, key: &str) -> Option<ValueId> {
        match self.get(id) {
            Value::Object(members) => {
                members.iter().find(|(name, _)| self.string(*name) == key).map(|&(_, value)| value)
            }
            _ => None,
        }
    }

    pub(crate) fn as_str(&self, id: ValueId) -> Option<&str> {
        match self.get(id) {
            Value::String(string) => Some(self.string(string)),
            _ => None,
        }
    }

    /// The same, to be kept.
    pub(crate) fn as_shared(&self, id: ValueId) -> Option<&Rc<str>> {
        match self.get(id) {
            Value::String(string) => Some(self.shared(string)),
            _ => None,
        }
    }

    /// The value that a JSON pointer (already percent-decoded) leads to.
    pub(crate) fn follow(&self, root: ValueId, pointer: &str) -> Option<ValueId> {
        let mut at = root;
        for step in pointer.split('/').skip(1) {
            let step = match step.contains('~') {
                true => Cow::Owned(step.replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(step),
            };
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
        while let Some((parent, position)) = self.values[at.index()].parent {
            steps.push((parent, position));
            at = parent;
        }
        let name = self.roots.iter().find(|(root, _)| *root == at).map_or("", |(_, name)| name);
        let mut pointer = String::with_capacity(name.len() + BYTES_PER_STEP * (steps.len() + 1));
        if !name.is_empty() {
            pointer.push_str(name);
            pointer.push('#');
        }
        for &(parent, position) in steps.iter().rev() {
            match self.get(parent) {
                Value::Object(members) => {
                    push_step(&mut pointer, self.string(members[position as usize].0));
                }
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

/// What a step of an ordinary pointer takes.
const BYTES_PER_STEP: usize = 12;

fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    if step.bytes().any(|b| matches!(b, b'~' | b'/')) {
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
        assert_eq!(forest.as_str(leaf), Some("A😀"));
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
