"""Hosts of the internet in a network that has none: names that lead to one address, with HTTP and HTTPS from the files below /srv/site/NAME.

Returns once all of it listens. The certificate, for all names, is /srv/ca.pem. What is asked is written to /srv/heard, a line for each.
"""
import fcntl
import http.server
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading

ADDRESS = "93.184.216.34"
names = sys.argv[1:]

with open("/srv/hosts", "w") as hosts:
    hosts.write("127.0.0.1 localhost\n%s %s\n127.0.0.1 inner.example\n" % (ADDRESS, " ".join(names)))
open("/srv/resolv.conf", "w").close()
for file in ("hosts", "resolv.conf"):
    subprocess.run(["mount", "--bind", "/srv/" + file, "/etc/" + file], check=True)
alias = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(ADDRESS))
fcntl.ioctl(socket.socket(), 0x8916, alias)
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/srv/key.pem", "-out", "/srv/ca.pem", "-days", "2", "-subj", "/CN=hosts",
     "-addext", "subjectAltName=" + ",".join("DNS:" + name for name in names)],
    check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.headers["Host"].split(":")[0]
        with open("/srv/heard", "a") as heard:
            heard.write(name + self.path + "\n")
        try:
            with open("/srv/site/" + name + self.path, "rb") as file:
                body, status = file.read(), 200
        except OSError:
            body, status = b"nothing\n", 404
        # A file that says where it went.
        moved = body[3:].decode().strip() if body.startswith(b"-> ") else None
        self.send_response(302 if moved else status)
        if moved:
            self.send_header("Location", moved)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/json")
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


plain = http.server.ThreadingHTTPServer((ADDRESS, 80), Site)
secure = http.server.ThreadingHTTPServer((ADDRESS, 443), Site)
inner = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Site)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/srv/ca.pem", "/srv/key.pem")
# Who only connects must not keep others waiting: the first words are said in the connection's own thread.
secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
if os.fork() == 0:
    os.setsid()
    for server in (plain, secure, inner):
        threading.Thread(target=server.serve_forever).start()
