//! Parts that pages have in common. Every text is escaped where it is put in, and what no eye would see in it is written out before.

use axum::http::HeaderMap;
use guarded_sh::approval::visible;
use guarded_sh::model::{Finding, Severity, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, html};

use super::spoken::Spoken;

/// The pages, as the head of each names them.
const PAGES: [(&str, &str); 11] = [
    ("/", "page-now"),
    ("/live", "page-live"),
    ("/sessions", "page-sessions"),
    ("/transcripts", "page-transcripts"),
    ("/overview", "page-overview"),
    ("/history", "page-history"),
    ("/try", "page-try"),
    ("/rules", "page-rules"),
    ("/settings", "page-settings"),
    ("/prompts", "page-prompts"),
    ("/agents", "page-agents"),
];

/// What the scripts say; they find it at the body.
const SCRIPTS: [&str; 5] =
    ["script-unknown", "script-no-key", "script-not-taken", "script-unreached", "script-units"];

/// Returns a whole document.
pub fn document(language: Spoken, title: &str, body: &Markup) -> Markup {
    let [unknown, no_key, not_taken, unreached, units] = SCRIPTS.map(|key| language.say(key));
    html! {
        (DOCTYPE)
        html lang=(language.0.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · guarded-sh" }
                link rel="stylesheet" href="/assets/page.css";
                link rel="icon" type="image/svg+xml" href="/assets/icon.svg";
                script src="/assets/passkey.js" defer {}
                script src="/assets/page.js" defer {}
                script src="/assets/changes.js" defer {}
                script src="/assets/transcript.js" defer {}
            }
            body data-unknown=(unknown) data-no-key=(no_key) data-not-taken=(not_taken) data-unreached=(unreached) data-units=(units) { (body) }
        }
    }
}

/// Returns one of the pages, with the way to the others.
pub fn page(language: Spoken, title: &str, path: &str, body: &Markup) -> Markup {
    let whole = html! {
        header.top {
            a.skip href="#main" { (language.say("page-skip")) }
            strong.name { "guarded-sh" }
            nav aria-label=(language.say("page-pages")) {
                @for (to, key) in PAGES {
                    @let name = language.say(key);
                    @if to == path { a href=(to) aria-current="page" { (name) } } @else { a href=(to) { (name) } }
                    " "
                }
            }
            form.leave method="post" action="/leave" { button type="submit" { (language.say("page-leave")) } }
        }
        main #main tabindex="-1" {
            h1 { (title) }
            (body)
        }
        p #notice role="status" aria-live="polite" {}
    };
    document(language, title, &whole)
}

/// By which a script asks for a part of a page alone.
const PART: &str = "x-guarded-sh-part";

/// Returns whether a script asks for a part of a page alone.
pub fn is_part(headers: &HeaderMap) -> bool {
    headers.contains_key(PART)
}

/// Returns a part of a page: alone where a script asks for it, else in the page, so that it can be read without scripts.
pub fn part(
    language: Spoken,
    headers: &HeaderMap,
    title: &str,
    path: &str,
    part: &Markup,
) -> Markup {
    if is_part(headers) {
        return part.clone();
    }
    page(language, title, path, part)
}

/// Says that something is seen and changed elsewhere.
pub async fn only_here(language: Spoken) -> Markup {
    let body = html! { p { (language.say("record-only-here")) } };
    page(language, &language.say("record-not-here"), "", &body)
}

/// Says why something cannot be shown, given the English text.
pub fn trouble(language: Spoken, why: &str) -> Markup {
    html! { p.trouble { (visible(&language.0.meaning(why))) } }
}

