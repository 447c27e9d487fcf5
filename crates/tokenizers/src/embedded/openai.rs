//! OpenAI's encodings, from `tiktoken-rs`.

use super::Embedded;
use crate::{Encoder, TokenizerError, TokenizerErrorKind};
use formwork_vocab::VocabularyBuilder;
use tiktoken_rs::CoreBPE;

/// An encoding of the library. Its errors cannot happen, because what is parsed is compiled in.
macro_rules! encoding {
    ($name:ident, $n_ids:expr, $stops:expr) => {
        Embedded {
            name: stringify!($name),
            tokens: |builder| tokens(builder, &load(stringify!($name), tiktoken_rs::$name())?, $n_ids),
            encoder: || {
                let name = stringify!($name);
                Ok(Encoder::tiktoken(name, load(name, tiktoken_rs::$name())?))
            },
            stops: $stops,
        }
    };
}

/// The encodings, with the number of their ids: the library enumerates neither its ids nor their number.
pub(super) const TABLE: &[Embedded] = &[
    encoding!(o200k_base, 200_019, &["<|endoftext|>"]),
    // gpt-oss ends an answer with the first and a tool call with the second; its generation_config.json has all three.
    encoding!(o200k_harmony, 201_088, &["<|return|>", "<|call|>", "<|endoftext|>"]),
    encoding!(cl100k_base, 100_277, &["<|endoftext|>"]),
    encoding!(p50k_base, 50_281, &["<|endoftext|>"]),
    encoding!(p50k_edit, 50_284, &["<|endoftext|>"]),
    encoding!(r50k_base, 50_257, &["<|endoftext|>"]),
];

fn load<E: std::fmt::Display>(name: &str, bpe: Result<CoreBPE, E>) -> Result<CoreBPE, TokenizerError> {
    bpe.map_err(|error| {
        TokenizerError::new(TokenizerErrorKind::Format, format!("the embedded {name}: {error}"))
    })
}

fn tokens(builder: &mut VocabularyBuilder, bpe: &CoreBPE, n_ids: u32) -> Result<(), TokenizerError> {
    for id in 0..n_ids {
        // An error is a hole. Special tokens come as their names, which the builder drops for what follows.
        if let Ok(bytes) = bpe.decode_bytes(&[id]) {
            builder.token(id, bytes);
        }
    }
    let mut specials: Vec<&str> = bpe.special_tokens().into_iter().collect();
    specials.sort_unstable();
    for special in specials {
        // The library tells a special token's id only by encoding its name.
        let ids = bpe.encode_with_special_tokens(special);
        let [id] = ids[..] else {
            let message = format!("the embedded special token {special:?} has the ids {ids:?}");
            return Err(TokenizerError::new(TokenizerErrorKind::Format, message));
        };
        builder.special(id, special);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::embedded;
    use formwork_vocab::TokenId;

    /// The numbers of ids in the table are the library's: none is a hole at the end, and none is left out.
    #[test]
    fn the_numbers_of_ids_are_those_of_the_library() {
        let loads = [
            ("o200k_base", tiktoken_rs::o200k_base()),
            ("o200k_harmony", tiktoken_rs::o200k_harmony()),
            ("cl100k_base", tiktoken_rs::cl100k_base()),
            ("p50k_base", tiktoken_rs::p50k_base()),
            ("p50k_edit", tiktoken_rs::p50k_edit()),
            ("r50k_base", tiktoken_rs::r50k_base()),
        ];
        for (name, bpe) in loads {
            let (bpe, vocabulary) = (bpe.unwrap(), embedded(name).unwrap());
            for id in 0..1 << 18 {
                let is_known = vocabulary.text(TokenId::new(id)).is_some()
                    || vocabulary.special_name(TokenId::new(id)).is_some();
                assert_eq!(bpe.decode_bytes(&[id]).is_ok(), is_known, "{name} {id}");
            }
        }
    }
}
