//! What `patch` and `git apply` take away: files that become empty or get another name (GNU diffutils manual, "Creating and deleting
//! files"; git-apply(1)). Goes by the text of the patch where the line or a file that is at hand holds it; that files below the
//! working directory are written, the catalog says. What is taken away stands in the patch, which fits nothing else: it is not lost.

use std::collections::BTreeSet;

use super::input::Input;
use super::paths::is_below;
use super::redirect::Targets;
use super::scripts::changes;
use super::walk::Walker;
use crate::catalog::Interpretation;
use crate::model::{Arg, Effect, EffectKind, PathClass, Target};

/// Which way a patch is applied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    /// What it would make, it takes away.
    Back,
    /// That depends on what is there.
    Either,
}

/// Returns whether a command applies a patch to files.
pub(super) fn applies(interpretation: &Interpretation) -> bool {
    match interpretation.program.as_str() {
        "patch" => !interpretation.gives(&["--dry-run", "-C", "--check", "--help", "--version"]),
        "git" => {
            let only_looks = ["--check", "--stat", "--numstat", "--summary"];
            interpretation.subcommand.first().is_some_and(|sub| sub == "apply")
                && (interpretation.gives(&["--apply"]) || !interpretation.gives(&only_looks))
                && !interpretation.gives(&["--cached"])
        }
        _ => false,
    }
}

impl Walker<'_> {
    /// Adds what command `index`, which applies a patch, takes away.
    pub(super) fn patched(&mut self, index: usize) {
        let command = &self.plan.commands[index];
        let (interpretation, argv) = (&command.interpretation, &command.argv);
        let is_git = interpretation.program == "git";
        let operand = |at: usize| interpretation.operands.get(at).map(|(index, _)| &argv[*index]);
        let way = match (interpretation.gives(&["-R", "--reverse"]), is_git) {
            (true, _) => Way::Back,
            (false, false) if interpretation.gives(&["-t", "--batch"]) => Way::Either,
            (false, _) => Way::Forward,
        };
        let named = interpretation.given(&["-i", "--input"]).next_back();
        let files: Vec<Arg> = match named {
            _ if is_git => {
                interpretation.operands.iter().map(|(index, _)| argv[*index].clone()).collect()
            }
            Some(option) => vec![option.value.clone().unwrap_or(Arg::Unknown)],
            None => operand(1).cloned().into_iter().collect(),
        };
        let changed = operand(0).filter(|_| !is_git).cloned();
        let patches: Vec<Patch> = if files.is_empty() {
            let input = self.input.clone();
            vec![self.patch(input, index)]
        } else {
            files.iter().map(|file| self.patch_in(file, index)).collect()
        };
        let is_open = patches.contains(&Patch::Unknown);
        let texts: Option<Vec<String>> = patches.into_iter().map(Patch::text).collect();
        // git takes no name that leads out of the workspace, or into its own directory.
        if !is_git && changed.is_none() {
            let mut written = texts.iter().flatten().flat_map(|text| written(text));
            let directories = self.plan.commands[index].directories.clone();
            let mut effects = Vec::new();
            let names: BTreeSet<&str> = written.by_ref().take(NAMES).collect();
            if is_open || written.next().is_some() {
                self.path_effects_in(EffectKind::Write, &Arg::Unknown, &directories, &mut effects);
            }
            for name in names {
                let name = Arg::Known(format!("./{name}"));
                self.path_effects_in(EffectKind::Write, &name, &directories, &mut effects);
            }
            // Of what is nothing but the workspace's the catalog says it.
            effects.retain(
                |effect| !matches!(&effect.target, Target::Path { class, .. } if is_plain(*class)),
            );
            self.plan.commands[index].effects.extend(effects);
        }
        let gone: Option<Vec<BTreeSet<String>>> = texts
            .and_then(|texts| texts.iter().map(|text| taken_away(text, way, is_git)).collect());
        let gone = gone.map(|gone| gone.into_iter().flatten().collect::<BTreeSet<String>>());
        let targets = match (gone, changed) {
            (Some(gone), _) if gone.is_empty() => return,
            (_, Some(changed)) => vec![changed],
            (Some(gone), None) => {
                gone.into_iter().map(|name| Arg::Glob(format!("./**/{name}"))).collect()
            }
            (None, None) => vec![Arg::Glob("./?*".to_owned())],
        };
        let directories = self.plan.commands[index].directories.clone();
        let mut effects = Vec::new();
        for target in targets {
            self.path_effects_in(EffectKind::Move, &target, &directories, &mut effects);
        }
        self.plan.commands[index].effects.extend(effects);
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
            Input::Text(text) => return Patch::Text(text),
            Input::File(path) => path,
            Input::Rest | Input::Unknown => return Patch::Unknown,
        };
        // What it writes itself, it does when it has read that.
        let before = self.plan.commands[..index].iter();
        if before.flat_map(|command| &command.effects).any(|effect| rewrites(effect, &path)) {
            return Patch::Unknown;
        }
        match self.scripts.text(&path) {
            Some(text) => {
                self.patches.push((index, path));
                Patch::Text(text)
            }
            None if self.scripts.exists(&path) => Patch::Unknown,
            None => Patch::Absent,
        }
    }
}

impl Walker<'_> {
    /// Adds to what applies a patch that it may write anything, where what stands behind it writes the patch anew: in a loop, or beside
    /// it, that is what is applied.
    pub(super) fn distrust_rewritten_patches(&mut self) {
        for (index, path) in std::mem::take(&mut self.patches) {
            let behind = self.plan.commands.get(index + 1..).unwrap_or_default();
            let mut effects = behind.iter().flat_map(|command| &command.effects);
            if effects.any(|effect| rewrites(effect, &path)) {
                let target = Target::Path { path: None, class: PathClass::Unknown };
                let anything = Effect { kind: EffectKind::Write, target };
                self.plan.commands[index].effects.push(anything);
            }
        }
    }
}

/// Whether an effect puts something else into a file that is named. What writes somewhere in a directory may write a hook there, too, and
/// needs no patch for it; and what is gone is not applied.
fn rewrites(effect: &Effect, path: &str) -> bool {
    let is_above = match &effect.target {
        Target::Path { path: Some(changed), .. } => path != changed && is_below(path, changed),
        _ => false,
    };
    let goes = matches!(effect.kind, EffectKind::Delete | EffectKind::DeleteTree);
    !is_above && !goes && changes(effect, path)
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

/// Returns the files that a patch may write, by each name that they have where directories are taken away from it (`-p`).
fn written(text: &str) -> impl Iterator<Item = &str> {
    let named = text.lines().filter_map(|line| {
        let rest = ["--- ", "+++ ", "*** ", "Index: ", "rename to "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))?;
        Some(rest.split('\t').next().unwrap_or(rest).trim_end())
    });
    named.filter(|name| *name != "/dev/null").flat_map(|name| {
        let behind = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        std::iter::once(name).chain(behind).filter(|name| !name.is_empty())
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
