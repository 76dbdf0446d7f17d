//! What a host needs for all that it can hold, and how long it looks for one thing among it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use guarded_sh::host::{Asker, Memory, Owner, Reply, Wait};
use guarded_sh::ipc::Door;
use guarded_sh::model::{
    Answer, Covers, Effect, EffectKind, Passed, Question, Recent, Scope, Score, Severity, Target,
};
use guarded_sh::observe::Process;

const GRANTS: u32 = 10_000;
const PENDING: u32 = 1_000;

/// As the system's chance is not asked: numbers that are not there yet.
fn next() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

fn question(number: u32) -> Question {
    let line = format!("git push origin feature/number-{number}");
    let reason = format!("publishes the branch 'feature/number-{number}'");
    let target = Target::Text { text: Some(format!("feature/number-{number}")) };
    let scope = Scope {
        severity: Severity::Medium,
        rules: vec!["git.push".to_owned()],
        effects: vec![Effect { kind: EffectKind::Publish, target }],
        signatures: vec![vec!["git".to_owned(), "push".to_owned(), number.to_string()]],
        words: vec![format!("{line}, in /home/dev/project")],
    };
    Question {
        line,
        cwd: Some("/home/dev/project".to_owned()),
        agent: Some("claude".to_owned()),
        program: None,
        session: Some("run-1764000000-0badcafe".to_owned()),
        severity: Severity::Medium,
        score: Score::within(Severity::Medium, 5),
        reason,
        instead: None,
        findings: Vec::new(),
        scope,
        held: None,
        opinion: None,
        recent: Recent::default(),
        files: None,
        difference: None,
        anew: None,
        client: None,
    }
}

fn asker(number: u32) -> Asker {
    let process = Process { id: number, started: u64::from(number) };
    let (realm, door) = (String::new(), Door::default());
    Asker {
        connection: u64::from(number),
        process,
        chain: vec![process],
        realm,
        owner: Owner { process, is_agent: true },
        door,
        tries: false,
    }
}

/// Bytes that this process has in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Fills a host's memory, and looks for what is there and what is not.
pub fn measure(little: bool) {
    let (grants, pending) = if little { (GRANTS / 100, PENDING / 100) } else { (GRANTS, PENDING) };
    let now = Instant::now();
    let before = resident();
    let mut memory = Memory::new(next, |_| true);
    let covers = Covers::Signature;
    for number in 0..grants {
        let Reply::Open(id) =
            memory.ask(question(number), asker(number), Wait::ForPerson { until: None }, now)
        else {
            panic!("it is not asked");
        };
        memory.answer(&id, Answer::Session { covers }, now).unwrap();
    }
    for number in grants..grants + pending {
        let reply =
            memory.ask(question(number), asker(number), Wait::ForPerson { until: None }, now);
        assert!(matches!(reply, Reply::Open(_)), "{reply:?}");
    }
    let bytes = resident().saturating_sub(before);
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..grants {
        for (number, is_there) in [(number, true), (number + 2 * GRANTS, false)] {
            let (question, asker) = (question(number), asker(number));
            let start = Instant::now();
            let reply = memory.ask(question, asker, Wait::Never, now);
            times.push(start.elapsed());
            assert_eq!(reply == Reply::Granted(Passed::Session), is_there);
        }
    }
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    println!(
        "{pending} open questions and {grants} grants: {:.1} MB; a look-up takes {:?}, p99 {p99:?}",
        bytes as f64 / 1e6,
        times[times.len() / 2],
    );
    assert!(little || bytes < 10_000_000 && p99 < Duration::from_millis(1), "too much");
}
