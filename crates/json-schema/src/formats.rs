//! The formats that restrict strings, as regular expressions in the Rust dialect, matched from end to end.

use crate::draft::Draft;

/// A format's texts: parts that follow each other, each a choice.
pub(crate) type Format = &'static [&'static [Part]];

/// A part of a format.
///
/// With what it is not, a part becomes one automaton over characters, in which repetitions are states and not counters:
/// a counter that may end after each character is dear at every token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// What its texts look like.
    pub(crate) regex: &'static str,
    /// What they do not look like.
    pub(crate) not: Option<&'static str>,
    /// How many characters they have at most.
    pub(crate) max: Option<u32>,
    /// How many octets they have at most in UTF-8.
    pub(crate) max_octets: Option<u32>,
}

/// The name (as a constant) and the texts of a format that is enforced.
pub(crate) fn find(name: &str, draft: Draft) -> Option<(&'static str, Format)> {
    let name = match name {
        "hostname" if draft < Draft::Draft7 => OLD_HOSTNAME,
        OLD_HOSTNAME => return None,
        _ => name,
    };
    FORMATS.iter().find(|(known, _)| *known == name).copied()
}

/// What drafts before 7 call `hostname`: by RFC 1034, which knows no Punycode.
const OLD_HOSTNAME: &str = "hostname until draft 6";

/// The name (as a constant) and the texts of a content encoding that is enforced.
pub(crate) fn encoding(name: &str) -> Option<(&'static str, Format)> {
    name.eq_ignore_ascii_case("base64").then_some(("encoding base64", BASE64))
}

/// RFC 4648, section 4: four letters for three bytes, the last ones filled up.
const BASE64: Format =
    &[&[plain("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?")]];

/// What a format leaves out that the standard allows, if anything.
pub(crate) fn narrowed(name: &str, draft: Draft) -> Option<&'static str> {
    match name {
        "hostname" if draft >= Draft::Draft7 => Some("labels with Punycode (`xn--…`) are left out"),
        "time" | "date-time" => Some("leap seconds are left out but in UTC and at five other offsets"),
        _ => None,
    }
}

/// A format that is more than a regular expression: it has rules of its own, and stands alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Syntax {
    /// `regex`.
    Regex,
    /// `idn-hostname`.
    IdnHostname,
}

impl Syntax {
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Regex, Self::IdnHostname].into_iter().find(|syntax| syntax.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Regex => "regex",
            Self::IdnHostname => "idn-hostname",
        }
    }

    /// What its grammar leaves out.
    pub(crate) fn left_out(self) -> &'static str {
        match self {
            Self::Regex => "names of groups, back-references, and ranges that end in escapes are left out",
            Self::IdnHostname => {
                "labels with Punycode, characters beyond U+FFFF, long labels, more than four labels beside letters beyond ASCII, and rare marks are left out"
            }
        }
    }
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

/// A time of day with an offset. A leap second comes at 23:59:60 UTC. To know it at any offset takes a state for each
/// hour, six times as many as all others; so it is known in UTC, at the offset of the standard's example (RFC 3339,
/// section 5.8) and at some of half an hour.
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

/// Four hexadecimal digits, without a repetition so long that it would count.
macro_rules! hex4 {
    () => {
        "[0-9A-Fa-f]{2}[0-9A-Fa-f]{2}"
    };
}

/// The labels of a host name, each of at most 63 characters (RFC 1123).
macro_rules! labels {
    () => {
        "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?(?:\\.[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?)*"
    };
}

/// A letter or digit of a label, or a character beyond ASCII.
macro_rules! idn_letter {
    ($hyphen:literal) => {
        concat!(
            "[0-9A-Za-z\\x{80}-\\x{3001}\\x{3003}-\\x{FF0D}\\x{FF0F}-\\x{FF60}\\x{FF62}-\\x{10FFFF}",
            $hyphen,
            "]"
        )
    };
}

macro_rules! idn_labels {
    () => {
        concat!(
            idn_letter!(""),
            "(?:",
            idn_letter!("-"),
            "{0,61}",
            idn_letter!(""),
            ")?(?:\\.",
            idn_letter!(""),
            "(?:",
            idn_letter!("-"),
            "{0,61}",
            idn_letter!(""),
            ")?)*"
        )
    };
}

