//! Which grammar: a schema, EBNF, GBNF, a regular expression, a structural tag or any JSON, and the step from its text to a `Grammar`.

use crate::hints::Hints;
use crate::problem::Problem;
use formwork::json_schema::Report;
use formwork::{Grammar, ebnf, json_schema, regex, tags};
use serde_json::{Value, json};

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
    /// A regular expression that the whole text must match.
    Regex(String),
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
            Self::Ebnf { text, root } => grammar_rules(ebnf::Dialect::Ebnf, text, root.as_deref()),
            Self::Gbnf { text, root } => grammar_rules(ebnf::Dialect::Gbnf, text, root.as_deref()),
            Self::Regex(pattern) => {
                let grammar = regex::grammar(pattern)?;
                Ok(Loaded { grammar, report: Report::default() })
            }
            Self::Tag { text, options } => {
                let schemas = json_schema::Options::from_json(options)?;
                // Closed unless they say otherwise, as the crate has it, unless the options say otherwise.
                let strict = options.get("strict_objects").and_then(Value::as_bool).unwrap_or(true);
                let options = tags::Options::default().schemas(schemas).strict_objects(strict);
                Ok(Loaded { grammar: options.grammar(text)?, report: Report::default() })
            }
        }
    }

    /// Words of the text that documents should use.
    pub fn hints(&self) -> Hints {
        match self {
            Self::Schema { text, .. } | Self::Tag { text, .. } => Hints::of_schema(text),
            Self::Ebnf { text, .. } | Self::Gbnf { text, .. } => {
                Hints::of_ebnf(&String::from_utf8_lossy(text))
            }
            Self::Regex(_) => Hints::default(),
        }
    }
}

fn grammar_rules(dialect: ebnf::Dialect, text: &[u8], root: Option<&str>) -> Result<Loaded, Problem> {
    let mut options = ebnf::Options::new().dialect(dialect);
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
