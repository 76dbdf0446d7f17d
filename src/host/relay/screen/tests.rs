use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Holds what must be so whatever was written: all is within the screen, and both halves of a wide character are there or none.
fn assert_sound(screen: &Screen) {
    let state = &screen.state;
    let (height, width) = (state.height, state.width);
    assert!(height > 0 && width > 0);
    let cursors = state.grids.iter().filter_map(|grid| grid.saved).chain([state.cursor]);
    for cursor in cursors {
        assert!(cursor.row < height && cursor.column < width, "{cursor:?}");
    }
    assert!(state.margins.0 <= state.margins.1 && state.margins.1 < height);
    assert_eq!(state.tabs.len(), width);
    assert!(state.begun.len() < 4, "{:?}", state.begun);
    for grid in &state.grids {
        assert_eq!(grid.rows.len(), height);
        for row in &grid.rows {
            assert!(row.cells().len() <= width);
            for (column, cell) in row.cells().iter().enumerate() {
                let tail_follows =
                    row.cells().get(column + 1).is_some_and(|next| next.glyph == Glyph::TAIL);
                let first = text_of(state, cell.glyph).chars().next();
                let is_wide = first.is_some_and(|first| first.width() == Some(2));
                assert_eq!(is_wide, tail_follows, "column {column} of {width}: {first:?}");
                assert!(column > 0 || cell.glyph != Glyph::TAIL);
            }
        }
    }
    // What is kept besides the cells has bounds of its own.
    assert!(state.clusters.bytes() <= Table::MOST * LONGEST_CLUSTER);
    assert!(state.links.bytes() <= Table::MOST * perform::LONGEST_LINK);
}

fn text_of(state: &State, glyph: Glyph) -> String {
    match (glyph.character(), glyph.place()) {
        (Some(character), _) => character.to_string(),
        (None, Some(place)) => {
            String::from_utf8(state.clusters.text(place).unwrap().to_vec()).unwrap()
        }
        (None, None) => String::new(),
    }
}

/// What a row shows: the text and the look of each cell.
fn shown(state: &State, row: &Row) -> Vec<(String, Style, Vec<u8>)> {
    let cell = |column| {
        let cell = row.cell(column);
        let link = state.links.text(cell.style.link).unwrap_or_default().to_vec();
        let mut style = cell.style;
        // A number of this screen's own.
        style.link = 0;
        (text_of(state, cell.glyph), style, link)
    };
    (0..state.width).map(cell).collect()
}

/// What the screen that is shown shows.
fn cells(screen: &Screen) -> Vec<Vec<(String, Style, Vec<u8>)>> {
    let state = &screen.state;
    let grid = &state.grids[usize::from(state.alternate)];
    grid.rows.iter().map(|row| shown(state, row)).collect()
}

