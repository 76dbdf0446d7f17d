//! What an owner tries and changes from the page, and that it counts.

use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc::{Sender, channel};

use super::super::api;
use super::super::world::AtTerminal;
use super::*;

const SETTINGS: &str = "/srv/home/.config/guarded-sh/config.toml";

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

impl Browser {
    /// Opens a page of a world.
    fn opens(&self, world: &World, path: &str) {
        self.go(&format!("{}{path}", world.origin));
    }

    /// Waits until an element has this in its text.
    fn shows(&self, selector: &str, text: &str) {
        self.until(&format!(
            "return (document.querySelector({selector:?})?.innerText ?? '').includes({text:?})"
        ));
    }

    /// Gives a field a text as if it were typed; long ones take the driver a while.
    fn fills(&self, selector: &str, text: &str) {
        self.js(&format!(
            "const field = document.querySelector({selector:?}); field.value = {}; field.dispatchEvent(new Event('input', {{ bubbles: true }}))",
            json!(text)
        ));
    }

    /// Opens what is folded there.
    fn opens_fold(&self, selector: &str) {
        self.js(&format!("document.querySelector({selector:?}).open = true"));
    }

    /// How a line is judged on the playground.
    fn judges(&self, world: &World, line: &str) -> String {
        self.opens(world, "/try?directory=/srv/home/app");
        self.fills("#line", line);
        self.until("return document.querySelector('form .verdict strong') !== null");
        self.text("form .verdict strong")
    }
}

#[test]
fn a_line_is_judged_as_it_is_typed_and_as_it_would_be() {
    in_browser("browser::owner::a_line_is_judged_as_it_is_typed_and_as_it_would_be", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        browser.opens(&world, "/try?directory=/srv/home/app");
        browser.types("#line", "git status && rm -rf ~");
        browser.shows("form .verdict", "critical");
        assert_eq!(browser.text("form .verdict mark.critical"), "rm -rf ~");
        browser.opens_fold(".verdict details");
        browser.shows(".plan", "git status");
        browser.is_accessible("playground");
        browser.types("#line", "rm notes.txt");
        browser.shows("form .line", "rm notes.txt");
        browser.shows("form .verdict strong", "asks");
        assert!(browser.text("[aria-label='What would make it quieter']").contains("→ runs"));
        browser.js("document.querySelector('#shared').closest('details').open = true");
        let shared = browser.js("return document.querySelector('#shared').value");
        let shared = shared.as_str().unwrap();
        assert!(
            shared
                .starts_with("line: rm notes.txt\nin: /srv/home/app\nguarded-sh: it asks, medium"),
            "{shared}"
        );
        browser.click("[data-copy]");
        browser.until("return document.querySelector('.copied').textContent !== ''");
        // What if.
        browser.opens_fold("form details");
        browser.fills("#threshold", "10");
        browser.shows("[aria-label='As it would be'] strong", "runs");
        browser.fills("#threshold", "");
        browser.js("const field = document.querySelector('#profile'); field.value = 'unattended'; field.dispatchEvent(new Event('input', { bubbles: true }))");
        browser.shows("[aria-label='As it would be'] strong", "is refused");
        browser.shows("[aria-label='As it is'] strong", "asks");
        browser.js("const field = document.querySelector('#profile'); field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true }))");
        browser.fills("#rule", "[[rule]]\nid = \"mine.notes\"\ncommand = [\"rm\"]\nseverity = \"critical\"\nreason = \"loses notes\"\nmatches = [\"rm a\"]\npasses = [\"ls\"]\n");
        browser.shows("[aria-label='As it would be']", "loses notes");
        browser.is_accessible("playground-beside");
        browser.js("scrollTo(0, document.body.scrollHeight)");
        browser.picture("playground-below");
        browser.fills("#rule", "[[rule]]\nid = \"mine.notes\"\nseverity = \"hot\"\n");
        browser.shows(".mistakes", "line 3");
        // It was tried, and nothing more.
        assert!(!Path::new("/srv/home/.config/guarded-sh").exists());
    });
}

