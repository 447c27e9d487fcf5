//! Prints automata for people and expect tests.

use crate::automata::{Automata, Counter, StateId};
use crate::tables::ByteEdge;
use std::fmt;

impl fmt::Display for Automata {
    /// All rules that are found when each is built. One line per state: `s3*` accepts, `a-z -> s4` reads a byte, `{r2} -> s5` reads a rule, `+` ticks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A rule that exceeds a limit shows as one state without edges.
        let _ = self.complete(&|| false);
        for rule in self.rules() {
            write!(f, "{rule:?} {}", self.name(rule))?;
            match self.counter(rule) {
                None => {}
                Some(Counter::Ticks { min, max: Some(max) }) => write!(f, " counts {min}..={max}")?,
                Some(Counter::Ticks { min, max: None }) => write!(f, " counts {min}..")?,
                Some(Counter::Members) => write!(f, " is a set")?,
                Some(Counter::Text) => write!(f, " is a distinct text")?,
                Some(Counter::Distinct) => write!(f, " is a list of distinct texts")?,
                Some(Counter::Steps { max }) => write!(f, " ends within {max} steps")?,
            }
            if let Some(symbols) = self.symbols(rule) {
                write!(f, " is {symbols}")?;
            }
            if rule == self.root() && self.root_may_be_empty() {
                write!(f, " or empty")?;
            }
            writeln!(f)?;
            for state in self.states_of(rule) {
                self.write_state(f, state)?;
            }
        }
        Ok(())
    }
}

impl Automata {
    fn write_state(&self, f: &mut fmt::Formatter<'_>, state: StateId) -> fmt::Result {
        write!(f, "  s{}{}", state.number(), if self.is_accepting(state) { "*" } else { "" })?;
        let (plain, ticking) = self.byte_edges(state);
        let mut separator = ":";
        for (edges, mark) in [(plain, ""), (ticking, "+")] {
            for edge in edges {
                write!(f, "{separator} {} ->{mark} s{}", Range(edge), edge.target)?;
                separator = ",";
            }
        }
        for edge in self.rule_edges(state) {
            write!(f, "{separator} {{{:?}}} ->", edge.rule)?;
            match (edge.tick, self.counter(state.rule())) {
                (0, _) => {}
                (tick, Some(Counter::Members)) => write!(f, "+{}", tick - 1)?,
                _ => write!(f, "+")?,
            }
            write!(f, " s{}", edge.target.number())?;
            separator = ",";
        }
        writeln!(f)
    }
}

struct Range<'a>(&'a ByteEdge);

impl fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, byte: u8| match byte {
            b'!'..=b'~' if byte != b'-' && byte != b',' => write!(f, "{}", char::from(byte)),
            _ => write!(f, "{byte:02x}"),
        };
        one(f, self.0.low)?;
        if self.0.high != self.0.low {
            write!(f, "-")?;
            one(f, self.0.high)?;
        }
        Ok(())
    }
}
