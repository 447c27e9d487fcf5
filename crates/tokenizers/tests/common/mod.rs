//! What the tests of several sources share: texts that tokenizers find hard, and the check that ids spell them.

use formwork_tokenizers::{Encoder, Vocabulary};
use formwork_vocab::TokenKind;

/// Texts in NFC, so that a normaliser leaves them alone; each is hard in its own way.
pub(crate) const TEXTS: [&str; 16] = [
    "",
    "Hello, world!",
    "  two spaces, \t tabs\t\tand\n\nlines\r\n",
    r#"{"name": "Ada", "age": 36, "tags": ["a", "b"], "pi": 3.14159e0, "x": null}"#,
    "naïve café, Größe, señor, Ελλάδα, Привет, мир",
    "日本語のテキスト、中文、한국어 텍스트",
    "emoji 😀👩‍👩‍👧‍👦🇺🇳 and \u{10ffff}\u{1}\u{7f}",
    "العربية עברית हिन्दी ไทย",
    "fn main() { println!(\"{}\", 0x1F_u8); }\n    // indented\n",
    "1234567890 3.14 1,000,000 ½ ² Ⅷ",
    "<|endoftext|> <|eot_id|> <eos> </s> [INST]",
    "don't we'll I'M THEY'RE",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\u{feff}BOM, nbsp\u{a0}, zero\u{200b}width, line\u{2028}separator",
    "a\u{0}b\u{0}\u{0}",
    "https://example.org/?q=%20&x=ä#frag",
];

/// The bytes of the text's tokens, all of which must be text tokens.
pub(crate) fn spelled(vocabulary: &Vocabulary, encoder: &Encoder, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for id in encoder.encode(text).unwrap() {
        assert_eq!(vocabulary.kind(id), TokenKind::Text, "{id} in {text:?}");
        bytes.extend_from_slice(vocabulary.text(id).unwrap());
    }
    bytes
}

/// Checks that the tokens of the text spell it.
pub(crate) fn check_spelling(vocabulary: &Vocabulary, encoder: &Encoder, text: &str) {
    let bytes = spelled(vocabulary, encoder, text);
    assert_eq!(bytes, text.as_bytes(), "{text:?} is spelled {:?}", bytes.escape_ascii().to_string());
}
