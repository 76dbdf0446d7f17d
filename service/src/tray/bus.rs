//! The icon on the session bus: it is there for whoever asks, and says so to the watcher of icons whenever one comes. Whoever floods it is left.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};
use zbus::connection::Builder;
use zbus::fdo::DBusProxy;
use zbus::message::{Header, Type};
use zbus::names::BusName;
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::face::{Does, Face};
use super::item::{self, Item};
use super::menu::{self, Menu};
use super::sender;

/// Where the menu is.
pub const MENU: &str = "/MenuBar";
/// Who watches icons, and tells panels of them.
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const WATCHER_PATH: &str = "/StatusNotifierWatcher";
/// The bus itself.
const BUS: &str = "org.freedesktop.DBus";

/// For how long the bus may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Messages in a second from which on it is a flood.
const FLOOD: u32 = 2_000;
/// Presses that wait to be looked at; a person has not more.
const PRESSES: usize = 8;

/// A press, and the name on the bus of whoever says so.
struct Press {
    sender: String,
    does: Does,
}

/// What the objects on the bus show, and where they say that they were pressed.
#[derive(Clone)]
pub struct Shown {
    face: Arc<Mutex<Face>>,
    presses: Sender<Press>,
}

impl Shown {
    /// Returns what is shown.
    pub fn face(&self) -> MutexGuard<'_, Face> {
        self.face.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a press. One that comes while others are looked at is dropped.
    pub fn press(&self, header: &Header<'_>, does: Does) {
        let Some(sender) = header.sender().filter(|_| does != Does::Nothing) else { return };
        let _ = self.presses.try_send(Press { sender: sender.to_string(), does });
    }
}

/// What comes of the bus.
enum Came {
    /// The person pressed something.
    Pressed(Does),
    /// It is spoken to no longer, for this reason.
    Over(&'static str),
}

/// What is said of a bus that is gone.
const GONE: &str = "the session bus is gone";

/// The icon on the bus.
pub struct Bus {
    connection: Connection,
    shown: Shown,
    came: UnboundedReceiver<Came>,
}

impl Bus {
    /// Puts the icon on the session bus.
    pub async fn connect(face: Face) -> Result<Self, String> {
        let (give, presses) = mpsc::channel(PRESSES);
        let shown = Shown { face: Arc::new(Mutex::new(face)), presses: give };
        let connection = within(built(&shown)).await?;
        let (say, came) = mpsc::unbounded_channel();
        // Tasks of their own: nothing that comes is lost while something else is done.
        tokio::spawn(follow(connection.clone(), say.clone()));
        tokio::spawn(look(connection.clone(), presses, say));
        within(begin(&connection)).await?;
        Ok(Self { connection, shown, came })
    }

    /// Shows something else, and says so to whoever looks.
    pub async fn show(&mut self, change: impl FnOnce(&mut Face)) -> Result<(), String> {
        let (status, revision) = {
            let mut face = self.shown.face();
            change(&mut face);
            (item::status(face.mood()), face.revision)
        };
        within(self.tell(status, revision)).await
    }

    async fn tell(&self, status: &str, revision: u32) -> zbus::Result<()> {
        let all = None::<BusName<'_>>;
        let (at, menu) = ((item::PATH, item::INTERFACE), (MENU, menu::INTERFACE));
        let changed = &(revision, 0_i32);
        self.connection.emit_signal(all.clone(), menu.0, menu.1, "LayoutUpdated", changed).await?;
        self.connection.emit_signal(all.clone(), at.0, at.1, "NewStatus", &status).await?;
        for signal in ["NewTitle", "NewIcon", "NewToolTip"] {
            self.connection.emit_signal(all.clone(), at.0, at.1, signal, &()).await?;
        }
        Ok(())
    }

