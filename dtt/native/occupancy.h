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

// Pieces of equal amount lie in blocks, and blocks in groups. Each block and each group knows a
// range in which its amounts lie, and how long its free pieces are at most, so that a search steps
// over what cannot hold an answer. These limits may be too wide, never too narrow: changes only widen
// them, and a search that found nothing within them makes them true again. Neighbours of equal amount
// are one piece: what is taken back leaves nothing behind.
class Occupancy {
 public:
  Occupancy() : blocks_(1), firsts_{0}, limits_{{0, 0, kForever}}, groups_(limits_) {
    blocks_[0].count = 1;
    blocks_[0].pieces[0] = {0, 0};
  }

  void add(i64 first, i64 last, i64 amount) {
    const bool ends = last < kForever;
    const Place found = find(first);
    if (ends && add_inside(found, first, last, amount)) return;
    Place begin = split(found, first);
    if (ends) {
      const std::size_t blocks = blocks_.size();
      split(find(last + 1), last + 1);
      if (blocks_.size() != blocks) begin = find(first);
    }
    Place p = begin;
    for (; p.block < int(blocks_.size()); p = {p.block + 1, 0}) {
      Block& block = blocks_[p.block];
      Limits changed{kForever, -kForever, 0};
      for (; p.piece < block.count && block.pieces[p.piece].start <= last; ++p.piece) {
        Piece& piece = block.pieces[p.piece];
        piece.used += amount;
        if (amount > 0) {
          changed.greatest = std::max(changed.greatest, piece.used);
          continue;
        }
        changed.least = std::min(changed.least, piece.used);
        if (piece.used == 0) changed.widest = std::max(changed.widest, end(p) - piece.start);
      }
      widen(p.block, changed);
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
      if (firsts_[p.block] > last) break;
      if (limits_[p.block].greatest <= most) continue;
      const Block& block = blocks_[p.block];
      for (; p.piece < block.count && block.pieces[p.piece].start <= last; ++p.piece) {
        most = std::max(most, block.pieces[p.piece].used);
      }
    }
    return most;
  }

  // The last cycle, not after `cycle`, with more than `limit` in use; -1 if there is none.
  i64 last_above(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return -1;
    return backwards(cycle, [=](i64 used) { return used > limit; },
                     [=](const Limits& l) { return l.greatest > limit; });
  }

  // The last cycle, not after `cycle`, with at most `limit` in use; -1 if there is none.
  i64 last_within(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return cycle;
    return backwards(cycle, [=](i64 used) { return used <= limit; },
                     [=](const Limits& l) { return l.least <= limit; });
  }

  // The first cycle, not before `cycle`, with more than `limit` in use; kForever if none.
  i64 first_above(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return kForever;
    const Place p = find(cycle);
    if (blocks_[p.block].pieces[p.piece].used > limit) return cycle;
    return forwards(p, [=](Piece piece, i64) { return piece.used > limit; },
                    [=](const Limits& l) { return l.greatest > limit; });
  }

  // The first cycle, not before `cycle`, with at most `limit` in use; kForever if none.
  i64 first_within(i64 cycle, i64 limit) const {
    if (peak_ <= limit) return cycle;
    const Place p = find(cycle);
    if (blocks_[p.block].pieces[p.piece].used <= limit) return cycle;
    return forwards(p, [=](Piece piece, i64) { return piece.used <= limit; },
                    [=](const Limits& l) { return l.least <= limit; });
  }

  // The first cycle, not before `cycle`, from which so many are free; kForever if none.
  i64 first_gap(i64 cycle, i64 length) const {
    const Place p = find(cycle);
    if (blocks_[p.block].pieces[p.piece].used == 0 && end(p) - cycle >= length) return cycle;
    const auto wanted = [=](Piece piece, i64 end) {
      return piece.used == 0 && end - piece.start >= length;
    };
    return forwards(p, wanted, [=](const Limits& l) { return l.widest >= length; });
  }

  // The cycle from which the amount no longer changes.
  i64 settled() const { return blocks_.back().pieces[blocks_.back().count - 1].start; }

 private:
  static constexpr int kPieces = 32, kGroup = 32;

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

  struct Limits {
    i64 least, greatest;
    i64 widest;  // of the pieces with nothing in use

    void include(i64 used, i64 width) { include(Limits{used, used, width}); }

    void include(const Limits& other) {
      least = std::min(least, other.least);
      greatest = std::max(greatest, other.greatest);
      widest = std::max(widest, other.widest);
    }
  };

  // The cycle in which the next piece starts.
  i64 end(Place p) const {
    if (p.piece + 1 < blocks_[p.block].count) return blocks_[p.block].pieces[p.piece + 1].start;
    return p.block + 1 < int(blocks_.size()) ? firsts_[p.block + 1] : kForever;
  }

  Place find(i64 cycle) const {
    const i64* firsts = firsts_.data();
    const i64* block = firsts;
    for (std::size_t rest = firsts_.size(); rest > 1;) {
      const std::size_t half = rest / 2;
      block = block[half] <= cycle ? block + half : block;
      rest -= half;
    }
    const int b = int(block - firsts);
    const Piece* pieces = blocks_[b].pieces;
    const Piece* low = pieces;  // the last that starts by `cycle` is in low .. low + rest
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
    for (int i = worth(limits_[p.block]) ? p.piece - 1 : -1; i >= 0; --i) {
      if (wanted(pieces[i].used)) return pieces[i + 1].start - 1;
    }
    int whole = -1;  // the group that is searched from its end on
    for (int b = p.block - 1; b >= 0; --b) {
      const int group = b / kGroup;
      if (b % kGroup == kGroup - 1) {
        if (!worth(groups_[group])) {
          b -= kGroup - 1;
          continue;
        }
        whole = group;
      }
      if (worth(limits_[b])) {
        pieces = blocks_[b].pieces;
        i64 end = firsts_[b + 1];
        for (int i = blocks_[b].count - 1; i >= 0; end = pieces[i--].start) {
          if (wanted(pieces[i].used)) return end - 1;
        }
        measure(b);
      }
      if (b % kGroup == 0 && group == whole) measure_group(group);
    }
    return -1;
  }

