// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "config/text.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/thread/float_environment.hpp"

namespace tactus::executive {
namespace {

bool is_name(const char* name) {
  if (name == nullptr || *name == '\0') return false;
  for (const char* c = name; *c != '\0'; ++c) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
    const bool digit = *c >= '0' && *c <= '9';
    if (!letter && !((digit || *c == '.') && c != name)) return false;
  }
  return true;
}

/// Returns true if a number from a library is one of those of its enumeration. Until that is known it must
/// not be read as one.
template <class Enum>
bool is_one_of(const Enum& from_library, Enum first, Enum last) {
  std::underlying_type_t<Enum> number{};
  std::memcpy(&number, &from_library, sizeof number);
  return number >= first && number <= last;
}

/// Returns true if an integer type holds the value of a label. A uint64 takes all 64 bits.
bool fits(tactus_type type, std::int64_t value) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && sizeof(T) < 8 && !std::is_same_v<T, bool>)
      return std::in_range<T>(value);
    return true;
  });
}

const char* or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

/// The functions of tactus_host. They are called from a model's library, perhaps from C: no exception may
/// leave them.
struct ModelInstance::HostCalls {
  /// Does what may be refused; the first refusal is reported.
  template <class Work>
  static int guarded(void* context, Work work) {
    auto& self = *static_cast<ModelInstance*>(context);
    try {
      work(self);
      return 0;
    } catch (const std::exception& error) {
      if (self.refusal_.empty()) self.refusal_ = error.what();
    }
    return 1;
  }

  static ModelServices* services_of(void* context) {
    return static_cast<ModelInstance*>(context)->services_.load(std::memory_order_relaxed);
  }

  static int declare_variable(void* context, const tactus_variable* variable) {
    return guarded(context, [&](ModelInstance& self) {
      constexpr std::size_t kOldest = offsetof(tactus_variable, columns);  // what stands behind it came later
      if (variable == nullptr || variable->size < kOldest || variable->size % alignof(tactus_variable) != 0)
        throw std::runtime_error(
            "a variable was declared with another version of tactus/model.h, or compiled with -fpack-struct");
      tactus_variable known{};
      std::memcpy(&known, variable, std::min<std::size_t>(variable->size, sizeof known));
      self.add(known);
    });
  }

  static int declare_job(void* context, const tactus_job* job) {
    return guarded(context, [&](ModelInstance& self) {
      if (job == nullptr || job->size < sizeof(tactus_job))
        throw std::runtime_error(
            "a job was declared with another version of tactus/model.h, or compiled with -fpack-struct");
      self.add(*job);
    });
  }

  /// A variable that was declared before. Its address stays, but the model has to be declaring itself still.
  static Variable& variable_to_declare(ModelInstance& self, const char* name) {
    if (!self.declaring_) throw std::runtime_error("the model has declared itself already");
    const std::string full = self.name_ + "." + or_empty(name);
    for (Variable& variable : self.variables_)
      if (variable.name == full) return variable;
    throw std::runtime_error("there is no variable '" + std::string(or_empty(name)) +
                             "'; declare it before what is said of it");
  }

  static int declare_integrated(void* context, const char* state, const char* derivative) {
    return guarded(context, [&](ModelInstance& self) {
      const Variable& x = variable_to_declare(self, state);
      const Variable& dx = variable_to_declare(self, derivative);
      const std::string where = "continuous state '" + std::string(state) + "': ";
      if (x.type != TACTUS_DOUBLE || dx.type != TACTUS_DOUBLE)
        throw std::runtime_error(where + "it and its derivative '" + derivative + "' have to be double");
      if (x.elements() != dx.elements())
        throw std::runtime_error(where + "its derivative '" + derivative + "' has another size");
      if (&x == &dx) throw std::runtime_error(where + "it cannot be its own derivative");
      for (const Variable* const end : {&x, &dx})
        if (end->role != TACTUS_STATE && end->role != TACTUS_OUTPUT)
          throw std::runtime_error(where + "'" + end->name + "' is a " + std::string(name_of(end->role)) +
                                   "; a state or an output is needed");
      for (const IntegratedPair& other : self.integrated_)
        if (other.state == &x) throw std::runtime_error(where + "named twice");
      self.integrated_.push_back({&x, &dx});
    });
  }

  static int declare_range(void* context, const char* name, double low, double high) {
    return guarded(context, [&](ModelInstance& self) {
      Variable& variable = variable_to_declare(self, name);
      if (low > high)
        throw std::runtime_error("range of '" + std::string(name) + "': its low end lies above its high end");
      if (!std::isnan(low)) variable.low = low;
      if (!std::isnan(high)) variable.high = high;
    });
  }

