//! A place in the text of a pattern, and the pieces of syntax that need no more than that.

use crate::{Error, ErrorKind};

/// A place in the text of a pattern.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Always at a character boundary.
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.offset += c.len_utf8();
        Some(c)
    }

    /// Goes past `expected` if it comes next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.offset += expected.len();
        }
        found
    }

    pub(super) fn char_at(&self, offset: usize) -> Option<char> {
        self.text.get(offset..)?.chars().next()
    }

    pub(super) fn before(&self, offset: usize) -> Option<char> {
        self.text.get(..offset)?.chars().next_back()
    }

    pub(super) fn error(&self, kind: ErrorKind, offset: usize, message: impl Into<String>) -> Error {
        Error::new(kind, self.text, offset, message)
    }

    pub(super) fn syntax(&self, offset: usize, message: impl Into<String>) -> Error {
        self.error(ErrorKind::Syntax, offset, message)
    }

    /// Goes past `n` bytes, which the caller knows to be ASCII.
    pub(super) fn skip_ascii(&mut self, n: usize) {
        debug_assert!(self.rest().as_bytes()[..n].is_ascii());
        self.offset += n;
    }

    /// Exactly `n` hexadecimal digits, at most 8.
    pub(super) fn hex(&mut self, n: usize) -> Option<u32> {
        let digits = self.rest().get(..n).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        self.offset += n;
        Some(value)
    }

    /// A quantifier, lazy or not; `None` if none comes next (`{,5}` and `{x}` are literal text).
    pub(super) fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let one_char = match self.peek() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            _ => None,
        };
        let bounds = match one_char {
            Some(bounds) => {
                self.bump();
                Some(bounds)
            }
            None => self.bounds()?,
        };
        if bounds.is_some() {
            // Laziness does not change the language.
            self.eat("?");
        }
        Ok(bounds)
    }

    /// `{m}`, `{m,}` or `{m,n}`.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let start = *self;
        let parsed = self.bounds_text();
        let Some((min, max)) = parsed else {
            *self = start;
            return Ok(None);
        };
        let number = |digits: &str| {
            digits.parse::<u32>().map_err(|_| {
                let message = format!("the repetition count {digits} is over the limit of {}", u32::MAX);
                start.error(ErrorKind::Limit, start.offset, message)
            })
        };
        let min = number(min)?;
        let max = match max {
            None => Some(min),
            Some("") => None,
            Some(digits) => Some(number(digits)?),
        };
        if max.is_some_and(|max| min > max) {
            return Err(start.syntax(start.offset, "the least number of repetitions is above the greatest"));
        }
        Ok(Some((min, max)))
    }

    /// The digits of the bounds; the greatest is `None` without a comma.
    fn bounds_text(&mut self) -> Option<(&'a str, Option<&'a str>)> {
        if !self.eat("{") {
            return None;
        }
        let min = self.digits();
        let max = if self.eat(",") { Some(self.digits()) } else { None };
        (!min.is_empty() && self.eat("}")).then_some((min, max))
    }

    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let n = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.offset += n;
        &rest[..n]
    }
}
