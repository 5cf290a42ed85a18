// The first cycle in which a datum can be at a Point, where Junctions lie between.
//
// `Forerunner` visits a Junction once for each cycle in which the datum could be there, for ever on
// a busy machine. Here a way from one Node to the next, through Junctions, is one step: all its Wires
// are taken at fixed distances from the departure, so the first departure for which all are free is
// found by jumping from one busy span to the next. Where there are too many such ways, `Forerunner`
// is asked.
#pragma once

#include "earliest.h"
#include "gates.h"

namespace dtt {

class Scout {
 public:
  explicit Scout(Promises& promises)
      : promises_(promises),
        machine_(promises.machine),
        forerunner_(promises),
        places_(machine_.points.size()) {
    for (const Point& p : machine_.points) junctions_ = junctions_ || !p.stores;
  }

  // Return the cycle, not before `from`; -1 if no path ever leads there.
  i64 earliest(i32 datum, i32 target, i32 only, i64 from, i64 floor) {
    const i64 found = junctions_ ? search(datum, target, only, from, floor) : kGaveUp;
    return found != kGaveUp ? found : forerunner_.earliest(datum, target, only, from, floor);
  }

 private:
  static constexpr i64 kGaveUp = -2;
  static constexpr i64 kBudget = 1 << 16;

  i64 search(i32 datum, i32 target, i32 only, i64 from, i64 floor) {
    datum_ = datum;
    target_ = target;
    floor_ = floor;
    sized_ = &promises_.sizing(datum);
    reach_ = machine_.to(*sized_, target);
    if (!reach_) return kGaveUp;
    if (gates_.empty()) gates_.resize(machine_.points.size());
    if (!gates_[target]) gates_[target] = std::make_unique<Gates>(machine_, target);
    begin(only);
    for (i64 budget = kBudget; !heap_.empty(); --budget) {
      if (budget == 0) return kGaveUp;
      std::pop_heap(heap_.begin(), heap_.end());
      const Step step = heap_.back();
      heap_.pop_back();
      if (step.until < 0) {
        go_on(step.way);
        continue;
      }
      if (step.way >= 0 && step.until < kForever - 1) arrive(step.way, step.until + 1);
      if (step.point == target && step.until >= from) return std::max(step.cycle, from);
      if (visited(step)) continue;
      labels_.push_back({step.point, newest(step.point), step.cycle, step.until});
      places_[step.point].newest = i32(labels_.size()) - 1;
      for (const i32 w : machine_.outgoing[step.point]) {
        add({-1, w, step.cycle, latest(step.until, w), 0, 0});
      }
    }
    return -1;
  }

  // A way out of a Node, or on from a copy in passing: Wires one after another through Junctions.
  struct Way {
    i32 before;        // the way without its last Wire; -1 if that is the only one
    i32 wire;
    i64 departure;     // from where it begins, the first for which all Wires are free
    i64 last;          // the last departure that there can be
    i64 offset;        // from there to the departure on the last Wire
    i32 length;
  };

  struct Step {
    i64 bound, cycle, until;  // until: -1 for a way that ends in a Junction
    i32 point, way;

    bool operator<(const Step& other) const {
      if (bound != other.bound) return bound > other.bound;
      if (cycle != other.cycle) return cycle < other.cycle;
      return std::pair(point, way) > std::pair(other.point, other.way);
    }
  };

  struct Label {
    i32 point, next;
    i64 cycle, until;
  };

  struct Scratch {
    const Place* place = nullptr;
    i32 newest = -1;
    std::uint32_t epoch = 0;
  };

  void begin(i32 only) {
    ++epoch_;
    ways_.clear();
    heap_.clear();
    labels_.clear();
    for (const Place& here : promises_.places[datum_]) scratch(here.point).place = &here;
    for (const Place& here : promises_.places[datum_]) {
      if (only >= 0 && here.point != only) continue;
      for (const Stay& s : here.stays) {
        if (s.complete <= s.end) reached(here.point, s.complete, -1);
      }
      if (only >= 0) continue;
      for (const Pass& p : here.passes) {
        for (const i32 w : machine_.outgoing[here.point]) add({-1, w, p.cycle, p.cycle, 0, 0});
      }
    }
  }

  Scratch& scratch(i32 point) {
    Scratch& s = places_[point];
    if (s.epoch != epoch_) s = {nullptr, -1, epoch_};
    return s;
  }

  i32 newest(i32 point) { return scratch(point).newest; }

  bool visited(const Step& step) {
    for (i32 i = newest(step.point); i >= 0; i = labels_[i].next) {
      if (labels_[i].cycle <= step.cycle && step.cycle <= labels_[i].until) return true;
    }
    return false;
  }

