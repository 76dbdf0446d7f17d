//! What the record says of a path, against what really failed there: calls are watched from outside, with the fence and without. A call that fails with it
//! alone was stopped by the fence, one that fails in both runs was not, and nothing else is said of either.

use std::collections::BTreeMap;

use super::harm::Harm;
use super::{ON, Scene, has, play, skipped, wanted};
use crate::sheets;
use crate::support::Place;

/// How a line is run where its calls are watched; for so long, since what it leaves behind is waited for too.
const WATCHED: &str =
    r#"timeout -s KILL 60 strace -ff -qq -s 4096 -o /srv/trace -e trace=%file "$guard" -c "$line""#;

/// Asks the record about each path at which a call failed as the kernel denies them.
const ASKS: &str = r#"
cat /srv/trace.* >trace
grep -aE '= -1 (EACCES|EPERM) ' trace | grep -ao '"/[^"]*"' | tr -d '"' | sort -u | head -n 12 | while read -r path; do
  "$guard" log -n 1 --fenced="$path" | sed -n '2s/: .*//p' | tr '\n' ' '
  printf '\t%s\n' "$path"
done >asked
false
"#;

/// Calls with what they were given, each with whether it ever failed as the kernel denies things, and whether it ever did not.
#[derive(Default)]
struct Seen(BTreeMap<String, (bool, bool)>);

impl Seen {
    fn of(trace: &str) -> Self {
        let mut seen = Self::default();
        let calls = trace.lines().filter_map(|line| {
            let (call, result) = line.rsplit_once(" = ")?;
            Some((call.trim_end().strip_suffix(')')?, result))
        });
        // Whoever mounts is told before: see `misfit`.
        for (call, result) in calls.filter(|(call, _)| !call.starts_with("mount(")) {
            let is_denied = ["EACCES", "EPERM"].iter().any(|name| result.contains(name));
            let one = seen.0.entry(call.to_owned()).or_default();
            if is_denied { one.0 = true } else { one.1 |= !result.starts_with("-1") }
        }
        seen
    }

    fn has(&self, name: &str) -> bool {
        self.0.keys().any(|call| call.starts_with(name))
    }

    /// Calls that failed at one path and no other.
    fn failed_at(&self, path: &str) -> impl Iterator<Item = &String> {
        let named = format!("\"{path}\"");
        let is_alone = move |call: &str| call.contains(&named) && call.matches("\"/").count() == 1;
        self.0
            .iter()
            .filter(move |(call, (failed, _))| *failed && is_alone(call))
            .map(|(call, _)| call)
    }
}

/// What is wrong with a verdict on a path, if something is.
fn wrong(verdict: &str, path: &str, with: &Seen, without: &Seen) -> Option<String> {
    let failed: Vec<&String> = with.failed_at(path).collect();
    let works_without =
        |call: &&&String| without.0.get(**call).is_some_and(|seen| seen.1 && !seen.0);
    let fails_without = |call: &&String| without.0.get(*call).is_some_and(|seen| seen.0 && !seen.1);
    let stopped = failed.iter().find(works_without);
    let is_systems = !failed.is_empty() && failed.iter().all(fails_without);
    match (verdict, stopped) {
        ("not the fence", Some(call)) => {
            Some(format!("'{path}' is said not to be the fence's: {call}"))
        }
        ("the fence", None) if is_systems => {
            Some(format!("'{path}' is said to be the fence's: {failed:?}"))
        }
        ("the fence" | "not the fence" | "cannot tell", _) => None,
        (other, _) => Some(format!("'{path}': {other:?}")),
    }
}

#[test]
fn what_is_said_of_a_path_is_what_really_failed_there() {
    if skipped() {
        return;
    }
    if !has("strace") {
        println!("skipped: there is no strace here");
        return;
    }
    let all = ["harm.toml", "escapes.toml"].map(|sheet| {
        let rows: Vec<Harm> = sheets::rows(&sheets::path("tests/fence").join(sheet));
        rows.into_iter()
    });
    let mut rows = wanted(all.into_iter().flatten().collect(), |row| &row.name, |row| &row.needs);
    // Who is traced already is traced by nobody else; and what is left behind and waits for what the row asks afterwards would be waited for.
    rows.retain(|row| {
        let script = format!("{}{}", row.before, row.line);
        row.call.is_none() && !["./escape", "told"].iter().any(|word| script.contains(word))
    });
    let told = std::sync::atomic::AtomicUsize::new(0);
    play(&rows, |row| {
        let watched = |settings, after| {
            let place = Place::new();
            let scene = Scene { call: WATCHED, ..Scene::of(&row.before, &row.line, after) };
            scene.run(&place, settings);
            let read = |name| {
                let bytes = std::fs::read(place.work().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            (Seen::of(&read("trace")), read("asked"))
        };
        let (with, asked) = watched(ON, ASKS);
        let (without, _) = watched("", "cat /srv/trace.* >trace; false");
        // Below another root, a path is another file's.
        if with.has("chroot(") || without.has("chroot(") {
            return None;
        }
        asked.lines().filter_map(|line| line.split_once('\t')).find_map(|(verdict, path)| {
            told.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let why = wrong(verdict.trim(), path, &with, &without)?;
            Some(format!("{}: {why}", row.name))
        })
    });
    let told = told.into_inner();
    let is_some = std::env::var_os("ROW").is_some() || told >= 40;
    assert!(is_some, "only {told} paths were asked about");
}
