//! Local masks of small grammars, by hand: the worked example of `walk.rs` and its neighbours.

mod common;

use common::{SWITCHES, fixture, fixture_of, fixture_with};
use formwork_earley::{Limits, Rows};
use formwork_fsm::Config;
use formwork_mask::{MaskKind, Switches};
use std::sync::Arc;
/// `string` is large enough to be kept, so its end is a boundary.
const STRINGS: &str = "root ::= string \",\" string \"}\"\n\
    string ::= \"\\\"\" (\"xxxxxxxxxxxx1\" | \"yyyyyyyyyyyy2\" | [a-z])* \"\\\"\"\n";

#[test]
fn inside_a_string_tokens_are_accepted_rejected_or_decided_by_the_parent() {
    let mut fixture = fixture(STRINGS, &["ab", "a\"", "a\",", "\"}", "a1", "\",\"", "\",\"b"]);
    let inside = fixture.state("string", b"\"");
    let local = fixture.walker.local_mask(inside, None, MaskKind::Usual).expect("within limits");
    // `ab` stays inside and `a"` ends with the string; `a",`, `"}`, `","` and `","b` end it inside; `a1` dies.
    assert_eq!(local.n_accepted(), 2);
    let (suffixes, places) = local.n_boundaries();
    assert_eq!((suffixes, places), (0, 2), "two boundaries, `\"` and `a\"`, are few enough to stay places");
    assert_eq!(fixture.allowed(b"\""), ["ab", "a\"", "a\",", "\",\"", "\",\"b"]);
    assert_eq!(fixture.allowed(b"\"a\",\""), ["ab", "a\"", "\"}"]);
}

#[test]
fn what_lies_behind_the_end_of_the_root_is_nobodys() {
    let mut fixture = fixture("root ::= \"\\\"\" [a-z]* \"\\\"\"\n", &["a", "a\"", "a\",", "\"}"]);
    let inside = fixture.state("root", b"\"");
    let local = fixture.walker.local_mask(inside, None, MaskKind::Usual).expect("within limits");
    assert_eq!((local.n_accepted(), local.n_boundaries()), (2, (0, 0)));
    assert_eq!(fixture.allowed(b"\"a"), ["a", "a\""]);
}

#[test]
fn counts_decide_near_the_bounds() {
    let grammar = "root ::= \"<\" [a-z]{2,100} \">\"\n";
    let mut fixture = fixture(grammar, &["a", "abc", "a>", "ab>", ">"]);
    assert_eq!(fixture.allowed(b"<"), ["a", "abc", "ab>"], "`a>` would be too short");
    assert_eq!(fixture.allowed(b"<a"), ["a", "abc", "a>", "ab>"]);
    let nearly = [b"<".to_vec(), vec![b'a'; 98]].concat();
    assert_eq!(fixture.allowed(&nearly), ["a", "a>", "ab>", ">"], "`abc` would be too long");
    let full = [b"<".to_vec(), vec![b'a'; 100]].concat();
    assert_eq!(fixture.allowed(&full), [">"]);
}

#[test]
fn a_state_that_merges_into_a_wide_one_is_based_on_it() {
    // After `n` only `a` differs from the inside of any other name.
    let grammar = "root ::= \"{\" key \":\" key \"}\"\nkey ::= \"'\" And([ -&(-~]*, Not(\"nam\" | \"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\")) \"'\"\n";
    let tokens = ["a", "am'", "am':", "b", "b':", "'", "':", "amx':"];
    let mut fixture = fixture(grammar, &tokens);
    let state = fixture.state("key", b"'n");
    let base = fixture.walker.base_of(state, MaskKind::Usual).expect("a wide state is near");
    let base_mask = Arc::new(fixture.walker.local_mask(base, None, MaskKind::Usual).expect("within limits"));
    let based =
        fixture.walker.local_mask(state, Some((base, base_mask)), MaskKind::Usual).expect("within limits");
    assert!(based.has_base());
    assert_eq!(based.n_boundaries(), (0, 0), "`am'` is excluded, and `b':` and `':` are the base's");
    let whole = fixture.walker.local_mask(state, None, MaskKind::Usual).expect("within limits");
    assert_eq!(based.n_accepted(), whole.n_accepted());
    assert_eq!(fixture.allowed(b"{'n"), ["a", "b", "b':", "'", "':", "amx':"], "`nam` is not allowed");
}

