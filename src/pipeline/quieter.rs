//! What would make a line quieter. Each way is tried: the line is judged again as it would be then, and only what helps is told.

use std::path::Path;

use super::{Judgement, OwnRule, Place, Request, Validity, World};
use crate::decision::Terms;
use crate::frame::Carries;
use crate::model::{
    Action, Arg, Effect, EffectKind, Facts, PathClass, Permission, Score, Severity, Target,
};
use crate::policy::Assessment;
use crate::reading::PlannedCommand;

/// What a program does whose name says nothing of where it does it: no word calls it safe.
const REACHING: [EffectKind; 6] = [
    EffectKind::Fetch,
    EffectKind::Connect,
    EffectKind::Send,
    EffectKind::Remote,
    EffectKind::Publish,
    EffectKind::RewriteShared,
];
/// What takes something away: nobody wants that unasked from now on because one such line was refused.
const LOSING: [EffectKind; 6] = [
    EffectKind::Delete,
    EffectKind::DeleteTree,
    EffectKind::Empty,
    EffectKind::Move,
    EffectKind::LoseWork,
    EffectKind::RewriteShared,
];
/// Bytes of a line of which whoever was refused is told how it can be let run: it is judged again for each way.
const LONGEST: usize = 1_000;
/// Commands of a line that are tried one by one at most.
const MOST_PIECES: usize = 12;

/// A change of the owner's settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A key that lets such lines run.
    Permit(Permission),
    /// A host to be trusted.
    Host(String),
    /// A command to be trusted: its program and subcommands.
    Command(Vec<String>),
    /// A directory that is a workspace.
    Root(String),
    /// The score from which lines run at once.
    Threshold(u8),
}

impl Change {
    /// Returns the key of the settings, and the value: of a list, one more item.
    #[must_use]
    pub fn setting(&self) -> (&'static str, toml::Value) {
        match self {
            Self::Permit(permission) => (permission.setting(), true.into()),
            Self::Host(host) => ("safe_domains", host.as_str().into()),
            Self::Command(words) => ("safe_commands", shell_words::join(words).into()),
            Self::Root(root) => ("workspace_roots", root.as_str().into()),
            Self::Threshold(score) => ("thresholds.bash", i64::from(*score).into()),
        }
    }

    /// Returns the line that the settings would have.
    #[must_use]
    pub fn line(&self) -> String {
        let (key, value) = self.setting();
        match self {
            Self::Permit(_) | Self::Threshold(_) => format!("{key} = {value}"),
            Self::Host(_) | Self::Command(_) | Self::Root(_) => format!("{key} = [{value}]"),
        }
    }

    /// Returns the command by which the owner makes it.
    fn command(&self) -> String {
        let (key, value) = self.setting();
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value = shell_words::quote(&value);
        match self {
            Self::Host(_) => format!("guarded-sh allow --host {value}"),
            Self::Permit(_) | Self::Threshold(_) => format!("guarded-sh config set {key} {value}"),
            Self::Command(_) | Self::Root(_) => format!("guarded-sh config add {key} {value}"),
        }
    }

    /// Returns for whom it is, and where.
    fn text(&self) -> String {
        let way = self.command();
        match self {
            Self::Permit(permission) => format!("if you permit {}: {way}", permission.says()),
            Self::Host(host) => format!("if you trust `{host}`: {way}"),
            Self::Command(words) => format!("if you trust `{}`: {way}", shell_words::join(words)),
            Self::Root(root) => format!("if `{root}` is a workspace of yours: {way}"),
            Self::Threshold(score) => format!("if {score} of 100 is safe enough for you: {way}"),
        }
    }

    /// Judges a line as it would be with this change.
    #[must_use]
    pub fn judged(&self, world: &World, line: &str) -> Option<Judgement> {
        Self::all_judged(std::slice::from_ref(self), world, line)
    }

