// Where one datum is at one Point, and when.
#pragma once

#include "few.h"
#include "machine.h"

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
  i32 junctions;  // those passed since the last Node, as an index into Openings::junction_sets
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

}  // namespace dtt
