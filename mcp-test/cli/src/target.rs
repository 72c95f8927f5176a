//! Resolves the arguments to the server under test.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use mcp_test_core::process::Command;
use mcp_test_core::server::reference;
use mcp_test_core::trace::{is_secret_variable, secrets_in_command};
use mcp_test_core::transport::authorizer::AUTHORIZATION;
use mcp_test_core::transport::{Target, TransportKind};

use super::common_args::{SignInArgs, TargetArgs};
use super::error::CliError;
use super::option_value::SecretArg;
use super::sign_in::SignInSession;
use super::token_arg::{read_tokens, rerun};
use super::url::Endpoint;
use super::value_source::resolve_value;
use crate::report::Secrets;

/// The target that the arguments select.
pub(super) struct ResolvedTarget {
    /// The server under test.
    pub(super) target: Target,
    /// The texts that no report may show.
    pub(super) secrets: Secrets,
    /// The arguments for a rerun, with placeholders for secrets.
    pub(super) args: Vec<String>,
    /// Signing in, where that is possible.
    pub(super) sign_in: Option<Arc<SignInSession>>,
}

impl ResolvedTarget {
    /// The target, also over HTTP+SSE if that is among the selected transports.
    ///
    /// A URL does not show which of the two HTTP transports it serves, and HTTP+SSE is deprecated, so it has to be requested.
    pub(super) fn over(&self, transports: &[TransportKind]) -> Target {
        let target = self.target.clone();
        if transports.contains(&TransportKind::Sse) { target.also_over_sse() } else { target }
    }
}

impl TargetArgs {
    /// Resolves the target for `command`, with environment variables from `variable`.
    pub(super) fn resolve(
        &self,
        command: &'static str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ResolvedTarget, CliError> {
        let headers = self
            .headers
            .iter()
            .map(|header| read_header(header, variable))
            .collect::<Result<Vec<_>, _>>()?;
        // A program or an in-process server over stdin and stdout has no headers to send.
        if !headers.is_empty() && self.url.is_none() {
            let name = Some(headers[0].0.as_str());
            return Err(CliError::header(name, "headers require a target with --url"));
        }
        let tokens = read_tokens(&self.authorization.tokens, variable)?;
        let endpoint = self.url.as_deref().map(Endpoint::parse).transpose()?;
        let has_credentials = self.check_credentials(&headers, endpoint.as_ref())?;
        let sign_in = match endpoint.as_ref().filter(|_| !has_credentials) {
            Some(endpoint) => SignInSession::of(&self.authorization, endpoint, variable)?,
            None => None,
        };
        let mut secrets: Vec<String> = headers.iter().map(|(_, value)| value.clone()).collect();
        secrets.extend(endpoint.iter().flat_map(|endpoint| endpoint.secrets.iter().cloned()));
        secrets.extend(tokens.roles().filter_map(|role| tokens.get(role).map(str::to_owned)));
        let env = self.env.iter().map(assignment).collect::<Result<Vec<_>, _>>()?;
        for (name, value) in &env {
            // Masking every value, such as `1` or `true`, would garble reports.
            secrets.extend(is_secret_variable(name).then(|| (*value).to_owned()));
        }
        secrets.extend(secrets_in_command(self.command.iter().map(String::as_str)));
        let mut target = self.without_headers(command, endpoint.as_ref(), &env)?;
        let mut masked = Secrets::new(secrets);
        for (name, value) in &headers {
            target = target.header(name, value);
            masked = masked.header(name);
        }
        for role in tokens.roles() {
            target = target.token(role, tokens.get(role).unwrap_or_default());
        }
        // RFC 9110, section 4.2.4: user and password are not sent as a part of the URL.
        if let Some(authorization) = endpoint.as_ref().and_then(|it| it.authorization.as_ref()) {
            target = target.header(AUTHORIZATION, authorization);
        }
        let args = self.rerun_args(&headers, endpoint.as_ref(), &env);
        // A secret may occur where no option reveals it, such as in an argument of the command.
        let args = args.iter().map(|arg| masked.mask(arg)).collect();
        let label = masked.mask(&target.label());
        let mut target = target.named(label);
        if let Some(sign_in) = &sign_in {
            target = sign_in.authorize(target);
            masked = masked.learning(sign_in.learned());
        }
        Ok(ResolvedTarget { target, secrets: masked, args, sign_in })
    }

