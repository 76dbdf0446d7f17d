//! The repository that a command of git is about: where it is, as git itself calls it, and which words name something of it.

use fast_glob::glob_match;

use super::hooked::makes;
use super::linked::{Link, below, put};
use super::plan::PlannedCommand;
use super::scripts::changes;
use super::walk::Walker;
use crate::catalog::{Interpretation, Named, Place, Touch};
use crate::model::{Arg, Effect, EffectKind, RUN_BY_GIT, Real, Repository};
use crate::paths::{absolute, is_below};

/// Variables by which git is told where something of a repository is (git(1), ENVIRONMENT VARIABLES).
const TOLD: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Options that tell it.
const TELLING: &[&str] = &["--git-dir", "--work-tree", "--separate-git-dir", "--bare"];

/// How much of what stands before a command is looked at: behind more, it is not known.
const BEFORE: usize = 4096;

impl Walker<'_> {
    /// Returns the repository that command `index` is about; none if that is not known.
    pub(super) fn repository(&self, index: usize) -> Option<Repository> {
        let command = &self.plan.commands[index];
        let is_told = |name: &&str| {
            self.state.variable(name).is_some() || self.facts.environment.contains_key(*name)
        };
        if command.place != Place::Here || tells(command) || TOLD.iter().any(is_told) {
            return None;
        }
        let entered = self.entered(&command.interpretation);
        let [Some(directory)] = entered.as_slice() else { return None };
        let before = &self.plan.commands[..index];
        if before.iter().map(|other| 1 + other.effects.len()).sum::<usize>() > BEFORE {
            return None;
        }
        let mut is_made = false;
        for other in before.iter().filter(|other| other.interpretation.in_repository) {
            let mut words = other.interpretation.subcommand.iter().map(String::as_str);
            match (words.next(), words.next()) {
                (Some("init"), _)
                    if other.interpretation.operands.is_empty()
                        && other.directories == entered
                        && !tells(other) =>
                {
                    is_made = true;
                }
                (Some("init" | "clone"), _)
                | (Some("worktree" | "submodule"), Some("add" | "init" | "update")) => return None,
                _ => {}
            }
        }
        let made = || {
            let real = self.scripts.real(directory);
            let git = absolute(real.as_deref().unwrap_or(directory), ".git");
            Repository { directory: git.clone(), common: git }
        };
        let found = match self.scripts.repository(directory) {
            // It is made anew, with what is there already.
            Some(found) if is_made && found.directory != made().directory => return None,
            Some(found) => found,
            None if is_made => made(),
            None => return None,
        };
        let nearest = absolute(directory, ".git");
        let moves = |other: &PlannedCommand| {
            !other.interpretation.in_repository
                && other
                    .effects
                    .iter()
                    .any(|effect| changes(effect, &found.directory) || changes(effect, &nearest))
        };
        (!before.iter().any(moves)).then_some(found)
    }
}

impl Walker<'_> {
    /// Adds to what changes a repository of which an option says where it is that it writes there, unless that is the workspace's own.
    pub(super) fn changed_where_told(
        &self,
        interpretation: &Interpretation,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let told = interpretation.value(&["--git-dir"]).filter(|_| interpretation.in_repository);
        let looks = |effect: &Effect| {
            use EffectKind::{Connect, Fetch, Interact, List, Read};
            matches!(effect.kind, List | Read | Connect | Fetch | Interact)
        };
        let Some(told) = told.filter(|_| !effects.iter().all(looks)) else { return };
        let is_own = |from: &String| {
            let told = told.known().map(|told| absolute(from, told));
            let found = self.scripts.repository(from).map(|found| found.directory);
            let mut roots = self.facts.workspaces.iter();
            told.is_some_and(|told| {
                found.is_some_and(|own| own == told)
                    || roots.any(|root| absolute(root, ".git") == told)
            })
        };
        for from in directories.iter().filter(|from| !from.as_ref().is_some_and(is_own)) {
            for name in ["", "/config", "/hooks/x"] {
                let part = match told {
                    Arg::Known(told) => Arg::Known(format!("{}{name}", told.trim_end_matches('/'))),
                    told => told.clone(),
                };
                self.path_effects_in(EffectKind::Write, &part, std::slice::from_ref(from), effects);
            }
        }
    }
}

/// What stands in a git directory while something is under way that may be given up (git(1), `--abort`).
const UNDER_WAY: &[&str] =
    &["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"];

impl Walker<'_> {
    /// Takes from what gives something up (`git merge --abort`) that work is lost, where nothing is under way before the line: then nobody
    /// has resolved anything by hand.
    pub(super) fn give_up_nothing(&mut self) {
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            if !command.interpretation.in_repository || !command.interpretation.gives(&["--abort"])
            {
                continue;
            }
            let Some(Repository { directory, .. }) = self.repository(index) else { continue };
            let mut parts = UNDER_WAY.iter().map(|part| absolute(&directory, part));
            if !parts.any(|part| self.scripts.exists(&part)) {
                let effects = &mut self.plan.commands[index].effects;
                effects.retain(|effect| effect.kind != EffectKind::LoseWork);
            }
        }
    }
}

