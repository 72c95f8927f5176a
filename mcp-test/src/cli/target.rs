//! From arguments to what is tested.

use std::fs;

use http::{HeaderName, HeaderValue};

use super::args::TargetArgs;
use super::error::CliError;
use super::url::Endpoint;
use super::value::Confidential;
use crate::process::Command;
use crate::report::Secrets;
use crate::server::reference;
use crate::trace::{is_secret_variable, secrets_in_url};
use crate::transport::Target;

/// What the arguments choose.
pub(super) struct Chosen {
    /// What is tested.
    pub(super) target: Target,
    /// What no report may show.
    pub(super) secrets: Secrets,
    /// The arguments again, for a shell, without what is secret in them.
    pub(super) words: Vec<String>,
}

impl TargetArgs {
    /// The target, for `command`; variables are looked up by `variable`.
    pub(super) fn choose(
        &self,
        command: &'static str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Chosen, CliError> {
        let headers = self
            .headers
            .iter()
            .map(|header| read_header(header, variable))
            .collect::<Result<Vec<_>, _>>()?;
        if !headers.is_empty() && self.url.is_none() {
            let problem = "headers are for targets with a --url".to_owned();
            return Err(CliError::Header { name: Some(headers[0].0.clone()), problem });
        }
        let endpoint = self.url.as_deref().map(Endpoint::read).transpose()?;
        let mut secrets: Vec<String> = headers.iter().map(|(_, value)| value.clone()).collect();
        secrets.extend(endpoint.iter().flat_map(|endpoint| endpoint.secrets.iter().cloned()));
        for variable in &self.env {
            let (name, value) = assignment(variable)?;
            // To mask every value would garble reports.
            secrets.extend(is_secret_variable(name).then(|| value.to_owned()));
        }
        let urls = self.command.iter().filter(|word| word.contains("://"));
        secrets.extend(urls.flat_map(|url| secrets_in_url(url)));
        let mut target = self.bare(command, endpoint.as_ref())?;
        let mut masked = Secrets::new(secrets);
        for (name, value) in &headers {
            target = target.header(name, value);
            masked = masked.header(name);
        }
        if let Some(authorization) = endpoint.as_ref().and_then(|it| it.authorization.as_ref()) {
            if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
                let problem = "the --url names a user already; give one of the two".to_owned();
                return Err(CliError::Header { name: Some("Authorization".to_owned()), problem });
            }
            target = target.header("Authorization", authorization);
        }
        let words = self.words(&headers, endpoint.as_ref())?;
        let words = words.iter().map(|word| masked.mask(word)).collect();
        let label = masked.mask(&target.label());
        Ok(Chosen { target: target.named(label), secrets: masked, words })
    }

    fn bare(&self, command: &'static str, endpoint: Option<&Endpoint>) -> Result<Target, CliError> {
        if self.reference {
            return Ok(reference::everything().target().named("the reference server"));
        }
        match (endpoint, self.child()?) {
            (Some(Endpoint { url, shown, .. }), None) => Ok(Target::url(url).named(shown)),
            (Some(Endpoint { url, shown, .. }), Some(child)) => {
                Ok(Target::url_started_by(url, child).named(shown))
            }
            (None, Some(child)) => Ok(Target::command(child)),
            (None, None) => Err(CliError::NoTarget { command }),
        }
    }

    fn child(&self) -> Result<Option<Command>, CliError> {
        if self.command.is_empty() {
            return Ok(None);
        }
        let mut command = Command::parse(&self.command)?;
        if let Some(cwd) = &self.cwd {
            if !cwd.is_dir() {
                return Err(CliError::Cwd(cwd.clone()));
            }
            command = command.cwd(cwd);
        }
        for variable in &self.env {
            let (name, value) = assignment(variable)?;
            command = command.env(name, value);
        }
        Ok(Some(command))
    }

    /// The arguments again; values that may be secret are left to be filled in.
    fn words(
        &self,
        headers: &[(String, String)],
        endpoint: Option<&Endpoint>,
    ) -> Result<Vec<String>, CliError> {
        let mut words = Vec::new();
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(endpoint) = endpoint {
            option("--url", endpoint.again.clone());
        }
        for (given, (name, _)) in self.headers.iter().zip(headers) {
            let (_, value) = split(given.reveal()).unwrap_or_default();
            // A reference to a secret is not the secret.
            let shown = if value.starts_with('@') { value } else { "<value>" };
            option("--header", format!("{name}={shown}"));
        }
        if let Some(cwd) = &self.cwd {
            option("--cwd", cwd.display().to_string());
        }
        for variable in &self.env {
            option("--env", format!("{}=<value>", assignment(variable)?.0));
        }
        if self.reference {
            words.push("--reference".to_owned());
        }
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().cloned());
        }
        Ok(words)
    }
}

