//! Bounds on how far a schema may grow on its way to a grammar.

/// Bounds on how far a schema may grow on its way to a grammar.
///
/// Exceeding one is an error of kind [`Limit`](crate::ErrorKind::Limit) with the pointer of the schema that grew;
/// never a panic, a hang or a silently looser grammar. The defaults are several times what real schemas need.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How deeply arrays and objects may nest in the schema's text; default 1,000. Pointers are as long as schemas are deep,
    /// so that time and memory would grow with the square of it.
    pub max_nesting: usize,
    /// Rules, one for each distinct demand on a value; default 20,000.
    pub max_rules: usize,
    /// States of one object or array; default 20,000.
    pub max_object_states: usize,
    /// States of all objects and arrays together; default 200,000.
    pub max_states: usize,
    /// Ways to split the demand on one member of an object or array; default 256.
    pub max_alternatives: usize,
    /// Classes of undeclared keys of one object; default 512.
    pub max_key_classes: usize,
    /// Distinct formulas of the normal form; default 1,000,000.
    pub max_formulas: usize,
    /// Parts of formulas that the normal form goes through while it works out conditions, about 20 million a second; default
    /// 20,000,000. [`Report::steps`](crate::Report::steps) says how many a schema took.
    pub max_steps: usize,
    /// How deeply `anyOf`, `allOf` and `not` may alternate within one value; default 100.
    pub max_depth: usize,
    /// How many arrays and objects a value may stand in where [lines](crate::Whitespace::Lines) are indented and values nest
    /// without end; default 32. Deeper ones are left out, and the report says so: each depth has rules of its own.
    pub max_indented_depth: usize,
    /// Digits of a bound or constant written out; default 400.
    pub max_digits: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_nesting: 1_000,
            max_rules: 20_000,
            max_object_states: 20_000,
            max_states: 200_000,
            max_alternatives: 256,
            max_key_classes: 512,
            max_formulas: 1_000_000,
            max_steps: 20_000_000,
            max_depth: 100,
            max_indented_depth: 32,
            max_digits: 400,
        }
    }
}
