// Placing a run of items of a Workload: requests, and Ops that only one Actor can run.
//
// This is `dtt.placing.Placer` without Python in each item. What it cannot do - a choice of Actors, a
// spill, a reason to be told - ends the run: the caller places that item and comes back.
#pragma once

#include "courier.h"
#include "scout.h"

namespace dtt {

// From where a datum may be taken: any copy, the Point where it was loaded or made, the Actor's.
constexpr i64 kAny = -1, kOrigin = -2, kHere = -3;

struct Request {
  i64 datum, point, only, by, store, after;  // by, after: -1 if there is none
};

// How Ops of a kind run on the one Actor that can; actor is -1 where there are others.
struct Kind {
  i64 actor, at, result_at, capacity, units, cooldown, hold, latency;
};

struct Own {
  i64 kind, not_before, result, into, only, after;  // into, after: -1 if there is none
};

struct Op : Kind, Own {};

// The items, and what is known of each datum and each Op; all tables belong to the caller.
struct Items {
  const i64* item;      // the index of an Op, or -1 - the index of a request
  const Request* requests;
  const Kind* kinds;
  const Own* ops;
  const i64* first;     // where the operands of each Op begin, and where the last one ends
  const i64* operands;  // each datum once
  i64* left;            // of each datum: items that want it and are not served
  i64* origin;          // the Point where it was loaded or made
  i64* complete;        // the cycle in which it was there first
  i64* start;           // of each Op
  i64* unmet;           // of each request: whether it could not be met
};

class ItemPlacer {
 public:
  ItemPlacer(Promises& promises, Courier& courier, Scout& scout, const Items& items, bool strict)
      : promises_(promises), courier_(courier), scout_(scout), items_(items), strict_(strict) {}

  // Place the items from `begin` on; return the first that could not be placed here, or `end`.
  i64 run(i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) {
      const i64 item = items_.item[i];
      if (!(item < 0 ? serve(-1 - item) : place(item))) return i;
      promises_.forget();
    }
    return end;
  }

 private:
  bool serve(i64 index) {
    const Request& r = items_.requests[index];
    const i32 datum = i32(r.datum), point = i32(r.point), only = source(r.only, r.datum, point);
    const i64 floor = r.after < 0 ? 0 : items_.complete[r.after];
    const i64 first = r.by < 0 ? scout_.earliest(datum, point, only, 0, floor) : r.by;
    if (first < 0) return false;
    i64 last = first;
    for (i64 cycle = first; cycle <= last; ++cycle) {
      const i64 until = r.store ? kForever : cycle;
      if (courier_.route(datum, point, cycle, until, only, floor, way_)) {
        promises_.commit(datum, way_, until, false);
        satisfy(datum);
        return true;
      }
      if (r.by < 0 && cycle == first) last = std::max({first, floor, promises_.settled()}) + 1;
    }
    if (r.by < 0 || strict_) return false;
    items_.unmet[index] = 1;
    satisfy(datum);
    return true;
  }

  bool place(i64 index) {
    const Own& own = items_.ops[index];
    const Op op{items_.kinds[own.kind], own};
    if (op.actor < 0) return false;
    i64 cycle = op.not_before;
    for (const i64* o = begin(index); o != end(index); ++o) {
      const i64 there = earliest(op, *o);
      if (there < 0) return false;
      cycle = std::max(cycle, there);
    }
    const i64 soonest = cycle;
    i64 limit = -1;  // most Ops never ask for it
    for (cycle = units_free(op, cycle); !start(index, op, cycle);) {
      if (limit < 0) limit = std::max(soonest, promises_.settled()) + 2;
      cycle = units_free(op, cycle + 1);
      if (cycle > limit) return false;
    }
    return true;
  }

  // The first cycle, not before `cycle`, from which enough units are free for the cooldown.
  i64 units_free(const Op& op, i64 cycle) const {
    const Occupancy& used = promises_.units[op.actor];
    const i64 limit = op.capacity - op.units;
    for (;;) {
      const i64 busy = used.first_above(cycle, limit);
      if (busy >= cycle + op.cooldown) return cycle;
      cycle = used.first_within(busy, limit);
    }
  }

