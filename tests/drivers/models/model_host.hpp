// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A host for models without tactus: loads a plug-in through the C ABI, collects its variables and jobs, and
/// calls the jobs by hand (`Instance`) or on a schedule (`SmallRig`). Time is an argument; nothing sleeps.
///
/// Units    those the model declared; times in nanoseconds of sim time.
/// Throws   std::runtime_error with the reason when a model, variable or job is missing or a job fails.
#include <dlfcn.h>
#include <tactus/model.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace model_host {

/// A loaded plug-in; never unloaded, so that an instance may outlive it.
class Library {
 public:
  explicit Library(const std::string& name) {
    const std::string file = std::string(TACTUS_PLUGIN_DIR) + "/lib" + name + ".so";
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(::dlerror());
    void* symbol = ::dlsym(handle, "tactus_models");
    if (symbol == nullptr) throw std::runtime_error(file + ": no tactus_models");
    tactus_models_function list = nullptr;
    std::memcpy(&list, &symbol, sizeof(list));
    std::uint32_t count = 0;
    const tactus_model* const* models = list(&count);
    models_.assign(models, models + count);
  }

  const std::vector<const tactus_model*>& models() const { return models_; }

  const tactus_model& model(const std::string& name) const {
    for (const tactus_model* m : models_) {
      if (m->name == name) return *m;
    }
    throw std::runtime_error("no model '" + name + "'");
  }

 private:
  std::vector<const tactus_model*> models_;
};

struct Variable {
  std::string name;
  tactus_role role;
  tactus_type type;
  std::uint32_t count;
  void* data;
  std::string unit, about;
  std::vector<std::pair<std::string, std::int64_t>> labels;
  std::optional<double> low{}, high{};  ///< its declared range

  std::size_t size() const {
    switch (type) {
      case TACTUS_BOOL:
      case TACTUS_INT8:
      case TACTUS_UINT8:
        return 1;
      case TACTUS_INT16:
      case TACTUS_UINT16:
        return 2;
      case TACTUS_INT32:
      case TACTUS_UINT32:
      case TACTUS_FLOAT:
        return 4;
      default:
        return 8;
    }
  }
  std::size_t bytes() const { return size() * std::max(1U, count); }
};

struct Job {
  std::string name;
  tactus_job_class job_class;
  std::uint32_t phase;
  tactus_job_function run;
  std::int64_t cycle_ns;  // 0: once every frame, or whenever it says so itself

  /// Called while frames run, freezes left out.
  bool in_frames() const { return job_class >= TACTUS_TOP_OF_FRAME && job_class <= TACTUS_END_OF_FRAME; }
};

