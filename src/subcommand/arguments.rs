//! The words of subcommands, from which help, completions and the man page follow.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::Deserialize;

use super::doctor::Expected;
use super::failure::{Failure, USAGE};
use super::hook::{self, LIMIT, Whose};
use super::output::Output;
use super::typed::Consent;
use super::{
    answer, check, config, doctor, help, host, install, judge, log, manual, mcp, page, pause,
    pending, policy, rules, run as session, schema, serve, setup, stats, status, suggest, trial,
    trust, undo, verbs, verify, watch, when,
};
use crate::cli::SUBCOMMANDS;
use crate::model;

#[derive(Parser)]
#[command(
    name = "guarded-sh",
    version,
    about = "The shell for coding agents: every command line is read, judged, and only then run",
    after_help = "All of one: guarded-sh help COMMAND\n\nAs a shell: guarded-sh [shell options] -c LINE [NAME [ARGUMENT...]]\n            guarded-sh [shell options] SCRIPT [ARGUMENT...]\n            guarded-sh [shell options] [-s [ARGUMENT...]], with a program on standard input\n\nExit status: the shell's own when it ran; 126 refused; 127 no real shell; 2 usage.\nThe manual: guarded-sh man | man -l -"
)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Judges a line and runs nothing
    ///
    /// It is judged as agents run lines: with nothing (`/dev/null`) on standard input, unless --stdin says otherwise. Where
    /// guarded-sh runs a line itself, it looks at what is there.
    ///
    /// Exit status: 0 allow, 1 ask, 3 deny, 4 contain, 2 usage; with --jsonl 0, or 2 if a line of the input is no request.
    Check(CheckArguments),
    /// Says in full what a line would do and how it is judged
    ///
    /// Exit status: 0 allow, 1 ask, 3 deny, 4 contain, 2 usage.
    Explain(ExplainArguments),
    /// Shows, tests and checks rules
    #[command(subcommand)]
    Rules(RulesAction),
    /// Tests a policy, and compares two on what the record has
    #[command(subcommand)]
    Policy(policy::PolicyAction),
    /// Runs an agent in a guarded session
    ///
    /// The agent runs at a terminal of its own, through which everything goes as it is. Its shells are guarded: SHELL and what else
    /// agents choose one by say so, and `bash`, `sh` and `zsh` on its PATH; and where one of its processes starts another
    /// shell, the guard begins in its place. Other programs that they start are recorded, or judged by their words where the settings say
    /// `[run] programs = "judge"`. Inside a guarded session it is simply run: the session that is there guards it.
    ///
    /// Exit status: the agent's, or its death by the same signal; 127 there is no such program; 126 it could not be run, or not
    /// be watched, or the call comes from an agent; 2 usage.
    Run(RunArguments),
    /// Shows settings and where each comes from; changes yours
    ///
    /// Exit status: 0; 1 what was written does not count; 126 only a person changes settings; 2 if settings or rules are broken, with every
    /// mistake of the file on stderr.
    Config(config::Arguments),
    /// Trusts a project's settings and rules as they are now
    ///
    /// Until then they may only make answers stricter, and so after each change. Shows what they hold and what they would loosen, and
    /// asks at the terminal: only a person can say yes.
    ///
    /// Exit status: 0; 1 nothing to trust, or not confirmed; 126 there is no person to ask; 2 usage.
    Trust(TrustArguments),
    /// Shows what ran, what was asked and who decided
    ///
    /// From the record, newest last. For people, the last 50 entries, one a line; at a terminal by days and as wide as it is. A long line is cut and its length told, and what
    /// agents do for themselves is left out unless --all or a filter asks for it. `log show` says all that is known of one.
    ///
    /// Exit status: 0; 1 if lines of the record that were read are damaged, each named on stderr; 2 usage.
    #[command(
        args_conflicts_with_subcommands = true,
        disable_help_subcommand = true,
        override_usage = "guarded-sh log [OPTIONS] [COMMAND]"
    )]
    Log(log::Arguments),
    /// Checks that the record is whole: nothing altered or cut
    ///
    /// Exit status: 0 whole; 1 not; 2 it cannot be read.
    Verify {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Asks you for every guarded shell, until it is ended
    ///
    /// For every one of this user that has no terminal, and is in no session of `run`.
    /// Questions wait here for `guarded-sh watch`, `approve` and `deny`. There is one for each user; it must be started by a
    /// person, and what runs below an agent cannot.
    ///
    /// Exit status: 0; 126 an agent cannot start it; 2 it runs already, or cannot listen.
    Serve {
        /// Prints no questions
        #[arg(long)]
        quiet: bool,
        /// Shows each question as a popup of the tmux that it is started in
        ///
        /// So does the setting `approval.popup`. Whoever can speak to that tmux can type there.
        #[arg(long)]
        popup: bool,
        /// Prints a unit for systemd that starts it when the person logs in, and ends
        ///
        /// guarded-sh serve --unit > ~/.config/systemd/user/guarded-sh.service
        #[arg(long, conflicts_with_all = ["quiet", "popup"])]
        unit: bool,
        /// Ends with the process that started it
        #[arg(long, hide = true)]
        with_parent: bool,
        /// Parts from the process that started it
        #[arg(long, hide = true)]
        apart: bool,
    },
    /// Shows a notification
    #[command(hide = true)]
    Announce,
    /// Lists the questions that are open
    ///
    /// Exit status: 0; 126 where an agent asks.
    Pending {
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Tells you of no question for a while
    ///
    /// No notification, no popup, no message by `page.notify`. Questions wait as before, and no line runs for it; who is refused because nobody
    /// answered is told that you paused. It ends by itself, by `off`, and with the host.
    ///
    /// Exit status: 0; 1 there is no host that asks; 126 only a person can pause; 2 usage.
    Pause {
        /// For how long, at most `24h`: `15m`, `1h`; `off` ends it
        #[arg(value_name = "TIME|off", default_value = "15m", value_parser = pause::time)]
        time: u64,
    },
    /// Says yes to a question, once unless said otherwise
    ///
    /// What is critical can only be permitted once, and the person must type a word for it at the terminal. A yes that nobody waits for
    /// counts for two minutes.
    ///
    /// Exit status: 0; 1 there is no such question, or not confirmed; 126 only a person can say yes; 2 usage.
    Approve(ApproveArguments),
    /// Says no to a question; or refuses commands from now on
    ///
    /// `deny ID` answers an open question. `deny 'git push * main'` writes a rule as `ask` does: such commands are refused, and nobody is asked.
    ///
    /// Exit status: as of `approve`.
    Deny(verbs::Deny),
    /// Lets a line run unasked, or a host be read, from now on
    ///
    /// Writes a rule among your own that allows this program with exactly these options and operands, and no more effects than it has now; or
    /// puts the host into `safe_domains`. Shows what is written, which lines of the last month it changes, and how it is taken back. What is
    /// critical is asked about each time, and so is what is only known when it runs.
    ///
    /// Exit status: 0; 1 it does not count, or cannot be allowed; 126 only a person can; 2 usage.
    Allow(verbs::Allow),
    /// Has commands asked about from now on
    ///
    /// Whatever else lets them run.
    /// Writes a rule among your own: about every command that begins with the plain words of the pattern and has the others among its options
    /// and operands. Shows what is written, which lines of the last month it changes, and how it is taken back.
    ///
    /// Exit status: 0; 1 there is no such rule; 126 only a person can; 2 usage.
    Ask(verbs::Ask),
    /// Answers an agent's event: JSON on stdin, JSON on stdout
    ///
    /// Both are the agent's own.
    /// Shell commands are judged as by `check`, calls of other tools by what they do to which files and hosts. There is always an answer
    /// within a quarter of the client's time. What goes wrong where an answer is waited for is a refusal.
    ///
    /// Exit status: 0 answered; 2 refused, with the reason on stderr; 1 something went wrong where nothing is waited for.
    Hook {
        /// Whose event it is
        #[arg(value_enum, default_value_t)]
        agent: Whose,
        /// Seconds that the client waits for its hook
        #[arg(long, value_name = "SECONDS", default_value_t = LIMIT, value_parser = clap::value_parser!(u32).range(1..=3600))]
        limit: u32,
    },
    /// Guards the agents of this machine, in one step
    ///
    /// Finds the agents, says what it will do, puts the guard into their settings, has the service start by itself that asks you, and proves
    /// that they are guarded. At a terminal it asks once, and shows a question for practice.
    ///
    /// Exit status: 0 all of it is guarded; 1 not, or no agent is here; 126 an agent cannot do this; 2 settings are broken, and nothing is
    /// changed.
    Setup {
        /// Asks nothing, and shows no question for practice
        #[arg(long)]
        yes: bool,
        /// Takes all of it back: files are as they were, byte for byte
        #[arg(long)]
        undo: bool,
    },
    /// Puts the guard into agents' settings
    ///
    /// Without words it is `setup`. Shows what it changes, and keeps what was there for `guarded-sh uninstall`. Without --hooks and --shell it is both. What an
    /// agent's settings cannot hold is said.
    ///
    /// `install system`, by root, puts it in the place of /bin/bash and /bin/sh. The real ones are kept as bash.real and sh.real, and
    /// dpkg is told. It is for containers: all that starts a shell by its path is judged then.
    ///
    /// At a terminal it asks for a word before it changes anything. Exit status: 0; 1 the person said no; 126 an agent cannot do this, or
    /// there is nobody to ask; 2 settings are broken, and nothing is changed.
    Install(InstallArguments),
    /// Takes the guard out of agents' settings
    ///
    /// They are then as they were before, byte for byte; where something else was changed meanwhile, that stays.
    ///
    /// Exit status: as of `install`.
    Uninstall(UninstallArguments),
    /// Says where you stand, and what the next step is
    ///
    /// Agents, questions, what came today. So does `guarded-sh` alone at a terminal.
    ///
    /// Exit status: 0; 126 an agent cannot ask.
    Status,
    /// Proves that agents are guarded
    ///
    /// Starts what each agent on this machine would start, its shell and its hook, with a line that is harmless and with a stand-in for
    /// one that is not, and says what guards it, what does not, and what mends it.
    ///
    /// Exit status: 0 all of it is guarded, and as expected; 1 not guarded, or no agent is here; 3 guarded, and not as expected; 2 usage.
    Doctor(DoctorArguments),
    /// Shows questions as they come, and takes the answers
    ///
    /// Of all hosts. To be kept open on a terminal of its own, or in a pane beside the agent's: whoever may type there answers. With an ID that
    /// question alone is shown, until it is answered or left; this is what a popup of tmux shows.
    ///
    /// Exit status: 0; with an ID 1 if it was left open, or is not there; 126 only a person can answer, at a terminal; 2 usage.
    Watch {
        /// The question
        id: Option<String>,
    },
    /// Shows it all in a browser: what waits, what ran and why
    ///
    /// It is served to this machine alone, under a name that is drawn anew each time, until Ctrl-C. Its address has a code in it that counts once,
    /// for two minutes; Enter gives another one. A browser that came by a code may look, and answers with a key of its own that never leaves it.
    ///
    /// Other programs ask for the same as JSON, below `/api`, with a token: `page tokens`.
    ///
    /// Exit status: 126 an agent cannot open it; 1 it cannot be served; 2 usage.
    #[command(
        args_conflicts_with_subcommands = true,
        disable_help_subcommand = true,
        override_usage = "guarded-sh page [OPTIONS] [COMMAND]"
    )]
    Page(page::Arguments),
    /// Lets agents in containers ask for commands here
    ///
    /// Over MCP, and with `guarded-sh host`. What is asked about of them waits where all questions wait.
    /// Exit status: 0; 1 it cannot listen; 126 only a person can open it; 2 usage.
    #[command(args_conflicts_with_subcommands = true)]
    Mcp(mcp::Arguments),
    /// Runs a command outside of this container
    ///
    /// Exit status: the command's, 128+n where signal n ended it; 125 the host does not answer; 126 refused; 127 there is no such program.
    Host(host::Arguments),
    /// Has programs run outside of this container
    HostShim(host::Shim),
    /// Lists what lines destroyed, and brings it back
    ///
    /// There is something where the settings say `undo = "keep"` or `"rely"`. Without words it is `undo list`. What is there now is kept before, so
    /// that it can be taken back in turn. Where something was changed since by somebody else, it is said, and nothing is touched.
    ///
    /// Exit status: 0; 1 there is nothing to take back, or something was changed since; 126 an agent cannot do this; 2 usage.
    #[command(
        args_conflicts_with_subcommands = true,
        disable_help_subcommand = true,
        override_usage = "guarded-sh undo [OPTIONS] [ID|COMMAND]"
    )]
    Undo(UndoArguments),
    /// Shows what a line would change, before it is changed
    ///
    /// It runs in a container without a network: directories of its own take what it writes. Then what it would change is shown, of texts
    /// the difference, and carried out if you say so; that can be taken back by `undo`. What it leaves running is ended.
    ///
    /// Exit status: the line's; 1 it could not be carried out, as something was changed since; 126 it is refused, cannot be tried here,
    /// or an agent asked; 2 usage.
    #[command(
        override_usage = "guarded-sh try [OPTIONS] LINE...\n       guarded-sh try [--keep|--drop] --again ID"
    )]
    Try(TryArguments),
    /// Counts who settled what: rules, people, a model
    ///
    /// From the record: lines and calls of tools of which something was decided; for each rule how often it made the guard ask, what was answered and
    /// how long that took; what a model cost today, and where people said otherwise than it. `log stats` is the same.
    ///
    /// Exit status: 0; 1 parts of the record are damaged; 2 usage.
    Stats(stats::Arguments),
    /// Says which settings would have spared questions
    ///
    /// From the record: where a person said yes again and again, and never no, the line of the settings under which that would have run at once, and what else it would
    /// have let through of what was asked about. At a terminal a number takes one; nothing changes by itself.
    ///
    /// Exit status: 0; 1 parts of the record are damaged; 2 usage.
    Suggest(suggest::Arguments),
    /// Shows what a model is told for its second opinion
    #[command(subcommand)]
    Judge(judge::Action),
    /// Prints a JSON Schema of what is written or read
    ///
    /// For programs that read the record, and for editors: it says of each key what it means. Fields may be added to records and verdicts; none is
    /// renamed.
    Schema {
        /// Of what
        kind: schema::Kind,
    },
    /// Prints completions for a shell
    Completions {
        /// The shell that reads them
        shell: Shell,
    },
    /// Prints the manual page, for `man -l -`
    Man,
}

