#pragma once
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What a Lua state of ours holds, and its limits.

#if LUA_VERSION_NUM != 504
#error "Lua 5.4 is needed"
#endif

// What a value is on its way between Lua and Swift.
typedef enum __attribute__((enum_extensibility(closed))) SluiceLuaKind : int32_t {
  SluiceLuaKindNothing,    // nothing was returned
  SluiceLuaKindAbsent,     // the global `absent`
  SluiceLuaKindNull,       // the global `null`
  SluiceLuaKindBoolean,    // integer: 0 or 1
  SluiceLuaKindInteger,    // integer
  SluiceLuaKindFloat,      // number
  SluiceLuaKindString,     // text
  SluiceLuaKindTimestamp,  // integer: seconds; length: nanoseconds
  SluiceLuaKindName,       // text: of the next value of a map
  SluiceLuaKindArray,      // integer: how many values follow
  SluiceLuaKindMap,        // integer: how many names, each with its value, follow
  SluiceLuaKindVector,     // integer: how many floats follow
  SluiceLuaKindGeoPoint,   // two floats follow: latitude, longitude
} SluiceLuaKind;

// A value, or the beginning of one that holds others.
typedef struct sluice_lua_token {
  SluiceLuaKind kind;
  int64_t integer;
  double number;
  const char *text;  // On the way into Lua it is null, and `integer` is the offset in the arena.
  size_t length;
} sluice_lua_token;

// A field of the document that the script reads. No tokens where there is none.
typedef struct sluice_lua_field {
  const sluice_lua_token *tokens;
  size_t count;
  const char *arena;
} sluice_lua_field;

typedef void (*sluice_lua_lookup)(void *context, const char *name, size_t length, sluice_lua_field *field);

typedef struct sluice_lua {
  lua_State *state;
  size_t used;          // bytes
  size_t limit;         // bytes
  int64_t instructions; // left for this document
  int64_t max_instructions;
  int64_t deadline;     // of this document, in nanoseconds of the thread's CPU time; 0 until the first look at it
  bool has_document;
  void *context;
  sluice_lua_lookup lookup;
  sluice_lua_token *result;
  size_t result_count;
  size_t result_capacity;
  size_t result_bytes;
  // Only their addresses matter: names in the registry, and the values of `null` and `absent`.
  char null_mark, absent_mark, kind_marks[SluiceLuaKindGeoPoint + 1];
} sluice_lua;

// How many instructions pass between two looks at the limits.
#define SLUICE_LUA_STRIDE 256
// An instruction can take long where its strings are long, so that time has a limit too.
#define SLUICE_LUA_SECONDS 5
// How deep a returned table may nest.
#define SLUICE_LUA_DEPTH 100

static inline sluice_lua *sluice_lua_of(lua_State *state) {
  void *context;
  lua_getallocf(state, &context);
  return (sluice_lua *)context;
}

static inline void *sluice_lua_allocate(void *context, void *block, size_t old_size, size_t new_size) {
  sluice_lua *lua = (sluice_lua *)context;
  if (block == NULL) old_size = 0;  // It is a type's number then.
  if (new_size == 0) {
    free(block);
    lua->used -= old_size;
    return NULL;
  }
  if (new_size > old_size && new_size - old_size > lua->limit - lua->used) return NULL;
  void *moved = realloc(block, new_size);
  if (moved != NULL) lua->used = lua->used - old_size + new_size;
  return moved;
}

static inline void sluice_lua_tick(lua_State *state, lua_Debug *record) {
  (void)record;
  sluice_lua *lua = sluice_lua_of(state);
  lua->instructions -= SLUICE_LUA_STRIDE;
  struct timespec now;
  // Of this thread alone: a busy machine rejects no documents.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  int64_t time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (lua->deadline == 0) lua->deadline = time + (int64_t)SLUICE_LUA_SECONDS * 1000000000;
  if (lua->instructions > 0 && time < lua->deadline) return;
  luaL_where(state, 0);
  if (lua->instructions <= 0) {
    lua_pushfstring(state, "more than %I instructions (max_instructions)", (LUAI_UACINT)lua->max_instructions);
  } else {
    lua_pushfstring(state, "more than %d seconds of computing", SLUICE_LUA_SECONDS);
  }
  lua_concat(state, 2);
  lua_error(state);
}
