//! Calls to what each row did: the programs that it executed and the files that it changed. Judges nothing.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use guarded_sh::paths::absolute;

use crate::batch::workspace;
use crate::trace::{Call, Outcome, Value};

/// What one row did.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The programs that were executed, in order.
    pub executions: Vec<Execution>,
    /// The files that were written, made, deleted or changed, in order, as far as it outlived its process.
    pub changes: Vec<Change>,
    /// Whether it came to its end: if not, nothing can be said of it.
    pub ended: bool,
}

/// A program that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The file, absolute.
    pub path: String,
    /// What it got as `argv`.
    pub argv: Vec<String>,
    /// Where.
    pub cwd: String,
    /// What ran in this process, or in the one that started it, before: an index into the executions.
    pub by: Option<usize>,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    /// The file, absolute; where it was opened, what the name led to.
    pub path: String,
    /// The program that did it; none: the row's own shell.
    pub by: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was opened so that it can be written, or made: a file, link or device.
    Written,
    /// It is a directory that was made.
    Directory,
    /// It was deleted, or renamed to something else.
    Deleted,
    /// Its mode or owner was changed.
    Permission,
}

/// What a process is to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The driver, or a process of it that has not entered a row.
    Driver,
    /// It will become what watches over the row's time.
    Entered(usize),
    /// It watches.
    Watching(usize),
    /// It will become the row's bash.
    Started(usize),
    /// It is the row's bash, or runs below it.
    Running(usize),
}

#[derive(Clone, Debug)]
struct Process {
    stage: Stage,
    cwd: String,
    by: Option<usize>,
}

/// How an error ends that smaller batches may not have: processes cannot be told apart.
pub const TOO_LARGE: &str = "the batch is too large";

/// Sorts calls by row.
pub fn observe(calls: &[Call], rows: Range<usize>) -> Result<Vec<Observed>, String> {
    let mut observer = Observer::new(calls, rows)?;
    for call in calls {
        observer.call(call)?;
    }
    for row in 0..observer.rows.len() {
        observer.drop_temporary(row);
    }
    Ok(observer.rows)
}

struct Observer {
    rows: Vec<Observed>,
    workspaces: HashMap<String, usize>,
    processes: HashMap<u32, Process>,
    /// The process that started each: a child may be seen before the call that made it has returned.
    parents: HashMap<u32, u32>,
    ended: HashSet<u32>,
    /// The process that made each change, and whether nothing was there before, beside the changes of each row.
    makers: Vec<Vec<(u32, bool)>>,
}

impl Observer {
    fn new(calls: &[Call], rows: Range<usize>) -> Result<Self, String> {
        let first = calls.first().ok_or("an empty trace")?.pid;
        let mut parents = HashMap::new();
        for call in calls {
            if let (true, Outcome::Returned(child, _)) = (starts(call), &call.outcome) {
                let child = u32::try_from(*child).map_err(|_| "no process was started")?;
                if parents.insert(child, call.pid).is_some() {
                    return Err(format!("two processes are {child}: {TOO_LARGE}"));
                }
            }
        }
        let driver = Process { stage: Stage::Driver, cwd: "/".to_owned(), by: None };
        Ok(Self {
            rows: vec![Observed::default(); rows.len()],
            workspaces: rows.clone().map(workspace).zip(0..).collect(),
            processes: HashMap::from([(first, driver)]),
            parents,
            ended: HashSet::new(),
            makers: vec![Vec::new(); rows.len()],
        })
    }