fn assignment(variable: &Confidential) -> Result<(&str, &str), CliError> {
    variable
        .reveal()
        .split_once('=')
        .filter(|(name, value)| !name.is_empty() && !name.contains('\0') && !value.contains('\0'))
        .ok_or_else(|| CliError::Env(variable.clone()))
}

/// `NAME=VALUE` or `NAME: VALUE`, whichever comes first: a name has neither character.
fn split(header: &str) -> Option<(&str, &str)> {
    let (name, value) = header.split_once(['=', ':'])?;
    Some((name.trim(), value.trim()))
}

fn read_header(
    header: &Confidential,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(String, String), CliError> {
    let Some((name, value)) = split(header.reveal()) else {
        let problem = "expected NAME=VALUE".to_owned();
        return Err(CliError::Header { name: None, problem });
    };
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        let problem = "what stands before the `=` is not the name of a header".to_owned();
        return Err(CliError::Header { name: None, problem });
    }
    let wrong = |problem: String| CliError::Header { name: Some(name.to_owned()), problem };
    if is_ours(name) {
        return Err(wrong("mcp-test sets this header itself, as the protocol wants it".to_owned()));
    }
    let value = meant(value, variable).map_err(wrong)?;
    if HeaderValue::from_str(&value).is_err() {
        return Err(wrong("the value has characters that a header cannot have".to_owned()));
    }
    Ok((name.to_owned(), value))
}

