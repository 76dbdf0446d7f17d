//! `guarded-shd tokens`: what `guarded-sh page tokens` starts. A person makes, lists and revokes tokens; an agent does not.

use std::fmt::Write as _;
use std::io::{IsTerminal, stdout};
use std::time::Duration;

use clap::Args;
use guarded_sh::approval::text::with_causes;
use guarded_sh::observe::Environment;
use guarded_sh::subcommand::Tokens as Action;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{May, Token, Tokens, now};
use crate::issued::Issued;
use crate::page::only_a_person;
use crate::record::{record, state_of};

/// Days after which a token ends that changes things, where nobody says otherwise.
const CHANGES: u16 = 30;

/// What `tokens` takes.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// Does it, if a person asks.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let environment = Environment::read();
    only_a_person(&environment, "see to the page's tokens")?;
    let tokens = Tokens::below(&state_of(&record(&environment)?));
    let done = match &arguments.action {
        Action::Add { name, answer, change, days, .. } => {
            let may = match (answer, change) {
                (_, true) => May::Change,
                (true, false) => May::Answer,
                (false, false) => May::Read,
            };
            let days = days.or((may == May::Change).then_some(CHANGES));
            let life = days.map(|days| Duration::from_secs(u64::from(days) * 24 * 60 * 60));
            let ends = life.map(|life| now() + life.as_secs());
            tokens.add(name, may, ends).map(|token| added(name, may, &token))
        }
        Action::List => tokens.read().map(|tokens| listed(&tokens)),
        Action::Revoke { name } => tokens.revoke(name).map(|()| format!("'{name}' is revoked.")),
    };
    crate::written(&done.map_err(|error| with_causes(&error))?)
}

/// Says what was made: to a person in words, to a program the token alone.
fn added(name: &str, may: May, token: &str) -> String {
    if !stdout().is_terminal() {
        return token.to_owned();
    }
    let may = match may {
        May::Read => "read",
        May::Answer => "read, and answer what is not critical",
        May::Change => {
            "read, and change settings, rules, prompts and agents, so that nothing is guarded any more"
        }
    };
    format!(
        "Whoever sends this token may {may}:\n\n  {token}\n\nIt is shown this once. `guarded-sh page tokens revoke {name}` takes it back."
    )
}

/// Returns a time, of seconds since 1970, as lists have it.
pub fn when(seconds: u64) -> String {
    let time = Timestamp::from_second(i64::try_from(seconds).unwrap_or(i64::MAX));
    let time = time.unwrap_or(Timestamp::MAX).to_zoned(TimeZone::system());
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

fn listed(tokens: &[Token]) -> String {
    if tokens.is_empty() {
        return "There are no tokens.".to_owned();
    }
    let named = |token: &Token| token.name.len();
    let wide = tokens.iter().map(named).max().unwrap_or(0).max("NAME".len());
    let mut text = format!("{:wide$}  MAY     MADE              LAST USED         ENDS", "NAME");
    for token in tokens {
        let may = match token.may {
            May::Read => "read",
            May::Answer => "answer",
            May::Change => "change",
        };
        let ends = match token.ends {
            None => "when it is revoked".to_owned(),
            Some(ends) if token.counts(now()) => when(ends),
            Some(ends) => format!("{}, so it counts no more", when(ends)),
        };
        let used = token.used.map_or_else(|| "never".to_owned(), when);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n{:wide$}  {may:6}  {}  {used:16}  {ends}",
            token.name,
            when(token.made)
        );
    }
    text
}
