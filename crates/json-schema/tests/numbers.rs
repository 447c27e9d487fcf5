//! Bounds on numbers against exact arithmetic, over every short spelling.

mod common;

use common::Schema;
use formwork_grammar::{Expr, ExprId, SharedMachine};
use formwork_json_schema::{Numbers, Options};
use std::collections::BTreeSet;

/// The value of a number's text times 10^8, exactly.
fn scaled(text: &str) -> i128 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().expect("an exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{}{fraction}", whole.trim_start_matches('-')).parse().expect("digits");
    let power = 8 + exponent - fraction.len() as i32;
    let value = digits * 10i128.pow(power.try_into().expect("small"));
    if whole.starts_with('-') { -value } else { value }
}

fn spellings() -> Vec<String> {
    let mut all = Vec::new();
    for sign in ["", "-"] {
        for whole in ["0", "1", "2", "5", "9", "10", "12", "19", "20", "99", "100", "125"] {
            for fraction in ["", ".0", ".1", ".5", ".25", ".50", ".05", ".99", ".251"] {
                all.push(format!("{sign}{whole}{fraction}"));
                if whole.len() == 1 && whole != "0" {
                    for exponent in ["e0", "e+1", "e-1", "E2", "e-02", "e1"] {
                        all.push(format!("{sign}{whole}{fraction}{exponent}"));
                    }
                }
            }
        }
    }
    all
}

const BOUNDS: [&str; 18] = [
    "0", "1", "-1", "1.5", "-1.5", "10", "12", "-12", "0.25", "-0.05", "99.9", "100", "125", "-100", "2e1",
    "0.1", "12.5", "1e-2",
];

#[test]
fn bounds_on_numbers_compare_exactly() {
    let spellings = spellings();
    for bound in BOUNDS {
        for (keyword, holds) in [
            ("minimum", (|v, b| v >= b) as fn(i128, i128) -> bool),
            ("exclusiveMinimum", |v, b| v > b),
            ("maximum", |v, b| v <= b),
            ("exclusiveMaximum", |v, b| v < b),
        ] {
            let schema = format!("{{\"type\": \"number\", \"{keyword}\": {bound}}}");
            let grammar = Schema::new(&Options::default(), &schema).expect("supported");
            for text in &spellings {
                assert_eq!(grammar.accepts(text), holds(scaled(text), scaled(bound)), "{schema} {text}");
            }
        }
    }
}

#[test]
fn two_bounds_on_numbers_compare_exactly() {
    let spellings = spellings();
    let bounds = ["0", "1", "-1", "12.5", "-0.05", "99.9", "-12", "1e-2"];
    for (i, (low, high)) in bounds.iter().flat_map(|low| bounds.map(|high| (low, high))).enumerate() {
        // Each of the four combinations for some pairs, and all for those with zero.
        for strict in (0..4).filter(|strict| i % 4 == *strict || *low == "0" || high == "0") {
            let keywords =
                (["minimum", "exclusiveMinimum"][strict & 1], ["maximum", "exclusiveMaximum"][strict >> 1]);
            let schema =
                format!("{{\"type\": \"number\", \"{}\": {low}, \"{}\": {high}}}", keywords.0, keywords.1);
            let (least, most) = (scaled(low) + (strict & 1) as i128, scaled(high) - (strict >> 1) as i128);
            let grammar = Schema::new(&Options::default(), &schema).expect("supported");
            for text in &spellings {
                assert_eq!(grammar.accepts(text), (least..=most).contains(&scaled(text)), "{schema} {text}");
            }
        }
    }
}

#[test]
fn whole_numbers_between_two_are_those() {
    let bounds = [-1234, -100, -99, -12, -1, 0, 1, 5, 9, 10, 12, 19, 99, 100, 101, 999, 1000, 1234, 70_000];
    for (low, high) in bounds.iter().flat_map(|&low| bounds.map(|high| (low, high))) {
        let schema = format!("{{\"type\": \"integer\", \"minimum\": {low}, \"maximum\": {high}}}");
        let grammar = Schema::new(&Options::default(), &schema).expect("supported");
        let near = bounds.iter().flat_map(|bound| bound - 11..=bound + 11);
        for value in near.chain((-100_000..100_000).step_by(7_777)) {
            assert_eq!(
                grammar.accepts(&value.to_string()),
                (low..=high).contains(&value),
                "{schema} {value}"
            );
        }
        assert_eq!(grammar.accepts("-0"), (low..=high).contains(&0), "{schema} -0");
        assert!(!grammar.accepts(&format!("0{high}")) && !grammar.accepts("1.0"), "{schema}");
    }
}

