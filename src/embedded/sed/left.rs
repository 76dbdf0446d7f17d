//! What a sed script leaves of the lines that it reads (POSIX `sed`, GNU's `z`, `Q` and addresses).
//! Where that depends on more than the commands and addresses that fit every line, it says that something is left.

use super::Scan;

/// What is printed of the lines of a file. Ordered by how much that is, so combining is `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// Nothing, or blank lines.
    Nothing,
    /// Text that stands in the script or in another file, and none of theirs.
    OtherText,
    /// Perhaps some of their text.
    Something,
}

/// Returns what a script prints of the lines that it reads; `silent` is `-n`.
pub fn left(script: &str, silent: bool) -> Left {
    let silent = silent || script.lines().next() == Some("#n");
    let mut cycle = Cycle { space: Left::Something, hold: Left::Nothing, printed: Left::Nothing };
    // What the second line meets in the hold space, the first has put there.
    for _ in 0..2 {
        cycle.space = Left::Something;
        if cycle.run(script, silent).is_none() {
            return Left::Something;
        }
    }
    cycle.printed
}

/// What is known where a command begins.
struct Cycle {
    space: Left,
    hold: Left,
    printed: Left,
}

/// Which lines a command is for.
struct Lines<'a> {
    address: &'a str,
    negated: bool,
}

impl Lines<'_> {
    fn are_all(&self) -> bool {
        !self.negated && fits_all(self.address)
    }

    fn are_none(&self) -> bool {
        self.negated && fits_all(self.address)
    }

    fn are_the_others_of(&self, other: &Self) -> bool {
        self.address == other.address && self.negated != other.negated
    }
}

impl Cycle {
    /// Runs a script for one line; none if what it does is not followed.
    fn run(&mut self, script: &str, silent: bool) -> Option<()> {
        let mut scan = Scan::new(script);
        let mut deleted: Vec<Lines<'_>> = Vec::new();
        while scan.skip_blank() {
            let start = scan.rest;
            scan.addresses()?;
            let address = start[..start.len() - scan.rest.len()].trim_end_matches([' ', '\t']);
            let negated = address.ends_with('!');
            let address = address.trim_end_matches([' ', '\t', '!']);
            let lines = Lines { address, negated };
            let command = scan.take()?;
            if lines.are_none() && command != '{' {
                skip(command, &mut scan)?;
                continue;
            }
            let ends = match command {
                'd' | 'D' | 'c' => {
                    if command == 'c' {
                        skip(command, &mut scan)?;
                        self.print(Left::OtherText);
                    }
                    let is_done =
                        lines.are_all() || deleted.iter().any(|own| own.are_the_others_of(&lines));
                    deleted.push(lines);
                    is_done
                }
                'Q' => lines.are_all() || lines.address == "1" && !lines.negated,
                'q' if lines.are_all() => break,
                _ if lines.are_all() => {
                    self.always(command, &mut scan, silent)?;
                    false
                }
                _ => {
                    self.sometimes(command, &mut scan, silent)?;
                    false
                }
            };
            if ends {
                return Some(());
            }
        }
        if !silent {
            self.print(self.space);
        }
        Some(())
    }

    fn print(&mut self, text: Left) {
        self.printed = self.printed.max(text);
    }

    /// Runs a command that every line meets.
    fn always(&mut self, command: char, scan: &mut Scan<'_>, silent: bool) -> Option<()> {
        match command {
            // Its commands are met where they stand.
            '{' => {}
            'z' => self.space = Left::Nothing,
            'h' => self.hold = self.space,
            'g' => self.space = self.hold,
            'x' => std::mem::swap(&mut self.space, &mut self.hold),
            's' => {
                let start = scan.rest;
                scan.substitute()?;
                if let Some(left) = replaced(&start[..start.len() - scan.rest.len()]) {
                    self.space = left;
                }
            }
            _ => self.sometimes(command, scan, silent)?,
        }
        Some(())
    }

    /// Runs a command that some lines may meet.
    fn sometimes(&mut self, command: char, scan: &mut Scan<'_>, silent: bool) -> Option<()> {
        match command {
            'p' | 'P' | 'l' => self.print(self.space),
            'h' | 'H' | 'x' | 'g' | 'G' => {
                let both = self.space.max(self.hold);
                match command {
                    'h' | 'H' => self.hold = both,
                    'x' => (self.space, self.hold) = (both, both),
                    _ => self.space = both,
                }
            }
            'n' | 'N' | 'q' => {
                if !silent && command != 'N' {
                    self.print(self.space);
                }
                self.space = Left::Something;
            }
            'a' | 'i' | 'r' | 'R' | '=' | 'F' => {
                skip(command, scan)?;
                self.print(Left::OtherText);
            }
            'z' | 's' | 'y' | 'w' | 'W' | '#' | ':' | 'v' => skip(command, scan)?,
            // Jumps, programs, and groups for some lines.
            _ => return None,
        }
        Some(())
    }
}

