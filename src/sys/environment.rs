//! Variables that what this process becomes will have beside those that it was given.

/// Sets variables. The process must have no other thread, and a name or value holds no NUL byte.
pub fn set<'v>(variables: impl Iterator<Item = (&'v str, &'v str)>) {
    for (name, value) in variables {
        // SAFETY: no other thread reads the environment meanwhile, since there is none.
        unsafe { std::env::set_var(name, value) };
    }
}
