use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::model::{Effect, EffectKind, Scope, Score, Target, Trial};

fn count() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    COUNT.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)
}

fn memory() -> Memory {
    Memory::new(count, |_| true)
}

fn process(id: u32) -> Process {
    Process { id, started: 7 }
}

/// Asks over a connection, as the process of that number below process 1.
fn asker(connection: u32) -> Asker {
    let process = process(connection);
    let chain = vec![process, Process { id: 1, started: 1 }];
    Asker {
        connection: connection.into(),
        process,
        chain,
        realm: String::new(),
        owner: Owner { process: Process { id: 0, started: 7 }, is_agent: false },
        door: Door::default(),
        tries: false,
    }
}

fn question(line: &str, severity: Severity) -> Question {
    let effect = Effect { kind: EffectKind::Publish, target: Target::None };
    let words: Vec<String> = line.split(' ').take(2).map(str::to_owned).collect();
    Question {
        line: line.to_owned(),
        cwd: Some("/work".to_owned()),
        agent: None,
        program: None,
        session: None,
        severity,
        score: Score::within(severity, 5),
        reason: "because".to_owned(),
        instead: None,
        findings: Vec::new(),
        held: None,
        opinion: None,
        recent: crate::model::Recent::default(),
        files: None,
        difference: None,
        anew: None,
        client: None,
        scope: Scope {
            severity,
            rules: vec![format!("rule.{}", severity.name())],
            effects: vec![effect],
            signatures: vec![words],
            words: Vec::new(),
        },
    }
}

fn push() -> Question {
    question("git push origin", Severity::Medium)
}

fn open(reply: Reply) -> String {
    match reply {
        Reply::Open(id) => id,
        other => panic!("{other:?}"),
    }
}

/// Waits, and does not say how long.
const WAITS: Wait = Wait::ForPerson { until: None };
const NO: Answer = Answer::Deny { message: None };
const BY_SIGNATURE: Answer = Answer::Session { covers: Covers::Signature };
const BY_LINE: Answer = Answer::Session { covers: Covers::Line };

/// Asks about a line of its own; returns the id of the question.
fn ask_nth(memory: &mut Memory, n: u32, now: Instant) -> String {
    let asked = question(&format!("rm {n}"), Severity::Medium);
    open(memory.ask(asked, asker(n), WAITS, now))
}

#[test]
fn whoever_waits_gets_the_answer_and_nobody_else() {
    let now = Instant::now();
    let mut memory = memory();
    let ids: Vec<String> = (1..=20).map(|n| ask_nth(&mut memory, n, now)).collect();
    for (n, id) in ids.iter().enumerate().rev() {
        let answer = if n % 2 == 0 { Answer::Once } else { NO };
        assert_eq!(memory.answer(id, answer, now), Ok(Some(n as u64 + 1)));
        // It is spent.
        assert!(matches!(memory.answer(id, Answer::Once, now), Err(Unanswerable::Unknown(_))));
    }
    assert_eq!((memory.waiting(), memory.answered(now).count()), (0, 20));
    // An answer that someone waited for leaves nothing behind.
    open(memory.ask(question("rm 1", Severity::Medium), asker(99), WAITS, now));
}

#[test]
fn of_two_who_answer_at_once_the_one_who_says_no_is_heard() {
    let now = Instant::now();
    let mut memory = memory();
    let id = ask_nth(&mut memory, 1, now);
    memory.denying(&id, now);
    let soon = now + Duration::from_millis(500);
    let edit = Answer::Edit { line: "ls".to_owned() };
    for yes in [Answer::Once, BY_LINE, BY_SIGNATURE, Answer::Always, edit] {
        assert_eq!(memory.answer(&id, yes, soon), Err(Unanswerable::Denied));
    }
    // Nor does a yes to another that would cover it.
    let other = open(memory.ask(push(), asker(2), WAITS, now));
    let same = open(memory.ask(push(), asker(3), WAITS, now));
    memory.denying(&same, now);
    assert_eq!(memory.answer(&other, BY_SIGNATURE, soon), Ok(Some(2)));
    assert_eq!(memory.settle(Covers::Signature, soon), [0; 0]);
    assert_eq!(memory.answer(&same, NO, soon), Ok(Some(3)));
    assert_eq!(memory.answer(&id, NO, soon), Ok(Some(1)));
    // What was not meant after all keeps nobody from a yes.
    let id = ask_nth(&mut memory, 4, now);
    memory.denying(&id, now);
    assert_eq!(memory.answer(&id, Answer::Once, now + Duration::from_secs(1)), Ok(Some(4)));
}

