//! The arguments: what can be said, how it is explained, and the step to a [`Source`].

use crate::problem::Problem;
use crate::source::Source;
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Output that follows a grammar, exactly.
#[derive(Debug, Parser)]
#[command(
    name = "formwork",
    version,
    about = "Makes the output of language models follow a JSON Schema, a grammar or a regular expression, exactly.",
    long_about = "Makes the output of language models follow a JSON Schema, a grammar or a regular expression, exactly.\n\n\
                  While a model writes, Formwork tells it after every token which tokens may come next. This program shows \
                  what that does, without a model: `generate` writes documents under these masks, and `check` says \
                  whether a document is allowed, and if not, where it goes wrong.",
    after_help = "\
Examples:
  formwork generate --schema examples/schemas/order/schema.json
  formwork check --schema examples/schemas/order/schema.json answer.json
  echo '3 * (4 + 5)' | formwork check --ebnf examples/ebnf/arithmetic/grammar.ebnf

Exit status: 0 fine; 1 the document was rejected, or not finished; 2 the grammar, the options or a file is bad.",
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Generate(GenerateArgs),
}

/// Says whether a document is allowed, and if not, where it goes wrong and what could have come instead.
///
/// Works on bytes, without a tokenizer. One final newline of the document is dropped.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork check (--schema FILE|--ebnf FILE|--regex REGEX|--json) [OPTIONS] [FILE]\n       \
                      formwork check --jsonl",
    after_help = "\
Examples:
  formwork check --schema schema.json answer.json
  formwork check --regex '[0-9]{4}-[0-9]{2}' - < month.txt
  formwork check --ebnf grammar.ebnf --root statement program.txt
  formwork check --json --output json answer.json

With --jsonl, each line of standard input is a question and gets one line of answer at once:
  {\"schema\": {\"type\": \"integer\"}, \"instances\": [\"1\", \"1.5\"], \"options\": {\"numbers\": \"any\"}}
  {\"compile_error\": null, \"verdicts\": [true, false], \"report\": {...}}
Instead of \"schema\" there can be \"ebnf\" or \"regex\". A schema can be given as JSON or as a string of its text.

Exit status: 0 accepted; 1 rejected; 2 the grammar, the options or a file is bad. With --jsonl always 0."
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    grammar: GrammarArgs,

    /// Answer questions from standard input, line by line (see below).
    #[arg(long, conflicts_with_all = ["schema", "ebnf", "regex", "tag", "json", "file"])]
    pub(crate) jsonl: bool,

    /// The document; `-` is standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,

    /// Give up on a grammar or a document after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// How results and errors are printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Output,
}

/// Writes documents that the grammar allows, one token at a time, under the masks.
///
/// No model is involved: words and numbers are drawn at random, by a sampler that leans towards finishing. What a model
/// would add is sense; what Formwork guarantees is form. The same seed writes the same document.
///
/// The document goes to standard output; the number of tokens, the time to compile and the times to fill a mask go to
/// standard error.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork generate (--schema FILE|--ebnf FILE|--regex REGEX|--json) [OPTIONS]",
    after_help = "\
Examples:
  formwork generate --schema examples/schemas/order/schema.json --seed 7
  formwork generate --ebnf examples/ebnf/select/grammar.ebnf --count 5
  formwork generate --json --tokenizer ~/models/llama-3.1/tokenizer.json
  formwork generate --regex '(GET|PUT) /[a-z]{1,8}' --tokenizer cl100k_base

Exit status: 0 fine; 1 a document was stopped by --max-tokens; 2 the grammar, the options or a file is bad."
)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    grammar: GrammarArgs,

    /// Tokens of this tokenizer: `o200k_base`, `cl100k_base`, or the path of a Hugging Face `tokenizer.json`.
    #[arg(long, value_name = "NAME|PATH", default_value = "o200k_base")]
    pub(crate) tokenizer: String,

    /// The token that ends the document; by default what the tokenizer's files name. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,

    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Stop after this many tokens even if the document is not complete.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_tokens: usize,

    /// Write this many documents, with the seeds that follow.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) count: u64,

    /// Give up compiling after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// How results and errors are printed; `json` is one object per line and document.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Output,
}

/// How results and errors are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Text,
    /// For programs: JSON on standard output, errors too.
    Json,
}

