//! Where each thing stands: what there is to say about a question, put into as many rows as there are. The less room, the less is
//! said at once; who asks, the line, the worst reason and the answers stay, and what does not fit scrolls.

use anstyle::{AnsiColor, Color, Style};

use super::super::line::{self, Cell, Row as LineRow, severity_style};
use super::super::text::{Piece, cut, cut_within, on_one_line, pieces, width, wrapped};
use super::super::visible;
use super::super::words::{self, Point};
use super::editor::Editor;
use super::explained::Explained;
use super::surface::Surface;
use super::{Choice, Confirm, Escape, Held, LEAST_COLUMNS, LEAST_ROWS, Page, View, WORD};
use crate::ipc::State;
use crate::model::Trying;

/// Columns that stay free at each side.
const MARGIN: usize = 2;
/// Columns before what an answer covers.
const ANSWER: usize = 16;
/// Rows that a terminal must have for two of them to be left as they are.
const TALL: usize = 20;
/// Columns from which on the title says how much time is left; where there are fewer, the row about who asks does.
const LEFT: usize = 50;
/// Rows of the line that are shown where there is room for more.
const LINE: usize = 6;
/// Reasons that are told one by one.
const MOST_POINTS: usize = 6;

/// Texts with a style each.
type Runs = Vec<(String, Style)>;

/// One row, and how far from the left it begins.
#[derive(Clone, Default)]
struct Row {
    indent: usize,
    runs: Runs,
}

impl Row {
    fn new(text: impl Into<String>, style: Style) -> Self {
        Self { indent: 0, runs: vec![(text.into(), style)] }
    }

    fn and(mut self, text: impl Into<String>, style: Style) -> Self {
        self.runs.push((text.into(), style));
        self
    }

    const fn at(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }
}

