//! Transcripts that are packed (zstd), unpacked into files without a name: the last few, so that going through one unpacks it once.

use std::fs::File;
use std::io::{self, BufRead as _, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ruzstd::decoding::StreamingDecoder;

use super::{Error, open};

/// How many are kept.
const KEPT: usize = 2;
/// Bytes that one may have when it is unpacked.
const LARGEST: u64 = 2 << 30;
/// Bytes of what was unpacked that whoever unpacks may have to hold.
const WINDOW: u64 = 16 << 20;
/// Bytes that are unpacked at once.
const BLOCK: usize = 128 << 10;

/// By what a packed file is known: where it is, and device, inode, size and time.
type Known = (u64, u64, u64, i64, i64);

/// What was unpacked.
#[derive(Debug)]
pub(super) struct Unpacked {
    directory: PathBuf,
    kept: Mutex<Vec<(Known, Arc<File>)>>,
}

impl Unpacked {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), kept: Mutex::default() }
    }

    /// Returns what a file holds, unpacked.
    pub(super) fn unpack(&self, path: &Path, file: &File) -> Result<Arc<File>, Error> {
        let failed = |source| Error::Read { path: path.to_owned(), source };
        let metadata = file.metadata().map_err(failed)?;
        let known = (
            metadata.dev(),
            metadata.ino(),
            metadata.len(),
            metadata.mtime(),
            metadata.mtime_nsec(),
        );
        // One at a time: what another asks for may be the same.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = kept.iter().find(|(one, _)| *one == known) {
            return Ok(Arc::clone(file));
        }
        let whole = Arc::new(unpack(file, &self.directory).map_err(failed)?);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((known, Arc::clone(&whole)));
        Ok(whole)
    }
}

fn unpack(file: &File, directory: &Path) -> io::Result<File> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut from = io::BufReader::with_capacity(BLOCK, file);
    from.rewind()?;
    let mut whole = open::nameless(directory)?;
    let (mut block, mut bytes) = (vec![0; BLOCK], 0);
    // A file is one frame or several.
    while !from.fill_buf()?.is_empty() {
        let mut head = [0; 18];
        let count = file.read_at(&mut head, from.stream_position()?)?;
        match window(&head[..count]) {
            None if bytes == 0 => return Err(invalid("it is no zstd")),
            // What was unpacked before is there.
            None => break,
            Some(bytes) if bytes > WINDOW => {
                return Err(invalid("unpacking it takes more memory than there is for that"));
            }
            Some(_) => {}
        }
        let Ok(mut decoder) = StreamingDecoder::new(&mut from) else { break };
        loop {
            let count = match decoder.read(&mut block) {
                Ok(0) => break,
                Err(_) => return Ok(whole),
                Ok(count) => count,
            };
            bytes += count as u64;
            if bytes > LARGEST {
                return Err(invalid("it is larger than 2 GB when it is unpacked"));
            }
            whole.write_all(&block[..count])?;
        }
    }
    Ok(whole)
}

/// Returns how many bytes whoever unpacks must hold, as the head of a frame says (RFC 8878, 3.1.1.1); none where it is none.
fn window(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?;
    let (descriptor, rest) = rest.split_first()?;
    let is_single = descriptor & 0x20 != 0;
    if !is_single {
        let byte = rest.first()?;
        let base = 1_u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * u64::from(byte & 7));
    }
    // Then the content's size is the window, behind the id of a dictionary.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = match descriptor >> 6 {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(rest.get(dictionary..dictionary + size)?);
    Some(u64::from_le_bytes(bytes) + if size == 2 { 256 } else { 0 })
}
