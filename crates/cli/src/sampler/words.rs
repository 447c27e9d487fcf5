//! What the writer's documents are about.

/// Words without meaning for anybody.
pub(super) const WORDS: &[&str] = &[
    "amber", "anchor", "apple", "april", "arrow", "atlas", "autumn", "azure", "basil", "beacon", "birch",
    "blue", "breeze", "bridge", "bright", "brook", "cabin", "candle", "canyon", "cedar", "cherry", "clear",
    "cliff", "clover", "coast", "copper", "coral", "corner", "cotton", "creek", "crisp", "dawn", "delta",
    "desert", "drift", "dune", "early", "east", "echo", "elm", "ember", "falcon", "fern", "field", "fine",
    "flint", "forest", "frost", "garden", "ginger", "glass", "gold", "grain", "granite", "green", "harbor",
    "hazel", "heron", "hill", "honey", "indigo", "iron", "island", "ivory", "jade", "juniper", "lake",
    "lantern", "late", "laurel", "lemon", "light", "lime", "linen", "little", "maple", "marble", "march",
    "meadow", "mint", "mist", "moss", "north", "oak", "ocean", "olive", "orange", "orchard", "otter",
    "paper", "pearl", "pepper", "pine", "plain", "plum", "pond", "quartz", "quiet", "rain", "raven", "reed",
    "ridge", "river", "robin", "rose", "saffron", "sage", "salt", "sand", "shore", "silver", "sky", "slate",
    "small", "snow", "soft", "south", "spring", "spruce", "star", "stone", "storm", "summer", "swift",
    "thyme", "tide", "timber", "valley", "velvet", "violet", "warm", "water", "west", "wheat", "willow",
    "wind", "winter", "wood", "wren", "young",
];

/// Text beyond the ordinary that strings must be able to hold.
pub(super) const EXOTIC: &[&str] = &["é", "ü", "ñ", "ß", "Ω", "я", "日本", "한", "€", "→", "🙂", "∑"];

/// Escapes of JSON strings.
pub(super) const ESCAPES: &[&str] = &["\\n", "\\\"", "\\\\", "\\/", "\\t", "\\u00e9", "\\ud83d\\ude00"];
