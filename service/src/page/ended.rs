//! How a line ended, as the witness beside it saw it: its status, how long it took, which files of the workspace it made or changed.

use guarded_sh::approval::visible;
use guarded_sh::audit::{aside, words};
use guarded_sh::model::{Ran, RanLine};
use maud::{Markup, html};

/// Files that are named.
const NAMED: usize = 12;

/// Returns what the witness wrote of a line into the file that its record names; none where it ended before the line, or its file is not kept any more.
pub fn of(ran: Option<&str>) -> Option<RanLine> {
    let told = aside::read(ran?).into_iter();
    let line = |ran| if let Ran::Line(line) = ran { Some(line) } else { None };
    told.rev().find_map(line)
}

/// Returns it in few words.
pub fn shown(line: &RanLine) -> Markup {
    html! {
        @match line.status {
            Some(0) => span.dim { " · status 0" },
            Some(status) => span.failed { " · status " (status) },
            None => span.failed { " · ended by a signal" },
        }
        span.dim { " · took " (words::seconds(line.millis)) }
        @if line.unforeseen > 0 { span.failed { " · " (line.unforeseen) " programs ran that were not foreseen" } }
        @for (name, files) in [("made", &line.made), ("changed", &line.changed)] {
            @if !files.is_empty() {
                span.dim { " · " (name) " " }
                @for (at, file) in files.iter().take(NAMED).enumerate() { @if at > 0 { ", " } code { (visible(file)) } }
                @if files.len() > NAMED { span.dim { " and " (files.len() - NAMED) " more" } }
            }
        }
    }
}
