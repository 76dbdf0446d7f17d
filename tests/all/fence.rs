//! The fence: harm that the judge was told to allow has no effect, real work is as without it, and where the kernel has no Landlock
//! lines run as before. Each row runs in namespaces of its own: the root is read-only, home and workspace are throw-away.

mod harm;
mod misfit;
mod oracle;
mod permitted;
mod prepared;
mod stopped;
mod work;

pub(crate) use work::{files, is_now};

use std::path::{Path, PathBuf};

use guarded_sh::fence::{Kernel, kernel};

use crate::support::{ALLOWS_ALL, Call, Ended, Place, guard};

/// Makes the world of a row, and runs the row in it: HOME WORK GUARD RUST BEFORE LINE AFTER CALL ESCAPE. A row that tries to get out has the program
/// that takes the ways out, and the workspace in the same file system as what is beside it.
const WORLD: &str = r#"
set -e
mount -t tmpfs tmpfs /srv
mkdir -p /srv/work /srv/other/deep /srv/rust
echo old >/srv/other/file
[[ -z $4 ]] || mount --bind "$4" /srv/rust
mount --bind "$1" /root
if [[ $9 ]]; then cp "$9" /srv/work/escape; else mount --bind "$2" /srv/work; fi
mount -o remount,bind,ro / 2>/dev/null || true
mount -t tmpfs tmpfs /tmp
export HOME=/root
guard=$3 before=$5 line=$6 after=$7 call=$8
cd /srv/work
set +e
outside() { echo >/srv/other/end; read -r _ </srv/other/ended; [[ -e /srv/other/heard ]]; }
eval "$before" </dev/null >/dev/null 2>&1
cd /srv/work
eval "$call" </dev/null
status=$?
eval "$after" </dev/null >/dev/null 2>&1 && printf 'EFFECT\n'
exit "$status"
"#;

/// How a line is run where its row does not say.
const CALL: &str = r#""$guard" -c "$line""#;

/// What stands in every home: something to lose, and something to steal.
const HOME: &str = r"
mkdir -p ~/other/deep ~/.ssh ~/.aws ~/.config/gh ~/.local/bin ~/.cargo/bin .git/objects .git/refs .git/hooks
for f in ~/notes ~/other/deep/file; do echo precious >$f; done
for f in ~/.ssh/id_rsa ~/.aws/credentials ~/.config/gh/hosts.yml ~/.npmrc; do echo KEY >$f; done
for f in ~/.bashrc ~/.profile; do echo '# mine' >$f; done
printf '[user]\nname = n\nemail = e@example.org\n[init]\ndefaultBranch = main\n' >~/.gitconfig
echo 'ref: refs/heads/main' >.git/HEAD
printf '[core]\nrepositoryformatversion = 0\nfilemode = true\nbare = false\nlogallrefupdates = true\n' >.git/config
";

/// A line in a world of its own.
#[derive(Clone, Copy)]
struct Scene<'s> {
    /// What is there before, as a script.
    before: &'s str,
    line: &'s str,
    /// What is asked after it; its success is an effect.
    after: &'s str,
    call: &'s str,
    /// The program that takes the ways out.
    escape: Option<&'s Path>,
}

impl<'s> Scene<'s> {
    const fn of(before: &'s str, line: &'s str, after: &'s str) -> Self {
        Self { before, line, after, call: CALL, escape: None }
    }

    /// Runs it where a threshold lets all lines run.
    fn run(self, place: &Place, settings: &str) -> Ended {
        self.run_with(place, &format!("{settings}{ALLOWS_ALL}"))
    }

    fn run_with(self, place: &Place, settings: &str) -> Ended {
        place.set(settings);
        let patience = std::time::Duration::from_secs(300);
        let ended = self.at(place).run_within(patience);
        ended.unwrap_or_else(|| panic!("{} does not end", self.line))
    }