#[test]
fn what_was_tried_can_be_kept_as_long_as_someone_waits() {
    let now = Instant::now();
    let done = |unkept: Option<&str>| {
        let (id, ended) = (Some("abc".to_owned()), "it ended with 0".to_owned());
        let (printed, untried) = (String::new(), Vec::new());
        let unkept = unkept.map(str::to_owned);
        Trying::Done(Box::new(Trial { id, ended, printed, untried, unkept }))
    };
    let mut memory = memory();
    let id = open(memory.ask(push(), Asker { tries: true, ..asker(1) }, WAITS, now));
    // Nothing was tried, and nobody was asked to.
    memory.tried(1, done(None));
    assert_eq!(memory.answer(&id, Answer::Keep, now), Err(Unanswerable::NotTried));
    assert_eq!(memory.begin_trial(&id), Some(1));
    assert_eq!((memory.begin_trial(&id), memory.trying(&id)), (None, Some(&Trying::Running)));
    assert_eq!(memory.answer(&id, Answer::Keep, now), Err(Unanswerable::NotTried));
    memory.tried(2, done(None));
    assert_eq!(memory.trying(&id), Some(&Trying::Running));
    // What could not be tried can be tried again.
    memory.tried(1, Trying::Failed { why: "no".to_owned() });
    assert_eq!(memory.begin_trial(&id), Some(1));
    memory.tried(1, done(Some("it printed too much")));
    assert_eq!(memory.answer(&id, Answer::Keep, now), Err(Unanswerable::NotTried));
    // Whoever asks again has tried nothing.
    memory.leave(1);
    assert_eq!(memory.trying(&id), Some(&Trying::Impossible));
    open(memory.ask(push(), Asker { tries: true, ..asker(3) }, WAITS, now));
    assert_eq!(memory.begin_trial(&id), Some(3));
    memory.tried(3, done(None));
    assert_eq!(memory.open(now).next().map(|entry| entry.trying), Some(done(None)));
    assert_eq!(memory.answer(&id, Answer::Keep, now), Ok(Some(3)));
    // It did not run: nothing below the shell may do the same.
    let below = Asker { chain: vec![process(4), process(3)], ..asker(4) };
    assert!(matches!(memory.ask(push(), below, Wait::Never, now), Reply::Nobody(_)));
    // Who cannot try it is not asked to; who says too much of it is not shown.
    let id = open(memory.ask(question("rm 5", Severity::Medium), asker(5), WAITS, now));
    assert_eq!(memory.begin_trial(&id), None);
    let tries = Asker { tries: true, ..asker(6) };
    let id = open(memory.ask(question("rm 6", Severity::Medium), tries, WAITS, now));
    assert_eq!(memory.begin_trial(&id), Some(6));
    memory.tried(6, Trying::Failed { why: "x".repeat(1 << 20) });
    let why = "more was said of the trial than fits".to_owned();
    assert_eq!(memory.trying(&id), Some(&Trying::Failed { why }));
}

#[test]
fn a_question_says_how_long_it_is_waited_for() {
    let start = Instant::now();
    let mut memory = memory();
    let until = Some(start + Duration::from_secs(60));
    let id = open(memory.ask(push(), asker(1), Wait::ForPerson { until }, start));
    for (milliseconds, left) in
        [(0, 60), (1, 60), (1000, 59), (59_999, 1), (60_000, 0), (70_000, 0)]
    {
        let now = start + Duration::from_millis(milliseconds);
        let (state, _) = memory.stands(&id, now).unwrap();
        assert_eq!(state, State::Waiting { left: Some(left) }, "{milliseconds}");
        assert_eq!(memory.open(now).next().unwrap().state, state);
        // Whoever was told at the beginning counts on by itself.
        let told = memory.open(start).next().unwrap().after(milliseconds / 1000);
        let State::Waiting { left: Some(counted) } = told.state else { panic!("{told:?}") };
        assert!(counted.abs_diff(left) <= 1, "{milliseconds}: {counted}");
    }
    // Of whoever has gone nothing is waited for, and one that asks again says it anew.
    memory.leave(1);
    assert_eq!(memory.stands(&id, start).unwrap().0, State::Left);
    open(memory.ask(push(), asker(2), WAITS, start));
    assert_eq!(memory.stands(&id, start).unwrap().0, State::Waiting { left: None });
}

