//! Reads JSON text, and converts `serde_json` values, into a [`Forest`], both with explicit stacks.

use super::{Content, Forest, Member, Number, StringId, ValueId};
use crate::decimal::Decimal;
use crate::error::Error;
use formwork_grammar::{HashSet, Position};
use std::borrow::Cow;

/// Values a schema and its resources may have together.
const MAX_VALUES: usize = 20_000_000;
/// How much text a value of an ordinary schema takes.
const BYTES_PER_VALUE: usize = 12;

/// An array or object that is still open: its values so far lie on a stack from `first` on.
struct Open {
    is_object: bool,
    /// The number of its first value.
    start: usize,
    first: usize,
    /// Its keys, once there are many.
    keys: Option<Box<HashSet<StringId>>>,
}

/// Keys of one object that are compared with each other.
const FEW: usize = 16;

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

pub(super) fn read(forest: &mut Forest, text: &str) -> Result<ValueId, Error> {
    let mut reader = Reader { text, at: 0 };
    let n_values = text.len() / BYTES_PER_VALUE;
    forest.values.reserve(n_values);
    forest.members.reserve(n_values);
    forest.strings.reserve(n_values, text.len());
    let mut stack: Vec<Open> = Vec::with_capacity(FEW);
    // What is in open arrays and objects: finished values with their keys, and at the end a key without its value.
    let mut items: Vec<ValueId> = Vec::new();
    let mut members: Vec<Member> = Vec::with_capacity(4 * FEW);
    reader.blank();
    loop {
        check_size(forest)?;
        let start = forest.len();
        // One value, or the opening of one.
        let mut done = match reader.peek() {
            Some(b'[') => {
                reader.at += 1;
                reader.blank();
                if reader.eat(b']') {
                    forest.push(Content::Array(0..0), start)
                } else {
                    stack.push(Open { is_object: false, start, first: items.len(), keys: None });
                    continue;
                }
            }
            Some(b'{') => {
                reader.at += 1;
                reader.blank();
                if reader.eat(b'}') {
                    forest.push(Content::Object(0..0), start)
                } else {
                    let mut open = Open { is_object: true, start, first: members.len(), keys: None };
                    reader.key(forest, &mut open, &mut members)?;
                    stack.push(open);
                    continue;
                }
            }
            Some(b'"') => {
                let string = forest.strings.intern(&reader.string()?)?;
                forest.push(Content::String(string), start)
            }
            Some(b'-' | b'0'..=b'9') => forest.push_number(reader.number()?, start),
            _ => forest.push(reader.word()?, start),
        };
        // What follows a finished value: a comma, or the end of what is open, which is then a finished value itself.
        loop {
            reader.blank();
            let Some(open) = stack.last_mut() else {
                if reader.at < text.len() {
                    return Err(reader.error("something follows the value"));
                }
                return Ok(done);
            };
            done = if open.is_object {
                if let Some((_, value)) = members.last_mut() {
                    *value = done;
                }
                if reader.eat(b',') {
                    reader.blank();
                    reader.key(forest, open, &mut members)?;
                    break;
                }
                if !reader.eat(b'}') {
                    return Err(reader.error("`,` or `}` is missing"));
                }
                forest.push_object(members.drain(open.first..), open.start)
            } else {
                items.push(done);
                if reader.eat(b',') {
                    reader.blank();
                    break;
                }
                if !reader.eat(b']') {
                    return Err(reader.error("`,` or `]` is missing"));
                }
                forest.push_array(items.drain(open.first..), open.start)
            };
            stack.pop();
        }
    }
}

