// What CXXRTL computes with values of up to 32 bits, without its loops over chunks of them.
//
// Most values are that narrow, and the compiler spends most of its time on turning those loops into
// what is written here. Each function is chosen before its namesake in cxxrtl.h, and is the same.

#pragma once

#include <cxxrtl/cxxrtl.h>

namespace cxxrtl {

template <size_t... Bits>
concept Narrow = ((Bits <= 32) && ...);

template <size_t Bits>
CXXRTL_ALWAYS_INLINE chunk_t word(const value<Bits> &of) {
    if constexpr (Bits == 0) return 0;
    else return of.data[0];
}

template <size_t Bits>
CXXRTL_ALWAYS_INLINE int32_t signed_word(const value<Bits> &of) {
    if constexpr (Bits == 0) return 0;
    else return int32_t(of.data[0] << (32 - Bits)) >> (32 - Bits);
}

template <size_t Bits>
CXXRTL_ALWAYS_INLINE value<Bits> cut(chunk_t word) {
    if constexpr (Bits == 0) return {};
    else return value<Bits>{word & value<Bits>::msb_mask};
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
        chunk_t found = expr.data[Start / 32] >> Start % 32;
        if constexpr (Start / 32 != Stop / 32)
            found |= expr.data[Stop / 32] << (32 - Start % 32);
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
        chunk_t low = word(static_cast<const value<U::bits> &>(ls_expr));
        if constexpr (U::bits < 32)
            low |= word(static_cast<const value<T::bits> &>(ms_expr)) << U::bits;
        return value<bits>{low};
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

#define ONE(name, result)                                                    \
    template <size_t BitsY, size_t BitsA>                                    \
        requires Narrow<BitsY, BitsA>                                        \
    CXXRTL_ALWAYS_INLINE value<BitsY> name(const value<BitsA> &a_) {         \
        const chunk_t a = word(a_);                                          \
        return cut<BitsY>(result);                                           \
    }
#define TWO(name, word, result)                                                                   \
    template <size_t BitsY, size_t BitsA, size_t BitsB>                                           \
        requires Narrow<BitsY, BitsA, BitsB>                                                      \
    CXXRTL_ALWAYS_INLINE value<BitsY> name(const value<BitsA> &a_, const value<BitsB> &b_) {      \
        const auto a = word(a_), b = word(b_);                                                    \
        return cut<BitsY>(result);                                                                \
    }

ONE(logic_not, a == 0)
ONE(reduce_bool, a != 0)
ONE(reduce_or, a != 0)
ONE(not_u, ~a)
ONE(neg_u, 0 - a)
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
TWO(add_ss, signed_word, chunk_t(a) + chunk_t(b))
TWO(sub_ss, signed_word, chunk_t(a) - chunk_t(b))
TWO(mul_uu, word, a * b)
TWO(mul_ss, signed_word, chunk_t(a) * chunk_t(b))
TWO(shl_uu, word, b < 32 ? a << b : 0)
TWO(shr_uu, word, b < 32 ? a >> b : 0)
TWO(shift_uu, word, b < 32 ? a >> b : 0)

#undef ONE
#undef TWO

}  // namespace cxxrtl_yosys
