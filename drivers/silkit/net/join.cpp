// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asio/post.hpp>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "drivers/silkit/net/io_loop.hpp"
#include "drivers/silkit/net/mesh_parts.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::silkit {
namespace {

constexpr std::chrono::milliseconds kShortestPause{100};  // between rounds of trying the registry
constexpr std::chrono::milliseconds kLongestPause{500};
constexpr std::size_t kMostAddresses = 16;  // of one participant

std::string with_comma(const std::string& list, const std::string& item) {
  return list.empty() || item.empty() ? list + item : list + ", " + item;
}

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace

void Mesh::Impl::join() {
  if (acceptor_ || leaving_) throw Refusal(Code::logic, "a participant joins once");
  check_settings();
  open_acceptors();
  try {
    run_io();
    introduce();
    std::vector<PeerInfo> known;
    {
      const std::lock_guard lock(joining_.mutex);
      if (joining_.known) known = std::move(joining_.known->peers);
    }
    meet(known);
  } catch (...) {
    leave();
    throw;
  }
}

void Mesh::Impl::check_settings() {
  try {
    registry_ = parse_registry_uri(settings_.registry_uri);
  } catch (const std::invalid_argument& failure) {
    throw Refusal(Code::configuration, failure.what());
  }
  if (settings_.connect_attempts < 1)
    throw Refusal(Code::configuration,
                  "connect attempts: " + std::to_string(settings_.connect_attempts) + " is less than 1");
  if (settings_.connect_timeout < std::chrono::milliseconds(100))
    throw Refusal(Code::configuration,
                  "connect timeout: " + rtsync::duration_text(settings_.connect_timeout.count()) +
                      " is less than 100 ms");
}

/// Loopback, and a domain socket.
std::vector<Listener> Mesh::Impl::default_listeners() {
  std::vector<Listener> listeners;
  if (settings_.domain_sockets) {
    const Engine& engine = owner_.engine();
    const auto path = socket_path(engine.name(), engine.id(), settings_.registry_uri, working_folder());
    const Uri local{.scheme = Uri::Scheme::local, .path = path.string()};
    try {
      listeners.emplace_back(local, settings_.sockets);
    } catch (const std::exception& failure) {
      journal_.say(LogSink::Level::info, std::string("no domain socket, TCP only: ") + failure.what());
    }
  }
  bool accepts = false;
  std::string why;
  for (const char* const host : {"127.0.0.1", "::1"}) {  // a machine may speak one of the two alone
    try {
      listeners.emplace_back(Uri{.scheme = Uri::Scheme::tcp, .host = host}, settings_.sockets);
      accepts = true;
    } catch (const std::exception& failure) {
      if (why.empty()) why = failure.what();
    }
  }
  if (!accepts) throw Refusal(Code::unspecified, "cannot accept other participants: " + why);
  return listeners;
}

/// Listens at all addresses of each host, domain sockets first. A failure is logged; one success is enough.
std::vector<Listener> Mesh::Impl::listeners_of_settings() {
  std::vector<Uri> uris;
  try {
    for (const std::string& text : settings_.acceptors) uris.push_back(parse_uri(text));
  } catch (const std::invalid_argument& failure) {
    throw Refusal(Code::configuration, std::string("Middleware.AcceptorUris: ") + failure.what());
  }
  const auto is_local = [](const Uri& uri) { return uri.scheme == Uri::Scheme::local; };
  std::stable_partition(uris.begin(), uris.end(), is_local);
  std::vector<Listener> listeners;
  std::string failures;
  for (Uri& uri : uris) {
    try {
      if (is_local(uri)) {
        if (!settings_.domain_sockets) throw std::runtime_error("Middleware.EnableDomainSockets is false");
        listeners.emplace_back(uri, settings_.sockets);
        continue;
      }
      uri.scheme = Uri::Scheme::tcp;  // silkit:// stands for a host and a port, as with SIL Kit
      uri.simulation.clear();
      for (const Address& address : addresses_of(uri)) {
        try {
          listeners.emplace_back(parse_uri(address.text), settings_.sockets);
        } catch (const std::exception& failure) {
          failures = with_comma(failures, failure.what());
        }
      }
    } catch (const std::exception& failure) {
      failures = with_comma(failures, uri.text() + ": " + failure.what());
    }
  }
  if (listeners.empty()) throw Refusal(Code::unspecified, "cannot accept other participants: " + failures);
  if (!failures.empty())
    journal_.say(LogSink::Level::warn, "Middleware.AcceptorUris: no peer can connect there: " + failures);
  return listeners;
}

void Mesh::Impl::open_acceptors() {
  std::vector<Listener> listeners =
      settings_.acceptors.empty() ? default_listeners() : listeners_of_settings();
  acceptor_.emplace(
      io_,
      ConnectionAcceptor::Settings{
          .timeout = settings_.connect_timeout, .most_unidentified = 256, .options = settings_.sockets},
      [this](Descriptor socket) { return enter(std::move(socket)); },
      [this](Stream& stream, const std::string& why) { ended(static_cast<StreamLink&>(stream), why); },
      [this](const std::string& text) { complain(text); });
  acceptors_.clear();
  for (Listener& listener : listeners) {
    acceptors_.push_back(listener.uri().text());
    if (!listener.uri().is_loopback())
      journal_.say(LogSink::Level::warn,
                   acceptors_.back() +
                       " can be reached from other machines without a password: the protocol has none");
    acceptor_->listen(std::move(listener));
  }
}

void Mesh::Impl::run_io() {
  thread_.emplace(settings_.io_thread, [this] {
    io_thread_id_.store(std::this_thread::get_id());
    try {
      run_io_loop(io_, this);
    } catch (const std::exception& failure) {
      fail_join(failure.what());
      io_thread_id_.store({});
      throw;
    }
    io_thread_id_.store({});  // a later thread may get the same one
  });
  for (const rtsync::Provision& provision : thread_->provisions())
    if (!provision.granted)
      journal_.say(LogSink::Level::warn, "the I/O thread: " + rtsync::sentence(provision));
}

Descriptor Mesh::Impl::reach_registry() {
  std::vector<Address> addresses;
  std::string tried;
  Uri own = registry_;
  own.simulation.clear();
  if (settings_.domain_sockets) {
    const auto path = socket_path(kRegistryName, 0, own.text(), working_folder());
    const Uri local{.scheme = Uri::Scheme::local, .path = path.string()};
    std::error_code error;
    if (std::filesystem::exists(local.path, error)) addresses = addresses_of(local);
  }
  Uri tcp = registry_;
  tcp.scheme = Uri::Scheme::tcp;
  for (int attempt = 1;; ++attempt) {
    std::vector<Address> all = addresses;
    try {
      for (Address& address : addresses_of(tcp)) all.push_back(std::move(address));
      tried.clear();
    } catch (const std::exception& failure) {
      tried = failure.what();
    }
    Descriptor socket;
    const std::string vain =
        dial({all}, settings_.connect_timeout, settings_.sockets, [&](std::size_t, Descriptor got) {
          socket = std::move(got);
        }).front();
    if (socket.get() >= 0) return socket;
    if (!all.empty()) tried = with_comma(vain, tried);
    if (attempt >= settings_.connect_attempts) break;
    std::this_thread::sleep_for(std::min(kLongestPause, kShortestPause * attempt));
  }
  throw Refusal(Code::unspecified, "the registry at " + settings_.registry_uri + " cannot be reached, in " +
                                       std::to_string(settings_.connect_attempts) +
                                       (settings_.connect_attempts == 1 ? " attempt (" : " attempts (") +
                                       tried + "); is it running there? To start one: tactus registry -u " +
                                       own.text());
}

/// Returns whether `ready` came true in time. Throws what has failed meanwhile.
template <class Ready>
bool Mesh::Impl::wait_for_others(Clock::time_point until, Ready ready) {
  std::unique_lock lock(joining_.mutex);
  const bool in_time = joining_.changed.wait_until(lock, until, [&] { return joining_.failure || ready(); });
  if (joining_.failure) throw Refusal(Code::protocol, *joining_.failure);
  return in_time;
}

void Mesh::Impl::introduce() {
  asio::post(io_, [this, socket = reach_registry()]() mutable {
    auto link = std::make_shared<StreamLink>(*this, std::move(socket), Link::Phase::greeted);
    link->registry = true;
    link->peer = kRegistryPeer;
    link->name = kRegistryName;
    greet(link, nullptr);
  });
  if (!wait_for_others(Clock::now() + settings_.connect_timeout, [this] { return joining_.introduced; }))
    throw Refusal(Code::protocol, "the registry at " + settings_.registry_uri +
                                      " accepted the connection, but did not answer for " +
                                      rtsync::duration_text(settings_.connect_timeout.count()) +
                                      "; check that it is a registry");
}

/// Returns the addresses in the order to try them. On another host an address may be one of this
/// participant's own.
std::vector<Uri> Mesh::Impl::ways_to(const PeerInfo& info) const {
  std::vector<Uri> uris = in_connect_order(info.acceptors);
  std::erase_if(uris, [this](const Uri& uri) {
    return (uri.scheme == Uri::Scheme::local && !settings_.domain_sockets) ||
           std::ranges::find(acceptors_, uri.text()) != acceptors_.end();
  });
  return uris;
}

void Mesh::Impl::meet(const std::vector<PeerInfo>& known) {
  std::vector<std::vector<Address>> places(known.size());
  std::vector<std::string> unknown(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (const Uri& uri : ways_to(known[i])) {
      if (places[i].size() >= kMostAddresses) break;  // each may cost the whole time-out
      try {
        for (Address& address : addresses_of(uri)) places[i].push_back(std::move(address));
      } catch (const std::exception& failure) {
        unknown[i] = with_comma(unknown[i], failure.what());
      }
    }
  }
  {
    const std::lock_guard lock(joining_.mutex);
    for (const PeerInfo& info : known) joining_.unreached.insert(info.name);
  }
  (void)dial(
      places, settings_.connect_timeout, settings_.sockets,
      [&](std::size_t place, Descriptor got) {
        reach(known[place].name);
        asio::post(io_, [this, socket = std::move(got), info = known[place]]() mutable {
          auto link = std::make_shared<StreamLink>(*this, std::move(socket), Link::Phase::greeted);
          link->name = info.name;
          greet(link, &info);
        });
      },
      [&](std::size_t place, const std::string& tried) {
        asio::post(io_, [this, info = known[place], text = with_comma(tried, unknown[place])] {
          find_another_way(info, text);
        });
      });
  (void)wait_for_others(Clock::time_point::max(), [this] { return joining_.unreached.empty(); });
  std::string missing;
  {
    const std::lock_guard lock(joining_.mutex);
    for (const auto& [name, tried] : joining_.unreachable)
      missing = with_comma(missing, in_quotes(name) + " (" + tried + ")");
  }
  // The replies that are there or come in time are not waited for: without everybody there is no joining.
  if (!missing.empty())
    throw Refusal(Code::protocol, "cannot connect to " + missing +
                                      "; if it has just left, join again; if not, it must accept connections "
                                      "at an address that can be reached from here");
  if (!wait_for_others(Clock::now() + settings_.connect_timeout,
                       [this] { return joining_.unanswered.empty(); })) {
    const std::lock_guard lock(joining_.mutex);
    for (const PeerInfo& info : known) {
      if (!joining_.unanswered.contains(info.name)) continue;
      std::string uris;
      for (const std::string& uri : info.acceptors) uris = with_comma(uris, uri);
      missing = with_comma(missing, in_quotes(info.name).append(" (").append(uris).append(")"));
    }
    throw Refusal(Code::protocol, "no answer for " +
                                      rtsync::duration_text(settings_.connect_timeout.count()) +
                                      " to the announcement to " + missing);
  }
  asio::post(io_, [this] {
    {
      const auto lock = owner_.lock();
      owner_.engine().joined();
    }
    {
      const std::lock_guard lock(joining_.mutex);
      joining_.joined = true;
      joining_.changed.notify_all();
    }
    end_read_cycle();
  });
  (void)wait_for_others(Clock::time_point::max(), [this] { return joining_.joined; });
}

void Mesh::Impl::fail_join(const std::string& why) {
  const std::lock_guard lock(joining_.mutex);
  if (joining_.joined || joining_.failure) return;
  joining_.failure = why;
  joining_.changed.notify_all();
}

}  // namespace tactus::silkit
