import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import { requestJsonLimit } from "@factory/runtime/input-validation/json-size";
import type { Scope } from "@factory/schema/scopes";
import type { LoadRequest } from "autocannon";
import type { Stage } from "../bench-platform.js";

/** A tenant with a request that costs as much work as its limits allow. */
interface HeavyTenant {
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

interface Tools {
  readonly write: <T>(method: "POST" | "PUT", path: string, body: unknown) => Promise<T>;
}

const number = (at: number) => String(at).padStart(5, "0");
const rule = (operator: string, values: readonly string[]) => ({ attribute: "text", operator, values });
const allFlags = (text: string): HeavyRequest => ({
  method: "POST",
  path: "/ofrep/v1/evaluate/flags",
  body: { context: { targetingKey: "somebody", text } },
});

/** As many flags as needed for the rules, written one after the other. */
async function writeFlags({ write }: Tools, count: number, rulesOf: (flag: number) => readonly unknown[]) {
  for (let flag = 0; flag < count; flag += 1)
    await write("PUT", `/v1/feature-flags/flag-${flag}`, {
      enabled: true,
      rolloutPercentage: 50,
      rules: rulesOf(flag),
    });
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

async function flagRequest(
  tools: Tools,
  text: string,
  flags: number,
  rulesOf: (flag: number) => readonly unknown[],
): Promise<HeavyRequest> {
  await writeFlags(tools, flags, rulesOf);
  return allFlags(text);
}

const flagScopes: readonly Scope[] = ["config.manage", "flag.evaluate"];
const libraryScopes: readonly Scope[] = ["libraries.read", "libraries.write"];
const packages = 120;

async function writeLibraries({ write }: Tools, factsOf: (at: number) => object, perLibrary = 20): Promise<void> {
  for (let at = 0; at < packages; at += 1) {
    const versions = times(perLibrary, (minor) => ({
      semanticVersion: `1.${minor}.0`,
      targetFrameworks: ["net8.0"],
    }));
    await write("POST", "/v1/libraries", { packageName: `Heavy.P${at}`, versions, ...factsOf(at) });
  }
}

const evaluation = (): HeavyRequest => ({
  method: "POST",
  path: "/v1/libraries/compatibility/evaluate",
  body: { runtime: "net8.0", libraries: times(packages, (at) => ({ packageName: `Heavy.P${at}`, version: "1.0.0" })) },
});

/** As many members as one document may have beside a few others, which is the most that a parser does in one go. */
const members = requestJsonLimit.members - 20;
const wideObject = () => Object.fromEntries(times(members, (at) => [`k${(at * 7919) % members}`, "a".repeat(20)]));
const smallObjects = () => times(members, (at) => ({ [`k${at}`]: at }));
const smallLists = () => times(requestJsonLimit.values / 2 - 20, () => []);

/** A body whose value is checked and then found to be too long. */
const tooLongValue = (value: () => unknown): HeavyTenant => ({
  scopes: ["config.manage"],
  prepare: async () => ({ method: "PUT", path: "/v1/config/my.heavy", body: { value: value() } }),
});

const templatePath = "/v1/notification-templates/heavy";

/** A request for each kind of work that a caller makes longer by its own data. */
const heavyTenants: Readonly<Record<string, HeavyTenant>> = {
  "flags that search in a text": {
    scopes: flagScopes,
    prepare: (tools) =>
      flagRequest(tools, "a".repeat(2048), 10, () => [
        rule(
          "STR_CONTAINS",
          times(50, (at) => `${"a".repeat(at % 6)}b`),
        ),
      ]),
  },
  "flags that compare beginnings": {
    scopes: flagScopes,
    prepare: (tools) =>
      flagRequest(tools, "a".repeat(2048), 10, (flag) =>
        times(2, (half) =>
          rule(
            "STR_STARTS_WITH",
            times(500, (at) => `${"a".repeat(195)}${number(flag * 1000 + half * 500 + at)}`),
          ),
        ),
      ),
  },
  "flags that compare versions": {
    scopes: flagScopes,
    prepare: (tools) =>
      flagRequest(tools, `1.2.3-${"9.".repeat(90)}8`, 200, () =>
        times(50, () => rule("SEMVER_GT", [`1.2.3-${"9.".repeat(90)}9`])),
      ),
  },
  "a thousand flags": {
    scopes: flagScopes,
    prepare: (tools) => flagRequest(tools, "a", 1000, () => []),
  },
  "libraries that all conflict": {
    scopes: libraryScopes,
    prepare: async (tools) => {
      const conflictsWith = times(packages, (at) => ({ packageName: `Heavy.P${at}` }));
      await writeLibraries(tools, (at) => ({ conflictsWith: conflictsWith.filter((_, other) => other !== at) }), 3);
      return evaluation();
    },
  },
  "libraries with many dependencies": {
    scopes: libraryScopes,
    prepare: async (tools) => {
      const needs = (at: number, next: number) => ({
        packageName: `Heavy.P${(at + next * 7 + 1) % packages}`,
        range: "[2.0.0,3.0.0)",
      });
      await writeLibraries(tools, (at) => ({ dependencies: times(5, (next) => needs(at, next)) }));
      return evaluation();
    },
  },
  "a template with many items": {
    scopes: ["config.manage", "config.read"],
    prepare: async ({ write }) => {
      const paragraphs = times(20, () => "{{#items}}{{value}}{{/items}}a");
      const variables = [
        { name: "items", type: "list" },
        { name: "value", type: "text", isOptional: true },
      ];
      await write("PUT", templatePath, { variables, texts: [{ locale: "en", subject: "Heavy", paragraphs }] });
      const data = { items: times(150, (at) => at), value: "\u0007".repeat(40_000) };
      return { method: "POST", path: `${templatePath}/preview`, body: { data } };
    },
  },
  "a large body with an Idempotency-Key": {
    scopes: ["notification.send"],
    prepare: async () => {
      const body = { channel: "InApp", recipient: { userId: "none" }, templateKey: "none", data: wideObject() };
      return { method: "POST", path: "/v1/notifications", body, headers: { "idempotency-key": "heavy" } };
    },
  },
  "a large object as a value": tooLongValue(wideObject),
  "many small objects as a value": tooLongValue(smallObjects),
  "many small lists as a value": tooLongValue(smallLists),
  "large parameters of an execution": {
    scopes: ["templates.execute"],
    prepare: async ({ write }) => {
      const { templateId } = await write<{ templateId: string }>("POST", "/v1/templates", { name: "heavy" });
      const body = { templateVersionId: "none", target: { repository: "a/b" }, parameters: wideObject() };
      return {
        method: "POST",
        path: `/v1/templates/${templateId}/execute`,
        body,
        headers: { "idempotency-key": "heavy" },
      };
    },
  },
  "large variables of GraphQL": {
    scopes: ["config.manage"],
    prepare: async () => {
      const query = 'mutation ($value: JSON) { setConfiguration(key: "my.heavy", input: { value: $value }) { key } }';
      return { method: "POST", path: "/graphql", body: { query, variables: { value: wideObject() } } };
    },
  },
  "a body that has too many members": {
    scopes: ["config.manage"],
    prepare: async () => {
      const value = Object.fromEntries(times(60_000, (at) => [`k${at}`, at]));
      return { method: "PUT", path: "/v1/config/my.heavy", body: { value } };
    },
  },
};

/** Requests that are refused after their work. */
export const refusedNames: ReadonlySet<string> = new Set([
  "a large body with an Idempotency-Key",
  "a large object as a value",
  "many small objects as a value",
  "many small lists as a value",
  "large parameters of an execution",
  "a body that has too many members",
]);

export const heavyNames: readonly string[] = Object.keys(heavyTenants);

/** The heavy request and a plain GET of the same tenant. */
export async function heavyLoads({ platform }: Stage, name: string): Promise<Record<"plain" | "heavy", LoadRequest>> {
  const heavy = heavyTenants[name];
  if (!heavy) throw new Error(`There is no heavy request ${name}`);
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const slug = name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
  const { tenantId } = await ensureTenant(platform, admin, slug, name);
  const scopes = [...heavy.scopes, "templates.read", "templates.write"] as const;
  const token = await accessToken(
    platform,
    await createTenantClient(platform, admin, tenantId, { name: "heavy", scopes }),
  );
  const write = async <T>(method: "POST" | "PUT", path: string, body: unknown) =>
    (await call<T>(method, platform.publicUrl + path, { token, body })).body;
  const { method, path, body, headers } = await heavy.prepare({ write });
  const template = { name: "plain", category: "Service" };
  const { templateId } = await write<{ templateId: string }>("POST", "/v1/templates", template);
  const authorization = `Bearer ${token}`;
  return {
    plain: { method: "GET", path: `/v1/templates/${templateId}`, headers: { authorization } },
    heavy: {
      method,
      path,
      headers: { authorization, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  };
}
