//! The encodings of other models: their text from the crate `tiktoken`, their special and added tokens from here.
//!
//! That crate has the text of each token byte for byte as the models' own files do (a test compares them where those are
//! there), but of the special tokens only some, and it does not tell them from added text such as Qwen's `<tool_call>`.

use super::Embedded;
use crate::tekken::OLD_SPECIALS as TEKKEN;
use crate::{Encoder, TokenizerError};
use formwork_vocab::VocabularyBuilder;
use std::ops::Range;
use tiktoken::CoreBpe;

pub(super) const TABLE: &[Embedded] = &[
    Embedded {
        name: "llama3",
        tokens: |builder| {
            text(builder, &tiktoken::encoding::llama3(), 0..128_000);
            let mut reserved = (0..).map(|i| format!("<|reserved_special_token_{i}|>"));
            for id in 128_000..128_256 {
                let named =
                    LLAMA_3.iter().find(|(named, _)| *named == id).map(|(_, name)| (*name).to_owned());
                if let Some(name) = named.or_else(|| reserved.next()) {
                    builder.special(id, name);
                }
            }
            Ok(())
        },
        encoder: || Ok(Encoder::model("llama3", tiktoken::encoding::llama3())),
        stops: &["<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"],
    },
    Embedded {
        name: "qwen2_5",
        tokens: |builder| qwen(builder, &QWEN_ADDED[..8]),
        encoder: || Ok(Encoder::model("qwen2_5", tiktoken::encoding::qwen2())),
        stops: &["<|endoftext|>", "<|im_end|>"],
    },
    Embedded {
        name: "qwen3",
        tokens: |builder| qwen(builder, &QWEN_ADDED),
        encoder: || Ok(Encoder::model("qwen3", tiktoken::encoding::qwen2())),
        stops: &["<|endoftext|>", "<|im_end|>"],
    },
    Embedded {
        name: "deepseek_v3",
        tokens: |builder| {
            text(builder, &tiktoken::encoding::deepseek_v3(), 3..128_000);
            special(builder, 0, &["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"]);
            for i in 0..800u32 {
                builder.special(128_000 + i, format!("<｜place▁holder▁no▁{i}｜>"));
            }
            for (id, name) in (128_800u32..).zip(DEEPSEEK_V3_ADDED) {
                builder.token(id, name);
            }
            builder.special(128_805u32, "<|EOT|>");
            Ok(())
        },
        encoder: || Ok(Encoder::model("deepseek_v3", tiktoken::encoding::deepseek_v3())),
        stops: &["<｜end▁of▁sentence｜>"],
    },
    Embedded {
        name: "tekken",
        tokens: |builder| {
            text(builder, &tiktoken::encoding::mistral_v3(), 1_000..131_072);
            special(builder, 0, &TEKKEN);
            for id in 20..1_000u32 {
                builder.special(id, format!("<SPECIAL_{id}>"));
            }
            Ok(())
        },
        encoder: || Ok(Encoder::model("tekken", tiktoken::encoding::mistral_v3())),
        stops: &["</s>"],
    },
];

/// Those of Llama 3.1 to 3.3 that are not reserved.
const LLAMA_3: [(u32, &str); 8] = [
    (128_000, "<|begin_of_text|>"),
    (128_001, "<|end_of_text|>"),
    (128_004, "<|finetune_right_pad_id|>"),
    (128_006, "<|start_header_id|>"),
    (128_007, "<|end_header_id|>"),
    (128_008, "<|eom_id|>"),
    (128_009, "<|eot_id|>"),
    (128_010, "<|python_tag|>"),
];

/// From 151,643 on.
const QWEN_SPECIAL: [&str; 14] = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
];

/// From 151,657 on, all text; Qwen 2.5 has the first eight.
const QWEN_ADDED: [&str; 12] = [
    "<tool_call>",
    "</tool_call>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
];

/// From 128,800 on, all text but `<|EOT|>`.
const DEEPSEEK_V3_ADDED: [&str; 15] = [
    "<｜fim▁hole｜>",
    "<｜fim▁begin｜>",
    "<｜fim▁end｜>",
    "<｜User｜>",
    "<｜Assistant｜>",
    "<|EOT|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>",
    "<｜tool▁output▁end｜>",
    "<｜tool▁sep｜>",
];

/// The tokens of these ids, as the library spells them; it answers with nothing for those that it does not have.
fn text(builder: &mut VocabularyBuilder, bpe: &CoreBpe, ids: Range<u32>) {
    for id in ids {
        let bytes = bpe.decode(&[id]);
        if !bytes.is_empty() {
            builder.token(id, bytes);
        }
    }
}

fn special(builder: &mut VocabularyBuilder, first: u32, names: &[&str]) {
    for (id, name) in (first..).zip(names) {
        builder.special(id, *name);
    }
}

fn qwen(builder: &mut VocabularyBuilder, added: &[&str]) -> Result<(), TokenizerError> {
    text(builder, &tiktoken::encoding::qwen2(), 0..151_643);
    special(builder, 151_643, &QWEN_SPECIAL);
    for (id, name) in (151_657u32..).zip(added) {
        builder.token(id, name);
    }
    Ok(())
}
