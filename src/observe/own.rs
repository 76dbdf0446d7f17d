//! Which programs are the agent's own: the one that a person started, and what lies in its package. An interpreter is nobody's own: only
//! its calls that run a script of the agent's are, since what else it is given may be a model's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::programs::{is_systems, script_of};

/// Programs that run what their words say.
const INTERPRETERS: [&str; 15] = [
    "bun", "deno", "java", "lua", "node", "nodejs", "perl", "php", "pypy", "pypy3", "python",
    "python2", "python3", "ruby", "tclsh",
];

/// Options of theirs that run nothing.
const HARMLESS: [&str; 8] = [
    "--max-old-space-size=",
    "--max-semi-space-size=",
    "--expose-gc",
    "--no-warnings",
    "--enable-source-maps",
    "-u",
    "-B",
    "-I",
];

/// What is the agent's own.
#[derive(Debug, Default)]
pub struct Own {
    /// Its package, or its only file.
    place: Option<PathBuf>,
    /// What runs its script.
    interpreter: Option<PathBuf>,
}

impl Own {
    /// Takes what a person started: the process, which runs that with these words now.
    pub fn learn(&mut self, process: u32, words: &[OsString]) {
        let Some(program) = program_of(process) else { return };
        let runs_scripts = is_interpreter(&program);
        let named = if runs_scripts { script_in(process, words) } else { None };
        self.interpreter = named.is_some().then(|| program.clone());
        // A program of the system's that starts another, as env(1) does, is not the agent.
        let is_own = !runs_scripts && (package_of(&program).is_some() || !is_systems(&program));
        let file = script_of(&place_of(process)).or(named).or(is_own.then_some(program));
        self.place = file.map(|file| package_of(&file).unwrap_or(file));
    }

    /// Returns whether it is known what is the agent's own.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.place.is_some()
    }

    /// Returns whether a process runs what is the agent's own, of which nothing ran yet.
    pub fn is_run_by(&mut self, process: u32, words: &[OsString]) -> bool {
        let (Some(own), Some(program)) = (&self.place, program_of(process)) else { return false };
        let is_own = |file: PathBuf| file.starts_with(own);
        if is_own(program.clone()) || script_of(&place_of(process)).is_some_and(is_own) {
            return true;
        }
        let is_it = is_interpreter(&program)
            && self.interpreter.as_ref().is_none_or(|known| *known == program)
            && script_in(process, words).is_some_and(is_own);
        if is_it {
            self.interpreter = Some(program);
        }
        is_it
    }
}

fn place_of(process: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{process}"))
}

/// Returns the file that a process runs.
fn program_of(process: u32) -> Option<PathBuf> {
    std::fs::read_link(place_of(process).join("exe")).ok()
}

/// Whether a program runs what its words say, whatever its version: `python3` of `python3.11`.
fn is_interpreter(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    INTERPRETERS.contains(&name.split('.').next().unwrap_or_default())
}

/// Returns the script that an interpreter with these words runs; none if they may make it run anything else.
fn script_in(process: u32, words: &[OsString]) -> Option<PathBuf> {
    let is_harmless = |word: &OsStr| {
        let is = |option: &&str| match option.strip_suffix('=') {
            Some(_) => word.as_bytes().starts_with(option.as_bytes()),
            None => word == *option,
        };
        HARMLESS.iter().any(is)
    };
    let script = words.iter().skip(1).find(|word| !is_harmless(word))?;
    let script = place_of(process).join("cwd").join(script).canonicalize().ok()?;
    script.is_file().then_some(script)
}

/// Returns the directory of the npm package that a file is part of.
fn package_of(file: &Path) -> Option<PathBuf> {
    let mut parts = file.components();
    let mut package = PathBuf::new();
    while let Some(part) = parts.next() {
        package.push(part);
        if part.as_os_str() == "node_modules" {
            let name = parts.next()?;
            package.push(name);
            if name.as_os_str().to_string_lossy().starts_with('@') {
                package.push(parts.next()?);
            }
            return Some(package);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_known_by_where_it_is() {
        for (file, package) in [
            (
                "/usr/lib/node_modules/@openai/codex/bin/codex.js",
                Some("/usr/lib/node_modules/@openai/codex"),
            ),
            (
                "/a/node_modules/opencode-ai/node_modules/x/bin/opencode",
                Some("/a/node_modules/opencode-ai"),
            ),
            ("/usr/bin/codex", None),
            ("/a/node_modules", None),
            ("/a/node_modules/@openai", None),
        ] {
            assert_eq!(package_of(Path::new(file)), package.map(PathBuf::from), "{file}");
        }
    }

    #[test]
    fn an_interpreter_is_one_in_any_version() {
        for (program, is_one) in
            [("/usr/bin/python3.11", true), ("/bin/node", true), ("/bin/env", false)]
        {
            assert_eq!(is_interpreter(Path::new(program)), is_one, "{program}");
        }
    }
}
