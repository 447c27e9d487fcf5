//! Grammars of documents and of their schemas, and the tags that texts are, kept from one document to the next.
//!
//! A server gets the same tools with every turn of a conversation, and sometimes one more. What a document or a schema
//! becomes depends on its text and on how it is read, so that is the key, compared in full. The same document again costs
//! the comparison; one that differs costs its own rules, and of tags and schemas those that were not seen yet. One that only
//! has a few tags more than another costs a copy of what that has become, and these tags ([`lowered`](crate::lowered)).
//!
//! Two generations bound each: what is used is in the young one, and what was not used since the last change of
//! generations is forgotten at the next.

use crate::begun::Begun;
use crate::format::{JsonSchema, Style, Tag};
use crate::lowered::Lowered;
use formwork_grammar::{Grammar, HashMap, Part, Seeded};
use formwork_json_schema::Library;
use hashbrown::Equivalent;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Grammars of documents and of their schemas, kept from one document to the next: give the same one to all
/// [`Options`](crate::Options). `Sync`, cheap to clone; what it holds depends on no vocabulary.
#[derive(Clone, Debug)]
pub struct Cache {
    schemas: Arc<Mutex<Generations<SchemaReading, Arc<Part>>>>,
    tags: Arc<Mutex<Generations<KeptTag, Tag>>>,
    documents: Arc<Mutex<Generations<Kept, Grammar>>>,
    /// The last document that has many tags.
    begun: Arc<Mutex<Option<Arc<Begun>>>>,
    /// The last long list of tags.
    list: Arc<Mutex<Option<Arc<Lowered>>>>,
    /// What schemas have in common, as the last document read them.
    common: Arc<Mutex<Option<Common>>>,
    max_bytes: usize,
}

/// What schemas that are read so have in common.
#[derive(Debug)]
struct Common {
    reading: Hashed,
    library: Option<Library>,
}

#[derive(Debug)]
struct Generations<K, V> {
    /// With the bytes that each takes.
    young: HashMap<K, (V, usize)>,
    old: HashMap<K, (V, usize)>,
    /// Of the young ones.
    n_bytes: usize,
}

impl Default for Cache {
    /// A cache of 16 MiB.
    fn default() -> Self {
        Self::new(16 << 20)
    }
}

impl Cache {
    /// A cache of about so many bytes, a third of which is for whole documents, a sixth for a long list of tags.
    pub fn new(max_bytes: usize) -> Self {
        let (schemas, tags, documents) = Default::default();
        let (begun, list, common) = Default::default();
        Self { schemas, tags, documents, begun, list, common, max_bytes }
    }

    /// How many schemas it holds.
    pub fn len(&self) -> usize {
        let schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.young.len() + schemas.old.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What schemas have in common that are read so; made if it is not there.
    pub(crate) fn library(
        &self,
        reading: &Hashed,
        make: impl FnOnce() -> Option<Library>,
    ) -> Option<Library> {
        let mut kept = self.common.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(common) if common.reading == *reading => common.library.clone(),
            _ => {
                let library = make();
                *kept = Some(Common { reading: reading.clone(), library: library.clone() });
                library
            }
        }
    }

    /// What a schema has become.
    pub(crate) fn schema(&self, key: &SchemaReading) -> Option<Arc<Part>> {
        get(&self.schemas, key, self.max_bytes)
    }

    pub(crate) fn keep_schema(&self, key: SchemaReading, part: Arc<Part>) {
        let n_bytes = size(&key.schema.text.text, part.size());
        insert(&self.schemas, key, part, n_bytes, self.max_bytes);
    }

    /// The tag that a text is, inside so many formats.
    pub(crate) fn tag(&self, depth: usize, text: &str) -> Option<Tag> {
        get(&self.tags, &TagText { depth, text }, self.max_bytes)
    }

    pub(crate) fn keep_tag(&self, depth: usize, text: &str, tag: &Tag) {
        // What it says it holds once more.
        let n_bytes = 2 * text.len() + size_of::<(KeptTag, Tag)>();
        let kept = KeptTag { depth, text: text.into() };
        insert(&self.tags, kept, tag.clone(), n_bytes, self.max_bytes);
    }

    /// What a document has become.
    pub(crate) fn document(&self, document: &Document<'_>) -> Option<Grammar> {
        get(&self.documents, document, self.max_bytes)
    }

    /// Keeps it, and where the tags of its longest list stand in its text.
    pub(crate) fn keep_document(&self, document: &Document<'_>, grammar: Grammar, tags: Vec<Range<usize>>) {
        let n_bytes = size(document.text, (grammar.rules().len(), grammar.n_exprs()));
        let text: Arc<str> = document.text.into();
        // One with few tags does not take the place of one with many.
        if let Some(begun) = Begun::new(Arc::clone(&text), tags).filter(|_| text.len() <= self.max_bytes / 6)
        {
            *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(begun));
        }
        let kept = Kept { reading: document.reading.clone(), text };
        insert(&self.documents, kept, grammar, n_bytes, self.max_bytes);
    }

    /// The list of tags that the next document's may begin with.
    pub(crate) fn list(&self) -> Option<Arc<Lowered>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a list of tags may take so many bytes.
    pub(crate) fn has_room_for_list(&self, n_bytes: usize) -> bool {
        n_bytes <= self.max_bytes / 6
    }

    pub(crate) fn keep_list(&self, list: Lowered) {
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(list));
    }

    /// What the next document may begin with.
    pub(crate) fn begun(&self) -> Option<Arc<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// About: an expression with its operands, a rule with its name and place.
fn size(text: &str, (n_rules, n_exprs): (usize, usize)) -> usize {
    text.len() + 96 * n_exprs + 256 * n_rules
}

