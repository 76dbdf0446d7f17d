//! Links that a line makes: what they lead to counts as written, and what is deleted or moved away below one is that which it leads to.
//! Elsewhere paths go by their names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fast_glob::glob_match;

use super::moved::put;
use super::plan::PlannedCommand;
use super::redirect::Targets;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, PathClass, Real, Reason, Span, Target};
use crate::paths::absolute;

/// Links beyond these are not looked for: each is, in all that is taken away.
const LINKS: usize = 128;

/// A link to a file or directory.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    path: String,
    /// Where it leads, absolute; none if that is not known.
    to: Option<String>,
}

impl Walker<'_> {
    /// Notes the links that a command makes, and that it may write where they lead.
    pub(super) fn note_links(&mut self, index: usize) {
        // With more of them, the line is not known.
        if self.links.len() > LINKS {
            return;
        }
        let command = &self.plan.commands[index];
        let mut links = made(command);
        // What is written to a link is written where it leads.
        let mut more: Vec<Effect> = Vec::new();
        for to in links.iter().filter_map(|link| link.to.clone()) {
            let root = [Some("/".to_owned())];
            self.path_effects_in(EffectKind::Write, &Arg::Known(to), &root, &mut more);
        }
        more.retain(|effect| !command.effects.contains(effect));
        if !self.links.is_empty() {
            links.extend(moved(command, &self.links));
        }
        self.links.extend(links);
        self.plan.commands[index].effects.extend(more);
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
        self.links.extend(places.filter_map(|effect| match &effect.target {
            Target::Path { path: Some(path), .. } => Some(Link { path: path.clone(), to: None }),
            _ => None,
        }));
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
        let unknown = Target::Path { path: None, class: PathClass::Unknown };
        let goes_up = text.contains("..");
        if goes_up && self.leads_over(directory, text, false) {
            return Some(unknown);
        }
        let is_on_way = |link: &Link| {
            let is_itself = takes_away(kind) && !text.ends_with('/');
            link.to.is_none()
                && may_meet(path, &link.path)
                && below(path, &link.path).is_some_and(|rest| !(is_itself && rest.is_empty()))
        };
        // With more of them, the line is not known.
        if self.links.len() <= LINKS && self.links.iter().any(is_on_way) {
            return Some(unknown);
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
                let is_other = goes_up || behind != *class;
                is_other.then_some(Target::Path { path: Some(real), class: behind })
            }
            Real::Unknown => Some(unknown),
        }
    }

    /// Whether a way, from a directory, leads up behind a link that the line makes; as `whole`, whether it leads over one at all.
    fn leads_over(&self, from: &str, text: &str, whole: bool) -> bool {
        if self.links.is_empty() {
            return false;
        }
        let is_link = |here: &str| {
            self.links.len() > LINKS
                || self.links.iter().any(|link| link.path == here || glob_match(&link.path, here))
        };
        let mut here = String::new();
        let start = if text.starts_with('/') { "" } else { from };
        for name in start.split('/').chain(text.split('/')) {
            match name {
                "" | "." => {}
                ".." => {
                    if is_link(&here) {
                        return true;
                    }
                    here.truncate(here.rfind('/').unwrap_or(0));
                }
                name => {
                    here.push('/');
                    here.push_str(name);
                    if whole && is_link(&here) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Returns the directories that are entered by these names: what is behind links that the line makes is not known, and behind those
    /// that are there it may be either, as programs and shells take `..` differently.
    pub(super) fn led(&self, directories: Vec<Option<String>>) -> Vec<Option<String>> {
        if self.place != Place::Here {
            return directories;
        }
        let mut entered: Vec<Option<String>> = Vec::with_capacity(directories.len());
        for directory in directories {
            let Some(name) = directory.filter(|name| !self.leads_over(name, "", true)) else {
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
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            let mut more: Vec<Effect> = Vec::new();
            for effect in &command.effects {
                let Target::Path { path: Some(path), .. } = &effect.target else { continue };
                let changes =
                    matches!(effect.kind, EffectKind::Permission | EffectKind::PermissionTree);
                let passes = matches!(
                    effect.kind,
                    EffectKind::Read | EffectKind::Write | EffectKind::Append
                );
                let counts = takes_away(effect.kind) || changes || passes;
                if !counts || command.place != Place::Here {
                    continue;
                }
                for link in &self.links {
                    let Some(rest) = below(path, &link.path) else { continue };
                    // Without a slash behind it, the link itself is meant; what it leads to counts as written already.
                    let is_itself = !changes && !command.argv.iter().any(leads_in);
                    if rest.is_empty() && (passes || is_itself) {
                        continue;
                    }
                    let to = link.to.as_ref().map(|to| Arg::Glob(absolute(to, rest)));
                    let to = to.unwrap_or(Arg::Unknown);
                    self.path_effects_in(effect.kind, &to, &[Some("/".to_owned())], &mut more);
                }
            }
            more.retain(|effect| !command.effects.contains(effect));
            self.plan.commands[index].effects.extend(more);
        }
    }
}

pub(super) const fn takes_away(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Move)
}

/// Whether a word means what a link leads to: `k/`, `k/.`.
fn leads_in(word: &Arg) -> bool {
    match word {
        Arg::Known(text) | Arg::Glob(text) => text.ends_with('/') || text.ends_with("/."),
        Arg::Prefix(_) | Arg::Unknown | Arg::Many => true,
    }
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
    let copies = interpretation.gives(&[
        "-P",
        "--no-dereference",
        "-d",
        "-a",
        "--archive",
        "-r",
        "-R",
        "--recursive",
    ]);
    // A name that `ln` gives to a link is one as well.
    let is_linked = interpretation.program == "ln" && !makes_links(interpretation);
    let kinds: &[EffectKind] = match (is_linked, copies) {
        (true, _) => &[EffectKind::Write],
        (false, true) => &[EffectKind::Move, EffectKind::Read],
        (false, false) => &[EffectKind::Move],
    };
    let holds = |from: &Option<String>| {
        from.as_ref().is_none_or(|from| {
            let is_in =
                |link: &Link| below(&link.path, from).is_some() || glob_match(from, &link.path);
            links.iter().any(is_in)
        })
    };
    if command.place != Place::Here {
        return Vec::new();
    }
    let put = put(command, kinds).into_iter().filter(|(from, _)| holds(from)).take(LINKS);
    let links = put.flat_map(|(_, to)| [format!("{to}/**"), to]);
    links.map(|path| Link { path, to: None }).collect()
}

/// The links that a command makes (coreutils manual, `ln`): by the name of the last operand, or in it by the names of the others.
fn made(command: &PlannedCommand) -> Vec<Link> {
    let interpretation = &command.interpretation;
    if !makes_links(interpretation) || command.place != Place::Here {
        return Vec::new();
    }
    let operands = interpretation.operands.iter().map(|(index, _)| &command.argv[*index]);
    let mut operands: Vec<&Arg> = operands.collect();
    operands.dedup_by(|one, other| std::ptr::eq(*one, *other));
    let into = interpretation.given(&["-t", "--target-directory"]).next_back();
    let into = into.and_then(|option| option.value.as_ref());
    let here = Arg::Known(".".to_owned());
    let (place, sources) = match (into, operands.as_slice()) {
        (Some(into), sources) => (into, sources),
        (None, [source]) => (&here, std::slice::from_ref(source)),
        (None, [sources @ .., last]) => (*last, sources),
        (None, []) => return Vec::new(),
    };
    // `ln -r`, and `cp`, take their sources from where they are called.
    let from_here = interpretation.program == "cp" || interpretation.gives(&["-r", "--relative"]);
    let mut links = Vec::new();
    for directory in command.directories.iter().map(|directory| directory.as_deref()) {
        let (Some(place), Some(from)) = (place.known(), directory) else { continue };
        let place = absolute(from, place);
        for source in sources {
            let to = |above: &str| source.known().map(|source| absolute(above, source));
            let above = place.rsplit_once('/').map_or("/", |(above, _)| above);
            let above = if above.is_empty() { "/" } else { above };
            links.push(Link { path: place.clone(), to: to(if from_here { from } else { above }) });
            let name =
                source.known().and_then(|name| name.trim_end_matches('/').rsplit('/').next());
            let path = absolute(&place, name.unwrap_or("*"));
            links.push(Link { path, to: to(if from_here { from } else { &place }) });
        }
    }
    links
}

/// Whether a command makes symbolic links.
fn makes_links(interpretation: &Interpretation) -> bool {
    let option = match interpretation.program.as_str() {
        "ln" => "--symbolic",
        "cp" => "--symbolic-link",
        _ => return false,
    };
    interpretation.gives(&[option])
}