    /// Refuses what contradicts itself; returns whether there are credentials for the server.
    fn check_credentials(
        &self,
        headers: &[(String, String)],
        endpoint: Option<&Endpoint>,
    ) -> Result<bool, CliError> {
        let has_user = endpoint.is_some_and(|endpoint| endpoint.authorization.is_some());
        let has_header = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(AUTHORIZATION));
        if has_header && has_user {
            let problem = "--url already has a user; use only one of the two";
            return Err(CliError::header(Some(AUTHORIZATION), problem));
        }
        let args = &self.authorization;
        let options = [
            ("--token", !args.tokens.is_empty()),
            ("--sign-in", args.sign_in),
            ("--open-browser", args.open_browser),
            ("--client-id", args.client_id.is_some()),
            ("--callback-port", args.callback_port.is_some()),
        ];
        if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
            let problem = match () {
                () if self.url.is_none() => "it requires a target with --url",
                () if has_header => "--header already has `Authorization`; use only one of the two",
                () if has_user => "--url already has a user; use only one of the two",
                () => return Ok(!args.tokens.is_empty()),
            };
            return Err(CliError::Credentials { option, problem });
        }
        Ok(has_header || has_user)
    }

    fn without_headers(
        &self,
        command: &'static str,
        endpoint: Option<&Endpoint>,
        env: &[(&str, &str)],
    ) -> Result<Target, CliError> {
        if self.reference {
            return Ok(reference::everything().target().named("the reference server"));
        }
        match (endpoint, self.child(env)?) {
            (Some(Endpoint { url, shown, .. }), None) => Ok(Target::url(url).named(shown)),
            (Some(Endpoint { url, shown, .. }), Some(child)) => {
                Ok(Target::url_started_by(url, child).named(shown))
            }
            (None, Some(child)) => Ok(Target::command(child)),
            (None, None) => Err(CliError::NoTarget { command }),
        }
    }

    fn child(&self, env: &[(&str, &str)]) -> Result<Option<Command>, CliError> {
        if self.command.is_empty() {
            return Ok(None);
        }
        let mut command = Command::parse(&self.command)?;
        if let Some(cwd) = &self.cwd {
            // Spawning fails with the same error for a missing directory as for a missing program.
            if !cwd.is_dir() {
                return Err(CliError::Cwd(cwd.clone()));
            }
            command = command.cwd(cwd);
        }
        let own = self.variables.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in own.chain(env.iter().copied()) {
            command = command.env(name, value);
        }
        Ok(Some(command))
    }

    /// The arguments for a rerun; values that may be secret are placeholders.
    fn rerun_args(
        &self,
        headers: &[(String, String)],
        endpoint: Option<&Endpoint>,
        env: &[(&str, &str)],
    ) -> Vec<String> {
        let mut args = Vec::new();
        let mut option = |name: &str, value: String| args.extend([name.to_owned(), value]);
        if let Some(endpoint) = endpoint {
            option("--url", endpoint.rerun.clone());
        }
        for (given, (name, _)) in self.headers.iter().zip(headers) {
            let (_, value) = split(given.reveal()).unwrap_or_default();
            // The name of a file with a secret is not secret.
            let shown = if value.starts_with('@') { value } else { "<value>" };
            option("--header", format!("{name}={shown}"));
        }
        for token in self.authorization.tokens.iter().filter_map(rerun) {
            option("--token", token);
        }
        self.authorization.rerun_args(&mut option);
        if let Some(cwd) = &self.cwd {
            option("--cwd", cwd.display().to_string());
        }
        for (name, _) in env {
            option("--env", format!("{name}=<value>"));
        }
        args.extend(self.authorization.rerun_flags());
        if self.reference {
            args.push("--reference".to_owned());
        }
        if !self.command.is_empty() {
            args.push("--".to_owned());
            args.extend(self.command.iter().cloned());
        }
        args
    }
}

