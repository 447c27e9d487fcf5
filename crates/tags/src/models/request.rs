//! What a request says about tools and reasoning, in the shapes of OpenAI's APIs.

use crate::error::{Error, ErrorKind};
use crate::format::{AnyText, Format};
use crate::schema::Schema;
use serde_json::{Value, json};
use std::num::NonZeroU32;

/// The tools of a request, and how they are to be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    pub(super) tools: Vec<Tool>,
    pub(super) choice: ToolChoice,
    pub(super) parallel: bool,
    pub(super) reasoning: Reasoning,
    pub(super) builtin: Vec<String>,
    pub(super) max_reasoning_chars: Option<u32>,
    pub(super) max_reasoning_tokens: Option<NonZeroU32>,
}

/// A function that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    name: String,
    parameters: Schema,
}

/// Which tools are to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one call, and nothing else.
    Required,
    /// One call of this tool, and nothing else.
    Named(String),
    /// Only these tools; whether at least one must be called.
    Allowed {
        /// Their names.
        names: Vec<String>,
        /// Whether there must be a call.
        required: bool,
    },
}

/// Whether the model thinks before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// No: the prompt says so, or the server keeps the reasoning apart.
    #[default]
    Off,
    /// Yes. Where the prompt ends with the opening marker already, the output begins inside.
    On,
    /// If it writes the opening marker.
    Auto,
}

impl Tool {
    /// A tool with the schema of its arguments.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid) for a name that is not 1 to 128 letters, digits, `_`, `-`, `.` and `:`, since names
    /// stand unescaped in what models write.
    pub fn new(name: impl Into<String>, parameters: impl Into<Schema>) -> Result<Self, Error> {
        let name = name.into();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        if name.is_empty() || name.len() > 128 || !name.chars().all(is_plain) {
            let message =
                format!("{name:?} is no name of a tool: letters, digits, `_`, `-`, `.` and `:` are");
            return Err(Error::invalid("", message));
        }
        Ok(Self { name, parameters: parameters.into() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The schema of its arguments.
    pub fn parameters(&self) -> &Schema {
        &self.parameters
    }
}

impl Tools {
    /// Tools that the model may call or not, several at once, without reasoning.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self {
            tools,
            choice: ToolChoice::Auto,
            parallel: true,
            reasoning: Reasoning::Off,
            builtin: Vec::new(),
            max_reasoning_chars: None,
            max_reasoning_tokens: None,
        }
    }

    /// The `tools` of a request, as Chat Completions or Responses have them. Without `parameters`, a tool has none.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid), or [`Unsupported`](ErrorKind::Unsupported) for tools that are no functions; two tools
    /// of one name.
    pub fn from_json(tools: &Value) -> Result<Self, Error> {
        let list = tools.as_array().ok_or_else(|| Error::invalid("", "the tools are a list"))?;
        let mut found: Vec<Tool> = Vec::new();
        let mut names = formwork_grammar::HashSet::default();
        for (i, tool) in list.iter().enumerate() {
            let place = |rest: &str| format!("/{i}{rest}");
            match tool.get("type").and_then(Value::as_str) {
                Some("function") => {}
                Some(other) => {
                    let message = format!("tools of type {other:?} are not supported, only functions");
                    return Err(Error::new(ErrorKind::Unsupported, place("/type"), message));
                }
                None => return Err(Error::invalid(place(""), "a tool has a `type`")),
            }
            // Chat Completions wraps what Responses has flat.
            let (function, inside) = match tool.get("function") {
                Some(function) => (function, "/function"),
                None => (tool, ""),
            };
            let name = function.get("name").and_then(Value::as_str);
            let name = name.ok_or_else(|| Error::invalid(place(inside), "`name` is missing"))?;
            let parameters = match function.get("parameters") {
                None | Some(Value::Null) => {
                    json!({"type": "object", "properties": {}, "additionalProperties": false})
                }
                Some(parameters) if parameters.is_object() || parameters.is_boolean() => parameters.clone(),
                Some(_) => {
                    let place = place(&format!("{inside}/parameters"));
                    return Err(Error::invalid(place, "`parameters` is a schema: an object or a boolean"));
                }
            };
            let tool = Tool::new(name, parameters)
                .map_err(|error| error.moved(|_| place(&format!("{inside}/name"))))?;
            if !names.insert(tool.name.clone()) {
                return Err(Error::invalid(
                    place(&format!("{inside}/name")),
                    format!("two tools are called {name:?}"),
                ));
            }
            found.push(tool);
        }
        Ok(Self::new(found))
    }

    /// Which are to be called.
    #[must_use]
    pub fn choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Whether several may be called at once, where the family can.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// Whether the model thinks first.
    #[must_use]
    pub fn reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// The greatest number of characters between the marks of reasoning: then nothing but the closing mark may come. Where
    /// reasoning is messages, there is at most one, with so many characters. Default: any number.
    ///
    /// It is part of the grammar, so rollback and forks need nothing of their own for it.
    #[must_use]
    pub fn max_reasoning_chars(mut self, max: u32) -> Self {
        self.max_reasoning_chars = Some(max);
        self
    }

    /// The greatest number of tokens that have a part in what stands between the marks of reasoning; as
    /// [`max_reasoning_chars`](Self::max_reasoning_chars), and beside it.
    #[must_use]
    pub fn max_reasoning_tokens(mut self, max: NonZeroU32) -> Self {
        self.max_reasoning_tokens = Some(max);
        self
    }

    /// Whether reasoning has a budget.
    pub(super) fn bounds_reasoning(&self) -> bool {
        self.max_reasoning_chars.is_some() || self.max_reasoning_tokens.is_some()
    }

    /// What may stand between the marks of reasoning.
    pub(super) fn thoughts(&self) -> Format {
        let text = Format::AnyText(AnyText { excludes: Vec::new(), max_chars: self.max_reasoning_chars });
        match self.max_reasoning_tokens {
            Some(tokens) => text.max_tokens(tokens),
            None => text,
        }
    }

    /// Tools that the model knows by itself, such as `browser` and `python`, and that the prompt has switched on: they may be
    /// called where [any tool](ToolChoice::Auto) may, and count where a call is [required](ToolChoice::Required).
    #[must_use]
    pub fn builtin<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.builtin = names.into_iter().map(Into::into).collect();
        self
    }

