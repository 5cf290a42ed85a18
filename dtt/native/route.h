// The way of least energy, and of the fewest Moves for it, searched backwards from the target.
//
// A label says: if the datum is complete at this Point in this cycle, it reaches the target for so
// much. Waiting is not searched: a label covers its free interval, and an earlier need in the same
// interval costs it no more than the hold energy. Departures on a Wire are tried one by one, the
// latest first; where waiting before the Wire is dearer than behind it, those that follow one
// another without a gap are one label. Copies end a way as soon as a label can be reached from one
// by waiting.
#pragma once

#include "earliest.h"

namespace dtt {

class Router {
 public:
  explicit Router(Promises& promises)
      : promises_(promises),
        machine_(promises.machine),
        forerunner_(promises),
        scratch_(machine_.points.size()) {}

  // Percent by which the bound is stretched: above 100 it is inadmissible, which tests must catch.
  i64 stretch = 100;

  bool route(i32 datum, i32 target, i64 deadline, i64 until, i32 only, i64 floor,
             Way& way) {
    begin(datum, target, deadline, only, floor);
    if (deadline < until &&
        promises_.room_since(scratch_[target].place, target, sized_->rows[target], until) >
            deadline) {
      return false;
    }
    exact_ = false;
    if (!search(target, deadline)) return false;
    if (repeats_junction()) {
      // Only a path that must be delayed gains from passing a Junction twice; then, and only then,
      // labels have to remember which Junctions they passed.
      exact_ = true;
      if (!search(target, deadline)) return false;
    }
    write(way);
    return true;
  }

 private:
  static constexpr std::size_t kFew = 8;
  static constexpr i32 kDoubt = 300;   // steps after which it is asked whether there is any way
  static constexpr i64 kSteps = 1000;  // for that question
  static constexpr i64 kLongest = (i64(1) << 31) - 1;  // the longest span of one label

  struct Label {
    i32 point, parent, wire, next;  // `wire` leads to the parent; `next` is older, at this Point
    i64 cycle, since;               // the datum may be there in all of since .. cycle
    i64 early;                      // in early .. cycle it leaves as soon as it is there, so that it
    i64 shift;                      // waits `shift` cycles later instead, where the label `payer`
    i32 payer;                      // is; before, it waits here, and leaves in `early`
    Cost cost;                      // in `cycle`
  };

  enum Stage : std::uint32_t {
    kGuess,  // no departure after `cycle` is possible, and none costs less
    kLoose,  // the departure is free, `cost` lacks what the source charges for the later beats
    kReady,
  };

  struct Step {  // a departure on a Wire that leads to a label
    Cost bound, cost;
    i64 cycle, since;
    i32 parent, wire, span;  // as early as `span` cycles before, it may leave as soon as it is there
    std::uint32_t order : 30;
    Stage stage : 2;

    bool operator<(const Step& other) const {  // for a heap with the best on top
      if (bound != other.bound) return bound > other.bound;
      if (cost != other.cost) return cost < other.cost;
      return order > other.order;
    }
  };

  struct Scratch {  // what one search knows of a Point
    std::uint32_t epoch = 0;
    i32 newest = -1;
    const Place* place = nullptr;
    i64 soonest = 0;  // no copy can be there before
    i64 latest = 0;   // every copy could be there then, and costs at least:
    Cost least = 0;
    bool known = false;
    i64 low = 1, high = 0;  // from any cycle of low .. high, it costs at least:
    Cost between = 0;
  };

  struct Copy {
    Cost far;  // at least from there to the target
    i32 point;
    i64 since;
    const Reach* reach;  // from there; null if unknown

    bool operator<(const Copy& other) const {  // for a heap with the nearest on top
      return far != other.far ? far > other.far : point > other.point;
    }
  };

  void begin(i32 datum, i32 target, i64 deadline, i32 only, i64 floor) {
    datum_ = datum;
    target_ = target;
    only_ = only;
    floor_ = floor;
    sized_ = &promises_.sizing(datum);
    if (++epoch_ == 0) {
      for (Scratch& s : scratch_) s.epoch = 0;
      epoch_ = 1;
    }
    met(target);
    gather(deadline);
  }

