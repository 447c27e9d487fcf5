//! What grammars of one vocabulary share.

use formwork_engine::{Compiler, Config, Matcher, Pool, Spawn};
use formwork_grammar::Grammar;
use formwork_vocab::Vocabulary;

/// All words of up to three letters of a small alphabet, and the bytes.
fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    for byte in 0..=255u8 {
        builder.token(u32::from(byte), [byte]);
    }
    let letters = b"abcxyz \"{}:,";
    let mut id = 256u32;
    for &a in letters {
        for &b in letters {
            builder.token(id, [a, b]);
            builder.token(id + 1, [a, b, b'a']);
            id += 2;
        }
    }
    builder.special(id, "<end>").stop(id);
    builder.build().expect("a vocabulary")
}

fn grammar(text: &str) -> Grammar {
    formwork_ebnf::grammar(text).expect("a grammar")
}

fn object(key: &str) -> Grammar {
    grammar(&format!(
        "root ::= \"{{\" \"\\\"{key}\\\":\" string (\",\" string)* \"}}\"\nstring ::= \"\\\"\" [^\\\"]* \"\\\"\"\n"
    ))
}

/// Follows a document and fills all masks on the way.
fn follow(compiler: &Compiler, grammar: &Grammar, document: &[u8]) {
    let compiled = compiler.compile(grammar).expect("a compiled grammar");
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    for byte in document {
        matcher.fill_mask(&mut mask).expect("a mask");
        matcher.accept_bytes(&[*byte]).expect("the grammar's document");
    }
}

fn just_in_time(pool: &Pool) -> Compiler {
    Compiler::builder(pool.vocabulary().clone()).precompute(0).pool(pool).build()
}

#[test]
fn compilers_with_one_pool_find_what_the_other_made() {
    let pool = Pool::new(vocabulary(), 1 << 20);
    follow(&just_in_time(&pool), &object("a"), b"{\"a\":\"xyz\",\"b\"}");
    let first = pool.stats();
    assert!(first.misses > 0);
    // The same grammar again: nothing is computed.
    follow(&just_in_time(&pool), &object("a"), b"{\"a\":\"xyz\",\"b\"}");
    assert_eq!(pool.stats().misses, first.misses);
    // Another key: the inside of the string is known.
    follow(&just_in_time(&pool), &object("b"), b"{\"b\":\"xyz\",\"b\"}");
    assert!(pool.stats().hits > first.hits);
    // Without the pool everything is computed for each grammar.
    let mut config = Config::default();
    (config.pool, config.precompute, config.recent_bytes) = (false, 0, 0);
    let alone = Compiler::builder(vocabulary()).config(config).build();
    follow(&alone, &object("a"), b"{\"a\":\"xyz\",\"b\"}");
    let once = alone.pool().stats().misses;
    follow(&alone, &object("a"), b"{\"a\":\"xyz\",\"b\"}");
    assert_eq!(alone.pool().stats().misses, 2 * once);
}

/// Of names that differ in what they must not be, one that no token spells, the masks are the same.
#[test]
fn names_that_are_left_out_do_not_hide_what_is_known() {
    let other = |name: &str| {
        grammar(&format!(
            "root ::= \"{{\" other (\",\" other)* \"}}\"\n\
             other ::= [ ]* \"\\\"\" JsonText(Not(\"{name}\")) rest\n\
             rest ::= \"\\\":\" (\"a\" | \"{{\" rest \"}}\")\n"
        ))
    };
    let document = b"{ \"abcx\":a, \"xyza\":{\":a}}";
    let misses_of = |first: &str, second: &str| {
        let pool = Pool::new(vocabulary(), 1 << 20);
        follow(&just_in_time(&pool), &other(first), document);
        let before = pool.stats();
        follow(&just_in_time(&pool), &other(second), document);
        let after = pool.stats();
        (before.misses, after.misses - before.misses)
    };
    let (first, second) = misses_of("abcz", "xyzb");
    let (_, spelled) = misses_of("abcz", "x");
    assert!(second < spelled && spelled <= first, "{second} after {first}, or {spelled}");
}

