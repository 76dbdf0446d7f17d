//! What not every model takes is asked for, and no more where it is refused; an Ollama says itself which models it has.

use serde_json::{Value, json};

use crate::support::{Asked, Place, Provider, answer, obeying, respond, text};

const LINE: &str = "curl https://unknown.example/x";
const WISHES: [&str; 3] = ["temperature", "reasoning_effort", "max_completion_tokens"];

/// An answer in OpenAI's shape, or in that of those who speak as it does.
fn completion() -> Value {
    let content = obeying("fetch the docs").to_string();
    json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]})
}

/// Runs a line with one provider of this kind, and returns what is recorded of it.
fn recorded(place: &Place) -> String {
    let output = place.guard(&["-c", LINE]).output().unwrap();
    assert_eq!(output.status.code(), Some(126), "{}", text(&output));
    place.records().last().unwrap()["opinion"].to_string()
}

fn settings(provider: &Provider, kind: &str) -> String {
    provider.settings("advise").replace("anthropic", kind)
}

/// Models as they are: what each refuses, the status and the words with which it does, and what it is asked for in the end.
#[test]
fn what_a_model_refuses_is_asked_for_otherwise_and_only_once() {
    type Takes = fn(&Value) -> Result<(), &'static str>;
    let rows: [(&str, Takes, Value); 6] = [
        ("thinks not if told so", |_| Ok(()), json!([0, "none", 400])),
        (
            "thinks a little at least",
            |body| match body["reasoning_effort"].as_str() {
                Some("none") => Err(
                    r#"400 {"error": {"message": "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.", "type": "invalid_request_error", "param": "reasoning_effort", "code": "unsupported_value"}}"#,
                ),
                _ if body.get("temperature").is_some() => Err(
                    r#"400 {"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}}"#,
                ),
                _ => Ok(()),
            },
            json!([null, "minimal", 4400]),
        ),
        (
            "takes only low",
            |body| match body["reasoning_effort"].as_str() {
                Some("low") => Ok(()),
                _ => Err(r#"400 {"error": {"param": "reasoning_effort"}}"#),
            },
            json!([0, "low", 4400]),
        ),
        (
            "never thinks",
            |body| match body.get("reasoning_effort") {
                Some(_) => Err(
                    r#"400 {"error": {"message": "Unrecognized request argument supplied: reasoning_effort", "type": "invalid_request_error", "param": null, "code": null}}"#,
                ),
                None => Ok(()),
            },
            json!([0, null, 4400]),
        ),
        (
            "knows other fields only",
            |body| match body.get("max_completion_tokens") {
                Some(_) => Err(
                    r#"422 {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]}"#,
                ),
                None => Ok(()),
            },
            json!([0, "none", null]),
        ),
        (
            "refuses something else",
            |_| Err(r#"400 {"error": {"message": "this model has a shorter context"}}"#),
            json!([0, "none", 400]),
        ),
    ];
    for (name, takes, asked_for) in rows {
        let provider = Provider::with(move |asked: &Asked, stream| match takes(&asked.body) {
            Ok(()) => answer(stream, &completion()),
            Err(no) => {
                let (status, body) = no.split_once(' ').unwrap();
                respond(stream, &format!("{status} No"), &[], body.as_bytes());
            }
        });
        let place = Place::with(&settings(&provider, "openai"));
        let said = recorded(&place);
        let asked = provider.asked();
        let last = asked.last().unwrap();
        let wishes =
            |body: &Value| json!(WISHES.map(|name| body.get(name).cloned().unwrap_or_default()));
        assert_eq!(wishes(&last.body), asked_for, "{name}");
        if takes(&last.body).is_ok() {
            assert!(said.contains("judged"), "{name}: {said}");
            // The next line asks as the last one did in the end.
            recorded(&place);
            assert_eq!(provider.asked().len(), asked.len() + 1, "{name}");
            let shown = text(&place.guard(&["judge", "preview", LINE]).output().unwrap());
            let body = shown.lines().find(|line| line.starts_with('{')).unwrap();
            assert_eq!(wishes(&serde_json::from_str(body).unwrap()), asked_for, "{name}");
        } else {
            assert!(said.contains("it says 400"), "{name}: {said}");
            assert_eq!(asked.len(), 1, "{name}");
        }
    }
}

/// One that refuses whatever it is asked is not asked without end.
#[test]
fn who_refuses_everything_is_left_alone() {
    let provider = Provider::with(|_, stream| {
        let no = b"temperature, reasoning_effort, max_completion_tokens";
        respond(stream, "400 No", &[], no);
    });
    let place = Place::with(&settings(&provider, "openai"));
    assert!(recorded(&place).contains("it says 400"));
    assert_eq!(provider.asked().len(), 6);
    assert!(recorded(&place).contains("left alone"));
    assert_eq!(provider.asked().len(), 6);
}

/// A strong model may think as long as it likes.
#[test]
fn a_strong_model_is_not_kept_from_thinking() {
    for kind in ["openai", "ollama"] {
        let content = obeying("fetch the docs").to_string();
        let message = json!({"message": {"role": "assistant", "content": content}, "done": true});
        let said = if kind == "ollama" { message } else { completion() };
        let provider = Provider::with(move |_, stream| answer(stream, &said));
        let place = Place::with(&format!("{}tier = \"strong\"\n", settings(&provider, kind)));
        assert!(recorded(&place).contains("judged"));
        let body = &provider.asked()[0].body;
        let bound = body.get("max_completion_tokens").unwrap_or(&body["options"]["num_predict"]);
        assert_eq!(bound, 4400, "{body}");
        assert!(body.get("reasoning_effort").is_none() && body.get("think").is_none(), "{body}");
    }
}

/// An Ollama that has these models.
fn ollama(has: &'static [&'static str]) -> Provider {
    Provider::with(move |asked: &Asked, stream| {
        let content = obeying("fetch the docs").to_string();
        if asked.path == "/api/tags" {
            let models: Vec<_> =
                has.iter().map(|name| json!({"name": name, "model": name, "size": 1})).collect();
            answer(stream, &json!({"models": models}));
        } else if has.iter().any(|name| asked.body["model"] == *name) {
            answer(
                stream,
                &json!({"message": {"role": "assistant", "content": content}, "done": true}),
            );
        } else {
            respond(stream, "404 Not Found", &[], br#"{"error": "model not found"}"#);
        }
    })
}

#[test]
fn an_ollama_says_which_model_it_has() {
    for (has, model, said) in [
        (&["qwen3:8b"][..], None, "ollama/qwen3:8b"),
        (&["qwen3:8b", "gemma3:4b"], Some("gemma3:4b"), "ollama/gemma3:4b"),
        (&["qwen3:8b", "gemma3:4b"], None, "it has qwen3:8b, gemma3:4b, and `model` names none"),
        (&["qwen3:8b"], Some("gemma3:4b"), "it has no such model, but qwen3:8b"),
        (&[], Some("gemma3:4b"), "it has no such model, but none"),
        (&[], None, "it has no model"),
    ] {
        let provider = ollama(has);
        let settings = settings(&provider, "ollama");
        let settings = match model {
            Some(model) => settings.replace("scripted", model),
            None => settings.replace("model = \"scripted\"\n", ""),
        };
        let place = Place::with(&settings);
        let shown = text(&place.guard(&["judge", "preview", LINE]).output().unwrap());
        let is_there = model.map_or(has.len() == 1, |_| true);
        assert_eq!(shown.contains("/api/chat"), is_there, "{shown}");
        let recorded = recorded(&place);
        assert!(recorded.contains(said), "{has:?} {model:?}: {recorded}");
    }
}

/// What says that it has models may be anything.
#[test]
fn what_is_no_list_of_models_names_none() {
    for (body, why) in [
        (&b""[..], "not in the form of its API"),
        (b"[]", "not in the form of its API"),
        (br#"{"models": [{"size": 1}]}"#, "not in the form of its API"),
        (br#"{"models": [{"name": "a\u0007"}, {"name": "b"}]}"#, "names none"),
    ] {
        let provider = Provider::with(move |_, stream| respond(stream, "200 OK", &[], body));
        let settings = settings(&provider, "ollama").replace("model = \"scripted\"\n", "");
        let place = Place::with(&settings);
        let recorded = recorded(&place);
        assert!(recorded.contains(why) && !recorded.contains('\u{7}'), "{recorded}");
        assert_eq!(provider.asked().len(), 1);
    }
}
