//! What stands elsewhere than its name says. What a link of the line leads to counts as written, and what is deleted or moved away below
//! one is that which it leads to. What is taken away where a line moved it is what stood elsewhere before.
//! Elsewhere paths go by their names; commands go by their effects, whatever program has them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fast_glob::glob_match;

use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place, Touch};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait, Real, Reason, Span, Target};
use crate::paths::absolute;

/// Links beyond these are not looked for: each is, in all that is taken away.
const LINKS: usize = 128;

/// Of a line that moves more, it is not known what stands where.
const MOVED: usize = 256;

/// Options by which a program copies links as links.
const COPYING: &[&str] =
    &["-P", "--no-dereference", "-d", "-a", "--archive", "-r", "-R", "--recursive"];

/// A name of something that has, or had, another: a link, or what a command put elsewhere.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) at: String,
    /// The other name, absolute; none if that is not known.
    pub(super) to: Option<String>,
}

impl Walker<'_> {
    /// Notes the links that a command makes, and that it may write where they lead.
    pub(super) fn note_links(&mut self, index: usize) {
        // With more of them, the line is not known.
        if self.links.len() > LINKS {
            return;
        }
        let second = self.second_names(&self.plan.commands[index]);
        self.plan.commands[index].add(second);
        let command = &self.plan.commands[index];
        let mut links = made(command);
        // What is written to a link is written where it leads.
        let mut more: Vec<Effect> = Vec::new();
        for to in links.iter().filter_map(|link| link.to.clone()) {
            self.absolute_effect(EffectKind::Write, &Arg::Known(to), &mut more);
        }
        if !self.links.is_empty() {
            links.extend(moved(command, &self.links));
        }
        links.extend(self.copied_links(index));
        self.links.extend(links);
        self.plan.commands[index].add(more);
    }

    /// Returns that a command which gives whole directories second names may write all that is in them, under these.
    fn second_names(&self, command: &PlannedCommand) -> Vec<Effect> {
        let mut more: Vec<Effect> = Vec::new();
        if command.place != Place::Here
            || !command.interpretation.is(ProgramTrait::GivesSecondNames)
        {
            return more;
        }
        let is_named =
            |effect: &&Effect| matches!(effect.kind, EffectKind::Read | EffectKind::Write);
        for path in command.effects.iter().filter(is_named).filter_map(Effect::path) {
            let is_file = self.scripts.exists(path) && !self.scripts.is_directory(path);
            let below = (!is_file).then(|| Arg::Glob(absolute(path, "**")));
            for name in [Some(Arg::Known(path.to_owned())), below].into_iter().flatten() {
                self.absolute_effect(EffectKind::Write, &name, &mut more);
            }
        }
        more
    }

    /// Returns where a command puts links that are there, as links: those that lead to another kind of place than they stand in.
    fn copied_links(&self, index: usize) -> Vec<Link> {
        let command = &self.plan.commands[index];
        if command.place != Place::Here {
            return Vec::new();
        }
        let leads_away = |from: &String| match self.scripts.behind_links(from, self.facts, true) {
            Real::Same => false,
            Real::Other(real) => {
                self.class(EffectKind::Write, &real) != self.class(EffectKind::Write, from)
            }
            Real::Unknown => true,
        };
        let kinds = with_links(&command.interpretation);
        let put = put(command, kinds).into_iter().take(LINKS);
        let put = put.filter(|link| link.to.as_ref().is_some_and(leads_away));
        put.map(|link| Link { at: link.at, to: None }).collect()
    }

    /// Adds to what changes or is taken away below what an archive was unpacked to that it may be anywhere: a directory on the way that
    /// was not there before may be a link of the archive.
    pub(super) fn follow_unpacked(&mut self) {
        let mut places: Vec<String> = Vec::new();
        for index in 0..self.plan.commands.len() {
            let more = self.followed_effects(index, |effect, path| {
                use EffectKind::{Append, Permission, PermissionTree, Write};
                let kind = effect.kind;
                let counts = takes_away(kind)
                    || matches!(kind, Write | Append | Permission | PermissionTree);
                let is_in =
                    |place: &String| below(path, place).is_some_and(|rest| rest.contains('/'));
                let is_there = |path: &str| {
                    path.rsplit_once('/').is_some_and(|(above, _)| self.scripts.is_directory(above))
                };
                if counts && places.iter().any(is_in) && !is_there(path) {
                    vec![Arg::Unknown]
                } else {
                    Vec::new()
                }
            });
            let command = &mut self.plan.commands[index];
            command.add(more);
            let unpacks = |effect: &Effect| effect.kind == EffectKind::Unpack;
            if command.place == Place::Here
                && places.len() < LINKS
                && command.effects.iter().any(unpacks)
            {
                let written: Vec<String> = unpacked_to(command).map(str::to_owned).collect();
                places.extend(written);
            }
        }
    }

    /// Forgets where this is, if a command moves the directory that this is in, or one above it.
    pub(super) fn note_where_it_is_moved(&mut self, index: usize) {
        let moves = |here: &str| {
            self.plan.commands[index].effects.iter().any(|effect| match &effect.target {
                Target::Path { path: Some(path), .. } => {
                    effect.kind == EffectKind::Move && below(here, path).is_some()
                }
                _ => effect.kind == EffectKind::Move,
            })
        };
        if self.state.directories.iter().flatten().any(|here| moves(here)) {
            self.state.directories = vec![None];
        }
    }

    /// Notes the links that the code of a command makes, at one of these places.
    pub(super) fn note_links_at(&mut self, effects: &[Effect]) {
        let places = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let links =
            places.filter_map(|effect| Some(Link { at: effect.path()?.to_owned(), to: None }));
        self.links.extend(links);
    }

    /// Returns what else a path may be, as it is written from a directory, because of links on its way: those that are there, and those
    /// that the line makes, where `..` stands behind one.
    pub(super) fn behind_links(
        &self,
        kind: EffectKind,
        directory: &str,
        text: &str,
        named: &Target,
    ) -> Option<Target> {
        let Target::Path { path: Some(path), class } = named else { return None };
        let is_looked_at =
            !matches!(kind, EffectKind::List | EffectKind::Execute | EffectKind::Mount);
        // What stands there leads to the guard's own files, not to those of what it lets run.
        let is_kernels = path.starts_with("/dev/") || path.starts_with("/proc/");
        if self.place != Place::Here || !is_looked_at || is_kernels {
            return None;
        }
        let goes_up = text.contains("..");
        if goes_up && self.leads_up_behind_link(directory, text) {
            return Some(Target::ANYWHERE);
        }
        let is_on_way = |link: &Link| {
            let is_itself = takes_away(kind) && !text.ends_with('/');
            link.to.is_none()
                && may_meet(path, &link.at)
                && below(path, &link.at).is_some_and(|rest| !(is_itself && rest.is_empty()))
        };
        // With more of them, the line is not known.
        if self.links.len() <= LINKS && self.links.iter().any(is_on_way) {
            return Some(Target::ANYWHERE);
        }
        let whole: Cow<'_, str> = match (goes_up, text.starts_with('/')) {
            (false, _) => path.into(),
            (true, true) => text.into(),
            (true, false) => format!("{directory}/{text}").into(),
        };
        let follows = !takes_away(kind) || text.ends_with('/');
        match self.scripts.behind_links(&whole, self.facts, follows) {
            Real::Same => None,
            Real::Other(real) if real == *path => None,
            Real::Other(real) => {
                let behind = self.class(kind, &real);
                // What a pattern stands for may be another class than what its text is.
                let is_pattern = real.contains(['*', '?', '[', '{']);
                let is_other = goes_up || is_pattern || behind != *class;
                is_other.then_some(Target::Path { path: Some(real), class: behind })
            }
            Real::Unknown => Some(Target::ANYWHERE),
        }
    }

    /// Whether a way, from a directory, leads up behind a link that the line makes.
    fn leads_up_behind_link(&self, from: &str, text: &str) -> bool {
        let mut here = String::new();
        let start = if text.starts_with('/') { "" } else { from };
        for name in start.split('/').chain(text.split('/')) {
            match name {
                "" | "." => {}
                ".." if self.makes_link_at(&here) => return true,
                ".." => here.truncate(here.rfind('/').unwrap_or(0)),
                name => {
                    here.push('/');
                    here.push_str(name);
                }
            }
        }
        false
    }

    /// Whether a link that the line makes is on the way to an absolute path, or is what it names.
    fn leads_over_link(&self, path: &str) -> bool {
        let mut ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
        !self.links.is_empty() && ends.any(|end| self.makes_link_at(&path[..end]))
    }

    /// Whether the line makes a link of this name, or so many that it may.
    fn makes_link_at(&self, path: &str) -> bool {
        self.links.len() > LINKS
            || self.links.iter().any(|link| link.at == path || glob_match(&link.at, path))
    }

    /// Returns the directories that are entered by these names: what is behind links that the line makes is not known, and behind those
    /// that are there it may be either, as programs and shells take `..` differently.
    pub(super) fn led(&self, directories: Vec<Option<String>>) -> Vec<Option<String>> {
        if self.place != Place::Here {
            return directories;
        }
        let mut entered: Vec<Option<String>> = Vec::with_capacity(directories.len());
        for directory in directories {
            let Some(name) = directory.filter(|name| !self.leads_over_link(name)) else {
                entered.push(None);
                continue;
            };
            let class = |path: &str| self.class(EffectKind::Write, path);
            let real = match self.scripts.behind_links(&name, self.facts, true) {
                Real::Other(real) if class(&real) != class(&name) => Some(Some(real)),
                Real::Other(_) | Real::Same => None,
                Real::Unknown => Some(None),
            };
            entered.push(Some(name));
            entered.extend(real);
        }
        entered
    }

    /// Adds what is taken away, or gets another mode, where a path leads over a link of this line.
    pub(super) fn follow_links(&mut self) {
        if self.links.len() > LINKS {
            self.opaque(Reason::TooManyParts, Span::new(0, 0));
            return;
        }
        // What a search finds behind links has no other name than theirs.
        let mut is_searched = false;
        for index in 0..self.plan.commands.len() {
            let goes_in = self.plan.commands[index].argv.iter().any(leads_in);
            is_searched |= self.plan.commands[index].interpretation.is(ProgramTrait::FollowsLinks);
            let more = self.followed_effects(index, |effect, path| {
                use EffectKind::{Append, Permission, PermissionTree, Read, Write};
                let changes = matches!(effect.kind, Permission | PermissionTree);
                let passes = matches!(effect.kind, Read | Write | Append);
                let counts = takes_away(effect.kind) || changes || passes;
                // Without a slash behind it, the link itself is meant; what it leads to counts as written already.
                let is_itself = passes || !changes && !goes_in;
                let links = self.links.iter().filter(|_| counts);
                let met = links.filter_map(|link| Some((link, below(path, &link.at)?)));
                let behind = met.filter(|(_, rest)| !(rest.is_empty() && is_itself));
                let behind = behind.map(|(link, rest)| link.leads(rest));
                let found = self.links.iter().filter(|_| is_searched && takes_away(effect.kind));
                behind.chain(found.filter_map(|link| link.found(path))).collect()
            });
            self.plan.commands[index].add(more);
        }
    }

    /// Adds to what is taken away from places of little worth that it is what a command before moved there.
    pub(super) fn follow_moves(&mut self) {
        let mut moved: Vec<Link> = Vec::new();
        // A trap runs at the end.
        let is_late = |index: &usize| self.plan.commands[*index].via.iter().any(|by| by == "trap");
        let (late, now) = (0..self.plan.commands.len()).partition::<Vec<usize>, _>(is_late);
        for index in now.into_iter().chain(late) {
            let put = match &self.plan.commands[index] {
                command if command.place == Place::Here && moved.len() <= MOVED => {
                    put(command, &[EffectKind::Move])
                }
                _ => Vec::new(),
            };
            let more = self.followed_effects(index, |effect, path| {
                let class = effect.target.class();
                match takes_away(effect.kind) && class.is_some_and(PathClass::is_of_little_worth) {
                    true if moved.len() > MOVED => vec![Arg::Unknown],
                    true => moved.iter().filter_map(|link| link.reached(path)).collect(),
                    false => Vec::new(),
                }
            });
            self.plan.commands[index].add(more);
            for link in put {
                // Each may double what is known, as a directory that is moved into itself does.
                if moved.len() > MOVED {
                    break;
                }
                let again = moved.iter().filter_map(|other| other.again(&link));
                let again: Vec<Link> = again.collect();
                moved.extend(again);
                moved.push(link);
            }
        }
    }

    /// Returns what command `index` does by other names of the paths that it names; `named` returns those of one.
    fn followed_effects(
        &self,
        index: usize,
        named: impl Fn(&Effect, &str) -> Vec<Arg>,
    ) -> Vec<Effect> {
        let command = &self.plan.commands[index];
        let mut more: Vec<Effect> = Vec::new();
        for effect in command.effects.iter().filter(|_| command.place == Place::Here) {
            let names = effect.path().map_or_else(Vec::new, |path| named(effect, path));
            for name in &names {
                self.absolute_effect(effect.kind, name, &mut more);
            }
        }
        more
    }

    /// Adds the effect on an absolute path.
    pub(super) fn absolute_effect(&self, kind: EffectKind, path: &Arg, effects: &mut Vec<Effect>) {
        self.path_effects_in(kind, path, &[Some("/".to_owned())], effects);
    }
}

