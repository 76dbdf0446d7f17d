//! What is known of the repository around a directory, read from its files: git itself is not started.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use crate::model::{GitFacts, GitSetting, RUN_BY_GIT, Repository, git_settings};

/// Bytes that are read of a file of a repository: of a longer one, its beginning.
const LIMIT: u64 = 16 << 20;

/// Reads branch and remotes of the repository around `cwd`. None: there is no repository.
#[must_use]
pub fn git(environment: &Environment, cwd: &str) -> Option<GitFacts> {
    let directory = match environment.get("GIT_DIR") {
        Some(named) => Path::new(cwd).join(named),
        None => directory(Path::new(cwd))?,
    };
    let branch = read(&directory.join("HEAD")).and_then(|head| branch(&head));
    let config = read(&common(&directory).join("config"));
    let remotes = config.map(|config| remotes(&config)).unwrap_or_default();
    Some(GitFacts { branch, remotes })
}

/// Returns where the repository around `cwd` is, by way of all links, as git finds it without `GIT_DIR`. None: there is none, or it
/// cannot be said in text.
#[must_use]
pub fn repository(cwd: &str) -> Option<Repository> {
    let real = |path: &Path| path.canonicalize().ok()?.into_os_string().into_string().ok();
    let directory = directory(Path::new(cwd))?;
    let common = common(&directory);
    let own = real(&directory)?;
    let common = if common == directory { own.clone() } else { real(&common)? };
    Some(Repository { common, directory: own })
}

/// Returns the git directory that stands outside of the workspace at `root`, where that is a linked worktree or a submodule: of a worktree the one
/// that it shares. Whoever may write to the workspace may write what leads there, so what stands there has to lead back.
#[must_use]
pub fn linked_repository(root: &str) -> Option<String> {
    let entry = Path::new(root).join(".git");
    if !entry.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let named = read(&entry)?;
    let own = Path::new(root).join(named.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let root = Path::new(root).canonicalize().ok()?;
    let (place, is_back) = if let Some(back) = read(&own.join("gitdir")) {
        let common = own.parent()?.parent()?.to_owned();
        let is_worktree = own.parent()?.ends_with("worktrees");
        (common, is_worktree && own.join(back.trim()).parent()?.canonicalize().ok()? == root)
    } else {
        let config = read(&own.join("config"))?;
        let back = config.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "worktree").then(|| own.join(value.trim()))
        })?;
        (own.clone(), back.canonicalize().ok()? == root)
    };
    let is_whole = ["HEAD", "objects", "refs"].iter().all(|name| place.join(name).exists());
    (is_back && is_whole).then(|| place.into_os_string().into_string().ok())?
}

/// Returns what the settings of the repository at `root` name: the directory of its hooks (`core.hooksPath`), and files of more settings
/// (`include.path`, of all conditions; git-config(1)). Each is a path as it is joined, with `..` in it.
pub(super) fn hook_paths(settings: &[GitSetting], root: &str, place: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for GitSetting { section, key, value, .. } in settings {
        let from = match (section.to_lowercase().as_str(), key.to_lowercase().as_str()) {
            ("core", "hookspath") => Path::new(root),
            ("include" | "includeif", "path") => place,
            _ => continue,
        };
        let path = from.join(value);
        found.extend(path.into_os_string().into_string());
    }
    found
}

/// Returns what settings have git run, each as it stands there.
pub(super) fn run_by(settings: &[GitSetting]) -> impl Iterator<Item = &str> {
    let is_run = |GitSetting { section, key, value, .. }: &&GitSetting| {
        RUN_BY_GIT.contains(&key.to_lowercase().as_str())
            || section.eq_ignore_ascii_case("alias") && value.starts_with('!')
    };
    settings.iter().filter(is_run).map(|setting| setting.value.as_str())
}

/// Returns the directory in which the settings and hooks of the repository at `root` are.
pub(super) fn place(root: &Path) -> Option<PathBuf> {
    let entry = root.join(".git");
    if entry.is_dir() { Some(entry) } else { directory(root).map(|own| common(&own)) }
}

/// How deep files of settings are followed that others include, and how many; git has the first limit too.
const DEPTH: usize = 10;
const INCLUDED: usize = 64;

/// Returns the settings of a repository, with those of its worktree and those of the files that they include, of all conditions.
pub(super) fn settings(place: &Path) -> Vec<GitSetting> {
    let mut found = Vec::new();
    let mut open = vec![(place.join("config.worktree"), 0), (place.join("config"), 0)];
    let mut count = 0;
    while let Some((path, depth)) = open.pop() {
        let Some(text) = read(&path) else { continue };
        count += 1;
        let settings = git_settings(&text);
        if depth < DEPTH && count <= INCLUDED {
            let is_included = |setting: &&GitSetting| {
                let section = setting.section.to_lowercase();
                ["include", "includeif"].contains(&section.as_str())
                    && setting.key.eq_ignore_ascii_case("path")
            };
            let above = path.parent().unwrap_or(place);
            let included = settings.iter().filter(is_included);
            open.extend(included.map(|setting| (above.join(&setting.value), depth + 1)));
        }
        found.extend(settings);
    }
    found
}

/// In a linked worktree the settings are those of the main one.
fn common(directory: &Path) -> PathBuf {
    let named = read(&directory.join("commondir"));
    named.map_or_else(|| directory.to_owned(), |path| directory.join(path.trim_end()))
}

