//! Why nothing ran, as the one who called sees it: one line that says what is wrong, one that says what to do, and the status.

use std::io::Write;

use super::Judgement;
use crate::approval::words;
use crate::decision::{Asked, Refusal};
use crate::language::Language;
use crate::model::{Heard, Paused};
use crate::rules::source::did_you_mean;
use crate::{approval, audit, cli, config, exec, fence, observe, rules, undo};

/// Why nobody answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// There is nobody here.
    Unreachable(observe::Unreachable),
    /// A person was asked, and did not answer in time.
    Open {
        /// The question.
        id: String,
        /// For how many seconds it was waited.
        waited: u16,
        /// The person's pause when it was asked: they were told of no question.
        paused: Option<Paused>,
    },
    /// The host cannot ask, cannot be spoken to, or is not believed.
    Host(String),
}

impl From<observe::Unreachable> for Unanswered {
    fn from(why: observe::Unreachable) -> Self {
        Self::Unreachable(why)
    }
}

/// Why the road ended before the real shell.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// Argv that the shell would refuse as well.
    #[error(transparent)]
    Usage(#[from] cli::Error),
    /// The settings or rules are broken.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// Compiled rules are damaged, also when made anew.
    #[error(transparent)]
    Rules(#[from] rules::Damaged),
    /// The settings name a shell that is not known.
    #[error("the configured shell '{name}' is not one that is known ({origin})")]
    UnknownShell {
        /// The name.
        name: String,
        /// Where it is configured.
        origin: String,
    },
    /// There is no real shell.
    #[error(transparent)]
    NoShell(#[from] observe::RealShellError),
    /// There is no place for records.
    #[error("there is no home directory to keep records in: {}", observe::NO_HOME)]
    NoHome,
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] audit::Error),
    /// A person's typing, or what comes from no pipe, which is not read.
    #[error("interactive shells, and programs from what is no file, pipe or socket, are not read")]
    Unread,
    /// What it does would come between us and the shell that keeps running.
    #[error("it would come between the guard and the shell: {0}")]
    Between(&'static str),
    /// What a program on standard input gives to run at once is over a limit, so that nothing behind it is found.
    #[error(
        "what came on standard input is longer or deeper than what is read; nothing behind it is"
    )]
    TooLarge,
    /// The shell that keeps running cannot be given what it runs.
    #[error("cannot give the shell what comes on standard input")]
    Feed(#[source] std::io::Error),
    /// It was judged, and may not run.
    #[error("{}", refusal.reason())]
    Refused {
        /// Why.
        refusal: Refusal,
        /// Why nobody answered.
        why: Option<Unanswered>,
        /// What a model said of it, if one was asked.
        heard: Option<Box<Heard>>,
        /// What was found.
        judgement: Box<Judgement>,
        /// The command by which the owner lets such a line run, where nobody answered.
        permitting: Option<String>,
    },
    /// A person wrote another line for what has none.
    #[error("a person wanted another line in its place, and a script has none")]
    NoLine,
    /// A person wrote one line after another, and each had to be asked about.
    #[error("a person changed the line {0} times, and it must still be asked about")]
    TooManyEdits(usize),
    /// What it uses changed each time while it was asked about.
    #[error("{0} each time while it was asked about")]
    Unsteady(String),
    /// The person could not be asked.
    #[error(transparent)]
    Question(#[from] approval::Error),
    /// The fence could not be put on.
    #[error(transparent)]
    Fence(#[from] fence::Error),
    /// It may only run contained, and nothing contains it.
    #[error("it may only run contained, and no container was made")]
    NotContained,
    /// It cannot be tried here.
    #[error("this cannot be tried: {0}")]
    NotTried(String),
    /// What it did when it was tried is not carried out.
    #[error("what it did when it was tried is not carried out: {0}")]
    NotKept(String),
    /// What it would change could not be taken, or told.
    #[error(transparent)]
    Undo(#[from] undo::Error),
    /// No process could be made for it.
    #[error("no process can be made for it")]
    NotStarted(#[source] std::io::Error),
    /// Its witness hears of nothing, so no program could start below it.
    #[error("the witness of what runs is gone")]
    NoWitness(#[source] std::io::Error),
    /// The real shell could not be started.
    #[error(transparent)]
    Exec(#[from] exec::Error),
}

impl Stop {
    /// Returns the reason with its causes, on one line.
    #[must_use]
    pub fn reason(&self) -> String {
        approval::visible(&approval::text::with_causes(self)).into_owned()
    }

    /// Returns whether it ended by what is wrong with us or around us, and not by what was decided.
    pub(super) const fn is_fault(&self) -> bool {
        match self {
            Self::Config(_)
            | Self::Rules(_)
            | Self::UnknownShell { .. }
            | Self::NoShell(_)
            | Self::NoHome
            | Self::Record(_)
            | Self::Question(_)
            | Self::Fence(_)
            | Self::NotContained
            | Self::NotTried(_)
            | Self::NotKept(_)
            | Self::Undo(_)
            | Self::NotStarted(_)
            | Self::NoWitness(_)
            | Self::Feed(_)
            | Self::Exec(_) => true,
            Self::Usage(_)
            | Self::Unread
            | Self::Between(_)
            | Self::TooLarge
            | Self::Refused { .. }
            | Self::NoLine
            | Self::TooManyEdits(_)
            | Self::Unsteady(_) => false,
        }
    }

    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Usage(cli::Error::NoSubcommand { word }) => {
                let names: Vec<String> = cli::offered().map(str::to_owned).collect();
                let meant = did_you_mean(word, &names).map(|meant| format!("{meant} "));
                format!("{}there are: {}", meant.unwrap_or_default(), names.join(", "))
            }
            Self::Usage(_)
            | Self::Exec(_)
            | Self::Rules(_)
            | Self::Question(_)
            | Self::NoLine
            | Self::NotTried(_)
            | Self::Feed(_)
            | Self::Undo(_)
            | Self::NotStarted(_)
            | Self::NoWitness(_)
            | Self::TooManyEdits(_) => return None,
            Self::Unsteady(_) => "have whatever writes to it stop first, then run the line again".to_owned(),
            Self::NotKept(_) => "look at what is there now, and run it again".to_owned(),
            Self::Fence(fence::Error::Container(_)) | Self::NotContained => {
                "run it again: it is asked about then; `guarded-sh doctor` says what is missing".to_owned()
            }
            Self::Fence(_) => {
                "`guarded-sh doctor` says what this kernel has; fence = \"off\" in config.toml runs without"
                    .to_owned()
            }
            Self::Config(error) => error.hint(),
            Self::UnknownShell { .. } => {
                "set real_shell to bash, zsh, dash, sh or a path".to_owned()
            }
            Self::NoShell(_) => "install one, or set real_shell in config.toml".to_owned(),
            Self::NoHome => "start the container with such a HOME, or set [record] directory in /etc/guarded-sh/config.toml".to_owned(),
            Self::Record(_) => {
                "nothing runs unrecorded: mend the records' directory, or set [record] directory"
                    .to_owned()
            }
            Self::Between(_) => "leave these names and descriptors to the shell, or run it in a shell of its own: bash -c".to_owned(),
            Self::TooLarge => "put it into a file, and run that".to_owned(),
            Self::Unread => {
                "pass the program with -c, or set mode = \"shadow\" in config.toml".to_owned()
            }
            Self::Refused { refusal, why, heard, judgement, permitting } => {
                let mut hint = refused(refusal, why.as_ref(), heard.as_deref(), judgement);
                if let (Some(hint), Some(command)) = (&mut hint, permitting) {
                    hint.push_str("; ");
                    hint.push_str(&permitted_by(command));
                }
                return hint;
            }
        })
    }

    pub(super) const fn status(&self) -> u8 {
        match self {
            Self::Usage(error) => error.status(),
            Self::NoShell(_) => 127,
            Self::Exec(error) => error.status(),
            Self::Config(_)
            | Self::Rules(_)
            | Self::UnknownShell { .. }
            | Self::NoHome
            | Self::Record(_)
            | Self::Unread
            | Self::Between(_)
            | Self::TooLarge
            | Self::Feed(_)
            | Self::NoLine
            | Self::TooManyEdits(_)
            | Self::Unsteady(_)
            | Self::Question(_)
            | Self::Fence(_)
            | Self::NotContained
            | Self::NotTried(_)
            | Self::NotKept(_)
            | Self::Undo(_)
            | Self::NotStarted(_)
            | Self::NoWitness(_)
            | Self::Refused { .. } => 126,
        }
    }

    /// Writes why nothing ran to stderr and returns the exit status.
    #[must_use]
    pub fn report(&self) -> u8 {
        let mut out = std::io::stderr().lock();
        // Nothing is left to do if stderr is gone.
        let _ = match self {
            // The shell's own words for its own argv, on as many lines; what a word of argv could make of the terminal is shown.
            Self::Usage(error) if !matches!(error, cli::Error::UnknownOption { .. }) => {
                let show = |word: &str| approval::visible(word).into_owned();
                writeln!(out, "{}", error.clone().shown(show))
            }
            Self::NoShell(_) => writeln!(out, "guarded-sh: {}", self.reason()),
            _ => writeln!(out, "guarded-sh: refused: {}", self.reason()),
        };
        if let Some(hint) = self.hint() {
            let _ = writeln!(out, "hint: {}", approval::visible(&hint));
        }
        self.status()
    }
}

/// What the one who was refused can do, written for a program that reads it as well as for a person: what would be let run instead, and
/// whether to ask again.
fn refused(
    refusal: &Refusal,
    why: Option<&Unanswered>,
    heard: Option<&Heard>,
    judgement: &Judgement,
) -> Option<String> {
    if refusal.asked() == Asked::Told {
        // What the person said is what to do; any word of ours could say the contrary.
        return None;
    }
    let assessment = &judgement.assessment;
    let mut hints: Vec<String> = Vec::new();
    if let Some(instead) = &assessment.instead {
        hints.push(format!("instead: {instead}"));
    } else if let Some(suggestion) = &assessment.suggestion {
        hints.push(suggestion.clone());
    }
    hints.extend(heard.map(|heard| words::heard(heard, Language::English)));
    match (refusal.asked(), why) {
        (Asked::Nobody, Some(why)) => hints.push(unanswered(why)),
        (Asked::Nobody, None) => {
            hints.push("nobody is asked under this profile: ask the user to run it".to_owned());
        }
        (Asked::Person, _) => hints.push(
            "do not run it again, nor the same by other means; go on without it, or ask the person what they want"
                .to_owned(),
        ),
        (Asked::NotNeeded | Asked::Told, _) => {}
    }
    hints.extend(judgement.note.clone());
    (!hints.is_empty()).then(|| hints.join("; "))
}

/// Says that nobody can be asked here, where that needs more words also why, and how it can be approved all the same.
pub(super) fn nobody_here(why: Option<&observe::Unreachable>) -> String {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "needs approval, and nobody can be asked here{why}: ask the user to run it, to open `guarded-sh watch` and try again then, or to start the agent by `guarded-sh run`"
    )
}

/// Says by which command such a line runs from then on.
pub(super) fn permitted_by(command: &str) -> String {
    format!("to have it run unasked from now on, the user types: {command}")
}

/// Returns what the one who was refused can do where nobody answered.
pub(super) fn unanswered(why: &Unanswered) -> String {
    match why {
        Unanswered::Unreachable(observe::Unreachable::NoTerminal) => nobody_here(None),
        Unanswered::Unreachable(why) => nobody_here(Some(why)),
        Unanswered::Open { id, waited, paused: Some(_) } => format!(
            "the person has paused questions, and gave no answer within {waited} s; question {id} stays open: go on without it, and run the very same line again when they say yes"
        ),
        Unanswered::Open { id, waited: 0, paused: None } => {
            format!("question {id} is open: when the person says yes, run the very same line again")
        }
        Unanswered::Open { id, waited, paused: None } => format!(
            "no answer within {waited} s, and question {id} stays open: when the person says yes, or is there to be asked again, run the very same line again"
        ),
        Unanswered::Host(why) => format!(
            "needs approval, and nobody can be asked here ({why}): ask the user to run it, or to look at `guarded-sh pending`"
        ),
    }
}
