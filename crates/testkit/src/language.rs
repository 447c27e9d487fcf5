//! Small languages, written out.
//!
//! [`enumerate`] computes the members of a grammar's language up to a length as *sets of strings*: the sets of all
//! expressions start empty and grow until nothing changes, a sequence being all concatenations and so on.
//! It is the third opinion that the reference is checked against, and shares nothing with it.
//!
//! What it says about members is exact for members over the given bytes.
//! About prefixes it says one half only: a prefix of a member is viable, but a viable prefix may have no completion
//! short enough to be listed. [`Reference::is_viable`](crate::Reference::is_viable) decides both halves.

use formwork_grammar::{CharClass, Expr, ExprId, Grammar, Until};
use std::collections::BTreeSet;

type Strings = BTreeSet<Vec<u8>>;

/// The members of up to `max_len` bytes, all of them in `alphabet`, sorted.
///
/// Time and memory grow as the number of strings over the alphabet; meant for some thousand strings.
pub fn enumerate(grammar: &Grammar, alphabet: &[u8], max_len: usize) -> Vec<Vec<u8>> {
    let grammar = &crate::generate::expand_sets(grammar);
    let all = all_strings(alphabet, max_len);
    let characters = characters(alphabet);
    let texts: Strings = all.iter().filter(|s| std::str::from_utf8(s).is_ok()).cloned().collect();
    let mut members: Vec<Strings> = vec![Strings::new(); grammar.n_exprs()];
    let mut rules: Vec<Strings> = vec![Strings::new(); grammar.rules().len()];
    loop {
        for idx in 0..grammar.n_exprs() {
            let Some(id) = ExprId::from_index(idx) else { break };
            let of = |id: &ExprId| &members[id.index()];
            members[idx] = match grammar.expr(id) {
                Expr::Never => Strings::new(),
                Expr::Empty => [Vec::new()].into(),
                Expr::Bytes(bytes) => [bytes.to_vec()].into_iter().filter(|s| all.contains(s)).collect(),
                Expr::ByteClass(set) => {
                    all.iter().filter(|s| s.len() == 1 && set.contains(s[0])).cloned().collect()
                }
                Expr::Class(class) => in_class(class, &characters, max_len),
                Expr::Seq(parts) => {
                    let empty: Strings = [Vec::new()].into();
                    parts.iter().fold(empty, |head, part| concatenate(&head, of(part), max_len))
                }
                Expr::Alt(parts) => parts.iter().flat_map(of).cloned().collect(),
                Expr::Repeat { body, min, max } => repeat(of(body), *min, *max, max_len),
                Expr::Rule(rule) => rules[rule.index()].clone(),
                Expr::And(parts) => {
                    texts.iter().filter(|s| parts.iter().all(|part| of(part).contains(*s))).cloned().collect()
                }
                Expr::Not(body) => texts.difference(of(body)).cloned().collect(),
                Expr::JsonText(body) => {
                    // A spelling is never shorter than the text, so the operand's members that matter are all listed;
                    // but its characters need not be spelled with the alphabet.
                    let reference = json_operand(grammar, *body);
                    texts
                        .iter()
                        .filter(|s| json_decode(s).is_some_and(|text| reference(&text)))
                        .cloned()
                        .collect()
                }
                // Without symbols.
                Expr::Symbols(_) => Strings::new(),
                Expr::Tag(tag) => [tag.as_bytes().to_vec()].into_iter().filter(|s| all.contains(s)).collect(),
                Expr::Until(until) => all
                    .iter()
                    .filter(|s| in_until(until, s, |id, rest| of(&id).contains(rest)))
                    .cloned()
                    .collect(),
                // Sets and machines were written out above; a new kind of expression is to be enumerated here.
                other => unimplemented!("the enumeration does not know {other:?}"),
            };
        }
        let grown: Vec<Strings> =
            grammar.rules().iter().map(|rule| members[rule.body().index()].clone()).collect();
        if grown == rules {
            return rules.swap_remove(grammar.root().index()).into_iter().collect();
        }
        rules = grown;
    }
}

/// All prefixes of some strings, the empty one and the strings themselves included, sorted.
pub fn prefixes(members: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let all: Strings = members.iter().flat_map(|s| (0..=s.len()).map(|len| s[..len].to_vec())).collect();
    all.into_iter().collect()
}

