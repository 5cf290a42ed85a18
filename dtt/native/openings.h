// What is promised, and what may still be: room for a datum in a Node, a departure on a Wire.
#pragma once

#include "places.h"
#include "taken.h"

namespace dtt {

class Openings {
 public:
  Openings(Machine& machine_, std::vector<i64> sizes_, i32 actors)
      : machine(machine_),
        sizes(std::move(sizes_)),
        lanes(machine.wires.size()),
        rows(machine.points.size()),
        units(actors),
        places(sizes.size()),
        firsts(sizes.size()),
        taken_(machine.wires.size(), Taken(Taken::cycles_known(machine.wires.size()))),
        departed_(sizes.size()) {}

  Machine& machine;
  const std::vector<i64> sizes;
  std::vector<Occupancy> lanes, rows, units;
  std::vector<std::vector<Place>> places;  // of each datum, by point
  std::vector<Few<First>> firsts;          // of each of these places, in the same order
  std::vector<Move> moves;                 // in the order of their promises
  std::vector<std::vector<i32>> junction_sets;

  const Sizing& sizing(i32 datum) { return machine.sizing(sizes[datum]); }

  i64 settled() const {
    i64 last = 0;
    for (const auto* group : {&lanes, &rows, &units}) {
      for (const Occupancy& used : *group) last = std::max(last, used.settled());
    }
    return last;
  }

  const Place* place(i32 datum, i32 point) const {
    const std::size_t at = lower(datum, point);
    const auto& mine = firsts[datum];
    return at < mine.size() && mine[at].point == point ? &places[datum][at] : nullptr;
  }

  // The first cycle s for which the datum may be at a Point in all of s .. last, as one presence;
  // last + 1 if it cannot be there in `last`.
  i64 room_since(const Place* here, i32 point, i64 rows_needed, i64 last) const {
    const i64 limit = machine.points[point].rows - rows_needed;
    const i64 cut = here ? here->last_update(last) : -1;
    for (i64 cycle = last;;) {
      cycle = rows[point].last_above(cycle, limit);
      if (cycle <= cut) return cut + 1;
      const Stay* own = here ? here->stay_before(cycle) : nullptr;
      if (!own || own->last() < cycle) return cycle + 1;
      if ((cycle = own->begin - 1) <= cut) return cut + 1;
    }
  }

  // The last cycle e for which the datum may be at a Point in all of first .. e, as one presence;
  // first - 1 if it cannot be there in `first`.
  i64 room_until(const Place* here, i32 point, i64 rows_needed, i64 first) const {
    const i64 limit = machine.points[point].rows - rows_needed;
    const i64 cut = here ? here->next_update(first) : kForever;
    const i64 end = cut < kForever ? cut - 1 : kForever;
    for (i64 cycle = first;;) {
      cycle = rows[point].first_above(cycle, limit);
      if (cycle > end || cycle == kForever) return end;
      const Stay* own = here ? here->stay_before(cycle) : nullptr;
      if (!own || own->last() < cycle) return std::min(cycle - 1, end);
      if ((cycle = own->last() + 1) > end) return end;
    }
  }

  // The last cycle, not after `cycle`, in which there is room for the datum; -1 if none.
  i64 last_room(const Place* here, i32 point, i64 rows_needed, i64 cycle) const {
    if (cycle < 0) return -1;
    i64 found = rows[point].last_within(cycle, machine.points[point].rows - rows_needed);
    if (!here) return found;
    if (const Stay* own = here->stay_before(cycle)) {
      found = std::max(found, std::min(own->last(), cycle));
    }
    const bool updated = found >= 0 && here->last_update(found) == found;
    return updated ? last_room(here, point, rows_needed, found - 1) : found;
  }

  // The first cycle, not before `cycle`, in which there is room for the datum; kForever if none.
  i64 first_room(const Place* here, i32 point, i64 rows_needed, i64 cycle) const {
    i64 found = rows[point].first_within(cycle, machine.points[point].rows - rows_needed);
    if (!here) return found;
    for (const Stay& s : here->stays) {
      if (s.last() >= cycle) {
        found = std::min(found, std::max(s.begin, cycle));
        break;
      }
    }
    const bool updated = found < kForever && here->next_update(found) == found;
    return updated ? first_room(here, point, rows_needed, found + 1) : found;
  }

  bool room(i32 datum, i32 point, i64 first, i64 last) {
    const i64 needed = sizing(datum).rows[point];
    return room_since(place(datum, point), point, needed, last) <= first;
  }

  bool departs(i32 datum, i32 wire, i64 cycle) const {
    const auto& mine = departed_[datum];
    return std::binary_search(mine.begin(), mine.end(), std::pair(wire, cycle));
  }

  // The last departure in low .. cycle for which the Wire has free lanes; -1 if there is none.
  i64 last_departure(i32 datum, const Sizing& sized, i32 wire, i64 cycle, i64 low) const {
    const Occupancy& used = lanes[wire];
    const i64 rest = sized.last[wire], limit = sized.tail_limit[wire];
    if (cycle >= low && taken_[wire].idle(cycle, cycle + rest)) return cycle;
    for (i64 tail = cycle + rest; tail >= low + rest;) {
      tail = used.last_within(tail, limit);
      if (tail < low + rest || tail < rest) return -1;
      if (rest == 0) {
        if (used.at(tail) == 0 || !departs(datum, wire, tail)) return tail;
        --tail;
        continue;
      }
      const i64 busy = used.last_above(tail - 1, 0);
      if (busy < tail - rest) return tail - rest;
      tail = busy;  // the last beat may share this cycle, the others may not
    }
    return -1;
  }

