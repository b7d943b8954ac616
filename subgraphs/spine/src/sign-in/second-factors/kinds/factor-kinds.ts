import type { Tenant } from "@factory/runtime/tenancy/tenant";
import {
  type EnrolledFactor,
  type FactorKind,
  type FactorKindName,
  factorKindNames,
  type Identification,
} from "./factor-kind.js";

/** A factor kind that tells who the person is. */
export interface IdentifyingKind {
  readonly kind: FactorKindName;
  readonly identification: Identification;
}

/** The second factor kinds that this platform offers. */
export class FactorKinds {
  readonly #kinds = new Map<FactorKindName, FactorKind>();

  add(kind: FactorKind): void {
    this.#kinds.set(kind.kind, kind);
  }

  /** In the order in which a sign-in offers them. */
  get all(): readonly FactorKind[] {
    return factorKindNames.flatMap((name) => this.#kinds.get(name) ?? []);
  }

  /** The kinds that sign a person in without a name and a password. */
  get identifying(): readonly IdentifyingKind[] {
    return this.all.flatMap(({ kind, identification }) => (identification ? [{ kind, identification }] : []));
  }

  /** The kind with this name, which may be any text in a request. */
  named(name: string | null): FactorKind | undefined {
    return this.all.find(({ kind }) => kind === name);
  }

  /** The factors that the person has set up. Recovery codes are not among them: they stand in for a factor. */
  async enrolled(tenant: Tenant, userId: string): Promise<readonly EnrolledFactor[]> {
    const kinds = this.all.filter(({ enrolment }) => enrolment !== undefined);
    return (await Promise.all(kinds.map((kind) => kind.list(tenant, userId)))).flat();
  }

  /** The kinds with which the person can prove a second factor now. Empty without an enrolled factor. */
  async usable(tenant: Tenant, userId: string): Promise<readonly FactorKind[]> {
    const lists = await Promise.all(this.all.map(async (kind) => ({ kind, list: await kind.list(tenant, userId) })));
    const usable = lists.filter(({ list }) => list.length > 0).map(({ kind }) => kind);
    return usable.some(({ enrolment }) => enrolment !== undefined) ? usable : [];
  }
}
