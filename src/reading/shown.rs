//! The secrets that are there among what a command shows: of the names that it is given, and of the directories that it reads as a whole.

use fast_glob::glob_match;

use super::linked::{Link, below, put};
use super::plan::{Flow, FlowKind, PlannedCommand};
use super::search::operands;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, EntryKind, PathClass, ProgramTrait, Target};
use crate::paths::{absolute, is_below, is_build_output};

/// Of what a line copies, so much is followed.
const COPIED: usize = 256;

/// Directories beyond these are not looked into, and names in them: what is farther below is farther behind.
const TREES: usize = 64;
const NAMES: usize = 1_000;

/// So many commands are looked at that names come through.
const FEEDING: usize = 16;

/// Whether a filter lets through only names of which it says something.
fn lets_some_through(command: &PlannedCommand) -> bool {
    let (interpretation, argv) = (&command.interpretation, &command.argv);
    let says = |word: &Arg| word.prefix().contains(char::is_alphanumeric);
    interpretation.is(ProgramTrait::Filters)
        && !interpretation.gives(&["-v", "--invert-match"])
        && interpretation.touches.iter().all(|touch| touch.kind != EffectKind::Read)
        && operands(interpretation, argv, &["text"]).flatten().any(says)
}

impl Walker<'_> {
    /// Adds to a command which shows what it finds, or all that stands somewhere, that it reads the secrets among that.
    pub(super) fn tell_what_is_shown(&mut self) {
        let mut copied: Vec<Link> = Vec::new();
        let packs = |at: &usize| packs(&self.plan.commands[*at]);
        let packers: Vec<usize> = (0..self.plan.commands.len()).filter(packs).collect();
        for (index, is_seen) in self.seen().into_iter().enumerate() {
            let command = &self.plan.commands[index];
            let is = |one| command.interpretation.is(one);
            if is(ProgramTrait::PutsInto) && copied.len() < COPIED {
                copied.extend(put(command, &[EffectKind::Read]));
            }
            if is(ProgramTrait::TellsSecrets) && !self.is_picked_from(index) {
                let secrets = Effect { kind: EffectKind::Disclose, target: Target::None };
                self.plan.commands[index].add(vec![secrets]);
                continue;
            }
            let shows = is(ProgramTrait::Shows) || is(ProgramTrait::ReadsTrees);
            if command.place != Place::Here || !shows || !is_seen {
                continue;
            }
            let mut shown: Vec<String> = Vec::new();
            for path in read(command).filter(|_| !copied.is_empty()) {
                let from = |link: &Link| Some(absolute(link.to.as_ref()?, below(path, &link.at)?));
                let is_secret =
                    |from: &String| self.class(EffectKind::Read, from) == PathClass::Secret;
                shown.extend(copied.iter().filter_map(from).filter(is_secret));
            }
            for (by, start) in self.starts_of(index, &packers) {
                let looked_for = Sought::by(&self.plan.commands[by]);
                let found = self.secrets_below(&start, &looked_for).into_iter();
                shown.extend(found.filter(|path| self.is_found(path, &looked_for)));
            }
            let mut more = Vec::new();
            for path in shown {
                self.absolute_effect(EffectKind::Read, &Arg::Known(path), &mut more);
            }
            self.plan.commands[index].add(more);
        }
    }

    /// Returns the directories of which a command shows what is in them, each with the command that reads it: another may pack it.
    fn starts_of(&self, index: usize, packers: &[usize]) -> Vec<(usize, String)> {
        let command = &self.plan.commands[index];
        let (given, own): (Vec<&str>, Vec<&str>) =
            read(command).partition(|path| path.ends_with("/**"));
        let mut starts: Vec<(usize, String)> = Vec::new();
        if !given.is_empty() && self.gets_all_names(index) {
            let places = given.into_iter().filter_map(|path| path.strip_suffix("/**"));
            starts.extend(places.map(|place| (index, place.to_owned())));
        }
        if command.interpretation.is(ProgramTrait::ReadsTrees) {
            let below = own.iter().flat_map(|path| self.directories_at(path));
            starts.extend(below.map(|start| (index, start)));
        }
        let is_given = |packer: usize| {
            let mut flows = self.plan.flows.iter();
            let mut written = self.plan.commands[packer].written().peekable();
            let is_opened = |path| own.contains(&path) || command.written().any(|own| own == path);
            match written.peek() {
                None => flows.any(|flow| flow.from.contains(&packer) && flow.to.contains(&index)),
                Some(_) => written.any(is_opened),
            }
        };
        let earlier = packers.iter().copied().take_while(|packer| *packer < index);
        for packer in earlier.filter(|packer| is_given(*packer)) {
            let packed = read(&self.plan.commands[packer]);
            let below = packed.flat_map(|path| self.directories_at(path));
            starts.extend(below.map(|start| (packer, start)));
        }
        starts
    }

    /// Returns of each command whether something of what it prints is seen, and not only how much it is.
    fn seen(&self) -> Vec<bool> {
        let commands = &self.plan.commands;
        let is = |at: usize, one| commands[at].interpretation.is(one);
        let mut pipes = vec![Vec::new(); commands.len()];
        for flow in self.plan.flows.iter().filter(|flow| flow.kind == FlowKind::Pipe) {
            for from in flow.from.clone().filter(|from| *from < commands.len()) {
                pipes[from].push(flow.to.clone());
            }
        }
        let mut seen = vec![true; commands.len()];
        for index in (0..commands.len()).rev() {
            let is_seen = |at: usize| {
                let hands_on = is(at, ProgramTrait::PassesOn) || is(at, ProgramTrait::Filters);
                !is(at, ProgramTrait::Measures) && (!hands_on || at <= index || seen[at])
            };
            let mut gets = pipes[index].iter().cloned().flatten();
            let is_shown = |at: usize| at >= commands.len() || is_seen(at);
            let goes_on = pipes[index].is_empty() || gets.any(is_shown);
            seen[index] = !is(index, ProgramTrait::Measures) && goes_on;
        }
        seen
    }

    /// Whether of what a command prints others only take what they look for.
    fn is_picked_from(&self, index: usize) -> bool {
        let picks = |at: usize| {
            let Some(PlannedCommand { interpretation, argv, .. }) = self.plan.commands.get(at)
            else {
                return false;
            };
            let is = |one| interpretation.is(one);
            let word = interpretation.words(argv).next().and_then(Arg::known);
            is(ProgramTrait::Measures)
                || is(ProgramTrait::Filters) && lets_some_through(&self.plan.commands[at])
                || is(ProgramTrait::Picks)
                    && word.is_some_and(|word| word.contains(char::is_alphabetic))
        };
        let is_pipe = |flow: &&Flow| flow.kind == FlowKind::Pipe && flow.from.contains(&index);
        let mut pipes = self.plan.flows.iter().filter(is_pipe).peekable();
        pipes.peek().is_some() && pipes.all(|flow| flow.to.clone().all(picks))
    }

    /// Returns the secrets below a directory, by their names, that a command does not pass over. What is built holds none of them; what a
    /// repository neither hides nor leaves out is in it for everybody.
    fn secrets_below(&self, start: &str, looked_for: &Sought<'_>) -> Vec<String> {
        let passes_over = |what| looked_for.command.interpretation.is(what);
        let mut found = Vec::new();
        if passes_over(ProgramTrait::PassesOverIgnored)
            && passes_over(ProgramTrait::PassesOverHidden)
        {
            return found;
        }
        let mut open = vec![start.to_owned()];
        let (mut next, mut names) = (0, 0);
        while let Some(directory) = open.get(next).cloned().filter(|_| names < NAMES) {
            next += 1;
            for entry in self.scripts.fitting(&directory, &|_| true).unwrap_or_default() {
                names += 1;
                let path = absolute(&directory, &entry.name);
                let is_directory = entry.kind == EntryKind::Directory;
                let relative = path.get(start.len()..).unwrap_or(&path).trim_start_matches('/');
                if looked_for.passes_over(&entry.name, relative, is_directory) {
                    continue;
                }
                if !is_directory {
                    found.extend(
                        (self.class(EffectKind::Read, &path) == PathClass::Secret).then_some(path),
                    );
                } else if entry.name != ".git" && open.len() < TREES && !is_build_output(&path) {
                    open.push(path);
                }
            }
        }
        if passes_over(ProgramTrait::PassesOverIgnored) {
            found.retain(|path| !self.is_ignored(path));
        }
        found
    }

    /// Returns the directories that are there of this path, which may be a pattern.
    fn directories_at(&self, path: &str) -> Vec<String> {
        if path.contains(['*', '?', '[']) {
            return self.directories_fitting(path);
        }
        let is_there = self.scripts.is_directory(path);
        is_there.then(|| path.to_owned()).into_iter().collect()
    }

    /// Whether a repository leaves a file out (gitignore(5)): the last line that fits says so.
    fn is_ignored(&self, path: &str) -> bool {
        let mut roots = self.facts.workspaces.iter();
        let Some(root) = roots.find(|root| is_below(path, root)) else { return false };
        let above =
            std::iter::successors(path.rsplit_once('/'), |(above, _)| above.rsplit_once('/'));
        for (directory, _) in above.take_while(|(above, _)| is_below(above, root)) {
            let name = absolute(directory, ".gitignore");
            let text = self.scripts.exists(&name).then(|| self.scripts.text(&name)).flatten();
            let relative = &path[directory.len() + 1..];
            let mut lines = text.as_deref().unwrap_or_default().lines().rev();
            let last = lines.find(|line| leaves_out(line.trim_start_matches('!').trim(), relative));
            if let Some(last) = last {
                return !last.starts_with('!');
            }
        }
        false
    }

    /// Whether a search finds something in a file.
    fn is_found(&self, path: &str, looked_for: &Sought<'_>) -> bool {
        let Some(alternatives) = &looked_for.parts else { return true };
        let Some(text) = self.scripts.text(path) else { return true };
        let text = text.to_lowercase();
        let is_in = |parts: &Vec<String>| {
            text.lines().any(|line| parts.iter().all(|part| line.contains(part.as_str())))
        };
        alternatives.iter().any(is_in)
    }

    /// Whether a command gets the names that others print or find, and no filter on the way lets only some of them through.
    fn gets_all_names(&self, index: usize) -> bool {
        let commands = &self.plan.commands;
        let carries = |at: &usize| {
            let interpretation = &commands[*at].interpretation;
            interpretation.is(ProgramTrait::TakesWords)
                || interpretation.is(ProgramTrait::RunsForEach)
        };
        let carrier = commands[index].parent.filter(carries);
        let kind = |flow: &&Flow| carrier.is_some() || flow.kind == FlowKind::Substitution;
        let given = |at: usize| self.plan.flows.iter().filter(move |flow| flow.to.contains(&at));
        let mut from: Vec<usize> = given(carrier.unwrap_or(index))
            .filter(kind)
            .flat_map(|flow| flow.from.clone())
            .collect();
        if carrier.is_none() && from.is_empty() {
            return false;
        }
        let mut next = 0;
        while let Some(at) = from.get(next).copied().filter(|_| next < FEEDING) {
            next += 1;
            if commands.get(at).is_some_and(lets_some_through) {
                return false;
            }
            let more: Vec<usize> = given(at).flat_map(|flow| flow.from.clone()).collect();
            from.extend(more.into_iter().filter(|more| *more < at));
        }
        true
    }
}

