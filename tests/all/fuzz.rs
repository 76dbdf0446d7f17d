//! The corpus of the fuzz targets, as it is and mutated, for machines without libFuzzer. `PROPTEST_CASES` and `PROPTEST_RNG_SEED` say
//! how much and from where.

use std::{fmt, fs};

use guarded_sh::model::Severity;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::entry;
use crate::sheets;

/// The inputs of a target, by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let paths = sheets::paths(&format!("fuzz/corpus/{target}"));
    assert!(paths.len() >= 40, "only {} inputs for {target}", paths.len());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// An input, shown as a string where a test fails.
#[derive(Clone)]
struct Text(Vec<u8>);

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// One change of a text, at places that fit it whatever its length.
#[derive(Clone, Debug)]
enum Change {
    Insert(Index, Vec<u8>),
    Remove(Index, Index),
    Repeat(Index, Index, usize),
    Flip(Index, u8),
    /// Puts a piece of another input here.
    Splice(Index, Vec<u8>, Index, Index),
}

fn changes(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<Change>> {
    let tokens: Vec<&[u8]> = vec![
        b"$(",
        b")",
        b"`",
        b"\"",
        b"'",
        b"\\",
        b"\n",
        b"<<E\n",
        b"\nE\n",
        b"{",
        b"}",
        b"((",
        b"))",
        b"[[",
        b"]]",
        b";",
        b"&",
        b"|",
        b"<",
        b">",
        b"<(",
        b"${",
        b"=",
        b"#",
        b"\0",
        b"\xff",
        b"\r\n",
        b"if ",
        b"fi",
        b"do ",
        b"done",
        b"case ",
        b"esac",
        b"rm -rf /",
        b"sudo ",
        b"eval ",
        b" -- ",
        "é".as_bytes(),
        b"{a,b}",
        b"*",
        b"~",
        b"$IFS",
        b"alias ",
        b"cd ..",
    ];
    let at = any::<Index>;
    let change = prop_oneof![
        (at(), select(tokens)).prop_map(|(at, token)| Change::Insert(at, token.to_vec())),
        (at(), prop::collection::vec(any::<u8>(), 1..4))
            .prop_map(|(at, it)| Change::Insert(at, it)),
        (at(), at()).prop_map(|(from, to)| Change::Remove(from, to)),
        (at(), at(), 2_usize..20).prop_map(|(from, to, times)| Change::Repeat(from, to, times)),
        (at(), any::<u8>()).prop_map(|(at, mask)| Change::Flip(at, mask)),
        (at(), select(corpus), at(), at()).prop_map(|(at, it, a, b)| Change::Splice(at, it, a, b)),
    ];
    prop::collection::vec(change, 1..6)
}

/// Returns two places of a text, in order.
fn range(text: &[u8], from: Index, to: Index) -> std::ops::Range<usize> {
    let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
    from.min(to)..from.max(to)
}

fn changed(mut text: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let place = |at: &Index| at.index(text.len() + 1);
        match change {
            Change::Insert(at, token) => {
                let at = place(at);
                text.splice(at..at, token.iter().copied());
            }
            Change::Remove(from, to) => drop(text.drain(range(&text, *from, *to))),
            Change::Repeat(from, to, times) => {
                let range = range(&text, *from, *to);
                let piece = text[range.clone()].repeat(*times);
                text.splice(range, piece);
            }
            Change::Flip(at, mask) => {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    text[at] ^= mask;
                }
            }
            Change::Splice(at, other, from, to) => {
                let at = place(at);
                let piece = other[range(other, *from, *to)].to_vec();
                text.splice(at..at, piece);
            }
        }
        text.truncate(4096);
    }
    text
}

fn mutated(target: &'static str) -> impl Strategy<Value = Text> {
    let corpus = corpus(target);
    (select(corpus.clone()), changes(corpus))
        .prop_map(|(text, changes)| Text(changed(text, &changes)))
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn the_corpus_is_read_and_held() {
    for text in corpus("syntax") {
        let wrong = entry::syntax(&text).err();
        assert_eq!(wrong, None, "{:?}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn the_corpus_is_judged() {
    let judge = entry::judge();
    for text in corpus("judge") {
        let wrong = entry::judged(&judge, &text).err();
        assert_eq!(wrong, None, "{:?}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn the_corpus_of_compositions_is_never_harmless() {
    let judge = entry::judge();
    for choices in corpus("compose") {
        let composed = crate::compose::compose(&choices);
        let judgement = entry::judged(&judge, composed.line.as_bytes()).unwrap();
        assert_ne!(
            judgement.assessment.severity,
            Severity::Low,
            "{} in {}",
            composed.inner,
            composed.line
        );
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutations_of_the_corpus_are_read_and_held(text in mutated("syntax")) {
        prop_assert_eq!(entry::syntax(&text.0).err(), None);
    }

    #[test]
    fn mutations_of_the_corpus_are_judged(text in mutated("judge")) {
        prop_assert_eq!(entry::judged(&entry::judge(), &text.0).err(), None);
    }
}
