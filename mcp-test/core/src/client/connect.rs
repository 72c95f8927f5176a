//! Starting a conversation: the handshake, or `server/discover`.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization> and
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

use std::collections::BTreeMap;

use super::state::State;
use super::{Client, Options, Reply, ServerFacts};
use crate::check::Finding;
use crate::expect::{self, Matcher};
use crate::json::Value;
use crate::spec::{Era, Requirement, Revision, meta};
use crate::transport::{Connection, TransportKind};

impl Client {
    /// Creates a client that has sent nothing yet; the caller sends `initialize` where the revision needs it.
    #[must_use]
    pub fn uninitialized(mut connection: Connection, options: Options) -> Self {
        let facts = ServerFacts::unknown(options.revision);
        // In the handshake era no revision is negotiated yet, so no header may name one.
        if options.revision.era() == Era::Stateless {
            connection.set_revision(options.revision);
        }
        // In process and over stdio there is a peer; a URL may belong to nothing.
        let networked = matches!(connection.kind(), TransportKind::Http | TransportKind::Sse);
        let state = State::new(options.lenient_ids, networked);
        Self {
            connection,
            options,
            facts,
            ids: 0,
            state,
            tracked: Vec::new(),
            overtaken: None,
            known_panics: 0,
            param_headers: BTreeMap::new(),
        }
    }

    /// Starts a conversation in the revision of `options`.
    ///
    /// In the handshake era this sends `initialize` and `notifications/initialized`; in the stateless era nothing.
    ///
    /// # Errors
    ///
    /// A finding when the server does not answer `initialize`, refuses it, or negotiates another revision.
    pub async fn connect(connection: Connection, options: Options) -> Result<Self, Finding> {
        let mut client = Self::uninitialized(connection, options);
        client.open_session().await?;
        Ok(client)
    }

    /// Completes the handshake in the revision of the options, where the era has one.
    ///
    /// # Errors
    ///
    /// As for [`Client::connect`].
    pub(in crate::client) async fn open_session(&mut self) -> Result<(), Finding> {
        if self.revision().era() == Era::Handshake {
            let wanted = self.revision();
            let reply = self.initialize().await?;
            // The specification allows a server to choose another revision, so the finding does not blame it.
            if self.revision() != wanted {
                return Err(other_revision(self, wanted, &reply));
            }
        }
        Ok(())
    }

    /// The params of `initialize`.
    #[doc(hidden)]
    pub fn initialize_params(&self) -> serde_json::Value {
        serde_json::json!({
            "protocolVersion": self.options.revision.as_str(),
            "capabilities": self.options.declared(self.options.revision).to_serde(),
            "clientInfo": self.options.client_info.to_serde(),
        })
    }

    /// Sends `initialize`, records what the server declares, and sends `notifications/initialized`.
    ///
    /// Afterwards [`Client::revision`] returns the revision that the server chose.
    ///
    /// # Errors
    ///
    /// A finding when the request is not answered, is refused, or the result has no known `protocolVersion`.
    pub async fn initialize(&mut self) -> Result<Reply, Finding> {
        let reply = self.request("initialize", self.initialize_params()).await?;
        let result = reply.result()?;
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let known = version.and_then(|version| version.parse::<Revision>().ok());
        // A revision without a handshake cannot be the result of one.
        let Some(revision) = known.filter(|revision| revision.era() == Era::Handshake) else {
            // The same condition as a matcher, because a mismatch names the value and the path.
            let known: Vec<Box<dyn Matcher>> = Revision::ALL
                .iter()
                .filter(|revision| revision.era() == Era::Handshake)
                .map(|revision| Box::new(expect::equals(revision.as_str())) as Box<dyn Matcher>)
                .collect();
            let wanted = expect::object().member("protocolVersion", expect::any_of(known));
            let finding = match wanted.check(result) {
                Err(mismatch) => {
                    Finding::mismatch("`initialize` did not negotiate a known revision", &mismatch)
                }
                Ok(()) => Finding::harness("the result of `initialize` was read in two ways"),
            };
            return Err(finding
                .requires(Requirement::SCHEMA_INITIALIZE_RESULT)
                .evidence_all(reply.evidence()));
        };
        self.set_facts(revision, result.clone());
        // Before the notification: every HTTP request after `initialize` has the header `MCP-Protocol-Version`.
        self.connection.set_revision(revision);
        let initialized = "notifications/initialized";
        let sent = self.send_notification(initialized, Value::Null).await;
        self.until_accepted(initialized, sent).await?;
        Ok(reply)
    }

    /// Sends `server/discover` to a server of the stateless era and records what it declares.
    ///
    /// # Errors
    ///
    /// A finding when the request is not answered; an error reply is returned.
    pub async fn discover(&mut self) -> Result<Reply, Finding> {
        let reply = self.request("server/discover", serde_json::json!({})).await?;
        if let Some(result) = reply.peek() {
            self.set_facts(self.facts.revision, result.clone());
        }
        Ok(reply)
    }

    pub(super) fn set_facts(&mut self, revision: Revision, result: Value) {
        let info = match revision.era() {
            Era::Handshake => result.get("serverInfo"),
            // Since 2026-07-28 `serverInfo` is an optional member of the `_meta` of every result.
            Era::Stateless => result.get("_meta").and_then(|all| all.get(meta::SERVER_INFO)),
        };
        let text = |name: &str| Some(result.get(name)?.as_str()?.to_owned());
        self.facts = ServerFacts {
            revision,
            info: info.cloned().unwrap_or(Value::Null),
            instructions: text("instructions"),
            capabilities: match result.get("capabilities") {
                Some(capabilities @ Value::Object(_)) => capabilities.clone(),
                // Another type declares nothing; that it is wrong is for `check` to report.
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
