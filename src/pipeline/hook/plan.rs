//! What a tool of an agent would do, as a plan: the same effects on the same classes of places as those of a command line, so that one
//! policy judges both. A path counts twice where links lead elsewhere: as it is written, and as what it is.

use std::rc::Rc;

use super::{looked, place, within};
use crate::audit::mask;
use crate::catalog::{Interpretation, Place};
use crate::hooks::{Deed, ToolKind, Work};
use crate::model::{Arg, Effect, EffectKind, Facts, PathClass, Span, Target};
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
        exported: Rc::default(),
        environment: Vec::new(),
        directories: vec![facts.cwd.clone()],
        unknown: Vec::new(),
        runs_input: false,
        builds: Vec::new(),
        in_recipe: false,
        holds_given: false,
        given: Rc::default(),
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
        Deed::Sought(_)
        | Deed::Around(_)
        | Deed::All(_)
        | Deed::Perhaps(_)
        | Deed::Within(_)
        | Deed::Secret
        | Deed::Unclear(_) => None,
    }));
    words
}

fn done(deed: &Deed, facts: &Facts, command: &mut PlannedCommand) {
    match deed {
        Deed::Path { kind, path } => on_path(*kind, path.as_deref(), facts, &mut command.effects),
        Deed::Sought(path) => sought(path, facts, command),
        Deed::Around(path) => around(path, facts, &mut command.effects),
        Deed::All(path) => within::all(path, facts, command),
        Deed::Perhaps(path) => perhaps(path, facts, &mut command.effects),
        Deed::Within(path) => within::one(path, facts, &mut command.effects),
        Deed::Secret => {
            let target = Target::Path { path: None, class: PathClass::Secret };
            command.effects.push(Effect { kind: EffectKind::Read, target });
        }
        Deed::Fetch(url) => fetched(url, facts, command),
        Deed::Unclear(what) => command.unknown.push(what.clone()),
    }
}

pub(super) fn on_path(
    kind: EffectKind,
    path: Option<&str>,
    facts: &Facts,
    effects: &mut Vec<Effect>,
) {
    let mut push = |path: Option<String>, class: PathClass| {
        let effect = Effect { kind, target: Target::Path { path, class } };
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    };
    let Some(given) = path else { return push(None, PathClass::Unknown) };
    let is_looked_for = matches!(kind, EffectKind::Read | EffectKind::List);
    // What is looked for may be a pattern, and its alternatives may lead up (`{a,../b}`).
    let given = if is_looked_for && given.contains('{') && given.contains("..") {
        paths::alternatives(given)
    } else {
        Some(vec![given.to_owned()])
    };
    let Some(given) = given else { return push(None, PathClass::Unknown) };
    for given in given {
        let Some(path) = place::absolute(&given, facts) else {
            push(None, PathClass::Unknown);
            continue;
        };
        push(Some(path.clone()), looked::class_for(kind, &path, facts));
        // What a search is narrowed to is a pattern.
        if kind == EffectKind::Read && path.contains(['*', '?', '[', '{', '\\']) {
            for class in paths::reached(kind, &path, Expander::Program, Aim::Plain, facts) {
                push(Some(path.clone()), class);
            }
        }
        for real in place::real(&given, &path, facts) {
            match real {
                Some(real) => push(Some(real.clone()), looked::class_for(kind, &real, facts)),
                None => push(None, PathClass::Unknown),
            }
        }
    }
}

/// A client that finds no file of a relative path takes another one of the workspace whose path ends so. Where each that is there is no more than a file,
/// that does not matter.
fn sought(path: &str, facts: &Facts, command: &mut PlannedCommand) {
    if place::is_named(path, facts) || within::ends_harmlessly(path, facts) {
        return;
    }
    let what =
        format!("changes '{path}', which is not there: another file is taken whose path ends so");
    command.unknown.push(what);
}

/// A client that searches directories takes for a file, or for what is not there, the directory in which it would be.
fn around(path: &str, facts: &Facts, effects: &mut Vec<Effect>) {
    let Some(whole) = place::absolute(path, facts) else { return };
    if Scripts::is_directory(&whole) {
        return;
    }
    let above = whole.rsplit_once('/').map_or("/", |(above, _)| above);
    let above = if above.is_empty() { "/" } else { above };
    on_path(EffectKind::Read, Some(above), facts, effects);
}

/// What may be the path of a file is one where that matters: what stands in the workspace may be read.
fn perhaps(text: &str, facts: &Facts, effects: &mut Vec<Effect>) {
    let mut found = Vec::new();
    on_path(EffectKind::Read, Some(text), facts, &mut found);
    // Nothing says from which directory: some clients take the root of the repository.
    if !text.starts_with(['/', '~']) && !text.contains(':') {
        for root in &facts.workspaces {
            on_path(EffectKind::Read, Some(&format!("{root}/{text}")), facts, &mut found);
        }
    }
    found.retain(|effect| match &effect.target {
        Target::Path { path, class } => {
            path.is_some()
                && !matches!(
                    class,
                    PathClass::Inside
                        | PathClass::Workspace
                        | PathClass::BuildOutput
                        | PathClass::Hooks
                )
        }
        _ => false,
    });
    effects.extend(found);
}

fn fetched(url: &str, facts: &Facts, command: &mut PlannedCommand) {
    let known = Arg::Known(url.to_owned());
    let target = Target::Host { host: host(&known) };
    // Browsers take `\` for `/`, and leave out what is no character: the host may be another than it seems.
    if url.contains(|c: char| c == '\\' || c.is_control() || c.is_whitespace()) {
        command.unknown.push("reads from an address that is not clear".to_owned());
    }
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https") | None => {}
        Some("http") => {
            if !crate::model::is_this_machine(host(&known).as_deref().unwrap_or("")) {
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
        ToolKind::Web => mask::holds_secret(text),
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