fn get<K: Hash + Eq, V: Clone>(
    generations: &Mutex<Generations<K, V>>,
    key: &(impl Hash + Equivalent<K>),
    max_bytes: usize,
) -> Option<V> {
    let mut generations = generations.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((found, _)) = generations.young.get(key) {
        return Some(found.clone());
    }
    let (key, (found, n_bytes)) = generations.old.remove_entry(key)?;
    generations.insert(key, found.clone(), n_bytes, max_bytes);
    Some(found)
}

fn insert<K: Hash + Eq, V>(
    generations: &Mutex<Generations<K, V>>,
    key: K,
    value: V,
    n_bytes: usize,
    max_bytes: usize,
) {
    generations.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value, n_bytes, max_bytes);
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        Self { young: HashMap::default(), old: HashMap::default(), n_bytes: 0 }
    }
}

impl<K: Hash + Eq, V> Generations<K, V> {
    fn insert(&mut self, key: K, value: V, n_bytes: usize, max_bytes: usize) {
        // Two generations of three kinds.
        if self.n_bytes + n_bytes > max_bytes / 6 {
            self.old = std::mem::take(&mut self.young);
            self.n_bytes = 0;
        }
        self.n_bytes += n_bytes;
        self.young.insert(key, (value, n_bytes));
    }
}

/// A document, and how it is read.
///
/// Of a long text the hash takes the length and the ends: reading all of it would cost what copying it does, and documents
/// of a conversation that are not the same differ in length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'a> {
    pub(crate) reading: &'a Hashed,
    pub(crate) text: &'a str,
}

/// A document that is kept.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    reading: Hashed,
    text: Arc<str>,
}

/// Bytes at each end of a document that its hash takes.
const HASHED: usize = 512;

impl Hash for Document<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let bytes = self.text.as_bytes();
        let n = bytes.len().min(HASHED);
        self.reading.hash(state);
        bytes.len().hash(state);
        bytes[..n].hash(state);
        bytes[bytes.len() - n..].hash(state);
    }
}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Document { reading: &self.reading, text: &self.text }.hash(state);
    }
}

impl Equivalent<Kept> for Document<'_> {
    fn equivalent(&self, kept: &Kept) -> bool {
        *self.reading == kept.reading && *self.text == *kept.text
    }
}

/// The text of a tag. How deep it stands tells how deep it may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TagText<'a> {
    depth: usize,
    text: &'a str,
}

/// One that is kept.
#[derive(Debug, PartialEq, Eq)]
struct KeptTag {
    depth: usize,
    text: Box<str>,
}

impl KeptTag {
    fn text(&self) -> TagText<'_> {
        TagText { depth: self.depth, text: &self.text }
    }
}

impl Hash for KeptTag {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl Equivalent<KeptTag> for TagText<'_> {
    fn equivalent(&self, kept: &KeptTag) -> bool {
        *self == kept.text()
    }
}

/// What tells apart what schemas become in all documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaReading {
    pub(crate) reading: Hashed,
    pub(crate) schema: SchemaKey,
}

/// What tells apart what schemas become in one document. Property order means something, so it is the text, not the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaKey {
    style: Style,
    any_order: bool,
    max_whitespace: Option<u32>,
    text: Hashed,
}

impl SchemaKey {
    pub(crate) fn of(schema: &JsonSchema) -> Self {
        let JsonSchema { style, any_order, max_whitespace, .. } = *schema;
        Self { style, any_order, max_whitespace, text: Hashed::new(Arc::clone(schema.schema.shared_text())) }
    }
}

/// A text that is hashed once, however often it is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Hashed {
    text: Arc<str>,
    hash: u64,
}

impl Hashed {
    pub(crate) fn new(text: Arc<str>) -> Self {
        let hash = Seeded::default().hash_one(&*text);
        Self { text, hash }
    }
}

impl PartialEq for Hashed {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for Hashed {}

impl Hash for Hashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use formwork_grammar::{GrammarBuilder, Place};

    fn key(text: &str) -> SchemaReading {
        let (style, any_order, max_whitespace) = (Style::Json, false, None);
        let schema = JsonSchema { schema: Schema::unread(text), style, any_order, max_whitespace };
        SchemaReading { reading: Hashed::new("".into()), schema: SchemaKey::of(&schema) }
    }

    fn grammar() -> Grammar {
        let mut b = GrammarBuilder::new();
        let root = b.declare("root", Place::none());
        let body = b.literal("a");
        b.define(root, body);
        b.build(root).expect("a grammar")
    }

    fn part() -> Arc<Part> {
        Arc::new(Part::new(grammar()))
    }

    #[test]
    fn documents_that_differ_in_the_middle_are_told_apart() {
        let cache = Cache::default();
        let text = |middle: char| format!("{}{middle}{}", "a".repeat(1_000), "b".repeat(1_000));
        let (reading, other) = (Hashed::new("".into()), Hashed::new("other".into()));
        let (one, two) = (text('1'), text('2'));
        cache.keep_document(&Document { reading: &reading, text: &one }, grammar(), Vec::new());
        let is_kept = |reading: &Hashed, text: &str| cache.document(&Document { reading, text }).is_some();
        assert_eq!(
            [is_kept(&reading, &one), is_kept(&reading, &two), is_kept(&other, &one)],
            [true, false, false]
        );
    }

    #[test]
    fn what_is_used_stays_and_the_rest_is_forgotten() {
        let cache = Cache::new(20_000);
        cache.keep_schema(key("used"), part());
        for i in 0..1_000 {
            cache.keep_schema(key(&format!("{i}")), part());
            assert!(cache.schema(&key("used")).is_some(), "{i}");
        }
        assert!(cache.schema(&key("0")).is_none());
        assert!(cache.len() < 60, "{}", cache.len());
    }
}
