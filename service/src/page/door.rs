//! By which name a browser comes to the page: the one that is drawn for this machine's browsers, or the named host of a reverse proxy.

/// A name of the page, with what holds for those who come by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Door {
    /// The name, with the port where there is one.
    pub host: String,
    /// From where browsers come by it.
    pub from: From,
    /// What those who come by it may do at most.
    pub most: Most,
}

/// From where browsers come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// From this machine, by HTTP on its loopback.
    Here,
    /// From other machines, by HTTPS to a reverse proxy on this one.
    Elsewhere,
}

/// What somebody may do at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// Look.
    Looks,
    /// Look and answer.
    Answers,
}

impl Door {
    /// Returns the origin that browsers say.
    pub fn origin(&self) -> String {
        let scheme = match self.from {
            From::Here => "http",
            From::Elsewhere => "https",
        };
        format!("{scheme}://{}", self.host)
    }

    /// Returns the name without the port: what a passkey belongs to.
    pub fn name(&self) -> &str {
        self.host.split(':').next().unwrap_or_default()
    }

    /// Returns the name of the cookie by which a seat is known. What browsers take under the other one was set by HTTPS, by this very host.
    pub const fn cookie(&self) -> &'static str {
        match self.from {
            From::Here => "guarded-sh",
            From::Elsewhere => "__Host-guarded-sh",
        }
    }

    /// Returns what a cookie is set with.
    pub const fn attributes(&self) -> &'static str {
        match self.from {
            From::Here => "Path=/; HttpOnly; SameSite=Strict",
            From::Elsewhere => "Path=/; HttpOnly; SameSite=Strict; Secure",
        }
    }
}
