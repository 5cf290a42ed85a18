// A model that Yosys wrote as C++ (write_cxxrtl); see driver.h for what it has to offer.

#include <cxxrtl/cxxrtl.h>
#include <cxxrtl/cxxrtl_vcd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "narrow.h"

#include "model.cc"

namespace {

using Chunk = cxxrtl::chunk_t;
static_assert(sizeof(Chunk) == 4, "two chunks are a word");

struct Item {
    Chunk *curr = nullptr, *next = nullptr;
    size_t chunks = 0;

    int64_t words() const { return int64_t(chunks + 1) / 2; }

    bool none() const {
        Chunk any = 0;
        for (size_t i = 0; i < chunks; i++) any |= curr[i];
        return any == 0;
    }

    bool shows(const uint64_t *words) const {
        return std::memcmp(curr, words, chunks * sizeof(Chunk)) == 0;
    }

    void read(int64_t row, uint64_t *words) const {
        const Chunk *from = curr + row * chunks;
        for (size_t i = 0; i < chunks; i += 2)
            words[i / 2] = from[i] | (i + 1 < chunks ? uint64_t(from[i + 1]) << 32 : 0);
    }

    void write(int64_t row, const uint64_t *words) {
        for (Chunk *to : {curr, next}) {
            if (to == nullptr) continue;
            to += row * chunks;
            for (size_t i = 0; i < chunks; i++) to[i] = Chunk(words[i / 2] >> (i % 2 * 32));
        }
    }
};

struct Model {
    cxxrtl_design::p_machine top;
    cxxrtl::debug_items items;
    cxxrtl::vcd_writer vcd;
    std::ofstream file;

    Model() { top.debug_info(&items, nullptr, ""); }

    bool find(const char *name, Item *item) {
        if (items.count(name) == 0) return false;
        const cxxrtl::debug_item &found = items.at(name)[0];
        item->curr = found.curr;
        item->next = found.next;
        item->chunks = (found.width + 31) / 32;
        return found.curr != nullptr;
    }

    void settle() {
        bool settled;
        do {
            settled = top.eval();
        } while (top.commit() && !settled);
    }

    void start(bool run) {
        top.p_run.set(run);
        settle();
    }

    // The clock falls as soon as the edge is taken: settling then serves both.
    void cycle() {
        top.p_clk.set(true);
        top.eval();
        top.commit();
        top.p_clk.set(false);
        settle();
    }

    bool wave(const char *path) {
        file.open(path, std::ios::binary);
        vcd = cxxrtl::vcd_writer();
        vcd.timescale(1, "ns");
        vcd.add_without_memories(items);
        return bool(file);
    }

    void flush() {
        file << vcd.buffer;
        vcd.buffer.clear();
    }

    void sample(int64_t cycle) {
        vcd.sample(uint64_t(cycle));
        flush();
    }

    void wave_end() { file.close(); }
};

}  // namespace

#include "driver.h"