impl SignInArgs {
    /// The options with values for a rerun, except tokens.
    fn rerun_args(&self, option: &mut impl FnMut(&str, String)) {
        if let Some(id) = &self.client_id {
            option("--client-id", id.clone());
        }
        if let Some(secret) = &self.client_secret {
            // The name of a file with a secret is not secret.
            let shown = Some(secret.reveal()).filter(|value| value.starts_with('@'));
            option("--client-secret", shown.unwrap_or("<value>").to_owned());
        }
        if let Some(port) = self.callback_port {
            option("--callback-port", port.to_string());
        }
    }

    /// The options without values for a rerun.
    fn rerun_flags(&self) -> impl Iterator<Item = String> {
        let flags = [("--sign-in", self.sign_in), ("--open-browser", self.open_browser)];
        flags.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name.to_owned())
    }
}

fn assignment(variable: &SecretArg) -> Result<(&str, &str), CliError> {
    variable
        .reveal()
        .split_once('=')
        // The operating system ends a variable at a NUL.
        .filter(|(name, value)| !name.is_empty() && !name.contains('\0') && !value.contains('\0'))
        .ok_or(CliError::Env)
}

/// Splits `NAME=VALUE`, or `NAME: VALUE` as curl has it, at the first separator; a name contains neither.
fn split(header: &str) -> Option<(&str, &str)> {
    let (name, value) = header.split_once(['=', ':'])?;
    Some((name.trim(), value.trim()))
}

fn read_header(
    header: &SecretArg,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(String, String), CliError> {
    let Some((name, value)) = split(header.reveal()) else {
        return Err(CliError::header(None, "expected NAME=VALUE"));
    };
    // The text is not repeated: of a header without a separator before the secret, it is the secret.
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Err(CliError::header(None, "the text before `=` is not a valid header name"));
    }
    let invalid = |problem: &str| CliError::header(Some(name), problem);
    if is_protocol_header(name) {
        return Err(invalid("mcp-test sets this header itself, as the protocol requires"));
    }
    let value = resolve_value(value, variable).map_err(|error| invalid(&error.to_string()))?;
    if HeaderValue::from_str(&value).is_err() {
        return Err(invalid("the value contains characters that are not allowed in headers"));
    }
    Ok((name.to_owned(), value))
}

