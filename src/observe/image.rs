//! What a process runs, for as long as it runs that: known to be our own file, and told from anything that the same process runs before
//! or after, be it the same file once more. What a process wrote, or opened, is believed to be ours only if all of that was one image.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::process::{Program, program_of};

/// A process's memory as one execve(2) made it, running from our own file.
#[derive(Debug)]
pub struct Image {
    /// Leads to that memory (proc(5)), and to nothing once the process has ended or runs something else.
    maps: File,
}

impl Image {
    /// Looks at what a process runs. None: it is gone, we may not see it, or it runs from another file than this one.
    #[must_use]
    pub fn ours(id: u32) -> Option<Self> {
        let image = Self { maps: File::open(format!("/proc/{id}/maps")).ok()? };
        // The file is that of this memory only if the memory is still there afterwards.
        (program_of(id) == Program::Ours && image.is_there()).then_some(image)
    }

    /// Returns whether the process still runs it, and has run nothing else since.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.maps.read_at(&mut [0; 1], 0).is_ok_and(|count| count != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn an_image_ends_with_what_is_run_next() {
        let ours = Image::ours(std::process::id()).unwrap();
        assert!(ours.is_there());
        assert!(Image::ours(u32::MAX).is_none());
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(Image::ours(child.id()).is_none());
        // Another's ends with the process, whoever waits for it.
        let other = Image { maps: File::open(format!("/proc/{}/maps", child.id())).unwrap() };
        assert!(other.is_there());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!other.is_there());
        assert!(ours.is_there());
    }

    #[test]
    fn the_same_program_once_more_is_another_image() {
        // Without differences in where its memory lies.
        let script = "echo; read -r _; exec setarch -R sh -c 'echo; read -r _'";
        let mut command = Command::new("setarch");
        command.args(["-R", "sh", "-c", script]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let id = child.id();
        let maps = || File::open(format!("/proc/{id}/maps")).unwrap();
        let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut wait_for_the_shell = || std::io::Read::read_exact(&mut output, &mut [0]).unwrap();
        wait_for_the_shell();
        let before = Image { maps: maps() };
        assert!(before.is_there());
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        wait_for_the_shell();
        assert!(!before.is_there());
        assert!(Image { maps: maps() }.is_there());
        drop(input);
        child.wait().unwrap();
    }
}
