//! A schema as a part that borrows means what its grammar means.

use formwork_grammar::{GrammarBuilder, Part, Place};
use formwork_json_schema::{ErrorKind, Numbers, Options, Whitespace};

/// The rules of a grammar that only has this part, in any order.
fn rules(part: &Part) -> Vec<String> {
    let mut b = GrammarBuilder::new();
    let root = b.declare("document", Place::none());
    let rule = b.import_part(part, Place::clone);
    let body = b.rule(rule);
    b.define(root, body);
    let printed = b.build(root).expect("a grammar").to_string();
    let mut rules: Vec<String> = printed.lines().map(str::to_owned).collect();
    rules.sort();
    rules
}

#[test]
fn what_is_borrowed_is_what_the_grammar_has() {
    let schemas = [
        "true",
        r#"{"type": "string"}"#,
        r#"{"type": "integer"}"#,
        r#"{"properties": {"a": {"type": "string"}, "b": {"type": "array"}, "c": {"minimum": 3}}, "required": ["b"]}"#,
        r##"{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": {"type": "number"}}"##,
        // A member that nothing satisfies, which may be left out.
        r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 1}, "b": true}}"#,
    ];
    for options in [Options::default(), Options::default().whitespace(Whitespace::Any)] {
        let library = options.library().expect("depth does not matter");
        for schema in schemas {
            let [borrowed, own] =
                [Some(&library), None].map(|library| options.part(schema, library).expect("a part"));
            assert_eq!(rules(&borrowed), rules(&own), "{schema}");
            assert!(borrowed.size().1 <= own.size().1, "{schema}");
        }
    }
}

#[test]
fn a_part_is_refused_as_a_grammar_is() {
    let options = Options::default();
    let library = options.library();
    for schema in [
        r#"{"type": "string", "minLength": 2, "maxLength": 1}"#,
        r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 1}}, "required": ["a"]}"#,
        r#"{"type": "object", "properties": {"a": {"allOf": [{"minimum": 3, "type": "number"}, {"type": "string"}]}}, "required": ["a"]}"#,
    ] {
        let refused = options.part(schema, library.as_ref()).expect_err("nothing satisfies it");
        let expected = options.grammar(schema).expect_err("nothing satisfies it");
        assert_eq!(expected.kind(), ErrorKind::Unsatisfiable, "{schema}");
        assert_eq!(refused.to_string(), expected.to_string());
    }
}

#[test]
fn what_is_not_the_same_is_not_borrowed() {
    let options = Options::default();
    let own = rules(&options.part("true", None).expect("a part"));
    for other in [
        Options::default().whitespace(Whitespace::Any),
        Options::default().numbers(Numbers::Canonical),
        Options::default().max_digits(Some(9)),
    ] {
        let library = other.library().expect("depth does not matter");
        assert_ne!(rules(&other.part("true", Some(&library)).expect("a part")), own);
        assert_eq!(rules(&options.part("true", Some(&library)).expect("a part")), own);
    }
}

#[test]
fn there_is_no_library_where_depth_matters() {
    let indented = Options::from_json(&serde_json::json!({"whitespace": {"indent": 2}}));
    assert!(indented.is_ok_and(|options| options.library().is_none()));
}
