//! The tools that send notifications, or close the connection, before they answer.

use serde_json::json;

use super::{Answer, Call};
use crate::server::reference::tool_result::text_result;

/// Logs what it does.
pub(super) async fn log(call: &Call) -> Answer {
    for data in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        // A client that has disconnected misses the log message and the answer alike.
        call.log("info", data).await.ok();
    }
    text_result("Tool with logging executed successfully")
}

/// Reports progress.
pub(super) async fn progress(call: &Call) -> Answer {
    for done in [0, 50, 100] {
        call.progress(done, 100).await.ok();
    }
    text_result("Tool with progress executed successfully")
}

/// Announces that a list has changed, although the lists of this server never do.
pub(super) fn change(call: &Call, list: &str) -> Answer {
    call.announce(&format!("notifications/{list}/list_changed"), json!({}));
    text_result(&format!("Told that the list of {list} has changed"))
}

/// Closes the stream before its answer where that is possible, so that the client has to reconnect for it.
pub(super) async fn hang_up(call: &Call) -> Answer {
    call.end_stream().await.ok();
    text_result("Reconnection test completed successfully")
}
