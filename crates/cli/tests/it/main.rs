//! Tests that run the program, and the sampler as a library, over the examples of the repository.

mod check;
mod convert;
mod dump;
mod examples;
mod generate;
mod help;
mod jsonl;
mod mask;
mod pool;
mod program;
mod tags;
mod tools;
mod vocab;
