//! The families of models, by the cases under `data/models/`: turns that each accepts and refuses.

#![allow(missing_docs, reason = "a test")]

mod common;

use common::accepts;
use formwork_engine::{Compiler, Matcher};
use formwork_tags::{Error, ErrorKind, Model, Options, Reasoning, ToolChoice, Tools};
use serde_json::{Value, json};

/// The cases of a family.
fn cases(name: &str) -> Value {
    let path = format!("{}/../../data/models/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn strings<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    let list = value[name].as_array().unwrap_or_else(|| panic!("{name} is missing"));
    list.iter().map(|text| text.as_str().expect("a text")).collect()
}

fn check(name: &str) {
    let cases = cases(name);
    let model = Model::named(name).expect("a family");
    let (mut n_accepted, mut n_refused) = (0, 0);
    // An argument with an end mark, or what looks like one, and this word in it.
    let mut has_end_inside = false;
    for group in cases["groups"].as_array().expect("groups") {
        // A group may be about a vocabulary of its own.
        let with_specials = if group["specials"].is_array() { group } else { &cases };
        let specials = strings(with_specials, "specials");
        let reasoning = match group["reasoning"].as_str() {
            Some("on") => Reasoning::On,
            Some("auto") => Reasoning::Auto,
            _ => Reasoning::Off,
        };
        let tools = Tools::from_json(&cases["tools"])
            .expect("tools")
            .choice(ToolChoice::from_json(&group["tool_choice"]).expect("a choice"))
            .parallel(group["parallel_tool_calls"] != json!(false))
            .reasoning(reasoning)
            .builtin(group["builtin"].as_array().map(|_| strings(group, "builtin")).unwrap_or_default());
        let format = model.format(&tools).expect("a format");
        let grammar = Options::default().grammar_of(&format).expect("a grammar");
        let what = format!("{name}, {}, {reasoning:?}", group["tool_choice"]);
        for text in strings(group, "accept") {
            assert!(accepts(&grammar, &specials, text), "{what}: refused: {text}\n{grammar}");
            n_accepted += 1;
            has_end_inside |= text.contains(" inside");
        }
        for text in strings(group, "reject") {
            assert!(!accepts(&grammar, &specials, text), "{what}: accepted: {text}\n{grammar}");
            n_refused += 1;
        }
    }
    assert!(n_accepted >= 20 && n_refused >= 20, "{n_accepted} and {n_refused} cases are too few");
    assert!(has_end_inside, "no case has an end inside of an argument");
}

#[test]
fn llama3() {
    check("llama3");
}

#[test]
fn llama_pythonic() {
    check("llama_pythonic");
}

#[test]
fn qwen3() {
    check("qwen3");
}

#[test]
fn qwen3_coder() {
    check("qwen3_coder");
}

#[test]
fn deepseek_r1() {
    check("deepseek_r1");
}

#[test]
fn deepseek_v3_1() {
    check("deepseek_v3_1");
}

#[test]
fn deepseek_v3_2() {
    check("deepseek_v3_2");
}

#[test]
fn deepseek_v4() {
    check("deepseek_v4");
}

#[test]
fn harmony() {
    check("harmony");
}

#[test]
fn kimi_k2() {
    check("kimi_k2");
}

#[test]
fn glm_4_7() {
    check("glm_4_7");
}

#[test]
fn minimax_m2() {
    check("minimax_m2");
}

#[test]
fn glm_4_5() {
    check("glm_4_5");
}

#[test]
fn mistral_v3() {
    check("mistral_v3");
}

#[test]
fn mistral_v7() {
    check("mistral_v7");
}

#[test]
fn mistral_v11() {
    check("mistral_v11");
}

#[test]
fn mistral_v13() {
    check("mistral_v13");
}

#[test]
fn cohere() {
    check("cohere");
}

#[test]
fn cohere_north() {
    check("cohere_north");
}

#[test]
fn granite3() {
    check("granite3");
}

#[test]
fn granite3_1() {
    check("granite3_1");
}

#[test]
fn kimi_k3() {
    check("kimi_k3");
}

#[test]
fn lfm2() {
    check("lfm2");
}

#[test]
fn olmo3() {
    check("olmo3");
}

#[test]
fn deepseek_v4_1() {
    check("deepseek_v4_1");
}

#[test]
fn seed_oss() {
    check("seed_oss");
}

#[test]
fn nemotron_3() {
    check("nemotron_3");
}

#[test]
fn step_3_5() {
    check("step_3_5");
}

#[test]
fn mimo_v2() {
    check("mimo_v2");
}

#[test]
fn nemotron_nano_v2() {
    check("nemotron_nano_v2");
}

#[test]
fn apertus() {
    check("apertus");
}

#[test]
fn apriel() {
    check("apriel");
}

#[test]
fn hunyuan_a13b() {
    check("hunyuan_a13b");
}

#[test]
fn minimax_m1() {
    check("minimax_m1");
}

#[test]
fn jamba() {
    check("jamba");
}

#[test]
fn internlm2() {
    check("internlm2");
}

#[test]
fn xlam_2() {
    check("xlam_2");
}

#[test]
fn granite_20b_fc() {
    check("granite_20b_fc");
}

#[test]
fn phi4_mini() {
    check("phi4_mini");
}

#[test]
fn gemma_4() {
    check("gemma_4");
}

/// So many members that their names are several rules, which go on with a string that others began.
#[test]
fn large_objects_are_written_in_the_styles_of_families() {
    let properties: serde_json::Map<String, Value> =
        (0..70).map(|i| (format!("p{i}"), json!({"type": "integer"}))).collect();
    let large = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let parameters = json!({"type": "object", "properties": {"opts": large}, "required": ["opts"]});
    let tools = json!([{"type": "function", "function": {"name": "set", "parameters": parameters}}]);
    for (name, before, after, quote) in [
        ("llama_pythonic", "[set(opts=", ")]", "'"),
        ("gemma_4", "<|tool_call>call:set{opts:", "}<tool_call|>", ""),
    ] {
        let tools = Tools::from_json(&tools).expect("tools").choice(ToolChoice::Required);
        let format = Model::named(name).expect("a family").format(&tools).expect("a format");
        let grammar = Options::default().grammar_of(&format).expect("a grammar");
        let specials = cases(name);
        let specials = strings(&specials, "specials");
        let gap = if quote.is_empty() { "" } else { " " };
        let writes = |numbers: &[u32]| {
            let members: Vec<String> =
                numbers.iter().map(|i| format!("{quote}p{i}{quote}:{gap}{i}")).collect();
            let text = format!("{before}{{{}}}{after}", members.join(&format!(",{gap}")));
            accepts(&grammar, &specials, &text)
        };
        for numbers in [&[][..], &[0], &[69], &[0, 1, 2], &[3, 40, 69], &(0..70).collect::<Vec<_>>()] {
            assert!(writes(numbers), "{name}: {numbers:?}");
        }
        for numbers in [&[70][..], &[1, 0], &[69, 3], &[5, 5], &[3, 71]] {
            assert!(!writes(numbers), "{name}: {numbers:?}");
        }
    }
}

/// Pieces of texts as tokens: from each place to a few characters on, without the names of special tokens.
fn pieces<'t>(texts: &[&'t str], specials: &[&str]) -> Vec<&'t str> {
    let mut found = std::collections::BTreeSet::new();
    for text in texts {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (i, len) in (0..starts.len()).zip([2, 5, 3, 9].into_iter().cycle()) {
            let Some(&end) = starts.get(i + len) else { continue };
            let piece = &text[starts[i]..end];
            if !specials.iter().any(|name| piece.contains(name)) {
                found.insert(piece);
            }
        }
    }
    let every = found.len().div_ceil(120).max(1);
    found.into_iter().step_by(every).collect()
}