  // Collect the copies from which the target might be reached in time.
  void gather(i64 deadline) {
    to_target_ = machine_.to(*sized_, target_);
    copies_.clear();
    sorted_ = 0;
    soonest_ = kForever;
    for (const First& here : promises_.firsts[datum_]) {
      if (only_ >= 0 && here.point != only_) continue;
      Copy copy{0, here.point, here.since, nullptr};
      if (to_target_) {
        const Reach& way = to_target_[here.point];
        if (way.energy < 0 || here.since + way.time > deadline) continue;
        copy.far = cost(Cost(way.energy) * sized_->size, way.moves);
        soonest_ = std::min(soonest_, here.since + way.time);
      } else if (here.since > deadline) {
        continue;
      }
      copies_.push_back(copy);
    }
    few_ = !to_target_ || copies_.size() <= kFew;
    if (few_) {
      for (Copy& c : copies_) c.reach = machine_.from(*sized_, c.point);
    } else {
      std::make_heap(copies_.begin(), copies_.end());
    }
  }

  // The copy that is the i-th nearest to the target, as few of them as needed being sorted.
  const Copy& near(std::size_t i) {
    for (; sorted_ <= i; ++sorted_) {
      const auto end = copies_.end() - std::ptrdiff_t(sorted_);
      std::pop_heap(copies_.begin(), end);
      Copy& next = *(end - 1);
      next.reach = machine_.from(*sized_, next.point);
    }
    return copies_[copies_.size() - 1 - i];
  }

  Scratch& met(i32 point) {
    Scratch& s = scratch_[point];
    if (s.epoch != epoch_) {
      s = Scratch{};
      s.epoch = epoch_;
      s.place = promises_.place(datum_, point);
    }
    return s;
  }

  // Let a Point know how far it is from the copies.
  Scratch& know(i32 point) {
    Scratch& s = met(point);
    if (s.known) return s;
    s.known = true;
    if (!few_) {
      s.soonest = std::max<i64>(soonest_ - to_target_[point].time, 0);
      s.latest = kForever;
      return s;
    }
    s.soonest = kForever;
    s.least = kNoCost;
    for (const Copy& c : copies_) {
      if (c.reach && c.reach[point].energy < 0) continue;
      const i64 there = c.since + (c.reach ? c.reach[point].time : 0);
      s.soonest = std::min(s.soonest, there);
      s.latest = std::max(s.latest, there);
      s.least = std::min(s.least, from(c, point));
    }
    return s;
  }

  // At least what it costs from any copy to a Point in a cycle not before `soonest`.
  Cost bound(Scratch& s, i32 point, i64 cycle) {
    if (cycle >= s.latest) return s.least;
    if (s.low <= cycle && cycle <= s.high) return s.between;
    s.between = kNoCost;
    s.low = 0;
    s.high = cycle;
    if (few_) {
      for (const Copy& c : copies_) consider(s, c, point);
      return s.between;
    }
    const Reach& on = to_target_[point];
    const Cost rest = cost(Cost(on.energy) * sized_->size, on.moves);
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Copy& c = near(i);
      if (c.far - rest >= s.between) break;  // a copy farther from the target is no nearer
      consider(s, c, point);
    }
    return s.between;
  }

  // Let a copy be the one that counts, if it is nearer and can be there by `s.high`.
  void consider(Scratch& s, const Copy& c, i32 point) const {
    if (c.reach && c.reach[point].energy < 0) return;
    const i64 there = c.since + (c.reach ? c.reach[point].time : 0);
    const Cost least = from(c, point);
    if (there > s.high || least >= s.between) return;
    s.between = least;
    s.low = there;
  }

  Cost from(const Copy& c, i32 point) const {
    if (!c.reach) return 0;
    const Cost least = cost(Cost(c.reach[point].energy) * sized_->size, c.reach[point].moves);
    return stretch == 100 ? least : least * stretch / 100;
  }

  Cost held(i32 point, const Place* here, i64 first, i64 last) const {
    const i64 hold = machine_.points[point].hold;
    if (hold == 0 || first > last) return 0;
    const i64 cycles = here ? here->unpaid(first, last) : last - first + 1;
    return cost(Cost(hold) * sized_->size * cycles, 0);
  }

