//! The texts of a grammar and what their names mean.
//!
//! A grammar is one text and those that it imports, each with names of its own. What a name means is an [`Entity`]: a rule or
//! terminal with its bodies. An import gives an entity of another text a name in this one, so `%override` and `%extend`
//! here are seen by the rules there that use it, as in Lark. Every text that imports a file gets its own copy of it.

use super::parser::parse;
use super::syntax::{Body, Definition, File, How, Import, NodeKind};
use crate::options::Imports;
use crate::problem::{Problem, Problems, Sweep, quote};
use crate::suggest::Suggester;
use crate::syntax::Attributes;
use crate::{ErrorKind, Limits};
use formwork_grammar::{HashMap, Place};
use std::borrow::Cow;
use std::ops::Range;

/// What `%import common.NAME` means.
const COMMON: &str = include_str!("common.lark");

/// One of the texts of a grammar.
pub(super) struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    /// Where the text is, with `/` between folders; empty for the one that imports the others.
    path: String,
    /// Which text imports this one, and where.
    importer: Option<(usize, Range<usize>)>,
    pub(super) file: File,
    pub(super) problems: Problems,
    /// The names of the text, and what they mean.
    pub(super) names: HashMap<String, usize>,
}

/// A rule or terminal.
pub(super) struct Entity {
    pub(super) name: String,
    /// The source in which it is defined, and where there.
    pub(super) source: usize,
    pub(super) span: Range<usize>,
    pub(super) place: Place,
    pub(super) is_terminal: bool,
    /// The names of a template's parameters.
    pub(super) parameters: Vec<String>,
    pub(super) attributes: Attributes,
    /// Its alternatives, by the sources that they stand in.
    pub(super) bodies: Vec<(usize, Body)>,
    /// Whether the text says only that there is one.
    pub(super) is_declared: bool,
}

/// All texts of a grammar, the first of which imports the others, and all that is defined in them.
pub(super) struct Scope<'a> {
    pub(super) sources: Vec<Source<'a>>,
    pub(super) entities: Vec<Entity>,
}

impl<'a> Scope<'a> {
    /// Reads a text and what it imports.
    pub(super) fn read(text: &'a str, imports: Option<&Imports>, limits: &Limits) -> Self {
        let mut scope = Self { sources: Vec::new(), entities: Vec::new() };
        let mut imported: Vec<Vec<Option<usize>>> = Vec::new();
        scope.add_source(Cow::Borrowed(text), String::new(), None, limits);
        let mut next = 0;
        while next < scope.sources.len() {
            let (mut children, mut by_path) = (Vec::new(), HashMap::default());
            for import in std::mem::take(&mut scope.sources[next].file.imports) {
                let (path, text) = scope.find(next, &import, imports);
                let child = *by_path
                    .entry(path.clone())
                    .or_insert_with(|| scope.child(next, &import, path, text, limits));
                children.push((import, child));
            }
            imported.push(children.iter().map(|&(_, child)| child).collect());
            scope.sources[next].file.imports = children.into_iter().map(|(import, _)| import).collect();
            next += 1;
        }
        // Those that are imported come after those that import them.
        for source in (0..scope.sources.len()).rev() {
            scope.define(source, &imported[source]);
        }
        scope
    }

    fn add_source(
        &mut self,
        text: Cow<'a, str>,
        path: String,
        importer: Option<(usize, Range<usize>)>,
        limits: &Limits,
    ) -> usize {
        let mut problems = Problems::new(limits.max_errors);
        let file = parse(&text, limits, &mut problems);
        self.sources.push(Source { text, path, importer, file, problems, names: HashMap::default() });
        self.sources.len() - 1
    }

    /// Where the text of an import is, and the text.
    fn find(
        &self,
        source: usize,
        import: &Import,
        imports: Option<&Imports>,
    ) -> (String, Option<Cow<'a, str>>) {
        let importer = &self.sources[source];
        let parts: Vec<&str> = import.path.iter().map(|part| &importer.text[part.clone()]).collect();
        if !import.is_relative && parts == ["common"] {
            return ("common".to_owned(), Some(Cow::Borrowed(COMMON)));
        }
        let folder = match importer.path.rfind('/') {
            Some(end) if import.is_relative => &importer.path[..=end],
            _ => "",
        };
        let path = format!("{folder}{}.lark", parts.join("/"));
        let text = imports.and_then(|imports| imports.text(&path)).map(Cow::Owned);
        (path, text)
    }