#[test]
fn masks_are_what_is_accepted() {
    for name in Model::names().expect("the families are right") {
        let cases = cases(&name);
        let (specials, group) = (strings(&cases, "specials"), &cases["groups"][0]);
        let tools = Tools::from_json(&cases["tools"]).expect("tools");
        let format = Model::named(&name).expect("a family").format(&tools).expect("a format");
        let grammar = Options::default().grammar_of(&format).expect("a grammar");
        let mut turns = strings(group, "accept");
        turns.retain(|turn| turn.len() < 400);
        let pieces = pieces(&turns, &specials);
        let vocabulary = common::vocabulary_with(&specials, &pieces);
        let compiled = Compiler::new(vocabulary.clone()).compile(&grammar).expect("compiles");
        let mut mask = vec![0u32; vocabulary.mask_words()];
        // The longest turn has most to say, and one in the middle is different.
        turns.sort_by_key(|turn| turn.len());
        for turn in [turns[turns.len() - 1], turns[turns.len() / 2]] {
            let mut matcher = Matcher::new(&compiled);
            for token in common::tokens(&specials, turn) {
                matcher.fill_mask(&mut mask).expect("a mask");
                for id in 256..257 + (specials.len() + pieces.len()) as u32 {
                    let is_set = mask[id as usize / 32] >> (id % 32) & 1 != 0;
                    let is_accepted = matcher.fork().accept_token(id).is_ok();
                    assert_eq!(is_set, is_accepted, "{name}: token {id} in {turn:?}\n{grammar}");
                }
                assert!(mask[token as usize / 32] >> (token % 32) & 1 != 0, "{name}: {token} in {turn:?}");
                matcher.accept_token(token).expect("the mask allows it");
            }
            assert!(matcher.can_finish(), "{name}: {turn}");
        }
    }
}

