//! What a process has just begun to run: a shell under whatever name, this program, or anything else. A shell is known by its file, by
//! what its linker wrote into it (the build id: an ELF note, see ld(1)), by its text where that has none, by its name, and by the
//! variables that it must know.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::elf::Elf;
use super::real_shell::PLACES;
use super::system::is_roots;
use crate::model::Shell;

/// Shells that are read here.
const READ: [(&str, Shell); 5] = [
    ("bash", Shell::Bash),
    ("sh", Shell::Sh),
    ("dash", Shell::Dash),
    ("ash", Shell::Sh),
    ("zsh", Shell::Zsh),
];

/// Shells that are not.
const UNREAD: [&str; 16] = [
    "csh", "elvish", "fish", "ksh", "ksh93", "loksh", "mksh", "nu", "oil", "oksh", "osh", "pwsh",
    "tcsh", "xonsh", "yash", "ysh",
];

/// Many programs in one file, a shell among them: the name that they are called by, or the first word, says which.
const MANY: [&str; 2] = ["busybox", "toybox"];

/// Variables that POSIX has every shell set or heed (XCU 2.5.3): a program that holds all of their names is one.
const VARIABLES: [&[u8]; 4] = [b"OPTIND", b"PS4", b"PPID", b"IFS"];

/// Bytes of the largest program in which those are looked for: a shell is small, and an agent's runtime may hold text about shells.
const LARGEST: u64 = 4 << 20;

/// Bytes of words and of a file's head that are looked at.
const HEAD: u64 = 64 * 1024;

/// What a process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// This program.
    Ours,
    /// A shell that is read here.
    Shell {
        /// Which.
        shell: Shell,
        /// How many words come before its own.
        before: usize,
    },
    /// A shell that is not read here.
    Unread {
        /// Its file.
        path: PathBuf,
        /// How many words come before its own.
        before: usize,
    },
    /// We may not look at it.
    Unseen,
    /// Any other program.
    Other,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ours,
    Shell(Shell),
    Unread,
    Many,
    /// Runs the program that its words name (ld.so(8)).
    Loader,
    Other,
}

/// A file, for as long as nothing is written to it.
type Identity = (u64, u64, u64, i64, i64);

/// The shells of this machine, and what was seen.
#[derive(Debug)]
pub struct Programs {
    shells: Vec<(Kind, PathBuf, Option<Vec<u8>>, u64)>,
    seen: HashMap<Identity, Kind>,
}

impl Programs {
    /// Finds the shells: where systems have them, in `/etc/shells`, and in the directories of this `PATH`.
    #[must_use]
    pub fn find(path: &OsStr) -> Self {
        let mut found = Self { shells: Vec::new(), seen: HashMap::new() };
        if let Ok(ours) = std::fs::metadata("/proc/self/exe") {
            found.seen.insert(identity(&ours), Kind::Ours);
        }
        let listed = std::fs::read_to_string("/etc/shells").unwrap_or_default();
        let listed = listed.lines().filter(|line| line.starts_with('/')).map(PathBuf::from);
        let mut directories: Vec<PathBuf> = PLACES.iter().map(PathBuf::from).collect();
        directories.extend(std::env::split_paths(path).filter(|path| path.is_absolute()));
        let names = || READ.iter().map(|(name, _)| *name).chain(UNREAD).chain(MANY);
        let named =
            directories.iter().flat_map(|directory| names().map(|name| directory.join(name)));
        for path in listed.chain(named) {
            found.learn(&path);
        }
        found
    }

    fn learn(&mut self, path: &Path) {
        let Ok(metadata) = path.metadata() else { return };
        // A link says how the file is called, not what it is: `sh` is mostly one.
        let Ok(path) = path.canonicalize() else { return };
        if !metadata.is_file() || self.seen.contains_key(&identity(&metadata)) {
            return;
        }
        let Some(kind) = path.file_name().and_then(OsStr::to_str).and_then(named) else { return };
        self.seen.insert(identity(&metadata), kind);
        let print = File::open(&path).ok().and_then(|file| Elf::of(&file)?.build_id());
        self.shells.push((kind, path, print, metadata.len()));
    }