    /// The tools that may be called.
    pub(super) fn chosen(&self) -> Result<Vec<&Tool>, Error> {
        let find = |name: &String| {
            self.tools.iter().find(|tool| tool.name == *name).ok_or_else(|| {
                Error::new(ErrorKind::Usage, "", format!("the tool choice names {name:?}, which is no tool"))
            })
        };
        let chosen = match &self.choice {
            ToolChoice::None => Vec::new(),
            ToolChoice::Auto | ToolChoice::Required => self.tools.iter().collect(),
            ToolChoice::Named(name) => vec![find(name)?],
            ToolChoice::Allowed { names, .. } => names.iter().map(find).collect::<Result<_, _>>()?,
        };
        if chosen.is_empty() && self.must_call() && !self.may_call_builtin() {
            return Err(Error::new(ErrorKind::Usage, "", "a call is required, but there is no tool to call"));
        }
        Ok(chosen)
    }

    /// Whether the choice leaves room for built-in tools, and there are some.
    pub(super) fn may_call_builtin(&self) -> bool {
        !self.builtin.is_empty() && matches!(self.choice, ToolChoice::Auto | ToolChoice::Required)
    }

    /// Whether there must be a call.
    pub(super) fn must_call(&self) -> bool {
        matches!(
            self.choice,
            ToolChoice::Required | ToolChoice::Named(_) | ToolChoice::Allowed { required: true, .. }
        )
    }
}

impl ToolChoice {
    /// The `tool_choice` of a request, as Chat Completions or Responses have it.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid).
    pub fn from_json(choice: &Value) -> Result<Self, Error> {
        let name_of = |value: &Value| {
            let inner = value.get("function").unwrap_or(value);
            inner.get("name").and_then(Value::as_str).map(str::to_owned)
        };
        let wrong = || Error::invalid("", format!("{choice} is no tool choice"));
        match (choice.as_str(), choice.get("type").and_then(Value::as_str)) {
            (Some("auto"), _) => Ok(Self::Auto),
            (Some("none"), _) => Ok(Self::None),
            (Some("required"), _) => Ok(Self::Required),
            (_, Some("function")) => name_of(choice).map(Self::Named).ok_or_else(wrong),
            (_, Some("allowed_tools")) => {
                let inner = choice.get("allowed_tools").unwrap_or(choice);
                let required = match inner.get("mode").and_then(Value::as_str) {
                    Some("required") => true,
                    Some("auto") | None => false,
                    Some(_) => return Err(wrong()),
                };
                let names = inner
                    .get("tools")
                    .and_then(Value::as_array)
                    .map(|tools| tools.iter().map(name_of).collect());
                let names = names.flatten().ok_or_else(wrong)?;
                Ok(Self::Allowed { names, required })
            }
            _ if choice.is_null() => Ok(Self::Auto),
            _ => Err(wrong()),
        }
    }
}
