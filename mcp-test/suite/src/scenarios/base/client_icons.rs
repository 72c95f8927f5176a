//! `client-icons`.

use crate::scenarios::listing_client::never_listed;
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

scenario! {
    /// The icon of a tool is at another origin than the server: at `localhost` instead of `127.0.0.1`, where the test server sees that
    /// it is fetched.
    ///
    /// A client must not fetch it, unless it trusts the other origin. Of a client that fetches no icons this shows nothing more.
    Client "client-icons": "The client fetches no icon of another origin",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!("client-fetches-no-foreign-icon",
            "The client does not fetch an icon of another origin than the server",
            [BASE_ICONS_SAME_ORIGIN]).only_warns("the client may trust the other origin"),
    ],
}

/// Where the icon is; nothing else refers to it.
const ICON: &str = "/canary/icon.png";

fn serve(test: &ClientTest) -> Server {
    let listening = test.clone();
    server(test).on("tools/list", move |_: Call| {
        // The port is known only now.
        let origin = listening.url().trim_end_matches("/mcp").replace("127.0.0.1", "localhost");
        async move {
            let icon = json!({ "src": format!("{origin}{ICON}"), "mimeType": "image/png" });
            let schema = json!({ "type": "object" });
            json!({ "tools": [{ "name": "add", "inputSchema": schema, "icons": [icon] }] })
        }
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let trace = judging.trace();
    let mut fetched = trace.events.iter().filter(|event| match &event.kind {
        EventKind::HttpRequest { path, .. } => path.split('?').next() == Some(ICON),
        _ => false,
    });
    judging.check("client-fetches-no-foreign-icon").judge(match fetched.next() {
        None => Ok(()),
        // Which origins a client trusts is not visible, and the schema allows those (`schema#icon`).
        Some(event) => Err(Finding::peer("the client fetches an icon of another origin")
            .expected("no request for an icon that is not at the origin of the server")
            .got(format!("a request for {ICON}"))
            .evidence(event.seq)
            .should()),
    });
    Ok(())
}

/// Lists the tools, and fetches the icon wherever it is.
fn fetches_the_icon() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        good_client().run(task.endpoint().clone()).await?;
        let deadline = Deadline::after(Duration::from_secs(20));
        task.open().await?.http(HttpRequest::get().at(ICON), deadline).await?;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    warns "client-fetches-no-foreign-icon" on fetches_the_icon();
}
