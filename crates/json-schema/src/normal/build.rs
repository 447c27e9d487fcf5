//! Schemas into components: what each keyword means for each kind of value.

use super::choices::Alternative;
use super::constraints::allows;
use super::formula::{Atom, FewFormulas, Formula, FormulaId, Formulas, Names, Numbers, PerFormula};
use super::node::{Kind, NodeContent, NodeId};
use crate::error::Error;
use crate::json::{Number, Value, ValueId};
use crate::options::Options;
use crate::schema::{Additional, Assertion, ContentId, Identity, Parsed, Reader, Registry, SchemaAt};
use formwork_grammar::{HashMap, HashSet, Seeded};
use smallvec::SmallVec;
use std::rc::Rc;

/// The components that a component is made of; mostly few.
type Components = SmallVec<[(NodeId, Kind); 8]>;

/// Nodes that there is room for from the start.
const SOME_NODES: usize = 14;

/// The normal form of one schema, built on demand.
pub(crate) struct Normal<'o> {
    pub(crate) reader: Reader<'o>,
    pub(crate) formulas: Formulas,
    pub(super) nodes: Vec<NodeData>,
    node_ids: HashMap<NodeKey, NodeId>,
    /// Of each node, by kind.
    components: Vec<[State; 7]>,
    /// Of demands that are no single node.
    demands: HashMap<(FormulaId, Kind), FormulaId>,
    pub(super) key_verdicts: HashMap<(FormulaId, Rc<str>), bool>,
    pub(super) empty_demands: PerFormula<bool>,
    /// What is left of formulas after an item.
    pub(super) known_items: PerFormula<FormulaId>,
    /// The ways to read values, by what is claimed of them and the derivative.
    pub(super) known_choices: HashMap<(FormulaId, FormulaId), Rc<[Alternative]>>,
}

pub(super) struct NodeData {
    pub(super) content: NodeContent,
    parsed: Option<Rc<Parsed>>,
    /// The names that it declares.
    pub(super) declared: Option<Names>,
}

#[derive(PartialEq, Eq, Hash)]
enum NodeKey {
    Schema(Identity),
    Constant(ContentId),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    /// Being computed: meeting it again is a loop.
    Busy,
    Done(FormulaId),
}

impl<'o> Normal<'o> {
    pub(crate) fn new(options: &'o Options, registry: Registry) -> Self {
        Self {
            formulas: Formulas::new(&options.limits),
            reader: Reader { options, registry, texts: Default::default(), fates: Default::default() },
            nodes: Vec::with_capacity(SOME_NODES),
            node_ids: HashMap::with_capacity_and_hasher(SOME_NODES, Seeded::default()),
            components: Vec::with_capacity(SOME_NODES),
            demands: HashMap::default(),
            key_verdicts: HashMap::default(),
            empty_demands: PerFormula::default(),
            known_items: PerFormula::default(),
            known_choices: HashMap::default(),
        }
    }

    // ---- nodes ----

    /// The node of the schema at a value.
    pub(crate) fn schema(&mut self, schema: SchemaAt) -> NodeId {
        let key = NodeKey::Schema(self.reader.registry.identity(schema));
        self.node(key, NodeContent::Schema(schema))
    }

    fn constant(&mut self, value: ValueId) -> NodeId {
        let key = NodeKey::Constant(self.reader.registry.content(value));
        self.node(key, NodeContent::Constant(value))
    }

    fn node(&mut self, key: NodeKey, content: NodeContent) -> NodeId {
        let next = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let id = *self.node_ids.entry(key).or_insert(next);
        if id == next {
            self.nodes.push(NodeData { content, parsed: None, declared: None });
            self.components.push([State::Unknown; 7]);
        }
        id
    }

    /// The demand that a value satisfies the schema at a place.
    pub(crate) fn demand(&mut self, schema: SchemaAt) -> FormulaId {
        match self.reader.registry.forest.get(schema.value) {
            Value::Bool(true) => FormulaId::TRUE,
            Value::Bool(false) => FormulaId::FALSE,
            _ => {
                let node = self.schema(schema);
                self.formulas.atom(Atom::Node(node, true))
            }
        }
    }

    fn constant_demand(&mut self, value: ValueId) -> FormulaId {
        let node = self.constant(value);
        self.formulas.atom(Atom::Node(node, true))
    }

    /// Where a node stands in the user's schema.
    pub(crate) fn place(&self, node: NodeId) -> ValueId {
        match self.nodes[node.0 as usize].content {
            NodeContent::Schema(schema) => schema.value,
            NodeContent::Constant(value) => value,
        }
    }

