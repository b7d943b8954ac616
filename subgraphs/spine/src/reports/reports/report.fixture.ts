import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import { type Answer, type Json, principal, type RunningSpine, until } from "../../running-spine.fixture.js";
import type { Spine } from "../../subgraph.js";

const members =
  "reportRunId reportDefinitionId reportCode format parameters periodOver status rowsDone rowsTotal requestedAt startedAt completedAt expiresAt contentType sizeBytes sha256 error { code detail }";

/** A past year, in which the test itself has no rows. */
export const pastYear = { from: "2024-01-01", to: "2024-12-31" };

/** A period that ends today. */
export const untilToday = () => {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: day(Date.now() - 5 * 86_400_000), to: day(Date.now()) };
};

/** The same database, whose requests another spine answers. */
export const withSpine = (platform: RunningSpine, spine: Spine): RunningSpine =>
  Object.assign(Object.create(platform) as RunningSpine, { spine });

/** One tenant's reports, as its callers use them. */
export class TenantReports {
  readonly caller;

  constructor(
    readonly platform: RunningSpine,
    readonly tenantId: string,
    scopes: readonly Scope[] = ["report.read", "report.generate", "audit.read", "user.read"],
  ) {
    this.caller = principal(tenantId, scopes);
  }

  ask(document: string, variables: Record<string, unknown> = {}, key?: string): Promise<Answer> {
    return this.platform.ask(this.caller, document, variables, key);
  }

  async definitions(): Promise<Json[]> {
    const { data } = await this.ask(
      "{ reportDefinitions { items { reportDefinitionId code name formats parametersSchema contentScopes } } }",
    );
    return data?.["reportDefinitions"].items;
  }

  async request(code: string, input: Record<string, unknown>, key?: string): Promise<Answer> {
    const definition = (await this.definitions()).find((candidate) => candidate.code === code);
    return this.ask(
      `mutation ($id: ID!, $input: GenerateReportInput!) { run: generateReport(reportDefinitionId: $id, input: $input) { ${members} } }`,
      { id: definition?.reportDefinitionId ?? newId("rpd"), input },
      key,
    );
  }

  /** Requests a report and waits until its run ends. */
  async generated(code: string, format = "csv", parameters: object = pastYear): Promise<Json> {
    const { data, errors } = await this.request(code, { format, parameters });
    if (!data) throw new Error(JSON.stringify(errors));
    return this.ended(data["run"].reportRunId);
  }

  async run(reportRunId: string): Promise<Json> {
    const { data, errors } = await this.ask(`query ($id: ID!) { run: reportRun(reportRunId: $id) { ${members} } }`, {
      id: reportRunId,
    });
    if (!data) throw new Error(JSON.stringify(errors));
    return data["run"];
  }

  async ended(reportRunId: string): Promise<Json> {
    await until(async () => !["Queued", "Running"].includes((await this.run(reportRunId)).status));
    return this.run(reportRunId);
  }

  move(field: "cancelReportRun" | "expireReportRun", reportRunId: string): Promise<Answer> {
    return this.ask(`mutation ($id: ID!) { run: ${field}(reportRunId: $id) { ${members} } }`, { id: reportRunId });
  }

  /** A run's content, whose digest is the run's. */
  async content(run: Json): Promise<string> {
    const content = await this.platform.spine.reportContents.open(this.caller, run.reportRunId);
    const bytes = await buffer(await content.read(0, content.sizeBytes - 1));
    if (createHash("sha256").update(bytes).digest("hex") !== run.sha256) throw new Error("The digest is wrong");
    return bytes.toString();
  }

  async eventsOf(reportRunId: string) {
    const events = await this.platform.eventsOf(this.tenantId);
    return events.filter(({ subject }) => subject === `report-runs/${reportRunId}`);
  }

  /** Appends one audit record for each operation to the records that the platform has written. */
  async addRecords(records: readonly { at: string; operation?: string; subject?: string; principal?: string }[]) {
    await this.platform.admin.query(
      `with head as (
         insert into audit_heads as head (tenant_id, position, hash, start_position, start_hash, retention_due_at)
         values ($1, jsonb_array_length($2::jsonb), '', 0, '', now())
         on conflict (tenant_id) do update set position = head.position + excluded.position
         returning position - jsonb_array_length($2::jsonb) as position)
       insert into audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
         principal, trace_id, hash)
       select $1, head.position + number, gen_random_uuid(),
         at, '/catalog', coalesce(operation, 'registerTemplate'), 'Succeeded', subject, principal, 'trace', ''
       from head, rows from (jsonb_to_recordset($2::jsonb) as (at timestamptz, operation text, subject text, principal text))
         with ordinality as added(at, operation, subject, principal, number)`,
      [decodeId("ten", this.tenantId), JSON.stringify(records)],
    );
  }
}