/// What `check` takes.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// Prints the verdict as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Reads {"command","cwd"?,"stdin"?} objects, one a line, and prints a verdict for each
    ///
    /// `stdin` is "nothing" or "unknown", as for --stdin. In the place of a line that is no request stands {"error","line"}.
    #[arg(long, conflicts_with_all = ["json", "line", "cwd", "stdin"])]
    pub(super) jsonl: bool,
    /// Prints the score beside the severity
    #[arg(short, long, conflicts_with_all = ["json", "jsonl"])]
    pub(super) verbose: bool,
    /// The directory it would run in
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    /// What it would find on standard input
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(super) stdin: Stdin,
    /// The line; several words are joined by spaces
    #[arg(required_unless_present = "jsonl", allow_hyphen_values = true, trailing_var_arg = true)]
    pub(super) line: Vec<OsString>,
}

/// What a line finds on standard input.
#[derive(Clone, Copy, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stdin {
    /// `/dev/null`, as most agents run lines
    #[default]
    Nothing,
    /// Anything
    Unknown,
}

impl From<Stdin> for model::StandardInput {
    fn from(stdin: Stdin) -> Self {
        match stdin {
            Stdin::Nothing => Self::Nothing,
            Stdin::Unknown => Self::Unknown,
        }
    }
}

