# SPDX-License-Identifier: Apache-2.0
"""Rest buses in a guest: on vcan what is in the frames, bus-off by an error frame, an interface that is unplugged, and a rig
that is killed, as a peer sees them; on two emulated controllers (SJA1000) of one bus the start, echoes, states and full
queues; CAN FD and the kernel's ISO-TP; a virtual dashboard behind link.can beside a rig and a station on vcan; and 400 signals for a while."""
import argparse
import os
import pathlib
import random
import re
import signal
import sys
import time

from guest import RIG_OF, Checks, Guest, recorded

SJA1000 = ["--qemu=-object", "--qemu=can-bus,id=cb0", "--qemu=-device", "--qemu=kvaser_pci,canbus=cb0",
           "--qemu=-device", "--qemu=kvaser_pci,canbus=cb0"]
MODULES = ["--modules", "vcan,can-raw,can-isotp,kvaser_pci,sch_fq", *SJA1000]
OPTIONS = "--quiet --set privileges=prefer --set realtime.on_overrun=skip --set realtime.max_overrun=100s"

WATCHED_MS = 4000

VCAN = RIG_OF + f"""
ip link add vcan0 type vcan
ip link set vcan0 up
waits_for() {{
    left=3000
    until grep -q "$2" $1 2>/dev/null || [ $left = 0 ]; do usleep 20000; left=$((left - 1)); done
}}
rows() {{
    left=3000
    until [ "$(wc -l <$1/bus.csv 2>/dev/null || echo 0)" -gt $2 ] || [ $left = 0 ]; do usleep 20000; left=$((left - 1)); done
}}

echo "# content"
tactus run both.yaml {OPTIONS} --until 3s --out content >content.out 2>&1
echo "status $?"
./can_frames watch vcan0 200 >after.seen

echo "# bus-off"
tactus run one.yaml {OPTIONS} --until 4s --out busoff >busoff.out 2>&1 &
rig=$!
rows busoff 20
./can_frames send vcan0 20000040 0000000000000000
waits_for busoff/log.txt "bus-off\\|bus_off"
./can_frames send vcan0 20000100 0000000000000000
wait $rig
echo "status $?"

echo "# bus-off that terminates"
tactus run one.yaml {OPTIONS} --until 20s --out terminates --set models.car.on_bus_off=terminate >terminates.out 2>&1 &
rig=$!
rows terminates 20
./can_frames send vcan0 20000040 0000000000000000
wait $rig
echo "status $?"

echo "# unplugged"
tactus run one.yaml {OPTIONS} --until 6s --out unplugged >unplugged.out 2>&1 &
rig=$!
rows unplugged 20
ip link set vcan0 down
waits_for unplugged/log.txt "is down"
ip link set vcan0 up
./can_frames watch vcan0 1500 >plugged.seen
wait $rig
echo "status $?"

echo "# unplugged, and another index"
tactus run one.yaml {OPTIONS} --until 6s --out replugged >replugged.out 2>&1 &
rig=$!
rows replugged 20
ip link delete vcan0
waits_for replugged/log.txt "is down"
ip link add vcan0 type vcan
ip link set vcan0 up
./can_frames watch vcan0 1500 >replugged.seen
wait $rig
echo "status $?"

echo "# killed"
tactus run one.yaml {OPTIONS} --until 60s --out killed >killed.out 2>&1 &
witness=$!
rows killed 20
./can_frames watch vcan0 1000 >before_kill.seen
./can_frames watch vcan0 {WATCHED_MS} >killed.seen &
watcher=$!
usleep 500000
kill -9 $(rig_of $witness)
wait $witness
echo "status $?"
wait $watcher
true
"""

