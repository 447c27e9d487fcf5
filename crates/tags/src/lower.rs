//! Formats to grammars.
//!
//! Everything that dispatches is an [`Until`](formwork_grammar::Until): free text up to a trigger. A loop is a rule that ends
//! with itself.
//!
//! A long list of tags goes on from what the last document's has become, where it begins as that did; see
//! [`lowered`](crate::lowered).

use crate::cache::{Cache, Hashed, SchemaKey, SchemaReading};
use crate::error::{Error, ErrorKind};
use crate::format::{
    AnyText, Dispatch, Format, JsonSchema, Marker, Region, Style, Symbol, Tag, TagsWithSeparator,
    TokenDispatch, TokenTriggeredTags, TriggeredTags,
};
use crate::lowered::{self, List, Lowered, Progress};
use crate::object::ROOT;
use crate::options::Options;
use crate::parse::MAX_NESTING;
use crate::pointer::Pointer;
use formwork_grammar::{
    CharClass, ExprId, Grammar, GrammarBuilder, HashMap, Place, RuleId, Sharing, SymbolSet,
};
use formwork_json_schema::Library;
use serde_json::Value;
use std::sync::Arc;

/// The grammar of a format. `name` makes of a pointer into the format one into the user's document.
pub(crate) fn lower(format: &Format, options: &Options, name: fn(&str) -> String) -> Result<Grammar, Error> {
    lower_here(format, options, name).map_err(|error| error.moved(name))
}

fn lower_here(format: &Format, options: &Options, name: fn(&str) -> String) -> Result<Grammar, Error> {
    let mut lowering = Lowering {
        b: GrammarBuilder::new(),
        options,
        name,
        how: options.cache.as_ref().map(|_| options.reading()),
        reading: options.schemas_options(),
        library: None,
        schemas: HashMap::default(),
        rules: HashMap::default(),
    };
    let root = lowering.b.declare("root", Place::Pointer(name("/format")));
    let here = Here { pointer: Pointer::DOCUMENT.at("format"), ends: &Ends::default() };
    let body = lowering.format(format, &here, Some(root))?;
    lowering.b.define(root, body);
    let built = lowering.b.build(root);
    built.map_err(|error| {
        Error::new(ErrorKind::Limit, error.place().pointer().unwrap_or_default(), error.message())
    })
}

/// Where in the document a format stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here<'a> {
    pub(crate) pointer: Pointer<'a>,
    ends: &'a Ends,
}

/// How the nearest tag around ends.
#[derive(Clone, Debug, Default)]
struct Ends {
    texts: Vec<String>,
    tokens: Vec<Symbol>,
}

impl Here<'_> {
    pub(crate) fn at<'b>(&'b self, member: &'b str) -> Here<'b> {
        Here { pointer: self.pointer.at(member), ends: self.ends }
    }

    fn element<'b>(&'b self, member: &'b str, element: usize) -> Here<'b> {
        Here { pointer: self.pointer.element(member, element), ends: self.ends }
    }
}

pub(crate) struct Lowering<'a> {
    pub(crate) b: GrammarBuilder,
    pub(crate) options: &'a Options,
    /// Makes of a pointer into the format one into the user's document.
    pub(crate) name: fn(&str) -> String,
    /// How schemas are read, as long as the format says nothing else.
    reading: formwork_json_schema::Options,
    /// The same as a text, if there is a cache.
    how: Option<Hashed>,
    /// What schemas have in common, once one was read.
    library: Option<Option<Library>>,
    /// What schemas have become.
    schemas: HashMap<SchemaKey, ExprId>,
    /// Rules of [`apart`](Self::apart), by their bodies.
    rules: HashMap<ExprId, RuleId>,
}

/// So many tags in one place have rules of their own.
const MANY_TAGS: usize = 8;

