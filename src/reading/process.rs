//! Where another shell begins: what it gets of the variables and functions of the one that starts it.

use super::carry::SHELLS;
use super::plan::PlannedCommand;
use super::state::Value;
use super::walk::Walker;
use crate::model::Arg;

/// Programs that give their whole environment to what they run. Others may take some of it away, or all.
const PASS_ENVIRONMENT: &[&str] = &[
    "caffeinate",
    "chrt",
    "command",
    "env",
    "exec",
    "fd",
    "fdfind",
    "find",
    "flock",
    "gfind",
    "gtimeout",
    "ionice",
    "nice",
    "nohup",
    "parallel",
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
];

/// Returns whether a command takes variables away from what it runs: `env -i`, `env -u NAME`.
pub(super) fn empties(command: &PlannedCommand) -> bool {
    let takes = |spelling: &String| {
        matches!(
            spelling.as_str(),
            "-" | "-i" | "-u" | "--ignore-environment" | "--unset" | "-S" | "--split-string"
        )
    };
    command.program() == Some("env")
        && (command.interpretation.options.iter().any(|option| option.spellings.iter().any(takes))
            || command.argv.get(1).and_then(Arg::known) == Some("-"))
}

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
        state.positional = positional.map(Into::into);
        let mut chain = vec![index];
        while let Some(outer) = self.plan.commands[chain[chain.len() - 1]].parent {
            if Some(outer) == self.shell {
                break;
            }
            chain.push(outer);
        }
        for &outer in chain.iter().rev() {
            let command = &self.plan.commands[outer];
            let name = command.program().unwrap_or("");
            if !(PASS_ENVIRONMENT.contains(&name) || SHELLS.contains(&name)) {
                state.forget();
            }
            for (name, value) in &command.environment {
                state.set(name, Value::Word(value.clone()));
                state.export(name, true);
            }
        }
        // A shell takes this one from nobody.
        state.set("IFS", Value::Word(Arg::Known(" \t\n".to_owned())));
        let shell = self.shell.replace(index);
        self.subshell(|walker| {
            walker.state = state;
            work(walker);
        });
        self.shell = shell;
    }
}
