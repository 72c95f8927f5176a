//! Connecting to a server of unknown era, as a client that supports both eras does.
//!
//! The client sends `server/discover` in its preferred modern revision. A result, or an error that only modern servers
//! use, shows that the server is modern and which revisions it speaks; anything else, including no reply, means that it
//! wants a handshake. If a URL refuses the POSTs of both eras, the client tries the older HTTP+SSE transport.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions>

use super::{Client, Options, RequestOptions, ServerFacts};
use crate::check::{Blame, Finding};
use crate::json::{Object, Value};
use crate::spec::{Era, Revision, error_code};
#[cfg(feature = "http")]
use crate::trace::EventKind;
use crate::trace::Recorder;
use crate::transport::{Limits, Target, TransportKind};
use crate::wire::RpcError;

/// What the reply to `server/discover` reveals about the server.
enum Discovered {
    /// It is modern, and both sides speak this revision.
    Speaks(Revision),
    /// It wants a handshake.
    Legacy,
}

impl Client {
    /// Connects in a revision that both sides speak, in either era.
    ///
    /// The modern revision of `options`, or the newest one, is preferred.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::client::{Client, Options};
    /// use mcp_test::server::reference;
    /// use mcp_test::spec::{Revision, Revisions};
    /// use mcp_test::trace::Recorder;
    /// use mcp_test::transport::TransportKind;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> mcp_test::Result {
    /// let old = reference::everything().revisions(Revisions::until(Revision::V2025_06_18)).target();
    /// let options = Options::speaking(Revision::NEWEST);
    /// let client = Client::negotiate(&old, TransportKind::Duplex, &Recorder::new(), options).await?;
    /// assert_eq!(client.revision(), Revision::V2025_06_18);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A finding when the server cannot be reached, speaks no known revision, or does not complete the handshake.
    pub async fn negotiate(
        target: &Target,
        transport: TransportKind,
        recorder: &Recorder,
        options: Options,
    ) -> Result<Self, Finding> {
        let preferred = match options.revision.era() {
            Era::Stateless => options.revision,
            Era::Handshake => Revision::NEWEST,
        };
        let connection = target.open(transport, recorder, Limits::default()).await?;
        let modern = Options { revision: preferred, ..options.clone() };
        let mut client = Self::uninitialized(connection, modern);
        // HTTP+SSE is a transport of 2024-11-05, so there is no modern server to discover behind it.
        if transport != TransportKind::Sse
            && let Discovered::Speaks(revision) = client.discover_era().await?
        {
            client.switch_to(revision);
            // A modern error may list only revisions of the handshake era.
            if revision.era() == Era::Handshake {
                client.initialize().await?.result()?;
            }
            return Ok(client);
        }
        // A server that exits on the unknown request may do so just after its reply.
        client.catch_up().await;
        if client.state.closed().is_some() {
            // The server exited on the unknown request, so the handshake needs a new connection.
            client.end().await;
            let connection = target.open(transport, recorder, Limits::default()).await?;
            client = Self::uninitialized(connection, options.clone());
        }
        // A client should request the latest revision that it supports.
        client.switch_to(Revision::NEWEST_HANDSHAKE);
        let refusal = match client.initialize().await {
            Ok(reply) => {
                reply.result()?;
                return Ok(client);
            }
            Err(finding) => finding,
        };
        match client.connect_over_sse(target, &refusal, &options).await {
            Some(connected) => connected,
            None => Err(refusal),
        }
    }

