//! Passkeys and tunnels, in a real browser: with an authenticator that the driver plays, and a relay as ssh is one.

use std::io::copy;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::Command;

use super::*;

/// Gives the browser an authenticator whose person touches it; returns where that is driven.
fn authenticator(browser: &Browser) -> String {
    let made = browser.post(
        "/webauthn/authenticator",
        &json!({
            "protocol": "ctap2",
            "transport": "internal",
            "hasUserVerification": true,
            "isUserVerified": true,
        }),
    );
    format!("/webauthn/authenticator/{}", made.as_str().unwrap())
}

fn proof() -> Value {
    let output = Command::new(guard()).args(["log", "--json", "--by", "person"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let newest = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let newest = newest.max_by_key(|entry| entry["sequence"].as_u64());
    newest.map_or(Value::Null, |entry| entry["question"]["proof"].clone())
}

fn register(world: &mut World, browser: &Browser) {
    world.page().types("passkey\n");
    let line = world.page().until("/passkey#");
    // Another document: the same one with another `#` is not loaded anew.
    browser.go(&format!("{}/", world.origin));
    browser.go(line.trim());
    browser.until("return document.querySelector('#passkey')?.hidden === false");
    assert_eq!(browser.js("return location.hash"), json!(""));
    browser.picture("passkey");
    browser.click("#passkey button");
}

#[test]
fn a_yes_takes_the_touch_of_a_passkey() {
    in_browser("browser::touched::a_yes_takes_the_touch_of_a_passkey", || {
        const SETTINGS: &str = "[page]\npasskey = \"high\"\n";
        let mut world = World::with(SETTINGS);
        let browser = Browser::paired(&mut world);
        let driven = authenticator(&browser);
        // Browsers take no host above ours for what a passkey belongs to, which is why ours is kept.
        let above = browser.post(
            "/execute/async",
            &json!({ "args": [], "script": "const done = arguments[0]; navigator.credentials.get({publicKey: {challenge: new Uint8Array(32), rpId: 'localhost'}}).then(() => done('taken'), (error) => done(error.name))" }),
        );
        assert_eq!(above, json!("SecurityError"));

        let line = "sudo -n true; touch ran";
        let asked = Asked::about(&world, line);
        browser.sees(&asked);
        let selector = |asked: &Asked, what: &str| format!("#q-{} {what}", asked.id);
        browser.click(&selector(&asked, "[data-answer=once]"));
        let none = format!(
            "return document.querySelector('#q-{} .outcome').textContent.includes('none is registered')",
            asked.id
        );
        browser.until(&none);

        register(&mut world, &browser);
        browser.until("return document.querySelector('#passkey .outcome').textContent === 'It is registered.'");
        browser.is_accessible("passkey-registered");
        browser.go(&format!("{}/", world.origin));
        browser.sees(&asked);
        browser.click(&selector(&asked, "[data-answer=once]"));
        asked.ended();
        assert!(is_there("ran"));
        assert_eq!(proof(), json!("passkey"));

        // So does what could make that otherwise.
        browser.go(&format!("{}/settings", world.origin));
        let change = "return (async () => { const asked = await fetch('/nonce', {method: 'POST'}); const nonce = (await asked.text()).trim(); \
             const text = ['guarded-sh change', location.origin, 'settings', 'none', nonce, '[page]\\npasskey = \"off\"\\n'].join('\\n'); \
             const signature = hex(await crypto.subtle.sign(SIGN, await kept(), new TextEncoder().encode(text))); \
             const body = new URLSearchParams({what: 'settings', digest: 'none', nonce, body: '[page]\\npasskey = \"off\"\\n', signature}); \
             const sent = await fetch('/change', {method: 'POST', body}); return sent.status + ' ' + (await sent.text()).trim(); })()";
        let said = browser.js(change);
        assert_eq!(said, json!("403 this takes the touch of a passkey"));
        browser.go(&format!("{}/", world.origin));

        // Nobody touches it, or there is another one: it is not taken.
        browser.post(&format!("{driven}/uv"), &json!({ "isUserVerified": true }));
        let known =
            browser.call(&Method::GET, &format!("{driven}/credentials"), &json!({})).unwrap();
        assert_eq!(known.as_array().unwrap().len(), 1);
        browser.call(&Method::DELETE, &format!("{driven}/credentials"), &json!({})).unwrap();
        std::fs::remove_file("/srv/home/app/ran").unwrap();
        let asked = Asked::about(&world, line);
        browser.sees(&asked);
        browser.click(&selector(&asked, "[data-answer=once]"));
        browser.until(&format!(
            "return document.querySelector('#q-{} .outcome').textContent.startsWith('Not taken')",
            asked.id
        ));
        // A no takes none.
        browser.click(&selector(&asked, ".choices [data-answer=deny]"));
        assert_eq!(asked.ended().0, 126);
        assert!(!is_there("ran"));

        // The name is the same at the next start, and so the passkey is one there too.
        browser.post(&format!("{driven}/credential"), &known[0]);
        let name = world.host().split(':').next().unwrap().to_owned();
        world.end();
        let mut world = World::with(SETTINGS);
        assert_eq!(world.host().split(':').next().unwrap(), name);
        let code = world.code();
        browser.go(&format!("{}/enter#{code}", world.origin));
        browser.until("return document.title.endsWith('Now · guarded-sh')");
        let asked = Asked::about(&world, line);
        browser.sees(&asked);
        browser.click(&selector(&asked, "[data-answer=once]"));
        asked.ended();
        assert!(is_there("ran"));

        // It is touched once more to be removed.
        browser.go(&format!("{}/passkey", world.origin));
        browser.until("return document.querySelector('.passkey [data-change]')?.hidden === false");
        browser.is_accessible("passkeys");
        browser.picture("passkeys");
        browser.click(".passkey [data-change]");
        browser.until(
            "return document.querySelector('.done')?.textContent.includes('It was the last one')",
        );
        assert_eq!(browser.js("return document.querySelector('.passkey')"), Value::Null);
    });
}

/// Passes on what comes to a port of this machine to a socket of the file system, as `ssh -L` does; returns the port.
fn tunnel(socket: &'static str) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let Ok(far) = UnixStream::connect(socket) else { return };
            let (mut from, mut to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
            std::thread::spawn(move || {
                let (mut from, mut to): (UnixStream, TcpStream) = (far, near);
                let _ = copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
        }
    });
    port
}

#[test]
fn a_browser_answers_through_a_tunnel() {
    in_browser("browser::touched::a_browser_answers_through_a_tunnel", || {
        let mut world = World::begin();
        let port = tunnel("/run/user/0/guarded-sh/page.way");
        // There the same port leads into the tunnel; here it is taken.
        let rule = format!("--host-resolver-rules=MAP *:{} 127.0.0.1:{port}", world.port());
        let browser = Browser::with(Kind::default(), &[&rule]);
        let code = world.code();
        browser.go(&format!("{}/enter#{code}", world.origin));
        browser.until("return document.title.endsWith('Now · guarded-sh')");
        make(&["a"]);
        let asked = Asked::about(&world, "rm a");
        browser.sees(&asked);
        browser.click(&format!("#q-{} [data-answer=once]", asked.id));
        assert_eq!(asked.ended().0, 0);
        assert!(!is_there("a"));
    });
}
