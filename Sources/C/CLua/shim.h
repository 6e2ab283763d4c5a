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

static inline int sluice_lua_protected_compile(lua_State *state) {
  sluice_lua *lua = sluice_lua_of(state);
  const sluice_lua_script *script = (const sluice_lua_script *)lua_touserdata(state, 1);
  sluice_lua_make_marks(state, lua);
  sluice_lua_make_environment(state, lua);
  // "t": a binary chunk could break the interpreter.
  if (luaL_loadbufferx(state, script->text, script->length, "=lua", "t") != LUA_OK) return lua_error(state);
  lua_rawgetp(state, LUA_REGISTRYINDEX, &lua->environment_mark);
  lua_setupvalue(state, -2, 1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &lua->chunk_mark);
  return 0;
}

static inline int sluice_lua_protected_run(lua_State *state) {
  sluice_lua *lua = sluice_lua_of(state);
  lua_rawgetp(state, LUA_REGISTRYINDEX, &lua->chunk_mark);
  // The count runs on between calls: set anew for each document.
  int stride = lua->max_instructions < SLUICE_LUA_STRIDE ? (int)lua->max_instructions : SLUICE_LUA_STRIDE;
  lua_sethook(state, sluice_lua_tick, LUA_MASKCOUNT, stride);
  lua_call(state, 0, 1);
  sluice_lua_take(state, lua, lua_absindex(state, -1), 0);
  // Returned so that it stays on the stack, and the strings of the result live.
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

// Compiles the one script of the state. LUA_OK or a status; then the message is on the stack.
static inline int sluice_lua_compile(sluice_lua *lua, const char *text, size_t length) {
  sluice_lua_script script = {text, length};
  lua_pushcfunction(lua->state, sluice_lua_protected_compile);
  lua_pushlightuserdata(lua->state, &script);
  return lua_pcall(lua->state, 1, 0, 0);
}

// Runs the script on a document. LUA_OK, and the result stands in `result` until `sluice_lua_finish`; or a status, and
// the message is on the stack.
static inline int sluice_lua_run(sluice_lua *lua, int64_t max_instructions) {
  lua->instructions = lua->max_instructions = max_instructions;
  lua->deadline = 0;
  lua->result_count = lua->result_bytes = 0;
  lua->has_document = true;
  lua_pushcfunction(lua->state, sluice_lua_protected_run);
  int status = lua_pcall(lua->state, 0, 1, 0);
  lua->has_document = false;
  return status;
}

// The message of an error, until `sluice_lua_finish`. NULL where the error is no text.
static inline const char *sluice_lua_message(sluice_lua *lua, size_t *length) {
  *length = 0;
  return lua_type(lua->state, -1) == LUA_TSTRING ? lua_tolstring(lua->state, -1, length) : NULL;
}

// Gives up the result or the message.
static inline void sluice_lua_finish(sluice_lua *lua) { lua_settop(lua->state, 0); }
