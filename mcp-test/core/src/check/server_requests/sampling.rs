//! Requests for sampling: what they may use of the client, and how tool calls and their results follow each other.

use super::Violation;
use crate::check::cited::cites;
use crate::json::Value;
use crate::spec::{Capability, Revision};

cites! {
    SAMPLING_CONTEXT_AVOID_DEPRECATED, SAMPLING_CONTEXT_REQUIRES_CAPABILITY,
    SAMPLING_MESSAGE_TOOL_RESULTS_ONLY, SAMPLING_MESSAGE_TOOL_RESULT_ID_MATCH,
    SAMPLING_MESSAGE_TOOL_RESULT_USER_ROLE, SAMPLING_MESSAGE_TOOL_USE_BALANCE,
    SAMPLING_TOOLS_SERVER_GATE,
}

/// Everything wrong with the params of `sampling/createMessage`, of a client that declares these capabilities.
pub(super) fn params_violations(
    params: &Value,
    declared: Option<&Value>,
    revision: Revision,
) -> Vec<Violation> {
    let mut found = Vec::new();
    // Tools and the capabilities for parts of sampling exist since then.
    if !revision.has_sampling_tools() {
        return found;
    }
    found.extend(context(params, declared));
    if let Some(declared) = declared {
        found.extend(tools(params, declared));
    }
    found.extend(messages(params));
    found
}

/// Context from servers, which is deprecated, and needs a capability.
fn context(params: &Value, declared: Option<&Value>) -> Option<Violation> {
    let asked = params.get("includeContext")?;
    if !matches!(asked.as_str()?, "thisServer" | "allServers") {
        return None;
    }
    let is_undeclared = declared.is_some_and(|declared| {
        Capability::Sampling.declared_in(declared)
            && !Capability::SamplingContext.declared_in(declared)
    });
    let violation = if is_undeclared {
        let rules = [SAMPLING_CONTEXT_REQUIRES_CAPABILITY, SAMPLING_CONTEXT_AVOID_DEPRECATED];
        Violation::new(
            rules,
            "a request for sampling asks for context that the client does not offer",
        )
        .expected(
            "no `includeContext`, or \"none\": the client does not declare `sampling.context`",
        )
    } else {
        Violation::new(
            [SAMPLING_CONTEXT_AVOID_DEPRECATED],
            "a request for sampling uses a deprecated `includeContext`",
        )
        .expected("no `includeContext`, or \"none\"")
    };
    Some(violation.got_value(Some(asked)))
}

/// Tools for a client that does not support them.
fn tools(params: &Value, declared: &Value) -> Option<Violation> {
    if !Capability::Sampling.declared_in(declared)
        || Capability::SamplingTools.declared_in(declared)
    {
        return None;
    }
    let name = ["tools", "toolChoice"].into_iter().find(|name| params.get(name).is_some())?;
    let mut rules = vec![SAMPLING_TOOLS_SERVER_GATE];
    rules.extend(super::OF_UNDECLARED);
    let violation = Violation::new(
        rules,
        "a request for sampling has tools, which the client does not support",
    );
    let expected = "neither `tools` nor `toolChoice`: the client does not declare `sampling.tools`";
    Some(violation.expected(expected).got(format!("`{name}`")))
}

/// The blocks of a message: its content, whether single or in an array.
fn blocks(message: &Value) -> &[Value] {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

/// The blocks of one type.
fn blocks_of_type<'a>(message: &'a Value, kind: &str) -> Vec<&'a Value> {
    let is_of_type = |block: &&Value| block.get("type").and_then(Value::as_str) == Some(kind);
    blocks(message).iter().filter(is_of_type).collect()
}

/// The ids of tool uses that a message has the results of.
fn results(message: &Value) -> Vec<&str> {
    let found = blocks_of_type(message, "tool_result").into_iter();
    found.filter_map(|block| block.get("toolUseId")?.as_str()).collect()
}

/// Whether tool uses and results follow each other as they must.
fn messages(params: &Value) -> Vec<Violation> {
    let messages = params.get("messages").and_then(Value::as_array).unwrap_or_default();
    let mut found = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("the message {index} of a request for sampling");
        found.extend(tool_results(message, &at, &used));
        let uses = blocks_of_type(message, "tool_use").into_iter();
        let uses: Vec<&str> = uses.filter_map(|block| block.get("id")?.as_str()).collect();
        let next = messages.get(index + 1);
        let answered = next.map(results).unwrap_or_default();
        // A result with a wrong id is reported as that.
        let is_misnamed = answered.iter().any(|id| !uses.contains(id) && !used.contains(id));
        if let Some(open) = uses.iter().find(|id| !answered.contains(id)).filter(|_| !is_misnamed) {
            let headline = format!("{at} has a tool use that the next message does not answer");
            let violation = Violation::new([SAMPLING_MESSAGE_TOOL_USE_BALANCE], headline);
            let expected = "a message right after it with a result for each tool use";
            found.push(violation.expected(expected).got(format!("no result for {open:?}")));
        }
        used.extend(uses);
    }
    found
}

/// Everything wrong with the tool results in a message, of which the messages before have used tools by these ids.
fn tool_results(message: &Value, at: &str, used: &[&str]) -> Vec<Violation> {
    let (all, results) = (blocks(message).len(), blocks_of_type(message, "tool_result").len());
    if results == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let role = message.get("role");
    if role.and_then(Value::as_str) != Some("user") {
        let headline = format!("{at} has a tool result, but is not one of the user");
        let violation = Violation::new([SAMPLING_MESSAGE_TOOL_RESULT_USER_ROLE], headline);
        found.push(violation.expected("the role \"user\"").got_value(role));
    } else if results < all {
        let headline = format!("{at} mixes tool results with other content");
        let violation = Violation::new([SAMPLING_MESSAGE_TOOL_RESULTS_ONLY], headline);
        let got = format!("{all} blocks, {results} of them tool results");
        found.push(violation.expected("nothing but tool results").got(got));
    }
    if let Some(unknown) = self::results(message).into_iter().find(|id| !used.contains(id)) {
        let headline = format!("{at} has the result of an unknown tool use");
        let violation = Violation::new([SAMPLING_MESSAGE_TOOL_RESULT_ID_MATCH], headline);
        let expected = "a `toolUseId` that is the id of an earlier tool use";
        found.push(violation.expected(expected).got_value(Some(&unknown.into())));
    }
    found
}