impl Link {
    /// Returns what the other name of something below it is.
    fn leads(&self, rest: &str) -> Arg {
        self.to.as_ref().map_or(Arg::Unknown, |to| Arg::Glob(absolute(to, rest)))
    }

    /// Returns the other name of what a path names: this, what is in it, or all of it for a path that holds it.
    fn reached(&self, path: &str) -> Option<Arg> {
        let is_found = || path.contains("**") && glob_match(path, &self.at);
        let rest = below(path, &self.at)
            .or_else(|| below(&self.at, path).map(|_| ""))
            .or_else(|| is_found().then_some(""))?;
        Some(self.leads(rest))
    }

    /// Returns the other name of what a search below a place finds behind it.
    fn found(&self, pattern: &str) -> Option<Arg> {
        let open = pattern.find(['*', '?', '[']).and_then(|at| pattern[..at].rfind('/'));
        let (start, names) = pattern.split_at(open.unwrap_or(pattern.len()));
        below(&self.at, start)?;
        Some(self.leads(names.trim_start_matches('/')))
    }

    /// Returns what becomes of it if something is moved that holds it, or that it holds.
    fn again(&self, moved: &Self) -> Option<Self> {
        let from = moved.to.as_deref()?;
        let rest = below(&self.at, from);
        let at = rest.map_or_else(|| moved.at.clone(), |rest| absolute(&moved.at, rest));
        let to = self.reached(from)?.pattern().map(str::to_owned);
        Some(Self { at, to })
    }
}

