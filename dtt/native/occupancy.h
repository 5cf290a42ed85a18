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
// for a free or a taken cycle, or for a span of free ones, steps over whole blocks. Neighbours of equal amount are one piece:
// what is taken back leaves nothing behind.
class Occupancy {
 public:
  Occupancy() : blocks_(1), firsts_{0}, least_{0}, greatest_{0}, widest_{kForever} {
    blocks_[0].count = 1;
    blocks_[0].pieces[0] = {0, 0};
  }

  void add(i64 first, i64 last, i64 amount) {
    const bool ends = last < kForever;
    if (ends && add_inside(first, last, amount)) return;
    if (ends) split(last + 1);
    const Place begin = split(first);
    Place p = begin;
    for (;; p = {p.block + 1, 0}) {
      if (p.block == int(blocks_.size())) break;
      Block& block = blocks_[p.block];
      const int from = p.piece;
      while (p.piece < block.count && block.pieces[p.piece].start <= last) {
        block.pieces[p.piece++].used += amount;
      }
      if (p.piece > from) summarise(p.block);
      if (p.piece < block.count) break;
    }
    if (ends && p.block < int(blocks_.size())) join(p);
    join(begin);
  }

  i64 at(i64 cycle) const {
    const Place p = find(cycle);
    return blocks_[p.block].pieces[p.piece].used;
  }

  // The greatest amount in first .. last.
  i64 peak(i64 first, i64 last) const {
    i64 most = 0;
    for (Place p = find(first); p.block < int(blocks_.size()); p = {p.block + 1, 0}) {
      const Block& block = blocks_[p.block];
      if (p.piece == 0 && p.block + 1 < int(blocks_.size()) && firsts_[p.block + 1] <= last) {
        most = std::max(most, greatest_[p.block]);
        continue;
      }
      for (; p.piece < block.count; ++p.piece) {
        if (block.pieces[p.piece].start > last) return most;
        most = std::max(most, block.pieces[p.piece].used);
      }
    }
    return most;
  }

  // The last cycle, not after `cycle`, with more than `limit` in use; -1 if there is none.
  i64 last_above(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return -1;
    return backwards(cycle, [=](i64 used) { return used > limit; },
                     [=](int b) { return greatest_[b] > limit; });
  }

  // The last cycle, not after `cycle`, with at most `limit` in use; -1 if there is none.
  i64 last_within(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return cycle;
    return backwards(cycle, [=](i64 used) { return used <= limit; },
                     [=](int b) { return least_[b] <= limit; });
  }

  // The first cycle, not before `cycle`, with more than `limit` in use; kForever if none.
  i64 first_above(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return kForever;
    return forwards(cycle, [=](i64 used) { return used > limit; },
                    [=](int b) { return greatest_[b] > limit; });
  }

  // The first cycle, not before `cycle`, with at most `limit` in use; kForever if none.
  i64 first_within(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return cycle;
    return forwards(cycle, [=](i64 used) { return used <= limit; },
                    [=](int b) { return least_[b] <= limit; });
  }

  // The first cycle, not before `cycle`, from which so many are free; kForever if none.
  i64 first_gap(i64 cycle, i64 length) const {
    const Place p = find(cycle);
    if (blocks_[p.block].pieces[p.piece].used == 0 && end(p) - cycle >= length) return cycle;
    int from = p.piece + 1;
    for (int b = p.block; b < int(blocks_.size()); ++b, from = 0) {
      if (widest_[b] < length) continue;
      const Block& block = blocks_[b];
      for (int i = from; i < block.count; ++i) {
        const i64 start = block.pieces[i].start;
        if (block.pieces[i].used == 0 && end({b, i}) - start >= length) return start;
      }
    }
    return kForever;
  }

  // The cycle from which the amount no longer changes.
  i64 settled() const { return blocks_.back().pieces[blocks_.back().count - 1].start; }

 private:
  static constexpr int kPieces = 32;

  struct Piece {
    i64 start, used;
  };

  struct Block {
    int count;
    Piece pieces[kPieces];
  };

  struct Place {
    int block, piece;
  };

  // The cycle in which the next piece starts.
  i64 end(Place p) const {
    if (p.piece + 1 < blocks_[p.block].count) return blocks_[p.block].pieces[p.piece + 1].start;
    return p.block + 1 < int(blocks_.size()) ? firsts_[p.block + 1] : kForever;
  }

  Place find(i64 cycle) const {
    int b = int(firsts_.size()) - 1;
    if (b > 0) b = int(std::upper_bound(firsts_.begin(), firsts_.end(), cycle) - firsts_.begin()) - 1;
    const Piece* pieces = blocks_[b].pieces;
    const Piece* low = pieces;  // the last that starts no later than `cycle` is in low .. low + rest
    for (int rest = blocks_[b].count; rest > 1;) {
      const int half = rest / 2;
      low = low[half].start <= cycle ? low + half : low;
      rest -= half;
    }
    return {b, int(low - pieces)};
  }

  template <class Wanted, class Worth>
  i64 backwards(i64 cycle, Wanted wanted, Worth worth) const {
    const Place p = find(cycle);
    const Piece* pieces = blocks_[p.block].pieces;
    if (wanted(pieces[p.piece].used)) return cycle;
    for (int i = p.piece - 1; i >= 0; --i) {
      if (wanted(pieces[i].used)) return pieces[i + 1].start - 1;
    }
    for (int b = p.block - 1; b >= 0; --b) {
      if (!worth(b)) continue;
      pieces = blocks_[b].pieces;
      i64 end = firsts_[b + 1];
      for (int i = blocks_[b].count - 1; i >= 0; end = pieces[i--].start) {
        if (wanted(pieces[i].used)) return end - 1;
      }
    }
    return -1;
  }

