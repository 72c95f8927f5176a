//! What all reports of a run have in common.

use mcp_test_core::run::MaskedEvent;

use super::ReportError;

/// Consumes the events of a run, and writes one format.
pub trait Reporter {
    /// Takes an event, and writes what is complete with it.
    ///
    /// # Errors
    ///
    /// If something cannot be written. The other reporters go on.
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError>;

    /// Reports that no selected scenario is applicable, so that the run does not begin.
    ///
    /// # Errors
    ///
    /// As for [`event`](Self::event).
    fn nothing_to_run(&mut self) -> Result<(), ReportError> {
        Ok(())
    }

    /// Whether it needs the end of every run, also of one that did not begin or was interrupted: a document does, what is read while
    /// it is written does not.
    fn needs_end(&self) -> bool {
        true
    }
}
