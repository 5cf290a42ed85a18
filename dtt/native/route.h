// The way of least energy, and of the fewest Moves for it, searched backwards from the target.
//
// Waiting is not searched: it lies within labels. Departures on a Wire are tried one by one, the
// latest first; where waiting before the Wire is dearer than behind it, those that follow one
// another without a gap are one label. Copies end a way as soon as a label can be reached from one
// by waiting.
#pragma once

#include "earliest.h"
#include "writing.h"

namespace dtt {

class Router {
 public:
  explicit Router(Promises& promises)
      : bearings(promises, promises.machine, asked_),
        promises_(promises),
        machine_(promises.machine),
        forerunner_(promises),
        labels_(promises, asked_, bearings),
        writing_(promises, asked_, bearings, labels_) {}

  Bearings bearings;

  bool route(i32 datum, i32 target, i64 deadline, i64 until, i32 only, i64 floor, Way& way) {
    asked_ = {datum, target, only, floor, &promises_.sizing(datum)};
    bearings.begin(deadline);
    if (deadline < until && room_since(target, until) > deadline) return false;
    exact_ = false;
    if (!search(deadline)) return false;
    if (labels_.repeats_junction(begin_)) {
      // Only a path that must be delayed gains from passing a Junction twice; then, and only then,
      // labels have to remember which Junctions they passed.
      exact_ = true;
      if (!search(deadline)) return false;
    }
    writing_.write(begin_, way);
    way.energy = best_ >> 32;
    return true;
  }

 private:
  static constexpr i32 kDoubt = 100;   // steps after which it is asked whether there is any way
  static constexpr i64 kSteps = 1000;  // for that question
  static constexpr i64 kLongest = (i64(1) << 31) - 1;  // the longest span of one label

  enum Stage : std::uint32_t {
    kGuess,  // no departure after `cycle` is possible, and none costs less
    kLoose,  // the departure is free, `cost` lacks what the source charges for the later beats
    kReady,
  };

  struct Step {  // a departure on a Wire that leads to a label
    Cost bound, cost;
    i64 cycle, since;
    i32 parent, wire;
    i32 span;  // as early as so many cycles before, it may leave as soon as it is there
    std::uint32_t order : 30;
    Stage stage : 2;

    bool operator<(const Step& other) const {  // for a heap with the best on top
      if (bound != other.bound) return bound > other.bound;
      if (cost != other.cost) return cost < other.cost;
      return order > other.order;
    }
  };

  i64 room_since(i32 point, i64 cycle) const {
    return promises_.room_since(bearings.place(point), point, asked_.sized->rows[point], cycle);
  }

