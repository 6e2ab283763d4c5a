#pragma once
#include "machine.h"

// From Lua to the result: what a script may return.

static inline void sluice_lua_emit(lua_State *state, sluice_lua *lua, sluice_lua_token token) {
  // A small table can stand in a result many times, so the result has the memory limit as well.
  lua->result_bytes += sizeof token + (token.text == NULL ? 0 : token.length);
  if (lua->result_bytes > lua->limit) luaL_error(state, "the result is larger than max_memory");
  if (lua->result_count == lua->result_capacity) {
    size_t capacity = lua->result_capacity * 2 + 16;
    void *moved = realloc(lua->result, capacity * sizeof token);
    if (moved == NULL) luaL_error(state, "not enough memory");
    lua->result = (sluice_lua_token *)moved;
    lua->result_capacity = capacity;
  }
  lua->result[lua->result_count++] = token;
}

static inline void sluice_lua_emit_text(lua_State *state, sluice_lua *lua, int index, SluiceLuaKind kind) {
  sluice_lua_token token = {kind, 0, 0, NULL, 0};
  token.text = lua_tolstring(state, index, &token.length);
  sluice_lua_emit(state, lua, token);
}

static inline SluiceLuaKind sluice_lua_mark_of(lua_State *state, int index) {
  if (!lua_getmetatable(state, index)) return SluiceLuaKindNothing;
  lua_rawgeti(state, -1, 1);
  SluiceLuaKind kind = (SluiceLuaKind)lua_tointeger(state, -1);
  lua_pop(state, 2);
  return kind;
}

static inline void sluice_lua_take_timestamp(lua_State *state, sluice_lua *lua, int index) {
  sluice_lua_token token = {SluiceLuaKindTimestamp, 0, 0, NULL, 0};
  lua_getfield(state, index, "seconds");
  lua_getfield(state, index, "nanos");
  lua_Integer nanos = lua_isinteger(state, -1) ? lua_tointeger(state, -1) : -1;
  if (!lua_isinteger(state, -2) || nanos < 0 || nanos > 999999999) {
    luaL_error(state, "a time needs whole numbers: seconds, and nanos from 0 to 999999999");
  }
  token.integer = lua_tointeger(state, -2);
  token.length = (size_t)nanos;
  sluice_lua_emit(state, lua, token);
  lua_pop(state, 2);
}

static inline void sluice_lua_take_geo_point(lua_State *state, sluice_lua *lua, int index) {
  sluice_lua_emit(state, lua, (sluice_lua_token){SluiceLuaKindGeoPoint, 2, 0, NULL, 0});
  static const char *const names[] = {"latitude", "longitude"};
  for (int i = 0; i < 2; i++) {
    if (lua_getfield(state, index, names[i]) != LUA_TNUMBER) {
      luaL_error(state, "a geo point needs the number %s", names[i]);
    }
    sluice_lua_emit(state, lua, (sluice_lua_token){SluiceLuaKindFloat, 0, lua_tonumber(state, -1), NULL, 0});
    lua_pop(state, 1);
  }
}

static inline void sluice_lua_take(lua_State *state, sluice_lua *lua, int index, int depth);

static inline void sluice_lua_take_table(lua_State *state, sluice_lua *lua, int index, int depth) {
  luaL_checkstack(state, 6, "tables nest too deep");
  SluiceLuaKind mark = sluice_lua_mark_of(state, index);
  if (mark == SluiceLuaKindTimestamp) return sluice_lua_take_timestamp(state, lua, index);
  if (mark == SluiceLuaKindGeoPoint) return sluice_lua_take_geo_point(state, lua, index);
  if (depth >= SLUICE_LUA_DEPTH) luaL_error(state, "a table nests deeper than %d levels", SLUICE_LUA_DEPTH);

  int64_t count = 0, names = 0, numbers = 0;
  lua_Integer highest = 0;
  for (lua_pushnil(state); lua_next(state, index); lua_pop(state, 1)) {
    count++;
    if (lua_type(state, -1) == LUA_TNUMBER) numbers++;
    if (lua_type(state, -2) == LUA_TSTRING) names++;
    if (lua_isinteger(state, -2) && lua_tointeger(state, -2) > highest) highest = lua_tointeger(state, -2);
  }
  if (names == count && (count > 0 || mark == SluiceLuaKindMap)) {
    sluice_lua_emit(state, lua, (sluice_lua_token){SluiceLuaKindMap, count, 0, NULL, 0});
    for (lua_pushnil(state); lua_next(state, index); lua_pop(state, 1)) {
      sluice_lua_emit_text(state, lua, -2, SluiceLuaKindName);
      sluice_lua_take(state, lua, lua_absindex(state, -1), depth + 1);
    }
    return;
  }
  // As many keys as the highest of them, and none a name: for a list they are 1…n, as each is tried below.
  if (names > 0 || highest != count) luaL_error(state, "a table needs either names or the numbers 1 to n as keys");
  bool is_vector = mark == SluiceLuaKindVector && numbers == count;
  sluice_lua_emit(
      state, lua, (sluice_lua_token){is_vector ? SluiceLuaKindVector : SluiceLuaKindArray, count, 0, NULL, 0});
  for (int64_t i = 1; i <= count; i++) {
    if (lua_rawgeti(state, index, i) == LUA_TNIL) luaL_error(state, "a list has no item %d", (int)i);
    if (is_vector) {
      sluice_lua_emit(state, lua, (sluice_lua_token){SluiceLuaKindFloat, 0, lua_tonumber(state, -1), NULL, 0});
    } else {
      sluice_lua_take(state, lua, lua_absindex(state, -1), depth + 1);
    }
    lua_pop(state, 1);
  }
}

static inline void sluice_lua_take(lua_State *state, sluice_lua *lua, int index, int depth) {
  sluice_lua_token token = {SluiceLuaKindNothing, 0, 0, NULL, 0};
  switch (lua_type(state, index)) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN:
      token.kind = SluiceLuaKindBoolean;
      token.integer = lua_toboolean(state, index);
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(state, index)) {
        token.kind = SluiceLuaKindInteger;
        token.integer = lua_tointeger(state, index);
      } else {
        token.kind = SluiceLuaKindFloat;
        token.number = lua_tonumber(state, index);
      }
      break;
    case LUA_TSTRING: sluice_lua_emit_text(state, lua, index, SluiceLuaKindString); return;
    case LUA_TTABLE: sluice_lua_take_table(state, lua, index, depth); return;
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(state, index) == &lua->null_mark) {
        token.kind = SluiceLuaKindNull;
      } else {
        if (depth > 0) luaL_error(state, "absent stands inside a table");
        token.kind = SluiceLuaKindAbsent;
      }
      break;
    case LUA_TUSERDATA: luaL_error(state, "a script cannot return doc"); break;
    default: luaL_error(state, "a script cannot return a %s", luaL_typename(state, index));
  }
  sluice_lua_emit(state, lua, token);
}