/// One model, constructed and declared, as a rig would hold it before its initialization jobs.
class Instance {
 public:
  Instance(const std::string& library, const std::string& model, std::string name = "it")
      : model_(Library(library).model(model)), name_(std::move(name)) {
    host_.size = sizeof(tactus_host);
    host_.abi_version = TACTUS_ABI_VERSION;
    host_.context = this;
    host_.instance = name_.c_str();
    host_.declare_variable = &Instance::on_variable;
    host_.declare_job = &Instance::on_job;
    host_.fail = &Instance::on_fail;
    host_.set_realtime = [](void*, int) {};
    host_.enable_job = [](void*, const char*, int) { return 0; };
    host_.declare_integrated = [](void*, const char*, const char*) { return 0; };
    host_.declare_range = [](void* context, const char* ranged, double low, double high) {
      auto& variables = static_cast<Instance*>(context)->variables_;
      const auto found = std::find_if(variables.begin(), variables.end(),
                                      [&](const Variable& variable) { return variable.name == ranged; });
      if (found == variables.end()) return 1;
      found->low = low;
      found->high = high;
      return 0;
    };
    host_.cannot_restart = [](void* context, const char* why) {
      static_cast<Instance*>(context)->restart_refusal_ = why;
      return 0;
    };
    host_.call_at = [](void*, const char*, std::int64_t) { return 0; };
    host_.command = [](void*, tactus_command, std::int64_t) { return 0; };
    if (model_.create(&host_, &self_) != 0) throw std::runtime_error("create: " + failure_);
    if (model_.declare(&host_, self_) != 0) throw std::runtime_error("declare: " + failure_);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { model_.destroy(self_); }

  const std::string& name() const { return name_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  const std::string& failure() const { return failure_; }
  /// Why it can neither be reset nor continued from a checkpoint; empty: it can.
  const std::string& restart_refusal() const { return restart_refusal_; }

  const Variable& variable(const std::string& name) const {
    for (const Variable& v : variables_) {
      if (v.name == name) return v;
    }
    throw std::runtime_error(name_ + ": no variable '" + name + "'");
  }
  const Job& job(const std::string& name) const {
    for (const Job& j : jobs_) {
      if (j.name == name) return j;
    }
    throw std::runtime_error(name_ + ": no job '" + name + "'");
  }

  double get(const std::string& name, std::size_t index = 0) const { return read(variable(name), index); }

  Instance& set(const std::string& name, double value, std::size_t index = 0) {
    write(variable(name), value, index);
    return *this;
  }
  /// By the label of an enumeration.
  Instance& set(const std::string& name, const std::string& label) {
    const Variable& v = variable(name);
    for (const auto& [text, value] : v.labels) {
      if (text == label) {
        write(v, static_cast<double>(value), 0);
        return *this;
      }
    }
    throw std::runtime_error(name + ": no label '" + label + "'");
  }

  /// What the job returned; 0 is good.
  int try_call(const std::string& job_name, std::int64_t time_ns = 0, double dt = 0,
               std::int64_t frame = -1) {
    failure_.clear();
    const tactus_call call{time_ns, frame, dt};
    return job(job_name).run(self_, &call);
  }
  void call(const std::string& job_name, std::int64_t time_ns = 0, double dt = 0, std::int64_t frame = -1) {
    if (try_call(job_name, time_ns, dt, frame) != 0) {
      throw std::runtime_error(name_ + "." + job_name + ": " + failure_);
    }
  }
  void initialize() { call_class(TACTUS_INITIALIZATION); }
  /// All jobs of a class, by phase.
  void call_class(tactus_job_class job_class, std::int64_t time_ns = 0) {
    std::vector<const Job*> jobs;
    for (const Job& j : jobs_)
      if (j.job_class == job_class) jobs.push_back(&j);
    std::stable_sort(jobs.begin(), jobs.end(), [](auto a, auto b) { return a->phase < b->phase; });
    for (const Job* j : jobs) call(j->name, time_ns);
  }

  /// What a checkpoint holds of it, taken as tactus takes it.
  std::vector<unsigned char> save(std::int64_t time_ns = 0) {
    call_class(TACTUS_CHECKPOINT, time_ns);
    std::vector<unsigned char> bytes = bits();
    call_class(TACTUS_POST_CHECKPOINT, time_ns);
    return bytes;
  }
  void load(const std::vector<unsigned char>& bytes, std::int64_t time_ns = 0) {
    call_class(TACTUS_PRELOAD_CHECKPOINT, time_ns);
    std::size_t at = 0;
    for (const Variable& v : variables_) {
      std::memcpy(v.data, bytes.data() + at, v.bytes());
      at += v.bytes();
    }
    call_class(TACTUS_RESTART, time_ns);
  }
  /// All variables, in the order of declaration.
  std::vector<unsigned char> bits() const {
    std::vector<unsigned char> all;
    for (const Variable& v : variables_) {
      const auto* const from = static_cast<const unsigned char*>(v.data);
      all.insert(all.end(), from, from + v.bytes());
    }
    return all;
  }

  void* self() const { return self_; }

  template <class T>
  static T load(const void* data) {
    T value;
    std::memcpy(&value, data, sizeof(value));
    return value;
  }
  static double read(const Variable& v, std::size_t index) {
    const char* at = static_cast<const char*>(v.data) + index * v.size();
    switch (v.type) {
      case TACTUS_BOOL:
      case TACTUS_UINT8:
        return load<std::uint8_t>(at);
      case TACTUS_INT32:
        return load<std::int32_t>(at);
      case TACTUS_INT64:
        return static_cast<double>(load<std::int64_t>(at));
      case TACTUS_DOUBLE:
        return load<double>(at);
      default:
        throw std::runtime_error(v.name + ": a type this host does not know");
    }
  }
  static void write(const Variable& v, double value, std::size_t index) {
    char* at = static_cast<char*>(v.data) + index * v.size();
    const auto store = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
    switch (v.type) {
      case TACTUS_BOOL:
      case TACTUS_UINT8:
        return store(static_cast<std::uint8_t>(value));
      case TACTUS_INT32:
        return store(static_cast<std::int32_t>(value));
      case TACTUS_INT64:
        return store(static_cast<std::int64_t>(value));
      case TACTUS_DOUBLE:
        return store(value);
      default:
        throw std::runtime_error(v.name + ": a type this host does not know");
    }
  }

 private:
  static int on_variable(void* context, const tactus_variable* v) {
    Variable copy{v->name, v->role, v->type, v->count, v->data, v->unit, v->about == nullptr ? "" : v->about,
                  {}};
    for (std::uint32_t i = 0; i < v->label_count; ++i) {
      copy.labels.emplace_back(v->labels[i].name, v->labels[i].value);
    }
    static_cast<Instance*>(context)->variables_.push_back(std::move(copy));
    return 0;
  }
  static int on_job(void* context, const tactus_job* j) {
    static_cast<Instance*>(context)->jobs_.push_back(
        {j->name, j->job_class, j->phase, j->run,
         j->cycle_num == TACTUS_DYNAMIC ? 0 : j->cycle_num / j->cycle_den});
    return 0;
  }
  static void on_fail(void* context, const char* message) {
    static_cast<Instance*>(context)->failure_ = message;
  }

  const tactus_model model_;
  std::string name_;
  tactus_host host_{};
  void* self_ = nullptr;
  std::vector<Variable> variables_;
  std::vector<Job> jobs_;
  std::string failure_;
  std::string restart_refusal_;
};

/// Several instances on one schedule, with the order and the connections of tactus: at one instant by (class,
/// phase, declaration); direct connections are copied right before each job of the receiver, delayed ones
/// deliver the value from before the instant.
class SmallRig {
 public:
  explicit SmallRig(std::int64_t frame_ns) : frame_ns_(frame_ns) {}

  Instance& add(const std::string& library, const std::string& model, const std::string& name) {
    models_.push_back(std::make_unique<Instance>(library, model, name));
    return *models_.back();
  }

  void connect(const std::string& from, const std::string& to, bool delayed = false) {
    const auto [source, from_name] = find(from);
    const auto [target, to_name] = find(to);
    const Variable& a = source->variable(from_name);
    const Variable& b = target->variable(to_name);
    if (a.type != b.type || a.count != b.count || a.unit != b.unit) {
      throw std::runtime_error(from + " -> " + to + ": type or unit differ");
    }
    if (a.role != TACTUS_OUTPUT || b.role != TACTUS_INPUT)
      throw std::runtime_error(from + " -> " + to + ": role");
    wires_.push_back({&a, &b, target, delayed, {}});
  }

  Instance& instance(const std::string& name) { return *find(name + ".").first; }

  double get(const std::string& name) const {
    const auto [instance, variable] = find(name);
    return instance->get(variable);
  }

  void initialize() {
    for (const auto& m : models_) {
      m->initialize();
      for (const Job& j : m->jobs()) {
        if (!j.in_frames()) continue;
        due_.push_back({m.get(), &j, j.cycle_ns == 0 ? frame_ns_ : j.cycle_ns});
      }
    }
    std::stable_sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
      return std::tuple(a.job->job_class, a.job->phase) < std::tuple(b.job->job_class, b.job->phase);
    });
    for (const Due& d : due_) tick_ns_ = std::gcd(tick_ns_, d.cycle_ns);
  }

