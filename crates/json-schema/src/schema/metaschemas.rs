//! The meta-schemas of the drafts, for schemas that refer to them; read only when one does.
//!
//! The documents beside this file are json-schema.org's own, unchanged; `metaschemas/README.md` names their licence.

/// The meta-schema at a URI without fragment, over http as over https.
pub(super) fn find(uri: &str) -> Option<&'static str> {
    let uri = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
    let path = uri.strip_prefix("json-schema.org/")?;
    DOCUMENTS.iter().find(|(known, _)| *known == path).map(|&(_, text)| text)
}

macro_rules! document {
    ($path:literal, $file:literal) => {
        ($path, include_str!(concat!("metaschemas/", $file, ".json")))
    };
}

const DOCUMENTS: &[(&str, &str)] = &[
    document!("draft-04/schema", "draft4"),
    document!("draft-06/schema", "draft6"),
    document!("draft-07/schema", "draft7"),
    document!("draft/2019-09/schema", "2019-09/schema"),
    document!("draft/2019-09/meta/applicator", "2019-09/applicator"),
    document!("draft/2019-09/meta/content", "2019-09/content"),
    document!("draft/2019-09/meta/core", "2019-09/core"),
    document!("draft/2019-09/meta/format", "2019-09/format"),
    document!("draft/2019-09/meta/meta-data", "2019-09/meta-data"),
    document!("draft/2019-09/meta/validation", "2019-09/validation"),
    document!("draft/2020-12/schema", "2020-12/schema"),
    document!("draft/2020-12/meta/applicator", "2020-12/applicator"),
    document!("draft/2020-12/meta/content", "2020-12/content"),
    document!("draft/2020-12/meta/core", "2020-12/core"),
    document!("draft/2020-12/meta/format-annotation", "2020-12/format-annotation"),
    document!("draft/2020-12/meta/format-assertion", "2020-12/format-assertion"),
    document!("draft/2020-12/meta/meta-data", "2020-12/meta-data"),
    document!("draft/2020-12/meta/unevaluated", "2020-12/unevaluated"),
    document!("draft/2020-12/meta/validation", "2020-12/validation"),
];
