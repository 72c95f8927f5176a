//! Which messages can be sent again when it is not known whether the server received them.

use super::network::ConnectionChoice;
use crate::spec::LISTEN;
use crate::transport::Outgoing;
use crate::wire::Message;

/// Messages that change nothing, or leave the same state whether they are received once or twice.
///
/// `tools/call` is not among them, nor is a method that mcp-test does not know: what they do is unknown.
const REPEATABLE: [&str; 20] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "notifications/roots/list_changed",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "server/discover",
    LISTEN,
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tools/list",
];

/// On which connection a message is sent.
pub(super) fn connection_for(outgoing: &Outgoing) -> ConnectionChoice {
    // What is in a batch or in raw bytes is not looked at: they are rare.
    if outgoing.message.as_ref().is_some_and(is_repeatable) {
        ConnectionChoice::Any
    } else {
        ConnectionChoice::Proven
    }
}

fn is_repeatable(message: &Message) -> bool {
    // A server may accept the state of a multi round-trip request only once.
    let continues = message.params().is_some_and(|params| {
        params.get("inputResponses").is_some() || params.get("requestState").is_some()
    });
    // A reply is none of these: the server would not expect it a second time.
    !continues && message.method().is_some_and(|method| REPEATABLE.contains(&method))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;
    use crate::spec;

    #[test]
    fn known_messages_are_repeatable_and_calls_and_continuations_are_not() {
        for name in REPEATABLE {
            assert!(spec::method(name).is_some(), "{name} is not a method");
        }
        let repeatable = |text: &str| {
            let value = Value::parse(text.as_bytes()).expect("JSON");
            is_repeatable(&Message::read(&value.value).expect("a message"))
        };
        assert!(repeatable(
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}"#
        ));
        assert!(repeatable(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#));
        for not in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","requestState":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such/method"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(!repeatable(not), "{not}");
        }
        assert_eq!(connection_for(&Outgoing::raw("{}")), ConnectionChoice::Proven);
    }
}
