//! What a program printed, as far as it tells that the kernel denied it something: at which path, or by the network, or to a process.
//! Looks at no file: whether it was the fence is `verdict`'s to say.

use super::table;

/// Paths of one text that are looked at, of each cause.
const MOST: usize = 8;

/// Lines above a cause in which is looked for what it is the cause of.
const ABOVE: usize = 3;

/// Something that a program says it was denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// A file, by its path as it is printed: absolute, `~/…`, or relative to where the line ran.
    Path(Cause, String),
    /// A connection, or listening for them.
    Network,
    /// A host, since there is no way to it, or its name is not known.
    Unreachable,
    /// A host, by a proxy.
    Proxied,
    /// A signal.
    Signal,
}

/// Why a program says that it was denied a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It may not do that.
    Permission,
    /// What the file is in is read-only.
    ReadOnly,
    /// It is not there.
    Missing,
}

/// How programs say each.
const CAUSES: [(Cause, &[&str]); 3] = [
    (Cause::Permission, table::SAYS),
    (Cause::ReadOnly, table::READ_ONLY),
    (Cause::Missing, table::MISSING),
];

/// How they say what is about no file.
const OTHERS: [(Denied, &[&str]); 3] = [
    (Denied::Unreachable, table::UNREACHABLE),
    (Denied::Network, table::NETWORK),
    (Denied::Proxied, table::PROXY),
];

