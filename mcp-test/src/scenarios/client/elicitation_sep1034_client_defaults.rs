//! `elicitation-sep1034-client-defaults`.

use serde_json::json;

use super::references::SEP_1034;
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::client::{Elicited, Errand, Handlers, Visitor};
use crate::expect::{Matcher, anything, boolean, equals, integer, number, object, one_of, string};
use crate::json::Value;
use crate::scenario::{CheckSpec, Judging, Official, Part, Stage};
use crate::server::{Answer, Call, Server};
use crate::spec::{Revision, Revisions, error_code};
use crate::trace::Seq;
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// The tool `test_client_elicitation_defaults` sends the user a form in which each field has a default; the client is
    /// to accept it, and to fill in what its user leaves alone.
    ///
    /// The official checks look at the types of what comes back; our own compares it with the defaults. The
    /// specification demands that it fits the form, and recommends that the form starts from the defaults.
    Client "elicitation-sep1034-client-defaults": "The client fills in the defaults of a form",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    checks: [
        CheckSpec::official(
            "client-elicitation-sep1034-general",
            "ClientElicitationSEP1034General",
            "The form is accepted; only made where it is not",
            &[SEP_1034],
        )
        .requires(&["elicitation.create.respond"])
        .conditional(),
        field("client-elicitation-sep1034-string-default", "ClientElicitationSEP1034StringDefault", "`name` is a string"),
        field("client-elicitation-sep1034-integer-default", "ClientElicitationSEP1034IntegerDefault", "`age` is a number"),
        field("client-elicitation-sep1034-number-default", "ClientElicitationSEP1034NumberDefault", "`score` is a number"),
        field("client-elicitation-sep1034-enum-default", "ClientElicitationSEP1034EnumDefault", "`status` is one of three"),
        field("client-elicitation-sep1034-boolean-default", "ClientElicitationSEP1034BooleanDefault", "`verified` is a Boolean"),
        CheckSpec::own(
            "client-elicitation-defaults-exact",
            "ClientElicitationDefaultsExact",
            "Each field holds its default, and a whole number where the form wants one",
        )
        .requires(&[PREPOPULATES, CONFORMS])
        .also_warns(),
    ],
}

const fn field(id: &'static str, name: &'static str, description: &'static str) -> CheckSpec {
    CheckSpec::official(id, name, description, &[SEP_1034])
        .requires(&[PREPOPULATES, CONFORMS])
        .also_warns()
}

const PREPOPULATES: &str = "elicitation.schema.client-prepopulates-defaults";
const CONFORMS: &str = "elicitation.response.accept-content-conforms";
const METHOD: &str = "elicitation/create";
const TOOL: &str = "test_client_elicitation_defaults";
const STATUSES: [&str; 3] = ["active", "inactive", "pending"];

fn serve(stage: &Stage) -> Server {
    Server::new(json!({"name": "elicitation-defaults-server", "version": "1.0.0"}))
        .revisions(Revisions::until(stage.revision))
        .capabilities(json!({"tools": {}}))
        .on("tools/list", |_: Call| async {
            let takes = json!({"type": "object", "properties": {}});
            json!({"tools": [{"name": TOOL, "description": "Asks the user.", "inputSchema": takes}]})
        })
        .on("tools/call", |call: Call| async move { ask(&call).await })
}

async fn ask(call: &Call) -> Answer {
    if call.param("name").and_then(Value::as_str) != Some(TOOL) {
        return Answer::error(error_code::INVALID_PARAMS, "there is no such tool");
    }
    let fields = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": STATUSES, "default": "active"},
        "verified": {"type": "boolean", "default": true},
    });
    let form = json!({"type": "object", "properties": fields, "required": []});
    let asked = json!({"message": "Please check what is filled in", "requestedSchema": form});
    match call.ask(METHOD, asked).await {
        Ok(user) => {
            json!({"content": [{"type": "text", "text": format!("The user said {user}")}]}).into()
        }
        Err(unanswered) => unanswered.into(),
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let Some((seq, said)) = said(judging) else {
        return Err(judging
            .undone("the client never said what becomes of the form")
            .expected(format!("a call of `{TOOL}`, and an answer to its `{METHOD}`"))
            .got("no such answer in the whole conversation"));
    };
    let none = Value::from(json!({}));
    let content = said.get("content").unwrap_or(&none);
    let accepts = said.get("action").and_then(Value::as_str) == Some("accept");
    if !accepts {
        let refusal = Finding::peer("the form is not accepted")
            .expected("an answer with the action `accept`, which this scenario is about")
            .got(said.short(120))
            .evidence(seq);
        judging.check("client-elicitation-sep1034-general").by_task().fail(refusal);
    }
    let content = Part::new("what the user has filled in", content, Some(seq));
    let content = &content;
    fill(judging, content, "client-elicitation-sep1034-string-default", "name", string());
    fill(judging, content, "client-elicitation-sep1034-integer-default", "age", number());
    fill(judging, content, "client-elicitation-sep1034-number-default", "score", number());
    fill(judging, content, "client-elicitation-sep1034-enum-default", "status", one_of(STATUSES));
    fill(judging, content, "client-elicitation-sep1034-boolean-default", "verified", boolean());
    let exact = judging.check("client-elicitation-defaults-exact");
    if !accepts {
        exact.skip("the form is not accepted");
        return Ok(());
    }
    let defaults = object()
        .member("name", equals("John Doe"))
        .member("age", equals(30))
        .member("score", equals(95.5))
        .member("status", equals("active"))
        .member("verified", equals(true));
    exact
        .requires(PREPOPULATES)
        .should(content, defaults)
        .requires(CONFORMS)
        .expect(content, object().optional("age", integer()));
    Ok(())
}

