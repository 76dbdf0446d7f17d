//! The icon's menu: `com.canonical.dbusmenu`. A row is told by its id; of an id that is none, nothing comes.
#![allow(
    clippy::unused_self,
    clippy::used_underscore_binding,
    clippy::needless_pass_by_value,
    reason = "what the bus calls has the form that the bus wants"
)]

use std::collections::HashMap;

use zbus::message::Header;
use zbus::zvariant::{OwnedValue, Structure, Value};
use zbus::{fdo, interface};

use super::bus::Shown;
use super::face::Row;

/// What it is.
pub const INTERFACE: &str = "com.canonical.dbusmenu";
/// Ids that are looked at of one question about many.
const MOST: usize = 256;
/// What a press is called.
const PRESSED: &str = "clicked";

/// What is said of a row.
type Properties = HashMap<String, Value<'static>>;
/// A row: its id, what is said of it, those below it.
type Layout = (i32, Properties, Vec<Value<'static>>);
/// An event: the row's id, what happened, what with, when.
type Event = (i32, String, OwnedValue, u32);

/// The menu, as panels ask for it.
pub struct Menu(pub Shown);

#[interface(name = "com.canonical.dbusmenu")]
impl Menu {
    #[zbus(property)]
    fn version(&self) -> u32 {
        3
    }

    #[zbus(property)]
    fn text_direction(&self) -> String {
        "ltr".to_owned()
    }

    #[zbus(property)]
    fn status(&self) -> String {
        "normal".to_owned()
    }

    #[zbus(property)]
    fn icon_theme_path(&self) -> Vec<String> {
        Vec::new()
    }

    fn get_layout(
        &self,
        parent: i32,
        depth: i32,
        _names: Vec<String>,
    ) -> fdo::Result<(u32, Layout)> {
        let (rows, revision) = self.rows();
        if parent == 0 {
            let below = if depth == 0 { Vec::new() } else { rows.iter().map(below).collect() };
            let about = HashMap::from([("children-display".to_owned(), "submenu".into())]);
            return Ok((revision, (0, about, below)));
        }
        let row = rows.iter().find(|row| row.id == parent);
        let row = row.ok_or_else(|| fdo::Error::InvalidArgs("there is no such row".to_owned()))?;
        Ok((revision, (row.id, properties(row), Vec::new())))
    }

    fn get_group_properties(&self, ids: Vec<i32>, _names: Vec<String>) -> Vec<(i32, Properties)> {
        let (rows, _) = self.rows();
        let wanted = |row: &&Row| ids.is_empty() || ids.iter().take(MOST).any(|id| *id == row.id);
        rows.iter().filter(wanted).map(|row| (row.id, properties(row))).collect()
    }

    fn get_property(&self, id: i32, name: &str) -> fdo::Result<Value<'static>> {
        let (rows, _) = self.rows();
        let row = rows.iter().find(|row| row.id == id);
        let value = row.and_then(|row| properties(row).remove(name));
        value.ok_or_else(|| fdo::Error::InvalidArgs("there is no such row or property".to_owned()))
    }

    fn event(
        &self,
        #[zbus(header)] header: Header<'_>,
        id: i32,
        event: &str,
        _data: Value<'_>,
        _time: u32,
    ) {
        if event == PRESSED {
            self.press(&header, id);
        }
    }

    fn event_group(&self, #[zbus(header)] header: Header<'_>, events: Vec<Event>) -> Vec<i32> {
        let pressed = events.iter().find(|(_, event, ..)| event == PRESSED);
        // A person presses one row.
        if let Some((id, ..)) = pressed {
            self.press(&header, *id);
        }
        Vec::new()
    }

    fn about_to_show(&self, _id: i32) -> bool {
        false
    }

    fn about_to_show_group(&self, _ids: Vec<i32>) -> (Vec<i32>, Vec<i32>) {
        (Vec::new(), Vec::new())
    }
}

impl Menu {
    fn rows(&self) -> (Vec<Row>, u32) {
        let face = self.0.face();
        (face.rows(), face.revision)
    }

    fn press(&self, header: &Header<'_>, id: i32) {
        let does = self.0.face().does(id);
        self.0.press(header, does);
    }
}

fn below(row: &Row) -> Value<'static> {
    Structure::from((row.id, properties(row), Vec::<Value<'static>>::new())).into()
}

fn properties(row: &Row) -> Properties {
    let about = match &row.label {
        None => vec![("type", "separator".into())],
        Some(label) => vec![
            // An underscore marks the letter that is a key, and two are one.
            ("label", label.replace('_', "__").into()),
            ("enabled", (row.does != super::face::Does::Nothing).into()),
        ],
    };
    about
        .into_iter()
        .map(|(name, value): (&str, Value<'static>)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tray::face::Does;

    #[test]
    fn a_row_is_told_as_panels_read_it() {
        let row =
            Row { id: 100, label: Some("claude: rm __x_".to_owned()), does: Does::Open(None) };
        let about = properties(&row);
        assert_eq!(about["label"], Value::from("claude: rm ____x__"));
        assert_eq!(about["enabled"], Value::from(true));
        let about = properties(&Row { id: 1, label: None, does: Does::Nothing });
        assert_eq!(about["type"], Value::from("separator"));
        assert_eq!(below(&row).value_signature().to_string(), "(ia{sv}av)");
    }
}
