//! `http-param-headers`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::scenario::CallableTool;
use mcp_test_core::spec::{ParamHeader, param_headers};

use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{error, finding, is_refusal, post, reply, request};

scenario! {
    /// The server refuses calls whose `Mcp-Param-*` headers contradict the arguments that they mirror.
    ///
    /// A gateway routes, limits and forbids calls by these headers. That is only safe if the server does not execute something
    /// else than what the gateway saw. Tried with the tools that have such arguments and may be called, since a server that does not
    /// compare executes the call.
    Server "http-param-headers": "Mirrored arguments are compared with their headers",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    checks: [
        check!("param-header-missing",
            "A call without the header of an argument that it has is refused with HTTP 400 and -32020",
            [TRANSPORT_HTTP_PARAM_HEADER_MISSING_REJECTED]).conditional(),
        check!("param-header-mismatch",
            "A call with another value in the header than in its argument is refused with HTTP 400 and -32020",
            [TRANSPORT_HTTP_PARAM_HEADER_MISMATCH_REJECTED]).conditional(),
        check!("param-header-invalid-characters",
            "A call whose header has characters that must be encoded is refused with HTTP 4xx",
            [TRANSPORT_HTTP_PARAM_HEADER_INVALID_CHARS_REJECTED]).conditional(),
        check!("param-header-not-expected", "No header is demanded for an argument that is missing or null",
            [TRANSPORT_HTTP_PARAM_HEADER_NOT_EXPECTED]).conditional(),
        check!("param-header-integer", "The header of a whole number is compared by value: 42.0 is 42",
            [TRANSPORT_HTTP_INTEGER_COMPARED_NUMERICALLY]).conditional(),
    ],
}

/// How many tools are called.
const TOOLS: usize = 2;

/// Not ASCII, so that a header has to encode it.
const NOT_ASCII: &str = "mcp-test-\u{e9}";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut is_tried = false;
    let mut annotated = 0;
    for tool in ctx.working_tools().await? {
        let schema = tool.definition.get("inputSchema").cloned().unwrap_or_default();
        // An invalid annotation is judged with the other definitions of tools.
        let Ok(headers) = param_headers(&schema) else { continue };
        let Some(arguments) = tool.arguments.clone().filter(|_| !headers.is_empty()) else {
            continue;
        };
        annotated += 1;
        if annotated > TOOLS {
            break;
        }
        let mut calls = Calls { tool, schema, headers, arguments, next: 10 * annotated as i64 };
        is_tried |= calls.try_all(ctx).await?;
    }
    if !is_tried {
        let why =
            "no tool that may be called has arguments in headers, or none accepts a valid call";
        report_nothing_tested(ctx, &SCENARIO, why);
    }
    Ok(())
}

/// The calls of a tool.
struct Calls {
    tool: CallableTool,
    schema: Value,
    headers: Vec<ParamHeader>,
    /// Valid ones.
    arguments: Value,
    next: i64,
}

impl Calls {
    /// Makes all checks that the tool allows; returns whether a valid call is accepted.
    async fn try_all(&mut self, ctx: &mut Ctx) -> Result<bool, Finding> {
        let mut is_tried = false;
        for header in self.headers.clone() {
            self.absent(ctx, &header).await?;
            let kind = self.kind_of(&header);
            let value = match kind.as_deref() {
                Some("integer") => json!(42),
                Some("boolean") => json!(true),
                _ => json!("mcp-test"),
            };
            // Of a value that the schema does not state it is not known whether the tool takes it: a valid call shows it.
            let stated =
                self.arguments.at(&header.pointer).cloned().filter(|value| !value.is_null());
            let value = stated.unwrap_or(value.into());
            let Some(arguments) = self.with(&header, value.clone()) else { continue };
            if !self.is_accepted(ctx, &arguments, |request| request).await? {
                continue;
            }
            is_tried = true;
            self.wrong(ctx, &header, &arguments).await?;
            match kind.as_deref() {
                Some("integer") => self.integer(ctx, &header, &arguments).await?,
                Some("string") => self.not_ascii(ctx, &header).await?,
                _ => {}
            }
        }
        Ok(is_tried)
    }

