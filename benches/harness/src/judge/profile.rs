//! `profile`: Formwork alone, for tuning.
//!
//! One process, one thread, no peers and no protocol: what runs under `callgrind` or `massif` as it is, and says which share
//! of the time goes to which steps. Its times do not compare with the judge's, since nothing takes turns
//! with it: what counts is the shares.

use super::corpus::{Case, Files};
use super::record::{Output, Record};
use super::slowest::{self, Slowest};
use super::table;
use super::tokenizer::Tokenizer;
use super::variants;
use crate::clock::{self, TimedLaps};
use crate::engine::is_set;
use crate::machine::memory_kib;
use crate::statistics::Summary;
use anyhow::Result;
use clap::Args;
use formwork::{CompiledGrammar, Compiler, Config, Matcher, Vocabulary, json_schema};
use std::hash::{DefaultHasher, Hasher};
use std::hint::black_box;

/// What to follow.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// Only so many files, the same ones in every run
    #[arg(long)]
    sample: Option<usize>,
    /// Only files with this in their names
    #[arg(long)]
    only: Option<String>,
    /// How often to go through all files, with the same compiler
    #[arg(long, default_value_t = 1)]
    passes: usize,
    /// So many of the slowest masks are shown with what was read before them
    #[arg(long, default_value_t = 10)]
    slowest: usize,
    /// Formwork's switches, as behind the colon of `formwork:…`
    #[arg(long, default_value = "")]
    variant: String,
    /// What compiled grammars that are kept may take, in MiB
    #[arg(long)]
    recent_mib: Option<usize>,
    /// What the pool may hold, in MiB
    #[arg(long)]
    pool_mib: Option<usize>,
    /// Read so many MiB before each file, so that little of Formwork is left in the caches
    #[arg(long, default_value_t = 0)]
    read_mib: usize,
    /// Compile a small schema with another compiler after that, so that the code is in the caches again
    #[arg(long)]
    known_code: bool,
    #[command(flatten)]
    output: Output,
}

/// Bounds of the classes of steps, in nanoseconds.
const BOUNDS: [u64; 9] = [500, 1_000, 2_000, 5_000, 20_000, 100_000, 500_000, 1_000_000, u64::MAX];

/// The parts of a step.
enum Part {
    Mask,
    Accept,
}

/// What happens before each file.
struct Before {
    other_data: Vec<u64>,
    /// Compiles a schema that has a bit of everything.
    other: Option<Compiler>,
}

const SMALL_SCHEMA: &str = r#"{"type": "object", "required": ["a"], "properties": {
    "a": {"type": "string", "maxLength": 9}, "b": {"type": "integer", "minimum": 0}, "c": {"enum": ["x", "y"]},
    "d": {"type": "array", "items": {"type": "boolean"}}}}"#;

impl Before {
    fn new(options: &Options) -> Self {
        // One that keeps nothing, or it would find the schema as it left it.
        let mut config = Config::default();
        (config.recent_bytes, config.pool_bytes) = (0, 0);
        let other = options.known_code.then(|| Compiler::builder(Vocabulary::bytes()).config(config).build());
        Self { other_data: vec![1; options.read_mib << 17], other }
    }

    fn each(&self) {
        // One word of each cache line is enough.
        black_box(self.other_data.iter().step_by(8).sum::<u64>());
        let Some(other) = &self.other else { return };
        let compiled =
            json_schema::grammar(SMALL_SCHEMA).ok().and_then(|grammar| other.compile(&grammar).ok());
        let mut mask = vec![0; other.vocabulary().mask_words()];
        black_box(compiled.map(|compiled| Matcher::new(&compiled).fill_mask(&mut mask).is_ok()));
    }
}

/// Where a mask was filled.
#[derive(Clone, Copy, Default)]
struct Place {
    case: usize,
    document: usize,
    step: usize,
    /// Local masks that were computed for it.
    n_computed: u64,
}

/// What one pass took.
#[derive(Default)]
struct Pass {
    frontend: Vec<u64>,
    compile: Vec<u64>,
    first_mask: Vec<u64>,
    masks: Vec<u64>,
    /// Of those, which computed a local mask.
    computed: Vec<u64>,
    accepts: Vec<u64>,
    /// Of the masks that are not noted yet, where they were filled.
    places: Vec<Place>,
    slow: Slowest<Place>,
    /// Of all masks.
    hasher: DefaultHasher,
}

/// Follows all files and reports.
///
/// # Errors
/// Something cannot be read or written.
pub fn run(options: &Options) -> Result<()> {
    let (tokenizer, cases) = options.files.load(options.sample, options.only.as_deref())?;
    let mut config = variants::config(&options.variant)?;
    config.recent_bytes = options.recent_mib.map_or(config.recent_bytes, |mib| mib << 20);
    config.pool_bytes = options.pool_mib.map_or(config.pool_bytes, |mib| mib << 20);
    let schemas = variants::schemas(&options.variant);
    let compiler = Compiler::builder(tokenizer.vocabulary.clone()).config(config).build();
    let mut record = Record::new("profile", "Where Formwork's time goes", &tokenizer.name, &options.output);
    record.line(&format!("- {} files, one process, tokenizer {}.", cases.len(), tokenizer.name));
    record.csv.push_str("pass,part,n,avg_us,p50_us,p99_us,max_us\n");
    let before = Before::new(options);
    let mut resident = memory_kib("VmRSS:");
    for number in 1..=options.passes {
        let mut pass = Pass { slow: Slowest::new(options.slowest), ..Pass::default() };
        for (i, case) in cases.iter().enumerate() {
            before.each();
            pass.follow(&compiler, &schemas, (i, case));
        }
        let now = memory_kib("VmRSS:");
        record.line(&format!(
            "\n## Pass {number}: masks {:016x}, {} files refused, {} KiB more resident memory, {} bytes a file\n",
            pass.hasher.finish(),
            cases.len() - pass.first_mask.len(),
            now.saturating_sub(resident),
            (now.saturating_sub(resident) << 10) / cases.len().max(1) as u64,
        ));
        resident = now;
        pass.report_slowest(&mut record, &cases, &tokenizer);
        pass.report(&mut record, number);
    }
    record.finish()
}

