//! `sep-2640-client-verify-size`.

use super::skills_client::{
    DESCRIPTION, following_references, judge_refusal, loads_intact, reading_skill_md_only, refusal,
    skill_md, tampering_server, trusting, unverified,
};
use crate::scenarios::prelude::*;

scenario! {
    /// The client lists the skills and loads one, whose `SKILL.md` is longer than its entry says. It must refuse the skill;
    /// its exit code does not matter.
    ///
    /// A longer text has another digest as well, so this does not show which of the two a client compares. What else it does
    /// not show is the same as in `sep-2640-client-verify-digest`.
    Client "sep-2640-client-verify-size": "The client refuses a file of another length",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_extension(),
    tolerates_failed_exit: true,
    checks: [
        refusal(OFFICIAL, "SkillsClientVerify_size", "The client refuses a `SKILL.md` of another length",
            &[Requirement::SKILLS_CLIENT_VERIFY_SIZE]),
        unverified(&[Requirement::SKILLS_CLIENT_VERIFY_SIZE, Requirement::SKILLS_CLIENT_LISTED_FILES]),
        loads_intact(&[Requirement::SKILLS_CLIENT_VERIFY_SIZE]),
    ],
}

const OFFICIAL: &str = "sep-2640-host-size-mismatch-failure";

fn serve(test: &ClientTest) -> Server {
    let text = skill_md(DESCRIPTION, "Read references/FORMS.md first.");
    let longer = format!("{text}Then read references/OTHER.md.\n");
    tampering_server(test, text, longer)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, OFFICIAL, "that is longer than its entry says")
}

proofs! {
    passes on good_client();
    catches "sep-2640-host-size-mismatch-failure" on trusting();
    catches "sep-2640-host-size-mismatch-failure" on trusting(), at V2025_11_25, under Official;
    catches "client-follows-no-unverified-reference" on following_references();
    catches "client-loads-intact-skill" on reading_skill_md_only(), under Strict;
}
