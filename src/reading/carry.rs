//! What programs carry: commands behind wrappers, shell text, code, scripts, standard input.

use std::rc::Rc;

use super::builtins::is_builtin;
use super::edited::Behind;
use super::input::Input;
use super::loops::TURNS;
use super::plan::PlannedCommand;
use super::process::empties;
use super::scripts::{Program, Start};
use super::search;
use super::simple::Around;
use super::split::{Split, split_string};
use super::state::State;
use super::walk::Walker;
use crate::catalog::{Carried, MoreWords, Place};
use crate::model::{Arg, EffectKind, Language, PathClass, ProgramTrait, Reason, Span, Target};
use crate::syntax::Dialect;

/// Whether a name may be a function of this shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Functions come first, as for any command.
    Functions,
    /// Only programs and builtins: another program starts it.
    Programs,
}

/// What a command in a container may do without being said to do something there.
const LOOKS: &[EffectKind] = &[
    EffectKind::List,
    EffectKind::Read,
    EffectKind::Decode,
    EffectKind::DatabaseRead,
    EffectKind::CloudRead,
    EffectKind::ShellState,
];

/// Stands for the directory in which a container's commands run: somewhere of its own.
const INSIDE: &str = "/container/workdir";

/// Programs whose `-c` text gets the operands behind it as `$0`, `$1`…
pub(super) const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "busybox"];

/// A command that carries others.
#[derive(Clone, Copy)]
pub(super) struct Carrier<'a> {
    pub(super) index: usize,
    /// What it is called where what it carries is planned.
    pub(super) program: &'a str,
    pub(super) argv: &'a [Arg],
    /// Where it stands in the line.
    pub(super) span: Span,
}