#[test]
fn minimax_m3() {
    check("minimax_m3");
}

#[test]
fn every_family_has_cases_and_is_found_by_its_other_names() {
    for name in Model::names().expect("the families are right") {
        assert_eq!(cases(&name)["family"], json!(name));
    }
    assert_eq!(Model::named("hermes").expect("a family").name(), "qwen3");
}

#[test]
fn the_page_has_every_family() {
    let path = format!("{}/../../docs/models.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).expect("a page");
    let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("### ")).collect();
    for name in Model::names().expect("the families are right") {
        let quoted = format!("`{name}`");
        assert!(page.contains(&format!("| {quoted} |")), "{name} is not in the table");
        assert!(headings.iter().any(|heading| heading.contains(&quoted)), "{name} has no section");
    }
}

fn refused(result: Result<impl Sized, Error>, kind: ErrorKind, pointer: &str, message: &str) {
    let error = result.err().expect("refused");
    assert_eq!((error.kind(), error.pointer(), error.message()), (kind, pointer, message));
}

#[test]
fn requests_that_ask_for_what_is_not_there_are_refused() {
    refused(
        Model::named("gpt-2"),
        ErrorKind::Usage,
        "",
        "there is no model family \"gpt-2\"; known are llama3, llama_pythonic, qwen3, qwen3_coder, deepseek_r1, deepseek_v3_1, \
         deepseek_v3_2, deepseek_v4, kimi_k2, glm_4_7, minimax_m2, harmony, glm_4_5, mistral_v3, \
         mistral_v7, mistral_v11, mistral_v13, cohere, cohere_north, granite3, granite3_1, kimi_k3, lfm2, olmo3, deepseek_v4_1, seed_oss, nemotron_3, step_3_5, mimo_v2, nemotron_nano_v2, apertus, apriel, hunyuan_a13b, minimax_m1, jamba, internlm2, xlam_2, granite_20b_fc, phi4_mini, gemma_4, minimax_m3",
    );
    let qwen = Model::named("qwen3").expect("a family");
    let none = Tools::new(Vec::new());
    refused(
        qwen.format(&none.clone().choice(ToolChoice::Required)),
        ErrorKind::Usage,
        "",
        "a call is required, but there is no tool to call",
    );
    refused(
        qwen.format(&none.clone().choice(ToolChoice::Named("f".to_owned()))),
        ErrorKind::Usage,
        "",
        "the tool choice names \"f\", which is no tool",
    );
    refused(
        Model::named("llama3").expect("a family").format(&none.reasoning(Reasoning::On)),
        ErrorKind::Usage,
        "",
        "the family \"llama3\" does not mark reasoning",
    );
    refused(
        Model::named("llama3").expect("a family").format(&Tools::new(Vec::new()).builtin(["python"])),
        ErrorKind::Usage,
        "",
        "the family \"llama3\" has no built-in tools",
    );
    refused(
        Model::named("harmony").expect("a family").format(&Tools::new(Vec::new()).builtin(["shell"])),
        ErrorKind::Usage,
        "",
        "there is no built-in tool \"shell\"; known are browser, python",
    );
    refused(
        Tools::from_json(&json!([{"type": "web_search"}])),
        ErrorKind::Unsupported,
        "/0/type",
        "tools of type \"web_search\" are not supported, only functions",
    );
    refused(
        Tools::from_json(&json!([{"type": "function", "name": "a b"}])),
        ErrorKind::Invalid,
        "/0/name",
        "\"a b\" is no name of a tool: letters, digits, `_`, `-`, `.` and `:` are",
    );
    refused(
        Tools::from_json(
            &json!([{"type": "function", "name": "a"}, {"type": "function", "function": {"name": "a"}}]),
        ),
        ErrorKind::Invalid,
        "/1/function/name",
        "two tools are called \"a\"",
    );
    for parameters in [json!([]), json!("x"), json!(1)] {
        refused(
            Tools::from_json(
                &json!([{"type": "function", "function": {"name": "a", "parameters": parameters}}]),
            ),
            ErrorKind::Invalid,
            "/0/function/parameters",
            "`parameters` is a schema: an object or a boolean",
        );
    }
    refused(ToolChoice::from_json(&json!("must")), ErrorKind::Invalid, "", "\"must\" is no tool choice");
}