/// Whether a line of a repository's settings names a program that git runs.
fn runs_something(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    // A section may stand on the same line: `[core] fsmonitor = x`.
    let name = name.rsplit([']', ' ']).next().unwrap_or_default();
    let is_harmless = ["true", "false", ""].contains(&value)
        || value.starts_with("git-lfs ")
        || name == "helper" && value.chars().all(|c| c.is_alphanumeric() || " =-".contains(c));
    RUN_BY_GIT.contains(&name) && !is_harmless
}

/// Whether a path below a git directory is one of what says which programs git runs.
fn is_setting(below: &str) -> bool {
    let below = below.trim_start_matches('/');
    ["config", "hooks", "info", "commondir", "gitdir", "*"].iter().any(|name| {
        below
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
    })
}

/// Of what a line copies or moves, so much is looked at for repositories.
const BROUGHT: usize = 256;

impl Walker<'_> {
    /// Adds to what works in a repository that it runs what the settings of that name, where they may be anybody's: those of a directory
    /// of the workspace that is not called `.git` (git-config(1), "safe.bareRepository").
    pub(super) fn run_settings_put_together(&mut self) {
        let mut brought: Vec<Link> = Vec::new();
        let mut heads: Vec<String> = Vec::new();
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            let made = command.effects.iter().filter(|effect| makes(effect.kind));
            let made = made.filter_map(|effect| effect.path()?.strip_suffix("/HEAD"));
            heads.extend(made.map(str::to_owned));
            if command.interpretation.in_repository && command.place == Place::Here {
                let told = command.interpretation.value(&["--git-dir"]);
                let places = command.directories.iter().flatten().map(|from| match told {
                    Some(told) => absolute(from, told.known().unwrap_or(".")),
                    None => from.clone(),
                });
                let found = places.filter(|place| {
                    let came =
                        |link: &Link| Some(absolute(link.to.as_ref()?, below(place, &link.at)?));
                    let mut places = brought.iter().filter_map(came).chain([place.clone()]);
                    places.any(|place| {
                        self.is_put_together(&place, index, &heads)
                            || self.is_set_to_run(&place, index)
                            || self.is_set_before(&place, index)
                    })
                });
                let mut found: Vec<Arg> = found.map(Arg::Known).collect();
                // Where a link of the line leads is not known.
                if told.is_some_and(|told| told.known().is_none())
                    || command.directories.contains(&None) && !self.links.is_empty()
                {
                    found.insert(0, Arg::Unknown);
                }
                let mut runs: Vec<Effect> = Vec::new();
                for place in found {
                    self.absolute_effect(EffectKind::Execute, &place, &mut runs);
                }
                self.plan.commands[index].effects.extend(runs);
            } else if brought.len() < BROUGHT {
                brought.extend(put(command, &[EffectKind::Move, EffectKind::Read]));
            }
        }
    }

    /// Whether the settings of a repository that is not of a workspace name programs that git runs when it only looks, or hooks of one below
    /// a temporary directory are run by command `index`.
    fn is_set_to_run(&self, place: &str, index: usize) -> bool {
        let repository = self.scripts.repository(place);
        let common = repository.map_or_else(|| place.to_owned(), |found| found.common);
        let is_own = |root: &String| is_below(&common, &absolute(root, ".git"));
        if self.facts.workspaces.iter().any(is_own) {
            return false;
        }
        let mut settings = ["config", "config.worktree"].iter().map(|name| absolute(&common, name));
        let hooks = absolute(&common, "hooks");
        let looks = |effect: &Effect| matches!(effect.kind, EffectKind::List | EffectKind::Read);
        let only_looks = self.plan.commands[index].effects.iter().all(looks);
        let is_run = |name: &String| {
            let text = || self.scripts.text(&absolute(&hooks, name)).unwrap_or_default();
            !name.ends_with(".sample")
                && (!only_looks || name == "post-index-change")
                && !text().contains("git lfs ")
        };
        settings.any(|path| {
            let text = self.scripts.exists(&path).then(|| self.scripts.text(&path)).flatten();
            text.is_some_and(|text| text.lines().any(runs_something))
        }) || self.facts.temporary.iter().any(|root| is_below(&common, root))
            && self.scripts.names(&hooks).is_some_and(|names| names.iter().any(is_run))
    }

    /// Whether the line writes settings or hooks of a repository before command `index` runs: of one that it copied, too.
    fn is_set_before(&self, place: &str, index: usize) -> bool {
        let sets = |effect: &Effect| {
            let below = effect.path().and_then(|path| below(path, place));
            makes(effect.kind) && below.is_some_and(is_setting)
        };
        self.plan.commands[..index].iter().flat_map(|command| &command.effects).any(sets)
    }

    /// Whether git finds a repository around a place that a line may have put together, where command `index` runs: a directory is one
    /// that holds `HEAD`, `objects` and `refs` (gitrepository-layout(5)).
    fn is_put_together(&self, place: &str, index: usize, heads: &[String]) -> bool {
        let is_temporary =
            |place: &str| self.facts.temporary.iter().any(|root| is_below(place, root));
        let roots = &self.facts.workspaces;
        if let Some((above, open)) =
            place.rsplit_once('/').filter(|(_, name)| name.contains(['*', '?', '[']))
        {
            let names = self.scripts.directories(above).into_iter();
            let mut fitting = names.filter(|name| glob_match(open, name));
            return fitting.any(|name| self.is_put_together(&absolute(above, &name), index, heads));
        }
        if !is_temporary(place) && !roots.iter().any(|root| is_below(place, root)) {
            return false;
        }
        let is_there = |part: String| {
            let made = |effect: &Effect| {
                makes(effect.kind) && effect.path().is_some_and(|path| is_below(path, &part))
            };
            let mut before = self.plan.commands[..index].iter().flat_map(|other| &other.effects);
            self.scripts.exists(&part) || before.any(made)
        };
        let is_own = |place: &str| {
            let mut own = roots.iter().filter_map(|root| self.scripts.repository(root));
            place.split('/').any(|name| name == ".git")
                || own.any(|own| is_below(place, &own.common))
        };
        let upward = std::iter::successors(Some(place), |path| Some(path.rsplit_once('/')?.0));
        for above in upward.filter(|above| !above.is_empty()) {
            if above.split('/').any(|name| name == ".git") {
                return false;
            }
            let git = absolute(above, ".git");
            // At the root of a workspace, a directory of its own is its repository.
            if roots.iter().any(|root| root == above)
                && self.scripts.is_directory(&git)
                && self.scripts.behind_links(&git, self.facts, true) == Real::Same
            {
                return false;
            }
            if self.scripts.exists(&git) {
                // A file there says where it is.
                let found = self.scripts.repository(above);
                return found.is_some_and(|found| !is_own(&found.directory));
            }
            let has_head = heads.iter().any(|head| head == above)
                || self.scripts.exists(&absolute(above, "HEAD"));
            if has_head && ["objects", "refs"].iter().all(|part| is_there(absolute(above, part))) {
                return is_temporary(above) || !roots.iter().any(|root| root == above);
            }
        }
        false
    }

    /// Whether what may be done to a word is done: what is there decides, or what stands beside it.
    pub(super) fn is_meant(
        &self,
        touch: &Touch,
        interpretation: &Interpretation,
        argv: &[Arg],
        directories: &[Option<String>],
    ) -> bool {
        let named = interpretation.named.iter().find(|(index, _)| Some(*index) == touch.index);
        match (named, &touch.target) {
            (None, _) => true,
            (Some((_, Named::Compared)), _) => may_be_two(interpretation, argv),
            (Some((_, Named::RevisionOrPath)), Some(Arg::Known(name))) => {
                name.starts_with(':')
                    || name.contains(['*', '?', '['])
                    || directories.iter().any(|from| self.is_path_of(from.as_deref(), name))
            }
            // What a pattern stands for is there. Other words that are not known may be options, and count as such.
            (Some((_, Named::RevisionOrPath)), target) => matches!(target, Some(Arg::Glob(_))),
        }
    }

    /// Whether a word names a path that is there, and no branch or tag (git-checkout(1), "DISAMBIGUATION").
    fn is_path_of(&self, directory: Option<&str>, name: &str) -> bool {
        let Some(directory) = directory else { return false };
        if !self.scripts.exists(&absolute(directory, name)) {
            return false;
        }
        let Some(Repository { common, .. }) = self.scripts.repository(directory) else {
            return true;
        };
        let packed = || self.scripts.text(&absolute(&common, "packed-refs")).unwrap_or_default();
        let is_ref = |kind| {
            let full = format!("refs/{kind}/{name}");
            self.scripts.exists(&absolute(&common, &full))
                || packed().lines().any(|line| line.ends_with(&format!(" {full}")))
        };
        !["heads", "tags"].into_iter().any(is_ref)
    }
}

/// Whether the operands of a command may be two that no `--` stands between.
fn may_be_two(interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let mut operands = interpretation.operands.iter().map(|(index, _)| *index).collect::<Vec<_>>();
    operands.sort_unstable();
    operands.dedup();
    let first = operands.first().copied().unwrap_or_default();
    let is_many = |index: &usize| matches!(argv.get(*index), Some(Arg::Many | Arg::Glob(_)));
    let is_split = argv.iter().skip(first).any(|word| word.known() == Some("--"));
    !is_split && (operands.len() == 2 || operands.len() < 2 && operands.iter().any(is_many))
}

/// Whether a command is told where something of its repository is.
fn tells(command: &PlannedCommand) -> bool {
    let names = command.environment.iter().map(|(name, _)| name.as_str());
    command.interpretation.gives(TELLING) || names.into_iter().any(|name| TOLD.contains(&name))
}
