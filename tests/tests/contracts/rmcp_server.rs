//! A server on the official Rust SDK that fulfils the contract `everything`. Its replies are JSON, read by the SDK's types.

#![expect(
    deprecated,
    reason = "the contract is of the handshake era, with its log and its sampling"
)]

use mcp_test::transport::Target;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerConfig, ServerRequest, SetLevelRequestParams,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The server, over a pipe and over HTTP, both in this process.
pub(crate) fn target() -> Target {
    Target::duplex(|io| async move {
        Everything.serve(io).await?.waiting().await?;
        Ok(())
    })
    .and_service(|| {
        let sessions = LocalSessionManager::default();
        // With an interval, rmcp begins the first two streams of a session with events of the same id.
        let config = StreamableHttpServerConfig::default().with_sse_retry(None);
        StreamableHttpService::new(|| Ok(Everything), sessions.into(), config)
    })
}

type Context = RequestContext<RoleServer>;

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const DOCUMENT: &str = "demo://resource/static/document/structure.md";
const TEXTS: &str = "demo://resource/dynamic/text/";
const BLOBS: &str = "demo://resource/dynamic/blob/";

#[derive(Clone)]
struct Everything;

/// A type of the SDK from JSON.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn invalid(why: impl Into<std::borrow::Cow<'static, str>>) -> ErrorData {
    ErrorData::invalid_params(why, None)
}

