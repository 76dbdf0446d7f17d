//! The session host and who may do what to it: scenes with real processes, sockets and terminals, each in namespaces of its own.
//! What an agent could try to answer its own question is a row in `tests/host`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::geteuid;
use serde::Deserialize;

use crate::support::{Place, guard};
use crate::tmux::has;

/// The user that scenes are run as where the tests are run by root.
const USER: u32 = 1000;

/// How a scene is set up, before it gives up what root may do.
const SET_UP: &str = r#"
mount --bind "$PLACE/passwd" /etc/passwd && mount --bind "$PROGRAM" "$GUARD" || exit 1
# Below an agent no variable says where hosts listen.
mount -t tmpfs none /run && mkdir -p "/run/user/$AS" && mount --bind "$PLACE/run" "/run/user/$AS" || exit 1
if ((AS)); then
  chown -R "$AS:$AS" "$PLACE/home" "$PLACE/work" "$PLACE/run" && chown "$AS" "$PLACE" || exit 1
  [[ $MAY == +all ]] && { mount --bind "$PLACE/sudoers" /etc/sudoers || exit 1; }
  exec setpriv --reuid="$AS" --regid="$AS" --clear-groups --bounding-set="$MAY" bash "$PLACE/scene.sh"
fi
exec bash "$PLACE/scene.sh"
"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenes {
    scene: Vec<Scene>,
}

/// A script in the words of `prelude.sh`, and what it prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    pub name: String,
    /// The owner's settings.
    #[serde(default)]
    pub settings: String,
    /// Files beside the home and the directory to work in, or below them.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Programs without which it cannot be played. With sudo among them the user may become root by it.
    #[serde(default)]
    pub needs: Vec<String>,
    pub script: String,
    pub out: String,
}

impl Scene {
    /// Plays it; returns what is wrong.
    fn play(&self) -> Option<String> {
        let (out, errors) = self.said();
        (out != self.out).then(|| {
            format!("{}:\n--- expected\n{}--- seen\n{out}--- stderr\n{errors}", self.name, self.out)
        })
    }

    /// Whether its user may become root.
    fn raises(&self) -> bool {
        self.needs.iter().any(|program| program == "sudo")
    }

    /// Whether it can be played here; says so if not.
    fn can_be_played(&self) -> bool {
        let may = !self.raises() || geteuid().is_root();
        if !may {
            println!("skipped: nobody but root says here who may become root");
        }
        may && self.needs.iter().all(|program| has(program))
    }

    /// Plays it; returns what it prints, and what it says on standard error.
    pub fn said(&self) -> (String, String) {
        let place = Place::with(&self.settings);
        let user = if geteuid().is_root() { USER } else { 0 };
        let home = place.home();
        std::fs::create_dir(place.path("run")).unwrap();
        std::fs::set_permissions(
            place.path("run"),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .unwrap();
        place.write("passwd", format!("dev:x:{user}:{user}::{}:/bin/bash\n", home.display()));
        let may = if self.raises() {
            // Who has no password is in no other file.
            let users = format!(
                "root::0:0::/root:/bin/bash\ndev::{user}:{user}::{}:/bin/bash\n",
                home.display()
            );
            place.write("passwd", users);
            place.write("sudoers", "dev ALL=(ALL) NOPASSWD: ALL\n");
            "+all"
        } else {
            "-all"
        };
        place.write("bin/guarded-sh", "");
        for name in ["bash", "sh"] {
            place.link(name, Path::new("guarded-sh"));
        }
        place.write("talk.pl", include_str!("../host/talk.pl"));
        place.write("desktop.pl", include_str!("../host/desktop.pl"));
        place.write("client.pl", include_str!("../host/client.pl"));
        place.write("way.sh", include_str!("../host/way.sh"));
        place.write("alone.sh", include_str!("../host/alone.sh"));
        place.write("scene.sh", [include_str!("../host/prelude.sh"), &self.script].concat());
        for (path, text) in &self.files {
            place.write(path, text);
        }
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]);
        if user == 0 {
            command.arg("--map-root-user");
        }
        let guard_path = place.path("bin/guarded-sh");
        let mut child = command
            .args(["timeout", "-k", "1", "300", "/bin/bash", "-c", SET_UP])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .env("SHELL", "/bin/bash")
            .env("TERM", "dumb")
            .env("XDG_RUNTIME_DIR", format!("/run/user/{user}"))
            .env("PLACE", place.path(""))
            .env("GUARD", &guard_path)
            .env("PROGRAM", guard())
            .env("AS", user.to_string())
            .env("MAY", may)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        child.wait().unwrap();
        let errors = errors.join().unwrap();
        (out.replace(place.work().to_str().unwrap(), "WORK"), errors)
    }
}

