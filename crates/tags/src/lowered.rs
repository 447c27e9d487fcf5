//! A long list of tags as it was lowered last, to go on from where the next document's begins so.
//!
//! What a tag becomes are rules and expressions behind those of the tags before it, so where two documents are the same up to
//! their hundredth tag, so are the grammars that are being built. A copy of the builder as it was behind some tag of a list
//! is therefore what the next document begins with, if its list has the same tags up to there. What stands before the list in
//! the document is lowered as ever and compared with what the copy has of it: some expressions. What stands behind it
//! (separators, triggers, what is asked of the list) is lowered as ever, too.
//!
//! Tools come and go at the end. So the copy is made a sixteenth before it: documents of which each has other tags there
//! can take turns, and lower these. Nor does a list take the copy's place that is longer by no more than that.
//!
//! # Worked example
//! Lowered before: `{…1}`, `{…2}`, …, `{…100}`. Copied was the builder when `{…94}` was done, with `root`, the rule `rest_i` of
//! each tag and what it refers to. Now there is `{…101}` behind them: the builder is the copy, and `{…95}` to `{…101}` are
//! lowered as if 94 tags had been lowered just now.

use crate::cache::{Hashed, SchemaKey};
use crate::format::{Format, Marker, Tag};
use formwork_grammar::{ExprId, GrammarBuilder, HashMap, RuleId};
use formwork_json_schema::Library;
use std::sync::Arc;

/// Fewer tags are lowered again.
pub(crate) const FEW: usize = 32;

/// Before which of so many tags, of which so many are known, a copy is made. `None` if it would not be worth it.
pub(crate) fn keep_before(n_tags: usize, n_known: usize) -> Option<usize> {
    let place = n_tags - n_tags / 16;
    (place > n_known + FEW.max(n_known / 16)).then_some(place)
}

/// What lowering has come to: all that the next tag's rules depend on.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub(crate) b: GrammarBuilder,
    /// What schemas have in common, once one was read.
    pub(crate) library: Option<Option<Library>>,
    /// What schemas have become.
    pub(crate) schemas: HashMap<SchemaKey, ExprId>,
    /// Rules that are the same for the same body, by these.
    pub(crate) rules: HashMap<ExprId, RuleId>,
}

/// Where a list of tags stands, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List {
    pub(crate) reading: Hashed,
    /// Into the format.
    pub(crate) pointer: String,
    /// The rules that were there before it.
    pub(crate) n_rules: usize,
}

/// The tags that a list begins with, and what they have become.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    list: List,
    tags: Box<[Kept]>,
    /// What each tag is from where its begin is cut.
    ways: Box<[ExprId]>,
    after: Progress,
}

/// A tag, and the bytes that its begin is cut by.
#[derive(Clone, Debug)]
struct Kept {
    tag: Tag,
    cut: usize,
}

impl Lowered {
    /// What tags that a list begins with have become. `None` for tags that hold other formats than schemas and text.
    ///
    /// Cost: a copy of the builder.
    pub(crate) fn of(
        list: &List,
        tags: &[Tag],
        cut: impl Fn(usize) -> usize,
        ways: &[ExprId],
        after: impl FnOnce() -> Progress,
    ) -> Option<Self> {
        if !tags.iter().all(|tag| is_written_as(tag, tag)) {
            return None;
        }
        let tags = tags.iter().enumerate().map(|(i, tag)| Kept { tag: tag.clone(), cut: cut(i) }).collect();
        Some(Self { list: list.clone(), tags, ways: ways.into(), after: after() })
    }

    /// How far lowering is behind the tags of this list, and what they are, if `tags` begin with these, and what was made
    /// before them, `before`, is what was made here.
    ///
    /// Cost: comparing the tags, whose schemas are mostly the same memory, and a copy of the builder.
    pub(crate) fn resume(
        &self,
        list: &List,
        tags: &[Tag],
        cut: impl Fn(usize) -> usize,
        before: &GrammarBuilder,
    ) -> Option<(Progress, Vec<ExprId>)> {
        let is_same = self.list == *list
            && tags.len() >= self.tags.len()
            && self
                .tags
                .iter()
                .zip(tags)
                .zip(0..)
                .all(|((kept, tag), i)| kept.cut == cut(i) && is_written_as(&kept.tag, tag))
            && before.is_beginning_of(&self.after.b);
        is_same.then(|| (self.after.clone(), self.ways.to_vec()))
    }
}

/// About how many bytes it would take to keep these tags and what is there behind them.
pub(crate) fn n_bytes(tags: &[Tag], after: &GrammarBuilder) -> usize {
    let text = |marker: &Marker| if let Marker::Text(text) = marker { text.len() } else { 0 };
    let of_tag = |tag: &Tag| {
        let ends: usize = tag.end.iter().map(|end| size_of::<Marker>() + text(end)).sum();
        size_of::<Kept>() + text(&tag.begin) + ends
    };
    tags.iter().map(of_tag).sum::<usize>() + after.n_bytes()
}

