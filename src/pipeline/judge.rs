//! A line to its judgement: syntax, reading, policy, in this order and nowhere else.

use std::borrow::Borrow;
use std::cell::OnceCell;
use std::time::Instant;

use super::advice;
use super::world::terms;
use crate::audit::mask;
use crate::config::Settings;
use crate::decision::{Terms, action};
use crate::frame::{self, Carried, Carries, Frame};
use crate::model::{
    Action, Arg, Entry, Facts, Finding, Opaque, Real, Reason, Repository, Severity, Shell, Span,
};
use crate::observe;
use crate::policy::{self, Assessment};
use crate::reading::{
    self, Around, Circumstances, Environment, NoPast, NoScripts, Past, Plan, SoFar,
};
use crate::rules::{Damaged, Rule, RuleSet};
use crate::syntax::{self, Dialect, Script};

/// Everything that judging needs, read once.
pub struct Judge<R: Borrow<RuleSet> = RuleSet> {
    /// The rules in force.
    pub rules: R,
    /// The world.
    pub facts: Facts,
    /// The environment, for what a line asks of the repository.
    pub environment: observe::Environment,
    /// By what lines are decided.
    pub terms: Terms,
    /// The shell that reads lines of which nothing else is said.
    pub shell: Shell,
    /// Whether the script files that a line runs are looked at: not where the world is made up.
    pub reads_scripts: bool,
}

/// A line that is to be judged, and how it will be run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The bytes.
    pub line: &'a [u8],
    /// The shell that will run it, if it is known.
    pub shell: Option<Shell>,
    /// How well the environment of that is known.
    pub environment: Environment,
    /// Its positional parameters, if known.
    pub positional: Option<Vec<Arg>>,
    /// What argv or variables make the shell do first, as shell text that is judged with the line.
    pub before: Vec<String>,
    /// What is not known of how it will be run.
    pub opaque: Vec<Reason>,
    /// What came before it in its session.
    pub past: &'a dyn Past,
    /// What is known of the shell, where that runs one text after another and this is one of them.
    pub so_far: Option<&'a SoFar>,
}

impl<'a> Request<'a> {
    /// Asks about a line of which nothing is known but its text.
    #[must_use]
    pub const fn about(line: &'a [u8]) -> Self {
        Self {
            line,
            shell: None,
            environment: Environment::Approximate,
            positional: None,
            before: Vec::new(),
            opaque: Vec::new(),
            past: &NoPast,
            so_far: None,
        }
    }

    /// The same, in a session.
    #[must_use]
    pub fn after(self, past: &'a dyn Past) -> Self {
        Self { past, ..self }
    }
}

/// What was made of a line.
#[derive(Debug)]
pub struct Judgement {
    /// The line as text; bytes that are none are replaced, and the line is opaque then.
    pub line: String,
    /// The frame of an agent around it, if there was one.
    pub frame: Option<Frame>,
    /// The parsed form of what was judged: the line, or what its frame carries.
    pub script: Script,
    /// What will run.
    pub plan: Plan,
    /// What was found.
    pub assessment: Assessment,
    /// What is to be done with it.
    pub action: Action,
    /// Whether it is low because what it destroys can be taken back.
    pub can_be_taken_back: bool,
    /// The script files that were read for it.
    pub scripts: Vec<observe::ScriptRead>,
    /// The files that were to be read for it and could not be.
    pub unread: Vec<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// What whoever is refused or asked should know of how it was judged: that a project's settings are broken, and say nothing.
    pub note: Option<String>,
    /// What has changed since the same was asked about before, where it is judged anew for that.
    pub anew: Option<String>,
    /// What is known of the shell once it has run, where that runs one text after another.
    pub next: Option<SoFar>,
}

impl Judgement {
    /// A judgement that was begun at this time, of what is no text of a shell.
    fn new(
        line: String,
        plan: Plan,
        assessment: Assessment,
        action: Action,
        start: Instant,
    ) -> Self {
        Self {
            line,
            frame: None,
            script: Script::default(),
            plan,
            assessment,
            action,
            can_be_taken_back: false,
            scripts: Vec::new(),
            unread: Vec::new(),
            micros: u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
            note: None,
            anew: None,
            next: None,
        }
    }

