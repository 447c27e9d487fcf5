//! Whether a given string is a name, exactly.

use super::punycode;
use super::{Bidi, Class, Script, Table, VIRAMA};

/// The most octets of a label and of a name, in ASCII.
const MAX_LABEL: usize = 63;
const MAX_NAME: usize = 253;

/// Whether a string is an `idn-hostname`.
pub(crate) fn is_hostname(name: &str) -> bool {
    let table = Table::get();
    let mut length = 0;
    let mut labels: Vec<Vec<char>> = Vec::new();
    for label in name.split(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}']) {
        let Some((n_octets, characters)) = read_label(table, label) else { return false };
        length += n_octets + usize::from(!labels.is_empty());
        labels.push(characters);
    }
    let is_bidi = |c: &char| table.class(*c).is_some_and(|class| class.bidi.is_right_to_left());
    let directions_are_kept =
        !labels.iter().flatten().any(is_bidi) || labels.iter().all(|label| keeps_direction(table, label));
    length <= MAX_NAME && directions_are_kept
}

/// How many octets a label has in ASCII, and its characters in lower case, those of an A-label decoded; `None` if it is
/// none.
fn read_label(table: &Table, label: &str) -> Option<(usize, Vec<char>)> {
    if !label.is_ascii() {
        let characters: Vec<char> = label.chars().collect();
        let n_octets = punycode::encode(&characters)?.len() + 4;
        return (n_octets <= MAX_LABEL && is_u_label(table, &characters)).then_some((n_octets, characters));
    }
    let label = label.to_ascii_lowercase();
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    if label.is_empty() || label.len() > MAX_LABEL || !label.bytes().all(is_letter) {
        return None;
    }
    if label.starts_with('-') || label.ends_with('-') {
        return None;
    }
    if label.get(2..4) != Some("--") {
        return Some((label.len(), label.chars().collect()));
    }
    let characters = punycode::decode(label.strip_prefix("xn--")?)?;
    let is_canonical = format!("xn--{}", punycode::encode(&characters)?) == label;
    let is_beyond_ascii = characters.iter().any(|c| !c.is_ascii());
    (is_canonical && is_beyond_ascii && is_u_label(table, &characters)).then_some((label.len(), characters))
}

fn is_u_label(table: &Table, label: &[char]) -> bool {
    let Some(classes) = label.iter().map(|&c| table.class(c)).collect::<Option<Vec<Class>>>() else {
        return false;
    };
    let hyphens =
        label.starts_with(&['-']) || label.ends_with(&['-']) || label.get(2..4) == Some(&['-', '-']);
    !hyphens
        && classes.first().is_some_and(|class| !class.is_mark)
        && (0..label.len()).all(|at| stands_beside(label, &classes, at))
        && is_normal(table, label, &classes)
}

/// Whether a character may stand where it does (RFC 5892, appendix A). Digits of Arabic are left to the directions.
fn stands_beside(label: &[char], classes: &[Class], at: usize) -> bool {
    let before = at.checked_sub(1);
    let has =
        |at: Option<usize>, test: &dyn Fn(usize) -> bool| at.is_some_and(|at| at < label.len() && test(at));
    let is_virama = |at: usize| classes[at].combining == VIRAMA;
    let joins = |at: Option<usize>, how: &[u8]| at.is_some_and(|at| how.contains(&classes[at].joining));
    match label[at] {
        '\u{B7}' => has(before, &|at| label[at] == 'l') && has(Some(at + 1), &|at| label[at] == 'l'),
        '\u{375}' => has(Some(at + 1), &|at| classes[at].script == Script::Greek),
        '\u{5F3}' | '\u{5F4}' => has(before, &|at| classes[at].script == Script::Hebrew),
        '\u{30FB}' => classes.iter().any(|class| class.script == Script::Kana),
        '\u{200D}' => has(before, &is_virama),
        '\u{200C}' => {
            let other = |class: &Class| class.joining != b'T';
            let left = classes[..at].iter().rposition(other);
            let right = classes[at + 1..].iter().position(other).map(|right| at + 1 + right);
            has(before, &is_virama) || (joins(left, b"LD") && joins(right, b"RD"))
        }
        _ => true,
    }
}

