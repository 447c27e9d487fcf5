//! `cargo xtask grammars`: how long masks take for grammars as people write them, and for the same ones written for an
//! engine.
//!
//! The grammars are those of `data/grammars`, measured on their accepted texts, and what `cargo xtask grammars fetch` put
//! into `.cache/grammars`, measured on random walks. Every grammar is compiled twice: as it is written, and with its rules
//! in their place (`inlined.ebnf` if there is one). A mask that takes ten times as long as written is a bug of ours, since
//! nobody should have to know how an engine works to write a grammar; such lines are marked.
//!
//! What is timed is `fill_mask` of a new matcher whose grammar's local masks are there, the least of several rounds, in
//! microseconds; `first` is the longest mask of all in the round before, in which local masks were made. Masks that are
//! long in both forms are marked too, since then nobody can do anything about it by writing the grammar otherwise.

mod fetch;
mod inline;
mod lark;
mod measure;

use crate::{Arguments, tree};
use anyhow::{Context, Result, bail};
use formwork::{Grammar, Vocabulary, ebnf};
use measure::{Measured, measure, random_walks};
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: grammars [--tokenizer NAME|FILE] [NAME]... | grammars lark [--tokenizer NAME|FILE] | grammars fetch";
/// The vocabulary for the files of `lark`, among those that `cargo xtask tokenizers fetch` gets.
const LARK_TOKENIZER: &str = ".cache/tokenizers/llama3_1";

/// How much longer a mask may take as written.
const MAX_RATIO: f64 = 10.0;
/// In microseconds: below this a ratio says more about clocks than about masks.
const FLOOR: f64 = 1.0;
/// In microseconds: masks that take this long are worth a look, whatever the other form says.
const LONG: f64 = 100.0;

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    if arguments.first().is_some_and(|argument| argument == "fetch") {
        return fetch::run(&fetched_folder());
    }
    let (mut tokenizer, mut names) = (None, Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--tokenizer" => tokenizer = Some(rest.next().context("--tokenizer needs a name or a file")?),
            _ if argument.starts_with('-') => bail!("{USAGE}, not {argument}"),
            _ => names.push(argument),
        }
    }
    if names.first().is_some_and(|name| name == "lark") {
        let default = || tree::root().join(LARK_TOKENIZER).to_string_lossy().into_owned();
        return lark::run(&fetched_folder().join("lark"), &tokenizer.unwrap_or_else(default));
    }
    let tokenizer = tokenizer.unwrap_or_else(|| "o200k_base".to_owned());
    let vocabulary = crate::exact::vocabulary(&tokenizer)?;
    println!("{tokenizer}: {vocabulary}");
    if cfg!(debug_assertions) {
        println!("NOTE: a development build; for real times `cargo run --release -p xtask -- grammars`");
    }
    let is_wanted = |case: &Case| names.is_empty() || names.contains(&case.name);
    let mut slow = Vec::new();
    println!("\n{}", header());
    for case in suite(&tree::root().join("data/grammars"))?.iter().filter(|case| is_wanted(case)) {
        print_case(&vocabulary, case, &mut slow);
    }
    let fetched = suite_of_files(&fetched_folder())?;
    if fetched.is_empty() {
        println!("SKIPPED: the grammars of other projects; `cargo xtask grammars fetch` gets them");
    }
    for case in fetched.iter().filter(|case| is_wanted(case)) {
        print_case(&vocabulary, case, &mut slow);
    }
    println!();
    for line in &slow {
        println!("LOOK AT: {line}");
    }
    if slow.is_empty() {
        println!("no mask takes {MAX_RATIO} times as long as with rules in their place, and none {LONG} µs");
    }
    Ok(())
}

fn fetched_folder() -> PathBuf {
    tree::root().join(".cache/grammars")
}

/// A grammar in both forms, with texts to follow.
struct Case {
    name: String,
    written: Grammar,
    /// Whether a person wrote the second form.
    by_hand: bool,
    inlined: Grammar,
    /// None: random walks.
    documents: Option<Vec<Vec<u8>>>,
}

