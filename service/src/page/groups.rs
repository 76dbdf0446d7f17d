//! Open questions of one signature, which can be answered in one go: each gets its own answer, which is signed for itself.

use std::collections::HashMap;

use guarded_sh::approval::{visible, words};
use guarded_sh::audit::sha256;
use guarded_sh::ipc::Entry;
use guarded_sh::model::Severity;
use maud::{Markup, html};

use super::html as parts;

/// Returns the groups of two and more, in the order in which the first of each was asked. Nothing that is critical is in one.
fn groups(open: &[Entry]) -> Vec<Vec<&Entry>> {
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
pub fn shown(open: &[Entry], home: Option<&str>) -> Markup {
    html! { @for group in groups(open) { (one(&group, home)) } }
}

fn one(group: &[&Entry], home: Option<&str>) -> Markup {
    let ids = group.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>().join(" ");
    let signatures = group.first().map(|entry| &entry.question.scope.signatures);
    let signatures: Vec<String> =
        signatures.into_iter().flatten().map(|words| words.join(" ")).collect();
    html! {
        details.group id={ "g-" (sha256(ids.as_bytes())) } data-ids=(ids) {
            summary {
                (group.len()) " questions of "
                @for (at, signature) in signatures.iter().enumerate() {
                    @if at > 0 { " and " }
                    code { (visible(signature)) }
                }
                ": answer them together"
            }
            ul {
                @for entry in group {
                    li {
                        (parts::severity(entry.question.severity)) " "
                        strong { (visible(&words::who(&entry.question))) } " in "
                        code { (words::place(&entry.question, home)) }
                        pre.line tabindex="0" aria-label={ "The line of " (entry.id) } { code { (visible(&entry.question.line)) } }
                    }
                }
            }
            form.answers hidden {
                div.choices {
                    button.deny type="button" data-all="deny" { "Deny each of these" }
                    button type="button" data-all="once" { "Allow each of these once" }
                }
            }
            p.outcome role="alert" {}
        }
    }
}
