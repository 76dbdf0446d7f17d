//! What a pattern can stand for among the guarded places of `rules/paths.toml`, and which directories hold secrets.
//! Looks at no file: a pattern that says too little to mean a place is held against what is there by whoever can look.

use super::component::{Component, Meeting};
use super::{classify, is_below, table};
use crate::model::{EffectKind, Facts, PathClass};

/// Bytes of a path that a program can open (Linux, `PATH_MAX`).
const LONGEST: usize = 4_096;
/// Components beyond these are not compared.
const DEEPEST: usize = 128;
/// Ways beyond these in which one pattern and one place are laid over each other are not looked at.
const WAYS: usize = 1 << 14;

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
    let pattern = widened(pattern);
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
        return vec![PathClass::Unknown];
    }
    let searched = pattern.split_once("/**").map_or("", |(above, _)| above);
    let holds_home = facts.home.as_deref().is_some_and(|home| is_below(home, searched));
    let narrow = kind == EffectKind::Read && !holds_home;
    let home = facts.home.as_deref().filter(|home| *home != "/").map(split);
    let mut found: Vec<PathClass> = Vec::new();
    for (class, place) in table::guarded() {
        // Most places end otherwise.
        let end = place.rsplit('/').next().unwrap_or(place);
        let is_apart = |last: &Component| end != "**" && !last.is_deep() && last.is_apart(end);
        if !matters(kind, class) || ours.last().is_some_and(is_apart) {
            continue;
        }
        let (root, below) = match (place.strip_prefix('~'), &home) {
            (None, _) => (&[][..], place),
            (Some(_), None) => continue,
            (Some(below), Some(home)) => (home.as_slice(), below),
        };
        let theirs: Vec<&str> = root.iter().copied().chain(split(below)).collect();
        let (roots, met) = (root.len(), Vec::new());
        let mut overlay =
            Overlay { kind, least, roots, narrow, facts, met, ways: 0, found: &mut found };
        overlay.lay(&ours, &theirs);
    }
    found
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
        EffectKind::Write
        | EffectKind::Append
        | EffectKind::Delete
        | EffectKind::DeleteTree
        | EffectKind::Permission
        | EffectKind::PermissionTree
        | EffectKind::Move => is_guarded,
        _ => false,
    }
}

fn split(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
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
        let path = self.met.iter().fold(String::new(), |path, meeting| path + "/" + &meeting.name);
        let class = classify(&path, self.facts);
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
        let all = said().all(|meeting| is_plain(meeting) || (anchored && meeting.agrees));
        if all && said().next().is_some() { Aim::Plain } else { Aim::Vague }
    }
}
