//! What of a plan was permitted, and so what its line needs beyond what every line may do.
//! Looks at no file: where things are is found out by `domain`.

use super::Line;
use super::signing::Signing;
use super::table::{self, Tool};
use crate::decision::Authority;
use crate::model::{Effect, EffectKind, PathClass, Severity, Target};
use crate::policy::Assessment;
use crate::reading::{Plan, PlannedCommand};

/// What a line needs.
#[derive(Debug, Default)]
pub(super) struct Needs<'p> {
    /// The programs of the line that keep something for themselves.
    pub(super) tools: Vec<&'static Tool>,
    /// Those that what it runs may start.
    pub(super) indirect: Vec<&'static Tool>,
    /// Effects on files that were permitted.
    pub(super) files: Vec<FileNeed<'p>>,
    /// Paths that it names and that nobody permitted.
    pub(super) refused: Vec<&'p str>,
    /// Why its writing cannot be held.
    pub(super) writes_freely: Option<&'static str>,
    /// Why its reading cannot be held.
    pub(super) reads_freely: Option<&'static str>,
    /// Whether it connects or listens by TCP.
    pub(super) tcp: bool,
    /// Whether it signals processes that it did not start.
    pub(super) signals: bool,
    /// Whether a score alone let something run beside the programs that count alone.
    has_others: bool,
}

/// A permitted effect on a file.
#[derive(Debug)]
pub(super) struct FileNeed<'p> {
    pub(super) kind: EffectKind,
    pub(super) path: &'p str,
    pub(super) class: PathClass,
    /// The shell itself opens it, for a redirection: nothing is put in its place.
    pub(super) is_opened: bool,
}

/// A reason why a line runs without a domain, or what is told before it runs.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It runs without.
    Released(String),
    /// It runs in one, where this program fails.
    Fails(String),
}

/// Returns what is to be done about programs of a line that cannot live in a domain.
#[must_use]
pub fn misfit(plan: &Plan, assessment: &Assessment, authority: Authority) -> Option<Misfit> {
    let cannot = |command: &&PlannedCommand| {
        table::cannot(command) || command.effects.iter().any(|effect| is_privileged(effect.kind))
    };
    let first = plan.commands.iter().find(cannot)?;
    let name = first.program().unwrap_or("a program").to_owned();
    let is_alone = plan.commands.iter().all(|command| cannot(&command));
    let is_low = assessment.severity == Severity::Low;
    if is_word(authority) || (is_alone && is_low && plan.opaque.is_empty()) {
        return Some(Misfit::Released(format!("{name} gains privileges or makes a sandbox")));
    }
    Some(Misfit::Fails(name))
}

/// Up to which severity of a command an authority permits the effects that the plan names. A score that reached the threshold permits none beyond
/// those of harmless commands.
const fn permits(authority: Authority) -> Severity {
    match authority {
        Authority::Person
        | Authority::Session
        | Authority::Always
        | Authority::Grant
        | Authority::Inherited
        | Authority::Client => Severity::Critical,
        Authority::Model => Severity::Medium,
        Authority::Policy | Authority::System | Authority::Shadow => Severity::Low,
    }
}

/// Whether somebody said yes to the very line, or to what covers it: then that permits, too, what its plan does not name.
fn is_word(authority: Authority) -> bool {
    permits(authority) == Severity::Critical
}

const fn is_privileged(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Privilege | EffectKind::Mount)
}

/// What an effect needs that names no file.
enum Reach {
    /// Nothing.
    None,
    /// Hosts.
    Hosts,
    /// Whatever the code needs that it runs.
    Code,
    /// Processes that it did not start.
    Processes,
    /// Secrets.
    Secrets,
    /// Files that no effect names.
    Anywhere,
}

const fn reach(kind: EffectKind) -> Reach {
    match kind {
        EffectKind::List
        | EffectKind::Read
        | EffectKind::Write
        | EffectKind::Append
        | EffectKind::Delete
        | EffectKind::Empty
        | EffectKind::DeleteTree
        | EffectKind::Permission
        | EffectKind::PermissionTree
        | EffectKind::Move
        | EffectKind::Decode
        | EffectKind::Endless
        | EffectKind::Unpack
        | EffectKind::LoseWork
        | EffectKind::ShellState => Reach::None,
        EffectKind::Connect
        | EffectKind::Fetch
        | EffectKind::Send
        | EffectKind::Listen
        | EffectKind::Remote
        | EffectKind::Publish
        | EffectKind::RewriteShared
        | EffectKind::Container
        | EffectKind::CloudRead
        | EffectKind::CloudChange
        | EffectKind::CloudDestroy
        | EffectKind::DatabaseRead
        | EffectKind::DatabaseChange
        | EffectKind::DatabaseDestroy => Reach::Hosts,
        // What adds to version control runs hooks, and fetches.
        EffectKind::Execute
        | EffectKind::Install
        | EffectKind::Build
        | EffectKind::Interact
        | EffectKind::Commit
        | EffectKind::Unknown => Reach::Code,
        EffectKind::Signal => Reach::Processes,
        EffectKind::Disclose => Reach::Secrets,
        EffectKind::Mount
        | EffectKind::Configure
        | EffectKind::Privilege
        | EffectKind::System
        | EffectKind::Halt
        | EffectKind::Persist => Reach::Anywhere,
    }
}

