//! What is described of the API: what comes is held against it, and what pages have is held against what programs have.

use serde_json::{Value, json};

use super::api::{read, token};
use super::web::Answer;
use super::world::{World, within};

/// The description, with a way to hold what came against it.
pub struct Described(pub Value);

impl Described {
    pub fn read(world: &World, token: &str) -> Self {
        Self(read(world, "/api/openapi.json", token))
    }

    /// Each operation: path, method, and what is said of it.
    pub fn operations(&self) -> Vec<(String, String, Value)> {
        let paths = self.0["paths"].as_object().unwrap();
        let operations = paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap();
            methods.iter().map(move |(method, said)| (path.clone(), method.clone(), said.clone()))
        });
        operations.collect()
    }

    /// Holds a value against a schema of the description.
    pub fn holds(&self, schema: &Value, value: &Value, what: &str) {
        let mut whole = self.0.clone();
        whole["allOf"] = json!([schema]);
        let validator = jsonschema::draft202012::new(&whole).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{what}: {}", faults.join("\n"));
    }

    /// Holds an answer against what is said of its status.
    pub fn describes(&self, operation: &Value, answer: &Answer, what: &str) {
        let said = &operation["responses"][answer.status.to_string()];
        assert!(said.is_object(), "{what}: {} is not described: {}", answer.status, answer.body);
        let content = said["content"].as_object().unwrap();
        let kind = content.keys().next().unwrap();
        assert!(answer.head.contains(&format!("content-type: {kind}")), "{what}: {}", answer.head);
        if kind == "application/json" {
            let value = serde_json::from_str(&answer.body).unwrap();
            self.holds(&content[kind]["schema"], &value, what);
        }
    }
}

/// Returns what of a path is asked for.
pub fn targets(path: &str, number: &str, question: &str) -> Vec<String> {
    let all: Vec<&str> = match path {
        "/api/questions/{id}" => {
            return vec![format!("/api/questions/{question}"), "/api/questions/none".to_owned()];
        }
        "/api/questions/{id}/trial" => {
            return vec![
                format!("/api/questions/{question}/trial"),
                "/api/questions/none/trial".to_owned(),
            ];
        }
        "/api/calls/{number}" => {
            let calls = [number, "9999", "x"].map(|number| format!("/api/calls/{number}"));
            return calls.to_vec();
        }
        "/api/calls" => vec![
            "/api/calls",
            "/api/calls?limit=1",
            "/api/calls?rule=*",
            "/api/calls?limit=0",
            "/api/calls?action=x",
            "/api/calls?before=x",
        ],
        "/api/sessions/{id}" => vec!["/api/sessions/none", "/api/sessions/a%2Fb?limit=x"],
        "/api/sessions/{id}/timeline" => vec![
            "/api/sessions/none/timeline",
            "/api/sessions/claude:none/timeline?before=1",
            "/api/sessions/a/timeline?before=x",
        ],
        "/api/sessions/{id}/export" => {
            vec!["/api/sessions/none/export", "/api/sessions/none/export?as=pdf"]
        }
        "/api/transcripts" => vec!["/api/transcripts?agent=claude", "/api/transcripts?limit=0"],
        "/api/transcripts/{agent}/{session}" => vec![
            "/api/transcripts/claude/none",
            "/api/transcripts/claude/..%2F..%2F..%2Fetc%2Fpasswd",
            "/api/transcripts/x/y?from=z",
        ],
        "/api/rules/{file}" => vec!["/api/rules/none", "/api/rules/..%2Fconfig"],
        "/api/prompts/{part}" => vec!["/api/prompts/brief", "/api/prompts/..%2Fnone"],
        "/api/settings" => vec!["/api/settings", "/api/settings?directory=/nowhere"],
        "/api/changes" => vec!["/api/changes", "/api/changes?limit=0"],
        "/api/files" => vec!["/api/files", "/api/files?session=none", "/api/files?kept=..%2Fx"],
        "/api/overview" => {
            vec!["/api/overview", "/api/overview?days=366", "/api/overview?days=367"]
        }
        "/api/events" => Vec::new(),
        other if !other.contains('{') => vec![other],
        other => panic!("nothing is known of {other}"),
    };
    all.into_iter().map(str::to_owned).collect()
}

