# SPDX-License-Identifier: Apache-2.0
"""A control port without a rig behind it: speaks the protocol, keeps what it was asked, answers as it is told."""
import fnmatch
import http.server
import json
import os
import socketserver
import sys
import tempfile
import threading
import traceback
from urllib.parse import parse_qsl, unquote, urlsplit

EPOCH = "2005-02-15T00:00:00+00:00"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake = None  # the FakeRig

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json"):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status, error, problems=()):
        self.answer(status, {"error": error, "problems": list(problems or [error])})

    def raw(self, *pieces):
        """Bytes as they are, then the end of the connection."""
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()
        self.close_connection = True

    def events(self, *pieces, whole=True):
        """A text/event-stream in these chunks, and its end if it is whole."""
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
                 *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces), *([b"0\r\n\r\n"] if whole else []))

    def do_GET(self):
        self.serve(None)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        if length < 1_000_000:  # whoever sends more is not even listened to
            self.serve(json.loads(self.rfile.read(length)))
        else:
            self.close_connection = True
            self.refuse(413, "a body has at most 1000000 bytes")

    def serve(self, body):
        fake, parts = self.fake, urlsplit(self.path)
        self.query, self.body = dict(parse_qsl(parts.query)), body
        fake.asked.append((self.command, unquote(parts.path), self.query, body))
        fake.headers.append(self.headers)
        if fake.token and self.headers["Authorization"] != f"Bearer {fake.token}":
            return self.refuse(401, "this port wants a token")
        instead = fake.instead.get(parts.path)
        if instead:
            return instead(self)
        found = getattr(self, f"{self.command}_{parts.path[4:].partition('/')[0] or 'facts'}", None)
        return found() if found else self.refuse(404, f"there is no {parts.path}")

    def GET_facts(self):
        self.answer(200, {"rig": "fake", "epoch": EPOCH, "period": {"num_ns": 10_000_000, "den": 3}})

    def GET_state(self):
        self.answer(200, {"state": self.fake.state, "frame": self.fake.frame, "date": EPOCH})

    def GET_statistics(self):
        self.answer(200, {"frames": 7, "overruns": 1})

    def GET_variables(self):
        described = [{"name": name, "type": "double", "unit": "rad"} for name in self.fake.values]
        name = unquote(self.path).partition("/variables/")[2]
        if name:
            found = [each for each in described if each["name"] == name]
            return self.answer(200, found[0]) if found else self.refuse(404, f"there is no '{name}'")
        found = [each for each in described if fnmatch.fnmatchcase(each["name"], self.query["match"])]
        first = int(self.query["first"])  # two on a page
        self.answer(200, {"variables": found[first:first + 2], "total": len(found),
                          "next": first + 2 if first + 2 < len(found) else None})

    def group(self, names):
        return {"frame": self.fake.frame, "sim_time_ns": 7, "date": EPOCH, "state": self.fake.state,
                "values": {name: self.fake.values[name] for name in names.split(",")}}

    def GET_values(self):
        self.answer(200, self.group(self.query["names"]))

    def POST_values(self):
        self.fake.values.update(self.body.get("set", {}))
        self.answer(200, {"applied": True, "frame": self.body.get("frame", self.fake.frame + 1)})

    def GET_switches(self):
        self.answer(200, {"switches": self.fake.switches})

    def POST_switches(self):
        self.answer(200, self.body)

    def POST_commands(self):
        self.answer(202, {"accepted": True})

    def POST_episodes(self):
        for each in self.body["in"]:
            self.fake.values[f"{each['entity']}.{each['descriptor']}"] = each["value"]
        out = [{"date": EPOCH, **each, "value": self.fake.values[f"{each['entity']}.{each['descriptor']}"]}
               for each in self.body["out"]]
        self.answer(200, {"frame": 20, "date": EPOCH, "ended": False, "outcome": "", "reason": "", "out": out})

    def GET_watch(self):
        values = json.dumps(self.group(self.query["names"])).encode()
        self.events(b"event: values\nid: 1\ndata: " + values + b"\n\n", b": alive\n\n",
                    b'event: state\ndata: {"state": "Stop"}\n\n', b'event: end\ndata: {"outcome": "stopped"}\n\n')


class Quiet(socketserver.ThreadingMixIn):
    daemon_threads = True

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # clients go as they like
            traceback.print_exc()


class TcpServer(Quiet, http.server.HTTPServer):
    pass


class UnixServer(Quiet, socketserver.UnixStreamServer):
    pass


class FakeRig:
    """Serves until close(). `instead`: by path, what answers (a function of the Handler) in place of the protocol."""

    def __init__(self, unix=False, path=""):
        self.values = {"motor.speed": 1.5, "motor.angle": 0.25, "axis.force": [1, 2]}
        self.state, self.frame, self.token = "Pause", 6, ""
        self.asked, self.headers, self.instead = [], [], {}
        self.switches = []
        self.folder = tempfile.TemporaryDirectory(prefix="tactus-")
        handler = type("Bound", (Handler,), {"fake": self})
        if unix:
            self.address = f"unix:{path or os.path.join(self.folder.name, 's')}"
            self.server = UnixServer(self.address[len("unix:"):], handler)
        else:
            self.server = TcpServer(("127.0.0.1", 0), handler)
            self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.folder.cleanup()
