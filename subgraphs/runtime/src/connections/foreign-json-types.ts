import pg from "pg";
import { parseForeignJson } from "../json/kept-numbers.js";

/** The OID for the type `json`. It keeps a number's text, and columns with foreign JSON have it; `jsonb` is ours. */
const json = 114;

/** The pg parsers, but foreign JSON keeps its numbers. */
export function foreignJsonTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(json, parseForeignJson);
  return types;
}
