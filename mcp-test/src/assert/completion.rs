//! Assertions of completions.

use super::assertions;
use super::text::quoted;
use crate::check::Finding;
use crate::client::Completion;
use crate::expect::{self, Matcher, words};
use crate::json::Value;

assertions! { [] Completion {
    /// Asserts that these values are proposed, in this order, and no others.
    assert_values / try_values (self, expected: impl IntoIterator<Item = impl Into<String>>) {
        check_values(&self, expected.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Asserts that this value is among those proposed.
    assert_contains / try_contains (self, value: &str) { check_contains(&self, value) }

    /// Asserts how many values the server says there are in all, those not proposed included.
    assert_total / try_total (self, total: u64) { check_member(&self, "total", total.into()) }

    /// Asserts whether the server says that there are more values than it proposes.
    assert_has_more / try_has_more (self, has_more: bool) { check_member(&self, "hasMore", has_more.into()) }
}}

const HEADLINE: &str = "the completion is not as expected";

fn other(completion: &Completion) -> Finding {
    Finding::peer(HEADLINE).evidence_all(completion.reply().evidence())
}

fn values(completion: &Completion) -> Result<&Value, Finding> {
    let reply = completion.reply();
    let result = reply.result()?;
    let inner = expect::object().member("values", expect::array_of(expect::string()));
    expect::object().member("completion", inner).check(result).map_err(|mismatch| {
        Finding::mismatch("the result of `completion/complete` has no values", &mismatch)
            .requires("schema.complete-result")
            .evidence_all(reply.evidence())
    })?;
    Ok(result.at("/completion/values").unwrap_or(&Value::Null))
}

fn check_values(completion: &Completion, expected: Vec<String>) -> Result<(), Finding> {
    let values = values(completion)?;
    let expected = Value::from(expected);
    expect::equals(expected.clone()).check(values).map_err(|mismatch| {
        let which = mismatch.which.filter(|_| values != &expected);
        let which = which.map_or_else(String::new, |which| format!(", which {which}"));
        other(completion)
            .expected(format!("the values {}", words::got(Some(&expected))))
            .got(format!("{}{which}", words::got(Some(values))))
    })
}

fn check_contains(completion: &Completion, value: &str) -> Result<(), Finding> {
    let values = values(completion)?;
    let texts = || values.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
    if texts().any(|text| text == value) {
        return Ok(());
    }
    let finding = other(completion)
        .expected(format!("{} among the values", quoted(value)))
        .got(words::got(Some(values)));
    Err(match words::closest(value, texts()) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    })
}

fn check_member(completion: &Completion, name: &str, expected: Value) -> Result<(), Finding> {
    values(completion)?;
    let pointer = format!("/completion/{name}");
    let reply = completion.reply();
    super::reply::member(reply.result()?, &pointer, &expect::equals(expected), HEADLINE.to_owned())
        .map_err(|finding| finding.evidence_all(reply.evidence()))
}
