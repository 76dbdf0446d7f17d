//! What would make a line quieter. Each way is tried: the line is judged again as it would be then, and only what helps is told.

use std::path::Path;

use crate::model::{
    Action, Arg, Effect, EffectKind, Facts, PathClass, Permission, Severity, Target,
};
use crate::pipeline::{Judge, Judgement, Request, World};
use crate::policy::Assessment;
use crate::reading::PlannedCommand;
use crate::reading::frame::Carries;

/// Commands of a line that are tried one by one at most.
const MOST_PIECES: usize = 12;

/// A way to a quieter line.
pub(super) struct Way {
    /// What to do.
    pub(super) text: String,
    /// What the line would be then; none where it is advice that cannot be tried.
    pub(super) then: Option<(Action, Severity, u8)>,
}

impl Way {
    fn advice(text: impl Into<String>) -> Self {
        Self { text: text.into(), then: None }
    }
}

/// Returns the ways to a line that is asked about less, the ones that the caller can go before those that take the owner.
pub(super) fn ways(world: &World, judgement: &Judgement) -> Vec<Way> {
    if judgement.action == Action::Allow {
        return Vec::new();
    }
    let trial = Trial { world, judgement };
    let mut ways: Vec<Way> = Vec::new();
    ways.extend(trial.pieces());
    ways.extend(unread(&judgement.assessment));
    ways.extend(trial.permissions());
    ways.extend(trial.hosts());
    ways.extend(trial.commands());
    ways.extend(trial.workspaces());
    ways
}

struct Trial<'a> {
    world: &'a World,
    judgement: &'a Judgement,
}

impl Trial<'_> {
    fn facts(&self) -> Facts {
        self.world.judge.facts.clone()
    }

    fn judge(&self, line: &str, facts: Facts) -> Option<Judgement> {
        let judge = Judge {
            rules: &self.world.judge.rules,
            facts,
            environment: self.world.environment.clone(),
            terms: self.world.terms(),
            shell: self.world.judge.shell,
            reads_scripts: self.world.judge.reads_scripts,
        };
        judge.judge(&Request::about(line.as_bytes())).ok()
    }

    /// The way, if the line is safer in a world of these facts.
    fn changed(&self, text: String, facts: Facts) -> Option<Way> {
        let then = self.judge(&self.judgement.line, facts)?;
        let (score, before) = (then.assessment.score, self.judgement.assessment.score);
        let is_better = score > before || then.action < self.judgement.action;
        let then = (then.action, then.assessment.severity, score.get());
        is_better.then_some(Way { text, then: Some(then) })
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
            self.judge(piece, self.facts()).is_some_and(|then| then.action == Action::Allow)
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

    /// The keys of the settings that let such a line run.
    fn permissions(&self) -> Vec<Way> {
        let way = |permission: Permission| {
            let mut facts = self.facts();
            facts.permits.push(permission);
            let (key, what) = (permission.setting(), permission.says());
            self.changed(format!("if you permit {what}: {key} = true in config.toml"), facts)
        };
        let is_off = |permission: &Permission| !self.world.judge.facts.permits.contains(permission);
        Permission::ALL.into_iter().filter(is_off).filter_map(way).collect()
    }

    fn hosts(&self) -> Vec<Way> {
        let mut hosts: Vec<&str> = self.effects().filter_map(|effect| host(effect)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let way = |host: &str| {
            let mut facts = self.facts();
            facts.safe_domains.push(host.to_owned());
            self.changed(
                format!("if you trust {host}: safe_domains = [\"{host}\"] in config.toml"),
                facts,
            )
        };
        hosts.into_iter().filter_map(way).collect()
    }

    fn commands(&self) -> Vec<Way> {
        let plan = &self.judgement.plan;
        let mut tried: Vec<Vec<String>> = Vec::new();
        let mut ways = Vec::new();
        for (index, command) in plan.commands.iter().enumerate() {
            let carries = plan.commands.iter().any(|other| other.parent == Some(index));
            let Some(words) = first_words(command).filter(|_| !carries && !command.runs_input)
            else {
                continue;
            };
            if tried.contains(&words) {
                continue;
            }
            let mut facts = self.facts();
            facts.safe_commands.push(words.clone());
            let listed = shell_words::join(&words);
            let quoted = toml::Value::from(listed.as_str());
            let text =
                format!("if you trust `{listed}`: safe_commands = [{quoted}] in config.toml");
            ways.extend(self.changed(text, facts));
            tried.push(words);
        }
        ways
    }

    fn workspaces(&self) -> Vec<Way> {
        let home = self.world.judge.facts.home.as_deref();
        let mut roots: Vec<&str> = self.effects().filter_map(|effect| root(effect, home)).collect();
        roots.sort_unstable();
        roots.dedup();
        let way = |root: &str| {
            let mut facts = self.facts();
            facts.workspaces.push(root.to_owned());
            self.changed(
                format!("if {root} is a workspace of yours: workspace_roots = [\"{root}\"] in config.toml"),
                facts,
            )
        };
        roots.into_iter().filter_map(way).collect()
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
