//! Where data goes: which commands get what was downloaded, decoded or read from secrets.

use std::collections::HashSet;

use crate::model::{Arg, EffectKind, FlowSource, PathClass, ProgramTrait, Target, Traces};
use crate::reading::{Flow, FlowKind, Plan, PlannedCommand, Way};
use crate::recipes::{is_found_by_runners, is_own_remote, is_proposal, is_trunk};
use crate::rules::{Flow as Condition, FlowSink};

/// What reaches a command, as bits of [`FlowSource`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint {
    /// What it gets as data.
    data: u16,
    /// What stands in the files of the workspace that it builds, tests or runs.
    code: u16,
}

impl Taint {
    const fn bit(source: FlowSource) -> u16 {
        match source {
            FlowSource::Download => 1,
            FlowSource::Secret => 2,
            FlowSource::Decode => 4,
            FlowSource::Any => 8,
            FlowSource::Seen => 16,
            FlowSource::Work => 32,
            FlowSource::Endless => 64,
        }
    }

    const fn has(self, source: FlowSource) -> bool {
        self.data & Self::bit(source) != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.data | self.code == 0
    }
}

/// Returns what reaches each command of the plan.
pub(super) fn taints(plan: &Plan) -> Vec<Taint> {
    let own: Vec<u16> = plan.commands.iter().map(sources).collect();
    let mut taints = vec![0u16; plan.commands.len()];
    for recalled in plan.recalled.files.iter().filter(|recalled| recalled.way != Way::Builds) {
        taints[recalled.file.command] |= bits(&recalled.sources);
    }
    let is_endless = own.iter().any(|own| own & ENDLESS != 0);
    // Data goes forward along pipes and out of substitutions: it settles in a few rounds.
    loop {
        let mut changed = false;
        let mut add = |taints: &mut Vec<u16>, index: usize, bits: u16| {
            if let Some(taint) = taints.get_mut(index)
                && *taint | bits != *taint
            {
                *taint |= bits;
                changed = true;
            }
        };
        for flow in &plan.flows {
            let bits = flow
                .from
                .clone()
                .filter_map(|index| {
                    let bits = own.get(index)? | taints.get(index)?;
                    let ends = bits & ENDLESS != 0 && !hands_on(plan, flow, index, own[index]);
                    Some(if ends { bits & !(ENDLESS | ONE_LINE) } else { bits })
                })
                .fold(Taint::bit(FlowSource::Any), |all, bits| all | bits);
            let is_words = flow.kind == FlowKind::Substitution && bits & ENDLESS != 0;
            let bits = if is_words { bits | IN_WORDS } else { bits };
            let is_loop = bits & ENDLESS != 0 && reads_line_by_line(plan, flow);
            let bits = if is_loop { bits | CARRIES } else { bits };
            for index in flow.to.clone() {
                add(&mut taints, index, bits);
            }
        }
        for (index, command) in plan.commands.iter().enumerate() {
            if let Some(parent) = command.parent {
                let bits = taints[parent];
                add(&mut taints, index, bits);
            }
        }
        if !changed {
            break;
        }
    }
    let mut seen = plan.recalled.secrets.is_some();
    for (taint, own) in taints.iter_mut().zip(&own) {
        if seen {
            *taint |= Taint::bit(FlowSource::Seen);
        }
        seen |= own & Taint::bit(FlowSource::Secret) != 0;
    }
    let code = code(plan, &own, &taints);
    if is_endless {
        for carrier in endless_below(plan, &own) {
            taints[carrier] |= ENDLESS | CARRIES;
        }
        for (taint, own) in taints.iter_mut().zip(&own) {
            *taint |= own & (ENDLESS | ONE_LINE);
        }
    }
    taints.into_iter().zip(code).map(|(data, code)| Taint { data, code }).collect()
}

const ENDLESS: u16 = Taint::bit(FlowSource::Endless);

/// What it carries prints where its own output goes.
const CARRIES: u16 = 128;

/// What comes without end, the shell makes into words of it.
const IN_WORDS: u16 = 256;

/// What comes without end is one line.
const ONE_LINE: u16 = 512;

/// The commands whose output takes what others print without end: those that carry these (`nohup`), and an `exec` before them that
/// leads the output of the shell elsewhere.
fn endless_below(plan: &Plan, own: &[u16]) -> Vec<usize> {
    let leads = |command: &PlannedCommand| {
        let mut words = command.argv.iter().map(Arg::known);
        words.next() == Some(Some("exec")) && words.next().is_none()
    };
    let mut found = Vec::new();
    for index in (0..own.len()).filter(|index| own[*index] & ENDLESS != 0) {
        let is_taken = plan.flows.iter().any(|flow| flow.from.contains(&index));
        if is_taken || is_bounded(plan, index) {
            continue;
        }
        found.extend(std::iter::successors(plan.commands[index].parent, |at| {
            plan.commands[*at].parent
        }));
        found.extend((0..index).filter(|before| leads(&plan.commands[*before])));
    }
    found
}