/// What `rules` does.
#[derive(Subcommand)]
pub(super) enum RulesAction {
    /// Lists the rules in force
    List {
        /// Only of this pack
        #[arg(long)]
        pack: Option<String>,
        /// Only at least this severe
        #[arg(long)]
        severity: Option<Severity>,
        /// Only from here: `built-in`, or a part of the path of a file
        #[arg(long)]
        origin: Option<String>,
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Shows all of a rule: when it fires, what it says, where it comes from
    Show {
        /// The rule
        id: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Judges the examples of rules
    ///
    /// Of all rules, built in and owners', or of these. Exit status: 0 all are judged as they say; 1 not; 2 usage.
    Test {
        /// Ids of rules, names of packs, or files of rules
        #[arg(value_name = "ID|FILE")]
        which: Vec<OsString>,
    },
    /// Checks files of rules and shows every mistake
    ///
    /// Without FILE: all that are loaded here. Works while the settings are broken. Exit status: 0; 1 there are mistakes; 2 usage.
    Lint {
        /// The files
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Brings in an agent's own list of permissions
    ///
    /// As rules in a file of their own, which settle only what the catalog does not know. Says what was dropped and why: what allows an
    /// interpreter or a wrapper allows everything. At a terminal it asks for a word first. Exit status: 0; 1 the person said no; 126 an
    /// agent cannot do this, or there is nobody to ask; 2 a list is broken, or the file is there and says something else.
    Import(ImportArguments),
    /// Takes back a rule that was written when a person said always
    ///
    /// The last one, or the one that is named; what was before it stays byte for byte. Exit status: 0; 1 there is no such rule; 126 there is
    /// no person; 2 the file is broken.
    Undo {
        /// The rule
        id: Option<String>,
    },
}

/// What `run` takes.
#[derive(Args)]
pub(super) struct RunArguments {
    /// What each severity means in this session; one that is less strict than the settings changes nothing
    #[arg(long, value_enum)]
    pub(super) profile: Option<Profile>,
    /// The session's name, in records and for answers; without it one is made up
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Does not run the agent where shells that its processes start cannot be guarded, or hooks that were installed are switched off;
    /// `=no` runs it all the same. Without it, it runs if there is a terminal to say so
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub(super) require_guard: Option<Choice>,
    /// Does not watch what the agent's processes start, and only says which shells were seen: for agents that trace processes themselves
    #[arg(long, conflicts_with = "require_guard")]
    pub(super) unwatched: bool,
    /// The agent, or any program, with its arguments
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
    pub(super) agent: Vec<OsString>,
}

/// Yes or no, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Choice {
    Yes,
    No,
}

/// A profile, as people write it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Profile {
    Strict,
    Balanced,
    Unattended,
}

impl From<Profile> for model::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Strict => Self::Strict,
            Profile::Balanced => Self::Balanced,
            Profile::Unattended => Self::Unattended,
        }
    }
}