/// Returns words in which what stands between backticks is code.
pub fn words(text: &str) -> Markup {
    let text = visible(text);
    let is_even = text.matches('`').count().is_multiple_of(2);
    html! {
        @if is_even {
            @for (at, part) in text.split('`').enumerate() {
                @if at % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else { (text) }
    }
}

/// Returns the address of a page with these fields.
pub fn address(path: &str, fields: &[(&str, &str)]) -> String {
    // Texts can always be written so.
    format!("{path}?{}", serde_urlencoded::to_string(fields).unwrap_or_default())
}

/// Returns a severity as a label.
pub fn severity(language: Spoken, severity: Severity) -> Markup {
    html! { span class={ "severity " (severity.name()) } { (language.severity(severity)) } }
}

/// Returns a line in which the parts are marked that were found to be more than harmless.
pub fn line(language: Spoken, text: &str, findings: &[Finding]) -> Markup {
    html! {
        pre.line tabindex="0" aria-label=(language.say("page-the-line")) { code {
            @for (part, found) in marked(text, findings) {
                @match found {
                    Some((severity, why)) => mark class=(severity.name()) title=(visible(&language.0.meaning(why))) { (visible(part)) },
                    None => (visible(part)),
                }
            }
        } }
    }
}

/// Returns the parts of a line in their order, each with the worst that was found in it.
fn marked<'t>(
    text: &'t str,
    findings: &'t [Finding],
) -> Vec<(&'t str, Option<(Severity, &'t str)>)> {
    let is_whole = |span: Span| span.start == 0 && span.end >= text.len();
    let found: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Low && !is_whole(finding.span))
        .filter(|finding| text.get(finding.span.start..finding.span.end).is_some())
        .collect();
    let mut ends: Vec<usize> = vec![0, text.len()];
    ends.extend(found.iter().flat_map(|finding| [finding.span.start, finding.span.end]));
    ends.sort_unstable();
    ends.dedup();
    let parts = ends.windows(2).map(|pair| {
        let (start, end) = (pair[0], pair[1]);
        let here = found.iter().filter(|one| one.span.start <= start && end <= one.span.end);
        let worst = here.max_by_key(|one| one.severity);
        (&text[start..end], worst.map(|one| (one.severity, one.reason.as_str())))
    });
    parts.collect()
}

/// Returns a time as whoever looks has it, with the date where that is not today.
pub fn time(time: Timestamp) -> Markup {
    let zoned = time.to_zoned(TimeZone::system());
    let today = Timestamp::now().to_zoned(TimeZone::system()).date();
    let format = if zoned.date() == today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    html! { time datetime=(time.to_string()) { (zoned.strftime(format).to_string()) } }
}

#[cfg(test)]
mod tests {
    use guarded_sh::model::Action;

    use super::*;

    fn finding(start: usize, end: usize, severity: Severity) -> Finding {
        Finding {
            rule: "x".to_owned(),
            span: Span::new(start, end),
            severity,
            action: Action::Ask,
            points: 0,
            reason: format!("{start} to {end}"),
            suggestion: None,
            instead: None,
        }
    }

    #[test]
    fn each_part_of_a_line_has_the_worst_that_was_found_in_it() {
        let (medium, high) = (Severity::Medium, Severity::High);
        let found = [finding(2, 8, medium), finding(4, 6, high), finding(0, 1, Severity::Low)];
        let parts: Vec<_> = marked("0123456789", &found)
            .into_iter()
            .map(|(part, found)| (part, found.map(|(severity, _)| severity)))
            .collect();
        let marked = [("23", Some(medium)), ("45", Some(high)), ("67", Some(medium))];
        assert_eq!(parts, [&[("01", None)], &marked[..], &[("89", None)]].concat());
    }

    #[test]
    fn what_does_not_fit_the_line_marks_nothing() {
        let high = Severity::High;
        for found in [finding(1, 2, high), finding(3, 99, high), finding(5, 1, high)] {
            assert!(marked("a\u{e9}b", &[found]).iter().all(|(_, found)| found.is_none()));
        }
        assert_eq!(marked("", &[]), []);
    }

    #[test]
    fn markup_and_hidden_characters_are_text() {
        let shown = line(Spoken::ENGLISH, "<b onclick='x'>\u{202e}&amp;\x1b[2J", &[]).into_string();
        assert!(shown.contains("&lt;b onclick='x'&gt;\\u{202e}&amp;amp;\\x1b[2J"), "{shown}");
    }
}
