//! The arguments: what can be said, and how it is explained.

mod grammar;
mod look;

pub(crate) use grammar::GrammarArgs;
pub(crate) use look::{
    ConvertArgs, DumpArgs, MaskArgs, Notation, TagsArgs, TagsCommand, VocabArgs, VocabCommand, What,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
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
                  whether a document is allowed, and if not, where it goes wrong. The others look inside.",
    after_help = "\
Examples:
  formwork generate --schema examples/schemas/order/schema.json
  formwork check --schema examples/schemas/order/schema.json answer.json
  echo '3 * (4 + 5)' | formwork check --ebnf examples/ebnf/arithmetic/grammar.ebnf
  formwork mask --json --text '[1, ' --first 5

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
    Mask(MaskArgs),
    Dump(DumpArgs),
    Convert(ConvertArgs),
    Vocab(VocabArgs),
    Tags(TagsArgs),
}

/// Says whether a document is allowed, and if not, where it goes wrong and what could have come instead.
///
/// Works on bytes, without a tokenizer. One final newline of the document is dropped.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork check (--schema FILE|--ebnf FILE|--gbnf FILE|--lark FILE|--regex REGEX|--tag FILE|--tools FILE|--json) [OPTIONS] [FILE]\n       \
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
Instead of \"schema\" there can be \"ebnf\", \"gbnf\", \"lark\" or \"regex\". A schema can be given as JSON or as a string of its text.

Exit status: 0 accepted; 1 rejected; 2 the grammar, the options or a file is bad. With --jsonl always 0."
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) grammar: GrammarArgs,

    /// Answer questions from standard input, line by line (see below).
    #[arg(long, conflicts_with_all = ["schema", "ebnf", "gbnf", "lark", "regex", "tag", "json", "file"])]
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
    override_usage = "formwork generate (--schema FILE|--ebnf FILE|--gbnf FILE|--lark FILE|--regex REGEX|--tag FILE|--tools FILE|--json) [OPTIONS]",
    after_help = "\
Examples:
  formwork generate --schema examples/schemas/order/schema.json --seed 7
  formwork generate --ebnf examples/ebnf/select/grammar.ebnf --count 5
  formwork generate --json --tokenizer ~/models/Llama-3.1-8B
  formwork generate --regex '(GET|PUT) /[a-z]{1,8}' --tokenizer cl100k_base

Exit status: 0 fine; 1 a document was stopped by --max-tokens; 2 the grammar, the options or a file is bad."
)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    pub(crate) grammar: GrammarArgs,

    #[command(flatten)]
    pub(crate) tokenizer: TokenizerArgs,

    #[command(flatten)]
    pub(crate) pool: PoolArgs,

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

/// What is kept from run to run.
#[derive(Args, Debug)]
pub(crate) struct PoolArgs {
    /// Begin with what earlier runs with this tokenizer computed and kept in FILE, and keep there what is new.
    #[arg(long = "pool", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Whose tokens.
#[derive(Args, Debug)]
pub(crate) struct TokenizerArgs {
    /// Whose tokens: a model's folder, a tokenizer file (`tokenizer.json`, `tekken.json`, tiktoken ranks, GGUF), or an
    /// embedded tokenizer, such as `o200k_base`, `llama3` or `qwen3`; `bytes` is one token for each byte.
    #[arg(long = "tokenizer", value_name = "NAME|PATH", default_value = "o200k_base")]
    pub(crate) name: String,

    /// The token that ends the document; by default what the tokenizer's files name. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,
}

impl CheckArgs {
    /// The first argument that has no meaning beside `--jsonl`, where each line brings its own.
    pub(crate) fn beside_jsonl(&self) -> Option<&'static str> {
        self.grammar.first_option()
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
