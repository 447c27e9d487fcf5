//! What to read and how: the entry points.

use crate::problem::{Problem, Problems};
use crate::{Dialect, ErrorKind, Errors, Limits, lower, parser, token};
use formwork_grammar::Grammar;

/// What to read and how.
///
/// ```
/// let grammar = formwork_ebnf::Options::new().root("start").grammar("start ::= \"a\"*")?;
/// assert_eq!(grammar.rule(grammar.root()).name(), "start");
/// # Ok::<(), formwork_ebnf::Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    dialect: Dialect,
    root: String,
    limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { dialect: Dialect::default(), root: "root".to_owned(), limits: Limits::default() }
    }
}

impl Options {
    /// The defaults: the EBNF dialect, and the root rule is `root`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dialect that the text is written in.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The rule that the whole output must match.
    #[must_use]
    pub fn root(mut self, name: impl Into<String>) -> Self {
        self.root = name.into();
        self
    }

    /// Bounds on the text and the grammar.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads a grammar.
    ///
    /// Every rule of the text becomes a rule of the grammar, in the same order and with its place.
    /// Whether anything matches at all (`root ::= root`) is for the engine to find out.
    ///
    /// # Errors
    /// Everything that is wrong with the text, in the order of the places.
    pub fn grammar(&self, text: &str) -> Result<Grammar, Errors> {
        let mut problems = Problems::new(self.limits.max_errors);
        let limit = self.limits.max_length.min(1 << 30);
        if text.len() > limit {
            let message = format!("the grammar is {} bytes long, over the limit of {limit}", text.len());
            problems.add(Problem::new(ErrorKind::Limit, 0..0, message));
            return Err(problems.into_errors(text));
        }
        let table = self.dialect.table();
        let tokens = token::tokens(text, table);
        let file = parser::parse(text, &tokens, table, &self.limits, &mut problems);
        match lower::lower(text, &file, &self.root, &self.limits, &mut problems) {
            Some(grammar) if problems.is_empty() => Ok(grammar),
            _ => Err(problems.into_errors(text)),
        }
    }

    /// Reads a grammar from bytes, such as those of a file.
    ///
    /// # Errors
    /// As [`grammar`](Self::grammar); and if the bytes are not UTF-8, that alone, with the place of the first that is wrong.
    pub fn grammar_from_bytes(&self, bytes: &[u8]) -> Result<Grammar, Errors> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.grammar(text),
            Err(error) => {
                let mut problems = Problems::new(1);
                let (good, rest) = bytes.split_at(error.valid_up_to());
                // What follows is shown as far as the line goes, with replacement characters.
                let line = rest.split(|&b| b == b'\n').next().unwrap_or_default();
                let line = String::from_utf8_lossy(&line[..line.len().min(100)]);
                let text = format!("{}{line}", String::from_utf8_lossy(good));
                let at = error.valid_up_to();
                let message =
                    format!("byte {at} (0x{:02x}) is not UTF-8", rest.first().copied().unwrap_or_default());
                problems.add(Problem::new(ErrorKind::InvalidUtf8, at..at, message));
                Err(problems.into_errors(&text))
            }
        }
    }
}
