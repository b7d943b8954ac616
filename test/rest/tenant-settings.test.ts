import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const setLimits = `mutation ($tenantId: ID!, $input: TenantLimitsInput!) {
  setTenantLimits(tenantId: $tenantId, input: $input) { tenantId }
}`;

/** Prints how long something took after an answer, which the patience of a test only bounds. */
async function within(what: string, condition: () => Promise<boolean>, timeoutMs = 5000): Promise<void> {
  const start = performance.now();
  await eventually(what, condition, timeoutMs);
  process.stdout.write(`${what}: after ${Math.round(performance.now() - start)} ms\n`);
}

describe("the limits of a tenant", () => {
  let tenant: TestTenant;
  let token: string;
  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });

  /** The number of reads a minute that an answer promises. */
  const quota = async () => {
    const { headers } = await request("GET /v1/users?limit=1", { token });
    return Number(/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]);
  };

  it("act on the next requests with the same token", async () => {
    const before = await quota();
    const { body } = await graphql(setLimits, {
      token: await platformToken(),
      variables: { tenantId: tenant.tenantId, input: { rateLimitFactor: 2 } },
    });
    expect(body.errors).toBeUndefined();
    await within("the rate limit is twice as high", async () => (await quota()) === 2 * before);
  });

  it("act within a minute although the event is lost", async () => {
    const before = await quota();
    await rows(
      `update spine.tenants set limits = '{"rateLimitFactor":6}', version = version + 1, changed_at = clock_timestamp()
       where tenant_id = $1`,
      [decodeId("ten", tenant.tenantId)],
    );
    await within("the rate limit is three times as high", async () => (await quota()) === 3 * before, 60_000);
  });
});
