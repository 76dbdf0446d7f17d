//! How settings are written: the keys of `config.toml` and `.guarded-sh.toml`.
//! Only their shapes and single values; what files mean together is `settings`.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::desktop::WrittenDesktop;
use super::hooks::{self, WrittenHandler};
use super::mcp::{self, WrittenMcp};
use super::model::{self, WrittenModel};
use super::page::{self, WrittenPage};
use crate::language::Language;
use crate::model::{Contain, Fence, Forward, Mode, Permission, Profile, Programs, Undo};
use crate::rules::glob;
use crate::rules::source::Problem;

/// A file of settings.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct Written {
    /// Keys that nobody else sets: of the machine's policy alone.
    pub locked: Option<Spanned<Vec<Spanned<String>>>>,
    pub profile: Option<Spanned<Profile>>,
    pub language: Option<Spanned<Language>>,
    pub mode: Option<Spanned<Mode>>,
    pub fence: Option<Spanned<Fence>>,
    pub undo: Option<Spanned<WrittenUndo>>,
    pub contain: Option<Spanned<Contain>>,
    pub thresholds: WrittenThresholds,
    pub safe_commands: Option<Spanned<Vec<Spanned<String>>>>,
    pub safe_domains: Option<Spanned<Vec<Spanned<String>>>>,
    pub workspace_roots: Option<Spanned<Vec<Spanned<String>>>>,
    pub protected_branches: Option<Spanned<Vec<Spanned<String>>>>,
    pub permit: WrittenPermit,
    pub real_shell: Option<Spanned<String>>,
    pub default_action: Option<Spanned<WrittenDefault>>,
    pub approval: WrittenApproval,
    pub record: WrittenRecord,
    pub startup: WrittenStartup,
    pub run: WrittenRun,
    pub rules: WrittenRules,
    pub hooks: Vec<WrittenHandler>,
    pub mcp: WrittenMcp,
    pub model: WrittenModel,
    pub page: WrittenPage,
    pub desktop: WrittenDesktop,
}

/// `[thresholds]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Thresholds`")]
pub struct WrittenThresholds {
    pub bash: Option<Spanned<i64>>,
    pub read: Option<Spanned<i64>>,
    pub write: Option<Spanned<i64>>,
    pub edit: Option<Spanned<i64>>,
    pub web: Option<Spanned<i64>>,
    pub mcp: Option<Spanned<i64>>,
}

/// `[permit]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Permission`")]
pub struct WrittenPermit {
    pub locked_installs: Option<Spanned<bool>>,
    pub project_compose: Option<Spanned<bool>>,
    pub documentation_hosts: Option<Spanned<bool>>,
    pub contained_network: Option<Spanned<bool>>,
}

impl WrittenPermit {
    /// Returns what is written of a permission.
    pub const fn of(&self, permission: Permission) -> Option<&Spanned<bool>> {
        match permission {
            Permission::LockedInstalls => self.locked_installs.as_ref(),
            Permission::ProjectCompose => self.project_compose.as_ref(),
            Permission::DocumentationHosts => self.documentation_hosts.as_ref(),
            Permission::ContainedNetwork => self.contained_network.as_ref(),
        }
    }
}

/// `default_action`: what happens when nobody can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "nothing else is safe when nobody can be asked")]
pub enum WrittenDefault {
    Deny,
}

/// `[approval]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenApproval {
    pub wait: Option<Spanned<i64>>,
    pub popup: Option<Spanned<bool>>,
    pub notify: Option<Spanned<bool>>,
    pub open: Option<Spanned<Vec<Spanned<String>>>>,
}

/// `[record]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenRecord {
    pub directory: Option<Spanned<String>>,
    pub keep_days: Option<Spanned<i64>>,
    pub fsync: Option<Spanned<bool>>,
    pub forward: Option<Spanned<String>>,
    pub ran: Option<Spanned<bool>>,
}

/// `[startup]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenStartup {
    pub rcfile: Option<Spanned<String>>,
    pub bash_env: Option<Spanned<String>>,
    pub env: Option<Spanned<String>>,
}

/// `[run]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenRun {
    pub programs: Option<Spanned<Programs>>,
}

/// `undo = "keep"`, or `[undo]`
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenUndo {
    /// Where it is written alone, its place is that of the whole.
    pub alone: Option<Undo>,
    pub table: WrittenUndoTable,
}

