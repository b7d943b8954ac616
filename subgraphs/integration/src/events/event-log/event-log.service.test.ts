import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";

describe("the event log behind the bus", () => {
  let fixture: IntegrationFixture;
  beforeAll(async () => {
    fixture = await startIntegrationFixture();
  });
  afterAll(() => fixture.close());

  const isLogged = async (id: string) =>
    (await fixture.rows("select from integration.event_log where envelope->>'id' = $1", id)).length > 0 || undefined;

  it("takes the events of other tenants, and of other aggregates, past five that it cannot store", async () => {
    const [hostile, other] = [aPrincipal(), aPrincipal()];
    const poison = Array.from({ length: 5 }, (_, place) => ({ ...anEvent(hostile), id: `evt_none${place}` }));
    const [theirs, ours] = [anEvent(hostile), anEvent(other)];
    await fixture.bus.publish([...poison, theirs, ours]);
    await eventually(() => isLogged(ours.id));
    await eventually(() => isLogged(theirs.id));
    const heldCount = async () =>
      (
        await fixture.rows(
          "select from bus.held where tenant = $1 and consumer = 'integration.event-log'",
          hostile.tenantId,
        )
      ).length;
    await eventually(async () => (await heldCount()) === poison.length || undefined);
    expect(await fixture.rows("select from bus.dead_letters")).toEqual([]);
  });
});
