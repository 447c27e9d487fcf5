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
    pub(super) depth: usize,
    /// Between double quotes: how many bytes since the quote.
    pub(super) in_string: Option<usize>,
    /// Digits at the end.
    pub(super) n_digits: usize,
    /// Elements or statements since the last opening bracket, about: commas and semicolons.
    pub(super) n_commas: usize,
    is_escaped: bool,
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

    fn add_byte(&mut self, byte: u8) {
        self.n_bytes += 1;
        self.n_digits = if byte.is_ascii_digit() { self.n_digits + 1 } else { 0 };
        self.previous = Some(byte);
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
            return;
        }
        match byte {
            b'"' => self.in_string = Some(0),
            b'{' | b'[' | b'(' => {
                self.depth += 1;
                self.n_commas = 0;
            }
            b'}' | b']' | b')' => self.depth = self.depth.saturating_sub(1),
            b',' | b';' => self.n_commas += 1,
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
        assert_eq!((scan.depth, scan.in_string, scan.n_digits), (2, None, 2));
        let scan = Scan::of(br#"["ab\""#);
        assert_eq!((scan.depth, scan.in_string), (1, Some(4)));
    }
}