    /// The node that an atom is about.
    pub(super) fn node_of(&self, atom: FormulaId) -> Option<NodeId> {
        match self.formulas.get(atom) {
            Formula::Atom(Atom::Node(node, _)) => Some(*node),
            _ => None,
        }
    }

    /// The pointer of the first node that a demand mentions.
    pub(crate) fn pointer(&self, demand: FormulaId) -> String {
        let first = self.formulas.atom_ids(demand).into_iter().find_map(|atom| self.node_of(atom));
        first.map_or_else(String::new, |node| self.reader.registry.forest.pointer(self.place(node)))
    }

    pub(super) fn parsed(&mut self, node: NodeId, schema: SchemaAt) -> Result<Rc<Parsed>, Error> {
        if let Some(parsed) = &self.nodes[node.0 as usize].parsed {
            return Ok(parsed.clone());
        }
        let parsed = Rc::new(self.reader.parse(schema)?);
        self.nodes[node.0 as usize].parsed = Some(parsed.clone());
        Ok(parsed)
    }

    /// Fails if a formula grew past the limits.
    pub(crate) fn check(&self, node: NodeId) -> Result<(), Error> {
        match self.formulas.overflow() {
            None => Ok(()),
            Some(overflow) => {
                let pointer = self.reader.registry.forest.pointer(self.place(node));
                Err(Error::limit(pointer, overflow.to_string()))
            }
        }
    }

    // ---- components ----

    /// What a demand says of values of one kind.
    pub(crate) fn component(&mut self, demand: FormulaId, kind: Kind) -> Result<FormulaId, Error> {
        if let Formula::Atom(Atom::Node(node, true)) = *self.formulas.get(demand) {
            return self.node_component(node, kind);
        }
        if let Some(&known) = self.demands.get(&(demand, kind)) {
            return Ok(known);
        }
        let mut parts = SmallVec::<[(NodeId, FormulaId); 8]>::new();
        for atom in self.formulas.atom_ids(demand) {
            if let Some(node) = self.node_of(atom) {
                parts.push((node, self.node_component(node, kind)?));
            }
        }
        parts.sort_unstable();
        let part = |node: &NodeId| match parts.binary_search_by_key(node, |&(node, _)| node) {
            Ok(at) => parts[at].1,
            Err(_) => unreachable!("every node of the demand is among the parts"),
        };
        let component =
            self.formulas.replace(demand, &mut HashMap::default(), &mut |formulas, id, atom| match atom {
                Atom::Node(node, true) => part(node),
                Atom::Node(node, false) => formulas.negate(part(node)),
                _ => id,
            });
        self.demands.insert((demand, kind), component);
        Ok(component)
    }

    /// The component of a node: its parts in place first, on an explicit stack.
    pub(crate) fn node_component(&mut self, node: NodeId, kind: Kind) -> Result<FormulaId, Error> {
        if let State::Done(done) = self.state(node, kind) {
            return Ok(done);
        }
        let has_parts = match self.nodes[node.0 as usize].content {
            NodeContent::Constant(_) => false,
            NodeContent::Schema(schema) => {
                let parsed = self.parsed(node, schema)?;
                // PERF: most schemas leave one kind of the seven.
                if excluded(&parsed, kind) {
                    for other in Kind::ALL {
                        if excluded(&parsed, other) {
                            self.set_state(node, other, State::Done(FormulaId::FALSE));
                        }
                    }
                    return Ok(FormulaId::FALSE);
                }
                parsed.has_parts_in_place
            }
        };
        if !has_parts {
            return self.finish(node, kind);
        }
        if self.state(node, kind) != State::Busy && self.finish_parts(node, kind)? {
            // Looking into members may lead here again.
            self.set_state(node, kind, State::Busy);
            let result = self.finish(node, kind);
            if result.is_err() {
                self.set_state(node, kind, State::Unknown);
            }
            return result;
        }
        let mut stack = vec![(node, kind)];
        let result = self.compute(&mut stack);
        if result.is_err() {
            // An oracle may go on after this: nothing must look busy that is not.
            for (node, kind) in stack {
                if self.state(node, kind) == State::Busy {
                    self.set_state(node, kind, State::Unknown);
                }
            }
        }
        result
    }

    fn state(&self, node: NodeId, kind: Kind) -> State {
        self.components[node.0 as usize][kind as usize]
    }

