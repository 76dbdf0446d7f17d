//! The page in a real browser, as people use it: they look, answer and search, in one or in several, on a small screen and without JavaScript.

mod languages;
mod many;
mod owner;
mod transcripts;

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::world::{Asked, PATIENCE, World, guard, runs_in, within};

mod touched;

/// Where accessibility is checked by, if `tests/run` has installed it.
const AXE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools/node/node_modules/axe-core/axe.min.js");

/// The key by which the protocol names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with a profile of its own, told what to do over the WebDriver protocol.
struct Browser {
    client: Client,
    runtime: Runtime,
    driver: Child,
    /// Where its session is driven.
    session: String,
}

/// How a browser is started.
#[derive(Clone, Copy, Default)]
struct Kind {
    /// It runs no script.
    is_plain: bool,
    /// An agent starts it.
    is_agents: bool,
    /// It is as wide as a phone: 400 of CSS's pixels.
    is_small: bool,
    /// The language that it likes most; none: its own.
    likes: Option<&'static str>,
}

/// Whether there is a browser here with its driver; says so if not.
fn has_browser() -> bool {
    let has = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let is_here = has("chromium") && has("chromedriver");
    if !is_here {
        println!("skipped: chromium and chromedriver are not here");
    }
    is_here
}

/// Plays a test as `within` does, where there is a browser.
fn in_browser(name: &str, play: impl FnOnce()) {
    if has_browser() {
        within(name, play);
    }
}

impl Browser {
    fn start(kind: Kind) -> Self {
        Self::with(kind, &[])
    }

