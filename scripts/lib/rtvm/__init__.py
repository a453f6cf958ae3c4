"""What scripts/rtvm is made of: a kernel from Debian, a root file system for one run, and QEMU around them."""