/// An object with one member whose name is declared or not; blanks belong to the other name's rule.
const MEMBER: &str = "root ::= \"{\" ([\\t\\n\\r ]* \"\\\"\" JsonText(\"identifier\") rest | other) \"}\"\n\
    rest ::= \"\\\":\" [0-9]+\n\
    other ::= [\\t\\n\\r ]* \"\\\"\" JsonText(Not(\"identifier\")) rest\n";

#[test]
fn beside_any_text_a_name_is_what_ends_it() {
    let tokens =
        ["i", "ide", "identifier", "identifier\"", "identifier\":", "ident\"", "x", "\\", "\":1", "é"];
    let mut fixture = fixture(MEMBER, &tokens);
    let name = fixture.state("root", b"{\"");
    let mut n_accepted =
        |kind| fixture.walker.local_mask(name, None, kind).expect("within limits").n_accepted();
    assert_eq!(n_accepted(MaskKind::Usual), 5, "all that is of the name");
    assert_eq!(n_accepted(MaskKind::BesideText), 2, "what ends the name");
    for before in [&b"{\""[..], b"{\"i", b"{\"identifie", b"{\"identifier", b"{\"x", b"{ \""] {
        assert_eq!(fixture.allowed(before), fixture.readable(before));
    }
}

#[test]
fn states_that_go_to_the_same_states_have_one_mask() {
    let tokens =
        [" ", "\"", " \"", "\"i", " \"ident", " \"x", "\"x\":", " \"identifier\"", "\\", " \"\\", "\"é"];
    let mut fixture = fixture(MEMBER, &tokens);
    for rule in [("root", &b"{"[..]), ("other", b"")] {
        let first = fixture.state(rule.0, rule.1);
        let twin = fixture.walker.twin_of(first, MaskKind::Usual).expect("behind a blank it is the same");
        assert_eq!(fixture.walker.twin_of(twin, MaskKind::Usual), None, "it has a loop");
        let [own, of_twin] = [first, twin]
            .map(|state| fixture.walker.local_mask(state, None, MaskKind::Usual).expect("a mask"));
        assert_eq!(own.n_accepted(), of_twin.n_accepted());
        assert_eq!(own.n_boundaries(), of_twin.n_boundaries());
    }
    for before in [&b"{"[..], b"{ ", b"{\n \""] {
        assert_eq!(fixture.allowed(before), fixture.readable(before));
    }
}

/// The rest of a name is followed in the trie alone, but where a token may have an escape or goes further than the name.
#[test]
fn the_rest_of_a_name_is_what_its_letters_say() {
    let names = "JsonText(\"identifier\") | JsonText(\"identity\") | JsonText(\"items\") | JsonText(\"it\")";
    let grammar = format!("root ::= \"{{\\\"\" ({names}) \"\\\":\" [0-9]+ \"}}\"\n");
    let tokens = [
        "i",
        "id",
        "dent",
        "dentifier",
        "dentifier\":",
        "dentifier\":1",
        "dentif\\",
        "denti\\u0066ier",
        "dent\\u0",
        "\\u0069",
        "\\",
        "enti",
        "ti",
        "tity",
        "entifiers",
        "ems",
        "tems\"",
        "e\\u006d",
        "t\"",
        "t",
        "ier\":12}",
        "er",
        "r\"",
        "x",
        "\":",
        "1",
        "}",
    ];
    let config = Config::default();
    let mut fixture = fixture_of(&grammar, &tokens, config);
    for text in ["{\"identifier\":1}", "{\"items\":1}", "{\"identity\":", "{\"it\":1"] {
        for end in 1..=text.len() {
            let before = &text.as_bytes()[..end];
            assert_eq!(fixture.allowed(before), fixture.readable(before), "{}", &text[..end]);
        }
    }
}

#[test]
fn a_loop_that_may_end_anywhere_has_a_boundary_before_each_character() {
    // `b` leaves the loop, but what the parent reads begins inside it.
    let mut fixture =
        fixture("root ::= text \"0b\" | \"<\" text \"0b>\"\ntext ::= [0-9c-z]+\n", &["c", "c0b", "cb", "c0"]);
    assert_eq!(fixture.allowed(b""), ["c", "c0b", "c0"]);
    assert_eq!(fixture.allowed(b"<c"), ["c", "c0b", "c0"]);
}

#[test]
fn what_is_called_behind_the_first_byte_is_walked_in_rows() {
    let grammar = "root ::= \"ab\" call \"d\" | \"abx\"\ncall ::= \"(\" call? \")\"\n";
    let tokens = ["a", "ab", "ab(", "ab((", "ab()", "ab()d", "ab())", "abd", "abx", "abxx"];
    let mut fixture = fixture(grammar, &tokens);
    assert_eq!(fixture.allowed(b""), ["a", "ab", "ab(", "ab((", "ab()", "ab()d", "abx"]);
}

