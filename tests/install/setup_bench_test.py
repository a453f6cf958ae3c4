# SPDX-License-Identifier: Apache-2.0
"""scripts/setup-bench on a small tree that stands for a bench: what it changes it takes back, byte for byte.

    setup_bench_test.py CHECKOUT
"""
import itertools
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

CHECKOUT = pathlib.Path(sys.argv.pop(1)).resolve()
COMMAND = CHECKOUT / "scripts" / "setup-bench"
STATE = "var/lib/tactus/setup-bench"

# A Debian bench of four CPUs. Somebody has made a rules file of our name before; it is his.
TREE = {
    "etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n',
    "etc/group": "root:x:0:\naudio:x:29:ada,bob\ngpio:x:997:bob\n",
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/bash\n",
    "etc/default/grub": "GRUB_DEFAULT=0\n",
    "etc/udev/rules.d/60-tactus.rules": "# mine, without a newline at the end",
    "lib/systemd/system/irqbalance.service": "[Service]\n",
    "proc/sys/kernel/timer_migration": "1\n",
    "proc/sys/kernel/perf_event_paranoid": "2\n",
    "proc/mounts": "proc /proc proc rw 0 0\nnodev /sys/kernel/tracing tracefs rw,nosuid 0 0\n",
    "sys/kernel/tracing/trace_clock": "[local] global\n",
    "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
    "proc/sys/vm/compact_unevictable_allowed": "0\n",
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "schedutil\n",
    "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "powersave\n",
    "var/lib/dpkg/status": "Package: bash\nStatus: install ok installed\n\n"
                           "Package: zsh\nStatus: install ok installed\n",
}


