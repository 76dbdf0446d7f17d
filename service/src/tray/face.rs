//! What the icon shows, and what the rows of its menu do. Knows no bus.

use guarded_sh::approval::text::cut;
use guarded_sh::approval::visible;
use guarded_sh::language::Language;

use super::Shows;

/// Columns of a row about a question.
const COLUMNS: usize = 72;
/// The first id of a row about a question. Ids of these are never used again, so a menu that is older than what it shows opens nothing else.
const FIRST: i32 = 100;

/// The ids of the rows that are always the same.
const STATE: i32 = 1;
const LINE: i32 = 2;
const MORE: i32 = 3;
const OPEN: i32 = 4;
const PAUSES: [(i32, &str, u64); 2] =
    [(5, "tray-pause-minutes", 900), (6, "tray-pause-hour", 3_600)];
const GO_ON: i32 = 7;
const OTHER_LINE: i32 = 8;
const QUIT: i32 = 9;

/// How the icon looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Nothing waits.
    Idle,
    /// Questions wait.
    Asks,
    /// The person is told of nothing.
    Paused,
}

/// What a row does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Nothing: it says something, or is a line between others.
    Nothing,
    /// It opens the page, at a question where one is named.
    Open(Option<String>),
    /// It pauses for so many seconds; with none, goes on.
    Pause(u64),
    /// It ends the icon.
    Quit,
}

/// A row of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// By which it is pressed.
    pub id: i32,
    /// What it says; none for a line.
    pub label: Option<String>,
    /// What it does.
    pub does: Does,
}

/// What is shown.
#[derive(Debug)]
pub struct Face {
    language: Language,
    shows: Shows,
    failed: Option<String>,
    /// The ids of the rows about questions.
    known: Vec<(i32, String)>,
    next: i32,
    /// Counts what was shown.
    pub revision: u32,
}

impl Face {
    /// Shows that nothing waits.
    pub fn new(language: Language) -> Self {
        let (shows, known) = (Shows::default(), Vec::new());
        Self { language, shows, failed: None, known, next: FIRST, revision: 1 }
    }

    /// Shows this.
    pub fn show(&mut self, shows: &Shows) {
        let questions = &shows.questions;
        self.known.retain(|(_, known)| questions.iter().any(|(id, _)| id == known));
        for (id, _) in questions {
            if !self.known.iter().any(|(_, known)| known == id) {
                self.known.push((self.next, id.clone()));
                self.next = self.next.checked_add(1).unwrap_or(FIRST);
            }
        }
        (self.shows, self.failed) = (shows.clone(), None);
        self.revision = self.revision.wrapping_add(1);
    }

    /// Shows why the page cannot be opened, until something else is to be shown.
    pub fn fail(&mut self, why: &str) {
        let why = cut(&visible(why), COLUMNS);
        self.failed = Some(self.language.tell("tray-failed", &[("why", why.into())]));
        self.revision = self.revision.wrapping_add(1);
    }

    /// Returns how the icon looks.
    pub fn mood(&self) -> Mood {
        match (self.shows.paused, self.shows.open) {
            (Some(_), _) => Mood::Paused,
            (None, 0) => Mood::Idle,
            (None, _) => Mood::Asks,
        }
    }

    /// Returns what is said beside the icon. Nothing of it is an agent's.
    pub fn title(&self) -> String {
        if let Some(failed) = &self.failed {
            return failed.clone();
        }
        let waiting = match self.shows.open {
            0 => self.language.say("tray-idle").into_owned(),
            open => self.language.tell("tray-waiting", &[("count", open.into())]),
        };
        match self.shows.paused {
            None => waiting,
            Some(left) => {
                let minutes = [("count", left.div_ceil(60).into())];
                let time = self.language.tell("short-minutes", &minutes);
                let paused = self.language.tell("pause-stands", &[("time", time.into())]);
                format!("{paused} · {waiting}")
            }
        }
    }

