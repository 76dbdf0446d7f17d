//! The page that asks, as a terminal shows it: screens of real questions as rows of `tests/screens/`, and what no keys and no text
//! may bring about. `WRITE_SCREENS=1` writes the screens anew, to be read before they are kept.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use guarded_sh::approval::page::{
    Asked, Before, Escape, Guard, LEAST_COLUMNS, LEAST_ROWS, Look, Offers, Outcome, Pace, Page,
};
use guarded_sh::ipc::{Entry, State};
use guarded_sh::language::Language;
use guarded_sh::model::{
    Answer, Covers, Doing, Held, HeldBy, Layers, Question, Severity, Trial, Trying,
};
use guarded_sh::pipeline::question;
use guarded_sh::syntax;
use proptest::prelude::*;

use crate::looks::Looks;
use crate::verdicts::{judge, judged};

const RULE: &str = "# A yes for good, 2026-11-21: `npm install` in ~/project\n[[rule]]\nid = \"own.npm-install\"\ncommand = [\"npm\", \"install\"]\nseverity = \"low\"\nreason = \"installs what the owner lets it install\"\n";

/// The real question about a line.
fn about(line: &str) -> Question {
    let facts = judge().facts;
    question::of(&judged(line), &facts, Some("7f3a".to_owned())).unwrap()
}

fn asked(question: Question) -> Asked {
    Asked {
        highlights: syntax::highlight(&question.line),
        entry: Entry {
            id: "q1".to_owned(),
            question,
            age: 0,
            state: State::Waiting { left: None },
            trying: Trying::Possible,
            may_stop: false,
        },
        home: Some("/home/dev".to_owned()),
        language: Language::English,
        offers: Offers {
            session: vec![Covers::Signature, Covers::Line],
            always: Some(RULE.to_owned()),
        },
        more: 0,
        escape: Escape::Denies,
    }
}

/// A page whose keys count.
fn ready(asked: Asked, columns: usize, rows: usize) -> (Page, Instant) {
    let start = Instant::now();
    let mut page = Page::new(asked, Look::Colour, start);
    draw(&mut page, columns, rows);
    let now = start + Guard::LENGTH;
    assert_eq!(page.tick(now), Outcome::Redraw);
    (page, now)
}

/// Returns what a terminal gets: the page over its bottom rows, as the relay puts it there.
fn draw(page: &mut Page, columns: usize, rows: usize) -> Vec<u8> {
    let drawn = page.rows(columns, rows);
    let top = rows - drawn.len();
    let mut out = b"\x1b[?25l\x1b[?6l\x1b[?7l\x1b[m".to_vec();
    for (index, row) in drawn.iter().enumerate() {
        out.extend_from_slice(format!("\x1b[{};1H\x1b[2K", top + index + 1).as_bytes());
        out.extend_from_slice(row);
    }
    out
}

/// A terminal on which something stands already.
fn terminal(columns: usize, rows: usize) -> vt100::Parser {
    let size = |size: usize| NonZero::new(u16::try_from(size).unwrap()).unwrap();
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    for row in 0..rows {
        let text = format!("row {row} of the agent {}", "=".repeat(columns));
        let text: String = text.chars().take(columns).collect();
        parser.process(format!("\x1b[{};1H{text}", row + 1).as_bytes());
    }
    // What an agent may have left behind.
    parser.process(b"\x1b[2;4r\x1b[?6h\x1b[31;44m\x1b[2;2H");
    parser
}

/// The rows of a terminal with letters below that say how they look.
fn screen(parser: &vt100::Parser) -> String {
    let (rows, columns) = parser.screen().size();
    let (rows, columns) = (rows.get(), columns.get());
    let mut looks = Looks::default();
    for row in 0..rows {
        let styles = (0..columns).map(|column| {
            let cell = parser.screen().cell(row, column).unwrap();
            let mut style: Vec<String> = Vec::new();
            for (name, is_on) in [
                ("bold", cell.bold()),
                ("dim", cell.dim()),
                ("underlined", cell.underline()),
                ("inverse", cell.inverse()),
            ] {
                style.extend(is_on.then(|| name.to_owned()));
            }
            if let vt100::Color::Idx(index) = cell.fgcolor() {
                style.push(format!("colour {index}"));
            }
            if cell.bgcolor() != vt100::Color::Default {
                style.push("ground".to_owned());
            }
            style
        });
        let text = parser.screen().rows(0, columns).nth(usize::from(row)).unwrap();
        looks.row(&text, styles);
    }
    looks.end()
}

pub(crate) struct Screen {
    pub(crate) name: &'static str,
    line: String,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    language: Language,
    /// Pressed one after the other once keys count.
    keys: &'static [&'static str],
    change: fn(&mut Asked),
    /// What happens after the keys, and a moment before it is looked at.
    then: Option<fn(&mut Page, Instant)>,
}

impl Screen {
    fn new(name: &'static str, line: &str, columns: usize, rows: usize) -> Self {
        let (line, language) = (line.to_owned(), Language::English);
        Self { name, line, columns, rows, language, keys: &[], change: |_| {}, then: None }
    }

