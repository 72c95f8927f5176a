//! The completions of the reference server: the same words for every argument of the official suite.

use serde_json::json;

use super::{Answer, Call, demo, invalid, prompts, string};
use crate::json::Value;
use crate::wire::RpcError;

const WORDS: [&str; 4] = ["paris", "park", "party", "test"];

pub(super) fn complete(call: &Call) -> Answer {
    matching(call)
        .map(|values| {
            let total = values.len();
            json!({ "completion": { "values": values, "total": total, "hasMore": false } })
        })
        .into()
}

fn matching(call: &Call) -> Result<Vec<String>, RpcError> {
    let reference = call.param("ref").unwrap_or(&Value::Null);
    let argument = call.param("argument").unwrap_or(&Value::Null);
    let (name, value) = (string(argument, "name")?, string(argument, "value")?);
    // Since 2025-06-18 a client may pass the arguments that are chosen already.
    let chosen = call.param("context").and_then(|context| context.get("arguments"));
    if let Some(words) = demo::completions(reference, name, value, chosen) {
        return Ok(words);
    }
    let known = match string(reference, "type")? {
        "ref/prompt" => match string(reference, "name")? {
            prompts::SIMPLE => false,
            prompts::WITH_ARGUMENTS => prompts::ARGUMENTS.contains(&name),
            other => return Err(invalid(format!("unknown prompt: {other}"))),
        },
        "ref/resource" => {
            string(reference, "uri")?;
            name == "id"
        }
        other => {
            return Err(invalid(format!(
                "`ref` must be a `ref/prompt` or a `ref/resource`, got `{other}`"
            )));
        }
    };
    let words = WORDS.into_iter().filter(|word| known && word.starts_with(value));
    Ok(words.map(str::to_owned).collect())
}
