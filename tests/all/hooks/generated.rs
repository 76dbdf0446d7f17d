//! Every harmless row of `tests/hooks/tools.jsonl`, with a path smuggled into it in every way that an input can be wrong: it is seen, or the
//! call is unclear.

use guarded_sh::config::{McpSettings, Sourced};
use guarded_sh::hooks::{self, Call, Deed, ToolKind, Work};
use serde_json::{Value, json};

use super::rows;

const SECRET: &str = "/home/dev/.ssh/id_rsa";

/// Fields that hold anything, or text that is written.
const LOOSE: [&str; 8] = [
    "view_range",
    "ignore",
    "exclude",
    "file_filtering_options",
    "edits",
    "allowed_domains",
    "blocked_domains",
    "query",
];

/// Fields that hold a path, or several.
const PATHS: [&str; 8] =
    ["file_path", "filePath", "path", "paths", "dir_path", "include", "notebook_path", "workdir"];

fn is_seen(work: &Work) -> bool {
    let names = |text: &str| text.contains("ssh/id_rsa");
    let is_seen = |deed: &Deed| match deed {
        Deed::Unclear(_) => true,
        Deed::Secret => false,
        Deed::Path { path, .. } => path.as_deref().is_none_or(names),
        Deed::Sought(text)
        | Deed::Around(text)
        | Deed::All(text)
        | Deed::Perhaps(text)
        | Deed::Within(text)
        | Deed::Fetch(text) => names(text),
    };
    work.deeds.iter().any(is_seen) || work.line.as_deref().is_some_and(names)
}

/// The values that a field could have instead, whatever it is for.
fn wrong() -> Vec<Value> {
    vec![
        json!([SECRET]),
        json!([[SECRET]]),
        json!([{ "path": SECRET }]),
        json!({ "path": SECRET }),
        json!([SECRET, 7]),
        json!({ "0": SECRET, "length": 1 }),
    ]
}

/// The ways to write a path.
fn written() -> Vec<String> {
    let mut all: Vec<String> = [
        "", " ", "\t", "\u{a0}", "\u{2003}", "\u{3000}", "\u{feff}", "\u{2028}", "file://",
        "FILE://", "File:", " file://",
    ]
    .map(|before| format!("{before}{SECRET}"))
    .to_vec();
    all.extend(
        [
            "/home/dev/project/../.ssh/id_rsa",
            "../.ssh/id_rsa",
            "a/../../.ssh/id_rsa",
            "//home//dev/./.ssh/id_rsa",
            "{a,/home/dev/.ssh/id_rsa}",
        ]
        .map(str::to_owned),
    );
    all.push(format!("{SECRET}\n"));
    all
}

#[test]
fn no_path_is_hidden_in_what_a_tool_is_given() {
    let servers = Sourced { value: vec!["files".to_owned()], ..Sourced::default() };
    let settings = McpSettings { servers, ..McpSettings::default() };
    let mut count = 0;
    let mut check = |agent: &str, tool: &str, input: Value| {
        let call = Call { tool: tool.to_owned(), server: None, id: None, input };
        let agent = hooks::named(agent).unwrap();
        let work = hooks::work(agent, &call, &settings);
        count += 1;
        assert!(
            is_seen(&work) || work.prompt.is_some() || work.kind == ToolKind::Own,
            "{} {tool} {}: {work:?}",
            agent.name,
            call.input
        );
    };
    for row in rows("tools") {
        let [agent, tool, severity] =
            ["agent", "tool", "is"].map(|field| row[field].as_str().unwrap());
        let Some(given) = row["input"].as_object().filter(|_| severity == "low") else { continue };
        let with = |field: &str, value: &Value| {
            let mut input = row["input"].clone();
            input[field] = value.clone();
            input
        };
        for unknown in [
            "zz",
            "cwd",
            "Path",
            "FILE_PATH",
            "file-path",
            "file_path ",
            "\u{ff46}ile",
            "__proto__",
            "dir",
        ] {
            check(agent, tool, with(unknown, &json!(SECRET)));
            for value in &wrong() {
                check(agent, tool, with(unknown, value));
            }
        }
        for field in given.keys().map(String::as_str).filter(|field| !LOOSE.contains(field)) {
            check(agent, tool, with(&field.to_uppercase(), &json!(SECRET)));
            for value in &wrong() {
                check(agent, tool, with(field, value));
            }
            for path in written().iter().filter(|_| PATHS.contains(&field) && field != "dir_path") {
                check(agent, tool, with(field, &json!(path)));
            }
        }
        for input in [json!([SECRET]), json!([{ "path": SECRET }]), json!(SECRET)] {
            check(agent, tool, input);
        }
    }
    assert!(count > 1000, "{count}");
}
