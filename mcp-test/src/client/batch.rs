//! Several requests in one JSON-RPC batch.
//!
//! <https://modelcontextprotocol.io/specification/2025-03-26/basic#batching>

use super::{Client, Pending, RequestOptions};
use crate::json::Value;
use crate::transport::Outgoing;
use crate::wire::{Message, Request};

impl Client {
    /// Sends requests as one batch, without waiting; hand each result to [`Client::wait`].
    ///
    /// Only 2025-03-26 has batches; elsewhere it is the server that has to say what it makes of one.
    ///
    /// ```
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
        let mut asked = Vec::new();
        let mut messages = Vec::new();
        for (method, params) in requests {
            let (id, params) = (self.next_id(), params.into());
            let options = RequestOptions::new().once();
            let said = self.with_meta(params.clone(), &options.meta);
            let method = method.to_owned();
            let request = Request { id: id.clone(), method: method.clone(), params: said };
            messages.push(Message::Request(request));
            asked.push((id, method, params, options));
        }
        let timeout = self.options.timeout;
        let deadline = self.options.deadline();
        let volunteered = self.state.said().count();
        let sent = self.link.send(Outgoing::batch(messages), deadline).await;
        let pending = asked.into_iter().map(|(id, method, params, options)| {
            self.state.begin(id.clone(), &method, sent);
            Pending { id, method, params, options, sent, deadline, timeout, volunteered }
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
    use crate::transport::{CarrierKind, Limits, Target};

    #[tokio::test]
    async fn the_end_of_the_exchange_ends_the_wait_for_each_of_them() {
        let refusing = || axum::Router::new().fallback(|| async { http::StatusCode::IM_A_TEAPOT });
        let target = Target::router(refusing);
        let recorder = Recorder::new();
        let link = target.open(CarrierKind::Router, &recorder, Limits::default()).await.unwrap();
        let options = Options::speaking(Revision::V2025_03_26).timeout(Duration::from_secs(20));
        let mut client = Client::silent(link, options);
        let pending = client.batch([("ping", json!({})), ("tools/list", json!({}))]).await;
        let mut told = Vec::new();
        for one in pending {
            told.push(client.wait(one).await.map(drop).unwrap_err().to_string());
        }
        assert!(told[0].starts_with("`ping` was refused with HTTP 418"), "{told:?}");
        assert!(told[1].starts_with("`tools/list` was refused with HTTP 418"), "{told:?}");
        assert!(!recorder.trace().deadline_fired());
    }
}
