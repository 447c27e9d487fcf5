//! Random schemas over all keywords: what is written under the masks is valid, and what is valid is accepted.
//!
//! Two validators judge, which share nothing with the grammar or each other; what they do not agree on says nothing.
//! A failing schema is shrunk. `FORMWORK_CASES` says how many schemas to try.

mod common;

use common::{Schema, dumped};
use formwork_json_schema::{Checker, ErrorKind, Numbers, Options, PropertyOrder, Whitespace};
use formwork_testkit::Rng;
use formwork_testkit::document::{beyond_the_judge, random_document, repeats_a_name};
use formwork_testkit::generate::{Json, cases, schemas_with_instances};
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::Value;
use std::cell::RefCell;

const URI: &str = "http://localhost/schema.json";

/// Two validators of one schema.
struct Judges {
    jsonschema: jsonschema::Validator,
    boon: boon::Schemas,
    index: boon::SchemaIndex,
}

impl Judges {
    /// `None` if one of them does not take the schema.
    fn new(schema: &Value) -> Option<Self> {
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        let jsonschema = options.should_validate_formats(true).build(schema).ok()?;
        let mut boon = boon::Schemas::new();
        let mut compiler = boon::Compiler::new();
        compiler.set_default_draft(boon::Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler.add_resource(URI, schema.clone()).ok()?;
        let index = compiler.compile(URI, &mut boon).ok()?;
        Some(Self { jsonschema, boon, index })
    }

    /// What both say of an instance; `None` if they disagree.
    fn verdict(&self, instance: &Value) -> Option<bool> {
        let one = self.jsonschema.is_valid(instance);
        let other = self.boon.validate(instance, self.index).is_ok();
        (one == other).then_some(one)
    }
}

/// What was looked at, so that a test that looks at nothing fails.
#[derive(Debug, Default)]
struct Seen {
    n_schemas: usize,
    n_compiled: usize,
    n_valid: usize,
    n_invalid: usize,
    n_disputed: usize,
    n_documents: usize,
    n_limits: usize,
}

fn any() -> Options {
    Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Any)
}

/// One spelling for each number, each member and item on a line of its own.
fn laid_out() -> Options {
    let lines = Whitespace::Lines { indent: 1, after_comma: false, after_colon: true };
    Options::default().property_order(PropertyOrder::Any).numbers(Numbers::Canonical).whitespace(lines)
}

fn fail(why: String) -> TestCaseError {
    TestCaseError::fail(why)
}

/// Runs a property over random schemas and their instances, as far as our reader and both validators take them.
fn for_schemas(
    n: u32,
    property: impl Fn(&Value, &[Value], &Judges, &mut Seen) -> Result<(), TestCaseError>,
) -> Seen {
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(cases(n)).run(&schemas_with_instances(20), |Json(case)| {
        let (Some(schema), Some(Value::Array(instances))) = (case.get("schema"), case.get("instances"))
        else {
            return Ok(());
        };
        // What refers to itself in place, which schemas may come to while they shrink, is an endless loop to validators.
        let options = any();
        let Ok(mut checker) = Checker::new(&options, &schema.to_string()) else { return Ok(()) };
        if checker.accepts("null").is_err() || checker.accepts(r#"[{"a": 1}]"#).is_err() {
            return Ok(());
        }
        let Some(judges) = Judges::new(schema) else { return Ok(()) };
        let mut seen = seen.borrow_mut();
        seen.n_schemas += 1;
        property(schema, instances, &judges, &mut seen)
    });
    let seen = seen.into_inner();
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(seen.n_limits <= 1 + seen.n_schemas / 1_000, "{seen:?}");
    seen
}

