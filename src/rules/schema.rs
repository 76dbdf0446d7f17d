//! How rules are written: the TOML of `rules/packs/README.md`, field by field.
//! Shared by the build script and the loader of owners' rules. What the fields mean together is checked by `check`.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, SeqAccess, Visitor, value};
use toml::Spanned;
use toml::value::Datetime;

use super::model::{EffectKind, FlowSource, PathClass, Permission, Severity};
use super::source::kebab;
use super::{FlowSink, Recommendation, Workspace};

/// One `[[rule]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRule {
    /// The unique name.
    pub id: Spanned<String>,
    /// How severe a match is; where `action` says what happens, that of the action unless it is written.
    pub severity: Option<Severity>,
    /// Why.
    pub reason: Spanned<String>,
    /// What happens at a match: in one word what `recommend` and `deny` say.
    #[serde(default)]
    pub action: Option<Spanned<WrittenAction>>,
    /// What a match does beyond its severity.
    #[serde(default)]
    pub recommend: Option<Spanned<WrittenRecommendation>>,
    /// The rules whose findings a rule that allows lowers.
    #[serde(default)]
    pub allows: Vec<Spanned<String>>,
    /// Whether a match is refused outright.
    #[serde(default)]
    pub deny: bool,
    /// What to do instead, in words.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// What to do instead, as a command line.
    #[serde(default)]
    pub instead: Option<String>,
    /// Program and subcommands.
    #[serde(default)]
    pub command: Vec<Spanned<String>>,
    /// Options.
    #[serde(default)]
    pub options: WrittenOptions,
    /// Operands.
    #[serde(default)]
    pub operands: WrittenOperands,
    /// Effects.
    #[serde(default)]
    pub effects: WrittenEffects,
    /// Targets of those effects.
    #[serde(default)]
    pub target: Option<Spanned<WrittenTarget>>,
    /// Variables set for the command.
    #[serde(default)]
    pub env: Vec<Spanned<String>>,
    /// Wrappers around the command.
    #[serde(default)]
    pub via: Vec<String>,
    /// Data that flows into the command.
    #[serde(default)]
    pub flow: Option<WrittenFlow>,
    /// The command that gets all that it prints.
    #[serde(default)]
    pub into: Option<Spanned<WrittenReceiver>>,
    /// The world.
    #[serde(default)]
    pub when: WrittenWhen,
    /// A regular expression over the line.
    #[serde(default)]
    pub text: Option<Spanned<String>>,
    /// A tree-sitter query over the line.
    #[serde(default)]
    pub query: Option<Spanned<String>>,
    /// Lines on which it must fire.
    #[serde(default)]
    pub matches: Vec<String>,
    /// Lines on which it must not.
    #[serde(default)]
    pub passes: Vec<String>,
}

/// `action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WrittenAction {
    /// As `recommend = "allow"`.
    Allow,
    /// As `recommend = "reject"`.
    Ask,
    /// As `deny = true`.
    Deny,
}

impl WrittenAction {
    /// Returns the severity where none is written.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Ask => Severity::Medium,
            Self::Allow | Self::Deny => Severity::High,
        }
    }
}

impl From<WrittenAction> for Recommendation {
    fn from(written: WrittenAction) -> Self {
        match written {
            WrittenAction::Allow => Self::Allow,
            WrittenAction::Ask => Self::Reject,
            WrittenAction::Deny => Self::Deny,
        }
    }
}

impl WrittenRule {
    /// Returns what `action` or `recommend` say; that a rule denies is said by `deny`, too.
    pub fn said(&self) -> Recommendation {
        let action = self.action.as_ref().map(|action| Recommendation::from(*action.get_ref()));
        let given = || self.recommend.as_ref().map(|given| Recommendation::from(*given.get_ref()));
        action.or_else(given).unwrap_or_default()
    }
}

/// `recommend`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "as in `Recommendation`")]
pub enum WrittenRecommendation {
    None,
    Reject,
    Approve,
    Allow,
}

impl From<WrittenRecommendation> for Recommendation {
    fn from(written: WrittenRecommendation) -> Self {
        match written {
            WrittenRecommendation::None => Self::None,
            WrittenRecommendation::Reject => Self::Reject,
            WrittenRecommendation::Approve => Self::Approve,
            WrittenRecommendation::Allow => Self::Allow,
        }
    }
}

/// `options`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Choice`")]
pub struct WrittenOptions {
    pub any: Vec<Spanned<String>>,
    pub all: Vec<Spanned<String>>,
    pub none: Vec<Spanned<String>>,
    pub only: Option<Vec<Spanned<String>>>,
}

