//! The icon in the desktop's tray, on a session bus of its own, with a watcher of icons that this test is.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use serde_json::Value as Json;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::{Connection, MessageIterator, Proxy};
use zbus::message::{Flags, Type};
use zbus::zvariant::{OwnedValue, Structure, Value};
use zbus::{MatchRule, interface};

use super::web::said;
use super::world::{Asked, AtTerminal, PATIENCE, guard, within};

/// Where a session bus is that no variable names.
const BUS: &str = "unix:path=/run/user/0/bus";
const SETTINGS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=/run/user/0/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"#;
/// What opens addresses: it keeps the one that it was given.
const OPENS: &str =
    "#!/bin/sh\nprintf '%s' \"$1\" >/srv/opened.part && mv /srv/opened.part /srv/opened\n";
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";
/// Says to this test program as whom it presses: the name of the icon, and the row.
const PRESSES: &str = "GUARDED_SHD_TEST_PRESSES";
/// What it says then.
const PRESSED: &str = "it is pressed";

/// Plays with a session bus, where there is one to be had.
fn on_a_desktop(name: &str, play: impl FnOnce(&mut Desktop)) {
    if !Command::new("dbus-daemon").arg("--version").output().is_ok_and(|it| it.status.success()) {
        println!("skipped: there is no dbus-daemon here");
        return;
    }
    within(name, || {
        let mut desktop = Desktop::begin();
        play(&mut desktop);
        drop(desktop.service);
        let _ = desktop.bus.kill();
        let _ = desktop.bus.wait();
    });
}

/// A session bus, the user's service, and who asks there.
struct Desktop {
    bus: Child,
    service: AtTerminal,
    connection: Connection,
    /// Icons that say that they show something else.
    changes: Receiver<()>,
}

impl Desktop {
    fn begin() -> Self {
        fs::write("/srv/bus.conf", SETTINGS).unwrap();
        fs::write("/srv/bin/xdg-open", OPENS).unwrap();
        Command::new("chmod").args(["+x", "/srv/bin/xdg-open"]).status().unwrap();
        let mut command = Command::new("dbus-daemon");
        command.args(["--config-file=/srv/bus.conf", "--nofork", "--nopidfile", "--print-address"]);
        let mut bus = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // It says where it is once it listens.
        bus.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        fs::create_dir_all("/srv/home/.config/guarded-sh").unwrap();
        fs::write("/srv/home/.config/guarded-sh/config.toml", "[desktop]\ntray = true\n").unwrap();
        let path = "PATH=/srv/bin:/usr/bin:/bin";
        let service = AtTerminal::without(&["env", path, guard().to_str().unwrap(), "serve"]);
        service.until("listens in");
        let connection = connect();
        let changes = changes(&connection);
        Self { bus, service, connection, changes }
    }

    /// Waits until an icon says this of itself.
    fn until_title(&self, icon: &str, says: &str) {
        let item =
            Proxy::new(&self.connection, icon.to_owned(), "/StatusNotifierItem", ITEM).unwrap();
        let is_said =
            || String::try_from(self.property(&item, "Title")?).ok()?.contains(says).then_some(());
        self.until_shown(says, is_said);
    }

    /// Waits until an icon shows what it should. It says so whenever it shows something else.
    fn until_shown(&self, what: &str, is_shown: impl Fn() -> Option<()>) {
        while is_shown().is_none() {
            self.changes.recv_timeout(PATIENCE).expect(what);
        }
    }

    /// Returns what the icon says now.
    fn property(&self, item: &Proxy<'_>, name: &str) -> Option<OwnedValue> {
        let asked = self.connection.call_method(
            Some(item.destination().to_owned()),
            "/StatusNotifierItem",
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &(ITEM, name),
        );
        asked.ok()?.body().deserialize::<OwnedValue>().ok()
    }

    /// Returns the rows of an icon's menu: ids and labels.
    fn rows(&self, icon: &str) -> Vec<(i32, String)> {
        type Layout = (i32, std::collections::HashMap<String, OwnedValue>, Vec<OwnedValue>);
        let asks = (0_i32, -1_i32, Vec::<String>::new());
        let told = self.menu(icon, "GetLayout", &asks).unwrap();
        let body = told.body();
        let (_, (_, _, rows)): (u32, Layout) = body.deserialize().unwrap();
        let row = |row: OwnedValue| {
            let Value::Structure(row) = Value::from(row) else { panic!("no row") };
            let row: Structure<'_> = row;
            let [Value::I32(id), Value::Dict(about), _] = row.fields() else { panic!("{row:?}") };
            let label: Option<String> = about.get(&"label").unwrap();
            (*id, label.unwrap_or_default())
        };
        rows.into_iter().map(row).collect()
    }

