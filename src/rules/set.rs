//! The rules in force: which of them a command has to be matched against, in order.
//! Matches nothing itself.

use std::collections::HashSet;
use std::sync::Arc;

use super::layout::{self, IndexEntry, LineBy};
use super::store::FORMAT;
use super::{Authority, Damaged, EffectMask, Entry, Examples, Layer, Pack, TooLarge, encode, glob};
use crate::model::UNTRUSTED;

/// The built-in packs, compiled when the program was built.
static BUILT_IN: [u8; include_bytes!(concat!(env!("OUT_DIR"), "/packs.bin")).len()] =
    *include_bytes!(concat!(env!("OUT_DIR"), "/packs.bin"));

/// Compiles packs, each with the file it was written in, to the bytes of a [`Layer`].
pub fn compile(packs: &[(Pack, Option<String>)]) -> Result<Vec<u8>, TooLarge> {
    encode::encode(packs, FORMAT)
}

/// The rules in force: the built-in ones, then owners'.
#[derive(Debug)]
pub struct RuleSet {
    layers: Vec<Layer>,
    disabled: HashSet<String>,
}

impl RuleSet {
    /// Returns the built-in rules.
    #[must_use]
    pub fn builtin() -> Self {
        Self::none().with_layer(Layer::new("guarded-sh", Box::new(&BUILT_IN[..]), Authority::Owner))
    }

    /// Returns no rules at all.
    #[must_use]
    pub fn none() -> Self {
        Self { layers: Vec::new(), disabled: HashSet::new() }
    }

    /// Returns these rules with those of `layer` behind them.
    #[must_use]
    pub fn with_layer(mut self, mut layer: Layer) -> Self {
        layer.number = self.layers.len();
        self.layers.push(layer);
        self
    }

    /// Returns these rules with those of `layer` in the place of the layer of the same name; behind them where there is none.
    #[must_use]
    pub fn with_layer_anew(mut self, mut layer: Layer) -> Self {
        let Some(at) = self.layers.iter().position(|own| own.name() == layer.name()) else {
            return self.with_layer(layer);
        };
        layer.number = at;
        self.layers[at] = layer;
        self
    }

    /// Returns these rules without those that have these ids.
    #[must_use]
    pub fn without(mut self, ids: impl IntoIterator<Item = String>) -> Self {
        self.disabled.extend(ids);
        self
    }

    /// Returns the rules about commands that may match a command, in pack order: those that name its program, or none.
    ///
    /// `words` are the program and its subcommands as the catalog names them, without directory; `has` is what the
    /// command has. What is returned must still be matched: this only leaves out what cannot match.
    pub fn candidates(&self, words: &[&str], has: &EffectMask) -> Result<Vec<Arc<Entry>>, Damaged> {
        let mut entries = Vec::new();
        let mut found: Vec<IndexEntry> = Vec::new();
        for layer in &self.layers {
            found.clear();
            if let Some(program) = words.first() {
                layer.keyed(&layout::key(program, None), &mut found)?;
                if let Some(sub) = words.get(1) {
                    layer.keyed(&layout::key(program, Some(sub)), &mut found)?;
                }
                let fits = layer.globs()?.iter().filter(|g| glob::text(&g.program, program));
                found.extend(fits.map(|glob| glob.entry));
            }
            layer.general(has, &mut found)?;
            found.retain(|entry| entry.needs.met_by(has));
            found.sort_unstable_by_key(|entry| entry.order);
            found.dedup_by_key(|entry| entry.order);
            for at in &found {
                entries.extend(self.enabled(layer.entry(at)?));
            }
        }
        Ok(entries)
    }

    /// Returns the rules that match a line by a regular expression, in pack order.
    pub fn text_rules(&self) -> Result<Vec<Arc<Entry>>, Damaged> {
        self.line_rules(|by| matches!(by, LineBy::Text))
    }

    /// Returns the rules that match a line by a query and name a node kind that the line has, in pack order.
    pub fn query_rules(&self, has_kind: impl Fn(&str) -> bool) -> Result<Vec<Arc<Entry>>, Damaged> {
        self.line_rules(|by| match by {
            LineBy::Text => false,
            LineBy::Query(kinds) => kinds.is_empty() || kinds.iter().any(|kind| has_kind(kind)),
        })
    }

    fn line_rules(&self, wanted: impl Fn(&LineBy) -> bool) -> Result<Vec<Arc<Entry>>, Damaged> {
        let mut entries = Vec::new();
        for layer in &self.layers {
            for line in layer.lines()?.iter().filter(|line| wanted(&line.by)) {
                entries.extend(self.enabled(layer.entry(&line.entry)?));
            }
        }
        Ok(entries)
    }

    /// Returns every rule in force with its examples, in pack order. Reads all of them: not for the way to exec.
    pub fn all(&self) -> Result<Vec<(Arc<Entry>, Examples)>, Damaged> {
        let mut rules = Vec::new();
        for layer in &self.layers {
            rules.extend(layer.all()?);
        }
        rules.retain(|(entry, _)| !self.is_disabled(&entry.rule.id));
        Ok(rules)
    }

    fn enabled(&self, entry: Option<Arc<Entry>>) -> Option<Arc<Entry>> {
        entry.filter(|entry| self.disabled.is_empty() || !self.is_disabled(&entry.rule.id))
    }

    /// Returns whether the owner disabled a rule, by its id or, where nobody trusted it, by the id that it gave itself.
    fn is_disabled(&self, id: &str) -> bool {
        self.disabled.contains(id)
            || id.strip_prefix(UNTRUSTED).is_some_and(|own| self.disabled.contains(own))
    }
}
