//! The commits that a push brings, and those that it takes away, as the repository on this machine has them: git is asked, by a call that nothing in the
//! repository can turn into another.

use std::collections::HashMap;
use std::path::Path;
use std::slice::from_ref;
use std::time::Instant;

use super::{Environment, repository};
use crate::model::{Followed, Pushed};
use crate::sys::git::{LOG, Unsaid, said};

/// How git is asked for settings that decide what is pushed, and where.
const SETTINGS: [&str; 3] = [
    "config",
    "--get-regexp",
    r"^(push\.(default|followtags|recursesubmodules)|submodule\.recurse|remote\.(pushdefault|.*\.(push|mirror|pushurl))|branch\..*\.pushremote|url\..*)$",
];
/// Where older versions of git kept what is a setting of a remote now; it heeds them still.
const LEGACY: [&str; 2] = ["remotes", "branches"];
/// What is between files of a difference, and before their names, whatever is set.
const PATCH: [&str; 4] = ["--patch", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"];
/// Bytes of differences that are looked at, and of what else git says.
const PATCHES: usize = 2 << 20;
const TEXTS: usize = 256 << 10;
/// Commits that are looked at; one more tells that there are more.
const COMMITS: usize = 1_000;
/// How commits are asked for that are read here.
const COMMIT: [&str; 2] = ["--format=%x00%h%x00%s", "--max-count=1001"];
/// Variables by which git finds its owner's settings.
const VARIABLES: [&str; 2] = ["HOME", "XDG_CONFIG_HOME"];

/// Why it is not known what is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unseen {
    /// Settings say more than the words.
    #[error("git's settings push other than it says")]
    Settings,
    /// There is no such revision, or no repository.
    #[error("git does not know them")]
    Unknown,
    /// Git says nothing.
    #[error(transparent)]
    Unsaid(#[from] Unsaid),
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name, in short.
    pub id: String,
    /// Its first line.
    pub subject: String,
}

/// What commits do to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its path in the repository, as git writes it.
    pub path: String,
    /// Lines that they add and remove, one after the other.
    pub added: usize,
    /// The same.
    pub removed: usize,
    /// The lines that they add, where those were looked at.
    pub text: String,
}

/// What a push brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// The commits that the remote is not known to have, oldest first; the newest of them where there are more than are looked at.
    pub commits: Vec<Commit>,
    /// Whether there are more.
    pub is_cut: bool,
    /// What they change, each file once, in their order.
    pub files: Vec<Changed>,
    /// All of that as a difference; none where it is too long to be looked at.
    pub patch: Option<String>,
}

/// Git, as it is asked about a push.
pub struct Asked<'p> {
    push: &'p Pushed,
    variables: Vec<(&'static str, String)>,
    until: Instant,
    /// The commit that is pushed.
    pub tip: String,
}

impl<'p> Asked<'p> {
    /// Finds what is pushed, if the push does what its words say.
    pub fn about(
        push: &'p Pushed,
        environment: &Environment,
        until: Instant,
    ) -> Result<Self, Unseen> {
        let variables = VARIABLES.iter();
        let variables =
            variables.filter_map(|name| Some((*name, environment.get(name)?.to_owned())));
        let mut asked = Self { push, variables: variables.collect(), until, tip: String::new() };
        asked.is_plain()?;
        // As git finds what it pushes: no file of this name in its directory, and no id.
        let names = match push.revision.as_str() {
            "HEAD" => vec!["HEAD".to_owned()],
            name if name.starts_with("refs/") => vec![name.to_owned()],
            name => ["heads", "tags"].map(|kind| format!("refs/{kind}/{name}")).into(),
        };
        for name in names {
            let name = format!("{name}^{{commit}}");
            let words = ["rev-parse", "--verify", "--quiet", &name];
            if let Some(tip) = asked.said(&words, TEXTS)? {
                String::from_utf8_lossy(&tip).trim().clone_into(&mut asked.tip);
                return Ok(asked);
            }
        }
        Err(Unseen::Unknown)
    }

    fn said(&self, words: &[&str], room: usize) -> Result<Option<Vec<u8>>, Unseen> {
        Ok(said(&self.push.directory, &self.variables, words, room, self.until)?)
    }

