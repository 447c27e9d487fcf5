//! The one place that starts the program.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the program answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program in the root of the repository.
pub(crate) fn formwork(args: &[&str], input: &[u8]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(args)
        .current_dir(root())
        // The width of the terminal would change the help.
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // On a thread of its own: the program answers while it is still being asked.
    let asking = std::thread::spawn(move || {
        // The program may end without reading.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    asking.join().unwrap();
    Answer {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn root() -> &'static std::path::Path {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
