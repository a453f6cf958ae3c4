#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A campaign on a Slurm cluster of one node, whose daemon and then whose node dies in the midst, and on one of three
nodes, of which one dies and does not come back: no case is lost, none runs twice.

    cluster_test.py --source CHECKOUT --tactus PROGRAM

Skipped without Slurm (scripts/setup --cluster) and without root.
"""
import argparse
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--source", type=pathlib.Path, required=True)
PARSER.add_argument("--tactus", required=True)
PARSER.add_argument("--nodes", type=int, default=1, help="nodes of the cluster that it is run in")
PARSER.add_argument("--inside", type=pathlib.Path, help="run in the cluster, with this folder")
ARGUMENTS, REST = PARSER.parse_known_args()
CASES = 200

TEST = "test: short\nuntil: 20 ms\nexpect: { still: { always: abs(motor.speed) < 1000 rad/s } }\n"
CAMPAIGN = """campaign: on a cluster
rig: {rig}
test: short.test.yaml
vary: {{ models.motor.parameters.supply: {{ uniform: [22 V, 24 V] }} }}
cases: {{ monte_carlo: {cases}, seed: 2 }}
each: {{ timeout: 60 s }}
slurm: {{ cases_a_task: 10 }}
"""


def pids(name, cluster):
    """Processes of that name whose environment has our slurm.conf."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"SLURM_CONF={cluster}/slurm.conf" in (folder / "environ").read_bytes().decode(errors="replace")
            if is_ours and (folder / "comm").read_text().strip() == name:
                found.append(int(folder.name))
        except OSError:
            pass  # it has ended
    return found


def pids_on(node, cluster):
    """Processes of a job that run on that node, and their parents up to the keeper of the step."""
    found = set()
    for name in ("tactus", "tactus-run", "slurm_script"):
        for process in pids(name, cluster):
            try:
                if f"SLURMD_NODENAME={node}" not in pathlib.Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace").split("\0"):
                    continue
                parents = [process]
                while parents[-1] > 1:
                    stat = pathlib.Path(f"/proc/{parents[-1]}/stat").read_text().rsplit(")", 1)[1].split()
                    parents.append(int(stat[1]))
                    if pathlib.Path(f"/proc/{parents[-1]}/comm").read_text().strip() == "slurmstepd":
                        found.update(parents)
                        break
            except OSError:
                pass  # it has ended
    return found


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Inside:
    """What happens in the cluster."""

    def __init__(self, folder):
        self.folder = folder
        self.cluster = pathlib.Path(os.environ["CLUSTER_DIR"])
        self.database = folder / "out" / "campaign.sqlite"

    def rows(self, sql):
        with sqlite3.connect(self.database, timeout=20) as data:
            return data.execute(sql).fetchall()

    def wait_for_results(self, count):
        until = time.monotonic() + 300
        while time.monotonic() < until:
            try:
                if self.rows("SELECT count(*) FROM cases WHERE state = 'done'")[0][0] >= count:
                    return
            except sqlite3.OperationalError:
                pass  # it is not made yet
            time.sleep(0.2)
        sys.exit(f"not {count} results after 300 s")

    def slurmd(self):
        return int((self.cluster / "slurmd.pid").read_text())

    def start(self):
        return subprocess.Popen([ARGUMENTS.tactus, "campaign", "a.campaign.yaml", "--on", "slurm", "--out", "out"],
                                cwd=self.folder)

    def run(self):
        runner = self.start()
        self.wait_for_results(20)
        kill(self.slurmd())  # its tasks go on
        time.sleep(3)
        subprocess.run([str(self.cluster / "slurmd")], check=True)
        self.wait_for_results(60)
        runner.kill()
        runner.wait()
        runner = self.start()
        self.wait_for_results(90)
        kill(self.slurmd())  # the node dies, with all that it runs
        for name in ("slurmstepd", "tactus", "tactus-run"):
            for process in pids(name, self.cluster):
                if process != runner.pid:
                    kill(process)
        time.sleep(1)
        subprocess.run([str(self.cluster / "slurmd")], check=True)
        try:
            status = runner.wait(timeout=900)
        except subprocess.TimeoutExpired:
            subprocess.run(["squeue"], check=False)
            runner.kill()
            sys.exit("the campaign does not come to its end")
        print("states", self.rows("SELECT state, says, count(*) FROM attempts GROUP BY 1, 2"),
              self.rows("SELECT says, count(*) FROM placed GROUP BY 1"))
        subprocess.run(f"grep -o 'JobState=[A-Z_]*' {self.cluster}/jobcomp.txt | sort | uniq -c", shell=True, check=False)
        return status


    def run_on_several(self):
        """The second node dies with all that it runs, and stays dead."""
        runner = self.start()
        self.wait_for_results(5)
        node = sorted(each.name[len("slurmd."):-len(".pid")] for each in self.cluster.glob("slurmd.*.pid"))[1]
        until = time.monotonic() + 60
        while not pids_on(node, self.cluster) and time.monotonic() < until:
            time.sleep(0.05)  # it dies with something that it runs
        kill(int((self.cluster / f"slurmd.{node}.pid").read_text()))
        for process in pids_on(node, self.cluster):
            kill(process)
        try:
            return runner.wait(timeout=900)
        except subprocess.TimeoutExpired:
            subprocess.run(["squeue"], check=False)
            runner.kill()
            sys.exit("the campaign does not come to its end")


