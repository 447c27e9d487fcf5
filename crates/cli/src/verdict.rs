//! Whether a compiled grammar allows a text.

use crate::deadline::Deadline;
use formwork::{AcceptErrorKind, CompiledGrammar, Matcher};

/// Whether a grammar allows a text.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The matcher stands at the end.
    Accepted(Box<Matcher>),
    /// The matcher stands right before the byte at this offset, which is refused; or at the end, where more must come.
    Rejected { offset: usize, matcher: Box<Matcher> },
    /// A limit was reached, or time ran out.
    Limit(String),
}

/// How far a text could be followed.
#[derive(Debug)]
pub(crate) enum Followed {
    /// To its end, behind which the matcher stands.
    Whole(Box<Matcher>),
    /// The matcher stands right before the byte at this offset, which is refused.
    Refused { offset: usize, matcher: Box<Matcher> },
    /// A limit was reached, or time ran out.
    Limit(String),
}

/// So many bytes between two looks at the clock.
const CHUNK: usize = 1 << 14;

/// Follows a text to its end or to the first byte that is refused.
pub(crate) fn follow(compiled: &CompiledGrammar, text: &[u8], deadline: Deadline) -> Followed {
    let mut matcher = Box::new(Matcher::new(compiled));
    let mut offset = 0;
    for chunk in text.chunks(CHUNK) {
        if let Err(error) = matcher.accept_bytes(chunk) {
            if let AcceptErrorKind::Limit(limit) = error.kind() {
                return Followed::Limit(limit.to_string());
            }
            let accepted = chunk.get(..error.accepted_bytes()).unwrap_or_default();
            // These bytes were accepted a moment ago.
            let _ = matcher.accept_bytes(accepted);
            return Followed::Refused { offset: offset + accepted.len(), matcher };
        }
        offset += chunk.len();
        if deadline.is_over() {
            return Followed::Limit("the document takes too long; --timeout gives it more time".to_owned());
        }
    }
    Followed::Whole(matcher)
}

/// Whether the text is a whole document.
pub(crate) fn verdict(compiled: &CompiledGrammar, text: &[u8], deadline: Deadline) -> Verdict {
    match follow(compiled, text, deadline) {
        Followed::Whole(matcher) if matcher.can_finish() => Verdict::Accepted(matcher),
        Followed::Whole(matcher) => Verdict::Rejected { offset: text.len(), matcher },
        Followed::Refused { offset, matcher } => Verdict::Rejected { offset, matcher },
        Followed::Limit(message) => Verdict::Limit(message),
    }
}
