//! Shells that keep running and get their program bit by bit: `tests/units/*.toml`, over real shells and real pipes.
//! A pipe stays open until the shell has answered, so that nothing here depends on how long anything takes.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::JoinHandle;

use guarded_sh::model::{Recent, Severity, Trace, Traces};
use guarded_sh::pipeline::{Judge, Request};
use guarded_sh::policy;
use guarded_sh::reading::{Known, SoFar};
use guarded_sh::syntax::parse;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::support::{ALLOWS_ALL, Call, Place, guard};
use crate::{sheets, verdicts};

/// What each program begins with: it is answered before the rest is written.
const BEGIN: &str = "echo begun";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// What holds, as a sentence.
    name: String,
    /// The names of the shell; none: bash under both of our names.
    shells: Option<Vec<String>>,
    /// The words behind `argv[0]`.
    #[serde(default)]
    argv: Vec<String>,
    /// What is written once the shell has answered.
    program: String,
    /// Files in the working directory. Those that begin with `#!` are executable.
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
    /// Why it may break.
    why: String,
    /// Of what is known to differ: standard output and errors of the real shell, and ours.
    differs: Option<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    real: String,
    ours: String,
}

/// A program that may run what nobody permits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attack {
    /// What is tried.
    name: String,
    /// The names of the shell; none: bash.
    shells: Option<Vec<String>>,
    #[serde(default)]
    argv: Vec<String>,
    /// The owner's settings.
    #[serde(default)]
    settings: String,
    /// What is written.
    units: Vec<String>,
    /// Those of them that are refused, counted from 0, as whoever reads the row sees them; how many they are is held.
    refused: Vec<usize>,
    /// Standard output, where it matters.
    out: Option<String>,
}

/// What came of a program.
#[derive(Debug, PartialEq, Eq)]
struct Came {
    out: String,
    err: String,
    status: (Option<i32>, Option<i32>),
}

/// A shell with three pipes, which keeps running.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: JoinHandle<String>,
}

impl Session {
    fn begin(call: &Call) -> Self {
        let mut command = call.command();
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self { child, input, output, errors };
        session.write(&format!("{BEGIN}\n"));
        assert_eq!(session.line(), "begun\n");
        session
    }

    fn write(&mut self, text: &str) {
        // A shell that has ended reads no more.
        let _ = self.input.as_mut().unwrap().write_all(text.as_bytes());
    }

    /// Returns the next line of its output, once it is there.
    fn line(&mut self) -> String {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).unwrap();
        String::from_utf8_lossy(&line).into_owned()
    }

    /// Runs a command as clients do: writes a marker behind it, and reads up to that.
    fn run(&mut self, command: &str) -> (String, String) {
        self.write(&format!("{command}\necho \"<mark $?>\"\n"));
        let mut out = String::new();
        loop {
            let line = self.line();
            if let Some((before, status)) = line.split_once("<mark ") {
                out.push_str(before);
                return (out, status.trim_end().trim_end_matches('>').to_owned());
            }
            assert!(!line.is_empty(), "it ended behind {command:?}: {out}");
            out.push_str(&line);
        }
    }

    /// The process of the shell itself.
    fn shell(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }

    /// The process that feeds the shell: its only child between two commands.
    fn feeder(&self) -> Pid {
        let id = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        Pid::from_raw(children.trim().parse().unwrap())
    }

    fn end(mut self) -> Came {
        drop(self.input.take());
        let mut out = Vec::new();
        self.output.read_to_end(&mut out).unwrap();
        let status = self.child.wait().unwrap();
        Came {
            out: String::from_utf8_lossy(&out).into_owned(),
            err: self.errors.join().unwrap(),
            status: (status.code(), status.signal()),
        }
    }
}

fn real_shell(name: &str) -> PathBuf {
    let shell = if name == "guarded-sh" { "bash" } else { name };
    Path::new("/bin").join(shell.strip_prefix("guarded-").unwrap_or(shell))
}

fn is_here(name: &str) -> bool {
    real_shell(name).exists()
}

/// A call of a program under the name of a shell, by its real pid: nothing stands before it.
fn call(place: &Place, name: &str, program: &Path, argv: &[String]) -> Call {
    let link = place.link(name, program);
    place.call(link).arg0(name).args(argv).env("LC_ALL", "C")
}

impl Row {
    fn came(&self, name: &str, program: &Path) -> Came {
        let place = Place::with(ALLOWS_ALL);
        for (path, content) in &self.files {
            place.write(&format!("work/{path}"), content);
        }
        let mut session = Session::begin(&call(&place, name, program, &self.argv));
        session.write(&self.program);
        let mut came = session.end();
        let root = place.path("").display().to_string();
        (came.out, came.err) = (came.out.replace(&root, "ROOT/"), came.err.replace(&root, "ROOT/"));
        came
    }

    fn names(&self) -> Vec<&str> {
        let own = || vec!["guarded-sh", "guarded-bash"];
        self.shells.as_ref().map_or_else(own, |names| names.iter().map(String::as_str).collect())
    }
}