  bool search(i64 deadline) {
    const i32 target = asked_.target;
    labels_.clear();
    heap_.clear();
    best_ = kNoCost;
    order_ = 0;
    if (bearings.know(target).soonest > deadline) return false;
    const i64 since = room_since(target, deadline);
    if (since > deadline) return false;
    const Label root{target, -1, -1, -1, deadline, since, deadline, 0, -1, 0};
    if (!finish(root)) expand(labels_.settle(root));
    bool doubted = false;
    while (!heap_.empty() && heap_.front().bound < best_) {
      if (order_ > kDoubt && !doubted && best_ == kNoCost) {
        // To find that there is no way at all is quicker forwards, where costs play no part.
        doubted = true;
        const i64 first = forerunner_.earliest(asked_.datum, target, asked_.only, deadline,
                                               asked_.floor, deadline, kSteps);
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
      if (!finish(label) && !labels_.dominated(label, exact_)) expand(labels_.settle(label));
    }
    return best_ < kNoCost;
  }

  // Where the datum waits if it departs earlier than a step does, and down to which departure.
  struct Payer {
    i32 label;
    i64 shift, low;
  };

  Payer payer_of(const Step& step) const {
    const Label& to = labels_[step.parent];
    const i64 shift = machine_.wires[step.wire].latency + asked_.sized->last[step.wire];
    if (step.cycle + shift > to.early) return {to.payer, to.shift + shift, to.early - shift};
    return {step.parent, shift, 0};
  }

  void expand(i32 made) {
    const Label label = labels_[made];
    const bool stores = labels_.stores(label);
    const Place* here = bearings.place(label.point);
    if (!stores && here && here->pass(label.cycle)) return;  // it passes there already
    if (machine_.is_end(label.point, asked_.target)) return;
    for (const Link& link : machine_.links[label.point]) {
      const i64 rest = stores ? asked_.sized->last[link.wire] : 0;
      guess(made, link, label.cycle - rest - link.latency);
    }
  }

  // Push that a Wire might lead to a label by a departure in `cycle`, or before: whether it is
  // free is looked up only for what comes to the top of the heap.
  void guess(i32 parent, const Link& link, i64 cycle) {
    const Label& to = labels_[parent];
    Bearing& source = bearings.know(link.source);
    const bool stores = machine_.points[link.source].stores;
    const i64 rest = asked_.sized->last[link.wire];
    const i64 low = std::max(source.soonest, labels_.soonest_arrival(to) - link.latency);
    if (cycle < low || labels_.superseded(parent, cycle + link.latency + rest)) return;
    if (exact_ && !stores && labels_.passes(parent, link.source)) return;
    Step step{0, departing(to, link, cycle), cycle, cycle, parent, link.wire, 0, 0, kGuess};
    if (stores) {
      while (const Label* known = labels_.covering(link.source, cycle, step.cost, low)) {
        step.cycle = cycle = known->since - 1 - rest;
        if (cycle < low) return;
        step.cost = departing(to, link, cycle);
      }
    }
    step.bound = step.cost + bearings.bound(source, link.source, cycle);
    if (step.bound < best_) push(step);
  }

  // The cost from a departure on, without what the source charges while later beats leave.
  Cost departing(const Label& to, const Link& link, i64 cycle) const {
    const i64 arrival = cycle + link.latency + asked_.sized->last[link.wire];
    return to.cost + cost(Cost(link.energy) * asked_.sized->size, 1) + labels_.added(to, arrival);
  }

  // Let a guess become the last departure that is free; return whether its label comes next. If
  // it costs more than was guessed, it is pushed instead.
  bool depart(Step& step) {
    const Label& to = labels_[step.parent];
    const Wire& wire = machine_.wires[step.wire];
    const Link link{step.wire, wire.source, wire.latency, wire.energy};
    const i32 point = wire.source;
    const bool stores = machine_.points[point].stores;
    Bearing& source = bearings.know(point);
    const i64 rest = asked_.sized->last[step.wire];
    const i64 low = std::max(source.soonest, labels_.soonest_arrival(to) - wire.latency);
    const i64 guessed = step.cycle;
    for (i64 cycle = guessed; cycle >= low;) {
      cycle = promises_.last_departure(asked_.datum, *asked_.sized, step.wire, cycle, low);
      if (cycle < 0) return false;
      step.since = cycle;
      if (stores) {
        step.since = room_since(point, cycle + rest);
        if (step.since > cycle) {
          i64 end = step.since - 1;  // the beats must be gone by then, or before if it is full
          if (end == cycle + rest) {
            end = promises_.last_room(source.place, point, asked_.sized->rows[point], end);
          }
          cycle = end - rest;
          continue;
        }
      }
      step.cycle = cycle;
      step.stage = stores && machine_.points[point].hold && rest ? kLoose : kReady;
      const Cost guess_bound = step.bound;
      if (cycle < guessed) {
        step.cost = departing(to, link, cycle);
        step.bound = step.cost + bearings.bound(source, point, cycle);
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
    const i64 hold = machine_.points[point].hold, rest = asked_.sized->last[step.wire];
    if (!machine_.points[point].stores) return step.cycle - 1;
    if (hold == 0) return step.since - 1 - rest;
    if (!labels_.stores(labels_[step.parent])) return step.cycle - 1;
    const Payer payer = payer_of(step);
    const i32 there = labels_[payer.label].point;
    const Place *here = bearings.place(point), *later = bearings.place(there);
    if (hold <= machine_.points[there].hold) {
      const i64 paid = later ? later->last_paid(step.cycle + payer.shift) - payer.shift : 0;
      return std::max({step.since - rest, paid, payer.low}) - 1;
    }
    const i64 paid = here ? here->last_paid(step.cycle + rest) : -1;
    const i64 possible =
        promises_.possible_since(asked_.datum, *asked_.sized, step.wire, step.cycle);
    const i64 early = std::max({possible, low, step.since, payer.low, paid + 1});
    step.span = i32(std::clamp<i64>(step.cycle - early, 0, kLongest));
    return step.cycle - step.span - 1;
  }

  // What the source charges for holding the datum while its later beats leave.
  Cost beats_held(const Step& step) const {
    const i32 point = machine_.wires[step.wire].source;
    if (!machine_.points[point].stores) return 0;
    return labels_.held(point, step.cycle + 1, step.cycle + asked_.sized->last[step.wire]);
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
    const Place* place = bearings.place(label.point);
    if (!place || (asked_.only >= 0 && label.point != asked_.only)) return false;
    if (!labels_.stores(label)) {
      if (asked_.only >= 0) return false;
      const Pass* p = place->pass(label.cycle);
      if (!p || (exact_ && !labels_.apart(p->junctions, label.parent))) return false;
      offer(label, label.cost);
      return true;
    }
    const Stay* found = nullptr;
    for (const Stay& stay : place->stays) {
      if (stay.complete <= label.cycle && stay.complete <= stay.end) found = &stay;
    }
    if (!found || label.since > found->end) return false;
    const Cost wait = labels_.added(label, found->end);
    offer(label, label.cost + wait);
    return wait == 0;
  }

  void offer(const Label& label, Cost whole) {
    if (whole >= best_) return;
    best_ = whole;
    begin_ = label;
  }

  Asked asked_;
  Promises& promises_;
  Machine& machine_;
  Forerunner forerunner_;
  Labels labels_;
  Writing writing_;
  std::vector<Step> heap_;
  Label begin_{};
  Cost best_ = kNoCost;
  i32 order_ = 0;
  bool exact_ = false;
};

}  // namespace dtt
