//! What is known of an entry: the line that it was kept for, and what each path was before. Written and read as JSON, one object a line.
//! Holds no content: that stands beside it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sys::hex::{self, hex};

/// The form of what is written. An entry of another form is not read.
pub(super) const FORM: u32 = 1;

/// An entry: a line, or an undo, and what was there before it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it was kept for.
    pub header: Header,
    /// What was there, directories before what is in them.
    pub items: Vec<Item>,
}

/// What an entry was kept for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    /// The form of the journal.
    pub form: u32,
    /// By which name it is taken back.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// The line, as the record has it: with secrets masked.
    pub line: String,
    /// What the record's line is found by.
    pub digest: String,
    /// The session, if one is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The directory that it ran in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// The process that then became the shell.
    pub pid: u32,
    /// Whether an agent's hook had it kept. The same line may come to the shell afterwards.
    #[serde(skip_serializing_if = "is_not", default)]
    pub by_hook: bool,
    /// Whether the line was only tried: what is kept is what it would leave, and taking it back carries it out.
    #[serde(skip_serializing_if = "is_not", default)]
    pub tried: bool,
    /// The entry that was taken back, where this is what was there before that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<String>,
    /// How many files, links and directories.
    pub files: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// Why not all that was at stake is kept, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lacks: Option<String>,
    /// Why the workspace was not kept as a whole, though the line may have written more than was known, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uncovered: Option<String>,
    /// The directories of git's objects that hold contents.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub objects: Vec<Name>,
}

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The path, absolute, by way of no link.
    #[serde(rename = "p")]
    pub path: Name,
    /// What the line may do there.
    #[serde(rename = "d")]
    pub change: Change,
    /// What was there.
    #[serde(flatten)]
    pub was: Was,
}

/// What a line may do to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It may be gone afterwards: whatever stands there later is somebody else's.
    #[serde(rename = "r")]
    Removed,
    /// It may be another one afterwards.
    #[serde(rename = "w")]
    Written,
}

/// What stood at a path before a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "t")]
pub enum Was {
    /// Nothing.
    #[serde(rename = "-")]
    Absent,
    /// A file, or what is neither a link nor a directory.
    #[serde(rename = "f")]
    File {
        /// All but its content.
        #[serde(flatten)]
        meta: Meta,
        /// The number of the kept content; two names of one file have the same.
        #[serde(rename = "c")]
        content: u32,
        /// How it was kept.
        #[serde(rename = "h")]
        how: How,
    },
    /// A directory.
    #[serde(rename = "d")]
    Directory {
        /// All but what was in it.
        #[serde(flatten)]
        meta: Meta,
        /// The names in it that were left out, where all others are in the journal; none where it was not looked into.
        #[serde(rename = "l", skip_serializing_if = "Option::is_none", default)]
        left_out: Option<Vec<Name>>,
    },
    /// A symbolic link.
    #[serde(rename = "l")]
    Link {
        /// All but where it leads.
        #[serde(flatten)]
        meta: Meta,
        /// Where it leads.
        #[serde(rename = "to")]
        target: Name,
    },
}

/// How a file's content was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// By a second name of the very file.
    #[serde(rename = "l")]
    Link,
    /// By a copy that shares its blocks until one of them is written.
    #[serde(rename = "r")]
    Clone,
    /// By a copy.
    #[serde(rename = "c")]
    Copy,
    /// By git: it was as git has it, and git has it still.
    #[serde(rename = "o")]
    Blob(Blob),
}

/// A blob of git's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Which of the header's directories of objects has it.
    #[serde(rename = "at")]
    pub at: usize,
    /// Its name.
    #[serde(rename = "id")]
    pub id: BlobId,
}

/// The name of a blob: the bytes of its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BlobId {
    /// SHA-1.
    Sha1([u8; 20]),
    /// SHA-256.
    Sha256([u8; 32]),
}

impl BlobId {
    /// Returns the name with these bytes; none where no digest has so many.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let sha1 = bytes.try_into().ok().map(Self::Sha1);
        sha1.or_else(|| Some(Self::Sha256(bytes.try_into().ok()?)))
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        match id {
            BlobId::Sha1(bytes) => hex(&bytes),
            BlobId::Sha256(bytes) => hex(&bytes),
        }
    }
}

