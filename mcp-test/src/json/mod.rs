//! Lossless JSON.