fn text_result(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

fn failed(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": {}, "resources": { "subscribe": true }, "prompts": {}, "completions": {}, "logging": {},
        });
        ServerConfig::new(serde_json::from_value(capabilities).unwrap_or_default())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let (text, number) = (json!({ "type": "string" }), json!({ "type": "number" }));
        let cities = json!({ "type": "string", "enum": ["New York", "Chicago", "Los Angeles"] });
        let weather = json!({ "temperature": number, "conditions": text, "humidity": number });
        let tool = |name: &str, properties: Value, required: &[&str]| {
            let schema =
                json!({ "type": "object", "properties": properties, "required": required });
            json!({ "name": name, "inputSchema": schema, "annotations": { "readOnlyHint": true } })
        };
        let mut structured =
            tool("get-structured-content", json!({ "location": cities }), &["location"]);
        structured["outputSchema"] = json!({ "type": "object", "properties": weather });
        typed(json!({ "tools": [
            tool("echo", json!({ "message": text }), &["message"]),
            structured,
            tool("get-sum", json!({ "a": number, "b": number }), &["a", "b"]),
            tool("get-tiny-image", json!({}), &[]),
            tool("get-annotated-message", json!({ "messageType": text }), &["messageType"]),
            tool("get-resource-links", json!({ "count": number }), &[]),
            tool("get-resource-reference", json!({ "resourceType": text, "resourceId": number }), &[]),
            tool("trigger-long-running-operation", json!({ "duration": number, "steps": number }), &[]),
            tool("trigger-sampling-request", json!({ "prompt": text, "maxTokens": number }), &["prompt"]),
            tool("trigger-elicitation-request", json!({}), &[]),
        ] }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let (text, number) =
            (|name: &str| arguments[name].as_str(), |name: &str| arguments[name].as_f64());
        let result = match &*request.name {
            "echo" => match text("message") {
                Some(message) => text_result(format!("Echo: {message}")),
                None => failed("`message` is no text"),
            },
            "get-sum" => match (number("a"), number("b")) {
                (Some(a), Some(b)) => text_result(format!("The sum of {a} and {b} is {}.", a + b)),
                _ => failed("that is no number"),
            },
            "get-structured-content" => weather(text("location").unwrap_or_default()),
            "get-tiny-image" => json!({ "content": [
                { "type": "text", "text": "Here it is." },
                { "type": "image", "data": PIXEL, "mimeType": "image/png" },
                { "type": "text", "text": "That was it." },
            ] }),
            "get-annotated-message" => {
                let (priority, audience) = match text("messageType") {
                    Some("error") => (1.0, json!(["user", "assistant"])),
                    _ => (0.3, json!(["assistant"])),
                };
                let annotations = json!({ "priority": priority, "audience": audience });
                json!({ "content": [{ "type": "text", "text": "Well.", "annotations": annotations }] })
            }
            "get-resource-links" => {
                let connection = |base: &str, name: &str| json!({ "type": "resource_link", "uri": base, "name": name });
                let links = [
                    connection(&format!("{BLOBS}1"), "Blob Resource 1"),
                    connection(&format!("{TEXTS}2"), "Text Resource 2"),
                ];
                json!({ "content": links })
            }
            "get-resource-reference" => {
                let uri = format!("{TEXTS}{}", arguments["resourceId"]);
                let resource = contents(&uri).ok_or_else(|| invalid("no such resource"))?;
                json!({ "content": [
                    { "type": "text", "text": "Here it is." },
                    { "type": "resource", "resource": resource },
                    { "type": "text", "text": format!("It is {uri}") },
                ] })
            }
            "trigger-long-running-operation" => {
                let steps = arguments["steps"].as_u64().unwrap_or(5);
                report_progress(&context, steps).await;
                text_result(format!(
                    "Long running operation completed. Duration: {} seconds, Steps: {steps}.",
                    arguments["duration"]
                ))
            }
            "trigger-sampling-request" => {
                let prompt = text("prompt").unwrap_or_default();
                let prompt = format!("Resource trigger-sampling-request context: {prompt}");
                let message =
                    json!({ "role": "user", "content": { "type": "text", "text": prompt } });
                let params = json!({ "messages": [message], "maxTokens": arguments["maxTokens"] });
                let answer = send_request(&context.peer, "sampling/createMessage", params).await?;
                text_result(format!("LLM sampling result: {}", answer["content"]["text"]))
            }
            "trigger-elicitation-request" => {
                let properties =
                    json!({ "name": { "type": "string" }, "check": { "type": "boolean" } });
                let schema =
                    json!({ "type": "object", "properties": properties, "required": ["name"] });
                let params = json!({ "message": "Your name?", "requestedSchema": schema });
                let answer = send_request(&context.peer, "elicitation/create", params).await?;
                text_result(match answer["action"].as_str() {
                    Some("accept") => "User provided the requested information",
                    Some("decline") => "User declined",
                    _ => "User cancelled",
                })
            }
            other => return Err(invalid(format!("unknown tool: {other}"))),
        };
        typed::<CallToolResult>(result).map(Into::into)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let document =
            json!({ "uri": DOCUMENT, "name": "structure.md", "mimeType": "text/markdown" });
        typed(json!({ "resources": [document] }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = |base: &str, name: &str, mime_type: &str| json!({ "uriTemplate": format!("{base}{{resourceId}}"), "name": name, "mimeType": mime_type });
        typed(json!({ "resourceTemplates": [
            template(TEXTS, "Dynamic Text Resource", "text/plain"),
            template(BLOBS, "Dynamic Blob Resource", "application/octet-stream"),
        ] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let unknown = || ErrorData::resource_not_found("not found", None);
        let contents = contents(&request.uri).ok_or_else(unknown)?;
        typed::<ReadResourceResult>(json!({ "contents": [contents] })).map(Into::into)
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let required = |name: &str| json!({ "name": name, "required": true });
        typed(json!({ "prompts": [
            { "name": "simple-prompt" },
            { "name": "args-prompt", "arguments": [required("city"), { "name": "state" }] },
            { "name": "completable-prompt", "arguments": [required("department"), required("name")] },
            { "name": "resource-prompt", "arguments": [required("resourceType"), required("resourceId")] },
        ] }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let user = |content: Value| json!({ "role": "user", "content": content });
        let text = |text: String| user(json!({ "type": "text", "text": text }));
        let messages = match request.name.as_str() {
            "simple-prompt" => vec![text("Hello.".to_owned())],
            "args-prompt" => {
                let city =
                    arguments["city"].as_str().ok_or_else(|| invalid("`city` is missing"))?;
                let state = arguments["state"].as_str().map(|state| format!(", {state}"));
                vec![text(format!("How is {city}{}", state.unwrap_or_default()))]
            }
            "resource-prompt" => {
                let id = arguments["resourceId"].as_str().unwrap_or_default();
                let resource =
                    contents(&format!("{TEXTS}{id}")).ok_or_else(|| invalid("no such resource"))?;
                vec![
                    text("Read this.".to_owned()),
                    user(json!({ "type": "resource", "resource": resource })),
                ]
            }
            other => return Err(invalid(format!("unknown prompt: {other}"))),
        };
        typed::<GetPromptResult>(json!({ "messages": messages })).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, typed_so_far) = (request.argument.name, request.argument.value);
        let words = match name.as_str() {
            "department" => vec!["Engineering", "Sales", "Marketing", "Support"],
            "name" => vec!["David", "Eve", "Frank"],
            _ => vec![typed_so_far.as_str()],
        };
        let words: Vec<_> =
            words.into_iter().filter(|word| word.starts_with(&typed_so_far)).collect();
        let total = words.len();
        typed(json!({ "completion": { "values": words, "total": total, "hasMore": false } }))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    /// With an invalid level, a request is unknown to the SDK.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "logging/setLevel" => invalid("there is no such level"),
            other => {
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("no method {other}"), None)
            }
        })
    }
}

fn weather(city: &str) -> Value {
    let weather = match city {
        "New York" => json!({ "temperature": 33, "conditions": "Cloudy", "humidity": 82 }),
        "Los Angeles" => {
            json!({ "temperature": 73, "conditions": "Sunny / Clear", "humidity": 48 })
        }
        _ => return failed("there is no such city"),
    };
    let mut result = text_result(weather.to_string());
    result["structuredContent"] = weather;
    result
}

/// The contents of a resource.
fn contents(uri: &str) -> Option<Value> {
    if uri == DOCUMENT {
        return Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": "# A document" }));
    }
    if let Some(id) = uri.strip_prefix(TEXTS) {
        return Some(
            json!({ "uri": uri, "mimeType": "text/plain", "text": format!("Resource {id}: text") }),
        );
    }
    let blob = "UmVzb3VyY2UgODogYnl0ZXM=";
    uri.strip_prefix(BLOBS).map(|_| json!({ "uri": uri, "mimeType": "text/plain", "blob": blob }))
}

/// Sends progress notifications, if the client requested them.
async fn report_progress(context: &Context, steps: u64) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for step in 1..=u32::try_from(steps).unwrap_or_default() {
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
        let progress = progress.with_total(steps as f64);
        context.peer.notify_progress(progress).await.ok();
    }
}

async fn send_request(
    peer: &Peer<RoleServer>,
    method: &str,
    params: Value,
) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let failed = |why: String| ErrorData::internal_error(why, None);
    let answer = peer.send_request(request).await.map_err(|error| failed(error.to_string()))?;
    serde_json::to_value(answer).map_err(|error| failed(error.to_string()))
}