  static int declare_fixed(void* context, const char* name, const char* why) {
    return guarded(context, [&](ModelInstance& self) {
      Variable& variable = variable_to_declare(self, name);
      variable.fixed = *or_empty(why) == '\0' ? "cannot be set while the rig runs" : config::one_line(why);
    });
  }

  static int cannot_restart(void* context, const char* why) {
    return guarded(context, [&](ModelInstance& self) {
      if (!self.declaring_) throw std::runtime_error("the model has declared itself already");
      self.restart_refusal_ = *or_empty(why) == '\0' ? "it says so" : config::one_line(why);
    });
  }

  static int call_at(void* context, const char* job, std::int64_t sim_time_ns) {
    const std::string& model = static_cast<ModelInstance*>(context)->name_;
    ModelServices* const services = services_of(context);
    return services != nullptr && services->call_at(model, or_empty(job), sim_time_ns) ? 0 : 1;
  }

  static int command(void* context, tactus_command command, std::int64_t value) {
    ModelServices* const services = services_of(context);
    return services != nullptr && services->command(command, value) ? 0 : 1;
  }

  static void fail(void* context, const char* message) {
    auto& self = *static_cast<ModelInstance*>(context);
    std::strncpy(self.failure_.data(), or_empty(message), self.failure_.size() - 1);
    ModelServices* const services = services_of(context);
    self.failure_frame_ = services == nullptr ? std::nullopt : services->frame_of(self);
  }

  static void set_realtime(void* context, int on) {
    ModelServices* const services = services_of(context);
    if (services != nullptr) services->set_realtime(on != 0);
  }

  static int enable_job(void* context, const char* job, int on) {
    ModelServices* const services = services_of(context);
    return services != nullptr && services->enable_job(or_empty(job), on != 0) ? 0 : 1;
  }
};

ModelInstance::ModelInstance(const tactus_model& model, std::string name, void* self)
    : model_(model), name_(std::move(name)), self_(self) {
  host_ = {.size = sizeof(tactus_host),
           .abi_version = TACTUS_ABI_VERSION,
           .context = this,
           .instance = name_.c_str(),
           .declare_variable = &HostCalls::declare_variable,
           .declare_job = &HostCalls::declare_job,
           .fail = &HostCalls::fail,
           .set_realtime = &HostCalls::set_realtime,
           .enable_job = &HostCalls::enable_job,
           .declare_integrated = &HostCalls::declare_integrated,
           .declare_range = &HostCalls::declare_range,
           .cannot_restart = &HostCalls::cannot_restart,
           .call_at = &HostCalls::call_at,
           .command = &HostCalls::command,
           .declare_fixed = &HostCalls::declare_fixed};
  const auto refused = [this](const char* what) {
    const std::string reason = !refusal_.empty() ? refusal_ : std::string(failure_.data());
    const std::string text = "model '" + std::string(model_.name) + "' " + what +
                             (reason.empty() ? "" : ": " + config::one_line(reason));
    if (created_ && model_.destroy != nullptr) model_.destroy(self_);
    return std::runtime_error(text);
  };
  const rtsync::Doing doing("model '" + name_ + "' was made");
  const rtsync::FloatEnvironmentGuard floating;
  created_ = model_.create != nullptr && self_ == nullptr;
  if (created_ && model_.create(&host_, &self_) != 0) {
    created_ = false;
    throw refused("could not be constructed");
  }
  declaring_ = true;
  const int status = model_.declare(&host_, self_);
  declaring_ = false;
  if (status != 0 || !refusal_.empty()) throw refused("could not declare itself");
}

ModelInstance::~ModelInstance() {
  const rtsync::Doing doing("model '" + name_ + "' was destroyed");
  const rtsync::FloatEnvironmentGuard floating;
  if (created_ && model_.destroy != nullptr) model_.destroy(self_);
}