#[test]
fn a_rule_that_begins_like_a_loop_may_have_begun_inside_a_token() {
    // In `xab(` the loop reads `x`, and `call` begins behind it, though `a` and `b` belong to the loop, too.
    let tokens = ["x", "ab(", "xab(", "xxab()", "x(", "x."];
    let grammar = "root ::= ([a-z0-9A-Z] | call)* \".\"\ncall ::= \"ab(\" call* \")\"\n";
    let mut fixture = fixture(grammar, &tokens);
    assert_eq!(fixture.allowed(b""), ["x", "ab(", "xab(", "xxab()", "x."]);
    assert_eq!(fixture.allowed(b"xa"), ["x", "ab(", "xab(", "xxab()", "x."]);
}

#[test]
fn a_state_that_looks_for_a_word_is_left_where_it_was_found() {
    let tokens = ["a", "go", "og", "go'", "ago'.", "o'", "a'", "goo'"];
    let grammar = "root ::= \"'\" And([ -&(-~]*, [ -~]* \"go\" [ -~]*) \"'\" \".\"\n";
    let mut fixture = fixture(grammar, &tokens);
    assert_eq!(fixture.allowed(b"'"), ["a", "go", "og", "go'", "ago'.", "goo'"]);
    assert_eq!(fixture.allowed(b"'g"), ["a", "go", "og", "go'", "ago'.", "o'", "goo'"]);
}

#[test]
fn an_item_far_from_its_bounds_is_not_counted_and_one_near_them_is() {
    let long = "a".repeat(30);
    let tokens = ["a", "aaaa", "\"", "a\"", &long];
    let counted = "root ::= \"\\\"\" [a-z]{2,60} \"\\\"\"";
    let (far, near) = ("\"".to_owned() + &"a".repeat(5), "\"".to_owned() + &"a".repeat(57));
    let middle = "\"".to_owned() + &"a".repeat(32);
    for switches in [SWITCHES, Switches { slices: false, suffixes: true }] {
        let mut fixture = fixture(counted, &tokens);
        fixture.switches = switches;
        // The longest token fits, or does not, or even four letters are too many; and the end may come too early.
        assert_eq!(fixture.allowed(far.as_bytes()), ["a", "aaaa", "\"", "a\"", &long], "{switches:?}");
        assert_eq!(fixture.allowed(middle.as_bytes()), ["a", "aaaa", "\"", "a\""], "{switches:?}");
        assert_eq!(fixture.allowed(near.as_bytes()), ["a", "\"", "a\""], "{switches:?}");
        assert_eq!(fixture.allowed(b"\""), ["a", "aaaa", &long], "{switches:?}");
        assert_eq!(fixture.allowed(b"\"a"), ["a", "aaaa", "a\"", &long], "{switches:?}");
    }
}

#[test]
fn an_item_far_below_its_lower_bound_goes_where_it_can_still_reach_it() {
    let long = "a".repeat(30);
    let tokens = ["a", "aaaa", "\"", "a\"", "-", "aa-", "-\"", &long];
    // Behind the dash it is at most 8 letters to the end.
    let counted = "root ::= \"\\\"\" And([a-z]* (\"-\" [a-z]{0,8})?, [ -~]{60,99}) \"\\\"\"";
    let after = |n: usize| "\"".to_owned() + &"a".repeat(n);
    for switches in [SWITCHES, Switches { slices: false, suffixes: true }] {
        let mut fixture = fixture(counted, &tokens);
        fixture.switches = switches;
        assert_eq!(fixture.allowed(after(5).as_bytes()), ["a", "aaaa", &long], "{switches:?}");
        assert_eq!(fixture.allowed(after(20).as_bytes()), ["a", "aaaa", &long], "{switches:?}");
        assert_eq!(fixture.allowed(after(49).as_bytes()), ["a", "aaaa", "aa-", &long], "{switches:?}");
        assert_eq!(fixture.allowed(after(51).as_bytes()), ["a", "aaaa", "-", "aa-", &long], "{switches:?}");
        assert_eq!(
            fixture.allowed(after(59).as_bytes()),
            ["a", "aaaa", "a\"", "-", "aa-", "-\"", &long],
            "{switches:?}"
        );
    }
}