/// Files without an end.
const ENDLESS_FILES: &[&str] = &["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Those of them in which no line ends.
const ONE_LINE_FILES: &[&str] = &["/dev/zero", "/dev/full"];

/// Whether what comes to a command without end leaves it so by a flow: it is a filter that knows no bound, and its output goes to
/// no other command before.
fn hands_on(plan: &Plan, flow: &Flow, index: usize, own: u16) -> bool {
    let goes_elsewhere = plan.flows.iter().any(|other| {
        other.kind == FlowKind::Pipe
            && other.from.contains(&index)
            && flow.from.contains(&other.to.start)
    });
    let command = &plan.commands[index];
    let is_filter = command.interpretation.reads_input || command.argv.is_empty();
    !goes_elsewhere && (own & ENDLESS != 0 || is_filter) && !is_bounded(plan, index)
}

/// Whether what gets the data takes it by lines in a loop that nothing leaves (`while read`).
fn reads_line_by_line(plan: &Plan, flow: &Flow) -> bool {
    let is = |index: usize, names: &[&str]| {
        let name = plan.commands.get(index).and_then(|it| it.argv.first()?.known());
        name.is_some_and(|name| names.contains(&name))
    };
    let mut to = flow.to.clone();
    to.len() > 1 && is(to.start, &["read"]) && !to.any(|at| is(at, &["break", "exit", "return"]))
}

/// Whether a command, or one that carries it (`timeout`), takes so much and no more.
fn is_bounded(plan: &Plan, index: usize) -> bool {
    let carriers = std::iter::successors(Some(index), |index| plan.commands[*index].parent);
    carriers.into_iter().any(|index| plan.commands[index].interpretation.is_bounded)
}

/// Whether a command reads one of these files, which have no end, to the last: as an operand, or from standard input.
fn reads_without_end(command: &PlannedCommand, files: &[&str]) -> bool {
    let interpretation = &command.interpretation;
    let is_endless = |path: &str| files.contains(&path);
    // An address may name a file, too (`file:///dev/zero`).
    let is_named = |word: &str| is_endless(word.strip_prefix("file://").unwrap_or(word));
    // Few are endless: the operands are looked through for those only.
    let mut endless = interpretation.touches.iter().filter(|touch| {
        let known = touch.target.as_ref().and_then(Arg::known);
        matches!(touch.kind, EffectKind::Read | EffectKind::Fetch) && known.is_some_and(is_named)
    });
    let is_operand = |index| interpretation.operands.iter().any(|(at, _)| Some(*at) == index);
    endless.any(|touch| is_operand(touch.index))
        || (interpretation.reads_input || command.argv.is_empty())
            && command.effects.iter().any(|effect| {
                effect.kind == EffectKind::Read
                    && matches!(&effect.target, Target::Path { path: Some(path), .. } if is_endless(path))
                    && !interpretation.touches.iter().any(|touch| {
                        touch.kind == EffectKind::Read
                            && touch.target.as_ref().and_then(Arg::known).is_some_and(is_endless)
                    })
            })
}

/// Endings of files that no build, test or tool runs, and those that may hold a tool's settings unless they are called so.
const DATA: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "bmp", "tiff", "svg", "pdf", "woff",
    "woff2", "ttf", "otf", "eot", "mp3", "mp4", "webm", "ogg", "wav", "flac", "css", "txt", "out",
    "csv", "tsv", "parquet", "log", "md", "rst", "adoc", "diff", "patch", "pem", "crt", "key",
    "json", "jsonl", "ndjson", "gz", "xz", "bz2", "zst", "zip", "tgz", "tar", "b64",
];

/// Names of data that tools take their settings from.
const SETTINGS: &[&str] = &[
    "package",
    "composer",
    "deno",
    "config",
    "rc.json",
    "project",
    "task",
    "launch",
    "turbo",
    "nx",
    "lerna",
    "plugin",
    "CMakeLists",
    "requirements",
    "constraints",
    "meson",
];

/// Whether what stands in a file may be run where its workspace is built, tested or run.
fn may_be_run(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, ending)) = name.rsplit_once('.') else { return true };
    let is_settings =
        matches!(ending, "json" | "txt") && SETTINGS.iter().any(|part| name.contains(part));
    !DATA.contains(&ending) || is_settings
}