/// Whether two tags are written in the same way, so that they become the same. Of such that hold other formats than schemas
/// and text nothing is said: `false`.
fn is_written_as(a: &Tag, b: &Tag) -> bool {
    let is_content_same = match (&a.content, &b.content) {
        // The order of properties means something: texts are compared, not values.
        (Format::JsonSchema(a), Format::JsonSchema(b)) => {
            let (text, other) = (a.schema.shared_text(), b.schema.shared_text());
            (a.style, a.any_order, a.max_whitespace) == (b.style, b.any_order, b.max_whitespace)
                && (Arc::ptr_eq(text, other) || text == other)
        }
        (Format::AnyText(a), Format::AnyText(b)) => a == b,
        _ => false,
    };
    is_content_same && a.begin == b.begin && a.end == b.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cache, Options};
    use std::ops::Range;

    /// Tags with these numbers; some have the same schema, one a text.
    fn tags(numbers: impl IntoIterator<Item = usize>) -> String {
        let tag = |i: usize| {
            let name = ["a", "b", "c"][i % 3];
            let content = match i {
                7 => r#"{"type": "any_text"}"#.to_owned(),
                _ => {
                    let schema = format!(
                        r#"{{"properties": {{"{name}": {{"type": "string"}}, "n": {{"maximum": {}}}}}}}"#,
                        i / 2
                    );
                    let style = if i % 5 == 0 { "qwen_xml" } else { "json" };
                    format!(r#"{{"type": "json_schema", "style": "{style}", "json_schema": {schema}}}"#)
                }
            };
            let end = if i % 4 == 0 { r#"["</t>", "</tool>"]"# } else { r#""</t>""# };
            format!(r#"{{"begin": "<{}{i}>", "content": {content}, "end": {end}}}"#, ["t", "call"][i % 2])
        };
        numbers.into_iter().map(tag).collect::<Vec<_>>().join(", ")
    }

    fn triggered(before: &str, tags: &str, more: &str) -> String {
        let tags =
            format!(r#"{{"type": "triggered_tags", "triggers": ["<t", "<call"], "tags": [{tags}]{more}}}"#);
        format!(
            r#"{{"type": "structural_tag", "format": {{"type": "sequence", "elements": [{before}{tags}]}}}}"#
        )
    }

    fn separated(tags: &str, separator: &str) -> String {
        let format =
            format!(r#"{{"type": "tags_with_separator", "separator": "{separator}", "tags": [{tags}]}}"#);
        format!(r#"{{"type": "structural_tag", "format": {format}}}"#)
    }

    /// The documents one after the other, with a cache and without.
    fn check(documents: &[String]) -> Cache {
        let cache = Cache::default();
        let with = Options::default().cache(&cache);
        for (i, document) in documents.iter().enumerate() {
            let [with, without] =
                [&with, &Options::default()].map(|options| options.grammar(document).expect("a grammar"));
            assert_eq!(with.to_string(), without.to_string(), "document {i}");
            assert_eq!(with, without, "document {i}");
        }
        cache
    }

    fn n_kept(cache: &Cache) -> usize {
        cache.list().map_or(0, |list| list.tags.len())
    }

    #[test]
    fn going_on_is_as_beginning() {
        let many = || tags(0..100);
        let text = r#"{"type": "const_string", "value": "x"}, "#;
        let changed = |range: Range<usize>, i: usize| tags(range.map(|at| if at == i { 1_000 } else { at }));
        let cache = check(&[
            triggered("", &many(), ""),
            triggered("", &tags(0..101), ""),
            triggered("", &tags((0..95).chain(200..207)), ""),
            // What stands behind the list.
            triggered("", &many(), r#", "stop_after_first": true"#),
            triggered("", &many(), r#", "excludes": ["no"]"#),
            // Other tags among those that were kept, and fewer.
            triggered("", &changed(0..101, 50), ""),
            triggered("", &tags(1..101), ""),
            triggered("", &tags(0..90), ""),
        ]);
        assert_eq!(n_kept(&cache), 85);
        let cache = check(&[
            triggered("", &many(), ""),
            // What stands before it, or where it stands.
            triggered(text, &many(), ""),
            triggered(text, &tags(0..101), ""),
            triggered(text, &many(), "").replace(r#""<t", "<call""#, r#""<""#),
            triggered(text, &tags(0..102), ""),
            triggered(&text.replace('x', "y"), &tags(0..101), ""),
            triggered("", &many(), r#", "at_least_one": true"#),
            separated(&many(), "; "),
            separated(&tags(0..103), "; "),
            separated(&tags(0..103), ", "),
            separated(&tags((0..99).chain([103])), ", "),
        ]);
        assert_eq!(n_kept(&cache), 94);
    }

    #[test]
    fn what_was_kept_is_not_lowered_again() {
        let cache = check(&[separated(&tags(0..100), ",")]);
        assert_eq!(n_kept(&cache), 94);
        for numbers in [(0..101).collect::<Vec<_>>(), (0..97).chain(200..203).collect()] {
            // One that knows the list and no schema.
            let other = Cache::default();
            other.keep_list(Lowered::clone(&cache.list().expect("a list")));
            let document = separated(&tags(numbers), ",");
            let grammar = Options::default().cache(&other).grammar(&document).expect("a grammar");
            assert_eq!(grammar, Options::default().grammar(&document).expect("a grammar"));
            assert!((1..8).contains(&other.len()), "{} schemas were read", other.len());
        }
    }

    #[test]
    fn a_small_cache_keeps_no_long_list() {
        let document = separated(&tags(0..100), ",");
        for (max_bytes, n_expected) in [(100_000, 0), (10_000_000, 94)] {
            let cache = Cache::new(max_bytes);
            Options::default().cache(&cache).grammar(&document).expect("a grammar");
            assert_eq!(n_kept(&cache), n_expected, "{max_bytes}");
        }
    }

    #[test]
    fn the_order_of_properties_tells_schemas_apart() {
        let order = |properties: &str| {
            let schema = format!(
                r#"{{"begin": "<t", "content": {{"type": "json_schema", "json_schema": {{"properties": {properties}}}}}, "end": ">"}}, "#
            );
            separated(&(schema + &tags(0..60)), ",")
        };
        check(&[order(r#"{"a": {}, "b": {}}"#), order(r#"{"b": {}, "a": {}}"#)]);
    }
}
