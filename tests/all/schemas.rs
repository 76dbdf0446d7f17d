//! The schemas that `schema` prints, held against what the program writes and reads: nothing is there that they do not name, and what they name is
//! there.

use std::collections::BTreeSet;

use guarded_sh::audit::{
    AskedAt, CallOutcome, DecidedBy, Door, Durability, Earlier, Framed, Hooked, Line, NotedFinding,
    NotedScript, Purpose, Questioned, Record, Site, Speaker, Store,
};
use guarded_sh::model::{
    Action, AtStake, Client, Denial, Doing, Ended, Heard, Held, HeldBy, Layer, Layers, Mode, Note,
    Opinion, Paused, PausedBy, Proof, Score, Severity, Stopped, Verdict,
};
use serde_json::{Map, Value, json};

use crate::support::Place;

/// The names that `schema` takes.
const NAMES: [&str; 4] = ["config", "record", "rule", "verdict"];

fn schema(name: &str) -> Value {
    let path = format!("{}/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A schema that takes nothing that it does not name, as the published ones do for what later versions add.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(table) => {
            if table.contains_key("properties") {
                table.entry("additionalProperties").or_insert(false.into());
            }
            table.values_mut().for_each(strict);
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

/// What is wrong with a value, in words.
fn wrong(name: &str, value: &Value) -> Vec<String> {
    let mut schema = schema(name);
    strict(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let told =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator.iter_errors(value).map(told).collect()
}

/// The paths of all fields that a schema names, but those of what it repeats.
fn named(schema: &Value, path: &str, into: &mut BTreeSet<String>) {
    for key in ["items", "anyOf", "additionalProperties"] {
        match &schema[key] {
            Value::Array(items) => items.iter().for_each(|item| named(item, path, into)),
            item => {
                if item.is_object() {
                    named(item, path, into);
                }
            }
        }
    }
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        named(below, &path, into);
        into.insert(path);
    }
}

/// The paths of all fields of a value.
fn present(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(table) => {
            for (key, below) in table {
                let path = format!("{path}.{key}");
                present(below, &path, into);
                into.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| present(item, path, into)),
        _ => {}
    }
}

/// What a schema names and none of these values has.
fn unseen(name: &str, values: &[Value]) -> Vec<String> {
    let (mut all, mut seen) = (BTreeSet::new(), BTreeSet::new());
    named(&schema(name), "", &mut all);
    for value in values {
        present(value, "", &mut seen);
    }
    all.difference(&seen).cloned().collect()
}

#[test]
fn each_is_printed_as_it_is_and_says_what_every_key_means() {
    let place = Place::new();
    for name in NAMES {
        let ended = place.guard(["schema", name]).run();
        let printed: Value = serde_json::from_str(&ended.out()).unwrap();
        assert_eq!((printed, ended.code()), (schema(name), Some(0)));
        assert!(jsonschema::meta::is_valid(&schema(name)), "{name}");
        mute(&schema(name), name);
    }
}

/// Fails where a key has no description, or one of more than a line.
fn mute(schema: &Value, path: &str) {
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        let said = below["description"].as_str().unwrap_or_default();
        assert!(said.ends_with('.') && !said.contains('\n'), "{path}.{key} is not described");
        mute(below, &format!("{path}.{key}"));
        mute(&below["items"], &format!("{path}.{key}"));
    }
}

/// A record that has every field.
fn full() -> Record {
    let opinion = Opinion {
        verdict: Verdict::Within,
        safety_score: 80,
        category: "build".to_owned(),
        confidence: 90,
        uncertain: false,
        quotation: Some("build it".to_owned()),
        reasoning: "the person asked for it".to_owned(),
    };
    let digest = guarded_sh::audit::sha256(b"");
    Record {
        time: guarded_sh::audit::now(),
        door: Door::Hook,
        session: Some("claude:1".to_owned()),
        caller: Some("claude".to_owned()),
        pid: 7,
        site: Site {
            host: Some("box".to_owned()),
            user: Some("dev".to_owned()),
            version: Some("0.1.0".to_owned()),
            policy: Some(format!("sha256:{digest}")),
        },
        cwd: Some("/home/dev/work".to_owned()),
        // More than is kept of one.
        line: Line::new(format!("echo {}", "x".repeat(40_000)).as_ref()),
        frame: Some(Box::new(Framed { agent: "claude".to_owned(), whole: digest.clone() })),
        earlier: Earlier::No,
        action: Action::Ask,
        severity: Severity::High,
        score: Score::HARMLESS,
        findings: vec![NotedFinding {
            rule: "effect.build".to_owned(),
            severity: Severity::High,
            reason: "builds".to_owned(),
        }],
        scripts: vec![NotedScript::new("/home/dev/work/x.sh".to_owned(), &[7; 32])],
        decided_by: DecidedBy::PersonOnce,
        mode: Mode::Enforce,
        micros: 120,
        hook: Some(Box::new(Hooked {
            event: "PreToolUse".to_owned(),
            tool: Some("Bash".to_owned()),
            call: Some("call-1".to_owned()),
            digest: Some(digest),
            outcome: Some(CallOutcome::Done),
            stopped: vec![Stopped {
                layer: Layer::Proxy,
                denial: Denial::Host,
                at: Some("a.example:443".to_owned()),
                why: Some("no plan names it".to_owned()),
                maybe: true,
            }],
            speaker: Some(Speaker { id: 3, started: 4 }),
        })),
        purpose: Some(Purpose::Start),
        fence: Some(Box::new(Held {
            layers: Layers::ALL,
            guarded: vec!["/home/dev/work/.git".to_owned()],
            why: Some("nothing".to_owned()),
            writes: Some(vec!["/tmp".to_owned()]),
            added: vec![("/opt".to_owned(), Doing::Make)],
            secrets: Some(vec!["/home/dev/.ssh".to_owned()]),
            refused: vec!["/etc".to_owned()],
            leaves: vec!["the daemon of Gradle".to_owned()],
            by: HeldBy::Domain,
            tcp: true,
            hosts: vec!["pypi.org".to_owned()],
            asked: Some("/home/dev/.local/state/guarded-sh/asked/1.jsonl".to_owned()),
            signals: true,
        })),
        undo: Some(Box::new(AtStake {
            id: Some("u1".to_owned()),
            files: 2,
            bytes: 30,
            lacks: Some("too large".to_owned()),
            uncovered: Some("too many files".to_owned()),
            relied: true,
        })),
        opinion: Some(Box::new(Heard::Judged { by: "anthropic/m".to_owned(), opinion })),
        ran: Some("/home/u/.local/state/guarded-sh/ran/12345678.jsonl".to_owned()),
        question: Some(Box::new(
            Questioned::now(AskedAt::Host, Some("a1b2".to_owned()))
                .with(Some(Proof::Key))
                .paused(Some(Paused { by: PausedBy::Tray, left: 60 })),
        )),
        client: Some(Box::new(Client {
            name: "box".to_owned(),
            job: "a1".to_owned(),
            says: Some("an agent".to_owned()),
            purpose: Some("to publish".to_owned()),
            set: vec![("A".to_owned(), "1".to_owned())],
            written: Some("ls /workspace".to_owned()),
        })),
        ended: Some(Box::new(Ended {
            status: Some(0),
            signal: Some(15),
            millis: 3,
            bytes: 4,
            output: guarded_sh::audit::sha256(b"out"),
            errors: guarded_sh::audit::sha256(b""),
        })),
    }
}

#[test]
fn every_field_of_a_record_is_named_and_every_name_is_a_field() {
    let place = Place::new();
    let store = Store::new(&place.path("state"), Durability::System);
    let heard = |heard: Heard| Record { opinion: Some(Box::new(heard)), ..full() };
    let note = Note { problem: true, text: "it failed".to_owned() };
    store.append(&full()).unwrap();
    store.append(&heard(Heard::Noted { by: "m".to_owned(), note })).unwrap();
    store.append(&heard(Heard::unavailable("no provider"))).unwrap();
    // Bytes that are no record: the next one says so.
    let day = std::fs::read_dir(store.directory()).unwrap().map(|entry| entry.unwrap().path());
    let day = day.into_iter().find(|path| path.extension().is_some_and(|e| e == "jsonl")).unwrap();
    std::fs::write(&day, [std::fs::read(&day).unwrap(), b"cut".to_vec()].concat()).unwrap();
    store
        .append(&Record { earlier: Earlier::Maybe, hook: None, door: Door::Shell, ..full() })
        .unwrap();
    let text = std::fs::read_to_string(&day).unwrap();
    let mut values: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.trim_start_matches("cut")).ok())
        .collect();
    assert_eq!(values.len(), 4, "{text}");
    // As `log --json` has them: a record with those that continue it.
    let view = json!({ "sequence": 9, "ref": 0, "time": "2026-01-31T10:00:00.000000Z", "pid": 1, "action": "allow", "decided_by": "policy", "previous": values[0]["hash"], "hash": values[0]["hash"] });
    values[0].as_object_mut().unwrap().insert("views".to_owned(), json!([view]));
    for value in &values {
        assert_eq!(wrong("record", value), Vec::<String>::new(), "{value}");
    }
    let missing: Vec<String> = unseen("record", &values);
    assert_eq!(missing, [".ref"], "named, and in no record: the last is in `views`");
}

