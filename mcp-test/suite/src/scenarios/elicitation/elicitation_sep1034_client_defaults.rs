//! `elicitation-sep1034-client-defaults`.

use mcp_test_core::client::{ElicitationResponse, Handlers};
use mcp_test_core::expect::{boolean, integer, number, one_of};

use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_1034;

scenario! {
    /// The tool `test_client_elicitation_defaults` sends a form in which each field has a default. The client should
    /// accept it and fill in the fields that its user does not touch.
    ///
    /// The official checks look at the types of the returned values; our own check compares them with the defaults. The
    /// specification requires that they conform to the schema, and recommends that the form is pre-populated.
    ///
    /// The form is only sent to a client that declares `elicitation`. The official suite sends it to every client.
    Client "elicitation-sep1034-client-defaults": "The client fills in the defaults of a form",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::active(Revisions::only(Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::ElicitationForm)],
    checks: [
        check!("client-elicitation-sep1034-general", "The form is accepted; reported only on failure",
            [ELICITATION_CREATE_RESPOND])
            .official(&[SEP_1034]).named("ClientElicitationSEP1034General").conditional()
            .within(Revisions::from(Revision::V2025_11_25), "the official suite makes it at 2026-07-28, too"),
        check!("client-elicitation-sep1034-string-default", "`name` is a string",
            &[PREPOPULATES, CONFORMS]).official(&[SEP_1034]).named("ClientElicitationSEP1034StringDefault"),
        check!("client-elicitation-sep1034-integer-default", "`age` is a number",
            &[PREPOPULATES, CONFORMS]).official(&[SEP_1034]).named("ClientElicitationSEP1034IntegerDefault"),
        check!("client-elicitation-sep1034-number-default", "`score` is a number",
            &[PREPOPULATES, CONFORMS]).official(&[SEP_1034]).named("ClientElicitationSEP1034NumberDefault"),
        check!("client-elicitation-sep1034-enum-default", "`status` is one of three",
            &[PREPOPULATES, CONFORMS]).official(&[SEP_1034]).named("ClientElicitationSEP1034EnumDefault"),
        check!("client-elicitation-sep1034-boolean-default", "`verified` is a Boolean",
            &[PREPOPULATES, CONFORMS]).official(&[SEP_1034]).named("ClientElicitationSEP1034BooleanDefault"),
        check!("client-elicitation-defaults-exact", "Each field has its default value, and `age` is an integer",
            &[PREPOPULATES, CONFORMS]),
    ],
}

const PREPOPULATES: &Requirement = Requirement::ELICITATION_SCHEMA_CLIENT_PREPOPULATES_DEFAULTS;
const CONFORMS: &Requirement = Requirement::ELICITATION_RESPONSE_ACCEPT_CONTENT_CONFORMS;
const METHOD: &str = "elicitation/create";
const OFFICIAL: [&str; 6] = [
    "client-elicitation-sep1034-general",
    "client-elicitation-sep1034-string-default",
    "client-elicitation-sep1034-integer-default",
    "client-elicitation-sep1034-number-default",
    "client-elicitation-sep1034-enum-default",
    "client-elicitation-sep1034-boolean-default",
];
const TOOL: &str = "test_client_elicitation_defaults";
const STATUSES: [&str; 3] = ["active", "inactive", "pending"];

fn serve(test: &ClientTest) -> Server {
    Server::new(json!({"name": "elicitation-defaults-server", "version": "1.0.0"}))
        // A client that proposes a newer revision is answered with that of the run (`basic/lifecycle#version-negotiation`).
        .revisions(Revisions::until(test.revision))
        .capabilities(json!({"tools": {}}))
        .on("tools/list", |_: Call| async {
            let input_schema = json!({"type": "object", "properties": {}});
            json!({"tools": [{"name": TOOL, "description": "Asks the user.", "inputSchema": input_schema}]})
        })
        .on("tools/call", |call: Call| async move { ask(&call).await })
}