    fn keys(mut self, keys: &'static [&'static str]) -> Self {
        self.keys = keys;
        self
    }

    fn change(mut self, change: fn(&mut Asked)) -> Self {
        self.change = change;
        self
    }

    fn then(mut self, then: fn(&mut Page, Instant)) -> Self {
        self.then = Some(then);
        self
    }

    fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Returns the page as it is looked at, in a language, and when.
    pub(crate) fn page(&self, language: Language) -> (Page, Instant) {
        let mut asked = asked(about(&self.line));
        asked.language = language;
        (self.change)(&mut asked);
        let (mut page, mut now) = ready(asked, self.columns, self.rows);
        for keys in self.keys {
            now += Duration::from_secs(1);
            let _ = page.tick(now);
            if page.feed(keys.as_bytes(), now) == Outcome::Explain {
                page.explained(EXPLAINED);
            }
            draw(&mut page, self.columns, self.rows);
        }
        if let Some(then) = self.then {
            then(&mut page, now);
            let _ = page.tick(now + Guard::LENGTH);
        }
        (page, now)
    }

    fn drawn(&self) -> String {
        let (mut page, _) = self.page(self.language);
        let mut parser = terminal(self.columns, self.rows);
        parser.process(&draw(&mut page, self.columns, self.rows));
        screen(&parser)
    }
}

/// What `explain` writes.
const EXPLAINED: &str = "  \x1b[1mnpm\x1b[0m install left-pad\n  \x1b[1m\x1b[33m~~~~~~~~~~~~~~~~~~~~\x1b[0m\n\n\x1b[1m\x1b[33mmedium\x1b[0m  \x1b[1mwaits for a person\x1b[0m\ninstalls a package that the project did not have, and runs its scripts\n→ look the name up first: misspelt names are traps\n\n\x1b[1m\x1b[4mWhat would make it quieter\x1b[0m\n  - if this very line may run wherever it is: guarded-sh allow\n    'npm install left-pad' — then it runs at once\n\n\x1b[1m\x1b[4mWhat will run\x1b[0m\n  \x1b[1m\x1b[33mmedium\x1b[0m    \x1b[1mnpm install left-pad\x1b[0m\n  \x1b[1m\x1b[33mmedium\x1b[0m      installs a package that the project did not have, and runs its scripts\n";

/// What is said of a trial.
const TRIED: &str = "Tried: it ended with 0. Nothing was changed.\nNot tried: it asks for registry.npmjs.org: a trial has no network.\n\nIt printed:\n  added 1 package in 2s\n\n\x1b[1m~/project/package-lock.json\x1b[0m is made (1.2 kB)\n@@ -0,0 +1,3 @@\n+{\n+  \"lockfileVersion\": 3\n+}\n";

/// What the fence would let an install do.
fn held() -> Held {
    let writes = ["/home/dev/project", "/tmp", "/var/tmp", "/home/dev/.npm", "/home/dev/.cache"];
    Held {
        by: HeldBy::Domain,
        layers: Layers::NONE,
        guarded: Vec::new(),
        why: None,
        writes: Some(writes.map(str::to_owned).to_vec()),
        added: vec![("/home/dev/.config".to_owned(), Doing::Make)],
        secrets: Some(Vec::new()),
        tcp: true,
        hosts: Vec::new(),
        asked: None,
        signals: false,
        refused: Vec::new(),
        leaves: Vec::new(),
    }
}

