//! The files that the entries list.

use std::collections::HashSet;

use mcp_test_core::expect::array_of;

use super::entries::each;
use super::entry::Entry;
use crate::scenarios::prelude::*;
use crate::scenarios::skills::skills_server::text;

/// The most files of a skill that every client accepts.
const MOST_FILES: usize = 512;

/// The most bytes of a skill that every client accepts: 16 MiB.
const MOST_BYTES: f64 = 16_777_216.0;

const DIGEST: &str = "sha256:";

pub(super) fn judge(ctx: &mut Ctx, entries: &[Entry<'_>]) {
    let none = "no entry lists its files";
    let listed = |entry: &Entry<'_>| entry.has_files();
    each(ctx, "sep-2640-resources-complete", entries, none, |entry| {
        let uri = entry.uri().filter(|_| listed(entry))?;
        Some(object().member("resources", complete(uri)))
    });
    each(ctx, "sep-2640-resources-uri-within-skill", entries, none, |entry| {
        let (directory, _) = entry.uri().filter(|_| listed(entry))?.rsplit_once('/')?;
        Some(object().member("resources", array_of(object().member("uri", within(directory)))))
    });
    each(ctx, "sep-2640-resources-digest-format", entries, none, |entry| {
        listed(entry)
            .then(|| object().member("resources", array_of(object().member("digest", digest()))))
    });
    each(ctx, "sep-2640-resources-size-required", entries, none, |entry| {
        listed(entry)
            .then(|| object().member("resources", array_of(object().member("size", size()))))
    });
    each(ctx, "sep-2640-limit-resources-per-skill", entries, none, |entry| {
        listed(entry).then(|| object().member("resources", few()))
    });
    each(ctx, "sep-2640-limit-total-size", entries, none, |entry| {
        listed(entry).then(|| object().member("resources", small()))
    });
}

/// The files; empty if it is not an array.
fn files(resources: &Value) -> &[Value] {
    resources.as_array().unwrap_or_default()
}

/// Matches an array with this file, and with no file twice.
fn complete(uri: &str) -> impl Matcher + use<> {
    let uri = uri.to_owned();
    let description = format!("an array with {uri:?}, and with no URI twice");
    satisfying(description, move |resources: &Value| {
        let uris = || files(resources).iter().filter_map(|file| text(file, "uri"));
        let mut seen = HashSet::new();
        uris().any(|it| it == uri) && uris().all(|it| seen.insert(it))
    })
}

fn within(directory: &str) -> impl Matcher + use<> {
    let directory = format!("{directory}/");
    satisfying(format!("a URI in {directory}"), move |uri: &Value| {
        let path = uri.as_str().and_then(|uri| uri.strip_prefix(&directory));
        // A client that resolves dots would leave the directory.
        path.is_some_and(|path| path.split('/').all(|segment| segment != ".."))
    })
}

fn digest() -> impl Matcher {
    let description = format!("`{DIGEST}` and 64 hexadecimal digits in lower case");
    satisfying(description, |digest: &Value| {
        let hex = digest.as_str().and_then(|digest| digest.strip_prefix(DIGEST));
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        hex.is_some_and(|hex| hex.len() == 64 && hex.bytes().all(is_digit))
    })
}

fn size() -> impl Matcher {
    satisfying("a whole number from 0 on", |size: &Value| {
        size.as_f64().is_some_and(|size| size >= 0.0 && size.fract() == 0.0)
    })
}

fn few() -> impl Matcher {
    satisfying(format!("an array of at most {MOST_FILES} files"), |resources: &Value| {
        files(resources).len() <= MOST_FILES
    })
}

fn small() -> impl Matcher {
    let description = format!("an array of files with at most {MOST_BYTES} bytes together");
    satisfying(description, |resources: &Value| {
        let sizes = files(resources).iter().filter_map(|file| file.get("size")?.as_f64());
        sizes.sum::<f64>() <= MOST_BYTES
    })
}
