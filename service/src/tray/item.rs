//! The icon itself: `org.kde.StatusNotifierItem`.
#![allow(
    clippy::unused_self,
    clippy::used_underscore_binding,
    clippy::needless_pass_by_value,
    reason = "what the bus calls has the form that the bus wants"
)]

use zbus::interface;
use zbus::message::Header;
use zbus::zvariant::{ObjectPath, OwnedObjectPath};

use super::bus::{self, Shown};
use super::face::{Does, Mood};
use super::icon::{Pixmap, pixmaps};

/// Where it is.
pub const PATH: &str = "/StatusNotifierItem";
/// What it is.
pub const INTERFACE: &str = "org.kde.StatusNotifierItem";

/// A name of an icon, pixels, a title and a text.
type ToolTip = (String, Vec<Pixmap>, String, String);

/// The icon, as panels ask for it.
pub struct Item(pub Shown);

#[interface(name = "org.kde.StatusNotifierItem")]
impl Item {
    #[zbus(property)]
    fn category(&self) -> String {
        "ApplicationStatus".to_owned()
    }

    #[zbus(property)]
    fn id(&self) -> String {
        "guarded-sh".to_owned()
    }

    #[zbus(property)]
    fn title(&self) -> String {
        format!("guarded-sh: {}", self.0.face().title())
    }

    #[zbus(property)]
    fn status(&self) -> String {
        status(self.0.face().mood()).to_owned()
    }

    #[zbus(property)]
    fn window_id(&self) -> i32 {
        0
    }

    #[zbus(property)]
    fn icon_name(&self) -> String {
        String::new()
    }

    #[zbus(property)]
    fn icon_pixmap(&self) -> Vec<Pixmap> {
        pixmaps(self.0.face().mood())
    }

    #[zbus(property)]
    fn overlay_icon_name(&self) -> String {
        String::new()
    }

    #[zbus(property)]
    fn overlay_icon_pixmap(&self) -> Vec<Pixmap> {
        Vec::new()
    }

    #[zbus(property)]
    fn attention_icon_name(&self) -> String {
        String::new()
    }

    #[zbus(property)]
    fn attention_icon_pixmap(&self) -> Vec<Pixmap> {
        pixmaps(Mood::Asks)
    }

    #[zbus(property)]
    fn attention_movie_name(&self) -> String {
        String::new()
    }

    // Some panels read markup in it, so nothing of an agent's is here.
    #[zbus(property)]
    fn tool_tip(&self) -> ToolTip {
        (String::new(), Vec::new(), "guarded-sh".to_owned(), self.0.face().title())
    }

    #[zbus(property)]
    fn item_is_menu(&self) -> bool {
        false
    }

    #[zbus(property)]
    fn menu(&self) -> OwnedObjectPath {
        ObjectPath::from_static_str_unchecked(bus::MENU).into()
    }

    fn activate(&self, #[zbus(header)] header: Header<'_>, _x: i32, _y: i32) {
        self.0.press(&header, Does::Open(None));
    }

    fn secondary_activate(&self, #[zbus(header)] header: Header<'_>, _x: i32, _y: i32) {
        self.0.press(&header, Does::Open(None));
    }

    fn context_menu(&self, _x: i32, _y: i32) {}

    fn scroll(&self, _delta: i32, _orientation: &str) {}
}

/// Returns what panels call how it stands.
pub const fn status(mood: Mood) -> &'static str {
    match mood {
        Mood::Idle | Mood::Paused => "Active",
        Mood::Asks => "NeedsAttention",
    }
}