const Variable* ModelInstance::find_variable(const std::string& name) const {
  const std::string full = name_ + "." + name;
  const auto found = std::ranges::find(variables_, full, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

std::string ModelInstance::take_failure(std::optional<std::int64_t> frame) const {
  const bool is_old = frame && failure_frame_ && *frame != *failure_frame_;
  std::string text = is_old ? "" : config::one_line(failure_.data());
  failure_[0] = '\0';
  return text;
}

void ModelInstance::add(const tactus_variable& variable) {
  if (!is_name(variable.name))
    throw std::runtime_error("variable '" + std::string(or_empty(variable.name)) +
                             "': a name is letters, digits, '_' and '.', and begins with a letter or '_'");
  const std::string where = "variable '" + std::string(variable.name) + "': ";
  if (find_variable(variable.name) != nullptr) throw std::runtime_error(where + "declared twice");
  if (!is_one_of(variable.type, TACTUS_BOOL, TACTUS_DOUBLE))
    throw std::runtime_error(where + "has a type that tactus does not know");
  if (!is_one_of(variable.role, TACTUS_PARAMETER, TACTUS_STATE))
    throw std::runtime_error(
        where + "has a role that tactus does not know; is the library compiled with -fshort-enums?");
  if (variable.data == nullptr) throw std::runtime_error(where + "has no memory");
  if (reinterpret_cast<std::uintptr_t>(variable.data) % size_of(variable.type) != 0)
    throw std::runtime_error(where + "its memory is not aligned for its type");
  Variable made;
  made.name = name_ + "." + variable.name;
  made.role = variable.role;
  made.type = variable.type;
  made.count = variable.count;
  made.columns = static_cast<std::uint32_t>(variable.columns);
  if (variable.columns > variable.count || (made.columns > 0 && made.count % made.columns != 0))
    throw std::runtime_error(where + "its " + std::to_string(made.count) +
                             " elements are not whole rows of " + std::to_string(variable.columns) +
                             " columns");
  made.data = variable.data;
  made.unit_text = or_empty(variable.unit);
  made.about = config::one_line(or_empty(variable.about));
  try {
    made.unit = config::Unit::parse(made.unit_text);
  } catch (const std::exception& error) {
    throw std::runtime_error(where + "unit '" + made.unit_text + "': " + error.what());
  }
  for (std::uint32_t i = 0; i < variable.label_count; ++i)
    made.labels.push_back({or_empty(variable.labels[i].name), variable.labels[i].value});
  if (!made.labels.empty() && (is_real(made.type) || made.type == TACTUS_BOOL))
    throw std::runtime_error(where + "only integers have labels");
  for (const VariableLabel& label : made.labels)
    if (!fits(made.type, label.value))
      throw std::runtime_error(where + "label '" + label.name + "' = " + std::to_string(label.value) +
                               " does not fit into " + std::string(name_of(made.type)));
  variables_.push_back(std::move(made));
}

void ModelInstance::add(const tactus_job& job) {
  if (!is_name(job.name))
    throw std::runtime_error("job '" + std::string(or_empty(job.name)) +
                             "': a name is letters, digits, '_' and '.', and begins with a letter or '_'");
  const std::string where = "job '" + std::string(job.name) + "': ";
  if (std::ranges::any_of(jobs_, [&](const DeclaredJob& other) { return other.name == job.name; }))
    throw std::runtime_error(where + "declared twice");
  if (!is_one_of(job.job_class, TACTUS_DEFAULT_DATA, TACTUS_SHUTDOWN) || name_of(job.job_class).empty())
    throw std::runtime_error(where + "has a class that tactus does not know");
  if (job.run == nullptr) throw std::runtime_error(where + "has no function");
  if (job.phase > 65535)
    throw std::runtime_error(where + "phase " + std::to_string(job.phase) + " is outside 0 .. 65535");
  if (job.job_class == TACTUS_ON_EVENT && job.cycle_num != 0)
    throw std::runtime_error(
        where + "a job of class on_event is called when an action asks for it, so it has no cycle");
  if (job.cycle_num == TACTUS_DYNAMIC) {
    if (!is_cyclic(job.job_class) && job.job_class != TACTUS_FREEZE_AUTOMATIC)
      throw std::runtime_error(where + "class " + std::string(name_of(job.job_class)) +
                               " has no times of its own; only cyclic classes and freeze_automatic can be "
                               "dynamic");
    jobs_.push_back({job.name, job.job_class, job.phase, job.run, {}, true});
    return;
  }
  if (job.job_class == TACTUS_FREEZE_AUTOMATIC)
    throw std::runtime_error(
        where + "a job of class freeze_automatic chooses its own times: its cycle is TACTUS_DYNAMIC");
  if (job.cycle_num < 0 || job.cycle_den < 1)
    throw std::runtime_error(where + "its cycle is not a fraction num/den with num >= 0 and den > 0");
  if (job.cycle_num > 0 && job.cycle_num < job.cycle_den)
    throw std::runtime_error(where + "its cycle is shorter than 1 ns");
  if (job.cycle_num > 0 && !is_cyclic(job.job_class) && job.job_class != TACTUS_FREEZE_SCHEDULED)
    throw std::runtime_error(where + "class " + std::string(name_of(job.job_class)) +
                             " has no cycle; declare the job without one, or in a cyclic class such as "
                             "logging");
  jobs_.push_back(
      {job.name, job.job_class, job.phase, job.run, rtsync::Period{job.cycle_num, job.cycle_den}, false});
}

}  // namespace tactus::executive