/// Returns what a command reads, or takes where it says so.
fn read(command: &PlannedCommand) -> impl Iterator<Item = &str> {
    let takes = command.interpretation.is(ProgramTrait::ReadsTrees);
    let read = command.effects.iter().filter(move |effect| {
        effect.kind == EffectKind::Read || takes && effect.kind == EffectKind::List
    });
    read.filter_map(|effect| effect.path())
}

fn packs(command: &PlannedCommand) -> bool {
    command.place == Place::Here && command.interpretation.is(ProgramTrait::Packs)
}

/// Whether a line of `.gitignore` is about a file, or about a directory above it.
fn leaves_out(line: &str, relative: &str) -> bool {
    let pattern = line.trim_end_matches('/');
    if pattern.is_empty() || pattern.starts_with('#') {
        return false;
    }
    let is_bound = pattern.contains('/');
    let pattern = pattern.trim_start_matches('/');
    let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
    ends.into_iter().any(|end| {
        let path = &relative[..end];
        let name = if is_bound { path } else { path.rsplit('/').next().unwrap_or(path) };
        glob_match(pattern, name)
    })
}

/// Options that name what is passed over, and what alone is read.
const LEAVING_OUT: &[&str] = &["--exclude", "--exclude-dir", "-x", "--ignore", "--ignore-dir"];
const TAKING: &[&str] = &["--include", "--glob", "--iglob"];

