//! What argv and variables make the shell run, beside the line: start-up files, functions from the environment, options
//! that change how text is read. All of it is judged with the line.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Request;
use super::world::World;
use crate::model::{
    self, Arg, Reason, Setting, Shell, ShellInvocation, ShellMode, StandardInput, Switch,
};
use crate::observe::{self, Cause, Source};
use crate::reading::{Environment, NoPast};
use crate::syntax::{Construct, Dialect, Treatment};

/// Returns the line that says what a call runs: the command line itself, or the call of a script.
#[must_use]
pub fn line(world: &World, invocation: &ShellInvocation) -> Vec<u8> {
    match invocation.mode {
        ShellMode::Input if invocation.program.is_none() => {
            format!("{} -s", invocation.shell.name()).into_bytes()
        }
        ShellMode::CommandLine { .. } | ShellMode::Input => {
            invocation.subject().map(|line| line.as_bytes().to_vec()).unwrap_or_default()
        }
        ShellMode::Script { .. } => {
            let shell = [OsStr::new(invocation.shell.name()), OsStr::new("--")];
            let words = shell.into_iter().filter(|_| !is_by_its_name(world, invocation));
            let script = invocation.subject().into_iter();
            let arguments = invocation.positional().iter().map(OsString::as_os_str);
            let quoted = words
                .chain(script)
                .chain(arguments)
                .map(|word| shell_words::quote(&word.to_string_lossy()).into_owned());
            quoted.collect::<Vec<_>>().join(" ").into_bytes()
        }
        ShellMode::Information => format!("{} --version", invocation.shell.name()).into_bytes(),
    }
}

/// Returns the words of our own `hook`, where that is all that a call runs, plainly written.
#[must_use]
pub fn hook(invocation: &ShellInvocation) -> Option<Vec<OsString>> {
    let ShellMode::CommandLine { .. } = invocation.mode else { return None };
    let line = model::hook_call(invocation.subject()?.to_str()?);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /._-'".contains(c);
    let words = line.chars().all(is_plain).then(|| shell_words::split(line).ok()).flatten()?;
    let words = words.strip_prefix(&["exec".to_owned()]).unwrap_or(&words);
    let (program, words) = words.split_first()?;
    let is_hook = program.starts_with('/') && words.first().is_some_and(|word| word == "hook");
    let is_own = is_hook && observe::Scripts::is_guard(program);
    is_own.then(|| words.iter().map(OsString::from).collect())
}

/// Returns whether a script was started by its own name, and we by the kernel, which reads its first line: that is what was asked for, and what
/// the owner may call safe. Only a shell of the system's can be told so.
fn is_by_its_name(world: &World, invocation: &ShellInvocation) -> bool {
    let has_path = |word: Option<&OsStr>| word.is_some_and(|word| word.as_bytes().contains(&b'/'));
    world.place.is_some()
        && invocation.mode.index().is_some_and(|index| index <= 2)
        && invocation.argv.first().is_some_and(|word| word.as_bytes().starts_with(b"/"))
        && has_path(invocation.subject())
}

/// Puts together what is asked about a call.
#[must_use]
pub fn request<'a>(world: &World, invocation: &ShellInvocation, line: &'a [u8]) -> Request<'a> {
    let first = First::of(world, invocation);
    let reads_files = invocation.login || invocation.interactive;
    let mut opaque = first.opaque;
    // Where a person types, `#` begins no comment in zsh.
    let dialect = Dialect::from(invocation.shell);
    let is_read_otherwise = dialect.treats(Construct::InteractiveComment) == Treatment::Opaque;
    if invocation.interactive && is_read_otherwise && line.contains(&b'#') {
        opaque.push(Reason::OtherShell);
    }
    if invocation.reads_on && world.judge.facts.input == StandardInput::Unknown {
        opaque.push(Reason::UnreadInput);
    }
    let known = !reads_files && first.texts.is_empty() && world.environment.is_known();
    // Whoever calls has set them: what the line makes of them, it makes of its own.
    let mut before = exported(world);
    before.extend(first.texts);
    Request {
        line,
        shell: Some(invocation.shell),
        environment: if known { Environment::Exact } else { Environment::Approximate },
        positional: Some(positional(invocation)),
        before,
        opaque,
        past: &NoPast,
        so_far: None,
    }
}

/// Puts together what is asked about a program that no shell starts: what would make a shell run something first does nothing.
#[must_use]
pub fn direct_request<'a>(world: &World, line: &'a [u8]) -> Request<'a> {
    Request { shell: Some(Shell::Bash), before: exported(world), ..Request::about(line) }
}

/// Returns what exports the variables of the caller that count as the line's.
fn exported(world: &World) -> Vec<String> {
    let inherited = crate::variables::inherited(&world.judge.facts);
    let own = |(name, value): &(&str, &str)| !observe::is_hosts(name, value);
    let given = inherited.into_iter().filter(own);
    let (path, others): (Vec<_>, Vec<_>) = given.partition(|(name, _)| *name == "PATH");
    let here = Path::new(world.judge.facts.cwd.as_deref().unwrap_or("/"));
    let mut texts = shadowing(path.into_iter().map(|(_, directory)| here.join(directory)));
    let export = |(name, value)| format!("export {name}={}", shell_words::quote(value));
    texts.extend(others.into_iter().map(export));
    texts
}