    /// Returns what a process runs, of which nothing ran yet.
    pub fn run_by(&mut self, process: u32) -> Runs {
        let place = PathBuf::from(format!("/proc/{process}"));
        let kind = self.kind(&place.join("exe")).ok();
        self.runs(kind, process, || script_of(&place))
    }

    /// Returns what a process runs that had this file and these words a moment ago, and into whose memory we may not look.
    pub fn seen_in(&mut self, process: u32, file: &Metadata, words: &[OsString]) -> Runs {
        let place = PathBuf::from(format!("/proc/{process}"));
        let known = self.seen.get(&identity(file)).copied();
        let kind = known.or_else(|| self.kind(&place.join("exe")).ok());
        self.runs(kind, process, || script_of(&place).or_else(|| script_among(words)))
    }

    /// Returns the files of the shells of this machine.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.shells.iter().map(|(_, path, ..)| path.as_path())
    }

    fn runs(
        &mut self,
        kind: Option<Kind>,
        process: u32,
        script: impl FnOnce() -> Option<PathBuf>,
    ) -> Runs {
        let place = PathBuf::from(format!("/proc/{process}"));
        let Some(kind) = kind else { return Runs::Unseen };
        match kind {
            Kind::Ours => Runs::Ours,
            Kind::Other => Runs::Other,
            // A script that was run as a program is one; the system's own are what its other programs are.
            _ if script().is_some_and(|script| is_systems(&script)) => Runs::Other,
            Kind::Shell(shell) => Runs::Shell { shell, before: 0 },
            Kind::Unread => match std::fs::read_link(place.join("exe")) {
                Ok(path) => Runs::Unread { path, before: 0 },
                Err(_) => Runs::Unseen,
            },
            Kind::Many => one_of_many(&words_of(process)),
            Kind::Loader => self.loaded(&place, &words_of(process)),
        }
    }

    /// Returns what a loader runs that has these words: a shell, if one of them is.
    fn loaded(&mut self, place: &Path, words: &[OsString]) -> Runs {
        for (before, word) in words.iter().enumerate().skip(1) {
            let path = Path::new(word);
            let seen = match path.strip_prefix("/") {
                Ok(path) => place.join("root").join(path),
                Err(_) => place.join("cwd").join(path),
            };
            match self.kind(&seen).unwrap_or(Kind::Other) {
                Kind::Shell(shell) => return Runs::Shell { shell, before },
                Kind::Unread | Kind::Many => return Runs::Unread { path: path.to_owned(), before },
                Kind::Ours | Kind::Loader | Kind::Other => {}
            }
        }
        Runs::Other
    }

    fn kind(&mut self, path: &Path) -> io::Result<Kind> {
        let metadata = path.metadata()?;
        if !metadata.is_file() {
            return Ok(Kind::Other);
        }
        if let Some(kind) = self.seen.get(&identity(&metadata)) {
            return Ok(*kind);
        }
        let file = File::open(path)?;
        let kind = self.look(
            &file,
            &metadata,
            &std::fs::read_link(path).unwrap_or_else(|_| path.to_owned()),
        )?;
        self.seen.insert(identity(&metadata), kind);
        Ok(kind)
    }

    fn look(&self, file: &File, metadata: &Metadata, path: &Path) -> io::Result<Kind> {
        let elf = Elf::of(file);
        let print = elf.as_ref().and_then(Elf::build_id);
        for (kind, path, known, length) in &self.shells {
            let is_it = match known {
                Some(_) => *known == print,
                None => *length == metadata.len() && is_same_text(file, &File::open(path)?)?,
            };
            if is_it {
                return Ok(*kind);
            }
        }
        if is_ours(file, metadata)? {
            return Ok(Kind::Ours);
        }
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // Of a file that is gone, proc(5) says so behind the name.
        if let Some(kind) = named(name.strip_suffix(" (deleted)").unwrap_or(name)) {
            return Ok(kind);
        }
        if elf.is_some_and(|elf| elf.is_loader()) {
            return Ok(Kind::Loader);
        }
        Ok(if is_like_a_shell(file, metadata.len())? { Kind::Unread } else { Kind::Other })
    }
}

