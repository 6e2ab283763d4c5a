#pragma once
#include "environment.h"

// A Lua state that runs one script on one document after the other.
//
// Lua reports errors by longjmp. None may cross a Swift frame, so everything that can raise one is here and runs below
// `lua_pcall`. Swift calls in through the functions at the end, and is called once for each field that a script reads;
// that call only fills memory of Swift's own and returns before Lua goes on.

typedef struct sluice_lua_script {
  const char *text;
  size_t length;
} sluice_lua_script;

// Returns the script and the values of its prologue.
static inline int sluice_lua_protected_compile(lua_State *state) {
  sluice_lua *lua = sluice_lua_of(state);
  const sluice_lua_script *script = (const sluice_lua_script *)lua_touserdata(state, 1);
  sluice_lua_make_marks(state, lua);
  lua_pushliteral(state, SLUICE_LUA_PROLOGUE);
  lua_pushlstring(state, script->text, script->length);
  lua_concat(state, 2);
  size_t length;
  const char *text = lua_tolstring(state, -1, &length);
  // "t": a binary chunk could break the interpreter.
  if (luaL_loadbufferx(state, text, length, "=lua", "t") != LUA_OK) return lua_error(state);
  sluice_lua_push_values(state, lua);
  return 1 + SLUICE_LUA_VALUES;
}

// Takes the value on top, and returns it so that it stays on the stack: the strings of the result must live.
static inline int sluice_lua_protected_take(lua_State *state) {
  sluice_lua_take(state, sluice_lua_of(state), 1, 0);
  return 1;
}

// For Swift

// A state, or NULL where its memory limit is too low even for that.
static inline sluice_lua *sluice_lua_open(size_t limit, void *context, sluice_lua_lookup lookup) {
  sluice_lua *lua = (sluice_lua *)calloc(1, sizeof *lua);
  if (lua == NULL) return NULL;
  lua->limit = limit;
  lua->context = context;
  lua->lookup = lookup;
  lua->state = lua_newstate(sluice_lua_allocate, lua);
  if (lua->state != NULL) return lua;
  free(lua);
  return NULL;
}

static inline void sluice_lua_close(sluice_lua *lua) {
  lua_close(lua->state);
  free(lua->result);
  free(lua);
}

// Compiles the one script of the state. LUA_OK or a status; then the message is on the stack, and the state is only good
// for being closed.
static inline int sluice_lua_compile(sluice_lua *lua, const char *text, size_t length) {
  sluice_lua_script script = {text, length};
  lua_pushcfunction(lua->state, sluice_lua_protected_compile);
  lua_pushlightuserdata(lua->state, &script);
  return lua_pcall(lua->state, 1, 1 + SLUICE_LUA_VALUES, 0);
}

// Runs the script on a document, without a limit where `max_instructions` is 0. LUA_OK, and the result stands in
// `result` until `sluice_lua_finish`; or a status, and the message is on the stack.
static inline int sluice_lua_run(sluice_lua *lua, int64_t max_instructions) {
  lua_State *state = lua->state;
  lua->instructions = lua->max_instructions = max_instructions;
  lua->deadline = 0;
  lua->result_count = lua->result_bytes = 0;
  if (max_instructions > 0) {
    // The count runs on between calls: set anew for each document.
    int stride = max_instructions < SLUICE_LUA_STRIDE ? (int)max_instructions : SLUICE_LUA_STRIDE;
    lua_sethook(state, sluice_lua_tick, LUA_MASKCOUNT, stride);
  }
  for (int i = 1; i <= 1 + SLUICE_LUA_VALUES; i++) lua_pushvalue(state, i);
  lua->has_document = true;
  int status = lua_pcall(state, SLUICE_LUA_VALUES, 1, 0);
  lua->has_document = false;
  if (status != LUA_OK || lua_isnil(state, -1)) return status;
  lua_pushcfunction(state, sluice_lua_protected_take);
  lua_insert(state, -2);
  return lua_pcall(state, 1, 1, 0);
}

// The message of an error, until `sluice_lua_finish`. NULL where the error is no text.
static inline const char *sluice_lua_message(sluice_lua *lua, size_t *length) {
  *length = 0;
  return lua_type(lua->state, -1) == LUA_TSTRING ? lua_tolstring(lua->state, -1, length) : NULL;
}

// Gives up the result or the message.
static inline void sluice_lua_finish(sluice_lua *lua) { lua_settop(lua->state, 1 + SLUICE_LUA_VALUES); }
