//! The benchmarks run: a tiny sample, Formwork alone. What they measure here means nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the judge and gives what it printed.
fn bench(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_formwork-bench"))
        .args(arguments)
        .args(["--tokenizer", "bytes"])
        .output()
        .expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// The cells of the first table row that begins with these cells.
fn row<'a>(markdown: &'a str, begins: &[&str]) -> Vec<&'a str> {
    let cells = |line: &'a str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let mut rows = markdown.lines().filter(|line| line.starts_with('|')).map(cells);
    rows.find(|row| row.starts_with(begins)).unwrap_or_else(|| panic!("no row {begins:?} in\n{markdown}"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

#[test]
fn maskbench_judges_a_tiny_sample() {
    let data = folder("maskbench-data");
    let files = [
        (
            "good.json",
            r#"{"schema": {"type": "integer", "minimum": 3}, "tests": [{"valid": true, "data": 12}, {"valid": false, "data": 2}]}"#,
        ),
        (
            "mislabelled.json",
            r#"{"schema": {"type": "string"}, "tests": [{"valid": true, "data": 1}, {"valid": false, "data": "a"}]}"#,
        ),
        ("refused.json", r#"{"schema": {"type": "nonsense"}, "tests": [{"valid": true, "data": 1}]}"#),
    ];
    for (name, text) in files {
        std::fs::write(data.join(name), text).expect("written");
    }
    let out = folder("maskbench-out");
    let csv = out.join("files.csv");
    let text = bench(&[
        "maskbench",
        "--data",
        &data.to_string_lossy(),
        "--engines",
        "formwork,formwork:jit",
        "--passes",
        "cold,polluted",
        "--out",
        &out.to_string_lossy(),
        "--files",
        &csv.to_string_lossy(),
    ]);
    for engine in ["formwork", "formwork:jit"] {
        // Files, compiled, refused, timeout, memory, crash, valid refused (files), invalid accepted (files), failed.
        let verdicts = &row(&text, &[engine, "3"])[1..12];
        assert_eq!(verdicts, ["3", "2", "1", "0", "0", "0", "1", "1", "1", "1", "0"], "{text}");
        // One first mask for each file that compiles.
        assert_eq!(row(&text, &[engine, "polluted"])[2], "2", "{text}");
    }
    assert!(text.contains("slowest tokens") && text.contains("times as long as formwork"), "{text}");
    let files = std::fs::read_to_string(&csv).expect("it was written");
    assert_eq!(files.lines().count(), 1 + 3 * 2 * 2, "a line per file, engine and pass\n{files}");
    let checksum = |engine: &str| {
        let begins = format!("cold,{engine},mislabelled.json,");
        let line = files.lines().find(|line| line.starts_with(&begins)).expect("measured");
        line.rsplit(',').next().expect("a checksum").to_owned()
    };
    assert_eq!(checksum("formwork"), checksum("formwork:jit"), "switches change no mask");
    let written = std::fs::read_dir(&out)
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut ends: Vec<_> = written.filter_map(|name| Some(name.rsplit_once('.')?.1.to_owned())).collect();
    ends.sort();
    assert!(ends.contains(&"md".to_owned()) && ends.contains(&"csv".to_owned()), "{ends:?}");
}

#[test]
fn switches_scaling_and_single_figures_run() {
    let data = folder("ablation-data");
    let text = r#"{"schema": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}, "tests": [{"valid": true, "data": {"a": "text"}}]}"#;
    std::fs::write(data.join("one.json"), text).expect("written");
    let text = bench(&["ablation", "--data", &data.to_string_lossy(), "--out", "-"]);
    // Compiled, lost; and at the end the masks are the same as with everything on.
    for label in ["all off; every mask that compile can compute", "+ pool", "− counters"] {
        let row = row(&text, &[label]);
        assert_eq!((row[1], row[2], row[row.len() - 1]), ("1", "0", "1 of 1"), "{text}");
    }
    let text =
        bench(&["scaling", "--engines", "formwork", "--only", "maxitems", "--up-to", "100", "--out", "-"]);
    assert_eq!(row(&text, &["100", "formwork"]).last(), Some(&""), "every document is accepted: {text}");
    let text =
        bench(&["targets", "--engines", "formwork", "--only", "recursion", "--times", "1", "--out", "-"]);
    assert_eq!(row(&text, &["1. list by left recursion", "formwork"]).last(), Some(&""), "{text}");
}

#[test]
fn turns_with_calls_are_accepted() {
    let data = folder("tools-data");
    let text = r#"{"schema": {"type": "object", "properties": {"find.it": {"type": "object", "properties": {"what": {"type": "string"}, "n": {"type": "integer"}}, "required": ["what"]}}},
        "tests": [{"valid": true, "data": {"find.it": {"what": "a \"} b", "n": 3}}}]}"#;
    std::fs::write(data.join("BFCL_one.json"), text).expect("written");
    let text = bench(&[
        "tools",
        "--data",
        &data.to_string_lossy(),
        "--harmony",
        "bytes",
        "--engines",
        "formwork",
        "--sizes",
        "1,3",
        "--times",
        "1",
        "--out",
        "-",
    ]);
    for (format, size) in [("llama", "1"), ("llama", "3"), ("harmony", "1"), ("harmony", "3")] {
        assert_eq!(row(&text, &[format, size, "formwork"]).last(), Some(&""), "{text}");
    }
}

#[test]
fn a_profile_sorts_steps_by_what_they_took() {
    let data = folder("profile-data");
    let file = r#"{"schema": {"type": "integer"}, "tests": [{"valid": true, "data": 12}, {"valid": false, "data": "a"}]}"#;
    std::fs::write(data.join("file.json"), file).expect("written");
    let text = bench(&["profile", "--data", &data.to_string_lossy(), "--passes", "2", "--out", "-"]);
    // `1`, `2` and the end, and the quote that is refused; nothing is computed when all is known.
    assert_eq!(row(&text, &["masks"])[1], "4");
    assert_eq!(row(&text, &["accepting"])[1], "2");
    let passes: Vec<&str> = text.split("\n## Pass ").skip(1).collect();
    // All are among the slowest ten; before the first nothing was read, and it computed a local mask.
    let slowest: Vec<&str> = passes[0].lines().filter(|line| line.starts_with("| file.json |")).collect();
    assert_eq!(slowest.len(), 4);
    assert!(slowest.iter().any(|line| line.contains("| 0 | 0 |") && line.ends_with("| `` |")), "{text}");
    let hash = |pass: &str| pass.split("masks ").nth(1).map(|rest| rest[..16].to_owned());
    assert_eq!(passes.len(), 2);
    assert_eq!(hash(passes[0]), hash(passes[1]));
    assert_eq!(row(passes[1], &["masks that compute a local one"])[1], "-");
}
