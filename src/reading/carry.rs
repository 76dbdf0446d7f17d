//! What programs carry: commands behind wrappers, shell text, code, scripts, standard input.

use super::builtins::is_builtin;
use super::inner;
use super::plan::PlannedCommand;
use super::scripts::Start;
use super::simple::Around;
use super::state::{State, Value};
use super::walk::{Input, Walker};
use crate::catalog::{Carried, MoreWords, Place};
use crate::model::{Arg, Effect, EffectKind, Language, Reason, Span};

/// Whether a name may be a function of this shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Functions come first, as for any command.
    Functions,
    /// Only programs and builtins: another program starts it.
    Programs,
}

/// Programs whose `-c` text gets the operands behind it as `$0`, `$1`…
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "busybox"];

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
fn empties(command: &PlannedCommand) -> bool {
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
    /// Plans all that command `index` carries.
    pub(super) fn carry(
        &mut self,
        index: usize,
        program: &str,
        argv: &[Arg],
        carried: Vec<Carried>,
        span: Span,
    ) {
        let mut environment: Vec<(String, Arg)> = Vec::new();
        for one in carried {
            match one {
                Carried::Environment { name, value, .. } => match name {
                    Some(name) => environment.push((name, value)),
                    None => self.opaque(Reason::DynamicCode, span),
                },
                Carried::Argv { start, end, more } => {
                    let words = self.carried_words(index, program, &argv[start..end], more);
                    let environment = std::mem::take(&mut environment);
                    self.carried_argv(index, program, words, environment, span);
                }
                Carried::Program { text, .. } => self.program(index, program, &text, span),
                Carried::Shell { words, index: at, place } => {
                    self.shell(index, program, argv, &words, at, place, span);
                }
                Carried::Code { text, language, .. } => match text.known() {
                    Some(text) => self.code(index, program, text, language, span),
                    None => self.unread(index, Reason::DynamicCode, span),
                },
                Carried::Script { file, language, index: at } => {
                    let words = argv.get(at + 1..).map(<[Arg]>::to_vec).unwrap_or_default();
                    let start = Start { index, program, words, language, span };
                    self.script_file(&file, start);
                }
                Carried::Input { language } => self.standard_input(index, program, language, span),
            }
        }
        // `env A=b` without a command, `export A=b`: the variables reach what follows.
        let mut effects = Vec::new();
        for (name, value) in &environment {
            self.variable_effects(index, name, value, span, &mut effects);
        }
        self.plan.commands[index].effects.extend(effects);
        self.plan.commands[index].environment.extend(environment);
    }

    /// Runs `work` with command `index` as the carrier of what is planned.
    pub(super) fn carried_by(&mut self, index: usize, name: &str, work: impl FnOnce(&mut Self)) {
        let parent = self.parent.replace(index);
        self.via.push(name.to_owned());
        let sources = std::mem::take(&mut self.sources);
        // `env -C DIR`, `make -C DIR`: what they run, they run there.
        let enters = !self.plan.commands[index].interpretation.enters.is_empty();
        let outer = enters.then(|| {
            let entered = self.plan.commands[index].directories.clone();
            std::mem::replace(&mut self.state.directories, entered)
        });
        work(self);
        if let Some(outer) = outer {
            self.state.directories = outer;
        }
        self.sources = sources;
        self.via.pop();
        self.parent = parent;
    }

    /// Runs `work` as the shell that command `index` starts: it gets what is exported, and what is set for it.
    pub(super) fn child_shell(
        &mut self,
        index: usize,
        positional: Vec<Arg>,
        work: impl FnOnce(&mut Self),
    ) {
        let given = &self.facts.environment;
        let mut state = self.state.child(|name| given.contains_key(name));
        state.positional = Some(positional);
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
            if empties(command) {
                state.taint();
            } else if !(PASS_ENVIRONMENT.contains(&name) || SHELLS.contains(&name)) {
                state.forget();
            }
            for (name, value) in &command.environment {
                state.set(name, Value::Word(value.clone()));
                state.export(name);
            }
        }
        let shell = self.shell.replace(index);
        let before = std::mem::replace(&mut self.state, state);
        work(self);
        self.state = before;
        self.shell = shell;
    }

    /// The words of a carried command, with what the carrier adds to them.
    fn carried_words(
        &self,
        index: usize,
        program: &str,
        words: &[Arg],
        more: MoreWords,
    ) -> Vec<Arg> {
        let mut words = words.to_vec();
        match more {
            MoreWords::None => {}
            MoreWords::Appended => {
                let replaced = self.replaced_string(index);
                let names = self.names_from_input();
                if let Some(marker) = replaced {
                    for word in &mut words[..] {
                        if word.known().is_some_and(|text| text.contains(marker.as_str())) {
                            let whole = word.known() == Some(marker.as_str());
                            *word = match &names {
                                Some(names) if whole => names.clone(),
                                _ => Arg::Unknown,
                            };
                        }
                    }
                } else if words.is_empty() {
                    // xargs without a command echoes.
                    words.push(Arg::Known("echo".to_owned()));
                    words.push(Arg::Many);
                } else {
                    words.push(names.unwrap_or(Arg::Many));
                }
            }
            MoreWords::Replaced => {
                let found = self.found_names(index, program);
                for word in &mut words {
                    match word.known() {
                        Some("{}") => *word = found.clone(),
                        Some(text) if text.contains("{}") => *word = Arg::Unknown,
                        _ => {}
                    }
                }
            }
        }
        words
    }

    /// The string that `xargs -I STRING` replaces.
    fn replaced_string(&self, index: usize) -> Option<String> {
        let options = &self.plan.commands[index].interpretation.options;
        let given = options.iter().rev().find(|option| {
            option.spellings.iter().any(|spelling| matches!(spelling.as_str(), "-I" | "-i" | "-J"))
        })?;
        match &given.value {
            Some(Arg::Known(text)) if !text.is_empty() => Some(text.clone()),
            _ => Some("{}".to_owned()),
        }
    }

    /// What `find` puts in the place of `{}`: names below its starting points.
    fn found_names(&self, index: usize, program: &str) -> Arg {
        let command = &self.plan.commands[index];
        if !matches!(program, "find" | "gfind" | "fd" | "fdfind") {
            return Arg::Unknown;
        }
        super::search::found(&command.interpretation, &command.argv).unwrap_or(Arg::Unknown)
    }

    /// What comes on standard input where it is names of files below a known directory.
    fn names_from_input(&self) -> Option<Arg> {
        if let Some(text) = self.input_text() {
            let words: Vec<&str> = text.split_whitespace().collect();
            if let [one] = words.as_slice()
                && !one.contains(['\'', '"', '\\'])
            {
                return Some(Arg::Known((*one).to_owned()));
            }
        }
        self.names.clone()
    }

    fn carried_argv(
        &mut self,
        index: usize,
        program: &str,
        words: Vec<Arg>,
        environment: Vec<(String, Arg)>,
        span: Span,
    ) {
        if words.is_empty() {
            return;
        }
        // `command` and `builtin` run in this shell; every other carrier starts a process.
        let here =
            matches!(program, "command" | "builtin" | "exec" | "time" | "noglob" | "nocorrect");
        let around = Around { span, environment, ..Around::default() };
        self.carried_by(index, program, |walker| {
            walker.deeper(span, |walker| {
                if here {
                    walker.run(words, around, Lookup::Programs);
                } else {
                    walker.subshell(|walker| walker.run(words, around, Lookup::Programs));
                }
            });
        });
        if program == "exec" {
            self.state.dead = true;
        }
    }

    fn program(&mut self, index: usize, program: &str, text: &Arg, span: Span) {
        let words = text.known().and_then(|text| shell_words::split(text).ok());
        match words {
            Some(words) if !words.is_empty() => {
                let words = words.into_iter().map(Arg::Known).collect();
                self.carried_argv(index, program, words, Vec::new(), span);
            }
            Some(_) => {}
            None => self.unread(index, Reason::DynamicCommand, span),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the pieces of one carried text")]
    fn shell(
        &mut self,
        index: usize,
        program: &str,
        argv: &[Arg],
        words: &[Arg],
        at: usize,
        place: Place,
        span: Span,
    ) {
        let known: Option<Vec<&str>> = words.iter().map(Arg::known).collect();
        let Some(known) = known else {
            if program == "eval" {
                self.state.taint();
            }
            self.unread(index, Reason::DynamicCode, span);
            return;
        };
        let text = known.join(" ");
        let positional = SHELLS
            .contains(&program)
            .then(|| argv.get(at + 2..).map(<[Arg]>::to_vec).unwrap_or_default());
        let input = self.input.clone();
        self.carried_by(index, program, |walker| match (program, place) {
            ("eval", _) => walker.shell_text(&text, span),
            // `trap`, `mapfile -C` and the like: the text runs in this shell, some time later.
            (_, Place::Here) if is_builtin(program) => {
                walker.subshell(|walker| {
                    walker.state.errexit = false;
                    walker.shell_text(&text, span);
                });
            }
            (_, Place::Here) => {
                walker.child_shell(index, positional.unwrap_or_default(), |walker| {
                    walker.shell_text(&text, span);
                });
            }
            (_, Place::Elsewhere) => {
                let before = std::mem::replace(&mut walker.place, Place::Elsewhere);
                let state = std::mem::replace(&mut walker.state, State::new(None));
                walker.state.tainted = true;
                walker.shell_text(&text, span);
                walker.state = state;
                walker.place = before;
            }
        });
        self.input = input;
    }

    /// Reads code in a language of which something is known; the rest is opaque.
    pub(super) fn code(
        &mut self,
        index: usize,
        program: &str,
        text: &str,
        language: Language,
        span: Span,
    ) {
        if language == Language::Shell {
            self.carried_by(index, program, |walker| {
                if is_builtin(program) {
                    walker.subshell(|walker| walker.shell_text(text, span));
                } else {
                    walker.child_shell(index, Vec::new(), |walker| walker.shell_text(text, span));
                }
            });
            return;
        }
        let Some(found) = inner::read(text, language) else {
            self.unread(index, Reason::UnreadCode, span);
            return;
        };
        let mut effects: Vec<Effect> = Vec::new();
        for (kind, target) in &found.effects {
            match target {
                Some(target) => {
                    super::redirect::Targets::path_effect(self, *kind, target, &mut effects);
                }
                None => effects.push(Effect { kind: *kind, target: crate::model::Target::None }),
            }
        }
        self.plan.commands[index].effects.extend(effects);
        for command in &found.commands {
            match command {
                Some(command) => {
                    self.carried_by(index, program, |walker| {
                        walker.subshell(|walker| walker.shell_text(command, span));
                    });
                }
                None => self.unread(index, Reason::DynamicCode, span),
            }
        }
    }

    fn script_file(&mut self, file: &Arg, start: Start<'_>) {
        let Start { index, program, language, span, .. } = start;
        match file.known() {
            Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
                self.standard_input(index, program, language, span);
            }
            Some("/dev/fd/63") => {
                self.plan.commands[index].runs_input = true;
                match self.process_text.clone() {
                    Some(text) => self.code(index, program, &text, language, span),
                    None => self.unread(index, Reason::UnreadInput, span),
                }
            }
            _ if self.follow(file, start) => return,
            _ => {
                let mut effects = Vec::new();
                super::redirect::Targets::path_effect(
                    self,
                    EffectKind::Execute,
                    file,
                    &mut effects,
                );
                self.plan.commands[index].effects.extend(effects);
                self.opaque(Reason::UnreadScript, span);
            }
        }
        if matches!(program, "source" | ".") {
            self.state.taint();
        }
    }

    fn standard_input(&mut self, index: usize, program: &str, language: Language, span: Span) {
        self.plan.commands[index].runs_input = true;
        match self.input.clone() {
            Input::Text(text) => self.code(index, program, &text, language, span),
            Input::Inherited | Input::Unknown => self.unread(index, Reason::UnreadInput, span),
        }
    }

    fn unread(&mut self, index: usize, reason: Reason, span: Span) {
        self.plan.commands[index].runs_input = true;
        self.opaque(reason, span);
    }
}