const fn plain(regex: &'static str) -> Part {
    Part { regex, not: None, max: None, max_octets: None }
}

/// Labels of letters, digits and hyphens, up to 63 each (RFC 1034). That they are not a blank, which they cannot be, makes
/// one automaton of them.
const LABELS: Part = Part { regex: labels!(), not: Some(" "), max: None, max_octets: None };

/// What stands before the `@` of an e-mail address; at most 64 characters (RFC 5321).
const MAILBOX: Part = Part {
    regex: concat!(
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*",
        "|\"(?:[ !#-\\[\\]-~]|\\\\[!-~])*\""
    ),
    not: Some("[ -~]{65,}"),
    max: None,
    max_octets: None,
};

/// The same with characters beyond ASCII (RFC 6531); 64 octets still.
const IDN_MAILBOX: Part = Part {
    regex: concat!(
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10FFFF}-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10FFFF}-]+)*",
        "|\"(?:[ !#-\\[\\]-~\\x{80}-\\x{10FFFF}]|\\\\[!-~])*\""
    ),
    not: None,
    max: None,
    max_octets: Some(64),
};

/// Labels with characters beyond ASCII, but for what IDNA takes for a dot; 63 characters at most each.
const IDN_LABELS: Part = Part { regex: idn_labels!(), not: Some(" "), max: None, max_octets: None };

/// Eight groups of hexadecimal digits, some or none of them left out at `::`.
const IPV6: Part = Part { regex: ipv6!(), not: Some("[0-9.]*"), max: None, max_octets: None };

/// What may stand in addition to ASCII: nothing in a URI, `ucschar` in an IRI (RFC 3987).
macro_rules! beyond {
    (uri) => {
        ""
    };
    (iri) => {
        concat!(
            "\\x{A0}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFEF}\\x{10000}-\\x{1FFFD}\\x{20000}-\\x{2FFFD}",
            "\\x{30000}-\\x{3FFFD}\\x{40000}-\\x{4FFFD}\\x{50000}-\\x{5FFFD}\\x{60000}-\\x{6FFFD}\\x{70000}-\\x{7FFFD}",
            "\\x{80000}-\\x{8FFFD}\\x{90000}-\\x{9FFFD}\\x{A0000}-\\x{AFFFD}\\x{B0000}-\\x{BFFFD}\\x{C0000}-\\x{CFFFD}",
            "\\x{D0000}-\\x{DFFFD}\\x{E1000}-\\x{EFFFD}"
        )
    };
}

/// And in a query: `iprivate`.
macro_rules! private {
    (uri) => {
        "[/?]"
    };
    (iri) => {
        "[/?\\x{E000}-\\x{F8FF}\\x{F0000}-\\x{FFFFD}\\x{100000}-\\x{10FFFD}]"
    };
}

/// A character of a path: unreserved, sub-delimiter, `:`, `@`, or percent-encoded (RFC 3986).
macro_rules! pchar {
    ($kind:tt) => {
        concat!("(?:[A-Za-z0-9._~!$&'()*+,;=:@", beyond!($kind), "-]|%[0-9A-Fa-f]{2})")
    };
}

macro_rules! authority {
    ($kind:tt) => {
        concat!(
            "(?:(?:[A-Za-z0-9._~!$&'()*+,;=:",
            beyond!($kind),
            "-]|%[0-9A-Fa-f]{2})*@)?",
            "(?:\\[(?:",
            ipv6!(),
            "|[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+)\\]",
            "|(?:[A-Za-z0-9._~!$&'()*+,;=",
            beyond!($kind),
            "-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?"
        )
    };
}

macro_rules! tail {
    ($kind:tt) => {
        concat!("(?:\\?(?:", pchar!($kind), "|", private!($kind), ")*)?(?:#(?:", pchar!($kind), "|[/?])*)?")
    };
}

