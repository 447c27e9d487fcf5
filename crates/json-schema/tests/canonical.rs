//! `numbers: canonical` against brute force: of all spellings of a value that a schema allows, the one expected.

mod common;

use common::Schema;
use formwork_json_schema::{Numbers, Options};
use std::cmp::Ordering;

/// A number as its sign, its significant digits and the power of ten of the last; zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Value {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Value {
    /// The value of a text, if JSON has such a number.
    fn of(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let leads = whole.len() > 1 && whole.starts_with('0');
        if !is_digits(whole) || !is_digits(fraction) || !is_digits(unsigned) || leads {
            return None;
        }
        let exponent: i64 = exponent.parse().ok()?;
        let digits = format!("{whole}{fraction}");
        let kept = digits.trim_end_matches('0');
        let exponent = exponent - fraction.len() as i64 + (digits.len() - kept.len()) as i64;
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        Some(Self { negative, digits, exponent })
    }

    fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// The power of ten of the first digit.
    fn magnitude(&self) -> i64 {
        self.digits.len() as i64 - 1 + self.exponent
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |value: &Self| match (value.digits.is_empty(), value.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        };
        if sign(self) != sign(other) || sign(self) == 0 {
            return sign(self).cmp(&sign(other));
        }
        // Digits without trailing zeros compare as texts.
        let magnitudes =
            self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { magnitudes.reverse() } else { magnitudes }
    }

    fn is_multiple_of(&self, other: &Self) -> bool {
        let divisor: u64 = other.digits.parse().expect("few digits");
        let shift = self.exponent - other.exponent;
        // Digits that do not end in zero are no multiple of ten times anything.
        self.digits.is_empty()
            || (shift >= 0 && {
                let rest = |rest: u64, digit: u64| (rest * 10 + digit) % divisor;
                let digits = self.digits.bytes().fold(0, |r, b| rest(r, u64::from(b - b'0')));
                (0..shift).fold(digits, |r, _| rest(r, 0)) == 0
            })
    }

    fn canonical(&self, exponents: bool) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let magnitude = self.magnitude();
        if exponents && !(-6..=20).contains(&magnitude) {
            let (first, rest) = self.digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            return format!("{sign}{first}{point}{rest}e{magnitude}");
        }
        if self.exponent >= 0 {
            return format!("{sign}{}{}", self.digits, "0".repeat(self.exponent as usize));
        }
        let padded = format!("{}{}", "0".repeat((1 - magnitude).max(1) as usize), self.digits);
        let (whole, fraction) = padded.split_at(padded.len() - self.exponent.unsigned_abs() as usize);
        let whole = whole.trim_start_matches('0');
        format!("{sign}{}.{fraction}", if whole.is_empty() { "0" } else { whole })
    }
}

/// Every text of up to five of these characters, and longer ones around the lines that canonical numbers draw.
fn texts() -> Vec<String> {
    let mut all: Vec<String> = vec![String::new()];
    let mut from = 0;
    for _ in 0..5 {
        let until = all.len();
        for i in from..until {
            let text = all[i].clone();
            all.extend("-0159.eE+".chars().map(|c| format!("{text}{c}")));
        }
        from = until;
    }
    for sign in ["", "-"] {
        for mantissa in ["1", "9.5", "12", "1.20", "0.9", "100"] {
            for exponent in [
                "e19", "e20", "e21", "e+21", "e22", "e29", "e30", "e021", "e-5", "e-6", "e-7", "e-8", "e-9",
                "e-07",
            ] {
                all.push(format!("{sign}{mantissa}{exponent}"));
            }
        }
        for zeros in 4..9 {
            for digits in ["1", "15", "10"] {
                all.push(format!("{sign}0.{}{digits}", "0".repeat(zeros)));
            }
        }
        for zeros in 18..24 {
            for digits in ["1", "15"] {
                all.push(format!("{sign}{digits}{}", "0".repeat(zeros)));
                all.push(format!("{sign}{digits}{}.5", "0".repeat(zeros)));
                all.push(format!("{sign}{digits}{}.0", "0".repeat(zeros)));
            }
        }
    }
    all
}

type Holds = fn(&Value) -> bool;

fn number(text: &str) -> Value {
    Value::of(text).expect("a number")
}

