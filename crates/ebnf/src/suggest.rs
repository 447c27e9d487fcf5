//! "Did you mean …?"

/// Finds names that were probably meant, as long as the effort stays small.
pub(crate) struct Suggester<'a> {
    names: Vec<&'a str>,
    /// Steps that may still be spent, so that many wrong names among many rules stay cheap.
    budget: usize,
}

impl<'a> Suggester<'a> {
    pub(crate) fn new(names: Vec<&'a str>) -> Self {
        Self { names, budget: 20_000_000 }
    }

    /// The name closest to `wrong`, if it is close: a third of its characters may differ, and three at most.
    pub(crate) fn closest(&mut self, wrong: &str) -> Option<&'a str> {
        let wrong: Vec<char> = wrong.chars().take(65).collect();
        let max = (wrong.len() / 3).clamp(1, 3);
        if wrong.len() > 64 {
            return None;
        }
        let mut best: Option<(usize, &'a str)> = None;
        for &name in &self.names {
            self.budget = self.budget.checked_sub(1)?;
            if name.len().abs_diff(wrong.len()) > 4 * max {
                continue;
            }
            let candidate: Vec<char> = name.chars().collect();
            if candidate.len().abs_diff(wrong.len()) > max {
                continue;
            }
            self.budget = self.budget.checked_sub(wrong.len() * candidate.len())?;
            let distance = distance(&wrong, &candidate);
            if distance <= max && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, name));
            }
        }
        best.map(|(_, name)| name)
    }
}

/// How many characters must be put in, left out, replaced or swapped with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let (mut two_ago, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i];
        for k in 1..=b.len() {
            let replaced = last[k - 1] + usize::from(a[i - 1] != b[k - 1]);
            let mut least = replaced.min(last[k] + 1).min(row[k - 1] + 1);
            if i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] {
                least = least.min(two_ago[k - 2] + 1);
            }
            row.push(least);
        }
        two_ago = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