#[test]
fn tools_of_chat_completions_and_of_responses_are_the_same_tools() {
    let parameters = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let function =
        json!({"name": "search", "description": "looks up", "parameters": parameters, "strict": true});
    let chat = json!([{"type": "function", "function": function}]);
    let mut flat = function;
    flat["type"] = json!("function");
    let responses = json!([flat]);
    let format = |tools: &Value| {
        let tools = Tools::from_json(tools).expect("tools");
        Model::named("harmony").expect("a family").format(&tools).expect("a format")
    };
    assert_eq!(format(&chat), format(&responses));
    assert_ne!(format(&chat), format(&json!([{"type": "function", "name": "search"}])));
}

#[test]
fn reasoning_has_a_budget_that_rollback_and_forks_respect() {
    let close = |name: &str| match name {
        "harmony" => (
            "<|channel|>analysis<|message|>",
            "<|end|>",
            "<|start|>assistant<|channel|>final<|message|>x<|end|>",
        ),
        "mistral_v13" => ("[THINK]", "[/THINK]", "x"),
        "qwen3" => ("<think>", "</think>", "\n\nx"),
        _ => ("", "</think>", "\n\nx"),
    };
    for name in ["qwen3", "qwen3_coder", "mistral_v13", "harmony"] {
        let (open, close, rest) = close(name);
        for reasoning in [Reasoning::On, Reasoning::Auto] {
            let open = if reasoning == Reasoning::Auto && open.is_empty() { "<think>" } else { open };
            let tools = Tools::new(Vec::new()).reasoning(reasoning).max_reasoning_chars(3);
            let format = Model::named(name).expect("a family").format(&tools).expect("a format");
            let grammar = Options::default().grammar_of(&format).expect("a grammar");
            for (thoughts, fits) in
                [("", true), ("abc", true), ("茶é\n", true), ("abcd", false), ("</t", true)]
            {
                let turn = format!("{open}{thoughts}{close}{rest}");
                let whole = accepts(&grammar, &[], &turn);
                assert_eq!(whole, fits, "{name} {reasoning:?} {turn:?}\n{grammar}");
            }
            let twice = format!("{open}a{close}{open}b{close}{rest}");
            assert!(!accepts(&grammar, &[], &twice) || open.is_empty(), "{name} {twice:?}");
            let compiled = Compiler::new(common::vocabulary(&[])).compile(&grammar).expect("compiles");
            let mut matcher = Matcher::new(&compiled);
            matcher.accept_bytes(open.as_bytes()).expect("the opening mark");
            for character in ["a", "茶", "b"] {
                matcher.accept_bytes(character.as_bytes()).expect("within the budget");
            }
            let mut fork = matcher.fork();
            assert!(fork.forced_bytes().starts_with(close.as_bytes()), "{name}");
            matcher.rollback(2).expect("two steps back");
            assert!(matcher.accept_bytes("xy".as_bytes()).is_ok(), "two are left");
            assert!(matcher.accept_bytes(b"z").is_err(), "none is left");
            assert!(fork.accept_bytes(b"z").is_err(), "and none in the fork");
            assert!(fork.accept_bytes(close.as_bytes()).is_ok());
        }
    }
}

