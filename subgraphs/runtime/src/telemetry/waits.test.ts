import { eventually } from "../faults/eventually.fixture.js";
import { keepingLogger } from "./logged-lines.fixture.js";
import { Waits } from "./waits.js";

it("a wait is logged when it begins, while it lasts and when it ends", async () => {
  const lines: string[] = [];
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
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
  expect(logged()[0]).toMatchObject({ msg: "the platform waits", waitsFor: "the database", cause: "refused" });
  expect(logged()[1]).toMatchObject({ msg: "the platform still waits", seconds: 60 });
  expect(logged().filter(({ msg }) => msg === "a wait of the platform ended")).toHaveLength(1);
  expect(logged().at(-1)).toMatchObject({ msg: "a wait of the platform ended", waitsFor: "the database" });
});
