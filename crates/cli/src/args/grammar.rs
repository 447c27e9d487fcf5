//! Which grammar: the arguments that every command with a grammar shares, and the step to a [`Source`].

use crate::problem::Problem;
use crate::source::Source;
use clap::Args;
use serde_json::{Map, Value};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct GrammarArgs {
    #[command(flatten)]
    which: Which,

    /// With --ebnf, --gbnf and --lark, the rule that the whole document must match, if it is not `root` (`start` in Lark).
    #[arg(long, value_name = "NAME", help_heading = "Grammar")]
    root: Option<String>,

    #[command(flatten)]
    tools: ToolsArgs,

    #[command(flatten)]
    options: SchemaArgs,
}

#[derive(Args, Debug)]
#[group(multiple = false)]
struct Which {
    /// A JSON Schema.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    schema: Option<PathBuf>,

    /// A grammar in EBNF; the rule that the whole document must match is called `root`.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    ebnf: Option<PathBuf>,

    /// A grammar in GBNF, the dialect of llama.cpp.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    gbnf: Option<PathBuf>,

    /// A grammar in Lark's dialect, read without a lexer; it imports files relative to its own.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    lark: Option<PathBuf>,

    /// A regular expression that the whole document must match.
    #[arg(long, value_name = "REGEX", help_heading = "Grammar")]
    regex: Option<String>,

    /// A structural tag: free text with constrained parts, as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    tag: Option<PathBuf>,

    /// The tools of a request, as OpenAI's APIs have them: what a model may write that can call them. Needs --model.
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    tools: Option<PathBuf>,

    /// Any JSON.
    #[arg(long, help_heading = "Grammar")]
    json: bool,
}

const TOOLS_HEADING: &str = "Options of --tools";

/// Options of `--tools`. Their values are checked by the tags frontend.
#[derive(Args, Debug)]
struct ToolsArgs {
    /// The family of the model, such as `llama3` or `qwen3`.
    #[arg(long, value_name = "NAME", help_heading = TOOLS_HEADING)]
    model: Option<String>,

    /// Which tools are called: `auto`, `none`, `required`, the name of one, or a request's `tool_choice` as JSON.
    #[arg(long, value_name = "CHOICE", help_heading = TOOLS_HEADING)]
    tool_choice: Option<String>,

    /// Whether the model thinks first: `off`, `on`, or `auto`, as it likes.
    #[arg(long, value_name = "WHETHER", help_heading = TOOLS_HEADING)]
    reasoning: Option<String>,

    /// A tool that the model knows by itself, such as `python` of `harmony`. May be repeated, or a list with commas.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = TOOLS_HEADING)]
    builtin: Vec<String>,

    /// The greatest number of characters between the marks of reasoning.
    #[arg(long, value_name = "N", help_heading = TOOLS_HEADING)]
    max_reasoning_chars: Option<u32>,

    /// The greatest number of tokens between the marks of reasoning. Without a tokenizer, tokens are not counted.
    #[arg(long, value_name = "N", help_heading = TOOLS_HEADING)]
    max_reasoning_tokens: Option<NonZeroU32>,
}

const SCHEMA_HEADING: &str = "Options of --schema, --tag, --tools and --json";

/// Options of `--schema`, `--tag`, `--tools` and `--json`. Their values are checked by the schema frontend, which knows them best.
#[derive(Args, Debug)]
struct SchemaArgs {
    /// Order of an object's members: `schema` (as declared, then others) or `any`.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "ORDER")]
    property_order: Option<String>,

    /// White space between tokens: `bounded`, `any`, `compact`, or as `json.dumps` writes, such as `{"indent": 2}`.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "HOW")]
    whitespace: Option<String>,

    /// Spellings of numbers: `plain` (integers without fraction or exponent), `any`, or `canonical` (one for each value).
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "HOW")]
    numbers: Option<String>,

    /// Whether `format` restricts strings: `assert` or `annotate`.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "HOW")]
    formats: Option<String>,

    /// Close objects that declare properties and do not say whether others may come.
    #[arg(long, help_heading = SCHEMA_HEADING)]
    strict_objects: bool,

    /// Read the schema as this draft, such as `2020-12` or `7`, whatever it says itself.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "DRAFT")]
    draft: Option<String>,

    /// Compile without this keyword where it cannot be enforced; `oneOf` is read as `anyOf`. May be repeated, or a list with commas.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "KEYWORD", value_delimiter = ',')]
    relax: Vec<String>,
}