/// Pieces that are worth being put together: what is cut anywhere, ends nowhere or says too much.
const PIECES: &[&[u8]] = &[
    b"\x1b",
    b"\x1b[",
    b"\x1b[?",
    b"\x1b]8;;",
    b"\x1b]8;id=1;http://a/",
    b"\x1b]0;",
    b"\x1bP+q",
    b"\x1b_G",
    b"\x07",
    b"\x1b\\",
    b"\x18",
    b"\x1a",
    b"99999999999999999999",
    b"65535",
    b";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;",
    b":::",
    b"0",
    b"1",
    b"2;2",
    b"38;5;",
    b"48:2::1:2:3",
    b"@",
    b"A",
    b"B",
    b"C",
    b"D",
    b"G",
    b"H",
    b"I",
    b"J",
    b"K",
    b"L",
    b"M",
    b"P",
    b"S",
    b"T",
    b"X",
    b"Z",
    b"b",
    b"d",
    b"g",
    b"m",
    b"r",
    b"s",
    b"u",
    b"\x1b[?6h",
    b"\x1b[?7l",
    b"\x1b[?7h",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?1047h",
    b"\x1b[?47l",
    b"\x1b[4h",
    b"\x1b[4l",
    b"\x1b[3;5r",
    b"\x1b[!p",
    b"\x1bc",
    b"\x1b7",
    b"\x1b8",
    b"\x1bD",
    b"\x1bE",
    b"\x1bH",
    b"\x1bM",
    b"\x1b#8",
    b"\x1b(0",
    b"\x1b)0",
    b"\x1bn",
    b"\x0e",
    b"\x0f",
    b"\t",
    b"\r",
    b"\n",
    b"\x08",
    "漢".as_bytes(),
    "漢字漢字漢字漢字漢字".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}\u{302}\u{303}".as_bytes(),
    "👩\u{200d}👩\u{200d}👧".as_bytes(),
    "♥\u{fe0f}".as_bytes(),
    "\u{202e}".as_bytes(),
    b"\xe6",
    b"\xe6\xbc",
    b"\xf0\x9f",
    b"\x80\xff\xc0",
    b"plain text that is longer than a line of a small screen",
];

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => select(PIECES).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 1..40),
    ];
    vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    let length = prop_oneof![2 => 0_u16..4, 3 => 4_u16..40, 1 => select(vec![80_u16, 132, 500])];
    (length.clone(), length)
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn whatever_is_written_at_whatever_size_leaves_a_screen(
        first in size(),
        written in vec((hostile(), size()), 1..5),
    ) {
        let mut screen = Screen::new(first.0, first.1);
        for (bytes, (rows, columns)) in written {
            screen.feed(&bytes);
            assert_sound(&screen);
            screen.resize(rows, columns);
            assert_sound(&screen);
        }
    }

    #[test]
    fn how_output_is_cut_makes_no_difference(
        (rows, columns) in size(), bytes in hostile(), cuts in vec(1_usize..9, 1..40),
    ) {
        let mut whole = Screen::new(rows, columns);
        whole.feed(&bytes);
        let mut parts = Screen::new(rows, columns);
        let mut rest = bytes.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            parts.feed(now);
            rest = later;
        }
        prop_assert_eq!(cells(&parts), cells(&whole));
        prop_assert_eq!(parts.state.cursor, whole.state.cursor);
        prop_assert_eq!(parts.modes(), whole.modes());
        prop_assert_eq!(parts.is_between_sequences(), whole.is_between_sequences());
        prop_assert_eq!(cut(&parts), cut(&whole));
    }

    #[test]
    fn what_is_drawn_again_is_what_was_there((rows, columns) in size(), bytes in hostile()) {
        let mut screen = Screen::new(rows, columns);
        screen.feed(&bytes);
        let mut out = b"\x1b[?7l\x1b[?6l\x1b[0m\x1b(B\x0f".to_vec();
        screen.write_rows(0..screen.height(), &mut out);
        let mut again = Screen::new(rows, columns);
        again.feed(&out);
        prop_assert!(again.is_between_sequences());
        prop_assert_eq!(cells(&again), cells(&screen));
    }

    #[test]
    fn where_another_model_knows_the_same_it_says_the_same(
        rows in 1_u16..12, columns in 2_u16..30, steps in prop_oneof![vec(known(Width::One), 0..80), vec(known(Width::Two), 0..80)],
    ) {
        let bytes = steps.concat();
        let mut ours = Screen::new(rows, columns);
        let length = |length| NonZeroU16::new(length).unwrap();
        let mut theirs = vt100::Parser::new(length(rows), length(columns), 0);
        for bytes in [b"\x1b[H\x1b[2J".as_slice(), &bytes] {
            ours.feed(bytes);
            theirs.process(bytes);
        }
        for row in 0..rows {
            for column in 0..columns {
                let cell = ours.state.grids[0].rows[usize::from(row)].cell(usize::from(column));
                let their = theirs.screen().cell(row, column).unwrap();
                let text = text_of(&ours.state, cell.glyph);
                let (text, written) = (text.trim_end(), their.contents().trim_end());
                prop_assert_eq!(text, written, "row {} column {}", row, column);
                if !text.is_empty() {
                    let colour = match their.fgcolor() {
                        vt100::Color::Default => Colour::Default,
                        vt100::Color::Idx(index) => Colour::Index(index),
                        vt100::Color::Rgb(red, green, blue) => Colour::Rgb(red, green, blue),
                    };
                    prop_assert_eq!(cell.style.fore, colour);
                    prop_assert_eq!(cell.style.underline > 0, their.underline());
                }
            }
        }
        let (row, column) = theirs.screen().cursor_position();
        let at = ours.state.cursor;
        // Theirs stands behind the last column where the next character goes to the next row.
        let behind = at.column + usize::from(at.pending);
        prop_assert_eq!((at.row, behind), (usize::from(row), usize::from(column)));
    }
}

/// Whether some characters have two columns.
#[derive(Clone, Copy)]
enum Width {
    One,
    Two,
}

