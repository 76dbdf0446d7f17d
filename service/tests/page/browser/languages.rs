//! Each page in each language on a small screen, where nothing may be wider than it.

use guarded_sh::language::Language;
use serde_json::json;

use super::{Browser, Kind, in_browser};
use crate::forgotten::happen;
use crate::web::{Seat, get, until};
use crate::world::World;

const PATHS: [&str; 13] = [
    "/",
    "/live",
    "/sessions",
    "/session?id=claude:conv-1",
    "/transcripts",
    "/transcript?agent=claude&session=conv-1",
    "/overview",
    "/history",
    "/try",
    "/rules",
    "/settings",
    "/prompts",
    "/agents",
];

/// Returns what is wider than the screen or than its own box, what is half beside the screen, and what has no room for a word.
const TOO_WIDE: &str = r"
    const wide = [];
    const say = (why, one) => wide.push(why + ': ' + one.outerHTML.slice(0, 160));
    if (document.documentElement.scrollWidth > innerWidth) say('the page', document.querySelector('h1'));
    for (const one of document.querySelectorAll('body *')) {
        const box = one.getBoundingClientRect();
        if (box.width === 0 || one.closest('.skip, svg, script') !== null) continue;
        const isCut = getComputedStyle(one).overflowX !== 'visible' || getComputedStyle(one).display === 'inline';
        if (!isCut && one.scrollWidth > one.clientWidth + 1 && !one.matches('tr, thead, tbody, th, td')) say('its box', one);
        if (one.closest('.scroll') === null && box.right > innerWidth + 1) say('the right edge', one);
        if (box.left < 0 && box.right > 0) say('the left edge', one);
        if (one.matches('dd') && box.width < 60) say('no room', one);
    }
    return wide;
";

#[test]
fn no_page_is_wider_than_a_small_screen_in_any_language() {
    in_browser("browser::languages::no_page_is_wider_than_a_small_screen_in_any_language", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        happen(&world, &seat);
        until(&world, &seat, "/overview", &["Calls without a decision of ours"]);
        let denied = until(&world, &seat, "/history?action=deny", &["/call/"]);
        let number = denied.split("/call/").nth(1).unwrap().split('"').next().unwrap();
        let call = format!("/call/{number}");
        assert_eq!(get(&world, &seat, &call).status, 200);
        // For whoever looks at the pictures, as wide as a desk too.
        let widths: &[bool] =
            if std::env::var_os("SCREENSHOTS").is_some() { &[true, false] } else { &[true] };
        let mut faults = Vec::new();
        for (language, is_small) in
            Language::ALL.into_iter().flat_map(|one| widths.iter().map(move |width| (one, *width)))
        {
            let likes = Some(language.tag());
            let browser = Browser::start(Kind { is_small, likes, ..Kind::default() });
            let code = world.code();
            browser.go(&format!("{}/enter#{code}", world.origin));
            browser.until("return document.getElementById('now') !== null");
            assert_eq!(browser.js("return innerWidth < 401"), is_small);
            for path in PATHS.into_iter().chain([call.as_str()]) {
                browser.go(&format!("{}{path}", world.origin));
                browser.until("return document.querySelector('main h1') !== null");
                browser
                    .js("for (const one of document.querySelectorAll('details')) one.open = true");
                let name = path.split('?').next().unwrap().replace('/', "-");
                let size = if is_small { "small" } else { "wide" };
                browser.picture(&format!("page{name}-{}-{size}", language.name()));
                let wide = browser.js(TOO_WIDE);
                if wide != json!([]) {
                    faults.push(format!("{} {path} {size}: {wide}", language.name()));
                }
            }
        }
        assert!(faults.is_empty(), "what does not fit:\n{}", faults.join("\n"));
    });
}