#[test]
fn a_late_yes_counts_once_within_two_minutes_for_the_very_same() {
    let asked = Instant::now();
    let after = |seconds: u64| asked + Duration::from_secs(seconds);
    let once = |changed: Question, realm: &str, later: u64| {
        let mut memory = memory();
        let id = open(memory.ask(push(), asker(1), WAITS, asked));
        memory.leave(1);
        assert_eq!(memory.front().map(|held| held.id.clone()), None);
        assert_eq!(memory.answer(&id, Answer::Once, after(60)), Ok(None));
        let again = Asker { realm: realm.to_owned(), ..asker(2) };
        let first = memory.ask(changed.clone(), again, Wait::Never, after(60 + later));
        let again = Asker { realm: realm.to_owned(), ..asker(3) };
        let second = memory.ask(changed, again, Wait::Never, after(60 + later));
        assert!(matches!(second, Reply::Nobody(_)), "{second:?}");
        first == Reply::Granted(Passed::Once)
    };
    assert!(once(push(), "", 0));
    assert!(once(push(), "", 119));
    assert!(!once(push(), "", 120));
    assert!(!once(push(), "another agent", 1));
    let elsewhere = Question { cwd: Some("/work/x".to_owned()), ..push() };
    let nowhere = Question { cwd: None, ..push() };
    for changed in [elsewhere, nowhere, question("git push origin ", Severity::Medium)] {
        assert!(!once(changed, "", 1));
    }
    // The same bytes, which by now do something else.
    let mut more = push();
    more.scope.rules.push("rule.more".to_owned());
    assert!(!once(more, "", 1));
}

#[test]
fn a_late_yes_covers_what_is_critical_only_as_it_was_shown() {
    let now = Instant::now();
    let mut memory = memory();
    let critical = || question("rm -rf /", Severity::Critical);
    let id = open(memory.ask(critical(), asker(1), WAITS, now));
    for answer in [BY_SIGNATURE, BY_LINE, Answer::Always] {
        assert_eq!(memory.answer(&id, answer, now), Err(Unanswerable::Critical));
    }
    memory.leave(1);
    memory.answer(&id, Answer::Once, now).unwrap();
    assert_eq!(memory.ask(critical(), asker(2), Wait::Never, now), Reply::Granted(Passed::Once));
    // What was permitted runs as process 2, and starts the same.
    let below = Asker { chain: vec![process(3), process(2)], ..asker(3) };
    assert!(matches!(memory.ask(critical(), below, Wait::Never, now), Reply::Nobody(_)));
}

#[test]
fn a_late_no_and_another_line_reach_the_next_who_asks() {
    let now = Instant::now();
    let message = Some("use a branch".to_owned());
    for answer in [Answer::Deny { message }, Answer::Edit { line: "git push x".to_owned() }] {
        let mut memory = memory();
        let id = open(memory.ask(push(), asker(1), WAITS, now));
        memory.leave(1);
        memory.answer(&id, answer.clone(), now).unwrap();
        let reply = memory.ask(push(), asker(2), WAITS, now);
        assert_eq!(reply, Reply::Answered(answer));
        open(memory.ask(push(), asker(3), WAITS, now));
    }
}

#[test]
fn whoever_asks_again_takes_up_the_question_that_was_left() {
    let now = Instant::now();
    let mut memory = memory();
    let id = open(memory.ask(push(), asker(1), WAITS, now));
    // While the first still waits, one yes is for one of the two.
    let other = open(memory.ask(push(), asker(2), WAITS, now));
    assert_ne!(id, other);
    memory.leave(1);
    assert_eq!(open(memory.ask(push(), asker(3), WAITS, now)), id);
    assert_eq!(memory.open(now).count(), 2);
    assert_eq!(memory.answer(&id, Answer::Once, now), Ok(Some(3)));
    assert_eq!(memory.answer(&other, NO, now), Ok(Some(2)));
}

