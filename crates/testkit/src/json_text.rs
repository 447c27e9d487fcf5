//! JSON text spelled as Python's `json.dumps(data, ensure_ascii=False)` spells it.

/// Spells a JSON text anew: `", "` and `": "` between tokens, strings with the fewest escapes, floats by value.
pub fn python(text: &str) -> String {
    spell(text, spell_number)
}

/// The same with numbers as they are written.
pub fn spaced(text: &str) -> String {
    spell(text, |number, out| out.push_str(number))
}

fn spell(text: &str, number: impl Fn(&str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            ' ' | '\n' | '\r' | '\t' => rest = &rest[1..],
            '"' => {
                let end = string_end(rest);
                let (string, after) = rest.split_at(end);
                spell_string(string, &mut out);
                rest = after;
            }
            ',' | ':' => {
                out.push(c);
                out.push(' ');
                rest = &rest[1..];
            }
            '-' | '0'..='9' => {
                let end = rest
                    .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                    .unwrap_or(rest.len());
                number(&rest[..end], &mut out);
                rest = &rest[end..];
            }
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 1;
    while i < bytes.len() && bytes[i] != b'"' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

fn spell_string(literal: &str, out: &mut String) {
    let Ok(value) = serde_json::from_str::<String>(literal) else {
        // Half a surrogate pair: no text has it; leave what cannot be accepted anyway.
        out.push_str(literal);
        return;
    };
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn spell_number(literal: &str, out: &mut String) {
    if !literal.contains(['.', 'e', 'E']) {
        // Python has no negative zero among its integers.
        out.push_str(if literal == "-0" { "0" } else { literal });
        return;
    }
    let Ok(value) = literal.parse::<f64>() else {
        out.push_str(literal);
        return;
    };
    if !value.is_finite() {
        out.push_str(literal);
        return;
    }
    // The shortest digits that read back, as `d.ddde±x`; then Python's choice between the two notations.
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("{mantissa}e{sign}{:02}", exponent.abs()));
    }
}

#[cfg(test)]
mod tests {
    use super::python;

    #[test]
    fn as_python_does() {
        for (text, expected) in [
            (r#"{"a":[1,2.50,-0.0],"b":{}}"#, r#"{"a": [1, 2.5, -0.0], "b": {}}"#),
            ("1e5", "100000.0"),
            ("1e16", "1e+16"),
            ("0.00001", "1e-05"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            (r#""\u00e9\/\u0001\ud83d\ude00""#, "\"é/\\u0001😀\""),
            ("1.0", "1.0"),
            ("-0", "0"),
        ] {
            assert_eq!(python(text), expected);
        }
    }
}
