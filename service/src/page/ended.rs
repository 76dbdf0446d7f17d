//! How a line ended, as the witness beside it saw it: its status, how long it took, which files of the workspace it made or changed.

use guarded_sh::approval::visible;
use guarded_sh::audit::aside;
use guarded_sh::model::{Ended, Ran, RanLine};
use maud::{Markup, html};

use super::spoken::Spoken;

/// Files that are named.
const NAMED: usize = 12;

/// Returns what the witness wrote of a line into the file that its record names; none where it ended before the line, or its file is not kept any more.
pub fn of(ran: Option<&str>) -> Option<RanLine> {
    let told = aside::read(ran?).into_iter();
    let line = |ran| if let Ran::Line(line) = ran { Some(line) } else { None };
    told.rev().find_map(line)
}

/// Returns it in few words.
pub fn shown(line: &RanLine, language: Spoken) -> Markup {
    html! {
        @match line.status {
            Some(code) => (status(code.into(), language)),
            None => span.failed { " · " (language.say("ended-signal")) },
        }
        (took(line.millis, language))
        @if line.unforeseen > 0 { span.failed { " · " (language.count("ended-unforeseen", line.unforeseen.into())) } }
        @for (key, files) in [("ended-made", &line.made), ("ended-changed", &line.changed)] {
            @if !files.is_empty() {
                span.dim { " · " (language.say(key)) " " }
                @for (at, file) in files.iter().take(NAMED).enumerate() { @if at > 0 { ", " } code { (visible(file)) } }
                @if files.len() > NAMED { span.dim { " " (language.count("ended-more", (files.len() - NAMED) as u64)) } }
            }
        }
    }
}

/// Returns how a client's line ended, as the bridge saw it.
pub fn of_client(ended: &Ended, language: Spoken) -> Markup {
    html! {
        @match ended.status {
            Some(code) => (status(code.into(), language)),
            None => span.failed { " · " (language.say("ended-signal")) },
        }
        (took(ended.millis, language))
        span.dim { " · SHA-256 " } code { (ended.output) }
    }
}

/// Returns a status that something ended with.
pub fn status(status: i64, language: Spoken) -> Markup {
    let told = language.tell("record-status", &[("status", status.to_string().into())]);
    html! { span class=(if status == 0 { "dim" } else { "failed" }) { " · " (told) } }
}

/// Returns for how long something ran.
pub fn took(milliseconds: u64, language: Spoken) -> Markup {
    let time = language.passed(milliseconds);
    html! { span.dim { " · " (language.tell("record-took", &[("time", time.into())])) } }
}
