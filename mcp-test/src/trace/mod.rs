//! What was said, in order.
