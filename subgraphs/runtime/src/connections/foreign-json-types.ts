import pg from "pg";
import { parseForeignJson } from "../json/kept-numbers.js";

/** The OID of the type `json`. It keeps the text of numbers, and columns of foreign JSON have it; `jsonb` is ours. */
const json = 114;

/** The parsers of pg, but foreign JSON keeps its numbers. */
export function foreignJsonTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(json, parseForeignJson);
  return types;
}
