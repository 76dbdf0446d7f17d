//! What a tool of an agent would do, as a plan: the same effects on the same classes of places as those of a command line, so that one
//! policy judges both. A path counts twice where links lead elsewhere: as it is written, and as what it is.

use crate::audit::mask;
use crate::catalog::{Interpretation, Place};
use crate::hooks::{Deed, ToolKind, Work};
use crate::model::{Arg, Effect, EffectKind, Facts, PathClass, Real, Span, Target};
use crate::observe::Scripts;
use crate::paths::{self, Aim, Expander};
use crate::reading::{Plan, PlannedCommand, host};

/// Returns what a call would do.
pub(super) fn plan(work: &Work, facts: &Facts) -> Plan {
    let mut command = PlannedCommand {
        span: Span::new(0, work.title.len()),
        argv: argv(work),
        interpretation: Interpretation::default(),
        effects: Vec::new(),
        opened: 0,
        via: Vec::new(),
        parent: None,
        place: Place::Here,
        environment: Vec::new(),
        directories: vec![facts.cwd.clone()],
        unknown: Vec::new(),
        runs_input: false,
        builds: Vec::new(),
        in_recipe: false,
        secrets: Vec::new(),
    };
    for deed in &work.deeds {
        done(deed, facts, &mut command);
    }
    secrets(work, &mut command);
    Plan { commands: vec![command], ..Plan::default() }
}

/// The words by which rules know it: the tool, and what it is done to.
fn argv(work: &Work) -> Vec<Arg> {
    let mut words = vec![Arg::Known(work.title.clone())];
    words.extend(work.deeds.iter().filter_map(|deed| match deed {
        Deed::Path { path, .. } => path.clone().map(Arg::Known),
        Deed::Fetch(url) => Some(Arg::Known(url.clone())),
        Deed::Unclear(_) => None,
    }));
    words
}

fn done(deed: &Deed, facts: &Facts, command: &mut PlannedCommand) {
    match deed {
        Deed::Path { kind, path } => on_path(*kind, path.as_deref(), facts, &mut command.effects),
        Deed::Fetch(url) => fetched(url, facts, command),
        Deed::Unclear(what) => command.unknown.push(what.clone()),
    }
}

fn on_path(kind: EffectKind, path: Option<&str>, facts: &Facts, effects: &mut Vec<Effect>) {
    let mut push = |target: Target| {
        let effect = Effect { kind, target };
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    };
    let Some(path) = path.and_then(|path| absolute(path, facts)) else {
        return push(Target::Path { path: None, class: PathClass::Unknown });
    };
    let class = paths::class_for(kind, &path, facts);
    let real = Scripts::default().behind_links(&path, facts, true);
    push(Target::Path { path: Some(path.clone()), class });
    // What a search is narrowed to is a pattern.
    if kind == EffectKind::Read && path.contains(['*', '?', '[', '{']) {
        for class in paths::reached(kind, &path, Expander::Program, Aim::Plain, facts) {
            push(Target::Path { path: Some(path.clone()), class });
        }
    }
    match real {
        Real::Same => {}
        Real::Other(real) if real == path => {}
        Real::Other(real) => {
            let class = paths::class_for(kind, &real, facts);
            push(Target::Path { path: Some(real), class });
        }
        Real::Unknown => push(Target::Path { path: None, class: PathClass::Unknown }),
    }
}

/// The absolute path that an agent's tool takes this for. It knows `~`, as shells do, and no variables.
fn absolute(path: &str, facts: &Facts) -> Option<String> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if path.contains('\0') {
        return None;
    }
    let below_home = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (below_home, facts.home.as_deref(), facts.cwd.as_deref()) {
        (Some(rest), Some(home), _) => Some(paths::absolute(home, &format!("./{rest}"))),
        (None, _, Some(cwd)) => Some(paths::absolute(cwd, path)),
        (None, _, None) if path.starts_with('/') => Some(paths::absolute("/", path)),
        (Some(_), None, _) | (None, _, None) => None,
    }
}

fn fetched(url: &str, facts: &Facts, command: &mut PlannedCommand) {
    let known = Arg::Known(url.to_owned());
    let target = Target::Host { host: host(&known) };
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https") | None => {}
        Some("http") => {
            if !crate::policy::is_this_machine(host(&known).as_deref().unwrap_or("")) {
                command.unknown.push(format!("reads '{url}' without encryption"));
            }
        }
        Some("file") => return on_path(EffectKind::Read, Some(url), facts, &mut command.effects),
        Some(other) => {
            command.unknown.push(format!("reads by '{other}', which is not known"));
        }
    }
    command.effects.push(Effect { kind: EffectKind::Fetch, target });
}

/// Secrets in what is written stay in the file; in what is asked of others they leave the machine.
fn secrets(work: &Work, command: &mut PlannedCommand) {
    let holds = |text: &String| match work.kind {
        // In an address stand passwords and keys that no form of their own tells.
        ToolKind::Web => mask::mask(text) != text.as_str(),
        _ => mask::holds_token(text),
    };
    if !work.texts.iter().any(holds) {
        return;
    }
    match work.kind {
        ToolKind::Web | ToolKind::Mcp => {
            let text = Some("a token or key".to_owned());
            let disclosed = Target::Text { text };
            let sent = Target::Host { host: None };
            command.effects.push(Effect { kind: EffectKind::Disclose, target: disclosed });
            command.effects.push(Effect { kind: EffectKind::Send, target: sent });
        }
        ToolKind::Shell | ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Own => {
            let what = "writes what looks like a token or key, which then stays in the file";
            command.unknown.push(what.to_owned());
        }
    }
}
