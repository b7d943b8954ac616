import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFeed } from "../kit/feed.js";
import { aSmallPack } from "../kit/packs.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface Change {
  executionStatusChanged: {
    sequence: number;
    status: string;
    phase: string | null;
    changedAt: string;
    execution: { executionId: string; status: string; output: { changed: boolean } | null };
  };
}

const query = `subscription ($executionId: ID!, $after: Int) {
  executionStatusChanged(executionId: $executionId, after: $after) {
    executionId sequence status phase changedAt execution { executionId status output { changed } } } }`;

let tenant: TestTenant;
let token: string;
let version: TestVersion;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
});

const target = () => ({ repository: `acme/r${Math.random().toString(36).slice(2)}` });
const watch = (executionId: string, after?: number, as = token) =>
  aFeed<Change>({ query, token: as, variables: { executionId, after } });

const steps = [
  [1, "Requested", "Queued"],
  [2, "Running", "FetchingSource"],
  [3, "Running", "Rendering"],
  [4, "Running", "InjectingLibraries"],
  [5, "Running", "Pushing"],
  [6, "Completed", null],
];
const stepsOf = (events: readonly Change[]) =>
  events.map(({ executionStatusChanged: { sequence, status, phase } }) => [sequence, status, phase]);

describe("executionStatusChanged", () => {
  it("sends every step with the execution, and ends after the last step", async () => {
    const { templateId, templateVersionId } = version;
    const libraries = [{ packageName: "Polly", version: "8.4.2" }];
    const acceptance = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
      token,
      body: { templateVersionId, target: target(), libraries },
    });
    const feed = await watch(acceptance.body.executionId);
    await eventually("the feed ends", () => feed.ended());
    expect([stepsOf(feed.events), feed.errors]).toEqual([steps, []]);
    expect(feed.events.at(-1)?.executionStatusChanged.execution).toEqual({
      executionId: acceptance.body.executionId,
      status: "Completed",
      output: { changed: true },
    });
    await feed.stop();
  });

  it("resumes after a step, also when the execution has ended", async () => {
    const { executionId } = await executed(token, version, { target: target() });
    const whole = await watch(executionId);
    const rest = await watch(executionId, 3);
    const nothing = await watch(executionId, 5);
    await eventually("all end", () => whole.ended() && rest.ended() && nothing.ended());
    expect([nothing.events, nothing.errors]).toEqual([[], []]);
    expect(stepsOf(whole.events)).toEqual(
      steps.filter(([, , phase]) => phase !== "InjectingLibraries").map(([, ...step], at) => [at + 1, ...step]),
    );
    expect(stepsOf(rest.events)).toEqual(stepsOf(whole.events).slice(3));
    await Promise.all([whole.stop(), rest.stop(), nothing.stop()]);
  });

  it("is refused for another tenant and without its scope", async () => {
    const { executionId } = await executed(token, version, { target: target() });
    const stranger = await (await aTenant()).tokenWith();
    const narrow = await tenant.tokenWith("libraries.read");
    for (const [as, code] of [
      [stranger, "EXECUTION_NOT_FOUND"],
      [narrow, "INSUFFICIENT_SCOPE"],
    ] as const) {
      const feed = await watch(executionId, undefined, as);
      await eventually("it is refused", () => feed.errors.length > 0);
      expect([feed.events, feed.errors]).toEqual([
        [],
        [expect.objectContaining({ extensions: expect.objectContaining({ code }) })],
      ]);
      await feed.stop();
    }
  });
});
