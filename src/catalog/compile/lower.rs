//! One program with all its subcommands to records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Faults, Writer, all_names, longest_first, words};
use crate::catalog::compiled::{
    Beside, Choice, Choices, Deed, Harm, Keyword, Meaning, Record, Role, Slot, Starts, Table, Takes,
};
use crate::catalog::schema::{self, Command, OptionSpec, Options, Style};
use crate::model::{EffectKind, Language, ProgramTrait};

/// Options by which programs are told where to work.
const WHERE: &[&str] = &[
    "--manifest-path",
    "--project-dir",
    "--project-directory",
    "--cwd",
    "--dir",
    "--directory",
    "--rootdir",
    "--rootDir",
    "--root-dir",
    "--chdir",
    "-chdir",
    "--working-dir",
    "--working-directory",
    "--workdir",
    "--work-dir",
    "--work-tree",
    "--git-dir",
    "--package-path",
    "--source-dir",
    "--test-dir",
    "--build-file",
];

/// Writes the records of one program.
pub(super) struct Lowering<'l, 'f> {
    writer: &'l mut Writer,
    sets: &'l BTreeMap<String, Options>,
    faults: &'l mut Faults<'f>,
}

/// What a subcommand takes over from its parent.
#[derive(Clone, Copy)]
struct Inherited {
    style: Style,
    exact: bool,
    help: bool,
}

impl<'l, 'f> Lowering<'l, 'f> {
    pub(super) fn new(
        writer: &'l mut Writer,
        sets: &'l BTreeMap<String, Options>,
        faults: &'l mut Faults<'f>,
    ) -> Self {
        Self { writer, sets, faults }
    }

    /// Checks an option set by itself, so that a fault in it is told even if nothing uses it.
    pub(super) fn set(&mut self, name: &str, set: &Options) {
        self.choices(Style::Gnu, &placed(&set_place(name), set));
    }

    /// Writes a program; returns the place of its record.
    pub(super) fn program(&mut self, name: &str, program: &Command) -> u32 {
        self.command(
            name,
            name,
            program,
            Inherited { style: Style::Gnu, exact: false, help: false },
        )
    }

    fn command(&mut self, place: &str, name: &str, command: &Command, from: Inherited) -> u32 {
        let style = command.style.unwrap_or(from.style);
        let exact = command.exact.unwrap_or(from.exact);
        let help = command.help.unwrap_or(from.help);
        let mut sub = BTreeMap::new();
        let mut sub_globs = Vec::new();
        for (key, child) in &command.sub {
            let place = format!("{place} {key}");
            let main = key.split('|').next().unwrap_or(key);
            let at = self.command(&place, main, child, Inherited { style, exact, help });
            for name in all_names(key, child) {
                self.faults.check(&place, words::subcommand_name(name));
                if name.contains('*') {
                    sub_globs.push((name.to_owned(), at));
                } else if sub.insert(name.to_owned(), at).is_some() {
                    self.faults.add(&place, format!("another subcommand is called {name:?}"));
                }
            }
        }
        let sub_globs = longest_first(sub_globs);
        let mut own = placed(place, &command.options);
        own.extend(self.used_sets(place, command));
        let shared = placed(place, &command.shared);
        self.distinct(place, style, own.iter().chain(&shared));
        self.fillings(place, command);
        self.places(place, command, own.iter().chain(&shared));
        let (own, shared) = (self.choices(style, &own), self.choices(style, &shared));
        let record = Record {
            name,
            aliases: command.aliases.iter().map(String::as_str).collect(),
            summary: &command.summary,
            style,
            exact,
            help,
            stops: command.stops,
            named: command
                .named
                .as_ref()
                .and_then(|text| self.faults.check(place, words::role(text))),
            passes_input: command.passes_input,
            passes_environment: command.passes_environment,
            sets: command.sets.iter().map(String::as_str).collect(),
            reads_input: command.reads_input,
            in_repository: command.in_repository,
            traits: self.traits(place, &command.traits),
            bounds: command.bounds.iter().map(String::as_str).collect(),
            endless: command.endless.iter().map(String::as_str).collect(),
            edits: command.edits.iter().map(String::as_str).collect(),
            effects: self.deeds(place, &command.effects),
            operands: self.slots(place, &command.operands),
            beside: self.beside(place, &command.beside),
            bare: self.deeds(place, &command.bare),
            here: self.deeds(place, &command.here),
            options: own.choices(),
            shared: shared.choices(),
            keywords: self.keywords(place, &command.keywords),
            handed: self.keywords(place, &command.handed),
            sub: self.writer.table(sub),
            sub_globs: sub_globs.iter().map(|(name, at)| (name.as_str(), *at)).collect(),
        };
        self.write(place, &record)
    }