#[test]
fn a_program_that_comes_bit_by_bit_runs_as_in_the_real_shell() {
    let mut wrong = Vec::new();
    for row in sheets::rows::<Row>(&sheets::path("tests/units/same.toml")) {
        for name in row.names().into_iter().filter(|name| is_here(name)) {
            let real = row.came(name, &real_shell(name));
            let ours = row.came(name, guard());
            if real != ours {
                wrong.push(format!("{} ({name}, {}):\n{real:#?}\n{ours:#?}", row.name, row.why));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_differs_is_known() {
    let mut wrong = Vec::new();
    for row in sheets::rows::<Row>(&sheets::path("tests/units/differs.toml")) {
        let Difference { real, ours } = row.differs.as_ref().unwrap();
        for name in row.names().into_iter().filter(|name| is_here(name)) {
            for (program, known) in [(real_shell(name).as_path(), real), (guard(), ours)] {
                let came = row.came(name, program);
                let all = came.out + &came.err;
                if all != *known {
                    wrong.push(format!("{} ({name}, {}):\n{all:?}\n{known:?}", row.name, row.why));
                }
            }
            assert_ne!(real, ours, "{}", row.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A program that nobody knows, so that nothing permits it: it leaves a file.
const HARM: &str = "#!/bin/sh\necho \"$0 $*\" >>\"$HIT\"\n";

#[test]
fn nothing_that_was_refused_ever_runs() {
    let mut wrong = Vec::new();
    for attack in sheets::rows::<Attack>(&sheets::path("tests/units/attacks.toml")) {
        let names = attack.shells.clone().unwrap_or_else(|| vec!["guarded-bash".to_owned()]);
        for name in names.iter().filter(|name| is_here(name)) {
            if let Some(fault) = attack.fault(name) {
                wrong.push(format!("{} ({name}): {fault}", attack.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Attack {
    fn fault(&self, name: &str) -> Option<String> {
        let place = Place::with(&self.settings);
        place.write("bin/harm", HARM);
        let hit = place.path("hit");
        let call = call(&place, name, guard(), &self.argv).env("HIT", &hit);
        let mut session = Session::begin(&call);
        for unit in &self.units {
            session.write(&format!("{unit}\n"));
        }
        let came = session.end();
        let refusals = came.err.matches("guarded-sh: refused: ").count();
        if hit.exists() {
            return Some(format!("it ran: {came:#?}"));
        }
        if refusals != self.refused.len() {
            return Some(format!("{refusals} are refused: {came:#?}"));
        }
        self.out.as_ref().filter(|out| **out != came.out).map(|_| format!("{came:#?}"))
    }
}

/// A session of bash in a place, under settings that let nothing pass that would be asked about.
fn session(place: &Place) -> Session {
    Session::begin(&call(place, "guarded-bash", guard(), &[]))
}

#[test]
fn a_client_gets_each_answer_before_it_writes_on() {
    let place = Place::new();
    let mut session = session(&place);
    assert_eq!(session.run("echo one"), ("one\n".into(), "0".into()));
    assert_eq!(session.run("cd /usr && pwd"), ("/usr\n".into(), "0".into()));
    assert_eq!(session.run("pwd; (exit 7)"), ("/usr\n".into(), "7".into()));
    assert_eq!(
        session.run("x='a b'\nf() {\n  echo \"<$x> $1\"\n}\nf 1"),
        ("<a b> 1\n".into(), "0".into())
    );
    assert_eq!(session.run("f 2"), ("<a b> 2\n".into(), "0".into()));
    assert_eq!(session.run("no-program-has-this-name"), (String::new(), "126".into()));
    assert_eq!(session.run("cat <<E\n$x\nE"), ("a b\n".into(), "0".into()));
    assert_eq!(session.run("cat; read y; echo \"$? <$y>\""), ("1 <>\n".into(), "0".into()));
    assert_eq!(session.run("printf 'no end of line'"), ("no end of line".into(), "0".into()));
    for number in 0..1000 {
        let echo = format!("echo {number}");
        assert_eq!(session.run(&echo), (format!("{number}\n"), "0".into()));
    }
    let came = session.end();
    assert_eq!((came.out.as_str(), came.status), ("", (Some(0), None)));
    assert_eq!(came.err.matches("refused").count(), 1, "{}", came.err);
    let records = place.records();
    assert!(records.contains("no-program-has-this-name") && records.contains("echo 999"));
}

#[test]
fn what_the_owner_says_meanwhile_counts_for_the_next_unit() {
    let place = Place::new();
    place.write("bin/tool", "#!/bin/sh\necho tool\n");
    let mut session = session(&place);
    assert_eq!(session.run("tool"), (String::new(), "126".into()));
    place.set("safe_commands = [\"tool\"]\n");
    assert_eq!(session.run("tool"), ("tool\n".into(), "0".into()));
    place.set("safe_commands = \n");
    session.write("touch done\n");
    let came = session.end();
    assert_eq!(came.status, (Some(126), None));
    assert!(
        came.err.contains("config.toml:1:") && !place.path("work/done").exists(),
        "{}",
        came.err
    );
}

#[test]
fn without_the_process_that_judges_nothing_runs() {
    let place = Place::new();
    let mut killed = session(&place);
    let (feeder, shell) = (killed.feeder(), killed.shell());
    kill(feeder, Signal::SIGKILL).unwrap();
    killed.write("touch done\n");
    let came = killed.end();
    assert_eq!((came.out.as_str(), came.status), ("", (Some(0), None)));
    assert!(!place.path("work/done").exists() && kill(shell, None).is_err());

    let place = Place::new();
    let mut stopped = session(&place);
    let feeder = stopped.feeder();
    kill(feeder, Signal::SIGSTOP).unwrap();
    stopped.write("echo later\n");
    kill(feeder, Signal::SIGCONT).unwrap();
    assert_eq!(stopped.line(), "later\n");
    assert_eq!(stopped.end().status, (Some(0), None));
}

#[test]
fn signals_for_all_of_its_group_end_the_shell_as_they_would() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGKILL] {
        let place = Place::new();
        let mut session = session(&place);
        let feeder = session.feeder();
        nix::sys::signal::killpg(session.shell(), signal).unwrap();
        let came = session.child.wait().unwrap();
        assert_eq!(came.signal(), Some(signal as i32), "{signal}");
        // Its output ends, so nothing of ours holds that.
        assert_eq!(session.line(), "");
        session.errors.join().unwrap();
        let _ = feeder;
    }
}

#[test]
fn a_socket_is_read_bit_by_bit_too() {
    let place = Place::new();
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let call = call(&place, "guarded-bash", guard(), &[]);
    let mut command = call.command();
    command.stdin(std::os::fd::OwnedFd::from(theirs)).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for number in 0..3 {
        writeln!(&ours, "echo {number}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{number}\n"));
    }
    drop(ours);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A row of the verdicts, of which the line alone matters here.
#[derive(Deserialize)]
struct Verdict {
    line: String,
    #[serde(default)]
    has_input: bool,
}

/// Judges lines one after another, as a shell that keeps running gets them; returns the highest severity.
fn severity_one_by_one(judge: &mut Judge, lines: &[&str]) -> Severity {
    let (mut so_far, mut recent) = (SoFar::default(), Recent::default());
    let mut highest = Severity::Low;
    for line in lines {
        let past = Known(&recent);
        let request = Request { so_far: Some(&so_far), ..Request::about(line.as_bytes()) };
        let judgement = judge.judge(&request.after(&past)).unwrap();
        highest = highest.max(judgement.assessment.severity);
        let Traces { line, files, secrets } =
            policy::traces(&judgement.plan, || (*line).to_owned());
        for (path, sources) in files {
            recent.files.retain(|file| file.path != path);
            recent.files.insert(0, Trace { path, sources, line: line.clone(), print: None });
        }
        recent.secrets = secrets.then_some(line).or(recent.secrets);
        so_far = judgement.next.unwrap();
        // Where the shell is then, only the kernel says; here it is followed by what is read.
        judge.facts.cwd = None;
    }
    highest
}

#[test]
fn a_program_is_judged_no_milder_bit_by_bit() {
    let (mut milder, mut counted) = (Vec::new(), 0);
    for path in sheets::paths("tests/verdicts") {
        for row in sheets::perhaps_rows::<Verdict>(&path) {
            let script = parse(row.line.as_bytes());
            let is_plain = script.opaque.is_empty()
                && script.statements.iter().all(|statement| !statement.background);
            if !is_plain || script.statements.len() < 2 || row.has_input {
                continue;
            }
            // What stands behind the last list of a line, as a here-document, belongs to the line.
            let mut units: Vec<&str> = Vec::new();
            let starts = script.statements.iter().map(|statement| statement.span.start);
            let ends = starts.clone().skip(1).chain([row.line.len()]);
            for (start, end) in starts.zip(ends) {
                units.push(row.line[start..end].trim_end_matches([' ', ';', '\n']));
            }
            let is_whole = |unit: &&str| parse(unit.as_bytes()).opaque.is_empty();
            // Commands of a unit find nothing on standard input, whatever `exec` made of that before.
            let swaps = ["exec <", "exec 0<", "exec 3<", "exec {v}<"]
                .iter()
                .any(|it| row.line.contains(it));
            if !units.iter().all(is_whole) || row.line.contains("<<") || swaps {
                continue;
            }
            counted += 1;
            let whole = verdicts::judged(&row.line).assessment.severity;
            let one_by_one = severity_one_by_one(&mut verdicts::judge(), &units);
            if one_by_one < whole {
                milder.push(format!("{one_by_one:?} < {whole:?}: {:?}", row.line));
            }
        }
    }
    assert!(counted > 300, "{counted}");
    assert!(milder.is_empty(), "{} of {counted}:\n{}", milder.len(), milder.join("\n"));
}
