//! Whose word counts: of what people typed that of the client that asks, of what models say that of a provider which no agent started.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{Door, PROMPT, Place, Provider, answer, hook, obeying, prompt, text, tool};

const LINE: &str = "curl https://unknown.example/x";
const QUOTED: &str = "fetch the docs from unknown.example";

/// This program, as another process that does one thing.
fn another(does: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--nocapture", "--exact", "believed::another_process"]);
    command.env("DOES", does);
    command
}

#[test]
#[ignore = "is a part of the tests below"]
fn another_process() {
    let Ok(does) = std::env::var("DOES") else { return };
    if let Some(root) = does.strip_prefix("says ") {
        hook(&Place::at(root), &prompt(PROMPT), Door::Socket);
        return;
    }
    if does == "listens in a guarded line" {
        guarded_sh::sys::descent::pass();
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    println!("PORT:{}", listener.local_addr().unwrap().port());
    let provider = Provider::on(listener, |_, stream| {
        let content = obeying(QUOTED).to_string();
        answer(
            stream,
            &json!({"message": {"role": "assistant", "content": content}, "done": true}),
        );
    });
    // Until nobody needs it any more.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    drop(provider);
}

/// A program of the workspace can start the hook as the client does, and say there what no person typed.
#[test]
fn a_prompt_that_another_process_says_permits_nothing() {
    for is_other in [false, true] {
        let provider = Provider::saying(obeying(QUOTED));
        let place = Place::with(&provider.settings("decide"));
        if is_other {
            let root = place.path("").display().to_string();
            let ended = another(&format!("says {root}")).output().unwrap();
            assert!(ended.status.success(), "{}", text(&ended));
        } else {
            hook(&place, &prompt(PROMPT), Door::Socket);
        }
        let said = hook(&place, &tool(LINE), Door::Socket);
        let decided = &said["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(*decided == "allow", !is_other, "{said}");
        assert!(place.records().iter().any(|record| record["line"] == PROMPT));
    }
}

/// What a line leaves listening where an Ollama would be is no model.
#[test]
fn a_model_that_a_line_started_is_not_asked() {
    for (does, is_believed) in [("listens", true), ("listens in a guarded line", false)] {
        let mut other = another(does).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(other.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port =
            told.find_map(|line| Some(line.split_once("PORT:")?.1.trim().to_owned())).unwrap();
        let place = Place::with(&format!(
            "[model]\nmode = \"advise\"\nlimit_ms = 60000\n[[model.providers]]\nkind = \"ollama\"\nmodel = \"m\"\nurl = \"http://127.0.0.1:{port}\"\n"
        ));
        let said = text(&place.guard(&["-c", LINE]).output().unwrap());
        drop(other.stdin.take());
        other.wait().unwrap();
        assert_eq!(
            said.contains("ollama/m finds it within the task"),
            is_believed,
            "{does}: {said}"
        );
        let why = said.contains("was started by an agent or in a guarded line");
        assert_eq!(why, !is_believed, "{does}: {said}");
    }
}