/// Returns whether a file is this program, or a copy of it.
#[must_use]
pub fn is_this_program(path: &Path) -> bool {
    let look = || {
        let file = File::open(path)?;
        is_ours(&file, &file.metadata()?)
    };
    look().unwrap_or(false)
}

/// Returns whether both paths lead to the same file.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    file_at(one).is_some_and(|one| Some(one) == file_at(other))
}

fn is_ours(file: &File, metadata: &Metadata) -> io::Result<bool> {
    let ours = File::open("/proc/self/exe")?;
    let own = ours.metadata()?;
    let is_it = identity(&own) == identity(metadata);
    Ok(is_it || own.len() == metadata.len() && is_same_text(file, &ours)?)
}

/// Returns what a program is that is called so: `bash`, `bash-5.2`, `bash.real`.
fn named(name: &str) -> Option<Kind> {
    let is = |known: &str| {
        let Some(rest) = name.strip_prefix(known) else { return false };
        let version = rest.strip_prefix('-').unwrap_or(rest);
        rest.is_empty()
            || known.len() > 2 && (rest.starts_with('.') || rest == "-static")
            || known.len() > 2 && version.starts_with(|byte: char| byte.is_ascii_digit())
    };
    if name == "ld.so" || name.starts_with("ld-") && name.contains(".so") {
        return Some(Kind::Loader);
    }
    let read = READ.iter().find(|(known, _)| is(known)).map(|(_, shell)| Kind::Shell(*shell));
    let unread = || UNREAD.into_iter().find(|known| is(known)).map(|_| Kind::Unread);
    read.or_else(unread).or_else(|| MANY.into_iter().find(|known| is(known)).map(|_| Kind::Many))
}

/// Returns what a file of many programs is called as: by its own name, or by its first word.
fn one_of_many(words: &[OsString]) -> Runs {
    for (before, word) in words.iter().take(2).enumerate() {
        let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
        match named(name.strip_prefix('-').unwrap_or(name)) {
            Some(Kind::Shell(shell)) => return Runs::Shell { shell, before },
            Some(Kind::Many) => {}
            _ => break,
        }
    }
    Runs::Other
}

/// Returns the file that a process was told to run, where that is not what it runs: a script, which names its interpreter.
pub(super) fn script_of(place: &Path) -> Option<PathBuf> {
    let path = called(place).filter(|path| path.is_absolute())?;
    let mut begin = [0; 2];
    File::open(&path).ok()?.read_exact(&mut begin).ok()?;
    (begin == *b"#!").then(|| path.canonicalize().ok()).flatten()
}

/// Returns the script that a shell with these words runs, where its whole path stands in them: behind the shell, and the option that may
/// stand in the script's first line.
fn script_among(words: &[OsString]) -> Option<PathBuf> {
    let is_option = |word: &&OsString| word.as_bytes().starts_with(b"-");
    let path = Path::new(words.iter().skip(1).find(|word| !is_option(word))?);
    path.is_absolute().then(|| path.canonicalize().ok()).flatten()
}

/// Returns which file a path leads to; none if it leads nowhere.
pub(super) fn file_at(path: &Path) -> Option<(u64, u64)> {
    path.metadata().map(|found| (found.dev(), found.ino())).ok()
}

