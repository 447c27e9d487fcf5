//! From the text of a schema to a grammar and a report.

use crate::error::Error;
use crate::json::{Forest, ValueId};
use crate::lower::Lowering;
use crate::normal::Normal;
use crate::options::Options;
use crate::report::{Report, ReportEntry};
use crate::schema::Registry;
use formwork_grammar::Grammar;

/// Compiles the schema that `add` puts into the forest.
pub(crate) fn compile(
    options: &Options,
    add: impl FnOnce(&mut Forest) -> Result<ValueId, Error>,
) -> Result<(Grammar, Report), Error> {
    options.check()?;
    let mut registry = Registry::new(options, add)?;
    let root = registry.root();
    let mut normal = Normal::new(options, registry);
    // A root that is no schema is an error before anything else is.
    normal.reader.parse(root)?;
    normal.reader.fates = Default::default();
    let demand = normal.demand(root);
    let lowered = Lowering::new(options, normal).grammar(demand)?;
    let mut report = report(&lowered.normal);
    report.notes.extend(lowered.notes);
    report.finish();
    Ok((lowered.grammar, report))
}

/// The grammar of any value.
pub(crate) fn any(options: &Options) -> Result<Grammar, Error> {
    let registry = Registry::new(options, |forest| forest.read("", "true"))?;
    Lowering::new(options, Normal::new(options, registry)).any()
}

fn report(normal: &Normal<'_>) -> Report {
    let (fates, forest) = (&normal.reader.fates, &normal.reader.registry.forest);
    let entry = |(schema, keyword): &(ValueId, String)| ReportEntry {
        pointer: forest.pointer_to(*schema, keyword),
        what: keyword.clone(),
    };
    let explained = |(schema, keyword, why): &(ValueId, String, &str)| ReportEntry {
        pointer: forest.pointer_to(*schema, keyword),
        what: format!("{keyword} ({why})"),
    };
    Report {
        enforced: fates.enforced.iter().map(entry).collect(),
        relaxed: fates.relaxed.iter().map(entry).collect(),
        ignored: fates.ignored.iter().map(explained).collect(),
        notes: fates.notes.iter().map(explained).collect(),
    }
}
