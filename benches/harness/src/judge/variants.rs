//! Formwork with other switches: what the ablation compares, and what stands behind the colon of `formwork:…`.

use anyhow::{Context, Result};
use formwork::{Config, json_schema};

/// An optimisation, and how to do without it.
#[derive(Debug)]
pub struct Switch {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Turns it off in a configuration that has it.
    pub off: fn(&mut Config),
}

/// All optimisations that have a switch, in the order in which the ablation adds them.
///
/// A new switch of the engine is a new line here.
pub const SWITCHES: &[Switch] = &[
    Switch {
        name: "inlining",
        about: "small, open and singly used rules go into the automata that refer to them",
        off: |config| config.automata.inlining = false,
    },
    Switch {
        name: "minimisation",
        about: "states of equal future are one",
        off: |config| config.automata.minimisation = false,
    },
    Switch {
        name: "lazy",
        about: "the states of large rules are made when they are reached",
        off: |config| config.automata.lazy = false,
    },
    Switch {
        name: "slices",
        about: "the tokens of a loop come from a bitset that all grammars share",
        off: |config| config.slices = false,
    },
    Switch {
        name: "jit",
        about: "local masks are computed within a budget at compile, the others when they are needed",
        off: |config| config.precompute = u64::MAX,
    },
    Switch {
        name: "pool",
        about: "grammars of one compiler share the local masks of equal rules",
        off: |config| config.pool = false,
    },
    Switch {
        name: "counters",
        about: "large repetitions are counted instead of copied",
        off: |config| config.automata.counters = false,
    },
    Switch {
        name: "shared-escapes",
        about: "the JSON escapes of a character are one automaton for all literals",
        off: |config| config.automata.shared_escapes = false,
    },
    Switch {
        name: "shared-rules",
        about: "grammars of one compiler share the automata of equal rules",
        off: |config| config.automata.shared_rules = false,
    },
    Switch {
        name: "runs",
        about: "blanks and digits are bounded in the output instead of in the automata",
        off: |config| config.runs = false,
    },
    Switch {
        name: "suffixes",
        about: "tokens that a rule may end inside are grouped by what stands behind its end",
        off: |config| config.suffixes = false,
    },
    Switch { name: "recipes", about: "a row met again costs a copy", off: |config| config.recipes = false },
    Switch {
        name: "arenas",
        about: "a matcher goes on with the rows of an earlier one of its grammar",
        off: |config| config.arenas = false,
    },
    Switch {
        name: "recent",
        about: "a grammar that was compiled lately is not compiled again",
        off: |config| config.recent_bytes = 0,
    },
];

/// The configuration of a variant:
/// - nothing: the default;
/// - `jit`: nothing is computed at compile; `eager`: everything that compile can compute is;
/// - `unbounded`: the default; schemas are read [otherwise](schemas);
/// - `warmed`: the default; the compiler begins with the [masks](is_warmed) of any JSON value;
/// - `kept`: the default; each session has a [buffer](is_kept) of its own;
/// - `threads`: the default; a thread [computes masks](is_threaded) while the model reads its prompt;
/// - `no-NAME`: all but this switch;
/// - `first-N`: the first so many switches only;
/// - several of them, joined by `+`.
///
/// # Errors
/// There is no such variant.
pub fn config(variant: &str) -> Result<Config> {
    let mut config = Config::default();
    for part in variant.split('+') {
        let unknown = || {
            let names: Vec<_> = SWITCHES.iter().map(|switch| switch.name).collect();
            format!(
                "no variant `{part}`: jit, eager, unbounded, warmed, kept, threads, no-NAME or first-N with switches {}",
                names.join(", ")
            )
        };
        match part {
            "" | UNBOUNDED | WARMED | KEPT | THREADS => {}
            "jit" => config.precompute = 0,
            "eager" => config.precompute = u64::MAX,
            _ => {
                if let Some(name) = part.strip_prefix("no-") {
                    let switch = SWITCHES.iter().find(|switch| switch.name == name).with_context(unknown)?;
                    (switch.off)(&mut config);
                } else {
                    let n = part.strip_prefix("first-").and_then(|n| n.parse().ok()).with_context(unknown)?;
                    for switch in SWITCHES.get(n..).with_context(unknown)? {
                        (switch.off)(&mut config);
                    }
                }
            }
        }
    }
    Ok(config)
}

fn has(variant: &str, part: &str) -> bool {
    variant.split('+').any(|of| of == part)
}

/// White space and digits side by side without a bound: what the bounds cost is the difference.
const UNBOUNDED: &str = "unbounded";

/// What a server does that wants no first request to wait.
const WARMED: &str = "warmed";

/// Whether the masks of any JSON value are computed before anything is measured.
pub fn is_warmed(variant: &str) -> bool {
    has(variant, WARMED)
}

/// What a server does that has a buffer for each output.
const KEPT: &str = "kept";

/// Whether masks go into a buffer that stays with the session, so that only what differs from the mask before is written.
pub fn is_kept(variant: &str) -> bool {
    has(variant, KEPT)
}

/// What a server does that has a thread to spare.
const THREADS: &str = "threads";

/// Whether a thread computes local masks from the moment that a grammar is compiled, and sessions begin when a prompt has been read.
pub fn is_threaded(variant: &str) -> bool {
    has(variant, THREADS)
}

/// How a variant reads schemas.
pub fn schemas(variant: &str) -> json_schema::Options {
    let options = json_schema::Options::default();
    match has(variant, UNBOUNDED) {
        true => options.whitespace(json_schema::Whitespace::Any).max_digits(None),
        false => options,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_changes_something() {
        for switch in SWITCHES {
            assert_ne!(config(&format!("no-{}", switch.name)).unwrap(), Config::default(), "{}", switch.name);
        }
        assert_eq!(config(&format!("first-{}", SWITCHES.len())).unwrap(), Config::default());
        assert!(config("no-such").is_err() && config("first-99").is_err() && config("kept+no-such").is_err());
        let both = config("no-pool+kept+no-slices").unwrap();
        assert!(!both.pool && !both.slices && is_kept("warmed+kept") && !is_kept("warmed"));
    }
}
