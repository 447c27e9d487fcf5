//! The sets of characters that the dialect names.

use formwork_grammar::{CharClass, HashMap};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// `\d`.
pub(super) fn digits() -> CharClass {
    CharClass::range('0', '9')
}

/// `\w`.
pub(super) fn words() -> CharClass {
    CharClass::from_ranges([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

/// What `.` does not match.
pub(super) fn line_terminators() -> CharClass {
    CharClass::from_ranges([('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')])
}

/// `\s`: white space and line terminators of ECMA-262.
pub(super) fn spaces() -> CharClass {
    CharClass::from_ranges([
        ('\t', '\r'),
        (' ', ' '),
        ('\u{A0}', '\u{A0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200A}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202F}', '\u{202F}'),
        ('\u{205F}', '\u{205F}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{FEFF}', '\u{FEFF}'),
    ])
}

/// The characters that are the same as one of the class but for letter case (Unicode's simple case folding).
pub(super) fn fold(class: &CharClass) -> CharClass {
    let ranges = class.ranges().iter().map(|&(low, high)| ClassUnicodeRange::new(low, high));
    let mut folded = ClassUnicode::new(ranges);
    // Without the tables, which only a build of `regex-syntax` that we do not use lacks, the class stays as it is.
    match folded.try_case_fold_simple() {
        Ok(()) => from_ranges(&folded),
        Err(_) => class.clone(),
    }
}

/// Unicode properties, each looked up once per pattern.
#[derive(Default)]
pub(super) struct Sets {
    properties: HashMap<String, Option<CharClass>>,
}

impl Sets {
    /// The property of this name: letters, digits, `_` and `=` only.
    ///
    /// Names are those of `regex-syntax`: all of ECMA-262 that it knows, and in addition scripts without `Script=`
    /// and any spelling that Unicode considers the same.
    pub(super) fn property(&mut self, name: &str) -> Option<CharClass> {
        if let Some(class) = self.properties.get(name) {
            return class.clone();
        }
        let class = regex_syntax::parse(&format!("\\p{{{name}}}")).ok().and_then(|hir| match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => Some(from_ranges(class)),
            _ => None,
        });
        self.properties.insert(name.to_owned(), class.clone());
        class
    }
}

fn from_ranges(class: &ClassUnicode) -> CharClass {
    CharClass::from_ranges(class.iter().map(|range| (range.start(), range.end())))
}