/// What `trust` takes.
#[derive(Args)]
pub(super) struct TrustArguments {
    /// Trusts no more
    ///
    /// That can only make answers stricter, so nobody is asked.
    #[arg(long, conflicts_with = "list")]
    pub(super) remove: bool,
    /// Lists what is trusted
    #[arg(long)]
    pub(super) list: bool,
    /// The project; without it, the nearest directory above this one that has settings or rules
    #[arg(value_name = "DIR", conflicts_with = "list")]
    pub(super) directory: Option<PathBuf>,
}

/// What `install` takes.
#[derive(Args)]
pub(super) struct InstallArguments {
    /// The agents; `all` is every one that is found here, `system` the machine's own bash and sh
    #[arg(value_name = "AGENT", value_parser = install::targets())]
    pub(super) agents: Vec<String>,
    /// Only the hooks
    #[arg(long)]
    pub(super) hooks: bool,
    /// Only the shell
    #[arg(long)]
    pub(super) shell: bool,
    #[command(flatten)]
    pub(super) place: InstallPlace,
}

impl InstallArguments {
    /// Returns whether it has no words: then it is about all that is here.
    const fn is_bare(&self) -> bool {
        let InstallPlace { user, project, dry_run, yes: _ } = self.place;
        self.agents.is_empty() && !(self.hooks || self.shell || user || project || dry_run)
    }
}