    /// Returns why a rule does not fire on the line, in a world of these facts; none where it does.
    #[must_use]
    pub fn why_not(&self, rule: &Rule, facts: &Facts) -> Option<String> {
        if self.assessment.findings.iter().any(|finding| finding.rule == rule.id) {
            return None;
        }
        let first = || "a rule that stands before it in its file fires".to_owned();
        Some(policy::unmet(rule, &self.plan, facts).unwrap_or_else(first))
    }

    /// Returns the frame around the line, if the agent whose frame it is has called.
    pub(super) fn own_frame(&self, facts: &Facts) -> Option<&Frame> {
        let parent = facts.parent_agent.as_ref()?;
        self.frame.as_ref().filter(|frame| parent.name == frame.agent)
    }

    /// Returns the command in an agent's own frame, where the frame holds nothing else that is not the agent's.
    pub(super) fn carried(&self, facts: &Facts) -> Option<&Carried> {
        self.own_frame(facts).and_then(Frame::carried).filter(|carried| carried.is_all())
    }

    /// Returns the line that runs where a person has written another one than was asked about.
    pub(super) fn with_line(&self, line: String, facts: &Facts) -> String {
        match self.carried(facts) {
            Some(carried) => carried.with_command(&self.line, &line),
            None => line,
        }
    }
}

/// A line that was read.
struct Read {
    script: Script,
    plan: Plan,
    /// What is known of the shell behind it.
    next: Option<SoFar>,
}

/// What stands in a line that asks for the root of the repository.
const ASKS: &[u8] = b"--show-toplevel";

impl<R: Borrow<RuleSet>> Judge<R> {
    /// Returns what judges in a world that is made up: with these rules and facts, and else as where nothing is set.
    #[must_use]
    pub fn supposing(rules: R, facts: Facts) -> Self {
        Self {
            rules,
            facts,
            environment: observe::Environment::default(),
            terms: terms(&Settings::default()),
            shell: Shell::default(),
            reads_scripts: false,
        }
    }

