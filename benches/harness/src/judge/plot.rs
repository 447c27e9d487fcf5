//! Line charts as SVG, on logarithmic axes: all that the reports draw.

use std::fmt::Write;

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below it.
    pub x_label: String,
    /// Beside it.
    pub y_label: String,
    /// What x is.
    pub x: Axis,
    /// The curves, in the order of the legend.
    pub lines: Vec<Line>,
}

/// A curve: its name and its points, all values above 0 (and shares of a percentile axis below 1).
#[derive(Clone, Debug)]
pub struct Line {
    /// In the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// Curves of one colour belong together.
    pub colour: usize,
    /// Drawn in dashes.
    pub dashed: bool,
}

/// What the horizontal axis shows; the vertical one is always logarithmic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A quantity, by its logarithm.
    Log,
    /// The share of samples up to a value: each nine takes as much room as the one before.
    Percentile,
    /// The rows of a table, by their numbers.
    Rows,
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 440.0;
/// Room around the plot: left, right (the legend), top, bottom.
const ROOM: [f64; 4] = [70.0, 230.0, 40.0, 55.0];
/// Told apart by people who see colours differently as well (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

impl Axis {
    fn position(self, value: f64) -> f64 {
        match self {
            Self::Log => value.log10(),
            Self::Percentile => -(1.0 - value).log10(),
            Self::Rows => value,
        }
    }

    /// Values worth a line, with what stands at it, within these bounds.
    fn ticks(self, low: f64, high: f64) -> Vec<(f64, String)> {
        if self == Self::Percentile {
            let ticks =
                [(0.0, "0"), (0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99")];
            let shown = ticks.into_iter().filter(|&(share, _)| share <= high);
            return shown.map(|(share, text)| (share, format!("{text} %"))).collect();
        }
        if self == Self::Rows {
            return (low as u32..=high as u32).map(|row| (f64::from(row), row.to_string())).collect();
        }
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        // Few decades: their halves and fifths too.
        let steps: &[f64] = if last - first <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = (first..=last).flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        let within = all.filter(|&value| value >= low * 0.999 && value <= high * 1.001);
        within.map(|value| (value, quantity(value))).collect()
    }
}

/// 0.5, 20, 3k, 2M.
fn quantity(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v >= 999_999.0 => (v / 1e6, "M"),
        v if v >= 999.0 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let text = format!("{scaled:.3}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    format!("{short}{unit}")
}

impl Chart {
    /// The picture; an empty one if there are no points.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bounds = |value: fn(&(f64, f64)) -> f64| {
            points().map(value).fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (mut x_low, mut x_high) = bounds(|point| point.0);
        let (y_low, y_high) = bounds(|point| point.1);
        let mut out = String::new();
        let _ = writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">"#
        );
        let _ = writeln!(out, r#"<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>"#);
        let [left, right, top, bottom] = ROOM;
        let (plot_width, plot_height) = (WIDTH - left - right, HEIGHT - top - bottom);
        text(&mut out, left, 22.0, "start", 15, &self.title);
        text(&mut out, left + plot_width / 2.0, HEIGHT - 12.0, "middle", 12, &self.x_label);
        text(&mut out, 14.0, top - 10.0, "start", 12, &self.y_label);
        if points().next().is_none() {
            out.push_str("</svg>\n");
            return out;
        }
        if self.x == Axis::Percentile {
            x_low = 0.0;
        } else if x_low == x_high {
            (x_low, x_high) = (x_low / 2.0, x_high * 2.0);
        }
        // The vertical axis ends at a tick.
        let floor = |v: f64| 10f64.powf((v.log10() * 3.0).floor() / 3.0);
        let (y_low, y_high) = (floor(y_low), floor(y_high) * 10f64.powf(1.0 / 3.0));
        let span = |low: f64, high: f64| if high > low { high - low } else { 1.0 };
        let (x_from, x_to) = (self.x.position(x_low), self.x.position(x_high));
        let (y_from, y_to) = (y_low.log10(), y_high.log10());
        let x_of = |x: f64| left + (self.x.position(x) - x_from) / span(x_from, x_to) * plot_width;
        let y_of = |y: f64| top + plot_height - (y.log10() - y_from) / span(y_from, y_to) * plot_height;
        for (value, label) in self.x.ticks(x_low, x_high) {
            let x = x_of(value);
            let _ = writeln!(
                out,
                r##"<line x1="{x:.1}" y1="{top}" x2="{x:.1}" y2="{:.1}" stroke="#ddd"/>"##,
                top + plot_height
            );
            text(&mut out, x, top + plot_height + 18.0, "middle", 12, &label);
        }
        for (value, label) in Axis::Log.ticks(y_low, y_high) {
            let y = y_of(value);
            let _ = writeln!(
                out,
                r##"<line x1="{left}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="#ddd"/>"##,
                left + plot_width
            );
            text(&mut out, left - 8.0, y + 4.0, "end", 12, &label);
        }
        for (i, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[line.colour % COLOURS.len()];
            let dash = if line.dashed { r#" stroke-dasharray="6 4""# } else { "" };
            let places: Vec<String> =
                line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y))).collect();
            let _ = writeln!(
                out,
                r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>"#,
                places.join(" ")
            );
            if line.points.len() <= 16 {
                for (x, y) in places.iter().filter_map(|place| place.split_once(',')) {
                    let _ = writeln!(out, r#"<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>"#);
                }
            }
            let (x, y) = (left + plot_width + 14.0, top + 12.0 + 18.0 * i as f64);
            let _ = writeln!(
                out,
                r#"<line x1="{x}" y1="{y}" x2="{}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>"#,
                x + 18.0
            );
            text(&mut out, x + 24.0, y + 4.0, "start", 12, &line.name);
        }
        out.push_str("</svg>\n");
        out
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{size}">{escaped}</text>"#
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(x: Axis, points: &[(f64, f64)]) -> String {
        let lines = vec![Line { name: "a<b".to_owned(), points: points.to_vec(), colour: 0, dashed: false }];
        let label = String::new;
        Chart { title: label(), x_label: label(), y_label: label(), x, lines }.svg()
    }

    #[test]
    fn points_lie_where_they_belong() {
        let svg = chart(Axis::Log, &[(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)]);
        let places = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a line");
        let xs: Vec<f64> =
            places.split(' ').map(|place| place.split(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!(xs[0], ROOM[0]);
        assert_eq!(xs[2], WIDTH - ROOM[1]);
        assert!((xs[1] - (xs[0] + xs[2]) / 2.0).abs() < 0.1, "the middle decade is in the middle: {xs:?}");
        assert!(svg.contains("a&lt;b"));
    }

    #[test]
    fn rows_are_evenly_spaced_and_numbered() {
        let svg = chart(Axis::Rows, &[(1.0, 1.0), (2.0, 10.0), (3.0, 100.0)]);
        let middle = (ROOM[0] + WIDTH - ROOM[1]) / 2.0;
        assert!(svg.contains(&format!(r#"<circle cx="{middle:.1}""#)), "{svg}");
        assert!(svg.contains(">2</text>"));
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(!chart(Axis::Percentile, &[]).contains("polyline"));
        assert!(!chart(Axis::Percentile, &[(0.5, 2.0)]).contains("NaN"));
    }

    #[test]
    fn quantities_are_short() {
        assert_eq!([0.5, 20.0, 3_000.0, 128_256.0, 2e6].map(quantity), ["0.5", "20", "3k", "128.256k", "2M"]);
    }
}
