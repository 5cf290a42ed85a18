// One bit for each cycle in which a Wire is not idle: the quick answer to most questions.
#pragma once

#include "occupancy.h"

namespace dtt {

class Taken {
 public:
  // Whether the Wire is known to be idle in all of first .. last; late cycles are never known.
  bool idle(i64 first, i64 last) const {
    if (last >= kKnown) return false;
    for (i64 w = first >> 6; w <= last >> 6 && w < i64(words_.size()); ++w) {
      if (words_[w] & mask(w, first, last)) return false;
    }
    return true;
  }

  void set(i64 first, i64 last) {
    last = std::min(last, kKnown - 1);
    if (last >> 6 >= i64(words_.size()) && first <= last) words_.resize((last >> 6) + 1);
    for (i64 w = first >> 6; w <= last >> 6; ++w) words_[w] |= mask(w, first, last);
  }

  void clear(i64 first, i64 last) {
    if (first > last) return;  // an empty span has no mask
    last = std::min(last, kKnown - 1);
    for (i64 w = first >> 6; w <= last >> 6; ++w) words_[w] &= ~mask(w, first, last);
  }

 private:
  static constexpr i64 kKnown = i64(1) << 18;

  // The bits of first .. last that lie in a word.
  static std::uint64_t mask(i64 word, i64 first, i64 last) {
    const i64 from = std::max<i64>(first - (word << 6), 0);
    const i64 to = std::min<i64>(last - (word << 6), 63);
    return (~std::uint64_t(0) >> (63 - (to - from))) << from;
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace dtt
