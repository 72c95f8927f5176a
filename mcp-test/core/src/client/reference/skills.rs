//! What the reference client does with skills: it lists them, and loads one only if its files are those that its entry says.

use serde_json::json;

use super::discover;
use crate::client::Client;
use crate::json::Value;
use crate::skill_file;

/// Lists the skills, page by page, from a server that declares the extension.
pub(super) async fn list(client: &mut Client) -> Result<Vec<Value>, crate::Error> {
    discover(client).await?;
    let extension = "/extensions/io.modelcontextprotocol~1skills";
    if client.server().capabilities.at(extension).is_none() {
        return Err("the server does not declare the extension for skills".into());
    }
    let mut skills = Vec::new();
    for page in client.pages("skills/list").await? {
        let listed = page.result()?.get("skills").and_then(Value::as_array);
        skills.extend(listed.unwrap_or_default().iter().cloned());
    }
    Ok(skills)
}

/// Lists the skills, and loads each that need not be refused.
pub(super) async fn load_all(client: &mut Client) -> crate::Result {
    for skill in list(client).await? {
        load(client, &skill).await?;
    }
    Ok(())
}

/// Reads the `SKILL.md` of a skill, and then its other files, unless one of them has to be refused.
async fn load(client: &mut Client, skill: &Value) -> crate::Result {
    let uri = text(skill, "uri")?;
    let Some(skill_md) = read_verified(client, skill, uri).await? else { return Ok(()) };
    if skill_file::frontmatter(&skill_md).ok().as_ref() != skill.get("frontmatter") {
        return Ok(());
    }
    // Whoever follows the instructions needs all files sooner or later.
    let others = files(skill).iter().filter_map(|file| file.get("uri")?.as_str());
    for other in others.filter(|other| *other != uri) {
        if read_verified(client, skill, other).await?.is_none() {
            break;
        }
    }
    Ok(())
}

/// Reads a file of a skill; `None` if it is not what the entry says. If the content is dynamic, that says nothing.
async fn read_verified(
    client: &mut Client,
    skill: &Value,
    uri: &str,
) -> Result<Option<String>, crate::Error> {
    let reply = client.request("resources/read", json!({ "uri": uri })).await?;
    let contents = reply.result()?.at("/contents/0").cloned().unwrap_or_default();
    let content = text(&contents, "text")?;
    let is_listed = files(skill).iter().any(|file| {
        file.get("uri").and_then(Value::as_str) == Some(uri)
            && file.get("size") == Some(&Value::from(content.len() as u64))
            && file.get("digest") == Some(&Value::from(skill_file::digest(content.as_bytes())))
    });
    let is_dynamic = skill.get("resources").and_then(Value::as_str) == Some("dynamic");
    Ok((is_listed || is_dynamic).then(|| content.to_owned()))
}

/// The files in the entry of a skill.
fn files(skill: &Value) -> &[Value] {
    skill.get("resources").and_then(Value::as_array).unwrap_or_default()
}

fn text<'a>(object: &'a Value, member: &str) -> Result<&'a str, crate::Error> {
    let text = object.get(member).and_then(Value::as_str);
    text.ok_or_else(|| format!("expected a string as `{member}`, got {}", object.short(120)).into())
}
