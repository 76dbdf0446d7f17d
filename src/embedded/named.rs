//! Files that a text names, which are read with it: those of a list, and what code in C includes.

use crate::model::Arg;

/// Returns the files that the lines of a list name. What has signs of its own may be read as another name, or as an option.
pub fn listed(list: &str) -> Vec<Arg> {
    let is_plain = |name: &str| {
        !name.starts_with(['-', '@', '#']) && !name.contains(['"', '\'', '\\', '*', '?', '['])
    };
    let file = |name: &str| if is_plain(name) { Arg::Known(name.to_owned()) } else { Arg::Unknown };
    list.split(['\n', '\0']).filter(|name| !name.is_empty()).map(file).collect()
}

/// Returns the files that code in C includes from elsewhere than below its own directory and those of the system's headers.
pub fn included(code: &str) -> Vec<Arg> {
    let code = code.replace("\\\n", "").replace("??/", "\\");
    let lines = code.lines().map(str::trim_start);
    let file = |line: &str| {
        let rest = line.strip_prefix('#').or_else(|| line.strip_prefix("%:"))?.trim_start();
        let name = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !matches!(
            &rest[..rest.len() - name.len()],
            "include" | "include_next" | "import" | "embed"
        ) {
            return None;
        }
        let inner = name.trim_start().strip_prefix(['"', '<']);
        let inner = inner.and_then(|name| name.split(['"', '>']).next());
        let Some(inner) = inner else { return Some(Arg::Unknown) };
        let leads_out = inner.starts_with('/') || inner.split('/').any(|part| part == "..");
        leads_out.then(|| Arg::Known(inner.to_owned()))
    };
    // An assembler includes what it is told in a text of the code.
    let assembled = (code.contains("incbin") || code.contains(".include")).then_some(Arg::Unknown);
    lines.filter_map(file).chain(assembled).collect()
}
