//! The processes that we descend from, read from `/proc`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;

use super::process::{Stat, stat};
use crate::sys::descent::{self, Sign};

/// How far up is looked. A chain this long is no one's work; it is not followed further, and its end counts as unknown.
const LIMIT: usize = 64;

/// Bytes of a command line that are looked at: the program and its first words.
const COMMAND_LIMIT: usize = 4096;

/// One process above us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestor {
    /// Its id.
    pub id: u32,
    /// Its name, as the kernel keeps it: at most 15 bytes.
    pub name: String,
    /// The first words of its command line.
    pub command: Vec<OsString>,
    /// Whether its environment says that it runs below a session host of ours.
    pub guarded: bool,
    /// Variables in its environment by which agents mark what they start.
    pub marks: Vec<String>,
    /// Whose sign it has: a guarded shell or an agent started it, or what started it, be that there or not.
    pub sign: Option<Sign>,
}

/// How closely the processes above us are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Their names; of interpreters also what they run. Costs a few microseconds each.
    Names,
    /// Their command lines, environments and limits too.
    All,
}

/// Reads the processes above us, parent first. An error says that the chain was not seen to its end.
pub fn ancestors(look: Look) -> Result<Vec<Ancestor>, std::io::Error> {
    let parent = std::os::unix::process::parent_id();
    let found = ancestors_of(parent, look)?;
    if let Some(first) = found.first() {
        // Whoever comes first says it.
        let _ = PARENT.set((parent, first.name.clone()));
    }
    Ok(found)
}

/// Reads a process and those that it descends from, itself first. An error says that the chain was not seen to its end.
pub fn ancestors_of(first: u32, look: Look) -> Result<Vec<Ancestor>, std::io::Error> {
    let mut found = Vec::new();
    let mut id = first;
    // Process 0 is the kernel's, or a parent outside of our process namespace.
    while id != 0 {
        if found.len() == LIMIT {
            return Err(std::io::Error::other("more processes above this one than are followed"));
        }
        let (name, parent) = stat(id, name_and_parent)?;
        let closely = look == Look::All;
        let (guarded, marks) = if closely { marks(id) } else { (name == "guarded-sh", Vec::new()) };
        let interpreted = super::caller::is_interpreter(&name);
        let command = if closely || interpreted { command(id) } else { Vec::new() };
        let sign = if closely { descent::sign_of(id) } else { None };
        found.push(Ancestor { id, name, command, guarded, marks, sign });
        id = parent;
    }
    Ok(found)
}

/// The process that called, as it was when it was first looked at: each look costs a hundredth of a command line.
static PARENT: OnceLock<(u32, String)> = OnceLock::new();

/// Reads the process that called, as far as it may be an agent: another's command line is not looked at.
pub(super) fn parent(may_be_agent: impl Fn(&str) -> bool) -> Option<Ancestor> {
    let id = std::os::unix::process::parent_id();
    let name = match PARENT.get() {
        Some((known, name)) if *known == id => name.clone(),
        _ => stat(id, name_and_parent).ok()?.0,
    };
    let command = if may_be_agent(&name) { command(id) } else { return None };
    Some(Ancestor { id, name, command, ..Ancestor::default() })
}

/// Returns the file that a process runs from, where that is there and may be seen.
pub(super) fn program(id: u32) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{id}/exe")).ok()?;
    path.into_os_string().into_string().ok()
}

/// Takes name and parent of a process from what the kernel says of it.
fn name_and_parent(mut stat: Stat<'_>) -> Option<(String, u32)> {
    let name = String::from_utf8_lossy(stat.name).into_owned();
    Some((name, stat.fields.nth(1)?.parse().ok()?))
}

/// Returns the first words of a command line; none where it may not be read.
pub(super) fn command(id: u32) -> Vec<OsString> {
    let mut buffer = [0; COMMAND_LIMIT];
    let read = File::open(format!("/proc/{id}/cmdline")).and_then(|mut f| f.read(&mut buffer));
    let words = buffer[..read.unwrap_or(0)].split(|&byte| byte == 0).take(4);
    words.filter(|word| !word.is_empty()).map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// Returns whether a process above us was started with another home than this one, or none with any. Another user's is not readable.
pub fn has_other_home_above(home: &str) -> std::io::Result<bool> {
    let is_it = |ancestor: &Ancestor| {
        let bytes = environment_of(ancestor.id);
        let given = bytes.split(|&byte| byte == 0).find_map(|entry| entry.strip_prefix(b"HOME="));
        given.map(|given| given == home.as_bytes())
    };
    let above = ancestors(Look::Names)?;
    let mut same = above.iter().filter_map(is_it).peekable();
    Ok(same.peek().is_none() || same.any(|is_it| !is_it))
}

/// Returns what a process was started with as its environment; nothing where we may not see it. Such a file does not say how long it is, and most are
/// read at once.
fn environment_of(id: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 << 10);
    let file = File::open(format!("/proc/{id}/environ"));
    match file.and_then(|file| file.take(u64::MAX).read_to_end(&mut bytes)) {
        Ok(_) => bytes,
        Err(_) => Vec::new(),
    }
}

/// Returns whether a process runs below a host of ours, and which agents' marks it has. Another user's is not readable: no mark.
fn marks(id: u32) -> (bool, Vec<String>) {
    let bytes = environment_of(id);
    let mut guarded = false;
    let mut marks = Vec::new();
    for entry in bytes.split(|&byte| byte == 0) {
        let Some(end) = entry.iter().position(|&byte| byte == b'=') else { continue };
        let (name, value) = (&entry[..end], &entry[end + 1..]);
        if value.is_empty() {
            continue;
        }
        guarded |= name == b"GUARDED_SH_SESSION";
        if let Some(agent) = super::caller::marked(name) {
            marks.push(agent.to_owned());
        }
    }
    (guarded, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_what_it_likes() {
        let of = |stat: &[u8]| Stat::of(stat).and_then(name_and_parent);
        assert_eq!(of(b"7 (sh) S 1 7 7 0 -1"), Some(("sh".to_owned(), 1)));
        assert_eq!(of(b"7 (a) S 9 (b) S 1 7"), Some(("a) S 9 (b".to_owned(), 1)));
        assert_eq!(of(b"7 (\xff) S 12 7"), Some(("\u{fffd}".to_owned(), 12)));
        for cut in [b"" as &[u8], b"7 (sh", b"7 (sh)", b"7 (sh) S", b"7 )sh( S 1", b"7 (sh) S x 7"]
        {
            assert_eq!(of(cut), None);
        }
    }

    #[test]
    fn the_chain_begins_with_the_parent() {
        let chain = ancestors(Look::All).unwrap();
        assert_eq!(chain[0].id, std::os::unix::process::parent_id());
        assert!(!chain[0].name.is_empty());
    }
}
