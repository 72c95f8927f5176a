//! The scenarios about the places where metadata is.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt, ProtectedResource, ResourceName};

use super::flow::{Flow, Step, judge_whole_flow, judge_wrong_path};
use super::flow_proofs::whole_flow_proofs;
use super::resource_parameter::{
    CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID, judge_resource,
};
use super::served::protected;
use super::{METADATA_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{METADATA_DISCOVERY, PRM_DISCOVERY};

const ORDER: &str = "prm-priority-order";
const WRONG_PATH: &str = "authorization-server-metadata-wrong-path";

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2025_11_25),
        official: Official::client_auth(Revisions::from(Revision::V2025_11_25), METADATA_SUITES),
        transports: StreamableHttp,
    }
    metadata_default {
        /// The client signs in with a server whose challenge says where its metadata is.
        ///
        /// The metadata of the authorization server is where RFC 8414 has it. A client that also looks for the metadata of the
        /// server at the root of its origin, which the challenge does not name, is at fault.
        "auth/metadata-default": "The client follows the challenge to the metadata of the server",
        checks: signing_in![whole: flow::PRM, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES,
            check!(ORDER, "The client does not ask for metadata at the root of the origin",
                [AUTH_DISCOVERY_CLIENT_PRM_FROM_HEADER])
                .official(&[PRM_DISCOVERY]).named("PRMPriorityOrder").conditional(),
        ],
        serve: |test| protected(test, Behavior::default(), |resource| resource),
        judge: |judging| {
            let flow = judge_at_endpoint(judging, &Step::ALL)?;
            for missed in flow.resource_metadata.iter().filter(|fetched| !fetched.request.found) {
                let finding = Finding::peer("the client asked for metadata at another place")
                    .expected("the URL in `resource_metadata` of the challenge")
                    .got(format!("`GET {}`", missed.request.path));
                judging.check(ORDER).fail(finding.evidence(missed.seq));
            }
            Ok(())
        },
        proofs: {
            passes on signing_in_client(), and shares whole_flow_proofs();
            catches "prm-pathbased-requested" by give_up("discover"), under Strict;
            catches "prm-priority-order" by misbehavior(Misbehavior::TriesRootFirst);
        },
    }
    metadata_var1 {
        /// The client signs in with a server whose challenge does not say where its metadata is: it is where RFC 9728 has it,
        /// with the path of the endpoint.
        ///
        /// The metadata of the authorization server is where OpenID Connect has it.
        "auth/metadata-var1": "The client finds metadata that no challenge names",
        checks: signing_in![whole: flow::PRM, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
        serve: |test| {
            let behavior = Behavior { metadata: MetadataAt::OpenId, ..Behavior::default() };
            protected(test, behavior, ProtectedResource::unannounced)
        },
        judge: |judging| judge_at_endpoint(judging, &Step::ALL).map(drop),
        proofs: {
            passes on signing_in_client(), and shares whole_flow_proofs();
            catches "prm-pathbased-requested" by give_up("discover"), under Strict;
        },
    }
    metadata_var2 {
        /// The client signs in with a server whose challenge does not say where its metadata is: it is at the root of its origin, and
        /// name that as the resource.
        ///
        /// The issuer has a path, before which the metadata of the authorization server is, as RFC 8414 has it.
        "auth/metadata-var2": "The client finds metadata at the root, of an issuer with a path",
        checks: signing_in![whole: flow::PRM.conditional().informs(), IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT,
            MATCHES, NOT_AT_ROOT],
        serve: |test| {
            let behavior = Behavior { path: "/tenant1", ..Behavior::default() };
            protected(test, behavior, |resource| {
                let at_root = resource.metadata_at("/.well-known/oauth-protected-resource");
                at_root.unannounced().named(ResourceName::Origin)
            })
        },
        judge: |judging| {
            let named = judging.server_url().trim_end_matches("/mcp").to_owned();
            let flow = judge_of(judging, &Step::ALL[1..], &named)?;
            judge_wrong_path(judging, &flow, WRONG_PATH);
            Ok(())
        },
        proofs: {
            passes on signing_in_client(), and shares whole_flow_proofs();
            catches "authorization-server-metadata-wrong-path" by misbehavior(Misbehavior::TriesRootFirst);
        },
    }
    metadata_var3 {
        /// The client signs in with a server whose challenge names a place for its metadata that no standard has.
        ///
        /// The issuer has a path, after which the metadata of the authorization server is, as OpenID Connect has it.
        "auth/metadata-var3": "The client finds metadata at any path that the challenge names",
        checks: signing_in![whole: flow::PRM.conditional().informs(), IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT,
            MATCHES, NOT_AT_ROOT],
        serve: |test| {
            let metadata = MetadataAt::OpenId;
            let behavior = Behavior { path: "/tenant1", metadata, ..Behavior::default() };
            protected(test, behavior, |resource| resource.metadata_at("/custom/metadata/location.json"))
        },
        judge: |judging| {
            let flow = judge_at_endpoint(judging, &Step::ALL[1..])?;
            judge_wrong_path(judging, &flow, WRONG_PATH);
            Ok(())
        },
        proofs: {
            passes on signing_in_client(), and shares whole_flow_proofs();
            catches "authorization-server-metadata-wrong-path" by misbehavior(Misbehavior::TriesRootFirst);
        },
    }
}

/// The check of what only an issuer with a path can show.
const NOT_AT_ROOT: CheckSpec = check!(
    WRONG_PATH,
    "The client does not ask for the metadata of another issuer, at the root",
    [AUTH_DISCOVERY_AS_ORDER_PATH_ISSUER]
)
.official(&[METADATA_DISCOVERY])
.conditional();

/// Judges these steps of a flow whose resource is the endpoint.
fn judge_at_endpoint(judging: &mut Judging, steps: &[Step]) -> Result<Flow, Finding> {
    let named = judging.server_url();
    judge_of(judging, steps, &named)
}

/// Judges these steps of a flow whose resource has this name.
fn judge_of(judging: &mut Judging, steps: &[Step], resource: &str) -> Result<Flow, Finding> {
    let flow = judge_whole_flow(judging, steps)?;
    judge_resource(judging, &flow, resource);
    Ok(flow)
}
