// Everything promised so far: lanes, rows and units in use, and where each datum is when.
#pragma once

#include <set>

#include "few.h"
#include "machine.h"
#include "taken.h"

namespace dtt {

// One presence of a datum in a Node: space from `begin`, readable from `complete`, last promised
// use in `end`; space is kept to the end of time while it is `open`.
struct Stay {
  i64 begin, complete, end;
  bool open;
  i64 last() const { return open ? kForever : end; }
};

struct Pass {
  i64 cycle;
  i32 junctions;  // those passed since the last Node, as an index into Promises::junction_sets
};

// Where one datum is at one Point.
struct Place {
  i32 point;
  Few<Stay> stays;    // by begin; in a Node
  Few<Pass> passes;   // by cycle; in a Junction
  Few<i64> updated;   // cycles in which a result took over

  i64 since() const {  // the first cycle in which some copy is complete; kForever if none
    i64 first = passes.empty() ? kForever : passes[0].cycle;
    for (const Stay& s : stays) {
      if (s.complete <= s.end) first = std::min(first, s.complete);
    }
    return first;
  }

  const Stay* stay_before(i64 cycle) const {  // the last that begins no later
    auto after = std::upper_bound(stays.begin(), stays.end(), cycle,
                                  [](i64 c, const Stay& s) { return c < s.begin; });
    return after == stays.begin() ? nullptr : &*--after;
  }

  const Pass* pass(i64 cycle) const {
    auto found = std::lower_bound(passes.begin(), passes.end(), cycle,
                                  [](const Pass& p, i64 wanted) { return p.cycle < wanted; });
    return found != passes.end() && found->cycle == cycle ? &*found : nullptr;
  }

  // The cycles of first .. last that are not promised to a use yet.
  i64 unpaid(i64 first, i64 last) const {
    i64 cycles = std::max<i64>(last - first + 1, 0);
    for (const Stay& s : stays) {
      cycles -= std::max<i64>(std::min(s.end, last) - std::max(s.begin, first) + 1, 0);
    }
    return cycles;
  }

  // The last cycle, not after `cycle`, that is promised to a use; -1 if there is none.
  i64 last_paid(i64 cycle) const {
    const Stay* last = stay_before(cycle);
    return last ? std::min(last->end, cycle) : -1;
  }

  // The last cycle, not after `cycle`, in which a result took over; -1 if there is none.
  i64 last_update(i64 cycle) const {
    i64 found = -1;
    for (const i64 u : updated) {
      if (u <= cycle) found = std::max(found, u);
    }
    return found;
  }

  i64 next_update(i64 cycle) const {
    i64 found = kForever;
    for (const i64 u : updated) {
      if (u >= cycle) found = std::min(found, u);
    }
    return found;
  }
};

// What a search asks first of a Place.
struct First {
  i32 point;
  i64 since;
};

struct Move {
  i32 datum, wire;
  i64 cycle;
};

struct Way {
  i32 point;
  i64 since;
  std::vector<std::pair<i32, i64>> moves;
  Cost energy;
};

class Promises {
 public:
  Promises(Machine& machine_, std::vector<i64> sizes_, i32 actors)
      : machine(machine_),
        sizes(std::move(sizes_)),
        lanes(machine.wires.size()),
        rows(machine.points.size()),
        units(actors),
        places(sizes.size()),
        firsts(sizes.size()),
        taken_(machine.wires.size(), Taken(Taken::cycles_known(machine.wires.size()))),
        departed_(sizes.size()) {
    junction_sets.push_back({});
    set_index_[{}] = 0;
  }

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

  // Promises

  void stay(i32 datum, i32 point, Stay merged) {
    Place& here = make_place(datum, point);
    const i64 needed = sizing(datum).rows[point];
    remember(datum, point, here.stays);
    claim_gaps(here, needed, merged.begin, merged.last());
    auto from = here.stays.begin();
    while (from != here.stays.end() && from->last() < merged.begin) ++from;
    auto to = from;
    for (; to != here.stays.end() && to->begin <= merged.last(); ++to) {
      merged = {std::min(to->begin, merged.begin), std::min(to->complete, merged.complete),
                std::max(to->end, merged.end), to->open || merged.open};
    }
    if (from == to) {
      here.stays.insert(from, merged);
    } else {
      *from = merged;
      here.stays.erase(from + 1, to);
    }
    note(datum, here);
  }

