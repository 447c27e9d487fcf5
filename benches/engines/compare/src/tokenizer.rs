//! One tokenizer for both engines.

use anyhow::{Context, Result, ensure};
use formwork::tokenizers::Encoder;
use formwork::{TokenId, TokenKind, Vocabulary};
use std::path::Path;
use std::sync::Arc;
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenizerEnv};
use toktrie_hf_tokenizers::ByteTokenizer;

/// A tokenizer as each engine wants it.
pub(crate) struct Tokenizer {
    pub(crate) name: String,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) environment: TokEnv,
}

impl Tokenizer {
    /// A `tokenizer.json`, or an embedded encoding's name.
    pub(crate) fn load(given: &str) -> Result<Self> {
        let path = Path::new(given);
        let tokenizer = if path.is_file() { Self::file(path)? } else { Self::embedded(given)? };
        tokenizer.check()?;
        Ok(tokenizer)
    }

    fn file(path: &Path) -> Result<Self> {
        let vocabulary = formwork::tokenizers::from_hf_json(path)?;
        let mut peer = ByteTokenizer::from_file(path)?;
        let stops: Vec<u32> = vocabulary.stop_tokens().iter().map(|stop| stop.get()).collect();
        ensure!(!stops.is_empty(), "no stop token is known for {}", path.display());
        peer.set_eos_tokens(&stops);
        let environment = peer.into_tok_env(Some(vocabulary.width()))?;
        // Every model calls its file the same, so the folder says which one it is.
        let folder = path.parent().and_then(Path::file_name);
        let name = folder.map_or_else(|| given_name(path), |folder| folder.to_string_lossy().into_owned());
        Ok(Self { name, vocabulary, environment })
    }

    fn embedded(name: &str) -> Result<Self> {
        let vocabulary = formwork::tokenizers::embedded(name)
            .with_context(|| format!("`{name}` is neither a file nor an embedded tokenizer"))?;
        let encoder = formwork::tokenizers::embedded_encoder(name)?;
        let words: Vec<Vec<u8>> = (0..vocabulary.width()).map(|id| word(&vocabulary, id)).collect();
        let stops: Vec<u32> = vocabulary.stop_tokens().iter().map(|stop| stop.get()).collect();
        let first = *stops.first().with_context(|| format!("`{name}` has no stop token"))?;
        let trie = TokTrie::from(&TokRxInfo::new(words.len() as u32, first), &words).with_eos_tokens(&stops);
        let environment: TokEnv = Arc::new(Embedded { trie, encoder });
        Ok(Self { name: name.to_owned(), vocabulary, environment })
    }

    /// The document's tokens, as the tokenizer itself splits it.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let tokens = self.environment.tokenize(text);
        let bytes = self.environment.tok_trie().decode_raw(&tokens);
        ensure!(bytes == text.as_bytes(), "the tokens of a document do not spell it");
        Ok(tokens)
    }

    /// The same tokenizer, which llguidance does not force tokens with; see [`Unforced`].
    pub(crate) fn unforced(&self) -> TokEnv {
        Arc::new(Unforced(Arc::clone(&self.environment)))
    }

    /// Whether both engines see the same words.
    fn check(&self) -> Result<()> {
        let trie = self.environment.tok_trie();
        ensure!(trie.vocab_size() == self.vocabulary.width(), "the engines see different widths");
        for id in 0..trie.vocab_size() {
            if let Some(text) = self.vocabulary.text(token_id(id)) {
                let peer = trie.token(id as u32);
                ensure!(text == peer, "token {id} is {text:?} for Formwork and {peer:?} for llguidance");
            }
        }
        Ok(())
    }
}

fn given_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn token_id(id: usize) -> TokenId {
    TokenId::new(id as u32)
}

/// Special tokens are marked so that text never matches them; so are holes, which have no text at all.
fn word(vocabulary: &Vocabulary, id: usize) -> Vec<u8> {
    let token = token_id(id);
    match (vocabulary.kind(token), vocabulary.text(token), vocabulary.special_name(token)) {
        (TokenKind::Text, Some(text), _) => text.to_vec(),
        (_, _, Some(name)) => marked(name),
        _ => marked(&format!("<[{id}]>")),
    }
}

fn marked(name: &str) -> Vec<u8> {
    let mut word = vec![TokTrie::SPECIAL_TOKEN_MARKER];
    word.extend_from_slice(name.as_bytes());
    word
}

/// An embedded encoding for llguidance.
struct Embedded {
    trie: TokTrie,
    encoder: Encoder,
}

impl TokenizerEnv for Embedded {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, text: &[u8]) -> Vec<u32> {
        self.trie.tokenize_with_greedy_fallback(text, |text| match self.encoder.encode(text) {
            Ok(tokens) => tokens.into_iter().map(TokenId::get).collect(),
            Err(_) => self.trie.greedy_tokenize(text.as_bytes()),
        })
    }
}

/// A tokenizer that says it is not canonical.
///
/// Where the grammar forces bytes, llguidance answers with the one token that the tokenizer would use, and so forbids
/// other spellings of the same text. That is a choice, not a difference about the language, so masks are compared
/// without it; times are measured with it.
struct Unforced(TokEnv);

impl TokenizerEnv for Unforced {
    fn tok_trie(&self) -> &TokTrie {
        self.0.tok_trie()
    }

    fn tokenize_bytes(&self, text: &[u8]) -> Vec<u32> {
        self.0.tokenize_bytes(text)
    }

    fn tokenize_is_canonical(&self) -> bool {
        false
    }
}