    fn menu<B>(&self, icon: &str, call: &str, words: &B) -> zbus::Result<zbus::Message>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        self.connection.call_method(Some(icon.to_owned()), "/MenuBar", Some(MENU), call, words)
    }

    /// Presses a row, as a panel does.
    fn press(&self, icon: &str, row: i32) {
        self.menu(icon, "Event", &pressed(row)).unwrap();
    }

    fn has(&self, icon: &str) -> bool {
        let bus = DBusProxy::new(&self.connection).unwrap();
        bus.name_has_owner(icon.try_into().unwrap()).unwrap()
    }
}

fn pressed(row: i32) -> (i32, &'static str, Value<'static>, u32) {
    (row, "clicked", Value::from(0_i32), 0)
}

fn connect() -> Connection {
    Builder::address(BUS).unwrap().build().unwrap()
}

/// Returns the address that was opened.
fn opened() -> String {
    let address = until("opened", || fs::read_to_string("/srv/opened").ok());
    fs::remove_file("/srv/opened").unwrap();
    address
}

/// Returns whenever an icon says that it shows something else.
fn changes(connection: &Connection) -> Receiver<()> {
    let rule = MatchRule::builder().msg_type(Type::Signal).interface(ITEM).unwrap().build();
    let signals = MessageIterator::for_match_rule(rule, connection, None).unwrap();
    let (say, changes) = channel();
    // Until nobody waits for them any more.
    std::thread::spawn(move || signals.map(|_| say.send(())).all(|said| said.is_ok()));
    changes
}

/// Waits until something is so.
fn until<T>(what: &str, mut is_so: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = is_so() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

/// Who watches icons.
struct Watcher(Sender<String>);

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, name: String) {
        self.0.send(name).unwrap();
    }
}

/// Comes as the watcher; returns which icons say that they are there.
fn watch() -> (Connection, Receiver<String>) {
    let (give, icons) = channel();
    let builder = Builder::address(BUS).unwrap().name(WATCHER).unwrap();
    let builder = builder.serve_at("/StatusNotifierWatcher", Watcher(give)).unwrap();
    (builder.build().unwrap(), icons)
}

/// What a person calls at a terminal of theirs.
fn person(words: &[&str]) -> AtTerminal {
    AtTerminal::start(&[&[guard().to_str().unwrap()], words].concat())
}

