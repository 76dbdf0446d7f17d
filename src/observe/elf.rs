//! What is read of an ELF file of either width, in the byte order of this machine (elf(5)): its build id, and whether it loads other programs.
//! Believes no number in it: what leads nowhere is not there.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes of a segment that are looked at.
const MOST: u64 = 64 * 1024;

/// `e_type` of what may be loaded anywhere: a library, a loader, a program.
const DYNAMIC_FILE: u64 = 3;
/// `p_type` of the segments that are looked at.
const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const INTERPRETER: u64 = 3;
const NOTES: u64 = 4;
/// `n_type` of a build id.
const BUILD_ID: u64 = 3;
/// `d_tag` of the name that a library has for others.
const NAME: u64 = 14;

/// An ELF file.
pub(super) struct Elf<'a> {
    file: &'a File,
    head: [u8; 64],
    is_wide: bool,
}

struct Segment {
    kind: u64,
    /// Where it is in the file, and how long.
    place: u64,
    length: u64,
}

impl<'a> Elf<'a> {
    /// Reads the head of a file; none if it is another kind of file.
    pub(super) fn of(file: &'a File) -> Option<Self> {
        let mut head = [0; 64];
        file.read_exact_at(&mut head, 0).ok()?;
        let is_known = head.starts_with(b"\x7fELF") && head[5] == 1;
        is_known.then_some(Self { file, head, is_wide: head[4] == 2 })
    }

    /// Returns its build id, which its linker wrote (ld(1)); none where it has none.
    pub(super) fn build_id(&self) -> Option<Vec<u8>> {
        self.segments().filter(|segment| segment.kind == NOTES).find_map(|segment| {
            let notes = self.bytes(&segment)?;
            build_id_in(&notes)
        })
    }

    /// Returns whether it is a loader of programs (ld.so(8)), whatever it is called: it begins to run by itself, needs no other loader, and has
    /// a name for what is loaded, as no program has.
    pub(super) fn is_loader(&self) -> bool {
        let width = self.width();
        let begins = number(&self.head, 24, width).is_some_and(|entry| entry != 0);
        let is_alone = !self.segments().any(|segment| segment.kind == INTERPRETER);
        begins
            && number(&self.head, 16, 2) == Some(DYNAMIC_FILE)
            && self.segments().any(|segment| segment.kind == LOAD)
            && is_alone
            && self.has_name()
    }

    fn has_name(&self) -> bool {
        let Some(segment) = self.segments().find(|segment| segment.kind == DYNAMIC) else {
            return false;
        };
        let entries = self.bytes(&segment).unwrap_or_default();
        let tags = entries.chunks_exact(2 * self.width());
        tags.map(|entry| number(entry, 0, self.width())).any(|tag| tag == Some(NAME))
    }

    const fn width(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    fn segments(&self) -> impl Iterator<Item = Segment> {
        // Where the headers of segments are, how long one is, how many.
        let (table, size, count) = if self.is_wide { (32, 54, 56) } else { (28, 42, 44) };
        let table = number(&self.head, table, self.width()).unwrap_or_default();
        let size = number(&self.head, size, 2).unwrap_or_default();
        let count = number(&self.head, count, 2).unwrap_or_default();
        (0..count).map_while(move |index| self.segment(table.checked_add(index * size)?, size))
    }

    fn segment(&self, at: u64, size: u64) -> Option<Segment> {
        // Where its bytes are, and how many.
        let (place, length) = if self.is_wide { (8, 32) } else { (4, 16) };
        let mut whole = [0; 56];
        let head = whole.get_mut(..usize::try_from(size).ok()?)?;
        self.file.read_exact_at(head, at).ok()?;
        Some(Segment {
            kind: number(head, 0, 4)?,
            place: number(head, place, self.width())?,
            length: number(head, length, self.width())?,
        })
    }

    fn bytes(&self, segment: &Segment) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(segment.length.min(MOST)).ok()?];
        self.file.read_exact_at(&mut bytes, segment.place).ok()?;
        Some(bytes)
    }
}

fn build_id_in(mut notes: &[u8]) -> Option<Vec<u8>> {
    while let (Some(name), Some(text), Some(kind)) =
        (number(notes, 0, 4), number(notes, 4, 4), number(notes, 8, 4))
    {
        let (name, text) = (usize::try_from(name).ok()?, usize::try_from(text).ok()?);
        let start = name.checked_next_multiple_of(4)?.checked_add(12)?;
        let end = start.checked_add(text)?;
        let (found, of) = (notes.get(start..end)?, notes.get(12..12 + name)?);
        if kind == BUILD_ID && of == b"GNU\0" {
            return Some(found.to_vec());
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..).unwrap_or_default();
    }
    None
}

/// Returns a number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let mut whole = [0; 8];
    whole[..width].copy_from_slice(bytes.get(at..at + width)?);
    Some(u64::from_le_bytes(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_elf_file_is_none() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let bash = std::fs::read("/bin/bash").unwrap();
        // Cut anywhere, and with a table of segments that leads nowhere.
        let cuts = (0..512).map(|length| bash[..length].to_vec());
        let mut wild = bash[..512].to_vec();
        wild[32..64].fill(0xff);
        for bytes in cuts.chain([wild, vec![0xff; 4096]]) {
            std::fs::write(&path, &bytes).unwrap();
            let file = File::open(&path).unwrap();
            let elf = Elf::of(&file);
            assert!(elf.is_none_or(|elf| !elf.is_loader() && elf.build_id().is_none()));
        }
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        assert!(Elf::of(&File::open(&path).unwrap()).is_none());
    }

    #[test]
    fn a_loader_is_told_from_programs_and_libraries() {
        // What loads this very test, and what is loaded with it (proc(5), `maps`).
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mut files: Vec<&str> =
            maps.lines().filter_map(|line| line.split(' ').next_back()).collect();
        files.retain(|file| file.starts_with('/'));
        files.dedup();
        for file in files {
            let name = file.rsplit('/').next().unwrap();
            let is_one = name.starts_with("ld-") || name.starts_with("ld.so");
            let opened = File::open(file).unwrap();
            assert_eq!(Elf::of(&opened).is_some_and(|elf| elf.is_loader()), is_one, "{file}");
        }
        for file in ["/proc/self/exe", "/bin/bash"] {
            let opened = File::open(file).unwrap();
            assert!(!Elf::of(&opened).unwrap().is_loader(), "{file}");
        }
    }
}