async fn ask(call: &Call) -> Answer {
    if call.param("name").and_then(Value::as_str) != Some(TOOL) {
        return Answer::error(error_code::INVALID_PARAMS, "no such tool");
    }
    if let Err(answer) = call.require(Capability::ElicitationForm) {
        return answer;
    }
    // The fields, defaults and statuses of the official suite. None is required, so an answer without them conforms.
    let fields = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": STATUSES, "default": "active"},
        "verified": {"type": "boolean", "default": true},
    });
    let form = json!({"type": "object", "properties": fields, "required": []});
    let params = json!({"message": "Please check the values", "requestedSchema": form});
    match call.ask(METHOD, params).await {
        Ok(user) => {
            json!({"content": [{"type": "text", "text": format!("The user answered {user}")}]})
                .into()
        }
        Err(unanswered) => unanswered.into(),
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let Some((seq, answer)) = form_answer(judging) else {
        let declared = judging.declared_capabilities();
        let declares = |capabilities| Capability::ElicitationForm.declared_in(capabilities);
        if !declared.is_empty() && !declared.iter().any(declares) {
            undeclared(judging);
            return Ok(());
        }
        return Err(judging
            .task_not_done("the client never answered the form")
            .expected(format!("a call of `{TOOL}` and an answer to its `{METHOD}`"))
            .got("no such answer in the whole conversation"));
    };
    let none = Value::from(json!({}));
    let content = answer.get("content").unwrap_or(&none);
    let content = Part::new("the submitted content", content, Some(seq));
    let accepts = answer.get("action").and_then(Value::as_str) == Some("accept");
    if !accepts {
        let refusal = Finding::peer("the form was not accepted")
            .expected("an answer with the action `accept`, which this scenario tests")
            .got(answer.short(120))
            .evidence(seq);
        judging.check("client-elicitation-sep1034-general").by_task().fail(refusal);
    }
    check_types(judging, &content);
    if accepts {
        check_defaults(judging, &content);
    } else {
        judging.check("client-elicitation-defaults-exact").skip("the form was not accepted");
    }
    Ok(())
}

/// Makes all checks for a client that cannot be asked: officially it fails all of them, with the form that it refuses; the
/// first one only if there was a form, so only after a call of the tool.
///
/// In other profiles the scenario is skipped before, by what it needs.
fn undeclared(judging: &mut Judging) {
    let calls = judging.requests("tools/call");
    let is_called = calls.iter().any(|call| call.params().get("name") == Some(&Value::from(TOOL)));
    for id in OFFICIAL.into_iter().skip(usize::from(!is_called)) {
        let finding = Finding::peer("the client does not declare the capability `elicitation`")
            .expected("`elicitation` among its capabilities, so that the form can be sent")
            .got("capabilities without it");
        judging.check(id).officially_judge(
            Err(finding),
            "a client declares `elicitation` only if it supports it",
        );
    }
    let own = judging.check("client-elicitation-defaults-exact");
    own.skip("the client does not declare the capability `elicitation`");
}

/// Makes the official checks: each field is submitted, with a value of its type.
///
/// Like the official suite, it also looks at the fields of a form that was not accepted.
fn check_types(judging: &mut Judging, content: &Part<'_>) {
    let fields: [(_, _, Box<dyn Matcher>); 5] = [
        ("string", "name", Box::new(string())),
        // The official check accepts any number here; `client-elicitation-defaults-exact` wants an integer.
        ("integer", "age", Box::new(number())),
        ("number", "score", Box::new(number())),
        ("enum", "status", Box::new(one_of(STATUSES))),
        ("boolean", "verified", Box::new(boolean())),
    ];
    for (kind, name, matcher) in fields {
        judging
            .check(&format!("client-elicitation-sep1034-{kind}-default"))
            .requires(PREPOPULATES)
            .officially_must(
                content,
                object().member(name, anything()),
                "that a client fills in the defaults is only recommended (SHOULD)",
            )
            .requires(CONFORMS)
            .expect(content, object().optional(name, matcher));
    }
}

