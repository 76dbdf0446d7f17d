//! How cost grows with the text. The throughput of a step stays level where its cost grows in proportion.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use guarded_sh::pipeline::Request;
use guarded_sh::rules::RuleSet;
use guarded_sh::{policy, reading, syntax};

use crate::Extent;
use crate::text;
use crate::world::{NoTree, World};

/// Scripts of this length are read to their end: `syntax::limits::MAX_NODES`.
const WHOLLY_READ: usize = 100_000;

/// The sizes of scripts, in bytes.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// The largest script of which every command is planned: reading plans some thousands and calls the rest opaque.
const WHOLLY_PLANNED: usize = 100_000;
/// The largest that runs quickly without optimisation.
const SMALL: usize = 10_000;
/// How many operands one command has.
const OPERANDS: [usize; 3] = [100, 1_000, 10_000];
/// The most that runs quickly without optimisation.
const FEW: usize = 100;

/// Measures scripts and commands of growing length.
pub fn measure(criterion: &mut Criterion, extent: Extent) {
    let world = World::new();
    scripts(criterion, &world, extent);
    operands(criterion, &world, extent);
}

fn scripts(criterion: &mut Criterion, world: &World, extent: Extent) {
    let rules = RuleSet::builtin();
    let judge = world.judge(&rules);
    let circumstances = world.circumstances();
    let mut group = criterion.benchmark_group("growth");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for size in SIZES.into_iter().filter(|size| extent == Extent::Whole || *size <= SMALL) {
        let text = text::script(size);
        let script = syntax::parse(text.as_bytes());
        let plan = reading::plan(&script, &circumstances);
        // Beyond the limit on parts the cost no longer grows.
        assert!(script.opaque.is_empty() || size > WHOLLY_READ, "{size} bytes are fully read");
        assert!(plan.opaque.is_empty() || size > WHOLLY_PLANNED, "{size} bytes are fully planned");
        let request = Request::about(text.as_bytes());
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new("syntax, our reader alone", size), |b| {
            b.iter(|| syntax::parse_alone(black_box(text.as_bytes())));
        });
        group.bench_function(BenchmarkId::new("syntax, both parsers", size), |b| {
            b.iter(|| syntax::parse(black_box(text.as_bytes())));
        });
        group.bench_function(BenchmarkId::new("reading", size), |b| {
            b.iter(|| reading::plan(black_box(&script), &circumstances));
        });
        group.bench_function(BenchmarkId::new("policy", size), |b| {
            b.iter(|| policy::assess(&text, black_box(&plan), &rules, &world.facts, &NoTree));
        });
        group.bench_function(BenchmarkId::new("judge", size), |b| {
            b.iter(|| judge.judge(black_box(&request)));
        });
    }
    group.finish();
}

fn operands(criterion: &mut Criterion, world: &World, extent: Extent) {
    let judge = world.judge(RuleSet::builtin());
    let mut group = criterion.benchmark_group("growth, operands of one command");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for many in OPERANDS.into_iter().filter(|many| extent == Extent::Whole || *many <= FEW) {
        let text = text::command(many);
        let request = Request::about(text.as_bytes());
        group.throughput(Throughput::Elements(many as u64));
        group.bench_function(BenchmarkId::new("judge", many), |b| {
            b.iter(|| judge.judge(black_box(&request)));
        });
    }
    group.finish();
}
