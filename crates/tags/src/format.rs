//! The format language as Rust values: what the JSON says, and what programs build instead of JSON.

use crate::schema::Schema;
pub use formwork_grammar::Symbol;
use std::num::NonZeroU32;

/// What an output, or a part of it, looks like.
///
/// Made from JSON by [`Options::format`](crate::Options::format), or by the functions below. In every literal text (begins, ends,
/// triggers, constants, separators) the names of special tokens mean those tokens; in schemas, regular expressions and
/// grammars they are text.
///
/// ```
/// use formwork_tags::{Format, Tag};
/// let call = Tag::new("<call>", Format::json_schema(serde_json::json!({"type": "integer"})), "</call>");
/// let format = Format::triggered_tags(["<call>"], [call]);
/// let grammar = formwork_tags::Options::default().grammar_of(&format)?;
/// # drop(grammar);
/// # Ok::<(), formwork_tags::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Format {
    /// This text.
    ConstString(String),
    /// A value that satisfies a schema.
    JsonSchema(JsonSchema),
    /// What an EBNF grammar's `root` stands for.
    Grammar(String),
    /// What a regular expression (ECMA-262) matches as a whole.
    Regex(String),
    /// Free text.
    AnyText(AnyText),
    /// One after the other.
    Sequence(Vec<Format>),
    /// One of these.
    Or(Vec<Format>),
    /// From `min` to `max` times; `None` means without end.
    Repeat {
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: Option<u32>,
        /// What is repeated.
        content: Box<Format>,
    },
    /// What is asked of the part of the output that a format matches.
    Region(Box<Region>),
    /// A begin, a content and an end.
    Tag(Box<Tag>),
    /// Free text in which triggers begin tags.
    TriggeredTags(TriggeredTags),
    /// Tags with a text between them, and nothing else.
    TagsWithSeparator(TagsWithSeparator),
    /// Free text in which triggers dispatch to formats.
    Dispatch(Dispatch),
    /// One of these tokens.
    Token(Symbol),
    /// One token that is none of these, and not the end of the enclosing tag.
    ExcludeToken(Vec<Symbol>),
    /// Any tokens but these and the end of the enclosing tag.
    AnyTokens {
        /// What may not come.
        excludes: Vec<Symbol>,
        /// The greatest number of tokens.
        max_tokens: Option<u32>,
    },
    /// Free tokens in which some begin tags.
    TokenTriggeredTags(TokenTriggeredTags),
    /// Free tokens in which some dispatch to formats.
    TokenDispatch(TokenDispatch),
}

/// A value that satisfies a schema, and how it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// The schema: an object or a boolean.
    pub schema: Schema,
    /// How the outermost object is written.
    pub style: Style,
    /// Whether properties come in any order.
    pub any_order: bool,
    /// At most so many white-space characters in a gap, instead of what the options say.
    pub max_whitespace: Option<u32>,
}

/// How the outermost object of a schema is written. Where nothing else is said, all values but its strings are JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Style {
    /// As JSON.
    #[default]
    Json,
    /// `<parameter=KEY>VALUE</parameter>`.
    QwenXml,
    /// `<parameter name="KEY">VALUE</parameter>`.
    MinimaxXml,
    /// `]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>`, at every depth, lists as `item` elements.
    MinimaxM3Xml,
    /// `<｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>`.
    DeepseekXml,
    /// `<｜DSML｜ parameter name="KEY" string="true">VALUE</｜DSML｜ parameter>`.
    DeepseekV41Xml,
    /// `<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>`.
    GlmXml,
    /// `<|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>`.
    KimiK3Xml,
    /// `KEY=VALUE, KEY=VALUE`, the values as Python literals.
    Pythonic,
    /// `{KEY:VALUE,KEY:VALUE}`, braces included: keys without quotes, strings as they are between two `<|"|>`, at every depth.
    Gemma4,
    /// As [`Pythonic`](Self::Pythonic), with `true`, `false` and `null` beside `True`, `False` and `None`.
    PythonicOrJson,
}

/// Free text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnyText {
    /// Texts that must not occur in it; the ends of the enclosing tag must not either.
    pub excludes: Vec<String>,
    /// The greatest number of characters.
    pub max_chars: Option<u32>,
}

/// A format, and what is asked of the part of the output that it matches, each time that it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The format. With a budget it must be regular: no schema that refers to itself, for one.
    pub content: Format,
    /// The greatest number of tokens that have a part in it, those that begin before it or go on behind it among them.
    pub max_tokens: Option<NonZeroU32>,
    /// The name under which it is captured.
    pub capture: Option<String>,
}

/// A begin, a content and an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// How it begins.
    pub begin: Marker,
    /// What is inside.
    pub content: Format,
    /// How it may end; at least one.
    pub end: Vec<Marker>,
}

/// A text or a token that begins or ends a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A text, in which names of special tokens mean those tokens.
    Text(String),
    /// One token.
    Token(Symbol),
}

