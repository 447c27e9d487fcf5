//! Which tokens a grammar state allows: local masks, suffix groups, resolving, bitmasks.
#![forbid(unsafe_code)]
