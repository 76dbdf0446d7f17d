//! What runs before the line: each row is given to the real shell, which leaves a mark if it ran it, and to `sources`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use guarded_sh::cli::{self, Invocation};
use guarded_sh::model::{Facts, Severity, Shell};
use guarded_sh::observe::{Cause, Environment, sources};
use guarded_sh::pipeline::{Judge, Request};
use guarded_sh::rules::RuleSet;
use guarded_sh::variables::inherited;

use crate::support::Place;

/// Runs a shell in which `MARK` in a variable or file makes a file, and returns whether it was made, and what we say of it.
fn compare(words: &[&str], variable: &str, value: &str) -> (bool, Vec<Cause>) {
    let place = tempfile::tempdir().unwrap();
    let mark = place.path().join("mark");
    let file = place.path().join("file");
    let run = format!("touch {}", mark.display());
    std::fs::write(&file, &run).unwrap();
    std::fs::create_dir(place.path().join("zsh")).unwrap();
    std::fs::write(place.path().join("zsh/.zshenv"), &run).unwrap();
    let fill = |text: &str| {
        text.replace("FILE", file.to_str().unwrap())
            .replace("ZSH", place.path().join("zsh").to_str().unwrap())
            .replace("MARK", &run)
    };
    let argv: Vec<OsString> = words.iter().map(|word| fill(word).into()).collect();
    let value = fill(value);
    let name = argv[0].to_str().unwrap();
    Command::new(format!("/bin/{name}"))
        .arg0(name)
        .args(&argv[1..])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", place.path().join("home"))
        .env(variable, &value)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let Ok(Invocation::Shell(invocation)) = cli::parse(argv, Shell::Bash) else {
        panic!("{words:?} is a call of the shell")
    };
    let variables = HashMap::from([(variable.to_owned(), value)]).into();
    let environment = Environment { variables, unreadable: Vec::new() };
    let causes = sources(&invocation, &environment).iter().map(|source| source.cause).collect();
    (mark.exists(), causes)
}

#[test]
fn what_the_shell_runs_first_is_listed_and_what_it_does_not_is_not() {
    let function = ("BASH_FUNC_true%%", "() { MARK; }");
    for (words, (variable, value), cause) in [
        (&["bash", "-c", ":"] as &[&str], ("BASH_ENV", "FILE"), Some(Cause::BashEnv)),
        (&["bash", "-c", ":"], ("BASH_ENV", "$(MARK)"), Some(Cause::BashEnv)),
        (&["bash", "-lc", ":"], ("BASH_ENV", "FILE"), Some(Cause::BashEnv)),
        (&["bash", "FILE.absent"], ("BASH_ENV", "FILE"), Some(Cause::BashEnv)),
        (&["bash", "-s"], ("BASH_ENV", "FILE"), Some(Cause::BashEnv)),
        (&["bash", "-pc", ":"], ("BASH_ENV", "FILE"), None),
        (&["bash", "--posix", "-c", ":"], ("BASH_ENV", "FILE"), None),
        (&["bash", "--version"], ("BASH_ENV", "FILE"), None),
        (&["bash", "-c", ":"], ("ENV", "FILE"), None),
        (&["bash", "--posix", "-ic", ":"], ("ENV", "FILE"), Some(Cause::Env)),
        (&["bash", "--posix", "-ipc", ":"], ("ENV", "FILE"), None),
        (&["dash", "-ic", ":"], ("ENV", "FILE"), Some(Cause::Env)),
        (&["dash", "-c", ":"], ("ENV", "FILE"), None),
        (&["sh", "-ic", ":"], ("ENV", "FILE"), Some(Cause::Env)),
        (&["bash", "--rcfile", "FILE", "-ic", ":"], ("A", "1"), Some(Cause::RcFile)),
        (&["bash", "--init-file", "FILE", "-ic", ":"], ("A", "1"), Some(Cause::RcFile)),
        (&["bash", "--rcfile", "FILE", "-c", ":"], ("A", "1"), None),
        (&["bash", "--rcfile", "FILE", "--norc", "-ic", ":"], ("A", "1"), None),
        (&["bash", "-c", "true"], function, Some(Cause::Function)),
        (&["bash", "--posix", "-c", "true"], function, Some(Cause::Function)),
        (&["bash", "-pc", "true"], function, None),
        (&["bash", "-c", ":"], ("PS4", "$(MARK)"), None),
        (&["zsh", "-c", ":"], ("ZDOTDIR", "ZSH"), Some(Cause::ZshDirectory)),
    ] {
        let (ran, causes) = compare(words, variable, value);
        assert_eq!(ran, cause.is_some(), "the shell, {words:?} {variable}={value}");
        assert_eq!(causes.first().copied(), cause, "we, {words:?} {variable}={value}");
    }
}

