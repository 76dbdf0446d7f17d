//! What `patch` and `git apply` take away: files that become empty or get another name (GNU diffutils manual, "Creating and deleting
//! files"; git-apply(1)). Goes by the text of the patch where the line or a file that is at hand holds it; that files below the
//! working directory are written, the catalog says. What is taken away stands in the patch, which fits nothing else: it is not lost.

use std::collections::{BTreeSet, HashSet};

use super::input::Input;
use super::plan::{Flow, PlannedCommand};
use super::scripts::changes;
use super::walk::Walker;
use crate::catalog::{Interpretation, Touch};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait, Target};
use crate::paths::{below, is_below};
use crate::syntax::unescaped;

/// Which way a patch is applied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    /// What it would make, it takes away.
    Back,
    /// That depends on what is there.
    Either,
}

/// Returns whether a command applies a patch to files, and does not only say what it would do.
pub(super) fn applies(interpretation: &Interpretation) -> bool {
    let changes = |touch: &Touch| matches!(touch.kind, EffectKind::Write | EffectKind::Commit);
    interpretation.is(ProgramTrait::Patches) && interpretation.touches.iter().any(changes)
}

impl Walker<'_> {
    /// Adds what command `index`, which applies a patch, takes away.
    pub(super) fn patched(&mut self, index: usize) {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        let is_git = interpretation.in_repository;
        let way = match interpretation.gives(&["-R", "--reverse"]) {
            true => Way::Back,
            false if !is_git && interpretation.gives(&["-t", "--batch"]) => Way::Either,
            false => Way::Forward,
        };
        let words: Vec<Arg> = interpretation.words(&command.argv).cloned().collect();
        let mut words = words.into_iter();
        let changed = if is_git { None } else { words.next() };
        let named = interpretation.given(&["-i", "--input"]).next_back().filter(|_| !is_git);
        let files: Vec<Arg> = match named {
            Some(option) => vec![option.value.clone().unwrap_or(Arg::Unknown)],
            None => words.collect(),
        };
        let below = interpretation.value(&["--directory"]).filter(|_| is_git);
        let below = below.map(|below| below.known().unwrap_or("**").to_owned());
        let patches: Vec<Patch> = if files.is_empty() {
            vec![self.patch(self.input.clone(), index)]
        } else {
            files.iter().map(|file| self.patch_in(file, index)).collect()
        };
        let mut is_open = patches.contains(&Patch::Unknown);
        // What git gets through a pipe may be what git prints, which is told when the flows are known.
        if is_open && is_git && files.is_empty() && self.input == Input::Unknown {
            self.patches.read.push((index, String::new()));
            is_open = false;
        }
        let texts: Option<Vec<String>> = patches.into_iter().map(Patch::text).collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut written = texts.iter().flatten().flat_map(|text| written(text));
        names.extend(written.by_ref().take(NAMES));
        let is_more = written.next().is_some();
        drop(written);
        // What it makes a link of leads the rest of it, and the line, anywhere.
        let makes_links = texts.iter().flatten().any(|text| makes_links(text));
        let lasts = names.iter().filter_map(|name| name.rsplit('/').next());
        self.patches.written.extend(lasts.map(str::to_owned));
        if is_git {
            // It takes no name that leads out of the workspace.
            let leads_out =
                |name: &str| name.starts_with('/') || name.split('/').any(|part| part == "..");
            names.retain(|name| !leads_out(name));
            if let Some(below) = below {
                names = names.into_iter().map(|name| format!("{below}/{name}")).collect();
            }
        }
        if changed.is_none() || makes_links {
            let names = names.into_iter().map(|name| Arg::Known(format!("./{name}")));
            let anything = (is_open || is_more || makes_links).then_some(Arg::Unknown);
            let mut effects =
                self.effects_of(index, EffectKind::Write, anything.into_iter().chain(names));
            // Of what is nothing but the workspace's the catalog says it.
            effects.retain(|effect| !effect.target.class().is_some_and(is_plain));
            self.plan.commands[index].effects.extend(effects);
        }
        let gone: Option<Vec<BTreeSet<String>>> = texts
            .and_then(|texts| texts.iter().map(|text| taken_away(text, way, is_git)).collect());
        let gone = gone.map(|gone| gone.into_iter().flatten().collect::<BTreeSet<String>>());
        // A patch that stands in no file is gone, too.
        let kind = if is_open && changed.is_some() { EffectKind::Empty } else { EffectKind::Move };
        let targets = match (gone, changed) {
            (Some(gone), _) if gone.is_empty() => return,
            (_, Some(changed)) => vec![changed],
            (Some(gone), None) => {
                gone.into_iter().map(|name| Arg::Glob(format!("./**/{name}"))).collect()
            }
            (None, None) => vec![Arg::Glob("./?*".to_owned())],
        };
        let effects = self.effects_of(index, kind, targets);
        self.plan.commands[index].effects.extend(effects);
    }

    /// Returns what command `index` does where it does this to what words name in its directories.
    pub(super) fn effects_of(
        &self,
        index: usize,
        kind: EffectKind,
        words: impl IntoIterator<Item = Arg>,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        for word in words {
            let directories = &self.plan.commands[index].directories;
            self.path_effects_in(kind, &word, directories, &mut effects);
        }
        effects
    }

    fn patch_in(&mut self, file: &Arg, index: usize) -> Patch {
        let input = match file.known() {
            Some("-") => self.input.clone(),
            _ => self.script_path(file, "").map_or(Input::Unknown, Input::File),
        };
        self.patch(input, index)
    }

    /// Returns what is known of a patch. A file must be what it is now when it is applied.
    fn patch(&mut self, input: Input, index: usize) -> Patch {
        let path = match input {
            Input::Text(text) if is_encoded(&text) => return Patch::Unknown,
            Input::Text(text) => return Patch::Text(text),
            Input::File(path) => path,
            Input::Rest | Input::Secret(_) | Input::Unknown => return Patch::Unknown,
        };
        let patch = match self.scripts.text(&path) {
            Some(text) if is_encoded(&text) => return Patch::Unknown,
            Some(text) => Patch::Text(text),
            None if self.scripts.exists(&path) => return Patch::Unknown,
            None => Patch::Absent,
        };
        if self.patches.read.len() == PATCHES {
            return Patch::Unknown;
        }
        self.patches.read.push((index, path));
        patch
    }

    /// Adds to what applies a patch that it may write anything, where the line writes the patch anew: before it, in a loop, or beside it.
    pub(super) fn distrust_rewritten_patches(&mut self) {
        let patches = std::mem::take(&mut self.patches);
        if patches.read.is_empty() {
            return;
        }
        // What patches write, they name.
        let commands = self.plan.commands.iter().filter(|other| !applies(&other.interpretation));
        let effects = commands.flat_map(|command| &command.effects);
        let made: HashSet<Effect> = effects.filter(|effect| rewrites(effect)).cloned().collect();
        let is_much = patches.read.len().saturating_mul(made.len()) > COMPARED;
        for (index, path) in patches.read {
            let here = match self.plan.commands[index].directories.as_slice() {
                [Some(directory)] => Some(directory.as_str()),
                _ => None,
            };
            let is_changed = || {
                let last = path.rsplit('/').next().unwrap_or_default();
                let mut others = made.iter().filter(|effect| !is_around(effect, here));
                is_much
                    || patches.written.contains(last)
                    || others.any(|effect| changes(effect, &path))
            };
            let is_rewritten =
                if path.is_empty() { self.gets_from_others(index) } else { is_changed() };
            if path.is_empty() && self.undoes_changes(index) {
                self.plan.commands[index].does(EffectKind::LoseWork, Target::None);
            }
            if is_rewritten {
                self.plan.commands[index].does(EffectKind::Write, Target::ANYWHERE);
            }
        }
    }

    /// Whether something else than what the repository around holds may be in what a command gets: other programs print it, nobody
    /// knows who, what others have put somewhere, or files that are named.
    fn gets_from_others(&self, index: usize) -> bool {
        let mut from = self.feeding(index).peekable();
        from.peek().is_none()
            || from.any(|from| {
                let from = &from.interpretation;
                let names_files = from.operands.iter().any(|(_, role)| role == "read");
                !from.in_repository || from.is(ProgramTrait::Downloads) || names_files
            })
    }

    /// Whether a command takes changes back that stand nowhere else: they are printed, and applied the other way around.
    fn undoes_changes(&self, index: usize) -> bool {
        let is_back = |one: &Interpretation| one.gives(&["-R", "--reverse"]);
        let is_applied_back = is_back(&self.plan.commands[index].interpretation);
        self.feeding(index).any(|from| {
            let interpretation = &from.interpretation;
            interpretation.is(ProgramTrait::PrintsChanges)
                && is_back(interpretation) != is_applied_back
                && !self.is_between_revisions(from)
        })
    }

    /// Whether a command names two revisions, `A..B` or `A B`: words that are no files here.
    fn is_between_revisions(&self, command: &PlannedCommand) -> bool {
        let words: Vec<&str> =
            command.interpretation.words(&command.argv).filter_map(Arg::known).collect();
        let is_file = |word: &str| {
            let mut paths = command.directories.iter().map(|from| below(from.as_deref(), word));
            paths.any(|path| path.is_none_or(|path| self.scripts.exists(&path)))
        };
        match words.as_slice() {
            [one, ..] if one.contains("..") && !is_file(one) => true,
            [one, other, ..] => !is_file(one) && !is_file(other),
            _ => false,
        }
    }

    /// Returns the commands whose output a command gets.
    fn feeding(&self, index: usize) -> impl Iterator<Item = &PlannedCommand> {
        let feeds = move |flow: &&Flow| flow.to.contains(&index);
        let from = self.plan.flows.iter().filter(feeds).flat_map(|flow| flow.from.clone());
        from.filter_map(|at| self.plan.commands.get(at))
    }
}

