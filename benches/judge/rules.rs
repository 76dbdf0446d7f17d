//! What owners' rules cost: compiling them, loading them as each start does, judging with them.

use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode};
use guarded_sh::config::{
    self, CacheUse, Environment, ExampleCheck, ExampleError, LoadRequest, Loaded, Places,
};
use guarded_sh::pipeline::{Request, examples};
use guarded_sh::rules::{Entry, Examples, RuleSet};
use tempfile::TempDir;

use crate::Extent;
use crate::world::World;

/// How many rules the owner has.
const COUNTS: [usize; 3] = [0, 100, 10_000];
/// The most that are compiled quickly without optimisation.
const FEW: usize = 100;
/// How many of them stand in one file.
const IN_A_FILE: usize = 1_000;
/// After so long, time stamps of files of rules are believed: only then are compiled rules used without reading the files.
const AGED: Duration = Duration::from_secs(4);

/// A line that no rule is about, and one that two of each hundred are about.
const LINES: [&str; 2] = ["true", "git push origin feature > out/push.txt"];

/// Measures owners without rules, with few and with many.
pub fn measure(criterion: &mut Criterion, extent: Extent) {
    let counts = COUNTS.into_iter().filter(|count| extent == Extent::Whole || *count <= FEW);
    let owners: Vec<Owner> = counts.map(Owner::new).collect();
    if extent == Extent::Whole {
        std::thread::sleep(AGED);
    }
    let world = World::new();
    compile(criterion, &owners);
    load(criterion, &owners);
    start(criterion, &world, &owners);
    judge(criterion, &world, &owners);
}

/// Every rule is read, checked and encoded, and its examples are judged.
fn compile(criterion: &mut Criterion, owners: &[Owner]) {
    let mut group = criterion.benchmark_group("rules, compiled");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for owner in owners {
        group.bench_function(BenchmarkId::from_parameter(owner.rules), |b| {
            b.iter(|| owner.compile());
        });
    }
    group.finish();
}

/// What each start pays before it judges: settings, and the head of the compiled rules.
fn load(criterion: &mut Criterion, owners: &[Owner]) {
    let mut group = criterion.benchmark_group("rules, loaded from the cache");
    for owner in owners {
        owner.compile();
        group.bench_function(BenchmarkId::from_parameter(owner.rules), |b| {
            b.iter(|| owner.load());
        });
    }
    group.finish();
}

/// All that a start pays: the pieces of the compiled rules that a line needs are read when it is judged.
fn start(criterion: &mut Criterion, world: &World, owners: &[Owner]) {
    let mut group = criterion.benchmark_group("rules, loaded for one line");
    for owner in owners {
        owner.compile();
        for line in LINES {
            let request = Request::about(line.as_bytes());
            group.bench_function(BenchmarkId::new(line, owner.rules), |b| {
                b.iter(|| world.judge(owner.load().rules).judge(black_box(&request)));
            });
        }
    }
    group.finish();
}

/// A line after others: what was read of the rules is kept.
fn judge(criterion: &mut Criterion, world: &World, owners: &[Owner]) {
    let mut group = criterion.benchmark_group("rules, judged by");
    for owner in owners {
        let judge = world.judge(owner.compile().rules);
        for line in LINES {
            let request = Request::about(line.as_bytes());
            group.bench_function(BenchmarkId::new(line, owner.rules), |b| {
                b.iter(|| judge.judge(black_box(&request)));
            });
        }
    }
    group.finish();
}

/// An owner with rules, in a throw-away home.
struct Owner {
    rules: usize,
    places: Places,
    _root: TempDir,
}

impl Owner {
    fn new(rules: usize) -> Self {
        let root = TempDir::new().expect("a temporary directory can be made");
        let (system, home) = (root.path().join("etc"), root.path().join("home"));
        let places = Places::below(system, Some(home), Environment::default());
        let settings = places.settings().expect("there is a home");
        fs::create_dir_all(settings.join("rules")).expect("a directory can be made");
        fs::write(settings.join("config.toml"), "profile = \"balanced\"\n")
            .expect("a file can be written");
        for first in (0..rules).step_by(IN_A_FILE) {
            let file = settings.join(format!("rules/from-{first}.toml"));
            let pack = pack(first..rules.min(first + IN_A_FILE));
            fs::write(file, pack).expect("a file can be written");
        }
        Self { rules, places, _root: root }
    }

    /// Loads settings and rules, and makes the compiled ones anew.
    fn compile(&self) -> Loaded {
        self.load_by(CacheUse::Rebuild, &examples::check)
    }

    /// Loads settings and rules from the cache; it is an error if they have to be compiled.
    fn load(&self) -> Loaded {
        self.load_by(CacheUse::Use, &is_compiled)
    }

    fn load_by(&self, cache: CacheUse, check: &ExampleCheck<'_>) -> Loaded {
        let places = &self.places;
        let uid = nix::unistd::geteuid().as_raw();
        let request =
            LoadRequest { uid, places, cwd: None, workspace: None, profile: None, cache, check };
        let loaded = config::load(&request).expect("settings and rules are right");
        assert!(loaded.settings.warnings.is_empty(), "compiled rules can be kept");
        loaded
    }
}

/// Examples are judged only where rules are compiled.
fn is_compiled(_: &RuleSet, _: &Entry, _: &Examples) -> Result<(), ExampleError> {
    let line = "not any: these rules are compiled already".to_owned();
    Err(ExampleError::Missed { line, why: String::new() })
}

/// Returns a file of rules: of each hundred, one about a remote, one about a directory, the others about programs.
fn pack(numbers: Range<usize>) -> String {
    let mut pack = "pack = \"mine\"\n".to_owned();
    for number in numbers {
        let rule = match number % 100 {
            0 => format!(
                "command = [\"git\", \"push\"]\noperands = {{ any = [\"remote-{number}\"] }}\n\
                 matches = [\"git push remote-{number}\"]\npasses = [\"git push origin\"]\n"
            ),
            1 => format!(
                "effects = {{ any = [\"write\"] }}\ntarget = {{ path = [\"/srv/area-{number}/**\"] }}\n\
                 matches = [\"cp a /srv/area-{number}/a\"]\npasses = [\"cp a b\"]\n"
            ),
            _ => format!(
                "command = [\"tool-{number}\", \"deploy\"]\n\
                 matches = [\"tool-{number} deploy --now\"]\npasses = [\"tool-{number} list\"]\n"
            ),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            pack,
            "\n[[rule]]\nid = \"mine.rule-{number}\"\nseverity = \"high\"\nreason = \"changes what others use\"\n\
             suggestion = \"ask the owner of {number} first\"\n{rule}"
        );
    }
    pack
}