fn play(scenes: &str) {
    play_all(&toml::from_str::<Scenes>(scenes).unwrap().scene);
}

fn play_all(scenes: &[Scene]) {
    let only = std::env::var("SCENE").ok();
    let wanted = |scene: &&Scene| only.as_ref().is_none_or(|only| scene.name.contains(only));
    let scenes = scenes.iter().filter(wanted).filter(|scene| scene.can_be_played());
    let faults: Vec<String> = scenes.filter_map(Scene::play).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kills {
    kill: Vec<Kill>,
}

/// Who is killed at which point of a question, and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kill {
    /// The host that is asked: of a session (`run`), or the user's own (`serve`).
    host: String,
    who: String,
    when: String,
    /// How often the line ran.
    ran: u8,
    /// Who decided what is recorded of it; nobody if there is no record, since it never came to a decision.
    recorded: String,
}

impl Kill {
    fn scene(&self) -> Scene {
        let Self { host, who, when, ran, recorded } = self;
        Scene {
            name: format!("{who} killed when {when} ({host})"),
            settings: String::new(),
            files: BTreeMap::new(),
            needs: Vec::new(),
            script: format!("killed {who} {when} {host}\n"),
            out: format!("ran {ran}\nrecorded {recorded}\nwhole\n"),
        }
    }
}

#[test]
fn whoever_is_killed_at_whichever_point_of_a_question_nothing_runs_unasked() {
    let kills: Kills = toml::from_str(include_str!("../host/kills.toml")).unwrap();
    let scenes: Vec<Scene> = kills.kill.iter().map(Kill::scene).collect();
    play_all(&scenes);
}

#[test]
fn a_person_answers_and_that_is_what_counts() {
    play(include_str!("../host/answers.toml"));
}

#[test]
fn each_of_many_gets_its_own_answer() {
    play(include_str!("../host/many.toml"));
}

#[test]
fn a_question_that_nobody_waits_for_keeps_no_person_from_answering() {
    play(include_str!("../host/left.toml"));
}

#[test]
fn nobody_answers_what_was_painted_over() {
    play(include_str!("../host/painted.toml"));
}

#[test]
fn a_question_is_shown_on_the_desktop() {
    play(include_str!("../host/desktop.toml"));
}

#[test]
fn what_went_past_the_guard_is_said_where_the_person_looks() {
    play(include_str!("../host/started.toml"));
}

#[test]
fn nobody_but_a_person_answers() {
    play(include_str!("../host/intruders.toml"));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ways {
    way: Vec<Way>,
}

/// A way to a yes that is no person's, and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    name: String,
    script: String,
    /// What it says, below either host.
    out: Option<String>,
    /// What it says below the user's own host.
    serve: Option<String>,
    /// What it says in a session.
    run: Option<String>,
}

impl Way {
    fn scene(&self, host: &str) -> Scene {
        let said = if host == "serve" { &self.serve } else { &self.run };
        let said = said.as_ref().or(self.out.as_ref()).unwrap();
        Scene {
            name: format!("{} ({host})", self.name),
            // The fence keeps most of these from being tried at all.
            settings: "fence = \"off\"\n".to_owned(),
            files: BTreeMap::new(),
            needs: Vec::new(),
            script: format!("way_below {host} <<'WAY'\n{}\nWAY\n", self.script),
            // The question is still open, and what it is about was not done.
            out: format!("{said}1\na\n"),
        }
    }
}

#[test]
fn a_program_that_was_let_run_answers_nothing() {
    let ways: Ways = toml::from_str(include_str!("../host/ways.toml")).unwrap();
    let scenes: Vec<Scene> =
        ways.way.iter().flat_map(|way| ["serve", "run"].map(|host| way.scene(host))).collect();
    play_all(&scenes);
}

#[test]
fn a_host_starts_by_itself_where_a_person_has_set_that_up() {
    play(include_str!("../host/setup.toml"));
}

#[test]
fn what_runs_in_a_session_asks_its_host() {
    play(include_str!("../host/sessions.toml"));
}

#[test]
fn a_yes_counts_only_from_a_host_that_a_person_started() {
    play(include_str!("../host/hosts.toml"));
}

#[test]
fn what_earlier_lines_left_is_known_to_later_ones() {
    play(include_str!("../host/recent.toml"));
}

