//! The `formwork` command line.
fn main() {}