    /// Calls without the header, and with another value in it.
    async fn wrong(
        &mut self,
        ctx: &mut Ctx,
        header: &ParamHeader,
        arguments: &Value,
    ) -> Result<(), Finding> {
        let name = header.header();
        let without = self.call(ctx, arguments, |request| request.without(&name)).await?;
        let what = format!("a call without `{name}`, although it has the argument,");
        ctx.check("param-header-missing").judge(is_mismatch(&what, &without));
        let other = match header.value(arguments).as_deref() {
            Some("true") => "false".to_owned(),
            Some("false") => "true".to_owned(),
            Some(value) if value.parse::<i64>().is_ok() => "7142".to_owned(),
            _ => "another-value-of-mcp-test".to_owned(),
        };
        let mismatch = self.call(ctx, arguments, |request| request.with(&name, &other)).await?;
        let what = format!("a call with another value in `{name}`");
        ctx.check("param-header-mismatch").judge(is_mismatch(&what, &mismatch));
        Ok(())
    }

    /// Calls without the argument and its header, and with `null` where the schema allows it.
    async fn absent(&mut self, ctx: &mut Ctx, header: &ParamHeader) -> Result<(), Finding> {
        let Some(argument) = header.pointer.strip_prefix('/').filter(|it| !it.contains(['/', '~']))
        else {
            return Ok(());
        };
        let required = self.schema.get("required").and_then(Value::as_array).unwrap_or_default();
        let mut absent = Vec::new();
        if !required.iter().any(|it| it.as_str() == Some(argument)) {
            let mut arguments = self.arguments.to_serde();
            arguments.as_object_mut().map(|members| members.remove(argument));
            absent.push(Value::from(arguments));
        }
        let kinds = self.schema.at(&format!("/properties{}/type", header.pointer));
        let is_nullable = kinds
            .and_then(Value::as_array)
            .is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("null")));
        if is_nullable {
            absent.extend(self.with(header, Value::Null));
        }
        for arguments in absent {
            let answer = self.call(ctx, &arguments, |request| request).await?;
            // Whatever else the tool refuses.
            let is_expected =
                error(&answer).is_some_and(|it| it.code == error_code::HEADER_MISMATCH);
            ctx.check("param-header-not-expected").judge(ensure(!is_expected, || {
                finding(format!("`{}` is demanded without its argument", header.header()), &answer)
                    .expected("a call without the argument and without the header")
            }));
        }
        Ok(())
    }

    async fn integer(
        &mut self,
        ctx: &mut Ctx,
        header: &ParamHeader,
        arguments: &Value,
    ) -> Result<(), Finding> {
        let (name, value) = (header.header(), header.value(arguments).unwrap_or_default());
        let with_fraction = |request: HttpRequest| request.with(&name, format!("{value}.0"));
        let answer = self.call(ctx, arguments, with_fraction).await?;
        let is_refused = error(&answer).is_some_and(|it| it.code == error_code::HEADER_MISMATCH);
        ctx.check("param-header-integer").judge(ensure(!is_refused, || {
            finding(
                format!("`{name}: {value}.0` is taken for another number than {value}"),
                &answer,
            )
            .expected("a comparison by value")
            .should()
        }));
        Ok(())
    }

    /// Calls with a text that is not encoded, although it has to be.
    async fn not_ascii(&mut self, ctx: &mut Ctx, header: &ParamHeader) -> Result<(), Finding> {
        let Some(arguments) = self.with(header, NOT_ASCII.into()) else { return Ok(()) };
        // Accepted if encoded, so that a refusal has no other reason.
        if !self.is_accepted(ctx, &arguments, |request| request).await? {
            return Ok(());
        }
        let name = header.header();
        let bare = self.request(ctx, &arguments).with(&name, NOT_ASCII);
        let outcome = match ctx.attempt_http(bare).await? {
            Ok(answer) => ensure(is_refusal(&answer), || {
                finding(format!("a `{name}` that is not ASCII is accepted"), &answer)
                    .expected("HTTP 400: such a value is encoded as Base64")
            }),
            // Such a header may as well be too much for what reads the request before the server does.
            Err(_) => Ok(()),
        };
        ctx.check("param-header-invalid-characters").judge(outcome);
        Ok(())
    }

    /// The type of an argument, other than `null`.
    fn kind_of(&self, header: &ParamHeader) -> Option<String> {
        let place = header.pointer.replace('/', "/properties/");
        let kind = self.schema.at(&format!("{place}/type"))?;
        let kinds = kind.as_array().unwrap_or(std::slice::from_ref(kind));
        kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").map(str::to_owned)
    }

    /// The arguments with another value for one of them; `None` if its parent is missing.
    fn with(&self, header: &ParamHeader, value: Value) -> Option<Value> {
        let mut arguments = self.arguments.clone();
        let parent = header.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        arguments.at(parent)?.as_object()?;
        arguments.set(&header.pointer, value);
        Some(arguments)
    }

    /// A valid request, with the headers of all arguments.
    fn request(&mut self, ctx: &Ctx, arguments: &Value) -> HttpRequest {
        self.next += 1;
        let params = json!({"name": self.tool.name, "arguments": arguments.to_serde()});
        let call = post(ctx.revision(), &request(ctx.revision(), self.next, "tools/call", params));
        let mirrored = self.headers.iter();
        let mirrored = mirrored.filter_map(|it| Some((it.header(), it.value(arguments)?)));
        mirrored.fold(call, |call, (name, value)| call.header(name, value))
    }

    async fn call(
        &mut self,
        ctx: &mut Ctx,
        arguments: &Value,
        change: impl FnOnce(HttpRequest) -> HttpRequest,
    ) -> Result<HttpResponse, Finding> {
        let call = change(self.request(ctx, arguments));
        ctx.http(call).await
    }

    async fn is_accepted(
        &mut self,
        ctx: &mut Ctx,
        arguments: &Value,
        change: impl FnOnce(HttpRequest) -> HttpRequest,
    ) -> Result<bool, Finding> {
        let answer = self.call(ctx, arguments, change).await?;
        Ok(reply(&answer, self.next).is_some_and(|reply| reply.is_ok()))
    }
}