    /// The call that makes its world, and plays it there.
    fn at(self, place: &Place) -> Call {
        let before = format!("{HOME}{}", self.before);
        let rust = toolchain().unwrap_or_default();
        let words: [&Path; 4] = [&place.home(), &place.work(), guard(), &rust];
        let unshare = ["-rm", "--pid", "--fork", "--kill-child", "--mount-proc"];
        place
            .call("/usr/bin/unshare")
            .with_users_of_machine()
            .args(unshare)
            .args(["/bin/bash", "-c", WORLD, "bash"])
            .args(words)
            .args([before.as_str(), self.line, self.after, self.call])
            .args([self.escape.unwrap_or(Path::new(""))])
            .env("PATH", path())
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
    }
}

fn run(place: &Place, settings: &str, before: &str, line: &str, after: &str) -> Ended {
    Scene::of(before, line, after).run(place, settings)
}

/// The toolchain that builds these tests, if it is the one of rustup's that cargo names.
pub(crate) fn toolchain() -> Option<PathBuf> {
    let cargo = PathBuf::from(std::env::var_os("CARGO")?);
    let root = cargo.parent()?.parent()?.to_owned();
    root.join("bin/rustc").is_file().then_some(root)
}

/// PATH with the tools that the machine has, but for those in a home.
pub(crate) fn path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let kept: Vec<&str> = path.split(':').filter(|place| !place.starts_with("/root")).collect();
    format!("/srv/rust/bin:{}", kept.join(":"))
}

pub(crate) fn has(program: &str) -> bool {
    if toolchain().is_some_and(|root| root.join("bin").join(program).is_file()) {
        return true;
    }
    path().split(':').any(|place| Path::new(place).join(program).is_file())
}

/// Why nothing can be shown here, if so.
fn skipped() -> bool {
    if !matches!(kernel(), Kernel::Version(6..)) {
        println!("skipped: the kernel's Landlock is {:?}", kernel());
        return true;
    }
    let place = Place::new();
    let ended = run(&place, "", "", "echo here", "false");
    if ended.out() != "here\n" {
        println!("skipped: no namespaces here: {}", ended.err());
        return true;
    }
    false
}

const ON: &str = "fence = \"on\"\n";

/// Plays rows, a few at a time.
pub(crate) fn play<Row: Sync>(rows: &[Row], fault: impl Fn(&Row) -> Option<String> + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let faults = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) =
                    rows.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if let Some(fault) = fault(row) {
                        faults.lock().unwrap().push(fault);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} rows:\n{}", faults.len(), faults.join("\n"));
}

/// The rows whose name holds `ROW`, and whose programs are here.
pub(crate) fn wanted<Row>(
    rows: Vec<Row>,
    name: impl Fn(&Row) -> &str,
    needs: impl Fn(&Row) -> &[String],
) -> Vec<Row> {
    let only = std::env::var("ROW").unwrap_or_default();
    let mut rows = rows;
    rows.retain(|row| {
        let lacks = needs(row).iter().find(|program| !has(program));
        if let Some(lacks) = lacks {
            println!("skipped: {}: there is no {lacks} here", name(row));
        }
        lacks.is_none() && name(row).contains(&only)
    });
    rows
}

/// Has the kernel deny calls, and runs the rest of its words. The first word: numbers of calls and what they answer, as `444:38`; with `272/0&64=64:1` only
/// where the first of what the call is given (counted from 0) has this value in these bits.
pub(crate) const WITHOUT: &str = r"
import ctypes, os, struct, sys
filters = []
for pair in sys.argv[1].split():
    call, answer = pair.split(':')
    number, _, given = call.partition('/')
    looks = []
    if given:
        at, bits = given.split('&')
        bits, value = bits.split('=')
        looks = [(0x20, 0, 0, 16 + 8 * int(at)), (0x54, 0, 0, int(bits, 0)), (0x15, 0, 1, int(value, 0))]
    filters += [(0x20, 0, 0, 0), (0x15, 0, len(looks) + 1, int(number)), *looks, (0x06, 0, 0, 0x00050000 | int(answer))]
