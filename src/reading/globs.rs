//! What options say of patterns for names of files (bash manual, 4.3.2). Expands none.

/// What `shopt` says of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Globs {
    /// One that fits nothing becomes no word, fits in other cases, or fits names with a dot in front: `nullglob`,
    /// `nocaseglob`, `dotglob`.
    pub(super) open: u8,
    /// `!(…)` and its like are patterns, also in the values of variables: `extglob`.
    pub(super) extended: bool,
    /// What `${x/…}` replaces may be in other cases: `nocasematch`.
    pub(super) any_case: bool,
    /// `**` goes down into directories: `globstar`.
    pub(super) deep: bool,
}

impl Globs {
    /// Notes that an option is on or off, if it is one of these.
    pub(super) fn switch(&mut self, option: &str, on: bool) {
        let bit = match option {
            "nullglob" => 1,
            "nocaseglob" => 2,
            "dotglob" => 4,
            "extglob" => return self.extended = on,
            "globstar" => return self.deep = on,
            "nocasematch" => return self.any_case = on,
            _ => return,
        };
        self.open = if on { self.open | bit } else { self.open & !bit };
    }

    /// Returns what may be on of this or the other.
    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            open: self.open | other.open,
            extended: self.extended || other.extended,
            any_case: self.any_case || other.any_case,
            deep: self.deep || other.deep,
        }
    }
}
