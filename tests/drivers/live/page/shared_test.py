# SPDX-License-Identifier: Apache-2.0
"""The browser that the classes of a program share, where it cannot be started, and where it crashes."""
import unittest

import webdriver
from webdriver import Shared, WebDriverError


class Programs:
    """Stand for ChromeDriver and its browsers: what was started, and what runs."""

    def __init__(self):
        self.drivers, self.browsers, self.running = [], [], []
        self.refused = 0  # browsers that do not start
        programs = self

        class Driver:
            def __init__(self):
                programs.drivers.append(self)
                programs.running.append(self)

            def close(self):
                programs.running.remove(self)

        class Browser:
            def __init__(self, driver, width, height):
                if programs.refused:
                    programs.refused -= 1
                    raise WebDriverError("session not created")
                self.driver, self.crashed = driver, False
                programs.browsers.append(self)

            def open(self, _):
                if self.crashed:
                    raise WebDriverError("invalid session id")

            size = theme = log = close = lambda self, *_: self.open(None)

        self.Driver, self.Browser = Driver, Browser


class SharedBrowser(unittest.TestCase):
    def setUp(self):
        self.programs = Programs()
        for name in ("Driver", "Browser"):
            self.addCleanup(setattr, webdriver, name, getattr(webdriver, name))
            setattr(webdriver, name, getattr(self.programs, name))
        Shared.driver = Shared.browser = None

    def test_it_is_started_once(self):
        self.assertIs(Shared.get(), Shared.get())
        self.assertEqual((len(self.programs.drivers), len(self.programs.browsers)), (1, 1))
        Shared.close()
        self.assertEqual(self.programs.running, [])
        Shared.close()

    def test_chromedriver_ends_though_the_browser_crashed(self):
        Shared.get().crashed = True
        with self.assertRaises(WebDriverError):
            Shared.close()
        self.assertEqual(self.programs.running, [])
        Shared.close()

    def test_the_next_class_tries_again_where_no_browser_started(self):
        self.programs.refused = 2
        for _ in range(2):
            with self.assertRaises(WebDriverError):
                Shared.get()
        self.assertIs(Shared.get(), self.programs.browsers[0])
        self.assertEqual(len(self.programs.drivers), 1)

    def test_the_next_class_has_a_new_one_where_the_last_crashed(self):
        Shared.get().crashed = True
        self.assertIs(Shared.get(), self.programs.browsers[1])
        self.assertEqual(self.programs.running, self.programs.drivers[1:])

    def test_a_new_one_that_fails_at_once_is_not_tried_again(self):
        Shared.get().crashed = True
        self.programs.refused = 1
        with self.assertRaisesRegex(WebDriverError, "session not created"):
            Shared.get()
        self.assertEqual(len(self.programs.drivers), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
