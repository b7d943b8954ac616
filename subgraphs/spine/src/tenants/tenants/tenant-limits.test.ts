import { newId } from "@factory/runtime/identifiers/wire-id";
import { type Answer, platformAdmin, principal, RunningSpine } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("limited");
});
afterAll(() => platform?.stop());

const set = (input: object, as = platformAdmin(), of = tenantId): Promise<Answer> =>
  platform.ask(
    as,
    `mutation ($tenantId: ID!, $input: TenantLimitsInput!) { setTenantLimits(tenantId: $tenantId, input: $input) {
      limits { rateLimitFactor maxRunningExecutions } } }`,
    { tenantId: of, input },
  );

const limitsOf = ({ data }: Answer) => data?.["setTenantLimits"].limits;
const recordedEvents = async () =>
  (await platform.eventsOf(tenantId)).filter(({ type }) => type === "TenantLimitsUpdated").map(({ data }) => data);

describe("setTenantLimits", () => {
  it("changes the limits that are named, restores defaults by null, and records each change once", async () => {
    expect(limitsOf(await set({ rateLimitFactor: 2.5 }))).toEqual({ rateLimitFactor: 2.5, maxRunningExecutions: 5 });
    expect(limitsOf(await set({ maxRunningExecutions: 1 }))).toEqual({ rateLimitFactor: 2.5, maxRunningExecutions: 1 });
    expect(limitsOf(await set({ maxRunningExecutions: 1 }))).toEqual({ rateLimitFactor: 2.5, maxRunningExecutions: 1 });
    const restoredLimits = { rateLimitFactor: 1, maxRunningExecutions: 1 };
    expect(limitsOf(await set({ rateLimitFactor: null }))).toEqual(restoredLimits);
    expect((await recordedEvents()).map((data) => data["limits"])).toEqual([
      { rateLimitFactor: 2.5, maxRunningExecutions: 5 },
      { rateLimitFactor: 2.5, maxRunningExecutions: 1 },
      restoredLimits,
    ]);
    const query =
      "query ($tenantId: ID!) { tenant(tenantId: $tenantId) { limits { rateLimitFactor maxRunningExecutions } } }";
    expect((await platform.ask(platformAdmin(), query, { tenantId })).data?.["tenant"].limits).toEqual(restoredLimits);
  });

  it("refuses a limit outside its range with its pointer", async () => {
    for (const [input, pointer] of [
      [{ rateLimitFactor: 0 }, "/input/rateLimitFactor"],
      [{ rateLimitFactor: 1e9 }, "/input/rateLimitFactor"],
      [{ maxRunningExecutions: 0 }, "/input/maxRunningExecutions"],
    ] as const)
      expect((await set(input)).refusal).toMatchObject({
        code: "VALIDATION_FAILED",
        errors: [{ pointer, code: "OUT_OF_RANGE" }],
      });
  });

  it("belongs to platform administrators", async () => {
    const tenantAdmin = principal(tenantId, ["tenant.manage", "config.manage"]);
    expect((await set({ rateLimitFactor: 2 }, tenantAdmin)).refusal).toMatchObject({ code: "PLATFORM_ADMIN_REQUIRED" });
    for (const unknown of [newId("ten"), "rubbish"])
      expect((await set({ rateLimitFactor: 2 }, platformAdmin(), unknown)).refusal).toMatchObject({
        code: "NOT_FOUND",
      });
  });
});
