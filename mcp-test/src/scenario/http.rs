//! Bare HTTP in a scenario: requests exactly as they are written, beside the client and on a connection of their own.
//!
//! Everything is recorded and judged like the traffic of a client, in the revision of the cell. What the requests say is
//! up to the scenario; a malformed one is not held against the peer.

use std::time::Duration;

use futures_util::future::join_all;

use super::Ctx;
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::transport::{HttpAnswer, HttpExchange, HttpFailure, HttpRequest, Link};
use crate::wire::Id;

/// How long the connection may take to end.
const GRACE: Duration = Duration::from_secs(1);

impl Ctx {
    /// Makes exactly this HTTP request and reads the response.
    ///
    /// A stream that answers a JSON-RPC request is read up to the reply, since it need not end there.
    ///
    /// # Errors
    ///
    /// If no response comes in time, or there is no HTTP over the carrier of the cell.
    pub async fn http(&mut self, request: HttpRequest) -> Result<HttpAnswer, Finding> {
        let deadline = self.deadline();
        asked(self.bare().await?, request, deadline).await
    }

    /// As [`Ctx::http`], with several requests under way at once; the answers come in the order of the requests.
    ///
    /// # Errors
    ///
    /// If there is no HTTP over the carrier of the cell; what becomes of a request is in its place.
    pub async fn http_all(
        &mut self,
        requests: impl IntoIterator<Item = HttpRequest>,
    ) -> Result<Vec<Result<HttpAnswer, Finding>>, Finding> {
        let deadline = self.deadline();
        let link = self.bare().await?;
        Ok(join_all(requests.into_iter().map(|request| asked(link, request, deadline))).await)
    }

    /// As [`Ctx::http`], where a request that gets no response does not end the scenario: the inner error says why.
    ///
    /// # Errors
    ///
    /// As [`Ctx::http`], apart from that. What comes too late is an error, so that a server which is silent costs one
    /// wait and not one for each request.
    pub async fn attempt_http(
        &mut self,
        request: HttpRequest,
    ) -> Result<Result<HttpAnswer, Finding>, Finding> {
        let deadline = self.deadline();
        match ask(self.bare().await?, request, deadline).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(Unanswered::Broken(finding)) => Ok(Err(finding)),
            Err(Unanswered::Hopeless(finding)) => Err(finding),
        }
    }

    /// As [`Ctx::open_http`], where a request that gets no response does not end the scenario.
    ///
    /// # Errors
    ///
    /// As [`Ctx::attempt_http`].
    pub async fn attempt_open_http(
        &mut self,
        request: HttpRequest,
    ) -> Result<Result<HttpExchange, Finding>, Finding> {
        let deadline = self.deadline();
        match self.bare().await?.open_http(request, deadline).await {
            Ok(exchange) => Ok(Ok(exchange)),
            Err(failure @ HttpFailure::NoResponse { .. }) => Ok(Err(unanswered(failure))),
            Err(failure) => Err(unanswered(failure)),
        }
    }

    /// Makes exactly this HTTP request and leaves the response to be read event by event; dropping it hangs up.
    ///
    /// # Errors
    ///
    /// As [`Ctx::http`].
    pub async fn open_http(&mut self, request: HttpRequest) -> Result<HttpExchange, Finding> {
        let deadline = self.deadline();
        self.bare().await?.open_http(request, deadline).await.map_err(unanswered)
    }

    /// The host and port of the peer as a request names them; `None` over carriers without HTTP.
    #[must_use]
    pub fn authority(&self) -> Option<String> {
        let url = self.setup.target.http_url(self.setup.carrier)?;
        let (_, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        Some(authority.rsplit('@').next()?.to_owned())
    }

    /// The deadline of a request that is made now.
    fn deadline(&self) -> Deadline {
        let own = Deadline::after(self.setup.timeout);
        if self.setup.until.has_passed() { own } else { own.min(self.setup.until) }
    }

    async fn bare(&mut self) -> Result<&Link, Finding> {
        let link = match self.bare.take() {
            Some(link) => link,
            None => self.link(self.setup.revision).await?,
        };
        Ok(self.bare.insert(link))
    }

    pub(super) async fn end_bare(&mut self) {
        if let Some(link) = self.bare.take() {
            link.end(GRACE).await;
        }
    }
}

/// Why there is no answer.
enum Unanswered {
    /// This request got none, another one may.
    Broken(Finding),
    /// No other request is likely to get one.
    Hopeless(Finding),
}

async fn asked(
    link: &Link,
    request: HttpRequest,
    deadline: Deadline,
) -> Result<HttpAnswer, Finding> {
    ask(link, request, deadline).await.map_err(|why| match why {
        Unanswered::Broken(finding) | Unanswered::Hopeless(finding) => finding,
    })
}

