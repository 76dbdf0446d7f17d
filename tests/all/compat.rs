//! Law 8: what the real shell gets from its caller, it gets through us. The rows of `tests/compat/*.toml` are run twice in the
//! same place, first with the real shell under our name, then with us; output, errors, status and files must be the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::sheets;
use crate::support::{ALLOWS_ALL, Ended, Place, SHADOW, guard};

/// Settings with which the kernel holds each row.
const FENCED: &str = "fence = \"on\"\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// What is kept, as a sentence.
    name: String,
    /// A script for an outer bash, in which `$SH` is the shell.
    script: Option<String>,
    /// Or the words of the shell behind `argv[0]`.
    argv: Option<Vec<String>>,
    #[serde(default)]
    stdin: String,
    /// More variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Files in the working directory. Those that begin with `#!` are executable.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The name of the shell, where it is none of ours: `sh`, `zsh`.
    shell: Option<String>,
    /// Whether nothing may bind, as for a program on standard input.
    #[serde(default)]
    shadow: bool,
    /// Programs that it starts and that not every machine has; `tests/run` installs them.
    #[serde(default)]
    needs: Vec<String>,
    /// Why it is not held by the fence, if so.
    unfenced: Option<String>,
    /// Why it may break.
    why: String,
    /// In `known.toml` alone: the real shell's output, and ours.
    differs: Option<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    real: String,
    ours: String,
}

/// What can be seen of a run.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: (Option<i32>, Option<i32>),
    stdout: String,
    stderr: String,
    files: BTreeMap<PathBuf, String>,
}

impl Row {
    /// Runs the row in a place that is made anew for it, with a shell under a name.
    fn run(&self, place: &Place, name: &str, shell: &Path, settings: &str) -> Seen {
        for directory in ["work", "home", "bin"] {
            std::fs::remove_dir_all(place.path(directory)).unwrap();
            std::fs::create_dir(place.path(directory)).unwrap();
        }
        let allows = if self.shadow { SHADOW } else { ALLOWS_ALL };
        place.set(&format!("{settings}{allows}"));
        for (path, content) in &self.files {
            place.write(&format!("work/{path}"), content);
        }
        let link = place.link(name, shell);
        let call = match (&self.script, &self.argv) {
            (Some(script), None) => place.script(script).without("GUARD"),
            (None, Some(argv)) => place.call(&link).arg0(name).args(argv),
            _ => panic!("{}: either a script or an argv", self.name),
        };
        let call = self.env.iter().fold(call, |call, (name, value)| call.env(name, value));
        let ended = call.env("SH", &link).env("LC_ALL", "C").stdin(&self.stdin).run();
        seen(&ended, &place.work())
    }

    /// Returns how what we do differs from what the real shell does: without the fence, and else with it.
    fn difference(&self, name: &str) -> Option<(Seen, Seen)> {
        let place = Place::new();
        let real = self.run(&place, name, &real_shell(name), "");
        let settings: &[&str] = if self.unfenced.is_none() { &["", FENCED] } else { &[""] };
        let mut ours = settings.iter().map(|settings| self.run(&place, name, guard(), settings));
        ours.find(|ours| *ours != real).map(|ours| (real, ours))
    }

    fn names(&self) -> Vec<&str> {
        self.shell.as_deref().map_or(vec!["guarded-sh", "guarded-bash"], |name| vec![name])
    }
}

fn real_shell(name: &str) -> PathBuf {
    // Our own name is bash's where nothing else is configured.
    let shell = if name == "guarded-sh" { "bash" } else { name };
    Path::new("/bin").join(shell.strip_prefix("guarded-").unwrap_or(shell))
}

fn seen(ended: &Ended, directory: &Path) -> Seen {
    let mut files = BTreeMap::new();
    collect(directory, &mut files);
    let text = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| bytes.escape_ascii().to_string())
    };
    Seen {
        status: (ended.code(), ended.signal()),
        stdout: text(&ended.stdout),
        stderr: text(&ended.stderr),
        files,
    }
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let kind = metadata.file_type();
        let content = if kind.is_dir() {
            collect(&path, files);
            "directory".to_owned()
        } else if kind.is_symlink() {
            format!("link to {}", path.read_link().unwrap().display())
        } else if kind.is_fifo() {
            "fifo".to_owned()
        } else {
            std::fs::read(&path).unwrap().escape_ascii().to_string()
        };
        files.insert(path, format!("{:o} {content}", metadata.permissions().mode()));
    }
}