    fn write(&mut self, place: &str, record: &impl serde::Serialize) -> u32 {
        let written = self.writer.record(record);
        self.faults.check(place, written).unwrap_or_default()
    }

    fn used_sets(&mut self, place: &str, command: &Command) -> Vec<Placed<'l>> {
        let sets = self.sets;
        let mut used = Vec::new();
        for name in &command.uses {
            match sets.get(name) {
                Some(set) => used.extend(placed(&set_place(name), set)),
                None => self.faults.add(place, format!("uses {name:?}, which is not in `_sets`")),
            }
        }
        used
    }

    /// Complains of two options with the same spelling.
    fn distinct<'o>(
        &mut self,
        place: &str,
        style: Style,
        options: impl Iterator<Item = &'o Placed<'o>>,
    ) {
        let mut names = BTreeSet::new();
        for option in options {
            let own: BTreeSet<_> =
                option.key.split_whitespace().map(|word| normal(word, style)).collect();
            for spelling in own {
                if !names.insert(spelling) {
                    self.faults.add(place, format!("two options are spelled {spelling:?}"));
                }
            }
        }
    }

    fn choices(&mut self, style: Style, options: &[Placed<'_>]) -> Made {
        let mut names = BTreeMap::new();
        let mut made = Made::default();
        for Placed { place, key, spec } in options {
            let Some(choice) = self.choice(place, key, spec) else { continue };
            made.harm = worse(made.harm, harm(&choice));
            let at = self.write(place, &choice);
            for word in key.split_whitespace() {
                self.faults.check(place, words::spelling(word, style));
                match word {
                    "-NUM" => made.minus_number = Some(at),
                    "+NUM" => made.plus_number = Some(at),
                    _ if word.contains('*') => {
                        made.globs.push((normal(word, style).to_owned(), at));
                    }
                    _ => drop(names.insert(normal(word, style).to_owned(), at)),
                }
            }
        }
        made.names = self.writer.table(names);
        made.globs = longest_first(made.globs);
        made
    }

    fn choice<'o>(
        &mut self,
        place: &str,
        key: &'o str,
        spec: &'o OptionSpec,
    ) -> Option<Choice<'o>> {
        if key.is_empty() {
            self.faults.add(place, "an option without a spelling");
        }
        if key.split_whitespace().any(|word| word == "--") && spec.takes != "flag" {
            self.faults.add(place, "`--` takes no value");
        }
        let takes = self.faults.check(place, words::takes(&spec.takes));
        if let Some(takes) = &takes {
            self.names_program(place, key, takes, spec);
        }
        let more = self.meaning(place, spec);
        if !spec.values.is_empty() && matches!(takes, Some(Takes::Flag | Takes::Several(_))) {
            self.faults.add(place, "`values` needs an option that takes one value");
        }
        if spec.values.is_empty() && !spec.otherwise.is_empty() {
            self.faults.add(place, "`otherwise` needs `values`");
        }
        Some(Choice { spellings: key, takes: takes?, more })
    }

    /// Complains of an option that names a program, by its name, and whose value is said to be anything else.
    fn names_program(&mut self, place: &str, key: &str, takes: &Takes, spec: &OptionSpec) {
        let named = key.split_whitespace().find(|word| words::names_program(word));
        let is_said = match takes {
            Takes::Flag => true,
            Takes::Value(role) | Takes::Optional(role) => runs(*role) || !spec.values.is_empty(),
            Takes::Several(roles) => roles.iter().any(|role| runs(*role)),
        };
        if let Some(word) = named
            && !is_said
            && spec.because.is_empty()
        {
            self.faults.add(place, format!("{word} names a program: what is run, and with which words? (`exec`, `exec+`, `shell`…; `because` says why none is)"));
        }
    }

    fn meaning<'o>(&mut self, place: &str, spec: &'o OptionSpec) -> Option<Meaning<'o>> {
        let (takes, because) = (spec.takes.clone(), spec.because.clone());
        if *spec == (OptionSpec { takes, because, ..OptionSpec::default() }) {
            return None;
        }
        if !spec.fills.is_empty() {
            self.faults.check(place, words::slot(&spec.fills));
        }
        let otherwise = match spec.otherwise.as_str() {
            "" => Role::Unknown,
            text => self.faults.check(place, words::value_role(text)).unwrap_or(Role::Unknown),
        };
        Some(Meaning {
            values: spec.values.iter().map(String::as_str).collect(),
            otherwise,
            effects: self.deeds(place, &spec.effects),
            here: self.deeds(place, &spec.here),
            traits: self.traits(place, &spec.traits),
            without: self.traits(place, &spec.without),
            instead: spec.instead.as_ref().map(|list| self.deeds(place, list)),
            operands: spec.operands.as_ref().map(|list| self.slots(place, list)),
            beside: spec.beside.as_ref().map(|table| self.beside(place, table)),
            starts: self.starts(place, spec),
            fills: &spec.fills,
            stops: spec.stops,
        })
    }

    /// Names made of names, the longest pattern first: that is the one that is taken.
    fn beside<'o>(&mut self, place: &str, table: &'o schema::Beside) -> Vec<Beside<'o>> {
        let mut all = Vec::new();
        for (name, made) in table {
            if name.matches('*').count() != 1 {
                self.faults.add(place, format!("{name:?} needs one `*` for the name's stem"));
            }
            let made = made.iter().filter_map(|text| self.faults.check(place, words::made(text)));
            all.push(Beside { name, made: made.collect() });
        }
        all.sort_by_key(|one| Reverse(one.name.len()));
        all
    }

    fn starts<'o>(&mut self, place: &str, spec: &'o OptionSpec) -> Vec<Starts<'o>> {
        let mut all: Vec<Starts<'o>> = Vec::new();
        for (value, programs) in &spec.starts {
            if programs.iter().any(|program| program.split_whitespace().next().is_none()) {
                self.faults.add(place, "starts a program without a name");
            }
            all.push(Starts { value, programs: programs.iter().map(String::as_str).collect() });
        }
        all.sort_by_key(|one| Reverse(one.value.len()));
        all
    }

    fn deeds(&mut self, place: &str, list: &[String]) -> Vec<Deed> {
        list.iter().filter_map(|text| self.faults.check(place, words::deed(text))).collect()
    }

    fn traits(&mut self, place: &str, list: &[String]) -> Vec<ProgramTrait> {
        list.iter()
            .filter_map(|text| self.faults.check(place, words::program_trait(text)))
            .collect()
    }

    fn slots<'o>(&mut self, place: &str, list: &'o [String]) -> Vec<Slot<'o>> {
        let slots: Vec<_> =
            list.iter().filter_map(|text| self.faults.check(place, words::slot(text))).collect();
        let repeating = slots.iter().filter(|slot| slot.repeats).count();
        if repeating > 1 {
            self.faults.add(place, "two operands with `...`: which takes which word?");
        }
        if let Some(at) = slots.iter().position(|slot| slot.role.is_rest()) {
            if at + 1 != slots.len() {
                self.faults.add(place, format!("nothing can follow {:?}", slots[at].text));
            }
            if slots[..at].iter().any(|slot| slot.repeats && slot.role != Role::Assignment) {
                self.faults.add(place, "only `assignment...` may stand before a command");
            }
        }
        slots
    }

    /// Complains of options by which a command that builds or commits says where it works, if their value names no place.
    fn places<'o>(
        &mut self,
        place: &str,
        command: &Command,
        options: impl Iterator<Item = &'o Placed<'o>>,
    ) {
        let has_place =
            |effect: &String| matches!(effect.as_str(), "build" | "commit" | "lose-work");
        if !command.effects.iter().any(has_place) {
            return;
        }
        for Placed { place: option, key, spec } in options {
            let names_place = !matches!(spec.takes.as_str(), "inert" | "optional:inert");
            if !names_place && key.split_whitespace().any(|word| WHERE.contains(&word)) {
                self.faults
                    .add(option, format!("says where {place} works: its role names no place"));
            }
        }
    }

    /// Complains of options that stand for an operand which the command never has.
    fn fillings(&mut self, place: &str, command: &Command) {
        let replaced = command.options.values().filter_map(|spec| spec.operands.as_ref());
        let lists: Vec<_> = std::iter::once(&command.operands).chain(replaced).collect();
        for (key, spec) in &command.options {
            if !spec.fills.is_empty() && !lists.iter().any(|list| list.contains(&spec.fills)) {
                self.faults.add(
                    &format!("{place} {key:?}"),
                    format!("fills {:?}, which is none of the operands", spec.fills),
                );
            }
        }
    }

    fn keywords<'o>(
        &mut self,
        place: &str,
        written: &'o BTreeMap<String, String>,
    ) -> Vec<Keyword<'o>> {
        let mut keywords = Vec::new();
        for (key, text) in written {
            if key.is_empty() || key.contains('=') {
                self.faults.add(place, format!("{key:?} is no keyword"));
            }
            if let Some(role) = self.faults.check(place, words::value_role(text)) {
                keywords.push(Keyword { key, text, role });
            }
        }
        // The first that matches is taken: plain keys, then patterns, the longest first.
        keywords.sort_by_key(|word| (word.key.contains('*'), Reverse(word.key.len())));
        keywords
    }
}