  bool start(i64 index, const Op& op, i64 cycle) {
    const i32 at = i32(op.at), result_at = i32(op.result_at), result = i32(op.result);
    const i64 complete = cycle + op.latency;
    const i64 first = op.into >= 0 ? cycle : complete - op.hold + 1;
    const i64 last = items_.left[result] ? kForever : complete;
    // Operands only take space, so what has none for the result now has none later.
    if (op.into < 0 && !promises_.room(result, result_at, first, last)) return false;
    if (op.into >= 0 && !may_update(op, cycle)) return false;
    const i64 mark = promises_.mark();
    taken_.clear();
    bool there = true;
    for (const i64* o = begin(index); there && o != end(index); ++o) {
      there = bring(op, i32(*o), cycle, *o == op.into ? cycle : cycle + op.hold - 1);
    }
    if (there && op.into >= 0) promises_.hand_over(i32(op.into), at, cycle);
    if (!there || !promises_.room(result, result_at, first, last)) {
      promises_.rollback(mark);
      for (const i32 datum : taken_) ++items_.left[datum];
      return false;
    }
    items_.origin[result] = result_at;
    items_.complete[result] = complete;
    items_.start[index] = cycle;
    promises_.stay(result, result_at, {first, complete, complete, last == kForever});
    promises_.start(i32(op.actor), cycle, op.cooldown, op.units);
    return true;
  }

  bool bring(const Op& op, i32 datum, i64 cycle, i64 until) {
    const i32 at = i32(op.at);
    const i32 only = source(op.only, datum, at);
    const Place* here = only < 0 || only == at ? promises_.place(datum, at) : nullptr;
    if (!found_in_place(here, datum, at, cycle, until)) {
      if (!courier_.route(datum, at, cycle, until, only, floor(op.after), way_)) return false;
      promises_.commit(datum, way_, until, false);
    }
    taken_.push_back(datum);
    satisfy(datum);
    return true;
  }

  // Where staying costs nothing, no way is better than none.
  bool found_in_place(const Place* here, i32 datum, i32 at, i64 cycle, i64 until) {
    if (!here || promises_.machine.points[at].hold != 0) return false;
    const i64 needed = promises_.sizing(datum).rows[at];
    for (auto s = here->stays.rbegin(); s != here->stays.rend(); ++s) {
      if (s->complete > cycle || s->complete > s->end) continue;
      const i64 since = std::min(s->end, cycle);
      if (promises_.room_since(here, at, needed, until) > since) return false;
      promises_.stay(datum, at, {since, since, std::max(until, since), false});
      return true;
    }
    return false;
  }

  bool may_update(const Op& op, i64 cycle) const {
    const Place* here = promises_.place(i32(op.into), i32(op.at));
    if (!here) return true;
    const bool wanted = items_.left[op.into] > 1;
    for (const Stay& s : here->stays) {
      if (s.begin <= cycle && cycle <= s.last() && (s.end >= cycle || wanted)) return false;
    }
    return true;
  }

  // A lower bound on the cycle in which an operand can be at the Actor; -1: never.
  i64 earliest(const Op& op, i64 datum) {
    const i32 at = i32(op.at), only = source(op.only, datum, at);
    if (only == at || (only < 0 && promises_.firsts[datum].size() == 1)) {
      if (const Place* here = promises_.place(i32(datum), at)) {
        for (const Stay& s : here->stays) {
          if (s.complete <= s.end) return s.complete;
        }
      } else if (only == at) {
        return -1;
      }
    }
    return scout_.earliest(i32(datum), at, only, 0, floor(op.after));
  }

  // Before which cycle nothing may begin to arrive.
  i64 floor(i64 after) const { return after < 0 ? 0 : items_.complete[after]; }

  i32 source(i64 only, i64 datum, i32 here) const {
    if (only == kOrigin) return i32(items_.origin[datum]);
    return only == kHere ? here : i32(only);
  }

  void satisfy(i32 datum) {
    if (--items_.left[datum] == 0) promises_.close(datum);
  }

  const i64* begin(i64 op) const { return items_.operands + items_.first[op]; }
  const i64* end(i64 op) const { return items_.operands + items_.first[op + 1]; }

  Promises& promises_;
  Courier& courier_;
  Scout& scout_;
  const Items& items_;
  const bool strict_;
  Way way_;
  std::vector<i32> taken_;
};

}  // namespace dtt
