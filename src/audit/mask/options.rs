//! Secrets that are known by the option before them: `--password VALUE` of any program, and the short options of those that
//! are known to take one.

use std::ops::Range;

use super::{names, value};

/// A short option of some programs.
struct Short {
    programs: &'static [&'static str],
    /// The subcommand that takes it, if not all do.
    subcommand: Option<&'static str>,
    option: &'static str,
    form: Form,
}

/// Where the secret stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In the same word.
    Attached,
    /// In the next word, or in the same one.
    Either,
    /// In the next word or in the same one, behind a colon or percent sign: `user:password`.
    AfterUser,
}

const fn of(programs: &'static [&'static str], option: &'static str, form: Form) -> Short {
    Short { programs, subcommand: None, option, form }
}

const fn within(
    subcommand: &'static str,
    programs: &'static [&'static str],
    option: &'static str,
    form: Form,
) -> Short {
    Short { programs, subcommand: Some(subcommand), option, form }
}

const SHORT: [Short; 13] = [
    of(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mariadb",
            "mariadb-dump",
        ],
        "-p",
        Form::Attached,
    ),
    of(&["sshpass", "mongo", "mongosh", "mongodump"], "-p", Form::Either),
    within("login", &["docker", "podman", "helm", "az", "oc"], "-p", Form::Either),
    of(&["curl"], "-u", Form::AfterUser),
    of(&["curl"], "-U", Form::AfterUser),
    of(&["curl"], "--user", Form::AfterUser),
    of(&["curl"], "--proxy-user", Form::AfterUser),
    of(&["http", "https", "xh", "xhs"], "-a", Form::AfterUser),
    of(&["smbclient", "rpcclient", "net"], "-U", Form::AfterUser),
    of(&["redis-cli"], "-a", Form::Either),
    of(&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete"], "-w", Form::Either),
    of(&["zip", "unzip", "sqlcmd", "bcp"], "-P", Form::Either),
    of(&["7z", "7za", "7zz", "unrar", "rar"], "-p", Form::Attached),
];

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    // The rows whose program was named in this command, and whether their subcommand was, too.
    let mut rows: Vec<(&'static Short, bool)> = Vec::new();
    for word in Words::new(text) {
        let Word::Text(range) = word else {
            rows.clear();
            continue;
        };
        let word = &text[range.clone()];
        if word.starts_with('-') {
            found.extend(long(text, &range).or_else(|| short(text, &range, &rows)));
            continue;
        }
        for (row, ready) in &mut rows {
            *ready |= row.subcommand == Some(word);
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        let named = SHORT.iter().filter(|short| short.programs.contains(&name));
        rows.extend(named.map(|row| (row, row.subcommand.is_none())));
        // A command that names every program is none.
        rows.truncate(SHORT.len());
    }
}

/// `--name VALUE`; with a `=` it is a pair.
fn long(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let option = &text[word.clone()];
    // Some programs have long names with one dash.
    let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-'))?;
    if name.len() < 3 || !names::is_option(name) {
        return None;
    }
    next(text, word.end)
}

fn short(text: &str, word: &Range<usize>, rows: &[(&Short, bool)]) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    let (row, _) = rows.iter().find(|(row, ready)| *ready && given.starts_with(row.option))?;
    let attached = word.start + row.option.len();
    let secret = match (attached < word.end, row.form) {
        // `-p"$VAR"` and `-p'secret'`: a quote ends the word here.
        (false, Form::Attached) => match text.as_bytes().get(attached) {
            Some(b'"' | b'\'') => value::at(text, attached),
            _ => None,
        },
        (true, Form::Attached) => value::at(text, attached),
        // A long option has its value attached behind a `=` alone; else it is another option.
        (true, _) if row.option.starts_with("--") => {
            let equals = given[row.option.len()..].starts_with('=');
            if equals { value::at(text, attached + 1) } else { None }
        }
        (true, _) => value::at(text, attached),
        (false, _) => next(text, word.end),
    }?;
    if row.form != Form::AfterUser {
        return Some(secret);
    }
    let user = text[secret.clone()].find([':', '%'])?;
    let password = secret.start + user + 1..secret.end;
    value::is_secret(&text[password.clone()]).then_some(password)
}

/// The next word, if it is a value and not another option.
fn next(text: &str, end: usize) -> Option<Range<usize>> {
    let blanks = text[end..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = end + blanks;
    let is_value = blanks > 0 && text.as_bytes().get(start) != Some(&b'-');
    if is_value { value::at(text, start) } else { None }
}

/// A word, or what ends a command.
enum Word {
    Text(Range<usize>),
    Separator,
}

/// The words of a text, quotes taken for blanks: a command that is itself quoted (`eval '…'`) is looked through as well.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'<' | b'>');
        let separates =
            |byte: u8| matches!(byte, b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'{' | b'}');
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| blank(*byte)) {
            self.at += 1;
        }
        let start = self.at;
        if separates(*bytes.get(start)?) {
            self.at += 1;
            return Some(Word::Separator);
        }
        let ends = |byte: &u8| blank(*byte) || separates(*byte);
        let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
        self.at = start + length;
        Some(Word::Text(start..self.at))
    }
}
