//! The world that lines are judged in: a workspace in a throw-away directory, with the files of a repository.
//! Reads nothing of the world that the benchmark runs in.

use std::borrow::Borrow;
use std::fs;

use guarded_sh::model::{Facts, Span};
use guarded_sh::pipeline::{Judge, examples};
use guarded_sh::policy::Structure;
use guarded_sh::reading::{Circumstances, Environment, NoScripts};
use guarded_sh::rules::RuleSet;
use guarded_sh::syntax::Dialect;
use tempfile::TempDir;

/// A workspace on a branch, and what is known of it.
pub struct World {
    /// What reading and policy are told.
    pub facts: Facts,
    _root: TempDir,
}

impl World {
    /// Makes a workspace.
    pub fn new() -> Self {
        let root = TempDir::new().expect("a temporary directory can be made");
        let git = root.path().join(".git");
        fs::create_dir(&git).expect("a directory can be made");
        fs::write(git.join("HEAD"), "ref: refs/heads/feature\n").expect("a file can be written");
        let config =
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n";
        fs::write(git.join("config"), config).expect("a file can be written");
        let cwd = root.path().to_str().expect("its name is text").to_owned();
        let facts = Facts { cwd: Some(cwd.clone()), workspaces: vec![cwd], ..examples::facts() };
        Self { facts, _root: root }
    }

    /// Returns what judges in this world by these rules.
    pub fn judge<R: Borrow<RuleSet>>(&self, rules: R) -> Judge<R> {
        Judge::supposing(rules, self.facts.clone())
    }

    /// Returns how a line is run of which nothing is known but its text.
    pub fn circumstances(&self) -> Circumstances<'_> {
        Circumstances {
            facts: &self.facts,
            dialect: Dialect::Bash,
            environment: Environment::Approximate,
            positional: None,
            before: &[],
            scripts: &NoScripts,
        }
    }
}

/// No syntax tree: only owners' rules with a query ask for one.
pub struct NoTree;

impl Structure for NoTree {
    fn matches(&self, _: &str) -> Vec<Span> {
        Vec::new()
    }
}
