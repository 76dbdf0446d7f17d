//! How compiled rules lie in bytes, so that one command's rules are found without touching the others.
//! Shared by the build script and the loader of owners' rules, which write it, and by `store`, which reads it.
//!
//! ```text
//! header     magic, format, size, where the parts are, checksum
//! records    one rule each, then its examples
//! parts      packs, rules by a glob on the program, general rules, whole-line rules, the list of all
//! buckets    program (and subcommand) → entries; a name's bucket is the checksum of the name
//! directory  one fixed-size slice a bucket
//! ```
//!
//! Whatever is read is named by a [`Slice`] with a checksum, and every slice lies in something that was itself checked,
//! so a changed byte is noticed by the one who needs it, and by no one else.

use serde::{Deserialize, Serialize};

use super::{Needs, Rule};

/// The first bytes.
pub const MAGIC: [u8; 8] = *b"GSHRULES";

/// The most bytes of rules that one layer may hold.
pub const LARGEST: usize = 1 << 28;

/// Bytes, and the checksum that they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// Where they begin.
    pub offset: u32,
    /// How many they are.
    pub len: u32,
    /// Their checksum.
    pub sum: u32,
}

/// What stands at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// How the rules are encoded: a checksum over the code that does it.
    pub format: u32,
    /// The size of the whole.
    pub size: u32,
    /// How many buckets there are: a power of two.
    pub buckets: u32,
    /// Where the directory of buckets begins.
    pub directory: u32,
    /// `Vec<PackRecord>`
    pub packs: Slice,
    /// `Vec<GlobEntry>`
    pub globs: Slice,
    /// `Vec<Group>`: rules without `command`.
    pub general: Slice,
    /// `Vec<LineEntry>`: rules with `text` or `query`.
    pub lines: Slice,
    /// `Vec<Listed>`: every rule, in order.
    pub all: Slice,
}

impl Header {
    /// How many bytes a header takes.
    pub const SIZE: u32 = 8 + 4 * 19 + 4;

    /// Returns the bytes of the header.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [self.format, self.size, self.buckets, self.directory];
        let slices = [self.packs, self.globs, self.general, self.lines, self.all];
        let slices = slices.iter().flat_map(|slice| [slice.offset, slice.len, slice.sum]);
        bytes.extend(numbers.into_iter().chain(slices).flat_map(u32::to_le_bytes));
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads a header; none if it is damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(Self::SIZE as usize - 4)?;
        if crc32fast::hash(body).to_le_bytes() != sum {
            return None;
        }
        let mut numbers = body.strip_prefix(&MAGIC)?.chunks_exact(4).map(number);
        let mut next = || numbers.next().unwrap_or_default();
        let mut header = Self {
            format: next(),
            size: next(),
            buckets: next(),
            directory: next(),
            ..Self::default()
        };
        let Self { packs, globs, general, lines, all, .. } = &mut header;
        for slice in [packs, globs, general, lines, all] {
            *slice = Slice { offset: next(), len: next(), sum: next() };
        }
        Some(header).filter(|header| header.buckets.is_power_of_two())
    }

    /// Returns the bucket of a key.
    #[must_use]
    pub fn bucket(&self, key: &str) -> u32 {
        crc32fast::hash(key.as_bytes()) & (self.buckets - 1)
    }
}

/// A directory entry: the slice of a bucket with a checksum of itself.
pub const DIRECTORY_ENTRY: u32 = 16;

/// Returns the bytes of the directory entry of the bucket with this number.
#[must_use]
pub fn directory_entry(bucket: u32, slice: Slice) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        [slice.offset, slice.len, slice.sum].into_iter().flat_map(u32::to_le_bytes).collect();
    let sum = directory_sum(bucket, &bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Reads the directory entry of the bucket with this number; none if it is damaged.
#[must_use]
pub fn read_directory_entry(bucket: u32, bytes: &[u8]) -> Option<Slice> {
    let (body, sum) = bytes.split_at_checked(12)?;
    if directory_sum(bucket, body).to_le_bytes() != sum {
        return None;
    }
    let numbers: Vec<u32> = body.chunks_exact(4).map(number).collect();
    Some(Slice { offset: numbers[0], len: numbers[1], sum: numbers[2] })
}

/// The bucket's number is summed too, so that an entry does not pass for another.
fn directory_sum(bucket: u32, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bucket.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Returns the key of a program, or of a program and its first subcommand.
#[must_use]
pub fn key(program: &str, subcommand: Option<&str>) -> String {
    subcommand.map_or_else(|| program.to_owned(), |sub| format!("{program}\0{sub}"))
}

/// A bucket: keys with their rules.
pub type Bucket = Vec<(String, Vec<IndexEntry>)>;

/// Where a rule is and when it need not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// Its place in the order of the layer.
    pub order: u32,
    /// The `Record`.
    pub record: Slice,
    /// What a command must have.
    pub needs: Needs,
}

/// Rules without `command` that ask for the same, so that all of them are put aside at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What they ask for.
    pub needs: Needs,
    /// `Vec<IndexEntry>`
    pub entries: Slice,
}

/// A rule whose program is a glob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobEntry {
    /// The glob.
    pub program: String,
    /// The rule.
    pub entry: IndexEntry,
}

/// A rule about a whole line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEntry {
    /// The rule.
    pub entry: IndexEntry,
    /// How it looks at the line.
    pub by: LineBy,
}

/// How a rule looks at a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineBy {
    /// By a regular expression.
    Text,
    /// By a query that names these node kinds; none named: any line.
    Query(Vec<String>),
}

/// A rule in the list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The rule.
    pub entry: IndexEntry,
    /// Its `Examples`.
    pub examples: Slice,
}

/// A stored rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The rule.
    pub rule: Rule,
    /// Its pack: an index into the packs.
    pub pack: u32,
    /// The line where it was written.
    pub line: u32,
}

/// A stored pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackRecord {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub summary: String,
    /// Whether every rule of it that matches counts.
    pub every: bool,
    /// The file it was written in; none if it is built in.
    pub file: Option<String>,
}
