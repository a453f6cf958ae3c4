// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/model_declaration.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace tactus::executive {
namespace {

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof bytes);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  void put_count(std::size_t count) { put(static_cast<std::uint32_t>(count)); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class DeclarationReader {
 public:
  explicit DeclarationReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof value);
    return value;
  }
  std::string get_text() { return std::string(take(get<std::uint32_t>())); }
  /// Each of them has a byte at least.
  std::size_t get_count() {
    const std::size_t count = get<std::uint32_t>();
    if (count > rest_.size()) broken();
    return count;
  }
  bool empty() const { return rest_.empty(); }
  [[noreturn]] static void broken() {
    throw std::runtime_error("its process sent a declaration that cannot be read");
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) broken();
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::string_view rest_;
};

double or_none(const std::optional<double>& bound) {
  return bound.value_or(std::numeric_limits<double>::quiet_NaN());
}

ModelDeclaration::Variable read_variable(DeclarationReader& in) {
  ModelDeclaration::Variable variable{.name = in.get_text()};
  const auto role = in.get<std::uint32_t>();
  const auto type = in.get<std::uint32_t>();
  if (role < TACTUS_PARAMETER || role > TACTUS_STATE || type < TACTUS_BOOL || type > TACTUS_DOUBLE)
    DeclarationReader::broken();
  variable.role = static_cast<tactus_role>(role);
  variable.type = static_cast<tactus_type>(type);
  variable.count = in.get<std::uint32_t>();
  variable.columns = in.get<std::uint32_t>();
  variable.unit = in.get_text();
  variable.about = in.get_text();
  for (std::size_t i = in.get_count(); i > 0; --i) {
    std::string name = in.get_text();
    variable.labels.push_back({std::move(name), in.get<std::int64_t>()});
  }
  variable.low = in.get<double>();
  variable.high = in.get<double>();
  variable.fixed = in.get_text();
  return variable;
}

/// The variables lie in their order, each aligned for its type.
void place(ModelDeclaration& model) {
  for (ModelDeclaration::Variable& variable : model.variables) {
    const std::size_t size = size_of(variable.type);
    variable.bytes = size * std::max<std::size_t>(variable.count, 1);
    variable.offset = (model.bytes + size - 1) / size * size;
    model.bytes = variable.offset + variable.bytes;
    if (model.bytes > ModelDeclaration::kMostBytes)
      throw std::runtime_error("its variables take more than 1 GiB; a model of that size cannot be isolated");
  }
  model.bytes = (model.bytes + 63) / 64 * 64;
}

}  // namespace

std::string encode(const ModelInstance& model) {
  Writer out;
  const std::size_t prefix = model.name().size() + 1;
  const auto name_of = [&](const Variable& variable) { return variable.name.substr(prefix); };
  out.put_count(model.variables().size());
  for (const Variable& variable : model.variables()) {
    out.put_text(name_of(variable));
    out.put(static_cast<std::uint32_t>(variable.role));
    out.put(static_cast<std::uint32_t>(variable.type));
    out.put(variable.count);
    out.put(variable.columns);
    out.put_text(variable.unit_text);
    out.put_text(variable.about);
    out.put_count(variable.labels.size());
    for (const VariableLabel& label : variable.labels) {
      out.put_text(label.name);
      out.put(label.value);
    }
    out.put(or_none(variable.low));
    out.put(or_none(variable.high));
    out.put_text(variable.fixed);
  }
  out.put_count(model.jobs().size());
  for (const DeclaredJob& job : model.jobs()) {
    out.put_text(job.name);
    out.put(static_cast<std::uint32_t>(job.job_class));
    out.put(static_cast<std::uint32_t>(job.phase));
    out.put(job.dynamic ? std::int64_t{TACTUS_DYNAMIC} : job.cycle.num());
    out.put(job.dynamic ? std::int64_t{1} : job.cycle.den());
  }
  out.put_count(model.integrated().size());
  for (const IntegratedPair& pair : model.integrated()) {
    out.put_text(name_of(*pair.state));
    out.put_text(name_of(*pair.derivative));
  }
  out.put_text(model.restart_refusal());
  return out.take();
}

ModelDeclaration decode(std::string_view bytes) {
  DeclarationReader in(bytes);
  ModelDeclaration model;
  for (std::size_t i = in.get_count(); i > 0; --i) model.variables.push_back(read_variable(in));
  for (std::size_t i = in.get_count(); i > 0; --i) {
    ModelDeclaration::Job job{.name = in.get_text(),
                              .job_class = in.get<std::uint32_t>(),
                              .phase = in.get<std::uint32_t>(),
                              .cycle_num = in.get<std::int64_t>(),
                              .cycle_den = in.get<std::int64_t>()};
    model.jobs.push_back(std::move(job));
  }
  for (std::size_t i = in.get_count(); i > 0; --i) {
    std::string state = in.get_text();
    model.integrated.emplace_back(std::move(state), in.get_text());
  }
  model.restart_refusal = in.get_text();
  if (!in.empty()) DeclarationReader::broken();
  place(model);
  return model;
}

}  // namespace tactus::executive
