import type { IntegrationFixture } from "../../integration.fixture.js";

/** From now on a delivery that has failed is not tried again before `endRetryHold`, so that a test can read its state. */
export async function holdRetries({ rows }: Pick<IntegrationFixture, "rows">): Promise<void> {
  await rows(`create function public.hold_retry() returns trigger language plpgsql as $$ begin
    new.next_attempt_at := new.next_attempt_at + interval '1 day'; return new; end $$`);
  await rows(`create trigger hold_retry before update on integration.webhook_deliveries for each row
    when (old.status = 'Processing' and new.status = 'Failed') execute function public.hold_retry()`);
}

/** Lets the delivery be tried again at the time that was planned. */
export async function endRetryHold({ rows }: Pick<IntegrationFixture, "rows">, deliveryUuid: string): Promise<void> {
  await rows(
    "update integration.webhook_deliveries set next_attempt_at = next_attempt_at - interval '1 day' where delivery_id = $1",
    deliveryUuid,
  );
}
