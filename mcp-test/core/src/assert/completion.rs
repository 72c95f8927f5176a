//! Assertions about completions.

use super::assertions;
use super::reply::{check_result_member, check_shape};
use super::text::{got_which, quoted, suggest};
use crate::check::Finding;
use crate::client::Completion;
use crate::expect::{self, Matcher, words};
use crate::json::Value;
use crate::spec::Requirement;

assertions! { [] Completion {
    /// Asserts that exactly these values are suggested, in this order.
    assert_values / try_values (self, expected: impl IntoIterator<Item = impl Into<String>>) {
        check_values(&self, expected.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Asserts that this value is among the suggestions.
    assert_contains / try_contains (self, value: &str) { check_contains(&self, value) }

    /// Asserts the `total` number of values, including those that are not suggested.
    assert_total / try_total (self, total: u64) { check_member(&self, "total", total.into()) }

    /// Asserts the value of `hasMore`.
    assert_has_more / try_has_more (self, has_more: bool) { check_member(&self, "hasMore", has_more.into()) }
}}

impl Completion {
    /// The suggested values.
    ///
    /// # Errors
    ///
    /// A finding against the peer if the reply is an error, or has no values.
    pub fn values(&self) -> Result<Vec<&str>, Finding> {
        let values = values(self)?.as_array().unwrap_or_default();
        Ok(values.iter().filter_map(Value::as_str).collect())
    }
}

const HEADLINE: &str = "unexpected completion";

fn unexpected(completion: &Completion) -> Finding {
    Finding::peer(HEADLINE).evidence_all(completion.reply().evidence())
}

fn values(completion: &Completion) -> Result<&Value, Finding> {
    let reply = completion.reply();
    let result = reply.result()?;
    let inner = expect::object().member("values", expect::array_of(expect::string()));
    let shape = expect::object().member("completion", inner);
    let headline = "the result of `completion/complete` has no values";
    check_shape(reply, result, &shape, headline, Requirement::SCHEMA_COMPLETE_RESULT)?;
    Ok(result.at("/completion/values").unwrap_or(&Value::Null))
}

fn check_values(completion: &Completion, expected: Vec<String>) -> Result<(), Finding> {
    let values = values(completion)?;
    let expected = Value::from(expected);
    expect::equals(expected.clone()).check(values).map_err(|mismatch| {
        unexpected(completion)
            .expected(format!("the values {}", words::got(Some(&expected))))
            .got(got_which(&words::got(Some(values)), mismatch.which))
    })
}

fn check_contains(completion: &Completion, value: &str) -> Result<(), Finding> {
    let values = values(completion)?;
    let texts = || values.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
    if texts().any(|text| text == value) {
        return Ok(());
    }
    let finding = unexpected(completion)
        .expected(format!("{} among the values", quoted(value)))
        .got(words::got(Some(values)));
    Err(suggest(finding, value, texts()))
}

fn check_member(completion: &Completion, name: &str, expected: Value) -> Result<(), Finding> {
    // First, since a result that is not a completion at all has no such members either.
    values(completion)?;
    let pointer = format!("/completion/{name}");
    check_result_member(completion.reply(), &pointer, &expect::equals(expected), HEADLINE)
}