macro_rules! absolute {
    ($kind:tt) => {
        concat!(
            "[A-Za-z][A-Za-z0-9+.-]*:(?://",
            authority!($kind),
            "(?:/",
            pchar!($kind),
            "*)*",
            "|/(?:",
            pchar!($kind),
            "+(?:/",
            pchar!($kind),
            "*)*)?|",
            pchar!($kind),
            "+(?:/",
            pchar!($kind),
            "*)*|)",
            tail!($kind)
        )
    };
}

macro_rules! reference {
    ($kind:tt) => {
        concat!(
            "(?:",
            absolute!($kind),
            "|(?://",
            authority!($kind),
            "(?:/",
            pchar!($kind),
            "*)*",
            "|/(?:",
            pchar!($kind),
            "+(?:/",
            pchar!($kind),
            "*)*)?",
            "|(?:[A-Za-z0-9._~!$&'()*+,;=@",
            beyond!($kind),
            "-]|%[0-9A-Fa-f]{2})+(?:/",
            pchar!($kind),
            "*)*|)",
            tail!($kind),
            ")"
        )
    };
}

/// A variable in a template: its name, and how much of it (RFC 6570).
macro_rules! variable {
    () => {
        concat!(
            "(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*",
            "(?:\\*|:[1-9][0-9]?[0-9]?[0-9]?)?"
        )
    };
}

const FORMATS: &[(&str, Format)] = &[
    ("date", &[&[plain(date!())]]),
    ("time", &[&[plain(time!())]]),
    ("date-time", &[&[plain(concat!(date!(), "[Tt]", time!()))]]),
    (
        "uuid",
        &[&[plain(concat!(
            hex4!(),
            hex4!(),
            "-",
            hex4!(),
            "-",
            hex4!(),
            "-",
            hex4!(),
            "-",
            hex4!(),
            hex4!(),
            hex4!()
        ))]],
    ),
    (
        "email",
        &[&[MAILBOX], &[plain("@")], &[LABELS, plain(concat!("\\[(?:", ipv4!(), "|IPv6:", ipv6!(), ")\\]"))]],
    ),
    (OLD_HOSTNAME, &[&[Part { max: Some(253), ..LABELS }]]),
    // From draft 7 on by RFC 5890, where a label with `--` in the third place is the Punycode of allowed characters. That
    // is not regular; other labels are.
    (
        "hostname",
        &[&[Part {
            not: Some("(?:[0-9A-Za-z.-]*\\.)?[0-9A-Za-z-][0-9A-Za-z-]--[0-9A-Za-z.-]*"),
            max: Some(253),
            ..LABELS
        }]],
    ),
    (
        "idn-email",
        &[
            &[IDN_MAILBOX],
            &[plain("@")],
            &[IDN_LABELS, plain(concat!("\\[(?:", ipv4!(), "|IPv6:", ipv6!(), ")\\]"))],
        ],
    ),
    ("ipv4", &[&[plain(ipv4!())]]),
    ("ipv6", &[&[IPV6]]),
    ("uri", &[&[plain(absolute!(uri))]]),
    ("uri-reference", &[&[plain(reference!(uri))]]),
    ("iri", &[&[plain(absolute!(iri))]]),
    ("iri-reference", &[&[plain(reference!(iri))]]),
    (
        "uri-template",
        &[&[plain(concat!(
            "(?:[!#$&'()*+,./0-9:;=?@A-Z\\[\\]_a-z~",
            beyond!(iri),
            "\\x{E000}-\\x{F8FF}\\x{F0000}-\\x{FFFFD}\\x{100000}-\\x{10FFFD}-]|%[0-9A-Fa-f]{2}",
            "|\\{[+#./;?&=,!@|]?",
            variable!(),
            "(?:,",
            variable!(),
            ")*\\})*"
        ))]],
    ),
    ("json-pointer", &[&[plain("(?:/(?:[^/~]|~[01])*)*")]]),
    ("relative-json-pointer", &[&[plain("(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^/~]|~[01])*)*)")]]),
    (
        "duration",
        &[&[plain(concat!(
            "P(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?",
            "(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)))",
            "|P(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
        ))]],
    ),
];
