//! Whose word counts: of what people typed that of the client that asks, of what models say that of a provider which no agent started.

use std::io::Read;
use std::net::TcpListener;
use std::process::Command;

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

/// Starts what listens, writes its port into the settings, and has the guard judge a line: all in one user namespace, where each sees the others.
const LISTENED: &str = r#"{
  coproc other { exec "$2" --ignored --nocapture --exact believed::another_process; }
  while read -r line <&"${other[0]}"; do case $line in *PORT:*) port=${line##*PORT:}; break ;; esac; done
  echo "url = \"http://127.0.0.1:$port\"" >>/root/.config/guarded-sh/config.toml
  unset DOES
  "$1" -c "$3"
  exec {other[1]}>&-
  wait "$other_PID"
}"#;

/// What a line leaves listening where an Ollama would be is no model.
#[test]
fn a_model_that_a_line_started_is_not_asked() {
    let own = std::env::current_exe().unwrap();
    for (does, is_believed) in [("listens", true), ("listens in a guarded line", false)] {
        let place = Place::with(
            "[model]\nmode = \"advise\"\nlimit_ms = 60000\n[[model.providers]]\nkind = \"ollama\"\nmodel = \"m\"\n",
        );
        let mut listened = place.script(LISTENED, &[own.to_str().unwrap(), LINE]);
        let said = text(&listened.env("DOES", does).output().unwrap());
        assert_eq!(
            said.contains("ollama/m finds it within the task"),
            is_believed,
            "{does}: {said}"
        );
        let why = said.contains("was started by an agent or in a guarded line");
        assert_eq!(why, !is_believed, "{does}: {said}");
    }
}