impl Pass {
    /// Compiles the schema and follows its instances.
    fn follow(
        &mut self,
        compiler: &Compiler,
        schemas: &json_schema::Options,
        (number, case): (usize, &Case),
    ) {
        let mut mask = vec![0; compiler.vocabulary().mask_words()];
        let (grammar, frontend) = clock::time(|| schemas.grammar(&case.schema));
        let Ok(grammar) = grammar else { return };
        let (compiled, compile) = clock::time(|| compiler.compile(&grammar));
        drop(grammar);
        let Ok(compiled) = compiled else { return };
        let (first, first_mask) = clock::time(|| {
            let mut matcher = Matcher::new(&compiled);
            matcher.fill_mask(&mut mask).is_ok().then_some(matcher)
        });
        // With it go grammars that were forgotten.
        drop(first);
        self.frontend.push(frontend);
        self.compile.push(compile);
        self.first_mask.push(first_mask);
        for (instance, document) in case.documents.iter().enumerate() {
            self.walk(compiler, &compiled, (number, instance, document), &mut mask);
        }
    }

    fn walk(
        &mut self,
        compiler: &Compiler,
        compiled: &CompiledGrammar,
        (case, instance, document): (usize, usize, &[u32]),
        mask: &mut [u32],
    ) {
        let mut matcher = Matcher::new(compiled);
        let mut laps = TimedLaps::start();
        for step in 0..=document.len() {
            let before = compiler.pool().stats().misses;
            laps.lap(None);
            let filled = matcher.fill_mask(mask).is_ok();
            laps.lap(Some(Part::Mask));
            let n_computed = compiler.pool().stats().misses - before;
            self.places.push(Place { case, document: instance, step, n_computed });
            mask.iter().for_each(|&word| self.hasher.write_u32(word));
            let token = document.get(step).filter(|&&token| filled && is_set(mask, token));
            let Some(&token) = token else { break };
            laps.lap(None);
            let accepted = matcher.accept_token(token).is_ok();
            laps.lap(Some(Part::Accept));
            if !accepted {
                break;
            }
            if laps.are_many() {
                laps.lap(None);
                self.note(&mut laps);
            }
        }
        self.note(&mut laps);
    }

    fn note(&mut self, laps: &mut TimedLaps<Part>) {
        let mut places = self.places.drain(..);
        for (part, ns) in laps.take() {
            match part {
                Part::Mask => {
                    self.masks.push(ns);
                    let Some(place) = places.next() else { continue };
                    self.computed.extend((place.n_computed > 0).then_some(ns));
                    self.slow.note(ns, place);
                }
                Part::Accept => self.accepts.push(ns),
            }
        }
    }

    fn report_slowest(&mut self, record: &mut Record, cases: &[Case], tokenizer: &Tokenizer) {
        let row = |&(ns, Place { case, document, step, n_computed }): &(u64, Place)| {
            let before = &cases[case].documents[document][..step];
            vec![
                cases[case].name.clone(),
                document.to_string(),
                step.to_string(),
                table::number(ns as f64 / 1_000.0),
                n_computed.to_string(),
                slowest::code(&tokenizer.tail(before, 48)),
            ]
        };
        let rows: Vec<Vec<String>> = self.slow.sorted().iter().map(row).collect();
        let head = ["slowest masks", "instance", "step", "µs", "local ones computed", "before it"];
        record.line(&table::markdown(&head, &rows));
    }

    fn report(mut self, record: &mut Record, number: usize) {
        let total: u64 = self.masks.iter().sum();
        let mut rows = Vec::new();
        let mut below = 0;
        for bound in BOUNDS {
            let within = self.masks.iter().filter(|&&ns| ns > below && ns <= bound);
            let (n, ns) = within.fold((0, 0), |(n, sum), ns| (n + 1, sum + ns));
            let name = match bound {
                u64::MAX => format!("above {}", table::number(below as f64 / 1_000.0)),
                bound => format!("to {}", table::number(bound as f64 / 1_000.0)),
            };
            let share = |part: u64, all: u64| format!("{:.2}%", 100.0 * part as f64 / all.max(1) as f64);
            rows.push(vec![name, table::grouped(n), share(n, self.masks.len() as u64), share(ns, total)]);
            below = bound;
        }
        let parts = [
            ("frontend", &mut self.frontend),
            ("compile", &mut self.compile),
            ("first mask", &mut self.first_mask),
            ("masks", &mut self.masks),
            ("masks that compute a local one", &mut self.computed),
            ("accepting", &mut self.accepts),
        ];
        let times = parts.map(|(name, samples)| (vec![name.to_owned()], Summary::of(samples)));
        for (name, summary) in &times {
            let Summary { n, mean, p50, p99, max, .. } = summary;
            let line = format!("{number},{},{n},{mean:.3},{p50:.3},{p99:.3},{max:.3}\n", name[0]);
            record.csv.push_str(&line);
        }
        record.line(&table::times(&["µs"], &times));
        record.line(&table::markdown(&["masks, µs", "n", "of masks", "of their time"], &rows));
    }
}
