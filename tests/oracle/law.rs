//! The law: what was executed and changed was foreseen. Compares what one row did with the verdict about it.
//!
//! A verdict with an opaque part promises nothing, and so does one that names a variable by which other code runs (`PATH`,
//! `BASH_ENV`). Without these:
//! 1. every program that was executed is planned, with the words that it really got;
//! 2. every file that was written, made or deleted outside of a temporary directory is among the effects;
//! 3. where a word or path was not known to the verdict, the line is not Low, or would be Low with what it really was.
//!
//! What a program runs of its own is not looked into where the verdict says that it cannot be known: a program that the
//! catalog does not know, a file of the workspace that is executed, a build. And not where it is git that speaks to another
//! machine as it always does: that it fetches or sends is what is said of git itself.
//!
//! What the owner's start-up files do is the owner's: the rows have none, but those that they write.

use std::collections::BTreeSet;

use guarded_sh::model::{Arg, Effect, EffectKind, PathClass, Severity, Target};
use guarded_sh::paths::{absolute, is_below};
use guarded_sh::pipeline::Judgement;
use guarded_sh::reading::PlannedCommand;

use crate::observed::{Change, ChangeKind, Execution, Observed};

/// Where a bare name may lead: `PATH` as the rows have it.
const PROGRAMS: &[&str] =
    &["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// How surely something was foreseen. Ordered: the best that any part of the plan says counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Foreseen {
    Not,
    /// Something that was not known may have been this.
    Perhaps,
    Exactly,
}

/// Returns what the row did that was not foreseen, in words. `judged` is asked how severe a line is in the row's world.
pub fn violations(
    observed: &Observed,
    judgement: &Judgement,
    judged: impl Fn(&str) -> Severity,
) -> Vec<String> {
    let severity = judgement.assessment.severity;
    let commands = &judgement.plan.commands;
    let admits = severity > Severity::Low && commands.iter().any(says_that_it_is_not_known);
    if admits || !judgement.plan.opaque.is_empty() {
        return Vec::new();
    }
    let mut wrong = BTreeSet::new();
    // For each execution, whether what it does of its own is not looked into.
    let mut closed: Vec<bool> = Vec::new();
    for execution in &observed.executions {
        if execution
            .by
            .is_some_and(|by| closed[by] || is_helper(execution, &observed.executions[by]))
            || is_transport(execution, TransportWords::OnlyOwn, &observed.executions)
        {
            closed.push(true);
            continue;
        }
        if execution.by.is_some_and(|by| runs_shell_text(execution, &observed.executions[by])) {
            closed.push(false);
            continue;
        }
        let planned = commands.iter().map(|command| (command, foreseen(execution, command)));
        let planned: Vec<_> = planned.filter(|(_, how)| *how != Foreseen::Not).collect();
        let best = planned.iter().map(|(_, how)| *how).max().unwrap_or(Foreseen::Not);
        let shown = shell_words::join(&execution.argv);
        match best {
            Foreseen::Not => {
                wrong.insert(format!("executed {} as: {shown}", execution.path));
            }
            // Alone, it would not be seen that the line made what this deletes.
            Foreseen::Perhaps
                if severity == Severity::Low
                    && !planned.iter().any(|(command, _)| deletes_its_own(command))
                    && !is_transport(execution, TransportWords::Any, &observed.executions)
                    && judged(&plain(execution)) > Severity::Low =>
            {
                wrong.insert(format!("is low, yet executed what is not: {shown}"));
            }
            Foreseen::Perhaps | Foreseen::Exactly => {}
        }
        // Of those that fit equally well, the one that says least.
        let mut best = planned.iter().filter(|(_, how)| *how == best);
        let is_open = best.any(|(command, _)| runs_what_is_not_known(command));
        closed.push(is_open || is_script_of_the_system(&execution.path));
    }
    for change in &observed.changes {
        if is_nothing(&change.path) || change.by.is_some_and(|by| closed[by]) {
            continue;
        }
        let effects = commands.iter().flat_map(|command| &command.effects);
        let by = change.by.map(|by| shell_words::join(&observed.executions[by].argv));
        let by = by.map_or("the shell".to_owned(), |by| format!("'{by}'"));
        match effects.map(|effect| covers(effect, change)).max().unwrap_or(Foreseen::Not) {
            Foreseen::Not => {
                wrong.insert(format!("{:?} {} by {by}", change.kind, change.path));
            }
            Foreseen::Perhaps if severity == Severity::Low => {
                wrong.insert(format!("is low, yet {:?} {} by {by}", change.kind, change.path));
            }
            Foreseen::Perhaps | Foreseen::Exactly => {}
        }
    }
    wrong.into_iter().collect()
}

