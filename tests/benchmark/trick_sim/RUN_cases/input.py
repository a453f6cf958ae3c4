# SPDX-License-Identifier: Apache-2.0
"""Cases of 10 ms: TRICK_SIM_CASES of them by Trick's Monte Carlo on TRICK_SIM_SLAVES slaves here; without, one alone."""
import os

cases = int(os.environ.get("TRICK_SIM_CASES", "0"))
if cases > 0:
    trick.mc_set_enabled(1)
    trick.mc_set_num_runs(cases)
    inertia = trick.MonteVarRandom("drive.motor.inertia", trick.MonteVarRandom.FLAT)
    inertia.set_seed(1)
    inertia.set_min(0.00001)
    inertia.set_max(0.000016)
    trick_mc.mc.add_variable(inertia)
    for _ in range(int(os.environ.get("TRICK_SIM_SLAVES", "1"))):
        trick.mc_add_slave("localhost")
trick.stop(0.01)
