//! The clients of the proofs: each does one thing wrong.

use mcp_test_core::client::{ElicitationResponse, FormElicitation, Handlers, UrlElicitation};

use super::{CHOICES, ENUM_NAMES, PATTERN, UUID};
use crate::scenarios::listing_client::listing;
use crate::scenarios::prelude::*;

/// Connects as a client that declares both modes, and lists the tools.
fn asked(
    user: fn(&FormElicitation) -> ElicitationResponse,
    visitor: fn(&UrlElicitation) -> ElicitationResponse,
) -> ScriptedClient {
    listing(move |task| {
        task.options().handlers(Handlers::new().elicitation(user).elicitation_url(visitor))
    })
}

/// As the reference client does.
fn visits_one(visit: &UrlElicitation) -> ElicitationResponse {
    if visit.elicitation_id() == UUID {
        ElicitationResponse::agree()
    } else {
        ElicitationResponse::decline()
    }
}

pub(super) fn refuses_a_missing_mode() -> ScriptedClient {
    asked(
        |form| match form.param("mode") {
            None => ElicitationResponse::error(-32602, "no mode"),
            Some(_) => form.accept_examples(),
        },
        visits_one,
    )
}

/// Refuses a form that has this message.
fn refusing(form: &FormElicitation, message: &str) -> ElicitationResponse {
    match form.message() == message {
        true => ElicitationResponse::error(-32602, "not a valid schema"),
        false => form.accept_examples(),
    }
}

pub(super) fn refuses_choices() -> ScriptedClient {
    asked(|form| refusing(form, CHOICES), visits_one)
}

pub(super) fn refuses_enum_names() -> ScriptedClient {
    asked(|form| refusing(form, ENUM_NAMES), visits_one)
}

pub(super) fn refuses_a_pattern() -> ScriptedClient {
    asked(|form| refusing(form, PATTERN), visits_one)
}

pub(super) fn answers_with_titles() -> ScriptedClient {
    asked(
        |form| match form.message() {
            CHOICES => form.accept(
                json!({ "one": "r", "oneTitled": "Red", "some": ["r"], "someTitled": ["Green"] }),
            ),
            _ => form.accept_examples(),
        },
        visits_one,
    )
}

pub(super) fn answers_with_names() -> ScriptedClient {
    asked(
        |form| match form.message() {
            ENUM_NAMES => form.accept(json!({ "color": "Red" })),
            _ => form.accept_examples(),
        },
        visits_one,
    )
}

pub(super) fn refuses_urls() -> ScriptedClient {
    asked(FormElicitation::accept_examples, |_| ElicitationResponse::error(-32602, "no URLs"))
}

pub(super) fn wants_a_uuid() -> ScriptedClient {
    asked(FormElicitation::accept_examples, |visit| match visit.elicitation_id() {
        UUID => ElicitationResponse::agree(),
        _ => ElicitationResponse::error(-32602, "not a UUID"),
    })
}

pub(super) fn submits_with_a_url() -> ScriptedClient {
    asked(FormElicitation::accept_examples, |visit| match visit.elicitation_id() {
        UUID => ElicitationResponse::accept(json!({ "visited": true })),
        _ => ElicitationResponse::decline(),
    })
}

/// Opens the page next to the endpoint before it asks its user.
pub(super) fn looks_ahead() -> ScriptedClient {
    use mcp_test_core::client::ClientTask;
    use mcp_test_core::clock::Deadline;
    use mcp_test_core::trace::Recorder;
    use mcp_test_core::transport::{HttpRequest, Limits, Target, TransportKind};

    use super::{REPLY_TIME, page};
    ScriptedClient::new(|task: ClientTask| async move {
        let page = Target::url(page(task.endpoint().url()?));
        let connection =
            page.open(TransportKind::Http, &Recorder::new(), Limits::default()).await?;
        // Whatever comes of it: the server has no such page.
        let _ = connection.http(HttpRequest::get(), Deadline::after(REPLY_TIME)).await;
        good_client().run(task.endpoint().clone()).await
    })
}