#[test]
fn the_icon_says_what_waits_and_opens_it_and_pauses() {
    on_a_desktop("tray::the_icon_says_what_waits_and_opens_it_and_pauses", |desktop| {
        let (watcher, icons) = watch();
        let icon = icons.recv_timeout(PATIENCE).unwrap();
        desktop.until_title(&icon, "no questions are waiting");
        assert_eq!(desktop.rows(&icon)[0].1, "no questions are waiting");

        let line = "rm a_b # <b>&\u{202e}\u{1b}[2J\nrm c";
        let asked = Asked::told_to(&desktop.service, line, "");
        desktop.until_title(&icon, "1 question waits");
        let rows = desktop.rows(&icon);
        let (row, label) = &rows[1];
        assert_eq!(label, "claude: rm a__b # <b>&\\u{202e}\\x1b[2J⏎rm c", "{rows:?}");

        // Nothing is served before it is wanted; then it is, at this question.
        desktop.press(&icon, *row);
        let address = opened();
        let (host, rest) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (path, code) = rest.split_once('#').unwrap();
        assert_eq!(path, format!("enter?at={}", asked.id));
        let port = host.rsplit(':').next().unwrap().parse().unwrap();
        let ask = |request: String| said(port, request.as_bytes());
        let form = ask(format!(
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: none\r\nConnection: close\r\n\r\n"
        ));
        let at = format!("name=\"at\" type=\"hidden\" value=\"{}\"", asked.id);
        assert!(form.status == 200 && form.body.contains(&at), "{form:?}");
        let body = format!("code={code}&at={}", asked.id);
        let length = body.len();
        let entered = ask(format!(
            "POST /enter HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ));
        assert!(entered.head.contains(&format!("location: /#q-{}", asked.id)), "{entered:?}");

        // What is no row does nothing, and no more than a person presses is looked at.
        for odd in [0, -1, i32::MIN, i32::MAX, 1, 2, 99, row + 1] {
            desktop.press(&icon, odd);
            assert!(desktop.menu(&icon, "GetLayout", &(odd.max(1_000), 1, vec!["x"])).is_err());
        }
        let many = vec![pressed(9_999); 10_000];
        desktop.menu(&icon, "EventGroup", &many).unwrap();
        let ids: Vec<i32> = (0..100_000).collect();
        desktop.menu(&icon, "GetGroupProperties", &(ids, vec!["y".repeat(1 << 20)])).unwrap();

        desktop.press(&icon, 5);
        desktop.until_title(&icon, "paused, 15m left · 1 question waits");
        person(&["pending"]).until("paused, 15m left");
        // An agent's program cannot: not longer, and not the end of it.
        let agents = [6, 7].map(|row| Agents::press(&icon, row));
        // Presses are looked at in order: this one behind those.
        desktop.press(&icon, 4);
        assert!(opened().contains("/enter#"));
        agents.into_iter().for_each(Agents::end);
        desktop.until_title(&icon, "paused, 15m left");
        person(&["pending"]).until("paused, 15m left");
        // Nor by our own words; and a pause runs nothing.
        let mut agents = Command::new(guard());
        agents.args(["pause", "1h"]).env("CLAUDECODE", "1").stdin(Stdio::null());
        assert_eq!(agents.output().unwrap().status.code(), Some(126));
        let other = Asked::told_to(&desktop.service, "rm -r /srv/home/app", "");
        desktop.until_title(&icon, "2 questions wait");
        for asked in [asked, other] {
            person(&["deny", &asked.id]).until("denied");
            assert_eq!(asked.ended().0, 126);
        }
        desktop.until_title(&icon, "paused, 15m left · no questions are waiting");
        assert_eq!(paused_by("rm -r /srv/home/app"), "tray");
        person(&["pause", "off"]).until("no pause");
        desktop.until_shown("no pause", || {
            let rows = desktop.rows(&icon);
            (rows[0].1 == "no questions are waiting" && rows.len() == 7).then_some(())
        });

        // A watcher that comes later is told as well.
        drop(watcher);
        let (_watcher, icons) = watch();
        assert_eq!(icons.recv_timeout(PATIENCE).unwrap(), icon);
        desktop.press(&icon, 9);
        until("the icon is there", || (!desktop.has(&icon)).then_some(()));
        TcpStream::connect(("127.0.0.1", port)).unwrap();
    });
}

/// Returns by what a person had paused when a line was asked about, as the record says.
fn paused_by(line: &str) -> String {
    let mut command = Command::new(guard());
    command.args(["log", "--json"]).stdin(Stdio::null());
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let mut entries = text.lines().map(|entry| serde_json::from_str::<Json>(entry).unwrap());
    let entry = entries.find(|entry| entry["line"] == line).unwrap();
    entry["question"]["paused"]["by"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn who_floods_the_bus_gets_no_icon_and_the_service_goes_on() {
    on_a_desktop("tray::who_floods_the_bus_gets_no_icon_and_the_service_goes_on", |desktop| {
        let (_watcher, icons) = watch();
        let icon = icons.recv_timeout(PATIENCE).unwrap();
        let calls = || {
            for _ in 0..100 {
                let message = zbus::Message::method_call("/MenuBar", "AboutToShow").unwrap();
                let message = message.destination(icon.as_str()).unwrap().interface(MENU).unwrap();
                let message = message.with_flags(Flags::NoReplyExpected).unwrap();
                desktop.connection.send(&message.build(&1_i32).unwrap()).unwrap();
            }
            (!desktop.has(&icon)).then_some(())
        };
        until("the icon is there", calls);
        let asked = Asked::told_to(&desktop.service, "rm -r /srv/home/app", "");
        // A bus that ends is no harm either.
        desktop.bus.kill().unwrap();
        person(&["deny", &asked.id]).until("denied");
        assert_eq!(asked.ended().0, 126);
    });
}

/// A program that an agent started, and that has pressed a row.
struct Agents(Child, Lines<BufReader<ChildStdout>>);

impl Agents {
    fn press(icon: &str, row: i32) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tray::a_press", "--ignored", "--nocapture"]);
        command.env(PRESSES, format!("{icon} {row}")).env("CLAUDECODE", "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains(PRESSED)));
        Self(child, lines)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.1.by_ref().for_each(drop);
        assert!(self.0.wait().unwrap().success());
    }
}

#[test]
#[ignore = "a part of another test: what an agent's program does"]
fn a_press() {
    let words = std::env::var(PRESSES).unwrap();
    let (icon, row) = words.split_once(' ').unwrap();
    let words = pressed(row.parse().unwrap());
    let icon = Some(icon.to_owned());
    let connection = connect();
    connection.call_method(icon, "/MenuBar", Some(MENU), "Event", &words).unwrap();
    println!("{PRESSED}");
    // It stays for who looks at it.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
