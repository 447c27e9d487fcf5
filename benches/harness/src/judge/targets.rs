//! `targets`: single figures that averages over real schemas do not show.

use super::engines::Contestant;
use super::panel::{Panel, Workers};
use super::plot::{Axis, Chart, Line};
use super::record::{Output, Record};
use super::table;
use super::tasks::{self, ANY, Done, Task};
use super::tokenizer::Tokenizer;
use crate::clock;
use crate::protocol::Source;
use crate::statistics::Summary;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use formwork::{CompiledGrammar, Compiler, Matcher, json_schema};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// A tokenizer.json, or (Formwork alone) an embedded encoding
    #[arg(long, default_value = "o200k_base")]
    tokenizer: String,
    /// Engines: NAME or NAME:VARIANT
    #[arg(long, value_delimiter = ',', default_value = "formwork,llguidance,xgrammar-rs")]
    engines: Vec<String>,
    /// Only tasks whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// How often each task is done after the first time
    #[arg(long, default_value_t = 4)]
    times: usize,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    workers: Workers,
}

/// Measures and reports.
///
/// # Errors
/// Something cannot be read, started or written.
pub fn run(options: &Options) -> Result<()> {
    let tokenizer = Tokenizer::load(&options.tokenizer)?;
    let contestants = Contestant::all(&options.engines, &options.workers.peers)?;
    let mut panel = Panel::new(contestants, &tokenizer, &options.workers)?;
    let mut record = Record::new("targets", "Single figures", &tokenizer.name, &options.output);
    record.engines(&panel, &tokenizer);
    record.line(&format!(
        "- *First*: the grammar's first time in a process that has done the rows above it; *again*: of {} more times, the \
         least for the time to the first mask, the average for steps. Every time compiles anew, with a new session. \
         {} s of CPU time each.",
        options.times, options.workers.seconds(),
    ));
    record.line("- *Compile* in the goals is text to compiled grammar, as *frontend + compile* has it. A document that is refused is said; its times are of the steps before that.\n");
    let head = [
        "task",
        "engine",
        "steps",
        "frontend + compile, first",
        "to first mask, first",
        "again",
        "mask avg, first",
        "again",
        "p99",
        "max",
        "accept avg, again",
        "both avg, again",
        "goal (Formwork's)",
        "",
    ];
    record.csv.push_str(
        "task,engine,steps,compile_first_us,ttfm_first_us,ttfm_again_us,mask_first_avg_us,mask_again_avg_us,mask_again_p99_us,mask_again_max_us,accept_again_avg_us,both_again_avg_us,remark\n",
    );
    let mut rows = Vec::new();
    let mut lines: Vec<Line> = (0..panel.seats.len())
        .map(|seat| {
            let name = panel.seats[seat].contestant.name.clone();
            Line { name, points: Vec::new(), colour: seat, dashed: false }
        })
        .collect();
    let mut n_tasks = 0;
    for task in tasks() {
        if options.only.as_ref().is_some_and(|part| !task.name.contains(part.as_str())) {
            continue;
        }
        n_tasks += 1;
        for (seat, line) in lines.iter_mut().enumerate() {
            let name = panel.seats[seat].contestant.name.clone();
            eprintln!("{}: {name}", task.name);
            let (n_steps, times, remark) =
                match tasks::measure(&mut panel, seat, &task, &tokenizer, options.times)? {
                    Done::Not(why) => ("-".to_owned(), None, why),
                    Done::Cost(cost) => {
                        let (cold, warm) = (&cost.cold, &cost.warm);
                        let times = [
                            cost.compiled,
                            cost.first,
                            cost.again,
                            cold.mask.mean,
                            warm.mask.mean,
                            warm.mask.p99,
                            warm.mask.max,
                            warm.accept.mean,
                            warm.both.mean,
                        ];
                        if cost.warm.both.mean > 0.0 {
                            line.points.push((f64::from(n_tasks), cost.warm.both.mean));
                        }
                        (cost.n_steps.to_string(), Some(times), cost.remark.clone())
                    }
                };
            let cells = |show: &dyn Fn(f64) -> String| match times {
                Some(times) => times.iter().map(|&us| show(us)).collect(),
                None => vec!["-".to_owned(); 9],
            };
            let csv = cells(&|us| format!("{us:.3}")).join(",");
            record.csv.push_str(&format!("\"{}\",{name},{n_steps},{csv},\"{remark}\"\n", task.name));
            let mut row = vec![format!("{n_tasks}. {}", task.name), name, n_steps];
            row.extend(cells(&table::number));
            row.push(goal(&task.name).to_owned());
            row.push(remark);
            rows.push(row);
        }
    }
    record.line(&table::markdown(&head, &rows));
    let chart = Chart {
        title: "Mask and accept, average of a step".to_owned(),
        x_label: "number of the task".to_owned(),
        y_label: "µs".to_owned(),
        x: Axis::Rows,
        lines,
    };
    record.pictures.push(("steps", chart.svg()));
    if options.only.is_none() {
        history(&mut record, &tokenizer)?;
    }
    record.finish()
}

