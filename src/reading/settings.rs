//! Settings of git that hold passwords and tokens, and what of them a command prints (git-config(1)).

use super::plan::PlannedCommand;
use super::search::operands;
use super::walk::Walker;
use crate::model::{Arg, GitSetting, ProgramTrait, git_settings};
use crate::paths::absolute;

/// Files of settings that count in every repository, below the home.
const OWN: [&str; 2] = [".gitconfig", ".config/git/config"];

/// Characters of a name that is itself a token, in an address without a password.
const TOKEN: usize = 20;

/// Options by which more is asked for than the setting that is named.
const MANY: [&str; 6] = ["-l", "--list", "--get-regexp", "--get-urlmatch", "--regexp", "--url"];

/// A setting, by its whole name: `remote.origin.url`.
struct Setting {
    name: String,
    value: String,
}

impl Setting {
    /// Whether it holds a password: in an address, which may stand in its name, or in what is sent with each request.
    fn is_secret(&self) -> bool {
        self.is_called("extraheader") || has_password(&self.value) || has_password(&self.name)
    }

    /// Whether its name ends with this one.
    fn is_called(&self, last: &str) -> bool {
        self.name.rsplit('.').next().is_some_and(|name| name.eq_ignore_ascii_case(last))
    }
}

impl Walker<'_> {
    /// Whether a command prints a password or a token that stands in the settings of git, and somebody sees it.
    pub(super) fn tells_secret_settings(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let entered = command.directories.iter().flatten();
        let repositories = entered.filter_map(|directory| self.scripts.repository(directory));
        let of_repository = repositories.map(|found| absolute(&found.common, "config"));
        let home = self.facts.home.iter();
        let own = home.flat_map(|home| OWN.map(|name| absolute(home, name)));
        let key = key(command);
        let mut files = of_repository.chain(own).filter_map(|path| self.scripts.peek(&path));
        files.any(|text| {
            let told = settings(&text).into_iter().filter(Setting::is_secret);
            let mut told = told.filter(|setting| key.is_none_or(|key| setting.is_called(key)));
            told.any(|setting| self.comes_through(index, &setting))
        })
    }

    /// Whether the filters behind a command let a setting through, as far as their patterns tell.
    fn comes_through(&self, index: usize, setting: &Setting) -> bool {
        if !self.is_picked_from(index) {
            return true;
        }
        let line = format!("{}={}", setting.name, setting.value).to_lowercase();
        let filters = self.takers(index);
        let filters = filters.filter(|command| command.interpretation.is(ProgramTrait::Filters));
        filters.flat_map(|command| operands(&command.interpretation, &command.argv, &["text"])).any(
            |pattern| {
                let is_plain = |c: char| c.is_alphanumeric() || "-_/:@".contains(c);
                let text = pattern.and_then(Arg::known).filter(|text| text.chars().all(is_plain));
                // What is no plain text may fit anything.
                text.is_none_or(|text| line.contains(&text.to_lowercase()))
            },
        )
    }
}

/// The last part of the one setting that a command asks for; none if it asks for more, or for something else.
fn key(command: &PlannedCommand) -> Option<&str> {
    let (interpretation, argv) = (&command.interpretation, &command.argv);
    let is_config = interpretation.subcommand.first().is_some_and(|name| *name == "config");
    if !is_config || interpretation.gives(&MANY) {
        return None;
    }
    let words = argv.iter().skip(1).filter_map(Arg::known);
    let mut keys = words.filter(|word| !word.starts_with('-') && word.contains('.'));
    let key = keys.next().filter(|_| keys.next().is_none())?;
    key.rsplit('.').next()
}

/// Reads a file of settings.
fn settings(text: &str) -> Vec<Setting> {
    let whole = |GitSetting { section, of, key, value }| {
        let name = if of.is_empty() {
            format!("{section}.{key}")
        } else {
            format!("{section}.{of}.{key}")
        };
        Setting { name, value }
    };
    git_settings(text).into_iter().map(whole).collect()
}

/// Whether an address stands in a text with a password in it, or with a token for a name.
fn has_password(text: &str) -> bool {
    let server = text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    let Some((user, _)) = server.and_then(|server| server.rsplit_once('@')) else { return false };
    match user.split_once(':') {
        Some((_, password)) => !password.is_empty(),
        None => user.len() >= TOKEN && user.contains(|c: char| c.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_with_its_section() {
        let text = "[remote \"origin\"]\n\turl = https://u:p@a.example/x\n[http] extraHeader = A: b\n[url \"https://t:p@a/\"]\n insteadOf = a:\n[core]\nbare = false\n";
        let names = |is: &dyn Fn(&Setting) -> bool| -> Vec<String> {
            let settings = settings(text).into_iter().filter(|setting| is(setting));
            settings.map(|setting| setting.name).collect()
        };
        let all =
            ["remote.origin.url", "http.extraHeader", "url.https://t:p@a/.insteadOf", "core.bare"];
        assert_eq!(names(&|_| true), all);
        assert_eq!(names(&Setting::is_secret), all[..3]);
    }

    #[test]
    fn what_is_no_file_of_settings_has_none() {
        for text in ["", "[", "]", "[]", "=", "[a]\n[b", "\u{0}\n=\n[\"]x"] {
            assert!(settings(text).iter().all(|setting| !setting.is_secret()), "{text:?}");
        }
    }

    #[test]
    fn a_password_is_told_from_a_name() {
        for (text, is_one) in [
            ("https://user@example.org/a", false),
            ("https://user:@example.org/a", false),
            ("https://example.org/a@b:c", false),
            ("git@example.org:a/b", false),
            ("https://user:x@example.org/a", true),
            ("https://abcdefghij0123456789abcd@example.org/a", true),
        ] {
            assert_eq!(has_password(text), is_one, "{text}");
        }
    }
}