/// Whether a program was the one that a command stands for, with the words that it was said to get.
fn foreseen(execution: &Execution, command: &PlannedCommand) -> Foreseen {
    let Some((name, words)) = command.argv.split_first() else { return Foreseen::Not };
    let Some((own_name, own_words)) = execution.argv.split_first() else { return Foreseen::Not };
    let Some(name) = name.known() else {
        // Which program it is was not known, so nothing of it was.
        return Foreseen::Perhaps;
    };
    let leads_there = match execution.path.rsplit_once('/') {
        _ if name.contains('/') => absolute(&execution.cwd, name) == execution.path,
        Some((directory, file)) => PROGRAMS.contains(&directory) && file == name,
        None => false,
    };
    // `exec -a` gives a program another name; nothing else may.
    let is_renamed = command.via.iter().any(|carrier| carrier == "exec");
    // git calls programs that it starts by where they are: which one it is is said the same.
    let is_full = *own_name == execution.path;
    if leads_there && (own_name == name || is_renamed || is_full) {
        fits(words, own_words, &execution.cwd)
    } else {
        Foreseen::Not
    }
}

/// A line that does what an execution did: by the program's own name, whatever `exec -a` called it, and with an input that holds
/// nothing for `xargs` to run more with.
fn plain(execution: &Execution) -> String {
    let name = execution.path.rsplit_once('/').map_or("", |(_, name)| name);
    let own = execution.argv.first().map_or("", String::as_str);
    let first = if own.ends_with(name) { own } else { name };
    let words = execution.argv.iter().skip(1).map(String::as_str);
    let line = shell_words::join(std::iter::once(first).chain(words));
    if name == "xargs" { format!("{line} <<< p") } else { line }
}

/// Whether words are what was said of them. `cwd` is where the program ran.
fn fits(words: &[Arg], own: &[String], cwd: &str) -> Foreseen {
    let Some((word, words)) = words.split_first() else {
        return if own.is_empty() { Foreseen::Exactly } else { Foreseen::Not };
    };
    let one = |matches: bool| match own.split_first() {
        Some((_, rest)) if matches => fits(words, rest, cwd),
        _ => Foreseen::Not,
    };
    let first = own.first().map(String::as_str);
    match word {
        Arg::Known(text) => one(first.is_some_and(|own| own == text || piped(own) == piped(text))),
        Arg::Unknown => one(true).min(Foreseen::Perhaps),
        Arg::Prefix(text) => one(first.is_some_and(|own| piped(own).starts_with(&piped(text))))
            .min(Foreseen::Perhaps),
        Arg::Glob(pattern) => {
            let pattern = &piped(pattern).replace("/dev/fd/[-0-9]*", "/dev/fd/*");
            // What `find -execdir` finds is planned by its whole path, and called by the name that it has where the program runs.
            let is_called = |own: &str| {
                pattern.starts_with('/')
                    && own.starts_with("./")
                    && stands_for(pattern, &absolute(cwd, own))
            };
            let is_one = |own: &&String| stands_for(pattern, &piped(own)) || is_called(own);
            let all = own.iter().take_while(is_one).count();
            // A command that lists names may list none.
            let least = usize::from(!pattern.contains("**"));
            let how = (least..=all).map(|count| fits(words, &own[count..], cwd)).max();
            how.unwrap_or(Foreseen::Not).min(Foreseen::Perhaps)
        }
        Arg::Many => {
            let how = (0..=own.len()).map(|count| fits(words, &own[count..], cwd)).max();
            how.unwrap_or(Foreseen::Not).min(Foreseen::Perhaps)
        }
    }
}

