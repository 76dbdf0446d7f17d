//! Whether a yes that was given for one line covers another: what was shown then must hold all that is done now.
//! Remembers nothing; the host does.

use crate::model::{Scope, Severity};

/// Returns whether a yes by signature covers a line: the same programs and subcommands, and no more than was shown.
#[must_use]
pub fn covers(shown: &Scope, now: &Scope) -> bool {
    within(shown, now)
        && !now.signatures.is_empty()
        && now.signatures.iter().all(|signature| shown.signatures.contains(signature))
}

/// Returns whether a line does no more than was shown: no rule, no effect and no severity beyond. Nothing covers what is critical.
#[must_use]
pub fn within(shown: &Scope, now: &Scope) -> bool {
    now.severity <= shown.severity
        && now.severity < Severity::Critical
        && now.rules.iter().all(|rule| shown.rules.contains(rule))
        && now.effects.iter().all(|effect| shown.effects.contains(effect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Effect, EffectKind, Target};

    fn scope(severity: Severity, rules: &[&str], kinds: &[EffectKind], program: &str) -> Scope {
        let effect = |kind: &EffectKind| Effect { kind: *kind, target: Target::None };
        Scope {
            severity,
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            effects: kinds.iter().map(effect).collect(),
            signatures: if program.is_empty() { vec![] } else { vec![vec![program.to_owned()]] },
        }
    }

    #[test]
    fn a_yes_covers_nothing_that_was_not_shown() {
        use EffectKind::{Delete, Publish};
        use Severity::{Critical, High, Medium};
        let shown = scope(High, &["a", "b"], &[Publish], "git");
        for (now, covered, inside) in [
            (scope(High, &["a", "b"], &[Publish], "git"), true, true),
            (scope(Medium, &["b"], &[], "git"), true, true),
            (scope(High, &["a"], &[Publish], "npm"), false, true),
            (scope(High, &["a"], &[Publish], ""), false, true),
            (scope(Critical, &["a"], &[Publish], "git"), false, false),
            (scope(High, &["c"], &[Publish], "git"), false, false),
            (scope(High, &["a"], &[Publish, Delete], "git"), false, false),
        ] {
            assert_eq!((covers(&shown, &now), within(&shown, &now)), (covered, inside), "{now:?}");
        }
        let critical = scope(Critical, &["a"], &[], "rm");
        assert!(!covers(&critical, &critical) && !within(&critical, &critical));
    }
}