#[test]
fn an_item_whose_byte_may_tick_and_may_not_is_not_counted_either() {
    let long = "a ".repeat(15);
    let tokens = ["a", " ", "a a", "a b a b ", ".", "a.", " a.", &long];
    let words = "root ::= \"<\" ([a-z]+ \" \"+){2,40} [a-z]+ \".\"";
    let after = |n: usize| "<".to_owned() + &"a ".repeat(n);
    for switches in [SWITCHES, Switches { slices: false, suffixes: true }] {
        let mut fixture = fixture(words, &tokens);
        fixture.switches = switches;
        // Two blanks are two items: the gap goes on in one, and has ended in the other.
        let all = ["a", " ", "a a", "a b a b ", "a.", " a.", &long];
        assert_eq!(fixture.allowed(after(5).as_bytes()), all, "{switches:?}");
        // 14 more words fit, the 15 of the longest token do not.
        assert_eq!(fixture.allowed(after(26).as_bytes()), all[..6], "{switches:?}");
        assert_eq!(fixture.allowed(after(25).as_bytes()), all, "{switches:?}");
        assert_eq!(fixture.allowed(after(36).as_bytes()), all[..6], "{switches:?}");
        assert_eq!(fixture.allowed(after(37).as_bytes()), ["a", " ", "a a", "a.", " a."], "{switches:?}");
        assert_eq!(fixture.allowed(after(40).as_bytes()), ["a", " ", "a.", " a."], "{switches:?}");
        // Too few words to end.
        assert_eq!(fixture.allowed(b"<a"), ["a", " ", "a a", "a b a b ", &long], "{switches:?}");
        assert_eq!(fixture.allowed(b"<a a"), ["a", " ", "a a", "a b a b ", " a.", &long], "{switches:?}");
    }
}

/// Chains of states that read the same letters: to an end, into a loop, beside others, past what is called or may end.
const CHAINS: [&str; 10] = [
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z]{0,9} \"\\\"\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z]{3,} \"\\\"\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z] ([a-z-]{0,9} [a-z])? \"\\\"\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z]{4} (\"-\" [a-z]{3} | [A-Z]) \"\\\"\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" ([a-z]{2} | [a-z-]{5} [0-9]?) \"\\\"\"\n",
    "root ::= string \"a,\"\nstring ::= [a-z]{0,7}\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z]{2} call [a-z]{3} \"\\\"\"\ncall ::= \"aa\" call? \"-\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z]{2} call [a-z]{3} \"\\\"\"\ncall ::= \"(\" call? \")\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" [a-z] ([a-z] | call) [a-z]* \"\\\"\"\ncall ::= \"aa\" call? \"-\"\n",
    "root ::= string \",\"\nstring ::= \"\\\"\" And([a-z-]{6,8}, Not([a-z-]* \"aa\" [a-z-]*)) \"\\\"\"\n",
];

#[test]
fn chains_of_states_take_what_fits() {
    let tokens = [
        "a",
        "aa",
        "aaa",
        "ab",
        "aba",
        "abab",
        "ababab",
        "babababab",
        "a\"",
        "ba\"",
        "aba\",",
        "abab\",",
        "\"",
        "\",",
        "ababab\"",
        "-",
        "a-",
        "-a",
        "ab-ab",
        "ab-aba\"",
        "aa-",
        "aaa-",
        "abaa-a",
        "ab(",
        "ab()a",
        "A",
        "aA\"",
        "a1",
        "1\"",
        "ba,",
        "aa,",
    ];
    for grammar in CHAINS {
        for inlining in [false, true] {
            let mut fixture = fixture_with(grammar, &tokens, inlining);
            for text in [
                "",
                "\"",
                "\"a",
                "\"ab",
                "\"aba",
                "\"abab",
                "\"ababa",
                "\"abababab",
                "\"ababababa",
                "b",
                "babababa",
            ] {
                let readable = fixture.readable(text.as_bytes());
                if fixture.reads(text.as_bytes()) {
                    assert_eq!(fixture.allowed(text.as_bytes()), readable, "behind {text:?} of {grammar}");
                }
            }
        }
    }
}