  template <class Wanted, class Worth>
  i64 forwards(i64 cycle, Wanted wanted, Worth worth) const {
    const Place p = find(cycle);
    const Block* block = &blocks_[p.block];
    if (wanted(block->pieces[p.piece].used)) return cycle;
    for (int i = p.piece + 1; i < block->count; ++i) {
      if (wanted(block->pieces[i].used)) return block->pieces[i].start;
    }
    for (int b = p.block + 1; b < int(blocks_.size()); ++b) {
      if (!worth(b)) continue;
      block = &blocks_[b];
      for (int i = 0; i < block->count; ++i) {
        if (wanted(block->pieces[i].used)) return block->pieces[i].start;
      }
    }
    return kForever;
  }

  // Add to cycles inside of one piece, where no other piece grows or goes; return whether it was so.
  bool add_inside(i64 first, i64 last, i64 amount) {
    const Place p = find(first);
    Block& block = blocks_[p.block];
    Piece* piece = block.pieces + p.piece;
    const bool room = p.piece + 1 < block.count && block.count + 2 <= kPieces;
    if (!room || piece->start == first || piece[1].start <= last + 1) return false;
    std::memmove(piece + 3, piece + 1, sizeof(Piece) * (block.count - p.piece - 1));
    piece[1] = {first, piece->used + amount};
    piece[2] = {last + 1, piece->used};
    block.count += 2;
    if (piece[1].used == 0) widest_[p.block] = std::max(widest_[p.block], last + 1 - first);
    least_[p.block] = std::min(least_[p.block], piece[1].used);
    greatest_[p.block] = std::max(greatest_[p.block], piece[1].used);
    peak_ = std::max(peak_, piece[1].used);
    return true;
  }

  // Let a piece start in `cycle`; return where it is.
  Place split(i64 cycle) {
    Place p = find(cycle);
    if (blocks_[p.block].pieces[p.piece].start == cycle) return p;
    if (blocks_[p.block].count == kPieces) {
      halve(p.block);
      p = find(cycle);
    }
    Block& block = blocks_[p.block];
    Piece* piece = block.pieces + p.piece;
    std::memmove(piece + 2, piece + 1, sizeof(Piece) * (block.count - p.piece - 1));
    piece[1] = {cycle, piece->used};
    ++block.count;
    return {p.block, p.piece + 1};
  }

  void halve(int b) {
    blocks_.insert(blocks_.begin() + b + 1, Block{});
    Block &low = blocks_[b], &high = blocks_[b + 1];
    const int kept = low.count / 2;
    high.count = low.count - kept;
    std::memcpy(high.pieces, low.pieces + kept, sizeof(Piece) * high.count);
    low.count = kept;
    firsts_.insert(firsts_.begin() + b + 1, high.pieces[0].start);
    least_.insert(least_.begin() + b + 1, 0);
    greatest_.insert(greatest_.begin() + b + 1, 0);
    widest_.insert(widest_.begin() + b + 1, 0);
    summarise(b);
    summarise(b + 1);
  }

  // Let a piece be one with the piece before it, if they are equal.
  void join(Place p) {
    Block& block = blocks_[p.block];
    if (p.block == 0 && p.piece == 0) return;
    Piece* piece = block.pieces + p.piece;
    const Block& before = p.piece > 0 ? block : blocks_[p.block - 1];
    if (before.pieces[p.piece > 0 ? p.piece - 1 : before.count - 1].used != piece->used) return;
    std::memmove(piece, piece + 1, sizeof(Piece) * (block.count - p.piece - 1));
    if (--block.count == 0) {
      blocks_.erase(blocks_.begin() + p.block);
      firsts_.erase(firsts_.begin() + p.block);
      least_.erase(least_.begin() + p.block);
      greatest_.erase(greatest_.begin() + p.block);
      widest_.erase(widest_.begin() + p.block);
    } else {
      firsts_[p.block] = block.pieces[0].start;
      summarise(p.block);
    }
    if (p.piece == 0) summarise(p.block - 1);  // its last piece has grown
  }

  void summarise(int b) {
    const Block& block = blocks_[b];
    i64 least = block.pieces[0].used, greatest = least, widest = 0;
    for (int i = 0; i < block.count; ++i) {
      const Piece& piece = block.pieces[i];
      least = std::min(least, piece.used);
      greatest = std::max(greatest, piece.used);
      if (piece.used == 0) widest = std::max(widest, end({b, i}) - piece.start);
    }
    const bool fell = greatest < greatest_[b] && greatest_[b] == peak_;
    least_[b] = least;
    greatest_[b] = greatest;
    widest_[b] = widest;
    peak_ = fell ? *std::max_element(greatest_.begin(), greatest_.end()) : std::max(peak_, greatest);
  }

  std::vector<Block> blocks_;
  std::vector<i64> firsts_, least_, greatest_;
  std::vector<i64> widest_;  // the longest piece with nothing in use
  i64 peak_ = 0;  // the greatest amount of all
};

}  // namespace dtt
