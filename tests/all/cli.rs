//! Argv as the real shells take it: each row is given to our parser and to the shell, which says itself what it ran.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

use guarded_sh::cli::{self, Invocation};
use guarded_sh::model::{Setting, Shell, ShellInvocation, ShellMode};

/// Says where it came from, what `$0` and the parameters are, and which options the shell has.
const PROGRAM: &str = r#"printf ':%s:%s' "$0" $#; printf ':%s' "$@"; echo; case $- in *i*) echo interactive; esac; case $- in *r*) echo restricted; esac; case $- in *p*) echo privileged; esac; case $(shopt -p login_shell) in *-s*) echo login; esac; case $(shopt -po posix) in *-o*) echo posix; esac"#;

fn line() -> String {
    format!("printf '<%s>' line; {PROGRAM}")
}

fn run(shell: &str, argv: &[OsString]) -> Output {
    let mut child = Command::new(format!("/bin/{shell}"))
        .arg0(&argv[0])
        .args(&argv[1..])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/does/not/exist")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A shell that does not read its input closes it early.
    let _ =
        child.stdin.take().unwrap().write_all(format!("printf '<%s>' input; {PROGRAM}").as_bytes());
    child.wait_with_output().unwrap()
}

/// What the shell should say if it reads argv as we do. None: it runs nothing.
fn expected(invocation: &ShellInvocation) -> Option<String> {
    let place = match invocation.mode {
        ShellMode::CommandLine { index } if invocation.argv[index].to_str() == Some(&line()) => {
            "line"
        }
        ShellMode::Input => "input",
        ShellMode::CommandLine { .. } | ShellMode::Script { .. } | ShellMode::Information => {
            return None;
        }
    };
    let parameters = invocation.positional();
    let mut said =
        format!("<{place}>:{}:{}", invocation.dollar_zero().to_str().unwrap(), parameters.len());
    for parameter in parameters {
        said.push(':');
        said.push_str(parameter.to_str().unwrap());
    }
    if parameters.is_empty() {
        said.push(':');
    }
    said.push('\n');
    let restricted = invocation.restricted;
    for (is, name) in [
        (invocation.interactive, "interactive\n"),
        (restricted, "restricted\n"),
        (invocation.privileged, "privileged\n"),
        (invocation.login, "login\n"),
        (invocation.posix, "posix\n"),
    ] {
        said.push_str(if is { name } else { "" });
    }
    Some(said)
}

fn words(name: &str, options: &[&str]) -> Vec<OsString> {
    let line = line();
    let tail = [line.as_str(), "a", "b c"];
    std::iter::once(&name).chain(options).chain(&tail).map(OsString::from).collect()
}

fn parse(argv: &[OsString]) -> Result<ShellInvocation, cli::Error> {
    match cli::parse(argv.to_vec(), Shell::Bash)? {
        Invocation::Shell(invocation) => Ok(invocation),
        Invocation::Subcommand(words) => panic!("{words:?} is no subcommand"),
        Invocation::Direct(program) => panic!("{program:?} is no shell"),
        Invocation::Client => panic!("it is no shell"),
    }
}

/// Compares what bash does with what we say it does.
fn compare_bash(argv: &[OsString]) {
    let output = run("bash", argv);
    let said = String::from_utf8(output.stdout).unwrap();
    let complained = String::from_utf8(output.stderr).unwrap();
    let status = output.status.code();
    let context = format!("{argv:?}\nstatus {status:?}\nstdout {said}\nstderr {complained}");
    let invocation = match parse(argv) {
        Ok(invocation) => invocation,
        Err(error) => {
            assert!(!said.contains('<'), "{context}");
            // The name that a bare `-o` got may be what bash stumbles over first.
            let same = complained.starts_with(&error.to_string());
            assert!(same || complained.contains("invalid option name"), "{error}\n{context}");
            // A name that bash does not know counts as an error of its own, as `-e` takes it.
            let expected = if same { i32::from(error.status()) } else { 2 };
            assert!(status == Some(expected) || (!same && status == Some(1)), "{context}");
            return;
        }
    };
    let refused = complained.contains("invalid option name")
        || complained.contains("invalid shell option name");
    if refused {
        let named = |setting: &Setting| matches!(setting, Setting::Named(..) | Setting::Shopt(..));
        assert!(invocation.settings.iter().any(named), "{context}");
        assert_eq!((status, said.contains('<')), (Some(2), false), "{context}");
        return;
    }
    let idle = invocation.settings.iter().any(|setting| {
        matches!(setting, Setting::Letter('n' | 'D', _))
            || matches!(setting, Setting::Long("dump-strings" | "dump-po-strings"))
    });
    // With no name for `-o` the list of the options stands before all else.
    let own =
        said.find("<line>").or_else(|| said.find("<input>")).map_or("", |start| &said[start..]);
    match expected(&invocation) {
        Some(expected) if !idle => assert_eq!(own, expected, "{context}"),
        _ => assert_eq!(own, "", "{context}"),
    }
    if let ShellMode::Script { index } = invocation.mode
        && !idle
    {
        let path = argv[index].to_str().unwrap();
        assert!(complained.contains(&format!("{path}: ")), "{context}");
    }
}

