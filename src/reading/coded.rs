//! Code in other languages than shell: what programs are given, and what the line itself writes where builds and tests find it.

use std::collections::HashSet;

use super::builtins::is_builtin;
use super::carry::Carrier;
use super::endless::fills_memory;
use super::input::Input;
use super::modules::Beside;
use super::scripts::Program;
use super::walk::Walker;
use crate::catalog::Touch;
use crate::embedded::{self, Found, NoModules};
use crate::model::{Arg, Effect, EffectKind, Language, PathClass, ProgramTrait, Reason, Target};
use crate::paths::absolute;
use crate::recipes::is_found_by_runners;

/// How much code in other languages one line carries at most. Each program has limits of its own; this many bytes of the
/// densest take 150 ms together.
const MAX_INNER_BYTES: usize = 128 << 10;

impl Walker<'_> {
    /// Reads code in a language of which something is known; the rest is opaque.
    pub(super) fn code(&mut self, given: Program<'_>, by: Carrier<'_>) {
        let Program { text, language, file } = given;
        let Carrier { index, program, span, .. } = by;
        if language == Language::Shell {
            self.carried_by(index, program, |walker| {
                if is_builtin(program) {
                    walker.subshell(|walker| walker.shell_text(text, span));
                } else {
                    // Which of its words are parameters, `-s` and what stands before them decide.
                    walker.child_shell(index, None, |walker| walker.shell_text(text, span));
                }
            });
            return;
        }
        if !self.has_room_for_code(text) {
            return self.unread(Reason::TooLong, by);
        }
        let home = self.facts.home.as_deref();
        let mut modules = Beside::new(self, index, span, language, file);
        let Some(found) = embedded::read(text, language, home, &mut modules) else {
            return self.unread(Reason::UnreadCode, by);
        };
        self.does(found, text, language, by);
    }

    /// Plans what was found in code that a command runs.
    fn does(&mut self, found: Found, text: &str, language: Language, by: Carrier<'_>) {
        let Carrier { index, program, span, .. } = by;
        // Nothing changes in a database that is opened for reading (SQLite's and DuckDB's manuals of their shells, `-readonly`).
        let is_refused = matches!(program, "sqlite3" | "duckdb")
            && self.gives(index, &["-readonly"])
            && found.changes_only_database();
        let mut effects: Vec<Effect> = Vec::new();
        for (kind, target) in found.effects {
            let kind = if is_refused { EffectKind::DatabaseRead } else { kind };
            match target {
                None => effects.push(Effect { kind, target: Target::None }),
                target => {
                    for target in self.through_hidden(target) {
                        let touch = Touch { kind, target, index: None };
                        self.touch(&touch, &self.state.directories, &mut effects);
                    }
                }
            }
        }
        if embedded::grows_without_end(text, language) {
            effects.push(fills_memory());
        }
        only_hooks_below(&mut effects);
        self.only_what_holds_text(&mut effects);
        if text.to_ascii_lowercase().contains("symlink") {
            self.note_links_at(&effects);
        }
        let interpretation = &self.plan.commands[index].interpretation;
        self.unpacked(interpretation, &self.plan.commands[index].argv, &mut effects);
        if found.commands.is_empty() && found.argvs.is_empty() {
            effects.extend(self.replaced_by_code(&effects));
        }
        self.plan.commands[index].effects.extend(effects);
        if language == Language::Sed {
            self.leaves_in_place(index, text);
        }
        if found.unread
            || (language == Language::Python && self.shadows_module(&found.modules, index, span))
        {
            self.unread(Reason::UnreadCode, by);
        }
        // What is left of the input when the code runs is not known.
        let input = std::mem::replace(&mut self.input, Input::Unknown);
        for command in found.commands {
            match command {
                Some(command) => {
                    self.carried_by(index, program, |walker| {
                        walker.child_shell(index, None, |walker| walker.shell_text(&command, span));
                    });
                }
                None => self.unread(Reason::DynamicCode, by),
            }
        }
        for words in found.argvs {
            self.carried_argv(words, Vec::new(), by);
        }
        self.input = input;
    }

    /// Counts a program in another language; returns whether it is not too much for one line.
    pub(super) fn has_room_for_code(&mut self, text: &str) -> bool {
        self.inner_bytes = self.inner_bytes.saturating_add(text.len());
        self.inner_bytes <= MAX_INNER_BYTES
    }

    /// Plans what a command runs of the code that the line wrote before, where it builds, tests or runs the workspace around.
    pub(super) fn run_written_code(&mut self, by: Carrier<'_>) {
        if self.written.is_empty() || !self.plan.note_built(by.index, self.facts) {
            return;
        }
        let mut known: HashSet<&str> = HashSet::new();
        let last = self.written.iter().rev().filter(|written| known.insert(&written.path));
        let run = last.filter(|written| self.is_run(&written.path, by.index));
        let run: Vec<_> = run.map(|it| (it.path.clone(), it.text.clone())).collect();
        for (path, text) in run {
            if self.following.contains(&path) {
                continue;
            }
            if !self.has_room_for_code(&text) {
                return self.unread(Reason::TooLong, by);
            }
            let language = embedded::language_of_file(&path);
            let home = self.facts.home.as_deref();
            let found = language.and_then(|it| embedded::read(&text, it, home, &mut NoModules));
            match (found, language) {
                (Some(mut found), Some(language)) => {
                    if keep_what_is_known(&mut found) && embedded::calls_for_harm(&text, &path) {
                        let file = Arg::Known(path.clone());
                        self.add_path_effect(by.index, EffectKind::Execute, &file);
                    }
                    self.following.push(path);
                    self.does(found, &text, language, by);
                    self.following.pop();
                }
                _ if embedded::calls_for_harm(&text, &path) => {
                    self.add_path_effect(by.index, EffectKind::Execute, &Arg::Known(path));
                }
                _ => {}
            }
        }
    }

    /// Whether a command that builds, tests or runs a workspace runs what stands in a file of it.
    fn is_run(&self, path: &str, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        let is_test = |(at, role): &(usize, String)| {
            let word = command.argv.get(*at).and_then(Arg::known).filter(|_| role == "tests");
            let here = command.directories.iter().flatten();
            word.is_some_and(|word| here.into_iter().any(|it| absolute(it, word) == path))
        };
        let compiles =
            interpretation.is(ProgramTrait::RunsSources) || interpretation.program.is_empty();
        command.runs_code_of(path)
            && (compiles && embedded::is_compiled(path)
                || interpretation.operands.iter().any(is_test)
                || is_found_by_runners(path))
    }
}

