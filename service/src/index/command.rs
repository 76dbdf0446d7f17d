//! `guarded-shd index` and `guarded-shd search`: the index by itself, for who has no page.

use std::io::{BufWriter, Write as _, stderr, stdout};
use std::time::Instant;

use clap::Args;
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Written;
use guarded_sh::model::Action;
use guarded_sh::observe::Environment;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Index, Progress, Updated, Wanted};
use crate::record::{record, state_of};

/// What `index` takes.
#[derive(Args)]
pub struct Arguments {
    /// Makes it anew
    #[arg(long)]
    rebuild: bool,
    /// Goes on and follows the record until it is interrupted
    #[arg(short, long)]
    follow: bool,
}

/// What `search` takes.
#[derive(Args)]
pub struct SearchArguments {
    /// What the line holds, in capitals or small letters; nothing in it has a meaning of its own
    text: Option<String>,
    /// Only of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only of this agent: `claude`, `codex`
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only what a person or a model was asked about
    #[arg(long)]
    asked: bool,
    /// No more than this
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Prints how many records were read and whether they verify, and of each call the numbers of its first and last record: what `guarded-sh log` reads.
    /// Calls that may yet turn out to be wanted are among them
    #[arg(long, hide = true)]
    numbers: bool,
}

/// Brings the index up to date and says what it holds.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let state = state_of(&record(&Environment::read())?);
    // What is written from here on is noticed.
    let written = arguments
        .follow
        .then(|| Written::to(&state.join("records")))
        .transpose()
        .map_err(|error| unnoticed(&error))?;
    let mut index = Index::open(&state).map_err(|error| with_causes(&error))?;
    let (began, bar) = (Instant::now(), Bar::new());
    let mut progress = |progress| bar.show(progress);
    let made =
        if arguments.rebuild { index.rebuild(&mut progress) } else { index.update(&mut progress) };
    bar.end();
    let updated = made.map_err(|error| with_causes(&error))?;
    let told = told(&updated, began.elapsed().as_secs_f64());
    if let Some(written) = written {
        return follow(&mut index, written, &told);
    }
    crate::written(&told)?;
    match damage(&index)? {
        Some(damage) => Err(format!("the record does not verify: {damage}")),
        None => Ok(()),
    }
}

/// Says what comes, until nobody reads it.
fn follow(index: &mut Index, mut written: Written, begun: &str) -> Result<(), String> {
    let (mut told_damage, mut line) = (None, Some(begun.to_owned()));
    loop {
        // Whoever does not read it wants no more of it.
        if line.is_some_and(|line| writeln!(stdout(), "{line}").is_err()) {
            return Ok(());
        }
        let damage = damage(index)?;
        if let Some(damage) = damage.as_ref().filter(|_| damage != told_damage) {
            // Nothing is left to do if stderr is gone.
            let _ = writeln!(stderr(), "guarded-shd: the record does not verify: {damage}");
        }
        told_damage = damage;
        written.wait(None).map_err(|error| unnoticed(&error))?;
        let began = Instant::now();
        let updated = index.update(&mut |_| {}).map_err(|error| with_causes(&error))?;
        let is_more = updated.records > 0 || updated.anew.is_some();
        line = is_more.then(|| told(&updated, began.elapsed().as_secs_f64()));
    }
}

fn unnoticed(error: &std::io::Error) -> String {
    format!("cannot notice what is recorded: {error}")
}

fn damage(index: &Index) -> Result<Option<String>, String> {
    index.damage().map_err(|error| with_causes(&error))
}

fn read_of(index: &Index) -> Result<u64, String> {
    index.records().map_err(|error| with_causes(&error))
}

/// Prints calls, one JSON object a line.
pub fn search(arguments: &SearchArguments) -> Result<(), String> {
    let mut index = Index::open(&state_of(&record(&Environment::read())?))
        .map_err(|error| with_causes(&error))?;
    let bar = Bar::new();
    let updated = index.update(&mut |progress| bar.show(progress));
    bar.end();
    updated.map_err(|error| with_causes(&error))?;
    let wanted = Wanted {
        text: arguments.text.clone(),
        session: arguments.session.clone(),
        agent: arguments.agent.clone(),
        action: arguments.asked.then_some(Action::Ask),
        with_unsaid: arguments.numbers,
        limit: arguments.limit,
        ..Wanted::default()
    };
    let rows = index.calls(&wanted).map_err(|error| with_causes(&error))?;
    let head = if arguments.numbers { Some((read_of(&index)?, damage(&index)?)) } else { None };
    let mut out = BufWriter::new(stdout().lock());
    let mut write = || {
        if let Some((records, damage)) = &head {
            writeln!(out, "{records} {}", if damage.is_none() { "whole" } else { "damaged" })?;
        }
        for row in &rows {
            if head.is_some() {
                writeln!(out, "{} {}", row.sequence, row.last)?;
                continue;
            }
            serde_json::to_writer(&mut out, row)?;
            writeln!(out)?;
        }
        out.flush()
    };
    match write() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write the output: {error}"))
        }
        _ => Ok(()),
    }
}

fn told(updated: &Updated, seconds: f64) -> String {
    let Updated { calls, records, anew, is_anothers } = updated;
    if *is_anothers {
        return format!("{calls} calls; another process keeps the index up to date");
    }
    let anew = anew.as_ref().map(|why| format!(", made anew ({why})")).unwrap_or_default();
    format!("{calls} calls, {records} new records read in {seconds:.2} s{anew}")
}

/// How far it is, where stderr is a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = "{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left";
        // One that is not understood is not worth failing for.
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message("reading");
        Self(bar)
    }

    fn show(&self, progress: Progress) {
        match progress {
            Progress::Reading { bytes, of } => {
                self.0.set_length(of);
                self.0.set_position(bytes);
            }
            Progress::Filling => self.0.set_message("indexing"),
        }
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