BOARD = f"""
echo "# without bit rate"
tactus run --quiet controller.yaml --until 1s --out none >none.out 2>&1
echo "status $?"
./ip2 link set can0 up type can bitrate 500000
./ip2 link set can1 up type can bitrate 500000
./ip2 link set can0 txqueuelen 10

# A rig of three seconds on can0, and what can1 hears of it.
heard() {{
    ./can_frames watch can1 120000 >$1.seen &
    watcher=$!
    tactus run controller.yaml {OPTIONS} --until 3s --out $1 >$1.out 2>&1
    echo "status $?"
    kill $watcher
    wait $watcher
}}

echo "# a partner"
heard board

echo "# sent by the kernel"
tactus run controller.yaml {OPTIONS} --set models.car.send_by=kernel --until 1s --out refused >refused.out 2>&1
echo "status $?"
./tc2 qdisc replace dev can0 root fq flow_limit 10
heard timed
./tc2 qdisc replace dev can0 root pfifo_fast

echo "# full queues"
for policy in retry drop terminate; do
    tactus run burst.yaml {OPTIONS} --until 2s --out full_$policy --set models.car.on_full=$policy >full_$policy.out 2>&1
    echo "status $?"
done
true
"""

# CAN FD between two models, and a station that answers requests of ISO-TP, on an interface that takes both.
WIRE = f"""
ip link add vcan0 type vcan
ip link set vcan0 mtu 16
ip link set vcan0 up
tactus run --quiet wire.yaml --until 1s --out small >small.out 2>&1
echo "status $?"
ip link set vcan0 down
ip link set vcan0 mtu 72
ip link set vcan0 up
./can_frames answer vcan0 7E0 7E8 5902FF0123450810011109ABCDEF2F >asked &
station=$!
tactus run wire.yaml {OPTIONS} --until 2s --out wire >wire.out 2>&1
echo "status $?"
kill $station
wait $station
true
"""

REGISTRY = "silkit://127.0.0.1:8500"

# A rig on vcan0, a virtual dashboard in another rig on a simulated bus, and a station on vcan0 that hears both.
LINKED = f"""
ip link set lo up
ip link add vcan0 type vcan
ip link set vcan0 up
tactus registry --listen-uri {REGISTRY} >registry.out 2>&1 &
registry=$!
left=300
until grep -q "listening on" registry.out 2>/dev/null || [ $left = 0 ]; do usleep 100000; left=$((left - 1)); done
echo "registry"
tactus workflow --connect-uri {REGISTRY} Car Dashboard >workflow.out 2>&1 &
workflow=$!
./can_frames watch vcan0 60000 >linked.seen &
watcher=$!
tactus run dashboard.yaml {OPTIONS} --registry {REGISTRY} --out dashboard >dashboard.out 2>&1 &
dashboard=$!
tactus run car.yaml {OPTIONS} --registry {REGISTRY} --until 4s --out car >car.out 2>&1
echo "status $?"
wait $dashboard
echo "status $?"
wait $workflow
echo "status $?"
kill $registry $watcher
wait $watcher
true
"""

# All waits are by the clock of the guest, which may go slower than that of this machine.
LONG = RIG_OF + f"""
ip link add vcan0 type vcan
ip link set vcan0 up
./can_frames watch vcan0 WATCHED >long.seen &
watcher=$!
tactus run long.yaml {OPTIONS} --until SECONDSs --out long >long.out 2>&1 &
rig=$!
now() {{ cut -d. -f1 /proc/uptime; }}
began=$(now)
told=$began
while alive $rig; do
    usleep 500000
    at=$(now)
    if [ $((at - told)) -ge 10 ]; then
        told=$at
        echo "progress $((at - began)) s of the guest, $(($(wc -l <long/bus.csv 2>/dev/null || echo 1) - 1)) s of the rig"
    fi
    if [ $((at - began)) -ge MOST ]; then
        echo "gave up: the rig did not end within MOST s of the guest"
        kill -9 $(rig_of $rig)
        break
    fi
done
wait $rig
echo "status $?"
kill $watcher
wait $watcher
true
"""