impl Lowering<'_> {
    /// What a format looks like; `own` is the rule that it is the whole body of, if it is one.
    fn format(&mut self, format: &Format, here: &Here<'_>, own: Option<RuleId>) -> Result<ExprId, Error> {
        if here.pointer.n_steps() > 4 * MAX_NESTING {
            let message = format!("formats nest deeper than {MAX_NESTING}");
            return Err(Error::new(ErrorKind::Limit, here.pointer, message));
        }
        match format {
            Format::ConstString(text) => Ok(self.b.tag(text)),
            Format::JsonSchema(schema) => self.schema(schema, here),
            Format::Grammar(text) => {
                let grammar = formwork_ebnf::grammar(text)
                    .map_err(|errors| Error::invalid(here.at("grammar").pointer, errors.to_string()))?;
                Ok(self.import(&grammar, &here.at("grammar")))
            }
            Format::Regex(pattern) => {
                let options = formwork_regex::Options::new().dialect(formwork_regex::Dialect::Ecma);
                let grammar = options.grammar(pattern).map_err(|error| {
                    let kind = match error.kind() {
                        formwork_regex::ErrorKind::Limit => ErrorKind::Limit,
                        kind if kind.is_unsupported() => ErrorKind::Unsupported,
                        _ => ErrorKind::Invalid,
                    };
                    Error::new(kind, here.at("pattern").pointer, error.to_string())
                })?;
                Ok(self.import(&grammar, &here.at("pattern")))
            }
            Format::AnyText(text) => Ok(self.any_text(text, here)),
            Format::Sequence(parts) => {
                let parts = self.formats(parts, here)?;
                Ok(self.b.seq(parts))
            }
            Format::Or(parts) => {
                let parts = self.formats(parts, here)?;
                Ok(self.b.alt(parts))
            }
            Format::Repeat { min, max, content } => {
                let content = self.format(content, &here.at("content"), None)?;
                Ok(self.b.repeat(content, *min, *max))
            }
            Format::Region(region) => self.region(region, here),
            Format::Tag(tag) => self.tag(tag, here),
            Format::TriggeredTags(tags) => self.triggered(tags, here, own),
            Format::TagsWithSeparator(tags) => self.separated(tags, here),
            Format::Dispatch(dispatch) => self.dispatch(dispatch, here, own),
            Format::Token(token) => Ok(self.b.symbols(SymbolSet::of([token.clone()]))),
            Format::ExcludeToken(excludes) => Ok(self.other_token(excludes, &[], here)),
            Format::AnyTokens { excludes, max_tokens } => {
                let token = self.other_token(excludes, &[], here);
                Ok(self.b.repeat(token, 0, *max_tokens))
            }
            Format::TokenTriggeredTags(tags) => self.token_triggered(tags, here, own),
            Format::TokenDispatch(dispatch) => self.token_dispatch(dispatch, here, own),
        }
    }

    fn formats(&mut self, formats: &[Format], here: &Here<'_>) -> Result<Vec<ExprId>, Error> {
        let formats = formats.iter().enumerate();
        formats.map(|(i, format)| self.format(format, &here.element("elements", i), None)).collect()
    }

    pub(crate) fn place(&self, here: &Here<'_>) -> Place {
        Place::Pointer((self.name)(&here.pointer.to_string()))
    }

    // ---- leaves ----

    /// The root of another grammar.
    fn import(&mut self, grammar: &Grammar, here: &Here<'_>) -> ExprId {
        let rule = self.b.import(grammar, places(self.name, here));
        self.b.rule(rule)
    }

    /// How schemas are read, with what the format says.
    pub(crate) fn schema_options(&self, schema: &JsonSchema) -> formwork_json_schema::Options {
        let mut options = self.reading.clone();
        if schema.any_order {
            options = options.property_order(formwork_json_schema::PropertyOrder::Any);
        }
        match schema.max_whitespace {
            Some(max) => options.whitespace(formwork_json_schema::Whitespace::AtMost(max)),
            None => options,
        }
    }

    /// How a schema is read that refers to parts of this one, which stands `here`, under the name [`ROOT`].
    pub(crate) fn options_inside(
        &self,
        schema: &JsonSchema,
        here: &Here<'_>,
    ) -> Result<formwork_json_schema::Options, Error> {
        let whole = schema.schema.value().map_err(|error| error.moved(|_| here.pointer.into()))?;
        Ok(self.schema_options(schema).resources([(ROOT, Value::clone(whole))]))
    }

    /// A schema in its style. The same one is read once, wherever it stands.
    fn schema(&mut self, schema: &JsonSchema, here: &Here<'_>) -> Result<ExprId, Error> {
        let key = SchemaKey::of(schema);
        if let Some(&expr) = self.schemas.get(&key) {
            return Ok(expr);
        }
        let expr = match schema.style {
            Style::Json => self.json(schema, &key, here)?,
            Style::Pythonic | Style::PythonicOrJson => self.keywords(schema, here)?,
            Style::Gemma4 => self.gemma(schema, here)?,
            Style::MinimaxM3Xml => self.nested(schema, here)?,
            _ => self.xml(schema, here)?,
        };
        self.schemas.insert(key, expr);
        Ok(expr)
    }

    fn json(&mut self, schema: &JsonSchema, key: &SchemaKey, here: &Here<'_>) -> Result<ExprId, Error> {
        let here = here.at("json_schema");
        let options = self.schema_options(schema);
        let library = self.library();
        let read = || {
            // A text goes as it is to its frontend; where that refuses it, its value says why, as for any other schema.
            if let Some(Ok(part)) = schema.schema.unparsed().map(|text| options.part(text, library.as_ref()))
            {
                return Ok(part);
            }
            let value = schema.schema.value().map_err(|error| error.moved(|_| here.pointer.into()))?;
            let part = options.part_from_value(value, library.as_ref());
            part.map_err(|error| Error::of_schema(&here.pointer.to_string(), &error))
        };
        let rule = match (&self.options.cache, &self.how) {
            (Some(cache), Some(how)) => {
                let key = SchemaReading { reading: how.clone(), schema: key.clone() };
                let part = match cache.schema(&key) {
                    Some(part) => part,
                    None => {
                        let part = Arc::new(read()?);
                        cache.keep_schema(key, Arc::clone(&part));
                        part
                    }
                };
                self.b.import_part(&part, places(self.name, &here))
            }
            _ => {
                let part = read()?;
                self.b.import_part(&part, places(self.name, &here))
            }
        };
        Ok(self.b.rule(rule))
    }

    /// What schemas have in common that are read as most are; others make no use of it.
    fn library(&mut self) -> Option<Library> {
        let (options, reading, how) = (self.options, &self.reading, &self.how);
        let library = self.library.get_or_insert_with(|| match (&options.cache, how) {
            (Some(cache), Some(how)) => cache.library(how, || reading.library()),
            _ => reading.library(),
        });
        library.clone()
    }

    /// A rule of its own, of which what is asked is asked.
    fn region(&mut self, region: &Region, here: &Here<'_>) -> Result<ExprId, Error> {
        let body = self.format(&region.content, here, None)?;
        let name = region.capture.as_deref().unwrap_or("region");
        let rule = self.b.declare(name, self.place(here));
        self.b.define(rule, body);
        if let Some(tokens) = region.max_tokens {
            self.b.set_budget(rule, tokens);
        }
        if let Some(name) = &region.capture {
            self.b.set_capture(rule, name);
        }
        Ok(self.b.rule(rule))
    }

    fn any_text(&mut self, text: &AnyText, here: &Here<'_>) -> ExprId {
        let excluded: Vec<&str> = text.excludes.iter().chain(&here.ends.texts).map(String::as_str).collect();
        let Some(max) = text.max_chars else { return self.b.until([], excluded, true) };
        let any = self.b.class(CharClass::any());
        let mut parts = vec![self.b.repeat(any, 0, Some(max))];
        parts.extend(excluded.into_iter().map(|excluded| self.without(excluded)));
        self.b.and(parts)
    }

    /// The texts in which `excluded` does not occur.
    pub(crate) fn without(&mut self, excluded: &str) -> ExprId {
        let any = self.b.class(CharClass::any());
        let (any, excluded) = (self.b.star(any), self.b.literal(excluded));
        let contains = self.b.seq([any, excluded, any]);
        self.b.not(contains)
    }

    /// One token that is none of these, and not the end of the tag around: not even one whose text is that end.
    fn other_token(&mut self, excludes: &[Symbol], more: &[Symbol], here: &Here<'_>) -> ExprId {
        let ends = here.ends.texts.iter().map(|text| Symbol::from(text.as_str()));
        let tokens = excludes.iter().chain(more).chain(&here.ends.tokens).cloned();
        self.b.symbols(SymbolSet::all_but(tokens.chain(ends)))
    }

    // ---- tags ----

    fn marker(&mut self, marker: &Marker) -> ExprId {
        match marker {
            Marker::Text(text) => self.b.tag(text),
            Marker::Token(token) => self.b.symbols(SymbolSet::of([token.clone()])),
        }
    }

    fn tag(&mut self, tag: &Tag, here: &Here<'_>) -> Result<ExprId, Error> {
        let begin = self.marker(&tag.begin);
        let rest = self.tag_rest(tag, here)?;
        Ok(self.b.seq([begin, rest]))
    }

    /// What follows the begin of a tag.
    fn tag_rest(&mut self, tag: &Tag, here: &Here<'_>) -> Result<ExprId, Error> {
        let mut ends = Ends::default();
        for end in &tag.end {
            match end {
                Marker::Text(text) if text.is_empty() => {}
                Marker::Text(text) => ends.texts.push(text.clone()),
                Marker::Token(token) => ends.tokens.push(token.clone()),
            }
        }
        if tag.end.is_empty() {
            return Err(Error::invalid(here.at("end").pointer, "a tag needs an end; it may be empty"));
        }
        if ends.texts.is_empty() && ends.tokens.is_empty() && is_unlimited(&tag.content) {
            let message = "the content could go on for ever: a tag with free content needs an end that is not empty, or the \
                           content needs `excludes`";
            return Err(Error::invalid(here.at("end").pointer, message));
        }
        let is_plain = ends.texts.len() == tag.end.len();
        let inside = Here { ends: &ends, ..here.at("content") };
        match &tag.content {
            // Free text up to the first end: one machine instead of text beside ends.
            Format::AnyText(AnyText { excludes, max_chars: None }) if is_plain => {
                let empty = self.b.empty();
                let arms = inside.ends.texts.iter().map(|end| (end.as_str(), empty));
                Ok(self.b.until(arms, excludes.iter().map(String::as_str), false))
            }
            content => {
                let content = self.format(content, &inside, None)?;
                let ends: Vec<ExprId> = tag.end.iter().map(|end| self.marker(end)).collect();
                let end = self.b.alt(ends);
                Ok(self.b.seq([content, end]))
            }
        }
    }

    /// Something that there is for each of so many tags, or that stands for them all: where there are many, a rule of its own,
    /// the same for the same body.
    ///
    /// So what a loop goes through is small, the begins of the tags are an automaton without a circle, and what follows each
    /// is built when it is reached.
    fn apart(&mut self, body: ExprId, n_tags: usize, name: &str, here: &Here<'_>) -> ExprId {
        if n_tags < MANY_TAGS {
            return body;
        }
        let rule = match self.rules.get(&body) {
            Some(&rule) => rule,
            None => {
                let rule = self.b.declare(name, self.place(here));
                self.b.define(rule, body);
                self.b.set_sharing(rule, Sharing::Keep);
                self.rules.insert(body, rule);
                rule
            }
        };
        self.b.rule(rule)
    }

    /// Whole tags, one of them.
    fn one_of(&mut self, tags: &[Tag], here: &Here<'_>) -> Result<ExprId, Error> {
        let ways = self.ways(tags, |_| 0, here)?;
        let one = self.b.alt(ways);
        Ok(self.apart(one, tags.len(), "tag", here))
    }

    /// What each tag is, from where its begin, if that is a text, is cut.
    fn ways(
        &mut self,
        tags: &[Tag],
        cut: impl Fn(usize) -> usize,
        here: &Here<'_>,
    ) -> Result<Vec<ExprId>, Error> {
        let list = self.list(tags, here);
        let mut ways = list.as_ref().and_then(|list| self.resume(list, tags, &cut)).unwrap_or_default();
        let keep_before = list.as_ref().and_then(|_| lowered::keep_before(tags.len(), ways.len()));
        for (i, tag) in tags.iter().enumerate().skip(ways.len()) {
            if let (true, Some(list)) = (keep_before == Some(i), &list) {
                self.keep(list, &tags[..i], &cut, &ways);
            }
            let here = here.element("tags", i);
            let begin = match &tag.begin {
                Marker::Text(text) => self.b.tag(&text[cut(i)..]),
                Marker::Token(token) => self.b.symbols(SymbolSet::of([token.clone()])),
            };
            let rest = self.tag_rest(tag, &here)?;
            let rest = self.apart(rest, tags.len(), "rest", &here);
            ways.push(self.b.seq([begin, rest]));
        }
        Ok(ways)
    }

    /// The list of tags `here`, if it may be kept: it is long, there is a cache, and no schema stands before it.
    fn list(&self, tags: &[Tag], here: &Here<'_>) -> Option<List> {
        let is_first = self.schemas.is_empty() && self.rules.is_empty();
        let reading = self.how.as_ref().filter(|_| is_first && tags.len() > lowered::FEW)?;
        let (reading, pointer) = (reading.clone(), here.pointer.to_string());
        Some(List { reading, pointer, n_rules: self.b.n_rules() })
    }

    /// What the tags are that a list begins with as one before it did.
    fn resume(&mut self, list: &List, tags: &[Tag], cut: impl Fn(usize) -> usize) -> Option<Vec<ExprId>> {
        let known = self.options.cache.as_ref()?.list()?;
        let (Progress { b, library, schemas, rules }, ways) = known.resume(list, tags, cut, &self.b)?;
        (self.b, self.library, self.schemas, self.rules) = (b, library, schemas, rules);
        Some(ways)
    }

    /// Keeps what these tags of a list are, if there is room.
    fn keep(&self, list: &List, tags: &[Tag], cut: impl Fn(usize) -> usize, ways: &[ExprId]) {
        let Self { b, library, schemas, rules, .. } = self;
        let has_room = |cache: &&Cache| cache.has_room_for_list(lowered::n_bytes(tags, b));
        let Some(cache) = self.options.cache.as_ref().filter(has_room) else { return };
        let after = || {
            let (b, library, schemas, rules) = (b.clone(), library.clone(), schemas.clone(), rules.clone());
            Progress { b, library, schemas, rules }
        };
        if let Some(lowered) = Lowered::of(list, tags, cut, ways, after) {
            cache.keep_list(lowered);
        }
    }

    fn separated(&mut self, tags: &TagsWithSeparator, here: &Here<'_>) -> Result<ExprId, Error> {
        let one = self.one_of(&tags.tags, here)?;
        let all = match tags.stop_after_first {
            true => one,
            false => {
                let separator = self.b.tag(&tags.separator);
                let next = self.b.seq([separator, one]);
                let more = self.b.star(next);
                self.b.seq([one, more])
            }
        };
        Ok(if tags.at_least_one { all } else { self.b.optional(all) })
    }

    // ---- dispatch ----

    /// A rule to come back to: `own`, or a new one.
    fn loop_rule(&mut self, own: Option<RuleId>, here: &Here<'_>) -> RuleId {
        own.unwrap_or_else(|| self.b.declare("text", self.place(here)))
    }

    /// The body of a loop where it stands.
    fn close_loop(&mut self, own: Option<RuleId>, rule: RuleId, body: ExprId) -> ExprId {
        if own.is_some() {
            return body;
        }
        self.b.define(rule, body);
        self.b.rule(rule)
    }

    fn triggered(
        &mut self,
        tags: &TriggeredTags,
        here: &Here<'_>,
        own: Option<RuleId>,
    ) -> Result<ExprId, Error> {
        let first = match tags.at_least_one {
            true => Some(self.one_of(&tags.tags, here)?),
            false => None,
        };
        let triggers = tags.tags.iter().enumerate();
        let triggers = triggers.map(|(i, tag)| trigger_of(tag, &tags.triggers, &here.element("tags", i)));
        let triggers = triggers.collect::<Result<Vec<usize>, Error>>()?;
        if let (Some(first), true) = (first, tags.stop_after_first) {
            return Ok(first);
        }
        let ways = self.ways(&tags.tags, |i| tags.triggers[triggers[i]].len(), here)?;
        let mut rests: Vec<Vec<ExprId>> = vec![Vec::new(); tags.triggers.len()];
        for (way, &trigger) in ways.into_iter().zip(&triggers) {
            rests[trigger].push(way);
        }
        // What comes first of all is outside the loop.
        let own = own.filter(|_| first.is_none());
        let back = (!tags.stop_after_first).then(|| self.loop_rule(own, here));
        let mut arms = Vec::new();
        for (trigger, rests) in tags.triggers.iter().zip(rests) {
            let n_rests = rests.len();
            let then = self.b.alt(rests);
            let mut then = self.apart(then, n_rests, "tag", here);
            if let Some(back) = back {
                let again = self.b.rule(back);
                then = self.b.seq([then, again]);
            }
            arms.push((trigger.as_str(), then));
        }
        let excluded = tags.excludes.iter().chain(&here.ends.texts).map(String::as_str);
        let text = self.b.until(arms, excluded, true);
        let text = match back {
            Some(back) => self.close_loop(own, back, text),
            None => text,
        };
        Ok(match first {
            Some(first) => self.b.seq([first, text]),
            None => text,
        })
    }

    fn dispatch(
        &mut self,
        dispatch: &Dispatch,
        here: &Here<'_>,
        own: Option<RuleId>,
    ) -> Result<ExprId, Error> {
        let own = own.filter(|_| dispatch.loops);
        let back = dispatch.loops.then(|| self.loop_rule(own, here));
        let mut arms = Vec::new();
        for (i, (trigger, then)) in dispatch.rules.iter().enumerate() {
            // Ends of a tag around are not excluded here; what is inside has none.
            let rule = here.element("rules", i);
            let inside = Here { ends: &Ends::default(), ..rule.at("1") };
            let mut then = self.format(then, &inside, None)?;
            if let Some(back) = back {
                let again = self.b.rule(back);
                then = self.b.seq([then, again]);
            }
            arms.push((trigger.as_str(), then));
        }
        let text = self.b.until(arms, dispatch.excludes.iter().map(String::as_str), true);
        Ok(match back {
            Some(back) => self.close_loop(own, back, text),
            None => text,
        })
    }

    /// Free tokens, then perhaps one of these, and back.
    fn tokens_then(&mut self, free: ExprId, then: ExprId, back: Option<RuleId>) -> ExprId {
        let free = self.b.star(free);
        let then = match back {
            Some(back) => {
                let again = self.b.rule(back);
                self.b.seq([then, again])
            }
            None => then,
        };
        let then = self.b.optional(then);
        self.b.seq([free, then])
    }

    fn token_triggered(
        &mut self,
        tags: &TokenTriggeredTags,
        here: &Here<'_>,
        own: Option<RuleId>,
    ) -> Result<ExprId, Error> {
        for (i, tag) in tags.tags.iter().enumerate() {
            let is_trigger = |token: &Symbol| tags.triggers.contains(token);
            if !matches!(&tag.begin, Marker::Token(token) if is_trigger(token)) {
                let message = "the tag must begin with one of `trigger_tokens`";
                return Err(Error::invalid(here.element("tags", i).at("begin").pointer, message));
            }
        }
        let one = self.one_of(&tags.tags, here)?;
        if tags.at_least_one && tags.stop_after_first {
            return Ok(one);
        }
        let own = own.filter(|_| !tags.at_least_one);
        let back = (!tags.stop_after_first).then(|| self.loop_rule(own, here));
        let free = self.other_token(&tags.excludes, &tags.triggers, here);
        let body = self.tokens_then(free, one, back);
        let body = match back {
            Some(back) => self.close_loop(own, back, body),
            None => body,
        };
        Ok(if tags.at_least_one { self.b.seq([one, body]) } else { body })
    }

    fn token_dispatch(
        &mut self,
        dispatch: &TokenDispatch,
        here: &Here<'_>,
        own: Option<RuleId>,
    ) -> Result<ExprId, Error> {
        let own = own.filter(|_| dispatch.loops);
        let back = dispatch.loops.then(|| self.loop_rule(own, here));
        let mut ways = Vec::new();
        for (i, (token, then)) in dispatch.rules.iter().enumerate() {
            let rule = here.element("rules", i);
            let inside = Here { ends: &Ends::default(), ..rule.at("1") };
            let then = self.format(then, &inside, None)?;
            let token = self.b.symbols(SymbolSet::of([token.clone()]));
            ways.push(self.b.seq([token, then]));
        }
        let ways = self.b.alt(ways);
        let special = dispatch.rules.iter().map(|rule| &rule.0).chain(&dispatch.excludes).cloned();
        let free = self.b.symbols(SymbolSet::all_but(special));
        let body = self.tokens_then(free, ways, back);
        Ok(match back {
            Some(back) => self.close_loop(own, back, body),
            None => body,
        })
    }
}