/// What `uninstall` takes.
#[derive(Args)]
pub(super) struct UninstallArguments {
    /// The agents; `all` is every one, `system` the machine's own bash and sh
    #[arg(required = true, value_name = "AGENT", value_parser = install::targets())]
    pub(super) agents: Vec<String>,
    #[command(flatten)]
    pub(super) place: InstallPlace,
}

/// What `doctor` takes.
#[derive(Args)]
pub(super) struct DoctorArguments {
    /// Only these, also if they are not found here; `system` is the machine's own bash and sh
    #[arg(value_name = "AGENT", value_parser = install::targets())]
    pub(super) agents: Vec<String>,
    /// What settings must be: `profile=strict,policy=sha256:...`
    ///
    /// KEY is a setting as `config` shows it, or `version`, `policy` (the digest of all settings and rules in force), `machine` (that of what
    /// /etc/guarded-sh says, whoever the user is). What the kernel cannot do, or what is broken, is not as expected.
    #[arg(long, value_name = "KEY=VALUE[,...]")]
    pub(super) expect: Vec<Expected>,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What `rules import` takes.
#[derive(Args)]
pub(super) struct ImportArguments {
    /// The agent
    #[arg(value_name = "AGENT", value_parser = install::agents())]
    pub(super) agent: String,
    /// Shows the rules, and writes none
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Asks nothing: for scripts that a person starts
    #[arg(long)]
    pub(super) yes: bool,
}

/// For whom it is installed.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct InstallPlace {
    /// For the user, everywhere; so it is unless said otherwise
    #[arg(long, conflicts_with = "project")]
    pub(super) user: bool,
    /// For this project alone: the workspace around the working directory
    #[arg(long)]
    pub(super) project: bool,
    /// Shows what would change, and changes nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Asks nothing: for scripts that a person starts
    #[arg(long)]
    pub(super) yes: bool,
}

