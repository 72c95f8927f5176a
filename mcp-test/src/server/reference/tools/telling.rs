//! The tools that tell the client something before they answer, or hang up on it.

use serde_json::json;

use super::{Answer, Call, said};

/// Logs what it does.
pub(super) async fn log(call: &Call) -> Answer {
    for data in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        // A client that is gone is told nothing, and gets no answer either.
        call.log("info", data).await.ok();
    }
    said("Tool with logging executed successfully")
}

/// Tells how far it is.
pub(super) async fn progress(call: &Call) -> Answer {
    for done in [0, 50, 100] {
        call.progress(done, 100).await.ok();
    }
    said("Tool with progress executed successfully")
}

/// Announces that a list has changed, although this server's never do.
pub(super) fn change(call: &Call, list: &str) -> Answer {
    call.announce(&format!("notifications/{list}/list_changed"), json!({}));
    said(&format!("Told that the list of {list} has changed"))
}

/// Ends the stream of its answer, where that can be: the client has to come back for it.
pub(super) async fn hang_up(call: &Call) -> Answer {
    call.end_stream().await.ok();
    said("Reconnection test completed successfully")
}
