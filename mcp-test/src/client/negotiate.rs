//! Talking to a server of unknown era, as a client of both eras does.
//!
//! It asks `server/discover` in its preferred modern revision. A result, or an error that only a modern server knows, says
//! that the server is modern, and which revisions it speaks; anything else, and silence, that it wants a handshake. A
//! server behind a URL that refuses the POSTs of both is looked for at the older HTTP+SSE.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions>

use super::{Client, Options, RequestOptions, ServerFacts};
use crate::check::{Blame, Finding};
use crate::json::{Object, Value};
use crate::spec::{Era, Revision, error_code};
use crate::trace::Recorder;
#[cfg(feature = "http")]
use crate::trace::What;
use crate::transport::{CarrierKind, Limits, Target};
use crate::wire::RpcError;

/// What `server/discover` says of the server.
enum Answer {
    /// It is modern, and this revision is one that both speak.
    Speaks(Revision),
    /// It wants a handshake.
    Legacy,
}

impl Client {
    /// Connects in a revision that both sides speak, whatever era the server is of.
    ///
    /// The modern revision of `options`, or the newest one, is preferred.
    ///
    /// ```
    /// use mcp_test::client::{Client, Options};
    /// use mcp_test::server::reference;
    /// use mcp_test::spec::{Revision, Revisions};
    /// use mcp_test::trace::Recorder;
    /// use mcp_test::transport::CarrierKind;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> mcp_test::Result {
    /// let old = reference::everything().revisions(Revisions::until(Revision::V2025_06_18)).target();
    /// let options = Options::speaking(Revision::NEWEST);
    /// let client = Client::negotiate(&old, CarrierKind::Duplex, &Recorder::new(), options).await?;
    /// assert_eq!(client.revision(), Revision::V2025_06_18);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A finding when the server cannot be reached, speaks no revision that is known here, or does not complete what it
    /// began.
    pub async fn negotiate(
        target: &Target,
        carrier: CarrierKind,
        recorder: &Recorder,
        options: Options,
    ) -> Result<Self, Finding> {
        let preferred = match options.revision.era() {
            Era::Stateless => options.revision,
            Era::Handshake => Revision::NEWEST,
        };
        let link = target.open(carrier, recorder, Limits::default()).await?;
        let modern = Options { revision: preferred, ..options.clone() };
        let mut client = Self::silent(link, modern);
        if carrier != CarrierKind::Sse
            && let Answer::Speaks(revision) = client.ask_for_era().await?
        {
            client.begin_in(revision);
            if revision.era() == Era::Handshake {
                client.initialize().await?.result()?;
            }
            return Ok(client);
        }
        client.catch_up().await;
        if client.state.closed().is_some() {
            // It left because of the question: another one gets the handshake.
            client.end().await;
            let link = target.open(carrier, recorder, Limits::default()).await?;
            client = Self::silent(link, options.clone());
        }
        client.begin_in(Revision::NEWEST_HANDSHAKE);
        let refusal = match client.initialize().await {
            Ok(reply) => {
                reply.result()?;
                return Ok(client);
            }
            Err(finding) => finding,
        };
        match client.older_carrier(target, &refusal, &options).await {
            Some(older) => older,
            None => Err(refusal),
        }
    }

