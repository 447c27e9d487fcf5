//! `--tools`: what models write that can call tools.

use crate::program::{Answer, File, formwork};

const TOOLS: &str = r#"[{"type": "function", "function": {"name": "add", "parameters":
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}}, {"type": "function", "name": "ping"}]"#;

fn ask(command: &str, options: &[&str], input: &str) -> Answer {
    let tools = File::new("tools.json", TOOLS);
    let mut args: Vec<&str> = command.split(' ').collect();
    args.extend(["--tools", tools.path()]);
    args.extend(options);
    formwork(&args, input.as_bytes())
}

#[test]
fn turns_are_judged() {
    let call = "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>";
    for (options, input, status) in [
        (&["--model", "qwen3"][..], call, 0),
        (&["--model", "hermes"], "no call", 0),
        (&["--model", "qwen3", "--tool-choice", "required"], "no call", 1),
        (&["--model", "qwen3", "--tool-choice", "ping"], call, 1),
        (&["--model", "qwen3", "--tool-choice", "{\"type\": \"function\", \"name\": \"add\"}"], call, 0),
        (&["--model", "qwen3", "--reasoning", "on"], "<think>hm</think>\n\nno call", 0),
        (&["--model", "qwen3", "--reasoning", "on"], "no call", 1),
        (
            &["--model", "qwen3", "--reasoning", "on", "--max-reasoning-chars", "2"],
            "<think>hm</think>\n\nno call",
            0,
        ),
        (
            &["--model", "qwen3", "--reasoning", "on", "--max-reasoning-chars", "1"],
            "<think>hm</think>\n\nno call",
            1,
        ),
        (&["--model", "llama3"], "{\"name\": \"add\", \"parameters\": {\"a\": 1}}", 0),
        (&["--model", "llama3"], "{\"name\": \"add\", \"parameters\": {\"b\": 1}}", 1),
        (&["--model", "mistral_v13"], "Hm.[TOOL_CALLS]add[ARGS]{\"a\": 1}", 0),
        (
            &["--model", "harmony", "--builtin", "python"],
            "<|channel|>analysis to=python<|message|>1+1<|call|>",
            0,
        ),
        (&["--model", "harmony"], "<|channel|>analysis to=python<|message|>1+1<|call|>", 1),
    ] {
        let answer = ask("check", options, input);
        assert_eq!(answer.status, status, "{options:?} {input:?} {answer:?}");
    }
}

#[test]
fn what_is_generated_is_accepted() {
    for model in
        ["qwen3", "llama3", "qwen3_coder", "kimi_k2", "mistral_v7", "mistral_v11", "cohere", "granite3"]
    {
        let options = ["--model", model, "--tool-choice", "required"];
        let answer = ask("generate --seed 3", &options, "");
        assert_eq!(answer.status, 0, "{answer:?}");
        assert_eq!(ask("check", &options, &answer.out).status, 0, "{answer:?}");
    }
}

#[test]
fn wrong_options_are_named() {
    for (options, message) in [
        (&[][..], "error: --tools needs --model, the family of the model\n"),
        (
            &["--model", "qwen3", "--tool-choice", "sub"],
            "error: the tool choice names \"sub\", which is no tool\n",
        ),
        (
            &["--model", "qwen3", "--reasoning", "maybe"],
            "error: --reasoning is `off`, `on` or `auto`, not `maybe`\n",
        ),
    ] {
        let answer = ask("check", options, "");
        assert_eq!((answer.status, answer.err.as_str()), (2, message));
    }
    let answer = formwork(&["check", "--regex", "a", "--model", "qwen3"], b"");
    assert_eq!((answer.status, answer.err.as_str()), (2, "error: --model is an option of --tools\n"));
}

#[test]
fn generated_reasoning_keeps_its_budget() {
    let tools = File::new("tools.json", r#"[{"type": "function", "name": "ping"}]"#);
    for seed in ["1", "2", "3"] {
        let answer = formwork(
            &[
                "generate",
                "--tools",
                tools.path(),
                "--model",
                "qwen3",
                "--tool-choice",
                "required",
                "--reasoning",
                "on",
                "--max-reasoning-tokens",
                "5",
                "--tokenizer",
                "o200k_base",
                "--seed",
                seed,
            ],
            b"",
        );
        assert_eq!(answer.status, 0, "{answer:?}");
        assert!(answer.out.contains("</think>") && answer.out.contains("ping"), "{answer:?}");
    }
}
