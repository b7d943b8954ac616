import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { serverAudits } from "graphql-http";
import { Caller } from "./caller.ts";

const caller = await Caller.open();

/** The audits send no credentials of their own, so the documented header is added to each request. */
const audits = serverAudits({
  url: caller.graphUrl,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...caller.headers } }),
});

test("graphql-http has 61 audits", () => equal(audits.length, 61));

for (const { id, name, fn } of audits)
  test(`graphql-http audit ${id}: ${name}`, async () => {
    const { status, reason } = { reason: undefined, ...(await fn()) };
    deepEqual({ status, reason }, { status: "ok", reason: undefined });
  });