/// English enough for a tokenizer to find long tokens in it.
const TEXT: &str = "The mould is set before the concrete is poured, and what is poured takes its form from the mould; \
    nothing that was poured can leave it before it has set. ";

/// The first `n` characters of an endless text.
fn text(n: usize) -> String {
    TEXT.chars().cycle().take(n).collect()
}

fn tasks() -> Vec<Task> {
    let lower: String = TEXT.chars().filter(char::is_ascii_lowercase).cycle().take(2_600).collect();
    let string = |bound: &str, n: usize| {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"text": {{"type": "string"{bound}}}}}, "required": ["text"], "additionalProperties": false}}"#
        );
        (schema, vec![format!(r#"{{"text": "{}"}}"#, text(n))])
    };
    let array = |bound: &str| {
        let schema = format!(r#"{{"type": "array", "items": {{"type": "integer"}}{bound}}}"#);
        let items: Vec<String> = (0..260).map(|i| (i * 37 % 1_000).to_string()).collect();
        (schema, vec![format!("[{}]", items.join(", "))])
    };
    let schema =
        |name: &str, (schema, documents): (String, Vec<String>)| Task::schema(name, schema, documents);
    let list = (0..350).map(|i| TEXT.split([' ', ',', ';', '.']).nth(i % 20).unwrap_or("a").to_lowercase());
    let words: Vec<String> = list.filter(|word| !word.is_empty()).collect();
    let list = format!("[{}]", words.join(","));
    let sum: String =
        (0..200).map(|i| format!("{}{}", i % 9 + 1, if i % 3 == 0 { "*" } else { "+" })).collect();
    vec![
        schema("a string", string("", 1_800)),
        schema("maxLength 65,536", string(r#", "maxLength": 65536"#, 1_800)),
        schema("a string, 40 characters", string("", 40)),
        schema("maxLength 65,536, 40 characters", string(r#", "maxLength": 65536"#, 40)),
        schema("an array", array("")),
        schema("maxItems 100,000", array(r#", "maxItems": 100000"#)),
        Task {
            name: "regex [a-z]{0,64000}".to_owned(),
            sources: vec![(ANY, Source::Regex("[a-z]{0,64000}".to_owned()))],
            documents: vec![lower],
        },
        Task {
            name: "regex (foo|bar|[a-z]{2,5} ){10,5000}".to_owned(),
            sources: vec![(ANY, Source::Regex("(foo|bar|[a-z]{2,5} ){10,5000}".to_owned()))],
            documents: vec!["foo mould bar set four ".chars().cycle().take(23 * 40).collect()],
        },
        grammar(
            "list by left recursion",
            "root ::= \"[\" list \"]\"\nlist ::= item | list \",\" item\nitem ::= [a-z]+ | [0-9]+\n",
            "start: \"[\" list \"]\"\nlist: item | list \",\" item\nitem: /[a-z]+/ | /[0-9]+/\n",
            list.clone(),
        ),
        grammar(
            "list by right recursion",
            "root ::= \"[\" list \"]\"\nlist ::= item | item \",\" list\nitem ::= [a-z]+ | [0-9]+\n",
            "start: \"[\" list \"]\"\nlist: item | item \",\" list\nitem: /[a-z]+/ | /[0-9]+/\n",
            list,
        ),
        grammar(
            "ambiguous expressions",
            "root ::= expr\nexpr ::= expr \"+\" expr | expr \"*\" expr | \"(\" expr \")\" | [0-9]+\n",
            "start: expr\nexpr: expr \"+\" expr | expr \"*\" expr | \"(\" expr \")\" | /[0-9]+/\n",
            format!("{sum}1"),
        ),
        grammar(
            "S ::= S S | \"a\"",
            "root ::= s\ns ::= s s | \"a\"\n",
            "start: s\ns: s s | \"a\"\n",
            "a".repeat(920),
        ),
        // States, not counts, and the pattern may end behind many of them.
        Task {
            name: "[a-z0-9 ]{20,60} by itself".to_owned(),
            sources: vec![(ANY, Source::Regex("[a-z0-9 ]{20,60}".to_owned()))],
            documents: vec![words.join(" ")[..60].to_owned()],
        },
    ]
}

/// What Formwork's figures ought to be.
fn goal(task: &str) -> &'static str {
    match task {
        task if task.starts_with("max") => "compile ≤ 200; masks as without the bound",
        task if task.starts_with("regex") => "compile ≤ 200; mask ≤ 2",
        task if task.starts_with("list") => "mask ≤ 2; accept ≤ 1",
        task if task.starts_with("ambiguous") => "both ≤ 100",
        task if task.starts_with("S ") => "both ≤ 5,000",
        _ => "",
    }
}

/// The same grammar for those who read EBNF and for those who read Lark.
fn grammar(name: &str, ebnf: &str, lark: &str, document: String) -> Task {
    let ebnf = Source::Ebnf(ebnf.to_owned());
    let sources = vec![(ANY, ebnf), ("llguidance", Source::Lark(lark.to_owned()))];
    Task { name: name.to_owned(), sources, documents: vec![document] }
}

/// A megabyte of free text inside one string, and what a fork costs then. Formwork alone.
fn history(record: &mut Record, tokenizer: &Tokenizer) -> Result<()> {
    let compiler = Compiler::new(tokenizer.vocabulary.clone());
    let compiled = compiler.compile(&json_schema::grammar(r#"{"type": "string"}"#)?)?;
    // Encoders are slow on texts without an end.
    let mut tokens = tokenizer.encode("\"")?;
    let part = tokenizer.encode(&text(10_000))?;
    (0..100).for_each(|_| tokens.extend(&part));
    // Loading leaves the main thread's part of the allocator in pieces.
    let grown = std::thread::scope(|scope| {
        let thread = scope.spawn(|| Grown::measure(&compiled, &tokens, part.len()));
        thread.join().unwrap_or_else(|_| Err(anyhow!("the walk panicked")))
    })?;
    let Grown { rows, history, forks, nothing } = grown;
    record.line("\n## A megabyte of text inside one string, then a fork\n");
    record.line(
        "Grown: from the first hundredth of the text to its end, as the matcher says of itself; `engine/tests/heap.rs` \
         compares with what is allocated. *Nothing*: the same clock as often around no fork; what interrupts one interrupts \
         the other.\n",
    );
    let n_later = tokens.len() - part.len() - 1;
    let head = [
        "",
        "tokens",
        "rows grown, bytes",
        "history grown, bytes a token",
        "fork p50 µs",
        "p99",
        "max",
        "goal",
    ];
    let row = vec![
        "formwork".to_owned(),
        table::grouped(tokens.len() as u64),
        table::grouped(rows as u64),
        table::number(history as f64 / n_later as f64),
        table::number(forks.p50),
        table::number(forks.p99),
        table::number(forks.max),
        "0; 8; 5 µs".to_owned(),
    ];
    let of_nothing = [nothing.p50, nothing.p99, nothing.max].map(table::number);
    let nothing_row = ["nothing", "", "", ""]
        .map(str::to_owned)
        .into_iter()
        .chain(of_nothing)
        .chain([String::new()])
        .collect();
    record.csv.push_str(&format!(
        "\"1 MB in a string, then fork\",formwork,{},,,,,,,,,\"rows +{rows} B; history +{history} B; fork p50 {:.3} us max {:.3} us\"\n",
        tokens.len(),
        forks.p50,
        forks.max,
    ));
    record.line(&table::markdown(&head, &[row, nothing_row]));
    Ok(())
}

const N_FORKS: usize = 2_000;

/// What a long text makes grow.
struct Grown {
    /// Bytes of rows.
    rows: usize,
    /// Bytes of the history.
    history: usize,
    forks: Summary,
    /// What the clock says where there is nothing to measure.
    nothing: Summary,
}

impl Grown {
    fn measure(compiled: &CompiledGrammar, tokens: &[u32], n_early: usize) -> Result<Self> {
        let mut matcher = Matcher::new(compiled);
        let mut mask = vec![0; compiled.vocabulary().mask_words()];
        let mut early = (0, 0);
        for (i, &token) in tokens.iter().enumerate() {
            ensure!(matcher.accept_token(token).is_ok(), "the text is refused");
            if i % 64 == 0 {
                matcher.fill_mask(&mut mask)?;
            }
            if i == n_early {
                early = (matcher.memory_size(), matcher.history_size());
            }
        }
        let rows = matcher.memory_size().saturating_sub(early.0);
        let history = matcher.history_size().saturating_sub(early.1);
        let fork = |_| clock::time(|| matcher.fork()).1;
        let forks = Summary::of(&mut (0..N_FORKS).map(fork).collect::<Vec<_>>());
        let nothing = |_| clock::time(|| std::hint::black_box(())).1;
        let nothing = Summary::of(&mut (0..N_FORKS).map(nothing).collect::<Vec<_>>());
        Ok(Self { rows, history, forks, nothing })
    }
}
