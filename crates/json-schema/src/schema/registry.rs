//! Where schemas lie, what identifies them, and what references lead to.
//!
//! Three passes over the flat forest, each a loop: top-down, which values are schemas (an `$id` inside an `enum` is
//! none), with their base URI and dialect; then identifiers and anchors; bottom-up, the *canonical content* of every
//! value, in which annotations and definitions of schemas do not count.
//! Two schemas with equal content are one node of the normal form. Without this, five copies of one sub-schema would
//! be five unrelated demands, and the choices between them would multiply.

use crate::draft::{self, Draft, Holds, Keyword, Role};
use crate::error::Error;
use crate::json::{Forest, Member, NumberId, StringId, Value, ValueId};
use crate::options::Options;
use crate::uri;
use formwork_grammar::{HashMap, HashSet, Seeded};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

/// How the keywords of a schema are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    /// Whether the schema (or the options) named the draft. If not, newest and older keywords are all in force.
    pub(crate) stated: bool,
    /// Whether the meta-schema has the vocabulary of assertions.
    pub(crate) validates: bool,
}

impl Dialect {
    const UNSTATED: Self = Self { draft: Draft::Draft202012, stated: false, validates: true };
}

/// The resources that were entered on the way to a schema, outermost first, each once, and only those that have a dynamic
/// anchor: what dynamic references depend on beside the place where they stand. Schemas without such anchors have one
/// scope, the empty one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct ScopeId(u32);

/// A schema, and the scope that it is read in (its own resource included).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SchemaAt {
    pub(crate) value: ValueId,
    pub(crate) scope: ScopeId,
}

/// What identifies a schema: content, and what its references are relative to, if it has any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    content: ContentId,
    /// Base URI and scope, if there is a reference below.
    context: Option<(u32, ScopeId)>,
    dialect: Dialect,
}

impl Hash for Identity {
    // PERF: two words where the parts were a dozen; the dialect hardly tells schemas apart.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (base, ScopeId(scope)) = self.context.unwrap_or_default();
        state.write_u64(u64::from(self.content.0) << 32 | u64::from(base));
        state.write_u64(u64::from(scope));
    }
}

/// Canonical content, hash-consed: equal ids mean equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ContentId(u32);

/// What a content is made of: what it says itself, and the contents of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shape {
    Null,
    Bool(bool),
    Number(NumberId),
    String(StringId),
    Array,
    Object,
}

struct Content {
    shape: Shape,
    parts: Range<u32>,
    hash: u64,
    /// Whether there is a reference below.
    has_reference: bool,
}

/// A part of a content: of an object with its key.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    key: Option<StringId>,
    value: ContentId,
}

impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let key = self.key.map_or(0, |key| key.index() as u64);
        state.write_u64(key << 32 | u64::from(self.value.0));
    }
}

/// All contents, each once.
#[derive(Default)]
struct Contents {
    all: Vec<Content>,
    parts: Vec<Part>,
    ids: HashTable<ContentId>,
    hasher: Seeded,
}

impl Contents {
    /// None yet, with room for so many.
    fn with_capacity(n: usize) -> Self {
        Self {
            all: Vec::with_capacity(n),
            parts: Vec::with_capacity(n),
            ids: HashTable::with_capacity(n),
            hasher: Seeded::default(),
        }
    }

    /// The content with the parts from `first` on, which go if it is known already.
    fn intern(&mut self, shape: Shape, first: usize, has_reference: bool) -> Result<ContentId, Error> {
        let Self { all, parts, ids, hasher } = self;
        let hash = hasher.hash_one((shape, &parts[first..]));
        let of = |content: &Content| content.parts.start as usize..content.parts.end as usize;
        let is_it = |id: &ContentId| {
            let other = &all[id.0 as usize];
            other.shape == shape && parts[of(other)] == parts[first..]
        };
        if let Some(&id) = ids.find(hash, is_it) {
            parts.truncate(first);
            return Ok(id);
        }
        let (Ok(id), Ok(from), Ok(to)) =
            (u32::try_from(all.len()), u32::try_from(first), u32::try_from(parts.len()))
        else {
            return Err(Error::limit("", "too many values"));
        };
        all.push(Content { shape, parts: from..to, hash, has_reference });
        ids.insert_unique(hash, ContentId(id), |id| all[id.0 as usize].hash);
        Ok(ContentId(id))
    }