    /// Makes sure that a process is known, by what the one is that started it.
    fn meet(&mut self, pid: u32) -> Result<(), String> {
        if self.processes.contains_key(&pid) {
            return Ok(());
        }
        // Where the call that started it was cut short by the end of its process, it may be any row's.
        let parent = self.parents.get(&pid).copied();
        let parent = parent.ok_or(format!("nothing started process {pid}: {TOO_LARGE}"))?;
        self.meet(parent)?;
        let mut process = self.processes[&parent].clone();
        if let Stage::Watching(row) = process.stage {
            process.stage = Stage::Started(row);
        }
        self.processes.insert(pid, process);
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Result<(), String> {
        if self.ended.contains(&call.pid) {
            return Err(format!("process {} goes on after its end", call.pid));
        }
        self.meet(call.pid)?;
        if let Outcome::Ended(status) = call.outcome {
            self.end(call.pid, status);
            return Ok(());
        }
        if let Some(Value::Here(path)) = call.arguments.first() {
            // Better than what was made of `chdir`, which may have gone through links.
            self.processes.get_mut(&call.pid).expect("was met").cwd.clone_from(path);
        }
        if let Outcome::Returned(value, path) = &call.outcome {
            self.succeeded(call, *value, path.as_deref())?;
        } else if call.outcome == Outcome::Failed("ENOEXEC".to_owned()) {
            // Bash runs a file that is no program as a script, in the process that it has.
            self.executed(call)?;
        }
        Ok(())
    }

    fn end(&mut self, pid: u32, status: Option<i32>) {
        self.ended.insert(pid);
        if let Stage::Watching(row) = self.processes[&pid].stage {
            // `timeout` is killed with what it watches over.
            self.rows[row].ended = status.is_some_and(|status| status != 137);
        }
    }

    fn succeeded(&mut self, call: &Call, value: i64, opened: Option<&str>) -> Result<(), String> {
        let first = call.arguments.first();
        match call.name.as_str() {
            _ if starts(call) => self.meet(u32::try_from(value).map_err(|e| e.to_string())?)?,
            "chdir" => {
                let to = self.place(call, 0)?;
                self.enter(call.pid, to);
            }
            "fchdir" => {
                let Some(Value::Descriptor(to)) = first else {
                    return Err(format!("{call:?} is not understood"));
                };
                self.enter(call.pid, to.clone());
            }
            "execve" | "execveat" => self.executed(call)?,
            "open" | "openat" | "openat2" | "creat" => {
                let given = |flag: &str| {
                    let mut others = call.arguments.iter();
                    others.any(|other| matches!(other, Value::Other(text) if text.contains(flag)))
                };
                let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].into_iter().any(given);
                if writes || call.name == "creat" {
                    let path = opened.ok_or(format!("{call:?} has no path"))?;
                    self.changed(call.pid, ChangeKind::Written, path.to_owned(), given("O_EXCL"));
                }
            }
            "mkdir" | "mkdirat" => self.change(call, ChangeKind::Directory, 0)?,
            "truncate" | "mknod" | "mknodat" => self.change(call, ChangeKind::Written, 0)?,
            "unlink" | "unlinkat" | "rmdir" => self.change(call, ChangeKind::Deleted, 0)?,
            "chmod" | "fchmodat" | "fchmodat2" | "chown" | "lchown" | "fchownat" => {
                self.change(call, ChangeKind::Permission, 0)?;
            }
            "rename" | "renameat" | "renameat2" => {
                self.change(call, ChangeKind::Deleted, 0)?;
                let mut others = call.arguments.iter();
                let replaces_nothing = |other: &Value| matches!(other, Value::Other(text) if text.contains("RENAME_NOREPLACE"));
                let path = self.place(call, 1)?;
                let is_new = others.any(replaces_nothing);
                self.changed(call.pid, ChangeKind::Written, path, is_new);
            }
            "link" | "linkat" | "symlink" | "symlinkat" => {
                let path = self.place(call, 1)?;
                self.changed(call.pid, ChangeKind::Written, path, true);
            }
            _ => return Err(format!("{call:?} is not understood")),
        }
        Ok(())
    }