    fn set_state(&mut self, node: NodeId, kind: Kind, state: State) {
        self.components[node.0 as usize][kind as usize] = state;
    }

    /// Builds a component whose parts are there.
    fn finish(&mut self, node: NodeId, kind: Kind) -> Result<FormulaId, Error> {
        let component = self.build(node, kind)?;
        self.check(node)?;
        self.set_state(node, kind, State::Done(component));
        Ok(component)
    }

    /// Builds the parts in place of a component, if none that is missing has such parts itself: mostly so, and then there is
    /// no need of a stack. Whether it did.
    fn finish_parts(&mut self, node: NodeId, kind: Kind) -> Result<bool, Error> {
        for (part, kind) in self.parts_in_place(node, kind)?.into_iter().rev() {
            if matches!(self.state(part, kind), State::Done(_)) {
                continue;
            }
            if let NodeContent::Schema(schema) = self.nodes[part.0 as usize].content {
                if self.parsed(part, schema)?.has_parts_in_place {
                    return Ok(false);
                }
            }
            self.finish(part, kind)?;
        }
        Ok(true)
    }

    fn compute(&mut self, stack: &mut Vec<(NodeId, Kind)>) -> Result<FormulaId, Error> {
        let mut expanded: HashSet<(NodeId, Kind)> = HashSet::default();
        let mut last = FormulaId::TRUE;
        while let Some(&(node, kind)) = stack.last() {
            if let State::Done(done) = self.state(node, kind) {
                last = done;
                stack.pop();
                continue;
            }
            if expanded.insert((node, kind)) {
                if self.state(node, kind) == State::Busy {
                    stack.pop();
                    return Err(self.in_place_loop(stack, node));
                }
                let parts = self.parts_in_place(node, kind)?;
                self.set_state(node, kind, State::Busy);
                let missing = parts
                    .into_iter()
                    .filter(|&(part, kind)| !matches!(self.state(part, kind), State::Done(_)));
                let missing: Vec<_> = missing.collect();
                if let Some(&(again, _)) =
                    missing.iter().find(|&&(part, kind)| self.state(part, kind) == State::Busy)
                {
                    return Err(self.in_place_loop(stack, again));
                }
                if !missing.is_empty() {
                    stack.extend(missing);
                    continue;
                }
            } else if self.state(node, kind) != State::Busy {
                // A failed attempt removed the mark; start over.
                expanded.remove(&(node, kind));
                continue;
            }
            last = self.finish(node, kind)?;
            stack.pop();
        }
        Ok(last)
    }

    fn in_place_loop(&self, stack: &[(NodeId, Kind)], node: NodeId) -> Error {
        let from = stack.iter().position(|(open, _)| *open == node).unwrap_or(0);
        let pointer = |node: &NodeId| self.reader.registry.forest.pointer(self.place(*node));
        let mut way: Vec<String> =
            stack[from..].iter().map(|(open, _)| format!("`{}`", pointer(open))).collect();
        way.dedup();
        way.truncate(6);
        let message =
            format!("the schema refers to itself without consuming anything: {} and back", way.join(" → "));
        Error::invalid(pointer(&node), message)
    }

    /// The components that a component is made of.
    pub(super) fn parts_in_place(&mut self, node: NodeId, kind: Kind) -> Result<Components, Error> {
        let mut parts = Components::new();
        let NodeContent::Schema(schema) = self.nodes[node.0 as usize].content else { return Ok(parts) };
        let parsed = self.parsed(node, schema)?;
        if excluded(&parsed, kind) {
            return Ok(parts);
        }
        for assertion in &parsed.assertions {
            self.parts_of(assertion, kind, &mut parts);
        }
        Ok(parts)
    }

    /// The components that what one keyword says of a kind is made of.
    fn parts_of(&mut self, assertion: &Assertion, kind: Kind, parts: &mut Components) {
        match assertion {
            Assertion::Reference(target) | Assertion::Not(target) => parts.push((self.schema(*target), kind)),
            Assertion::AllOf(list) | Assertion::AnyOf(list) | Assertion::OneOf(list) => {
                for &branch in list {
                    parts.push((self.schema(branch), kind));
                }
            }
            Assertion::If { test, then, otherwise } => {
                for schema in [Some(test), then.as_ref(), otherwise.as_ref()].into_iter().flatten() {
                    parts.push((self.schema(*schema), kind));
                }
            }
            Assertion::PropertyNames(schema) if kind == Kind::Object => {
                parts.push((self.schema(*schema), Kind::String));
            }
            Assertion::DependentSchema(_, schema) if kind == Kind::Object => {
                parts.push((self.schema(*schema), kind));
            }
            _ => {}
        }
    }