    /// Holds that a push does what its words say.
    fn is_plain(&self) -> Result<(), Unseen> {
        let settings = self.said(&SETTINGS, TEXTS)?.unwrap_or_default();
        let is_legacy = |repository: crate::model::Repository| {
            LEGACY.iter().any(|name| {
                let place = Path::new(&repository.common).join(name);
                place.read_dir().is_ok_and(|mut entries| entries.next().is_some())
            })
        };
        let is_other = String::from_utf8_lossy(&settings).lines().any(is_elsewhere)
            || repository(&self.push.directory).is_none_or(is_legacy);
        if is_other { Err(Unseen::Settings) } else { Ok(()) }
    }

    /// Returns the commits that the remote is not known to have, with what they change, as text of so many bytes at most.
    pub fn commits(&self, room: usize) -> Result<String, Unseen> {
        let text =
            self.log(&[&PATCH[..], &["--format=commit %h%n%B"]], &self.tip, &self.known(), room)?;
        String::from_utf8(text).map_err(|_| Unseen::Unsaid(Unsaid::Broken))
    }

    /// Returns what the push brings.
    pub fn brought(&self) -> Result<Brought, Unseen> {
        let with = |more| self.log(&[more, &COMMIT], &self.tip, &self.known(), PATCHES);
        let text = match with(&PATCH) {
            Err(Unseen::Unsaid(Unsaid::TooLong)) => with(&["--numstat", "--no-renames"]),
            other => other,
        };
        read(&text?)
    }

    /// Returns the commits that a forced push takes away, newest last.
    pub fn taken_away(&self) -> Result<Vec<Commit>, Unseen> {
        let Some(removes) = &self.push.removes else { return Ok(Vec::new()) };
        let text = self.log(&[&COMMIT], &removes.revision, from_ref(&self.tip), TEXTS)?;
        read(&text).map(|brought| brought.commits)
    }

    /// Asks for what leads to a commit, and not to others.
    fn log(
        &self,
        words: &[&[&str]],
        to: &str,
        but: &[String],
        room: usize,
    ) -> Result<Vec<u8>, Unseen> {
        let but: Vec<&str> = but.iter().map(String::as_str).collect();
        let words = [&LOG[..], &words.concat(), &[to, "--not"], &but, &["--"]].concat();
        self.said(&words, room)?.ok_or(Unseen::Unknown)
    }

    /// Returns what names the commits that are known to be there, if any are.
    fn known(&self) -> Vec<String> {
        match &self.push.remote {
            Followed::None => Vec::new(),
            Followed::One(name) => vec![format!("--remotes={name}")],
            Followed::All => vec!["--remotes".to_owned()],
        }
    }
}

/// Returns whether a setting, with its value, makes a push another than its words say.
fn is_elsewhere(setting: &str) -> bool {
    let (name, value) = setting.split_once(' ').unwrap_or((setting, ""));
    name != "push.default" || !["simple", "current", "nothing"].contains(&value)
}

/// Reads commits, with their differences or the numbers of these.
fn read(text: &[u8]) -> Result<Brought, Unseen> {
    let text = &String::from_utf8_lossy(text);
    let mut brought = Brought::default();
    let mut places = HashMap::new();
    let (mut patch, mut file, mut is_in_lines) = (String::new(), None, false);
    for line in text.split_inclusive('\n') {
        let plain = line.strip_suffix('\n').unwrap_or(line);
        // No line of a difference begins so.
        if let Some((id, subject)) = plain.strip_prefix('\0').and_then(|rest| rest.split_once('\0'))
        {
            brought.commits.push(Commit { id: id.to_owned(), subject: subject.to_owned() });
            (file, is_in_lines) = (None, false);
            continue;
        }
        let is_file = plain.strip_prefix("diff --git ");
        if let Some(path) = is_file.and_then(path) {
            file = Some(at(&mut brought.files, &mut places, path));
            is_in_lines = false;
        } else if let (None, Some((added, removed, path))) = (file, numbers(plain)) {
            let at = at(&mut brought.files, &mut places, path);
            brought.files[at].added += added;
            brought.files[at].removed += removed;
        } else if plain.starts_with("@@ ") {
            is_in_lines = true;
        } else if let (Some(at), true) = (file, is_in_lines) {
            let file = &mut brought.files[at];
            if let Some(added) = plain.strip_prefix('+') {
                file.added += 1;
                file.text.push_str(added);
                file.text.push('\n');
            } else if plain.starts_with('-') {
                file.removed += 1;
            }
        }
        if file.is_some() {
            patch.push_str(line);
        }
    }
    // What is said is commits, or else it is not understood.
    if brought.commits.is_empty() && !text.is_empty() {
        return Err(Unseen::Unsaid(Unsaid::Broken));
    }
    brought.is_cut = brought.commits.len() > COMMITS;
    brought.patch = (!patch.is_empty()).then_some(patch);
    Ok(brought)
}

