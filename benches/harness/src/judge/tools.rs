//! `tools`: agents' turns, free text with calls in it, over the number of tools.
//!
//! Tools are the functions of MaskBench's BFCL files; where more are asked for than there are, they come again under other
//! names. Every engine gets the same turns, in the words that it reads: structural tags, or a Lark grammar with a lazy
//! lexeme for free text.

use super::engines::Contestant;
use super::panel::{Fate, Panel, WARM_SCHEMA, Workers};
use super::process::Lost;
use super::record::{Output, Record};
use super::slowest::Slowest;
use super::tokenizer::Tokenizer;
use super::tool_goals::{self, Figures};
use super::{table, tasks};
use crate::clock;
use crate::protocol::{FIRST_MASK, Job, Measured, Source};
use crate::statistics::Summary;
use anyhow::{Context, Result, ensure};
use clap::Args;
use formwork::{Compiler, Matcher, Vocabulary, tags};
use formwork_testkit::json_text;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// MaskBench's files, or a folder with them in `maskbench`
    #[arg(long)]
    pub data: PathBuf,
    /// For Llama's calls: a tokenizer.json, or (Formwork alone) an embedded encoding
    #[arg(long, default_value = "o200k_base")]
    pub tokenizer: String,
    /// For Harmony's messages: the same, with Harmony's special tokens
    #[arg(long, default_value = "o200k_harmony")]
    pub harmony: String,
    /// Engines: NAME or NAME:VARIANT; among them Formwork as a server would set it up
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "formwork,formwork:warmed+threads+kept,llguidance,xgrammar-rs"
    )]
    pub engines: Vec<String>,
    /// How many tools
    #[arg(long, value_delimiter = ',', default_value = "1,20,128,1000")]
    pub sizes: Vec<usize>,
    /// How many processes are started for each engine, size and format
    #[arg(long, default_value_t = 3)]
    pub times: usize,
    /// So many of the dearest steps of each row's first walk, by the least over the processes, are shown as well
    #[arg(long, default_value_t = 0)]
    pub slowest: usize,
    /// Where results go
    #[command(flatten)]
    pub output: Output,
    /// How workers are run
    #[command(flatten)]
    pub workers: Workers,
}

/// Turns in one measurement, and calls in each.
const N_TURNS: usize = 8;
const N_CALLS: usize = 5;
/// Grammars with one more tool each that follow the first.
const N_MORE: usize = 5;

/// Measures and reports.
///
/// # Errors
/// Something cannot be read, started or written.
pub fn run(options: &Options) -> Result<()> {
    let most = options.sizes.iter().copied().max().unwrap_or(0) + N_MORE;
    let tools = load(&options.data, most)?;
    let formats = [(&LLAMA, &options.tokenizer), (&HARMONY, &options.harmony)];
    let tokenizers = formats.iter().map(|(_, given)| Tokenizer::load(given)).collect::<Result<Vec<_>>>()?;
    let contestants = Contestant::all(&options.engines, &options.workers.peers)?;
    let mut record = Record::new("tools", "Tools", &tokenizers[0].name, &options.output);
    about(&mut record, options, &tokenizers);
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    let (mut versions, mut slowest) = (BTreeSet::new(), String::new());
    record.csv.push_str(CSV_HEAD);
    for ((format, _), tokenizer) in formats.iter().zip(&tokenizers) {
        for &size in &options.sizes {
            let turns = turns(format, &tools[..size], tokenizer)?;
            for contestant in &contestants {
                eprintln!("{}, {size} tools: {}", format.name, contestant.name);
                let case = Case { format, tools: &tools, size, turns: &turns, tokenizer };
                let row = case.measure(contestant, options)?;
                versions
                    .extend(row.version.clone().map(|version| format!("`{}` = {version}", contestant.name)));
                if options.slowest > 0 {
                    let heading = format!(
                        "\n## The dearest steps: {}, {size} tools, {}\n\n",
                        format.name, contestant.name
                    );
                    slowest.push_str(&heading);
                    slowest.push_str(&case.slowest(&row, options.slowest));
                }
                figures.push(row.write(format.name, size, &contestant.name, &mut record.csv, &mut rows));
            }
        }
    }
    let versions: Vec<String> = versions.into_iter().collect();
    record.line(&format!("- Engines, each in processes of its own: {}.\n", versions.join("; ")));
    record.line(&table::markdown(&HEAD, &rows));
    record.line("## Goals, the greater figure of the two formats\n");
    record.line(&tool_goals::table(&figures));
    record.line(&slowest);
    record.finish()
}

