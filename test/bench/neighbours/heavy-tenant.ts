import type { Scope } from "@factory/schema/scopes";

/** A tenant with a request that costs as much work as its limits allow. */
export interface HeavyTenant {
  readonly scopes: readonly Scope[];
  /** Writes what the request needs, and returns it without its headers. */
  readonly prepare: (tools: Tools) => Promise<HeavyRequest>;
}

export interface HeavyRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Tools {
  readonly write: <T>(method: "POST" | "PUT", path: string, body: unknown) => Promise<T>;
}

export const flagScopes: readonly Scope[] = ["config.manage", "flag.evaluate"];

export const number = (at: number) => String(at).padStart(5, "0");
export const rule = (operator: string, values: readonly string[]) => ({ attribute: "text", operator, values });
export const allFlags = (text: string): HeavyRequest => ({
  method: "POST",
  path: "/ofrep/v1/evaluate/flags",
  body: { context: { targetingKey: "somebody", text } },
});

/** As many flags as needed for the rules, written one after the other. */
export async function writeFlags({ write }: Tools, count: number, rulesOf: (flag: number) => readonly unknown[]) {
  for (let flag = 0; flag < count; flag += 1)
    await write("PUT", `/v1/feature-flags/flag-${flag}`, {
      enabled: true,
      rolloutPercentage: 50,
      rules: rulesOf(flag),
    });
}

export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