/// Leaves of what code does that only a runner starts what is done to files and by programs that it names: what else it is given, the
/// runner knows. Returns whether something is gone that runs what is not known, or deletes it.
fn keep_what_is_known(found: &mut Found) -> bool {
    use EffectKind::{
        Append, Delete, DeleteTree, Empty, Move, Permission, PermissionTree, Read, Write,
    };
    let is_gone = found.commands.contains(&None)
        || found.effects.iter().any(|(kind, target)| {
            let is_open = !matches!(target, Some(Arg::Known(_) | Arg::Glob(_) | Arg::Prefix(_)));
            is_open && matches!(kind, Delete | DeleteTree | Empty)
        });
    found.unread = false;
    found.modules.clear();
    found.commands.retain(Option::is_some);
    found.argvs.retain(|argv| argv.first().is_some_and(|program| program.known().is_some()));
    found.effects.retain(|(kind, target)| {
        matches!(target, Some(Arg::Known(_) | Arg::Glob(_) | Arg::Prefix(_)))
            && matches!(
                kind,
                Read | Write
                    | Append
                    | Move
                    | Delete
                    | DeleteTree
                    | Empty
                    | Permission
                    | PermissionTree
            )
    });
    is_gone
}

/// Takes away that something is written below a directory which is written itself, but where that runs by itself, or a tree is copied over
/// a repository.
fn only_hooks_below(effects: &mut Vec<Effect>) {
    let moves = effects.iter().any(|effect| effect.kind == EffectKind::Move);
    let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
    let written: HashSet<String> = written.filter_map(Effect::path).map(str::to_owned).collect();
    effects.retain(|effect| {
        let above = effect.path().and_then(|path| path.strip_suffix("/**"));
        let is_below = above.is_some_and(|above| written.contains(above));
        !(effect.kind == EffectKind::Write && is_below)
            || match effect.target.class() {
                Some(PathClass::Hooks) => true,
                Some(PathClass::Workspace) => !moves,
                _ => false,
            }
    });
}
