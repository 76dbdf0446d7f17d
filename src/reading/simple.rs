//! Simple commands: which program a name means, what it does, and what it carries.

use std::collections::HashSet;
use std::rc::Rc;

use super::builtins::{is_builtin, is_special, keeps_input};
use super::carry::{Carrier, Lookup};
use super::choices::shown;
use super::declare::is_changed_by_declare;
use super::expand::SOME;
use super::input::{Input, keeps_redirections, takes_input};
use super::linked::is_linked_to;
use super::plan::PlannedCommand;
use super::scripts::guard_called;
use super::secrets::{SecretWords, disclosed, of_parameters, of_word};
use super::state::Value;
use super::walk::Walker;
use super::{hosts, patched, redirect::may_fail, words};
use crate::catalog::{Carried, Interpretation, Place, Touch, UnknownWhat, interpret};
use crate::embedded::is_harmless_with_numbers;
use crate::model::{
    Arg, Effect, EffectKind, Language, PathClass, Reason, Span, Target, TargetKind, path_of_url,
};
use crate::paths::{self, Sign};
use crate::syntax::{
    Construct, Dialect, PartKind, Redirect, SimpleCommand, Treatment, Within, Word,
};

/// How many effects are compared with each other to find those that say the same.
const NEAR: usize = 64;

