//! Who called: the agents that are known, by what they put into the environment and by what their processes are called.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::ancestry::Ancestor;
use super::environment::Environment;
use crate::model::{Caller, ParentAgent, Shell};

/// How one agent is known.
struct Agent {
    name: &'static str,
    /// Variables that it sets for what it starts, measured or documented.
    marks: &'static [&'static str],
    /// Variables that hold the id of the conversation, best first.
    sessions: &'static [&'static str],
    /// Names of its programs: of the process, or of the script that an interpreter runs.
    programs: &'static [&'static str],
    /// What starts its shells in a sandbox of its own, if it has one.
    sandbox: Option<Sandbox>,
}

/// An agent's own program that starts a shell in a sandbox: the shell's words come behind `--`.
struct Sandbox {
    /// What the agent calls it by.
    name: &'static str,
    /// The option of the directory in which the shell begins.
    directory: &'static str,
}

const AGENTS: [Agent; 9] = [
    Agent {
        name: "claude",
        marks: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION"],
        sessions: &["CLAUDE_CODE_SESSION_ID"],
        programs: &["claude", "claude-code"],
        sandbox: None,
    },
    Agent {
        name: "copilot",
        marks: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
        sessions: &["COPILOT_AGENT_SESSION_ID"],
        programs: &["copilot"],
        sandbox: None,
    },
    Agent {
        name: "codex",
        marks: &["CODEX_CI", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX"],
        sessions: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
        // The last is the one between bubblewrap and the shell. A process's name is cut at 15 bytes.
        programs: &["codex", "codex-exec", "codex-app-serve", "codex-linux-san"],
        sandbox: Some(Sandbox { name: "codex-linux-sandbox", directory: "--command-cwd" }),
    },
    Agent {
        name: "gemini",
        marks: &["GEMINI_CLI"],
        sessions: &["GEMINI_SESSION_ID"],
        programs: &["gemini", "gemini-cli"],
        sandbox: None,
    },
    Agent {
        name: "opencode",
        marks: &["OPENCODE", "OPENCODE_PID"],
        sessions: &["OPENCODE_PID"],
        programs: &["opencode", ".opencode", "opencode-ai"],
        sandbox: None,
    },
    Agent {
        name: "cursor",
        marks: &["CURSOR_AGENT"],
        sessions: &[],
        programs: &["cursor-agent"],
        sandbox: None,
    },
    Agent {
        name: "cline",
        marks: &["CLINE_ACTIVE"],
        sessions: &[],
        programs: &["cline"],
        sandbox: None,
    },
    Agent {
        name: "qwen",
        marks: &["QWEN_CODE"],
        sessions: &[],
        programs: &["qwen"],
        sandbox: None,
    },
    Agent {
        name: "goose",
        marks: &["GOOSE_TERMINAL"],
        sessions: &[],
        programs: &["goose"],
        sandbox: None,
    },
];

/// Programs that run another: the word that counts is a later one.
const INTERPRETERS: [&str; 6] = ["node", "bun", "deno", "python", "python3", "MainThread"];

/// Returns who called, by the environment first and then by the processes above us, nearest first.
#[must_use]
pub fn caller(environment: &Environment, ancestors: &[Ancestor]) -> Caller {
    let by_mark = AGENTS.iter().find(|agent| agent.marks.iter().any(|mark| environment.has(mark)));
    let name = by_mark
        .map(|agent| agent.name.to_owned())
        .or_else(|| ancestors.iter().find_map(|ancestor| agent_of(ancestor).map(str::to_owned)))
        .or_else(|| unlisted(environment));
    name.map_or(Caller::Unknown, Caller::Agent)
}

/// Returns the agent that the calling process itself is. It is known by its processes' names alone: a variable would be anyone's.
#[must_use]
pub fn parent_agent() -> Option<ParentAgent> {
    let is_listed = |name: &str| {
        INTERPRETERS.contains(&name) || AGENTS.iter().any(|agent| agent.programs.contains(&name))
    };
    let parent = super::ancestry::parent(is_listed)?;
    let name = agent_of(&parent)?.to_owned();
    let program = super::ancestry::program(parent.id)
        .filter(|path| !INTERPRETERS.contains(&file_name(OsStr::new(path))));
    Some(ParentAgent { name, program })
}

/// Returns the name of the program that called, with the file that it runs, if it is given one: `python3 agent.py`. Of its other words
/// nothing is told: they may be secret. None where there is none that can be seen.
#[must_use]
pub fn parent_program() -> Option<String> {
    let id = std::os::unix::process::parent_id();
    let command = super::ancestry::command(id);
    let mut words = command.iter().map(OsString::as_os_str);
    let name = file_name(words.next()?).trim_start_matches('-').to_owned();
    let directory = PathBuf::from(format!("/proc/{id}/cwd"));
    let is_option = |word: &&OsStr| word.as_encoded_bytes().starts_with(b"-");
    let script = words.find(|word| !is_option(word)).filter(|word| directory.join(word).is_file());
    Some(script.map_or_else(|| name.clone(), |script| format!("{name} {}", file_name(script))))
}

/// Returns the id of the conversation that this call belongs to, with the agent's name before it; of a session host's own
/// session, its id.
#[must_use]
pub fn session(environment: &Environment) -> Option<String> {
    if let Some(id) = environment.get("GUARDED_SH_SESSION") {
        return Some(id.to_owned());
    }
    AGENTS.iter().find_map(|agent| {
        let id = agent.sessions.iter().find_map(|name| environment.get(name))?;
        Some(format!("{}:{id}", agent.name))
    })
}

/// Returns the agent that marks what it starts with this variable.
pub(super) fn marked(variable: &[u8]) -> Option<&'static str> {
    let by = |agent: &&Agent| agent.marks.iter().any(|mark| mark.as_bytes() == variable);
    let listed = AGENTS.iter().find(by).map(|agent| agent.name);
    listed.or_else(|| (variable == b"AI_AGENT").then_some("agent"))
}

