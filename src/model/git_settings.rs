//! Settings of git, as their files have them (git-config(1), CONFIGURATION FILE).

/// Settings whose value git runs, or finds such in (git-config(1)), in small letters.
pub const RUN_BY_GIT: &[&str] = &[
    "fsmonitor",
    "sshcommand",
    "askpass",
    "editor",
    "gitproxy",
    "uploadpack",
    "receivepack",
    "cmd",
    "driver",
    "helper",
    "pager",
    "external",
    "textconv",
    "command",
    "process",
    "clean",
    "smudge",
    "program",
    "hookspath",
    "path",
];

/// A setting. Sections and keys are the same in whatever letters they stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSetting {
    /// Its section: `remote`.
    pub section: String,
    /// What stands behind that in quotes: `origin`; nothing where nothing does.
    pub of: String,
    /// Its own name: `url`.
    pub key: String,
    /// Its value, without what quotes it.
    pub value: String,
}

/// Reads a file of settings.
#[must_use]
pub fn git_settings(text: &str) -> Vec<GitSetting> {
    let (mut section, mut of) = (String::new(), String::new());
    let mut settings = Vec::new();
    // What ends with a backslash goes on in the next line.
    let text = if text.contains("\\\n") { text.replace("\\\n", "") } else { text.to_owned() };
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some((header, behind)) = line.strip_prefix('[').and_then(header) {
            let (name, quoted) = header.split_once(char::is_whitespace).unwrap_or((header, ""));
            name.clone_into(&mut section);
            quoted.trim().trim_matches('"').clone_into(&mut of);
            rest = behind;
        }
        if let Some((key, value)) = rest.split_once('=') {
            let (key, value) = (key.trim().to_owned(), unquoted(value.trim()));
            settings.push(GitSetting { section: section.clone(), of: of.clone(), key, value });
        }
    }
    settings
}

/// Returns a value without its quotation marks, and what a backslash makes a character.
fn unquoted(value: &str) -> String {
    if !value.contains(['"', '\\']) {
        return value.to_owned();
    }
    let mut text = String::new();
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => {}
            '\\' => text.extend(rest.next()),
            c => text.push(c),
        }
    }
    text
}

/// Returns a header without its brackets, and what stands behind it.
fn header(text: &str) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    let end = text.find(|c| {
        is_quoted ^= c == '"';
        c == ']' && !is_quoted
    })?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_ends_where_its_bracket_does_and_a_value_may_have_some() {
        let read = |text: &str| -> Vec<String> {
            let name =
                |it: &GitSetting| format!("{}|{}|{}|{}", it.section, it.of, it.key, it.value);
            git_settings(text).iter().map(name).collect()
        };
        let text =
            "[filter \"a]b\"] clean = sh -c '[ -f x ] && ./y'\n\tsmudge = [ z ]\n[core]\nx\n";
        let wanted = ["filter|a]b|clean|sh -c '[ -f x ] && ./y'", "filter|a]b|smudge|[ z ]"];
        assert_eq!(read(text), wanted);
        for text in ["", "[", "]", "[]", "[a", "[\"]\nx = y"] {
            assert!(git_settings(text).len() < 2, "{text:?}");
        }
    }

    #[test]
    fn a_value_is_what_git_makes_of_it() {
        for (text, value) in [
            ("[a]\nb = \"c d\"", "c d"),
            ("[a]\nb = c\"d e\"f", "cd ef"),
            ("[a]\nb = c\\\nd", "cd"),
            ("[a]\nb = \\\"c\\\\", "\"c\\"),
        ] {
            assert_eq!(git_settings(text)[0].value, value, "{text:?}");
        }
    }
}
