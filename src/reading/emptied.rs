//! Files that are there and that a line replaces by nothing, or by one another: what they held is gone as if they were deleted.
//! What takes the place of other text is no loss here, unless one line does it to several files; agents edit files so. What a repository holds of a
//! file is: see [`restored`](super::restored).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use fast_glob::glob_match;

use super::linked::{Link, gives_second_names, made, put};
use super::plan::{Flow, FlowKind, Plan, PlannedCommand};
use super::replaced::{is_named_by_option, translates_onto};
use super::restored::Copies;
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait, Target};

/// So many files in the place of which one line puts others, it loses.
const SEVERAL: usize = 3;

/// Commands of a plan that are all looked at, in their order.
const LONG: usize = 64;

impl Walker<'_> {
    /// Notes which files commands empty, or write over each other.
    pub(super) fn tell_what_is_emptied(&mut self) {
        let mut written: BTreeSet<&str> = BTreeSet::new();
        // Where files with text were moved, with where they stood: what a name held before the line is there under another one.
        let mut moved: HashMap<String, String> = HashMap::new();
        let mut alone: HashMap<String, String> = HashMap::new();
        let mut told: Vec<(usize, Vec<Effect>)> = Vec::new();
        // Files in the place of which others are put, with the command that does it, and files of which there is a copy by then.
        let (mut replaced, mut copied) = (BTreeMap::new(), BTreeSet::new());
        let streams = Streams::of(&self.plan);
        let mut copies = Copies::default();
        for (index, command) in self.plan.commands.iter().enumerate() {
            let (lost, away) = self.lost_by_moving(command, &written);
            let emptied = self.emptied(index, &streams, &written, &moved);
            let covered = self.covered(command, &written, &mut alone);
            let lost = lost.into_iter().chain(emptied).chain(covered);
            let lost = lost.chain(self.led_nowhere(command, &written));
            let lost = lost.map(|path| self.effect_on(EffectKind::Empty, path));
            let away = away.into_iter().map(|path| self.effect_on(EffectKind::Delete, path));
            let back = self.puts_back(index, &streams, &mut copies);
            let back = back.then_some(Effect { kind: EffectKind::LoseWork, target: Target::None });
            let effects: Vec<Effect> = lost.chain(away).chain(back).collect();
            if !effects.is_empty() {
                told.push((index, effects));
            }
            told.extend(self.given_to_several(command, &written).map(|lost| (index, lost)));
            for path in self.blocks_put_over(command, &written) {
                replaced.entry(path).or_insert(index);
            }
            if command.interpretation.is(ProgramTrait::PutsInto) {
                let is_second = gives_second_names(&command.interpretation);
                let kinds: &[EffectKind] = if is_second {
                    &[EffectKind::Write]
                } else {
                    &[EffectKind::Move, EffectKind::Read]
                };
                for Link { at, to } in put(command, kinds) {
                    let Some(from) = to.filter(|from| *from != at) else { continue };
                    if !copied.contains(&at) && self.takes_place(&at, &from, command, &written) {
                        replaced.entry(at).or_insert(index);
                    }
                    copied.insert(from);
                }
            }
            for Link { at, to } in elsewhere(command) {
                let from = to.filter(|from| *from != at);
                let from = from.map(|from| moved.get(&from).cloned().unwrap_or(from));
                let text =
                    from.filter(|from| !written.contains(from.as_str()) && self.holds_text(from));
                moved.extend(text.map(|from| (at, from)));
            }
            // Behind what is put at its end, what a file held stands as before.
            written.extend(command.replaced());
        }
        // Of what a repository leaves out, nothing holds what it was.
        let is_several = replaced.len() >= SEVERAL;
        let replaced =
            replaced.into_iter().filter(|(path, _)| is_several || self.is_left_out(path));
        let emptied = |path| vec![self.effect_on(EffectKind::Empty, path)];
        told.extend(replaced.map(|(path, index)| (index, emptied(path))));
        for (index, effects) in told {
            self.plan.commands[index].add(effects);
        }
    }

    /// Returns the files with text that a command empties, of those that nothing has written before.
    fn emptied(
        &self,
        index: usize,
        streams: &Streams<'_>,
        written: &BTreeSet<&str>,
        moved: &HashMap<String, String>,
    ) -> Vec<String> {
        let command = &self.plan.commands[index];
        let is_there = |path: &&str| !written.contains(path) || stood(path, moved).is_some();
        // What is put behind what a file holds takes nothing away.
        let there: Vec<&str> = command.replaced().filter(is_there).collect();
        if there.is_empty() {
            return Vec::new();
        }
        let truncated: HashSet<&str> = command.truncated().collect();
        let is = |one| command.interpretation.is(one);
        // They open what they write while the others in the pipe still read.
        let is_early =
            (is(ProgramTrait::Replaces) || is(ProgramTrait::PutsInto)) && !is(ProgramTrait::Soaks);
        let piped = if is_early { streams.piped_to(index) } else { Vec::new() };
        let writes_nothing = streams.is_null(index);
        let prints_nothing = writes_nothing || !truncated.is_empty() && streams.is_silent(index);
        let is_lost = |path: &&str| {
            writes_nothing && !self.scripts.is_directory(path)
                || path.contains("**")
                    && copies_one(command)
                    && self.stands_for_files(path)
                    && !self.finds_directories(index, streams)
                || self.gets_the_same(index, path, &streams.given_to(index, |_| true), written)
                || translates_onto(command, path)
                || truncated.contains(path)
                    && (prints_nothing || self.is_gone(index, path, streams))
                || self.is_read_by(&piped, path)
        };
        let lost = there.into_iter().filter(is_lost);
        let before = lost.map(|path| stood(path, moved).unwrap_or_else(|| path.to_owned()));
        before.filter(|path| self.holds_text(path)).collect()
    }

    /// Returns what is lost where a command gives several files with text the same.
    fn given_to_several(
        &self,
        command: &PlannedCommand,
        written: &BTreeSet<&str>,
    ) -> Option<Vec<Effect>> {
        if !command.interpretation.is(ProgramTrait::Replaces) {
            return None;
        }
        let is_lost = |path: &&str| {
            let is_kept = !self.class(EffectKind::Write, path).is_of_little_worth();
            is_kept && !written.contains(path) && self.holds_text(path)
        };
        let lost: Vec<&str> = command.replaced().filter(is_lost).collect();
        (lost.len() >= SEVERAL).then(|| self.emptied_paths(lost.into_iter()))
    }

    /// Returns that these files are emptied.
    pub(super) fn emptied_paths<'f>(&self, files: impl Iterator<Item = &'f str>) -> Vec<Effect> {
        files.map(|path| self.effect_on(EffectKind::Empty, path.to_owned())).collect()
    }

    fn effect_on(&self, kind: EffectKind, path: String) -> Effect {
        let class = self.class(kind, &path);
        Effect { kind, target: Target::Path { path: Some(path), class } }
    }

    /// Returns the files with text in whose place a command puts a link to what holds nothing.
    fn led_nowhere(&self, command: &PlannedCommand, written: &BTreeSet<&str>) -> Vec<String> {
        let interpretation = &command.interpretation;
        if !interpretation.is(ProgramTrait::Links) || !interpretation.gives(&["-f", "--force"]) {
            return Vec::new();
        }
        let leads_nowhere = |link: &Link| {
            link.to.as_deref().is_some_and(|to| {
                let is_null = self.class(EffectKind::Read, to) == PathClass::Null;
                is_null || !self.holds_text(to) && !self.scripts.is_directory(to)
            })
        };
        let links = made(command).into_iter().filter(leads_nowhere).map(|link| link.at);
        links.filter(|at| !written.contains(at.as_str()) && self.holds_text(at)).collect()
    }

    /// Whether something is lost where a file is emptied. A pattern stands for files that are there.
    pub(super) fn holds_text(&self, path: &str) -> bool {
        path.contains(['*', '?', '['])
            || self.scripts.exists(path)
                && self.scripts.text(path).is_none_or(|text| !text.is_empty())
    }

    /// Whether what is written to a file that a redirection empties cannot be what it held: it is read only then (POSIX, 2.7), or it
    /// is one of many that get the same.
    fn is_gone(&self, index: usize, path: &str, streams: &Streams<'_>) -> bool {
        let late = streams.given_to(index, |kind| kind != FlowKind::Substitution);
        self.is_read_by(&late, path)
            || self.stands_for_files(path)
                && !self.is_read_by(&streams.given_to(index, |_| true), path)
    }

    /// Whether one of these commands, or what they carry, reads a file: by its name, or by a pattern where it prints all that it reads.
    fn is_read_by(&self, commands: &[usize], path: &str) -> bool {
        let reads = |command: &PlannedCommand| {
            let prints_all = command.interpretation.is(ProgramTrait::Shows);
            let is_listed = |read: &str| !read.contains("**") && glob_match(read, path);
            let fits = |read: &str| {
                read == path || prints_all && !path.contains(['*', '?', '[']) && is_listed(read)
            };
            let mut read = command.effects.iter().filter(|effect| effect.kind == EffectKind::Read);
            read.any(|effect| effect.path().is_some_and(fits))
        };
        commands.iter().any(|at| {
            let behind = self.plan.commands[at + 1..].iter();
            let mut carried =
                behind.take_while(|one| one.parent.is_some_and(|parent| parent >= *at));
            reads(&self.plan.commands[*at]) || carried.any(reads)
        })
    }

    /// Whether a file is one of several that a command gives the same text, which no command before made of what they held. `from` are the
    /// command and those whose output it gets.
    fn gets_the_same(
        &self,
        index: usize,
        path: &str,
        from: &[usize],
        written: &BTreeSet<&str>,
    ) -> bool {
        let interpretation = &self.plan.commands[index].interpretation;
        let is_named = is_named_by_option(&self.plan.commands[index], path);
        let is = |one| interpretation.is(one);
        let is_link = is(ProgramTrait::Links) && !interpretation.gives(&["-f", "--force"]);
        let replaces = is(ProgramTrait::Replaces) || is(ProgramTrait::PutsInto) && !is_link;
        let name = path.rsplit('/').next().unwrap_or(path);
        // `*/` stands for directories, and what is put into one has a name of its own.
        let are_directories = |word: &Arg| matches!(word, Arg::Glob(names) if names.ends_with('/'));
        let replaces = replaces && !self.plan.commands[index].argv.iter().any(are_directories);
        let replaces = replaces && !path.contains("**") || is_named;
        if !replaces || !name.contains(['*', '?', '[']) {
            return false;
        }
        // A word without quotes may be several, of which all but one are read.
        let is_itself = |at: usize, effect: &Effect| at == index && effect.path() == Some(path);
        let effects = from.iter().flat_map(|at| {
            let effects = self.plan.commands[*at].effects.iter();
            effects.filter(move |effect| !is_itself(*at, effect))
        });
        let taken =
            effects.filter(|effect| matches!(effect.kind, EffectKind::Read | EffectKind::Move));
        let mut taken = taken.filter_map(Effect::path);
        taken.all(|path| !path.contains(['*', '?', '[']) && !written.contains(path))
            && self.stands_for_files(path)
    }

    /// Whether what a command gets of a search are directories.
    fn finds_directories(&self, index: usize, streams: &Streams<'_>) -> bool {
        let commands = &self.plan.commands;
        let carriers = std::iter::successors(Some(index), |at| commands[*at].parent);
        let mut given = carriers.flat_map(|at| streams.given_to(at, |_| true));
        given.any(|at| {
            let words: Vec<&str> = commands[at].argv.iter().filter_map(Arg::known).collect();
            let is_type = |pair: &[&str]| {
                matches!(pair, ["-type" | "-t" | "--type", "d" | "dir" | "directory"])
            };
            let finds = commands[at].interpretation.is(ProgramTrait::RunsForEach);
            finds && words.windows(2).any(is_type)
        })
    }

    /// Returns what a command moves of which only the last remains, several files one after the other to one name; and what it moves to
    /// where builds and people clear away what they do not know.
    fn lost_by_moving(
        &self,
        command: &PlannedCommand,
        written: &BTreeSet<&str>,
    ) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut lost, mut away) = (BTreeSet::new(), BTreeSet::new());
        let is_move = |effect: &Effect| effect.kind == EffectKind::Move;
        if command.interpretation.is(ProgramTrait::Patches) || !command.effects.iter().any(is_move)
        {
            return (lost, away);
        }
        let is_kept = |path: &str| !self.class(EffectKind::Move, path).is_of_little_worth();
        let is_made = |at: &str| {
            let below = format!("{at}/");
            let first = written.range(below.as_str()..).next();
            written.contains(at) || first.is_some_and(|made| made.starts_with(&below))
        };
        for Link { at, to } in put(command, &[EffectKind::Move]) {
            let Some(from) = to else { continue };
            let is_one = |at: &str| {
                !at.contains(['*', '?', '[']) && !is_made(at) && !self.scripts.is_directory(at)
            };
            if self.stands_for_files(&from) && is_one(&at) {
                lost.insert(from.clone());
            }
            // A file that gets another name beside its own is still seen there.
            let is_beside = Path::new(&from).parent() == Path::new(&at).parent()
                && !self.scripts.is_directory(&from);
            if is_kept(&from) && !is_kept(&at) && !is_beside {
                away.insert(from);
            }
        }
        (lost, away)
    }
}