    /// Returns what judges in the same world, but by these rules, facts and terms.
    #[must_use]
    pub fn with<'r>(&self, rules: &'r RuleSet, facts: Facts, terms: Terms) -> Judge<&'r RuleSet> {
        let (shell, reads_scripts) = (self.shell, self.reads_scripts);
        Judge { rules, facts, environment: self.environment.clone(), terms, shell, reads_scripts }
    }

    /// Judges a line.
    pub fn judge(&self, request: &Request<'_>) -> Result<Judgement, Damaged> {
        let start = Instant::now();
        let line = String::from_utf8_lossy(request.line).into_owned();
        // Of bytes that are no text a frame would carry what was put in their place, and that is not what runs.
        let is_text = line.as_bytes() == request.line;
        let scripts = observe::Scripts::default();
        let files: &dyn reading::Scripts = if self.reads_scripts { &scripts } else { &NoScripts };
        // A frame begins in a shell of which nothing is known.
        let may_be_framed = is_text && request.so_far.is_none();
        let frame = || frame::recognise(&line, &self.facts, files).filter(is_whole);
        let frame = may_be_framed.then(frame).flatten();
        let world = World::around(self);
        let Read { script, mut plan, next } = self.read(request, frame.as_ref(), &world, files);
        let (scripts, unread) = scripts.into_read();
        if !is_text {
            let places = places(request.line);
            place(&mut plan, |span| Span::new(places[span.start], places[span.end]));
        }
        plan.recall(request.past);
        let whole = Span::new(0, line.len());
        for reason in &request.opaque {
            plan.opaque.push(Opaque { reason: reason.clone(), span: whole });
        }
        let mut assessment = self.assess(&line, &plan, &world)?;
        if plan.earlier > 0 {
            assessment = assessment.without_earlier(plan.earlier);
            plan = plan.without_earlier();
        }
        if let Some(frame) = &frame {
            note_startup(frame, &line, &mut assessment);
        }
        self.keep_advice(&mut assessment, &world);
        let action = action(&assessment, &self.terms);
        let judgement = Judgement::new(line, plan, assessment, action, start);
        Ok(Judgement { frame, script, scripts, unread, next, ..judgement })
    }

    /// Judges what a tool of an agent would do, told in these words: no text of a shell, so no structural query is about it.
    pub fn judge_plan(&self, line: String, plan: Plan) -> Result<Judgement, Damaged> {
        let start = Instant::now();
        let rules = self.rules.borrow();
        let mut assessment = policy::assess(&line, &plan, rules, &self.facts, &NoTree)?;
        self.keep_advice(&mut assessment, &World::around(self));
        let action = action(&assessment, &self.terms);
        Ok(Judgement::new(line, plan, assessment, action, start))
    }

    fn read(
        &self,
        request: &Request<'_>,
        frame: Option<&Frame>,
        world: &World<'_>,
        scripts: &dyn reading::Scripts,
    ) -> Read {
        let carried = frame.and_then(Frame::carried);
        let texts = carried.map_or(&[][..], |carried| &carried.before);
        let before = request.before.iter().chain(texts);
        let dialect = Dialect::from(request.shell.unwrap_or(self.shell));
        let parse = |text: &String| syntax::parse_for(text.as_bytes(), dialect);
        let before: Vec<Script> = before.map(parse).collect();
        let is_set_up = carried.is_some_and(|carried| carried.is_set_up);
        // Where there is no repository, git says nothing of where it is.
        let is_asked = request.line.windows(ASKS.len()).any(|words| words == ASKS);
        let circumstances = Circumstances {
            facts: if is_asked { world.with_git() } else { world.facts },
            dialect,
            environment: if is_set_up { Environment::Approximate } else { request.environment },
            positional: request.positional.clone(),
            before: &before,
            scripts,
        };
        if let Some(carried) = carried {
            return read_carried(carried, &circumstances);
        }
        let script = match frame {
            Some(_) => Script::default(),
            None => syntax::parse_for(request.line, dialect),
        };
        let Some(so_far) = request.so_far else {
            let plan = reading::plan(&script, &circumstances);
            return Read { script, plan, next: None };
        };
        let text = String::from_utf8_lossy(request.line);
        let (plan, next) = reading::plan_next(&text, &script, &circumstances, so_far);
        Read { script, plan, next: Some(next) }
    }

    /// Leaves of the lines that are advised those whose files are there.
    fn keep_advice(&self, assessment: &mut Assessment, world: &World<'_>) {
        // Of a world that is made up nobody knows.
        if !self.reads_scripts {
            return;
        }
        advice::keep(assessment, |line| {
            let Read { plan, .. } =
                self.read(&Request::about(line.as_bytes()), None, world, &NoScripts);
            advice::needs(&plan).into_iter().all(observe::Scripts::exists)
        });
    }

    fn assess(&self, line: &str, plan: &Plan, world: &World<'_>) -> Result<Assessment, Damaged> {
        let runs_git = plan.commands.iter().any(|command| command.program() == Some("git"));
        let facts = if runs_git { world.with_git() } else { world.facts };
        policy::assess(line, plan, self.rules.borrow(), facts, &Tree { line })
    }
}

/// The world that a line is judged in. The repository is looked at once, and only for a line that has to do with it.
struct World<'a> {
    facts: &'a Facts,
    environment: &'a observe::Environment,
    with_git: OnceCell<Facts>,
}

impl<'a> World<'a> {
    fn around<R: Borrow<RuleSet>>(judge: &'a Judge<R>) -> Self {
        Self { facts: &judge.facts, environment: &judge.environment, with_git: OnceCell::new() }
    }

    fn with_git(&self) -> &Facts {
        match &self.facts.cwd {
            Some(cwd) if self.facts.git.is_none() => self.with_git.get_or_init(|| {
                let git = observe::git(self.environment, cwd);
                Facts { git, ..self.facts.clone() }
            }),
            _ => self.facts,
        }
    }
}

