//! A server that keeps notes, with everything that a test may want to see of a server: structured results, content of each
//! kind, progress, log messages, cancellation, input of the user and of a model, resources that change, prompts, completion.
//!
//! Its tests are in `tests/notes/`, a file for each subject.

// MCP 2026-07-28 deprecates roots, sampling and logging, and so does the SDK; servers still have them.
#![allow(deprecated)]

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::InputResponses as Answers;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    ContentBlock, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestParams, ErrorData, GetPromptResult, Implementation, InputRequest, InputRequests,
    InputRequiredResult, ListResourceTemplatesResult, ListResourcesResult, ListRootsRequest,
    LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams,
    ProgressNotificationParam, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
    SamplingMessage, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, ServiceError, SubscriptionContext};
use rmcp::{
    RoleServer, ServerHandler, prompt, prompt_handler, prompt_router, schemars, tool, tool_handler,
    tool_router,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// A note to add.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct NewNote {
    /// The title.
    title: String,
    /// The text.
    text: String,
}

/// The number of notes to import.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct Import {
    /// How many.
    count: u32,
}

/// Which note.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct Id {
    /// The number of the note.
    id: u32,
}

/// A note that was added.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Added {
    /// The number of the note.
    id: u32,
    /// Its URI.
    uri: String,
}

/// The arguments of the prompt.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct Review {
    /// The number of the note.
    id: String,
    /// The tone of the review.
    tone: Option<String>,
}

/// The tones that the server suggests.
const TONES: [&str; 3] = ["friendly", "formal", "frank"];

/// A resource that is not text.
const PICTURE: &str = "note://picture";

/// A picture of one pixel, in Base64.
pub const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The server.
#[derive(Debug, Clone)]
pub struct Notes {
    notes: Arc<Mutex<BTreeMap<u32, NewNote>>>,
    /// The level of log messages that a client has set before 2026-07-28.
    level: Arc<Mutex<LoggingLevel>>,
    /// Wakes the subscriptions of 2026-07-28.
    changes: broadcast::Sender<()>,
    /// Those of subscriptions that are accepted, and do not listen yet: no change may come between.
    accepted: Arc<Mutex<Vec<broadcast::Receiver<()>>>>,
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

impl Default for Notes {
    fn default() -> Self {
        Self::new()
    }
}

/// What the client answered, or the result that requires its answer.
enum ClientInput {
    Answer(Value),
    Required(InputRequiredResult),
}

#[tool_router]
impl Notes {
    /// A server without any notes.
    #[must_use]
    pub fn new() -> Self {
        let (tool_router, prompt_router) = (Self::tool_router(), Self::prompt_router());
        Self {
            notes: Arc::default(),
            level: Arc::new(Mutex::new(LoggingLevel::Debug)),
            changes: broadcast::Sender::new(8),
            accepted: Arc::default(),
            tool_router,
            prompt_router,
        }
    }

    /// A server with the notes of a file, which has a note on each line: `Milk: Buy milk`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn open(file: &Path) -> io::Result<Self> {
        let (text, server) = (fs::read_to_string(file)?, Self::new());
        let notes = text.lines().filter_map(|line| line.split_once(": "));
        server.with(|kept| {
            kept.extend((1..).zip(
                notes.map(|(title, text)| NewNote {
                    title: title.to_owned(),
                    text: text.to_owned(),
                }),
            ));
        });
        Ok(server)
    }

    /// Adds a note; the list of resources changes.
    #[tool(description = "Adds a note", annotations(read_only_hint = false))]
    async fn add_note(
        &self,
        Parameters(note): Parameters<NewNote>,
        context: RequestContext<RoleServer>,
    ) -> Json<Added> {
        let id = self.with(|notes| {
            let id = notes.last_key_value().map_or(1, |(last, _)| last + 1);
            notes.insert(id, note);
            id
        });
        self.announce(&context).await;
        Json(Added { id, uri: uri(id) })
    }

    /// Announces that the list of resources has changed.
    async fn announce(&self, context: &RequestContext<RoleServer>) {
        // A client that has disconnected, or has not subscribed, needs no news.
        if is_stateless(context) {
            let _ = self.changes.send(());
        } else {
            let _ = context.peer.notify_resource_list_changed().await;
        }
    }

