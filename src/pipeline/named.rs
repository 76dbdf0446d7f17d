//! Whether a person's own words name what a line does. A model says that a line is within a task; that its hosts, packages and files are those
//! of the task is seen here, letter by letter, and no model is asked about it.

use std::path::Path;

use super::Judgement;
use crate::model::{Effect, EffectKind, Facts, PathClass, Severity, Target};
use crate::policy::severity_of;
use crate::reading::PlannedCommand;

/// Returns whether each command of which anything is found does something whose target the person named, and nothing else that is more than
/// harmless: not on another host, with another package, to another file. What is written in a line that fetches is named too, unless it goes
/// into a temporary directory that is not worked in: what is there now may run by itself later.
pub(super) fn by_person(judgement: &Judgement, facts: &Facts, prompts: &[String]) -> bool {
    let names = Names { facts, prompts };
    let commands = &judgement.plan.commands;
    let is_fetching = |one: &Effect| {
        matches!(one.kind, EffectKind::Fetch | EffectKind::Connect) && names.is_harmful(one)
    };
    let fetches = commands.iter().flat_map(|command| &command.effects).any(is_fetching);
    let assessment = &judgement.assessment;
    let is_of_line = assessment.findings.iter().zip(&assessment.subjects).any(|(found, subject)| {
        found.severity > Severity::Low && subject.is_none() && !found.rule.starts_with("opaque.")
    });
    // What is found in the line as a whole has no target.
    if is_of_line {
        return false;
    }
    let found = &assessment.commands;
    let mut all = commands.iter().zip(found).enumerate();
    all.all(|(index, (command, found))| {
        let is_found = found.severity > Severity::Low;
        let reaches = command.effects.iter().any(is_fetching);
        let is_given = judgement.plan.flows.iter().any(|flow| flow.to.contains(&index));
        (!is_found || names.all_of(command))
            && (!fetches || names.all_written(command))
            // What other commands print, nobody named.
            && !(reaches && is_given)
    })
}

struct Names<'n> {
    facts: &'n Facts,
    prompts: &'n [String],
}

impl Names<'_> {
    fn is_harmful(&self, effect: &Effect) -> bool {
        severity_of(effect, self.facts) > Severity::Low
    }

    /// Whether all is named that a command does beyond what is harmless. Of what runs unread, the file goes along, or nobody is asked.
    fn all_of(&self, command: &PlannedCommand) -> bool {
        let runs = |one: &Effect| matches!(one.kind, EffectKind::Execute | EffectKind::Build);
        let (running, others): (Vec<&Effect>, Vec<&Effect>) =
            command.effects.iter().partition(|one| runs(one));
        let harmful: Vec<&Effect> = others.into_iter().filter(|one| self.is_harmful(one)).collect();
        // A command that does something to what it is given does so by itself, too.
        let is_said = |one: &Effect| {
            let says = |other: &&Effect| other.kind == one.kind && other.target != Target::None;
            one.target == Target::None && harmful.iter().any(says)
        };
        // What is found by a rule alone, nobody can name.
        let has_one = !running.is_empty() || !harmful.is_empty();
        has_one && harmful.iter().all(|one| is_said(one) || self.has(&one.target))
    }

    /// Whether all is named that a command writes, in a line that fetches.
    fn all_written(&self, command: &PlannedCommand) -> bool {
        let changes = |one: &&Effect| one.kind.changes() || one.kind == EffectKind::Commit;
        let mut written = command.effects.iter().filter(changes);
        // What comes into a repository has the names that others gave it.
        !command.interpretation.in_repository
            && written.all(|one| match &one.target {
                Target::Path { class: PathClass::Null, .. } => true,
                Target::Path { class: PathClass::Temporary, path: Some(path) } => {
                    !self.is_here(path) || self.has(&one.target)
                }
                target => self.has(target),
            })
    }

    /// Whether a path is below the directory that the line works in.
    fn is_here(&self, path: &str) -> bool {
        self.facts.cwd.as_deref().is_some_and(|cwd| Path::new(path).starts_with(cwd))
    }

    fn has(&self, target: &Target) -> bool {
        match target {
            Target::Host { host: Some(host) } => self.has_word(host),
            Target::Text { text: Some(text) } => {
                // The version is another matter.
                let first = text.chars().next().map_or(0, char::len_utf8);
                let end = text[first..].find(['@', '=', '<', '>', '~', '!', '[']);
                self.has_word(&text[..end.map_or(text.len(), |end| first + end)])
            }
            Target::Path { path: Some(path), .. } => self.has_path(Path::new(path)),
            Target::None
            | Target::Host { host: None }
            | Target::Text { text: None }
            | Target::Path { path: None, .. } => false,
        }
    }

    /// Whether a path stands there whole, as seen from here, or from home.
    fn has_path(&self, path: &Path) -> bool {
        let below = |base: &Option<String>| {
            let rest = path.strip_prefix(base.as_deref()?).ok()?.to_str()?;
            Some(rest.to_owned())
        };
        let at_home = below(&self.facts.home).map(|rest| format!("~/{rest}"));
        let whole = path.to_str().map(str::to_owned);
        [whole, below(&self.facts.cwd), at_home].iter().flatten().any(|name| self.has_word(name))
    }

    /// Whether this stands in what the person typed, and is not a part of another name.
    fn has_word(&self, word: &str) -> bool {
        if word.chars().filter(|c| c.is_alphanumeric()).count() < LEAST {
            return false;
        }
        let word = word.to_lowercase();
        self.prompts.iter().any(|prompt| {
            let prompt = prompt.to_lowercase();
            prompt.match_indices(&word).any(|(at, _)| {
                let before = prompt[..at].chars().next_back();
                let mut after = prompt[at + word.len()..].chars();
                let (next, second) = (after.next(), after.next());
                // What ends a sentence ends a name.
                let goes_on = next == Some('.') && second.is_some_and(char::is_alphanumeric);
                !before.is_some_and(|c| {
                    is_of_name(c) || c == '.' || c == '/' && !is_url(&prompt[..at])
                }) && !next.is_some_and(is_of_name)
                    && !goes_on
            })
        })
    }
}

/// Letters and digits of a name: of fewer nobody knows what they mean.
const LEAST: usize = 2;

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Whether what stands before a word is the beginning of an address.
fn is_url(before: &str) -> bool {
    before.ends_with("://")
}