async fn ask(
    link: &Link,
    request: HttpRequest,
    deadline: Deadline,
) -> Result<HttpAnswer, Unanswered> {
    let asked = Value::parse(&request.body).ok();
    let id = asked.and_then(|asked| asked.value.get("id").and_then(Id::read));
    let exchange = link.open_http(request, deadline).await.map_err(|failure| match failure {
        HttpFailure::NoResponse { .. } => Unanswered::Broken(unanswered(failure)),
        _ => Unanswered::Hopeless(unanswered(failure)),
    })?;
    let Some(id) = id else {
        return Ok(exchange.finish(deadline).await);
    };
    let answers = |data: &str| {
        Value::parse(data.as_bytes()).is_ok_and(|said| {
            said.value.get("method").is_none()
                && said.value.get("id").and_then(Id::read).is_some_and(|said| said == id)
        })
    };
    let mut is_answered = false;
    let answer = exchange
        .until(deadline, |event| {
            is_answered |= answers(&event.data);
            is_answered
        })
        .await;
    if deadline.has_passed() && !answer.complete && !is_answered {
        let within = deadline.allotted().map(clock::in_words).unwrap_or_default();
        return Err(Unanswered::Hopeless(
            Finding::peer("the response to a request does not come to its end")
                .expected(format!("the reply with id {id} within {within}"))
                .got(format!("HTTP {}, and a body that is {}", answer.status, answer.how))
                .requires("jsonrpc.request-answered")
                .evidence_all([answer.sent, answer.seq]),
        ));
    }
    Ok(answer)
}

fn unanswered(failure: HttpFailure) -> Finding {
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
    use crate::scenario::{Inventory, Profile, Setup};
    use crate::server::reference::everything;
    use crate::spec::Revision;
    use crate::transport::{CarrierKind, Fault, Limits};

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}"#;

    fn ctx(faults: &[&str], carrier: CarrierKind, timeout: Duration) -> Ctx {
        let faults = faults.iter().map(|words| words.parse::<Fault>().expect("a fault"));
        let setup = Setup {
            target: everything().faults(faults).target(),
            carrier,
            revision: Revision::V2025_11_25,
            profile: Profile::Adaptive,
            limits: Limits::default(),
            timeout,
            until: Deadline::never(),
            inventory: Inventory::default(),
            schemas: crate::spec::schema::Schemas::default(),
        };
        Ctx::new(setup, None)
    }

    fn initialize() -> HttpRequest {
        HttpRequest::post(INITIALIZE)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(future)
    }

    #[test]
    fn requests_are_made_as_they_are_written_and_judged_with_the_rest() {
        block_on(async {
            let mut ctx = ctx(&[], CarrierKind::Router, Duration::from_secs(10));
            assert_eq!(ctx.authority().as_deref(), Some("localhost"));
            let answer = ctx.http(initialize()).await.expect("an answer");
            assert_eq!(answer.status, 200);
            let session = answer.header("Mcp-Session-Id").expect("a session");
            let ended = ctx.http(HttpRequest::delete().header("Mcp-Session-Id", session)).await;
            assert_eq!(ended.expect("an answer").status, 204);
            let refused = ctx.http(HttpRequest::post("no JSON")).await.expect("an answer");
            assert_eq!(refused.status, 415);
            assert_eq!(ctx.end().await.judged, []);
        });
    }

    #[test]
    fn silence_ends_a_scenario_and_a_broken_response_does_not() {
        block_on(async {
            let mut silent =
                ctx(&["never:initialize"], CarrierKind::Router, Duration::from_millis(20));
            let finding = silent.attempt_http(initialize()).await.expect_err("it is silent");
            assert_eq!(finding.blame, Blame::Peer);
            assert!(silent.trace().deadline_fired());

            let patience = Duration::from_secs(10);
            let mut broken = ctx(&["close:initialize"], CarrierKind::Router, patience);
            let heard = broken.attempt_http(initialize()).await.expect("it is not silent");
            assert!(heard.is_err() || heard.is_ok_and(|answer| !answer.complete));
            assert!(!broken.trace().deadline_fired());
        });
    }

    #[test]
    fn lines_carry_no_http() {
        block_on(async {
            let mut ctx = ctx(&[], CarrierKind::Duplex, Duration::from_secs(10));
            assert_eq!(ctx.authority(), None);
            let finding = ctx.http(initialize()).await.expect_err("there is no HTTP");
            assert_eq!(finding.blame, Blame::Test);
        });
    }
}