/// All strings over an alphabet of up to `max_len` bytes, sorted.
pub fn all_strings(alphabet: &[u8], max_len: usize) -> BTreeSet<Vec<u8>> {
    let mut all: Strings = [Vec::new()].into();
    let mut longest = all.clone();
    for _ in 0..max_len {
        longest = longest
            .iter()
            .flat_map(|s| alphabet.iter().map(move |&byte| [s.as_slice(), &[byte]].concat()))
            .collect();
        all.extend(longest.iter().cloned());
    }
    all
}

/// Whether some cut of a string leaves text before it in which nothing was completed too early, and behind it what the
/// trigger at the cut asks for.
fn in_until(until: &Until, string: &[u8], follows: impl Fn(ExprId, &[u8]) -> bool) -> bool {
    (0..=string.len()).any(|cut| {
        let Ok(text) = std::str::from_utf8(&string[..cut]) else { return false };
        // Whether it is completed, and not only with the last character.
        let early = |pattern: &str| {
            let before_last = text.char_indices().next_back().map_or("", |(last, _)| &text[..last]);
            before_last.contains(pattern)
        };
        let is_early = until.arms().any(|(trigger, _)| early(trigger));
        let is_excluded = until.excluded().iter().any(|excluded| text.contains(&**excluded));
        if is_early || is_excluded {
            return false;
        }
        let mut fired = until.arms().filter(|(trigger, _)| text.ends_with(trigger)).peekable();
        match fired.peek() {
            None => until.ends() && cut == string.len(),
            Some(_) => fired.any(|(_, then)| follows(then, &string[cut..])),
        }
    })
}

/// The characters whose UTF-8 consists of bytes of the alphabet.
fn characters(alphabet: &[u8]) -> Vec<char> {
    let one_character = |s: &Vec<u8>| {
        let mut chars = std::str::from_utf8(s).ok()?.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    all_strings(alphabet, 4).iter().filter_map(one_character).collect()
}

fn in_class(class: &CharClass, characters: &[char], max_len: usize) -> Strings {
    let members = characters.iter().filter(|&&c| class.contains(c) && c.len_utf8() <= max_len);
    members.map(|c| c.to_string().into_bytes()).collect()
}

fn concatenate(heads: &Strings, tails: &Strings, max_len: usize) -> Strings {
    let mut all = Strings::new();
    for head in heads {
        for tail in tails.iter().filter(|tail| head.len() + tail.len() <= max_len) {
            all.insert([head.as_slice(), tail].concat());
        }
    }
    all
}

fn repeat(body: &Strings, min: u32, max: Option<u32>, max_len: usize) -> Strings {
    let mut copies: Strings = [Vec::new()].into();
    let mut members = Strings::new();
    let mut count = 0;
    loop {
        if count >= min {
            members.extend(copies.iter().cloned());
        }
        if max == Some(count) {
            return members;
        }
        let more = concatenate(&copies, body, max_len);
        // From here on every count gives the same, the least and the greatest included.
        if more == copies {
            members.extend(copies);
            return members;
        }
        copies = more;
        count += 1;
    }
}

/// What a JSON string of these bytes spells, by the rules of RFC 8259; `None` if it is not the inside of a string.
fn json_decode(bytes: &[u8]) -> Option<String> {
    let mut utf16: Vec<u16> = Vec::new();
    let mut chars = std::str::from_utf8(bytes).ok()?.chars();
    while let Some(c) = chars.next() {
        let unit = match c {
            '"' | '\0'..='\u{1F}' => return None,
            '\\' => match chars.next()? {
                c @ ('"' | '\\' | '/') => c as u16,
                'b' => 8,
                'f' => 12,
                'n' => 10,
                'r' => 13,
                't' => 9,
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let is_hex = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    is_hex.then(|| u16::from_str_radix(&digits, 16).ok())??
                }
                _ => return None,
            },
            c => {
                utf16.extend(c.encode_utf16(&mut [0; 2]).iter());
                continue;
            }
        };
        utf16.push(unit);
    }
    String::from_utf16(&utf16).ok()
}

/// Whether a text is in a text expression, for texts that the alphabet cannot spell: the question is put to a grammar of
/// that expression's own with the text's bytes as alphabet.
fn json_operand(grammar: &Grammar, operand: ExprId) -> impl Fn(&str) -> bool {
    let alone = crate::generate::extract(grammar, operand);
    let reference = crate::Reference::new(&alone);
    move |text| reference.accepts(text.as_bytes())
}