/// Whether a label is in normal form C: marks in canonical order, and nothing to compose.
fn is_normal(table: &Table, label: &[char], classes: &[Class]) -> bool {
    let mut starter: Option<char> = None;
    let mut last = 0;
    for (&c, class) in label.iter().zip(classes) {
        let combining = class.combining;
        if combining > 0 && combining < last {
            return false;
        }
        // A mark composes unless one of its class, or a starter, stands between.
        let is_blocked = last > 0 && (combining == 0 || last == combining);
        if !is_blocked && starter.is_some_and(|starter| table.compose(starter, c)) {
            return false;
        }
        if combining == 0 {
            starter = Some(c);
        }
        last = combining;
    }
    true
}

/// The rule of RFC 5893, section 2, for a label of a bidirectional name.
fn keeps_direction(table: &Table, label: &[char]) -> bool {
    let classes: Vec<Bidi> = label.iter().filter_map(|&c| Some(table.class(c)?.bidi)).collect();
    let end = classes.iter().rev().find(|&&bidi| bidi != Bidi::Mark);
    let has = |bidi: Bidi| classes.contains(&bidi);
    match classes.first() {
        Some(Bidi::Left) => {
            !classes.iter().any(|bidi| bidi.is_right_to_left())
                && matches!(end, Some(Bidi::Left | Bidi::EuropeanNumber))
        }
        Some(Bidi::Right | Bidi::Arabic) => {
            let both_digits = has(Bidi::EuropeanNumber) && has(Bidi::ArabicNumber);
            !has(Bidi::Left) && !both_digits && end != Some(&Bidi::Other)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let yes = [
            "실례.테스트",
            "a",
            "A.b-C.9",
            "xn--ihqwcrb4cv8a8dqg056pqjye",
            "XN--9N2BP8Q",
            "ßς་〇",
            "۽۾",
            "l·l",
            "α͵β",
            "א׳ב",
            "א״ב",
            "・ぁ",
            "・ァ",
            "・丈",
            "ア・b",
            "ب٠ب",
            "۰0",
            "क्‍ष",
            "क्‌ष",
            "بي‌بي",
            "a。b",
            "a.b｡c",
            "bücher.example",
            "abc.אבג",
            "παράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπα.com",
            "a\u{5B4}",
        ];
        for name in yes {
            assert!(is_hostname(name), "{name}");
        }
        let no = [
            "",
            ".",
            "a..b",
            "a.",
            "-a",
            "a-",
            "ab--c",
            "é-",
            "éa--b",
            "\u{302E}실",
            "실\u{302E}례",
            "\u{300}a",
            "xn--X",
            "xn--a",
            "xn--7a",
            "xn--0ca24w",
            "xn---9uc",
            "xn--example-",
            "XN--aa---o47jg78q",
            "a·l",
            "·l",
            "l·a",
            "l·",
            "α͵S",
            "α͵",
            "A׳ב",
            "׳ב",
            "def・abc",
            "・",
            "ب٠۰",
            "क‍ष",
            "क्‌षx‌y",
            "0a.א",
            "0ا",
            "aא",
            "א0٠",
            "É",
            "e\u{301}",
            "a\u{5BC}\u{5B4}",
            "\u{9C7}\u{9BE}",
            "a_b",
            "a b",
            "ⓐ",
        ];
        for name in no {
            assert!(!is_hostname(name), "{name}");
        }
        assert!(!is_hostname(&"ü".repeat(60)) && is_hostname(&"ü".repeat(50)));
        let long = vec!["a".repeat(63); 4].join(".");
        assert!(is_hostname(&long[..253]) && !is_hostname(&long[..254]));
    }
}
