//! The encodings that come with the crate.
//!
//! `openai` are those of `tiktoken-rs`, `models` those of other models, from `tiktoken`; each is a table, and this module
//! looks things up in both.

#[cfg(feature = "models")]
mod models;
#[cfg(feature = "tiktoken")]
mod openai;

use crate::stops::Stop;
use crate::{Encoder, Options, TokenizerError, TokenizerErrorKind};
use formwork_vocab::{Vocabulary, VocabularyBuilder};
use std::sync::LazyLock;

/// An encoding that comes with the crate.
struct Embedded {
    name: &'static str,
    /// Adds its tokens.
    tokens: fn(&mut VocabularyBuilder) -> Result<(), TokenizerError>,
    encoder: fn() -> Result<Encoder, TokenizerError>,
    stops: &'static [&'static str],
}

/// The tables, one after the other.
fn all() -> impl Iterator<Item = &'static Embedded> {
    let tables: &[&[Embedded]] = &[
        #[cfg(feature = "tiktoken")]
        openai::TABLE,
        #[cfg(feature = "models")]
        models::TABLE,
    ];
    tables.iter().copied().flatten()
}

/// The names that [`embedded`] knows; which these are is a question of [features](crate#features-and-dependencies).
pub fn embedded_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| all().map(|embedded| embedded.name).collect());
    &NAMES
}

/// The embedded vocabulary of this name.
///
/// OpenAI's stop at `<|endoftext|>`, and `o200k_harmony` also at `<|return|>` and `<|call|>`, as gpt-oss does. The others stop
/// where the models that follow instructions do. The width is the number of ids; models that pad their logits need
/// [`Options::width`].
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
    (find(name)?.encoder)()
}

impl Options {
    /// As [`embedded`](crate::embedded()), with these options.
    ///
    /// # Errors
    /// As there, and [`UnknownStop`](TokenizerErrorKind::UnknownStop) or
    /// [`Vocabulary`](TokenizerErrorKind::Vocabulary) for options that do not fit it.
    pub fn embedded(&self, name: &str) -> Result<Vocabulary, TokenizerError> {
        let embedded = find(name)?;
        let mut builder = Vocabulary::builder();
        builder.origin(format!("embedded {name}"));
        (embedded.tokens)(&mut builder)?;
        let own: Vec<Stop> = embedded.stops.iter().map(|&stop| Stop::Text(stop.into())).collect();
        self.finish(&mut builder, &own)
    }
}

fn find(name: &str) -> Result<&'static Embedded, TokenizerError> {
    all().find(|embedded| embedded.name == name).ok_or_else(|| {
        let message =
            format!("no embedded tokenizer is called {name:?}; there are {}", embedded_names().join(", "));
        TokenizerError::new(TokenizerErrorKind::UnknownName, message)
    })
}
