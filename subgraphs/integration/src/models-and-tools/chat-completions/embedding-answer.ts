import type { Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { unreadable, usageOf } from "./chat-answer.js";
import { countOf, listOf, objectOf, parsedJsonBody, textOf } from "./json-members.js";

/** The vectors for the inputs, in their order. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage | undefined;
  readonly model: string;
}

/** Reads the answer to `POST /embeddings` for so many inputs. Throws UPSTREAM_FAILED for one that does not fit. */
export function parseEmbeddings(body: Buffer, inputs: number): Embeddings {
  const answer = parsedJsonBody(body);
  const data = listOf(answer?.["data"]);
  const vectors: (number[] | undefined)[] = Array.from({ length: inputs });
  for (const [place, value] of data.entries()) {
    const { index, embedding } = objectOf(value);
    vectors[countOf(index) ?? place] = vectorOf(embedding);
  }
  if (!answer || vectors.length !== inputs || !isComplete(vectors)) throw unreadable();
  return { vectors, usage: usageOf(answer["usage"]), model: textOf(answer["model"]).slice(0, 200) };
}

const isComplete = (vectors: readonly (number[] | undefined)[]): vectors is number[][] =>
  // a loop by index, since array callbacks leave holes out
  Array.from(vectors).every((vector) => vector !== undefined);

/** Vendors send numbers, or their 32-bit floats in little-endian order as base64. */
function vectorOf(value: unknown): number[] | undefined {
  if (Array.isArray(value))
    return value.every((number) => typeof number === "number") ? (value as number[]) : undefined;
  const bytes = Buffer.from(textOf(value), "base64");
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(place * 4));
}
