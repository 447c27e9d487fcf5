//! Schemas that nothing satisfies: the error names the keywords that clash, each with its place.

use expect_test::{Expect, expect};
use formwork_json_schema::{ErrorKind, Options, PropertyOrder};
use serde_json::{Value, json};

#[track_caller]
fn check(schemas: &[Value], expected: Expect) {
    let mut found = String::new();
    for order in [PropertyOrder::Schema, PropertyOrder::Any] {
        let mut messages = String::new();
        for schema in schemas {
            let result = Options::default().property_order(order).grammar_from_value(schema);
            let error = result.err().unwrap_or_else(|| panic!("{schema} is satisfiable"));
            assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{schema}: {error}");
            for pointer in error.clashes_with().iter().map(|pointer| &**pointer).chain([error.pointer()]) {
                assert!(schema.pointer(pointer).is_some(), "{schema} has no {pointer}");
            }
            messages.push_str(&format!("{schema}\n    {error}\n"));
        }
        assert!(found.is_empty() || found == messages, "the order of properties matters: {messages}");
        found = messages;
    }
    expected.assert_eq(&found);
}

#[test]
fn keywords_of_scalars_clash() {
    check(
        &[
            json!({"type": "string", "minLength": 5, "maxLength": 3, "pattern": "^a"}),
            json!({"type": "integer", "minimum": 1.2, "exclusiveMaximum": 2, "title": "none between"}),
            json!({"type": "string", "enum": [1, 2]}),
            json!({"const": "abc", "pattern": "^b"}),
            json!({"type": "string", "format": "date", "pattern": "^x"}),
            json!({"enum": []}),
            json!({"type": "boolean", "not": {"enum": [true, false]}}),
            json!(false),
        ],
        expect![[r#"
            {"type":"string","minLength":5,"maxLength":3,"pattern":"^a"}
                unsatisfiable at /minLength: `minLength` clashes with `maxLength` at /maxLength: no value satisfies both; change or remove one of them
            {"type":"integer","minimum":1.2,"exclusiveMaximum":2,"title":"none between"}
                unsatisfiable at /minimum: `minimum` clashes with `exclusiveMaximum` at /exclusiveMaximum: no value satisfies both; change or remove one of them
            {"type":"string","enum":[1,2]}
                unsatisfiable at /type: `type` clashes with `enum` at /enum: no value satisfies both; change or remove one of them
            {"const":"abc","pattern":"^b"}
                unsatisfiable at /const: `const` clashes with `pattern` at /pattern: no value satisfies both; change or remove one of them
            {"type":"string","format":"date","pattern":"^x"}
                unsatisfiable at /pattern: `pattern` clashes with `format` at /format: no value satisfies both; change or remove one of them
            {"enum":[]}
                unsatisfiable at /enum: `enum` allows no value
            {"type":"boolean","not":{"enum":[true,false]}}
                unsatisfiable at /type: `type` clashes with `not` at /not: no value satisfies both; change or remove one of them
            false
                unsatisfiable: the schema `false` allows no value
        "#]],
    );
}

#[test]
fn keywords_of_objects_and_arrays_clash() {
    check(
        &[
            json!({"type": "object", "required": ["a", "b"], "maxProperties": 1, "properties": {"a": true}}),
            json!({"type": "object", "required": ["b"], "properties": {"a": true}, "additionalProperties": false}),
            json!({"type": "object", "required": ["a"], "properties": {"a": false}}),
            json!({"type": "array", "minItems": 3, "maxItems": 2, "items": true}),
            json!({"type": "array", "items": {"type": "string"}, "contains": {"type": "integer"}}),
            // As in four of MaskBench's files.
            json!({"type": "object", "properties": {"radius": {"type": "number"}, "width": {"type": "number"}},
                "required": ["radius", "width"], "oneOf": [{"required": ["radius"]}, {"required": ["width"]}]}),
        ],
        expect![[r#"
            {"type":"object","required":["a","b"],"maxProperties":1,"properties":{"a":true}}
                unsatisfiable at /required: `required` clashes with `maxProperties` at /maxProperties: no value satisfies both; change or remove one of them
            {"type":"object","required":["b"],"properties":{"a":true},"additionalProperties":false}
                unsatisfiable at /additionalProperties: `additionalProperties` clashes with `required` at /required: no value satisfies both; change or remove one of them
            {"type":"object","required":["a"],"properties":{"a":false}}
                unsatisfiable at /properties/a: `properties` clashes with `required` at /required: no value satisfies both; change or remove one of them
            {"type":"array","minItems":3,"maxItems":2,"items":true}
                unsatisfiable at /minItems: `minItems` clashes with `maxItems` at /maxItems: no value satisfies both; change or remove one of them
            {"type":"array","items":{"type":"string"},"contains":{"type":"integer"}}
                unsatisfiable at /items: `items` clashes with `contains` at /contains: no value satisfies both; change or remove one of them
            {"type":"object","properties":{"radius":{"type":"number"},"width":{"type":"number"}},"required":["radius","width"],"oneOf":[{"required":["radius"]},{"required":["width"]}]}
                unsatisfiable at /required: `required` clashes with `oneOf` at /oneOf: no value satisfies both; change or remove one of them
        "#]],
    );
}

#[test]
fn clashes_are_found_through_references_and_inside_members() {
    check(
        &[
            json!({"$ref": "#/$defs/name", "maxLength": 3, "$defs": {"name": {"type": "string", "minLength": 5}}}),
            json!({"allOf": [{"minimum": 3}, {"type": "number"}, {"description": "x", "maximum": 2}]}),
            json!({"type": "object", "required": ["a"],
                "properties": {"a": {"type": "string", "minLength": 5, "maxLength": 3}, "b": {"type": "null"}}}),
            json!({"type": "array", "minItems": 1, "items": {"type": "object", "required": ["a"],
                "properties": {"a": {"$ref": "#/$defs/a"}}}, "$defs": {"a": {"const": 1, "type": "string"}}}),
        ],
        expect![[r##"
            {"$ref":"#/$defs/name","maxLength":3,"$defs":{"name":{"type":"string","minLength":5}}}
                unsatisfiable at /maxLength: `maxLength` clashes with `minLength` at /$defs/name/minLength: no value satisfies both; change or remove one of them
            {"allOf":[{"minimum":3},{"type":"number"},{"description":"x","maximum":2}]}
                unsatisfiable at /allOf/0/minimum: `minimum` clashes with `maximum` at /allOf/2/maximum: no value satisfies both; change or remove one of them
            {"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":5,"maxLength":3},"b":{"type":"null"}}}
                unsatisfiable at /properties/a/minLength: `minLength` clashes with `maxLength` at /properties/a/maxLength: no value satisfies both; change or remove one of them (`required` at /required asks for such a value)
            {"type":"array","minItems":1,"items":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}},"$defs":{"a":{"const":1,"type":"string"}}}
                unsatisfiable at /$defs/a/type: `type` clashes with `const` at /$defs/a/const: no value satisfies both; change or remove one of them (`minItems` at /minItems asks for such a value)
        "##]],
    );
}

#[test]
fn what_can_be_done_without_is_no_clash() {
    for schema in [
        json!({"properties": {"a": {"type": "string", "minLength": 5, "maxLength": 3}}}),
        json!({"items": {"type": "string", "enum": [1]}}),
        json!({"anyOf": [{"type": "string", "enum": [1]}, {"type": "integer"}]}),
    ] {
        assert!(Options::default().grammar_from_value(&schema).is_ok(), "{schema}");
    }
}

#[test]
fn what_branches_ask_of_members_clashes_with_what_must_come() {
    let closed = |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name], "additionalProperties": false});
    let open = |names: [&str; 3]| json!({"type": "object", "required": names});
    check(
        &[
            json!({"allOf": [open(["x", "v", "w"]), {"anyOf": [closed("y"), closed("z")]}]}),
            json!({"type": "object", "required": ["x", "v", "w"], "not": {"required": ["w"]}}),
            json!({"properties": {"k": {"allOf": [open(["a", "b", "c"]), {"oneOf": [closed("d"), closed("e")]}]}}, "required": ["k"], "type": "object"}),
            json!({"type": "object", "required": ["a", "b", "c"], "anyOf": [
                {"required": ["d"], "properties": {"d": {"type": "object", "required": ["p"], "maxProperties": 0}}},
                {"required": ["e"], "properties": {"e": {"type": "string", "minLength": 3, "maxLength": 2}}},
            ]}),
        ],
        expect![[r#"
            {"allOf":[{"type":"object","required":["x","v","w"]},{"anyOf":[{"type":"object","properties":{"y":{}},"required":["y"],"additionalProperties":false},{"type":"object","properties":{"z":{}},"required":["z"],"additionalProperties":false}]}]}
                unsatisfiable at /allOf/0/required: `required` clashes with `anyOf` at /allOf/1/anyOf: no value satisfies both; change or remove one of them
            {"type":"object","required":["x","v","w"],"not":{"required":["w"]}}
                unsatisfiable at /required: `required` clashes with `not` at /not: no value satisfies both; change or remove one of them
            {"properties":{"k":{"allOf":[{"type":"object","required":["a","b","c"]},{"oneOf":[{"type":"object","properties":{"d":{}},"required":["d"],"additionalProperties":false},{"type":"object","properties":{"e":{}},"required":["e"],"additionalProperties":false}]}]}},"required":["k"],"type":"object"}
                unsatisfiable at /properties/k/allOf/0/required: `required` clashes with `oneOf` at /properties/k/allOf/1/oneOf: no value satisfies both; change or remove one of them (`required` at /required asks for such a value)
            {"type":"object","required":["a","b","c"],"anyOf":[{"required":["d"],"properties":{"d":{"type":"object","required":["p"],"maxProperties":0}}},{"required":["e"],"properties":{"e":{"type":"string","minLength":3,"maxLength":2}}}]}
                unsatisfiable at /type: `type` clashes with `anyOf` at /anyOf: no value satisfies both; change or remove one of them
        "#]],
    );
}