    /// Whether a line would run at once with this change.
    fn lets_run(&self, world: &World, line: &str) -> bool {
        self.judged(world, line).is_some_and(|then| then.action == Action::Allow)
    }

    /// Judges a line as it would be with all of these changes.
    fn all_judged(changes: &[Self], world: &World, line: &str) -> Option<Judgement> {
        let (mut facts, mut terms) = (world.judge.facts.clone(), world.terms());
        for change in changes {
            match change.clone() {
                Self::Permit(permission) => facts.permits.push(permission),
                Self::Host(host) => facts.safe_domains.push(host),
                Self::Command(words) => facts.safe_commands.push(words),
                Self::Root(root) => facts.workspaces.push(root),
                Self::Threshold(score) => terms.threshold = score,
            }
        }
        judged(world, line, facts, terms)
    }
}

fn judged(world: &World, line: &str, facts: Facts, terms: Terms) -> Option<Judgement> {
    let judge = world.judge.with(&world.judge.rules, facts, terms);
    judge.judge(&Request::about(line.as_bytes())).ok()
}

/// A way to a quieter line.
pub struct Way {
    /// What to do.
    pub text: String,
    /// What the line would be then; none where it is advice that cannot be tried.
    pub then: Option<(Action, Severity, Score)>,
}

impl Way {
    fn advice(text: impl Into<String>) -> Self {
        Self { text: text.into(), then: None }
    }
}

/// Returns the ways to a line that is asked about less, the ones that the caller can go before those that take the owner.
#[must_use]
pub fn ways(world: &World, judgement: &Judgement) -> Vec<Way> {
    if judgement.action == Action::Allow {
        return Vec::new();
    }
    let trial = Trial { world, judgement };
    let mut ways: Vec<Way> = Vec::new();
    ways.extend(trial.pieces());
    ways.extend(unread(&judgement.assessment));
    let changes = trial.changes();
    let alone: Vec<Way> =
        changes.iter().filter_map(|one| trial.changed(std::slice::from_ref(one))).collect();
    if alone.is_empty() {
        ways.extend(trial.together(&changes));
    }
    ways.extend(alone);
    ways.extend(trial.allowed());
    ways
}

/// Returns the command by which the owner lets such a line run at once: a host that it reads, else this very line, else what else lets it run. Whoever is told
/// it has not seen the line, so it is none where something would be gone.
#[must_use]
pub fn permitting(world: &World, judgement: &Judgement) -> Option<String> {
    if let Some(Carries::Command(carried)) = judgement.frame.as_ref().map(|frame| &frame.carries) {
        // What stands around it is the agent's own.
        let alone = world.judge(&Request::about(carried.command.as_bytes())).ok()?;
        return if alone.frame.is_none() { permitting(world, &alone) } else { None };
    }
    let is_short = judgement.line.len() <= LONGEST && !judgement.line.contains('\n');
    let is_line = !judgement.script.statements.is_empty();
    if judgement.action == Action::Allow || !is_short || !is_line {
        return None;
    }
    let trial = Trial { world, judgement };
    // What is gone then is gone: that is for this once.
    if trial.effects().any(|effect| LOSING.contains(&effect.kind)) {
        return None;
    }
    let mut changes = trial.changes();
    changes.retain(|change| change.lets_run(world, &judgement.line));
    // Who reads from a host once reads more from it.
    let host = changes.iter().find(|change| matches!(change, Change::Host(_)));
    let change = |change: Option<&Change>| change.map(Change::command);
    change(host).or_else(|| trial.allow()).or_else(|| change(changes.first()))
}

/// Returns the changes after which a line would run at once.
#[must_use]
pub fn changes(world: &World, judgement: &Judgement) -> Vec<Change> {
    let mut changes = Trial { world, judgement }.changes();
    let score = judgement.assessment.score.get();
    if judgement.assessment.severity == Severity::Medium {
        changes.push(Change::Threshold(score));
    }
    changes.retain(|change| change.lets_run(world, &judgement.line));
    changes
}

