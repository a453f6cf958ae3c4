# SPDX-License-Identifier: Apache-2.0
"""Runs GoogleTest programs of the build in one guest: as root, on PREEMPT_RT, two processors.

By itself those that ask something of the kernel: threads, rights, CPUs, sleeps, signals, page faults, devices. With
--all, for scripts/test --nightly, every program: those that compute take many minutes here, and find what they find on
the machine itself; whole rigs take five minutes, and vm.realtime and vm.gpio_* run some of them as well.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from guest import Checks, Guest

# Of these programs, those tests alone that ask something of the kernel.
ONLY = {
    "rtsync_test": ["*Rt.*", "Gate*", "All/Gate*", "Handshake*", "All/Handshake*", "PiMutex*", "Pinned*", "CpuTimeLimit*",
                    "Evicting.*", "RunCounters*", "StuckThread*", "ThisThread.*", "ThreadList.*", "Affinity.*",
                    "AllowedCpus.*", "DmaLatency*", "Prefaulted*", "PreparedMemory.*", "Rights*", "Throttle*", "WhyNo*",
                    "*Sleeper*", "WakeTrial*", "HostFacts.*", "Clocks.*", "TscClock.*"],
    "executive_test": ["*Rt.NeverAsksTheKernel", "Waits/WorkerStuck.AWorkerThatMainWaitsForIsNamed/*", "Recorder.*",
                       "RigThreads.*", "Meeting.*", "ExecutiveRealtime.*"],
    "open_simulation_test": ["OpenSimulation.InRealTime*", "Simulation.*"],
    "rig_test": ["Machine.*", "Realtime.*", "Doctor.GradesEveryFact*", "Doctor.OfARig*", "SafeOutput.*"],
}
# With --all also these: they compute, or start many processes (vm.gpio_outputs sees crashes and guardians here).
MORE = {"rtsync_test": ["*"],
        "executive_test": ["*Rt.*", "Worker*", "Waits/Worker*", "Recording.*", "CheckpointWriter.*"],
        "rig_test": ["FullDisk.*", "End.A*"]}
# Tests that are left out, and why: the emulated processors are some ten times slower than real ones.
LEFT_OUT = {
    "executive_test": [
        "ExecutiveRealtime.NotesThatDoNotFitAreCounted",    # 13 s: five thousand causes by a clock of the test
    ],
    "config_test": [
        "Fuzz.*",                                           # 32 s of text and numbers, nothing of the kernel's
        "Document.AnswersWithinASecondWhateverItIsFed",     # 21 s of text, and a second is too short here
    ],
    "models_test": [
        "NedcDrive.*",                                      # 150 s of arithmetic
    ],
    "rtsync_test": [
        "EdgeClockLoop.MillionsOfEdgesDoNotDrift",          # 50 s of arithmetic
        "EdgeClockProperty.TheRateIsBounded*",              # 40 s of arithmetic
        "HandshakeOfThree.IsThreeHandshakes",               # 10 s; its pairs are here
        "*LosesNoWakeUp*/spin", "*LosesNoWakeUpOfASpinner*",  # threads that only spin, on emulated processors
        "ServiceNotify.*",                                  # the guest has no libsystemd
        "SignsNightly/*",                                   # short disturbances, which vm.causes has in its own length
    ],
    "rig_test": [
        "Realtime.TenSecondsOfServo*",                      # vm.realtime watches the same rig
        # A thread that spins at priority 80 keeps everything below it off its CPU, under PREEMPT_RT also the threads
        # of interrupts (50): nothing is heard of the guest any more.
        "Realtime.ASpinningRigMakesNoSystemCallAtAll",
        "End.AnOverrun*",                                   # likewise: each of its frames takes longer than a frame
        "FullDisk.WithoutRealTimeItDoesNotWaitForEver",     # 100 s of simulated time
        "End.ACtrlCBeforeTheFirstFrameIsAStopToo",          # 15 s: five starts
        "End.ASummaryThatDoesNotFit*",                      # a frame without real time, and a file
        "SafeOutput.AModelThatEndsTheProcess*",             # eight starts, no frame of any
        "SafeOutput.StandsSafeAfterAnEndThatNobodyAskedFor",  # four starts
    ],
}
# Programs that ask nothing of this kernel that they did not ask of the machine's own.
NOT_HERE = ("can_test", "fmi_test", "silkit_test", "silkit_net_test", "silkit_api_test", "silkit_integration_test",
            "link_test", "live_test", "open_simulation_c_test", "record_formats_test", "driver_trials_test")
# What runs without --all. A new program is one of the night's until it is named here.
BY_DAY = ("executive_test", "rtsync_test")
PROGRAM_LIMIT_S = 400
NIGHT = 3  # times as long takes a guest beside everything else


def gtest_filter(name, everything):
    """Google Test knows * and ?, no sets: [1-9] is written out here. A suite's tests of the night are meant as well."""
    def written_out(patterns):
        digits = [each.replace("[1-9]", str(digit)) for each in patterns
                  for digit in (range(1, 10) if "[1-9]" in each else [0])]
        return ":".join(spelt for each in digits for spelt in dict.fromkeys((each, each.replace(".", "Nightly.", 1))))

    only = written_out(ONLY.get(name, ["*"]) + (MORE.get(name, []) if everything else []))
    left_out = written_out(LEFT_OUT.get(name, []))
    return only + (f"-{left_out}" if left_out else "")


