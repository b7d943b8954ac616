import { DomainError } from "@factory/runtime/errors/domain-error";
import { longWork } from "@factory/runtime/threads/long-work";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { ordinaryBytes } from "../arrived-deliveries/body-size.js";
import { tokenInBody, tokenPlace } from "../arrived-deliveries/body-token.js";
import { parsingBody } from "../arrived-deliveries/delivery-values.js";
import { senderOf } from "../arrived-deliveries/sender.js";
import type { Candidate } from "./candidate.js";

/** Larger bodies with a secret inside are not parsed before anything has verified them. */
export const maxParsedBytes = 1024 * 1024;

/**
 * The secrets that stand in the body, by the driver that says where. Before the verification a large body is parsed only
 * for the one resource that its URL names, in turns.
 */
export async function tokensInBody(
  delivery: ArrivedDelivery,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<ProviderDriver, string | undefined>> {
  const tokens = new Map<ProviderDriver, string | undefined>();
  if (delivery.form === "Specified" || delivery.message.body.length > maxParsedBytes) return tokens;
  for (const { driver } of candidates) {
    const { webhook } = driver;
    if (!webhook || tokenPlace(webhook) === undefined || tokens.has(driver)) continue;
    if (delivery.message.body.length > ordinaryBytes)
      await longWork.run(senderOf(delivery), parsingBody(delivery, webhook)).catch(ignoreMalformed);
    tokens.set(driver, tokenInBody(delivery, webhook));
  }
  return tokens;
}

/** A body that cannot be read has no token. */
function ignoreMalformed(error: unknown): void {
  if (!(error instanceof DomainError) || error.code === "RATE_LIMITED") throw error;
}
