//! What figures over tools ought to be, beside what they are.

use super::table;

/// What some tools in one format cost an engine, in microseconds; not a number where it was not measured.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The number of tools.
    pub size: usize,
    /// The engine's name, with its variant.
    pub engine: String,
    /// From the tag to the compiled grammar.
    pub compile: f64,
    /// The same with one tool more.
    pub more: f64,
    /// Of masks and accepting, in a grammar's first turns.
    pub avg: f64,
    /// The same.
    pub p99: f64,
    /// Of steps in free text.
    pub free: f64,
}

/// Takes a figure.
type Figure = fn(&Figures) -> f64;

/// A figure, for which number of tools it is to hold, any if none is said, and what it at most may be.
const GOALS: [(&str, Option<usize>, Figure, f64); 6] = [
    ("frontend + compile", Some(20), |figures| figures.compile, 1_000.0),
    ("frontend + compile", Some(1_000), |figures| figures.compile, 30_000.0),
    ("one more", Some(1_000), |figures| figures.more, 3_000.0),
    ("TBM cold avg", None, |figures| figures.avg, 1.2),
    ("TBM cold p99", None, |figures| figures.p99, 10.0),
    ("free p50", None, |figures| figures.free, 0.5),
];

/// A table of the goals: for each engine the greater figure of the two formats, and how many times too much it is.
pub fn table(all: &[Figures]) -> String {
    let mut engines: Vec<&str> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for figures in all {
        if !engines.contains(&&*figures.engine) {
            engines.push(&figures.engine);
        }
        if !sizes.contains(&figures.size) {
            sizes.push(figures.size);
        }
    }
    let mut rows = Vec::new();
    for (name, only, get, at_most) in GOALS {
        for &size in sizes.iter().filter(|&&size| only.is_none_or(|only| only == size)) {
            let cell = |engine: &&str| {
                let of_engine =
                    all.iter().filter(|figures| figures.engine == *engine && figures.size == size);
                // A format that was not measured meets nothing.
                let greatest =
                    of_engine.map(get).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
                match greatest {
                    none if none.is_nan() => "-".to_owned(),
                    met if met <= at_most => table::number(met),
                    more => format!("{} ({} times)", table::number(more), table::number(more / at_most)),
                }
            };
            let labels = [name.to_owned(), table::grouped(size as u64)];
            let cells = engines.iter().map(cell).chain([table::number(at_most)]);
            rows.push(labels.into_iter().chain(cells).collect::<Vec<String>>());
        }
    }
    let head: Vec<&str> = ["", "tools"].into_iter().chain(engines).chain(["at most"]).collect();
    table::markdown(&head, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(size: usize, engine: &str, us: f64) -> Figures {
        Figures { size, engine: engine.to_owned(), compile: us, more: us, avg: us, p99: us, free: us }
    }

    #[test]
    fn the_greater_of_two_formats_counts() {
        let all = [
            figures(20, "one", 0.25),
            figures(20, "other", 2_000.0),
            figures(20, "one", 0.75),
            figures(20, "other", f64::NAN),
            figures(1_000, "one", 3_600.0),
        ];
        let table = table(&all);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| frontend + compile | 20 | 0.75 | - | 1,000 |");
        assert_eq!(lines[2], "| one more | 1,000 | 3,600 (1.20 times) | 0.00 | 3,000 |");
        assert_eq!(lines[7], "| free p50 | 20 | 0.75 (1.50 times) | - | 0.50 |");
        assert_eq!(lines.len(), 9);
    }
}