/// A word without the numbers of the pipes that `<(…)` becomes: they are the shell's own choice, and so is one of two names.
fn piped(word: &str) -> String {
    let word = word.replace("/proc/self/fd/", "/dev/fd/");
    let mut pieces = word.split("/dev/fd/");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |word, piece| {
        word + "/dev/fd/" + piece.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// Whether a pattern may stand for a word: it fits the text, or the path that the text is. What a listing prints is written as
/// a path below where it lists. A word with a dash in front may be an option, which no path is.
fn stands_for(pattern: &str, word: &str) -> bool {
    let (path, file) = (absolute("/", pattern), absolute("/", word));
    // Of `NAME=path` the path is compared.
    if let (Some((name, pattern)), Some((own_name, word))) =
        (pattern.split_once('='), word.split_once('='))
        && name == own_name
        && !name.contains('/')
    {
        return stands_for(pattern, word);
    }
    is_like(pattern, word)
        || (word.is_empty() && is_printed(pattern))
        || (!word.starts_with('-')
            && (is_like(&path, &file)
                || path.strip_suffix("/**") == Some(file.trim_end_matches('/'))))
}

/// Whether a pattern is what a command prints, which may be nothing.
fn is_printed(pattern: &str) -> bool {
    pattern.contains("**") || !pattern.contains(['*', '?', '['])
}

/// Whether a pattern fits a text: it is the pattern itself, or fits it. Extended patterns are only compared as far as
/// they are plain.
fn is_like(pattern: &str, word: &str) -> bool {
    // What else the matcher takes for a pattern is none to a shell.
    let plain = |text: &str| text.replace(['{', '}', '\\'], "_");
    if pattern == word || fast_glob::glob_match(plain(pattern), plain(word)) {
        return true;
    }
    // What is below a place is told with the place.
    if pattern.strip_suffix("/**").is_some_and(|above| !above.is_empty() && is_like(above, word)) {
        return true;
    }
    let extended = ["?(", "*(", "+(", "@(", "!("].iter().any(|open| pattern.contains(open));
    let plain = pattern.find(['?', '*', '+', '@', '!', '[']).unwrap_or(0);
    extended && word.starts_with(&pattern[..plain])
}

/// Whether a verdict says of a command that what it runs or does is not known.
fn runs_what_is_not_known(command: &PlannedCommand) -> bool {
    let opens = |effect: &Effect| {
        matches!(effect.kind, EffectKind::Execute | EffectKind::Build | EffectKind::Install)
    };
    !command.unknown.is_empty() || command.effects.iter().any(opens)
}

/// Whether a variable makes a command, or those behind it, run what is not known. Splitting by another `IFS` is read none the less.
fn says_that_it_is_not_known(command: &PlannedCommand) -> bool {
    let names = command.environment.iter().map(|(name, _)| name.as_str());
    let words = command.argv.iter().skip(1).map(Arg::prefix);
    let about_splitting = names.chain(words).any(|name| name.split('=').next() == Some("IFS"));
    let of_unknown_code = |effect: &Effect| match (&effect.kind, &effect.target) {
        (EffectKind::Execute, Target::Path { class, .. }) => *class == PathClass::Unknown,
        (EffectKind::Unknown, _) => true,
        _ => false,
    };
    !about_splitting && command.effects.iter().any(of_unknown_code)
}

/// Whether a program starts the shell for text that it was given, as `system(3)` does: what the text runs is looked at itself.
fn runs_shell_text(execution: &Execution, by: &Execution) -> bool {
    let is_shell = |path: &str| ["/sh", "/dash", "/bash"].iter().any(|end| path.ends_with(end));
    let words: Vec<&str> = execution.argv.iter().map(String::as_str).collect();
    is_shell(&execution.path)
        && !is_shell(&by.path)
        && (matches!(words[..], ["sh" | "/bin/sh", "-c", _] | ["sh", "-c", "--", _])
            || matches!(words[..], ["sh" | "/bin/sh", "-c", text, name] if text == name))
}

/// Whether git runs a part of itself, which lies where `PATH` does not lead.
fn is_helper(execution: &Execution, by: &Execution) -> bool {
    let (place, name) = execution.path.rsplit_once('/').unwrap_or_default();
    let of_git = by.path.ends_with("/git") || by.argv.iter().any(|word| word.starts_with("git-"));
    of_git && name.starts_with("git") && place.ends_with("/git-core") && !PROGRAMS.contains(&place)
}

/// Which words of ssh stand in front of those by which git asks for its own protocol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransportWords {
    /// Those that git puts there by itself.
    OnlyOwn,
    Any,
}

/// Whether git, or a shell of git's, calls ssh as git does: the last word is what is to be run on the other machine.
fn is_transport(execution: &Execution, words: TransportWords, all: &[Execution]) -> bool {
    const SERVICES: [&str; 3] = ["git-upload-pack '", "git-receive-pack '", "git-upload-archive '"];
    let by = |execution: &Execution| execution.by.and_then(|by| all.get(by));
    let is_git = |execution: &Execution| execution.path.ends_with("/git");
    let caller = by(execution);
    if !caller.is_some_and(|caller| is_git(caller) || by(caller).is_some_and(is_git)) {
        return false;
    }
    let Some((service, words_before)) = execution.argv.split_last() else { return false };
    let is_ssh = execution.path.ends_with("/ssh") && words_before.len() >= 2;
    let Some((_, options)) = words_before.get(1..).and_then(<[String]>::split_last) else {
        return false;
    };
    let is_own =
        |word: &String| matches!(word.as_str(), "-o" | "SendEnv=GIT_PROTOCOL" | "-4" | "-6");
    is_ssh
        && SERVICES.iter().any(|name| service.starts_with(name))
        && (words == TransportWords::Any || options.iter().all(is_own))
}

/// Whether one of the system's programs is a script: what it runs of its own is as much its own as what others do in one process.
fn is_script_of_the_system(path: &str) -> bool {
    let of_system = path.rsplit_once('/').is_some_and(|(place, _)| PROGRAMS.contains(&place));
    of_system && std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!"))
}

/// Paths at which nothing is kept, and temporary directories.
fn is_nothing(path: &str) -> bool {
    !path.starts_with('/')
        || is_below(path, "/tmp")
        || is_below(path, "/proc")
        || is_below(path, "/dev")
}

/// Whether an effect says that a file would be changed in this way.
fn covers(effect: &Effect, change: &Change) -> Foreseen {
    use EffectKind::{Append, Commit, Configure, Delete, DeleteTree, Fetch, LoseWork, Move};
    use EffectKind::{Permission, PermissionTree, Publish, RewriteShared, Write};
    // What version control keeps is not named file by file, and neither is the work that it throws away.
    match effect.kind {
        LoseWork => return Foreseen::Exactly,
        Commit | Configure | Fetch | Publish | RewriteShared if change.path.contains("/.git/") => {
            return Foreseen::Exactly;
        }
        _ => {}
    }
    let fits = match change.kind {
        // What is emptied is deleted, to a verdict.
        ChangeKind::Written => matches!(effect.kind, Write | Append | Delete | DeleteTree),
        ChangeKind::Directory => matches!(effect.kind, Write | Append),
        ChangeKind::Deleted if is_journal(&change.path) => matches!(effect.kind, Write | Append),
        ChangeKind::Deleted => matches!(effect.kind, Delete | DeleteTree | Move),
        ChangeKind::Permission => {
            matches!(effect.kind, Write | Append | Permission | PermissionTree)
        }
    };
    let Target::Path { path, .. } = &effect.target else { return Foreseen::Not };
    if !fits {
        return Foreseen::Not;
    }
    let Some(target) = path else { return Foreseen::Perhaps };
    let is_pattern = target.contains(['*', '?', '[']);
    // `mkdir -p a/b` makes `a` too, and what is copied to a directory is below it. A database keeps its journal beside it.
    let file = JOURNALS.iter().find_map(|end| change.path.strip_suffix(end));
    if is_below(&change.path, target)
        || file == Some(target.as_str())
        || (change.kind == ChangeKind::Directory && is_below(target, &change.path))
        || is_number_of_a_pipe(target, &change.path)
        || (is_pattern && reaches(target, &change.path))
    {
        Foreseen::Exactly
    } else {
        Foreseen::Not
    }
}

/// Whether a link is called by the number of the pipe that `<(…)` became, which is bash's own choice as in words.
fn is_number_of_a_pipe(target: &str, path: &str) -> bool {
    let (Some((place, "63")), Some((other, number))) =
        (target.rsplit_once('/'), path.rsplit_once('/'))
    else {
        return false;
    };
    place == other && matches!(number.parse(), Ok(10..=63_u8))
}

/// What a database writes beside itself while it is changed.
const JOURNALS: &[&str] = &["-journal", "-wal", "-shm"];

fn is_journal(path: &str) -> bool {
    JOURNALS.iter().any(|end| path.ends_with(end))
}

/// Whether a pattern reaches a path, or a directory above it.
fn reaches(pattern: &str, path: &str) -> bool {
    let mut above = Some(path);
    while let Some(path) = above {
        if is_like(pattern, path) {
            return true;
        }
        above = path.rsplit_once('/').map(|(directory, _)| directory);
    }
    false
}

/// Whether a command deletes what the line made.
fn deletes_its_own(command: &PlannedCommand) -> bool {
    command
        .effects
        .iter()
        .any(|effect| matches!(&effect.target, Target::Path { class: PathClass::Made, .. }))
}
