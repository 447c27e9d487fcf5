//! Tests that run the program, and the sampler as a library, over the examples of the repository.

mod check;
mod examples;
mod generate;
mod help;
mod jsonl;
mod program;
