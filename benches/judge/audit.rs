//! What the record costs: masking secrets, and appending to the chain.

use std::ffi::OsStr;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use guarded_sh::audit::{
    self, DecidedBy, Door, Durability, Line, NotedFinding, Record, Site, Store, mask,
};
use guarded_sh::model::Mode;
use guarded_sh::pipeline::Request;
use guarded_sh::rules::RuleSet;
use tempfile::TempDir;

use crate::text::{self, LINES};
use crate::world::World;

/// The size of the line that is masked, in bytes.
const LONG: usize = 100_000;

/// Measures what stands between a decision and exec.
pub fn measure(criterion: &mut Criterion) {
    append(criterion);
    masking(criterion);
}

/// One record to a chain that is there, given to the system and not waited for.
fn append(criterion: &mut Criterion) {
    let world = World::new();
    let judge = world.judge(RuleSet::builtin());
    let mut group = criterion.benchmark_group("audit, appended");
    for line in LINES.into_iter().filter(|line| matches!(line.name, "true" | "long")) {
        let state = TempDir::new().expect("a temporary directory can be made");
        let store = Store::new(state.path(), Durability::System);
        let judgement = judge.judge(&Request::about(line.text.as_bytes()));
        let judgement = judgement.expect("the built-in rules are whole");
        let noted = Line::new(OsStr::new(line.text));
        let record = Record {
            time: audit::now(),
            door: Door::Shell,
            session: Some("a-session".to_owned()),
            caller: Some("claude".to_owned()),
            pid: std::process::id(),
            site: Site::default(),
            cwd: world.facts.cwd.clone(),
            action: judgement.action,
            severity: judgement.assessment.severity,
            score: judgement.assessment.score,
            findings: NotedFinding::of(&judgement.assessment.findings, &noted),
            line: noted,
            scripts: Vec::new(),
            decided_by: DecidedBy::Policy,
            mode: Mode::Enforce,
            micros: judgement.micros,
            purpose: None,
            fence: None,
            undo: None,
            ran: None,
            opinion: None,
            question: None,
            hook: None,
            frame: None,
            earlier: guarded_sh::audit::Earlier::No,
            client: None,
            ended: None,
        };
        group.bench_function(line.name, |b| {
            b.iter(|| store.append(black_box(&record)).expect("a record can be written"));
        });
    }
    group.finish();
}

/// A long line without secrets, and one full of them.
fn masking(criterion: &mut Criterion) {
    let plain = text::script(LONG);
    let secret = "curl -H 'Authorization: Bearer abcdef0123456789' https://u:hunter2@example.com/ && \
                  TOKEN=0123456789abcdef mysql --password=hunter2 -e 'select 1'; ";
    let times = LONG / secret.len();
    let secrets = secret.repeat(times);
    assert_eq!(mask::mask(&secrets).matches(mask::MASK).count(), 4 * times, "each is masked");
    let mut group = criterion.benchmark_group("audit, masked");
    for (name, text) in [("without secrets", &plain), ("full of secrets", &secrets)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| mask::mask(black_box(text))));
    }
    group.finish();
}
