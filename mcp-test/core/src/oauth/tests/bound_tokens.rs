//! Tokens that are bound to a key (RFC 9449).

use super::*;
use crate::jose::{Jws, SigningKey};
use crate::oauth::dpop::{DPOP, DPOP_NONCE, ProvenRequest};

impl Flow {
    fn proof(&self, key: &SigningKey, nonce: Option<&str>) -> String {
        let url = format!("{}/token", self.server.issuer());
        let request = ProvenRequest { method: "POST", url: &url, nonce, token: None };
        request.prove(key).unwrap()
    }

    async fn token_with_proof(&self, parameters: &[(&str, &str)], proof: &str) -> HttpResponse {
        self.send(token_request(parameters).header(DPOP, proof)).await
    }
}

fn refresh<'a>(client: &'a str, token: &'a str) -> [(&'static str, &'a str); 3] {
    [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)]
}

#[tokio::test]
async fn a_token_is_bound_to_the_key_of_the_proof() {
    let flow = Flow::start(builder()).await;
    let (key, other) = (SigningKey::es256().unwrap(), SigningKey::es256().unwrap());
    let code = flow.code("desktop", &[]).await;
    let proof = flow.proof(&key, None);
    let issued = flow.token_with_proof(&exchange("desktop", &code), &proof).await;
    assert_eq!(text(&issued, "token_type"), "DPoP");
    let token = Jws::parse(&text(&issued, "access_token")).unwrap();
    let claims = token.verify(flow.server.public_key()).unwrap();
    let bound = claims.get("cnf").and_then(|key| key.get("jkt")).and_then(Value::as_str);
    assert_eq!(bound, Some(key.public().thumbprint().as_str()));
    // The refresh token of a client without a secret is bound, too.
    let token = text(&issued, "refresh_token");
    let invalid = (400, "invalid_grant".to_owned());
    assert_eq!(refusal(&flow.token(&refresh("desktop", &token)).await), invalid);
    let proof = flow.proof(&other, None);
    let stolen = flow.token_with_proof(&refresh("desktop", &token), &proof).await;
    assert_eq!(refusal(&stolen), invalid);
    let proof = flow.proof(&key, None);
    let refreshed = flow.token_with_proof(&refresh("desktop", &token), &proof).await;
    assert_eq!(text(&refreshed, "token_type"), "DPoP");
    // Nobody can use a proof again.
    let token = text(&refreshed, "refresh_token");
    let again = flow.token_with_proof(&refresh("desktop", &token), &proof).await;
    assert_eq!(refusal(&again), (400, "invalid_dpop_proof".to_owned()));
    let broken = flow.token_with_proof(&refresh("desktop", &token), "e30.e30.e30").await;
    assert_eq!(refusal(&broken), (400, "invalid_dpop_proof".to_owned()));
}

#[tokio::test]
async fn a_code_can_be_bound_to_a_key() {
    let flow = Flow::start(builder()).await;
    let (key, other) = (SigningKey::es256().unwrap(), SigningKey::es256().unwrap());
    let thumbprint = key.public().thumbprint();
    for (with, status) in [(Some(&other), 400), (None, 400), (Some(&key), 200)] {
        let code = flow.code("desktop", &[("dpop_jkt", &thumbprint)]).await;
        let exchange = exchange("desktop", &code);
        let response = match with {
            Some(key) => flow.token_with_proof(&exchange, &flow.proof(key, None)).await,
            None => flow.token(&exchange).await,
        };
        assert_eq!(response.status, status, "{response:?}");
    }
}

#[tokio::test]
async fn a_nonce_is_demanded_of_proofs_alone() {
    let flow = Flow::start(builder().dpop_nonces()).await;
    let key = SigningKey::es256().unwrap();
    let form =
        [("grant_type", "client_credentials"), ("client_id", "service"), ("client_secret", SECRET)];
    assert_eq!(text(&flow.token(&form).await, "token_type"), "Bearer");
    for nonce in [None, Some("made up")] {
        let refused = flow.token_with_proof(&form, &flow.proof(&key, nonce)).await;
        assert_eq!(refusal(&refused), (400, "use_dpop_nonce".to_owned()));
        let nonce = refused.header(DPOP_NONCE).expect("a nonce").to_owned();
        let issued = flow.token_with_proof(&form, &flow.proof(&key, Some(&nonce))).await;
        assert_eq!(text(&issued, "token_type"), "DPoP");
    }
}
