//! Checked packs to the bytes that `layout` describes.
//! Shared by the build script and the loader of owners' rules; checks nothing about the rules.

use std::collections::BTreeMap;

use serde::Serialize;

use super::layout::{
    self, Bucket, GlobEntry, Group, Header, IndexEntry, LARGEST, LineBy, LineEntry, Listed,
    PackRecord, Record, Slice,
};
use super::query::node_kinds;
use super::{Conditions, Needs, Pack, PackRule};

/// The rules do not fit into the compiled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Encodes packs, each with the file it was written in; `format` is what the header will say.
pub fn encode(packs: &[(Pack, Option<String>)], format: u32) -> Result<Vec<u8>, TooLarge> {
    let mut writer = Writer::default();
    for (number, (pack, _)) in packs.iter().enumerate() {
        for rule in &pack.rules {
            writer.rule(rule, u32::try_from(number).map_err(|_| TooLarge)?)?;
        }
    }
    let records: Vec<PackRecord> =
        packs.iter().map(|(pack, file)| record(pack, file.clone())).collect();
    writer.finish(&records, format)
}

fn record(pack: &Pack, file: Option<String>) -> PackRecord {
    let (name, summary) = (pack.name.clone(), pack.summary.clone());
    PackRecord { name, summary, every: pack.every, file }
}

struct Writer {
    bytes: Vec<u8>,
    keys: BTreeMap<String, Vec<IndexEntry>>,
    globs: Vec<GlobEntry>,
    general: BTreeMap<Needs, Vec<IndexEntry>>,
    lines: Vec<LineEntry>,
    all: Vec<Listed>,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            bytes: vec![0; Header::SIZE as usize],
            keys: BTreeMap::new(),
            globs: Vec::new(),
            general: BTreeMap::new(),
            lines: Vec::new(),
            all: Vec::new(),
        }
    }
}

impl Writer {
    fn rule(&mut self, written: &PackRule, pack: u32) -> Result<(), TooLarge> {
        let conditions = &written.rule.conditions;
        let record = Record { rule: written.rule.clone(), pack, line: written.line };
        let entry = IndexEntry {
            order: u32::try_from(self.all.len()).map_err(|_| TooLarge)?,
            record: self.put(&record)?,
            needs: Needs::of(conditions),
        };
        let examples = self.put(&written.examples)?;
        self.all.push(Listed { entry, examples });
        if conditions.text.is_some() {
            self.lines.push(LineEntry { entry, by: LineBy::Text });
        } else if let Some(query) = &conditions.query {
            self.lines.push(LineEntry { entry, by: LineBy::Query(node_kinds(query)) });
        } else {
            self.index(conditions, entry);
        }
        Ok(())
    }

    fn index(&mut self, conditions: &Conditions, entry: IndexEntry) {
        let Some(programs) = conditions.command.first() else {
            return self.general.entry(entry.needs).or_default().push(entry);
        };
        // A subcommand narrows the key only where each of its names is one text.
        let subcommands =
            conditions.command.get(1).filter(|names| names.iter().all(|n| is_plain(n)));
        for program in programs {
            if !is_plain(program) {
                self.globs.push(GlobEntry { program: program.clone(), entry });
                continue;
            }
            let keys = match subcommands {
                Some(names) => names.iter().map(|sub| layout::key(program, Some(sub))).collect(),
                None => vec![layout::key(program, None)],
            };
            for key in keys {
                self.keys.entry(key).or_default().push(entry);
            }
        }
    }

    fn put(&mut self, value: &impl Serialize) -> Result<Slice, TooLarge> {
        let offset = u32::try_from(self.bytes.len()).map_err(|_| TooLarge)?;
        // Into memory, of types without maps or unsized parts: only running out of memory could fail.
        let bytes = postcard::to_stdvec(value).map_err(|_| TooLarge)?;
        let len = u32::try_from(bytes.len()).map_err(|_| TooLarge)?;
        let sum = crc32fast::hash(&bytes);
        self.bytes.extend(bytes);
        if self.bytes.len() > LARGEST { Err(TooLarge) } else { Ok(Slice { offset, len, sum }) }
    }

    fn finish(mut self, packs: &[PackRecord], format: u32) -> Result<Vec<u8>, TooLarge> {
        let (globs, general) = (std::mem::take(&mut self.globs), std::mem::take(&mut self.general));
        let (lines, all) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.all));
        let keys = std::mem::take(&mut self.keys);
        let mut groups = Vec::with_capacity(general.len());
        for (needs, entries) in general {
            groups.push(Group { needs, entries: self.put(&entries)? });
        }
        let buckets =
            u32::try_from(keys.len().div_ceil(4).next_power_of_two()).map_err(|_| TooLarge)?;
        let mut header = Header {
            format,
            buckets,
            packs: self.put(&packs)?,
            globs: self.put(&globs)?,
            general: self.put(&groups)?,
            lines: self.put(&lines)?,
            all: self.put(&all)?,
            ..Header::default()
        };
        let mut filled: Vec<Bucket> = vec![Bucket::new(); buckets as usize];
        for (key, entries) in keys {
            filled[header.bucket(&key) as usize].push((key, entries));
        }
        let slices: Vec<Slice> =
            filled.iter().map(|bucket| self.put(bucket)).collect::<Result<_, _>>()?;
        header.directory = u32::try_from(self.bytes.len()).map_err(|_| TooLarge)?;
        for (number, slice) in (0..buckets).zip(slices) {
            self.bytes.extend(layout::directory_entry(number, slice));
        }
        header.size = u32::try_from(self.bytes.len()).map_err(|_| TooLarge)?;
        self.bytes[..Header::SIZE as usize].copy_from_slice(&header.to_bytes());
        Ok(self.bytes)
    }
}

/// Returns whether a pattern matches only itself.
fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', ']', '{', '}', '\\'])
}