#[test]
fn bounds_on_integers_compare_exactly() {
    let spellings = spellings();
    for (low, high) in [
        ("0", "10"),
        ("-12", "12"),
        ("1.5", "99.9"),
        ("-1.5", "0.25"),
        ("-100", "-1"),
        ("5", "5"),
        ("10", "1"),
    ] {
        let schema = format!("{{\"type\": \"integer\", \"minimum\": {low}, \"exclusiveMaximum\": {high}}}");
        let grammar = Schema::new(&Options::default(), &schema).expect("supported");
        let loose = Schema::new(&Options::default().numbers(Numbers::Any), &schema).expect("supported");
        for text in &spellings {
            let value = scaled(text);
            let inside = scaled(low) <= value && value < scaled(high);
            let whole = value % 100_000_000 == 0;
            let plain = !text.contains(['.', 'e', 'E']);
            assert_eq!(grammar.accepts(text), inside && whole && plain, "{schema} {text}");
            assert!(!loose.accepts(text) || (inside && whole), "{schema} {text}");
            // All of these spellings have one digit that is not zero before an exponent.
            if inside {
                assert_eq!(loose.accepts(text), inside && whole, "{schema} {text}");
            }
        }
    }
}

#[test]
fn multiples_are_exact() {
    for of in ["1", "2", "5", "10", "0.5", "0.25", "0.1", "0.01", "4", "20", "100", "2.5"] {
        let schema = format!("{{\"type\": \"number\", \"multipleOf\": {of}}}");
        let not = format!("{{\"type\": \"number\", \"not\": {{\"multipleOf\": {of}}}}}");
        let (grammar, other) =
            (Schema::new(&Options::default(), &schema), Schema::new(&Options::default(), &not));
        let (grammar, other) = (grammar.expect("supported"), other.expect("supported"));
        let bounded = ["\"minimum\": 0", "\"minimum\": 0, \"maximum\": 12.5"].map(|bounds| {
            let schema = format!("{{\"type\": \"number\", \"multipleOf\": {of}, {bounds}}}");
            Schema::new(&Options::default(), &schema).expect("supported")
        });
        for (text, expected) in [("1e+308", true), ("-2.5e20", true), ("1e-30", false)] {
            assert_eq!(grammar.accepts(text), expected, "{schema} {text}");
        }
        for text in spellings() {
            let multiple = scaled(&text) % scaled(of) == 0;
            for (grammar, most) in bounded.iter().zip([i128::MAX, scaled("12.5")]) {
                let is_one = multiple && (0..=most).contains(&scaled(&text));
                assert!(is_one || !grammar.accepts(&text), "{of} {text}");
                assert!(!is_one || text.contains(['e', 'E']) || grammar.accepts(&text), "{of} {text}");
            }
            if text.contains(['e', 'E']) {
                assert!(!grammar.accepts(&text) || multiple, "{schema} {text}");
                assert!(!other.accepts(&text) || !multiple, "{not} {text}");
            } else {
                assert_eq!(grammar.accepts(&text), multiple, "{schema} {text}");
                assert_eq!(other.accepts(&text), !multiple, "{not} {text}");
            }
        }
    }
}

#[test]
fn multiples_of_any_divisor_combine_with_bounds() {
    for of in ["3", "7", "1.5", "0.75", "12", "16", "33", "0.07", "60"] {
        for (kind, numbers) in
            [("number", Numbers::Plain), ("integer", Numbers::Plain), ("integer", Numbers::Any)]
        {
            let options = Options::default().numbers(numbers);
            let schema = format!(
                "{{\"type\": \"{kind}\", \"anyOf\": [{{\"multipleOf\": {of}, \"exclusiveMinimum\": -12}}, {{\"minimum\": 99.5, \"not\": {{\"multipleOf\": {of}}}}}]}}"
            );
            let grammar = Schema::new(&options, &schema).expect("supported");
            for text in spellings().iter().filter(|text| !text.contains(['e', 'E'])) {
                let value = scaled(text);
                let multiple = value % scaled(of) == 0;
                let inside = (multiple && value > scaled("-12")) || (!multiple && value >= scaled("99.5"));
                let spelled = match (kind, numbers) {
                    ("number", _) => true,
                    (_, Numbers::Plain) => !text.contains('.'),
                    _ => value % scaled("1") == 0,
                };
                assert_eq!(grammar.accepts(text), inside && spelled, "{schema} {text}");
            }
        }
    }
}

