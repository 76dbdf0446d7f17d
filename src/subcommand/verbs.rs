//! `allow`, `ask`, `deny`: what a person wants of some commands from now on, said in a word. Each shows what is written where, what it would have
//! changed in the last month, and how it is taken back.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;

use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, say, short};
use super::past::Past;
use super::{answer, desk, own, when};
use crate::approval::visible;
use crate::audit;
use crate::install::settings;
use crate::model::{Action, Answer};
use crate::pipeline::{OwnRule, Place, Validity, Verb, World};
use crate::rules::glob;

/// Status where nothing is changed.
const NOTHING: u8 = 1;
/// Lines of the record that are shown.
const SHOWN: usize = 5;

/// Where and how long something holds.
#[derive(Args)]
pub(super) struct Where {
    /// Only in this project, the repository around here; else wherever it runs
    #[arg(long)]
    project: bool,
    /// Only for so long: `90m`, `2h`, `7d`, `2w`
    #[arg(long = "for", value_name = "TIME", value_parser = when::after)]
    until: Option<jiff::Timestamp>,
}

/// What `allow` takes.
#[derive(Args)]
pub(super) struct Allow {
    /// The line, word for word
    #[arg(value_name = "LINE", required_unless_present = "host", conflicts_with = "host")]
    line: Option<String>,
    /// A host from which anything may be read, as a glob: `api.github.com`, `*.example.com`
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    #[command(flatten)]
    place: Where,
    /// Takes a host back
    #[arg(long, requires = "host")]
    undo: bool,
}

/// What `ask` takes.
#[derive(Args)]
pub(super) struct Ask {
    /// Words of the commands, in which `*` stands for any text: `make deploy*`, `git push * main`
    pattern: String,
    /// Why, for whoever is asked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    place: Where,
}

/// What `deny` takes.
#[derive(Args)]
pub(super) struct Deny {
    /// A question that is open; or words of the commands, as of `ask`
    #[arg(value_name = "ID|PATTERN")]
    what: String,
    /// What to tell the one who asked
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Ends the agent that asks: SIGTERM, and SIGKILL after 5 seconds
    #[arg(long, conflicts_with_all = ["message", "reason", "project", "until"])]
    stop: bool,
    /// Why, for whoever is refused
    #[arg(long, value_name = "TEXT", conflicts_with = "message")]
    reason: Option<String>,
    #[command(flatten)]
    place: Where,
}

pub(super) fn allow(arguments: &Allow) -> Result<u8, Failure> {
    let ground = Ground::here();
    desk::at_terminal(&ground.environment, "allow something")?;
    if let Some(host) = &arguments.host {
        return allow_host(&ground, host, &arguments.place, arguments.undo);
    }
    let line = arguments.line.as_deref().unwrap_or_default();
    let validity = arguments.place.validity(&ground)?;
    let rule = OwnRule::allow(world()?, line, &validity).map_err(|why| {
        no_rule(&why)
            .hint(format!("`guarded-sh explain {}` shows what it is asked for", quoted(line)))
    })?;
    keep(&ground, rule)
}

pub(super) fn ask(arguments: &Ask) -> Result<u8, Failure> {
    let (pattern, reason) = (&arguments.pattern, arguments.reason.as_deref());
    stricter(Verb::Ask, pattern, reason, &arguments.place)
}

pub(super) fn deny(arguments: Deny) -> Result<u8, Failure> {
    let Deny { what, message, stop, reason, place } = arguments;
    if stop {
        return answer::deny(&what, Answer::Stop);
    }
    // The id of a question is one word.
    let is_rule = reason.is_some() || place.project || place.until.is_some();
    if message.is_some() || !is_rule && !what.contains([' ', '*', '?']) {
        return answer::deny(&what, Answer::Deny { message });
    }
    stricter(Verb::Deny, &what, reason.as_deref(), &place)
}

fn stricter(verb: Verb, pattern: &str, reason: Option<&str>, place: &Where) -> Result<u8, Failure> {
    let ground = Ground::here();
    desk::at_terminal(&ground.environment, "say what is asked about or refused")?;
    let validity = place.validity(&ground)?;
    let rule = OwnRule::stricter(world()?, verb, pattern, reason, &validity)
        .map_err(|why| no_rule(&why))?;
    keep(&ground, rule)
}

