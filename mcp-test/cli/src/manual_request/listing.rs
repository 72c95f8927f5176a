//! What `--list` prints: the tools, resources, resource templates and prompts of a server.

use std::fmt;

use mcp_test_core::client::Client;
use mcp_test_core::client::reply::listed_items;
use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::{ItemKind, Revision, error_code};

use super::{no_answer, result_of};
use crate::error::CliError;

/// The width of the first column, unless an entry is wider.
const NAMES: usize = 32;
/// The number of characters of a description that are shown.
const DESCRIPTION: usize = 100;

/// In the order in which they are printed, with their headings.
const KINDS: [(ItemKind, &str); 4] = [
    (ItemKind::Tool, "Tools"),
    (ItemKind::Resource, "Resources"),
    (ItemKind::ResourceTemplate, "Resource templates"),
    (ItemKind::Prompt, "Prompts"),
];

/// The lists of a server.
pub(super) struct Listed {
    server: Value,
    revision: Revision,
    lists: Vec<(ItemKind, &'static str, Vec<Value>)>,
    /// Why a list is missing.
    pub(super) failure: Option<CliError>,
}

impl Listed {
    /// Requests all pages of the lists whose capabilities the server declares.
    ///
    /// # Errors
    ///
    /// If the connection is lost. A refused list is kept as [`Listed::failure`].
    pub(super) async fn request(client: &mut Client) -> Result<Self, CliError> {
        let facts = client.server().clone();
        let (server, revision) = (facts.info.clone(), client.revision());
        let mut listed = Self { server, revision, lists: Vec::new(), failure: None };
        for (kind, heading) in KINDS {
            if !facts.declares(kind.capability()) {
                continue;
            }
            match items(client, kind).await {
                Ok(items) => listed.lists.push((kind, heading, items)),
                Err(error @ CliError::NotConnected(_)) => return Err(error),
                Err(error) => listed.failure = listed.failure.or(Some(error)),
            }
        }
        Ok(listed)
    }

    /// The lists under the names that they have in MCP.
    pub(super) fn to_json(&self) -> Value {
        let mut object = Object::new();
        for (kind, _, items) in &self.lists {
            object.insert(kind.member(), items.iter().cloned().collect::<Value>());
        }
        object.into()
    }
}

async fn items(client: &mut Client, kind: ItemKind) -> Result<Vec<Value>, CliError> {
    let pages = client.pages(kind.method()).await.map_err(|finding| no_answer(&finding))?;
    if let Some(refused) = pages.last().filter(|page| page.outcome().is_err()) {
        let error = refused.error().map(|error| error.code);
        // The capability of resources says nothing about templates.
        if kind == ItemKind::ResourceTemplate && error == Some(error_code::METHOD_NOT_FOUND) {
            return Ok(Vec::new());
        }
        result_of(refused)?;
    }
    let items = listed_items(kind, &pages).map_err(|finding| no_answer(&finding))?;
    Ok(items.into_iter().cloned().collect())
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |member| self.server.get(member).and_then(Value::as_str).map(words::name);
        let name = text("name").unwrap_or_else(|| "a server without a name".to_owned());
        let version = text("version").map(|version| format!(" {version}")).unwrap_or_default();
        writeln!(f, "{name}{version}, MCP {}", self.revision)?;
        if self.lists.is_empty() && self.failure.is_none() {
            writeln!(f, "\nIt offers no tools, resources or prompts.")?;
        }
        for (kind, heading, items) in &self.lists {
            writeln!(f, "\n{heading} ({})", items.len())?;
            let rows: Vec<(String, String)> =
                items.iter().map(|item| (title(*kind, item), description(item))).collect();
            let width = rows.iter().map(|(title, _)| title.chars().count().min(NAMES)).max();
            for (title, description) in rows {
                let row = format!("  {title:width$}  {description}", width = width.unwrap_or(0));
                writeln!(f, "{}", words::inert(row.trim_end()))?;
            }
        }
        Ok(())
    }
}

/// By what an item is requested, with its arguments: `add(a, b?)`.
fn title(kind: ItemKind, item: &Value) -> String {
    let key = item.get(kind.key()).and_then(Value::as_str);
    let key = key.map_or_else(|| format!("(without a `{}`)", kind.key()), one_line);
    let arguments: Vec<String> = match kind {
        ItemKind::Tool => {
            let required = item.at("/inputSchema/required").and_then(Value::as_array);
            let required = required.unwrap_or_default();
            let properties = item.at("/inputSchema/properties").and_then(Value::as_object);
            let names = properties.into_iter().flat_map(Object::keys);
            names.map(|name| argument(name, required.contains(&Value::from(name)))).collect()
        }
        ItemKind::Prompt => {
            let arguments = item.get("arguments").and_then(Value::as_array).unwrap_or_default();
            let named = arguments.iter().filter_map(|one| {
                let name = one.get("name")?.as_str()?;
                Some(argument(name, one.get("required") == Some(&Value::Bool(true))))
            });
            named.collect()
        }
        ItemKind::Resource | ItemKind::ResourceTemplate => return key,
    };
    one_line(&format!("{key}({})", arguments.join(", ")))
}

fn argument(name: &str, is_required: bool) -> String {
    format!("{}{}", one_line(name), if is_required { "" } else { "?" })
}

/// The description, or else the title or the name of what has a URI.
fn description(item: &Value) -> String {
    let members = ["description", "title", "name"].into_iter();
    let described = members.filter_map(|member| item.get(member)?.as_str()).next();
    let is_key = |text: &&str| {
        item.get("uri").is_none()
            && item.get("uriTemplate").is_none()
            && item.get("name").and_then(Value::as_str) == Some(*text)
    };
    described.filter(|text| !is_key(text)).map(one_line).unwrap_or_default()
}

/// The first line of a text, cut where it is long.
fn one_line(text: &str) -> String {
    words::cut(text.trim().lines().next().unwrap_or_default(), DESCRIPTION).into_owned()
}
