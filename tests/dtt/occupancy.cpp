// `Occupancy` against an array with a number for each cycle: one line for each difference.
#include "occupancy.h"

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace dtt;

static int differences = 0;

static void same(const char* what, i64 got, i64 wanted) {
  if (got == wanted || ++differences > 10) return;
  std::printf("%s: %lld, not %lld\n", what, (long long)got, (long long)wanted);
}

int main(int, char** arguments) {
  const i64 horizon = 40'000;  // enough for several groups of blocks
  std::mt19937 random(std::atoi(arguments[1]));
  const auto below = [&](i64 n) { return i64(random() % std::uint64_t(n)); };
  struct Added {
    i64 first, last, amount;
  };
  Occupancy used;
  std::vector<i64> truth(horizon + 1);  // the last one stands for all later cycles
  std::vector<Added> added;
  const auto add = [&](Added a) {
    used.add(a.first, a.last, a.amount);
    for (i64 c = a.first; c <= std::min(a.last, horizon); ++c) truth[c] += a.amount;
  };
  const auto found = [&](i64 from, i64 step, auto wanted) {
    for (i64 c = from; c >= 0 && c <= horizon; c += step) {
      if (wanted(c)) return c;
    }
    return step < 0 ? i64(-1) : kForever;
  };
  std::size_t wanted_size = 0;
  for (int round = 0; round < 40'000; ++round) {
    if (round % 2'500 == 0) wanted_size = std::size_t(round / 2'500 % 2 ? below(200) : 2'000);
    if (added.empty() || added.size() < wanted_size + std::size_t(below(20))) {
      const i64 first = below(horizon - 200), length = below(4) ? 1 + below(4) : 1 + below(150);
      const bool open = below(300) == 0;
      added.push_back({first, open ? kForever : first + length - 1, 1 + below(3)});
      add(added.back());
    } else {
      std::swap(added[std::size_t(below(i64(added.size())))], added.back());
      Added back = added.back();
      added.pop_back();
      back.amount = -back.amount;
      add(back);
    }
    if (round % 10) continue;
    const i64 at = below(horizon), limit = below(8), length = 1 + below(200);
    const i64 end = std::min(at + below(2'000), horizon);
    same("at", used.at(at), truth[at]);
    same("peak", used.peak(at, end), *std::max_element(&truth[at], &truth[end] + 1));
    const auto above = [&](i64 c) { return truth[c] > limit; };
    const auto within = [&](i64 c) { return truth[c] <= limit; };
    same("last_above", used.last_above(at, limit), found(at, -1, above));
    same("last_within", used.last_within(at, limit), found(at, -1, within));
    same("first_above", used.first_above(at, limit), found(at, 1, above));
    same("first_within", used.first_within(at, limit), found(at, 1, within));
    i64 free = 0, gap = kForever;
    for (i64 c = at; c <= horizon && gap == kForever; ++c) {
      free = truth[c] == 0 ? free + 1 : 0;
      if (free == length || (c == horizon && free)) gap = c - free + 1;
    }
    same("first_gap", used.first_gap(at, length), gap);
    i64 settled = horizon;
    while (settled > 0 && truth[settled - 1] == truth[horizon]) --settled;
    same("settled", used.settled(), settled);
  }
  std::printf("%d differences\n", differences);
  return differences > 0;
}
