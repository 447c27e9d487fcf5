//! URI references, as far as `$id` and `$ref` need them: RFC 3986, section 5.2.

/// Resolves a reference against a base; both may be empty or relative.
pub(crate) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let (r_scheme, r_authority, r_path, r_query, r_fragment) = split(reference);
    let (b_scheme, b_authority, b_path, b_query, _) = split(base);
    let (scheme, authority, path, query);
    if r_scheme.is_some() {
        (scheme, authority, path, query) = (r_scheme, r_authority, remove_dots(r_path), r_query);
    } else if r_authority.is_some() {
        (scheme, authority, path, query) = (b_scheme, r_authority, remove_dots(r_path), r_query);
    } else if r_path.is_empty() {
        (scheme, authority, path) = (b_scheme, b_authority, b_path.to_owned());
        query = r_query.or(b_query);
    } else {
        let merged = if r_path.starts_with('/') {
            r_path.to_owned()
        } else if b_authority.is_some() && b_path.is_empty() {
            format!("/{r_path}")
        } else {
            format!("{}{r_path}", b_path.rfind('/').map_or("", |i| &b_path[..=i]))
        };
        // A base such as `urn:…` has no hierarchy to resolve in; what is left is still a unique name.
        (scheme, authority, path, query) = (b_scheme, b_authority, remove_dots(&merged), r_query);
    }
    let mut out = String::new();
    for (prefix, part, suffix) in [
        ("", scheme, ":"),
        ("//", authority, ""),
        ("", Some(&*path), ""),
        ("?", query, ""),
        ("#", r_fragment, ""),
    ] {
        if let Some(part) = part {
            out.push_str(prefix);
            out.push_str(part);
            out.push_str(suffix);
        }
    }
    out
}

/// A URI reference without its fragment, and the fragment.
pub(crate) fn split_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

type Parts<'u> = (Option<&'u str>, Option<&'u str>, &'u str, Option<&'u str>, Option<&'u str>);

/// Scheme, authority, path, query, fragment.
fn split(uri: &str) -> Parts<'_> {
    let (rest, fragment) = match uri.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (uri, None),
    };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let scheme_end = rest.find(':').filter(|&i| {
        let scheme = &rest[..i];
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    let (scheme, rest) = scheme_end.map_or((None, rest), |i| (Some(&rest[..i]), &rest[i + 1..]));
    match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (scheme, Some(&rest[..end]), &rest[end..], query, fragment)
        }
        None => (scheme, None, rest, query, fragment),
    }
}

fn remove_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let n_segments = path.split('/').count();
    for (i, segment) in path.split('/').enumerate() {
        let last = i + 1 == n_segments;
        match segment {
            "." | ".." => {
                // The leading empty segment of an absolute path stays.
                if segment == ".." && out.len() > usize::from(path.starts_with('/')) {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            _ => out.push(segment),
        }
    }
    out.join("/")
}

/// Undoes percent-encoding; what is no valid encoding stays as it is.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let code = rest
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match code {
            Some(code) => {
                out.push(code);
                bytes = &rest[2..];
            }
            None => {
                out.push(*first);
                bytes = rest;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_follows_the_rfc() {
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"),
            ("", base),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
        assert_eq!(resolve("", "#/definitions/a"), "#/definitions/a");
        assert_eq!(resolve("", "item.json"), "item.json");
        assert_eq!(resolve("urn:uuid:1", "#x"), "urn:uuid:1#x");
        assert_eq!(percent_decode("a%25b%zz"), "a%b%zz");
    }
}
