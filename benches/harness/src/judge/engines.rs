//! Engines by name.

use super::process::Program;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::str::FromStr;

/// A peer's worker, as given on the command line: `NAME=PATH`.
#[derive(Clone, Debug)]
pub struct Peer {
    name: String,
    path: PathBuf,
}

impl FromStr for Peer {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, path) = text.split_once('=').context("a peer is NAME=PATH")?;
        Ok(Self { name: name.to_owned(), path: path.into() })
    }
}

/// An engine that takes part.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// As the user gave it: `NAME` or `NAME:VARIANT`.
    pub name: String,
    /// What stands before the colon.
    pub engine: String,
    /// What stands behind it.
    pub variant: String,
    /// Its worker.
    pub program: Program,
}

impl Contestant {
    /// The engines of these names.
    ///
    /// # Errors
    /// There is no such engine.
    pub fn all(names: &[String], peers: &[Peer]) -> Result<Vec<Self>> {
        names.iter().map(|name| Self::named(name, peers)).collect()
    }

    /// The engine of this name. Formwork's worker is this program itself.
    ///
    /// # Errors
    /// There is no such engine.
    pub fn named(name: &str, peers: &[Peer]) -> Result<Self> {
        let (engine, variant) = name.split_once(':').unwrap_or((name, ""));
        let program = if engine == "formwork" {
            Program { path: std::env::current_exe()?, arguments: vec!["worker".to_owned()] }
        } else {
            let peer = peers.iter().find(|peer| peer.name == engine);
            let peer =
                peer.with_context(|| format!("no worker for `{engine}`; --peer {engine}=PATH names it"))?;
            Program { path: peer.path.clone(), arguments: Vec::new() }
        };
        Ok(Self { name: name.to_owned(), engine: engine.to_owned(), variant: variant.to_owned(), program })
    }
}
