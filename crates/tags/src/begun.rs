//! What a document begins with as the one before it did.
//!
//! A tool more is a tag more, at the end of a list that is otherwise as it was. Finding where each of a thousand tags ends
//! is a pass over all of the text, a fifth of what such a document costs; seeing that it begins as the last one did is
//! reading it as memory. A reader that has read the same bytes is in the same place, so the tags that were found there are the
//! tags that are there now, and what is left to be read is the document without them.
//!
//! # Worked example
//! Read before: `{"tags": [{…1}, {…2}, {…3}]}`; now: `{"tags": [{…1}, {…2}, {…3}, {…4}]}`. In common is all up to the third
//! tag's end, but not what stands behind that, so two tags are known. Of these the first stays, to say which list it is; read
//! is `{"tags": [{…1}, {…3}, {…4}]}`, and behind the first tag of the list found there comes the second.

use crate::node::{Document, Node, Unread};
use std::ops::Range;
use std::sync::Arc;

/// Fewer tags are read again.
const FEW: usize = 8;
/// Bytes that are compared at once.
const CHUNK: usize = 4 << 10;

/// A document that was read: its text, and where the tags of its longest list of tags stand in that.
#[derive(Debug)]
pub(crate) struct Begun {
    text: Arc<str>,
    tags: Box<[Range<usize>]>,
}

/// A document without some tags, of which it is known that they are JSON.
pub(crate) struct Shortened<'a> {
    text: &'a str,
    /// The tags that the list begins with. All but the first are left out.
    tags: &'a [Range<usize>],
    left: String,
}

impl Begun {
    /// `None` if its tags are few. They are those of its longest list, by their [`places`].
    pub(crate) fn new(text: Arc<str>, tags: Vec<Range<usize>>) -> Option<Self> {
        (tags.len() > FEW).then(|| Self { text, tags: tags.into() })
    }

    /// A document without the tags that it begins with as this one did; `None` if these are few.
    ///
    /// Cost: as comparing and copying memory.
    pub(crate) fn shorten<'a>(&'a self, text: &'a str) -> Option<Shortened<'a>> {
        let common = common(self.text.as_bytes(), text.as_bytes());
        // What stands behind a tag is in common, too: else a number might go on.
        let n = self.tags.partition_point(|tag| tag.end < common);
        let tags = self.tags.get(..n).filter(|tags| tags.len() > FEW)?;
        let left = [text.get(..tags[0].end)?, text.get(tags[n - 1].end..)?].concat();
        Some(Shortened { text, tags, left })
    }
}

impl Shortened<'_> {
    /// The whole document, and where the tags of its longest list stand in its text. `None` if it cannot be read.
    pub(crate) fn read(&self) -> Option<(Document<'_>, Vec<Range<usize>>)> {
        let Self { text, tags, left } = self;
        let mut document: Document<'_> = serde_json::from_str(left).ok()?;
        let first = tags[0].clone();
        let is_it = |list: &&mut Vec<Node<'_>>| place(left, list) == Some(first.clone());
        let list = lists_of_tags(&mut document.0).into_iter().find(is_it)?;
        let known = tags[1..].iter().map(|tag| Some(Node::Unread(Unread::Text(text.get(tag.clone())?))));
        let known = known.collect::<Option<Vec<_>>>()?;
        let n_known = known.len();
        list.splice(1..1, known);
        // The others stand where they do in the shorter text, and so much further on.
        let further = text.len() - left.len();
        let others = list[1 + n_known..].iter().map(|tag| {
            let Range { start, end } = within(left, tag)?;
            Some(start + further..end + further)
        });
        let others = others.collect::<Option<Vec<_>>>()?;
        let places = [tags.to_vec(), others].concat();
        Some((document, places))
    }
}

/// Where the tags of a document's longest list of tags stand in its text.
pub(crate) fn places(text: &str, document: &mut Document<'_>) -> Vec<Range<usize>> {
    let longest = lists_of_tags(&mut document.0).into_iter().max_by_key(|list| list.len());
    let places = longest.map(|list| list.iter().map(|tag| within(text, tag)).collect::<Option<Vec<_>>>());
    places.flatten().unwrap_or_default()
}