class ClusterNightly(unittest.TestCase):
    def test_a_node_that_dies_costs_no_case(self):
        self.run_cases(1)

    def test_one_of_three_nodes_that_dies_costs_no_case(self):
        one = self.run_cases(3)
        self.assertEqual(one("SELECT count(DISTINCT node) FROM placed WHERE node <> ''"), 3)
        self.assertGreater(one("SELECT count(*) FROM placed WHERE says LIKE 'NODE_FAIL on %-2%'"), 0)

    def run_cases(self, nodes):
        missing = [name for name in ("slurmctld", "slurmd", "munged", "sbatch")
                   if shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") is None]
        if missing:
            self.skipTest(f"there is no {missing[0]}; scripts/setup --cluster installs it")
        if os.geteuid() != 0:
            self.skipTest("there is no root here, who starts Slurm's daemons")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "short.test.yaml").write_text(TEST)
            (folder / "a.campaign.yaml").write_text(
                CAMPAIGN.format(rig=ARGUMENTS.source / "config" / "rigs" / "servo.yaml", cases=CASES))
            begun = time.monotonic()
            done = subprocess.run(
                [str(ARGUMENTS.source / "scripts" / "cluster"), "--nodes", str(nodes), "--", sys.executable, "-B", __file__,
                 "--source", str(ARGUMENTS.source), "--tactus", ARGUMENTS.tactus, "--inside", name, "--nodes", str(nodes)],
                capture_output=True, text=True, timeout=1500, check=False)
            print(done.stdout, done.stderr, f"took {time.monotonic() - begun:.0f} s", file=sys.stderr)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            data = sqlite3.connect(":memory:")  # the folder ends before the caller has looked
            self.addCleanup(data.close)
            with sqlite3.connect(folder / "out" / "campaign.sqlite") as file:
                file.backup(data)
            file.close()
            one = lambda sql: data.execute(sql).fetchone()[0]  # noqa: E731
            self.assertEqual(one("SELECT count(*) FROM cases WHERE state = 'done' AND verdict = 'pass'"), CASES)
            self.assertEqual(one("SELECT count(*) FROM attempts WHERE state = 'done'"), CASES)
            self.assertEqual(one("SELECT count(DISTINCT number) FROM attempts WHERE state = 'done'"), CASES)
            self.assertEqual(one("SELECT count(*) FROM attempts WHERE state = 'running'"), 0)
            self.assertEqual(one("SELECT count(*) FROM arrays WHERE state <> 'ended'"), 0)
            folders = [each.parent for each in (folder / "out" / "cases").glob("*/*/end.json")]
            self.assertEqual(len(folders), CASES + one("SELECT count(*) FROM attempts WHERE state = 'spoiled'"
                                                       " AND spoiled NOT IN ('NODE_FAIL', 'REQUEUED', 'UNKNOWN')"))
            self.assertEqual(one("PRAGMA integrity_check"), "ok")
            return one


if __name__ == "__main__":
    if ARGUMENTS.inside:
        INSIDE = Inside(ARGUMENTS.inside)
        sys.exit(INSIDE.run() if ARGUMENTS.nodes == 1 else INSIDE.run_on_several())
    unittest.main(argv=[sys.argv[0], *REST])
