//! What pages show and do, for programs: JSON below `/api`, described by OpenAPI 3.1. A route and its description are one, so that none is without the other.

mod asking;
mod changing;
mod fault;
mod kept;
mod owned;
mod reading;
mod said;
pub mod shape;
mod supposing;
mod together;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Shared, counts};

pub use fault::Fault;

/// What records and verdicts are, as the guard describes them.
const RECORD: &str = include_str!("../../../../schemas/record.json");
const VERDICT: &str = include_str!("../../../../schemas/verdict.json");

#[derive(OpenApi)]
#[openapi(
    info(
        title = "guarded-sh",
        version = "1",
        description = "What runs, what waits and why. Fields may be added in a version; none is renamed, and none changes its meaning."
    ),
    components(schemas(fault::Error, shape::Question, shape::Call)),
    tags(
        (name = "questions", description = "What waits for an answer"),
        (name = "record", description = "What was decided"),
        (name = "judging", description = "What would be decided"),
        (name = "transcripts", description = "What agents keep of their sessions themselves"),
        (name = "owner", description = "Rules, settings, prompts, agents"),
        (name = "changes", description = "What a token changes that may"),
        (name = "events", description = "What happens"),
    )
)]
struct Described;

/// Returns the routes, with the description of them at `/api/openapi.json`.
pub fn routes() -> Router<Shared> {
    let (router, described) = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(reading::questions))
        .routes(routes!(reading::question))
        .routes(routes!(reading::calls))
        .routes(routes!(reading::call))
        .routes(routes!(reading::sessions))
        .routes(routes!(reading::session))
        .routes(routes!(reading::overview))
        .routes(routes!(reading::index_stands))
        .routes(routes!(reading::events))
        .routes(routes!(asking::try_line))
        .routes(routes!(supposing::otherwise))
        .routes(routes!(supposing::files))
        .routes(routes!(asking::analyze))
        .routes(routes!(asking::nonce))
        .routes(routes!(asking::answer))
        .routes(routes!(together::groups))
        .routes(routes!(together::answer))
        .routes(routes!(together::trial))
        .routes(routes!(kept::transcripts))
        .routes(routes!(kept::transcript))
        .routes(routes!(kept::timeline))
        .routes(routes!(kept::export))
        .routes(routes!(owned::rule_files))
        .routes(routes!(owned::rule_file))
        .routes(routes!(owned::check_rules))
        .routes(routes!(owned::settings))
        .routes(routes!(owned::prompt_parts))
        .routes(routes!(owned::prompt_part))
        .routes(routes!(owned::check_prompt))
        .routes(routes!(owned::agents_found))
        .routes(routes!(owned::suggested))
        .routes(routes!(changing::show))
        .routes(routes!(changing::make, changing::changes))
        .split_for_parts();
    let text = document(serde_json::to_value(described).unwrap_or_default()).to_string();
    let document =
        move || async move { ([(CONTENT_TYPE, "application/json")], text).into_response() };
    router.route("/api/openapi.json", get(document)).route("/metrics", get(counts::metrics))
}

/// Puts into the description what the guard describes itself, and what is the same of all routes.
fn document(mut described: Value) -> Value {
    let schema = |text: &str| -> Value {
        // They are in the program, and tests read them.
        let mut schema: Value = serde_json::from_str(text).unwrap_or_default();
        if let Some(fields) = schema.as_object_mut() {
            fields.retain(|name, _| !name.starts_with('$'));
        }
        modernise(&mut schema);
        schema
    };
    let mut record = schema(RECORD);
    // Which is `log --json`'s.
    if let Some(fields) = record["properties"].as_object_mut() {
        fields.remove("views");
    }
    let word = |field: &str| record["properties"][field].clone();
    let words = [
        ("Action", word("action")),
        ("Severity", word("severity")),
        ("DecidedBy", word("decided_by")),
        ("Mode", word("mode")),
        ("Door", word("door")),
    ];
    for (name, schema) in
        words.into_iter().chain([("Verdict", schema(VERDICT)), ("Record", record)])
    {
        described["components"]["schemas"][name] = schema;
    }
    described["components"]["securitySchemes"]["token"] = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "What `guarded-sh page tokens add` prints."
    });
    described["security"] = json!([{ "token": [] }]);
    let error = json!({ "$ref": "#/components/schemas/Error" });
    let paths = described["paths"].as_object_mut();
    let operations = paths.into_iter().flat_map(|paths| paths.values_mut());
    for operation in operations.filter_map(Value::as_object_mut).flat_map(|path| path.values_mut())
    {
        for status in ["401", "429"] {
            operation["responses"][status] =
                json!({ "content": { "application/json": { "schema": error } } });
        }
        let responses = operation["responses"].as_object_mut();
        for (status, response) in responses.into_iter().flatten() {
            response["description"] = json!(meaning(status));
        }
    }
    described
}

/// Returns what a status means here.
fn meaning(status: &str) -> &'static str {
    match status {
        "200" => "What was asked for",
        "400" => "What came is not what is described",
        "401" => "No token came that counts",
        "403" => "The token may not, or the nonce does not count",
        "404" => "There is none",
        "409" => "It does not fit how things stand, and nothing was done",
        "413" => "The body is too long",
        "415" => "The body is no JSON",
        "422" => "It cannot be judged, read or changed so",
        "429" => "There were too many requests: `Retry-After` says when there may be more",
        "503" => "It cannot be said now",
        _ => "",
    }
}

/// Spells what JSON Schema has spelled otherwise since draft 7: items that stand one by one.
fn modernise(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(items) = fields.get("items").filter(|items| items.is_array()).cloned() {
                fields.remove("items");
                fields.insert("prefixItems".to_owned(), items);
            }
            fields.values_mut().for_each(modernise);
        }
        Value::Array(values) => values.iter_mut().for_each(modernise),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
