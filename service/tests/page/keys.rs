//! Passkeys that are registered: a person sees and removes them, on the page by what the browser signs, and at a terminal; nobody else does.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use guarded_sh::audit::sha256;
use serde_json::{Value, json};

use super::web::{Answer, Request, Seat, encoded};
use super::world::{World, guard, within};

const FILE: &str = "/srv/home/.local/state/guarded-sh/page/passkeys.json";
const HOST: &str = "abcdefabcdefabcd.localhost";

/// Registers some in place of those that there are, as the page keeps them.
fn register(ids: &[&str]) {
    let passkeys = ids.iter().map(|id| {
        json!({ "id": id, "kind": "ed25519", "key": "00", "host": HOST, "count": 0, "made": 1_700_000_000_u64 })
    });
    let kept = json!({ "name": "abcdefabcdefabcd", "passkeys": passkeys.collect::<Vec<_>>() });
    std::fs::create_dir_all("/srv/home/.local/state/guarded-sh/page").unwrap();
    std::fs::write(FILE, kept.to_string()).unwrap();
    std::fs::set_permissions(FILE, PermissionsExt::from_mode(0o600)).unwrap();
}

fn ids() -> Vec<String> {
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let ids = kept["passkeys"].as_array().unwrap().iter();
    ids.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn name(id: &str) -> String {
    sha256(id.as_bytes())[..8].to_owned()
}

/// A removal as the page's script sends it, signed by this text's deed.
fn removal(world: &World, seat: &Seat, name: &str, id: &str, deed: &str) -> Request {
    let (what, digest) = (format!("passkey {name}"), sha256(id.as_bytes()));
    let nonce = seat.nonce(world);
    let text = format!("guarded-sh {deed}\n{}\n{what}\n{digest}\n{nonce}\n", world.origin);
    let fields = [("what", &what), ("digest", &digest), ("nonce", &nonce)];
    let fields = fields.map(|(name, value)| format!("{name}={}&", encoded(value))).concat();
    let body = format!("{fields}body=&signature={}", seat.signs(&text));
    Request::post(world, "/change", &body).of_seat(&seat.token)
}

fn removed(world: &World, seat: &Seat, name: &str, id: &str) -> Answer {
    removal(world, seat, name, id, "change").sent(world)
}

/// Says something of passkeys at a terminal of this kind.
fn said(words: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = Command::new(guard());
    command.args(["page", "passkeys"]).args(words).envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
}

#[test]
fn a_passkey_is_removed_by_what_the_person_signs() {
    within("keys::a_passkey_is_removed_by_what_the_person_signs", || {
        register(&["aa", "bb"]);
        let mut world = World::begin();
        let (seat, other) = (Seat::take(&mut world), Seat::take(&mut world));
        let page = |likes: &str| {
            let request = Request::get(&world, "/passkey").of_seat(&seat.token);
            request.with("Accept-Language", Some(likes)).sent(&world).body
        };
        let shown = page("en");
        for id in ["aa", "bb"] {
            assert!(shown.contains(&format!("data-change=\"passkey {}\"", name(id))), "{shown}");
        }
        assert!(shown.contains(HOST) && shown.contains("2023-11-1"), "{shown}");
        assert!(!shown.contains("the last one"), "{shown}");
        assert!(page("de").contains(">Entfernen<"));
        let one = || removal(&world, &seat, &name("aa"), "aa", "change");
        let without = |part: &str| {
            let request = one();
            let body = request.body.split('&').filter(|field| !field.starts_with(part));
            Request { body: body.collect::<Vec<_>>().join("&"), ..request }
        };
        let strange =
            Request { body: removal(&world, &other, &name("aa"), "aa", "change").body, ..one() };
        for (what, request, status) in [
            ("without a seat", one().with("Cookie", None), 401),
            ("the cookie alone", without("signature"), 422),
            ("another seat's key", strange, 403),
            ("signed as an answer", removal(&world, &seat, &name("aa"), "aa", "answer"), 403),
            ("another site's", one().with("Sec-Fetch-Site", Some("cross-site")), 403),
            (
                "of another one than was shown",
                removal(&world, &seat, &name("aa"), "bb", "change"),
                409,
            ),
            ("one that is not there", removal(&world, &seat, "00000000", "aa", "change"), 409),
            ("a way out", removal(&world, &seat, "../passkeys", "aa", "change"), 409),
            ("none", removal(&world, &seat, "", "aa", "change"), 400),
        ] {
            let answer = request.sent(&world);
            assert_eq!(answer.status, status, "{what}: {answer:?}");
        }
        assert_eq!(ids(), ["aa", "bb"]);
        let first = removed(&world, &seat, &name("aa"), "aa");
        assert!(first.status == 200 && first.body.ends_with("is removed.\n"), "{first:?}");
        assert_eq!(ids(), ["bb"]);
        assert!(page("en").contains("the last one"));
        let last = removed(&world, &seat, &name("bb"), "bb");
        assert!(last.status == 200 && last.body.contains("It was the last one"), "{last:?}");
        assert_eq!(ids(), [""; 0]);
        let noted = std::fs::read_to_string("/srv/home/.local/state/guarded-sh/page/changes.jsonl");
        assert_eq!(noted.unwrap().matches("\"proof\":\"key\"").count(), 2);
    });
}

#[test]
fn where_changes_take_a_touch_a_removal_does_and_a_terminal_takes_none() {
    within("keys::where_changes_take_a_touch_a_removal_does_and_a_terminal_takes_none", || {
        register(&["aa", "bb"]);
        let mut world = World::with("[page]\npasskey = \"high\"\n");
        assert!(world.origin.contains(HOST));
        let seat = Seat::take(&mut world);
        let untouched = removed(&world, &seat, &name("aa"), "aa");
        assert!(untouched.status == 403 && untouched.body.contains("touch"), "{untouched:?}");
        for (variable, value) in [("CLAUDECODE", "1"), ("GUARDED_SH_SESSION", "x")] {
            for words in [&["list"][..], &["remove", &name("aa")]] {
                let (status, said) = said(words, &[(variable, value)]);
                assert!(status == 126 && said.contains("only a person"), "{status}: {said}");
            }
        }
        let mut service = Command::new(env!("CARGO_BIN_EXE_guarded-shd"));
        service.args(["passkeys", "remove", &name("aa")]).env("CLAUDECODE", "1");
        assert!(!service.stdin(Stdio::null()).output().unwrap().status.success());
        assert_eq!(ids(), ["aa", "bb"]);
        let (status, listed) = said(&["list"], &[]);
        assert!(
            status == 0 && listed.contains(&name("bb")) && listed.contains("never"),
            "{listed}"
        );
        assert_eq!(said(&["remove", "none"], &[]).0, 1);
        let (status, told) = said(&["remove", &name("aa")], &[]);
        assert!(status == 0 && !told.contains("last one"), "{told}");
        // The page that runs knows it at once.
        let known = || {
            let request = Request::post(&world, "/passkey/known", "").of_seat(&seat.token);
            serde_json::from_str::<Value>(&request.sent(&world).body).unwrap()["known"].clone()
        };
        assert_eq!(known(), json!(["bb"]));
        let (status, told) = said(&["remove", &name("bb")], &[]);
        assert!(status == 0 && told.contains("It was the last one"), "{told}");
        assert_eq!(known(), json!([]));
        assert_eq!(said(&["list"], &[]).1, "There are no passkeys.\n");
        let noted = std::fs::read_to_string("/srv/home/.local/state/guarded-sh/page/changes.jsonl");
        assert_eq!(noted.unwrap().matches("\"proof\":\"terminal\"").count(), 2);
    });
}

#[test]
fn whoever_comes_in_is_told_in_their_language() {
    within("keys::whoever_comes_in_is_told_in_their_language", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        for (likes, enter, key) in [
            ("en", ">Open<", "Register a passkey"),
            ("de", ">Öffnen<", "Einen Passkey registrieren"),
            ("fr", ">Ouvrir<", "Enregistrer une clé"),
            ("es", ">Abrir<", "Registrar una llave"),
            ("da", ">Åbn<", "Registrer en adgangsnøgle"),
            ("ru", ">Открыть<", "Зарегистрировать ключ"),
            ("ja", ">開く<", "パスキーを登録"),
            ("zh-CN", ">打开<", "注册通行密钥"),
        ] {
            let page = |request: Request| request.with("Accept-Language", Some(likes)).sent(&world);
            let entered = page(Request::get(&world, "/enter"));
            assert!(entered.body.contains(enter), "{likes}: {}", entered.body);
            let unknown = page(Request::get(&world, "/"));
            assert!(unknown.status == 401 && unknown.body.contains(enter), "{unknown:?}");
            let passkey = page(Request::get(&world, "/passkey").of_seat(&seat.token));
            assert!(passkey.body.contains(key), "{likes}: {}", passkey.body);
            let wrong =
                page(Request::post(&world, "/passkey/begin", "code=x").of_seat(&seat.token));
            let is_english = wrong.body.contains("this code was used")
                || wrong.body.contains("This code was used");
            assert_eq!((wrong.status, is_english), (403, likes == "en"), "{wrong:?}");
        }
    });
}