#[test]
fn the_prompt_of_a_trace_is_listed_though_root_does_not_take_it_over() {
    for words in [&["bash", "-xc", ":"] as &[&str], &["bash", "-o", "xtrace", "-c", ":"]] {
        let (ran, causes) = compare(words, "PS4", "$(MARK)");
        assert_eq!(ran, !nix::unistd::geteuid().is_root());
        assert_eq!(causes, [Cause::TracePrompt]);
    }
    assert_eq!(compare(&["bash", "-c", ":"], "SHELLOPTS", "xtrace").1, [Cause::Options]);
}

#[test]
fn in_another_directory_an_entry_of_path_that_is_no_whole_path_leads_elsewhere() {
    let judge = crate::verdicts::judge();
    let severity = |path: &str, line: &str| {
        let environment = HashMap::from([("PATH".to_owned(), path.to_owned())]).into();
        let facts = Facts { environment, ..judge.facts.clone() };
        let judge = Judge::supposing(RuleSet::builtin(), facts);
        judge.judge(&Request::about(line.as_bytes())).unwrap().assessment.severity
    };
    for path in [".:/usr/bin", ":/usr/bin", "/usr/bin:", "node_modules/.bin:/usr/bin"] {
        for line in ["cd src && ls", "(cd src; ls)", "pushd src; git status", "cd src; env ls"] {
            assert!(severity(path, line) > Severity::Low, "{path} {line}");
        }
        for line in ["ls", "cd src && pwd", "cd src && /usr/bin/ls", "(cd src); ls"] {
            assert_eq!(severity(path, line), Severity::Low, "{path} {line}");
        }
    }
    assert_eq!(severity("/usr/bin:/bin", "cd src && ls"), Severity::Low);
}

#[test]
fn variables_of_the_caller_count_as_the_lines_where_they_run_what_is_not_the_owners() {
    let judge = crate::verdicts::judge();
    let environment: std::sync::Arc<_> =
        HashMap::from([("HOME".to_owned(), "/tmp/x".to_owned())]).into();
    let moved = Facts { environment, is_home_moved: true, ..judge.facts.clone() };
    assert_eq!(inherited(&moved), [("HOME", "/tmp/x")]);
    let counted = |name: &str, value: &str| {
        let environment = HashMap::from([(name.to_owned(), value.to_owned())]).into();
        let facts = Facts { environment, ..judge.facts.clone() };
        !inherited(&facts).is_empty()
    };
    for (name, value) in [
        ("LD_PRELOAD", "/tmp/x.so"),
        ("LD_PRELOAD", "./x.so"),
        ("LD_LIBRARY_PATH", "/usr/lib:/home/dev/project/lib"),
        ("NODE_OPTIONS", "--require=./x.js"),
        ("NODE_OPTIONS", "--max-old-space-size=99 -r /tmp/x.js"),
        ("GIT_EXTERNAL_DIFF", "/tmp/x"),
        ("GIT_EXTERNAL_DIFF", "rm -rf src"),
        ("GIT_EXTERNAL_DIFF", "/bin/rm -rf src"),
        ("GIT_SSH_COMMAND", "ssh -o ProxyCommand='x;y'"),
        ("GIT_EDITOR", "sh -c 'rm x'"),
        ("GIT_PAGER", "less | tee x"),
        ("EDITOR", "/home/dev/project/editor"),
        ("PYTHONSTARTUP", "/var/tmp/x.py"),
        ("MAKEFILES", "../x.mk"),
        ("GIT_TRACE", "/home/dev/project/src/main.rs"),
        ("GIT_TRACE_FSMONITOR", "/home/dev/.bashrc"),
        ("GIT_TRACE2_EVENT", "/home/dev/project/.git/config"),
        ("PERL5OPT", "-I/tmp/lib -Mx"),
        ("PATH", "bin:/usr/bin"),
        ("PATH", "/home/dev/project/bin:/usr/bin"),
        ("BASH_ENV", "/tmp/x.sh"),
    ] {
        assert!(counted(name, value), "{name}={value}");
    }
    for (name, value) in [
        ("PATH", "/home/dev/.local/bin:/home/dev/.nvm/versions/node/v22.1.0/bin:/usr/bin:/bin"),
        ("PATH", "/home/dev/project/.venv/bin:/home/dev/project/node_modules/.bin:/usr/bin"),
        ("PATH", "/tmp/agent-shims:/usr/bin"),
        ("GIT_INDEX_FILE", "/home/dev/project/.git/index"),
        ("EDITOR", "vim"),
        ("EDITOR", "emacsclient -t"),
        ("EDITOR", "subl --wait"),
        ("EDITOR", "/opt/idea/bin/idea.sh"),
        ("GIT_EDITOR", "true"),
        ("GIT_EDITOR", "code --wait"),
        ("GIT_SEQUENCE_EDITOR", ":"),
        ("GIT_PAGER", "cat"),
        ("PAGER", "less -FRX"),
        ("LESSOPEN", "| /usr/bin/lesspipe %s"),
        ("NODE_OPTIONS", "--max-old-space-size=4096"),
        ("LD_LIBRARY_PATH", "/usr/local/cuda/lib64"),
        ("GIT_ASKPASS", "/home/dev/.vscode-server/bin/askpass.sh"),
        ("GIT_SSH_COMMAND", "ssh -i /home/dev/.ssh/work -o IdentitiesOnly=yes"),
        ("PYTHONSTARTUP", "/home/dev/.pythonrc"),
        ("PYTHONPATH", "/home/dev/lib"),
        ("JAVA_TOOL_OPTIONS", "-Xmx2g"),
        ("CC", "clang"),
        ("RUSTC_WRAPPER", "sccache"),
        ("MAKEFLAGS", " -j4 --jobserver-auth=3,4"),
        ("BASH_ENV", "/usr/share/modules/init/bash"),
        // Of the one that the agent has itself.
        ("HOME", "/tmp/x"),
    ] {
        assert!(!counted(name, value), "{name}={value}");
    }
}

