//! *Now*: the questions of all sessions, oldest first, each with all that the terminal shows of it and every answer that the terminal has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Extension, State};
use guarded_sh::approval::{visible, words};
use guarded_sh::audit::sha256;
use guarded_sh::ipc::{Entry, State as Stands};
use guarded_sh::model::{Covers, Question, Severity, Trial, Trying};
use guarded_sh::pipeline::Offer;
use maud::{Markup, html};

use super::diff::difference;
use super::door::Most;
use super::floor::Standing;
use super::gate::Token;
use super::{Page, Shared, groups, html as parts};

/// Questions that were answered lately and are still shown.
const ANSWERED: usize = 5;

/// The rules that a yes for good would write, as they were shown; one a question.
#[derive(Default)]
pub struct Offers(Mutex<HashMap<String, Offer>>);

impl Offers {
    /// Returns the rule for an open question as text, if one can be written. The line is judged for it the first time.
    fn text(&self, entry: &Entry) -> Option<String> {
        let text = |offer: &Offer| offer.text().map(str::to_owned);
        if let Some(offer) = self.held().get(&entry.id) {
            return text(offer);
        }
        // Nobody waits for this one meanwhile.
        let offer = Offer::of(&entry.question);
        text(self.held().entry(entry.id.clone()).or_insert(offer))
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Offer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the rule for a question, if it is still the one that was shown.
    pub fn write(&self, id: &str) -> Result<(), String> {
        let offers = self.held();
        let offer = offers.get(id).ok_or("the rule was not shown")?;
        offer.write().map_err(|why| why.to_string())
    }

    /// Forgets those of questions that are no longer open.
    fn retain(&self, standing: &Standing) {
        let mut offers = self.held();
        offers.retain(|id, _| standing.open(id).is_some());
    }
}

/// Returns the digest that stands for a line in an answer.
pub fn digest(line: &str) -> String {
    sha256(line.as_bytes())
}

/// The page.
pub async fn page(State(page): State<Shared>, Extension(token): Extension<Token>) -> Markup {
    let answers = page.seats().answers(&token.0);
    let standing = page.floor.standing().borrow().clone();
    let queue = queue(&page, standing).await;
    let body = html! {
        @if page.door.most == Most::Looks {
            p.dim { "From here you can look, and not answer: " code { "page.remote.answer" } " of the settings says so." }
        } @else if !answers {
            p.trouble { "This browser can look, and not answer: it has no key. Open the page with a new code to pair it." }
        }
        noscript { p.trouble { "Without JavaScript this page shows how it stood when it was loaded, and cannot answer." } }
        div #now { (queue) }
    };
    parts::page("Now", "/", &body)
}

/// Returns the questions as they stand. Rules that could be written are made on a thread of their own, since lines are judged for that.
pub async fn queue(page: &Shared, standing: Arc<Standing>) -> Markup {
    let page = page.clone();
    let shown = tokio::task::spawn_blocking(move || {
        page.offers.retain(&standing);
        page.changes.retain(&standing);
        drawn(&page, &standing)
    });
    shown.await.unwrap_or_default()
}

fn drawn(page: &Page, standing: &Standing) -> Markup {
    let passed = standing.at.map_or(0, |at| at.elapsed().as_secs());
    let entries = standing.entries.iter().map(|(_, entry)| entry.clone().after(passed));
    let (open, mut answered): (Vec<Entry>, Vec<Entry>) = entries.partition(Entry::is_open);
    answered.reverse();
    html! {
        div #standing data-open=(open.len()) {
            @if let Some(why) = &standing.trouble { p.trouble { (visible(why)) } }
            @if open.is_empty() {
                p.empty { "Nothing waits for an answer." }
                p.dim {
                    @match standing.hosts {
                        0 => (parts::words("No session is followed: start an agent with `guarded-sh run`, or the service with `guarded-sh serve`.")),
                        1 => "One host is followed.",
                        count => { (count) " hosts are followed." },
                    }
                }
            }
            (groups::shown(&open, page.home.as_deref()))
            @for entry in &open { (question(page, entry)) }
        }
        @if !answered.is_empty() {
            section.answered aria-labelledby="answered" {
                h2 #answered { "Answered lately" }
                ul { @for entry in answered.iter().take(ANSWERED) { (done(entry)) } }
            }
        }
    }
}

/// One that was answered, here or elsewhere.
fn done(entry: &Entry) -> Markup {
    let how = match &entry.state {
        Stands::Answered { answer } => words::answered(answer),
        Stands::Waiting { .. } | Stands::Left => String::new(),
    };
    html! { li { code { (visible(&entry.question.line)) } " — " (visible(&how)) } }
}