class Bench(unittest.TestCase):
    command = COMMAND

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-setup-bench-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        for name, text in TREE.items():
            self.write(name, text)
        (self.root / "etc/udev/rules.d/60-tactus.rules").chmod(0o600)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def read(self, name):
        return (self.root / name).read_text()

    def tree(self):
        """Everything there is: folders, and files with their contents, modes and times."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            facts = path.lstat()
            name = str(path.relative_to(self.root))
            found[name] = (stat.filemode(facts.st_mode),) + (
                () if path.is_dir() else (path.read_bytes(), facts.st_mtime_ns))
        return found

    def setup(self, *arguments, status=0):
        done = subprocess.run([self.command, "--root", self.root, "--user", "ada", *arguments], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_sets_up_the_interfaces_of_buses(self):
        for name, flags in (("can0", "0x40041"), ("can1", "0x40040"), ("eth0", "0x1003")):
            self.write(f"sys/class/net/{name}/type", "1\n" if name == "eth0" else "280\n")
            self.write(f"sys/class/net/{name}/flags", flags + "\n")
        only = ("--skip", "limits,udev,service,sysctl,interrupts,governor,boot,kernel")
        before = self.tree()
        shown = self.setup("--apply", *only, "--can", "can0=500000/2000000", "--can", "vcan0=virtual",
                           "--can", "can-x=125000").stdout
        self.assertIn("can1 is down; --can can1=RATE", shown)
        self.assertNotIn("can0 is down", shown)
        self.assertIn("systemctl enable --now 'tactus-can-can0.service'", shown)
        self.assertIn("systemctl enable 'tactus-can-can-x.service'", shown, "it is not there yet")
        unit = self.read("etc/systemd/system/tactus-can-can0.service")
        self.assertIn("ip link set can0 type can bitrate 500000 dbitrate 2000000 fd on && ip link set can0 up", unit)
        self.assertIn("BindsTo=sys-subsystem-net-devices-can0.device\n", unit)
        self.assertIn("ip link add dev vcan0 type vcan", self.read("etc/systemd/system/tactus-can-vcan0.service"))
        self.assertIn("WantedBy=sys-subsystem-net-devices-can\\x2dx.device\n",
                      self.read("etc/systemd/system/tactus-can-can-x.service"))
        self.setup("--undo")
        self.assertEqual(self.tree(), before)

    def test_another_rate_of_a_bus_is_set_at_once(self):
        only = ("--skip", "limits,udev,service,sysctl,interrupts,governor,boot,kernel")
        self.write("sys/class/net/can0/type", "280\n")
        before = self.tree()
        self.assertNotIn("try-restart", self.setup("--apply", *only, "--can", "can0=500000").stdout)
        link = self.root / "etc/systemd/system/sys-subsystem-net-devices-can0.device.wants/tactus-can-can0.service"
        link.parent.mkdir()  # as `systemctl enable` has made it
        link.symlink_to("/etc/systemd/system/tactus-can-can0.service")
        self.assertNotIn("try-restart", self.setup("--apply", *only, "--can", "can0=500000").stdout)
        self.assertIn("run   systemctl daemon-reload && systemctl try-restart 'tactus-can-can0.service'\n",
                      self.setup("--apply", *only, "--can", "can0=250000").stdout)
        link.unlink()
        link.parent.rmdir()
        self.setup("--undo")
        self.assertEqual(self.tree(), before)

    def test_refuses_what_is_no_rate_of_a_bus(self):
        for bus, said in (("can0", "is not NAME=RATE"), ("can0=fast", "is not NAME=RATE"), ("=500000", "is not NAME=RATE"),
                          ("can0=2000000", "5000 to 1000000"), ("can0=500000/250000", "at least the bus's rate"),
                          ("can0=500000; reboot", "is not NAME=RATE"), ("a" * 16 + "=500000", "is not NAME=RATE")):
            with self.subTest(bus):
                self.assertIn(said, self.setup("--can", bus, status=2).stderr)

    def test_shows_everything_and_changes_nothing(self):
        before = self.tree()
        shown = self.setup("--cpus", "3").stdout
        self.assertEqual(self.tree(), before)
        for piece in ("/etc/security/limits.d/99-tactus.conf (new)", "/etc/udev/rules.d/60-tactus.rules (changed)",
                      "-# mine, without a newline at the end", "groupadd --system realtime", "usermod -aG realtime ada",
                      "useradd --system", "/etc/systemd/system/tactus@.service", "isolcpus=managed_irq,domain,3",
                      "nohz_full=3 rcu_nocbs=3 irqaffinity=0-2", "IRQBALANCE_BANNED_CPULIST=3", "linux-image-rt-",
                      "undo  sysctl -q -w kernel.timer_migration=1", "schedutil", "powersave", "why "):
            self.assertIn(piece, shown)
        for piece in ("groupadd --system gpio", "numa_balancing", "vm.compact_unevictable_allowed=",
                      "sched_rt_runtime_us"):
            self.assertNotIn(piece, shown, "is there already, is not in this kernel, or was not asked for")

    def test_what_is_undone_is_as_it_was(self):
        before = self.tree()
        self.setup("--apply", "--cpus", "2-3", "--no-throttle")
        self.assertNotEqual(self.tree(), before)
        undone = self.setup("--undo").stdout
        self.assertEqual(self.tree(), before)
        for piece in ("groupdel realtime", "userdel tactus", "the kernel itself is a package of its own, and stays", "kernel.timer_migration=1", "sched_rt_runtime_us=950000",
                      "echo schedutil", "update-grub", "systemctl daemon-reload", "udevadm control --reload"):
            self.assertIn(piece, undone)
        self.assertLess(undone.index("gpasswd -d ada realtime"), undone.index("groupdel realtime"),
                        "the last is undone first")
        self.assertIn("nothing to undo", self.setup("--undo").stdout)

    def test_a_tree_without_the_folders_is_as_it_was_too(self):
        for folder in ("etc/udev", "etc/default", "var/lib"):
            shutil.rmtree(self.root / folder)
        before = self.tree()
        self.setup("--apply")
        self.setup("--undo")
        self.assertEqual(self.tree(), before)

    def test_twice_is_the_same_as_once(self):
        self.setup("--apply", "--cpus", "3")
        once = self.tree()
        again = self.setup("--apply", "--cpus", "3").stdout
        self.assertEqual(self.tree(), once)
        self.assertIn("nothing to change", again)
        self.assertIn("nothing to change", self.setup("--cpus", "3").stdout)

    def test_another_choice_later_is_still_undone_to_the_beginning(self):
        before = self.tree()
        self.setup("--apply", "--cpus", "3")
        self.setup("--apply", "--cpus", "1,3", "--no-throttle")
        self.assertIn("isolcpus=managed_irq,domain,1,3 nohz_full=1,3 rcu_nocbs=1,3 irqaffinity=0,2",
                      self.read("etc/default/grub.d/tactus.cfg"))
        self.assertIn("kernel.sched_rt_runtime_us = -1", self.read("etc/sysctl.d/60-tactus.conf"))
        self.assertIn("kernel.perf_event_paranoid = -1", self.read("etc/sysctl.d/60-tactus.conf"))
        self.setup("--undo")
        self.assertEqual(self.tree(), before)

    def test_interrupts_are_granted_at_each_start_and_taken_back(self):
        (self.root / "sys/kernel/tracing").chmod(0o700)
        before = self.tree()
        shown = self.setup("--apply", "--user", "ada").stdout
        unit = self.read("etc/systemd/system/tactus-tracing.service")
        for piece in ("mount -t tracefs nodev /sys/kernel/tracing;",
                      "mount -o remount,mode=750,gid=realtime /sys/kernel/tracing'", "WantedBy=multi-user.target"):
            self.assertIn(piece, unit)
        self.assertIn("systemctl enable --now tactus-tracing.service", shown)
        undone = self.setup("--undo").stdout
        self.assertRegex(undone, r"disable --now tactus-tracing.service; mount -o remount,mode=700,gid=\d+ ")
        self.assertEqual(self.tree(), before)

    def test_tracefs_that_was_not_mounted_is_unmounted_again(self):
        self.write("proc/mounts", "proc /proc proc rw 0 0\n")
        self.assertIn("disable --now tactus-tracing.service; umount /sys/kernel/tracing", self.setup().stdout)

    def test_without_interrupts_the_kernel_keeps_its_tracepoints(self):
        self.setup("--apply", "--skip", "interrupts")
        self.assertIn("kernel.perf_event_paranoid = 0", self.read("etc/sysctl.d/60-tactus.conf"))
        self.assertFalse((self.root / "etc/systemd/system/tactus-tracing.service").exists())
        shutil.rmtree(self.root / "sys/kernel/tracing")
        self.assertIn("this kernel has no tracefs", self.setup().stdout)

    def test_an_edit_survives_undo(self):
        before = self.tree()
        self.setup("--apply")
        mine = self.read("etc/security/limits.d/99-tactus.conf") + "@realtime - nice -10\n"
        self.write("etc/security/limits.d/99-tactus.conf", mine)
        self.write("etc/udev/rules.d/60-tactus.rules", "# changed once more\n")
        said = self.setup("--undo", status=1).stderr
        self.assertEqual(self.read("etc/security/limits.d/99-tactus.conf"), mine)
        self.assertEqual(self.read("etc/udev/rules.d/60-tactus.rules"), "# changed once more\n")
        self.assertFalse((self.root / "etc/systemd/system/tactus@.service").exists(), "the rest was undone")
        self.assertIn("it is yours now", said)
        kept = STATE + "/before/etc/udev/rules.d/60-tactus.rules"
        self.assertIn(kept, said)
        self.assertEqual(self.read(kept), TREE["etc/udev/rules.d/60-tactus.rules"], "what was there is not lost")
        # Once he has put it back himself, the rest of the undo is done.
        shutil.copy2(self.root / kept, self.root / "etc/udev/rules.d/60-tactus.rules")
        shutil.rmtree(self.root / "etc/security")
        self.setup("--undo")
        self.assertEqual(self.tree(), before)

    def test_an_edit_survives_apply(self):
        self.setup("--apply")
        self.write("etc/sysctl.d/60-tactus.conf", "kernel.timer_migration = 1\n")
        (self.root / "etc/systemd/system/tactus@.service").unlink()
        said = self.setup("--apply", status=1).stderr
        self.assertEqual(said.count("edited or removed since"), 2, said)
        self.assertEqual(self.read("etc/sysctl.d/60-tactus.conf"), "kernel.timer_migration = 1\n")
        self.assertFalse((self.root / "etc/systemd/system/tactus@.service").exists())

    def test_a_link_is_not_written_through(self):
        self.write("etc/elsewhere", "not ours\n")
        (self.root / "etc/sysctl.d").mkdir()
        (self.root / "etc/sysctl.d/60-tactus.conf").symlink_to("../elsewhere")
        self.assertIn("is a link", self.setup("--apply", status=1).stderr)
        self.assertEqual(self.read("etc/elsewhere"), "not ours\n")

    def killed(self, at):
        """--apply, killed when it begins the command number `at` of those that change something. False: it has fewer."""
        shims = self.root.parent / "shims"
        count = self.root.parent / "count"
        count.write_text("0")
        if not shims.exists():
            shims.mkdir()
            for name in ("chmod", "cp", "mkdir", "mv", "rm"):
                (shims / name).write_text(f"#!/bin/sh\nn=$(($(cat '{count}') + 1))\necho $n >'{count}'\n"
                                          f"[ $n != $KILLED_AT ] || kill -KILL 0\nexec {shutil.which(name)} \"$@\"\n")
                (shims / name).chmod(0o755)
        done = subprocess.run([COMMAND, "--root", self.root, "--user", "ada", "--cpus", "3", "--apply"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True, timeout=300,
                              env={**os.environ, "KILLED_AT": str(at), "PATH": f"{shims}:{os.environ['PATH']}"})
        return done.returncode == -signal.SIGKILL

    def test_an_interrupted_apply_is_undone(self):
        before = self.tree()
        every = 1 if os.environ.get("TACTUS_NIGHTLY") else 45
        first = random.randrange(every)
        at = 0
        # The first ones make the place where it is written down what to undo.
        for at in itertools.chain(range(1, 7), itertools.count(7 + first, every)):
            killed = self.killed(at)
            self.setup("--undo")
            self.assertEqual(self.tree(), before, f"killed at command {at}")
            if not killed:
                break
        self.assertGreater(at, 20)

    def test_an_apply_goes_on_where_it_was_interrupted(self):
        before = self.tree()
        self.setup("--cpus", "3", "--apply")
        whole = {name: facts[:2] for name, facts in self.tree().items() if not name.startswith(STATE)}
        self.setup("--undo")
        for at in (1, 3, 5, 11, 20) if os.environ.get("TACTUS_NIGHTLY") else (3, 20):
            self.assertTrue(self.killed(at))
            self.setup("--cpus", "3", "--apply")
            found = {name: facts[:2] for name, facts in self.tree().items() if not name.startswith(STATE)}
            self.assertEqual(found, whole, f"killed at command {at}")
            self.setup("--undo")
            self.assertEqual(self.tree(), before, f"killed at command {at}")

    def test_an_installation_of_its_own_is_named_in_full(self):
        prefix = self.root.parent / "opt"
        for name in ("setup-bench", "systemd/tactus@.service", "udev/60-tactus.rules"):
            place = prefix / "share/tactus" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / "scripts" / name, place)
        self.command = prefix / "share/tactus/setup-bench"
        unit = "etc/systemd/system/tactus@.service"
        self.setup("--apply")
        self.assertIn("\nExecStart=tactus run ", self.read(unit), "systemd finds it in the usual places")
        (prefix / "bin").mkdir()
        (prefix / "bin/tactus").touch(mode=0o755)
        self.setup("--apply")
        self.assertIn(f"\nExecStart={(prefix / 'bin/tactus').resolve()} run ", self.read(unit))

    def test_steps_can_be_left_out(self):
        self.setup("--apply", "--skip", "udev,kernel,service", "--skip", "limits,sysctl,interrupts,governor")
        self.assertIn("nothing to undo", self.setup("--undo").stdout)

    def test_a_kernel_that_is_there_is_not_installed_again(self):
        for machine in ("amd64", "arm64"):
            self.write("var/lib/dpkg/status", self.read("var/lib/dpkg/status") +
                       f"\nPackage: linux-image-rt-{machine}\nStatus: install ok installed\nVersion: 6.1\n")
        self.assertNotIn("apt-get", self.setup().stdout)

    def test_names_of_users_may_have_points_and_capitals(self):
        self.write("etc/group", "root:x:0:\ngpio:x:997:adaXlovelace\nrealtime:x:996:Ada.Lovelace\n")
        shown = self.setup("--user", "ada.lovelace").stdout
        self.assertIn("usermod -aG realtime ada.lovelace\n", shown)
        self.assertIn("usermod -aG gpio ada.lovelace\n", shown, "it is not adaXlovelace")
        self.assertNotIn("usermod -aG realtime", self.setup("--user", "Ada.Lovelace").stdout)

    def test_another_system_is_refused(self):
        for text in ('ID="fedora"\n', ""):
            self.write("etc/os-release", text)
            before = self.tree()
            said = self.setup("--apply", status=3).stderr
            self.assertIn("Debian and Ubuntu", said)
            self.assertEqual(self.tree(), before)
        self.assertIn("fedora", (self.write("etc/os-release", "ID=fedora\n"), self.setup(status=3).stderr)[1])

    def test_ubuntu_gets_everything_but_a_package(self):
        self.write("etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n')
        shown = self.setup("--cpus", "3").stdout
        self.assertIn("pro enable realtime-kernel", shown)
        self.assertNotIn("apt-get", shown)
        self.assertIn("isolcpus=", shown)

    def test_without_grub_says_what_to_do_by_hand(self):
        (self.root / "etc/default/grub").unlink()
        self.setup("--apply", "--cpus", "3")
        self.assertFalse((self.root / "etc/default/grub.d").exists())
        self.assertIn("by hand", self.setup("--cpus", "3").stdout)

    def test_a_wrong_command_line_is_refused(self):
        before = self.tree()
        for arguments in (["--cpus", "0"], ["--cpus", "4"], ["--cpus", "3-1"], ["--cpus", "a"], ["--cpus", "1,,2"],
                          ["--cpus", "1;reboot"], ["--cpus"], ["--cpus", ""], ["--skip", "nothing"], ["--now"],
                          ["--apply", "--undo"], ["--user", "a b"], ["--user", "-a"], ["--user", "a;b"], ["--root", "/nowhere"]):
            self.assertNotEqual(self.setup(*arguments, status=2).stderr, "", arguments)
        self.assertEqual(self.tree(), before)

    def test_is_clean_for_shellcheck(self):
        if shutil.which("shellcheck") is None:
            self.skipTest("shellcheck is not installed")
        done = subprocess.run(["shellcheck", COMMAND], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout)


class Files(unittest.TestCase):
    def test_the_doctor_prescribes_the_same_modes_groups_and_files(self):
        said = {name: (CHECKOUT / name).read_text() for name in (
            "rtsync/host/device_group.hpp", "rtsync/host/rights.cpp", "rtsync/facts/fact_probe.cpp",
            "rtsync/facts/power.cpp", "rtsync/host/dma_latency.cpp", "rtsync/host/watchdog_device.cpp",
            "rtsync/evidence/tracepoint.cpp", "rtsync/facts/grants.cpp")}
        rules = (CHECKOUT / "scripts/udev/60-tactus.rules").read_text()
        for kernel in ("cpu_dma_latency", "watchdog"):
            self.assertIn(f'KERNEL=="{kernel}", GROUP="realtime", MODE="0660"', rules)
        self.assertIn(r'GROUP=\"realtime\", MODE=\"0660\"', said["rtsync/host/device_group.hpp"])
        self.assertIn("/etc/udev/rules.d/60-tactus.rules", said["rtsync/host/device_group.hpp"])
        self.assertIn("@realtime - rtprio 99", said["rtsync/host/rights.cpp"])
        self.assertIn("/etc/sysctl.d/60-tactus.conf", said["rtsync/facts/fact_probe.cpp"])
        bench = COMMAND.read_text()
        for file in ("/etc/security/limits.d/99-tactus.conf", "/etc/udev/rules.d/60-tactus.rules",
                     "/etc/sysctl.d/60-tactus.conf"):
            self.assertIn(file, bench)
        self.assertIn("mode=750,gid=realtime", said["rtsync/evidence/tracepoint.cpp"])
        self.assertIn("mode=750,gid=realtime", bench)
        self.assertIn('"kernel.perf_event_paranoid", "-1"', said["rtsync/facts/grants.cpp"])
        for name, text in said.items():
            self.assertNotRegex(text, r"0666|chmod 666", f"{name}: open to everybody")

    def test_systemd_takes_the_unit(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "tactus@.service"
            text = (CHECKOUT / "scripts/systemd/tactus@.service").read_text()
            self.assertIn("ExecStart=tactus run ", text)
            self.assertNotRegex(text, r"(?m)^ExecStart=.*--quiet", "the journal would not say why the rig ended")
            unit.write_text(text.replace("ExecStart=tactus ", "ExecStart=/bin/true "))  # it need not be installed
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                  timeout=300)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_systemd_takes_the_unit_of_tracefs(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("etc", "sys/kernel/tracing"):
                (root / name).mkdir(parents=True)
            (root / "etc/os-release").write_text("ID=debian\n")
            subprocess.run([COMMAND, "--root", root, "--user", "ada", "--apply"], check=True, capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=300)
            unit = root / "etc/systemd/system/tactus-tracing.service"
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                  timeout=300)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_udev_takes_the_rules(self):
        rules = CHECKOUT / "scripts/udev/60-tactus.rules"
        verify = ["udevadm", "verify", rules]
        try:
            done = subprocess.run(verify, capture_output=True, text=True, timeout=300)
        except FileNotFoundError:
            self.skipTest("udevadm is not installed")
        if "nknown command" in done.stderr:
            self.skipTest("this udevadm cannot verify rules yet")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


unittest.main()
