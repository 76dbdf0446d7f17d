//! Reads compiled rules piece by piece, each checked before it is believed.
//! Knows nothing of what rules mean, nor where bytes come from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::de::DeserializeOwned;

use super::layout::{
    self, Bucket, DIRECTORY_ENTRY, GlobEntry, Group, Header, IndexEntry, LineEntry, Listed,
    PackRecord, Record, Slice,
};
use super::{EffectMask, Examples, Recommendation, Rule};

/// How this build encodes rules; bytes that say otherwise are from another build.
pub(super) const FORMAT: u32 = match u32::from_str_radix(env!("GUARDED_SH_RULE_FORMAT"), 10) {
    Ok(format) => format,
    Err(_) => panic!("the build script did not say how rules are encoded"),
};

/// Where compiled rules are read from: memory, or a file of which only some pieces are read.
pub trait Bytes: fmt::Debug + Send + Sync {
    /// Returns the size of the whole.
    fn size(&self) -> u64;

    /// Returns `len` bytes from `offset` on; none if they cannot be read.
    fn read(&self, offset: u32, len: u32) -> Option<Cow<'_, [u8]>>;

    /// Returns whether they are part of the program, and so as whole as it is.
    fn is_built_in(&self) -> bool {
        false
    }
}

impl Bytes for &'static [u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn is_built_in(&self) -> bool {
        true
    }

    fn read(&self, offset: u32, len: u32) -> Option<Cow<'_, [u8]>> {
        let (offset, len) = (offset as usize, len as usize);
        self.get(offset..offset.checked_add(len)?).map(Cow::Borrowed)
    }
}

impl Bytes for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u32, len: u32) -> Option<Cow<'_, [u8]>> {
        let (offset, len) = (offset as usize, len as usize);
        self.get(offset..offset.checked_add(len)?).map(Cow::Borrowed)
    }
}

/// Compiled rules are not what was written. They are made again from their sources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the compiled rules in '{layer}' are damaged: {part}")]
pub struct Damaged {
    /// Which rules.
    pub layer: String,
    /// What of them.
    pub part: &'static str,
}

/// What a layer's rules may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// Everything, and what they find no rule of another layer allows: the machine's, where it has a policy.
    Policy,
    /// Everything.
    Owner,
    /// Only make answers stricter: rules that approve or allow are passed over, and the others say no more than `Rule::untrusted`.
    TightenOnly,
}

/// Where a pack comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built into the program.
    BuiltIn,
    /// Written in this file.
    File(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => f.write_str(path),
        }
    }
}

/// A pack in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackHead {
    /// Tells packs apart, also those of one name. Its order is the order of the packs.
    pub number: (usize, usize),
    /// Its name.
    pub name: String,
    /// What it is about.
    pub summary: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What its rules may do.
    pub authority: Authority,
    /// Whether every rule of it that matches counts, and not only the first.
    pub every: bool,
}

/// A rule in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// Its pack.
    pub pack: Arc<PackHead>,
    /// Its place among all rules: within a pack, the first that matches wins, unless every one counts.
    pub order: (usize, u32),
    /// The line where it was written.
    pub line: u32,
}

/// What is damaged when it is the general rules.
const GENERAL: &str = "the index of general rules";

/// Compiled rules of one place: the built-in ones, or one owner's.
#[derive(Debug)]
pub struct Layer {
    name: String,
    bytes: Box<dyn Bytes>,
    authority: Authority,
    /// The place among the layers.
    pub(super) number: usize,
    header: Option<Header>,
    packs: OnceLock<Vec<Arc<PackHead>>>,
    globs: OnceLock<Vec<GlobEntry>>,
    general: OnceLock<Vec<Group>>,
    lines: OnceLock<Vec<LineEntry>>,
    read: Mutex<Read>,
}

/// What was read once is kept: one process may judge many lines.
#[derive(Debug, Default)]
struct Read {
    buckets: HashMap<u32, Arc<Bucket>>,
    groups: HashMap<u32, Arc<Vec<IndexEntry>>>,
    entries: HashMap<u32, Arc<Entry>>,
}

impl Layer {
    /// Returns the layer in `bytes`, of which only the header is read; `name` is for messages.
    #[must_use]
    pub fn new(name: impl Into<String>, bytes: Box<dyn Bytes>, authority: Authority) -> Self {
        let header = bytes
            .read(0, Header::SIZE)
            .and_then(|head| Header::from_bytes(&head))
            .filter(|header| header.format == FORMAT && u64::from(header.size) == bytes.size());
        Self {
            name: name.into(),
            bytes,
            authority,
            number: 0,
            header,
            packs: OnceLock::new(),
            globs: OnceLock::new(),
            general: OnceLock::new(),
            lines: OnceLock::new(),
            read: Mutex::default(),
        }
    }

