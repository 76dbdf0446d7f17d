//! What a pattern can stand for among the guarded places of `rules/paths.toml`, and which directories hold secrets.
//! Looks at no file: a pattern that says too little to mean a place is held against what is there by whoever can look.

use fast_glob::glob_match;

use super::component::{Component, Meeting};
use super::table::{self, Guarded};
use super::{classify, is_below, is_secret};
use crate::model::{EffectKind, Facts, PathClass};

/// Bytes of a path that a program can open (Linux, `PATH_MAX`).
const LONGEST: usize = 4_096;
/// Components beyond these are not compared.
const DEEPEST: usize = 128;
/// Ways beyond these in which one pattern and one place are laid over each other are not looked at.
const WAYS: usize = 1 << 14;
/// Alternatives of one pattern beyond these are not held apart.
const ALTERNATIVES: usize = 64;

/// Who finds what a pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expander {
    /// A shell: a wildcard does not stand for a dot at the beginning of a name (POSIX, 2.14.3).
    Shell,
    /// The program that gets the pattern.
    Program,
}

/// How plainly a pattern says that it stands for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aim {
    /// It fits the place as it fits much else.
    Vague,
    /// Whoever writes it means the place.
    Plain,
}

/// Returns the classes of the guarded places that a pattern can stand for, for an effect of this kind: those that it aims at like this
/// or more plainly.
#[must_use]
pub fn reached(
    kind: EffectKind,
    pattern: &str,
    expander: Expander,
    least: Aim,
    facts: &Facts,
) -> Vec<PathClass> {
    // A pattern that only longer paths fit stands for none.
    if !guards(kind) || pattern.bytes().filter(|byte| *byte != b'*').count() > LONGEST {
        return Vec::new();
    }
    let mut found = Vec::new();
    // A shell has made words of braces before; where they are quoted, only a program makes names of them.
    let mut patterns = Vec::new();
    if expander == Expander::Program {
        // What is quoted for the program is the same name.
        let plain = pattern.replace('\\', "");
        patterns.extend(alternatives(&plain).unwrap_or_else(|| {
            // What is cut off may be any place.
            found.push(PathClass::Unknown);
            vec![plain]
        }));
    }
    if patterns.is_empty() || pattern.contains('\\') {
        patterns.push(pattern.to_owned());
    }
    for pattern in patterns {
        reach(kind, &widened(&pattern), expander, least, facts, &mut found);
    }
    found
}

/// Finds the classes that one alternative can stand for.
fn reach(
    kind: EffectKind,
    pattern: &str,
    expander: Expander,
    least: Aim,
    facts: &Facts,
    found: &mut Vec<PathClass>,
) {
    let mut ours: Vec<Component> = Vec::new();
    for text in pattern.split('/').skip(1) {
        if text == "**" && ours.last().is_some_and(Component::is_deep) {
            continue;
        }
        // Programs that search pass over no name.
        let is_searched = expander == Expander::Program || ours.iter().any(Component::is_deep);
        ours.push(Component::new(text, is_searched));
    }
    if ours.len() > DEEPEST {
        if !found.contains(&PathClass::Unknown) {
            found.push(PathClass::Unknown);
        }
        return;
    }
    let searched = pattern.split_once("/**").map_or("", |(above, _)| above);
    let holds_home = facts.home.as_deref().is_some_and(|home| is_below(home, searched));
    let narrow = reads(kind) && !holds_home;
    // Who reads what is below a directory aims at no name that no pattern says.
    let names_all = narrow && least == Aim::Plain;
    let home = facts.home.as_deref().filter(|home| *home != "/").map(Home::new);
    let in_home = home.as_ref().map(|home| home.behind(&ours));
    for place in guarded(&ours, least, names_all) {
        // Whatever is of another class is found at a place of that class.
        let is_known = least == Aim::Vague && found.contains(&place.class);
        if is_known
            || !matters(kind, place.class)
            || !may_reach(&ours, place, kind, least, names_all)
        {
            continue;
        }
        let (above, root, ours) = match (place.in_home, &home, &in_home) {
            (false, _, _) => ("", &[][..], &ours[..]),
            (true, Some(home), Some(Behind::Below(rest))) => (home.path, &[][..], *rest),
            (true, Some(home), Some(Behind::Perhaps)) => ("", home.names.as_slice(), &ours[..]),
            (true, _, _) => continue,
        };
        let theirs: Vec<&str> = root.iter().chain(&place.parts).copied().collect();
        let (roots, met) = (root.len(), Vec::new());
        let mut overlay = Overlay { kind, least, above, roots, narrow, facts, met, ways: 0, found };
        overlay.lay(ours, &theirs);
    }
}

