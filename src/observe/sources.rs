//! What the real shell runs before the line that was judged, because the caller's argv or environment says so.
//!
//! Files of the user and of the machine (`~/.bashrc`, `/etc/profile`) are not listed: they are the owner's, and they run in the real
//! shell too. What is listed is text that anyone who starts us can set.

use std::io::IsTerminal;
use std::path::Path;

use super::environment::Environment;
use crate::model::{Setting, Shell, ShellInvocation, ShellMode, Switch};

/// Something that runs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What makes it run.
    pub cause: Cause,
    /// The value: text that the shell expands, or the code itself.
    pub text: String,
    /// The file that is read, if the text names one without expansions.
    pub file: Option<String>,
    /// Whether that file is there.
    pub exists: bool,
}

/// What makes something run first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// `--rcfile`, `--init-file`: the file.
    RcFile,
    /// `BASH_ENV`: expanded, then the file of that name.
    BashEnv,
    /// `ENV`: the same, for interactive shells of the POSIX kind.
    Env,
    /// `ZDOTDIR`: `.zshenv` and other files in that directory.
    ZshDirectory,
    /// `BASH_FUNC_NAME%%`: a function, which takes the place of the command of that name.
    Function,
    /// `PS4`: expanded, commands included, before each command that is traced.
    TracePrompt,
    /// `PS0`, `PS1`, `PS2`, `PROMPT_COMMAND`: in an interactive shell.
    Prompt,
    /// `SHELLOPTS`, `BASHOPTS`: options that argv does not show.
    Options,
    /// A variable of one of these names whose value is not text, so that nothing is known of it.
    Unreadable,
}

/// Returns what runs first in a call of the shell.
#[must_use]
pub fn sources(invocation: &ShellInvocation, environment: &Environment) -> Vec<Source> {
    if invocation.mode == ShellMode::Information {
        return Vec::new();
    }
    let call = Call { invocation, environment, interactive: is_interactive(invocation) };
    let mut found = Vec::new();
    match invocation.shell {
        Shell::Bash => call.bash(&mut found),
        Shell::Dash => call.posix(&mut found),
        // Whichever it is: what any of them would run.
        Shell::Sh => {
            call.posix(&mut found);
            call.bash_common(&mut found);
        }
        Shell::Zsh => call.value(Cause::ZshDirectory, "ZDOTDIR", &mut found),
    }
    found
}

/// Returns whether the shell will be interactive: because it was told to be, or because it reads from a terminal.
#[must_use]
pub fn is_interactive(invocation: &ShellInvocation) -> bool {
    invocation.interactive
        || (invocation.mode == ShellMode::Input
            && std::io::stdin().is_terminal()
            && std::io::stderr().is_terminal())
}

struct Call<'a> {
    invocation: &'a ShellInvocation,
    environment: &'a Environment,
    interactive: bool,
}

impl Call<'_> {
    /// Startup as the bash manual, 6.2, has it.
    fn bash(&self, found: &mut Vec<Source>) {
        let posix =
            self.invocation.posix || self.is_set("POSIXLY_CORRECT") || self.inherits("posix");
        let privileged = self.invocation.privileged;
        match (self.interactive, posix) {
            (true, true) if !privileged => self.file(Cause::Env, "ENV", found),
            (false, false) if !privileged => self.file(Cause::BashEnv, "BASH_ENV", found),
            (true, false) if !self.invocation.start_up.no_rc => self.rc_file(found),
            _ => {}
        }
        self.bash_common(found);
    }

    fn bash_common(&self, found: &mut Vec<Source>) {
        if !self.invocation.privileged {
            self.value(Cause::Options, "SHELLOPTS", found);
            self.value(Cause::Options, "BASHOPTS", found);
            self.functions(found);
        }
        if self.traces() {
            self.value(Cause::TracePrompt, "PS4", found);
        }
        if self.interactive {
            for name in ["PS0", "PS1", "PS2", "PROMPT_COMMAND"] {
                self.value(Cause::Prompt, name, found);
            }
        }
    }

    fn posix(&self, found: &mut Vec<Source>) {
        if self.interactive {
            self.file(Cause::Env, "ENV", found);
            self.value(Cause::Prompt, "PS1", found);
            self.value(Cause::Prompt, "PS2", found);
        }
        if self.traces() && self.invocation.shell == Shell::Dash {
            self.value(Cause::TracePrompt, "PS4", found);
        }
    }

    fn rc_file(&self, found: &mut Vec<Source>) {
        let Some(file) = &self.invocation.start_up.rc_file else { return };
        let exists = Path::new(file).exists();
        let Some(text) = file.to_str().map(str::to_owned) else {
            found.push(unreadable("--rcfile"));
            return;
        };
        found.push(Source { cause: Cause::RcFile, file: Some(text.clone()), text, exists });
    }

    fn functions(&self, found: &mut Vec<Source>) {
        let variables = self.environment.variables.iter();
        let mut functions: Vec<_> = variables
            .filter_map(|(name, body)| {
                let name = name.strip_prefix("BASH_FUNC_")?.strip_suffix("%%")?;
                // Bash takes no other value for a function.
                let text = format!("{name} {}", body.strip_prefix("() {").map(|_| body)?);
                Some(Source { cause: Cause::Function, text, file: None, exists: false })
            })
            .collect();
        functions.sort_by(|one, other| one.text.cmp(&other.text));
        found.append(&mut functions);
        let unread =
            |name: &&std::ffi::OsString| name.as_encoded_bytes().starts_with(b"BASH_FUNC_");
        let names = self.environment.unreadable.iter().filter(unread);
        found.extend(names.map(|name| unreadable(&name.to_string_lossy())));
    }

    fn file(&self, cause: Cause, name: &str, found: &mut Vec<Source>) {
        self.value(cause, name, found);
        if let Some(source) = found.last_mut().filter(|source| source.cause == cause)
            && !source.text.contains(['$', '`', '~', '\\', '"', '\''])
        {
            source.exists = Path::new(&source.text).exists();
            source.file = Some(source.text.clone());
        }
    }

    fn value(&self, cause: Cause, name: &str, found: &mut Vec<Source>) {
        if let Some(text) = self.environment.get(name) {
            found.push(Source { cause, text: text.to_owned(), file: None, exists: false });
        } else if self.environment.is_unreadable(name) {
            found.push(unreadable(name));
        }
    }

    fn traces(&self) -> bool {
        let traces = |setting: &Setting| match setting {
            Setting::Letter(letter, switch) => *letter == 'x' && *switch == Switch::On,
            Setting::Named(name, switch) => name == "xtrace" && *switch == Switch::On,
            Setting::Shopt(..) | Setting::Long(_) | Setting::Listing => false,
        };
        self.invocation.settings.iter().any(traces) || self.inherits("xtrace")
    }

    fn inherits(&self, option: &str) -> bool {
        let options = self.environment.get("SHELLOPTS").unwrap_or("");
        !self.invocation.privileged && options.split(':').any(|name| name == option)
    }

    fn is_set(&self, name: &str) -> bool {
        self.environment.variables.contains_key(name)
    }
}

fn unreadable(name: &str) -> Source {
    Source { cause: Cause::Unreadable, text: name.to_owned(), file: None, exists: false }
}
