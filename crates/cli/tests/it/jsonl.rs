//! `formwork check --jsonl`: one answer per line, whatever the line.

use crate::program::formwork;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn ask(input: &[u8]) -> Vec<Value> {
    let answer = formwork(&["check", "--jsonl"], input);
    assert_eq!(answer.status, 0, "{answer:?}");
    answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check(input: &str, expected: Expect) {
    let answers: String = ask(input.as_bytes()).iter().map(|answer| format!("{answer}\n")).collect();
    expected.assert_eq(&answers);
}

#[test]
fn questions_are_answered_in_order() {
    check(
        concat!(
            r#"{"schema": {"type": "integer", "x-unit": "mm"}, "instances": ["1", "1.5", "", "-0"]}"#,
            "\n",
            r#"{"schema": "{\"enum\": [\"a\", null]}", "instances": ["\"a\"", "null", "\"\\u0061\"", "a"]}"#,
            "\n",
            r#"{"schema": true, "instances": ["[1, {}]"], "options": {"whitespace": "compact"}}"#,
            "\n",
            r#"{"ebnf": "start ::= \"a\" start | \"b\"", "instances": ["aab", "aa"], "options": {"root": "start"}}"#,
            "\n",
            r#"{"gbnf": "root ::= [a-c]{,2} |\n  \"x\"", "instances": ["ab", "x", "abc"]}"#,
            "\n",
            r#"{"lark": "start: NAME+\n%import common.CNAME -> NAME\n%ignore \" \"", "instances": ["a b", "1"]}"#,
            "\n",
            r#"{"lark": "a: b", "instances": [], "options": {"root": "a"}}"#,
            "\n",
            r#"{"regex": "[0-9]{3}", "instances": ["123", "12"]}"#,
            "\n",
            r#"{"tag": {"format": {"begin": "<n>", "content": {"pattern": "[0-9]"}, "end": "</n>"}}, "instances": ["<n>1</n>", "<n>1"]}"#,
            "\n",
            r#"{"tag": {"structures": [{"begin": "<f>", "schema": {"properties": {"a": {}}}, "end": "</f>"}], "triggers": ["<f"]}, "instances": ["call <f>{\"a\": 1}</f>!", "<f>{\"b\": 1}</f>"]}"#,
            "\n",
            r#"{"schema": {"type": "object", "properties": {"a": {"$ref": "other"}}}, "instances": ["{\"a\": 1}", "{\"a\": 2}"], "options": {"resources": {"other": {"const": 1}}}}"#,
        ),
        expect![[r#"
            {"compile_error":null,"verdicts":[true,false,false,true],"report":{"enforced":[{"pointer":"/type","what":"type"}],"relaxed":[],"ignored":[{"pointer":"/x-unit","what":"x-unit (unknown)"}],"notes":[]}}
            {"compile_error":null,"verdicts":[true,true,true,false],"report":{"enforced":[{"pointer":"/enum","what":"enum"}],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":{"kind":"invalid","pointer":null,"line":1,"column":4,"message":"error: there is no rule `b`\n --> line 1, column 4\n  |\n1 | a: b\n  |    ^\n  = help: did you mean `a`?"},"verdicts":[]}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[],"relaxed":[],"ignored":[],"notes":[]}}
            {"compile_error":null,"verdicts":[true,false],"report":{"enforced":[{"pointer":"/properties","what":"properties"},{"pointer":"/properties/a/$ref","what":"$ref"},{"pointer":"/type","what":"type"},{"pointer":"other#/const","what":"const"}],"relaxed":[],"ignored":[],"notes":[]}}
        "#]],
    );
}

#[test]
fn grammars_that_cannot_be_have_a_kind_and_a_place() {
    check(
        concat!(
            r#"{"schema": {"properties": {"a": {"minLength": -1}}}, "instances": ["{}"]}"#,
            "\n",
            r#"{"schema": {"properties": {"a": false}, "required": ["a"], "type": "object"}, "instances": []}"#,
            "\n",
            r#"{"schema": "{", "instances": []}"#,
            "\n",
            r#"{"schema": {"$ref": "elsewhere"}, "instances": []}"#,
            "\n",
            r#"{"ebnf": "root ::= \"a\" rot\nroot ::=", "instances": []}"#,
            "\n",
            r#"{"ebnf": "root ::= root", "instances": []}"#,
            "\n",
            r#"{"regex": "a(?=b)", "instances": []}"#,
            "\n",
            r#"{"regex": "(a", "instances": []}"#,
            "\n",
        ),
        expect![[r#"
            {"compile_error":{"kind":"invalid","pointer":"/properties/a/minLength","message":"`minLength` must be a whole number that is not negative"},"verdicts":[]}
            {"compile_error":{"kind":"unsatisfiable","pointer":"/properties/a","message":"`properties` clashes with `required` at /required: no value satisfies both; change or remove one of them"},"verdicts":[]}
            {"compile_error":{"kind":"invalid","pointer":"","message":"not JSON: a key or `}` is missing at line 1, column 2"},"verdicts":[]}
            {"compile_error":{"kind":"invalid","pointer":"/$ref","message":"`$ref` leads to \"elsewhere\", which is nowhere; nothing is fetched, so other documents must be given as `resources`"},"verdicts":[]}
            {"compile_error":{"kind":"invalid","pointer":null,"line":1,"column":14,"message":"error: there is no rule `rot`\n --> line 1, column 14\n  |\n1 | root ::= \"a\" rot\n  |              ^^^\n  = help: did you mean `root`?\n\nerror: the rule `root` is defined twice\n --> line 2, column 1\n  |\n2 | root ::=\n  | ^^^^\n  = note: the first definition is at line 1, column 1\n  = help: put the alternatives of both into one, or rename one\n\nerror: this rule has no body\n --> line 2, column 6\n  |\n2 | root ::=\n  |      ^^^\n  = help: write `\"\"` for the empty text"},"verdicts":[]}
            {"compile_error":{"kind":"unsatisfiable","pointer":null,"line":1,"column":1,"message":"the grammar matches no output at all: rule `root` can never end (every way through it leads back into itself)"},"verdicts":[]}
            {"compile_error":{"kind":"unsupported","pointer":null,"line":1,"column":2,"message":"look-around is not supported; say what may come here with alternatives and classes, or check it after generating"},"verdicts":[]}
            {"compile_error":{"kind":"invalid","pointer":null,"line":1,"column":1,"message":"unclosed group"},"verdicts":[]}
        "#]],
    );
}

#[test]
fn malformed_lines_are_told_so() {
    check(
        concat!(
            "\n",
            "null\n",
            "{\n",
            r#"{"instances": []}"#,
            "\n",
            r#"{"schema": {}}"#,
            "\n",
            r#"{"schema": {}, "instances": "1"}"#,
            "\n",
            r#"{"schema": {}, "instances": [1]}"#,
            "\n",
            r#"{"schema": {}, "regex": "a", "instances": []}"#,
            "\n",
            r#"{"schema": {}, "instances": [], "instances": []}"#,
            "\n",
            r#"{"schema": {}, "instances": [], "colour": "red"}"#,
            "\n",
            r#"{"schema": {}, "instances": [], "options": {"colour": "red"}}"#,
            "\n",
            r#"{"schema": {}, "instances": [], "options": [1]}"#,
            "\n",
            r#"{"regex": "a", "instances": [], "options": {"root": "a"}}"#,
            "\n",
            r#"{"ebnf": "root ::= \"a\"", "instances": [], "options": {"root": 1}}"#,
            "\n",
            r#"{"tag": {}, "instances": []}"#,
            "\n",
            r#"{"regex": 1, "instances": []}"#,
            "\n",
            r#"{"regex": "a", "instances": []} x"#,
            "\n",
        ),
        expect![[r#"
            {"compile_error":{"kind":"usage","pointer":null,"message":"the line is not a JSON object: EOF while parsing a value at line 1 column 0; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"the line is not a JSON object: invalid type: null, expected a JSON object at line 1 column 4; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"the line is not a JSON object: EOF while parsing an object at line 1 column 1; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"no grammar; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"no \"instances\"; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"\"instances\" is not a list of strings: invalid type: string \"1\", expected a sequence at line 1 column 3"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"\"instances\" is not a list of strings: invalid type: integer `1`, expected a string at line 1 column 2"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"both \"schema\" and \"regex\" in one line"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"\"instances\" twice in one line"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"unknown member \"colour\"; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":"","message":"unknown option `colour`; the options are draft, property_order, formats, whitespace, numbers, max_digits, strict_objects, relax, resources"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":"","message":"options must be a JSON object"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"unknown option \"root\"; \"regex\" has no options"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"option `root` is the name of a rule, a string"},"verdicts":[]}
            {"compile_error":{"kind":"invalid","pointer":"","message":"a structural tag has a `format`, or `structures` and `triggers`"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"\"regex\" is not a string: invalid type: integer `1`, expected a string at line 1 column 1"},"verdicts":[]}
            {"compile_error":{"kind":"usage","pointer":null,"message":"the line is not a JSON object: trailing characters at line 1 column 33; a line is {\"schema\": …, \"instances\": [\"text\", …], \"options\": {…}}, or the same with \"ebnf\", \"gbnf\", \"lark\", \"regex\" or \"tag\" instead of \"schema\""},"verdicts":[]}
        "#]],
    );
}

/// A question whose answer shows that the program still listens.
const PROBE: &[u8] = b"\n{\"regex\": \"a\", \"instances\": [\"a\"]}\n";

fn survives(line: &[u8]) -> Value {
    let answers = ask(&[line, PROBE].concat());
    let [answer, probe] = &answers[..] else { panic!("{} answers", answers.len()) };
    assert_eq!(probe["verdicts"], json!([true]));
    answer.clone()
}

fn kind(answer: &Value) -> &str {
    answer["compile_error"]["kind"].as_str().unwrap_or("none")
}

#[test]
fn no_line_ends_the_process() {
    let deep = |open: &str, close: &str, n: usize| open.repeat(n) + &close.repeat(n);
    let array = deep("[", "]", 2_000);
    let schema = deep("{\"items\":", "}", 2_000).replace(":}", ":{}}");
    assert_eq!(kind(&survives(b"\xff\xfe{}")), "usage");
    assert_eq!(kind(&survives(&vec![b'('; 1 << 20])), "usage");
    assert_eq!(kind(&survives(&vec![b'['; 1 << 20])), "usage");
    assert_eq!(kind(&survives(&b"{\"schema\":".repeat(100_000))), "usage");
    assert_eq!(kind(&survives(br#"{"regex": "a", "instances": ["\ud800"]}"#)), "usage");
    // As JSON and as text: the frontend's reader gets both as they are written.
    for text in [schema.clone(), Value::from(schema).to_string()] {
        let answer = survives(format!(r#"{{"schema": {text}, "instances": ["[]"]}}"#).as_bytes());
        assert!(matches!(kind(&answer), "limit" | "invalid" | "none"), "{answer}");
    }
    let answer = survives(format!(r#"{{"schema": {{"const": {array}}}, "instances": []}}"#).as_bytes());
    assert!(matches!(kind(&answer), "limit" | "invalid" | "none"), "{}", kind(&answer));
    let answer = survives(format!(r#"{{"schema": true, "instances": ["{array}"]}}"#).as_bytes());
    assert!(answer["verdicts"] == json!([true]) || answer["verdicts"] == json!(["limit"]), "{answer}");
    let options = format!(r#"{{"schema": {{}}, "instances": [], "options": {{"relax": {array}}}}}"#);
    assert_eq!(kind(&survives(options.as_bytes())), "usage");
    for ebnf in ["(".repeat(1 << 20), "root ::= ".to_owned() + &deep("(", ")", 100_000), "\0".to_owned()] {
        let answer = survives(json!({"ebnf": ebnf, "instances": []}).to_string().as_bytes());
        assert!(matches!(kind(&answer), "limit" | "invalid"), "{}", kind(&answer));
    }
    let answer =
        survives(json!({"regex": deep("(", ")", 100_000), "instances": [""]}).to_string().as_bytes());
    assert!(matches!(kind(&answer), "limit" | "none"), "{}", kind(&answer));
}
