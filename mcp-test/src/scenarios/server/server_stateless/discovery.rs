//! Probes of what the server says that it has.

use serde_json::json;

use super::probes::{Heard, Probes, error, result, said};
use super::requests::discover;
use crate::check::Finding;
use crate::expect::object;
use crate::json::Value;
use crate::scenario::{Ctx, Part, truthy};
use crate::scenarios::server::raw::request;
use crate::spec::{error_code, meta};

/// The server says what it has.
#[derive(Default)]
pub(super) struct Discovered {
    /// The capabilities, if `server/discover` gave any.
    pub(super) capabilities: Option<Value>,
    /// The names of the tools.
    pub(super) tools: Vec<String>,
    /// The versions, if it gave any.
    pub(super) versions: Vec<String>,
}

impl Discovered {
    /// Whether a flag is set among the capabilities.
    pub(super) fn declares(&self, pointer: &str) -> bool {
        let flag = self.capabilities.as_ref().and_then(|all| all.at(pointer)?.as_bool());
        flag == Some(true)
    }
}

/// What the server says that it has, held against what it has.
pub(super) async fn discovery(ctx: &mut Ctx, probes: &mut Probes) -> Result<Discovered, Finding> {
    let heard = probes.post(ctx, &discover(ctx, 201)).await?;
    let tools = probes.post(ctx, &request(ctx.revision(), 202, "tools/list", json!({}))).await?;
    let prompts =
        probes.post(ctx, &request(ctx.revision(), 203, "prompts/list", json!({}))).await?;

    let found = result(&heard, 201);
    let evidence = heard.as_ref().ok().map(|answer| answer.seq);
    let implements = ctx.check("sep-2575-server-implements-discover");
    match &found {
        None => implements.fail(said("`server/discover` gives no result", &heard, "a result")),
        Some(found) => implements.expect(
            &Part::new("the result of `server/discover`", found, evidence),
            object().member("supportedVersions", truthy()).member("capabilities", truthy()),
        ),
    };
    let identifies = ctx.check("sep-2575-server-identifies-in-result-meta");
    match &found {
        None if heard.is_err() => identifies.skip("`server/discover` is not answered"),
        None => identifies.fail(said("`server/discover` gives no result", &heard, "a result")),
        Some(found) => identifies.expect(
            &Part::new("the result of `server/discover`", found, evidence),
            object().member(
                "_meta",
                object().member(
                    meta::SERVER_INFO,
                    object().member("name", truthy()).member("version", truthy()),
                ),
            ),
        ),
    };
    let discovered = Discovered {
        capabilities: found.as_ref().and_then(|found| found.get("capabilities").cloned()),
        tools: names(&tools),
        versions: found.as_ref().map(versions).unwrap_or_default(),
    };
    let revision = ctx.revision().as_str();
    let listed = discovered.versions.iter().any(|version| version == revision);
    ctx.check("stateless-discover-versions").judge(if listed {
        Ok(())
    } else {
        let expected = format!("{revision:?} in `supportedVersions`");
        Err(said(
            "`server/discover` does not list the version in which it was asked",
            &heard,
            expected,
        ))
    });
    declared(ctx, &discovered, &tools, &prompts);
    Ok(discovered)
}

/// Whether what is declared is there, and the other way round.
fn declared(ctx: &mut Ctx, discovered: &Discovered, tools: &Heard, prompts: &Heard) {
    let declares = |name: &str| {
        discovered
            .capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.get(name).is_some())
    };
    let is_absent = |heard: &Heard| {
        error(heard).is_some_and(|error| error.code == error_code::METHOD_NOT_FOUND)
    };
    let check = ctx.check("sep-2575-server-declares-prompts-in-discover");
    check.judge(
        if declares("prompts") || discovered.capabilities.is_some() && is_absent(prompts) {
            Ok(())
        } else {
            let headline = "`prompts/list` is there, and prompts are not declared";
            Err(said(headline, prompts, "the capability `prompts`, or the error -32601"))
        },
    );
    let lists = result(tools, 202)
        .is_some_and(|list| list.get("tools").is_some_and(|it| it.as_array().is_some()));
    let check = ctx.check("sep-2575-discover-capabilities-match-handlers");
    check.judge(match declares("tools") {
        true if lists => Ok(()),
        true => {
            Err(said("tools are declared, and `tools/list` gives none", tools, "a list of tools"))
        }
        false if discovered.capabilities.is_some() && is_absent(tools) => Ok(()),
        false => Err(said(
            "tools are not declared, and `tools/list` is there",
            tools,
            "the error -32601",
        )),
    });
}

fn names(tools: &Heard) -> Vec<String> {
    let list = result(tools, 202);
    let tools = list.as_ref().and_then(|list| list.get("tools")?.as_array()).unwrap_or_default();
    tools.iter().filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned())).collect()
}

fn versions(found: &Value) -> Vec<String> {
    let versions = found.get("supportedVersions").and_then(Value::as_array);
    versions.unwrap_or_default().iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
}