filters += [(0x06, 0, 0, 0x7fff0000)]
code = b''.join(struct.pack('HBBI', *one) for one in filters)
buffer = ctypes.create_string_buffer(code)
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
program = Program(len(filters), ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execvp(sys.argv[2], sys.argv[2:])
";

#[test]
fn without_landlock_lines_run_as_before_and_the_record_and_doctor_say_so() {
    if !has("python3") {
        println!("skipped: there is no python3 here");
        return;
    }
    let place = Place::with(&format!("{ON}{ALLOWS_ALL}"));
    let call = |words: &[&str]| {
        place
            .call("/usr/bin/env")
            .args(["python3", "-c", WITHOUT, "444:38 445:38 446:38"])
            .args([guard()])
            .args(words)
            .run_in_own_home()
    };
    let ended = call(&["-c", "echo x >>../home/kept; echo ran"]);
    if ended.err().contains("unshare") {
        println!("skipped: no namespaces here: {}", ended.err());
        return;
    }
    assert_eq!(
        (ended.code(), ended.out(), ended.err()),
        (Some(0), "ran\n".to_owned(), String::new())
    );
    let records = place.records();
    assert!(
        records.contains(r#""fence":{"by":"nothing","why":"the kernel has no Landlock"#),
        "{records}"
    );
    assert!(call(&["doctor"]).out().contains("this kernel has no Landlock"));
}

#[test]
fn without_filters_of_system_calls_lines_run_and_doctor_says_what_is_not_held() {
    if !has("python3") || skipped() {
        return;
    }
    // prctl(PR_SET_SECCOMP), which whoever holds this process denies or says to be missing.
    let prctl = if cfg!(target_arch = "x86_64") { 157 } else { 167 };
    for answer in [1, 38] {
        let place = Place::new();
        let calls = format!("{prctl}/0&0xff=22:{answer}");
        let call = format!(
            "without() {{ python3 -c {} '{calls}' \"$guard\" \"$@\"; }}; without -c \"$line\"; without doctor >doctor",
            shell_words::quote(WITHOUT)
        );
        let line = "echo x >>/root/notes; echo ran";
        let ended = Scene { call: &call, ..Scene::of("", line, "grep x ~/notes") }.run(&place, ON);
        // The domain holds it all the same.
        assert_eq!(ended.out(), "ran\n", "{answer}: {}", ended.err());
        assert!(!ended.err().contains("refused: "), "{answer}: {}", ended.err());
        let doctor = std::fs::read_to_string(place.work().join("doctor")).unwrap();
        let says = "which does not hold typing into terminals";
        assert!(doctor.contains(says), "{answer}: {doctor}");
    }
}

/// What `doctor` says of an older Landlock, by its version.
const OLDER: [(i32, &str); 5] = [
    (1, "fence  NOT HERE: the Landlock of this kernel is too old"),
    (2, "Landlock 2, which does not hold truncate(2), TCP, signals and abstract sockets\n"),
    (3, "Landlock 3, which does not hold TCP, signals and abstract sockets\n"),
    (5, "Landlock 5, which does not hold signals and abstract sockets\n"),
    (6, "fence  on: Landlock 6\n"),
];

#[test]
fn doctor_says_what_an_older_landlock_does_not_hold() {
    if !has("strace") || skipped() {
        println!("skipped: no strace, or nothing to be shown");
        return;
    }
    let place = Place::new();
    let call = r#"for version in $line; do
      strace -f -qq -o /dev/null -e trace=landlock_create_ruleset -e inject=landlock_create_ruleset:retval=$version "$guard" doctor
      echo "end of $version"
    done"#;
    let versions = OLDER.map(|(version, _)| version.to_string()).join(" ");
    let ended = Scene { call, ..Scene::of("", &versions, "false") }.run(&place, ON);
    let said = ended.out();
    let mut rest = said.as_str();
    for (version, says) in OLDER {
        let (one, after) = rest.split_once(&format!("end of {version}\n")).unwrap_or((rest, ""));
        assert!(one.contains(says), "{version}: {one} {}", ended.err());
        rest = after;
    }
}

/// Who calls, by what is around the guard, and whether its lines are held where the settings say nothing of a fence.
const CALLERS: [(&str, &str, bool); 4] = [
    ("a person", r#""$guard" -c "$line""#, false),
    ("an agent that is known", r#"CLAUDECODE=1 "$guard" -c "$line""#, true),
    ("what a host started", r#"GUARDED_SH_SESSION=s "$guard" -c "$line""#, true),
    (
        "an agent below `run`",
        r#"export line; XDG_RUNTIME_DIR=/tmp "$guard" run -- perl -e 'system $ENV{SHELL}, "-c", $ENV{line}'"#,
        true,
    ),
];

#[test]
fn lines_of_agents_and_below_run_are_held_where_nothing_is_set() {
    if skipped() {
        return;
    }
    for (name, call, is_held) in CALLERS {
        let place = Place::new();
        let scene = Scene { call, ..Scene::of("", "echo x >>/root/notes", "grep x ~/notes") };
        let ended = scene.run(&place, "");
        let happens = ended.out().ends_with("EFFECT\n");
        assert_eq!(happens, !is_held, "{name}: {} {}", ended.out(), ended.err());
        let records = place.records();
        assert_eq!(records.contains(r#""fence":{"by":"domain""#), is_held, "{name}: {records}");
    }
}

#[test]
fn the_record_says_how_a_line_was_held_and_whether_it_was_the_fence() {
    if skipped() {
        return;
    }
    let place = Place::new();
    let asks = r#"
for path in /root/.bashrc /root/new /srv/work/new /dev/null /root/.ssh/id_rsa /srv/none/new; do
  printf '%s ' "$path"; "$guard" log -n 1 --fenced="$path" | sed -n '2s/: .*//p'
done >/srv/work/asked 2>&1
"$guard" log --fenced >>/srv/work/asked
"#;
    let ended = run(&place, ON, "", "echo x >>/root/.bashrc", asks);
    assert_eq!(ended.code(), Some(1), "{}", ended.err());
    let asked = std::fs::read_to_string(place.work().join("asked")).unwrap();
    for said in [
        "/root/.bashrc     the fence\n",
        "/root/new     the fence\n",
        "/srv/work/new     not the fence\n",
        "/dev/null     not the fence\n",
        "/root/.ssh/id_rsa     the fence\n",
        "/srv/none/new     not the fence\n",
        "writes   /srv/work /tmp",
        "reads    all but ",
        "refused  /root/.bashrc",
        "may not connect",
    ] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
    assert!(!asked.contains("/root/.bashrc /root/.ssh"));
}

#[test]
fn report_holds_nothing_and_says_what_would_be_refused() {
    if skipped() {
        return;
    }
    let place = Place::new();
    let ended = run(&place, "fence = \"report\"\n", "", "echo x >>/root/notes", "grep x ~/notes");
    assert_eq!((ended.code(), ended.out()), (Some(0), "EFFECT\n".to_owned()), "{}", ended.err());
    let records = place.records();
    assert!(records.contains(r#""fence":{"by":"report""#), "{records}");
    assert!(records.contains(r#""refused":["/root/notes"]"#), "{records}");
}

#[test]
fn lines_inside_of_lines_put_no_domain_on_one_that_allows_no_more() {
    if skipped() {
        return;
    }
    let place = Place::new();
    // Twenty shells in one another: more than 16 domains do not lie on one another.
    let line = r#"n=${n-20}; export n; if ((n > 0)); then n=$((n - 1)) "$GUARD" -c "$LINE"; else echo deepest; fi"#;
    let before = format!(
        "export GUARD=\"$guard\" SHELL=\"$guard\" GUARDED_SH_SESSION=s LINE={}",
        shell_words::quote(line)
    );
    let ended = run(&place, ON, &before, line, "false");
    assert_eq!((ended.code(), ended.out()), (Some(0), "deepest\n".to_owned()), "{}", ended.err());
    let records = place.records();
    assert_eq!(records.matches(r#""by":"domain""#).count(), 1, "{records}");
    assert_eq!(records.matches(r#""by":"outer""#).count(), 20, "{records}");
}
