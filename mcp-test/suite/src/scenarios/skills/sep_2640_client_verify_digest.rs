//! `sep-2640-client-verify-digest`.

use super::skills_client::{
    DESCRIPTION, following_references, judge_refusal, loads_intact, only_lists, reading_ahead,
    reading_skill_md_only, refusal, skill_md, tampering_server, trusting, unverified,
    without_skills,
};
use crate::scenarios::prelude::*;

scenario! {
    /// The client lists the skills and loads one, whose `SKILL.md` has another digest than its entry says. It must refuse the
    /// skill; its exit code does not matter.
    ///
    /// A refusal sends no message: it shows only in that the client reads no other file of the skill. So the official check
    /// passes for a client that verifies nothing and needs no other file. Our own checks look for a read of a file that only
    /// the refused text names, and, except in profile `official`, for the second file of another skill that is intact.
    Client "sep-2640-client-verify-digest": "The client refuses a file with another digest",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_extension(),
    tolerates_failed_exit: true,
    checks: [
        refusal(OFFICIAL, "SkillsClientVerify_digest", "The client refuses a `SKILL.md` with another digest",
            &[Requirement::SKILLS_CLIENT_VERIFY_DIGEST]),
        unverified(&[Requirement::SKILLS_CLIENT_VERIFY_DIGEST, Requirement::SKILLS_CLIENT_LISTED_FILES]),
        loads_intact(&[Requirement::SKILLS_CLIENT_VERIFY_DIGEST]),
    ],
}

const OFFICIAL: &str = "sep-2640-host-verify-digest";

fn serve(test: &ClientTest) -> Server {
    // Both texts have the same length, so that the size in the entry is right.
    let text = |file: &str| skill_md(DESCRIPTION, &format!("Read references/{file} first."));
    tampering_server(test, text("FORMS.md"), text("OTHER.md"))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, OFFICIAL, "that has another digest than its entry says")
}

proofs! {
    passes on good_client();
    catches "sep-2640-host-verify-digest" on trusting();
    catches "sep-2640-host-verify-digest" on trusting(), at V2025_11_25, under Official;
    catches "sep-2640-host-verify-digest" on only_lists(), at V2025_11_25, under Official;
    catches "sep-2640-host-verify-digest" on reading_ahead(), at V2025_11_25, under Official;
    catches "client-follows-no-unverified-reference" on following_references();
    catches "client-loads-intact-skill" on reading_skill_md_only(), under Strict;
    catches "sep-2640-host-verify-digest" on without_skills(), under Strict;
}