/// Steps that both models know, and are known to take in the same way. What is left of a character of two columns, half of which is
/// moved, they see differently.
fn known(width: Width) -> impl Strategy<Value = Vec<u8>> {
    let (text, edits) = match width {
        Width::One => ("[a-cü]{1,6}", b"@PXLMST".as_slice()),
        Width::Two => ("[a-c漢字ü]{1,6}", b"LMST".as_slice()),
    };
    let number = || prop_oneof![4 => 1_u16..9, 1 => Just(0), 1 => Just(500), 1 => Just(65535)];
    prop_oneof![
        4 => "[a-z ]{1,12}".prop_map(String::into_bytes),
        2 => text.prop_map(String::into_bytes),
        2 => select(vec!["\r", "\r\n", "\r\x1bM", "\r\x1b[3b"])
            .prop_map(|text| text.as_bytes().to_vec()),
        4 => (number(), number(), select(b"ABCDGd".to_vec())).prop_map(step),
        2 => (number(), number())
            .prop_map(|(row, column)| format!("\x1b[{row};{column}H").into_bytes()),
        2 => (number(), number(), select(edits.to_vec())).prop_map(step),
        2 => (number(), 0_u16..3, select(b"JK".to_vec())).prop_map(step),
        2 => select(vec!["0", "4", "24", "31", "39", "92", "38;5;200", "38;2;1;2;3"])
            .prop_map(|code| format!("\x1b[{code}m").into_bytes()),
    ]
}

/// A sequence behind one that sends the cursor to a column: what becomes of a character that would go to the next row is told differently
/// by either.
fn step((column, count, end): (u16, u16, u8)) -> Vec<u8> {
    format!("\x1b[{column}G\x1b[{count}{}", char::from(end)).into_bytes()
}

/// Follows the same bytes over and over; returns how long as much takes as is read at once.
fn time_of_a_read(bytes: &[u8]) -> Duration {
    let mut screen = Screen::new(50, 200);
    let times = (1 << 16) / bytes.len() + 1;
    let start = Instant::now();
    for _ in 0..times {
        screen.feed(bytes);
    }
    let took = start.elapsed();
    assert_sound(&screen);
    took
}

fn cut(screen: &Screen) -> Vec<u8> {
    let mut out = Vec::new();
    screen.write_cut(&mut out);
    out
}

#[test]
fn what_has_no_end_yet_is_what_is_written_again() {
    for (ended, begun) in [
        ("text", ""),
        ("a\x1b[31m", ""),
        ("a\x1b]0;title\x07", ""),
        ("half: ", "\x1b[3"),
        ("\x1b[1m", "\x1b]0;ti"),
        ("a", "\x1b_Gf=24"),
        ("", "\x1bPtmux;x"),
    ] {
        let mut screen = Screen::new(4, 20);
        screen.feed(ended.as_bytes());
        screen.feed(begun.as_bytes());
        assert_eq!(String::from_utf8(cut(&screen)).unwrap(), begun, "{ended:?}");
    }
    let mut screen = Screen::new(4, 20);
    screen.feed(b"half: \xe6\xbc");
    assert_eq!(cut(&screen), b"\xe6\xbc");
    screen.feed(b"\xa2\x1bP");
    screen.feed(&vec![b'x'; LONGEST_SEQUENCE + 1]);
    assert_eq!(cut(&screen), b"", "what is longer is not kept");
}

#[test]
fn nothing_that_is_short_takes_long() {
    // Each character is combined to something that never was, until the table is full and all of it is on the screen.
    let clusters: String = ('a'..='z')
        .flat_map(|base| ('\u{300}'..'\u{36f}').map(move |mark| format!("{base}{mark}\u{301}")))
        .chain((0..9_000_u32).map(|number| {
            let mark = |part: u32| char::from_u32(0x300 + part % 100).unwrap();
            format!("x{}{}", mark(number), mark(number / 100))
        }))
        .collect();
    let links: String =
        (0..12_000).fold(String::new(), |text, n| text + &format!("\x1b]8;;http://a/{n}\x07x"));
    for (what, bytes) in [
        ("repeats", b"x\x1b[65535b".as_slice()),
        ("tabs", b"\x1b[65535I\x1b[65535Z"),
        ("insertions", b"\x1b[65535@"),
        ("lines", b"\x1b[65535L\x1b[65535M\x1b[65535S\x1b[65535T"),
        ("alignments", b"\x1b#8"),
        ("parameters", &[b"\x1b[".as_slice(), &b"9;".repeat(4000), b"m"].concat()),
        ("a title", &[b"\x1b]0;".as_slice(), &b"x".repeat(1 << 17)].concat()),
        ("characters of many parts", clusters.as_bytes()),
        ("links", links.as_bytes()),
        ("marks", &[b"e".as_slice(), &"\u{301}".repeat(1 << 16).into_bytes()].concat()),
    ] {
        let took = time_of_a_read(bytes);
        println!("{what}: {took:?}");
        // Not optimised, and on a machine that has much else to do.
        assert!(took < Duration::from_secs(20), "{what}: {took:?}");
    }
}

