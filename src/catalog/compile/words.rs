//! The words of the format: roles, effect kinds, names, spellings.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use crate::catalog::compiled::{Deed, Role, Slot, Takes};
use crate::catalog::schema::Style;
use crate::model::{Dialect, EffectKind, Language, ProgramTrait, Runner};

pub(super) fn program_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '/') {
        return Err(format!("{name:?} is no name of a program"));
    }
    Ok(())
}

pub(super) fn subcommand_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(char::is_whitespace) || name.starts_with('-') {
        return Err(format!("{name:?} is no name of a subcommand"));
    }
    Ok(())
}

fn effect_kind(text: &str) -> Result<EffectKind, String> {
    let deserializer: StrDeserializer<'_, Error> = text.into_deserializer();
    EffectKind::deserialize(deserializer).map_err(|_| format!("unknown effect kind {text:?}"))
}

fn language(text: &str) -> Result<Language, String> {
    Ok(match text {
        "shell" => Language::Shell,
        "python" => Language::Python,
        "javascript" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        "awk" => Language::Awk,
        "sed" => Language::Sed,
        "jq" => Language::Jq,
        "sql" => Language::Sql(Dialect::Any),
        "postgresql" => Language::Sql(Dialect::PostgreSql),
        "mysql" => Language::Sql(Dialect::MySql),
        "sqlite" => Language::Sql(Dialect::Sqlite),
        "duckdb" => Language::Sql(Dialect::DuckDb),
        "clickhouse" => Language::Sql(Dialect::ClickHouse),
        "bigquery" => Language::Sql(Dialect::BigQuery),
        "mssql" => Language::Sql(Dialect::MsSql),
        "fzf" => Language::Fzf,
        "make" => Language::Make,
        "patch" => Language::Patch,
        "template" => Language::Template,
        "c" => Language::C,
        "names" => Language::Names,
        "other" => Language::Other,
        _ => return Err(format!("unknown language {text:?}")),
    })
}

fn runner(text: &str) -> Result<Runner, String> {
    let deserializer: StrDeserializer<'_, Error> = text.into_deserializer();
    Runner::deserialize(deserializer).map_err(|_| format!("unknown runner of tasks {text:?}"))
}

pub(super) fn program_trait(text: &str) -> Result<ProgramTrait, String> {
    let deserializer: StrDeserializer<'_, Error> = text.into_deserializer();
    ProgramTrait::deserialize(deserializer).map_err(|_| format!("unknown trait {text:?}"))
}

/// Something done without a target: an effect kind, `stdin:LANG` or `task:RUNNER`.
pub(super) fn deed(text: &str) -> Result<Deed, String> {
    if let Some(name) = text.strip_prefix("task:") {
        return runner(name).map(Deed::Task);
    }
    match text.strip_prefix("stdin:") {
        Some(name) => language(name).map(Deed::Input),
        None => effect_kind(text).map(Deed::Effect),
    }
}

/// The role of one word, or of one word and all that follow.
pub(super) fn role(text: &str) -> Result<Role, String> {
    if let Some(name) = text.strip_prefix("script:") {
        return language(name).map(Role::Script);
    }
    if let Some(name) = text.strip_prefix("code:") {
        return language(name).map(Role::Code);
    }
    if let Some(name) = text.strip_prefix("task:") {
        return runner(name).map(Role::Task);
    }
    if let Some(kind) = text.strip_prefix("repository:") {
        return effect_kind(kind).map(Role::Repository);
    }
    if let Some(kind) = text.strip_prefix("pathspec:") {
        return effect_kind(kind).map(Role::Pathspec);
    }
    Ok(match text {
        "text" => Role::Text,
        "passed" => Role::Passed,
        "service" => Role::Service,
        "inert" => Role::Inert,
        "tests" => Role::Tests,
        "repository" => Role::Repository(EffectKind::Connect),
        "revision" => Role::Revision,
        "compared" => Role::Compared,
        "revision-or-path" => Role::RevisionOrPath,
        "refspec" => Role::Refspec,
        "refspec+" => Role::ForcedRefspec,
        "content" => Role::Content,
        "unknown" => Role::Unknown,
        "enter" => Role::Enter,
        "create" => Role::Create,
        "output" => Role::Output,
        "prefix" => Role::Prefix,
        "template" => Role::Template,
        "opened" => Role::Opened,
        "mode" => Role::Mode,
        "exec" => Role::Exec,
        "exec+" => Role::ExecAppended,
        "argv..." => Role::Argv,
        "argv;" => Role::ArgvUntil,
        "argv+" => Role::ArgvAppended,
        "inside..." => Role::ArgvInside,
        "tool..." => Role::Tool,
        "package-tool..." => Role::PackageTool,
        "itself..." => Role::ArgvItself,
        "names" => Role::Script(Language::Names),
        "shell" => Role::Shell,
        "shell+" => Role::ShellAppended,
        "shell..." => Role::ShellRest,
        "remote-shell..." => Role::RemoteShellRest,
        "assignment" => Role::Assignment,
        _ => Role::Effect(effect_kind(text).map_err(|_| format!("unknown role {}", hinted(text)))?),
    })
}

