//! `trust`: a project's settings and rules, shown to a person and pinned with exactly the content that was shown.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::arguments::TrustArguments;
use super::failure::Failure;
use super::ground::{Ground, directory};
use super::output::{Output, say, short};
use super::sheet::severity_style;
use super::{desk, typed};
use crate::approval::visible;
use crate::config;
use crate::config::trust::{self, Pins, Shown, Trust};
use crate::model::Severity;
use crate::observe;
use crate::pipeline::examples;
use crate::rules::Recommendation;

/// Status where nothing was done: there is nothing to trust, or the person said no.
const NOTHING: u8 = 1;
/// What a person types to say yes.
const YES: &str = "trust";

pub(super) fn run(arguments: &TrustArguments) -> Result<u8, Failure> {
    if arguments.list {
        return list();
    }
    let start = match &arguments.directory {
        Some(path) => directory(path)?,
        None => observe::working_directory()
            .ok_or_else(|| Failure::new("the working directory is gone"))?,
    };
    let ground = Ground::at(Some(start.clone()));
    if arguments.remove {
        return remove(&ground, &start);
    }
    let (project, files) = match &arguments.directory {
        Some(_) => (PathBuf::from(&start), config::project_files(Path::new(&start))?),
        None => nearest(&ground, Path::new(&start))?,
    };
    if files.is_empty() {
        let place = short(&project.to_string_lossy(), ground.home());
        say(&visible(&format!("{place} has no settings or rules to trust\n")))?;
        return Ok(NOTHING);
    }
    pin(&ground, &project, &files)
}

/// The nearest directory that has files to trust, from here up to the root of the workspace; else this one.
fn nearest(ground: &Ground, start: &Path) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let root = ground.facts.workspaces.first().map(Path::new);
    for directory in start.ancestors() {
        let files = config::project_files(directory)?;
        if !files.is_empty() {
            return Ok((directory.to_owned(), files));
        }
        if root.is_none_or(|root| root == directory) {
            break;
        }
    }
    Ok((start.to_owned(), Vec::new()))
}

fn pin(ground: &Ground, project: &Path, files: &[PathBuf]) -> Result<u8, Failure> {
    let uid = ground.request().uid;
    let name = short(&project.to_string_lossy(), ground.home());
    let status = trust::status(&ground.places, uid, files)?;
    let output = Output::new();
    if status.iter().all(|(_, trust)| *trust == Trust::Pinned) {
        say(&visible(&format!("{name} is trusted as it is\n")))?;
        return Ok(0);
    }
    // Before anything is shown: who cannot answer need not read it.
    let mut person = desk::at_terminal(&ground.environment, "trust a project")
        .map_err(|no| no.hint(format!("ask the person to run `guarded-sh trust` in {name}")))?;
    let shown = trust::read(files)?;
    let page = page(ground, project, &shown, output)?;
    person.write_all(page.as_bytes())?;
    if !typed::types(
        person,
        YES,
        &format!("Type `{YES}` to trust this, anything else to leave it: "),
    )? {
        say("not trusted; nothing was changed\n")?;
        return Ok(NOTHING);
    }
    if trust::read(files)? != shown {
        return Err(Failure::new(
            "the files were changed while they were shown; nothing is trusted",
        ));
    }
    let count = trust::pin_shown(&ground.places, uid, &shown)?;
    let s = if count == 1 { "" } else { "s" };
    say(&visible(&format!("{name}: {count} file{s} trusted, until changed\n")))?;
    Ok(0)
}

fn page(
    ground: &Ground,
    project: &Path,
    shown: &[Shown],
    output: Output,
) -> Result<String, Failure> {
    let mut text = String::new();
    for file in shown {
        let path = file.path.strip_prefix(project).unwrap_or(&file.path).to_string_lossy();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", output.bold(&visible(&path)));
        for (number, line) in file.content.lines().enumerate() {
            let number = output.dim(&format!("{:>5} ", number + 1));
            let _ = writeln!(text, "{number} {}", visible(line));
        }
        text.push('\n');
    }
    let loosened = loosened(ground, shown)?;
    let name = visible(&short(&project.to_string_lossy(), ground.home())).into_owned();
    if loosened.is_empty() {
        let _ = writeln!(text, "Trusting {name} loosens nothing: all of it is only stricter.");
        return Ok(text);
    }
    let _ = writeln!(text, "Trusting {name} would loosen:");
    for what in loosened {
        let bullet = output.colour.paint(severity_style(Severity::High), "-");
        let _ = writeln!(text, "  {bullet} {}", visible(&what));
    }
    Ok(text)
}

