//! The first unit of a text that a shell reads bit by bit: what it takes in and runs before it reads on.
//! This module only finds where a unit ends; what it holds is read like any other text then.

use super::cursor::END;
use super::{Origin, Read, Reader};
use crate::model::Reason;
use crate::syntax::dialect::Dialect;
use crate::syntax::limits::MAX_BYTES;

/// The first unit of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// It is these first bytes, its newline included. A line that holds no command is one too.
    Whole(usize),
    /// It has not come to its end.
    Open,
    /// Bash would refuse it: as much as it would have read by then, to the end of a line.
    Broken(usize),
    /// It is over a limit, so that its end is not looked for.
    TooLarge,
}

/// Returns the first unit of a text of which more may come.
pub(in crate::syntax) fn first_unit(text: &[u8], dialect: Dialect) -> Unit {
    if text.len() > MAX_BYTES {
        return Unit::TooLarge;
    }
    // Without a whole line there is no unit.
    if !text.contains(&b'\n') {
        return Unit::Open;
    }
    let nul = text.iter().position(|byte| *byte == 0);
    let end = nul.unwrap_or(text.len());
    let mut reader = Reader::new(&text[..end], Origin::Shift(0));
    reader.found.qualifies = dialect == Dialect::Zsh;
    let read = reader.unit();
    // Of a unit in which a NUL byte stands the rest is not read, and it is refused whatever comes.
    let is_open = |unfinished: bool| unfinished && nul.is_none();
    match read {
        Ok(true) => Unit::Whole(reader.position),
        Ok(false) if nul.is_none() => Unit::Open,
        Ok(false) => broken_at(text, end),
        Err(stop) if is_open(stop.unfinished) => Unit::Open,
        Err(stop) => match stop.reason {
            Reason::TooDeep | Reason::TooManyParts | Reason::TooSlow => Unit::TooLarge,
            _ => broken_at(text, reader.position),
        },
    }
}

/// Returns the unit that ends with the line in which this place is.
fn broken_at(text: &[u8], at: usize) -> Unit {
    match text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
        Some(length) => Unit::Broken(at + length + 1),
        None => Unit::Open,
    }
}

impl Reader<'_> {
    /// Reads lists up to the end of the line that ends the last of them, with the bodies of its here-documents. Returns whether it came
    /// to that.
    fn unit(&mut self) -> Read<bool> {
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => {
                    self.newline()?;
                    return Ok(!self.body_is_open && self.text[..self.position].ends_with(b"\n"));
                }
                END => return Ok(false),
                _ => drop(self.top_level()?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        first_unit(text.as_bytes(), Dialect::Bash)
    }

    #[test]
    fn a_unit_ends_with_its_last_line() {
        let whole = [
            "\n",
            "  # nothing\n",
            "ls\n",
            "ls; pwd & \n",
            "a &&\n\n# c\n b\n",
            "a |\nb\n",
            "echo 'x\ny'\n",
            "echo \"x\ny\"\n",
            "echo $'x\ny'\n",
            "echo `a\nb`\n",
            "echo $(\na\n)\n",
            "echo $((1 +\n2))\n",
            "echo ${x:-\ny}\n",
            "echo a \\\nb\n",
            "if a\nthen\nb\nelse\nc\nfi\n",
            "for x in a b\ndo\nc\ndone\n",
            "while a; do\nb\ndone\n",
            "case x in\na) b;;\nesac\n",
            "f() {\nls\n}\n",
            "f()\n{ ls\n}\n",
            "( a\nb )\n",
            "{ a\nb; }\n",
            "[[ a == b ||\nc ]]\n",
            "[[ -f a &&\n-f b ]]\n",
            "((\n1\n))\n",
            "x=(\na\n#c\nb)\n",
            "cat <<E\na\nE\n",
            "cat <<'E' <<-F\na'\nE\n\tb\n\tF\n",
            "cat <<E | sort\na\nE\n",
            "echo $(cat <<E\na\nE\n)\n",
            "function f {\nls\n}\n",
            "coproc {\nls\n}\n",
            "for ((i=0;\ni<1;i++)); do\na\ndone\n",
            "a[1]=\n",
            "select x in a\ndo\nb\ndone\n",
            "until a\ndo b\ndone\n",
            "! a ||\nb\n",
            "time {\na\n}\n",
        ];
        for text in whole {
            assert_eq!(unit(text), Unit::Whole(text.len()), "{text:?}");
            let more = format!("{text}rm x\ny");
            assert_eq!(unit(&more), Unit::Whole(text.len()), "{more:?}");
            for end in 0..text.len() {
                assert_eq!(unit(&text[..end]), Unit::Open, "{:?}", &text[..end]);
            }
        }
    }

    #[test]
    fn what_bash_refuses_ends_with_its_line() {
        for (text, length) in [
            (")\nls\n", 2),
            ("ls )\nls\n", 5),
            ("if a; fi\nls\n", 9),
            ("a\n", 2),
            ("x ; ; y\nls\n", 8),
            ("if a\nthen )\nls\n", 12),
            ("a\0b\nls\n", 4),
            ("cat <<E\n\0\nE\nls\n", 10),
        ] {
            let found = unit(text);
            let is_so = found == Unit::Broken(length) || found == Unit::Whole(length);
            assert!(is_so, "{text:?}: {found:?}");
        }
        assert_eq!(unit("a\0b"), Unit::Open);
        assert_eq!(unit(&"{ ".repeat(100_000)), Unit::Open);
        assert_eq!(unit(&format!("{}\n", "{ ".repeat(100_000))), Unit::TooLarge);
        assert_eq!(unit(&"a".repeat(MAX_BYTES + 1)), Unit::TooLarge);
    }
}