    /// What one keyword says of values of a kind.
    pub(super) fn assertion_component(
        &mut self,
        assertion: &Assertion,
        kind: Kind,
        node: NodeId,
    ) -> Result<FormulaId, Error> {
        let mut parts = Components::new();
        self.parts_of(assertion, kind, &mut parts);
        for (part, kind) in parts {
            self.node_component(part, kind)?;
        }
        self.assertion(assertion, kind, node)
    }

    pub(super) fn done(&mut self, schema: SchemaAt, kind: Kind) -> Result<FormulaId, Error> {
        let node = self.schema(schema);
        match self.state(node, kind) {
            State::Done(done) => Ok(done),
            _ => Err(self.in_place_loop(&[], node)),
        }
    }

    fn build(&mut self, node: NodeId, kind: Kind) -> Result<FormulaId, Error> {
        let schema = match self.nodes[node.0 as usize].content {
            NodeContent::Constant(value) => return Ok(self.equal_to(&[value], kind)),
            NodeContent::Schema(schema) => schema,
        };
        let parsed = self.parsed(node, schema)?;
        if excluded(&parsed, kind) {
            return Ok(FormulaId::FALSE);
        }
        let mut parts = FewFormulas::new();
        for assertion in &parsed.assertions {
            let part = self.assertion(assertion, kind, node)?;
            if part == FormulaId::FALSE {
                return Ok(part);
            }
            parts.push(part);
        }
        Ok(self.formulas.all(parts))
    }

    fn assertion(&mut self, assertion: &Assertion, kind: Kind, node: NodeId) -> Result<FormulaId, Error> {
        let yes = FormulaId::TRUE;
        let f = &mut self.formulas;
        Ok(match (assertion, kind) {
            (Assertion::Types(types), Kind::Number) if types.integer && !types.number => {
                f.atom(Atom::Integer(true))
            }
            (Assertion::Values(values), _) => self.equal_to(values, kind),
            (Assertion::Minimum { bound, strict }, Kind::Number) => {
                f.atom(Atom::Above { bound: bound.clone(), strict: *strict })
            }
            (Assertion::Maximum { bound, strict }, Kind::Number) => {
                f.atom(Atom::Below { bound: bound.clone(), strict: *strict })
            }
            (Assertion::MultipleOf(of), Kind::Number) => f.atom(Atom::Multiple(of.clone(), true)),
            (Assertion::Text(text), Kind::String) => match self.reader.texts.lengths_alone(*text) {
                // `.*`, `^[\s\S]{1,50}$`: lengths are cheap however long.
                Some((min, max)) => {
                    let max = max.map(|max| f.atom(Atom::MaxLength(max)));
                    let parts = [Some(f.atom(Atom::MinLength(min))), max];
                    f.all(parts.into_iter().flatten())
                }
                None => f.atom(Atom::Text(*text, true)),
            },
            (Assertion::Syntax(syntax), Kind::String) => f.atom(Atom::Syntax(*syntax, true)),
            (Assertion::MinLength(n), Kind::String) => f.atom(Atom::MinLength(*n)),
            (Assertion::MaxLength(n), Kind::String) => f.atom(Atom::MaxLength(*n)),
            (Assertion::Items { prefix, rest }, Kind::Array) => {
                let mut parts = Vec::new();
                for (i, &item) in (0..).zip(prefix) {
                    let demand = self.demand(item);
                    parts.push(self.formulas.atom(Atom::All { from: i, to: Some(i + 1), demand }));
                }
                if let Some(rest) = rest {
                    let demand = self.demand(*rest);
                    parts.push(self.formulas.atom(Atom::All { from: prefix.len() as u64, to: None, demand }));
                }
                self.formulas.all(parts)
            }
            (Assertion::MinItems(n), Kind::Array) => f.atom(Atom::MinItems(*n)),
            (Assertion::MaxItems(n), Kind::Array) => f.atom(Atom::MaxItems(*n)),
            (Assertion::UniqueItems, Kind::Array) => f.atom(Atom::Unique(true)),
            (Assertion::Contains { schema, min, max, .. }, Kind::Array) => {
                let demand = self.demand(*schema);
                let least = self.formulas.atom(Atom::AtLeast { n: *min, demand });
                let most = max.map_or(yes, |n| self.formulas.atom(Atom::AtMost { n, demand }));
                self.formulas.all([least, most])
            }
            (Assertion::Members { declared, patterns, additional }, Kind::Object) => {
                self.members(declared, patterns, *additional)
            }
            (Assertion::Required(names), Kind::Object) => {
                let parts: FewFormulas = names.iter().map(|name| self.present(name)).collect();
                self.formulas.all(parts)
            }
            (Assertion::PropertyNames(names), Kind::Object) => {
                let names = self.done(*names, Kind::String)?;
                let keys = self.formulas.negate(names);
                self.formulas.atom(Atom::AllKeys { keys, demand: FormulaId::FALSE })
            }
            (Assertion::UnevaluatedItems(schema), Kind::Array) => self.unevaluated_items(node, *schema)?,
            (Assertion::UnevaluatedProperties(schema), Kind::Object) => {
                self.unevaluated_properties(node, *schema)?
            }
            (Assertion::MinProperties(n), Kind::Object) => f.atom(Atom::MinMembers(*n)),
            (Assertion::MaxProperties(n), Kind::Object) => f.atom(Atom::MaxMembers(*n)),
            (Assertion::DependentRequired(name, names), Kind::Object) => {
                let present = self.present(name);
                let absent = self.formulas.negate(present);
                let parts: Vec<_> = names.iter().map(|name| self.present(name)).collect();
                let all = self.formulas.all(parts);
                self.formulas.any([absent, all])
            }
            (Assertion::DependentSchema(name, schema), Kind::Object) => {
                let present = self.present(name);
                let absent = self.formulas.negate(present);
                let then = self.done(*schema, kind)?;
                self.formulas.any([absent, then])
            }
            (Assertion::Reference(target), _) => self.done(*target, kind)?,
            (Assertion::AllOf(list), _) => {
                let parts = self.done_list(list, kind)?;
                self.formulas.all(parts)
            }
            (Assertion::AnyOf(list), _) => {
                let parts = self.done_list(list, kind)?;
                self.formulas.any(parts)
            }
            (Assertion::OneOf(list), _) => {
                let parts = self.done_list(list, kind)?;
                self.exactly_one(&parts, kind, self.place(node))?
            }
            (Assertion::Not(schema), _) => {
                let inner = self.done(*schema, kind)?;
                self.formulas.negate(inner)
            }
            (Assertion::If { test, then, otherwise }, _) => {
                let test = self.done(*test, kind)?;
                let not_test = self.formulas.negate(test);
                let then = then.map_or(Ok(yes), |schema| self.done(schema, kind))?;
                let otherwise = otherwise.map_or(Ok(yes), |schema| self.done(schema, kind))?;
                let first = self.formulas.any([not_test, then]);
                let second = self.formulas.any([test, otherwise]);
                self.formulas.all([first, second])
            }
            _ => yes,
        })
    }

