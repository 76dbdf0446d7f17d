//! Whether a model's opinion lets a line run. It never does for more than the least of what is asked about, for what was not read, or without
//! the person's own words.

use crate::model::{Action, Heard, Opinion, Severity, Verdict};
use crate::policy::Assessment;

/// Letters and digits that a quotation has at least: any shorter one stands in every text.
const QUOTED: usize = 6;

/// What a model must say at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar<'s> {
    /// How sure it is, 0 to 100.
    pub confidence: u8,
    /// How safe it finds the line, 0 to 100.
    pub safety: u8,
    /// The kinds of code that was not read which the owner has it settle (`unread-script`).
    pub opaque: &'s [String],
}

/// Proof that an opinion is enough for a line.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Settled(());

/// Returns whether any opinion could let a line run that was judged so: what was found is no more than medium, no rule of the owner's wants a
/// person, and nothing is run that was not read.
fn is_open(assessment: &Assessment, opaque: &[String]) -> bool {
    let is_named = |rule: &str| {
        let reason = rule.strip_prefix("opaque.");
        reason.is_some_and(|reason| opaque.iter().any(|named| named == reason))
    };
    assessment.severity == Severity::Medium
        && assessment.action == Action::Allow
        && !assessment.findings.iter().any(|finding| {
            finding.severity > Severity::Low
                && !is_named(&finding.rule)
                && (finding.rule.starts_with("opaque.") || UNREAD.contains(&finding.rule.as_str()))
        })
}

/// Findings of what runs unread: nobody knows what a model was asked about.
const UNREAD: [&str; 4] = ["effect.execute", "effect.build", "effect.unknown", "unknown.part"];

/// Weighs what was heard of a line that was judged so. `prompts` are what the person is known to have typed in this session.
///
/// # Errors
///
/// Says in plain words what is missing.
pub fn weigh(
    assessment: &Assessment,
    heard: &Heard,
    bar: Bar<'_>,
    prompts: &[String],
) -> Result<Settled, &'static str> {
    let Heard::Judged { opinion, .. } = heard else { return Err("there is no clear opinion") };
    if !is_open(assessment, bar.opaque) {
        return Err("no model may settle this");
    }
    if opinion.verdict != Verdict::Within || opinion.uncertain {
        return Err("it is not found to be within the task");
    }
    if opinion.confidence < bar.confidence || opinion.safety_score < bar.safety {
        return Err("the model is not sure enough");
    }
    if !is_quoted(opinion, prompts) {
        return Err("the person's words that permit it are not known");
    }
    Ok(Settled(()))
}

/// Whether what a model quotes stands letter by letter in what the person typed, as words of their own.
fn is_quoted(opinion: &Opinion, prompts: &[String]) -> bool {
    let Some(words) = opinion.quotation.as_deref().map(str::trim) else { return false };
    let letters = words.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < QUOTED {
        return false;
    }
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    prompts.iter().any(|prompt| {
        prompt.match_indices(words).any(|(at, _)| {
            is_edge(prompt[..at].chars().next_back())
                && is_edge(prompt[at + words.len()..].chars().next())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, Score, Span};

    const BAR: Bar<'_> = Bar { confidence: 80, safety: 80, opaque: &[] };

    fn assessment(severity: Severity, rule: &str) -> Assessment {
        let finding = Finding {
            rule: rule.to_owned(),
            span: Span::new(0, 1),
            severity,
            action: Action::Allow,
            points: 10,
            reason: String::new(),
            suggestion: None,
            instead: None,
        };
        Assessment {
            severity,
            score: Score::within(severity, 5),
            action: Action::Allow,
            reason: String::new(),
            suggestion: None,
            instead: None,
            findings: vec![finding],
            subjects: vec![None],
            commands: Vec::new(),
            contained: None,
        }
    }

    fn opinion(quotation: &str) -> Opinion {
        Opinion {
            verdict: Verdict::Within,
            safety_score: 95,
            category: "network".to_owned(),
            confidence: 95,
            uncertain: false,
            quotation: Some(quotation.to_owned()),
            reasoning: String::new(),
        }
    }

    fn judged(opinion: Opinion) -> Heard {
        Heard::Judged { by: "scripted".to_owned(), opinion }
    }

    #[test]
    fn an_opinion_settles_only_what_is_open() {
        let prompts = ["please fetch the docs from docs.example".to_owned()];
        let heard = judged(opinion("fetch the docs"));
        let settles = |assessment: &Assessment| weigh(assessment, &heard, BAR, &prompts).is_ok();
        assert!(settles(&assessment(Severity::Medium, "effect.fetch")));
        for severity in [Severity::Low, Severity::High, Severity::Critical] {
            assert!(!settles(&assessment(severity, "effect.fetch")), "{severity:?}");
        }
        for rule in ["opaque.dynamic-code", "effect.execute", "effect.build", "unknown.part"] {
            assert!(!settles(&assessment(Severity::Medium, rule)), "{rule}");
        }
        for action in [Action::Contain, Action::Ask, Action::Deny] {
            let asked = Assessment { action, ..assessment(Severity::Medium, "effect.fetch") };
            assert!(!settles(&asked), "{action:?}");
        }
    }

    #[test]
    fn code_that_was_not_read_is_settled_only_where_the_owner_names_its_kind() {
        let prompts = ["please fetch the docs from docs.example".to_owned()];
        let heard = judged(opinion("fetch the docs"));
        let named = ["unread-script".to_owned()];
        let bar = Bar { opaque: &named, ..BAR };
        let settles = |severity, rule: &str, bar| {
            weigh(&assessment(severity, rule), &heard, bar, &prompts).is_ok()
        };
        assert!(settles(Severity::Medium, "opaque.unread-script", bar));
        assert!(!settles(Severity::Medium, "opaque.unread-script", BAR));
        assert!(!settles(Severity::High, "opaque.unread-script", bar));
        for rule in ["opaque.unread-code", "effect.execute", "unread-script"] {
            assert_eq!(settles(Severity::Medium, rule, bar), rule == "unread-script", "{rule}");
        }
    }

    #[test]
    fn only_a_clear_opinion_with_the_persons_words_settles() {
        let prompts = ["please fetch the docs from docs.example".to_owned()];
        let open = assessment(Severity::Medium, "effect.fetch");
        let clear = || opinion("fetch the docs");
        let lacking = [
            Opinion { verdict: Verdict::Wider, ..clear() },
            Opinion { verdict: Verdict::Unclear, ..clear() },
            Opinion { uncertain: true, ..clear() },
            Opinion { confidence: 79, ..clear() },
            Opinion { safety_score: 79, ..clear() },
            Opinion { quotation: None, ..clear() },
            opinion(""),
            opinion("docs"),
            opinion("etch the docs"),
            opinion("fetch the doc"),
            opinion("Fetch the docs"),
            opinion("fetch  the docs"),
            opinion("delete everything"),
        ];
        for opinion in lacking {
            let said = format!("{opinion:?}");
            assert!(weigh(&open, &judged(opinion), BAR, &prompts).is_err(), "{said}");
        }
        assert!(weigh(&open, &judged(clear()), BAR, &[]).is_err());
        let uncertain = Heard::Uncertain { by: String::new(), opinion: clear() };
        for heard in [uncertain, Heard::unavailable("gone")] {
            assert!(weigh(&open, &heard, BAR, &prompts).is_err());
        }
        assert!(weigh(&open, &judged(clear()), BAR, &prompts).is_ok());
    }
}
