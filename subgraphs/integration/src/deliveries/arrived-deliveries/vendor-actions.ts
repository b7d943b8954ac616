import type { ValuePath } from "../../providers/provider-drivers/provider-driver.js";

/** A place in an event's body that tells what happened, where the vendor names no action in the usual place. */
export interface ActionPlace {
  readonly event: string;
  readonly value: ValuePath;
  /** The value stands for this action. Without it the value itself is the action. */
  readonly means?: { readonly equals: string; readonly action: string };
}

/** The id for a commit that does not exist, in SHA-1 and in SHA-256. */
const noCommit = [40, 64].map((length) => "0".repeat(length));

const references = (event: string, value: ValuePath, action: string): ActionPlace[] =>
  noCommit.map((equals) => ({ event, value, means: { equals, action } }));

/** By the provider's key or preset. The first place with a value decides. */
export const vendorActions: Readonly<Record<string, readonly ActionPlace[]>> = {
  github: [
    { event: "push", value: "body:/deleted", means: { equals: "true", action: "deleted" } },
    // a body in this form from another sender may leave `deleted` out
    ...references("push", "body:/after", "deleted"),
  ],
  gitlab: [
    ...references("Push Hook", "body:/after", "deleted"),
    ...references("Tag Push Hook", "body:/after", "deleted"),
    ...references("Tag Push Hook", "body:/before", "created"),
    { event: "Release Hook", value: "body:/action" },
    { event: "Milestone Hook", value: "body:/action" },
    { event: "Emoji Hook", value: "body:/event_type" },
    { event: "Member Hook", value: "body:/event_name" },
    { event: "Subgroup Hook", value: "body:/event_name" },
    { event: "Project Hook", value: "body:/event_name" },
    { event: "Pipeline Hook", value: "body:/object_attributes/status" },
    { event: "Job Hook", value: "body:/build_status" },
    { event: "Deployment Hook", value: "body:/status" },
  ],
  slack: [
    { event: "message", value: "body:/event/subtype" },
    { event: "message", value: "body:/subtype" },
  ],
  // an authorized amount has not been charged before it is captured
  stripe: [
    {
      event: "charge.succeeded",
      value: "body:/data/object/captured",
      means: { equals: "false", action: "uncaptured" },
    },
  ],
  twilio: [{ event: "message", value: "body:/MessageStatus" }],
};
