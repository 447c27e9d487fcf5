//! `cargo xtask exact`: is every mask exactly what brute force says, at every step of real documents?
//!
//! For each grammar and document the output is followed token by token, once in the greedy tokenisation and once in a
//! random one, and at every step the mask is compared with brute force: the vocabulary's trie is walked with nothing but
//! `accept_bytes` and `rollback`, so the brute force shares no code with masks.
//! Unless some are named, all embedded tokenizers and all that `cargo xtask tokenizers fetch` got are tried.

use crate::tree;
use anyhow::{Context, bail};
use formwork::vocab::Trie;
use formwork::{
    Compiler, Grammar, KeptMask, Matcher, TokenId, Vocabulary, bits, ebnf, json_schema, tokenizers,
};
use formwork_testkit::oracles::brute_force;
use std::fs;
use std::path::{Path, PathBuf};

/// What the user asked for.
struct Arguments {
    /// What to call each, and its name or path. All that there are, unless the user named some.
    tokenizers: Vec<(String, String)>,
    /// Those that could be fetched and are not there.
    missing: Vec<&'static str>,
    examples: PathBuf,
    maskbench: Option<PathBuf>,
    sample: usize,
    every_case: bool,
}

/// A grammar and documents that it accepts.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) grammar: Grammar,
    pub(crate) documents: Vec<Vec<u8>>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) steps: usize,
    pub(crate) different: usize,
    /// Documents that were refused or may not end.
    pub(crate) refused: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.different += other.different;
        self.refused += other.refused;
    }
}

/// The command.
pub(crate) fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let arguments = parse(arguments)?;
    let mut cases = examples(&arguments.examples)?;
    if let Some(folder) = &arguments.maskbench {
        cases.extend(maskbench(folder, arguments.sample)?);
    }
    let n_documents: usize = cases.iter().map(|case| case.documents.len()).sum();
    println!("{} grammars, {n_documents} documents, each in two tokenisations\n", cases.len());
    println!("{:<18}{:>8} {:>10} {:>10} {:>8}", "tokenizer", "tokens", "masks", "different", "refused");
    let mut all = Tally::default();
    for (name, source) in &arguments.tokenizers {
        let vocabulary = vocabulary(source).with_context(|| name.clone())?;
        let mut of_this = Tally::default();
        for case in &cases {
            let tally = compare(&vocabulary, case, &mut |message| println!("  {message}"))?;
            if arguments.every_case {
                println!("  {:<40} {:>6} masks, {} different", case.name, tally.steps, tally.different);
            }
            of_this.add(tally);
        }
        let Tally { steps, different, refused } = of_this;
        println!("{name:<18}{:>8} {steps:>10} {different:>10} {refused:>8}", vocabulary.n_text());
        all.add(of_this);
    }
    println!("\n{} masks compared with brute force, {} different", all.steps, all.different);
    for name in &arguments.missing {
        println!("MISSING: {name}; `cargo xtask tokenizers fetch` gets it");
    }
    if all.different > 0 {
        bail!("some masks differ from brute force");
    }
    Ok(())
}

fn parse(arguments: Vec<String>) -> anyhow::Result<Arguments> {
    let mut parsed = Arguments {
        tokenizers: Vec::new(),
        missing: Vec::new(),
        examples: tree::root().join("examples"),
        maskbench: None,
        sample: 100,
        every_case: false,
    };
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--tokenizer" => {
                let name = value()?;
                parsed.tokenizers.push((name.clone(), name));
            }
            "--examples" => parsed.examples = value()?.into(),
            "--maskbench" => parsed.maskbench = Some(value()?.into()),
            "--sample" => parsed.sample = value()?.parse()?,
            "--every-case" => parsed.every_case = true,
            _ => bail!(
                "usage: exact [--tokenizer NAME|FILE|FOLDER]... [--examples DIR] \
                 [--maskbench DIR [--sample N]] [--every-case], not {argument}"
            ),
        }
    }
    if parsed.tokenizers.is_empty() {
        let embedded = tokenizers::embedded_names().iter();
        parsed.tokenizers.extend(embedded.map(|&name| (name.to_owned(), name.to_owned())));
        for (name, folder) in crate::tokenizers::fetched() {
            match folder {
                Some(folder) => parsed.tokenizers.push((name.to_owned(), folder.display().to_string())),
                None => parsed.missing.push(name),
            }
        }
    }
    Ok(parsed)
}