/// The home, and the names of the directories on its way.
struct Home<'f> {
    path: &'f str,
    names: Vec<&'f str>,
}

/// How a pattern begins beside the home.
enum Behind<'o> {
    /// With the home, and this is behind it.
    Below(&'o [Component]),
    /// With names or wildcards that may lead there.
    Perhaps,
    /// With other names.
    Apart,
}

impl<'f> Home<'f> {
    fn new(path: &'f str) -> Self {
        Self { path, names: split(path) }
    }

    fn behind<'o>(&self, ours: &'o [Component]) -> Behind<'o> {
        let same = ours.iter().zip(&self.names).take_while(|(one, name)| one.is(name)).count();
        match ours.get(same) {
            Some(_) if same == self.names.len() => Behind::Below(&ours[same..]),
            Some(one) if !one.is_written_out() => Behind::Perhaps,
            Some(_) | None => Behind::Apart,
        }
    }
}

/// The places that a pattern can stand for by what its components begin or end with. Who aims at a place says a part of one of its names,
/// or, as `names_all`, of each.
fn guarded(ours: &[Component], least: Aim, names_all: bool) -> Vec<&'static Guarded> {
    let is_aimed = least == Aim::Plain;
    let said = ours.iter().filter(|one| !(is_aimed && one.is_open()));
    let heads: Option<Vec<[u8; 2]>> = said.map(Component::head).collect();
    let last = ours.last().filter(|one| !one.is_deep());
    let (head, tail) = (last.and_then(Component::head), last.and_then(Component::tail));
    match heads {
        Some(heads) if is_aimed && !names_all => table::with_a_name(&heads),
        heads => table::guarded(heads.as_deref(), head, tail),
    }
}

/// Whether a look at single components leaves it open that a pattern stands for a place; as `names_all`, if it says each of its names.
fn may_reach(
    ours: &[Component],
    place: &Guarded,
    kind: EffectKind,
    least: Aim,
    names_all: bool,
) -> bool {
    // Who aims at a place says something of each of its names.
    let may_meet = |one: &Component, theirs: &str| {
        !one.is_apart(theirs) && (least == Aim::Vague || one.may_mean(theirs))
    };
    // Most places end otherwise.
    if let (Some(last), Some(end)) = (ours.last(), place.parts.last())
        && !(last.is_deep() || !reads(kind) && last.is_open())
        && !matches!(*end, "*" | "**")
        && !may_meet(last, end)
    {
        return false;
    }
    let is_said = |name: &str| ours.iter().any(|one| may_meet(one, name));
    if least == Aim::Plain && !names_all {
        return place.names().any(is_said);
    }
    let is_deep = !names_all && ours.iter().any(Component::is_deep);
    is_deep || place.anchor.is_none_or(is_said)
}

/// Returns whether a directory of the home holds a place for secrets of people or programs.
#[must_use]
pub fn holds_secrets(path: &str, facts: &Facts) -> bool {
    let Some(home) = facts.home.as_deref() else { return false };
    let directory = path.trim_end_matches("/**").trim_end_matches("/*");
    directory
        .strip_prefix(home)
        .is_some_and(|below| !below.is_empty() && table::holds_secrets(below))
}

/// Directories outside of homes that hold secrets below names that nobody says, or that whoever is there may read.
const HOLDING: [&str; 7] = [
    "/proc",
    "/proc/self",
    "/proc/thread-self",
    "/proc/[0-9]*",
    "/run",
    "/var/run",
    "/run/user/**",
];

/// Directories in which people have their homes.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// The home of the one who may read all.
const ROOTS_HOME: &str = "/root";

/// Returns the home that a path is below, where it is one of another.
pub(super) fn home_of_another<'p>(path: &'p str, facts: &Facts) -> Option<&'p str> {
    let above = HOMES.iter().find(|above| is_below(path, above)).copied();
    let length = match above {
        Some(above) => {
            let name = path[above.len()..].strip_prefix('/')?.split('/').next()?;
            above.len() + 1 + name.len()
        }
        None => ROOTS_HOME.len(),
    };
    let owner = path.get(..length)?;
    let is_own = |own: &str| is_below(own, owner);
    let is_others = (above.is_some() || owner == ROOTS_HOME) && is_below(path, owner);
    let is_ours = facts.home.as_deref().is_some_and(is_own)
        || facts.workspaces.iter().any(|root| is_below(path, root));
    (is_others && !is_ours && owner != SHARED).then_some(owner)
}