impl TryFrom<String> for BlobId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        hex::bytes(&text).and_then(|bytes| Self::of(&bytes)).ok_or("it is no name of a blob")
    }
}

/// What a file system knows of a file beside its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Kind and permissions.
    #[serde(rename = "m")]
    pub mode: u32,
    /// The owner.
    #[serde(rename = "u")]
    pub uid: u32,
    /// The group.
    #[serde(rename = "g")]
    pub gid: u32,
    /// When it was changed last: seconds and nanoseconds.
    #[serde(rename = "mt")]
    pub modified: (i64, u32),
    /// Its length.
    #[serde(rename = "s")]
    pub size: u64,
    /// The file system, and the file in it.
    #[serde(rename = "i")]
    pub identity: (u64, u64),
    /// How many names it has.
    #[serde(rename = "n")]
    pub names: u32,
    /// Extended attributes, where the content was copied.
    #[serde(rename = "x", skip_serializing_if = "Vec::is_empty", default)]
    pub attributes: Vec<(Name, Name)>,
}

impl Was {
    /// Returns what the file system knew of it.
    #[must_use]
    pub const fn meta(&self) -> Option<&Meta> {
        match self {
            Self::Absent => None,
            Self::File { meta, .. } | Self::Directory { meta, .. } | Self::Link { meta, .. } => {
                Some(meta)
            }
        }
    }
}

/// Bytes that mostly are text: as a string where they are, else as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Vec<u8>);

impl Name {
    /// Returns the bytes as a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Name {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<OsString> for Name {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<PathBuf> for Name {
    fn from(path: PathBuf) -> Self {
        Self::from(path.into_os_string())
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl<'de> Visitor<'de> for Bytes {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text, or bytes as numbers")
            }

            fn visit_str<E>(self, text: &str) -> Result<Name, E> {
                Ok(Name(text.as_bytes().to_vec()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Name, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = numbers.next_element()? {
                    bytes.push(byte);
                }
                Ok(Name(bytes))
            }
        }

        deserializer.deserialize_any(Bytes)
    }
}

impl Entry {
    /// Writes the entry.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &self.header)?;
        out.write_all(b"\n")?;
        for item in &self.items {
            serde_json::to_writer(&mut *out, item)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Reads an entry.
    pub(super) fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let header = read_header(from)?;
        let mut items = Vec::new();
        for line in from.lines() {
            items.push(serde_json::from_str(&line?)?);
        }
        Ok(Self { header, items })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

/// Reads what an entry was kept for, and no more.
pub(super) fn read_header(from: &mut impl BufRead) -> io::Result<Header> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    let header: Header = serde_json::from_str(&line)?;
    if header.form == FORM {
        return Ok(header);
    }
    Err(io::Error::new(io::ErrorKind::Unsupported, "it was written by another version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_whatever_the_names_are() {
        let meta = Meta {
            mode: 0o100_644,
            modified: (-1, 999_999_999),
            attributes: vec![(b"user.x".to_vec().into(), vec![0, 255, b'\n'].into())],
            ..Meta::default()
        };
        let path = |bytes: &[u8]| Name::from(bytes.to_vec());
        let items = [
            (path(b"/w/plain"), Was::Absent),
            (path(b"/w/\xff\n\"{"), Was::File { meta: meta.clone(), content: 7, how: How::Link }),
            (
                path("/w/ü".as_bytes()),
                Was::Directory { meta: meta.clone(), left_out: Some(vec![path(b"target")]) },
            ),
            (path(b"/w/l"), Was::Link { meta, target: path(b"\xfe") }),
        ];
        let items = items.map(|(path, was)| Item { path, change: Change::Written, was }).to_vec();
        let header = Header { form: FORM, id: "a".to_owned(), ..Header::default() };
        let mut written = Vec::new();
        Entry { header, items: items.clone() }.write(&mut written).unwrap();
        assert_eq!(Entry::read(&mut written.as_slice()).unwrap().items, items);
    }
}
