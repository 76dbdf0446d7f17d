//! The terminal that a person is at: found, made raw, put back.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use nix::fcntl::OFlag;
use nix::sys::termios::{
    FlowArg, InputFlags, LocalFlags, OutputFlags, SetArg, Termios, cfmakeraw, tcflow, tcgetattr,
    tcsetattr,
};
use nix::unistd::{getpgrp, isatty, tcgetpgrp};

use crate::sys::pty::{self, Size};

/// What leads from anything that a program may have left on the way to a terminal as shells expect it, wherever the cursor is then.
const USUAL: &[u8] = b"\x18\x1b[?2026l\x1b[<99u\x1b[?1047l\x1b[<99u\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b[0m\x1b(B\x0f\x1b]8;;\x1b\\\
    \x1b[?1l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\
    \x1b[?2031l\x1b[?2048l\x1b[>4;0m\x1b[0 q\x1b[?25h";
/// What shows the usual screen again moves no cursor; so it is sent to the bottom, where nothing is overwritten.
const BOTTOM: &[u8] = b"\x1b[999;1H\r\n";
/// Remembers where the cursor is, and sends it back there (DECSC, DECRC), with what comes back with it set as usual.
const REMEMBER: &[u8] = b"\x18\x1b7";
const GO_BACK: &[u8] = b"\x1b8\x1b[0m\x1b(B\x0f";

/// How much is written at once to a terminal that may make us wait.
const PIECE: usize = 1024;

/// The terminal, and the modes in which it was found.
#[derive(Debug)]
pub struct Terminal {
    device: File,
    /// How much may be written at once.
    piece: usize,
    found: Termios,
    /// Others write to it too, and rely on what it does to their output.
    shared: bool,
    /// Which of the standard streams are this terminal.
    streams: [bool; 3],
}

impl Terminal {
    /// Returns the terminal on standard input, or else on standard output. None: neither is one, and nobody can be asked.
    pub fn find() -> io::Result<Option<Self>> {
        let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
        let streams = [input.as_fd(), output.as_fd(), errors.as_fd()];
        let Some(first) = streams[..2].iter().find(|stream| isatty(stream) == Ok(true)) else {
            return Ok(None);
        };
        let device = device_of(*first)?;
        let same = |stream: &BorrowedFd<'_>| {
            isatty(stream) == Ok(true) && device_of(*stream).is_ok_and(|other| other == device)
        };
        let streams = streams.map(|stream| same(&stream));
        let found = tcgetattr(first)?;
        let opened = by_our_name(*first).map_or_else(|| open(*first), |own| Ok((own, usize::MAX)));
        let (device, piece) = opened?;
        Ok(Some(Self { device, piece, found, shared: !(streams[0] && streams[1]), streams }))
    }

    /// Returns which of the standard streams are this terminal.
    pub fn streams(&self) -> [bool; 3] {
        self.streams
    }

    /// Returns the modes in which it was found.
    pub fn found(&self) -> &Termios {
        &self.found
    }

    /// Returns its size; of one that does not know, the usual one.
    pub fn size(&self) -> Size {
        let usual = Size { rows: 24, columns: 80, width: 0, height: 0 };
        pty::size(&self.device)
            .ok()
            .filter(|size| size.rows > 0 && size.columns > 0)
            .unwrap_or(usual)
    }

    /// Has it hand on every key as it is. In the background this stops us, as it does any program.
    pub fn make_raw(&self) -> io::Result<()> {
        let mut raw = self.found.clone();
        cfmakeraw(&mut raw);
        // What a key is encoded in is the terminal's affair, and stays.
        raw.input_flags |= self.found.input_flags & InputFlags::IUTF8;
        if self.shared {
            raw.output_flags |= self.found.output_flags & (OutputFlags::OPOST | OutputFlags::ONLCR);
        }
        Ok(tcsetattr(&self.device, SetArg::TCSANOW, &raw)?)
    }

    /// Returns whether it hands on every key as it is: any process of the user may have told it otherwise.
    pub fn is_raw(&self) -> bool {
        let cooked = LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG | LocalFlags::IEXTEN;
        tcgetattr(&self.device).is_ok_and(|now| !now.local_flags.intersects(cooked))
    }

    /// Has it go on with its output, which any process of the user may have stopped (`TCOOFF`, tcflow(3)).
    pub fn go_on(&self) {
        // Who does this to their own terminal in the background is stopped.
        if tcgetpgrp(&self.device).is_ok_and(|foreground| foreground != getpgrp()) {
            return;
        }
        // Nothing useful is left to do if the terminal is gone.
        let _ = tcflow(&self.device, FlowArg::TCOON);
    }

    /// Puts the modes back in which it was found.
    pub fn put_back(&self) {
        // Nothing useful is left to do if the terminal is gone.
        let _ = tcsetattr(&self.device, SetArg::TCSANOW, &self.found);
    }

    /// Ends whatever the programs on it may have begun and could not end.
    pub fn clean_up(&self) {
        // Nothing useful is left to do if the terminal is gone, and one that takes nothing is not waited for.
        let _ = (&self.device).write(&[USUAL, BOTTOM].concat());
    }

    /// The same where one program ended, and what it wrote stays in sight above what is written next.
    pub fn clean_up_in_place(&self) {
        // As above.
        let _ = (&self.device).write(&[REMEMBER, USUAL, GO_BACK].concat());
    }

    /// How much may be written at once.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// Reads what was typed. Must be called where there is something.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.device).read(buffer)
    }

    /// Returns where to write.
    pub fn writer(&self) -> &File {
        &self.device
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

fn device_of(stream: BorrowedFd<'_>) -> io::Result<u64> {
    Ok(File::from(stream.try_clone_to_owned()?).metadata()?.rdev())
}

/// Opens a terminal by the name that it has for us, where we are at it: so what we write is not noticed as what others do.
fn by_our_name(stream: BorrowedFd<'_>) -> Option<File> {
    let flags = OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let mut options = OpenOptions::new();
    let ours = options.read(true).write(true).custom_flags(flags.bits()).open("/dev/tty").ok()?;
    (pty::device(&ours).ok()? == pty::device(stream).ok()?).then_some(ours)
}

/// Opens a terminal once more, so that only we do not wait for it: whether one waits belongs to what was opened, which we share
/// with the shell that started us. It cannot be opened by who is not its owner (after `su`): then it is written in pieces.
fn open(stream: BorrowedFd<'_>) -> io::Result<(File, usize)> {
    let flags = OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let path = format!("/proc/self/fd/{}", stream.as_raw_fd());
    let opened = OpenOptions::new().read(true).write(true).custom_flags(flags.bits()).open(path);
    match opened {
        Ok(device) => Ok((device, usize::MAX)),
        Err(_) => Ok((File::from(stream.try_clone_to_owned()?), PIECE)),
    }
}