fn check_size(forest: &Forest) -> Result<(), Error> {
    if forest.len() < MAX_VALUES {
        return Ok(());
    }
    Err(Error::limit("", format!("the schema has more than {MAX_VALUES} values")))
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[cold]
    fn error(&self, what: &str) -> Error {
        Error::invalid("", format!("not JSON: {what} at {}", Position::of(self.text, self.at)))
    }

    /// A key of the open object, its colon and the white space after it; its value is still to come.
    fn key(&mut self, forest: &mut Forest, open: &mut Open, members: &mut Vec<Member>) -> Result<(), Error> {
        if self.peek() != Some(b'"') {
            return Err(self.error("a key or `}` is missing"));
        }
        let key = forest.strings.intern(&self.string()?)?;
        let own = &members[open.first..];
        let is_new = match own.len() < FEW {
            true => own.iter().all(|&(other, _)| other != key),
            false => {
                let all = || Box::new(own.iter().map(|&(key, _)| key).collect());
                open.keys.get_or_insert_with(all).insert(key)
            }
        };
        if !is_new {
            return Err(self.error(&format!("the key {:?} comes twice", forest.string(key))));
        }
        members.push((key, ValueId::from_index(0)));
        self.blank();
        if !self.eat(b':') {
            return Err(self.error("`:` is missing"));
        }
        self.blank();
        Ok(())
    }

    fn word(&mut self) -> Result<Content, Error> {
        let rest = &self.text.as_bytes()[self.at..];
        for (word, value) in
            [("null", Content::Null), ("true", Content::Bool(true)), ("false", Content::Bool(false))]
        {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("a value is missing"))
    }

    fn digits(&mut self) -> Result<(), Error> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("a digit is missing"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Number, Error> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        let mut written_plain = true;
        if self.eat(b'.') {
            written_plain = false;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            written_plain = false;
            self.at += 1;
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        let value = Decimal::parse(&self.text[start..self.at]).ok_or_else(|| {
            Error::limit(
                "",
                format!("a number's exponent is out of range before {}", Position::of(self.text, self.at)),
            )
        })?;
        Ok(Number { value, written_plain })
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Error> {
        self.at += 1;
        // Most strings have no escapes.
        let start = self.at;
        self.plain();
        if self.eat(b'"') {
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        self.escaped(start).map(Cow::Owned)
    }

    /// A string with escapes, of which what comes before the first is read.
    #[cold]
    fn escaped(&mut self, start: usize) -> Result<String, Error> {
        let mut text = self.text[start..self.at].to_owned();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    text.push(c);
                }
                Some(_) => return Err(self.error("a control character in a string")),
                None => return Err(self.error("a string is not closed")),
            }
            let run = self.at;
            self.plain();
            text.push_str(&self.text[run..self.at]);
        }
    }

    /// Characters of a string that stand for themselves.
    fn plain(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|&&byte| IS_PLAIN[usize::from(byte)]).count();
    }

    fn escape(&mut self) -> Result<char, Error> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xDC00..0xE000).contains(&second) {
                        let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                        return char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair"));
                    }
                }
                char::from_u32(first).ok_or_else(|| self.error("half of a surrogate pair"))?
            }
            _ => {
                self.at -= 1;
                return Err(self.error("an unknown escape"));
            }
        })
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let code = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let code = code.ok_or_else(|| self.error("four hexadecimal digits are missing"))?;
        self.at += 4;
        Ok(code)
    }
}

/// The bytes of strings that stand for themselves: all but quotes, backslashes and control characters.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [true; 256];
    let mut byte = 0;
    while byte < b' ' {
        is_plain[byte as usize] = false;
        byte += 1;
    }
    is_plain[b'"' as usize] = false;
    is_plain[b'\\' as usize] = false;
    is_plain
};

/// A step of the conversion: visit a value, or put together one whose parts are done.
enum Task<'v> {
    Visit(&'v serde_json::Value),
    Close(&'v serde_json::Value, usize),
}

pub(super) fn convert(forest: &mut Forest, value: &serde_json::Value) -> Result<ValueId, Error> {
    use serde_json::Value as Json;
    let mut tasks = vec![Task::Visit(value)];
    // Finished values whose parents are still open.
    let mut done: Vec<ValueId> = Vec::new();
    while let Some(task) = tasks.pop() {
        check_size(forest)?;
        let start = forest.len();
        let id = match task {
            Task::Visit(Json::Null) => forest.push(Content::Null, start),
            Task::Visit(Json::Bool(b)) => forest.push(Content::Bool(*b), start),
            Task::Visit(Json::String(s)) => {
                let string = forest.strings.intern(s)?;
                forest.push(Content::String(string), start)
            }
            Task::Visit(Json::Number(n)) => {
                let text = n.to_string();
                let value = Decimal::parse(&text)
                    .ok_or_else(|| Error::limit("", format!("the number {text} is out of range")))?;
                let written_plain = !text.contains(['.', 'e', 'E']);
                forest.push_number(Number { value, written_plain }, start)
            }
            Task::Visit(parent @ Json::Array(items)) => {
                tasks.push(Task::Close(parent, start));
                tasks.extend(items.iter().rev().map(Task::Visit));
                continue;
            }
            Task::Visit(parent @ Json::Object(members)) => {
                tasks.push(Task::Close(parent, start));
                let parts: Vec<&Json> = members.values().collect();
                tasks.extend(parts.into_iter().rev().map(Task::Visit));
                continue;
            }
            Task::Close(Json::Array(items), start) => {
                let parts = done.split_off(done.len() - items.len());
                forest.push_array(parts.into_iter(), start)
            }
            Task::Close(Json::Object(members), start) => {
                let parts = done.split_off(done.len() - members.len());
                let keys = members.keys().map(|key| forest.strings.intern(key));
                let keys = keys.collect::<Result<Vec<StringId>, Error>>()?;
                forest.push_object(keys.into_iter().zip(parts), start)
            }
            Task::Close(..) => continue,
        };
        done.push(id);
    }
    done.pop().ok_or_else(|| Error::invalid("", "no value"))
}