    /// Starts a driver; none where it ends before it says where it listens.
    fn driver(kind: Kind) -> Option<(Child, Lines<BufReader<ChildStdout>>, String)> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        if kind.is_agents {
            command.env("CLAUDECODE", "1");
        }
        let mut driver = command.spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let port = line.split("successfully on port ").nth(1)?;
            Some(port.trim_end_matches('.').to_owned())
        });
        if port.is_none() {
            driver.wait().unwrap();
        }
        Some((driver, lines, port?))
    }

    /// Starts one with more words.
    fn with(kind: Kind, more: &[&str]) -> Self {
        // Its port is free for one of the addresses that it listens on; where it is not for the other, it ends.
        let (driver, lines, port) =
            std::iter::repeat_with(|| Self::driver(kind)).take(10).find_map(|begun| begun).unwrap();
        std::thread::spawn(move || lines.count());
        let mut words = vec![
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--window-size=1280,900".to_owned(),
        ];
        words.extend(more.iter().map(|word| (*word).to_owned()));
        if kind.is_plain {
            words.push("--blink-settings=scriptEnabled=false".to_owned());
        }
        words.extend(kind.likes.map(|language| format!("--accept-lang={language}")));
        // A loaded machine takes longer than the driver waits by itself.
        let patience = PATIENCE.as_millis();
        let wanted = json!({ "alwaysMatch": {
            "goog:chromeOptions": { "args": words },
            "timeouts": { "script": patience, "pageLoad": patience },
        } });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // The client wants to know, though it speaks no TLS to the driver.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(PATIENCE).no_proxy().build().unwrap();
        let driven = format!("http://127.0.0.1:{port}/session");
        let mut browser = Self { client, runtime, driver, session: driven };
        let made = browser.call(&Method::POST, "", &json!({ "capabilities": wanted })).unwrap();
        browser.session = format!("{}/{}", browser.session, made["sessionId"].as_str().unwrap());
        if kind.is_small {
            // No window is as narrow, whatever its size is said to be.
            let screen =
                json!({ "width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": false });
            let emulated = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": screen });
            browser.post("/goog/cdp/execute", &emulated);
            assert_eq!(browser.js("return innerWidth"), 400);
        }
        browser
    }

    /// Has the driver do something; the error is what it says.
    fn call(&self, method: &Method, path: &str, body: &Value) -> Result<Value, Value> {
        let mut request = self.client.request(method.clone(), format!("{}{path}", self.session));
        if *method == Method::POST {
            request = request.json(body);
        }
        self.runtime.block_on(async {
            let answer = request.send().await.unwrap();
            let is_done = answer.status().is_success();
            let mut said: Value = answer.json().await.unwrap();
            let value = said["value"].take();
            if is_done { Ok(value) } else { Err(value) }
        })
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call(&Method::POST, path, body).unwrap()
    }

    /// Returns where an element is driven; none if there is none.
    fn find(&self, selector: &str) -> Option<String> {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.call(&Method::POST, "/element", &wanted).ok()?;
        Some(format!("/element/{}", found[ELEMENT].as_str()?))
    }

    /// Starts one, and opens the page with a code.
    fn paired(world: &mut World) -> Self {
        let browser = Self::start(Kind::default());
        let code = world.code();
        browser.go(&format!("{}/enter#{code}", world.origin));
        browser.until("return document.title.endsWith('Now · guarded-sh')");
        browser
    }

    fn go(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// Returns what a script returns.
    fn js(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script returns true.
    fn until(&self, script: &str) {
        let end = Instant::now() + PATIENCE;
        while self.js(script) != Value::Bool(true) {
            let shown = self.text("body");
            assert!(Instant::now() < end, "{script} never came true; shown is\n{shown}");
        }
    }

    /// Returns the text of an element; none is empty.
    fn text(&self, selector: &str) -> String {
        let read =
            |element: String| self.call(&Method::GET, &format!("{element}/text"), &json!({}));
        let text = self.find(selector).and_then(|element| read(element).ok());
        text.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    fn click(&self, selector: &str) {
        self.at(selector, |element| {
            self.call(&Method::POST, &format!("{element}/click"), &json!({}))
        });
    }

    /// Puts the mouse's button down on an element.
    fn press(&self, selector: &str) {
        self.at(selector, |element| {
            let origin = json!({ ELEMENT: element.trim_start_matches("/element/") });
            let moved = json!({ "type": "pointerMove", "x": 0, "y": 0, "origin": origin });
            self.mouse(&[moved, json!({ "type": "pointerDown", "button": 0 })])
        });
    }

    /// Lets it go again.
    fn release(&self) {
        self.mouse(&[json!({ "type": "pointerUp", "button": 0 })]).unwrap();
    }

    fn mouse(&self, does: &[Value]) -> Result<Value, Value> {
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": does });
        self.call(&Method::POST, "/actions", &json!({ "actions": [mouse] }))
    }

    fn types(&self, selector: &str, text: &str) {
        self.at(selector, |element| {
            self.call(&Method::POST, &format!("{element}/clear"), &json!({}))?;
            self.call(&Method::POST, &format!("{element}/value"), &json!({ "text": text }))
        });
    }

    /// Does something with an element; again, if it was drawn anew or moved meanwhile, or is not there yet.
    fn at(&self, selector: &str, act: impl Fn(String) -> Result<Value, Value>) {
        let end = Instant::now() + PATIENCE;
        loop {
            let done = self.find(selector).map(&act);
            if let Some(Ok(_)) = done {
                return;
            }
            let shown = self.text("body");
            assert!(Instant::now() < end, "{selector}: {done:?}; shown is\n{shown}");
        }
    }

    /// Opens what is folded, if it says this.
    fn unfold(&self, asked: &Asked, text: &str) {
        let script = format!(
            "for (const one of document.querySelectorAll('#q-{} details')) if (one.innerText.includes({text:?})) one.open = true;",
            asked.id
        );
        self.js(&script);
    }

    fn sees(&self, asked: &Asked) {
        self.until(&format!("return document.getElementById('q-{}') !== null", asked.id));
    }

    fn sees_no_more(&self, asked: &Asked) {
        self.until(&format!("return document.getElementById('q-{}') === null", asked.id));
    }

    /// Writes a picture of what is seen to where `SCREENSHOTS` says.
    fn picture(&self, name: &str) {
        if let Some(directory) = std::env::var_os("SCREENSHOTS") {
            let picture = self.call(&Method::GET, "/screenshot", &json!({})).unwrap();
            let picture = picture.as_str().unwrap();
            std::fs::write(Path::new(&directory).join(format!("{name}.png.base64")), picture)
                .unwrap();
        }
    }

    /// Holds that nobody is kept out: no violation of level A or AA, and nothing that is wider than the screen.
    fn is_accessible(&self, name: &str) {
        self.picture(name);
        let wide = self.js("return document.documentElement.scrollWidth > innerWidth + 1");
        assert_eq!(wide, Value::Bool(false), "{name} is wider than the screen");
        let Ok(axe) = std::fs::read_to_string(AXE) else {
            println!("skipped: accessibility, as axe-core is not installed");
            return;
        };
        let script = format!(
            "{axe}; const done = arguments[0]; axe.run({{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}}).then((found) => done(found.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' '))), (error) => done([String(error)]))"
        );
        let found = self.post("/execute/async", &json!({ "script": script, "args": [] }));
        assert_eq!(found, json!([]), "{name}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.call(&Method::DELETE, "", &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn make(names: &[&str]) {
    for name in names {
        std::fs::write(Path::new("/srv/home/app").join(name), "text\n").unwrap();
    }
}

fn is_there(name: &str) -> bool {
    Path::new("/srv/home/app").join(name).exists()
}

/// Runs a line as an agent does, which nobody is asked about.
fn runs(line: &str) {
    runs_in("one-conversation", line);
}

#[test]
fn each_answer_of_the_terminal_is_given() {
    in_browser("browser::each_answer_of_the_terminal_is_given", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        make(&["a", "b", "c", "d", "e"]);
        let selector = |asked: &Asked, what: &str| format!("#q-{} {what}", asked.id);

        let once = Asked::about(&world, "rm a");
        browser.sees(&once);
        assert!(browser.text(&selector(&once, ".line")).contains("rm a"));
        browser.until("return document.title.startsWith('(1) ')");
        browser.is_accessible("now");
        // What has come just now takes no press yet.
        browser.until("return document.querySelector('.moving') === null");
        // Another one comes while the button is down.
        browser.press(&selector(&once, "[data-answer=once]"));
        let other = Asked::about(&world, "rm z");
        browser.sees(&other);
        browser.release();
        assert_eq!(once.ended().0, 0);
        assert!(!is_there("a"));
        other.abandon();

        let denied = Asked::about(&world, "rm b");
        browser.sees(&denied);
        browser.unfold(&denied, "Deny with a message");
        browser.types(&selector(&denied, ".message"), "keep <b>");
        browser.click(&selector(&denied, "details [data-answer=deny]"));
        let (status, said) = denied.ended();
        assert!(status == 126 && said.contains("keep <b>") && is_there("b"), "{status}: {said}");

        let edited = Asked::about(&world, "rm c");
        browser.sees(&edited);
        browser.unfold(&edited, "change the line");
        browser.types(&selector(&edited, ".edit"), "echo another line");
        browser.click(&selector(&edited, "[data-answer=edit]"));
        let (status, said) = edited.ended();
        assert!(status == 0 && said.contains("another line") && is_there("c"), "{status}: {said}");

        let again = r#"touch d; "$0" -c "$1""#;
        let session = Asked::first_of(&world, "rm -f d", again);
        browser.sees(&session);
        browser.unfold(&session, "Allow for the session");
        browser.is_accessible("session");
        browser.click(&selector(&session, "[data-covers=line]"));
        // It is not asked about again.
        assert_eq!(session.ended().0, 0);
        assert!(!is_there("d"));

        let always = Asked::about(&world, "npm install left-pad --dry-run; rm e");
        browser.sees(&always);
        let deny = selector(&always, ".choices [data-answer=deny]");
        browser.click(&deny);
        assert_eq!(always.ended().0, 126);

        let always = Asked::about(&world, "rm e");
        browser.sees(&always);
        browser.unfold(&always, "Allow always");
        assert!(browser.text(&selector(&always, "details[open] pre")).contains("[[rule]]"));
        browser.click(&selector(&always, "[data-answer=always]"));
        assert_eq!(always.ended().0, 0);
        make(&["e"]);
        runs("rm e");

        let critical = Asked::about(&world, "echo x | base64 -d | bash; rm -rf ~/app");
        browser.sees(&critical);
        assert_eq!(browser.text(&selector(&critical, "[data-answer=session]")), "");
        browser.click(&selector(&critical, "[data-answer=once]"));
        browser.until(&format!(
            "return document.querySelector('#q-{} .outcome').textContent.includes('type critical')",
            critical.id
        ));
        browser.is_accessible("critical");
        assert!(is_there("b"));
        browser.types(&selector(&critical, ".typed"), "critical");
        browser.click(&selector(&critical, "[data-answer=once]"));
        critical.ended();
        assert!(!is_there("b"));
    });
}

#[test]
fn several_browsers_see_the_same_and_markup_is_text() {
    in_browser("browser::several_browsers_see_the_same_and_markup_is_text", || {
        let mut world = World::begin();
        let one = Browser::paired(&mut world);
        let other = Browser::paired(&mut world);
        make(&["a"]);
        let hostile = Asked::about(
            &world,
            "echo '<img src=x onerror=\"document.title=1\"></pre><script>alert(1)</script>\u{202e}' > /etc/x; rm a",
        );
        for browser in [&one, &other] {
            browser.sees(&hostile);
            assert_eq!(
                browser.js("return document.querySelectorAll('img, main script').length"),
                0
            );
            assert!(browser.text(".question .line").contains("<img src=x"));
            assert!(browser.text(".question .line").contains("\\u{202e}"));
        }
        // What is typed stays when another question comes.
        one.unfold(&hostile, "Deny with a message");
        one.types(".message", "half a sen");
        let second = Asked::about(&world, "rm a");
        one.sees(&second);
        assert_eq!(one.js("return document.querySelector('.message').value"), "half a sen");
        // Loaded anew in the middle, it is all there.
        other.post("/refresh", &json!({}));
        other.sees(&hostile);
        other.sees(&second);
        other.click(&format!("#q-{} .choices [data-answer=deny]", second.id));
        one.sees_no_more(&second);
        other.sees_no_more(&second);
        assert_eq!(second.ended().0, 126);
        hostile.abandon();
        // What is decided comes to the list by itself.
        one.go(&format!("{}/live", world.origin));
        one.until("return document.getElementById('calls') !== null");
        runs("echo live-hello '<b>'");
        one.until(
            "return document.getElementById('calls').innerText.includes(\"live-hello '<b>'\")",
        );
        one.is_accessible("live");
        one.types("#filter [name=text]", "nothing has this");
        one.until("return [...document.querySelectorAll('#calls tr')].every((row) => row.hidden)");
        one.go(&format!("{}/history?text=live-hello", world.origin));
        one.until("if (document.querySelector('#calls')?.innerText.includes('live-hello')) return true; location.reload(); return false");
        one.is_accessible("history");
        one.click("#calls a");
        one.until("return document.querySelector('.doors') !== null");
        assert!(one.text(".line").contains("live-hello"));
        one.is_accessible("call");
        for (path, shown) in [
            ("sessions", "one-conversation"),
            ("overview?days=7", "asked about"),
            ("session?id=claude%3Aone-conversation", "live-hello"),
        ] {
            one.go(&format!("{}/{path}", world.origin));
            // The index follows a moment later.
            one.until(&format!(
                "if (document.body.innerText.includes('{shown}')) return true; location.reload(); return false"
            ));
            one.is_accessible(path.split(['?', '/']).next().unwrap());
        }
        one.go(&format!("{}/history?rule=effect.delete", world.origin));
        assert!(one.text("#calls").contains("rm a"));
        one.go(&format!("{}/try?line=rm+-rf+%2F&directory=/srv/home/app", world.origin));
        assert!(one.text(".verdict").contains("critical"), "{}", one.text("main"));
        one.is_accessible("try");
    });
}

#[test]
fn small_screens_and_browsers_without_scripts_can_look_and_agents_browsers_cannot() {
    in_browser(
        "browser::small_screens_and_browsers_without_scripts_can_look_and_agents_browsers_cannot",
        || {
            let mut world = World::begin();
            make(&["a"]);
            let asked = Asked::about(
                &world,
                "rm a; echo a-very-long-word-of-which-nobody-knows-where-it-would-be-broken-on-a-phone",
            );
            let small = Browser::start(Kind { is_small: true, ..Kind::default() });
            let code = world.code();
            small.go(&format!("{}/enter#{code}", world.origin));
            small.sees(&asked);
            small.is_accessible("now-small");
            small.go(&format!("{}/live", world.origin));
            small.is_accessible("live-small");

            let plain = Browser::start(Kind { is_plain: true, ..Kind::default() });
            plain.go(&format!("{}/enter", world.origin));
            let code = world.code();
            plain.types("#code", &code);
            plain.click("#enter button");
            assert!(plain.text(".question").contains("rm a"), "{}", plain.text("body"));
            assert!(plain.text("body").contains("cannot answer"));
            assert_eq!(plain.text(".answers"), "");

            let agents = Browser::start(Kind { is_agents: true, ..Kind::default() });
            let code = world.code();
            agents.go(&format!("{}/enter#{code}", world.origin));
            assert!(agents.text("body").contains("refused"), "{}", agents.text("body"));
            asked.abandon();
        },
    );
}

#[test]
fn questions_of_one_signature_are_answered_together_and_an_agent_is_ended() {
    in_browser(
        "browser::questions_of_one_signature_are_answered_together_and_an_agent_is_ended",
        || {
            let mut world = World::begin();
            let browser = Browser::paired(&mut world);
            make(&["a", "b", "c", "d", "e", "f"]);
            let own = Asked::of_lasting(&world, "echo x > /etc/x");
            let first = Asked::about(&world, "rm -f a");
            browser.sees(&first);
            assert_eq!(browser.text(".group"), "");
            let second = Asked::about(&world, "rm -f b");
            browser.sees(&second);
            assert!(browser.text(".group summary").contains("2 questions of rm"));
            browser.js("document.querySelector('.group').open = true");
            assert!(browser.text(".group ul").contains("rm -f b"));
            browser.is_accessible("together");
            // One that came while it was read is seen before it is answered.
            let third = Asked::about(&world, "rm -f c");
            browser.sees(&third);
            browser.until("return document.querySelector('.group:not([open]) summary').innerText.includes('3 questions')");
            browser.js("document.querySelector('.group').open = true");
            browser.click(".group [data-all=once]");
            for asked in [first, second, third] {
                assert_eq!(asked.ended().0, 0);
            }
            assert!(!["a", "b", "c"].into_iter().any(is_there));

            let denied = ["rm -f d", "rm -f e"].map(|line| Asked::about(&world, line));
            for asked in &denied {
                browser.sees(asked);
            }
            browser.js("document.querySelector('.group').open = true");
            browser.click(".group [data-all=deny]");
            for asked in denied {
                assert_eq!(asked.ended().0, 126);
            }
            assert!(is_there("d") && is_there("e"));

            browser.unfold(&own, "end the agent");
            browser.click(&format!("#q-{} [data-answer=stop]", own.id));
            // By a signal.
            assert_eq!(own.ended().0, -1);

            let tried = Asked::about(&world, "echo other > f; rm -f d");
            browser.sees(&tried);
            if browser.js(&format!(
                "return document.querySelector('#q-{} [data-answer=try]') !== null",
                tried.id
            )) == Value::Bool(true)
            {
                browser.click(&format!("#q-{} [data-answer=try]", tried.id));
                let shown = format!("#q-{} .difference", tried.id);
                browser.until(&format!("return document.querySelector('{shown} del') !== null"));
                assert!(browser.text(&shown).contains("+other"), "{}", browser.text(&shown));
                browser.is_accessible("tried");
                browser.click(&format!("#q-{} [data-answer=keep]", tried.id));
                assert_eq!(tried.ended().0, 0);
                assert!(!is_there("d"));
            } else {
                println!("skipped: lines cannot be tried here");
                tried.abandon();
            }
        },
    );
}

#[test]
fn a_question_is_answered_in_the_language_that_the_browser_likes() {
    in_browser("browser::a_question_is_answered_in_the_language_that_the_browser_likes", || {
        let mut world = World::begin();
        for (language, title, deny, is_small) in [
            ("de", "Jetzt", "Ablehnen", false),
            ("ru", "Сейчас", "Отклонить", false),
            ("ja", "現在", "拒否", true),
            ("fr", "Maintenant", "Refuser", true),
        ] {
            let kind = Kind { likes: Some(language), is_small, ..Kind::default() };
            let browser = Browser::start(kind);
            let code = world.code();
            browser.go(&format!("{}/enter#{code}", world.origin));
            browser.until(&format!("return document.title.endsWith('{title} · guarded-sh')"));
            assert_eq!(browser.js("return document.documentElement.lang"), language);
            make(&["a"]);
            let asked = Asked::about(&world, "rm a");
            browser.sees(&asked);
            let button = format!("#q-{} .choices [data-answer=deny]", asked.id);
            assert_eq!(browser.text(&button), deny);
            browser.is_accessible(&format!("now-{language}"));
            browser.click(&button);
            // What the agent is told is not in the person's language.
            let (status, said) = asked.ended();
            assert_eq!(status, 126, "{said}");
            assert!(said.contains("guarded-sh: refused:"), "{said}");
            assert!(is_there("a"));
            browser.go(&format!("{}/live", world.origin));
            browser.until("return document.getElementById('calls') !== null");
            browser.is_accessible(&format!("live-{language}"));
        }
    });
}
