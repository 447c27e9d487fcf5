//! `format: idn-hostname`: names in all scripts ([`crate::idn`]) as a rule.
//!
//! A name is a rule of labels and labels are rules of their own, so that their lengths are counted and not states. It
//! stands alone, as [`regex`](super::regex_syntax) does. What is left out, so that everything else is right:
//! - A-labels, since nothing regular knows what Punycode stands for;
//! - U-labels that could have more than 62 octets as A-labels for some choice of their characters (the bounds are proved
//!   in `idn/punycode.rs`), and more than four labels where one is a U-label: together they have at most 251;
//! - characters beyond U+FFFF;
//! - where letters are written from right to left: marks and U-labels of other scripts;
//! - marks that compose with Latin, Greek or Cyrillic letters, after any such letter; middle dots of Katakana that have
//!   no Hiragana, Katakana or Han beside them.
//!
//! The automata of labels have some ten thousand states; the first use with a vocabulary takes a second or two.

use super::Lowering;
use crate::idn::{Bidi, Class, Script, Table, VIRAMA};
use formwork_grammar::{CharClass, ExprId, Place};
use std::collections::BTreeMap;

/// The most octets of a label beside U-labels.
const MAX_BESIDE: u32 = 62;
/// Labels of a name with U-labels.
const MAX_LABELS: u32 = 4;
/// Characters of a U-label, whatever they are, and the last of them.
const MAX_ANY: u32 = 13;
const LAST_ANY: char = '\u{FFFF}';
/// The same up to U+07FF (Latin, Greek, Cyrillic, Hebrew, Arabic and more).
const MAX_NEAR: u32 = 19;
const LAST_NEAR: char = '\u{7FF}';
/// The same with at most `MOST_FAR` of them beyond ASCII.
const MAX_FEW: u32 = 45;
const MOST_FAR: u32 = 4;

/// The marks that compose with Latin, Greek and Cyrillic letters.
const DIACRITICS: std::ops::RangeInclusive<char> = '\u{300}'..='\u{345}';

