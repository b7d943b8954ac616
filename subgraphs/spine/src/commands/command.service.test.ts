import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createCommand } from "@factory/runtime/messages/command";
import type { CommandEnvelope, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { principal, RunningSpine, until } from "../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("commanded");
});
afterAll(() => platform?.stop());

async function sent(type: CommandType, data: Record<string, unknown>, of = tenantId): Promise<CommandEnvelope> {
  const cause = {
    trace: continueTrace(undefined),
    actorId: newId("cli"),
    actorScopes: new Set(commandTypes[type].scopes),
  };
  const command = createCommand({ type, subject: "tests/test", data }, "catalog", of, cause);
  await platform.host.bus.publish([command]);
  return command;
}

/** The first event that the command has caused. */
async function answerTo({ id, tenantid }: CommandEnvelope): Promise<Envelope> {
  let answer: Envelope | undefined;
  await until(async () => {
    answer = (await platform.eventsOf(tenantid)).find(({ causationid }) => causationid === id);
    return answer !== undefined;
  });
  return answer as Envelope;
}

const refusal = (code: string) => ({ type: "CommandDeclined", data: expect.objectContaining({ code }) });
const period = { from: "2024-01-01", to: "2024-01-31" };

describe("commands of the bus to the spine", () => {
  it("generate a report for their actor, once", async () => {
    const command = await sent("GenerateReport", { reportCode: "audit-log", format: "csv", parameters: period });
    const answer = await answerTo(command);
    expect(answer).toMatchObject({ type: "ReportRunQueued", actorid: command.actorid, data: { parameters: period } });
    await platform.host.bus.publish([command]);
    const { reportRunId } = answer.data;
    const types = async () =>
      (await platform.eventsOf(tenantId))
        .filter(({ subject }) => subject === `report-runs/${String(reportRunId)}`)
        .map(({ type }) => type);
    await until(async () => (await types()).includes("ReportGenerated"));
    expect(await types()).toEqual(["ReportRunQueued", "ReportRunStarted", "ReportGenerated"]);
  });

  it("are declined with their errors, and do not delay other commands", async () => {
    const report = { reportCode: "audit-log", format: "csv", parameters: period };
    const wrong: [CommandType, Record<string, unknown>, string][] = [
      ["GenerateReport", { ...report, reportCode: "nothing" }, "NOT_FOUND"],
      ["GenerateReport", { ...report, format: "docx" }, "PARAMETERS_INVALID"],
      ["GenerateReport", { ...report, parameters: { from: "2024-02-30", to: "2024-03-01" } }, "VALIDATION_FAILED"],
      ["ExpireInvitation", { invitationId: newId("inv") }, "NOT_FOUND"],
      ["ExpireInvitation", {}, "VALIDATION_FAILED"],
      ["RenewSubscription", { subscriptionId: newId("sub") }, "NOT_FOUND"],
      ["ProvisionTenant", { tenantId }, "INVALID_STATE"],
      ["ProvisionTenant", { tenantId: newId("ten") }, "TENANT_MISMATCH"],
    ];
    for (const [type, data, code] of wrong) {
      const answer = await answerTo(await sent(type, data));
      expect([type, data, answer]).toEqual([type, data, expect.objectContaining(refusal(code))]);
    }
  });

  it("are declined while the tenant has too many report runs that have not ended", async () => {
    const busy = await platform.activeTenant("commanded-busy");
    await platform.admin.query(
      `insert into report_runs (tenant_id, run_id, definition_id, code, format, parameters, period_over, status,
         correlation_id, traceparent, requested_by, requested_at, updated_at)
       select tenant_id, gen_random_uuid(), definition_id, code, 'csv', $2, true, 'Queued', 'test', '', 'test', now(), now()
       from report_definitions, generate_series(1, 20) where tenant_id = $1 and code = 'audit-log'`,
      [decodeId("ten", busy), JSON.stringify(period)],
    );
    const report = { reportCode: "audit-log", format: "csv", parameters: period };
    expect(await answerTo(await sent("GenerateReport", report, busy))).toMatchObject(refusal("RATE_LIMITED"));
  });

  it("provision a tenant", async () => {
    const { tenantId: newTenant } = await platform.registerTenant("commanded-new");
    const answer = await answerTo(await sent("ProvisionTenant", { tenantId: newTenant }, newTenant));
    expect(answer).toMatchObject({ type: "TenantProvisioningStarted", data: { tenantId: newTenant } });
    await until(async () => (await platform.tenantStatus(newTenant)) === "Active");
  });

  it("let an invitation expire", async () => {
    const inviter = principal(tenantId, ["user.invite", "user.read"]);
    const { data } = await platform.ask(inviter, "{ invitations { items { invitationId status } } }");
    const invitationId = data?.["invitations"].items[0].invitationId;
    expect(await answerTo(await sent("ExpireInvitation", { invitationId }))).toMatchObject({
      type: "InvitationExpired",
      data: { invitationId },
    });
    expect(await answerTo(await sent("ExpireInvitation", { invitationId }))).toMatchObject(refusal("INVALID_STATE"));
  });

  it("renew a plan subscription whose period has ended", async () => {
    const manager = principal(tenantId, ["subscription.manage", "subscription.read"]);
    const { data } = await platform.ask(manager, "{ planSubscriptions { items { subscriptionId } } }");
    const subscriptionId = data?.["planSubscriptions"].items[0].subscriptionId;
    const renew = () => sent("RenewSubscription", { subscriptionId });
    await platform.ask(
      manager,
      "mutation ($id: ID!) { activatePlanSubscription(planSubscriptionId: $id) { status } }",
      { id: subscriptionId },
    );
    expect(await answerTo(await renew())).toMatchObject(refusal("INVALID_STATE"));
    // The renewal's job counts as sent, so that the command makes it.
    await platform.admin.query(
      "update plan_subscriptions set current_period_end = now(), next_change_at = now(), change_sent_at = now()",
    );
    expect(await answerTo(await renew())).toMatchObject({ type: "SubscriptionRenewed" });
  });
});
