//! Open questions of one signature, which can be answered in one go: each gets its own answer, which is signed for itself.

use std::collections::HashMap;

use guarded_sh::approval::{visible, words};
use guarded_sh::audit::sha256;
use guarded_sh::ipc::Entry;
use guarded_sh::model::Severity;
use maud::{Markup, html};

use super::html as parts;
use super::spoken::Spoken;

/// Returns the groups of two and more, in the order in which the first of each was asked. Nothing that is critical is in one.
pub fn groups(open: &[Entry]) -> Vec<Vec<&Entry>> {
    let mut places: HashMap<Vec<Vec<String>>, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Entry>> = Vec::new();
    for entry in open {
        let question = &entry.question;
        let severity = question.severity.max(question.scope.severity);
        if severity == Severity::Critical || !words::has_signature(question) {
            continue;
        }
        let mut signature = question.scope.signatures.clone();
        signature.sort();
        let at = *places.entry(signature).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(entry);
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Returns them as they are shown: folded, so that whoever answers has seen the lines. One that has other questions is another one, and folded again.
pub fn shown(open: &[Entry], home: Option<&str>, language: Spoken) -> Markup {
    html! { @for group in groups(open) { (one(&group, home, language)) } }
}

fn one(group: &[&Entry], home: Option<&str>, language: Spoken) -> Markup {
    let ids = group.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>().join(" ");
    let signatures = group.first().map(|entry| &entry.question.scope.signatures);
    let signatures: Vec<String> =
        signatures.into_iter().flatten().map(|words| format!("`{}`", words.join(" "))).collect();
    let signatures = signatures.join(", ");
    let count = u64::try_from(group.len()).unwrap_or(u64::MAX);
    let title = [("count", count.into()), ("commands", signatures.as_str().into())];
    html! {
        details.group id={ "g-" (sha256(ids.as_bytes())) } data-ids=(ids) {
            summary { (parts::words(&language.tell("now-together", &title))) }
            ul {
                @for entry in group {
                    li {
                        (parts::severity(language, entry.question.severity)) " "
                        strong { (visible(&words::who(&entry.question, language.0))) } " " (language.say("now-in")) " "
                        code { (words::place(&entry.question, home, language.0)) }
                        pre.line tabindex="0" aria-label=(language.say("page-the-line")) { code { (visible(&entry.question.line)) } }
                    }
                }
            }
            form.answers hidden {
                div.choices {
                    button.deny type="button" data-all="deny" { (language.say("now-deny-each")) }
                    button type="button" data-all="once" { (language.say("now-once-each")) }
                }
            }
            p.outcome role="alert" {}
        }
    }
}
