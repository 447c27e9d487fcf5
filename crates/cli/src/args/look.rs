//! The arguments of the commands that look inside: `mask`, `dump`, `convert`, `vocab`, `tags`.

use super::{GrammarArgs, Output, PoolArgs, TokenizerArgs, seconds};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Says which tokens may come after a text: how many, the first of them, and whether the document may end.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork mask (--schema FILE|--ebnf FILE|--gbnf FILE|--lark FILE|--regex REGEX|--tag FILE|--tools FILE|--json) [OPTIONS]",
    after_help = "\
Examples:
  formwork mask --json --text '{\"a\": '
  formwork mask --regex '[0-9]{4}' --text 20 --tokenizer llama3 --first 5
  formwork mask --schema schema.json --tokenizer ~/models/Llama-3.1-8B --output json

Exit status: 0 fine; 1 the grammar does not allow the text; 2 the grammar, the options or a file is bad."
)]
pub(crate) struct MaskArgs {
    #[command(flatten)]
    pub(crate) grammar: GrammarArgs,

    /// What the model has written so far.
    #[arg(long, value_name = "PREFIX", default_value = "", hide_default_value = true)]
    pub(crate) text: String,

    #[command(flatten)]
    pub(crate) tokenizer: TokenizerArgs,

    #[command(flatten)]
    pub(crate) pool: PoolArgs,

    /// Show so many of the allowed tokens, those of the smallest ids.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) first: usize,

    /// Give up on the grammar or the text after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// How results and errors are printed.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Output,
}

/// Prints what a grammar becomes on its way to masks, as text or as a drawing.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork dump (grammar|fsm|rows|mask) (--schema FILE|--ebnf FILE|--gbnf FILE|--lark FILE|--regex REGEX|--tag FILE|--tools FILE|--json) [OPTIONS]",
    after_help = "\
How to read it:
  fsm   `s3*` may end its rule; `a-z -> s4` reads a byte (hexadecimal if it is not printed well),
        `{r2} -> s5` reads the rule r2, `->+` counts one repetition
  rows  what may be read after each byte: states, and the row in which their rule began
  mask  for each state, of all tokens: how many it accepts by itself; how many reach beyond the end
        of its rule, as suffixes or as places in the vocabulary's trie; and at most how many bytes

Examples:
  formwork dump grammar --schema schema.json
  formwork dump fsm --regex '(ab|cd)*' --graphviz | dot -Tpng > fsm.png
  formwork dump rows --json --text '[1'
  formwork dump mask --json --text '[1' --tokenizer llama3

Exit status: 0 fine; 1 the grammar does not allow the text; 2 the grammar, the options or a file is bad."
)]
pub(crate) struct DumpArgs {
    /// What to print.
    #[arg(value_name = "WHAT")]
    pub(crate) what: What,

    #[command(flatten)]
    pub(crate) grammar: GrammarArgs,

    /// With `rows`, the text to follow; with `mask`, print only the states that are reached after it.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) text: Option<String>,

    /// With `mask`, whose tokens, as for `formwork generate`; by default `o200k_base`.
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) tokenizer: Option<String>,

    /// With `grammar` and `fsm`, print a drawing in Graphviz's language, DOT.
    #[arg(long)]
    pub(crate) graphviz: bool,

    /// With `grammar` and `fsm`, write a drawing to this file, with Graphviz's program `dot`.
    #[arg(long, value_name = "FILE", conflicts_with = "graphviz")]
    pub(crate) svg: Option<PathBuf>,

    /// Give up on the grammar or the text after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

/// A stage on the way from a grammar to masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The rules, as EBNF; drawn: which rule refers to which.
    Grammar,
    /// The automata that the rules are compiled to.
    Fsm,
    /// What is known after each byte of a text.
    Rows,
    /// What each state alone says about all tokens.
    Mask,
}

impl What {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Grammar => "grammar",
            Self::Fsm => "fsm",
            Self::Rows => "rows",
            Self::Mask => "mask",
        }
    }
}

/// Writes a grammar in another notation, or says what that notation cannot express.
#[derive(Args, Debug)]
#[command(
    override_usage = "formwork convert (--schema FILE|--ebnf FILE|--gbnf FILE|--lark FILE|--regex REGEX|--tag FILE|--tools FILE|--json) --to NOTATION",
    after_help = "\
Examples:
  formwork convert --gbnf grammar.gbnf --to ebnf > grammar.ebnf
  formwork convert --lark grammar.lark --to gbnf > grammar.gbnf
  formwork convert --schema schema.json --to gbnf
  formwork convert --ebnf date.ebnf --to regex

Exit status: 0 fine; 2 the grammar, the options or a file is bad, or the notation has no words for something in it."
)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) grammar: GrammarArgs,

    /// The notation to write.
    #[arg(long, value_name = "NOTATION")]
    pub(crate) to: Notation,
}

/// A notation for grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Notation {
    /// Formwork's EBNF, which can say everything.
    Ebnf,
    /// GBNF, the dialect of llama.cpp; no intersections, complements or left recursion.
    Gbnf,
    /// One regular expression in Rust's dialect; no recursion.
    Regex,
}

/// Looks at tokenizers.
#[derive(Args, Debug)]
pub(crate) struct VocabArgs {
    #[command(subcommand)]
    pub(crate) command: VocabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VocabCommand {
    /// Prints what is in a tokenizer, and what is odd about it: the first thing to look at when masks look wrong.
    #[command(after_help = "\
Examples:
  formwork vocab show
  formwork vocab show --tokenizer ~/models/Llama-3.1-8B

Exit status: 0 fine; 2 the options or a file is bad.")]
    Show {
        #[command(flatten)]
        tokenizer: TokenizerArgs,
    },
}

/// Looks at structural tags and at what models write that call tools.
#[derive(Args, Debug)]
pub(crate) struct TagsArgs {
    #[command(subcommand)]
    pub(crate) command: TagsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TagsCommand {
    /// Prints the grammar that tags expand to, and the automata that find triggers in free text.
    ///
    /// After the grammar, as comments: a line for each state of an automaton, named by what the text ends with; which
    /// characters lead where (all others lead back to the first), and what is complete there. What can hardly be meant (a
    /// trigger that another always beats, one that cuts a special token's name) goes to standard error.
    #[command(
        override_usage = "formwork tags show (--tag FILE|--tools FILE --model NAME) [OPTIONS]",
        after_help = "\
Examples:
  formwork tags show --tag tag.json
  formwork tags show --tools tools.json --model harmony --tool-choice required
  formwork tags show --tools tools.json --model qwen3 --tokenizer qwen3 --graphviz | dot -Tpng > tags.png

Exit status: 0 fine; 2 the tags, the options or a file is bad."
    )]
    Show {
        #[command(flatten)]
        grammar: Box<GrammarArgs>,

        /// Whose special tokens: names of them in triggers mean those tokens. Without it, all of a trigger is text.
        #[arg(long, value_name = "NAME|PATH")]
        tokenizer: Option<String>,

        /// Print a drawing of the automata in Graphviz's language, DOT.
        #[arg(long)]
        graphviz: bool,

        /// Write a drawing of the automata to this file, with Graphviz's program `dot`.
        #[arg(long, value_name = "FILE", conflicts_with = "graphviz")]
        svg: Option<PathBuf>,
    },
}