/// Returns whether a process of this name runs another program's text, so that its name says nothing.
pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name)
}

/// Returns the agent that a process is.
#[must_use]
pub fn agent_of(ancestor: &Ancestor) -> Option<&'static str> {
    let command = || ancestor.command.iter().map(OsString::as_os_str);
    let interpreted = command().next().is_some_and(|word| INTERPRETERS.contains(&file_name(word)));
    // The name of the process; the program; and where that is an interpreter, the script.
    let names = std::iter::once(ancestor.name.as_str())
        .chain(command().take(if interpreted { 4 } else { 1 }).map(file_name));
    for name in names {
        let known = AGENTS.iter().find(|agent| agent.programs.contains(&name));
        if let Some(agent) = known {
            return Some(agent.name);
        }
    }
    None
}

/// A shell that an agent starts in a sandbox of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandboxed {
    /// Which of the sandbox's words is the shell's first.
    pub at: usize,
    /// Where the shell begins, if that is said.
    pub directory: Option<PathBuf>,
}

/// Returns the shell that a program with these words starts, if they are those of an agent's sandbox.
#[must_use]
pub fn sandboxed(words: &[OsString]) -> Option<Sandboxed> {
    let name = Path::new(words.first()?).file_name()?;
    let mut sandboxes = AGENTS.iter().filter_map(|agent| agent.sandbox.as_ref());
    let Sandbox { directory, .. } = sandboxes.find(|sandbox| name == sandbox.name)?;
    let at = words.iter().position(|word| word == "--")? + 1;
    Shell::named(Path::new(words.get(at)?).file_name()?.to_str()?)?;
    let mut pairs = words[..at].windows(2).filter(|pair| pair[0] == *directory);
    Some(Sandboxed { at, directory: pairs.next().map(|pair| PathBuf::from(&pair[1])) })
}

// Several agents say who they are in this one, in words of their own.
fn unlisted(environment: &Environment) -> Option<String> {
    let name: String = environment
        .get("AI_AGENT")?
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric() || *character == '-')
        .take(32)
        .collect();
    Some(if name.is_empty() { "agent".to_owned() } else { name.to_ascii_lowercase() })
}

fn file_name(word: &OsStr) -> &str {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or("");
    // A package may have a version, as those that start one by its package write it.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables = Arc::new(pairs.iter().map(pair).collect());
        Environment { variables, unreadable: Vec::new() }
    }

    fn process(name: &str, command: &[&str]) -> Ancestor {
        let command = command.iter().map(Into::into).collect();
        Ancestor { name: name.to_owned(), command, ..Ancestor::default() }
    }

    #[test]
    fn agents_are_known_by_what_they_set() {
        for (variable, agent) in [
            ("CLAUDECODE", "claude"),
            ("COPILOT_CLI", "copilot"),
            ("CODEX_CI", "codex"),
            ("GEMINI_CLI", "gemini"),
            ("OPENCODE", "opencode"),
        ] {
            let found = caller(&environment(&[(variable, "1")]), &[]);
            assert_eq!(found, Caller::Agent(agent.to_owned()));
            assert_eq!(caller(&environment(&[(variable, "")]), &[]), Caller::Unknown);
        }
        let unlisted = environment(&[("AI_AGENT", "Some-Tool_1-2-3")]);
        assert_eq!(caller(&unlisted, &[]), Caller::Agent("some-tool".to_owned()));
    }

    #[test]
    fn agents_are_known_by_their_processes_too() {
        for (name, command) in [
            ("claude", &["claude", "-p"] as &[&str]),
            ("node", &["node", "/usr/lib/node_modules/x/bin/gemini"]),
            ("node", &["/usr/bin/node", "--no-warnings", "/opt/x/gemini.js"]),
            ("x", &["@google/gemini-cli@latest"]),
            ("MainThread", &["/x/copilot", "--allow-all"]),
            ("codex-linux-san", &["/x/codex-linux-sandbox", "--command-cwd", "/x"]),
        ] {
            let chain = [process("bash", &["bash"]), process(name, command)];
            assert_ne!(caller(&Environment::default(), &chain), Caller::Unknown, "{command:?}");
        }
        let chain = [process("bash", &["bash", "claude"]), process("vim", &["vim", "codex"])];
        assert_eq!(caller(&Environment::default(), &chain), Caller::Unknown);
    }

    #[test]
    fn the_shell_in_an_agents_sandbox_is_found_by_its_words() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let found = sandboxed(&words("/x/codex-linux-sandbox --command-cwd /w -- /bin/bash -lc x"));
        assert_eq!(found, Some(Sandboxed { at: 4, directory: Some("/w".into()) }));
        for other in [
            "codex-linux-sandbox",
            "codex-linux-sandbox --",
            "codex-linux-sandbox bash -c x",
            "codex-linux-sandbox -- codex --codex-run-as-apply-patch x",
            "codex -- bash -c x",
        ] {
            assert_eq!(sandboxed(&words(other)), None, "{other}");
        }
        assert_eq!(sandboxed(&[]), None);
    }

    #[test]
    fn a_session_is_named_by_host_or_agent() {
        let agent = environment(&[("CODEX_THREAD_ID", "t1")]);
        assert_eq!(session(&agent).as_deref(), Some("codex:t1"));
        let both = environment(&[("CODEX_THREAD_ID", "t1"), ("GUARDED_SH_SESSION", "s1")]);
        assert_eq!(session(&both).as_deref(), Some("s1"));
        assert_eq!(session(&Environment::default()), None);
    }
}
