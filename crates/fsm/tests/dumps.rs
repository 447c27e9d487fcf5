//! Automata as text: one small grammar per idea.

mod common;

use common::{check, check_with};
use expect_test::expect;
use formwork_fsm::{Config, ErrorKind};

#[test]
fn whether_a_rule_may_be_empty_is_a_fixpoint() {
    // Looking at each rule's own automaton would refuse "x".
    check(
        "root ::= a \"x\"\na ::= b a b | b\nb ::= \"b\"?\n",
        expect![[r#"
            r0 root
              s0: b -> s1, x -> s2, {r1} -> s1
              s1: x -> s2
              s2*
            r1 a
              s0: b -> s1, {r1} -> s2
              s1*: b -> s2, {r1} -> s2
              s2*: b -> s3
              s3*
        "#]],
    );
}

#[test]
fn a_rule_of_characters_goes_in_line() {
    check(
        "root ::= word (\" \" word)*\nword ::= char+\nchar ::= [a-z]\n",
        expect![[r#"
        r0 root
          s0: a-z -> s1
          s1*: 20 -> s0, a-z -> s1
    "#]],
    );
}

#[test]
fn a_closed_rule_that_is_shared_is_kept() {
    check(
        "root ::= string \":\" string\nstring ::= \"\\\"\" [a-z]* \"\\\"\"\n",
        expect![[r#"
        r0 root
          s0: " -> s1
          s1: " -> s2, a-z -> s1
          s2: : -> s3
          s3: " -> s4
          s4: " -> s5, a-z -> s4
          s5*
    "#]],
    );
}

#[test]
fn a_closed_rule_that_is_large_and_shared_is_kept() {
    check(
        "root ::= string \":\" string\nstring ::= \"\\\"\" (\"abcdefghijklmnopqrstuvwxyz\" | \"zyxwvutsrqponmlkjihgfedcba\" | \"qwertzuiopasdfghjklyxcvbnm\" | [a-z])* \"\\\"\"\n",
        expect![[r#"
            r0 root
              s0: {r1} -> s1
              s1: : -> s2
              s2: {r1} -> s3
              s3*
            r1 string
              s0: " -> s1
              s1: " -> s2, a-z -> s1
              s2*
        "#]],
    );
}

#[test]
fn right_recursion_is_a_jump() {
    check(
        "root ::= \"a\" root | \"b\"\n",
        expect![[r#"
        r0 root
          s0: a -> s0, b -> s1
          s1*
    "#]],
    );
}

/// The worked example of `nfa.rs`.
#[test]
fn optional_parts_share_what_follows() {
    check(
        "root ::= \"x\"? \"y\"? \"z\"\n",
        expect![[r#"
        r0 root
          s0: x -> s1, y -> s2, z -> s3
          s1: y -> s2, z -> s3
          s2: z -> s3
          s3*
    "#]],
    );
}

/// The worked example of `nullable.rs`.
#[test]
fn no_automaton_accepts_the_empty_text() {
    let mut config = Config::default();
    config.inlining = false;
    let grammar = formwork_ebnf::grammar("root ::= a b \"!\"\na ::= \"x\"?\nb ::= a a\n").expect("a grammar");
    let automata = formwork_fsm::build(&grammar, &config, &|| false).expect("automata");
    expect![[r#"
        r0 root
          s0: ! -> s1, {r1} -> s2, {r2} -> s3
          s1*
          s2: ! -> s1, {r2} -> s3
          s3: ! -> s1
        r1 a
          s0: x -> s1
          s1*
        r2 b
          s0: {r1} -> s1
          s1*: {r1} -> s2
          s2*
    "#]]
    .assert_eq(&automata.to_string());
}

#[test]
fn ambiguous_operators_are_a_loop() {
    check(
        "root ::= root \"+\" root | root \"*\" root | \"(\" root \")\" | [0-9]\n",
        expect![[r#"
        r0 root
          s0: ( -> s1, 0-9 -> s2
          s1: {r0} -> s3
          s2*: *-+ -> s0
          s3: ) -> s2
    "#]],
    );
}

#[test]
fn arithmetic_with_levels_keeps_one_rule_per_cycle() {
    check(
        "root ::= root \"+\" term | term\nterm ::= term \"*\" factor | factor\nfactor ::= [0-9] | \"(\" root \")\"\n",
        expect![[r#"
            r0 root
              s0: ( -> s1, 0-9 -> s2
              s1: {r0} -> s3
              s2*: *-+ -> s0
              s3: ) -> s2
        "#]],
    );
}

#[test]
fn complements_and_intersections_are_multiplied_out() {
    check(
        "root ::= And([a-c]*, Not(\"ab\"), Not(\"\"))\n",
        expect![[r#"
        r0 root
          s0: a -> s1, b-c -> s2
          s1*: a -> s2, b -> s3, c -> s2
          s2*: a-c -> s2
          s3: a-c -> s2
    "#]],
    );
}

#[test]
fn json_text_spells_a_character_in_every_way() {
    check(
        "root ::= JsonText(\"/\")\n",
        expect![[r#"
            r0 root
              s0: / -> s1, {r1} -> s1
              s1*
            r1 root
              s0: \ -> s1
              s1: / -> s6, u -> s2
              s2: 0 -> s3
              s3: 0 -> s4
              s4: 2 -> s5
              s5: F -> s6, f -> s6
              s6*
        "#]],
    );
}

#[test]
fn dead_ends_are_cut_off() {
    check(
        "root ::= \"a\" (\"b\" | \"c\" never | \"d\" [])\nnever ::= \"x\" never\n",
        expect![[r#"
        r0 root
          s0: a -> s1
          s1: b -> s2
          s2*
    "#]],
    );
}

#[test]
fn an_empty_language_names_the_rule_to_blame() {
    check(
        "root ::= \"a\" middle\nmiddle ::= \"b\" loop\nloop ::= \"x\" loop\n",
        expect![[r#"
            Empty: line 3, column 1: the grammar matches no output at all: rule `loop` can never end (every way through it leads back into itself)
        "#]],
    );
    check(
        "root ::= root\n",
        expect![[r#"
            Empty: line 1, column 1: the grammar matches no output at all: rule `root` can never end (every way through it leads back into itself)
        "#]],
    );
}

#[test]
fn rules_that_end_with_each_other_are_one_automaton() {
    // Binary numbers that are multiples of three: one rule for each remainder.
    check(
        "root ::= \"<\" a \">\"\na ::= (\"0\" a | \"1\" b)?\nb ::= \"0\" c | \"1\" a\nc ::= \"0\" b | \"1\" c\n",
        expect![[r#"
            r0 root
              s0: < -> s1
              s1: 0 -> s1, 1 -> s2, > -> s3
              s2: 0 -> s4, 1 -> s1
              s3*
              s4: 0 -> s2, 1 -> s4
        "#]],
    );
}

#[test]
fn without_inlining_and_counters_the_language_is_the_same() {
    let mut config = Config::default();
    config.inlining = false;
    config.counters = false;
    check_with(
        &config,
        "root ::= word{2,3}\nword ::= [a-z] \" \"?\n",
        expect![[r#"
            r0 root
              s0: {r1} -> s1
              s1: {r1} -> s2
              s2*: {r1} -> s3
              s3*
            r1 word
              s0: a-z -> s1
              s1*: 20 -> s2
              s2*
        "#]],
    );
}

#[test]
fn limits_are_errors_that_name_the_rule() {
    let mut config = Config::default();
    config.limits.max_states = 50;
    config.counters = false;
    config.lazy = false;
    let grammar =
        formwork_ebnf::grammar("root ::= \"(\" big \")\"\nbig ::= [a-z]{100}\n").expect("a grammar");
    let error = formwork_fsm::build(&grammar, &config, &|| false).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Limit);
    config.limits.max_states = 1_000;
    config.limits.max_work = 20;
    let error = formwork_fsm::build(&grammar, &config, &|| false).expect_err("too much work");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = formwork_fsm::build(&grammar, &Config::default(), &|| true).expect_err("interrupted");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

/// A state for each set of the last places where an `a` was: far fewer states than members.
#[test]
fn members_of_states_are_bounded() {
    let mut config = Config::default();
    (config.counters, config.lazy) = (false, false);
    config.limits.max_members = 10_000;
    let grammar =
        |n| formwork_ebnf::grammar(&format!("root ::= [ab]* \"a\" [ab]{{{n}}}\n")).expect("a grammar");
    assert!(formwork_fsm::build(&grammar(5), &config, &|| false).is_ok());
    let error = formwork_fsm::build(&grammar(12), &config, &|| false).expect_err("too many members");
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("10000 nodes in the states"), "{error}");
}

#[test]
fn of_a_rule_on_a_cycle_only_the_cycle_is_kept() {
    check(
        "root ::= atom* \".\"\natom ::= [a-z] | \"(\" atom* \")\"\n",
        expect![[r#"
            r0 root
              s0: . -> s1, a-z -> s0, {r1} -> s0
              s1*
            r1 atom
              s0: ( -> s1
              s1: ) -> s2, a-z -> s1, {r1} -> s1
              s2*
        "#]],
    );
}

/// `item` is on the cycle as well, and as closed as `atom`.
#[test]
fn another_name_for_a_rule_on_a_cycle_changes_nothing() {
    check(
        "root ::= item* \".\"\nitem ::= atom\natom ::= [a-z] | \"(\" item* \")\"\n",
        expect![[r#"
            r0 root
              s0: . -> s1, a-z -> s0, {r1} -> s0
              s1*
            r1 atom
              s0: ( -> s1
              s1: ) -> s2, a-z -> s1, {r1} -> s1
              s2*
        "#]],
    );
}

#[test]
fn symbols_are_called() {
    check(
        "root ::= \"a\" Token(\"<x>\", 7) \"b\" | \"a\" ExcludeToken(7)*",
        expect![[r#"
            r0 root
              s0: a -> s1
              s1*: {r1} -> s2, {r2} -> s3
              s2*: {r1} -> s2
              s3: b -> s4
              s4*
            r1 root is ExcludeToken(7)
              s0
            r2 root is Token(7, "<x>")
              s0
        "#]],
    );
}

#[test]
fn text_up_to_a_trigger_is_a_machine() {
    // `b` fires inside `ab`, and `abc` can never come.
    check(
        "root ::= Until((\"ab\", \"1\"), (\"b\", \"2\"), (\"abc\", \"3\"))",
        expect![[r#"
        r0 root
          s0: 00-` -> s0, a -> s1, b -> s2, c-7f -> s0, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s1: 00-` -> s0, a -> s1, b -> s10, c-7f -> s0, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s2: 2 -> s11
          s3: 80-bf -> s0
          s4: a0-bf -> s3
          s5: 80-bf -> s3
          s6: 80-9f -> s3
          s7: 90-bf -> s5
          s8: 80-bf -> s5
          s9: 80-8f -> s5
          s10: 1-2 -> s11
          s11*
    "#]],
    );
    // A dispatch that loops is a jump.
    check(
        "root ::= TagDispatch((\"<a>\", \"x\"), excludes=(\"<b\"))",
        expect![[r#"
        r0 root or empty
          s0: 00-; -> s1, < -> s2, =-7f -> s1, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s1*: 00-; -> s1, < -> s2, =-7f -> s1, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s2*: 00-; -> s1, < -> s2, =-` -> s1, a -> s10, c-7f -> s1, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s3: 80-bf -> s1
          s4: a0-bf -> s3
          s5: 80-bf -> s3
          s6: 80-9f -> s3
          s7: 90-bf -> s5
          s8: 80-bf -> s5
          s9: 80-8f -> s5
          s10*: 00-; -> s1, < -> s2, = -> s1, > -> s11, ?-7f -> s1, c2-df -> s3, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s11: x -> s1
    "#]],
    );
    // Beyond ASCII.
    check(
        "root ::= Until((\"é\", \"\"), excludes=(\"ë\"), ends=true)",
        expect![[r#"
        r0 root or empty
          s0: 00-7f -> s1, c2 -> s2, c3 -> s3, c4-df -> s2, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s1*: 00-7f -> s1, c2 -> s2, c3 -> s3, c4-df -> s2, e0 -> s4, e1-ec -> s5, ed -> s6, ee-ef -> s5, f0 -> s7, f1-f3 -> s8, f4 -> s9
          s2: 80-bf -> s1
          s3: 80-a8 -> s1, a9 -> s10, aa -> s1, ac-bf -> s1
          s4: a0-bf -> s2
          s5: 80-bf -> s2
          s6: 80-9f -> s2
          s7: 90-bf -> s5
          s8: 80-bf -> s5
          s9: 80-8f -> s5
          s10*
    "#]],
    );
    // Nothing excluded may be completed, the same text least of all.
    check(
        "root ::= Until((\"a\", \"\"), excludes=(\"a\"))",
        expect![[r#"
        Empty: line 1, column 1: the grammar matches no output at all: rule `root` can never end (no text matches it)
    "#]],
    );
}

#[test]
fn a_lazy_rule_ends_as_soon_as_it_can_and_a_bounded_one_in_time() {
    check(
        "root ::= x \"b\"\nx[lazy] ::= \"a\"* \"b\"+\n",
        expect![[r#"
        r0 root
          s0: a -> s0, b -> s1
          s1: b -> s2
          s2*
    "#]],
    );
    check(
        "root ::= x \"b\"\nx[max_chars=2] ::= \"a\"* \"b\"\n",
        expect![[r#"
        r0 root
          s0: a -> s1, b -> s2
          s1: b -> s2
          s2: b -> s3
          s3*
    "#]],
    );
}

#[test]
fn white_space_behind_a_recursive_rule_goes_in_line() {
    // As part of the rule it would put an end of the rule, and of all around it, behind each blank.
    check(
        "root ::= block\nblock ::= \"{\" ws ([a-z]+ ws | block)* \"}\" ws\nws ::= [ \\n]*\n",
        expect![[r#"
            r0 root
              s0: {r1} -> s1
              s1*: 0a -> s1, 20 -> s1
            r1 block
              s0: { -> s1
              s1: 0a -> s1, 20 -> s1, a-z -> s2, } -> s3, {r1} -> s2
              s2: 0a -> s2, 20 -> s2, a-z -> s2, } -> s3, {r1} -> s2
              s3*
        "#]],
    );
}

#[test]
fn sets_are_one_automaton_whose_calls_are_members() {
    // The worked example of `guards.rs`, with a second member that has a key of its own.
    let mut b = formwork_grammar::GrammarBuilder::new();
    let (key, other) = (b.literal("\"k\":"), b.literal("\"l\":"));
    let digit = b.class(formwork_grammar::CharClass::range('0', '9'));
    let (one, two) = (b.member(0, digit), b.member(1, digit));
    let (one, two) = (b.seq([key, one]), b.seq([other, two]));
    let members = b.alt([one, two]);
    let members = b.star(members);
    let (open, close) = (b.literal("{"), b.literal("}"));
    let body = b.seq([open, members, close]);
    let set = b.set(body, [0]);
    let root = b.declare("root", formwork_grammar::Place::none());
    b.define(root, set);
    let grammar = b.build(root).expect("a set");
    assert_eq!(
        grammar.to_string(),
        "root ::= Set(\"{\" (\"\\\"k\\\":\" Member(0, [0-9]) | \"\\\"l\\\":\" Member(1, [0-9]))* \"}\", requires=(0))\n"
    );
    let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("builds");
    expect![[r#"
        r0 root is a set
          s0: { -> s1
          s1: " -> s2, } -> s3
          s2: k -> s4, l -> s5
          s3*
          s4: " -> s6
          s5: " -> s7
          s6: : -> s8
          s7: : -> s9
          s8: {r1} ->+0 s1
          s9: {r1} ->+1 s1
        r1 root
          s0: 0-9 -> s1
          s1*
    "#]]
    .assert_eq(&automata.to_string());
    // Behind `"k` the member must not have come; behind `}` it must.
    let at = |text: &str| {
        let mut state = automata.start(automata.root());
        for byte in text.bytes() {
            state = automata.step(state, byte).0.expect("reads it");
        }
        state
    };
    assert_eq!(automata.guard(at("{")), 0);
    assert!(automata.may_go_on(at("{\"k"), &[0b10]) && !automata.may_go_on(at("{\"k"), &[0b01]));
    assert!(automata.is_only_member(at("{\"k"), 0) && !automata.is_only_member(at("{\""), 0));
    assert!(automata.may_go_on(at("{\""), &[0b01]) && !automata.may_go_on(at("{\""), &[0b11]));
    assert!(automata.may_go_on(at("{}"), &[0b01]) && !automata.may_go_on(at("{}"), &[0b10]));
}

#[test]
fn a_root_that_only_ends_with_itself_is_called_by_nobody() {
    let is_called = |text: &str| {
        let grammar = formwork_ebnf::grammar(text).expect("a grammar");
        let automata = formwork_fsm::build(&grammar, &Config::default(), &|| false).expect("automata");
        automata.is_called(automata.root())
    };
    for text in [
        r#"root ::= "a" root | "b""#,
        r#"root ::= TagDispatch(("<a>", a), ("<b>", b))
           a ::= "x"+
           b ::= "[" a "]""#,
    ] {
        assert!(!is_called(text), "{text}");
    }
    for text in [
        r#"root ::= "(" root ")" | "b""#,
        r#"root ::= TagDispatch(("<a>", a))
           a ::= "[" root "]""#,
    ] {
        assert!(is_called(text), "{text}");
    }
}
