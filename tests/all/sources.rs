//! What runs before the line: each row is given to the real shell, which leaves a mark if it ran it, and to `sources`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use guarded_sh::cli::{self, Invocation};
use guarded_sh::model::Shell;
use guarded_sh::observe::{Cause, Environment, sources};

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