/// The patches of a line.
#[derive(Default)]
pub(super) struct Patches {
    /// Those that were read, or are not there: the command that applies it, and its file; none for what git gets from other programs.
    pub(super) read: Vec<(usize, String)>,
    /// The names, without directories, of what they write.
    written: HashSet<String>,
}

/// So many patches of one line are read.
const PATCHES: usize = 256;

/// Patches that are held against what changes files beyond this count as changed.
const COMPARED: usize = 1 << 16;

/// Whether an effect may put something else into a file: what is gone is not applied.
const fn rewrites(effect: &Effect) -> bool {
    !matches!(effect.kind, EffectKind::Delete | EffectKind::DeleteTree)
}

/// Whether an effect writes somewhere in the directory that a patch is applied in, or above it, as what formats all files does: it may
/// write a hook there itself, and needs no patch for it.
fn is_around(effect: &Effect, directory: Option<&str>) -> bool {
    let (Some(changed), Some(directory)) = (effect.path(), directory) else { return false };
    matches!(effect.kind, EffectKind::Write | EffectKind::Append) && is_below(directory, changed)
}

/// What is known of a patch.
#[derive(PartialEq, Eq)]
enum Patch {
    Text(String),
    /// Its file is not there, so that nothing is done.
    Absent,
    /// It may write whatever stands below the working directory.
    Unknown,
}

