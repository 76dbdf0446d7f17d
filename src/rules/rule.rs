//! A rule as policy matches it: the compiled form of one `[[rule]]`.
//! Plain data. How it is written is `schema`, how it is stored is `store`.

use serde::{Deserialize, Serialize};

use super::model::{EffectKind, FlowSource, PathClass, Permission, Severity, UNTRUSTED};

/// What a rule says about the commands that it matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The unique name, which begins with the pack's.
    pub id: String,
    /// How severe a match is.
    pub severity: Severity,
    /// What a match does beyond its severity.
    pub recommend: Recommendation,
    /// Why, in plain words.
    pub reason: String,
    /// What to do instead, in plain words.
    pub suggestion: Option<String>,
    /// A command line that does the job with less harm.
    pub instead: Option<String>,
    /// Of a rule that allows: globs on the rules whose findings it lowers ([`super::glob::text`]).
    pub allows: Vec<String>,
    /// What must hold, all of it.
    pub conditions: Conditions,
}

/// Characters of a reason that is not trusted that are told.
const TOLD: usize = 200;

impl Rule {
    /// Returns the rule as one that nobody trusted, as that of a repository that was cloned: it adds its severity, and its reason as the word
    /// of one who is not trusted. It advises nothing, and refuses nothing: at most, it asks.
    #[must_use]
    pub(super) fn untrusted(self) -> Self {
        let reason: String = self.reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let told: String = reason.chars().take(TOLD).collect();
        let cut = if told.len() < reason.len() { "…" } else { "" };
        Self {
            id: format!("{UNTRUSTED}{}", self.id),
            recommend: self.recommend.min(Recommendation::Reject),
            reason: format!("a rule that is not trusted says: {told}{cut}"),
            suggestion: None,
            instead: None,
            ..self
        }
    }
}

/// What a match does beyond its severity. Ordered by restrictiveness.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Recommendation {
    /// Lowers findings of the command that the rule names, up to its severity; never a critical one, never over a refusal.
    Allow,
    /// Settles what the catalog does not know of the command at the rule's severity; never lowers another finding.
    Approve,
    /// Nothing: the severity decides.
    #[default]
    None,
    /// Asks, whatever the thresholds say.
    Reject,
    /// Refuses; nobody is asked.
    Deny,
}

/// What must hold for a rule to match. An absent condition holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The program, then the first subcommands: globs of which one must match at each position ([`super::glob::text`]).
    pub command: Vec<Vec<String>>,
    /// Options in any of their spellings.
    pub options: Choice<OptionPattern>,
    /// No option but these; a pattern without a value is an option without one. What is not known may be another.
    pub options_only: Option<Vec<OptionPattern>>,
    /// Globs on known operands ([`super::glob::text`]).
    pub operands: Choice<String>,
    /// How many operands there are.
    pub operand_count: Option<u32>,
    /// The operands are these and no others, in this order: a glob for each.
    pub operands_exactly: Option<Vec<String>>,
    /// One effect of the command is of one of these kinds, …
    pub effects: Vec<EffectKind>,
    /// Every effect of the command is of one of these kinds, …
    pub effects_only: Vec<EffectKind>,
    /// … and the target of that very effect, or of every one, is one of these.
    pub target: Option<TargetPattern>,
    /// Globs `NAME=VALUE` of which one matches a variable set for the command ([`super::glob::text`]).
    pub env: Vec<String>,
    /// Wrappers of which one holds the command.
    pub via: Vec<String>,
    /// Data flows from such a command into this one, which is of such a kind.
    pub flow: Option<Flow>,
    /// All that it prints goes to such a command, and to nothing else.
    pub into: Option<Receiver>,
    /// What must hold of the world.
    pub when: When,
    /// A regular expression over the whole line; with it stands nothing but `when`.
    pub text: Option<String>,
    /// A tree-sitter query over the whole line; with it stands nothing but `when`.
    pub query: Option<String>,
}

impl Conditions {
    /// Returns whether they are about the line as a whole, and not about its commands.
    #[must_use]
    pub const fn are_of_line(&self) -> bool {
        self.text.is_some() || self.query.is_some()
    }
}

/// Which of the things that a command has must, or must not, be there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice<T> {
    /// At least one of these, if there are any.
    pub any: Vec<T>,
    /// Every one of these.
    pub all: Vec<T>,
    /// None of these. What is not known may be one of them, so then this does not hold.
    pub none: Vec<T>,
}

impl<T> Default for Choice<T> {
    fn default() -> Self {
        Self { any: Vec::new(), all: Vec::new(), none: Vec::new() }
    }
}

impl<T> Choice<T> {
    /// Returns whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.all.is_empty() && self.none.is_empty()
    }
}

/// An option, and perhaps its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionPattern {
    /// One of its spellings, dashes included; may hold `*`.
    pub name: String,
    /// A glob that the value matches ([`super::glob::text`]).
    pub value: Option<String>,
}

/// Targets: one of the classes, or one of the paths, or one of the hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetPattern {
    /// Classes of paths.
    pub class: Vec<PathClass>,
    /// Globs on paths; `~` is the home ([`super::glob::path`]).
    pub path: Vec<String>,
    /// Globs on host names ([`super::glob::text`]).
    pub host: Vec<String>,
    /// Globs on targets that are neither: packages, branches, services ([`super::glob::text`]).
    pub name: Vec<String>,
}

/// Data that flows from one command into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// What the data comes from.
    pub from: FlowSource,
    /// What the command that gets it is.
    pub to: FlowSink,
}

/// What a command that gets data does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowSink {
    /// Runs it as code.
    Interpreter,
    /// Builds, tests or runs the workspace in whose files it stands.
    Build,
    /// Writes it to a file that stays.
    File,
    /// Keeps all of it in memory before it does anything.
    Memory,
    /// Sends it to a host.
    Network,
    /// Deletes what it names.
    Delete,
}

/// A command that gets what another prints, itself or through commands that do nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receiver {
    /// As [`Conditions::command`].
    pub command: Vec<Vec<String>>,
    /// As [`Conditions::options`].
    pub options: Choice<OptionPattern>,
    /// As [`Conditions::options_only`].
    pub options_only: Option<Vec<OptionPattern>>,
    /// As [`Conditions::operands_exactly`].
    pub operands_exactly: Option<Vec<String>>,
}

/// What must hold of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    /// The branch that is checked out.
    pub branch: Option<BranchPattern>,
    /// An operand names such a branch (also `HEAD:BRANCH`, `+BRANCH`, `refs/heads/BRANCH`).
    pub branch_operand: Option<BranchPattern>,
    /// Where the working directory is.
    pub workspace: Option<Workspace>,
    /// The working directory, wherever the line may be then: globs on paths ([`super::glob::path`]).
    pub directory: Vec<String>,
    /// `agent` (any agent) or agents' names.
    pub caller: Vec<String>,
    /// What the owner has switched on.
    pub permit: Option<Permission>,
    /// The time from which it holds no more, in UTC as RFC 3339 writes it in whole seconds: such texts are in the order of time.
    pub until: Option<String>,
}

/// Which branches are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BranchPattern {
    /// Those that the owner protects.
    Protected,
    /// Those that match one of these globs ([`super::glob::text`]).
    Globs(Vec<String>),
}

/// Where the working directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Workspace {
    /// Inside one of the workspaces.
    Inside,
    /// Outside all of them, or not known.
    Outside,
}

/// The lines that a rule brings to show what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// Lines on which it must fire.
    pub matches: Vec<String>,
    /// Lines on which it must not.
    pub passes: Vec<String>,
}