struct Trial<'a> {
    world: &'a World,
    judgement: &'a Judgement,
}

impl Trial<'_> {
    /// The way, if the line runs with these changes.
    fn changed(&self, changes: &[Change]) -> Option<Way> {
        let then = Change::all_judged(changes, self.world, &self.judgement.line)?;
        let runs = then.action == Action::Allow;
        let then = (then.action, then.assessment.severity, then.assessment.score);
        let text = || changes.iter().map(Change::text).collect::<Vec<_>>().join("; and ");
        runs.then(|| Way { text: text(), then: Some(then) })
    }

    /// The way of several changes, each of which helps, where none is enough by itself.
    fn together(&self, changes: &[Change]) -> Option<Way> {
        let before = self.judgement.assessment.score;
        let helps = |change: &&Change| {
            let then = change.judged(self.world, &self.judgement.line);
            then.is_some_and(|then| then.assessment.score > before)
        };
        let helping: Vec<Change> = changes.iter().filter(helps).cloned().collect();
        if helping.is_empty() { None } else { self.changed(&helping) }
    }

    /// The command that writes a rule by which this very line would run at once, if there is one.
    fn allow(&self) -> Option<String> {
        let line = &self.judgement.line;
        let world = World::at(self.world.judge.facts.cwd.clone()).ok()?;
        let validity = Validity { place: Place::Anywhere, until: None };
        // It is made only where the line runs by it.
        OwnRule::allow(world, line, &validity).ok()?;
        Some(format!("guarded-sh allow {}", shell_words::quote(line)))
    }

    /// The same as a way.
    fn allowed(&self) -> Option<Way> {
        let way = self.allow()?;
        let then = (Action::Allow, Severity::Low, Score::HARMLESS);
        Some(Way {
            text: format!("if this very line may run wherever it is: {way}"),
            then: Some(then),
        })
    }

    /// The parts of the line that would run at once by themselves.
    fn pieces(&self) -> Option<Way> {
        let carried = self.judgement.frame.as_ref().and_then(|frame| match &frame.carries {
            Carries::Command(carried) => Some(carried.command.as_str()),
            Carries::Startup => None,
        });
        let line = carried.unwrap_or(&self.judgement.line);
        let pipelines: Vec<&str> = self
            .judgement
            .script
            .statements
            .iter()
            .flat_map(|statement| {
                std::iter::once(&statement.first).chain(statement.rest.iter().map(|(_, next)| next))
            })
            .filter_map(|pipeline| line.get(pipeline.span.start..pipeline.span.end))
            .collect();
        if pipelines.len() < 2 || pipelines.len() > MOST_PIECES {
            return None;
        }
        // Where one has an opinion on what another one set, none can be taken out.
        let runs = |piece: &&&str| {
            let facts = self.world.judge.facts.clone();
            let then = judged(self.world, piece, facts, self.world.terms());
            then.is_some_and(|then| then.action == Action::Allow)
        };
        let quiet: Vec<String> = pipelines
            .iter()
            .filter(runs)
            .filter(|piece| {
                !piece.starts_with("cd ") && !piece.contains('\n') && !piece.contains("<<")
            })
            .map(|piece| format!("`{piece}`"))
            .collect();
        let text = match quiet.as_slice() {
            [] => return None,
            [one] => format!("on its own, {one} runs at once"),
            [rest @ .., last] => {
                format!("on their own, {} and {last} run at once", rest.join(", "))
            }
        };
        Some(Way::advice(text))
    }

    /// The changes that may help.
    fn changes(&self) -> Vec<Change> {
        let facts = &self.world.judge.facts;
        let is_off = |permission: &Permission| !facts.permits.contains(permission);
        let permits = Permission::ALL.into_iter().filter(is_off).map(Change::Permit);
        let mut hosts: Vec<&str> = self.effects().filter_map(host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let hosts = hosts.into_iter().map(|host| Change::Host(host.to_owned()));
        let home = facts.home.as_deref();
        let mut roots: Vec<&str> = self.effects().filter_map(|effect| root(effect, home)).collect();
        roots.sort_unstable();
        roots.dedup();
        let roots = roots.into_iter().map(|root| Change::Root(root.to_owned()));
        let commands = self.commands().into_iter().map(Change::Command);
        permits.chain(hosts).chain(commands).chain(roots).collect()
    }

    /// The commands of the line, each once, by the words by which they are called safe.
    fn commands(&self) -> Vec<Vec<String>> {
        let plan = &self.judgement.plan;
        let mut found: Vec<Vec<String>> = Vec::new();
        for (index, command) in plan.commands.iter().enumerate() {
            let carries = plan.commands.iter().any(|other| other.parent == Some(index));
            let reaches = command.effects.iter().any(|effect| REACHING.contains(&effect.kind));
            let has_code = !command.interpretation.carried.is_empty();
            let is_said = !carries && !reaches && !has_code && !command.runs_input;
            let words = first_words(command).filter(|_| is_said);
            found.extend(words.filter(|words| !found.contains(words)));
        }
        found
    }

    fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.judgement.plan.commands.iter().flat_map(|command| &command.effects)
    }
}

