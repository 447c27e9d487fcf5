//! Which grammar: a schema, EBNF, GBNF, Lark, a regular expression, a structural tag or any JSON, and the step from its text to a `Grammar`.

use crate::hints::Hints;
use crate::problem::Problem;
use formwork::json_schema::Report;
use formwork::{Grammar, ebnf, json_schema, regex, tags};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The text of a grammar and how it is to be read.
#[derive(Clone, Debug)]
pub enum Source {
    /// A JSON Schema and its options, by the names of CONTRACTS.md section 2.
    Schema {
        /// The schema's text.
        text: String,
        /// A JSON object.
        options: Value,
    },
    /// EBNF; its bytes need not be UTF-8, which is one of the errors that it may have.
    Ebnf {
        /// The grammar's text.
        text: Vec<u8>,
        /// The start rule, if it is not `root`.
        root: Option<String>,
    },
    /// GBNF, the dialect of llama.cpp; its bytes need not be UTF-8 either.
    Gbnf {
        /// The grammar's text.
        text: Vec<u8>,
        /// The start rule, if it is not `root`.
        root: Option<String>,
    },
    /// A Lark grammar; its bytes need not be UTF-8 either.
    Lark {
        /// The grammar's text.
        text: Vec<u8>,
        /// The start rule, if it is not `start`.
        root: Option<String>,
        /// Where the files are that it imports; without it there are none.
        folder: Option<PathBuf>,
    },
    /// A regular expression that the whole text must match.
    Regex(String),
    /// What a model may write that can call tools.
    Tools {
        /// The tools of a request, a JSON list.
        text: String,
        /// The family of the model.
        model: String,
        /// `auto`, `none`, `required`, the name of a tool, or a request's `tool_choice` as JSON.
        choice: Option<String>,
        /// `off`, `on` or `auto`.
        reasoning: Option<String>,
        /// The tools that the model knows by itself and may call.
        builtin: Vec<String>,
        /// The greatest number of characters between the marks of reasoning.
        max_reasoning_chars: Option<u32>,
        /// The greatest number of tokens there.
        max_reasoning_tokens: Option<NonZeroU32>,
        /// A JSON object: the options of the schemas in it.
        options: Value,
    },
    /// A structural tag, and the options of the schemas in it.
    Tag {
        /// The document's text.
        text: String,
        /// A JSON object.
        options: Value,
    },
}

/// A grammar, and what became of each keyword.
#[derive(Debug)]
pub struct Loaded {
    /// The grammar.
    pub grammar: Grammar,
    /// What became of each keyword of a schema; empty for everything else.
    pub report: Report,
}

impl Source {
    /// Reads the text.
    ///
    /// # Errors
    /// Whatever the frontend has to say about it.
    pub fn load(&self) -> Result<Loaded, Problem> {
        match self {
            Self::Schema { text, options } => {
                let options = json_schema::Options::from_json(options)?;
                let (grammar, report) = options.grammar_with_report(text)?;
                Ok(Loaded { grammar, report })
            }
            Self::Ebnf { text, root } => {
                grammar_rules(ebnf::Options::new().dialect(ebnf::Dialect::Ebnf), text, root.as_deref())
            }
            Self::Gbnf { text, root } => {
                grammar_rules(ebnf::Options::new().dialect(ebnf::Dialect::Gbnf), text, root.as_deref())
            }
            Self::Lark { text, root, folder } => {
                let mut options = ebnf::Options::new().dialect(ebnf::Dialect::Lark);
                if let Some(folder) = folder.clone() {
                    options = options.imports(move |path| std::fs::read_to_string(folder.join(path)).ok());
                }
                grammar_rules(options, text, root.as_deref())
            }
            Self::Regex(pattern) => {
                let grammar = regex::grammar(pattern)?;
                Ok(Loaded { grammar, report: Report::default() })
            }
            Self::Tag { text, options } => {
                let options = tag_options(options)?;
                Ok(Loaded { grammar: options.grammar(text)?, report: Report::default() })
            }
            Self::Tools {
                text,
                model,
                choice,
                reasoning,
                builtin,
                max_reasoning_chars,
                max_reasoning_tokens,
                options,
            } => {
                let options = tag_options(options)?;
                let tools = serde_json::from_str(text)
                    .map_err(|error| Problem::usage(format!("the tools are no JSON: {error}")))?;
                let mut tools = tags::Tools::from_json(&tools)?
                    .choice(tool_choice(choice.as_deref())?)
                    .reasoning(whether_to_reason(reasoning.as_deref())?)
                    .builtin(builtin.iter().cloned());
                if let Some(max) = *max_reasoning_chars {
                    tools = tools.max_reasoning_chars(max);
                }
                if let Some(max) = *max_reasoning_tokens {
                    tools = tools.max_reasoning_tokens(max);
                }
                let format = tags::Model::named(model)?.format(&tools)?;
                Ok(Loaded { grammar: options.grammar_of(&format)?, report: Report::default() })
            }
        }
    }

