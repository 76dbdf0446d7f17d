//! What strace prints, as values: one [`Call`] for each system call, with the process that made it.
//! Knows the form of the lines and nothing of what the calls mean.
//!
//! strace is run with `-f -y -xx -s`: each line begins with the number of the process, each descriptor is followed by its
//! path in angle brackets, and every byte of a string is `\xHH`, so that no quote, bracket or newline of a string can be
//! mistaken for strace's own.

use std::collections::HashMap;

/// One system call that has returned, or what ended its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The process.
    pub pid: u32,
    /// The name of the call.
    pub name: String,
    /// What it was given.
    pub arguments: Vec<Value>,
    /// What came of it.
    pub outcome: Outcome,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A file descriptor, by the path that it stands for.
    Descriptor(String),
    /// `AT_FDCWD`, by the working directory that it stands for.
    Here(String),
    /// A list, as `argv` is.
    List(Vec<Value>),
    /// Anything else, as strace prints it: flags, modes, addresses, structures.
    Other(String),
}

impl Value {
    /// Returns the string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Descriptor(_) | Self::Here(_) | Self::List(_) | Self::Other(_) => None,
        }
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned this number, and the path of the descriptor if it is one.
    Returned(i64, Option<String>),
    /// It failed with this error, by name.
    Failed(String),
    /// The process ended with this status, or `None` if a signal killed it. There was no call.
    Ended(Option<i32>),
    /// The process ended, or became another program, before it returned.
    Unknown,
}

/// Reads everything that strace printed. What is not understood is an error: nothing may be overlooked.
pub fn parse(text: &str) -> Result<Vec<Call>, String> {
    let mut calls = Vec::new();
    let mut unfinished: HashMap<u32, String> = HashMap::new();
    for line in text.lines() {
        let wrong = |what: &str| format!("{what} in the trace: {line}");
        let (pid, rest) = line.split_once(' ').ok_or_else(|| wrong("no process"))?;
        let pid: u32 = pid.parse().map_err(|_| wrong("no process"))?;
        let rest = rest.trim_start();
        if let Some(event) = rest.strip_prefix("+++ ") {
            unfinished.remove(&pid);
            calls.extend(ended(event).map(|outcome| Call {
                pid,
                name: String::new(),
                arguments: Vec::new(),
                outcome,
            }));
        } else if rest.starts_with("--- ") {
            // A signal, which is no call.
        } else if rest.starts_with("???(")
            || rest.starts_with("<... ??? resumed>")
            || rest.ends_with(" <detached ...>")
        {
            // The process was killed before the call returned.
        } else if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
            // A process has one call at a time. One that never returned belongs to a thread that another's `execve` ended.
            unfinished.insert(pid, begun.to_owned());
        } else if let Some(resumed) = rest.strip_prefix("<... ") {
            let (_, end) = resumed.split_once(" resumed>").ok_or_else(|| wrong("no end"))?;
            let begun = unfinished.remove(&pid).ok_or_else(|| wrong("no beginning"))?;
            calls.push(Reader::new(&format!("{begun}{end}")).call(pid).map_err(|w| wrong(&w))?);
        } else {
            calls.push(Reader::new(rest).call(pid).map_err(|what| wrong(&what))?);
        }
    }
    Ok(calls)
}

/// Reads what stands between the plus signs at the end of a process.
fn ended(event: &str) -> Option<Outcome> {
    let event = event.trim_end_matches(" +++");
    if let Some(status) = event.strip_prefix("exited with ") {
        return Some(Outcome::Ended(status.parse().ok()));
    }
    event.starts_with("killed by ").then_some(Outcome::Ended(None))
}

/// Reads one line from left to right.
struct Reader<'a> {
    rest: &'a str,
    /// Whether strace cut off a string.
    is_cut: bool,
}

impl<'a> Reader<'a> {
    const fn new(rest: &'a str) -> Self {
        Self { rest, is_cut: false }
    }