    fn has_reference(&self, content: ContentId) -> bool {
        self.all[content.0 as usize].has_reference
    }
}

/// What a value is, as far as the scan is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    /// Neither what a schema accepts nor who refers to what depends on it: its content is not looked at.
    Remark,
    Data,
    Schema,
    List,
    Map,
    Dependencies,
}

/// What is known of a value.
#[derive(Clone, Copy)]
struct Known {
    is: Is,
    dialect: Dialect,
    /// Of its base URI.
    base: u32,
    /// Not of remarks.
    content: ContentId,
}

impl Known {
    const NOTHING: Self = Self { is: Is::Data, dialect: Dialect::UNSTATED, base: 0, content: ContentId(0) };
}

/// All documents, with what is known of each value.
pub(crate) struct Registry {
    pub(crate) forest: Forest,
    root: ValueId,
    known: Vec<Known>,
    /// The keyword that each string is.
    keywords: Vec<Option<&'static Keyword>>,
    base_names: Vec<Rc<str>>,
    base_ids: HashMap<Rc<str>, u32>,
    /// Absolute URIs (with a fragment for anchors) of schemas.
    ids: HashMap<String, ValueId>,
    /// The schemas with a `$dynamicAnchor`, by base URI and name; under the empty name, the resource's root if it has
    /// `$recursiveAnchor`.
    dynamic_anchors: HashMap<(u32, Rc<str>), ValueId>,
    /// The bases of those.
    dynamic_bases: HashSet<u32>,
    scopes: Vec<Box<[u32]>>,
    scope_ids: HashMap<Box<[u32]>, ScopeId>,
    contents: Contents,
}

impl Registry {
    /// Reads the schema, which `add` puts into the forest, and the resources of the options.
    pub(crate) fn new(
        options: &Options,
        add: impl FnOnce(&mut Forest) -> Result<ValueId, Error>,
    ) -> Result<Self, Error> {
        let mut forest = Forest::default();
        let root = add(&mut forest)?;
        let mut resources = Vec::new();
        for (name, value) in &options.resources {
            let name = uri::split_fragment(name).0;
            resources.push((forest.convert(name, value)?, name));
        }
        let n = forest.len();
        if forest.depth() > options.limits.max_nesting {
            let message = format!("the schema nests more than {} levels deep", options.limits.max_nesting);
            return Err(Error::limit("", message));
        }
        let default = Dialect::UNSTATED;
        let mut registry = Self {
            forest,
            root,
            known: Vec::new(),
            keywords: Vec::new(),
            base_names: Vec::new(),
            base_ids: HashMap::default(),
            ids: HashMap::default(),
            dynamic_anchors: HashMap::default(),
            dynamic_bases: HashSet::default(),
            scopes: vec![Box::new([])],
            scope_ids: HashMap::default(),
            contents: Contents::with_capacity(n),
        };
        registry.grow();
        // Meta-schemas among the resources must be found before `$schema` can be understood.
        for &(id, name) in &resources {
            registry.ids.insert(name.to_owned(), id);
        }
        let given = options.draft.map(|draft| Dialect { draft, stated: true, validates: true });
        for &(id, name) in &resources {
            let dialect = registry.stated_dialect(id).or(given).unwrap_or(default);
            registry.enter(id, name, dialect)?;
        }
        let dialect = given.or_else(|| registry.stated_dialect(root)).unwrap_or(default);
        registry.enter(root, "", dialect)?;
        for id in 0..n {
            registry.add_content(ValueId::from_index(id))?;
        }
        Ok(registry)
    }

    /// The schema itself.
    pub(crate) fn root(&mut self) -> SchemaAt {
        self.entered(ScopeId::default(), self.root)
    }

