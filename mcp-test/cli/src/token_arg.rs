//! `--token`: an access token for the server under test, and what it is for.

use http::HeaderValue;
use mcp_test_core::expect::words;
use mcp_test_core::transport::{TokenRole, TokensByRole};

use super::error::CliError;
use super::option_value::SecretArg;
use super::value_source::resolve_value;

/// Reads `[ROLE=]VALUE`, as often as it was given.
pub(super) fn read_tokens(
    args: &[SecretArg],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<TokensByRole, CliError> {
    let mut tokens = TokensByRole::default();
    for arg in args {
        let (role, value) = split(arg.reveal())?;
        let wrong = |problem: String| CliError::Token { role: role.to_string(), problem };
        let token = resolve_value(value, variable).map_err(|error| wrong(error.to_string()))?;
        if let Some(problem) = problem(&token) {
            return Err(wrong(problem.to_owned()));
        }
        if tokens.set(role, token).is_some() {
            return Err(wrong("it is given twice".to_owned()));
        }
    }
    Ok(tokens)
}

/// The argument for a rerun, with a placeholder for the token.
pub(super) fn rerun(arg: &SecretArg) -> Option<String> {
    let (role, value) = split(arg.reveal()).ok()?;
    // The name of a file with a secret is not secret.
    let shown = if value.starts_with('@') { value } else { "<value>" };
    Some(match role {
        TokenRole::User => shown.to_owned(),
        role => format!("{role}={shown}"),
    })
}

/// Splits the role from the value. A token ends with any `=` that it has (RFC 6750, section 2.1), and they are not separators.
fn split(text: &str) -> Result<(TokenRole, &str), CliError> {
    let named = text.split_once('=').filter(|(_, value)| {
        !text.starts_with(['@', '$']) && !value.bytes().all(|byte| byte == b'=')
    });
    match named {
        None => Ok((TokenRole::User, text)),
        // The text is not repeated: it may be a part of the token.
        Some((role, value)) => match role.parse() {
            Ok(role) => Ok((role, value)),
            Err(_) => Err(CliError::TokenRole(words::list(
                TokenRole::ALL.map(|role| format!("`{role}`")),
                "or",
            ))),
        },
    }
}

/// What is wrong with a token.
fn problem(token: &str) -> Option<&'static str> {
    let scheme = token.split(' ').next().unwrap_or_default();
    if token.is_empty() {
        Some("the token is empty")
    } else if token.len() > scheme.len() && scheme.eq_ignore_ascii_case("bearer") {
        Some("leave out `Bearer`, which mcp-test adds")
    } else if token.contains(char::is_whitespace) || HeaderValue::from_str(token).is_err() {
        Some("the token contains characters that tokens do not have")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "hunter22==".to_owned())
    }

    fn read(args: &[&str]) -> Result<TokensByRole, String> {
        let args: Vec<SecretArg> =
            args.iter().map(|arg| SecretArg::from((*arg).to_owned())).collect();
        read_tokens(&args, &variable).map_err(|error| error.to_string())
    }

    #[test]
    fn a_token_has_a_role() {
        let tokens = read(&["abc==", "expired=${TOKEN}", "no-scope=a.b-c"]).expect("tokens");
        assert_eq!(tokens.get(TokenRole::User), Some("abc=="));
        assert_eq!(tokens.get(TokenRole::Expired), Some("hunter22=="));
        assert_eq!(tokens.get(TokenRole::NoScope), Some("a.b-c"));
        assert_eq!(tokens.get(TokenRole::OtherUser), None);
        assert_eq!(format!("{tokens:?}"), "{User, Expired, NoScope}");
        assert_eq!(read(&["${TOKEN}"]), read(&["user=hunter22=="]));
    }

    #[test]
    fn a_file_is_named_and_a_value_is_not() {
        let shown = |arg: &str| rerun(&SecretArg::from(arg.to_owned())).expect("an argument");
        assert_eq!(shown("hunter22"), "<value>");
        assert_eq!(shown("user=hunter22"), "<value>");
        assert_eq!(shown("@token=1.txt"), "@token=1.txt");
        assert_eq!(shown("expired=@token.txt"), "expired=@token.txt");
        assert_eq!(shown("expired=${TOKEN}"), "expired=<value>");
    }

    #[test]
    fn an_invalid_token_is_refused_without_repeating_it() {
        let invalid: [&[&str]; 9] = [
            &["admin=hunter22"],
            &[""],
            &["Bearer hunter22"],
            &["hunter 22"],
            &["expired=hunter22\n"],
            &["user=hunter22", "hunter33"],
            &["other-user=${NONE}"],
            &["${TOKEN"],
            &["@/no/such/file"],
        ];
        let messages: Vec<String> = invalid.iter().filter_map(|args| read(args).err()).collect();
        insta::assert_snapshot!(messages.join("\n"), @"
        --token: the text before `=` is not a role; expected `user`, `other-user`, `expired`, `other-audience` or `no-scope`
        --token user: the token is empty
        --token user: leave out `Bearer`, which mcp-test adds
        --token user: the token contains characters that tokens do not have
        --token expired: the token contains characters that tokens do not have
        --token user: it is given twice
        --token other-user: the environment variable NONE is not set
        --token user: `${` is not closed by `}`
        --token user: cannot read /no/such/file: No such file or directory (os error 2)
        ");
        assert!(!messages.join("").contains("hunter"));
    }
}
