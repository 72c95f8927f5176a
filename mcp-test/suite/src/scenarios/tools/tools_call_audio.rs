//! `tools-call-audio`.

use mcp_test_core::expect::not;

use crate::scenarios::content::{content_with, wav};
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS_CALL;

scenario! {
    /// The tool `test_audio_content`, which takes no arguments, returns a WAV file.
    ///
    /// The official check expects data of any kind; our own check decodes it.
    Server "tools-call-audio": "A tool returns audio",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_audio_content")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-audio", "The result of the call contains audio with data and the MIME type `audio/wav`",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[TOOLS_CALL]),
        check!("tools-call-audio-exact", "The call succeeds, and the audio is a WAV file in Base64",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CONTENT_AUDIO_BASE64]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let call = json!({"name": "test_audio_content", "arguments": {}});
    let reply = ctx.request("tools/call", call).await?;
    reply.result()?;
    let audio = || object().member("type", equals("audio"));
    ctx.check("tools-call-audio").by_fixture().expect(
        &reply,
        content_with(audio().member("data", truthy()).member("mimeType", equals("audio/wav"))),
    );
    ctx.check("tools-call-audio-exact")
        .requires(Requirement::TOOLS_CONTENT_AUDIO_BASE64)
        .expect(&reply, content_with(audio().member("data", wav())))
        .by_fixture()
        .expect(&reply, object().optional("isError", not(equals(true))));
    Ok(())
}

proofs! {
    passes on everything();
    catches "tools-call-audio" by reply_error("tools/call", -32602);
    catches "tools-call-audio" by set("tools/call", "/content", json!([]));
    catches "tools-call-audio" by set("tools/call", "/content/0/mimeType", json!("audio/mpeg"));
    catches "tools-call-audio" by remove("tools/call", "/content/0/data");
    catches "tools-call-audio-exact" by set("tools/call", "/content/0/data", json!("UklGRgAA"));
    catches "tools-call-audio-exact" by set("tools/call", "/isError", json!(true));
}
