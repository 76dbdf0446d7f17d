//! In which language the page is: what the owner set, else what each browser likes.

use super::web::{Request, Seat};
use super::world::{Asked, World, within};

/// The page of the questions, as a browser gets it that likes this.
fn now(world: &World, seat: &Seat, likes: Option<&str>) -> String {
    let request = Request::get(world, "/").of_seat(&seat.token).with("Accept-Language", likes);
    let answer = request.sent(world);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

#[test]
fn each_browser_has_its_language_and_the_agent_has_english() {
    within("languages::each_browser_has_its_language_and_the_agent_has_english", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        std::fs::write("a", "").unwrap();
        let asked = Asked::about(&world, "rm a");
        // The page hears of a question a moment later than the service.
        while !now(&world, &seat, None).contains(&asked.id) {
            std::thread::yield_now();
        }
        for (likes, tag, deny, found) in [
            (None, "en", ">Deny<", "deletes"),
            (Some("xx"), "en", ">Deny<", "deletes"),
            (Some("de-AT,de;q=0.9"), "de", ">Ablehnen<", "löscht"),
            (Some("es"), "es", ">Denegar<", "borra"),
            (Some("da,en;q=0.5"), "da", ">Afvis<", "sletter"),
            (Some("zh-CN"), "zh-Hans", ">拒绝<", "删除"),
            (Some("\"><script>alert(1)</script>"), "en", ">Deny<", "deletes"),
        ] {
            let page = now(&world, &seat, likes);
            assert!(page.contains(&format!("<html lang=\"{tag}\">")), "{likes:?}: {page}");
            assert!(page.contains(deny) && page.contains(found), "{likes:?}: {page}");
            // What answers are made of is the same everywhere.
            for part in ["data-answer=\"deny\"", "data-answer=\"once\"", "data-severity=\"medium\""]
            {
                assert!(page.contains(part), "{likes:?}: {page}");
            }
        }
        asked.abandon();
    });
}

#[test]
fn what_the_owner_set_counts_before_what_a_browser_likes() {
    within("languages::what_the_owner_set_counts_before_what_a_browser_likes", || {
        let settings = "/srv/home/.config/guarded-sh";
        std::fs::create_dir_all(settings).unwrap();
        std::fs::write(format!("{settings}/config.toml"), "language = \"ja\"\n").unwrap();
        // A project's own wish does not count.
        std::fs::write(".guarded-sh.toml", "language = \"ru\"\n").unwrap();
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        for likes in [None, Some("de")] {
            let page = now(&world, &seat, likes);
            assert!(page.contains("<html lang=\"ja\">"), "{page}");
            assert!(page.contains("回答待ちはありません。"), "{page}");
        }
    });
}

#[test]
fn why_an_answer_is_not_taken_is_told_in_the_language() {
    within("languages::why_an_answer_is_not_taken_is_told_in_the_language", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let asked = Asked::about(&world, "rm a");
        for (likes, gone, unsigned) in [
            ("en", "no longer open", "not signed with this browser's key"),
            ("fr", "n’est plus ouverte", "n’est pas signée"),
            ("zh-CN", "不再开放", "签名"),
        ] {
            let mut answer = seat.answers(&world, &asked, r#"{"answer":"once"}"#);
            answer.question = "none".to_owned();
            for (is_signed, word) in [(true, gone), (false, unsigned)] {
                answer.nonce = seat.nonce(&world);
                let signature = if is_signed { seat.signature(&answer) } else { "0".repeat(128) };
                let request = answer.request(&world, &seat.token, &signature);
                let refused = request.with("Accept-Language", Some(likes)).sent(&world);
                assert!(matches!(refused.status, 403 | 409), "{refused:?}");
                assert!(refused.body.contains(word), "{likes}: {refused:?}");
            }
        }
        asked.abandon();
    });
}
