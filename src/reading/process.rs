//! Where another shell begins: what it gets of the variables and functions of the one that starts it.

use super::builtins::table;
use super::carry::SHELLS;
use super::field::is_listed;
use super::plan::PlannedCommand;
use super::secrets::of_parameters;
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Opaque, Reason, Span};
use crate::syntax::Dialect;

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
            // What is not known of a recipe adds nothing: there, every program counts as one that passes on what it was given.
            if !command.interpretation.passes_environment && self.recipes.depth == 0 {
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
            // By `--process-slot-var` xargs names one.
            let named = command.interpretation.given(&["--process-slot-var"]);
            let named = named.filter_map(|option| option.value.as_ref().and_then(Arg::known));
            for name in named.chain(command.interpretation.sets.iter().map(String::as_str)) {
                state.set(name, Value::Unknown);
            }
        }
        // A shell takes this one from nobody.
        state.set("IFS", Value::text(" \t\n"));
        for name in table::FIRST_VARIABLES {
            if state.variable(name).is_some() {
                state.set(name, Value::Unknown);
            }
        }
        let outer = (self.shell, self.dialect, self.tested, self.outer_calls, self.sourced);
        (self.shell, self.dialect, self.tested) = (Some(index), self.dialect_of(index), false);
        (self.outer_calls, self.sourced) = (self.calls.len(), 0);
        let is_called_otherwise = self.is_called_otherwise(index);
        self.subshell(|walker| {
            walker.state = state;
            if !walker.apply_options(index) || is_called_otherwise {
                walker.distrusted(walker.plan.commands[index].span);
            }
            work(walker);
        });
        (self.shell, self.dialect, self.tested, self.outer_calls, self.sourced) = outer;
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

    /// Applies the options of a shell: `-a` of each, `-O NAME` of bash. Returns whether it reads as it is read here.
    fn apply_options(&mut self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        // By this one, what it runs gets another name.
        let renames = command.environment.iter().any(|(name, _)| name == "ARGV0");
        if interpretation.program == "zsh" && (renames || interpretation.gives(&["-i"])) {
            return false;
        }
        if !SHELLS.contains(&interpretation.program.as_str()) {
            return true;
        }
        let is_bash = interpretation.program == "bash";
        let mut is_same = true;
        for option in &interpretation.options {
            let value = option.value.as_ref().and_then(Arg::known);
            for spelling in &option.spellings {
                let name = match (spelling.as_str(), value) {
                    ("-a", _) => "allexport",
                    ("-x", _) => "xtrace",
                    ("-u", _) => "nounset",
                    ("-e", _) => "errexit",
                    ("-o" | "-O", Some(name)) if is_bash => name,
                    ("-o", Some(name)) if is_allexport(name) => "allexport",
                    // Names are written in several ways.
                    ("-o", _) if !is_bash => "nounset",
                    ("-O" | "-o", None) | ("+B" | "--posix" | "-k" | "-P", _) if is_bash => "posix",
                    _ => continue,
                };
                is_same &= self.state.switch(name, true);
            }
        }
        is_same
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