/// What is in force once these files are trusted, and is not before.
fn loosened(ground: &Ground, shown: &[Shown]) -> Result<Vec<String>, Failure> {
    let paths: Vec<PathBuf> = shown.iter().map(|file| file.path.clone()).collect();
    let before = config::load_settings(&ground.request(), &[])?;
    let after = config::load_settings(&ground.request(), &paths)?;
    let changed = config::changed(&before, &after);
    let mut all: Vec<String> = changed
        .map(|(was, is)| {
            let (was, value) = (config::told(&was.value), config::told(&is.value));
            format!("{}: {value} instead of {was}", is.name)
        })
        .collect();
    let files: Vec<PathBuf> =
        paths.into_iter().filter(|path| !path.ends_with(config::PROJECT_SETTINGS)).collect();
    let (packs, errors) = config::lint(&files, &examples::check);
    if let Some(error) = errors.into_iter().next() {
        return Err(Failure::Broken(error));
    }
    all.extend(packs.iter().flat_map(|(pack, _)| &pack.rules).filter_map(|rule| {
        let rule = &rule.rule;
        let does = match rule.recommend {
            Recommendation::Allow => "allows",
            Recommendation::Approve => "settles",
            Recommendation::None | Recommendation::Reject | Recommendation::Deny => return None,
        };
        let (id, severity, reason) = (&rule.id, rule.severity.name(), &rule.reason);
        Some(format!("rule {id} {does} commands up to {severity}: {reason}"))
    }));
    Ok(all)
}

fn remove(ground: &Ground, start: &str) -> Result<u8, Failure> {
    let uid = ground.request().uid;
    let pins = Pins::read(&ground.places, uid)?;
    // Also files that are gone, or were never read again.
    let below = |directory: &Path| {
        let settings = directory.join(config::PROJECT_SETTINGS);
        let rules = directory.join(config::PROJECT_RULES);
        let is_here =
            |path: &&str| Path::new(path) == settings || Path::new(path).starts_with(&rules);
        pins.paths().filter(is_here).map(PathBuf::from).collect::<Vec<_>>()
    };
    let root = ground.facts.workspaces.first().map(Path::new);
    let start = Path::new(start);
    let mut files = below(start);
    for directory in start.ancestors().skip(1) {
        if !files.is_empty() || root.is_none_or(|root| !directory.starts_with(root)) {
            break;
        }
        files = below(directory);
    }
    let count = trust::unpin(&ground.places, uid, &files)?;
    let name = short(&start.to_string_lossy(), ground.home());
    let (text, status) = match count {
        0 => (format!("{name} was not trusted\n"), NOTHING),
        1 => (format!("{name}: 1 file is trusted no more\n"), 0),
        _ => (format!("{name}: {count} files are trusted no more\n"), 0),
    };
    say(&visible(&text))?;
    Ok(status)
}

fn list() -> Result<u8, Failure> {
    let ground = Ground::here();
    let uid = ground.request().uid;
    let pins = Pins::read(&ground.places, uid)?;
    let output = Output::new();
    let mut text = String::new();
    for path in pins.paths() {
        let state = match trust::status(&ground.places, uid, &[PathBuf::from(path)]) {
            Ok(status) => match status.first() {
                Some((_, Trust::Pinned)) => "trusted",
                Some((_, Trust::Changed)) => "changed",
                Some((_, Trust::Unknown)) | None => "gone",
            },
            Err(_) => "unreadable",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{state:<10}  {}", visible(&short(path, ground.home())));
    }
    if text.is_empty() {
        text = format!("{}\n", output.dim("no project is trusted"));
    }
    say(&text)?;
    Ok(0)
}