/// Returns the spelling by which an option is looked up: of `single-dash`, `--x` is the same as `-x`.
fn normal(spelling: &str, style: Style) -> &str {
    match style {
        Style::SingleDash if spelling.starts_with("--") => &spelling[1..],
        Style::SingleDash | Style::Gnu | Style::Bundled | Style::None => spelling,
    }
}

/// An option with the place where the family file has it.
struct Placed<'o> {
    place: String,
    key: &'o str,
    spec: &'o OptionSpec,
}

/// A key may name several options that mean the same, with ` | ` between.
fn placed<'o>(place: &str, options: &'o Options) -> Vec<Placed<'o>> {
    let mut placed = Vec::new();
    for (keys, spec) in options {
        for key in keys.split(" | ") {
            placed.push(Placed { place: format!("{place} {key:?}"), key: key.trim(), spec });
        }
    }
    placed
}

fn set_place(name: &str) -> String {
    format!("_sets {name}")
}

/// [`Choices`] that own their patterns.
#[derive(Default)]
struct Made {
    names: Table,
    globs: Vec<(String, u32)>,
    minus_number: Option<u32>,
    plus_number: Option<u32>,
    harm: Harm,
}

impl Made {
    fn choices(&self) -> Choices<'_> {
        Choices {
            names: self.names,
            globs: self.globs.iter().map(|(name, at)| (name.as_str(), *at)).collect(),
            minus_number: self.minus_number,
            plus_number: self.plus_number,
            harm: self.harm,
        }
    }
}