fn at_least(value: &Value, bound: &str) -> bool {
    value.compare(&number(bound)) != Ordering::Less
}

#[test]
fn each_value_has_one_spelling() {
    // The schema, whether exponents may stand, and what holds of its values.
    let schemas: [(&str, bool, Holds); 19] = [
        ("{}", true, |_| true),
        (r#"{"type": "number"}"#, true, |_| true),
        (r#"{"type": "integer"}"#, false, Value::is_whole),
        (r#"{"type": "number", "minimum": -0.5}"#, true, |v| at_least(v, "-0.5")),
        (r#"{"type": "number", "minimum": 0}"#, true, |v| at_least(v, "0")),
        (r#"{"type": "number", "exclusiveMaximum": 0}"#, true, |v| !at_least(v, "0")),
        (r#"{"type": "number", "minimum": 9.5e20}"#, true, |v| at_least(v, "9.5e20")),
        (r#"{"type": "number", "exclusiveMaximum": 1e-6, "minimum": -1e-7}"#, true, |v| {
            !at_least(v, "1e-6") && at_least(v, "-1e-7")
        }),
        (r#"{"type": "number", "not": {"type": "integer"}}"#, true, |v| !v.is_whole()),
        (r#"{"type": "integer", "minimum": -9, "maximum": 51}"#, false, |v| {
            v.is_whole() && at_least(v, "-9") && !at_least(v, "51.5")
        }),
        (r#"{"type": "integer", "minimum": 1e21}"#, false, |v| v.is_whole() && at_least(v, "1e21")),
        (r#"{"enum": [0, 1.0, -5e-1, 1e21, 1e-7, 0.000001]}"#, true, |v| {
            ["0", "1", "-0.5", "1e21", "1e-7", "1e-6"].iter().any(|text| number(text) == *v)
        }),
        (r#"{"const": 1e21, "type": "integer"}"#, false, |v| number("1e21") == *v),
        (r#"{"type": "number", "not": {"enum": [0, 1, 1e21]}}"#, true, |v| {
            ["0", "1", "1e21"].iter().all(|text| number(text) != *v)
        }),
        (r#"{"type": "number", "multipleOf": 0.05}"#, false, |v| v.is_multiple_of(&number("0.05"))),
        (r#"{"type": "number", "multipleOf": 100}"#, false, |v| v.is_multiple_of(&number("100"))),
        (r#"{"type": "number", "multipleOf": 0.15, "minimum": -1}"#, false, |v| {
            v.is_multiple_of(&number("0.15")) && at_least(v, "-1")
        }),
        (r#"{"type": "integer", "multipleOf": 3}"#, false, |v| {
            v.is_whole() && v.is_multiple_of(&number("3"))
        }),
        (r#"{"type": "integer", "not": {"multipleOf": 50}}"#, false, |v| {
            v.is_whole() && !v.is_multiple_of(&number("50"))
        }),
    ];
    let texts = texts();
    for (schema, exponents, holds) in schemas {
        let options = Options::default().numbers(Numbers::Canonical);
        let compiled = Schema::new(&options, schema).expect("supported");
        let mut n_accepted = 0;
        for text in &texts {
            let expected =
                Value::of(text).is_some_and(|value| holds(&value) && value.canonical(exponents) == *text);
            n_accepted += usize::from(expected);
            assert_eq!(compiled.accepts(text), expected, "{schema} {text}");
        }
        assert!(n_accepted > 0, "{schema}");
    }
}

#[test]
fn digits_are_bounded() {
    let canonical = Options::default().numbers(Numbers::Canonical);
    let unbounded = canonical.clone().max_digits(None);
    let (whole, fraction) = ("1".repeat(65), format!("0.{}", "1".repeat(65)));
    for (schema, text) in
        [("{}", &fraction), (r#"{"type": "integer"}"#, &whole), (r#"{"minimum": 0}"#, &fraction)]
    {
        let bounded = Schema::new(&canonical, schema).expect("supported");
        assert!(bounded.accepts(&text[..text.len() - 1]) && !bounded.accepts(text), "{schema}");
        assert!(Schema::new(&unbounded, schema).expect("supported").accepts(text), "{schema}");
    }
}
