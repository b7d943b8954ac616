/** Messages that wait one behind the other, in the order of their due times: one webhook subscription's, to one origin. */
export interface WebhookLane {
  /** uuid */
  readonly tenant: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** uuid */
  readonly subscription: string;
}

/** Two lanes of one key are the same lane. A uuid and an origin hold no space. */
export const laneKey = ({ tenant, origin, subscription }: WebhookLane): string => `${tenant} ${origin} ${subscription}`;

/** Places and breakers belong to one tenant's origin: tenants share receivers' hosts and nothing else. */
export const originKey = ({ tenant, origin }: WebhookLane): string => `${tenant} ${origin}`;

/** A URL that cannot be read is a lane of its own, where the attempt says what is wrong with it. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");
