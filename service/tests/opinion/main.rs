//! The second opinion from end to end: the guard, the service beside it, and loopback servers that speak as providers do.

mod faults;
mod injected;
mod road;
mod support;