impl Patch {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Unknown => None,
        }
    }
}

/// Whether a mail holds its patch in another form than it is read here (RFC 2045, 6.1).
fn is_encoded(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        let coding = line.strip_prefix("content-transfer-encoding:").map(str::trim);
        coding.is_some_and(|coding| !matches!(coding, "7bit" | "8bit" | "binary"))
    })
}

/// The head of what a patch does to one file.
#[derive(Default)]
struct Head {
    /// What it calls the file, without directories.
    names: BTreeSet<String>,
    is_gone: bool,
}

impl Head {
    fn end(&mut self, gone: &mut BTreeSet<String>) {
        let head = std::mem::take(self);
        if head.is_gone {
            gone.extend(head.names);
        }
    }
}

/// Returns the names, without directories, of files that a patch may take away; none if that is not known.
fn taken_away(text: &str, way: Way, is_git: bool) -> Option<BTreeSet<String>> {
    let (forward, back) = (way != Way::Back, way != Way::Forward);
    let mut gone = BTreeSet::new();
    let mut head = Head::default();
    let mut in_head = false;
    for line in text.lines() {
        let bare = unindented(line);
        if !is_git && bare.len() < line.len() && HEADS.iter().any(|mark| bare.starts_with(mark)) {
            // It may as well be indented.
            return None;
        }
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let mut counts = hunk.split(' ').map(|range| range.ends_with(",0"));
            let (old, new) = (counts.next()?, counts.next()?);
            head.is_gone |= (new && forward) || (old && back);
            in_head = false;
            continue;
        }
        let Some((mark, rest)) =
            HEADS.iter().find_map(|mark| Some((*mark, line.strip_prefix(mark)?)))
        else {
            // Of the other forms it is not told.
            if !is_git && (line.starts_with("*** ") || is_command(line)) {
                return None;
            }
            in_head = false;
            continue;
        };
        if !in_head || mark == "diff --git " {
            head.end(&mut gone);
        }
        in_head = true;
        let name = rest.split('\t').next().unwrap_or(rest).trim_end();
        match mark {
            "deleted file mode " => head.is_gone |= forward,
            "new file mode " => head.is_gone |= back,
            "--- " | "+++ " if name == "/dev/null" => {
                head.is_gone |= if mark == "--- " { back } else { forward };
            }
            "rename from " if !forward => {}
            "rename to " if !back => {}
            _ => {
                let last = name.rsplit('/').next().unwrap_or(name);
                let half = (mark == "diff --git " && !name.contains('/'))
                    .then(|| last.split_at_checked(last.len() / 2 + 1).map(|(_, half)| half));
                let last = half.flatten().unwrap_or(last);
                if last.is_empty() || last.contains(['"', '*', '?', '[', '{', '\\']) {
                    return None;
                }
                if mark.starts_with("rename") {
                    gone.insert(last.to_owned());
                } else {
                    head.names.insert(last.to_owned());
                }
            }
        }
    }
    head.end(&mut gone);
    Some(gone)
}

