//! Which files a patch changes: the format of Codex (`*** Update File: x`), and headers of unified diffs.
//! Does not say whether the patch applies.

use std::collections::HashSet;

use crate::model::{EffectKind, patched_file};

/// The lines of the format that name no file.
const OTHERS: [&str; 3] = ["*** Begin Patch", "*** End Patch", "*** End of File"];

/// Headers of git's diffs that name a file without a change of its lines.
const NAMED: [&str; 4] = ["rename from ", "rename to ", "copy from ", "copy to "];

/// Returns what is done to which paths, none for one that is not clear; nothing if it is no patch that is known. A path may be there in several
/// spellings, where clients differ in how much of a header is one.
pub(super) fn files(patch: &str) -> Vec<(EffectKind, Option<String>)> {
    let mut files = Vec::new();
    let mut known = HashSet::new();
    for line in patch.lines() {
        let named = patched_file(line).map(|(kind, path)| (kind, spellings(path)));
        // A head that is not known may be one to a client; what is put into a file does not begin so.
        let is_strange = line.starts_with("***") && !OTHERS.contains(&line.trim());
        let strange = || is_strange.then(|| (EffectKind::Write, vec![None]));
        let named = named.or_else(|| Some((EffectKind::Write, diffed(line)?))).or_else(strange);
        let Some((kind, paths)) = named else { continue };
        // What is moved is written where it goes to; where it was, is named before.
        let kind = if kind == EffectKind::Move { EffectKind::Write } else { kind };
        for path in paths {
            if known.insert((kind, path.clone())) {
                files.push((kind, path));
            }
        }
    }
    files
}

/// The whole, what stands before a further colon, where some clients end it, and what stands in quotes.
fn spellings(path: &str) -> Vec<Option<String>> {
    let before = path.split_once(':').map(|(before, _)| before.trim());
    let paths = [Some(path), before, Some(path.trim_matches(['"', '\'', '`']))];
    let paths = paths.into_iter().flatten().filter(|path| !path.is_empty());
    paths.map(|path| Some(path.to_owned())).collect()
}

/// `+++ b/path`, and `--- a/path`, which may be deleted; `rename to path`; `diff --git a/path b/path`.
fn diffed(line: &str) -> Option<Vec<Option<String>>> {
    let line = line.trim_end();
    if let Some(both) = line.strip_prefix("diff --git ") {
        let paths = both.split_once(" b/").map(|(a, b)| [a, b]);
        return Some(paths.into_iter().flatten().flat_map(one).collect());
    }
    if let Some(path) = NAMED.iter().find_map(|header| line.strip_prefix(header)) {
        return Some(one(path));
    }
    let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
    // Behind a tab stands the time.
    Some(one(path.split('\t').next().unwrap_or(path)))
}

fn one(path: &str) -> Vec<Option<String>> {
    let path = path.trim();
    // git writes other characters than plain ones as numbers in quotes.
    if path.starts_with('"') {
        return vec![None];
    }
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    if path == "/dev/null" || path.is_empty() { Vec::new() } else { vec![Some(path.to_owned())] }
}

/// Returns whether a client that takes a line for one of these commands, and does it itself, takes the same from it as a shell would: a directory that is
/// written out, and a here-document in which nothing is replaced. Any other line that gives one of them such a document is none.
pub(super) fn is_read_alike(line: &str, commands: &[&str]) -> bool {
    let gives = |row: &str| row.contains("<<") && commands.iter().any(|name| row.contains(name));
    !line.lines().any(gives) || is_plain_call(line.trim(), commands).is_some()
}