fn host(effect: &Effect) -> Option<&str> {
    match (&effect.kind, &effect.target) {
        (EffectKind::Fetch | EffectKind::Connect | EffectKind::Send, Target::Host { host }) => {
            host.as_deref()
        }
        _ => None,
    }
}

/// The directory of a path that is in no workspace, if it is one that people keep work in.
fn root<'e>(effect: &'e Effect, home: Option<&str>) -> Option<&'e str> {
    let Target::Path { path: Some(path), class: PathClass::Outside | PathClass::HomeFile } =
        &effect.target
    else {
        return None;
    };
    let directory = Path::new(path).parent()?.to_str()?;
    let is_shallow = directory.matches('/').count() < 2 || home == Some(directory);
    let is_hidden = directory.contains("/.");
    (!is_shallow && !is_hidden && !directory.contains(['*', '?', '['])).then_some(directory)
}

/// The words by which a command is called safe: the program and its subcommands, if they stand first.
fn first_words(command: &PlannedCommand) -> Option<Vec<String>> {
    // A file that the line names by its path may hold anything by tomorrow.
    let program = command.argv.first()?.known().filter(|name| !name.contains('/'))?.to_owned();
    let mut words = vec![program];
    let subcommands = &command.interpretation.subcommand;
    for (name, word) in subcommands.iter().zip(command.argv.iter().skip(1).map(Arg::known)) {
        if word != Some(name) {
            break;
        }
        words.push(name.clone());
    }
    // A program with subcommands is not called safe as a whole.
    (words.len() == subcommands.len() + 1).then_some(words)
}

/// What can be done about what was not understood.
fn unread(assessment: &Assessment) -> Vec<Way> {
    let mut ways: Vec<&str> = assessment
        .findings
        .iter()
        .filter(|finding| finding.severity == assessment.severity)
        .filter_map(|finding| finding.rule.strip_prefix("opaque."))
        .map(|reason| match reason {
            "dynamic-command" | "dynamic-code" => {
                "write out, as words of the line, what is only known when it runs"
            }
            "unread-script" => "run the commands of the script one by one",
            "unread-input" => "give the program as a file or with -c, where it can be read",
            "unread-code" => "do it with commands of the shell, which are read",
            "too-long" | "too-deep" | "too-many-parts" | "too-slow" => "split the line",
            "shadowed-name" => "call the program by its own name",
            "syntax" => "mend the line, or write it in plainer shell",
            _ => "write the line in plainer shell",
        })
        .collect();
    ways.dedup();
    ways.into_iter().map(Way::advice).collect()
}
