// What CXXRTL computes with values of up to 64 bits, without its loops over chunks of them.
//
// Most values are that narrow, and the compiler spends most of its time on turning those loops into
// what is written here. Each function is chosen before its namesake in cxxrtl.h, and is the same.

#pragma once

#include <cxxrtl/cxxrtl.h>

#include <algorithm>
#include <type_traits>

namespace cxxrtl {

template <size_t... Bits>
concept Narrow = ((Bits <= 64) && ...);

template <size_t... Bits>
using Word = std::conditional_t<((Bits <= 32) && ...), uint32_t, uint64_t>;

template <class To, size_t Bits>
CXXRTL_ALWAYS_INLINE To word(const value<Bits> &of) {
    if constexpr (Bits == 0) return 0;
    else if constexpr (Bits <= 32) return of.data[0];
    else return To(of.data[0] | uint64_t(of.data[1]) << 32);
}

template <class To, size_t Bits>
CXXRTL_ALWAYS_INLINE std::make_signed_t<To> signed_word(const value<Bits> &of) {
    if constexpr (Bits == 0) return 0;
    constexpr size_t above = sizeof(To) * 8 - Bits;
    return std::make_signed_t<To>(word<To>(of) << above) >> above;
}

template <size_t Bits>
CXXRTL_ALWAYS_INLINE value<Bits> cut(uint64_t word) {
    if constexpr (Bits == 0) return {};
    else if constexpr (Bits <= 32) return value<Bits>{chunk_t(word) & value<Bits>::msb_mask};
    else return value<Bits>{chunk_t(word), chunk_t(word >> 32) & value<Bits>::msb_mask};
}

template <class T>
constexpr bool is_value = false;
template <size_t Bits>
constexpr bool is_value<value<Bits>> = true;
template <size_t Bits>
constexpr bool is_value<const value<Bits>> = true;

template <class T, size_t Stop, size_t Start>
    requires is_value<T> && Narrow<Stop - Start + 1>
struct slice_expr<T, Stop, Start> : public expr_base<slice_expr<T, Stop, Start>> {
    static_assert(Stop >= Start && Stop < T::bits);
    static constexpr size_t bits = Stop - Start + 1;

    T &expr;

    slice_expr(T &expr) : expr(expr) {}
    slice_expr(const slice_expr &) = delete;

    CXXRTL_ALWAYS_INLINE value<bits> val() const {
        constexpr size_t first = Start / 32, chunks = Stop / 32 - first + 1, shift = Start % 32;
        if constexpr (chunks == 1) return cut<bits>(expr.data[first] >> shift);
        uint64_t found = (expr.data[first] | uint64_t(expr.data[first + (chunks > 1)]) << 32);
        found >>= shift;
        if constexpr (chunks > 2) found |= uint64_t(expr.data[first + 2]) << (64 - shift);
        return cut<bits>(found);
    }

    CXXRTL_ALWAYS_INLINE operator value<bits>() const { return val(); }

    CXXRTL_ALWAYS_INLINE slice_expr &operator=(const value<bits> &rhs) {
        expr = expr.template blit<Stop, Start>(rhs);
        return *this;
    }
};

template <class T, class U>
    requires Narrow<T::bits + U::bits>
struct concat_expr<T, U> : public expr_base<concat_expr<T, U>> {
    static constexpr size_t bits = T::bits + U::bits;

    T &ms_expr;
    U &ls_expr;

    concat_expr(T &ms_expr, U &ls_expr) : ms_expr(ms_expr), ls_expr(ls_expr) {}
    concat_expr(const concat_expr &) = delete;

    CXXRTL_ALWAYS_INLINE value<bits> val() const {
        using W = Word<bits>;
        W low = word<W>(static_cast<const value<U::bits> &>(ls_expr));
        if constexpr (T::bits > 0)
            low |= word<W>(static_cast<const value<T::bits> &>(ms_expr)) << U::bits;
        return cut<bits>(low);
    }

    CXXRTL_ALWAYS_INLINE operator value<bits>() const { return val(); }

    CXXRTL_ALWAYS_INLINE concat_expr &operator=(const value<bits> &rhs) {
        ms_expr = rhs.template rtrunc<T::bits>();
        ls_expr = rhs.template trunc<U::bits>();
        return *this;
    }
};

}  // namespace cxxrtl

namespace cxxrtl_yosys {

#define ONE(name, result)                                            \
    template <size_t BitsY, size_t BitsA>                            \
        requires Narrow<BitsY, BitsA>                                \
    CXXRTL_ALWAYS_INLINE value<BitsY> name(const value<BitsA> &a_) { \
        using W = Word<BitsY, BitsA>;                                \
        const W a = word<W>(a_);                                     \
        return cut<BitsY>(result);                                   \
    }
#define TWO(name, word, result)                                                              \
    template <size_t BitsY, size_t BitsA, size_t BitsB>                                      \
        requires Narrow<BitsY, BitsA, BitsB>                                                 \
    CXXRTL_ALWAYS_INLINE value<BitsY> name(const value<BitsA> &a_, const value<BitsB> &b_) { \
        using W = Word<BitsY, BitsA, BitsB>;                                                 \
        const auto a = word<W>(a_), b = word<W>(b_);                                         \
        return cut<BitsY>(result);                                                           \
    }

ONE(logic_not, a == 0)
ONE(reduce_bool, a != 0)
ONE(reduce_or, a != 0)
ONE(not_u, W(~a))
ONE(neg_u, W(0 - a))
ONE(pos_u, a)
TWO(logic_and, word, a && b)
TWO(logic_or, word, a || b)
TWO(and_uu, word, a & b)
TWO(or_uu, word, a | b)
TWO(xor_uu, word, a ^ b)
TWO(eq_uu, word, a == b)
TWO(ne_uu, word, a != b)
TWO(lt_uu, word, a < b)
TWO(le_uu, word, a <= b)
TWO(gt_uu, word, a > b)
TWO(ge_uu, word, a >= b)
TWO(lt_ss, signed_word, a < b)
TWO(le_ss, signed_word, a <= b)
TWO(gt_ss, signed_word, a > b)
TWO(ge_ss, signed_word, a >= b)
TWO(add_uu, word, a + b)
TWO(sub_uu, word, a - b)
TWO(add_ss, signed_word, W(a) + W(b))
TWO(sub_ss, signed_word, W(a) - W(b))
TWO(mul_uu, word, a * b)
TWO(mul_ss, signed_word, W(a) * W(b))
TWO(shl_uu, word, b < sizeof(W) * 8 ? a << b : 0)
TWO(shr_uu, word, b < sizeof(W) * 8 ? a >> b : 0)
TWO(shift_uu, word, b < sizeof(W) * 8 ? a >> b : 0)

#undef ONE
#undef TWO

}  // namespace cxxrtl_yosys
