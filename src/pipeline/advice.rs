//! Lines that are advised in the place of another one: given only where the files that they need are there. Judges nothing.

use crate::model::EffectKind;
use crate::policy::Assessment;
use crate::reading::Plan;

/// Takes back the advised lines that are not possible.
pub(super) fn keep(assessment: &mut Assessment, is_possible: impl Fn(&str) -> bool) {
    let findings = assessment.findings.iter_mut().map(|finding| &mut finding.instead);
    for advised in findings.chain([&mut assessment.instead]) {
        advised.take_if(|line| !is_possible(line));
    }
}

/// Returns the files that must be there for a line to be of use: those that it does not make itself.
pub(super) fn needs(plan: &Plan) -> Vec<&str> {
    let effects = plan.commands.iter().flat_map(|command| &command.effects);
    let mut made = Vec::new();
    let mut needed = Vec::new();
    for effect in effects {
        match (effect.kind, effect.target.path()) {
            (EffectKind::Write | EffectKind::Append, Some(path)) => made.push(path),
            (_, Some(path)) if is_name(path) && !made.contains(&path) => needed.push(path),
            (_, _) => {}
        }
    }
    needed
}

/// Whether it is the name of one file. In an advised line a word in capitals stands for what its reader puts there.
fn is_name(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._+-@".contains(&byte);
    let is_stand_in = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_uppercase());
    path.starts_with('/') && path.bytes().all(is_plain) && !is_stand_in
}