/// Names of files in a patch that are looked at, each as often as it has directories. Of a patch with more is not known what it
/// writes.
const NAMES: usize = 4_096;

const fn is_plain(class: PathClass) -> bool {
    use PathClass as Class;
    matches!(class, Class::Workspace | Class::BuildOutput | Class::Temporary | Class::Made)
}

/// Returns the files that a patch may write, by each name that they have where directories are taken away from it (`-p`). GNU patch
/// takes indentation away, and the quotes of a name; where a name ends it does not always say (patch(1), `find_name` of git).
fn written(text: &str) -> impl Iterator<Item = String> {
    const MARKS: [&str; 9] = [
        "diff --git",
        "---",
        "+++",
        "***",
        "Index:",
        "rename from",
        "rename to",
        "copy from",
        "copy to",
    ];
    let named = text.lines().filter_map(|line| {
        let line = unindented(line);
        let rest = MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
        rest.starts_with([' ', '\t']).then(|| rest.trim())
    });
    let names = named.flat_map(|rest| {
        let whole = std::iter::once(rest.split('\t').next().unwrap_or(rest).trim_end().to_owned());
        let words = rest.split_ascii_whitespace().map(str::to_owned);
        whole.chain(words).chain(quoted(rest))
    });
    let names = names.filter(|name| name != "/dev/null");
    names.flat_map(|name| {
        let ends: Vec<usize> = name.match_indices('/').map(|(at, _)| at + 1).collect();
        let behind = std::iter::once(0).chain(ends).map(move |at| name[at..].to_owned());
        behind.filter(|name| !name.is_empty())
    })
}

/// Takes away what GNU patch takes for indentation (patch(1)).
fn unindented(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', 'X'])
}

/// Returns the names that stand in quotes, as C writes them (`quote_c_style` of git).
fn quoted(text: &str) -> impl Iterator<Item = String> {
    let (mut is_inside, mut is_escaped) = (false, false);
    let pieces = text.split(move |c| {
        let is_quote = c == '"' && !is_escaped;
        is_inside ^= is_quote;
        is_escaped = is_inside && c == '\\' && !is_escaped;
        is_quote
    });
    let names = pieces.skip(1).step_by(2).map(|name| unescaped(name.as_bytes()));
    names.map(|name| String::from_utf8_lossy(&name).into_owned())
}

/// Whether a patch makes symbolic links (git's mode 120000).
fn makes_links(text: &str) -> bool {
    text.lines().any(|line| {
        let line = unindented(line);
        line.starts_with("new") && line.trim_end().ends_with(" 120000")
    })
}

/// What lines of a head begin with that say something of names.
const HEADS: [&str; 8] = [
    "diff --git ",
    "Index: ",
    "--- ",
    "+++ ",
    "deleted file mode ",
    "new file mode ",
    "rename from ",
    "rename to ",
];

/// Whether a line is a command of a normal difference or of `ed`: `3d2`, `1,2c`.
fn is_command(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    rest.len() < line.len() && rest.starts_with(['a', 'c', 'd', 's', 'i'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(text: &str, way: Way) -> Option<Vec<String>> {
        taken_away(text, way, false).map(|gone| gone.into_iter().collect())
    }

    #[test]
    fn what_becomes_empty_or_is_renamed_goes_away() {
        let owned = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        for (text, names) in [
            ("--- a/q\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n", &[][..]),
            ("--- a/q\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", &["q"]),
            (
                "--- a/d/q\t2020\n+++ b/d/q\t1970\n@@ -1 +0,0 @@\n-a\n--- r\n+++ r\n@@ -1 +1 @@\n",
                &["q"],
            ),
            ("diff --git a/x y b/x y\ndeleted file mode 100644\nindex 1..0\n", &["x y"]),
            ("diff --git x x\ndeleted file mode 100644\n", &["x"]),
            ("diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n", &["b"]),
            ("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", &[]),
        ] {
            assert_eq!(gone(text, Way::Forward), owned(names), "{text}");
        }
        let new = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n";
        assert_eq!(gone(new, Way::Back), owned(&["n"]));
    }

    #[test]
    fn other_forms_are_not_read() {
        for text in ["*** a/q\n--- b/q\n", "1d0\n< a\n", "--- \"a/\\303\"\n+++ /dev/null\n"] {
            assert_eq!(gone(text, Way::Forward), None, "{text}");
        }
    }
}