    /// Returns the `index`-th path that a call names, absolute: it is below the descriptor before it, or where the process is.
    fn place(&self, call: &Call, index: usize) -> Result<String, String> {
        let mut paths = call.arguments.iter().enumerate().filter_map(|(at, value)| {
            let path = value.text()?;
            let base = match at.checked_sub(1).map(|before| &call.arguments[before]) {
                Some(Value::Descriptor(base) | Value::Here(base)) => base.as_str(),
                _ => &self.processes[&call.pid].cwd,
            };
            Some(absolute(base, path))
        });
        paths.nth(index).ok_or(format!("{call:?} has no path"))
    }

    fn enter(&mut self, pid: u32, to: String) {
        let process = self.processes.get_mut(&pid).expect("was met");
        if process.stage == Stage::Driver
            && let Some(row) = self.workspaces.get(&to)
        {
            process.stage = Stage::Entered(*row);
        }
        process.cwd = to;
    }

    fn executed(&mut self, call: &Call) -> Result<(), String> {
        let path = self.place(call, 0)?;
        let argv = call.arguments.iter().find_map(|value| match value {
            Value::List(words) => words.iter().map(|word| word.text().map(str::to_owned)).collect(),
            _ => None,
        });
        let argv: Vec<String> = argv.ok_or(format!("{call:?} has no argv"))?;
        let process = self.processes.get_mut(&call.pid).expect("was met");
        match process.stage {
            Stage::Driver => {}
            Stage::Entered(row) => process.stage = Stage::Watching(row),
            Stage::Started(row) => process.stage = Stage::Running(row),
            Stage::Watching(_) => return Err(format!("{call:?} is not understood")),
            Stage::Running(row) => {
                let executions = &mut self.rows[row].executions;
                let (cwd, by) = (process.cwd.clone(), process.by);
                process.by = Some(executions.len());
                executions.push(Execution { path, argv, cwd, by });
            }
        }
        Ok(())
    }

    fn change(&mut self, call: &Call, kind: ChangeKind, index: usize) -> Result<(), String> {
        let path = self.place(call, index)?;
        self.changed(call.pid, kind, path, kind == ChangeKind::Directory);
        Ok(())
    }

    fn changed(&mut self, pid: u32, kind: ChangeKind, path: String, is_new: bool) {
        let process = &self.processes[&pid];
        if let Stage::Running(row) = process.stage {
            self.rows[row].changes.push(Change { kind, path, by: process.by });
            self.makers[row].push((pid, is_new));
        }
    }

    /// Leaves out the files that a process made and deleted or renamed itself, as `sed -i` does: nothing of them is left. What
    /// it deletes and makes again is written.
    fn drop_temporary(&mut self, row: usize) {
        let makers = &self.makers[row];
        let changes = &mut self.rows[row].changes;
        let mut dropped = HashSet::new();
        for (at, change) in changes.iter().enumerate() {
            let is_same = |later: usize| {
                makers[later].0 == makers[at].0 && changes[later].path == change.path
            };
            let mut later = (at + 1..changes.len()).filter(|later| is_same(*later));
            if change.kind == ChangeKind::Deleted
                && later.next().is_some_and(|later| changes[later].kind == ChangeKind::Written)
            {
                dropped.insert(at);
            }
        }
        for (end, change) in changes.iter().enumerate() {
            if change.kind != ChangeKind::Deleted || change.by.is_none() || dropped.contains(&end) {
                continue;
            }
            let same =
                |at: &usize| makers[*at].0 == makers[end].0 && changes[*at].path == change.path;
            let made: Vec<usize> = (0..end).filter(same).collect();
            if made.first().is_some_and(|first| makers[*first].1) {
                dropped.extend(made);
                dropped.insert(end);
            }
        }
        let mut at = 0..;
        changes.retain(|_| !dropped.contains(&at.next().expect("no end")));
    }
}

/// Whether a call starts a process.
fn starts(call: &Call) -> bool {
    matches!(call.name.as_str(), "clone" | "clone3" | "fork" | "vfork")
}