/// Returns what was written before each command into the workspace that it builds, tests or runs, where nobody could read it: out of
/// the network, encoded text or an archive, or from a place outside.
fn code(plan: &Plan, own: &[u16], taints: &[u16]) -> Vec<u16> {
    let mut code = vec![0u16; plan.commands.len()];
    for recalled in plan.recalled.files.iter().filter(|recalled| recalled.way == Way::Builds) {
        if !may_be_run(&recalled.file.path) {
            continue;
        }
        code[recalled.file.command] |= bits(&recalled.sources);
    }
    let mut unread: Vec<(&str, u16)> = Vec::new();
    let mut written: HashSet<&str> = HashSet::new();
    let mut fetched = None;
    for (index, command) in plan.commands.iter().enumerate() {
        if !command.builds.is_empty() {
            let reached = unread.iter().filter(|(path, _)| command.runs_code_of(path));
            code[index] |= reached.fold(0, |all, (_, bits)| all | bits);
        }
        if takes_others(command, &mut fetched) {
            let places = command.directories.iter();
            unread.extend(places.map(|place| (place.as_deref().unwrap_or("/"), ANY)));
        }
        let own = if takes_from_host(command) { own[index] } else { own[index] & !DOWNLOAD };
        let bits = (own | taints[index]) & READ_BY_NOBODY | brought_in(command, &written);
        for path in command.written() {
            let made = if is_made_up(plan, index, path) { ANY } else { 0 };
            if bits | made != 0 && may_be_run(path) {
                unread.push((path, bits | made));
            }
            written.insert(path);
        }
    }
    code
}

/// Whether a command puts into the files of its workspace what others have pushed somewhere or propose. `fetched` says of what the line
/// fetched before whether it is theirs.
fn takes_others(command: &PlannedCommand, fetched: &mut Option<bool>) -> bool {
    let interpretation = &command.interpretation;
    if interpretation.is(ProgramTrait::FetchesRevisions) {
        let mut operands = interpretation.operands.iter();
        let is_others = operands.any(|(at, role)| match command.argv.get(*at).map(Arg::known) {
            Some(None) => role.starts_with("repository"),
            Some(Some(word)) if role.starts_with("repository") => !is_own_remote(word),
            Some(Some(word)) => is_proposal(word),
            None => false,
        });
        *fetched = Some(is_others || *fetched == Some(true));
    }
    let words = command.argv.iter().filter_map(Arg::known);
    let mut words = words.take_while(|word| *word != "--");
    let is_last = |word: &str| word.contains("FETCH_HEAD") && fetched.is_none();
    let prints = interpretation.in_repository && command.truncated().next().is_some();
    interpretation.is(ProgramTrait::TakesProposals)
        || (interpretation.is(ProgramTrait::TakesRevisions) || prints)
            && (*fetched == Some(true) || words.any(|word| is_last(word) || is_proposal(word)))
}

/// Whether a command replaces a file that runners find by text which stands nowhere, so that nobody could read it: words that are not known,
/// or what a program makes of something else.
fn is_made_up(plan: &Plan, index: usize, path: &str) -> bool {
    let command = &plan.commands[index];
    let replaces = command.interpretation.is(ProgramTrait::Replaces)
        || command.truncated().any(|truncated| truncated == path);
    replaces && is_found_by_runners(path) && !prints_what_stands(plan, index, DEEP)
}

/// So many commands are looked at, one behind the other, that text comes through.
const DEEP: usize = 8;

/// Whether what a command prints stands in the line, in files or in the repository as it is.
fn prints_what_stands(plan: &Plan, index: usize, deep: usize) -> bool {
    let Some(command) = plan.commands.get(index).filter(|_| deep > 0) else { return false };
    let interpretation = &command.interpretation;
    let hands_on = command.argv.is_empty()
        || interpretation.is(ProgramTrait::PassesOn)
        || interpretation.is(ProgramTrait::Replaces);
    let is_known = command.argv.iter().all(|word| word.pattern().is_some());
    let takes_code = command.runs_input || !interpretation.options.is_empty();
    let says_words = is_known && !interpretation.reads_input && !takes_code;
    let mut given = plan.flows.iter().filter(|flow| flow.to.contains(&index));
    (hands_on || says_words || interpretation.in_repository)
        && given.all(|flow| {
            flow.from.clone().all(|from| from == index || prints_what_stands(plan, from, deep - 1))
        })
}

