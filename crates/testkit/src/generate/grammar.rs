//! Random grammars.
//!
//! Every rule is made by one of a few recipes, each a shape that has broken an engine before (null rules, left recursion
//! plain, hidden and mutual, cycles, ambiguity, counts of nullable things, …), over operands that are themselves mixed
//! from letters, rules and earlier mixtures.
//! Mixing takes operands from a growing pool instead of recursing, so sharing comes out as in real grammars.

use crate::{Reference, Rng};
use formwork_grammar::{
    ByteSet, CharClass, ExprId, Grammar, GrammarBuilder, Place, RuleId, Symbol, SymbolSet,
};

/// What random grammars are made of.
#[derive(Clone, Debug)]
pub struct GrammarShape {
    /// The characters that literals and classes are made of.
    pub letters: Vec<char>,
    /// At most so many rules; at least one.
    pub max_rules: usize,
    /// About so many mixtures in the pool that operands are taken from.
    pub max_mixtures: usize,
    /// One rule in so many gets an operator on texts (`And`, `Not`, `JsonText`); 0 for never.
    pub text_operators: usize,
    /// One operand in so many is a class of bytes rather than of characters; 0 for never.
    pub byte_classes: usize,
    /// Counts go up to this.
    pub max_count: u32,
    /// One operand in so many is a symbol, a tag, or text up to a trigger; 0 for never. Not together with byte classes, which
    /// might read what symbols are spelled with.
    pub tags: usize,
}

impl Default for GrammarShape {
    /// Up to four rules over `a`, `b` and a letter of two bytes.
    fn default() -> Self {
        Self {
            letters: vec!['a', 'b', 'é'],
            max_rules: 4,
            max_mixtures: 6,
            text_operators: 12,
            byte_classes: 20,
            max_count: 40,
            tags: 0,
        }
    }
}

impl GrammarShape {
    /// Rules over plain letters alone: no operators on texts, no classes of bytes.
    pub fn context_free(letters: &str) -> Self {
        Self { letters: letters.chars().collect(), text_operators: 0, byte_classes: 0, ..Self::default() }
    }

    /// Every rule has an operator on texts, over letters that JSON escapes are written with.
    pub fn texts() -> Self {
        Self {
            letters: vec!['a', '"', '\\', 'n', '\n', 'é', '😀'],
            text_operators: 1,
            byte_classes: 0,
            ..Self::default()
        }
    }

    /// Plain letters, symbols, and text up to triggers that are parts of each other.
    pub fn tags(letters: &str) -> Self {
        Self { tags: 2, max_count: 5, ..Self::context_free(letters) }
    }

    /// The different bytes of the letters, ascending.
    pub fn alphabet(&self) -> Vec<u8> {
        let bytes: ByteSet = self.letters.iter().collect::<String>().bytes().collect();
        bytes.iter().collect()
    }
}

/// A grammar whose language has at least one member.
pub fn random_grammar(rng: &mut Rng, shape: &GrammarShape) -> Grammar {
    let mut generator =
        Generator { rng, shape, builder: GrammarBuilder::new(), rules: Vec::new(), pool: Vec::new() };
    generator.declare_rules();
    generator.fill_pool();
    let bodies: Vec<ExprId> = generator.rules.clone().into_iter().map(|rule| generator.body(rule)).collect();
    let Generator { mut builder, rules, shape, .. } = generator;
    for (&rule, &body) in rules.iter().zip(&bodies) {
        builder.define(rule, body);
    }
    // Random grammars have the empty language more often than is interesting. Then the root gets one more alternative.
    let grammar = finish(builder, &rules);
    if Reference::new(&grammar).is_productive() {
        return grammar;
    }
    with_letter(&grammar, shape)
}

fn finish(builder: GrammarBuilder, rules: &[RuleId]) -> Grammar {
    builder.build(rules[0]).expect("operators on texts get texts only, and all rules are defined")
}

/// The same grammar with a letter as one more alternative of the root.
fn with_letter(grammar: &Grammar, shape: &GrammarShape) -> Grammar {
    let letter = shape.letters.first().copied().unwrap_or('a');
    super::extract::extract_with(grammar, grammar.rule(grammar.root()).body(), |builder, body| {
        let letter = builder.class(CharClass::single(letter));
        builder.alt([body, letter])
    })
}

struct Generator<'a> {
    rng: &'a mut Rng,
    shape: &'a GrammarShape,
    builder: GrammarBuilder,
    /// The first one is the root.
    rules: Vec<RuleId>,
    /// Operands; letters and references first.
    pool: Vec<ExprId>,
}

