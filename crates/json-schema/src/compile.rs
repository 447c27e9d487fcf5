//! From the text of a schema to a grammar and a report.

use crate::error::Error;
use crate::json::{Forest, ValueId};
use crate::lower::{Lowered, Lowering};
use crate::normal::{FormulaId, Normal};
use crate::options::Options;
use crate::report::{Report, ReportEntry};
use crate::schema::{Ignored, Registry};
use formwork_grammar::{Grammar, Library, Part};

/// Compiles the schema that `add` puts into the forest.
pub(crate) fn compile<'o>(
    options: &'o Options,
    add: impl FnOnce(&mut Forest) -> Result<ValueId, Error>,
) -> Result<Lowered<'o>, Error> {
    let (normal, demand) = normal(options, add)?;
    Lowering::new(options, normal, None).grammar(demand)
}

/// The same as a part of other grammars.
pub(crate) fn part(
    options: &Options,
    library: Option<&crate::Library>,
    add: impl FnOnce(&mut Forest) -> Result<ValueId, Error>,
) -> Result<Part, Error> {
    let (normal, demand) = normal(options, add)?;
    let library = library.and_then(|library| library.of(options));
    Lowering::new(options, normal, library).part(demand)
}

fn normal<'o>(
    options: &'o Options,
    add: impl FnOnce(&mut Forest) -> Result<ValueId, Error>,
) -> Result<(Box<Normal<'o>>, FormulaId), Error> {
    options.check()?;
    let mut registry = Registry::new(options, add)?;
    let root = registry.root();
    let mut normal = Box::new(Normal::new(options, registry));
    let demand = normal.demand(root);
    Ok((normal, demand))
}

/// The grammar of any value.
pub(crate) fn any(options: &Options) -> Result<Grammar, Error> {
    let (normal, _) = normal(options, |forest| forest.read("", "true"))?;
    Lowering::new(options, normal, None).any()
}

/// What the grammars of schemas have in common.
pub(crate) fn library(options: &Options) -> Option<Library> {
    let (normal, _) = normal(options, |forest| forest.read("", "true")).ok()?;
    Lowering::new(options, normal, None).library()
}

/// What became of each keyword.
pub(crate) fn report(lowered: Lowered<'_>) -> Report {
    let (fates, forest) = (&lowered.normal.reader.fates, &lowered.normal.reader.registry.forest);
    let entry = |&(schema, keyword): &(ValueId, &str)| ReportEntry {
        pointer: forest.pointer_to(schema, keyword),
        what: keyword.to_owned(),
    };
    let explained = |schema: ValueId, keyword: &str, why: &str| ReportEntry {
        pointer: forest.pointer_to(schema, keyword),
        what: format!("{keyword} ({why})"),
    };
    let ignored = fates.ignored.iter().map(|&(schema, ignored, why)| match ignored {
        Ignored::Known(keyword) => explained(schema, keyword, why),
        Ignored::Unknown(key) => explained(schema, forest.string(key), why),
    });
    let notes = fates.notes.iter().map(|&(schema, keyword, why)| explained(schema, keyword, why));
    let mut report = Report {
        enforced: fates.enforced.iter().map(entry).collect(),
        relaxed: fates.relaxed.iter().map(entry).collect(),
        ignored: ignored.collect(),
        notes: notes.chain(lowered.notes).collect(),
        n_steps: lowered.normal.formulas.n_steps(),
    };
    report.finish();
    report
}
