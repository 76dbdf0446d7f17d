//! Asks a second parser, brush-parser, whether it sees the same commands. Where it does not, the text is opaque.
//! It is asked about every script on its own, and says nothing about what stands inside words.

mod known;
mod shape;
mod theirs;
mod weight;

use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};

use self::shape::Shape;
use self::weight::Place;
use super::reader::{self, Texts};
use super::script::{CommandKind, Script};
use super::walk::{Descend, Node};
use crate::model::{Opaque, Reason, Span};

/// Adds an opaque part for every script of which the second parser sees other commands.
pub(super) fn ask(bytes: &[u8], script: &mut Script, texts: &Texts) {
    if is_plain(bytes, script) {
        return;
    }
    let mut disputed: Vec<Span> = Vec::new();
    let whole = String::from_utf8_lossy(bytes);
    if !agrees(&whole, Some(0), script) {
        disputed.push(script.span);
    }
    script.walk(&mut |node| {
        let Node::Script(nested) = node else { return Descend::Into };
        let agreed = match texts.get(&nested.span.start) {
            Some(text) => agrees(text, None, nested),
            None => bytes.get(nested.span.start..nested.span.end).is_some_and(|text| {
                agrees(&String::from_utf8_lossy(text), Some(nested.span.start), nested)
            }),
        };
        if !agreed {
            disputed.push(nested.span);
        }
        Descend::Into
    });
    let reason = Reason::ParsersDisagree;
    script.opaque.extend(disputed.into_iter().map(|span| Opaque { reason: reason.clone(), span }));
}

/// Returns whether the text is one command of words that hold nothing but letters, digits and signs without a meaning for any
/// shell, and was read as just these words. There is one way to read it, so nobody else is asked: it is what most lines are.
fn is_plain(bytes: &[u8], script: &Script) -> bool {
    let is_inert = |byte: &u8| byte.is_ascii_alphanumeric() || b" _-./:,@%+".contains(byte);
    let [statement] = script.statements.as_slice() else { return false };
    let [command] = statement.first.commands.as_slice() else { return false };
    let CommandKind::Simple(simple) = &command.kind else { return false };
    if !bytes.iter().all(is_inert) {
        return false;
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let written = text.split(' ').filter(|word| !word.is_empty());
    let read = simple.words.iter().map(|word| text.get(word.span.start..word.span.end));
    written.clone().map(Some).eq(read) && written.take(1).all(|word| !reader::is_reserved(word))
}

/// Returns whether the second parser sees these commands in this text, or in an equivalent one where it is known to
/// misread this one. `start` is where the text stands in the command line, if its bytes stand there as they are.
fn agrees(text: &str, start: Option<usize>, script: &Script) -> bool {
    let ours = shape::ours(&script.statements);
    if same_as(text, &ours) {
        return true;
    }
    let Some(start) = start else { return false };
    known::equivalent(text, start, script).is_some_and(|text| same_as(&text, &ours))
}

fn same_as(text: &str, ours: &[Shape]) -> bool {
    let text = &weight::padded(text);
    match weight::place(text) {
        Place::Here => seen_as(text, ours),
        Place::Thread(stack) => std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(stack);
            let asked = thread.spawn_scoped(scope, || seen_as(text, ours));
            asked.ok().and_then(|it| it.join().ok()).unwrap_or(false)
        }),
        Place::Nowhere => false,
    }
}

fn seen_as(text: &str, ours: &[Shape]) -> bool {
    let options = ParserOptions::default();
    let Ok(tokens) = uncached_tokenize_str(text, &options.tokenizer_options()) else {
        return false;
    };
    if weight::panics(&tokens) || weight::is_heavy(&tokens) {
        return false;
    }
    let Ok(program) = parse_tokens(&tokens, &options) else { return false };
    let theirs = theirs::theirs(&program);
    ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(ours, theirs)| same(ours, theirs))
}

fn same(ours: &Shape, theirs: &Shape) -> bool {
    let (Shape::Simple(ours), Shape::Simple(theirs)) = (ours, theirs) else {
        return ours == theirs;
    };
    ours.counts == theirs.counts
        && match (&ours.name, &theirs.name) {
            // Not plain text: only its being there is compared.
            (None, _) => true,
            (Some(name), Some(written)) => name == written || *name == unquoted(written),
            (Some(_), None) => false,
        }
}

/// Returns a word, given as it is written, after quote removal.
fn unquoted(written: &str) -> String {
    let script = reader::read(written.as_bytes()).script;
    let command = script.statements.first().and_then(|it| it.first.commands.first());
    match command.map(|it| &it.kind) {
        Some(CommandKind::Simple(simple)) => {
            simple.words.first().and_then(super::Word::literal).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> bool {
        let script = reader::read(line.as_bytes()).script;
        is_plain(line.as_bytes(), &script)
    }

    #[test]
    fn plain_words_are_what_any_parser_sees() {
        for line in [
            "true",
            "git status",
            "  ls  -la ./src/a.b,c @x %1 a+b ",
            "cargo build --release in done",
        ] {
            assert!(plain(line), "{line}");
            let script = reader::read(line.as_bytes()).script;
            assert!(agrees(line, Some(0), &script), "{line}");
        }
    }

    #[test]
    fn anything_else_is_asked_about() {
        let lines = [
            "", "a;b", "a|b", "a=b", "a~", "a 'b'", "a b\n", "a\tb", "a #b", "a *", "a {b,c}",
            "\\a", "a >b", "a\u{e9}",
        ];
        for line in lines {
            assert!(!plain(line), "{line}");
        }
        let reserved = [
            "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
            "in", "select", "then", "time", "until", "while", "{", "}", "!", "[[", "]]",
        ];
        for word in reserved {
            assert!(!plain(word) && !plain(&format!("{word} a")), "{word}");
        }
    }
}