impl Generator<'_> {
    fn declare_rules(&mut self) {
        for idx in 0..self.rng.between(1, self.shape.max_rules.max(1)) {
            let name = if idx == 0 { "root".to_owned() } else { format!("r{idx}") };
            self.rules.push(self.builder.declare(&name, Place::none()));
        }
    }

    fn fill_pool(&mut self) {
        for _ in 0..3 {
            let leaf = self.leaf();
            self.pool.push(leaf);
        }
        for _ in 0..self.rng.below(self.shape.max_mixtures + 1) {
            let mixture = self.mixture();
            self.pool.push(mixture);
        }
    }

    fn letter(&mut self) -> char {
        self.rng.pick(&self.shape.letters).copied().unwrap_or('a')
    }

    fn class(&mut self) -> CharClass {
        let n_letters = self.rng.between(1, 2);
        let class = CharClass::from_ranges((0..n_letters).map(|_| {
            let letter = self.letter();
            (letter, letter)
        }));
        if self.rng.chance(1, 8) { class.negate() } else { class }
    }

    /// Something without operands.
    fn leaf(&mut self) -> ExprId {
        if self.shape.byte_classes > 0 && self.rng.chance(1, self.shape.byte_classes) {
            let alphabet = self.shape.alphabet();
            let n_bytes = self.rng.between(1, 3);
            let set = (0..n_bytes).filter_map(|_| self.rng.pick(&alphabet).copied()).collect();
            return self.builder.byte_class(set);
        }
        if self.shape.tags > 0 && self.rng.chance(1, self.shape.tags) {
            return self.tagged();
        }
        match self.rng.below(12) {
            0..=3 => {
                let letter = self.letter();
                self.builder.literal(letter.to_string())
            }
            4 | 5 => {
                let literal: String = (0..self.rng.between(1, 3)).map(|_| self.letter()).collect();
                self.builder.literal(literal)
            }
            6 => {
                let class = self.class();
                self.builder.class(class)
            }
            7 => self.builder.empty(),
            8 if self.rng.chance(1, 6) => self.builder.never(),
            _ => self.reference(),
        }
    }

    /// Symbols, a tag or text up to a trigger.
    fn tagged(&mut self) -> ExprId {
        match self.rng.below(8) {
            0..=2 => {
                let members: Vec<Symbol> = (0..self.rng.between(1, 3)).map(|_| self.symbol()).collect();
                let is_negated = self.rng.chance(1, 4);
                let set = if is_negated { SymbolSet::all_but(members) } else { SymbolSet::of(members) };
                self.builder.symbols(set)
            }
            3 => {
                let tag = self.tag_text();
                self.builder.tag(&tag)
            }
            _ => {
                let n_arms = self.rng.below(4);
                let arms: Vec<(String, ExprId)> = (0..n_arms)
                    .map(|_| {
                        let then = self.rng.pick(&self.pool).copied();
                        let then = then.unwrap_or_else(|| self.builder.empty());
                        let again = self.reference();
                        let then = if self.rng.chance(1, 2) { self.builder.seq([then, again]) } else { then };
                        (self.tag_text(), then)
                    })
                    .collect();
                let excluded: Vec<String> = (0..self.rng.below(3)).map(|_| self.tag_text()).collect();
                let ends = self.rng.chance(1, 2);
                let arms = arms.iter().map(|(trigger, then)| (trigger.as_str(), *then));
                self.builder.until(arms, excluded.iter().map(String::as_str), ends)
            }
        }
    }

    /// A symbol by number or name; there need be none.
    fn symbol(&mut self) -> Symbol {
        match self.rng.below(4) {
            0 => Symbol::Id(self.rng.below(12) as u32),
            1 => Symbol::from(self.letter().to_string().as_str()),
            _ => Symbol::from(self.name().as_str()),
        }
    }

    /// The name of a special token of random vocabularies.
    fn name(&mut self) -> String {
        format!("<|{}|>", self.rng.below(4))
    }

    /// One to three letters, sometimes with the name of a symbol before, between or behind them.
    fn tag_text(&mut self) -> String {
        let mut text: String = (0..self.rng.between(1, 3)).map(|_| self.letter()).collect();
        if self.rng.chance(1, 3) {
            let cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            let cut = self.rng.pick(&cuts).copied().unwrap_or(0);
            let name = self.name();
            text.insert_str(cut, &name);
            if self.rng.chance(1, 3) {
                text = name;
            }
        }
        text
    }

    fn reference(&mut self) -> ExprId {
        let rule = *self.rng.pick(&self.rules).expect("there is at least one rule");
        self.builder.rule(rule)
    }

    fn operand(&mut self) -> ExprId {
        if self.rng.chance(1, 3) {
            return self.leaf();
        }
        let pooled = self.rng.pick(&self.pool).copied();
        pooled.unwrap_or_else(|| self.leaf())
    }

    fn operands(&mut self, low: usize, high: usize) -> Vec<ExprId> {
        (0..self.rng.between(low, high)).map(|_| self.operand()).collect()
    }

    fn count(&mut self) -> (u32, Option<u32>) {
        // Two in three stay small enough for texts of a few letters to reach both bounds.
        let small = self.rng.below(4) as u32;
        match self.rng.below(8) {
            0 => (0, None),
            1 => (1, None),
            2 => (0, Some(1)),
            3 => (small, None),
            4 | 5 => (small, Some(small + self.rng.below(4) as u32)),
            6 => (0, Some(1 + self.rng.below(5) as u32)),
            _ => {
                let low = self.rng.below(self.shape.max_count as usize + 1) as u32;
                (low, Some(low + self.rng.below(12) as u32))
            }
        }
    }

    /// Something made of operands.
    fn mixture(&mut self) -> ExprId {
        match self.rng.below(6) {
            0..=2 => {
                let parts = self.operands(2, 3);
                self.builder.seq(parts)
            }
            3 | 4 => {
                let parts = self.operands(2, 3);
                self.builder.alt(parts)
            }
            _ => {
                let body = self.operand();
                let (min, max) = self.count();
                self.builder.repeat(body, min, max)
            }
        }
    }

    /// What a rule stands for, by one of the recipes.
    fn body(&mut self, rule: RuleId) -> ExprId {
        if self.shape.text_operators > 0 && self.rng.chance(1, self.shape.text_operators) {
            return self.text_operator();
        }
        let this = self.builder.rule(rule);
        let other = self.reference();
        let (x, y) = (self.operand(), self.operand());
        let b = &mut self.builder;
        match self.rng.below(16) {
            // r ::= r x | y
            0 => {
                let more = b.seq([this, x]);
                b.alt([more, y])
            }
            // r ::= x? r y | z, hidden behind something that may be empty.
            1 => {
                let maybe = b.optional(x);
                let more = b.seq([maybe, this, y]);
                let letter = self.leaf();
                self.builder.alt([more, letter])
            }
            // r ::= x r | y
            2 => {
                let more = b.seq([x, this]);
                b.alt([more, y])
            }
            // r ::= x r? y, right recursion with a trailing optional.
            3 => {
                let (inner, tail) = (b.optional(this), b.star(y));
                b.seq([x, inner, tail])
            }
            // r ::= other x | y: mutual left recursion if the other does the same.
            4 => {
                let more = b.seq([other, x]);
                b.alt([more, y])
            }
            // r ::= other | x: a cycle if the other does the same.
            5 => b.alt([other, x]),
            // r ::= r r | x
            6 => {
                let twice = b.seq([this, this]);
                b.alt([twice, x])
            }
            // r ::= r r r | empty
            7 => {
                let (thrice, empty) = (b.seq([this, this, this]), b.empty());
                b.alt([thrice, x, empty])
            }
            // r ::= x r y | z: nesting.
            8 => {
                let (nested, letter) = (b.seq([x, this, y]), self.leaf());
                self.builder.alt([nested, letter])
            }
            // r ::= (x{m,n} y){k,l}: a count in a count.
            9 => {
                let ((min, max), (outer_min, outer_max)) = (self.count(), self.count());
                let inner = self.builder.repeat(x, min, max);
                let pair = self.builder.seq([inner, y]);
                self.builder.repeat(pair, outer_min, outer_max)
            }
            // r ::= (x other?){m,n}: the body may be a rule that may be empty.
            10 => {
                let maybe = b.optional(other);
                let body = b.seq([x, maybe]);
                let (min, max) = self.count();
                self.builder.repeat(body, min, max)
            }
            // r ::= other? x?: a rule that may be empty only through others.
            11 => {
                let (other, x) = (b.optional(other), b.optional(x));
                b.seq([other, x])
            }
            _ => self.mixture(),
        }
    }

    /// A rule without references: an operator on texts, sometimes between letters.
    fn text_operator(&mut self) -> ExprId {
        let (x, y) = (self.text(), self.text());
        let b = &mut self.builder;
        let operator = match self.rng.below(7) {
            0 => b.and([x, y]),
            1 => b.not(x),
            2 => {
                let not = b.not(y);
                b.and([x, not])
            }
            3 => {
                // A pattern with a limit on the length.
                let any = b.class(CharClass::any());
                let (min, max) = self.count();
                let length = self.builder.repeat(any, min, max);
                self.builder.and([x, length])
            }
            4 => b.json_text(x),
            5 => {
                let not = b.not(x);
                b.json_text(not)
            }
            _ => {
                let both = b.and([x, y]);
                b.json_text(both)
            }
        };
        match self.rng.below(3) {
            0 => operator,
            1 => {
                let quote = self.builder.literal("\"");
                self.builder.seq([quote, operator, quote])
            }
            _ => {
                let (before, after) = (self.operand(), self.operand());
                self.builder.seq([before, operator, after])
            }
        }
    }

    /// A text expression: letters, classes, counts and sometimes a complement.
    fn text(&mut self) -> ExprId {
        let mut pool: Vec<ExprId> = Vec::new();
        for _ in 0..self.rng.between(2, 6) {
            let class = self.class();
            let class = self.builder.class(class);
            let a = self.rng.pick(&pool).copied().unwrap_or(class);
            let made = match self.rng.below(7) {
                0 | 1 => class,
                2 | 3 => self.builder.seq([a, class]),
                4 => self.builder.alt([class, a]),
                5 => {
                    let (min, max) = self.count();
                    self.builder.repeat(a, min, max)
                }
                _ if self.rng.chance(1, 3) => self.builder.not(a),
                _ => self.builder.star(class),
            };
            pool.push(made);
        }
        pool.pop().expect("at least two were made")
    }
}
