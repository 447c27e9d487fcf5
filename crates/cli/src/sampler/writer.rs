//! Decides what to say, some bytes ahead of the tokens.
//!
//! The writer has a matcher of its own, which is always where its plan ends; the speller's follows token by token.
//! A step of the plan is a word, a key, an enumerated value, an escape, or a single byte by [taste](super::style).
//! Whatever the writer tries is given to the matcher first, so that the plan is always allowed.

use super::ending;
use super::scan::Scan;
use super::style;
use super::words::{ESCAPES, EXOTIC, WORDS};
use crate::hints::Hints;
use crate::rng::Rng;
use formwork::{ByteSet, Matcher};

/// Decides what to say.
#[derive(Debug)]
pub(super) struct Writer<'h> {
    /// After all that is planned.
    matcher: Matcher,
    hints: &'h Hints,
    /// Planned and not said yet.
    ahead: Vec<u8>,
    /// Of all that is planned.
    scan: Scan,
    /// Nothing follows what is planned.
    is_done: bool,
    /// How long the document should be, in bytes, about.
    target: usize,
    /// Bytes still to be written before the next search for an ending.
    patience: usize,
    /// Searches for an ending that found none.
    n_searches: u32,
}

/// The plan is so many bytes long, so that tokens may span what were several decisions.
const AHEAD: usize = 24;
/// How often the next declared property is taken, and the ones after it are not looked at.
const TAKE_KEY: f64 = 0.6;
/// So many bytes are more than any language's names and operators: it must be text, with or without quotes.
const WIDE: usize = 110;

impl<'h> Writer<'h> {
    pub(super) fn new(matcher: Matcher, hints: &'h Hints, target: usize) -> Self {
        let scan = Scan::default();
        Self { matcher, hints, ahead: Vec::new(), scan, is_done: false, target, patience: 0, n_searches: 0 }
    }