#[test]
fn a_yes_for_the_session_covers_no_more_than_was_shown() {
    let now = Instant::now();
    let force = || question("git push --force", Severity::High);
    let rows: [(Answer, Question, bool); 8] = [
        (BY_SIGNATURE, push(), true),
        (BY_SIGNATURE, question("git push other", Severity::Medium), true),
        (BY_SIGNATURE, question("git pull other", Severity::Medium), false),
        (BY_SIGNATURE, force(), false),
        (BY_LINE, push(), true),
        (BY_LINE, question("git push other", Severity::Medium), false),
        (BY_LINE, Question { cwd: None, ..push() }, false),
        // The same line, which does more by now.
        (BY_LINE, Question { scope: force().scope, ..push() }, false),
    ];
    for (answer, then, covered) in rows {
        let mut memory = memory();
        let id = open(memory.ask(push(), asker(1), WAITS, now));
        assert_eq!(memory.answer(&id, answer.clone(), now), Ok(Some(1)));
        for late in [0, 1_000_000] {
            let now = now + Duration::from_secs(late);
            let reply = memory.ask(then.clone(), asker(2), Wait::Never, now);
            assert_eq!(reply == Reply::Granted(Passed::Session), covered, "{answer:?} {then:?}");
            let foreign = Asker { realm: "another agent".to_owned(), ..asker(3) };
            let reply = memory.ask(then.clone(), foreign, Wait::Never, now);
            assert!(matches!(reply, Reply::Nobody(_)), "{answer:?} {then:?}");
        }
    }
    let mut memory = memory();
    let mut unsigned = push();
    unsigned.scope.signatures.clear();
    let id = open(memory.ask(unsigned, asker(1), WAITS, now));
    assert_eq!(memory.answer(&id, BY_SIGNATURE, now), Err(Unanswerable::NoSignature));
    assert_eq!(memory.answer(&id, BY_LINE, now), Ok(Some(1)));
}

#[test]
fn what_a_person_permitted_may_start_no_more_than_was_shown() {
    let now = Instant::now();
    let mut memory = memory();
    let id = open(memory.ask(push(), asker(5), WAITS, now));
    memory.answer(&id, Answer::Once, now).unwrap();
    let mut ask = |question: Question, chain: &[u32], started: u64| {
        let chain = chain.iter().map(|id| Process { id: *id, started }).collect();
        memory.ask(question, Asker { chain, ..asker(9) }, Wait::Never, now)
    };
    let inherited = Reply::Granted(Passed::Inherited);
    let other = || question("npm publish", Severity::Medium);
    assert_eq!(ask(other(), &[9, 8, 5, 1], 7), inherited);
    // The real shell may become the next guarded one.
    assert_eq!(ask(other(), &[5, 1], 7), inherited);
    assert_ne!(ask(other(), &[9, 8, 1], 7), inherited);
    // Another process with that id.
    assert_ne!(ask(other(), &[9, 5, 1], 8), inherited);
    assert_ne!(ask(question("git push", Severity::High), &[9, 5, 1], 7), inherited);
    let mut more = other();
    more.scope.effects.push(Effect { kind: EffectKind::Send, target: Target::None });
    assert_ne!(ask(more, &[9, 5, 1], 7), inherited);
    // What a person denied has nothing to hand down.
    let id = open(memory.ask(other(), asker(6), WAITS, now));
    memory.answer(&id, NO, now).unwrap();
    let below = Asker { chain: vec![process(9), process(6)], ..asker(9) };
    assert!(matches!(memory.ask(other(), below, Wait::Never, now), Reply::Nobody(_)));
}

#[test]
fn ids_are_short_and_none_comes_twice() {
    let now = Instant::now();
    // As bad as chance can be.
    let mut memory = Memory::new(
        || {
            static COUNT: AtomicU64 = AtomicU64::new(0);
            COUNT.fetch_add(1, Ordering::Relaxed) / 2
        },
        |_| true,
    );
    let mut ids: Vec<String> = (0..50).map(|n| ask_nth(&mut memory, n, now)).collect();
    assert!(ids.iter().all(|id| id.len() == LENGTH && id.bytes().all(|b| LETTERS.contains(&b))));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 50);
}

