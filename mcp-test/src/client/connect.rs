//! How a conversation begins: the handshake, or nothing at all.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization> and
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

use std::collections::BTreeMap;

use super::state::State;
use super::{Client, Options, Reply, ServerFacts};
use crate::check::Finding;
use crate::expect::{self, Matcher};
use crate::json::Value;
use crate::spec::{Era, Revision, meta};
use crate::transport::{CarrierKind, Link};

impl Client {
    /// A client that has said nothing yet: `initialize` is up to the caller.
    #[must_use]
    pub fn silent(mut link: Link, options: Options) -> Self {
        let facts = ServerFacts::unknown(options.revision);
        if options.revision.era() == Era::Stateless {
            link.speak(options.revision);
        }
        let networked = matches!(link.kind(), CarrierKind::Http | CarrierKind::Sse);
        let state = State::new(options.lenient_ids, networked);
        Self { link, options, facts, ids: 0, state, tracked: Vec::new(), mirrored: BTreeMap::new() }
    }

    /// Begins a conversation in the revision of `options`.
    ///
    /// In the handshake era that is `initialize` and `notifications/initialized`; in the stateless era nothing is sent.
    ///
    /// # Errors
    ///
    /// A finding when the server does not answer `initialize`, refuses it, or settles on another revision.
    pub async fn connect(link: Link, options: Options) -> Result<Self, Finding> {
        let mut client = Self::silent(link, options);
        if client.revision().era() == Era::Handshake {
            let wanted = client.revision();
            let reply = client.initialize().await?;
            if client.revision() != wanted {
                return Err(other_revision(&client, wanted, &reply));
            }
        }
        Ok(client)
    }

    /// Sends `initialize`, takes note of what the server says, and sends `notifications/initialized`.
    ///
    /// Afterwards [`Client::revision`] is the one that the server settled on.
    ///
    /// # Errors
    ///
    /// A finding when the request is not answered, is refused, or the result holds no known `protocolVersion`.
    pub async fn initialize(&mut self) -> Result<Reply, Finding> {
        let params = serde_json::json!({
            "protocolVersion": self.options.revision.as_str(),
            "capabilities": self.options.declared(self.options.revision).to_serde(),
            "clientInfo": self.options.client_info.to_serde(),
        });
        let reply = self.request("initialize", params).await?;
        let result = reply.result()?;
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let known = version.and_then(|version| version.parse::<Revision>().ok());
        let Some(revision) = known.filter(|revision| revision.era() == Era::Handshake) else {
            let known: Vec<Box<dyn Matcher>> = Revision::ALL
                .iter()
                .filter(|revision| revision.era() == Era::Handshake)
                .map(|revision| Box::new(expect::equals(revision.as_str())) as Box<dyn Matcher>)
                .collect();
            let wanted = expect::object().member("protocolVersion", expect::any_of(known));
            let finding = match wanted.check(result) {
                Err(mismatch) => {
                    Finding::mismatch("`initialize` settles on no known revision", &mismatch)
                }
                Ok(()) => Finding::harness("`initialize` was read in two ways"),
            };
            return Err(finding
                .requires("schema.initialize-result")
                .evidence_all(reply.evidence()));
        };
        self.learn(revision, result.clone());
        self.link.speak(revision);
        let initialized = "notifications/initialized";
        let sent = self.send_notification(initialized, Value::Null).await;
        self.until_accepted(initialized, sent).await?;
        Ok(reply)
    }

    /// Asks a server of the stateless era what it is, and takes note of the answer.
    ///
    /// # Errors
    ///
    /// A finding when the request is not answered; an error reply is handed back.
    pub async fn discover(&mut self) -> Result<Reply, Finding> {
        let reply = self.request("server/discover", serde_json::json!({})).await?;
        if let Some(result) = reply.peek() {
            self.learn(self.facts.revision, result.clone());
        }
        Ok(reply)
    }

    pub(super) fn learn(&mut self, revision: Revision, result: Value) {
        let info = match revision.era() {
            Era::Handshake => result.get("serverInfo"),
            Era::Stateless => result.get("_meta").and_then(|all| all.get(meta::SERVER_INFO)),
        };
        let text = |name: &str| Some(result.get(name)?.as_str()?.to_owned());
        self.facts = ServerFacts {
            revision,
            info: info.cloned().unwrap_or(Value::Null),
            instructions: text("instructions"),
            capabilities: match result.get("capabilities") {
                Some(capabilities @ Value::Object(_)) => capabilities.clone(),
                _ => ServerFacts::unknown(revision).capabilities,
            },
            declared_in: Some(result),
        };
    }
}

fn other_revision(client: &Client, wanted: Revision, reply: &Reply) -> Finding {
    Finding::test(format!("the server does not speak MCP {wanted}"))
        .expected(format!("protocolVersion {:?} in the result of `initialize`", wanted.as_str()))
        .got(format!("{:?}", client.revision().as_str()))
        .hint(format!("test it at {}", client.revision()))
        .evidence_all(reply.evidence())
}
