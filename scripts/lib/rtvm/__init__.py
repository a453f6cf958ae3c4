# SPDX-License-Identifier: Apache-2.0
"""What scripts/rtvm is made of: a kernel from Debian, a root file system for one run, and QEMU around them."""
