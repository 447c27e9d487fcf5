//! The dialect of the `regex` crate, read by `regex-syntax`.

use crate::error::help;
use crate::term::Term;
use crate::{Error, ErrorKind, Limits};
use formwork_grammar::{CharClass, GrammarBuilder};
use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::{self, Class, Hir, HirKind, Look};

/// Reads a pattern. Its length has been checked.
pub(crate) fn read(b: &mut GrammarBuilder, text: &str, limits: &Limits) -> Result<Term, Error> {
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(limits.max_nesting.saturating_mul(4))
        .build()
        .parse(text)
        .map_err(|error| ast_error(text, &error))?;
    // Before the translation, which is what pays for the tables.
    let survey = Survey::of(&ast);
    if survey.n_tables > limits.max_tables {
        let message = format!("the pattern names more than {} Unicode tables", limits.max_tables);
        return Err(Error::new(ErrorKind::Limit, text, 0, message));
    }
    let hir = hir::translate::TranslatorBuilder::new()
        .utf8(true)
        .build()
        .translate(text, &ast)
        .map_err(|error| hir_error(text, &error))?;
    hir::visit(&hir, ToTerm { b, terms: Vec::new() }).map_err(|look| survey.refuse(text, look))
}

/// Folds the tree of `regex-syntax` into a term; its visitor keeps the stack on the heap.
struct ToTerm<'a> {
    b: &'a mut GrammarBuilder,
    /// The terms of the finished siblings of the nodes on the way down.
    terms: Vec<Term>,
}

impl ToTerm<'_> {
    fn pop(&mut self, n: usize) -> Vec<Term> {
        let start = self.terms.len().saturating_sub(n);
        self.terms.split_off(start)
    }
}

impl hir::Visitor for ToTerm<'_> {
    type Output = Term;
    type Err = Look;

    fn finish(mut self) -> Result<Term, Look> {
        Ok(self.terms.pop().unwrap_or_else(|| Term::empty(self.b)))
    }

    fn visit_post(&mut self, hir: &Hir) -> Result<(), Look> {
        let term = match hir.kind() {
            HirKind::Empty => Term::empty(self.b),
            HirKind::Literal(literal) => Term::plain(self.b.literal(&literal.0), literal.0.is_empty()),
            HirKind::Class(class) => Term::plain(self.b.class(char_class(class)), false),
            HirKind::Look(Look::Start) => Term::start(self.b),
            HirKind::Look(Look::End) => Term::end(self.b),
            HirKind::Look(look) => return Err(*look),
            // Greed does not change the language.
            HirKind::Repetition(repetition) => {
                let body = self.pop(1);
                let body = Term::concat(self.b, body);
                Term::repeat(self.b, &body, repetition.min, repetition.max)
            }
            HirKind::Capture(_) => return Ok(()),
            HirKind::Concat(parts) => {
                let parts = self.pop(parts.len());
                Term::concat(self.b, parts)
            }
            HirKind::Alternation(parts) => {
                let parts = self.pop(parts.len());
                Term::alt(self.b, &parts)
            }
        };
        self.terms.push(term);
        Ok(())
    }
}

fn char_class(class: &Class) -> CharClass {
    match class {
        Class::Unicode(class) => CharClass::from_ranges(class.iter().map(|r| (r.start(), r.end()))),
        // With `utf8` on, the translator refuses byte classes beyond ASCII.
        Class::Bytes(class) => {
            CharClass::from_ranges(class.iter().map(|r| (char::from(r.start()), char::from(r.end()))))
        }
    }
}

/// What must be known of the syntax tree: where the things stand that the translated tree has without positions.
#[derive(Default)]
struct Survey {
    n_tables: usize,
    word_boundary: Option<usize>,
    multi_line: Option<usize>,
}

impl Survey {
    fn of(ast: &Ast) -> Self {
        let Ok(survey) = ast::visit(ast, Self::default());
        survey
    }

    fn see_flags(&mut self, flags: &ast::Flags) {
        for item in &flags.items {
            if item.kind == ast::FlagsItemKind::Flag(ast::Flag::MultiLine) && self.multi_line.is_none() {
                self.multi_line = Some(item.span.start.offset);
            }
        }
    }

    fn refuse(&self, text: &str, look: Look) -> Error {
        use ErrorKind::{LineAnchor, WordBoundary};
        if matches!(look, Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF) {
            let message = "`^` and `$` at lines (the `m` flag) are not supported";
            Error::new(LineAnchor, text, self.multi_line.unwrap_or(0), message).with_help(help::LINE_ANCHOR)
        } else {
            let message = "word boundaries are not supported";
            Error::new(WordBoundary, text, self.word_boundary.unwrap_or(0), message)
                .with_help(help::WORD_BOUNDARY)
        }
    }
}

impl ast::Visitor for Survey {
    type Output = Self;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        use ast::AssertionKind::{EndLine, EndText, StartLine, StartText};
        match ast {
            Ast::ClassUnicode(_) | Ast::ClassPerl(_) => self.n_tables += 1,
            Ast::Flags(set) => self.see_flags(&set.flags),
            Ast::Group(group) => {
                if let Some(flags) = group.flags() {
                    self.see_flags(flags);
                }
            }
            Ast::Assertion(assertion) => {
                let is_anchor = matches!(assertion.kind, StartLine | EndLine | StartText | EndText);
                if !is_anchor && self.word_boundary.is_none() {
                    self.word_boundary = Some(assertion.span.start.offset);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
        if matches!(item, ast::ClassSetItem::Unicode(_) | ast::ClassSetItem::Perl(_)) {
            self.n_tables += 1;
        }
        Ok(())
    }
}

fn ast_error(text: &str, error: &ast::Error) -> Error {
    use ast::ErrorKind as Ast;
    let new = |kind, message: &str| Error::new(kind, text, error.span().start.offset, message);
    match error.kind() {
        Ast::UnsupportedLookAround => {
            new(ErrorKind::LookAround, "look-around is not supported").with_help(help::LOOK_AROUND)
        }
        Ast::UnsupportedBackreference => {
            new(ErrorKind::BackReference, "back-references are not supported").with_help(help::BACK_REFERENCE)
        }
        Ast::NestLimitExceeded(_) => new(ErrorKind::Limit, "the pattern nests too deep"),
        kind => new(ErrorKind::Syntax, &kind.to_string()),
    }
}

fn hir_error(text: &str, error: &hir::Error) -> Error {
    use hir::ErrorKind as Hir;
    let kind = match error.kind() {
        Hir::InvalidUtf8 => ErrorKind::NotText,
        Hir::UnicodePropertyNotFound | Hir::UnicodePropertyValueNotFound => ErrorKind::UnknownProperty,
        _ => ErrorKind::Syntax,
    };
    Error::new(kind, text, error.span().start.offset, error.kind().to_string())
}
