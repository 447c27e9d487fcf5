//! Automata as text: what is counted, and what is copied or multiplied out.

mod common;

use common::check;
use expect_test::expect;

#[test]
fn a_large_repetition_counts_with_its_delimiters() {
    check(
        "root ::= \"<\" [a-z]{20,500} \">\"\n",
        expect![[r#"
        r0 root counts 20..=500
          s0: < -> s1
          s1: > -> s2, a-z ->+ s1
          s2*
    "#]],
    );
}

#[test]
fn the_few_letters_that_must_come_are_delimiters_of_a_large_repetition() {
    check(
        "root ::= \"<\" [a-z]{2,500} \">\"\n",
        expect![[r#"
        r0 root counts 0..=498
          s0: < -> s1
          s1: a-z -> s2
          s2: a-z -> s3
          s3: > -> s4, a-z ->+ s3
          s4*
    "#]],
    );
    // Not where no more letters are left than a mask looks ahead.
    check(
        "root ::= \"<\" [^<>]{2,30} \">\"\n",
        expect![[r#"
            r0 root counts 2..=30
              s0: < -> s1
              s1: > -> s2, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9, 00-; ->+ s1, = ->+ s1, ?-7f ->+ s1
              s2*
              s3: 80-bf ->+ s1
              s4: a0-bf -> s3
              s5: 80-bf -> s3
              s6: 80-9f -> s3
              s7: 90-bf -> s5
              s8: 80-bf -> s5
              s9: 80-8f -> s5
        "#]],
    );
}

#[test]
fn a_repetition_in_a_json_text_counts_with_the_quotes_around_it() {
    // Also where the text may be another one: the quotes go along with each.
    check(
        "root ::= \"\\\"\" JsonText(\"\" | ([a-c]+ \",\"){0,500} [x-z]+) \"\\\"\"\n",
        expect![[r#"
        r0 root
          s0: " -> s1, {r1} -> s2
          s1: " -> s2
          s2*
        r1 root counts 0..=500
          s0: " -> s1
          s1: \ -> s2, a-c -> s3, x-z -> s4
          s2: u -> s5
          s3: \ -> s6, a-c -> s3, 2c ->+ s1
          s4: " -> s7, \ -> s8, x-z -> s4
          s5: 0 -> s9
          s6: u -> s10
          s7*
          s8: u -> s11
          s9: 0 -> s12
          s10: 0 -> s13
          s11: 0 -> s14
          s12: 6 -> s15, 7 -> s16
          s13: 0 -> s17
          s14: 0 -> s18
          s15: 1-3 -> s3
          s16: 8-9 -> s4, A -> s4, a -> s4
          s17: 2 -> s19, 6 -> s15
          s18: 7 -> s16
          s19: C ->+ s1, c ->+ s1
    "#]],
    );
}

#[test]
fn an_ambiguous_counted_body_ticks_and_does_not_on_the_same_byte() {
    check(
        "root ::= ([a-z]+ \" \"?){1,500}\n",
        expect![[r#"
        r0 root counts 1..=500
          s0: a-z -> s1, a-z ->+ s2
          s1: a-z -> s1, 20 ->+ s2, a-z ->+ s2
          s2*: a-z -> s1, a-z ->+ s2
    "#]],
    );
}

#[test]
fn a_counted_body_that_may_be_empty_has_no_least_number() {
    check(
        "root ::= ([a-z]?){40,100000}\n",
        expect![[r#"
            r0 root counts 0..=100000 or empty
              s0: {r1} ->+ s1
              s1*: {r1} ->+ s1
            r1 root
              s0: a-z -> s1
              s1*
        "#]],
    );
}

#[test]
fn repetitions_of_rules_count_items_of_lists() {
    check(
        "root ::= \"[\" v (\",\" v){2,80} \"]\"\nv ::= \"x\" | root\n",
        expect![[r#"
            r0 root
              s0: [ -> s1
              s1: x -> s2, {r0} -> s2
              s2: {r1} -> s3
              s3*
            r1 root counts 2..=80
              s0: 2c -> s1, ] -> s2
              s1: x ->+ s0, {r0} ->+ s0
              s2*
        "#]],
    );
}

#[test]
fn a_pattern_with_a_length_ticks_per_character() {
    check(
        "root ::= \"<\" And([a-z]+ \"@\" [a-z]+, [^]{5,1024}) \">\"\n",
        expect![[r#"
        r0 root counts 5..=1024
          s0: < -> s1
          s1: a-z ->+ s2
          s2: @ ->+ s3, a-z ->+ s2
          s3: a-z ->+ s4
          s4: > -> s5, a-z ->+ s4
          s5*
    "#]],
    );
}

#[test]
fn bounds_that_fit_into_a_gap_of_a_patterns_lengths_are_multiplied_out() {
    check(
        "root ::= And((\"ab\")*, [^]{3,17})\n",
        expect![[r#"
            r0 root counts 3..=17
              s0: a ->+ s1
              s1: b ->+ s2
              s2*: a ->+ s1
        "#]],
    );
    check(
        "root ::= And((\"ab\")*, [^]{16,16})\n",
        expect![[r#"
            r0 root
              s0: a -> s1
              s1: b -> s2
              s2: a -> s3
              s3: b -> s4
              s4: a -> s5
              s5: b -> s6
              s6: a -> s7
              s7: b -> s8
              s8: a -> s9
              s9: b -> s10
              s10: a -> s11
              s11: b -> s12
              s12: a -> s13
              s13: b -> s14
              s14: a -> s15
              s15: b -> s16
              s16*
        "#]],
    );
}

/// Behind `\u006` there is `a` or `b`, and no text of four letters, though `z` fills the gap between them.
#[test]
fn a_gap_in_the_middle_of_an_escape_is_one() {
    let text = "\"a\" [a-z]{4} | \"b\" [a-z]{0,2} | \"z\" [a-z]{3}";
    check(
        &format!("root ::= And({text}, [^]{{4,4}})\n"),
        expect![[r#"
        r0 root
          s0: z -> s1
          s1: a-z -> s2
          s2: a-z -> s3
          s3: a-z -> s4
          s4*
    "#]],
    );
    check(
        &format!("root ::= And({text}, [^]{{3,4}})\n"),
        expect![[r#"
        r0 root
          s0: b -> s1, z -> s2
          s1: a-z -> s3
          s2: a-z -> s1
          s3: a-z -> s4
          s4*
    "#]],
    );
}

#[test]
fn with_one_bound_gaps_do_not_matter() {
    check(
        "root ::= And((\"ab\")*, [^]{0,100})\n",
        expect![[r#"
        r0 root counts 0..=100 or empty
          s0: a ->+ s1
          s1: b ->+ s2
          s2*: a ->+ s1
    "#]],
    );
    check(
        "root ::= And((\"ab\")*, [^]{30,})\n",
        expect![[r#"
        r0 root counts 30..
          s0: a ->+ s1
          s1: b ->+ s2
          s2*: a ->+ s1
    "#]],
    );
}

#[test]
fn a_short_run_of_a_narrow_class_is_copied() {
    check(
        "root ::= JsonText([0-9]){3}\n",
        expect![[r#"
        r0 root
          s0: 0-9 -> s1, \ -> s2
          s1: 0-9 -> s3, \ -> s4
          s2: u -> s5
          s3: 0-9 -> s6, \ -> s7
          s4: u -> s8
          s5: 0 -> s9
          s6*
          s7: u -> s10
          s8: 0 -> s11
          s9: 0 -> s12
          s10: 0 -> s13
          s11: 0 -> s14
          s12: 3 -> s15
          s13: 0 -> s16
          s14: 3 -> s17
          s15: 0-9 -> s1
          s16: 3 -> s18
          s17: 0-9 -> s3
          s18: 0-9 -> s6
    "#]],
    );
}
