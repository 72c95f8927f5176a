//! Assertions about what a server declares: its name, its version, its capabilities.

use std::borrow::Cow;

use super::reply::member;
use super::text::{got_which, quoted, which_differs};
use super::{Scene, Staged, plain_assertions};
use crate::check::Finding;
use crate::client::DeclaredServer;
use crate::expect::{Matcher, words};
use crate::json::{Object, Value};
use crate::spec::{Capability, Revision};

impl Staged for DeclaredServer {
    fn scene(&self) -> Scene<'_> {
        Scene { trace: Cow::Owned(self.trace()), revision: self.revision }
    }
}

plain_assertions! { [] DeclaredServer {
    /// Asserts the name of the server.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let server = ctx.server().await?.assert_name("notes").assert_declares("tools.listChanged");
    /// assert_eq!(server.info["version"], "1.0.0");
    /// # Ok(())
    /// # }
    /// ```
    assert_name / try_name (self, name: &str) { check_info(&self, "name", name) }

    /// Asserts the title of the server.
    assert_title / try_title (self, title: &str) { check_info(&self, "title", title) }

    /// Asserts the version of the server.
    assert_version / try_version (self, version: &str) { check_info(&self, "version", version) }

    /// Asserts that the instructions contain this text.
    assert_instructions / try_instructions (self, part: &str) { check_instructions(&self, part) }

    /// Asserts the revision of the conversation.
    assert_revision / try_revision (self, revision: Revision) { check_revision(&self, revision) }

    /// Asserts that the server declares the capability: a [`Capability`], or its dotted name, such as `tools.listChanged`.
    assert_declares / try_declares (self, capability: impl NamesCapability) {
        check_declares(&self, capability, true)
    }

    /// Asserts that the server does not declare the capability, which is given as for [`assert_declares`](Self::assert_declares).
    assert_not_declares / try_not_declares (self, capability: impl NamesCapability) {
        check_declares(&self, capability, false)
    }

    /// Asserts that the value at a JSON pointer of the declared capabilities matches.
    assert_capability / try_capability (self, pointer: &str, matcher: impl Matcher) {
        check_capability(&self, pointer, &matcher)
    }
}}

/// A [`Capability`], or its dotted name.
#[doc(hidden)]
pub trait NamesCapability {
    /// The capability.
    ///
    /// # Errors
    ///
    /// If no capability has that name.
    fn capability(self) -> Result<Capability, Finding>;
}

impl NamesCapability for Capability {
    fn capability(self) -> Result<Capability, Finding> {
        Ok(self)
    }
}

impl NamesCapability for &str {
    fn capability(self) -> Result<Capability, Finding> {
        Capability::named(self).ok_or_else(|| {
            let names = Capability::ALL.iter().map(|capability| capability.name());
            let hint = match words::closest(self, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`assert_capability` looks at any member of `capabilities`".to_owned(),
            };
            Finding::test(format!("no capability named `{self}`"))
                .expected("the dotted name of a capability of MCP, such as `tools.listChanged`")
                .hint(hint)
        })
    }
}

fn unexpected(server: &DeclaredServer, headline: &str) -> Finding {
    Finding::peer(headline).evidence_all(server.evidence())
}

fn check_info(server: &DeclaredServer, name: &str, expected: &str) -> Result<(), Finding> {
    let value = server.info.get(name);
    let got = value.and_then(Value::as_str);
    if got == Some(expected) {
        return Ok(());
    }
    let which = got.and_then(|got| which_differs(expected, got));
    Err(unexpected(server, &format!("the server has an unexpected {name}"))
        .expected(format!("the {name} {}", quoted(expected)))
        .got(got_which(&words::got(value), which)))
}

fn check_instructions(server: &DeclaredServer, part: &str) -> Result<(), Finding> {
    let instructions = server.instructions.as_deref();
    if instructions.is_some_and(|text| text.contains(part)) {
        return Ok(());
    }
    Err(unexpected(server, "the server has unexpected instructions")
        .expected(format!("instructions that contain {}", quoted(part)))
        .got(instructions.map_or_else(|| "no instructions".to_owned(), quoted)))
}

fn check_revision(server: &DeclaredServer, revision: Revision) -> Result<(), Finding> {
    if server.revision == revision {
        return Ok(());
    }
    Err(unexpected(server, "the conversation has an unexpected revision")
        .expected(revision.as_str())
        .got(server.revision.as_str()))
}

fn check_declares(
    server: &DeclaredServer,
    capability: impl NamesCapability,
    expected: bool,
) -> Result<(), Finding> {
    let capability = capability.capability()?;
    if server.declares(capability) == expected {
        return Ok(());
    }
    let got = match server.capabilities.as_object().is_none_or(Object::is_empty) {
        true => "no capabilities".to_owned(),
        false => format!("the capabilities {}", server.capabilities.short(200)),
    };
    let (headline, not) = match expected {
        true => (format!("the server does not declare `{capability}`"), ""),
        false => (format!("the server declares `{capability}`"), "not "),
    };
    Err(unexpected(server, &headline).expected(format!("`{capability}` {not}declared")).got(got))
}

fn check_capability(
    server: &DeclaredServer,
    pointer: &str,
    matcher: &dyn Matcher,
) -> Result<(), Finding> {
    let headline = "the capabilities of the server are not as expected".to_owned();
    member(&server.capabilities, pointer, matcher, headline)
        .map_err(|finding| finding.evidence_all(server.evidence()))
}
