//! The words that every part of guarded-sh shares: severities, actions, effects, facts.
//! Plain data: nothing here reads the world or decides anything.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod action;
mod address;
mod argument;
mod client;
mod effect;
mod facts;
mod finding;
mod forward;
mod git_settings;
mod head;
mod held;
mod highlight;
mod hook_call;
mod invocation;
mod kept;
mod language;
mod layers;
mod money;
mod opaque;
mod opinion;
mod patch;
mod path_class;
mod pause;
mod permission;
mod program_trait;
mod proxied;
mod pushed;
mod question;
mod ran;
mod recent;
mod runner;
mod severity;
mod span;
mod spent;
mod trying;
mod undo;
mod url;

pub use action::{Action, Mode, Profile, Programs, Whose};
pub use address::{is_this_machine, numeric_address};
pub use argument::{Arg, NAMES, TRACKED};
pub use client::{CLIENT, Client, Consent, Ended};
pub use effect::{Effect, EffectKind, Target, TargetKind};
pub use facts::{
    Caller, Entry, EntryKind, Facts, GitFacts, ParentAgent, Real, Repository, StandardInput,
};
pub use finding::{Finding, UNTRUSTED};
pub use forward::Forward;
pub use git_settings::{GitSetting, RUN_BY_GIT, git_settings};
pub use head::head;
pub use held::{Denial, Doing, Fence, Held, HeldBy, Stopped};
pub use highlight::HighlightKind;
pub use hook_call::{hook_call, refusing_without};
pub use invocation::{
    DIRECT, Direct, RealShell, Setting, Shell, ShellInvocation, ShellMode, StartUp, Switch, Wanted,
};
pub use kept::{SYSTEM_RECORD, kept, without_kept};
pub use language::{Dialect, Language};
pub use layers::{Contain, Layer, Layers, Over};
pub use money::Money;
pub use opaque::{Opaque, Reason};
pub use opinion::{Heard, ModelMode, Note, Opinion, Verdict};
pub use patch::{bare, patched_file};
pub use path_class::PathClass;
pub use pause::{Paused, PausedBy};
pub use permission::Permission;
pub use program_trait::ProgramTrait;
pub use proxied::{AskedHost, WireProxied};
pub use pushed::{Followed, Pushed, Removes};
pub use question::{Answer, Covers, Passed, Proof, Question, Scope};
pub use ran::{Begun, Foreseen, Ran, RanLine};
pub use recent::{FlowSource, Print, Recent, Trace, Traces};
pub use runner::Runner;
pub use severity::{Category, Score, Severity};
pub use span::Span;
pub use spent::Spent;
pub use trying::{Trial, Trying};
pub use undo::{AtStake, Undo};
pub use url::{path_of_url, read_numbers};