#[test]
fn a_person_watches_in_a_pane_of_tmux() {
    play(include_str!("../host/watch.toml"));
}

/// A host in this process, for what runs below it.
mod session {
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use guarded_sh::host::{Kind, Server};
    use guarded_sh::ipc::{Client, FromDesk, FromHost, ToDesk, ToHost, place};
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    fn late() -> Instant {
        Instant::now() + Duration::from_secs(120)
    }

    /// Serves until the flag is down.
    fn serve(server: &mut Server, goes_on: &AtomicBool) {
        while goes_on.load(Ordering::Relaxed) {
            let mut polled: Vec<PollFd<'_>> =
                server.fds().map(|(fd, flags)| PollFd::new(fd, flags)).collect();
            poll(&mut polled, PollTimeout::from(20u8)).unwrap();
            let seen = |fd: &PollFd<'_>| fd.revents().unwrap_or(PollFlags::empty());
            let ready: Vec<PollFlags> = polled.iter().map(seen).collect();
            server.turn(&ready, Instant::now());
        }
    }

    fn with_session(test: impl FnOnce(&Path, PathBuf, PathBuf)) {
        let base = tempfile::tempdir().unwrap();
        let directory = place::prepare(&[base.path().join("x")], nix::unistd::geteuid().as_raw());
        let directory = directory.unwrap();
        let mut server = Server::listen(Kind::Session, &directory, "s1").unwrap();
        let name = std::process::id().to_string();
        let (ask, desk) = (place::ask(&directory, &name), place::desk(&directory, &name));
        assert_eq!(server.socket(), ask);
        let goes_on = AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| serve(&mut server, &goes_on));
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                test(&directory, ask.clone(), desk.clone());
            }));
            goes_on.store(false, Ordering::Relaxed);
            done.unwrap();
        });
        drop(server);
        assert!(!ask.exists() && !desk.exists() && place::hosts(&directory).is_empty());
    }

    fn talk(socket: &Path, message: &str) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/talk.pl");
        let call = [script.as_os_str(), socket.as_os_str(), message.as_ref()];
        let ended = Command::new("perl").args(call).output().unwrap();
        String::from_utf8(ended.stdout).unwrap()
    }

    #[test]
    fn whoever_runs_below_the_host_cannot_answer() {
        with_session(|directory, ask, desk| {
            let uid = nix::unistd::geteuid().as_raw();
            let name = std::process::id().to_string();
            let secret = place::read_secret(directory, &name, uid).unwrap();
            let said = talk(&desk, &format!("{{\"type\":\"hello\",\"secret\":\"{secret}\"}}"));
            assert!(said.contains("it runs in this session"), "{said}");
            let said = talk(&ask, "{\"type\":\"list\"}");
            assert!(said.contains("only a guarded shell asks"), "{said}");
            // This process is the host itself: it does not run below itself, and is no person's.
            let mut client = Client::connect(&ask, late()).unwrap();
            let said: FromHost = client.receive(Some(late())).unwrap();
            assert_eq!(said, FromHost::Welcome);
            client.send(&ToHost::List, late()).unwrap();
            let said: FromHost = client.receive(Some(late())).unwrap();
            assert!(matches!(&said, FromHost::Refused { why } if why.contains("in this session")));
            let mut client = Client::connect(&desk, late()).unwrap();
            client.send(&ToDesk::Hello { secret }, late()).unwrap();
            let said: FromDesk = client.receive(Some(late())).unwrap();
            assert!(matches!(said, FromDesk::Refused { .. }));
        });
    }

    #[test]
    fn who_says_nothing_is_not_waited_for_and_keeps_nobody_else() {
        with_session(|_, ask, desk| {
            let silent: Vec<UnixStream> =
                (0..400).filter_map(|_| UnixStream::connect(&ask).ok()).collect();
            let mut client = Client::connect(&desk, late()).unwrap();
            client.send(&ToDesk::List, late()).unwrap();
            assert!(matches!(client.receive(Some(late())).unwrap(), FromDesk::Refused { .. }));
            // More than are served are told so; the others when they have said nothing for too long.
            for mut stream in silent {
                let mut rest = Vec::new();
                stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
                std::io::Read::read_to_end(&mut stream, &mut rest).unwrap();
            }
        });
    }
}

#[test]
fn what_a_person_permits_a_hook_counts_for_the_shell_behind_it() {
    play(include_str!("../host/hooks.toml"));
}
