//! Forms that ask for secrets or contain links, both of which the specification forbids or discourages.
//!
//! Only clear cases are reported: names are compared by whole words, and a property counts as a secret only if it accepts any text.
//! A form may well ask how long passwords should be, or which address to fetch.

use super::Violation;
use crate::check::cited::cites;
use crate::json::{Object, Value};

cites! {
    ELICITATION_SAFE_URL_NO_LINKS_IN_FORMS, ELICITATION_SENSITIVE_NOT_ELICITED,
    ELICITATION_SENSITIVE_NOT_IN_FORM_MODE, ELICITATION_SENSITIVE_URL_MODE_USED,
}

/// The words that end the name of a secret or a payment credential.
const SECRETS: [&[&str]; 21] = [
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["passcode"],
    &["apikey"],
    &["api", "key"],
    &["secret", "key"],
    &["private", "key"],
    &["client", "secret"],
    &["api", "secret"],
    &["access", "token"],
    &["auth", "token"],
    &["api", "token"],
    &["bearer", "token"],
    &["refresh", "token"],
    &["credit", "card"],
    &["card", "number"],
    &["cardnumber"],
    &["card", "cvv"],
    &["cvv"],
    &["cvc"],
];

/// First words that show that a name is about a secret (`hasPassword`, `resetPassword`) and not the secret itself.
const ABOUT: [&str; 12] = [
    "has", "is", "no", "without", "use", "show", "hide", "reset", "forgot", "change", "generate",
    "skip",
];

/// Words before the name of a secret in a title.
const FILLERS: [&str; 10] =
    ["enter", "your", "please", "the", "my", "a", "an", "new", "current", "confirm"];

/// A property that asks for a secret, by its name, title or format.
pub(super) fn property_violation(name: &str, property: &Value) -> Option<Violation> {
    let text = |member: &str| property.get(member).and_then(Value::as_str);
    // An enum or a boolean cannot hold a secret.
    let is_free = ["enum", "oneOf", "anyOf"].iter().all(|it| property.get(it).is_none());
    if text("type") != Some("string") || !is_free {
        return None;
    }
    let is_title_of_secret = text("title").is_some_and(|title| {
        let words = words(title);
        let named = words.iter().skip_while(|word| FILLERS.contains(&word.as_str()));
        let named: Vec<&str> = named.map(String::as_str).collect();
        SECRETS.contains(&named.as_slice())
    });
    let got = if text("format") == Some("password") {
        "`format: \"password\"`".to_owned()
    } else if is_name_of_secret(name) {
        format!("`{name}`")
    } else if is_title_of_secret {
        format!("the title {:?}", text("title").unwrap_or_default())
    } else {
        return None;
    };
    let rules = [
        ELICITATION_SENSITIVE_NOT_ELICITED,
        ELICITATION_SENSITIVE_NOT_IN_FORM_MODE,
        ELICITATION_SENSITIVE_URL_MODE_USED,
    ];
    let violation = Violation::new(rules, format!("the form asks for a secret, `{name}`"));
    Some(violation.expected("no property for a password, a key, a token or a card").got(got))
}

fn is_name_of_secret(name: &str) -> bool {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_about = words.first().is_some_and(|first| ABOUT.contains(first));
    !is_about && SECRETS.iter().any(|secret| words.ends_with(secret))
}

/// The words of a name in any of the usual forms, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() {
            // `apiKey` and `APIKey` are two words each.
            let ends_capitals = before.is_uppercase()
                && letter.is_uppercase()
                && letters.peek().is_some_and(|next| next.is_lowercase());
            let begins = !before.is_alphanumeric()
                || (before.is_lowercase() && letter.is_uppercase())
                || ends_capitals;
            if begins {
                words.push(String::new());
            }
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        before = letter;
    }
    words
}

/// The violation of a form that has a link in one of its texts; takes the params of the request.
pub(super) fn link(params: &Value) -> Option<Violation> {
    let text = |of: &Value, name: &str| {
        of.get(name).and_then(Value::as_str).filter(|text| has_link(text)).map(str::to_owned)
    };
    let schema = params.get("requestedSchema");
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let properties = properties.into_iter().flat_map(Object::iter).map(|(_, property)| property);
    let places = schema.into_iter().chain(properties);
    let found = text(params, "message").or_else(|| {
        places.into_iter().find_map(|it| text(it, "title").or_else(|| text(it, "description")))
    })?;
    let violation =
        Violation::new([ELICITATION_SAFE_URL_NO_LINKS_IN_FORMS], "a form has a link to click on");
    Some(violation.expected("links in URL mode only").got_value(Some(&found.into())))
}

/// Whether a text has a link in the form of Markdown or HTML.
///
/// A bare URL does not count: the question may be about it.
fn has_link(text: &str) -> bool {
    ["](https://", "](http://", "<https://", "<http://", "href=\"http", "href='http"]
        .iter()
        .any(|link| text.contains(link))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_by_their_end() {
        for name in [
            "password",
            "userPassword",
            "api_key",
            "apiKey",
            "APIKey",
            "OPENAI_API_KEY",
            "github-access-token",
            "cardNumber",
            "Card number",
            "cvv",
            "clientSecret",
        ] {
            assert!(is_name_of_secret(name), "{name}");
        }
        for name in [
            "passwordLength",
            "token",
            "maxTokens",
            "tokenName",
            "key",
            "resetPassword",
            "hasPassword",
            "secretary",
            "monkey",
            "number",
            "username",
            "discard",
            "",
        ] {
            assert!(!is_name_of_secret(name), "{name}");
        }
    }

    #[test]
    fn links_are_those_of_markup() {
        for text in
            ["[here](https://a.example)", "see <https://a.example>", "<a href=\"https://a\">"]
        {
            assert!(has_link(text), "{text}");
        }
        for text in ["Fetch https://a.example?", "[a](b)", "a < b"] {
            assert!(!has_link(text), "{text}");
        }
    }
}