/// Whether a command gives each of the names that a search finds the same text.
fn copies_one(command: &PlannedCommand) -> bool {
    let interpretation = &command.interpretation;
    let mut words: Vec<&Arg> = interpretation.words(&command.argv).collect();
    words.dedup_by(|one, other| std::ptr::eq(*one, *other));
    let is_found = |word: &Arg| matches!(word, Arg::Glob(names) if names.contains("**"));
    (interpretation.is(ProgramTrait::PutsInto) || interpretation.is(ProgramTrait::Replaces))
        && words.pop().is_some_and(is_found)
        && words.iter().all(|word| word.known().is_some())
}

/// Returns the names that a command gives what was there under others: moved, or with a second name.
fn elsewhere(command: &PlannedCommand) -> Vec<Link> {
    let is_second = gives_second_names(&command.interpretation);
    put(command, &[if is_second { EffectKind::Write } else { EffectKind::Move }])
}

/// Returns where a path stood before it, or what it is in, was moved.
fn stood(path: &str, moved: &HashMap<String, String>) -> Option<String> {
    let mut above = Path::new(path).ancestors().filter_map(Path::to_str);
    above.find_map(|at| Some(format!("{}{}", moved.get(at)?, &path[at.len()..])))
}

/// What the commands of a plan give one another, and which of them give nothing. Each is looked at once.
pub(super) struct Streams<'p> {
    plan: &'p Plan,
    /// By command, the flows to it; empty where no command writes a file.
    flows: Vec<Vec<&'p Flow>>,
    null: Known,
    silent: Known,
}

