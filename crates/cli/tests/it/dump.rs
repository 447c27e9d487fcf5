//! `formwork dump`: every stage as text and as a drawing.

use crate::program::{File, check, formwork_with};
use expect_test::{Expect, expect};

const SUM: &str = "root ::= ws sum\nsum ::= sum \"+\" ws atom | atom\natom ::= [0-9]+ ws | \"(\" ws sum \")\" ws\nws ::= [ \\n]*\nunused ::= \"\\\"\\\\\"\n";

fn dump(what: &str, more: &[&str], status: i32, expected: Expect) {
    let file = File::new("sum.ebnf", SUM);
    let args = [&["dump", what, "--ebnf", file.path()], more].concat();
    check(&args, status, expected);
}

#[test]
fn grammars() {
    dump(
        "grammar",
        &[],
        0,
        expect![[r#"
        root ::= ws sum
        sum ::= sum "+" ws atom | atom
        atom ::= [0-9]+ ws | "(" ws sum ")" ws
        ws ::= [\n ]*
        unused ::= "\"\\"
    "#]],
    );
    dump(
        "grammar",
        &["--graphviz"],
        0,
        expect![[r#"
        digraph grammar {
          node [shape=box, fontname="monospace"];
          r0 [label="root", penwidth=2];
          r1 [label="sum"];
          r2 [label="atom"];
          r3 [label="ws"];
          r4 [label="unused", style=dashed];
          r0 -> r1;
          r0 -> r3;
          r1 -> r1;
          r1 -> r2;
          r1 -> r3;
          r2 -> r1;
          r2 -> r3;
        }
    "#]],
    );
    check(
        &["dump", "grammar", "--regex", "[a-z]+(-[0-9]{2,3})?"],
        0,
        expect![[r#"
        root ::= [a-z]+ ("-" [0-9]{2,3})?
    "#]],
    );
}

#[test]
fn automata() {
    dump(
        "fsm",
        &[],
        0,
        expect![[r#"
            r0 root
              s0: 0a -> s1, 20 -> s1, 0-9 -> s2, {r1} -> s3
              s1: 0a -> s1, 20 -> s1, 0-9 -> s2, {r1} -> s3
              s2*: 0a -> s3, 20 -> s3, + -> s4, 0-9 -> s2
              s3*: 0a -> s3, 20 -> s3, + -> s4
              s4: 0a -> s4, 20 -> s4, 0-9 -> s2, {r1} -> s3
            r1 atom
              s0: ( -> s1
              s1: 0a -> s1, 20 -> s1, 0-9 -> s2, {r1} -> s3
              s2: 0a -> s3, 20 -> s3, ) -> s4, + -> s5, 0-9 -> s2
              s3: 0a -> s3, 20 -> s3, ) -> s4, + -> s5
              s4*
              s5: 0a -> s5, 20 -> s5, 0-9 -> s2, {r1} -> s3
        "#]],
    );
    dump(
        "fsm",
        &["--graphviz"],
        0,
        expect![[r#"
            digraph fsm {
              rankdir=LR;
              node [shape=circle, fontname="monospace"];
              edge [fontname="monospace"];
              subgraph cluster_r0 {
                label="r0 root";
                r0 [shape=point];
                r0 -> r0s0;
                r0s0;
                r0s1;
                r0s2 [shape=doublecircle];
                r0s3 [shape=doublecircle];
                r0s4;
                r0s0 -> r0s1 [label="0a, 20"];
                r0s0 -> r0s2 [label="0-9"];
                r0s0 -> r0s3 [label="{r1 atom}", style=dashed];
                r0s1 -> r0s1 [label="0a, 20"];
                r0s1 -> r0s2 [label="0-9"];
                r0s1 -> r0s3 [label="{r1 atom}", style=dashed];
                r0s2 -> r0s3 [label="0a, 20"];
                r0s2 -> r0s4 [label="+"];
                r0s2 -> r0s2 [label="0-9"];
                r0s3 -> r0s3 [label="0a, 20"];
                r0s3 -> r0s4 [label="+"];
                r0s4 -> r0s4 [label="0a, 20"];
                r0s4 -> r0s2 [label="0-9"];
                r0s4 -> r0s3 [label="{r1 atom}", style=dashed];
              }
              subgraph cluster_r1 {
                label="r1 atom";
                r1 [shape=point];
                r1 -> r1s0;
                r1s0;
                r1s1;
                r1s2;
                r1s3;
                r1s4 [shape=doublecircle];
                r1s5;
                r1s0 -> r1s1 [label="("];
                r1s1 -> r1s1 [label="0a, 20"];
                r1s1 -> r1s2 [label="0-9"];
                r1s1 -> r1s3 [label="{r1 atom}", style=dashed];
                r1s2 -> r1s3 [label="0a, 20"];
                r1s2 -> r1s4 [label=")"];
                r1s2 -> r1s5 [label="+"];
                r1s2 -> r1s2 [label="0-9"];
                r1s3 -> r1s3 [label="0a, 20"];
                r1s3 -> r1s4 [label=")"];
                r1s3 -> r1s5 [label="+"];
                r1s5 -> r1s5 [label="0a, 20"];
                r1s5 -> r1s2 [label="0-9"];
                r1s5 -> r1s3 [label="{r1 atom}", style=dashed];
              }
            }
        "#]],
    );
    // A counted rule, a root that may be empty, characters that mean something in DOT.
    check(
        &["dump", "fsm", "--regex", r#"([\\"\x00-\x02é]{100,200})?"#],
        0,
        expect![[r#"
            r0 root or empty
              s0: {r1} -> s1
              s1*
            r1 root counts 100..=200
              s0: c3 -> s2, 00-02 ->+ s1, " ->+ s1, \ ->+ s1
              s1*: c3 -> s2, 00-02 ->+ s1, " ->+ s1, \ ->+ s1
              s2: a9 ->+ s1
        "#]],
    );
    check(
        &["dump", "fsm", "--regex", r#"([\\"\x00-\x02é]{100,200})?"#, "--graphviz"],
        0,
        expect![[r#"
            digraph fsm {
              rankdir=LR;
              node [shape=circle, fontname="monospace"];
              edge [fontname="monospace"];
              subgraph cluster_r0 {
                label="r0 root or empty";
                r0 [shape=point];
                r0 -> r0s0;
                r0s0;
                r0s1 [shape=doublecircle];
                r0s0 -> r0s1 [label="{r1 root}", style=dashed];
              }
              subgraph cluster_r1 {
                label="r1 root counts 100..=200";
                r1 [shape=point];
                r1 -> r1s0;
                r1s0;
                r1s1 [shape=doublecircle];
                r1s2;
                r1s0 -> r1s2 [label="c3"];
                r1s0 -> r1s1 [label="00-02, \", \\ +"];
                r1s1 -> r1s2 [label="c3"];
                r1s1 -> r1s1 [label="00-02, \", \\ +"];
                r1s2 -> r1s1 [label="a9 +"];
              }
            }
        "#]],
    );
}

#[test]
fn rows() {
    dump(
        "rows",
        &[],
        0,
        expect![[r#"
            row0 next { 0a 20 28 30-39 }
              r0s0 of root from here
              r1s0 of atom from here
              waits for atom, then r0s3 of root from here
        "#]],
    );
    dump(
        "rows",
        &["--text", "((1) + 2"],
        0,
        expect![[r#"
            row0 next { 0a 20 28 30-39 }
              r0s0 of root from here
              r1s0 of atom from here
              waits for atom, then r0s3 of root from here
            "("
            row1 next { 0a 20 28 30-39 }
              r1s0 of atom from here
              r1s1 of atom from t1
              waits for atom, then r1s3 of atom from t1
            "("
            row2 next { 0a 20 28 30-39 }
              r1s0 of atom from here
              r1s1 of atom from t2
              waits for atom, then r1s3 of atom from t2
            "1"
            row3 next { 0a 20 29 2b 30-39 }
              r1s2 of atom from t2
            ")"
            row4 next { 0a 20 29 2b }
              r1s3 of atom from t1
            " "
            row5 next { 0a 20 29 2b }
              r1s3 of atom from t1
            "+"
            row6 next { 0a 20 28 30-39 }
              r1s0 of atom from here
              r1s5 of atom from t1
              waits for atom, then r1s3 of atom from t1
            " "
            row6 again
            "2"
            row7 next { 0a 20 29 2b 30-39 }
              r1s2 of atom from t1
        "#]],
    );
    dump(
        "rows",
        &["--text", "1+)"],
        1,
        expect![[r#"
        --text: rejected at line 1, column 3 (byte 2)
          |
        1 | 1+)
          |   ^ `)` cannot come here
          = expected `(`, `0`, `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9` or white space
          = where rules `ws` (line 4, column 1), `atom` (line 3, column 1) begin
    "#]],
    );
}

#[test]
fn masks() {
    let bytes = ["--tokenizer", "bytes"];
    dump(
        "mask",
        &bytes,
        0,
        expect![[r#"
            state    accepted suffixes  places    bytes  rule
            r0s0           12        0       0       48  root
            r0s1           12        0       0       48  root
            r0s2           13        0       0       12  root
            r0s3            3        0       0       12  root
            r0s4           12        0       0       48  root
            r1s0            1        0       0        4  atom
            r1s1           12        0       0       48  atom
            r1s2           14        0       0       16  atom
            r1s3            4        0       0       16  atom
            r1s5           12        0       0       48  atom
            10 masks for 11 states, 300 bytes
        "#]],
    );
    dump(
        "mask",
        &[&bytes[..], &["--text", "(1"]].concat(),
        0,
        expect![[r#"
            state    accepted suffixes  places    bytes  rule
            r1s2           14        0       0       16  atom
            1 masks for 10 states, 16 bytes
        "#]],
    );
    // With tokens that reach beyond the end of a rule.
    let tokenizer = r#"{
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "merges": [], "vocab": {
            "0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "(": 10, ")": 11, "+": 12,
            "\u0120": 13, "\u010a": 14, "11": 15, "1)": 16, "+(": 17, "))": 18, ")+": 19, "1+1": 20, "x": 21
        }}
    }"#;
    let tokenizer = File::new("tokenizer.json", tokenizer);
    let folder = tokenizer.folder().to_str().unwrap();
    dump(
        "mask",
        &["--tokenizer", folder],
        0,
        expect![[r#"
            state    accepted suffixes  places    bytes  rule
            r0s0           14        0       0       56  root
            r0s1           14        0       0       56  root
            r0s2           16        0       0       20  root
            r0s3            4        0       0       16  root
            r0s4           14        0       0       56  root
            r1s0            1        0       0        4  atom
            r1s1           15        0       0       60  atom
            r1s2           18        0       1       68  atom
            r1s3            5        0       1       60  atom
            r1s5           15        0       0       60  atom
            10 masks for 11 states, 456 bytes
        "#]],
    );
}

#[test]
fn options_that_mean_nothing_are_refused() {
    dump(
        "grammar",
        &["--text", "1"],
        2,
        expect![[r#"
        error: --text is an option of `rows` and `mask`; it means nothing to `grammar`
    "#]],
    );
    dump(
        "rows",
        &["--tokenizer", "bytes"],
        2,
        expect![[r#"
        error: --tokenizer is an option of `mask`; it means nothing to `rows`
    "#]],
    );
    dump(
        "rows",
        &["--graphviz"],
        2,
        expect![[r#"
        error: --graphviz is an option of `grammar` and `fsm`; it means nothing to `rows`
    "#]],
    );
    dump(
        "mask",
        &["--svg", "mask.svg"],
        2,
        expect![[r#"
        error: --svg is an option of `grammar` and `fsm`; it means nothing to `mask`
    "#]],
    );
    check(
        &["dump", "fsm"],
        2,
        expect![[r#"
            error: which grammar? Say --schema FILE, --ebnf FILE, --gbnf FILE, --lark FILE, --regex REGEX, --tag FILE, --tools FILE or --json
        "#]],
    );
    check(
        &["dump", "mask", "--json", "--tokenizer", "gpt-17.json", "--timeout", "x"],
        2,
        expect![[r#"
        error: invalid value 'x' for '--timeout <SECONDS>': a number of seconds, such as 10 or 0.5

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn pictures_need_graphviz() {
    let nothing = File::new("nothing", "");
    let path = [("PATH", nothing.folder().to_str().unwrap())];
    let picture = nothing.folder().join("fsm.svg");
    let args = ["dump", "fsm", "--regex", "a", "--svg", picture.to_str().unwrap()];
    let answer = formwork_with(&args, b"", &path);
    assert_eq!(answer.status, 2);
    expect![[r#"
        error: --svg needs `dot`, the program of Graphviz (graphviz.org), which is not installed; --graphviz prints what it would read
    "#]].assert_eq(&answer.err);
    assert!(!picture.exists());
}

#[cfg(unix)]
#[test]
fn pictures_are_drawn_by_graphviz() {
    use std::os::unix::fs::PermissionsExt;
    // Stands in for Graphviz: copies what it is to draw, or fails.
    let dot = File::new(
        "dot",
        "#!/bin/sh\n[ \"$3\" = bad.svg ] && { echo 'no room' >&2; exit 3; }\n/bin/cat > \"$3\"\n",
    );
    std::fs::set_permissions(dot.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = [("PATH", dot.folder().to_str().unwrap())];
    let picture = dot.folder().join("fsm.svg");
    let args = ["dump", "fsm", "--regex", "a", "--svg", picture.to_str().unwrap()];
    let answer = formwork_with(&args, b"", &path);
    assert_eq!((answer.status, answer.out.as_str(), answer.err.as_str()), (0, "", ""));
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("digraph fsm {"));
    let answer = formwork_with(&["dump", "grammar", "--regex", "a", "--svg", "bad.svg"], b"", &path);
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("bad.svg") && answer.err.contains("no room"), "{}", answer.err);
}
