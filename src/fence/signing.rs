//! How the owner signs commits, by the settings of git in the home. What a repository says of it counts for nothing: whoever may write there would
//! choose what is granted in the home.

use std::fs;

use crate::model::Facts;

/// Settings that are larger are nobody's.
const LARGEST: u64 = 1 << 20;

/// What makes the signatures.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Signing {
    /// `gpg`, which keeps locks beside its keys.
    Gpg,
    /// A key of ssh: the file of it, if it is one.
    Ssh(Option<String>),
}

/// Returns how the owner signs, if they do.
pub(super) fn signing(facts: &Facts) -> Option<Signing> {
    let home = facts.home.as_deref().filter(|home| *home != "/")?;
    let read = |below: &str| {
        let path = format!("{home}/{below}");
        let is_small =
            fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        is_small.then(|| fs::read_to_string(&path).ok()).flatten()
    };
    let texts = [".gitconfig", ".config/git/config"].map(read);
    said(texts.iter().flatten().map(String::as_str), home)
}

fn said<'t>(texts: impl Iterator<Item = &'t str>, home: &str) -> Option<Signing> {
    let (mut signs, mut by_ssh, mut key) = (false, false, None);
    for line in texts.flat_map(str::lines) {
        // A section may stand before a setting on its line.
        let setting = line.rsplit(']').next().unwrap_or(line).trim();
        let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "gpgsign" => signs |= !matches!(value, "false" | "no" | "off" | "0"),
            "format" => by_ssh |= value == "ssh",
            "signingkey" => (signs, key) = (true, Some(value)),
            _ => {}
        }
    }
    let file = || {
        let key = key?.trim_end_matches(".pub");
        let below_home = key.strip_prefix('~').map(|below| format!("{home}{below}"));
        Some(below_home.unwrap_or_else(|| key.to_owned())).filter(|key| key.starts_with('/'))
    };
    match (signs, by_ssh) {
        (false, _) => None,
        (true, true) => Some(Signing::Ssh(file())),
        (true, false) => Some(Signing::Gpg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owners_settings_say_how_commits_are_signed() {
        let key = |path: &str| Some(Signing::Ssh(Some(path.to_owned())));
        let cases = [
            ("[user]\nname = n\n", None),
            ("[commit]\n\tgpgSign = true\n", Some(Signing::Gpg)),
            ("[commit] gpgsign\n", Some(Signing::Gpg)),
            ("[commit]\ngpgsign = false\n", None),
            ("[user]\nsigningkey = ABCD\n", Some(Signing::Gpg)),
            ("[user]\nsigningkey = ~/.ssh/k.pub\n[gpg]\nformat = ssh\n", key("/home/u/.ssh/k")),
            ("[gpg] format = \"ssh\"\n[user] signingKey = \"/k\"\n", key("/k")),
            (
                "[gpg]\nformat=ssh\n[user]\nsigningkey=key::ssh-ed25519 A\n",
                Some(Signing::Ssh(None)),
            ),
            ("[gpg]\nformat = ssh\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(said([text].into_iter(), "/home/u"), expected, "{text}");
        }
    }
}
