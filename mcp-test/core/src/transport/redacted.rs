//! Command lines and URLs without their secrets, for reports.

use crate::trace::{Redactor, SecretTexts, secrets_in_command};

/// A command line or URL without passwords and tokens.
pub(crate) fn redact_urls(text: &(impl ToString + ?Sized)) -> String {
    let text = text.to_string();
    // Sought by themselves, because a value may be quoted in the line.
    let secrets = SecretTexts::new(secrets_in_command([text.as_str()]));
    Redactor::secrets().secret_texts(secrets).urls(&text)
}
