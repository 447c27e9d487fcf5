//! Where schemas lie, what identifies them, and what references lead to.
//!
//! Three passes over the flat forest, each a loop: top-down, which values are schemas (an `$id` inside an `enum` is
//! none), with their base URI and dialect; then identifiers and anchors; bottom-up, the *canonical content* of every
//! value, in which annotations and definitions of schemas do not count.
//! Two schemas with equal content are one node of the normal form. Without this, five copies of one sub-schema would
//! be five unrelated demands, and the choices between them would multiply.

use crate::decimal::Decimal;
use crate::draft::{self, Draft, Holds, Keyword, Role};
use crate::error::Error;
use crate::json::{Forest, Value, ValueId};
use crate::options::Options;
use crate::uri;
use formwork_grammar::{HashMap, HashSet, Seeded};
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::hash::BuildHasher;
use std::sync::Arc;

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Identity {
    content: ContentId,
    /// Base URI and scope, if there is a reference below.
    context: Option<(u32, ScopeId)>,
    dialect: Dialect,
}

/// Canonical content, hash-consed: equal ids mean equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ContentId(u32);

/// What a content is made of; keys of objects are contents like other strings, and stand before their values.
enum Content {
    Null,
    Bool(bool),
    Number(Decimal, bool),
    String(Arc<str>),
    Array(Box<[ContentId]>),
    Object(Box<[ContentId]>),
}

