//! What an agent's own tool would change in files, as a difference for a person to see. Judges nothing.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use nix::libc;
use similar::TextDiff;

use super::place;
use crate::hooks::{Deed, ToolKind, Work};
use crate::model::Facts;

/// Bytes of a difference at most.
const MOST: usize = 16 << 10;
/// Bytes of a file that is compared at most.
const FILE: u64 = 256 << 10;

/// Returns the difference; none where the tool changes no files, or does not say how.
pub(super) fn of(work: &Work, facts: &Facts) -> Option<String> {
    let text = match (work.kind, work.texts.as_slice(), work.old.as_slice()) {
        (ToolKind::Write, [text], _) => {
            let written = work.deeds.iter().find_map(|deed| match deed {
                Deed::Path { path: Some(path), .. } => place::absolute(path, facts),
                _ => None,
            });
            between(&written.and_then(|path| read(&path)).unwrap_or_default(), text)
        }
        // What is put where nothing was, or taken away, has one side that is not given.
        (ToolKind::Edit, [], old @ [_, ..]) => old.iter().map(|old| between(old, "")).collect(),
        (ToolKind::Edit, texts, old) if texts.len() == old.len() => {
            old.iter().zip(texts).map(|(old, text)| between(old, text)).collect()
        }
        // A patch is one.
        (ToolKind::Edit, texts, []) => texts.join("\n"),
        _ => return None,
    };
    (!text.is_empty()).then(|| cut(text))
}

/// Returns what differs between two texts, with two lines around.
fn between(old: &str, new: &str) -> String {
    // Texts of an edit end where they end: that is no difference.
    let ended = |text: &str| match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    };
    let (old, new) = (ended(old), ended(new));
    TextDiff::from_lines(&old, &new).unified_diff().context_radius(2).to_string()
}

/// Cuts a difference to what is shown of one.
pub(in crate::pipeline) fn cut(mut text: String) -> String {
    if text.len() > MOST {
        let more = text.len() - MOST;
        let end = (0..=MOST).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n(and {more} bytes more)");
    }
    text
}

/// Returns a text as it stands in a file; none of what is no file, no text, or too long.
fn read(path: &str) -> Option<String> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let is_small = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= FILE);
    let mut text = String::new();
    let count = is_small.then(|| file.take(FILE + 1).read_to_string(&mut text).ok()).flatten()?;
    (count as u64 <= FILE && !text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::config::McpSettings;
    use crate::hooks::{self, Call};

    fn shown(agent: &str, tool: &str, input: Value, facts: &Facts) -> Option<String> {
        let (tool, agent) = (tool.to_owned(), hooks::named(agent).unwrap());
        let call = Call { tool, server: None, id: None, input };
        of(&hooks::work(agent, &call, &McpSettings::default()), facts)
    }

    #[test]
    fn an_edit_shows_what_goes_and_what_comes() {
        let facts = Facts::default();
        let edit =
            json!({ "file_path": "/w/a", "old_string": "one\ntwo", "new_string": "one\nthree" });
        let expected = "@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        assert_eq!(shown("claude", "Edit", edit.clone(), &facts).as_deref(), Some(expected));
        let many = json!({ "file_path": "/w/a", "edits": [edit, { "old_string": "x", "new_string": "y" }] });
        let all = format!("{expected}@@ -1 +1 @@\n-x\n+y\n");
        assert_eq!(shown("claude", "MultiEdit", many, &facts), Some(all));
        let gone = json!({ "file_path": "/w/a", "old_string": "x", "new_string": "" });
        assert_eq!(
            shown("gemini", "replace", gone, &facts).as_deref(),
            Some("@@ -1 +0,0 @@\n-x\n")
        );
        assert_eq!(shown("claude", "Read", json!({ "file_path": "/w/a" }), &facts), None);
    }

    #[test]
    fn what_is_written_is_held_against_the_file_that_is_there() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        let write = |path: &std::path::Path, text: &str| {
            let input = json!({ "file_path": path, "content": text });
            shown("claude", "Write", input, &Facts::default())
        };
        assert_eq!(write(&path, "one\n").as_deref(), Some("@@ -1,2 +1 @@\n one\n-two\n"));
        assert_eq!(write(&path, "one\ntwo\n"), None);
        let new = Some("@@ -0,0 +1 @@\n+one\n");
        assert_eq!(write(&place.path().join("b"), "one\n").as_deref(), new);
        // What is no text, no file or too long is not compared.
        std::fs::write(&path, b"\xff\0").unwrap();
        assert_eq!(write(&path, "one\n").as_deref(), new);
        std::fs::write(&path, "x".repeat(usize::try_from(FILE + 1).unwrap())).unwrap();
        assert_eq!(write(&path, "one\n").as_deref(), new);
        assert_eq!(write(place.path(), "one\n").as_deref(), new);
        let long = write(&path, &"\u{e9}\n".repeat(MOST)).unwrap();
        assert!(long.len() < MOST + 64 && long.ends_with("bytes more)\n"));
    }
}