/// What a command looks for in what it reads, and where.
struct Sought<'p> {
    command: &'p PlannedCommand,
    left_out: Vec<&'p str>,
    taken: Vec<&'p str>,
    /// For each alternative of what it looks for the letters that stand in each line which it finds; none if that may be any line.
    parts: Option<Vec<Vec<String>>>,
}

impl<'p> Sought<'p> {
    fn by(command: &'p PlannedCommand) -> Self {
        let interpretation = &command.interpretation;
        let given = |options| {
            let given = interpretation.given(options);
            given.filter_map(|option| option.value.as_ref()?.pattern()).collect::<Vec<&str>>()
        };
        let (not, taken): (Vec<&str>, Vec<&str>) =
            given(TAKING).into_iter().partition(|name| name.starts_with('!'));
        let mut left_out = given(LEAVING_OUT);
        left_out.extend(not.into_iter().map(|name| name.trim_start_matches('!')));
        Self { command, left_out, taken, parts: parts(interpretation, &command.argv) }
    }

    fn passes_over(&self, name: &str, relative: &str, is_directory: bool) -> bool {
        let fits = |pattern: &&str| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            let pattern = pattern.trim_end_matches("/**").trim_end_matches("/*");
            glob_match(pattern, name) || glob_match(pattern.trim_start_matches('/'), relative)
        };
        let interpretation = &self.command.interpretation;
        name.starts_with('.') && interpretation.is(ProgramTrait::PassesOverHidden)
            || self.left_out.iter().any(fits)
            || !is_directory
                && (interpretation.is(ProgramTrait::Narrows)
                    || !self.taken.is_empty() && !self.taken.iter().any(fits))
    }
}

