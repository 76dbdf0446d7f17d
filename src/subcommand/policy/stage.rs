//! The world of a test: a home with a workspace in it, made for one row and gone after it. Nothing of the machine's own settings and of the
//! user's home is read.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::as_on_a_machine;
use crate::config::{Case, Places};
use crate::model::{Caller, StandardInput};
use crate::observe;
use crate::pipeline::World;
use crate::subcommand::failure::Failure;
use crate::subcommand::scratch::Scratch;

/// The branch that is checked out where a row names none.
const BRANCH: &str = "feature";
/// The agent that calls where a row names none.
const CALLER: &str = "claude";
/// The workspace, below the home.
const WORKSPACE: &str = "project";
/// What the repository says of itself.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://git.invalid/project.git\n";

/// Where worlds are made for the rows of a policy.
pub(super) struct Stage {
    scratch: Scratch,
    /// The machine's directory of settings.
    policy: PathBuf,
    made: usize,
}

/// A world that was made, as long as this is held.
pub(super) struct Made {
    pub(super) world: World,
    root: PathBuf,
    home: String,
}

impl Stage {
    pub(super) fn new(policy: &Path) -> Result<Self, Failure> {
        Ok(Self { scratch: Scratch::make()?, policy: policy.to_owned(), made: 0 })
    }

    /// Makes the world of a row; why not, if it cannot be made.
    pub(super) fn set(&mut self, case: &Case) -> Result<Made, Failure> {
        let mut made = self.make(case.branch.as_deref(), &case.files, case.cwd.as_deref())?;
        let judge = &mut made.world.judge;
        judge.facts.caller = match case.caller.as_deref().unwrap_or(CALLER) {
            "" => Caller::Unknown,
            name => Caller::Agent(name.to_owned()),
        };
        // As the profile of a session, which loosens nothing.
        judge.terms.profile = judge.terms.profile.max(case.profile.unwrap_or_default());
        judge.shell = case.shell.unwrap_or(judge.shell);
        Ok(made)
    }

    /// Makes a world in which there is nothing but the policy.
    pub(super) fn bare(&mut self) -> Result<Made, Failure> {
        self.make(None, &[], None)
    }

    fn make(
        &mut self,
        branch: Option<&str>,
        files: &[(String, String)],
        cwd: Option<&str>,
    ) -> Result<Made, Failure> {
        self.made += 1;
        let top = self.scratch.path();
        // Links on the way to it would be links on the way to each file.
        let root =
            top.canonicalize().unwrap_or_else(|_| top.to_owned()).join(self.made.to_string());
        let home = root.join("home");
        let made = furnished(&home, branch, files, cwd);
        let cwd = made
            .map_err(|error| Failure::new(format!("cannot make what is to be there: {error}")))?;
        let unnamed = || Failure::new("the temporary directory has a name that is not UTF-8");
        let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(unnamed);
        let (told, cwd) = (text(&home)?, text(&cwd)?);
        let variables =
            [("HOME", told.as_str()), ("USER", "dev"), ("PATH", "/usr/local/bin:/usr/bin:/bin")];
        let variables =
            variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let environment = observe::Environment::of(variables.into_iter());
        let git = observe::git(&environment, &cwd);
        // Rules are compiled once, for all rows.
        let cache = self.scratch.path().join("cache");
        let places = Places::tried(self.policy.clone(), Some(home), cache);
        let world = World::of(environment, places, Some(cwd))?;
        let mut world = as_on_a_machine(world.with_input(StandardInput::Nothing));
        world.judge.facts.git = git;
        Ok(Made { world, root, home: told })
    }
}

impl Made {
    /// Returns a text with the home as people write it.
    pub(super) fn told(&self, text: &str) -> String {
        text.replace(&self.home, "~")
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // What stays goes with the scratch directory.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Makes a home with a workspace in it, and returns the directory that lines run in.
fn furnished(
    home: &Path,
    branch: Option<&str>,
    files: &[(String, String)],
    cwd: Option<&str>,
) -> io::Result<PathBuf> {
    let workspace = home.join(WORKSPACE);
    let git = workspace.join(".git");
    for name in ["objects", "refs"] {
        directory(&git.join(name))?;
    }
    write(&git.join("HEAD"), &format!("ref: refs/heads/{}\n", branch.unwrap_or(BRANCH)))?;
    write(&git.join("config"), CONFIG)?;
    let at = |path: &str| match path.strip_prefix('~') {
        Some(rest) => home.join(rest.trim_start_matches('/')),
        None => workspace.join(path),
    };
    let named = |path: &str, made: io::Result<()>| {
        made.map_err(|error| io::Error::new(error.kind(), format!("'{path}': {error}")))
    };
    for (path, content) in files {
        let is_directory = path.ends_with('/');
        let place = at(path);
        named(path, if is_directory { directory(&place) } else { write(&place, content) })?;
    }
    let place = cwd.map_or_else(|| workspace.clone(), at);
    named(cwd.unwrap_or("."), directory(&place))?;
    // Without `.` in it.
    place.canonicalize()
}

fn directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file as an owner would: nobody else may, and what begins as a program can be run.
fn write(path: &Path, content: &str) -> io::Result<()> {
    if let Some(above) = path.parent() {
        directory(above)?;
    }
    let mode = if content.starts_with("#!") { 0o700 } else { 0o600 };
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
    file.write_all(content.as_bytes())
}
