//! The layers: which module may name which, which crate belongs to whom, which modules are pure.
//! Changing a table here is a design change: the commit says why.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module, and the modules that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("sys", &[]),
    // The languages of people, and their texts.
    ("language", &[]),
    ("syntax", &["model"]),
    ("catalog", &["model"]),
    ("cli", &["model"]),
    ("ipc", &["model", "sys"]),
    ("observe", &["model", "sys"]),
    // What places are, by their names: who reads a line and who judges it ask the same.
    ("paths", &["model"]),
    // What programs make of variables, whoever sets them: the line, its caller, code in it.
    ("variables", &["model", "catalog", "paths"]),
    // Code in other languages, and files that describe tasks, know nothing of the shell that reads a line around them.
    ("embedded", &["model", "syntax", "variables"]),
    ("recipes", &["model", "paths"]),
    ("reading", &["model", "syntax", "catalog", "paths", "variables", "embedded", "recipes"]),
    // What an agent wraps around a line: a look at files as the line itself has.
    ("frame", &["model", "reading"]),
    ("rules", &["model", "catalog"]),
    ("policy", &["model", "paths", "reading", "recipes", "rules", "catalog"]),
    ("decision", &["model", "policy"]),
    ("config", &["model", "sys", "language", "rules", "decision"]),
    ("audit", &["model", "decision", "policy", "ipc", "sys", "config"]),
    ("approval", &["model", "language", "decision", "policy", "ipc", "sys", "config"]),
    // The seam to the service: a request out, an opinion in.
    ("judge", &["model", "config", "ipc"]),
    ("exec", &["model", "decision", "policy", "ipc", "sys", "config"]),
    // It holds a line to its plan, so it reads the plan, and asks what places are by their names as who judged it did.
    ("fence", &["model", "sys", "paths", "reading", "policy", "decision", "config"]),
    // It keeps what a line's plan destroys, so it reads the plan, and asks how severe an effect is as who judged it did.
    ("undo", &["model", "sys", "catalog", "paths", "reading", "policy"]),
    // Agents' words for what the pipeline judges: settings say what is done about their events.
    ("hooks", &["model", "decision", "config"]),
    // It looks at who is at the other end of its sockets, so it names `observe`; and makes domains ahead of the lines that put them on.
    (
        "host",
        &[
            "model", "sys", "language", "observe", "decision", "config", "audit", "approval",
            "ipc", "judge", "fence",
        ],
    ),
    // It writes what is not ours, so it knows nothing of judging.
    ("install", &["model", "sys"]),
    // It says what it saw of a line where the record looks for it, with secrets masked as the record has them.
    ("witness", &["model", "sys", "observe", "audit"]),
    (
        "pipeline",
        &[
            "model",
            "sys",
            "language",
            "syntax",
            "catalog",
            "cli",
            "observe",
            "paths",
            "variables",
            "recipes",
            "reading",
            "frame",
            "rules",
            "policy",
            "decision",
            "config",
            "audit",
            "approval",
            "exec",
            "fence",
            "undo",
            "hooks",
            "ipc",
            "host",
            "judge",
            "witness",
        ],
    ),
    (
        "subcommand",
        &[
            "model",
            "sys",
            "language",
            "syntax",
            "catalog",
            "cli",
            "observe",
            "paths",
            "variables",
            "recipes",
            "reading",
            "frame",
            "rules",
            "policy",
            "decision",
            "config",
            "audit",
            "approval",
            "exec",
            "fence",
            "undo",
            "hooks",
            "ipc",
            "host",
            "judge",
            "install",
            "pipeline",
            "witness",
        ],
    ),
];

