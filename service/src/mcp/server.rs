//! The server of the protocol, for one request: tools, prompts and resources. Whose request it is, the gate has said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use guarded_sh::audit::Filter;
use guarded_sh::audit::words::happened;
use guarded_sh::ipc::FromClientLine;
use guarded_sh::model::Consent;
use jiff::Timestamp;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, DetailedTask, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    GetTaskParams, GetTaskResult, Implementation, JsonObject, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId,
    Resource, ResourceContents, Role, ServerCapabilities, ServerConfig, Task, TaskPayload,
    TaskStatus, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::Asked;
use super::clients::Client;
use super::gate::Caller;
use super::jobs::{Job, State, Taken, Wanted, Why, pipe};
use super::{Bridge, Shared, words};

/// How long is waited before a client that knows of tasks gets one.
const AT_ONCE: Duration = Duration::from_secs(1);
/// How often a client is told that it still waits.
const TELL: Duration = Duration::from_secs(5);
/// For how long a call with a key goes on that nobody waits for: it may be asked for once more.
const LEFT: Duration = Duration::from_secs(30);
/// For how long judging may take.
const JUDGING: Duration = Duration::from_secs(20);
/// Calls that are told, where nothing is said.
const TOLD: usize = 20;

/// The server.
#[derive(Clone)]
pub struct Server(pub Shared);

impl Server {
    fn bridge(&self) -> &Bridge {
        &self.0
    }
}

/// Returns whose request it is.
fn client(context: &rmcp::model::Extensions) -> Result<Arc<Client>, ErrorData> {
    let caller = context.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>());
    let unknown = || ErrorData::internal_error("it is not known whose request this is", None);
    caller.map(|caller| Arc::clone(&caller.0)).ok_or_else(unknown)
}

fn wrong(why: impl std::fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.to_string())])
}

fn arguments<T: for<'d> Deserialize<'d>>(
    given: Option<JsonObject>,
) -> Result<T, Box<CallToolResult>> {
    let given = Value::Object(given.unwrap_or_default());
    serde_json::from_value(given)
        .map_err(|error| Box::new(wrong(format!("the arguments are not understood: {error}"))))
}

/// Returns how a job stands, as its client is told.
fn told(job: &Job, state: &State) -> Value {
    let mut told = json!({ "handle": job.id });
    let set = |told: &mut Value, fields: Value| {
        if let (Some(told), Value::Object(fields)) = (told.as_object_mut(), fields) {
            told.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
        }
    };
    match state {
        State::Waits => set(&mut told, json!({ "state": "waits" })),
        State::Asked { id, reason } => {
            set(&mut told, json!({ "state": "asked", "question": id, "reason": reason }));
        }
        State::Runs { by, severity } => {
            set(&mut told, json!({ "state": "runs", "approved_by": by, "severity": severity }));
        }
        State::Refused { reason, hint, severity } => {
            let fields =
                json!({ "state": "refused", "reason": reason, "hint": hint, "severity": severity });
            set(&mut told, fields);
        }
        State::Ended { by, severity, ended, why } => {
            let (out, err) = (job.out().end(), job.err().end());
            let ended_by = why.map(|why| match why {
                Why::Late => "time",
                Why::Cancelled => "cancel",
            });
            let fields = json!({
                "state": "ended", "approved_by": by, "severity": severity, "ended_by": ended_by,
                "status": ended.status, "signal": ended.signal, "duration_ms": ended.millis,
                "stdout": out.text, "stderr": err.text, "stdout_bytes": out.size, "stderr_bytes": err.size,
                "truncated": out.from > 0 || err.from > 0,
            });
            set(&mut told, fields);
        }
    }
    told
}

/// Returns the result of a call, as models read it.
fn result(job: &Job, state: &State) -> CallToolResult {
    let told = told(job, state);
    let is_bad = match state {
        State::Refused { .. } => true,
        State::Ended { ended, .. } => ended.status != Some(0),
        _ => false,
    };
    if is_bad { CallToolResult::structured_error(told) } else { CallToolResult::structured(told) }
}

