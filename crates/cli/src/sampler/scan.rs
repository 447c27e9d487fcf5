//! What the writer remembers of what it wrote: just enough to have some style.
//!
//! This knows no grammar. It guesses from quotes and brackets as a reader of any JSON-like, C-like or SQL-like text would,
//! and a wrong guess makes a document ugly, never wrong.

/// What the writer remembers of what it wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// All bytes.
    pub(super) n_bytes: usize,
    pub(super) previous: Option<u8>,
    /// Open brackets outside strings.
    open: Vec<Bracket>,
    /// Between double quotes: how many bytes since the quote.
    pub(super) in_string: Option<usize>,
    /// Digits at the end.
    pub(super) n_digits: usize,
    /// In the exponent of a number.
    pub(super) in_exponent: bool,
    is_escaped: bool,
    /// The last byte that is no blank.
    solid: Option<u8>,
    /// The last string, as it is spelled.
    string: Vec<u8>,
    /// The last string before a colon.
    key: Vec<u8>,
}

/// An open bracket.
#[derive(Clone, Debug, Default)]
struct Bracket {
    /// The key whose value, or part of it, it begins.
    key: Vec<u8>,
    /// Commas and semicolons since, outside of brackets within.
    n_commas: usize,
}

impl Scan {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut scan = Self::default();
        scan.add(text);
        scan
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.add_byte(byte);
        }
    }

    /// Open brackets outside strings.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The key whose value, or part of it, the innermost bracket is; empty at the root.
    pub(super) fn label(&self) -> &[u8] {
        self.open.last().map_or(&[], |bracket| bracket.key.as_slice())
    }

    /// Elements or statements in the innermost bracket, about.
    pub(super) fn n_commas(&self) -> usize {
        self.open.last().map_or(0, |bracket| bracket.n_commas)
    }

    fn add_byte(&mut self, byte: u8) {
        self.n_bytes += 1;
        self.n_digits = if byte.is_ascii_digit() { self.n_digits + 1 } else { 0 };
        self.in_exponent = match byte {
            b'e' | b'E' => self.previous.is_some_and(|b| b.is_ascii_digit()) && self.in_string.is_none(),
            b'+' | b'-' | b'0'..=b'9' => self.in_exponent,
            _ => false,
        };
        self.previous = Some(byte);
        let before = self.solid;
        if !byte.is_ascii_whitespace() {
            self.solid = Some(byte);
        }
        if let Some(n) = &mut self.in_string {
            *n += 1;
            match byte {
                // An unclosed quote on a line was an apostrophe or the like.
                b'\n' => self.in_string = None,
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = None,
                _ => {}
            }
            if self.in_string.is_some() {
                self.string.push(byte);
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = Some(0);
                self.string.clear();
            }
            b':' => self.key.clone_from(&self.string),
            b'{' | b'[' | b'(' => {
                // The items of a list belong to the list's key.
                let is_item = before.is_some_and(|b| matches!(b, b'[' | b','));
                let key = if is_item { self.label().to_vec() } else { self.key.clone() };
                self.open.push(Bracket { key, n_commas: 0 });
            }
            b'}' | b']' | b')' => {
                self.open.pop();
            }
            b',' | b';' => {
                if let Some(bracket) = self.open.last_mut() {
                    bracket.n_commas += 1;
                }
            }
            _ => {}
        }
    }

    pub(super) fn is_after(&self, test: impl Fn(u8) -> bool) -> bool {
        self.previous.is_some_and(test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_brackets_are_seen() {
        let scan = Scan::of(br#"{"a\"}": [12"#);
        assert_eq!((scan.depth(), scan.in_string, scan.n_digits), (2, None, 2));
        let scan = Scan::of(br#"["ab\""#);
        assert_eq!((scan.depth(), scan.in_string), (1, Some(4)));
    }

    #[test]
    fn brackets_know_their_keys() {
        let label = |text: &[u8]| String::from_utf8(Scan::of(text).label().to_vec()).unwrap();
        assert_eq!(label(br#"{"a": {"b": [1, {"#), "b");
        assert_eq!(label(br#"{"a": {"b": [{"c": 1}, {"x": 2}]"#), "a");
        assert_eq!(label(br#"{"a": 1, "#), "");
    }

    #[test]
    fn exponents_are_seen() {
        assert!(Scan::of(b"1.5e+3").in_exponent);
        assert!(!Scan::of(b"1.5e+3,4").in_exponent);
        assert!(!Scan::of(b"\"1e").in_exponent);
    }
}
