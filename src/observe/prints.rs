//! Files, known again by what they are and what they begin with.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use hmac_sha256::Hash;

use crate::model::Print;

/// Bytes of a file that are looked at. Whoever only adds to its end, or touches it, makes no other file of it.
const LENGTH: u64 = 64 * 1024;

/// Returns what a file is known again by; none where there is no regular file of this name, or nothing in it yet.
#[must_use]
pub fn print_of(path: &Path) -> Option<Print> {
    let (opened, metadata) = open(path)?;
    let length = metadata.len().min(LENGTH);
    let (length, sha256) = read(opened, length)?;
    (length > 0).then(|| Print { file: (metadata.dev(), metadata.ino()), length, sha256 })
}

/// Returns whether a file is the one that has this print, whatever it is called and holds by now.
#[must_use]
pub fn is_file_of(path: &Path, print: &Print) -> bool {
    path.metadata().is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == print.file)
}

/// Returns whether a file begins as the one did that has this print.
#[must_use]
pub fn begins_as(path: &Path, print: &Print) -> bool {
    let read = open(path).and_then(|(opened, _)| read(opened, print.length));
    // Of what cannot be read nobody knows that it is another.
    read.is_none_or(|(length, sha256)| length == print.length && sha256 == print.sha256)
}

fn open(path: &Path) -> Option<(File, std::fs::Metadata)> {
    // As for scripts: neither a pipe nor a terminal holds us up.
    let flags = nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let metadata = opened.metadata().ok()?;
    metadata.is_file().then_some((opened, metadata))
}

/// Reads as much, if there is as much; returns how much it was and its digest.
fn read(opened: File, length: u64) -> Option<(u64, [u8; 32])> {
    let mut bytes = Vec::new();
    opened.take(length.min(LENGTH)).read_to_end(&mut bytes).ok()?;
    Some((bytes.len() as u64, Hash::hash(&bytes)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_known_again_until_it_is_written_anew() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        fs::write(&one, "echo first\n").unwrap();
        let print = print_of(&one).unwrap();
        assert!(is_file_of(&one, &print) && begins_as(&one, &print));
        fs::write(&one, "echo first\necho more\n").unwrap();
        assert!(begins_as(&one, &print));
        fs::rename(&one, &other).unwrap();
        assert!(is_file_of(&other, &print) && begins_as(&other, &print));
        fs::write(&other, "echo other\n").unwrap();
        assert!(is_file_of(&other, &print) && !begins_as(&other, &print));
        fs::write(&other, "echo").unwrap();
        assert!(!begins_as(&other, &print));
    }

    #[test]
    fn what_is_not_there_yet_has_no_print() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("one");
        assert_eq!(print_of(&path), None);
        fs::write(&path, "").unwrap();
        assert_eq!((print_of(&path), print_of(place.path())), (None, None));
        nix::unistd::mkfifo(&place.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(print_of(&place.path().join("pipe")), None);
        let long = vec![b'x'; 3 * usize::try_from(LENGTH).unwrap()];
        fs::write(&path, long).unwrap();
        assert_eq!(print_of(&path).unwrap().length, LENGTH);
    }
}
