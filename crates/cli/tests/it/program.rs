//! The one place that starts the program.

use expect_test::Expect;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the program answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program in the root of the repository.
pub(crate) fn formwork(args: &[&str], input: &[u8]) -> Answer {
    formwork_with(args, input, &[])
}

/// The same, with environment variables.
pub(crate) fn formwork_with(args: &[&str], input: &[u8], variables: &[(&str, &str)]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(args)
        .envs(variables.iter().copied())
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

pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs the program and compares its status and all that it printed.
pub(crate) fn check(args: &[&str], status: i32, expected: Expect) {
    let answer = formwork(args, b"");
    assert_eq!(answer.status, status, "{answer:?}");
    expected.assert_eq(&format!("{}{}", answer.out, answer.err));
}

/// A file of a test, which goes when the test ends.
pub(crate) struct File(PathBuf);

impl File {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("formwork-cli-{}-file-{n}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = Self(folder.join(name));
        std::fs::write(&file.0, text).unwrap();
        file
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.parent().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.folder());
    }
}
