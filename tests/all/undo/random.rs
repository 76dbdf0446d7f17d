//! Random trees and random lines: whatever a line of programs that are known does to them, undo brings back.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use guarded_sh::model::{Facts, Layers, Undo};
use guarded_sh::observe;
use guarded_sh::pipeline::{Judge, Request};
use guarded_sh::undo::{self, Ground, Header, Limits, Outcome, Store};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::tree::{self, difference};
use crate::entry;

const LIMITS: Limits =
    Limits { files: 20_000, bytes: 512_000_000, millis: 60_000, days: 7, size: 2_000_000_000 };

static JUDGE: LazyLock<Judge> = LazyLock::new(entry::judge);

/// One thing in a tree.
#[derive(Clone, Debug)]
enum Node {
    File(String, u32),
    Hole(u64),
    Directory(u32),
    Link(Index),
    Name(Index),
}

fn nodes() -> impl Strategy<Value = Vec<(Index, &'static str, Node)>> {
    let name = select(vec!["a", "b", "c.txt", "d e", "ü", "-x", "f*", "g\nh", ".i"]);
    let mode = select(vec![0o644, 0o600, 0o755, 0o400, 0o4755]);
    let node = prop_oneof![
        4 => ("[a-z]{0,9}", mode).prop_map(|(text, mode)| Node::File(text, mode)),
        1 => (1..100_000_u64).prop_map(Node::Hole),
        3 => select(vec![0o755, 0o700, 0o1777]).prop_map(Node::Directory),
        1 => any::<Index>().prop_map(Node::Link),
        1 => any::<Index>().prop_map(Node::Name),
    ];
    prop::collection::vec((any::<Index>(), name, node), 1..14)
}

