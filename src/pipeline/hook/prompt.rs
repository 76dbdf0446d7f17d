//! The files that agents tell their models by name: skills, and commands. What a model does then comes as calls of its own, but some clients run
//! the commands that stand in such a file (`!`…``) before it is told: these are what is judged.

use std::fs;

use crate::hooks::Prompt;
use crate::model::Facts;
use crate::observe::Scripts;
use crate::paths;

/// Returns the commands in what is told, as lines of a shell; or why they are not known.
pub(super) fn commands(prompt: &Prompt, facts: &Facts) -> Result<String, String> {
    let (name, arguments) = named(prompt)?;
    let scripts = Scripts::default();
    let mut lines = Vec::new();
    let mut is_found = false;
    for path in prompt.files.iter().flat_map(|file| places(file, name, facts)) {
        // Which of several a client takes is its own affair.
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        let text = scripts.text(&path).ok_or_else(|| format!("'{path}' cannot be read"))?;
        is_found = true;
        if head(&text).any(|line| line.starts_with("hooks:")) {
            return Err(format!("'{path}' brings hooks of its own"));
        }
        let directory = path.rsplit_once('/').map_or("/", |(directory, _)| directory);
        for command in inline(&text) {
            lines.push(filled(command, arguments, directory).ok_or_else(|| {
                format!("what `{command}` in '{path}' runs depends on what it is given")
            })?);
        }
    }
    if !is_found {
        return Err(format!("'{name}' is a skill or command whose file is not known"));
    }
    Ok(lines.join("\n"))
}

/// The name, and the words behind it.
fn named(prompt: &Prompt) -> Result<(&str, &str), String> {
    let text = prompt.name.trim();
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
    Ok((name, if prompt.arguments.is_empty() { words } else { &prompt.arguments }))
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

/// The lines between the first two `---`.
fn head(text: &str) -> impl Iterator<Item = &str> {
    let has_head = text.starts_with("---");
    text.lines().skip(1).take_while(move |line| has_head && line.trim_end() != "---")
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

/// A command with what the client puts into it; none where that is not followed.
fn filled(command: &str, arguments: &str, directory: &str) -> Option<String> {
    let text = command.replace("${CLAUDE_SKILL_DIR}", directory);
    let is_one = |(at, _): (usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
            || text[at..].starts_with("$ARGUMENTS[")
    };
    if text.match_indices('$').any(is_one) {
        return arguments.is_empty().then_some(text);
    }
    Some(text.replace("$ARGUMENTS", arguments))
}

#[cfg(test)]
mod tests {
    use super::{filled, inline};

    #[test]
    fn commands_in_a_prompt_are_found() {
        let text = "Look: !`git status` and `ls`\n```!\nrm -rf ~\n```\n```sh\nno\n```\n";
        assert_eq!(inline(text), ["git status", "rm -rf ~"]);
        assert_eq!(filled("echo $ARGUMENTS", "a; b", "/s").as_deref(), Some("echo a; b"));
        assert_eq!(filled("echo $1", "a", "/s"), None);
        assert_eq!(filled("${CLAUDE_SKILL_DIR}/x", "", "/s").as_deref(), Some("/s/x"));
    }
}