/// `cd DIRECTORY && COMMAND <<'END'`, and the document, which ends the line.
fn is_plain_call(line: &str, commands: &[&str]) -> Option<()> {
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "_./@+-".contains(c));
    let call = match line.strip_prefix("cd ") {
        Some(rest) => {
            let (directory, call) = rest.split_once("&&")?;
            let directory = directory.trim();
            let directory = quoted(directory).unwrap_or(directory);
            (is_plain(directory) && !directory.starts_with('-')).then_some(call.trim_start())?
        }
        None => line,
    };
    let document = commands.iter().find_map(|name| call.strip_prefix(name))?;
    let (end, body) =
        document.trim_start_matches([' ', '\t']).strip_prefix("<<")?.split_once('\n')?;
    let end = end.trim();
    let is_literal = quoted(end).is_some();
    let end = quoted(end).unwrap_or(end);
    let body = body.strip_suffix(end)?;
    let is_one = !body.lines().any(|row| row == end) && (body.is_empty() || body.ends_with('\n'));
    (is_one && is_plain(end) && !end.is_empty() && (is_literal || !body.contains(['\\', '$', '`'])))
        .then_some(())
}

/// What stands between quotes of one kind, if all does.
fn quoted(word: &str) -> Option<&str> {
    let inside = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).filter(|inside| !inside.contains(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::{files, is_read_alike};

    #[test]
    fn a_patch_on_a_line_is_clear_where_client_and_shell_read_the_same() {
        let alike = |line: &str| is_read_alike(line, &["apply_patch", "applypatch"]);
        let body = "*** Begin Patch\n*** Add File: x\n+a\n*** End Patch\n";
        for call in [
            "apply_patch <<'EOF'\n{}EOF",
            "apply_patch <<EOF\n{}EOF\n",
            "cd src && apply_patch <<\"E\"\n{}E",
            "cd 'a-b/c' && applypatch <<'EOF'\n{}EOF\n",
            "ls",
            "cat <<EOF >notes\nuse apply_patch\nEOF",
        ] {
            assert!(alike(&call.replace("{}", body)), "{call}");
        }
        for call in [
            "apply_patch <<EOF\n*** Begin Patch\n+x\\\n*** Add File: y\n{}EOF",
            "apply_patch <<EOF\n+$(\n{})\nEOF",
            "apply_patch <<-'EOF'\n{}EOF",
            "cd \"$PWD/etc\" && apply_patch <<'EOF'\n{}EOF",
            "cd \"/home/u/$((1))/../work\" && apply_patch <<'EOF'\n{}EOF",
            "cd . && apply_patch --help <<'EOF'\n{}EOF",
            "apply_patch '' <<'EOF'\n{}EOF",
            "apply_patch <<'EOF'\n{}EOF\nls",
            "apply_patch <<'EOF'\n{}",
            "true; apply_patch <<'EOF'\n{}EOF",
            "cd - && apply_patch <<'EOF'\n{}EOF",
        ] {
            assert!(!alike(&call.replace("{}", body)), "{call}");
        }
    }

    #[test]
    fn headers_are_read_as_loosely_as_any_client_reads_them() {
        for (patch, expected) in [
            ("*** Add File:.git/hooks/x", ".git/hooks/x"),
            ("  *** add file: x", "x"),
            ("*** Update File: .git/config:x", ".git/config"),
            ("*** Move to:y", "y"),
            ("*** Rename to: y", "y"),
            ("rename to .git/config", ".git/config"),
            ("copy to .envrc", ".envrc"),
            ("*** Add File: \u{feff}.envrc", ".envrc"),
            ("*** Add File: \".envrc\"", ".envrc"),
            ("diff --git a/x b/.git/config", ".git/config"),
            ("+++ b/.git/config\t2026", ".git/config"),
        ] {
            let files = files(patch);
            assert!(
                files.iter().any(|(_, path)| path.as_deref() == Some(expected)),
                "{patch}: {files:?}"
            );
        }
        assert_eq!(files("+++ \"b/\\056git/config\"").len(), 1);
        assert!(files("***  Add File: x").iter().any(|(_, path)| path.is_none()));
        assert!(files("what is this").is_empty());
    }
}