  bool search(i32 target, i64 deadline) {
    for (const Label& old : labels_) scratch_[old.point].newest = -1;
    labels_.clear();
    heap_.clear();
    best_ = kNoCost;
    order_ = 0;
    const Scratch& there = know(target);
    if (there.soonest > deadline) return false;
    const i64 since = promises_.room_since(there.place, target, sized_->rows[target], deadline);
    if (since > deadline) return false;
    const Label root{target, -1, -1, -1, deadline, since, deadline, 0, -1, 0};
    if (!finish(root)) expand(settle(root));
    bool doubted = false;
    while (!heap_.empty() && heap_.front().bound < best_) {
      if (order_ > kDoubt && !doubted && best_ == kNoCost) {
        // To find that there is no way at all is quicker forwards, where costs play no part.
        doubted = true;
        const i64 first =
            forerunner_.earliest(datum_, target, only_, deadline, floor_, deadline, kSteps);
        if (first < 0) return false;
      }
      Step step = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      if (step.stage == kGuess && !depart(step)) continue;
      if (step.stage == kLoose) {
        const Cost more = beats_held(step);
        step.cost += more;
        step.bound += more;
        step.stage = kReady;
        if (more && !next(step)) continue;
      }
      const Payer payer = payer_of(step);
      const Label label{machine_.wires[step.wire].source, step.parent, step.wire, -1, step.cycle,
                        step.since, step.cycle - step.span, payer.shift, payer.label, step.cost};
      if (!finish(label) && !dominated(label)) expand(settle(label));
    }
    return best_ < kNoCost;
  }

  i32 settle(const Label& label) {
    const i32 made = i32(labels_.size());
    labels_.push_back(label);
    labels_[made].next = scratch_[label.point].newest;
    scratch_[label.point].newest = made;
    return made;
  }

  // What it adds to the cost of a label to be there in an earlier cycle already.
  Cost added(const Label& label, i64 cycle) const {
    if (cycle >= label.cycle) return 0;
    const i64 leaves = std::max(cycle, label.early);
    const Cost here = held(label.point, scratch_[label.point].place, cycle + 1, leaves);
    if (leaves == label.cycle) return here;
    const i32 there = labels_[label.payer].point;
    return here + held(there, scratch_[there].place, leaves + label.shift + 1,
                       label.cycle + label.shift);
  }

  // Where the datum waits if it departs earlier than a step does, and down to which departure.
  struct Payer {
    i32 label;
    i64 shift, low;
  };

  Payer payer_of(const Step& step) const {
    const Label& to = labels_[step.parent];
    const i64 shift = machine_.wires[step.wire].latency + sized_->last[step.wire];
    if (step.cycle + shift > to.early) return {to.payer, to.shift + shift, to.early - shift};
    return {step.parent, shift, 0};
  }

  void expand(i32 made) {
    const Label label = labels_[made];
    const bool stores = machine_.points[label.point].stores;
    const Place* here = scratch_[label.point].place;
    if (!stores && here && here->pass(label.cycle)) return;  // it passes there already
    if (machine_.is_end(label.point, target_)) return;
    for (const Link& link : machine_.links[label.point]) {
      const i64 rest = stores ? sized_->last[link.wire] : 0;
      guess(made, link, label.cycle - rest - link.latency);
    }
  }

  // The first cycle in which a datum may begin to arrive for a label.
  i64 soonest_arrival(const Label& to) const {
    const i64 since = machine_.points[to.point].stores ? to.since : to.cycle;
    return to.point == target_ ? std::max(since, floor_) : since;
  }

  // Push that a Wire might lead to a label by a departure in `cycle`, or before: whether it is
  // free is looked up only for what comes to the top of the heap.
  void guess(i32 parent, const Link& link, i64 cycle) {
    const Label& to = labels_[parent];
    Scratch& s = know(link.source);
    const i64 low = std::max(s.soonest, soonest_arrival(to) - link.latency);
    if (cycle < low || superseded(parent, cycle + link.latency + sized_->last[link.wire])) return;
    if (exact_ && !machine_.points[link.source].stores && passes(parent, link.source)) return;
    Step step{0, departing(to, link, cycle), cycle, cycle, parent, link.wire, 0, 0, kGuess};
    if (machine_.points[link.source].stores) {
      while (const Label* known = covering(link.source, step, low)) {
        step.cycle = cycle = known->since - 1 - sized_->last[link.wire];
        if (cycle < low) return;
        step.cost = departing(to, link, cycle);
      }
    }
    step.bound = step.cost + bound(s, link.source, cycle);
    if (step.bound < best_) push(step);
  }