/// Words that others must not have in them: of most tokens it shows at once that they have none.
#[test]
fn texts_without_what_is_needed_to_be_refused_are_not_walked() {
    let letters = "abcdefghijkl";
    let mut tokens: Vec<String> = Vec::new();
    for a in letters.chars() {
        for b in letters.chars() {
            tokens.extend(letters.chars().map(|c| format!("{a}{b}{c}")));
            tokens.extend([format!("^{a}{b}"), format!("{a}{b}cdefcdefcd")]);
        }
    }
    tokens.extend(
        ["github", "agithubs", "ahub", "hu", "ub", "b", "^h", "hide", "xhi", "\"", "a\""].map(String::from),
    );
    // Below `yy` there is no `g`, which would be refused behind the `h`, but `ab`, which is refused later.
    tokens.extend("acdefij".chars().map(|c| format!("yyhab{c}")));
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    for (names, is_told) in [
        ("Not([a-z^]* \"github\" [a-z^]*)", true),
        ("Not([a-z^]* \"hut\" [a-z^]*)", true),
        ("Not([a-z^]* (\"github\" | \"hide\") [a-z^]*)", false),
        ("Not([a-z^]* (\"ab\" | \"hi\") [a-z^]*)", false),
        ("Not([a-z^]* [gh]{3} [a-z^]*)", false),
        ("Not([a-z^]* (\"hg\" | \"hab\") [a-z^]*)", false),
    ] {
        let grammar = format!("root ::= \"\\\"\" And(([a-z] | \"^\" [a-i])*, {names}) \"\\\"\"\n");
        for text in ["\"", "\"gi", "\"x^", "\"h"] {
            let mut fixture = fixture(&grammar, &tokens);
            let readable = fixture.readable(text.as_bytes());
            assert_eq!(fixture.allowed(text.as_bytes()), readable, "behind {text} of {grammar}");
            let n_visited = fixture.walker.n_visited();
            // Behind the circumflex, which stands for an escape, few letters are read.
            let is_cheap = !is_told || text == "\"x^" || n_visited < 500;
            assert!(is_cheap, "{n_visited} nodes of {} tokens behind {text}: {names}", tokens.len());
        }
    }
}

