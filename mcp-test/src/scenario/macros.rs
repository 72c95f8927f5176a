//! The two macros of a scenario file: [`scenario!`](crate::scenario!) and [`proofs!`](crate::proofs!).

/// Declares the scenario of a file as `SCENARIO`, from the doc comment, the declaration, and the file's functions: `run`
/// of one that tests a server, `serve` and `judge` of one that tests a client, and `proofs`.
///
/// `official`, `carriers`, `needs` and `disturbs` may be left out; `carriers` names one of
/// [`Carriers`](crate::scenario::Carriers).
#[macro_export]
#[doc(hidden)]
macro_rules! scenario {
    (
        $(#[doc = $doc:literal])+
        $leg:ident $id:literal: $title:literal,
        revisions: $revisions:expr,
        $(official: $official:expr,)?
        $(carriers: $carriers:ident,)?
        $(needs: $needs:expr,)?
        $(disturbs: $disturbs:literal,)?
        checks: $checks:expr $(,)?
    ) => {
        #[doc = concat!("The scenario `", $id, "`: ", $title, ".")]
        #[allow(unreachable_pub, reason = "a scenario of a test is declared in the same way")]
        pub static SCENARIO: $crate::scenario::Scenario = $crate::scenario::Scenario {
            id: $id,
            title: $title,
            doc: concat!($($doc, "\n"),+),
            leg: $crate::scenario::Leg::$leg,
            revisions: $revisions,
            official: $crate::scenario!(@option $($official)?),
            carriers: $crate::scenario!(@carriers $($carriers)?),
            needs: $crate::scenario!(@list $($needs)?),
            disturbs: $crate::scenario!(@option $($disturbs)?),
            timeout: None,
            opens: false,
            verbatim: false,
            checks: &$checks,
            body: $crate::scenario!(@body $leg),
            proofs,
            file: file!(),
        };
    };
    (@body Server) => { $crate::scenario::Body::Server(&|ctx| Box::pin(run(ctx))) };
    (@body Client) => { $crate::scenario::Body::Client { serve: &serve, judge: &judge } };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@carriers) => { $crate::scenario::Carriers::Any };
    (@carriers $carriers:ident) => { $crate::scenario::Carriers::$carriers };
    (@list) => { &[] };
    (@list $value:expr) => { &$value };
}

/// Declares `proofs`: the good peer of a scenario, a server or a client, and what each kind of damage changes.
///
/// ```text
/// proofs! {
///     passes on everything();
///     catches "tools-call-error" by reply_error("tools/call", -32603), also "tools-call-error-exact" Skipped;
///     warns "tools-name-format" by set("tools/list", "/result/tools/0/name", json!("a b")), at V2025_11_25;
/// }
/// ```
///
/// After `by` stands a constructor of [`Fault`](crate::transport::Fault), after `on` a function of the file that makes
/// another peer. Then may follow `also "id" Status`, `at REVISION`, `over Carrier` and `under Profile`.
#[macro_export]
#[doc(hidden)]
macro_rules! proofs {
    (
        passes on $peer:ident();
        $($verb:ident $check:literal $how:ident $damage:ident($($arg:expr),* $(,)?) $(, $key:ident $value:tt $($status:ident)?)*;)*
    ) => {
        fn proofs() -> $crate::scenario::Proofs {
            $crate::scenario::Proofs {
                peer: || $crate::scenario::Peer::from($peer()),
                proofs: vec![$(
                    $crate::proofs!(
                        @proof $crate::scenario::Proof::$verb($check, $crate::proofs!(@damage $how $damage($($arg),*)));
                        $(, $key $value $($status)?)*
                    )
                ),*],
            }
        }
    };
    (@damage by $fault:ident($($arg:expr),*)) => { $crate::transport::Fault::$fault($($arg),*) };
    (@damage on $make:ident()) => {
        $crate::scenario::Damage::Peer {
            name: stringify!($make),
            make: || $crate::scenario::Peer::from($make()),
        }
    };
    (@proof $proof:expr;) => { $proof };
    (@proof $proof:expr; , also $check:literal $status:ident $($rest:tt)*) => {
        $crate::proofs!(@proof $proof.also($check, $crate::check::Status::$status); $($rest)*)
    };
    (@proof $proof:expr; , at $revision:ident $($rest:tt)*) => {
        $crate::proofs!(@proof $proof.at($crate::spec::Revision::$revision); $($rest)*)
    };
    (@proof $proof:expr; , over $carrier:ident $($rest:tt)*) => {
        $crate::proofs!(@proof $proof.over($crate::transport::CarrierKind::$carrier); $($rest)*)
    };
    (@proof $proof:expr; , under $profile:ident $($rest:tt)*) => {
        $crate::proofs!(@proof $proof.under($crate::scenario::Profile::$profile); $($rest)*)
    };
}
