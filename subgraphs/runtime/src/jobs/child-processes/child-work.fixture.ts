import pg from "pg";
import { DomainError } from "../../errors/domain-error.js";
import { workForParent } from "./child-work.js";

interface FixtureSettings {
  /** URL for the database in which the run leaves its traces. */
  readonly url: string;
}

export interface FixturePayload {
  tenantId: string;
  name: string;
}

/** Entry module for the tests' child process: the payload's name says what it does. */
workForParent<FixtureSettings, FixturePayload>(async ({ settings, payload, attempt, ask }) => {
  const client = new pg.Client({ connectionString: settings.url });
  await client.connect();
  const secret = payload.name === "asks" ? await ask({ wanted: "secret" }).catch(refusal) : null;
  await client.query(
    "insert into catalog_jobs.child_traces (tenant_id, pid, attempt, secret) values ($1, $2, $3, $4)",
    [payload.tenantId, process.pid, attempt.attempt, secret],
  );
  await client.end();
  if (payload.name === "dies") process.kill(process.pid, "SIGKILL");
  if (payload.name === "fails") throw new DomainError("RENDER_FAILED", { detail: "refused", paths: ["a"] });
  if (payload.name === "waits")
    await new Promise((_resolve, reject) =>
      attempt.signal.addEventListener("abort", () => reject(new Error("given up"))),
    );
  if (payload.name === "spins") for (const end = Date.now() + 120_000; Date.now() < end; );
});

const refusal = (error: unknown) =>
  error instanceof DomainError ? `${error.code} ${error.facts.detail}` : String(error);