/// Words of letters beyond ASCII, too: where these lead where others do, a text has the same distance to what is refused.
#[test]
fn letters_beyond_ascii_do_not_hide_that_short_texts_are_read() {
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "é", "ж"];
    let mut tokens: Vec<String> = Vec::new();
    for a in letters {
        for b in letters {
            tokens.extend(letters.iter().flat_map(|c| [format!(" {a}{b}{c}"), format!(" {a}{b} {c}")]));
            tokens.push(format!("{a}{b}"));
        }
    }
    // Below `g` there is no `b`.
    for c in letters.iter().filter(|&&c| c != "b") {
        tokens.extend(["a", "c", "d", "é"].map(|d| format!("gh{c}{d}")));
    }
    tokens.retain(|token| token != "gb");
    tokens.extend(["\"", "a\"", " ", "é ж\"", "aé", "\u{20AC}", "a \u{20AC}"].map(String::from));
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let word = r#"[^ z"]+"#;
    let words = (0..20).fold(word.to_owned(), |words, _| format!(r#"{word} (" "+ {words})?"#));
    for (language, is_told) in [
        (format!(r#"And({words}, Not("zz"))"#), true),
        // Some of them are refused everywhere, or lead elsewhere than others.
        (format!(r#"And({words}, Not([^ж]* "ж" [^"]*))"#), false),
        (format!(r#"And({words}, Not([^"]* "é" [^"]* "b" [^"]*))"#), false),
        (r#"And(([^ z"ж]+ " " [^ z"é]+ " "?){0,5}, Not("zz"))"#.to_owned(), false),
        // Behind `gh` one of them is refused beside the `b`, so that a text without a `b` may be refused, too.
        (r#"And([^ z"]*, Not([^"]* ("ghb" | "ghé") [^"]*))"#.to_owned(), false),
        (r#"And([^ z"]*, Not([^"]* ("ghb" | "ghж" [^x"]) [^"]*))"#.to_owned(), false),
    ] {
        let grammar = format!("root ::= \"\\\"\" {language} \"\\\"\"\n");
        for text in ["\"", "\"a", "\"a ", "\"ж", "\"a é", "\"a a ж a", "\"é a a b a ж"] {
            let mut fixture = fixture(&grammar, &tokens);
            if !fixture.reads(text.as_bytes()) {
                continue;
            }
            let readable = fixture.readable(text.as_bytes());
            assert_eq!(fixture.allowed(text.as_bytes()), readable, "behind {text} of {grammar}");
            let n_visited = fixture.walker.n_visited();
            let is_cheap = !is_told || text != "\"a" || n_visited < 500;
            assert!(is_cheap, "{n_visited} nodes of {} tokens behind {text}: {language}", tokens.len());
        }
    }
}

#[test]
fn where_two_states_read_any_text_they_are_not_compared_further() {
    let mut tokens: Vec<String> = (0..1_000).map(|i| format!("{i:03}")).collect();
    tokens.extend((0..100).map(|i| format!("{i:02}")));
    tokens.extend(["0", "7", "-", "\"", "1\"", "000-", "12-\"", "a", "ab", "a1", "é"].map(String::from));
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    // Some place has four digits and a dash, as in what is searched for: along digits, each state leads elsewhere.
    let grammar = "root ::= \"\\\"\" [^\"]* [0-9] [0-9] [0-9] [0-9] \"-\" [^\"]* \"\\\"\"\n";
    for text in ["\"", "\"a", "\"1", "\"a12", "\"123", "\"1234", "\"12345", "\"1234-", "\"1234-1"] {
        let mut fixture = fixture(grammar, &tokens);
        let readable = fixture.readable(text.as_bytes());
        assert_eq!(fixture.allowed(text.as_bytes()), readable, "behind {text}");
        let n_visited = fixture.walker.n_visited();
        assert!(n_visited < 500, "{n_visited} nodes of {} tokens behind {text}", tokens.len());
    }
}

#[test]
fn states_that_read_alike_but_for_one_letter_differ_along_it() {
    let hexes =
        ["0", "00", "006", "006e", "006E", "06e", "6e", "6", "e", "E", "1", "f", "00e9", "d83d", "00zz"];
    let behind = ["", "a", "am", "ame", "ame\"", "ame\":", "x", "x\"", "\"", "\":", "\\", "\\u0061"];
    let mut tokens = Vec::new();
    for (begin, hex) in ["", "u", "\\u"].iter().flat_map(|begin| hexes.map(|hex| (begin, hex))) {
        tokens.extend(behind.map(|end| format!("{begin}{hex}{end}")));
    }
    tokens
        .extend(["n", "nx\"", "\"", "/", "\\", "bam\":", "t", "a", "x", "u", "e\"", "\":"].map(String::from));
    tokens.sort_unstable();
    tokens.dedup();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    // Inside of an escape, the name goes on by one digit, and by all others is not declared.
    let grammar = "root ::= \"{\" key \":\" key \"}\"\n\
        key ::= \"\\\"\" JsonText(Not(\"name\" | \"nest\" | \"zzzzzzzzzzzzzzzzzzzzzzzz\")) \"\\\"\"\n";
    let mut fixture = fixture(grammar, &tokens);
    let escapes = ["\\", "\\u", "\\u0", "\\u00", "\\u006", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude0"];
    let mut n_based = 0;
    for name in ["x", "", "n", "na", "nam", "z"] {
        for escape in escapes {
            let text = format!("{{\"{name}{escape}");
            let state = fixture.state("key", &text.as_bytes()[1..]);
            n_based += usize::from(fixture.walker.base_of(state, MaskKind::Usual).is_some());
            let readable = fixture.readable(text.as_bytes());
            assert_eq!(fixture.allowed(text.as_bytes()), readable, "behind {text}");
        }
    }
    // Of each of five names, five places inside of an escape; but what is behind `z` is none behind `\\u006`, it is `\\u007a`.
    assert_eq!(n_based, 5 * 5 - 1);
}

#[test]
fn what_stands_behind_many_readings_is_one_row() {
    // After n letters there are about n readings, each of which began elsewhere.
    let grammar = "root ::= r2 \"a\" \"a\"* root | r2\n\
        r1 ::= r1 r1 | \"a\"\n\
        r2 ::= r1 r2? (r2 root)* | \"b\" r1 \"b\"\n";
    let mut fixture = fixture(grammar, &["a", "aa", "aaa", "ab", "aab", "b", "ba", "bb", "c"]);
    for text in ["aab", "aaaaaaaaaaaa", "baaaaaaaaaaaa", "baaaaaaaaaaab", "aaaaaaaaaaaabaaaaaaaaaaaaaaa"] {
        assert_eq!(fixture.allowed(text.as_bytes()), fixture.readable(text.as_bytes()), "behind {text}");
    }
    let text = [b'a'; 120];
    let mut row = fixture.rows.start().expect("a row");
    for &byte in &text {
        row = fixture.rows.advance(row, byte).expect("within limits").expect("accepted");
    }
    // A row for each of them would not fit.
    let mut limits = Limits::default();
    limits.max_bytes = fixture.rows.memory_size() + fixture.rows.memory_size() / 4;
    let automata = Arc::clone(fixture.rows.automata());
    fixture.rows = Rows::new(automata, limits);
    assert_eq!(fixture.allowed(&text), ["a", "aa", "aaa", "ab", "aab", "b", "ba"]);
}

/// Items of one state differ in where they began, in their counts, and in which of the state's masks they need.
#[test]
fn what_counts_and_began_in_many_places_is_asked_together() {
    let grammars = [
        // Calls are counted: near a bound nodes are checked again.
        "root ::= ([a-c] | r){2,40}\nr ::= \"b\" root? \"c\"? root?\n",
        "root ::= ([ab] root?){1,3}\n",
        "root ::= root | (s | \"a\" | \"b\") (s | \"a\" | \"b\")\nr ::= (\"a\"? (s | \"a\" | \"b\")){2,5}\ns ::= r? \"b\"?\n",
        // Letters are counted: masks are by counts.
        "root ::= w root? w\nw ::= [ab]{1,40} \"c\"?\n",
        "root ::= \"(\" root \")\" | w root? \"!\"\nw ::= [ab]{3,12}\n",
    ];
    let tokens =
        ["a", "aa", "ab", "b", "ba", "bb", "bbb", "bc", "c", "cc", "abc", "bcb", "a!", "!", "!!", ")", "b)"];
    let mut n_checked = 0;
    for grammar in grammars {
        for inlining in [false, true] {
            let mut fixture = fixture_with(grammar, &tokens, inlining);
            for text in [
                "bbbbbbbbbbbbbbbb",
                "bcbcbcbcbcbcbcbcbc",
                "abbabaababbabaababb",
                "((((aaaaaaaaaaaaaaaa",
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            ] {
                for end in (1..=text.len()).filter(|&end| end % 3 == 0 || end == text.len()) {
                    let before = &text.as_bytes()[..end];
                    if fixture.reads(before) {
                        assert_eq!(
                            fixture.allowed(before),
                            fixture.readable(before),
                            "behind {} of {grammar}",
                            &text[..end]
                        );
                        n_checked += 1;
                    }
                }
            }
        }
    }
    assert!(n_checked > 150, "{n_checked}");
}

#[test]
fn what_counts_is_no_row_for_each_of_many_beginnings() {
    let grammar = "root ::= ([a-c] | r){2,40}\nr ::= \"b\" root? \"c\"? root?\n";
    let mut tokens = vec![String::new()];
    for at in 0..40 {
        let longer: Vec<String> = ["a", "b", "c"].iter().map(|letter| tokens[at].clone() + letter).collect();
        tokens.extend(longer);
    }
    let tokens: Vec<&str> = tokens[1..].iter().map(String::as_str).collect();
    let mut fixture = fixture_with(grammar, &tokens, true);
    let text = [b'b'; 100];
    let mut row = fixture.rows.start().expect("a row");
    for &byte in &text {
        row = fixture.rows.advance(row, byte).expect("within limits").expect("accepted");
    }
    let mut limits = Limits::default();
    limits.max_bytes = 8 * fixture.rows.memory_size();
    let automata = Arc::clone(fixture.rows.automata());
    fixture.rows = Rows::new(automata, limits);
    assert_eq!(fixture.allowed(&text).len(), tokens.len());
}

/// All words of three letters and digits, so many that no trie is made of those with one of six letters.
fn words_and(others: &[&str]) -> Vec<String> {
    let letters = || (b'a'..=b'z').chain(b'0'..=b'9');
    let words = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c])));
    let words = words.map(|word| String::from_utf8_lossy(&word).into_owned());
    words.chain(others.iter().map(|&other| other.to_owned())).collect()
}

#[test]
fn a_state_that_refuses_few_texts_is_asked_about_those_alone() {
    // A text may have neither `tag` in it nor a letter and one of six pairs, and needs `name`.
    let grammar = "root ::= \"'\" And([ -&(-~]*, Not([ -~]* [a-p] two [ -~]*), Not([ -~]* \"tag\" [ -~]*), \
        [ -~]* \"name\" [ -~]*) \"'\" end\nend ::= \".\" | \"!\"\n\
        two ::= \"za\" | \"yb\" | \"xc\" | \"wd\" | \"ve\" | \"uf\"\n";
    let others = [
        "stag", "azzb", "qzzq", "stage", "a tag", "name", "anamet", "'", "'.", "name'.", "name'", "tag'",
        "a'", "me'.", "amezz'!", "\n", "a\n", "é", "aé", "Tag", "taag", "zzzz'", "z z'", "zz'",
    ];
    let tokens = words_and(&others);
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let mut fixture = fixture(grammar, &tokens);
    for before in ["'", "'t", "'ta", "'xaz", "'nametva"] {
        let before = before.as_bytes();
        let allowed = fixture.allowed(before);
        assert_eq!(allowed, fixture.readable(before), "{}", String::from_utf8_lossy(before));
        assert!(allowed.len() > 40_000 && allowed.len() < tokens.len());
    }
}

#[test]
fn text_near_its_greatest_length_is_counted_by_its_characters() {
    let (long, longer) = ("x".repeat(38), "é".repeat(50));
    let letters = || b'a'..=b'h';
    let words = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c])));
    let words: Vec<String> = words.map(|word| String::from_utf8_lossy(&word).into_owned()).collect();
    let others = r#"é aé éé" \n a\n \na a\nb" \ a\ " a" abcdefg" ab", ", "} € €" a€"#;
    let others = others.split(' ').chain(["\n", "a\n", &long, &longer]);
    let tokens: Vec<&str> = words.iter().map(String::as_str).chain(others).collect();
    // At the last length but two three letters fit, at the last but one they do not.
    let cases = [
        ("{0,8}", &[0, 1, 4, 5, 6, 7, 8][..]),
        ("{3,9}", &[0, 2, 5, 6, 7, 8, 9]),
        ("{0,45}", &[0, 6, 7, 8, 42, 43, 44, 45]),
    ];
    for (bounds, lengths) in cases {
        let text = format!(r#""\"" ([ !#-[\x5D-~é-ü] | "\\" [nt]){bounds} "\"""#);
        let with_end = format!("root ::= string end\nend ::= \",\" | \"}}\"\nstring ::= {text}\n");
        for grammar in [with_end, format!("root ::= {text}\n")] {
            let mut fixture = fixture(&grammar, &tokens);
            for (i, &n) in lengths.iter().rev().enumerate() {
                let before = "\"".to_owned() + &"a".repeat(n);
                let allowed = fixture.allowed(before.as_bytes());
                assert_eq!(allowed, fixture.readable(before.as_bytes()), "{before} in {grammar}");
                assert_eq!(allowed.len() > 512, i > 2, "{before} in {grammar}");
            }
        }
    }
}

#[test]
fn where_any_string_may_open_only_other_tokens_are_walked() {
    let tokens = [
        " ",
        "\n\t",
        "\"",
        " \"",
        "\"a",
        " \"ab",
        "\n\"id",
        "\"id",
        "\"id\"",
        "\"idx\"",
        "\"\"",
        "\"\":",
        " \"\",",
        "\",\"",
        " \"a\",",
        " \"a\":1",
        "\"a\":1",
        "\"\\",
        " \"\\n",
        " \"\\x",
        "\"\n",
        "\"a\n",
        " \"é",
        "\"é\"",
        " }",
        "}",
        "\n}.",
        " 1",
        "1",
        "\"b\",\"c",
        " \":\":1",
        "\"\"\"",
        "\"a,\"",
        "\"a,\nb",
        " \"a, b",
        " ]",
        "a",
        "\",",
        "\":",
    ];
    let rest = "colon ::= [\\t\\n\\r ]* \":\" [\\t\\n\\r ]* (\"1\" | \"22\" colon)\n";
    let own = "root ::= \"{\" other \"}\"\n\
        other ::= [\\t\\n\\r ]* \"\\\"\" JsonText(Not(\"id\")) \"\\\"\" colon\n";
    let called = "root ::= \"[\" list\nlist ::= [\\t\\n\\r ]* (string | pair) [\\t\\n\\r ]* (\",\" list | \"]\")\n\
        string ::= \"\\\"\" JsonText([^]*) \"\\\"\"\npair ::= \"\\\"\" JsonText(\"id\") \"\\\"\" colon\n";
    let short = "root ::= \"[\" list\nlist ::= [\\t\\n\\r ]* string [\\t\\n\\r ]* (\",\" list | \"]\")\n\
        string ::= \"\\\"\" JsonText([^]{0,2}) \"\\\"\"\n";
    for (grammar, befores) in [
        (own, ["{", "{ ", "{\n \"a", "{\"i"]),
        (called, ["[", "[ ", "[ \"a\", ", "[\"id"]),
        (short, ["[", "[ ", "[ \"a\", ", "[\"i"]),
    ] {
        let grammar = [grammar, rest].concat();
        for inlining in [false, true] {
            let mut fixture = fixture_with(&grammar, &tokens, inlining);
            for before in befores {
                let before = before.as_bytes();
                let (allowed, readable) = (fixture.allowed(before), fixture.readable(before));
                assert_eq!(allowed, readable, "{grammar}{}", String::from_utf8_lossy(before));
            }
        }
    }
}