/// Returns the file that a process runs, by the path that it was started by where that leads there.
#[must_use]
pub fn file_of(process: u32) -> Option<PathBuf> {
    let place = PathBuf::from(format!("/proc/{process}"));
    let runs = file_at(&place.join("exe"))?;
    let cwd = std::fs::read_link(place.join("cwd"));
    let path = called(&place).and_then(|path| Some(cwd.ok()?.join(path)));
    let path = path.filter(|path| file_at(path) == Some(runs) && !path.starts_with("/proc"));
    path.or_else(|| std::fs::read_link(place.join("exe")).ok())
}

/// Returns the path by which a process was told what to run, where that means the same to it as to us.
fn called(place: &Path) -> Option<PathBuf> {
    /// The entry of the vector that says where that file's name is (getauxval(3)).
    const AT_EXECFN: u64 = 31;
    let vector = std::fs::read(place.join("auxv")).ok()?;
    let numbers = vector
        .chunks_exact(8)
        .map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap_or_default()));
    let numbers: Vec<u64> = numbers.collect();
    let at = numbers.chunks_exact(2).find(|entry| entry[0] == AT_EXECFN)?[1];
    let mut bytes = [0; 4096];
    let count = File::open(place.join("mem")).ok()?.read_at(&mut bytes, at).ok()?;
    let name = bytes[..count].split(|byte| *byte == 0).next()?;
    let path = Path::new(OsStr::from_bytes(name));
    // A name means another file where another directory is the root.
    (file_at(&place.join("root")) == file_at(Path::new("/"))).then(|| path.to_owned())
}

/// Whether a file is the system's: where systems have their programs, and nobody but root writes to it.
pub(super) fn is_systems(path: &Path) -> bool {
    let place = ["/usr/", "/nix/store/", "/run/current-system/"];
    place.iter().any(|place| path.starts_with(place))
        && !path.starts_with("/usr/local")
        && path.ancestors().all(is_roots)
}

fn identity(file: &Metadata) -> Identity {
    (file.dev(), file.ino(), file.len(), file.ctime(), file.ctime_nsec())
}

/// Whether a program holds the names of the variables that shells have.
fn is_like_a_shell(file: &File, length: u64) -> io::Result<bool> {
    let mut head = [0; 4];
    if length > LARGEST || file.read_at(&mut head, 0)? < head.len() || head != *b"\x7fELF" {
        return Ok(false);
    }
    let mut text = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut text, 0)?;
    Ok(VARIABLES.iter().all(|name| holds(&text, name)))
}

