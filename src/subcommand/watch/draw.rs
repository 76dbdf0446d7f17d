//! The list as a terminal shows it: rows of questions, below them what is selected, at the bottom what keys do. All that an agent
//! wrote goes through `approval::text`, cell by cell.

use anstyle::{AnsiColor, Color as Named, Effects, Style};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style as Drawn};

use super::list::{List, Tab, View};
use crate::approval::line::severity_style;
use crate::approval::page::{LEAST_COLUMNS, Look};
use crate::approval::text::{cut, pieces, width, wrapped};
use crate::approval::{visible, words};
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::Paused;
use crate::subcommand::pause;
use crate::subcommand::pending::{age, stands};

/// Rows without which nothing is listed.
const LEAST_ROWS: u16 = 4;
/// Rows from which on what is selected is shown in full below the list.
const TALL: u16 = 16;
/// Columns from which on a row says who asks.
const WIDE: usize = 60;

/// What is said beside the questions.
pub(super) struct Around<'a> {
    /// How many hosts there are.
    pub(super) hosts: usize,
    /// Why one of them cannot be spoken to.
    pub(super) trouble: Option<&'a str>,
    /// The person's pause, if they want one.
    pub(super) paused: Option<Paused>,
}

/// Draws what is looked at.
pub(super) fn draw(frame: &mut Frame<'_>, list: &mut List, around: &Around<'_>) {
    let area = frame.area();
    let mut sheet = Sheet { buffer: frame.buffer_mut(), look: list.look, language: list.language };
    if let View::Question(opened) = &mut list.view {
        let (columns, rows) = (usize::from(area.width), usize::from(area.height));
        let surface = opened.asking.page(columns).surface(columns, rows);
        for row in 0..surface.height() {
            for (column, text, style) in surface.cells(row) {
                sheet.cell(area, column, row, text, style);
            }
        }
        return;
    }
    if area.height < LEAST_ROWS || usize::from(area.width) < LEAST_COLUMNS {
        let open = list.rows(Tab::Open).len();
        let values =
            [("open", open.into()), ("columns", LEAST_COLUMNS.into()), ("rows", LEAST_ROWS.into())];
        let text = list.language.tell("watch-too-small", &values);
        return sheet.wrapped(area, &text, bold());
    }
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(1), Constraint::Length(1)])
            .areas(area);
    sheet.head(head, list, around);
    if matches!(list.view, View::Help) {
        sheet.help(body);
    } else {
        sheet.body(body, list, around);
    }
    sheet.foot(foot, list, around);
}

struct Sheet<'b> {
    buffer: &'b mut Buffer,
    look: Look,
    language: Language,
}