def rig(source, name, interface, models):
    """config/rigs/restbus.yaml with these models alone, on an interface."""
    text = (source / "config" / "rigs" / "restbus.yaml").read_text(encoding="utf-8")
    text = text.replace("interface: simulated", f"interface: {interface}")
    if "dashboard" not in models:
        text = re.sub(r"\n  dashboard:.*?\n\nrecord:", "\n\nrecord:", text, flags=re.DOTALL)
        text = re.sub(r"\n# The dashboard shows.*?\nconnect:.*?\n\n", "\n", text, flags=re.DOTALL)
        text = re.sub(r"\n +- dashboard\S+", "", text)
    return text.replace("rig: restbus", f"rig: {name}").replace("- car.bus.load", "- car.bus.load\n      - car.bus.state")


def linked(source, name, interface, model, mode):
    """The rig of one side, with its part of restbus.yaml and one virtual bus."""
    text = (source / "config" / "rigs" / "restbus.yaml").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^  (car|dashboard):(.*?)\n\n", text, re.MULTILINE | re.DOTALL))
    made = f"rig: {name}\nframe: {{ period: 10 ms }}\nmodels:\n  {model}:{parts[model]}\n"
    if model == "dashboard":
        made += "connect:\n  - { from: dashboard.BrakeData.Speed, to: dashboard.DashStatus.Shown, delayed: yes }\n"
    made += (f"link: {{ driver: silkit, participant: {name}, mode: {mode}, max_late: 60 s, "
             f"can: {{ body: {{ bus: {model}, network: CAN1 }} }} }}\n")
    heard = "DashStatus" if model == "car" else "BrakeData"
    made += (f"record:\n  bus: {{ driver: csv, every: 10 ms, variables: [{model}.{heard}.count, {model}.{heard}.lost, "
             f"{'car.DashStatus.Shown' if model == 'car' else 'dashboard.BrakeData.Speed'}, link.body.lost] }}\n")
    return made.replace("interface: simulated", f"interface: {interface}")


def wire():
    """A message of 64 bytes from one model to another, one of 12 without a switch of the bit rate, and a request."""
    dbc = ["VERSION \"\"", "BU_: RIG PEER",
           "BO_ 256 Long: 64 RIG", " SG_ Count : 8|4@1+ (1,0) [0|0] \"\" PEER", " SG_ Middle : 248|16@1+ (1,0) [0|0] \"\" PEER",
           " SG_ Last : 496|16@1+ (0.5,-10) [0|0] \"\" PEER",
           "BO_ 512 Short: 12 PEER", " SG_ Level : 80|16@1- (1,0) [0|0] \"\" RIG",
           "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"StandardCAN_FD\";", "BA_DEF_DEF_ \"VFrameFormat\" \"StandardCAN_FD\";",
           "BA_DEF_ BO_ \"CANFD_BRS\" ENUM \"0\",\"1\";", "BA_DEF_DEF_ \"CANFD_BRS\" \"1\";", "BA_ \"CANFD_BRS\" BO_ 512 0;",
           "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;", "BA_DEF_DEF_ \"GenMsgCycleTime\" 10;"]
    yaml = """rig: wire
frame: { period: 10 ms }
models:
  rig:
    driver: can
    interface: vcan0
    database: wire.dbc
    rest_of: [PEER]
    send: { Long: { counter: Count, start: { Middle: 4711, Last: 1000.5 } } }
    stations: { ECU: { request: 0x7E0, response: 0x7E8, timeout: 1 s, requests: { faults: 19 02 FF } } }
  peer:
    driver: can
    interface: vcan0
    database: wire.dbc
    rest_of: [RIG]
    receive: { Long: { counter: Count } }
    send: { Short: { start: { Level: -4711 } } }
events:
  ask: { when: rt.frame == 50, do: [ { set: { rig.ECU.faults.send: 1 } } ] }
record:
  bus:
    driver: csv
    variables:
      [peer.Long.Middle, peer.Long.Last, peer.Long.count, peer.Long.lost, rig.Short.Level, rig.ECU.faults.state,
       rig.ECU.faults.codes, rig.ECU.faults.first_code]
"""
    return "\n".join(dbc) + "\n", yaml


