//! What of a container is what on this machine: each client's directories, and where a path of the container is here. A path is followed beneath its mount,
//! and never out of it.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use serde::{Deserialize, Serialize};

/// One directory of a container, and the one that it is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// Where it is there.
    pub there: PathBuf,
    /// Where it is here.
    pub here: PathBuf,
}

/// Why a path is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unmapped {
    /// No mount has it.
    #[error("'{0}' is in no directory that is mapped for this client")]
    Absent(String),
    /// It is no path from the root.
    #[error("'{0}' does not begin with `/`")]
    Relative(String),
    /// It leads out of its mount, or is not there.
    #[error("'{path}' cannot be used on this machine: {source}")]
    Failed {
        /// The path, as the client wrote it.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// A mount that no owner can mean.
#[derive(Debug, thiserror::Error)]
#[error(
    "a mount is `/there=/here`, two directories from the root, and this one is there: not '{0}'"
)]
pub struct NoMount(String);

impl Mount {
    /// Reads `/there=/here`; `~/` is the owner's home.
    pub fn read(text: &str, home: Option<&str>) -> Result<Self, NoMount> {
        let wrong = || NoMount(text.to_owned());
        let (there, here) = text.split_once('=').ok_or_else(wrong)?;
        let here = match (here.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Path::new(home).join(rest),
            _ => PathBuf::from(here),
        };
        let there = plain(Path::new(there)).ok_or_else(wrong)?;
        if !here.is_absolute() || there == Path::new("/") {
            return Err(wrong());
        }
        let here = here.canonicalize().map_err(|_| wrong())?;
        if !here.is_dir() || here == Path::new("/") {
            return Err(wrong());
        }
        Ok(Self { there, here })
    }
}

/// Returns a path without `.`, `..` and repeated slashes; none where it is relative, or leads above the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::RootDir => plain.push("/"),
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::Prefix(_) => return None,
        }
    }
    plain.is_absolute().then_some(plain)
}

/// A directory of a client, open, with its path here.
#[derive(Debug)]
pub struct Found {
    pub file: File,
    pub here: PathBuf,
}

/// Opens a directory that a client named; none is its first mount.
pub fn directory(mounts: &[Mount], named: Option<&str>) -> Result<Found, Unmapped> {
    let text = match (named, mounts.first()) {
        (Some(named), _) => named.to_owned(),
        (None, Some(first)) => first.there.to_string_lossy().into_owned(),
        (None, None) => return Err(Unmapped::Absent("/".to_owned())),
    };
    if !text.starts_with('/') {
        return Err(Unmapped::Relative(text));
    }
    let path = plain(Path::new(&text)).ok_or_else(|| Unmapped::Absent(text.clone()))?;
    let (mount, rest) = within(mounts, &path).ok_or_else(|| Unmapped::Absent(text.clone()))?;
    let failed = |source: io::Error| Unmapped::Failed { path: text.clone(), source };
    let root = File::open(&mount.here).map_err(failed)?;
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(&root, rest, flags, Mode::empty(), how);
    let file = File::from(file.map_err(|errno| failed(errno.into()))?);
    // What it is behind links, as the kernel found it.
    let here = std::fs::read_link(format!("/proc/self/fd/{}", descriptor(&file)));
    Ok(Found { here: here.map_err(failed)?, file })
}

fn descriptor(file: &File) -> i32 {
    std::os::fd::AsRawFd::as_raw_fd(file)
}

/// Returns the mount with the longest path that a path is in, and what is left of it.
fn within<'m, 'p>(mounts: &'m [Mount], path: &'p Path) -> Option<(&'m Mount, &'p Path)> {
    let fitting = mounts.iter().filter_map(|mount| {
        let rest = path.strip_prefix(&mount.there).ok()?;
        Some((mount, rest))
    });
    fitting.max_by_key(|(mount, _)| mount.there.components().count())
}

