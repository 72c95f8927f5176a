//! The macros of a scenario file: [`scenario!`](crate::scenario!), [`check!`](crate::check!) and [`proofs!`](crate::proofs!).
//!
//! The file of a scenario for servers has `async fn run(ctx: &mut Ctx)`. That of a scenario for clients has two functions:
//!
//! ```text
//! scenario! {
//!     /// What it checks, and why.
//!     Client "tools_call": "The client calls a tool",
//!     revisions: …, official: …,
//!     checks: [check!("tool-add-numbers", "The arguments are numbers", [SCHEMA_CALL_TOOL_REQUEST])],
//! }
//!
//! /// The server to which the client connects, or a `Result` of it. It serves and records, and knows nothing of checks.
//! fn serve(test: &ClientTest) -> Server { … }
//!
//! /// Judges the recorded messages after the client has exited: `Judging::requests`, `Judging::trace`, `Judging::check`.
//! fn judge(judging: &mut Judging) -> Result<(), Finding> { … }
//!
//! /// A client that does something wrong.
//! fn lazy() -> ScriptedClient { ScriptedClient::new(|task: ClientTask| async move { … }) }
//!
//! proofs! {
//!     passes on good_client();
//!     catches "tool-add-numbers" by retype("tools/call", "/arguments/a");
//!     catches "tool-add-numbers" on lazy();
//! }
//! ```
//!
//! The good client is in [`client::reference`](crate::client::reference). Every scenario for clients also checks that the
//! client took part (`CLIENT_CONNECTED`) and exited without an error (`CLIENT_EXIT`).