def burst():
    """40 messages at once, four times what the kernel's queue holds; what waits has eight frames of the rig for it."""
    dbc = ["VERSION \"\"", "BU_: RIG PEER"]
    for number in range(40):
        dbc += [f"BO_ {0x100 + number} M{number}: 8 RIG", " SG_ Value : 0|16@1+ (1,0) [0|0] \"\" PEER"]
    dbc += ["BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;", "BA_DEF_DEF_ \"GenMsgCycleTime\" 400;",
            *[f"BA_ \"GenMsgCycleTime\" BO_ {0x100 + number} 400;" for number in range(40)]]
    yaml = """rig: burst
frame: { period: 50 ms }
models:
  car: { driver: can, interface: can0, database: burst.dbc, rest_of: [PEER], at: 1 ms, spacing: 400 ms }
record:
  bus: { driver: csv, variables: [car.bus.queue_full, car.bus.state, car.M0.sent, car.M39.sent, car.M39.not_sent] }
"""
    return "\n".join(dbc) + "\n", yaml


def long():
    """50 messages with eight signals each, of 10 to 100 ms; the second signal counts as the peer expects it."""
    generator = random.Random(400)
    dbc, cycles, send = ["VERSION \"\"", "BU_: RIG PEER"], {}, []
    for number in range(50):
        cycles[0x200 + number] = generator.choice((10, 20, 50, 100))
        dbc += [f"BO_ {0x200 + number} M{number}: 8 RIG"]
        dbc += [f" SG_ {'Count' if s == 1 else f'S{s}'} : {8 * s}|{4 if s == 1 else 8}@1+ (1,0) [0|0] \"\" PEER" for s in range(8)]
        send.append(f"M{number}: {{ counter: Count, counter_most: 14 }}")
    dbc += ["BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;", "BA_DEF_DEF_ \"GenMsgCycleTime\" 0;",
            *[f"BA_ \"GenMsgCycleTime\" BO_ {id_} {cycle};" for id_, cycle in cycles.items()]]
    yaml = f"""rig: long
frame: {{ period: 10 ms }}
models:
  car: {{ driver: can, interface: vcan0, database: long.dbc, rest_of: [PEER], send: {{ {", ".join(send)} }} }}
record:
  bus: {{ driver: csv, every: 1 s, variables: [car.bus.queue_full, car.bus.overflow, car.bus.load, car.M0.sent] }}
"""
    return "\n".join(dbc) + "\n", yaml, cycles


def seen(file):
    """What can_frames has seen: by identifier its frames, gaps, last and data; and "all"."""
    found = {"all": {"frames": -1, "last": -1}}  # it has not come to its end
    for line in file.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[0] == "id":
            found[int(words[1], 16)] = {"frames": int(words[3]), "gaps": int(words[5]), "last": int(words[7]),
                                        "same": int(words[9]), "data": words[11] if len(words) > 11 else ""}
        else:
            found["all"] = {"frames": int(words[2]), "last": int(words[4])}
    return found


def check_safe_values(checks, peer, context):
    """The peer has heard EngineData drive and then, as the last of all, its safe values as often as safe_times says."""
    engine = peer.get(0x100, {"frames": 0, "gaps": -1, "last": -1, "same": 0, "data": ""})
    checks.that("the safe values, Park and 0 rpm, are the last of EngineData",
                engine["data"][4:8] == "0000" and engine["data"][11:12] == "0", engine, context)
    checks.that("they come three times, and once more for the counter", 3 <= engine["same"] <= 4, engine, context)
    checks.that("after other values", engine["frames"] > engine["same"], engine, context)
    others = {hex(id_): each["last"] for id_, each in peer.items() if id_ not in ("all", 0x100)}
    checks.that("and nothing follows them", all(last <= engine["last"] for last in others.values()), others, engine, context)
    return engine


def statuses(done):
    return [int(status) for status in re.findall(r"^status (\d+)", done.out, re.MULTILINE)]


