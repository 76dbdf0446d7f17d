//! The proxy of a contained line, by itself: what reaches a host that the plan names, and every trick by which another one is to be reached. Each test
//! plays in a network of its own, in which addresses of the internet are this machine's, and names lead where `/etc/hosts` says: so nothing in the
//! proxy knows of tests.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests panic")]

mod rows;
mod support;
