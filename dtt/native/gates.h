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
    onward_.resize(count);
    std::vector<i32> depth(count, 0);  // how many Points all paths from here pass
    std::vector<std::vector<bool>> reached(count);
    const std::vector<bool> all = reach_without(-1);
    for (i32 p = 0; p < count; ++p) {
      reached[p] = reach_without(p);
      for (i32 q = 0; q < count; ++q) depth[q] += all[q] && !reached[p][q] && p != q;
      for (const i32 w : machine.outgoing[p]) {
        const bool exit = p != target && reached[p][machine.wires[w].target];
        if (exit) exits_[p].push_back({{{w, 0}}, 0});
        if (!machine.points[p].stores && (exit || finds_node(p, w))) onward_[p].push_back(w);
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
        const i32 last_wire = exit.legs.back().wire;
        const Wire& last = machine_.wires[last_wire];
        i64 from = cycle;
        if (last.target == target_) from = std::max(from, floor - exit.latency);
        const i64 departure =
            promises.first_departure(datum, sized, exit.legs, from, kForever - 1);
        if (departure >= kForever) continue;
        i64 there = departure + exit.latency;
        if (machine_.points[last.target].stores) there += sized.last[last_wire];
        if (exits_[point].size() == 1) {
          next = last.target == gate || exit.legs.size() > 1 ? last.target : gate;
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

  // The Wires over which a datum that came to a Junction can go on to the target: not those that only
  // lead back to it, unless there is a Node on the way.
  const std::vector<i32>& onward(i32 junction) const { return onward_[junction]; }

 private:
  struct Exit {
    std::vector<Leg> legs;  // the exit, and what is taken after it without a choice
    i64 latency;
  };

  void follow(i32 point, Exit& exit) const {
    for (i32 w = exit.legs[0].wire;;) {
      const i32 to = machine_.wires[w].target;
      exit.latency += machine_.wires[w].latency;
      if (to != gate_[point] || machine_.points[to].stores || exits_[to].size() != 1) return;
      point = to;
      w = exits_[to][0].legs[0].wire;
      exit.legs.push_back({w, exit.latency});
    }
  }

  // Whether a datum that takes a Wire out of a Junction can come to a Node other than the target
  // before it is back.
  bool finds_node(i32 junction, i32 wire) const {
    std::vector<bool> seen(machine_.points.size(), false);
    std::vector<i32> frontier{machine_.wires[wire].target};
    seen[junction] = seen[frontier[0]] = true;
    while (!frontier.empty()) {
      const i32 here = frontier.back();
      frontier.pop_back();
      if (here == target_ || machine_.is_end(here, target_)) continue;
      if (machine_.points[here].stores) return true;
      for (const i32 w : machine_.outgoing[here]) {
        const i32 to = machine_.wires[w].target;
        if (!seen[to]) frontier.push_back(to);
        seen[to] = true;
      }
    }
    return false;
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
  std::vector<std::vector<i32>> onward_;
};

}  // namespace dtt