/// Whether a command reads from a host that it is told, or what anybody may have put there, and not from the registry or repository
/// that is the workspace's own.
fn takes_from_host(command: &PlannedCommand) -> bool {
    let is_told = |target: &Target| matches!(target, Target::Host { .. });
    let is_anyones = command.interpretation.is(ProgramTrait::Downloads);
    is_anyones
        || command
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Fetch && is_told(&effect.target))
}

const ANY: u16 = Taint::bit(FlowSource::Any);

const DOWNLOAD: u16 = Taint::bit(FlowSource::Download);

/// What makes a file one that nobody could read before it runs.
const READ_BY_NOBODY: u16 =
    DOWNLOAD | Taint::bit(FlowSource::Secret) | Taint::bit(FlowSource::Decode);

/// Returns whether a command takes files from where nobody reads them: out of an archive, or from outside of the workspace.
fn brought_in(command: &PlannedCommand, written: &HashSet<&str>) -> u16 {
    let is_foreign = command.effects.iter().any(|effect| match (effect.kind, &effect.target) {
        (EffectKind::Unpack, _) => true,
        // What is done to a link is done to what it leads to: that counts as written.
        (kind, Target::Path { path: Some(path), class })
            if matches!(kind, EffectKind::Read | EffectKind::Move)
                || kind == EffectKind::Write && command.interpretation.is(ProgramTrait::Links) =>
        {
            matches!(class, PathClass::Temporary | PathClass::Outside | PathClass::HomeFile)
                && !written.contains(path.as_str())
        }
        _ => false,
    });
    if is_foreign { ANY } else { 0 }
}

fn bits(sources: &[FlowSource]) -> u16 {
    sources.iter().fold(0, |bits, source| bits | Taint::bit(*source))
}

/// What later lines of a session must know of where data came from.
const KEPT: [FlowSource; 4] =
    [FlowSource::Download, FlowSource::Secret, FlowSource::Decode, FlowSource::Work];

/// Returns what a line leaves for those after it: which files it fills from where, and whether it reads secrets. `line` is the text
/// by which people know it again.
#[must_use]
pub fn traces(plan: &Plan, line: impl FnOnce() -> String) -> Traces {
    let own: Vec<u16> = plan.commands.iter().map(sources).collect();
    let mut traces = Traces { files: checked_out(plan), ..Traces::default() };
    if traces.files.is_empty() && plan.recalled.files.is_empty() && own.iter().all(|own| *own == 0)
    {
        return traces;
    }
    for ((command, own), taint) in plan.commands.iter().zip(own).zip(taints(plan)) {
        traces.secrets |= own & Taint::bit(FlowSource::Secret) != 0;
        let all = Taint { data: own | taint.data, code: 0 };
        let sources: Vec<FlowSource> = KEPT.into_iter().filter(|one| all.has(*one)).collect();
        if sources.is_empty() {
            continue;
        }
        for effect in &command.effects {
            let (EffectKind::Write | EffectKind::Append, Target::Path { path: Some(path), class }) =
                (effect.kind, &effect.target)
            else {
                continue;
            };
            // What was moved stands in one place; where that is of worth itself, it is seen there.
            let mut sources = sources.clone();
            if !(own & Taint::bit(FlowSource::Work) != 0 && class.is_of_little_worth()) {
                sources.retain(|source| *source != FlowSource::Work);
            }
            if sources.is_empty() {
                continue;
            }
            let is_none =
                matches!(class, PathClass::Null | PathClass::Device | PathClass::NetworkDevice);
            let known = traces.files.iter_mut().find(|(known, _)| known == path);
            match known {
                _ if is_none => {}
                Some((_, known)) => {
                    let more = sources.iter().filter(|one| !known.contains(one));
                    let more: Vec<FlowSource> = more.copied().collect();
                    known.extend(more);
                }
                None => traces.files.push((path.clone(), sources.clone())),
            }
        }
    }
    if !traces.is_empty() {
        traces.line = line();
    }
    traces
}

/// Returns the directories into whose files a line takes what others pushed or propose. Into those where it then goes back to the workspace's
/// own trunk, nothing has come.
fn checked_out(plan: &Plan) -> Vec<(String, Vec<FlowSource>)> {
    let mut fetched = None;
    let mut found: Vec<(String, Vec<FlowSource>)> = Vec::new();
    for command in &plan.commands {
        let sources = if takes_others(command, &mut fetched) {
            vec![FlowSource::Any]
        } else if goes_back(command) {
            Vec::new()
        } else {
            continue;
        };
        for place in command.directories.iter().flatten() {
            found.retain(|(known, _)| known != place);
            found.push((place.clone(), sources.clone()));
        }
    }
    found
}

