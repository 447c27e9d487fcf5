//! What schemas accept, refuse and report, by the contract.

mod common;

use common::{Schema, check, check_with};
use expect_test::expect;
use formwork_json_schema::{Formats, Limits, Options, PropertyOrder, Whitespace, any_json, grammar};
use serde_json::json;

#[test]
fn members_come_in_the_order_of_the_schema() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": true}, "required": ["b", "x", "y"]}"#;
    check(
        schema,
        &[
            r#"{"a":1,"b":2,"x":0,"y":0}"#,
            r#"{ "b" : 2, "y" : 0, "z": 1, "x" : 0 }"#,
            r#"{"b":2,"a":1,"x":0,"y":0}"#,
            r#"{"a":1,"b":2,"x":0}"#,
            r#"{"a":1,"b":2,"x":0,"y":0,"\u0061":1}"#,
            r#"{"\u0061":1,"b":2,"x":0,"y":0}"#,
            r#"{"a":1.0,"b":2,"x":0,"y":0}"#,
            r#"{"b":2,"x":0,"x":0,"y":0} "#,
        ],
        &expect![[r#"
            + {"a":1,"b":2,"x":0,"y":0}
            + { "b" : 2, "y" : 0, "z": 1, "x" : 0 }
            - {"b":2,"a":1,"x":0,"y":0}
            - {"a":1,"b":2,"x":0}
            - {"a":1,"b":2,"x":0,"y":0,"\u0061":1}
            + {"\u0061":1,"b":2,"x":0,"y":0}
            - {"a":1.0,"b":2,"x":0,"y":0}
            - {"b":2,"x":0,"x":0,"y":0} 
        "#]],
    );
    let any = Options::default().property_order(PropertyOrder::Any);
    check_with(
        &any,
        schema,
        &[r#"{"y":0,"b":2,"a":1,"x":0}"#, r#"{"y":0,"b":2,"a":1,"x":0,"b":1}"#],
        &expect![[r#"
            + {"y":0,"b":2,"a":1,"x":0}
            - {"y":0,"b":2,"a":1,"x":0,"b":1}
        "#]],
    );
}

#[test]
fn arrays_count_and_have_positions() {
    check(
        r#"{"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "null"}, "minItems": 1, "maxItems": 4}"#,
        &[
            "[]",
            "[1]",
            "[1,\"\"]",
            "[1,1]",
            "[1,\"\",null,null]",
            "[1,\"\",null,null,null]",
            "[1,null]",
            "[ 1 , \"\" , null ]",
        ],
        &expect![[r#"
            - []
            + [1]
            + [1,""]
            - [1,1]
            + [1,"",null,null]
            - [1,"",null,null,null]
            - [1,null]
            + [ 1 , "" , null ]
        "#]],
    );
    check(
        r#"{"type": "array", "items": {"type": "integer"}, "contains": {"const": 1}, "maxItems": 3}"#,
        &["[]", "[1]", "[2]", "[2,2,1]", "[2,2,2]", "[1,1,1]", "[2,2,2,1]"],
        &expect![[r#"
            - []
            + [1]
            - [2]
            + [2,2,1]
            - [2,2,2]
            + [1,1,1]
            - [2,2,2,1]
        "#]],
    );
}

#[test]
fn strings_have_every_spelling_and_lengths_count_characters() {
    check(
        r#"{"minLength": 2, "maxLength": 3, "type": "string"}"#,
        &["\"a\"", "\"ab\"", "\"😀é\"", r#""\ud83d\ude00\n\u0041""#, r#""\ud83d""#, "\"abcd\"", "\"a\nb\""],
        &expect![[r#"
            - "a"
            + "ab"
            + "😀é"
            + "\ud83d\ude00\n\u0041"
            - "\ud83d"
            - "abcd"
            - "a
            b"
        "#]],
    );
    check(
        r#"{"type": "string", "pattern": "^a+$", "maxLength": 3, "not": {"const": "aa"}}"#,
        &["\"\"", "\"a\"", "\"aa\"", r#""\u0061aa""#, "\"aaaa\"", "\"b\""],
        &expect![[r#"
            - ""
            + "a"
            - "aa"
            + "\u0061aa"
            - "aaaa"
            - "b"
        "#]],
    );
}

#[test]
fn a_length_beside_a_pattern_is_counted() {
    let schema = |min: usize, max: usize| {
        format!(
            r#"{{"type": "string", "pattern": "^/([a-z]+/?)*$", "format": "uri-reference", "minLength": {min}, "maxLength": {max}}}"#
        )
    };
    let long = Schema::new(&Options::default(), &schema(3, 32_767)).expect("a schema");
    for (n, expected) in [(1, false), (2, true), (32_766, true), (32_767, false)] {
        assert_eq!(long.accepts(&format!("\"/{}\"", "a".repeat(n))), expected, "{n} letters");
        assert_eq!(long.accepts(&format!("\"/{}\"", "\\u0061".repeat(n))), expected, "{n} escapes");
    }
    assert!(!long.accepts("\"/a/1\""));
    // Lengths with gaps are a product.
    let pairs = r#"{"type": "string", "pattern": "^(\\d\\d)*$", "minLength": 99, "maxLength": 201}"#;
    let pairs = Schema::new(&Options::default(), pairs).expect("a schema");
    for (n, expected) in
        [(98, false), (99, false), (100, true), (101, false), (200, true), (201, false), (202, false)]
    {
        assert_eq!(pairs.accepts(&format!("\"{}\"", "7".repeat(n))), expected, "{n} digits");
    }
}

#[test]
fn lengths_inside_formats() {
    let email =
        Schema::new(&Options::default(), r#"{"type": "string", "format": "email"}"#).expect("a schema");
    let hostname = Schema::new(
        &Options::default(),
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "string", "format": "hostname"}"#,
    )
    .expect("a schema");
    let a = |n: usize| "a".repeat(n);
    for (text, expected) in [
        (format!("{}@b.c", a(64)), true),
        (format!("{}@b.c", a(65)), false),
        (format!("\\\"{}\\\"@b.c", a(62)), true),
        (format!("\\\"{}\\\"@b.c", a(63)), false),
        (format!("a@b.{}", a(63)), true),
        (format!("a@b.{}.d", a(64)), false),
        ("a@[IPv6:::1]".to_owned(), true),
        ("a@xn--cd.e".to_owned(), true),
        ("a@b-.e".to_owned(), false),
    ] {
        assert_eq!(email.accepts(&format!("\"{text}\"")), expected, "{text}");
    }
    for (text, expected) in [
        (a(63), true),
        (a(64), false),
        (format!("{0}.{0}.{0}.{1}", a(63), a(61)), true),
        (format!("{0}.{0}.{0}.{1}", a(63), a(62)), false),
        ("a-.b".to_owned(), false),
    ] {
        assert_eq!(hostname.accepts(&format!("\"{text}\"")), expected, "{text}");
    }
}

#[test]
fn constants_are_values() {
    check(
        r#"{"enum": [1, 1.5, "x", [1, {"b": 1, "a": null}], true]}"#,
        &[
            "1",
            "1.0",
            "1.5",
            "1.50",
            "15e-1",
            "1.5e0",
            r#""\u0078""#,
            r#"[ 1, {"b": 1, "a": null} ]"#,
            r#"[1,{"a":null,"b":1}]"#,
            "true",
            "false",
        ],
        &expect![[r#"
            + 1
            - 1.0
            + 1.5
            + 1.50
            - 15e-1
            + 1.5e0
            + "\u0078"
            + [ 1, {"b": 1, "a": null} ]
            - [1,{"a":null,"b":1}]
            + true
            - false
        "#]],
    );
}

#[test]
fn white_space_is_an_option() {
    let compact = Options::default().whitespace(Whitespace::Compact);
    check_with(
        &compact,
        r#"{"properties": {"a": {"items": true}}}"#,
        &[r#"{"a":[1,{"b":2}]}"#, r#"{"a": 1}"#, "[ ]", " {}"],
        &expect![[r#"
            + {"a":[1,{"b":2}]}
            - {"a": 1}
            - [ ]
            -  {}
        "#]],
    );
    for (whitespace, max) in
        [(json!("bounded"), 64), (json!({"max": 3}), 3), (json!({"max": 0}), 0), (json!({"max": 300}), 300)]
    {
        let options = Options::from_json(&json!({"whitespace": whitespace})).expect("options");
        let schema = r#"{"properties": {"a": {"items": true}, "b": {"const": [1]}}}"#;
        let schema = Schema::new(&options, schema).expect("a schema");
        for n in [0, max, max + 1] {
            let gap = " \t\r\n".chars().cycle().take(n).collect::<String>();
            for text in
                ["{~}", "{\"a\"~:~[~1~,~{~}~]~,~\"c\"~:~[~]~}", "[~[~]~,~{~\"d\"~:~1~}~]", "{\"b\":[~1~]}"]
            {
                assert_eq!(schema.accepts(&text.replace('~', &gap)), n <= max, "{n} of {max} in {text}");
            }
        }
        assert_eq!(schema.accepts("{\"a\":[] }"), max > 0);
        assert!(!schema.accepts("{} "));
    }
}

#[test]
fn recursion_and_negation_of_it() {
    let schema = r##"{"$ref": "#/$defs/n", "$defs": {"n": {"oneOf": [{"type": "string"},
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/n"}, "r": {"$ref": "#/$defs/n"}}, "required": ["l", "r"], "additionalProperties": false},
        {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": 1}]}}}"##;
    check(
        schema,
        &[
            r#""""#,
            r#"{"l":"","r":[["x"]]}"#,
            r#"{"l":""}"#,
            "[]",
            "[[[1]]]",
            r#"[{"l":{"l":"","r":""},"r":""}]"#,
        ],
        &expect![[r#"
            + ""
            + {"l":"","r":[["x"]]}
            - {"l":""}
            - []
            - [[[1]]]
            + [{"l":{"l":"","r":""},"r":""}]
        "#]],
    );
}

#[test]
fn errors_name_place_and_way_out() {
    let mut lines = String::new();
    for schema in [
        "{",
        "[]",
        r#"{"type": "strin"}"#,
        r#"{"properties": {"a": {"minimum": "1"}}}"#,
        r#"{"items": {"uniqueItems": true}}"#,
        r#"{"pattern": "(?<=a)b"}"#,
        r#"{"pattern": "("}"#,
        r##"{"properties": {"x/y": {"$ref": "#/nowhere"}}}"##,
        r##"{"allOf": [{"$ref": "#"}]}"##,
        r#"{"format": "idn-hostname", "pattern": "a"}"#,
        "false",
        r#"{"type": "string", "enum": [1]}"#,
        r#"{"minimum": 1e999999999}"#,
    ] {
        let error = grammar(schema).expect_err(schema);
        lines.push_str(&format!("{schema}\n  {} {:?} {}\n", error.kind(), error.pointer(), error.message()));
    }
    expect![[r##"
        {
          invalid "" not JSON: a key or `}` is missing at line 1, column 2
        []
          invalid "" a schema must be an object, `true` or `false`
        {"type": "strin"}
          invalid "/type" `type` must be one of the seven types, or a list of them
        {"properties": {"a": {"minimum": "1"}}}
          invalid "/properties/a/minimum" `minimum` must be a number
        {"items": {"uniqueItems": true}}
          unsupported "/items/uniqueItems" `uniqueItems` cannot be decided from left to right where items may take too many values; bound them by `enum`, or let them be strings, whole numbers, and arrays and objects of these without undeclared members; `relax: ["uniqueItems"]` compiles without it and reports it
        {"pattern": "(?<=a)b"}
          unsupported "/pattern" `pattern` is not regular here: line 1, column 1 of the regular expression: look-behind is not supported; say what may come here with alternatives and classes, or check it after generating; `relax: ["pattern"]` compiles without it and reports it
        {"pattern": "("}
          invalid "/pattern" `pattern`: line 1, column 1 of the regular expression: this group is not closed
        {"properties": {"x/y": {"$ref": "#/nowhere"}}}
          invalid "/properties/x~1y/$ref" `$ref` leads to "#/nowhere", which is nowhere; nothing is fetched, so other documents must be given as `resources`
        {"allOf": [{"$ref": "#"}]}
          invalid "" the schema refers to itself without consuming anything: `` → `/allOf/0` and back
        {"format": "idn-hostname", "pattern": "a"}
          unsupported "/format" `format` "idn-hostname" is no regular language, so it stands only where nothing but an `enum` restricts the string; `relax: ["format"]` compiles without it and reports it
        false
          unsatisfiable "" the schema `false` allows no value
        {"type": "string", "enum": [1]}
          unsatisfiable "/type" `type` clashes with `enum` at /enum: no value satisfies both; change or remove one of them
        {"minimum": 1e999999999}
          limit "" a number's exponent is out of range before line 1, column 24
    "##]].assert_eq(&lines);
}

#[test]
fn the_report_lists_what_is_not_enforced() {
    let schema = r##"{"title": "t", "x-a": 1, "properties": {"a": {"format": "color", "uniqueItems": true}, "b": {"type": "string"}}}"##;
    let options = Options::default().relax(["uniqueItems"]);
    let (_, report) = options.grammar_with_report(schema).expect("supported");
    expect![[r#"
        enforced /properties properties
        enforced /properties/b/type type
        relaxed /properties/a/uniqueItems uniqueItems
        ignored /properties/a/format format (unknown format)
        ignored /x-a x-a (unknown)
    "#]]
    .assert_eq(&report.to_string());
    let draft7 = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/x", "minLength": 1}, "b": {"dependentRequired": {}}}, "definitions": {"x": {}}}"##;
    let (_, report) = options.grammar_with_report(draft7).expect("supported");
    expect![[r#"
        enforced /properties properties
        enforced /properties/a/$ref $ref
        ignored /properties/a/minLength minLength (stands beside `$ref`)
        ignored /properties/b/dependentRequired dependentRequired (newer than the draft)
    "#]]
    .assert_eq(&report.to_string());
}

#[test]
fn options_are_read_from_json() {
    let options = json!({"property_order": "any", "draft": "7", "formats": "annotate", "whitespace": "compact",
        "numbers": "any", "strict_objects": true, "relax": ["not"], "resources": {"http://x/y": {"type": "null"}}});
    let options = Options::from_json(&options).expect("options");
    check_with(
        &options,
        r#"{"properties": {"a": {"$ref": "http://x/y"}, "b": {"not": {}}, "c": {"format": "date"}}}"#,
        &[r#"{"c":"","b":1.0,"a":null}"#, r#"{"d":1}"#],
        &expect![[r#"
            + {"c":"","b":1.0,"a":null}
            - {"d":1}
        "#]],
    );
    for wrong in [
        json!({"colour": 1}),
        json!({"draft": "5"}),
        json!({"whitespace": {"max": -3}}),
        json!({"whitespace": {"max": 3, "min": 1}}),
        json!([]),
        json!({"relax": "not"}),
        json!({"numbers": "short"}),
    ] {
        assert_eq!(Options::from_json(&wrong).expect_err("wrong").kind().as_str(), "usage", "{wrong}");
    }
}

#[test]
fn depth_and_size_end_in_results_or_limits() {
    let n = 100_000;
    let arrays = format!("{}true{}", r#"{"items":"#.repeat(n), "}".repeat(n));
    assert_eq!(grammar(&arrays).expect_err("too deep").kind().as_str(), "limit");
    let nested = |open: &str, n: usize, middle: &str, close: &str| {
        grammar(&format!("{}{middle}{}", open.repeat(n), close.repeat(n)))
            .map(drop)
            .map_err(|error| error.kind().as_str())
    };
    for n in [300, 100_000] {
        let expected = if n > 1_000 { Err("limit") } else { Ok(()) };
        assert_eq!(nested(r#"{"allOf":["#, n, "true", "]}"), expected);
        assert_eq!(nested(r#"{"not":"#, n, r#"{"type":"null"}"#, "}"), expected);
        assert_eq!(nested(r#"{"anyOf":[{"minLength":2},{"not":"#, n, r#"{"minLength":1}"#, "}]}"), expected);
    }
    assert_eq!(
        grammar(&format!("{{\"const\":{}{}}}", "[".repeat(n), "]".repeat(n)))
            .expect_err("deep")
            .kind()
            .as_str(),
        "limit"
    );
    let few = Options::default().limits({
        let mut limits = Limits::default();
        limits.max_rules = 2;
        limits
    });
    let error =
        few.grammar(r#"{"properties": {"a": {"type": "string", "minLength": 1}, "b": {"minLength": 2}}}"#);
    assert_eq!(error.expect_err("limited").kind().as_str(), "limit");
}

#[test]
fn formats_annotate_on_request() {
    let annotate = Options::default().formats(Formats::Annotate);
    check_with(
        &annotate,
        r#"{"type": "string", "format": "date"}"#,
        &["\"x\""],
        &expect![[r#"
        + "x"
    "#]],
    );
    check(
        r#"{"type": "string", "format": "date-time"}"#,
        &[
            "\"2024-02-29T23:59:59.5+01:00\"",
            "\"2023-02-29T00:00:00Z\"",
            "\"2024-01-01T23:59:60Z\"",
            "\"2024-01-01 00:00:00Z\"",
        ],
        &expect![[r#"
            + "2024-02-29T23:59:59.5+01:00"
            - "2023-02-29T00:00:00Z"
            + "2024-01-01T23:59:60Z"
            - "2024-01-01 00:00:00Z"
        "#]],
    );
}

#[test]
fn printed() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"], "maxLength": 3}}, "required": ["a"], "additionalProperties": false}"#;
    let text =
        Options::default().whitespace(Whitespace::Compact).grammar(schema).expect("supported").to_string();
    expect![[r#"
        root ::= value
        value ::= "{\"" JsonText("a") json_integer_member (",\"" JsonText("b") b_member "}" | "}")
        json_integer ::= "-"? ("0" | [1-9] [0-9]{0,63})
        b ::= "null" | "\"" JsonText([^]){0,3} "\""
        b_member ::= "\":" b
        json_integer_member ::= "\":" json_integer
    "#]]
    .assert_eq(&text);
    assert!(any_json().to_string().contains("json_value ::="));
}

#[test]
fn what_a_branch_looks_at_is_evaluated_if_the_branch_holds() {
    let schema = r#"{
        "properties": {"kind": {"enum": ["a", "b"]}},
        "anyOf": [
            {"properties": {"kind": {"const": "a"}, "x": true}, "required": ["kind"]},
            {"properties": {"kind": {"const": "b"}}, "patternProperties": {"^y": true}, "required": ["kind"]}
        ],
        "unevaluatedProperties": {"type": "null"}
    }"#;
    check(
        schema,
        &[
            r#"{"kind":"a","x":1}"#,
            r#"{"kind":"b","x":1}"#,
            r#"{"kind":"b","y1":1}"#,
            r#"{"kind":"a","y1":1}"#,
            r#"{"kind":"a","y1":null,"z":null}"#,
        ],
        &expect![[r#"
            + {"kind":"a","x":1}
            - {"kind":"b","x":1}
            + {"kind":"b","y1":1}
            - {"kind":"a","y1":1}
            + {"kind":"a","y1":null,"z":null}
        "#]],
    );
}

#[test]
fn dynamic_references_lead_to_the_outermost_anchor() {
    // A tree of any nodes, and one whose nodes are strict, in two resources of one document.
    let schema = r##"{
        "$id": "https://example.com/strict",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": false,
        "$defs": {"tree": {
            "$id": "https://example.com/tree",
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {"value": true, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}
        }}
    }"##;
    check(
        schema,
        &[
            r#"{"children":[{"value":1}]}"#,
            r#"{"children":[{"value":1,"other":1}]}"#,
            r#"{"children":[{"children":[{"colour":1}]}]}"#,
        ],
        &expect![[r#"
            + {"children":[{"value":1}]}
            - {"children":[{"value":1,"other":1}]}
            - {"children":[{"children":[{"colour":1}]}]}
        "#]],
    );
}

#[test]
fn the_meta_schemas_are_built_in() {
    let relaxed = Options::default().relax(["uniqueItems"]).formats(Formats::Annotate);
    for meta in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let schema = Schema::new(&relaxed, &json!({"$ref": meta}).to_string()).expect(meta);
        for (text, valid) in [
            (r#"{"minLength":1}"#, true),
            (r#"{"properties":{"a":{"type":"integer"}},"type":"object"}"#, true),
            (r#"{"minLength":-1}"#, false),
            (r#"{"properties":{"a":{"type":"whole"}}}"#, false),
        ] {
            assert_eq!(schema.accepts(text), valid, "{meta} {text}");
        }
    }
}

#[test]
fn items_are_distinct_where_their_values_are_few() {
    let schema = r#"{"type": "array", "uniqueItems": true, "items": {"anyOf": [
        {"enum": ["red", "green"]}, {"type": "integer", "minimum": 1, "maximum": 2}, {"type": "boolean"}
    ]}}"#;
    check(
        schema,
        &[
            "[]",
            r#"["red", 1, true, "green", 2, false]"#,
            r#"["red", "\u0072ed"]"#,
            "[1, 2, 1]",
            "[true, false, true]",
            "[3]",
        ],
        &expect![[r#"
            + []
            + ["red", 1, true, "green", 2, false]
            - ["red", "\u0072ed"]
            - [1, 2, 1]
            - [true, false, true]
            - [3]
        "#]],
    );
    check(
        r#"{"type": "array", "not": {"uniqueItems": true}, "items": {"type": ["boolean", "null"]}}"#,
        &["[]", "[true, null, false]", "[true, null, true]", "[null, null, true, false, null]"],
        &expect![[r#"
            - []
            - [true, null, false]
            + [true, null, true]
            + [null, null, true, false, null]
        "#]],
    );
}

#[test]
fn branches_keep_their_own_orders_where_one_order_can() {
    let schema = r#"{"anyOf": [
        {"properties": {"kind": {"const": "a"}, "x": true}, "required": ["kind"]},
        {"properties": {"id": true, "kind": {"const": "b"}, "y": true}, "required": ["kind", "y"]}
    ]}"#;
    check(
        schema,
        &[
            r#"{"kind":"a","x":1}"#,
            r#"{"id":1,"kind":"b","y":2}"#,
            r#"{"id":1,"kind":"a","x":2}"#,
            r#"{"kind":"b","id":1,"y":2}"#,
        ],
        &expect![[r#"
            + {"kind":"a","x":1}
            + {"id":1,"kind":"b","y":2}
            + {"id":1,"kind":"a","x":2}
            - {"kind":"b","id":1,"y":2}
        "#]],
    );
}

#[test]
fn regular_expressions_nest() {
    let schema =
        Schema::new(&Options::default(), r#"{"type": "string", "format": "regex"}"#).expect("a schema");
    let valid = [
        "",
        "([abc])+\\s+$",
        "^(?:a|(b|)*)??$",
        "(?<=a+)b",
        "[]",
        "[^]",
        "\\cA",
        "[a-z0-9_-]{2,10}|x{3,}?",
        "\\p{Lu}\\u{1F600}",
        "a{12,99}",
        "|",
        "^[^\\]\\-]*\\/$",
        "é[α]",
        "a{0}",
    ];
    let invalid = [
        "^(abc]",
        "\\a",
        "(?P<name>x)",
        "(?#comment)a",
        "(?i)abc",
        "*a",
        "a**",
        "[z-a]",
        "a{3,2}",
        "(",
        ")",
        "[a",
        "\\",
        "a{12,9}",
        "{1}",
        "]",
        "\\u{110000}",
        "[\\d-a-c]",
        "(?=a)*",
    ];
    let spelled = |text: &str| json!(text).to_string();
    for text in valid {
        assert!(schema.accepts(&spelled(text)), "{text}");
    }
    for text in invalid {
        assert!(!schema.accepts(&spelled(text)), "{text}");
    }
    let beside = Schema::new(&Options::default(), r#"{"format": "regex", "minLength": 1}"#);
    assert_eq!(beside.err().map(|error| error.pointer().to_owned()).as_deref(), Some("/format"));
}

#[test]
fn a_tag_splits_its_branches_at_linear_cost() {
    // The branch is known once the tag is read; claimed one by one the conditions would make 2⁶⁰ alternatives.
    let n = 60;
    let branches: Vec<_> = (0..n)
        .map(|i| {
            json!({
                "if": {"properties": {"type": {"const": format!("t{i}")}}, "required": ["type"]},
                "then": {"properties": {format!("p{i}"): {"type": "integer"}}, "required": [format!("p{i}")]}
            })
        })
        .collect();
    let tags: Vec<_> = (0..n).map(|i| format!("t{i}")).collect();
    let schema = json!({
        "type": "object", "properties": {"type": {"enum": tags}}, "required": ["type"], "allOf": branches
    });
    let mut limits = Limits::default();
    limits.max_states = 20_000;
    limits.max_alternatives = 2 * n;
    let schema =
        Schema::new(&Options::default().limits(limits), &schema.to_string()).expect("within the limits");
    for (text, valid) in [
        (r#"{"type":"t7","p7":1}"#, true),
        (r#"{"type":"t7","p7":"x"}"#, false),
        (r#"{"type":"t7","p8":1}"#, false),
        (r#"{"type":"t59","p3":"x","p59":1}"#, true),
        (r#"{"type":"t60"}"#, false),
    ] {
        assert_eq!(schema.accepts(text), valid, "{text}");
    }
}

#[test]
fn distinct_items_of_many_values_are_a_set() {
    let names: Vec<String> = (0..40).map(|i| format!("\"v{i}\"")).collect();
    let schema = format!(
        r#"{{"type": "array", "uniqueItems": true, "minItems": 1, "maxItems": 5, "items": {{"anyOf": [
            {{"enum": [{}, null, true]}}, {{"type": "integer", "minimum": 1, "maximum": 300}}]}}}}"#,
        names.join(", ")
    );
    check(
        &schema,
        &[
            r#"["v1", "v11", "v39", "v3"]"#,
            r#"["v1", "v11", "v1"]"#,
            r#"["v1", "v11", "\u00761"]"#,
            "[1, 11, 111, 12, 300]",
            "[1, 11, 1]",
            "[null, true, \"v0\", null]",
            "[ null , true , 1 ]",
            "[1, 2, 3, 4, 5, 6]",
            "[]",
        ],
        &expect![[r#"
            + ["v1", "v11", "v39", "v3"]
            - ["v1", "v11", "v1"]
            - ["v1", "v11", "\u00761"]
            + [1, 11, 111, 12, 300]
            - [1, 11, 1]
            - [null, true, "v0", null]
            + [ null , true , 1 ]
            - [1, 2, 3, 4, 5, 6]
            - []
        "#]],
    );
    let error = Options::default()
        .grammar(&schema.replace("\"minItems\": 1", "\"contains\": {\"const\": 1}"))
        .expect_err("it may not end after any item");
    assert_eq!((error.kind().as_str(), error.pointer()), ("unsupported", "/uniqueItems"));
}
