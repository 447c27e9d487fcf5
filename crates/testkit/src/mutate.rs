//! Changes inputs a little, for fuzzing without a fuzzer.
//!
//! libFuzzer chooses changes by the coverage that they gain; this knows of none and only tries many, so that something
//! of the kind runs wherever plain `cargo` does. For the real thing see `fuzz/README.md`.

use crate::Rng;

/// The most changes made to one input.
const MAX_CHANGES: usize = 4;

/// One of `inputs` after one to four changes; at most `max_len` bytes. Empty if there are no inputs.
pub fn mutate(rng: &mut Rng, inputs: &[Vec<u8>], max_len: usize) -> Vec<u8> {
    let mut bytes = rng.pick(inputs).cloned().unwrap_or_default();
    for _ in 0..rng.between(1, MAX_CHANGES) {
        change(rng, &mut bytes, inputs);
    }
    bytes.truncate(max_len);
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, inputs: &[Vec<u8>]) {
    let at = rng.below(bytes.len() + 1);
    let end = (at + rng.between(1, 16)).min(bytes.len());
    match rng.below(7) {
        0 => bytes.insert(at, any_byte(rng)),
        1 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << rng.below(8)),
        2 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte = any_byte(rng)),
        3 => drop(bytes.drain(at..end)),
        // A piece again, here or elsewhere: nesting and repetition.
        4 => {
            let piece = bytes[at..end].to_vec();
            let to = rng.below(bytes.len() + 1);
            for _ in 0..rng.between(1, 8) {
                bytes.splice(to..to, piece.iter().copied());
            }
        }
        // A number, since counts and bounds are where things grow.
        5 => {
            let number = 10_usize.saturating_pow(rng.below(20) as u32) - rng.below(2);
            bytes.splice(at..at, number.to_string().into_bytes());
        }
        // The rest of another input.
        _ => {
            let other = rng.pick(inputs).map_or(&[][..], Vec::as_slice);
            let from = rng.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

/// Printable ASCII more often than not: the frontends read texts.
fn any_byte(rng: &mut Rng) -> u8 {
    let (low, high) = if rng.chance(3, 4) { (0x20, 0x7E) } else { (0, 0xFF) };
    // Both bounds are bytes.
    rng.between(low, high) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_repeat_and_are_bounded_and_are_changes() {
        let inputs = [b"root ::= \"a\"{2,3}".to_vec(), Vec::new(), b"x".to_vec()];
        let all = |seed| {
            let mut rng = Rng::seeded(seed);
            (0..500).map(|_| mutate(&mut rng, &inputs, 40)).collect::<Vec<_>>()
        };
        let mutants = all(3);
        assert_eq!(mutants, all(3));
        assert!(mutants.iter().all(|mutant| mutant.len() <= 40));
        let different = mutants.iter().filter(|mutant| !inputs.contains(mutant)).count();
        assert!(different > 300, "only {different} of 500 differ from what they were made of");
        assert!(mutate(&mut Rng::seeded(1), &[], 0).is_empty());
    }
}