/// Returns the places that a command which unpacks an archive unpacks it to.
pub(super) fn unpacked_to(command: &PlannedCommand) -> impl Iterator<Item = &str> {
    // tar unpacks where `-C` says; the place that it was called from comes last, and only takes what it writes itself.
    let called_from = match command.directories.as_slice() {
        [_, .., last] if !command.interpretation.enters.is_empty() => last.as_deref(),
        _ => None,
    };
    command.written().filter(move |path| Some(*path) != called_from)
}

/// What a command puts where by effects of these kinds: under the name that it writes, or in that by its own.
pub(super) fn put(command: &PlannedCommand, kinds: &[EffectKind]) -> Vec<Link> {
    let paths = |kind| {
        let effects = command.effects.iter().filter(move |effect| effect.kind == kind);
        effects.filter(|effect| effect.target.class().is_some()).map(Effect::path)
    };
    let mut put = Vec::new();
    for from in kinds.iter().flat_map(|kind| paths(*kind)) {
        let name = from.and_then(|from| from.rsplit('/').next()).unwrap_or("*");
        for at in paths(EffectKind::Write).flatten() {
            for at in [at.to_owned(), absolute(at, name)] {
                put.push(Link { at, to: from.map(str::to_owned) });
            }
            if put.len() > MOVED {
                return put;
            }
        }
    }
    put
}

