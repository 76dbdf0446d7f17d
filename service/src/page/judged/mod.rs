//! *Playground*: how a line would be judged, in a directory that is named, and how if some of what it is judged by were other. Runs nothing.

mod supposed;
mod told;

use axum::extract::{Form, Query, State};
use axum::http::HeaderMap;
use guarded_sh::approval::visible;
use guarded_sh::model::Profile;
use guarded_sh::pipeline::quieter::{Way, ways};
use guarded_sh::pipeline::{self, Judgement, Request, Session, World};
use maud::{Markup, html};
use serde::Deserialize;

use super::spoken::Spoken;
use super::{Shared, html as parts};
pub use supposed::{Supposed, Unusable};

/// A line, where it would run, and what is supposed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    line: String,
    directory: String,
    /// Another profile; none is the one in force.
    profile: String,
    /// Another threshold; none is the one in force.
    threshold: String,
    /// A rule, as a file of rules has it.
    rule: String,
}

/// What is shown in an empty field for a rule.
const RULE: &str = "[[rule]]\nid = \"mine.deploy\"\ncommand = [\"make\", \"deploy\"]\nseverity = \"high\"\nreason = \"deploys\"\nmatches = [\"make deploy\"]\npasses = [\"make test\"]";

/// The page.
pub async fn page(
    State(page): State<Shared>,
    Query(wanted): Query<Wanted>,
    language: Spoken,
) -> Markup {
    shown(&page, wanted, language).await
}

/// The page with what was sent to it; or, for a browser that has the page, how the line is judged alone.
pub async fn judged(
    State(page): State<Shared>,
    headers: HeaderMap,
    language: Spoken,
    Form(wanted): Form<Wanted>,
) -> Markup {
    if parts::is_part(&headers) {
        return result(&page, wanted, language).await;
    }
    shown(&page, wanted, language).await
}

async fn shown(page: &Shared, wanted: Wanted, language: Spoken) -> Markup {
    let say = |key| language.say(key);
    let body = html! {
        p { (say("try-intro")) " " a href="/rules" { (say("try-rules")) } }
        form.line-form method="post" action="/try" data-part data-live {
            label for="line" { (say("rows-line")) }
            textarea #line name="line" rows="3" spellcheck="false" required { "\n" (wanted.line) }
            label for="directory" { (say("try-directory")) }
            input #directory name="directory" value=(directory(page, &wanted)) spellcheck="false" autocomplete="off";
            details open[is_supposed(&wanted)] {
                summary { (say("try-other")) }
                label for="profile" { (say("try-profile")) }
                select #profile name="profile" {
                    option value="" { (say("try-as-it-is")) }
                    @for profile in [Profile::Strict, Profile::Balanced, Profile::Unattended] {
                        option value=(profile.name()) selected[profile.name() == wanted.profile] { (profile.name()) }
                    }
                }
                label for="threshold" { (say("try-threshold")) }
                input #threshold name="threshold" value=(wanted.threshold) inputmode="numeric" autocomplete="off" placeholder=(say("try-as-it-is"));
                label for="rule" { (say("try-rule")) }
                textarea #rule name="rule" rows="7" spellcheck="false" placeholder=(RULE) { "\n" (wanted.rule) }
            }
            button type="submit" { (say("try-judge")) }
            div.part aria-live="polite" { (result(page, wanted, language).await) }
        }
    };
    parts::page(language, &say("page-try"), "/try", &body)
}

fn directory(page: &Shared, wanted: &Wanted) -> String {
    page.directory(Some(wanted.directory.clone()).filter(|named| !named.is_empty()))
}

fn is_supposed(wanted: &Wanted) -> bool {
    [&wanted.profile, &wanted.threshold, &wanted.rule].iter().any(|one| !one.trim().is_empty())
}

/// How a line is judged; nothing where there is none. On a thread of its own: files are read for it.
async fn result(page: &Shared, wanted: Wanted, language: Spoken) -> Markup {
    if wanted.line.trim().is_empty() {
        return Markup::default();
    }
    let directory = directory(page, &wanted);
    let line = wanted.line.replace("\r\n", "\n");
    let wanted = Wanted { line, directory, ..wanted };
    let judged = tokio::task::spawn_blocking(move || both(&wanted, language));
    let judged = judged.await.unwrap_or_else(|_| Err("it could not be judged".to_owned()));
    judged.unwrap_or_else(|why| trouble(&why, language))
}

/// Says why a line cannot be judged, given the English text.
fn trouble(why: &str, language: Spoken) -> Markup {
    html! { p.trouble role="alert" { (visible(&language.0.meaning(why))) } }
}

/// Returns the world around a directory that somebody named.
pub fn world(directory: &str) -> Result<World, String> {
    let place = std::path::Path::new(directory);
    let cwd = place.canonicalize().map_err(|error| format!("'{directory}': {error}"))?;
    let cwd = cwd.into_os_string().into_string().map_err(|_| "its name is not UTF-8")?;
    Ok(World::at(Some(cwd)).map_err(|stop| stop.reason())?.containing_as_tried())
}

/// Returns how a line is judged in a directory. Files are read for it.
pub fn judgement(line: &str, directory: &str) -> Result<Judgement, String> {
    judge(&world(directory)?, line)
}

fn judge(world: &World, line: &str) -> Result<Judgement, String> {
    let request = Request::about(line.as_bytes());
    let judgement = world.judge(&request.after(&Session::of(world)));
    Ok(pipeline::supposed(world, judgement.map_err(|stop| stop.reason())?))
}

/// How a line is judged in a world.
pub struct Judged {
    pub world: World,
    pub judgement: Judgement,
}

impl Judged {
    fn of(world: World, line: &str) -> Result<Self, String> {
        let judgement = judge(&world, line)?;
        Ok(Self { world, judgement })
    }
}

/// How a line is judged, how it would be, and what would make it quieter.
pub struct Both {
    /// As it is.
    pub now: Judged,
    /// As it would be, where something is supposed.
    pub then: Option<Result<Judged, Unusable>>,
    /// What would make it quieter as it is.
    pub ways: Vec<Way>,
}

impl Both {
    /// Judges a line in a directory. Files are read for it.
    pub fn of(line: &str, directory: &str, supposed: Option<&Supposed>) -> Result<Self, String> {
        let now = Judged::of(world(directory)?, line)?;
        let then = supposed.map(|supposed| {
            let world = supposed.world(directory)?;
            Judged::of(world, line).map_err(Unusable::Why)
        });
        let ways = ways(&now.world, &now.judgement);
        Ok(Self { now, then, ways })
    }
}

/// How a line is judged as it is, and beside it how it would be.
fn both(wanted: &Wanted, language: Spoken) -> Result<Markup, String> {
    let supposed = Supposed::of(&wanted.profile, &wanted.threshold, &wanted.rule)?;
    let Both { now, then, ways } = Both::of(&wanted.line, &wanted.directory, supposed.as_ref())?;
    let verdict = |title, Judged { world, judgement }: &Judged| {
        told::verdict(language, &language.say(title), world, judgement)
    };
    Ok(html! {
        @match &then {
            None => (verdict("try-verdict", &now)),
            Some(Err(wrong)) => { (wrong.drawn(language)) (verdict("try-verdict", &now)) },
            Some(Ok(then)) => div.beside { (verdict("try-now", &now)) (verdict("try-then", then)) },
        }
        (told::ways(language, &ways))
        (told::shared(language, &now.world, &now.judgement))
    })
}
