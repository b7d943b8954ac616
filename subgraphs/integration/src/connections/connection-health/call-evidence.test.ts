import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import type { CallOutcome } from "../vendor-calls/call-outcomes.js";
import { CallEvidence } from "./call-evidence.js";
import { ProbeTimes } from "./probe-times.js";

it("a tenant whose checks cannot be started does not end the checks of others", async () => {
  const [crowdedTenant, other] = [newId("ten"), newId("ten")];
  const checkedTenants: string[] = [];
  let isCrowded = true;
  const evidence = new CallEvidence({
    workers: { query: async () => ({ rows: [] }) } as never,
    starter: {
      startForCalls: async (tenantId) => {
        checkedTenants.push(tenantId);
        if (isCrowded && tenantId === crowdedTenant) throw new Error("the share of the tenant is in use");
      },
    },
    times: new ProbeTimes(() => new Date(), 60_000),
    logger: createLogger("test", "silent"),
  });
  const rejection = (tenantId: string): CallOutcome => ({
    ...{ tenantId, connectionId: newId("con"), purpose: "command", ok: false, status: 401 },
    ...{ credentialRejected: true, rateLimited: false, runId: undefined },
  });
  for (let count = 0; count < 9; count += 1) evidence.add(rejection(crowdedTenant));
  evidence.add(rejection(other));
  await evidence.flush();
  expect(checkedTenants).toEqual([crowdedTenant, crowdedTenant, other]);
  isCrowded = false;
  checkedTenants.length = 0;
  for (let count = 0; count < 6; count += 1) await evidence.flush();
  expect(checkedTenants).toEqual(Array(9).fill(crowdedTenant));
});
