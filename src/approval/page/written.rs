//! Text that is being written, and text that keeps its spaces, as rows.

use anstyle::Style;

use super::super::line::{self, Cell, Row as LineRow};
use super::super::text::{Piece, pieces};
use super::compose::{Parts, Row, Runs, bold, dim, said};
use super::editor::Editor;

/// A question with a text below it that is being written.
pub(super) fn field(ask: &str, editor: &Editor, room: usize, parts: &mut Parts) {
    parts.menu = said(ask, bold(), room);
    let asked = parts.menu.len();
    let (rows, kept) = edited(editor, room - 2);
    parts.menu.extend(rows.into_iter().map(|row| row.at(2)));
    parts.chosen = (asked + kept, asked + kept + 1);
    parts.area_wanted = 2;
}

/// The text of an editor with its cursor, and the row that this stands in.
pub(super) fn edited(editor: &Editor, room: usize) -> (Vec<Row>, usize) {
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
pub(super) fn broken(runs: &Runs, room: usize) -> Vec<Row> {
    let cell = |style: Style| {
        move |Piece { text, width, .. }: Piece| Cell { text, width, style, mark: None }
    };
    let cells = runs.iter().flat_map(|(text, style)| pieces(text).into_iter().map(cell(*style)));
    let rows = line::rows(cells.collect(), room);
    let runs = |row: LineRow| row.cells.into_iter().map(|cell| (cell.text, cell.style)).collect();
    rows.into_iter().map(|row| Row { indent: 0, runs: runs(row) }).collect()
}
