//! The secrets that are there among what a command shows: of the names that it is given, and of the directories that it reads as a whole.

use std::collections::{BTreeSet, HashMap};

use fast_glob::glob_match;

use super::linked::{Link, below, put};
use super::plan::{Flow, FlowKind, PlannedCommand};
use super::search::{let_through, operands};
use super::walk::Walker;
use crate::catalog::{Interpretation, Place, Touch};
use crate::model::{
    Arg, Effect, EffectKind, EntryKind, PathClass, ProgramTrait, Reason, Span, TRACKED, Target,
};
use crate::paths::{Component, absolute, is_below, is_build_output};
use crate::variables::holds_secret;

/// Of what a line copies, so much is followed.
const COPIED: usize = 256;

/// Directories beyond these are not looked into, and names in them: what is farther below is farther behind.
const TREES: usize = 64;
const NAMES: usize = 1_000;

/// So many names are looked at for all commands of a line, a directory counted as so many. A line with more is not read to its end.
const LOOKED: usize = 64 * NAMES;
const DIRECTORY: usize = 16;

/// So many commands are looked at that names come through.
const FEEDING: usize = 16;

/// The commands that put trees into archives, by their places.
struct Packers {
    /// For each command those earlier ones that print what it gets.
    piped: HashMap<usize, BTreeSet<usize>>,
    /// Those that write files.
    writing: Vec<usize>,
}

/// Where secrets are looked for.
struct Start {
    /// The command that reads them: what shows them may get them packed.
    by: usize,
    /// The one that finds them.
    finder: usize,
    /// A directory, or a pattern of what is shown below one.
    place: String,
    /// What each filter that names go through on the way lets through.
    filters: Vec<Patterns>,
}

/// Patterns for names, of which one must fit.
type Patterns = Vec<String>;

impl Start {
    const fn of(by: usize, place: String) -> Self {
        Self { by, finder: by, place, filters: Vec::new() }
    }
}

