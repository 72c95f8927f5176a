//! How long tokens are valid.

use super::*;
use crate::jose::Jws;

#[tokio::test]
async fn the_builder_says_how_long_tokens_are_valid() {
    let lifetimes = builder()
        .access_token_lifetime(Duration::from_secs(7))
        .refresh_token_lifetime(Duration::ZERO);
    let flow = Flow::start(lifetimes).await;
    let code = flow.code("desktop", &[]).await;
    let issued = flow.token(&exchange("desktop", &code)).await;
    assert_eq!(body(&issued).get("expires_in").and_then(Value::as_u64), Some(7));
    let token = Jws::parse(&text(&issued, "access_token")).unwrap();
    let claims = token.verify(flow.server.public_key()).unwrap();
    let time = |name: &str| claims.get(name).and_then(Value::as_u64).unwrap();
    assert_eq!(time("exp") - time("iat"), 7);
    let refresh = text(&issued, "refresh_token");
    let parameters =
        [("grant_type", "refresh_token"), ("client_id", "desktop"), ("refresh_token", &refresh)];
    let expected = (400, "invalid_grant".to_owned());
    assert_eq!(refusal(&flow.token(&parameters).await), expected);
}