impl Lowering<'_> {
    /// A name, in quotes.
    pub(super) fn idn_hostname(&mut self) -> ExprId {
        self.shared("json_idn_hostname", |this| {
            let near = CharClass::range('\0', LAST_NEAR);
            let plane = CharClass::range('\0', LAST_ANY);
            let ascii = CharClass::range('\0', '\x7F');
            let table = Table::get();
            let left = table.characters(|class| !class.bidi.is_right_to_left()).intersection(&plane);
            let right = right_to_left(table).intersection(&plane);
            // Few characters beyond ASCII among many.
            let (in_ascii, beyond) = (this.b.class(ascii.clone()), this.b.class(near.difference(&ascii)));
            let in_ascii = this.b.star(in_ascii);
            let one = this.b.seq([beyond, in_ascii]);
            let few = this.b.repeat(one, 0, Some(MOST_FAR));
            let few = this.b.seq([in_ascii, few]);
            let (ascii_label, lettered) = (this.ascii_label(), this.no_digit_first());
            let lefts = [
                this.label("ascii_label", &[ascii_label], MAX_BESIDE),
                this.u_label(&left, &[], MAX_ANY),
                this.u_label(&left.intersection(&near), &[], MAX_NEAR),
                this.u_label(&left.intersection(&near), &[few], MAX_FEW),
            ];
            let directions = this.directions(table);
            let rights = [
                this.label("ascii_label", &[ascii_label, lettered], MAX_BESIDE),
                this.u_label(&right, &[directions], MAX_ANY),
                this.u_label(&right.intersection(&near), &[directions], MAX_NEAR),
            ];
            let ways = [this.ascii_name(), this.labels(&lefts), this.labels(&rights)];
            let (quote, name) = (this.b.literal("\""), this.b.alt(ways));
            this.b.seq([quote, name, quote])
        })
    }

    /// U-labels over an alphabet with further rules, at most `max` long.
    fn u_label(&mut self, alphabet: &CharClass, rules: &[ExprId], max: u32) -> ExprId {
        let all = [self.u_label_rules(alphabet), rules.to_vec()].concat();
        self.label("idn_label", &all, max)
    }

    /// A rule of labels that keep all rules, at most `max` long.
    fn label(&mut self, name: &str, rules: &[ExprId], max: u32) -> ExprId {
        let any = self.b.class(CharClass::any());
        let length = self.b.repeat(any, 1, Some(max));
        let text = self.b.and([rules, &[length]].concat());
        let rule = self.b.declare(name, Place::none());
        let text = self.b.json_text(text);
        self.b.define(rule, text);
        self.b.rule(rule)
    }

    /// A few labels with dots between.
    fn labels(&mut self, labels: &[ExprId]) -> ExprId {
        let label = self.b.alt(labels.iter().copied());
        let dot = self.dot();
        let dot = self.b.json_text(dot);
        let more = self.b.seq([dot, label]);
        let more = self.b.repeat(more, 0, Some(MAX_LABELS - 1));
        self.b.seq([label, more])
    }

    /// What IDNA takes for a dot.
    fn dot(&mut self) -> ExprId {
        let dots = ['.', '\u{3002}', '\u{FF0E}', '\u{FF61}'].map(|dot| (dot, dot));
        self.b.class(CharClass::from_ranges(dots))
    }

    /// Letters, digits and hyphens, none of these first, last, or third and fourth.
    fn ascii_label(&mut self) -> ExprId {
        let ranges = [('0', '9'), ('A', 'Z'), ('a', 'z')];
        let letter = self.b.class(CharClass::from_ranges(ranges));
        let inner = self.b.class(CharClass::from_ranges(ranges.into_iter().chain([('-', '-')])));
        let inner = self.b.star(inner);
        let more = self.b.seq([inner, letter]);
        let more = self.b.optional(more);
        let label = self.b.seq([letter, more]);
        let hyphens = self.hyphens_in_third_place();
        let hyphens = self.b.not(hyphens);
        self.b.and([label, hyphens])
    }

    fn hyphens_in_third_place(&mut self) -> ExprId {
        let (any, hyphens) = (self.b.class(CharClass::any()), self.b.literal("--"));
        let rest = self.b.star(any);
        self.b.seq([any, any, hyphens, rest])
    }

    /// In a name with letters from right to left, a label does not begin with a digit.
    fn no_digit_first(&mut self) -> ExprId {
        let letter = self.b.class(CharClass::from_ranges([('A', 'Z'), ('a', 'z')]));
        let any = self.any_text();
        self.b.seq([letter, any])
    }

    /// A name in ASCII.
    fn ascii_name(&mut self) -> ExprId {
        let label = self.ascii_label();
        let any = self.b.class(CharClass::any());
        let length = self.b.repeat(any, 1, Some(63));
        let label = self.b.and([label, length]);
        let dot = self.dot();
        let more = self.b.seq([dot, label]);
        let more = self.b.star(more);
        let name = self.b.seq([label, more]);
        let length = self.b.repeat(any, 0, Some(253));
        let name = self.b.and([name, length]);
        let rule = self.b.declare("ascii_name", Place::none());
        let name = self.b.json_text(name);
        self.b.define(rule, name);
        self.b.rule(rule)
    }

    /// What is asked of U-labels over an alphabet. All classes are cut down to it, which makes the automata small.
    fn u_label_rules(&mut self, alphabet: &CharClass) -> Vec<ExprId> {
        let table = Table::get();
        let character = self.b.class(alphabet.clone());
        let (some, any) = (self.b.plus(character), self.b.star(character));
        let within = Within { alphabet, any };
        let hyphen = self.b.literal("-");
        let mark = self.within(&within, table.characters(|class| class.is_mark));
        let edges = vec![
            self.b.seq([character, character, hyphen, hyphen, any]),
            self.b.seq([hyphen, any]),
            self.b.seq([any, hyphen]),
            self.b.seq([mark, any]),
        ];
        let mut rules = vec![some];
        for wrong in [
            edges,
            self.out_of_place(table, &within),
            self.out_of_order(table, &within),
            self.not_composed(table, &within),
            self.not_joined(table, &within),
        ] {
            let wrong = self.b.alt(wrong);
            rules.push(self.b.not(wrong));
        }
        rules
    }

    /// Those of a class that are in the alphabet.
    fn within(&mut self, within: &Within<'_>, class: CharClass) -> ExprId {
        self.b.class(class.intersection(within.alphabet))
    }

    /// Those of the alphabet that are not in a class.
    fn others(&mut self, within: &Within<'_>, class: &CharClass) -> ExprId {
        self.b.class(within.alphabet.difference(class))
    }

    /// Texts in which a character stands where it may not (RFC 5892, appendix A), but for the non-joiner.
    fn out_of_place(&mut self, table: &Table, within: &Within<'_>) -> Vec<ExprId> {
        let of = |script: Script| table.characters(|class| class.script == script);
        let l = CharClass::single('l');
        let viramas = table.characters(|class| class.combining == VIRAMA);
        let mut ways = self.without_before("\u{B7}", &l, within);
        ways.extend(self.without_after("\u{B7}", &l, within));
        ways.extend(self.without_after("\u{375}", &of(Script::Greek), within));
        ways.extend(self.without_before("\u{5F3}\u{5F4}", &of(Script::Hebrew), within));
        ways.extend(self.without_before("\u{200D}", &viramas, within));
        // A middle dot between characters of other scripts.
        let dot = self.within(within, CharClass::single('\u{30FB}'));
        let other = self.others(within, &of(Script::Kana));
        let (before, after) = (self.b.seq([within.any, other]), self.b.seq([other, within.any]));
        let (before, after) = (self.b.optional(before), self.b.optional(after));
        ways.push(self.b.seq([before, dot, after]));
        ways
    }

    /// Texts with one of these characters and none of a class before it.
    fn without_before(&mut self, characters: &str, class: &CharClass, within: &Within<'_>) -> Vec<ExprId> {
        let here = self.within(within, class_of(characters.chars()));
        let (any, other) = (within.any, self.others(within, class));
        vec![self.b.seq([here, any]), self.b.seq([any, other, here, any])]
    }

    /// Texts with one of these characters and none of a class after it.
    fn without_after(&mut self, characters: &str, class: &CharClass, within: &Within<'_>) -> Vec<ExprId> {
        let here = self.within(within, class_of(characters.chars()));
        let (any, other) = (within.any, self.others(within, class));
        vec![self.b.seq([any, here]), self.b.seq([any, here, other, any])]
    }

    /// Texts with marks that are not in canonical order.
    fn out_of_order(&mut self, table: &Table, within: &Within<'_>) -> Vec<ExprId> {
        let mut lower = CharClass::none();
        let mut pairs = Vec::new();
        for combining in 1..=u8::MAX {
            let marks = table.characters(|class| class.combining == combining);
            let marks = marks.intersection(within.alphabet);
            let (high, low) = (self.b.class(marks.clone()), self.b.class(lower.clone()));
            pairs.push(self.b.seq([high, low]));
            lower = lower.union(&marks);
        }
        let pairs = self.b.alt(pairs);
        vec![self.b.seq([within.any, pairs, within.any])]
    }

    /// Texts with characters that would compose.
    fn not_composed(&mut self, table: &Table, within: &Within<'_>) -> Vec<ExprId> {
        let below = |combining: u8| table.characters(|class| (1..combining).contains(&class.combining));
        // Marks that compose with the same characters, and are blocked by the same ones, are treated alike.
        let mut groups: BTreeMap<(CharClass, CharClass), Vec<char>> = BTreeMap::new();
        let (mut letters, mut diacritics) = (Vec::new(), Vec::new());
        for (second, firsts) in table.compositions() {
            if DIACRITICS.contains(&second) {
                diacritics.push(second);
                letters.extend_from_slice(firsts);
                continue;
            }
            let between = table.class(second).map_or_else(CharClass::none, |class| below(class.combining));
            groups.entry((class_of(firsts.iter().copied()), between)).or_default().push(second);
        }
        groups.insert((class_of(letters), below(u8::MAX)), diacritics);
        let mut ways = Vec::new();
        for ((first, between), second) in groups {
            let [first, between, second] =
                [first, between, class_of(second)].map(|class| self.within(within, class));
            let between = self.b.star(between);
            ways.push(self.b.seq([first, between, second]));
        }
        let ways = self.b.alt(ways);
        vec![self.b.seq([within.any, ways, within.any])]
    }

    /// Texts with a non-joiner that stands neither behind a virama nor between letters that would join.
    fn not_joined(&mut self, table: &Table, within: &Within<'_>) -> Vec<ExprId> {
        let joins = |how: &'static [u8]| table.characters(move |class| how.contains(&class.joining));
        let viramas = table.characters(|class| class.combining == VIRAMA);
        let transparent = joins(b"T");
        let any = within.any;
        let non_joiner = self.within(within, CharClass::single('\u{200C}'));
        let passed = self.within(within, transparent.clone());
        let passed = self.b.star(passed);
        // Before it, transparent marks aside, stands nothing that joins to the left. The last of these marks is no virama.
        let blocked = self.others(within, &joins(b"LDT").union(&viramas));
        let start = self.b.seq([any, blocked]);
        let start = self.b.optional(start);
        let mark = self.within(within, transparent.difference(&viramas));
        let marks = self.b.seq([passed, mark]);
        let marks = self.b.optional(marks);
        let before = self.b.seq([start, marks]);
        // Viramas that are not transparent themselves join nothing either, if marks stand behind them.
        let solid = self.within(within, viramas.difference(&transparent));
        let behind_solid = self.b.seq([any, solid, passed, mark]);
        let before = self.b.alt([before, behind_solid]);
        // After it stands nothing that joins to the right.
        let no_virama = self.others(within, &viramas);
        let stop = self.others(within, &joins(b"RDT"));
        let stop = self.b.seq([stop, any]);
        let stop = self.b.optional(stop);
        vec![self.b.seq([before, non_joiner, any]), self.b.seq([any, no_virama, non_joiner, passed, stop])]
    }

    /// Labels from right to left (RFC 5893, section 2): not with two kinds of digits, and marks aside, not from a digit
    /// or hyphen, nor to a hyphen.
    fn directions(&mut self, table: &Table) -> ExprId {
        let of = |kinds: &'static [Bidi]| table.characters(move |class| kinds.contains(&class.bidi));
        let any = self.any_text();
        let letters = self.b.class(of(&[Bidi::Right, Bidi::Arabic]));
        let ends = of(&[Bidi::Right, Bidi::Arabic, Bidi::ArabicNumber, Bidi::EuropeanNumber]);
        let (ends, marks) = (self.b.class(ends), self.b.class(of(&[Bidi::Mark])));
        let marks = self.b.star(marks);
        let more = self.b.seq([any, ends]);
        let more = self.b.optional(more);
        let ordered = self.b.seq([letters, more, marks]);
        let without = [Bidi::ArabicNumber, Bidi::EuropeanNumber].map(|digits| {
            let others = self.b.class(table.characters(|class| class.bidi != digits));
            self.b.star(others)
        });
        let one_kind = self.b.alt(without);
        self.b.and([ordered, one_kind])
    }
}

