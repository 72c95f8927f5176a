//! OAuth: other people's libraries agree with our metadata, tokens and assertions.

use mcp_test::oauth::AuthorizationServer;
use tokio::runtime::Runtime;

use crate::peers::Peers;
use crate::program::run;

#[test]
#[ignore = "needs third-party programs: see main.rs"]
fn authlib_and_joserfc_agree_with_the_authorization_server() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(AuthorizationServer::start()).expect("a free port");
    let mut command = Peers::installed().python("agree_on_oauth.py", &[server.issuer()]);
    let program = command.remove(0);
    let run = run(&program, command);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "metadata\nES256\nEdDSA\nRS256\n"),
        "{}",
        run.text(&[])
    );
}
