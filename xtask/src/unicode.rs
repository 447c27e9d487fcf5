//! `unicode`: what RFC 5892 derives from the Unicode character database, as `json-schema` needs it for names in all scripts.
//!
//! The properties come from ICU4X, which is built only for this command:
//! `cargo run -p xtask --features unicode -- unicode [--check]`.

use icu_normalizer::properties::{CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed};
use icu_properties::props::{
    BidiClass, ChangesWhenNfkcCasefolded, DefaultIgnorableCodePoint, GeneralCategory, HangulSyllableType,
    JoiningType, NoncharacterCodePoint, Script, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Writes the table, or with `--check` says whether it is as written.
pub(crate) fn run(arguments: Vec<String>) -> anyhow::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/json-schema/src/idn/unicode.txt");
    let table = table();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => std::fs::write(&path, table)?,
        ["--check"] if std::fs::read_to_string(&path)? == table => {}
        ["--check"] => anyhow::bail!("{} is not what this version of ICU4X says", path.display()),
        _ => anyhow::bail!("usage: unicode [--check]"),
    }
    Ok(())
}

/// What stands before the table.
const HEADER: &str = "\
# Code points of names in all scripts, by RFC 5892. Written by `cargo run -p xtask --features unicode -- unicode`; do not edit.
#
# A line is a class: what the derived property is (V: PVALID, J: CONTEXTJ, O: CONTEXTO), bidirectional class, canonical
# combining class, joining type (U, T, L, R, D, C), script (g: Greek, h: Hebrew, k: Hiragana, Katakana or Han, -: another),
# whether it is a mark (m, or -), and its code points. A line that begins with `+` is a second character and the first
# ones that it composes with.
";

/// The derived property; `None` if the code point is not allowed.
fn derived(c: u32) -> Option<char> {
    match c {
        0xDF | 0x3C2 | 0x6FD | 0x6FE | 0xF0B | 0x3007 => return Some('V'),
        0xB7 | 0x375 | 0x5F3 | 0x5F4 | 0x30FB | 0x660..=0x669 | 0x6F0..=0x6F9 => return Some('O'),
        0x640 | 0x7FA | 0x302E | 0x302F | 0x3031..=0x3035 | 0x303B => return None,
        _ => {}
    }
    let category = CodePointMapData::<GeneralCategory>::new().get32(c);
    if category == GeneralCategory::Unassigned {
        return None;
    }
    if matches!(c, 0x2D | 0x30..=0x39 | 0x61..=0x7A) {
        return Some('V');
    }
    if matches!(c, 0x200C | 0x200D) {
        return Some('J');
    }
    let jamo = CodePointMapData::<HangulSyllableType>::new().get32(c);
    let is_jamo = matches!(
        jamo,
        HangulSyllableType::LeadingJamo | HangulSyllableType::VowelJamo | HangulSyllableType::TrailingJamo
    );
    let unstable = CodePointSetData::new::<ChangesWhenNfkcCasefolded>().contains32(c);
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains32(c)
        || CodePointSetData::new::<WhiteSpace>().contains32(c)
        || CodePointSetData::new::<NoncharacterCodePoint>().contains32(c);
    // Combining marks for symbols, and signs of music.
    let in_ignorable_block = matches!(c, 0x20D0..=0x20FF | 0x1D100..=0x1D1FF | 0x1D200..=0x1D24F);
    if is_jamo || unstable || ignorable || in_ignorable_block {
        return None;
    }
    use GeneralCategory as Gc;
    let letter_or_digit = matches!(
        category,
        Gc::LowercaseLetter
            | Gc::UppercaseLetter
            | Gc::OtherLetter
            | Gc::DecimalNumber
            | Gc::ModifierLetter
            | Gc::NonspacingMark
            | Gc::SpacingMark
    );
    letter_or_digit.then_some('V')
}

fn class(c: u32, derived: char) -> String {
    let bidi = match CodePointMapData::<BidiClass>::new().get32(c) {
        BidiClass::LeftToRight => "L",
        BidiClass::RightToLeft => "R",
        BidiClass::ArabicLetter => "AL",
        BidiClass::ArabicNumber => "AN",
        BidiClass::EuropeanNumber => "EN",
        BidiClass::EuropeanSeparator => "ES",
        BidiClass::CommonSeparator => "CS",
        BidiClass::EuropeanTerminator => "ET",
        BidiClass::OtherNeutral => "ON",
        BidiClass::BoundaryNeutral => "BN",
        BidiClass::NonspacingMark => "NSM",
        _ => "other",
    };
    let ccc = CanonicalCombiningClassMapBorrowed::new().get32_u8(c);
    let joining = match CodePointMapData::<JoiningType>::new().get32(c) {
        JoiningType::Transparent => 'T',
        JoiningType::LeftJoining => 'L',
        JoiningType::RightJoining => 'R',
        JoiningType::DualJoining => 'D',
        JoiningType::JoinCausing => 'C',
        _ => 'U',
    };
    let script = match CodePointMapData::<Script>::new().get32(c) {
        Script::Greek => 'g',
        Script::Hebrew => 'h',
        Script::Hiragana | Script::Katakana | Script::Han => 'k',
        _ => '-',
    };
    let category = CodePointMapData::<GeneralCategory>::new().get32(c);
    let mark = matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark);
    format!("{derived} {bidi} {ccc} {joining} {script} {}", if mark { 'm' } else { '-' })
}

/// The table.
fn table() -> String {
    let mut classes: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for c in 0..=0x10_FFFF {
        let Some(derived) = derived(c) else { continue };
        let ranges = classes.entry(class(c, derived)).or_default();
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == c => *high = c,
            _ => ranges.push((c, c)),
        }
    }
    let mut out = HEADER.to_owned();
    for (class, ranges) in &classes {
        out.push_str(class);
        for (low, high) in ranges {
            let _ = write!(out, " {low:X}");
            if high > low {
                let _ = write!(out, "-{high:X}");
            }
        }
        out.push('\n');
    }
    let composition = CanonicalCompositionBorrowed::new();
    let mut allowed: Vec<char> =
        classes.values().flatten().flat_map(|&(low, high)| low..=high).filter_map(char::from_u32).collect();
    allowed.sort_unstable();
    for &second in allowed.iter().filter(|&&c| class(c.into(), 'V').ends_with('m')) {
        let firsts: Vec<char> =
            allowed.iter().copied().filter(|&first| composition.compose(first, second).is_some()).collect();
        if firsts.is_empty() {
            continue;
        }
        let _ = write!(out, "+{:X}", u32::from(second));
        for first in firsts {
            let _ = write!(out, " {:X}", u32::from(first));
        }
        out.push('\n');
    }
    out
}