#[test]
fn more_than_fits_is_not_asked() {
    let now = Instant::now();
    let mut memory = memory();
    for n in 0..1_000 {
        let asked = question(&format!("rm {n}"), Severity::Medium);
        open(memory.ask(asked, asker(n), WAITS, now));
    }
    let reply = memory.ask(question("rm", Severity::Medium), asker(1_000), WAITS, now);
    assert!(matches!(reply, Reply::Nobody(_)), "{reply:?}");
    let mut memory = Memory::new(count, |_| true);
    let long = |n: u32| question(&format!("rm {n} {}", "x".repeat(400_000)), Severity::Medium);
    let fit = (0..1_000)
        .take_while(|n| matches!(memory.ask(long(*n), asker(*n), WAITS, now), Reply::Open(_)));
    let fit = fit.count();
    assert!((2..10).contains(&fit), "{fit}");
    // What was answered makes room, and is itself forgotten in time.
    for _ in 0..50 {
        let id = memory.open(now).next().unwrap().id;
        memory.answer(&id, NO, now).unwrap();
        open(memory.ask(long(5_000), asker(5_000), WAITS, now));
    }
    assert!(memory.answered(now).count() < 10);
}

/// What it prints is the figure; the bound is for what grows with all that is remembered.
#[test]
fn ten_thousand_grants_are_found_at_once() {
    let now = Instant::now();
    let mut memory = memory();
    let nth = |n: u32| {
        let mut asked = question(&format!("program{n} sub"), Severity::High);
        let path = Some(format!("/work/package/file-{n}.txt"));
        asked.scope.effects =
            vec![Effect { kind: EffectKind::Send, target: Target::Text { text: path } }];
        asked
    };
    // The same program with ever other targets: none of them can be left out by its name.
    let same = |n: u32| Question {
        scope: Scope { signatures: vec![vec!["git".to_owned()]], ..nth(n).scope },
        ..nth(n)
    };
    for n in 0..9_000 {
        let id = open(memory.ask(nth(n), asker(n), WAITS, now));
        memory.answer(&id, BY_SIGNATURE, now).unwrap();
    }
    for n in 9_000..10_000 {
        let id = open(memory.ask(same(n), asker(n), WAITS, now));
        memory.answer(&id, BY_SIGNATURE, now).unwrap();
    }
    let id = open(memory.ask(nth(20_000), asker(1), WAITS, now));
    assert_eq!(memory.answer(&id, BY_SIGNATURE, now), Err(Unanswerable::Full));
    for n in 0..999 {
        open(memory.ask(nth(30_000 + n), asker(n), WAITS, now));
    }
    let mut times = Vec::new();
    for n in (0..10_000).step_by(7).chain(9_000..9_200) {
        let asked = if n < 9_000 { nth(n) } else { same(n) };
        let missing = if n < 9_000 { nth(n + 50_000) } else { same(n + 50_000) };
        for (question, found) in [(asked, true), (missing, false)] {
            let start = Instant::now();
            let reply = memory.ask(question, asker(n), Wait::Never, now);
            times.push(start.elapsed());
            assert_eq!(reply == Reply::Granted(Passed::Session), found);
        }
    }
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    println!("a look-up among 10,000 grants: p50 {:?}, p99 {p99:?}", times[times.len() / 2]);
    assert!(p99 < Duration::from_millis(500), "{p99:?}");
}