    /// Imports notes, and reports how far it is.
    #[tool(description = "Imports notes from elsewhere")]
    async fn import(
        &self,
        Parameters(Import { count }): Parameters<Import>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        for number in 1..=count {
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, f64::from(number))
                    .with_total(f64::from(count))
                    .with_message(format!("note {number}"));
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        if self.logs_imports(&context) {
            let data = json!({"imported": count});
            let log = LoggingMessageNotificationParam::new(LoggingLevel::Info, data);
            let _ = context.peer.notify_logging_message(log.with_logger("import")).await;
        }
        CallToolResult::success(vec![ContentBlock::text(format!("{count} notes imported"))])
    }

    /// Whether the client wants log messages of level `info`: from 2026-07-28 on each request says so.
    fn logs_imports(&self, context: &RequestContext<RoleServer>) -> bool {
        let level = match is_stateless(context) {
            true => context.meta.log_level(),
            false => Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner)),
        };
        matches!(level, Some(LoggingLevel::Debug | LoggingLevel::Info))
    }

    /// Waits until the client cancels the call.
    #[tool(description = "Synchronizes the notes forever")]
    async fn synchronize(&self, context: RequestContext<RoleServer>) -> CallToolResult {
        context.ct.cancelled().await;
        CallToolResult::success(vec![ContentBlock::text("stopped")])
    }

    /// Fails if there is no such note, in a way that the model sees.
    #[tool(
        description = "Deletes a note, if the user agrees",
        annotations(destructive_hint = true)
    )]
    async fn delete_note(
        &self,
        Parameters(Id { id }): Parameters<Id>,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.with(|notes| !notes.contains_key(&id)) {
            let text = format!("there is no note {id}");
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into());
        }
        let schema = json!({
            "type": "object",
            "properties": {"sure": {"type": "boolean", "title": "Delete it", "default": false}},
            "required": ["sure"],
        });
        let form = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("Delete note {id}?"),
            requested_schema: serde_json::from_value(schema).map_err(internal)?,
        };
        let question = InputRequest::Elicitation(ElicitRequest::new(form));
        let answer = match ask(&context, answers, question).await? {
            ClientInput::Answer(answer) => answer,
            ClientInput::Required(required) => return Ok(required.into()),
        };
        let text = if answer["action"] == "accept" && answer["content"]["sure"] == true {
            self.with(|notes| notes.remove(&id));
            self.announce(&context).await;
            format!("note {id} deleted")
        } else {
            format!("note {id} kept")
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    /// Lets the model of the client write the summary.
    #[tool(description = "Summarizes all notes")]
    async fn summarize(
        &self,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let texts =
            self.with(|notes| notes.values().map(|note| note.text.clone()).collect::<Vec<_>>());
        let message = SamplingMessage::user_text(format!("Summarize: {}", texts.join("; ")));
        let params = CreateMessageRequestParams::new(vec![message], 100);
        let question = InputRequest::CreateMessage(CreateMessageRequest::new(params));
        Ok(match ask(&context, answers, question).await? {
            ClientInput::Answer(answer) => {
                let summary = answer["content"]["text"].as_str().unwrap_or_default();
                CallToolResult::success(vec![ContentBlock::text(summary)]).into()
            }
            ClientInput::Required(required) => required.into(),
        })
    }

    /// Counts the folders that the client shares.
    #[tool(description = "Counts the folders of the client", annotations(read_only_hint = true))]
    async fn count_folders(
        &self,
        Answers(answers): Answers,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let question = InputRequest::ListRoots(ListRootsRequest::default());
        Ok(match ask(&context, answers, question).await? {
            ClientInput::Answer(answer) => {
                let count = answer["roots"].as_array().map_or(0, Vec::len);
                CallToolResult::success(vec![ContentBlock::text(count.to_string())]).into()
            }
            ClientInput::Required(required) => required.into(),
        })
    }

    /// Content of each kind.
    #[tool(description = "Shows what a note may contain", annotations(read_only_hint = true))]
    async fn show_samples(&self) -> CallToolResult {
        let link = Resource::new("note://1", "note 1").with_mime_type("text/plain");
        CallToolResult::success(vec![
            ContentBlock::text("samples"),
            ContentBlock::image(PIXEL, "image/png"),
            ContentBlock::audio("UklGRg==", "audio/wav"),
            ContentBlock::resource_link(link),
            ContentBlock::embedded_text("note://sample", "a sample"),
        ])
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<u32, NewNote>) -> T) -> T {
        act(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[allow(
    missing_docs,
    reason = "rmcp writes a public function beside the prompt, without a doc comment"
)]
#[prompt_router]
impl Notes {
    /// Asks for a review of a note, with a picture.
    #[prompt(name = "review", description = "Asks for a review of a note")]
    async fn review(&self, Parameters(Review { id, tone }): Parameters<Review>) -> GetPromptResult {
        let tone = tone.unwrap_or_else(|| "friendly".to_owned());
        GetPromptResult::new(vec![
            PromptMessage::new_text(Role::User, format!("Review note {id}.")),
            PromptMessage::new_text(Role::Assistant, format!("I will be {tone}.")),
        ])
        .with_description("A review of a note")
    }
}

/// Asks the client in the way of the revision: with a request or, from 2026-07-28 on, with a result that requires input.
async fn ask(
    context: &RequestContext<RoleServer>,
    answers: Option<BTreeMap<String, Value>>,
    question: InputRequest,
) -> Result<ClientInput, ErrorData> {
    if is_stateless(context) {
        return Ok(match answers.and_then(|mut answers| answers.remove("question")) {
            Some(answer) => ClientInput::Answer(answer),
            None => {
                let questions = InputRequests::from([("question".to_owned(), question)]);
                ClientInput::Required(InputRequiredResult::new(Some(questions), None))
            }
        });
    }
    let peer = &context.peer;
    let answer = match question {
        InputRequest::Elicitation(request) => {
            peer.create_elicitation(request.params).await.map(|answer| json!(answer))
        }
        InputRequest::CreateMessage(request) => {
            peer.create_message(request.params).await.map(|answer| json!(answer))
        }
        _ => peer.list_roots().await.map(|answer| json!(answer)),
    };
    answer.map(ClientInput::Answer).map_err(|error| match error {
        // What the client refuses is passed on.
        ServiceError::McpError(error) => error,
        error => internal(error),
    })
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn internal(error: impl Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn uri(id: u32) -> String {
    format!("note://{id}")
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("notes", "1.0.0").with_title("Notes"))
            .with_instructions("Keeps notes. Delete only what the user wants to delete.")
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |(id, note): (&u32, &NewNote)| {
            Resource::new(uri(*id), note.title.as_str()).with_mime_type("text/plain")
        };
        let resources = self.with(|notes| notes.iter().map(resource).collect());
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("note://{id}", "note").with_mime_type("text/plain");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == PICTURE {
            let picture = ResourceContents::blob(PIXEL, PICTURE).with_mime_type("image/png");
            return Ok(ReadResourceResult::new(vec![picture]).into());
        }
        let id = request.uri.strip_prefix("note://").and_then(|id| id.parse().ok());
        let text =
            id.and_then(|id: u32| self.with(|notes| notes.get(&id).map(|note| note.text.clone())));
        let Some(text) = text else {
            let message = format!("there is no note at {}", request.uri);
            return Err(ErrorData::resource_not_found(message, Some(json!({"uri": request.uri}))));
        };
        let contents = ResourceContents::text(text, request.uri).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let changes = self.changes.subscribe();
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).push(changes);
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut changes = accepted.unwrap_or_else(|| self.changes.subscribe());
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                // One that lagged behind has still something to announce.
                _ = changes.recv() => {
                    if context.sink().notify_resource_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value;
        let values: Vec<String> = match request.argument.name.as_str() {
            "tone" => TONES.map(str::to_owned).to_vec(),
            _ => self.with(|notes| notes.keys().map(u32::to_string).collect()),
        };
        let values = values.into_iter().filter(|value| value.starts_with(&typed)).collect();
        let values = CompletionInfo::with_all_values(values).map_err(internal)?;
        Ok(CompleteResult::new(values))
    }
}