def built(guest, kind):
    lines = (guest.build / "tests" / "vm" / "built.txt").read_text(encoding="utf-8").splitlines()
    return [pathlib.Path(path) for what, _, path in (line.partition(" ") for line in lines) if what == kind]


def script_for(tests, everything):
    # The console has how far they came, should the guest stand still and take its results with it.
    lines = ["export GTEST_COLOR=no TACTUS_TEST_PATIENCE=300", "mkdir results",
             "(while sleep 20; do tail -n 1 /tmp/results/*.txt; done) >/dev/console 2>&1 &", "watch=$!"]
    limit = PROGRAM_LIMIT_S * (NIGHT if everything else 1)
    for test in tests:
        lines.append(f"cd {test.parent}; timeout {limit} {test} --gtest_filter='{gtest_filter(test.name, everything)}' "
                     f"--gtest_output=xml:/tmp/results/{test.name}.xml >/tmp/results/{test.name}.txt 2>&1")
        lines.append(f"echo {test.name} $?")
    lines.append("kill $watch")  # else the guest waits for it
    return "\n".join(lines) + "\n"


def report(checks, guest, name, status):
    said = guest.work / "results" / f"{name}.txt"
    try:
        suites = ElementTree.parse(guest.work / "results" / f"{name}.xml").getroot()
    except (OSError, ElementTree.ParseError):
        text = said.read_text(encoding="utf-8", errors="replace")[-3000:] if said.exists() else "it left nothing"
        checks.that(f"{name} ran to its end", False, f"status {status}", text)
        return
    cases = list(suites.iter("testcase"))
    ran = [case for case in cases if case.get("status") == "run"]
    skipped = [case for case in ran if case.find("skipped") is not None]
    seconds = sum(float(case.get("time", 0)) for case in ran)
    failed = [case for case in ran if case.find("failure") is not None]
    checks.that(f"{name}: {len(ran) - len(failed) - len(skipped)} of {len(ran)} tests passed, {len(skipped)} skipped, "
                f"{seconds:.1f} s, status {status}", status == 0 and ran)
    for case in failed:
        print(f"      {case.get('classname')}.{case.get('name')} ({case.get('time')} s)")
        for failure in case.iter("failure"):
            print("          " + (failure.text or failure.get("message", "")).strip().replace("\n", "\n          "))
    for case in skipped:
        reason = case.find("skipped").get("message", "").strip()
        print(f"      skipped {case.get('classname')}.{case.get('name')}: {reason}")
    for case in sorted(ran, key=lambda each: -float(each.get("time", 0)))[:3]:
        print(f"      {case.get('time'):>7} s  {case.get('classname')}.{case.get('name')}")


def main():
    everything = "--all" in sys.argv
    if everything:
        sys.argv.remove("--all")
    guest = Guest.from_arguments(__doc__, needs="kernel")
    # rtsync_test last: some of its tests look back at slots of half a minute ago, when there was no guest yet.
    tests = sorted((path for path in built(guest, "test") if path.exists() and path.name not in NOT_HERE
                    and (everything or path.name in BY_DAY)),
                   key=lambda path: path.name == "rtsync_test")
    copy = [f"{guest.stripped(path)}:{path}" for path in [*tests, *built(guest, "file")] if path.exists()]
    copy += [guest.source / "config" / "rigs", guest.source / "tests" / "messages" / "texts"]  # of rigs, of snapshots
    copy += ["setpriv", "prlimit", "taskset", "bash"]
    script = guest.write("run.sh", script_for(tests, everything))
    done = guest.run("sh", "run.sh", files=[script], copy=copy, fetch=["results"],
                     timeout=1160 * (NIGHT if everything else 1), options=["--mem", "1792"])
    print(f"guest: status {done.status}, {done.took:.0f} s")
    print(done.err)
    checks = Checks()
    checks.equal("the guest ran to its end", done.status, 0, done)
    statuses = dict(line.split() for line in done.out.splitlines() if len(line.split()) == 2)
    for test in tests:
        report(checks, guest, test.name, int(statuses.get(test.name, -1)))
    checks.finish()


main()
