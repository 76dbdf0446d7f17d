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
use super::spoken::Spoken;
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
pub async fn page(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
) -> Markup {
    let answers = page.seats().answers(&token.0);
    let standing = page.floor.standing().borrow().clone();
    let queue = queue(&page, standing, language).await;
    let body = html! {
        @if page.door.most == Most::Looks {
            p.dim { (parts::words(&language.say("now-looks"))) }
        } @else if !answers {
            p.trouble { (language.say("now-no-key")) }
        }
        noscript { p.trouble { (language.say("now-no-script")) } }
        div #now { (queue) }
    };
    parts::page(language, &language.say("page-now"), "/", &body)
}

/// Returns the questions as they stand, in this language. Rules that could be written are made on a thread of their own, since lines are judged for that.
pub async fn queue(page: &Shared, standing: Arc<Standing>, language: Spoken) -> Markup {
    let page = page.clone();
    let shown = tokio::task::spawn_blocking(move || {
        page.offers.retain(&standing);
        page.changes.retain(&standing);
        drawn(&page, &standing, language)
    });
    shown.await.unwrap_or_default()
}

fn drawn(page: &Page, standing: &Standing, language: Spoken) -> Markup {
    let passed = standing.at.map_or(0, |at| at.elapsed().as_secs());
    let entries = standing.entries.iter().map(|(_, entry)| entry.clone().after(passed));
    let (open, mut answered): (Vec<Entry>, Vec<Entry>) = entries.partition(Entry::is_open);
    answered.reverse();
    html! {
        div #standing data-open=(open.len()) {
            @if let Some(why) = &standing.trouble { p.trouble { (visible(why)) } }
            @if let Some(paused) = standing.paused.and_then(|paused| paused.after(passed)) {
                p.trouble { (language.tell("pause-stands", &[("time", age(paused.left, language).into())])) }
            }
            @if open.is_empty() {
                p.empty { (language.say("now-empty")) }
                p.dim {
                    @match standing.hosts {
                        0 => (parts::words(&language.say("now-no-host"))),
                        count => (language.tell("now-hosts", &[("count", count.into())])),
                    }
                }
            }
            @for entry in &open { (question(page, entry, language)) }
            // Behind them, so that what comes moves nothing that somebody is about to press.
            @if page.door.most == Most::Answers { (groups::shown(&open, page.home.as_deref(), language)) }
        }
        @if !answered.is_empty() {
            section.answered aria-labelledby="answered" {
                h2 #answered { (language.say("now-answered")) }
                ul { @for entry in answered.iter().take(ANSWERED) { (done(entry, language)) } }
            }
        }
    }
}

/// One that was answered, here or elsewhere.
fn done(entry: &Entry, language: Spoken) -> Markup {
    let how = match &entry.state {
        Stands::Answered { answer } => words::answered(answer, language.0),
        Stands::Waiting { .. } | Stands::Left => String::new(),
    };
    html! { li { code { (visible(&entry.question.line)) } " — " (visible(&how)) } }
}

/// One that is open.
fn question(page: &Page, entry: &Entry, language: Spoken) -> Markup {
    let question = &entry.question;
    let home = page.home.as_deref();
    let (id, title) = (&entry.id, format!("q-{}", entry.id));
    let waits = match &entry.state {
        Stands::Waiting { .. } => {
            let left = words::left(&entry.state, language.0);
            left.unwrap_or_else(|| language.say("now-waits").into_owned())
        }
        Stands::Left => language.say("now-left").into_owned(),
        Stands::Answered { .. } => String::new(),
    };
    let told = html! {
        (parts::line(language, &question.line, &question.findings))
        (said(question, home, language))
        (tried(page, &entry.trying, language))
        @if page.door.most == Most::Answers { (answers(page, entry, language)) }
        p.outcome role="alert" {}
    };
    // While that is the same, the browser keeps what it shows, and what the person does there.
    let version = digest(&told.0);
    html! {
        article.question id=(title) data-id=(id) data-digest=(digest(&question.line)) data-version=(version) data-severity=(question.severity.name()) data-passkey[page.passkey.is_needed(question.severity)] tabindex="-1" aria-label=(language.tell("now-question", &[("id", id.into())])) {
            p.head {
                (parts::severity(language, question.severity)) " "
                strong { (visible(&words::who(question, language.0))) }
                " " (language.say("now-in")) " " code { (words::place(question, home, language.0)) } " "
                span.clock.dim { span.age data-age=(entry.age) { (age(entry.age, language)) } " · " (waits) " · " (id) }
            }
            (told)
        }
    }
}