fn fill(
    judging: &mut Judging,
    content: &Part<'_>,
    check: &str,
    name: &str,
    kind: impl Matcher + 'static,
) {
    let present = object().member(name, anything());
    judging
        .check(check)
        .requires(PREPOPULATES)
        .officially_must(content, present, "the specification recommends it: SHOULD")
        .requires(CONFORMS)
        .expect(content, object().optional(name, kind));
}

/// What the client answered to the form: by a reply, or in the call that it sent again.
fn said(judging: &Judging) -> Option<(Seq, Value)> {
    judging.heard().into_iter().find_map(|heard| match &heard.message {
        Message::Response(response) => Some((heard.seq, response.result.clone())),
        Message::Error(reply) => Some((heard.seq, reply.error.to_value())),
        _ => Some((heard.seq, heard.params().at("/inputResponses/elicitation")?.clone())),
    })
}

/// Sends back what its user has touched, which is nothing.
fn sparing() -> Visitor {
    Visitor::new(|errand: Errand| async move {
        let user = Handlers::new().elicitation(|_| Elicited::accept(json!({})));
        let mut client = errand.connect(errand.options().handlers(user)).await?;
        client.request("tools/call", json!({"name": TOOL, "arguments": {}})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-elicitation-sep1034-general"
        by set("tools/call", "/inputResponses/elicitation/action", json!("decline")),
        also "client-elicitation-defaults-exact" Skipped;
    warns "client-elicitation-sep1034-string-default" by remove("tools/call", "/inputResponses/elicitation/content/name"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-string-default" by retype("tools/call", "/inputResponses/elicitation/content/name"),
        also "client-elicitation-defaults-exact" Warning;
    warns "client-elicitation-sep1034-integer-default" by remove("tools/call", "/inputResponses/elicitation/content/age"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-integer-default" by retype("tools/call", "/inputResponses/elicitation/content/age"),
        also "client-elicitation-defaults-exact" Failure;
    warns "client-elicitation-sep1034-number-default" by remove("tools/call", "/inputResponses/elicitation/content/score"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-number-default" by retype("tools/call", "/inputResponses/elicitation/content/score"),
        also "client-elicitation-defaults-exact" Warning;
    warns "client-elicitation-sep1034-enum-default" by remove("tools/call", "/inputResponses/elicitation/content/status"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-enum-default" by retype("tools/call", "/inputResponses/elicitation/content/status"),
        also "client-elicitation-defaults-exact" Warning;
    warns "client-elicitation-sep1034-boolean-default" by remove("tools/call", "/inputResponses/elicitation/content/verified"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-boolean-default" by retype("tools/call", "/inputResponses/elicitation/content/verified"),
        also "client-elicitation-defaults-exact" Warning;
    catches "client-elicitation-sep1034-string-default" on sparing(),
        also "client-elicitation-sep1034-integer-default" Failure,
        also "client-elicitation-sep1034-number-default" Failure,
        also "client-elicitation-sep1034-enum-default" Failure,
        also "client-elicitation-sep1034-boolean-default" Failure,
        also "client-elicitation-defaults-exact" Warning, at V2025_11_25, under Official;
    warns "client-elicitation-defaults-exact" by set("tools/call", "/inputResponses/elicitation/content/name", json!("Jane Doe"));
    catches "client-elicitation-defaults-exact" by set("tools/call", "/inputResponses/elicitation/content/age", json!(29.5));
}
