//! Files of a workspace that programs start by themselves, since something names them or is a link to them: hooks and settings of git, settings of
//! agents and of what runs hooks, start-up files of the home. Whoever changes such a file has it run, whatever it is called.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::git;

/// Files of settings, below the workspace, that name programs which are run without anybody asking for them.
const SETTINGS: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".mcp.json",
    "opencode.json",
    "opencode.jsonc",
    "tui.json",
    "lefthook.yml",
    ".pre-commit-config.yaml",
];

/// Directories of such files, below the workspace.
const DIRECTORIES: &[&str] = &[".github/hooks", ".husky"];

/// Those of the home that may name files of a workspace, and those that may be links to one.
const OF_HOME: &[&str] = &[".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"];
const LINKS: &[&str] =
    &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".gitconfig", ".vimrc"];

/// How code is called that is no program by its mode.
const CODE: &[&str] =
    &["sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php"];

/// Words of a file that are looked for, and files of a directory that are looked at.
const WORDS: usize = 400;
const FILES: usize = 64;

/// Returns the absolute paths of these files.
#[must_use]
pub fn started(root: &str, home: Option<&str>) -> BTreeSet<String> {
    let root = Path::new(root);
    let mut found = Found { root, paths: BTreeSet::new() };
    let own = SETTINGS.iter().map(|name| root.join(name));
    let homes =
        home.into_iter().flat_map(|home| OF_HOME.iter().map(|name| Path::new(home).join(name)));
    for path in own.chain(homes) {
        found.read(&path);
    }
    for link in
        home.into_iter().flat_map(|home| LINKS.iter().map(|name| Path::new(home).join(name)))
    {
        found.link(&link);
    }
    let Some(place) = git::place(root) else { return found.paths };
    for directory in DIRECTORIES.iter().map(|name| root.join(name)).chain([place.join("hooks")]) {
        let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
        let files = entries.map(|entry| entry.path());
        for path in
            files.filter(|path| path.extension().is_none_or(|it| it != "sample")).take(FILES)
        {
            found.link(&path);
            found.read(&path);
        }
    }
    for value in git::run_by_settings(&place) {
        found.names(&value);
    }
    found.paths
}

/// What was found so far.
struct Found<'r> {
    root: &'r Path,
    paths: BTreeSet<String>,
}

impl Found<'_> {
    /// Adds the files that a text file names.
    fn read(&mut self, path: &Path) {
        if let Some(text) = git::read(path) {
            self.names(&text);
        }
    }

    /// Adds the file to which a link leads.
    fn link(&mut self, path: &Path) {
        if fs::read_link(path).is_ok()
            && let Ok(real) = path.canonicalize()
            && let Ok(root) = self.root.canonicalize()
            && let Ok(below) = real.strip_prefix(root)
        {
            let path = self.root.join(below);
            self.paths.extend(path.into_os_string().into_string());
        }
    }

    /// Adds the programs and scripts that stand in a text, by a path below the root or from it.
    fn names(&mut self, text: &str) {
        let is_between = |c: char| c.is_whitespace() || "\"'`\\;&|<>,=!".contains(c);
        let words = text.split(is_between).filter(|word| word.contains(['.', '/']));
        for word in words.take(WORDS) {
            // What stands for the root goes before the first slash: `$CLAUDE_PROJECT_DIR/x`, `${PWD}/x`, `$(pwd)/x`.
            let word = if word.starts_with('$') {
                word.split_once('/').map_or("", |(_, rest)| rest)
            } else {
                word
            };
            let own = Path::new(word).strip_prefix(self.root).unwrap_or(Path::new(word));
            let is_named = |part: &Component<'_>| matches!(part, Component::Normal(_));
            if own.components().any(|part| part == Component::ParentDir) {
                continue;
            }
            let path = self.root.join(own.components().filter(is_named).collect::<PathBuf>());
            if is_run(&path) {
                self.paths.extend(path.into_os_string().into_string());
            }
        }
    }
}