/// What stands beside the homes of people, and is everybody's.
const SHARED: &str = "/Users/Shared";

/// Whether a directory outside of the home holds secrets: by its name, as the home of another, or, for whoever may read all, by what stands
/// below it. (A workspace holds some too, as a tracked `.env`: whoever works there searches it, and asks nobody.)
fn holds_others(directory: &str, facts: &Facts) -> bool {
    let home = facts.home.as_deref();
    let is_home = directory.rsplit_once('/').is_some_and(|(above, _)| HOMES.contains(&above));
    let is_others = (is_home || directory == ROOTS_HOME)
        && home != Some(directory)
        && !facts.workspaces.iter().any(|root| is_below(directory, root));
    HOLDING.iter().any(|holding| glob_match(holding, directory))
        || is_others
        || (facts.reads_all || home == Some(ROOTS_HOME)) && table::system_holds_secrets(directory)
}

/// Returns the class of what is read where a directory is: all that is in it, or what fits a pattern. None where its name says it.
pub(super) fn searched(path: &str, facts: &Facts) -> Option<PathClass> {
    let is_written = |part: &&str| !part.contains(['*', '?', '[', '{']);
    let parts = split(path);
    let written = parts.iter().copied().take_while(is_written).count();
    let directory = format!("/{}", parts[..written].join("/"));
    let last = parts[written..].last().map(|last| Component::new(&widened(last), true));
    let is_whole = last.as_ref().is_none_or(Component::is_open);
    if is_whole && holds_others(&directory, facts) {
        return Some(PathClass::Secret);
    }
    if holds_secrets(&directory, facts) {
        let below = facts.home.as_deref().map_or("", |home| &directory[home.len()..]);
        let may_be_one = |last: &Component| {
            table::secrets_below(&split(below))
                .any(|name| matches!(name, "*" | "**") || !last.is_apart(name))
        };
        return (is_whole || last.as_ref().is_some_and(may_be_one)).then_some(PathClass::Secret);
    }
    if written < parts.len() && may_hold_secrets(path, facts) {
        return Some(PathClass::Secret);
    }
    // Who searches what is above a home searches the home.
    let class = classify(&directory, facts);
    let is_above = matches!(class, PathClass::Home | PathClass::Root);
    (is_above && is_whole && parts.contains(&"**")).then_some(class)
}

/// Whether a search begins in a pattern that can stand for a directory of the home with a place for secrets.
fn may_hold_secrets(pattern: &str, facts: &Facts) -> bool {
    let below = facts.home.as_deref().and_then(|home| pattern.strip_prefix(home));
    let Some(below) = below.map(|below| below.trim_end_matches("/**")) else { return false };
    let ours: Vec<String> = split(below).into_iter().map(widened).collect();
    let ours: Vec<Component> = ours.iter().map(|part| Component::new(part, false)).collect();
    table::secret_directories().any(|directory| {
        let theirs = split(directory);
        theirs.len() == ours.len() && ours.iter().zip(theirs).all(|(one, name)| !one.is_apart(name))
    })
}

/// Whether an effect changes nothing.
const fn reads(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Read | EffectKind::List)
}

/// Returns whether it matters for effects of this kind which of the guarded places a pattern stands for.
const fn guards(kind: EffectKind) -> bool {
    matters(kind, PathClass::Secret)
}

/// Returns whether an effect of this kind on a place of this class is worse than elsewhere.
#[must_use]
pub const fn matters(kind: EffectKind, class: PathClass) -> bool {
    let is_guarded = matches!(
        class,
        PathClass::Hooks
            | PathClass::Workspace
            | PathClass::Home
            | PathClass::Startup
            | PathClass::Secret
            | PathClass::Root
            | PathClass::Device
            | PathClass::Guard
    );
    match kind {
        EffectKind::Read => matches!(class, PathClass::Secret | PathClass::Device),
        // What is put under version control is listed.
        EffectKind::List => matches!(class, PathClass::Secret),
        kind => kind.changes() && is_guarded,
    }
}

fn split(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Returns the patterns that `{a,b}` in one stands for; none if those are more than are held apart, or if it is not clear what they are.
#[must_use]
pub fn alternatives(pattern: &str) -> Option<Vec<String>> {
    if pattern.contains('\\') {
        return None;
    }
    let mut found = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        // No other brace opens within the last one.
        let inside = pattern.rfind('{').and_then(|start| {
            let end = start + pattern[start..].find('}')?;
            Some((start, end))
        });
        let Some((start, end)) = inside else {
            found.push(pattern);
            continue;
        };
        let (before, behind) = (&pattern[..start], &pattern[end + 1..]);
        let inside = &pattern[start + 1..end];
        if inside.contains(',') {
            open.extend(inside.split(',').map(|one| format!("{before}{one}{behind}")));
        } else {
            // One name to some programs, a range to others.
            open.push(format!("{before}*{behind}"));
            open.extend((!inside.contains("..")).then(|| format!("{before}{inside}{behind}")));
        }
        if open.len() + found.len() > ALTERNATIVES {
            return None;
        }
    }
    Some(found)
}

