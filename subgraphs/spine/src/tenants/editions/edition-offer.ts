import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** How tenants get an edition now. */
export interface EditionOffer {
  readonly active: boolean;
  readonly selfService: boolean;
}

const offer = {
  name: "edition_offer",
  text: "select active, self_service from editions where code = $1",
};

/**
 * Reads in the transaction how tenants get the edition, since the editions in memory may be a second old. Undefined for
 * an unknown code.
 */
export async function editionOffer({ execute }: Transaction, code: string): Promise<EditionOffer | undefined> {
  const [row] = await execute<{ active: boolean; self_service: boolean }>(offer, [code]);
  return row && { active: row.active, selfService: row.self_service };
}
