import { request } from "@factory/test/kit/request";
import type { Caller } from "./caller.ts";

/** The events about new templates, from the cursor on. */
export const templateEvents = `subscription ($after: String) {
  events(types: ["TemplateRegistered"], after: $after) { cursor data subject { ... on Template { id name } } } }`;

/** The data of an answer to this subscription. */
export interface TemplateEvent {
  readonly events: {
    readonly cursor: string;
    readonly data: { readonly name: string };
    readonly subject: { readonly id: string; readonly name: string } | null;
  };
}

export const nameOf = (answer: { readonly data?: TemplateEvent | null }) => answer.data?.events.data.name;

export async function registerTemplate({ token }: Caller, name: string): Promise<void> {
  await request("POST /v1/templates", { token, body: { name } });
}
