//! Puts names, records and tables one behind the other. What is the same stands there once.

use std::collections::HashMap;

use serde::Serialize;

use crate::catalog::compiled::{Blob, Header, Table};

/// Bytes of the header: four numbers.
const HEADER: usize = 16;

pub(super) struct Writer {
    bytes: Vec<u8>,
    places: HashMap<Vec<u8>, u32>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { bytes: vec![0; HEADER], places: HashMap::new() }
    }
}

impl Writer {
    /// The catalog is data of this repository: far below four gigabytes.
    fn here(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    fn put(&mut self, bytes: Vec<u8>) -> u32 {
        if let Some(at) = self.places.get(&bytes) {
            return *at;
        }
        let at = self.here();
        self.bytes.extend_from_slice(&bytes);
        self.places.insert(bytes, at);
        at
    }

    /// Appends a record.
    pub(super) fn record(&mut self, record: &impl Serialize) -> Result<u32, String> {
        postcard::to_stdvec(record).map(|bytes| self.put(bytes)).map_err(|error| error.to_string())
    }

    /// Appends a table; exact names come in order.
    pub(super) fn table(&mut self, entries: impl IntoIterator<Item = (String, u32)>) -> Table {
        let mut rows = Vec::new();
        let mut len = 0;
        for (name, record) in entries {
            let size = u32::try_from(name.len()).unwrap_or(u32::MAX);
            for field in [self.put(name.into_bytes()), size, record] {
                rows.extend_from_slice(&field.to_le_bytes());
            }
            len += 1;
        }
        debug_assert_eq!(rows.len(), len as usize * Blob::ENTRY);
        Table { at: self.put(rows), len }
    }

    pub(super) fn finish(mut self, header: Header) -> Vec<u8> {
        let fields = [header.names.at, header.names.len, header.globs.at, header.globs.len];
        for (chunk, field) in self.bytes[..HEADER].chunks_exact_mut(4).zip(fields) {
            chunk.copy_from_slice(&field.to_le_bytes());
        }
        self.bytes
    }
}