/// Where the names come from that a command is given.
struct Feeding {
    /// The command that finds them: itself, where none is known.
    finder: usize,
    /// One that lists them without saying where they are (`ls`).
    lister: Option<usize>,
    /// What each filter on the way lets through.
    filters: Vec<Patterns>,
}

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
        let Some(packers) = self.packers() else {
            self.opaque(Reason::TooManyParts, Span::new(0, 0));
            return;
        };
        let mut looked = 0;
        for (index, is_seen) in self.seen().into_iter().enumerate() {
            let command = &self.plan.commands[index];
            let is = |one| command.interpretation.is(one);
            if is(ProgramTrait::PutsInto) && copied.len() < COPIED {
                copied.extend(put(command, &[EffectKind::Read, EffectKind::Move]));
            }
            let tells = is(ProgramTrait::TellsSecrets) && !self.is_picked_from(index)
                || is(ProgramTrait::TellsSettings) && self.tells_secret_settings(index)
                || is(ProgramTrait::HoldsSecrets) && self.is_searched_for_secrets(index);
            if tells {
                let secrets = Effect { kind: EffectKind::Disclose, target: Target::None };
                self.plan.commands[index].add(vec![secrets]);
                continue;
            }
            if let Some(read) = self.read_for_tracer(command) {
                self.plan.commands[index].add(read);
                continue;
            }
            let shows = is(ProgramTrait::Shows)
                || is(ProgramTrait::ReadsTrees)
                || is_redirected(command)
                || self.prints_what_it_packs(index);
            if command.place != Place::Here || !shows || !is_seen {
                continue;
            }
            let mut shown: Vec<String> = Vec::new();
            let packed = self.packed_for(index, &packers);
            let mut starts = self.starts_of(index, &packed);
            let packed = packed
                .iter()
                .flat_map(|packer| read(&self.plan.commands[*packer]).map(|path| (*packer, path)));
            let read = read(command).map(|path| (index, path));
            for (by, path) in read.chain(packed).filter(|_| !copied.is_empty()) {
                for from in copied.iter().filter_map(|link| copied_from(path, link)) {
                    if self.is_secret(&from) {
                        shown.push(from);
                    } else if is_pattern(&from) && !from.contains("**") {
                        let files = self.files_fitting(&from).into_iter();
                        shown.extend(files.filter(|path| self.is_secret(path)));
                    } else {
                        let place = from.strip_suffix("/**").unwrap_or(&from);
                        let places = self.directories_at(place).into_iter();
                        starts.extend(places.map(|place| Start::of(by, place)));
                    }
                }
            }
            for Start { by, finder, place, filters } in starts {
                let commands = &self.plan.commands;
                let looked_for = Sought::by(&commands[by], &commands[finder], &place);
                let found = if let Some(directory) = searched(&place) {
                    self.secrets_below(directory, &looked_for, &mut looked)
                } else {
                    self.files_fitting(&place).into_iter().filter(|it| self.is_secret(it)).collect()
                };
                let is_let_through =
                    |path: &String| filters.iter().all(|filter| lets_through(filter, path));
                let found = found.into_iter().filter(is_let_through);
                shown.extend(found.filter(|path| self.is_found(path, &looked_for)));
                if looked > LOOKED {
                    self.opaque(Reason::TooManyParts, Span::new(0, 0));
                    return;
                }
            }
            let mut more = Vec::new();
            for path in shown {
                self.absolute_effect(EffectKind::Read, &Arg::Known(path), &mut more);
            }
            self.plan.commands[index].add(more);
        }
    }

    /// Returns the secrets that a command looks at where what started it prints what is read: it prints the variables along.
    fn read_for_tracer(&self, command: &PlannedCommand) -> Option<Vec<Effect>> {
        let carriers = std::iter::successors(command.parent, |at| self.plan.commands[*at].parent);
        let mut carriers = carriers.map(|at| &self.plan.commands[at].interpretation);
        let is_secret = |effect: &&Effect| {
            matches!(effect.kind, EffectKind::Read | EffectKind::List)
                && effect.target.class() == Some(PathClass::Secret)
        };
        let secret = command
            .effects
            .iter()
            .find(is_secret)
            .filter(|_| carriers.any(|carrier| carrier.is(ProgramTrait::ShowsReads)))?;
        let read = Effect { kind: EffectKind::Read, target: secret.target.clone() };
        Some(vec![read, Effect { kind: EffectKind::Disclose, target: Target::None }])
    }

    /// Whether a command prints an archive of what it is given, and nobody gets it but who reads along.
    fn prints_what_it_packs(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let mut flows = self.plan.flows.iter();
        let is_read = |effect: &Effect| matches!(effect.kind, EffectKind::Read | EffectKind::List);
        packs(command)
            && command.effects.iter().all(|effect| is_read(effect) || is_stream(effect))
            && !flows.any(|flow| flow.from.contains(&index))
    }

    /// Returns the commands that put trees into archives; none if too many get what they print.
    fn packers(&self) -> Option<Packers> {
        let commands = &self.plan.commands;
        let (printing, writing): (Vec<usize>, Vec<usize>) = (0..commands.len())
            .filter(|at| packs(&commands[*at]))
            .partition(|at| commands[*at].written().next().is_none());
        let mut piped: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        let mut pairs = 0;
        for flow in self.plan.flows.iter().filter(|_| !printing.is_empty()) {
            let first = printing.partition_point(|packer| *packer < flow.from.start);
            let from = printing[first..].iter().take_while(|packer| **packer < flow.from.end);
            for packer in from {
                pairs += flow.to.len();
                if pairs > LOOKED {
                    return None;
                }
                for to in flow.to.clone().filter(|to| to > packer) {
                    piped.entry(to).or_default().insert(*packer);
                }
            }
        }
        Some(Packers { piped, writing })
    }

    /// Returns the commands whose archives a command gets, or makes.
    fn packed_for(&self, index: usize, packers: &Packers) -> BTreeSet<usize> {
        let command = &self.plan.commands[index];
        let is_opened = |packer: &usize| {
            let mut written = self.plan.commands[*packer].written();
            written.any(|path| {
                read(command).any(|own| own == path) || command.written().any(|own| own == path)
            })
        };
        let written = packers.writing.iter().take_while(|packer| **packer < index);
        let mut given: BTreeSet<usize> = written.copied().filter(is_opened).collect();
        given.extend(packers.piped.get(&index).into_iter().flatten());
        given.extend(Some(index).filter(|_| packs(command)));
        given
    }

    /// Returns where a command shows what is there, among that what stands in the archives of these packers.
    fn starts_of(&self, index: usize, packers: &BTreeSet<usize>) -> Vec<Start> {
        let command = &self.plan.commands[index];
        let (given, own): (Vec<&str>, Vec<&str>) =
            read(command).partition(|path| is_below_any(path));
        let mut starts = self.named_starts(index, &given);
        if self.is_alone(index) {
            // A shell passes over what is hidden, where `**` goes down.
            let is_deep = |word: &Arg| matches!(word, Arg::Glob(text) if text.contains("**"));
            let written = given.iter().filter(|_| command.argv.iter().any(is_deep));
            let visible = |path: &str| {
                let start = path.strip_suffix("/*").unwrap_or(path).strip_suffix("/**");
                start.map_or_else(|| path.to_owned(), |start| format!("{start}/**/[!.]*"))
            };
            starts.extend(written.map(|path| Start::of(index, visible(path))));
        }
        if command.interpretation.is(ProgramTrait::ReadsTrees) {
            let below = own.iter().flat_map(|path| self.directories_at(path));
            starts.extend(below.map(|place| Start::of(index, place)));
        }
        for packer in packers {
            let (given, packed): (Vec<&str>, Vec<&str>) =
                read(&self.plan.commands[*packer]).partition(|path| is_below_any(path));
            let below = packed.into_iter().flat_map(|path| self.directories_at(path));
            starts.extend(below.map(|place| Start::of(*packer, place)));
            if *packer != index {
                starts.extend(self.named_starts(*packer, &given));
            }
        }
        starts
    }

    /// Returns where a command finds what it is given by names that are not known, which fit these patterns.
    fn named_starts(&self, index: usize, given: &[&str]) -> Vec<Start> {
        let Some(Feeding { finder, lister, filters }) =
            self.fed_by(index).filter(|_| !given.is_empty())
        else {
            return Vec::new();
        };
        let passes_over_hidden =
            self.plan.commands[finder].interpretation.is(ProgramTrait::PassesOverHidden);
        // Who leaves out what is hidden by a test means the rest of a workspace, which is in it for everybody; but not whoever names a
        // directory in one.
        let is_part = |start: &str| {
            let mut roots = self.facts.workspaces.iter();
            roots.any(|root| is_below(start, root) && start != root)
        };
        let is_told = |path: &&str| match path.split_once("/**/") {
            Some((start, "[!.]*")) => {
                is_part(start) || passes_over_hidden && self.names_files(finder)
            }
            Some((start, _)) => is_part(start) || self.names_files(finder),
            None => {
                packs(&self.plan.commands[index])
                    || !self.is_alone(index)
                    || path.strip_suffix("/**").is_some_and(is_part)
            }
        };
        // By name are listed the files that a pattern fits; what is in a directory is not called so where the names are read.
        let listed = lister.map(|at| &self.plan.commands[at].effects);
        let listed = listed.into_iter().flatten().filter(|effect| effect.kind == EffectKind::List);
        let (patterns, others): (Vec<&str>, Vec<&str>) =
            listed.filter_map(Effect::path).partition(|path| searched(path).is_none());
        let is_listed = |path: &str| {
            let start = path.split("/**").next().unwrap_or(path);
            others.is_empty() && patterns.iter().any(|pattern| is_below(pattern, start))
        };
        let told = given.iter().copied().filter(|path| !is_listed(path) && is_told(path));
        let places = told.chain(patterns.iter().copied()).map(str::to_owned);
        let start = |place| Start { by: index, finder, place, filters: filters.clone() };
        places.map(start).collect()
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

    /// Whether others look through what a command prints for variables, or for what is called like a secret.
    fn is_searched_for_secrets(&self, index: usize) -> bool {
        let names_one = |name: &str| {
            holds_secret(name)
                || holds_secret(&format!("_{name}"))
                || name.eq_ignore_ascii_case("env")
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let looks_for = |command: &PlannedCommand| {
            let is = |one| command.interpretation.is(one);
            let mut words = command.interpretation.words(&command.argv).filter_map(Arg::known);
            (is(ProgramTrait::Filters) || is(ProgramTrait::Picks))
                && words.any(|word| word.split(|c| !is_part(c)).any(names_one))
        };
        self.takers(index).any(looks_for)
    }

    /// Whether of what a command prints others only take what they look for.
    pub(super) fn is_picked_from(&self, index: usize) -> bool {
        let picks = |command: &PlannedCommand| {
            let is = |one| command.interpretation.is(one);
            let word = command.interpretation.words(&command.argv).next().and_then(Arg::known);
            is(ProgramTrait::Measures)
                || is(ProgramTrait::Filters) && lets_some_through(command)
                || is(ProgramTrait::Picks)
                    && word.is_some_and(|word| word.contains(char::is_alphabetic))
        };
        let mut takers = self.takers(index).peekable();
        takers.peek().is_some() && takers.all(picks)
    }

    /// Returns the commands that get by a pipe what a command prints.
    pub(super) fn takers(&self, index: usize) -> impl Iterator<Item = &PlannedCommand> {
        let is_pipe = move |flow: &&Flow| flow.kind == FlowKind::Pipe && flow.from.contains(&index);
        let pipes = self.plan.flows.iter().filter(is_pipe);
        pipes.flat_map(|flow| flow.to.clone()).filter_map(|at| self.plan.commands.get(at))
    }

    /// Returns the secrets below a directory, by their names, that a command does not pass over. What is built holds none of them; what a
    /// repository neither hides nor leaves out is in it for everybody.
    /// Adds to `looked` how much was looked at.
    fn secrets_below(
        &self,
        start: &str,
        looked_for: &Sought<'_>,
        looked: &mut usize,
    ) -> Vec<String> {
        let passes_over = |what| looked_for.command.interpretation.is(what);
        let mut found = Vec::new();
        if passes_over(ProgramTrait::PassesOverIgnored)
            && passes_over(ProgramTrait::PassesOverHidden)
            && looked_for.taken.is_empty()
            && !self.is_left_out(&absolute(start, "_"))
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
                    found.extend(Some(path).filter(|path| self.is_secret(path)));
                } else if entry.name != ".git" && open.len() < TREES && !is_build_output(&path) {
                    open.push(path);
                }
            }
        }
        if passes_over(ProgramTrait::PassesOverIgnored) {
            let is_taken = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path);
                looked_for.is_taken(name, path[start.len()..].trim_start_matches('/'))
            };
            // The directory that is named is searched, though the repository leaves it out.
            let is_left_out = |path: &str| {
                let is_visible = passes_over(ProgramTrait::PassesOverHidden);
                self.is_ignored(path, start) || is_visible && !self.is_ignored(path, "")
            };
            found.retain(|path| is_taken(path) || !is_left_out(path));
        }
        *looked += names + next * DIRECTORY;
        found
    }

    /// Returns the directories that are there of this path, which may be a pattern.
    fn directories_at(&self, path: &str) -> Vec<String> {
        if is_pattern(path) {
            return self.directories_fitting(path);
        }
        let is_there = self.scripts.is_directory(path);
        is_there.then(|| path.to_owned()).into_iter().collect()
    }

    /// Whether a repository leaves a file out.
    pub(super) fn is_left_out(&self, path: &str) -> bool {
        self.is_ignored(path, "")
    }

    /// Whether a repository leaves a file out by its name or that of a directory below `start` (gitignore(5)): the last line that fits
    /// says so.
    fn is_ignored(&self, path: &str, start: &str) -> bool {
        let mut roots = self.facts.workspaces.iter();
        let Some(root) = roots.find(|root| is_below(path, root)) else { return false };
        let above =
            std::iter::successors(path.rsplit_once('/'), |(above, _)| above.rsplit_once('/'));
        for (directory, _) in above.take_while(|(above, _)| is_below(above, root)) {
            let name = absolute(directory, ".gitignore");
            let text = self.scripts.exists(&name).then(|| self.scripts.text(&name)).flatten();
            let relative = &path[directory.len() + 1..];
            let mut lines = text.as_deref().unwrap_or_default().lines().rev();
            let above = start.len().saturating_sub(directory.len() + 1);
            let last =
                lines.find(|line| leaves_out(line.trim_start_matches('!').trim(), relative, above));
            if let Some(last) = last {
                return !last.starts_with('!');
            }
        }
        false
    }

    /// Whether a search finds something in a file.
    fn is_found(&self, path: &str, looked_for: &Sought<'_>) -> bool {
        let named = |parts: &Vec<String>| {
            let path = path.to_lowercase();
            parts.iter().all(|part| path.contains(part.as_str()))
        };
        if looked_for.named.as_ref().is_some_and(|alternatives| !alternatives.iter().any(named)) {
            return false;
        }
        let Some(alternatives) = &looked_for.parts else { return true };
        let Some(text) = self.scripts.text(path) else { return true };
        let text = text.to_lowercase();
        let is_in = |parts: &Vec<String>| {
            text.lines().any(|line| parts.iter().all(|part| line.contains(part.as_str())))
        };
        alternatives.iter().any(is_in)
    }

    /// Whether a command gets no names from others.
    fn is_alone(&self, index: usize) -> bool {
        let gives = |flow: &Flow| flow.kind == FlowKind::Substitution && flow.to.contains(&index);
        self.plan.commands[index].parent.is_none() && !self.plan.flows.iter().any(gives)
    }

    /// Whether a command finds files by their names only, and says where they are.
    fn names_files(&self, index: usize) -> bool {
        let interpretation = &self.plan.commands[index].interpretation;
        let reads = |touch: &Touch| touch.kind == EffectKind::Read;
        !interpretation.is(ProgramTrait::BareNames)
            && (interpretation.is(ProgramTrait::RunsForEach)
                || interpretation.is(ProgramTrait::ListsFiles))
            && !interpretation.touches.iter().any(reads)
            && !interpretation.in_repository
    }

    /// Returns where the names come from that a command gets; none if it gets none, or a filter of which is not known what it lets through.
    fn fed_by(&self, index: usize) -> Option<Feeding> {
        let commands = &self.plan.commands;
        let carries = |at: &usize| {
            let interpretation = &commands[*at].interpretation;
            interpretation.is(ProgramTrait::TakesWords)
                || interpretation.is(ProgramTrait::RunsForEach)
        };
        let carrier = commands[index].parent.filter(carries);
        let takes = carrier.is_some() || packs(&commands[index]);
        let kind = |flow: &&Flow| takes || flow.kind == FlowKind::Substitution;
        let given = |at: usize| self.plan.flows.iter().filter(move |flow| flow.to.contains(&at));
        let mut from: Vec<usize> = given(carrier.unwrap_or(index))
            .filter(kind)
            .flat_map(|flow| flow.from.clone())
            .collect();
        let mut filters = Vec::new();
        let mut next = 0;
        while let Some(at) = from.get(next).copied().filter(|_| next < FEEDING) {
            next += 1;
            if let Some(filter) = commands.get(at).filter(|command| lets_some_through(command)) {
                filters.push(let_through(&filter.interpretation, &filter.argv)?);
            }
            let more: Vec<usize> = given(at).flat_map(|flow| flow.from.clone()).collect();
            from.extend(more.into_iter().filter(|more| *more < at));
        }
        let is_bare = |at: &usize| {
            commands.get(*at).is_some_and(|command| {
                let interpretation = &command.interpretation;
                interpretation.is(ProgramTrait::ListsFiles)
                    && interpretation.is(ProgramTrait::BareNames)
                    && command.place == Place::Here
            })
        };
        let lister = from.iter().copied().find(is_bare);
        let found = from
            .into_iter()
            .chain(carrier)
            .find(|at| commands.get(*at).is_some_and(|_| self.names_files(*at)));
        Some(Feeding { finder: found.unwrap_or(index), lister, filters })
    }
}

