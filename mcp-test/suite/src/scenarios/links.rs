//! The resources that the content of a result embeds or links to.

use crate::scenarios::prelude::*;

/// A resource that an item of content names.
pub(super) struct Link {
    uri: String,
    /// The whole resource is in the item.
    pub(super) is_embedded: bool,
    /// Whose content it is, in words.
    of: String,
    evidence: Vec<Seq>,
}

/// The resources that items of content name, without those on the web: a client may load these without the server.
pub(super) fn links(content: &[Value], of: &str, reply: &Reply) -> Vec<Link> {
    let link = |item: &Value| {
        let kind = item.get("type").and_then(Value::as_str);
        let is_embedded = kind == Some("resource");
        let named = match kind {
            Some("resource") => item.get("resource")?,
            Some("resource_link") => item,
            _ => return None,
        };
        let uri = named.get("uri")?.as_str()?;
        let is_of_web = ["http:", "https:"].iter().any(|scheme| uri.starts_with(scheme));
        let (uri, of, evidence) = (uri.to_owned(), of.to_owned(), reply.evidence());
        (!is_of_web).then_some(Link { uri, is_embedded, of, evidence })
    };
    content.iter().filter_map(link).collect()
}

impl Link {
    /// Whether the resource can be read, or at least subscribed to; both are only recommended.
    pub(super) async fn read(&self, ctx: &mut Ctx) -> Result<Result<(), Finding>, Finding> {
        let reply = ctx.request("resources/read", json!({ "uri": self.uri })).deliberate().await?;
        let Err(error) = reply.outcome() else { return Ok(Ok(())) };
        let verb = if self.is_embedded { "embeds" } else { "links to" };
        let declared = ctx.declares(Capability::Resources).await?;
        let hint = (!declared).then_some("the server does not declare `resources`");
        let finding = Finding::peer(format!("{} {verb} a resource that cannot be read", self.of))
            .expected(format!("the contents of {:?}", self.uri))
            .got(error.to_string())
            .evidence_all(self.evidence.iter().copied().chain(reply.evidence()))
            .should();
        Ok(Err(match hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        }))
    }
}
