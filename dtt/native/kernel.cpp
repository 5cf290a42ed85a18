// The C interface of the native engine, as dtt/native/engine.py calls it through ctypes.
//
// Every number is an int64; a table is a contiguous array. Indices are checked by the caller. A
// function that can run out of memory returns kNoMemory; the engine is then of no further use.

#include <new>
#include <numeric>
#include <stdexcept>

#include "items.h"

namespace {

using namespace dtt;

constexpr i64 kNone = -1;
constexpr i64 kNoMemory = -2;

struct Engine {
  Machine machine;
  Promises promises;
  Courier courier{promises};
  Scout scout{promises};
  Way way;

  Engine(std::vector<Point> points, std::vector<Wire> wires, i32 actors, std::vector<i64> sizes)
      : machine(std::move(points), std::move(wires)),
        promises(machine, std::move(sizes), actors) {}
};

// Write Moves down by cycle, Wire and datum: into a bucket for each span of cycles first.
void sorted(const std::vector<Move>& moves, Move* out) {
  i64 last = 0;
  for (const Move& m : moves) last = std::max(last, m.cycle);
  const i64 span = last / i64(moves.size() + 1) + 1;
  std::vector<std::size_t> ends(std::size_t(last / span) + 1);
  for (const Move& m : moves) ++ends[std::size_t(m.cycle / span)];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> next = ends;
  for (const Move& m : moves) out[--next[std::size_t(m.cycle / span)]] = m;
  for (std::size_t b = 0; b < ends.size(); ++b) {
    std::sort(out + next[b], out + ends[b], [](const Move& a, const Move& b) {
      if (a.cycle != b.cycle) return a.cycle < b.cycle;
      return std::pair(a.wire, a.datum) < std::pair(b.wire, b.datum);
    });
  }
}

template <class Work>
i64 guarded(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  } catch (const std::length_error&) {
    return kNoMemory;
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

i64 dtt_interface() { return 6; }

// points: stores, adder, rows, row, hold energy, transit. wires: source, target, bandwidth, lane, latency,
// energy.
void* dtt_new(i64 point_count, const i64* points, i64 wire_count, const i64* wires, i64 actors,
              i64 data, const i64* sizes) {
  try {
    std::vector<Point> made_points;
    for (const i64* p = points; p != points + 6 * point_count; p += 6) {
      made_points.push_back({p[0] != 0, p[1] != 0, p[2], p[3], p[4], p[5] != 0});
    }
    std::vector<Wire> made_wires;
    for (const i64* w = wires; w != wires + 6 * wire_count; w += 6) {
      made_wires.push_back({i32(w[0]), i32(w[1]), w[2], w[3], w[4], w[5]});
    }
    return new Engine(std::move(made_points), std::move(made_wires), i32(actors),
                      std::vector<i64>(sizes, sizes + data));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void dtt_delete(Engine* e) { delete e; }

void dtt_stretch(Engine* e, i64 percent) { e->courier.router.bearings.stretch = percent; }

i64 dtt_settled(Engine* e) { return e->promises.settled(); }

i64 dtt_mark(Engine* e) { return e->promises.mark(); }

i64 dtt_rollback(Engine* e, i64 mark) {
  return guarded([&] { e->promises.rollback(mark); return i64(0); });
}

i64 dtt_room(Engine* e, i64 datum, i64 point, i64 first, i64 last) {
  return guarded([&] { return i64(e->promises.room(i32(datum), i32(point), first, last)); });
}

i64 dtt_rows_used(Engine* e, i64 point, i64 first, i64 last) {
  return e->promises.rows[point].peak(first, last);
}

i64 dtt_units_used(Engine* e, i64 actor, i64 first, i64 last) {
  return e->promises.units[actor].peak(first, last);
}

i64 dtt_lanes_free(Engine* e, i64 datum, i64 wire, i64 cycle) {
  return guarded([&] {
    const Sizing& sized = e->promises.sizing(i32(datum));
    return i64(e->promises.first_departure(i32(datum), sized, i32(wire), cycle, cycle) == cycle);
  });
}

// Write begin, complete, end and open of each stay; return how many there are.
i64 dtt_stays(Engine* e, i64 datum, i64 point, i64* out, i64 capacity) {
  const Place* here = e->promises.place(i32(datum), i32(point));
  if (!here) return 0;
  i64 count = 0;
  for (const Stay& s : here->stays) {
    if (count++ >= capacity) continue;
    *out++ = s.begin;
    *out++ = s.complete;
    *out++ = s.end;
    *out++ = s.open;
  }
  return count;
}

i64 dtt_places(Engine* e, i64 datum, i64* out) {
  i64 count = 0;
  for (const Place& here : e->promises.places[datum]) {
    if (!here.stays.empty()) out[count++] = here.point;
  }
  return count;
}

i64 dtt_present(Engine* e, i64 point, i64* out) {
  i64 count = 0;
  for (i64 datum = 0; datum < i64(e->promises.places.size()); ++datum) {
    const Place* here = e->promises.place(i32(datum), i32(point));
    if (here && !here->stays.empty()) out[count++] = datum;
  }
  return count;
}

// The Point of the copy that is kept open; -1 if there is none.
i64 dtt_home(Engine* e, i64 datum) {
  for (const Place& here : e->promises.places[datum]) {
    for (const Stay& s : here.stays) {
      if (s.open) return here.point;
    }
  }
  return kNone;
}

i64 dtt_stay(Engine* e, i64 datum, i64 point, i64 begin, i64 complete, i64 end, i64 open) {
  return guarded([&] {
    e->promises.stay(i32(datum), i32(point), {begin, complete, end, open != 0});
    return i64(0);
  });
}

i64 dtt_load(Engine* e, i64 count, const i64* data, const i64* points, const i64* kept) {
  return guarded([&] {
    for (i64 i = 0; i < count; ++i) {
      e->promises.stay(i32(data[i]), i32(points[i]), {0, 0, 0, kept[i] != 0});
    }
    return i64(0);
  });
}

i64 dtt_close(Engine* e, i64 datum) {
  return guarded([&] { e->promises.close(i32(datum)); return i64(0); });
}

i64 dtt_hand_over(Engine* e, i64 datum, i64 point, i64 cycle) {
  return guarded([&] { e->promises.hand_over(i32(datum), i32(point), cycle); return i64(0); });
}

i64 dtt_start(Engine* e, i64 actor, i64 cycle, i64 cooldown, i64 units) {
  return guarded([&] { e->promises.start(i32(actor), cycle, cooldown, units); return i64(0); });
}

// Return the number of Moves of the way that was found last; write it: point, cycle, the upper and
// lower halves of the energy, and then Wire and departure of each Move.
i64 dtt_way(Engine* e, i64* out, i64 capacity) {
  const Way& way = e->way;
  const i64 count = i64(way.moves.size());
  if (count > capacity) return count;
  *out++ = way.point;
  *out++ = way.since;
  *out++ = i64(way.energy >> 32);
  *out++ = i64(way.energy & 0xffffffff);
  for (const auto& [wire, cycle] : way.moves) {
    *out++ = wire;
    *out++ = cycle;
  }
  return count;
}

i64 dtt_route(Engine* e, i64 datum, i64 target, i64 deadline, i64 until, i64 only, i64 floor,
              i64* out, i64 capacity) {
  return guarded([&] {
    const bool found =
        e->courier.route(i32(datum), i32(target), deadline, until, i32(only), floor, e->way);
    return found ? dtt_way(e, out, capacity) : kNone;
  });
}

i64 dtt_earliest(Engine* e, i64 datum, i64 target, i64 only, i64 from, i64 floor) {
  return guarded(
      [&] { return e->scout.earliest(i32(datum), i32(target), i32(only), from, floor); });
}

i64 dtt_commit(Engine* e, i64 datum, i64 point, i64 since, i64 count, const i64* moves, i64 until,
               i64 keep_open) {
  return guarded([&] {
    Way way{i32(point), since, {}, 0};
    for (i64 i = 0; i < count; ++i) way.moves.emplace_back(i32(moves[2 * i]), moves[2 * i + 1]);
    e->promises.commit(i32(datum), way, until, keep_open != 0);
    return i64(0);
  });
}

// Place the items begin .. end - 1 of a Workload; see items.h. Return the first that was not placed.
i64 dtt_place(Engine* e, i64 begin, i64 end, i64 strict, const i64* item, const Request* requests,
              const Kind* kinds, const Own* ops, const i64* first, const i64* operands, i64* left,
              i64* origin, i64* complete, i64* start, i64* unmet) {
  return guarded([&] {
    const Items items{item, requests, kinds,    ops,   first, operands,
                      left, origin,   complete, start, unmet};
    return ItemPlacer(e->promises, e->courier, e->scout, items, strict != 0).run(begin, end);
  });
}

i64 dtt_move_count(Engine* e) { return i64(e->promises.moves.size()); }

// Write all Moves, sorted by cycle, Wire and datum.
i64 dtt_moves(Engine* e, Move* out) {
  return guarded([&] {
    const std::vector<Move>& moves = e->promises.moves;
    sorted(moves, out);
    return i64(moves.size());
  });
}

}  // extern "C"
#pragma GCC visibility pop
