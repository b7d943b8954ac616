import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { RunService } from "../../runs/run.service.js";
import { RunOperations } from "../../runs/run-operations.js";
import { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { ReplayPages } from "./replay-pages.js";
import { ReplayRun } from "./replay-run.js";
import { WebhookReplayResolver } from "./webhook-replay.resolver.js";
import { WebhookReplayService } from "./webhook-replay.service.js";

/** Webhook replays, as runs. */
export const webhookReplays: SliceModule = {
  slice: "webhook-replays",
  start({ database }, services) {
    services.add(new WebhookReplayService(database, services.get(RunService)));
    const pages = new ReplayPages(database, services.get(WebhookMessageService));
    services.get(RunOperations).add("ReplayDeliveries", new ReplayRun(pages));
  },
  resolvers: (get) => [new WebhookReplayResolver(get(WebhookReplayService))],
};
