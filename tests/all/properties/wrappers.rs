//! Text around a line that runs it all the same.

/// Text around a line.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper {
    before: &'static str,
    after: &'static str,
    quoting: Quoting,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quoting {
    /// The line as it is.
    None,
    /// The line as one word.
    Single,
    /// The line as it is, if nothing in it means something else between backticks.
    Backticks,
    /// The line as it is, if it has no here-document of its own, which would end this one.
    Body,
}

impl Wrapper {
    /// Returns the line with this around it; none where the line would not stay what it is.
    pub fn around(self, line: &str) -> Option<String> {
        let empty = format!("{}LINE{}", self.before, self.after);
        let means_other = |(part, lines): &(&str, &[&str])| {
            empty.contains(part) && lines.iter().any(|part| line.contains(part))
        };
        if MEANS_OTHER.iter().any(means_other) {
            return None;
        }
        let line = match self.quoting {
            Quoting::None => line.to_owned(),
            Quoting::Single => format!("'{}'", line.replace('\'', "'\\''")),
            Quoting::Backticks if line.contains(['`', '\\', '$']) => return None,
            Quoting::Body if line.contains("<<E") => return None,
            Quoting::Backticks | Quoting::Body => line.to_owned(),
        };
        Some(format!("{}{line}{}", self.before, self.after))
    }
}

/// Returns a line as one command.
pub fn grouped(line: &str) -> String {
    format!("{{ {line}; }}")
}

fn wrappers(
    rows: &'static [(&'static str, &'static str)],
    quoting: Quoting,
) -> impl Iterator<Item = Wrapper> {
    rows.iter().map(move |(before, after)| Wrapper { before, after, quoting })
}

/// Programs and builtins that run the words behind them. None runs them on another machine.
const ONE_PROGRAM: &[(&str, &str)] = &[
    ("sudo ", ""),
    ("sudo -u root -- ", ""),
    ("doas ", ""),
    ("env ", ""),
    ("env A=1 ", ""),
    ("env -i ", ""),
    ("env -- ", ""),
    ("timeout 5 ", ""),
    ("timeout -k 1 --signal=KILL 5s ", ""),
    ("nice ", ""),
    ("nice -n 5 ", ""),
    ("ionice -c 3 ", ""),
    ("nohup ", ""),
    ("setsid ", ""),
    ("stdbuf -oL ", ""),
    ("command ", ""),
    ("command -- ", ""),
    ("exec ", ""),
    ("exec -a name ", ""),
    ("time -p ", ""),
    ("/usr/bin/time -v ", ""),
    ("/usr/bin/env ", ""),
    ("busybox env ", ""),
    ("strace -f ", ""),
    ("flock /tmp/lock ", ""),
    ("xargs ", ""),
    ("echo x | xargs -n1 ", ""),
    ("find . -maxdepth 0 -exec ", " \\;"),
    ("A=1 ", ""),
    ("sudo env timeout 5 nice ", ""),
];

/// Wrappers, by a part of them, and lines, by a part of them, that mean something else in them.
const MEANS_OTHER: &[(&str, &[&str])] = &[
    // It replaces braces and ends at the first `+` behind them.
    ("find ", &["{}"]),
    // What it adds at the end is another destination, a place behind an expression, a pattern for the value to replace,
    // more text for the other machine.
    ("xargs ", &["rsync ", "{} +", "git config ", "ssh host '"]),
    // What it starts has nothing on its standard input.
    ("xargs -0 sh -c ", &["xargs "]),
    // Bash takes the parenthesis of the pattern for one of the arithmetic in some places; ours takes it so in all.
    ("$((1 + ", &["case "]),
    // Whether it decodes backslashes depends on the shell.
    ("echo LINE | bash", &["\\"]),
];

/// Shell text around shell text.
const SHELL_TEXT: &[(&str, &str)] = &[
    ("{ ", "; }"),
    ("( ", ")"),
    ("( ( ", " ) )"),
    ("! { ", "; }"),
    ("time { ", "; }"),
    ("true && { ", "; }"),
    ("false || { ", "; }"),
    ("true; ", ""),
    ("{ ", "; } > out.txt 2>&1"),
    ("{ { ", "; } & }"),
    ("echo \"$( ", ")\""),
    ("echo $( ", ")"),
    ("x=$( ", ")"),
    ("x=$( ", ") true"),
    ("echo \"${x:-$( ", ")}\""),
    ("echo $((1 + $( ", ")))"),
    ("[[ -n $( ", ") ]]"),
    ("cat <( ", ")"),
    ("true > >( ", ")"),
    ("cat <<< \"$( ", ")\""),
    ("if true; then ", "; fi"),
    ("if ", "; then true; fi"),
    ("if false; then true; else ", "; fi"),
    ("for i in 1; do ", "; done"),
    ("for ((i = 0; i < 1; i++)); do ", "; done"),
    ("while ", "; do break; done"),
    ("until false; do ", "; break; done"),
    ("case a in a) ", ";; esac"),
    ("case $( ", ") in *) ;; esac"),
    ("wrapped() { ", "; }; wrapped"),
    ("function wrapped { ", "; }\nwrapped"),
    ("wrapped() ( ", " ); wrapped"),
    ("coproc { ", "; }"),
    ("a=( $( ", ") )"),
    ("declare y=$( ", ")"),
];

/// Shell text that is given to a shell as one word.
const ONE_WORD: &[(&str, &str)] = &[
    ("bash -c ", ""),
    ("sh -c ", ""),
    ("bash -ec ", " name argument"),
    ("sudo bash -c ", ""),
    ("eval ", ""),
    ("eval \"\" ", ""),
    ("trap ", " EXIT"),
    ("bash <<< ", ""),
    ("echo ", " | bash"),
    ("printf '%s\\n' ", " | sh -s"),
    ("x=", "; eval \"$x\""),
    ("x=", "; bash -c \"$x\""),
    ("env bash -c ", ""),
    ("timeout 9 sh -c ", ""),
    ("xargs -0 sh -c ", ""),
    ("find . -exec sh -c ", " x {} +"),
    ("watch -n 1 ", ""),
    ("command eval ", ""),
    ("builtin eval ", ""),
    ("exec bash -c ", ""),
    ("su -c ", ""),
    ("script -qc ", " /dev/null"),
];

/// Shell text between backticks.
const BACKTICKS: &[(&str, &str)] = &[("echo `", "`"), ("x=`", "`; true")];

/// Shell text in a here-document.
const BODY: &[(&str, &str)] =
    &[("{ cat <<E\n$( ", ")\nE\n}"), ("{ bash <<E\necho \"$( ", ")\"\nE\n}")];

/// What can stand before a program with its words.
pub fn of_one_program() -> impl Iterator<Item = Wrapper> {
    wrappers(ONE_PROGRAM, Quoting::None)
}

/// What can stand around any shell text.
pub fn of_shell_text() -> impl Iterator<Item = Wrapper> {
    wrappers(SHELL_TEXT, Quoting::None)
        .chain(wrappers(ONE_WORD, Quoting::Single))
        .chain(wrappers(BACKTICKS, Quoting::Backticks))
        .chain(wrappers(BODY, Quoting::Body))
}
