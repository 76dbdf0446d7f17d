//! Changes of settings, rules, prompts and agents' settings: nothing makes one but what the person's own browser signs, of what is there still, and only where
//! the guard itself would take it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use guarded_sh::audit::sha256;

use super::web::{self, Request, Seat, encoded, said};
use super::world::{World, within};

/// Where the owner's settings are.
const SETTINGS: &str = "/srv/home/.config/guarded-sh/config.toml";
/// What stands there.
const BEFORE: &str = "# mine\nprofile = \"balanced\" # for now\n\n[approval]\nwait = 3\n";
const AFTER: &str = "# mine\nprofile = \"strict\" # for now\n\n[approval]\nwait = 3\n";
/// A file of rules, all of which holds.
const RULES: &str = "pack = \"own\"\nsummary = \"mine\"\n\n[[rule]]\nid = \"own.deploy\"\ncommand = [\"make\", \"deploy\"]\nseverity = \"high\"\nreason = \"deploys\"\nmatches = [\"make deploy\"]\npasses = [\"make test\"]\n";

/// A change, as a browser signs and sends it.
#[derive(Clone)]
struct Change {
    origin: String,
    what: String,
    digest: String,
    nonce: String,
    body: String,
}

impl Change {
    /// Of what was shown; none is a file that is not there.
    fn of(world: &World, seat: &Seat, what: &str, shown: Option<&str>, body: &str) -> Self {
        Self {
            origin: world.origin.clone(),
            what: what.to_owned(),
            digest: shown.map_or("none".to_owned(), |text| sha256(text.as_bytes())),
            nonce: seat.nonce(world),
            body: body.to_owned(),
        }
    }

    fn text(&self, deed: &str) -> String {
        let Self { origin, what, digest, nonce, body } = self;
        format!("guarded-sh {deed}\n{origin}\n{what}\n{digest}\n{nonce}\n{body}")
    }

    fn request(&self, world: &World, token: &str, signature: &str) -> Request {
        let fields = [
            ("what", &self.what),
            ("digest", &self.digest),
            ("nonce", &self.nonce),
            ("body", &self.body),
        ];
        let fields = fields.map(|(name, value)| format!("{name}={}&", encoded(value)));
        let body = format!("{}signature={signature}", fields.concat());
        Request::post(world, "/change", &body).of_seat(token)
    }

    /// As the page's script sends it.
    fn signed(&self, world: &World, seat: &Seat) -> Request {
        self.request(world, &seat.token, &seat.signs(&self.text("change")))
    }
}