/// The vocabulary of an embedded tokenizer, a tokenizer's file of any format, or a model's folder.
pub(crate) fn vocabulary(name: &str) -> anyhow::Result<Vocabulary> {
    Ok(if Path::new(name).exists() { tokenizers::from_path(name)? } else { tokenizers::embedded(name)? })
}

/// The repository's examples and the JSON grammar.
pub(crate) fn examples(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut json = Vec::new();
    for folder in tree::sorted(&folder.join("schemas"))? {
        let text = fs::read_to_string(folder.join("schema.json"))?;
        let grammar = json_schema::grammar(&text).with_context(|| folder.display().to_string())?;
        let documents = documents(&folder.join("accept"))?;
        json.extend(documents.first().cloned());
        cases.push(Case { name: tree::file_name(&folder), grammar, documents });
    }
    for folder in tree::sorted(&folder.join("ebnf"))? {
        let text = fs::read_to_string(folder.join("grammar.ebnf"))?;
        let grammar = ebnf::grammar(&text).with_context(|| folder.display().to_string())?;
        cases.push(Case {
            name: tree::file_name(&folder),
            grammar,
            documents: documents(&folder.join("accept"))?,
        });
    }
    cases.push(Case { name: "any JSON".to_owned(), grammar: json_schema::any_json(), documents: json });
    Ok(cases)
}

/// Every so many files of MaskBench whose schemas compile, with their valid instances.
fn maskbench(folder: &Path, sample: usize) -> anyhow::Result<Vec<Case>> {
    let files = tree::sorted(folder)?;
    let mut cases = Vec::new();
    for file in files.iter().step_by((files.len() / sample.max(1)).max(1)) {
        let value: serde_json::Value = serde_json::from_slice(&fs::read(file)?)?;
        let Ok(grammar) = json_schema::grammar_from_value(&value["schema"]) else { continue };
        let tests = value["tests"].as_array().into_iter().flatten();
        let valid = tests.filter(|test| test["valid"] == true);
        let documents = valid.map(|test| test["data"].to_string().into_bytes()).collect();
        cases.push(Case { name: tree::file_name(file), grammar, documents });
    }
    Ok(cases)
}

fn documents(folder: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    tree::sorted(folder)?
        .iter()
        .map(|file| {
            let mut text = fs::read(file)?;
            if text.last() == Some(&b'\n') {
                text.pop();
            }
            Ok(text)
        })
        .collect()
}

