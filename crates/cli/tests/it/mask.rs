//! `formwork mask`: what may come next.

use crate::program::check;
use expect_test::{Expect, expect};

fn mask(args: &[&str], status: i32, expected: Expect) {
    check(&[&["mask"], args].concat(), status, expected);
}

#[test]
fn tokens_end_and_forced_bytes_are_shown() {
    mask(
        &["--regex", "(red|green)!", "--tokenizer", "bytes"],
        0,
        expect![[r#"
        allowed  2 of 257 tokens
        may end  no
        forced   nothing
              103 "g"
              114 "r"
    "#]],
    );
    mask(
        &["--regex", "(red|green)!", "--tokenizer", "bytes", "--text", "g"],
        0,
        expect![[r#"
        allowed  1 of 257 tokens
        may end  no
        forced   "reen!"
              114 "r"
    "#]],
    );
    mask(
        &["--regex", "[a-z\\n\"é]*", "--tokenizer", "bytes", "--first", "3"],
        0,
        expect![[r#"
        allowed  30 of 257 tokens
        may end  yes, with 256 <eos>
        forced   nothing
               10 "\n"
               34 "\""
               97 "a"
                  and 27 more
    "#]],
    );
    mask(
        &["--regex", "a*", "--tokenizer", "bytes", "--first", "0"],
        0,
        expect![[r#"
        allowed  2 of 257 tokens
        may end  yes, with 256 <eos>
        forced   nothing
    "#]],
    );
    mask(
        &["--regex", "2024-[0-9]{2}", "--text", "202"],
        0,
        expect![[r#"
        allowed  1 of 200000 tokens
        may end  no
        forced   "4-"
               19 "4"
    "#]],
    );
    mask(
        &["--json", "--text", "{\"a\": tr", "--tokenizer", "llama3"],
        0,
        expect![[r#"
        allowed  2 of 128256 tokens
        may end  no
        forced   "ue"
               84 "u"
              361 "ue"
    "#]],
    );
}

#[test]
fn a_text_that_is_not_allowed_has_status_1() {
    mask(
        &["--json", "--text", "[1, ]"],
        1,
        expect![[r#"
        --text: rejected at line 1, column 5 (byte 4)
          |
        1 | [1, ]
          |     ^ `]` cannot come here
          = expected `"`, `-`, `0` to `9`, `[`, `f`, `n`, `t`, `{` or white space
          = in rule `json_array`
    "#]],
    );
    mask(
        &["--json", "--text", "[1, ]", "--output", "json"],
        1,
        expect![[r#"
        {"compile_error":null,"rejection":{"offset":4,"line":1,"column":5,"before":"[1, ","found":"`]`","expected":["`\"`","`-`","`0` to `9`","`[`","`f`","`n`","`t`","`{`","white space"],"can_finish":false,"rules":[{"rule":"json_array","place":null,"begins":false}],"message":"`]` cannot come here; expected `\"`, `-`, `0` to `9`, `[`, `f`, `n`, `t`, `{` or white space"}}
    "#]],
    );
}

#[test]
fn answers_and_errors_come_as_json() {
    let args = ["--regex", "a+", "--text", "a", "--tokenizer", "bytes", "--output", "json"];
    mask(
        &args,
        0,
        expect![[r#"
            {"compile_error":null,"rejection":null,"allowed":2,"tokens":257,"can_finish":true,"forced":"","first":[{"id":97,"text":"a"},{"id":256,"special":"<eos>"}]}
        "#]],
    );
    mask(
        &["--regex", "a(", "--output", "json"],
        2,
        expect![[r#"
        {"compile_error":{"kind":"invalid","pointer":null,"line":1,"column":2,"message":"unclosed group"}}
    "#]],
    );
    mask(
        &["--regex", "a", "--tokenizer", "bytes", "--stop", "b"],
        2,
        expect![[r#"
        error: --tokenizer bytes has a stop token of its own; --stop is for others
    "#]],
    );
}
