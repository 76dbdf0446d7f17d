//! Files of a workspace that programs start by themselves, since something names them or is a link to them: hooks and settings of git, settings of
//! agents and of what runs hooks, start-up files of the home. Whoever changes such a file has it run, whatever it is called.

use std::collections::{BTreeSet, HashSet};
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

/// Hooks that git runs (githooks(5)); what else stands beside them it does not.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "fsmonitor-watchman",
    "post-index-change",
];

/// Directories of such files, below the workspace.
const DIRECTORIES: &[&str] = &[".github/hooks", ".husky"];

/// Files of settings, below the home, that may name files of a workspace.
const OF_HOME: &[&str] = &[".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"];
/// Files of the home that may be links into a workspace.
const LINKS: &[&str] =
    &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".gitconfig", ".vimrc"];

/// How code is called that is no program by its mode.
const CODE: &[&str] =
    &["sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php"];

/// Words of a file that are looked at.
const WORDS: usize = 4_000;
/// Files of a directory that are looked at.
const FILES: usize = 1_000;

/// Returns the absolute paths of these files, and of what the settings of the repository name: the directory of its hooks, and files of more settings.
#[must_use]
pub fn started(root: &str, home: Option<&str>) -> BTreeSet<String> {
    let name = root;
    let root = Path::new(root);
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut found = Found { root, real, paths: BTreeSet::new(), met: HashSet::new() };
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
    for directory in DIRECTORIES.iter().map(|name| root.join(name)) {
        let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()).take(FILES) {
            found.link(&path);
            found.read(&path);
        }
    }
    let Some(place) = git::place(root) else { return found.paths };
    for hook in hooks(&place.join("hooks")) {
        found.link(&hook);
        found.read(&hook);
    }
    let settings = git::settings(&place);
    for value in git::run_by(&settings) {
        found.names(value);
    }
    found.paths.extend(git::hook_paths(&settings, name, &place));
    found.paths
}

/// Returns the hooks of a directory that git would run.
fn hooks(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(HOOKS.len() * 8);
    let names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    // Among very many they are not looked for.
    let is_there = |hook: &&&str| {
        names.len() == HOOKS.len() * 8 || names.iter().any(|name| name.as_os_str() == **hook)
    };
    HOOKS.iter().filter(is_there).map(|name| directory.join(name)).collect()
}

/// What was found so far.
struct Found<'r> {
    root: &'r Path,
    /// The root by way of all links.
    real: PathBuf,
    paths: BTreeSet<String>,
    /// Words that were looked at.
    met: HashSet<String>,
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
            && let Ok(below) = real.strip_prefix(&self.real)
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
            if !self.met.insert(word.to_owned()) {
                continue;
            }
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
    fn nothing_beside_it_hides_what_is_named() {
        let hook = "#!/bin/sh\nscripts/a.sh\n";
        let setting = "[core]\n\tfsmonitor = scripts/a.sh\n";
        let padded = format!("{}{setting}", "# pad\n".repeat(300_000));
        for config in [
            padded.as_str(),
            "[core]\n\tfsmonitor = scr\"ipts/a.s\"h\n",
            "[core]\n\tfsmonitor = scripts/\\\na.sh\n",
            "[include]\n\tpath = more\n",
            "[extensions]\n\tworktreeConfig = true\n",
        ] {
            let place = Place::new();
            place.write("ws/.git/config", config);
            if config.contains("include") {
                place.write("ws/.git/more", setting);
            }
            if config.contains("worktreeConfig") {
                place.write("ws/.git/config.worktree", setting);
            }
            let found = place.found();
            assert!(found.contains(&"/scripts/a.sh".to_owned()), "{config:.60}: {found:?}");
        }
        let place = Place::new();
        let bytes = [setting.as_bytes(), b"[user]\n\tname = J\xf8rgen\n"].concat();
        fs::write(place.0.path().join("ws/.git/config"), bytes).unwrap();
        assert_eq!(place.found(), ["/scripts/a.sh"]);
        let place = Place::new();
        for number in 0..1_000 {
            place.write(&format!("ws/.git/hooks/a{number}"), "#!/bin/sh\nscripts/b.py\n");
        }
        place.write("ws/.git/hooks/pre-commit", hook);
        assert_eq!(place.found(), ["/scripts/a.sh"]);
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