fn hinted(text: &str) -> String {
    match text {
        "argv" | "inside" | "tool" | "package-tool" | "remote-shell" => {
            format!("{text:?} (it is written {:?})", format!("{text}..."))
        }
        "flag" => format!(
            "{text:?} (an operand is no flag; a plain word is \"inert\", any text \"text\")"
        ),
        _ if text.starts_with("stdin:") => {
            format!("{text:?} (only in `bare`, `effects` and `instead`)")
        }
        _ => format!("{text:?}"),
    }
}

/// A place for operands: a role that may end in `...`.
pub(super) fn slot(text: &str) -> Result<Slot<'_>, String> {
    let whole = role(text);
    if whole == Ok(Role::ArgvUntil) {
        return Err(format!("{text:?} is only for options"));
    }
    match (whole, text.strip_suffix("...")) {
        (Ok(role), None) => Ok(Slot { text, role, repeats: false }),
        (Ok(role), Some(text)) => Ok(Slot { text, role, repeats: false }),
        (Err(_), Some(text)) => Ok(Slot { text, role: role(text)?, repeats: true }),
        (Err(what), None) => Err(what),
    }
}

/// What is done to a name that is made of another: `KIND NAME`.
pub(super) fn made(text: &str) -> Result<(EffectKind, &str), String> {
    let (kind, name) = text.split_once(' ').ok_or(format!("{text:?} is no effect and a name"))?;
    if !name.contains('*') && !matches!(name, "." | ".." | "/.." | "%") {
        return Err(format!("{name:?} is not made of a name: that stands for `*`"));
    }
    Ok((effect_kind(kind)?, name))
}

/// The role of a value in one word.
pub(super) fn value_role(text: &str) -> Result<Role, String> {
    let role = role(text)?;
    if role.is_rest() || role == Role::ArgvUntil {
        return Err(format!("{text:?} takes more than one word"));
    }
    Ok(role)
}

/// What an option takes.
pub(super) fn takes(text: &str) -> Result<Takes, String> {
    if text == "flag" {
        return Ok(Takes::Flag);
    }
    if let Some(text) = text.strip_prefix("optional:") {
        return value_role(text).map(Takes::Optional);
    }
    if text.contains(' ') {
        return text
            .split_whitespace()
            .map(value_role)
            .collect::<Result<_, _>>()
            .map(Takes::Several);
    }
    role(text).map(Takes::Value)
}

/// Whether an option is called like one that names a program: `--pager`, `--exec-batch`, `--compress-program`.
pub(super) fn names_program(spelling: &str) -> bool {
    const NAMES: &[&str] = &[
        "askpass",
        "browser",
        "cmd",
        "command",
        "compiler",
        "editor",
        "exec",
        "executable",
        "executor",
        "interpreter",
        "launcher",
        "linker",
        "pager",
        "pre",
        "preprocessor",
        "program",
        "rsh",
        "runner",
        "shell",
        "toolexec",
        "wrapper",
    ];
    const ENDS: &[&str] = &["-bin", "-cmd", "-command", "-exec", "-pager", "-program", "-shell"];
    let name = spelling.trim_start_matches('-');
    NAMES.contains(&name)
        || ENDS.iter().any(|end| name.ends_with(end))
        || name.strip_prefix("exec-").is_some_and(|rest| !rest.is_empty())
}

/// Checks how one option is spelled.
pub(super) fn spelling(text: &str, style: Style) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("bad spelling {text:?}: {why}"));
    if style == Style::None {
        return wrong("style \"none\" has no options");
    }
    if text == "--" {
        return Ok(());
    }
    let word = text.trim_start_matches(['-', '+']);
    if text.starts_with("---") || (word.is_empty() && text.len() > 1) {
        return wrong("a dash too many");
    }
    if text.starts_with("--") && text.contains('=') {
        return wrong("write what it takes as the value, not behind `=`");
    }
    if text.starts_with('*') {
        return wrong("any word matches it");
    }
    if text.contains(['|', ',']) && word != "," {
        return wrong("separate spellings with spaces, and options that mean the same with ` | `");
    }
    Ok(())
}