fn directory(cwd: &Path) -> Option<PathBuf> {
    let holds = |directory: &Path, name| directory.join(name).symlink_metadata().is_ok();
    for place in cwd.ancestors() {
        let entry = place.join(".git");
        if entry.is_file() {
            // A linked worktree and a submodule have a file that says where their directory is.
            let text = read(&entry)?;
            return Some(place.join(text.strip_prefix("gitdir:")?.trim()));
        }
        // What holds less is none (git-rev-parse(1), and `is_git_directory` of git), and it may be a bare one.
        if holds(&entry, "HEAD") {
            return Some(entry);
        }
        if ["HEAD", "objects", "refs"].iter().all(|name| holds(place, *name)) {
            return Some(place.to_owned());
        }
    }
    None
}

fn branch(head: &str) -> Option<String> {
    let name = head.trim_end().strip_prefix("ref:")?.trim_start().strip_prefix("refs/heads/")?;
    // With the reftable format the file holds this in place of the branch.
    (name != ".invalid").then(|| name.to_owned())
}

fn remotes(config: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in config.lines() {
        let Some(section) = line.trim_start().strip_prefix('[') else { continue };
        let Some((header, _)) = section.rsplit_once(']') else { continue };
        let Some((kind, name)) = header.split_once('"') else { continue };
        let Some(name) = name.strip_suffix('"') else { continue };
        if kind.trim_end().eq_ignore_ascii_case("remote") && !names.iter().any(|seen| seen == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

pub(super) fn read(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LIMIT).read_to_end(&mut bytes).ok()?;
    // Git reads bytes: one that is no text makes the others no other ones.
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git_runs(directory: &Path, words: &[&str]) {
        let ran = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
            .args(words)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    fn seen(directory: &Path) -> Option<GitFacts> {
        git(&Environment::default(), directory.to_str().unwrap())
    }

    #[test]
    fn branch_and_remotes_are_those_that_git_sees() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("main");
        std::fs::create_dir(&root).unwrap();
        git_runs(&root, &["init", "-q", "-b", "topic/one"]);
        git_runs(&root, &["remote", "add", "origin", "https://example.org/x.git"]);
        git_runs(&root, &["remote", "add", "up-stream", "https://example.org/y.git"]);
        git_runs(&root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let below = root.join("a");
        std::fs::create_dir(&below).unwrap();
        let remotes = vec!["origin".to_owned(), "up-stream".to_owned()];
        let on = |branch: &str| {
            Some(GitFacts { branch: Some(branch.to_owned()), remotes: remotes.clone() })
        };
        assert_eq!(seen(&below), on("topic/one"));

        git_runs(&root, &["worktree", "add", "-q", "-b", "other", "../linked"]);
        assert_eq!(seen(&directory.path().join("linked")), on("other"));

        let at = |path: &Path| repository(path.to_str().unwrap());
        let own = |name: &str| root.join(name).canonicalize().unwrap().to_str().unwrap().to_owned();
        let main = Repository { directory: own(".git"), common: own(".git") };
        assert_eq!(at(&below), Some(main.clone()));
        let linked = Repository { directory: own(".git/worktrees/linked"), ..main.clone() };
        assert_eq!(at(&directory.path().join("linked")), Some(linked));
        git_runs(&root, &["init", "-q", "--bare", "bare"]);
        let bare = Repository { directory: own("bare"), common: own("bare") };
        assert_eq!(at(&root.join("bare/refs")), Some(bare));
        // Not everything that is called so is one.
        std::fs::create_dir_all(below.join(".git")).unwrap();
        assert_eq!(at(&below), Some(main));
        assert_eq!(at(directory.path()), None);

        git_runs(&root, &["checkout", "-q", "--detach"]);
        assert_eq!(seen(&root).unwrap().branch, None);
        assert_eq!(seen(directory.path()), None);
    }

    #[test]
    fn what_settings_of_a_repository_name_in_it_is_found() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().to_str().unwrap();
        std::fs::create_dir(place.path().join(".git")).unwrap();
        std::fs::write(place.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let found = |config: &str| {
            std::fs::write(place.path().join(".git/config"), config).unwrap();
            let below = |path: String| path.strip_prefix(root).unwrap_or(&path).to_owned();
            let own = place.path().join(".git");
            hook_paths(&settings(&own), root, &own).into_iter().map(below).collect::<Vec<_>>()
        };
        assert_eq!(found("[core]\n\thooksPath = tools/hooks\n"), ["/tools/hooks"]);
        assert_eq!(found("[CORE]\nHOOKSPATH=\"./x\"\n"), ["/./x"]);
        assert_eq!(found("[core] hooksPath = y\n"), ["/y"]);
        assert_eq!(found("[include]\n\tpath = ../more\n"), ["/.git/../more"]);
        assert_eq!(found("[includeIf \"onbranch:x\"]\n\tpath = ../a/b\n"), ["/.git/../a/b"]);
        assert_eq!(found("[core]\n\tpath = z\n[x]\n\thooksPath = z\n[include]\n\tpath\n"), [""; 0]);
        assert_eq!(found("[core]\n\thooksPath = /dev/null\n"), ["/dev/null"]);
        assert_eq!(found(""), [""; 0]);
    }
}
