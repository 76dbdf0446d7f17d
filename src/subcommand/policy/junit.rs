//! What came of the tests of a policy as JUnit XML, which CI systems read.

use std::fmt::Display;
use std::time::Duration;

use super::report::{Coverage, Done, Place, Report, UNFIRED, failed};
use crate::approval::visible;

pub(super) fn written(report: &Report) -> String {
    let coverage = report.coverage.as_ref();
    let unfired = coverage.map_or(0, |coverage| coverage.unfired.len());
    let is_required = coverage.is_some_and(|coverage| coverage.required);
    let (missing, skipped) = if is_required { (unfired, 0) } else { (0, unfired) };
    let (tests, examples) = (&report.tests, &report.examples);
    let count = tests.len() + examples.len() + coverage.map_or(0, Coverage::rules);
    let failures = failed(tests) + failed(examples) + missing;
    let time = seconds(report.all().map(|done| done.took).sum());
    let mut rows = vec![
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned(),
        format!(
            "<testsuites name=\"guarded-sh policy test\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{time}\">"
        ),
    ];
    suite("tests", tests, &mut rows);
    suite("examples", examples, &mut rows);
    if let Some(coverage) = coverage {
        let count = coverage.rules();
        rows.push(format!(
            "  <testsuite name=\"coverage\" tests=\"{count}\" failures=\"{missing}\" errors=\"0\" skipped=\"{skipped}\">"
        ));
        covered(coverage, &mut rows);
        rows.push("  </testsuite>".to_owned());
    }
    rows.push("</testsuites>\n".to_owned());
    rows.join("\n")
}

fn suite(name: &str, all: &[Done], rows: &mut Vec<String>) {
    let (count, failures) = (all.len(), failed(all));
    let time = seconds(all.iter().map(|done| done.took).sum());
    rows.push(format!(
        "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{time}\">"
    ));
    for done in all {
        let head = format!(
            "{} time=\"{}\"",
            case(&done.name, done.rule.as_deref().unwrap_or(name), &done.place),
            seconds(done.took)
        );
        let Some(first) = done.faults.first() else {
            rows.push(format!("{head}/>"));
            continue;
        };
        let found = done.found.iter().flat_map(|found| &found.findings);
        let found =
            found.map(|one| format!("found: {} {}: {}", one.severity.name(), one.rule, one.reason));
        let begin = [done.place.to_string(), done.line.clone()].into_iter();
        let body: Vec<String> = begin.chain(done.faults.iter().cloned()).chain(found).collect();
        let (message, body) = (attribute(first), escaped(&body.join("\n")));
        rows.push(format!(
            "{head}>\n      <failure type=\"{name}\" message=\"{message}\">{body}</failure>\n    </testcase>"
        ));
    }
    rows.push("  </testsuite>".to_owned());
}

fn covered(coverage: &Coverage, rows: &mut Vec<String>) {
    for one in &coverage.unfired {
        let head = case(&one.rule, "coverage", &one.place);
        let sign = if coverage.required { "failure type=\"coverage\"" } else { "skipped" };
        rows.push(format!("{head}>\n      <{sign} message=\"{UNFIRED}\"/>\n    </testcase>"));
    }
    for one in &coverage.fired {
        rows.push(format!("{}/>", case(&one.rule, "coverage", &one.place)));
    }
}

/// The beginning of a test case, with where it stands.
fn case(name: &str, class: &str, place: &Place) -> String {
    let (name, class) = (attribute(name), attribute(class));
    let (file, at) = (attribute(&place.file), place.at);
    format!("    <testcase name=\"{name}\" classname=\"{class}\" file=\"{file}\" line=\"{at}\"")
}

fn seconds(time: Duration) -> impl Display {
    format!("{:.3}", time.as_secs_f64())
}

/// Returns a text for an attribute, where line breaks and tabs as they are would become spaces.
fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Returns a text for XML. What XML has no way to write (XML 1.0, 2.2) is written out, as it is for people.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup_or_no_character_of_xml() {
        for (text, written) in [
            ("a && b > \"c\" <d> 'e'", "a &amp;&amp; b &gt; &quot;c&quot; &lt;d&gt; &apos;e&apos;"),
            ("a\nb\tc", "a\nb\tc"),
            ("\u{1b}[2J\u{0}\u{85}", "\\x1b[2J\\x00\\u{85}"),
            ("]]>", "]]&gt;"),
            ("é\u{10000}", "é\u{10000}"),
            ("\u{ffff}\u{fffe}", "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(escaped(text), written, "{text:?}");
        }
        assert_eq!(attribute("a\nb\t<"), "a&#10;b&#9;&lt;");
    }
}