/// Returns, for each alternative of what a search looks for, the letters that stand in each line which it finds, in small letters.
fn parts(interpretation: &Interpretation, argv: &[Arg]) -> Option<Vec<Vec<String>>> {
    let any = ["-v", "--invert-match", "-f", "--file", "--passthru", "--not"];
    if interpretation.gives(&any) {
        return None;
    }
    let mut given: Vec<&str> = Vec::new();
    for option in interpretation.given(&["-e", "--regexp"]) {
        given.push(option.value.as_ref()?.known()?);
    }
    if given.is_empty() {
        given.push(operands(interpretation, argv, &["text"]).next()??.known()?);
    }
    let is_optional = |text: &str| [")?", ")*", "){"].iter().any(|end| text.contains(end));
    let plain: Vec<String> = given.iter().map(|text| text.replace("\\|", "|")).collect();
    if plain.iter().any(|text| is_optional(&text.replace('\\', ""))) {
        return None;
    }
    let lines = plain.iter().flat_map(|text| text.split(['|', '\n']));
    Some(lines.map(letters).collect())
}

/// Returns the letters of an expression without alternatives that stand for themselves, apart where something else may stand between them.
fn letters(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        let Some(part) = parts.last_mut() else { break };
        let plain = match letter {
            '\\' => {
                rest.next().filter(|next| !next.is_alphanumeric() && !"(){}+?<>".contains(*next))
            }
            '[' => {
                rest.next();
                rest.by_ref().find(|letter| *letter == ']');
                None
            }
            '*' | '?' | '{' => {
                part.pop();
                (letter == '{').then(|| rest.by_ref().find(|letter| *letter == '}'));
                None
            }
            '.' | '^' | '$' | '(' | ')' | '+' => None,
            letter => Some(letter),
        };
        match plain {
            Some(letter) => part.extend(letter.to_lowercase()),
            None => parts.push(String::new()),
        }
    }
    parts
}
