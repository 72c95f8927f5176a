//! Classifies the errors of the HTTP libraries by their types.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

use crate::transport::exchange_error::ExchangeError;

/// The most specific reason among the causes of an error; else the text of the deepest cause.
pub(super) fn classify(error: &(dyn Error + 'static)) -> ExchangeError {
    let causes: Vec<&(dyn Error + 'static)> =
        successors(Some(error), |&error| error.source()).collect();
    // From the deepest cause up: the outer errors only say that the request failed.
    let known = causes.iter().rev().find_map(|cause| {
        let io = cause.downcast_ref::<io::Error>().and_then(classify_io);
        io.or_else(|| cause.downcast_ref::<hyper::Error>().and_then(classify_hyper))
    });
    let deepest = || causes.last().map_or_else(|| error.to_string(), ToString::to_string);
    known.unwrap_or_else(|| {
        // hyper-util's connector keeps the type of this error private.
        if causes.iter().any(|cause| cause.to_string().contains("dns error")) {
            ExchangeError::UnknownHost(deepest())
        } else {
            ExchangeError::Other(deepest())
        }
    })
}

fn classify_io(error: &io::Error) -> Option<ExchangeError> {
    // hyper reports defects of the body as I/O errors that hold nothing but a text.
    let text = error.to_string();
    if let Some(tls) = classify_tls(error) {
        return Some(tls);
    }
    Some(match error.kind() {
        ErrorKind::ConnectionRefused => ExchangeError::Refused,
        // Which of these is reported depends on what was being done when the connection broke.
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            ExchangeError::Reset
        }
        ErrorKind::TimedOut => ExchangeError::TimedOut,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            ExchangeError::Unreachable(text)
        }
        ErrorKind::UnexpectedEof if text.contains("chunk") => ExchangeError::MissingChunks,
        _ if text.contains("chunk") => ExchangeError::WrongChunks(lower_first(&text)),
        ErrorKind::UnexpectedEof if text.contains("message length") => ExchangeError::Truncated,
        ErrorKind::UnexpectedEof => ExchangeError::Closed,
        _ => return None,
    })
}

#[cfg(feature = "tls")]
fn classify_tls(error: &io::Error) -> Option<ExchangeError> {
    let mut inner = error.get_ref()?;
    // hyper-util wraps the error of tokio-rustls in another I/O error, whose `source` skips what it holds.
    while let Some(nested) = inner.downcast_ref::<io::Error>() {
        inner = nested.get_ref()?;
    }
    match inner.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
            Some(ExchangeError::NotTls)
        }
        rustls::Error::InvalidCertificate(_) => Some(ExchangeError::Certificate(error.to_string())),
        _ => None,
    }
}

#[cfg(not(feature = "tls"))]
fn classify_tls(_: &io::Error) -> Option<ExchangeError> {
    None
}

fn classify_hyper(error: &hyper::Error) -> Option<ExchangeError> {
    if error.is_parse() {
        let text = error.to_string();
        let text = text.trim_end_matches(" parsed");
        // A TLS record where HTTP is expected fails to parse as a version, for which hyper has no predicate.
        return Some(if text.contains("version") {
            ExchangeError::NotPlainHttp(text.to_owned())
        } else {
            ExchangeError::NotHttp(text.to_owned())
        });
    }
    (error.is_incomplete_message() || error.is_closed() || error.is_canceled())
        .then_some(ExchangeError::NoResponse)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
