import { hash } from "node:crypto";
import type { ClientCredentials } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aPerson, type Person } from "../kit/people.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTenant } from "../kit/tenants.js";

let group: PlatformGroup;
let processes: readonly [PlatformProcess, PlatformProcess];
let client: ClientCredentials;
let otherClient: ClientCredentials;
let person: Person;

beforeAll(async () => {
  group = await PlatformGroup.open();
  const first = await group.start({});
  group.use(first);
  const tenant = await aTenant();
  client = await aPasswordClient(tenant.tenantId);
  otherClient = await aPasswordClient(tenant.tenantId);
  // either process may send a mail, and the kit looks for it in the first one's folder
  person = await aPerson(tenant);
  processes = [first, await group.start({})];
});

afterAll(() => group?.close());

const acceptedAnswer = "404 TEMPLATE_NOT_FOUND";

/** Each process's answer to the access token at the REST API. */
const answersTo = (token: string) =>
  Promise.all(
    processes.map(async ({ publicUrl: base }) =>
      refusal(await request("GET /v1/templates/tpl_01jz3b0q8xk0n8v3m1w6y5t2r7", { token, base })),
    ),
  );

/** One refresh in each process, the second after the first one's answer. */
async function refreshedInBoth(refreshToken: string) {
  const [firstProcess, other] = processes;
  const second = await refreshed(client, refreshToken, firstProcess.publicUrl);
  return [second, await refreshed(client, refreshToken, other.publicUrl)] as const;
}

/** Stores that the refresh token was first used so many seconds ago. */
const firstUsed = (refreshToken: string, secondsAgo: number) =>
  rows("update spine.oidc_artifacts set consumed_at = now() - make_interval(secs => $2) where id_digest = $1", [
    hash("sha256", refreshToken, "hex"),
    secondsAgo,
  ]);

/** A use in one process has ended the family: no token works in any process. */
async function expectEnded(accessTokens: readonly string[], refreshTokens: readonly string[]): Promise<void> {
  for (const token of accessTokens)
    await eventually("both processes refuse the access token", async () =>
      (await answersTo(token)).every((answer) => answer === "401 TOKEN_INVALID"),
    );
  for (const { publicUrl } of processes)
    for (const token of refreshTokens)
      expect(await refreshed(client, token, publicUrl)).toMatchObject({ status: 400, error: "invalid_grant" });
}

describe("two uses of one refresh token in two processes", () => {
  it("give the same successor, and access tokens that both processes accept", async () => {
    const first = await signedIn(client, person);
    const [second, again] = await refreshedInBoth(first.refresh_token);
    expect([second.status, again.status]).toEqual([200, 200]);
    expect(again.refresh_token).toBe(second.refresh_token);
    expect(again.access_token).not.toBe(second.access_token);
    for (const token of [first, second, again].map(({ access_token }) => access_token))
      expect(await answersTo(token)).toEqual([acceptedAnswer, acceptedAnswer]);
    for (const { publicUrl } of processes)
      expect((await refreshed(client, again.refresh_token, publicUrl)).status).toBe(200);
  });

  it("give one successor when they come at the same time", async () => {
    let { refresh_token: current } = await signedIn(client, person);
    for (let round = 0; round < 10; round += 1) {
      const uses = processes.flatMap(({ publicUrl }) => [publicUrl, publicUrl]);
      const answers = await Promise.all(uses.map((base) => refreshed(client, current, base)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const [successor = "", ...others] = new Set(answers.map(({ refresh_token }) => refresh_token));
      expect([successor === current, others]).toEqual([false, []]);
      for (const { access_token: token } of answers)
        expect(await answersTo(token)).toEqual([acceptedAnswer, acceptedAnswer]);
      current = successor;
    }
  });

  it.each([0, 1])("are the last ones after the successor was used in process %i", async (user) => {
    const first = await signedIn(client, person);
    const [second, again] = await refreshedInBoth(first.refresh_token);
    const third = await refreshed(client, second.refresh_token, processes[user]?.publicUrl);
    expect(third.status).toBe(200);
    const late = await refreshed(client, first.refresh_token, processes[1 - user]?.publicUrl);
    expect(late).toMatchObject({ status: 400, error: "invalid_grant" });
    await expectEnded(
      [first, second, again, third].map(({ access_token }) => access_token),
      [third.refresh_token],
    );
  });

  it("end the sign-in in both processes when the second comes more than ten seconds later", async () => {
    const first = await signedIn(client, person);
    const [second] = await refreshedInBoth(first.refresh_token);
    await firstUsed(first.refresh_token, 5);
    const again = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
    await firstUsed(first.refresh_token, 11);
    const late = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect(late).toMatchObject({ status: 400, error: "invalid_grant" });
    await expectEnded([second.access_token, again.access_token], [second.refresh_token]);
  });

  it("give another client nothing, and the sign-in goes on", async () => {
    const first = await signedIn(client, person);
    const second = await refreshed(client, first.refresh_token, processes[0].publicUrl);
    for (const { publicUrl } of processes)
      for (const token of [first.refresh_token, second.refresh_token])
        expect(await refreshed(otherClient, token, publicUrl)).toMatchObject({ status: 400, error: "invalid_grant" });
    // the refused uses may have taken long
    await firstUsed(first.refresh_token, 1);
    const again = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
    expect((await refreshed(client, again.refresh_token, processes[0].publicUrl)).status).toBe(200);
  });
});
