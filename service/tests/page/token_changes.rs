//! Changes by programs: none is made but by a token that may, of what was shown to it, while that is still so, once; and none at all where the owner wants passkeys.

use std::path::Path;
use std::process::{Command, Stdio};

use guarded_sh::audit::sha256;
use serde_json::{Value, json};

use super::api::{get, post, read, token, tokens, value};
use super::web::{Answer, Request, Seat};
use super::world::{World, within};

const SETTINGS: &str = "/srv/home/.config/guarded-sh/config.toml";
const BEFORE: &str = "# mine\nprofile = \"balanced\" # for now\n\n[approval]\nwait = 3\n";
const AFTER: &str = "# mine\nprofile = \"strict\" # for now\n\n[approval]\nwait = 3\n";
const RULES: &str = "pack = \"own\"\nsummary = \"mine\"\n\n[[rule]]\nid = \"own.deploy\"\ncommand = [\"make\", \"deploy\"]\nseverity = \"high\"\nreason = \"deploys\"\nmatches = [\"make deploy\"]\npasses = [\"make test\"]\n";

fn profile(value: &str) -> Value {
    json!({ "change": "set", "key": "profile", "value": value })
}

fn show(world: &World, token: &str, change: &Value) -> Answer {
    post(world, "/api/changes/show", token, change).sent(world)
}

/// Has a change shown, and returns what makes it.
fn shown(world: &World, token: &str, change: &Value) -> Value {
    let shown = value(&show(world, token, change));
    let digest = sha256(shown["difference"].as_str().unwrap().as_bytes());
    assert_eq!(shown["digest"], json!(digest));
    json!({ "what": shown["what"], "digest": shown["digest"], "nonce": shown["nonce"] })
}

fn make(world: &World, token: &str, wanted: &Value) -> Answer {
    post(world, "/api/changes", token, wanted).sent(world)
}

fn settings() -> String {
    std::fs::read_to_string(SETTINGS).unwrap()
}

