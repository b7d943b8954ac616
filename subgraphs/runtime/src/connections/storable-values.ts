import type { ClientBase } from "pg";
import { isStorable, storableText } from "../input-validation/storable-text.js";

type Query = (...parts: unknown[]) => unknown;

/**
 * Makes the texts of all statements of this connection storable. What a request says is refused before; here are the
 * texts of others: names in packages, messages of git, answers of receivers, errors.
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

/** The same for a library that opens its connections itself. */
export function keepSqlStorable(runner: SqlRunner): void {
  const execute = runner.executeSql.bind(runner);
  runner.executeSql = (text, values) => execute(text, values?.map(storableValue));
}

/** A query's configuration, but no query that is under way already. */
function hasValues(statement: unknown): statement is { values: unknown[] } {
  if (typeof statement !== "object" || statement === null || "submit" in statement) return false;
  return "values" in statement && Array.isArray(statement.values);
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableParameter(value);
  if (Array.isArray(value)) return value.map(storableValue);
  // the driver would make the same of it
  return isRecord(value) ? storableParameter(JSON.stringify(value)) : value;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Escapes of NUL and of halves of a pair, which jsonb refuses; whether one is whole is seen when it is read. */
const suspectEscape = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** JSON reaches the driver as a text. */
function storableParameter(text: string): string {
  return text.includes("\\u") && suspectEscape.test(text) ? storableJson(text) : storableText(text);
}

function storableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, (_, member: unknown) => storableMember(member)));
  } catch {
    // a plain text in which a backslash is only a backslash
    return storableText(text);
  }
}

function storableMember(member: unknown): unknown {
  if (typeof member === "string") return storableText(member);
  if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
  if (Object.keys(member).every(isStorable)) return member;
  return Object.fromEntries(Object.entries(member).map(([name, value]) => [storableText(name), value]));
}
