//! Each page in each language on a small screen, where nothing may be wider than it.

use guarded_sh::language::Language;

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
        for (language, is_small) in
            Language::ALL.into_iter().flat_map(|one| widths.iter().map(move |width| (one, *width)))
        {
            let likes = Some(language.tag());
            let browser = Browser::start(Kind { likes, is_small, ..Kind::default() });
            let code = world.code();
            browser.go(&format!("{}/enter#{code}", world.origin));
            browser.until("return document.getElementById('now') !== null");
            for path in PATHS.into_iter().chain([call.as_str()]) {
                browser.go(&format!("{}{path}", world.origin));
                browser.until("return document.querySelector('main h1') !== null");
                browser
                    .js("for (const one of document.querySelectorAll('details')) one.open = true");
                let name = path[1..].split('?').next().unwrap().replace('/', "-");
                let size = if is_small { "small" } else { "wide" };
                browser.picture(&format!("{name}-{}-{size}", language.name()));
                let widest = "return [...document.querySelectorAll('main *, header *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest('.scroll, .skip') === null).map((one) => one.outerHTML.slice(0, 200))";
                let widest = browser.js(widest);
                assert!(
                    browser.js("return document.documentElement.scrollWidth <= innerWidth") == true,
                    "{path} is wider than the screen in {}: {widest}",
                    language.name()
                );
            }
        }
    });
}