/// External crates that belong to few modules.
const OWNERS: &[(&str, &[&str])] = &[
    ("tree_sitter", &["syntax"]),
    ("tree_sitter_bash", &["syntax"]),
    ("tree_sitter_python", &["syntax"]),
    ("tree_sitter_javascript", &["syntax"]),
    ("tree_sitter_ruby", &["syntax"]),
    ("tree_sitter_php", &["syntax"]),
    ("ts_parser_perl", &["syntax"]),
    ("sqlparser", &["syntax"]),
    ("saphyr_parser", &["recipes"]),
    ("streaming_iterator", &["syntax"]),
    ("brush_parser", &["syntax"]),
    ("clap", &["subcommand"]),
    ("clap_complete", &["subcommand"]),
    ("clap_mangen", &["subcommand"]),
    ("regex", &["policy", "rules", "hooks"]),
    ("postcard", &["catalog", "rules", "config"]),
    ("jiff", &["audit", "subcommand"]),
    ("vte", &["host"]),
    ("jsonc_parser", &["install"]),
    ("toml_edit", &["install"]),
    ("indicatif", &["subcommand"]),
    ("similar", &["install", "pipeline", "subcommand"]),
    ("ratatui", &["subcommand"]),
    ("fluent_bundle", &["language"]),
    ("zbus", &["host"]),
    ("landlock", &["fence"]),
    ("rustix", &["undo"]),
    ("seccompiler", &["fence"]),
];

/// Modules that get data and give data: they forbid ambient calls and `unsafe` for themselves.
const PURE: &[&str] = &[
    "model",
    "language",
    "syntax",
    "catalog",
    "cli",
    "paths",
    "variables",
    "embedded",
    "recipes",
    "reading",
    "frame",
    "rules",
    "policy",
    "decision",
    "hooks",
];

fn files(module: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let single = root.join(format!("{module}.rs"));
    let mut found = Vec::new();
    if single.is_file() {
        found.push(single);
    }
    let mut directories = vec![root.join(module)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The lines of a file that are code: no comments, and nothing behind `#[cfg(test)]`.
fn code(path: &Path) -> String {
    if path.iter().any(|part| part == "tests") || path.ends_with("tests.rs") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Words behind `crate::`.
fn named(code: &str) -> BTreeSet<String> {
    code.match_indices("crate::")
        .map(|(at, prefix)| {
            let rest = &code[at + prefix.len()..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            rest[..end].to_owned()
        })
        .collect()
}

#[test]
fn every_module_has_its_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules = fs::read_dir(root).unwrap().flatten().filter_map(|entry| {
        let name = entry.path().file_stem()?.to_str()?.to_owned();
        (!matches!(name.as_str(), "lib" | "main")).then_some(name)
    });
    for module in modules {
        assert!(LAYERS.iter().any(|(name, _)| *name == module), "{module} has no layer");
    }
}

#[test]
fn modules_name_only_what_their_layer_allows() {
    for (module, allowed) in LAYERS {
        for path in files(module) {
            for name in named(&code(&path)) {
                let is_module = LAYERS.iter().any(|(known, _)| *known == name);
                let fine = !is_module || name == *module || allowed.contains(&name.as_str());
                assert!(fine, "{} names {name}, which {module} may not", path.display());
            }
        }
    }
}

#[test]
fn crates_stay_with_their_owners() {
    for (module, _) in LAYERS {
        for path in files(module) {
            let code = code(&path);
            for (name, owners) in OWNERS {
                let uses = code.contains(&format!("{name}::"));
                assert!(!uses || owners.contains(module), "{} uses {name}", path.display());
            }
        }
    }
}

#[test]
fn pure_modules_forbid_ambient_calls() {
    for module in PURE {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let places = [format!("{module}/mod.rs"), format!("{module}.rs")];
        let text = places.iter().find_map(|place| fs::read_to_string(root.join(place)).ok());
        assert!(
            text.is_some_and(|text| {
                text.contains("#![forbid(unsafe_code, clippy::disallowed_methods")
            }),
            "{module} does not forbid ambient calls"
        );
    }
}

#[test]
fn only_sys_is_unsafe() {
    for (module, _) in LAYERS.iter().filter(|(module, _)| *module != "sys") {
        for path in files(module) {
            let code = code(&path);
            let is_unsafe = code.contains("unsafe {") || code.contains("unsafe fn");
            assert!(!is_unsafe, "{} is unsafe", path.display());
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for (module, _) in LAYERS {
        for path in files(module) {
            let text = fs::read_to_string(&path).unwrap();
            let is_test = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
            assert!(
                is_test || text.starts_with("//! "),
                "{} does not say what it is for",
                path.display()
            );
        }
    }
}

#[test]
fn nobody_takes_more_than_one_sitting_to_read() {
    for (module, _) in LAYERS {
        for path in files(module) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(
                lines <= 800,
                "{} has {lines} lines: what is its second subject?",
                path.display()
            );
        }
    }
}