  // Whether another label of the same free interval costs less from a cycle on into the past.
  bool superseded(i32 made, i64 cycle) const {
    const Label& label = labels_[made];
    if (label.early < cycle || !machine_.points[label.point].hold) return false;
    const Cost here = label.cost + added(label, cycle);
    for (i32 i = scratch_[label.point].newest; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (i == made || known.cycle < cycle || known.since > cycle) continue;
      const Cost there = known.cost + added(known, cycle);
      if (there < here || (there == here && i < made)) return true;
    }
    return false;
  }

  // The cost from a departure on, without what the source charges while later beats leave.
  Cost departing(const Label& to, const Link& link, i64 cycle) const {
    const i64 arrival = cycle + link.latency + sized_->last[link.wire];
    return to.cost + cost(Cost(link.energy) * sized_->size, 1) + added(to, arrival);
  }

  // Let a guess become the last departure that is free; return whether its label comes next. If
  // it costs more than was guessed, it is pushed instead.
  bool depart(Step& step) {
    const Label& to = labels_[step.parent];
    const Wire& wire = machine_.wires[step.wire];
    const Link link{step.wire, wire.source, wire.latency, wire.energy};
    const i32 point = wire.source;
    Scratch& s = scratch_[point];
    const i64 rest = sized_->last[step.wire];
    const i64 low = std::max(s.soonest, soonest_arrival(to) - wire.latency);
    const i64 guessed = step.cycle;
    for (i64 cycle = guessed; cycle >= low;) {
      cycle = promises_.last_departure(datum_, *sized_, step.wire, cycle, low);
      if (cycle < 0) return false;
      step.since = cycle;
      if (machine_.points[point].stores) {
        const i64 rows = sized_->rows[point];
        step.since = promises_.room_since(s.place, point, rows, cycle + rest);
        if (step.since > cycle) {
          i64 end = step.since - 1;  // the beats must be gone by then, or before if it is full
          if (end == cycle + rest) end = promises_.last_room(s.place, point, rows, end);
          cycle = end - rest;
          continue;
        }
      }
      step.cycle = cycle;
      step.stage = machine_.points[point].stores && machine_.points[point].hold && rest ? kLoose
                                                                                       : kReady;
      const Cost guess_bound = step.bound;
      if (cycle < guessed) {
        step.cost = departing(to, link, cycle);
        step.bound = step.cost + bound(s, point, cycle);
        if (step.bound >= best_) return false;  // and no earlier departure is better
      }
      const i64 before = following(step, low);
      if (before >= low) guess(step.parent, link, before);
      return step.bound == guess_bound || next(step);
    }
    return false;
  }

  // Where to look for the next departure on the Wire of a step: not where its label is at least as
  // good, or where the departure belongs to the same label.
  i64 following(Step& step, i64 low) const {
    const i32 point = machine_.wires[step.wire].source;
    const i64 hold = machine_.points[point].hold, rest = sized_->last[step.wire];
    if (!machine_.points[point].stores) return step.cycle - 1;
    if (hold == 0) return step.since - 1 - rest;
    if (!machine_.points[labels_[step.parent].point].stores) return step.cycle - 1;
    const Payer payer = payer_of(step);
    const i32 there = labels_[payer.label].point;
    const Place *here = scratch_[point].place, *later = scratch_[there].place;
    if (hold <= machine_.points[there].hold) {
      const i64 paid = later ? later->last_paid(step.cycle + payer.shift) - payer.shift : 0;
      return std::max({step.since - rest, paid, payer.low}) - 1;
    }
    const i64 paid = here ? here->last_paid(step.cycle + rest) : -1;
    const i64 possible = promises_.possible_since(datum_, *sized_, step.wire, step.cycle);
    const i64 early = std::max({possible, low, step.since, payer.low, paid + 1});
    step.span = i32(std::clamp<i64>(step.cycle - early, 0, kLongest));
    return step.cycle - step.span - 1;
  }

