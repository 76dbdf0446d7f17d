//! Transcripts in a real browser: one is followed as it is written, and says what ran past the guard.

use serde_json::json;

use super::{Browser, Kind, in_browser};
use crate::transcripts::{HOSTILE, Transcript};
use crate::world::World;

#[test]
fn a_transcript_is_followed_and_says_what_no_decision_covers() {
    in_browser(
        "browser::transcripts::a_transcript_is_followed_and_says_what_no_decision_covers",
        || {
            let mut world = World::begin();
            let browser = Browser::paired(&mut world);
            let transcript = Transcript::of("conv-1");
            transcript.asks("Please tidy the notes up.");
            transcript.says("I look at what is there.");
            transcript.runs_with_hook("t1", "ls");
            transcript.calls("t2", "Edit", &json!({ "file_path": "/srv/home/app/notes", "old_string": "one\ntwo", "new_string": "three" }));
            browser.go(&format!("{}/transcripts", world.origin));
            browser.until("return document.body.innerText.includes('Please tidy the notes up.')");
            browser.is_accessible("transcripts");
            browser.click(".calls a");
            browser.until("return document.getElementById('timeline') !== null");
            browser.until("if (document.body.innerText.includes('matched by id')) return true; location.reload(); return false");
            assert_eq!(browser.text(".alarm"), "");
            // The page is told of what is written, and is not loaded again for it.
            browser.js("window.isSame = true");
            browser.until("return document.getElementById('notice').textContent === ''");
            transcript.says("Now I change them.");
            browser.until("return document.getElementById('timeline').innerText.includes('Now I change them.')");
            assert_eq!(browser.text("#timeline .uncovered"), "");
            transcript.gets("t2", "changed");
            browser.until("return document.querySelector('.alarm')?.innerText.includes('1 of 2 calls') === true");
            browser.until("return document.querySelectorAll('#timeline .uncovered').length === 1");
            transcript.says(HOSTILE);
            browser
                .until("return document.getElementById('timeline').innerText.includes('<b id=x>')");
            assert_eq!(
                browser.js("return document.querySelectorAll('#x, main img, main script').length"),
                json!(0)
            );
            assert_eq!(browser.js("return window.isSame === true"), json!(true));
            browser.js("for (const one of document.querySelectorAll('details')) one.open = true");
            browser.is_accessible("transcript");
            browser.go(&format!("{}/session?id=claude%3Aconv-1", world.origin));
            browser.until("return document.body.innerText.includes('Please tidy the notes up.')");
            browser.is_accessible("session-whole");
            browser.until("return document.getElementById('more').hidden");
            transcript.asks("One thing more.");
            browser.until("return !document.getElementById('more').hidden");
            browser.go(&format!("{}/overview", world.origin));
            browser.until("if (document.querySelector('.alarm') !== null) return true; location.reload(); return false");
            browser.is_accessible("overview-alarm");

            let small = Browser::start(Kind { is_small: true, ..Kind::default() });
            let code = world.code();
            small.go(&format!("{}/enter#{code}", world.origin));
            small.until("return document.title.endsWith('Now · guarded-sh')");
            small.go(&format!("{}{}", world.origin, transcript.address()));
            small.until("return document.getElementById('timeline') !== null");
            small.is_accessible("transcript-small");
        },
    );
}
