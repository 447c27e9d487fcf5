//! What the tests share: acceptance of texts through the engine.
#![allow(dead_code, reason = "each test binary uses a part")]

use expect_test::Expect;
use formwork_engine::{CompiledGrammar, Compiler, Matcher};
use formwork_json_schema::{Error, Options};
use formwork_vocab::Vocabulary;
use serde_json::Value;

/// A schema compiled down to automata; `None` if nothing satisfies it.
pub(crate) struct Schema(Option<CompiledGrammar>);

impl Schema {
    /// Compiles, or says why the frontend refuses.
    pub(crate) fn new(options: &Options, schema: &str) -> Result<Self, Error> {
        let grammar = match options.grammar(schema) {
            Ok(grammar) => grammar,
            Err(error) if error.kind().as_str() == "unsatisfiable" => return Ok(Self(None)),
            Err(error) => return Err(error),
        };
        let compiler = Compiler::builder(Vocabulary::bytes()).precompute(0).build();
        match compiler.compile(&grammar) {
            Ok(compiled) => Ok(Self(Some(compiled))),
            Err(error) if error.kind().as_str() == "unsatisfiable" => Ok(Self(None)),
            Err(error) => panic!("{schema}: {error}"),
        }
    }

    /// What it was compiled to; `None` if nothing satisfies it.
    pub(crate) fn grammar(&self) -> Option<&CompiledGrammar> {
        self.0.as_ref()
    }

    /// Whether the grammar has a text.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let Some(compiled) = &self.0 else { return false };
        let mut matcher = Matcher::new(compiled);
        matcher.accept_bytes(text.as_bytes()).is_ok() && matcher.can_finish()
    }
}

/// One line for each text: `+` accepted, `-` not.
pub(crate) fn check(schema: &str, texts: &[&str], expected: &Expect) {
    check_with(&Options::default(), schema, texts, expected);
}

/// The same with options.
pub(crate) fn check_with(options: &Options, schema: &str, texts: &[&str], expected: &Expect) {
    let schema = Schema::new(options, schema).expect("a schema");
    let lines: String = texts
        .iter()
        .map(|text| format!("{} {text}\n", if schema.accepts(text) { '+' } else { '-' }))
        .collect();
    expected.assert_eq(&lines);
}

/// A small random number generator, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// What `json.dumps` writes.
fn dumps(value: &Value, indent: usize, separators: [&str; 2], depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&" ".repeat(indent * depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "[" } else { separators[0] });
                line(out, depth + 1);
                dumps(item, indent, separators, depth + 1, out);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            for (i, (key, member)) in members.iter().enumerate() {
                out.push_str(if i == 0 { "{" } else { separators[0] });
                line(out, depth + 1);
                out.push_str(&format!("{}{}", Value::from(key.as_str()), separators[1]));
                dumps(member, indent, separators, depth + 1, out);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Number(number) => {
            let text = number.to_string();
            out.push_str(text.strip_suffix(".0").unwrap_or(&text));
        }
        other => out.push_str(&other.to_string()),
    }
}

/// The same of a whole document, whole numbers without a fraction.
pub(crate) fn dumped(value: &Value, indent: usize, separators: [&str; 2]) -> String {
    let mut out = String::new();
    dumps(value, indent, separators, 0, &mut out);
    out
}
