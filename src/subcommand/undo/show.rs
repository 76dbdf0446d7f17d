//! `undo show`: what taking an entry back would change. Of texts the difference, of all else what happens to it. Changes nothing.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::libc;
use serde::Serialize;
use similar::TextDiff;

use super::bytes;
use crate::approval::visible;
use crate::subcommand::output::{Output, short};
use crate::undo::{Entry, Found, Item, Standing, Standings, Was};

/// Bytes of a text that are compared.
const TEXT: u64 = 1 << 20;
/// Lines of differences that are shown.
const LINES: usize = 2000;

/// Where git has its objects, of which nobody reads a list.
const OBJECTS: &str = "/.git/objects/";

/// What is shown of an entry.
pub(in crate::subcommand) struct Page<'p> {
    pub(in crate::subcommand) found: &'p Found,
    pub(in crate::subcommand) entry: &'p Entry,
    pub(in crate::subcommand) standings: &'p Standings,
    pub(in crate::subcommand) home: Option<&'p str>,
    pub(in crate::subcommand) output: Output,
}

/// One path of a page, as programs read it.
#[derive(Serialize)]
pub(super) struct WirePath {
    path: String,
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<&'static str>,
}

/// Returns what happens to a path.
pub(super) fn word(standing: Standing, item: Option<&Item>) -> &'static str {
    let was = item.map(|item| &item.was);
    match (standing, was) {
        (Standing::Same, _) => "stays",
        (Standing::Added, _) | (_, Some(Was::Absent) | None) => "goes",
        (Standing::Undressed, _) => "gets its permissions back",
        (Standing::Lost | Standing::Refilled, Some(_)) => "comes back",
    }
}

impl Page<'_> {
    pub(super) fn wire(&self) -> Vec<WirePath> {
        let conflict = |path: &Path| {
            self.standings.conflicts.iter().find(|found| found.path == path).map(|found| found.why)
        };
        let changed = self.standings.changed(self.entry);
        let path = |(path, standing, item): (&Path, Standing, Option<&Item>)| WirePath {
            path: path.to_string_lossy().into_owned(),
            what: self.word(path, standing, item),
            bytes: match item.map(|item| &item.was) {
                Some(Was::File { meta, .. }) => Some(meta.size),
                _ => None,
            },
            conflict: conflict(path),
        };
        changed.map(path).collect()
    }

    pub(in crate::subcommand) fn text(&self) -> String {
        let mut text = String::new();
        let mut left = LINES;
        let mut objects = 0;
        for (path, standing, item) in self.standings.changed(self.entry) {
            if is_object(path) {
                objects += 1;
                continue;
            }
            let name = visible(&short(&path.to_string_lossy(), self.home)).into_owned();
            let size = match item.map(|item| &item.was) {
                Some(Was::File { meta, .. }) => format!(" ({})", bytes(meta.size)),
                _ => String::new(),
            };
            let what = self.word(path, standing, item);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {what}{size}", self.output.bold(&name));
            if let Some(difference) = self.difference(path, standing, item) {
                for line in difference.lines().take(left) {
                    let _ = writeln!(text, "{}", visible(line));
                }
                let lines = difference.lines().count();
                if lines > left {
                    let _ = writeln!(text, "(and {} lines more)", lines - left);
                }
                left = left.saturating_sub(lines);
            }
        }
        if objects > 0 {
            let _ = writeln!(text, "{objects} paths of git's objects as well");
        }
        for conflict in &self.standings.conflicts {
            let path = short(&conflict.path.to_string_lossy(), self.home);
            let _ = writeln!(text, "conflict: {} {}", visible(&path), conflict.why);
        }
        if text.is_empty() {
            text.push_str("all of it is as it was\n");
        }
        text
    }

    fn word(&self, path: &Path, standing: Standing, item: Option<&Item>) -> &'static str {
        if !self.entry.header.tried {
            return word(standing, item);
        }
        match (standing, item.map(|item| &item.was)) {
            (Standing::Same, _) => "stays",
            (Standing::Added, _) | (_, Some(Was::Absent) | None) => "is deleted",
            (Standing::Undressed, _) => "gets other permissions or another time",
            (_, Some(_)) if path.symlink_metadata().is_err() => "is made",
            (_, Some(_)) => "is changed",
        }
    }

    /// The difference between what is there now and what comes back, where both are texts.
    fn difference(&self, path: &Path, standing: Standing, item: Option<&Item>) -> Option<String> {
        if standing == Standing::Undressed || item.is_none_or(|item| item.was == Was::Absent) {
            return None;
        }
        let (kept, now) = texts(self.found, path, item)?;
        let difference = TextDiff::from_lines(&now, &kept);
        Some(difference.unified_diff().context_radius(2).to_string())
    }
}

/// Returns what was kept of a path and what is there now, where both are texts; where there was or is nothing, an empty one.
pub(super) fn texts(found: &Found, path: &Path, item: Option<&Item>) -> Option<(String, String)> {
    let kept = match item.map(|item| &item.was) {
        Some(Was::File { content, .. }) => read(&found.content().join(content.to_string()))?,
        Some(Was::Absent) | None => String::new(),
        Some(_) => return None,
    };
    let now = match path.symlink_metadata() {
        Ok(_) => read(path)?,
        Err(_) => String::new(),
    };
    Some((kept, now))
}

/// Whether a path is an object of git's by its name, or a directory of such.
pub(super) fn is_object(path: &Path) -> bool {
    let path = path.to_string_lossy();
    let Some((_, name)) = path.split_once(OBJECTS) else { return false };
    let is_packed = name.strip_prefix("pack/pack-").is_some_and(|name| {
        let ends = [".pack", ".idx", ".rev", ".mtimes"];
        ends.iter().any(|end| name.strip_suffix(end).is_some_and(is_hexadecimal))
    });
    is_packed || name == "pack" || is_hexadecimal(&name.replacen('/', "", 1))
}

fn is_hexadecimal(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns a text that is not too long; none of what is no text.
fn read(path: &Path) -> Option<String> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(TEXT + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= TEXT && !text.contains('\0')).then_some(text)
}