/// A way, and what answers it.
type Row = (&'static str, Answer, u16);

#[test]
fn nothing_is_changed_but_what_was_shown_to_a_token_that_may() {
    within("token_changes::nothing_is_changed_but_what_was_shown_to_a_token_that_may", || {
        let mut world = World::with(BEFORE);
        let [reads, answers, changes, other] = [
            ("reads", "--read"),
            ("answers", "--answer"),
            ("changes", "--change"),
            ("other", "--change"),
        ]
        .map(|(name, may)| token(&[name, may]));
        let seat = Seat::take(&mut world);
        let strict = || profile("strict");
        let of = |change: &Value| shown(&world, &changes, change);
        let with = |field: &str, value: Value| {
            let mut wanted = of(&strict());
            wanted[field] = value;
            make(&world, &changes, &wanted)
        };
        let say = |change: Value| show(&world, &changes, &change);
        let moved = {
            let mut wanted = of(&strict());
            wanted["digest"] =
                of(&json!({ "change": "rules", "file": "own", "text": RULES }))["digest"].clone();
            wanted
        };
        let others = of(&strict());
        let used = with("digest", json!(sha256(b"x")));
        let long = "x".repeat(2 << 20);
        let by_seat = |path: &str, body: &Value| {
            let request = Request { body: body.to_string(), ..Request::post(&world, path, "") };
            let request = request.of_seat(&seat.token);
            request.with("Content-Type", Some("application/json")).sent(&world)
        };
        let nonce =
            value(&post(&world, "/api/nonce", &answers, &json!({})).sent(&world))["nonce"].clone();
        let rows: Vec<Row> = vec![
            ("one that reads is shown nothing", show(&world, &reads, &strict()), 403),
            ("one that answers is shown nothing", show(&world, &answers, &strict()), 403),
            ("one that reads changes nothing", make(&world, &reads, &of(&strict())), 403),
            ("one that answers changes nothing", make(&world, &answers, &of(&strict())), 403),
            (
                "one that changes answers nothing",
                post(&world, "/api/nonce", &changes, &json!({})).sent(&world),
                403,
            ),
            ("another token's number", make(&world, &other, &others), 403),
            ("another digest", used, 409),
            ("an empty digest", with("digest", json!("")), 409),
            ("the digest of another change", make(&world, &changes, &moved), 409),
            ("the number of that once more", make(&world, &changes, &moved), 403),
            ("something else than was shown", with("what", json!("rules own")), 409),
            ("a made-up number", with("nonce", json!("0".repeat(64))), 403),
            ("an empty number", with("nonce", json!("")), 403),
            ("the number of an answer", with("nonce", nonce), 403),
            ("with what it becomes", with("body", json!("profile = \"strict\"")), 400),
            ("no number", make(&world, &changes, &json!({ "what": "settings" })), 400),
            ("a body of two megabytes", with("digest", json!(long)), 413),
            ("settings of two megabytes", say(json!({ "change": "settings", "text": long })), 413),
            ("a browser is shown nothing", by_seat("/api/changes/show", &strict()), 403),
            ("a browser changes nothing", by_seat("/api/changes", &of(&strict())), 403),
            (
                "a token signs nothing at the page's own place",
                Request { method: "POST", ..get(&world, "/change", &changes) }.sent(&world),
                421,
            ),
            ("no change", say(json!({ "change": "shell" })), 400),
            (
                "more than a change",
                say(json!({ "change": "install", "agent": "claude", "yes": true })),
                400,
            ),
            ("a passkey", say(json!({ "change": "passkey", "name": "a" })), 400),
            (
                "a key that is none",
                say(json!({ "change": "set", "key": "nothing", "value": "1" })),
                422,
            ),
            ("a value that is none", say(profile("lax")), 422),
            ("a value with more behind it", say(profile("strict\"\nmode = \"shadow")), 422),
            ("what it says already", say(profile("balanced")), 409),
            (
                "settings that are none",
                say(json!({ "change": "settings", "text": "profile = " })),
                422,
            ),
            (
                "rules out of their place",
                say(json!({ "change": "rules", "file": "../../../../etc/passwd", "text": RULES })),
                422,
            ),
            (
                "rules of an absolute place",
                say(json!({ "change": "rules", "file": "/etc/passwd", "text": RULES })),
                422,
            ),
            (
                "rules of which an example fails",
                say(
                    json!({ "change": "rules", "file": "own", "text": RULES.replace("make test", "make deploy now") }),
                ),
                422,
            ),
            (
                "a prompt out of its place",
                say(json!({ "change": "prompt", "part": "../../brief", "text": "" })),
                422,
            ),
            (
                "a prompt that cannot be used",
                say(json!({ "change": "prompt", "part": "brief", "text": "x" })),
                422,
            ),
            (
                "an agent that is an option",
                say(json!({ "change": "install", "agent": "--yes" })),
                422,
            ),
            ("all agents", say(json!({ "change": "uninstall", "agent": "all" })), 422),
        ];
        let faults: Vec<String> = rows
            .iter()
            // A body that is too long may be hung up on before it is whole.
            .filter(|(_, answer, status)| {
                answer.status != *status && (*status, answer.status) != (413, 0)
            })
            .map(|(name, answer, status)| format!("{name}, not {status}: {answer:?}"))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(settings(), BEFORE);
        assert!(!Path::new("/srv/home/.config/guarded-sh/rules").exists());
        assert_eq!(read(&world, "/api/changes", &reads)["changes"], json!([]));
        below_an_agent(&world, &changes);
        what_changed_meanwhile(&world, &changes);
        what_a_token_changes(&world, &reads, &changes);
        // Of a token that is revoked no number counts, even of one of the same name.
        let wanted = shown(&world, &other, &profile("balanced"));
        assert_eq!(tokens(&["revoke", "other"]).0, 0);
        assert_eq!(make(&world, &other, &wanted).status, 401);
        let again = token(&["other", "--change"]);
        assert_eq!(make(&world, &again, &wanted).status, 403);
        assert_eq!(settings(), AFTER);
    });
}

/// What an agent started is not heard, with all that a change takes.
fn below_an_agent(world: &World, changes: &str) {
    let wanted = shown(world, changes, &profile("strict"));
    let request = post(world, "/api/changes", changes, &wanted);
    std::fs::write("/srv/request", request.bytes()).unwrap();
    let mut agent = Command::new(std::env::current_exe().unwrap());
    agent.args(["--exact", "intruders::sends", "--nocapture"]);
    agent.env("GUARDED_SHD_TEST_SENDS", world.port().to_string()).env("CLAUDECODE", "1");
    agent.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(std::fs::read_to_string("/srv/answer").unwrap(), "403");
    assert_eq!(settings(), BEFORE);
}

/// What is another by now is not written over.
fn what_changed_meanwhile(world: &World, changes: &str) {
    let wanted = shown(world, changes, &profile("strict"));
    let others = format!("{BEFORE}# more\n");
    std::fs::write(SETTINGS, &others).unwrap();
    let stale = make(world, changes, &wanted);
    assert!(stale.status == 409 && stale.body.contains("has changed since"), "{stale:?}");
    assert_eq!(settings(), others);
    std::fs::write(SETTINGS, BEFORE).unwrap();
    // The number is used up.
    assert_eq!(make(world, changes, &wanted).status, 403);
    assert_eq!(settings(), BEFORE);
}

/// Each kind of change, once; all are noted.
fn what_a_token_changes(world: &World, reads: &str, changes: &str) {
    let done = |change: &Value| {
        let wanted = shown(world, changes, change);
        let made = make(world, changes, &wanted);
        assert_eq!(made.status, 200, "{change}: {made:?}");
        assert_eq!(make(world, changes, &wanted).status, 403, "{change} counted twice");
    };
    let difference = value(&show(world, changes, &profile("strict")))["difference"].clone();
    let difference = difference.as_str().unwrap();
    assert!(
        difference.contains("- profile = \"balanced\"")
            && difference.contains("+ profile = \"strict\""),
        "{difference}"
    );
    done(&profile("strict"));
    assert_eq!(settings(), AFTER);
    done(&json!({ "change": "add", "key": "safe_domains", "item": "a.example" }));
    assert!(settings().contains("safe_domains = [\"a.example\"]"));
    done(&json!({ "change": "unset", "key": "safe_domains" }));
    done(&json!({ "change": "settings", "text": AFTER.replace("# mine", "# ours") }));
    done(&json!({ "change": "settings", "text": AFTER }));
    done(&json!({ "change": "rules", "file": "own", "text": RULES }));
    let own = "/srv/home/.config/guarded-sh/rules/own.toml";
    assert_eq!(std::fs::read_to_string(own).unwrap(), RULES);
    let brief = Path::new("/srv/home/.config/guarded-sh/prompts/brief.txt");
    done(
        &json!({ "change": "prompt", "part": "brief", "text": "{common}\nBe brief about {line}.\n" }),
    );
    assert!(brief.exists());
    done(&json!({ "change": "prompt", "part": "brief" }));
    assert!(!brief.exists());
    std::fs::create_dir_all("/srv/home/.claude").unwrap();
    done(&json!({ "change": "install", "agent": "claude" }));
    let agents = std::fs::read_to_string("/srv/home/.claude/settings.json").unwrap();
    assert!(agents.contains("guarded-sh"), "{agents}");
    done(&json!({ "change": "uninstall", "agent": "claude" }));
    let noted = read(world, "/api/changes", reads)["changes"].clone();
    let noted = noted.as_array().unwrap();
    assert_eq!(noted.len(), 10, "{noted:?}");
    assert!(noted.iter().all(|made| made["proof"] == "token changes"), "{noted:?}");
    assert_eq!(
        (&noted[0]["what"], &noted[9]["what"]),
        (&json!("uninstall claude"), &json!("settings"))
    );
    assert_eq!(
        (&noted[9]["before"], &noted[9]["after"]),
        (&json!(sha256(BEFORE.as_bytes())), &json!(sha256(AFTER.as_bytes())))
    );
}

#[test]
fn where_the_owner_wants_passkeys_no_token_changes_anything() {
    within("token_changes::where_the_owner_wants_passkeys_no_token_changes_anything", || {
        let before = "[page]\npasskey = \"critical\"\n";
        let world = World::with(before);
        let changes = token(&["changes", "--change"]);
        let off = json!({ "change": "set", "key": "page.passkey", "value": "off" });
        for answer in [
            show(&world, &changes, &off),
            show(&world, &changes, &profile("strict")),
            make(&world, &changes, &json!({ "what": "settings", "digest": "", "nonce": "" })),
        ] {
            assert!(answer.status == 403 && answer.body.contains("wants a passkey"), "{answer:?}");
        }
        assert_eq!(settings(), before);
        assert_eq!(read(&world, "/api/changes", &changes)["changes"], json!([]));
    });
}

#[test]
fn a_token_that_changes_things_is_made_by_name_and_ends() {
    within("token_changes::a_token_that_changes_things_is_made_by_name_and_ends", || {
        for words in [
            &["add", "x"][..],
            &["add", "x", "--change", "--read"],
            &["add", "x", "--change", "--answer"],
        ] {
            assert_eq!(tokens(words).0, 2, "{words:?}");
        }
        token(&["month", "--change"]);
        token(&["week", "--change", "--days", "7"]);
        let (_, listed) = tokens(&["list"]);
        let row = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(row("month").contains(" change "), "{listed}");
        let kept = std::fs::read_to_string("/srv/home/.local/state/guarded-sh/tokens/tokens.json");
        let kept: Value = serde_json::from_str(&kept.unwrap()).unwrap();
        let days = |at: usize| {
            let field = |name: &str| kept[at][name].as_u64().unwrap();
            (field("ends") - field("made")) / (24 * 60 * 60)
        };
        assert!((29..=30).contains(&days(0)) && (6..=7).contains(&days(1)), "{kept}");
    });
}
