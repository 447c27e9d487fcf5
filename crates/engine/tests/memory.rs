//! What a compiler keeps is what its budgets say: thousands of grammars through one, one process for this file alone.
#![cfg(target_os = "linux")]

use formwork_engine::{Compiler, Config, Matcher};
use formwork_vocab::Vocabulary;

/// Resident memory of the process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it says so");
    let kilobytes = line.split_whitespace().nth(1).and_then(|n| n.parse::<usize>().ok());
    kilobytes.expect("a number") << 10
}

/// A schema with names that no other has, and a document of it.
fn schema(number: usize) -> (String, String) {
    let name = |i: usize| format!("{}{}", ["left", "right", "above", "below"][i % 4], number * 31 + i * i);
    let value = |i: usize| match i % 3 {
        0 => (r#"{"type":"string"}"#.to_owned(), "\"some text\"".to_owned()),
        1 => (r#"{"type":"integer"}"#.to_owned(), i.to_string()),
        _ => (
            format!(r#"{{"type":"object","properties":{{"{}":{{"type":"boolean"}}}}}}"#, name(i + 50)),
            format!("{{\"{}\":true}}", name(i + 50)),
        ),
    };
    let all = |part: &dyn Fn(usize) -> String| (0..40).map(part).collect::<Vec<_>>().join(",");
    let properties = all(&|i| format!("\"{}\":{}", name(i), value(i).0));
    let members = all(&|i| format!("\"{}\":{}", name(i), value(i).1));
    (format!("{{\"type\":\"object\",\"properties\":{{{properties}}}}}"), format!("{{{members}}}"))
}

#[test]
fn what_thousands_of_grammars_leave_is_within_the_budgets_and_counted() {
    const BUDGET: usize = 8 << 20;
    let mut config = Config::default();
    (config.pool_bytes, config.recent_bytes) = (BUDGET, BUDGET);
    let compiler = Compiler::builder(Vocabulary::bytes()).config(config).build();
    let mut mask = vec![0; compiler.vocabulary().mask_words()];
    let mut counted = 0;
    let mut follow = |number: usize| {
        let (schema, document) = schema(number);
        let grammar = formwork_json_schema::grammar(&schema).expect("a grammar");
        let compiled = compiler.compile(&grammar).expect("it compiles");
        let mut matcher = Matcher::new(&compiled);
        for byte in document.bytes() {
            matcher.fill_mask(&mut mask).expect("a mask");
            matcher.accept_token(u32::from(byte)).expect("the document is one of the schema's");
        }
        let stats = compiler.pool().stats();
        assert!(stats.bytes + stats.automata_bytes <= BUDGET, "{stats:?}");
        counted = counted.max(stats.bytes + stats.automata_bytes);
    };
    follow(0);
    let before = resident();
    (1..400).for_each(&mut follow);
    let full = resident();
    (400..1_000).for_each(&mut follow);
    let (after, grown) = (resident(), resident().saturating_sub(before));
    assert!(after < full + BUDGET / 2, "{before}, {full}, {after}");
    // The pool and recent grammars; memory has gaps.
    assert!(grown < 2 * BUDGET * 4 / 3, "{grown} with {counted}");
    // What is forgotten and not dropped yet is not counted.
    assert!(counted + BUDGET > grown * 3 / 4, "{grown} with {counted}");
}
