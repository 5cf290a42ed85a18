// A model that Verilator wrote as C++; see driver.h for what it has to offer.

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "Vmachine.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

// Little-endian numbers of 1, 2, 4, 8 or a multiple of 4 bytes.
struct Item {
    char *data = nullptr;
    size_t bytes = 0;

    int64_t words() const { return int64_t(bytes + 7) / 8; }

    bool none() const {
        if (bytes == 8) return *reinterpret_cast<const uint64_t *>(data) == 0;
        uint64_t word = 0;
        for (size_t at = 0; at < bytes; at += 8) {
            std::memcpy(&word, data + at, bytes - at < 8 ? bytes - at : 8);
            if (word) return false;
        }
        return true;
    }

    bool shows(const uint64_t *words) const {
        if (bytes != 8) return std::memcmp(data, words, bytes) == 0;
        return *reinterpret_cast<const uint64_t *>(data) == *words;
    }

    void read(int64_t row, uint64_t *words) const {
        words[(bytes - 1) / 8] = 0;
        std::memcpy(words, data + row * bytes, bytes);
    }

    void write(int64_t row, const uint64_t *words) {
        std::memcpy(data + row * bytes, words, bytes);
    }
};

struct Model {
    VerilatedContext context;
    std::unique_ptr<Vmachine> top;
    std::map<std::string, Item> outputs;
#if VM_TRACE
    VerilatedVcdC vcd;
#endif

    Model() {
#if VM_TRACE
        context.traceEverOn(true);
#endif
        top = std::make_unique<Vmachine>(&context, "TOP");
#define OUTPUT(name, member) \
    outputs[name] = {reinterpret_cast<char *>(&top->member), sizeof(top->member)};
#include "outputs.inc"
        top->clk = 0;
        top->start = 0;
        top->eval();
    }

    ~Model() { top->final(); }

    // An output by its name, or what is public by its path, with spaces between instances.
    bool find(const char *name, Item *item) {
        auto output = outputs.find(name);
        if (output != outputs.end()) {
            *item = output->second;
            return true;
        }
        std::string path = std::string("TOP.driven.machine.") + name;
        for (char &c : path)
            if (c == ' ') c = '.';
        size_t dot = path.rfind('.');
        const VerilatedScope *scope = context.scopeFind(path.substr(0, dot).c_str());
        if (scope == nullptr) return false;
        const VerilatedVar *var = scope->varFind(path.c_str() + dot + 1);
        if (var == nullptr) return false;
        item->data = static_cast<char *>(var->datap());
        item->bytes = var->entSize();
        return true;
    }

    // `run` is a register behind `start`: an edge, at which the machine is still as it was before.
    void start(bool run) {
        top->start = run;
        cycle();
    }

    void cycle() {
        top->clk = 1;
        top->eval();
        top->clk = 0;
        top->eval();
    }

#if VM_TRACE
    bool wave(const char *path) {
        top->trace(&vcd, 99);
        vcd.open(path);
        return vcd.isOpen();
    }
    void sample(int64_t cycle) { vcd.dump(uint64_t(cycle)); }
    void wave_end() { vcd.close(); }
#else
    bool wave(const char *) { return false; }
    void sample(int64_t) {}
    void wave_end() {}
#endif
};

}  // namespace

#include "driver.h"
