//! A client on the official Rust SDK that sends the messages of the cases of a file, each case in its own conversation.

#![expect(deprecated, reason = "the contract is of the handshake era, with its sampling")]

use std::collections::HashMap;
use std::sync::Arc;

use mcp_test::cases::{Case, CaseMessage, Cases, Direction, ReadOptions, Values, capture, expand};
use mcp_test::json::Value;
use mcp_test::transport::Endpoint;
use mcp_test::wire::{Id, Message};
use rmcp::model::{
    ClientConfig, ClientNotification, ClientRequest, CreateMessageRequestParams,
    CreateMessageResult, CustomNotification, CustomRequest, ElicitRequestParams, ElicitResult,
    ErrorData, Implementation,
};
use rmcp::service::RequestContext;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, RoleClient, ServiceError, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::task::JoinHandle;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Connects to a server with the cases of the file that the scenario is named after.
pub(crate) async fn run(endpoint: Endpoint) -> Result<(), Error> {
    // Only the first installation in this process succeeds.
    rustls::crypto::ring::default_provider().install_default().ok();
    let contracts = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts");
    let path = match endpoint.scenario.as_str() {
        "example" => format!("{contracts}/example.yaml"),
        other => format!("{contracts}/everything/{other}.yaml"),
    };
    let (cases, _) = Cases::read(&[path], &ReadOptions::default())?;
    // A conforming client does not send what is invalid on purpose.
    let is_malformed = |case: &Case| case.settings.tags.iter().any(|tag| tag == "malformed");
    for (_, case) in cases.iter().filter(|(_, case)| !is_malformed(case)) {
        converse(endpoint.url()?, case).await?;
    }
    Ok(())
}

/// Sends the messages of the client in a case, and awaits the replies where the case has them.
async fn converse(url: &str, case: &Arc<Case>) -> Result<(), Error> {
    let transport = StreamableHttpClientTransport::from_uri(url.to_owned());
    let client = Answers(Arc::clone(case)).serve(transport).await?;
    let mut values = Values::of([&**case]);
    let mut asked: HashMap<Id, JoinHandle<serde_json::Value>> = HashMap::new();
    for message in &case.messages {
        let said = expand(&message.value, &values)?.to_serde();
        let params = said.get("params").cloned();
        match (message.direction, &message.message) {
            (Direction::In, Some(Message::Request(request))) if request.method != "initialize" => {
                let request_of_sdk = CustomRequest::new(&request.method, params);
                let peer = client.peer().clone();
                let reply = tokio::spawn(async move {
                    reply(peer.send_request(ClientRequest::CustomRequest(request_of_sdk)).await)
                });
                asked.insert(request.id.clone(), reply);
            }
            (Direction::In, Some(Message::Notification(notification)))
                if notification.method != "notifications/initialized" =>
            {
                let notification = CustomNotification::new(&notification.method, params);
                client
                    .send_notification(ClientNotification::CustomNotification(notification))
                    .await?;
            }
            (Direction::Out, Some(heard)) if heard.is_reply() => {
                let reply = heard.id().and_then(|id| asked.remove(id));
                if let Some(reply) = reply {
                    let got = Value::from(reply.await?);
                    capture(message, &got, &mut values).map_err(|finding| finding.to_string())?;
                }
            }
            _ => {}
        }
    }
    for (_, reply) in asked {
        reply.await?;
    }
    client.cancel().await?;
    Ok(())
}

/// A reply as a message.
fn reply(came: Result<impl serde::Serialize, ServiceError>) -> serde_json::Value {
    match came {
        Ok(result) => json!({ "result": serde_json::to_value(result).unwrap_or_default() }),
        Err(error) => json!({ "error": { "message": error.to_string() } }),
    }
}

/// Answers the requests of the server like the case.
#[derive(Clone)]
struct Answers(Arc<Case>);

impl Answers {
    fn to<T: DeserializeOwned>(&self, method: &str) -> Result<T, ErrorData> {
        let said =
            |direction| self.0.sent(direction).filter_map(|it: &CaseMessage| it.message.as_ref());
        let asked = said(Direction::Out).find(|it| it.method() == Some(method));
        let id = asked.and_then(Message::id);
        let answer = said(Direction::In).find_map(|it| match it {
            Message::Response(answer) if Some(&answer.id) == id => Some(answer.result.to_serde()),
            _ => None,
        });
        let answer =
            answer.ok_or_else(|| ErrorData::internal_error("the case has no answer", None))?;
        serde_json::from_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        let capabilities = json!({ "sampling": {}, "elicitation": {} });
        let capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        ClientConfig::new(capabilities, Implementation::new("client-on-rmcp", "1.0.0"))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.to("sampling/createMessage")
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.to("elicitation/create")
    }
}