def text(guest, name):
    """A file of the guest; "": there is none, which the checks say in their own words."""
    file = guest.work / name
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def rows_of(guest, folder):
    """The rows of the recording of a run; one without values where there is none."""
    file = guest.work / folder / "bus.csv"
    return recorded(file) if file.is_file() else [{}]


def on_vcan(guest, checks, copy):
    source = guest.source
    files = [guest.write("vcan.sh", VCAN), guest.write("both.yaml", rig(source, "both", "vcan0", ["car", "dashboard"])),
             guest.write("one.yaml", rig(source, "one", "vcan0", ["car"])), source / "config" / "rigs" / "restbus.dbc"]
    names = ["content", "busoff", "terminates", "unplugged", "replugged", "killed"]
    done = guest.run("sh", "vcan.sh", tactus=True, files=files, copy=copy, timeout=1200, options=[*MODULES, "--icount", "1"],
                     fetch=[*names, *[f"{name}.out" for name in names], "after.seen", "plugged.seen", "replugged.seen",
                            "before_kill.seen", "killed.seen"])
    if not checks.equal("the guest of vcan ran to its end", done.status, 0, done):
        return
    found = statuses(done)
    log = text(guest, "content/log.txt")
    if checks.equal("a rest bus and its dashboard end well", found[0], 0, text(guest, "content.out")):
        last = rows_of(guest, "content")[-1]
        checks.equal("the dashboard receives the speed of the engine", float(last["dashboard.EngineData.EngineSpeed"]), 800)
        checks.equal("the car receives what the dashboard shows", float(last["car.DashStatus.Shown"]), 50)
        sent = {name: int(count) for name, count in re.findall(r"message (\w+): sent (\d+);", log)}
        received = int(re.search(r"dashboard: vcan0: received (\d+) messages", log)[1])
        checks.that("every message is sent at its cycle", 290 <= sent.get("EngineData", 0) <= 310, sent, log)
        checks.that("every message arrives", abs(received - sent["EngineData"] - sent["BrakeData"]) <= 3, received, sent)
        checks.that("no checksum or counter is wrong", "checksum" not in log, log)
        checks.equal("nothing follows the end", seen(guest.work / "after.seen")["all"]["frames"], 0)

    states = [row.get("car.bus.state") for row in rows_of(guest, "busoff")]
    log = text(guest, "busoff/log.txt")
    checks.that("an error frame takes the bus off", "bus_off" in states or "3" in states, sorted(set(states)), log)
    checks.that("the restart is noticed", "was restarted after bus-off" in log, log)
    checks.equal("a rig whose bus was off ends well", found[1], 0, text(guest, "busoff.out"), log)
    checks.equal("a rig whose policy says so ends with bus-off", found[2], 1, text(guest, "terminates.out"))
    checks.that("and names it", "on_bus_off" in text(guest, "terminates.out") + text(guest, "terminates/log.txt"),
                text(guest, "terminates.out"))

    log = text(guest, "unplugged/log.txt")
    checks.equal("a rig without its interface runs on", found[3], 0, text(guest, "unplugged.out"))
    checks.that("the log says that the interface is down", "is down" in log, log)
    again = seen(guest.work / "plugged.seen")
    checks.that("its messages go on when it is up again", again.get(0x100, {}).get("frames", 0) > 100, again, log)

    log = text(guest, "replugged/log.txt")
    checks.equal("a rig whose interface was unplugged runs on", found[4], 0, text(guest, "replugged.out"))
    again = seen(guest.work / "replugged.seen")
    checks.that("its messages go on when there is one of its name", again.get(0x100, {}).get("frames", 0) > 100, again, log)
    states = [row.get("car.bus.state") for row in rows_of(guest, "replugged")]
    checks.that("and the bus is active again", states[-1] in ("0", "active"), states[-20:], log)

    before, after = seen(guest.work / "before_kill.seen"), seen(guest.work / "killed.seen")
    checks.equal("the counter has no gap before the kill", before[0x100]["gaps"], 0, before)
    engine = check_safe_values(checks, after, text(guest, "killed.out"))
    checks.that("the counter has at most one gap, before the safe values", 0 <= engine["gaps"] <= 1, engine)
    checks.that("a rig that is killed falls silent at once", after["all"]["last"] <= WATCHED_MS // 2, after,
                text(guest, "killed.out"))