    /// Words of the text that documents should use.
    pub fn hints(&self) -> Hints {
        match self {
            Self::Schema { text, .. } | Self::Tag { text, .. } | Self::Tools { text, .. } => {
                Hints::of_schema(text)
            }
            Self::Ebnf { text, .. } | Self::Gbnf { text, .. } | Self::Lark { text, .. } => {
                Hints::of_ebnf(&String::from_utf8_lossy(text))
            }
            Self::Regex(_) => Hints::default(),
        }
    }
}

/// How tags are read: objects are closed unless they or the options say otherwise.
fn tag_options(options: &Value) -> Result<tags::Options, Problem> {
    let schemas = json_schema::Options::from_json(options)?;
    let strict = options.get("strict_objects").and_then(Value::as_bool).unwrap_or(true);
    Ok(tags::Options::default().schemas(schemas).strict_objects(strict))
}

fn tool_choice(choice: Option<&str>) -> Result<tags::ToolChoice, Problem> {
    match choice {
        None => Ok(tags::ToolChoice::Auto),
        Some(word @ ("auto" | "none" | "required")) => Ok(tags::ToolChoice::from_json(&json!(word))?),
        Some(text) if text.starts_with('{') => {
            let choice = serde_json::from_str(text)
                .map_err(|error| Problem::usage(format!("--tool-choice is no JSON: {error}")))?;
            Ok(tags::ToolChoice::from_json(&choice)?)
        }
        Some(name) => Ok(tags::ToolChoice::Named(name.to_owned())),
    }
}

fn whether_to_reason(reasoning: Option<&str>) -> Result<tags::Reasoning, Problem> {
    match reasoning {
        None | Some("off") => Ok(tags::Reasoning::Off),
        Some("on") => Ok(tags::Reasoning::On),
        Some("auto") => Ok(tags::Reasoning::Auto),
        Some(other) => Err(Problem::usage(format!("--reasoning is `off`, `on` or `auto`, not `{other}`"))),
    }
}

fn grammar_rules(mut options: ebnf::Options, text: &[u8], root: Option<&str>) -> Result<Loaded, Problem> {
    if let Some(root) = root {
        options = options.root(root);
    }
    let grammar = options.grammar_from_bytes(text)?;
    Ok(Loaded { grammar, report: Report::default() })
}

/// The report as JSON: three lists of places.
pub(crate) fn report_json(report: &Report) -> Value {
    let list = |entries: &[json_schema::ReportEntry]| -> Value {
        entries.iter().map(|entry| json!({"pointer": entry.pointer(), "what": entry.what()})).collect()
    };
    json!({
        "enforced": list(report.enforced()),
        "relaxed": list(report.relaxed()),
        "ignored": list(report.ignored()),
        "notes": list(report.notes()),
    })
}