impl<'p> Needs<'p> {
    /// Returns what a line needs of which this was found, and which was let run so.
    pub(super) fn of(line: &Line<'p>) -> Self {
        let Line { plan, assessment, authority, layers } = *line;
        let mut needs = Self::default();
        if !layers.is_empty() {
            // What is not known of it may be whatever code does.
            needs.runs_code();
        }
        for (index, command) in plan.commands.iter().enumerate() {
            let severity = assessment.commands.get(index).map(|one| one.severity);
            needs.add(command, severity.unwrap_or(Severity::Critical), authority);
        }
        if !plan.opaque.is_empty() {
            needs.tcp |= is_word(authority);
            needs.has_others |= !is_word(authority);
        }
        if needs.indirect.is_empty() {
            return needs;
        }
        let direct = &needs.tools;
        needs.indirect.retain(|tool| !direct.contains(tool));
        needs
    }

    /// Takes out the tools whose own this line may not use.
    pub(super) fn choose(&mut self, signing: Option<&Signing>) {
        let signs = signing == Some(&Signing::Gpg);
        let is_alone = !self.has_others && self.indirect.is_empty();
        self.tools.retain(|tool| (signs || !tool.signs) && (is_alone || !tool.alone));
    }

    fn add(&mut self, command: &'p PlannedCommand, severity: Severity, authority: Authority) {
        let (is_word, is_permitted) = (is_word(authority), severity <= permits(authority));
        for tool in table::tools(command) {
            if !self.tools.contains(&tool) {
                self.tools.push(tool);
            }
            if tool.code {
                self.runs_code();
            }
        }
        self.has_others |= !is_permitted && !table::tools(command).any(|tool| tool.alone);
        if is_word && severity > Severity::Low && table::is_everywhere(command) {
            self.writes_freely = Some("it writes for the whole machine or user");
        }
        if is_permitted && (command.runs_input || !command.unknown.is_empty()) {
            self.runs_code();
        }
        for (index, effect) in command.effects.iter().enumerate() {
            // An owner whose threshold lets cautious lines run lets them use the network too.
            if is_permitted || severity == Severity::Medium {
                self.add_reach(effect.kind, is_permitted, is_word);
            }
            self.add_file(effect, index < command.opened, is_permitted, is_word);
        }
    }

    /// What a line is let do without a word is as narrow as its plan says: who puts a harmless command beside others loosens nothing for these.
    fn add_reach(&mut self, kind: EffectKind, is_permitted: bool, is_word: bool) {
        match reach(kind) {
            Reach::None => {}
            Reach::Hosts => self.tcp = true,
            Reach::Code => self.runs_code(),
            _ if !is_permitted => {}
            Reach::Processes => self.signals = true,
            _ if !is_word => {}
            Reach::Secrets => self.reads_freely = Some("it prints secrets"),
            Reach::Anywhere => {
                self.writes_freely = Some("what it changes is not told by files");
                self.tcp = true;
            }
        }
    }

    fn add_file(&mut self, effect: &'p Effect, is_opened: bool, is_permitted: bool, is_word: bool) {
        let Target::Path { path, class } = &effect.target else { return };
        match (path, is_permitted) {
            (Some(path), true) => {
                let (kind, class) = (effect.kind, *class);
                self.files.push(FileNeed { kind, path, class, is_opened });
            }
            (Some(path), false) => self.refused.push(path),
            (None, _) if *class == PathClass::NetworkDevice => self.tcp = true,
            (None, true) if is_word && effect.kind.changes_files() => {
                self.writes_freely = Some("which file it changes is only known when it runs");
            }
            (None, true) if is_word && effect.kind == EffectKind::Read => {
                self.reads_freely = Some("which file it reads is only known when it runs");
            }
            (None, _) => {}
        }
    }

    fn runs_code(&mut self) {
        self.tcp = true;
        if self.indirect.is_empty() {
            self.indirect.extend(table::built_with());
        }
    }
}
