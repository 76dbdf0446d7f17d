//! What programs read besides the record: transcripts and sessions with our decisions beside them, groups of questions, and the owner's files without their secrets.

use serde_json::{Value, json};

use super::api::{asked_about, followed, get, post, read, token, until, value};
use super::described::Described;
use super::transcripts::{HOSTILE, Transcript};
use super::world::{World, within};

/// A token of somebody's, as it is known for one.
const SECRET: &str = "ghp_9f8Ka02LmQp71ZxYtRw5CvBn3DsEgHjUo64M";

/// What of a time line is a call.
fn calls(entries: &Value) -> Vec<Value> {
    let entries = entries.as_array().unwrap().iter();
    entries.filter(|entry| entry["kind"] == "call").cloned().collect()
}

#[test]
fn transcripts_are_read_with_our_decisions_and_without_secrets() {
    within("programs::transcripts_are_read_with_our_decisions_and_without_secrets", || {
        let world = World::begin();
        let reads = token(&["reads", "--read"]);
        let described = Described::read(&world, &reads);
        let transcript = Transcript::of("conv-1");
        transcript.asks(&format!("please use {SECRET}"));
        transcript.runs_with_hook("t1", "echo by-id");
        transcript.runs("t2", "echo by-content");
        transcript.calls(
            "t3",
            "Write",
            &json!({ "file_path": "/srv/home/app/x", "content": SECRET, "password": "sesame-open" }),
        );
        transcript.gets("t3", HOSTILE);
        let path = "/api/transcripts/claude/conv-1";
        let whole = until(&world, path, &reads, |read| {
            calls(&read["entries"]).iter().filter(|call| call["decision"].is_object()).count() == 2
                && read["whole"]["read_out"] == true
                && read["whole"]["without_decision"] == 1
        });
        described.holds(&json!({ "$ref": "#/components/schemas/Transcript" }), &whole, path);
        let three = calls(&whole["entries"]);
        let by = |call: &Value| call["decision"]["by"].clone();
        assert_eq!(
            three.iter().map(by).collect::<Vec<_>>(),
            [json!("id"), json!("content"), Value::Null]
        );
        assert_eq!(three[0]["decision"]["call"]["action"], "allow");
        assert_eq!((&three[2]["uncovered"], &three[0]["uncovered"]), (&json!(true), &json!(false)));
        assert_eq!(three[2]["result"]["text"], HOSTILE, "texts are as they are");
        assert_eq!(whole["whole"]["uncovered"][0]["title"], three[2]["title"]);
        let text = whole.to_string();
        assert!(!text.contains("9f8Ka02L") && !text.contains("sesame-open"), "{text}");
        // What is behind a place, and what stands around a call.
        let end = whole["end"].as_str().unwrap();
        let later = read(&world, &format!("{path}?from={end}"), &reads);
        assert_eq!(later["entries"], json!([]));
        let there = read(&world, &format!("{path}?call=t2"), &reads);
        assert_eq!(there["entries"][0]["id"], "t2");
        // Whoever follows is told that more was written.
        let mut lines = followed(&world, &reads);
        transcript.asks("more");
        assert!(lines.any(|line| line == "event: transcript"));
        let told: Value = serde_json::from_str(&lines.next().unwrap()[6..]).unwrap();
        assert_eq!(told, json!({ "agent": "claude", "session": "conv-1" }));
        let timeline = "/api/sessions/claude:conv-1/timeline";
        let session = until(&world, timeline, &reads, |read| {
            read["transcripts"][0]["whole"]["without_decision"] == 1
        });
        described.holds(&json!({ "$ref": "#/components/schemas/Timeline" }), &session, timeline);
        assert_eq!(calls(&session["entries"]).len(), 3);
        assert!(!session.to_string().contains("9f8Ka02L"), "{session}");
        let list = read(&world, "/api/transcripts?agent=claude", &reads);
        described.holds(&json!({ "$ref": "#/components/schemas/Transcripts" }), &list, "the list");
        assert_eq!(
            (&list["count"], &list["transcripts"][0]["session"]),
            (&json!(1), &json!("conv-1"))
        );
        assert!(!list.to_string().contains("9f8Ka02L"), "{list}");
        let lacking = json!([{ "agent": "claude", "session": "conv-1", "calls": 1, "of": 3 }]);
        until(&world, "/api/overview", &reads, |read| {
            read["coverage"]["without_decision"] == lacking
        });
        for form in ["jsonl", "markdown"] {
            let target = format!("/api/sessions/claude:conv-1/export?as={form}");
            let export = get(&world, &target, &reads).sent(&world);
            assert_eq!(export.status, 200, "{export:?}");
            let body = &export.body;
            assert!(body.contains("echo by-content"), "{body}");
            assert!(!body.contains("9f8Ka02L") && !body.contains("sesame-open"), "{body}");
        }
    });
}