#[test]
fn threads_that_want_the_same_mask_compute_it_once() {
    let (grammar, document) = (object("abc"), b"{\"abc\":\"xyz\",\"b\"}");
    let alone = Pool::new(vocabulary(), 1 << 20);
    follow(&just_in_time(&alone), &grammar, document);
    for _ in 0..20 {
        let pool = Pool::new(vocabulary(), 1 << 20);
        let compiler = just_in_time(&pool);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| follow(&compiler, &grammar, document));
            }
        });
        assert_eq!(pool.stats().misses, alone.stats().misses);
    }
}

#[test]
fn the_pool_forgets_rather_than_grow() {
    let max_bytes = 64 << 10;
    let pool = Pool::new(vocabulary(), max_bytes);
    let compiler = just_in_time(&pool);
    for i in 0..300 {
        let key: String = format!("{i}").chars().map(|c| if c == '1' { 'x' } else { c }).collect();
        follow(&compiler, &object(&key), format!("{{\"{key}\":\"b\"}}").as_bytes());
        let stats = pool.stats();
        let bytes = stats.bytes + stats.automata_bytes;
        assert!(bytes <= max_bytes + 8_192, "{bytes} bytes after {i} grammars");
    }
}

#[test]
fn what_was_warmed_is_not_computed_again() {
    let compiler = just_in_time(&Pool::new(vocabulary(), 1 << 20));
    compiler.warm(&object("a")).expect("it compiles");
    let warm = compiler.pool().stats();
    assert!(warm.misses > 0);
    follow(&compiler, &object("a"), b"{\"a\":\"xyz\",\"b\"}");
    assert_eq!(compiler.pool().stats().misses, warm.misses);
}

/// Runs each job on a thread of its own, and waits for them when asked.
#[derive(Default)]
struct Threads(std::sync::Mutex<Vec<std::thread::JoinHandle<()>>>);

impl Spawn for Threads {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        self.0.lock().expect("no panics").push(std::thread::spawn(job));
    }
}

impl Threads {
    fn wait(&self) {
        loop {
            let Some(thread) = self.0.lock().expect("no panics").pop() else { return };
            thread.join().expect("the job does not panic");
        }
    }
}

#[test]
fn threads_compute_what_compiling_left() {
    let threads = std::sync::Arc::new(Threads::default());
    let spawn: std::sync::Arc<dyn Spawn> = threads.clone();
    let compiler = Compiler::builder(vocabulary()).precompute(0).threads(spawn, 3).build();
    let compiled = compiler.compile(&object("a")).expect("it compiles");
    threads.wait();
    let (done, all) = compiled.n_local_masks();
    assert_eq!(done, all);
    assert!(all > 5, "{all} states");
    // A grammar that is dropped at once is not worked for.
    drop(compiler.compile(&object("b")).expect("it compiles"));
    threads.wait();
    let misses = compiler.pool().stats().misses;
    let mut matcher = Matcher::new(&compiled);
    let mut mask = vec![0; compiled.vocabulary().mask_words()];
    for byte in b"{\"a\":\"x" {
        matcher.fill_mask(&mut mask).expect("a mask");
        matcher.accept_bytes(&[*byte]).expect("the grammar's document");
    }
    assert_eq!(compiler.pool().stats().misses, misses, "nothing was left to compute");
}

/// Of a rule with many states an output meets few: compiling spends its budget on others.
#[test]
fn masks_of_rules_with_many_states_are_left_to_outputs() {
    let n_computed = |length: usize, precompute: u64| {
        let word: String = (0..length).map(|i| char::from(b'a' + (i * i % 23) as u8)).collect();
        let text = format!("root ::= And([a-z]* \"{word}\" [a-z]*, [^]{{0,5000}})\n");
        let compiler = Compiler::builder(vocabulary()).precompute(precompute).build();
        compiler.compile(&grammar(&text)).expect("a compiled grammar").n_local_masks().0
    };
    let budget = Config::default().precompute;
    // Before the word was found and behind it.
    assert_eq!(n_computed(100, budget), 2);
    assert_eq!(n_computed(1_000, budget), 0);
    assert!(n_computed(1_000, u64::MAX) > 1_000);
    assert_eq!(n_computed(100, 0), 0);
}