  void close(i32 datum) {
    for (std::size_t i = 0; i < firsts[datum].size(); ++i) {
      if (!machine.points[firsts[datum][i].point].stores) continue;
      Place& here = places[datum][i];
      bool open = false;
      for (const Stay& s : here.stays) open = open || s.open;
      if (!open) continue;
      remember(datum, here.point, here.stays);
      const i64 needed = sizing(datum).rows[here.point];
      for (Stay& s : here.stays) {
        if (!s.open) continue;
        s.open = false;
        use(&Promises::rows, here.point, s.end + 1, kForever, -needed);
      }
    }
  }

  void hand_over(i32 datum, i32 point, i64 cycle) {
    Place& here = make_place(datum, point);
    const i64 needed = sizing(datum).rows[point];
    remember(datum, point, here.stays);
    Few<Stay> kept;
    for (Stay s : here.stays) {
      if (s.complete > cycle || s.end < cycle) {
        kept.push_back(s);
        continue;
      }
      use(&Promises::rows, point, s.begin, s.last(), -needed);
      if (s.begin >= cycle) continue;
      s.end = cycle - 1;
      use(&Promises::rows, point, s.begin, s.last(), needed);
      kept.push_back(s);
    }
    here.stays = std::move(kept);
    note(datum, here);
    here.updated.push_back(cycle);
    undo_.push_back({kUpdate, datum, point});
  }

  void commit(i32 datum, const Way& way, i64 until, bool keep_open) {
    const Sizing& sized = sizing(datum);
    if (departed_[datum].empty()) {  // most data are carried once
      places[datum].reserve(places[datum].size() + way.moves.size());
      firsts[datum].reserve(firsts[datum].size() + way.moves.size());
      departed_[datum].reserve(way.moves.size());
    }
    i32 point = way.point;
    i64 since = way.since, begin = since;
    std::vector<i32> passed;
    if (!machine.points[point].stores) passed = passed_at(datum, point, since);
    for (const auto& [w, cycle] : way.moves) {
      const Wire& wire = machine.wires[w];
      carry(datum, sized, w, cycle);
      if (machine.points[point].stores) {
        stay(datum, point, {begin, since, cycle + sized.last[w], false});
        passed.clear();
      }
      point = wire.target;
      begin = cycle + wire.latency;
      since = begin + sized.last[w];
      if (!machine.points[point].stores) {
        passed.insert(std::lower_bound(passed.begin(), passed.end(), point), point);
        passed.erase(std::unique(passed.begin(), passed.end()), passed.end());
        pass(datum, point, begin, passed);
      }
    }
    stay(datum, point, {begin, since, std::max(until, since), keep_open});
  }

  void start(i32 actor, i64 cycle, i64 cooldown, i64 count) {
    use(&Promises::units, actor, cycle, cycle + cooldown - 1, count);
  }

  // The history

  i64 mark() const { return i64(undo_.size()); }

  void rollback(i64 mark) {
    while (i64(undo_.size()) > mark) {
      const Change c = undo_.back();
      undo_.pop_back();
      switch (c.kind) {
        case kUse:
          (this->*c.group)[c.a].add(c.first, c.last, -c.amount);
          break;
        case kStays: {
          Place& here = made_place(c.a, c.b);
          here.stays.assign(old_stays_.end() - c.first, old_stays_.end());
          note(c.a, here);
          old_stays_.resize(old_stays_.size() - std::size_t(c.first));
          break;
        }
        case kUpdate:
          made_place(c.a, c.b).updated.pop_back();
          break;
        case kPass: {
          Place& here = made_place(c.a, c.b);
          auto& passes = here.passes;
          passes.erase(std::find_if(passes.begin(), passes.end(),
                                    [&](const Pass& p) { return p.cycle == c.first; }));
          note(c.a, here);
          break;
        }
        case kMove: {
          const Move& m = moves.back();
          taken_[c.b].clear(c.first, lanes[c.b].at(c.last) ? c.last - 1 : c.last);
          auto& mine = departed_[m.datum];
          mine.erase(std::lower_bound(mine.begin(), mine.end(), std::pair(m.wire, m.cycle)));
          moves.pop_back();
          break;
        }
      }
    }
  }