fn suite(folder: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for folder in tree::sorted(folder)?.into_iter().filter(|path| path.is_dir()) {
        let written = match read(&folder.join("grammar.ebnf"))? {
            Some(grammar) => grammar,
            None => read(&folder.join("grammar.gbnf"))?
                .with_context(|| format!("no grammar in {}", folder.display()))?,
        };
        let by_hand = read(&folder.join("inlined.ebnf"))?;
        let mut documents = Vec::new();
        for path in tree::sorted(&folder.join("accept"))? {
            let mut text = fs::read(path)?;
            text.pop();
            documents.push(text);
        }
        cases.push(Case {
            name: tree::file_name(&folder),
            by_hand: by_hand.is_some(),
            inlined: by_hand.map_or_else(|| inline::inline(&written), Ok)?,
            written,
            documents: Some(documents),
        });
    }
    Ok(cases)
}

/// Grammars without texts: files of any depth below a folder.
fn suite_of_files(folder: &Path) -> Result<Vec<Case>> {
    let (mut cases, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        for path in tree::sorted(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if let Some(written) = read(&path)? {
                let name = format!("{}/{}", tree::file_name(&folder), tree::file_name(&path));
                let inlined = inline::inline(&written)?;
                cases.push(Case { name, by_hand: false, inlined, written, documents: None });
            }
        }
    }
    Ok(cases)
}

/// The grammar of a file, if there is one and its name says what it is.
fn read(path: &Path) -> Result<Option<Grammar>> {
    let dialect = match path.extension().and_then(|extension| extension.to_str()) {
        Some("ebnf") => ebnf::Dialect::Ebnf,
        Some("gbnf") => ebnf::Dialect::Gbnf,
        _ => return Ok(None),
    };
    if !path.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let grammar = ebnf::Options::new().dialect(dialect).grammar(&text);
    grammar.map(Some).with_context(|| path.display().to_string())
}

fn header() -> String {
    let form = format!("{:>7}{:>6}{:>9}{:>9}{:>9}", "states", "rules", "p50", "p99", "first");
    format!("{:<24}{:>6} |{form} |{form} | p50 and p99, times as long", "", "steps")
}

fn print_case(vocabulary: &Vocabulary, case: &Case, slow: &mut Vec<String>) {
    let walks;
    let documents = match &case.documents {
        Some(documents) => documents,
        None => {
            walks = random_walks(vocabulary, &case.written);
            &walks
        }
    };
    let written = measure(vocabulary, &case.written, documents);
    let inlined = measure(vocabulary, &case.inlined, documents);
    let shown = |form: &Result<Measured>| match form {
        Ok(form) => format!("{form}"),
        Err(error) => format!("{:>40}", format!("{error:#}").chars().take(38).collect::<String>()),
    };
    let n_steps = written.as_ref().map_or(0, |form| form.n_steps);
    let start = format!("{:<24}{n_steps:>6} |{} |{}", case.name, shown(&written), shown(&inlined));
    let (Ok(written), Ok(inlined)) = (&written, &inlined) else {
        println!("{start} | NOT COMPARED");
        slow.extend(written.as_ref().err().map(|error| format!("{}: {error:#}", case.name)));
        return;
    };
    let ratio = |a: f64, b: f64| a.max(FLOOR) / b.max(FLOOR);
    let (p50, p99) = (ratio(written.p50, inlined.p50), ratio(written.p99, inlined.p99));
    let form = if case.by_hand { " (by hand)" } else { "" };
    let is_slow = p50 > MAX_RATIO || p99 > MAX_RATIO;
    let mark = match is_slow {
        true => " <<<<<<<< SLOW",
        false if written.p99 > LONG => " <<<< LONG",
        false => "",
    };
    println!("{start} |{p50:>9.1}{p99:>9.1}{form}{mark}");
    if !mark.is_empty() {
        let worst = &written.worst;
        slow.push(format!(
            "{}: {p50:.1} and {p99:.1} times as long; the longest mask is before {worst}",
            case.name
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork::{Compiler, Matcher};

    /// What is put in place by the program accepts what the grammar accepts.
    #[test]
    fn inlined_grammars_accept_the_same() {
        let cases = suite(&tree::root().join("data/grammars")).expect("readable");
        assert!(cases.len() >= 30);
        for case in &cases {
            let compiled =
                Compiler::builder(Vocabulary::bytes()).precompute(0).build().compile(&case.inlined);
            let compiled = compiled.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            for document in case.documents.iter().flatten() {
                let mut matcher = Matcher::new(&compiled);
                let accepted = matcher.accept_bytes(document);
                assert!(accepted.is_ok() && matcher.can_finish(), "{}: {accepted:?}", case.name);
            }
        }
    }
}