/// Declares the scenario of a file as `SCENARIO`, from the doc comment, the declaration, and the file's functions: `run`
/// of one that tests a server or an authorization server, `serve` and `judge` of one that tests a client, and `proofs`.
///
/// `official`, `repeats`, `transports`, `needs`, `optional_needs`, `exclusive`, `later_runs_wait`, `shares_connection`, `context` and
/// `tolerates_failed_exit` may be left out; `transports` names one of [`Transports`](crate::scenario::Transports), `context` a function of the file that
/// returns the members of the context for the client.
#[macro_export]
#[doc(hidden)]
macro_rules! scenario {
    (
        $(#[doc = $doc:literal])+
        $tested_side:ident $id:literal: $title:literal,
        revisions: $revisions:expr,
        $(repeats: $repeats:ident,)?
        $(official: $official:expr,)?
        $(transports: $transports:ident $([$($only:ident),+])?,)?
        $(needs: $needs:expr,)?
        $(optional_needs: $optional_needs:expr,)?
        $(exclusive: $exclusive:literal,)?
        $(later_runs_wait: $later_runs_wait:literal,)?
        $(shares_connection: $shares_connection:expr,)?
        $(context: $context:ident,)?
        $(tolerates_failed_exit: $tolerates_failed_exit:literal,)?
        checks: $checks:expr $(,)?
    ) => {
        #[doc = concat!("The scenario `", $id, "`: ", $title, ".")]
        #[allow(unreachable_pub, reason = "a scenario of a test is declared in the same way")]
        pub static SCENARIO: $crate::scenario::Scenario = $crate::scenario::Scenario {
            id: ::std::borrow::Cow::Borrowed($id),
            title: ::std::borrow::Cow::Borrowed($title),
            doc: ::std::borrow::Cow::Borrowed(concat!($($doc, "\n"),+)),
            kind: $crate::scenario::Kind::BuiltIn,
            tested_side: $crate::scenario::TestedSide::$tested_side,
            revisions: $revisions,
            repeats: $crate::scenario!(@repeats $($repeats)?),
            official: $crate::scenario!(@option $($official)?),
            transports: $crate::scenario!(@transports $($transports $([$($only),+])?)?),
            needs: $crate::scenario!(@list $($needs)?),
            optional_needs: $crate::scenario!(@list $($optional_needs)?),
            exclusive: $crate::scenario!(@option $($exclusive)?),
            timeout: None,
            activity: None,
            context: $crate::scenario!(@option $($context)?),
            tolerates_failed_exit: $crate::scenario!(@flag $($tolerates_failed_exit)?),
            opens: false,
            later_runs_wait: $crate::scenario!(@flag $($later_runs_wait)?),
            shares_connection: $crate::scenario!(@revisions $($shares_connection)?),
            checks: $crate::scenario::Shared::Static({
                static DECLARED: &[$crate::scenario::CheckSpec] = &$checks;
                DECLARED
            }),
            body: $crate::scenario!(@body $tested_side),
            teardown: None,
            proofs: Some(proofs),
            file: ::std::borrow::Cow::Borrowed(file!()),
        };
    };
    (@body Server) => {
        $crate::scenario::Body::Server($crate::scenario::Shared::Static(&|ctx| {
            Box::pin(async move { Ok(run(ctx).await?) })
        }))
    };
    (@body Client) => {
        $crate::scenario::Body::Client {
            serve: $crate::scenario::Shared::Static(&|test| {
                $crate::scenario::Served::served(serve(test))
            }),
            judge: $crate::scenario::Shared::Static(&judge),
        }
    };
    (@body Authorization) => {
        $crate::scenario::Body::Authorization($crate::scenario::Shared::Static(&|ctx| {
            Box::pin(run(ctx))
        }))
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@flag) => { false };
    (@flag $value:literal) => { $value };
    (@repeats) => { $crate::scenario::Repeats::EachRevision };
    (@repeats $repeats:ident) => { $crate::scenario::Repeats::$repeats };
    (@revisions) => { $crate::spec::Revisions::none() };
    (@revisions $revisions:expr) => { $revisions };
    (@transports) => { $crate::scenario::Transports::Any };
    (@transports $transports:ident [$($only:ident),+]) => {
        $crate::scenario::Transports::$transports(&[$($crate::transport::TransportKind::$only),+])
    };
    (@transports $transports:ident) => { $crate::scenario::Transports::$transports };
    (@list) => { &[] };
    (@list $value:expr) => { &$value };
}

/// Declares a check by its id, what it checks, and the [requirements](crate::spec::Requirement) that it stands for: a list of their constants.
///
/// ```text
/// check!("tools-name-format", "The names of tools have the recommended form", [TOOLS_NAME_CHARACTERS])
/// ```
///
/// At which revisions it is made, and whether it fails or warns, follows from the requirements; what differs, is official or
/// is made in some runs only, is said by the methods of [`CheckSpec`](crate::scenario::CheckSpec).
#[macro_export]
#[doc(hidden)]
macro_rules! check {
    ($id:expr, $description:expr $(,)?) => {
        $crate::scenario::CheckSpec::own($id, $description, &[])
    };
    ($id:expr, $description:expr, [$($requirement:ident),+ $(,)?] $(,)?) => {
        $crate::scenario::CheckSpec::own($id, $description, &[$($crate::spec::Requirement::$requirement),+])
    };
    ($id:expr, $description:expr, $requirements:expr $(,)?) => {
        $crate::scenario::CheckSpec::own($id, $description, $requirements)
    };
}

/// Declares `proofs`: the good peer of a scenario, a server or a client, and the faults that each check notices.
///
/// ```text
/// proofs! {
///     passes on everything();
///     catches "tools-call-error" by reply_error("tools/call", -32603);
///     catches "roots-fetched-again" on asking_if(|changes| changes == 0);
///     warns "tools-name-format" by set("tools/list", "/result/tools/0/name", json!("a b")), at V2025_11_25;
/// }
/// ```
///
/// `passes on peer(), and shares proofs_of_all();` adds the proofs that this expression returns. After `by` comes a constructor of
/// [`Fault`](crate::transport::Fault), after `on` another peer: an expression that captures nothing. Then `at REVISION`,
/// `over TransportKind`, `under Profile` and `prompt MILLISECONDS` and, for a peer that falls silent, `timeout SECONDS` may follow.
///
/// What else a fault changes is in the snapshots of `suite/tests/proofs`.
#[macro_export]
#[doc(hidden)]
macro_rules! proofs {
    (passes on $peer:expr $(, and shares $shared:expr)?; $($proof:tt)*) => {
        fn proofs() -> $crate::scenario::Proofs {
            #[allow(unused_mut, reason = "a scenario may have the shared proofs only")]
            let mut proofs: Vec<$crate::scenario::Proof> = $crate::proofs!(@shared $($shared)?);
            $crate::proofs!(@push proofs $($proof)*);
            $crate::scenario::Proofs { peer: || $crate::scenario::Peer::from($peer), proofs }
        }
    };
    (@shared) => { Vec::new() };
    (@shared $shared:expr) => { $shared };
    // One by one, since a repetition cannot choose between `by` and `on`.
    (@push $proofs:ident) => {};
    (
        @push $proofs:ident
        $verb:ident $check:literal by $fault:ident($($arg:expr),* $(,)?) $(, $key:ident $value:tt)*;
        $($rest:tt)*
    ) => {
        $crate::proofs!(
            @add $proofs $verb $check ($crate::transport::Fault::$fault($($arg),*)) $($key $value)*
        );
        $crate::proofs!(@push $proofs $($rest)*);
    };
    (@push $proofs:ident $verb:ident $check:literal on $peer:expr $(, $key:ident $value:tt)*; $($rest:tt)*) => {
        $crate::proofs!(
            @add $proofs $verb $check ($crate::scenario::ProofFault::Peer {
                source: stringify!($peer),
                make: || $crate::scenario::Peer::from($peer),
            }) $($key $value)*
        );
        $crate::proofs!(@push $proofs $($rest)*);
    };
    (@add $proofs:ident $verb:ident $check:literal ($fault:expr) $($key:ident $value:tt)*) => {
        $proofs.push(
            $crate::scenario::Proof::$verb($check, $fault)$(.$key($crate::proofs!(@$key $value)))*
        );
    };
    (@at $revision:ident) => { $crate::spec::Revision::$revision };
    (@over $transport:ident) => { $crate::transport::TransportKind::$transport };
    (@under $profile:ident) => { $crate::scenario::Profile::$profile };
    (@timeout $seconds:literal) => { $seconds };
    (@prompt $milliseconds:literal) => { $milliseconds };
}
