//! Where another shell begins: what it gets of the variables and functions of the one that starts it.

use super::carry::SHELLS;
use super::field::is_listed;
use super::plan::PlannedCommand;
use super::secrets::of_parameters;
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Opaque, Reason, Span};
use crate::syntax::Dialect;

/// Programs that give their whole environment to what they run. Others may take some of it away, or all.
const PASS_ENVIRONMENT: &[&str] = &[
    "bun",
    "caffeinate",
    "chrt",
    "command",
    "deno",
    "env",
    "exec",
    "fd",
    "fdfind",
    "find",
    "flock",
    "gfind",
    "gtimeout",
    "ionice",
    "just",
    "make",
    "mise",
    "nice",
    "node",
    "nohup",
    "npm",
    "parallel",
    "pnpm",
    "script",
    "setsid",
    "stdbuf",
    "strace",
    "taskset",
    "time",
    "timeout",
    "unbuffer",
    "watch",
    "xargs",
    "yarn",
];

/// Returns whether a command takes variables away from what it runs: `env -i`, `env -u NAME`.
pub(super) fn empties(command: &PlannedCommand) -> bool {
    command.program() == Some("env") && dropped(command).is_none_or(|names| !names.is_empty())
}

/// Returns the variables that a command takes away from what it runs; none if that may be any.
fn dropped(command: &PlannedCommand) -> Option<Vec<&str>> {
    let given = |names: &[&str]| command.interpretation.gives(names);
    match command.program() {
        Some("env") => {
            let is_empty = command.argv.get(1).and_then(Arg::known) == Some("-");
            if is_empty || given(&["-i", "--ignore-environment", "-S", "--split-string"]) {
                return None;
            }
            let unset = command.interpretation.given(&["-u", "--unset"]);
            unset.map(|option| option.value.as_ref().and_then(Arg::known)).collect()
        }
        Some("exec") if given(&["-c"]) => None,
        Some("setpriv") if given(&["--reset-env"]) => None,
        _ => Some(Vec::new()),
    }
}

/// Returns the variables by which a command tells what it runs what that is for.
fn told(command: &PlannedCommand) -> Vec<&str> {
    let given = |names: &[&str]| {
        let given = command.interpretation.given(names);
        given.filter_map(|option| option.value.as_ref().and_then(Arg::known)).collect()
    };
    match command.program() {
        Some("split" | "gsplit") => vec!["FILE"],
        Some("xargs" | "gxargs") => given(&["--process-slot-var"]),
        Some("tar") => TOLD_BY_TAR.to_vec(),
        _ => Vec::new(),
    }
}

/// Variables that a shell sets when it begins, whatever it was given.
const SET_BY_SHELLS: &[&str] = &[
    "SHLVL",
    "PWD",
    "OLDPWD",
    "OPTIND",
    "OPTERR",
    "BASH",
    "BASH_VERSION",
    "BASH_EXECUTION_STRING",
    "PS1",
    "PS2",
    "PS4",
];

/// What `tar` tells of a file or an archive (GNU tar manual, `--to-command`, `--checkpoint-action`, `--info-script`).
const TOLD_BY_TAR: &[&str] = &[
    "TAR_VERSION",
    "TAR_ARCHIVE",
    "TAR_BLOCKING_FACTOR",
    "TAR_VOLUME",
    "TAR_FORMAT",
    "TAR_SUBCOMMAND",
    "TAR_FD",
    "TAR_CHECKPOINT",
    "TAR_FILETYPE",
    "TAR_MODE",
    "TAR_FILENAME",
    "TAR_REALNAME",
    "TAR_UNAME",
    "TAR_GNAME",
    "TAR_ATIME",
    "TAR_MTIME",
    "TAR_CTIME",
    "TAR_SIZE",
    "TAR_UID",
    "TAR_GID",
];