    /// Asks `server/discover`, and reads every kind of answer.
    async fn ask_for_era(&mut self) -> Result<Answer, Finding> {
        let patience = self.options.timeout.min(self.options.probe_timeout);
        let probing = RequestOptions::new().timeout(patience).once();
        let answer = self.request_with("server/discover", Object::new(), probing).await;
        let reply = match answer {
            Ok(reply) => reply,
            // There is nothing to fall back on where there is no server.
            Err(finding) if finding.blame == Blame::Environment && !self.state.heard() => {
                return Err(finding);
            }
            Err(_) => return Ok(Answer::Legacy),
        };
        let supported = match reply.outcome() {
            Ok(result) => match result.get("supportedVersions") {
                Some(supported) => supported.clone(),
                None => return Ok(Answer::Legacy),
            },
            Err(error) if error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION => {
                supported_in(error)
            }
            Err(error) if is_modern(error) => {
                return Err(Finding::peer("`server/discover` was refused")
                    .expected("what the server is, or the revisions that it speaks")
                    .got(error.to_string())
                    .evidence_all(reply.evidence()));
            }
            Err(_) => return Ok(Answer::Legacy),
        };
        if let Some(result) = reply.peek() {
            self.learn(self.facts.revision, result.clone());
        }
        let known = known_in(&supported);
        let best = known.iter().copied().find(|one| *one == self.facts.revision);
        best.or_else(|| known.iter().copied().max()).map(Answer::Speaks).ok_or_else(|| {
            let all: Vec<&str> = Revision::ALL.iter().map(|one| one.as_str()).collect();
            Finding::test("the server speaks no revision of MCP that is known here")
                .expected(format!("one of {}", all.join(", ")))
                .got(supported.short(200))
                .evidence_all(reply.evidence())
        })
    }

    /// Goes on in another revision, as if nothing had been said.
    fn begin_in(&mut self, revision: Revision) {
        self.options.revision = revision;
        if self.facts.revision != revision {
            self.facts = ServerFacts::unknown(revision);
            self.link.speak(revision);
        }
    }

    /// A client on the HTTP+SSE of 2024-11-05, if the POST was refused and such a stream is there instead.
    ///
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#http%2Bsse-transport-2024-11-05>
    #[cfg(feature = "http")]
    async fn older_carrier(
        &self,
        target: &Target,
        refusal: &Finding,
        options: &Options,
    ) -> Option<Result<Self, Finding>> {
        if self.link.kind() != CarrierKind::Http || !self.was_refused(refusal) {
            return None;
        }
        let recorder = self.link.recorder();
        let target = target.clone().also_over_sse();
        if !target.speaks_sse(recorder, options.deadline()).await {
            return None;
        }
        let connected = async {
            let link = target.open(CarrierKind::Sse, recorder, Limits::default()).await?;
            let options = Options { revision: Revision::NEWEST_HANDSHAKE, ..options.clone() };
            let mut client = Self::silent(link, options);
            client.initialize().await?.result()?;
            Ok(client)
        };
        Some(connected.await)
    }

    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    async fn older_carrier(
        &self,
        _: &Target,
        _: &Finding,
        _: &Options,
    ) -> Option<Result<Self, Finding>> {
        None
    }

    /// Whether the exchange of a finding ended with one of the statuses of a server that does not take POSTs there.
    #[cfg(feature = "http")]
    fn was_refused(&self, refusal: &Finding) -> bool {
        let trace = self.link.recorder().trace();
        let exchanges = trace.events_at(&refusal.evidence).filter_map(|event| event.exchange);
        let exchanges: Vec<u64> = exchanges.collect();
        trace.events.iter().any(|event| {
            let of_it = event.exchange.is_some_and(|exchange| exchanges.contains(&exchange));
            let ours = event.connection == self.link.connection();
            let refused = matches!(event.what, What::HttpResponse { status: 400 | 404 | 405, .. });
            ours && of_it && refused
        })
    }
}

/// Whether only a server of the stateless era knows the code.
fn is_modern(error: &RpcError) -> bool {
    [
        error_code::HEADER_MISMATCH,
        error_code::MISSING_REQUIRED_CLIENT_CAPABILITY,
        error_code::UNSUPPORTED_PROTOCOL_VERSION,
    ]
    .contains(&error.code)
}

/// The revisions that an unsupported one was refused with.
fn supported_in(error: &RpcError) -> Value {
    error.data.as_ref().and_then(|data| data.get("supported")).cloned().unwrap_or_default()
}

/// Those that are known here.
fn known_in(supported: &Value) -> Vec<Revision> {
    let names = supported.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
    names.filter_map(|name| name.parse().ok()).collect()
}