fn worse(a: Harm, b: Harm) -> Harm {
    Harm {
        any: a.any || b.any,
        acting: a.acting || b.acting,
        acting_with_value: a.acting_with_value || b.acting_with_value,
    }
}

fn harm(choice: &Choice<'_>) -> Harm {
    let mut roles = match &choice.takes {
        Takes::Flag => Vec::new(),
        Takes::Value(role) | Takes::Optional(role) => vec![*role],
        Takes::Several(roles) => roles.clone(),
    };
    let mut deeds = Vec::new();
    let mut shifts = false;
    if let Some(more) = &choice.more {
        if !more.values.is_empty() {
            roles.push(more.otherwise);
        }
        roles.extend(more.operands.iter().flatten().map(|slot| slot.role));
        let does = more.effects.iter().chain(&more.here);
        deeds.extend(does.chain(more.instead.iter().flatten()));
        // A way up again is made only where the operand is.
        let made = more.beside.iter().flatten().flat_map(|one| &one.made);
        roles.extend(made.filter(|(_, name)| *name != "/..").map(effect_role));
        deeds.extend(more.starts.iter().map(|_| &Deed::Effect(EffectKind::Execute)));
        shifts = !more.fills.is_empty();
    }
    let acting = roles.iter().any(|role| !looks_only(*role))
        || deeds.iter().any(|deed| match deed {
            Deed::Effect(kind) => !looks_only(Role::Effect(*kind)),
            Deed::Input(_) | Deed::Task(_) => true,
        });
    Harm {
        any: acting || shifts || !deeds.is_empty() || roles.iter().any(|role| !role.is_inert()),
        acting,
        acting_with_value: acting
            && (choice.takes != Takes::Flag || choice.spellings.contains(['.', '/', '*'])),
    }
}

/// Whether something is run where a word has this role, or nothing is known of it.
const fn runs(role: Role) -> bool {
    match role {
        Role::Unknown
        | Role::Exec
        | Role::ExecAppended
        | Role::Argv
        | Role::ArgvUntil
        | Role::ArgvAppended
        | Role::ArgvInside
        | Role::Tool
        | Role::PackageTool
        | Role::ArgvItself
        | Role::Shell
        | Role::ShellAppended
        | Role::ShellRest
        | Role::RemoteShellRest
        | Role::Script(_)
        | Role::Code(_)
        | Role::Task(_)
        | Role::Tests
        | Role::Effect(EffectKind::Execute | EffectKind::Build) => true,
        Role::Inert
        | Role::Text
        | Role::Service
        | Role::Passed
        | Role::Repository(_)
        | Role::Revision
        | Role::Compared
        | Role::RevisionOrPath
        | Role::Pathspec(_)
        | Role::Refspec
        | Role::ForcedRefspec
        | Role::Enter
        | Role::Create
        | Role::Output
        | Role::Prefix
        | Role::Template
        | Role::Opened
        | Role::Content
        | Role::Mode
        | Role::Assignment
        | Role::Effect(_) => false,
    }
}

const fn effect_role((kind, _): &(EffectKind, &str)) -> Role {
    Role::Effect(*kind)
}

fn looks_only(role: Role) -> bool {
    matches!(
        role,
        Role::Inert
            | Role::Text
            | Role::Passed
            | Role::Content
            | Role::Revision
            | Role::Compared
            | Role::Pathspec(EffectKind::List | EffectKind::Read)
            | Role::Enter
            | Role::Script(Language::Names)
            | Role::Effect(EffectKind::List | EffectKind::Read)
    )
}
