//! `rules import`: an agent's own lists of permissions as rules of the owner's, in a file of their own, with what was dropped and why.
//!
//! A list of prefixes says less than it seems to: what allows an interpreter or a wrapper allows everything. Such entries are dropped, and
//! what is imported settles only what the catalog does not know: no finding of another rule is lowered by it.

mod codex;
mod draft;
mod entry;
mod json;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::super::arguments::ImportArguments;
use super::super::desk;
use super::super::failure::{Failure, with_causes};
use super::super::install::Site;
use super::super::output::{print, say};
use super::super::typed::Consent;
use crate::approval::visible;
use crate::config::Places;
use crate::install::{self, Agent};
use crate::observe::Environment;
use crate::subcommand::ground::Ground;
use entry::Entry;

/// Status where the person said no.
const NOTHING: u8 = 1;

pub(super) fn run(arguments: &ImportArguments) -> Result<u8, Failure> {
    let environment = if arguments.dry_run {
        Environment::read()
    } else {
        desk::person("bring in rules that allow more")?
    };
    let site = Site::new(false)?;
    let ground = Ground::here();
    let Some(agent) = install::named(&arguments.agent)? else {
        return Err(Failure::new(format!("there is no agent '{}'", arguments.agent)));
    };
    let Some(entries) = read(&agent, &site)? else {
        let why = format!("{} has no list of permissions that is known", agent.title);
        return Err(Failure::new(why));
    };
    let draft = draft::write(&agent, entries)?;
    let path = target(&ground.places, &agent)?;
    let mut text = draft.report(&site);
    if draft.rules == 0 {
        let _ = writeln!(text, "nothing to import");
        print(&text)?;
        return Ok(0);
    }
    let there = std::fs::read_to_string(&path).ok();
    if there.as_deref().is_some_and(|there| there != draft.text) && !arguments.dry_run {
        let shown = site.short(&path);
        return Err(Failure::new(format!("{shown} is there already, and says something else"))
            .hint(format!("look at what would be written with --dry-run, then remove {shown}")));
    }
    if there.is_some() {
        let _ = writeln!(text, "\n{} says so already", site.short(&path));
        print(&text)?;
        return Ok(0);
    }
    let _ = writeln!(text, "\n{} would be:\n\n{}", site.short(&path), visible(&draft.text));
    if arguments.dry_run {
        print(&text)?;
        return Ok(0);
    }
    let consent = Consent::from(arguments.yes);
    if !consent.is_given(&environment, &text, "import", "guarded-sh rules import")? {
        return Ok(NOTHING);
    }
    put(&path, &draft.text)?;
    say(&format!("{} rules in {}\n", draft.rules, site.short(&path)))?;
    Ok(0)
}

/// Where the rules of an agent go.
fn target(places: &Places, agent: &Agent) -> Result<PathBuf, Failure> {
    let settings = places.settings().ok_or_else(|| Failure::new("there is no home directory"))?;
    Ok(settings.join("rules").join(format!("imported-{}.toml", agent.name)))
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::new(format!("cannot write '{}': {error}", path.display()));
    let directory = path.parent().unwrap_or(path);
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
    builder.create(directory).map_err(failed)?;
    install::write(path, text).map_err(|error| Failure::new(with_causes(&error)))
}

/// The entries of all lists of an agent; none if it has none that is known.
fn read(agent: &Agent, site: &Site) -> Result<Option<Vec<Entry>>, Failure> {
    let Some(permissions) = &agent.permissions else { return Ok(None) };
    let words = site.words(agent);
    let mut paths = Vec::new();
    for pattern in &permissions.user {
        expand(&words.fill(pattern), &mut paths);
    }
    for pattern in &permissions.project {
        expand(&words.fill(&format!("{{project}}/{pattern}")), &mut paths);
    }
    let mut entries = Vec::new();
    for path in paths {
        let Some(text) = install::read_text(&path)? else { continue };
        let mut found = match path.extension().and_then(|extension| extension.to_str()) {
            Some("rules") => codex::read(&text),
            Some("toml") => json::policies(&path, &text)?,
            _ => {
                let value = install::read(&path)?.unwrap_or_default();
                json::lists(&agent.name, &value, &words.fill("{project}"))
            }
        };
        for entry in &mut found {
            entry.file.clone_from(&path);
        }
        entries.append(&mut found);
    }
    Ok(Some(entries))
}

/// Puts the files of a pattern of which the last name may have a `*`; our own are left out.
fn expand(pattern: &str, paths: &mut Vec<PathBuf>) {
    let path = Path::new(pattern);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((start, end)) = name.split_once('*') else {
        paths.push(path.to_owned());
        return;
    };
    let entries = path.parent().and_then(|directory| directory.read_dir().ok());
    let mut found: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(start) && name.ends_with(end) && !name.starts_with("guarded-sh")
    });
    found.sort();
    paths.append(&mut found);
}
