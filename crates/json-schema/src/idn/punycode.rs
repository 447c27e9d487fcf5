//! Punycode (RFC 3492): characters beyond ASCII as letters and digits.
//!
//! The ASCII characters come first, then a hyphen, then for every other character, in the order of code points, how far
//! the decoder's state moves: a state is a code point and a place in the label, counted through all places of one code
//! point before the next. The numbers are written with digits to base 36, the least significant first, with thresholds
//! that adapt to the size of the numbers before.

const BASE: u64 = 36;
const FIRST_BIAS: u64 = 72;
const FIRST_CODE: u64 = 0x80;
/// Longer inputs are no labels.
const MAX_LENGTH: usize = 256;

/// The threshold of the digit at a place.
fn threshold(place: u64, bias: u64) -> u64 {
    (BASE * (place + 1)).saturating_sub(bias).clamp(1, 26)
}

/// The bias after a number.
fn adapt(delta: u64, n_characters: u64, is_first: bool) -> u64 {
    let mut delta = if is_first { delta / 700 } else { delta / 2 };
    delta += delta / n_characters;
    let mut bias = 0;
    while delta > 455 {
        delta /= 35;
        bias += BASE;
    }
    bias + 36 * delta / (delta + 38)
}

/// The Punycode of a label; `None` if the label is too long to be one.
pub(super) fn encode(label: &[char]) -> Option<String> {
    if label.len() > MAX_LENGTH {
        return None;
    }
    let mut out: String = label.iter().filter(|c| c.is_ascii()).collect();
    let mut n_done = out.len() as u64;
    if n_done > 0 {
        out.push('-');
    }
    let mut rest: Vec<u64> =
        label.iter().filter(|c| !c.is_ascii()).map(|&c| u64::from(u32::from(c))).collect();
    rest.sort_unstable();
    rest.dedup();
    let (mut code, mut delta, mut bias) = (FIRST_CODE, 0, FIRST_BIAS);
    let n_ascii = n_done;
    for next in rest {
        delta += (next - code) * (n_done + 1);
        code = next;
        for c in label.iter().map(|&c| u64::from(u32::from(c))) {
            delta += u64::from(c < code);
            if c != code {
                continue;
            }
            let mut number = delta;
            for place in 0.. {
                let threshold = threshold(place, bias);
                if number < threshold {
                    out.push(digit(number));
                    break;
                }
                out.push(digit(threshold + (number - threshold) % (BASE - threshold)));
                number = (number - threshold) / (BASE - threshold);
            }
            bias = adapt(delta, n_done + 1, n_done == n_ascii);
            delta = 0;
            n_done += 1;
        }
        delta += 1;
        code += 1;
    }
    Some(out)
}

fn digit(value: u64) -> char {
    char::from(if value < 26 { b'a' + value as u8 } else { b'0' + (value as u8 - 26) })
}

