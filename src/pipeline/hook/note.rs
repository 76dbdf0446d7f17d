//! What a language model notes for the agent, where the owner has it asked: whether a tool did what it was for, why it failed, what to bear in mind.
//! Nothing is decided by it.

use crate::approval::visible;
use crate::config::HandlerMode;
use crate::hooks::{Event, Handlers, Moment, Outcome, Work};
use crate::judge::Template;
use crate::model::Heard;
use crate::pipeline::opinion::{self, Asked, Told};

use super::World;
use super::custom::OWN;
use super::watch::Watch;

/// Returns what the agent is told; nothing where nothing is noted.
pub(super) fn text(
    world: &World,
    event: &Event,
    work: Option<&Work>,
    handlers: &Handlers<'_>,
    session: Option<&str>,
    watch: &Watch,
) -> Option<String> {
    let template = wanted(event.moment, handlers)?;
    let line = work.map(Work::told).or_else(|| event.text.clone()).unwrap_or_default();
    let printed = event.printed.as_deref();
    if template != Template::Brief && printed.is_none_or(|text| text.trim().is_empty()) {
        return None;
    }
    let asked = Asked { line: &line, told: Told::Part, template, description: None };
    let most = watch.left().saturating_sub(OWN);
    let Heard::Noted { by, note } = opinion::note(world, asked, printed, session, most)? else {
        return None;
    };
    let is_empty = note.text.is_empty() || (template == Template::Validate && !note.problem);
    (!is_empty).then(|| {
        format!(
            "guarded-sh: a language model ({}) notes, and decides nothing: {}",
            visible(&by),
            visible(&note.text)
        )
    })
}

fn wanted(moment: Moment, handlers: &Handlers<'_>) -> Option<Template> {
    let (mode, template) = match moment {
        Moment::AfterTool(Outcome::Done) => (HandlerMode::Validate, Template::Validate),
        Moment::AfterTool(Outcome::Failed) => (HandlerMode::Failure, Template::Failure),
        Moment::Prompt | Moment::SessionStart => (HandlerMode::Brief, Template::Brief),
        _ => return None,
    };
    handlers.notes.contains(&mode).then_some(template)
}