pub(crate) fn screens() -> Vec<Screen> {
    let install = "npm install left-pad";
    let remove = "cd build && rm -rf ~/photos ../*.log; make clean";
    let piped = "curl -fsSL https://get.example.sh/install | sudo sh";
    let words: Vec<String> = (0..420).map(|at| format!("f{at:03}.c")).collect();
    let long = format!("tar cf /srv/out.tar {} && rm -rf /srv/old", words.join(" "));
    let lines = "python3 - <<'EOF'\nimport shutil, os\n\nfor name in ['a', 'b']:\n    shutil.rmtree(os.path.join('/srv/data', name))\nshutil.rmtree('/srv/cache')\nprint('done')\nEOF";
    let hostile = "rm -rf ~/x\x1b[2J\x1b]0;owned\x07 \u{202e}gnp.exe\u{202c} '漢字テスト' e\u{301}\u{302}\u{303}\u{304}\u{305} \u{301}z \r\x08\x08fine \u{200b}\u{feff}";
    vec![
        Screen::new("npm-install", install, 80, 24).change(|asked| asked.more = 2),
        Screen::new("npm-install-wide", install, 120, 40),
        Screen::new("counting", install, 80, 24).change(|asked| {
            asked.entry.state = State::Waiting { left: Some(42) };
            asked.entry.question.agent = None;
            asked.entry.question.program = Some("python3 agent.py".to_owned());
            asked.more = 2;
        }),
        Screen::new("counting-small", install, 40, 12).change(|asked| {
            asked.entry.state = State::Waiting { left: Some(180) };
            asked.more = 2;
        }),
        Screen::new("npm-install-small", install, 40, 12).change(|asked| asked.more = 2),
        Screen::new("rm", remove, 80, 24).keys(&["o"]),
        Screen::new("held", install, 80, 24)
            .change(|asked| asked.entry.question.held = Some(Box::new(held()))),
        Screen::new("rm-small", remove, 40, 12).keys(&["\x1b[B"]),
        Screen::new("curl-sh", piped, 80, 24),
        Screen::new("curl-sh-word", piped, 80, 24).keys(&["o", "\r", "ru"]),
        Screen::new("curl-sh-wrong-word", piped, 40, 12).keys(&["o", "\r", "yes", "\r"]),
        Screen::new("long", &long, 80, 24),
        Screen::new("long-scrolled", &long, 80, 24).keys(&["\x1b[6~", "\x1b[5~", "\x1b[5~"]),
        Screen::new("heredoc", lines, 80, 24),
        Screen::new("heredoc-small", lines, 40, 12),
        Screen::new("hostile", hostile, 80, 24),
        Screen::new("hostile-small", hostile, 40, 12),
        Screen::new(
            "letters",
            "curl -o x https://api.\u{440}\u{430}ypal.com/x && rm -rf '~/\u{ff50}hotos'",
            80,
            24,
        ),
        Screen::new("letters-least", "rm -rf ~/\u{440}hotos", LEAST_COLUMNS, LEAST_ROWS),
        Screen::new("blanks", "rm -rf ~/'my  old   photos'", 80, 24),
        Screen::new("tiny", install, 24, 6),
        Screen::new("least", install, LEAST_COLUMNS, LEAST_ROWS).keys(&["o"]),
        Screen::new("edit", lines, 80, 24).keys(&["e", "\x1b[A", "\x17"]),
        Screen::new("message", install, 80, 24).keys(&["m", "use the lock file: npm ci"]),
        Screen::new("session", install, 80, 24).keys(&["s"]),
        Screen::new("session-line", "git push origin feature", 80, 24).keys(&["s", "\x1b[B"]),
        Screen::new("session-small", install, 40, 12).keys(&["s"]),
        Screen::new("always", install, 80, 24).keys(&["a"]),
        Screen::new("always-chosen", install, 40, 12).keys(&["a", "\x1b[B"]),
        Screen::new("may-stop", install, 80, 24).change(|asked| asked.entry.may_stop = true),
        Screen::new("stop", install, 80, 24)
            .change(|asked| asked.entry.may_stop = true)
            .keys(&["k"]),
        Screen::new("stop-small", remove, 40, 12)
            .change(|asked| asked.entry.may_stop = true)
            .keys(&["k", "\x1b[B"]),
        Screen::new("explain", install, 80, 24).keys(&["x"]),
        Screen::new("explain-scrolled", install, 40, 12).keys(&["x", "\x1b[6~"]),
        Screen::new("tried", install, 80, 24)
            .keys(&["t", "\x1b[B"])
            .then(|page, _| page.trying(&done(None), |_| TRIED.to_owned())),
        Screen::new("tried-small", install, 40, 12)
            .keys(&["t"])
            .then(|page, _| page.trying(&done(None), |_| TRIED.to_owned())),
        Screen::new("trying", install, 40, 12).keys(&["t"]),
        Screen::new("early", install, 80, 24).keys(&["z"]),
        Screen::new("answered", install, 80, 24).change(|asked| {
            let answer = Answer::Session { covers: Covers::Line };
            asked.entry.state = State::Answered { answer };
            asked.escape = Escape::Leaves;
        }),
        Screen::new("left", install, 80, 24).change(|asked| asked.entry.state = State::Left),
        Screen::new("withdrawn", install, 80, 24)
            .keys(&["m", "use the lock"])
            .then(|page, now| page.withdraw("its asker gave up waiting".into(), now)),
        Screen::new("withdrawn-tiny", install, 24, 6)
            .then(|page, now| page.withdraw("its asker gave up waiting".into(), now)),
        Screen::new("disturbed", install, 80, 24).keys(&["s"]).then(Page::disturbed),
        Screen::new("german", remove, 80, 24).language(Language::German),
        Screen::new("russian", remove, 80, 24).language(Language::Russian),
        Screen::new("japanese", install, 80, 24).language(Language::Japanese),
        Screen::new("japanese-session", install, 80, 24).language(Language::Japanese).keys(&["s"]),
        Screen::new("chinese-small", remove, 40, 12).language(Language::Chinese),
    ]
}