impl Sheet<'_> {
    fn head(&mut self, area: Rect, list: &List, around: &Around<'_>) {
        let waiting = |(_, entry): &&&(_, Entry)| entry.is_waiting();
        let open = list.rows(Tab::Open);
        let waiting = open.iter().filter(waiting).count();
        let mut at = self.put(area, 1, 0, "guarded-sh", bold()) + 2;
        for (tab, key, count) in [
            (Tab::Open, "watch-open", open.len()),
            (Tab::History, "watch-history", list.rows(Tab::History).len()),
        ] {
            let style = if list.tab == tab { bold().invert() } else { dim() };
            let text = format!(" {} ", self.language.tell(key, &[("count", count.into())]));
            at = self.put(area, at, 0, &text, style) + 1;
        }
        let values = [("waiting", waiting.into()), ("hosts", around.hosts.into())];
        let told = match around.paused {
            // Who paused knows what there is; whoever else looks must know why nobody is told of it.
            Some(paused) => pause::told(paused, self.language),
            None => self.language.tell("watch-waiting", &values),
        };
        let start = usize::from(area.width).saturating_sub(width(&told) + 1);
        if start > at {
            self.put(area, start, 0, &told, dim());
        }
        self.put(area, 0, 1, &"─".repeat(area.width.into()), dim());
    }

    fn body(&mut self, area: Rect, list: &List, around: &Around<'_>) {
        let rows = list.rows(list.tab);
        if rows.is_empty() {
            let key = match (list.tab, around.hosts) {
                (Tab::History, _) => "watch-no-history",
                (Tab::Open, 0) => "watch-no-host",
                (Tab::Open, _) => "watch-no-questions",
            };
            return self.wrapped(indented(area), &self.language.say(key), dim());
        }
        let details = if area.height >= TALL - 3 { area.height / 2 } else { 0 };
        let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        let rule = u16::from(details > 0);
        let height = wanted.min(area.height - details - rule);
        let [top, rule, below] = Layout::vertical([
            Constraint::Length(height),
            Constraint::Length(rule),
            Constraint::Min(0),
        ])
        .areas(area);
        let at = list.at().unwrap_or(0);
        // As far down as it must be for what is selected to be seen.
        let first = (at + 1).saturating_sub(usize::from(height));
        for (row, (_, entry)) in rows.iter().skip(first).take(height.into()).enumerate() {
            self.row(top, row, entry, first + row == at);
        }
        if details > 0 {
            self.put(rule, 0, 0, &"─".repeat(rule.width.into()), dim());
            if let Some((_, entry)) = list.current() {
                self.details(indented(below), &entry, list.home());
            }
        }
    }

    /// Severity, how it stands, its age, who asks, the line.
    fn row(&mut self, area: Rect, row: usize, entry: &Entry, selected: bool) {
        let question = &entry.question;
        let mark = |style: Style| if selected { style.invert() } else { style };
        if selected {
            self.put(area, 0, row, &" ".repeat(area.width.into()), mark(Style::new()));
        }
        let severity = question.severity;
        let name = cut(&self.language.severity(severity.name()), 8);
        self.put(area, 1, row, &name, mark(severity_style(severity)));
        let style = match &entry.state {
            State::Waiting { .. } => bold(),
            State::Left => dim(),
            State::Answered { .. } => Style::new(),
        };
        let stands = cut(&stands(&entry.state, self.language), 10);
        self.put(area, 10, row, &stands, mark(style));
        let age = cut(&age(entry.age, self.language), 5);
        self.put(area, 25 - width(&age), row, &age, mark(dim()));
        let mut at = 27;
        if usize::from(area.width) >= WIDE {
            self.put(
                area,
                at,
                row,
                &cut(&visible(&words::who(question, self.language)), 9),
                mark(Style::new()),
            );
            at += 11;
        }
        let room = usize::from(area.width).saturating_sub(at);
        self.put(area, at, row, &cut(&visible(&question.line), room), mark(Style::new()));
    }

    /// What is said about the question that is selected, as far as there is room.
    fn details(&mut self, area: Rect, entry: &Entry, home: Option<&str>) {
        let question = &entry.question;
        let columns = usize::from(area.width);
        let mut rows: Vec<(String, Style)> = Vec::new();
        let mut say = |text: &str, style: Style| {
            rows.extend(wrapped(&visible(text), columns).into_iter().map(|row| (row, style)));
        };
        let language = self.language;
        let (who, place) = (words::who(question, language), words::place(question, home, language));
        let values = [("who", who.into()), ("place", place.into())];
        say(&language.tell("question-who-where", &values), dim());
        for line in question.line.lines().take(usize::from(area.height)) {
            say(&format!("  {line}"), bold());
        }
        if let State::Answered { answer } = &entry.state {
            say(&format!("{}.", words::answered(answer, language)), Style::new());
        }
        for point in words::points(question, language) {
            let part = point.part.map_or_else(String::new, |part| format!("`{part}` "));
            say(&format!("- {part}{}", point.text), Style::new());
        }
        if let Some(instead) = words::instead(question, language) {
            say(&format!("→ {instead}"), Style::new().fg_color(Some(AnsiColor::Green.into())));
        }
        let height = usize::from(area.height);
        let more = rows.len() > height;
        for (row, (text, style)) in rows.into_iter().take(height).enumerate() {
            let is_last = more && row + 1 == height;
            if is_last {
                self.put(area, 0, row, &format!("… {}", language.say("watch-shows-all")), dim());
            } else {
                self.put(area, 0, row, &text, style);
            }
        }
    }

    fn help(&mut self, area: Rect) {
        for (row, (keys, does)) in [
            ("↑ ↓ j k", "watch-help-choose"),
            ("Enter", "watch-help-open"),
            ("d", "watch-help-deny"),
            ("h Tab", "watch-help-history"),
            ("Esc", "key-back"),
            ("q", "watch-help-quit"),
        ]
        .into_iter()
        .enumerate()
        {
            self.put(area, 2, row, keys, bold());
            let room = usize::from(area.width).saturating_sub(12);
            self.put(area, 12, row, &cut(&self.language.say(does), room), Style::new());
        }
    }

    /// What came of something, or what is wrong, or what keys do.
    fn foot(&mut self, area: Rect, list: &List, around: &Around<'_>) {
        let yellow = bold().fg_color(Some(AnsiColor::Yellow.into()));
        let room = usize::from(area.width).saturating_sub(2);
        if let Some(notice) = &list.notice {
            self.put(area, 1, 0, &cut(&notice.text, room), bold());
            return;
        }
        if let Some(why) = around.trouble {
            let text = self.language.tell("watch-not-all", &[("why", visible(why).into())]);
            self.put(area, 1, 0, &cut(&text, room), yellow);
            return;
        }
        let key = match (&list.view, list.tab, list.current().is_some()) {
            (View::Help, ..) => "watch-foot-help",
            (_, Tab::Open, true) => "watch-foot-open",
            (_, Tab::Open, false) => "watch-foot-none-open",
            (_, Tab::History, true) => "watch-foot-history",
            (_, Tab::History, false) => "watch-foot-no-history",
        };
        self.put(area, 1, 0, &cut(&self.language.say(key), room), dim());
    }

    fn wrapped(&mut self, area: Rect, text: &str, style: Style) {
        let rows = wrapped(text, usize::from(area.width).max(1));
        for (row, text) in rows.iter().take(area.height.into()).enumerate() {
            self.put(area, 0, row, text, style);
        }
    }

    /// Writes a text into a row from a column on, as far as the row goes; returns the column behind it.
    fn put(&mut self, area: Rect, column: usize, row: usize, text: &str, style: Style) -> usize {
        let mut column = column;
        for piece in pieces(text) {
            let (text, width) =
                if piece.text == "\n" { ("⏎", 1) } else { (piece.text.as_str(), piece.width) };
            if column + width > usize::from(area.width) {
                return area.width.into();
            }
            if text.is_ascii() {
                for (at, byte) in text.char_indices() {
                    self.cell(area, column + at, row, byte.encode_utf8(&mut [0; 4]), style);
                }
            } else {
                self.cell(area, column, row, text, style);
            }
            column += width;
        }
        column
    }

    /// Writes a character into a place. What is no place is passed over.
    fn cell(&mut self, area: Rect, column: usize, row: usize, text: &str, style: Style) {
        let within = column < usize::from(area.width) && row < usize::from(area.height);
        let place = u16::try_from(column).ok().zip(u16::try_from(row).ok()).filter(|_| within);
        let Some((column, row)) = place else { return };
        if let Some(cell) = self.buffer.cell_mut((area.x + column, area.y + row)) {
            cell.set_symbol(text).set_style(drawn(style, self.look));
        }
    }
}

const fn indented(area: Rect) -> Rect {
    let width = area.width.saturating_sub(2);
    Rect { x: area.x + 1, width, ..area }
}

const fn bold() -> Style {
    Style::new().bold()
}

const fn dim() -> Style {
    Style::new().dimmed()
}

/// Returns a style as it is drawn.
fn drawn(style: Style, look: Look) -> Drawn {
    let effects = style.get_effects();
    let modifiers = [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::ITALIC, Modifier::ITALIC),
        (Effects::UNDERLINE, Modifier::UNDERLINED),
        (Effects::INVERT, Modifier::REVERSED),
    ];
    let on = modifiers.into_iter().filter(|(effect, _)| effects.contains(*effect));
    let modifier = on.fold(Modifier::empty(), |all, (_, modifier)| all | modifier);
    let colour = match style.get_fg_color().filter(|_| look == Look::Colour) {
        Some(Named::Ansi(colour)) => Color::Indexed(anstyle::Ansi256Color::from_ansi(colour).0),
        _ => Color::Reset,
    };
    Drawn::reset().fg(colour).add_modifier(modifier)
}
