//! `verify`: whether the record is whole, and if not, where not.

use std::fmt::Write as _;

use serde::Serialize;

use super::arguments::Reader;
use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, print, short};
use crate::approval::visible;
use crate::audit::{Problem, Report};
use crate::pipeline;

/// Status of a record that is not whole.
const BROKEN: u8 = 1;

pub(super) fn run(reader: Reader) -> Result<u8, Failure> {
    let ground = Ground::here();
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let report = store.verify()?;
    let status = if report.is_whole() { 0 } else { BROKEN };
    let text = match reader {
        Reader::Program => format!("{}\n", serde_json::to_string(&WireReport::from(&report))?),
        Reader::Person => {
            let directory = store.directory().to_string_lossy();
            Output::new().fit(&told(&report, &short(&directory, ground.home()), ground.home()))
        }
    };
    print(&text)?;
    Ok(status)
}

fn told(report: &Report, directory: &str, home: Option<&str>) -> String {
    let mut text = String::new();
    let mut rows = |problems: &[Problem], word: &str| {
        for problem in problems {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: {word}{}", place(problem, home), problem.what);
        }
    };
    rows(&report.interruptions, "note: ");
    rows(&report.problems, "");
    let records = counted(report.records, "record");
    let directory = visible(directory).into_owned();
    let _ = match (report.is_whole(), report.records) {
        (true, 0) => writeln!(text, "whole: no records yet in {directory}"),
        (true, _) => writeln!(text, "whole: {records} in {directory}"),
        (false, _) => writeln!(
            text,
            "not whole: {} in {records} in {directory}",
            counted(report.problems.len() as u64, "problem")
        ),
    };
    text
}

fn place(problem: &Problem, home: Option<&str>) -> String {
    let path = short(&problem.path.to_string_lossy(), home);
    let path = visible(&path);
    if problem.line == 0 { path.into_owned() } else { format!("{path}:{}", problem.line) }
}

fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[derive(Serialize)]
struct WireReport {
    whole: bool,
    records: u64,
    problems: Vec<WireProblem>,
    interruptions: Vec<WireProblem>,
}

#[derive(Serialize)]
struct WireProblem {
    file: String,
    line: Option<u64>,
    what: String,
}

impl From<&Report> for WireReport {
    fn from(report: &Report) -> Self {
        let wire = |problems: &[Problem]| problems.iter().map(WireProblem::from).collect();
        Self {
            whole: report.is_whole(),
            records: report.records,
            problems: wire(&report.problems),
            interruptions: wire(&report.interruptions),
        }
    }
}

impl From<&Problem> for WireProblem {
    fn from(problem: &Problem) -> Self {
        Self {
            file: problem.path.to_string_lossy().into_owned(),
            line: Some(problem.line).filter(|line| *line > 0),
            what: problem.what.to_string(),
        }
    }
}
