// Gates: what every path to a target must pass, and when it can at the earliest.
//
// The *gate* of a Point is the first other Point that all paths from it to the target pass. From the
// Point a path leaves at last over one of its *exits*: Wires from which the target is reached without
// coming back. Where one Junction follows another and there is only one exit, the Wires are taken at
// fixed distances. When they are busy for long, this tells how late a path must be, however it goes.
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
        if (p != target && reached[p][machine.wires[w].target]) exits_[p].push_back({{w}, 0});
      }
    }
    for (i32 p = 0; p < count; ++p) {
      for (i32 q = 0; q < count; ++q) {
        if (!all[q] || reached[p][q] || p == q) continue;
        if (gate_[q] < 0 || depth[p] > depth[gate_[q]]) gate_[q] = p;
      }
    }
    for (i32 p = 0; p < count; ++p) {
      for (Exit& exit : exits_[p]) follow(p, exit);
    }
  }

  // A lower bound on the cycle in which a datum that is at a Point in a cycle is at the target.
  i64 bound(const Promises& promises, i32 datum, const Sizing& sized, const Reach* reach, i32 point,
            i64 cycle, i64 floor) const {
    while (point != target_) {
      const i32 gate = gate_[point];
      i64 soonest = kForever;
      i32 next = gate;
      for (const Exit& exit : exits_[point]) {
        const Wire& last = machine_.wires[exit.wires.back()];
        i64 from = cycle;
        if (last.target == target_) from = std::max(from, floor - exit.latency);
        const i64 departure = first_departure(promises, datum, sized, exit.wires, from);
        if (departure >= kForever) continue;
        i64 there = departure + exit.latency;
        if (machine_.points[last.target].stores) there += sized.last[exit.wires.back()];
        if (exits_[point].size() == 1) {
          next = last.target == gate || exit.wires.size() > 1 ? last.target : gate;
        }
        there += reach[last.target].time - reach[next].time;  // back to the gate if it lies before
        soonest = std::min(soonest, there);
      }
      if (soonest == kForever) return kForever;
      cycle = std::max(soonest, cycle + reach[point].time - reach[next].time);
      point = next;
    }
    return cycle;
  }

  // The first departure, not before `cycle`, for which Wires that follow each other are all free.
  // (Nothing arrives at a Junction on two Wires in the same cycle.)
  i64 first_departure(const Promises& promises, i32 datum, const Sizing& sized,
                      const std::vector<i32>& wires, i64 cycle) const {
    i64 offset = 0;
    for (std::size_t i = 0; i < wires.size();) {
      const Wire& wire = machine_.wires[wires[i]];
      const i64 found =
          promises.first_departure(datum, sized, wires[i], cycle + offset, kForever - 1);
      if (found >= kForever) return kForever;
      const bool passing = !machine_.points[wire.target].stores;
      const Place* there = passing ? promises.place(datum, wire.target) : nullptr;
      const bool met = there && there->pass(found + wire.latency);
      if (met || (found != cycle + offset && i > 0)) {
        cycle = found - offset + met;
        i = 0;
        offset = 0;
        continue;
      }
      cycle = found - offset;
      offset += wire.latency;
      ++i;
    }
    return cycle;
  }

 private:
  struct Exit {
    std::vector<i32> wires;  // the exit, and what is taken after it without a choice
    i64 latency;
  };

  void follow(i32 point, Exit& exit) const {
    for (i32 w = exit.wires[0];;) {
      const i32 to = machine_.wires[w].target;
      exit.latency += machine_.wires[w].latency;
      if (to != gate_[point] || machine_.points[to].stores || exits_[to].size() != 1) return;
      point = to;
      w = exits_[to][0].wires[0];
      exit.wires.push_back(w);
    }
  }

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
      if (machine_.is_end(here, target_)) continue;
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
  std::vector<std::vector<Exit>> exits_;
};

}  // namespace dtt
