//! Runs many rows in their real shells and returns what strace saw of each. Knows nothing of what was foreseen.
//!
//! All rows of a batch share one throw-away view of the system (`enter.sh`) and one strace, since both cost more than a row
//! does; each has a home and a workspace of its own (`driver.sh`). There is no network, and nothing outside can be written.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use guarded_sh::model::Shell;

use crate::observed::{Observed, observe};
use crate::trace;

/// How many seconds a row may take. What takes longer has done nothing that could be compared.
const SECONDS: &str = "3";

/// No batch takes longer than this unless something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The calls that start programs and processes, change files, or say where a process is. Those with a question mark are not
/// there on every machine.
const CALLS: &str = "trace=execve,execveat,chdir,fchdir,clone,?clone3,?fork,?vfork,\
    ?open,openat,?openat2,?creat,truncate,?unlink,unlinkat,?rmdir,?rename,?renameat,renameat2,\
    ?mkdir,mkdirat,?mknod,mknodat,?link,linkat,?symlink,symlinkat,\
    ?chmod,fchmodat,?fchmodat2,?chown,?lchown,fchownat";

/// What bash runs with, beside `HOME`: the same for every row, and all that there is.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("USER", "dev"),
    ("LC_ALL", "C.UTF-8"),
    // What runs the rows is there before it goes to a row's workspace.
    ("OLDPWD", "/"),
];

/// A script, and the files that it finds in its workspace.
#[derive(Clone, Debug, Default)]
pub struct Task {
    pub shell: Shell,
    pub script: String,
    pub files: BTreeMap<String, String>,
}

/// Returns the home directory of a row by its place in the batch.
pub fn home(index: usize) -> String {
    format!("/home/dev{index}")
}

/// Returns the workspace of a row: the directory in which it runs.
pub fn workspace(index: usize) -> String {
    format!("{}/project", home(index))
}

/// Returns why nothing can be run here, if so: strace or namespaces are not to be had.
pub fn hindrance() -> Option<String> {
    run(0, &[Task { script: ":".to_owned(), ..Task::default() }]).err()
}

/// Returns whether a program is installed where rows find it.
pub fn has(program: &str) -> bool {
    let path = ENVIRONMENT.iter().find(|(name, _)| *name == "PATH").map_or("", |(_, path)| path);
    path.split(':').any(|directory| Path::new(directory).join(program).exists())
}

/// Runs the rows and returns what each did, in their order. The first one is `home(first)`'s.
pub fn run(first: usize, tasks: &[Task]) -> Result<Vec<Observed>, String> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (root, files) = (place.path().join("root"), place.path().join("files"));
    fs::create_dir(&root).map_err(|error| error.to_string())?;
    for (index, task) in tasks.iter().enumerate() {
        lay_out(&files, first + index, task).map_err(|error| format!("{task:?}: {error}"))?;
    }
    observe(&trace::parse(&traced(&root, &files)?)?, first..first + tasks.len())
}

/// Makes the home, the workspace and the script of a row below `files`.
fn lay_out(files: &Path, index: usize, task: &Task) -> std::io::Result<()> {
    let below = |path: &str| files.join(path.trim_start_matches('/'));
    let workspace = below(&workspace(index));
    fs::create_dir_all(&workspace)?;
    fs::create_dir_all(below("/scripts"))?;
    fs::write(below(&format!("/scripts/dev{index}")), &task.script)?;
    fs::create_dir_all(below("/shells"))?;
    fs::write(below(&format!("/shells/dev{index}")), task.shell.name())?;
    for (name, content) in &task.files {
        let path = workspace.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&workspace))?;
        if name.ends_with('/') {
            fs::create_dir_all(&path)?;
            continue;
        }
        fs::write(&path, content)?;
        if content.starts_with("#!") {
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Returns what strace printed while the driver ran.
fn traced(root: &Path, files: &Path) -> Result<String, String> {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle");
    let driver = fs::read_to_string(sources.join("driver.sh")).map_err(|e| e.to_string())?;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "--net", "--pid", "--ipc", "--uts"]);
    command.args(["--fork", "--kill-child=KILL"]);
    command.arg("bash").arg(sources.join("enter.sh")).args([root, files]);
    // Through a pipe: no file that strace could write to is left in the view.
    // No word of an argv may be longer on Linux (execve(2), MAX_ARG_STRLEN).
    command.args(["strace", "-f", "-q", "--seccomp-bpf", "-y", "-xx", "-s", "131072"]);
    command.args(["-e", CALLS, "-e", "signal=none", "-o", "/dev/stdout", "env", "-i"]);
    command.args(ENVIRONMENT.iter().map(|(name, value)| format!("{name}={value}")));
    command.args(["bash", "-c", &driver, "driver", SECONDS]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start unshare: {error}"))?;
    let (mut stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.as_mut().map(|stdout| stdout.read_to_string(&mut text));
        drop(sender.send((text, read)));
    });
    let Ok((text, read)) = ended.recv_timeout(PATIENCE) else {
        // With unshare, all that runs in its namespaces ends.
        drop(child.kill());
        let text = ended.recv().map(|(text, _)| text).unwrap_or_default();
        let last: Vec<&str> = text.lines().rev().take(5).collect();
        return Err(format!("the batch does not end; its trace ends, last line first: {last:#?}"));
    };
    if !matches!(read, Some(Ok(_))) {
        return Err("the trace is no text".to_owned());
    }
    let mut errors = String::new();
    if let Some(mut stderr) = stderr {
        stderr.read_to_string(&mut errors).map_err(|error| error.to_string())?;
    }
    child.wait().map_err(|error| error.to_string())?;
    if text.is_empty() { Err(format!("nothing was traced: {errors}")) } else { Ok(text) }
}
