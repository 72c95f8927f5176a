//! Why HTTP failed, in words for people who do not know the libraries beneath.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

/// What went wrong, as far as it can be told; else what the deepest cause says.
pub(super) fn why(error: &(dyn Error + 'static)) -> String {
    let causes: Vec<&(dyn Error + 'static)> =
        successors(Some(error), |&error| error.source()).collect();
    let told = causes.iter().rev().find_map(|cause| {
        let io = cause.downcast_ref::<io::Error>().and_then(of_io);
        io.or_else(|| cause.downcast_ref::<hyper::Error>().and_then(of_http))
    });
    told.or_else(|| of_text(&causes))
        .unwrap_or_else(|| causes.last().map_or_else(|| error.to_string(), ToString::to_string))
}

fn of_io(error: &io::Error) -> Option<String> {
    let text = error.to_string();
    Some(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused: nothing listens there".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the server reset the connection".to_owned()
        }
        ErrorKind::TimedOut => "nothing answers at that address".to_owned(),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            format!("there is no way to that address: {text}")
        }
        _ if text.contains("InvalidContentType") => {
            "what came is no TLS: is the server at http:// instead of https://?".to_owned()
        }
        _ if text.contains("certificate") => format!("its certificate is not accepted: {text}"),
        ErrorKind::UnexpectedEof if text.contains("chunk") => {
            "the connection was closed before the last chunk".to_owned()
        }
        _ if text.contains("chunk") => format!("wrong chunking: {}", lowered(&text)),
        ErrorKind::UnexpectedEof if text.contains("message length") => {
            "the connection was closed before the end that was announced".to_owned()
        }
        ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        _ => return None,
    })
}

fn of_http(error: &hyper::Error) -> Option<String> {
    if error.is_parse() {
        let what = error.to_string();
        let what = what.trim_end_matches(" parsed");
        let or_tls = if what.contains("version") { ", or HTTP inside TLS" } else { "" };
        return Some(format!("what came is no HTTP{or_tls}: {what}"));
    }
    (error.is_incomplete_message() || error.is_closed())
        .then(|| "the server closed the connection without an answer".to_owned())
}

/// Errors of which only the text can be had.
fn of_text(causes: &[&(dyn Error + 'static)]) -> Option<String> {
    let dns = |cause: &&&(dyn Error + 'static)| cause.to_string().contains("dns error");
    causes.iter().find(dns)?;
    Some(format!("the name of the host is not known: {}", causes.last()?))
}

fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