/// Returns what is sent to a path. `event` is one of an agent.
pub fn bodies(path: &str, event: &Value) -> Vec<Value> {
    match path {
        "/api/try" => vec![
            json!({ "line": "rm -rf /" }),
            json!({ "line": "ls", "directory": "/nowhere" }),
            json!({ "lines": 1 }),
        ],
        "/api/analyze" => vec![json!({}), event.clone(), json!([1])],
        "/api/try/otherwise" => vec![
            json!({ "line": "rm a", "directory": "/srv/home/app" }),
            json!({ "line": "rm a", "profile": "strict", "threshold": 90 }),
            json!({ "line": "make a", "rules": "[[rule]]\nid = \"own.a\"\ncommand = [\"make\"]\nseverity = \"critical\"\nreason = \"builds\"\nmatches = [\"make a\"]\n" }),
            json!({ "line": "ls", "profile": "lax" }),
            json!({ "line": "ls", "threshold": 101 }),
            json!({ "line": "ls", "rules": "[[rule]" }),
            json!({ "line": "ls", "directory": "/nowhere" }),
            json!({ "line": "ls", "more": 1 }),
        ],
        "/api/rules/check" => vec![
            json!({ "file": "own", "text": "[[rule]" }),
            json!({ "file": "../own", "text": "" }),
            json!({ "file": "own", "text": "pack = \"own\"\nsummary = \"s\"\n", "tried": true }),
            json!({ "file": 1 }),
        ],
        "/api/prompts/check" => vec![
            json!({ "part": "brief", "text": "no word" }),
            json!({ "part": "brief", "text": "{boundary} {canary} {prompts}", "line": "ls" }),
            json!({ "part": "../brief", "text": "" }),
        ],
        _ => vec![json!({})],
    }
}

/// What pages have, and where programs have the same.
const PAIRS: [(&str, &[&str]); 26] = [
    ("/", &["/api/questions", "/api/questions/{id}", "/api/groups"]),
    ("/live", &["/api/calls"]),
    ("/events", &["/api/events"]),
    ("/sessions", &["/api/sessions"]),
    ("/session", &["/api/sessions/{id}", "/api/sessions/{id}/timeline"]),
    ("/session/export", &["/api/sessions/{id}/export"]),
    ("/transcripts", &["/api/transcripts"]),
    ("/transcript", &["/api/transcripts/{agent}/{session}"]),
    ("/transcript/since", &["/api/transcripts/{agent}/{session}"]),
    ("/overview", &["/api/overview", "/api/index"]),
    ("/history", &["/api/calls"]),
    ("/call/{number}", &["/api/calls/{number}"]),
    ("/try", &["/api/try", "/api/try/otherwise"]),
    ("/files", &["/api/files"]),
    ("/nonce", &["/api/nonce"]),
    ("/answer", &["/api/answers", "/api/answers/together", "/api/questions/{id}/trial"]),
    ("/rules", &["/api/rules", "/api/rules/{file}"]),
    ("/rules/checked", &["/api/rules/check"]),
    ("/settings", &["/api/settings"]),
    ("/prompts", &["/api/prompts", "/api/prompts/{part}"]),
    ("/prompts/checked", &["/api/prompts/check"]),
    ("/prompts/measured", &["/api/prompts"]),
    ("/reading", &["/api/index"]),
    ("/suggestions", &["/api/suggestions"]),
    ("/change", &["/api/changes"]),
    ("/agents/found", &["/api/agents"]),
];

/// What is shown before a change is made; programs have one way for all of it.
const SHOWN: [&str; 2] = ["/settings/changed", "/agents/shown"];

/// What pages have and programs have not, and why.
const BROWSERS: [(&str, &str); 7] = [
    ("/enter", "exchanges a code for a browser's seat: a program comes with its token"),
    ("/leave", "gives a seat up: a token is revoked"),
    ("/agents", "is a frame around /agents/found"),
    ("/passkey", "lists and removes what only a person touches"),
    ("/passkey/begin", "takes a code of the terminal and a person's touch"),
    ("/passkey/finish", "takes a person's touch"),
    ("/passkey/known", "is asked before a person's touch"),
];

/// What programs have and pages have not, and why.
const PROGRAMS: [(&str, &str); 1] =
    [("/api/analyze", "is for clients that are no browsers: what a hook answers")];

#[test]
fn whatever_pages_have_programs_have() {
    within("described::whatever_pages_have_programs_have", || {
        let world = World::begin();
        let described = Described::read(&world, &token(&["reads", "--read"]));
        let source = include_str!("../../src/page/mod.rs");
        let routes = source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
        let routes: Vec<&str> = routes.filter(|route| !route.starts_with("/assets/")).collect();
        assert!(routes.len() > 30, "{routes:?}");
        let mut paired: Vec<(&str, &[&str])> = PAIRS.to_vec();
        paired.extend(SHOWN.map(|shown| (shown, ["/api/changes/show"].as_slice())));
        for route in &routes {
            let is_paired = paired.iter().any(|(page, _)| page == route);
            let is_told = BROWSERS.iter().any(|(page, why)| page == route && !why.is_empty());
            assert!(is_paired != is_told, "{route} has no route of the API, or two words about it");
        }
        for (page, _) in paired
            .iter()
            .map(|(page, _)| (page, ""))
            .chain(BROWSERS.iter().map(|(page, why)| (page, *why)))
        {
            assert!(routes.contains(page), "there is no page {page}");
        }
        let own = described.operations().into_iter().map(|(path, ..)| path);
        let own: std::collections::BTreeSet<String> = own.collect();
        let named = paired.iter().flat_map(|(_, all)| all.iter().copied());
        let named = named.chain(PROGRAMS.iter().map(|(path, _)| *path));
        let named: std::collections::BTreeSet<String> = named.map(str::to_owned).collect();
        assert_eq!(own, named);
    });
}