fn about(record: &mut Record, options: &Options, tokenizers: &[Tokenizer]) {
    let names: Vec<&str> = tokenizers.iter().map(|tokenizer| tokenizer.name.as_str()).collect();
    record.line(&format!(
        "- {N_TURNS} turns of free text with {N_CALLS} calls each; tokenizers {} (Llama's calls) and {} (Harmony's \
         messages); {} fresh processes for each row.",
        names[0], names[1], options.times,
    ));
    record.line(&format!(
        "- Microseconds; {}; {} ns of each are the clock's own. *Frontend*, *compile*, *first mask*: the first grammar of a \
         fresh process (warmed up with two tools that are not shared), the least over the processes. *One more*: from the \
         text to the first mask with one tool more, the median of {N_MORE} in a row. *TBM*: mask and accept, two intervals, \
         in the first walk over the turns (*cold*) and with the same grammar compiled once more (*warm*). *Free*: the steps \
         of tokens outside calls, warm.",
        clock::HOW,
        clock::overhead(),
    ));
    record.line(
        "- Formwork and xgrammar-rs read the same structural tag; llguidance a Lark grammar with a lazy lexeme for text up to \
         the trigger and `%json` for arguments, in which text may also contain the trigger (a looser language).",
    );
    let copies = tokenizers
        .iter()
        .map(|tokenizer| format!("{} {:.2}", tokenizer.name, copying(tokenizer.vocabulary.mask_words()).p50));
    record.line(&format!(
        "- Copying one mask to where another one was, which no step can do without, takes here at the median: {}.",
        copies.collect::<Vec<_>>().join(", "),
    ));
    record.line(&format!(
        "- A grammar and its turns may take {} s of CPU time; a row that ends before says why in its last column.",
        options.workers.seconds(),
    ));
}

/// What it costs to copy a mask of so many words, by the clock that steps are measured with.
fn copying(n_words: usize) -> Summary {
    let (from, mut to) = (vec![u32::MAX; n_words], vec![0; n_words]);
    let copy = |_| {
        let (from, to) = (std::hint::black_box(&from), std::hint::black_box(&mut to));
        clock::time(|| to.copy_from_slice(from)).1
    };
    Summary::of(&mut (0..10_001).map(copy).collect::<Vec<u64>>())
}

// ---- tools ----

/// A function, the schema of its arguments, and arguments that satisfy it.
#[derive(Clone, Debug)]
struct Tool {
    name: String,
    schema: String,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    schema: Schema,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    properties: BTreeMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
struct Test {
    valid: bool,
    data: Box<RawValue>,
}

/// So many tools, in the order of the files.
fn load(folder: &Path, n: usize) -> Result<Vec<Tool>> {
    let inner = folder.join("maskbench");
    let folder = if inner.is_dir() { &inner } else { folder };
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("BFCL_")));
    paths.sort();
    let mut found: BTreeMap<String, Tool> = BTreeMap::new();
    let mut order = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path)?;
        let file: File = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        for (name, schema) in file.schema.properties {
            let arguments = file.tests.iter().filter(|test| test.valid).filter_map(|test| {
                let calls: BTreeMap<String, Box<RawValue>> = serde_json::from_str(test.data.get()).ok()?;
                Some(json_text::python(calls.get(&name)?.get()))
            });
            let arguments: Vec<String> = arguments.collect();
            let schema = schema.get().to_owned();
            if !found.contains_key(&name) && tags::grammar(&alone(&schema)).is_ok() {
                order.push(name.clone());
                found.insert(name.clone(), Tool { name, schema, arguments });
            }
        }
    }
    ensure!(!order.is_empty(), "no BFCL files in {}", folder.display());
    let tool = |i: usize| {
        let mut tool = found[&order[i % order.len()]].clone();
        if i >= order.len() {
            let _ = write!(tool.name, "_{}", i / order.len() + 1);
        }
        tool
    };
    Ok((0..n).map(tool).collect())
}

