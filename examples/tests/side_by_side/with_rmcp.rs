//! The twenty tests with the client of rmcp.

// MCP 2026-07-28 deprecates roots, sampling and logging, and so does the SDK; servers still have them.
#![allow(deprecated)]

use std::error::Error;
use std::time::Duration;

use mcp_test_examples::notes::{Notes, PIXEL};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, GetPromptRequestParams, Implementation, JsonObject, ListRootsResult,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, PromptMessage,
    ReadResourceRequestParams, ResourceContents, Role, Root, SamplingMessage,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService, ServiceError};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt, object};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout;

type TestResult = Result<(), Box<dyn Error>>;

/// What the server notified the client of.
enum Notification {
    Progress(ProgressNotificationParam),
    Log(LoggingMessageNotificationParam),
    ResourcesChanged,
}

/// The client of all tests.
struct TestClient {
    user_agrees: bool,
    notifications: mpsc::UnboundedSender<Notification>,
}

impl ClientHandler for TestClient {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_elicitation().enable_sampling().enable_roots();
        ClientConfig::new(capabilities.build(), Implementation::new("test", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(if self.user_agrees {
            ElicitResult::new(ElicitationAction::Accept).with_content(json!({"sure": true}))
        } else {
            ElicitResult::new(ElicitationAction::Decline)
        })
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let content = request.messages[0].content.first().and_then(|content| content.as_text());
        let text = content.expect("a text").text.to_uppercase();
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text(text), "test".to_owned()))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = ["file:///home/ada", "file:///srv"];
        Ok(ListRootsResult::new(roots.map(Root::new).to_vec()))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let _ = self.notifications.send(Notification::Progress(progress));
    }

    async fn on_logging_message(
        &self,
        log: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let _ = self.notifications.send(Notification::Log(log));
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        let _ = self.notifications.send(Notification::ResourcesChanged);
    }
}

/// A client that is connected to a server of its own.
struct Connection {
    client: RunningService<RoleClient, TestClient>,
    notifications: mpsc::UnboundedReceiver<Notification>,
}

impl Connection {
    async fn new() -> Result<Self, Box<dyn Error>> {
        Self::with_user(true).await
    }

    async fn with_user(user_agrees: bool) -> Result<Self, Box<dyn Error>> {
        let (client_io, server_io) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move { Notes::new().serve(server_io).await.unwrap().waiting().await });
        let (sender, notifications) = mpsc::unbounded_channel();
        let client = TestClient { user_agrees, notifications: sender }.serve(client_io).await?;
        Ok(Self { client, notifications })
    }

    async fn call(
        &self,
        name: &'static str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, ServiceError> {
        self.client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await
    }

    async fn add_note(&self) -> Result<CallToolResult, ServiceError> {
        self.call("add_note", object!({"title": "Milk", "text": "Buy milk"})).await
    }

    async fn notified<T>(&mut self, pick: impl Fn(Notification) -> Option<T>) -> T {
        loop {
            let next = timeout(Duration::from_secs(5), self.notifications.recv()).await;
            let next = next.expect("a notification").expect("the client is connected");
            if let Some(picked) = pick(next) {
                return picked;
            }
        }
    }
}

fn text(result: &CallToolResult) -> &str {
    let text = result.content[0].as_text().expect("a text");
    &text.text
}

#[tokio::test]
async fn the_server_introduces_itself() -> TestResult {
    let connection = Connection::new().await?;
    let server = connection.client.peer_info().expect("the server has answered");
    assert_eq!(server.server_info.as_ref().expect("it has a name").name, "notes");
    assert!(server.instructions.as_ref().is_some_and(|text| text.contains("Delete only")));
    Ok(())
}