#[test]
fn bash_takes_these_as_we_do() {
    for row in [
        "-c",
        "-lc",
        "-xec",
        "-ic",
        "-c -l",
        "-c --",
        "-c -",
        "-- -c",
        "- -c",
        "-cs",
        "-s",
        "-s --",
        "-eo pipefail -c",
        "-euo pipefail -c",
        "-ceo pipefail",
        "-oo pipefail errexit -c",
        "-o pipefail -O extglob +O nullglob +o posix -c",
        "-o posix -c",
        "-oO pipefail extglob -c",
        "+x -c",
        "+c",
        "+ -c",
        "-+c",
        "-c+",
        "--login -c",
        "-login -c",
        "--norc --noprofile -c",
        "-norc -c",
        "-c -norc",
        "-c --norc",
        "--rcfile /does/not/exist -c",
        "-rcfile -c -c",
        "--init-file -c",
        "--rcfile=x -c",
        "--posix -c",
        "--noediting --verbose --restricted -c",
        "-r -c",
        "-p -c",
        "-o privileged -c",
        "--debugger -c",
        "--dump-strings -c",
        "--version -c",
        "--help -Z",
        "--version --nothing",
        "--nothing -c",
        "-Z -c",
        "-n -c",
        "-D -c",
        "-tc",
        "/does/not/exist -c",
        "-x /does/not/exist",
        "",
    ] {
        let options: Vec<&str> = row.split_whitespace().collect();
        compare_bash(&words("bash", &options));
        compare_bash(&words("-bash", &options));
        compare_bash(&words("/a/b/guarded-bash", &options));
    }
}

#[test]
fn bash_refuses_what_we_refuse() {
    for row in [
        "-c",
        "-ec",
        "-c -o",
        "-c -O",
        "-c -eo pipefail",
        "-c --",
        "-c -",
        "--rcfile",
        "--init-file",
        "-rcfile",
        "--nonsense",
        "-c --nonsense",
        "-cZ",
        "-eZ",
        "-Ze",
        "-ce",
        "-e +e -c",
        "-o",
        "-O",
        "-so",
        "--",
        "-",
    ] {
        let argv: Vec<OsString> =
            std::iter::once("bash").chain(row.split_whitespace()).map(OsString::from).collect();
        compare_bash(&argv);
    }
    let empty = [OsString::from("bash"), OsString::from("-c"), OsString::new()];
    assert_eq!(parse(&empty).unwrap().mode, ShellMode::CommandLine { index: 2 });
}

const PIECES: [&str; 24] = [
    "-c", "-l", "-lc", "-xe", "+e", "-o", "-eo", "+o", "-O", "pipefail", "posix", "extglob", "--",
    "-", "+", "--norc", "-norc", "--login", "--posix", "--rcfile", "-s", "-cs", "-p", "x",
];

#[test]
fn bash_takes_every_pair_of_options_as_we_do() {
    for first in PIECES {
        for second in PIECES {
            compare_bash(&words("bash", &[first, second]));
        }
    }
}

#[test]
fn bash_takes_longer_mixtures_as_we_do() {
    let mut state = 1_u64;
    for _ in 0..600 {
        let mut options = Vec::new();
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let index = usize::try_from(state >> 33).unwrap() % (PIECES.len() + 6);
            options.extend(PIECES.get(index));
        }
        compare_bash(&words("bash", &options));
    }
}

/// The same for shells of which we take only what is certain: what we accept, they do; what we refuse is not compared.
fn compare_certain(shell: &str, name: &str, options: &[&str]) -> bool {
    let line = r#"printf '<%s>:%s:%s' line "$0" $#; printf ':%s' "$@"; echo"#;
    let argv: Vec<OsString> = std::iter::once(&name)
        .chain(options)
        .chain(&[line, "a", "b"])
        .map(OsString::from)
        .collect();
    let Ok(invocation) = parse(&argv) else { return false };
    let output = run(shell, &argv);
    let said = String::from_utf8(output.stdout).unwrap();
    let mut own = said.find("<line>").map_or("", |start| &said[start..]);
    if invocation.reads_on {
        // Behind the line comes what stands on standard input.
        own = own.split_inclusive('\n').next().unwrap_or_default();
    }
    let ours = match invocation.mode {
        ShellMode::CommandLine { index } if argv[index] == line => {
            let parameters = invocation.positional();
            let joined: Vec<_> = parameters.iter().map(|word| word.to_str().unwrap()).collect();
            let zero = invocation.dollar_zero().to_str().unwrap();
            format!("<line>:{zero}:{}:{}\n", parameters.len(), joined.join(":"))
        }
        _ => String::new(),
    };
    // A shell that has not all that the others have runs nothing.
    assert!(own == ours || (own.is_empty() && !output.status.success()), "{argv:?}\n{said}");
    own == ours && !ours.is_empty()
}