    /// Sends `server/discover` and interprets the reply.
    async fn discover_era(&mut self) -> Result<Discovered, Finding> {
        // Some legacy servers do not answer a request before `initialize`, so a shorter time-out decides that.
        let timeout = self.options.timeout.min(self.options.probe_timeout);
        let probing = RequestOptions::new().timeout(timeout).once();
        let answer = self.request_with("server/discover", Object::new(), probing).await;
        let reply = match answer {
            Ok(reply) => reply,
            // Without a server there is nothing to fall back to.
            Err(finding)
                if finding.blame == Blame::Environment && !self.state.received_anything() =>
            {
                return Err(finding);
            }
            // A legacy server may stay silent, exit, or answer with HTTP 4xx and any body.
            Err(_) => return Ok(Discovered::Legacy),
        };
        let supported = match reply.outcome() {
            Ok(result) => match result.get("supportedVersions") {
                Some(supported) => supported.clone(),
                // Any other result comes from a server that answers methods that it does not know.
                None => return Ok(Discovered::Legacy),
            },
            Err(error) if error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION => {
                supported_versions(error)
            }
            // The specification forbids to fall back to `initialize` after such an error.
            Err(error) if is_modern(error) => {
                return Err(Finding::peer("`server/discover` was refused")
                    .expected("a description of the server, or the revisions that it speaks")
                    .got(error.to_string())
                    .evidence_all(reply.evidence()));
            }
            Err(_) => return Ok(Discovered::Legacy),
        };
        if let Some(result) = reply.peek() {
            self.set_facts(self.facts.revision, result.clone());
        }
        let known = known_revisions(&supported);
        // The preferred revision before a newer one: the caller may have chosen an older one.
        let best = known.iter().copied().find(|one| *one == self.facts.revision);
        best.or_else(|| known.iter().copied().max()).map(Discovered::Speaks).ok_or_else(|| {
            let all: Vec<&str> = Revision::ALL.iter().map(|one| one.as_str()).collect();
            Finding::test("the server speaks no MCP revision that mcp-test knows")
                .expected(format!("one of {}", all.join(", ")))
                .got(supported.short(200))
                .evidence_all(reply.evidence())
        })
    }

    /// Continues in another revision and forgets what was declared before.
    fn switch_to(&mut self, revision: Revision) {
        self.options.revision = revision;
        if self.facts.revision != revision {
            self.facts = ServerFacts::unknown(revision);
            self.connection.set_revision(revision);
        }
    }

    /// Connects over the HTTP+SSE of 2024-11-05, if the POST was refused and the URL serves such a stream.
    ///
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#http%2Bsse-transport-2024-11-05>
    #[cfg(feature = "http")]
    async fn connect_over_sse(
        &self,
        target: &Target,
        refusal: &Finding,
        options: &Options,
    ) -> Option<Result<Self, Finding>> {
        if self.connection.kind() != TransportKind::Http || !self.was_refused(refusal) {
            return None;
        }
        let recorder = self.connection.recorder();
        let target = target.clone().also_over_sse();
        // Without such a stream the caller reports the refusal of the POST.
        if !target.supports_sse(recorder, options.deadline()).await {
            return None;
        }
        let connected = async {
            let connection = target.open(TransportKind::Sse, recorder, Limits::default()).await?;
            let options = Options { revision: Revision::NEWEST_HANDSHAKE, ..options.clone() };
            let mut client = Self::uninitialized(connection, options);
            client.initialize().await?.result()?;
            Ok(client)
        };
        Some(connected.await)
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "nothing is awaited without the feature `http`")]
    async fn connect_over_sse(
        &self,
        _: &Target,
        _: &Finding,
        _: &Options,
    ) -> Option<Result<Self, Finding>> {
        None
    }

    /// Whether the exchange of a finding ended with a status by which older servers refuse a POST.
    #[cfg(feature = "http")]
    fn was_refused(&self, refusal: &Finding) -> bool {
        let trace = self.connection.recorder().trace();
        let exchanges = trace.events_at(&refusal.evidence).filter_map(|event| event.exchange);
        let exchanges: Vec<u64> = exchanges.collect();
        trace.events.iter().any(|event| {
            event.connection == self.connection.id()
                && event.exchange.is_some_and(|exchange| exchanges.contains(&exchange))
                // The statuses that the specification lists for the fallback to HTTP+SSE.
                && matches!(event.kind, EventKind::HttpResponse { status: 400 | 404 | 405, .. })
        })
    }
}

/// Whether only servers of the stateless era use the error code.
fn is_modern(error: &RpcError) -> bool {
    [
        error_code::HEADER_MISMATCH,
        error_code::MISSING_REQUIRED_CLIENT_CAPABILITY,
        error_code::UNSUPPORTED_PROTOCOL_VERSION,
    ]
    .contains(&error.code)
}

/// The supported revisions listed in the refusal of an unsupported one.
fn supported_versions(error: &RpcError) -> Value {
    error.data.as_ref().and_then(|data| data.get("supported")).cloned().unwrap_or_default()
}

/// The revisions in the list that mcp-test knows.
fn known_revisions(supported: &Value) -> Vec<Revision> {
    let names = supported.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
    names.filter_map(|name| name.parse().ok()).collect()
}