/// Whether a command takes the workspace's own trunk into its files.
fn goes_back(command: &PlannedCommand) -> bool {
    let interpretation = &command.interpretation;
    let is_switch = ["git checkout", "git switch"].iter().any(|name| command.is_called(name));
    let operands = interpretation.operands.iter().map(|(at, _)| command.argv.get(*at));
    let operands: Vec<_> = operands.collect();
    is_switch
        && interpretation.options.is_empty()
        && matches!(operands.as_slice(), [Some(Arg::Known(branch))] if is_trunk(branch))
}

/// Returns what to add to the words of a rule where its flow begins in an earlier line.
pub(super) fn earlier(plan: &Plan, flow: Condition) -> Option<String> {
    if flow.from == FlowSource::Seen {
        let line = plan.recalled.secrets.as_ref()?;
        return Some(format!("`{line}` read them earlier in this session"));
    }
    let begins_here = |command| sources(command) & Taint::bit(flow.from) != 0;
    if plan.commands.iter().any(begins_here) {
        return None;
    }
    let file = plan.recalled.files.iter().find(|file| file.sources.contains(&flow.from))?;
    let path = &file.file.path;
    Some(format!("'{path}' comes from `{}`, earlier in this session", file.line))
}

/// What a command's own output is.
fn sources(command: &PlannedCommand) -> u16 {
    let is_open = !command.interpretation.is_bounded;
    let is_endless = is_open && reads_without_end(command, ENDLESS_FILES);
    let is_one_line = is_endless && reads_without_end(command, ONE_LINE_FILES);
    let is_download = command.interpretation.is(ProgramTrait::Downloads);
    let endless = if is_endless { ENDLESS } else { 0 } | if is_one_line { ONE_LINE } else { 0 };
    let download = if is_download { Taint::bit(FlowSource::Download) } else { 0 };
    command.effects.iter().fold(endless | download, |bits, effect| {
        bits | match (effect.kind, &effect.target) {
            (EffectKind::Fetch, _) => Taint::bit(FlowSource::Download),
            (EffectKind::Decode, _) => Taint::bit(FlowSource::Decode),
            (EffectKind::Move, Target::Path { class, .. })
                if *class != PathClass::Secret && !class.is_of_little_worth() =>
            {
                Taint::bit(FlowSource::Work)
            }
            (EffectKind::Endless, _) => ENDLESS,
            (EffectKind::Disclose, _)
            | (
                EffectKind::Read | EffectKind::Move,
                Target::Path { class: PathClass::Secret, .. },
            ) => Taint::bit(FlowSource::Secret),
            _ => 0,
        }
    })
}

/// Returns whether data from `source` reaches `command`, which does with it what `sink` says.
pub(super) fn flows(
    command: &PlannedCommand,
    taint: Taint,
    source: FlowSource,
    sink: FlowSink,
) -> bool {
    let is_sink = match sink {
        FlowSink::Interpreter => command.runs_input,
        FlowSink::Build => return taint.code & Taint::bit(source) != 0,
        FlowSink::File => {
            (command.interpretation.reads_input
                || command.argv.is_empty()
                || taint.data & CARRIES != 0
                || sources(command) & ENDLESS != 0)
                && !command.interpretation.is_bounded
                && command.written().next().is_some()
        }
        FlowSink::Memory => {
            let interpretation = &command.interpretation;
            let takes_lines =
                interpretation.is(ProgramTrait::TakesLines) && taint.data & ONE_LINE != 0;
            let soaks = interpretation.is(ProgramTrait::Soaks) || takes_lines;
            soaks && !interpretation.is_bounded || taint.data & IN_WORDS != 0
        }
        FlowSink::Network => command.effects.iter().any(|effect| {
            matches!(
                effect.kind,
                EffectKind::Send | EffectKind::Fetch | EffectKind::Connect | EffectKind::Remote
            ) || matches!(
                (effect.kind, &effect.target),
                (
                    EffectKind::Write | EffectKind::Append,
                    Target::Path { class: PathClass::NetworkDevice, .. }
                )
            )
        }),
        // What is temporary or built again is no loss, whatever its names.
        FlowSink::Delete => command.effects.iter().any(|effect| {
            matches!(effect.kind, EffectKind::Delete | EffectKind::DeleteTree)
                && !matches!(effect.target, Target::Path { class, .. } if class.is_of_little_worth())
        }),
    };
    // A command that reads a secret and sends is its own flow (`curl -d @.env`).
    let own = sink == FlowSink::Network
        && source == FlowSource::Secret
        && sources(command) & Taint::bit(FlowSource::Secret) != 0;
    is_sink && (taint.has(source) || own)
}