#[test]
fn whole_numbers_in_any_spelling_are_json() {
    let grammar =
        Schema::new(&Options::default().numbers(Numbers::Any), r#"{"type": "integer"}"#).expect("supported");
    for text in ["0", "-0", "0e-3", "0.0E-12", "0e5", "10e-1", "-120.00E-1", "1e2", "1.5e1", "100e-02", "1.0"]
    {
        assert!(grammar.accepts(text), "{text}");
    }
    for text in ["00e-1", "00.0E-1", "000e-2", "01", "1e-1", "10e-2", "1.5", "0.1e0", "e1", "1.e1"] {
        assert!(!grammar.accepts(text), "{text}");
    }
}

#[test]
fn any_spelling_is_there_or_reported() {
    let any = Options::default().numbers(Numbers::Any);
    for (schema, yes, no, note) in [
        (
            r#"{"type": "integer"}"#,
            &["1e2", "1.5e1", "100e-2", "-0.0", "1e300"][..],
            &["1.5", "1e-1"][..],
            false,
        ),
        (r#"{"type": "integer", "minimum": 5}"#, &["1e2", "5.0", "1.5e1"], &["4e0", "1.55e1", "0"], true),
        (
            r#"{"type": "integer", "maximum": 100, "multipleOf": 50}"#,
            &["1e2", "50.0", "-50"],
            &["1.5e2", "75"],
            true,
        ),
        (
            r#"{"type": "number", "multipleOf": 0.5, "minimum": 1}"#,
            &["1e2", "1.5e1", "2.50"],
            &["1.25e1", "0.5", "-5e1"],
            true,
        ),
        (r#"{"enum": [100, 0]}"#, &["1e2", "100.0", "0e5", "-0.0E-3"], &["1e1", "0.1"], true),
    ] {
        let compiled = Schema::new(&any, schema).expect("supported");
        for (texts, expected) in [(yes, true), (no, false)] {
            for text in texts {
                assert_eq!(compiled.accepts(text), expected, "{schema} {text}");
            }
        }
        let (_, report) = any.grammar_with_report(schema).expect("supported");
        assert_eq!(report.notes().iter().any(|note| note.what().starts_with("exponents")), note, "{report}");
    }
}

/// The machine that the numbers of a schema became.
fn machine(schema: &str) -> SharedMachine {
    let grammar = Options::default().grammar(schema).expect("a grammar");
    let exprs = (0..grammar.n_exprs()).filter_map(ExprId::from_index);
    let mut machines = exprs.filter_map(|id| match grammar.expr(id) {
        Expr::Machine(machine) => Some(machine.clone()),
        _ => None,
    });
    machines.next().expect("numbers with very many states")
}

fn accepts(machine: &SharedMachine, text: &str) -> bool {
    let state =
        text.bytes().try_fold(machine.start().expect("some texts"), |state, byte| machine.next(state, byte));
    state.is_some_and(|state| machine.may_end(state))
}

/// A number of units of the last of `places` digits behind the point.
fn decimal(units: i128, places: usize) -> String {
    let digits = format!("{:0width$}", units.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if units < 0 { "-" } else { "" };
    let fraction = fraction.trim_end_matches('0');
    format!("{sign}{whole}{}{fraction}", if fraction.is_empty() { "" } else { "." })
}

/// Asserts that of the numbers up to `last` units a schema's machine accepts those that are allowed, and, if there are no
/// others, that it goes on with nothing that none of them begins with.
#[track_caller]
fn numbers_are(schema: &str, places: usize, last: i128, is_finite: bool, allowed: impl Fn(i128) -> bool) {
    let machine = machine(schema);
    let mut texts = BTreeSet::new();
    for units in -last..=last {
        let text = decimal(units, places);
        assert_eq!(accepts(&machine, &text), allowed(units), "{schema} {text}");
        if allowed(units) {
            texts.insert(text);
        }
    }
    let longest = texts.iter().map(String::len).max().expect("some");
    let mut todo = vec![(String::new(), machine.start().expect("some"))];
    while let Some((prefix, state)) = todo.pop().filter(|_| is_finite) {
        let at = prefix.strip_suffix('.').unwrap_or(&prefix);
        let begins = |at: &str| texts.range(at.to_owned()..).next().is_some_and(|text| text.starts_with(at));
        // Zeros behind the point may always follow, and zero may have a sign.
        let zeros = prefix.contains('.') && begins(at.trim_end_matches('0').trim_end_matches('.'));
        assert!(
            begins(at) || zeros || prefix.starts_with("-0") && begins("0") || prefix == "-" && begins("0"),
            "{schema} {prefix}"
        );
        if prefix.len() < longest {
            todo.extend(
                machine
                    .bytes_after(state)
                    .map(|(byte, next)| (format!("{prefix}{}", char::from(byte)), next)),
            );
        }
    }
}

#[test]
fn divisors_with_very_many_remainders_are_exact() {
    let between = |low: i128, high: i128| move |n: i128| (low..=high).contains(&n);
    let inside = between(-50_000, 250_000);
    numbers_are(
        r#"{"type": "number", "multipleOf": 1237, "minimum": -50000, "maximum": 250000}"#,
        0,
        300_000,
        true,
        |n| n % 1237 == 0 && inside(n),
    );
    numbers_are(
        r#"{"type": "integer", "multipleOf": 1238, "exclusiveMinimum": -1238, "maximum": 9000.5}"#,
        0,
        100_000,
        true,
        |n| n % 1238 == 0 && n > -1238 && n <= 9000,
    );
    let inside = between(-4_000, 100_050);
    numbers_are(
        r#"{"type": "number", "multipleOf": 12.37, "minimum": -40, "maximum": 1000.5}"#,
        2,
        120_000,
        true,
        |n| n % 1237 == 0 && inside(n),
    );
    numbers_are(r#"{"type": "number", "multipleOf": 1237, "minimum": 99.5}"#, 0, 100_000, false, |n| {
        n % 1237 == 0 && n >= 100
    });
}

#[test]
fn divisors_that_exclude_each_other_are_exact_with_very_many_remainders() {
    let schema = r#"{"type": "number", "allOf": [
        {"anyOf": [{"multipleOf": 33}, {"multipleOf": 12}, {"multipleOf": 77}]},
        {"anyOf": [{"allOf": [{"not": {"multipleOf": 6}}, {"not": {"multipleOf": 7}}]}, {"multipleOf": 44}]},
        {"anyOf": [{"not": {"multipleOf": 11}}, {"multipleOf": 13}]},
        {"not": {"multipleOf": 429}}, {"exclusiveMaximum": -100000}]}"#;
    numbers_are(schema, 0, 400_000, false, |n| {
        let of = |divisor: i128| n % divisor == 0;
        (of(33) || of(12) || of(77))
            && (!of(6) && !of(7) || of(44))
            && (!of(11) || of(13))
            && !of(429)
            && n < -100_000
    });
}

#[test]
fn a_divisor_has_any_number_of_places() {
    let machine = machine(r#"{"type": "number", "multipleOf": 0.123456789}"#);
    for n in [0, 1, 2, 81, 1_000_000_007, 987_654_321_987] {
        let units = 123_456_789 * n;
        assert!(accepts(&machine, &decimal(units, 9)) && accepts(&machine, &decimal(-units, 9)), "{n}");
        assert!(!accepts(&machine, &decimal(units + 1, 9)), "{n}");
    }
    assert!(
        accepts(&machine, "123456789")
            && accepts(&machine, "123456789.000000000000")
            && accepts(&machine, "-0.0")
    );
    assert!(!accepts(&machine, "0.1234567891") && !accepts(&machine, "123456789.0000000000001"));
    // Behind three places, six more do not reach every remainder.
    let state = |text: &str| text.bytes().try_fold(machine.start()?, |state, byte| machine.next(state, byte));
    assert!(state("0.123").is_some() && state("0.124").is_none() && state("0.246").is_some());
}

/// Whole numbers among which an alternative lists one that is none.
#[test]
fn a_listed_fraction_is_no_integer() {
    for numbers in [Numbers::Plain, Numbers::Any, Numbers::Canonical] {
        let options = Options::default().numbers(numbers);
        let schema = r#"{"type": "integer", "anyOf": [{"enum": [1.5, 3, -0.5]}, {"maximum": 0}]}"#;
        let schema = Schema::new(&options, schema).expect("supported");
        for text in ["3", "0", "-7"] {
            assert!(schema.accepts(text), "{text} {numbers:?}");
        }
        for text in ["1.5", "1.50", "15e-1", "-0.5", "1", "4"] {
            assert!(!schema.accepts(text), "{text} {numbers:?}");
        }
    }
}

/// What Python's and ECMAScript's serialisers write with an exponent.
#[test]
fn multiples_that_serialisers_write_with_an_exponent_are_there() {
    for (asked, yes, no) in [
        (
            r#""multipleOf": 0.00001, "minimum": 0, "maximum": 1"#,
            &["2e-05", "1.5e-4", "0.5"][..],
            &["2e-06", "1.5e-05", "2e0"][..],
        ),
        (r#""multipleOf": 0.5, "minimum": 0, "maximum": 1e20"#, &["1e+17", "0.5"], &["1e21", "-1e17"]),
        (r#""multipleOf": 0.25, "minimum": 0.25"#, &["1e+16", "1.5e300"], &["-1e16", "0"]),
        (r#""multipleOf": 0.5, "not": {"enum": [2]}"#, &["1e+16", "1.5"], &["2", "2.0"]),
    ] {
        let schema = format!("{{\"type\": \"number\", {asked}}}");
        let grammar = Schema::new(&Options::default(), &schema).expect("supported");
        for (texts, expected) in [(yes, true), (no, false)] {
            for text in texts {
                assert_eq!(grammar.accepts(text), expected, "{schema} {text}");
            }
        }
    }
}
