import { correctedEventType } from "./corrected-event-type.js";

const corrected = (vendor: string, eventName: string, stored: string, told?: string) =>
  correctedEventType({ key: "our-vendor", preset: vendor }, { eventName, normalizedEventType: stored }, () => told);

it("gives a delivery from an earlier release the type that says what happened", () => {
  expect(corrected("github", "push", "CommitsPushed", "deleted")).toBe("ReferenceDeleted");
  expect(corrected("gitlab", "Tag Push Hook", "ReferenceCreated", "deleted")).toBe("ReferenceDeleted");
  expect(corrected("gitlab", "Release Hook", "ReleasePublished", "delete")).toBe("ReleaseDeleted");
  expect(corrected("gitlab", "Note Hook.update", "CommentCreated")).toBe("CommentUpdated");
  expect(corrected("slack", "message", "MessagePosted", "message_deleted")).toBe("MessageDeleted");
  expect(corrected("slack", "message", "MessagePosted", "channel_join")).toBe("VendorEventReceived");
});

it("leaves a type that says what happened, and one that the tenant has chosen", () => {
  expect(corrected("github", "push", "CommitsPushed")).toBe("CommitsPushed");
  expect(corrected("gitlab", "Note Hook.create", "CommentCreated")).toBe("CommentCreated");
  expect(corrected("gitlab", "Tag Push Hook", "ReferenceCreated", "created")).toBe("ReferenceCreated");
  expect(corrected("github", "push", "CodeArrived", "deleted")).toBe("CodeArrived");
  expect(corrected("stripe", "invoice.paid", "InvoicePaid")).toBe("InvoicePaid");
});