    /// Returns the rows of the menu.
    pub fn rows(&self) -> Vec<Row> {
        let row = |id, label: String, does| Row { id, label: Some(label), does };
        let say = |key: &str| self.language.say(key).into_owned();
        let line = |id| Row { id, label: None, does: Does::Nothing };
        let mut rows = vec![row(STATE, self.title(), Does::Nothing)];
        for (id, question) in &self.known {
            let told = self.shows.questions.iter().find(|(known, _)| known == question);
            let label = told.map(|(_, label)| cut(&visible(label), COLUMNS)).unwrap_or_default();
            rows.push(row(*id, label, Does::Open(Some(question.clone()))));
        }
        let more = self.shows.open.saturating_sub(self.known.len());
        if more > 0 && !self.known.is_empty() {
            let label = self.language.tell("tray-more", &[("count", more.into())]);
            rows.push(row(MORE, label, Does::Open(None)));
        }
        rows.push(line(LINE));
        rows.push(row(OPEN, say("tray-open"), Does::Open(None)));
        let pauses = PAUSES.map(|(id, key, seconds)| row(id, say(key), Does::Pause(seconds)));
        rows.extend(pauses);
        if self.shows.paused.is_some() {
            rows.push(row(GO_ON, say("tray-go-on"), Does::Pause(0)));
        }
        rows.extend([line(OTHER_LINE), row(QUIT, say("tray-quit"), Does::Quit)]);
        rows
    }

    /// Returns what the row of this id does.
    pub fn does(&self, id: i32) -> Does {
        let row = self.rows().into_iter().find(|row| row.id == id);
        row.map_or(Does::Nothing, |row| row.does)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(questions: &[&str], open: usize, paused: Option<u64>) -> Shows {
        let questions = questions.iter().map(|id| ((*id).to_owned(), format!("claude: rm {id}")));
        Shows { questions: questions.collect(), open, paused }
    }

    fn labels(face: &Face) -> Vec<String> {
        face.rows().into_iter().map(|row| row.label.unwrap_or_else(|| "-".to_owned())).collect()
    }

    #[test]
    fn what_waits_is_said_and_each_row_opens_its_own_question() {
        let mut face = Face::new(Language::English);
        let below = ["-", "Open the page", "Pause for 15 minutes", "Pause for an hour"];
        let quit = ["-", "Quit the icon"];
        assert_eq!(labels(&face), [&["no questions are waiting"], &below[..], &quit].concat());
        face.show(&shows(&["a", "b"], 3, None));
        let told = ["3 questions wait", "claude: rm a", "claude: rm b", "1 more question"];
        assert_eq!(labels(&face), [&told, &below[..], &quit].concat());
        assert_eq!(face.mood(), Mood::Asks);
        assert_eq!(face.does(100), Does::Open(Some("a".to_owned())));
        assert_eq!(face.does(101), Does::Open(Some("b".to_owned())));
        // What was opened for one that is gone opens no other.
        face.show(&shows(&["b", "c"], 2, Some(61)));
        assert_eq!(face.does(100), Does::Nothing);
        assert_eq!(face.does(101), Does::Open(Some("b".to_owned())));
        assert_eq!(face.does(102), Does::Open(Some("c".to_owned())));
        assert_eq!((face.mood(), face.does(7)), (Mood::Paused, Does::Pause(0)));
        assert_eq!(face.title(), "paused, 2m left · 2 questions wait");
        face.show(&shows(&[], 0, None));
        assert_eq!(
            (face.mood(), face.does(7), face.does(102)),
            (Mood::Idle, Does::Nothing, Does::Nothing)
        );
        for odd in [0, -1, i32::MIN, i32::MAX, 1, 2, 10, 99] {
            assert_eq!(face.does(odd), Does::Nothing, "{odd}");
        }
        assert_eq!((face.does(4), face.does(6)), (Does::Open(None), Does::Pause(3_600)));
    }

    #[test]
    fn what_an_agent_wrote_is_text_in_one_row() {
        let mut face = Face::new(Language::English);
        let label = format!("<b>claude</b>: rm\n\u{202e}\u{1b}[2J_x {}", "y".repeat(9_000));
        let questions = vec![("a".to_owned(), label)];
        face.show(&Shows { questions, open: 1, paused: None });
        let label = labels(&face).swap_remove(1);
        assert!(label.starts_with("<b>claude</b>: rm⏎\\u{202e}\\x1b[2J_x yyy"), "{label}");
        assert!(label.chars().count() <= COLUMNS, "{label}");
        face.fail("x\n\u{7}");
        assert_eq!(face.title(), "the page cannot be opened: x⏎\\x07");
    }

    #[test]
    fn all_is_said_in_each_language() {
        for language in Language::ALL {
            let mut face = Face::new(language);
            face.show(&shows(&["a"], 2, Some(5)));
            let labels = labels(&face).join("\n");
            assert!(!labels.contains("tray-") && !labels.contains("pause-"), "{labels}");
            assert_eq!(labels.contains("Quit the icon"), language == Language::English);
        }
    }
}