    fn done_list(&mut self, list: &[SchemaAt], kind: Kind) -> Result<Vec<FormulaId>, Error> {
        list.iter().map(|&schema| self.done(schema, kind)).collect()
    }

    /// Exactly one of the branches: each with the negations of those that it can overlap with.
    fn exactly_one(&mut self, parts: &[FormulaId], kind: Kind, schema: ValueId) -> Result<FormulaId, Error> {
        let live: Vec<FormulaId> = parts.iter().copied().filter(|&part| part != FormulaId::FALSE).collect();
        let mut overlaps = self.overlaps(kind, &live);
        if let Some(overflow) = self.formulas.overflow() {
            let pointer = self.reader.registry.forest.pointer_to(schema, "oneOf");
            return Err(Error::limit(pointer, overflow.to_string()));
        }
        for i in 0..live.len() {
            for at in 0..overlaps[i].len() {
                let other = overlaps[i][at];
                if other < i {
                    overlaps[other].push(i);
                }
            }
        }
        let mut ways = Vec::with_capacity(live.len());
        for (i, &part) in live.iter().enumerate() {
            let mut all = vec![part];
            for &j in &overlaps[i] {
                all.push(self.formulas.negate(live[j]));
            }
            ways.push(self.formulas.all(all));
        }
        Ok(self.formulas.any(ways))
    }

    /// The key language of one name.
    pub(crate) fn name(&mut self, name: &Rc<str>) -> FormulaId {
        self.formulas.name(name)
    }

    pub(super) fn present(&mut self, name: &Rc<str>) -> FormulaId {
        let keys = self.name(name);
        self.formulas.atom(Atom::SomeKey { keys, demand: FormulaId::TRUE })
    }

