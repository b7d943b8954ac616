import { valueInBody } from "./delivery-values.js";
import { type ActionPlace, vendorActions } from "./vendor-actions.js";

const placesOf = (name: string): readonly ActionPlace[] | undefined =>
  Object.hasOwn(vendorActions, name) ? vendorActions[name] : undefined;

/** The places that the vendor uses, found by the provider's preset or key. */
export const actionsOf = (vendor: { readonly preset: string | null; readonly providerKey: string }) =>
  placesOf(vendor.preset ?? vendor.providerKey) ?? placesOf(vendor.providerKey) ?? [];

/** The action that an event's body tells at one of the places. */
export function toldAction(places: readonly ActionPlace[], event: string, body: unknown): string | undefined {
  for (const { event: ofEvent, value, means } of places) {
    const textInBody = ofEvent === event ? valueInBody(value, body) : undefined;
    if (textInBody === undefined) continue;
    if (means === undefined) return textInBody;
    if (means.equals === textInBody) return means.action;
  }
  return undefined;
}
