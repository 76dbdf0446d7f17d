//! Text in which variables of the environment are replaced (`envsubst`): which secrets it shows.

use super::Found;
use crate::model::{Arg, EffectKind};
use crate::variables::holds_secret;

/// Reads a template: what has the name of a secret is printed.
pub(super) fn read(text: &str) -> Found {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
    });
    let secret = names.filter(|name| holds_secret(name));
    let shown = |name: &str| (EffectKind::Disclose, Some(Arg::Known(name.to_owned())));
    Found { effects: secret.map(shown).collect(), ..Found::default() }
}
