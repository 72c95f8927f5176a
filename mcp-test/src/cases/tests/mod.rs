//! Files of cases, good and bad, and what is said of them.

mod bad;
mod flow;
mod format;
mod good;
mod hostile;
#[cfg(feature = "schema")]
mod schema;

use super::{Cases, Complaint, ReadError, ReadOptions};

/// A text that has to be right, and what is said of it all the same.
fn read(text: &str) -> (Cases, Vec<Complaint>) {
    match Cases::parse("a.yaml", text, &ReadOptions::default()) {
        Ok(read) => read,
        Err(error) => panic!("{error}"),
    }
}

/// What is said of a text that has to be wrong.
fn refused(text: &str) -> String {
    match Cases::parse("a.yaml", text, &ReadOptions::default()) {
        Err(ReadError::Complaints(complaints)) => {
            assert!(!complaints.is_empty());
            ReadError::Complaints(complaints).to_string()
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was read: {text}"),
    }
}