/// A content that is looked for: nothing of it is copied before it turns out to be new.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sketch<'a> {
    Null,
    Bool(bool),
    Number(&'a Decimal, bool),
    String(&'a Arc<str>),
    Array(&'a [ContentId]),
    Object(&'a [ContentId]),
}

impl Content {
    fn sketch(&self) -> Sketch<'_> {
        match self {
            Self::Null => Sketch::Null,
            Self::Bool(b) => Sketch::Bool(*b),
            Self::Number(value, written_plain) => Sketch::Number(value, *written_plain),
            Self::String(text) => Sketch::String(text),
            Self::Array(items) => Sketch::Array(items),
            Self::Object(parts) => Sketch::Object(parts),
        }
    }
}

/// All contents, each once.
#[derive(Default)]
struct Contents {
    all: Vec<Content>,
    hashes: Vec<u64>,
    ids: HashTable<ContentId>,
    /// Whether there is a reference below.
    has_reference: Vec<bool>,
    hasher: Seeded,
}

impl Contents {
    /// None yet, with room for so many.
    fn with_capacity(n: usize) -> Self {
        Self { all: Vec::with_capacity(n), ids: HashTable::with_capacity(n), ..Self::default() }
    }

    fn intern(&mut self, sketch: Sketch<'_>, has_reference: bool) -> Result<ContentId, Error> {
        let hash = self.hasher.hash_one(sketch);
        let is_it = |id: &ContentId| self.all[id.0 as usize].sketch() == sketch;
        if let Some(&id) = self.ids.find(hash, is_it) {
            return Ok(id);
        }
        let id = ContentId(u32::try_from(self.all.len()).map_err(|_| Error::limit("", "too many values"))?);
        self.all.push(match sketch {
            Sketch::Null => Content::Null,
            Sketch::Bool(b) => Content::Bool(b),
            Sketch::Number(value, written_plain) => Content::Number(value.clone(), written_plain),
            Sketch::String(text) => Content::String(text.clone()),
            Sketch::Array(items) => Content::Array(items.into()),
            Sketch::Object(parts) => Content::Object(parts.into()),
        });
        self.hashes.push(hash);
        self.has_reference.push(has_reference);
        let hashes = &self.hashes;
        self.ids.insert_unique(hash, id, |id| hashes[id.0 as usize]);
        Ok(id)
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

/// All documents, with what is known of each value.
pub(crate) struct Registry {
    pub(crate) forest: Forest,
    root: ValueId,
    is: Vec<Is>,
    bases: Vec<u32>,
    base_names: Vec<Arc<str>>,
    base_ids: HashMap<Arc<str>, u32>,
    dialects: Vec<Dialect>,
    /// Absolute URIs (with a fragment for anchors) of schemas.
    ids: HashMap<String, ValueId>,
    /// The schemas with a `$dynamicAnchor`, by base URI and name; under the empty name, the resource's root if it has
    /// `$recursiveAnchor`.
    dynamic_anchors: HashMap<(u32, Arc<str>), ValueId>,
    /// The bases of those.
    dynamic_bases: HashSet<u32>,
    scopes: Vec<Box<[u32]>>,
    scope_ids: HashMap<Box<[u32]>, ScopeId>,
    /// The content of each value but of remarks.
    contents: Vec<ContentId>,
    known_contents: Contents,
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
            is: vec![Is::Data; n],
            bases: vec![0; n],
            base_names: Vec::new(),
            base_ids: HashMap::default(),
            dialects: vec![default; n],
            ids: HashMap::default(),
            dynamic_anchors: HashMap::default(),
            dynamic_bases: HashSet::default(),
            scopes: vec![Box::new([])],
            scope_ids: HashMap::default(),
            contents: vec![ContentId(0); n],
            known_contents: Contents::with_capacity(n),
        };
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
        let base = self.bases[value.index()];
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
        self.dialects[schema.index()]
    }

    pub(crate) fn identity(&self, schema: SchemaAt) -> Identity {
        let index = schema.value.index();
        let content = self.contents[index];
        let depends = self.known_contents.has_reference[content.0 as usize];
        let context = depends.then(|| (self.bases[index], schema.scope));
        Identity { content, context, dialect: self.dialects[index] }
    }

    /// The content of a value, as data.
    pub(crate) fn content(&self, value: ValueId) -> ContentId {
        self.contents[value.index()]
    }

    fn base_id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.base_ids.get(name) {
            return id;
        }
        let (id, name) = (self.base_names.len() as u32, Arc::<str>::from(name));
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
                vocabularies.iter().any(|(name, _)| name.ends_with("/vocab/validation"))
            }
            _ => true,
        };
        Some(Dialect { draft, stated: true, validates })
    }

    /// Scans a document (or a part of one that a reference made a schema) from its root down.
    fn enter(&mut self, root: ValueId, base: &str, dialect: Dialect) -> Result<(), Error> {
        self.is[root.index()] = Is::Schema;
        self.bases[root.index()] = self.base_id(base);
        self.dialects[root.index()] = dialect;
        self.ids.entry(base.to_owned()).or_insert(root);
        let document = self.forest.subtree(root);
        for index in document.clone().rev() {
            let id = ValueId::from_index(index);
            if self.is[index] == Is::Schema {
                self.identify(id, &document);
            }
            let (base, dialect, own) = (self.bases[index], self.dialects[index], self.is[index]);
            let mut set = |child: ValueId, is: Is| {
                self.is[child.index()] = is;
                self.bases[child.index()] = base;
                self.dialects[child.index()] = dialect;
            };
            match self.forest.get(id) {
                Value::Object(members) => {
                    for (key, child) in members {
                        set(*child, member_is(own, key, self.forest.get(*child)));
                    }
                }
                Value::Array(items) => {
                    let is = match own {
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
    fn identify(&mut self, schema: ValueId, document: &std::ops::Range<usize>) {
        let index = schema.index();
        let Value::Object(members) = self.forest.get(schema) else { return };
        // PERF: most schemas have none.
        if !members.iter().any(|(key, _)| key.starts_with('$') || &**key == "id") {
            return;
        }
        let member =
            |key: &str| self.forest.member(schema, key).and_then(|id| self.forest.as_str(id)).cloned();
        let Dialect { draft, stated, .. } = self.dialects[index];
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
        let mut base = self.base_names[self.bases[index] as usize].clone();
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
                self.bases[index] = self.base_id(&base);
                if let Some(stated) = self.stated_dialect(schema) {
                    // The document's own dialect was settled on entering, where the options have their say.
                    if self.forest.parent(schema).is_some() {
                        self.dialects[index] = stated;
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
            let base = self.bases[index];
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
        let anchor: Arc<str> = anchor.into();
        let at = |base: u32| self.dynamic_anchors.get(&(base, anchor.clone())).copied();
        if at(self.bases[target.index()]) != Some(target) {
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
        let n = self.forest.len();
        self.is.resize(n, Is::Data);
        self.bases.resize(n, 0);
        self.dialects.resize(n, Dialect::UNSTATED);
        self.contents.resize(n, ContentId(0));
    }

    /// The schema that a reference in `schema` leads to.
    pub(crate) fn resolve(&mut self, schema: ValueId, reference: &str) -> Result<Option<ValueId>, Error> {
        let base = self.base_names[self.bases[schema.index()] as usize].clone();
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
        if self.is[target.index()] != Is::Schema {
            // A reference makes a schema of what stood in no known place for one.
            let mut above = target;
            while self.is[above.index()] != Is::Schema {
                let Some(parent) = self.forest.parent(above) else { break };
                above = parent;
            }
            let base = self.base_names[self.bases[above.index()] as usize].clone();
            let (dialect, root) = (self.dialects[above.index()], self.ids.get(&*base).copied());
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
        let is = self.is[id.index()];
        let known = &mut self.known_contents;
        let content = match self.forest.get(id) {
            _ if is == Is::Remark => return Ok(()),
            Value::Null => known.intern(Sketch::Null, false),
            Value::Bool(b) => known.intern(Sketch::Bool(*b), false),
            Value::Number(n) => known.intern(Sketch::Number(&n.value, n.written_plain), false),
            Value::String(text) => known.intern(Sketch::String(text), false),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.contents[item.index()]);
                let items: SmallVec<[ContentId; 32]> = items.collect();
                let has_reference = items.iter().any(|item| known.has_reference[item.0 as usize]);
                known.intern(Sketch::Array(&items), has_reference)
            }
            Value::Object(members) => {
                let mut parts = SmallVec::<[ContentId; 32]>::new();
                let mut has_reference = false;
                for (key, value) in members {
                    if is == Is::Schema && !counts(key) {
                        continue;
                    }
                    let value = self.contents[value.index()];
                    has_reference |=
                        matches!(&**key, "$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id")
                            || known.has_reference[value.0 as usize];
                    parts.extend([known.intern(Sketch::String(key), false)?, value]);
                }
                known.intern(Sketch::Object(&parts), has_reference)
            }
        };
        self.contents[id.index()] = content?;
        Ok(())
    }
}

/// Whether a member of a schema bears on what the schema accepts.
fn counts(key: &str) -> bool {
    !matches!(key, "definitions" | "$defs")
        && !draft::keyword(key).is_some_and(|keyword| keyword.role == Role::Annotation)
}

/// What the member of an object is, given what the object is.
fn member_is(parent: Is, key: &str, child: &Value) -> Is {
    let is_list = matches!(child, Value::Array(_));
    match parent {
        Is::Schema => match draft::keyword(key) {
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
