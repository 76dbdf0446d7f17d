//! Differences of texts: the lines that go and those that come, with some around them.

use guarded_sh::approval::visible;
use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use super::spoken::Spoken;

/// Lines that are shown around a change.
const AROUND: usize = 2;

/// Returns what changes, for people; empty where nothing does.
pub fn diff(language: Spoken, before: &str, after: &str) -> Markup {
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(AROUND);
    html! {
        @if before != after {
            pre.difference tabindex="0" aria-label=(language.say("change-what")) {
                @for (at, group) in groups.iter().enumerate() {
                    @if at > 0 { span.dim { "  …\n" } }
                    @for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
                        (drawn(line.tag(), line.value()))
                    }
                }
            }
        }
    }
}

/// Returns what changes as text, for programs: before each line a sign and a space. Empty where nothing does.
pub fn text(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = String::new();
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            text.push_str("  …\n");
        }
        for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = (line.tag(), line.value().trim_end_matches('\n'));
            text.extend([line.0.to_string().as_str(), " ", line.1, "\n"]);
        }
    }
    text
}

fn drawn(tag: ChangeTag, line: &str) -> Markup {
    let line = visible(line.trim_end_matches('\n'));
    html! {
        @match tag {
            ChangeTag::Delete => del { "- " (line) "\n" },
            ChangeTag::Insert => ins { "+ " (line) "\n" },
            ChangeTag::Equal => { "  " (line) "\n" },
        }
    }
}

/// Returns a difference: what goes and what comes, a line each.
pub fn difference(language: Spoken, text: &str) -> Markup {
    html! {
        pre.difference tabindex="0" aria-label=(language.say("change-what")) {
            @for line in text.lines() {
                @match line.as_bytes().first() {
                    Some(b'+') => ins { (visible(line)) },
                    Some(b'-') => del { (visible(line)) },
                    _ => (visible(line)),
                }
                "\n"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_and_come_are_marked_and_are_text() {
        let diff = |before: &str, after: &str| diff(Spoken::ENGLISH, before, after).into_string();
        let shown = diff("a\nb\nc\nd\n", "a\nb\nc\n<b>\u{202e}\n");
        assert!(
            shown.contains("  b\n  c\n<del>- d\n</del><ins>+ &lt;b&gt;\\u{202e}\n</ins>"),
            "{shown}"
        );
        assert!(!shown.contains("  a\n"), "{shown}");
        assert_eq!(diff("a", "a"), "");
        assert_eq!(text("a\nb\nc\nd\n", "a\nb\nc\ne"), "  b\n  c\n- d\n+ e\n");
        assert_eq!(text("a", "a"), "");
    }

    #[test]
    fn lines_that_go_and_come_are_told_apart_and_are_text() {
        let shown =
            difference(Spoken::ENGLISH, "@@ -1 +1 @@\n-<b>\n+\x1b[2J\n same\n").into_string();
        let lines = "@@ -1 +1 @@\n<del>-&lt;b&gt;</del>\n<ins>+\\x1b[2J</ins>\n same\n";
        assert!(shown.contains(lines), "{shown}");
    }
}