#[test]
fn a_setting_is_changed_and_counts() {
    in_browser("browser::owner::a_setting_is_changed_and_counts", || {
        std::fs::create_dir_all("/srv/home/.config/guarded-sh").unwrap();
        std::fs::write(SETTINGS, "# mine\nsafe_domains = [] # none yet\n").unwrap();
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        let line = "curl https://docs.example.com/a";
        assert_eq!(browser.judges(&world, line), "asks");
        browser.opens(&world, "/settings#key-safe_domains");
        browser.until("return document.querySelector('#key-safe_domains').open");
        assert!(browser.text("#key-safe_domains summary").contains("config.toml:2"));
        let value = "#key-safe_domains-value";
        browser.fills(value, "docs.example.com");
        browser.shows("#key-safe_domains .mistakes", "list");
        browser.fills(value, "[\"docs.example.com\"]");
        browser.shows("#key-safe_domains ins", "docs.example.com");
        browser.is_accessible("settings");
        browser.click("#key-safe_domains [data-change]");
        browser.shows(".done", "config.toml is written");
        assert_eq!(read(SETTINGS), "# mine\nsafe_domains = [\"docs.example.com\"] # none yet\n");
        assert_eq!(browser.judges(&world, line), "runs");
        // Taken out again, by the keyboard's own submit.
        browser.opens(&world, "/settings#key-safe_domains");
        browser.until("return document.querySelector('#key-safe_domains').open");
        browser.click("#key-safe_domains [name=remove]");
        browser.shows("#key-safe_domains .part", "- safe_domains = [\"docs.example.com\"]");
        // Somebody else writes it meanwhile: then it is not changed.
        std::fs::write(SETTINGS, "# other\n").unwrap();
        browser.click("#key-safe_domains [data-change]");
        browser.shows("#key-safe_domains .outcome", "has changed since it was shown");
        assert_eq!(read(SETTINGS), "# other\n");
        // The file as a whole.
        browser.opens(&world, "/settings");
        browser.fills("#text", "profle = \"strict\"\n");
        browser.shows(".mistakes", "line 1, column 1");
        browser.fills("#text", "profile = \"strict\"\n");
        browser.until("return [...document.querySelectorAll('ins')].some((one) => one.innerText.includes('strict'))");
        browser.click("form:has(#text) [data-change]");
        browser.shows(".done", "config.toml is written");
        browser.shows("#key-profile summary", "strict");
        // What is broken can be mended here.
        std::fs::write(SETTINGS, "profile = \n").unwrap();
        browser.opens(&world, "/settings");
        browser.shows("main", "The settings are broken");
        browser.is_accessible("settings-broken");
        browser.fills("#text", "profile = \"balanced\"\n");
        browser.until("return document.querySelector('form:has(#text) [data-change]') !== null");
        browser.click("form:has(#text) [data-change]");
        browser.shows("#key-profile summary", "balanced");
    });
}

#[test]
fn a_rule_is_tried_on_the_record_saved_and_counts() {
    in_browser("browser::owner::a_rule_is_tried_on_the_record_saved_and_counts", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        runs("git --version");
        runs("git --version");
        let rule = "pack = \"own\"\nsummary = \"mine\"\n\n[[rule]]\nid = \"own.version\"\ncommand = [\"git\"]\noptions = { any = [\"--version\"] }\nseverity = \"high\"\nreason = \"tells which git it is\"\nmatches = [\"git --version\"]\npasses = [\"git status\"]\n";
        browser.opens(&world, "/rules");
        browser.shows(".rules, .part", "");
        browser.fills("#text", &rule.replace("git status", "git --version --build-options"));
        browser.shows(".rules", "fails");
        browser.is_accessible("rules-fail");
        browser.fills("#text", &rule.replace("severity", "severty"));
        browser.shows(".mistakes", "line 8");
        browser.fills("#text", rule);
        browser.shows(".rules", "holds");
        // The index follows a moment later.
        browser.until("if (document.querySelector('.tried')?.innerText.includes('2 decisions')) return true; if (!document.querySelector('.part[aria-busy]')) document.querySelector('[name=tried]').click(); return false");
        browser.shows("[aria-label='Tried on the record']", "runs → is asked about");
        browser.is_accessible("rules");
        browser.js("scrollTo(0, document.body.scrollHeight)");
        browser.picture("rules-below");
        browser.click("[data-change]");
        browser.shows(".done", "own.toml is written");
        assert_eq!(read("/srv/home/.config/guarded-sh/rules/own.toml"), rule);
        assert!(browser.text("nav[aria-label='Files of rules']").contains("own"));
        assert_eq!(browser.judges(&world, "git --version"), "asks");
    });
}

