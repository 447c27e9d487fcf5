//! What became of each keyword.

use std::fmt;

/// What became of each keyword of the parts of a schema that the output can reach.
///
/// Comes with the grammar from [`Options::grammar_with_report`](crate::Options::grammar_with_report).
/// Sorted by pointer, so that equal schemas give equal reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub(crate) enforced: Vec<ReportEntry>,
    pub(crate) relaxed: Vec<ReportEntry>,
    pub(crate) ignored: Vec<ReportEntry>,
    pub(crate) notes: Vec<ReportEntry>,
    pub(crate) n_steps: usize,
}

/// One line of a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportEntry {
    pub(crate) pointer: String,
    pub(crate) what: String,
}

impl ReportEntry {
    /// The JSON pointer of the keyword.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The keyword, followed by an explanation in brackets where one is due.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl Report {
    /// Keywords that every output satisfies.
    pub fn enforced(&self) -> &[ReportEntry] {
        &self.enforced
    }

    /// Keywords that the options asked to leave out.
    pub fn relaxed(&self) -> &[ReportEntry] {
        &self.relaxed
    }

    /// Keywords that mean nothing to validation here: unknown ones, and those newer than the stated draft.
    pub fn ignored(&self) -> &[ReportEntry] {
        &self.ignored
    }

    /// Enforced keywords whose grammar differs from the standard's reading, and how: narrower (a spelling or a kind of
    /// value is left out), or deciding about the text where the standard speaks of the value.
    pub fn notes(&self) -> &[ReportEntry] {
        &self.notes
    }

    /// Parts of formulas that were gone through to work out the schema's conditions: a measure of how dear the schema is that
    /// no clock and no machine changes, bounded by [`Limits::max_steps`](crate::Limits::max_steps).
    pub fn steps(&self) -> usize {
        self.n_steps
    }

    pub(crate) fn finish(&mut self) {
        for list in [&mut self.enforced, &mut self.relaxed, &mut self.ignored, &mut self.notes] {
            list.sort();
            list.dedup();
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("enforced", &self.enforced),
            ("relaxed", &self.relaxed),
            ("ignored", &self.ignored),
            ("note", &self.notes),
        ];
        for (title, list) in lists {
            for entry in list {
                writeln!(f, "{title} {} {}", entry.pointer, entry.what)?;
            }
        }
        Ok(())
    }
}