/// Whether a command reads something by redirections of its own: what comes so, goes where nobody says.
fn is_redirected(command: &PlannedCommand) -> bool {
    let own = if command.argv.is_empty() { command.effects.len() } else { command.opened };
    command.effects.iter().take(own).any(|effect| effect.kind == EffectKind::Read)
}

/// Whether an effect writes to what a command was given by whoever started it, and reads along.
fn is_stream(effect: &Effect) -> bool {
    effect.kind == EffectKind::Write
        && effect.target.class() == Some(PathClass::Null)
        && effect.path() != Some("/dev/null")
}

/// Returns the directory below which a pattern, or a path, stands for files; none for a pattern of names in directories.
fn searched(place: &str) -> Option<&str> {
    let above = place.split("/**").next().unwrap_or(place);
    (!is_pattern(above)).then_some(above)
}

/// Whether a filter lets a path through, or one of its names.
fn lets_through(filter: &Patterns, path: &str) -> bool {
    let fits = |pattern: &String| path.split('/').any(|name| glob_match(pattern, name));
    filter.iter().any(fits)
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// Whether a path stands for all below a directory, or for what has a name there.
fn is_below_any(path: &str) -> bool {
    let name = path.split_once("/**/").map(|(_, name)| name);
    path.ends_with("/**")
        || name.is_some_and(|name| !name.contains('/') && !matches!(name, TRACKED | "?*" | ".*"))
}

/// Where what a command reads was before it was copied: the place itself, or all that was put below it.
fn copied_from(path: &str, link: &Link) -> Option<String> {
    let to = link.to.as_ref()?;
    let is_above = || is_below(&link.at, path.strip_suffix("/**").unwrap_or(path));
    below(path, &link.at)
        .map(|rest| absolute(to, rest))
        .or_else(|| is_above().then(|| format!("{to}/**")))
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

/// Whether a line of `.gitignore` is about a file, or about a directory on the way to it whose path is longer than `above`.
fn leaves_out(line: &str, relative: &str, above: usize) -> bool {
    let pattern = line.trim_end_matches('/');
    if pattern.is_empty() || pattern.starts_with('#') {
        return false;
    }
    let is_bound = pattern.contains('/');
    let pattern = pattern.trim_start_matches('/');
    let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
    ends.into_iter().filter(|end| *end > above).any(|end| {
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
    /// What finds the files.
    command: &'p PlannedCommand,
    left_out: Vec<&'p str>,
    /// The command that reads them reads only some of them.
    narrows: bool,
    /// Patterns of names that are read though they are hidden or left out.
    taken: Vec<String>,
    /// Patterns of all names that are read, each of one kind.
    names: Vec<Component>,
    /// What the paths hold that are found, as `parts`.
    named: Option<Vec<Vec<String>>>,
    /// For each alternative of what it looks for the letters that stand in each line which it finds; none if that may be any line.
    parts: Option<Vec<Vec<String>>>,
}

impl<'p> Sought<'p> {
    fn by(command: &'p PlannedCommand, finder: &'p PlannedCommand, start: &str) -> Self {
        let interpretation = &command.interpretation;
        let given = |options| {
            let given = finder.interpretation.given(options);
            given.filter_map(|option| option.value.as_ref()?.pattern()).collect::<Vec<&str>>()
        };
        let (not, taken): (Vec<&str>, Vec<&str>) =
            given(TAKING).into_iter().partition(|name| name.starts_with('!'));
        let mut left_out = given(LEAVING_OUT);
        left_out.extend(not.into_iter().map(|name| name.trim_start_matches('!')));
        let name = start.split_once("/**/").map(|(_, name)| name.to_owned());
        let endings = given(&["--extension"]).into_iter().map(|ending| format!("*.{ending}"));
        let by_name = finder.interpretation.is(ProgramTrait::RunsForEach)
            || finder.interpretation.is(ProgramTrait::ListsFiles);
        let searches =
            interpretation.is(ProgramTrait::Filters) || interpretation.is(ProgramTrait::ReadsTrees);
        let named = by_name.then(|| parts(&finder.interpretation, &finder.argv)).flatten();
        Self {
            command: finder,
            left_out,
            narrows: interpretation.is(ProgramTrait::Narrows),
            taken: taken.into_iter().map(str::to_lowercase).collect(),
            names: name
                .into_iter()
                .chain(endings)
                .map(|name| Component::new(&name, true))
                .collect(),
            named: named.filter(|_| !std::ptr::eq(command, finder)),
            parts: parts(interpretation, &command.argv).filter(|_| searches),
        }
    }

    /// Whether options say that files of this name are read.
    fn is_taken(&self, name: &str, relative: &str) -> bool {
        let (name, relative) = (name.to_lowercase(), relative.to_lowercase());
        let fits = |pattern: &String| {
            let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
            glob_match(pattern, &name) || glob_match(pattern, &relative)
        };
        self.taken.iter().any(fits)
    }

    fn passes_over(&self, name: &str, relative: &str, is_directory: bool) -> bool {
        let fits = |pattern: &&str| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            let pattern = pattern.trim_end_matches("/**").trim_end_matches("/*");
            glob_match(pattern, name) || glob_match(pattern.trim_start_matches('/'), relative)
        };
        let interpretation = &self.command.interpretation;
        let is_taken = self.is_taken(name, relative);
        // Types of files are mostly called by how their names end.
        let is_of_type = || {
            let mut types = interpretation
                .given(&["--type"])
                .filter_map(|option| option.value.as_ref()?.known());
            types.any(|kind| name.rsplit('.').next() == Some(kind))
        };
        name.starts_with('.') && !is_taken && interpretation.is(ProgramTrait::PassesOverHidden)
            || self.left_out.iter().any(fits)
            || !is_directory
                && (self.narrows && !is_of_type()
                    || !self.taken.is_empty() && !is_taken
                    || !self.names.iter().all(|names| names.fits(name)))
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
