// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/draw/points.hpp"

#include <bit>
#include <boost/random/sobol.hpp>

namespace tactus::campaign {
namespace {

// Streams of one seed: what is drawn for one purpose says nothing about another.
constexpr std::uint32_t kOrder = 2, kPlace = 3, kFlips = 4, kRest = 5;

/// A share of (0, 1) that is never an end.
double open_share(double share) { return share + 0x1p-54; }

}  // namespace

double IndependentPoints::share(std::int64_t draw, std::uint32_t variable) const {
  return open_share(random_.uniform(draw, variable));
}

HypercubePoints::HypercubePoints(std::uint64_t seed, std::int64_t count)
    : count_(count), parts_(count), order_(seed, kOrder), place_(seed, kPlace) {}

std::int64_t HypercubePoints::stratum(std::int64_t draw, std::uint32_t variable) const {
  return parts_.at(draw, [&](std::uint64_t value, std::uint64_t round) {
    return order_.bits(static_cast<std::int64_t>(value | (round << 32)), variable)[0];
  });
}

double HypercubePoints::share(std::int64_t draw, std::uint32_t variable) const {
  const double inside = open_share(place_.uniform(draw, variable));
  return (static_cast<double>(stratum(draw, variable)) + inside) / static_cast<double>(count_);
}

SobolPoints::SobolPoints(std::uint64_t seed, std::uint32_t variables, bool scramble)
    : directions_(variables), scramble_(scramble), flips_(seed, kFlips), rest_(seed, kRest) {
  // Boost begins with the second point; point 2^k and the one before it differ in direction number k alone.
  using Engine = boost::random::sobol_engine<std::uint32_t, kBits>;
  Engine engine(variables);
  for (unsigned bit = 0; bit < kBits; ++bit) {
    engine.seed((std::uint32_t{1} << bit) -
                1);  // the next one is point 2^bit, whose Gray code is 2^bit + 2^(bit-1)
    for (std::uint32_t variable = 0; variable < variables; ++variable) {
      const std::uint32_t point = engine();
      directions_[variable][bit] = point ^ (bit == 0 ? 0 : directions_[variable][bit - 1]);
    }
  }
}

std::uint32_t SobolPoints::bits(std::int64_t draw, std::uint32_t variable) const {
  const auto place = static_cast<std::uint64_t>(draw);
  std::uint32_t result = 0;
  for (auto gray = static_cast<std::uint32_t>(place ^ (place >> 1U)); gray != 0; gray &= gray - 1)
    result ^= directions_[variable][static_cast<std::size_t>(std::countr_zero(gray))];
  return result;
}

double SobolPoints::share(std::int64_t draw, std::uint32_t variable) const {
  const std::uint32_t plain = bits(draw, variable);
  if (!scramble_) return (static_cast<double>(plain) + 0.5) * 0x1p-32;
  std::uint32_t result = 0;
  for (unsigned bit = 0; bit < kBits; ++bit) {
    // A bit before the others marks how many there are, so that 0 and 00 are two places.
    const std::uint64_t before = (std::uint64_t{1} << bit) | (std::uint64_t{plain} >> (kBits - bit));
    const std::uint32_t flip = flips_.bits(static_cast<std::int64_t>(before), variable)[0] & 1U;
    result = (result << 1U) | (((plain >> (kBits - 1 - bit)) & 1U) ^ flip);
  }
  return (static_cast<double>(result) + open_share(rest_.uniform(draw, variable))) * 0x1p-32;
}

}  // namespace tactus::campaign
