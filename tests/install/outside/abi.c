/* SPDX-License-Identifier: Apache-2.0 */
/* What a program or a model that was built long ago relies on (docs/packages.md): where fields lie, on a 64-bit machine.
 * Fields may be added behind the last one. */
#include <stddef.h>
#include <tactus/model.h>
#include <tactus/open_simulation.h>

#define LIES_AT(type, field, offset) \
  _Static_assert(sizeof(void*) != 8 || offsetof(type, field) == (offset), #type "." #field " has moved")
#define IS(name, number) _Static_assert((name) == (number), #name " has another number")

_Static_assert(TACTUS_ABI_VERSION == 1, "another version of the model ABI: have new rows here");
LIES_AT(tactus_label, value, 8);
_Static_assert(sizeof(void*) != 8 || sizeof(tactus_label) == 16, "tactus_label is an element of an array");
LIES_AT(tactus_variable, role, 4);
LIES_AT(tactus_variable, type, 8);
LIES_AT(tactus_variable, count, 12);
LIES_AT(tactus_variable, data, 16);
LIES_AT(tactus_variable, name, 24);
LIES_AT(tactus_variable, unit, 32);
LIES_AT(tactus_variable, about, 40);
LIES_AT(tactus_variable, labels, 48);
LIES_AT(tactus_variable, label_count, 56);
LIES_AT(tactus_variable, columns, 64);
LIES_AT(tactus_call, sim_time_ns, 0);
LIES_AT(tactus_call, frame, 8);
LIES_AT(tactus_call, dt, 16);
LIES_AT(tactus_job, name, 8);
LIES_AT(tactus_job, job_class, 16);
LIES_AT(tactus_job, phase, 20);
LIES_AT(tactus_job, run, 24);
LIES_AT(tactus_job, cycle_num, 32);
LIES_AT(tactus_job, cycle_den, 40);
LIES_AT(tactus_host, abi_version, 4);
LIES_AT(tactus_host, context, 8);
LIES_AT(tactus_host, instance, 16);
LIES_AT(tactus_host, declare_variable, 24);
LIES_AT(tactus_host, declare_job, 32);
LIES_AT(tactus_host, fail, 40);
LIES_AT(tactus_host, set_realtime, 48);
LIES_AT(tactus_host, enable_job, 56);
LIES_AT(tactus_host, declare_integrated, 64);
LIES_AT(tactus_host, declare_range, 72);
LIES_AT(tactus_host, cannot_restart, 80);
LIES_AT(tactus_host, call_at, 88);
LIES_AT(tactus_host, command, 96);
LIES_AT(tactus_host, declare_fixed, 104);
LIES_AT(tactus_model, abi_version, 0);
LIES_AT(tactus_model, size, 4);
LIES_AT(tactus_model, name, 8);
LIES_AT(tactus_model, about, 16);
LIES_AT(tactus_model, create, 24);
LIES_AT(tactus_model, declare, 32);
LIES_AT(tactus_model, destroy, 40);
IS(TACTUS_BOOL, 1);
IS(TACTUS_INT64, 8);
IS(TACTUS_DOUBLE, 11);

LIES_AT(tactus_simulation_options, no_realtime, 4);
LIES_AT(tactus_simulation_options, out, 8);
LIES_AT(tactus_simulation_options, until, 16);
LIES_AT(tactus_simulation_options, set, 24);
LIES_AT(tactus_simulation_options, set_count, 32);
LIES_AT(tactus_simulation_options, log, 40);
LIES_AT(tactus_simulation_options, context, 48);
LIES_AT(tactus_simulation_options, drive_outputs, 56);
LIES_AT(tactus_episode_item, entity, 8);
LIES_AT(tactus_episode_item, descriptor, 16);
LIES_AT(tactus_episode_item, date, 24);
LIES_AT(tactus_episode_item, type, 32);
LIES_AT(tactus_episode_item, count, 36);
LIES_AT(tactus_episode_item, values, 40);
LIES_AT(tactus_episode_item, filled, 48);
IS(TACTUS_OK, 0);
IS(TACTUS_ERROR_EPISODE, 4);
IS(TACTUS_ENDED, 5);
IS(TACTUS_ERROR_INTERNAL, 6);
