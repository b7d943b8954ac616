import { type ZodType, z } from "zod";

/** The exit status when a process cannot run with its environment (EX_CONFIG in sysexits.h). */
export const exitConfiguration = 78;

/** Thrown when a process cannot run with its environment: wrong values, or a database that does not fit. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** Parses a process environment. The error message lists all problems. Empty variables count as absent. */
export function readEnvironment<T>(schema: ZodType<T>, variables: NodeJS.ProcessEnv): T {
  const setVariables = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const result = schema.safeParse(setVariables);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".") || "environment"}: ${issue.message}`);
  const [only] = problems;
  if (problems.length === 1) throw new EnvironmentError(`The environment variables are not valid: ${only}`);
  throw new EnvironmentError(`The environment variables are not valid:\n  ${problems.join("\n  ")}`);
}

/** One line for each problem. */
export function integer(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int(error).min(least, error).max(most, error);
}

/** Schema for a TCP port; 0 takes a free one. */
export const port = (fallback: number) => integer(0, 65_535).default(fallback);

/** Schema for a setting that is true or false. */
export const flag = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1");
