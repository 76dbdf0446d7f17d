//! Where each thing stands: what there is to say about a question, put into as many rows as there are. The less room, the less is
//! said at once; who asks, the line, the worst reason and the answers stay, and what does not fit scrolls.

use std::borrow::Cow;

use anstyle::{AnsiColor, Color, Style};

use super::super::line::{self, Row as LineRow, severity_style};
use super::super::text::{cut, cut_within, on_one_line, padded, width, wrapped};
use super::super::visible;
use super::super::words::{self, Point};
use super::explained::Explained;
use super::surface::Surface;
use super::written::{broken, edited, field};
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
pub(super) type Runs = Vec<(String, Style)>;

/// One row, and how far from the left it begins.
#[derive(Clone, Default)]
pub(super) struct Row {
    pub(super) indent: usize,
    pub(super) runs: Runs,
}

impl Row {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { indent: 0, runs: vec![(text.into(), style)] }
    }

    pub(super) fn and(mut self, text: impl Into<String>, style: Style) -> Self {
        self.runs.push((text.into(), style));
        self
    }

    pub(super) const fn at(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }
}

/// All that is to be shown, before it is known how much fits.
pub(super) struct Parts {
    who: Vec<Row>,
    /// Rows of it that must be seen.
    who_least: usize,
    /// What scrolls.
    area: Vec<Row>,
    /// The rows of it that are wanted even if other things then have less room.
    pub(super) area_wanted: usize,
    /// The rows of it that must be seen.
    kept: Option<(usize, usize)>,
    why: Vec<Row>,
    /// The rows of it in which reasons begin, and how many do.
    reasons: Vec<(usize, usize)>,
    pub(super) menu: Vec<Row>,
    /// Where in the menu the chosen answer stands.
    pub(super) chosen: (usize, usize),
    /// Used in place of the menu where that does not fit.
    small_menu: Vec<Row>,
    hints: Vec<(&'static str, Cow<'static, str>)>,
}

pub(super) const fn dim() -> Style {
    Style::new().dimmed()
}

