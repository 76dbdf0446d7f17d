//! A word while it is put together from its parts. Knows nothing of variables.

use std::ops::Range;

use super::beside::beside;
use crate::model::Arg;

/// A word in the making: the text known so far, and what comes behind it.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the word")]
pub(super) struct Field {
    pub(super) text: String,
    glob: bool,
    pub(super) open: bool,
    pub(super) present: bool,
    /// `"$@"` of nothing stands in it: without anything else there is no word.
    pub(super) is_none: bool,
    /// What stands before was split into words that are not known: what follows belongs to the last of them, or is one.
    split: bool,
    /// Where characters of patterns stand for themselves.
    plain: Vec<usize>,
    /// A bracket of a pattern, which stands for itself where no file fits.
    bracket: bool,
    /// Names of files stand in it, which may hold anything.
    pub(super) files: bool,
    /// Text of which only a pattern is known stands in it.
    made: bool,
    /// What a command printed, and whether that may be nothing.
    printed: Option<(Range<usize>, Emptiness)>,
}

/// Whether what a command printed may be nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emptiness {
    Never,
    Perhaps,
}

/// Bytes of a word that are followed: no longer one is given to a program (`MAX_ARG_STRLEN` of Linux).
const LONGEST: usize = 1 << 17;

/// What fits a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fitting {
    /// Names of files, or else the pattern itself.
    Files,
    /// See [`Value::Pattern`](super::state::Value::Pattern).
    Made,
}

impl Field {
    /// Adds text that stands for itself.
    pub(super) fn push(&mut self, text: &str) {
        let at = self.text.len();
        self.add(text);
        if self.text.len() > at && text.contains(PATTERN) {
            self.plain.extend(text.match_indices(PATTERN).map(|(found, _)| at + found));
        }
    }

    pub(super) fn push_pattern(&mut self, pattern: &str, fitting: Fitting) {
        self.add(pattern);
        self.glob = true;
        match fitting {
            Fitting::Files => {
                self.files = true;
                self.bracket |= pattern.contains('[');
            }
            Fitting::Made => self.made = true,
        }
    }

    /// Adds a pattern in which `**` is a `*`, also where one stands before it.
    pub(super) fn push_shallow(&mut self, pattern: &str) {
        let shallow = without_repeated_stars(pattern);
        let behind = shallow.strip_prefix('*').filter(|_| self.ends_in_star());
        self.push_pattern(behind.unwrap_or(&shallow), Fitting::Files);
    }

    /// Whether a `*` that is a pattern stands at the end.
    fn ends_in_star(&self) -> bool {
        let is_plain = || self.plain.contains(&(self.text.len() - 1));
        self.glob && self.text.ends_with('*') && !is_plain()
    }

    /// Whether `**` stands in a pattern, or where it is added.
    pub(super) fn goes_deep(&self, pattern: &str) -> bool {
        pattern.contains("**") || pattern.starts_with('*') && self.ends_in_star()
    }

    /// Adds what a command printed, where that is one word.
    pub(super) fn push_printed(&mut self, pattern: &str, emptiness: Emptiness) {
        let at = self.text.len();
        self.push_pattern(pattern, Fitting::Made);
        let is_plain = !is_listed(pattern) && emptiness == Emptiness::Never;
        // Behind another it is text beside that, and absorbed by it.
        if self.text.len() > at && self.printed.is_none() && !is_plain {
            self.printed = Some((at..self.text.len(), emptiness));
        }
    }

    /// Returns whether it is what a command printed and nothing else.
    pub(super) fn may_be_nothing(&self) -> bool {
        let is_all = |place: &Range<usize>| *place == (0..self.text.len());
        !self.open && matches!(&self.printed, Some((place, Emptiness::Perhaps)) if is_all(place))
    }

    fn add(&mut self, text: &str) {
        self.present = true;
        if self.open || self.split {
            return;
        }
        if self.text.len() + text.len() > LONGEST {
            self.open = true;
        } else {
            self.text.push_str(text);
        }
    }

    /// Adds text of which nothing is known.
    pub(super) fn push_open(&mut self) {
        self.present = true;
        self.open = true;
    }