    /// `name(argument, …) = outcome`
    fn call(mut self, pid: u32) -> Result<Call, String> {
        let (name, rest) = self.rest.split_once('(').ok_or("no call")?;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err("no name of a call".to_owned());
        }
        self.rest = rest;
        let arguments = self.values(')')?;
        let outcome = self.outcome()?;
        // The system refuses names that are as long as that.
        if self.is_cut && !matches!(outcome, Outcome::Failed(_)) {
            return Err("a string that strace cut off".to_owned());
        }
        Ok(Call { pid, name: name.to_owned(), arguments, outcome })
    }

    /// Values between commas, up to `end`, which is taken too.
    fn values(&mut self, end: char) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if let Some(rest) = self.rest.strip_prefix(end) {
                self.rest = rest;
                return Ok(values);
            }
            if self.rest.is_empty() {
                return Err(format!("no '{end}'"));
            }
            values.push(self.value(end)?);
        }
    }

    fn value(&mut self, end: char) -> Result<Value, String> {
        if let Some(rest) = self.rest.strip_prefix('"') {
            self.rest = rest;
            return self.string().map(Value::Text);
        }
        if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            return self.values(']').map(Value::List);
        }
        let word = self.word(end);
        match word.split_once('<') {
            Some((number, path)) => {
                let path = path.rsplit_once('>').map_or(path, |(path, _)| path);
                let is_here = number == "AT_FDCWD";
                decode(path).map(if is_here { Value::Here } else { Value::Descriptor })
            }
            None => Ok(Value::Other(word.to_owned())),
        }
    }

    /// The bytes of a string, behind its opening quote.
    fn string(&mut self) -> Result<String, String> {
        let (hex, rest) = self.rest.split_once('"').ok_or("a string without end")?;
        self.is_cut |= rest.starts_with("...");
        self.rest = rest.strip_prefix("...").unwrap_or(rest);
        decode(hex)
    }

    /// What is no string and no list, up to the next comma or `end` outside of brackets.
    fn word(&mut self, end: char) -> &'a str {
        let mut depth = 0_usize;
        let mut quoted = false;
        let length = self.rest.find(|c: char| {
            if c == '"' {
                quoted = !quoted;
            }
            if quoted {
                return false;
            }
            if depth == 0 && (c == ',' || c == end) {
                return true;
            }
            match c {
                '{' | '(' | '[' | '<' => depth += 1,
                '}' | ')' | ']' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            false
        });
        let (word, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// `= 3<path>`, `= -1 ENOENT (No such file or directory)`, `= ?`
    fn outcome(&mut self) -> Result<Outcome, String> {
        let text = self.rest.trim_start().strip_prefix('=').ok_or("no outcome")?.trim();
        if text.starts_with('?') {
            return Ok(Outcome::Unknown);
        }
        if let Some(error) = text.strip_prefix("-1 ") {
            let name = error.split(' ').next().unwrap_or(error);
            return Ok(Outcome::Failed(name.to_owned()));
        }
        let (number, path) = match text.split_once('<') {
            Some((number, path)) => {
                let path = path.split_once('>').map_or(path, |(path, _)| path);
                (number, Some(decode(path)?))
            }
            None => (text.split(' ').next().unwrap_or(text), None),
        };
        let number = number.trim().parse().map_err(|_| "no number as outcome")?;
        Ok(Outcome::Returned(number, path))
    }
}

/// Decodes `\xHH`; other characters stand for themselves, as in `pipe:[42]`. Bytes that are no text are replaced, as they
/// are in a verdict.
fn decode(hex: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(hex.len() / 4);
    let mut rest = hex;
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("\\x") {
            let digits = tail.get(..2).ok_or("half a byte")?;
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| "half a byte")?);
            rest = &tail[2..];
        } else {
            bytes.extend(c.to_string().bytes());
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes text as strace does.
    fn hex(text: &str) -> String {
        text.bytes().fold(String::new(), |hex, byte| format!("{hex}\\x{byte:02x}"))
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn only(line: &str) -> Call {
        let mut calls = parse(line).unwrap();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls.remove(0)
    }

    #[test]
    fn a_program_and_its_words_are_read() {
        let words =
            ["touch", "a b", "", "\"],) = 0", "é\n"].map(|word| format!("\"{}\"", hex(word)));
        let line = format!(
            "41    execve(\"{}\", [{}], 0x7ffe /* 6 vars */) = 0",
            hex("/usr/bin/touch"),
            words.join(", ")
        );
        let call = only(&line);
        assert_eq!((call.pid, call.name.as_str()), (41, "execve"));
        assert_eq!(call.arguments[0], text("/usr/bin/touch"));
        let words = ["touch", "a b", "", "\"],) = 0", "é\n"].map(text);
        assert_eq!(call.arguments[1], Value::List(words.to_vec()));
        assert_eq!(call.arguments[2], Value::Other("0x7ffe /* 6 vars */".to_owned()));
        assert_eq!(call.outcome, Outcome::Returned(0, None));
    }

    #[test]
    fn descriptors_are_read_with_their_paths() {
        let line = format!(
            "7 openat(AT_FDCWD<{}>, \"{}\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3<{}>",
            hex("/home/a>b"),
            hex("x"),
            hex("/home/a>b/x")
        );
        let call = only(&line);
        assert_eq!(call.arguments[0], Value::Here("/home/a>b".to_owned()));
        assert_eq!(call.arguments[2], Value::Other("O_WRONLY|O_CREAT|O_TRUNC".to_owned()));
        assert_eq!(call.outcome, Outcome::Returned(3, Some("/home/a>b/x".to_owned())));
        let below = only(&format!("7 mkdirat(4<{}>, \"{}\", 0777) = 0", hex("/a,b"), hex("x")));
        assert_eq!(below.arguments[..2], [Value::Descriptor("/a,b".to_owned()), text("x")]);
    }

    #[test]
    fn what_another_process_interrupted_is_put_together() {
        let lines = format!(
            "1 execve(\"{}\",  <unfinished ...>\n2 chdir(\"{}\") = 0\n1 <... execve resumed>[\"{}\"], 0x1 /* 0 vars */) = 0",
            hex("/bin/a"),
            hex("/"),
            hex("a")
        );
        let calls = parse(&lines).unwrap();
        assert_eq!(calls[0].name, "chdir");
        assert_eq!((calls[1].pid, &calls[1].arguments[0]), (1, &text("/bin/a")));
        assert_eq!(calls[1].arguments[1], Value::List(vec![text("a")]));
    }

    #[test]
    fn failures_and_ends_are_read() {
        let failed = format!("3 unlink(\"{}\") = -1 ENOENT (No such file or directory)", hex("x"));
        assert_eq!(only(&failed).outcome, Outcome::Failed("ENOENT".to_owned()));
        assert_eq!(only("3 +++ exited with 124 +++").outcome, Outcome::Ended(Some(124)));
        assert_eq!(only("3 +++ killed by SIGKILL +++").outcome, Outcome::Ended(None));
        let never = format!("3 execve(\"{}\", [], NULL) = ?", hex("/x"));
        assert_eq!(only(&never).outcome, Outcome::Unknown);
    }

    #[test]
    fn structures_are_one_value() {
        let line = "5 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7f, set_tid=[1, 2]}, 88) = 6";
        let call = only(line);
        assert_eq!(call.arguments.len(), 2);
        assert_eq!(call.outcome, Outcome::Returned(6, None));
        let shared = "5 clone3({flags=CLONE_VM} => {parent_tid=[0]}, 88) = 6";
        assert_eq!(only(shared).arguments.len(), 2);
    }

    #[test]
    fn signals_are_no_calls_and_what_is_not_understood_is_an_error() {
        assert_eq!(parse("3 --- SIGCHLD {si_signo=SIGCHLD} ---").unwrap(), []);
        assert_eq!(parse("3 <... ??? resumed>) = ?").unwrap(), []);
        assert_eq!(parse("3 ???( <unfinished ...>\n3 ???()  = ?").unwrap(), []);
        assert_eq!(parse("3 chdir(\"\\x2f\" <detached ...>").unwrap(), []);
        for line in [
            "no process",
            "3 nothing",
            "3 <... execve resumed>) = 0",
            "3 unlink(\"\\x41\"...) = 0",
            "3 unlink(\"\\x4\") = 0",
            "3 unlink(\"\\x41\"",
            "3 unlink(\"\\x41\")",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