    /// Waits until the person presses something. An error ends the icon.
    pub async fn pressed(&mut self) -> Result<Does, String> {
        match self.came.recv().await {
            Some(Came::Pressed(does)) => Ok(does),
            Some(Came::Over(why)) => Err(why.to_owned()),
            None => Err(GONE.to_owned()),
        }
    }
}

async fn built(shown: &Shown) -> zbus::Result<Connection> {
    let builder = Builder::session()?.serve_at(item::PATH, Item(shown.clone()))?;
    builder.serve_at(MENU, Menu(shown.clone()))?.build().await
}

/// Returns the name that the icon has on the bus.
fn name() -> String {
    format!("org.kde.StatusNotifierItem-{}-1", std::process::id())
}

async fn begin(connection: &Connection) -> zbus::Result<()> {
    connection.request_name(name()).await?;
    let dbus = DBusProxy::new(connection).await?;
    let changes = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(BUS)?
        .member("NameOwnerChanged")?
        .arg(0, WATCHER)?
        .build();
    dbus.add_match_rule(changes).await?;
    // Asked only now: one that comes meanwhile is told twice, and no harm is done.
    if dbus.name_has_owner(BusName::try_from(WATCHER)?).await? {
        tokio::spawn(register(connection.clone()));
    }
    Ok(())
}

/// Tells the watcher that there is an icon.
async fn register(connection: Connection) {
    let (at, name) = (Some(WATCHER), name());
    let words = &(name.as_str(),);
    let call = connection.call_method(at, WATCHER_PATH, at, "RegisterStatusNotifierItem", words);
    // One that does not take it, or is gone again, shows no icon; the next one is told anew.
    let _ = tokio::time::timeout(PATIENCE, call).await;
}

/// Waits for the bus, not without end.
async fn within<T>(wanted: impl Future<Output = zbus::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, wanted).await {
        Ok(done) => done.map_err(|error| format!("the session bus: {error}")),
        Err(_) => Err("the session bus is silent".to_owned()),
    }
}

/// Looks who pressed, one press after the other.
async fn look(connection: Connection, mut presses: Receiver<Press>, say: UnboundedSender<Came>) {
    let mut is_told = false;
    while let Some(Press { sender, does }) = presses.recv().await {
        let checked = tokio::time::timeout(PATIENCE, sender::check(&connection, &sender));
        let checked = checked.await.unwrap_or_else(|_| Err("the session bus is silent".to_owned()));
        match checked {
            Ok(()) => {
                if say.send(Came::Pressed(does)).is_err() {
                    return;
                }
            }
            Err(why) if !is_told => {
                is_told = true;
                eprintln!("guarded-shd: a press of the tray's icon that is no person's: {why}");
            }
            Err(_) => {}
        }
    }
}

/// Follows all that comes, so that nothing of it waits.
async fn follow(connection: Connection, say: UnboundedSender<Came>) {
    let mut messages = MessageStream::from(&connection);
    let (mut since, mut count) = (Instant::now(), 0_u32);
    while let Some(Ok(message)) = messages.next().await {
        if since.elapsed() >= Duration::from_secs(1) {
            (since, count) = (Instant::now(), 0);
        }
        count += 1;
        if count >= FLOOD {
            // Where nobody hears it, the icon has ended.
            let _ = say.send(Came::Over("the session bus floods it"));
            return;
        }
        if watcher(&message) == Some(true) {
            tokio::spawn(register(connection.clone()));
        }
    }
    let _ = say.send(Came::Over(GONE));
}

/// Returns whether there is a watcher, where a message says so.
fn watcher(message: &Message) -> Option<bool> {
    let header = message.header();
    let is_change = header.message_type() == Type::Signal
        && header.sender().is_some_and(|sender| sender == BUS)
        && header.member().is_some_and(|member| member == "NameOwnerChanged");
    if !is_change {
        return None;
    }
    let body = message.body();
    let (name, _, new): (String, String, String) = body.deserialize().ok()?;
    (name == WATCHER).then_some(!new.is_empty())
}
