import { type ZodType, z } from "zod";

/** Exit status of sysexits.h EX_CONFIG: a process that cannot run with the environment it was given. */
export const exitConfiguration = 78;

export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** Reads a process environment; every problem stands in the one message. Empty variables count as absent. */
export function readEnvironment<T>(schema: ZodType<T>, variables: NodeJS.ProcessEnv): T {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".") || "environment"}: ${issue.message}`);
  throw new EnvironmentError(`The environment is not usable:\n${lines.join("\n")}`);
}

/** With one sentence for everything that is wrong with it. */
export function integer(least: number, most: number) {
  const error = `needs a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int(error).min(least, error).max(most, error);
}

export const port = (fallback: number) => integer(0, 65_535).default(fallback);

export const flag = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1");
