import { randomBytes } from "node:crypto";
import type { TestTenant } from "../kit/tenants.js";

/** The mutations' callers, and what they may use. */
export interface World {
  readonly tenant: TestTenant;
  readonly token: string;
  readonly adminToken: string;
  /** Every secret that a mutation takes contains it. */
  readonly canary: string;
  /** Ends what a mutation needed. */
  readonly onEnd: (end: () => unknown) => void;
}

/** The member `ownToken` is not an argument: it is the token with which the mutation is called. */
type Arguments = Record<string, unknown>;
export type Prepare = (world: World) => Promise<Arguments> | Arguments;

export const unique = () => `w${randomBytes(6).toString("hex")}`;
