// The way of least energy where no Node but the first and the last lies on it, and staying is free.
//
// `Router` asks each Wire for one departure after the other; behind Junctions, and with time to spare,
// these are all the cycles there are. Here the ways back from the target through Junctions are taken
// by their energy, and of each the first departure is found for which all its Wires are free. When a
// way through some other Node might cost less, `Router` is asked.
#pragma once

#include "route.h"

namespace dtt {

class Courier {
 public:
  explicit Courier(Promises& promises)
      : router(promises), promises_(promises), machine_(promises.machine) {
    for (const Point& p : machine_.points) {
      junctions_ = junctions_ || !p.stores;
      free_ = free_ && p.hold == 0;
    }
  }

  Router router;

  bool route(i32 datum, i32 target, i64 deadline, i64 until, i32 only, i64 floor, Way& way) {
    if (junctions_ && free_ && router.bearings.stretch == 100) {
      const Answer answer = search(datum, target, deadline, until, only, floor, way);
      if (answer != kUnsure) return answer == kFound;
    }
    return router.route(datum, target, deadline, until, only, floor, way);
  }

 private:
  enum Answer { kFound, kNone, kUnsure };

  static constexpr i64 kBudget = 4096;

  // Wires one after another through Junctions, the last into the target; the first leaves `point`.
  struct Tail {
    i32 after, wire, point;  // the tail without its first Wire; -1 if that is the only one
    Cost cost;
  };

  struct Step {
    Cost bound;
    i32 tail;

    bool operator<(const Step& other) const {
      return bound != other.bound ? bound > other.bound : tail > other.tail;
    }
  };

  Answer search(i32 datum, i32 target, i64 deadline, i64 until, i32 only, i64 floor, Way& way) {
    datum_ = datum;
    only_ = only;
    sized_ = &promises_.sizing(datum);
    const Place* there = promises_.place(datum, target);
    const i64 rows = sized_->rows[target];
    if (promises_.room_since(there, target, rows, until) > deadline) return kNone;
    const i64 since = promises_.room_since(there, target, rows, deadline);
    if (since > deadline) return kNone;
    if (there && (only < 0 || only == target) && in_place(*there, since, deadline, way)) {
      way.point = target;
      return kFound;
    }
    floor_ = std::max(since, floor);
    deadline_ = deadline;
    tails_.clear();
    heap_.clear();
    best_ = kNoCost;
    least_sum_ = kForever;
    extend(-1, target, 0);
    for (i64 budget = kBudget; !heap_.empty() && heap_.front().bound <= best_; --budget) {
      if (budget == 0) return kUnsure;
      std::pop_heap(heap_.begin(), heap_.end());
      const i32 tail = heap_.back().tail;
      heap_.pop_back();
      const i32 point = tails_[tail].point;
      if (machine_.points[point].stores) {
        // What came to the target by `floor` or later could have stayed there: no way leads on.
        const bool end = machine_.is_end(point, target) || (point == target && since <= floor);
        if (!leave(tail) && !end) return kUnsure;
      } else {
        pick_up(tail);
        extend(tail, point, tails_[tail].cost);
      }
    }
    if (best_ == kNoCost) return kNone;
    way = found_;
    return kFound;
  }

  bool in_place(const Place& here, i64 since, i64 deadline, Way& way) const {
    for (auto s = here.stays.rbegin(); s != here.stays.rend(); ++s) {
      if (s->complete > deadline || s->complete > s->end) continue;
      if (since > s->end) return false;
      way.since = std::min(s->end, deadline);
      way.moves.clear();
      way.energy = 0;
      return true;
    }
    return false;
  }

