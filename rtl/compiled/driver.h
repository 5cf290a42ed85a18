// Runs a compiled model in bulk: memories in, cycles on, and what its probes showed out.
//
// A model is included first. It defines `struct Model` with
//   Model();                                     all registers and memories as at power-up
//   bool find(const char *name, Item *item);     a memory, register or output by its path
//   void start(bool run);                        sets `run`, and settles
//   void cycle();                                one rising edge of the clock, and settles
//   bool wave(const char *path); void sample(int64_t cycle); void wave_end();
// Words are of 64 bits here, the least significant first.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

// hwdsl.trace.EVENT
struct __attribute__((packed)) Event {
    int64_t cycle;
    uint8_t kind;
    int32_t part, lane, chunk;
    uint64_t value;
};

struct Driver {
    std::vector<std::string> names;  // probes, then memories
    size_t probes;
    std::vector<Item> items;
    std::unique_ptr<Model> model;
    int64_t cycle = -1;  // the one that the probes show; -1: it does not run yet
    bool taken = true;   // the probes of this cycle are recorded
    std::string wave;
    int64_t wave_from = 0, wave_to = -1;
    bool waving = false;
    std::vector<uint64_t> row, later;  // what probes are to show, in this cycle and in the next

    bool renew() {
        model.reset();
        model.reset(new Model());
        for (size_t i = 0; i < names.size(); i++)
            if (!model->find(names[i].c_str(), &items[i])) return false;
        cycle = -1;
        taken = true;
        waving = false;
        return true;
    }

    void show() {
        if (wave.empty() || cycle < wave_from || cycle > wave_to) {
            if (waving) model->wave_end();
            waving = false;
            return;
        }
        if (!waving) waving = model->wave(wave.c_str());
        if (waving) model->sample(cycle);
    }

    void step() {
        if (cycle < 0) {
            model->start(false);
            model->cycle();
            model->start(true);
        } else {
            model->cycle();
        }
        cycle++;
        taken = false;
        show();
    }

    // Puts into `words` what an event shows, of which lane 0 begins at bit place[0], and the next
    // lane place[1] further: 65 bits, value and valid bit; of a later chunk, the lowest is 0.
    static void put(const Event &event, const int64_t *place, std::vector<uint64_t> &words) {
        int64_t at = place[0] + event.lane * place[1] + int64_t(event.chunk) * 64;
        int64_t shift = at & 63;
        if (at < 0 || size_t(at >> 6) + 1 >= words.size()) at = 0;  // no such lane: it will differ
        words[at >> 6] |= (event.value << 1 | (event.chunk == 0)) << shift;
        words[(at >> 6) + 1] |= event.value >> (63 - shift);
    }