impl Walker<'_> {
    /// Plans all that a command carries.
    pub(super) fn carry(&mut self, by: Carrier<'_>, carried: Vec<Carried>) {
        let Carrier { index, argv, span, .. } = by;
        let is_env = self.plan.commands[index].interpretation.program == "env";
        match if is_env { split_string(argv) } else { Split::Absent } {
            Split::Absent => {}
            Split::Words(words) => {
                // What it enters, these words say once more.
                let command = &mut self.plan.commands[index].interpretation;
                let enters = std::mem::take(&mut command.enters);
                self.carried_argv(words, Vec::new(), by);
                self.plan.commands[index].interpretation.enters = enters;
                return;
            }
            Split::Unknown => return self.unread(Reason::DynamicCode, by),
        }
        // Variables first: they are for whatever is run.
        let (variables, carried): (Vec<_>, Vec<_>) =
            carried.into_iter().partition(|one| matches!(one, Carried::Environment { .. }));
        let mut environment: Vec<(String, Arg)> = Vec::new();
        for one in variables {
            match one {
                Carried::Environment { name: Some(name), value, .. } => {
                    environment.push((name, value));
                }
                _ => self.opaque(Reason::DynamicCode, span),
            }
        }
        let is_read = self.tasks(&carried, by);
        for one in joined(carried) {
            self.carry_one(one, &mut environment, is_read, by);
        }
        // `env A=b` without a command, `export A=b`: the variables reach what follows.
        self.plan.commands[index].environment.extend(environment.iter().cloned());
        for (name, value) in &environment {
            self.variable_effects(index, name, value, span);
        }
    }

    /// Plans one thing that a command carries, with these variables if it is a command. `is_read` says that its makefile was.
    fn carry_one(
        &mut self,
        one: Carried,
        environment: &mut Vec<(String, Arg)>,
        is_read: bool,
        by: Carrier<'_>,
    ) {
        let Carrier { index, argv, span, .. } = by;
        match one {
            Carried::Environment { .. } | Carried::Task { .. } => {}
            // The makefile was read with it.
            Carried::Code { language: Language::Make, index: at, .. }
                if self.make_variable(argv.get(at), is_read, by) => {}
            Carried::Script { language: Language::Make, file, .. }
                if is_read && self.is_inside(&file) => {}
            Carried::Argv { start, .. } if self.runs_own_module(argv.get(start), by) => {}
            Carried::Argv { start, .. } if self.shadows_command(argv.get(start), index, span) => {
                self.unread(Reason::UnreadScript, by);
            }
            Carried::Argv { start, end, more, place } => {
                self.carried_command(&argv[start..end], more, place, environment, by);
            }
            Carried::Program { text, more, .. } => self.program(&text, more, by),
            Carried::Shell { words, index: at, place, more } => {
                self.shell(&words, at, place, more, by);
            }
            Carried::Code { language: Language::Perl, .. } if self.opens_names(index) => {
                self.unread(Reason::UnreadCode, by);
            }
            Carried::Code { language: Language::Other, text, index: at }
                if self.editor_set(index, &text, at, span) => {}
            Carried::Code { text, language, .. } => match text.known() {
                Some(text) => self.code(Program { text, language, file: None }, by),
                None => self.unread(Reason::DynamicCode, by),
            },
            Carried::Script {
                language: language @ (Language::Names | Language::C), file, ..
            } => {
                self.read_named(index, language, Some(&file), span);
            }
            Carried::Input { language: language @ (Language::Names | Language::C) } => {
                self.read_named(index, language, None, span);
            }
            Carried::Script { file, language, index: at } => {
                let words = argv.get(at + 1..).unwrap_or_default().to_vec();
                self.script_file(&file, Start { by, words, language });
            }
            Carried::Input { language: Language::Other } if self.leaves_input(index) => {}
            Carried::Input { language: Language::Template } => self.filled(by),
            Carried::Input { language } => {
                self.standard_input(None, Start { by, words: Vec::new(), language });
            }
        }
    }

    /// Plans the words of a carried command, with what the carrier adds to them.
    fn carried_command(
        &mut self,
        words: &[Arg],
        more: MoreWords,
        place: Place,
        environment: &mut Vec<(String, Arg)>,
        by: Carrier<'_>,
    ) {
        let mut words = words.to_vec();
        let stands = self.runs_without_words(more, by) && !words.is_empty();
        // To expect names once is enough: what an `xargs` runs gets none.
        let expected = self.via.iter().any(|by| by == "xargs" || by == "gxargs");
        if !(stands && expected) {
            if stands {
                self.carried_argv(words.clone(), environment.clone(), by);
            }
            words = self.carried_words(words, more, by);
        }
        let environment = std::mem::take(environment);
        match place {
            Place::Here => self.carried_argv(words, environment, by),
            Place::Elsewhere => self.inside(words, environment, by),
        }
    }

    /// Plans the tasks that a command runs. Returns whether there are some and all of them were read.
    fn tasks(&mut self, carried: &[Carried], by: Carrier<'_>) -> bool {
        let mut is_read = None;
        for one in carried {
            if let Carried::Task { runner, name } = one {
                let is_this_read = self.task(*runner, name.as_ref(), by);
                is_read = Some(is_read.unwrap_or(true) && is_this_read);
            }
        }
        is_read.unwrap_or(false)
    }

    /// Whether a file stands inside a workspace, wherever the line may be there.
    fn is_inside(&self, file: &Arg) -> bool {
        let mut effects = Vec::new();
        self.path_effect(EffectKind::Execute, file, &mut effects);
        effects.iter().all(|effect| {
            matches!(&effect.target, Target::Path { path: Some(_), class: PathClass::Inside })
        })
    }

    /// Runs `work` with command `index` as the carrier of what is planned.
    pub(super) fn carried_by(&mut self, index: usize, name: &str, work: impl FnOnce(&mut Self)) {
        let parent = self.parent.replace(index);
        self.via.push(name.to_owned());
        let sources = std::mem::take(&mut self.sources);
        // `env -C DIR`, `make -C DIR`: what they run, they run there.
        let carrier = &self.plan.commands[index];
        let enters = !carrier.interpretation.enters.is_empty();
        // Wherever the file is that it found.
        let goes = carrier.interpretation.is(ProgramTrait::RunsWhereFound);
        let outer = (enters || goes).then(|| {
            let entered = if goes { vec![None] } else { carrier.directories.clone() };
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

    /// Returns the words of a carried command, with what the carrier adds to them.
    fn carried_words(&self, mut words: Vec<Arg>, more: MoreWords, by: Carrier<'_>) -> Vec<Arg> {
        let Carrier { index, program, .. } = by;
        match more {
            // `jobs -x` puts the number of a process in the place of a job.
            MoreWords::None if program == "jobs" => {
                for word in words.iter_mut().filter(|word| word.prefix().starts_with('%')) {
                    *word = Arg::Unknown;
                }
            }
            MoreWords::None => {}
            MoreWords::Appended if self.is(by, ProgramTrait::RunsForEach) => {
                // Where its command asks for it, or else behind it (fd manual, `--exec`).
                let found = self.found_names(by);
                if !put(&mut words, &["{}", "{/}", "{//}", "{.}", "{/.}"], &found) {
                    words.push(found);
                }
            }
            MoreWords::Appended => {
                let names = self.names_from_input(index);
                let found = names.clone().unwrap_or(Arg::Unknown);
                // What stands nowhere is not replaced, and some then append.
                let is_put = self.replaced_string(index).is_some_and(|mark| {
                    put(&mut words, &[&mark], &found)
                        || words.iter().any(|word| word.known().is_none())
                });
                if words.is_empty() {
                    // xargs without a command echoes.
                    words.extend([Arg::Known("echo".to_owned()), Arg::Many]);
                } else if !is_put {
                    words.push(names.unwrap_or(Arg::Many));
                }
            }
            MoreWords::Replaced => {
                let found = self.found_names(by);
                let goes = self.is(by, ProgramTrait::RunsWhereFound);
                let is_part =
                    |word: &Arg| word.known().is_none_or(|it| it.contains("{}") && it != "{}");
                let here = &self.plan.commands[index].directories;
                let found = if goes {
                    search::in_its_directory(found, here, !words.iter().any(is_part))
                } else {
                    found
                };
                // With `+`, as many as stand in one directory.
                let ends = |word: &Arg| word.known() == Some("+");
                let is_many =
                    found == Arg::Unknown && self.plan.commands[index].argv.iter().any(ends);
                put(&mut words, &["{}"], if is_many { &Arg::Many } else { &found });
            }
        }
        words
    }

    /// Returns whether the program of a carrier is like this.
    fn is(&self, by: Carrier<'_>, like: ProgramTrait) -> bool {
        self.plan.commands[by.index].interpretation.is(like)
    }

    /// Whether `xargs` finds nothing to add, and runs its command once as it stands.
    fn runs_without_words(&self, more: MoreWords, by: Carrier<'_>) -> bool {
        self.is(by, ProgramTrait::TakesWords)
            && more == MoreWords::Appended
            && self.input.is_nothing()
            && !self.gives(by.index, &["-r", "--no-run-if-empty"])
            && self.replaced_string(by.index).is_none()
    }

    /// The string that `xargs -I STRING` replaces.
    pub(super) fn replaced_string(&self, index: usize) -> Option<String> {
        let interpretation = &self.plan.commands[index].interpretation;
        match interpretation.program.as_str() {
            "xargs" => {}
            // It appends only where none stands; its `-I` and `-i` mean something else.
            "fd" => return Some("{}".to_owned()),
            _ => return None,
        }
        // Of these the last counts (GNU findutils manual, `xargs`).
        let all = ["-I", "-i", "-J", "-L", "-l", "-n"];
        let given = interpretation.given(&all).next_back()?;
        if given.spellings.iter().any(|spelling| matches!(spelling.as_str(), "-L" | "-l" | "-n")) {
            return None;
        }
        match &given.value {
            Some(Arg::Known(text)) if !text.is_empty() => Some(text.clone()),
            _ => Some("{}".to_owned()),
        }
    }

    /// What `find` puts in the place of `{}`: names below its starting points.
    fn found_names(&self, by: Carrier<'_>) -> Arg {
        if !self.is(by, ProgramTrait::RunsForEach) {
            return Arg::Unknown;
        }
        let command = &self.plan.commands[by.index];
        super::search::found(&command.interpretation, &command.argv).unwrap_or(Arg::Unknown)
    }

    pub(super) fn carried_argv(
        &mut self,
        words: Vec<Arg>,
        environment: Vec<(String, Arg)>,
        by: Carrier<'_>,
    ) {
        let Carrier { index, program, span, .. } = by;
        if words.is_empty() {
            return;
        }
        // `command` and `builtin` run in this shell; every other carrier starts a process.
        let is_zsh = self.dialect == Dialect::Zsh;
        let here = matches!(program, "command" | "builtin" | "exec" | "time")
            || (is_zsh && matches!(program, "noglob" | "nocorrect"));
        // Others find functions, too; to bash, `exec` is about programs alone.
        let finds_functions = is_zsh && matches!(program, "exec" | "noglob" | "nocorrect");
        let lookup = if finds_functions { Lookup::Functions } else { Lookup::Programs };
        let secrets = self.secrets_of(index, &words);
        let around = Around { span, environment, secrets, ..Around::default() };
        // What of the environment is left is not looked into.
        let changes = empties(&self.plan.commands[index]);
        let given = self.passed_on(index, program);
        let input = std::mem::replace(&mut self.input, given);
        // xargs reads what comes here itself: what it runs does not get that.
        let takes = self.is(by, ProgramTrait::TakesWords);
        let names = if takes { self.names.take() } else { self.names.clone() };
        self.carried_by(index, program, |walker| {
            walker.deeper(span, |walker| {
                if here {
                    walker.run(words, around, lookup);
                } else {
                    walker.subshell(|walker| {
                        if changes {
                            walker.state.taint();
                        }
                        walker.run(words, around, Lookup::Programs);
                    });
                }
            });
        });
        if !here {
            self.input = input;
        }
        self.names = names;
        if program == "exec" {
            // There may be no such program.
            self.may_exit(self.state.clone());
            self.state.dead = true;
        }
    }

    /// A command in a container. What the carrier does by itself is said of it unless all that is run there only looks.
    fn inside(&mut self, words: Vec<Arg>, environment: Vec<(String, Arg)>, by: Carrier<'_>) {
        let (start, unread) = (self.plan.commands.len(), self.plan.opaque.len());
        // It is entered there, not here.
        let command = &mut self.plan.commands[by.index].interpretation;
        let enters = std::mem::take(&mut command.enters);
        let directory = match enters.last() {
            None => Some(INSIDE.to_owned()),
            Some(Arg::Known(entered)) if entered.starts_with('/') => Some(entered.clone()),
            Some(_) => None,
        };
        self.elsewhere(directory, |walker| walker.carried_argv(words, environment, by));
        self.plan.commands[by.index].interpretation.enters = enters;
        let only_looks = |command: &PlannedCommand| {
            command.unknown.is_empty()
                && !command.runs_input
                && command.effects.iter().all(|effect| LOOKS.contains(&effect.kind))
        };
        if self.plan.opaque.len() == unread
            && self.plan.commands.get(start..).is_some_and(|run| run.iter().all(only_looks))
        {
            self.plan.commands[by.index].effects.retain(|effect| {
                !matches!(effect.kind, EffectKind::Container | EffectKind::Remote)
            });
        }
    }

    /// Runs `work` for what runs in another place, of which nothing is known but the directory.
    fn elsewhere(&mut self, directory: Option<String>, work: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.place, Place::Elsewhere);
        let state = std::mem::replace(&mut self.state, State::new(directory));
        self.state.tainted = true;
        work(self);
        self.state = state;
        self.place = before;
    }

    fn program(&mut self, text: &Arg, more: MoreWords, by: Carrier<'_>) {
        let Some(words) = text.known().and_then(|text| shell_words::split(text).ok()) else {
            return self.unread(Reason::DynamicCommand, by);
        };
        if !words.is_empty() {
            let behind = (more == MoreWords::Appended).then_some(Arg::Many);
            let words = words.into_iter().map(Arg::Known).chain(behind).collect();
            self.carried_argv(words, Vec::new(), by);
        }
    }

    /// Plans shell text that a command carries: it stands in word `at`.
    fn shell(&mut self, words: &[Arg], at: usize, place: Place, more: MoreWords, by: Carrier<'_>) {
        let Carrier { index, program, argv, span } = by;
        if matches!(program, "parallel" | "sem") {
            return self.parallel(words, by);
        }
        let known: Option<Vec<&str>> = words.iter().map(Arg::known).collect();
        let Some(known) = known else {
            if program == "eval" {
                self.state.taint();
            }
            return self.unread(Reason::DynamicCode, by);
        };
        let mut text = known.join(" ");
        if more == MoreWords::Appended {
            let behind = Behind { words: Arg::Many, input: Input::Unknown };
            return self.appended(index, program, &text, behind, span);
        }
        if program == "trap" {
            let words = argv.iter().filter_map(Arg::known);
            let others = |word: &&str| {
                !word.starts_with('-') && !matches!(*word, "trap" | "EXIT" | "exit" | "0")
            };
            let at_end = words.filter(others).filter(|word| *word != text).count() == 0;
            self.arrange(index, text.clone(), at_end, span);
        }
        let input = self.input.clone();
        self.input = match (program, place) {
            ("eval", _) => input.clone(),
            // A trap runs some time, a callback with what its builtin reads, and `ssh -o ProxyCommand` with the connection.
            (program, Place::Here) if is_builtin(program) || program == "ssh" => Input::Unknown,
            _ => self.passed_on(index, program),
        };
        self.carried_by(index, program, |walker| match (program, place) {
            ("eval", _) => walker.shell_text(&text, span),
            (_, Place::Here) if is_builtin(program) => {
                if matches!(program, "mapfile" | "readarray" | "compgen" | "complete") {
                    // Bash adds words of its own behind the command.
                    text.push_str(" \"$@\"");
                }
                walker.called_back(&text, by);
            }
            (_, Place::Here) => {
                let positional = match argv.get(at + 1) {
                    _ if !SHELLS.contains(&program) => Vec::new(),
                    // They may stand for more than what becomes `$0`.
                    Some(Arg::Many | Arg::Glob(_)) => vec![Arg::Many],
                    _ => argv.get(at + 2..).unwrap_or_default().to_vec(),
                };
                walker.child_shell(index, Some(positional), |walker| {
                    walker.shell_text(&text, span);
                });
            }
            (_, Place::Elsewhere) => {
                walker.elsewhere(None, |walker| walker.shell_text(&text, span));
            }
        });
        if program != "eval" {
            self.input = input;
        }
    }

    /// Plans text that a builtin runs in this shell, some time later: `trap`, `mapfile -C` and the like.
    fn called_back(&mut self, text: &str, by: Carrier<'_>) {
        // In this shell, once for every few lines.
        let calls_back = matches!(by.program, "mapfile" | "readarray");
        let is_trap = by.program == "trap";
        let runs_between = is_trap && self.traps.last().is_some_and(|trap| !trap.at_end);
        let first = self.plan.commands.len();
        let mut before = self.state.clone();
        before.errexit = false;
        if calls_back || matches!(by.program, "compgen" | "complete") {
            before.positional = None;
        } else if runs_between {
            // Those of a function, where it runs in one.
            before.positional = Some(Rc::from([Arg::Many]));
        }
        let end = self.subshell(|walker| {
            walker.state = before.clone();
            walker.shell_text(text, by.span);
        });
        if runs_between || calls_back {
            self.runs_at_any_time(&before, &end, first, by.span);
        }
    }

    /// Plans what `parallel` makes of its words: a command and, behind `:::`, what is put into it or behind it, or the
    /// commands themselves. Without `:::` they are lines of the input.
    fn parallel(&mut self, words: &[Arg], by: Carrier<'_>) {
        let is_mark = |word: &Arg| matches!(word.known(), Some(":::" | ":::+" | "::::" | "::::+"));
        let end = words.iter().position(is_mark).unwrap_or(words.len());
        let command: Option<Vec<&str>> = words[..end].iter().map(Arg::known).collect();
        let Some(command) = command else { return self.unread(Reason::DynamicCode, by) };
        // A word of several is taken apart, which is seldom what was meant: both are judged.
        let quoted = (command.len() > 1 && command.iter().any(|word| word.contains(' ')))
            .then(|| shell_words::join(&command));
        let command = command.join(" ");
        let given = words.get(end + 1..).unwrap_or_default();
        let is_list = words.get(end).and_then(Arg::known) == Some(":::")
            && given.len() <= TURNS
            && !given.iter().any(is_mark);
        let given: Option<Vec<&str>> =
            if is_list { given.iter().map(Arg::known).collect() } else { None };
        let mut texts: Vec<String> = match given {
            Some(given) if command.is_empty() => given.into_iter().map(str::to_owned).collect(),
            Some(given) => {
                given.iter().map(|word| replaced(&command, &shell_words::quote(word))).collect()
            }
            None if command.is_empty() => return self.unread(Reason::DynamicCommand, by),
            None => vec![replaced(&command, "\"$@\"")],
        };
        texts.extend(quoted);
        // What it runs gets what is left of the input, or nothing.
        let given = if self.input.is_nothing() { Input::nothing() } else { Input::Unknown };
        let input = std::mem::replace(&mut self.input, given);
        for text in texts {
            self.carried_by(by.index, "parallel", |walker| {
                walker.child_shell(by.index, None, |walker| walker.shell_text(&text, by.span));
            });
        }
        self.input = input;
    }

    /// Whether Perl is given modules whose functions are not known, or names of files that it may take for commands: what
    /// begins or ends with a bar is run, what begins with `>` written.
    fn opens_names(&self, index: usize) -> bool {
        let interpretation = &self.plan.commands[index].interpretation;
        let modules = interpretation.given(&["-M", "-m"]);
        let mut modules = modules.map(|option| option.value.as_ref().and_then(Arg::known));
        let is_harmless = |module: &str| {
            ["strict", "warnings", "utf8", "feature=say", "List::Util=", "Scalar::Util="]
                .iter()
                .any(|known| {
                    module == *known || (known.ends_with('=') && module.starts_with(known))
                })
        };
        let touched = interpretation.touches.iter().filter_map(|touch| touch.target.as_ref());
        modules.any(|module| !module.is_some_and(is_harmless))
            || touched.into_iter().any(|name| match name {
                Arg::Known(name) => {
                    let name = name.trim();
                    name.starts_with(['|', '<', '>', '+']) || name.ends_with('|')
                }
                Arg::Glob(name) => {
                    name.starts_with(['*', '?', '[', '|', '<', '>', '+'])
                        || name.ends_with(['*', '?', ']', '|'])
                }
                Arg::Prefix(_) | Arg::Unknown | Arg::Many => true,
            })
    }

    fn script_file(&mut self, file: &Arg, mut start: Start<'_>) {
        let Carrier { index, program, span, .. } = start.by;
        match file.known() {
            // A shell takes this one for the end of its options (bash manual, 6.1).
            Some("-") if SHELLS.contains(&program) && !start.words.is_empty() => {
                let file = start.words.remove(0);
                self.script_file(&file, start);
            }
            Some("-") if !is_builtin(program) => self.standard_input(Some(file), start),
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
                self.standard_input(Some(file), start);
            }
            Some(super::expand::PROCESS) => self.process_substitution(file, start),
            _ if self.follow_environment(file, &start) => {}
            _ if self.follow(file, start) => {}
            _ => {
                self.add_path_effect(index, EffectKind::Execute, file);
                self.opaque(Reason::UnreadScript, span);
                if is_builtin(program) {
                    self.state.taint();
                }
            }
        }
    }

    pub(super) fn unread(&mut self, reason: Reason, by: Carrier<'_>) {
        self.plan.commands[by.index].runs_input = true;
        self.opaque(reason, by.span);
    }
}