/// The schema under some options; `None` if it is refused for what cannot be decided from left to right, or, which is
/// rare, for a limit.
fn compiled(options: &Options, schema: &Value, seen: &mut Seen) -> Result<Option<Schema>, TestCaseError> {
    match Schema::new(options, &schema.to_string()) {
        Ok(schema) => Ok(Some(schema)),
        Err(error) if error.kind() == ErrorKind::Unsupported && error.pointer().ends_with("/uniqueItems") => {
            Ok(None)
        }
        Err(error) if error.kind() == ErrorKind::Limit => {
            seen.n_limits += 1;
            Ok(None)
        }
        Err(error) => Err(fail(format!("{error}"))),
    }
}

#[test]
fn what_is_valid_is_accepted_and_nothing_else() {
    let (with_any, in_order) = (any(), Options::default());
    let seen = for_schemas(400, |schema, instances, judges, seen| {
        let mut checker = Checker::new(&with_any, &schema.to_string()).map_err(|e| fail(format!("{e}")))?;
        let grammar = compiled(&with_any, schema, seen)?;
        let ordered = compiled(&in_order, schema, seen)?;
        let lines = compiled(&laid_out(), schema, seen)?;
        seen.n_compiled += usize::from(grammar.is_some());
        for instance in instances {
            let Some(valid) = judges.verdict(instance) else {
                seen.n_disputed += 1;
                continue;
            };
            if valid {
                seen.n_valid += 1;
            } else {
                seen.n_invalid += 1;
            }
            let text = instance.to_string();
            match checker.accepts(&text) {
                Ok(verdict) if verdict == valid => {}
                verdict => return Err(fail(format!("the checker says {verdict:?} of {text}"))),
            }
            if grammar.as_ref().is_some_and(|grammar| grammar.accepts(&text) != valid) {
                return Err(fail(format!("the grammar says {} of {text}", !valid)));
            }
            let laid_out = dumped(instance, 1, [",", ": "]);
            if lines.as_ref().is_some_and(|lines| lines.accepts(&laid_out) != valid) {
                return Err(fail(format!("the grammar of lines says {} of {laid_out}", !valid)));
            }
            if laid_out != text && lines.as_ref().is_some_and(|lines| lines.accepts(&text)) {
                return Err(fail(format!("the grammar of lines takes {text}")));
            }
            if !valid && ordered.as_ref().is_some_and(|ordered| ordered.accepts(&text)) {
                return Err(fail(format!("in order, {text} is accepted")));
            }
        }
        Ok(())
    });
    assert!(seen.n_compiled * 2 > seen.n_schemas, "{seen:?}");
    assert!(seen.n_valid * 2 > seen.n_schemas && seen.n_invalid > seen.n_schemas, "{seen:?}");
    assert!(seen.n_disputed * 20 < seen.n_valid + 100, "{seen:?}");
}

#[test]
fn what_is_written_under_the_masks_is_valid() {
    let seen = for_schemas(150, |schema, _, judges, seen| {
        for options in [any(), Options::default(), laid_out()] {
            let Some(grammar) = compiled(&options, schema, seen)? else { continue };
            let Some(compiled) = grammar.grammar() else { continue };
            seen.n_compiled += 1;
            for seed in 0..4 {
                let document = random_document(compiled, 40, &mut Rng::seeded(seed)).map_err(fail)?;
                // What must come may be found by chance only: a name of a pattern.
                let Some(text) = document else { continue };
                let value: Value = match serde_json::from_str(&text) {
                    Ok(value) => value,
                    Err(error) if beyond_the_judge(&text, &error.to_string()) => continue,
                    Err(error) => return Err(fail(format!("no JSON: {error}: {text}"))),
                };
                if beyond_the_judge(&text, "") || repeats_a_name(&text, &value) {
                    continue;
                }
                seen.n_documents += 1;
                if judges.verdict(&value) == Some(false) {
                    return Err(fail(format!("written under {options:?}, but not valid: {text}")));
                }
            }
        }
        Ok(())
    });
    assert!(seen.n_documents > seen.n_schemas && seen.n_schemas > 0, "{seen:?}");
}