def on_controllers(guest, checks, copy):
    source = guest.source
    dbc, yaml = burst()
    files = [guest.write("board.sh", BOARD), guest.write("controller.yaml", rig(source, "controller", "can0", ["car"])),
             guest.write("burst.yaml", yaml), guest.write("burst.dbc", dbc), source / "config" / "rigs" / "restbus.dbc"]
    full = [f"full_{policy}" for policy in ("retry", "drop", "terminate")]
    timed = ["refused.out", "timed", "timed.out", "timed.seen"]
    done = guest.run("sh", "board.sh", tactus=True, files=files, copy=[*copy, "ip:/tmp/ip2", "tc:/tmp/tc2"], timeout=1200,
                     options=[*MODULES, "--icount", "1"],
                     fetch=["none.out", "board", "board.out", "board.seen", *timed, *full, *[f"{each}.out" for each in full]])
    if not checks.equal("the guest of the controllers ran to its end", done.status, 0, done):
        return
    found = statuses(done)
    said = text(guest, "none.out")
    checks.equal("an interface that is down is refused", found[0], 3, said)
    checks.that("with the command that mends it", "ip link set can0" in said, said)

    log = text(guest, "board/log.txt")
    checks.equal("a rig on a controller ends well", found[1], 0, text(guest, "board.out"), done)
    peer = seen(guest.work / "board.seen")
    checks.that("the other controller hears every message", 290 <= peer.get(0x100, {}).get("frames", 0) <= 310, peer, log[-3000:])
    checks.equal("without a gap", peer.get(0x100, {}).get("gaps"), 0, peer)
    checks.that("each message has an echo", re.search(r"EngineData: sent \d+; late .*bus time .*longest [1-9]", log), log)
    states = {row.get("car.bus.state") for row in rows_of(guest, "board")}
    checks.that("the controller is active", states <= {"0", "active"}, states)
    check_safe_values(checks, peer, log[-3000:])

    said = text(guest, "refused.out")
    checks.equal("send_by: kernel is refused without fq", found[2], 3, said)
    checks.that("with the command that mends it", "tc qdisc replace dev can0 root fq flow_limit 10" in said, said)
    log = text(guest, "timed/log.txt")
    checks.equal("a rig whose messages the kernel sends ends well", found[3], 0, text(guest, "timed.out"), log)
    checks.that("the log names the kernel", "the kernel sends messages at their times (SO_TXTIME, qdisc fq)" in log, log)
    peer = seen(guest.work / "timed.seen")
    checks.that("the other controller hears every message", 290 <= peer.get(0x100, {}).get("frames", 0) <= 310, peer, log[-3000:])
    checks.equal("without a gap", peer.get(0x100, {}).get("gaps"), 0, peer)
    times = re.search(r"EngineData: sent \d+; late half below (\S+) us.*bus time half below (\S+) us", log)
    checks.that("the rig is not late, and the echo comes soon after the planned time",  # an emulated bus takes no time
                times is not None and float(times[1]) == 0 and 0 < float(times[2]) < 1000, times and times[0], log[-3000:])
    check_safe_values(checks, peer, log[-3000:])

    for policy, status in zip(("retry", "drop", "terminate"), found[4:]):
        rows = rows_of(guest, f"full_{policy}")
        last, log = rows[-1], text(guest, f"full_{policy}/log.txt")
        checks.equal(f"on_full: {policy} ends with its status", status, 1 if policy == "terminate" else 0, log)
        if policy == "terminate":
            checks.that("and names the queue", "on_full: terminate" in log, log[-3000:])
        else:
            checks.that(f"on_full: {policy} counts the full queue", int(last.get("car.bus.queue_full", 0)) > 0, last, log[-3000:])
        if policy == "retry":
            checks.that("and loses nothing", int(last.get("car.M39.not_sent", -1)) == 0 and int(last.get("car.M39.sent", 0)) >= 4, last, log)
        if policy == "drop":
            checks.that("and loses some", int(last.get("car.M39.not_sent", -1)) > 0, last, log)


