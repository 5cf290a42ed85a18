// The machine as the searches read it: Points, Wires, and how far apart Points are at least.
#pragma once

#include <array>
#include <map>

#include "occupancy.h"

namespace dtt {

// Energy (1e-6 pJ) in the upper 96 bits, number of Moves in the lower 32: one comparison orders
// both, and one addition adds both.
using Cost = __int128;

constexpr Cost kNoCost = Cost(1) << 126;

inline Cost cost(Cost energy, i64 moves) { return energy * (Cost(1) << 32) + moves; }

struct Point {
  bool stores, adder;
  i64 rows, row, hold;  // hold energy per bit and cycle
  bool transit;         // whether paths to elsewhere may lead through it
};

struct Wire {
  i32 source, target;
  i64 bandwidth, lane, latency, energy;  // energy per bit, that of leaving the source included
};

// A Wire as a search over Points meets it.
struct Link {
  i32 wire, source;
  i64 latency, energy;
};

// Lower bounds on the way from one Point to another on an idle machine.
struct Reach {
  i64 energy = -1;  // per bit; -1: no path
  i32 moves = 0;    // the fewest with that energy
  i32 time = 0;     // cycles, for data of some size class, saturated
};

// Those to each Point, and those from each Point, as far as they were asked for.
using Bounds = std::array<std::vector<std::vector<Reach>>, 2>;

// What depends on the size of a datum.
struct Sizing {
  i64 size;
  std::vector<i64> rows;         // of each Point
  std::vector<i64> tail_limit;   // of each Wire: lanes in use beside which the last beat fits
  std::vector<i64> tail_lanes;   // of each Wire: lanes of the last beat
  std::vector<i64> last;         // of each Wire: beats - 1
  std::vector<i64> times;        // of each Wire: from a departure until all of it is there
  Bounds* bounds;
};

class Machine {
 public:
  Machine(std::vector<Point> points_, std::vector<Wire> wires_)
      : points(std::move(points_)), wires(std::move(wires_)) {
    incoming.resize(points.size());
    links.resize(points.size());
    outgoing.resize(points.size());
    for (i32 w = 0; w < i32(wires.size()); ++w) {
      if (points[wires[w].target].adder) continue;  // no search leads a datum into an Adder
      incoming[wires[w].target].push_back(w);
      links[wires[w].target].push_back({w, wires[w].source, wires[w].latency, wires[w].energy});
      outgoing[wires[w].source].push_back(w);
    }
    for (const Wire& w : wires) prices_.push_back(cost(w.energy, 1));
    for (const bool forwards : {false, true}) {
      for (const std::vector<i32>& here : forwards ? outgoing : incoming) {
        first_[forwards].push_back(i32(hops_[forwards].size()));
        for (const i32 w : here) {
          hops_[forwards].push_back({w, forwards ? wires[w].target : wires[w].source});
        }
      }
      first_[forwards].push_back(i32(hops_[forwards].size()));
    }
  }

  const Sizing& sizing(i64 size) {
    auto known = sizings_.find(size);
    if (known != sizings_.end()) return *known->second;
    if (sizings_.size() >= kSizings) sizings_.clear();
    auto made = std::make_unique<Sizing>();
    made->size = size;
    bool one_beat = true;
    for (const Point& p : points) made->rows.push_back(p.row ? (size + p.row - 1) / p.row : 0);
    for (const Wire& w : wires) {
      const i64 beats = (size + w.bandwidth - 1) / w.bandwidth;
      const i64 tail = (size - (beats - 1) * w.bandwidth + w.lane - 1) / w.lane;
      made->last.push_back(beats - 1);
      made->tail_lanes.push_back(tail);
      made->tail_limit.push_back(w.bandwidth / w.lane - tail);
      made->times.push_back(w.latency + (points[w.target].stores ? beats - 1 : 0));
      one_beat = one_beat && beats == 1;
    }
    made->bounds = &bounds_[one_beat ? 0 : size];
    for (auto& direction : *made->bounds) direction.resize(points.size());
    return *(sizings_[size] = std::move(made));
  }

  // Return the bounds from every Point to `target`; null where memory would not suffice.
  const Reach* to(const Sizing& sizing, i32 target) { return bounds(sizing, 0, target); }

  // Return the bounds from `source` to every Point; null where memory would not suffice.
  const Reach* from(const Sizing& sizing, i32 source) { return bounds(sizing, 1, source); }

  // Whether no path to the target leads through a Point, though one may begin there.
  bool is_end(i32 point, i32 target) const {
    return point != target && points[point].stores && !points[point].transit;
  }

  const std::vector<Point> points;
  const std::vector<Wire> wires;
  std::vector<std::vector<i32>> incoming, outgoing;  // without Wires into Adders
  std::vector<std::vector<Link>> links;              // the incoming ones

 private:
  static constexpr std::size_t kSizings = 64;       // more are measured again when they return
  static constexpr std::size_t kEntries = 8 << 20;  // 128 MiB of bounds

  const Reach* bounds(const Sizing& sizing, int forwards, i32 end) {
    std::vector<Reach>& known = (*sizing.bounds)[forwards][end];
    if (known.empty()) {
      if (entries_ + points.size() > kEntries) return nullptr;
      entries_ += points.size();
      known = measure(sizing, forwards != 0, end);
    }
    return known.data();
  }

  std::vector<Reach> measure(const Sizing& sizing, bool forwards, i32 end) const {
    std::vector<Reach> reach(points.size());
    const auto cheap = spread(forwards, end, kNoCost, prices_);
    const auto quick = spread(forwards, end, kForever, sizing.times);
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (cheap[p] == kNoCost) continue;
      reach[p] = {i64(cheap[p] >> 32), i32(cheap[p]), i32(std::min(quick[p], i64(1) << 30))};
    }
    return reach;
  }

  // How far each Point is from one end at least, by the lengths of Wires. First in, first out: where
  // lengths are much alike, nearly every Point is right the first time, and no heap is needed.
  template <class Far>
  std::vector<Far> spread(bool forwards, i32 end, Far none, const std::vector<Far>& length) const {
    const i32* first = first_[forwards].data();
    const Hop* hops = hops_[forwards].data();
    const std::size_t count = points.size();
    std::vector<Far> far(count, none);
    std::vector<char> waits(count);
    std::vector<i32> queue(count);  // a ring: a Point waits in it once at most
    far[end] = 0;
    queue[0] = end;
    for (std::size_t head = 0, waiting = 1; waiting > 0; --waiting) {
      const i32 point = queue[head];
      const Far here = far[point];
      head = head + 1 < count ? head + 1 : 0;
      waits[point] = false;
      if (is_end(point, end)) continue;
      for (const Hop* h = hops + first[point]; h != hops + first[point + 1]; ++h) {
        const Hop hop = *h;
        const Far longer = here + length[hop.wire];
        if (longer >= far[hop.other]) continue;
        far[hop.other] = longer;
        if (waits[hop.other]) continue;
        waits[hop.other] = true;
        const std::size_t last = head + waiting - 1;  // the Point itself no longer waits
        queue[last < count ? last : last - count] = hop.other;
        ++waiting;
      }
    }
    return far;
  }

  struct Hop {
    i32 wire, other;
  };

  std::vector<Cost> prices_;                          // of each Wire
  std::array<std::vector<Hop>, 2> hops_;              // backwards, forwards
  std::array<std::vector<i32>, 2> first_;             // of each Point: where its hops begin
  std::map<i64, std::unique_ptr<Sizing>> sizings_;
  std::map<i64, Bounds> bounds_;
  std::size_t entries_ = 0;
};

}  // namespace dtt