    /// A schema, entered from one of the given scope.
    pub(crate) fn entered(&mut self, scope: ScopeId, value: ValueId) -> SchemaAt {
        let base = self.known[value.index()].base;
        let outer = &self.scopes[scope.0 as usize];
        if !self.dynamic_bases.contains(&base) || outer.contains(&base) {
            return SchemaAt { value, scope };
        }
        let inner: Box<[u32]> = outer.iter().copied().chain([base]).collect();
        let next = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        let scope = *self.scope_ids.entry(inner.clone()).or_insert(next);
        if scope == next {
            self.scopes.push(inner);
        }
        SchemaAt { value, scope }
    }

    pub(crate) fn dialect(&self, schema: ValueId) -> Dialect {
        self.known[schema.index()].dialect
    }

    /// The keyword that a string is.
    pub(crate) fn keyword(&self, string: StringId) -> Option<&'static Keyword> {
        self.keywords[string.index()]
    }

    pub(crate) fn identity(&self, schema: SchemaAt) -> Identity {
        let Known { content, base, dialect, .. } = self.known[schema.value.index()];
        let context = self.contents.has_reference(content).then_some((base, schema.scope));
        Identity { content, context, dialect }
    }

    /// The content of a value, as data.
    pub(crate) fn content(&self, value: ValueId) -> ContentId {
        self.known[value.index()].content
    }

    fn base_id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.base_ids.get(name) {
            return id;
        }
        let (id, name) = (self.base_names.len() as u32, Rc::<str>::from(name));
        self.base_names.push(name.clone());
        self.base_ids.insert(name, id);
        id
    }

    /// The dialect that a schema's own `$schema` names.
    fn stated_dialect(&self, schema: ValueId) -> Option<Dialect> {
        let uri = self.forest.as_str(self.forest.member(schema, "$schema")?)?;
        if let Some(draft) = Draft::from_uri(uri) {
            return Some(Dialect { draft, stated: true, validates: true });
        }
        let meta = *self.ids.get(uri::split_fragment(uri).0)?;
        let draft = Draft::from_uri(self.forest.as_str(self.forest.member(meta, "$schema")?)?)?;
        let validates = match self.forest.member(meta, "$vocabulary").map(|id| self.forest.get(id)) {
            Some(Value::Object(vocabularies)) => {
                vocabularies.iter().any(|&(name, _)| self.forest.string(name).ends_with("/vocab/validation"))
            }
            _ => true,
        };
        Some(Dialect { draft, stated: true, validates })
    }

    /// Scans a document (or a part of one that a reference made a schema) from its root down.
    fn enter(&mut self, root: ValueId, base: &str, dialect: Dialect) -> Result<(), Error> {
        let base_id = self.base_id(base);
        let own = &mut self.known[root.index()];
        (own.is, own.base, own.dialect) = (Is::Schema, base_id, dialect);
        self.ids.entry_ref(base).or_insert(root);
        let document = self.forest.subtree(root);
        for index in document.clone().rev() {
            let id = ValueId::from_index(index);
            if self.known[index].is == Is::Schema {
                self.identify(id, &document);
            }
            let own = self.known[index];
            let mut set = |child: ValueId, is: Is| {
                let child = &mut self.known[child.index()];
                (child.is, child.base, child.dialect) = (is, own.base, own.dialect);
            };
            match self.forest.get(id) {
                Value::Object(members) => {
                    for &(key, child) in members {
                        set(child, member_is(own.is, self.keywords[key.index()], self.forest.get(child)));
                    }
                }
                Value::Array(items) => {
                    let is = match own.is {
                        Is::List => Is::Schema,
                        Is::Remark => Is::Remark,
                        _ => Is::Data,
                    };
                    items.iter().for_each(|&item| set(item, is));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes the identifiers of a schema and what follows from them for what is below.
    fn identify(&mut self, schema: ValueId, document: &Range<usize>) {
        let index = schema.index();
        let Value::Object(members) = self.forest.get(schema) else { return };
        // PERF: most schemas have none.
        let names = |&(key, _): &Member| self.keyword(key).is_some_and(|key| key.role == Role::Core);
        if !members.iter().any(names) {
            return;
        }
        let member =
            |key: &str| self.forest.member(schema, key).and_then(|id| self.forest.as_shared(id)).cloned();
        let Dialect { draft, stated, .. } = self.known[index].dialect;
        let own_id = if draft == Draft::Draft4 { member("id") } else { member("$id") };
        let own_id = own_id.or_else(|| if stated { None } else { member("id") });
        // Through draft 7, whatever stands beside a reference does not count.
        let hidden = draft <= Draft::Draft7 && member("$ref").is_some();
        let anchors = [member("$anchor"), member("$dynamicAnchor")];
        let dynamic = anchors[1].clone();
        let recursive = matches!(
            self.forest.member(schema, "$recursiveAnchor").map(|id| self.forest.get(id)),
            Some(Value::Bool(true))
        );
        let mut base = self.base_names[self.known[index].base as usize].clone();
        let is_resource = self.forest.parent(schema).is_none() || (own_id.is_some() && !hidden);
        if let Some(own_id) = own_id.filter(|_| !hidden) {
            let absolute = uri::resolve(&base, &own_id);
            let (without, fragment) = uri::split_fragment(&absolute);
            if !without.is_empty() && (fragment.is_empty() || !own_id.starts_with('#')) {
                // Outer schemas come first and win, within one document; a later document overrides an earlier one.
                let taken = self.ids.get(without).is_some_and(|id| document.contains(&id.index()));
                if !taken {
                    self.ids.insert(without.to_owned(), schema);
                }
                base = without.into();
                self.known[index].base = self.base_id(&base);
                if let Some(stated) = self.stated_dialect(schema) {
                    // The document's own dialect was settled on entering, where the options have their say.
                    if self.forest.parent(schema).is_some() {
                        self.known[index].dialect = stated;
                    }
                }
            }
            if !fragment.is_empty() {
                self.ids.insert(format!("{without}#{fragment}"), schema);
            }
        }
        if draft >= Draft::Draft201909 {
            for anchor in anchors.into_iter().flatten() {
                self.ids.insert(format!("{base}#{anchor}"), schema);
            }
            let base = self.known[index].base;
            let recursive = recursive && is_resource;
            for name in dynamic.into_iter().chain(recursive.then(|| "".into())) {
                self.dynamic_anchors.entry((base, name)).or_insert(schema);
                self.dynamic_bases.insert(base);
            }
        }
    }

    /// Where a `$dynamicRef` (or, with the empty anchor, a `$recursiveRef`) leads that leads to `target` if taken for a
    /// `$ref`: if there is a dynamic anchor of that name, to the outermost of them in scope.
    pub(crate) fn outermost(&self, scope: ScopeId, target: ValueId, anchor: &str) -> ValueId {
        let anchor: Rc<str> = anchor.into();
        let at = |base: u32| self.dynamic_anchors.get(&(base, anchor.clone())).copied();
        if at(self.known[target.index()].base) != Some(target) {
            return target;
        }
        self.scopes[scope.0 as usize].iter().find_map(|&base| at(base)).unwrap_or(target)
    }

    /// The resource of a URI without fragment: one that is known, or one of the standard's meta-schemas.
    fn resource(&mut self, name: &str) -> Result<Option<ValueId>, Error> {
        if let Some(&known) = self.ids.get(name) {
            return Ok(Some(known));
        }
        let Some(text) = super::metaschemas::find(name) else { return Ok(None) };
        self.grow();
        let root = self.forest.read(name, text)?;
        self.grow();
        let dialect = self.stated_dialect(root).unwrap_or(Dialect::UNSTATED);
        self.enter(root, name, dialect)?;
        for index in self.forest.subtree(root) {
            self.add_content(ValueId::from_index(index))?;
        }
        Ok(Some(root))
    }

    /// Makes room for what was added to the forest.
    fn grow(&mut self) {
        self.known.resize(self.forest.len(), Known::NOTHING);
        let new = self.keywords.len()..self.forest.n_strings();
        let keyword = |string| draft::keyword(self.forest.string(StringId::from_index(string)));
        self.keywords.extend(new.map(keyword));
    }

    /// The schema that a reference in `schema` leads to.
    pub(crate) fn resolve(&mut self, schema: ValueId, reference: &str) -> Result<Option<ValueId>, Error> {
        let base = self.base_names[self.known[schema.index()].base as usize].clone();
        let absolute = uri::resolve(&base, reference);
        let (name, fragment) = uri::split_fragment(&absolute);
        let Some(resource) = self.resource(name)? else { return Ok(None) };
        let fragment = uri::percent_decode(fragment);
        let target = if fragment.is_empty() {
            Some(resource)
        } else if fragment.starts_with('/') {
            self.forest.follow(resource, &fragment)
        } else {
            self.ids.get(&format!("{name}#{fragment}")).copied()
        };
        let Some(target) = target else { return Ok(None) };
        if self.known[target.index()].is != Is::Schema {
            // A reference makes a schema of what stood in no known place for one.
            let mut above = target;
            while self.known[above.index()].is != Is::Schema {
                let Some(parent) = self.forest.parent(above) else { break };
                above = parent;
            }
            let base = self.base_names[self.known[above.index()].base as usize].clone();
            let (dialect, root) = (self.known[above.index()].dialect, self.ids.get(&*base).copied());
            self.enter(target, &base, dialect)?;
            if let Some(root) = root {
                self.ids.insert(base.to_string(), root);
            }
            for index in self.forest.subtree(target) {
                self.add_content(ValueId::from_index(index))?;
            }
        }
        Ok(Some(target))
    }

    /// Interns the content of one value whose parts are interned.
    fn add_content(&mut self, id: ValueId) -> Result<(), Error> {
        let is = self.known[id.index()].is;
        let contents = &mut self.contents;
        let first = contents.parts.len();
        let mut has_reference = false;
        let shape = match self.forest.get(id) {
            _ if is == Is::Remark => return Ok(()),
            Value::Null => Shape::Null,
            Value::Bool(b) => Shape::Bool(b),
            Value::Number(number) => Shape::Number(number),
            Value::String(string) => Shape::String(string),
            Value::Array(items) => {
                for item in items {
                    let item = self.known[item.index()].content;
                    has_reference |= contents.has_reference(item);
                    contents.parts.push(Part { key: None, value: item });
                }
                Shape::Array
            }
            Value::Object(members) => {
                for &(key, value) in members {
                    let keyword = self.keywords[key.index()];
                    if is == Is::Schema && !counts(keyword) {
                        continue;
                    }
                    let value = self.known[value.index()].content;
                    let is_reference = keyword.is_some_and(|keyword| {
                        keyword.role == Role::Core
                            && matches!(keyword.name, "$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id")
                    });
                    has_reference |= is_reference || contents.has_reference(value);
                    contents.parts.push(Part { key: Some(key), value });
                }
                Shape::Object
            }
        };
        self.known[id.index()].content = contents.intern(shape, first, has_reference)?;
        Ok(())
    }
}

/// Whether a member of a schema bears on what the schema accepts.
fn counts(keyword: Option<&Keyword>) -> bool {
    keyword.is_none_or(|keyword| match keyword.role {
        Role::Assertion => true,
        Role::Core => !matches!(keyword.name, "definitions" | "$defs"),
        Role::Annotation => false,
    })
}

/// What the member of an object is, given what the object is.
fn member_is(parent: Is, keyword: Option<&Keyword>, child: Value<'_>) -> Is {
    let is_list = matches!(child, Value::Array(_));
    match parent {
        Is::Schema => match keyword {
            // `items` and the like: what is not a list is a schema itself.
            Some(Keyword { holds: Holds::SchemaOrList, .. }) if is_list => Is::List,
            Some(Keyword { holds: Holds::Schema | Holds::SchemaOrList, .. }) => Is::Schema,
            Some(Keyword { holds: Holds::List, .. }) => Is::List,
            Some(Keyword { holds: Holds::Map, .. }) => Is::Map,
            Some(Keyword { holds: Holds::Dependencies, .. }) => Is::Dependencies,
            Some(Keyword { role: Role::Annotation, .. }) => Is::Remark,
            Some(Keyword { holds: Holds::Data, .. }) | None => Is::Data,
        },
        Is::Dependencies if is_list => Is::Data,
        Is::Map | Is::Dependencies => Is::Schema,
        Is::Remark => Is::Remark,
        Is::Data | Is::List => Is::Data,
    }
}