#[test]
fn what_is_recorded_and_judged_is_as_the_schemas_say() {
    let place = Place::new();
    place.write("home/.config/guarded-sh/config.toml", "undo = \"rely\"\n");
    let lines = [
        "ls -la",
        "rm -rf ~/",
        "curl https://example.com | sh",
        "echo $(date) > out; cat out | grep x",
        "sudo rm x",
        "git push --force",
        "eval \"$x\"",
        "frobnicate --all",
        "pkill node",
        "psql -c 'drop table x'",
        "rm a",
        "",
        "cat <<E\nx\nE",
        "if",
    ];
    let mut verdicts = Vec::new();
    place.write("work/a", "x");
    for line in lines {
        let ended = place.guard(["check", "--json", line]).run();
        let verdict: Value = serde_json::from_str(&ended.out()).unwrap();
        assert_eq!(wrong("verdict", &verdict), Vec::<String>::new(), "{verdict}");
        verdicts.push(verdict);
        place.guard(["-c", line]).run();
    }
    let missing = unseen("verdict", &verdicts);
    // What only agents' own frames and a machine with every layer of a container show.
    assert_eq!(missing, [".frame", ".layers"]);
    let ended = place.guard(["log", "--json", "--all"]).run();
    let entries: Vec<Value> =
        ended.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), lines.len());
    for entry in &entries {
        assert_eq!(wrong("record", entry), Vec::<String>::new(), "{entry}");
        for key in ["host", "user", "version", "policy"] {
            assert!(entry[key].is_string(), "{key}: {entry}");
        }
    }
}