fn read(sheet: &str) -> Vec<Row> {
    sheets::rows(&sheets::path("tests/compat").join(sheet))
}

fn compare(sheet: &str) {
    let mut wrong = Vec::new();
    let rows = read(sheet);
    let lacks = rows.iter().flat_map(|row| &row.needs).filter(|name| !is_installed(name));
    assert_eq!(lacks.collect::<Vec<_>>(), Vec::<&String>::new(), "rows need what is not installed");
    for row in &rows {
        assert!(row.differs.is_none(), "{}: belongs into known.toml", row.name);
        for name in row.names() {
            if let Some((real, ours)) = row.difference(name) {
                wrong.push(format!("{} as {name} ({})\n  {real:?}\n  {ours:?}", row.name, row.why));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} rows of {sheet}:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

fn is_installed(name: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|place| Path::new(place).join(name).exists())
}

/// One test for each sheet, so that they run beside each other.
macro_rules! sheets {
    ($($test:ident: $sheet:literal),* $(,)?) => {
        const SHEETS: &[&str] = &[$($sheet),*];
        $(#[test]
        fn $test() {
            compare($sheet);
        })*
    };
}

sheets! {
    argv_and_parameters_are_kept: "argv.toml",
    descriptors_are_kept: "descriptors.toml",
    signals_are_kept: "signals.toml",
    the_process_is_kept: "process.toml",
    the_environment_is_kept: "environment.toml",
    scripts_run_as_in_the_shell: "scripts.toml",
    programs_that_start_shells_see_one: "programs.toml",
}

#[test]
fn there_are_no_other_sheets() {
    let paths = sheets::paths("tests/compat").into_iter();
    let sheets: BTreeSet<String> =
        paths.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(sheets, SHEETS.iter().chain([&"known.toml"]).map(ToString::to_string).collect());
}

#[test]
fn what_is_not_kept_is_known() {
    for row in read("known.toml") {
        let known = row.differs.as_ref().expect("what is kept belongs into another sheet");
        for name in row.names() {
            let (real, ours) = row.difference(name).expect(&row.name);
            assert_eq!((&real.stdout, &ours.stdout), (&known.real, &known.ours), "{}", row.name);
        }
    }
}

/// Becomes the shell of the test below with an environment that no shell would pass on.
#[test]
#[ignore = "is a part of the test below"]
fn start_with_doubled_variables_for_another_test() {
    let Some(shell) = std::env::var_os("SH") else { return };
    let word = |bytes: &[u8]| CString::new(bytes).unwrap();
    let line = "tr '\\0' '\\n' </proc/$$/environ; echo \"$A $HOME\"";
    let argv = [word(shell.as_bytes()), word(b"-c"), word(line.as_bytes())];
    let mut home = OsString::from("HOME=");
    home.push(std::env::var_os("HOME").unwrap());
    let environment = [
        word(b"A=first"),
        word(&home.into_vec()),
        word(b"A=second"),
        word(b"no equals sign"),
        word(b"=no name"),
        word(b""),
        word(b"\xff=\xfe"),
    ];
    let Err(error) = nix::unistd::execve(&word(shell.as_bytes()), &argv, &environment);
    panic!("{error}");
}

#[test]
fn doubled_and_broken_variables_are_handed_on() {
    let place = Place::with(ALLOWS_ALL);
    let link = place.link("guarded-bash", Path::new("/bin/bash"));
    let test = std::env::current_exe().unwrap();
    let ours = "compat::start_with_doubled_variables_for_another_test";
    let call =
        place.call(&test).args(["--exact", ours, "--ignored", "--nocapture"]).env("SH", &link);
    let real = seen(&call.run(), &place.work());
    std::fs::remove_file(&link).unwrap();
    place.link("guarded-bash", guard());
    assert!(real.stdout.contains("A=first") && real.stdout.contains("A=second"), "{real:?}");
    assert!(real.stdout.contains("no equals sign"), "{real:?}");
    assert_eq!(seen(&call.run(), &place.work()), real);
}
