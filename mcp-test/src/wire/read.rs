//! Telling the four kinds of message apart, strictly by JSON-RPC 2.0.

use super::malformed::{A_KIND, NOT_BOTH};
use super::{ErrorReply, Id, Malformed, Message, Notification, Request, Response, RpcError};
use crate::json::{Object, Pointer, Value};

/// How much of a wrong value an error shows.
const SHOWN: usize = 60;

impl Message {
    /// Reads a value as one message.
    ///
    /// What has a `method` is a request or notification, what has a `result` or an `error` is a
    /// reply. Members that JSON-RPC does not name are left alone.
    ///
    /// # Errors
    ///
    /// When the value is no JSON-RPC message; says where, and what could be read anyway.
    pub fn read(value: &Value) -> Result<Self, Malformed> {
        let reader = Reader { value };
        let Value::Object(object) = value else {
            return Err(reader.malformed(Pointer::root(), "a JSON-RPC message"));
        };
        if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(reader.at("jsonrpc", "\"2.0\""));
        }
        if object.contains("method") { reader.call(object) } else { reader.reply(object) }
    }
}

struct Reader<'a> {
    value: &'a Value,
}

impl Reader<'_> {
    fn call(&self, object: &Object) -> Result<Message, Malformed> {
        let Some(Value::String(method)) = object.get("method") else {
            return Err(self.at("method", "a string"));
        };
        if let Some(name) = ["result", "error"].into_iter().find(|name| object.contains(name)) {
            return Err(self.at(name, "absent beside a method"));
        }
        let params = object.get("params");
        if params.is_some_and(|params| !params.is_object() && !params.is_array()) {
            return Err(self.at("params", "an object or an array"));
        }
        let (method, params) = (method.clone(), params.cloned());
        Ok(match self.id(object)? {
            Some(id) => Request { id, method, params }.into(),
            None => Notification { method, params }.into(),
        })
    }

    fn reply(&self, object: &Object) -> Result<Message, Malformed> {
        let id = self.id(object)?;
        match (object.get("result"), object.get("error")) {
            (Some(_), Some(_)) => Err(self.at("error", NOT_BOTH)),
            (Some(result), None) => {
                let id = id.ok_or_else(|| self.at("id", "the id of a request"))?;
                Ok(Response { id, result: result.clone() }.into())
            }
            (None, Some(error)) => Ok(ErrorReply { id, error: self.error(error)? }.into()),
            (None, None) => Err(self.malformed(Pointer::root(), A_KIND)),
        }
    }

    fn error(&self, error: &Value) -> Result<RpcError, Malformed> {
        let Value::Object(members) = error else {
            return Err(self.at("error", "an object"));
        };
        let here = Pointer::root().member("error");
        let Some(code) = members.get("code").and_then(Value::as_i64) else {
            return Err(self.malformed(here.member("code"), "an integer"));
        };
        let Some(Value::String(message)) = members.get("message") else {
            return Err(self.malformed(here.member("message"), "a string"));
        };
        Ok(RpcError { code, message: message.clone(), data: members.get("data").cloned() })
    }

    fn id(&self, object: &Object) -> Result<Option<Id>, Malformed> {
        object
            .get("id")
            .map(|id| Id::read(id).ok_or_else(|| self.at("id", "a string or a number")))
            .transpose()
    }

    fn at(&self, member: &str, expected: &str) -> Malformed {
        self.malformed(Pointer::root().member(member), expected)
    }

    fn malformed(&self, pointer: Pointer, expected: &str) -> Malformed {
        let got = self.value.at(pointer.as_str());
        Malformed {
            got: got.map_or_else(|| "nothing".to_owned(), |got| got.short(SHOWN)),
            pointer,
            expected: expected.to_owned(),
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
    fn tells_the_four_kinds_apart() {
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
    fn says_what_breaks_a_message() {
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
    fn keeps_what_could_be_read() {
        let garbled = read(json!({"id": 7, "method": "tools/call", "params": {}})).unwrap_err();
        assert_eq!(garbled.id, Some(Id::from(7)));
        assert_eq!(garbled.method.as_deref(), Some("tools/call"));
        let garbled = read(json!({"jsonrpc": "2.0", "id": {}, "method": 1})).unwrap_err();
        assert_eq!((garbled.id, garbled.method), (None, None));
    }

    #[test]
    fn shows_the_start_of_a_long_value_only() {
        let garbled = read(json!({"jsonrpc": "2.0", "id": 1, "error": "x".repeat(1000)}));
        assert_eq!(garbled.unwrap_err().got.chars().count(), SHOWN);
    }

    proptest! {
        #[test]
        fn what_was_read_writes_back(
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
                Err(garbled) => prop_assert_eq!(
                    garbled.got == "nothing",
                    value.at(garbled.pointer.as_str()).is_none()
                ),
            }
        }
    }
}
