import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import type { Scope } from "@factory/schema/scopes";
import type { LoadRequest } from "autocannon";
import type { Stage } from "../bench-platform.js";
import { heavyBodies } from "./heavy-bodies.js";
import {
  allFlags,
  flagScopes,
  type HeavyRequest,
  type HeavyTenant,
  number,
  rule,
  type Tools,
  times,
  writeFlags,
} from "./heavy-tenant.js";

async function flagRequest(
  tools: Tools,
  text: string,
  flags: number,
  rulesOf: (flag: number) => readonly unknown[],
): Promise<HeavyRequest> {
  await writeFlags(tools, flags, rulesOf);
  return allFlags(text);
}

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
  "ten flags": {
    scopes: flagScopes,
    prepare: (tools) => flagRequest(tools, "a", 10, () => []),
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
  ...heavyBodies,
};

/**
 * Requests that cost no more work than ordinary ones. They are measured and not judged: they need no database, so eight
 * callers send 2,000 of them in a second, and share both cores on a small machine with the measured GETs.
 */
export const lightNames: ReadonlySet<string> = new Set(["ten flags", "flags that compare beginnings"]);

export const heavyNames: readonly string[] = Object.keys(heavyTenants);

/** The heavy request and a plain GET by the same tenant. */
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
  const { templateId } = await write<{ templateId: string }>("POST", "/v1/templates", {
    name: "plain",
    category: "Service",
  });
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