/// Whether a command gives what is there a second name, which is no less its own than the first (link(2)).
pub(super) fn gives_second_names(interpretation: &Interpretation) -> bool {
    let is = |one| interpretation.is(one);
    (is(ProgramTrait::Links) || is(ProgramTrait::GivesSecondNames))
        && !is(ProgramTrait::SymbolicLinks)
}

/// By what effects a command puts elsewhere what it is given, links as links.
fn with_links(interpretation: &Interpretation) -> &'static [EffectKind] {
    if interpretation.gives(COPYING) {
        &[EffectKind::Move, EffectKind::Read]
    } else {
        &[EffectKind::Move]
    }
}

pub(super) const fn takes_away(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Move)
}

/// Whether a word means what a link leads to: `k/`, `k/.`.
fn leads_in(word: &Arg) -> bool {
    word.pattern().is_none_or(|text| text.ends_with('/') || text.ends_with("/."))
}

/// Whether two patterns begin alike, as far as both are written out.
fn may_meet(one: &str, other: &str) -> bool {
    let written = |text: &str| text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len());
    let length = written(one).min(written(other));
    one.as_bytes()[..length] == other.as_bytes()[..length]
}

/// Returns what of a path is behind a link, if it leads over it or is it.
pub(super) fn below<'p>(path: &'p str, link: &str) -> Option<&'p str> {
    let depth = link.matches('/').count();
    let end = path.match_indices('/').nth(depth).map_or(path.len(), |(at, _)| at);
    let (head, rest) = path.split_at(end);
    let fits = head == link || (!head.contains("**") && glob_match(head, link));
    fits.then(|| rest.trim_start_matches('/'))
}

