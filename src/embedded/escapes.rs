//! Languages that are not read as such, and the ways in which their programs start a shell: editors and pagers (`!CMD`,
//! `:r !CMD`), debuggers and database clients (`shell CMD`, `\! CMD`, `.system CMD`), socat's addresses (`EXEC:CMD`), git's
//! settings (`alias.x=!CMD`, `core.pager=CMD`), ssh's and apt's (`ProxyCommand=CMD`, `DPkg::Post-Invoke::=CMD`).
//! The rest stays unread, so that what is found here only adds to it.

use super::Found;

include!(concat!(env!("OUT_DIR"), "/escapes.rs"));

/// Returns what a piece of such code gives to a shell, as far as it shows.
pub(super) fn read(text: &str) -> Found {
    let commands = text.lines().flat_map(line).map(|it| Some(it.to_owned())).collect();
    Found { commands, unread: true, ..Found::default() }
}

fn line(line: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    // Vim's commands may stand behind each other, and behind a range.
    for piece in line.split('|') {
        let start = piece.trim_start_matches([' ', '\t', ':', '%', '.', ',', '$', '+']);
        let begun = [start, piece.trim_start()];
        let begun =
            begun.iter().find_map(|start| BEGINNINGS.iter().find_map(|it| start.strip_prefix(it)));
        if let Some(rest) = begun {
            // A bar may be the shell's as well.
            let at = rest.as_ptr().addr() - line.as_ptr().addr();
            commands.push(&line[at..]);
        }
    }
    let lower = line.to_ascii_lowercase();
    for mark in MARKS.iter().chain(CALLS) {
        let Some(at) = lower.find(mark) else { continue };
        let rest = &line[at + mark.len()..];
        let inside = rest.rsplit_once(')').filter(|_| CALLS.contains(mark));
        commands.push(inside.map_or(rest, |(inside, _)| inside));
    }
    let quotes = ['\'', '"', ' ', '\t'];
    let commands = commands.into_iter().map(|command| {
        // The quotes that a mark's own string stands in.
        match command.trim().chars().next() {
            Some(quote @ ('\'' | '"')) if command.trim().ends_with(quote) => {
                command.trim_matches(quotes)
            }
            _ => command.trim(),
        }
    });
    commands.filter(|command| !command.is_empty()).collect()
}