#[test]
fn what_a_hook_leaves_is_for_one_shell_of_its_client() {
    let now = Instant::now();
    let later = |seconds: u64| now + Duration::from_secs(seconds);
    let client = Process { id: 1, started: 1 };
    let hook = || Asker { door: Door::Hook, ..asker(5) };
    let shell = |id: u32, command: Option<&str>| {
        let command = command.map(str::to_owned);
        Asker { door: Door::Shell { command }, ..asker(id) }
    };
    let taken = |asker: Asker, question: Question, at: Instant| {
        let mut memory = memory();
        memory.asked_by_client(push(), &hook(), client, now);
        let first = memory.ask(question.clone(), asker.clone(), Wait::Never, at);
        let mut chain = asker.chain.clone();
        chain[0] = process(7);
        let next = Asker { process: process(7), chain, ..asker };
        let again = memory.ask(question, next, Wait::Never, at);
        assert!(matches!(again, Reply::Nobody(_)), "{again:?}");
        first == Reply::Granted(Passed::Client)
    };
    assert!(taken(shell(6, None), push(), later(599)));
    assert!(!taken(shell(6, None), push(), later(600)));
    let framed = || Question { line: "eval 'git push origin'".to_owned(), ..push() };
    assert!(taken(shell(6, Some("git push origin")), framed(), now));
    assert!(!taken(shell(6, None), framed(), now));
    assert!(!taken(shell(6, None), Question { cwd: None, ..push() }, now));
    // One that another started, and one that was there before the hook.
    let chain = vec![process(6), process(4), client];
    assert!(!taken(Asker { chain, ..shell(6, None) }, push(), now));
    let mut memory = memory();
    memory.asked_by_client(push(), &hook(), client, now);
    let early = Asker { process: Process { id: 6, started: 6 }, ..shell(6, None) };
    assert!(matches!(memory.ask(push(), early, Wait::Never, now), Reply::Nobody(_)));
    // It does more by now, or is critical.
    let mut more = push();
    more.scope.rules.push("rule.more".to_owned());
    assert!(!taken(shell(6, None), more, now));
    let critical = || question("rm -rf /", Severity::Critical);
    memory.asked_by_client(critical(), &hook(), client, now);
    let reply = memory.ask(critical(), shell(6, None), Wait::Never, now);
    assert!(matches!(reply, Reply::Nobody(_)), "{reply:?}");
    // What is left does not grow.
    for number in 0..1000 {
        let line = question(&format!("git push {number}"), Severity::Medium);
        memory.asked_by_client(line, &hook(), client, now);
    }
    let ask = |memory: &mut Memory, number: u32| {
        let line = question(&format!("git push {number}"), Severity::Medium);
        memory.ask(line, shell(number, None), Wait::Never, now)
    };
    assert!(matches!(ask(&mut memory, 1), Reply::Nobody(_)));
    assert_eq!(ask(&mut memory, 998), Reply::Granted(Passed::Client));
    memory.turn_ends(client);
    assert!(matches!(ask(&mut memory, 999), Reply::Nobody(_)));
}

#[test]
fn what_a_person_answers_a_hook_is_left_for_the_shell() {
    let now = Instant::now();
    let hook = |connection| Asker { door: Door::Hook, ..asker(connection) };
    let critical = || question("rm -rf /", Severity::Critical);
    for asked in [push(), critical()] {
        let mut memory = memory();
        let id = open(memory.ask(asked.clone(), hook(2), WAITS, now));
        memory.answer(&id, Answer::Once, now).unwrap();
        // Another hook that asks the same is asked anew: the yes is for what runs.
        assert!(matches!(memory.ask(asked.clone(), hook(3), Wait::Never, now), Reply::Nobody(_)));
        let reply = memory.ask(asked.clone(), asker(4), Wait::Never, now);
        assert_eq!(reply, Reply::Granted(Passed::Once));
        assert!(matches!(memory.ask(asked, asker(5), Wait::Never, now), Reply::Nobody(_)));
    }
}

#[test]
fn a_conversation_that_is_over_leaves_no_yes() {
    let now = Instant::now();
    let mut memory = memory();
    let other = |id| Asker { realm: "another agent".to_owned(), ..asker(id) };
    for (line, answer, id) in [("git push a", BY_SIGNATURE, 3), ("rm x", BY_LINE, 4)] {
        for who in [asker(id), other(id + 2)] {
            let asked = question(line, Severity::Medium);
            let id = open(memory.ask(asked, who, WAITS, now));
            memory.answer(&id, answer.clone(), now).unwrap();
        }
    }
    memory.closes("");
    for (line, id) in [("git push a", 10), ("rm x", 20)] {
        let asked = || question(line, Severity::Medium);
        assert!(matches!(memory.ask(asked(), asker(id), Wait::Never, now), Reply::Nobody(_)));
        let reply = memory.ask(asked(), other(id + 1), Wait::Never, now);
        assert_eq!(reply, Reply::Granted(Passed::Session));
    }
}

