//! Where and when it was measured, and with what.

use std::process::Command;

/// What stands above the numbers.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Day and minute, UTC.
    pub date: String,
    /// The processor.
    pub cpu: String,
    /// How many threads it runs at once.
    pub cores: usize,
    /// The load average over the last minute.
    pub load: String,
    /// The commit, and whether the tree differs from it.
    pub commit: String,
}

impl Machine {
    /// What can be found out; an unknown is written as such.
    pub fn here() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line =
                cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let cpu = match (field("model name"), field("cpu family"), field("model")) {
            (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
            (Some(name), ..) => name,
            _ => std::env::consts::ARCH.to_owned(),
        };
        let loadavg = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            date: output("date", &["-u", "+%Y-%m-%dT%H:%M"]),
            cpu,
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            load: loadavg.split(' ').next().unwrap_or("unknown").to_owned(),
            commit: output("git", &["describe", "--always", "--dirty", "--abbrev=10"]),
        }
    }
}

/// A field of this process's status, in KiB, such as `VmRSS:`; 0 where there is none.
pub fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn output(program: &str, arguments: &[&str]) -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    match Command::new(program).args(arguments).current_dir(here).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}
