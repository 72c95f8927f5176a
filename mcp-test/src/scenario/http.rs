//! Bare HTTP in a scenario: requests exactly as they are written, beside the client and on a connection of their own.
//!
//! Everything is recorded and judged like the traffic of a client, in the revision of the cell. What the requests say is
//! up to the scenario; a malformed one is not held against the peer.

use std::time::Duration;

use futures_util::future::join_all;

use super::Ctx;
use crate::check::Finding;
use crate::clock::Deadline;
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

async fn asked(
    link: &Link,
    request: HttpRequest,
    deadline: Deadline,
) -> Result<HttpAnswer, Finding> {
    let asked = Value::parse(&request.body).ok();
    let id = asked.and_then(|asked| asked.value.get("id").and_then(Id::read));
    let exchange = link.open_http(request, deadline).await.map_err(unanswered)?;
    let Some(id) = id else {
        return Ok(exchange.finish(deadline).await);
    };
    let answers = |data: &str| {
        Value::parse(data.as_bytes()).is_ok_and(|said| {
            said.value.get("method").is_none()
                && said.value.get("id").and_then(Id::read).is_some_and(|said| said == id)
        })
    };
    Ok(exchange.until(deadline, |event| answers(&event.data)).await)
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