/// What is known of each command, once it was asked. While one is looked at, it counts as none.
#[derive(Default)]
struct Known(RefCell<Vec<Option<bool>>>);

impl Known {
    fn of(&self, index: usize, look: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.0.borrow().get(index).copied().flatten() {
            return known;
        }
        let put = |value| {
            let mut all = self.0.borrow_mut();
            let length = all.len().max(index + 1);
            all.resize(length, None);
            all[index] = Some(value);
        };
        put(false);
        let known = look();
        put(known);
        known
    }
}

impl<'p> Streams<'p> {
    fn of(plan: &'p Plan) -> Self {
        let mut flows = Vec::new();
        if plan.commands.iter().any(|command| command.written().next().is_some()) {
            flows.resize(plan.commands.len(), Vec::new());
            for flow in &plan.flows {
                let to = flow.to.start.min(flows.len())..flow.to.end.min(flows.len());
                flows[to].iter_mut().for_each(|flows| flows.push(flow));
            }
        }
        let streams = Self { plan, flows, null: Known::default(), silent: Known::default() };
        // What comes before is mostly known then: a long line is not a deep one.
        if streams.flows.len() > LONG {
            for index in 0..streams.flows.len() {
                streams.is_null(index);
            }
        }
        streams
    }

    fn from(&self, flow: &Flow) -> std::ops::Range<usize> {
        flow.from.start..flow.from.end.min(self.plan.commands.len())
    }