  /// Runs every instant before `until_ns`; `after(time_ns)` is called when each is complete.
  template <class After>
  void run(std::int64_t until_ns, After after) {
    for (; now_ns_ < until_ns; now_ns_ += tick_ns_) {
      for (Wire& w : wires_) {
        if (w.delayed) std::memcpy(w.before, w.from->data, w.from->size());
      }
      for (const Due& d : due_) {
        if (now_ns_ % d.cycle_ns != 0) continue;
        for (const Wire& w : wires_) {
          if (w.target != d.instance) continue;
          std::memcpy(w.to->data, w.delayed ? static_cast<const void*>(w.before) : w.from->data,
                      w.to->size());
        }
        const tactus_call call{now_ns_, now_ns_ / frame_ns_, 1e-9 * static_cast<double>(d.cycle_ns)};
        if (d.job->run(d.instance->self(), &call) != 0) {
          throw std::runtime_error(d.instance->name() + ": " + d.instance->failure());
        }
      }
      after(now_ns_);
    }
  }

 private:
  struct Wire {
    const Variable* from;
    const Variable* to;
    Instance* target;
    bool delayed;
    unsigned char before[8];
  };
  struct Due {
    Instance* instance;
    const Job* job;
    std::int64_t cycle_ns;
  };

  std::pair<Instance*, std::string> find(const std::string& path) const {
    const std::size_t dot = path.find('.');
    for (const auto& m : models_) {
      if (m->name() == path.substr(0, dot)) return {m.get(), path.substr(dot + 1)};
    }
    throw std::runtime_error(path + ": no such model");
  }

  std::int64_t frame_ns_, tick_ns_ = 0, now_ns_ = 0;
  std::vector<std::unique_ptr<Instance>> models_;
  std::vector<Wire> wires_;
  std::vector<Due> due_;
};

}  // namespace model_host
