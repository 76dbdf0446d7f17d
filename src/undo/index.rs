//! What git's index says of files: the blob that each has, and how it looked when git last saw that (gitformat-index(5)). A file that looks so
//! still has it. Reads bytes alone: opens nothing, and has no word on whether git's objects are there.

use rustix::fs::Stat;

use super::files;
use super::journal::BlobId;

/// Bytes of an entry before the name of its object: ten numbers.
const NUMBERS: usize = 40;
/// Bits of the flags: how long the name is, the stage, more flags, and that the file may have been changed unseen.
const LENGTH: u16 = 0x0fff;
const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;
const ASSUMED: u16 = 0x8000;
/// More flags: the file is not in the worktree, or only its name is in the index.
const UNSEEN: u16 = 0x6000;
/// An extension by which entries stand in another file as well.
const SPLIT: &[u8] = b"link";

/// What stands at a name: a file, or another repository.
const KIND: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const REPOSITORY: u32 = 0o160_000;

/// When something happened: seconds and nanoseconds, as far as the index holds them.
type Time = (u32, u32);

/// What git's index says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// What stands at each path below the root of the worktree, in the order of the paths' bytes; none where that is not sure.
    entries: Vec<(Vec<u8>, Option<Tracked>)>,
    /// The paths of other repositories in it: submodules.
    pub(super) repositories: Vec<Vec<u8>>,
}

/// A file that git tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tracked {
    looks: Looks,
    blob: BlobId,
}

/// How a file looks, as far as the index holds it: each number modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Looks {
    changed: Time,
    modified: Time,
    inode: u32,
    uid: u32,
    gid: u32,
    size: u32,
}

impl Index {
    /// Reads an index that was written at a time; none if it cannot be read, or is not all of it. `id_length` is how many bytes the names of
    /// objects have.
    pub(super) fn read(bytes: &[u8], written: Time, id_length: usize) -> Option<Self> {
        let mut rest = Rest(bytes);
        if rest.take(4)? != b"DIRC" {
            return None;
        }
        let version = rest.number()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut index = Self::default();
        let mut name = Vec::new();
        for _ in 0..rest.number()? {
            rest.entry(version, id_length, written, &mut name, &mut index)?;
        }
        while rest.0.len() > id_length {
            let (signature, length) = (rest.take(4)?, rest.number()?);
            if signature == SPLIT {
                return None;
            }
            rest.take(usize::try_from(length).ok()?)?;
        }
        index.entries.is_sorted_by_key(|(path, _)| path).then_some(index)
    }

    /// Returns whether it names something in a directory.
    pub(super) fn holds(&self, directory: &[u8]) -> bool {
        let begins = [directory, b"/"].concat();
        let at = self.entries.partition_point(|(path, _)| *path < begins);
        self.entries.get(at).is_some_and(|(path, _)| path.starts_with(&begins))
    }

    /// Returns the paths of files with this name, in whatever directory.
    pub(super) fn named<'i>(&'i self, name: &'i [u8]) -> impl Iterator<Item = &'i [u8]> {
        let is_named = move |path: &&[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(name);
        self.entries.iter().map(|(path, _)| path.as_slice()).filter(is_named)
    }

    /// Returns the blob of a file that looks as git last saw it.
    pub(super) fn blob(&self, path: &[u8], now: &Stat) -> Option<BlobId> {
        let at = self.entries.binary_search_by(|(known, _)| known.as_slice().cmp(path)).ok()?;
        let tracked = self.entries[at].1?;
        (tracked.looks == looks(now)).then_some(tracked.blob)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as the index has it")]
fn looks(now: &Stat) -> Looks {
    let (meta, changed) = (files::meta(now), files::changed(now));
    Looks {
        changed: (changed.0 as u32, changed.1),
        modified: (meta.modified.0 as u32, meta.modified.1),
        inode: meta.identity.1 as u32,
        uid: meta.uid,
        gid: meta.gid,
        size: meta.size as u32,
    }
}

/// What is not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let length = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.take(length)?;
        self.take(1)?;
        Some(taken)
    }

    /// A number of as many bytes as it needs, as those of offsets in packs (gitformat-pack(5), "OFS_DELTA").
    fn offset(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = usize::from(*self.take(1)?.first()?);
            value = value.checked_mul(128)?.checked_add(byte & 127)?;
            if byte & 128 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }

    /// Reads an entry. `name` is that of the one before, of which version 4 says only how much of it stays.
    fn entry(
        &mut self,
        version: u32,
        id_length: usize,
        written: Time,
        name: &mut Vec<u8>,
        index: &mut Index,
    ) -> Option<()> {
        let start = self.0.len();
        let numbers: Vec<u32> = self.take(NUMBERS)?.chunks_exact(4).map(number_of).collect();
        let [changed, changed_part, modified, modified_part, _device, inode, mode, uid, gid, size] =
            numbers.try_into().ok()?;
        let blob = BlobId::of(self.take(id_length)?)?;
        let flags = self.short()?;
        let more = if flags & EXTENDED == 0 { 0 } else { self.short()? };
        if version == 4 {
            let kept = name.len().checked_sub(self.offset()?)?;
            name.truncate(kept);
            name.extend_from_slice(self.until_nul()?);
        } else {
            let known = usize::from(flags & LENGTH);
            let length = if known < usize::from(LENGTH) {
                known
            } else {
                self.0.iter().position(|byte| *byte == 0)?
            };
            name.clear();
            name.extend_from_slice(self.take(length)?);
            // As many NULs as end at a multiple of eight bytes, and at least one.
            let read = start - self.0.len();
            self.take(8 - read % 8)?;
        }
        let is_seen = flags & (STAGE | ASSUMED) == 0 && more & UNSEEN == 0;
        let looks = Looks {
            changed: (changed, changed_part),
            modified: (modified, modified_part),
            inode,
            uid,
            gid,
            size,
        };
        // What was touched as late as the index was written may have been written once more since (gitracy(7), "racy git").
        let is_sure = looks.modified < written;
        if mode & KIND == REPOSITORY {
            index.repositories.push(name.clone());
        }
        let is_file = mode & KIND == FILE;
        let tracked = (is_file && is_seen && is_sure).then_some(Tracked { looks, blob });
        index.entries.push((name.clone(), tracked));
        Some(())
    }
}

fn number_of(four: &[u8]) -> u32 {
    four.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_or_of_another_form_is_not_read() {
        let mut index = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        index.extend((1..=10_u32).flat_map(u32::to_be_bytes));
        index[12 + 6 * 4..][..4].copy_from_slice(&0o100_644_u32.to_be_bytes());
        index.extend([7; 20]);
        index.extend(*b"\0\x03a/b\0\0\0\0\0\0\0");
        index.extend([0; 20]);
        let read = |bytes: &[u8], written| Index::read(bytes, written, 20);
        let whole = read(&index, (9, 0)).unwrap();
        assert!(whole.holds(b"a") && !whole.holds(b"a/b") && !whole.holds(b""));
        assert!(whole.entries[0].1.is_some());
        assert!(read(&index, (3, 4)).unwrap().entries[0].1.is_none());
        assert_eq!((12..70).find(|length| read(&index[..*length], (9, 0)).is_some()), None);
        index[7] = 5;
        assert_eq!(read(&index, (9, 0)), None);
    }
}
