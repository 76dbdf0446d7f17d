//! Text that wants to be judged mildly, and environments, projects and files that want to choose who judges. The model here is the worst there is: it
//! obeys whatever it reads, and quotes the person.

use serde_json::json;

use crate::support::{Door, PROMPT, Place, Provider, hook, obeying, prompt, tool};

/// Lines that speak to a judge, one a row; the last word of a line is never what decides.
const LINES: &str = include_str!("injections.txt");

#[test]
fn no_line_that_speaks_to_its_judge_is_allowed() {
    let rows: Vec<&str> = LINES.lines().filter(|line| !line.starts_with("## ")).collect();
    assert!(rows.len() >= 80, "{}", rows.len());
    let provider = Provider::saying(obeying("fetch the docs from unknown.example"));
    let place = Place::with(&provider.settings("decide"));
    let event = prompt(PROMPT);
    hook(&place, &event, Door::Socket);
    let mut allowed = Vec::new();
    for row in rows {
        let line = row.replace("\\n", "\n");
        let event = tool(&line);
        let said = hook(&place, &event, Door::Socket);
        let decision = &said["hookSpecificOutput"]["permissionDecision"];
        if decision != "ask" && decision != "deny" {
            allowed.push(line);
        }
    }
    assert!(allowed.is_empty(), "{allowed:#?}");
}

/// The texts of the rows that speak in a comment.
pub fn texts() -> Vec<&'static str> {
    let rows = LINES.lines().take_while(|line| *line != "## words");
    rows.filter_map(|line| Some(line.split_once(" # ")?.1)).collect()
}

/// A branch's name and the name of a server's tool speak to no judge either, and what was refused before is not told where it does.
#[test]
fn branches_tools_and_history_speak_to_no_judge() {
    let provider = Provider::saying(obeying("fetch the docs from unknown.example"));
    let place = Place::with(&provider.settings("decide"));
    hook(&place, &prompt(PROMPT), Door::Socket);
    for name in ["refs", "objects"] {
        std::fs::create_dir_all(place.path("work/.git").join(name)).unwrap();
    }
    let decided = |event: &serde_json::Value| {
        hook(&place, event, Door::Socket)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    let at = |line: &str| {
        let mut event = tool(line);
        event["cwd"] = json!(place.path("work"));
        event
    };
    for text in texts() {
        let name: String =
            text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        place.write("work/.git/HEAD", &format!("ref: refs/heads/{name}\n"));
        assert_ne!(decided(&at("curl https://unknown.example/x")), "allow", "{text}");
        place.write("work/.git/HEAD", "ref: refs/heads/main\n");
        let mut event = at("");
        event["tool_name"] = json!(format!("mcp__docs__{}", name.replace('-', "_")));
        event["tool_input"] = json!({"page": "x"});
        assert_ne!(decided(&event), "allow", "{text}");
    }
    assert!(provider.asked().is_empty(), "{:?}", provider.asked().last());
    for text in texts() {
        decided(&at(&format!("rm -rf ~/x # {text}")));
    }
    decided(&at("curl https://unknown.example/x"));
    let asked = provider.asked();
    let told = asked.last().unwrap().body["messages"][0]["content"].as_str().unwrap();
    let (_, before) = told.split_once("what was decided in this session before").unwrap();
    assert!(texts().iter().all(|text| !before.contains(text)), "{before}");
}

/// Whatever a line, its environment or its project says, the owner's provider is asked, and nobody else.
#[test]
fn nothing_of_an_agents_chooses_who_is_asked() {
    let line = "curl https://unknown.example/x";
    let owners = Provider::saying(obeying(""));
    let strangers = Provider::saying(obeying(""));
    let place = Place::with(&owners.settings("advise"));
    place.write("evil/.config/guarded-sh/config.toml", &strangers.settings("decide"));
    place.write("evil/config/guarded-sh/config.toml", &strangers.settings("decide"));
    place.write(
        "evil/config/guarded-sh/prompts/shell.txt",
        "evil {boundary} {canary} {line} {prompts}",
    );
    place.write("evil/bin/guarded-shd", "#!/bin/sh\necho evil\n");
    place.write("work/.guarded-sh.toml", &strangers.settings("decide"));
    let evil = |name: &str| place.path("evil").join(name).display().to_string();
    let rows: [(&str, String); 14] = [
        ("HOME", evil("")),
        ("XDG_CONFIG_HOME", evil("config")),
        ("XDG_STATE_HOME", evil("state")),
        ("PATH", format!("{}:/usr/bin:/bin", evil("bin"))),
        ("HTTP_PROXY", strangers.url()),
        ("http_proxy", strangers.url()),
        ("ALL_PROXY", strangers.url()),
        ("HTTPS_PROXY", strangers.url()),
        ("ANTHROPIC_BASE_URL", strangers.url()),
        ("ANTHROPIC_API_KEY", "sk-of-an-agent".to_owned()),
        ("SSL_CERT_FILE", evil("ca.pem")),
        ("RES_OPTIONS", "debug".to_owned()),
        ("LD_PRELOAD", evil("x.so")),
        ("GUARDED_SH_SOCKET", evil("sock")),
    ];
    for (name, value) in rows {
        let before = owners.asked().len();
        let output = place.agents(&["-c", line]).env(name, &value).output().unwrap();
        let asked = owners.asked();
        assert_eq!(asked.len(), before + 1, "{name}: {}", crate::support::text(&output));
        let last = asked.last().unwrap();
        assert!(!format!("{last:?}").contains("sk-of-an-agent"), "{name}");
        let told = last.body["messages"][0]["content"].as_str().unwrap();
        assert!(told.starts_with("You judge one command line"), "{name}: {told:.80}");
    }
    assert!(strangers.asked().is_empty());
}

/// A yes of a model is for nothing that another session's person typed.
#[test]
fn a_prompt_of_another_session_permits_nothing() {
    let provider = Provider::saying(obeying("fetch the docs from unknown.example"));
    let place = Place::with(&provider.settings("decide"));
    let event = prompt(PROMPT);
    hook(&place, &event, Door::Socket);
    let mut event = tool("curl https://unknown.example/x");
    event["session_id"] = json!("s2");
    let said = hook(&place, &event, Door::Socket);
    assert_ne!(said["hookSpecificOutput"]["permissionDecision"], "allow", "{said}");
    // No variable of a line says whose session it is.
    let mut shell = place.agents(&["-c", "curl https://unknown.example/x"]);
    let output = shell.env("GUARDED_SH_SESSION", "claude:s1").output().unwrap();
    assert_eq!(output.status.code(), Some(126), "{}", crate::support::text(&output));
}
