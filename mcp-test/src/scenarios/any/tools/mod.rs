//! Tools.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>

scenarios![tools_call_unknown, tools_call_malformed, tools_call_arguments, tools_call_results];

use std::time::Duration;

use crate::check::Finding;
use crate::client::Reply;
use crate::json::{Object, Value};
use crate::scenario::Ctx;

/// After this time in calls a scenario calls no further tool: some wait for minutes.
const LONGEST: Duration = Duration::from_secs(3);

/// Calls tools, as long as there is time for it.
#[derive(Default)]
struct Calls {
    spent: Duration,
}

impl Calls {
    /// Sends a call; `None` if there is no time left.
    async fn call(&mut self, ctx: &mut Ctx, params: Value) -> Result<Option<Reply>, Finding> {
        if self.spent > LONGEST {
            return Ok(None);
        }
        let reply = ctx.request("tools/call", params).await?;
        self.spent += reply.latency().unwrap_or_default();
        Ok(Some(reply))
    }
}

/// The params of a call.
pub(super) fn call_params(name: &str, arguments: &Value) -> Value {
    let members = [("name", Value::from(name)), ("arguments", arguments.clone())];
    Value::Object(Object::from_iter(members))
}