/// Makes our own check: the values are the defaults.
fn check_defaults(judging: &mut Judging, content: &Part<'_>) {
    let defaults = object()
        .member("name", equals("John Doe"))
        .member("age", equals(30))
        .member("score", equals(95.5))
        .member("status", equals("active"))
        .member("verified", equals(true));
    judging
        .check("client-elicitation-defaults-exact")
        // Clients SHOULD pre-populate the fields (`client/elicitation#requested-schema`); a user may still have edited them.
        .requires(PREPOPULATES)
        .should(content, defaults)
        .requires(CONFORMS)
        .expect(content, object().optional("age", integer()));
}

/// The client's answer to the form: a reply, or an input response in the repeated call.
fn form_answer(judging: &Judging) -> Option<(Seq, Value)> {
    // The form is the only request of the server, so the first reply of the client answers it.
    judging.messages().into_iter().find_map(|received| match &received.message {
        Message::Response(response) => Some((received.seq, response.result.clone())),
        Message::Error(reply) => Some((received.seq, reply.error.to_value())),
        _ => Some((received.seq, received.params().at("/inputResponses/elicitation")?.clone())),
    })
}

/// Does the task without the capability.
fn without_capability() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options().capabilities(json!({}))).await?;
        let _ =
            client.request("tools/call", json!({"name": TOOL, "arguments": {}})).await?.outcome();
        client.end().await;
        Ok(())
    })
}

/// Connects, and calls no tool.
fn without_call() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let client = task.connect(task.options().capabilities(json!({"roots": {}}))).await?;
        client.end().await;
        Ok(())
    })
}

/// Submits only the fields that its user has edited: none.
fn without_defaults() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let user = Handlers::new().elicitation(|_| ElicitationResponse::accept(json!({})));
        let mut client = task.connect(task.options().handlers(user)).await?;
        client.request("tools/call", json!({"name": TOOL, "arguments": {}})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-elicitation-sep1034-general"
        by set("tools/call", "/inputResponses/elicitation/action", json!("decline")), under Strict;
    warns "client-elicitation-sep1034-string-default"
        by remove("tools/call", "/inputResponses/elicitation/content/name");
    catches "client-elicitation-sep1034-string-default"
        by retype("tools/call", "/inputResponses/elicitation/content/name");
    warns "client-elicitation-sep1034-integer-default"
        by remove("tools/call", "/inputResponses/elicitation/content/age");
    catches "client-elicitation-sep1034-integer-default"
        by retype("tools/call", "/inputResponses/elicitation/content/age");
    warns "client-elicitation-sep1034-number-default"
        by remove("tools/call", "/inputResponses/elicitation/content/score");
    catches "client-elicitation-sep1034-number-default"
        by retype("tools/call", "/inputResponses/elicitation/content/score");
    warns "client-elicitation-sep1034-enum-default"
        by remove("tools/call", "/inputResponses/elicitation/content/status");
    catches "client-elicitation-sep1034-enum-default"
        by retype("tools/call", "/inputResponses/elicitation/content/status");
    warns "client-elicitation-sep1034-boolean-default"
        by remove("tools/call", "/inputResponses/elicitation/content/verified");
    catches "client-elicitation-sep1034-boolean-default"
        by retype("tools/call", "/inputResponses/elicitation/content/verified");
    catches "client-elicitation-sep1034-string-default" on without_defaults(), at V2025_11_25, under Official;
    catches "client-elicitation-sep1034-general" on without_capability(), at V2025_11_25, under Official;
    catches "client-elicitation-sep1034-string-default" on without_call(), at V2025_11_25, under Official;
    warns "client-elicitation-defaults-exact"
        by set("tools/call", "/inputResponses/elicitation/content/name", json!("Jane Doe"));
    catches "client-elicitation-defaults-exact"
        by set("tools/call", "/inputResponses/elicitation/content/age", json!(29.5));
}
