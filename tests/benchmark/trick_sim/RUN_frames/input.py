# SPDX-License-Identifier: Apache-2.0
"""Frames of the jobs that add_models() has added, over TRICK_SIM_FRAMES frames; the motor stands still."""
import os

trick.exec_set_job_onoff("drive.motor.step", 1, False)
trick.stop(0.001 * (int(os.environ.get("TRICK_SIM_FRAMES", "1000")) + 200))