    bool as_foretold() const {
        const uint64_t *at = row.data();
        for (size_t i = 0; i < probes; i++) {
            if (!items[i].shows(at)) return false;
            at += items[i].words();
        }
        return true;
    }
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Returns a machine as at power-up, or null if it lacks one of the names.
void *hw_open(int32_t probes, int32_t memories, const char *const *names) {
    auto driver = std::make_unique<Driver>();
    driver->names.assign(names, names + probes + memories);
    driver->probes = probes;
    driver->items.resize(driver->names.size());
    return driver->renew() ? driver.release() : nullptr;
}

void hw_close(void *handle) { delete static_cast<Driver *>(handle); }

// Puts the machine back to power-up.
void hw_renew(void *handle) { static_cast<Driver *>(handle)->renew(); }

// Writes waveforms of cycles from .. to.
void hw_wave(void *handle, const char *path, int64_t from, int64_t to) {
    auto &driver = *static_cast<Driver *>(handle);
    driver.wave = path;
    driver.wave_from = from;
    driver.wave_to = to;
}

// Ends the waveform, wherever the run is.
void hw_wave_end(void *handle) {
    auto &driver = *static_cast<Driver *>(handle);
    if (driver.waving) driver.model->wave_end();
    driver.waving = false;
    driver.wave.clear();
}

// Writes rows of memories; each takes as many words as a row of its memory has.
void hw_poke(void *handle, int64_t count, const int32_t *memory, const int64_t *row,
             const uint64_t *words) {
    auto &driver = *static_cast<Driver *>(handle);
    for (int64_t i = 0; i < count; i++) {
        Item &item = driver.items[driver.probes + memory[i]];
        item.write(row[i], words);
        words += item.words();
    }
}

void hw_peek(void *handle, int64_t count, const int32_t *memory, const int64_t *row,
             uint64_t *words) {
    auto &driver = *static_cast<Driver *>(handle);
    for (int64_t i = 0; i < count; i++) {
        Item &item = driver.items[driver.probes + memory[i]];
        item.read(row[i], words);
        words += item.words();
    }
}

// Goes on to clock cycle `last`, and looks at nothing.
void hw_skip(void *handle, int64_t last) {
    auto &driver = *static_cast<Driver *>(handle);
    while (driver.cycle < last) driver.step();
    driver.taken = true;
}

// Goes on to cycle `last`, counted from clock cycle `zero`, for as long as the probes show what the
// events, from those of the cycle before on, foretell. `places`: for each kind and each of `parts`
// parts, see `put`; events of kind `lagging` show a cycle later. Returns the first cycle that is not
// as foretold; it is not recorded.
int64_t hw_follow(void *handle, int64_t last, int64_t zero, const Event *event,
                  const Event *end, const int64_t *places, int64_t parts, int32_t lagging) {
    auto &driver = *static_cast<Driver *>(handle);
    size_t words = 1;  // one more, for what `put` has beyond the last
    for (size_t i = 0; i < driver.probes; i++) words += driver.items[i].words();
    driver.row.assign(words, 0);
    driver.later.assign(words, 0);
    int64_t cycle = driver.cycle + 1 - zero;
    auto take = [&](int64_t of) {
        for (; event < end && event->cycle == of; event++) {
            bool lags = event->kind == lagging;
            if (of < cycle && !lags) continue;
            const int64_t *place = places + (event->kind * parts + event->part) * 2;
            driver.put(*event, place, lags && of == cycle ? driver.later : driver.row);
        }
    };
    take(cycle - 1);
    for (; cycle <= last; cycle++) {
        take(cycle);
        driver.step();
        if (!driver.as_foretold()) return cycle;
        driver.taken = true;
        driver.row.swap(driver.later);
        std::fill(driver.later.begin(), driver.later.end(), 0);
    }
    return cycle;
}

// Shows cycles up to `last`, and records every probe that is not 0: its key, cycle * probes +
// probe, and its words. Stops early where there is no room for one more cycle. Returns the number
// of records; `cycle` becomes the next cycle to be recorded, `used` the number of words.
int64_t hw_run(void *handle, int64_t last, int64_t room, int64_t *keys, int64_t words_room,
               uint64_t *words, int64_t *cycle, int64_t *used) {
    auto &driver = *static_cast<Driver *>(handle);
    int64_t most_words = 0;
    for (size_t i = 0; i < driver.probes; i++) most_words += driver.items[i].words();
    int64_t count = 0, at = 0;
    while (driver.cycle < last || (driver.cycle == last && !driver.taken)) {
        if (count + int64_t(driver.probes) > room || at + most_words > words_room) break;
        if (driver.taken) driver.step();
        driver.taken = true;
        int64_t key = driver.cycle * int64_t(driver.probes);
        for (size_t i = 0; i < driver.probes; i++) {
            Item &item = driver.items[i];
            if (item.none()) continue;
            keys[count++] = key + int64_t(i);
            item.read(0, words + at);
            at += item.words();
        }
    }
    *cycle = driver.cycle + 1;
    *used = at;
    return count;
}

}  // extern "C"
#pragma GCC visibility pop