#[test]
fn the_owners_files_are_read_and_checked_without_secrets() {
    within("programs::the_owners_files_are_read_and_checked_without_secrets", || {
        let world = World::with(
            "profile = \"strict\"\n\n[page.notify]\nntfy = \"http://127.0.0.1:1/s3cr3t-topic\"\n\n[[page.notify.webhooks]]\nurl = \"http://127.0.0.1:1/s3cr3t\"\n",
        );
        let reads = token(&["reads", "--read"]);
        let described = Described::read(&world, &reads);
        let settings = read(&world, "/api/settings", &reads);
        described.holds(&json!({ "$ref": "#/components/schemas/Settings" }), &settings, "settings");
        assert!(!settings.to_string().contains("s3cr3t"), "{settings}");
        let key = |name: &str| {
            let keys = settings["keys"].as_array().unwrap().iter();
            keys.clone().find(|key| key["key"] == name).unwrap().clone()
        };
        let profile = key("profile");
        assert_eq!((&profile["value"], &profile["default"]), (&json!("\"strict\""), &json!(false)));
        assert!(profile["words"].as_array().unwrap().contains(&json!("unattended")), "{profile}");
        assert!(profile["help"].as_str().unwrap().len() > 10);
        assert_eq!(key("page.notify.ntfy")["value"], "\"http://127.0.0.1:1/[masked]\"");
        let rules = "/srv/home/.config/guarded-sh/rules";
        std::fs::create_dir(rules).unwrap();
        let rule = |passes: &str| {
            format!(
                "pack = \"own\"\nsummary = \"mine\"\n\n[[rule]]\nid = \"own.deploy\"\ncommand = [\"make\", \"deploy\"]\nseverity = \"high\"\nreason = \"deploys\"\nmatches = [\"make deploy\"]\npasses = [\"{passes}\"]\n"
            )
        };
        std::fs::write(format!("{rules}/own.toml"), rule("make test")).unwrap();
        assert_eq!(read(&world, "/api/rules", &reads)["files"], json!(["own"]));
        assert_eq!(read(&world, "/api/rules/own", &reads)["text"], rule("make test"));
        let check = |text: &str| {
            let body = json!({ "file": "own", "text": text, "tried": true });
            value(&post(&world, "/api/rules/check", &reads, &body).sent(&world))
        };
        let same = check(&rule("make test"));
        assert_eq!((&same["failing"], &same["difference"]), (&json!(0), &json!("")));
        assert_eq!(same["rules"][0]["examples"].as_array().unwrap().len(), 2);
        assert!(same["tried"]["lines"].is_u64(), "{same}");
        let wrong = check(&rule("make deploy now"));
        assert_eq!(wrong["failing"], 1);
        assert!(wrong["difference"].as_str().unwrap().contains("+ passes"), "{wrong}");
        let mistaken = check("pack = ");
        assert_eq!(mistaken["mistakes"][0]["line"], 1);
        for checked in [&same, &wrong, &mistaken] {
            described.holds(&json!({ "$ref": "#/components/schemas/Checked" }), checked, "rules");
        }
        let prompt = read(&world, "/api/prompts/brief", &reads);
        assert_eq!((&prompt["own"], &prompt["text"]), (&json!(false), &prompt["built_in"]));
        let body = json!({ "part": "brief", "text": "{nonsense}" });
        let checked = value(&post(&world, "/api/prompts/check", &reads, &body).sent(&world));
        assert!(checked["wrong"].as_str().unwrap().contains("placeholder"), "{checked}");
        let agents = read(&world, "/api/agents", &reads);
        described.holds(&json!({ "$ref": "#/components/schemas/Agents" }), &agents, "agents");
    });
}

#[test]
fn questions_of_one_signature_are_answered_together_and_an_agent_is_ended() {
    within(
        "programs::questions_of_one_signature_are_answered_together_and_an_agent_is_ended",
        || {
            let world = World::begin();
            let answers = token(&["answers", "--answer"]);
            let nonce = || {
                value(&post(&world, "/api/nonce", &answers, &json!({})).sent(&world))["nonce"]
                    .clone()
            };
            for name in ["a", "b"] {
                std::fs::write(name, "").unwrap();
            }
            let asked = ["rm a", "rm b"].map(|line| asked_about(&world, &answers, line));
            let group = until(&world, "/api/groups", &answers, |read| {
                read["groups"][0]["questions"].as_array().is_some_and(|all| all.len() == 2)
            });
            assert_eq!(group["groups"][0]["signatures"], json!([["rm"]]));
            let of = |question: &str, line: &str| {
                let digest = guarded_sh::audit::sha256(line.as_bytes());
                json!({ "question": question, "digest": digest })
            };
            let mut questions: Vec<Value> =
                asked.iter().map(|asked| of(&asked.id, &asked.line)).collect();
            questions.push(of(&asked[0].id, "rm b"));
            let body = json!({ "questions": questions, "nonce": nonce(), "answer": "deny" });
            let request = post(&world, "/api/answers/together", &answers, &body);
            let taken = value(&request.sent(&world));
            let is_taken = |at: usize| taken["answers"][at]["taken"].clone();
            assert_eq!(
                [is_taken(0), is_taken(1), is_taken(2)],
                [json!(true), json!(true), json!(false)]
            );
            assert_eq!(request.sent(&world).status, 403, "the number counted once");
            for asked in asked {
                assert_eq!(asked.ended().0, 126);
            }
            let asked = asked_about(&world, &answers, "rm a");
            let one = read(&world, &format!("/api/questions/{}", asked.id), &answers);
            assert!(one["points"][0]["text"].is_string() && one["by_token"] == true, "{one}");
            let trial = format!("/api/questions/{}/trial", asked.id);
            assert_eq!(get(&world, &trial, &answers).sent(&world).status, 404);
            let mut body = of(&asked.id, &asked.line);
            body["nonce"] = nonce();
            body["answer"] = json!({ "answer": "stop" });
            let stopped = post(&world, "/api/answers", &answers, &body).sent(&world);
            // Whom it belongs to decides whether there is an agent to end.
            let expected = if one["can_stop"] == true { 200 } else { 409 };
            assert_eq!(stopped.status, expected, "{stopped:?}");
            asked.abandon();
        },
    );
}
