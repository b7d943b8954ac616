import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { samplePack, writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { tenantScopes } from "@factory/schema/scopes";
import { Caller, Refused } from "./caller.js";
import type { Stage } from "./stage.js";
import type { WebhookReceiver } from "./webhook-receiver.js";

/** A tenant with a template to execute and a subscription to each event that is counted. */
export interface Customer {
  readonly tenantId: string;
  readonly slug: string;
  readonly caller: Caller;
  readonly templateId: string;
  readonly templateVersionId: string;
}

export interface Acknowledged {
  readonly customer: Customer;
  /** A unique name: the template's name, or the execution's repository. */
  readonly name: string;
  readonly id: string;
}

const countedEvents = ["TemplateRegistered", "ScaffoldGenerated", "TemplateExecuted"];

export async function aTenantCaller(stage: Stage, slug: string): Promise<{ tenantId: string; caller: Caller }> {
  const { platform, dataDir } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, slug, slug);
  const client = await createTenantClient(platform, admin, tenantId, { name: "chaos", scopes: tenantScopes });
  return { tenantId, caller: new Caller(platform.publicUrl, client) };
}

export async function aCustomer(stage: Stage, slug: string, receiver: WebhookReceiver): Promise<Customer> {
  const { tenantId, caller } = await aTenantCaller(stage, slug);
  const repository = `${stage.dataDir}/chaos-${slug}.git`;
  await writeTemplateRepository(samplePack, repository);
  await subscribe(caller, receiver);
  const version = await aVersion(caller, `git+${pathToFileURL(repository).href}#main`);
  return { tenantId, slug, caller, ...version };
}

/** Subscribes to each event that is counted. */
export async function subscribe(caller: Caller, receiver: WebhookReceiver): Promise<void> {
  for (const eventType of countedEvents)
    await caller.acknowledged(
      "/webhooks/subscriptions",
      { eventType, endpointUrl: receiver.url, signingSecretRef: "chaos" },
      `subscribe-${eventType}`,
    );
}

export async function aVersion(caller: Caller, sourceRef: string) {
  const name = `chaos-${randomUUID()}`;
  const { templateId } = await caller.acknowledged<{ templateId: string }>("/v1/templates", { name }, name);
  const { templateVersionId } = await caller.acknowledged<{ templateVersionId: string }>(
    `/v1/templates/${templateId}/versions`,
    { semanticVersion: "1.0.0", sourceRef, engineKind: "DotnetNewTemplatePack", targetFramework: "net8.0" },
    `version-${name}`,
  );
  return { templateId, templateVersionId };
}

export function execute(customer: Customer, repository: string): Promise<{ executionId: string }> {
  const { caller, templateId, templateVersionId } = customer;
  const body = { templateVersionId, target: { repository } };
  return caller.acknowledged(`/v1/templates/${templateId}/execute`, body, repository);
}

interface Rates {
  readonly registrationsPerSecond: number;
  readonly executionsPerSecond: number;
}

const mostUnacknowledged = 60;

/** Customers that register and execute at a steady rate, each request with its own Idempotency-Key. */
export class Load {
  readonly registered: Acknowledged[] = [];
  readonly executed: Acknowledged[] = [];
  readonly #customers: readonly Customer[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #open = new Set<Promise<void>>();
  #count = 0;

  constructor(customers: readonly Customer[]) {
    this.#customers = customers;
  }

  start({ registrationsPerSecond, executionsPerSecond }: Rates): void {
    this.#every(registrationsPerSecond, (customer, name) =>
      customer.caller
        .acknowledged<{ templateId: string }>("/v1/templates", { name }, name)
        .then(({ templateId: id }) => void this.registered.push({ customer, name, id })),
    );
    this.#every(executionsPerSecond, (customer, name) =>
      execute(customer, `chaos/${name}`).then(
        ({ executionId: id }) => void this.executed.push({ customer, name: `chaos/${name}`, id }),
      ),
    );
  }

  /** Stops the load. Resolves when every request that was sent is acknowledged. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await Promise.all(this.#open);
  }

  #every(perSecond: number, work: (customer: Customer, name: string) => Promise<void>): void {
    this.#timers.push(
      setInterval(() => {
        if (this.#open.size >= mostUnacknowledged) return;
        this.#count += 1;
        const customer = this.#customers[this.#count % this.#customers.length];
        if (!customer) return;
        const open = work(customer, `n${this.#count}`)
          // the caller has counted it, and the ledger shows it
          .catch((error: unknown) => {
            if (!(error instanceof Refused)) throw error;
          })
          .finally(() => this.#open.delete(open));
        this.#open.add(open);
      }, 1000 / perSecond),
    );
  }
}