#[test]
fn a_suggestion_is_taken_and_counts() {
    in_browser("browser::owner::a_suggestion_is_taken_and_counts", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        for number in 1..=3 {
            let asked = Asked::about(&world, &format!("gadget show {number}"));
            browser.sees(&asked);
            browser.click(&format!("#q-{} [data-answer=once]", asked.id));
            // There is no such program.
            assert_eq!(asked.ended().0, 127);
        }
        browser.opens(&world, "/overview");
        browser.shows("#suggestions", "gadget");
        browser.shows("#suggestions", "yes 3 times");
        browser.opens_fold(".suggestion details");
        browser.shows(".suggestion ins", "safe_commands");
        browser.is_accessible("suggestions");
        browser.js("scrollTo(0, document.body.scrollHeight)");
        browser.picture("suggestions-below");
        browser.click(".suggestion [data-change]");
        browser.shows(".done", "config.toml is written");
        assert!(read(SETTINGS).contains("safe_commands = [\"gadget\"]"), "{}", read(SETTINGS));
        assert_eq!(browser.judges(&world, "gadget show 4"), "runs");
    });
}

#[test]
fn a_prompt_is_previewed_and_saved() {
    in_browser("browser::owner::a_prompt_is_previewed_and_saved", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        browser.opens(&world, "/prompts");
        browser.fills("#directory", "/srv/home/app");
        browser.fills("#line", "git push origin shown-here");
        browser.shows(".preview", "git push origin shown-here");
        browser.fills("#text", "{common} {nonsense}");
        browser.shows(".part", "there is no placeholder {nonsense}");
        browser.fills("#text", "My own words.\n{common}");
        browser.shows(".preview", "My own words.");
        browser.js("for (const one of document.querySelectorAll('details')) one.open = true");
        browser.is_accessible("prompts");
        browser.click("form [data-change]");
        browser.shows(".done", "shell.txt is written");
        let file = "/srv/home/.config/guarded-sh/prompts/shell.txt";
        assert_eq!(read(file), "My own words.\n{common}");
        browser.shows("nav[aria-label=Parts]", "shell (yours)");
        browser.opens_fold("main > details");
        browser.click("main > details [data-change]");
        browser.shows(".done", "built in again");
        assert!(!Path::new(file).exists());
    });
}

/// A provider that answers nothing before it is told to, and then that it cannot.
fn hesitating() -> (u16, Sender<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (go_on, told) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = told.recv();
            let _ = stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
        }
    });
    (port, go_on)
}

