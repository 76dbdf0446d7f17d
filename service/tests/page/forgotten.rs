//! Texts of the pages about what was, in each language: each page has its own, and none has words of the English one.

use std::collections::BTreeSet;
use std::path::Path;

use guarded_sh::language::Language;
use serde_json::json;

use super::transcripts::Transcript;
use super::web::{Request, Seat, encoded, get, until};
use super::world::{Asked, World, runs_in, within};

/// A page, and the texts of `record.ftl` or `page.ftl` that it shows in each language.
const SHOWN: &[(&str, &[&str])] = &[
    (
        "/overview",
        &["page-overview", "overview-week", "overview-to-agent", "overview-most", "overview-spent"],
    ),
    ("/history", &["page-history", "history-search", "history-rule", "action-contain"]),
    ("/sessions", &["page-sessions", "sessions-last", "sessions-refused"]),
    ("/transcripts", &["page-transcripts", "transcripts-evidence", "transcripts-size"]),
    ("/transcript?agent=claude&session=conv-1", &["transcript-in-record", "transcript-either"]),
    ("/session?id=claude:conv-1", &["session-transcript", "session-export", "timeline-by-id"]),
    ("/call/1", &["call-again", "call-course", "call-judged"]),
    ("/live", &["live-least", "rows-calls"]),
];

/// Words that are the same in English and in a language. Those of all are names, units, and what is typed here.
const SAME: &[(&str, &str)] = &[
    (
        "all",
        "claude codex copilot gemini opencode javascript json lines markdown bash write pretooluse utf µs",
    ),
    ("all", "srv home app conv effect delete"),
    ("de", "agent filter hook host in kb link live person prompts shell text tokens was"),
    (
        "fr",
        "action agent agents hook mode page pages pause prompts question session sessions shell",
    ),
    ("es", "bytes hook kb no prompts shell tokens"),
    ("da", "agent at filter id kb link live model over pause person score session tokens"),
    ("ja", "id kb"),
    ("zh", "id kb shell"),
];

/// Returns a text as its file has it.
fn text(language: Language, key: &str) -> String {
    let files = ["record.ftl", "page.ftl"].map(|file| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../i18n");
        std::fs::read_to_string(directory.join(language.name()).join(file)).unwrap()
    });
    let told = files.iter().flat_map(|file| file.lines());
    let mut told = told.filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
    told.next().unwrap_or_else(|| panic!("{key}")).to_owned()
}

/// Returns a page as a browser gets it that likes a language.
fn page(world: &World, seat: &Seat, path: &str, language: Language) -> String {
    let request = Request::get(world, path).of_seat(&seat.token);
    request.with("Accept-Language", Some(language.tag())).sent(world).body
}

/// Returns the words that a person reads on a page: what is not code, nor said by others, nor found in settings.
fn words(page: &str) -> BTreeSet<String> {
    let main = page.split_once("<main").map_or(page, |(_, main)| main);
    let mut texts = Vec::new();
    for name in ["aria-label=\"", "title=\"", "placeholder=\""] {
        texts.extend(main.split(name).skip(1).filter_map(|rest| rest.split('"').next()));
    }
    let mut rest = main.to_owned();
    for (from, to) in [
        ("<code", "</code>"),
        ("<pre", "</pre>"),
        ("<time", "</time>"),
        ("<div class=\"words\"", "</div>"),
        ("<section id=\"suggestions\"", "</section>"),
    ] {
        while let Some(begin) = rest.find(from) {
            let end = rest[begin..].find(to).unwrap() + begin + to.len();
            rest.replace_range(begin..end, " ");
        }
    }
    texts.extend(rest.split('<').filter_map(|part| Some(part.split_once('>')?.1)));
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphabetic()));
    let words = words.filter(|word| word.len() > 1);
    words.map(str::to_lowercase).collect()
}

