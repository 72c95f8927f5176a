//! `mcp-test authorization`: resolves the authorization server under test, and runs the scenarios.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::Path;

use mcp_test_core::clock;
use mcp_test_core::expect::words;
use mcp_test_core::files;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::scenario::{AuthorizationTarget, ConsentRequest, TestedSide};
use mcp_test_core::transport::not_http;
use mcp_test_suite::scenarios;

use super::authorization_args::AuthorizationArgs;
use super::call_arg::CallArgs;
use super::common_args::{Format, RunOptions, ScheduleOptions};
use super::error::CliError;
use super::execute::{self, RunCommand, RunRequest};
use super::fixture_arg::FixtureArgs;
use super::option_value::SecretArg;
use super::output;
use crate::report::Secrets;

/// The bytes of the largest file that is read.
const LARGEST_FILE: usize = 1024 * 1024;
/// The port of the redirect URI, as in the official suite.
const PORT: u16 = 3000;

/// The settings of the arguments and the file.
#[derive(Debug, Default)]
struct Settings {
    url: Option<Setting<String>>,
    scenario: Option<Setting<String>>,
    client_id: Option<Setting<String>>,
    client_secret: Option<Setting<SecretArg>>,
    resource: Option<Setting<String>>,
    port: Option<u16>,
}

/// A value, and the option or member that it comes from.
#[derive(Debug)]
struct Setting<T> {
    value: T,
    place: String,
}

impl<T> Setting<T> {
    fn of(value: Option<T>, place: &str) -> Option<Self> {
        value.map(|value| Self { value, place: place.to_owned() })
    }

    fn wrong(&self, problem: impl Display) -> CliError {
        wrong(self.place.clone(), problem)
    }
}

fn wrong(place: impl Into<String>, problem: impl Display) -> CliError {
    CliError::Authorization { place: place.into(), problem: words::into_inert(problem.to_string()) }
}

/// Tests an authorization server and returns the exit code.
pub(super) fn run(args: &AuthorizationArgs) -> Result<u8, CliError> {
    let file = args.file.as_deref().map(read).transpose()?.unwrap_or_default();
    let settings = Settings::of(args).or(file);
    let issuer = settings.issuer(args.file.as_deref())?;
    settings.check_client()?;
    settings.check_resource()?;
    let mut scenarios = args.scenarios.clone();
    if let (true, Some(only)) = (scenarios.is_empty(), &settings.scenario) {
        only.check_scenario()?;
        scenarios.push(only.value.clone());
    }
    let target = settings.target(&issuer, args.format);
    let secret = settings.client_secret.as_ref().map(|secret| secret.value.reveal().to_owned());
    let schedule = ScheduleOptions { jobs: Some(NonZeroUsize::MIN), ..ScheduleOptions::default() };
    let mut options = RunOptions::for_scenarios(&scenarios, false, schedule, &args.common());
    options.profile = args.profile;
    options.expand_scenarios(TestedSide::Authorization)?;
    execute::execute(RunRequest {
        command: RunCommand::Authorization,
        options: &options,
        loaded: None,
        target: target.into(),
        transports: Vec::new(),
        secrets: Secrets::new(secret),
        sign_in: None,
        target_args: settings.rerun_args(&issuer),
        protection: Vec::new(),
        calls: CallArgs::default(),
        fixtures: FixtureArgs::default(),
        manual: false,
    })
}

impl Settings {
    fn of(args: &AuthorizationArgs) -> Self {
        Self {
            url: Setting::of(args.url.clone(), "--url"),
            // Those of the command line may be several, and patterns.
            scenario: None,
            client_id: Setting::of(args.client_id.clone(), "--client-id"),
            client_secret: Setting::of(args.client_secret.clone(), "--client-secret"),
            resource: Setting::of(args.resource.clone(), "--resource"),
            port: args.port,
        }
    }

    /// These settings, and those of `other` that are missing here.
    fn or(self, other: Self) -> Self {
        Self {
            url: self.url.or(other.url),
            scenario: self.scenario.or(other.scenario),
            client_id: self.client_id.or(other.client_id),
            client_secret: self.client_secret.or(other.client_secret),
            resource: self.resource.or(other.resource),
            port: self.port.or(other.port),
        }
    }