/// Whether a header depends on the message or the conversation, so that only the client can set it.
fn is_protocol_header(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "accept",
        "connection",
        "content-length",
        "content-type",
        "host",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    ];
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || name.starts_with("mcp-param-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "hunter22".to_owned())
    }

    fn header(text: &str) -> Result<(String, String), String> {
        let Ok(text) = text.parse();
        read_header(&text, &variable).map_err(|error| error.to_string())
    }

    fn args(command: &[&str]) -> TargetArgs {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        TargetArgs { command, ..TargetArgs::default() }
    }

    #[test]
    fn a_header_is_read_in_both_forms() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(header("X-Key=a=b:c"), pair("X-Key", "a=b:c"));
        assert_eq!(header("X-Key: a=b"), pair("X-Key", "a=b"));
        assert_eq!(
            header("Authorization=Bearer ${TOKEN}!"),
            pair("Authorization", "Bearer hunter22!")
        );
    }

    #[test]
    fn an_invalid_header_is_refused_without_repeating_it() {
        let invalid = [
            "hunter22",
            "hunter 22=x",
            "X-Key=hunter22\n",
            "X-Key=hunter22 ${NONE}",
            "X-Key=${TOKEN",
        ];
        let message: Vec<String> =
            invalid.into_iter().filter_map(|text| header(text).err()).collect();
        insta::assert_snapshot!(message.join("\n"), @r"
        --header: expected NAME=VALUE
        --header: the text before `=` is not a valid header name
        --header X-Key: the environment variable NONE is not set
        --header X-Key: `${` is not closed by `}`
        ");
        assert!(!message.join("").contains("hunter"));
        assert!(
            header("X-Key=@/no/such/file").is_err_and(|message| message.contains("/no/such/file"))
        );
    }

    #[test]
    fn the_arguments_for_a_rerun_contain_no_secret() {
        let Ok(secret) = "X-Key=hunter22".parse();
        let Ok(token) = "TOKEN=hunter33".parse();
        let args = TargetArgs {
            url: Some("http://localhost:1/mcp".to_owned()),
            headers: vec![secret],
            env: vec![token],
            ..args(&["node", "x.js"])
        };
        let resolved = args.resolve("server", &variable).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            resolved.args.join(" "),
            "--url http://localhost:1/mcp --header X-Key=<value> --env TOKEN=<value> -- node x.js"
        );
        assert_eq!(resolved.target.transports(), [TransportKind::Http]);
        assert_eq!(resolved.secrets.mask("hunter22 hunter33"), "[secret] [secret]");
    }

    #[test]
    fn the_credentials_of_a_url_are_sent_and_not_shown() {
        let url = "http://user:hunter99@localhost:1/mcp?token=abc&page=2".to_owned();
        let args = TargetArgs { url: Some(url.clone()), ..TargetArgs::default() };
        let resolved = args.resolve("check", &variable).unwrap_or_else(|error| panic!("{error}"));
        insta::assert_snapshot!(resolved.target.label(), @"http://localhost:1/mcp?token=[secret]&page=2");
        insta::assert_snapshot!(resolved.args.join(" "), @"--url http://user:<password>@localhost:1/mcp?token=<value>&page=2");
        insta::assert_snapshot!(resolved.secrets.mask("hunter99 dXNlcjpodW50ZXI5OQ=="), @"[secret] [secret]");
        let Ok(header) = "authorization=Bearer hunter22".parse();
        let args = TargetArgs { url: Some(url), headers: vec![header], ..TargetArgs::default() };
        let error = args.resolve("check", &variable).err().map(|error| error.to_string());
        insta::assert_snapshot!(error.unwrap_or_default(), @"--header Authorization: --url already has a user; use only one of the two");
    }

    #[test]
    fn a_header_that_the_protocol_sets_is_refused() {
        for name in ["Content-Length", "accept", "Mcp-Session-Id", "Mcp-Param-Region"] {
            let message = header(&format!("{name}=1")).err().unwrap_or_default();
            assert_eq!(
                message,
                format!(
                    "--header {name}: mcp-test sets this header itself, as the protocol requires"
                )
            );
        }
        assert!(header("Mcp-Tenant=1").is_ok());
    }

    #[test]
    fn the_label_of_a_command_hides_its_variables() {
        let Ok(secret) = "TOKEN=hunter22".parse();
        let args = TargetArgs { env: vec![secret], ..args(&["node", "my server.js"]) };
        let resolved = args.resolve("check", &variable).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(resolved.target.label(), "TOKEN=… node 'my server.js'");
    }

    #[test]
    fn an_invalid_target_is_refused_with_valid_examples() {
        let message = |args: TargetArgs| {
            args.resolve("check", &variable)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        let url = |url: &str| TargetArgs { url: Some(url.to_owned()), ..TargetArgs::default() };
        insta::assert_snapshot!(message(TargetArgs::default()), @r"
        no target; use one of
          mcp-test check --url http://localhost:3000/mcp                   a running server
          mcp-test check -- npx my-server                                  a program that speaks MCP over stdin and stdout
          mcp-test check --url http://localhost:3000/mcp -- npx my-server  a program that listens at the URL
          mcp-test check --reference                                       the built-in reference server
        ");
        insta::assert_snapshot!(message(url("localhost:3000")), @"--url localhost:3000: `localhost` is not HTTP; expected a URL such as http://localhost:3000/mcp");
        insta::assert_snapshot!(message(url("3000")), @"--url 3000: relative URL without a base; expected a URL such as http://localhost:3000/mcp");
        let Ok(header) = "X-Key=hunter22".parse();
        insta::assert_snapshot!(message(TargetArgs { headers: vec![header], ..args(&["node"]) }), @"--header X-Key: headers require a target with --url");
        insta::assert_snapshot!(message(TargetArgs { cwd: Some("/no/such/dir".into()), ..args(&["node"]) }), @"--cwd /no/such/dir: no such directory");
    }
}
