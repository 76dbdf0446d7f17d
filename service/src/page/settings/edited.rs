//! What the owner's file of settings would say after an edit, or what is wrong with that.

use guarded_sh::config::{self, Error};
use guarded_sh::install::settings::{self, Put};
use guarded_sh::rules::source::position;
use maud::{Markup, html};

use super::Own;
use super::help::Help;
use crate::page::html as parts;
use crate::page::spoken::Spoken;

/// An edit of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A key is given this value, as somebody typed it.
    Set(String, String),
    /// A key is taken out.
    Remove(String),
    /// A list has this item too.
    Add(String, String),
    /// The file says this.
    Whole(String),
}

impl Edit {
    /// Returns the key that it is about.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Set(key, _) | Self::Remove(key) | Self::Add(key, _) => Some(key),
            Self::Whole(_) => None,
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line and column in the file as it would be, from 1; none where it is about no place.
    pub place: Option<(usize, usize)>,
    /// What it is, and what was perhaps meant.
    pub message: String,
}

impl Mistake {
    fn of(message: impl Into<String>) -> Self {
        Self { place: None, message: message.into() }
    }

    /// Returns what is wrong in a file; where that is not in its text, the error itself.
    pub fn all(error: &Error) -> Vec<Self> {
        let Error::Invalid(invalid) = error else {
            return vec![Self::of(format!("{error}: {}", error.hint()))];
        };
        let problems = invalid.problems.iter().map(|problem| {
            let message = match &problem.hint {
                Some(hint) => format!("{} ({hint})", problem.message),
                None => problem.message.clone(),
            };
            Self { place: Some(position(&invalid.text, problem.span.start)), message }
        });
        problems.collect()
    }
}

/// Returns what is wrong as it is shown; `above` are lines of the text that nobody sees.
pub fn mistakes(language: Spoken, mistakes: &[Mistake], above: usize) -> Markup {
    html! {
        ul.mistakes { @for mistake in mistakes { li.trouble {
            @if let Some((line, column)) = mistake.place {
                @let place = [("line", line.saturating_sub(above).max(1).into()), ("column", column.into())];
                span.dim { (language.tell("change-place", &place)) " " }
            }
            (parts::words(&mistake.message))
        } } }
    }
}

/// Returns what the file would say.
pub fn edited(own: &Own, edit: &Edit) -> Result<String, Vec<Mistake>> {
    let with = |key: &str, put: &Put| {
        let known = config::show(&config::Settings::default());
        if !known.iter().any(|row| row.name == key) {
            return Err(vec![Mistake::of(format!("there is no setting `{key}`"))]);
        }
        let with = settings::with(own.said(), key, put);
        with.map_err(|error| vec![Mistake::of(error.to_string())])
    };
    let after = match edit {
        Edit::Whole(text) => text.clone(),
        Edit::Remove(key) => with(key, &Put::Nothing)?,
        Edit::Add(key, item) => with(key, &Put::Item(item.clone()))?,
        Edit::Set(key, text) => with(key, &Put::Value(Help::read().kind(key).value(text)))?,
    };
    match config::check_settings(&own.path, &after) {
        Ok(()) => Ok(after),
        Err(error) => Err(Mistake::all(&error)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn own(text: &str) -> Own {
        Own { path: PathBuf::from("/home/u/config.toml"), text: Some(text.to_owned()) }
    }

    fn set(key: &str, value: &str) -> Edit {
        Edit::Set(key.to_owned(), value.to_owned())
    }

    #[test]
    fn comments_stay_and_one_key_changes() {
        let text = "# mine\nprofile = \"strict\" # so\n\n[approval]\n# long\nwait = 3\n";
        let after = |edit: &Edit| edited(&own(text), edit).unwrap();
        assert_eq!(after(&set("approval.wait", "5")), text.replace("wait = 3", "wait = 5"));
        let profile = after(&set("profile", "balanced"));
        assert!(profile.starts_with("# mine\nprofile = \"balanced\""), "{profile}");
        assert!(profile.contains("[approval]\n# long\nwait = 3\n"), "{profile}");
        let gone = after(&Edit::Remove("approval.wait".to_owned()));
        assert!(gone.contains("profile = \"strict\" # so") && !gone.contains("wait"), "{gone}");
        let added = after(&Edit::Add("safe_domains".to_owned(), "a.example".to_owned()));
        assert!(added.contains("safe_domains = [\"a.example\"]"), "{added}");
        assert!(after(&set("undo.bytes", "5 MB")).contains("bytes = \"5 MB\""));
        assert!(after(&set("approval.popup", "false")).contains("popup = false"));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let wrong = |text: &str, edit: &Edit| edited(&own(text), edit).unwrap_err();
        for (edit, said) in [
            (set("profile", "lax"), "`lax` is none of"),
            (set("approval.wait", "soon"), "this must be a whole number"),
            (set("thresholds.bash", "101"), "a threshold is a score from 0 to 100"),
            (set("safe_domains", "a.example"), "expected a list"),
            (set("nothing", "1"), "there is no setting `nothing`"),
            (set("hooks", "1"), "there is no setting `hooks`"),
            (Edit::Whole("profile = ".to_owned()), ""),
        ] {
            let mistakes = wrong("# mine\n", &edit);
            assert!(mistakes[0].message.contains(said), "{edit:?}: {mistakes:?}");
        }
        let mistakes =
            wrong("", &Edit::Whole("mode = \"enforce\"\nprofle = \"strict\"\n".to_owned()));
        assert_eq!(mistakes[0].place, Some((2, 1)));
        assert!(mistakes[0].message.contains("profile"), "{mistakes:?}");
        // What is not TOML cannot be changed key by key.
        assert!(!wrong("profile = = 1", &set("profile", "strict")).is_empty());
    }
}
