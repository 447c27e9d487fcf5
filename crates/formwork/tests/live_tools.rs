//! Adding a tool to a live set costs the new tool: schemas, automata and local masks of the others are those that are
//! there. Work is counted in schemas read and local masks computed, which no clock and no machine changes.

#![allow(missing_docs, reason = "a test")]

use formwork::tags::{Cache, Options};
use formwork::{CompiledGrammar, Compiler, Matcher, tokenizers};

/// Tool `i` has a parameter of its own beside one that all have.
fn document(n: usize) -> String {
    let tag = |i: usize| {
        format!(
            r#"{{"begin": "<function=tool_{i}>", "end": "</function>", "content": {{"type": "json_schema", "json_schema":
            {{"type": "object", "properties": {{"query": {{"type": "string"}}, "limit{i}": {{"type": "integer"}}}},
             "required": ["query", "limit{i}"]}}}}}}"#
        )
    };
    let tags = (0..n).map(tag).collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"type": "structural_tag", "format": {{"type": "triggered_tags", "triggers": ["<function="], "tags": [{tags}]}}}}"#
    )
}

/// Fills every mask on the way through free text and a call.
fn call(compiled: &CompiledGrammar, tool: usize) {
    let mut matcher = Matcher::new(compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    let turn = format!(
        "Let me see. <function=tool_{tool}>{{\"query\": \"tea, green\", \"limit{tool}\": 12}}</function> Done."
    );
    for byte in turn.bytes() {
        matcher.fill_mask(&mut mask).expect("a mask");
        matcher.accept_bytes(&[byte]).expect("the turn is one of the grammar");
    }
    assert!(matcher.can_finish());
}

#[test]
fn one_tool_more_costs_that_tool() {
    const N: usize = 300;
    let compiler = Compiler::new(tokenizers::embedded("o200k_base").expect("a vocabulary"));
    let cache = Cache::default();
    let options = Options::default().cache(&cache);
    let misses = |run: &dyn Fn()| {
        let before = compiler.pool().stats().misses;
        run();
        compiler.pool().stats().misses - before
    };
    let compile = |n: usize| {
        let grammar = options.grammar(&document(n)).expect("a grammar");
        compiler.compile(&grammar).expect("compiles")
    };
    let tools = [0, 1, N / 2, N - 2, N - 1];
    let all = compile(N);
    let first = misses(&|| tools.iter().for_each(|&tool| call(&all, tool)));
    assert_eq!(cache.len(), N);
    let more = compile(N + 1);
    assert_eq!(cache.len(), N + 1, "one schema was read");
    let again = misses(&|| tools.iter().for_each(|&tool| call(&more, tool)));
    let new = misses(&|| call(&more, N));
    // The automaton of the tools' names is another; what follows the names is not.
    assert!(4 * again < first, "{first} masks for calls of the old tools, and {again} after one was added");
    assert!(new <= first / tools.len() as u64, "{new} masks for a call of the new tool, {first} for five");
}