impl GrammarArgs {
    /// The grammar's text, read from its file; `or_else` says what else could have been given.
    pub(crate) fn source(&self, or_else: &str) -> Result<Source, Problem> {
        let Which { schema, ebnf, gbnf, lark, regex, tag, tools, json } = &self.which;
        if schema.is_none()
            && tag.is_none()
            && tools.is_none()
            && !json
            && let Some(option) = self.options.first()
        {
            return Err(Problem::usage(format!(
                "{option} is an option of --schema, --tag, --tools and --json"
            )));
        }
        // clap's `requires` gives way to the group's conflicts.
        if self.root.is_some() && ebnf.is_none() && gbnf.is_none() && lark.is_none() {
            return Err(Problem::usage("--root is an option of --ebnf, --gbnf and --lark"));
        }
        if tools.is_none()
            && let Some(option) = self.tools.first()
        {
            return Err(Problem::usage(format!("{option} is an option of --tools")));
        }
        if let Some(path) = schema {
            Ok(Source::Schema { text: read_text(path)?, options: self.options.to_json() })
        } else if let Some(path) = ebnf {
            Ok(Source::Ebnf { text: read(path)?, root: self.root.clone() })
        } else if let Some(path) = gbnf {
            Ok(Source::Gbnf { text: read(path)?, root: self.root.clone() })
        } else if let Some(path) = lark {
            let folder = path.parent().map(Path::to_owned);
            Ok(Source::Lark { text: read(path)?, root: self.root.clone(), folder })
        } else if let Some(pattern) = regex {
            Ok(Source::Regex(pattern.clone()))
        } else if let Some(path) = tag {
            Ok(Source::Tag { text: read_text(path)?, options: self.options.to_json() })
        } else if let Some(path) = tools {
            let ToolsArgs {
                model,
                tool_choice,
                reasoning,
                builtin,
                max_reasoning_chars,
                max_reasoning_tokens,
            } = &self.tools;
            let Some(model) = model.clone() else {
                return Err(Problem::usage("--tools needs --model, the family of the model"));
            };
            let (choice, reasoning) = (tool_choice.clone(), reasoning.clone());
            Ok(Source::Tools {
                text: read_text(path)?,
                model,
                choice,
                reasoning,
                builtin: builtin.clone(),
                max_reasoning_chars: *max_reasoning_chars,
                max_reasoning_tokens: *max_reasoning_tokens,
                options: self.options.to_json(),
            })
        } else if *json {
            Ok(Source::Schema { text: "true".to_owned(), options: self.options.to_json() })
        } else {
            Err(Problem::usage(format!(
                "which grammar? Say --schema FILE, --ebnf FILE, --gbnf FILE, --lark FILE, --regex REGEX, --tag FILE, --tools FILE or --json{or_else}"
            )))
        }
    }

    /// Whether the grammar is one of tags.
    pub(crate) fn is_of_tags(&self) -> bool {
        self.which.tag.is_some() || self.which.tools.is_some()
    }

    /// What messages about the grammar should name.
    fn about(&self) -> Option<String> {
        let Which { schema, ebnf, gbnf, lark, tag, tools, .. } = &self.which;
        let path = [schema, ebnf, gbnf, lark, tag, tools].into_iter().find_map(Option::as_ref)?;
        Some(path.display().to_string())
    }

    /// Says which file a problem with the grammar is about.
    pub(crate) fn locate(&self, problem: Problem) -> Problem {
        match self.about() {
            Some(about) if problem.kind() != "usage" => problem.about(about),
            _ => problem,
        }
    }

    /// The first option that has no meaning where each question brings its own.
    pub(super) fn first_option(&self) -> Option<&'static str> {
        if self.root.is_some() { Some("--root") } else { self.tools.first().or_else(|| self.options.first()) }
    }
}

impl ToolsArgs {
    /// The first option that was given.
    fn first(&self) -> Option<&'static str> {
        let given = [
            (self.model.is_some(), "--model"),
            (self.tool_choice.is_some(), "--tool-choice"),
            (self.reasoning.is_some(), "--reasoning"),
            (!self.builtin.is_empty(), "--builtin"),
            (self.max_reasoning_chars.is_some(), "--max-reasoning-chars"),
            (self.max_reasoning_tokens.is_some(), "--max-reasoning-tokens"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

impl SchemaArgs {
    /// The options by the names of CONTRACTS.md section 2.
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        let words = [
            ("property_order", &self.property_order),
            ("numbers", &self.numbers),
            ("formats", &self.formats),
            ("draft", &self.draft),
        ];
        for (name, word) in words {
            if let Some(word) = word {
                out.insert(name.to_owned(), word.as_str().into());
            }
        }
        if let Some(how) = &self.whitespace {
            let value = match serde_json::from_str(how) {
                Ok(value @ Value::Object(_)) => value,
                _ => how.as_str().into(),
            };
            out.insert("whitespace".to_owned(), value);
        }
        if self.strict_objects {
            out.insert("strict_objects".to_owned(), true.into());
        }
        if !self.relax.is_empty() {
            out.insert("relax".to_owned(), self.relax.iter().map(String::as_str).collect());
        }
        Value::Object(out)
    }

    /// The first option that was given.
    fn first(&self) -> Option<&'static str> {
        let given = [
            (self.property_order.is_some(), "--property-order"),
            (self.whitespace.is_some(), "--whitespace"),
            (self.numbers.is_some(), "--numbers"),
            (self.formats.is_some(), "--formats"),
            (self.strict_objects, "--strict-objects"),
            (self.draft.is_some(), "--draft"),
            (!self.relax.is_empty(), "--relax"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}

fn read_text(path: &Path) -> Result<String, Problem> {
    String::from_utf8(read(path)?).map_err(|error| Problem::file(path, error.utf8_error()))
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| Problem::file(path, error))
}