    /// Returns what it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what its rules may do.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        self.authority
    }

    /// Returns the header, or an error if these are not whole rules of this build.
    pub fn header(&self) -> Result<&Header, Damaged> {
        self.header.as_ref().ok_or_else(|| self.damaged("the header"))
    }

    fn damaged(&self, part: &'static str) -> Damaged {
        Damaged { layer: self.name.clone(), part }
    }

    fn piece<T: DeserializeOwned>(&self, slice: Slice, part: &'static str) -> Result<T, Damaged> {
        let bytes = self.bytes.read(slice.offset, slice.len);
        bytes
            .filter(|bytes| self.bytes.is_built_in() || crc32fast::hash(bytes) == slice.sum)
            .and_then(|bytes| postcard::from_bytes(&bytes).ok())
            .ok_or_else(|| self.damaged(part))
    }

    fn once<'a, T: DeserializeOwned>(
        &self,
        cell: &'a OnceLock<T>,
        slice: Slice,
        part: &'static str,
    ) -> Result<&'a T, Damaged> {
        if let Some(value) = cell.get() {
            return Ok(value);
        }
        let value = self.piece(slice, part)?;
        Ok(cell.get_or_init(|| value))
    }

    fn packs(&self) -> Result<&[Arc<PackHead>], Damaged> {
        if let Some(packs) = self.packs.get() {
            return Ok(packs);
        }
        let records: Vec<PackRecord> = self.piece(self.header()?.packs, "the packs")?;
        let heads = records.into_iter().enumerate().map(|(number, record)| {
            let origin = record.file.map_or(Origin::BuiltIn, Origin::File);
            let number = (self.number, number);
            let (name, summary, authority) = (record.name, record.summary, self.authority);
            let every = record.every;
            Arc::new(PackHead { number, name, summary, origin, authority, every })
        });
        Ok(self.packs.get_or_init(|| heads.collect()))
    }

    /// Adds to `found` the rules that are filed under `key`.
    pub(super) fn keyed(&self, key: &str, found: &mut Vec<IndexEntry>) -> Result<(), Damaged> {
        let number = self.header()?.bucket(key);
        let bucket = self.bucket(number)?;
        if let Some((_, entries)) = bucket.iter().find(|(name, _)| name == key) {
            found.extend(entries);
        }
        Ok(())
    }

    fn bucket(&self, number: u32) -> Result<Arc<Bucket>, Damaged> {
        if let Some(bucket) = self.memo().buckets.get(&number) {
            return Ok(Arc::clone(bucket));
        }
        let directory = self.header()?.directory;
        let slice = number
            .checked_mul(DIRECTORY_ENTRY)
            .and_then(|offset| offset.checked_add(directory))
            .and_then(|offset| self.bytes.read(offset, DIRECTORY_ENTRY))
            .and_then(|bytes| layout::read_directory_entry(number, &bytes))
            .ok_or_else(|| self.damaged("the directory"))?;
        let bucket: Arc<Bucket> = Arc::new(self.piece(slice, "a bucket")?);
        self.memo().buckets.insert(number, Arc::clone(&bucket));
        Ok(bucket)
    }

    /// Returns the rules whose program is a glob.
    pub(super) fn globs(&self) -> Result<&[GlobEntry], Damaged> {
        Ok(self.once(&self.globs, self.header()?.globs, "the index of globs")?)
    }

    /// Adds to `found` the rules without `command` that a command with `has` may meet.
    pub(super) fn general(
        &self,
        has: &EffectMask,
        found: &mut Vec<IndexEntry>,
    ) -> Result<(), Damaged> {
        let groups = self.once(&self.general, self.header()?.general, GENERAL)?;
        for group in groups.iter().filter(|group| group.needs.met_by(has)) {
            let entries = self.group(group.entries)?;
            found.extend(entries.iter());
        }
        Ok(())
    }

    fn group(&self, at: Slice) -> Result<Arc<Vec<IndexEntry>>, Damaged> {
        if let Some(known) = self.memo().groups.get(&at.offset) {
            return Ok(Arc::clone(known));
        }
        let entries: Arc<Vec<IndexEntry>> = Arc::new(self.piece(at, GENERAL)?);
        self.memo().groups.insert(at.offset, Arc::clone(&entries));
        Ok(entries)
    }

    /// Returns the rules about whole lines.
    pub(super) fn lines(&self) -> Result<&[LineEntry], Damaged> {
        Ok(self.once(&self.lines, self.header()?.lines, "the index of whole-line rules")?)
    }

    /// Returns every rule with its examples, in order.
    pub(super) fn all(&self) -> Result<Vec<(Arc<Entry>, Examples)>, Damaged> {
        let all: Vec<Listed> = self.piece(self.header()?.all, "the list of rules")?;
        let mut rules = Vec::with_capacity(all.len());
        for listed in all {
            if let Some(entry) = self.entry(&listed.entry)? {
                rules.push((entry, self.piece(listed.examples, "the examples of a rule")?));
            }
        }
        Ok(rules)
    }

    /// Returns the rule; none if this layer has no authority for it.
    pub(super) fn entry(&self, at: &IndexEntry) -> Result<Option<Arc<Entry>>, Damaged> {
        let known = self.memo().entries.get(&at.record.offset).map(Arc::clone);
        let entry = match known {
            Some(entry) => entry,
            None => self.decode(at)?,
        };
        let loosens = match entry.rule.recommend {
            Recommendation::Allow | Recommendation::Approve => true,
            Recommendation::None | Recommendation::Reject | Recommendation::Deny => false,
        };
        Ok(Some(entry).filter(|_| !(loosens && self.authority == Authority::TightenOnly)))
    }

    fn decode(&self, at: &IndexEntry) -> Result<Arc<Entry>, Damaged> {
        let record: Record = self.piece(at.record, "a rule")?;
        let pack = self.packs()?.get(record.pack as usize);
        let pack = Arc::clone(pack.ok_or_else(|| self.damaged("the packs"))?);
        let order = (self.number, at.order);
        let rule = match self.authority {
            Authority::Policy | Authority::Owner => record.rule,
            Authority::TightenOnly => record.rule.untrusted(),
        };
        let entry = Arc::new(Entry { rule, pack, order, line: record.line });
        self.memo().entries.insert(at.record.offset, Arc::clone(&entry));
        Ok(entry)
    }

    /// Holds no promise that a panic could break: each insertion is whole.
    fn memo(&self) -> std::sync::MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