/// An alphabet and all texts over it.
struct Within<'a> {
    alphabet: &'a CharClass,
    any: ExprId,
}

fn class_of(characters: impl IntoIterator<Item = char>) -> CharClass {
    CharClass::from_ranges(characters.into_iter().map(|c| (c, c)))
}

/// The characters of labels from right to left: without the marks of scripts that are written from left to right, and
/// without what stands beside letters of such scripts alone.
fn right_to_left(table: &Table) -> CharClass {
    let of_letters = |class: &Class| class.bidi.is_right_to_left() || class.bidi == Bidi::EuropeanNumber;
    let letters = table.characters(of_letters);
    let marks = table.characters(|class| class.bidi == Bidi::Mark);
    let own = CharClass::from_ranges([
        ('\u{300}', '\u{8FF}'),
        ('\u{10800}', '\u{10FFF}'),
        ('\u{1E800}', '\u{1EFFF}'),
    ]);
    letters
        .union(&marks.intersection(&own))
        .union(&CharClass::from_ranges([('-', '-'), ('\u{200C}', '\u{200C}')]))
}

#[cfg(test)]
mod tests {
    use crate::{Options, idn};
    use formwork_engine::{CompiledGrammar, Compiler, Matcher};
    use formwork_vocab::Vocabulary;
    use std::sync::OnceLock;

