// A list of plain data that has one entry nearly always: that one lies in the list itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dtt {

// As much of std::vector as is asked of it here.
template <class T>
class Few {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  Few() = default;
  Few(const Few& other) { assign(other.begin(), other.end()); }
  Few(Few&& other) noexcept { swap(other); }
  Few& operator=(Few other) noexcept {
    swap(other);
    return *this;
  }
  ~Few() {
    if (room_ > 1) delete[] many_;
  }

  T* begin() { return room_ > 1 ? many_ : &one_; }
  T* end() { return begin() + count_; }
  const T* begin() const { return room_ > 1 ? many_ : &one_; }
  const T* end() const { return begin() + count_; }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  void reserve(std::size_t room) {
    if (room > room_) grow(std::uint32_t(room));
  }

  void insert(T* before, T entry) {
    const std::ptrdiff_t at = before - begin();
    if (count_ == room_) grow(2 * room_ + 2);
    T* place = begin() + at;
    std::memmove(place + 1, place, sizeof(T) * std::size_t(end() - place));
    *place = entry;
    ++count_;
  }

  void push_back(T entry) { insert(end(), entry); }
  void pop_back() { --count_; }
  void erase(T* entry) { erase(entry, entry + 1); }

  void erase(T* from, T* to) {
    std::memmove(from, to, sizeof(T) * std::size_t(end() - to));
    count_ -= std::uint32_t(to - from);
  }

  template <class Iterator>
  void assign(Iterator from, Iterator to) {
    const auto count = std::uint32_t(to - from);
    if (count > room_) grow(count);
    std::copy(from, to, begin());
    count_ = count;
  }

 private:
  void grow(std::uint32_t room) {
    T* wider = new T[room];
    std::memcpy(wider, begin(), sizeof(T) * count_);
    if (room_ > 1) delete[] many_;
    many_ = wider;
    room_ = room;
  }

  void swap(Few& other) {
    char mine[sizeof(Few)];
    std::memcpy(mine, static_cast<void*>(this), sizeof(Few));
    std::memcpy(static_cast<void*>(this), static_cast<void*>(&other), sizeof(Few));
    std::memcpy(static_cast<void*>(&other), mine, sizeof(Few));
  }

  union {
    T one_;
    T* many_;
  };
  std::uint32_t count_ = 0, room_ = 1;
};

}  // namespace dtt
