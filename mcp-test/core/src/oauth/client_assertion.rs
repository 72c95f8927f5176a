//! Assertions by which clients with a key authenticate (RFC 7523): who signs one, and whether it is valid here and now.

use std::collections::VecDeque;
use std::time::Duration;

use super::client::OAuthClient;
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use crate::jose::{Jws, check_times};
use crate::json::Value;

const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How far the clock of a client may differ.
const LEEWAY: Duration = Duration::from_secs(30);
/// How many assertions are remembered; the oldest are forgotten.
const MOST_REMEMBERED: usize = 1_000;
/// The bytes of the longest id of an assertion.
const LONGEST_ID: usize = 256;

/// An assertion whose signature has not been verified yet.
pub(super) struct ClientAssertion {
    token: Jws,
    /// The client that it says it is of.
    pub(super) client: String,
}

/// The assertions that were used, none of which works again.
#[derive(Default)]
pub(super) struct UsedAssertions(VecDeque<(String, String)>);

impl ClientAssertion {
    /// The assertion in a form, if there is one.
    pub(super) fn from_form(form: &Parameters) -> Result<Option<Self>, OAuthError> {
        let kind = form.one("client_assertion_type")?;
        let Some(text) = form.one("client_assertion")? else { return Ok(None) };
        if kind != Some(JWT_BEARER) {
            let why = "`client_assertion_type` is not the one for JWTs";
            return Err(ErrorCode::InvalidRequest.because(why));
        }
        let invalid = ErrorCode::InvalidClient.because("the assertion is not a JWT with a subject");
        let token = Jws::parse(text).map_err(|_| invalid)?;
        let claims = token.unverified_claims().map_err(|_| invalid)?;
        let client = text_of(&claims, "sub").ok_or(invalid)?.to_owned();
        Ok(Some(Self { token, client }))
    }

    /// Verifies that this client has signed it for the authorization server, and that it is not used again.
    pub(super) fn verify(
        &self,
        client: &OAuthClient,
        issuer: &str,
        used: &mut UsedAssertions,
    ) -> Result<(), OAuthError> {
        let invalid = |why| ErrorCode::InvalidClient.because(why);
        let verified = client.keys.key_of(&self.token).and_then(|key| self.token.verify(key));
        let claims = verified.map_err(|_| invalid("the assertion is not signed by the client"))?;
        if ["iss", "sub"].iter().any(|name| text_of(&claims, name) != Some(client.id.as_str())) {
            return Err(invalid("`iss` and `sub` of the assertion must be the client"));
        }
        if !is_for(&claims, issuer) {
            return Err(invalid("the assertion is for another authorization server"));
        }
        check_times(&claims, LEEWAY)
            .map_err(|_| invalid("the assertion has expired, is not valid yet, or has no `exp`"))?;
        match text_of(&claims, "jti") {
            Some(id) if id.len() <= LONGEST_ID => used.add(&client.id, id),
            _ => Err(invalid("the assertion has no `jti`, or a long one")),
        }
    }
}

impl UsedAssertions {
    /// Notes an assertion of this party, which must be new.
    pub(super) fn add(&mut self, client: &str, id: &str) -> Result<(), OAuthError> {
        let used = (client.to_owned(), id.to_owned());
        if self.0.contains(&used) {
            return Err(ErrorCode::InvalidClient.because("the assertion was used before"));
        }
        if self.0.len() == MOST_REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(used);
        Ok(())
    }
}

/// Whether the audience is the issuer, or the token endpoint, which RFC 7523 names too.
fn is_for(claims: &Value, issuer: &str) -> bool {
    let is_ours = |audience: &Value| {
        audience
            .as_str()
            .is_some_and(|text| text == issuer || text.strip_prefix(issuer) == Some("/token"))
    };
    match claims.get("aud") {
        Some(Value::Array(several)) => several.iter().any(is_ours),
        Some(one) => is_ours(one),
        None => false,
    }
}

fn text_of<'a>(claims: &'a Value, name: &str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str)
}
