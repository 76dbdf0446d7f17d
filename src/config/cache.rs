//! Compiled rules on disk, believed for as long as their sources are what they were when they were compiled.
//! Only the owner's own directory is used, and only files in it that nobody else can write.

use std::borrow::Cow;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{file, trust};
use crate::rules::{Authority, Bytes, Layer};
use crate::sys::{Replacement, Stamp};

const MAGIC: [u8; 8] = *b"GSHCACH1";

/// Within this time of a change, another one may leave no trace in the time stamps of a file.
const RACY: Duration = Duration::from_secs(2);

/// A source of compiled rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    pub name: String,
    pub stamp: Stamp,
    /// SHA-256 of the content.
    pub digest: String,
}

/// What compiled rules were made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sources {
    pub directory: Stamp,
    pub files: Vec<Source>,
    /// When the sources were last seen to be these, in seconds.
    seen: i64,
}

impl Sources {
    pub(super) fn new(directory: Stamp, files: Vec<Source>, seen: SystemTime) -> Self {
        let seen = seen.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { directory, files, seen: i64::try_from(seen.as_secs()).unwrap_or(i64::MAX) }
    }

    /// Returns whether the sources still are what they were, as far as time stamps can tell.
    pub(super) fn are_unchanged(&self, directory: &Path, now: Stamp) -> bool {
        let same = |source: &Source| {
            let metadata = std::fs::metadata(directory.join(&source.name));
            metadata.is_ok_and(|metadata| Stamp::of(&metadata) == source.stamp)
        };
        !self.is_racy() && self.directory == now && self.files.iter().all(same)
    }

    /// Returns the digest of each file, by the files' names.
    pub(super) fn digests(&self) -> Vec<String> {
        self.files.iter().map(|file| file.digest.clone()).collect()
    }

    /// Returns whether the content is the same, whatever the time stamps say.
    pub(super) fn have_content_of(&self, other: &Self) -> bool {
        let content = |sources: &Self| -> Vec<(String, String)> {
            sources.files.iter().map(|file| (file.name.clone(), file.digest.clone())).collect()
        };
        content(self) == content(other)
    }

    fn is_racy(&self) -> bool {
        let grace = i64::try_from(RACY.as_secs()).unwrap_or(i64::MAX);
        let late = |stamp: &Stamp| stamp.latest() >= self.seen.saturating_sub(grace);
        late(&self.directory) || self.files.iter().any(|file| late(&file.stamp))
    }
}

/// Compiled rules in a file, of which only pieces are read.
#[derive(Debug)]
pub(super) struct Cached {
    file: File,
    /// Where the rules begin.
    base: u64,
    size: u64,
    pub sources: Sources,
}

impl Cached {
    /// Opens the cache of a directory; none if there is none to be believed.
    pub(super) fn open(path: &Path, uid: u32) -> Option<Self> {
        let file = file::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        file::require_ours(path, &metadata, uid).ok()?;
        if !metadata.is_file() {
            return None;
        }
        let mut head = [0; 16];
        file.read_exact_at(&mut head, 0).ok()?;
        let (magic, numbers) = head.split_at(8);
        let (len, sum) = numbers.split_at(4);
        let len = u64::from(u32::from_le_bytes(len.try_into().ok()?));
        let base = 16 + len;
        if magic != MAGIC || base > metadata.len() {
            return None;
        }
        let mut sources = vec![0; usize::try_from(len).ok()?];
        file.read_exact_at(&mut sources, 16).ok()?;
        if crc32fast::hash(&sources).to_le_bytes() != sum {
            return None;
        }
        let sources = postcard::from_bytes(&sources).ok()?;
        Some(Self { file, base, size: metadata.len() - base, sources })
    }

    /// Reads all of the rules.
    pub(super) fn rules(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.size).ok()?];
        self.file.read_exact_at(&mut bytes, self.base).ok()?;
        Some(bytes)
    }

    /// Returns the rules as a layer; none if they are damaged or of another build.
    pub(super) fn layer(self, name: &str, authority: Authority) -> Option<Layer> {
        let layer = Layer::new(name, Box::new(self), authority);
        layer.header().is_ok().then_some(layer)
    }
}

impl Bytes for Cached {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u32, len: u32) -> Option<Cow<'_, [u8]>> {
        // A wrong length must not ask for memory that the file could not fill.
        if u64::from(offset) + u64::from(len) > self.size {
            return None;
        }
        let mut bytes = vec![0; len as usize];
        self.file.read_exact_at(&mut bytes, self.base + u64::from(offset)).ok()?;
        Some(Cow::Owned(bytes))
    }
}

/// Returns the file in which the compiled rules of a directory are kept.
pub(super) fn path_of(directory: &Path, cache: &Path) -> PathBuf {
    let name = trust::digest(&format!("{}", directory.display()));
    cache.join(format!("rules-{}.bin", &name[..32]))
}

/// Keeps compiled rules.
pub(super) fn keep(path: &Path, sources: &Sources, rules: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let sources = postcard::to_stdvec(sources).map_err(io::Error::other)?;
    let len = u32::try_from(sources.len()).map_err(io::Error::other)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(len.to_le_bytes());
    bytes.extend(crc32fast::hash(&sources).to_le_bytes());
    bytes.extend(sources);
    bytes.extend_from_slice(rules);
    Replacement::write(path, &bytes)?.put()
}