#[test]
fn other_shells_run_what_we_say_they_run() {
    for (shell, name, most) in
        [("dash", "dash", 40), ("dash", "sh", 40), ("bash", "sh", 40), ("zsh", "zsh", 25)]
    {
        let extra = ["-i", "-f", "-u", "errexit", "-b", "-oerrexit", "-x", "stdin"];
        let pieces: Vec<&str> = PIECES.into_iter().chain(extra).collect();
        let mut ran = 0;
        for first in &pieces {
            for second in &pieces {
                ran += usize::from(compare_certain(shell, name, &[first, second]));
            }
        }
        assert!(ran >= most, "only {ran} calls of {shell} as {name} were understood");
    }
}

#[test]
fn zsh_options_that_are_not_known_are_refused() {
    for row in ["-b -c", "-s -c", "+c", "--errexit -c", "-o extendedglob -c", "-oc errexit"] {
        let options: Vec<&str> = row.split_whitespace().collect();
        let refused = parse(&words("zsh", &options)).unwrap_err();
        assert!(matches!(refused, cli::Error::UnknownOption { .. }), "{row}: {refused}");
        assert_eq!(refused.status(), 126);
    }
}

#[test]
fn only_our_own_name_has_subcommands() {
    let of = |words: &[&str]| cli::parse(words.iter().map(OsString::from).collect(), Shell::Bash);
    let is_subcommand = |words: &[&str]| matches!(of(words), Ok(Invocation::Subcommand(_)));
    assert!(is_subcommand(&["/usr/bin/guarded-sh", "check", "ls"]));
    assert!(is_subcommand(&["guarded-sh", "--version"]));
    assert!(!is_subcommand(&["guarded-sh", "--version", "-c", "x"]));
    assert!(!is_subcommand(&["guarded-sh", "./check"]));
    assert!(!is_subcommand(&["guarded-sh", "-c", "check"]));
    for name in ["guarded-bash", "bash", "sh", "zsh", "guarded-zsh", "-bash", "link"] {
        assert!(!is_subcommand(&[name, "check", "ls"]), "{name}");
    }
}

#[test]
fn the_name_says_which_shell_and_whether_it_is_a_login_shell() {
    let of = |name: &str, configured| match cli::parse(
        [name, "-c", "x"].map(OsString::from).to_vec(),
        configured,
    )
    .unwrap()
    {
        Invocation::Shell(invocation) => (invocation.shell, invocation.login),
        Invocation::Subcommand(_) | Invocation::Direct(_) | Invocation::Client => {
            panic!("{name} -c is a call of the shell")
        }
    };
    assert_eq!(of("guarded-sh", Shell::Bash), (Shell::Bash, false));
    assert_eq!(of("guarded-sh", Shell::Zsh), (Shell::Zsh, false));
    assert_eq!(of("-guarded-sh", Shell::Bash), (Shell::Bash, true));
    assert_eq!(of("/x/guarded-zsh", Shell::Bash), (Shell::Zsh, false));
    assert_eq!(of("-zsh", Shell::Bash), (Shell::Zsh, true));
    assert_eq!(of("/bin/sh", Shell::Bash), (Shell::Sh, false));
    assert_eq!(of("guarded-dash", Shell::Bash), (Shell::Dash, false));
    assert_eq!(of("", Shell::Bash), (Shell::Bash, false));
}

#[test]
fn a_program_that_no_shell_starts_is_the_line_that_would_start_it() {
    let raw = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    for (words, line) in [
        (&[b"/bin/rm" as &[u8], b"rm", b"-f", b"a b"] as &[&[u8]], b"/bin/rm -f 'a b'" as &[u8]),
        (&[b"/bin/rm", b"other", b"a"], b"exec -a other -- /bin/rm a"),
        (&[b"/x/rm", b"/y/rm"], b"/x/rm"),
        (&[b"/bin/rm", b"rm", b"", b"it's", b"~", b"$x"], b"/bin/rm '' 'it'\\''s' '~' '$x'"),
        (&[b"/bin/rm", b"rm", b"\xff\n'"], b"/bin/rm '\xff\n'\\'''"),
        (&[b"/bin/rm"], b"exec -a '' -- /bin/rm"),
    ] {
        let all = [b"guarded-sh" as &[u8], b"--direct"].iter().chain(words).map(|word| raw(word));
        let parsed = cli::parse(all.collect(), Shell::Bash).unwrap();
        let Invocation::Direct(program) = parsed else { panic!("{parsed:?}") };
        assert_eq!(program.line(), raw(line));
    }
    let other = cli::parse(["bash", "--direct", "x"].map(OsString::from).to_vec(), Shell::Bash);
    assert!(!matches!(other, Ok(Invocation::Direct(_))));
}