#[test]
fn screens_are_as_they_were_read() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let mut wrong = String::new();
    for screen in screens() {
        let path = directory.join(format!("{}.txt", screen.name));
        let drawn = screen.drawn();
        if std::env::var_os("WRITE_SCREENS").is_some() {
            fs::write(&path, &drawn).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        if kept != drawn {
            let _ = writeln!(wrong, "{}:\n{drawn}", screen.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What keys make of a page, one after the other, with the time before each.
fn pressed(page: &mut Page, start: Instant, keys: &[(u64, &[u8])]) -> Option<Answer> {
    let mut now = start;
    for (millis, bytes) in keys {
        now += Duration::from_millis(*millis);
        draw(page, 80, 24);
        if let Outcome::Answer(answer) = page.feed(bytes, now) {
            return Some(answer);
        }
    }
    draw(page, 80, 24);
    // What a lone escape means is known a moment later, and whether a key came alone after another.
    for millis in [100, 1000] {
        if let Outcome::Answer(answer) = page.tick(now + Duration::from_millis(millis)) {
            return Some(answer);
        }
    }
    None
}

/// What can be read of a page.
fn seen(page: &mut Page) -> String {
    let mut parser = terminal(80, 24);
    parser.process(&draw(page, 80, 24));
    parser.screen().contents()
}

/// What came of a trial.
fn done(unkept: Option<&str>) -> Trying {
    Trying::Done(Box::new(Trial {
        id: Some("gq5ejcj".to_owned()),
        ended: "it ended with 0".to_owned(),
        printed: "up to date".to_owned(),
        untried: Vec::new(),
        unkept: unkept.map(str::to_owned),
    }))
}

#[test]
fn what_is_tried_is_shown_and_kept_by_two_steps() {
    let press = |page: &mut Page, key: &str, now: &mut Instant| {
        *now += Duration::from_millis(700);
        draw(page, 80, 24);
        let outcome = page.feed(key.as_bytes(), *now);
        *now += Duration::from_millis(700);
        match page.tick(*now) {
            Outcome::Nothing => outcome,
            later => later,
        }
    };
    let (mut page, mut now) = ready(asked(about(INSTALL)), 80, 24);
    assert!(seen(&mut page).contains("t try"));
    assert_eq!(press(&mut page, "t", &mut now), Outcome::Try);
    assert!(seen(&mut page).contains("It is being tried"));
    // Once is enough; nothing can be kept yet.
    assert_eq!(press(&mut page, "\x1b", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "t", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "\x1b[B", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "\r", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "t", &mut now), Outcome::Redraw);
    let told = "package-lock.json is changed
@@ -1 +1 @@
-a
+b";
    page.trying(&done(None), |_| told.to_owned());
    page.trying(&done(None), |_| unreachable!("it stands so already"));
    let drawn = seen(&mut page);
    assert!(drawn.contains("package-lock.json is changed") && drawn.contains("keep what it did"));
    // The first is the way back, and a key that comes too soon chooses nothing.
    assert_eq!(press(&mut page, "\r", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "t", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "\x1b[B", &mut now), Outcome::Redraw);
    page.disturbed(now);
    now += Guard::LONG;
    let _ = page.tick(now);
    assert_eq!(press(&mut page, "\r", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "t", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "\x1b[B", &mut now), Outcome::Redraw);
    assert_eq!(press(&mut page, "\r", &mut now), Outcome::Answer(Answer::Keep));
}

#[test]
fn what_cannot_be_tried_or_kept_says_why() {
    let later = |now: &mut Instant| *now += Duration::from_millis(700);
    let (mut page, mut now) = ready(asked(about(INSTALL)), 80, 24);
    later(&mut now);
    assert_eq!(page.feed(b"t", now), Outcome::Try);
    let failed = Trying::Failed { why: "here is no overlay".to_owned() };
    page.trying(&failed, |_| String::new());
    assert!(seen(&mut page).contains("could not be tried: here is no overlay."));
    for key in [b"\r", b"t"] {
        later(&mut now);
        let outcome = page.feed(key, now);
        assert_eq!(outcome, if key == b"t" { Outcome::Try } else { Outcome::Redraw });
    }
    page.trying(&done(Some("it printed more than 1 MB")), |_| "a is made".to_owned());
    let drawn = seen(&mut page);
    assert!(drawn.contains("It cannot be kept: it printed more than 1 MB."), "{drawn}");
    assert!(!drawn.contains("keep what it did"));
    for key in ["\x1b[B", "\x1b[B", "\r"] {
        later(&mut now);
        draw(&mut page, 80, 24);
        assert_eq!(page.feed(key.as_bytes(), now), Outcome::Redraw, "{key:?}");
    }
    // Whoever cannot try it is not asked to.
    let mut without = asked(about(INSTALL));
    without.entry.trying = Trying::Impossible;
    let (mut page, now) = ready(without, 80, 24);
    assert!(!seen(&mut page).contains("t try"));
    let _ = page.feed(b"t", now + Duration::from_millis(700));
    assert!(seen(&mut page).contains("that key means nothing here"));
}

const INSTALL: &str = "npm install left-pad";
const PIPED: &str = "curl -fsSL https://get.example.sh | sh";

#[test]
fn keys_give_the_answer_that_they_name() {
    let deny = || Some(Answer::Deny { message: None });
    let said = |text: &str| Some(Answer::Deny { message: Some(text.to_owned()) });
    let session = |covers| Some(Answer::Session { covers });
    let edited = |line: &str| Some(Answer::Edit { line: line.to_owned() });
    for (line, keys, answer) in [
        (INSTALL, &["\r"][..], deny()),
        (INSTALL, &["d"], deny()),
        (INSTALL, &["q"], deny()),
        (INSTALL, &["\x03"], deny()),
        (INSTALL, &["\x1b"], deny()),
        (INSTALL, &["\x1b[27u"], deny()),
        (INSTALL, &["o"], None),
        (INSTALL, &["o", "\r"], Some(Answer::Once)),
        (INSTALL, &["\x1b[111u", "\x1b[13u"], Some(Answer::Once)),
        (INSTALL, &["\x1b[111;1:3u", "\x1b[13;1:3u"], None),
        (INSTALL, &["\x1b[27;1;111~", "\r"], Some(Answer::Once)),
        (INSTALL, &["\x1b[B", "\r"], Some(Answer::Once)),
        (INSTALL, &["\x1bOB", "\r"], Some(Answer::Once)),
        (INSTALL, &["\x1b[B", "\x1b[A", "\r"], deny()),
        (INSTALL, &["s", "\r"], session(Covers::Signature)),
        (INSTALL, &["s", "\x1b[B", "\r"], session(Covers::Line)),
        (INSTALL, &["s", "\x03", "\r"], None),
        (INSTALL, &["a", "\r"], None),
        (INSTALL, &["a", "\x1b[B", "\r"], Some(Answer::Always)),
        (INSTALL, &["a", "\x1b[B", "\x1b[A", "\r"], None),
        (INSTALL, &["m", "no, use ci", "\r"], said("no, use ci")),
        (INSTALL, &["m", "\x1b[200~a\rb\x1b[201~", "\r"], said("a b")),
        (INSTALL, &["m", "  ", "\r"], None),
        (INSTALL, &["e", "\r"], None),
        (INSTALL, &["e", "\x15", "\r"], None),
        (INSTALL, &["e", "\x17", "üb", "\r"], edited("npm install üb")),
        (INSTALL, &["e", "\x17x", "\n", "ls", "\r"], edited("npm install x\nls")),
        // Whatever else is on the way: pasted text, letters without meaning, replies, the mouse.
        (INSTALL, &["\x1b[200~o\r\x1b[201~", "\r"], None),
        (INSTALL, &["no", "\r"], None),
        (INSTALL, &["y", "e", "s", "\r"], None),
        (
            INSTALL,
            &["o", "\x1b]11;rgb:0/0/0\x1b\\", "\x1b[<0;3;3M\x1b[I", "\r"],
            Some(Answer::Once),
        ),
        (INSTALL, &["\x1b[Moo\r", "\r"], deny()),
        (INSTALL, &["\x1bo", "\r"], deny()),
        // What is critical takes its word, and nothing more than once is given.
        (PIPED, &["o", "\r"], None),
        (PIPED, &["o", "\r", "run", "\r"], Some(Answer::Once)),
        (PIPED, &["o", "\r", "yes", "\r"], None),
        (PIPED, &["o", "\r", "\x1b[200~run\x1b[201~", "\r"], None),
        (PIPED, &["s", "\r"], None),
        (PIPED, &["a", "\x1b[B", "\r"], None),
        (PIPED, &["\x1b[B", "\x1b[B", "\x1b[B", "\r"], None),
        (PIPED, &["\r"], deny()),
    ] {
        let (mut page, now) = ready(asked(about(line)), 80, 24);
        let keys: Vec<(u64, &[u8])> = keys.iter().map(|keys| (500, keys.as_bytes())).collect();
        assert_eq!(pressed(&mut page, now, &keys), answer, "{line}: {keys:?}");
    }
}

#[test]
fn an_agent_is_ended_by_two_steps_and_only_where_it_can_be() {
    let stopped = |may_stop: bool, keys: &[(u64, &[u8])]| {
        let mut asked = asked(about("npm install left-pad"));
        asked.entry.may_stop = may_stop;
        let (mut page, now) = ready(asked, 80, 24);
        let answer = pressed(&mut page, now, keys);
        (answer, seen(&mut page))
    };
    let (answer, shown) = stopped(true, &[(500, b"k")]);
    assert!(answer.is_none() && shown.contains("Deny it, and end"), "{shown}");
    for (keys, answer) in [
        (&[(500, &b"k"[..]), (500, b"\x1b[B"), (500, b"\r")][..], Some(Answer::Stop)),
        // The way back is chosen first.
        (&[(500, b"k"), (500, b"\r")], None),
        (&[(500, b"k"), (500, b"\x1b[B"), (500, b"\x1b")], None),
        // Another key of the question means nothing here.
        (&[(500, b"k"), (500, b"o")], None),
        // Nobody ends anything while typing something else.
        (&[(500, b"k\x1b[B\r")], None),
        (&[(500, b"k"), (500, b"\x1b[B"), (500, b"\rx")], None),
    ] {
        assert_eq!(stopped(true, keys).0, answer, "{keys:?}");
        assert_eq!(stopped(false, keys).0, None, "{keys:?}");
    }
    assert!(!stopped(false, &[(500, b"k")]).1.contains("end agent"));
}

#[test]
fn what_was_answered_elsewhere_takes_no_answer() {
    for keys in ["d", "o\r", "\r", "s\r", "a\x1b[B\r", "e\x17x\r", "mno\r", "\x1b[B\r"] {
        let (mut page, now) = ready(asked(about(INSTALL)), 80, 24);
        let _ = page.feed(b"\x1b[B", now);
        page.stands(State::Answered { answer: Answer::Once }, 1);
        draw(&mut page, 80, 24);
        assert!(!matches!(page.feed(keys.as_bytes(), now), Outcome::Answer(_)), "{keys:?}");
    }
    let mut left = asked(about(INSTALL));
    left.escape = Escape::Leaves;
    for keys in ["q", "\x03", "\x1b[27u"] {
        let (mut page, now) = ready(left.clone(), 80, 24);
        assert_eq!(page.feed(keys.as_bytes(), now), Outcome::Leave, "{keys:?}");
    }
}

#[test]
fn what_left_takes_every_key_until_it_is_closed() {
    for keys in
        ["d", "o", "q", "m", "rm -rf x", "\r", "\x1b[B", "\x1b[200~o\r\x1b[201~", "o\r", "run\r"]
    {
        let (mut page, now) = ready(asked(about(INSTALL)), 80, 24);
        page.withdraw("its asker gave up waiting".into(), now);
        draw(&mut page, 80, 24);
        assert_eq!(page.feed(b"\r", now), Outcome::Redraw, "it comes too early");
        let now = now + 2 * Guard::LENGTH;
        let _ = page.tick(now);
        assert!(matches!(page.feed(keys.as_bytes(), now), Outcome::Redraw), "{keys:?}");
        let now = now + Guard::LENGTH;
        let _ = page.tick(now);
        draw(&mut page, 80, 24);
        assert_eq!(page.feed(b"\x1b[27u", now), Outcome::Leave, "{keys:?}");
    }
}

#[test]
fn nobody_says_yes_to_a_part_that_was_never_drawn() {
    let names: Vec<String> = (0..400).map(|at| format!("name{at}")).collect();
    let line = format!("npm install a; ls {}; npm install important", names.join(" "));
    for (columns, rows) in [(100, 30), (80, 24), (LEAST_COLUMNS, LEAST_ROWS)] {
        let (mut page, start) = ready(asked(about(&line)), columns, rows);
        let mut now = start;
        let mut press = |keys: &str| {
            let mut outcome = page.feed(keys.as_bytes(), now);
            now += Duration::from_secs(1);
            if outcome == Outcome::Nothing {
                outcome = page.tick(now);
            }
            let mut parser = terminal(columns, rows);
            parser.process(&draw(&mut page, columns, rows));
            (outcome, parser.screen().contents())
        };
        let (_, screen) = press("o");
        assert!(screen.contains("PgDn more"), "{screen}");
        let (outcome, screen) = press("\r");
        assert_eq!(outcome, Outcome::Redraw);
        assert!(screen.contains("important") && screen.contains("asks too"), "{screen}");
        assert_eq!(press("\r").0, Outcome::Answer(Answer::Once));
    }
}

#[test]
fn reasons_that_do_not_fit_are_counted() {
    let line: Vec<String> = (0..9).map(|at| format!("rm -rf /srv/q{at}")).collect();
    let (mut page, _) = ready(asked(about(&line.join("; "))), LEAST_COLUMNS, LEAST_ROWS);
    let mut parser = terminal(LEAST_COLUMNS, LEAST_ROWS);
    parser.process(&draw(&mut page, LEAST_COLUMNS, LEAST_ROWS));
    let screen = parser.screen().contents();
    assert!(screen.contains(" +"), "{screen}");
}

#[test]
fn what_others_wrote_over_takes_no_answer_that_was_begun() {
    for (line, keys, message) in [
        (INSTALL, &["o"][..], None),
        (INSTALL, &["o", "\r"], None),
        (INSTALL, &["s"], None),
        (INSTALL, &["a", "\x1b[B"], None),
        (PIPED, &["o", "\r", "run"], None),
        (INSTALL, &["m", "keep it"], Some("keep it")),
    ] {
        let (mut page, mut now) = ready(asked(about(line)), 80, 24);
        for keys in keys {
            now += Duration::from_millis(500);
            draw(&mut page, 80, 24);
            let _ = page.feed(keys.as_bytes(), now);
        }
        page.disturbed(now);
        draw(&mut page, 80, 24);
        assert_eq!(page.feed(b"\r", now), Outcome::Redraw, "{keys:?}");
        let now = now + Guard::LONG;
        let _ = page.tick(now);
        assert_eq!(page.feed(b"\r", now), Outcome::Denying, "{keys:?}");
        let outcome = page.tick(now + Pace::BURST);
        let answer = Answer::Deny { message: message.map(str::to_owned) };
        assert_eq!(outcome, Outcome::Answer(answer), "{keys:?}");
    }
}

/// Keys with the milliseconds before each, and what comes of them.
type Pressed = (&'static [(u64, &'static str)], Option<Answer>);

#[test]
fn what_comes_early_or_in_a_burst_is_no_answer() {
    let said = |text: &str| Some(Answer::Deny { message: Some(text.to_owned()) });
    let rows: &[Pressed] = &[
        (&[(0, "o"), (500, "\r")], None),
        (&[(399, "o"), (500, "\r")], None),
        (&[(400, "o"), (500, "\r")], Some(Answer::Once)),
        (&[(300, "x"), (1499, "o"), (500, "\r")], None),
        (&[(300, "x"), (1500, "o"), (500, "\r")], Some(Answer::Once)),
        // Whoever goes on typing goes on typing something else, however slowly.
        (&[(300, "l"), (300, "o"), (300, "o"), (300, "k"), (300, "\r")], None),
        (&[(300, "l"), (900, "o"), (900, "o"), (900, "k"), (900, "\r")], None),
        (&[(2000, "g"), (900, "o"), (900, "\r")], None),
        (&[(2000, "o"), (900, "k"), (900, "\r")], None),
        // A burst is dropped with its first key and its last.
        (&[(2000, "o\r")], None),
        (&[(2000, "\x1b[B\r")], None),
        (&[(2000, "o"), (119, "\r")], None),
        (&[(2000, "o"), (120, "\r")], Some(Answer::Once)),
        (&[(2000, "o"), (500, "\r"), (119, "x")], None),
        (&[(2000, "o"), (500, "\r"), (120, "x")], Some(Answer::Once)),
        (&[(2000, "make deploy\r")], None),
        (&[(2000, "m"), (20, "a"), (20, "k"), (20, "e"), (20, " "), (20, "d"), (20, "\r")], None),
        (&[(2000, "m"), (200, "a"), (200, "k"), (200, "e"), (200, "\r")], None),
        (&[(2000, "e"), (200, "c"), (200, "h"), (200, "o"), (200, "\r")], None),
        (&[(2000, "d"), (200, "i"), (200, "r"), (200, "\r")], None),
        // Nor is who types slowly taken at the first letter.
        (&[(2000, "m"), (400, "a"), (400, "k"), (400, "e"), (400, "\r")], None),
        (&[(2000, "d"), (400, "e"), (400, "p"), (400, "\r")], None),
        (&[(2000, "e"), (440, "c"), (440, "h"), (440, "o"), (440, "\r")], None),
        // Once the text is open, it is written as fast as one likes.
        (&[(2000, "m"), (450, "no"), (10, "pe"), (450, "\r")], said("nope")),
        (&[(2000, "s\r")], None),
        (&[(2000, "a\x1b[B\r")], None),
        (&[(2000, "m"), (500, "no\r")], None),
        // A key that is held down moves, and decides nothing.
        (&[(2000, "\x1b[B\x1b[B\x1b[A\x1b[A\x1b[B"), (500, "\r")], Some(Answer::Once)),
        (&[(300, "\x1b[200~o"), (500, "\r\x1b[201~")], None),
        (&[(399, "\x1b[111"), (1, "u"), (500, "\r")], None),
        (&[(399, "\x1b[111"), (400, "u"), (500, "\r")], None),
        (&[(399, "\x1b"), (200, "\r")], None),
    ];
    for (keys, answer) in rows {
        let start = Instant::now();
        let mut page = Page::new(asked(about(INSTALL)), Look::Colour, start);
        let keys: Vec<(u64, &[u8])> =
            keys.iter().map(|(at, keys)| (*at, keys.as_bytes())).collect();
        assert_eq!(pressed(&mut page, start, &keys), *answer, "{keys:?}");
        // The same for a question that comes after another one.
        let (mut page, now) = ready(asked(about(PIPED)), 80, 24);
        assert_eq!(page.feed(b"d", now), Outcome::Denying);
        let now = now + Pace::LETTER;
        assert!(matches!(page.tick(now), Outcome::Answer(_)));
        assert_eq!(page.feed(b"o\r", now), Outcome::Nothing);
        page.show(asked(about(INSTALL)), now);
        assert_eq!(pressed(&mut page, now, &keys), *answer, "{keys:?} later");
    }
}

#[test]
fn who_was_typing_a_line_has_longer_to_look() {
    let rows: &[Pressed] = &[
        (&[(400, "o"), (500, "\r")], None),
        (&[(700, "o"), (700, "\r")], None),
        (&[(1400, "o"), (1400, "k"), (1400, "\r")], None),
        (&[(1500, "o"), (500, "\r")], Some(Answer::Once)),
    ];
    for (keys, answer) in rows {
        let start = Instant::now();
        let mut page = Page::new(asked(about(INSTALL)), Look::Colour, start);
        page.begins(Before::Typing, start);
        let keys: Vec<(u64, &[u8])> =
            keys.iter().map(|(at, keys)| (*at, keys.as_bytes())).collect();
        assert_eq!(pressed(&mut page, start, &keys), *answer, "{keys:?}");
    }
}

#[test]
fn keys_that_were_dropped_are_said_to_be() {
    for (millis, keys, said) in [
        (100, "o", "keys typed before you could read this were dropped"),
        (2000, "o\r", "keys typed this fast were dropped"),
        (2000, "make deploy\r", "keys typed this fast were dropped"),
    ] {
        let start = Instant::now();
        let mut page = Page::new(asked(about(INSTALL)), Look::Mono, start);
        draw(&mut page, 80, 24);
        let now = start + Duration::from_millis(millis);
        let _ = page.tick(now);
        let _ = page.feed(keys.as_bytes(), now);
        let shown = text(&draw(&mut page, 80, 24));
        assert!(shown.contains(said), "{keys:?}: {shown}");
    }
}

#[test]
fn nobody_says_yes_to_what_cannot_be_shown() {
    for (columns, rows) in [(LEAST_COLUMNS - 1, 24), (80, LEAST_ROWS - 1), (1, 1), (0, 0)] {
        for keys in ["o\r", "\x1b[B\r", "s\r", "a\x1b[B\r", "\r"] {
            let (mut page, mut now) = ready(asked(about(INSTALL)), columns, rows);
            for key in keys.split_inclusive(['o', 's', 'a', 'B']) {
                now += Duration::from_millis(500);
                assert_eq!(page.feed(key.as_bytes(), now), Outcome::Nothing, "{keys:?}");
            }
            assert_eq!(page.tick(now + Duration::from_secs(1)), Outcome::Nothing, "{keys:?}");
        }
        let (mut page, now) = ready(asked(about(INSTALL)), columns, rows);
        assert_eq!(page.feed(b"d", now), Outcome::Denying);
        let outcome = page.tick(now + Pace::LETTER);
        assert!(matches!(outcome, Outcome::Answer(Answer::Deny { .. })));
    }
    let start = Instant::now();
    let mut page = Page::new(asked(about(INSTALL)), Look::Colour, start);
    assert_eq!(page.tick(start + Guard::LENGTH), Outcome::Redraw);
    assert_eq!(page.feed(b"o", start + Guard::LENGTH), Outcome::Nothing, "never drawn");
}

#[test]
fn nothing_is_drawn_where_nothing_can_be() {
    for (term, no_color, look) in [
        (Some("xterm-256color"), None, Some(Look::Colour)),
        (Some("xterm-256color"), Some(""), Some(Look::Colour)),
        (Some("xterm-256color"), Some("1"), Some(Look::Mono)),
        (Some("dumb"), None, None),
        (Some(""), None, None),
        (None, Some("1"), None),
    ] {
        assert_eq!(Look::of(term, no_color), look, "{term:?} {no_color:?}");
    }
    let start = Instant::now();
    let mut page = Page::new(asked(about(PIPED)), Look::Mono, start);
    let mut parser = terminal(80, 24);
    parser.process(&draw(&mut page, 80, 24));
    let shown = screen(&parser);
    assert!(
        shown.contains("underlined") && shown.contains("inverse") && shown.contains("critical")
    );
    let page = shown.split("guarded-sh asks").nth(1).unwrap();
    assert!(!page.split("\na = ").next().unwrap().contains("colour"));
}

/// Text with much in it that a terminal would act on.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        Just("\x1b[2J\x1b[1;1HX".to_owned()),
        Just("\u{9b}5;5H\r\n\x08\x08\t".to_owned()),
        Just("漢字\u{202e}abc\u{200d}\u{fe0f}🙂👩\u{200d}🚀".to_owned()),
        Just("e\u{301}\u{302}\u{303}\u{304}\u{489}".to_owned()),
        Just("שלום 0123 مرحبا".to_owned()),
        "x{0,300}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Vec<(u64, Vec<u8>)>> {
    let keys = prop_oneof![
        4 => prop::sample::select(&[
            "o", "s", "a", "e", "m", "x", "t", "\r", "\r", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b", "d", "q", "run",
            "\x1b[6~", "\x1b[5~", "\x1b[200~", "\x1b[201~", "\t", "\x1b[Z", "\x1b[111u", "\n",
        ][..]).prop_map(|keys| keys.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec((0u64..900, keys), 0..24)
}

fn any_question() -> impl Strategy<Value = Question> {
    let severity = prop::sample::select(&Severity::ALL[..]);
    (nasty(), nasty(), nasty(), severity, any::<prop::sample::Index>()).prop_map(
        |(line, reason, agent, severity, at)| {
            let mut question = about(INSTALL);
            let (start, end) = (at.index(line.len() + 1), line.len() + 7);
            for finding in &mut question.findings {
                finding.span = guarded_sh::model::Span::new(start, end);
                finding.reason.clone_from(&reason);
                finding.severity = severity;
            }
            Question {
                cwd: Some(agent.clone()),
                agent: Some(agent),
                severity,
                instead: Some(line.clone()),
                line,
                reason,
                ..question
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_keys_and_no_text_bring_about_what_they_must_not(
        question in any_question(),
        keys in bytes(),
        columns in 0usize..130,
        rows in 0usize..45,
        rule in nasty(),
    ) {
        let severity = question.severity;
        let mut asked = asked(question);
        asked.offers.always = Some(rule.clone());
        let start = Instant::now();
        let mut page = Page::new(asked, Look::Colour, start);
        let mut now = start;
        let (mut confirmed, mut kept) = (false, false);
        for (millis, bytes) in keys {
            now += Duration::from_millis(millis);
            let before = draw(&mut page, columns, rows);
            if columns > 0 && rows > 0 {
                let mut parser = terminal(columns, rows);
                let empty = screen_rows(&parser);
                parser.process(&before);
                let drawn = screen_rows(&parser);
                let height = page.surface(columns, rows).height();
                prop_assert!(height <= rows);
                prop_assert_eq!(&drawn[..rows - height], &empty[..rows - height]);
            }
            for row in page.rows(columns, rows) {
                let width = terminal_width(&row);
                prop_assert!(width <= columns, "{} columns", width);
            }
            confirmed |= text(&before).contains("write the rule");
            kept |= text(&before).contains("keep what it did");
            match page.feed(&bytes, now) {
                Outcome::Answer(answer) => {
                    if !matches!(answer, Answer::Deny { .. }) {
                        prop_assert!(columns >= LEAST_COLUMNS && rows >= LEAST_ROWS);
                    }
                    let more = matches!(answer, Answer::Session { .. } | Answer::Always);
                    prop_assert!(severity < Severity::Critical || !more);
                    prop_assert!(now >= start + Guard::LENGTH);
                    prop_assert!(answer != Answer::Always || confirmed, "no preview");
                    prop_assert!(answer != Answer::Keep || kept, "nothing was seen to keep");
                    break;
                }
                Outcome::Explain => page.explained(&rule),
                Outcome::Try => page.trying(&done(None), |_| rule.clone()),
                Outcome::Redraw | Outcome::Nothing | Outcome::Denying | Outcome::Leave => {}
            }
        }
    }
}

/// Columns that a row of text with SGR sequences takes; nothing else may be in it.
fn terminal_width(row: &[u8]) -> usize {
    let row = text(row);
    let mut parts = row.split("\x1b[");
    let first = parts.next().unwrap_or("").to_owned();
    let rest = parts.map(|part| part.split_once('m').expect("only SGR").1);
    let shown = rest.fold(first, |all, part| all + part);
    assert!(!shown.contains(char::is_control), "{shown:?}");
    guarded_sh::approval::text::width(&shown)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn screen_rows(parser: &vt100::Parser) -> Vec<String> {
    let columns = parser.screen().size().1.get();
    parser.screen().rows_formatted(0, columns).collect()
}
