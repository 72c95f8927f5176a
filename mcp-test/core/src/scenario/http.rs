//! Raw HTTP in a scenario: requests exactly as written, on a connection of their own beside the client's.
//!
//! Everything is recorded and judged like the traffic of a client, at the revision of the run. A malformed request does not
//! count against the peer.

#[cfg(feature = "auth")]
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::Ctx;
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::spec::Requirement;
#[cfg(feature = "auth")]
use crate::transport::test_tokens::TestTokens;
use crate::transport::{Connection, HttpExchange, HttpFailure, HttpRequest, HttpResponse};
use crate::wire::Id;

/// How long the connection may take to close.
const GRACE: Duration = Duration::from_secs(1);

impl Ctx {
    /// Sends exactly this HTTP request and reads the response.
    ///
    /// A stream that answers a JSON-RPC request is read up to the reply, since the stream need not end there.
    ///
    /// # Errors
    ///
    /// If no response arrives in time, or the transport of the run is not HTTP.
    pub async fn http(&mut self, request: HttpRequest) -> Result<HttpResponse, Finding> {
        self.attempt_http(request).await?
    }

    /// As [`Ctx::http`], with several requests at the same time; the responses have the order of the requests.
    ///
    /// # Errors
    ///
    /// If the transport of the run is not HTTP. The errors of single requests are in their places.
    pub async fn http_all(
        &mut self,
        requests: impl IntoIterator<Item = HttpRequest>,
    ) -> Result<Vec<Result<HttpResponse, Finding>>, Finding> {
        let wait = self.http_wait();
        let connection = self.raw().await?;
        let sent =
            requests.into_iter().map(async |request| send(connection, request, wait).await?);
        Ok(join_all(sent).await)
    }

    /// As [`Ctx::http`], but a request without a response does not end the scenario: the inner error says why.
    ///
    /// # Errors
    ///
    /// As [`Ctx::http`] otherwise. A late response is an outer error, so that a silent server costs one wait instead of one per
    /// request.
    pub async fn attempt_http(
        &mut self,
        request: HttpRequest,
    ) -> Result<Result<HttpResponse, Finding>, Finding> {
        let wait = self.http_wait();
        send(self.raw().await?, request, wait).await
    }

    /// As [`Ctx::open_http`], but a request without a response does not end the scenario.
    ///
    /// # Errors
    ///
    /// As [`Ctx::attempt_http`].
    pub async fn attempt_open_http(
        &mut self,
        request: HttpRequest,
    ) -> Result<Result<HttpExchange, Finding>, Finding> {
        let wait = self.http_wait();
        open(self.raw().await?, request, wait).await
    }

    /// Sends exactly this HTTP request, and returns the response to be read event by event; dropping it closes the stream.
    ///
    /// # Errors
    ///
    /// As [`Ctx::http`].
    pub async fn open_http(&mut self, request: HttpRequest) -> Result<HttpExchange, Finding> {
        self.attempt_open_http(request).await?
    }

    /// The host and port of the peer, as in the URL; `None` over transports without HTTP.
    #[must_use]
    pub fn authority(&self) -> Option<String> {
        self.setup.target.authority(self.setup.transport)
    }

    /// The URL of the peer; `None` over transports without HTTP.
    #[must_use]
    #[cfg(feature = "auth")]
    #[doc(hidden)]
    pub fn url(&self) -> Option<String> {
        self.setup.target.http_url(self.setup.transport)
    }

    /// The tokens for a test of the peer as a protected server.
    #[must_use]
    #[cfg(feature = "auth")]
    #[doc(hidden)]
    pub fn test_tokens(&self) -> Option<Arc<dyn TestTokens>> {
        self.setup.target.test_tokens().cloned()
    }

    /// The wait for the response to a request that is made now.
    fn http_wait(&self) -> Wait {
        let (own, until) = (Deadline::after(self.setup.timeout), self.setup.until);
        // Past `until`, a scenario that still sends requests keeps its own deadline, and the time-out of the run ends it.
        let deadline = if until.has_passed() { own } else { own.min(until) };
        Wait { deadline, is_cut: deadline == until }
    }

    async fn raw(&mut self) -> Result<&Connection, Finding> {
        // Moved out and in again, as in `Ctx::connected`.
        let connection = match self.raw.take() {
            Some(connection) => connection,
            None => self.open_connection(self.setup.revision).await?,
        };
        Ok(self.raw.insert(connection))
    }

    pub(super) async fn end_raw(&mut self) {
        if let Some(connection) = self.raw.take() {
            connection.end(GRACE).await;
        }
    }
}

/// The inner error says why this request has no answer, although others may get one; the outer one, why none is likely to.
type Attempt<T> = Result<Result<T, Finding>, Finding>;

/// How long a response is awaited.
#[derive(Clone, Copy)]
struct Wait {
    deadline: Deadline,
    /// Whether that is the end of the scenario, which leaves less time than a request has.
    is_cut: bool,
}

