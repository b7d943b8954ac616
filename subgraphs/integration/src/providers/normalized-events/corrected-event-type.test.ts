import { correctedEventType } from "./corrected-event-type.js";

const correct = (vendor: string, eventName: string, storedType: string, toldAction?: string) =>
  correctedEventType(
    { key: "our-vendor", preset: vendor },
    { eventName, normalizedEventType: storedType },
    () => toldAction,
  );

it("gives a delivery from an earlier release the type that says what happened", () => {
  expect(correct("github", "push", "CommitsPushed", "deleted")).toBe("ReferenceDeleted");
  expect(correct("gitlab", "Tag Push Hook", "ReferenceCreated", "deleted")).toBe("ReferenceDeleted");
  expect(correct("gitlab", "Release Hook", "ReleasePublished", "delete")).toBe("ReleaseDeleted");
  expect(correct("gitlab", "Note Hook.update", "CommentCreated")).toBe("CommentUpdated");
  expect(correct("slack", "message", "MessagePosted", "message_deleted")).toBe("MessageDeleted");
  expect(correct("slack", "message", "MessagePosted", "channel_join")).toBe("VendorEventReceived");
});

it("leaves a type that says what happened, and one that the tenant has chosen", () => {
  expect(correct("github", "push", "CommitsPushed")).toBe("CommitsPushed");
  expect(correct("gitlab", "Note Hook.create", "CommentCreated")).toBe("CommentCreated");
  expect(correct("gitlab", "Tag Push Hook", "ReferenceCreated", "created")).toBe("ReferenceCreated");
  expect(correct("github", "push", "CodeArrived", "deleted")).toBe("CodeArrived");
  expect(correct("stripe", "invoice.paid", "InvoicePaid")).toBe("InvoicePaid");
});
