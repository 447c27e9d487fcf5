//! The encodings that come with the crate, from `tiktoken-rs`.

use crate::stops::Stop;
use crate::{Encoder, Options, TokenizerError, TokenizerErrorKind};
use formwork_vocab::Vocabulary;
use tiktoken_rs::CoreBPE;

/// An encoding that comes with the crate.
struct Embedded {
    name: &'static str,
    /// The error type is the library's; here it cannot happen, because what is parsed is compiled in.
    load: fn() -> Result<CoreBPE, String>,
    /// Ids are below this. The library enumerates neither its ids nor their number.
    n_ids: u32,
    stops: &'static [&'static str],
}

const EMBEDDED: [Embedded; 6] = [
    Embedded {
        name: "o200k_base",
        load: || tiktoken_rs::o200k_base().map_err(|error| error.to_string()),
        n_ids: 200_019,
        stops: &["<|endoftext|>"],
    },
    Embedded {
        name: "o200k_harmony",
        load: || tiktoken_rs::o200k_harmony().map_err(|error| error.to_string()),
        n_ids: 201_088,
        // gpt-oss ends an answer with the first and a tool call with the second; its generation_config.json has all three.
        stops: &["<|return|>", "<|call|>", "<|endoftext|>"],
    },
    Embedded {
        name: "cl100k_base",
        load: || tiktoken_rs::cl100k_base().map_err(|error| error.to_string()),
        n_ids: 100_277,
        stops: &["<|endoftext|>"],
    },
    Embedded {
        name: "p50k_base",
        load: || tiktoken_rs::p50k_base().map_err(|error| error.to_string()),
        n_ids: 50_281,
        stops: &["<|endoftext|>"],
    },
    Embedded {
        name: "p50k_edit",
        load: || tiktoken_rs::p50k_edit().map_err(|error| error.to_string()),
        n_ids: 50_284,
        stops: &["<|endoftext|>"],
    },
    Embedded {
        name: "r50k_base",
        load: || tiktoken_rs::r50k_base().map_err(|error| error.to_string()),
        n_ids: 50_257,
        stops: &["<|endoftext|>"],
    },
];

/// The names that [`embedded`] knows.
pub fn embedded_names() -> &'static [&'static str] {
    const NAMES: [&str; EMBEDDED.len()] = {
        let mut names = [""; EMBEDDED.len()];
        let mut idx = 0;
        while idx < names.len() {
            names[idx] = EMBEDDED[idx].name;
            idx += 1;
        }
        names
    };
    &NAMES
}

/// The embedded vocabulary of this name, which stops at `<|endoftext|>`; `o200k_harmony` also stops at `<|return|>` and
/// `<|call|>`, as gpt-oss does.
///
/// Parses some megabytes each time, see the [costs](crate#costs): keep the vocabulary.
///
/// # Errors
/// [`UnknownName`](TokenizerErrorKind::UnknownName), with the [names](embedded_names) that there are.
pub fn embedded(name: &str) -> Result<Vocabulary, TokenizerError> {
    Options::default().embedded(name)
}

/// The encoder of the embedded vocabulary of this name.
///
/// # Errors
/// As [`embedded`].
pub fn embedded_encoder(name: &str) -> Result<Encoder, TokenizerError> {
    let embedded = find(name)?;
    Ok(Encoder::tiktoken(embedded.name, load(embedded)?))
}

impl Options {
    /// As [`embedded`](crate::embedded()), with these options.
    ///
    /// # Errors
    /// As there, and [`UnknownStop`](TokenizerErrorKind::UnknownStop) or
    /// [`Vocabulary`](TokenizerErrorKind::Vocabulary) for options that do not fit it.
    pub fn embedded(&self, name: &str) -> Result<Vocabulary, TokenizerError> {
        let embedded = find(name)?;
        let bpe = load(embedded)?;
        let mut builder = Vocabulary::builder();
        for id in 0..embedded.n_ids {
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
                return Err(malformed(
                    embedded,
                    format!("the special token {special:?} has the ids {ids:?}"),
                ));
            };
            builder.special(id, special);
        }
        builder.origin(format!("tiktoken {name}"));
        let own: Vec<Stop> = embedded.stops.iter().map(|&stop| Stop::Text(stop.into())).collect();
        self.finish(&mut builder, &own)
    }
}

fn find(name: &str) -> Result<&'static Embedded, TokenizerError> {
    static TABLE: [Embedded; EMBEDDED.len()] = EMBEDDED;
    TABLE.iter().find(|embedded| embedded.name == name).ok_or_else(|| {
        let message =
            format!("no embedded tokenizer is called {name:?}; there are {}", embedded_names().join(", "));
        TokenizerError::new(TokenizerErrorKind::UnknownName, message)
    })
}

fn load(embedded: &Embedded) -> Result<CoreBPE, TokenizerError> {
    (embedded.load)().map_err(|error| malformed(embedded, error))
}

fn malformed(embedded: &Embedded, message: String) -> TokenizerError {
    TokenizerError::new(TokenizerErrorKind::Format, format!("the embedded {}: {message}", embedded.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_ids_are_those_of_the_library() {
        for embedded in &EMBEDDED {
            let bpe = load(embedded).unwrap();
            let known = |id: u32| bpe.decode_bytes(&[id]).is_ok();
            assert!(known(embedded.n_ids - 1), "{}", embedded.name);
            assert!(!(embedded.n_ids..1 << 20).any(known), "{}", embedded.name);
        }
    }
}