#[test]
fn no_size_is_too_small_and_none_loses_what_is_beside_it() {
    let mut screen = Screen::new(3, 6);
    screen.feed("\x1b[H\x1b[2Jab漢d漢".as_bytes());
    for (columns, shows) in [(6, "ab漢d"), (4, "ab漢"), (3, "ab"), (1, "a")] {
        screen.resize(3, columns);
        assert_sound(&screen);
        let row = &screen.state.grids[0].rows[0];
        let text: String =
            row.cells().iter().map(|cell| text_of(&screen.state, cell.glyph)).collect();
        assert_eq!(text.trim_end(), shows, "{columns}");
    }
    screen.resize(0, 0);
    screen.feed("漢x\r\n\x1b[2;2H\x1b[5;9ry\x1b[3@z".as_bytes());
    assert_sound(&screen);
    assert_eq!((screen.height(), screen.width()), (1, 1));
    screen.resize(u16::MAX, 2);
    screen.feed(b"\x1b[65535;65535Hz");
    assert_sound(&screen);
}

#[test]
fn what_is_set_and_not_followed_is_known() {
    for (bytes, is_strange) in [
        ("\x1b[?69h\x1b[10;20s", true),
        ("\x1b]11;#000000\x07", true),
        ("\x1b]4;1;rgb:0/0/0\x1b\\", true),
        ("\x1b[?2l", true),
        ("\x1b[?38h", true),
        ("\x1b[20h", true),
        ("\x1b[?9001h", true),
        ("\x1b[5i", true),
        ("\x1b]11;?\x07", false),
        ("\x1b[?1049h\x1b[?25l\x1b[31mab\x1b[2K\x1b[?2004h", false),
    ] {
        let mut screen = Screen::new(5, 20);
        screen.feed(bytes.as_bytes());
        assert_eq!(screen.is_strange(), is_strange, "{bytes:?}");
    }
}

#[test]
fn what_a_program_leaves_is_taken_back_and_nothing_else_is_said() {
    for (left, back) in [
        ("text\r\n", ""),
        ("\x1b[?1h\x1b[?1l\x1b[?1049hx\x1b[?1049l\x1b[31mx\x1b[m\x1b[>1u\x1b[<u", ""),
        ("\x1b[?1h\x1b[?2004h", "\x1b[?1l\x1b[?2004l"),
        (
            "\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?25l",
            "\x1b[?1003l\x1b[?1006l\x1b[?25h\x1b[?1004l",
        ),
        ("\x1b[?2026h\x1b[>3u\x1b[>1u\x1b[=1u", "\x1b[?2026l\x1b[<2u\x1b[=0u"),
        ("\x1b[>1u\x1b[?1049h\x1b[>1u", "\x1b[<1u\x1b[?1049l\x1b[<1u"),
        ("\x1b[?1047h", "\x1b[?1047l\x1b[24;1H\r\n"),
        ("\x1b[2;5r\x1b[3;4H", "\x1b[r\x1b[?6l\x1b[3;4H"),
        ("\x1b[20h", "\x1b<\x1b\x03\x1b[4i\x1b[?69l\x1b[20l\x1b[?9001l"),
        ("\x1b[4h\x1b]0;cut", "\x18\x1b\\\x1b[4l"),
    ] {
        let mut screen = Screen::new(24, 80);
        screen.feed(left.as_bytes());
        let mut out = Vec::new();
        screen.write_usual(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), back, "{left:?}");
        screen.feed(&out);
        let mut again = Vec::new();
        screen.write_usual(&mut again);
        assert!(left.contains("[20h") || again.is_empty(), "{left:?}: {again:?}");
    }
}

#[test]
fn a_window_that_a_program_changes_is_told() {
    for (bytes, changes) in [
        ("\x1b[8;200;80t", true),
        ("\x1b[3;0;9999t", true),
        ("\x1b[48t", true),
        ("\x1b[?3h", true),
        ("\x1b[22;0;0t\x1b[23;0;0t\x1b[18t\x1b[14t", false),
        ("\x1b[?1049h\x1b[2J", false),
    ] {
        let mut screen = Screen::new(24, 80);
        screen.feed(bytes.as_bytes());
        assert_eq!(screen.changes_window(), changes, "{bytes:?}");
    }
}
