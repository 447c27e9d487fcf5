//! The help, as a newcomer sees it.

use crate::program::formwork;
use expect_test::{ExpectFile, expect_file};

fn check(args: &[&str], expected: ExpectFile) {
    let answer = formwork(args, b"");
    assert_eq!(answer.status, 0);
    // Trailing blanks of clap's paragraphs would not survive an editor.
    let lines: Vec<&str> = answer.out.lines().map(str::trim_end).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn help_is_as_written() {
    check(&["--help"], expect_file!["../help/formwork.txt"]);
    check(&["check", "--help"], expect_file!["../help/check.txt"]);
    check(&["generate", "--help"], expect_file!["../help/generate.txt"]);
    check(&["mask", "--help"], expect_file!["../help/mask.txt"]);
    check(&["dump", "--help"], expect_file!["../help/dump.txt"]);
    check(&["convert", "--help"], expect_file!["../help/convert.txt"]);
    check(&["vocab", "show", "--help"], expect_file!["../help/vocab-show.txt"]);
    check(&["tags", "show", "--help"], expect_file!["../help/tags-show.txt"]);
}

#[test]
fn wrong_commands_have_status_2() {
    for args in [
        &[][..],
        &["chek"],
        &["check", "--colour"],
        &["generate"],
        &["check", "--regex", "a", "--json"],
        &["check", "--gbnf", "a", "--ebnf", "b"],
        &["dump"],
        &["dump", "--json"],
        &["dump", "tree", "--json"],
        &["dump", "fsm", "--json", "--graphviz", "--svg", "x"],
        &["mask"],
        &["convert", "--json"],
        &["convert", "--json", "--to", "lark"],
        &["vocab"],
        &["vocab", "list"],
        &["tags"],
        &["tags", "show"],
        &["tags", "show", "--json"],
    ] {
        let answer = formwork(args, b"");
        assert_eq!(answer.status, 2, "{args:?}");
        assert!(!answer.err.is_empty());
    }
}