#[test]
fn families_that_say_what_cannot_be_are_refused() {
    let family = |changes: Value| {
        let mut family = json!({"name": "new", "call": {"begin": "<call>", "between": [">"], "style": "json", "end": "</call>"}});
        for (name, value) in changes.as_object().expect("members") {
            family[name] = value.clone();
        }
        Model::parse(&family.to_string())
    };
    let call = |name: &str, value: Value| {
        let mut call = json!({"begin": "<call>", "between": [">"], "style": "json", "end": "</call>"});
        call[name] = value;
        json!({"call": call})
    };
    assert!(family(json!({})).is_ok());
    assert!(
        family(call("after", json!(["x", {"pattern": "[0-9]"}, {"optional": ["y", {"pattern": "z"}]}])))
            .is_ok()
    );
    for (changes, pointer, message) in [
        (json!({"text": "after"}), "/text", "\"after\" is none of `before`, `beside`, `first` and `nowhere`"),
        (
            json!({"text": "before", "trigger": "<"}),
            "/trigger",
            "where text comes before calls, all of a call's begin is the trigger",
        ),
        (json!({"text": "beside"}), "/text", "only sections have something beside them"),
        (
            json!({"text": "first", "section": {"begin": "<s>", "end": "</s>"}}),
            "/text",
            "only an `answer` comes first, and calls in a `section` behind it",
        ),
        (
            json!({"end": ["x", 1]}),
            "/end/1",
            "expected a text, a pattern, or a list of these that is optional",
        ),
        (json!({"trigger": "<tool>"}), "/trigger", "a call does not begin with the trigger"),
        (call("lead", json!(["x"])), "/call/lead", "only calls in a section have a lead"),
        (call("after", json!("x")), "/call/after", "expected a list"),
        (
            call("after", json!(["x", 1])),
            "/call/after/1",
            "expected a text, a pattern, or a list of these that is optional",
        ),
        (
            call("between", json!([{"optional": [{"optional": ["x"]}]}])),
            "/call/between/0",
            "expected a text, a pattern, or a list of these that is optional",
        ),
        (json!({"section": {"begin": "<s>"}}), "/section/end", "expected a string"),
        (json!({"answer": {"begin": "<s>"}}), "/answer/end", "expected a string"),
        (
            json!({"colour": 1}),
            "/colour",
            "unknown member; known are name, also, channels, reasoning, section, answer, free, text, before, call, trigger, separator, parallel, excludes, end",
        ),
    ] {
        refused(family(changes), ErrorKind::Invalid, pointer, message);
    }
}
