#pragma once
#include "machine.h"

// From the document into Lua: what `doc.NAME` does.

// The kind of a table that came from a document stands in its metatable, which scripts cannot reach.
static inline void sluice_lua_mark(lua_State *state, sluice_lua *lua, SluiceLuaKind kind) {
  lua_rawgetp(state, LUA_REGISTRYINDEX, &lua->kind_marks[kind]);
  lua_setmetatable(state, -2);
}

// Pushes the value that begins at `next`, and moves `next` behind it.
static inline void sluice_lua_push(
    lua_State *state, sluice_lua *lua, const sluice_lua_field *field, const sluice_lua_token **next) {
  const sluice_lua_token *token = (*next)++;
  luaL_checkstack(state, 4, "values nest too deep");
  switch (token->kind) {
    case SluiceLuaKindNull: lua_pushlightuserdata(state, &lua->null_mark); break;
    case SluiceLuaKindBoolean: lua_pushboolean(state, token->integer != 0); break;
    case SluiceLuaKindInteger: lua_pushinteger(state, token->integer); break;
    case SluiceLuaKindFloat: lua_pushnumber(state, token->number); break;
    case SluiceLuaKindString: lua_pushlstring(state, field->arena + token->integer, token->length); break;
    case SluiceLuaKindTimestamp:
      lua_createtable(state, 0, 2);
      lua_pushinteger(state, token->integer);
      lua_setfield(state, -2, "seconds");
      lua_pushinteger(state, (lua_Integer)token->length);
      lua_setfield(state, -2, "nanos");
      sluice_lua_mark(state, lua, token->kind);
      break;
    case SluiceLuaKindGeoPoint:
      lua_createtable(state, 0, 2);
      lua_pushnumber(state, (*next)++->number);
      lua_setfield(state, -2, "latitude");
      lua_pushnumber(state, (*next)++->number);
      lua_setfield(state, -2, "longitude");
      sluice_lua_mark(state, lua, token->kind);
      break;
    case SluiceLuaKindArray:
    case SluiceLuaKindVector:
      lua_createtable(state, (int)token->integer, 0);
      for (int64_t i = 1; i <= token->integer; i++) {
        sluice_lua_push(state, lua, field, next);
        lua_rawseti(state, -2, i);
      }
      if (token->kind == SluiceLuaKindVector) sluice_lua_mark(state, lua, token->kind);
      break;
    case SluiceLuaKindMap:
      lua_createtable(state, 0, (int)token->integer);
      for (int64_t i = 0; i < token->integer; i++) {
        const sluice_lua_token *name = (*next)++;
        lua_pushlstring(state, field->arena + name->integer, name->length);
        sluice_lua_push(state, lua, field, next);
        lua_rawset(state, -3);
      }
      sluice_lua_mark(state, lua, token->kind);
      break;
    case SluiceLuaKindNothing:
    case SluiceLuaKindAbsent:
    case SluiceLuaKindName: lua_pushnil(state); break;
  }
}

// doc.NAME
static inline int sluice_lua_index(lua_State *state) {
  sluice_lua *lua = sluice_lua_of(state);
  if (!lua->has_document) return luaL_error(state, "doc is used after its document");
  if (lua_type(state, 2) != LUA_TSTRING) return 0;
  size_t length;
  const char *name = lua_tolstring(state, 2, &length);
  sluice_lua_field field = {NULL, 0, NULL};
  lua->lookup(lua->context, name, length, &field);
  if (field.count == 0) return 0;
  const sluice_lua_token *next = field.tokens;
  sluice_lua_push(state, lua, &field, &next);
  return 1;
}
