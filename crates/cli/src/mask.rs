//! `formwork mask`: which tokens may come after a text.

use crate::args::MaskArgs;
use crate::blame::Blame;
use crate::colour::Palette;
use crate::deadline::Deadline;
use crate::explain::Rejection;
use crate::pool;
use crate::problem::Problem;
use crate::tokenizer::{self, quoted, shown};
use crate::verdict::{Followed, follow};
use crate::{Failure, Status, written};
use formwork::{MaskError, Matcher, TokenId, Vocabulary, bits};
use serde_json::{Value, json};
use std::io::Write;

pub(crate) fn run(args: &MaskArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = args.grammar.source("")?;
    let loaded = source.load().map_err(|problem| args.grammar.locate(problem))?;
    let vocabulary = tokenizer::vocabulary(&args.tokenizer.name, &args.tokenizer.stop)?;
    let deadline = Deadline::after(args.timeout);
    // One mask is wanted, and no more local masks than it takes.
    let compiler = pool::compiler(vocabulary, args.pool.file.as_deref())?.precompute(0).build();
    let compiled = compiler
        .compile_with(&loaded.grammar, &|| deadline.is_over())
        .map_err(|error| args.grammar.locate(error.into()))?;
    let text = args.text.as_bytes();
    match follow(&compiled, text, Deadline::after(args.timeout)) {
        Followed::Limit(message) => Err(Problem::limit(message).about("--text").into()),
        Followed::Refused { offset, mut matcher } => {
            let head = text.get(..offset).unwrap_or_default();
            let blame = Blame::new(&loaded.grammar, &compiled, head, Deadline::after(args.timeout));
            let rejection = Rejection::new(text, offset, &mut matcher, blame);
            if args.output.is_json() {
                let answer = json!({"compile_error": null, "rejection": rejection.to_json()});
                written(writeln!(out, "{answer}"))?;
            } else {
                let palette = Palette::of_stderr();
                written(writeln!(std::io::stderr(), "--text: {}", rejection.render(palette)))?;
            }
            Ok(Status::Rejected)
        }
        Followed::Whole(mut matcher) => {
            let next = Next::new(&mut matcher, args.first).map_err(|error| match error {
                MaskError::Limit(limit) => Problem::limit(limit.to_string()).about("--text"),
                error => Problem::internal(error.to_string()),
            })?;
            pool::keep(compiler.pool(), args.pool.file.as_deref())?;
            if args.output.is_json() {
                written(writeln!(out, "{}", next.to_json()))?;
            } else {
                written(next.print(out))?;
            }
            Ok(Status::Fine)
        }
    }
}

/// What may come next.
#[derive(Debug)]
struct Next {
    n_allowed: usize,
    /// The number of ids that mean something.
    n_tokens: usize,
    can_finish: bool,
    /// The allowed stop tokens, shown.
    stops: Vec<String>,
    forced: Vec<u8>,
    /// The first allowed tokens.
    first: Vec<TokenId>,
    vocabulary: Vocabulary,
}

impl Next {
    fn new(matcher: &mut Matcher, n_first: usize) -> Result<Self, MaskError> {
        let vocabulary = matcher.compiled().vocabulary().clone();
        let mut mask = vec![0; vocabulary.mask_words()];
        matcher.fill_mask(&mut mask)?;
        let stops = matcher.stop_tokens().iter().filter(|&&id| bits::get(&mask, id));
        Ok(Self {
            n_allowed: bits::count(&mask),
            n_tokens: vocabulary.n_text() + vocabulary.specials().count(),
            can_finish: matcher.can_finish(),
            stops: stops.map(|&id| format!("{id} {}", shown(&vocabulary, id))).collect(),
            forced: matcher.forced_bytes(),
            first: bits::tokens(&mask).take(n_first).collect(),
            vocabulary,
        })
    }

    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "allowed  {} of {} tokens", self.n_allowed, self.n_tokens)?;
        let end = match (self.can_finish, &self.stops[..]) {
            (false, _) => "no".to_owned(),
            (true, []) => "yes, but the tokenizer names no stop token; --stop does".to_owned(),
            (true, stops) => format!("yes, with {}", stops.join(", ")),
        };
        writeln!(out, "may end  {end}")?;
        let forced = if self.forced.is_empty() { "nothing".to_owned() } else { quoted(&self.forced) };
        writeln!(out, "forced   {forced}")?;
        let n_left = self.n_allowed - self.first.len();
        for &id in &self.first {
            writeln!(out, "{:>9} {}", id.get(), shown(&self.vocabulary, id))?;
        }
        if n_left > 0 && !self.first.is_empty() {
            writeln!(out, "          and {n_left} more")?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let first = self.first.iter().map(|&id| match self.vocabulary.text(id) {
            Some(text) => json!({"id": id.get(), "text": String::from_utf8_lossy(text)}),
            None => json!({"id": id.get(), "special": self.vocabulary.special_name(id)}),
        });
        let first: Vec<Value> = first.collect();
        json!({
            "compile_error": null,
            "rejection": null,
            "allowed": self.n_allowed,
            "tokens": self.n_tokens,
            "can_finish": self.can_finish,
            "forced": String::from_utf8_lossy(&self.forced),
            "first": first,
        })
    }
}