pub(super) const fn bold() -> Style {
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
    let text = if let View::Withdrawn(why) = &page.view {
        page.tell("question-left-closed", &[("why", visible(why).into())])
    } else {
        let values = [("columns", LEAST_COLUMNS.into()), ("rows", LEAST_ROWS.into())];
        page.tell("question-too-small", &values)
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
        State::Waiting { .. } | State::Left if !page.is_withdrawn() => "question-asks",
        State::Waiting { .. } | State::Left | State::Answered { .. } => "question-asked",
    };
    let end = surface.put(0, MARGIN, &format!(" {} ", page.say(title)), bold());
    let severity = page.severity(question.severity);
    let mut end = surface.put(0, end + 1, &format!(" {severity} "), style);
    if let Some(left) = left(page).filter(|_| columns >= LEFT) {
        end = surface.put(0, end + 1, &format!(" {left} "), bold());
    }
    let more = match page.asked.more {
        0 => return sheet.at += 1,
        more => format!(" {} ", page.tell("question-more-wait", &[("count", more.into())])),
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
    words::left(&page.asked.entry.state, page.asked.language).filter(|_| !page.is_withdrawn())
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
    let held = (page.held != Held::No).then(|| page.say("question-keys-held"));
    let notice = page.notice.as_ref().or(held.as_ref());
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
    parts.hints.insert(0, ("PgDn", page.say("key-more")));
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
                let how = words::answered(answer, page.asked.language);
                let text = page.tell("question-is-answered", &[("how", how.into())]);
                parts.menu = said(&text, bold(), room);
            } else {
                parts.hints.push(("↑↓", page.say("key-choose")));
                parts.hints.push(("Enter", page.say("key-takes")));
                if page.is_waiting() {
                    parts.hints.push(("e", page.say("key-edit")));
                }
                parts.hints.push(("m", page.say("key-deny-and-say")));
                if page.may_try() {
                    parts.hints.push(("t", page.say("key-try")));
                }
            }
            parts.hints.push(("x", page.say("key-explain")));
            if page.asked.escape == Escape::Leaves {
                parts.hints.push(("Esc", page.say("key-back")));
            }
            // Last, so that where there is little room the way back is told.
            if page.may_stop() && page.asked.entry.is_open() {
                parts.hints.push(("k", page.say("key-deny-and-end")));
            }
            if is_many(&parts) {
                let at = parts.hints.len().min(2);
                parts.hints.insert(at, ("PgDn", page.say("key-more")));
            }
        }
        View::Session(at) => {
            covers(page, at, room, &mut parts);
            parts.hints.push(("↑↓", page.say("key-choose")));
            parts.hints.push(("Enter", page.say("key-allows")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Always(confirm) => {
            rule(page, room, confirm, &mut parts);
            parts.hints.push(("↑↓", page.say("key-choose")));
            parts.hints.push(("Enter", page.say("key-takes")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Word(editor) => {
            command_line(page, room, &mut parts);
            why(page, room, &mut parts);
            let ask = page.tell("question-type-word", &[("word", WORD.into())]);
            field(&ask, &editor, room, &mut parts);
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Message(editor) => {
            command_line(page, room, &mut parts);
            let who = words::who(page.question(), page.asked.language);
            let ask = page.tell("question-deny-and-tell", &[("who", who.into())]);
            field(&ask, &editor, room, &mut parts);
            parts.hints.push(("Enter", page.say("key-denies-and-sends")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Edit(editor) => {
            parts.who = said(&page.say("question-edit"), bold(), room);
            let (rows, kept) = edited(&editor, room);
            (parts.area, parts.kept, parts.area_wanted) =
                (rows, Some((kept, kept + 1)), usize::MAX);
            parts.hints.push(("Enter", page.say("key-done")));
            parts.hints.push(("Alt-Enter", page.say("key-new-line")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Withdrawn(why) => {
            command_line(page, room, &mut parts);
            let text = page.tell("question-left", &[("why", why.into())]);
            parts.menu = said(&text, bold(), room);
            let next = if page.asked.more > 0 { "key-next-question" } else { "key-closes" };
            parts.hints.push(("Esc", page.say(next)));
        }
        View::Explain => {
            parts.who.clear();
            text(page, page.explained.as_ref(), room, &mut parts);
            parts.hints.push(("↑↓ PgUp PgDn", page.say("key-scroll")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
        View::Trial(confirm) => trial(page, room, confirm, &mut parts),
        View::Stop(confirm) => {
            command_line(page, room, &mut parts);
            let who = words::who(page.question(), page.asked.language);
            let text = page.tell("question-stop", &[("who", who.into())]);
            parts.why = said(&text, bold(), room);
            confirmed(page, confirm, "choice-stop", &mut parts);
            parts.hints.push(("↑↓", page.say("key-choose")));
            parts.hints.push(("Enter", page.say("key-takes")));
            parts.hints.push(("Esc", page.say("key-back")));
        }
    }
    parts
}

/// A text that scrolls.
fn text(page: &Page, text: Option<&Explained>, room: usize, parts: &mut Parts) {
    parts.area = match text {
        Some(text) => text.rows.iter().flat_map(|row| broken(row, room)).collect(),
        None => vec![Row::new(page.say("question-moment"), dim())],
    };
    parts.area_wanted = usize::MAX;
}

/// How it stands with a trial of the line.
fn trial(page: &mut Page, room: usize, confirm: Confirm, parts: &mut Parts) {
    parts.who = line_rows(page, room).iter().take(1).map(drawn).collect();
    match &page.asked.entry.trying {
        Trying::Failed { why } => {
            let text = page.tell("question-not-tried", &[("why", why.into())]);
            parts.area = said(&text, bold(), room);
        }
        Trying::Done(trial) => {
            text(page, page.tried.as_ref(), room, parts);
            if let Some(why) = &trial.unkept {
                let why = page.tell("question-not-kept", &[("why", why.into())]);
                parts.menu = said(&why, dim(), room);
                parts.hints.push(("↑↓ PgUp PgDn", page.say("key-scroll")));
            } else {
                confirmed(page, confirm, "choice-keep", parts);
                parts.hints.push(("↑↓", page.say("key-choose")));
                parts.hints.push(("Enter", page.say("key-takes")));
                parts.hints.push(("PgUp PgDn", page.say("key-scroll")));
            }
        }
        Trying::Impossible | Trying::Possible | Trying::Running => {
            parts.area = said(&page.say("question-trying"), bold(), room);
        }
    }
    parts.hints.push(("Esc", page.say("key-back")));
}

/// The way back, and what is done else.
fn confirmed(page: &Page, confirm: Confirm, does: &str, parts: &mut Parts) {
    for (choice, key) in [(Confirm::Back, "choice-back"), (Confirm::Do, does)] {
        let label = format!(" {} ", page.say(key));
        let is_chosen = choice == confirm;
        let (sign, style) =
            if is_chosen { ("› ", bold().invert()) } else { ("  ", Style::new()) };
        if is_chosen {
            parts.chosen = (parts.menu.len(), parts.menu.len() + 1);
        }
        parts.menu.push(Row::new(sign, bold()).and(label, style));
    }
}

pub(super) fn said(text: &str, style: Style, room: usize) -> Vec<Row> {
    let rows = wrapped(&on_one_line(&visible(text)), room).into_iter();
    rows.map(|row| Row::new(row, style)).collect()
}

fn who(page: &Page, room: usize) -> Vec<Row> {
    let question = page.question();
    let language = page.asked.language;
    let place = words::place(question, page.asked.home.as_deref(), language);
    let who = words::who(question, language);
    // Of a long one both ends are seen: what it is below, and where it is there.
    let place = cut_within(&place, 2 * room);
    let values = [("who", who.into()), ("place", place.into())];
    let mut text = page.tell("question-wants-to-run", &values);
    if width(&visible(&text)) > room {
        text = page.tell("question-who-where", &values);
    }
    if let Some(left) = left(page).filter(|_| room + 2 * MARGIN < LEFT) {
        text = format!("{left}: {text}");
    }
    if page.asked.entry.state == State::Left && !page.is_withdrawn() {
        text = format!("{text} ({})", page.say("question-nobody-waits"));
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
        let text = page.tell("question-session", &[("session", visible(session).into())]);
        let text = format!("  {text}");
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
    let language = page.asked.language;
    let mut points = words::points(question, language);
    let more = points.split_off(points.len().min(MOST_POINTS)).len();
    for Point { severity, part, text } in points {
        parts.reasons.push((rows.len(), 1));
        let text = match part {
            Some(part) => format!("`{part}` {text}"),
            None => text,
        };
        let name = page.severity(severity);
        rows.extend(named((&name, severity_style(severity)), &text, Style::new(), room));
    }
    if more > 0 {
        parts.reasons.push((rows.len(), more));
        rows.extend(said(&format!("… {}: x", more_reasons(page, more)), bold(), room));
    }
    if let Some(held) = words::held(question, page.asked.home.as_deref(), language) {
        rows.extend(named((&page.say("question-fence"), dim()), &held, dim(), room));
    }
    if let Some(opinion) = &question.opinion {
        let says = words::heard(opinion, language);
        rows.extend(named((&page.say("question-model"), dim()), &says, dim(), room));
    }
    if let Some(instead) = words::instead(question, language) {
        let style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
        let mut sign = "→ ";
        for text in wrapped(&visible(&instead), room - 2) {
            rows.push(Row::new(sign, style).and(text, style));
            sign = "  ";
        }
    }
    parts.why = rows;
}

fn more_reasons(page: &Page, count: usize) -> String {
    page.tell("question-more-reasons", &[("count", count.into())])
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
        count if columns >= LEFT => format!("… {}: {key}", more_reasons(page, count)),
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
    let mut before = Row::new(padded(name, indent), own);
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
            Choice::Deny => ("d", "choice-deny", page.say("choice-deny-does")),
            Choice::Once if page.is_critical() => {
                ("o", "choice-once", page.say("choice-once-by-word"))
            }
            Choice::Once => ("o", "choice-once", words::once(page.asked.language)),
            Choice::Session => ("s", "choice-session", page.say("choice-session-does")),
            Choice::Always => ("a", "choice-always", page.say("choice-always-does")),
        };
        let is_chosen = at == page.choice;
        let style = if is_chosen { bold().invert() } else { Style::new() };
        let label = format!(" {} ", page.say(name));
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
        let values = [("at", (page.choice + 1).into()), ("count", count.into())];
        let place = format!("  {}", page.tell("choice-place", &values));
        buttons = Row::new("↑↓ ", dim()).and(chosen.0, chosen.1).and(place, dim());
    }
    if let Some(first) = parts.small_menu.first_mut() {
        *first = buttons;
    }
}

fn covers(page: &mut Page, chosen: usize, room: usize, parts: &mut Parts) {
    let line: Vec<Row> = line_rows(page, room).iter().take(1).map(drawn).collect();
    let question = page.question();
    let language = page.asked.language;
    let who = words::who(question, language);
    let ask = page.tell("question-for-session", &[("who", who.into())]);
    parts.who = line;
    parts.who.extend(said(&ask, bold(), room).into_iter().take(1));
    (parts.who_least, parts.area_wanted) = (2, usize::MAX);
    for (at, covers) in page.session_covers().into_iter().enumerate() {
        let is_chosen = at == chosen;
        let (mut sign, style) =
            if is_chosen { ("› ", bold().invert()) } else { ("  ", Style::new()) };
        let start = parts.area.len();
        let title = words::session_title(question, covers, language);
        for text in wrapped(&visible(&title), room - 4) {
            parts.area.push(Row::new(sign, bold()).and(format!(" {text} "), style));
            sign = "  ";
        }
        let more = if is_chosen { Style::new() } else { dim() };
        for row in words::session(question, covers, page.asked.home.as_deref(), language) {
            let texts = wrapped(&visible(&row), room - 6).into_iter();
            parts.area.extend(texts.map(|text| Row::new(text, more).at(5)));
        }
        if is_chosen {
            parts.kept = Some((start, parts.area.len()));
        }
    }
}

fn rule(page: &Page, room: usize, confirm: Confirm, parts: &mut Parts) {
    parts.who = said(&page.say("question-rule"), bold(), room);
    let text = page.asked.offers.always.as_deref().unwrap_or_default();
    let rows = text.trim_end().lines().map(|row| vec![(row.to_owned(), Style::new())]);
    parts.area = rows.flat_map(|row| broken(&row, room - 2)).map(|row| row.at(2)).collect();
    parts.area_wanted = usize::MAX;
    confirmed(page, confirm, "choice-write", parts);
}
