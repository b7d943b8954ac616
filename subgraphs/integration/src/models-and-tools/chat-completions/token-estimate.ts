import type { CompleteRequest, EmbedRequest } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";

/** Most tokenizers need fewer tokens than a quarter of the bytes for prose, and about as many for code. */
const bytesPerToken = 4;
const tokensPerMessage = 8;

/** An estimate of a prompt's tokens, for what a budget reserves before the vendor has counted them. */
export function promptTokens({ messages, tools, responseSchemaJson }: CompleteRequest): number {
  const texts = messages.flatMap(({ content, name, toolCalls }) => [
    content,
    name,
    ...toolCalls.flatMap((call) => [call.name, call.argumentsJson]),
  ]);
  const definitions = tools.flatMap(({ name, description, parametersJson }) => [name, description, parametersJson]);
  return messages.length * tokensPerMessage + tokensOf([...texts, ...definitions, responseSchemaJson]);
}

/** As `promptTokens`, for embedding inputs. */
export const inputTokens = ({ inputs }: EmbedRequest): number => tokensOf(inputs);

/** An estimate of the tokens in an answer with this length. */
export const answerTokens = (characters: number): number => Math.ceil(characters / bytesPerToken);

const tokensOf = (texts: readonly string[]): number =>
  Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / bytesPerToken);
