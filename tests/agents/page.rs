//! The page, in a real browser that a person has open: driven over the WebDriver protocol.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The key by which the protocol names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// No wait is longer unless something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a browser is started where it has no screen, and no other sandbox than the row's namespaces.
const WORDS: [&str; 3] = ["--headless=new", "--no-sandbox", "--disable-gpu"];

/// A page that is open in a browser.
pub struct Page {
    served: Child,
    driver: Child,
    port: u16,
    session: String,
}

impl Page {
    /// Starts the page at a terminal, and a browser that opens it with its code.
    pub fn open() -> Self {
        let mut page = Command::new("script");
        page.args(["-qfec", "guarded-sh page --no-open", "/dev/null"]);
        let (served, address) = told(page.stdin(Stdio::piped()), |line| {
            let at = line.find("http://")?;
            Some(line[at..].trim().to_owned())
        });
        let mut driver = Command::new("chromedriver");
        let (driver, port) = told(driver.arg("--port=0"), |line| {
            let port = line.split("successfully on port ").nth(1)?;
            port.trim_end_matches('.').parse().ok()
        });
        let mut opened = Self { served, driver, port, session: String::new() };
        let wanted = json!({ "alwaysMatch": { "goog:chromeOptions": { "args": WORDS } } });
        let made = opened.call("/session", &json!({ "capabilities": wanted })).unwrap();
        opened.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        opened.act("/url", &json!({ "url": address })).unwrap();
        opened
    }

    /// Presses the button of a question that gives this answer, once it is there.
    pub fn answer(&self, id: &str, answer: &str) {
        let selector = format!("#q-{id} .choices [data-answer={answer}]");
        let wanted = json!({ "using": "css selector", "value": selector });
        let end = Instant::now() + PATIENCE;
        loop {
            let pressed = self.act("/element", &wanted).and_then(|found| {
                let element = found[ELEMENT].as_str().unwrap();
                self.act(&format!("/element/{element}/click"), &json!({}))
            });
            let Err(why) = pressed else { return };
            assert!(Instant::now() < end, "{selector}: {why}");
        }
    }

    fn act(&self, path: &str, body: &Value) -> Result<Value, Value> {
        self.call(&format!("{}{path}", self.session), body)
    }

    /// Has the driver do something; the error is what it says.
    fn call(&self, path: &str, body: &Value) -> Result<Value, Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (body, port) = (body.to_string(), self.port);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let is_done = line.split(' ').nth(1) == Some("200");
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            match line.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap();
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).unwrap();
        let value = serde_json::from_slice::<Value>(&text).unwrap()["value"].take();
        if is_done { Ok(value) } else { Err(value) }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        for child in [&mut self.driver, &mut self.served] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a program, and waits for what one of its lines tells; the rest of them is passed over.
fn told<T>(command: &mut Command, tells: impl Fn(&str) -> Option<T>) -> (Child, T) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let out: ChildStdout = child.stdout.take().unwrap();
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let told = lines.find_map(|line| tells(&line)).expect("it says where it is");
    std::thread::spawn(move || lines.count());
    (child, told)
}
