//! `check --jsonl`: requests in, one a line; verdicts out, one a line, in order. A line that is no request gets an error in its place,
//! so that nothing else is lost and line N of the output is about line N of the input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;

use serde::{Deserialize, Serialize};

use super::arguments::Stdin;
use super::failure::{Failure, USAGE};
use super::verdict::WireVerdict;
use crate::approval::visible;
use crate::pipeline::{self, Request, World};

/// Longest line that is read: a command line and its JSON, with room to spare.
const LONGEST: u64 = 64 << 20;

/// Bytes that are read at once.
const BUFFER: usize = 64 << 10;

#[derive(Deserialize)]
struct WireRequest {
    command: String,
    cwd: Option<String>,
    #[serde(default)]
    stdin: Stdin,
}

#[derive(Serialize)]
struct WireError<'a> {
    error: &'a str,
    line: usize,
}

/// Judges requests until the input ends; returns the exit status.
pub(super) fn run(mut world: World) -> Result<u8, Failure> {
    let home = world.judge.facts.cwd.clone();
    // Not the library's stdin: that one does not say whether it holds more.
    let input = io::stdin().as_fd().try_clone_to_owned();
    let input = input.map_err(|error| Failure::new(format!("cannot read the input: {error}")))?;
    let mut input = BufReader::with_capacity(BUFFER, File::from(input));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut text = Vec::new();
    let mut status = 0;
    for line in 1.. {
        let read = match next(&mut input, &mut text) {
            Ok(Line::End) => break,
            Ok(Line::Whole) => request(&text),
            Ok(Line::TooLong) => Err(format!("longer than the {LONGEST} bytes that are read")),
            Err(error) => {
                out.flush()?;
                return Err(Failure::new(format!("cannot read line {line} of the input: {error}")));
            }
        };
        let judged = read.and_then(|request| judge(&mut world, request, home.as_ref()));
        match judged {
            Ok(verdict) => out.write_all(&verdict)?,
            Err(error) => {
                status = USAGE;
                serde_json::to_writer(&mut out, &WireError { error: &error, line })?;
                // Nothing is left to do if stderr is gone.
                let error = visible(&error).into_owned();
                let _ = writeln!(io::stderr(), "guarded-sh: line {line} of the input: {error}");
            }
        }
        out.write_all(b"\n")?;
        // A caller that waits for each answer gets it.
        if !is_more_at_hand(&input) {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(status)
}

/// Whether the next line has been read already, so that reading on does not wait.
fn is_more_at_hand(input: &BufReader<File>) -> bool {
    input.buffer().contains(&b'\n')
}

enum Line {
    Whole,
    TooLong,
    End,
}

fn next(input: &mut BufReader<File>, text: &mut Vec<u8>) -> io::Result<Line> {
    text.clear();
    let read = input.by_ref().take(LONGEST).read_until(b'\n', text)?;
    if read == 0 {
        return Ok(Line::End);
    }
    if text.last() == Some(&b'\n') || (read as u64) < LONGEST {
        return Ok(Line::Whole);
    }
    // The rest is passed over without being held.
    text.clear();
    input.skip_until(b'\n')?;
    Ok(Line::TooLong)
}

fn request(text: &[u8]) -> Result<WireRequest, String> {
    let text = std::str::from_utf8(text)
        .map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    let text = text.trim_ascii();
    if text.is_empty() {
        return Err("empty, where a request must be".to_owned());
    }
    if text.contains('\0') {
        return Err("a NUL byte, which JSON has as \\u0000".to_owned());
    }
    // Serde would take a list for the fields in their order.
    if !text.starts_with('{') {
        return Err("no JSON object".to_owned());
    }
    serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            return "ends before the object does".to_owned();
        }
        // The place is a column: what is read is one line.
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        format!("no request: {what} (column {})", error.column())
    })
}

fn judge(
    world: &mut World,
    request: WireRequest,
    home: Option<&String>,
) -> Result<Vec<u8>, String> {
    let cwd = request.cwd.or_else(|| home.cloned());
    if let Some(cwd) = cwd.as_ref().filter(|cwd| !cwd.starts_with('/')) {
        return Err(format!("`cwd` is an absolute path, not '{cwd}'"));
    }
    if world.judge.facts.cwd != cwd {
        world.move_to(cwd).map_err(|stop| stop.reason())?;
    }
    world.judge.facts.input = request.stdin.into();
    let judged = world.judge(&Request::about(request.command.as_bytes()));
    let judgement = pipeline::supposed(world, judged.map_err(|stop| stop.reason())?);
    serde_json::to_vec(&WireVerdict::from(&judgement)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match request(text.as_bytes()) {
            Ok(request) => format!("{} {:?} {:?}", request.command, request.cwd, request.stdin),
            Err(error) => error,
        }
    }

    #[test]
    fn a_request_is_an_object_with_a_command() {
        assert_eq!(said(r#"{"command":"ls"}"#), "ls None Nothing");
        assert_eq!(said(r#" {"x":[1],"cwd":"/a","command":"ls"} "#), "ls Some(\"/a\") Nothing");
        assert_eq!(said(r#"{"command":"ls","stdin":"unknown"}"#), "ls None Unknown");
        assert_eq!(said("{\"command\":\"a\\u0000b\"}"), "a\0b None Nothing");
    }

    #[test]
    fn what_is_no_request_is_told_by_its_own_words() {
        for (text, error) in [
            ("", "empty, where a request must be"),
            (" \r", "empty, where a request must be"),
            ("[\"ls\",\"/\"]", "no JSON object"),
            ("null", "no JSON object"),
            ("{\"command\":\"ls", "ends before the object does"),
            ("{}", "no request: missing field `command` (column 2)"),
            ("{\"command\":\"ls\"} x", "no request: trailing characters (column 18)"),
            ("{\"command\":\0}", "a NUL byte, which JSON has as \\u0000"),
        ] {
            assert_eq!(said(text), error, "{text:?}");
        }
        assert!(said("{\"command\":1}").starts_with("no request: invalid type: integer `1`"));
        assert_eq!(request(b"{\"command\":\"\xff\"}").err().unwrap(), "byte 13 is not UTF-8");
    }
}