/// `operands`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `Choice`")]
pub struct WrittenOperands {
    pub any: Vec<Spanned<String>>,
    pub all: Vec<Spanned<String>>,
    pub none: Vec<Spanned<String>>,
    pub count: Option<u32>,
    pub exactly: Option<Vec<Spanned<String>>>,
}

/// `effects`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WrittenEffects {
    /// One of these.
    pub any: Vec<EffectKind>,
    /// None but these.
    pub only: Vec<EffectKind>,
}

/// `target`: a list of classes, or a table.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "as in `TargetPattern`")]
pub struct WrittenTarget {
    pub class: Vec<PathClass>,
    pub path: Vec<Spanned<String>>,
    pub host: Vec<Spanned<String>>,
    pub name: Vec<Spanned<String>>,
}

/// `flow`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "as in `Flow`")]
pub struct WrittenFlow {
    pub from: FlowSource,
    pub to: FlowSink,
}

/// `into`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `WrittenRule`")]
pub struct WrittenReceiver {
    pub command: Vec<Spanned<String>>,
    pub options: WrittenOptions,
    pub operands: WrittenOperands,
}

/// `when`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `When`")]
pub struct WrittenWhen {
    pub branch: Option<Spanned<WrittenBranch>>,
    pub branch_operand: Option<Spanned<WrittenBranch>>,
    pub workspace: Option<Workspace>,
    pub directory: Vec<Spanned<String>>,
    pub caller: Vec<String>,
    pub permit: Option<Permission>,
    pub until: Option<Spanned<Datetime>>,
}

/// Branches: `"protected"`, one glob, or a list of globs.
#[derive(Debug)]
pub struct WrittenBranch(pub Vec<String>);

impl<'de> Deserialize<'de> for WrittenBranch {
    fn deserialize<D: de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(BranchVisitor)
    }
}

struct BranchVisitor;

impl<'de> Visitor<'de> for BranchVisitor {
    type Value = WrittenBranch;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"protected\", a glob or a list of globs")
    }

    fn visit_str<E: de::Error>(self, glob: &str) -> Result<WrittenBranch, E> {
        Ok(WrittenBranch(vec![glob.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<WrittenBranch, A::Error> {
        Vec::deserialize(value::SeqAccessDeserializer::new(list)).map(WrittenBranch)
    }
}

impl<'de> Deserialize<'de> for WrittenTarget {
    fn deserialize<D: de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TargetVisitor)
    }
}

struct TargetVisitor;

impl<'de> Visitor<'de> for TargetVisitor {
    type Value = WrittenTarget;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of path classes, or a table of `class`, `path`, `host`, `name`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<WrittenTarget, A::Error> {
        let class = Vec::deserialize(value::SeqAccessDeserializer::new(list))?;
        Ok(WrittenTarget { class, ..WrittenTarget::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenTarget, A::Error> {
        let mut target = WrittenTarget::default();
        while let Some(key) = map.next_key::<TargetKey>()? {
            match key {
                TargetKey::Class => target.class = map.next_value()?,
                TargetKey::Path => target.path = map.next_value()?,
                TargetKey::Host => target.host = map.next_value()?,
                TargetKey::Name => target.name = map.next_value()?,
            }
        }
        Ok(target)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum TargetKey {
    Class,
    Path,
    Host,
    Name,
}

/// Returns every key and every name that may stand in a pack, to find the one that was meant.
#[must_use]
pub fn names() -> Vec<String> {
    let keys = "pack summary rule id severity reason action recommend deny suggestion instead command options \
        operands effects target env via flow into when permit until text query matches passes any all none count class \
        path host name from to branch branch_operand workspace directory caller only exactly allow allows reject approve protected inside \
        outside download secret decode seen interpreter network delete agent";
    let mut names: Vec<String> = keys.split_whitespace().map(str::to_owned).collect();
    names.extend(Severity::ALL.iter().map(|severity| severity.name().to_owned()));
    names.extend(EffectKind::ALL.iter().map(kebab));
    names.extend(PathClass::ALL.iter().map(kebab));
    names
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::published::hold;
    use super::*;

    #[test]
    fn the_published_schema_has_the_readers_keys_and_words() {
        let schema: Value = serde_json::from_str(include_str!("../../schemas/rule.json")).unwrap();
        let rule = &schema["properties"]["rule"]["items"];
        assert!(hold::<WrittenRule>(rule, "", "", "") > 50);
        let classes = &rule["properties"]["target"]["anyOf"][0]["items"]["enum"];
        let all: Vec<String> = PathClass::ALL.iter().map(kebab).collect();
        assert_eq!(classes, &serde_json::json!(all));
    }
}
