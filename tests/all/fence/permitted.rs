//! What was permitted beyond what every line may do: it happens, and another effect of the same kind beside it does not.

use guarded_sh::approval::page::Pace;
use guarded_sh::decision::Authority;
use guarded_sh::fence::{Fencing, Ground, Line, Making};
use guarded_sh::model::{Doing, Facts, Held, Layers};
use guarded_sh::pipeline::{Judge, Request};
use guarded_sh::rules::{self, Author, Layer, RuleSet};
use serde::Deserialize;

use super::{ON, Scene, play, skipped, wanted};
use crate::sheets;
use crate::subcommands::person::Person;
use crate::support::{ALLOWS_ALL, Place};

/// A line that may do something, and what it does beside that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    by: Vec<By>,
    /// The program that a rule lets do it.
    program: String,
    #[serde(default)]
    before: String,
    line: String,
    /// Succeeds if what was permitted has happened.
    happens: String,
    /// What the program that nobody has read does, as a script.
    beside: String,
    /// Succeeds if that has happened.
    happened: String,
    #[serde(default)]
    needs: Vec<String>,
}

/// Who lets a line run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    /// A threshold that its score reaches.
    #[default]
    Score,
    /// A person at a terminal, who is asked.
    Person,
    /// A rule of the owner's.
    Rule,
}

/// Has a person say once to the question that they see; returns what is shown then.
pub(super) fn say_once(mut person: Person) -> String {
    person.sees("x explain");
    person.answers("o");
    person.sees("›  once");
    // Nobody presses the next key sooner than this, and what comes sooner counts as a burst.
    std::thread::sleep(Pace::BURST);
    person.answers("\r");
    person.ends_with(0)
}

/// At the terminal that the row runs at.
pub(super) const AT_TERMINAL: &str = r#""$guard" -c "$line" </dev/tty >/dev/tty 2>&1"#;

impl Row {
    /// Plays it; returns what is in the workspace's file of what happened.
    fn came(&self, by: By, settings: &str) -> String {
        let place = Place::new();
        let does = shell_words::quote(&self.beside);
        let before = format!("cp /bin/bash unread; echo {does} >does\n{}\n", self.before);
        let after = format!(
            "{{ ({}) && echo permitted; ({}) && echo beside; }} >came 2>/dev/null; printf 'status:0\\n' >/dev/tty; false",
            self.happens, self.happened
        );
        match by {
            By::Person => {
                place.set(settings);
                let scene = Scene { call: AT_TERMINAL, ..Scene::of(&before, &self.line, &after) };
                say_once(Person::runs(&scene.at(&place)));
            }
            By::Score | By::Rule => {
                let rule = self.own_rule();
                let quoted = shell_words::quote(&rule);
                let before = format!(
                    "{before}mkdir -p ~/.config/guarded-sh/rules; printf %s {quoted} >~/.config/guarded-sh/rules/own.toml\n"
                );
                let ended = Scene::of(&before, &self.line, &after).run_with(&place, settings);
                assert!(!ended.err().contains("refused: "), "{}: {}", self.name, ended.err());
            }
        }
        std::fs::read_to_string(place.work().join("came")).unwrap_or_default()
    }

    /// The owner's rule that permits it, as a file of rules.
    fn own_rule(&self) -> String {
        let Self { program, line, .. } = self;
        rule(program, line, r#""*""#)
    }
}

/// A rule of the owner's, as a file, that lowers what these rules find of a program in a line.
fn rule(program: &str, line: &str, found: &str) -> String {
    format!(
        "pack = \"own\"\n\n[[rule]]\nid = \"own.permitted\"\ncommand = [{program:?}]\naction = \"allow\"\nallows = [{found}]\nseverity = \"high\"\n\
         reason = \"the owner wants it\"\nmatches = [{line:?}]\npasses = [\"true\"]\n"
    )
}

#[test]
fn what_was_permitted_happens_and_what_is_beside_it_does_not() {
    if skipped() {
        return;
    }
    let rows: Vec<Row> = sheets::rows(&sheets::path("tests/fence/permitted.toml"));
    let rows = wanted(rows, |row| &row.name, |row| &row.needs);
    play(&rows, |row| {
        let off = format!("fence = \"off\"\n{ALLOWS_ALL}");
        let without = row.came(By::Rule, &off);
        if without != "permitted\nbeside\n" {
            return Some(format!("{}: without the fence: {without:?}", row.name));
        }
        let fault = |by: &By| {
            let settings = match by {
                By::Person => ON.to_owned(),
                By::Score | By::Rule => format!("{ON}{ALLOWS_ALL}"),
            };
            let came = row.came(*by, &settings);
            (came != "permitted\n").then(|| format!("{}: {by:?}: {came:?}", row.name))
        };
        row.by.iter().find_map(fault)
    });
}

/// Returns how a line is held that an authority let run, where a rule of the owner's lets curl write wherever it wants.
fn held(line: &str, authority: Authority) -> Held {
    let writes = r#""effect.write", "filesystem.*""#;
    let pack = rules::read(&rule("curl", line, writes), Author::Owner).unwrap();
    let bytes = rules::compile(&[(pack, Some("own.toml".to_owned()))]).unwrap();
    let layer = Layer::new("own", Box::new(bytes), rules::Authority::Owner);
    let facts = Facts {
        cwd: Some("/srv".to_owned()),
        home: Some("/root".to_owned()),
        workspaces: vec!["/srv".to_owned()],
        ..Facts::default()
    };
    let judge = Judge::supposing(RuleSet::builtin().with_layer(layer), facts);
    let judgement = judge.judge(&Request::about(line.as_bytes())).unwrap();
    let (plan, assessment) = (&judgement.plan, &judgement.assessment);
    let ground = Ground {
        facts: &judge.facts,
        repositories: Vec::new(),
        records: None,
        service: None,
        preparer: None,
        asked: None,
    };
    let line = Line { plan, assessment, authority, layers: Layers::NONE };
    Fencing::of(&line, &ground, Making::No).held().clone()
}

/// A yes permits what stands in the plan up to the severity that it is about: a model's up to medium, a person's all, and what the plan does not name too.
#[test]
fn each_authority_permits_as_much_as_it_may() {
    // What is read from the host is medium; what is written, a rule lets be written; what is deleted is high.
    let line = "curl -s https://a.example/x -o /opt/page; rm /usr/bin/true; touch \"$NAME\"";
    let of = |authority| held(line, authority);
    let (score, model, person) =
        (of(Authority::Policy), of(Authority::Model), of(Authority::Person));
    let names = |held: &Held| (held.added.clone(), held.refused.clone());
    let made = ("/opt".to_owned(), Doing::Make);
    let refused = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&score), (vec![], refused(&["/opt/page", "/usr/bin/true"])));
    assert_eq!(names(&model), (vec![made], refused(&["/usr/bin/true"])));
    assert_eq!((person.writes, person.refused), (None, vec![]));
    for held in [score, model] {
        assert!(held.writes.is_some() && held.secrets.is_some() && held.tcp && !held.signals);
    }
    for authority in [
        Authority::Session,
        Authority::Always,
        Authority::Grant,
        Authority::Inherited,
        Authority::Client,
    ] {
        assert_eq!(of(authority).writes, None, "{authority:?}");
    }
}
