//! Units: the pieces of a grammar that get an automaton of their own.
//!
//! Most are rules. The others are *counted* pieces: a large repetition `x{m,n}` becomes an automaton that loops over `x`
//! and ticks, with the bounds tested where it ends, so that its cost does not depend on m and n.
//! A counted piece takes the literals around it along (`"\"" char{1,500} "\""` is one unit), because a unit whose end is
//! decided by its own last byte is a good boundary and one that may end after every character is a bad one.

use crate::plan::Plan;
use crate::spelling::Spelling;
use formwork_grammar::{Expr, ExprId, Grammar, HashMap, RuleId};

/// Copies times size beyond which a repetition is counted instead of copied.
const MAX_COPIED: u64 = 48;

/// What an automaton is built from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A rule of the grammar.
    Rule(RuleId),
    /// An expression by itself, without the empty text: a counted body that may be empty.
    Body(ExprId, Spelling),
    /// A counted repetition and its bounds; `None` means without end.
    Counted { shape: Shape, min: u32, max: Option<u32> },
}

/// A counted repetition without its bounds: units that differ in bounds alone have the same states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) before: Vec<ExprId>,
    pub(crate) body: ExprId,
    pub(crate) after: Vec<ExprId>,
    pub(crate) spelling: Spelling,
}

/// All units met so far; each is built once.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) list: Vec<Entry>,
    ids: HashMap<Unit, u32>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) unit: Unit,
    /// The rule whose name and place messages use.
    pub(crate) rule: RuleId,
}

impl Units {
    pub(crate) fn intern(&mut self, unit: Unit, rule: RuleId) -> u32 {
        if let Some(&id) = self.ids.get(&unit) {
            return id;
        }
        let id = self.list.len() as u32;
        self.list.push(Entry { unit: unit.clone(), rule });
        self.ids.insert(unit, id);
        id
    }
}

/// A run of operands of a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Plain(ExprId),
    Counted { shape: Shape, min: u32, max: Option<u32> },
}

/// Cuts a sequence into plain operands and counted pieces.
pub(crate) fn pieces(grammar: &Grammar, plan: &Plan, parts: &[ExprId], spelling: Spelling) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut next = 0;
    for (i, &part) in parts.iter().enumerate() {
        let Some((body, min, max)) = counted(grammar, plan, part, spelling) else { continue };
        if i < next {
            continue;
        }
        let mut start = i;
        while start > next && is_literal(grammar, parts[start - 1]) {
            start -= 1;
        }
        // Up to the first literal behind, unless another counted piece stands before it.
        let mut end = i + 1;
        for (k, &other) in parts.iter().enumerate().skip(i + 1) {
            if is_literal(grammar, other) {
                end = k + 1;
                break;
            }
            if counted(grammar, plan, other, spelling).is_some() {
                break;
            }
        }
        pieces.extend(parts[next..start].iter().map(|&part| Piece::Plain(part)));
        let (before, after) = (parts[start..i].to_vec(), parts[i + 1..end].to_vec());
        pieces.push(Piece::Counted { shape: Shape { before, body, after, spelling }, min, max });
        next = end;
    }
    pieces.extend(parts[next..].iter().map(|&part| Piece::Plain(part)));
    pieces
}

/// The repetition in `expr`, if it is one that is better counted than copied.
fn counted(
    grammar: &Grammar,
    plan: &Plan,
    expr: ExprId,
    spelling: Spelling,
) -> Option<(ExprId, u32, Option<u32>)> {
    let &Expr::Repeat { body, min, max } = grammar.expr(expr) else { return None };
    if !plan.counts() || spelling == Spelling::CodePoints {
        return None;
    }
    let times = u64::from(max.unwrap_or(min));
    let json = spelling == Spelling::Json || matches!(grammar.expr(body), Expr::JsonText(_));
    let size = u64::from(grammar.properties(body).tree_size) * if json { 16 } else { 1 };
    (times > 1 && times.saturating_mul(size) > MAX_COPIED).then_some((body, min, max))
}

fn is_literal(grammar: &Grammar, expr: ExprId) -> bool {
    match grammar.expr(expr) {
        Expr::Bytes(_) | Expr::ByteClass(_) | Expr::Class(_) => true,
        Expr::JsonText(body) => matches!(grammar.expr(*body), Expr::Bytes(_) | Expr::Class(_)),
        _ => false,
    }
}