    /// Returns a command and those whose output it gets by flows of these kinds, directly or through others.
    pub(super) fn given_to(&self, index: usize, kinds: impl Fn(FlowKind) -> bool) -> Vec<usize> {
        let mut found = vec![index];
        let mut seen = HashSet::from([index]);
        let mut next = 0;
        while let Some(at) = found.get(next).copied() {
            next += 1;
            for flow in self.flows[at].iter().filter(|flow| kinds(flow.kind)) {
                found.extend(self.from(flow).filter(|from| seen.insert(*from)));
            }
        }
        found
    }

    /// Returns those whose output a command gets by pipes, directly or through others.
    fn piped_to(&self, index: usize) -> Vec<usize> {
        let is_pipe = |kind| matches!(kind, FlowKind::Pipe | FlowKind::Branch);
        self.given_to(index, is_pipe).split_off(1)
    }

    /// Whether a command does nothing but open what it writes, prints blanks into it, or copies nothing there.
    fn is_null(&self, index: usize) -> bool {
        self.null.of(index, || self.writes_blanks(index) || self.copies_nothing(index))
    }

    /// Whether a command prints nothing: `rules/prints.txt`.
    fn is_silent(&self, index: usize) -> bool {
        self.silent.of(index, || {
            let argv = &self.plan.commands[index].argv;
            let words: Option<Vec<&str>> = argv.iter().map(Arg::known).collect();
            words.is_some_and(|words| super::substitution::prints("nothing", &words))
        })
    }