/// Where the system's own programs are.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Returns functions for the programs of directories on `PATH` that may stand in the place of the system's. Each runs the system's program
/// or one of those, and nothing says which: `PATH` may make a verdict stricter, never laxer.
fn shadowing(directories: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut programs: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for directory in directories {
        for name in shadows(&directory) {
            programs.entry(name.clone()).or_default().push(directory.join(name));
        }
    }
    let function = |(name, paths): (String, Vec<PathBuf>)| {
        let arm = |(number, path): (usize, &PathBuf)| {
            format!("{number}) {} \"$@\";; ", shell_words::quote(&path.to_string_lossy()))
        };
        let arms: String = paths.iter().enumerate().map(arm).collect();
        // The number of the shell's process is never known.
        format!("{name}() {{ case $$ in {arms}*) command {name} \"$@\";; esac; }}")
    };
    programs.into_iter().map(function).collect()
}

/// Returns the names in a directory on `PATH` that programs of the system have too.
fn shadows(directory: &Path) -> Vec<String> {
    let names = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_systems =
        |name: &String| SYSTEM.iter().any(|system| Path::new(system).join(name).exists());
    names.filter(|name| is_plain(name) && is_systems(name)).take(SHADOWING).collect()
}

/// So many programs of one directory on `PATH` are looked at.
const SHADOWING: usize = 64;

fn positional(invocation: &ShellInvocation) -> Vec<Arg> {
    let known = |word: &OsString| word.to_str().map_or(Arg::Unknown, |w| Arg::Known(w.to_owned()));
    invocation.positional().iter().map(known).collect()
}

/// What a call runs before its line, as shell text, and what is not known of it.
#[derive(Default)]
struct First {
    texts: Vec<String>,
    opaque: Vec<Reason>,
}

impl First {
    fn of(world: &World, invocation: &ShellInvocation) -> Self {
        let mut first = Self::default();
        for source in observe::sources(invocation, &world.environment) {
            first.add(world, invocation, source);
        }
        // A line may turn tracing on by itself, and then runs what stands in an inherited PS4.
        first.add_prompt(world.environment.get("PS4").unwrap_or_default());
        if world.environment.is_unreadable("PS4") {
            first.opaque.push(Reason::DynamicCode);
        }
        first.add_home(world, invocation);
        if invocation.settings.iter().any(Setting::changes_reading) {
            first.unclear("the shell is started with options that change how it reads");
        }
        first
    }

    fn add(&mut self, world: &World, invocation: &ShellInvocation, source: Source) {
        let startup = &world.settings.startup;
        let is = |trusted: &Option<PathBuf>| {
            trusted.as_ref().is_some_and(|trusted| trusted.as_os_str() == source.text.as_str())
        };
        match source.cause {
            Cause::RcFile if is(&startup.rcfile.value) => {}
            Cause::BashEnv if is(&startup.bash_env.value) => {}
            Cause::Env if is(&startup.env.value) => {}
            Cause::RcFile => self.texts.push(format!(". {}", shell_words::quote(&source.text))),
            // The shell expands the value before it opens the file.
            Cause::BashEnv | Cause::Env => self.texts.push(expanded(".", &source.text)),
            Cause::ZshDirectory => {
                self.texts.push(format!(". {}/.zshenv", shell_words::quote(&source.text)));
            }
            Cause::Function => self.texts.push(source.text),
            Cause::Prompt if invocation.mode == ShellMode::Input => self.add_prompt(&source.text),
            // A shell that runs one line shows no prompt, and PS4 counts whether it traces from the start or not.
            Cause::Prompt | Cause::TracePrompt => {}
            Cause::Options => {
                if source.text.split(':').any(changes_reading) {
                    self.unclear("inherited options change how the shell reads");
                }
            }
            Cause::Unreadable => self.opaque.push(Reason::DynamicCode),
        }
    }

    /// A prompt is decoded, which can make a dollar sign of `\044`, and then expanded.
    fn add_prompt(&mut self, prompt: &str) {
        let octal = |(at, _): (usize, &str)| prompt[at + 1..].starts_with(|c: char| c.is_digit(8));
        if prompt.match_indices('\\').any(octal) {
            self.opaque.push(Reason::DynamicCode);
        } else if prompt.contains(['$', '`']) {
            self.texts.push(expanded(":", prompt));
        }
    }

    /// Start-up files of a home that is not the owner's are whoever's made that home.
    fn add_home(&mut self, world: &World, invocation: &ShellInvocation) {
        let startup = &invocation.start_up;
        let reads = (invocation.login && !startup.no_profile)
            || (invocation.interactive && !startup.no_rc && startup.rc_file.is_none());
        let own = world.places.home.as_deref().and_then(std::path::Path::to_str);
        if reads && world.environment.get("HOME").is_some_and(|home| Some(home) != own) {
            self.texts.push(". ~/.profile".to_owned());
        }
    }

    fn unclear(&mut self, what: &str) {
        self.opaque.push(Reason::Syntax(what.to_owned()));
    }
}

/// Options that a shell has by itself, or that change nothing in how text is read.
fn changes_reading(option: &str) -> bool {
    let named = Setting::Named(option.into(), Switch::On);
    let shopt = Setting::Shopt(option.into(), Switch::On);
    named.changes_reading() || shopt.changes_reading()
}

/// A value that the shell expands as in double quotes.
fn expanded(command: &str, value: &str) -> String {
    format!("{command} \"{}\"", value.replace('"', "\\\""))
}