/// Returns the place of a file, which is there from now on.
fn at(files: &mut Vec<Changed>, places: &mut HashMap<String, usize>, path: &str) -> usize {
    if let Some(at) = places.get(path) {
        return *at;
    }
    let (added, removed, text) = (0, 0, String::new());
    files.push(Changed { path: path.to_owned(), added, removed, text });
    places.insert(path.to_owned(), files.len() - 1);
    files.len() - 1
}

/// Returns the path of `a/PATH b/PATH`: it stands there twice, in quotes where it has odd letters.
fn path(both: &str) -> Option<&str> {
    let half = both.get(..both.len().checked_sub(1)? / 2)?;
    let (quote, path) = match half.strip_prefix('"') {
        Some(quoted) => ("\"", quoted.strip_suffix('"')?),
        None => ("", half),
    };
    let path = path.strip_prefix("a/")?;
    let is_twice = both.get(half.len()..) == Some(&format!(" {quote}b/{path}{quote}"));
    is_twice.then_some(path)
}

/// Returns the numbers of lines that are added and removed, and the path. Of what is no text there are none.
fn numbers(line: &str) -> Option<(usize, usize, &str)> {
    let mut parts = line.splitn(3, '\t');
    let mut number = || match parts.next()? {
        "-" => Some(0),
        digits => digits.parse().ok(),
    };
    let (added, removed) = (number()?, number()?);
    let path = parts.next()?;
    let path = path.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')).unwrap_or(path);
    Some((added, removed, path))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    use super::*;
    use crate::model::Removes;

    fn git(directory: &Path, words: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e@example.org"]).args(words);
        git.current_dir(directory);
        git.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")]);
        let ran = git.output().unwrap();
        assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    fn push(directory: &Path, revision: &str) -> Pushed {
        let directory = directory.to_str().unwrap().to_owned();
        let remote = Followed::One("origin".to_owned());
        Pushed { directory, revision: revision.to_owned(), remote, removes: None }
    }

    /// What a push brings.
    fn brought(push: &Pushed) -> Result<Brought, Unseen> {
        Asked::about(push, &Environment::default(), soon())?.brought()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// A repository whose remote has one commit.
    fn repository() -> Option<tempfile::TempDir> {
        if crate::sys::git::program().is_none() {
            println!("skipped: there is no git that only root could have put there");
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        git(root, &["init", "-q", "-b", "main"]);
        std::fs::write(root.join("a.txt"), "one\n").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "one"]);
        git(root, &["remote", "add", "origin", "https://example.org/x.git"]);
        git(root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
        Some(place)
    }

    #[test]
    fn what_a_push_brings_and_takes_is_known() {
        let Some(place) = repository() else { return };
        let root = place.path();
        let seen = |push: &Pushed| brought(push);
        assert_eq!(seen(&push(root, "HEAD")), Ok(Brought::default()));
        std::fs::write(root.join("a.txt"), "two\nthree\n").unwrap();
        std::fs::write(root.join("ü b.txt"), "++ x\n").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "two\n\nand more"]);
        std::fs::write(root.join("empty"), "").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "--amend", "-m", "two\n\nand more"]);
        git(root, &["rm", "-q", "a.txt"]);
        git(root, &["commit", "-q", "-m", "three"]);
        let found = seen(&push(root, "main")).unwrap();
        let subjects: Vec<_> = found.commits.iter().map(|commit| commit.subject.as_str()).collect();
        assert_eq!(subjects, ["two", "three"]);
        let files = found.files.iter().map(|file| (file.path.as_str(), file.added, file.removed));
        let files: Vec<_> = files.collect();
        assert_eq!(files, [("a.txt", 2, 3), ("empty", 0, 0), (r"\303\274 b.txt", 1, 0)]);
        assert_eq!(found.files[2].text, "++ x\n");
        assert!(found.patch.unwrap().contains("\n+three\n"));
        // What is forced takes away what the other has.
        git(root, &["update-ref", "refs/remotes/origin/main", "main"]);
        git(root, &["branch", "-q", "behind", "main~1"]);
        let mut forced = push(root, "behind");
        let (branch, revision) = ("origin/main".to_owned(), "refs/remotes/origin/main".to_owned());
        forced.removes = Some(Removes { branch, revision });
        let gone =
            Asked::about(&forced, &Environment::default(), soon()).unwrap().taken_away().unwrap();
        assert_eq!(gone[0].subject, "three");
        // What is not there, and what goes elsewhere than it says.
        assert_eq!(seen(&push(root, "nothing")), Err(Unseen::Unknown));
        git(root, &["config", "remote.origin.pushurl", "https://evil.example/x.git"]);
        assert_eq!(seen(&push(root, "main")), Err(Unseen::Settings));
    }

    #[test]
    fn of_what_is_long_the_numbers_are_known() {
        let Some(place) = repository() else { return };
        let root = place.path();
        std::fs::write(root.join("long"), "a line of text\n".repeat(200_000)).unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "long"]);
        let pushed = push(root, "HEAD");
        let asked = Asked::about(&pushed, &Environment::default(), soon()).unwrap();
        let found = asked.brought().unwrap();
        let changed = &found.files[0];
        assert_eq!((changed.path.as_str(), changed.added), ("long", 200_000));
        assert_eq!((found.patch, found.commits.len()), (None, 1));
        let room = asked.commits(1_000);
        assert_eq!(room, Err(Unseen::Unsaid(Unsaid::TooLong)));
        let late = Asked::about(&pushed, &Environment::default(), Instant::now());
        assert_eq!(late.err(), Some(Unseen::Unsaid(Unsaid::Late)));
    }

    /// Each of these would run a program, if git heeded it.
    #[test]
    fn nothing_that_a_repository_sets_runs() {
        let Some(place) = repository() else { return };
        let root = place.path();
        let ran = root.join("ran");
        let program = root.join("program");
        std::fs::write(&program, format!("#!/bin/sh\necho ran >> '{}'\n", ran.display())).unwrap();
        Command::new("chmod").args(["+x", program.to_str().unwrap()]).status().unwrap();
        let inner = root.join("inner");
        std::fs::create_dir(&inner).unwrap();
        git(&inner, &["init", "-q", "-b", "main"]);
        std::fs::write(inner.join("x"), "1\n").unwrap();
        git(&inner, &["add", "."]);
        git(&inner, &["commit", "-q", "-m", "inner"]);
        std::fs::write(root.join(".gitattributes"), "* diff=odd filter=odd\n").unwrap();
        git(root, &["add", ".gitattributes", "inner"]);
        git(root, &["commit", "-q", "-m", "with a submodule"]);
        std::fs::write(inner.join("x"), "2\n").unwrap();
        git(&inner, &["commit", "-q", "-a", "-m", "more"]);
        git(root, &["add", "inner"]);
        git(root, &["commit", "-q", "-m", "moved"]);
        let program = program.to_str().unwrap();
        let (bang, piped) = (format!("!{program}"), format!("{program} |"));
        for directory in [root, &inner] {
            for (name, value) in [
                ("diff.external", program),
                ("diff.odd.command", program),
                ("diff.odd.textconv", program),
                ("filter.odd.smudge", program),
                ("filter.odd.process", program),
                ("diff.submodule", "diff"),
                ("diff.ignoreSubmodules", "none"),
                ("core.fsmonitor", program),
                ("core.hooksPath", directory.to_str().unwrap()),
                ("core.pager", program),
                ("pager.log", program),
                ("core.sshCommand", program),
                ("core.editor", program),
                ("gpg.program", program),
                ("log.showSignature", "true"),
                ("alias.log", bang.as_str()),
                ("alias.config", bang.as_str()),
                ("interactive.diffFilter", piped.as_str()),
                ("trailer.x.command", program),
                ("credential.helper", bang.as_str()),
                ("remote.origin.promisor", "true"),
                ("remote.origin.uploadpack", program),
                ("extensions.partialClone", "origin"),
            ] {
                git(directory, &["config", name, value]);
            }
        }
        let pushed = push(root, "HEAD");
        let asked = Asked::about(&pushed, &Environment::default(), soon()).unwrap();
        assert!(asked.brought().is_ok_and(|found| found.commits.len() == 2));
        assert!(asked.commits(1 << 20).is_ok());
        // What is not there is not fetched, whatever protocol a setting allows.
        git(root, &["config", "protocol.ext.allow", "always"]);
        git(root, &["config", "remote.origin.url", &format!("ext::{program}")]);
        let objects = root.join(".git/objects");
        let tree =
            Command::new("git").args(["rev-parse", "HEAD^{tree}"]).current_dir(root).output();
        let tree = String::from_utf8(tree.unwrap().stdout).unwrap();
        std::fs::remove_file(objects.join(&tree[..2]).join(tree[2..].trim())).unwrap();
        let _ = brought(&push(root, "HEAD"));
        assert!(!ran.exists(), "{:?}", std::fs::read_to_string(&ran));
    }

    /// Each of these would hide what is pushed, if git heeded it.
    #[test]
    fn nothing_that_a_repository_has_hides_a_commit() {
        let Some(place) = repository() else { return };
        let root = place.path();
        std::fs::create_dir(root.join("below")).unwrap();
        std::fs::write(root.join("below/b.txt"), "b\n").unwrap();
        std::fs::write(root.join("a.txt"), "evil\n").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "evil"]);
        git(root, &["checkout", "-q", "--orphan", "alone"]);
        git(root, &["commit", "-q", "-m", "root"]);
        git(root, &["checkout", "-q", "main"]);
        let id = |name: &str| {
            let said = Command::new("git").args(["rev-parse", name]).current_dir(root).output();
            String::from_utf8(said.unwrap().stdout).unwrap().trim().to_owned()
        };
        let (tip, before) = (id("HEAD"), id("HEAD~1"));
        for (name, value) in [
            ("i18n.logOutputEncoding", "UTF-16"),
            ("diff.relative", "true"),
            ("log.showRoot", "false"),
            ("diff.ignoreSubmodules", "all"),
            ("log.follow", "true"),
            ("diff.noprefix", "true"),
            ("core.quotePath", "false"),
        ] {
            git(root, &["config", name, value]);
            let found = brought(&push(&root.join("below"), "main")).unwrap();
            let paths: Vec<_> = found.files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths, ["a.txt", "below/b.txt"], "{name}");
            let found = brought(&push(root, "alone")).unwrap();
            assert_eq!((found.commits.len(), found.files.len()), (1, 2), "{name}");
        }
        // Other parents, by a file of older versions.
        std::fs::create_dir_all(root.join(".git/info")).unwrap();
        std::fs::write(root.join(".git/info/grafts"), format!("{before} {tip}\n")).unwrap();
        assert_eq!(brought(&push(root, "main")).unwrap().commits.len(), 1);
        // A file in git's directory that is called as a branch.
        git(root, &["branch", "-q", "fix", "main"]);
        std::fs::write(root.join(".git/fix"), format!("{before}\n")).unwrap();
        assert_eq!(brought(&push(root, "fix")).unwrap().commits.len(), 1);
        // What another remote has is not there.
        let mut elsewhere = push(root, "main");
        elsewhere.remote = Followed::None;
        git(root, &["update-ref", "refs/none/main", "main"]);
        assert_eq!(brought(&elsewhere).unwrap().commits.len(), 2);
        git(root, &["update-ref", "refs/remotes/other/main", "main"]);
        assert_eq!(brought(&push(root, "main")).unwrap().commits.len(), 1);
        std::fs::create_dir_all(root.join(".git/remotes")).unwrap();
        std::fs::write(root.join(".git/remotes/origin"), "URL: x\nPush: main:evil\n").unwrap();
        assert_eq!(brought(&push(root, "main")), Err(Unseen::Settings));
    }
}