/// Waits until a job is over, or so long.
async fn settled(job: &Job, until: Instant) -> State {
    let mut follow = job.follow();
    let over = follow.wait_for(State::is_over);
    let _ = tokio::time::timeout_at(until.into(), over).await;
    job.state()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explained {
    command: String,
    #[serde(default)]
    cwd: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stream {
    Stdout,
    Stderr,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    handle: String,
    #[serde(default)]
    stream: Option<Stream>,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    wait: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Handle {
    handle: String,
}

/// What is no handle of this client's.
const UNKNOWN: &str =
    "no command of yours has this handle, or it is forgotten: `history` says what came of it";

/// A name that a client gives itself, as it is shown.
fn says(context: &RequestContext<RoleServer>) -> Option<String> {
    // Where a client of the older protocol says nothing with its request, the protocol's service puts its own name there.
    let info = context.client_info().filter(|info| *info != Implementation::default())?;
    let text: String = format!("{} {}", info.name, info.version).chars().take(80).collect();
    Some(text)
}

impl Server {
    async fn execute(
        &self,
        client: &Client,
        given: Option<JsonObject>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asked: Asked = match arguments(given) {
            Ok(asked) => asked,
            Err(wrong) => return Ok((*wrong).into()),
        };
        let has_key = asked.key.is_some();
        let (fingerprint, key) = (asked.fingerprint(), asked.key.clone());
        let mut call = match asked.call(self.bridge(), client, says(&context)) {
            Ok(call) => call,
            Err(why) => return Ok(wrong(why).into()),
        };
        let wanted = Wanted { owner: client.digest.clone(), key, fingerprint };
        let job = match self.0.jobs.take(wanted) {
            Ok(Taken::Known(job)) => job,
            Ok(Taken::New(job)) => {
                call.line.client.job.clone_from(&job.id);
                let recorder = call.recorder(&self.0.store);
                let limit = call.limit;
                let make = |out, err| call.start(out, err);
                tokio::spawn(Arc::clone(&self.0.jobs).run(
                    Arc::clone(&job),
                    make,
                    limit,
                    Some(recorder),
                ));
                let (bridge, held, owner) =
                    (Arc::clone(&self.0), Arc::clone(&job), client.digest.clone());
                tokio::spawn(async move {
                    let mut follow = held.follow();
                    tokio::select! {
                        _ = follow.wait_for(State::is_over) => {}
                        () = bridge.life(&owner) => held.cancel(),
                    }
                });
                job
            }
            Err(why) => return Ok(wrong(why).into()),
        };
        self.0.calls.begin(&client.digest, &context.id, &job);
        let waited = self.wait(&job, has_key, &context).await;
        self.0.calls.end(&client.digest, &context.id, &job);
        Ok(waited)
    }

    /// Waits for a job as long as its client does, and tells it what is waited for.
    async fn wait(
        &self,
        job: &Arc<Job>,
        has_key: bool,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let knows_tasks = context.client_capabilities().is_some_and(|caps| caps.supports_tasks());
        let wait = if knows_tasks { AT_ONCE } else { self.bridge().wait };
        let until = tokio::time::Instant::now() + wait;
        let mut gone = Gone { job: Arc::clone(job), has_key, is_over: false };
        let mut follow = job.follow();
        let mut tell = tokio::time::interval(TELL);
        let token = context.meta.get_progress_token();
        let mut steps = 0.0;
        loop {
            let state = follow.borrow_and_update().clone();
            if state.is_over() {
                gone.is_over = true;
                return result(job, &state).into();
            }
            tokio::select! {
                changed = follow.changed() => {
                    if changed.is_err() {
                        break;
                    }
                }
                () = tokio::time::sleep_until(until) => break,
                () = context.ct.cancelled() => break,
                _ = tell.tick() => {}
            }
            if let Some(token) = &token {
                steps += 1.0;
                let message = match job.state() {
                    State::Asked { id, .. } => format!("a person is asked (question {id})"),
                    State::Runs { .. } => "it runs".to_owned(),
                    _ => "it waits for its turn".to_owned(),
                };
                let mut progress = ProgressNotificationParam::new(token.clone(), steps);
                progress.message = Some(message);
                // Who hears nothing of it waits all the same.
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        if context.ct.is_cancelled() {
            // Nobody hears it: dropped here, the call is left.
            return wrong("it was cancelled").into();
        }
        gone.is_over = true;
        if knows_tasks {
            return CallToolResponse::Task(CreateTaskResult::new(task(job)));
        }
        result(job, &job.state()).into()
    }

    async fn explain(
        &self,
        client: &Client,
        given: Option<JsonObject>,
        says: Option<String>,
    ) -> CallToolResult {
        let Explained { command, cwd } = match arguments(given) {
            Ok(explained) => explained,
            Err(wrong) => return *wrong,
        };
        let asked = Asked {
            command,
            purpose: None,
            cwd,
            timeout: None,
            stdin: None,
            environment: BTreeMap::default(),
            key: None,
        };
        match self.judged(client, asked, says).await {
            Ok(FromClientLine::Judged { action, severity, score, reason, instead, findings }) => {
                let mut judged = json!({
                    "action": action, "severity": severity, "score": score, "reason": reason,
                    "findings": findings,
                });
                if let Some(instead) = instead {
                    judged["instead"] = json!(instead);
                }
                CallToolResult::structured(judged)
            }
            Ok(FromClientLine::Refused { reason, hint, .. }) => wrong(format!(
                "{reason}{}",
                hint.map(|hint| format!("; {hint}")).unwrap_or_default()
            )),
            Ok(_) => wrong("the guard said what it was not asked"),
            Err(why) => wrong(why),
        }
    }

    async fn judged(
        &self,
        client: &Client,
        asked: Asked,
        says: Option<String>,
    ) -> Result<FromClientLine, String> {
        let mut call = asked.call(self.bridge(), client, says)?;
        call.line.judges_only = true;
        let _turn = self.0.jobs.turn(&client.digest).await.ok_or("too many calls wait")?;
        let text = |error: std::io::Error| error.to_string();
        let (_out, theirs) = pipe().map_err(text)?;
        let errors = theirs.try_clone().map_err(text)?;
        let mut launched = self.0.jobs.judge(call.start(theirs, errors)?).await.map_err(text)?;
        let told = tokio::time::timeout(JUDGING, launched.told.next()).await;
        launched.process.signal(nix::sys::signal::Signal::SIGKILL);
        let _ = launched.child.wait().await;
        told.ok().flatten().ok_or_else(|| "the guard could not judge it".to_owned())
    }

    async fn history(&self, client: &Client, given: Option<JsonObject>) -> CallToolResult {
        let Listed { limit } = match arguments(given) {
            Ok(listed) => listed,
            Err(wrong) => return *wrong,
        };
        let (store, name) = (self.0.store.clone(), client.name.clone());
        let limit = limit.unwrap_or(TOLD).clamp(1, 100);
        let read = tokio::task::spawn_blocking(move || {
            let session = Some(format!("mcp:{name}"));
            let filter = Filter { session, ..Filter::default() };
            let newest = store.newest(filter).map_err(|error| error.to_string())?;
            let calls = newest.filter_map(Result::ok).take(limit).map(|entry| {
                let record = entry.decisive();
                let ended = entry.records().filter_map(|record| record.ended.as_deref()).last();
                let client = record.client.as_deref();
                json!({
                    "time": entry.first.record.time.to_string(), "command": record.line.text,
                    "cwd": record.cwd, "handle": client.map(|client| &client.job),
                    "purpose": client.and_then(|client| client.purpose.as_ref()),
                    "happened": happened(&entry), "decided_by": record.decided_by, "severity": record.severity,
                    "ended": ended,
                })
            });
            Ok::<Vec<Value>, String>(calls.collect())
        });
        match read.await {
            Ok(Ok(calls)) => CallToolResult::structured(json!({ "calls": calls })),
            Ok(Err(why)) => wrong(why),
            Err(_) => wrong("the record could not be read"),
        }
    }

    async fn read(
        &self,
        client: &Client,
        given: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let Read { handle, stream, offset, wait } = match arguments(given) {
            Ok(read) => read,
            Err(wrong) => return *wrong,
        };
        let Some(job) = self.0.jobs.find(&client.digest, &handle) else { return wrong(UNKNOWN) };
        let wait = Duration::from_secs(wait.unwrap_or(0)).min(self.bridge().wait);
        let state = tokio::select! {
            state = settled(&job, Instant::now() + wait) => state,
            () = context.ct.cancelled() => job.state(),
        };
        let mut told = told(&job, &state);
        if offset.is_some() || stream.is_some() || !state.is_over() {
            let offset = offset.unwrap_or(0);
            let part = match stream.unwrap_or(Stream::Stdout) {
                Stream::Stdout => job.out().part(offset),
                Stream::Stderr => job.err().part(offset),
            };
            told["output"] = json!(part.text);
            told["offset"] = json!(part.from);
            told["next"] = json!(part.to);
        }
        CallToolResult::structured(told)
    }

    async fn cancel(&self, client: &Client, given: Option<JsonObject>) -> CallToolResult {
        let Handle { handle } = match arguments(given) {
            Ok(handle) => handle,
            Err(wrong) => return *wrong,
        };
        let Some(job) = self.0.jobs.find(&client.digest, &handle) else { return wrong(UNKNOWN) };
        job.cancel();
        let state = settled(&job, Instant::now() + Duration::from_secs(5)).await;
        CallToolResult::structured(told(&job, &state))
    }

    fn approval(&self, client: &Client) -> Consent {
        client.approval.unwrap_or(self.bridge().approval)
    }
}

/// A call whose client may leave: what it began ends then, unless the client may ask for it once more.
struct Gone {
    job: Arc<Job>,
    has_key: bool,
    is_over: bool,
}

impl Drop for Gone {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if !self.has_key {
            self.job.cancel();
            return;
        }
        let job = Arc::clone(&self.job);
        tokio::spawn(async move {
            tokio::time::sleep(LEFT).await;
            // Whoever asked for it again follows it, beside who looks whether the client is revoked.
            if job.followers() <= 1 {
                job.cancel();
            }
        });
    }
}

/// Returns a job as a task of the protocol.
fn task(job: &Job) -> Task {
    let now = Timestamp::now();
    let begun = now.checked_sub(job.begun.elapsed()).unwrap_or(now);
    let status = match job.state() {
        State::Refused { .. } | State::Ended { .. } => TaskStatus::Completed,
        _ => TaskStatus::Working,
    };
    let message = match job.state() {
        State::Asked { id, .. } => Some(format!("a person is asked (question {id})")),
        State::Runs { .. } => Some("it runs".to_owned()),
        _ => None,
    };
    let mut task = Task::new(job.id.clone(), status, begun.to_string(), now.to_string());
    task.status_message = message;
    task.poll_interval_ms = Some(1_000);
    task
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("guarded-sh", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(
            "Runs commands on the person's own machine, outside of your container, where a person or their rules permit it. Use it only for what needs the host. Read the resource guarded-sh://policy first.".to_owned(),
        );
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(words::TOOLS.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        words::TOOLS.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = client(&context.extensions)?;
        let given = request.arguments;
        Ok(match &*request.name {
            "execute_command" => return self.execute(&client, given, context).await,
            "explain_command" => self.explain(&client, given, says(&context)).await,
            "history" => self.history(&client, given).await,
            "read_output" => self.read(&client, given, &context).await,
            "cancel" => self.cancel(&client, given).await,
            _ => return Err(ErrorData::invalid_params("there is no tool of this name", None)),
        }
        .into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![words::prompt()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != words::PROMPT {
            return Err(ErrorData::invalid_params("there is no prompt of this name", None));
        }
        let client = client(&context.extensions)?;
        let mut text = words::policy(&client, self.approval(&client));
        let task = request.arguments.as_ref().and_then(|given| given.get("task"));
        let task = serde_json::to_value(task).unwrap_or_default();
        if let Some(task) = task.as_str() {
            text.push_str("\n\nThe task: ");
            text.push_str(task);
        }
        let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let policy = Resource::new(words::POLICY, "policy")
            .with_description("What may run on the host, and what is asked about")
            .with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![policy]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != words::POLICY {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("there is no such resource", Some(data)));
        }
        let client = client(&context.extensions)?;
        let text = words::policy(&client, self.approval(&client));
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, words::POLICY)]).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let client = client(&context.extensions)?;
        let unknown = || ErrorData::invalid_params("there is no such task", None);
        let job = self.0.jobs.find(&client.digest, &request.task_id).ok_or_else(unknown)?;
        let state = job.state();
        let payload = if state.is_over() {
            let value = serde_json::to_value(result(&job, &state));
            let Ok(Value::Object(result)) = value else {
                return Err(ErrorData::internal_error("the result cannot be told", None));
            };
            TaskPayload::Completed { result }
        } else {
            TaskPayload::Working
        };
        Ok(GetTaskResult::new(DetailedTask::new(task(&job), payload)))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let client = client(&context.extensions)?;
        let unknown = || ErrorData::invalid_params("there is no such task", None);
        let job = self.0.jobs.find(&client.digest, &request.task_id).ok_or_else(unknown)?;
        job.cancel();
        Ok(())
    }
}

/// The calls that are waited for, by the ids that their clients gave them: by these a client of the older protocol cancels.
#[derive(Default)]
pub struct Calls(std::sync::Mutex<Vec<(String, RequestId, Arc<Job>)>>);

impl Calls {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<(String, RequestId, Arc<Job>)>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn begin(&self, owner: &str, id: &RequestId, job: &Arc<Job>) {
        self.all().push((owner.to_owned(), id.clone(), Arc::clone(job)));
    }

    fn end(&self, owner: &str, id: &RequestId, job: &Arc<Job>) {
        let mut all = self.all();
        let at = all
            .iter()
            .position(|(one, of, same)| one == owner && of == id && Arc::ptr_eq(same, job));
        at.map(|at| all.swap_remove(at));
    }

    /// Cancels the call with this id of a client; where several have it, it is not known which is meant, and each goes on.
    pub fn cancel(&self, owner: &str, id: &RequestId) {
        let all = self.all();
        let mut meant = all.iter().filter(|(one, of, _)| one == owner && of == id);
        if let (Some((_, _, job)), None) = (meant.next(), meant.next()) {
            job.cancel();
        }
    }
}