/// The label that is written so; `None` if none is.
pub(super) fn decode(text: &str) -> Option<Vec<char>> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let (ascii, digits) = text.rsplit_once('-').unwrap_or(("", text));
    let mut label: Vec<char> = ascii.chars().collect();
    let (mut code, mut at, mut bias) = (FIRST_CODE, 0u64, FIRST_BIAS);
    let mut digits = digits.bytes().peekable();
    while digits.peek().is_some() {
        let (before, mut weight) = (at, 1u64);
        for place in 0.. {
            let value = match digits.next()? {
                letter @ b'a'..=b'z' => letter - b'a',
                letter @ b'A'..=b'Z' => letter - b'A',
                digit @ b'0'..=b'9' => digit - b'0' + 26,
                _ => return None,
            };
            at = at.checked_add(u64::from(value).checked_mul(weight)?)?;
            let threshold = threshold(place, bias);
            if u64::from(value) < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
        }
        let n_characters = label.len() as u64 + 1;
        bias =
            adapt(at - before, n_characters, before == 0 && code == FIRST_CODE && label.len() == ascii.len());
        code = code.checked_add(at / n_characters)?;
        at %= n_characters;
        label.insert(usize::try_from(at).ok()?, char::from_u32(u32::try_from(code).ok()?)?);
        at += 1;
    }
    Some(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn samples_of_the_standard() {
        // RFC 3492, section 7.1: Arabic, Chinese, Czech, Hebrew, Vietnamese, and names with ASCII.
        for (label, code) in [
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
            ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
            ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
            ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
            ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
            ("bücher", "bcher-kva"),
        ] {
            let characters: Vec<char> = label.chars().collect();
            assert_eq!(encode(&characters).as_deref(), Some(code));
            assert_eq!(decode(code), Some(characters));
        }
        for wrong in ["X", "99999999", "a-é", "-9uc"] {
            assert_eq!(
                decode(wrong).filter(|label| encode(label).as_deref() == Some(wrong)),
                None,
                "{wrong}"
            );
        }
    }

    /// The most octets of an A-label whose U-label has so many ASCII characters and so many others, these up to `last`.
    ///
    /// The numbers add up to a walk through all code points and places, so that what they have together is bounded. For
    /// each bias and each number of digits so far, the shortest such walk is kept.
    fn longest(n_ascii: u64, n_others: u64, last: u64) -> u64 {
        let mut walks: BTreeMap<(u64, u64), u64> = BTreeMap::from([((FIRST_BIAS, 0), 0)]);
        for i in 0..n_others {
            let n_before = n_ascii + i;
            let mut next: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            let mut steps: BTreeMap<u64, Vec<(u64, u64, u64)>> = BTreeMap::new();
            for (&(bias, n_digits), &walked) in &walks {
                let steps = steps.entry(bias).or_insert_with(|| {
                    // Digits, bias and code points of the least number for each bias that numbers of so many digits lead to.
                    let (mut steps, mut least, mut weight) = (Vec::new(), 0, 1);
                    for place in 0..8 {
                        let t = threshold(place, bias);
                        let end = (least + weight * t).min((last - FIRST_CODE + 1) * (n_before + 1));
                        let bias_of = |delta| adapt(delta, n_before + 1, i == 0);
                        while least < end {
                            let bias = bias_of(least);
                            let climb = least.saturating_sub(n_before).div_ceil(n_before + 1);
                            steps.push((place + 1, bias, climb));
                            let (mut low, mut high) = (least, end);
                            while high - low > 1 {
                                let middle = low + (high - low) / 2;
                                if bias_of(middle) == bias { low = middle } else { high = middle }
                            }
                            least = high;
                        }
                        weight *= BASE - t;
                    }
                    steps
                });
                for &(n_more, bias, climb) in steps.iter() {
                    if walked + climb <= last - FIRST_CODE {
                        let walk = next.entry((bias, n_digits + n_more)).or_insert(u64::MAX);
                        *walk = (*walk).min(walked + climb);
                    }
                }
            }
            walks = next;
        }
        let n_digits = walks.keys().map(|&(_, n)| n).max().unwrap_or(0);
        4 + n_ascii + u64::from(n_ascii > 0) + n_digits
    }

    /// What `lower/idn_hostname.rs` relies on: labels of its kinds have at most 62 octets as A-labels, so that four of them
    /// and three dots have at most 253 (251, to be exact).
    #[test]
    fn short_labels_are_short_as_a_labels() {
        let longest_of = |n: u64, most_others: u64, last: u64| {
            (1..=most_others.min(n)).map(|others| longest(n - others, others, last)).max()
        };
        assert_eq!(longest_of(13, 13, 0x3_FFFF), Some(61));
        assert_eq!(longest_of(19, 19, 0x7FF), Some(60));
        assert_eq!(longest_of(45, 4, 0x7FF), Some(62));
        // The bound is one: labels at random are below it, and some near it.
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let mut most = 0;
        let mut bounds: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for _ in 0..20_000 {
            let last = [0x7FF, 0xFFFF, 0x3_FFFF][random(3) as usize];
            let label: Vec<char> = (0..8)
                .map(|_| if random(3) == 0 { 0x61 } else { 0x80 + random(last - 0x80) })
                .map(|c| char::from_u32(c as u32).unwrap_or('a'))
                .collect();
            let n_ascii = label.iter().filter(|c| c.is_ascii()).count() as u64;
            let length = 4 + encode(&label).expect("short").len() as u64;
            let bound = *bounds.entry((n_ascii, last)).or_insert_with(|| longest(n_ascii, 8 - n_ascii, last));
            assert!(length <= bound, "{label:?}");
            most = most.max(100 * length / bound);
        }
        assert!(most >= 90, "{most}");
    }
}
