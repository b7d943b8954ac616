import { LanePlaces } from "./lane-places.js";

const lane = (subscription: string, origin = "https://a.example") => ({ tenant: "t", origin, subscription });
const [good, other] = [lane("good"), lane("other")];

/** Takes places at this time while there is room. */
function fill(places: LanePlaces, testLane: ReturnType<typeof lane>, now = 0, most = 16): number {
  let takenCount = 0;
  while (takenCount < most && places.hasRoomFor(testLane, now)) {
    places.take(testLane, now);
    takenCount += 1;
  }
  return takenCount;
}

const answering = (places: LanePlaces, ...lanes: ReturnType<typeof lane>[]) => {
  for (const busyLane of lanes) places.ended(busyLane, true);
};

describe("the places of an origin", () => {
  it("are all for a single lane that answers", () => {
    const places = new LanePlaces(16);
    answering(places, good);
    expect(fill(places, good)).toBe(16);
  });

  it("are a quarter for a lane that has timed out, until it answers again", () => {
    const places = new LanePlaces(16);
    places.ended(good, false);
    expect(fill(places, good)).toBe(4);
    places.free(good, 4);
    answering(places, good);
    expect(fill(places, good)).toBe(16);
  });

  it("are half for all lanes that have timed out", () => {
    const places = new LanePlaces(16);
    const silent = Array.from({ length: 5 }, (_, at) => lane(`silent-${at}`));
    for (const silentLane of silent) places.ended(silentLane, false);
    expect(silent.map((silentLane) => fill(places, silentLane))).toEqual([4, 4, 0, 0, 0]);
    answering(places, good);
    expect(fill(places, good)).toBe(4);
  });

  it("are half for new lanes too, but for the first place of each", () => {
    const places = new LanePlaces(16);
    const lanes = Array.from({ length: 5 }, (_, at) => lane(`new-${at}`));
    expect(lanes.map((busyLane) => fill(places, busyLane))).toEqual([4, 4, 1, 1, 1]);
    expect(fill(places, good)).toBe(1);
  });

  it("are kept in part from several lanes that have answered and may hang", () => {
    const places = new LanePlaces(16);
    answering(places, good, other);
    expect(fill(places, other)).toBe(12);
    expect(fill(places, good)).toBe(2);
  });

  it("are a quarter for a lane whose attempt waits for long, beside another lane", () => {
    const places = new LanePlaces(16);
    answering(places, good, other);
    const ends = Array.from({ length: 3 }, () => {
      places.take(other, 0);
      return places.begin(other, 0);
    });
    expect(fill(places, other, 3_000)).toBe(1);
    for (const end of ends) end();
    places.free(other, 4);
    expect(fill(places, other, 3_000)).toBe(12);
  });

  it("are those of one origin only", () => {
    const places = new LanePlaces(16);
    for (let at = 0; at < 5; at += 1) fill(places, lane(`new-${at}`));
    expect(fill(places, lane("good", "https://b.example"))).toBe(4);
  });

  it("are forgotten for lanes that were not used, and no others", () => {
    const places = new LanePlaces(16);
    answering(places, other);
    fill(places, good, 0, 2);
    places.ended(good, true);
    expect(places.hasAnsweringOther(good)).toBe(true);
    places.tidy(7_200_000);
    expect(places.hasAnsweringOther(good)).toBe(false);
    expect(places.hasAnsweringOther(other)).toBe(true);
  });
});