impl InstallPlace {
    /// Whether a person is asked.
    pub(super) fn consent(&self) -> Consent {
        self.yes.into()
    }
}

/// What `explain` takes.
#[derive(Args)]
pub(super) struct ExplainArguments {
    /// The directory it would run in
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    /// What it would find on standard input
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(super) stdin: Stdin,
    /// Prints the verdict as `check --json` does
    #[arg(long)]
    pub(super) json: bool,
    /// Prints scores beside severities, and how the line's comes about
    #[arg(short, long, conflicts_with = "json")]
    pub(super) verbose: bool,
    /// The line; several words are joined by spaces
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
    pub(super) line: Vec<OsString>,
}

/// What `approve` takes.
#[derive(Args)]
pub(super) struct ApproveArguments {
    /// The question
    pub(super) id: String,
    /// For the session: the same programs and subcommands, with no more than what this question shows
    #[arg(long)]
    pub(super) session: bool,
    /// For the session: the same line in the same directory
    #[arg(long, conflicts_with = "session")]
    pub(super) line: bool,
}

/// What `undo` takes.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct UndoArguments {
    #[command(subcommand)]
    pub(super) action: Option<UndoAction>,
    /// What is taken back: its name as `undo list` has it, or the beginning of it
    #[arg(conflicts_with_all = ["last", "session", "since"])]
    pub(super) id: Option<String>,
    /// Takes back the last line that is not taken back yet
    #[arg(long, conflicts_with_all = ["session", "since"])]
    pub(super) last: bool,
    /// Takes back all lines of this session, the last first
    #[arg(long, value_name = "ID", conflicts_with = "since")]
    pub(super) session: Option<String>,
    /// Takes back all lines since then, the last first: `10m`, `2h`, `today`, `2026-11-21T10:00:00Z`
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    pub(super) since: Option<jiff::Timestamp>,
    /// Says what would change, and changes nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Also takes back what was changed since by somebody else
    #[arg(long)]
    pub(super) force: bool,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What `try` takes.
#[derive(Args)]
pub(super) struct TryArguments {
    /// Carries it out without asking, if the line ends with 0
    #[arg(long, conflicts_with = "drop")]
    pub(super) keep: bool,
    /// Only shows what it would change
    #[arg(long)]
    pub(super) drop: bool,
    /// Shows again what was tried before and is still to be carried out
    #[arg(long, value_name = "ID", conflicts_with = "line")]
    pub(super) again: Option<String>,
    /// The line; several words are joined by spaces
    #[arg(required_unless_present = "again", allow_hyphen_values = true, trailing_var_arg = true)]
    pub(super) line: Vec<OsString>,
}

