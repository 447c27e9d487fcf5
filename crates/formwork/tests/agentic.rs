//! Turns that mix reasoning, free text and calls, token by token over real vocabularies: at every step the mask is what
//! trying every token says, special tokens included.

#![allow(missing_docs, reason = "a test")]

use formwork::tags::{Model, Options, Reasoning, ToolChoice, Tools};
use formwork::{Compiler, Grammar, KeptMask, Matcher, TokenId, Vocabulary, tags, tokenizers};
use formwork_testkit::oracles::brute_force;
use serde_json::json;

/// The tokens of a text, the longest first; names of special tokens are those tokens.
fn tokens(vocabulary: &Vocabulary, text: &str) -> Vec<TokenId> {
    let trie = vocabulary.trie();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let named = vocabulary.specials().filter(|(_, name)| rest.starts_with(name.as_bytes()));
        if let Some((id, name)) = named.max_by_key(|(_, name)| name.len()) {
            tokens.push(id);
            at += name.len();
            continue;
        }
        // No text token runs into a name, as in real tokenizers.
        let until_name = vocabulary.specials().filter_map(|(_, name)| text[at..].find(name)).min();
        let rest = &rest[..until_name.unwrap_or(rest.len())];
        let (mut node, mut best) = (Some(formwork::vocab::Trie::ROOT), None);
        for (len, &byte) in rest.iter().enumerate() {
            node = node.and_then(|node| trie.child(node, byte));
            let Some(node) = node else { break };
            if let Some(&token) = trie.tokens_at(node).first() {
                best = Some((token, len + 1));
            }
        }
        let (token, len) = best.expect("every byte is a token");
        tokens.push(token);
        at += len;
    }
    tokens
}

/// Follows a turn to its end and compares every mask.
fn check(vocabulary: &Vocabulary, grammar: &Grammar, turn: &str) {
    let compiled =
        Compiler::new(vocabulary.clone()).compile(grammar).unwrap_or_else(|error| panic!("{error}"));
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0u32; vocabulary.mask_words()];
    let mut kept = KeptMask::new(mask.clone());
    for (i, token) in tokens(vocabulary, turn).into_iter().enumerate() {
        matcher.fill_mask(&mut mask).expect("a mask");
        matcher.fill_kept(&mut kept).expect("a mask");
        assert!(kept.words() == mask, "step {i} of {turn:?}: the mask that is kept is another one");
        let expected = brute_force(&mut matcher, vocabulary).expect("steps can be taken back");
        let differ = mask.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differ, None, "step {i} of {turn:?}: the masks differ in this word");
        matcher.accept_token(token).unwrap_or_else(|error| panic!("step {i} of {turn:?}: {error}"));
    }
    assert!(matcher.can_finish() || matcher.is_finished(), "{turn:?} is not whole");
}

fn tools() -> Tools {
    Tools::from_json(&json!([
        {"type": "function", "name": "search", "parameters": {"type": "object", "properties": {
            "q": {"type": "string", "maxLength": 40}, "n": {"type": "integer", "minimum": 1, "maximum": 10}}, "required": ["q"]}},
        {"type": "function", "name": "search_all"}
    ]))
    .expect("tools")
}

fn family(name: &str, reasoning: Reasoning) -> Grammar {
    let model = Model::named(name).expect("a family");
    let format = model.format(&tools().choice(ToolChoice::Auto).reasoning(reasoning)).expect("a format");
    Options::default().grammar_of(&format).expect("a grammar")
}

#[test]
fn channels_of_special_tokens() {
    let vocabulary = tokenizers::embedded("o200k_harmony").expect("a vocabulary");
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]});
    // Both `<|call|>`, which stops, and `<|end|>` end messages.
    let tag = json!({"format": {"type": "tags_with_separator", "separator": "<|start|>assistant", "at_least_one": true, "tags": [
        {"begin": "<|channel|>analysis<|message|>", "content": {"type": "any_text"}, "end": "<|end|>"},
        {"begin": "<|channel|>commentary to=functions.search <|constrain|>json<|message|>",
         "content": {"type": "json_schema", "json_schema": schema}, "end": "<|call|>"}
    ]}});
    let grammar = tags::grammar_from_value(&tag).expect("a grammar");
    check(
        &vocabulary,
        &grammar,
        "<|channel|>analysis<|message|>Look <|it up.<|end|><|start|>assistant<|channel|>commentary to=functions.search \
         <|constrain|>json<|message|>{\"q\": \"<|end|\"}<|call|>",
    );
}

#[test]
fn text_and_calls() {
    let vocabulary = tokenizers::embedded("o200k_harmony").expect("a vocabulary");
    check(
        &vocabulary,
        &family("qwen3", Reasoning::Auto),
        "<think>a < b</think>\n\nOn it.\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"q\": \"</tool_call>\"}}\n</tool_call>",
    );
}

/// With the models' own vocabularies, in which markers are tokens.
#[cfg(feature = "models")]
#[test]
fn text_and_calls_over_the_models_own_vocabularies() {
    let llama = tokenizers::embedded("llama3").expect("a vocabulary");
    check(
        &llama,
        &family("llama3", Reasoning::Off),
        "Well: {\"name\": \"search\", \"parameters\": {\"q\": \"é\", \"n\": 7}}",
    );
    let qwen = tokenizers::embedded("qwen3").expect("a vocabulary");
    check(
        &qwen,
        &family("qwen3", Reasoning::Auto),
        "<think>\nhm\n</think>\n\n<tool_call>\n{\"name\": \"search_all\", \"arguments\": {}}\n</tool_call>",
    );
    check(
        &qwen,
        &family("qwen3_coder", Reasoning::On),
        "hm</think>\n\n<tool_call>\n<function=search>\n<parameter=q>\n<tea>\n</parameter>\n</function>\n</tool_call>",
    );
}