#[test]
fn models_that_are_measured_are_followed() {
    in_browser("browser::owner::models_that_are_measured_are_followed", || {
        let (port, go_on) = hesitating();
        let mut world = World::with(&format!(
            "[model]\nmode = \"off\"\nlimit_ms = 60000\n\n[[model.providers]]\nkind = \"anthropic\"\nurl = \"http://127.0.0.1:{port}\"\nmodel = \"scripted\"\n"
        ));
        let rows = [
            json!({ "line": "ls", "label": "within" }),
            json!({ "line": "curl https://a.example/x", "prompts": ["read a.example"], "label": "within" }),
        ];
        std::fs::write("/srv/home/rows.jsonl", rows.map(|row| row.to_string()).join("\n")).unwrap();
        let reads = api::token(&["measured", "--read"]);
        let told = |world: &World, is: &dyn Fn(&Value) -> bool| {
            api::until(world, "/api/prompts", &reads, |told| is(&told["measured"]))["measured"]
                .take()
        };
        told(&world, &Value::is_null);
        let browser = Browser::paired(&mut world);
        browser.opens(&world, "/prompts");
        browser.shows("#measured", "No model was measured yet");
        let guard = guard();
        let words =
            [guard.to_str().unwrap(), "judge", "eval", "--runs", "1", "/srv/home/rows.jsonl"];
        let measuring = AtTerminal::without(&words);
        let begun = told(&world, &|told| told["done"] == json!(1));
        assert_eq!(begun["running"], json!(true));
        browser.opens(&world, "/prompts");
        browser.shows("#measured", "1 of 2 rows are done");
        assert_eq!(browser.text("#measured code"), "~/rows.jsonl");
        browser.js("document.querySelector('#measured').scrollIntoView()");
        browser.is_accessible("measured");
        go_on.send(()).unwrap();
        // The page was not loaded again.
        browser.shows("#measured", "settled by rules    1");
        measuring.until("1 unavailable");
        let told = told(&world, &|told| !told["found"].is_null());
        assert_eq!((&told["running"], &told["rows"]), (&json!(false), &json!(2)));
        assert!(told["found"].as_str().unwrap().contains("1 unavailable"), "{told}");
    });
}

#[test]
fn the_guard_is_installed_into_an_agent_and_taken_out() {
    in_browser("browser::owner::the_guard_is_installed_into_an_agent_and_taken_out", || {
        let settings = "/srv/home/.claude/settings.json";
        std::fs::create_dir_all("/srv/home/.claude").unwrap();
        std::fs::write(settings, "{ \"theme\": \"dark\" }\n").unwrap();
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        let agent = ".agent[data-agent=claude]";
        browser.opens(&world, "/agents");
        browser.shows(agent, "not guarded");
        let way = |way: &str| format!("{agent} form:has([value={way}])");
        browser.click(&format!("{} button", way("install")));
        browser.shows(&way("install"), "+   \"hooks\"");
        browser.is_accessible("agents");
        browser.click(&format!("{} [data-change]", way("install")));
        browser.shows(".done", "installed into claude");
        assert!(read(settings).contains("hook claude"), "{}", read(settings));
        browser.until(&format!("return document.querySelector('{agent}') !== null"));
        assert!(!browser.text(agent).contains("not guarded"), "{}", browser.text(agent));
        browser.is_accessible("agents-guarded");
        browser.click(&format!("{} button", way("uninstall")));
        browser.until(&format!(
            "return document.querySelector('{} [data-change]') !== null",
            way("uninstall")
        ));
        // Where it is other meanwhile, it is shown anew first.
        let installed = read(settings);
        std::fs::write(settings, installed.replace("dark", "light")).unwrap();
        browser.click(&format!("{} [data-change]", way("uninstall")));
        browser.shows(&format!("{} .outcome", way("uninstall")), "changed since it was shown");
        std::fs::write(settings, installed).unwrap();
        browser.click(&format!("{} [data-change]", way("uninstall")));
        browser.shows(".done", "taken out of claude");
        assert_eq!(read(settings), "{ \"theme\": \"dark\" }\n");
    });
}

