// How far Points are from the copies of a datum at least: the bound that guides the search.
#pragma once

#include "promises.h"

namespace dtt {

// What a search is asked: to bring a datum to a Node, perhaps from one Point only, and so that it
// begins to arrive no earlier than in `floor`.
struct Asked {
  i32 datum = 0, target = 0, only = -1;
  i64 floor = 0;
  const Sizing* sized = nullptr;
};

struct Bearing {  // what is known of a Point
  std::uint32_t epoch = 0;
  bool known = false;
  const Place* place = nullptr;
  i64 soonest = 0;  // no copy can be there before
  i64 latest = 0;   // every copy could be there then, and costs at least:
  Cost least = 0;
  i64 low = 1, high = 0;  // from any cycle of low .. high, it costs at least:
  Cost between = 0;
};

class Bearings {
 public:
  Bearings(const Promises& promises, Machine& machine, const Asked& asked)
      : promises_(promises), machine_(machine), asked_(asked), bearings_(machine.points.size()) {}

  // Percent by which the bound is stretched: above 100 it is inadmissible, which tests must catch.
  i64 stretch = 100;

  // Forget all, and collect the copies from which the target might be reached in time.
  void begin(i64 deadline) {
    if (++epoch_ == 0) {
      for (Bearing& b : bearings_) b.epoch = 0;
      epoch_ = 1;
    }
    meet(asked_.target);
    to_target_ = machine_.to(*asked_.sized, asked_.target);
    const Point& target = machine_.points[asked_.target];
    // No other way may pass such a Node, but one that leads to it may, and come back.
    const bool loops = target.stores && !target.transit;
    loops_ = loops ? machine_.from(*asked_.sized, asked_.target) : nullptr;
    unknown_ = loops && !loops_;
    copies_.clear();
    sorted_ = 0;
    soonest_ = kForever;
    for (const First& here : promises_.firsts[asked_.datum]) {
      if (asked_.only >= 0 && here.point != asked_.only) continue;
      Copy copy{0, here.point, here.since, nullptr};
      if (to_target_) {
        const Reach& way = to_target_[here.point];
        if (way.energy < 0 || here.since + way.time > deadline) continue;
        copy.far = price(way);
        soonest_ = std::min(soonest_, here.since + way.time);
      } else if (here.since > deadline) {
        continue;
      }
      copies_.push_back(copy);
    }
    few_ = !to_target_ || copies_.size() <= kFew;
    if (few_) {
      for (Copy& c : copies_) c.reach = machine_.from(*asked_.sized, c.point);
    } else {
      std::make_heap(copies_.begin(), copies_.end());
    }
  }

  // Where the datum is at a Point that was met.
  const Place* place(i32 point) const { return bearings_[point].place; }

  // What is known of a Point, now with how far it is from the copies.
  Bearing& know(i32 point) {
    Bearing& b = meet(point);
    if (b.known) return b;
    b.known = true;
    if (!few_) {
      b.soonest = std::max<i64>(soonest_ - to_target_[point].time, 0);
      b.latest = kForever;
      return b;
    }
    b.soonest = kForever;
    b.least = kNoCost;
    for (const Copy& c : copies_) {
      const Way way = from(c, point);
      if (way.least == kNoCost) continue;
      b.soonest = std::min(b.soonest, way.there);
      b.latest = std::max(b.latest, way.there);
      b.least = std::min(b.least, way.least);
    }
    return b;
  }

  // At least what it costs from any copy to a Point in a cycle not before `soonest`.
  Cost bound(Bearing& b, i32 point, i64 cycle) {
    if (cycle >= b.latest) return b.least;
    if (b.low <= cycle && cycle <= b.high) return b.between;
    b.between = kNoCost;
    b.low = 0;
    b.high = cycle;
    if (few_) {
      for (const Copy& c : copies_) consider(b, c, point);
      return b.between;
    }
    const Cost rest = price(to_target_[point]);
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Copy& c = near(i);
      if (c.far - rest >= b.between) break;  // a copy farther from the target is no nearer
      consider(b, c, point);
    }
    return b.between;
  }

 private:
  static constexpr std::size_t kFew = 8;  // so few copies that each is looked at

  struct Copy {
    Cost far;  // at least from there to the target
    i32 point;
    i64 since;
    const Reach* reach;  // from there; null if unknown

    bool operator<(const Copy& other) const {  // for a heap with the nearest on top
      return far != other.far ? far > other.far : point > other.point;
    }
  };

  Cost price(const Reach& way) const {
    return cost(Cost(way.energy) * asked_.sized->size, way.moves);
  }

  Bearing& meet(i32 point) {
    Bearing& b = bearings_[point];
    if (b.epoch != epoch_) {
      b = Bearing{};
      b.epoch = epoch_;
      b.place = promises_.place(asked_.datum, point);
    }
    return b;
  }

  // The copy that is the i-th nearest to the target, as few of them as needed being sorted.
  const Copy& near(std::size_t i) {
    for (; sorted_ <= i; ++sorted_) {
      const auto end = copies_.end() - std::ptrdiff_t(sorted_);
      std::pop_heap(copies_.begin(), end);
      Copy& next = *(end - 1);
      next.reach = machine_.from(*asked_.sized, next.point);
    }
    return copies_[copies_.size() - 1 - i];
  }

  // Let a copy be the one that counts, if it is nearer and can be there by `b.high`.
  void consider(Bearing& b, const Copy& c, i32 point) const {
    const Way way = from(c, point);
    if (way.there > b.high || way.least >= b.between) return;
    b.between = way.least;
    b.low = way.there;
  }

  struct Way {
    i64 there;   // no sooner
    Cost least;  // kNoCost: never
  };

  // The way from a copy to a Point on an idle machine.
  Way from(const Copy& c, i32 point) const {
    if (!c.reach || unknown_) return {c.since, 0};
    Way way{kForever, kNoCost};
    if (c.reach[point].energy >= 0) {
      way = {c.since + c.reach[point].time, price(c.reach[point])};
    }
    if (loops_ && c.reach[asked_.target].energy >= 0 && loops_[point].energy >= 0) {
      const Reach &in = c.reach[asked_.target], &out = loops_[point];
      way.there = std::min(way.there, c.since + in.time + out.time);
      way.least = std::min(way.least, price(in) + price(out));
    }
    if (stretch != 100 && way.least < kNoCost) way.least = way.least * stretch / 100;
    return way;
  }

  const Promises& promises_;
  Machine& machine_;
  const Asked& asked_;
  std::vector<Bearing> bearings_;
  std::uint32_t epoch_ = 0;
  std::vector<Copy> copies_;          // those sorted last, the nearest at the end
  std::size_t sorted_ = 0;
  bool few_ = true;
  i64 soonest_ = 0;                   // at the target, on an idle machine
  const Reach* to_target_ = nullptr;  // null if unknown
  const Reach* loops_ = nullptr;      // from the target, where only ways to it may pass it
  bool unknown_ = false;              // whether memory did not suffice for that
};

}  // namespace dtt