  // The start of the first piece after a place that is wanted.
  template <class Wanted, class Worth>
  i64 forwards(Place p, Wanted wanted, Worth worth) const {
    const Block* block = &blocks_[p.block];
    for (int i = worth(limits_[p.block]) ? p.piece + 1 : kPieces; i < block->count; ++i) {
      if (wanted(block->pieces[i], end({p.block, i}))) return block->pieces[i].start;
    }
    const int blocks = int(blocks_.size());
    int whole = -1;  // the group that is searched from its begin on
    for (int b = p.block + 1; b < blocks; ++b) {
      const int group = b / kGroup;
      if (b % kGroup == 0) {
        if (!worth(groups_[group])) {
          b += kGroup - 1;
          continue;
        }
        whole = group;
      }
      if (worth(limits_[b])) {
        block = &blocks_[b];
        for (int i = 0; i < block->count; ++i) {
          if (wanted(block->pieces[i], end({b, i}))) return block->pieces[i].start;
        }
        measure(b);
      }
      if (b % kGroup == kGroup - 1 && group == whole) measure_group(group);
    }
    return kForever;
  }

  void widen(int b, const Limits& more) {
    limits_[b].include(more);
    groups_[b / kGroup].include(more);
    peak_ = std::max(peak_, more.greatest);
  }

  void measure(int b) const {
    Limits found{kForever, -kForever, 0};
    for (int i = 0; i < blocks_[b].count; ++i) {
      const Piece& piece = blocks_[b].pieces[i];
      found.include(piece.used, piece.used == 0 ? end({b, i}) - piece.start : 0);
    }
    limits_[b] = found;
  }

  void measure_group(int group) const {
    const int begin = group * kGroup, end = std::min(begin + kGroup, int(limits_.size()));
    Limits found = limits_[begin];
    for (int b = begin + 1; b < end; ++b) found.include(limits_[b]);
    groups_[group] = found;
  }

  // Add to cycles inside of one piece, where no other piece grows or goes; whether it was so.
  bool add_inside(Place p, i64 first, i64 last, i64 amount) {
    Block& block = blocks_[p.block];
    Piece* piece = block.pieces + p.piece;
    const bool room = p.piece + 1 < block.count && block.count + 2 <= kPieces;
    if (!room || piece->start == first || piece[1].start <= last + 1) return false;
    std::memmove(piece + 3, piece + 1, sizeof(Piece) * (block.count - p.piece - 1));
    piece[1] = {first, piece->used + amount};
    piece[2] = {last + 1, piece->used};
    block.count += 2;
    widen(p.block, {piece[1].used, piece[1].used, piece[1].used == 0 ? last + 1 - first : 0});
    return true;
  }

  // Let a piece start in `cycle`, which lies in the piece at a place; return where it is.
  Place split(Place p, i64 cycle) {
    if (blocks_[p.block].pieces[p.piece].start == cycle) return p;
    if (blocks_[p.block].count == kPieces) {
      halve(p.block);
      const int kept = blocks_[p.block].count;
      if (p.piece >= kept) p = {p.block + 1, p.piece - kept};
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
    const Limits both = limits_[b];
    limits_.insert(limits_.begin() + b + 1, both);
    const int groups = (int(limits_.size()) + kGroup - 1) / kGroup;
    if (groups > int(groups_.size())) groups_.push_back(limits_.back());
    for (int g = (b + 1) / kGroup; g < groups; ++g) groups_[g].include(limits_[g * kGroup]);
  }

  // Let a piece be one with the piece before it, if they are equal.
  void join(Place p) {
    if (p.block == 0 && p.piece == 0) return;
    Block& block = blocks_[p.block];
    Piece* piece = block.pieces + p.piece;
    Place before{p.block, p.piece - 1};
    if (p.piece == 0) before = {p.block - 1, blocks_[p.block - 1].count - 1};
    const Piece grown = blocks_[before.block].pieces[before.piece];
    if (grown.used != piece->used) return;
    std::memmove(piece, piece + 1, sizeof(Piece) * (block.count - p.piece - 1));
    if (--block.count == 0) {
      erase(p.block);
    } else if (p.piece == 0) {
      firsts_[p.block] = block.pieces[0].start;
    }
    if (grown.used == 0) widen(before.block, {0, 0, end(before) - grown.start});
  }

  void erase(int b) {
    blocks_.erase(blocks_.begin() + b);
    firsts_.erase(firsts_.begin() + b);
    limits_.erase(limits_.begin() + b);
    const int blocks = int(limits_.size());
    groups_.resize(std::size_t((blocks + kGroup - 1) / kGroup), limits_.back());
    for (int last = b / kGroup * kGroup + kGroup - 1; last < blocks; last += kGroup) {
      groups_[last / kGroup].include(limits_[last]);
    }
  }

  std::vector<Block> blocks_;
  std::vector<i64> firsts_;  // the first cycle of each block
  mutable std::vector<Limits> limits_, groups_;
  i64 peak_ = 0;  // at least the greatest amount of all
};

}  // namespace dtt
