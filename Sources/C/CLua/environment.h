#pragma once
#include "document.h"
#include "result.h"

// What a script sees: `doc`, `null`, `absent`, `type`, `math` and `string`. They are constant local variables of it, and
// their tables cannot be written to; there are no global variables. So nothing can be kept for the next document.

static inline int sluice_lua_type(lua_State *state) {
  luaL_checkany(state, 1);
  lua_pushstring(state, luaL_typename(state, 1));
  return 1;
}

static inline int sluice_lua_refuse_document(lua_State *state) {
  return luaL_error(state, "doc cannot be written to: return the value of the field");
}

static inline int sluice_lua_refuse_write(lua_State *state) {
  return luaL_error(state, "%s cannot be set here: use local variables", luaL_tolstring(state, 2, NULL));
}

static inline int sluice_lua_refuse_global(lua_State *state) {
  return luaL_error(
      state, "there is no %s here: a script has doc, null, absent, type, math, string and its local variables",
      luaL_tolstring(state, 2, NULL));
}

// The order and equality of times that came from a document.
static inline int sluice_lua_order(lua_State *state) {
  for (int i = 1; i <= 2; i++) {
    if (lua_type(state, i) != LUA_TTABLE || sluice_lua_mark_of(state, i) != SluiceLuaKindTimestamp) {
      return luaL_error(state, "a time compares with times only");
    }
  }
  static const char *const names[] = {"seconds", "nanos"};
  for (int i = 0; i < 2; i++) {
    lua_getfield(state, 1, names[i]);
    lua_getfield(state, 2, names[i]);
    if (lua_compare(state, -2, -1, LUA_OPLT)) return -1;
    if (lua_compare(state, -1, -2, LUA_OPLT)) return 1;
  }
  return 0;
}

static inline int sluice_lua_is_less(lua_State *state) {
  bool result = sluice_lua_order(state) < 0;
  lua_pushboolean(state, result);
  return 1;
}

static inline int sluice_lua_is_less_or_equal(lua_State *state) {
  bool result = sluice_lua_order(state) <= 0;
  lua_pushboolean(state, result);
  return 1;
}

static inline int sluice_lua_is_equal(lua_State *state) {
  bool are_times = sluice_lua_mark_of(state, 1) == sluice_lua_mark_of(state, 2);
  bool result = are_times && sluice_lua_order(state) == 0;
  lua_pushboolean(state, result);
  return 1;
}

// Replaces the table on top by one that reads it and cannot be written to.
static inline void sluice_lua_freeze(lua_State *state) {
  lua_newtable(state);
  lua_createtable(state, 0, 2);
  lua_pushvalue(state, -3);
  lua_setfield(state, -2, "__index");
  lua_pushcfunction(state, sluice_lua_refuse_write);
  lua_setfield(state, -2, "__newindex");
  lua_setmetatable(state, -2);
  lua_remove(state, -2);
}

// Puts a library without some of its functions on the stack.
static inline void sluice_lua_library(
    lua_State *state, const char *name, lua_CFunction open, const char *const removed[]) {
  luaL_requiref(state, name, open, 0);
  for (; *removed != NULL; removed++) {
    lua_pushnil(state);
    lua_setfield(state, -2, *removed);
  }
}

static inline void sluice_lua_make_marks(lua_State *state, sluice_lua *lua) {
  static const SluiceLuaKind kinds[] = {
      SluiceLuaKindTimestamp, SluiceLuaKindMap, SluiceLuaKindVector, SluiceLuaKindGeoPoint};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    lua_createtable(state, 1, 3);
    lua_pushinteger(state, kinds[i]);
    lua_rawseti(state, -2, 1);
    if (kinds[i] == SluiceLuaKindTimestamp) {
      static const luaL_Reg order[] = {
          {"__lt", sluice_lua_is_less},
          {"__le", sluice_lua_is_less_or_equal},
          {"__eq", sluice_lua_is_equal},
          {NULL, NULL}};
      luaL_setfuncs(state, order, 0);
    }
    lua_rawsetp(state, LUA_REGISTRYINDEX, &lua->kind_marks[kinds[i]]);
  }
}

#define SLUICE_LUA_VALUES 7

// Stands before the script, on its first line. `_ENV` is what Lua looks up in place of global variables.
#define SLUICE_LUA_PROLOGUE \
  "local _ENV <const>, doc <const>, null <const>, absent <const>, type <const>, math <const>, string <const> = ... "

// Pushes the values of the prologue.
static inline void sluice_lua_push_values(lua_State *state, sluice_lua *lua) {
  // Removed: what the instruction limit cannot stop, and what is not the same each time.
  static const char *const strings[] = {"find", "match", "gmatch", "gsub", "dump", "rep", NULL};
  static const char *const numbers[] = {"random", "randomseed", NULL};
  static const luaL_Reg access[] = {
      {"__index", sluice_lua_index}, {"__newindex", sluice_lua_refuse_document}, {NULL, NULL}};
  static const luaL_Reg globals[] = {
      {"__index", sluice_lua_refuse_global}, {"__newindex", sluice_lua_refuse_write}, {NULL, NULL}};
  lua_newtable(state);
  luaL_newlib(state, globals);
  lua_setmetatable(state, -2);
  lua_newuserdatauv(state, 0, 0);
  luaL_newlib(state, access);
  lua_setmetatable(state, -2);
  lua_pushlightuserdata(state, &lua->null_mark);
  lua_pushlightuserdata(state, &lua->absent_mark);
  lua_pushcfunction(state, sluice_lua_type);
  sluice_lua_library(state, LUA_MATHLIBNAME, luaopen_math, numbers);
  sluice_lua_freeze(state);
  sluice_lua_library(state, LUA_STRLIBNAME, luaopen_string, strings);
  sluice_lua_freeze(state);
}