    /// Reads the text of an import, unless there is none or there are too many.
    fn child(
        &mut self,
        source: usize,
        import: &Import,
        path: String,
        text: Option<Cow<'a, str>>,
        limits: &Limits,
    ) -> Option<usize> {
        let place = import.place.clone();
        let problem = match text {
            Some(text) if text.len() > limits.max_length.min(1 << 30) => {
                let message = format!("`{}` is {} bytes long, over the limit", quote(&path), text.len());
                Problem::new(ErrorKind::Limit, place, message)
            }
            Some(_) if self.sources.len() > limits.max_imports => {
                let message = format!("more than {} files are imported", limits.max_imports);
                Problem::new(ErrorKind::Limit, place, message).help("files that import each other never end")
            }
            Some(text) => return Some(self.add_source(text, path, Some((source, place)), limits)),
            None => {
                let message = format!("there is no `{}` to import from", quote(&path));
                Problem::new(ErrorKind::Unsupported, place, message)
                    .help("write its rules and terminals here; only `common` is always there")
            }
        };
        self.sources[source].problems.add(problem);
        None
    }

    /// Gives the names of a text their meaning.
    fn define(&mut self, source: usize, children: &[Option<usize>]) {
        let file = std::mem::take(&mut self.sources[source].file);
        let text = self.sources[source].text.clone();
        let mut sweep = Sweep::new(&text);
        for definition in file.definitions.iter().filter(|definition| definition.how == How::New) {
            let place = match source {
                0 => Place::Text(sweep.position(definition.name.start)),
                _ => Place::None,
            };
            let entity = self.entity(source, &text, definition, place);
            self.name(source, &text, definition.name.clone(), entity);
        }
        for name in &file.declared {
            let entity = self.without_body(source, &text, name.clone());
            self.entities[entity].is_declared = true;
            self.name(source, &text, name.clone(), entity);
        }
        for (import, &child) in file.imports.iter().zip(children) {
            let imported = child.and_then(|child| self.import(source, &text, import, child));
            // What is missing has been noted, so that its uses need not be.
            let entity = imported.unwrap_or_else(|| self.without_body(source, &text, import.local.clone()));
            self.name(source, &text, import.local.clone(), entity);
        }
        for definition in file.definitions.iter().filter(|definition| definition.how != How::New) {
            self.redefine(source, &text, definition);
        }
        self.sources[source].file = file;
    }

    fn entity(&mut self, source: usize, text: &str, definition: &Definition, place: Place) -> usize {
        self.entities.push(Entity {
            name: text[definition.name.clone()].to_owned(),
            source,
            span: definition.name.clone(),
            place,
            is_terminal: definition.is_terminal,
            parameters: parameters(text, definition),
            attributes: definition.attributes.clone(),
            bodies: definition.body.iter().map(|&body| (source, body)).collect(),
            is_declared: false,
        });
        self.entities.len() - 1
    }

    fn without_body(&mut self, source: usize, text: &str, span: Range<usize>) -> usize {
        let name = text[span.clone()].to_owned();
        self.entities.push(Entity {
            source,
            span,
            place: Place::None,
            is_terminal: is_terminal(&name),
            name,
            parameters: Vec::new(),
            attributes: Attributes::default(),
            bodies: Vec::new(),
            is_declared: false,
        });
        self.entities.len() - 1
    }

    /// Gives an entity a name, unless another has it.
    fn name(&mut self, source: usize, text: &str, span: Range<usize>, entity: usize) {
        let Source { names, problems, .. } = &mut self.sources[source];
        let name = &text[span.clone()];
        let first = *names.entry(name.to_owned()).or_insert(entity);
        if first == entity {
            return;
        }
        let what = if self.entities[first].is_terminal { "terminal" } else { "rule" };
        let problem = Problem::new(
            ErrorKind::DuplicateRule,
            span,
            format!("the {what} `{}` is defined twice", quote(name)),
        );
        let problem = match &self.entities[first] {
            other if other.source == source => problem.related(other.span.start, "it is first defined"),
            _ => problem,
        };
        problems.add(problem.help("say `%override` or `%extend` before the second one if that is meant"));
    }

