//! Cells on stages of their own, with targets and scenarios that leave something behind.

use serde_json::json;

use super::super::cells::tests::scenario;
use super::*;
use crate::server::reference::everything;
use crate::transport::Fault;

fn order(run: for<'a> fn(&'a mut Ctx) -> ScenarioFuture<'a>) -> Order {
    Order {
        scenario: Box::leak(Box::new(UserScenario { run, ..scenario() })),
        source: Source::Function(|| everything().target()),
        cell: Cell { revision: Asked::Newest, carrier: None },
        timeout: TIMEOUT,
        snapshot_suffix: None,
        shows_differences: false,
        holds_panics: false,
    }
}

#[test]
fn what_runs_in_spawn_blocking_holds_nothing_up() {
    static SENDER: Mutex<Option<std::sync::mpsc::Sender<()>>> = Mutex::new(None);
    let played = play(&order(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_ok();
            let (sender, receiver) = std::sync::mpsc::channel();
            *SENDER.lock().expect("no panic") = Some(sender);
            tokio::task::spawn_blocking(move || receiver.recv());
            Ok(())
        })
    }));
    assert!(SENDER.lock().expect("no panic").take().is_some());
    assert!(matches!(played.ending, Ending::Passed), "{:?}", played.ending);
}

#[test]
fn a_message_of_a_wrong_shape_fails_a_test_that_did_not_look_there() {
    let source = Source::Function(|| {
        let faults = [
            Fault::set("tools/list", "/tools/0/description", json!(7)),
            Fault::remove("tools/list", "/tools/1/inputSchema"),
        ];
        everything().faults(faults).target()
    });
    let order = order(|ctx| {
        Box::pin(async move {
            ctx.list_tools().await?.assert_ok();
            Ok(())
        })
    });
    let played = play(&Order { source, ..order });
    let told = telling::failure(&scenario(), &played);
    assert!(told.contains("`/result/tools/0/description` is a string"), "{told}");
    assert!(told.contains("`/result/tools/1/inputSchema` is an object"), "{told}");
    assert!(told.contains("shape Tool of "), "{told}");
}

#[test]
fn what_a_test_asks_for_in_a_wrong_way_is_its_own_affair() {
    let passed = play(&order(|ctx| {
        Box::pin(async move {
            let reply = ctx.request("tools/call", json!({"name": 7})).await?;
            reply.error().ok_or("it took a number for a name")?;
            Ok(())
        })
    }));
    assert!(matches!(passed.ending, Ending::Passed), "{:?}", passed.ending);
    let surprised = play(&order(|ctx| {
        Box::pin(async move {
            let _ = ctx.request("tools/call", json!({"name": 7})).await?.result()?;
            Ok(())
        })
    }));
    let told = telling::failure(&scenario(), &surprised);
    let besides =
        "besides, what the test itself sent wrong, perhaps on purpose:\nthe request `tools/call`";
    assert!(told.contains(besides), "{told}");
}

#[cfg(all(unix, feature = "http"))]
#[test]
fn the_last_words_of_the_program_behind_a_url_are_told() {
    let order = order(|_| Box::pin(async { Ok(()) }));
    let played = play(&Order { source: Source::Function(listens_and_leaves), ..order });
    let told = telling::failure(&scenario(), &played);
    assert!(told.contains("the program behind the URL ended by itself: exit code 3\n"), "{told}");
    assert!(told.contains("on stderr:\n  | no config\n"), "{told}");
}

/// A program that seems to listen, and leaves as soon as it is asked for something: this process listens for it.
#[cfg(all(unix, feature = "http"))]
fn listens_and_leaves() -> Target {
    use std::fs::{self, File};
    use std::io::Read;
    use std::net::TcpListener;

    use crate::process::Command;

    let place = tempfile::tempdir().expect("a directory");
    let pipe = |name| {
        let path = place.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo starts");
        assert!(made.success());
        path
    };
    let (life, leave) = (pipe("life"), pipe("leave"));
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let address = free.expect("a free port");
    let script = "exec 3> life; echo no config >&2; read word < leave; exit 3";
    let command = Command::new("sh").args(["-c", script]).cwd(place.path());
    thread::spawn(move || {
        // It can be opened when the program has started, and ends when the program has left.
        let mut life = File::open(life).expect("it is there");
        let listener = TcpListener::bind(address).expect("the port is free still");
        let asked = listener.incoming().map(|it| it.expect("a connection"));
        let asked = asked.map(|mut it| it.read(&mut [0]).map(|count| (count, it)));
        let asked = asked.flatten().find(|(count, _)| *count > 0);
        fs::write(leave, "now\n").expect("it is there");
        life.read_to_end(&mut Vec::new()).expect("it ends");
        drop((asked, place));
    });
    Target::url_started_by(format!("http://{address}/mcp"), command)
}
