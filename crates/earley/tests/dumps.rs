//! Rows as text: the worked example of `rows.rs`, tail calls, counts.

use expect_test::{Expect, expect};
use formwork_earley::{Limits, Rows};
use formwork_fsm::Config;

/// The rows after each byte, each printed once.
fn check(grammar: &str, text: &str, expected: Expect) {
    let grammar = formwork_ebnf::grammar(grammar).expect("a grammar");
    let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata");
    let mut rows = Rows::new(automata.into(), Limits::default());
    let mut row = rows.start().expect("within limits");
    let mut seen = vec![row];
    let mut out = rows.dump(row);
    for byte in text.bytes() {
        row = rows.advance(row, byte).expect("within limits").expect("accepted");
        out.push_str(&format!("{:?}\n", char::from(byte)));
        if seen.contains(&row) {
            out.push_str(&format!("{row:?} again\n"));
        } else {
            out.push_str(&rows.dump(row));
            seen.push(row);
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn elements_of_a_list_share_their_rows() {
    check(
        "root ::= \"[\" (root (\",\" root)*)? \"]\"\n",
        "[[],[],[]",
        expect![[r#"
            row0 next { 5b }
              r0s0 of root from here
            '['
            row1 next { 5b 5d }
              r0s0 of root from here
              r0s1 of root from t1
              waits for root, then r0s3 of root from t1
            '['
            row2 next { 5b 5d }
              r0s0 of root from here
              r0s1 of root from t2
              waits for root, then r0s3 of root from t2
            ']'
            row3 next { 2c 5d }
              r0s3 of root from t1
            ','
            row4 next { 5b }
              r0s0 of root from here
              waits for root, then r0s3 of root from t1
            '['
            row2 again
            ']'
            row3 again
            ','
            row4 again
            '['
            row2 again
            ']'
            row3 again
        "#]],
    );
}

#[test]
fn a_tail_call_waits_for_nothing_of_its_own() {
    check(
        "root ::= \"a\" b\nb ::= \"(\" b \")\" | \"x\" root | \"y\"\n",
        "a(xa(y",
        expect![[r#"
            row0 next { 61 }
              r0s0 of root from here
            'a'
            row1 next { 28 78-79 }
              r0s1 of root from t1
              r1s0 of b from here
              waits for b, then r0s2 of root from t1
            '('
            row2 next { 28 78-79 }
              r1s0 of b from here
              r1s1 of b from t2
              waits for b, then r1s3 of b from t2
            'x'
            row3 next { 61 }
              r0s0 of root from here
              waits for root, then r1s3 of b from t2
            'a'
            row4 next { 28 78-79 }
              r0s1 of root from t4
              r1s0 of b from here
              waits for b, then r1s3 of b from t2
            '('
            row5 next { 28 78-79 }
              r1s0 of b from here
              r1s1 of b from t3
              waits for b, then r1s3 of b from t3
            'y'
            row6 next { 29 }
              r1s3 of b from t3
        "#]],
    );
}

#[test]
fn counts_are_part_of_an_item() {
    check(
        "root ::= [a-z]{20,90} \".\"\n",
        "abc",
        expect![[r#"
            row0 next { 2e 61-7a }
              r0s0 of root from here, 0 ticks
            'a'
            row1 next { 2e 61-7a }
              r0s0 of root from t1, 1 ticks
            'b'
            row2 next { 2e 61-7a }
              r0s0 of root from t1, 2 ticks
            'c'
            row3 next { 2e 61-7a }
              r0s0 of root from t1, 3 ticks
        "#]],
    );
}
