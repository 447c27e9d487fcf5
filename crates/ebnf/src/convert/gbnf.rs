//! Grammars as GBNF.
//!
//! `Display` has already worked out what is written where and under which name; its text is cut into tokens again, and
//! names, strings and classes are spelled the other way.

use super::{ConvertError, ConvertErrorKind, find, left_recursion, obstacle, region};
use crate::dialect::EBNF;
use crate::literal;
use crate::token::{Kind, tokens};
use formwork_grammar::{CharClass, Expr, Grammar, HashMap, HashSet};

/// A grammar as [GBNF](crate::gbnf) that llama.cpp reads, linear in the size of the grammar.
///
/// The root rule is called `root`, and the names of rules are made to fit: ASCII letters, digits and dashes.
/// Reading the result and writing it again gives the same text.
///
/// ```
/// let grammar = formwork_ebnf::grammar("root ::= größe* [^\\n]\ngröße ::= \"\\u00e9\" | \"-\"{2}")?;
/// let expected = "root ::= gr--e* [^\\n]\ngr--e ::= \"é\" | \"-\"{2}\n";
/// assert_eq!(formwork_ebnf::to_gbnf(&grammar)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The grammar has what GBNF has no words for: intersections, complements, JSON spellings, bytes, the empty language,
/// budgets and captures; left recursion, or the endless repetition of what may be empty, both of which llama.cpp refuses.
pub fn to_gbnf(grammar: &Grammar) -> Result<String, ConvertError> {
    let refused = find(grammar, grammar.rule_ids(), |rule, expr| {
        let what = match expr {
            Expr::Never => Some("what matches nothing (`[]`)"),
            expr => obstacle(expr),
        };
        what.map(|what| {
            let message = format!("GBNF has no words for {what}");
            ConvertError::new(ConvertErrorKind::NotExpressible, grammar, rule, message)
        })
    });
    if let Some(error) = refused.or_else(|| region(grammar, grammar.rule_ids(), "GBNF has")) {
        return Err(error);
    }
    if let Some(rule) = left_recursion::left_recursive(grammar) {
        let message = "llama.cpp refuses rules that can begin with themselves (left recursion), and `*` over what \
                       may be empty; write the repetition as `a (b a)*`";
        return Err(ConvertError::new(ConvertErrorKind::Recursive, grammar, rule, message));
    }
    let source = grammar.to_string();
    let table = &EBNF;
    let tokens = tokens(&source, table);
    let heads =
        tokens.windows(2).filter(|pair| pair[1].kind == Kind::Defines).map(|pair| &source[pair[0].span()]);
    let names = names(heads, grammar.root().index());
    let (mut text, mut written) = (String::with_capacity(source.len()), 0);
    for token in tokens {
        let span = token.span();
        text.push_str(&source[written..span.start]);
        written = span.end;
        match token.kind {
            Kind::Name => text.push_str(&names[&source[span]]),
            Kind::Text => {
                let Ok(string) = literal::text(&source, span, table) else { unreachable!("it was printed") };
                text.push('"');
                string.chars().for_each(|c| write_char(&mut text, c, "\"\\"));
                text.push('"');
            }
            Kind::Class => {
                let Ok(class) = literal::class(&source, span, table) else { unreachable!("it was printed") };
                write_class(&mut text, &class);
            }
            _ => text.push_str(&source[span]),
        }
    }
    Ok(text)
}

/// What each printed name becomes. Names that are fit keep themselves, whatever the others want.
fn names<'a>(heads: impl Iterator<Item = &'a str>, root: usize) -> HashMap<&'a str, String> {
    let is_fit = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let heads: Vec<&str> = heads.collect();
    let mut taken: HashSet<String> = ["root".to_owned()].into_iter().collect();
    let mut names: HashMap<&str, String> = HashMap::default();
    for (i, &head) in heads.iter().enumerate() {
        if i == root {
            names.insert(head, "root".to_owned());
        } else if is_fit(head) && taken.insert(head.to_owned()) {
            names.insert(head, head.to_owned());
        }
    }
    let mut suffixes: HashMap<String, usize> = HashMap::default();
    for head in heads {
        if names.contains_key(head) {
            continue;
        }
        let plain: String = head.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let mut unique = plain.clone();
        while !taken.insert(unique.clone()) {
            let n = suffixes.entry(plain.clone()).or_insert(1);
            *n += 1;
            unique = format!("{plain}-{n}");
        }
        names.insert(head, unique);
    }
    names
}

fn write_class(text: &mut String, class: &CharClass) {
    if *class == CharClass::any() {
        text.push('.');
        return;
    }
    let negated = class.contains(char::MAX).then(|| class.negate());
    text.push_str(if negated.is_some() { "[^" } else { "[" });
    for &(low, high) in negated.as_ref().unwrap_or(class).ranges() {
        write_char(text, low, "[]\\");
        if low < high {
            text.push('-');
            write_char(text, high, "[]\\");
        }
    }
    text.push(']');
}

/// A character, escaped if it is special here or could not be seen. `special` is that of a class if it has brackets.
fn write_char(text: &mut String, c: char, special: &str) {
    let code = u32::from(c);
    let is_visible = c.is_ascii_graphic() || c == ' ' || !c.is_ascii() && c.escape_debug().len() == 1;
    match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        // llama.cpp has no escapes for these two.
        '-' | '^' if special.contains('[') => text.push_str(if c == '-' { "\\x2D" } else { "\\x5E" }),
        _ if special.contains(c) => text.extend(['\\', c]),
        _ if is_visible => text.push(c),
        _ if code <= 0xFF => text.push_str(&format!("\\x{code:02X}")),
        _ if code <= 0xFFFF => text.push_str(&format!("\\u{code:04X}")),
        _ => text.push_str(&format!("\\U{code:08X}")),
    }
}
