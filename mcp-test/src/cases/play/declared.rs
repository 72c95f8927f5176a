//! What the client has to declare for a case: the capabilities for what the server asks it there.

use crate::client::Handlers;
use crate::json::{Object, Value};
use crate::spec::Capability;
use crate::wire::Message;

use super::roles::{Line, understood};

const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";
const ROOTS_CHANGED: &str = "notifications/roots/list_changed";

/// Handlers that answer nothing of what the case answers itself, and declare what goes with it.
///
/// What the server asks is either a request of its own, or, from 2026-07-28 on, part of a result that asks for input.
pub(super) fn handlers(lines: &[Line<'_>]) -> Handlers {
    let mut handlers = Handlers::new();
    for line in lines {
        match understood(&line.message.value) {
            Some(Message::Request(request)) if line.message.direction.is_out() => {
                handlers = asking(handlers, &request.method, request.params.as_ref());
            }
            Some(Message::Notification(told)) if told.method == ROOTS_CHANGED => {
                handlers = handlers.declaring(Capability::RootsListChanged);
            }
            Some(Message::Response(response)) if line.message.direction.is_out() => {
                let asked = response.result.get("inputRequests").and_then(Value::as_object);
                for (_, request) in asked.into_iter().flat_map(Object::iter) {
                    if let Some(method) = request.get("method").and_then(Value::as_str) {
                        handlers = asking(handlers, method, request.get("params"));
                    }
                }
            }
            _ => {}
        }
    }
    handlers
}

fn asking(handlers: Handlers, method: &str, params: Option<&Value>) -> Handlers {
    let handlers = handlers.leaving_unanswered(method);
    let param = |name: &str| params.and_then(|params| params.get(name));
    match method {
        ELICITATION => handlers.declaring(match param("mode").and_then(Value::as_str) {
            Some("url") => Capability::ElicitationUrl,
            _ => Capability::ElicitationForm,
        }),
        SAMPLING => {
            let with_tools = param("tools").or_else(|| param("toolChoice")).is_some();
            let context = param("includeContext").and_then(Value::as_str);
            let with_context = context.is_some_and(|context| context != "none");
            let handlers = match with_tools {
                true => handlers.declaring(Capability::SamplingTools),
                false => handlers,
            };
            match with_context {
                true => handlers.declaring(Capability::SamplingContext),
                false => handlers,
            }
        }
        _ => handlers,
    }
}
