//! The files that agents tell their models by name: skills, commands, and what describes a helper. What a model does then comes as calls of its
//! own, but some clients run the commands that stand in such a file (`!`…``) before it is told, attach the files that it mentions (`@path`), or
//! take hooks and servers from it: these are what is judged.

use std::fs;

use super::head::Head;
use crate::config::McpSettings;
use crate::hooks::{Deed, Named, Prompt, mentioned};
use crate::model::{Entry, EntryKind, Facts};
use crate::observe::Scripts;
use crate::paths;

/// How deep below their directory files describe helpers.
const DEEP: usize = 4;
/// Files that describe helpers beyond these are not read.
const HELPERS: usize = 256;
/// Words of arguments with marks beyond these are not looked at.
const WORDS: usize = 64;
/// What names have beside letters and digits, as clients read them.
const NAMES: [&str; 2] = ["_", "_-.:"];
/// How often what a substitution leaves is substituted again.
const ROUNDS: usize = 8;
/// How often a file may name another one that is told with it.
const LEVELS: usize = 4;

/// What a client does by itself when a file is told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The commands that it runs, as lines of a shell.
    pub(super) lines: String,
    /// What else it does.
    pub(super) deeds: Vec<Deed>,
}

/// Returns what a client does when it tells a file; or why that is not known.
pub(super) fn told(prompt: &Prompt, facts: &Facts, settings: &McpSettings) -> Result<Told, String> {
    let reader = Reader { prompt, facts, settings, scripts: Scripts::default() };
    match prompt.named {
        Named::Helper => {
            reader.helper(&prompt.name, LEVELS)?;
            Ok(Told::default())
        }
        Named::File => reader.file(&prompt.name, &prompt.arguments, LEVELS),
    }
}

/// Bytes of the name of a file at most (limits.h, `NAME_MAX`).
const LONGEST: usize = 255;

/// Reads the files that one call names.
struct Reader<'a> {
    prompt: &'a Prompt,
    facts: &'a Facts,
    settings: &'a McpSettings,
    scripts: Scripts,
}

