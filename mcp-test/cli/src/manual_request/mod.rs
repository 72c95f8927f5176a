//! `mcp-test reference client URL --list`, `--call`, `--read` and `--get-prompt`: one request to a server, for a person who
//! wants to see its answer. Nothing is judged here.

mod listing;
mod result_text;

use std::str::FromStr;
use std::time::Duration;

use clap::{ArgGroup, Args};
use mcp_test_core::check::{Blame, Finding};
use mcp_test_core::client::{Client, Options, Reply};
use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::Revision;
use mcp_test_core::trace::{Recorder, secrets_in_command};
use mcp_test_core::transport::{ServerAddress, Target, TransportKind};
use serde_json::json;

use self::listing::Listed;
use self::result_text::result_text;
use super::error::CliError;
use super::option_value as value;
use super::url::Endpoint;
use super::workflow_commands::{disarm, disarm_json};
use super::{inherited_secrets, output};
use crate::report::Secrets;

/// How many lines of a server's stderr an error shows.
const STDERR_LINES: usize = 10;

/// The options that ask for one request.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("request").args(["list", "call", "read", "get_prompt"]).conflicts_with("faults")))]
#[command(group(ArgGroup::new("takes_arguments").args(["call", "get_prompt"])))]
pub(super) struct RequestArgs {
    /// List the tools, resources, resource templates and prompts of the server, instead of performing a scenario
    #[arg(long)]
    list: bool,
    /// Call this tool, and print its result
    #[arg(long, value_name = "NAME")]
    call: Option<String>,
    /// Read this resource, and print its contents
    #[arg(long, value_name = "URI")]
    read: Option<String>,
    /// Get this prompt, and print its messages
    #[arg(long, value_name = "NAME")]
    get_prompt: Option<String>,
    /// The arguments of the tool or prompt, a JSON object [default: {}]
    #[arg(long, value_name = "JSON", requires = "takes_arguments")]
    arguments: Option<ArgumentsArg>,
    /// Print the result as JSON
    #[arg(long, requires = "request")]
    json: bool,
    /// How long each answer may take: milliseconds, or with a unit (`5s`)
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = value::duration, requires = "request")]
    timeout: Duration,
}

/// A value of `--arguments`.
#[derive(Debug, Clone)]
struct ArgumentsArg(Object);

/// Why a value of `--arguments` is invalid.
#[derive(Debug, thiserror::Error)]
enum ArgumentsError {
    #[error("not valid JSON: {0}")]
    Invalid(String),
    #[error("expected a JSON object, got {0}")]
    NotAnObject(&'static str),
}

impl FromStr for ArgumentsArg {
    type Err = ArgumentsError;

