//! The strings of all documents, each once.

use crate::error::Error;
use formwork_grammar::Seeded;
use hashbrown::HashTable;
use std::cell::OnceCell;
use std::hash::BuildHasher;
use std::ops::Range;
use std::rc::Rc;

/// A string of a [`Forest`](super::Forest), key or value; equal strings have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StringId(u32);

impl StringId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// All strings, one after the other in one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    text: String,
    known: Vec<Known>,
    ids: HashTable<StringId>,
    hasher: Seeded,
}

#[derive(Clone, Debug)]
struct Known {
    at: Range<u32>,
    /// Made when it is first asked for: most strings are names of keywords and prose.
    shared: OnceCell<Rc<str>>,
}

impl Strings {
    /// Makes room for the strings of so many values in so much text.
    pub(super) fn reserve(&mut self, n_values: usize, n_bytes: usize) {
        self.text.reserve(n_bytes);
        self.known.reserve(n_values);
        let Self { text, known, ids, hasher } = self;
        ids.reserve(n_values, |id| hasher.hash_one(spelled(text, known, *id)));
    }

    pub(super) fn intern(&mut self, string: &str) -> Result<StringId, Error> {
        let Self { text, known, ids, hasher } = self;
        let hash = hasher.hash_one(string);
        let is_it = |id: &StringId| {
            let Range { start, end } = known[id.index()].at;
            &text.as_bytes()[start as usize..end as usize] == string.as_bytes()
        };
        if let Some(&id) = ids.find(hash, is_it) {
            return Ok(id);
        }
        let start = text.len();
        let (Ok(from), Ok(to), Ok(id)) =
            (u32::try_from(start), u32::try_from(start + string.len()), u32::try_from(known.len()))
        else {
            return Err(Error::limit("", "the schema has more than 4 GiB of strings"));
        };
        let id = StringId(id);
        text.push_str(string);
        known.push(Known { at: from..to, shared: OnceCell::new() });
        ids.insert_unique(hash, id, |id| hasher.hash_one(spelled(text, known, *id)));
        Ok(id)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn get(&self, id: StringId) -> &str {
        spelled(&self.text, &self.known, id)
    }

    pub(super) fn shared(&self, id: StringId) -> &Rc<str> {
        self.known[id.index()].shared.get_or_init(|| self.get(id).into())
    }
}

fn spelled<'t>(text: &'t str, known: &[Known], id: StringId) -> &'t str {
    let Range { start, end } = known[id.index()].at;
    &text[start as usize..end as usize]
}