/// Whether a header says something about the message or the conversation, so that only the client can know it.
fn is_ours(name: &str) -> bool {
    const OURS: [&str; 11] = [
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
    OURS.contains(&name.as_str()) || name.starts_with("mcp-param-")
}

/// The value that is meant: `@FILE` reads a file, `${VAR}` in any other is a variable.
pub(super) fn meant(
    value: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    match value.strip_prefix('@') {
        Some(file) => {
            let read = fs::read_to_string(file);
            let text = read.map_err(|error| format!("cannot read {file}: {error}"))?;
            Ok(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        None => expand(value, variable),
    }
}

/// Replaces `${NAME}` by the variable, so that the secret itself need not stand on the command line.
fn expand(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, tail) = after.split_once('}').ok_or("`${` is not closed by `}`")?;
        expanded.push_str(before);
        expanded
            .push_str(&variable(name).ok_or_else(|| format!("the variable {name} is not set"))?);
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::CarrierKind;

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
    fn a_header_that_is_none_is_refused_without_repeating_it() {
        let wrong = [
            "hunter22",
            "hunter 22=x",
            "X-Key=hunter22\n",
            "X-Key=hunter22 ${NONE}",
            "X-Key=${TOKEN",
        ];
        let told: Vec<String> = wrong.into_iter().filter_map(|text| header(text).err()).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        --header: expected NAME=VALUE
        --header: what stands before the `=` is not the name of a header
        --header X-Key: the variable NONE is not set
        --header X-Key: `${` is not closed by `}`
        ");
        assert!(!told.join("").contains("hunter"));
        assert!(header("X-Key=@/no/such/file").is_err_and(|told| told.contains("/no/such/file")));
    }

    #[test]
    fn the_words_for_a_rerun_hold_no_secret() {
        let Ok(secret) = "X-Key=hunter22".parse();
        let Ok(token) = "TOKEN=hunter33".parse();
        let args = TargetArgs {
            url: Some("http://localhost:1/mcp".to_owned()),
            headers: vec![secret],
            env: vec![token],
            ..args(&["node", "x.js"])
        };
        let chosen = args.choose("server", &variable).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            chosen.words.join(" "),
            "--url http://localhost:1/mcp --header X-Key=<value> --env TOKEN=<value> -- node x.js"
        );
        assert_eq!(chosen.target.carriers(), [CarrierKind::Http]);
        assert_eq!(chosen.secrets.mask("hunter22 hunter33"), "[secret] [secret]");
    }

    #[test]
    fn the_credentials_of_a_url_are_sent_and_not_shown() {
        let url = "http://user:hunter99@localhost:1/mcp?token=abc&page=2".to_owned();
        let args = TargetArgs { url: Some(url.clone()), ..TargetArgs::default() };
        let chosen = args.choose("check", &variable).unwrap_or_else(|error| panic!("{error}"));
        insta::assert_snapshot!(chosen.target.label(), @"http://localhost:1/mcp?token=[secret]&page=2");
        insta::assert_snapshot!(chosen.words.join(" "), @"--url http://user:<password>@localhost:1/mcp?token=<value>&page=2");
        insta::assert_snapshot!(chosen.secrets.mask("hunter99 dXNlcjpodW50ZXI5OQ=="), @"[secret] [secret]");
        let Ok(header) = "authorization=Bearer hunter22".parse();
        let args = TargetArgs { url: Some(url), headers: vec![header], ..TargetArgs::default() };
        let error = args.choose("check", &variable).err().map(|error| error.to_string());
        insta::assert_snapshot!(error.unwrap_or_default(), @"--header Authorization: the --url names a user already; give one of the two");
    }

    #[test]
    fn a_header_that_the_protocol_rules_is_refused() {
        for name in ["Content-Length", "accept", "Mcp-Session-Id", "Mcp-Param-Region"] {
            let told = header(&format!("{name}=1")).err().unwrap_or_default();
            assert_eq!(
                told,
                format!(
                    "--header {name}: mcp-test sets this header itself, as the protocol wants it"
                )
            );
        }
        assert!(header("Mcp-Tenant=1").is_ok());
    }

    #[test]
    fn the_name_of_a_command_hides_its_variables() {
        let Ok(secret) = "TOKEN=hunter22".parse();
        let args = TargetArgs { env: vec![secret], ..args(&["node", "my server.js"]) };
        let chosen = args.choose("check", &variable).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(chosen.target.label(), "TOKEN=… node 'my server.js'");
    }

    #[test]
    fn a_target_that_is_none_is_told_what_would_be_one() {
        let told = |args: TargetArgs| {
            args.choose("check", &variable).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let url = |url: &str| TargetArgs { url: Some(url.to_owned()), ..TargetArgs::default() };
        insta::assert_snapshot!(told(TargetArgs::default()), @r"
        no target is given; name one of
          mcp-test check --url http://localhost:3000/mcp                   a server that is running
          mcp-test check -- npx my-server                                  a program that speaks over stdin and stdout
          mcp-test check --url http://localhost:3000/mcp -- npx my-server  a program that listens at the URL
          mcp-test check --reference                                       the server that is built in
        ");
        insta::assert_snapshot!(told(url("localhost:3000")), @"--url localhost:3000: `localhost` is not HTTP; expected a URL such as http://localhost:3000/mcp");
        insta::assert_snapshot!(told(url("3000")), @"--url 3000: relative URL without a base; expected a URL such as http://localhost:3000/mcp");
        let Ok(header) = "X-Key=hunter22".parse();
        insta::assert_snapshot!(told(TargetArgs { headers: vec![header], ..args(&["node"]) }), @"--header X-Key: headers are for targets with a --url");
        insta::assert_snapshot!(told(TargetArgs { cwd: Some("/no/such/dir".into()), ..args(&["node"]) }), @"--cwd /no/such/dir: there is no such directory");
    }
}