  // The first cycle from which, up to a departure that is possible, all others are possible too.
  i64 possible_since(i32 datum, const Sizing& sized, i32 wire, i64 cycle) const {
    const i64 rest = sized.last[wire];
    if (rest) return lanes[wire].last_above(cycle + rest - 1, 0) + 1;
    const auto& mine = departed_[datum];
    auto after = std::upper_bound(mine.begin(), mine.end(), std::pair(wire, cycle));
    const bool any = after != mine.begin() && (--after)->first == wire;
    return std::max(lanes[wire].last_above(cycle, sized.tail_limit[wire]), any ? after->second : -1) + 1;
  }

  // The first departure in cycle .. high for which the Wire has free lanes; kForever if none.
  i64 first_departure(i32 datum, const Sizing& sized, i32 wire, i64 cycle, i64 high) const {
    const Occupancy& used = lanes[wire];
    const i64 rest = sized.last[wire], limit = sized.tail_limit[wire];
    if (cycle <= high && taken_[wire].idle(cycle, cycle + rest)) return cycle;
    while (cycle <= high && rest == 0) {
      cycle = used.first_within(cycle, limit);
      if (cycle > high) break;
      if (used.at(cycle) == 0 || !departs(datum, wire, cycle)) return cycle;
      ++cycle;
    }
    // The last beat may share its cycle, the others may not.
    for (; cycle <= high && rest > 0; cycle += rest + 1) {
      cycle = used.first_gap(cycle, limit > 0 ? rest : rest + 1);
      if (cycle <= high && used.at(cycle + rest) <= limit) return cycle;
    }
    return kForever;
  }

  // The first departure in cycle .. high for which Wires one after another through Junctions are all
  // free; kForever if none. (Nothing arrives at a Junction on two Wires in the same cycle.)
  i64 first_departure(i32 datum, const Sizing& sized, const std::vector<Leg>& legs, i64 cycle,
                      i64 high) const {
    // All Wires of a Junction are alike; where the last beat fills its cycle, all are taken whole.
    const bool whole = sized.tail_limit[legs[0].wire] == 0;
    for (; cycle <= high; ++cycle) {
      cycle = whole ? first_idle(legs, sized.last[legs[0].wire] + 1, cycle, high)
                    : first_shared(datum, sized, legs, cycle, high);
      if (cycle > high) break;
      if (!meets_itself(datum, legs, cycle)) return cycle;
    }
    return kForever;
  }

  std::vector<i32> passed_at(i32 datum, i32 point, i64 cycle) const {
    const Place* here = place(datum, point);
    const Pass* found = here ? here->pass(cycle) : nullptr;
    return found ? junction_sets[found->junctions] : std::vector<i32>{};
  }

 protected:
  std::size_t lower(i32 datum, i32 point) const {
    const auto& mine = firsts[datum];
    auto found = std::lower_bound(mine.begin(), mine.end(), point,
                                  [](const First& f, i32 wanted) { return f.point < wanted; });
    return std::size_t(found - mine.begin());
  }

  std::vector<Taken> taken_;                                // of each Wire
  std::vector<std::vector<std::pair<i32, i64>>> departed_;  // Wire and cycle of each datum's Moves

 private:
  i64 first_idle(const std::vector<Leg>& legs, i64 length, i64 cycle, i64 high) const {
    while (cycle <= high && !Taken::find(taken_, legs, length, cycle, high)) {
      const i64 before = cycle;
      for (const Leg& leg : legs) {
        const i64 found = lanes[leg.wire].first_gap(cycle + leg.offset, length);
        if (found >= kForever) return kForever;
        cycle = found - leg.offset;
      }
      if (cycle == before) return cycle;
    }
    return cycle <= high ? cycle : kForever;
  }

  i64 first_shared(i32 datum, const Sizing& sized, const std::vector<Leg>& legs, i64 cycle,
                   i64 high) const {
    for (i64 before = -1; before != cycle;) {
      before = cycle;
      for (const Leg& leg : legs) {
        const i64 last = std::min(high + leg.offset, kForever - 1);
        const i64 found = first_departure(datum, sized, leg.wire, cycle + leg.offset, last);
        if (found >= kForever) return kForever;
        cycle = found - leg.offset;
      }
    }
    return cycle;
  }

  // Whether the datum, so departing, arrives at a Junction when it passes there already.
  bool meets_itself(i32 datum, const std::vector<Leg>& legs, i64 cycle) const {
    for (const Leg& leg : legs) {
      const Wire& wire = machine.wires[leg.wire];
      const Place* there = machine.points[wire.target].stores ? nullptr : place(datum, wire.target);
      if (there && there->pass(cycle + leg.offset + wire.latency)) return true;
    }
    return false;
  }
};

}  // namespace dtt
