//! Worker processes: started, asked, watched, and ended if they take too much.

use crate::protocol::{Answer, Job, Ready, Start};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How to start a worker.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What a worker may take for one job.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// CPU time.
    pub cpu: Duration,
    /// Resident memory, in KiB.
    pub memory_kib: u64,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It took longer than allowed.
    Time,
    /// It took more memory than allowed.
    Memory,
    /// It ended by itself.
    Crash,
}

/// A worker that runs.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    /// What it said of itself.
    pub ready: Ready,
}

/// How often a working worker is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// Loading a tokenizer takes seconds on a busy machine.
const LOADING: Duration = Duration::from_secs(120);

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// It cannot be started, or it ends before it is ready; its own words are on standard error if `verbose`.
    pub fn start(program: &Program, start: &Start, verbose: bool) -> Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // What is free stays with the process: given back, it is fetched again page by page, one fault each.
        command.env("MIMALLOC_PURGE_DELAY", "-1");
        if !verbose {
            // Peers warn about every other schema.
            command.stderr(Stdio::null());
        }
        let mut child = command.spawn().with_context(|| format!("running {command:?}"))?;
        let mut input = child.stdin.take().context("the input was asked for")?;
        let lines = child.stdout.take().context("the output was asked for")?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(std::io::Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        send(&mut input, start)?;
        let line = match output.recv_timeout(LOADING) {
            Ok(line) => line,
            Err(_) => {
                let _ = child.kill();
                bail!("{command:?} does not become ready: {}; --verbose shows its words", child.wait()?);
            }
        };
        Ok(Self { child, input, output, ready: serde_json::from_str(&line)? })
    }

    /// Gives the worker a job and waits for the answer; a worker that was lost is of no more use.
    ///
    /// # Errors
    /// How it was lost.
    pub fn ask(&mut self, job: &Job, limits: Limits) -> std::result::Result<Answer, Lost> {
        let before = cpu_time(self.child.id());
        send(&mut self.input, job).map_err(|_| Lost::Crash)?;
        loop {
            match self.output.recv_timeout(LOOK) {
                Ok(line) => return serde_json::from_str(&line).map_err(|_| Lost::Crash),
                Err(RecvTimeoutError::Disconnected) => return Err(Lost::Crash),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cpu_time(self.child.id()).saturating_sub(before) > limits.cpu {
                return Err(Lost::Time);
            }
            if resident_kib(self.child.id()) > limits.memory_kib {
                return Err(Lost::Memory);
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It would end by itself when its input does, but it may be busy.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(input: &mut ChildStdin, message: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    input.write_all(&line)?;
    Ok(input.flush()?)
}

/// What the process and all its threads have used; the kernel counts in hundredths of a second.
fn cpu_time(id: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The second field, the name, may hold blanks; the fields after it are counted from its closing bracket.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

fn resident_kib(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
