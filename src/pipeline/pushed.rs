//! What a line pushes, by its words, and what a person is shown of it: the commits, what they change, and what looks like a secret in them. Judges nothing.

use std::time::Instant;

use super::hook::difference::cut;
use super::question::only_shown;
use super::{Judgement, World};
use crate::audit::{self, mask};
use crate::catalog::GivenOption;
use crate::model::{
    EffectKind, Finding, Followed, GitFacts, PathClass, Pushed, Question, Removes, Severity, Span,
};
use crate::observe::{self, Asked, Brought, Commit, Unseen};
use crate::paths;
use crate::reading::{Plan, PlannedCommand};

/// Commits and files that are named, and letters of a commit's subject.
const NAMED: usize = 6;
const SUBJECT: usize = 60;

/// Options with which git pushes what its words say, and where.
const PLAIN: [&str; 14] = [
    "-C",
    "-u",
    "--set-upstream",
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "--porcelain",
    "--progress",
    "--atomic",
    "-n",
    "--dry-run",
    "--force",
    "--force-with-lease",
];
/// Those that have it take away what others have.
const FORCES: [&str; 2] = ["--force", "--force-with-lease"];

/// Returns what a plan pushes, for a model; none where that is not known, or goes to a branch of another name. What is rewritten is told like what is added.
pub(super) fn of_plan(plan: &Plan, git: Option<&GitFacts>) -> Option<Vec<Pushed>> {
    let pushes = plan.commands.iter().filter(|command| publishes(command));
    let one = |command| match pushed(command, git)?.as_slice() {
        [one] if one.is_alike => Some(one.push.clone()),
        _ => None,
    };
    pushes.map(one).collect()
}

/// What one refspec pushes.
struct Refspec {
    push: Pushed,
    /// Whether it is called there what it is called here.
    is_alike: bool,
    /// Whether it may take away what others have.
    is_forced: bool,
}

fn publishes(command: &PlannedCommand) -> bool {
    let is_push = |kind| matches!(kind, EffectKind::Publish | EffectKind::RewriteShared);
    command.effects.iter().any(|effect| is_push(effect.kind))
}

fn is_push(command: &PlannedCommand) -> bool {
    command.interpretation.program == "git" && command.interpretation.subcommand == ["push"]
}

fn pushed(command: &PlannedCommand, git: Option<&GitFacts>) -> Option<Vec<Refspec>> {
    let called = &command.interpretation;
    let [Some(directory)] = command.directories.as_slice() else { return None };
    let has = |option: &GivenOption, names: &[&str]| {
        option.spellings.iter().any(|name| names.contains(&name.as_str()))
    };
    let is_plain = called.options.iter().all(|option| has(option, &PLAIN));
    if !is_push(command) || !is_plain || !command.environment.is_empty() {
        return None;
    }
    let is_forced = called.options.iter().any(|option| has(option, &FORCES));
    // The first word is the remote.
    let words = called.operands.iter().map(|(at, _)| command.argv.get(*at)?.known());
    let words: Vec<&str> = words.collect::<Option<_>>()?;
    let branch = git.and_then(|git| git.branch.as_deref());
    let remote = followed(git, words.first().copied());
    let one = |word: &str| {
        let (spec, is_forced) = match word.strip_prefix('+') {
            Some(spec) => (spec, true),
            None => (word, is_forced),
        };
        let (from, to) = spec.split_once(':').unwrap_or((spec, spec));
        if !is_name(from) || !is_name(to) {
            return None;
        }
        let to = if to == "HEAD" { branch } else { Some(to) };
        let to = to.map(|to| to.strip_prefix("refs/heads/").unwrap_or(to));
        let removes = is_forced.then(|| removes(&remote, to)).flatten();
        let (directory, revision) = (directory.clone(), from.to_owned());
        let push = Pushed { directory, revision, remote: remote.clone(), removes };
        Some(Refspec { push, is_alike: word == from, is_forced })
    };
    match words.get(1..) {
        None | Some([]) => one("HEAD").map(|one| vec![one]),
        Some(specs) => specs.iter().map(|spec| one(spec)).collect(),
    }
}