  // Put every Wire into a Point before a tail.
  void extend(i32 after, i32 point, Cost so_far) {
    for (const i32 w : machine_.incoming[point]) {
      const Wire& wire = machine_.wires[w];
      if (passes(after, wire.source)) continue;
      const Cost whole = so_far + cost(Cost(wire.energy) * sized_->size, 1);
      const Cost more = from_copies(wire.source);
      if (more == kNoCost) continue;
      tails_.push_back({after, w, wire.source, whole});
      heap_.push_back({whole + more, i32(tails_.size()) - 1});
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  // Whether a tail leaves a Point already. (It may leave the target: a datum may go and come back.)
  bool passes(i32 tail, i32 point) const {
    for (; tail >= 0; tail = tails_[tail].after) {
      if (tails_[tail].point == point) return true;
    }
    return false;
  }

  // At least what it costs from any copy to a Point; kNoCost if no way leads there.
  Cost from_copies(i32 point) {
    const Reach* reach = machine_.to(*sized_, point);
    if (!reach) return 0;
    Cost least = kNoCost;
    for (const First& here : promises_.firsts[datum_]) {
      if ((only_ >= 0 && here.point != only_) || here.since == kForever) continue;
      const Reach& r = reach[here.point];
      if (r.energy < 0) continue;
      least = std::min(least, cost(Cost(r.energy) * sized_->size, r.moves));
    }
    return least;
  }

  // Let a tail begin at a copy that stays in its Node; return whether it can.
  bool leave(i32 tail) {
    const i32 point = tails_[tail].point;
    const Place* here = promises_.place(datum_, point);
    if (!here || (only_ >= 0 && point != only_)) return false;
    const i64 rest = sized_->last[tails_[tail].wire];
    for (const Stay& s : here->stays) {
      if (s.complete > s.end) continue;
      const i64 until = promises_.room_until(here, point, sized_->rows[point], s.complete);
      const i64 high = until >= kForever - 1 ? kForever - 1 : until - rest;
      const i64 departure = depart(tail, s.complete, high);
      if (departure < 0) continue;
      offer(tail, departure, since_of(*here, departure));
      return true;
    }
    return false;
  }

  // The cycle of the copy that is held until a departure: the last one that is promised anyway.
  static i64 since_of(const Place& here, i64 departure) {
    i64 found = departure;
    for (const Stay& s : here.stays) {
      if (s.complete <= departure && s.complete <= s.end) found = std::min(s.end, departure);
    }
    return found;
  }

  // Let a tail begin at a copy that passes its Junction.
  void pick_up(i32 tail) {
    if (only_ >= 0) return;
    const Place* here = promises_.place(datum_, tails_[tail].point);
    if (!here) return;
    for (const Pass& p : here->passes) {
      if (shares(tail, p.junctions) || depart(tail, p.cycle, p.cycle) < 0) continue;
      offer(tail, p.cycle, p.cycle);
    }
  }

  // Whether a tail passes one of the Junctions that lie before a copy in passing.
  bool shares(i32 tail, i32 set) const {
    const std::vector<i32>& before = promises_.junction_sets[set];
    for (; tail >= 0; tail = tails_[tail].after) {
      const i32 to = machine_.wires[tails_[tail].wire].target;
      if (std::binary_search(before.begin(), before.end(), to)) return true;
    }
    return false;
  }

  // The first departure in low .. high by which all Wires of a tail are free and it is in time; -1.
  i64 depart(i32 tail, i64 low, i64 high) {
    legs_.clear();
    i64 whole = 0;
    i32 last = tail;
    for (i32 t = tail; t >= 0; t = tails_[t].after) {
      legs_.push_back({tails_[t].wire, whole});
      whole += machine_.wires[tails_[t].wire].latency;
      last = t;
    }
    high = std::min(high, deadline_ - sized_->last[tails_[last].wire] - whole);
    const i64 found =
        promises_.first_departure(datum_, *sized_, legs_, std::max(low, floor_ - whole), high);
    return found < kForever ? found : -1;
  }

  // Note a way, if it is better: less energy, fewer Moves, earlier departures.
  void offer(i32 tail, i64 departure, i64 since) {
    const Cost whole = tails_[tail].cost;
    Way way{tails_[tail].point, since, {}, whole >> 32};
    i64 cycle = departure, sum = 0;
    for (i32 t = tail; t >= 0; t = tails_[t].after) {
      way.moves.emplace_back(tails_[t].wire, cycle);
      sum += cycle;
      cycle += machine_.wires[tails_[t].wire].latency;
    }
    if (whole > best_ || (whole == best_ && sum >= least_sum_)) return;
    best_ = whole;
    least_sum_ = sum;
    found_ = std::move(way);
  }

  Promises& promises_;
  Machine& machine_;
  bool junctions_ = false, free_ = true;
  std::vector<Tail> tails_;
  std::vector<Step> heap_;
  std::vector<Leg> legs_;
  Way found_;
  Cost best_ = kNoCost;
  i64 least_sum_ = 0, floor_ = 0, deadline_ = 0;
  const Sizing* sized_ = nullptr;
  i32 datum_ = 0, only_ = -1;
};

}  // namespace dtt