impl Walker<'_> {
    /// Runs `work` as the shell that command `index` starts: it gets what is exported, and what is set for it.
    pub(super) fn child_shell(
        &mut self,
        index: usize,
        positional: Option<Vec<Arg>>,
        work: impl FnOnce(&mut Self),
    ) {
        let given = &self.facts.environment;
        let mut state = self.state.clone();
        state.enter_program(|name| given.contains_key(name));
        let command = &self.plan.commands[index];
        let count = positional.as_ref().map_or(0, Vec::len);
        let zero = command.argv.len().saturating_sub(count + 1);
        state.exchange_parameters(of_parameters(&command.secrets, zero));
        if positional.is_none() {
            state.secrets_of_some(&command.secrets);
        }
        state.positional = positional.map(Into::into);
        for &outer in self.starters(index).iter().rev() {
            let command = &self.plan.commands[outer];
            let name = command.program().unwrap_or("");
            // What is not known of a recipe adds nothing: there, every program counts as one that passes on what it was given.
            let passes = PASS_ENVIRONMENT.contains(&name) || SHELLS.contains(&name);
            if !passes && self.recipes.depth == 0 {
                state.forget();
            }
            let dropped = dropped(command);
            if dropped.is_none() {
                state.taint();
            }
            for (name, value) in &command.environment {
                let value = match value {
                    Arg::Glob(text) if is_listed(text) => Value::Printed(text.clone()),
                    value => Value::Word(value.clone()),
                };
                state.set(name, value);
                state.export(name, true);
            }
            // What stands before it is taken away with the rest; what stands behind it is set for the next.
            let before = command.environment.iter().map(|(name, _)| name.as_str());
            let before = before.filter(|_| dropped.is_none());
            let unsure = before.map(|name| (name, Value::Unknown));
            let unset = dropped.iter().flatten().map(|name| (*name, Value::Unset));
            for (name, value) in unsure.chain(unset) {
                state.set(name, value);
            }
            for name in told(command) {
                state.set(name, Value::Unknown);
            }
        }
        // A shell takes this one from nobody.
        state.set("IFS", Value::Word(Arg::Known(" \t\n".to_owned())));
        // It counts the first, sets the next two to where it is, or where that says that it was, and the others to what it has itself.
        for name in SET_BY_SHELLS {
            if state.variable(name).is_some() {
                state.set(name, Value::Unknown);
            }
        }
        let shell = self.shell.replace(index);
        let own = self.dialect_of(index);
        let dialect = std::mem::replace(&mut self.dialect, own);
        let tested = std::mem::replace(&mut self.tested, false);
        let mut given = self.given_options(index);
        if self.is_called_otherwise(index) {
            given.push(Given::Unknown);
        }
        let outer_calls = std::mem::replace(&mut self.outer_calls, self.calls.len());
        let sourced = std::mem::take(&mut self.sourced);
        self.subshell(|walker| {
            walker.state = state;
            walker.apply(&given, walker.plan.commands[index].span);
            work(walker);
        });
        (self.outer_calls, self.sourced) = (outer_calls, sourced);
        (self.shell, self.dialect, self.tested) = (shell, dialect, tested);
    }

    /// Returns a command and those that start it in the same shell, the outermost last: each adds to the environment of the next.
    pub(super) fn starters(&self, index: usize) -> Vec<usize> {
        let mut starters = vec![index];
        while let Some(outer) = self.plan.commands[starters[starters.len() - 1]].parent
            && Some(outer) != self.shell
        {
            starters.push(outer);
        }
        starters
    }

    /// Which shell command `index` starts. What is no shell itself starts `sh` (system(3)).
    fn dialect_of(&self, index: usize) -> Dialect {
        match self.plan.commands[index].program() {
            Some(program) => Dialect::named(program).unwrap_or(Dialect::Posix),
            None => Dialect::Posix,
        }
    }

    /// Whether a shell is started by the name of another (`exec -a sh bash`, `env --argv0=sh bash`): then it reads as that does.
    fn is_called_otherwise(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let Some(carrier) = command.parent.map(|parent| &self.plan.commands[parent]) else {
            return false;
        };
        let spellings: &[&str] = match carrier.program() {
            Some("exec") => &["-a"],
            Some("env") => &["-a", "--argv0"],
            _ => return false,
        };
        let Some(name) = carrier.interpretation.given(spellings).next_back() else { return false };
        let own = command.program().and_then(Dialect::named);
        let name = name.value.as_ref().and_then(Arg::known);
        let name = name.and_then(|name| name.trim_start_matches('-').rsplit('/').next());
        // By what no shell is called, none reads otherwise.
        let other = name.map(Dialect::named);
        command.program().is_some_and(|program| SHELLS.contains(&program))
            && other.is_none_or(|other| other.is_some() && other != own)
    }

    /// The options of a shell that change how it reads: `-a` of each, `-O NAME`, `+B` of bash, `-i` of zsh.
    fn given_options(&self, index: usize) -> Vec<Given> {
        let interpretation = &self.plan.commands[index].interpretation;
        // By this one, what it runs gets another name.
        let renames = self.plan.commands[index].environment.iter().any(|(name, _)| name == "ARGV0");
        if interpretation.program == "zsh" && (renames || interpretation.gives(&["-i"])) {
            return vec![Given::Unknown];
        }
        let is_bash = interpretation.program == "bash";
        if !SHELLS.contains(&interpretation.program.as_str()) {
            return Vec::new();
        }
        let given = interpretation.options.iter().flat_map(|option| {
            let value = option.value.as_ref().and_then(Arg::known).map(str::to_owned);
            option.spellings.iter().map(move |spelling| (spelling.as_str(), value.clone()))
        });
        let given = given.filter_map(|(spelling, value)| match (spelling, value) {
            ("-a", _) => Some(Given::Set("allexport".to_owned())),
            ("-x", _) => Some(Given::Set("xtrace".to_owned())),
            ("-u", _) => Some(Given::Set("nounset".to_owned())),
            ("-e", _) => Some(Given::Set("errexit".to_owned())),
            ("-o", Some(name)) if is_bash || is_allexport(&name) => {
                Some(Given::Set(if is_bash { name } else { "allexport".to_owned() }))
            }
            // Names are written in several ways.
            ("-o", _) if !is_bash => Some(Given::Set("nounset".to_owned())),
            _ if !is_bash => None,
            ("-O", Some(name)) => Some(Given::Shopt(name)),
            ("-O" | "-o", None) => Some(Given::Unknown),
            ("+B" | "--posix" | "-k" | "-P", _) => Some(Given::Unknown),
            _ => None,
        });
        given.collect()
    }

    fn apply(&mut self, given: &[Given], span: Span) {
        for option in given {
            match option {
                Given::Shopt(name) if name == "lastpipe" => self.distrusted(span),
                Given::Shopt(name) => drop(self.state.globs.switch(name, true)),
                Given::Set(name) if name == "allexport" => self.state.export("*", true),
                Given::Set(name) if name == "nounset" => self.state.nounset = true,
                Given::Set(name) if name == "xtrace" => self.state.traced = true,
                Given::Set(name) if name == "errexit" => self.state.errexit = true,
                Given::Set(name) if matches!(name.as_str(), "posix" | "keyword" | "physical") => {
                    self.distrusted(span);
                }
                Given::Set(_) => {}
                Given::Unknown => self.distrusted(span),
            }
        }
    }

    /// Notes that the text of a shell that stands here in the line is read otherwise than it was.
    fn distrusted(&mut self, span: Span) {
        let opaque = Opaque { reason: Reason::DynamicCode, span };
        if self.recipes.depth == 0 && !self.plan.opaque.contains(&opaque) {
            self.plan.opaque.push(opaque);
        }
    }
}

/// Whether a name of an option is that of `-a`; zsh reads it in any case, and with `_` anywhere.
fn is_allexport(name: &str) -> bool {
    name.replace('_', "").eq_ignore_ascii_case("allexport")
}

/// An option that a shell was started with.
enum Given {
    Shopt(String),
    Set(String),
    /// One by which it reads otherwise.
    Unknown,
}