/// Makes a tree; returns the paths in it.
fn make(root: &Path, nodes: &[(Index, &'static str, Node)]) -> Vec<String> {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mut directories = vec![root.to_owned()];
    let mut paths: Vec<std::path::PathBuf> = Vec::new();
    let mut files: Vec<std::path::PathBuf> = Vec::new();
    for (index, name, node) in nodes {
        let path = index.get(&directories).join(name);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let allow = |mode: u32| {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        };
        match node {
            Node::File(text, mode) => {
                std::fs::write(&path, text).unwrap();
                allow(*mode);
                let _ = rustix::fs::setxattr(
                    &path,
                    "user.of",
                    text.as_bytes(),
                    rustix::fs::XattrFlags::empty(),
                );
                files.push(path.clone());
            }
            Node::Hole(size) => std::fs::File::create(&path).unwrap().set_len(*size).unwrap(),
            Node::Directory(mode) => {
                std::fs::create_dir(&path).unwrap();
                allow(*mode);
                directories.push(path.clone());
            }
            Node::Link(to) if !paths.is_empty() => symlink(to.get(&paths), &path).unwrap(),
            Node::Name(of) if !files.is_empty() => {
                std::fs::hard_link(of.get(&files), &path).unwrap();
            }
            Node::Link(_) | Node::Name(_) => continue,
        }
        paths.push(path);
    }
    let below =
        |path: &std::path::PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    paths.iter().map(below).collect()
}

/// What is done to one path, or to two.
fn lines() -> impl Strategy<Value = Vec<(&'static str, Index, Index)>> {
    let what = select(vec![
        "rm -rf -- ONE",
        "rm -f -- ONE",
        "rm -r -- ONE OTHER",
        "rm -rf -- ONE && mkdir -- ONE",
        "rm -rf -- ONE; echo new > OTHER",
        "mv -f -- ONE OTHER",
        "mv -f -- ONE new",
        "mv -f -- ONE 'n*w'",
        "mv -f -- nothing ONE; echo new > ONE",
        "mv -f -- ONE new; mv -f new newer",
        "mv -fT -- ONE OTHER",
        "echo new > ONE",
        "cp -f -- ONE OTHER",
        "truncate -s 0 -- ONE",
        "sed -i s/a/b/ -- ONE",
        "find ./ONE -type f -delete",
        "rm -rf -- ./ONE/*",
        "rm -f -- *.txt ./ONE/?",
        ": > ONE",
    ]);
    prop::collection::vec((what, any::<Index>(), any::<Index>()), 1..4)
}

fn line(pieces: &[(&'static str, Index, Index)], paths: &[String]) -> String {
    let mut line = String::new();
    for (what, one, other) in pieces {
        let quoted = |index: &Index| shell_words::quote(index.get::<String>(paths)).into_owned();
        let words = what.replace("OTHER", &quoted(other)).replace("ONE", &quoted(one));
        let _ = writeln!(line, "{words}");
    }
    line
}

/// Repositories of every kind in one another: with a submodule, a nested one, a linked worktree, branches, and a stash; each with work in it.
const REPOSITORIES: &str = "
set -e
umask 022
export GIT_CONFIG_NOSYSTEM=1
starts() { git init -q -b main \"$1\"; git -C \"$1\" config user.name n; git -C \"$1\" config user.email e@example.org; git -C \"$1\" config gc.auto 0; git -C \"$1\" config core.fsync none; }
commits() { git -C \"$1\" add .; git -C \"$1\" commit -qm \"$2\"; }
starts ../origin; echo s > ../origin/s; commits ../origin one
starts .; echo one > a; echo c > c; mkdir d; echo d > d/d; commits . one
git branch topic; echo two > b; commits . two
git switch -q topic; echo t > t; commits . three; git switch -q main
git -c protocol.file.allow=always submodule --quiet add \"$PWD/../origin\" sub; git -C sub config user.name n; git -C sub config user.email e@example.org
commits . four
starts nested; echo n > nested/n; commits nested one; echo more >> nested/n; echo u > nested/u
git worktree add -q linked -b linked; echo mine >> linked/a
echo stashed >> a; git stash -q; echo mine >> c; echo staged > b; git add b; echo mine >> sub/s; echo '*.log' > .gitignore; echo l > x.log
";

/// What is done to repositories, and to what is not a part of them.
fn work() -> impl Strategy<Value = Vec<(&'static str, Index, Index)>> {
    let what = select(vec![
        "git reset -q --hard",
        "git reset -q --hard HEAD~1",
        "git reset -q --soft HEAD~1",
        "git checkout -q -- .",
        "git checkout -qf topic",
        "git switch -q --discard-changes topic",
        "git restore a",
        "git clean -fdq",
        "git clean -fdxq",
        "git clean -ffdxq",
        "git branch -qD topic",
        "git stash -q",
        "git stash drop -q",
        "git stash clear",
        "git stash -q; git rebase -q topic",
        "git -C nested reset -q --hard",
        "git -C nested clean -fdq",
        "git -C sub checkout -q -- .",
        "git -C linked reset -q --hard",
        "cd linked && git clean -fdq; cd ..",
        "rm -rf nested",
        "rm -rf -- ONE",
        "echo new > ONE",
        "perl -e 'unlink(@ARGV)' -- ONE OTHER",
        "perl -e 'rename($ARGV[0], q(renamed))' -- ONE",
        "perl -e 'system(q(rm -rf sub linked a b; git checkout -qf topic))'",
    ]);
    prop::collection::vec((what, any::<Index>(), any::<Index>()), 1..4)
}

/// Makes repositories with a tree in them; returns the paths of files in it.
fn make_repositories(root: &Path, nodes: &[(Index, &'static str, Node)]) -> Vec<String> {
    let mut bash = std::process::Command::new("/bin/bash");
    bash.args(["-c", REPOSITORIES]).current_dir(root).env_clear().env("PATH", "/usr/bin:/bin");
    assert!(bash.status().unwrap().success());
    let mut paths = make(root, nodes);
    paths.extend(["a", "c", "d", "d/d", "sub/s", "x.log"].map(str::to_owned));
    paths
}

/// What is wrong with how a line is taken back, if anything is.
fn fault(
    make: impl FnOnce(&Path) -> Vec<String>,
    pieces: &[(&'static str, Index, Index)],
) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    let root = place.join("work");
    std::fs::create_dir(&root).unwrap();
    let paths = make(&root);
    if paths.is_empty() {
        return None;
    }
    let line = line(pieces, &paths);
    let text = root.to_str().unwrap().to_owned();
    let facts = Facts { cwd: Some(text.clone()), workspaces: vec![text], ..Facts::default() };
    let mut judge = Judge::supposing(&JUDGE.rules, facts);
    judge.reads_scripts = true;
    let judgement = judge.judge(&Request::about(line.as_bytes())).unwrap();
    let read = || {
        let mut tree = tree::read(&root);
        // git writes down anew what a submodule's files look like, whenever it looks at them.
        tree.retain(|path, _| !(path.starts_with(b".git/modules/") && path.ends_with(b"/index")));
        tree
    };
    let before = read();
    let store = Store::new(&place.join("state"));
    let ground = Ground { facts: &judge.facts, also: &[], repository: &observe::repository };
    let stake = undo::stake(&judgement.plan, &ground, Layers::NONE)?;
    let kept = match undo::keep(&store, &LIMITS, &stake, &ground, Header::default()) {
        Ok(Outcome::Kept(kept)) if kept.lacks.is_none() => Some(kept.stay()),
        // What is not kept is not promised.
        Ok(Outcome::Kept(_) | Outcome::Lacks { .. }) => return None,
        Ok(Outcome::Nothing) => None,
        Err(error) => return Some(format!("{line}: {error}")),
    };
    let mut bash = std::process::Command::new("/bin/bash");
    bash.args(["-c", &line]).current_dir(&root).env_clear().env("PATH", "/usr/bin:/bin");
    bash.stdin(std::process::Stdio::null()).output().unwrap();
    let after = read();
    let Some(id) = kept else {
        let mut lost = before.iter().filter(|(path, was)| after.get(*path) != Some(was));
        return lost.next().map(|(path, _)| {
            format!("{line}: nothing is kept, and lost is {}", String::from_utf8_lossy(path))
        });
    };
    let found = store.one(&id).unwrap();
    let entry = found.entry().unwrap();
    let standings = undo::compare(&found, &entry).unwrap();
    if !standings.conflicts.is_empty() {
        return Some(format!("{line}: {:?}", standings.conflicts));
    }
    if let Err(error) = undo::take_back(&store, &found, &entry, &standings, &LIMITS) {
        return Some(format!("{line}: {error:?}"));
    }
    let changed = difference(&before, &read());
    (!changed.is_empty()).then(|| format!("{line}: {changed:#?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_line_destroys_of_a_tree_comes_back(nodes in nodes(), pieces in lines()) {
        prop_assert_eq!(fault(|root| make(root, &nodes), &pieces), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_line_destroys_of_repositories_comes_back(nodes in nodes(), pieces in work()) {
        prop_assert_eq!(fault(|root| make_repositories(root, &nodes), &pieces), None);
    }
}

#[test]
fn strictness_is_as_settings_compare_it() {
    // What is not trusted may have more kept, and nothing relied on.
    assert!(Undo::Rely < Undo::Off && Undo::Off < Undo::Keep);
}