  // What the source charges for holding the datum while its later beats leave.
  Cost beats_held(const Step& step) const {
    const i32 point = machine_.wires[step.wire].source;
    if (!machine_.points[point].stores) return 0;
    return held(point, scratch_[point].place, step.cycle + 1,
                step.cycle + sized_->last[step.wire]);
  }

  // Push a step whose bound grew, unless it still comes next; return whether it does.
  bool next(Step& step) {
    if (step.bound < best_ && (heap_.empty() || step.bound < heap_.front().bound)) return true;
    push(step);
    return false;
  }

  void push(Step& step) {
    step.order = order_++;
    heap_.push_back(step);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Note a copy from which a label is reached by waiting; return whether nothing can be better for
  // this label.
  bool finish(const Label& label) {
    const Place* place = scratch_[label.point].place;
    if (!place || (only_ >= 0 && label.point != only_)) return false;
    if (!machine_.points[label.point].stores) {
      if (only_ >= 0) return false;
      const Pass* p = place->pass(label.cycle);
      if (!p || (exact_ && !apart(p->junctions, label.parent))) return false;
      offer(label, label.cost);
      return true;
    }
    const Stay* found = nullptr;
    for (const Stay& stay : place->stays) {
      if (stay.complete <= label.cycle && stay.complete <= stay.end) found = &stay;
    }
    if (!found || label.since > found->end) return false;
    const Cost wait = added(label, found->end);
    offer(label, label.cost + wait);
    return wait == 0;
  }

  void offer(const Label& label, Cost whole) {
    if (whole >= best_) return;
    best_ = whole;
    end_ = label;
  }

  bool dominated(const Label& label) const {
    const bool stores = machine_.points[label.point].stores;
    for (i32 i = scratch_[label.point].newest; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (!stores) {
        if (known.cycle == label.cycle && known.cost <= label.cost &&
            (!exact_ || within(known.parent, label.parent))) {
          return true;
        }
      } else if (known.cycle >= label.cycle && known.since <= label.cycle && better(known, label)) {
        return true;
      }
    }
    return false;
  }

  // Whether a label costs no more than another in any cycle of that one.
  bool better(const Label& known, const Label& label) const {
    if (known.cost + added(known, label.cycle) > label.cost) return false;
    if (label.early == label.cycle) return true;  // both charge the same before that
    // The cost of one rises ever faster into the past, that of the other evenly, if nothing is paid.
    const Place* payer = scratch_[labels_[label.payer].point].place;
    const bool even = !payer || payer->stays.empty();
    return known.cost + added(known, label.early) <=
           label.cost + (even ? added(label, label.early) : 0);
  }

  // A label of a Node that, however early its free interval is entered from `low` on, costs no more
  // than a step does now: so earlier departures on the step's Wire, which cost at least as much,
  // gain nothing before that interval begins. Null if there is none.
  const Label* covering(i32 point, const Step& step, i64 low) const {
    const Scratch& s = scratch_[point];
    for (i32 i = s.newest; i >= 0; i = labels_[i].next) {
      const Label& known = labels_[i];
      if (known.cycle < step.cycle || known.since > step.cycle) continue;
      if (known.cost + added(known, std::max(known.since, low)) <= step.cost) return &known;
    }
    return nullptr;
  }

  // Junctions that a label passes before its next Node.

  bool passes(i32 label, i32 junction) const {
    for (; label >= 0 && !machine_.points[labels_[label].point].stores;
         label = labels_[label].parent) {
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

  bool within(i32 label, i32 other) const {
    for (; label >= 0 && !machine_.points[labels_[label].point].stores;
         label = labels_[label].parent) {
      if (!passes(other, labels_[label].point)) return false;
    }
    return true;
  }

  bool repeats_junction() const {
    std::vector<i32> passed;
    if (!machine_.points[end_.point].stores) {
      passed = promises_.passed_at(datum_, end_.point, end_.cycle);
    }
    for (i32 i = end_.parent; i >= 0; i = labels_[i].parent) {
      const i32 point = labels_[i].point;
      if (machine_.points[point].stores) {
        passed.clear();
      } else if (std::find(passed.begin(), passed.end(), point) != passed.end()) {
        return true;
      } else {
        passed.push_back(point);
      }
    }
    return false;
  }

  // Write the way down, each departure as early as its free intervals allow at the same energy.
  void write(Way& way) {
    way.point = end_.point;
    way.energy = best_ >> 32;
    way.moves.clear();
    i64 ready = end_.cycle;
    if (machine_.points[end_.point].stores) ready = source_since();
    i64 first = ready;
    for (Label here = end_; here.parent >= 0;) {
      chain_.clear();
      chain_.push_back(here);  // one Node, or a Junction that starts the way, and what follows it
      do {
        here = labels_[here.parent];
        chain_.push_back(here);
      } while (!machine_.points[here.point].stores);
      const i64 departure = advance(ready);
      i64 cycle = departure;
      if (way.moves.empty()) first = departure;
      for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
        way.moves.emplace_back(chain_[i].wire, cycle);
        cycle += machine_.wires[chain_[i].wire].latency;
        if (i + 2 == chain_.size()) cycle += sized_->last[chain_[i].wire];
      }
      ready = cycle;
    }
    way.since = way.moves.empty() ? source_end() : since_for(first);
  }

  // The earliest departure for the first Wire of the chain, by which the last Wire still lands in
  // its label's free interval and the energy stays the same.
  i64 advance(i64 ready) const {
    const Label& from = chain_.front();
    const Label& to = chain_.back();
    if (!machine_.points[from.point].stores) return from.cycle;
    const i64 latest = std::max(ready, from.early);
    i64 offset = 0;  // from the first departure to the first beat's arrival
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
      offset += machine_.wires[chain_[i].wire].latency;
    }
    const i64 rest = sized_->last[from.wire];
    i64 cycle = std::max(ready, soonest_arrival(to) - offset);
    for (bool moved = true; moved && cycle < latest;) {
      moved = false;
      i64 later = 0;
      for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
        const i64 found = promises_.first_departure(datum_, *sized_, chain_[i].wire, cycle + later,
                                                    latest + later);
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
    const i64 taken = offset + sized_->last[last_wire];
    const Cost more = added(to, cycle + taken) - added(to, latest + taken);
    const Cost less = held(from.point, scratch_[from.point].place, cycle + rest + 1,
                           latest + rest);
    return more <= less ? cycle : latest;
  }

  // Whether another copy arrives at a Junction in that cycle.
  bool met_at(i32 point, i64 cycle) const {
    if (machine_.points[point].stores) return false;
    const Place* here = promises_.place(datum_, point);
    return here && here->pass(cycle);
  }

  // The first cycle from which a copy can wait at the way's first Node for its departure.
  i64 source_since() const {
    i64 found = end_.cycle;
    for (const Stay& stay : scratch_[end_.point].place->stays) {
      if (stay.complete > stay.end || stay.end < end_.since || stay.complete > end_.cycle) continue;
      found = std::max(stay.complete, end_.since);
      if (machine_.points[end_.point].hold == 0) break;  // else only from the last it costs as much
    }
    return found;
  }

  i64 source_end() const { return since_for(end_.cycle); }

  // The cycle of the copy that is held until `cycle`: the last one that costs nothing.
  i64 since_for(i64 cycle) const {
    if (!machine_.points[end_.point].stores) return end_.cycle;
    i64 found = end_.cycle;
    for (const Stay& stay : scratch_[end_.point].place->stays) {
      if (stay.complete <= cycle && stay.complete <= stay.end) found = std::min(stay.end, cycle);
    }
    return found;
  }

  Promises& promises_;
  Machine& machine_;
  Forerunner forerunner_;
  std::vector<Scratch> scratch_;
  std::uint32_t epoch_ = 0;
  std::vector<Copy> copies_;          // those sorted last, the nearest at the end
  std::size_t sorted_ = 0;
  bool few_ = true;                   // so few copies that each is looked at
  i64 soonest_ = 0;                   // at the target, on an idle machine
  const Reach* to_target_ = nullptr;  // null if unknown
  std::vector<Label> labels_;
  std::vector<Step> heap_;
  std::vector<Label> chain_;
  Label end_{};
  Cost best_ = kNoCost;
  const Sizing* sized_ = nullptr;
  i32 datum_ = 0, target_ = 0, only_ = -1, order_ = 0;
  i64 floor_ = 0;
  bool exact_ = false;
};

}  // namespace dtt