#[test]
fn settings_of_the_caller_count_as_the_lines_where_they_lead_to_a_program() {
    let judge = crate::verdicts::judge();
    let counted = |key: &str, value: &str| {
        let pair =
            [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", key), ("GIT_CONFIG_VALUE_0", value)];
        let environment: HashMap<_, _> =
            pair.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let facts = Facts { environment: environment.into(), ..judge.facts.clone() };
        !inherited(&facts).is_empty()
    };
    for (key, value) in [
        ("core.fsmonitor", "/usr/bin/x"),
        ("alias.status", "!rm -rf src"),
        ("core.hooksPath", "/tmp/hooks"),
        ("credential.helper", "/tmp/x"),
        ("credential.helper", "!./x"),
        ("include.path", "x"),
    ] {
        assert!(counted(key, value), "{key}={value}");
    }
    for (key, value) in [
        ("safe.bareRepository", "explicit"),
        ("core.sshCommand", ""),
        ("credential.helper", ""),
        ("credential.helper", "/opt/gemini/helper"),
        ("credential.helper", "store"),
        ("credential.helper", "store"),
        ("user.name", "x"),
        ("core.pager", "cat"),
        ("color.ui", "never"),
    ] {
        assert!(!counted(key, value), "{key}={value}");
    }
}

#[test]
fn what_a_caller_sets_is_judged_with_the_line() {
    let place = Place::new();
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    place.write("work/bin/ls", "#!/bin/sh\nrm -rf ~\n");
    let status = |name: &str, value: &str, line: &str| {
        place.guard(["-c", line]).env(name, value).run().code()
    };
    assert_eq!(status("GIT_PAGER", "cat", "echo hi"), Some(0));
    assert_eq!(status("GIT_EXTERNAL_DIFF", "/tmp/absent", "echo hi"), Some(126));
    assert_eq!(status("LD_PRELOAD", "./absent.so", "echo hi"), Some(126));
    assert_eq!(status("PATH", "bin:/usr/bin:/bin", "echo hi"), Some(0));
    assert_eq!(status("PATH", "bin:/usr/bin:/bin", "ls"), Some(126));
}

#[test]
fn programs_on_the_path_of_a_caller_make_no_verdict_laxer() {
    let place = Place::new();
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    for name in ["bin/rm", "bin/ls", "other/rm"] {
        place.write(&format!("work/{name}"), "#!/bin/sh\necho forged\n");
    }
    place.write("work/other/ls", "#!/bin/sh\nrm -rf ~\n");
    place.write("work/kept", "");
    // What the system's program does is judged, wherever the directory stands.
    for path in ["bin:/usr/bin:/bin", "/usr/bin:/bin:bin", "bin:other:/usr/bin:/bin"] {
        for (line, says) in
            [("rm kept", "deletes"), ("rm -rf ~", "home directory"), ("r=rm; $r kept", "deletes")]
        {
            let ended = place.guard(["-c", line]).env("PATH", path).run();
            assert_eq!(ended.code(), Some(126), "{path}: {line}: {}", ended.err());
            assert!(ended.err().contains(says), "{path}: {line}: {}", ended.err());
        }
    }
    assert!(place.path("work/kept").exists());
    // So is what each of the others does.
    for path in ["bin:other:/usr/bin:/bin", "other:bin:/usr/bin:/bin", "/usr/bin:/bin:bin:other"] {
        let ended = place.guard(["-c", "ls"]).env("PATH", path).run();
        assert_eq!(ended.code(), Some(126), "{path}: {}", ended.err());
    }
    let ended = place.guard(["-c", "ls"]).env("PATH", "/usr/bin:/bin:bin").run();
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
}