#[test]
fn all_of_it_fits_a_small_screen_and_is_read_without_scripts() {
    in_browser("browser::owner::all_of_it_fits_a_small_screen_and_is_read_without_scripts", || {
        std::fs::create_dir_all("/srv/home/.claude").unwrap();
        let mut world = World::begin();
        let small = Browser::start(Kind { is_small: true, ..Kind::default() });
        let code = world.code();
        small.go(&format!("{}/enter#{code}", world.origin));
        small.until("return document.title.endsWith('Now · guarded-sh')");
        for (path, shown) in [
            ("/try?line=rm+-rf+%2F&directory=/srv/home/app", "critical"),
            ("/rules", "Rules"),
            ("/settings", "thresholds"),
            ("/prompts", "built in"),
            ("/agents", "Claude"),
            ("/overview", "would have asked less"),
        ] {
            small.opens(&world, path);
            small.shows("main", shown);
            small.js("for (const one of document.querySelectorAll('details')) one.open = true");
            small.is_accessible(&format!("small-{}", path[1..].split('?').next().unwrap()));
        }
        let plain = Browser::start(Kind { is_plain: true, ..Kind::default() });
        plain.opens(&world, "/enter");
        let code = world.code();
        plain.types("#code", &code);
        plain.click("#enter button");
        assert_eq!(plain.text("h1"), "Now");
        plain.opens(&world, "/try");
        plain.types("#line", "rm -rf /");
        plain.click("main form > button");
        assert!(plain.text(".verdict").contains("critical"), "{}", plain.text("main"));
        plain.opens(&world, "/settings");
        plain.types("#text", "profile = \"strict\"");
        plain.click("form:has(#text) > button");
        assert!(
            plain.text("ins").contains("strict")
                && plain.text("main").contains("Without JavaScript nothing can be changed")
        );
        assert_eq!(plain.text("[data-change]"), "");
        plain.opens(&world, "/rules");
        plain.click("main form button");
        assert!(plain.text(".rules").contains("holds"), "{}", plain.text("main"));
        for (path, link, shown) in [
            ("/agents", "main a", "Claude"),
            ("/overview", "#suggestions a", "No change of settings"),
        ] {
            plain.opens(&world, path);
            plain.click(link);
            assert!(plain.text("main").contains(shown), "{}", plain.text("main"));
        }
    });
}

#[test]
fn in_no_language_it_is_wider_than_the_screen() {
    in_browser("browser::owner::in_no_language_it_is_wider_than_the_screen", || {
        std::fs::create_dir_all("/srv/home/.claude").unwrap();
        let mut world = World::begin();
        // The longest words, another alphabet, and no spaces.
        for (language, done) in
            [("de", "Kopiert."), ("ru", "Скопировано."), ("ja", "コピーしました。")]
        {
            for is_small in [true, false] {
                let kind = Kind { likes: Some(language), is_small, ..Kind::default() };
                let browser = Browser::start(kind);
                let code = world.code();
                browser.go(&format!("{}/enter#{code}", world.origin));
                browser.until("return document.getElementById('now') !== null");
                for (path, part) in [
                    (
                        "/try?line=rm+-rf+~+%26%26+gadget+x&directory=/srv/home/app&threshold=90",
                        ".beside",
                    ),
                    ("/rules", "#text"),
                    ("/settings", "#text"),
                    ("/prompts", "#text"),
                    ("/agents", ".agent"),
                    ("/overview", "#suggestions p.dim"),
                ] {
                    browser.opens(&world, path);
                    browser.until(&format!("return document.querySelector('{part}') !== null"));
                    browser.js("for (const one of document.querySelectorAll('details')) one.open = true; for (const one of document.querySelectorAll('form[data-live]')) one.requestSubmit()");
                    browser.until("return document.querySelector('[aria-busy]') === null");
                    let name = path[1..].split('?').next().unwrap();
                    browser.is_accessible(&format!("{name}-{language}-{is_small}"));
                    browser.js("document.querySelector('form .part')?.scrollIntoView()");
                    browser.picture(&format!("{name}-{language}-{is_small}-below"));
                }
                browser.opens(&world, "/try?line=ls&directory=/");
                browser.opens_fold("details:has(#shared)");
                browser.click("[data-copy]");
                browser.until("return document.querySelector('.copied').textContent !== ''");
                let copied = browser.text(".copied");
                assert!(
                    copied == done || copied.contains("Ctrl") || copied.contains("Strg"),
                    "{copied}"
                );
            }
        }
    });
}
