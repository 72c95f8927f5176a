//! JSON-RPC: messages round-trip, and the error about a malformed message points at the defect.

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
                assert_eq!(again.as_ref(), Ok(message), "the message does not round-trip");
            }
            let Frame::Batch(items) = frame else { return };
            for malformed in items.iter().filter_map(|item| item.as_ref().err()) {
                assert!(
                    malformed.pointer.as_str().starts_with('/'),
                    "the pointer has the index of the item"
                );
            }
        }
        Err(malformed) => {
            let found = document.value.at(malformed.pointer.as_str()).is_some();
            assert_eq!(found, malformed.found.is_some(), "{malformed}");
        }
    }
});