/// Holds that no page has words of its English version, but for these names.
fn hold(world: &World, seat: &Seat, paths: &[&str], names: &[String]) {
    let mut faults = Vec::new();
    for path in paths {
        let english = words(&page(world, seat, path, Language::English));
        assert!(english.len() > 3, "{path}: {english:?}");
        for language in Language::ALL.into_iter().filter(|one| *one != Language::English) {
            let same = SAME.iter().filter(|(name, _)| ["all", language.name()].contains(name));
            let same = same.flat_map(|(_, words)| words.split(' '));
            let same: BTreeSet<&str> = same.chain(names.iter().map(String::as_str)).collect();
            let own = words(&page(world, seat, path, language));
            let forgotten: Vec<&String> =
                own.intersection(&english).filter(|word| !same.contains(word.as_str())).collect();
            if !forgotten.is_empty() {
                faults.push(format!("{} {path}: {forgotten:?}", language.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Has something happen of each kind that the pages tell; returns the words of the questions' ids.
pub fn happen(world: &World, seat: &Seat) -> Vec<String> {
    let transcript = Transcript::of("conv-1");
    transcript.asks("q");
    transcript.runs_with_hook("t1", "echo a");
    transcript.runs("t2", "echo b");
    transcript.runs("t3", "echo c");
    transcript.runs("t4", "echo c");
    transcript.says("a");
    transcript.calls(
        "t5",
        "Write",
        &json!({ "file_path": "/srv/home/app/x", "content": "y".repeat(9_000) }),
    );
    transcript.gets("t5", &"z".repeat(20_000));
    transcript.calls("t6", "Bash", &json!({ "command": "echo d" }));
    transcript.gets("none", "e");
    transcript.put(b"{\n\xff\nf\n");
    transcript.put(b"{\"a\":");
    std::os::unix::fs::symlink("/etc/passwd", "/srv/home/.claude/projects/-srv-home-app/b.jsonl")
        .unwrap();
    let model = "/srv/home/.local/state/guarded-sh/model";
    std::fs::create_dir_all(model).unwrap();
    let day = jiff::Timestamp::now().as_second() / 86_400;
    let spent = json!({ "calls": 1_234, "tokens": 56_789, "money": 250_000_000_u64 });
    let kept = json!({ "day": day, "today": spent }).to_string();
    std::fs::write(format!("{model}/state.json"), kept).unwrap();
    runs_in("conv-1", "echo a > a; echo b >> a");
    let mut names = Vec::new();
    for (line, given) in
        [("rm a", r#"{"answer":"once"}"#), ("rm b", r#"{"answer":"deny","message":null}"#)]
    {
        let asked = Asked::about(world, line);
        until(world, seat, "/", &[&asked.id]);
        let answer = seat.answers(world, &asked, given);
        let taken = answer.request(world, &seat.token, &seat.signature(&answer)).sent(world);
        assert_eq!(taken.status, 200, "{taken:?}");
        names.extend(asked.id.split(|c: char| !c.is_alphabetic()).map(str::to_owned));
        asked.ended();
    }
    names
}

#[test]
fn pages_about_what_was_have_their_texts_and_no_english_words() {
    within("forgotten::pages_about_what_was_have_their_texts_and_no_english_words", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let places = ["/overview", "/history", "/sessions", "/transcripts", "/live"];
        let absent = ["/session?id=x", "/call/9999", "/transcript?agent=claude&session=x"];
        until(&world, &seat, "/overview", &["Nothing was decided"]);
        hold(&world, &seat, &[&places[..], &absent].concat(), &[]);
        let names = happen(&world, &seat);
        until(&world, &seat, "/history", &["asked → once", "asked → denied"]);
        let overview = ["Calls without a decision of ours", "1,234 calls, 56,789 tokens, 0.25 by"];
        until(&world, &seat, "/overview", &overview);
        let address = "/transcript?agent=claude&session=conv-1";
        until(&world, &seat, address, &["matched by id", "several have it"]);
        let history = get(&world, &seat, "/history").body;
        let calls = history.split("href=\"/call/").skip(1);
        let calls = calls.filter_map(|rest| rest.split('"').next()).map(|at| format!("/call/{at}"));
        let found = ["/history?rule=effect.delete", "/history?text=none", "/overview?days=28"];
        let of_one = [
            address,
            "/session?id=claude:conv-1",
            &format!("/history?session={}", encoded("claude:conv-1")),
        ];
        let fixed = [&places[..], &found, &of_one].concat();
        let calls: Vec<String> = calls.collect();
        let calls = calls.iter().map(String::as_str);
        hold(&world, &seat, &fixed.into_iter().chain(calls).collect::<Vec<_>>(), &names);
        for language in Language::ALL {
            for (path, keys) in SHOWN {
                let body = page(&world, &seat, path, language);
                assert!(body.contains(&format!("<html lang=\"{}\">", language.tag())), "{path}");
                for key in *keys {
                    let wanted = text(language, key);
                    assert!(body.contains(&wanted), "{} {path}: {wanted}\n{body}", language.name());
                }
            }
        }
    });
}
