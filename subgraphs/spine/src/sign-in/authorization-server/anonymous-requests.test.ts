import { Retention } from "@factory/runtime/db/retention";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { revocationRetention } from "../../ground/revocations/revocation-retention.js";
import { platformAdmin, RunningSpine } from "../../running-spine.fixture.js";
import { artifactRetention } from "./provider/oidc-adapter.js";

let platform: RunningSpine;
let base: string;
let clientId: string;

const redirectUri = "https://app.example/callback";

beforeAll(async () => {
  // a tenth of the limits, so that all requests in a test come within one minute
  platform = await RunningSpine.start({ rateLimitFactor: 0.1 });
  base = await platform.listen();
  const tenantId = await platform.activeTenant("acme");
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
    {
      tenantId,
      input: {
        name: "App",
        scopes: ["templates.read"],
        grantTypes: ["authorization_code"],
        redirectUris: [redirectUri],
        public: true,
      },
    },
  );
  clientId = data?.["createTenantApiClient"].clientId;
});

afterAll(() => platform?.stop());

async function storedRows(): Promise<number> {
  const { rows } = await platform.admin.query("select count(*)::int as stored from oidc_artifacts");
  return rows[0].stored;
}

interface Outcome {
  readonly passed: number;
  readonly limited: readonly Response[];
}

/** Twenty at a time, as somebody would who wants to fill the disk. */
async function times(count: number, ask: () => Promise<Response>): Promise<Outcome> {
  const answers: Response[] = [];
  while (answers.length < count) {
    const some = await Promise.all(Array.from({ length: 20 }, ask));
    for (const answer of some) await answer.arrayBuffer();
    answers.push(...some);
  }
  const limitedAnswers = answers.filter(({ status }) => status === 429);
  return { passed: answers.length - limitedAnswers.length, limited: limitedAnswers };
}

describe("requests without a token", () => {
  it("to the authorization endpoint leave no more rows a minute than the limit of one address", async () => {
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const { passed, limited } = await times(60, () =>
      fetch(`${base}/connect/authorize?${parameters.toString()}`, { redirect: "manual" }),
    );
    expect([passed, limited.length, await storedRows()]).toEqual([24, 36, 24]);
    const [refusal] = limited;
    expect(Number(refusal?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refusal?.headers.get("content-type")).toContain("text/html");
    // one count for all that people see
    for (const path of ["/connect/interaction/0123456789abcdef", "/connect/logout", "/v1/connect/authorize"])
      expect([path, (await fetch(`${base}${path}`, { redirect: "manual" })).status]).toEqual([path, 429]);
  });

  it("and without proof of a client to the token endpoints read no more clients a minute than the limit of one address", async () => {
    const paths = ["/connect/token", "/connect/introspect", "/connect/revocation"];
    let turn = 0;
    const { passed, limited } = await times(80, () => {
      turn += 1;
      const body = new URLSearchParams({ client_id: `cli_${turn}`, grant_type: "client_credentials", token: "x" });
      return fetch(`${base}${paths[turn % paths.length]}`, { method: "POST", body });
    });
    expect([passed, limited.length]).toEqual([60, 20]);
    expect(limited[0]?.headers.get("retry-after")).toBeTruthy();
  });

  it("for documents are not counted, because they are answered from memory", async () => {
    for (const path of ["/.well-known/openid-configuration", "/.well-known/jwks"]) {
      const { passed } = await times(300, () => fetch(`${base}${path}`));
      expect([path, passed]).toEqual([path, 300]);
    }
  });

  it("leave no rows after the expiry, for any number of requests", async () => {
    await platform.admin.query(
      `insert into oidc_artifacts (kind, id_digest, payload, expires_at)
       select 'Interaction', 'flood ' || place, '{}', now() - interval '1 second' from generate_series(1, 3500) place`,
    );
    const before = await storedRows();
    const retention = new Retention(platform.connections.worker, createLogger("retention", "silent"), [
      artifactRetention,
      revocationRetention,
    ]);
    await retention.forget();
    await retention.stop();
    expect(before - (await storedRows())).toBe(3500);
  });
});
