// Labels of the search for a way: if the datum is complete at a Point in a cycle, it reaches the
// target for so much. A label covers its free interval: an earlier need costs no more than holding.
#pragma once

#include "bearings.h"

namespace dtt {

struct Label {
  i32 point, parent, wire, next;  // `wire` leads to the parent; `next` is older, at this Point
  i64 cycle, since;               // the datum may be there in all of since .. cycle
  i64 early;                      // in early .. cycle it leaves as soon as it is there, so that it
  i64 shift;                      // waits `shift` cycles later instead, where the label `payer`
  i32 payer;                      // is; before, it waits here, and leaves in `early`
  Cost cost;                      // in `cycle`
};

class Labels {
 public:
  Labels(const Promises& promises, const Asked& asked, const Bearings& bearings)
      : promises_(promises),
        points_(promises.machine.points),
        asked_(asked),
        bearings_(bearings),
        newest_(points_.size(), -1) {}

  void clear() {
    for (const Label& old : labels_) newest_[old.point] = -1;
    labels_.clear();
  }

  const Label& operator[](i32 i) const { return labels_[i]; }

  bool stores(const Label& label) const { return points_[label.point].stores; }

  i32 settle(const Label& label) {
    const i32 made = i32(labels_.size());
    labels_.push_back(label);
    labels_[made].next = newest_[label.point];
    newest_[label.point] = made;
    return made;
  }

  // The first cycle in which a datum may begin to arrive for a label.
  i64 soonest_arrival(const Label& to) const {
    const i64 since = stores(to) ? to.since : to.cycle;
    return to.point == asked_.target ? std::max(since, asked_.floor) : since;
  }

  // What it costs to hold the datum at a Point that was met, in those cycles that nobody paid for.
  Cost held(i32 point, i64 first, i64 last) const {
    const i64 hold = points_[point].hold;
    if (hold == 0 || first > last) return 0;
    const Place* here = bearings_.place(point);
    const i64 cycles = here ? here->unpaid(first, last) : last - first + 1;
    return cost(Cost(hold) * asked_.sized->size * cycles, 0);
  }

  // What it adds to the cost of a label to be there in an earlier cycle already.
  Cost added(const Label& label, i64 cycle) const {
    if (cycle >= label.cycle) return 0;
    const i64 leaves = std::max(cycle, label.early);
    const Cost here = held(label.point, cycle + 1, leaves);
    if (leaves == label.cycle) return here;
    return here + held(labels_[label.payer].point, leaves + label.shift + 1,
                       label.cycle + label.shift);
  }

  // Whether a label is no better than one that was settled; `exact`: where the Junctions that it
  // passes count.
  bool dominated(const Label& label, bool exact) const {
    for (i32 i = newest_[label.point]; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (!stores(label)) {
        if (known.cycle == label.cycle && known.cost <= label.cost &&
            (!exact || within(known.parent, label.parent))) {
          return true;
        }
      } else if (known.cycle >= label.cycle && known.since <= label.cycle && better(known, label)) {
        return true;
      }
    }
    return false;
  }

  // Whether another label of the same free interval costs less from a cycle on into the past.
  bool superseded(i32 made, i64 cycle) const {
    const Label& label = labels_[made];
    if (label.early < cycle || !points_[label.point].hold) return false;
    const Cost here = label.cost + added(label, cycle);
    for (i32 i = newest_[label.point]; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (i == made || known.cycle < cycle || known.since > cycle) continue;
      const Cost there = known.cost + added(known, cycle);
      if (there < here || (there == here && i < made)) return true;
    }
    return false;
  }

  // A label of a Node that, however early its free interval is entered from `low` on, costs no more
  // than `most`: so departures in `cycle` and before, which cost at least that, gain nothing until
  // that interval begins. Null if there is none.
  const Label* covering(i32 point, i64 cycle, Cost most, i64 low) const {
    for (i32 i = newest_[point]; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (known.cycle < cycle || known.since > cycle) continue;
      if (known.cost + added(known, std::max(known.since, low)) <= most) return &known;
    }
    return nullptr;
  }

  // Junctions that a label passes before its next Node.

  bool passes(i32 label, i32 junction) const {
    for (; label >= 0 && !stores(labels_[label]); label = labels_[label].parent) {
      if (labels_[label].point == junction) return true;
    }
    return false;
  }

  bool apart(i32 junctions, i32 label) const {
    for (const i32 j : promises_.junction_sets[junctions]) {
      if (passes(label, j)) return false;
    }
    return true;
  }

  // Whether the way from a label on passes a Junction twice.
  bool repeats_junction(const Label& begin) const {
    std::vector<i32> passed;
    if (!stores(begin)) passed = promises_.passed_at(asked_.datum, begin.point, begin.cycle);
    for (i32 i = begin.parent; i >= 0; i = labels_[i].parent) {
      const i32 point = labels_[i].point;
      if (points_[point].stores) {
        passed.clear();
      } else if (std::find(passed.begin(), passed.end(), point) != passed.end()) {
        return true;
      } else {
        passed.push_back(point);
      }
    }
    return false;
  }

 private:
  // Whether a label costs no more than another in any cycle of that one.
  bool better(const Label& known, const Label& label) const {
    if (known.cost + added(known, label.cycle) > label.cost) return false;
    if (label.early == label.cycle) return true;  // both charge the same before that
    // One rises ever faster into the past, the other evenly, if nothing is paid.
    const Place* payer = bearings_.place(labels_[label.payer].point);
    const bool even = !payer || payer->stays.empty();
    return known.cost + added(known, label.early) <=
           label.cost + (even ? added(label, label.early) : 0);
  }

  bool within(i32 label, i32 other) const {
    for (; label >= 0 && !stores(labels_[label]); label = labels_[label].parent) {
      if (!passes(other, labels_[label].point)) return false;
    }
    return true;
  }

  const Promises& promises_;
  const std::vector<Point>& points_;
  const Asked& asked_;
  const Bearings& bearings_;
  std::vector<Label> labels_;
  std::vector<i32> newest_;  // of each Point
};

}  // namespace dtt
