# SPDX-License-Identifier: Apache-2.0
target_link_libraries(link_port_test PRIVATE heap_interposer)
