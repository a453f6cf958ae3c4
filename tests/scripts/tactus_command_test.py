# SPDX-License-Identifier: Apache-2.0
"""scripts/tactus in a fresh checkout: help needs no build."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


class FreshCheckout(unittest.TestCase):
    def test_help_builds_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "scripts/lib").mkdir(parents=True)
            for name in ("scripts/tactus", "scripts/lib/common.sh"):
                shutil.copy(SOURCE / name, root / name)
            for word in ("-h", "--help"):
                done = subprocess.run([root / "scripts/tactus", word], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("scripts/tactus run RIG.yaml", done.stdout)
                self.assertIn("not built yet", done.stdout)
            self.assertFalse((root / "build").exists())


if __name__ == "__main__":
    unittest.main()
