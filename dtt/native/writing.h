// A way that was found, written down: each departure as early as its free intervals allow at the
// same energy.
#pragma once

#include "labels.h"

namespace dtt {

class Writing {
 public:
  Writing(const Promises& promises, const Asked& asked, const Bearings& bearings,
          const Labels& labels)
      : promises_(promises),
        machine_(promises.machine),
        asked_(asked),
        bearings_(bearings),
        labels_(labels) {}

  // Write the way that begins at a copy of the datum, which reaches the label `begin` by waiting.
  void write(const Label& begin, Way& way) {
    way.point = begin.point;
    way.moves.clear();
    i64 ready = labels_.stores(begin) ? source_since(begin) : begin.cycle;
    i64 first = ready;
    for (Label here = begin; here.parent >= 0;) {
      chain_.clear();
      chain_.push_back(here);  // one Node, or a Junction that starts the way, and what follows it
      do {
        here = labels_[here.parent];
        chain_.push_back(here);
      } while (!labels_.stores(here));
      i64 cycle = advance(ready);
      if (way.moves.empty()) first = cycle;
      for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
        way.moves.emplace_back(chain_[i].wire, cycle);
        cycle += machine_.wires[chain_[i].wire].latency;
        if (i + 2 == chain_.size()) cycle += asked_.sized->last[chain_[i].wire];
      }
      ready = cycle;
    }
    way.since = source_end(begin, way.moves.empty() ? begin.cycle : first);
  }

 private:
  // The earliest departure for the first Wire of the chain, by which the last Wire still lands in
  // its label's free interval and the energy stays the same.
  i64 advance(i64 ready) const {
    const Label& from = chain_.front();
    const Label& to = chain_.back();
    if (!labels_.stores(from)) return from.cycle;
    const i64 latest = std::max(ready, from.early);
    i64 offset = 0;  // from the first departure to the first beat's arrival
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
      offset += machine_.wires[chain_[i].wire].latency;
    }
    const i64 rest = asked_.sized->last[from.wire];
    i64 cycle = std::max(ready, labels_.soonest_arrival(to) - offset);
    for (bool moved = true; moved && cycle < latest;) {
      moved = false;
      i64 later = 0;
      for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
        const i64 found = promises_.first_departure(asked_.datum, *asked_.sized, chain_[i].wire,
                                                    cycle + later, latest + later);
        if (found >= kForever) return latest;
        const i64 latency = machine_.wires[chain_[i].wire].latency;
        const bool met = met_at(chain_[i + 1].point, found + latency);
        moved = moved || met || found != cycle + later;
        cycle = found - later + met;
        later += latency;
      }
    }
    if (cycle >= latest) return latest;
    const i32 last_wire = chain_[chain_.size() - 2].wire;
    const i64 taken = offset + asked_.sized->last[last_wire];
    const Cost more = labels_.added(to, cycle + taken) - labels_.added(to, latest + taken);
    const Cost less = labels_.held(from.point, cycle + rest + 1, latest + rest);
    return more <= less ? cycle : latest;
  }

  // Whether another copy arrives at a Junction in that cycle.
  bool met_at(i32 point, i64 cycle) const {
    if (machine_.points[point].stores) return false;
    const Place* here = promises_.place(asked_.datum, point);
    return here && here->pass(cycle);
  }

  // The first cycle from which a copy can wait at the way's first Node for its departure.
  i64 source_since(const Label& begin) const {
    i64 found = begin.cycle;
    for (const Stay& stay : bearings_.place(begin.point)->stays) {
      if (stay.complete > stay.end || stay.end < begin.since || stay.complete > begin.cycle) {
        continue;
      }
      found = std::max(stay.complete, begin.since);
      if (machine_.points[begin.point].hold == 0) break;  // else only the last one costs as much
    }
    return found;
  }

  // The cycle of the copy that is held until `cycle`: the last one that costs nothing.
  i64 source_end(const Label& begin, i64 cycle) const {
    if (!labels_.stores(begin)) return begin.cycle;
    i64 found = begin.cycle;
    for (const Stay& stay : bearings_.place(begin.point)->stays) {
      if (stay.complete <= cycle && stay.complete <= stay.end) found = std::min(stay.end, cycle);
    }
    return found;
  }

  const Promises& promises_;
  const Machine& machine_;
  const Asked& asked_;
  const Bearings& bearings_;
  const Labels& labels_;
  std::vector<Label> chain_;
};

}  // namespace dtt
