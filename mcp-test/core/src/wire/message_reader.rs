//! Reads the four kinds of message, strictly by JSON-RPC 2.0.

use super::{
    ErrorReply, Expected, Id, Malformed, Message, Notification, Request, Response, RpcError,
};
use crate::json::{Object, Pointer, Value};

/// How many characters of a wrong value an error shows.
const SHOWN: usize = 60;

impl Message {
    /// Reads a value as one message.
    ///
    /// A value with a `method` is a request or notification, one with a `result` or an `error` a reply. Members that
    /// JSON-RPC does not define are ignored.
    ///
    /// # Errors
    ///
    /// [`Malformed`], with the location of what is wrong, and what could be read anyway.
    pub fn read(value: &Value) -> Result<Self, Malformed> {
        let reader = Reader { value };
        let Value::Object(object) = value else {
            return Err(reader.malformed(Pointer::root(), Expected::Message));
        };
        if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(reader.at("jsonrpc", Expected::Version));
        }
        // The method decides, since a reply has none: a request that also holds a result is a malformed request.
        if object.contains("method") { reader.call(object) } else { reader.reply(object) }
    }
}

struct Reader<'a> {
    value: &'a Value,
}

impl Reader<'_> {
    fn call(&self, object: &Object) -> Result<Message, Malformed> {
        let Some(Value::String(method)) = object.get("method") else {
            return Err(self.at("method", Expected::String));
        };
        if let Some(name) = ["result", "error"].into_iter().find(|name| object.contains(name)) {
            return Err(self.at(name, Expected::AbsentBesideMethod));
        }
        // JSON-RPC 2.0, section 4.2: parameters are structured values. MCP allows objects only, which `check` judges.
        let params = object.get("params");
        if params.is_some_and(|params| !params.is_object() && !params.is_array()) {
            return Err(self.at("params", Expected::Params));
        }
        let (method, params) = (method.clone(), params.cloned());
        // The id alone tells the two apart (JSON-RPC 2.0, section 4.1); an id that is null still makes it a request.
        Ok(match self.id(object)? {
            Some(id) => Request { id, method, params }.into(),
            None => Notification { method, params }.into(),
        })
    }

    fn reply(&self, object: &Object) -> Result<Message, Malformed> {
        let id = self.id(object)?;
        match (object.get("result"), object.get("error")) {
            (Some(_), Some(_)) => Err(self.at("error", Expected::AbsentBesideResult)),
            (Some(result), None) => {
                // Only an error may lack the id, namely when the id of the request could not be read.
                let id = id.ok_or_else(|| self.at("id", Expected::RequestId))?;
                Ok(Response { id, result: result.clone() }.into())
            }
            (None, Some(error)) => Ok(ErrorReply { id, error: self.error(error)? }.into()),
            (None, None) => Err(self.malformed(Pointer::root(), Expected::Kind)),
        }
    }

    fn error(&self, error: &Value) -> Result<RpcError, Malformed> {
        let Value::Object(members) = error else {
            return Err(self.at("error", Expected::Object));
        };
        let here = Pointer::root().member("error");
        // MCP requires integers as codes, in any notation.
        let Some(code) = members.get("code").and_then(Value::as_i64) else {
            return Err(self.malformed(here.member("code"), Expected::Integer));
        };
        let Some(Value::String(message)) = members.get("message") else {
            return Err(self.malformed(here.member("message"), Expected::String));
        };
        Ok(RpcError { code, message: message.clone(), data: members.get("data").cloned() })
    }

    fn id(&self, object: &Object) -> Result<Option<Id>, Malformed> {
        object
            .get("id")
            .map(|id| Id::read(id).ok_or_else(|| self.at("id", Expected::Id)))
            .transpose()
    }

    fn at(&self, member: &str, expected: Expected) -> Malformed {
        self.malformed(Pointer::root().member(member), expected)
    }

    fn malformed(&self, pointer: Pointer, expected: Expected) -> Malformed {
        let found = self.value.at(pointer.as_str()).map(|found| found.short(SHOWN));
        Malformed {
            pointer,
            expected,
            found,
            // Kept so that the text can still be matched to the request that it answers.
            id: self.value.get("id").and_then(Id::read),
            method: self.value.get("method").and_then(Value::as_str).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::json::arbitrary;

    fn read(value: serde_json::Value) -> Result<Message, Malformed> {
        Message::read(&value.into())
    }

    #[test]
    fn reads_the_four_kinds() {
        let messages = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": null, "method": "ping", "params": []}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}),
            json!({"jsonrpc": "2.0", "id": "a", "result": null}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "No", "data": 1}}),
            json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": ""}}),
        ];
        let kinds: Vec<_> = messages
            .into_iter()
            .map(|written| {
                let message = read(written.clone()).unwrap();
                assert_eq!(message.to_value(), written);
                message.kind()
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "a request",
                "a request",
                "a notification",
                "a response",
                "an error reply",
                "an error reply"
            ]
        );
    }

    #[test]
    fn malformed_says_what_is_wrong() {
        let values = [
            json!("ping"),
            json!({}),
            json!({"jsonrpc": 2.0, "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 5}),
            json!({"jsonrpc": "2.0", "id": [1], "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": null}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}),
            json!({"jsonrpc": "2.0", "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "error": "boom"}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "E1", "message": "boom"}}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}),
        ];
        let words: Vec<_> =
            values.into_iter().map(|value| read(value).unwrap_err().to_string()).collect();
        insta::assert_snapshot!(words.join("\n"), @r#"
        expected a JSON-RPC message, got "ping"
        expected /jsonrpc is "2.0", got nothing
        expected /jsonrpc is "2.0", got 2.0
        expected a message with a method, a result or an error, got {"jsonrpc":"2.0"}
        expected /method is a string, got 5
        expected /id is a string or a number, got [1]
        expected /params is an object or an array, got null
        expected /result is absent beside a method, got {}
        expected /error is absent beside a result, got null
        expected /id is the id of a request, got nothing
        expected /error is an object, got "boom"
        expected /error/code is an integer, got "E1"
        expected /error/message is a string, got nothing
        "#);
    }

    #[test]
    fn malformed_keeps_id_and_method() {
        let malformed = read(json!({"id": 7, "method": "tools/call", "params": {}})).unwrap_err();
        assert_eq!(malformed.id, Some(Id::from(7)));
        assert_eq!(malformed.method.as_deref(), Some("tools/call"));
        let malformed = read(json!({"jsonrpc": "2.0", "id": {}, "method": 1})).unwrap_err();
        assert_eq!((malformed.id, malformed.method), (None, None));
    }

    #[test]
    fn long_values_are_shortened() {
        let malformed = read(json!({"jsonrpc": "2.0", "id": 1, "error": "x".repeat(1000)}));
        assert_eq!(malformed.unwrap_err().got().chars().count(), SHOWN);
    }

    proptest! {
        #[test]
        fn written_messages_equal_what_was_read(
            id in prop::option::of(arbitrary::value()),
            method in prop::option::of("[a-z/]{0,8}"),
            params in prop::option::of(arbitrary::value()),
            result in prop::option::of(arbitrary::value()),
        ) {
            let mut object = Object::from_iter([("jsonrpc", "2.0")]);
            let members = [
                ("id", id),
                ("method", method.map(Value::from)),
                ("params", params),
                ("result", result),
            ];
            let given = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
            given.for_each(|(name, value)| object.push(name, value));
            let value = Value::from(object);
            match Message::read(&value) {
                Ok(Message::Response(response)) => {
                    prop_assert_eq!(Some(&response.result), value.get("result"));
                }
                Ok(message) => prop_assert_eq!(message.to_value(), value),
                Err(malformed) => prop_assert_eq!(
                    malformed.found.is_none(),
                    value.at(malformed.pointer.as_str()).is_none()
                ),
            }
        }
    }
}
