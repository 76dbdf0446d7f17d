//! A server of the protocol with the tools, prompts and resources that the conformance suite calls, as `fixtures.json` has them. It stands where the bridge's own
//! server stands, and nowhere else: it is compiled for tests alone.
#![allow(deprecated, reason = "the older version of the protocol has it")]

use std::sync::LazyLock;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, InputRequests,
    InputRequiredResult, InputResponses, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParam,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct All {
    tools: Vec<OfTool>,
    prompts: Vec<OfPrompt>,
    resources: Vec<OfResource>,
}

#[derive(Deserialize)]
struct OfTool {
    tool: Tool,
    /// What the client is asked for before, one round after the other.
    #[serde(default)]
    rounds: Vec<InputRequests>,
    #[serde(default)]
    result: Option<CallToolResult>,
}

#[derive(Deserialize)]
struct OfPrompt {
    prompt: Prompt,
    #[serde(default)]
    rounds: Vec<InputRequests>,
    messages: Value,
}

#[derive(Deserialize)]
struct OfResource {
    resource: Resource,
    contents: ResourceContents,
}

static ALL: LazyLock<All> =
    LazyLock::new(|| serde_json::from_str(include_str!("fixtures.json")).unwrap());

/// The server.
#[derive(Clone)]
pub struct Fixtures;

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

/// Tells a client three times how far a call is, if it wants that.
async fn tell_progress(context: &Context) {
    for step in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let mut told = ProgressNotificationParam::new(token, step);
            told.total = Some(100.0);
            context.peer.notify_progress(told).await.unwrap();
        }
    }
}

async fn write_log(context: &Context) {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let told = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
        context.peer.notify_logging_message(told).await.unwrap();
    }
}

/// Returns what a client is asked for next, if anything is left: of what it says that it can give.
fn asked(
    rounds: &[InputRequests],
    context: &Context,
    state: Option<&str>,
    given: Option<&InputResponses>,
) -> Answer<Option<InputRequiredResult>> {
    let state_of = |round: usize| format!("round {round}");
    let wrong = |why: &'static str| ErrorData::invalid_params(why, None);
    let round = state.map(|state| (0..rounds.len()).find(|at| state_of(*at) == state));
    let round = round.unwrap_or(Some(0)).ok_or_else(|| wrong("the state is not ours"))?;
    if given.is_some_and(|given| given.values().any(|answer| !answer.is_object())) {
        return Err(wrong("an answer is an object"));
    }
    let is_given = |key| given.is_some_and(|given| given.contains_key(key));
    let is_answered = rounds.get(round).is_some_and(|asked| asked.keys().all(is_given));
    let round = round + usize::from(is_answered);
    let Some(next) = rounds.get(round) else { return Ok(None) };
    let can = serde_json::to_value(context.client_capabilities()).unwrap();
    let mut requests = serde_json::to_value(next).unwrap();
    requests.as_object_mut().unwrap().retain(|_, request| {
        let method = request["method"].as_str().unwrap();
        method.split('/').next().is_some_and(|part| !can[part].is_null())
    });
    let asked = json!({
        "resultType": "input_required", "inputRequests": requests, "requestState": state_of(round),
    });
    Ok(Some(serde_json::from_value(asked).unwrap()))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .enable_logging()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("fixtures", "1");
        info
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(ALL.tools.iter().map(|of| of.tool.clone()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ALL.tools.iter().find(|of| of.tool.name == name).map(|of| of.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Answer<CallToolResponse> {
        let of = ALL.tools.iter().find(|of| of.tool.name == request.name);
        let of = of.ok_or_else(|| ErrorData::invalid_params("there is no such tool", None))?;
        let (state, given) = (request.request_state.as_deref(), request.input_responses.as_ref());
        if let Some(asked) = asked(&of.rounds, &context, state, given)? {
            return Ok(asked.into());
        }
        match &*request.name {
            "test_tool_with_progress" => tell_progress(&context).await,
            "test_tool_with_logging" => write_log(&context).await,
            "test_missing_capability" => {
                let needed: ClientCapabilities =
                    serde_json::from_value(json!({ "sampling": {} })).unwrap();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            _ => {}
        }
        let CallToolResult { content, is_error, .. } = of.result.clone().unwrap_or_default();
        let is_bad = is_error == Some(true);
        let result = if is_bad { CallToolResult::error } else { CallToolResult::success };
        Ok(result(content).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListPromptsResult> {
        let all = ALL.prompts.iter().map(|of| of.prompt.clone());
        Ok(ListPromptsResult::with_all_items(all.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Answer<GetPromptResponse> {
        let of = ALL.prompts.iter().find(|of| of.prompt.name == request.name);
        let of = of.ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
        let (state, given) = (request.request_state.as_deref(), request.input_responses.as_ref());
        if let Some(asked) = asked(&of.rounds, &context, state, given)? {
            return Ok(asked.into());
        }
        let given = serde_json::to_value(request.arguments.unwrap_or_default()).unwrap();
        let given = given.as_object().unwrap();
        let filled = given.iter().fold(of.messages.to_string(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value.as_str().unwrap())
        });
        let messages: Vec<PromptMessage> = serde_json::from_str(&filled).unwrap();
        Ok(GetPromptResult::new(messages).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourcesResult> {
        let all = ALL.resources.iter().map(|of| of.resource.clone());
        Ok(ListResourcesResult::with_all_items(all.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template")
            .with_description("A text for each id");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Answer<ReadResourceResponse> {
        let uri = request.uri;
        let of = ALL.resources.iter().find(|of| of.resource.uri == uri);
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (of, id) {
            (Some(of), _) => of.contents.clone(),
            (None, Some(id)) => {
                let data = format!("Data for ID: {id}");
                let text = json!({ "id": id, "templateTest": true, "data": data }).to_string();
                ResourceContents::text(text, &uri)
            }
            (None, None) => {
                let data = json!({ "uri": uri });
                return Err(ErrorData::resource_not_found("there is no such resource", Some(data)));
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
