//! The project's own commands, as `cargo xtask NAME`.
fn main() {}