fn read_carried(carried: &Carried, circumstances: &Circumstances<'_>) -> Read {
    let parse = |text: &str| match text {
        "" => Script::default(),
        text => syntax::parse_for(text.as_bytes(), circumstances.dialect),
    };
    let script = parse(&carried.command);
    let (setup, closing) = (parse(&carried.setup), parse(carried.closing));
    let closes_input = carried.closes_input;
    let around = Around { setup: &setup, closing: &closing, closes_input };
    let mut plan = reading::plan_framed(&script, around, circumstances);
    place(&mut plan, |span| match carried.verbatim {
        Some(offset) => span.shifted(offset),
        None => carried.span,
    });
    Read { script, plan, next: None }
}

/// A frame counts only where what it carries is complete by itself: nothing in it reaches into the frame.
fn is_whole(frame: &Frame) -> bool {
    let is_whole = |text: &String| syntax::parse(text.as_bytes()).opaque.is_empty();
    frame
        .carried()
        .is_none_or(|carried| is_whole(&carried.command) && carried.before.iter().all(is_whole))
}

/// Says of a frame that carries nothing what it is.
fn note_startup(frame: &Frame, line: &str, assessment: &mut Assessment) {
    if frame.carries != Carries::Startup {
        return;
    }
    let reason = format!("{}'s own start-up script", frame.agent);
    if assessment.findings.is_empty() {
        assessment.reason.clone_from(&reason);
    }
    assessment.findings.push(Finding {
        rule: "frame.startup".to_owned(),
        span: Span::new(0, line.len()),
        severity: Severity::Low,
        action: Action::Allow,
        points: 0,
        reason,
        suggestion: None,
        instead: None,
    });
}

fn place(plan: &mut Plan, to: impl Fn(Span) -> Span) {
    for command in &mut plan.commands {
        command.span = to(command.span);
    }
    for opaque in &mut plan.opaque {
        opaque.span = to(opaque.span);
    }
}

/// Returns where each byte, and the end, of what is no text stands in the text that is shown for it.
fn places(bytes: &[u8]) -> Vec<usize> {
    let mut places = Vec::with_capacity(bytes.len() + 1);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        places.extend(at..at + chunk.valid().len());
        at += chunk.valid().len();
        places.extend(chunk.invalid().iter().map(|_| at));
        if !chunk.invalid().is_empty() {
            at += char::REPLACEMENT_CHARACTER.len_utf8();
        }
    }
    places.push(at);
    places
}

impl reading::Scripts for observe::Scripts {
    fn text(&self, path: &str) -> Option<String> {
        self.text(path)
    }

    fn peek(&self, path: &str) -> Option<String> {
        Self::peek(path)
    }

    fn holds_token(&self, path: &str) -> bool {
        self.is_told(path, mask::holds_secret)
    }

    fn exists(&self, path: &str) -> bool {
        Self::exists(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        Self::is_directory(path)
    }

    fn directories(&self, path: &str) -> Vec<String> {
        Self::directories(path)
    }

    fn names(&self, path: &str) -> Option<Vec<String>> {
        Self::names(path)
    }

    fn fitting(&self, directory: &str, fits: &dyn Fn(&str) -> bool) -> Option<Vec<Entry>> {
        self.fitting(directory, fits)
    }

    fn is_guard(&self, path: &str) -> bool {
        Self::is_guard(path)
    }

    fn real(&self, path: &str) -> Option<String> {
        Self::real(path)
    }

    fn repository(&self, directory: &str) -> Option<Repository> {
        self.repository(directory)
    }

    fn behind_links(&self, path: &str, facts: &Facts, follows: bool) -> Real {
        self.behind_links(path, facts, follows)
    }
}

/// Of what is no line.
struct NoTree;

impl policy::Structure for NoTree {
    fn matches(&self, _: &str) -> Vec<Span> {
        Vec::new()
    }
}

/// The tree of a line, made when a structural query asks for it.
struct Tree<'a> {
    line: &'a str,
}

impl policy::Structure for Tree<'_> {
    fn matches(&self, query: &str) -> Vec<Span> {
        let found = syntax::StructuralQuery::new(query).and_then(|query| query.matches(self.line));
        found.unwrap_or_else(|_| vec![Span::new(0, self.line.len())])
    }
}