/// One that is open.
fn question(page: &Page, entry: &Entry) -> Markup {
    let question = &entry.question;
    let home = page.home.as_deref();
    let (id, title) = (&entry.id, format!("q-{}", entry.id));
    let waits = match &entry.state {
        Stands::Waiting { .. } => {
            words::left(&entry.state).unwrap_or_else(|| "it waits".to_owned())
        }
        Stands::Left => "nobody waits any more: a yes counts for its next try".to_owned(),
        Stands::Answered { .. } => String::new(),
    };
    let told = html! {
        (parts::line(&question.line, &question.findings))
        (said(question, home))
        (tried(page, &entry.trying))
        @if page.door.most == Most::Answers { (answers(page, entry)) }
        p.outcome role="alert" {}
    };
    // While that is the same, the browser keeps what it shows, and what the person does there.
    let version = digest(&told.0);
    html! {
        article.question id=(title) data-id=(id) data-digest=(digest(&question.line)) data-version=(version) data-severity=(question.severity.name()) data-passkey[page.passkey.is_needed(question.severity)] tabindex="-1" aria-label={ "Question " (id) } {
            p.head {
                (parts::severity(question.severity)) " "
                strong { (visible(words::who(question))) }
                " in " code { (words::place(question, home)) } " "
                span.clock.dim { span.age data-age=(entry.age) { (age(entry.age)) } " · " (waits) " · " (id) }
            }
            (told)
        }
    }
}

/// What is said about a question.
fn said(question: &Question, home: Option<&str>) -> Markup {
    html! {
        ul.points {
            @for point in words::points(question) {
                li {
                    (parts::severity(point.severity)) " "
                    @if let Some(part) = &point.part { code { (visible(part)) } " " }
                    (parts::words(&point.text))
                }
            }
        }
        @if let Some(text) = &question.difference { (difference(text)) }
        @if let Some(anew) = &question.anew { p { (parts::words(anew)) } }
        @if let Some(instead) = words::instead(question) { p { (parts::words(&instead)) } }
        @if let Some(opinion) = &question.opinion { p.opinion { (visible(&words::heard(opinion))) } }
        @if let Some(held) = words::held(question, home) { p.dim { (parts::words(&held)) } }
    }
}

/// What came of a trial.
fn tried(page: &Page, trying: &Trying) -> Markup {
    html! {
        @match trying {
            Trying::Impossible | Trying::Possible => {},
            Trying::Running => p { "It is being tried…" },
            Trying::Failed { why } => p.trouble { "It could not be tried: " (visible(why)) },
            Trying::Done(trial) => (outcome(page, trial)),
        }
    }
}

fn outcome(page: &Page, trial: &Trial) -> Markup {
    html! {
        section.trial {
            p { "Tried: " (visible(&trial.ended)) }
            @if !trial.printed.is_empty() { pre { (visible(&trial.printed)) } }
            @for untried in &trial.untried { p { (visible(untried)) } }
            @match &trial.id {
                Some(id) => (difference(&page.changes.of(id))),
                None => p { "It would change nothing in the workspace." },
            }
            @if let Some(why) = &trial.unkept { p.dim { "It cannot be kept: " (visible(why)) } }
        }
    }
}

/// The answers that a question can be given.
fn answers(page: &Page, entry: &Entry) -> Markup {
    let question = &entry.question;
    let home = page.home.as_deref();
    let is_critical = question.severity == Severity::Critical;
    let rule = if is_critical { None } else { page.offers.text(entry) };
    html! {
        form.answers hidden {
            div.choices {
                button.deny type="button" data-answer="deny" { "Deny" }
                @if is_critical {
                    label { "Type " code { "critical" } " to run it once " input.typed autocomplete="off" spellcheck="false"; }
                }
                button type="button" data-answer="once" { "Allow once" }
                @if entry.trying.may_begin() { button type="button" data-answer="try" { "Try it first" } }
                @if entry.trying.may_keep() { button type="button" data-answer="keep" { "Keep what it did" } }
            }
            details {
                summary { "Deny with a message" @if entry.may_stop { ", end the agent" } ", or change the line" }
                label { "What the agent is told " textarea.message rows="2" {} }
                button.deny type="button" data-answer="deny" { "Deny with this message" }
                @if entry.may_stop {
                    " " button.deny type="button" data-answer="stop" { "Deny, and end the agent" }
                }
                label { "The line that is judged in its place " textarea.edit rows="3" spellcheck="false" { "\n" (question.line) } }
                button type="button" data-answer="edit" { "Have this line judged instead" }
            }
            @if !is_critical {
                details {
                    summary { "Allow for the session" }
                    @if words::has_signature(question) { (session(question, Covers::Signature, home)) }
                    (session(question, Covers::Line, home))
                }
            }
            @if let Some(rule) = rule {
                details {
                    summary { "Allow always: this rule is written" }
                    pre { (visible(&rule)) }
                    button type="button" data-answer="always" { "Write this rule, and allow it" }
                }
            }
        }
    }
}

/// What a yes for the session covers.
fn session(question: &Question, covers: Covers, home: Option<&str>) -> Markup {
    let name = match covers {
        Covers::Signature => "signature",
        Covers::Line => "line",
    };
    html! {
        h3 { (parts::words(&words::session_title(question, covers))) }
        @for covered in words::session(question, covers, home) { p.covered { (parts::words(&covered)) } }
        button type="button" data-answer="session" data-covers=(name) { "Allow this for the session" }
    }
}

/// Returns a time that passed, in few letters.
fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
