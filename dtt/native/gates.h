// Gates: what every path to a target must pass, and when it can at the earliest.
//
// The *gate* of a Point is the first other Point that all paths from it to the target pass. From the
// Point a path leaves at last over one of its *exits*: Wires from which the target is reached without
// coming back. When the exits are busy for long, this tells how late a path must be, however it goes.
#pragma once

#include "promises.h"

namespace dtt {

class Gates {
 public:
  Gates(const Machine& machine, i32 target) : machine_(machine), target_(target) {
    const i32 count = i32(machine.points.size());
    gate_.assign(count, -1);
    exits_.resize(count);
    std::vector<i32> depth(count, 0);  // how many Points all paths from here pass
    std::vector<std::vector<bool>> reached(count);
    const std::vector<bool> all = reach_without(-1);
    for (i32 p = 0; p < count; ++p) {
      reached[p] = reach_without(p);
      for (i32 q = 0; q < count; ++q) depth[q] += all[q] && !reached[p][q] && p != q;
      for (const i32 w : machine.outgoing[p]) {
        if (p != target && reached[p][machine.wires[w].target]) exits_[p].push_back(w);
      }
    }
    for (i32 p = 0; p < count; ++p) {
      for (i32 q = 0; q < count; ++q) {
        if (!all[q] || reached[p][q] || p == q) continue;
        if (gate_[q] < 0 || depth[p] > depth[gate_[q]]) gate_[q] = p;
      }
    }
  }

  // A lower bound on the cycle in which a datum that is at a Point in a cycle is at the target.
  i64 bound(const Promises& promises, i32 datum, const Sizing& sized, const Reach* reach, i32 point,
            i64 cycle, i64 floor) const {
    while (point != target_) {
      const i32 gate = gate_[point];
      i64 soonest = kForever;
      for (const i32 w : exits_[point]) {
        const Wire& wire = machine_.wires[w];
        i64 from = cycle;
        if (wire.target == target_) from = std::max(from, floor - wire.latency);
        const i64 departure = promises.first_departure(datum, sized, w, from, kForever - 1);
        if (departure >= kForever) continue;
        i64 there = departure + wire.latency;
        if (machine_.points[wire.target].stores) there += sized.last[w];
        there += std::max(reach[wire.target].time - reach[gate].time, 0);
        soonest = std::min(soonest, there);
      }
      if (soonest == kForever) return kForever;
      cycle = std::max(soonest, cycle + reach[point].time - reach[gate].time);
      point = gate;
    }
    return cycle;
  }

 private:
  // From which Points the target is reached by paths that do not pass another.
  std::vector<bool> reach_without(i32 other) const {
    std::vector<bool> seen(machine_.points.size(), false);
    std::vector<i32> frontier;
    if (target_ != other) {
      seen[target_] = true;
      frontier.push_back(target_);
    }
    while (!frontier.empty()) {
      const i32 here = frontier.back();
      frontier.pop_back();
      for (const i32 w : machine_.incoming[here]) {
        const i32 source = machine_.wires[w].source;
        if (source == other || seen[source]) continue;
        seen[source] = true;
        frontier.push_back(source);
      }
    }
    return seen;
  }

  const Machine& machine_;
  const i32 target_;
  std::vector<i32> gate_;
  std::vector<std::vector<i32>> exits_;
};

}  // namespace dtt