  i64 latest(i64 until, i32 wire) const {
    return until == kForever ? kForever - 1 : until - sized_->last[wire];
  }

  // Note that the datum can be complete at a Node in a cycle.
  void reached(i32 point, i64 cycle, i32 way) {
    if (reach_[point].energy < 0) return;
    const i64 until =
        promises_.room_until(scratch(point).place, point, sized_->rows[point], cycle);
    push({bound(point, cycle), cycle, until, point, way});
  }

  i64 bound(i32 point, i64 cycle) const {
    return gates_[target_]->bound(promises_, datum_, *sized_, reach_, point, cycle, floor_);
  }

  void push(Step step) {
    if (step.bound >= kForever) return;
    heap_.push_back(step);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Add a way whose Wires before the last are free, unless it leads nowhere.
  void add(Way way) {
    const i32 to = machine_.wires[way.wire].target;
    if (reach_[to].energy < 0 || machine_.is_end(to, target_)) return;
    ways_.push_back(way);
    const i32 index = i32(ways_.size()) - 1;
    if (machine_.points[to].stores) {
      arrive(index, 0);
    } else if (depart(ways_[index])) {
      const i64 there = arrival(ways_[index]);
      push({bound(to, there), there, -1, to, index});
    }
  }

  i64 arrival(const Way& way) const {
    return way.departure + way.offset + machine_.wires[way.wire].latency;
  }

  // Move the departure to the first for which all Wires are free; whether there is one.
  bool depart(Way& way) {
    for (const Way* part = &way; part;) {
      const i64 there = way.departure + part->offset;
      const i64 found = first_departure(part->wire, there, way.last + part->offset);
      if (found >= kForever) return false;
      way.departure = found - part->offset;
      if (found != there && part != &way) {
        part = &way;  // once more from the last Wire on
      } else {
        part = part->before < 0 ? nullptr : &ways_[part->before];
      }
    }
    return way.departure <= way.last;
  }

  i64 first_departure(i32 w, i64 cycle, i64 high) {
    const Wire& wire = machine_.wires[w];
    const bool passing = !machine_.points[wire.target].stores;
    const Place* there = passing ? scratch(wire.target).place : nullptr;
    for (;; ++cycle) {
      cycle = promises_.first_departure(datum_, *sized_, w, cycle, high);
      // Nothing arrives at a Junction on two Wires in the same cycle.
      if (cycle >= kForever || !there || !there->pass(cycle + wire.latency)) return cycle;
    }
  }

  // Follow a way that ends in a Junction over every Wire that it has not passed.
  void go_on(i32 index) {
    const Way before = ways_[index];
    const i32 here = machine_.wires[before.wire].target;
    const i64 offset = before.offset + machine_.wires[before.wire].latency;
    for (const i32 w : machine_.outgoing[here]) {
      if (passes(index, machine_.wires[w].target)) continue;
      add({index, w, before.departure, before.last, offset, before.length + 1});
    }
  }

  bool passes(i32 index, i32 point) const {
    for (; index >= 0; index = ways_[index].before) {
      if (machine_.wires[ways_[index].wire].target == point) return true;
    }
    return false;
  }

  // Let a way that ends in a Node begin to arrive there in the first cycle, not before `from`, from
  // which there is room.
  void arrive(i32 index, i64 from) {
    Way way = ways_[index];
    const i32 to = machine_.wires[way.wire].target;
    const i64 to_arrival = way.offset + machine_.wires[way.wire].latency;
    const i64 rest = sized_->last[way.wire], rows = sized_->rows[to];
    if (to == target_) from = std::max(from, floor_);
    way.departure = std::max(way.departure, from - to_arrival);
    const Place* there = scratch(to).place;
    while (depart(way)) {
      const i64 first = way.departure + to_arrival;
      const i64 until = promises_.room_until(there, to, rows, first);
      if (until >= first + rest) {
        ways_[index] = way;
        reached(to, first + rest, index);
        return;
      }
      const i64 free =
          until < first ? promises_.first_room(there, to, rows, first) : until + 1;
      if (free >= kForever) return;
      way.departure = free - to_arrival;
    }
  }

  Promises& promises_;
  Machine& machine_;
  Forerunner forerunner_;
  std::vector<std::unique_ptr<Gates>> gates_;
  bool junctions_ = false;
  std::vector<Scratch> places_;
  std::uint32_t epoch_ = 0;
  std::vector<Way> ways_;
  std::vector<Step> heap_;
  std::vector<Label> labels_;
  const Sizing* sized_ = nullptr;
  const Reach* reach_ = nullptr;
  i32 datum_ = 0, target_ = 0;
  i64 floor_ = 0;
};

}  // namespace dtt
