//! `--pool`: a file of what was computed, from run to run.

use crate::program::{File, formwork};

const MASK: [&str; 9] =
    ["mask", "--json", "--text", "[\"a", "--tokenizer", "bytes", "--first", "3", "--pool"];

#[test]
fn what_one_run_computed_the_next_one_has() {
    let beside = File::new("beside", "");
    let pool = beside.folder().join("json.pool");
    let args = [&MASK[..], &[pool.to_str().unwrap()]].concat();
    let first = formwork(&args, b"");
    assert_eq!(first.status, 0, "{first:?}");
    let written = std::fs::read(&pool).expect("the pool is kept");
    let again = formwork(&args, b"");
    assert_eq!((again.status, &again.out), (0, &first.out));
    assert_eq!(formwork(&MASK[..8], b"").out, first.out, "the same without a pool");
    assert_eq!(std::fs::read(&pool).expect("still there"), written, "nothing was new");
    let document = formwork(&["generate", "--json", "--tokenizer", "bytes", "--pool", args[9]], b"");
    assert_eq!(document.status, 0, "{document:?}");
    assert!(std::fs::read(&pool).expect("still there").len() > written.len(), "more is kept");
    let files = std::fs::read_dir(beside.folder()).expect("a folder").count();
    assert_eq!(files, 2, "nothing is left over");
}

#[test]
fn what_is_no_pool_for_the_tokenizer_is_refused_and_kept() {
    let text = File::new("notes.txt", "my notes");
    let refused = formwork(&[&MASK[..], &[text.path()]].concat(), b"");
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("this is not a file of a pool"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(text.path()).unwrap(), "my notes");
    let pool = text.folder().join("bytes.pool");
    let pool = pool.to_str().unwrap();
    assert_eq!(formwork(&[&MASK[..], &[pool]].concat(), b"").status, 0);
    let other = formwork(&["mask", "--json", "--tokenizer", "o200k_base", "--pool", pool], b"");
    assert_eq!(other.status, 2);
    assert!(other.err.contains("for another vocabulary; remove it to begin anew"), "{}", other.err);
}