    /// What an import means, unless there is no such thing.
    fn import(&mut self, source: usize, text: &str, import: &Import, child: usize) -> Option<usize> {
        let name = &text[import.name.clone()];
        let from = &self.sources[child];
        let problem = match from.names.get(name) {
            Some(&entity)
                if is_terminal(&text[import.local.clone()]) == self.entities[entity].is_terminal =>
            {
                return Some(entity);
            }
            Some(_) => {
                let message = "rules have names in small letters and terminals in capitals";
                Problem::syntax(import.local.clone(), message)
            }
            None => {
                let message = format!("there is no `{}` in `{}`", quote(name), quote(&from.path));
                let problem = Problem::new(ErrorKind::UndefinedRule, import.name.clone(), message);
                let mut names: Vec<&str> = from.names.keys().map(String::as_str).collect();
                names.sort_unstable();
                match Suggester::new(names).closest(name) {
                    Some(close) => problem.help(format!("did you mean `{close}`?")),
                    None => problem,
                }
            }
        };
        self.sources[source].problems.add(problem);
        None
    }

    /// `%override` and `%extend`.
    fn redefine(&mut self, source: usize, text: &str, definition: &Definition) {
        let name = &text[definition.name.clone()];
        let Some(&entity) = self.sources[source].names.get(name) else {
            let message = format!("there is no `{}` that this could change", quote(name));
            let problem = Problem::new(ErrorKind::UndefinedRule, definition.name.clone(), message);
            return self.sources[source].problems.add(problem.help("leave out the word before it"));
        };
        let entity = &mut self.entities[entity];
        let parameters = parameters(text, definition);
        let bodies = definition.body.iter().map(|&body| (source, body));
        if definition.how == How::Override {
            entity.bodies = bodies.collect();
            (entity.parameters, entity.is_declared) = (parameters, false);
            entity.attributes = definition.attributes.clone();
        } else if entity.parameters != parameters {
            let message = format!("`{}` has other parameters where it is defined", quote(name));
            self.sources[source].problems.add(Problem::syntax(definition.name.clone(), message));
        } else {
            entity.bodies.extend(bodies);
        }
    }

    /// Notes every name of the first text that means nothing.
    pub(super) fn check_names(&mut self) {
        let Source { file, text, names, .. } = &self.sources[0];
        let mut known: Vec<&str> = names.keys().map(String::as_str).collect();
        known.sort_unstable();
        let mut suggester = Suggester::new(known);
        let mut problems = Vec::new();
        let definitions = file.definitions.iter();
        let bodies = definitions
            .filter_map(|definition| Some((definition.body?, parameters(text, definition))))
            .chain(file.ignored.iter().map(|&body| (body, Vec::new())));
        for (body, parameters) in bodies {
            for id in body.ids() {
                let node = file.node(id);
                let name = &text[node.place()];
                let is_name = matches!(node.kind, NodeKind::Name | NodeKind::Use(_));
                if is_name
                    && !names.contains_key(name)
                    && !parameters.iter().any(|parameter| parameter == name)
                {
                    let problem = undefined(name, node.place());
                    problems.push(match suggester.closest(name) {
                        Some(close) => problem.help(format!("did you mean `{close}`?")),
                        None => problem,
                    });
                }
            }
        }
        problems.into_iter().for_each(|problem| self.sources[0].problems.add(problem));
    }

    /// All problems of the first text; what is wrong with an imported text is one of its importer.
    pub(super) fn into_problems(mut self) -> Problems {
        while self.sources.len() > 1 {
            let Some(source) = self.sources.pop() else { break };
            let Some((importer, place)) = source.importer.filter(|_| !source.problems.is_empty()) else {
                continue;
            };
            let errors = source.problems.into_errors(&source.text);
            if let Some(error) = errors.iter().next() {
                let message =
                    format!("{} of `{}`: {}", error.position(), quote(&source.path), error.message());
                self.sources[importer].problems.add(Problem::new(error.kind(), place, message));
            }
        }
        self.sources.pop().map_or_else(|| Problems::new(1), |source| source.problems)
    }
}

/// Says that a name means nothing.
pub(super) fn undefined(name: &str, place: Range<usize>) -> Problem {
    let what = if is_terminal(name) { "terminal" } else { "rule" };
    Problem::new(ErrorKind::UndefinedRule, place, format!("there is no {what} `{}`", quote(name)))
}

fn parameters(text: &str, definition: &Definition) -> Vec<String> {
    definition.parameters.iter().map(|name| text[name.clone()].to_owned()).collect()
}

/// Whether a name is a terminal's.
fn is_terminal(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
}