    /// The issuer, as it was written: it is compared as text.
    fn issuer(&self, file: Option<&Path>) -> Result<String, CliError> {
        let Some(setting) = &self.url else {
            return Err(file.map_or(CliError::NoIssuer, |file| {
                wrong(member(file, "url"), "it is missing, and there is no --url")
            }));
        };
        let text = setting.value.as_str();
        let example = "expected an issuer such as https://auth.example.com";
        let url = reqwest::Url::parse(text)
            .map_err(|error| setting.wrong(format!("{error}; {example}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(setting.wrong(format!("{}; {example}", not_http(url.scheme()))));
        }
        // RFC 8414, section 2. The text may have a secret, and is not repeated.
        let is_issuer = url.username().is_empty() && url.password().is_none();
        if !is_issuer || url.query().is_some() || url.fragment().is_some() {
            return Err(
                setting.wrong(format!("an issuer has no user, query or fragment; {example}"))
            );
        }
        Ok(text.to_owned())
    }

    fn check_client(&self) -> Result<(), CliError> {
        match (&self.client_id, &self.client_secret) {
            (Some(id), _) if id.value.is_empty() => Err(id.wrong("expected the id of a client")),
            (None, Some(secret)) => {
                Err(secret.wrong("it needs the id of a client: --client-id ID"))
            }
            (_, Some(secret)) if secret.value.reveal().is_empty() => {
                Err(secret.wrong("expected the secret of the client; leave it out if it has none"))
            }
            _ => Ok(()),
        }
    }

    /// RFC 8707, section 2.
    fn check_resource(&self) -> Result<(), CliError> {
        let Some(resource) = &self.resource else { return Ok(()) };
        let url = reqwest::Url::parse(&resource.value).ok();
        match url.filter(|url| url.fragment().is_none()) {
            Some(_) => Ok(()),
            None => Err(resource.wrong(
                "expected an absolute URI without a fragment, such as https://mcp.example.com/mcp",
            )),
        }
    }

    fn port(&self) -> u16 {
        self.port.unwrap_or(PORT)
    }

    fn target(&self, issuer: &str, format: Format) -> AuthorizationTarget {
        let target = AuthorizationTarget::new(issuer)
            .port(self.port())
            .resource(self.resource.as_ref().map(|resource| resource.value.clone()))
            .ask(move |request| show(request, format));
        let secret = self.client_secret.as_ref().map(|secret| secret.value.reveal().to_owned());
        match &self.client_id {
            Some(id) => target.client(id.value.clone(), secret),
            None => target,
        }
    }

    /// The arguments for a rerun, without the secret.
    fn rerun_args(&self, issuer: &str) -> Vec<String> {
        let text = |setting: &Option<Setting<String>>| {
            setting.as_ref().map(|setting| setting.value.clone())
        };
        let secret = self.client_secret.as_ref().map(|_| "<secret>".to_owned());
        let port = (self.port() != PORT).then(|| self.port().to_string());
        let options = [
            ("--url", Some(issuer.to_owned())),
            ("--client-id", text(&self.client_id)),
            ("--client-secret", secret),
            ("--resource", text(&self.resource)),
            ("--port", port),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        given.flatten().collect()
    }
}

impl Setting<String> {
    fn check_scenario(&self) -> Result<(), CliError> {
        let known =
            scenarios::all().filter(|scenario| scenario.tested_side == TestedSide::Authorization);
        let known: Vec<&str> = known.map(|scenario| &*scenario.id).collect();
        if known.contains(&self.value.as_str()) {
            return Ok(());
        }
        let ids = known.iter().map(|id| format!("`{id}`"));
        let problem = format!("unknown scenario `{}`", words::name(&self.value));
        Err(self.wrong(format!("{problem}; expected {}", words::list(ids, "or"))))
    }
}

/// The member of a file, for messages.
fn member(file: &Path, name: &str) -> String {
    format!("--file {}: `{}`", file.display(), words::name(name))
}

/// Reads a file with settings.
fn read(path: &Path) -> Result<Settings, CliError> {
    let of_file = |problem: String| wrong(format!("--file {}", path.display()), problem);
    let text = files::read(path, LARGEST_FILE).map_err(|error| of_file(error.to_string()))?;
    let document = Value::parse(&text).map_err(|error| of_file(format!("not JSON: {error}")))?;
    let Value::Object(members) = document.value else {
        return Err(of_file(format!("expected a JSON object, got {}", document.value.kind())));
    };
    const KNOWN: [&str; 6] = ["url", "scenario", "clientId", "clientSecret", "resource", "port"];
    if let Some(unknown) = members.keys().find(|name| !KNOWN.contains(name)) {
        let suggestion = words::closest(unknown, KNOWN);
        let suggestion = suggestion.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        return Err(wrong(member(path, unknown), format!("unknown setting{suggestion}")));
    }
    let text = |name: &str| text_member(path, &members, name);
    let secret = text("clientSecret")?;
    Ok(Settings {
        url: text("url")?,
        scenario: text("scenario")?,
        client_id: text("clientId")?,
        client_secret: secret
            .map(|Setting { value, place }| Setting { value: SecretArg::from(value), place }),
        resource: text("resource")?,
        port: port_member(path, &members)?,
    })
}

fn text_member(
    path: &Path,
    members: &Object,
    name: &str,
) -> Result<Option<Setting<String>>, CliError> {
    let Some(value) = members.get(name) else { return Ok(None) };
    let place = member(path, name);
    match value.as_str() {
        Some(text) => Ok(Some(Setting { value: text.to_owned(), place })),
        None => Err(wrong(place, format!("expected a string, got {}", value.kind()))),
    }
}

fn port_member(path: &Path, members: &Object) -> Result<Option<u16>, CliError> {
    let Some(value) = members.get("port") else { return Ok(None) };
    let port = value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    let expected = "expected a whole number from 1 to 65535";
    port.map(Some).ok_or_else(|| {
        let got = words::excerpt(&value.to_string()).into_owned();
        wrong(member(path, "port"), format!("{expected}, got {got}"))
    })
}

/// Shows somebody what to do.
fn show(request: &ConsentRequest, format: Format) {
    let ConsentRequest { url, redirect_uri, client, wait, .. } = request;
    // The URL on a line of its own, where scripts find it as with the official suite.
    let text = format!(
        "\nThe redirect URI {redirect_uri} must be registered for the client `{}`.\n\
         Open this URL in a browser, sign in there, and consent:\n{url}\n\
         Waiting up to {} for the redirect …\n",
        words::name(client),
        clock::format_duration(*wait)
    );
    match format {
        // What cannot be printed is reported at the end, like everything else.
        Format::Human => drop(output::print(&text)),
        Format::Json => output::note(text.trim_start()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        args: AuthorizationArgs,
    }

    /// The message about arguments that cannot be used, and a file with this text.
    fn refused(args: &str, text: &str) -> String {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("settings.json");
        std::fs::write(&path, text).expect("it is written");
        let path = path.to_string_lossy().into_owned();
        let args = args.split_whitespace().map(|word| word.replace("FILE", &path));
        let args = ["authorization".to_owned()].into_iter().chain(args);
        let parsed = Command::try_parse_from(args).expect("arguments").args;
        run(&parsed).expect_err("an error").to_string().replace(&path, "FILE")
    }

    #[test]
    fn an_error_names_the_option_or_the_member() {
        let messages: Vec<String> = [
            ("", ""),
            ("--url auth.example.com", ""),
            ("--url ftp://auth.example.com", ""),
            ("--url https://user:hunter22@auth.example.com", ""),
            ("--url https://auth.example.com?a=b", ""),
            ("--url https://a.example --client-secret s3cret", ""),
            ("--url https://a.example --client-id a --resource /mcp", ""),
            ("--url https://a.example --client-id a --resource https://a.example#b", ""),
            ("--url https://a.example --scenario authorization-code-grand", ""),
            ("--url https://a.example --scenario ping", ""),
            ("--file none.json", ""),
            ("--file FILE", "{"),
            ("--file FILE", "[]"),
            ("--file FILE", "{}"),
            ("--file FILE", r#"{"urls": "https://a.example"}"#),
            ("--file FILE", r#"{"url": 7}"#),
            ("--file FILE", r#"{"url": "https://a.example", "port": 0}"#),
            ("--file FILE", r#"{"url": "https://a.example", "port": "3000"}"#),
            ("--file FILE", r#"{"url": "https://a.example", "scenario": "grant"}"#),
            ("--file FILE", r#"{"url": "https://a.example", "clientSecret": "s3cret"}"#),
            ("--file FILE", r#"{"url": "https://a.example", "clientId": ""}"#),
        ]
        .into_iter()
        .map(|(args, text)| {
            let given = format!("- {args} {text}");
            format!("{}\n  {}", given.trim_end(), refused(args, text))
        })
        .collect();
        insta::assert_snapshot!(messages.join("\n"), @r#"
        -
          no authorization server; use --url ISSUER, or --file FILE with the member `url`
        - --url auth.example.com
          --url: relative URL without a base; expected an issuer such as https://auth.example.com
        - --url ftp://auth.example.com
          --url: `ftp` is not HTTP; expected an issuer such as https://auth.example.com
        - --url https://user:hunter22@auth.example.com
          --url: an issuer has no user, query or fragment; expected an issuer such as https://auth.example.com
        - --url https://auth.example.com?a=b
          --url: an issuer has no user, query or fragment; expected an issuer such as https://auth.example.com
        - --url https://a.example --client-secret s3cret
          --client-secret: it needs the id of a client: --client-id ID
        - --url https://a.example --client-id a --resource /mcp
          --resource: expected an absolute URI without a fragment, such as https://mcp.example.com/mcp
        - --url https://a.example --client-id a --resource https://a.example#b
          --resource: expected an absolute URI without a fragment, such as https://mcp.example.com/mcp
        - --url https://a.example --scenario authorization-code-grand
          --scenario: there is no scenario `authorization-code-grand`; did you mean `authorization-code-grant`?
        - --url https://a.example --scenario ping
          --scenario: scenario `ping` tests a server, not an authorization server
        - --file none.json
          --file none.json: No such file or directory (os error 2)
        - --file FILE {
          --file FILE: not JSON: line 1, column 2: expected a member name in double quotes, found the end of the text
        - --file FILE []
          --file FILE: expected a JSON object, got an array
        - --file FILE {}
          --file FILE: `url`: it is missing, and there is no --url
        - --file FILE {"urls": "https://a.example"}
          --file FILE: `urls`: unknown setting; did you mean `url`?
        - --file FILE {"url": 7}
          --file FILE: `url`: expected a string, got a number
        - --file FILE {"url": "https://a.example", "port": 0}
          --file FILE: `port`: expected a whole number from 1 to 65535, got 0
        - --file FILE {"url": "https://a.example", "port": "3000"}
          --file FILE: `port`: expected a whole number from 1 to 65535, got "3000"
        - --file FILE {"url": "https://a.example", "scenario": "grant"}
          --file FILE: `scenario`: unknown scenario `grant`; expected `authorization-server-metadata-endpoint`, `authorization-code-grant`, `authorization-code-exchange`, `authorization-redirect-uris`, `authorization-refresh-tokens`, `authorization-audience`, `authorization-registration`, `authorization-client-documents` or `authorization-client-credentials`
        - --file FILE {"url": "https://a.example", "clientSecret": "s3cret"}
          --file FILE: `clientSecret`: it needs the id of a client: --client-id ID
        - --file FILE {"url": "https://a.example", "clientId": ""}
          --file FILE: `clientId`: expected the id of a client
        "#);
    }

    #[test]
    fn options_override_the_file() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("settings.json");
        let text =
            r#"{"url": "https://a.example", "clientId": "a", "clientSecret": "s", "port": 3066}"#;
        std::fs::write(&path, text).expect("it is written");
        let settings = |args: &[&str]| {
            let args = ["authorization"].iter().chain(args);
            let parsed = Command::try_parse_from(args).expect("arguments").args;
            Settings::of(&parsed).or(read(&path).expect("settings"))
        };
        let of_file = settings(&[]);
        assert_eq!(
            of_file.rerun_args("https://a.example").join(" "),
            "--url https://a.example --client-id a --client-secret <secret> --port 3066"
        );
        let overridden =
            settings(&["--url", "https://b.example", "-p", "3067", "--client-id", "b"]);
        assert_eq!(overridden.issuer(None).expect("an issuer"), "https://b.example");
        assert_eq!((overridden.port(), of_file.port()), (3067, 3066));
        assert!(!format!("{overridden:?}").contains("\"s\""), "{overridden:?}");
    }
}
