//! What lines changed, as undo kept it: of a session, and of one line.

use std::fs;

use super::api;
use super::web::{self, Seat};
use super::world::{World, runs_in, within};

/// All lines run, and what they may destroy is kept, however slow the machine is.
const SETTINGS: &str = "[thresholds]\nbash = 0\n\n[undo]\nmode = \"keep\"\nmillis = 60000\n";

/// The part of a page about one file.
fn about<'p>(page: &'p str, name: &str) -> &'p str {
    let start = format!("<section class=\"file\" aria-label=\"/srv/home/app/{name}\">");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("{name}: {page}"));
    rest.split_once("</section>").unwrap().0
}

#[test]
fn a_session_shows_what_became_of_each_file() {
    within("files::a_session_shows_what_became_of_each_file", || {
        fs::write("gone", "one\ntwo\n").unwrap();
        fs::write("other", "old\n<b>same</b>\n").unwrap();
        fs::write("picture", [0, 159, 146, 150]).unwrap();
        fs::write("untouched", "as it was\n").unwrap();
        fs::write("key", "here\n").unwrap();
        let mut world = World::with(SETTINGS);
        let seat = Seat::take(&mut world);
        for line in [
            "rm gone picture",
            "printf 'middle\\n' > other",
            "printf 'new\\n<b>same</b>\\n' > other",
            "printf 'token = ghp_%s\\n' AbCdEfGhIjKlMnOpQrStUvWxYz0123456789 > key",
            "mv untouched elsewhere; mv elsewhere untouched",
        ] {
            runs_in("s-1", line);
        }
        let sessions = web::until(&world, &seat, "/sessions", &["/session?id="]);
        let (_, session) = sessions.split_once("/session?id=").unwrap();
        let session = session.split_once('"').unwrap().0;
        let shown = web::get(&world, &seat, &format!("/session?id={session}")).body;
        let to = format!("/files?session={session}");
        assert!(shown.contains(&format!("href=\"{to}\"")), "{shown}");
        let page = web::get(&world, &seat, &to).body;
        // What was there before the first line counts, and not what came between.
        let other = about(&page, "other");
        let lines = "<del>-old</del>\n<ins>+new</ins>\n &lt;b&gt;same&lt;/b&gt;\n";
        assert!(other.contains(lines) && other.contains(">changed<"), "{other}");
        assert!(!page.contains("middle"), "{page}");
        let gone = about(&page, "gone");
        assert!(gone.contains("<del>-one</del>\n<del>-two</del>\n"), "{gone}");
        assert!(gone.contains(">deleted<"), "{gone}");
        let picture = about(&page, "picture");
        assert!(picture.contains(">deleted<") && !picture.contains("<del>"), "{picture}");
        let key = about(&page, "key");
        assert!(key.contains("<ins>+token = ") && !key.contains("AbCdEfGh"), "{key}");
        assert!(!page.contains("untouched"), "{page}");
        // Programs get the same.
        let token = api::token(&["files", "--read"]);
        let told = api::read(&world, &format!("/api/files?session={session}"), &token);
        let told = told["files"]
            .as_array()
            .unwrap()
            .iter()
            .find(|file| file["path"] == "/srv/home/app/other" && file["became"] == "changed");
        assert!(told.unwrap()["difference"].as_str().unwrap().contains("-old\n+new"), "{told:?}");
        // Of one line, what it changed alone.
        let history = web::until(&world, &seat, "/history?text=middle", &["/call/"]);
        let (_, call) = history.split_once("/call/").unwrap();
        let call = call.split_once('"').unwrap().0;
        let call = web::get(&world, &seat, &format!("/call/{call}")).body;
        let (_, kept) = call.split_once("/files?kept=").unwrap_or_else(|| panic!("{call}"));
        let kept = kept.split_once('"').unwrap().0;
        let page = web::get(&world, &seat, &format!("/files?kept={kept}")).body;
        assert!(about(&page, "other").contains("<del>-old</del>"), "{page}");
        assert!(!page.contains("/app/gone"), "{page}");
        world.end();
    });
}

#[test]
fn what_is_not_kept_is_said() {
    within("files::what_is_not_kept_is_said", || {
        let mut world = World::with(SETTINGS);
        let seat = Seat::take(&mut world);
        for (address, said) in [
            ("/files", "Undo kept nothing before these lines."),
            ("/files?session=%3Cb%3E", "Undo kept nothing before these lines."),
            ("/files?kept=..%2F..%2Fetc", "nothing is kept by the name '../../etc'"),
            ("/files?kept=", "nothing is kept by the name"),
        ] {
            let page = web::get(&world, &seat, address).body;
            assert!(page.contains(said), "{address}: {page}");
            assert!(!page.contains("<b>"), "{address}: {page}");
        }
        world.end();
    });
}