/// Says why there is no such rule.
fn no_rule(why: &dyn std::fmt::Display) -> Failure {
    let text = format!("nothing was changed: {}", visible(&why.to_string()));
    Failure::Said { text, hint: None, status: NOTHING }
}

fn world() -> Result<World, Failure> {
    World::read().map_err(|stop| Failure::new(stop.to_string()))
}

impl Where {
    fn validity(&self, ground: &Ground) -> Result<Validity, Failure> {
        let place = match (self.project, ground.facts.workspaces.first()) {
            (false, _) => Place::Anywhere,
            (true, Some(root)) => Place::Below(root.clone()),
            (true, None) => {
                return Err(Failure::new("there is no project here: no repository is around"));
            }
        };
        let until = self.until.map(audit::in_seconds);
        Ok(Validity { place, until })
    }
}

/// Writes a rule, and says what it is, where it stands, what it would have changed, and how it is taken back.
fn keep(ground: &Ground, rule: OwnRule) -> Result<u8, Failure> {
    let output = Output::new();
    let mut told = format!("{}\n", shown(rule.path(), ground));
    for line in rule.text().lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(told, "{}", output.bold(&format!("+ {}", visible(line))));
    }
    let past = Past::judged(ground, &world()?.judge.rules, rule.rules())?;
    told.push('\n');
    told.push_str(&changed(&past));
    let id = rule.text().lines().find_map(|line| line.strip_prefix("id        = "));
    let id = id.unwrap_or_default().trim_matches('"');
    let _ = writeln!(told, "back: guarded-sh rules undo {id}");
    rule.write()?;
    say(&told)?;
    Ok(0)
}

fn changed(past: &Past) -> String {
    let of = match past.lines {
        0 => return "no line of the last 30 days to try it on\n".to_owned(),
        1 => "the one line".to_owned(),
        lines => format!("{lines} lines"),
    };
    if past.changed.is_empty() {
        return format!("of {of} of the last 30 days it changes none\n");
    }
    let mut told = format!("of {of} of the last 30 days it changes {}:\n", past.changed.len());
    for one in past.changed.iter().take(SHOWN) {
        let line: String = visible(&one.line.line.replace('\n', "; ")).chars().take(60).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(told, "  {line}  {} → {}", becomes(one.before), becomes(one.after));
    }
    if past.changed.len() > SHOWN {
        let _ = writeln!(told, "  and {} more", past.changed.len() - SHOWN);
    }
    told
}

/// Returns what an action means for a line, in words.
pub(super) const fn becomes(action: Action) -> &'static str {
    match action {
        Action::Allow => "runs",
        Action::Contain => "runs contained",
        Action::Ask => "is asked about",
        Action::Deny => "is refused",
    }
}

fn shown(path: &Path, ground: &Ground) -> String {
    visible(&short(&path.to_string_lossy(), ground.home())).into_owned()
}

fn quoted(line: &str) -> String {
    visible(&shell_words::quote(line)).into_owned()
}

/// Puts a host into the owner's settings, or takes it out of them.
fn allow_host(ground: &Ground, host: &str, place: &Where, is_undo: bool) -> Result<u8, Failure> {
    if place.project || place.until.is_some() {
        return Err(Failure::new("a host is allowed everywhere and for good, or not at all"));
    }
    if let Err(why) = glob::check(host) {
        return Err(Failure::new(format!("'{}' is no glob: {why}", visible(host))));
    }
    if host.is_empty() || host.contains(['/', ':', ' ', '@']) {
        let text = format!("'{}' is no host: it is written as `api.github.com`", visible(host));
        return Err(Failure::new(text));
    }
    let (put, mark) = if is_undo {
        (settings::Put::Without(host.to_owned()), "-")
    } else {
        (settings::Put::Item(host.to_owned()), "+")
    };
    let done = own::put(ground, "safe_domains", &put)?;
    if let Some((said, status)) = done.nothing() {
        say(&said)?;
        return Ok(status);
    }
    let mut told = format!("{}\n{mark} safe_domains: {}\n\n", done.path, visible(host));
    if !is_undo {
        told.push_str("reading from it runs unasked; sending to it is asked about as before\n");
        // Writing to a string cannot fail.
        let _ = writeln!(told, "back: guarded-sh allow --host {} --undo", quoted(host));
    }
    say(&told)?;
    Ok(0)
}
