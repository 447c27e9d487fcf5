//! The command line, and where results go.

use crate::measure::Effort;
use crate::report::Report;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const HELP: &str = "\
cargo xtask bench masks [OPTIONS]

  --tokenizer PATH|NAME   a tokenizer.json, or an embedded encoding (default: o200k_base)
  --out DIR               where the Markdown and the CSV go (default: benches/record; `-`: nowhere)
  --only NAME             this workload only; may be repeated
  --cold N, --warm N      how often to start from nothing, and later passes (default: 10 and 40)
  --quick                 short documents, few passes, nothing recorded: seconds, for a smoke test
  --profile ENGINE        run one engine only and report nothing, for a profiler";

/// What to measure and where to write it.
pub(crate) struct Options {
    pub(crate) tokenizer: String,
    pub(crate) quick: bool,
    /// The engine to be profiled.
    pub(crate) profile: Option<String>,
    only: Vec<String>,
    cold: Option<usize>,
    warm: Option<usize>,
    /// `None`: beside the benchmarks, unless quick.
    out: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            tokenizer: "o200k_base".to_owned(),
            quick: false,
            profile: None,
            only: Vec::new(),
            cold: None,
            warm: None,
            out: None,
        };
        while let Some(argument) = arguments.next() {
            if matches!(argument.as_str(), "--help" | "-h") {
                println!("{HELP}");
                std::process::exit(0);
            }
            if argument == "--quick" {
                options.quick = true;
                continue;
            }
            let mut value =
                || arguments.next().with_context(|| format!("{argument} needs a value\n\n{HELP}"));
            match argument.as_str() {
                "--tokenizer" => options.tokenizer = value()?,
                "--out" => options.out = Some(value()?.into()),
                "--only" => options.only.push(value()?),
                "--profile" => options.profile = Some(value()?),
                "--cold" => options.cold = Some(value()?.parse().context("--cold wants a number")?),
                "--warm" => options.warm = Some(value()?.parse().context("--warm wants a number")?),
                _ => bail!("what is `{argument}`?\n\n{HELP}"),
            }
        }
        Ok(options)
    }

    pub(crate) fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == workload)
    }

    pub(crate) fn effort(&self) -> Effort {
        let (cold, warm) = if self.quick { (2, 2) } else { (10, 40) };
        Effort { cold: self.cold.unwrap_or(cold), warm: self.warm.unwrap_or(warm) }
    }

    /// Writes the report: `masks-TOKENIZER.md` and `.csv`, under the date.
    pub(crate) fn record(&self, report: &Report, tokenizer: &str) -> Result<()> {
        let folder = match &self.out {
            Some(out) if out.as_os_str() == "-" => return Ok(()),
            Some(out) => out.clone(),
            None if self.quick => return Ok(()),
            None => concat!(env!("CARGO_MANIFEST_DIR"), "/../../record").into(),
        };
        std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        for (extension, text) in [("md", &report.markdown), ("csv", &report.csv)] {
            let path = folder.join(format!("{}-masks-{tokenizer}.{extension}", report.day));
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
            eprintln!("{}", path.display());
        }
        Ok(())
    }
}
