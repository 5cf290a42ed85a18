// One bit for each cycle in which a Wire is not idle: the quick answer to most questions.
#pragma once

#include "occupancy.h"

namespace dtt {

// A Wire that is taken so many cycles after a way begins.
struct Leg {
  i32 wire;
  i64 offset;
};

class Taken {
 public:
  // `known`: the cycles that have a bit.
  explicit Taken(i64 known) : known_(known) {}

  // For so many Wires: from 32 KiB each to 512, and 128 MiB together where that is more.
  static i64 cycles_known(std::size_t wires) {
    return std::clamp<i64>((i64(1) << 30) / i64(wires + 1), i64(1) << 18, i64(1) << 22);
  }

  // Whether the Wire is known to be idle in all of first .. last; late cycles are never known.
  bool idle(i64 first, i64 last) const {
    if (last >= known_) return false;
    for (i64 w = first >> 6; w <= last >> 6 && w < i64(words_.size()); ++w) {
      if (words_[w] & mask(w, first, last)) return false;
    }
    return true;
  }

  void set(i64 first, i64 last) {
    last = std::min(last, known_ - 1);
    if (last >> 6 >= i64(words_.size()) && first <= last) words_.resize((last >> 6) + 1);
    for (i64 w = first >> 6; w <= last >> 6; ++w) words_[w] |= mask(w, first, last);
  }

  void clear(i64 first, i64 last) {
    if (first > last) return;  // an empty span has no mask
    last = std::min(last, known_ - 1);
    for (i64 w = first >> 6; w <= last >> 6; ++w) words_[w] &= ~mask(w, first, last);
  }

  // Let `cycle` be the first, not before it, from which the Wires of all legs are idle for so long,
  // and return true; or one before which none is, after a look at some words of bits, or to `high`.
  static bool find(const std::vector<Taken>& taken, const std::vector<Leg>& legs, i64 length,
                   i64& cycle, i64 high) {
    i64 last = 0;
    for (const Leg& leg : legs) last = std::max(last, leg.offset);
    const i64 known = taken[legs[0].wire].known_ - last - 64;
    i64 at = cycle;
    for (int words = 0; words < kWords && at <= known && cycle <= high; ++words, at += 64) {
      std::uint64_t busy = 0;
      for (const Leg& leg : legs) busy |= taken[leg.wire].from(at + leg.offset);
      for (i64 seen = 0; busy;) {
        const int idle = __builtin_ctzll(busy);
        if (at + seen + idle - cycle >= length) return true;
        const std::uint64_t rest = ~(busy >> idle);
        const int span = rest ? __builtin_ctzll(rest) : 64;
        seen += idle + span;
        cycle = at + seen;
        busy = idle + span < 64 ? busy >> (idle + span) : 0;
      }
      if (at + 64 - cycle >= length) return true;
    }
    return false;
  }

 private:
  static constexpr int kWords = 64;  // longer searches step over whole blocks of an Occupancy

  // The bits of 64 cycles, all of them known.
  std::uint64_t from(i64 cycle) const {
    const std::size_t w = std::size_t(cycle >> 6), shift = cycle & 63;
    const std::uint64_t low = w < words_.size() ? words_[w] >> shift : 0;
    return shift && w + 1 < words_.size() ? low | words_[w + 1] << (64 - shift) : low;
  }

  // The bits of first .. last that lie in a word.
  static std::uint64_t mask(i64 word, i64 first, i64 last) {
    const i64 from = std::max<i64>(first - (word << 6), 0);
    const i64 to = std::min<i64>(last - (word << 6), 63);
    return (~std::uint64_t(0) >> (63 - (to - from))) << from;
  }

  i64 known_;
  std::vector<std::uint64_t> words_;
};

}  // namespace dtt