impl Reader<'_> {
    /// Returns what a client does when it tells the file of this name.
    fn file(&self, name: &str, arguments: &str, levels: usize) -> Result<Told, String> {
        let Self { prompt, facts, settings, scripts } = self;
        let levels = levels.checked_sub(1).ok_or("files name one another without end")?;
        if let Some(longer) = self.longer(name) {
            return Err(format!("it may be '{longer}' that is named, or the first words of it"));
        }
        let (name, arguments) = named(name, arguments)?;
        let mut lines = Vec::new();
        let fills = fills(arguments);
        let mut deeds: Vec<Deed> = Vec::new();
        let mut mention = |text: &str| {
            for deed in mentions(prompt, text, settings) {
                if !deeds.contains(&deed) {
                    deeds.push(deed);
                }
            }
        };
        for fill in &fills {
            mention(fill);
        }
        let mut is_found = false;
        let named = prompt.files.iter().flat_map(|file| places(file, name, facts));
        let called = prompt.files.iter().flat_map(|file| self.called(file, &[name]));
        for path in named.chain(called) {
            // Which of several a client takes is its own affair.
            if fs::symlink_metadata(&path).is_err() {
                continue;
            }
            let text = scripts.text(&path).ok_or_else(|| format!("'{path}' cannot be read"))?;
            is_found = true;
            let head = Head::read(&text)
                .ok_or_else(|| format!("what stands before '{path}' is not clear"))?;
            if let Some(key) = head.brings() {
                return Err(format!("'{path}' brings {key} of its own"));
            }
            if let Some(agent) = head.text("agent") {
                self.helper(agent, levels)?;
            }
            if is_completed(&text, arguments) {
                return Err(format!("which commands '{path}' runs depends on what is put into it"));
            }
            let directory = path.rsplit_once('/').map_or("/", |(directory, _)| directory);
            for command in inline(&text) {
                lines.push(filled(command, arguments, directory, &head).ok_or_else(|| {
                    format!("what `{command}` in '{path}' runs depends on what it is given")
                })?);
            }
            mention(&text);
            if fills.len() == WORDS && text.contains("@$") {
                return Err(format!("which files '{path}' attaches depends on what it is given"));
            }
            let may_mention =
                |fill: &&String| text.contains('$') && (text.contains('@') || fill.contains('@'));
            for (fill, names) in
                fills.iter().filter(may_mention).flat_map(|fill| NAMES.map(|names| (fill, names)))
            {
                mention(&with_pieces(&text, fill, names));
            }
        }
        if !is_found && !prompt.bundled.contains(&name) {
            return Err(format!("'{name}' is a skill or command whose file is not known"));
        }
        Ok(Told { lines: lines.join("\n"), deeds })
    }

    /// Returns a name with blanks of which there is a file, where a call with words behind the name may as well mean that.
    fn longer<'n>(&self, call: &'n str) -> Option<&'n str> {
        let call = call.trim();
        let call = call.strip_prefix('/').unwrap_or(call);
        let ends = call.match_indices(char::is_whitespace).map(|(at, _)| at).skip(1);
        let ends = ends.chain([call.len()]).take_while(|end| *end <= LONGEST);
        let names = ends.map(|end| &call[..end]).filter(|it| it.contains(char::is_whitespace));
        let names: Vec<&str> = names.collect();
        let files = || self.prompt.files.iter();
        let is_there = |name: &&&str| {
            let mut places = files().flat_map(|file| places(file, name, self.facts));
            places.any(|path| fs::symlink_metadata(path).is_ok())
        };
        let found = names.iter().find(is_there).copied();
        // The heads of all files are read once, whatever the number of names.
        let is_called = || files().any(|file| !self.called(file, &names).is_empty());
        found.or_else(|| (!names.is_empty() && is_called()).then_some(call))
    }

    /// Returns the files of a directory that call themselves by one of these names in their heads: some clients find them by that.
    fn called(&self, file: &str, names: &[&str]) -> Vec<String> {
        let Some((above, below)) = file.split_once("/{name}/") else { return Vec::new() };
        let is_called = |path: &String| {
            let Some(text) = self.scripts.text(path) else { return false };
            match Head::read(&text) {
                Some(head) => head
                    .text("name")
                    .is_some_and(|own| names.iter().any(|name| letters(own) == letters(name))),
                None => names.iter().any(|name| text.contains(name)),
            }
        };
        let mut found = Vec::new();
        for directory in places(above, "", self.facts) {
            let entries = self.scripts.fitting(&directory, &|_| true).unwrap_or_default();
            let is_other = |entry: &Entry| !names.contains(&entry.name.as_str());
            let files = entries.into_iter().take(HELPERS).filter(is_other);
            let paths = files.map(|entry| format!("{directory}/{}/{below}", entry.name));
            found.extend(paths.filter(is_called));
        }
        found
    }

    /// Looks whether files that describe a helper of this name, or whose name is not clear, make their client run commands.
    fn helper(&self, name: &str, levels: usize) -> Result<(), String> {
        let Self { prompt, facts, scripts, .. } = self;
        let mut open: Vec<(String, usize)> = prompt
            .helpers
            .iter()
            .flat_map(|directory| places(directory, "", facts))
            .map(|directory| (directory, 0))
            .collect();
        let mut read = 0;
        while let Some((directory, depth)) = open.pop() {
            let too_many = || format!("'{directory}' holds more helpers than are looked at");
            for entry in scripts.fitting(&directory, &|_| true).ok_or_else(too_many)? {
                let path = format!("{directory}/{}", entry.name);
                if entry.kind != EntryKind::Other && Scripts::is_directory(&path) {
                    if depth == DEEP {
                        return Err(too_many());
                    }
                    open.push((path, depth + 1));
                    continue;
                }
                let Some(stem) = entry.name.strip_suffix(".md") else { continue };
                let stem = stem.strip_suffix(".agent").unwrap_or(stem);
                read += 1;
                if read > HELPERS {
                    return Err(too_many());
                }
                let text = scripts.text(&path).ok_or_else(|| format!("'{path}' cannot be read"))?;
                let head = Head::read(&text);
                let is_named = |own: &str| name.is_empty() || letters(own) == letters(name);
                let Some(head) = head else {
                    if is_named(stem) || text.contains(name) {
                        return Err(format!("what stands before '{path}' is not clear"));
                    }
                    continue;
                };
                if !is_named(stem) && !head.text("name").is_some_and(is_named) {
                    continue;
                }
                if let Some(key) = head.brings() {
                    return Err(format!("'{path}' brings {key} of its own"));
                }
                // They are told with it, and no call of a tool says so.
                for skill in head.names("skills") {
                    if self.file(skill, "", levels)? != Told::default() {
                        return Err(format!(
                            "'{path}' brings the skill '{skill}', which does more than tell"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

fn mentions(prompt: &Prompt, text: &str, settings: &McpSettings) -> Vec<Deed> {
    mentioned(text, prompt.attaches, &[], settings)
}

/// A name as clients compare it at their most lenient.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name, and the words behind it.
fn named<'a>(name: &'a str, arguments: &'a str) -> Result<(&'a str, &'a str), String> {
    let text = name.trim();
    let (name, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let name = name.strip_prefix('/').unwrap_or(name);
    let is_plain = |c: char| c.is_alphanumeric() || "-_:.".contains(c);
    if name.is_empty()
        || name.starts_with('.')
        || name.contains("..")
        || !name.chars().all(is_plain)
    {
        return Err("a skill or command is named that is not clear".to_owned());
    }
    Ok((name, if arguments.is_empty() { words } else { arguments }))
}

/// Where a file may be: below the home, or in the working directory and those above it in the workspace.
fn places(file: &str, name: &str, facts: &Facts) -> Vec<String> {
    // Commands in directories have `:` between.
    let file = file.replace("{name}", &name.replace(':', "/"));
    if let Some(below) = file.strip_prefix("~/") {
        return facts.home.iter().map(|home| paths::absolute(home, below)).collect();
    }
    let Some(cwd) = facts.cwd.as_deref() else { return Vec::new() };
    let roots = facts.workspaces.iter().filter(|root| paths::is_below(cwd, root));
    let root = roots.min_by_key(|root| root.len()).map_or(cwd, String::as_str);
    let mut places = Vec::new();
    let mut directory = cwd;
    loop {
        places.push(paths::absolute(directory, &file));
        match directory.rsplit_once('/') {
            Some((above, _)) if directory != root && !above.is_empty() => directory = above,
            _ => return places,
        }
    }
}

/// What stands in !`…`, and in blocks that begin with ```!.
fn inline(text: &str) -> Vec<&str> {
    let between = |start: &'static str, end: &'static str| {
        text.match_indices(start).filter_map(move |(at, _)| {
            let rest = &text[at + start.len()..];
            Some(rest[..rest.find(end)?].trim())
        })
    };
    between("!`", "`").chain(between("```!", "```")).filter(|command| !command.is_empty()).collect()
}

/// Whether what is put into a text may make a command of what is none, or another one: a piece that stays empty joins what is around it, and
/// what is put there may bring the marks itself.
fn is_completed(text: &str, arguments: &str) -> bool {
    let has_marks = arguments.contains(['!', '`']);
    if has_marks && puts_words(text) {
        return true;
    }
    let mut fills = vec![""];
    if has_marks {
        fills.push(arguments);
        fills.extend(arguments.split_whitespace());
    }
    if !inline(arguments).is_empty() || fills.len() > WORDS {
        return true;
    }
    let is_changed = |text: &str, fill: &str| {
        NAMES.iter().any(|names| {
            let put = |text: &str| with_pieces(text, fill, names);
            let commands: Vec<String> = inline(text).into_iter().map(put).collect();
            let commands = commands.iter().map(|command| command.trim());
            !inline(&put(text)).into_iter().eq(commands.filter(|command| !command.is_empty()))
        })
    };
    if fills.iter().any(|fill| is_changed(text, fill)) {
        return true;
    }
    let mut left = text.to_owned();
    for _ in 0..ROUNDS {
        let shorter = with_pieces(&left, "", NAMES[0]);
        if shorter == left {
            return false;
        }
        if is_changed(&shorter, "") {
            return true;
        }
        left = shorter;
    }
    true
}

/// Returns what a client may put in the place of one piece: the arguments, or a word of them, as it stands, as a shell splits and unquotes it, or
/// without its quotes; so many at most.
fn fills(arguments: &str) -> Vec<String> {
    let bare = arguments.replace(['"', '\'', '\\'], "");
    let words = arguments.split_whitespace().chain(bare.split_whitespace()).map(str::to_owned);
    // What a shell does not take is split at its blanks.
    let split = shell_words::split(arguments).unwrap_or_default();
    let mut fills = vec![arguments.to_owned()];
    for fill in split.into_iter().chain(words) {
        if fills.len() < WORDS && !fills.contains(&fill) {
            fills.push(fill);
        }
    }
    fills
}

/// Returns whether a client puts single words of the arguments into a text: which ones, and what their quotes leave of them, is its affair.
fn puts_words(text: &str) -> bool {
    let text = text.replace("$ARGUMENTS[", "$0[").replace("$ARGUMENTS", "");
    with_pieces(&text, "", NAMES[0]) != text
}

/// A text with this in place of each piece that a client may put something for: `$ARGUMENTS`, `$1`, `$name`, `${NAME}`, `$ARGUMENTS[0]`.
fn with_pieces(text: &str, fill: &str, names: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || names.contains(c);
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let behind = &rest[at + 1..];
        let named = behind.find(|c: char| !is_name(c)).unwrap_or(behind.len());
        let length = match behind.strip_prefix('{').and_then(|inside| inside.find(['}', '\n'])) {
            Some(end) => end + 2,
            None => named,
        };
        let index = behind[length..].strip_prefix('[').and_then(|inside| inside.find([']', '\n']));
        let end = at + 1 + length + index.filter(|_| length > 0).map_or(0, |end| end + 2);
        let before = &rest[..at];
        if length == 0 {
            whole.push_str(&rest[..=at]);
        } else {
            whole.push_str(before.strip_suffix('\\').unwrap_or(before));
            whole.push_str(fill);
        }
        rest = &rest[end..];
    }
    whole + rest
}

/// A command with what the client puts into it; none where that is not followed.
fn filled(command: &str, arguments: &str, directory: &str, head: &Head) -> Option<String> {
    let text = command.replace("${CLAUDE_SKILL_DIR}", directory);
    let is_one = |(at, _): (usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
            || text[at..].starts_with("$ARGUMENTS[")
            || head.has("arguments") && !text[at..].starts_with("$ARGUMENTS")
    };
    if text.match_indices('$').any(is_one) {
        return arguments.is_empty().then_some(text);
    }
    Some(text.replace("$ARGUMENTS", arguments))
}

#[cfg(test)]
mod tests {
    use super::{Head, filled, inline, is_completed};

    #[test]
    fn commands_in_a_prompt_are_found() {
        let text = "Look: !`git status` and `ls`\n```!\nrm -rf ~\n```\n```sh\nno\n```\n";
        assert_eq!(inline(text), ["git status", "rm -rf ~"]);
        let none = Head::default();
        assert_eq!(filled("echo $ARGUMENTS", "a; b", "/s", &none).as_deref(), Some("echo a; b"));
        assert_eq!(filled("echo $1", "a", "/s", &none), None);
        assert_eq!(filled("echo $x", "a", "/s", &none).as_deref(), Some("echo $x"));
        let named = Head::read("---\narguments: [x]\n---\n").unwrap();
        assert_eq!(filled("echo $x", "a", "/s", &named), None);
        assert_eq!(filled("${CLAUDE_SKILL_DIR}/x", "", "/s", &none).as_deref(), Some("/s/x"));
    }

    #[test]
    fn a_mark_that_a_substitution_completes_is_seen() {
        for (text, arguments) in [
            ("x !$ARGUMENTS`rm`", ""),
            ("x !$foo`rm`", ""),
            ("x !$my-arg`rm`", ""),
            ("x !${CLAUDE_X}`rm`", ""),
            ("x !$ARGUMENTS[0]`rm`", ""),
            ("x !\\$1`rm`", ""),
            ("x !$AR$fooGUMENTS`rm`", ""),
            ("``$ARGUMENTS`!\nrm\n```", ""),
            ("```$1!\nrm\n```", ""),
            ("```!\nls\n``$1`\nrm\n```", ""),
            ("Do $ARGUMENTS", "x !`rm`"),
            ("Do it", "x !`rm`"),
            ("Do !$ARGUMENTS", "`rm`"),
            ("!`echo $ARGUMENTS`", "a` !`rm"),
            ("Fix issue $0, see $1.", "!\\`touch\\ x\\` y"),
            ("Fix issue $0", "\"!\\`touch x\\`\""),
            ("!$0", "'`touch x`'"),
            ("$0$1", "'!' '`rm -rf ~`'"),
            ("$ARGUMENTS[0]", "'!'`rm`"),
        ] {
            assert!(is_completed(text, arguments), "{text} {arguments}");
        }
        for (text, arguments) in [
            ("Do $ARGUMENTS", "fix `a` now!"),
            ("!`echo $1` and $2, costs $5!", "a b"),
            ("!`echo \"${HOME}/x\"`", ""),
            ("`$x` and ```sh\n$y\n```", ""),
        ] {
            assert!(!is_completed(text, arguments), "{text} {arguments}");
        }
    }
}
