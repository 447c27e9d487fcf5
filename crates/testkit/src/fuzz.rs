//! What the fuzz targets do with their bytes.
//!
//! The targets under `fuzz/` are one line each; that line calls a function here, and `cargo test` calls the same functions
//! with the files of `fuzz/regressions/`.
//! Two kinds: bytes that are a text of a frontend, and bytes that are decisions of a generator.

use crate::generate::{GrammarShape, VocabularyShape};
use crate::oracles::{
    EngineCase, counted_vs_expanded, forced_text_is_forced, fork_independent, hostile_input_terminates,
    mask_has_no_dead_end, mask_vs_brute_force, print_parse_roundtrip, rollback_replay,
    switches_change_nothing,
};
use crate::{Outcome, Rng};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// A target's name and what it does with its bytes.
pub type Target = (&'static str, fn(&[u8]) -> Outcome);

/// All targets.
pub const TARGETS: &[Target] = &[
    ("compile", compile),
    ("ebnf", ebnf),
    ("json_schema", json_schema),
    ("matcher", matcher),
    ("regex", regex),
    ("tags", tags),
];

/// A random grammar, larger than the properties are tried on, is compiled and followed within its limits.
///
/// # Errors
/// It did not end, or grew past its limits.
pub fn compile(data: &[u8]) -> Outcome {
    let mut rng = Rng::from_bytes(data);
    // Operators on texts are left to `ebnf` and `matcher`: the generator asks the reference whether there are members, and
    // the reference counts the texts of their operands one by one.
    let shape = GrammarShape {
        max_rules: 12,
        max_mixtures: 30,
        max_count: 1_000_000,
        text_operators: 0,
        ..GrammarShape::default()
    };
    let vocabulary = VocabularyShape::complete(shape.alphabet());
    let mut case = EngineCase::random(&mut rng, &shape, &vocabulary);
    case.config = quick(case.config);
    hostile_input_terminates(&case, data)
}

/// A small random grammar and vocabulary, and one of the properties.
///
/// # Errors
/// The property does not hold.
pub fn matcher(data: &[u8]) -> Outcome {
    let mut rng = Rng::from_bytes(data);
    let property = rng.below(7);
    let shape = match rng.below(4) {
        0 => GrammarShape::context_free("ab"),
        1 => GrammarShape::texts(),
        2 => GrammarShape::tags("ab"),
        _ => GrammarShape::default(),
    };
    // Trying 256 single bytes at every step would leave the fuzzer a handful of inputs a second, so only grammars whose
    // classes may be negated get them.
    let vocabulary = match shape.text_operators + shape.tags {
        0 => VocabularyShape::small(shape.alphabet()),
        _ => VocabularyShape::complete(shape.alphabet()),
    };
    let mut case = EngineCase::random(&mut rng, &shape, &vocabulary);
    case.config = quick(case.config);
    match property {
        0 => mask_vs_brute_force(&case, &mut rng, 8),
        1 => mask_has_no_dead_end(&case, &mut rng, 40),
        2 => rollback_replay(&case, &mut rng, 20),
        3 => fork_independent(&case, &mut rng, 10),
        4 => forced_text_is_forced(&case, &mut rng, 6),
        5 => switches_change_nothing(&case, &mut rng, 20),
        _ => counted_vs_expanded(&case, &mut rng, 20),
    }
}

/// Any bytes as an EBNF text and as a Lark text: errors or a grammar, which prints stably and compiles within its limits.
///
/// # Errors
/// The grammar does not.
pub fn ebnf(data: &[u8]) -> Outcome {
    for dialect in [formwork_ebnf::Dialect::Ebnf, formwork_ebnf::Dialect::Lark] {
        let options = formwork_ebnf::Options::new().dialect(dialect);
        let Ok(grammar) = options.grammar_from_bytes(data) else { continue };
        // Without texts: the reference is too slow for what a fuzzer writes.
        print_parse_roundtrip(&grammar, &[])?;
        follow(grammar, data)?;
    }
    Ok(())
}

/// Any text as a regular expression, in both dialects.
///
/// # Errors
/// The grammar does not compile within its limits.
pub fn regex(data: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(data) else { return Ok(()) };
    for dialect in [formwork_regex::Dialect::Rust, formwork_regex::Dialect::Ecma] {
        if let Ok(grammar) = formwork_regex::Options::new().dialect(dialect).grammar(text) {
            follow(grammar, data)?;
        }
    }
    Ok(())
}

/// Any text as a JSON Schema.
///
/// # Errors
/// The grammar does not compile within its limits.
pub fn json_schema(data: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(data) else { return Ok(()) };
    match formwork_json_schema::grammar(text) {
        Ok(grammar) => follow(grammar, data),
        Err(_) => Ok(()),
    }
}

/// Any text as a structural tag: errors or a grammar, which prints stably and compiles within its limits.
///
/// # Errors
/// The grammar does not.
pub fn tags(data: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(data) else { return Ok(()) };
    let Ok(grammar) = formwork_tags::grammar(text) else { return Ok(()) };
    print_parse_roundtrip(&grammar, &[])?;
    follow(grammar, data)
}

/// Compiles a grammar of unknown size for the vocabulary of single bytes.
fn follow(grammar: Grammar, data: &[u8]) -> Outcome {
    let config = quick(formwork_engine::Config::default());
    let case = EngineCase { grammar, vocabulary: Vocabulary::bytes(), config };
    hostile_input_terminates(&case, data)
}

/// With limits that keep one input under a second, sanitisers and all.
fn quick(mut config: formwork_engine::Config) -> formwork_engine::Config {
    config.automata.limits.max_states = 50_000;
    config.automata.limits.max_nodes = 200_000;
    config.automata.limits.max_members = 1_000_000;
    config.automata.limits.max_work = 5_000_000;
    config.automata.limits.inline_states = 2_000;
    config.rows.max_bytes = 16 << 20;
    config
}
