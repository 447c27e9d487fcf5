//! Numbers as Markdown.

use crate::statistics::Summary;
use std::fmt::Write;

/// A table: the first column to the left, the others to the right.
pub fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "| {} |", head.join(" | "));
    let _ = writeln!(out, "|:--|{}", "--:|".repeat(head.len().saturating_sub(1)));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// A table of times: the labels' heads, then how many samples and what they sum up to, in microseconds.
pub fn times(labels: &[&str], rows: &[(Vec<String>, Summary)]) -> String {
    let head: Vec<&str> = labels.iter().copied().chain(["n"]).chain(Summary::COLUMNS).collect();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(labels, summary)| {
            let n = if summary.n == 0 { "-".to_owned() } else { summary.n.to_string() };
            let cells = summary.columns().map(|us| if summary.n == 0 { "-".to_owned() } else { number(us) });
            labels.iter().cloned().chain([n]).chain(cells).collect()
        })
        .collect();
    markdown(&head, &rows)
}

/// A table of how many times as long as `base` each takes.
pub fn ratios(labels: &[&str], base: &Summary, rows: &[(Vec<String>, Summary)]) -> String {
    let head: Vec<&str> = labels.iter().copied().chain(Summary::COLUMNS).collect();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(labels, summary)| {
            let pairs = summary.columns().into_iter().zip(base.columns());
            let cells = pairs.map(|(theirs, ours)| ratio(theirs / ours));
            labels.iter().cloned().chain(cells).collect()
        })
        .collect();
    markdown(&head, &rows)
}

/// Three digits are as many as mean anything.
pub fn number(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => grouped(v.round() as u64),
    }
}

fn ratio(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => "-".to_owned(),
        r if r < 0.1 => format!("{r:.3}"),
        r => number(r),
    }
}

/// Digits in threes.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let numbers = [0.0123, 1.0, 12.34, 123.4, 1_234.5, 1_234_567.0].map(number);
        assert_eq!(numbers, ["0.01", "1.00", "12.3", "123", "1,235", "1,234,567"]);
    }
}