    fn writes_blanks(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let words: Option<Vec<&str>> = command.argv.iter().map(Arg::known).collect();
        let is_blank = |words: &[&str]| words.iter().all(|word| word.trim().is_empty());
        match words.as_deref() {
            // What it is given by a pipe, nothing copies; but a compound command's redirections stand alone.
            Some([]) => {
                let mut flows = self.flows[index].iter();
                command.effects.iter().all(|effect| effect.target.class().is_some())
                    && flows
                        .all(|flow| flow.kind != FlowKind::File || self.brings_nothing(flow, index))
            }
            Some([":" | "true" | "false", ..]) => true,
            // Nothing is printed by what comes after it in the shell.
            Some(["exec"]) => (index + 1..self.plan.commands.len()).all(|at| self.is_silent(at)),
            Some(["echo", "-n", words @ ..] | ["echo" | "printf", words @ ..]) => is_blank(words),
            _ => false,
        }
    }

    /// Whether a command copies what it reads, and reads nothing.
    fn copies_nothing(&self, index: usize) -> bool {
        let flows = &self.flows[index];
        let is_pipe = |flow: &&Flow| matches!(flow.kind, FlowKind::Pipe | FlowKind::Branch);
        flows.iter().all(is_pipe)
            && reads_nothing(&self.plan.commands[index], !flows.is_empty())
            && flows.iter().all(|flow| self.brings_nothing(flow, index))
    }

    /// Whether nothing comes to a command by a flow.
    fn brings_nothing(&self, flow: &Flow, to: usize) -> bool {
        self.from(flow).all(|at| at != to && (self.is_null(at) || self.is_silent(at)))
    }
}

/// Whether a filter reads `/dev/null` and nothing else; one that gets its input through a pipe may read no file at all.
fn reads_nothing(command: &PlannedCommand, is_piped: bool) -> bool {
    let is_plain = |kind| matches!(kind, EffectKind::Read | EffectKind::Write | EffectKind::Append);
    let is_nothing = |effect: &Effect| effect.path() == Some("/dev/null");
    let mut reads = command.effects.iter().filter(|effect| effect.kind == EffectKind::Read);
    (command.interpretation.reads_input || command.interpretation.is(ProgramTrait::PutsInto))
        && command.interpretation.touches.iter().all(|touch| is_plain(touch.kind))
        && (reads.next().map_or(is_piped, is_nothing))
        && reads.all(is_nothing)
}