/// Returns a line with the words in it that are paths of the container, plainly written, as what they are here; none where no word is.
pub fn mapped(mounts: &[Mount], line: &str) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut is_other = false;
    // What is quoted is data as often as a path, and so it stays: what it means here is judged as it stands.
    let mut quote = None;
    while let Some(next) = rest.chars().next() {
        let is_start = text.chars().next_back().is_none_or(|c| " \t\n=:<>(&|;".contains(c));
        if quote.is_none() && next == '/' && is_start {
            let end = rest.find(|c: char| " \t\n\"'`$&|;<>()\\*?[]{}:".contains(c));
            let word = &rest[..end.unwrap_or(rest.len())];
            let path = plain(Path::new(word));
            let here = path.as_deref().and_then(|path| within(mounts, path));
            match here.and_then(|(mount, rest)| mount.here.join(rest).to_str().map(str::to_owned)) {
                // Only what a shell takes as it stands can be put there.
                Some(here) if here.chars().all(is_bare) => {
                    let here = here.strip_suffix('/').unwrap_or(&here);
                    is_other |= here != word;
                    text.push_str(here);
                    text.push_str(if word.ends_with('/') { "/" } else { "" });
                }
                _ => text.push_str(word),
            }
            rest = &rest[word.len()..];
            continue;
        }
        match (quote, next) {
            (None, '\'' | '"') => quote = Some(next),
            (Some(open), next) if open == next => quote = None,
            _ => {}
        }
        let mut taken = next.len_utf8();
        text.push(next);
        if next == '\\'
            && quote != Some('\'')
            && let Some(after) = rest[taken..].chars().next()
        {
            text.push(after);
            taken += after.len_utf8();
        }
        rest = &rest[taken..];
    }
    is_other.then_some(text)
}

fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/._-+,@%".contains(letter)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn made() -> (tempfile::TempDir, Vec<Mount>) {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(place.path().join("app/src/deep")).unwrap();
        std::fs::create_dir_all(place.path().join("cache")).unwrap();
        let root = place.path().canonicalize().unwrap();
        let mount = |there: &str, here: &str| {
            let text = format!("{there}={}", root.join(here).display());
            Mount::read(&text, None).unwrap()
        };
        (place, vec![mount("/workspace", "app"), mount("/workspace/cache", "cache")])
    }

    #[test]
    fn a_directory_is_found_beneath_the_longest_mount_and_nowhere_else() {
        let (place, mounts) = made();
        let root = place.path().canonicalize().unwrap();
        symlink("/", root.join("app/out")).unwrap();
        symlink("src", root.join("app/in")).unwrap();
        symlink("../cache", root.join("app/beside")).unwrap();
        let found = |named| directory(&mounts, named).map(|found| found.here).ok();
        for (named, here) in [
            (None, Some("app")),
            (Some("/workspace"), Some("app")),
            (Some("/workspace/"), Some("app")),
            (Some("/workspace/src/deep"), Some("app/src/deep")),
            (Some("/workspace/./src/../src"), Some("app/src")),
            (Some("/workspace/cache"), Some("cache")),
            (Some("/workspace/in"), Some("app/src")),
            (Some("/workspace/out"), None),
            (Some("/workspace/out/etc"), None),
            (Some("/workspace/beside"), None),
            (Some("/workspace/../etc"), None),
            (Some("/workspace/.."), None),
            (Some("/../../workspace-other"), None),
            (Some("/workspacex"), None),
            (Some("/Workspace"), None),
            (Some("/etc"), None),
            (Some("/"), None),
            (Some("src"), None),
            (Some(""), None),
            (Some("/workspace/gone"), None),
        ] {
            assert_eq!(found(named), here.map(|here| root.join(here)), "{named:?}");
        }
        assert!(directory(&[], None).is_err());
    }

    #[test]
    fn words_that_are_paths_of_the_container_are_written_as_what_they_are_here() {
        let mounts = [Mount { there: "/workspace".into(), here: "/home/you/app".into() }];
        for (line, here) in [
            ("git -C /workspace/lib push", Some("git -C /home/you/app/lib push")),
            ("ls /workspace", Some("ls /home/you/app")),
            ("ls /workspace/", Some("ls /home/you/app/")),
            (
                "cat --file=/workspace/a</workspace/b",
                Some("cat --file=/home/you/app/a</home/you/app/b"),
            ),
            ("ls /workspace/../etc", None),
            ("ls /workspacex /etc a/workspace", None),
            ("echo '/workspace' \"/workspace\"", None),
            ("echo \\\" /workspace", Some("echo \\\" /home/you/app")),
            ("true", None),
        ] {
            assert_eq!(mapped(&mounts, line).as_deref(), here, "{line}");
        }
    }

    #[test]
    fn a_mount_is_two_directories() {
        for text in ["", "/a", "a=/tmp", "/=/tmp", "/a=b", "/a=/", "/a=/gone/nowhere", "/..=/tmp"] {
            assert!(Mount::read(text, None).is_err(), "{text}");
        }
    }
}
