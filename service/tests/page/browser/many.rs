//! Many pages of one browser, as who works with several agents leaves them open.

use std::time::Duration;

use guarded_sh::audit::{Durability, Store};

use super::super::web::Seat;
use super::super::{api, load};
use super::*;

/// Pages that one browser has open.
const PAGES: usize = 12;
/// Pages that others have open, while it is measured how late decisions are told.
const OTHERS: usize = 8;

/// Opens these pages in one browser, each in a tab, and returns their handles.
fn opened(browser: &Browser, world: &World, path: &str) -> Vec<String> {
    let open = |at: usize| {
        let handle = match at {
            0 => browser.call(&Method::GET, "/window", &json!({})).unwrap(),
            _ => browser.post("/window/new", &json!({ "type": "tab" }))["handle"].take(),
        };
        browser.post("/window", &json!({ "handle": handle }));
        browser.go(&format!("{}{path}", world.origin));
        handle.as_str().unwrap().to_owned()
    };
    (0..PAGES).map(open).collect()
}

/// How many streams of events are open.
fn streams(world: &World, token: &str) -> u64 {
    let told = api::get(world, "/metrics", token).sent(world).body;
    let line = told.lines().find_map(|line| line.strip_prefix("guarded_sh_streams "));
    line.unwrap().parse().unwrap()
}

#[test]
fn pages_of_one_browser_share_a_stream_of_events() {
    in_browser("browser::many::pages_of_one_browser_share_a_stream_of_events", || {
        let mut world = World::begin();
        let token = api::token(&["many", "--read"]);
        let browser = Browser::paired(&mut world);
        let pages = opened(&browser, &world, "/live");
        runs("echo seen by all of them");
        for page in &pages {
            browser.post("/window", &json!({ "handle": page }));
            browser.until(
                "return document.querySelector('#calls').innerText.includes('seen by all of them')",
            );
        }
        assert_eq!(streams(&world, &token), 1);
        // What is left goes on, also without the page that was there first.
        for page in &pages[..PAGES - 1] {
            browser.post("/window", &json!({ "handle": page }));
            browser.call(&Method::DELETE, "/window", &json!({})).unwrap();
        }
        browser.post("/window", &json!({ "handle": pages[PAGES - 1] }));
        runs("echo seen by the last");
        browser.until("return document.querySelector('#calls').innerText.includes('by the last')");
        assert_eq!(streams(&world, &token), 1);
        drop(browser);
        world.end();
    });
}

/// Has each page note how late it shows what says when it was decided.
const NOTES: &str = "
    window.late = [];
    const seen = new Set();
    new MutationObserver(() => {
        const now = performance.timeOrigin + performance.now();
        for (const row of document.querySelectorAll('#calls tr')) {
            const found = /decided-(\\d+)-at-([\\d.]+)/.exec(row.textContent);
            if (found === null || seen.has(found[1])) continue;
            seen.add(found[1]);
            late.push(now - Number(found[2]));
        }
    }).observe(document.querySelector('#calls'), { childList: true });
";

#[test]
#[ignore = "takes a machine that does nothing else"]
fn load_of_twelve_pages() {
    in_browser("browser::many::load_of_twelve_pages", || {
        let mut world = World::begin();
        let browser = Browser::paired(&mut world);
        let pages = opened(&browser, &world, "/live");
        for page in &pages {
            browser.post("/window", &json!({ "handle": page }));
            browser.js(NOTES);
        }
        let seat = Seat::take(&mut world);
        let others: Vec<_> = (0..OTHERS).map(|_| load::reads(&world, &seat)).collect();
        let store = Store::new(Path::new(load::STATE), Durability::System);
        let count = load::A_SECOND * load::SECONDS;
        let began = Instant::now();
        for number in 0..count {
            let due = began + Duration::from_secs(1) * number / load::A_SECOND;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let now = jiff::Timestamp::now().as_microsecond();
            let now = format!("{}.{:03}", now / 1000, now % 1000);
            store.append(&load::record(&format!("echo decided-{number}-at-{now}"))).unwrap();
        }
        let mut late: Vec<f64> = Vec::new();
        for page in &pages {
            browser.post("/window", &json!({ "handle": page }));
            browser.until(&format!("return window.late.length >= {count}"));
            let told = browser.js("return window.late");
            late.extend(told.as_array().unwrap().iter().filter_map(Value::as_f64));
        }
        late.sort_by(f64::total_cmp);
        let of = |hundredths: usize| late[(late.len() - 1) * hundredths / 100];
        println!(
            "{PAGES} pages of one browser and {OTHERS} others, {} decisions a second: shown after {:.1} ms as a rule, {:.1} ms of 99 in 100, {:.1} ms at most",
            load::A_SECOND,
            of(50),
            of(99),
            of(100)
        );
        assert!(of(99) < 100.0);
        drop(others);
    });
}
