//! *Try a line*: how a line would be judged, in a directory that is named. Runs nothing.

use axum::extract::{Query, State};
use guarded_sh::approval::visible;
use guarded_sh::model::{Action, Severity};
use guarded_sh::pipeline::{self, Judgement, Request, Session, World};
use maud::{Markup, html};
use serde::Deserialize;

use super::{Shared, html as parts};

/// A line, and where it would run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    line: String,
    directory: String,
}

/// The page.
pub async fn page(State(page): State<Shared>, Query(wanted): Query<Wanted>) -> Markup {
    let directory = match wanted.directory.as_str() {
        "" => page.home.clone().unwrap_or_else(|| "/".to_owned()),
        given => given.to_owned(),
    };
    let judged = (!wanted.line.is_empty()).then(|| judged(wanted.line.clone(), directory.clone()));
    let judged = match judged {
        Some(judged) => Some(judged.await),
        None => None,
    };
    let body = html! {
        p { "A line as an agent would send it. It is judged, and nothing runs." }
        form.line-form method="get" action="/try" {
            label for="line" { "Line" }
            textarea #line name="line" rows="3" spellcheck="false" required { "\n" (wanted.line) }
            label for="directory" { "Directory" }
            input #directory name="directory" value=(directory) spellcheck="false" autocomplete="off";
            button type="submit" { "Judge it" }
        }
        @match judged {
            None => {},
            Some(Err(why)) => p.trouble role="alert" { (visible(&why)) },
            Some(Ok(verdict)) => (verdict),
        }
    };
    parts::page("Try a line", "/try", &body)
}

/// Judges a line, on a thread of its own: it reads files.
async fn judged(line: String, directory: String) -> Result<Markup, String> {
    let judged = tokio::task::spawn_blocking(move || {
        judgement(&line, &directory).map(|judgement| verdict(&judgement))
    });
    judged.await.unwrap_or_else(|_| Err("it could not be judged".to_owned()))
}

/// Returns how a line is judged in a directory. Files are read for it.
pub fn judgement(line: &str, directory: &str) -> Result<Judgement, String> {
    let place = std::path::Path::new(directory);
    let cwd = place.canonicalize().map_err(|error| format!("'{directory}': {error}"))?;
    let cwd = cwd.into_os_string().into_string().map_err(|_| "its name is not UTF-8")?;
    let world = World::at(Some(cwd)).map_err(|stop| stop.reason())?.containing();
    let request = Request::about(line.as_bytes());
    let judgement = world.judge(&request.after(&Session::of(&world)));
    let judgement = judgement.map_err(|stop| stop.reason())?;
    Ok(pipeline::supposed(&world, judgement))
}

fn verdict(judgement: &Judgement) -> Markup {
    let assessment = &judgement.assessment;
    let says = match judgement.action {
        Action::Allow => "runs",
        Action::Contain => "runs contained",
        Action::Ask => "asks",
        Action::Deny => "is refused",
    };
    html! {
        section.verdict aria-label="How it is judged" {
            p.head { (parts::severity(assessment.severity)) " It " strong { (says) } ", " (assessment.score.get()) " of 100 safe: " (parts::words(&assessment.reason)) }
            (parts::line(&judgement.line, &assessment.findings))
            ul.points { @for finding in &assessment.findings {
                @if finding.severity > Severity::Low || finding.action != Action::Allow {
                    li { (parts::severity(finding.severity)) " " (parts::words(&finding.reason)) " " code.dim { (visible(&finding.rule)) } }
                }
            } }
            @if let Some(instead) = &assessment.instead { p { "Instead: " code { (visible(instead)) } } }
            @if let Some(suggestion) = &assessment.suggestion { p { (parts::words(suggestion)) } }
        }
    }
}