    /// What it wants to say next; empty if the document should end.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.ahead
    }

    /// The first `n` bytes of the plan were said.
    pub(super) fn said(&mut self, n: usize) {
        self.ahead.drain(..n.min(self.ahead.len()));
    }

    /// Something else was said: the plan is void, and the document is now this text.
    pub(super) fn interrupted(&mut self, matcher: Matcher, text: &[u8]) {
        self.matcher = matcher;
        self.ahead.clear();
        self.scan = Scan::of(text);
        self.is_done = false;
        self.patience = 0;
    }

    /// Plans on until there is enough for any token, or the document is at its end.
    pub(super) fn think(&mut self, rng: &mut Rng, is_urgent: bool) {
        while !self.is_done && self.ahead.len() < AHEAD {
            let before = self.ahead.len();
            self.decide(rng, is_urgent);
            if self.ahead.len() == before {
                // Nothing can be added: the end, or a limit of the matcher.
                self.is_done = true;
            }
        }
    }

    fn decide(&mut self, rng: &mut Rng, is_urgent: bool) {
        let (set, can_finish) = self.next();
        if set.is_empty() {
            return;
        }
        let urge = style::urge(&self.scan, self.target);
        // After a value there is little to say but blanks.
        let is_over = set.contains(b' ') && set.iter().all(|byte| byte.is_ascii_whitespace());
        if can_finish && is_over && rng.chance(0.97) {
            self.is_done = true;
            return;
        }
        if can_finish && (is_urgent || rng.chance(self.wish_to_finish(urge))) {
            self.is_done = true;
            return;
        }
        if is_urgent {
            self.finish(rng, &set);
            return;
        }
        if self.scan.in_string == Some(0) && self.open_string(rng, &set) {
            return;
        }
        if style::is_prose(&set) && self.prose(rng, &set, urge) {
            return;
        }
        let mut set = set;
        if self.blank(rng, &mut set) {
            return;
        }
        // Another member rather than the end of the object, as long as there are declared ones.
        if set.contains(b',')
            && set.contains(b'}')
            && self.scan.in_string.is_none()
            && !self.declared_here(",\"").is_empty()
            && rng.chance(1.0 - 0.12 * urge)
        {
            self.write(b",");
            return;
        }
        self.byte(rng, set, urge);
    }

    /// The bytes that may come next (some of them possibly not, after all), and whether the document may end.
    fn next(&mut self) -> (ByteSet, bool) {
        let can_finish = self.matcher.can_finish();
        (ending::next(&mut self.matcher), can_finish)
    }

    fn fits(&mut self, bytes: &[u8]) -> bool {
        let fits = self.matcher.accept_bytes(bytes).is_ok();
        if fits {
            let _ = self.matcher.rollback(1);
        }
        fits
    }

    /// Plans these bytes if they are allowed.
    fn write(&mut self, bytes: &[u8]) -> bool {
        if bytes.is_empty() || self.matcher.accept_bytes(bytes).is_err() {
            return false;
        }
        self.ahead.extend_from_slice(bytes);
        self.scan.add(bytes);
        self.patience = self.patience.saturating_sub(bytes.len());
        true
    }

    /// Plans as much of these bytes as is allowed.
    fn write_some(&mut self, bytes: &[u8]) -> bool {
        match self.matcher.accept_bytes(bytes) {
            Ok(()) => {
                let _ = self.matcher.rollback(1);
                self.write(bytes)
            }
            Err(error) => self.write(bytes.get(..error.accepted_bytes()).unwrap_or_default()),
        }
    }

    fn wish_to_finish(&self, urge: f64) -> f64 {
        match self.scan.n_bytes {
            0 => 0.02,
            1..4 => 0.15,
            _ => (0.2 * urge).min(0.9),
        }
    }

    /// The first bytes of a string: a declared key, an enumerated value.
    fn open_string(&mut self, rng: &mut Rng, set: &ByteSet) -> bool {
        let hints = self.hints;
        let mut declared = self.declared_here("");
        if declared.is_empty() {
            let all = hints.objects.iter().flat_map(|names| &names.keys);
            declared = all.filter(|key| self.fits_key(key) && self.is_declared(key)).collect();
        }
        if let Some(&last) = declared.last() {
            // An undeclared key after all, where the object is open.
            if style::is_prose(set) && rng.chance(0.03) {
                return false;
            }
            let key = declared.iter().copied().find(|_| rng.chance(TAKE_KEY)).unwrap_or(last);
            return self.write(format!("{key}\":").as_bytes());
        }
        // There may be other values than these.
        if style::is_prose(set) || rng.chance(0.2) {
            return false;
        }
        let values: Vec<String> = hints.values.iter().map(|word| format!("{word}\"")).collect();
        let fitting: Vec<&String> = values.iter().filter(|word| self.fits(word.as_bytes())).collect();
        rng.pick(&fitting).is_some_and(|word| self.write(word.as_bytes()))
    }

    /// Declared keys that may come after these bytes, of the objects that have the name of this one: an open object has
    /// room for all keys, those of other objects too.
    fn declared_here(&mut self, after: &str) -> Vec<&'h String> {
        let hints = self.hints;
        let label = self.scan.label().to_vec();
        let here = hints.objects.iter().filter(|names| names.label.as_bytes() == label);
        let keys = here.flat_map(|names| &names.keys);
        keys.filter(|key| self.fits(format!("{after}{key}\":").as_bytes())).collect()
    }

    fn fits_key(&mut self, key: &str) -> bool {
        self.fits(format!("{key}\":").as_bytes())
    }

    /// Whether a key's value is restricted: an undeclared key of an open object may have any.
    fn is_declared(&mut self, key: &str) -> bool {
        ["{", "[", "\"", "null", "true", "0"]
            .iter()
            .any(|value| !self.fits(format!("{key}\":{value}").as_bytes()))
    }

    /// Free text or a name: a word, or what belongs between words.
    fn prose(&mut self, rng: &mut Rng, set: &ByteSet, urge: f64) -> bool {
        let after_word = self.scan.is_after(|b| b.is_ascii_alphanumeric() || b >= 0x80);
        let is_text = self.scan.in_string.is_some() || set.len() >= WIDE;
        if !is_text {
            return self.name(rng, set, after_word);
        }
        if let Some(length) = self.scan.in_string
            && set.contains(b'"')
        {
            let wish = (0.3 + 0.03 * length as f64).min(0.95) * urge.min(1.5);
            // After a blank or a hyphen another word should come.
            let wish = if after_word { wish } else { 0.03 };
            if rng.chance(wish) {
                return self.write(b"\"");
            }
        }
        // What can be closed has no syntax of its own, to which an escape would belong.
        let is_free = set.contains(b'"');
        if is_free && rng.chance(0.03) && rng.pick(ESCAPES).is_some_and(|text| self.write(text.as_bytes())) {
            return true;
        }
        if rng.chance(0.04) && rng.pick(EXOTIC).is_some_and(|text| self.write(text.as_bytes())) {
            return true;
        }
        if after_word && self.joint(rng, set) {
            return true;
        }
        if rng.chance(0.08) {
            let number = rng.below(100).to_string();
            if self.write(number.as_bytes()) {
                return true;
            }
        }
        self.word(rng, set)
    }

    /// A name outside of text, perhaps a keyword; after one, whatever else may come.
    fn name(&mut self, rng: &mut Rng, set: &ByteSet, after_word: bool) -> bool {
        if after_word {
            return rng.chance(0.02) && self.word(rng, set);
        }
        let hints = self.hints;
        let fitting: Vec<&String> = hints.keywords.iter().filter(|word| self.fits(word.as_bytes())).collect();
        if rng.chance(0.3)
            && let Some(keyword) = rng.pick(&fitting)
        {
            return self.write(keyword.as_bytes());
        }
        // The more there is, the less is begun anew.
        let wish = 0.6 / (1.0 + 0.1 * self.scan.n_commas() as f64);
        let is_only_choice = set.iter().all(|b| b.is_ascii_alphanumeric());
        (is_only_choice || rng.chance(wish)) && self.word(rng, set)
    }

    /// What holds words together, what ends a text without quotes, and what an address or a link has to contain.
    fn joint(&mut self, rng: &mut Rng, set: &ByteSet) -> bool {
        const IN_STRING: &[(u8, f64)] =
            &[(b' ', 6.0), (b'-', 1.0), (b',', 0.3), (b'.', 0.3), (b'_', 0.2), (b'\'', 0.1)];
        const IN_FORMAT: &[(u8, f64)] =
            &[(b'@', 4.0), (b':', 4.0), (b'/', 2.0), (b'.', 2.0), (b' ', 1.0), (b'-', 0.5), (b'_', 0.3)];
        const IN_FORMAT_AT_LAST: &[(u8, f64)] = &[(b'@', 1.0), (b':', 1.0)];
        const UNQUOTED: &[(u8, f64)] =
            &[(b' ', 4.0), (b',', 1.5), (b'\n', 1.5), (b'\'', 2.0), (b'"', 2.0), (b'}', 2.0), (b'-', 0.5)];
        let joints = match self.scan.in_string {
            Some(_) if set.contains(b'"') => IN_STRING,
            Some(_) => IN_FORMAT,
            None => UNQUOTED,
        };
        // What has to come should not wait for ever: readers bound the parts of an address.
        let is_late = !set.contains(b'"') && self.scan.in_string > Some(24);
        let joints = if is_late { IN_FORMAT_AT_LAST } else { joints };
        let weights: Vec<f64> =
            joints.iter().map(|&(byte, weight)| if set.contains(byte) { weight } else { 0.0 }).collect();
        let joint = rng.weighted(&weights).and_then(|i| joints.get(i));
        joint.is_some_and(|&(byte, _)| self.write(&[byte]))
    }

    fn word(&mut self, rng: &mut Rng, set: &ByteSet) -> bool {
        let Some(word) = rng.pick(WORDS) else { return false };
        let has_lower = !set.intersection(&ByteSet::range(b'a', b'z')).is_empty();
        let mut word = word.as_bytes().to_vec();
        if !has_lower {
            word.make_ascii_uppercase();
        } else if rng.chance(0.15)
            && let Some(first) = word.first_mut()
        {
            first.make_ascii_uppercase();
        }
        self.write_some(&word)
    }

    /// White space where it is usual, and nowhere else if it can be helped: takes it out of the set.
    fn blank(&mut self, rng: &mut Rng, set: &mut ByteSet) -> bool {
        let mut blanks = ByteSet::default();
        for byte in [b' ', b'\t'] {
            blanks.insert(byte);
        }
        if set.contains(b' ') || set.contains(b'\t') {
            // Where blanks may come, line breaks are white space as well; elsewhere they mean something.
            blanks.insert(b'\n');
            blanks.insert(b'\r');
        }
        let (possible, rest) = (set.intersection(&blanks), set.difference(&blanks));
        if possible.is_empty() {
            return false;
        }
        let probability = if rest.is_empty() {
            1.0
        } else if self.scan.is_after(|b| b.is_ascii_whitespace()) {
            0.005
        } else if self.scan.in_string.is_some() {
            0.2
        } else if style::is_prose(&rest) && self.scan.is_after(|b| b.is_ascii_alphanumeric()) {
            // A name could go on; so could the sentence.
            0.4
        } else if possible.contains(b' ') && self.scan.is_after(|b| matches!(b, b',' | b':' | b';' | b'=')) {
            0.97
        } else {
            0.01
        };
        if rng.chance(probability) {
            if possible.contains(b' ') && rng.chance(0.98) {
                return self.write(b" ");
            }
            let bytes: Vec<u8> = possible.iter().collect();
            return rng.pick(&bytes).is_some_and(|&byte| self.write(&[byte]));
        }
        *set = rest;
        false
    }

    /// A byte by taste; the set may promise too much.
    fn byte(&mut self, rng: &mut Rng, mut set: ByteSet, urge: f64) -> bool {
        while let Some(byte) = style::choose(rng, &set, &self.scan, urge) {
            if self.write(&[byte]) {
                return true;
            }
            let mut refused = ByteSet::default();
            refused.insert(byte);
            set = set.difference(&refused);
        }
        false
    }

    /// The shortest way out, or what looks most like it.
    fn finish(&mut self, rng: &mut Rng, set: &ByteSet) {
        if self.patience == 0 {
            if let Some(ending) = ending::nearest(&mut self.matcher)
                && self.write(&ending)
            {
                return;
            }
            // The search is not cheap; some steps by taste first, more each time.
            self.n_searches += 1;
            self.patience = 8 << self.n_searches.min(6);
        }
        for byte in ending::by_closeness(set) {
            if rng.chance(0.9) && self.write(&[byte]) {
                return;
            }
        }
        // All were passed over by chance.
        for byte in ending::by_closeness(set) {
            if self.write(&[byte]) {
                return;
            }
        }
    }
}