    /// The format, compiled once for all tests.
    fn compiled() -> &'static CompiledGrammar {
        static COMPILED: OnceLock<CompiledGrammar> = OnceLock::new();
        COMPILED.get_or_init(|| {
            let grammar = Options::default().grammar(r#"{"type": "string", "format": "idn-hostname"}"#);
            let compiler = Compiler::builder(Vocabulary::bytes()).precompute(0).build();
            compiler.compile(&grammar.expect("supported")).expect("compiles")
        })
    }

    fn accepts(compiled: &CompiledGrammar, name: &str) -> bool {
        let mut matcher = Matcher::new(compiled);
        matcher.accept_bytes(format!("\"{name}\"").as_bytes()).is_ok() && matcher.can_finish()
    }

    /// Numbers below `n`.
    fn random(seed: &mut u64, n: usize) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 33) % n as u64) as usize
    }

    #[test]
    fn what_the_grammar_takes_is_a_name() {
        // Characters that ask something of others, and those that they ask it of.
        let pool: Vec<char> = "alex1-.。üß·α͵βא׳״ב\u{5B4}\u{5BC}بي٠۰ا\u{200C}\u{200D}कष्\u{93C}ন\u{9C7}\u{9BE}・ぁ丈m\u{301}\u{323}\u{304}É߀"
            .chars()
            .collect();
        let compiled = compiled();
        let mut seed = 7;
        let (mut n_names, mut left_out) = (0, Vec::new());
        for _ in 0..12_000 {
            // Few different characters at a time, or nothing fits together.
            let few: Vec<char> = (0..3).map(|_| pool[random(&mut seed, pool.len())]).collect();
            let n = 1 + random(&mut seed, 6);
            let name: String = (0..n).map(|_| few[random(&mut seed, 3)]).collect();
            let (is_name, taken) = (idn::is_hostname(&name), accepts(compiled, &name));
            assert!(is_name || !taken, "{name} {name:?}");
            n_names += usize::from(is_name);
            if is_name && !taken {
                left_out.push(name);
            }
        }
        // What is left out: marks on letters that others compose with, middle dots away from Hiragana, Katakana and Han,
        // marks of other scripts in labels from right to left, and such labels beside U-labels of other scripts.
        assert!(n_names > 1_000 && 2 * left_out.len() < n_names, "{} of {n_names}", left_out.len());
        let rare = |c: char| "・\u{301}\u{304}\u{323}्\u{93C}\u{9BE}\u{9C7}.。".contains(c);
        assert!(left_out.iter().all(|name| name.contains(rare)), "{left_out:?}");
    }

    #[test]
    fn what_masks_allow_becomes_a_name() {
        let compiled = compiled();
        let vocabulary = Vocabulary::bytes();
        let mut seed = 3;
        for _ in 0..60 {
            let mut matcher = Matcher::new(compiled);
            let mut text = Vec::new();
            while !(matcher.can_finish() && text.len() > 1) {
                let mut mask = vec![0; vocabulary.mask_words()];
                matcher.fill_mask(&mut mask).expect("a mask");
                let ids: Vec<u32> =
                    (0..256).filter(|id| mask[*id as usize / 32] >> (id % 32) & 1 != 0).collect();
                // Not for ever in ASCII, nor in escapes.
                let wide: Vec<u32> = ids.iter().copied().filter(|&id| id >= 0x80).collect();
                let ids = if wide.is_empty() || random(&mut seed, 3) == 0 { ids } else { wide };
                let id = ids[random(&mut seed, ids.len())];
                matcher.accept_token(id).expect("allowed");
                text.push(id as u8);
            }
            let name: String = serde_json::from_slice(&text).expect("a string");
            assert!(idn::is_hostname(&name), "{name} {name:?}");
        }
    }

    #[test]
    fn lengths_end_where_they_may() {
        let compiled = compiled();
        for (name, expected) in [
            ("丈".repeat(13), true),
            ("丈".repeat(14), false),
            ("ü".repeat(19), true),
            ("ü".repeat(20), false),
            (format!("ü{}ß", "a".repeat(43)), true),
            (format!("ü{}ß", "a".repeat(44)), false),
            ("a".repeat(63), true),
            ("a".repeat(64), false),
            ("丈.a.丈.b".to_owned(), true),
            ("丈.a.丈.b.c".to_owned(), false),
            (format!("丈.{}", "a".repeat(63)), false),
            (vec!["a".repeat(62); 4].join("."), true),
            (vec!["a".repeat(63); 4].join("."), false),
        ] {
            assert_eq!(accepts(compiled, &name), expected, "{name}");
            assert!(idn::is_hostname(&name) || !expected, "{name}");
        }
    }
}
