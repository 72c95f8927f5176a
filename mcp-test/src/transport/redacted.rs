//! Command lines and URLs without their secrets, for reports.

use crate::trace::Redactor;

/// A command line or URL without passwords and tokens.
pub(crate) fn redact_urls(text: &(impl ToString + ?Sized)) -> String {
    Redactor::secrets().urls(&text.to_string())
}
