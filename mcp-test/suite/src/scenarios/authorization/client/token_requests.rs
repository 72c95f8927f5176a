//! What a scenario without a user demands of token requests: how the server refuses a wrong one, and what the judge says of it.

use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{AnswersToken, PresentedCredentials, TokenRequest};

use super::flow::Received;
use crate::scenarios::prelude::*;

/// What is wrong with a token request.
pub(super) struct WrongRequest {
    /// The check that fails.
    check: &'static str,
    /// The error with which it is refused.
    code: ErrorCode,
    finding: Finding,
    is_task: bool,
}

/// What the official suite refuses in a token request, although it is right.
pub(super) struct OfficiallyWrong {
    pub(super) finding: Finding,
    /// What allows it.
    pub(super) why: &'static str,
}

/// What a scenario finds in a token request.
pub(super) type Examined = Result<Option<OfficiallyWrong>, WrongRequest>;

impl WrongRequest {
    /// It breaks this requirement.
    pub(super) fn new(
        check: &'static str,
        code: ErrorCode,
        requirement: &'static Requirement,
        finding: Finding,
    ) -> Self {
        Self { check, code, finding: finding.requires(requirement), is_task: false }
    }

    /// It is of another grant, since the client does something else than the scenario is about.
    pub(super) fn grant(check: &'static str, request: &TokenRequest, expected: &str) -> Self {
        let got = request.parameters.first("grant_type");
        let finding = Finding::peer("the client asks for a token by another grant")
            .expected(format!("`grant_type={expected}`"))
            .got(got.map_or("no `grant_type`".to_owned(), |got| format!("`grant_type={got}`")));
        Self { check, code: ErrorCode::UnsupportedGrantType, finding, is_task: true }
    }

    pub(super) fn report(self, judging: &mut Judging, seq: Seq) {
        if self.is_task {
            has_other_task(judging);
        }
        let row = judging.check(self.check);
        let row = if self.is_task { row.by_task() } else { row };
        row.fail(self.finding.evidence(seq));
    }

    pub(super) const fn code(&self) -> ErrorCode {
        self.code
    }
}

/// Refuses what is wrong.
pub(super) fn refusing(
    examine: impl Fn(&TokenRequest) -> Examined + Send + Sync + 'static,
) -> Option<Arc<AnswersToken>> {
    Some(Arc::new(move |request, _| {
        let wrong = examine(request).err()?;
        Some(Err(wrong.code.because("the request is not what this scenario demands")))
    }))
}

/// Makes the checks of token requests, above all the one which says that there is a right one.
pub(super) fn judge_requests(
    judging: &mut Judging,
    requests: &[Received<TokenRequest>],
    check: &str,
    examine: impl Fn(&TokenRequest) -> Examined,
) {
    let mut is_made = false;
    for received in requests {
        match examine(&received.request) {
            Ok(officially) => {
                is_made = true;
                let row = judging.check(check).pass();
                if let Some(OfficiallyWrong { finding, why }) = officially {
                    row.officially_judge(Err(finding.evidence(received.seq)), why);
                }
            }
            Err(wrong) => {
                is_made |= wrong.check == check;
                wrong.report(judging, received.seq);
            }
        }
    }
    if is_made {
        return;
    }
    if requests.is_empty() {
        has_other_task(judging);
    }
    let row = judging.check(check);
    match requests.last() {
        None => row.by_task().fail(Finding::peer("the client made no such request")),
        Some(last) => {
            row.missing(Finding::peer("no request of the client came to this").evidence(last.seq))
        }
    };
}

/// Notes that the client does something else: it gets no token by that, and does well to say so.
fn has_other_task(judging: &mut Judging) {
    if judging.profile() == Profile::Adaptive {
        judging.tolerate_failed_exit();
    }
}

/// Compares the id and the secret in `Authorization`; the error says what came instead.
pub(super) fn examine_basic(
    request: &TokenRequest,
    id: &str,
    secret: &str,
) -> Result<Option<OfficiallyWrong>, Finding> {
    let wrong = |got: &str| {
        Err(Finding::peer("the client does not authenticate with its id and its secret")
            .expected("`Authorization: Basic` with the id and the secret in the context")
            .got(got))
    };
    match &request.credentials {
        PresentedCredentials::Nothing => wrong("no credentials"),
        PresentedCredentials::Post => wrong("a secret in the form"),
        PresentedCredentials::Assertion => wrong("an assertion"),
        PresentedCredentials::Basic(None) => wrong("`Authorization` without such a pair"),
        PresentedCredentials::Basic(Some((own, own_secret))) => match () {
            () if own != id => wrong("another id"),
            () if own_secret != secret => wrong("another secret"),
            () if !request.is_plain_basic => Ok(Some(OfficiallyWrong {
                finding: Finding::peer("`Authorization` is not written as usual")
                    .expected("`Basic`, and the id and the secret as they are")
                    .got("other letters, or an encoded pair"),
                why: "schemes ignore case (RFC 9110, section 11.1), and the id and the secret are encoded as in a form (RFC 6749, section 2.3.1)",
            })),
            () => Ok(None),
        },
    }
}
