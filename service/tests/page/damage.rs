//! What is damaged, hostile or taken: each is said in words, and nothing else is lost by it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::web::{Seat, encoded, until, until_any};
use super::world::{AtTerminal, World, guard, runs_at, within};

/// Where the record is, and what is made of it.
const STATE: &str = "/srv/home/.local/state/guarded-sh";

/// Markup that would be seen at once, and a character that turns what follows around.
const HOSTILE: &str = "</pre></td><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}";

/// Returns the newest file of the record.
fn newest() -> PathBuf {
    let days = fs::read_dir(Path::new(STATE).join("records")).unwrap();
    let days = days.map(|day| day.unwrap().path());
    days.filter(|day| day.extension().is_some_and(|is| is == "jsonl")).max().unwrap()
}

#[test]
fn what_agents_say_is_text_on_every_page() {
    within("damage::what_agents_say_is_text_on_every_page", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let directory = Path::new("/srv/home/app/<b onmouseover=alert(1)>\u{202e}");
        fs::create_dir(directory).unwrap();
        let line = format!("echo '{HOSTILE}'");
        runs_at(directory, HOSTILE, &line);
        let live = until(&world, &seat, "/live", &["alert(1)"]);
        let number = live.split("data-number=\"").nth(1).unwrap();
        let number = number.split('"').next().unwrap().to_owned();
        let session = format!("/session?id={}", encoded(&format!("claude:{HOSTILE}")));
        let tried = format!("/try?line={}&directory=/srv/home/app", encoded(&line));
        let pages = [
            ("/live", "alert(1)"),
            (&format!("/call/{number}"), "alert(1)"),
            ("/sessions", "claude:"),
            (&session, "claude:"),
            ("/overview?days=7", "Overview"),
            ("/history?text=alert", "alert(1)"),
            (&tried, "alert(1)"),
        ];
        for (path, part) in pages {
            let answer = until(&world, &seat, path, &[part]);
            // What the person typed stands in its field as it was typed.
            let hidden = if part == "alert(1)" && path.starts_with("/try") {
                "</script>a"
            } else {
                "\u{202e}"
            };
            for markup in ["<script>alert", "<img", "<b onmouseover", hidden, "</pre></td>"] {
                assert!(!answer.contains(markup), "{path} has {markup}: {answer}");
            }
        }
    });
}

#[test]
fn what_is_damaged_is_said_and_the_rest_is_shown() {
    within("damage::what_is_damaged_is_said_and_the_rest_is_shown", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let app = Path::new("/srv/home/app");
        runs_at(app, "one", "echo before-it");
        until(&world, &seat, "/history?text=before-it", &["before-it</code>"]);

        // Half a record, one of no text, and then a whole one.
        let mut day = OpenOptions::new().append(true).open(newest()).unwrap();
        day.write_all(b"{\"sequence\":99,\"ti\n\xff\xfe\0\n").unwrap();
        runs_at(app, "one", "echo behind-it");
        until(&world, &seat, "/history?text=behind-it", &["behind-it</code>"]);
        until(&world, &seat, "/live", &["behind-it"]);

        // A record that somebody changed.
        let text = fs::read(newest()).unwrap();
        let at = text.windows(9).position(|part| part == b"before-it").unwrap();
        let day = OpenOptions::new().write(true).open(newest()).unwrap();
        day.write_at(b"BEFORE", at as u64).unwrap();
        runs_at(app, "one", "echo behind-that");
        until(&world, &seat, "/overview?days=7", &["does not verify"]);
        until(&world, &seat, "/history?text=behind-that", &["behind-that</code>"]);

        // The index is derived: it is made anew.
        fs::write(Path::new(STATE).join("index.sqlite"), [b'x'; 9_000]).unwrap();
        runs_at(app, "one", "echo after-that");
        // Who writes it may have seen that first, and made it anew.
        until_any(&world, &seat, "/history?text=after-that", &["is damaged", "after-that</code>"]);
        runs_at(app, "one", "echo heals-it");
        until(&world, &seat, "/history?text=after-that", &["after-that</code>"]);
        until(&world, &seat, "/history?text=behind-it", &["behind-it</code>"]);
        fs::remove_file(Path::new(STATE).join("index.sqlite")).unwrap();
        runs_at(app, "one", "echo once-more");
        until(&world, &seat, "/history?text=once-more", &["once-more</code>"]);
        until(&world, &seat, "/history?text=behind-it", &["behind-it</code>"]);
    });
}

#[test]
fn a_port_that_is_taken_is_said() {
    within("damage::a_port_that_is_taken_is_said", || {
        let world = World::begin();
        let port = world.port().to_string();
        let program = guard();
        let second =
            AtTerminal::start(&[program.to_str().unwrap(), "page", "--no-open", "--port", &port]);
        let said = second.until("cannot listen");
        assert!(said.contains(&port) && said.contains("in use"), "{said}");
    });
}