/// Skips what stands behind the letter of a command.
fn skip(command: char, scan: &mut Scan<'_>) -> Option<()> {
    match command {
        's' => scan.substitute()?,
        'y' => {
            let delimiter = scan.take()?;
            scan.until(delimiter, super::Brackets::Ordinary)?;
            scan.until(delimiter, super::Brackets::Ordinary)?;
        }
        'a' | 'i' | 'c' => scan.text(),
        'r' | 'R' | 'w' | 'W' | '#' | ':' | 'v' => {
            scan.line();
        }
        _ => {}
    }
    Some(())
}

/// Returns what a substitution leaves that takes all of a line: `/.*//`, `/./x/g`.
fn replaced(text: &str) -> Option<Left> {
    let delimiter = text.chars().next()?;
    let mut parts = text.split(delimiter).skip(1);
    let (pattern, replacement, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let is_kept = replacement.contains(['&', '\\']);
    if parts.next().is_some() || is_kept || flags.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let body = pattern.strip_prefix('^').unwrap_or(pattern);
    let body = body.strip_suffix('$').unwrap_or(body);
    let is_whole = ANY_LINE.contains(&body) || body == "." && flags.contains('g');
    let left = if replacement.is_empty() { Left::Nothing } else { Left::OtherText };
    is_whole.then_some(left)
}

/// Regular expressions of all of a line, whatever is in it.
const ANY_LINE: &[&str] =
    &[".*", "..*", ".+", ".\\+", ".\\{1,\\}", ".{1,}", "[^\\n]*", "\\(.*\\)", "(.*)"];

/// Whether an address is that of every line, or of every one that is not blank.
fn fits_all(address: &str) -> bool {
    if matches!(address, "" | "1,$" | "0,$" | "0~1" | "1~1") {
        return true;
    }
    let Some(regex) = regex_of(address) else { return false };
    let behind = regex.strip_prefix('^').unwrap_or(regex);
    let body = behind.strip_suffix('$').unwrap_or(behind);
    match (behind.len() < regex.len(), body.len() < behind.len()) {
        (true, true) => ANY_LINE.contains(&body),
        (false, false) if body.is_empty() => false,
        _ => ANY_LINE.contains(&body) || body == "." || may_be_nothing(body),
    }
}

/// Returns the regular expression that an address is: `/RE/`, `\cREc`, and the flags of both.
fn regex_of(address: &str) -> Option<&str> {
    let rest = address.strip_prefix('\\').unwrap_or(address);
    let is_chosen = rest.len() < address.len();
    let delimiter = rest.chars().next().filter(|c| is_chosen || *c == '/')?;
    rest.trim_end_matches(['I', 'M']).strip_prefix(delimiter)?.strip_suffix(delimiter)
}

/// Whether a regular expression fits where there is nothing: each of its characters may be left out.
fn may_be_nothing(regex: &str) -> bool {
    let mut rest = regex.chars().peekable();
    while let Some(one) = rest.next() {
        let is_plain = one == '.' || one.is_ascii_alphanumeric() || one == ' ';
        if !is_plain || rest.next() != Some('*') {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_of_no_line_is_not_left() {
        let nothing = [
            "d",
            "{d}",
            "h;d",
            "z",
            "s/.*//",
            "s/.//g",
            "/$/d",
            "/^/d",
            "/./d",
            "/.*/d",
            "/x*/d",
            "1,$d",
            "$!d;$d",
            "1!d;1d",
            "Q",
            "1Q",
            "1,$D",
            "s|^.*$||",
            "s/..*//g",
            "g",
            "x;d",
            "\\%^%d",
            "/^.*$/d",
            "N;d;p",
            "# gone\nd",
            "/$/Id",
        ];
        for script in nothing {
            assert_eq!(left(script, false), Left::Nothing, "{script}");
        }
        for script in ["", ";", "d", "n", "h", "x", "#p", "s/a/b/", "/a/d"] {
            assert_eq!(left(script, true), Left::Nothing, "{script}");
        }
    }

    #[test]
    fn what_may_be_printed_is_left() {
        let something = [
            "1d",
            "/a/d",
            "s/a.*//",
            "s/.//",
            "/^a*$/d",
            "/^$/d",
            "$d",
            "1!d",
            "q",
            "G",
            "h;g",
            "x",
            "h;x;p;d",
            "n;d",
            "N;P;D",
            "/a/{d}",
            "s/.*/&&/",
            "s/\\(.*\\)/\\1/",
            "1q",
            "b;d",
            "y/a/b/",
            "/a/!d",
            "5Q",
            "s/.*//2",
            ":a;N;$!ba;s/\\n/ /g",
            "i\\\nhead",
            "1i head",
            "/a/,/b/d",
            "p;d",
        ];
        for script in something {
            assert_eq!(left(script, false), Left::Something, "{script}");
        }
        for script in ["p", "/a/p", "1,5p", "$p", "P", "l", "x;p", "#n\np"] {
            assert_eq!(left(script, true), Left::Something, "{script}");
        }
        for script in ["c x", "s/.*/x/", "r other\nd", "i x\nd"] {
            assert_eq!(left(script, false), Left::OtherText, "{script}");
        }
    }
}
