//! What a program printed, as far as it tells that the kernel denied it something: at which path, or by the network, or to a process.
//! Looks at no file: whether it was the fence is `verdict`'s to say.

use super::table;

/// Paths of one text that are looked at.
const MOST: usize = 8;

/// Lines above a cause in which is looked for what it is the cause of.
const ABOVE: usize = 3;

/// Something that a program says it was denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// A file, by its path as it is printed: absolute, `~/…`, or relative to where the line ran.
    Path(String),
    /// A connection, or listening for them.
    Network,
    /// A signal.
    Signal,
}

/// Returns what a text says was denied, each once, in its order.
#[must_use]
pub fn denied(printed: &str) -> Vec<Denied> {
    let lines: Vec<&str> = printed.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let before = &lines[index.saturating_sub(ABOVE)..index];
        if let Some(one) = of_line(line, before).filter(|one| !found.contains(one)) {
            found.push(one);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// What one line says was denied; `above` are the lines before it.
fn of_line(line: &str, above: &[&str]) -> Option<Denied> {
    let lower = line.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let first = table::SAYS.iter().filter_map(|word| lower.find(word)).min();
    // Where lower case has other lengths, no place in one is a place in the other.
    let first = first.filter(|at| line.len() == lower.len() && line.is_char_boundary(*at));
    let Some(first) = first else { return says(table::NETWORK).then_some(Denied::Network) };
    let (before, behind) = line.split_at(first);
    // Python and Node say the path behind the words, all others before them.
    let path = paths(behind).into_iter().next().or_else(|| paths(without_program(before)).pop());
    if let Some(path) = path {
        return Some(Denied::Path(path));
    }
    if says(table::NETWORK) || says(table::SOCKET) {
        return Some(Denied::Network);
    }
    if says(table::SIGNAL) {
        return Some(Denied::Signal);
    }
    // Of a cause on a line of its own, a line above says what it is the cause of.
    let is_alone = before.trim().is_empty();
    let path = || above.iter().rev().find_map(|line| paths(without_program(line)).pop());
    is_alone.then(path).flatten().map(Denied::Path)
}

/// What a line says behind the name of the program that says it, as `/usr/bin/touch: `; all of it where there is nothing more.
fn without_program(line: &str) -> &str {
    match line.split_once(": ") {
        Some((name, more)) if !name.contains([' ', '\'', '"']) && !more.trim().is_empty() => more,
        _ => line,
    }
}

/// The paths of a line: what stands in quotes, and the words that look like one.
fn paths(line: &str) -> Vec<String> {
    let pieces = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']).enumerate();
    let words = pieces.flat_map(|(index, piece)| {
        let is_quoted = index % 2 == 1 && is_path(piece);
        let ends = move |c: char| !is_quoted && " \t,()[]<>=".contains(c);
        piece.split(ends).map(|word| word.trim_end_matches([':', ';', '.', '!']))
    });
    words.filter(|word| is_path(word)).map(str::to_owned).collect()
}

fn is_path(word: &str) -> bool {
    let is_rooted = word.starts_with('/') && !word.starts_with("//");
    word.len() > 1 && (is_rooted || word.starts_with("~/") || word.starts_with("../"))
}

#[cfg(test)]
mod tests {
    use super::{Denied, denied};

    fn path(path: &str) -> Vec<Denied> {
        vec![Denied::Path(path.to_owned())]
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
