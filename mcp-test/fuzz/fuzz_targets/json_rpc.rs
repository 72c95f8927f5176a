//! JSON-RPC: a message that was read writes back, and what is no message is pointed at.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::json::Value;
use mcp_test::wire::{Frame, Message};

fuzz_target!(|text: &[u8]| {
    let Ok(document) = Value::parse(text) else { return };
    match Frame::read(&document.value) {
        Ok(frame) => {
            for message in frame.messages() {
                let again = Message::read(&message.to_value());
                assert_eq!(again.as_ref(), Ok(message), "it does not read back");
            }
            let Frame::Batch(items) = frame else { return };
            for malformed in items.iter().filter_map(|item| item.as_ref().err()) {
                assert!(malformed.pointer.as_str().starts_with('/'), "an item has an index");
            }
        }
        Err(malformed) => {
            let there = document.value.at(malformed.pointer.as_str()).is_some();
            assert_eq!(there, malformed.got != "nothing", "{malformed}");
        }
    }
});
