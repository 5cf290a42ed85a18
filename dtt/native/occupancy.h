// How much of a resource is in use over time: a piecewise constant amount over the cycles from 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace dtt {

using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr i64 kForever = i64(1) << 60;  // the last cycle of what never ends

// Pieces of equal amount lie in blocks that know their least and greatest amount, so that a search
// for a free or a taken cycle steps over whole blocks. Neighbours of equal amount are one piece:
// what is taken back leaves nothing behind.
class Occupancy {
 public:
  Occupancy() {
    blocks_.push_back(std::make_unique<Block>());
    blocks_[0]->count = 1;
    blocks_[0]->start[0] = blocks_[0]->used[0] = 0;
    firsts_.push_back(0);
    least_.push_back(0);
    greatest_.push_back(0);
  }

  void add(i64 first, i64 last, i64 amount) {
    Place begin = split(first);
    Place end{int(blocks_.size()) - 1, blocks_.back()->count};
    if (last < kForever) {
      end = split(last + 1);
      begin = find(first);  // the second split may have moved it
    }
    for (int b = begin.block; b <= end.block; ++b) {
      Block& block = *blocks_[b];
      const int from = b == begin.block ? begin.piece : 0;
      const int to = b == end.block ? end.piece : block.count;
      for (int i = from; i < to; ++i) block.used[i] += amount;
      if (from < to) summarise(b);
    }
    if (last < kForever) join(last + 1);
    join(first);
  }

  i64 at(i64 cycle) const {
    const Place p = find(cycle);
    return blocks_[p.block]->used[p.piece];
  }

  // The greatest amount in first .. last.
  i64 peak(i64 first, i64 last) const {
    const Place a = find(first), z = find(last);
    i64 most = 0;
    for (int b = a.block; b <= z.block; ++b) {
      const Block& block = *blocks_[b];
      const int from = b == a.block ? a.piece : 0;
      const int to = b == z.block ? z.piece + 1 : block.count;
      if (from == 0 && to == block.count) {
        most = std::max(most, greatest_[b]);
      } else {
        for (int i = from; i < to; ++i) most = std::max(most, block.used[i]);
      }
    }
    return most;
  }

  // The last cycle, not after `cycle`, with more than `limit` in use; -1 if there is none.
  i64 last_above(i64 cycle, i64 limit) const {
    return backwards(cycle, [&](i64 used) { return used > limit; },
                     [&](int b) { return greatest_[b] > limit; });
  }

  // The last cycle, not after `cycle`, with at most `limit` in use; -1 if there is none.
  i64 last_within(i64 cycle, i64 limit) const {
    return backwards(cycle, [&](i64 used) { return used <= limit; },
                     [&](int b) { return least_[b] <= limit; });
  }

  // The first cycle, not before `cycle`, with more than `limit` in use; kForever if none.
  i64 first_above(i64 cycle, i64 limit) const {
    return forwards(cycle, [&](i64 used) { return used > limit; },
                    [&](int b) { return greatest_[b] > limit; });
  }

  // The first cycle, not before `cycle`, with at most `limit` in use; kForever if none.
  i64 first_within(i64 cycle, i64 limit) const {
    return forwards(cycle, [&](i64 used) { return used <= limit; },
                    [&](int b) { return least_[b] <= limit; });
  }

  // The cycle from which the amount no longer changes.
  i64 settled() const { return blocks_.back()->start[blocks_.back()->count - 1]; }

 private:
  static constexpr int kPieces = 64;

  struct Block {
    int count;
    i64 start[kPieces];
    i64 used[kPieces];
  };

  struct Place {
    int block, piece;
  };

  Place find(i64 cycle) const {
    const int b = int(std::upper_bound(firsts_.begin(), firsts_.end(), cycle) - firsts_.begin()) - 1;
    const Block& block = *blocks_[b];
    return {b, int(std::upper_bound(block.start, block.start + block.count, cycle) - block.start) - 1};
  }