async fn open(connection: &Connection, request: HttpRequest, wait: Wait) -> Attempt<HttpExchange> {
    match connection.open_http(request, wait.deadline).await {
        Ok(exchange) => Ok(Ok(exchange)),
        // The peer has closed the connection of this request, and accepts another one.
        Err(failure @ HttpFailure::NoResponse { .. }) => Ok(Err(finding_of(failure))),
        Err(failure) => Err(Finding { in_cut_time: wait.is_cut, ..finding_of(failure) }),
    }
}

async fn send(connection: &Connection, request: HttpRequest, wait: Wait) -> Attempt<HttpResponse> {
    let Wait { deadline, is_cut } = wait;
    let sent = Value::parse(&request.body).ok();
    let id = sent.and_then(|sent| sent.value.get("id").and_then(Id::read));
    let exchange = match open(connection, request, wait).await? {
        Ok(exchange) => exchange,
        Err(finding) => return Ok(Err(finding)),
    };
    // Without an id no reply can be recognized, so the whole body is read.
    let Some(id) = id else {
        return Ok(Ok(exchange.finish(deadline).await));
    };
    let answers = |data: &str| {
        Value::parse(data.as_bytes()).is_ok_and(|received| {
            // A request of the server may have the same id, since each side chooses its own.
            received.value.get("method").is_none()
                && received.value.get("id").and_then(Id::read).is_some_and(|it| it == id)
        })
    };
    let mut is_answered = false;
    let response = exchange
        .until(deadline, |event| {
            is_answered |= answers(&event.data);
            is_answered
        })
        .await;
    if deadline.has_passed() && !response.complete && !is_answered {
        let within = deadline.allotted().map(clock::format_duration).unwrap_or_default();
        let finding = Finding::peer("the response to a request does not end")
            .expected(format!("the reply with id {id} within {within}"))
            .got(format!("HTTP {}, and a body that is {}", response.status, response.how))
            .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
            .evidence_all([response.sent, response.seq]);
        return Err(Finding { in_cut_time: is_cut, ..finding });
    }
    Ok(Ok(response))
}

fn finding_of(failure: HttpFailure) -> Finding {
    let evidence = failure.evidence();
    let finding = match failure {
        HttpFailure::NoHttp { .. } => Finding::test(failure.to_string())
            .expected("a scenario over Streamable HTTP, or one that makes no HTTP requests"),
        HttpFailure::NoResponse { method, why, .. } => {
            Finding::peer(format!("{method} got no HTTP response"))
                .expected("an HTTP response")
                .got(why)
        }
        HttpFailure::Late { method, within, .. } => {
            Finding::peer(format!("{method} got no HTTP response"))
                .expected(format!("an HTTP response within {within}"))
                .got("nothing at all in that time")
        }
    };
    finding.evidence_all(evidence)
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::check::Blame;
    use crate::scenario::{Profile, Setup};
    use crate::server::reference::everything;
    use crate::spec::Revision;
    use crate::transport::{Fault, TransportKind};

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}"#;

    fn ctx(faults: &[&str], transport: TransportKind, timeout: Duration) -> Ctx {
        let faults = faults.iter().map(|words| words.parse::<Fault>().expect("a fault"));
        let target = everything().faults(faults).target();
        let revision = Revision::V2025_11_25;
        Ctx::new(Setup::new(target, transport, revision, Profile::Adaptive, timeout), None)
    }

    fn initialize() -> HttpRequest {
        HttpRequest::post(INITIALIZE)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    #[tokio::test]
    async fn requests_are_sent_as_written_and_judged_with_the_rest() {
        let mut ctx = ctx(&[], TransportKind::Router, Duration::from_secs(10));
        assert_eq!(ctx.authority().as_deref(), Some("localhost"));
        let answer = ctx.http(initialize()).await.expect("an answer");
        assert_eq!(answer.status, 200);
        let session = answer.header("Mcp-Session-Id").expect("a session");
        let ended = ctx.http(HttpRequest::delete().header("Mcp-Session-Id", session)).await;
        assert_eq!(ended.expect("an answer").status, 204);
        let refused = ctx.http(HttpRequest::post("no JSON")).await.expect("an answer");
        assert_eq!(refused.status, 415);
        assert_eq!(ctx.end().await.judgement.envelopes, []);
    }

    #[tokio::test]
    async fn silence_ends_a_scenario_but_a_broken_response_does_not() {
        let mut silent =
            ctx(&["never:initialize"], TransportKind::Router, Duration::from_millis(20));
        let finding = silent.attempt_http(initialize()).await.expect_err("it is silent");
        assert_eq!(finding.blame, Blame::Peer);
        assert!(silent.trace().deadline_fired());

        let timeout = Duration::from_secs(10);
        let mut broken = ctx(&["close:initialize"], TransportKind::Router, timeout);
        let attempt = broken.attempt_http(initialize()).await.expect("it is not silent");
        assert!(attempt.is_err() || attempt.is_ok_and(|answer| !answer.complete));
        assert!(!broken.trace().deadline_fired());
    }

    #[tokio::test]
    async fn a_transport_without_http_is_a_finding() {
        let mut ctx = ctx(&[], TransportKind::Duplex, Duration::from_secs(10));
        assert_eq!(ctx.authority(), None);
        let finding = ctx.http(initialize()).await.expect_err("no HTTP");
        assert_eq!(finding.blame, Blame::Test);
    }
}