/// Returns a pattern that fits no less, without alternatives.
fn widened(pattern: &str) -> String {
    let mut wide = String::with_capacity(pattern.len());
    let mut depth = 0_usize;
    let mut last = '/';
    for c in pattern.chars() {
        match c {
            '{' => depth += 1,
            '(' if depth > 0 || "?*+@!".contains(last) => {
                if depth == 0 {
                    wide.pop();
                }
                depth += 1;
            }
            '}' | ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    wide.push('*');
                }
            }
            _ if depth == 0 => wide.push(c),
            _ => {}
        }
        last = c;
    }
    // What is not closed stands for itself.
    if depth > 0 { pattern.to_owned() } else { wide }
}

/// A pattern laid over a place, component by component.
struct Overlay<'a> {
    kind: EffectKind,
    least: Aim,
    /// The directory in which both stand.
    above: &'a str,
    /// So many components of the place are those of the home: whoever names it in a pattern means it.
    roots: usize,
    /// What is searched is read and not above the home: other people's directories are not in it.
    narrow: bool,
    facts: &'a Facts,
    met: Vec<Meeting>,
    ways: usize,
    found: &'a mut Vec<PathClass>,
}

impl Overlay<'_> {
    fn lay(&mut self, ours: &[Component], theirs: &[&str]) {
        self.ways += 1;
        if self.ways > WAYS {
            if !self.found.contains(&PathClass::Unknown) {
                self.found.push(PathClass::Unknown);
            }
            return;
        }
        match (ours.split_first(), theirs.split_first()) {
            (None, None) => self.note(),
            (_, Some((&"**", behind))) => {
                self.lay(ours, behind);
                if let Some((one, rest)) = ours.split_first() {
                    self.with(one.alone(), |overlay| overlay.lay(rest, theirs));
                }
            }
            (Some((one, rest)), _) if one.is_deep() => {
                self.lay(rest, theirs);
                if let Some((other, behind)) = theirs.split_first() {
                    let meeting = Meeting::swallowed(other, self.narrow);
                    self.with(meeting, |overlay| overlay.lay(ours, behind));
                }
            }
            (Some((one, rest)), Some((other, behind))) => {
                if let Some(meeting) = one.meets(other) {
                    self.with(meeting, |overlay| overlay.lay(rest, behind));
                }
            }
            (None, Some(_)) | (Some(_), None) => {}
        }
    }

    fn with(&mut self, meeting: Meeting, go_on: impl FnOnce(&mut Self)) {
        self.met.push(meeting);
        go_on(self);
        self.met.pop();
    }

    /// Notes the class of a path that fits both, if the pattern aims at it.
    fn note(&mut self) {
        if self.aim() < self.least {
            return;
        }
        let above = self.above.to_owned();
        let path = self.met.iter().fold(above, |path, meeting| path + "/" + &meeting.name);
        // A place may be a secret to who reads it, and something else to who writes.
        let is_secret = reads(self.kind) && is_secret(&path, self.facts);
        let class = if is_secret { PathClass::Secret } else { classify(&path, self.facts) };
        if matters(self.kind, class) && !self.found.contains(&class) {
            self.found.push(class);
        }
    }

    /// Every name that the place says is meant; or the last one or a hidden directory is, and the rest of the pattern says the same in
    /// part.
    fn aim(&self) -> Aim {
        let said = || self.met.iter().skip(self.roots).filter(|meeting| meeting.says);
        let is_plain = |meeting: &Meeting| meeting.aim == Aim::Plain;
        let anchored = said().any(|meeting| is_plain(meeting) && meeting.name.starts_with('.'))
            || said().next_back().is_some_and(is_plain);
        // Whoever writes files into a directory by `*` gives them their names elsewhere.
        let agrees = |meeting: &Meeting| meeting.agrees || !reads(self.kind) && meeting.open;
        let all = said().all(|meeting| is_plain(meeting) || (anchored && agrees(meeting)));
        if all && said().next().is_some() { Aim::Plain } else { Aim::Vague }
    }
}