/// Whether a file is one that is run: by its mode, or by its name.
fn is_run(path: &Path) -> bool {
    let Ok(file) = path.metadata() else { return false };
    let is_code =
        || path.extension().and_then(|it| it.to_str()).is_some_and(|it| CODE.contains(&it));
    file.is_file() && (file.permissions().mode() & 0o111 != 0 || is_code())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A workspace with a repository, in a home.
    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            for (name, text) in [
                ("home/.bashrc", ""),
                ("ws/.git/HEAD", "ref: refs/heads/main\n"),
                ("ws/.git/config", ""),
                ("ws/.git/hooks/pre-push.sample", "exec ./scripts/a.sh\n"),
                ("ws/scripts/a.sh", ""),
                ("ws/scripts/b.py", ""),
                ("ws/src/main.rs", ""),
                ("ws/README.md", ""),
            ] {
                place.write(name, text);
            }
            place
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn found(&self) -> Vec<String> {
            let root = self.0.path().join("ws");
            let home = self.0.path().join("home");
            let found = started(root.to_str().unwrap(), home.to_str());
            let below =
                |path: &String| path.strip_prefix(root.to_str().unwrap()).unwrap().to_owned();
            found.iter().map(below).collect()
        }
    }

    #[test]
    fn nothing_is_started_where_nothing_names_it() {
        assert_eq!(Place::new().found(), [""; 0]);
    }

    #[test]
    fn what_hooks_and_settings_name_is_found() {
        for (name, text) in [
            ("ws/.git/hooks/pre-commit", "#!/bin/sh\nexec ./scripts/a.sh \"$@\"\n"),
            ("ws/.husky/pre-commit", "sh scripts/a.sh\n"),
            ("ws/.git/config", "[core]\n\tfsmonitor = ./scripts/a.sh\n"),
            ("ws/.git/config", "[filter \"x\"]\n\tclean = sh scripts/a.sh %f\n"),
            ("ws/.git/config", "[alias]\n\tx = !./scripts/a.sh\n"),
            (
                "ws/.claude/settings.json",
                r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"\"$CLAUDE_PROJECT_DIR\"/scripts/a.sh"}]}]}}"#,
            ),
            (
                "ws/.claude/settings.json",
                r#"{"apiKeyHelper": "${CLAUDE_PROJECT_DIR}/scripts/a.sh"}"#,
            ),
            ("home/.claude/settings.json", r#"{"statusLine":{"command":"./scripts/a.sh"}}"#),
            ("ws/.mcp.json", r#"{"mcpServers":{"x":{"command":"sh","args":["scripts/a.sh"]}}}"#),
            ("ws/lefthook.yml", "pre-commit:\n  commands:\n    x:\n      run: scripts/a.sh\n"),
        ] {
            let place = Place::new();
            place.write(name, text);
            assert_eq!(place.found(), ["/scripts/a.sh"], "{name}: {text}");
        }
    }

    #[test]
    fn what_is_no_code_and_what_is_only_permitted_is_not() {
        let place = Place::new();
        place.write(
            "ws/.claude/settings.json",
            r#"{"permissions":{"allow":["Edit(scripts/a.sh)"]}}"#,
        );
        place.write("ws/.gemini/settings.json", r#"{"contextFileName":"README.md"}"#);
        place.write("ws/.git/config", "[remote \"o\"]\n\turl = ./scripts/a.sh\n");
        assert_eq!(place.found(), [""; 0]);
    }

    #[test]
    fn a_link_is_followed_to_what_it_leads_to() {
        let place = Place::new();
        let at = |name: &str| place.0.path().join(name);
        symlink("../../scripts/b.py", at("ws/.git/hooks/pre-commit")).unwrap();
        fs::remove_file(at("home/.bashrc")).unwrap();
        symlink(at("ws/README.md"), at("home/.bashrc")).unwrap();
        symlink("/nowhere", at("home/.zshrc")).unwrap();
        assert_eq!(place.found(), ["/README.md", "/scripts/b.py"]);
    }

    #[test]
    fn hostile_files_do_no_harm() {
        let place = Place::new();
        for text in
            ["\u{0}./\u{0}", "/ .. ../.. $/ ${/", &"a/ ".repeat(100_000), "\u{feff}./scripts"]
        {
            place.write("ws/.mcp.json", text);
            assert_eq!(place.found(), [""; 0]);
        }
    }
}
