//! Several requests in one JSON-RPC batch.
//!
//! <https://modelcontextprotocol.io/specification/2025-03-26/basic#batching>

use super::{Client, Pending, RequestOptions, server_panics};
use crate::json::Value;
use crate::transport::Outgoing;
use crate::wire::{Message, Request};

impl Client {
    /// Sends requests as one batch without waiting; pass each returned value to [`Client::wait`].
    ///
    /// Only 2025-03-26 has batches; at other revisions the server decides how to respond.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::client::Client;
    /// # async fn example(client: &mut Client) -> mcp_test::Result {
    /// let none = serde_json::json!({});
    /// let pending = client.batch([("ping", none.clone()), ("tools/list", none)]).await;
    /// for one in pending {
    ///     client.wait(one).await?.result()?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn batch<P: Into<Value>>(
        &mut self,
        requests: impl IntoIterator<Item = (&str, P)>,
    ) -> Vec<Pending> {
        let mut requested = Vec::new();
        let mut messages = Vec::new();
        for (method, params) in requests {
            let params = self.options.fixtures.apply(method, params.into());
            let id = self.next_id();
            // A request that is sent again with input would not be part of the batch.
            let options = RequestOptions::new().once();
            let sent = self.with_meta(params.clone(), &options);
            let method = method.to_owned();
            let request = Request { id: id.clone(), method: method.clone(), params: sent };
            messages.push(Message::Request(request));
            requested.push((id, method, params, options));
        }
        let timeout = self.options.timeout;
        let deadline = self.options.deadline();
        // Counted before sending, since the peer may send while the batch is written.
        let received_before = self.state.received().count();
        let panics_before = server_panics::count();
        let sent = self.connection.send(Outgoing::batch(messages), deadline).await;
        let pending = requested.into_iter().map(|(id, method, params, options)| {
            // All share the event and the exchange of the batch, whose end settles each of them.
            self.state.begin(id.clone(), &method, sent);
            Pending {
                id,
                method,
                params,
                options,
                sent,
                deadline,
                timeout,
                received_before,
                panics_before,
                panic: None,
                is_doubtful: false,
                is_shortened: false,
                overtaken: None,
            }
        });
        pending.collect()
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::client::Options;
    use crate::spec::Revision;
    use crate::trace::Recorder;
    use crate::transport::{Limits, Target, TransportKind};

    #[tokio::test]
    async fn the_end_of_the_exchange_ends_the_wait_for_each_request() {
        let refusing = || axum::Router::new().fallback(|| async { http::StatusCode::IM_A_TEAPOT });
        let target = Target::router(refusing);
        let recorder = Recorder::new();
        let connection =
            target.open(TransportKind::Router, &recorder, Limits::default()).await.unwrap();
        let options = Options::speaking(Revision::V2025_03_26).timeout(Duration::from_secs(20));
        let mut client = Client::uninitialized(connection, options);
        let pending = client.batch([("ping", json!({})), ("tools/list", json!({}))]).await;
        let mut findings = Vec::new();
        for one in pending {
            findings.push(client.wait(one).await.map(drop).unwrap_err().to_string());
        }
        assert!(
            findings[0].starts_with("`ping` in a batch was refused with HTTP 418"),
            "{findings:?}"
        );
        assert!(
            findings[1].starts_with("`tools/list` in a batch was refused with HTTP 418"),
            "{findings:?}"
        );
        assert!(!recorder.trace().deadline_fired());
    }
}
