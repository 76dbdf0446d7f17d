//! The way by which a real shell that keeps running gets one unit after another: a pipe that it reads its program from.
//! Nothing goes in but what was permitted, and nothing before the shell is done with what went in last.
//!
//! Each unit is a line of one fixed form, `{ builtin eval TEXT; } </dev/null`, where TEXT is quoted byte by byte. However the text is read,
//! it ends with its quotes, so nothing of it is left for the next line. Were some of a line taken away before the shell reads it, what is
//! left would not be complete: a brace that closes what nothing opened, or a quote that stays open. A shell runs nothing of that.
//!
//! A shell reads what it is about to run up to the end of its line, and reads on when it has run it (POSIX, sh, "INPUT FILES"). The pipe
//! holds one page of what was not read yet, and takes more only when that is empty. So the line is put in, and once it is taken out one
//! blank behind it: when that is gone too, the shell is done. Where it reads by blocks, as dash does, this holds as well. No command of
//! ours stands between two units, so `$?`, jobs and traps are what the last unit left.

use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{pipe2, write};

use crate::decision::Permit;
use crate::model::Shell;

/// Whether the shell still reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// It is done with what it got, and waits for more.
    Waits,
    /// It has ended, or become another program.
    Gone,
}

/// Our end of the pipe.
#[derive(Debug)]
pub struct Channel {
    pipe: OwnedFd,
    /// How many bytes it takes when it is empty.
    room: usize,
    shell: Shell,
    /// Lines without a command that stand before the next unit, by which the shell counts lines as in what was typed.
    before: usize,
}

impl Channel {
    /// Makes a pipe; returns also the end that the shell reads.
    pub fn open(shell: Shell) -> nix::Result<(Self, OwnedFd)> {
        let (theirs, pipe) = pipe2(OFlag::O_CLOEXEC)?;
        // One page is the least.
        let room = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(1))?;
        let room = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
        Ok((Self { pipe, room, shell, before: 0 }, theirs))
    }

    /// Has the shell run a unit that was permitted, and waits until it has. The permit is spent here.
    #[allow(clippy::needless_pass_by_value, reason = "a permit is good for one run")]
    pub fn run(&mut self, permit: Permit) -> nix::Result<Reader> {
        let unit = permit.bytes().as_encoded_bytes();
        let text = quoted(unit, self.shell);
        let eval = match self.shell {
            Shell::Bash | Shell::Zsh => "\\builtin eval",
            // A special builtin, which no function hides.
            Shell::Sh | Shell::Dash => "\\eval",
        };
        let line = [b"{ ", eval.as_bytes(), b" ", &text, b"; } </dev/null\n"].concat();
        self.put(&line, (1 + newlines(unit)).saturating_sub(newlines(&line)))
    }

    /// Has the shell find 126 in `$?`, as after a command that may not be run.
    pub fn refuse(&mut self, unit: &[u8]) -> nix::Result<Reader> {
        let line: &[u8] = match self.shell {
            Shell::Bash | Shell::Zsh => b"{ (\\builtin exit 126); }\n",
            Shell::Sh | Shell::Dash => b"{ (\\exit 126); }\n",
        };
        self.put(line, newlines(unit).saturating_sub(1))
    }

    /// Counts lines that hold nothing to run.
    pub const fn skip(&mut self, lines: usize) {
        self.before += lines;
    }

    /// Puts in a line, with empty ones before it and for those that the unit has more; then what is read when it has run.
    fn put(&mut self, line: &[u8], behind: usize) -> nix::Result<Reader> {
        let before = vec![b'\n'; std::mem::take(&mut self.before)];
        let blank = [vec![b'\n'; behind], vec![b' ']].concat();
        // Never two of them in one piece: what is read by blocks would be taken out before it has run.
        let pieces = [before.as_slice(), line, &blank].into_iter();
        for piece in pieces.flat_map(|text| text.chunks(self.room)) {
            if self.write(piece)? == Reader::Gone {
                return Ok(Reader::Gone);
            }
        }
        Ok(Reader::Waits)
    }

    /// Puts in what there is room for, and waits until it is taken out.
    fn write(&self, piece: &[u8]) -> nix::Result<Reader> {
        loop {
            match write(&self.pipe, piece) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(Errno::EPIPE) => return Ok(Reader::Gone),
                Err(error) => return Err(error),
            }
        }
        let mut polled = [PollFd::new(self.pipe.as_fd(), PollFlags::POLLOUT)];
        loop {
            match poll(&mut polled, PollTimeout::NONE) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        let happened = polled[0].revents().unwrap_or(PollFlags::empty());
        let is_gone = happened.intersects(PollFlags::POLLERR | PollFlags::POLLNVAL);
        Ok(if is_gone { Reader::Gone } else { Reader::Waits })
    }
}

fn newlines(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

/// Returns text as one word of a shell, in which no byte of it stands bare that could open or close anything. Bash and zsh get it on one
/// line, so that lines are counted by us alone.
fn quoted(text: &[u8], shell: Shell) -> Vec<u8> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _-./,:=+@%".contains(&byte);
    match shell {
        Shell::Bash | Shell::Zsh => {
            let mut word = b"$'".to_vec();
            for byte in text {
                if is_plain(*byte) {
                    word.push(*byte);
                } else {
                    word.extend(format!("\\{byte:03o}").bytes());
                }
            }
            word.push(b'\'');
            word
        }
        Shell::Sh | Shell::Dash => {
            let mut word = Vec::with_capacity(2 * text.len());
            for byte in text {
                match byte {
                    // Behind a backslash it would join two lines.
                    b'\n' => word.extend(b"'\n'"),
                    0..=127 => word.extend([b'\\', *byte]),
                    _ => word.push(*byte),
                }
            }
            word.extend(b"''");
            word
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn text_is_one_word_whatever_it_holds() {
        let text: Vec<u8> = (1..=255).collect();
        for (shell, program) in [(Shell::Bash, "bash"), (Shell::Sh, "sh"), (Shell::Dash, "sh")] {
            let line = [b"printf %s ", quoted(&text, shell).as_slice()].concat();
            let line = OsString::from_vec(line);
            let output = std::process::Command::new(program).arg("-c").arg(line).output().unwrap();
            assert_eq!(output.stdout, text, "{shell:?}");
        }
        assert!(!quoted(&text, Shell::Bash).contains(&b'\n'));
    }
}