  // Nothing up to here will be taken back.
  void forget() {
    undo_.clear();
    old_stays_.clear();
  }

  std::vector<i32> passed_at(i32 datum, i32 point, i64 cycle) const {
    const Place* here = place(datum, point);
    const Pass* found = here ? here->pass(cycle) : nullptr;
    return found ? junction_sets[found->junctions] : std::vector<i32>{};
  }

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

  using Group = std::vector<Occupancy> Promises::*;

  enum Kind { kUse, kStays, kUpdate, kPass, kMove };

  struct Change {
    Kind kind;
    i32 a, b;
    i64 first = 0, last = 0, amount = 0;
    Group group = nullptr;
  };

  std::size_t lower(i32 datum, i32 point) const {
    const auto& mine = firsts[datum];
    auto found = std::lower_bound(mine.begin(), mine.end(), point,
                                  [](const First& f, i32 wanted) { return f.point < wanted; });
    return std::size_t(found - mine.begin());
  }

  Place& made_place(i32 datum, i32 point) { return places[datum][lower(datum, point)]; }

  Place& make_place(i32 datum, i32 point) {
    const std::size_t at = lower(datum, point);
    auto &mine = places[datum];
    if (at == mine.size() || mine[at].point != point) {
      mine.insert(mine.begin() + std::ptrdiff_t(at), Place{point, {}, {}, {}});
      firsts[datum].insert(firsts[datum].begin() + at, {point, kForever});
    }
    return mine[at];
  }

  void note(i32 datum, const Place& here) {
    firsts[datum][std::size_t(&here - places[datum].data())].since = here.since();
  }

  void use(Group group, i32 index, i64 first, i64 last, i64 amount) {
    if (amount == 0 || first > last) return;
    (this->*group)[index].add(first, last, amount);
    undo_.push_back({kUse, index, 0, first, last, amount, group});
  }

  void claim_gaps(const Place& here, i64 needed, i64 first, i64 last) {
    for (const Stay& s : here.stays) {
      if (s.last() < first) continue;
      if (s.begin > last) break;
      if (first < s.begin) use(&Promises::rows, here.point, first, s.begin - 1, needed);
      first = s.last() + 1;
    }
    if (first <= last) use(&Promises::rows, here.point, first, last, needed);
  }

  void remember(i32 datum, i32 point, const Few<Stay>& stays) {
    old_stays_.insert(old_stays_.end(), stays.begin(), stays.end());
    undo_.push_back({kStays, datum, point, i64(stays.size())});
  }

  void carry(i32 datum, const Sizing& sized, i32 wire, i64 cycle) {
    const i64 rest = sized.last[wire];
    const Wire& w = machine.wires[wire];
    undo_.push_back({kMove, datum, wire, cycle, cycle + rest});
    taken_[wire].set(cycle, cycle + rest);
    const i64 width = w.bandwidth / w.lane, tail = sized.tail_lanes[wire];
    if (tail < width) use(&Promises::lanes, wire, cycle, cycle + rest - 1, width);
    use(&Promises::lanes, wire, tail < width ? cycle + rest : cycle, cycle + rest, tail);
    auto& mine = departed_[datum];
    const std::pair key(wire, cycle);
    mine.insert(std::lower_bound(mine.begin(), mine.end(), key), key);
    moves.push_back({datum, wire, cycle});
  }

  void pass(i32 datum, i32 point, i64 cycle, const std::vector<i32>& junctions) {
    Place& here = make_place(datum, point);
    auto& passes = here.passes;
    auto found = std::lower_bound(passes.begin(), passes.end(), cycle,
                                  [](const Pass& p, i64 wanted) { return p.cycle < wanted; });
    if (found != passes.end() && found->cycle == cycle) return;
    const auto [known, fresh] = set_index_.try_emplace(junctions, i32(junction_sets.size()));
    if (fresh) junction_sets.push_back(junctions);
    passes.insert(found, {cycle, known->second});
    note(datum, here);
    undo_.push_back({kPass, datum, point, cycle});
  }

  std::vector<Taken> taken_;                                // of each Wire
  std::vector<std::vector<std::pair<i32, i64>>> departed_;  // Wire and cycle of each datum's Moves
  std::vector<Change> undo_;
  std::vector<Stay> old_stays_;
  std::map<std::vector<i32>, i32> set_index_;
};

}  // namespace dtt
