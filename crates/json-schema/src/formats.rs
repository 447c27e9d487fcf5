//! The formats that restrict strings, as regular expressions in the Rust dialect, matched from end to end.

/// The name (as a constant) and the regular expression of a format that is enforced.
pub(crate) fn regex(name: &str) -> Option<(&'static str, &'static str)> {
    FORMATS.iter().find(|(known, _)| *known == name).copied()
}

/// Whether the standard defines a format of this name.
pub(crate) fn is_standard(name: &str) -> bool {
    regex(name).is_some()
        || matches!(
            name,
            "duration"
                | "idn-email"
                | "hostname"
                | "idn-hostname"
                | "ipv6"
                | "uri-reference"
                | "iri"
                | "iri-reference"
                | "uri-template"
                | "json-pointer"
                | "relative-json-pointer"
                | "regex"
        )
}

/// A date of the Gregorian calendar: long months, short months, February, leap days.
macro_rules! date {
    () => {
        concat!(
            "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
            "|02-(?:0[1-9]|1[0-9]|2[0-8]))",
            "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
        )
    };
}

/// A time of day with an offset. A leap second comes at 23:59:60 UTC; offsets of whole and half hours are recognised.
macro_rules! time {
    () => {
        concat!(
            "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])",
            "|23:59:60(?:\\.[0-9]+)?(?:[Zz]|[+-]00:00)",
            "|01:29:60(?:\\.[0-9]+)?\\+01:30|15:59:60(?:\\.[0-9]+)?-08:00|23:29:60(?:\\.[0-9]+)?\\+23:30",
            "|00:29:60(?:\\.[0-9]+)?(?:\\+00:30|-23:30))"
        )
    };
}

macro_rules! ipv4 {
    () => {
        "(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3})"
    };
}

macro_rules! ipv6 {
    () => {
        concat!(
            "(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}",
            "|(?:[0-9A-Fa-f]{1,4}:){6}",
            ipv4!(),
            "|::(?:[0-9A-Fa-f]{1,4}:){0,5}",
            ipv4!(),
            "|[0-9A-Fa-f]{1,4}::(?:[0-9A-Fa-f]{1,4}:){0,4}",
            ipv4!(),
            "|(?:[0-9A-Fa-f]{1,4}:){1}[0-9A-Fa-f]{1,4}::(?:[0-9A-Fa-f]{1,4}:){0,3}",
            ipv4!(),
            "|(?:[0-9A-Fa-f]{1,4}:){2}[0-9A-Fa-f]{1,4}::(?:[0-9A-Fa-f]{1,4}:){0,2}",
            ipv4!(),
            "|(?:[0-9A-Fa-f]{1,4}:){3}[0-9A-Fa-f]{1,4}::(?:[0-9A-Fa-f]{1,4}:){0,1}",
            ipv4!(),
            "|(?:[0-9A-Fa-f]{1,4}:){4}[0-9A-Fa-f]{1,4}::",
            ipv4!(),
            "|::(?:(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4})?",
            "|[0-9A-Fa-f]{1,4}::(?:(?:[0-9A-Fa-f]{1,4}:){0,5}[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){1}[0-9A-Fa-f]{1,4}::(?:(?:[0-9A-Fa-f]{1,4}:){0,4}[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){2}[0-9A-Fa-f]{1,4}::(?:(?:[0-9A-Fa-f]{1,4}:){0,3}[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){3}[0-9A-Fa-f]{1,4}::(?:(?:[0-9A-Fa-f]{1,4}:){0,2}[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){4}[0-9A-Fa-f]{1,4}::(?:(?:[0-9A-Fa-f]{1,4}:){0,1}[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){5}[0-9A-Fa-f]{1,4}::(?:[0-9A-Fa-f]{1,4})?",
            "|(?:[0-9A-Fa-f]{1,4}:){6}[0-9A-Fa-f]{1,4}::)"
        )
    };
}

/// One label of a host name.
macro_rules! label {
    () => {
        "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
    };
}

/// A character of a path: unreserved, sub-delimiter, `:`, `@`, or percent-encoded (RFC 3986).
macro_rules! pchar {
    () => {
        "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
    };
}

macro_rules! authority {
    () => {
        concat!(
            "(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?",
            "(?:\\[(?:",
            ipv6!(),
            "|[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+)\\]",
            "|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?"
        )
    };
}

macro_rules! tail {
    () => {
        concat!("(?:\\?(?:", pchar!(), "|[/?])*)?(?:#(?:", pchar!(), "|[/?])*)?")
    };
}

macro_rules! uri {
    () => {
        concat!(
            "[A-Za-z][A-Za-z0-9+.-]*:(?://",
            authority!(),
            "(?:/",
            pchar!(),
            "*)*",
            "|/(?:",
            pchar!(),
            "+(?:/",
            pchar!(),
            "*)*)?|",
            pchar!(),
            "+(?:/",
            pchar!(),
            "*)*|)",
            tail!()
        )
    };
}

const FORMATS: &[(&str, &str)] = &[
    ("date", date!()),
    ("time", time!()),
    ("date-time", concat!(date!(), "[Tt]", time!())),
    ("uuid", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"),
    (
        "email",
        concat!(
            "(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*",
            "|\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\")@",
            "(?:",
            label!(),
            "(?:\\.",
            label!(),
            ")*|\\[(?:",
            ipv4!(),
            "|IPv6:",
            ipv6!(),
            ")\\])"
        ),
    ),
    ("ipv4", ipv4!()),
    ("ipv6", ipv6!()),
    ("uri", uri!()),
    (
        "uri-reference",
        concat!(
            "(?:",
            uri!(),
            "|(?://",
            authority!(),
            "(?:/",
            pchar!(),
            "*)*",
            "|/(?:",
            pchar!(),
            "+(?:/",
            pchar!(),
            "*)*)?",
            "|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+(?:/",
            pchar!(),
            "*)*|)",
            tail!(),
            ")"
        ),
    ),
    ("json-pointer", "(?:/(?:[^/~]|~[01])*)*"),
    ("relative-json-pointer", "(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^/~]|~[01])*)*)"),
    (
        "duration",
        concat!(
            "P(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?",
            "(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)))",
            "|P(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
        ),
    ),
];