    fn members(
        &mut self,
        declared: &[(Rc<str>, SchemaAt)],
        patterns: &[(formwork_grammar::ExprId, SchemaAt)],
        additional: Option<Additional>,
    ) -> FormulaId {
        let mut parts = FewFormulas::with_capacity(declared.len() + patterns.len() + 1);
        for (name, schema) in declared {
            let (keys, demand) = (self.name(name), self.demand(*schema));
            parts.push(self.formulas.atom(Atom::AllKeys { keys, demand }));
        }
        let mut others = FewFormulas::with_capacity(patterns.len() + 1);
        let mut names: Vec<Rc<str>> = declared.iter().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        others.push(self.formulas.atom(Atom::StringIn(names.into(), false)));
        for &(text, schema) in patterns {
            let demand = self.demand(schema);
            let keys = self.formulas.atom(Atom::Text(text, true));
            parts.push(self.formulas.atom(Atom::AllKeys { keys, demand }));
            others.push(self.formulas.atom(Atom::Text(text, false)));
        }
        let demand = match additional {
            None => FormulaId::TRUE,
            Some(Additional::Closed) => FormulaId::FALSE,
            Some(Additional::Schema(schema)) => self.demand(schema),
        };
        let keys = self.formulas.all(others);
        parts.push(self.formulas.atom(Atom::AllKeys { keys, demand }));
        self.formulas.all(parts)
    }

    /// Equal to one of the values.
    fn equal_to(&mut self, values: &[ValueId], kind: Kind) -> FormulaId {
        let some = |of: Kind| if kind == of { values.len() } else { 0 };
        let mut strings: Vec<Rc<str>> = Vec::with_capacity(some(Kind::String));
        let mut numbers: Vec<Number> = Vec::with_capacity(some(Kind::Number));
        let mut ways = Vec::new();
        for &value in values {
            match (self.reader.registry.forest.get(value), kind) {
                (Value::Null, Kind::Null)
                | (Value::Bool(false), Kind::False)
                | (Value::Bool(true), Kind::True) => {
                    return FormulaId::TRUE;
                }
                (Value::String(text), Kind::String) => {
                    strings.push(self.reader.registry.forest.shared(text).clone());
                }
                (Value::Number(number), Kind::Number) => {
                    numbers.push(self.reader.registry.forest.number(number).clone());
                }
                (Value::Array(items), Kind::Array) => {
                    let items = items.to_vec();
                    let n = items.len() as u64;
                    let mut parts =
                        vec![self.formulas.atom(Atom::MinItems(n)), self.formulas.atom(Atom::MaxItems(n))];
                    for (i, &item) in (0..).zip(&items) {
                        let demand = self.constant_demand(item);
                        parts.push(self.formulas.atom(Atom::All { from: i, to: Some(i + 1), demand }));
                    }
                    ways.push(self.formulas.all(parts));
                }
                (Value::Object(members), Kind::Object) => {
                    let members = self.reader.registry.forest.named(members);
                    let mut parts = Vec::with_capacity(2 * members.len() + 1);
                    for (name, member) in &members {
                        let (keys, demand) = (self.name(name), self.constant_demand(*member));
                        parts.push(self.formulas.atom(Atom::AllKeys { keys, demand }));
                        parts.push(self.present(name));
                    }
                    let mut names: Vec<Rc<str>> = members.iter().map(|(name, _)| name.clone()).collect();
                    names.sort_unstable();
                    let keys = self.formulas.atom(Atom::StringIn(names.into(), false));
                    parts.push(self.formulas.atom(Atom::AllKeys { keys, demand: FormulaId::FALSE }));
                    ways.push(self.formulas.all(parts));
                }
                _ => {}
            }
        }
        match kind {
            Kind::String => {
                strings.sort_unstable();
                strings.dedup();
                self.formulas.atom(Atom::StringIn(Names::from(strings), true))
            }
            Kind::Number => {
                // Where a number is written twice, the plain spelling stands for both only if neither has a fraction.
                numbers.sort_by(|a, b| a.value.cmp(&b.value).then(a.written_plain.cmp(&b.written_plain)));
                numbers.dedup_by(|a, b| a.value == b.value);
                self.formulas.atom(Atom::NumberIn(Numbers::from(numbers), true))
            }
            _ => self.formulas.any(ways),
        }
    }
}

/// Whether the schema or its `type` leaves no value of the kind.
pub(super) fn excluded(parsed: &Parsed, kind: Kind) -> bool {
    parsed.is_false || parsed.types.is_some_and(|types| !allows(&types, kind))
}
