//! Where there is no `sh`, no program takes the place of a browser.

use std::io;
use std::path::PathBuf;

/// A program that takes the place of a browser, of which there is none here.
#[derive(Debug)]
pub(crate) enum StandInBrowser {}

impl StandInBrowser {
    pub(crate) fn create(_: &str) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn program(&self) -> PathBuf {
        match *self {}
    }

    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        match *self {}
    }

    pub(crate) fn is_offered(&self) -> bool {
        match *self {}
    }

    pub(crate) fn opened(&self) -> Vec<String> {
        match *self {}
    }

    pub(crate) fn mark(&self) -> String {
        match *self {}
    }

    pub(crate) fn is_marked(&self) -> bool {
        match *self {}
    }
}
