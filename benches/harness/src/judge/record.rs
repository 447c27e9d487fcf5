//! What stands above the numbers, and where they are written.

use super::panel::Panel;
use super::tokenizer::Tokenizer;
use crate::clock;
use crate::machine::Machine;
use anyhow::{Context, Result};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where results go.
#[derive(Args, Clone, Debug)]
pub struct Output {
    /// The folder for Markdown, CSV and SVG; `-` writes nothing
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../record"))]
    out: PathBuf,
    /// Put behind the file names, to keep several runs of a day apart
    #[arg(long, default_value = "")]
    label: String,
    /// A sentence for the record: what else the machine was doing, say
    #[arg(long, default_value = "")]
    note: String,
}

/// What was found out, as it grows.
#[derive(Debug)]
pub struct Record {
    /// For people.
    pub markdown: String,
    /// For programs.
    pub csv: String,
    /// Pictures, by the end of their file names.
    pub pictures: Vec<(&'static str, String)>,
    title: &'static str,
    machine: Machine,
    tokenizer: String,
    output: Output,
}

impl Record {
    /// Begins a record: the heading, when and where.
    pub fn new(title: &'static str, heading: &str, tokenizer: &str, output: &Output) -> Self {
        let machine = Machine::here();
        let mut markdown = format!("# {heading}\n\n");
        let Machine { date, cpu, cores, load, commit } = &machine;
        let _ = writeln!(markdown, "- {date} UTC, commit {commit}.");
        let _ = writeln!(
            markdown,
            "- {cpu}, {cores} cores, load {load} at the start; one thread per engine; mimalloc in all of them; release build with fat LTO and one codegen unit."
        );
        if !output.note.is_empty() {
            let _ = writeln!(markdown, "- {}", output.note);
        }
        let csv = format!("# {date} UTC; {commit}; {cpu}; {cores} cores; {tokenizer}\n");
        let (tokenizer, output) = (tokenizer.to_owned(), output.clone());
        Self { markdown, csv, pictures: Vec::new(), title, machine, tokenizer, output }
    }

    /// Says which engines took part, and how intervals are taken.
    pub fn engines(&mut self, panel: &Panel, tokenizer: &Tokenizer) {
        let seats = panel.seats.iter().map(|seat| format!("`{}` = {}", seat.contestant.name, seat.version));
        let seats: Vec<String> = seats.collect();
        self.line(&format!("- Engines, each in a process of its own, taking turns: {}.", seats.join("; ")));
        self.line(&format!("- Tokenizer {}: {}.", tokenizer.name, tokenizer.vocabulary));
        self.line(&format!(
            "- Microseconds; {}; {} ns of each are the clock's own.",
            clock::HOW,
            clock::overhead()
        ));
    }

    /// Adds a line of Markdown.
    pub fn line(&mut self, line: &str) {
        self.markdown.push_str(line);
        self.markdown.push('\n');
    }

    /// Prints the Markdown and writes all files: `DAY-TITLE-TOKENIZER[-LABEL].md`, `.csv` and `….svg`.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn finish(mut self) -> Result<()> {
        let load = Machine::here().load;
        self.line(&format!("\nLoad at the end: {load}."));
        println!("{}", self.markdown);
        if self.output.out == Path::new("-") {
            return Ok(());
        }
        let folder = &self.output.out;
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let day = self.machine.date.split('T').next().unwrap_or_default();
        let label =
            if self.output.label.is_empty() { String::new() } else { format!("-{}", self.output.label) };
        let stem = format!("{day}-{}-{}{label}", self.title, self.tokenizer);
        let names =
            self.pictures.iter().map(|(end, _)| format!("![{end}]({stem}-{end}.svg)\n")).collect::<String>();
        let markdown = format!("{}\n{names}", self.markdown);
        let mut files = vec![(format!("{stem}.md"), &markdown), (format!("{stem}.csv"), &self.csv)];
        files.extend(self.pictures.iter().map(|(end, svg)| (format!("{stem}-{end}.svg"), svg)));
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
            eprintln!("{}", path.display());
        }
        Ok(())
    }
}