/// What stands around the words of a command on the line.
#[derive(Default)]
pub(super) struct Around {
    pub(super) span: Span,
    /// Its standard input is a pipe.
    pub(super) is_piped: bool,
    pub(super) effects: Vec<Effect>,
    /// So many of them, the first, are those of its redirections.
    pub(super) opened: usize,
    pub(super) environment: Vec<(String, Arg)>,
    /// What else is known of its words than their text, by the place of each.
    pub(super) notes: Vec<(usize, words::Note)>,
    /// The words that hold a secret, and the variable that it comes from.
    pub(super) secrets: SecretWords,
}

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand, redirects: &[Redirect], span: Span) {
        let names = shown(simple, redirects);
        if self.for_each_value(&names, |walker| walker.simple(simple, redirects, span)) {
            return;
        }
        let outer_sources = std::mem::take(&mut self.sources);
        let outer_process = std::mem::replace(&mut self.process, Input::Unknown);
        let outer_input = self.input.clone();
        let outer_names = self.names.clone();
        let is_piped = std::mem::take(&mut self.is_piped);
        self.secret = None;
        let mut around = Around { span, is_piped, ..Around::default() };
        let argv = self.command_words(&simple.words, &mut around);
        // Alone, they come first in bash; elsewhere that is not said (POSIX 2.9.1).
        let is_bare = argv.is_empty();
        if is_bare {
            if self.dialect == Dialect::Bash || redirects.is_empty() {
                self.assign(&simple.assignments, &mut around);
            } else {
                self.perhaps(|walker| walker.assign(&simple.assignments, &mut around));
            }
        }
        // For a program, redirections are made in its own process: what they assign may be gone.
        let (effects, opened) = match redirects {
            [] => (Vec::new(), 0),
            redirects => self.perhaps(|walker| walker.redirects(redirects)),
        };
        self.join_pipe(is_piped, redirects);
        let skipped = redirects.iter().any(may_fail).then(|| self.state.clone());
        let program = argv.first().and_then(Arg::known).unwrap_or("");
        let keeps_input = is_bare || keeps_input(program);
        around.opened = opened;
        around.effects = effects;
        if keeps_redirections(&argv) && redirects.iter().any(takes_input) {
            // Whoever reads next gets it.
            around.effects.extend(self.secret_of_input().map(|of| disclosed(of.to_owned())));
        }
        let takes_input = redirects.iter().any(takes_input);
        let shares_input = self.shares_input(redirects);
        let keeps_redirections = keeps_redirections(&argv);
        // Whether assignments or redirections come first is not the same in every shell.
        let redirected = (takes_input && self.input != outer_input)
            .then(|| std::mem::replace(&mut self.input, Input::Unknown));
        if is_bare {
            // Words that come to nothing leave redirections alone.
            let is_null = !simple.words.is_empty() && !redirects.is_empty();
            if is_null && self.dialect.treats(Construct::NullCommand) == Treatment::Opaque {
                self.opaque(Reason::OtherShell, span);
            }
            self.assignments(&mut around);
        } else {
            self.run_with_assignments(simple, argv, around, redirected);
        }
        // A builtin or function whose redirection fails does nothing.
        if let Some(skipped) = skipped.filter(|skipped| !self.state.same(skipped)) {
            self.state.merge(&skipped);
        }
        if takes_input && keeps_redirections {
            self.input = Input::Unknown;
        } else if takes_input {
            self.input = self.left_of(outer_input, shares_input);
            self.names = outer_names;
        } else if self.input.is_used_up() && (!keeps_input || self.state.journal.reads()) {
            self.input = Input::Unknown;
        }
        self.sources = outer_sources;
        self.process = outer_process;
    }

    /// Runs a command with the assignments before it, which do not reach its words. A program gets them, and what runs in this shell
    /// sees them; they are gone behind it.
    fn run_with_assignments(
        &mut self,
        simple: &SimpleCommand,
        argv: Vec<Arg>,
        mut around: Around,
        redirected: Option<Input>,
    ) {
        let program = argv[0].known().unwrap_or("");
        let names = simple.assignments.iter().map(|assignment| &*assignment.name);
        let before = self.state.values(names);
        let mut given = Vec::new();
        for assignment in &simple.assignments {
            self.secret = None;
            let value = self.assigned(assignment);
            given.extend(self.secret.take().map(|of| (&*assignment.name, of)));
            // What a command is given is text.
            self.state.may_keep_text(&assignment.name);
            self.state.set(&assignment.name, value.clone());
            around.environment.push((assignment.name.clone(), value.word()));
        }
        if let Some(redirected) = redirected {
            self.input = redirected;
        }
        let is_function = self.state.functions(program).is_some();
        let names = around.environment.iter().map(|(name, _)| &**name);
        let lent = (is_function || is_builtin(program)).then(|| self.state.lend(names));
        if lent.is_none() {
            self.state.put_back(&before);
        }
        for (name, of) in &given {
            self.state.set_secret(name, of);
        }
        let last = of_word(&around.secrets, Some(argv.len() - 1)).cloned();
        self.array_words(simple);
        let placed = around.environment.iter().any(|(name, _)| decides_where(name));
        let moves = argv.iter().any(|word| matches!(word.known(), Some("cd" | "pushd")));
        let directories = self.state.directories.clone();
        let keeps = self.models(Construct::KeptAssignment) && (is_function || is_special(program))
            || is_changed_by_declare(program)
            || matches!(program, "export" | "readonly" | "unset" | "command" | "builtin");
        self.run(argv, around, Lookup::Functions);
        for (name, _) in &given {
            self.state.drop_secret(name);
        }
        match last {
            Some(of) => self.state.set_secret("_", &of),
            None => self.state.drop_secret("_"),
        }
        if let Some(lent) = lent {
            self.state.take_back(&before, &lent, keeps);
        }
        if placed && (moves || self.state.directories != directories) {
            self.state.directories = vec![None];
        }
    }

    /// Whether a name is looked for where nobody has looked: an entry of the caller's `PATH` is no whole path, and another directory was entered.
    fn leads_elsewhere(&self, name: &str) -> bool {
        let is_here = |directory: &Option<String>| *directory == self.facts.cwd;
        // In most lines nothing is entered, and their `PATH` is not looked at.
        if name.contains('/') || self.state.directories.iter().all(is_here) {
            return false;
        }
        let search = self.facts.environment.get("PATH").map_or("", String::as_str);
        !search.is_empty() && search.split(':').any(|entry| !entry.starts_with('/'))
    }

    /// Finds out what a command is and plans it with all that it carries.
    pub(super) fn run(&mut self, mut argv: Vec<Arg>, mut around: Around, lookup: Lookup) {
        self.find_secrets(&argv, &mut around.secrets);
        let Some(name) = argv.first().and_then(Arg::known).map(str::to_owned) else {
            self.opaque(Reason::DynamicCommand, around.span);
            let index = self.push(argv, Interpretation::default(), around);
            self.plan.commands[index].runs_input = true;
            return;
        };
        if lookup == Lookup::Functions
            && let Some(bodies) = self.state.functions(&name).cloned()
        {
            let (span, secrets) = (around.span, std::mem::take(&mut around.secrets));
            let is_idle = around.effects.is_empty() && around.environment.is_empty();
            if !is_idle || !self.sources.is_empty() {
                self.push(Vec::new(), Interpretation::default(), around);
            }
            if self.state.is_shadowed(&name) {
                self.opaque(Reason::ShadowedName, span);
            }
            let before = self.state.is_unsure(&name).then(|| self.state.clone());
            let parameters = self.state.exchange_parameters(of_parameters(&secrets, 0));
            self.call(&name, &bodies, &argv, span);
            self.state.exchange_parameters(parameters);
            if let Some(before) = before {
                // It may as well be the program that is called so.
                let called = std::mem::replace(&mut self.state, before);
                let around = Around { span, secrets, ..Around::default() };
                self.run(argv, around, Lookup::Programs);
                self.state.merge(&called);
            }
            return;
        }
        let (program, is_file, is_certain) = self.resolve(&name);
        let tool = if is_file { self.tool(&name) } else { None };
        let (program, is_file) = match &tool {
            Some((_, tool)) => (tool.clone(), false),
            None => (program, is_file),
        };
        let is_builtin = is_builtin(&name)
            || (self.dialect == Dialect::Zsh && matches!(&*name, "setopt" | "unsetopt"));
        let within = if self.calls.is_empty() { Within::Script } else { Within::Function };
        let is_otherwise = self.dialect.runs_otherwise(&name, &argv[1..], within);
        if is_otherwise {
            self.opaque(Reason::OtherShell, around.span);
        }
        let is_elsewhere = || self.state.is_shadowed("*") || self.leads_elsewhere(&name);
        if self.state.is_shadowed(&name) || (!is_builtin && is_elsewhere()) {
            self.opaque(Reason::ShadowedName, around.span);
        }
        let mut interpretation = if is_file {
            Interpretation::default()
        } else {
            let typed = std::mem::replace(&mut argv[0], Arg::Known(program.clone()));
            let one = around.notes.iter().filter(|(_, note)| note.is_one);
            let one: Vec<usize> = one.map(|(index, _)| *index).collect();
            let interpretation = interpret(&argv, &one);
            argv[0] = typed;
            interpretation
        };
        if hosts::stays_here(&interpretation, &argv) {
            interpretation.touches.retain(|touch| touch.kind != EffectKind::Remote);
        }
        hosts::take_as_here(&mut interpretation, self.facts.home.as_deref());
        if self.has_program(&interpretation) {
            interpretation.touches.retain(|touch| touch.kind != EffectKind::Install);
        }
        if self.takes_from_script(&argv, &interpretation) {
            self.opaque(Reason::UnreadInput, around.span);
        }
        let mut carried = std::mem::take(&mut interpretation.carried);
        let directories = self.entered(&interpretation);
        let (notes, secrets) = (std::mem::take(&mut around.notes), around.secrets.clone());
        // They stand in the order of the words.
        let note = |index: Option<usize>| {
            let at = notes.binary_search_by_key(&index?, |(index, _)| *index).ok()?;
            Some(&notes[at].1)
        };
        let is_process = |index| note(index).is_some_and(|note| note.is_process);
        // None of these programs takes an option that is a digit: what is no code is refused.
        let mut numbered = Vec::new();
        carried.retain(|one| {
            let Carried::Code { text, language, index } = one else { return true };
            let code = note(Some(*index)).and_then(|note| note.numbered.as_deref());
            // If that is no option, the next word is no program.
            let is_next = interpretation.operands.iter().any(|(operand, _)| operand == index);
            if is_next
                && !numbered.is_empty()
                && matches!(language, Language::Sed | Language::Awk | Language::Jq)
            {
                return false;
            }
            let is_harmless = argv.get(*index) == Some(text)
                && code.is_some_and(|code| is_harmless_with_numbers(code, SOME, *language));
            numbered.extend(is_harmless.then_some(*index));
            !is_harmless
        });
        interpretation.unknown.retain(|part| {
            // Digits are no option.
            let is_name = note(part.index).is_some_and(|note| note.is_name || note.is_process);
            let is_code = part.index.is_some_and(|index| numbered.contains(&index));
            part.what != UnknownWhat::MaybeOption
                || !(is_name || is_code || self.is_there(part.index, &argv))
        });
        let misplaced = self.misplaced(&interpretation.plain, &directories);
        interpretation.unknown.extend(misplaced);
        let mut said = HashSet::new();
        for touch in &interpretation.touches {
            // What searches the working directory on its own account does so where nothing comes through a pipe.
            let is_implied = touch.kind == EffectKind::Read && touch.index.is_none();
            if is_implied && around.is_piped && interpretation.reads_input {
                continue;
            }
            if touch.kind == EffectKind::Signal && (is_process(touch.index) || is_job(touch)) {
                continue;
            }
            // Among very many words, what is said again is not looked up again.
            let is_new = interpretation.touches.len() <= NEAR
                || touch.target.is_none()
                || touch.kind.target_kind() != TargetKind::Path
                || said.insert((touch.kind, &touch.target));
            if is_new
                && self.is_meant(touch, &interpretation, &argv, &directories)
                && !is_linked_to(touch, &interpretation, &argv)
            {
                self.touch(touch, &directories, &mut around.effects);
            }
            if let Some(name) = of_word(&secrets, touch.index)
                && matches!(
                    touch.kind,
                    EffectKind::Connect | EffectKind::Fetch | EffectKind::Send | EffectKind::Remote
                )
            {
                around.effects.push(disclosed(name.clone()));
            }
            if let Some(word) = note(touch.index).and_then(|note| note.bare.as_ref()) {
                left_over(touch.kind, word, &mut around.effects);
            }
        }
        let put = self.put_into(&interpretation, &argv, &directories);
        let mut written = put.clone();
        written.extend(hosts::downloaded(&interpretation));
        written.extend(self.named_by_itself(&interpretation, &argv, &around.environment));
        for name in written {
            self.path_effects_in(EffectKind::Write, &name, &directories, &mut around.effects);
        }
        self.become_of_directories(
            &interpretation,
            &argv,
            (&put, &directories),
            &mut around.effects,
        );
        self.found_and_deleted(&interpretation, &argv, &mut around.effects);
        self.searched_by_name(&interpretation, &argv, &mut around.effects);
        self.named_by_variables(&interpretation, &directories, &mut around);
        self.unpacked(&interpretation, &argv, &mut around.effects);
        self.changed_where_told(&interpretation, &directories, &mut around.effects);
        self.read_for_code(&interpretation, &carried, &directories, &mut around.effects);
        self.directed(&interpretation, &argv, &directories, &mut around.effects);
        let printed = self.printed_secret(&argv, &interpretation, &carried, &secrets);
        around.effects.extend(printed.map(disclosed));
        self.give_secrets(&carried, &secrets);
        let span = around.span;
        if tool.is_some() {
            around.effects.push(Effect { kind: EffectKind::Build, target: Target::None });
        }
        let is_patch = patched::applies(&interpretation);
        if !is_builtin && !is_file && is_certain && carried.is_empty() && tool.is_none() {
            let index = self.push(argv, interpretation, around);
            self.plan.commands[index].directories = directories;
            self.note_links(index);
            self.note_where_it_is_moved(index);
            if is_patch {
                self.patched(index);
            }
            self.run_written_code(Carrier { index, program: &program, argv: &[], span });
            return;
        }
        let index = self.push(argv.clone(), interpretation, around);
        self.plan.commands[index].directories = directories;
        self.note_links(index);
        if let Some((path, _)) = tool {
            self.relies_on(path, index, span);
        }
        let is_followed = is_certain
            && (!is_file
                || self.follow_program(&argv, index, span)
                || self.follow_built(&argv[0], index, span));
        if !is_followed {
            self.add_path_effect(index, EffectKind::Execute, &argv[0]);
        }
        if is_builtin {
            self.builtin(&name, &argv, span);
            self.keep_secrets(&name, &argv, &secrets);
        }
        let by = Carrier { index, program: &program, argv: &argv, span };
        self.carry(by, carried);
        self.run_written_code(by);
    }

    /// Whether a word is a pattern that begins with a wildcard and stands for names that are there, none of them with a dash.
    fn is_there(&self, index: Option<usize>, argv: &[Arg]) -> bool {
        let word = index.and_then(|index| argv.get(index));
        matches!(word, Some(Arg::Glob(pattern)) if pattern.starts_with(['*', '?', '[']))
            && !self.may_have_dashes(&self.state.directories, ".")
    }

    /// Returns the file and the name of a tool of the workspace, if `name` is one.
    fn tool(&self, name: &str) -> Option<(String, String)> {
        let [Some(directory)] = self.state.directories.as_slice() else { return None };
        if self.place != Place::Here || !name.contains('/') {
            return None;
        }
        let path = paths::absolute(directory, name);
        let tool = paths::workspace_tool(&path, self.facts)?.to_owned();
        Some((path, tool))
    }

    /// Returns the catalog's name of a program, whether it is a file that is none of the system's programs, and
    /// whether the way to it is plain.
    fn resolve(&self, name: &str) -> (String, bool, bool) {
        if let Some(program) = paths::system_program(name) {
            return (program.to_owned(), false, true);
        }
        if name.contains('/') {
            // A way over `..` or from another directory may lead to the system's program, or to another by a link.
            let base = self.state.directories.first().and_then(Option::as_deref);
            let path = paths::absolute(base.unwrap_or("/"), name);
            return match paths::system_program(&path) {
                Some(program) => (program.to_owned(), false, false),
                None => match self.guard_called(&path) {
                    Some(program) => (program.to_owned(), false, true),
                    None => (name.to_owned(), true, true),
                },
            };
        }
        let loose = self.facts.loose_programs.iter().any(|program| program == name);
        (name.to_owned(), loose, true)
    }

    fn guard_called<'p>(&self, path: &'p str) -> Option<&'p str> {
        (self.place == Place::Here).then(|| guard_called(path, self.facts, self.scripts)).flatten()
    }

    /// Adds a command to the plan with its effects, unknown parts and flows.
    pub(super) fn push(
        &mut self,
        argv: Vec<Arg>,
        interpretation: Interpretation,
        around: Around,
    ) -> usize {
        let sources = std::mem::take(&mut self.sources);
        let span = around.span;
        let index = self.add(argv, interpretation, around);
        self.link(sources, index);
        self.set_environment(index, span);
        index
    }

    /// Adds a command to the plan with what is known of it alone.
    pub(super) fn add(
        &mut self,
        argv: Vec<Arg>,
        interpretation: Interpretation,
        around: Around,
    ) -> usize {
        let unknown = interpretation.unknown.iter().map(|part| describe(part, &argv)).collect();
        let exported = self.state.exported_words();
        let last = self.plan.commands.last().map(|last| &last.exported);
        let exported = match last.filter(|last| last[..] == exported[..]) {
            Some(last) => Rc::clone(last),
            None => exported.into(),
        };
        self.plan.commands.push(PlannedCommand {
            span: self.span(around.span),
            argv,
            interpretation,
            opened: around.opened,
            effects: around.effects,
            via: self.via.clone(),
            parent: self.parent,
            place: self.place,
            environment: around.environment,
            exported,
            directories: self.state.directories.clone(),
            unknown,
            runs_input: false,
            builds: Vec::new(),
            in_recipe: self.recipes.depth > 0,
            holds_given: self.recipes.holds_given,
            given: self.recipes.given_words(),
            secrets: around.secrets,
        });
        self.plan.commands.len() - 1
    }

    /// Says of a command what its variables do; what one of them does may depend on the others.
    fn set_environment(&mut self, index: usize, span: Span) {
        let environment = self.plan.commands[index].environment.clone();
        // Splitting elsewhere is what `IFS=, read` is for, and ends with it.
        let splits = matches!(
            self.plan.commands[index].program(),
            Some("read" | "mapfile" | "readarray" | "set" | "printf" | "echo")
        );
        let is_program = self.plan.commands[index]
            .program()
            .is_some_and(|program| !super::builtins::is_builtin(program));
        for (name, value) in environment.iter().filter(|(name, _)| !(splits && name == "IFS")) {
            self.variable_effects(index, name, value, span);
        }
        if !is_program {
            return;
        }
        let effects = self.given_by_names(&environment);
        self.plan.commands[index].effects.extend(effects);
        let exported = Rc::clone(&self.plan.commands[index].exported);
        if !exported.is_empty() && !self.is_given_before(index, &exported) {
            let effects = self.given_by_names(&exported);
            self.plan.commands[index].add(effects);
        }
    }

    /// Returns what is done by variables that nothing is known of but their names.
    fn given_by_names(&self, variables: &[(String, Arg)]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (name, value) in variables.iter().filter(|(name, _)| !crate::variables::is_known(name))
        {
            self.given_by_name(name, value, &mut effects);
        }
        effects
    }

    /// Whether a program near before a command got the same variables that the line exported.
    fn is_given_before(&self, index: usize, exported: &Rc<[(String, Arg)]>) -> bool {
        let before = self.plan.commands[..index].iter().rev().take(NEAR);
        let mut same = before.take_while(|command| Rc::ptr_eq(&command.exported, exported));
        same.any(|command| command.program().is_some_and(|it| !super::builtins::is_builtin(it)))
    }

    /// The directories in which a command's relative operands stand: behind `git -C DIR`, below DIR.
    pub(super) fn entered(&self, interpretation: &Interpretation) -> Vec<Option<String>> {
        let mut directories = self.state.directories.clone();
        // Of several, only some programs go into one after the other.
        let all = interpretation.enters.as_slice();
        let last = matches!(interpretation.program.as_str(), "env" | "patch");
        let enters = if last { &all[all.len().saturating_sub(1)..] } else { all };
        if enters.is_empty() {
            return directories;
        }
        for entered in enters {
            for directory in &mut directories {
                let to = entered.known();
                *directory = to.and_then(|to| paths::below(directory.as_deref(), to));
            }
        }
        // What these name themselves is not there, but where they were called.
        if matches!(interpretation.program.as_str(), "tar" | "gtar" | "bsdtar") {
            let here = self.state.directories.iter().filter(|here| !directories.contains(here));
            let here: Vec<_> = here.cloned().collect();
            directories.extend(here);
        }
        self.led(directories)
    }

    pub(super) fn touch(
        &self,
        touch: &Touch,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let Some(target) = &touch.target else {
            self.untargeted(touch.kind, directories, effects);
            return;
        };
        match touch.kind.target_kind() {
            TargetKind::Path => {
                self.path_effects_in(touch.kind, target, directories, effects);
            }
            TargetKind::Host => {
                // `file://` is no host: what it names is read, or written.
                if let Some(path) = path_of_url(target.prefix()) {
                    let is_sent = touch.kind == EffectKind::Send;
                    let kind = if is_sent { EffectKind::Write } else { EffectKind::Read };
                    // Patterns of addresses stand for any (curl(1), URL globbing).
                    let is_known = target.known().is_some() && !path.contains(['{', '[']);
                    let named = if is_known { Arg::Known(path.clone()) } else { Arg::Unknown };
                    self.path_effects_in(kind, &named, directories, effects);
                    if is_sent && path.ends_with('/') {
                        let inside = Arg::Glob(format!("{path}*"));
                        self.path_effects_in(kind, &inside, directories, effects);
                    }
                    return;
                }
                if matches!(touch.kind, EffectKind::Fetch | EffectKind::Send) {
                    self.served_here(touch.kind, target, directories, effects);
                }
                let target = Target::Host { host: hosts::host(target) };
                effects.push(Effect { kind: touch.kind, target });
            }
            TargetKind::Text => {
                let text = target.known().map(str::to_owned);
                effects.push(Effect { kind: touch.kind, target: Target::Text { text } });
            }
        }
    }

    /// What a program does without naming a path, it does in its working directory.
    fn untargeted(
        &self,
        kind: EffectKind,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        match kind {
            EffectKind::Execute | EffectKind::Mount => {
                let target = Target::Path { path: None, class: PathClass::Unknown };
                effects.push(Effect { kind, target });
            }
            // Something in it is made or changed.
            EffectKind::Write | EffectKind::Append => {
                let inside = Arg::Known("./_".to_owned());
                let mut found = Vec::new();
                self.path_effects_in(kind, &inside, directories, &mut found);
                for effect in &mut found {
                    if let Target::Path { path: Some(path), .. } = &mut effect.target {
                        path.truncate(path.len() - "/_".len());
                    }
                }
                effects.extend(found);
            }
            _ if kind.target_kind() == TargetKind::Path => {
                self.path_effects_in(kind, &Arg::Known(".".to_owned()), directories, effects);
            }
            _ => effects.push(Effect { kind, target: Target::None }),
        }
    }

    /// Adds the effect on the path that `target` names from here.
    pub(super) fn path_effect(&self, kind: EffectKind, target: &Arg, effects: &mut Vec<Effect>) {
        self.path_effects_in(kind, target, &self.state.directories, effects);
    }

    /// Adds the effect on the path that `target` names from each of `directories`.
    pub(super) fn path_effects_in(
        &self,
        kind: EffectKind,
        target: &Arg,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let mut push = |target: Target| {
            let effect = Effect { kind, target };
            // Roles of one word may say the same, and words of one command; among very many it is not looked for.
            if effects.len() > NEAR || !effects.contains(&effect) {
                effects.push(effect);
            }
        };
        let Some(text) = target.pattern() else {
            // `/dev/sd$x` is a device whatever follows.
            let device = target.prefix().starts_with("/dev/");
            let class = if device { PathClass::Device } else { PathClass::Unknown };
            push(Target::Path { path: None, class });
            return;
        };
        // What is quoted, some programs expand themselves.
        let home = self.facts.home.as_ref().filter(|_| !super::linked::takes_away(kind));
        if let (Some(below), Some(home)) = (below_home(text), home) {
            let path = paths::absolute(home, below.trim_start_matches('/'));
            let class = self.class(kind, &path);
            push(Target::Path { path: Some(path), class });
        }
        for directory in directories {
            let path = paths::below(directory.as_deref(), text);
            let class = path.as_deref().map_or(PathClass::Unknown, |path| self.class(kind, path));
            let named = Target::Path { path, class };
            let behind = self.behind_links(kind, directory.as_deref().unwrap_or("/"), text, &named);
            let stood_for = |named: &Target| match named {
                Target::Path { path: Some(path), .. } => self.stood_for(kind, target, path),
                _ => Vec::new(),
            };
            let mut more = stood_for(&named);
            more.extend(behind.iter().flat_map(stood_for));
            push(named);
            behind.into_iter().chain(more).for_each(&mut push);
        }
    }

    /// Returns the class of an absolute path, for an effect of this kind.
    pub(super) fn class(&self, kind: EffectKind, path: &str) -> PathClass {
        if self.place == Place::Elsewhere {
            let nowhere = crate::model::Facts::default();
            let class = paths::classify(path, &nowhere);
            // `/app` is a container's own, what every machine has is not.
            let is_own = class == PathClass::Root
                && path != "/"
                && !path.contains(['*', '?', '['])
                && !paths::SYSTEM_DIRECTORIES.contains(&path);
            return if is_own && kind == EffectKind::Read { PathClass::Outside } else { class };
        }
        let class = paths::class_for(kind, path, self.facts);
        let is_told = kind == EffectKind::Read
            && class != PathClass::Secret
            && paths::signs(path, self.facts).contains(&Sign::Token)
            && self.scripts.holds_token(path);
        if is_told { PathClass::Secret } else { class }
    }

    /// Whether who reads a file reads secrets, as its name says, or a look at it.
    pub(super) fn is_secret(&self, path: &str) -> bool {
        self.class(EffectKind::Read, path) == PathClass::Secret
    }
}