/// Puts what a carrier found in the place of a mark, the first of these, and what is not known where a mark stands otherwise. Returns
/// whether there is one.
fn put(words: &mut [Arg], marks: &[&str], found: &Arg) -> bool {
    let mut is_put = false;
    for word in words {
        let Some(text) = word.known() else { continue };
        if marks.iter().any(|mark| text.contains(mark)) {
            is_put = true;
            *word = if text == marks[0] { found.clone() } else { below(text, marks[0], found) };
        }
    }
    is_put
}

/// What is found, by its name below a directory that is written in front of it: `src/{}`. Names that are found lead out of none.
fn below(text: &str, mark: &str, found: &Arg) -> Arg {
    let is_plain = |text: &str| !text.contains(['*', '?', '[', '\\']);
    match (text.strip_suffix(mark), found) {
        (Some(directory), Arg::Glob(names))
            if directory.ends_with('/')
                && is_plain(directory)
                && !directory.contains(mark)
                && !names.split('/').any(|part| part == "..") =>
        {
            Arg::Glob(format!("{directory}{}", names.trim_start_matches("./")))
        }
        _ => Arg::Unknown,
    }
}

/// The command of `parallel` with a word in the place of its marks, or behind it. Marks for a piece of the word give what is not
/// known.
fn replaced(command: &str, word: &str) -> String {
    let (mut text, mut rest) = (String::new(), command);
    let (mut is_marked, mut is_whole) = (false, true);
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let mark = behind.split_once('}');
        if let Some((mark, after)) = mark.filter(|(mark, _)| !mark.contains(char::is_whitespace)) {
            is_marked = true;
            is_whole &= mark.is_empty();
            text.push_str(if mark.is_empty() { word } else { "\"$@\"" });
            rest = after;
        } else {
            text.push('{');
            rest = behind;
        }
    }
    text.push_str(rest);
    match (is_marked, is_whole) {
        (true, true) => text,
        (true, false) => format!("{text} \"$@\""),
        (false, _) => format!("{text} {word}"),
    }
}

/// `ruby -e ONE -e OTHER` is one program of several lines.
fn joined(carried: Vec<Carried>) -> Vec<Carried> {
    let mut joined: Vec<Carried> = Vec::with_capacity(carried.len());
    for one in carried {
        let Carried::Code { text: more, language: of, .. } = &one else {
            // `sh -s` reads its input once, with no operand as well.
            let is_again = matches!(one, Carried::Input { .. }) && joined.contains(&one);
            if !is_again {
                joined.push(one);
            }
            continue;
        };
        let before = joined.iter_mut().find_map(|earlier| match earlier {
            Carried::Code { text, language, .. } if language == of && is_program(*of) => Some(text),
            _ => None,
        });
        match before {
            Some(text) => {
                *text = match (text.known(), more.known()) {
                    (Some(text), Some(more)) => Arg::Known(format!("{text}\n{more}")),
                    _ => Arg::Unknown,
                };
            }
            None => joined.push(one),
        }
    }
    joined
}

/// Languages whose pieces on the line are one program: a name may mean something by an earlier piece.
const fn is_program(language: Language) -> bool {
    matches!(
        language,
        Language::Python | Language::JavaScript | Language::Perl | Language::Ruby | Language::Php
    )
}
