//! What to read and how: the entry points.

use crate::problem::{Problem, Problems};
use crate::{Dialect, ErrorKind, Errors, Limits, lark, lower, parser, token};
use formwork_grammar::Grammar;
use std::fmt;
use std::sync::Arc;

/// What to read and how.
///
/// ```
/// let grammar = formwork_ebnf::Options::new().root("start").grammar("start ::= \"a\"*")?;
/// assert_eq!(grammar.rule(grammar.root()).name(), "start");
/// # Ok::<(), formwork_ebnf::Errors>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    dialect: Dialect,
    /// None: that of the dialect.
    root: Option<String>,
    imports: Option<Imports>,
    limits: Limits,
}

/// Where imported texts come from.
#[derive(Clone)]
pub(crate) struct Imports(Arc<Find>);

type Find = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Imports {
    /// The text at a path.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        (self.0)(path)
    }
}

impl fmt::Debug for Imports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Imports")
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

    /// The rule that the whole output must match; default `root`, and `start` in the [Lark](lark) dialect.
    #[must_use]
    pub fn root(mut self, name: impl Into<String>) -> Self {
        self.root = Some(name.into());
        self
    }

    /// Where the texts are that a [Lark](lark) grammar imports, by their paths: `%import .a.b.NAME` asks for `a/b.lark`, and a
    /// relative import in that for a file in `a/`. Without this only `common` can be imported.
    ///
    /// ```
    /// use formwork_ebnf::{Dialect, Options};
    /// let options = Options::new()
    ///     .dialect(Dialect::Lark)
    ///     .imports(|path| (path == "words.lark").then(|| "YES: \"yes\"".to_owned()));
    /// let grammar = options.grammar("start: YES+\n%import .words.YES")?;
    /// assert_eq!(grammar.to_string(), "root ::= start\nstart ::= YES+\nYES ::= \"yes\"\n");
    /// # Ok::<(), formwork_ebnf::Errors>(())
    /// ```
    #[must_use]
    pub fn imports(mut self, text: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.imports = Some(Imports(Arc::new(text)));
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
    /// Every rule of the text becomes a rule of the grammar, in the same order and with its place (of a Lark grammar, every rule
    /// that the start rule leads to).
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
        let root = self.root.as_deref().unwrap_or(self.dialect.root());
        let Some(table) = self.dialect.table() else {
            let grammar = lark::read(text, root, self.imports.as_ref(), &self.limits);
            return grammar.map_err(|problems| problems.into_errors(text));
        };
        let tokens = token::tokens(text, table);
        let file = parser::parse(text, &tokens, table, &self.limits, &mut problems);
        match lower::lower(text, &file, root, &self.limits, &mut problems) {
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