  template <class Wanted, class Worth>
  i64 backwards(i64 cycle, Wanted wanted, Worth worth) const {
    const Place p = find(cycle);
    const Block* block = blocks_[p.block].get();
    if (wanted(block->used[p.piece])) return cycle;
    for (int i = p.piece - 1; i >= 0; --i) {
      if (wanted(block->used[i])) return block->start[i + 1] - 1;
    }
    for (int b = p.block - 1; b >= 0; --b) {
      if (!worth(b)) continue;
      block = blocks_[b].get();
      i64 end = firsts_[b + 1];
      for (int i = block->count - 1; i >= 0; end = block->start[i--]) {
        if (wanted(block->used[i])) return end - 1;
      }
    }
    return -1;
  }

  template <class Wanted, class Worth>
  i64 forwards(i64 cycle, Wanted wanted, Worth worth) const {
    const Place p = find(cycle);
    const Block* block = blocks_[p.block].get();
    if (wanted(block->used[p.piece])) return cycle;
    for (int i = p.piece + 1; i < block->count; ++i) {
      if (wanted(block->used[i])) return block->start[i];
    }
    for (int b = p.block + 1; b < int(blocks_.size()); ++b) {
      if (!worth(b)) continue;
      block = blocks_[b].get();
      for (int i = 0; i < block->count; ++i) {
        if (wanted(block->used[i])) return block->start[i];
      }
    }
    return kForever;
  }

  // Let a piece start in `cycle`; return where it is.
  Place split(i64 cycle) {
    Place p = find(cycle);
    if (blocks_[p.block]->start[p.piece] == cycle) return p;
    if (blocks_[p.block]->count == kPieces) {
      halve(p.block);
      p = find(cycle);
    }
    Block& block = *blocks_[p.block];
    const int after = p.piece + 1, rest = block.count - after;
    std::memmove(block.start + after + 1, block.start + after, sizeof(i64) * rest);
    std::memmove(block.used + after + 1, block.used + after, sizeof(i64) * rest);
    block.start[after] = cycle;
    block.used[after] = block.used[p.piece];
    ++block.count;
    return {p.block, after};
  }

  void halve(int b) {
    Block& low = *blocks_[b];
    auto high = std::make_unique<Block>();
    const int kept = low.count / 2;
    high->count = low.count - kept;
    std::memcpy(high->start, low.start + kept, sizeof(i64) * high->count);
    std::memcpy(high->used, low.used + kept, sizeof(i64) * high->count);
    low.count = kept;
    firsts_.insert(firsts_.begin() + b + 1, high->start[0]);
    blocks_.insert(blocks_.begin() + b + 1, std::move(high));
    least_.insert(least_.begin() + b + 1, 0);
    greatest_.insert(greatest_.begin() + b + 1, 0);
    summarise(b);
    summarise(b + 1);
  }

  // Let the piece that starts in `cycle` be one with the piece before it, if they are equal.
  void join(i64 cycle) {
    const Place p = find(cycle);
    Block& block = *blocks_[p.block];
    if (block.start[p.piece] != cycle || (p.block == 0 && p.piece == 0)) return;
    const i64 before = p.piece > 0 ? block.used[p.piece - 1]
                                   : blocks_[p.block - 1]->used[blocks_[p.block - 1]->count - 1];
    if (before != block.used[p.piece]) return;
    const int rest = block.count - p.piece - 1;
    std::memmove(block.start + p.piece, block.start + p.piece + 1, sizeof(i64) * rest);
    std::memmove(block.used + p.piece, block.used + p.piece + 1, sizeof(i64) * rest);
    if (--block.count == 0) {
      blocks_.erase(blocks_.begin() + p.block);
      firsts_.erase(firsts_.begin() + p.block);
      least_.erase(least_.begin() + p.block);
      greatest_.erase(greatest_.begin() + p.block);
      return;
    }
    firsts_[p.block] = block.start[0];
    summarise(p.block);
  }

  void summarise(int b) {
    const Block& block = *blocks_[b];
    i64 least = block.used[0], greatest = block.used[0];
    for (int i = 1; i < block.count; ++i) {
      least = std::min(least, block.used[i]);
      greatest = std::max(greatest, block.used[i]);
    }
    least_[b] = least;
    greatest_[b] = greatest;
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<i64> firsts_, least_, greatest_;
};

}  // namespace dtt