/// A structural tag that is one schema.
fn alone(schema: &str) -> String {
    format!(r#"{{"format": {{"type": "json_schema", "json_schema": {schema}}}}}"#)
}

impl Tool {
    /// Arguments that Formwork takes: its objects are closed, and properties come in the schema's order.
    fn accepted(&self) -> Option<&str> {
        let grammar = tags::grammar(&alone(&self.schema)).ok()?;
        let compiled = Compiler::builder(Vocabulary::bytes()).precompute(0).build().compile(&grammar).ok()?;
        let fits = |text: &&String| {
            let mut matcher = Matcher::new(&compiled);
            matcher.accept_bytes(text.as_bytes()).is_ok() && matcher.can_finish()
        };
        self.arguments.iter().find(fits).map(String::as_str)
    }
}

// ---- formats ----

/// How calls are written, in the words of each engine.
struct Format {
    name: &'static str,
    /// The structural tag of some tools.
    tag: fn(&[Tool]) -> String,
    /// The same for llguidance.
    lark: fn(&[Tool]) -> String,
    /// Free text and the call that follows it.
    call: fn(&str, &Tool, &str) -> [String; 3],
    /// What ends a turn: text, and what follows it.
    last: [&'static str; 3],
}

/// Text with `{"name": "N", "parameters": {…}}` in it.
static LLAMA: Format = Format {
    name: "llama",
    tag: |tools| {
        let tags = tools.iter().map(|tool| {
            let begin = quoted(&format!("{{\"name\": \"{}\", \"parameters\": ", tool.name));
            let schema = &tool.schema;
            format!(r#"{{"begin": {begin}, "content": {{"type": "json_schema", "json_schema": {schema}}}, "end": "}}"}}"#)
        });
        let tags = tags.collect::<Vec<_>>().join(", ");
        format!(
            r#"{{"type": "structural_tag", "format": {{"type": "triggered_tags", "triggers": ["{{\"name\": "], "tags": [{tags}]}}}}"#
        )
    },
    lark: |tools| {
        let mut lark = String::from(
            "start: part* tail\npart: text call\ntext[lazy]: /(.|\\n)*\\{\"name\": /\ntail: /(.|\\n)*/\ncall: ",
        );
        let calls = tools.iter().enumerate().map(|(i, _)| format!("call_{i}")).collect::<Vec<_>>();
        let _ = writeln!(lark, "{}", calls.join(" | "));
        for (tool, call) in tools.iter().zip(calls) {
            let begin = quoted(&format!("\"{}\", \"parameters\": ", tool.name));
            let _ = writeln!(lark, "{call}: {begin} %json {} \"}}\"", tool.schema);
        }
        lark
    },
    call: |text, tool, arguments| {
        let call = format!("{{\"name\": \"{}\", \"parameters\": {arguments}}}", tool.name);
        [String::new(), text.to_owned(), call]
    },
    last: ["", "\nThat is all that I could find out.", ""],
};

/// Messages in channels.
static HARMONY: Format = Format {
    name: "harmony",
    tag: |tools| {
        let mut tags: Vec<String> = [("analysis", "<|end|>"), ("final", "<|end|>")]
            .into_iter()
            .map(|(channel, end)| {
                format!(r#"{{"begin": "<|channel|>{channel}<|message|>", "content": {{"type": "any_text"}}, "end": "{end}"}}"#)
            })
            .collect();
        tags.extend(tools.iter().map(|tool| {
            let begin = quoted(&format!(
                "<|channel|>commentary to=functions.{} <|constrain|>json<|message|>",
                tool.name
            ));
            let schema = &tool.schema;
            format!(
                r#"{{"begin": {begin}, "content": {{"type": "json_schema", "json_schema": {schema}}}, "end": "<|call|>"}}"#
            )
        }));
        let tags = tags.join(", ");
        format!(
            r#"{{"type": "structural_tag", "format": {{"type": "tags_with_separator", "separator": "<|start|>assistant", "at_least_one": true, "tags": [{tags}]}}}}"#
        )
    },
    lark: |tools| {
        let mut lark = String::from(
            "start: message (<|start|> \"assistant\" message)*\n\
             message: <|channel|> \"analysis\" <|message|> text <|end|> | <|channel|> \"final\" <|message|> text <|end|> \
             | <|channel|> \"commentary to=functions.\" call <|call|>\n\
             text: /(.|\\n)*/\ncall: ",
        );
        let calls = tools.iter().enumerate().map(|(i, _)| format!("call_{i}")).collect::<Vec<_>>();
        let _ = writeln!(lark, "{}", calls.join(" | "));
        for (tool, call) in tools.iter().zip(calls) {
            let begin = quoted(&format!("{} ", tool.name));
            let _ =
                writeln!(lark, "{call}: {begin} <|constrain|> \"json\" <|message|> %json {}", tool.schema);
        }
        lark
    },
    call: |text, tool, arguments| {
        let call = format!(
            "<|end|><|start|>assistant<|channel|>commentary to=functions.{} <|constrain|>json<|message|>{arguments}<|call|><|start|>assistant",
            tool.name
        );
        ["<|channel|>analysis<|message|>".to_owned(), text.to_owned(), call]
    },
    last: ["<|channel|>final<|message|>", "That is all that I could find out.", "<|end|>"],
};

/// A JSON string, which is a string of Lark as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Format {
    fn source(&self, engine: &str, tools: &[Tool]) -> Source {
        match engine {
            "llguidance" => Source::Lark((self.lark)(tools)),
            _ => Source::Tag((self.tag)(tools)),
        }
    }
}

// ---- turns ----

/// What a model could say between calls.
const TEXTS: [&str; 6] = [
    "Let me look that up first. The question has two halves, and the second depends on what comes back for the first:\n\n",
    "1. The first answer looks plausible (see above), although I'm not sure about the unit; it could be `km` or miles.\n2. So I'll ask again, more precisely this time.\n\n",
    "Das war nicht ganz das Gesuchte – also noch einmal, diesmal genauer. 次に進みます。\n",
    "```python\ndef total(items):\n    return sum(item[\"price\"] * item.get(\"n\", 1) for item in items)\n```\nThat is how I would add them up; the numbers themselves are still missing, so:\n",
    "OK, what remains is {the last part}: compare both results, \"a\" < \"b\", and name the better one.\n",
    "Having read all of this, I think that one further call is needed before I can give an answer that holds. ",
];

/// One turn as tokens, and which of them stand outside calls.
#[derive(Clone, Debug)]
struct Turn {
    tokens: Vec<u32>,
    is_free: Vec<bool>,
}

fn turns(format: &Format, tools: &[Tool], tokenizer: &Tokenizer) -> Result<Vec<Turn>> {
    // Every so many tools, so that large sets are called all over.
    let step = tools.len().div_ceil(N_TURNS * N_CALLS);
    let callable: Vec<(&Tool, &str)> =
        tools.iter().step_by(step).filter_map(|tool| Some((tool, tool.accepted()?))).collect();
    ensure!(!callable.is_empty(), "no tool has arguments that fit its schema");
    let mut calls = callable.iter().cycle();
    let mut texts = TEXTS.iter().cycle();
    let mut turn = || {
        let mut text = String::new();
        let mut free: Vec<Range<usize>> = Vec::new();
        let mut say = |parts: [&str; 3]| {
            text.push_str(parts[0]);
            free.push(text.len()..text.len() + parts[1].len());
            text.push_str(parts[1]);
            text.push_str(parts[2]);
        };
        for _ in 0..N_CALLS {
            let (Some((tool, arguments)), Some(words)) = (calls.next(), texts.next()) else { continue };
            let parts = (format.call)(words, tool, arguments);
            say([&parts[0], &parts[1], &parts[2]]);
        }
        say(format.last);
        let tokens = tokenizer.encode_marked(&text)?;
        let mut at = 0;
        let is_free = tokens.iter().map(|&(_, len)| {
            at += len;
            free.iter().any(|range| range.start <= at - len && at <= range.end)
        });
        let is_free = is_free.collect();
        Ok(Turn { tokens: tokens.into_iter().map(|(token, _)| token).collect(), is_free })
    };
    (0..N_TURNS).map(|_| turn()).collect()
}

// ---- measuring ----

/// Two tools that are not measured, and a turn that calls one of them: so that no figure depends on which pages of a program
/// its first grammar happens to need. In text alone, which engines may read with another vocabulary.
fn warm_up(engine: &str, tokenizer: &Tokenizer) -> Result<Job> {
    let tool =
        |name: &str| Tool { name: name.to_owned(), schema: WARM_SCHEMA.to_owned(), arguments: Vec::new() };
    let tools = [tool("look_up"), tool("look_down")];
    let arguments = r#"{"name": "x\n", "n": 12, "list": [1.5, -2], "kind": "b"}"#;
    let turn = (LLAMA.call)(TEXTS[0], &tools[0], arguments).concat();
    Ok(Job { source: LLAMA.source(engine, &tools), documents: vec![tokenizer.encode(&turn)?], pollute_mb: 0 })
}

/// A format and a number of tools.
struct Case<'a> {
    format: &'a Format,
    tools: &'a [Tool],
    size: usize,
    turns: &'a [Turn],
    tokenizer: &'a Tokenizer,
}

/// What was measured, in nanoseconds.
#[derive(Default)]
struct Row {
    /// Per process: frontend, compile, first mask.
    first: Vec<[u64; 3]>,
    more: Vec<u64>,
    cold: Vec<u64>,
    /// Of each turn, the least over the processes: masks and accepting.
    least: Vec<Vec<[u32; 2]>>,
    warm: Vec<u64>,
    free: Vec<u64>,
    /// The engine's name and version in its own words, if it started.
    version: Option<String>,
    remark: String,
}

const HEAD: [&str; 19] = [
    "format",
    "tools",
    "engine",
    "frontend",
    "compile",
    "first mask",
    "one more",
    "steps",
    "TBM cold avg",
    "p50",
    "p99",
    "max",
    "TBM warm avg",
    "p50",
    "p99",
    "max",
    "free p50",
    "free p99",
    "",
];

const CSV_HEAD: &str = "format,tools,engine,frontend_us,compile_us,first_mask_us,one_more_us,steps,cold_avg_us,cold_p50_us,cold_p99_us,cold_max_us,warm_avg_us,warm_p50_us,warm_p99_us,warm_max_us,free_p50_us,free_p99_us,remark\n";

impl Case<'_> {
    fn measure(&self, contestant: &Contestant, options: &Options) -> Result<Row> {
        let mut row = Row::default();
        for _ in 0..options.times {
            let warm_up = warm_up(&contestant.engine, self.tokenizer)?;
            let engines = vec![contestant.clone()];
            let Ok(mut panel) = Panel::warmed(engines, self.tokenizer, &options.workers, warm_up) else {
                row.remark = "does not take this tokenizer".to_owned();
                return Ok(row);
            };
            row.version = panel.seats.first().map(|seat| seat.version.clone());
            if let Err(why) = self.process(&mut panel, contestant, &mut row)? {
                row.remark = why;
                return Ok(row);
            }
        }
        Ok(row)
    }

    /// The dearest steps as a table.
    fn slowest(&self, row: &Row, n: usize) -> String {
        let mut slow = Slowest::new(n);
        for (turn, steps) in row.least.iter().enumerate() {
            for (step, &[mask, accept]) in steps.iter().enumerate() {
                slow.note(u64::from(mask) + u64::from(accept), (turn, step, mask, accept));
            }
        }
        let us = |ns: u32| table::number(f64::from(ns) / 1_000.0);
        let row = |&(_, (turn, step, mask, accept)): &(u64, (usize, usize, u32, u32))| {
            let tokens = &self.turns[turn].tokens;
            let token = tokens.get(step).map(|&token| self.tokenizer.tail(&[token], 24));
            let before = self.tokenizer.tail(&tokens[..step.min(tokens.len())], 60);
            vec![turn.to_string(), step.to_string(), us(mask), us(accept), before, token.unwrap_or_default()]
        };
        let rows: Vec<Vec<String>> = slow.sorted().iter().map(row).collect();
        table::markdown(&["turn", "step", "mask µs", "accept µs", "before it", "token"], &rows)
    }

    /// All of one process: the grammar, its turns, more tools, the grammar again.
    fn process(
        &self,
        panel: &mut Panel,
        contestant: &Contestant,
        row: &mut Row,
    ) -> Result<std::result::Result<(), String>> {
        let documents: Vec<Vec<u32>> = self.turns.iter().map(|turn| turn.tokens.clone()).collect();
        let mut ask =
            |size: usize, documents: &[Vec<u32>]| -> Result<std::result::Result<Measured, String>> {
                let source = self.format.source(&contestant.engine, &self.tools[..size]);
                let job = Job { source, documents: documents.to_vec(), pollute_mb: 0 };
                Ok(match panel.ask(0, &job)? {
                    Fate::Measured(measured) => match measured
                        .walks
                        .iter()
                        .map(|walk| tasks::remark(&walk.verdict))
                        .find(|why| !why.is_empty())
                    {
                        Some(why) => Err(why),
                        None => Ok(measured),
                    },
                    Fate::Refused(why) => Err(tasks::short(&why)),
                    Fate::Lost(Lost::Time) => Err("out of time".to_owned()),
                    Fate::Lost(Lost::Memory) => Err("out of memory".to_owned()),
                    Fate::Lost(Lost::Crash) => Err("crashed".to_owned()),
                })
            };
        let cold = match ask(self.size, &documents)? {
            Ok(cold) => cold,
            Err(why) => return Ok(Err(why)),
        };
        let part = |name: &str| {
            cold.to_first_mask.iter().filter(|(part, _)| part == name).map(|(_, ns)| ns).sum::<u64>()
        };
        row.first.push([part("frontend"), part("compile"), part(FIRST_MASK)]);
        row.cold.extend(cold.walks.iter().flat_map(|walk| walk.steps()));
        row.least.resize(cold.walks.len(), Vec::new());
        for (least, walk) in row.least.iter_mut().zip(&cold.walks) {
            least.resize(walk.mask.len(), [u32::MAX; 2]);
            for (step, least) in least.iter_mut().enumerate() {
                let now = [walk.mask[step], walk.accept.get(step).copied().unwrap_or(0)];
                *least = [least[0].min(now[0]), least[1].min(now[1])];
            }
        }
        for more in 1..=N_MORE {
            match ask(self.size + more, &documents[..1])? {
                Ok(measured) => row.more.push(measured.ttfm()),
                Err(why) => return Ok(Err(why)),
            }
        }
        match ask(self.size, &documents)? {
            Ok(warm) => {
                for (walk, turn) in warm.walks.iter().zip(self.turns) {
                    row.warm.extend(walk.steps());
                    let steps = walk.steps().zip(&turn.is_free);
                    row.free.extend(steps.filter(|(_, is_free)| **is_free).map(|(ns, _)| ns));
                }
            }
            Err(why) => return Ok(Err(why)),
        }
        Ok(Ok(()))
    }
}

impl Row {
    fn write(
        mut self,
        format: &str,
        size: usize,
        engine: &str,
        csv: &mut String,
        rows: &mut Vec<Vec<String>>,
    ) -> Figures {
        let us = |ns: u64| ns as f64 / 1_000.0;
        let least = |part: usize| self.first.iter().map(|parts| parts[part]).min().map_or(f64::NAN, us);
        let mut figures = vec![least(0), least(1), least(2)];
        figures.push(if self.more.is_empty() { f64::NAN } else { Summary::of(&mut self.more).p50 });
        let n_steps = self.cold.len();
        for samples in [&mut self.cold, &mut self.warm] {
            let summary = Summary::of(samples);
            let parts = [summary.mean, summary.p50, summary.p99, summary.max];
            figures.extend(parts.map(|us| if summary.n == 0 { f64::NAN } else { us }));
        }
        let free = Summary::of(&mut self.free);
        figures.extend([free.p50, free.p99].map(|us| if free.n == 0 { f64::NAN } else { us }));
        let mut cells: Vec<String> =
            figures.iter().map(|&us| if us.is_nan() { "-".to_owned() } else { table::number(us) }).collect();
        cells.insert(4, n_steps.to_string());
        let row = [format.to_owned(), table::grouped(size as u64), engine.to_owned()];
        rows.push(row.into_iter().chain(cells).chain([self.remark.clone()]).collect());
        let mut cells: Vec<String> =
            figures.iter().map(|&us| if us.is_nan() { String::new() } else { format!("{us:.3}") }).collect();
        cells.insert(4, n_steps.to_string());
        let _ = writeln!(csv, "{format},{size},{engine},{},\"{}\"", cells.join(","), self.remark);
        let [frontend, compile, _, more, avg, _, p99, _, _, _, _, _, free, _] = figures[..] else {
            unreachable!("a figure for each column");
        };
        let engine = engine.to_owned();
        Figures { size, engine, compile: frontend + compile, more, avg, p99, free }
    }
}
