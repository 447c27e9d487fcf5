//! JSON documents written under masks, for validators that share nothing with what wrote them.

use crate::Rng;
use formwork_engine::{CompiledGrammar, Matcher};
use formwork_vocab::TokenId;
use serde_json::Value;

/// Bytes after which a walk has not ended.
const MAX_BYTES: usize = 10_000;
/// What leads towards an end outside strings, best first.
const CLOSING: &[u8] = b"}],:";

/// A document, `None` if the walk found no end (a name that must come is found by chance only), or what went wrong.
///
/// Takes `n_random` random bytes that the mask allows, then, as a model would that has said enough, the first of those that
/// lead towards an end. The tokens of the vocabulary are the bytes.
///
/// # Errors
/// What went wrong: a dead end, a limit, or a byte that the mask allows and the matcher refuses.
pub fn random_document(
    compiled: &CompiledGrammar,
    n_random: usize,
    rng: &mut Rng,
) -> Result<Option<String>, String> {
    let vocabulary = compiled.vocabulary();
    let mut matcher = Matcher::new(compiled);
    let mut mask = vec![0u32; vocabulary.width().div_ceil(32)];
    let mut text: Vec<u8> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    while text.len() < MAX_BYTES {
        if matcher.can_finish() && (text.len() >= n_random || rng.chance(1, 4)) {
            return finished(text);
        }
        matcher.fill_mask(&mut mask).map_err(|error| format!("{error}: {}", shown(&text)))?;
        let allowed: Vec<u8> =
            (0..=255u8).filter(|&byte| mask[usize::from(byte) / 32] >> (byte % 32) & 1 == 1).collect();
        if allowed.is_empty() {
            return match matcher.can_finish() {
                true => finished(text),
                false => Err(format!("a dead end: {}", shown(&text))),
            };
        }
        // White space and escapes can go on for ever; huge exponents and `-0` are no numbers to those who judge.
        let moves = |byte: &u8| match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\\' => false,
            b'e' | b'E' | b'-' => in_string || text.last().is_some_and(u8::is_ascii_alphabetic),
            _ => true,
        };
        let moving: Vec<u8> = allowed.iter().copied().filter(moves).collect();
        let choices =
            if moving.is_empty() || rng.chance(1, 16) && text.len() < n_random { &allowed } else { &moving };
        let closing: &[u8] = if in_string { b"\"" } else { CLOSING };
        let closing = closing.iter().copied().find(|byte| choices.contains(byte));
        let heads_for_end = text.len() >= n_random || rng.chance(1, 6);
        let byte = match closing.filter(|_| heads_for_end) {
            Some(byte) => byte,
            None => *rng.pick(choices).ok_or("nothing to choose from")?,
        };
        matcher.accept_token(TokenId::new(u32::from(byte))).map_err(|error| {
            format!("the mask allows {byte:?}, which is refused: {error}: {}", shown(&text))
        })?;
        text.push(byte);
        in_string ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
    }
    Ok(None)
}

fn finished(text: Vec<u8>) -> Result<Option<String>, String> {
    String::from_utf8(text).map(Some).map_err(|error| format!("not UTF-8: {}", shown(error.as_bytes())))
}

/// The beginning of a document, for messages.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(400).collect()
}

/// Whether a document is one that floats, a recursive parser or other regular expressions than ECMAScript's misjudge.
pub fn beyond_the_judge(text: &str, error: &str) -> bool {
    let of_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let mut runs = text.as_bytes().chunk_by(|&a, &b| of_number(a) == of_number(b));
    let n_digits = |text: &[u8]| text.iter().filter(|byte| byte.is_ascii_digit()).count();
    // What is smaller than floats can be is a whole number to a judge: 0.
    let is_tiny = |at: usize| {
        let digits = text[at + 1..].strip_prefix('-').unwrap_or_default();
        digits.bytes().take_while(u8::is_ascii_digit).count() > 2
    };
    // Other line ends than `\n`, which `.` matches in the judges' regular expressions and not in ECMAScript's.
    let has_line_end = || {
        let lower = text.to_ascii_lowercase();
        ["\u{2028}", "\u{2029}", "\\r", "\\u2028", "\\u2029", "\\u000d"].iter().any(|end| lower.contains(end))
    };
    runs.any(|run| n_digits(run) > 15)
        || has_line_end()
        || text.match_indices(['e', 'E']).any(|(at, _)| is_tiny(at))
        || error.contains("number out of range")
        || error.contains("recursion limit")
}

/// Whether an object has a name twice: parsing drops members then.
pub fn repeats_a_name(text: &str, value: &Value) -> bool {
    // Outside strings, each member has one colon.
    let (mut in_string, mut escaped, mut n_written) = (false, false, 0usize);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b':' if !in_string => n_written += 1,
            _ => {}
        }
    }
    let (mut n_members, mut todo) = (0, vec![value]);
    while let Some(value) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items),
            Value::Object(members) => {
                n_members += members.len();
                todo.extend(members.values());
            }
            _ => {}
        }
    }
    n_members != n_written
}