/// What is said about a question.
fn said(question: &Question, home: Option<&str>, language: Spoken) -> Markup {
    html! {
        ul.points {
            @for point in words::points(question, language.0) {
                li {
                    (parts::severity(language, point.severity)) " "
                    @if let Some(part) = &point.part { code { (visible(part)) } " " }
                    (parts::words(&point.text))
                }
            }
        }
        @if let Some(text) = &question.difference { (difference(language, text)) }
        @if let Some(anew) = &question.anew { p { (parts::words(&language.0.meaning(anew))) } }
        @if let Some(instead) = words::instead(question, language.0) { p { (parts::words(&instead)) } }
        @if let Some(opinion) = &question.opinion { p.opinion { (visible(&words::heard(opinion, language.0))) } }
        @if let Some(held) = words::held(question, home, language.0) { p.dim { (parts::words(&held)) } }
    }
}

/// What came of a trial.
fn tried(page: &Page, trying: &Trying, language: Spoken) -> Markup {
    html! {
        @match trying {
            Trying::Impossible | Trying::Possible => {},
            Trying::Running => p { (language.say("now-trying")) },
            Trying::Failed { why } => p.trouble { (visible(&language.tell("question-not-tried", &[("why", why.into())]))) },
            Trying::Done(trial) => (outcome(page, trial, language)),
        }
    }
}

fn outcome(page: &Page, trial: &Trial, language: Spoken) -> Markup {
    html! {
        section.trial {
            p { (visible(&language.tell("trial-ended", &[("how", trial.ended.as_str().into())]))) }
            @if !trial.printed.is_empty() { pre { (visible(&trial.printed)) } }
            @for untried in &trial.untried { p { (visible(untried)) } }
            @match &trial.id {
                Some(id) => (page.changes.drawn(id, language)),
                None => p { (language.say("trial-nothing")) },
            }
            @if let Some(why) = &trial.unkept { p.dim { (visible(&language.tell("question-not-kept", &[("why", why.into())]))) } }
        }
    }
}

/// The answers that a question can be given.
fn answers(page: &Page, entry: &Entry, language: Spoken) -> Markup {
    let question = &entry.question;
    let home = page.home.as_deref();
    let is_critical = question.severity == Severity::Critical;
    let rule = if is_critical { None } else { page.offers.text(entry) };
    html! {
        form.answers hidden {
            div.choices {
                button.deny type="button" data-answer="deny" { (language.say("now-deny")) }
                @if is_critical {
                    label { (parts::words(&language.tell("now-type-word", &[("word", "critical".into())]))) " " input.typed autocomplete="off" spellcheck="false"; }
                }
                button type="button" data-answer="once" { (language.say("now-once")) }
                @if entry.trying.may_begin() { button type="button" data-answer="try" { (language.say("now-try")) } }
                @if entry.trying.may_keep() { button type="button" data-answer="keep" { (language.say("now-keep")) } }
            }
            details {
                summary { (language.say(if entry.may_stop { "now-more-stop" } else { "now-more" })) }
                label { (language.say("now-message")) " " textarea.message rows="2" {} }
                button.deny type="button" data-answer="deny" { (language.say("now-deny-with")) }
                @if entry.may_stop {
                    " " button.deny type="button" data-answer="stop" { (language.say("now-stop")) }
                }
                label { (language.say("now-edit")) " " textarea.edit rows="3" spellcheck="false" { "\n" (question.line) } }
                button type="button" data-answer="edit" { (language.say("now-judge")) }
            }
            @if !is_critical {
                details {
                    summary { (language.say("now-session")) }
                    @if words::has_signature(question) { (session(question, Covers::Signature, home, language)) }
                    (session(question, Covers::Line, home, language))
                }
            }
            @if let Some(rule) = rule {
                details {
                    summary { (language.say("now-always")) }
                    pre { (visible(&rule)) }
                    button type="button" data-answer="always" { (language.say("now-write")) }
                }
            }
        }
    }
}

/// What a yes for the session covers.
fn session(question: &Question, covers: Covers, home: Option<&str>, language: Spoken) -> Markup {
    let name = match covers {
        Covers::Signature => "signature",
        Covers::Line => "line",
    };
    html! {
        h3 { (parts::words(&words::session_title(question, covers, language.0))) }
        @for covered in words::session(question, covers, home, language.0) { p.covered { (parts::words(&covered)) } }
        button type="button" data-answer="session" data-covers=(name) { (language.say("now-allow-this")) }
    }
}

/// Returns a time that passed, in few letters.
fn age(seconds: u64, language: Spoken) -> String {
    let (at, count) = match seconds {
        0..120 => (0, seconds),
        120..7_200 => (1, seconds / 60),
        _ => (2, seconds / 3_600),
    };
    let units = language.say("script-units");
    format!("{count} {}", units.split(' ').nth(at).unwrap_or_default())
}