/// Where in the user's document a rule stands of a grammar that stands `here`, by its place in that grammar.
fn places(name: fn(&str) -> String, here: &Here<'_>) -> impl Fn(&Place) -> Place {
    let pointer = here.pointer.to_string();
    move |place| Place::Pointer(name(&[&pointer, place.pointer().unwrap_or_default()].concat()))
}

/// The trigger that a tag's begin starts with.
fn trigger_of(tag: &Tag, triggers: &[String], here: &Here<'_>) -> Result<usize, Error> {
    let begin = || here.at("begin").pointer;
    let Marker::Text(text) = &tag.begin else {
        return Err(Error::invalid(begin(), "a tag that a text triggers begins with a text"));
    };
    let mut found = triggers.iter().enumerate().filter(|(_, trigger)| text.starts_with(trigger.as_str()));
    match (found.next(), found.next()) {
        (Some((i, _)), None) => Ok(i),
        (None, _) => Err(Error::invalid(begin(), format!("{text:?} begins with none of the triggers"))),
        (Some((_, a)), Some((_, b))) => {
            Err(Error::invalid(begin(), format!("{text:?} begins with two triggers, {a:?} and {b:?}")))
        }
    }
}

/// Whether a format may go on for ever with nothing of its own that ends it.
fn is_unlimited(format: &Format) -> bool {
    let mut todo = vec![format];
    while let Some(format) = todo.pop() {
        match format {
            Format::AnyText(text) if text.excludes.is_empty() && text.max_chars.is_none() => return true,
            Format::TriggeredTags(tags)
                if tags.excludes.is_empty() && !(tags.at_least_one && tags.stop_after_first) =>
            {
                return true;
            }
            Format::AnyTokens { excludes, max_tokens: None } if excludes.is_empty() => return true,
            Format::TokenTriggeredTags(tags)
                if tags.excludes.is_empty() && !(tags.at_least_one && tags.stop_after_first) =>
            {
                return true;
            }
            Format::Sequence(parts) | Format::Or(parts) => todo.extend(parts),
            Format::Region(region) if region.max_tokens.is_none() => todo.push(&region.content),
            Format::Repeat { content, .. } => todo.push(content),
            _ => {}
        }
    }
    false
}