/// Whether a text holds a name.
fn holds(text: &[u8], name: &[u8]) -> bool {
    let Some(first) = name.first() else { return true };
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = &rest[at..];
        if rest.starts_with(name) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

/// Returns the words of a process (proc(5), `cmdline`), as far as they are looked at.
#[must_use]
pub fn words_of(process: u32) -> Vec<OsString> {
    words_within(process, HEAD).unwrap_or_default()
}

/// Returns the words of a process by which it is judged: whoever starts a program chooses what it is called, so where the first word does not
/// lead to the file that runs, that file stands in its place.
#[must_use]
pub fn honest_words_of(process: u32) -> Vec<OsString> {
    honest(process, words_of(process))
}

/// Returns these words of a process as [`honest_words_of`] does.
#[must_use]
pub fn honest(process: u32, mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = words.first_mut() else { return words };
    let named = Path::new(&*first);
    // Nearly every program is called as its file is, and to see by which path it was started takes longer.
    let file = std::fs::read_link(format!("/proc/{process}/exe"));
    if file.is_ok_and(|file| file.file_name() == named.file_name()) {
        return words;
    }
    let Some(path) = file_of(process) else { return words };
    let leads_there =
        named.file_name() == path.file_name() || named.is_absolute() && is_same_file(named, &path);
    if !leads_there {
        *first = path.into_os_string();
    }
    words
}

/// Returns all words of a process.
pub fn all_words_of(process: u32) -> io::Result<Vec<OsString>> {
    words_within(process, u64::MAX)
}

fn words_within(process: u32, limit: u64) -> io::Result<Vec<OsString>> {
    let mut bytes = Vec::new();
    File::open(format!("/proc/{process}/cmdline"))?.take(limit).read_to_end(&mut bytes)?;
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    Ok(bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect())
}

fn is_same_text(one: &File, other: &File) -> io::Result<bool> {
    let (mut first, mut second) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut at = 0;
    loop {
        let count = one.read_at(&mut first, at)?;
        if count == 0 {
            return Ok(other.read_at(&mut second, at)? == 0);
        }
        if other.read_exact_at(&mut second[..count], at).is_err()
            || first[..count] != second[..count]
        {
            return Ok(false);
        }
        at += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_name_says_which_shell_it_is() {
        for name in ["bash", "bash5", "bash-5.2", "bash-static", "bash.real"] {
            assert_eq!(named(name), Some(Kind::Shell(Shell::Bash)), "{name}");
        }
        for (name, kind) in [
            ("sh", Kind::Shell(Shell::Sh)),
            ("dash", Kind::Shell(Shell::Dash)),
            ("zsh-5.9", Kind::Shell(Shell::Zsh)),
            ("fish", Kind::Unread),
            ("busybox", Kind::Many),
            ("ld-linux-x86-64.so.2", Kind::Loader),
            ("ld-musl-x86_64.so.1", Kind::Loader),
        ] {
            assert_eq!(named(name), Some(kind), "{name}");
        }
        for name in [
            "",
            "b",
            "bashful",
            "bash-language-server",
            "sh-x",
            "sha1sum",
            "fish_indent",
            "ld",
            "dashboard",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn a_shell_is_one_by_its_file_and_by_what_is_in_it() {
        let place = tempfile::tempdir().unwrap();
        let mut programs = Programs::find(OsStr::new("/usr/bin:/bin"));
        let copy = place.path().join("other");
        std::fs::copy("/bin/bash", &copy).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink("/bin/bash", &link).unwrap();
        for path in [Path::new("/bin/bash"), &copy, &link] {
            assert_eq!(programs.kind(path).unwrap(), Kind::Shell(Shell::Bash), "{path:?}");
        }
        // One that nobody here has: of another build, under another name.
        let mut built = std::fs::read("/bin/bash").unwrap();
        let print = Elf::of(&File::open("/bin/bash").unwrap()).unwrap().build_id();
        if let Some(print) = print {
            let at = built.windows(print.len()).position(|bytes| bytes == print).unwrap();
            built[at] ^= 1;
        }
        built.push(0);
        let other = place.path().join("tool");
        std::fs::write(&other, built).unwrap();
        assert_eq!(programs.kind(&other).unwrap(), Kind::Unread);
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        if let Some(loader) = maps
            .lines()
            .filter_map(|line| line.split(' ').next_back())
            .find(|file| file.rsplit('/').next().is_some_and(|name| name.starts_with("ld-")))
        {
            let copy = place.path().join("ls");
            std::fs::copy(loader, &copy).unwrap();
            assert_eq!(programs.kind(&copy).unwrap(), Kind::Loader);
        }
        assert_eq!(programs.kind(Path::new("/bin/cat")).unwrap(), Kind::Other);
        assert_eq!(programs.kind(Path::new("/proc/self/exe")).unwrap(), Kind::Ours);
        assert_eq!(programs.kind(place.path()).unwrap(), Kind::Other);
        assert!(programs.kind(&place.path().join("none")).is_err());
    }

    #[test]
    fn a_process_that_is_gone_is_not_seen() {
        let mut programs = Programs::find(OsStr::new(""));
        assert_eq!(programs.run_by(u32::MAX), Runs::Unseen);
        assert_eq!(programs.run_by(std::process::id()), Runs::Ours);
        let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert_eq!(programs.run_by(child.id()), Runs::Other);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
