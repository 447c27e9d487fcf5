//! What the grammars of schemas have in common, for parts of other grammars to borrow.

use crate::options::{Digits, Numbers, Options, Whitespace};

/// The rules for any value, strings, numbers and the like, made [once](Options::library) for all schemas that go into one
/// grammar. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library {
    rules: formwork_grammar::Library,
    /// The options that these depend on.
    whitespace: Whitespace,
    numbers: Numbers,
    max_digits: Digits,
}

impl Library {
    pub(crate) fn new(options: &Options, rules: formwork_grammar::Library) -> Self {
        let Options { whitespace, numbers, max_digits, .. } = *options;
        Self { rules, whitespace, numbers, max_digits }
    }

    /// The rules, if they are what schemas have that are read so.
    pub(crate) fn of(&self, options: &Options) -> Option<&formwork_grammar::Library> {
        let is_same = self.whitespace == options.whitespace
            && self.numbers == options.numbers
            && self.max_digits == options.max_digits;
        is_same.then_some(&self.rules)
    }
}