/// What `undo` does beside taking back.
#[derive(Subcommand)]
pub(super) enum UndoAction {
    /// Lists what is kept, the oldest first
    List {
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Shows what taking it back would change: of texts the difference
    Show {
        /// Its name
        id: String,
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
}

/// A severity, as people write it.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl From<Severity> for model::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}

/// Returns the definition of all subcommands.
#[must_use]
pub fn command() -> clap::Command {
    help::grouped(Arguments::command(), Output::new().columns)
}

/// Returns whether a word is kept for a subcommand that this version does not have.
fn is_reserved(word: &OsString) -> bool {
    let Some(word) = word.to_str() else { return false };
    SUBCOMMANDS.contains(&word)
        && !word.starts_with('-')
        && word != "help"
        && command().find_subcommand(word).is_none()
}

pub(super) fn run(words: Vec<OsString>) -> u8 {
    if let Some(word) = words.first().filter(|word| is_reserved(word)) {
        let word = word.to_string_lossy();
        return Failure::new(format!("the subcommand `{word}` is not in this version"))
            .hint(format!(
                "a script of that name is run by its path: guarded-sh ./{word}; subcommands: {}",
                crate::cli::offered().collect::<Vec<_>>().join(", ")
            ))
            .print();
    }
    let words = std::iter::once(OsString::from("guarded-sh")).chain(words);
    let matches = command().try_get_matches_from(words);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout and are no error.
            let is_error = error.use_stderr();
            // Nothing is left to do if nobody reads it.
            let _ = error.print();
            return if is_error { USAGE } else { 0 };
        }
    };
    let done = match arguments.action {
        Action::Check(arguments) => check::run(&arguments),
        Action::Explain(arguments) => check::explain(&arguments),
        Action::Rules(action) => rules::run(action),
        Action::Policy(action) => policy::run(&action),
        Action::Run(arguments) => session::run(&arguments),
        Action::Config(arguments) => config::run(arguments),
        Action::Trust(arguments) => trust::run(&arguments),
        Action::Log(arguments) => log::run(&arguments),
        Action::Verify { json } => verify::run(json.into()),
        Action::Serve { unit: true, .. } => serve::unit(),
        Action::Serve { quiet, popup, with_parent, apart, .. } => {
            serve::run(quiet.into(), popup.into(), serve::Lasts::of(with_parent, apart))
        }
        Action::Announce => serve::announce(),
        Action::Pending { json } => pending::run(json.into()),
        Action::Pause { time } => pause::run(time),
        Action::Approve(arguments) => answer::approve(&arguments),
        Action::Deny(arguments) => verbs::deny(arguments),
        Action::Allow(arguments) => verbs::allow(&arguments),
        Action::Ask(arguments) => verbs::ask(&arguments),
        Action::Hook { agent, limit } => Ok(hook::run(agent, limit)),
        Action::Setup { undo: true, .. } => setup::undo(),
        Action::Setup { yes, .. } => setup::run(yes.into()),
        Action::Install(arguments) if arguments.is_bare() => setup::run(arguments.place.consent()),
        Action::Install(arguments) => install::install(&arguments),
        Action::Uninstall(arguments) => install::uninstall(&arguments),
        Action::Status => status::run(),
        Action::Doctor(arguments) => doctor::run(&arguments),
        Action::Watch { id } => watch::run(id.as_deref()),
        Action::Page(arguments) => page::run(&arguments),
        Action::Mcp(arguments) => mcp::run(&arguments),
        Action::Host(arguments) => Ok(host::run(&arguments)),
        Action::HostShim(shim) => host::shim(&shim),
        Action::Undo(arguments) => undo::run(&arguments),
        Action::Try(arguments) => trial::run(&arguments),
        Action::Stats(arguments) => stats::run(&arguments),
        Action::Suggest(arguments) => suggest::run(&arguments),
        Action::Judge(action) => judge::run(&action),
        Action::Schema { kind } => schema::run(kind),
        Action::Completions { shell } => manual::completions(shell),
        Action::Man => manual::run(),
    };
    done.unwrap_or_else(Failure::print)
}

/// For whom a subcommand writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// People.
    Person,
    /// A program: JSON.
    Program,
}

impl From<bool> for Reader {
    /// `--json`, given or not.
    fn from(json: bool) -> Self {
        if json { Self::Program } else { Self::Person }
    }
}