def on_the_wire(guest, checks, copy):
    dbc, yaml = wire()
    files = [guest.write("wire.sh", WIRE), guest.write("wire.yaml", yaml), guest.write("wire.dbc", dbc)]
    done = guest.run("sh", "wire.sh", tactus=True, files=files, copy=copy, timeout=1200, options=[*MODULES, "--icount", "1"],
                     fetch=["small.out", "asked", "wire", "wire.out"])
    if not checks.equal("the guest of CAN FD and ISO-TP ran to its end", done.status, 0, done):
        return
    said, log = text(guest, "small.out"), text(guest, "wire/log.txt")
    checks.equal("an interface that is too small for CAN FD is refused, and one that takes it is not", statuses(done), [3, 0],
                 said, text(guest, "wire.out"))
    checks.that("with the command that mends it", "mtu 72" in said, said)
    last = rows_of(guest, "wire")[-1]
    checks.equal("values cross in frames of 64 and 12 bytes",
                 [float(last.get(name, "nan")) for name in ("peer.Long.Middle", "peer.Long.Last", "rig.Short.Level")],
                 [4711, 1000.5, -4711], log)
    checks.that("without a gap", int(last.get("peer.Long.count", 0)) >= 190 and last.get("peer.Long.lost") == "0", last, log)
    checks.equal("the station is asked by the kernel's ISO-TP", text(guest, "asked"), "asked 1902ff\n", log)
    checks.that("and its answer of three frames has come whole", last.get("rig.ECU.faults.state") in ("answered", "2")
                and last.get("rig.ECU.faults.codes") == "3" and last.get("rig.ECU.faults.first_code") == str(0x012345), last, log)


def on_a_link(guest, checks, copy):
    source = guest.source
    files = [guest.write("linked.sh", LINKED), guest.write("car.yaml", linked(source, "Car", "vcan0", "car", "paced")),
             guest.write("dashboard.yaml", linked(source, "Dashboard", "simulated", "dashboard", "follow")),
             source / "config" / "rigs" / "restbus.dbc"]
    libraries = guest.build / "lib"
    if not (libraries / "tactus" / "libtactus-link-silkit.so").exists():
        print("      left out: this build has no link")
        return
    copy = [*copy, *(f"{guest.stripped(file)}:/usr/local/lib/tactus/" for part in ("link-silkit", "command-registry", "command-workflow")
                     for file in [libraries / "tactus" / f"libtactus-{part}.so"]),
            *(f"{guest.stripped(file)}:/usr/local/lib/" for file in sorted(libraries.glob("libtactus-silkit.so.*")))]
    done = guest.run("sh", "linked.sh", tactus=True, files=files, copy=copy, timeout=1200, options=[*MODULES, "--icount", "1"],
                     fetch=["car", "dashboard", "car.out", "dashboard.out", "registry.out", "workflow.out", "linked.seen"])
    if not checks.equal("the guest of the link ran to its end", done.status, 0, done):
        return
    said = [text(guest, name) for name in ("car.out", "dashboard.out", "workflow.out")]
    checks.equal("rig, virtual dashboard and workflow end well", statuses(done), [0, 0, 0], *said)
    car, dashboard = rows_of(guest, "car")[-1], rows_of(guest, "dashboard")[-1]
    checks.that("the car receives what the virtual dashboard shows, without a gap",
                float(car.get("car.DashStatus.Shown", 0)) == 50 and int(car.get("car.DashStatus.count", 0)) >= 70
                and car.get("car.DashStatus.lost") == "0", car, *said)
    checks.that("the virtual dashboard receives the speed of the car, without a gap",
                float(dashboard.get("dashboard.BrakeData.Speed", 0)) == 50
                and int(dashboard.get("dashboard.BrakeData.count", 0)) >= 190
                and dashboard.get("dashboard.BrakeData.lost") == "0", dashboard, *said)
    checks.equal("the link loses nothing", (car.get("link.body.lost"), dashboard.get("link.body.lost")), ("0", "0"))
    peer = seen(guest.work / "linked.seen")
    heard = {id_: peer.get(id_, {}).get("frames", 0) for id_ in (0x100, 0x110, 0x200)}
    checks.that("a station on vcan hears both, each message once",
                390 <= heard[0x100] <= 410 and 195 <= heard[0x110] <= 210 and 70 <= heard[0x200] <= 85, heard, *said)