    fn from_str(text: &str) -> Result<Self, ArgumentsError> {
        match Value::parse(text.as_bytes()).map(|document| document.value) {
            Ok(Value::Object(arguments)) => Ok(Self(arguments)),
            Ok(other) => Err(ArgumentsError::NotAnObject(other.kind())),
            Err(error) => Err(ArgumentsError::Invalid(error.to_string())),
        }
    }
}

/// One request.
enum ManualRequest<'a> {
    List,
    Call(&'a str),
    Read(&'a str),
    GetPrompt(&'a str),
}

impl RequestArgs {
    /// The request, if one is asked for.
    fn request(&self) -> Option<ManualRequest<'_>> {
        let call = self.call.as_deref().map(ManualRequest::Call);
        let read = self.read.as_deref().map(ManualRequest::Read);
        let prompt = self.get_prompt.as_deref().map(ManualRequest::GetPrompt);
        let list = self.list.then_some(ManualRequest::List);
        list.or(call).or(read).or(prompt)
    }

    /// Sends the request and prints the result; `None` if none is asked for.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached, or answers with an error.
    pub(super) async fn run(
        &self,
        server: &ServerAddress,
        recorder: Option<&Recorder>,
    ) -> Option<Result<(), CliError>> {
        let request = self.request()?;
        Some(self.send(&request, server, recorder.cloned().unwrap_or_default()).await)
    }

    async fn send(
        &self,
        request: &ManualRequest<'_>,
        server: &ServerAddress,
        recorder: Recorder,
    ) -> Result<(), CliError> {
        let arguments = self.arguments(request)?;
        let (target, transport, secrets) = target(server)?;
        let secrets = secrets.and(inherited_secrets());
        let options = Options::speaking(Revision::NEWEST).timeout(self.timeout);
        let connected = Client::negotiate(&target, transport, &recorder, options).await;
        let mut client = connected.map_err(|finding| {
            let text = format!("{finding}{}", stderr_of(&recorder));
            CliError::NotConnected(secrets.mask(&text))
        })?;
        let result = match request {
            ManualRequest::List => list(&mut client, self.json).await,
            ManualRequest::Call(name) => {
                let params = json!({ "name": name, "arguments": arguments.to_serde() });
                self.print_result(&mut client, "tools/call", params).await
            }
            ManualRequest::Read(uri) => {
                self.print_result(&mut client, "resources/read", json!({ "uri": uri })).await
            }
            ManualRequest::GetPrompt(name) => {
                let params = json!({ "name": name, "arguments": arguments.to_serde() });
                self.print_result(&mut client, "prompts/get", params).await
            }
        };
        client.end().await;
        result.map_err(|error| match error {
            CliError::Answer(text) => CliError::Answer(secrets.mask(&text)),
            CliError::NotConnected(text) => CliError::NotConnected(secrets.mask(&text)),
            other => other,
        })
    }

    /// The arguments; none are an empty object, which every server understands.
    fn arguments(&self, request: &ManualRequest<'_>) -> Result<Value, CliError> {
        let arguments = self.arguments.as_ref().map(|it| it.0.clone()).unwrap_or_default();
        if matches!(request, ManualRequest::GetPrompt(_))
            && let Some((name, value)) =
                arguments.iter().find(|(_, value)| value.as_str().is_none())
        {
            let kind = value.kind();
            return Err(CliError::Arguments(format!(
                "--arguments: `{name}` must be a string, as all arguments of prompts, not {kind}"
            )));
        }
        Ok(arguments.into())
    }

    async fn print_result(
        &self,
        client: &mut Client,
        method: &str,
        params: serde_json::Value,
    ) -> Result<(), CliError> {
        let reply = client.request(method, params).await.map_err(|finding| no_answer(&finding))?;
        let result = result_of(&reply)?;
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        let text = result_text(method, result);
        match (self.json, is_error) {
            (true, _) => print_json(result)?,
            // Redirected, it is data, such as the text of a resource.
            (false, false) => output::print(&disarm(&text))?,
            (false, true) => {}
        }
        if is_error { Err(CliError::Answer(text.trim_end().to_owned())) } else { Ok(()) }
    }
}

/// The server of a request, the transport to it, and the secrets in its address.
fn target(server: &ServerAddress) -> Result<(Target, TransportKind, Secrets), CliError> {
    let url = match server {
        ServerAddress::Command(command) => {
            let secrets = secrets_in_command(command.args.iter().map(String::as_str));
            let target = Target::command(command.clone());
            return Ok((target, TransportKind::Stdio, Secrets::new(secrets)));
        }
        ServerAddress::Url(url) => url,
        // A command line names none in its own process.
        ServerAddress::Duplex(_) => return Err(CliError::Arguments("expected a URL".to_owned())),
    };
    let endpoint = Endpoint::parse(url).map_err(|error| match error {
        CliError::Url { url, problem } => CliError::Arguments(format!("{url}: {problem}")),
        other => other,
    })?;
    let target = Target::url(&endpoint.url).named(endpoint.shown);
    let target = match &endpoint.authorization {
        Some(authorization) => target.header("Authorization", authorization),
        None => target,
    };
    Ok((target, TransportKind::Http, Secrets::new(endpoint.secrets)))
}

/// The last lines that the server wrote to its stderr, which may say why it cannot be reached.
fn stderr_of(recorder: &Recorder) -> String {
    let mut trace = recorder.trace();
    // A server may have been started twice: once for each era.
    let last = trace.events.last().map(|event| event.connection);
    trace.events.retain(|event| Some(event.connection) == last);
    let lines = trace.stderr_tail(STDERR_LINES);
    let lines = lines.iter().map(|line| format!("\n  | {}", words::inert(line)));
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n  the last lines on the server's stderr:{text}") }
}

async fn list(client: &mut Client, as_json: bool) -> Result<(), CliError> {
    let listed = Listed::request(client).await?;
    match as_json {
        true => print_json(&listed.to_json())?,
        false => output::print(&disarm(&listed.to_string()))?,
    }
    listed.failure.map_or(Ok(()), Err)
}

fn print_json(value: &Value) -> Result<(), CliError> {
    output::print(&disarm_json(&format!("{}\n", value.pretty())))
}

/// The result of a reply.
fn result_of(reply: &Reply) -> Result<&Value, CliError> {
    reply.outcome().map_err(|error| {
        let data = error.data.as_ref().map(|data| format!("\n  data {}", data.short(400)));
        let (code, message) = (error.code, &error.message);
        CliError::Answer(format!(
            "`{}` is refused with {code}: {message}{}",
            reply.method(),
            data.unwrap_or_default()
        ))
    })
}

/// The error for a request that was not answered.
fn no_answer(finding: &Finding) -> CliError {
    match finding.blame {
        Blame::Environment => CliError::NotConnected(finding.to_string()),
        _ => CliError::Answer(finding.to_string()),
    }
}
