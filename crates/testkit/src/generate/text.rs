//! Random bytes to try on a grammar.

use crate::{Reference, Rng};

/// Up to `max_len` bytes of an alphabet.
pub fn random_bytes(rng: &mut Rng, alphabet: &[u8], max_len: usize) -> Vec<u8> {
    (0..rng.below(max_len + 1)).filter_map(|_| rng.pick(alphabet).copied()).collect()
}

/// Up to `max_len` bytes that mostly keep to the grammar, since random bytes leave most languages at once.
///
/// Each byte is drawn from those that may come next, or, one time in `stray`, from the whole alphabet; after a stray byte
/// the rest is random.
pub fn random_walk(
    rng: &mut Rng,
    reference: &Reference,
    alphabet: &[u8],
    max_len: usize,
    stray: usize,
) -> Vec<u8> {
    let mut walk = Vec::new();
    while walk.len() < max_len {
        let mut choices: Vec<u8> = Vec::new();
        if !rng.chance(1, stray.max(1)) {
            walk.push(0);
            for &byte in alphabet {
                *walk.last_mut().expect("one was just pushed") = byte;
                if reference.is_viable(&walk) {
                    choices.push(byte);
                }
            }
            walk.pop();
        }
        if let Some(&byte) = rng.pick(&choices) {
            walk.push(byte);
        } else {
            // Either a stray was asked for, or nothing can follow: the end of the language is worth a look behind it.
            let left = max_len - walk.len();
            walk.extend(random_bytes(rng, alphabet, left.min(2)));
            return walk;
        }
    }
    walk
}
