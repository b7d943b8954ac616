import { valueInBody } from "./delivery-values.js";
import { type ActionPlace, vendorActions } from "./vendor-actions.js";

const placesOf = (name: string): readonly ActionPlace[] | undefined =>
  Object.hasOwn(vendorActions, name) ? vendorActions[name] : undefined;

/** The places that the vendor uses, found by the preset or the key of the provider. */
export const actionsOf = (vendor: { readonly preset: string | null; readonly providerKey: string }) =>
  placesOf(vendor.preset ?? vendor.providerKey) ?? placesOf(vendor.providerKey) ?? [];

/** The action that the body of an event tells at one of the places. */
export function toldAction(places: readonly ActionPlace[], event: string, body: unknown): string | undefined {
  for (const { event: ofEvent, value, means } of places) {
    const found = ofEvent === event ? valueInBody(value, body) : undefined;
    if (found === undefined) continue;
    if (means === undefined) return found;
    if (means.equals === found) return means.action;
  }
  return undefined;
}
