//! Formulas as text, for tests and for people who look at the normal form.

use super::build::Normal;
use super::formula::{Atom, Formula, FormulaId};

impl Normal<'_> {
    /// A formula as text. The depth limit of formulas bounds the recursion.
    pub(crate) fn dump(&self, id: FormulaId) -> String {
        let list = |parts: &[FormulaId], with: &str| {
            let parts: Vec<String> = parts.iter().map(|&part| self.dump(part)).collect();
            format!("({})", parts.join(with))
        };
        match self.formulas.get(id) {
            Formula::False => "⊥".to_owned(),
            Formula::True => "⊤".to_owned(),
            Formula::And(parts) => list(parts, " ∧ "),
            Formula::Or(parts) => list(parts, " ∨ "),
            Formula::Atom(atom) => self.dump_atom(atom),
        }
    }

    fn dump_atom(&self, atom: &Atom) -> String {
        let not = |sign: bool| if sign { "" } else { "¬" };
        let range =
            |from: u64, to: Option<u64>| format!("{from}..{}", to.map_or(String::new(), |to| to.to_string()));
        match atom {
            Atom::Integer(sign) => format!("{}int", not(*sign)),
            Atom::Above { bound, strict } => format!("{}{bound}", if *strict { ">" } else { "≥" }),
            Atom::Below { bound, strict } => format!("{}{bound}", if *strict { "<" } else { "≤" }),
            Atom::Multiple(of, sign) => format!("{}×{of}", not(*sign)),
            Atom::NumberIn(set, sign) => {
                let members: Vec<String> = set.iter().map(|number| number.value.to_string()).collect();
                format!("{}{{{}}}", not(*sign), members.join(","))
            }
            Atom::Text(text, sign) => format!("{}{text:?}", not(*sign)),
            Atom::Syntax(syntax, sign) => format!("{}{}", not(*sign), syntax.name()),
            Atom::MinLength(n) => format!("length≥{n}"),
            Atom::MaxLength(n) => format!("length≤{n}"),
            Atom::StringIn(set, sign) => format!("{}{{{}}}", not(*sign), set.join(",")),
            Atom::MinItems(n) => format!("items≥{n}"),
            Atom::MaxItems(n) => format!("items≤{n}"),
            Atom::All { from, to, demand } => format!("∀{}:{}", range(*from, *to), self.dump(*demand)),
            Atom::Some { from, to, demand } => format!("∃{}:{}", range(*from, *to), self.dump(*demand)),
            Atom::AtLeast { n, demand } => format!("#≥{n}:{}", self.dump(*demand)),
            Atom::AtMost { n, demand } => format!("#≤{n}:{}", self.dump(*demand)),
            Atom::Unique(sign) => format!("{}unique", not(*sign)),
            Atom::MinMembers(n) => format!("members≥{n}"),
            Atom::MaxMembers(n) => format!("members≤{n}"),
            Atom::AllKeys { keys, demand } => format!("∀{}:{}", self.dump(*keys), self.dump(*demand)),
            Atom::SomeKey { keys, demand } => format!("∃{}:{}", self.dump(*keys), self.dump(*demand)),
            Atom::Node(node, sign) => {
                format!("{}`{}`", not(*sign), self.reader.registry.forest.pointer(self.place(*node)))
            }
            Atom::Value(demand) | Atom::Claim(demand) => format!("value:{}", self.dump(*demand)),
        }
    }
}
