interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

/** Reads a header Accept. A weight outside 0 to 1 counts as 0. */
export function mediaRanges(accept: string): MediaRange[] {
  return accept
    .split(",")
    .map((range) => range.trim().toLowerCase())
    .filter((range) => range !== "")
    .map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      const quality = weight === undefined ? 1 : Number(weight);
      return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    });
}