/// `[undo]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenUndoTable {
    pub mode: Option<Spanned<Undo>>,
    pub files: Option<Spanned<i64>>,
    pub bytes: Option<Spanned<String>>,
    pub millis: Option<Spanned<i64>>,
    pub days: Option<Spanned<i64>>,
    pub size: Option<Spanned<String>>,
    pub also: Option<Spanned<Vec<Spanned<String>>>>,
}

impl<'de> Deserialize<'de> for WrittenUndo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = WrittenUndo;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("off, keep or rely, or a table")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<WrittenUndo, E> {
                let modes = [Undo::Rely, Undo::Off, Undo::Keep];
                let mode = modes.into_iter().find(|mode| mode.name() == word);
                let unknown = || E::unknown_variant(word, &["off", "keep", "rely"]);
                Ok(WrittenUndo { alone: Some(mode.ok_or_else(unknown)?), ..WrittenUndo::default() })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenUndo, A::Error> {
                let table = WrittenUndoTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(WrittenUndo { alone: None, table })
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// Returns the bytes that a size means: `512 MB`, `2 GB`, `4096`.
pub fn size(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// `[rules]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Settings`")]
pub struct WrittenRules {
    pub directories: Option<Spanned<Vec<Spanned<String>>>>,
    pub disabled: Option<Spanned<Vec<Spanned<String>>>>,
}

/// Every key and every name that may stand in settings.
const NAMES: &str = "locked profile language mode fence contain thresholds safe_commands safe_domains workspace_roots protected_branches \
    permit locked_installs project_compose documentation_hosts contained_network real_shell default_action approval wait popup notify open record startup rules bash read write edit web mcp directory keep_days fsync forward ran journald syslog \
    rcfile bash_env env run programs judge directories disabled hooks event matcher mode threshold safe command timeout_ms contents_may_leave \
    undo files bytes millis days size also keep rely mcp servers tools balanced unattended strict shadow enforce deny on off report model limit_ms strong_limit_ms confidence safety day_calls day_tokens day_money session_calls session_tokens session_money commits files opaque other-shell unread-code unread-script unread-input at_once providers name kind url tier input_price output_price api_key_env api_key_command program arguments environment advise decide quick strong \
    anthropic openai azure ollama claude codex copilot gemini page port serve passkey high critical remote host listen user answer ntfy token_file tells agent severity project line webhooks secret_file desktop tray hosts origins always by-risk pass";

/// Mistakes of a file that are told at most.
const MOST_PROBLEMS: usize = 50;

/// Returns the bytes of the smallest entry that holds these, whole tables with all that is in them; none where the text is no TOML.
fn entry_around(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    within_table(DeTable::parse(text).ok()?.get_ref(), place)
}

fn within_table(table: &DeTable<'_>, place: &Range<usize>) -> Option<Range<usize>> {
    table.iter().find_map(|(key, value)| {
        let whole = extent(value);
        let whole = key.span().start.min(whole.start)..whole.end.max(key.span().end);
        within_value(value, place).or_else(|| holds(&whole, place).then_some(whole))
    })
}

fn within_value(value: &Spanned<DeValue<'_>>, place: &Range<usize>) -> Option<Range<usize>> {
    match value.get_ref() {
        DeValue::Table(table) => within_table(table, place),
        // Of one of several tables, what is left would be told as incomplete.
        DeValue::Array(items) => items
            .iter()
            .filter(|item| matches!(item.get_ref(), DeValue::Table(_)))
            .map(extent)
            .find(|whole| holds(whole, place)),
        _ => None,
    }
}

/// Returns the bytes of a value with all that is in it: the place of a table is that of its header.
fn extent(value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let ends = |all: &mut dyn Iterator<Item = usize>| all.max().unwrap_or_default();
    let end = match value.get_ref() {
        DeValue::Table(table) => ends(&mut table.values().map(|inner| extent(inner).end)),
        DeValue::Array(items) => ends(&mut items.iter().map(|inner| extent(inner).end)),
        _ => 0,
    };
    value.span().start..value.span().end.max(end)
}

const fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && inner.start < inner.end
}

/// Puts blanks in the place of all but ends of lines.
fn blank(text: &mut String, place: Range<usize>) {
    let blanks: String =
        text[place.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(place, &blanks);
}

/// Reads a file as far as it is right, with what is wrong in it. None where too much is.
pub(super) fn read_as<T: DeserializeOwned>(text: &str, names: &str) -> (Option<T>, Vec<Problem>) {
    let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
    let mut problems = Vec::new();
    let mut left = text.to_owned();
    // What is wrong is blanked, so that the reader comes to what else is.
    loop {
        let error = match toml::from_str(&left) {
            Ok(written) => return (Some(written), problems),
            Err(error) => error,
        };
        problems.push(Problem::from_toml(&error, text, &names));
        let place = error.span().filter(|_| problems.len() < MOST_PROBLEMS);
        let Some(place) = place.and_then(|span| entry_around(&left, &span)) else {
            problems.sort_by_key(|problem| problem.span.start);
            return (None, problems);
        };
        blank(&mut left, place);
    }
}

/// Reads settings. The error is never empty.
pub fn read(text: &str) -> Result<Written, Vec<Problem>> {
    let (written, mut problems) = read_as::<Written>(text, NAMES);
    let Some(written) = written else { return Err(problems) };
    numbers(&written, &mut problems);
    strings(&written, &mut problems);
    for handler in &written.hooks {
        hooks::check(handler, &mut problems);
    }
    model::check(&written.model, &mut problems);
    page::check(&written.page, &mut problems);
    mcp::check(&written.mcp, &mut problems);
    problems.sort_by_key(|problem| problem.span.start);
    if problems.is_empty() { Ok(written) } else { Err(problems) }
}

fn numbers(written: &Written, problems: &mut Vec<Problem>) {
    let t = &written.thresholds;
    for number in [&t.bash, &t.read, &t.write, &t.edit, &t.web, &t.mcp].into_iter().flatten() {
        if !(0..=100).contains(number.get_ref()) {
            let message = format!("a threshold is a score from 0 to 100, not {}", number.get_ref());
            problems.push(Problem::new(number.span(), message));
        }
    }
    let (wait, days) = (written.approval.wait.as_ref(), written.record.keep_days.as_ref());
    bound(wait, 0..=3600, "a command waits for a person for 0 to 3600 seconds", problems);
    bound(days, 1..=36_500, "records are kept for 1 to 36500 days", problems);
    if let Some(undo) = &written.undo {
        let table = &undo.get_ref().table;
        for (number, most, what) in [
            (&table.files, 1_000_000, "`undo.files` is 1 to 1000000 files"),
            (&table.millis, 60_000, "`undo.millis` is 1 to 60000 milliseconds"),
            (&table.days, 3650, "`undo.days` is 1 to 3650 days"),
        ] {
            bound(number.as_ref(), 1..=most, what, problems);
        }
        for text in [&table.bytes, &table.size].into_iter().flatten() {
            if size(text.get_ref()).is_none() {
                let message = format!("'{}' is no size such as `512 MB`", text.get_ref());
                problems.push(Problem::new(text.span(), message));
            }
        }
    }
}

/// A number that is outside these bounds is a problem; `what` says the bounds in words.
pub(super) fn bound(
    number: Option<&Spanned<i64>>,
    within: RangeInclusive<i64>,
    what: &str,
    problems: &mut Vec<Problem>,
) {
    if let Some(number) = number.filter(|number| !within.contains(number.get_ref())) {
        problems.push(Problem::new(number.span(), what));
    }
}

fn strings(written: &Written, problems: &mut Vec<Problem>) {
    let mut wrong = |text: &Spanned<String>, message: String| {
        problems.push(Problem::new(text.span(), message));
    };
    for command in each(written.safe_commands.as_ref()) {
        match shell_words::split(command.get_ref()) {
            Ok(words) if !words.is_empty() => {}
            Ok(_) => wrong(command, "a command has at least one word".to_owned()),
            Err(error) => wrong(command, format!("cannot be split into words: {error}")),
        }
    }
    let globs =
        each(written.safe_domains.as_ref()).chain(each(written.protected_branches.as_ref()));
    let globs = globs.chain(each(written.mcp.tools.as_ref()));
    for pattern in globs {
        if let Err(error) = glob::check(pattern.get_ref()) {
            wrong(pattern, format!("bad glob '{}': {error}", pattern.get_ref()));
        }
    }
    let single = [&written.record.directory, &written.startup.rcfile];
    let single = single.into_iter().chain([&written.startup.bash_env, &written.startup.env]);
    let also = written.undo.as_ref().and_then(|undo| undo.get_ref().table.also.as_ref());
    let lists = each(written.workspace_roots.as_ref())
        .chain(each(written.rules.directories.as_ref()))
        .chain(each(also));
    for path in single.flatten().chain(lists) {
        let text = path.get_ref();
        if !(text.starts_with('/') || text == "~" || text.starts_with("~/")) {
            wrong(path, format!("'{text}' must begin with `/` or `~/`"));
        }
    }
    for root in each(written.workspace_roots.as_ref()) {
        if root.get_ref().trim_end_matches('/').is_empty() {
            wrong(
                root,
                "the root directory as a workspace would make all writing harmless".to_owned(),
            );
        }
    }
    for root in each(also) {
        if root.get_ref().trim_end_matches('/').is_empty() {
            wrong(root, "the root directory cannot be kept".to_owned());
        }
    }
    if let Some(to) = &written.record.forward
        && Forward::named(to.get_ref()).is_none()
    {
        let message = format!("'{}' is none of `journald`, `syslog`, `unix:/PATH`", to.get_ref());
        wrong(to, message);
    }
    if let Some(shell) = &written.real_shell {
        let text = shell.get_ref();
        if text.is_empty() || (text.contains('/') && !text.starts_with('/')) {
            wrong(shell, "a shell is a name or an absolute path".to_owned());
        }
    }
}

fn each(list: Option<&Spanned<Vec<Spanned<String>>>>) -> std::slice::Iter<'_, Spanned<String>> {
    list.map_or([].iter(), |list| list.get_ref().iter())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::rules::published::hold;

    #[test]
    fn every_mistake_is_told_not_just_the_first() {
        let text = "profile = \"x\"\nmode = 5\nprofle = \"strict\"\n[approval]\nwait = \"soon\"\npopup = 1\n[thresholds]\nbash = 200\n[[hooks]]\nevent = 3\nmode = \"judge\"\n";
        let problems = read(text).unwrap_err();
        let said: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let expected = [
            "`x` is none of `balanced`, `unattended`, `strict`",
            "this must be a word in quotes",
            "there is no key `profle` here",
            "this must be a whole number, not the text \"soon\"",
            "this must be true or false, not `1`",
            "a threshold is a score from 0 to 100, not 200",
            "this must be a text in quotes, not `3`",
        ];
        assert_eq!(said, expected);
    }

    /// The schema that `guarded-sh schema config` prints.
    fn published() -> serde_json::Value {
        serde_json::from_str(include_str!("../../schemas/config.json")).unwrap()
    }

    #[test]
    fn the_published_schema_has_the_readers_keys_and_words() {
        let schema = published();
        assert!(hold::<Written>(&schema, "", "", "hooks.mode") > 80);
        for word in
            schema["properties"]["hooks"]["items"]["properties"]["mode"]["enum"].as_array().unwrap()
        {
            let text = format!("[[hooks]]\nevent = 'x'\nmode = {word}\n");
            let said = read(&text).err().unwrap_or_default();
            assert!(
                said.iter().all(|problem| !problem.message.contains("is none of")),
                "{word}: {said:?}"
            );
        }
        let shown = super::super::show(&super::super::Settings::default());
        let keys = schema["properties"].as_object().unwrap();
        for row in shown {
            let found = match row.name.split_once('.') {
                None => keys.contains_key(row.name),
                Some(("undo", key)) => !keys["undo"]["anyOf"][1]["properties"][key].is_null(),
                Some((table, key)) => {
                    let inner = |table: &Value, key: &str| table["properties"][key].clone();
                    !key.split('.').fold(keys[table].clone(), |at, key| inner(&at, key)).is_null()
                }
            };
            assert!(found, "{} is not in the schema", row.name);
        }
    }

    #[test]
    fn what_is_no_toml_is_told_once_and_many_mistakes_end() {
        assert_eq!(read("profile = = 1").unwrap_err().len(), 1);
        assert_eq!(read("\u{0}").unwrap_err().len(), 1);
        let many: Vec<String> = (0..200).map(|number| format!("x{number} = 1")).collect();
        assert_eq!(read(&many.join("\n")).unwrap_err().len(), MOST_PROBLEMS);
    }
}