/// The places where links stand behind a command that moves or copies some, or what holds them: where they lead from there is not known.
fn moved(command: &PlannedCommand, links: &BTreeSet<Link>) -> Vec<Link> {
    let interpretation = &command.interpretation;
    // A name that is given to a link is one as well.
    let kinds: &[EffectKind] = if gives_second_names(interpretation) {
        &[EffectKind::Write]
    } else {
        with_links(interpretation)
    };
    if command.place != Place::Here {
        return Vec::new();
    }
    let holds = |put: &Link| {
        let is_in = |from: &String, link: &Link| {
            below(&link.at, from).is_some() || glob_match(from, &link.at)
        };
        put.to.as_ref().is_none_or(|from| links.iter().any(|link| is_in(from, link)))
    };
    let put = put(command, kinds).into_iter().filter(holds).take(LINKS);
    let places = put.flat_map(|link| [format!("{}/**", link.at), link.at]);
    places.map(|at| Link { at, to: None }).collect()
}

/// Whether a word is what a symbolic link will hold, which leads on from where the link stands (symlink(7)): [`made`] says where.
pub(super) fn is_linked_to(touch: &Touch, interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let is = |one| interpretation.is(one);
    let holds_text = is(ProgramTrait::SymbolicLinks) && is(ProgramTrait::Links);
    if !holds_text || touch.kind != EffectKind::Write || !interpretation.unknown.is_empty() {
        return false;
    }
    let operands = || interpretation.operands.iter().map(|(index, _)| *index);
    let last = operands().max();
    let known = |index: Option<usize>| index.and_then(|at| argv.get(at)).and_then(Arg::known);
    touch.index < last
        && operands().any(|operand| Some(operand) == touch.index)
        && known(touch.index).is_some()
        && known(last).is_some()
        && !interpretation.gives(&["-r", "--relative", "-t", "--target-directory"])
}

/// The links that a command makes (coreutils manual, `ln`): by the name of the last operand, or in it by the names of the others.
pub(super) fn made(command: &PlannedCommand) -> Vec<Link> {
    let interpretation = &command.interpretation;
    if !interpretation.is(ProgramTrait::SymbolicLinks) || command.place != Place::Here {
        return Vec::new();
    }
    let mut operands: Vec<&Arg> = interpretation.words(&command.argv).collect();
    operands.dedup_by(|one, other| std::ptr::eq(*one, *other));
    let here = Arg::Known(".".to_owned());
    let into = interpretation.value(&["-t", "--target-directory"]);
    let (place, sources) = match (into, operands.as_slice()) {
        (Some(into), sources) => (into, sources),
        (None, [source]) => (&here, std::slice::from_ref(source)),
        (None, [sources @ .., last]) => (*last, sources),
        (None, []) => return Vec::new(),
    };
    // `ln -r`, and `cp`, take their sources from where they are called.
    let from_here =
        !interpretation.is(ProgramTrait::Links) || interpretation.gives(&["-r", "--relative"]);
    let mut links = Vec::new();
    for from in command.directories.iter().flatten() {
        let Some(place) = place.pattern().map(|place| absolute(from, place)) else { continue };
        for source in sources.iter().map(|source| source.known()) {
            let above = place.rsplit_once('/').map_or("", |(above, _)| above);
            let name = source.and_then(|name| name.trim_end_matches('/').rsplit('/').next());
            let inside = absolute(&place, name.unwrap_or("*"));
            for (at, above) in [(place.clone(), above), (inside, &place)] {
                let above = if from_here { from } else { above };
                links.push(Link { at, to: source.map(|source| absolute(above, source)) });
            }
        }
    }
    links
}
