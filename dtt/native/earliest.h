// The first cycle in which a datum can be at a Point: a search forwards over free intervals.
//
// To be in a free interval early is never worse, so each interval of a Point is visited once; in a
// Junction, which nothing waits in, every cycle is an interval of its own.
#pragma once

#include "promises.h"

namespace dtt {

class Forerunner {
 public:
  explicit Forerunner(Promises& promises)
      : promises_(promises), machine_(promises.machine), scratch_(machine_.points.size()) {}

  // Return the cycle, not before `from`; -1 if no path leads there by `latest`; `from` if this is
  // not known after so many steps.
  i64 earliest(i32 datum, i32 target, i32 only, i64 from, i64 floor, i64 latest = kForever,
               i64 steps = kForever) {
    datum_ = datum;
    target_ = target;
    floor_ = floor;
    sized_ = &promises_.sizing(datum);
    reach_ = machine_.to(*sized_, target);
    settled_ = std::max({promises_.settled(), from, floor});
    for (const Label& old : labels_) scratch_[old.point].newest = -1;
    for (const i32 p : placed_) scratch_[p].place = nullptr;
    labels_.clear();
    heap_.clear();
    placed_.clear();
    for (const Place& here : promises_.places[datum]) {
      scratch_[here.point].place = &here;
      placed_.push_back(here.point);
      for (const Stay& s : here.stays) settled_ = std::max(settled_, s.complete);
    }
    for (const Place& here : promises_.places[datum]) {
      if (only >= 0 && here.point != only) continue;
      for (const Stay& s : here.stays) {
        if (s.complete <= s.end) push(here.point, s.complete, -1, -1, 0);
      }
      if (only >= 0) continue;
      for (const Pass& p : here.passes) push(here.point, p.cycle, -1, -1, 0);
    }
    while (!heap_.empty() && heap_.front().bound <= latest) {
      if (steps-- == 0) return from;
      const Step step = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      const i64 until = until_of(step);
      if (step.wire >= 0) {
        const i64 arrival = step.departure + machine_.wires[step.wire].latency;
        const i64 next = until == kForever ? kForever : until + 1 - arrival + step.departure;
        // Once nothing promised changes any more, a later visit to a Junction opens no new way.
        if (next < kForever && step.cycle <= settled_) depart(step.parent, step.wire, next);
      }
      if (step.point == target && until >= from) return std::max(step.cycle, from);
      if (visited(step.point, step.cycle)) continue;
      const i32 made = i32(labels_.size());
      labels_.push_back({step.point, scratch_[step.point].newest, step.cycle, until});
      scratch_[step.point].newest = made;
      for (const i32 w : machine_.outgoing[step.point]) depart(made, w, step.cycle);
    }
    return -1;
  }

 private:
  struct Label {
    i32 point, next;
    i64 cycle, until;
  };

  struct Step {
    i64 bound, cycle, departure;
    i32 point, parent, wire;

    bool operator<(const Step& other) const {
      if (bound != other.bound) return bound > other.bound;
      if (cycle != other.cycle) return cycle < other.cycle;
      if (point != other.point) return point > other.point;
      return std::pair(parent, wire) > std::pair(other.parent, other.wire);
    }
  };

  struct Scratch {
    const Place* place = nullptr;
    i32 newest = -1;
  };

  i64 until_of(const Step& step) const {
    if (!machine_.points[step.point].stores) return step.cycle;
    return promises_.room_until(scratch_[step.point].place, step.point, sized_->rows[step.point],
                                step.cycle);
  }

  bool visited(i32 point, i64 cycle) const {
    const bool stores = machine_.points[point].stores;
    for (i32 i = scratch_[point].newest; i >= 0; i = labels_[i].next) {
      if (labels_[i].cycle <= cycle && cycle <= labels_[i].until) return true;
      if (!stores && labels_[i].cycle > settled_ && cycle > settled_) return true;
    }
    return false;
  }

  void push(i32 point, i64 cycle, i32 parent, i32 wire, i64 departure) {
    if (reach_ && reach_[point].energy < 0) return;
    const i64 bound = cycle + (reach_ ? reach_[point].time : 0);
    heap_.push_back({bound, cycle, departure, point, parent, wire});
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Push the first departure, not before `cycle`, by which a label leads over a Wire.
  void depart(i32 parent, i32 w, i64 cycle) {
    const Label& from = labels_[parent];
    const Wire& wire = machine_.wires[w];
    if (machine_.is_end(wire.target, target_)) return;
    const i64 rest = sized_->last[w];
    const bool leaves_node = machine_.points[from.point].stores;
    const bool onto_node = machine_.points[wire.target].stores;
    if (wire.target == target_) cycle = std::max(cycle, floor_ - wire.latency);
    const i64 high = leaves_node && from.until < kForever ? from.until - rest
                     : leaves_node                        ? kForever - 1
                                                          : from.cycle;
    const Place* there = scratch_[wire.target].place;
    while (cycle <= high) {
      cycle = promises_.first_departure(datum_, *sized_, w, cycle, high);
      if (cycle >= kForever) return;
      const i64 arrival = cycle + wire.latency;
      if (!onto_node && there && there->pass(arrival)) {
        ++cycle;  // it passes there already
        continue;
      }
      if (!onto_node) {
        push(wire.target, arrival, parent, w, cycle);
        return;
      }
      const i64 rows = sized_->rows[wire.target];
      const i64 until = promises_.room_until(there, wire.target, rows, arrival);
      if (until >= arrival + rest) {
        push(wire.target, arrival + rest, parent, w, cycle);
        return;
      }
      const i64 free =
          until < arrival ? promises_.first_room(there, wire.target, rows, arrival) : until + 1;
      if (free >= kForever) return;
      cycle = free - wire.latency;
    }
  }

  Promises& promises_;
  Machine& machine_;
  std::vector<Scratch> scratch_;
  std::vector<Label> labels_;
  std::vector<Step> heap_;
  std::vector<i32> placed_;
  const Sizing* sized_ = nullptr;
  const Reach* reach_ = nullptr;
  i32 datum_ = 0, target_ = 0;
  i64 settled_ = 0, floor_ = 0;
};

}  // namespace dtt
