// Everything promised so far: lanes, rows and units in use, and where each datum is when.
#pragma once

#include "openings.h"

namespace dtt {

class Promises : public Openings {
 public:
  Promises(Machine& machine, std::vector<i64> sizes, i32 actors)
      : Openings(machine, std::move(sizes), actors) {
    junction_sets.push_back({});
    set_index_[{}] = 0;
  }

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

 private:
  using Group = std::vector<Occupancy> Promises::*;

  enum Kind { kUse, kStays, kUpdate, kPass, kMove };

  struct Change {
    Kind kind;
    i32 a, b;
    i64 first = 0, last = 0, amount = 0;
    Group group = nullptr;
  };

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

  std::vector<Change> undo_;
  std::vector<Stay> old_stays_;
  std::map<std::vector<i32>, i32> set_index_;
};

}  // namespace dtt