fn is_mismatch(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let has_code = error(answer).is_some_and(|it| it.code == error_code::HEADER_MISMATCH);
    ensure(answer.status == 400 && has_code, || {
        let how = if is_refusal(answer) { "refused in another way" } else { "not refused" };
        finding(format!("{what} is {how}"), answer).expected("HTTP 400 with the error -32020")
    })
}

proofs! {
    // A server with a tool that has arguments in headers.
    passes on answering(|_| None);
    catches "param-header-missing" by misbehavior(Misbehavior::SkipsMirrors);
    catches "param-header-mismatch" by misbehavior(Misbehavior::VagueMirrors);
    catches "param-header-invalid-characters" by misbehavior(Misbehavior::SkipsMirrors);
    catches "param-header-not-expected" on demanding_a_limit();
    warns "param-header-integer" on comparing_texts();
}

/// Demands the header of an argument that is optional.
fn demanding_a_limit() -> Server {
    answering(|call| {
        let is_missing = call.params().at("/arguments/limit").is_none();
        is_missing
            .then(|| Answer::error(error_code::HEADER_MISMATCH, "`Mcp-Param-Limit` is missing"))
    })
}

/// Compares whole numbers as texts, as the third call with a limit shows: the two before it are the valid one and that of the
/// other argument.
fn comparing_texts() -> Server {
    let calls = Arc::new(AtomicUsize::new(0));
    answering(move |call| {
        call.params().at("/arguments/limit")?;
        let is_last = calls.fetch_add(1, Ordering::Relaxed) == 1;
        is_last.then(|| Answer::error(error_code::HEADER_MISMATCH, "`42.0` is not `42`"))
    })
}

/// The same server, with other answers to some calls.
fn answering(other: impl Fn(&Call) -> Option<Answer> + Clone + Send + Sync + 'static) -> Server {
    let tool = json!({
        "name": "query",
        "inputSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "default": "eu", "x-mcp-header": "Region"},
                "limit": {"type": "integer", "x-mcp-header": "Limit"},
            },
            "required": ["region"],
        },
        "annotations": {"readOnlyHint": true},
    });
    everything()
        .on("tools/list", move |_: Call| {
            let tool = tool.clone();
            async move { json!({"tools": [tool]}) }
        })
        .on("tools/call", move |call: Call| {
            let other = other(&call);
            async move { other.unwrap_or_else(|| json!({"content": []}).into()) }
        })
        .mirrors("query", "/region", "Region")
        .mirrors("query", "/limit", "Limit")
}
