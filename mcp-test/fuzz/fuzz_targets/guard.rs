//! The guard: what reaches the handler is JSON-RPC, each answer to the rest is an error reply, and neither depends on how the
//! bytes are cut.
//!
//! The first two bytes select the guard and the length of the chunks; the rest is what the client sends.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::guard::Guard;
use mcp_test::json::Value;
use mcp_test::spec::Revision;
use mcp_test::wire::{Frame, Message};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

fuzz_target!(|input: &[u8]| {
    let [which, chunk, sent @ ..] = input else { return };
    let guarded = |chunk: usize| {
        let guard = match usize::from(*which) % (Revision::ALL.len() + 1) {
            0 => Guard::negotiated(),
            revision => Guard::new(Revision::ALL[revision - 1]),
        };
        let guard = if which & 0x80 == 0 { guard } else { guard.reject_unknown_methods() };
        RUNTIME.with(|runtime| runtime.block_on(exchange(&guard, sent, chunk)))
    };
    let (passed, answers) = guarded(sent.len().max(1));
    assert_eq!(guarded(usize::from(*chunk).max(1)), (passed.clone(), answers.clone()));
    for line in lines(&passed) {
        let document = Value::parse(line).expect("the handler reads JSON");
        Frame::read(&document.value).expect("the handler reads messages");
    }
    for line in lines(&answers) {
        let document = Value::parse(line).expect("the guard writes JSON");
        let replies =
            document.value.as_array().map_or(vec![&document.value], |all| all.iter().collect());
        for reply in replies {
            assert!(matches!(Message::read(reply), Ok(Message::Error(_))), "{reply}");
        }
    }
});

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// What the handler reads, and what the client is answered.
async fn exchange(guard: &Guard, sent: &[u8], chunk: usize) -> (Vec<u8>, Vec<u8>) {
    let (client, server) = tokio::io::duplex(1 << 20);
    let (mut answers, mut requests) = tokio::io::split(client);
    let sending = async {
        for part in sent.chunks(chunk) {
            requests.write_all(part).await.expect("the guard reads");
        }
        requests.shutdown().await.expect("the guard reads");
    };
    let handling = async {
        let mut io = guard.io(server);
        let mut passed = Vec::new();
        io.read_to_end(&mut passed).await.expect("the guard passes its input on");
        io.shutdown().await.expect("the client reads");
        passed
    };
    let (_, passed) = tokio::join!(sending, handling);
    let mut answered = Vec::new();
    answers.read_to_end(&mut answered).await.expect("the guard answers");
    (passed, answered)
}
