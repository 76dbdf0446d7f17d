//! Each step of the way through, on what the step before it made of the same line.

use std::hint::black_box;

use criterion::Criterion;
use guarded_sh::model::Arg;
use guarded_sh::pipeline::Request;
use guarded_sh::rules::RuleSet;
use guarded_sh::{catalog, policy, reading, syntax};

use crate::text::LINES;
use crate::world::{NoTree, World};

/// Measures each step on each line.
pub fn measure(criterion: &mut Criterion) {
    let world = World::new();
    syntax(criterion);
    catalog(criterion);
    reading(criterion, &world);
    policy(criterion, &world);
    judge(criterion, &world);
}

/// Our reader alone, then with the second parser that must see the same commands.
fn syntax(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("syntax, our reader alone");
    for line in LINES {
        let bytes = line.text.as_bytes();
        group.bench_function(line.name, |b| b.iter(|| syntax::parse_alone(black_box(bytes))));
    }
    group.finish();
    let mut group = criterion.benchmark_group("syntax, both parsers");
    for line in LINES {
        let bytes = line.text.as_bytes();
        assert!(syntax::parse(bytes).opaque.is_empty(), "'{}' is fully read", line.name);
        group.bench_function(line.name, |b| b.iter(|| syntax::parse(black_box(bytes))));
    }
    group.finish();
}

/// An argv to what it does.
fn catalog(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("catalog");
    for line in [
        "true",
        "git status",
        "tar --create --gzip --file=out/a.tar.gz --exclude=*.o src docs",
        "find . -type f -name *.orig -not -path ./target/* -exec grep -l part {} +",
        "mytool deploy --now",
    ] {
        let argv: Vec<Arg> = line.split(' ').map(|word| Arg::Known(word.to_owned())).collect();
        group.bench_function(line, |b| b.iter(|| catalog::interpret(black_box(&argv), &[])));
    }
    group.finish();
}

/// A script to its plan, the catalog included.
fn reading(criterion: &mut Criterion, world: &World) {
    let circumstances = world.circumstances();
    let mut group = criterion.benchmark_group("reading");
    for line in LINES {
        let script = syntax::parse(line.text.as_bytes());
        group.bench_function(line.name, |b| {
            b.iter(|| reading::plan(black_box(&script), &circumstances));
        });
    }
    group.finish();
}

/// A plan to its assessment by the built-in rules.
fn policy(criterion: &mut Criterion, world: &World) {
    let rules = RuleSet::builtin();
    let mut group = criterion.benchmark_group("policy");
    for line in LINES {
        let script = syntax::parse(line.text.as_bytes());
        let plan = reading::plan(&script, &world.circumstances());
        group.bench_function(line.name, |b| {
            b.iter(|| policy::assess(line.text, black_box(&plan), &rules, &world.facts, &NoTree));
        });
    }
    group.finish();
}

/// All of it: a line to its judgement.
fn judge(criterion: &mut Criterion, world: &World) {
    let judge = world.judge(RuleSet::builtin());
    let mut group = criterion.benchmark_group("judge");
    for line in LINES {
        let request = Request::about(line.text.as_bytes());
        group.bench_function(line.name, |b| b.iter(|| judge.judge(black_box(&request))));
    }
    group.finish();
}
