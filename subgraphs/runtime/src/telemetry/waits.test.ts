import { eventually } from "../faults/eventually.fixture.js";
import { keepingLogger } from "./logged-lines.fixture.js";
import { Waits } from "./waits.js";

it("a wait is logged when it begins, while it lasts and when it ends", async () => {
  const lines: string[] = [];
  const loggedLines = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  let now = 0;
  const waits = new Waits(20, () => now);
  waits.logTo(keepingLogger(lines));
  const end = waits.begin("the database", { cause: "refused" });
  now = 60_000;
  expect(waits.names).toEqual(["the database"]);
  await eventually("it is logged again", () => lines.length >= 3);
  end();
  end();
  expect(waits.names).toEqual([]);
  expect(loggedLines()[0]).toMatchObject({ msg: "the platform waits", waitsFor: "the database", cause: "refused" });
  expect(loggedLines()[1]).toMatchObject({ msg: "the platform still waits", seconds: 60 });
  expect(loggedLines().filter(({ msg }) => msg === "a wait of the platform ended")).toHaveLength(1);
  expect(loggedLines().at(-1)).toMatchObject({ msg: "a wait of the platform ended", waitsFor: "the database" });
});
