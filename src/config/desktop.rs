//! Settings of the desktop (`[desktop]`): the icon in its tray. Only owners' files set them.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use toml::Spanned;

use super::settings::{Put, Sourced};

/// Whether the user's host shows an icon in the desktop's tray.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tray {
    /// It does, wherever it is.
    On,
    /// It does not.
    Off,
    /// It does where there is a session bus, and not in a container.
    #[default]
    Auto,
}

impl Tray {
    /// Returns it as settings write it.
    #[must_use]
    pub const fn written(self) -> &'static str {
        match self {
            Self::On => "true",
            Self::Off => "false",
            Self::Auto => "\"auto\"",
        }
    }
}

impl<'de> Deserialize<'de> for Tray {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Tray;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`true`, `false` or `auto`")
            }

            fn visit_bool<E: de::Error>(self, is_on: bool) -> Result<Tray, E> {
                Ok(if is_on { Tray::On } else { Tray::Off })
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Tray, E> {
                match word {
                    "auto" => Ok(Tray::Auto),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// The desktop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesktopSettings {
    /// Whether there is an icon in its tray.
    pub tray: Sourced<Tray>,
}

/// `[desktop]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `DesktopSettings`")]
pub struct WrittenDesktop {
    pub tray: Option<Spanned<Tray>>,
}

impl DesktopSettings {
    pub(super) fn put(&mut self, written: &WrittenDesktop, put: &mut Put<'_>) {
        put.personal("desktop.tray", &mut self.tray, written.tray.as_ref(), |tray| *tray);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema;

    #[test]
    fn it_is_a_switch_or_the_word_auto() {
        for tray in [Tray::On, Tray::Off, Tray::Auto] {
            let written = schema::read(&format!("[desktop]\ntray = {}\n", tray.written())).unwrap();
            assert_eq!(written.desktop.tray.unwrap().into_inner(), tray);
        }
        for (value, says) in [("\"on\"", "\"on\""), ("1", "1"), ("[]", "sequence")] {
            let text = format!("[desktop]\ntray = {value}\n");
            let Err(problems) = schema::read(&text) else { panic!("{text}") };
            let message = &problems[0].message;
            assert!(message.contains(says) && message.contains("`true`, `false` or"), "{message}");
            assert_eq!(text.get(problems[0].span.clone()), Some(value), "{text}");
        }
    }
}
