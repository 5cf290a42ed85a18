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
      Step step = heap_.back();
      heap_.pop_back();
      if (postponed(step)) continue;
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
        add({-1, w, step.cycle, latest(step.until, w), 0, 1});
      }
    }
    return -1;
  }

  // A way out of a Node, or on from a copy in passing: Wires one after another through Junctions.
  struct Way {
    i32 before;        // the way without its last Wire; -1 if that is the only one
    i32 wire;
    i64 departure;     // from where it begins; the first for which all Wires are free, once that is known
    i64 last;          // the last departure that there can be
    i64 offset;        // from there to the departure on the last Wire
    i32 length;
  };

  struct Step {
    i64 bound, cycle, until;  // until: -1 for a way that ends in a Junction
    i32 point, way;
    bool close = false;  // whether the bound says what the Wires on the way tell

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
        for (const i32 w : machine_.outgoing[here.point]) add({-1, w, p.cycle, p.cycle, 0, 1});
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
    push({cycle, cycle, until, point, way});
  }

  // Give a step the idle machine's bound: few of them need to know better.
  void push(Step step) {
    step.bound = step.cycle + reach_[step.point].time;
    heap_.push_back(step);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Look closer at a step that is not the only one left; whether another comes before it.
  bool postponed(Step& step) {
    if (step.close || heap_.empty() || step.point == target_) return false;
    step.close = true;
    step.bound = gates_[target_]->bound(promises_, datum_, *sized_, reach_, step.point, step.cycle,
                                        floor_);
    if (step.bound >= kForever) return true;
    if (step.bound <= heap_.front().bound) return false;
    heap_.push_back(step);
    std::push_heap(heap_.begin(), heap_.end());
    return true;
  }

  // Add a way, and what is taken after it without a choice, unless it leads nowhere.
  void add(Way way) {
    for (;;) {
      const i32 to = machine_.wires[way.wire].target;
      if (reach_[to].energy < 0 || machine_.is_end(to, target_)) return;
      ways_.push_back(way);
      const i32 index = i32(ways_.size()) - 1;
      if (machine_.points[to].stores) return arrive(index, 0);
      const std::vector<i32>& onward = gates_[target_]->onward(to);
      if (onward.size() != 1) {
        if (!depart(ways_[index])) return;
        const i64 there = arrival(ways_[index]);
        return push({there, there, -1, to, index});
      }
      if (passes(index, machine_.wires[onward[0]].target)) return;
      way = longer(index, onward[0]);
    }
  }

  // A way that ends in a Junction, and one more Wire.
  Way longer(i32 index, i32 wire) const {
    const Way& way = ways_[index];
    const i64 offset = way.offset + machine_.wires[way.wire].latency;
    return {index, wire, way.departure, way.last, offset, way.length + 1};
  }

  i64 arrival(const Way& way) const {
    return way.departure + way.offset + machine_.wires[way.wire].latency;
  }

  // Move the departure to the first for which all Wires are free; whether there is one.
  bool depart(Way& way) {
    legs_.resize(std::size_t(way.length));
    const Way* part = &way;
    for (std::size_t i = legs_.size(); i-- > 0; part = i ? &ways_[part->before] : nullptr) {
      legs_[i] = {part->wire, part->offset};
    }
    way.departure = promises_.first_departure(datum_, *sized_, legs_, way.departure, way.last);
    return way.departure < kForever;
  }

  // Follow a way that ends in a Junction over every Wire that leads on.
  void go_on(i32 index) {
    for (const i32 w : gates_[target_]->onward(machine_.wires[ways_[index].wire].target)) {
      if (!passes(index, machine_.wires[w].target)) add(longer(index, w));
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
  std::vector<Leg> legs_;
  std::vector<Step> heap_;
  std::vector<Label> labels_;
  const Sizing* sized_ = nullptr;
  const Reach* reach_ = nullptr;
  i32 datum_ = 0, target_ = 0;
  i64 floor_ = 0;
};

}  // namespace dtt