impl Output {
    pub(crate) fn is_json(self) -> bool {
        self == Self::Json
    }
}

#[derive(Args, Debug)]
pub(crate) struct GrammarArgs {
    #[command(flatten)]
    which: Which,

    /// With --ebnf, the rule that the whole document must match, if it is not `root`.
    #[arg(long, value_name = "NAME", help_heading = "Grammar")]
    root: Option<String>,

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

    /// A regular expression that the whole document must match.
    #[arg(long, value_name = "REGEX", help_heading = "Grammar")]
    regex: Option<String>,

    /// A structural tag (not supported yet).
    #[arg(long, value_name = "FILE", help_heading = "Grammar")]
    tag: Option<PathBuf>,

    /// Any JSON.
    #[arg(long, help_heading = "Grammar")]
    json: bool,
}

const SCHEMA_HEADING: &str = "Options of --schema and --json";

/// Options of `--schema` and `--json`. Their values are checked by the schema frontend, which knows them best.
#[derive(Args, Debug)]
struct SchemaArgs {
    /// Order of an object's members: `schema` (as declared, then others) or `any`.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "ORDER")]
    property_order: Option<String>,

    /// White space between tokens: `any` or `compact`.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "HOW")]
    whitespace: Option<String>,

    /// Spellings of numbers: `plain` (integers without fraction or exponent) or `any`.
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

    /// Compile without this keyword where it cannot be enforced. May be repeated, or a list with commas.
    #[arg(long, help_heading = SCHEMA_HEADING, value_name = "KEYWORD", value_delimiter = ',')]
    relax: Vec<String>,
}

impl CheckArgs {
    pub(crate) fn source(&self) -> Result<Source, Problem> {
        self.grammar.source("; or --jsonl, to be asked line by line")
    }

    /// The first argument that has no meaning beside `--jsonl`, where each line brings its own.
    pub(crate) fn beside_jsonl(&self) -> Option<&'static str> {
        let options = &self.grammar.options;
        if self.grammar.root.is_some() { Some("--root") } else { options.first() }
    }
}

impl GenerateArgs {
    pub(crate) fn source(&self) -> Result<Source, Problem> {
        self.grammar.source("")
    }
}

impl GrammarArgs {
    fn source(&self, or_else: &str) -> Result<Source, Problem> {
        let Which { schema, ebnf, regex, tag, json } = &self.which;
        if schema.is_none()
            && !json
            && let Some(option) = self.options.first()
        {
            return Err(Problem::usage(format!("{option} is an option of --schema and --json")));
        }
        // clap's `requires` gives way to the group's conflicts.
        if self.root.is_some() && ebnf.is_none() {
            return Err(Problem::usage("--root is an option of --ebnf"));
        }
        if let Some(path) = schema {
            let bytes = read(path)?;
            let text = String::from_utf8(bytes).map_err(|error| Problem::file(path, error.utf8_error()))?;
            Ok(Source::Schema { text, options: self.options.to_json() })
        } else if let Some(path) = ebnf {
            Ok(Source::Ebnf { text: read(path)?, root: self.root.clone() })
        } else if let Some(pattern) = regex {
            Ok(Source::Regex(pattern.clone()))
        } else if tag.is_some() {
            Err(Problem::usage("structural tags are not supported yet; --schema, --ebnf and --regex are"))
        } else if *json {
            Ok(Source::Schema { text: "true".to_owned(), options: self.options.to_json() })
        } else {
            Err(Problem::usage(format!(
                "which grammar? Say --schema FILE, --ebnf FILE, --regex REGEX or --json{or_else}"
            )))
        }
    }

    /// What messages about the grammar should name.
    fn about(&self) -> Option<String> {
        let path = self.which.schema.as_ref().or(self.which.ebnf.as_ref())?;
        Some(path.display().to_string())
    }
}

impl CheckArgs {
    pub(crate) fn locate(&self, problem: Problem) -> Problem {
        locate(&self.grammar, problem)
    }
}

impl GenerateArgs {
    pub(crate) fn locate(&self, problem: Problem) -> Problem {
        locate(&self.grammar, problem)
    }
}

fn locate(grammar: &GrammarArgs, problem: Problem) -> Problem {
    match grammar.about() {
        Some(about) if problem.kind() != "usage" => problem.about(about),
        _ => problem,
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

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| Problem::file(path, error))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
