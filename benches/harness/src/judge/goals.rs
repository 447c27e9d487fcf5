//! What Formwork's figures over MaskBench ought to be, beside what they are.

use super::maskbench::{Pass, Results};
use super::panel::Fate;
use super::record::Record;
use super::{slowest, table};
use crate::statistics::Summary;

/// A figure, what it is and at most may be.
struct Goal {
    figure: &'static str,
    measured: f64,
    at_most: f64,
}

/// A table of the goals, if Formwork as it comes is the first engine; figures of passes and engines that did not take part
/// are left out.
pub fn section(record: &mut Record, results: &Results, everywhere: &[bool], peak_kib: u64) {
    if results.engines.first().is_none_or(|name| name != "formwork") {
        return;
    }
    let engine = |name: &str| results.engines.iter().position(|engine| engine == name);
    let pass = |pass: Pass| results.passes.iter().position(|&one| one == pass);
    let get = |metric: &str, name: &str, in_pass: Pass| -> Option<Summary> {
        let (pass, engine) = (pass(in_pass)?, engine(name)?);
        Some(results.summary(metric, pass, engine, &|_, case| everywhere[case]))
    };
    let mut goals = Vec::new();
    let mut goal = |figure, measured, at_most| goals.push(Goal { figure, measured, at_most });
    let ours = |metric| get(metric, "formwork", Pass::Cold).unwrap_or_default();
    let (tbm, ttfm) = (ours("TBM"), ours("TTFM"));
    goal("TBM avg", tbm.mean, 1.5);
    if let Some(peer) = get("TBM", "llguidance", Pass::Cold) {
        goal("TBM avg, of llguidance's a 15th", tbm.mean, peer.mean / 15.0);
    }
    goal("TBM p50", tbm.p50, 0.7);
    goal("TBM p99", tbm.p99, 8.0);
    goal("TBM p99.9", tbm.p999, 40.0);
    goal("TBM max", tbm.max, 1_000.0);
    goal("TTFM p50", ttfm.p50, 80.0);
    if let Some(peer) = get("TTFM", "llguidance", Pass::Cold) {
        goal("TTFM p50, of llguidance's a 6th", ttfm.p50, peer.p50 / 6.0);
    }
    goal("TTFM p99", ttfm.p99, 2_000.0);
    goal("TTFM max", ttfm.max, 60_000.0);
    if let Some(eager) = get("TTFM", "formwork:eager", Pass::Cold) {
        goal("text to all local masks (`formwork:eager`) p50", eager.p50, 150.0);
        goal("text to all local masks (`formwork:eager`) p99", eager.p99, 5_000.0);
    }
    if let Some(warm) = get("TBM", "formwork", Pass::Warm) {
        goal("TBM avg, warm", warm.mean, 0.8);
        goal("TBM p99, warm", warm.p99, 4.0);
        if let Some(polluted) = get("TBM", "formwork", Pass::Polluted) {
            goal("TBM avg, polluted, of warm's 1.6", polluted.mean, warm.mean * 1.6);
            goal("TBM p99, polluted, of warm's 1.6", polluted.p99, warm.p99 * 1.6);
        }
    }
    goal("peak MiB", peak_kib as f64 / 1_024.0, 250.0);
    // Of all grammars so far, so the last one's are the greatest.
    let last = |name: &str| {
        let fates = results.fates[0][0].iter();
        let figure = |fate: &Fate| match fate {
            Fate::Measured(one) => slowest::figure(one, name),
            _ => 0,
        };
        fates.map(figure).max().unwrap_or_default()
    };
    let bytes = last("bytes of local masks so far") as f64 / last("local masks so far").max(1) as f64;
    goal("bytes of a local mask, avg, what grammars share once", bytes, 400.0);
    let rows: Vec<Vec<String>> = goals
        .iter()
        .map(|Goal { figure, measured, at_most }| {
            let verdict = if measured <= at_most {
                "met".to_owned()
            } else {
                format!("{} times too much", table::number(measured / at_most))
            };
            vec![(*figure).to_owned(), table::number(*measured), table::number(*at_most), verdict]
        })
        .collect();
    record.line("\n## Formwork's goals, over the files that all engines compile\n");
    record.line(&table::markdown(&["", "measured", "at most", ""], &rows));
}