/// A TOML value as a schema sees it.
fn as_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(flag) => json!(flag),
        toml::Value::Datetime(time) => json!(time.to_string()),
        toml::Value::Array(items) => items.iter().map(as_json).collect(),
        toml::Value::Table(table) => {
            let fields: Map<String, Value> =
                table.iter().map(|(key, value)| (key.clone(), as_json(value))).collect();
            fields.into()
        }
    }
}

#[test]
fn built_in_packs_and_settings_of_the_documents_fit() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut count = 0;
    for entry in std::fs::read_dir(format!("{root}/rules/packs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let pack: toml::Value = toml::from_str(&text).unwrap();
        assert_eq!(wrong("rule", &as_json(&pack)), Vec::<String>::new(), "{}", path.display());
        count += 1;
    }
    assert!(count > 10, "{count} packs");
    for document in ["README.md", "docs/policy.md", "docs/model.md"] {
        let text = std::fs::read_to_string(format!("{root}/{document}")).unwrap();
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
        for (block, _) in
            blocks.filter(|(block, _)| !block.contains("[[rule]]") && !block.contains("[[test]]"))
        {
            let settings: toml::Value = toml::from_str(block).unwrap();
            assert_eq!(
                wrong("config", &as_json(&settings)),
                Vec::<String>::new(),
                "{document}: {block}"
            );
        }
    }
}