/// The lists in which tags are texts still.
fn lists_of_tags<'n, 'a>(root: &'n mut Node<'a>) -> Vec<&'n mut Vec<Node<'a>>> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node {
            Node::List(list) => match list.first() {
                Some(Node::Unread(_)) => found.push(list),
                _ => open.extend(list),
            },
            Node::Object(members) => open.extend(members.iter_mut().map(|member| &mut member.1)),
            _ => {}
        }
    }
    found
}

/// Where the first tag of a list stands in the text.
fn place(text: &str, list: &[Node<'_>]) -> Option<Range<usize>> {
    within(text, list.first()?)
}

/// Where a tag that is a part of the text stands in it.
fn within(text: &str, tag: &Node<'_>) -> Option<Range<usize>> {
    let Node::Unread(Unread::Text(tag)) = tag else { return None };
    let start = tag.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let end = start + tag.len();
    (end <= text.len()).then_some(start..end)
}

/// How many bytes two texts begin with in common.
fn common(a: &[u8], b: &[u8]) -> usize {
    let same = a.chunks(CHUNK).zip(b.chunks(CHUNK)).take_while(|(a, b)| a == b);
    let n = same.map(|(a, _)| a.len()).sum::<usize>();
    n + a[n..].iter().zip(&b[n..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(tags: &[String], end: &str) -> String {
        format!(
            r#"{{"type": "structural_tag", "format": {{"type": "triggered_tags", "tags": [{}]{end}}}}}"#,
            tags.join(", ")
        )
    }

    fn tags(n: usize) -> Vec<String> {
        (0..n)
            .map(|i| format!(r#"{{"begin": "<{i}>", "content": {{"type": "any_text"}}, "end": "é{i}"}}"#))
            .collect()
    }

    /// How many tags are not read again, after what is found is as if all had been.
    fn n_known(before: &str, now: &str) -> usize {
        let read = |text| serde_json::from_str::<Document<'_>>(text).expect("JSON");
        let begun = Begun::new(before.into(), places(before, &mut read(before))).expect("many tags");
        let Some(shortened) = begun.shorten(now) else { return 0 };
        let (mut short, found) = shortened.read().expect("a document");
        let mut whole = read(now);
        assert_eq!(format!("{:?}", short.0), format!("{:?}", whole.0));
        assert_eq!(found, places(now, &mut whole));
        let texts = |document: &mut Document<'_>| {
            lists_of_tags(&mut document.0).into_iter().map(|list| list.len()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&mut short), texts(&mut whole));
        shortened.tags.len()
    }

    #[test]
    fn tags_that_were_there_are_not_read_again() {
        let twenty = tags(20);
        let before = document(&twenty, "");
        // One more at the end; the last one's end is not known to be one.
        assert_eq!(n_known(&before, &document(&tags(21), "")), 19);
        // Nothing more, but something behind the list; the same document.
        assert_eq!(n_known(&before, &document(&twenty, r#", "triggers": ["<"]"#)), 20);
        assert_eq!(n_known(&before, &before), 20);
        // One less, another one in the middle, one left out there.
        assert_eq!(n_known(&before, &document(&twenty[..19], "")), 18);
        let mut other = twenty;
        other[12] = other[12].replace("é", "ü");
        assert_eq!(n_known(&before, &document(&other, "")), 12);
        other.remove(12);
        assert_eq!(n_known(&before, &document(&other, "")), 12);
        // Few in common.
        other[3] = "{}".to_owned();
        assert_eq!(n_known(&before, &document(&other, "")), 0);
    }

    #[test]
    fn a_number_that_goes_on_is_another_one() {
        let numbers = |last: &str| {
            let list: Vec<String> = (0..12).map(|i| i.to_string()).chain([last.to_owned()]).collect();
            document(&list, "")
        };
        assert_eq!(n_known(&numbers("5"), &numbers("55")), 12);
    }

    #[test]
    fn what_is_no_json_behind_them_is_none() {
        let before = document(&tags(20), "");
        let read =
            serde_json::from_str::<Document<'_>>(&before).map(|mut document| places(&before, &mut document));
        let begun = Begun::new(before.as_str().into(), read.expect("JSON")).expect("many tags");
        for now in [
            document(&tags(20), "]"),
            before[..before.len() - 1].to_owned(),
            document(&[tags(20), vec!["{".to_owned()]].concat(), ""),
        ] {
            let shortened = begun.shorten(&now).expect("a common beginning");
            assert!(shortened.read().is_none(), "{now}");
        }
    }
}