/// Whether a word is the name of a revision, and nothing that is computed from one.
fn is_name(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/_.-".contains(c);
    !word.is_empty() && !word.starts_with('-') && !word.contains("..") && word.chars().all(is_plain)
}

/// Returns whose commits are known here of those that a push goes to.
fn followed(git: Option<&GitFacts>, remote: Option<&str>) -> Followed {
    let is_known = |name: &str| git.is_some_and(|git| git.remotes.iter().any(|one| one == name));
    match remote {
        None => Followed::All,
        // What stands for several is a pattern to git.
        Some(name) if is_known(name) && is_name(name) => Followed::One(name.to_owned()),
        Some(_) => Followed::None,
    }
}

/// Returns what each push of a line pushes; none of one of which its words do not say it.
fn of_line(world: &World, judgement: &Judgement) -> impl Iterator<Item = Option<Vec<Refspec>>> {
    let commands = judgement.plan.commands.iter().filter(|command| is_push(command));
    commands.map(|command| {
        let directory = command.directories.first().and_then(Option::as_deref);
        let git = directory.and_then(|directory| observe::git(&world.environment, directory));
        pushed(command, git.as_ref())
    })
}

/// A commit that is pushed, by its directory and id; none where it is not known.
pub(super) type Tip = Option<String>;

fn tip(asked: &Asked<'_>, one: &Refspec) -> String {
    format!("{}:{}", one.push.directory, asked.tip)
}

/// Returns the commits that a line's pushes push.
pub(super) fn tips(world: &World, judgement: &Judgement, until: Instant) -> Vec<Tip> {
    let of_one = |one: &Refspec| {
        let asked = Asked::about(&one.push, &world.environment, until).ok()?;
        Some(tip(&asked, one))
    };
    let tips = of_line(world, judgement).flat_map(|pushes| match pushes {
        Some(pushes) => pushes.iter().map(of_one).collect(),
        None => vec![None],
    });
    tips.collect()
}

/// Returns the branch at a remote that a forced push takes commits from; none where the repository here does not follow it.
fn removes(remote: &Followed, to: Option<&str>) -> Option<Removes> {
    match remote {
        Followed::None => None,
        Followed::One(remote) => {
            let branch = format!("{remote}/{}", to?);
            let revision = format!("refs/remotes/{branch}");
            Some(Removes { branch, revision })
        }
        Followed::All => {
            let revision = "@{push}".to_owned();
            Some(Removes { branch: revision.clone(), revision })
        }
    }
}

/// Adds to a question what a line would push, as far as git says it so soon.
pub(super) fn shown(
    world: &World,
    judgement: &Judgement,
    mut question: Question,
    until: Instant,
) -> Question {
    let commands = &judgement.plan.commands;
    let Some(first) = commands.iter().position(is_push) else { return question };
    let mut told = Told::default();
    for pushes in of_line(world, judgement) {
        told.push(world, pushes.as_deref(), until);
    }
    let makes = |kind: EffectKind| {
        matches!(kind, EffectKind::Commit | EffectKind::LoseWork | EffectKind::RewriteShared)
    };
    let mut before = commands.iter().take(first).flat_map(|command| &command.effects);
    if before.any(|effect| makes(effect.kind)) {
        told.say("push.later", Severity::Medium, LATER.to_owned());
    }
    question.findings.extend(told.findings);
    if !told.patch.is_empty() {
        question.difference = Some(told.patch);
    }
    // A yes to what is not waited for any more is one to these commits.
    let files = question.files.take().unwrap_or_default();
    question.files = Some(audit::sha256(format!("{files} {:?}", told.tips).as_bytes()));
    question
}

/// What is said of commits that are not there yet.
const LATER: &str = "what the line commits before it pushes is not among them";

/// What is told of pushes.
#[derive(Default)]
struct Told {
    findings: Vec<Finding>,
    patch: String,
    /// The commits that it is about.
    tips: Vec<Tip>,
}

impl Told {
    fn say(&mut self, rule: &str, severity: Severity, reason: String) {
        let finding = only_shown(rule, Span::new(0, 0), reason);
        self.findings.push(Finding { severity, ..finding });
    }