class Patience:
    """Shows how far a guest is, and ends it when it does not get on."""
    STANDSTILL_S = 180

    def __init__(self):
        self.gave_up = ""

    def watch(self, machine, said):
        began = moved = time.monotonic()
        shown = 0
        while pathlib.Path(f"/proc/{machine}").exists():
            time.sleep(1)
            lines = [line for line in said().splitlines() if line.startswith(("progress", "gave up"))]
            now = time.monotonic()
            if len(lines) > shown:
                moved, shown = now, len(lines)
                print(f"      {lines[-1]}, {now - began:.0f} s of this machine", flush=True)
            elif now - moved > self.STANDSTILL_S:
                last = lines[-1] if lines else "its start"
                self.gave_up = f"nothing came for {self.STANDSTILL_S} s of this machine after: {last}"
                os.kill(machine, signal.SIGKILL)
                return


def for_long(guest, checks, copy, seconds):
    dbc, yaml, cycles = long()
    script = (LONG.replace("WATCHED", str(2000 * seconds)).replace("SECONDS", str(seconds))
              .replace("MOST", str(seconds + 60)))
    files = [guest.write("long.sh", script), guest.write("long.yaml", yaml), guest.write("long.dbc", dbc)]
    patience = Patience()
    done = guest.run("sh", "long.sh", tactus=True, files=files, copy=copy, timeout=300 + 6 * seconds, beside=patience.watch,
                     options=[*MODULES, "--icount", "1"], fetch=["long", "long.out", "long.seen"])
    if not checks.equal("the guest of the long rest bus goes on", patience.gave_up, "", done):
        return
    if not checks.equal("the guest of the long rest bus ran to its end", done.status, 0, done):
        return
    log = text(guest, "long/log.txt")
    checks.equal(f"400 signals for {seconds} s end well", statuses(done), [0], text(guest, "long.out"), log)
    last = rows_of(guest, "long")[-1]
    checks.equal("no queue was full", (last.get("car.bus.queue_full"), last.get("car.bus.overflow")), ("0", "0"), log)
    peer = seen(guest.work / "long.seen")
    few = {hex(id_): peer.get(id_) for id_, cycle in cycles.items()
           if abs(peer.get(id_, {"frames": 0})["frames"] - seconds * 1000 / cycle) > 2}
    checks.equal("each message came as often as its cycle says", few, {}, log)
    gaps = {hex(id_): peer[id_]["gaps"] for id_ in cycles if id_ in peer and peer[id_]["gaps"] > 0}
    checks.equal("no counter has a gap", gaps, {})


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--only", choices=("vcan", "controllers", "wire", "link", "long"))
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    guest = Guest.from_arguments(__doc__, "--can-frames", needs="kernel")
    checks = Checks()
    copy = [f"{guest.options.can_frames}:/tmp/can_frames"]
    if options.only in (None, "vcan"):
        on_vcan(guest, checks, copy)
    if options.only in (None, "controllers"):
        on_controllers(guest, checks, copy)
    if options.only in (None, "wire"):
        on_the_wire(guest, checks, copy)
    if options.only in (None, "link"):
        on_a_link(guest, checks, copy)
    if options.only in (None, "long"):
        for_long(guest, checks, copy, options.seconds)
    checks.finish()


main()
