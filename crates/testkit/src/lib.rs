//! Reference recogniser, brute-force masks, generators and oracles (unpublished).
#![forbid(unsafe_code)]
