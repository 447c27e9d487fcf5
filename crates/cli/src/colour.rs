//! Colours, where somebody sees them.

use std::io::IsTerminal;

/// Whether and how what is printed is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    is_coloured: bool,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// That something is wrong, and what.
    Wrong,
    /// What could have come instead.
    Right,
    /// Line numbers and the like.
    Margin,
}

impl Palette {
    pub(crate) const PLAIN: Self = Self { is_coloured: false };
    #[cfg(test)]
    pub(crate) const COLOURED: Self = Self { is_coloured: true };

    /// Coloured if standard error is a terminal that can show it and the user has not said `NO_COLOR` (no-color.org).
    pub(crate) fn of_stderr() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_set("NO_COLOR") || is_dumb {
            return Self::PLAIN;
        }
        Self { is_coloured: std::io::stderr().is_terminal() }
    }

    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.is_coloured || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Wrong => "1;31",
            Tone::Right => "32",
            Tone::Margin => "1;34",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
