import type { ClientBase } from "pg";
import { storableText } from "../input-validation/storable-text.js";
import { isKeptNumber, parseForeignJson } from "../json/kept-numbers.js";

type Query = (...parts: unknown[]) => unknown;

/**
 * Replaces characters that PostgreSQL cannot store in all texts on this connection. Request input was validated before;
 * these are texts from third parties: names in packages, git messages, receivers' answers, errors.
 */
export function keepStorable(client: ClientBase): void {
  const query = client.query.bind(client) as Query;
  const storable: Query = (statement, ...parts) => {
    const [values, ...rest] = parts;
    if (Array.isArray(values)) return query(statement, storableValue(values), ...rest);
    return query(
      hasValues(statement) ? { ...statement, values: storableValue(statement.values) } : statement,
      ...parts,
    );
  };
  client.query = storable as typeof client.query;
}

interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** As `keepStorable`, for a library that opens its own connections. */
export function keepSqlStorable(runner: SqlRunner): void {
  const execute = runner.executeSql.bind(runner);
  runner.executeSql = (text, values) => execute(text, values?.map(storableValue));
}

/** Whether the value is a query configuration, and not a query that is already running. */
function hasValues(statement: unknown): statement is { values: unknown[] } {
  if (typeof statement !== "object" || statement === null || "submit" in statement) return false;
  return "values" in statement && Array.isArray(statement.values);
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableParameter(value);
  if (Array.isArray(value)) return value.map(storableValue);
  // The driver does the same conversion.
  return isRecord(value) ? storableParameter(JSON.stringify(value)) : value;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** JSON escapes for NUL and surrogates. jsonb refuses lone ones; parsing shows which are lone. */
const suspectEscape = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** JSON is passed to the driver as text. */
function storableParameter(text: string): string {
  return text.includes("\\u") && suspectEscape.test(text) ? storableJson(text) : storableText(text);
}

function storableJson(text: string): string {
  try {
    return JSON.stringify(storableMember(parseForeignJson(text)));
  } catch {
    // Not JSON: a backslash in plain text has no meaning.
    return storableText(text);
  }
}

function storableMember(member: unknown): unknown {
  if (typeof member === "string") return storableText(member);
  if (typeof member !== "object" || member === null || isKeptNumber(member)) return member;
  if (Array.isArray(member)) return member.map(storableMember);
  return Object.fromEntries(Object.entries(member).map(([name, value]) => [storableText(name), storableMember(value)]));
}
