//! The capabilities that the client has to declare for a case: those for the server's requests in it.

use mcp_test_core::client::Handlers;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::Capability;
use mcp_test_core::wire::Message;

use super::roles::CaseLine;

const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";
const ROOTS_CHANGED: &str = "notifications/roots/list_changed";

/// Handlers that leave the server's requests to the case, and declare the capabilities for them.
///
/// The server's requests are messages of their own or, from 2026-07-28 on, part of a result that asks for input.
pub(super) fn handlers(lines: &[CaseLine<'_>]) -> Handlers {
    let mut handlers = Handlers::new();
    for line in lines {
        match line.message.lenient() {
            Some(Message::Request(request)) if line.message.direction.is_out() => {
                handlers = with_request(handlers, &request.method, request.params.as_ref());
            }
            Some(Message::Notification(notification)) if notification.method == ROOTS_CHANGED => {
                handlers = handlers.declaring(Capability::RootsListChanged);
            }
            Some(Message::Response(response)) if line.message.direction.is_out() => {
                let requests = response.result.get("inputRequests").and_then(Value::as_object);
                for (_, request) in requests.into_iter().flat_map(Object::iter) {
                    if let Some(method) = request.get("method").and_then(Value::as_str) {
                        handlers = with_request(handlers, method, request.get("params"));
                    }
                }
            }
            _ => {}
        }
    }
    handlers
}

/// Adds the capabilities for a request of the server, which the case answers and not a handler.
fn with_request(handlers: Handlers, method: &str, params: Option<&Value>) -> Handlers {
    let mut handlers = handlers.leaving_unanswered(method);
    let param = |name: &str| params.and_then(|params| params.get(name));
    match method {
        ELICITATION => handlers.declaring(match param("mode").and_then(Value::as_str) {
            Some("url") => Capability::ElicitationUrl,
            // An elicitation without a `mode` is a form.
            _ => Capability::ElicitationForm,
        }),
        SAMPLING => {
            if param("tools").or_else(|| param("toolChoice")).is_some() {
                handlers = handlers.declaring(Capability::SamplingTools);
            }
            let context = param("includeContext").and_then(Value::as_str);
            // `includeContext` is `none` by default.
            if context.is_some_and(|context| context != "none") {
                handlers = handlers.declaring(Capability::SamplingContext);
            }
            handlers
        }
        _ => handlers,
    }
}