/// All that is to be shown, before it is known how much fits.
struct Parts {
    who: Vec<Row>,
    /// Rows of it that must be seen.
    who_least: usize,
    /// What scrolls.
    area: Vec<Row>,
    /// The rows of it that are wanted even if other things then have less room.
    area_wanted: usize,
    /// The rows of it that must be seen.
    kept: Option<(usize, usize)>,
    why: Vec<Row>,
    /// The rows of it in which reasons begin, and how many do.
    reasons: Vec<(usize, usize)>,
    menu: Vec<Row>,
    /// Where in the menu the chosen answer stands.
    chosen: (usize, usize),
    /// Used in place of the menu where that does not fit.
    small_menu: Vec<Row>,
    hints: Vec<(&'static str, String)>,
}

const fn dim() -> Style {
    Style::new().dimmed()
}

const fn bold() -> Style {
    Style::new().bold()
}

/// Puts a page together. Returns how far its area can be scrolled and how many rows it shows, or nothing if there is no room.
pub(super) fn compose(
    page: &mut Page,
    columns: usize,
    rows: usize,
) -> (Surface, Option<(usize, usize)>) {
    if columns < LEAST_COLUMNS || rows < LEAST_ROWS {
        return (too_small(page, columns, rows), None);
    }
    let room = columns - 2 * MARGIN;
    let mut parts = parts(page, room);
    let most = if rows >= TALL { rows - 2 } else { rows };
    let foot = foot(page, &parts, room, if most >= 12 { 2 } else { 1 });
    let heights = share(&parts, most - 1 - foot.len());
    let foot = with_more(page, &mut parts, &heights, room, foot);
    let mut sheet = Sheet { surface: Surface::new(columns, 1 + heights.sum() + foot.len()), at: 0 };
    title(page, &mut sheet, columns);
    sheet.rows(&parts.who[..heights.who]);
    sheet.at += heights.gaps.0;
    let (first, reach) = area(page, &parts, heights.area, &mut sheet, columns);
    if matches!(page.view, View::Choose | View::Word(_) | View::Message(_)) {
        page.see(first..first + heights.area);
    }
    sheet.at += heights.gaps.1;
    sheet.rows(&parts.why[..heights.why]);
    left_out(page, &parts, heights.why, &mut sheet, columns);
    sheet.at += heights.gaps.2;
    if heights.menu >= parts.menu.len() {
        sheet.rows(&parts.menu);
    } else if parts.small_menu.is_empty() {
        let (start, end) = parts.chosen;
        let first = end.saturating_sub(heights.menu).min(start);
        sheet.rows(&parts.menu[first..first + heights.menu]);
    } else {
        sheet.rows(&parts.small_menu[..heights.menu.min(parts.small_menu.len())]);
    }
    sheet.at = sheet.surface.height() - foot.len();
    sheet.rows(&foot);
    (sheet.surface, Some(reach))
}

struct Sheet {
    surface: Surface,
    at: usize,
}

impl Sheet {
    fn rows(&mut self, rows: &[Row]) {
        for row in rows {
            let mut column = MARGIN + row.indent;
            for (text, style) in &row.runs {
                column = self.surface.put(self.at, column, text, *style);
            }
            self.at += 1;
        }
    }
}

fn too_small(page: &Page, columns: usize, rows: usize) -> Surface {
    let text = match &page.view {
        View::Withdrawn(why) => format!("This question left: {}. Esc closes it.", visible(why)),
        _ => format!(
            "guarded-sh asks, but this terminal is too small to show what: make it {LEAST_COLUMNS} by {LEAST_ROWS}. Escape denies."
        ),
    };
    let wrapped = wrapped(&text, columns);
    let mut surface = Surface::new(columns, wrapped.len().min(rows));
    for (at, text) in wrapped.iter().enumerate() {
        surface.put(at, 0, text, bold());
    }
    surface
}

fn title(page: &Page, sheet: &mut Sheet, columns: usize) {
    let question = page.question();
    let style = severity_style(question.severity);
    let surface = &mut sheet.surface;
    let rule = Style::new().fg_color(style.get_fg_color());
    surface.put(0, 0, &"─".repeat(columns), rule);
    let title = match &page.asked.entry.state {
        State::Waiting { .. } | State::Left if !page.is_withdrawn() => " guarded-sh asks ",
        State::Waiting { .. } | State::Left | State::Answered { .. } => " guarded-sh asked ",
    };
    let end = surface.put(0, MARGIN, title, bold());
    let mut end = surface.put(0, end + 1, &format!(" {} ", question.severity.name()), style);
    if let Some(left) = left(page).filter(|_| columns >= LEFT) {
        end = surface.put(0, end + 1, &format!(" {left} "), bold());
    }
    let more = match page.asked.more {
        0 => return sheet.at += 1,
        1 => " 1 more waits ".to_owned(),
        more => format!(" {more} more wait "),
    };
    let start = columns.saturating_sub(MARGIN + width(&more));
    // Where there is no room for words, a number says it.
    if start > end {
        surface.put(0, start, &more, bold());
    } else {
        surface.put(0, end, &format!("+{} ", page.asked.more), bold());
    }
    sheet.at += 1;
}

/// Returns for how long somebody waits, as long as there is something to answer.
fn left(page: &Page) -> Option<String> {
    words::left(&page.asked.entry.state).filter(|_| !page.is_withdrawn())
}

/// How many rows each part gets.
struct Heights {
    who: usize,
    area: usize,
    why: usize,
    menu: usize,
    gaps: (usize, usize, usize),
}

impl Heights {
    const fn sum(&self) -> usize {
        self.who + self.area + self.why + self.menu + self.gaps.0 + self.gaps.1 + self.gaps.2
    }
}

/// Shares out rows: first what must be seen of each part, then what is wanted of it, in the order of what matters most.
fn share(parts: &Parts, rows: usize) -> Heights {
    let least_menu = match (parts.menu.len(), parts.small_menu.len()) {
        (menu, 0) => menu.min(2),
        (_, small) => small.min(2),
    };
    let mut heights = Heights {
        who: parts.who.len().min(parts.who_least),
        area: parts.area.len().min(1),
        why: parts.why.len().min(1),
        menu: least_menu,
        gaps: (0, 0, 0),
    };
    let mut left = rows.saturating_sub(heights.sum());
    let give = |left: &mut usize, to: &mut usize, wanted: usize| {
        let more = wanted.saturating_sub(*to).min(*left);
        *to += more;
        *left -= more;
    };
    give(&mut left, &mut heights.area, parts.area.len().min(2));
    give(&mut left, &mut heights.why, parts.why.len().min(2));
    let has_room = parts.menu.len().saturating_sub(heights.menu) <= left;
    give(
        &mut left,
        &mut heights.menu,
        if has_room || parts.small_menu.is_empty() {
            parts.menu.len()
        } else {
            parts.small_menu.len()
        },
    );
    give(&mut left, &mut heights.area, parts.area.len().min(parts.area_wanted));
    give(&mut left, &mut heights.who, parts.who.len());
    give(&mut left, &mut heights.why, parts.why.len());
    let has = |rows: &[Row]| usize::from(!rows.is_empty());
    give(&mut left, &mut heights.gaps.0, has(&parts.area));
    give(&mut left, &mut heights.gaps.1, has(&parts.why));
    give(&mut left, &mut heights.gaps.2, has(&parts.menu));
    if parts.area_wanted > LINE {
        give(&mut left, &mut heights.area, parts.area.len());
    }
    heights
}

/// Draws what scrolls, with arrows where there is more of it. Returns the first row that is drawn, and how far it scrolls.
fn area(
    page: &Page,
    parts: &Parts,
    height: usize,
    sheet: &mut Sheet,
    columns: usize,
) -> (usize, (usize, usize)) {
    let most = parts.area.len().saturating_sub(height);
    let first = match (page.scroll, parts.kept) {
        (Some(scroll), _) => scroll.min(most),
        (None, Some((start, end))) => match end.saturating_sub(height).min(start) {
            0 => 0,
            // With something of what comes before it.
            first if end - start < height / 2 => {
                start.saturating_sub(height / 2).min(first.max(most))
            }
            first => first,
        }
        .min(most),
        (None, None) => 0,
    };
    let top = sheet.at;
    sheet.rows(&parts.area[first..first + height]);
    if first > 0 {
        sheet.surface.put(top, columns - 1, "↑", bold());
    }
    if first < most {
        sheet.surface.put(sheet.at.saturating_sub(1).max(top), columns - 1, "↓", bold());
    }
    (first, (most, height.saturating_sub(1).max(1)))
}

fn foot(page: &Page, parts: &Parts, room: usize, most: usize) -> Vec<Row> {
    let notice = page.notice.as_deref();
    let notice = notice.or((page.held != Held::No).then_some("one moment: keys do not count yet"));
    let mut rows = vec![Row::default()];
    let mut used = 0;
    for (key, words) in &parts.hints {
        let text = format!(" {words}");
        let needed = width(key) + width(&text);
        let gap = if used == 0 { 0 } else { 3 };
        if used + gap + needed > room {
            if rows.len() == most || used == 0 {
                break;
            }
            rows.push(Row::default());
            used = 0;
        }
        let Some(row) = rows.last_mut() else { break };
        if used > 0 {
            row.runs.push((" · ".to_owned(), dim()));
            used += gap;
        }
        row.runs.push(((*key).to_owned(), bold()));
        row.runs.push((text, dim()));
        used += needed;
    }
    if let Some(notice) = notice {
        // As many rows as the keys take, so that nothing jumps.
        let count = rows.len();
        let notice = cut(&visible(notice), room);
        rows = vec![Row::new(notice, bold().fg_color(Some(Color::Ansi(AnsiColor::Yellow))))];
        rows.resize(count, Row::default());
    }
    rows
}

/// The foot with how to scroll, where not all of the line is shown.
fn with_more(
    page: &Page,
    parts: &mut Parts,
    heights: &Heights,
    room: usize,
    foot: Vec<Row>,
) -> Vec<Row> {
    let is_told = foot.iter().flat_map(|row| &row.runs).any(|(text, _)| text.contains("PgDn"));
    let is_line = matches!(page.view, View::Choose | View::Word(_) | View::Message(_));
    if is_told || !is_line || heights.area >= parts.area.len() {
        return foot;
    }
    parts.hints.insert(0, ("PgDn", "more".into()));
    let rows = foot.len();
    let mut foot = self::foot(page, parts, room, rows);
    foot.resize(rows, Row::default());
    foot
}

fn parts(page: &mut Page, room: usize) -> Parts {
    let mut parts = Parts {
        who: who(page, room),
        who_least: 1,
        area: Vec::new(),
        area_wanted: LINE,
        kept: None,
        why: Vec::new(),
        reasons: Vec::new(),
        menu: Vec::new(),
        chosen: (0, 0),
        small_menu: Vec::new(),
        hints: Vec::new(),
    };
    let is_many = |parts: &Parts| parts.area.len() > LINE;
    match page.view.clone() {
        View::Choose => {
            command_line(page, room, &mut parts);
            why(page, room, &mut parts);
            answers(page, room, &mut parts);
            if let State::Answered { answer } = &page.asked.entry.state {
                let text = format!("It is answered: {}.", words::answered(answer));
                parts.menu = said(&text, bold(), room);
            } else {
                parts.hints.push(("↑↓", "choose".into()));
                parts.hints.push(("Enter", "takes it".into()));
                if page.is_waiting() {
                    parts.hints.push(("e", "edit".into()));
                }
                parts.hints.push(("m", "deny, say why".into()));
                if page.may_try() {
                    parts.hints.push(("t", "try".into()));
                }
            }
            parts.hints.push(("x", "explain".into()));
            if page.asked.escape == Escape::Leaves {
                parts.hints.push(("Esc", "back".into()));
            }
            if is_many(&parts) {
                let at = parts.hints.len().min(2);
                parts.hints.insert(at, ("PgDn", "more".into()));
            }
        }
        View::Session(at) => {
            covers(page, at, room, &mut parts);
            parts.hints.push(("↑↓", "choose".into()));
            parts.hints.push(("Enter", "allows it".into()));
            parts.hints.push(("Esc", "back".into()));
        }
        View::Always(confirm) => {
            rule(page, room, confirm, &mut parts);
            parts.hints.push(("↑↓", "choose".into()));
            parts.hints.push(("Enter", "takes it".into()));
            parts.hints.push(("Esc", "back".into()));
        }
        View::Word(editor) => {
            command_line(page, room, &mut parts);
            why(page, room, &mut parts);
            let ask = format!("This can do great harm. To run it, type {WORD} and press Enter:");
            field(&ask, &editor, room, &mut parts);
            parts.hints.push(("Esc", "back".into()));
        }
        View::Message(editor) => {
            command_line(page, room, &mut parts);
            let ask = format!("Deny it, and tell {}:", words::who(page.question()));
            field(&ask, &editor, room, &mut parts);
            parts.hints.push(("Enter", "denies and sends".into()));
            parts.hints.push(("Esc", "back".into()));
        }
        View::Edit(editor) => {
            parts.who =
                said("Edit the line. It is judged like any other before it runs.", bold(), room);
            let (rows, kept) = edited(&editor, room);
            (parts.area, parts.kept, parts.area_wanted) =
                (rows, Some((kept, kept + 1)), usize::MAX);
            parts.hints.push(("Enter", "done".into()));
            parts.hints.push(("Alt-Enter", "new line".into()));
            parts.hints.push(("Esc", "back".into()));
        }
        View::Withdrawn(why) => {
            command_line(page, room, &mut parts);
            let text = format!(
                "This question left: {why}. It takes no answer, and what you type goes nowhere until you press Esc."
            );
            parts.menu = said(&text, bold(), room);
            let next = if page.asked.more > 0 { "shows the next question" } else { "closes this" };
            parts.hints.push(("Esc", next.into()));
        }
        View::Explain => {
            parts.who.clear();
            text(page.explained.as_ref(), room, &mut parts);
            parts.hints.push(("↑↓ PgUp PgDn", "scroll".into()));
            parts.hints.push(("Esc", "back".into()));
        }
        View::Trial(confirm) => trial(page, room, confirm, &mut parts),
    }
    parts
}

/// A text that scrolls.
fn text(text: Option<&Explained>, room: usize, parts: &mut Parts) {
    parts.area = match text {
        Some(text) => text.rows.iter().flat_map(|row| broken(row, room)).collect(),
        None => vec![Row::new("one moment…", dim())],
    };
    parts.area_wanted = usize::MAX;
}

/// How it stands with a trial of the line.
fn trial(page: &mut Page, room: usize, confirm: Confirm, parts: &mut Parts) {
    parts.who = line_rows(page, room).iter().take(1).map(drawn).collect();
    match &page.asked.entry.trying {
        Trying::Failed { why } => {
            parts.area = said(&format!("It could not be tried: {why}."), bold(), room);
        }
        Trying::Done(trial) => {
            text(page.tried.as_ref(), room, parts);
            if let Some(why) = &trial.unkept {
                let why = format!("It cannot be kept: {why}. Nothing was changed.");
                parts.menu = said(&why, dim(), room);
                parts.hints.push(("↑↓ PgUp PgDn", "scroll".into()));
            } else {
                confirmed(confirm, " keep what it did ", parts);
                parts.hints.push(("↑↓", "choose".into()));
                parts.hints.push(("Enter", "takes it".into()));
                parts.hints.push(("PgUp PgDn", "scroll".into()));
            }
        }
        Trying::Impossible | Trying::Possible | Trying::Running => {
            let text = "It is being tried, where it changes nothing: no network, no secrets, and what it writes is put aside.";
            parts.area = said(text, bold(), room);
        }
    }
    parts.hints.push(("Esc", "back".into()));
}

/// The way back, and what is done else.
fn confirmed(confirm: Confirm, does: &str, parts: &mut Parts) {
    for (choice, label) in [(Confirm::Back, " back "), (Confirm::Do, does)] {
        let is_chosen = choice == confirm;
        let (sign, style) =
            if is_chosen { ("› ", bold().invert()) } else { ("  ", Style::new()) };
        if is_chosen {
            parts.chosen = (parts.menu.len(), parts.menu.len() + 1);
        }
        parts.menu.push(Row::new(sign, bold()).and(label, style));
    }
}

fn said(text: &str, style: Style, room: usize) -> Vec<Row> {
    let rows = wrapped(&on_one_line(&visible(text)), room).into_iter();
    rows.map(|row| Row::new(row, style)).collect()
}

fn who(page: &Page, room: usize) -> Vec<Row> {
    let question = page.question();
    let place = words::place(question, page.asked.home.as_deref());
    let who = words::who(question);
    // Of a long one both ends are seen: what it is below, and where it is there.
    let place = cut_within(&place, 2 * room);
    let mut text = format!("{who} wants to run this in {place}");
    if width(&visible(&text)) > room {
        text = format!("{who} in {place}");
    }
    if let Some(left) = left(page).filter(|_| room + 2 * MARGIN < LEFT) {
        text = format!("{left}: {text}");
    }
    if page.asked.entry.state == State::Left && !page.is_withdrawn() {
        text.push_str(" (it no longer waits: a yes counts for its next try)");
    }
    let mut rows = said(&text, Style::new(), room);
    if rows.len() > 3 {
        rows.truncate(3);
        let last = rows.pop().map(|row| row.runs.into_iter().map(|(text, _)| text).collect());
        let last: String = last.unwrap_or_default();
        rows.push(Row::new(cut(&format!("{last}…"), room), Style::new()));
    }
    // The session is a name for whoever has several; what is cut off is not missed.
    if let (Some(session), Some(row)) = (&question.session, rows.last_mut()) {
        let used: usize = row.runs.iter().map(|(text, _)| width(text)).sum();
        let text = format!("  session {}", visible(session));
        if used + width(&text) <= room {
            row.runs.push((text, dim()));
        }
    }
    rows
}

/// The command line, coloured and underlined.
fn command_line(page: &mut Page, room: usize, parts: &mut Parts) {
    let rows = line_rows(page, room);
    let is_worst = |row: &LineRow| row.worst();
    let worst = rows.iter().filter_map(is_worst).max();
    let first = worst.and_then(|worst| rows.iter().position(|row| row.worst() == Some(worst)));
    parts.kept = first.map(|first| (first, first + 1));
    parts.area = rows.iter().map(drawn).collect();
}

fn line_rows(page: &mut Page, room: usize) -> &[LineRow] {
    let fits = page.rows.as_ref().is_some_and(|(columns, _)| *columns == room);
    if !fits {
        let question = &page.asked.entry.question;
        let marks = line::marks(&question.findings);
        let cells = line::cells(&question.line, &page.asked.highlights, &marks);
        let rows = line::rows(cells, room - MARGIN);
        page.seen = vec![false; rows.len()];
        page.rows = Some((room, rows));
    }
    page.rows.as_ref().map_or(&[], |(_, rows)| rows)
}

fn drawn(row: &LineRow) -> Row {
    let sign = if row.continued { "↪ " } else { "  " };
    let mut runs: Runs = vec![(sign.to_owned(), dim())];
    let blank = row.cells.iter().take_while(|cell| cell.text.trim().is_empty()).count();
    for (at, cell) in row.cells.iter().enumerate() {
        // Spaces before the first word of a row are not what is meant.
        let style = match cell.mark.filter(|_| at >= blank) {
            Some(severity) => {
                cell.style.fg_color(severity_style(severity).get_fg_color()).underline()
            }
            None => cell.style,
        };
        match runs.last_mut() {
            Some((text, last)) if *last == style => text.push_str(&cell.text),
            _ => runs.push((cell.text.clone(), style)),
        }
    }
    Row { indent: 0, runs }
}

fn why(page: &Page, room: usize, parts: &mut Parts) {
    let question = page.question();
    let mut rows = Vec::new();
    let mut points = words::points(question);
    let more = points.split_off(points.len().min(MOST_POINTS)).len();
    for Point { severity, part, text } in points {
        parts.reasons.push((rows.len(), 1));
        let text = match part {
            Some(part) => format!("`{part}` {text}"),
            None => text,
        };
        let name = (severity.name(), severity_style(severity));
        rows.extend(named(name, &text, Style::new(), room));
    }
    if more > 0 {
        parts.reasons.push((rows.len(), more));
        rows.extend(said(&format!("… {}: x", more_reasons(more)), bold(), room));
    }
    if let Some(held) = words::held(question, page.asked.home.as_deref()) {
        rows.extend(named(("fence", dim()), &held, dim(), room));
    }
    if let Some(opinion) = &question.opinion {
        rows.extend(named(("model", dim()), &words::heard(opinion), dim(), room));
    }
    if let Some(instead) = words::instead(question) {
        let style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
        let mut sign = "→ ";
        for text in wrapped(&visible(&instead), room - 2) {
            rows.push(Row::new(sign, style).and(text, style));
            sign = "  ";
        }
    }
    parts.why = rows;
}

fn more_reasons(count: usize) -> String {
    format!("{count} more reason{}", if count == 1 { "" } else { "s" })
}

/// Says that not all of what is said of the line fits: how many reasons do not, and by which key all of it is read.
fn left_out(page: &Page, parts: &Parts, height: usize, sheet: &mut Sheet, columns: usize) {
    if height >= parts.why.len() {
        return;
    }
    let hidden = parts.reasons.iter().filter(|(row, _)| *row >= height);
    let reads = matches!(page.view, View::Choose | View::Withdrawn(_));
    let key = if reads { "x" } else { "" };
    let told = match hidden.map(|(_, count)| count).sum::<usize>() {
        0 => format!("… {key}"),
        count if columns >= LEFT => format!("… {}: {key}", more_reasons(count)),
        count => format!("… +{count} {key}"),
    };
    let told = told.trim_end_matches([' ', ':']);
    // Right behind the text, where that leaves room for it.
    let row = sheet.at.saturating_sub(1);
    let end = sheet.surface.end(row);
    let column = (columns - width(told)).min(end);
    sheet.surface.put(row, column, told, bold());
    sheet.surface.clear(row, column + width(told));
}

/// Returns a text in as many rows as it takes, behind a name that stands before the first.
fn named((name, own): (&str, Style), text: &str, style: Style, room: usize) -> Vec<Row> {
    let indent = 10;
    let mut before = Row::new(format!("{name:<indent$}"), own);
    let rows = wrapped(&on_one_line(&visible(text)), room - indent).into_iter().map(|text| {
        let blank = Row::new(" ".repeat(indent), Style::new());
        std::mem::replace(&mut before, blank).and(text, style)
    });
    rows.collect()
}

fn answers(page: &Page, room: usize, parts: &mut Parts) {
    let mut buttons = Row::default();
    for (at, choice) in page.choices().into_iter().enumerate() {
        let (key, name, text) = match choice {
            Choice::Deny => ("d", "deny", "with the reason".to_owned()),
            Choice::Once if page.is_critical() => {
                ("o", "once", "this one run; you type a word for it".into())
            }
            Choice::Once => ("o", "once", words::once().to_owned()),
            Choice::Session => ("s", "session…", "until the session ends; you see for what".into()),
            Choice::Always => ("a", "always…", "writes a rule; you see it first".into()),
        };
        let is_chosen = at == page.choice;
        let style = if is_chosen { bold().invert() } else { Style::new() };
        let label = format!(" {name} ");
        let gap = " ".repeat(ANSWER.saturating_sub(4 + width(&label)));
        let mut row = Row::new(if is_chosen { "› " } else { "  " }, bold())
            .and(label.clone(), style)
            .and(gap, Style::new())
            .and(format!("{key} "), bold());
        let more = if is_chosen { Style::new() } else { dim() };
        if is_chosen {
            parts.chosen.0 = parts.menu.len();
            parts.small_menu = vec![Row::default()];
            parts.small_menu.extend(said(&text, Style::new(), room));
        }
        for text in wrapped(&visible(&text), room - ANSWER) {
            parts.menu.push(std::mem::take(&mut row).and(text, more));
            row = Row::default().at(ANSWER);
        }
        if is_chosen {
            parts.chosen.1 = parts.menu.len();
        }
        buttons = buttons.and(label, style);
    }
    let needed: usize = buttons.runs.iter().map(|(text, _)| width(text)).sum();
    if needed > room {
        let count = buttons.runs.len();
        let chosen = buttons.runs.swap_remove(page.choice.min(count - 1));
        let place = format!("  {} of {count}", page.choice + 1);
        buttons = Row::new("↑↓ ", dim()).and(chosen.0, chosen.1).and(place, dim());
    }
    if let Some(first) = parts.small_menu.first_mut() {
        *first = buttons;
    }
}

fn covers(page: &mut Page, chosen: usize, room: usize, parts: &mut Parts) {
    let line: Vec<Row> = line_rows(page, room).iter().take(1).map(drawn).collect();
    let question = page.question();
    let ask = format!("Until {}'s session ends, allow:", words::who(question));
    parts.who = line;
    parts.who.extend(said(&ask, bold(), room).into_iter().take(1));
    (parts.who_least, parts.area_wanted) = (2, usize::MAX);
    for (at, covers) in page.session_covers().into_iter().enumerate() {
        let is_chosen = at == chosen;
        let (mut sign, style) =
            if is_chosen { ("› ", bold().invert()) } else { ("  ", Style::new()) };
        let start = parts.area.len();
        let title = words::session_title(question, covers);
        for text in wrapped(&visible(&title), room - 4) {
            parts.area.push(Row::new(sign, bold()).and(format!(" {text} "), style));
            sign = "  ";
        }
        let more = if is_chosen { Style::new() } else { dim() };
        for row in words::session(question, covers, page.asked.home.as_deref()) {
            let texts = wrapped(&visible(&row), room - 6).into_iter();
            parts.area.extend(texts.map(|text| Row::new(text, more).at(5)));
        }
        if is_chosen {
            parts.kept = Some((start, parts.area.len()));
        }
    }
}

fn rule(page: &Page, room: usize, confirm: Confirm, parts: &mut Parts) {
    parts.who = said("This rule would be written into your own rules, for good:", bold(), room);
    let text = page.asked.offers.always.as_deref().unwrap_or_default();
    let rows = text.trim_end().lines().map(|row| vec![(row.to_owned(), Style::new())]);
    parts.area = rows.flat_map(|row| broken(&row, room - 2)).map(|row| row.at(2)).collect();
    parts.area_wanted = usize::MAX;
    confirmed(confirm, " write the rule, and run the line ", parts);
}

/// A question with a text below it that is being written.
fn field(ask: &str, editor: &Editor, room: usize, parts: &mut Parts) {
    parts.menu = said(ask, bold(), room);
    let asked = parts.menu.len();
    let (rows, kept) = edited(editor, room - 2);
    parts.menu.extend(rows.into_iter().map(|row| row.at(2)));
    parts.chosen = (asked + kept, asked + kept + 1);
    parts.area_wanted = 2;
}

/// The text of an editor with its cursor, and the row that this stands in.
fn edited(editor: &Editor, room: usize) -> (Vec<Row>, usize) {
    let mut rows = vec![Row::default()];
    let (mut used, mut kept) = (0, 0);
    let mut put = |rows: &mut Vec<Row>, text: &str, columns: usize, style: Style| {
        if used + columns > room {
            rows.push(Row::default());
            used = 0;
        }
        used += columns;
        if let Some(row) = rows.last_mut() {
            row.runs.push((text.to_owned(), style));
        }
        if text == "↵" {
            rows.push(Row::default());
            used = 0;
        }
        rows.len() - 1
    };
    let cursor = bold().invert();
    let text = pieces(editor.text());
    for piece in &text {
        let is_here = piece.at == editor.cursor();
        let is_end = piece.text == "\n";
        let style = match (is_here, is_end) {
            (true, _) => cursor,
            (false, true) => dim(),
            (false, false) => Style::new(),
        };
        let shown = if is_end { "↵" } else { &piece.text };
        let at = put(&mut rows, shown, piece.width.max(1), style);
        if is_here {
            kept = if is_end { at.saturating_sub(1) } else { at };
        }
    }
    if editor.cursor() == editor.text().len() {
        kept = put(&mut rows, " ", 1, cursor);
    }
    (rows, kept)
}

/// A row of text that keeps its spaces, broken where the room ends.
fn broken(runs: &Runs, room: usize) -> Vec<Row> {
    let cell = |style: Style| {
        move |Piece { text, width, .. }: Piece| Cell { text, width, style, mark: None }
    };
    let cells = runs.iter().flat_map(|(text, style)| pieces(text).into_iter().map(cell(*style)));
    let rows = line::rows(cells.collect(), room);
    let runs = |row: LineRow| row.cells.into_iter().map(|cell| (cell.text, cell.style)).collect();
    rows.into_iter().map(|row| Row { indent: 0, runs: runs(row) }).collect()
}