/// Returns what a text says was denied, each once, in its order.
#[must_use]
pub fn denied(printed: &str) -> Vec<Denied> {
    let lines: Vec<&str> = printed.lines().collect();
    let mut found: Vec<Denied> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let before = &lines[index.saturating_sub(ABOVE)..index];
        let Some(one) = of_line(line, before) else { continue };
        let alike = found.iter().filter(|other| other.cause() == one.cause()).count();
        if alike < MOST && !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

impl Denied {
    const fn cause(&self) -> Option<Cause> {
        match self {
            Self::Path(cause, _) => Some(*cause),
            Self::Network | Self::Unreachable | Self::Proxied | Self::Signal => None,
        }
    }
}

/// What one line says was denied; `above` are the lines before it.
fn of_line(line: &str, above: &[&str]) -> Option<Denied> {
    let lower = line.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let places = CAUSES.iter().filter_map(|(cause, words)| {
        let first = words.iter().filter_map(|word| lower.find(word)).min()?;
        Some((first, *cause))
    });
    // Where lower case has other lengths, no place in one is a place in the other.
    let is_place = |at: usize| line.len() == lower.len() && line.is_char_boundary(at);
    let first = places.min_by_key(|(at, _)| *at).filter(|(at, _)| is_place(*at));
    let Some((first, cause)) = first else {
        return OTHERS.into_iter().find_map(|(denied, words)| says(words).then_some(denied));
    };
    let (before, behind) = line.split_at(first);
    let paths = |line| paths(line, cause);
    // Python and Node say the path behind the words, all others before them.
    let path = paths(behind).into_iter().next().or_else(|| paths(without_program(before)).pop());
    if let Some(path) = path {
        return Some(Denied::Path(cause, path));
    }
    let may_be_other = cause == Cause::Permission;
    if may_be_other && (says(table::NETWORK) || says(table::SOCKET)) {
        return Some(Denied::Network);
    }
    if may_be_other && says(table::SIGNAL) {
        return Some(Denied::Signal);
    }
    // Of a cause on a line of its own, a line above says what it is the cause of.
    let is_alone = before.trim().is_empty();
    let path = || above.iter().rev().find_map(|line| paths(without_program(line)).pop());
    is_alone.then(path).flatten().map(|path| Denied::Path(cause, path))
}

/// What a line says behind the name of the program that says it, as `/usr/bin/touch: `; all of it where there is nothing more.
fn without_program(line: &str) -> &str {
    match line.split_once(": ") {
        Some((name, more)) if !name.contains([' ', '\'', '"']) && !more.trim().is_empty() => more,
        _ => line,
    }
}

/// The paths of a line: what stands in quotes, and the words that look like one.
fn paths(line: &str, cause: Cause) -> Vec<String> {
    let is_path = |word: &str| is_path(word) || cause == Cause::ReadOnly && is_below(word);
    let pieces = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']).enumerate();
    let words = pieces.flat_map(|(index, piece)| {
        let is_quoted = index % 2 == 1 && is_path(piece);
        let ends = move |c: char| !is_quoted && " \t,()[]<>=".contains(c);
        piece.split(ends).map(|word| word.trim_end_matches([':', ';', '.', '!']))
    });
    words.filter(|word| is_path(word)).map(str::to_owned).collect()
}

/// Whether a word looks like a path below where the line ran, where all is the line's own but what its container guards.
fn is_below(word: &str) -> bool {
    word.len() > 1 && (word.starts_with('.') || word.contains('/')) && !word.contains("//")
}

fn is_path(word: &str) -> bool {
    let is_rooted = word.starts_with('/') && !word.starts_with("//");
    word.len() > 1 && (is_rooted || word.starts_with("~/") || word.starts_with("../"))
}

#[cfg(test)]
mod tests {
    use super::{Cause, Denied, denied};

    fn path(path: &str) -> Vec<Denied> {
        vec![Denied::Path(Cause::Permission, path.to_owned())]
    }

    fn read_only(path: &str) -> Vec<Denied> {
        vec![Denied::Path(Cause::ReadOnly, path.to_owned())]
    }

    #[test]
    fn what_programs_print_when_they_are_denied_something_is_found() {
        for (printed, expected) in [
            ("", vec![]),
            ("all is well: /home/dev/x\n", vec![]),
            ("bash: line 1: /home/dev/.bashrc: Permission denied\n", path("/home/dev/.bashrc")),
            ("/usr/bin/bash: line 1: /home/dev/x: Permission denied\n", path("/home/dev/x")),
            ("zsh:1: permission denied: /home/dev/x\n", path("/home/dev/x")),
            ("touch: cannot touch '/home/dev/a b': Permission denied\n", path("/home/dev/a b")),
            ("touch: cannot touch \u{2018}../x\u{2019}: Permission denied\n", path("../x")),
            ("PermissionError: [Errno 13] Permission denied: '/home/dev/x'\n", path("/home/dev/x")),
            (
                "Error: EACCES: permission denied, open '/home/dev/x'\n    at Object.openSync (node:fs:1:2)\n",
                path("/home/dev/x"),
            ),
            (
                "error: failed to write `/home/dev/.cargo/bin/x`\n\nCaused by:\n  Permission denied (os error 13)\n",
                path("/home/dev/.cargo/bin/x"),
            ),
            (
                "curl: (7) Failed to connect to example.com port 443: Couldn't connect to server\n",
                vec![Denied::Network],
            ),
            ("Error: connect EACCES 127.0.0.1:80\n", vec![Denied::Network]),
            ("bash: line 1: kill: (1) - Operation not permitted\n", vec![Denied::Signal]),
            ("Permission denied\n", vec![]),
            ("bind: Permission denied\n", vec![Denied::Network]),
            ("binding.gyp is fine\n", vec![]),
            // The path of the program that says it is none that it was denied.
            ("/usr/bin/touch: cannot touch 'x': Permission denied\n", vec![]),
            ("/usr/bin/bash: line 1: x: Permission denied\n", vec![]),
            ("/home/dev/x: Permission denied\n", path("/home/dev/x")),
            ("bash: line 1: .git/hooks/x: Read-only file system\n", read_only(".git/hooks/x")),
            (
                "error: could not lock config file .git/config: Read-only file system\n",
                read_only(".git/config"),
            ),
            (
                "OSError: [Errno 30] Read-only file system: '/home/dev/x'\n",
                read_only("/home/dev/x"),
            ),
            ("tee: x: Read-only file system\n", vec![]),
            (
                "cat: /home/dev/.aws/credentials: No such file or directory\n",
                vec![Denied::Path(Cause::Missing, "/home/dev/.aws/credentials".to_owned())],
            ),
            ("connect: No such file or directory\n", vec![]),
            ("curl: (6) Could not resolve host: example.com\n", vec![Denied::Unreachable]),
            ("npm error Could not resolve dependency: x@1\n", vec![]),
            ("ping: connect: Network is unreachable\n", vec![Denied::Unreachable]),
            ("curl: (56) CONNECT tunnel failed, response 403\n", vec![Denied::Proxied]),
        ] {
            assert_eq!(denied(printed), expected, "{printed}");
        }
    }

    #[test]
    fn a_text_without_end_names_no_more_than_some_paths() {
        let lines: Vec<String> =
            (0..10_000).map(|n| format!("/x/{n}: Permission denied")).collect();
        let text = lines.join("\n");
        assert_eq!(denied(&text).len(), super::MOST);
    }
}
