//! Rows that were looked ahead to stay where they are few, and mean the same whether they stayed or not.

use formwork_earley::{Limits, RowId, Rows};
use formwork_fsm::Config;

/// The row after some bytes.
fn after(rows: &mut Rows, from: RowId, text: &str) -> RowId {
    text.bytes().fold(from, |row, byte| rows.advance(row, byte).expect("within limits").expect("accepted"))
}

#[test]
fn few_rows_stay_and_many_are_released() {
    // Each bracket is a row of its own, since somebody else waits behind it.
    let grammar = formwork_ebnf::grammar("root ::= \"[\" root \"]\" | \"x\"\n").expect("a grammar");
    let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata");
    let mut rows = Rows::new(automata.into(), Limits::default());
    let start = rows.start().expect("within limits");
    let n_before = rows.n_rows();
    for (depth, stays) in [(10, true), (1_000, false)] {
        let text = "[".repeat(depth);
        let n_known = rows.n_rows();
        let mark = rows.mark();
        let ahead = after(&mut rows, start, &text);
        let seen = rows.dump(ahead);
        assert!(rows.n_rows() >= n_before + depth);
        rows.keep_few(mark);
        assert_eq!(rows.n_rows() > n_known, stays, "{depth} rows");
        // Made anew or found again.
        let again = after(&mut rows, start, &text);
        assert_eq!(again, ahead, "rows are numbered in the order in which they are made");
        assert_eq!(rows.dump(again), seen);
    }
}
