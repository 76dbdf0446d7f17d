//! Settings as rows, for `guarded-sh config`.

use std::path::PathBuf;

use super::{Origin, Provider, Settings, Sourced};
use crate::model::{Mode, Permission, Programs};

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its key, with the table before it.
    pub name: &'static str,
    /// Its value as TOML would have it; empty if it is not set.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Where the machine's policy locks it, if it does.
    pub locked: Option<Origin>,
}

/// Returns the settings that are others than before: as each was, and as it is.
pub fn changed(before: &Settings, after: &Settings) -> impl Iterator<Item = (Row, Row)> {
    let rows = show(before).into_iter().zip(show(after));
    rows.filter(|(before, after)| before.value != after.value)
}

/// Returns the value of a row as people are told it.
#[must_use]
pub const fn told(value: &str) -> &str {
    if value.is_empty() { "not set" } else { value }
}

/// Returns the value that somebody types, as TOML has it; a plain word needs no quotes.
#[must_use]
pub fn typed(text: &str) -> toml::Value {
    let table = toml::from_str::<toml::Table>(&format!("x = {text}")).ok();
    // What goes on behind the value is no more than a text.
    let read = table.filter(|table| table.len() == 1).and_then(|mut table| table.remove("x"));
    read.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// Returns every setting, in the order of the manual.
#[must_use]
pub fn show(settings: &Settings) -> Vec<Row> {
    let (t, record, startup) = (&settings.thresholds, &settings.record, &settings.startup);
    let (page, mcp) = (&settings.page, &settings.mcp);
    let mut rows = vec![
        row("profile", &settings.profile, |profile| quoted(profile.name())),
        row("language", &settings.language, |language| {
            language.map_or_else(String::new, |language| quoted(language.name()))
        }),
        row("mode", &settings.mode, |mode| quoted(mode_name(*mode))),
        row("fence", &settings.fence, |fence| quoted(fence.name())),
        row("undo", &settings.undo.mode, |undo| quoted(undo.name())),
        row("undo.files", &settings.undo.files, u32::to_string),
        row("undo.bytes", &settings.undo.bytes, u64::to_string),
        row("undo.millis", &settings.undo.millis, u32::to_string),
        row("undo.days", &settings.undo.days, u32::to_string),
        row("undo.size", &settings.undo.size, u64::to_string),
        row("undo.also", &settings.undo.also, paths),
        row("contain", &settings.contain, |contain| quoted(contain.name())),
        row("thresholds.bash", &t.bash, u8::to_string),
        row("thresholds.read", &t.read, u8::to_string),
        row("thresholds.write", &t.write, u8::to_string),
        row("thresholds.edit", &t.edit, u8::to_string),
        row("thresholds.web", &t.web, u8::to_string),
        row("thresholds.mcp", &t.mcp, u8::to_string),
        row("safe_commands", &settings.safe_commands, |commands| {
            list(commands.iter().map(shell_words::join))
        }),
        row("safe_domains", &settings.safe_domains, |domains| list(domains.iter().cloned())),
        row("workspace_roots", &settings.workspace_roots, paths),
        row("protected_branches", &settings.protected_branches, |globs| {
            list(globs.iter().cloned())
        }),
        row("real_shell", &settings.real_shell, text),
        row("default_action", &settings.default_action, |action| quoted(action.name())),
        row("approval.wait", &settings.approval.wait, u16::to_string),
        row("approval.popup", &settings.approval.popup, bool::to_string),
        row("approval.notify", &settings.approval.notify, bool::to_string),
        row("approval.open", &settings.approval.open, |words| list(words.iter().cloned())),
        row("record.directory", &record.directory, path),
        row("record.keep_days", &record.keep_days, or_empty),
        row("record.fsync", &record.fsync, bool::to_string),
        row("record.forward", &record.forward, |to| {
            to.as_ref().map_or_else(String::new, |to| quoted(to.to_string()))
        }),
        row("record.ran", &record.ran, bool::to_string),
        row("startup.rcfile", &startup.rcfile, path),
        row("startup.bash_env", &startup.bash_env, path),
        row("startup.env", &startup.env, path),
        row("run.programs", &settings.programs, |programs| quoted(programs_name(*programs))),
        row("rules.directories", &settings.rule_directories, paths),
        row("rules.disabled", &settings.disabled_rules, |ids| list(ids.iter().cloned())),
        row("mcp.servers", &settings.mcp.servers, |names| list(names.iter().cloned())),
        row("mcp.tools", &settings.mcp.tools, |globs| list(globs.iter().cloned())),
        row("model.mode", &settings.model.mode, |mode| quoted(mode.name())),
        row("model.limit_ms", &settings.model.limit_ms, u32::to_string),
        row("model.strong_limit_ms", &settings.model.strong_limit_ms, u32::to_string),
        row("model.confidence", &settings.model.confidence, u8::to_string),
        row("model.safety", &settings.model.safety, u8::to_string),
        row("model.day_calls", &settings.model.day_calls, or_empty),
        row("model.day_tokens", &settings.model.day_tokens, or_empty),
        row("model.day_money", &settings.model.day_money, or_empty),
        row("model.session_calls", &settings.model.session_calls, or_empty),
        row("model.session_tokens", &settings.model.session_tokens, or_empty),
        row("model.session_money", &settings.model.session_money, or_empty),
        row("model.commits", &settings.model.commits, bool::to_string),
        row("model.files", &settings.model.files, bool::to_string),
        row("model.opaque", &settings.model.opaque, |names| list(names.iter().cloned())),
        row("model.at_once", &settings.model.at_once, u32::to_string),
        row("model.providers", &settings.model.providers, |providers| {
            list(providers.iter().map(Provider::full_name))
        }),
        row("page.port", &page.port, u16::to_string),
        row("page.serve", &page.serve, bool::to_string),
        row("page.passkey", &page.passkey, |from| quoted(from.name())),
        row("page.remote.host", &page.remote.host, text),
        row("page.remote.listen", &page.remote.listen, |at| {
            at.map_or_else(String::new, |at| quoted(at.to_string()))
        }),
        row("page.remote.user", &page.remote.user, text),
        row("page.remote.answer", &page.remote.answer, bool::to_string),
        row("page.notify.ntfy", &page.notify.ntfy, text),
        row("page.notify.token_file", &page.notify.token_file, path),
        row("page.notify.tells", &page.notify.tells, |tells| {
            list(tells.iter().map(|tell| tell.name().to_owned()))
        }),
        row("page.notify.webhooks", &page.notify.webhooks, |hooks| {
            list(hooks.iter().map(|hook| hook.url.clone()))
        }),
        row("mcp.serve", &mcp.serve, bool::to_string),
        row("mcp.port", &mcp.port, u16::to_string),
        row("mcp.listen", &mcp.listen, |listen| list(listen.iter().map(ToString::to_string))),
        row("mcp.hosts", &mcp.hosts, |hosts| list(hosts.iter().cloned())),
        row("mcp.origins", &mcp.origins, |origins| list(origins.iter().cloned())),
        row("mcp.approval", &mcp.approval, |approval| quoted(approval.name())),
        row("mcp.wait", &mcp.wait, u16::to_string),
        row("mcp.pass", &mcp.pass, |names| list(names.iter().cloned())),
        row("desktop.tray", &settings.desktop.tray, |tray| tray.written().to_owned()),
    ];
    let permits = Permission::ALL.iter().zip(&settings.permits);
    rows.extend(permits.map(|(permission, set)| row(permission.setting(), set, bool::to_string)));
    rows.extend(settings.hooks.iter().map(|handler| Row {
        name: "hooks",
        value: quoted(handler.told()),
        origin: handler.origin.clone(),
        locked: None,
    }));
    for row in &mut rows {
        row.locked = settings.policy.lock(row.name).cloned();
    }
    rows
}

#[expect(clippy::ref_option, reason = "a row shows what the settings hold")]
fn or_empty<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map(T::to_string).unwrap_or_default()
}

#[expect(clippy::ref_option, reason = "a row shows what the settings hold")]
fn text(text: &Option<String>) -> String {
    text.as_deref().map_or_else(String::new, quoted)
}

fn row<T>(name: &'static str, setting: &Sourced<T>, text: impl Fn(&T) -> String) -> Row {
    Row { name, value: text(&setting.value), origin: setting.origin.clone(), locked: None }
}

fn quoted(text: impl AsRef<str>) -> String {
    toml::Value::from(text.as_ref()).to_string()
}

fn list(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

#[allow(clippy::ptr_arg, reason = "passed where a function of the setting is asked for")]
fn paths(paths: &Vec<PathBuf>) -> String {
    list(paths.iter().map(|path| path.display().to_string()))
}

#[allow(clippy::ref_option, reason = "passed where a function of the setting is asked for")]
fn path(path: &Option<PathBuf>) -> String {
    path.as_ref().map_or_else(String::new, |path| quoted(path.to_string_lossy()))
}

const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Shadow => "shadow",
        Mode::Enforce => "enforce",
    }
}

const fn programs_name(programs: Programs) -> &'static str {
    match programs {
        Programs::Record => "record",
        Programs::Judge => "judge",
    }
}
