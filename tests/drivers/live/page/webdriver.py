# SPDX-License-Identifier: Apache-2.0
"""Chromium by ChromeDriver's HTTP interface (W3C WebDriver), with nothing but Python's standard library."""
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

PATIENCE = float(os.environ.get("TACTUS_BROWSER_PATIENCE",
                                180))  # s: for what happens at once on a machine that is not busy
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "ArrowUp": "\ue013", "ArrowDown": "\ue015",
        "ArrowLeft": "\ue012", "ArrowRight": "\ue014",
        "Shift": "\ue008", "Delete": "\ue017", "Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e",
        "PageDown": "\ue00f", "Meta": "\ue03d"}


def missing():
    """Why there is no browser here; '' when there is one."""
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if shutil.which(program) is None:
            return f"there is no {program} (Debian: apt-get install {package})"
    return ""


def has_user_namespaces():
    """Whether this user may make one, of which Chromium's sandbox is made: not in a chroot, nor in many containers."""
    return subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


class WebDriverError(Exception):
    pass


class Driver:
    """The program chromedriver; several browsers may be had of it."""

    def __init__(self):
        self.said = tempfile.TemporaryFile("w+")
        # What a browser that is killed leaves, goes with it.
        self.folder = tempfile.TemporaryDirectory(prefix="tactus-browser-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=self.said,
                                        text=True, env={**os.environ, "TMPDIR": self.folder.name})
        for line in self.process.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                self.address = f"http://127.0.0.1:{found[1]}"
                break
        else:
            self.said.seek(0)
            raise WebDriverError(f"chromedriver ended: {self.said.read()}")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()  # or it waits for a reader

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE * 2) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(f"{method} {path}: {value['error']}: {value['message']}") from None

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class Shared:
    """The browser that all classes of a program have, one after the other: each start is seconds of a CPU."""

    driver = browser = None

    @classmethod
    def get(cls, width=1440, height=900):
        """As a new one, but for what pages have stored; a new one, too, where the last one crashed. The program is to
        call close() at its end."""
        try:
            return cls.cleared(width, height)
        except (WebDriverError, OSError):
            if cls.browser is None:
                raise  # none starts here
        with contextlib.suppress(WebDriverError, OSError):
            cls.close()
        return cls.cleared(width, height)

    @classmethod
    def cleared(cls, width, height):
        if cls.driver is None:
            cls.driver = Driver()
        if cls.browser is None:
            cls.browser = Browser(cls.driver, width, height)
        cls.browser.open("about:blank")
        cls.browser.size(width, height)
        cls.browser.theme("dark")
        cls.browser.log()
        return cls.browser

    @classmethod
    def close(cls):
        """Ends both, though the browser may have crashed: ChromeDriver refuses to end such a one."""
        browser, driver = cls.browser, cls.driver
        cls.browser = cls.driver = None
        try:
            if browser is not None:
                browser.close()
        finally:
            if driver is not None:
                driver.close()


class Browser:
    """One session: a browser with a profile of its own."""

    def __init__(self, driver, width=1440, height=900, dark=True):
        arguments = ["--headless=new", "--disable-gpu", f"--window-size={width},{height}", "--hide-scrollbars",
                     "--disable-background-networking",
                     "--no-first-run", "--disable-dev-shm-usage", "--force-color-profile=srgb",
                     "--disable-component-update"]
        if os.geteuid() == 0 or not has_user_namespaces():
            arguments.append("--no-sandbox")
        options = {"args": arguments, "binary": shutil.which("chromium")}
        always = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.driver = driver
        self.id = driver.ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]
        self.size(width, height)
        self.theme("dark" if dark else "light")

    def ask(self, method, path, body=None):
        return self.driver.ask(method, f"/session/{self.id}{path}", body)

    def close(self):
        self.ask("DELETE", "")

    def cdp(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, ratio=1, phone=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                 mobile=phone)

    def theme(self, name):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """A function body, run in the page: its value. A promise is waited for."""
        wrapped = ("const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);"
                   f"(async (...args) => {{ {script} }})(...given).then((value) => done([value ?? null]), (error) => done([null, String(error.stack ?? error)]));")
        value, *error = self.ask("POST", "/execute/async", {"script": wrapped, "args": list(arguments)})
        if error:
            raise WebDriverError(error[0])
        return value

    def text(self, selector):
        return self.run("return document.querySelector(args[0])?.textContent", selector)

    def attribute(self, selector, name):
        return self.run("return document.querySelector(args[0])?.getAttribute(args[1])", selector, name)

    def visible(self, selector):
        return self.run("return document.querySelector(args[0])?.checkVisibility() ?? false", selector)

    def click(self, selector):
        for last in (False, False, True):
            self.run("document.querySelector(args[0]).scrollIntoView({block: 'center'})", selector)
            element = self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
            try:
                return self.ask("POST", f"/element/{element}/click", {})
            except WebDriverError as error:  # in between a row may be drawn anew, what comes late may move it
                if last or ("stale element" not in str(error) and "click intercepted" not in str(error)):
                    raise

    def focus(self, selector):
        self.run("document.querySelector(args[0]).focus()", selector)

    def press(self, *keys):
        """Keys to what has the focus; 'Shift+S' as a person presses it."""
        actions = []
        for key in keys:
            *held, last = key.split("+") if len(key) > 1 else [key]
            chain = [KEYS.get(k, k) for k in (*held, last)]
            actions += [{"type": "keyDown", "value": k} for k in chain] + [{"type": "keyUp", "value": k}
                                                                           for k in reversed(chain)]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, selector, text):
        """In place of what stands there."""
        self.run("const field = document.querySelector(args[0]); field.focus(); field.select();", selector)
        self.press(*text or ["Delete"])

    def drag(self, selector, by, button=0):
        """Presses in the middle of an element, moves, lets go. `button`: 0 the left one, 1 the middle one, 2 the right one."""
        element = self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        steps = [{"type": "pointerMove", "origin": {ELEMENT: element}, "x": 0, "y": 0},
                 {"type": "pointerDown", "button": button},
                 {"type": "pointerMove", "origin": "pointer", "x": by[0], "y": by[1], "duration": 50},
                 {"type": "pointerUp", "button": button}]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def log(self):
        """What the console has said since the last time."""
        return self.ask("POST", "/se/log", {"type": "browser"})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def until(self, script, *arguments, what=None):
        """Waits until the function body is true in the page; its value."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise WebDriverError(f"never came true: {what or script} {arguments}; the page says: {self.text('.said')!r}, {self.text('.pill')!r}")
            time.sleep(0.02)
        return value

    def until_text(self, selector, pattern):
        return self.until("return new RegExp(args[1]).test(document.querySelector(args[0])?.textContent ?? '')",
                          selector, pattern,
                          what=f"{selector} =~ {pattern}, it is {self.text(selector)!r}")