/// Free text in which triggers begin tags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriggeredTags {
    /// What makes a tag begin: each tag's begin starts with exactly one of these.
    pub triggers: Vec<String>,
    /// The tags; their begins are texts.
    pub tags: Vec<Tag>,
    /// Texts that must not occur outside tags.
    pub excludes: Vec<String>,
    /// Whether a tag comes first of all, without text before it.
    pub at_least_one: bool,
    /// Whether the text ends after the first tag.
    pub stop_after_first: bool,
}

/// Tags with a text between them, and nothing else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagsWithSeparator {
    /// The tags.
    pub tags: Vec<Tag>,
    /// What stands between two of them.
    pub separator: String,
    /// Whether there must be one.
    pub at_least_one: bool,
    /// Whether there may be only one.
    pub stop_after_first: bool,
}

/// Free text in which triggers dispatch to formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// What follows each trigger.
    pub rules: Vec<(String, Format)>,
    /// Whether text goes on after it.
    pub loops: bool,
    /// Texts that must not occur in the free text.
    pub excludes: Vec<String>,
}

/// Free tokens in which some begin tags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenTriggeredTags {
    /// The tokens that begin tags.
    pub triggers: Vec<Symbol>,
    /// The tags; each begins with one of the triggers.
    pub tags: Vec<Tag>,
    /// Tokens that may not come outside tags.
    pub excludes: Vec<Symbol>,
    /// Whether a tag comes first of all.
    pub at_least_one: bool,
    /// Whether everything ends after the first tag.
    pub stop_after_first: bool,
}

/// Free tokens in which some dispatch to formats.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenDispatch {
    /// What follows each token.
    pub rules: Vec<(Symbol, Format)>,
    /// Whether tokens go on after it.
    pub loops: bool,
    /// Tokens that may not come among the free ones.
    pub excludes: Vec<Symbol>,
}

impl From<&str> for Marker {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Marker {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Symbol> for Marker {
    fn from(token: Symbol) -> Self {
        Self::Token(token)
    }
}

impl Tag {
    /// A tag with one end.
    pub fn new(begin: impl Into<Marker>, content: Format, end: impl Into<Marker>) -> Self {
        Self { begin: begin.into(), content, end: vec![end.into()] }
    }
}

impl From<Tag> for Format {
    fn from(tag: Tag) -> Self {
        Self::Tag(Box::new(tag))
    }
}

impl Format {
    /// This text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::ConstString(text.into())
    }

    /// Free text.
    pub fn any_text() -> Self {
        Self::AnyText(AnyText::default())
    }

    /// Free text in which these texts do not occur.
    pub fn any_text_but<S: Into<String>>(excludes: impl IntoIterator<Item = S>) -> Self {
        let excludes = excludes.into_iter().map(Into::into).collect();
        Self::AnyText(AnyText { excludes, max_chars: None })
    }

    /// This in at most so many tokens.
    #[must_use]
    pub fn max_tokens(self, tokens: NonZeroU32) -> Self {
        Self::Region(Box::new(Region { max_tokens: Some(tokens), ..self.region() }))
    }

    /// This, captured under a name.
    #[must_use]
    pub fn captured(self, name: impl Into<String>) -> Self {
        Self::Region(Box::new(Region { capture: Some(name.into()), ..self.region() }))
    }

    fn region(self) -> Region {
        match self {
            Self::Region(region) => *region,
            content => Region { content, max_tokens: None, capture: None },
        }
    }

    /// JSON that satisfies a schema.
    pub fn json_schema(schema: impl Into<Schema>) -> Self {
        Self::styled(schema, Style::Json)
    }

    /// An object that satisfies a schema, written in a style.
    pub fn styled(schema: impl Into<Schema>, style: Style) -> Self {
        Self::JsonSchema(JsonSchema { schema: schema.into(), style, any_order: false, max_whitespace: None })
    }

    /// This or nothing.
    pub fn optional(content: impl Into<Self>) -> Self {
        Self::Repeat { min: 0, max: Some(1), content: Box::new(content.into()) }
    }

    /// This at least once.
    pub fn plus(content: impl Into<Self>) -> Self {
        Self::Repeat { min: 1, max: None, content: Box::new(content.into()) }
    }

    /// This any number of times.
    pub fn star(content: impl Into<Self>) -> Self {
        Self::Repeat { min: 0, max: None, content: Box::new(content.into()) }
    }

    /// Free text in which triggers begin tags.
    pub fn triggered_tags<S: Into<String>>(
        triggers: impl IntoIterator<Item = S>,
        tags: impl IntoIterator<Item = Tag>,
    ) -> Self {
        Self::TriggeredTags(TriggeredTags {
            triggers: triggers.into_iter().map(Into::into).collect(),
            tags: tags.into_iter().collect(),
            ..TriggeredTags::default()
        })
    }
}
