//! Where in a document something stands, written down only when somebody asks.

use smallvec::SmallVec;
use std::fmt;

/// The place of a part of a document: a step from the place of what it is a part of.
///
/// Reading a thousand tags passes ten thousand places, and errors and new rules name a few of them. So a place is a link to
/// the one around it, and becomes a JSON pointer as it is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer<'a> {
    around: Option<&'a Pointer<'a>>,
    /// The member's name as a pointer has it, or several steps with `/` between them.
    member: &'a str,
    element: Option<usize>,
    n_steps: usize,
}

impl<'a> Pointer<'a> {
    /// The whole document.
    pub(crate) const DOCUMENT: Pointer<'static> =
        Pointer { around: None, member: "", element: None, n_steps: 0 };

    /// A member of what stands here.
    pub(crate) fn at<'b>(&'b self, member: &'b str) -> Pointer<'b> {
        Pointer { around: Some(self), member, element: None, n_steps: self.n_steps + 1 }
    }

    /// An element of a list that is a member of what stands here.
    pub(crate) fn element<'b>(&'b self, member: &'b str, element: usize) -> Pointer<'b> {
        Pointer { element: Some(element), ..self.at(member) }
    }

    /// The number of steps from the whole document.
    pub(crate) fn n_steps(&self) -> usize {
        self.n_steps
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: SmallVec<[&Pointer<'_>; 16]> =
            std::iter::successors(Some(self), |step| step.around).collect();
        for step in steps.iter().rev().skip(1) {
            // PERF: each new rule has a place.
            f.write_str("/")?;
            f.write_str(step.member)?;
            if let Some(element) = step.element {
                write!(f, "/{element}")?;
            }
        }
        Ok(())
    }
}

impl From<Pointer<'_>> for String {
    fn from(pointer: Pointer<'_>) -> Self {
        pointer.to_string()
    }
}

impl From<&Pointer<'_>> for String {
    fn from(pointer: &Pointer<'_>) -> Self {
        pointer.to_string()
    }
}

/// A member's name in a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_printed_from_the_outside() {
        let format = Pointer::DOCUMENT.at("format");
        let tag = format.element("tags", 3);
        let (begin, other) = (tag.at("begin"), tag.at("a~1b/c"));
        assert_eq!(
            [Pointer::DOCUMENT, format, begin, other].map(|pointer| pointer.to_string()),
            ["", "/format", "/format/tags/3/begin", "/format/tags/3/a~1b/c"]
        );
        assert_eq!(begin.n_steps(), 3);
    }
}