    /// Tells of one command.
    fn push(&mut self, world: &World, pushes: Option<&[Refspec]>, until: Instant) {
        let Some(pushes) = pushes else {
            self.tips.push(None);
            let why = "which commits it brings is not known from its words";
            return self.say("push.unknown", Severity::Medium, why.to_owned());
        };
        for one in pushes {
            let asked = Asked::about(&one.push, &world.environment, until);
            self.tips.push(asked.as_ref().ok().map(|asked| tip(asked, one)));
            if let Err(why) = asked.and_then(|asked| self.refspec(world, one, &asked)) {
                let reason = format!("which commits it brings is not known: {why}");
                self.say("push.unknown", Severity::Medium, reason);
            }
        }
    }

    fn refspec(&mut self, world: &World, one: &Refspec, asked: &Asked<'_>) -> Result<(), Unseen> {
        self.brought(world, &one.push.directory, &asked.brought()?);
        match &one.push.removes {
            None if one.is_forced => {
                let why = "what it takes away there is not known";
                self.say("push.removes", Severity::High, why.to_owned());
            }
            None => {}
            Some(removes) => {
                let gone = asked.taken_away()?;
                if !gone.is_empty() {
                    let (branch, count) = (&removes.branch, gone.len());
                    let names = named(&gone);
                    let reason = format!("it takes away commits of '{branch}' ({count}): {names}");
                    self.say("push.removes", Severity::High, reason);
                }
            }
        }
        Ok(())
    }

    /// Tells of what comes with a push.
    fn brought(&mut self, world: &World, directory: &str, brought: &Brought) {
        let Brought { commits, is_cut, files, patch } = brought;
        if commits.is_empty() {
            let none = "it brings no commits that are not there, by what stands here: whoever writes to the repository can have it say so";
            let is_elsewheres = world.client.is_some();
            let severity = if is_elsewheres { Severity::High } else { Severity::Medium };
            return self.say("push.commits", severity, none.to_owned());
        }
        let (count, names) = (commits.len(), named(commits));
        let reason = format!("it brings commits that are not known to be there ({count}): {names}");
        self.say("push.commits", Severity::Medium, reason);
        if *is_cut {
            let more = "there are more commits than are looked at, older ones";
            self.say("push.long", Severity::High, more.to_owned());
        }
        let (added, removed) =
            files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
        let listed = files.iter().take(NAMED);
        let listed = listed.map(|file| format!("{} +{} -{}", file.path, file.added, file.removed));
        let listed = and_more(listed.collect(), files.len());
        if !files.is_empty() {
            let reason =
                format!("they change files ({}, +{added} -{removed}): {listed}", files.len());
            self.say("push.changes", Severity::Medium, reason);
        }
        let is_secret = |path: &str| {
            paths::classify(&format!("{directory}/{path}"), &world.judge.facts) == PathClass::Secret
        };
        let secret: Vec<String> = files
            .iter()
            .filter(|file| mask::holds_token(&file.text) || file.added > 0 && is_secret(&file.path))
            .map(|file| file.path.clone())
            .collect();
        if !secret.is_empty() {
            let count = secret.len();
            let names = and_more(secret.into_iter().take(NAMED).collect(), count);
            let reason = format!("in them is what looks like a secret: {names}");
            self.say("push.secrets", Severity::High, reason);
        }
        if let Some(patch) = patch {
            self.patch.push_str(&cut(mask::mask(patch).into_owned()));
        } else if !files.is_empty() {
            let reason = "they are too long to be looked through for secrets";
            self.say("push.long", Severity::Medium, reason.to_owned());
        }
    }
}

/// Returns commits by their subjects, the newest first.
fn named(commits: &[Commit]) -> String {
    let newest = commits.iter().rev().take(NAMED);
    let newest = newest.map(|Commit { id, subject }| {
        let cut: String = subject.chars().take(SUBJECT).collect();
        let more = if cut.len() < subject.len() { "…" } else { "" };
        format!("{id} {cut}{more}")
    });
    and_more(newest.collect(), commits.len())
}

fn and_more(mut named: Vec<String>, of: usize) -> String {
    if of > named.len() {
        named.push(format!("+{}", of - named.len()));
    }
    named.join(", ")
}