#[test]
fn a_yes_for_the_session_settles_what_waits_and_is_covered() {
    let now = Instant::now();
    let mut memory = memory();
    let mut ask =
        |line: &str, severity, n| open(memory.ask(question(line, severity), asker(n), WAITS, now));
    let first = ask("git push origin a", Severity::Medium, 1);
    ask("git push origin b", Severity::Medium, 2);
    ask("git push origin c", Severity::High, 3);
    ask("rm a", Severity::Medium, 4);
    ask("git push origin d", Severity::Medium, 5);
    let elsewhere = Asker { realm: "another agent".to_owned(), ..asker(6) };
    let other = question("git push origin e", Severity::Medium);
    open(memory.ask(other, elsewhere, WAITS, now));
    memory.leave(5);
    assert_eq!(memory.answer(&first, BY_SIGNATURE, now), Ok(Some(1)));
    // The one that was left is settled as well, and nobody is told.
    assert_eq!(memory.settle(Covers::Signature, now), [2]);
    let open: Vec<String> = memory.open(now).map(|entry| entry.question.line).collect();
    assert_eq!(open, ["git push origin c", "rm a", "git push origin e"]);
    assert_eq!(memory.answered(now).count(), 3);
}

#[test]
fn what_an_agent_left_that_has_ended_is_withdrawn() {
    let now = Instant::now();
    // The agents with odd numbers have ended.
    let mut memory = Memory::new(count, |process| process.id % 2 == 0);
    let mut ask = |n: u32| {
        let owner = Owner { process: process(n), is_agent: true };
        let asker = Asker { owner, ..asker(n) };
        open(memory.ask(question(&format!("rm {n}"), Severity::Medium), asker, WAITS, now))
    };
    let (odd, even, late) = (ask(1), ask(2), ask(3));
    memory.leave(1);
    memory.leave(2);
    assert!(matches!(memory.answer(&odd, Answer::Once, now), Err(Unanswerable::Unknown(_))));
    // Somebody waits for this one.
    assert_eq!(memory.answer(&late, Answer::Once, now), Ok(Some(3)));
    assert_eq!(memory.answer(&even, Answer::Once, now), Ok(None));
}

#[test]
fn what_a_model_says_is_shown_with_its_question_alone() {
    let now = Instant::now();
    let mut memory = memory();
    let ids: Vec<String> = (1..=2).map(|n| ask_nth(&mut memory, n, now)).collect();
    let changes = memory.changes();
    memory.hear(2, Box::new(Heard::unavailable("x".repeat(HEARD + 1))));
    assert_eq!(memory.changes(), changes);
    memory.hear(2, Box::new(Heard::unavailable("no key")));
    memory.hear(9, Box::new(Heard::unavailable("of nobody")));
    assert_ne!(memory.changes(), changes);
    assert_eq!(memory.heard(&ids[0]), None);
    assert_eq!(memory.heard(&ids[1]), Some(&Heard::unavailable("no key")));
    let shown = memory.open(now).find(|entry| entry.id == ids[1]).unwrap();
    assert_eq!(shown.question.opinion.as_deref(), Some(&Heard::unavailable("no key")));
}

#[test]
fn a_question_that_a_model_settled_is_open_no_longer() {
    let now = Instant::now();
    let mut memory = memory();
    let ids: Vec<String> = (1..=2).map(|n| ask_nth(&mut memory, n, now)).collect();
    memory.take_back(1);
    assert_eq!((memory.waiting(), memory.stands(&ids[0], now)), (1, None));
    let late = memory.answer(&ids[0], Answer::Once, now);
    assert!(matches!(late, Err(Unanswerable::Unknown(_))), "{late:?}");
    // Whose question was answered takes nothing back.
    assert_eq!(memory.answer(&ids[1], Answer::Once, now), Ok(Some(2)));
    memory.take_back(2);
    assert_eq!(memory.answered(now).count(), 1);
}