/// All that could be changed, each with a change that would count if it were signed.
fn deeds() -> [(&'static str, Option<&'static str>, &'static str); 5] {
    [
        ("settings", Some(BEFORE), AFTER),
        ("rules own", None, RULES),
        ("prompt brief", None, "{boundary} {canary} {prompts}"),
        ("install claude", None, ""),
        ("uninstall claude", None, ""),
    ]
}

fn write(path: &str, text: &str) {
    let path = Path::new(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// All files below the home's settings, and Claude's, with what they say.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec!["/srv/home/.config".into(), "/srv/home/.claude".into()];
    while let Some(directory) = open.pop() {
        let directory: std::path::PathBuf = directory;
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => files.push((path.display().to_string(), read(&path.to_string_lossy()))),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn nothing_is_changed_but_what_the_person_signs() {
    within("changes::nothing_is_changed_but_what_the_person_signs", || {
        write(SETTINGS, BEFORE);
        std::fs::create_dir_all("/srv/home/.claude").unwrap();
        let mut world = World::begin();
        let (seat, other) = (Seat::take(&mut world), Seat::take(&mut world));
        let before = files();
        let mut faults = Vec::new();
        for (what, shown, body) in deeds() {
            let change = || Change::of(&world, &seat, what, shown, body);
            let own = |change: Change| change.signed(&world, &seat);
            let sent =
                |change: &Change, signature: &str| change.request(&world, &seat.token, signature);
            let text = |change: &Change| change.text("change");
            let (by_other, by_stranger, as_answer, moved, swapped) =
                (change(), change(), change(), change(), change());
            let whole = change();
            let site = |site: &str| own(change()).with("Sec-Fetch-Site", Some(site));
            let rows: Vec<(&str, Request, u16)> = vec![
                ("without a seat", own(change()).with("Cookie", None), 401),
                ("the cookie alone", sent(&change(), ""), 403),
                ("a signature that is none", sent(&change(), "zz"), 400),
                (
                    "another key",
                    sent(&by_stranger, &web::signs(&web::key(), &text(&by_stranger))),
                    403,
                ),
                ("another seat's key", sent(&by_other, &other.signs(&text(&by_other))), 403),
                (
                    "signed as an answer",
                    sent(&as_answer, &seat.signs(&as_answer.text("answer"))),
                    403,
                ),
                (
                    "signed for another body",
                    sent(
                        &Change { body: "x".to_owned(), ..swapped.clone() },
                        &seat.signs(&text(&swapped)),
                    ),
                    403,
                ),
                (
                    "signed for something else",
                    sent(
                        &Change { what: "rules other".to_owned(), ..moved.clone() },
                        &seat.signs(&text(&moved)),
                    ),
                    403,
                ),
                ("a made-up number", own(Change { nonce: "0".repeat(64), ..change() }), 403),
                (
                    "another seat's number",
                    own(Change { nonce: other.nonce(&world), ..change() }),
                    403,
                ),
                (
                    "signed for another origin",
                    own(Change { origin: "http://evil.example".to_owned(), ..change() }),
                    403,
                ),
                ("another site's form", site("cross-site"), 403),
                ("another port's form", site("same-site"), 403),
                ("a form out of nowhere", site("none"), 403),
                ("another origin", own(change()).with("Origin", Some("http://evil.example")), 403),
                ("by address", own(change()).with("Host", Some("127.0.0.1")), 421),
                ("as a GET", Request { method: "GET", ..own(change()) }, 405),
                ("another digest", own(Change { digest: sha256(b"x"), ..change() }), 409),
                ("an empty digest", own(Change { digest: String::new(), ..change() }), 409),
                ("half of it", Request { body: "what=settings".to_owned(), ..own(whole) }, 422),
            ];
            for (name, request, expected) in rows {
                let answer = request.sent(&world);
                if answer.status != expected {
                    faults.push(format!("{what}, {name}: {answer:?}"));
                }
            }
        }
        let strange = |what: &str, body: &str| {
            Change::of(&world, &seat, what, None, body).signed(&world, &seat).sent(&world).status
        };
        for (what, expected) in [
            ("", 400),
            ("shell", 400),
            ("settings x", 400),
            ("rules", 400),
            ("rules ../own", 409),
            ("rules .own", 409),
            ("prompt ../../brief", 409),
            ("install --yes", 409),
            ("install system", 409),
            ("install all", 409),
        ] {
            if strange(what, RULES) != expected {
                faults.push(format!("{what:?} is answered otherwise than {expected}"));
            }
        }
        // A process below an agent, with all that it takes, is not heard.
        let change = Change::of(&world, &seat, "settings", Some(BEFORE), AFTER);
        std::fs::write("/srv/request", change.signed(&world, &seat).bytes()).unwrap();
        let mut agent = Command::new(std::env::current_exe().unwrap());
        agent.args(["--exact", "intruders::sends", "--nocapture"]);
        agent.env("GUARDED_SHD_TEST_SENDS", world.port().to_string()).env("CLAUDECODE", "1");
        agent.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(read("/srv/answer"), "403");
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(files(), before);
        // The same, from the person's own program, counts; and once.
        let taken = said(world.port(), &std::fs::read("/srv/request").unwrap());
        assert_eq!((taken.status, read(SETTINGS).as_str()), (200, AFTER), "{taken:?}");
        std::fs::write(SETTINGS, BEFORE).unwrap();
        assert_eq!(said(world.port(), &std::fs::read("/srv/request").unwrap()).status, 403);
        assert_eq!(read(SETTINGS), BEFORE);
    });
}

#[test]
fn pages_of_changes_are_for_who_has_a_seat() {
    within("changes::pages_of_changes_are_for_who_has_a_seat", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let mut faults = Vec::new();
        for path in ["/try", "/rules", "/settings", "/prompts", "/agents", "/suggestions"] {
            let get = || Request::get(&world, path);
            if get().sent(&world).status != 401 {
                faults.push(format!("{path} without a seat"));
            }
            let shown = get().of_seat(&seat.token).sent(&world);
            if shown.status != 200 {
                faults.push(format!("{path}: {shown:?}"));
            }
        }
        for path in
            ["/try", "/rules/checked", "/settings/changed", "/prompts/checked", "/agents/shown"]
        {
            let post = || {
                Request::post(&world, path, "line=ls&way=install&agent=claude&part=brief&file=own")
            };
            let cross = post().of_seat(&seat.token).with("Sec-Fetch-Site", Some("cross-site"));
            for (request, expected) in
                [(post(), 401), (cross, 403), (post().of_seat(&seat.token), 200)]
            {
                let status = request.sent(&world).status;
                if status != expected {
                    faults.push(format!("{path}: {status}, not {expected}"));
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        // Hostile text is text, wherever it is sent back.
        let hostile = encoded("<script>alert(1)</script>\u{202e}");
        for (path, body) in [
            ("/try", format!("line={hostile}&directory=/srv/home/app")),
            ("/try", format!("line=ls&directory={hostile}&rule={hostile}")),
            ("/settings/changed", format!("key=safe_domains&value={hostile}")),
            ("/settings/changed", format!("key={hostile}&value=1")),
            ("/settings/changed", format!("text=%23%20{hostile}")),
            ("/rules/checked", format!("file={hostile}&text={hostile}")),
            ("/rules/checked", format!("file=own&text=%23%20{hostile}%0A{}", encoded(RULES))),
            ("/prompts/checked", format!("part=brief&text={hostile}&line=ls&directory=/")),
        ] {
            let shown = Request::post(&world, path, &body).of_seat(&seat.token).sent(&world);
            assert_eq!(shown.status, 200, "{path}: {shown:?}");
            assert!(!shown.body.contains("<script>alert"), "{path} {body}: {}", shown.body);
        }
        // What is looked at changes nothing.
        assert_eq!(files(), []);
    });
}

#[test]
fn what_is_written_is_what_the_guard_itself_takes() {
    within("changes::what_is_written_is_what_the_guard_itself_takes", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let send = |what: &str, shown: Option<&str>, body: &str| {
            Change::of(&world, &seat, what, shown, body).signed(&world, &seat).sent(&world)
        };
        let mode = |path: &str| Path::new(path).metadata().unwrap().permissions().mode() & 0o777;
        // A new file, and what is above it, are the owner's alone.
        let new = send("settings", None, BEFORE);
        assert_eq!((new.status, read(SETTINGS).as_str()), (200, BEFORE), "{new:?}");
        assert_eq!((mode(SETTINGS), mode("/srv/home/.config/guarded-sh")), (0o600, 0o700));
        // It changed since it was shown.
        assert_eq!(send("settings", None, AFTER).status, 409);
        std::fs::write(SETTINGS, format!("{BEFORE}# more\n")).unwrap();
        let stale = send("settings", Some(BEFORE), AFTER);
        assert!(
            stale.status == 409 && stale.body.contains("has changed since it was shown"),
            "{stale:?}"
        );
        std::fs::write(SETTINGS, BEFORE).unwrap();
        // What is no settings is told, with its place.
        for (body, said) in [
            ("profile = ", "config.toml:1"),
            ("profile = \"lax\"\n", "none of"),
            ("profle = 1\n", "profile"),
            ("locked = [\"mode\"]\n", "policy"),
        ] {
            let wrong = send("settings", Some(BEFORE), body);
            assert!(wrong.status == 409 && wrong.body.contains(said), "{body}: {wrong:?}");
        }
        assert_eq!(read(SETTINGS), BEFORE);
        // Behind a link it is the owner's file that is written, and the link stays.
        std::fs::rename(SETTINGS, "/srv/home/dotfile").unwrap();
        symlink("/srv/home/dotfile", SETTINGS).unwrap();
        assert_eq!(send("settings", Some(BEFORE), AFTER).status, 200);
        assert!(Path::new(SETTINGS).is_symlink());
        assert_eq!(read("/srv/home/dotfile"), AFTER);
        // One that others may write is none.
        std::fs::set_permissions("/srv/home/dotfile", std::fs::Permissions::from_mode(0o666))
            .unwrap();
        let loose = send("settings", Some(AFTER), BEFORE);
        assert!(
            loose.status == 409 && loose.body.contains("may be changed by others"),
            "{loose:?}"
        );
        assert_eq!(read(SETTINGS), AFTER);
        std::fs::set_permissions("/srv/home/dotfile", std::fs::Permissions::from_mode(0o600))
            .unwrap();

        let own = "/srv/home/.config/guarded-sh/rules/own.toml";
        let new = send("rules own", None, RULES);
        assert_eq!((new.status, read(own).as_str(), mode(own)), (200, RULES, 0o600), "{new:?}");
        for (body, said) in [
            (RULES.replace("make test", "make deploy now"), "fires on its example"),
            (RULES.replace("high", "hot"), "none of"),
            (
                RULES.replace("own.deploy", "git.push.mirror").replace("\"own\"", "\"git\""),
                "is taken",
            ),
            ("[[rule]".to_owned(), "own.toml:1"),
        ] {
            let wrong = send("rules own", Some(RULES), &body);
            assert!(wrong.status == 409 && wrong.body.contains(said), "{body}: {wrong:?}");
        }
        assert_eq!(send("rules own", None, RULES).status, 409);
        assert_eq!(read(own), RULES);
        std::fs::set_permissions(
            "/srv/home/.config/guarded-sh/rules",
            std::fs::Permissions::from_mode(0o777),
        )
        .unwrap();
        let loose = send("rules own", Some(RULES), &RULES.replace("deploys", "x"));
        assert!(
            loose.status == 409 && loose.body.contains("may be changed by others"),
            "{loose:?}"
        );

        let brief = "/srv/home/.config/guarded-sh/prompts/brief.txt";
        let text = "{common}\nBe brief about {line}.\n";
        assert_eq!(send("prompt brief", None, text).status, 200);
        assert_eq!((read(brief).as_str(), mode(brief)), (text, 0o600));
        for (body, said) in
            [("{common} {nonsense}", "there is no placeholder"), ("no word", "it has no {")]
        {
            let wrong = send("prompt brief", Some(text), body);
            assert!(wrong.status == 409 && wrong.body.contains(said), "{wrong:?}");
        }
        assert_eq!(send("prompt brief", None, "{common}").status, 409);
        // What is built in needs no file.
        let built_in = include_str!("../../prompts/brief.txt");
        assert_eq!(send("prompt brief", Some(text), built_in).status, 200);
        assert!(!Path::new(brief).exists());
    });
}
