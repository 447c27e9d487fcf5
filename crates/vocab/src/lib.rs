//! Tokenizer vocabularies as the Formwork engine needs them: token bytes, specials, stop tokens, a flat byte trie.
#![forbid(unsafe_code)]