/// Returns what of a text stands behind the home, where it is written as shells would expand it.
fn below_home(text: &str) -> Option<&str> {
    let below = ["~", "$HOME", "${HOME}"].iter().find_map(|home| text.strip_prefix(home))?;
    (below.is_empty() || below.starts_with('/')).then_some(below)
}

/// What is destroyed if a variable at the beginning of a path is not set, where that is the root or stands below it.
fn left_over(kind: EffectKind, word: &Arg, effects: &mut Vec<Effect>) {
    let destroys = matches!(
        kind,
        EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Move | EffectKind::PermissionTree
    );
    let path = match word {
        Arg::Known(text) | Arg::Glob(text) if destroys && text.starts_with('/') => text,
        _ => return,
    };
    let path = paths::absolute("/", path);
    let is_top = matches!(path.as_str(), "/" | "/*" | "/." | "/.*" | "/**")
        || paths::SYSTEM_DIRECTORIES.contains(&path.trim_end_matches("/*"));
    if is_top {
        effects.push(Effect {
            kind,
            target: Target::Path { path: Some(path), class: PathClass::Root },
        });
    }
}

/// Whether what is signalled is a job of this shell (`kill %1`).
fn is_job(touch: &Touch) -> bool {
    touch.target.as_ref().and_then(Arg::known).is_some_and(|word| word.starts_with('%'))
}