#[tokio::test]
async fn the_tools_are_listed() -> TestResult {
    let tools = Connection::new().await?.client.list_all_tools().await?;
    let mut names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "add_note",
            "count_folders",
            "delete_note",
            "import",
            "show_samples",
            "summarize",
            "synchronize",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_tool_declares_its_arguments() -> TestResult {
    let tools = Connection::new().await?.client.list_all_tools().await?;
    let add_note = tools.iter().find(|tool| tool.name == "add_note").expect("it is listed");
    let required = add_note.input_schema["required"].as_array().expect("an array");
    assert!(required.contains(&json!("title")));
    assert!(required.contains(&json!("text")));
    assert_eq!(add_note.input_schema["properties"]["title"]["type"], "string");
    Ok(())
}

#[tokio::test]
async fn a_note_is_added() -> TestResult {
    let result = Connection::new().await?.add_note().await?;
    assert_eq!(result.structured_content, Some(json!({"id": 1, "uri": "note://1"})));
    Ok(())
}

#[tokio::test]
async fn a_missing_note_is_an_error_of_the_tool() -> TestResult {
    let result = Connection::new().await?.call("delete_note", object!({"id": 9})).await?;
    assert_eq!(result.is_error, Some(true));
    assert_eq!(text(&result), "there is no note 9");
    Ok(())
}

#[tokio::test]
async fn an_unknown_tool_is_refused() -> TestResult {
    let error = Connection::new().await?.call("burn_note", object!({})).await.unwrap_err();
    assert!(matches!(&error, ServiceError::McpError(error) if error.message.contains("not found")));
    Ok(())
}

#[tokio::test]
async fn arguments_of_the_wrong_type_are_refused() -> TestResult {
    let result = Connection::new().await?.call("import", object!({"count": "many"})).await?;
    assert_eq!(result.is_error, Some(true));
    assert!(text(&result).contains("invalid type"));
    Ok(())
}

#[tokio::test]
async fn an_image_is_shown() -> TestResult {
    let result = Connection::new().await?.call("show_samples", object!({})).await?;
    let image = result.content[1].as_image().expect("an image");
    assert_eq!(image.mime_type, "image/png");
    assert_eq!(image.data, PIXEL);
    Ok(())
}

#[tokio::test]
async fn a_note_is_linked() -> TestResult {
    let result = Connection::new().await?.call("show_samples", object!({})).await?;
    let mut links = result.content.iter().filter_map(ContentBlock::as_resource_link);
    assert!(links.any(|link| link.uri == "note://1"));
    Ok(())
}

#[tokio::test]
async fn progress_is_reported() -> TestResult {
    let mut connection = Connection::new().await?;
    connection.call("import", object!({"count": 3})).await?;
    let mut reports = Vec::new();
    for _ in 0..3 {
        let report = connection.notified(|notification| match notification {
            Notification::Progress(progress) => Some((progress.progress, progress.total)),
            _ => None,
        });
        reports.push(report.await);
    }
    assert_eq!(reports, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
    Ok(())
}

#[tokio::test]
async fn the_import_is_logged() -> TestResult {
    let mut connection = Connection::new().await?;
    connection.call("import", object!({"count": 3})).await?;
    let log = connection.notified(|notification| match notification {
        Notification::Log(log) => Some(log),
        _ => None,
    });
    let log = log.await;
    assert_eq!(log.level, LoggingLevel::Info);
    assert_eq!(log.logger.as_deref(), Some("import"));
    assert_eq!(log.data, json!({"imported": 3}));
    Ok(())
}

#[tokio::test]
async fn a_note_is_deleted_when_the_user_agrees() -> TestResult {
    let connection = Connection::with_user(true).await?;
    connection.add_note().await?;
    let result = connection.call("delete_note", object!({"id": 1})).await?;
    assert_eq!(text(&result), "note 1 deleted");
    Ok(())
}

#[tokio::test]
async fn a_note_is_kept_when_the_user_declines() -> TestResult {
    let connection = Connection::with_user(false).await?;
    connection.add_note().await?;
    let result = connection.call("delete_note", object!({"id": 1})).await?;
    assert_eq!(text(&result), "note 1 kept");
    Ok(())
}

#[tokio::test]
async fn the_model_summarizes() -> TestResult {
    let connection = Connection::new().await?;
    connection.add_note().await?;
    let result = connection.call("summarize", object!({})).await?;
    assert_eq!(text(&result), "SUMMARIZE: BUY MILK");
    Ok(())
}

#[tokio::test]
async fn folders_are_counted() -> TestResult {
    let result = Connection::new().await?.call("count_folders", object!({})).await?;
    assert_eq!(text(&result), "2");
    Ok(())
}

#[tokio::test]
async fn a_new_note_is_announced() -> TestResult {
    let mut connection = Connection::new().await?;
    connection.add_note().await?;
    connection
        .notified(|notification| {
            matches!(notification, Notification::ResourcesChanged).then_some(())
        })
        .await;
    Ok(())
}

#[tokio::test]
async fn a_note_is_a_resource() -> TestResult {
    let connection = Connection::new().await?;
    connection.add_note().await?;
    let resources = connection.client.list_all_resources().await?;
    let note = resources.iter().find(|note| note.uri == "note://1").expect("it is listed");
    assert_eq!(note.name, "Milk");
    assert_eq!(note.mime_type.as_deref(), Some("text/plain"));
    let read = connection.client.read_resource(ReadResourceRequestParams::new("note://1")).await?;
    assert!(matches!(
        &read.contents[0],
        ResourceContents::TextResourceContents { text, .. } if text == "Buy milk"
    ));
    Ok(())
}

#[tokio::test]
async fn a_missing_note_cannot_be_read() -> TestResult {
    let connection = Connection::new().await?;
    let read = connection.client.read_resource(ReadResourceRequestParams::new("note://9")).await;
    let error = read.unwrap_err();
    assert!(
        matches!(&error, ServiceError::McpError(error) if error.message.contains("there is no note"))
    );
    Ok(())
}

#[tokio::test]
async fn a_review_names_the_note() -> TestResult {
    let arguments = object!({"id": "1", "tone": "frank"});
    let params = GetPromptRequestParams::new("review").with_arguments(arguments);
    let prompt = Connection::new().await?.client.get_prompt(params).await?;
    assert_eq!(
        prompt.messages,
        [
            PromptMessage::new_text(Role::User, "Review note 1."),
            PromptMessage::new_text(Role::Assistant, "I will be frank."),
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_tone_is_completed() -> TestResult {
    let connection = Connection::new().await?;
    let values = connection.client.complete_prompt_simple("review", "tone", "fr").await?;
    assert_eq!(values, ["friendly", "frank"]);
    Ok(())
}
