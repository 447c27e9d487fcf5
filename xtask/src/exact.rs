//! `cargo xtask exact`: is every mask exactly what brute force says, at every step of real documents?
//!
//! For each grammar and document the output is followed token by token, once in the greedy tokenisation and once in a
//! random one, and at every step the mask is compared with brute force: the vocabulary's trie is walked with nothing but
//! `accept_bytes` and `rollback`, so the brute force shares no code with masks.

use anyhow::{Context, bail};
use formwork::vocab::Trie;
use formwork::{Compiler, Grammar, Matcher, TokenId, Vocabulary, bits, ebnf, json_schema, tokenizers};
use formwork_testkit::oracles::brute_force;
use std::fs;
use std::path::{Path, PathBuf};

/// What the user asked for.
struct Arguments {
    tokenizers: Vec<String>,
    examples: PathBuf,
    maskbench: Option<PathBuf>,
    sample: usize,
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

/// The command.
pub(crate) fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let arguments = parse(arguments)?;
    let mut cases = examples(&arguments.examples)?;
    if let Some(folder) = &arguments.maskbench {
        cases.extend(maskbench(folder, arguments.sample)?);
    }
    let mut failed = false;
    for name in &arguments.tokenizers {
        let vocabulary = vocabulary(name)?;
        println!("{name}: {vocabulary}");
        let mut all = Tally::default();
        for case in &cases {
            let tally = compare(&vocabulary, case, &mut |message| println!("  {message}"))?;
            println!("  {:<40} {:>6} steps, {} different", case.name, tally.steps, tally.different);
            all.steps += tally.steps;
            all.different += tally.different;
            all.refused += tally.refused;
        }
        println!(
            "{name}: {} steps compared with brute force, {} different; {} times a document was refused\n",
            all.steps, all.different, all.refused
        );
        failed |= all.different > 0;
    }
    if failed {
        bail!("some masks differ from brute force");
    }
    Ok(())
}

fn parse(arguments: Vec<String>) -> anyhow::Result<Arguments> {
    let mut parsed = Arguments {
        tokenizers: Vec::new(),
        examples: crate::tree::root().join("examples"),
        maskbench: None,
        sample: 100,
    };
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--tokenizer" => parsed.tokenizers.push(value()?),
            "--examples" => parsed.examples = value()?.into(),
            "--maskbench" => parsed.maskbench = Some(value()?.into()),
            "--sample" => parsed.sample = value()?.parse()?,
            _ => bail!(
                "usage: exact [--tokenizer NAME|FILE]... [--examples DIR] [--maskbench DIR [--sample N]], not {argument}"
            ),
        }
    }
    if parsed.tokenizers.is_empty() {
        parsed.tokenizers.push("o200k_base".to_owned());
    }
    Ok(parsed)
}

pub(crate) fn vocabulary(name: &str) -> anyhow::Result<Vocabulary> {
    Ok(if Path::new(name).exists() { tokenizers::from_hf_json(name)? } else { tokenizers::embedded(name)? })
}

/// The repository's examples and the JSON grammar.
pub(crate) fn examples(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut json = Vec::new();
    for folder in sorted(&folder.join("schemas"))? {
        let text = fs::read_to_string(folder.join("schema.json"))?;
        let grammar = json_schema::grammar(&text).with_context(|| folder.display().to_string())?;
        let documents = documents(&folder.join("accept"))?;
        json.extend(documents.first().cloned());
        cases.push(Case { name: name(&folder), grammar, documents });
    }
    for folder in sorted(&folder.join("ebnf"))? {
        let text = fs::read_to_string(folder.join("grammar.ebnf"))?;
        let grammar = ebnf::grammar(&text).with_context(|| folder.display().to_string())?;
        cases.push(Case { name: name(&folder), grammar, documents: documents(&folder.join("accept"))? });
    }
    cases.push(Case { name: "any JSON".to_owned(), grammar: json_schema::any_json(), documents: json });
    Ok(cases)
}

/// Every so many files of MaskBench whose schemas compile, with their valid instances.
fn maskbench(folder: &Path, sample: usize) -> anyhow::Result<Vec<Case>> {
    let files = sorted(folder)?;
    let mut cases = Vec::new();
    for file in files.iter().step_by((files.len() / sample.max(1)).max(1)) {
        let value: serde_json::Value = serde_json::from_slice(&fs::read(file)?)?;
        let Ok(grammar) = json_schema::grammar_from_value(&value["schema"]) else { continue };
        let tests = value["tests"].as_array().into_iter().flatten();
        let valid = tests.filter(|test| test["valid"] == true);
        let documents = valid.map(|test| test["data"].to_string().into_bytes()).collect();
        cases.push(Case { name: name(file), grammar, documents });
    }
    Ok(cases)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn sorted(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn documents(folder: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    sorted(folder)?
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
    let mut mask = vec![0u32; vocabulary.mask_words()];
    for (number, document) in case.documents.iter().enumerate() {
        for random in [false, true] {
            let mut matcher = Matcher::new(&compiled);
            let mut seed = 0x9E37_79B9_7F4A_7C15 ^ number as u64;
            let mut rest = &document[..];
            loop {
                matcher.fill_mask(&mut mask)?;
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

    /// Every step of every example document, with the embedded vocabulary.
    #[test]
    fn masks_of_all_examples_are_exact() {
        let vocabulary = vocabulary("o200k_base").expect("embedded");
        let cases = examples(&crate::tree::root().join("examples")).expect("the examples are readable");
        assert!(cases.len() >= 21, "ten schemas, ten EBNF grammars and JSON");
        let mut problems = Vec::new();
        let mut steps = 0;
        for case in &cases {
            assert!(!case.documents.is_empty(), "{} has documents", case.name);
            let tally =
                compare(&vocabulary, case, &mut |problem| problems.push(problem)).expect("comparable");
            steps += tally.steps;
        }
        assert!(problems.is_empty(), "{problems:#?}");
        assert!(steps > 2_000, "only {steps} steps");
    }
}