fn describe(part: &crate::catalog::UnknownPart, argv: &[Arg]) -> String {
    let word = part
        .index
        .and_then(|index| argv.get(index))
        .and_then(Arg::known)
        .map_or_else(String::new, |word| format!(" '{word}'"));
    let program = argv.first().and_then(Arg::known).unwrap_or("?");
    match part.what {
        UnknownWhat::Program => format!("guarded-sh does not know '{program}'"),
        UnknownWhat::Subcommand => format!("subcommand{word} of '{program}' is not known"),
        UnknownWhat::Option => format!("option{word} of '{program}' is not known"),
        UnknownWhat::Operand => format!("operand{word} of '{program}' is not known"),
        UnknownWhat::Value => format!("value in{word} of '{program}' is not known to be harmless"),
        UnknownWhat::Foreign => format!("what{word} means to '{program}' is not known"),
        UnknownWhat::MaybeOption => {
            format!("a word of '{program}' is only known when it runs, and could be an option")
        }
    }
}

impl Walker<'_> {
    /// Arrays of declaration builtins (`declare a=(x y)`) set variables.
    fn array_words(&mut self, simple: &SimpleCommand) {
        for word in &simple.words {
            let [name, array] = word.parts.as_slice() else { continue };
            let (PartKind::Literal(name), PartKind::Array(elements)) = (&name.kind, &array.kind)
            else {
                continue;
            };
            let name = name.trim_end_matches('=').trim_end_matches('+');
            let declares = simple.words.first().and_then(Word::literal);
            if matches!(declares.as_deref(), Some("local" | "declare" | "typeset"))
                && !self.calls.is_empty()
            {
                self.state.localise(name);
            }
            self.becomes_array(name);
            let values: Vec<Word> = elements.iter().map(|(_, value)| value.clone()).collect();
            let indexed = elements.iter().any(|(index, _)| index.is_some());
            let values = self.arguments(&values);
            let value = if indexed { Value::Unknown } else { Value::Array(values) };
            self.state.set(name, value);
        }
    }
}

/// Variables by which `cd` goes elsewhere than to what its operand says.
fn decides_where(name: &str) -> bool {
    matches!(name, "CDPATH" | "HOME" | "OLDPWD" | "PWD")
}