    pub(super) fn close(self) -> Option<Arg> {
        if !self.present || self.split {
            return None;
        }
        if self.is_none && self.text.is_empty() {
            return Some(Arg::Many);
        }
        Some(match (self.open, self.glob) {
            (true, false) if self.text.is_empty() => Arg::Unknown,
            (true, false) => Arg::Prefix(self.text),
            // A pattern of which not all is known becomes any names.
            (true, true) => Arg::Many,
            (false, true) if self.plain.is_empty() && !self.made => {
                Arg::Glob(with_plain_brackets(self.text))
            }
            // No one pattern fits both the files and the pattern itself.
            (false, true) if self.bracket => Arg::Many,
            (false, true) => match self.printed.clone() {
                Some((place, emptiness)) => self.with_printed(place, emptiness),
                None => Arg::Glob(with_plain_brackets(self.fitting())),
            },
            (false, false) => Arg::Known(self.text),
        })
    }

    /// The word in which this piece was printed by a command.
    fn with_printed(self, place: Range<usize>, emptiness: Emptiness) -> Arg {
        let text = self.fitting();
        let (before, behind) = (&text[..place.start], &text[place.end..]);
        match beside(before, &text[place.clone()], behind, emptiness) {
            Some(pattern) => Arg::Glob(pattern),
            None if before.contains(PATTERN) => Arg::Many,
            None if before.is_empty() => Arg::Unknown,
            None => Arg::Prefix(before.to_owned()),
        }
    }

    /// A pattern that fits what the word is: where a character of patterns stands for itself, any may stand.
    fn fitting(self) -> String {
        let mut bytes = self.text.into_bytes();
        for at in self.plain {
            bytes[at] = b'?';
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Returns a pattern that fits no less, in which every bracket means what it says: classes of characters, and `]` as one of them, stand
/// in none (POSIX, 9.3.5).
pub(super) fn with_plain_brackets(pattern: String) -> String {
    const OPENS: [&str; 6] = ["[[:", "[[=", "[[.", "[]", "[!]", "[^]"];
    let is_plain = !OPENS.iter().any(|open| pattern.contains(open))
        && !["[:", "[=", "[."].iter().any(|class| pattern.contains(class));
    if is_plain {
        return pattern;
    }
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern.as_str();
    while let Some(at) = rest.find('[') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // Where it does not end it stands for itself, which `*` fits as well.
        let end = bracket_end(rest).unwrap_or(1);
        plain.push('*');
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// Returns where a bracket ends that begins here.
fn bracket_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    loop {
        match bytes.get(at)? {
            b']' => return Some(at + 1),
            b'[' if matches!(bytes.get(at + 1), Some(b':' | b'=' | b'.')) => {
                let mark = char::from(bytes[at + 1]);
                at += 2 + text[at + 2..].find(&format!("{mark}]"))? + 2;
            }
            _ => at += 1,
        }
    }
}

/// Whether a pattern stands for what is listed of directories and all below them.
pub(super) fn is_listed(pattern: &str) -> bool {
    pattern.contains("**")
}

/// The characters of which patterns are made.
const PATTERN: [char; 3] = ['*', '?', '['];

/// Any number of words: none, so that what stands before and behind is one word, or many.
pub(super) fn words_not_known(field: &mut Field, out: &mut Vec<Arg>) {
    field.open = true;
    let before = std::mem::take(field);
    // Of what stands before, the first word begins with it, if there is a word.
    if before.present {
        out.extend(before.close());
    }
    if out.last() != Some(&Arg::Many) {
        out.push(Arg::Many);
    }
    *field = Field { split: true, ..Field::default() };
}

/// The pattern that numbers fit.
pub(super) const NUMBER: &str = "[-0-9]*";

/// Digits that are not known: a pattern that matches no slash, no space and no dash.
pub(super) fn append_number(field: &mut Field) {
    if field.text.is_empty() && !field.open {
        field.push_open();
    } else if field.open {
        field.push("");
    } else {
        field.push_pattern(NUMBER, Fitting::Made);
    }
}

pub(super) fn push_unquoted(field: &mut Field, text: &str, fitting: Fitting) {
    if text.contains(PATTERN) {
        field.push_pattern(text, fitting);
    } else {
        field.push(text);
    }
}

/// Returns a pattern in which no `*` stands behind another.
fn without_repeated_stars(pattern: &str) -> String {
    let mut shallow = pattern.to_owned();
    while shallow.contains("**") {
        shallow = shallow.replace("**", "*");
    }
    shallow
}
