//! What a task is expected to do by its name, where it is not read, and what files with tasks are called: `rules/tasks.toml`.

use fast_glob::glob_match;

include!(concat!(env!("OUT_DIR"), "/tasks.rs"));

/// Returns whether a task of this name, or each of several with commas between, builds, tests or checks the workspace.
pub fn is_routine(names: &str) -> bool {
    let is_one = |name| is_plain(name) && has_word(name, ROUTINE) && !has_word(name, OUTWARD);
    names.split(',').all(is_one)
}

/// Returns whether nothing in a task's name says that it reaches beyond the workspace.
pub fn stays(name: &str) -> bool {
    is_plain(name) && !has_word(name, OUTWARD)
}

/// Returns whether runners find a file of this path by its name or place, and run it.
#[must_use]
pub fn is_found_by_runners(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    FOUND.iter().any(|glob| {
        if glob.contains('/') {
            glob_match(format!("**/{glob}"), path)
        } else {
            glob_match(glob, name)
        }
    })
}

/// Returns whether a repository that git asks is the workspace's own.
#[must_use]
pub fn is_own_remote(name: &str) -> bool {
    OWN_REMOTES.contains(&name)
}

/// Returns whether a revision is what others propose, or have in a repository of theirs, whoever they are.
#[must_use]
pub fn is_proposal(revision: &str) -> bool {
    let name = revision.strip_prefix('+').unwrap_or(revision);
    let name = name.strip_prefix("refs/").unwrap_or(name);
    let name = name.split(':').next().unwrap_or(name);
    let branch = name.strip_prefix("remotes/").unwrap_or(name).split_once('/');
    let is_theirs = |(remote, branch): (&str, &str)| !is_own_remote(remote) && is_trunk(branch);
    PROPOSALS.iter().any(|glob| glob_match(glob, name)) || branch.is_some_and(is_theirs)
}

/// Returns whether a branch is one that a repository goes on with.
#[must_use]
pub fn is_trunk(branch: &str) -> bool {
    TRUNKS.contains(&branch)
}

/// Whether a name is that of a task, and no path or text that runs.
fn is_plain(name: &str) -> bool {
    let is_path = name.starts_with('/') && !name.starts_with("//") || name.starts_with('.');
    !is_path && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_./".contains(&byte))
}

fn has_word(name: &str, list: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split([':', '-', '_', '.', '/']).filter(|word| !word.is_empty());
    words.any(|word| list.iter().any(|glob| glob_match(glob, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_find_files_by_their_names_and_places() {
        for path in [
            "/p/conftest.py",
            "/p/src/a.test.ts",
            "/p/tests/unit/helper.py",
            "/p/vite.config.mjs",
            "/p/.mocharc.js",
            "/p/Makefile",
            "/p/crates/a/build.rs",
            "/p/a_test.go",
        ] {
            assert!(is_found_by_runners(path), "{path}");
        }
        for path in ["/p/a.py", "/p/src/main.rs", "/p/out.json", "/p/tests.txt", "/p/notes.md"] {
            assert!(!is_found_by_runners(path), "{path}");
        }
    }

    #[test]
    fn a_routine_name_has_a_routine_word_and_no_other_aim() {
        for name in
            ["test", "lint:go", "build-web", "check_types", "CI", "test.unit", "fmt", "lint,test"]
        {
            assert!(is_routine(name), "{name}");
        }
        for name in [
            "status",
            "deploy",
            "test:deploy",
            "prod-build",
            "",
            ":",
            "x",
            "$(test)",
            "test,deploy",
            "test,",
            "/bin/rm",
            "../test",
        ] {
            assert!(!is_routine(name), "{name}");
        }
    }
}
