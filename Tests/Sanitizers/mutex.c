// Lets the thread sanitizer see the slow half of `Synchronization.Mutex`. For Linux; preloaded by scripts/test.
//
// The fast half is inlined into our modules, and so instrumented. What a thread does that has to wait, or to wake another,
// happens in the library, which is not: without this, every contended lock would be reported as a race. Nothing else of
// the library is replaced, and what is here only calls it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// `_lockSlow(_: UInt32)` and `_unlockSlow()` of `_MutexHandle`.
SWIFT void sluice_lock(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void sluice_unlock(SELF handle) __asm__(UNLOCK);

// Found in programs that were built with the sanitizer, absent from all others.
static void tell(const char *name, void *handle) {
  void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, name);
  if (function) function(handle);
}

SWIFT void sluice_lock(uint32_t thread, SELF handle) {
  static SWIFT void (*next)(uint32_t, SELF);
  if (!next) next = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
  next(thread, handle);
  tell("__tsan_acquire", handle);
}

SWIFT void sluice_unlock(SELF handle) {
  static SWIFT void (*next)(SELF);
  if (!next) next = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
  tell("__tsan_release", handle);
  next(handle);
}
