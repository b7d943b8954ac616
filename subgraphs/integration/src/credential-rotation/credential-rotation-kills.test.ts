import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { kills } from "@factory/runtime/faults/kills.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../integration.fixture.js";
import { IntegrationProcesses } from "../integration-processes.fixture.js";

/** Where the process is killed: before the promotion, inside it, after its commit, and inside the retirement. */
const phases = [
  "credentialRotation.verified",
  "credentialRotation.promoting",
  "run.ended",
  "credentialRotation.retiring",
];
/** A generous limit for the time until the last start continues all killed processes' jobs. */
const takeoverMs = 120_000;

describe("kill -9 in the rotation of credentials", () => {
  const principal = aPrincipal();
  const tenant = decodeId("ten", principal.tenantId ?? "");
  let subgraph: IntegrationProcesses;

  beforeAll(async () => {
    subgraph = await IntegrationProcesses.open();
  });
  afterAll(() => subgraph.close());

  const sql = <Row>(text: string) => subgraph.rows<Row>(text, tenant);

  async function someCredentials(): Promise<string[]> {
    const credentialIds: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const secret = { signingSecret: `whsec_${Buffer.alloc(32, count + 1).toString("base64")}` };
      const { credentialId } = await subgraph.only(
        principal,
        "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }",
        { input: { name: `c${count}`, kind: "WebhookSigning", secret } },
      );
      credentialIds.push(credentialId);
    }
    return credentialIds;
  }

  const rotate = (credentialId: string) =>
    subgraph.only(
      principal,
      "mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { status } }",
      { input: { credentialId, graceSeconds: 1 } },
    );
  const versionsOf = (credentialId: string) =>
    sql<{ version: number; stage: string; readable: boolean }>(
      `select version, stage, wrapped_key is not null as readable from integration.credential_versions
       where tenant_id = $1 and credential_id = '${decodeId("crd", credentialId)}' order by version`,
    );

  it("keeps the material that was given, or lets it be given again", async () => {
    const vendor = aPrincipal();
    const phase = "credentialRotation.giving";
    expect(await subgraph.startMortal(`${phase}:kill:1`)).toBe(true);
    const { credentialId } = await subgraph.only(
      vendor,
      "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }",
      { input: { name: "vendor", kind: "ApiKey", secret: { apiKey: "first" } } },
    );
    const ask = (secret?: object, key?: string) =>
      subgraph.only(
        vendor,
        "mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { newVersionRef verificationRunId } }",
        { input: { credentialId, ...(secret && { secret }) } },
        key,
      );
    const waiting = await ask();
    await ask({ apiKey: "second" }, "given").catch(() => undefined);
    expect(await subgraph.process.ended).toBeNull();
    await subgraph.start();
    expect(await ask({ apiKey: "second" }, "given")).toEqual(waiting);
    const stages = async () => {
      const source = "query ($id: ID!) { credential(credentialId: $id) { status versions { stage } } }";
      const { status, versions } = await subgraph.only(vendor, source, { id: credentialId });
      return [status, ...versions.map(({ stage }: { stage: string }) => stage)].join();
    };
    await eventually("the new version is used", async () => (await stages()) === "Active,Current,Previous", takeoverMs);
  });

  it("leaves each rotation and each retirement done once, and no run open", async () => {
    let credentials: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      // A job that an earlier kill interrupted may kill the process before it is ready.
      if (!(await subgraph.startMortal(`${phases[count % phases.length]}:kill:1`))) continue;
      if (count === 0) credentials = await someCredentials();
      await rotate(credentials[count] ?? "").catch(() => undefined);
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start();
    // An earlier job may have killed a process before it took its request.
    for (const id of credentials) if ((await versionsOf(id)).length < 2) await rotate(id);
    const areAllRetired = async () => {
      const versions = await Promise.all(credentials.map(versionsOf));
      return versions.every(([first]) => first?.stage === "Retired");
    };
    await eventually("each former version is retired", areAllRetired, takeoverMs);
    const expectedVersions = [
      { version: 1, stage: "Retired", readable: false },
      { version: 2, stage: "Current", readable: true },
    ];
    for (const id of credentials) expect(await versionsOf(id)).toEqual(expectedVersions);
    const events = await sql<{ type: string; count: number }>(
      `select envelope->>'type' as type, count(*)::int from integration.outbox
       where tenant_id = $1 and envelope->>'type' like 'Credential%' and envelope->>'messagekind' = 'event'
       group by 1 order by 1`,
    );
    const types = ["Created", "Rotated", "RotationStarted", "VersionPromoted", "VersionRetired"];
    expect(events).toEqual(types.map((type) => ({ type: `Credential${type}`, count: kills })));
    const running = () =>
      sql("select from integration.runs where tenant_id = $1 and status not in ('Completed', 'Failed', 'Cancelled')");
    await eventually("no run is open", async () => (await running()).length === 0, takeoverMs);
    const states = await sql<{ status: string }>("select status from integration.credentials where tenant_id = $1");
    expect(states.map(({ status }) => status)).toEqual(credentials.map(() => "Active"));
  });
});
