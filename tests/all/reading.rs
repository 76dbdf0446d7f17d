//! docs/reading.md: what is read of a line and what is not, as the rows of `tests/reading.toml` come out.

use std::fmt::Write as _;

use guarded_sh::model::Arg;
use guarded_sh::pipeline::Judgement;
use serde::Deserialize;

use crate::sheets;
use crate::verdicts::judged;

/// Set to anything, it makes the test write the page instead of comparing it.
const WRITES: &str = "GUARDED_SH_TEST_WRITES";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    section: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: String,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// What stands in the line.
    what: String,
    /// The line.
    line: String,
    /// Whether a part of it is not known, on purpose.
    #[serde(default)]
    opaque: bool,
}

fn rows() -> Vec<Section> {
    sheets::read::<Sheet>(&sheets::path("tests/reading.toml")).section
}

/// The text of a cell, which may hold anything.
fn cell(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.trim().chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '|' => shown.push_str("&#124;"),
            '\n' => shown.push_str("<br>"),
            // Signs that Markdown would take for its own.
            '*' | '_' | '`' | '\\' | '[' | ']' | '~' | '!' | '$' | '#' => {
                let _ = write!(shown, "&#{};", u32::from(letter));
            }
            _ => shown.push(letter),
        }
    }
    format!("<code>{shown}</code>")
}

/// The commands that were found, with `…` for a word that is not known.
fn commands(judgement: &Judgement) -> String {
    let commands = judgement.plan.commands.iter().map(|command| {
        let words = command.argv.iter().map(|word| match word {
            Arg::Known(word) if word.is_empty() => "''".to_owned(),
            Arg::Known(word) => word.clone(),
            _ => "…".to_owned(),
        });
        cell(&words.collect::<Vec<_>>().join(" "))
    });
    commands.collect::<Vec<_>>().join("<br>")
}

fn page() -> String {
    let mut page = String::from(
        "# What is read\n\n\
         Each line is one of a kind, with the commands that guarded-sh finds in it and what it makes of the whole. `…` is a word \
         that only the run knows: a line that holds one is not Low where the word matters. What is *not known* is asked about. \
         A test writes this page from `tests/reading.toml`; thousands of rows more stand in `tests/verdicts`, `tests/scripts` and \
         `tests/oracle`, the last of which bash runs while its system calls are watched.\n",
    );
    for section in rows() {
        let _ = write!(
            page,
            "\n## {}\n\n| what | line | commands found | not known | severity |\n|---|---|---|---|---|\n",
            section.name
        );
        for row in section.rows {
            let judgement = judged(&row.line);
            let mut reasons: Vec<String> =
                judgement.plan.opaque.iter().map(|it| it.reason.to_string()).collect();
            reasons.dedup();
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {} |",
                row.what,
                cell(&row.line),
                commands(&judgement),
                reasons.join("; "),
                judgement.assessment.severity.name(),
            );
        }
    }
    page
}

#[test]
fn what_is_read_and_what_is_not_is_as_the_rows_say() {
    let mut faults = Vec::new();
    for row in rows().into_iter().flat_map(|section| section.rows) {
        let judgement = judged(&row.line);
        let is_opaque = !judgement.plan.opaque.is_empty();
        if is_opaque != row.opaque {
            faults.push(format!("{:?}: {:?}", row.line, judgement.plan.opaque));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_page_shows_what_is_read() {
    let path = sheets::path("docs/reading.md");
    let page = page();
    if std::env::var_os(WRITES).is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = written.lines().zip(page.lines()).find(|(written, now)| written != now);
    assert!(written == page, "{WRITES}=1 writes it anew; the first that differs: {differ:?}");
}