/// Compares all steps of a case; `report` hears of every difference.
pub(crate) fn compare(
    vocabulary: &Vocabulary,
    case: &Case,
    report: &mut dyn FnMut(String),
) -> anyhow::Result<Tally> {
    let compiled = match Compiler::new(vocabulary.clone()).compile(&case.grammar) {
        Ok(compiled) => compiled,
        Err(error) => {
            report(format!("{}: not compiled: {error}", case.name));
            return Ok(Tally::default());
        }
    };
    let mut tally = Tally::default();
    let (mut mask, mut kept) =
        (vec![0u32; vocabulary.mask_words()], KeptMask::new(vec![0u32; vocabulary.mask_words()]));
    for (number, document) in case.documents.iter().enumerate() {
        for random in [false, true] {
            let mut matcher = Matcher::new(&compiled);
            let mut seed = 0x9E37_79B9_7F4A_7C15 ^ number as u64;
            let mut rest = &document[..];
            loop {
                matcher.fill_mask(&mut mask)?;
                matcher.fill_kept(&mut kept)?;
                let is_kept = kept.words() == mask;
                let expected = brute_force(&mut matcher, vocabulary)?;
                tally.steps += 1;
                if let Some(token) = bits::tokens(&expected)
                    .chain(bits::tokens(&mask))
                    .find(|&token| bits::get(&expected, token) != bits::get(&mask, token))
                {
                    tally.different += 1;
                    report(format!(
                        "{}: before {:?}, token {token} {:?}: mask {}, brute force {}",
                        case.name,
                        String::from_utf8_lossy(&rest[..rest.len().min(24)]),
                        vocabulary.text(token).map(String::from_utf8_lossy),
                        bits::get(&mask, token),
                        bits::get(&expected, token),
                    ));
                }
                if !is_kept {
                    tally.different += 1;
                    let before = String::from_utf8_lossy(&rest[..rest.len().min(24)]);
                    report(format!("{}: before {before:?}: the mask that is kept is another one", case.name));
                }
                if rest.is_empty() {
                    break;
                }
                let (token, length) = next_token(vocabulary, rest, random.then_some(&mut seed))
                    .with_context(|| format!("{}: no token for the next byte", case.name))?;
                if let Err(error) = matcher.accept_token(token) {
                    report(format!("{}: document {number} is refused: {error}", case.name));
                    tally.refused += 1;
                    break;
                }
                rest = &rest[length..];
            }
            if rest.is_empty() && !matcher.can_finish() {
                report(format!("{}: document {number} may not end", case.name));
                tally.refused += 1;
            }
        }
    }
    Ok(tally)
}

/// The longest token that the text begins with, or with a seed a random one of them.
fn next_token(vocabulary: &Vocabulary, text: &[u8], seed: Option<&mut u64>) -> Option<(TokenId, usize)> {
    let trie = vocabulary.trie();
    let mut node = Trie::ROOT;
    let mut choices = Vec::new();
    for (i, &byte) in text.iter().enumerate() {
        let Some(child) = trie.child(node, byte) else { break };
        node = child;
        choices.extend(trie.tokens_at(node).first().map(|&token| (token, i + 1)));
    }
    match seed {
        None => choices.last().copied(),
        Some(seed) => {
            *seed ^= *seed << 13;
            *seed ^= *seed >> 7;
            *seed ^= *seed << 17;
            choices.get((*seed % choices.len().max(1) as u64) as usize).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let cases = examples(&tree::root().join("examples")).expect("the examples are readable");
        assert!(cases.len() >= 21, "ten schemas, ten EBNF grammars and JSON");
        for case in &cases {
            assert!(!case.documents.is_empty(), "{} has documents", case.name);
        }
        cases
    }

    /// The steps that were compared, all the same.
    fn compare_all(name: &str, cases: &[Case]) -> usize {
        let vocabulary = vocabulary(name).expect("embedded");
        let (mut problems, mut all) = (Vec::new(), Tally::default());
        for case in cases {
            let tally =
                compare(&vocabulary, case, &mut |problem| problems.push(problem)).expect("comparable");
            all.add(tally);
        }
        assert!(problems.is_empty(), "{name}: {problems:#?}");
        assert_eq!((all.different, all.refused), (0, 0));
        all.steps
    }

    /// Every step of every example document.
    #[test]
    fn masks_of_all_examples_are_exact() {
        let steps = compare_all("o200k_base", &cases());
        assert!(steps > 2_000, "only {steps} steps");
    }

    /// Every step of five documents with each of the other embedded vocabularies; `p50k_edit` has the texts of
    /// `p50k_base`.
    #[test]
    fn masks_are_exact_with_every_embedded_vocabulary() {
        let mut five = cases();
        five.retain(|case| ["weather", "geometry", "csv", "small-c", "nested-lists"].contains(&&*case.name));
        five.iter_mut().for_each(|case| case.documents.truncate(1));
        assert_eq!(five.len(), 5);
        for name in ["o200k_harmony", "cl100k_base", "p50k_base", "r50k_base"] {
            let steps = compare_all(name, &five);
            assert!(steps > 300, "{name}: only {steps} steps");
        }
    }
}
