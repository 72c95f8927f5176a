//! Probes of `server/discover`, compared with what the server lists.

use mcp_test_core::check::Fate;
use mcp_test_core::client::Fixtures;

use super::probes::{Attempt, Probes, attempt_finding, discover, error, result};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{reply, request};

/// What the server declares and lists, which decides how the other probes are judged.
#[derive(Default)]
pub(super) struct Discovered {
    /// The capabilities, if `server/discover` returned any.
    pub(super) capabilities: Option<Value>,
    /// The names of the tools.
    pub(super) tools: Vec<String>,
    /// The versions that `server/discover` returned.
    pub(super) versions: Vec<String>,
}

impl Discovered {
    /// Whether this capability flag is true.
    pub(super) fn declares(&self, pointer: &str) -> bool {
        let flag = self.capabilities.as_ref().and_then(|all| all.at(pointer)?.as_bool());
        flag == Some(true)
    }

    /// The finding about a fixture that is not listed, nor what takes its place.
    pub(super) fn not_listed(&self, fixtures: &Fixtures, tool: &str) -> Option<Finding> {
        let is_listed = self.tools.iter().any(|listed| listed == fixtures.name(tool));
        let headline = || format!("the server does not list the tool {}", fixtures.describe(tool));
        (!is_listed).then(|| Finding::peer(headline()))
    }
}

/// Compares the result of `server/discover` with what the server lists.
pub(super) async fn discovery(ctx: &mut Ctx, probes: &mut Probes) -> Result<Discovered, Finding> {
    let attempt = probes.post(ctx, &discover(ctx, 201)).await?;
    let tools = probes.post(ctx, &request(ctx.revision(), 202, "tools/list", json!({}))).await?;
    let prompts =
        probes.post(ctx, &request(ctx.revision(), 203, "prompts/list", json!({}))).await?;

    let found = result(&attempt, 201);
    discover_result(ctx, &attempt, found.as_ref());
    let discovered = Discovered {
        capabilities: found.as_ref().and_then(|found| found.get("capabilities").cloned()),
        tools: names(&tools),
        versions: found.as_ref().map(versions).unwrap_or_default(),
    };
    let revision = ctx.revision().as_str();
    let listed = discovered.versions.iter().any(|version| version == revision);
    ctx.check("stateless-discover-versions").judge(ensure(listed, || {
        let headline = "`server/discover` does not list the version of the request";
        attempt_finding(headline, &attempt, format!("{revision:?} in `supportedVersions`"))
    }));
    declarations(ctx, &discovered, &tools, &prompts);
    Ok(discovered)
}

/// Checks the members of the result of `server/discover`.
fn discover_result(ctx: &mut Ctx, attempt: &Attempt, found: Option<&Value>) {
    let evidence = attempt.as_ref().ok().map(|answer| answer.seq);
    let part = found.map(|found| Part::new("the result of `server/discover`", found, evidence));
    let no_result = || attempt_finding("`server/discover` returns no result", attempt, "a result");
    let implements = ctx.check("sep-2575-server-implements-discover");
    match &part {
        None => implements.fail(no_result()),
        // Tested for truth, as in the official suite; the shapes decide about the types.
        Some(part) => implements.expect(
            part,
            object().member("supportedVersions", truthy()).member("capabilities", truthy()),
        ),
    };
    let info = object().member("name", truthy()).member("version", truthy());
    let identifies = ctx.check("sep-2575-server-identifies-in-result-meta");
    match &part {
        // The official check is skipped for a request without a response, but not for an error.
        None if attempt.is_err() => identifies.skip("`server/discover` is not answered"),
        None => identifies.fail(no_result()),
        Some(part) => identifies
            .expect(part, object().member("_meta", object().member(meta::SERVER_INFO, info))),
    };
}

/// Checks that what is declared is also listed, and the other way round.
fn declarations(ctx: &mut Ctx, discovered: &Discovered, tools: &Attempt, prompts: &Attempt) {
    let declares = |name: &str| {
        discovered
            .capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.get(name).is_some())
    };
    let is_unsupported = |attempt: &Attempt| {
        error(attempt).is_some_and(|error| error.code == error_code::METHOD_NOT_FOUND)
    };
    let check = ctx.check("sep-2575-server-declares-prompts-in-discover");
    // Anything but -32601 counts as support: a server that refuses the request for another reason knows the method.
    let holds = declares("prompts") || discovered.capabilities.is_some() && is_unsupported(prompts);
    check.judge(ensure(holds, || {
        let headline = "`prompts/list` is supported, but prompts are not declared";
        attempt_finding(headline, prompts, "the capability `prompts`, or the error -32601")
    }));
    let lists = result(tools, 202)
        .is_some_and(|list| list.get("tools").is_some_and(|it| it.as_array().is_some()));
    let check = ctx.check("sep-2575-discover-capabilities-match-handlers");
    check.judge(match declares("tools") {
        true if lists => Ok(()),
        true => Err(attempt_finding(
            "tools are declared, but `tools/list` returns no list",
            tools,
            "a list of tools",
        )
        .caused_by(cause_of_no_list(tools))),
        false if discovered.capabilities.is_some() && is_unsupported(tools) => Ok(()),
        false => Err(attempt_finding(
            "`tools/list` is supported, but tools are not declared",
            tools,
            "the error -32601",
        )),
    });
}

/// Why there is no list in the answer: a result with another id is not the reply.
fn cause_of_no_list(tools: &Attempt) -> Cause {
    let has_reply = |answer: &HttpResponse| answer.messages().iter().any(Message::is_reply);
    match tools {
        Ok(answer) if has_reply(answer) && reply(answer, 202).is_none() => {
            Cause::for_requirement(Requirement::JSONRPC_RESULT_ID_ECHO)
        }
        _ => Cause::request("tools/list", Fate::Refused),
    }
}

fn names(tools: &Attempt) -> Vec<String> {
    let list = result(tools, 202);
    let tools = list.as_ref().and_then(|list| list.get("tools")?.as_array()).unwrap_or_default();
    tools.iter().filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned())).collect()
}

fn versions(found: &Value) -> Vec<String> {
    let versions = found.get("supportedVersions").and_then(Value::as_array);
    versions.unwrap_or_default().iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
}
